"""`compare_leaderboards` and `reproduce`: forms of tables, undefined values, other programs."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind, ttest_rel

from ir_measures_graded import cli
from ir_measures_graded.analysis import (
    Evaluation,
    compare,
    compare_leaderboards,
    evaluate,
    reproduce,
)
from ir_measures_graded.analysis.leaderboards.comparison import measure_pair
from ir_measures_graded.analysis.statistics.weighted import WeightedSample
from ir_measures_graded.errors import GradedError

SYSTEMS = [f"s{number}" for number in range(12)]
TOPICS = [f"t{number}" for number in range(15)]
RANDOM = np.random.default_rng(2)
QUALITY = np.linspace(0.2, 0.7, 12)[:, None]
FIRST = np.clip(QUALITY + RANDOM.normal(0, 0.05, (12, 15)), 0, 1).round(4)
SECOND = np.clip(QUALITY[::-1] + RANDOM.normal(0, 0.3, (12, 15)), 0, 1).round(4)


def rows_of(values, measure="AP"):
    """A table with a row per value."""
    rows = []
    for system, of_system in zip(SYSTEMS, values.tolist()):
        for topic, value in zip(TOPICS, of_system):
            rows.append({"run": system, "topic": topic, "measure": measure, "value": value})
    return rows


def lines(rows, fields):
    return "".join(" ".join(str(row[field]) for field in fields) + "\n" for row in rows)


def tot(rows):
    return lines(rows, ["run", "measure", "topic", "value"])


def ir_measures_lines(rows):
    return lines(rows, ["run", "topic", "measure", "value"])


def csv_text(rows):
    text = "run,topic,measure,value\n"
    for row in rows:
        text += f"{row['run']},{row['topic']},{row['measure']},{row['value']}\n"
    return text


def json_lines(rows):
    """A line a row, under other names of the columns."""
    names = {"run": "run_id", "topic": "topic_id", "measure": "measure", "value": "value"}
    renamed = [{names[column]: cell for column, cell in row.items()} for row in rows]
    return "".join(f"{json.dumps(row)}\n" for row in renamed)


FORMS = {
    "tot.txt": tot,
    "ir_measures.txt": ir_measures_lines,
    "rows.csv": csv_text,
    "rows.jsonl": json_lines,
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_the_same_values(name, tmp_path):
    expected = compare_leaderboards(rows_of(FIRST), rows_of(SECOND)).records()
    to_text = FORMS[name]
    first = tmp_path / f"1{name}"
    first.write_text(to_text(rows_of(FIRST)), encoding="utf-8")
    second = tmp_path / f"2{name}"
    second.write_text(to_text(rows_of(SECOND)), encoding="utf-8")
    assert compare_leaderboards(first, second).records() == expected


def test_trec_eval_names_runs_by_runid_and_six_fields_need_a_format(tmp_path):
    for row, system in enumerate(SYSTEMS):
        text = f"runid all {system}\nmap all {FIRST[row].mean():.4f}\nnum_q all 15\n"
        text += "".join(f"map {t} {value}\n" for t, value in zip(TOPICS, FIRST[row]))
        (tmp_path / f"file{row}.eval").write_text(text)
    files = str(tmp_path / "*.eval")
    (order,) = compare_leaderboards(files, rows_of(SECOND)).orders
    assert sorted(order.systems) == sorted(SYSTEMS)
    assert str(order.first.measure) == "AP"
    assert order.significant is not None
    geometric = "gm_map all 0.1\n"  # has no values by topic, so no experiment is compared by it
    for path in tmp_path.glob("*.eval"):
        path.write_text(path.read_text() + geometric)
    assert [str(row.measure) for row in reproduce(files, files, "s0", "s1").rows] == ["AP"]
    two_topics = {"q": {"d": 1}, "r": {"e": 1}}
    runs = {"a": {"q": ["d"], "r": ["x", "e"]}, "b": {"q": ["d"], "r": ["e"]}}
    by_two = evaluate(two_topics, runs, ["AP", "gm_map"])
    geometric_board = compare_leaderboards(by_two, by_two, ["gm_map"]).orders[0].first
    assert geometric_board.means.tolist() == by_two.means()[:, 1].tolist()
    path = tmp_path / "ranking.txt"
    text = ""
    for row in rows_of(FIRST):
        text += f"{row['topic']} Q0 {row['run']} 1 {row['value']} AP\n"
    path.write_text(text)
    with pytest.raises(GradedError, match="--form ranking"):
        compare_leaderboards(path, rows_of(SECOND))
    ranking = compare_leaderboards(path, path, form="ranking").orders[0]
    assert ranking.statistics["tau"] == 1


def test_four_fields_that_tell_nothing_need_a_format(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("a x y 0.5\nb x y 0.4\n")
    with pytest.raises(GradedError, match="--form tot"):
        compare_leaderboards(path, path)
    (tmp_path / "f").write_text("q1 0 d1 2\nq1 0 d2 1\n")
    with pytest.raises(GradedError, match="has the fields of qrels"):
        compare_leaderboards(tmp_path / "f", path)


def test_means_are_asked_for_and_rows_of_all_are_compared_or_taken():
    means = {"run": SYSTEMS, "nDCG@10": FIRST.mean(axis=1)}
    with pytest.raises(GradedError, match="--means"):
        compare_leaderboards(means, means)
    assert compare_leaderboards(means, means, means=True).orders[0].statistics["tau"] == 1
    twice = [{"run": system, "nDCG@10": 0.5} for system in ["a", "a", "b"]]
    with pytest.raises(GradedError, match="'a' has two means"):
        compare_leaderboards(twice, means, means=True)
    reversed_means = [
        {"run": system, "topic": "all", "measure": "AP", "value": number / 12}
        for number, system in enumerate(SYSTEMS[::-1])
    ]
    rows = rows_of(FIRST) + reversed_means
    by_topic = compare_leaderboards(rows, rows_of(FIRST))
    assert by_topic.orders[0].statistics["tau"] == pytest.approx(1)
    assert any("is not the mean" in note for note in by_topic.notes())
    by_mean = compare_leaderboards(rows, rows_of(FIRST), aggregate=True)
    assert by_mean.orders[0].statistics["tau"] < -0.9


@pytest.mark.parametrize("key", ["run", "topic", "measure"])
@pytest.mark.parametrize("nothing", [None, ""])
def test_an_empty_run_topic_or_measure_is_an_error(key, nothing):
    rows = rows_of(FIRST)
    rows[7][key] = nothing
    with pytest.raises(GradedError, match=f"row 8, column {key}: the cell is empty"):
        compare_leaderboards(rows, rows_of(SECOND))


def test_significant_pairs_add_up_and_do_not_depend_on_names_or_rows():
    compared = compare_leaderboards(rows_of(FIRST), rows_of(SECOND))
    pairs = compared.orders[0].significant
    assert pairs.first == pairs.agreed + pairs.reversed + pairs.lost > 0
    assert pairs.second == pairs.agreed + pairs.reversed + pairs.new > 0
    shuffled = np.random.default_rng(5).permutation(rows_of(SECOND)).tolist()
    moved = compare_leaderboards(rows_of(FIRST)[::-1], shuffled)
    for name, value in compared.orders[0].statistics.items():
        assert moved.orders[0].statistics[name] == pytest.approx(value), name
    assert moved.orders[0].significant == pairs
    first = rows_of(np.tile(FIRST.mean(axis=1, keepdims=True).round(1), 15))
    second = rows_of(np.tile(SECOND.mean(axis=1, keepdims=True).round(1), 15))
    texts = set()
    for rows in (first, first[::-1]):
        tied = compare_leaderboards(rows, second)
        record = tied.records()[0]
        texts.add((str(tied.answer()), record["fall_of"], record["rise_of"]))
    assert len(texts) == 1


def test_smaller_is_mirrored_and_measures_are_paired():
    frame = rows_of(FIRST) + rows_of(-FIRST, "loss")
    both = compare_leaderboards(frame, frame, ["AP=loss"], smaller=["loss"])
    assert both.orders[0].statistics["tau"] == pytest.approx(1)
    assert len(compare_leaderboards(rows_of(FIRST), rows_of(FIRST, "x")).orders) == 1
    assert measure_pair("nDCG_JK(b=2)@10=AP(rel=2)") == ("nDCG_JK(b=2)@10", "AP(rel=2)")


def test_undefined_values_have_reasons_and_systems_of_one_side_are_named():
    first = {"run": ["a", "b", "c", "d"], "AP": [0.5, 0.5, 0.4, 0.3]}
    second = {"run": ["a", "b", "c", "e"], "AP": [0.1, 0.2, 0.3, 0.9]}
    compared = compare_leaderboards(first, second, means=True)
    (record,) = compared.records()
    assert record["tau_AP"] is None
    assert "tau_AP: systems tie in the first; use tau_AP_b" in record["undefined"]
    assert "Only the first leaderboard has d." in compared.notes()
    assert "Only the second leaderboard has e." in compared.notes()
    flat = compare_leaderboards(first, {"run": list("abcd"), "AP": [0.5] * 4}, means=True)
    assert flat.summary == (
        "The two orders of 4 systems cannot be compared: all systems tie in the second."
    )
    with pytest.raises(GradedError, match="1 system in both"):
        compare_leaderboards(first, {"run": ["a"], "AP": [1.0]}, means=True)
    with pytest.raises(GradedError, match="k=4 is not below"):
        compare_leaderboards(first, first, means=True, k=4)


# ------------------------------------------------------------------------------- reproduction


def experiment(values):
    """The values of two runs (2 × topics)."""
    rows = []
    for run, of_run in zip("ba", values):
        for topic, value in zip(TOPICS, of_run):
            rows.append({"run": run, "topic": topic, "AP": float(value)})
    return rows


BASELINE = FIRST[0]
ADVANCED = FIRST[5]
BASELINE_AGAIN = FIRST[1]
ADVANCED_AGAIN = FIRST[4]
ORIGINAL = experiment([BASELINE, ADVANCED])
AGAIN = experiment([BASELINE_AGAIN, ADVANCED_AGAIN])


def with_other_topics(rows):
    return [row | {"topic": f"x{row['topic']}"} for row in rows]


def root_mean_square(values):
    return np.sqrt(np.mean(values**2))


def assert_effects(row, b, a, b_again, a_again):
    """The effect ratio and the difference of relative improvements follow their formulas."""
    effect = (a - b).mean()
    effect_again = (a_again - b_again).mean()
    assert row.ratio == pytest.approx(effect_again / effect)
    relative = effect / b.mean() - effect_again / b_again.mean()
    assert row.relative == pytest.approx(relative)


def test_reproduction_is_that_of_plain_formulas():
    row = reproduce(ORIGINAL, AGAIN, "b", "a").rows[0]
    assert row.kind == "reproduction"
    rmse = root_mean_square(BASELINE - BASELINE_AGAIN)
    largest = root_mean_square(np.maximum(BASELINE, 1 - BASELINE))
    assert row.baseline.rmse == pytest.approx(rmse)
    assert row.baseline.nrmse == pytest.approx(rmse / largest)
    assert row.baseline.p == pytest.approx(ttest_rel(BASELINE_AGAIN, BASELINE).pvalue)
    assert_effects(row, BASELINE, ADVANCED, BASELINE_AGAIN, ADVANCED_AGAIN)


@pytest.mark.parametrize(("change", "decimals"), [(0.00004, 4), (0.00006, None), (0.0, 4)])
def test_values_that_are_equal_up_to_rounding_are_said_to_be(change, decimals):
    signs = np.where(np.arange(BASELINE.size) % 2, 1, -1)
    printed = experiment([BASELINE.round(4), ADVANCED.round(4)])
    unrounded = experiment([BASELINE.round(4) + change * signs, ADVANCED.round(4) + change])
    for first, second in ((printed, unrounded), (unrounded, printed)):
        result = reproduce(first, second, "b", "a")
        assert result.records()[0]["decimals_equal"] == decimals
        if decimals is None:
            assert "are equal" not in " ".join(result.sentences())
            assert "no evidence of reproduction" in " ".join(result.answer())
        else:
            rounding = " up to rounding to 4 decimals" if change else ""
            all_values = f"All {2 * BASELINE.size} values of b and a by AP"
            assert result.summary == f"{all_values} are equal{rounding}."
            assert "no evidence" not in " ".join(result.answer())


@pytest.mark.parametrize("form", ["columns", "long"])
def test_runs_in_columns_and_values_without_a_measure_are_those_of_the_other_table(form):
    rows = pandas.DataFrame(ORIGINAL)
    table = rows.rename(columns={"AP": "value"})
    if form == "columns":
        table = rows.pivot(index="topic", columns="run", values="AP").loc[rows.topic.unique()]
        table = table.rename_axis(columns=None)
    taken = "its values, of which no column names the measure, are taken as those of AP"
    for result in (reproduce(table, AGAIN, "b", "a"), reproduce(table, AGAIN, "b", "a", "AP")):
        assert result.records() == reproduce(ORIGINAL, AGAIN, "b", "a").records()
        notes = " ".join(result.notes())
        assert taken in notes
        assert ("its columns are taken as runs" in notes) == (form == "columns")
    compared = compare_leaderboards(table, AGAIN, "AP")
    assert compared.records() == compare_leaderboards(ORIGINAL, AGAIN, "AP").records()
    # Columns that name no run of the call are measures of one run.
    one_run = {"topic": TOPICS, "quality": BASELINE, "speed": ADVANCED}
    measures = [row.measure for row in reproduce(one_run, one_run, "run").rows]
    assert list(map(str, measures)) == ["quality", "speed"]


@pytest.mark.parametrize("pooled", [False, True])
def test_replication_has_independent_tests_and_no_rmse(pooled):
    result = reproduce(ORIGINAL, with_other_topics(AGAIN), "b", "a", pooled=pooled)
    row = result.rows[0]
    assert (row.kind, row.baseline.rmse) == ("replication", None)
    expected = ttest_ind(BASELINE_AGAIN, BASELINE, equal_var=pooled).pvalue
    assert row.baseline.p == pytest.approx(expected)
    assert "RMSE: the topics differ" in result.records()[0]["undefined"]


# The values of two runs in both experiments, and what repro_eval 0.5.0 computes of them. The other
# topics of a replication are those of the first 8 values.
REPEATED = {
    "b": [0.2, 0.4, 0.0, 0.35, 0.8, 0.5, 0.1, 0.65, 0.3, 0.45],
    "a": [0.3, 0.4, 0.25, 0.3, 0.9, 0.6, 0.1, 0.7, 0.55, 0.4],
    "b again": [0.25, 0.4, 0.0, 0.3, 0.7, 0.55, 0.2, 0.6, 0.3, 0.5],
    "a again": [0.2, 0.45, 0.2, 0.3, 0.85, 0.6, 0.15, 0.75, 0.5, 0.5],
}
REPRO_EVAL = {
    "reproduction": {
        "ER": 0.933333333333,
        "dRI": 0.015789473684,
        "p": 0.797624520972,
        "advanced_p": 1.0,
        "RMSE": 0.057008771255,
        "nRMSE": 0.078031999681,
        "advanced_RMSE": 0.059160797831,
        "advanced_nRMSE": 0.083374700094,
    },
    "replication": {
        "ER": 0.833333333333,
        "dRI": 0.033333333333,
        "p": 1.0,
        "advanced_p": 0.9181223115,
    },
}


@pytest.mark.parametrize("kind", REPRO_EVAL)
def test_values_are_those_of_repro_eval(kind):
    first = experiment([REPEATED["b"], REPEATED["a"]])
    second = experiment([REPEATED["b again"], REPEATED["a again"]])
    if kind == "replication":
        names = {topic: f"other {topic}" for topic in TOPICS[:8]}
        second = [row | {"topic": names[row["topic"]]} for row in second if row["topic"] in names]
    (record,) = reproduce(first, second, "b", "a", pooled=True).records()
    assert record["kind"] == kind
    for name, value in REPRO_EVAL[kind].items():
        assert record[name] == pytest.approx(value, abs=1e-11), name


def test_effects_that_are_undefined_are_empty():
    same = reproduce(experiment([FIRST[0], FIRST[0]]), experiment([FIRST[1], FIRST[2]]), "b", "a")
    assert (same.rows[0].ratio, same.rows[0].relative) == (None, None)
    assert "there is no original effect" in same.summary
    # The same values need no test.
    alone = experiment([FIRST[0]])
    assert "no evidence" not in " ".join(reproduce(alone, alone, "b").answer())
    constant = reproduce(alone, experiment([FIRST[0] + 0.25]), "b")
    assert constant.rows[0].baseline.p == pytest.approx(2.0**-14)
    with pytest.raises(GradedError, match="no run 'c'"):
        reproduce(alone, alone, "c")


def test_an_evaluation_is_a_leaderboard_by_each_of_its_measures():
    qrels = {topic: {"d1": 1, "d2": 0} for topic in TOPICS}
    runs = {}
    for row, system in enumerate(SYSTEMS[:4]):
        # The first topics of the later systems have the relevant document on top.
        better = {topic: {"d1": 2.0, "d2": 1.5} for topic in TOPICS[:row]}
        worse = {topic: {"d1": 1.0, "d2": 1.5} for topic in TOPICS[row:]}
        runs[system] = better | worse
    evaluation = evaluate(qrels, runs, ["AP", "nDCG@10"])
    compared = compare_leaderboards(evaluation, evaluation, ["AP=nDCG@10"])
    assert compared.orders[0].statistics["tau"] == pytest.approx(1)


def test_commands_and_functions_agree(tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("1.csv", "2.csv")]
    Path(files[0]).write_text(csv_text(rows_of(FIRST)))
    Path(files[1]).write_text(csv_text(rows_of(SECOND)))
    assert cli.main(["leaderboards", *files, "-f", "json", "-o", str(tmp_path / "f.svg")]) == 0
    answer = json.loads(capsys.readouterr().out)
    (record,) = answer["values"]
    assert answer["notes"][0].endswith("Equal values tie.")
    expected = compare_leaderboards(rows_of(FIRST), rows_of(SECOND)).records()[0]
    assert record["tau"] == pytest.approx(expected["tau"])
    assert record["tau_AP"] == pytest.approx(expected["tau_AP"])
    assert "s11" in (tmp_path / "f.svg").read_text(encoding="utf-8")
    words = ["reproduce", *files, "--baseline", "s0", "--advanced", "s5"]
    assert cli.main([*words, "-o", str(tmp_path / "g.svg")]) == 0
    assert "the effect of s5 over s0 was" in capsys.readouterr().out
    assert cli.main(["reproduce", *files]) == 2


WEIGHTS = dict(zip(TOPICS, RANDOM.integers(0, 4, 15).tolist()))


def test_weights_are_those_of_means_and_tests_in_both_leaderboards():
    plain = compare_leaderboards(rows_of(FIRST), rows_of(SECOND))
    equal = compare_leaderboards(rows_of(FIRST), rows_of(SECOND), weights=dict.fromkeys(TOPICS, 3))
    assert equal.orders[0].statistics == pytest.approx(plain.orders[0].statistics)
    assert equal.orders[0].significant == plain.orders[0].significant
    weighted = compare_leaderboards(rows_of(FIRST), rows_of(SECOND), weights=WEIGHTS)
    (compared,) = weighted.orders
    weights = np.array(list(WEIGHTS.values()))
    assert compared.first.means == pytest.approx(np.average(FIRST, axis=1, weights=weights))
    assert compared.second.means == pytest.approx(np.average(SECOND, axis=1, weights=weights))
    effective = weights.sum() ** 2 / (weights**2).sum()
    text = f"Weighted means over {np.count_nonzero(weights)} topics, effective {effective:.1f}."
    assert text in weighted.notes()
    first = Evaluation.from_values(rows_of(FIRST))
    second = Evaluation.from_values(rows_of(SECOND))
    assert significant_pairs(first) == compared.significant.first
    assert significant_pairs(second) == compared.significant.second
    own = compare_leaderboards(first.weighted(WEIGHTS), second.weighted(WEIGHTS))
    assert own.records() == weighted.records()


def significant_pairs(evaluation):
    """How many pairs `compare` separates with the weights."""
    records = compare(evaluation, weights=WEIGHTS).records()
    return sum(record["adjusted"] < 0.05 for record in records)


@pytest.mark.parametrize("other_topics", [False, True])
def test_reproduction_with_weights_is_that_of_repeated_topics(other_topics):
    second = AGAIN
    weights = dict(WEIGHTS)
    if other_topics:
        second = with_other_topics(AGAIN)
        weights |= {f"x{topic}": weight for topic, weight in WEIGHTS.items()}
    row = reproduce(ORIGINAL, second, "b", "a", weights=weights).rows[0]
    counts = np.array(list(WEIGHTS.values()))
    b = np.repeat(BASELINE, counts)
    a = np.repeat(ADVANCED, counts)
    b_again = np.repeat(BASELINE_AGAIN, counts)
    a_again = np.repeat(ADVANCED_AGAIN, counts)
    assert row.baseline.mean == pytest.approx(b.mean())
    assert_effects(row, b, a, b_again, a_again)
    if other_topics:
        is_counted = counts > 0
        sample = WeightedSample(is_counted.sum(), counts[is_counted])
        pair = np.stack([BASELINE, BASELINE_AGAIN])
        squared = sample.error(pair[:, is_counted]) ** 2
        degrees = squared.sum() ** 2 / (squared**2 / sample.degrees).sum()
        statistic = abs(b_again.mean() - b.mean()) / squared.sum() ** 0.5
        assert row.baseline.p == pytest.approx(2 * student.sf(statistic, degrees))
    else:
        rmse = root_mean_square(b - b_again)
        largest = root_mean_square(np.maximum(b, 1 - b))
        assert row.baseline.rmse == pytest.approx(rmse)
        assert row.baseline.nrmse == pytest.approx(rmse / largest)


@pytest.mark.parametrize("other_topics", [False, True])
def test_equal_weights_change_nothing_in_a_reproduction(other_topics):
    second = with_other_topics(AGAIN) if other_topics else AGAIN
    weights = {row["topic"]: 0.5 for row in ORIGINAL + second}
    plain = reproduce(ORIGINAL, second, "b", "a").rows[0]
    equal = reproduce(ORIGINAL, second, "b", "a", weights=weights).rows[0]
    for name in ("mean", "again", "rmse", "nrmse", "p", "detectable"):
        expected = getattr(plain.advanced, name)
        if expected is not None:
            assert getattr(equal.advanced, name) == pytest.approx(expected), name


def test_weights_and_no_relevant_are_refused_where_they_do_not_apply():
    rows = rows_of(FIRST)
    means = {"run": SYSTEMS, "AP": FIRST.mean(axis=1)}
    zeros = dict.fromkeys(TOPICS, 0)
    weighted = Evaluation.from_values(rows).weighted(WEIGHTS)
    with pytest.raises(GradedError, match="15 topics without a weight"):
        compare_leaderboards(rows, rows, weights={"x": 1})
    with pytest.raises(GradedError, match="leave out means"):
        compare_leaderboards(means, means, means=True, weights=WEIGHTS)
    with pytest.raises(GradedError, match="have the weight 0"):
        reproduce(rows, rows, "s0", weights=zeros)
    with pytest.raises(GradedError, match="different weights"):
        reproduce(weighted, rows, "s0")
    baseline = reproduce(rows, rows, "s0", weights=zeros | {"t1": 1}).rows[0].baseline
    assert baseline.mean == FIRST[0, 1]
    assert baseline.p is None


def printed(capsys, *words):
    """The values and the notes that `leaderboards` prints as JSON."""
    assert cli.main(["leaderboards", *map(str, words), "-f", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    return answer["values"], answer["notes"]


def test_a_side_may_have_several_files_and_a_third_table_is_refused(tmp_path, capsys):
    rows = rows_of(FIRST)
    half_a = tmp_path / "half_a.csv"
    half_b = tmp_path / "half_b.csv"
    whole = tmp_path / "all.csv"
    half_a.write_text(csv_text(rows[:90]))
    half_b.write_text(csv_text(rows[90:]))
    whole.write_text(csv_text(rows_of(SECOND)))
    expected = compare_leaderboards(rows_of(FIRST), rows_of(SECOND)).records()[0]["tau"]
    for words in (
        [whole, "--first", tmp_path / "half_*.csv", "AP"],
        ["--first", half_a, "--first", half_b, "--second", whole],
    ):
        (record,), _ = printed(capsys, *words)
        assert record["tau"] == pytest.approx(expected)
    assert cli.main(["leaderboards", str(whole), str(whole), str(whole)]) == 2
    error = capsys.readouterr().err
    assert "all.csv is a third table" in error
    assert "the qrels of runs with --qrels" in error
    assert cli.main(["leaderboards", str(whole)]) == 2


@dataclass
class Collection:
    """The judgments of a human and of a machine, five runs, and the files with them."""

    human: dict
    machine: dict
    runs: dict
    human_file: str
    machine_file: str
    run_files: list


@pytest.fixture
def collection(tmp_path):
    human = {}
    machine = {}
    for factor, topic in enumerate("xyz", start=1):
        levels = {f"d{doc}": (doc * factor) % 4 for doc in range(9)}
        human[topic] = levels
        machine[topic] = {doc: (level + len(doc) * 2) % 3 for doc, level in levels.items()}
    runs = {}
    for number in range(5):
        scores = {f"d{doc}": float((doc + 1) * (number + 3) % 11) for doc in range(9)}
        runs[f"{number}"] = dict.fromkeys("xyz", scores)
    human_file = tmp_path / "human.txt"
    machine_file = tmp_path / "machine.txt"
    run_files = [tmp_path / f"{name}.run" for name in runs]
    write_rows(human_file, human, "{topic} 0 {doc} {value}\n")
    write_rows(machine_file, machine, "{topic} 0 {doc} {value}\n")
    for path, run in zip(run_files, runs.values()):
        write_rows(path, run, "{topic} Q0 {doc} 1 {value} x\n")
    paths = [str(path) for path in run_files]
    return Collection(human, machine, runs, str(human_file), str(machine_file), paths)


def write_rows(path, by_topic, line):
    """Writes a line for each topic and document."""
    text = ""
    for topic, documents in by_topic.items():
        for doc, value in documents.items():
            text += line.format(topic=topic, doc=doc, value=value)
    path.write_text(text)


def as_printed(result):
    return json.loads("".join(result.lines("json")))


def test_runs_are_evaluated_by_two_measures_or_by_two_qrels(collection, capsys):
    qrels = ["--qrels", collection.human_file]
    by_human = evaluate(collection.human, collection.runs, ["AP", "nDCG@5", "P@2"])
    records, _ = printed(capsys, *qrels, *collection.run_files, "AP=nDCG@5", "P@2", "AP")
    by_measures = compare_leaderboards(by_human, by_human, [("AP", "nDCG@5"), ("P@2", "AP")])
    assert records == as_printed(by_measures)
    by_machine = evaluate(collection.machine, collection.runs, ["AP"])
    both_qrels = [*qrels, "--qrels", collection.machine_file]
    records, notes = printed(capsys, *both_qrels, *collection.run_files, "AP")
    assert records == as_printed(compare_leaderboards(by_human, by_machine))
    assert notes[0].startswith(collection.human_file)


def test_runs_are_evaluated_with_weights_and_without_some_topics(collection, tmp_path, capsys):
    weights = tmp_path / "weights.csv"
    weights.write_text("topic,hits\nx,5\ny,1\nz,0\n")
    options = ["--weights", f"{weights}:hits", "--no_relevant", "skip"]
    counting = {"weights": {"x": 5, "y": 1, "z": 0}, "no_relevant": "skip"}
    sources = ["--qrels", collection.human_file, *collection.run_files]
    records, notes = printed(capsys, *sources, "AP(rel=3)=AP", *options)
    both = evaluate(collection.human, collection.runs, ["AP(rel=3)", "AP"], **counting)
    assert records == as_printed(compare_leaderboards(both, both, ["AP(rel=3)=AP"]))
    assert any("effective" in note for note in notes)
    words = ["reproduce", *sources, "AP"]
    roles = ["--baseline", "0=1", "--advanced", "2=3"]
    assert cli.main([*words, *roles, *options, "-f", "json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)["values"]
    means = evaluate(collection.human, collection.runs, ["AP"], **counting).means()[:, 0]
    assert record["effect"] == pytest.approx(means[2] - means[0])
    assert record["effect_again"] == pytest.approx(means[3] - means[1])
    assert cli.main([*words, "--baseline", "0"]) == 2
    assert "0=RUN2, or give two --qrels" in capsys.readouterr().err


def test_runs_and_options_that_make_no_two_leaderboards_are_refused(collection, capsys):
    human = ["--qrels", collection.human_file]
    files = collection.run_files
    for words, message in (
        ([*files[:2], "--no_relevant", "skip"], "do not tell which topics"),
        ([*human, *files, "AP"], "name two measures"),
        ([*human, *files], "name two measures"),
        ([*human, "AP", "nDCG@5"], "no run is given"),
        ([*human, *human, *human, *files, "AP"], "given 3 times"),
        ([*human, *files, "AP=P@2", "--means"], "--means is for tables"),
        ([*files[:2], "--ascending"], "--ascending requires --qrels"),
    ):
        assert cli.main(["leaderboards", *words]) == 2
        assert message in capsys.readouterr().err


def test_a_measure_with_text_is_left_out_with_a_note():
    texts = rows_of(FIRST, "grade")
    texts[3]["value"] = "good"
    first = rows_of(FIRST) + texts
    second = rows_of(SECOND) + rows_of(SECOND, "grade")
    compared = compare_leaderboards(first, second)
    assert [str(order.first.measure) for order in compared.orders] == ["AP"]
    assert "first: grade is left out: a value is no number." in compared.notes()


MEANS = {"run": list("abcd"), "AP": [0.1, 0.2, 0.3, 0.4]}
FIRST_ROW, *OTHER_ROWS = rows_of(FIRST)
HOSTILE = {
    "a value is text": ([*OTHER_ROWS, FIRST_ROW | {"value": "0,5"}], "'0,5', a value of AP"),
    "a value is infinite": (MEANS | {"AP": [0.1, np.inf, 0.3, 0.4]}, "'inf', a value of AP"),
    "a value is empty": (
        [*OTHER_ROWS, FIRST_ROW | {"value": None}],
        "s0 lacks values of AP for 1 topic",
    ),
    "a row is missing": (OTHER_ROWS, "s0 lacks values of AP for 1 topic"),
    "a row is there twice": ([FIRST_ROW, *OTHER_ROWS, FIRST_ROW], "two values for topic t0"),
    "two columns have a name": ("run,AP,AP\na,.1,.2\n", "two columns named AP"),
    "two columns have a measure": (MEANS | {"map": [0.1, 0.2, 0.3, 0.4]}, "the same measure"),
    "there is a header alone": ("run,topic,AP\n", "there is no value"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_table_that_tells_no_order_is_refused(case, tmp_path):
    table, message = HOSTILE[case]
    if isinstance(table, str):
        path = tmp_path / "table.csv"
        path.write_text(table)
        table = str(path)
    with pytest.raises(GradedError, match=message):
        compare_leaderboards(table, MEANS, means=True)


def test_a_system_with_an_empty_mean_is_missing_and_smaller_may_be_for_one_side():
    compared = compare_leaderboards(MEANS | {"AP": [0.1, None, 0.3, 0.4]}, MEANS, means=True)
    assert compared.orders[0].systems == ("a", "c", "d")
    assert "first: 1 empty value of AP counts as missing (b)." in compared.notes()
    losses = {"run": list("abcd"), "loss": [4, 3, 2, 1]}
    mirrored = compare_leaderboards(losses, MEANS, ["loss=AP"], means=True, smaller=["loss"])
    assert mirrored.orders[0].statistics["tau"] == 1
    with pytest.raises(GradedError, match="smaller: x is not"):
        compare_leaderboards(losses, MEANS, means=True, smaller=["x"])
    huge = {"run": list("abc"), "AP": [1e308, -1e308, 0]}
    small = {"run": list("abc"), "AP": [3, 1, 2]}
    compared = compare_leaderboards(huge, small, means=True)
    assert compared.orders[0].statistics["tau_GAP"] == 1
