"""Effort: the paper's example, brute force over cutoffs, and curves that do not reach a value."""

import numpy as np
import pytest

from ir_measures_graded import CG, DCG_JK, NDPM, nDCG_JK
from ir_measures_graded.analysis import effort, evaluate

DEPTH = 12
PAPER = {
    "qrels": {f"d{rank}": level for rank, level in enumerate([3, 3, 3, 2, 2, 2, 1, 1, 1, 1])},
    "run": ["d0", "d3", "d1", "x", "y", "d6", "d4", "d5", "d2", "z"],
}
"""G' and I' of Järvelin & Kekäläinen 2002, section 2.1."""


def test_the_example_of_the_paper_is_read_across():
    """CG' = 3, 5, 8, 8, 8, 9, 11, 13, 16, 16; ideal 3, 6, 9, 11, 13, 15, 16, 17, 18, 19."""
    qrels, runs = {"q": PAPER["qrels"]}, {"G": {"q": PAPER["run"]}}
    result = effort(qrels, runs, "CG@10", at=[1, 2, 3, 4, 5, 7, 8])
    documents = [row["documents"] for row in result.records() if row["run"] == "G"]
    assert documents == [1, 3, 6, 7, 8, 9, None]
    assert result.answer()[4] == (
        "G needs 3 more documents than the ideal list for the CG of 13.0000 "
        "that the ideal list has at rank 5."
    )
    assert result.answer()[6] == (
        "No run reaches the CG of 17.0000 that the ideal list has at rank 8 within 10 ranks."
    )
    assert result.tables()[0].rows[1] == ["G", "1 (+0)", "3 (+1)", "6 (+3)", "7 (+3)", "8 (+3)",
                                          "9 (+2)", "> 10"]  # fmt: skip


def collection(seed):
    random = np.random.default_rng(seed)
    docs = [f"d{number}" for number in range(15)]
    qrels = {
        f"q{topic}": {doc: int(random.integers(0, 4)) for doc in docs[:9]} for topic in range(5)
    }
    runs = {}
    for name in "ABC":
        runs[name] = {topic: random.permutation(docs).tolist() for topic in qrels}
    return qrels, runs


@pytest.mark.parametrize("measure", [CG, DCG_JK(b=3), nDCG_JK, NDPM], ids=str)
@pytest.mark.parametrize("baseline", [None, "B", "ideal"])
def test_documents_are_the_first_cutoff_that_reaches_the_value(measure, baseline):
    qrels, runs = collection(4)
    result = effort(qrels, runs, measure, DEPTH, baseline=baseline)
    cut = [measure @ rank for rank in range(1, DEPTH + 1)]
    everything = runs
    if "ideal" in result.runs:
        ideal = {topic: sorted(docs, key=lambda doc: -docs[doc]) for topic, docs in qrels.items()}
        everything = {"ideal": ideal, **runs}
    means = evaluate(qrels, everything, cut).means()
    sign = -1 if measure == NDPM else 1
    if baseline is None:
        assert result.baseline == max(
            runs, key=lambda run: sign * means[[*everything].index(run), -1]
        )
    base = means[result.runs.index(result.baseline)]
    np.testing.assert_allclose(result.values, base, rtol=1e-14)
    for number, of_run in enumerate(means):
        for rank, value in enumerate(base):
            reached = [k + 1 for k in range(DEPTH) if sign * (of_run[k] - value) >= -1e-12]
            assert np.array_equal(
                result.documents[number, rank], reached[0] if reached else np.nan, equal_nan=True
            )
    falls = [
        run for run, of_run in zip(everything, means) if (sign * np.diff(of_run) < -1e-12).any()
    ]
    assert list(result.falling) == falls
    assert any("falls" in note for note in result.notes()) == bool(falls)
    own = result.runs.index(result.baseline)
    assert (result.more[own] == 0).all()


def test_a_baseline_that_falls_has_no_effort():
    qrels = {"q": {"a": 3, "b": 2, "c": 1}}
    runs = {"one": {"q": ["a", "x", "b"]}, "two": {"q": ["b", "x", "y", "a"]}}
    result = effort(qrels, runs, "nCG", 3, at=[1, 2])
    assert result.falling == ("one", "two")
    first, second = map(str, result.answer())
    assert first == "No other run reaches the nCG of 1.0000 that one has at rank 1 within 3 ranks."
    assert second == (
        "one reaches the nCG of .6000 that it has at rank 2 at rank 1 already, so its ranks do not "
        "tell the effort."
    )
    (axes,) = result.figure().axes
    assert (np.diff(axes.get_lines()[0].get_xdata()) > 0).all()
