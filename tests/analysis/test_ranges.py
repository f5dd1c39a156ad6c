"""The ranges of values and differences over ties and unjudged documents."""

import numpy as np
import pytest
from ir_measures import AP, RR

import brute_force
from all_measures import MEASURES
from ir_measures_graded import CG, nDCG_JK
from ir_measures_graded.analysis import evaluate, gate, ranges
from ir_measures_graded.analysis.ranges import has_ranges, standings
from ir_measures_graded.evaluation.named import study_of

QRELS = {"q": {"a": 3, "b": 1, "c": 0}, "r": {"a": 1}}
RUNS = {
    "tied": {"q": {"a": 2.0, "x": 2.0, "y": 1.0}, "r": {"a": 1.0}},
    "holes": {"q": {"x": 3.0, "y": 2.0, "a": 1.0}, "r": {"z": 2.0, "a": 1.0}},
}


def test_ranges_are_the_values_of_the_options():
    result = ranges(QRELS, RUNS, ["nDCG_JK@2", "ERR_G@2", "gP@2"])  # the runs are longer
    for row in result.values:
        measure = row.measure
        options = [
            measure,
            measure(ties="min"),
            measure(ties="max"),
            measure(unjudged="min"),
            measure(unjudged="max"),
        ]
        (means,) = evaluate(QRELS, {row.run: RUNS[row.run]}, options).means().tolist()
        value, ties_min, ties_max, unjudged_min, unjudged_max = means
        assert row.value == value
        assert row.ties == (ties_min, ties_max)
        assert row.unjudged == (unjudged_min, unjudged_max)


def test_judged_share_counts_ranks_within_the_cutoff():
    result = ranges(QRELS, RUNS, ["CG@2", "CG"])
    assert [row.judged for row in result.values] == [2 / 3, 1 / 4, 2 / 4, 2 / 5]


def test_the_answer_says_within_which_rank_documents_may_be_judged():
    sentences = [str(note) for note in ranges(QRELS, RUNS, ["CG@2", "CG"]).answer()]
    assert any(
        sentence.startswith("Judgments within rank 2 can move CG@2") for sentence in sentences
    )
    assert any(sentence.startswith("Judgments can move CG of") for sentence in sentences)


def test_documents_that_both_runs_retrieved_get_one_level():
    same = {"one": RUNS["holes"], "other": RUNS["holes"]}
    ndcg, err, muap = ranges(QRELS, same, ["nDCG_JK@2", "ERR_G@2", "muAP@2"]).differences
    assert (ndcg.exact, ndcg.unjudged) == (True, (0, 0))
    assert not err.exact
    assert err.unjudged[0] < 0 < err.unjudged[1]
    assert (muap.exact, muap.unjudged) == (False, None)


@pytest.mark.parametrize(
    "measure", ["nDCG_JK@3", "nDCG_JK@1", "NDCNG@3", "CG@3", "gP@2", "ERR_G@3", "nCG"]
)
def test_differences_of_many_runs_are_those_of_each_pair(measure):
    random = np.random.default_rng(3)
    ids = [f"d{number}" for number in range(9)]
    qrels = {}
    for number in range(4):
        judged = ids[: number + 1]
        qrels[f"q{number}"] = {doc: int(random.integers(0, 4)) for doc in judged}

    def random_ranking():
        return {doc: float(random.integers(0, 5)) for doc in random.permutation(ids)[:5]}

    runs = {name: {topic: random_ranking() for topic in qrels} for name in "ABCD"}
    result = ranges(qrels, runs, [measure])
    (standing,) = standings(study_of(qrels, runs), result.measures).values()
    records = [pair.record() for pair in result.differences if abs(pair.value) > 1e-12]
    assert standing.differences == len(records)
    assert standing.over_ties == count_unless_unknown(records, "stands_over_ties")
    assert standing.over_judgments == count_unless_unknown(records, "stands_over_judgments")
    for difference in result.differences:
        pair = {name: runs[name] for name in (difference.run, difference.other)}
        assert ranges(qrels, pair, [measure]).differences == (difference,)


def count_unless_unknown(records, name):
    """How many records have a field that is true, or None if one does not know it."""
    values = [record[name] for record in records]
    return None if None in values else sum(values)


def test_ranges_of_a_run_do_not_depend_on_the_other_runs():
    # Short runs are evaluated together. The lists differ in length, ties, order and topics.
    random = np.random.default_rng(5)
    ids = [f"d{d}" for d in range(9)]
    qrels = {f"q{n}": {d: int(random.integers(0, 3)) for d in ids[: n + 4]} for n in range(3)}
    runs = {}
    for number, name in enumerate("ABC"):
        scores = random.integers(0, 3 + 9 * number, (3, 9)).astype(float)
        runs[name] = {}
        for topic, row in zip(list(qrels)[number:], scores.tolist()):
            listed = random.permutation(ids)[: 3 + 3 * number].tolist()
            runs[name][topic] = dict(zip(listed, row))
    candidates = [*MEASURES, nDCG_JK(judged_only=True) @ 3, AP(judged_only=True), RR @ 3]
    measures = [measure for measure in candidates if has_ranges(measure)]
    assert len(measures) > 30
    together = ranges(qrels, runs, measures).values
    alone = []
    for name, run in runs.items():
        alone += ranges(qrels, {name: run}, measures).values
    assert sorted(together, key=str) == sorted(alone, key=str)
    assert all(row.ties or row.unjudged or row.note for row in together)


def test_unjudged_documents_of_a_tie_are_distinguished():
    # x and y are tied at the cutoff: the documents' ids decide, also between unjudged documents.
    runs = {"tied": {"q": {"x": 1.0, "y": 1.0}}, "x": {"q": {"x": 1.0}}, "y": {"q": {"y": 1.0}}}
    result = ranges({"q": {"a": 1}}, runs, ["CG@1"])
    assert {(pair.run, pair.other): pair.unjudged for pair in result.differences} == {
        ("tied", "x"): (-1, 1),
        ("tied", "y"): (0, 0),
        ("x", "y"): (-1, 1),
    }


def test_a_measure_with_too_many_judgments_has_a_note():
    qrels = {"q": {f"d{level}": level for level in range(12)}}
    run = {"q": {f"x{number}": float(-number) for number in range(40)}}
    runs = {"run": run, "short": {"q": {"x0": 1.0}}}
    result = ranges(qrels, runs, ["nERR", "nDCG_JK"])
    by_nerr, short_by_nerr, by_ndcg, _ = result.values
    assert short_by_nerr.unjudged is not None
    assert result.notes()[3:] == [f"nERR of run has no range over judgments: {by_nerr.note}."]
    assert "use a smaller cutoff" in by_nerr.note
    assert by_nerr.unjudged is None
    assert by_ndcg.unjudged is not None
    assert by_ndcg.note == ""


class OneExtreme(type(CG)):
    """CG that declares one extreme over the orders of ties."""

    NAME = "OneExtreme"
    TIES = ("min",)


class OtherExtreme(type(CG)):
    """CG that declares the other extreme."""

    NAME = "OtherExtreme"
    TIES = ("max",)


@pytest.mark.parametrize("measure", [OneExtreme() @ 1, OtherExtreme() @ 1, CG @ 1], ids=str)
def test_a_range_needs_both_extremes(measure):
    qrels = {str(topic): {"a": 3} for topic in range(60)}
    tied = {topic: {"a": 1.0, "x": 1.0} for topic in qrels}
    first = {topic: {"a": 1.0} for topic in qrels}
    orders = {str(n): {"q": order} for n, order in enumerate(brute_force.orders(tied["0"]))}
    values = evaluate({"q": {"a": 3}}, orders, [measure]).values
    assert set(values.ravel().tolist()) == {0, 3}
    runs = {"tied": tied, "first": first}
    result = ranges(qrels, runs, [measure])
    of_tied = result.values[0]
    (difference,) = result.differences
    standing = standings(study_of(qrels, runs), [measure])[measure]
    verdict = gate(qrels, {"old": first, "new": tied}, [measure], margin="5%").verdicts[0]
    answer = " ".join(map(str, result.answer()))
    if measure.TIES == type(CG).TIES:
        assert of_tied.ties == (0, 3)
        assert difference.ties == (-3, 0)
        assert standing.over_ties == 0
        assert verdict.stands_over_ties is False
        assert "Tied scores can move" in answer
    else:
        # One extreme says nothing about the other values, so no sign and no verdict stands.
        assert of_tied.ties is None
        assert difference.ties is None
        assert standing.over_ties is None
        assert verdict.stands_over_ties is None
        assert "Tied scores" not in answer


def test_tables():
    result = ranges(QRELS, RUNS, ["nDCG_JK@2", "ERR_G@2", "NDPM"])
    _, rows = result.table()
    assert [row[:2] for row in rows][:2] == [["nDCG_JK@2", "tied"], ["nDCG_JK@2", "holes"]]
    names = "stands_over_ties", "stands_over_judgments", "exact"
    records = [pair.record() for pair in result.differences]
    stands = [[record[name] for name in names] for record in records]
    assert stands == [[True, False, True], [True, False, False], [None, None, False]]
    assert result.notes()[2:] == [
        "NDPM of tied and holes has no range over ties: it is not computed.",
        "unjudged: the range over all judgments of the unjudged documents within the cutoff.",
        "NDPM of tied and holes has no range over judgments: "
        "judged_only=True leaves out unjudged documents.",
    ]
    # No sentence tells of ranges that are not shown.
    assert len(ranges(QRELS, RUNS, ["NDPM"]).notes()) == 3
    assert len(result.records()) == 3 * (2 + 1)
    judged = [(row[-2], row[-1]) for row in rows[:2]]
    assert [(f"{share}", count) for share, count in judged] == [
        ("67 %", "1 of 3"),
        ("25 %", "3 of 4"),
    ]
    counts = [(row["documents"], row["unjudged_documents"]) for row in result.records()[:2]]
    assert counts == [(3, 1), (4, 3)]


def test_the_sentences_name_the_pairs_that_can_turn_or_whose_ranges_overlap():
    """Of a normalised cascade and of muAP, no range of a difference over judgments is known."""
    result = ranges(QRELS, RUNS, ["nDCG_JK@2"])
    ties, judgments = map(str, result.answer())
    assert ties.endswith("; no pair changes its order.")
    assert judgments.endswith("; 1 pair of runs can change its order (tied against holes).")
    unknown = "; whether pairs of runs can change their order is not known"
    _, of_muap = map(str, ranges(QRELS, RUNS, ["muAP@2"]).answer())
    assert of_muap.endswith(f"{unknown}: the ranges of 1 pair overlaps (tied against holes).")
    alike = {"best": {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}, "worst": {"q": {"c": 1.0}}}
    _, apart = map(str, ranges(QRELS, alike, ["muAP@2"]).answer())
    assert apart.endswith(f"{unknown}.")
    assert "pair" not in str(ranges(QRELS, {"tied": RUNS["tied"]}, ["muAP@2"]).answer())


def test_the_picture_says_what_ties_and_what_judgments_can_move():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    result = ranges(QRELS, RUNS, ["nDCG_JK@2"])
    ties, judgments = map(str, result.answer())
    title = result.figure().texts[0].get_text().replace("\n", " ")
    assert title == f"{ties} {judgments}"


def test_a_range_below_four_decimals_has_ends_that_differ():
    scores = {f"d{number}": 3000.0 - number for number in range(3000)} | {"a": 0.5, "b": 0.5}
    (row,) = ranges({"q": {"a": 1}}, {"A": {"q": scores}}, ["nDCG_Burges"]).values
    lowest, highest = row.ties
    assert 0 < highest - lowest < 1e-4
    answer = str(ranges({"q": {"a": 1}}, {"A": {"q": scores}}, ["nDCG_Burges"]).answer()[0])
    assert answer.startswith("Tied scores can move nDCG_Burges of A between .08656 and .08657")
