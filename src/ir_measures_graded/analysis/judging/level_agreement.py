"""The agreement of a machine with the human on the levels of documents.

For the documents that both judged: the number of each pair of levels (confusion matrix), Cohen's κ
and Krippendorff's α (`statistics.levels`) with percentiles over resampled topics, and the bias of
the machine. The bias is the mean over topics that count by their documents, so its interval is
Student's for weighted topics (`statistics.weighted`), which holds with few topics as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ...core.budget import within_budget
from ...core.ranking.gains import plain_number
from ...errors import GradedError
from ..statistics.levels import of_levels
from ..statistics.resampling import in_parts, resampled_topics
from ..statistics.student import mean_interval
from .panel import Panel
from .percentiles import Sampling, Statistic

MOST_LEVELS: Final = 12
"""The levels have a table, and κ of each division, if there are at most so many."""
BIAS: Final = "bias"
"""The name of the mean of the machine's level minus the human's."""
MOST_PAIRS: Final = 1_000_000_000
"""Pairs of levels in topics of all resamples together, which takes a minute."""


@dataclass(frozen=True, eq=False)
class LevelAgreement:
    """What `JudgeAgreement` has on levels: the confusion matrix, counts, κ and α, the bias, and the
    number of topics."""

    confusion: np.ndarray
    counts: dict[str, float]
    statistics: dict[str, Statistic]
    bias: Statistic
    topics: int


class PairCounts(NamedTuple):
    """The numbers of documents by topic, human level and machine level, without zeros, sorted by
    the levels.

    `topic` and `documents` have an entry for each. `starts` are the first entries of each pair of
    levels, whose numbers are `human` and `machine`.
    """

    topic: np.ndarray
    documents: np.ndarray
    starts: np.ndarray
    human: np.ndarray
    machine: np.ndarray

    @classmethod
    def of(cls, pairs: Sequence[np.ndarray], levels: np.ndarray) -> PairCounts:
        """From the levels by both judges (documents × judges) in each topic."""
        topic = np.repeat(np.arange(len(pairs)), [len(of_topic) for of_topic in pairs])
        human, machine = np.searchsorted(levels, np.concatenate(pairs)).T
        cells, documents = np.unique([human, machine, topic], axis=1, return_counts=True)
        human, machine, topic = cells
        is_start = np.diff(human, prepend=-1) | np.diff(machine, prepend=-1)
        starts = np.flatnonzero(is_start)
        return cls(topic, documents, starts, human[starts], machine[starts])

    @property
    def totals(self) -> np.ndarray:
        """The number of documents of each pair of levels."""
        return np.add.reduceat(self.documents, self.starts)

    def sums(self, weights: np.ndarray) -> np.ndarray:
        """The number of documents of each pair of levels, with weights of the topics."""
        return np.add.reduceat(weights[:, self.topic] * self.documents, self.starts, axis=1)

    def bias(self, of_cells: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """The mean of the machine's level minus the human's, of so many documents (… × pairs)."""
        differences = levels[self.machine] - levels[self.human]
        largest = np.abs(differences).max() or 1.0  # sums of huge differences would overflow
        return np.asarray(of_cells @ (differences / largest) / of_cells.sum(axis=-1) * largest)


def level_pairs(panel: Panel) -> list[np.ndarray]:
    """The levels of the documents that both judged (documents × judges), by topic.

    Raises `GradedError` if there is no such document.
    """
    pairs = []
    for topic in panel.both:
        by_machine = panel.machine[topic]
        levels = []
        for document, level in panel.human[topic].items():
            if document in by_machine:
                levels.append((level, by_machine[document]))
        if levels:
            pairs.append(np.array(levels, dtype=float))
    if not pairs:
        raise GradedError(
            f"no document is judged by both {panel.human_name} and {panel.name}; compare their ids"
        )
    return pairs


class TopicAgreement(NamedTuple):
    """The agreement on a topic: the number of documents that both judged and the share with the
    `same` level, the mean absolute `gap` of the levels, and the `document` whose levels are the
    farthest apart, with both levels; none if all are equal."""

    topic: str
    documents: int
    same: float
    gap: float
    document: str | None
    human: float | None
    machine: float | None


def topic_agreements(panel: Panel, pairs: Sequence[np.ndarray]) -> tuple[TopicAgreement, ...]:
    """The agreement on each topic with `pairs`, the largest gap first."""
    agreements = []
    remaining = iter(pairs)
    for topic in panel.both:
        by_human = panel.human[topic]
        by_machine = panel.machine[topic]
        documents = [document for document in by_human if document in by_machine]
        if not documents:
            continue
        levels = next(remaining)
        gaps = np.abs(levels[:, 0] - levels[:, 1])
        mean_gap = float((gaps / gaps.size).sum())  # the sum of huge gaps would overflow
        same = float((gaps == 0).mean())
        farthest: tuple[str | None, float | None, float | None] = (None, None, None)
        if gaps.any():
            row = int(gaps.argmax())
            human, machine = map(plain_number, levels[row].tolist())
            farthest = (documents[row], human, machine)
        agreements.append(TopicAgreement(topic, len(documents), same, mean_gap, *farthest))
    agreements.sort(key=lambda agreement: -agreement.gap)
    return tuple(agreements)


def level_agreement(
    panel: Panel, pairs: Sequence[np.ndarray], levels: np.ndarray, sampling: Sampling
) -> LevelAgreement:
    """The agreement on the levels of the `pairs`; `levels` are those of all judges, sorted."""
    counts = PairCounts.of(pairs, levels)
    has_table = levels.size <= MOST_LEVELS
    confusion = np.zeros((0, 0), dtype=np.int64)
    if has_table:
        confusion = np.zeros((levels.size, levels.size), dtype=np.int64)
        confusion[counts.human, counts.machine] = counts.totals

    def agreement_in(weights: np.ndarray) -> dict[str, np.ndarray]:
        of_cells = counts.sums(weights)
        return of_levels(of_cells, counts.human, counts.machine, levels, has_table)

    count = counts.documents.size
    what = f"{sampling.resamples:,} resamples of {count:,} pairs of levels in topics"
    steps = sampling.resamples * count
    within_budget(what, steps, MOST_PAIRS, remedy="use fewer resamples")
    weights = resampled_topics(len(pairs), sampling.resamples, sampling.seed)
    by_resample = in_parts(agreement_in, counts.documents.size + levels.size, weights)
    statistics = {
        name: Statistic.of(values, sampling.confidence) for name, values in by_resample.items()
    }
    numbers = _counts(panel, counts, levels)
    bias = Statistic(numbers[BIAS], *_interval_of_bias(pairs, sampling.confidence))
    return LevelAgreement(confusion, numbers, statistics, bias, len(pairs))


def _interval_of_bias(
    pairs: Sequence[np.ndarray], confidence: float
) -> tuple[float | None, float | None]:
    """The interval of the bias over other topics; None for a single topic.

    The topics with their biases are a sample that was drawn evenly, and each counts by its
    documents.
    """
    if len(pairs) < 2:
        return None, None
    differences = [levels[:, 1] - levels[:, 0] for levels in pairs]
    largest = max(np.abs(of_topic).max() for of_topic in differences) or 1.0
    biases = np.array([(of_topic / largest).mean() for of_topic in differences])
    documents = np.array([of_topic.size for of_topic in differences], dtype=float)
    lower, upper = mean_interval(biases, confidence, weights=documents)
    return float(lower * largest), float(upper * largest)


def _counts(panel: Panel, counts: PairCounts, levels: np.ndarray) -> dict[str, float]:
    """The numbers of documents by their judges, the share with equal levels, and the bias."""
    totals = counts.totals
    documents = int(totals.sum())
    same = totals[counts.human == counts.machine].sum()
    by_human = sum(map(len, panel.human.values()))
    by_machine = sum(map(len, panel.machine.values()))
    return {
        "documents": documents,
        "unanswered": by_human - documents,
        "abstentions": panel.abstentions,
        "machine only": by_machine - documents,
        "same": float(same / documents),
        BIAS: float(counts.bias(totals, levels)),
    }
