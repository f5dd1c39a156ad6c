"""The definitions once more, plain and slow: loops over ranks, Python floats, one topic at a time.

Nothing here is shared with the package, so that agreement means something.
"""

import ctypes
import math
from collections.abc import Mapping, Sequence

from ir_measures_graded import GradedMeasure

Documents = Mapping[str, float]


def as_float32(score: float) -> float:
    return ctypes.c_float(score).value


def order(run: Documents) -> list[str]:
    """Documents by score descending, compared as 32-bit floats, then by id descending."""
    return sorted(run, key=lambda doc: (as_float32(run[doc]), doc), reverse=True)


def gain(level: float, gains: Mapping[float, float]) -> float:
    return gains[level] if level in gains else max(level, 0)


def run_gains(
    qrels: Documents, run: Documents, gains: Mapping[float, float], judged_only: bool
) -> list[float]:
    """G: the gain at each rank of the run's whole list."""
    listed = [doc for doc in order(run) if doc in qrels or not judged_only]
    return [gain(qrels[doc], gains) if doc in qrels else 0 for doc in listed]


def ideal_gains(qrels: Documents, gains: Mapping[float, float]) -> list[float]:
    """I: the gains of all judged documents, descending."""
    return sorted((gain(level, gains) for level in qrels.values()), reverse=True)


def vector(gains: Sequence[float], k: int, discount) -> list[float]:
    """The running sum of discounted gains at ranks 1…k; beyond the list's end there is nothing."""
    total, sums = 0.0, []
    for rank in range(1, k + 1):
        if rank <= len(gains):
            total += discount(gains[rank - 1], rank)
        sums.append(total)
    return sums


def cg(measure):
    return lambda gain, rank: gain


def dcg_jk(measure):
    b = measure["b"]
    return lambda gain, rank: gain if rank < b else gain / math.log(rank, b)


def ndcng(measure, m):
    return lambda gain, rank: (2 ** (gain / m) - 1) / math.log(rank + 1)


def cumulated_gain(measure: GradedMeasure, qrels: Documents, run: Documents) -> float:
    """The value of one topic under any of the cumulated gain measures."""
    listed = run_gains(qrels, run, measure["gains"], measure["judged_only"])
    ideal = ideal_gains(qrels, measure["gains"])
    if not any(g > 0 for g in ideal):
        return 0.0
    k = measure["cutoff"] or max(len(listed), len(qrels))

    if measure.NAME in ("CG", "nCG"):
        discount = cg(measure)
    elif measure.NAME in ("DCG_JK", "nDCG_JK"):
        discount = dcg_jk(measure)
    else:
        assert measure.NAME == "NDCNG"
        discount = ndcng(measure, measure["max_gain"] or ideal[0])

    values = vector(listed, k, discount)
    if measure.NAME.startswith(("n", "N")):
        best = vector(ideal, k, discount)
        values = [value / most for value, most in zip(values, best)]
    return sum(values) / k if measure["avg"] else values[-1]
