"""Whether two judges differ: the difference of their κ with the human, on the same documents.

Both judges have answered for the same documents of the same topics, so their κ are paired. Topics
are drawn with replacement, and both κ are computed in each draw. The interval is that of Student's
t with the standard deviation of the difference over the draws, and T − 1 degrees of freedom for T
topics. The best judge is chosen by its κ, so the intervals hold together for all pairs of judges
(Šidák).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from ...evaluation.order_of_runs import best_first
from ...progress import steps
from ..statistics.resampling import resampled_topics
from ..statistics.student import student_interval
from .panel import Panel
from .percentiles import Sampling

LEAST_TOPICS: Final = 2
"""A single topic shows no spread."""
NOT_SHOWN: Final = "not shown to differ"
"""The verdict of an interval with 0: few topics may not suffice to show a difference."""


class KappaDifference(NamedTuple):
    """κ of the best judge minus that of another judge, on the documents that both judged.

    `lower` and `upper` are None if there are too few topics.
    """

    best: str
    judge: str
    value: float
    lower: float | None
    upper: float | None
    topics: int
    documents: int

    @property
    def verdict(self) -> str:
        """Whether the interval excludes 0."""
        if self.lower is None or self.upper is None:
            return "too few topics"
        if self.lower > 0 or self.upper < 0:
            return "lower"
        return NOT_SHOWN


def kappa_differences(
    panels: Sequence[Panel],
    kappas: Sequence[float | None],
    sampling: Sampling,
) -> tuple[KappaDifference, ...]:
    """The differences of the best judge and each other one, the smallest difference first.

    `kappas` are those of the judges; one without a κ is left out. The level of `sampling` is that
    of all intervals together. Empty for fewer than two judges with a κ.
    """
    defined = [number for number, kappa in enumerate(kappas) if kappa is not None]
    if len(defined) < 2:
        return ()
    values = np.array(kappas, dtype=float)
    best = best_first(values, [panel.name for panel in panels])[0]
    pairs = len(defined) * (len(defined) - 1) // 2
    simultaneous = sampling._replace(confidence=sampling.confidence ** (1 / pairs))
    differences = []
    for number in steps(defined, "judges"):
        if number != best:
            difference = _difference(panels[best], panels[number], simultaneous)
            if difference is not None:
                differences.append(difference)
    return tuple(sorted(differences, key=lambda difference: (difference.value, difference.judge)))


def _difference(best: Panel, other: Panel, sampling: Sampling) -> KappaDifference | None:
    """The difference of two judges; None if no document is judged by both and the human, or κ is
    undefined."""
    counts = _Counts.of(best, other)
    if counts is None:
        return None
    topics = len(counts.documents)
    weights = resampled_topics(topics, sampling.resamples, sampling.seed)
    values = counts.kappa(weights, 0) - counts.kappa(weights, 1)
    value = float(values[0])
    if np.isnan(value):
        return None
    lower = None
    upper = None
    resampled = values[1:]
    resampled = resampled[~np.isnan(resampled)]
    if topics >= LEAST_TOPICS and resampled.size > 1:
        error = resampled.std(ddof=1)
        interval = student_interval(value, error, topics - 1, sampling.confidence)
        lower, upper = map(float, interval)
    documents = int(counts.documents.sum())
    return KappaDifference(best.name, other.name, value, lower, upper, topics, documents)


class _Counts(NamedTuple):
    """The numbers of documents by topic that the human and both machines judged.

    `documents` (topics) are all, `same` (machines × topics) those with the human's level, `human`
    (topics × levels) and `machine` (machines × topics × levels) those of each level.
    """

    documents: np.ndarray
    same: np.ndarray
    human: np.ndarray
    machine: np.ndarray

    @classmethod
    def of(cls, first: Panel, second: Panel) -> "_Counts | None":
        """The counts of two machines; None without a common document."""
        answers = []
        for topic in first.both:
            if topic not in second.both:
                continue
            levels = []
            by_first = first.machine[topic]
            by_second = second.machine[topic]
            for document, level in first.human[topic].items():
                if document in by_first and document in by_second:
                    levels.append((level, by_first[document], by_second[document]))
            if levels:
                answers.append(np.array(levels, dtype=float))
        if not answers:
            return None
        scale = np.unique(np.concatenate(answers))
        sizes = np.array([len(of_topic) for of_topic in answers])
        same = [_count_equal(answers, judge) for judge in (1, 2)]
        counts = [_count_levels(answers, judge, scale) for judge in (0, 1, 2)]
        human, *machines = counts
        return cls(sizes, np.array(same), human, np.array(machines))

    def kappa(self, weights: np.ndarray, machine: int) -> np.ndarray:
        """Cohen's κ of a machine with each of some weights of the topics (draws × topics); NaN if
        chance alone agrees."""
        documents = weights @ self.documents
        observed = weights @ self.same[machine] / documents
        of_human = weights @ self.human
        of_machine = weights @ self.machine[machine]
        expected = (of_human * of_machine).sum(axis=1) / documents**2
        chance = np.where(expected == 1, np.nan, 1 - expected)
        return np.asarray((observed - expected) / chance)


def _count_equal(answers: Sequence[np.ndarray], judge: int) -> list[int]:
    """The number of documents of each topic with the human's level by a machine."""
    return [int((levels[:, 0] == levels[:, judge]).sum()) for levels in answers]


def _count_levels(answers: Sequence[np.ndarray], judge: int, scale: np.ndarray) -> np.ndarray:
    """The number of documents of each level by a judge (topics × levels)."""
    return np.array([(levels[:, judge, None] == scale).sum(axis=0) for levels in answers])
