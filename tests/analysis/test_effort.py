"""Effort: the paper's example, brute force over cutoffs, and curves that do not reach a value."""

import numpy as np
import pytest

from ir_measures_graded import CG, DCG_JK, NDPM, nDCG_JK
from ir_measures_graded.analysis import effort, evaluate

DEPTH = 12
# G' and I' of Järvelin & Kekäläinen 2002, section 2.1.
PAPER_LEVELS = {f"d{rank}": level for rank, level in enumerate([3, 3, 3, 2, 2, 2, 1, 1, 1, 1])}
PAPER_RANKING = ["d0", "d3", "d1", "x", "y", "d6", "d4", "d5", "d2", "z"]


def test_the_example_of_the_paper_is_read_across():
    """CG' = 3, 5, 8, 8, 8, 9, 11, 13, 16, 16; ideal 3, 6, 9, 11, 13, 15, 16, 17, 18, 19."""
    runs = {"G": {"q": PAPER_RANKING}}
    result = effort({"q": PAPER_LEVELS}, runs, "CG@10", at=[1, 2, 3, 4, 5, 7, 8])
    documents = [row["documents"] for row in result.records() if row["run"] == "G"]
    assert documents == [1, 3, 6, 7, 8, 9, None]
    assert result.answer()[4] == (
        "G needs 3 more documents than the ideal list for the CG of 13.0000 "
        "that the ideal list has at rank 5."
    )
    assert result.answer()[6] == (
        "No run reaches the CG of 17.0000 that the ideal list has at rank 8 within 10 ranks."
    )
    row = ["G", "1 (+0)", "3 (+1)", "6 (+3)", "7 (+3)", "8 (+3)", "9 (+2)", "> 10"]
    assert result.tables()[0].rows[1] == row


def collection(seed):
    random = np.random.default_rng(seed)
    docs = [f"d{number}" for number in range(15)]
    judged = docs[:9]
    qrels = {f"q{topic}": {doc: int(random.integers(0, 4)) for doc in judged} for topic in range(5)}
    runs = {}
    for name in "ABC":
        runs[name] = {topic: random.permutation(docs).tolist() for topic in qrels}
    return qrels, runs


@pytest.mark.parametrize("measure", [CG, DCG_JK(b=3), nDCG_JK, NDPM], ids=str)
@pytest.mark.parametrize("baseline", [None, "B", "ideal"])
def test_documents_are_the_first_cutoff_that_reaches_the_value(measure, baseline):
    qrels, runs = collection(4)
    result = effort(qrels, runs, measure, DEPTH, baseline=baseline)
    rankings = runs
    if "ideal" in result.runs:
        ideal = {topic: sorted(docs, key=lambda doc: -docs[doc]) for topic, docs in qrels.items()}
        rankings = {"ideal": ideal, **runs}
    ranks = range(1, DEPTH + 1)
    means = evaluate(qrels, rankings, [measure @ rank for rank in ranks]).means()
    quality = -means if measure == NDPM else means
    of_run = dict(zip(rankings, quality))
    if baseline is None:
        assert result.baseline == max(runs, key=lambda run: of_run[run][-1])
    own = result.runs.index(result.baseline)
    np.testing.assert_allclose(result.values, means[own], rtol=1e-14)
    for documents, curve in zip(result.documents, quality):
        reached = [first_rank_with(curve, value) for value in quality[own]]
        np.testing.assert_array_equal(documents, reached)
    falling = [run for run, curve in of_run.items() if (np.diff(curve) < -1e-12).any()]
    assert list(result.falling) == falling
    notes = [note for note in result.notes() if "in some ranks" in note]
    assert len(notes) == bool(falling)
    if notes and measure is NDPM:
        assert "rises, which is worse, in some ranks" in notes[0]
    assert (result.more[own] == 0).all()


def first_rank_with(curve, value):
    """The first rank at which a curve is as high as a value, or nan."""
    ranks = np.flatnonzero(curve >= value - 1e-12) + 1
    return ranks[0] if ranks.size else np.nan


def test_a_baseline_that_falls_has_no_effort():
    qrels = {"q": {"a": 3, "b": 2, "c": 1}}
    runs = {"one": {"q": ["a", "x", "b"]}, "two": {"q": ["b", "x", "y", "a"]}}
    result = effort(qrels, runs, "nCG", 3, at=[1, 2])
    assert result.falling == ("one", "two")
    first, second = result.answer()
    assert first == "No other run reaches the nCG of 1.0000 that one has at rank 1 within 3 ranks."
    assert second == (
        "one reaches the nCG of .6000 that it has at rank 2 at rank 1 already, so its ranks do not "
        "tell the effort."
    )
    (axes,) = result.figure().axes
    assert (np.diff(axes.get_lines()[0].get_xdata()) > 0).all()


def test_a_run_that_is_the_baseline_is_compared_with_the_ideal_list():
    qrels = {"q": {"a": 3, "b": 2}}
    result = effort(qrels, {"mine": {"q": ["x", "b", "a"]}}, "CG", baseline="mine", at=[3])
    (answer,) = result.answer()
    assert str(answer).startswith("The ideal list needs 1 fewer document than mine for the CG of")
