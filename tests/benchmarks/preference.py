"""Time and memory of the measures that compare two orders: one topic, 1,000 to 1,000,000 judged documents.

    python tests/benchmarks/preference.py [DOCUMENTS …]

The scale has as many levels as there are documents, so some documents share a level and some do not; the
same holds for scores. `seconds` is the time of the measure alone, given the judged ranks, and `from dicts`
that of the whole call, each the minimum of three; `peak` is the peak memory of the measure alone. If memory
is linear, bytes per document are constant; if time is O(n log n), microseconds per document grow no faster
than the logarithm of the number of documents.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from ir_measures_graded import NDPM, GradedMeasure, KendallTau, Spearman, muAP
from ir_measures_graded.inputs.tables import read_qrels, read_run
from ir_measures_graded.measures.topics import Topics
from ir_measures_graded.ranking.judged import Judged
from ir_measures_graded.ranking.ranks import judged_ranks

DOCUMENTS = (1_000, 10_000, 100_000, 1_000_000)
MEASURES = (NDPM, KendallTau, KendallTau(variant="c"), Spearman, muAP)
HEAD = "{:24}{:>10}{:>9}{:>12}{:>8}{:>10}{:>11}"
ROW = "{!s:24}{:>10,}{:>9.4f}{:>12.4f}{:>8.2f}{:>7.1f} MB{:>11.0f}"

Documents = dict[str, dict[str, float]]


def one_topic(documents: int) -> tuple[Documents, Documents]:
    """Qrels and a run that retrieves every judged document; its scores are levels plus noise."""
    random = np.random.default_rng(documents)
    ids = [f"d{number}" for number in range(documents)]
    levels = random.integers(0, documents, documents)
    scores = np.round(levels / documents + random.normal(size=documents), 4)
    return {"q": dict(zip(ids, levels.tolist()))}, {"q": dict(zip(ids, scores.tolist()))}


def seconds(call: Callable[[], Any]) -> float:
    """The minimum processor time of three calls."""
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def peak(call: Callable[[], Any]) -> int:
    """The peak number of bytes that a call allocates."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def report(measure: GradedMeasure, documents: int) -> str:
    qrels, run = one_topic(documents)
    ranks = judged_ranks(Judged(read_qrels(qrels)), read_run(run))

    def values() -> Any:
        return measure.values(Topics(ranks, {}, None))  # a new object, because Topics caches

    alone = seconds(values)
    whole = seconds(lambda: measure.calc_aggregate(qrels, run))
    most = peak(values)
    each = alone / documents * 1e6, most / 1e6, most / documents
    return ROW.format(measure, documents, alone, whole, *each)


def main(sizes: tuple[int, ...]) -> None:
    print(HEAD.format("measure", "documents", "seconds", "from dicts", "µs/doc", "peak", "bytes/doc"))
    for measure in MEASURES:
        for documents in sizes:
            print(report(measure, documents), flush=True)


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or DOCUMENTS)
