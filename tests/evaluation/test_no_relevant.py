"""Topics without a relevant document: counted as the measure defines, left out, or counted 1.

The reference looks at each judgment by itself. Leaving topics out equals qrels without them.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ir_measures_graded import GradedError, parse_measure
from ir_measures_graded.analysis import (
    Evaluation,
    check,
    compare,
    curves,
    evaluate,
    explain,
    explain_difference,
    gate,
    intervals,
    power,
    ranges,
    report,
    sensitivity,
)
from ir_measures_graded.cli import main
from ir_measures_graded.output.formats import decimal

TOPICS = 30


def _judgments():
    generator = np.random.default_rng(7)
    qrels = {}
    for number in range(TOPICS):
        highest = number % 4  # a quarter of the topics have level 0 only
        levels = generator.integers(0, highest + 1, 12).tolist()
        qrels[f"q{number}"] = {f"d{place}": level for place, level in enumerate(levels)}
    return qrels


def _run(seed):
    generator = np.random.default_rng(seed)
    run = {}
    for number in range(TOPICS):
        documents = [f"d{place}" for place in generator.permutation(16).tolist()[:10]]
        run[f"q{number}"] = {document: 10.0 - rank for rank, document in enumerate(documents)}
    return run


QRELS = _judgments()
RUNS = {"A": _run(1), "B": _run(2)}
LEAST_RELEVANT = {
    "AP": 1,
    "AP(rel=2)@5": 2,
    "Bpref(rel=3)": 3,
    "nDCG_JK(gains=1:0,2:1,3:5)@10": 2,
    "nDCG@10": 1,
    "NDPM": 1,
    "INST(max_rel=3)": 1,
    "INST(min_rel=1,max_rel=3)": 2,
    "Judged@5": 0,
}
"""The least level of a relevant document."""
SAME_FOR_PARTS = [name for name in LEAST_RELEVANT if not name.startswith("INST")]
"""INST needs a package that not every machine has."""


def _lacks(name):
    """For each topic, whether no document is relevant."""
    highest = np.array([max(levels.values()) for levels in QRELS.values()])
    return highest < LEAST_RELEVANT[name]


@pytest.mark.parametrize("name", LEAST_RELEVANT)
def test_the_judgments_tell_which_topics_lack_a_relevant_document(name):
    from ir_measures_graded.core.registry.facts import has_relevant
    from ir_measures_graded.evaluation.named import read_judgments

    judged = read_judgments(QRELS).documents
    assert np.array_equal(~has_relevant(parse_measure(name), judged), _lacks(name))


@pytest.mark.parametrize("name", SAME_FOR_PARTS)
def test_values_and_means_are_those_of_the_reference(name):
    zero = evaluate(QRELS, RUNS, [name])
    skipped = evaluate(QRELS, RUNS, [name], no_relevant="skip")
    lacks = _lacks(name)
    expected = np.where(lacks, np.nan, zero.values)
    assert np.array_equal(skipped.values, expected, equal_nan=True)
    assert np.allclose(skipped.means(), zero.values[..., ~lacks].mean(axis=-1), rtol=1e-15)
    assert skipped.topic_counts.tolist() == [[(~lacks).sum()]] * 2
    assert not [remark for remark in skipped.remarks if remark.kind == "no value"]
    if name in ("NDPM",):
        with pytest.raises(GradedError, match="no_relevant=one is for measures whose best"):
            evaluate(QRELS, RUNS, [name], no_relevant="one")
        return
    one = evaluate(QRELS, RUNS, [name], no_relevant="one")
    assert np.array_equal(one.values, np.where(lacks, 1.0, zero.values))


def _tables(result):
    return [table.cells() for table in result.tables()]


def _intervals(qrels, runs, measures, **options):
    return intervals(evaluate(qrels, runs, measures, **options))


ANALYSES = {
    "compare": partial(compare, runs=RUNS, measures=["AP(rel=2)@5"]),
    "gate": partial(gate, runs=RUNS, measures=["AP(rel=2)@5"]),
    "power": partial(power, runs=RUNS, measures=["AP(rel=2)@5"]),
    "curves": partial(curves, runs=RUNS, measure="AP(rel=2)", depth=5, confidence=0.9),
    "ranges": partial(ranges, runs=RUNS, measures=["AP(rel=2)@5"]),
    "sensitivity": partial(sensitivity, runs=RUNS, measures=["AP(rel=2)@5", "P(rel=2)@5"]),
    "intervals": partial(_intervals, runs=RUNS, measures=["AP(rel=2)@5"]),
    "explain": partial(explain_difference, runs=RUNS, measure="AP(rel=2)@5"),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_skip_equals_qrels_without_these_topics(name):
    analysis = ANALYSES[name]
    others = {}
    for topic, lacks in zip(QRELS, _lacks("AP(rel=2)@5"), strict=True):
        if not lacks:
            others[topic] = QRELS[topic]
    assert len(others) == 14
    skipped = analysis(QRELS, no_relevant="skip")
    assert _tables(skipped) == _tables(analysis(others))


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("curves", ["value"]),
        ("gate", ["old", "new"]),
        ("ranges", ["value", "ties_min", "ties_max", "unjudged_min", "unjudged_max"]),
    ],
)
def test_one_counts_these_topics_beside_the_others(name, keys):
    analysis = ANALYSES[name]
    share = _lacks("AP(rel=2)@5").mean()
    skipped = analysis(QRELS, no_relevant="skip").records()
    counted = analysis(QRELS, no_relevant="one").records()
    for without, beside in zip(skipped, counted, strict=True):
        is_difference = without.get("other") is not None
        value_of_lacking = 0 if is_difference else 1
        for key in keys:
            if without[key] is None:
                assert beside[key] is None
                continue
            expected = (1 - share) * without[key] + share * value_of_lacking
            assert beside[key] == pytest.approx(expected)


def test_the_note_tells_what_skip_would_change():
    evaluation = evaluate(QRELS, {"A": RUNS["A"]}, ["AP"])
    (note,) = evaluation.notes_on_topics()
    mean = decimal(evaluation.means()[0, 0])
    mean_of_others = decimal(evaluation.values[0, 0][~_lacks("AP")].mean())
    assert note == (
        "8 of 30 topics have no relevant document by AP (q0, q4, q8, q12, q16 and 3 more): they "
        f"count 0; --no_relevant skip: {mean_of_others} instead of {mean}."
    )
    assert list(evaluate(QRELS, RUNS, ["Judged@5"]).notes_on_topics()) == []


def test_sessions_lack_one_if_all_of_their_turns_do():
    qrels = {"s_1": {"a": 0}, "s_2": {"a": 1}, "t_1": {"a": 0}, "t_2": {"b": 0}}
    run = {"mine": {topic: {"a": 1.0} for topic in qrels}}
    evaluation = evaluate(qrels, run, ["P@1", "nsDCG"], sessions=True, no_relevant="skip")
    assert evaluation.values[0, 0].tolist() == pytest.approx([0.5, np.nan], nan_ok=True)
    assert np.isnan(evaluation.values[0, 1]).tolist() == [False, True]


NONE_RELEVANT = {"q": {"a": 0}}


@pytest.mark.parametrize(
    ("analysis", "arguments", "choice", "message"),
    [
        (evaluate, (QRELS, RUNS, ["AP"]), "none", "zero, skip, one"),
        (evaluate, (NONE_RELEVANT, RUNS, ["AP"]), "skip", "AP: no topic has"),
        (curves, (NONE_RELEVANT, RUNS, "AP"), "skip", "AP@100: no topic has"),
        (evaluate, (QRELS, RUNS, ["CG@5"]), "one", "best value is 1"),
    ],
)
def test_refused(analysis, arguments, choice, message):
    with pytest.raises(GradedError, match=message):
        analysis(*arguments, no_relevant=choice)


def test_values_are_refused_since_they_do_not_tell_what_is_relevant():
    values = evaluate(QRELS, RUNS, ["AP"])
    with pytest.raises(GradedError, match="needs qrels and"):
        compare(values, no_relevant="skip")


def test_other_results_say_what_counts():
    explanation = explain(QRELS, RUNS["A"], "AP", "q0", no_relevant="skip")
    assert "Topic q0 has no relevant document by AP: means leave it out" in str(explanation)
    texts = [remark.text for remark in check(QRELS, {}, ["AP"]).remarks]
    assert any(text.startswith("8 of 30 topics have no relevant document (q0") for text in texts)
    page = report(QRELS, RUNS, ["nDCG_JK@10", "AP(rel=2)"], no_relevant="skip").html
    assert "nan" not in page.lower().replace("isnan(", "")


def test_commands_take_the_option_and_omit_the_lines(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n2 0 a 0\n3 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n3 Q0 b 1 1 x\n")
    words = ["evaluate", "qrels", "run", "AP", "Judged@1", "--no_relevant", "skip"]
    assert main([*words, "-q", "-f", "tsv"]) == 0
    output = capsys.readouterr().out
    lines = [line.split("\t")[:2] for line in output.splitlines() if "AP" in line]
    assert lines == [["1", "AP"], ["3", "AP"], ["all", "AP"]]
    assert main([*words, "-f", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["no_relevant"], facts["n"]) == ("skip", {"AP": 2, "Judged@1": 3})
    assert main([*words, "-f", "text"]) == 0
    note = "1 of 3 topics has no relevant document by AP (2); the means leave it out, n = 2."
    assert note in capsys.readouterr().out
    Path("values.csv").write_text("topic,run,AP\n1,A,0.5\n2,A,0.25\n1,B,0.5\n2,B,0\n")
    assert main(["compare", "--values", "values.csv", "--no_relevant", "skip"]) == 2
    assert "--no_relevant needs QRELS and runs" in capsys.readouterr().err


def test_saved_values_without_left_out_topics_are_read_back(tmp_path):
    evaluation = evaluate(QRELS, RUNS, ["AP", "AP(rel=2)@5"], no_relevant="skip")
    rows = evaluation.data().to_frame()
    table = rows.pivot(index=["run", "topic"], columns="measure", values="value")
    table.to_csv(tmp_path / "values.csv")
    stored = Evaluation.from_values(tmp_path / "values.csv")
    for name in ("AP", "AP(rel=2)@5"):
        expected = evaluation.part(RUNS, [name]).means()
        assert np.allclose(stored.part(RUNS, [name]).means(), expected)
    assert "no value for 8 of 30 topics of A and B" in stored.remarks[0].text
    table.loc[("A", "q1"), "AP"] = np.nan  # B has a value
    table.to_csv(tmp_path / "values.csv")
    with pytest.raises(GradedError, match="column AP: '' is not a finite number"):
        Evaluation.from_values(tmp_path / "values.csv")
