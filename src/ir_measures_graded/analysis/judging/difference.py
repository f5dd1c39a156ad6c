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

from ...progress import steps
from ..statistics.student import student_interval
from .panel import Panel

LEAST_TOPICS: Final = 2
"""A single topic shows no spread."""


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
        return "not distinguishable"


def kappa_differences(
    panels: Sequence[Panel],
    kappas: Sequence[float | None],
    confidence: float,
    draws: int,
    seed: int,
) -> tuple[KappaDifference, ...]:
    """The differences of the best judge and each other one, the smallest difference first.

    `kappas` are those of the judges; one without a κ is left out. `draws` is the number of draws of
    the topics. Empty for fewer than two judges with a κ.
    """
    defined = [number for number, kappa in enumerate(kappas) if kappa is not None]
    if len(defined) < 2:
        return ()
    best = max(defined, key=lambda number: kappas[number] or 0.0)
    pairs = len(defined) * (len(defined) - 1) // 2
    simultaneous = confidence ** (1 / pairs)
    differences = []
    for number in steps(defined, "judges"):
        if number != best:
            difference = _difference(panels[best], panels[number], simultaneous, draws, seed)
            if difference is not None:
                differences.append(difference)
    return tuple(sorted(differences, key=lambda difference: difference.value))


def _difference(
    best: Panel, other: Panel, confidence: float, draws: int, seed: int
) -> KappaDifference | None:
    """The difference of two judges; None if no document is judged by both and the human, or κ is
    undefined."""
    counts = _Counts.of(best, other)
    if counts is None:
        return None
    topics = len(counts.documents)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(topics, np.full(topics, 1 / topics), draws)
    weights = np.concatenate([np.ones((1, topics), dtype=np.int64), drawn])
    values = counts.kappa(weights, 0) - counts.kappa(weights, 1)
    value = float(values[0])
    if np.isnan(value):
        return None
    lower = upper = None
    resampled = values[1:][~np.isnan(values[1:])]
    if topics >= LEAST_TOPICS and resampled.size > 1:
        error = resampled.std(ddof=1)
        lower, upper = map(float, student_interval(value, error, topics - 1, confidence))
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
            by_first, by_second = first.machine[topic], second.machine[topic]
            for document, level in first.human[topic].items():
                if document in by_first and document in by_second:
                    levels.append((level, by_first[document], by_second[document]))
            if levels:
                answers.append(np.array(levels, dtype=float))
        if not answers:
            return None
        scale = np.unique(np.concatenate(answers))
        sizes = np.array([len(of_topic) for of_topic in answers])
        same = [
            [(of_topic[:, 0] == of_topic[:, judge]).sum() for of_topic in answers]
            for judge in (1, 2)
        ]
        counts = [
            [(of_topic[:, judge, None] == scale).sum(axis=0) for of_topic in answers]
            for judge in (0, 1, 2)
        ]
        human, *machine = np.array(counts)
        return cls(sizes, np.array(same), human, np.array(machine))

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
