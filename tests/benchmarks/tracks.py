"""Time and memory of analyses at the size of a track: a hundred runs, MS MARCO's topics, a leaderboard.

    python tests/benchmarks/tracks.py [--only CASE …] [--json FILE]

CASE is a key of `CASES`, by default all. Each runs in a process of its own, which makes the data from a fixed
seed. It prints the seconds of the call without those of the data, and the peak of memory.
"""

import resource
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measuring import MB, Report, in_fresh_process, options, seconds

from ir_measures_graded import analysis, nDCG_JK
from ir_measures_graded.analysis import Evaluation

MEASURES = ("nDCG_JK@10", "ERR_G@10", "AP")
Collection = tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]


def collection(runs: int, topics: int, documents: int, judged: int, levels: tuple[int, ...]) -> Collection:
    """Qrels, and runs that retrieve `documents` of about twice as many; good runs rank by level."""
    random = np.random.default_rng(47)
    qrels, made = {}, {f"run{number:03}": {} for number in range(runs)}
    for topic in map(str, range(1, topics + 1)):
        level = random.choice(levels, judged)
        qrels[topic] = {f"d{number}": int(each) for number, each in enumerate(level)}
        ids = [f"d{number}" for number in range(2 * documents)]
        gain = np.zeros(len(ids))
        gain[: min(judged, len(ids))] = level[: len(ids)]
        for number, of_run in enumerate(made.values()):
            score = np.round(gain * number / runs + 2 * random.random(len(ids)), 2)  # some are tied
            best = np.argsort(-score)[:documents].tolist()
            of_run[topic] = {ids[place]: float(score[place]) for place in best}
    return qrels, made


def leaderboard(systems: int, topics: int = 50) -> Evaluation:
    """Values of systems that differ in quality, on topics that differ in difficulty."""
    random = np.random.default_rng(47)
    values = random.normal(np.linspace(0.2, 0.6, systems)[:, None] + random.normal(0, 0.1, topics), 0.1)
    names, topic_names = (f"system{n:03}" for n in range(systems)), map(str, range(topics))
    return Evaluation(tuple(names), (nDCG_JK @ 10,), tuple(topic_names), values.clip(0, 1)[:, None])


def track(runs: int = 100) -> Collection:
    """A hundred runs on 50 topics with 60 judged documents each."""
    return collection(runs, topics=50, documents=100, judged=60, levels=(0, 0, 0, 1, 1, 2, 3))


def drawn(result: Any) -> None:
    """Draw the figure of a result as a file."""
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "figure.png")


CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "report, 100 runs × 50 topics × 3 measures": (
        track, lambda data: len(analysis.report(*data, MEASURES).html)
    ),
    "curves, 100 runs, with the figure": (
        track, lambda data: drawn(analysis.curves(*data, "nDCG_JK@100"))
    ),
    "ranges, 5 runs × 6,980 topics": (
        lambda: collection(5, 6980, 50, 1, (1,)), lambda data: analysis.ranges(*data, ["nDCG_JK@10"])
    ),
    "ranges, 24 runs × 53 topics, two cutoffs": (
        lambda: collection(24, 53, 100, 200, (0, 0, 1, 2, 3)),
        lambda data: analysis.ranges(*data, ["nDCG_JK(b=2)@10", "nDCG_JK(b=2)@20"]),
    ),
    "compare, 100 systems, the figure": (
        lambda: analysis.compare(leaderboard(100)), drawn
    ),
    "compare, 500 systems, the text": (
        lambda: leaderboard(500), lambda data: len(str(analysis.compare(data)))
    ),
    "power, 500 systems, the text": (
        lambda: leaderboard(500), lambda data: len(str(analysis.power(data)))
    ),
}  # fmt: skip
"""For each case the function that makes its data, and the one that is measured."""


def measured(case: str) -> tuple[float, int]:
    """The seconds of a case, and the peak memory of this process."""
    make, call = CASES[case]
    data = make()
    taken = seconds(lambda: call(data))
    return taken, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(argv: Sequence[str] | None = None) -> None:
    with Report(options(__doc__, argv)) as report:
        for case in filter(report.wanted, CASES):
            taken, peak = in_fresh_process(measured, case)
            report.row("Analyses at the size of a track", analysis=case, s=taken, peak_MB=peak / MB)


if __name__ == "__main__":
    main()
