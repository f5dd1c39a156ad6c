"""Topics: the hardest ones of an evaluation, and those in which two runs differ most."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ir_measures_graded import GradedError, demo
from ir_measures_graded.analysis import compare, evaluate

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

QRELS = {f"q{number}": {"x": 1} for number in range(4)}
FIRST = {"q0": ["x"], "q1": ["a", "x"], "q2": ["a", "b", "c", "x"], "q3": ["x"]}
SECOND = {"q0": ["x"], "q1": ["x"], "q2": ["a", "b", "c", "x"], "q3": ["a", "x"]}
RUNS = {"first": FIRST, "second": SECOND}
DEMO_RUNS = {name: str(path) for name, path in demo.run_paths().items()}


def test_the_hardest_topics_come_first_by_the_sign_of_the_measure():
    result = evaluate(QRELS, RUNS, ["RR", "ASL"])
    table = result.topic_means
    assert list(table.columns) == ["measure", "topic", "mean", "lowest", "highest", "spread"]
    by_rr = table[table.measure == "RR"]
    assert by_rr.topic.tolist() == ["q2", "q1", "q3", "q0"]
    assert by_rr["mean"].tolist() == [0.25, 0.75, 0.75, 1]
    assert by_rr.spread.tolist() == [0, 0.5, 0.5, 0]
    assert table[table.measure == "ASL"].topic.tolist() == by_rr.topic.tolist()
    assert list(map(str, result.of_topics().answer())) == [
        "Topic q2 is the hardest by RR (mean .2500 over the runs), q0 the easiest (1.0000).",
        "By RR, the runs differ most on topic q1: .5000 of first, 1.0000 of second.",
        "Topic q2 is the hardest by ASL (mean 4.0000 over the runs), q0 the easiest (1.0000).",
        "By ASL, the runs differ most on topic q1: 2.0000 of first, 1.0000 of second.",
    ]


def test_sentences_keep_signs_and_leave_out_topics_without_relevant_documents():
    qrels = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1, "b": 0}, "none": {"a": 0}}
    wrong = {"q1": ["b", "a"], "q2": ["b", "a"]}
    result = evaluate(qrels, {"wrong": wrong, "right": wrong | {"q1": ["a", "b"]}}, "KendallTau")
    assert result.topic_means.topic.tolist() == ["q2", "q1", "none"]
    assert list(map(str, result.of_topics().answer())) == [
        "Topic q2 is the hardest by KendallTau (mean −1.0000 over the runs), q1 the easiest (.0000).",
        "By KendallTau, the runs differ most on topic q1: −1.0000 of wrong, 1.0000 of right.",
    ]


def test_one_run_has_values_and_topics_of_weight_0_are_left_out():
    result = evaluate(QRELS, {"first": FIRST}, "RR", weights={"q0": 1, "q1": 1, "q2": 0, "q3": 1})
    assert result.topic_means.values.tolist() == [
        ["RR", "q1", 0.5],
        ["RR", "q0", 1],
        ["RR", "q3", 1],
    ]
    (sentence,) = result.of_topics().answer()
    assert sentence == "Topic q1 is the hardest by RR (.5000), q3 the easiest (1.0000)."
    alike = evaluate({"q0": QRELS["q0"], "q3": QRELS["q3"]}, {"first": FIRST}, "RR")
    assert str(alike.of_topics().answer()[0]) == "All topics are equally hard by RR (1.0000)."


def test_means_are_those_of_the_values_of_the_demo():
    result = evaluate(demo.qrels_path(), DEMO_RUNS, ["nDCG@10"])
    table = result.topic_means.set_index("topic")
    values = result.of("nDCG@10")
    for number, topic in enumerate(result.topics):
        row = table.loc[topic]
        assert row["mean"] == pytest.approx(np.mean(values[:, number]), rel=1e-15)
        assert (row.lowest, row.highest) == (values[:, number].min(), values[:, number].max())


def test_the_largest_differences_of_a_pair_come_first_and_programs_have_all():
    view = compare(QRELS, RUNS, ["RR", "ASL"]).of_topics()
    assert [row[3] for row in view.tables()[0].rows[:2]] == ["q1", "q3"]
    assert list(map(str, view.answer())) == [
        "By RR, second is better than first in 1 of 4 topics, worse in 1; they differ most in topic "
        "q1: +.5000 (1.0000 against .5000).",
        "By ASL, second is better than first in 1 of 4 topics, worse in 1; they differ most in "
        "topic q1: −1.0000 (1.0000 against 2.0000).",
    ]
    assert view.data().rows == compare(QRELS, RUNS, ["RR", "ASL"]).data("topics").rows
    assert [row[3] for row in view.data().rows[:4]] == ["q3", "q0", "q2", "q1"]


def test_topics_of_weight_0_are_left_out_and_groups_have_a_column():
    by = {"q0": "x", "q1": "x", "q2": "y", "q3": "y"}
    rows = compare(QRELS, RUNS, "RR", by=by).topic_differences
    assert rows.group.tolist() == [by[topic] for topic in rows.topic]
    assert len(rows) == 4
    weights = {"q0": 1, "q1": 0, "q2": 1, "q3": 1}
    view = compare(QRELS, RUNS, "RR", weights=weights).of_topics()
    assert str(view.answer()[0]).startswith("By RR, second is better than first in 0 of 3 topics")


def test_several_pairs_have_five_topics_each():
    view = compare(demo.qrels_path(), DEMO_RUNS, ["nDCG@10"], baseline="A").of_topics()
    assert len(view.tables()[0].rows) == 4 * 5
    assert len(view.data().rows) == 4 * 20
    assert "csv, tsv and json have all" in str(view.notes()[0])


def test_several_pairs_have_one_sentence_a_measure_and_a_table_of_counts():
    comparison = compare(demo.qrels_path(), DEMO_RUNS, ["nDCG@10", "ASL"])
    view = comparison.of_topics()
    rows = comparison.topic_differences
    of_measure = rows[rows.measure == "nDCG@10"]
    largest = of_measure.loc[of_measure.difference.abs().idxmax()]
    by_ndcg, by_asl = map(str, view.answer())
    assert by_asl.startswith("By ASL, the largest difference is that of ")
    assert by_ndcg.startswith(
        f"By nDCG@10, the largest difference is that of {largest.run} and {largest.other} in topic "
        f"{largest.topic}: "
    )
    counts = view.tables()[1]
    assert len(counts.rows) == 2 * 10
    for measure, run, other, better, worse in counts.rows:
        is_pair = (rows.measure == measure) & (rows.run == run) & (rows.other == other)
        differences = rows[is_pair].difference
        if measure == "ASL":
            differences = -differences
        assert (better, worse) == ((differences > 0).sum(), (differences < 0).sum())


def test_topics_have_their_groups(output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("kinds.csv").write_text("topic,kind\n351,long\n399,short\n")
    words = [demo.NAME, DEMO_RUNS["A"], "nDCG@10", "--show", "topics", "--by", "kinds.csv:kind"]
    rows = [line.split("\t") for line in output("evaluate", *words)]
    assert rows[0] == ["measure", "topic", "group", "value"]
    groups = {row[1]: row[2] for row in rows[1:]}
    assert len(groups) == 20
    assert (groups["351"], groups["399"], groups["400"]) == ("long", "short", "no group")


def test_the_commands_show_the_same_tables(output):
    words = [demo.NAME, DEMO_RUNS["A"], DEMO_RUNS["E"], "nDCG@10", "--show", "topics"]
    hardest = output("evaluate", *words, "-f", "text")
    assert hardest[0].startswith("Topic 399 is the hardest by nDCG@10 (mean .0778 over the runs)")
    assert hardest[3].split() == ["measure", "topic", "mean", "lowest", "highest", "spread"]
    assert output("evaluate", *words)[0].split("\t") == hardest[3].split()
    most = output("compare", *words)
    assert " ".join(most).startswith(
        "By nDCG@10, E is better than A in 19 of 20 topics, worse in 1"
    )
    assert most[4].split()[3] == "364"


def test_losses_are_the_topics_in_which_a_run_is_worse_the_largest_first(output):
    words = [demo.NAME, DEMO_RUNS["A"], DEMO_RUNS["D"], "nDCG@10", "ESL", "--show", "losses"]
    lines = [line.split() for line in output("compare", *words, "--baseline", "A")]
    start = next(number for number, line in enumerate(lines) if line[:1] == ["measure"])
    end = lines.index([], start) if [] in lines[start:] else len(lines)
    rows = lines[start + 1 : end]
    assert [row[:4] for row in rows if row[0] == "nDCG@10"] == [
        ["nDCG@10", "D", "A", "377"],
        ["nDCG@10", "D", "A", "399"],
    ]
    of_esl = [float(row[-1]) for row in rows if row[0] == "ESL"]  # smaller is better
    assert of_esl == sorted(of_esl, reverse=True)
    assert min(of_esl) > 0
    read = output("compare", *words, "--baseline", "A", "-f", "csv")
    assert len(read) == 1 + len(rows)


def test_values_that_are_not_known_are_refused():
    without_values = replace(compare(QRELS, RUNS, ["RR"]), by_topic=None)
    with pytest.raises(GradedError, match="the values by topic are not known"):
        without_values.of_topics()
