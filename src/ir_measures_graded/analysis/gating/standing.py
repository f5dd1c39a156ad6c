"""Whether verdicts are certainly the same for every order of tied documents, and for every judgment
of unjudged documents.

Each topic has a lowest and a highest difference, and a lowest and a highest old value. A verdict
stands if all values between them lead to it. For the p-values of a family, each measure has the
values that are worst for the verdict, so that the correction needs no joint ranges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...evaluation.evaluation import Evaluation
from ...evaluation.named import Study
from ..ranges import differences_by_topic
from ..statistics.corrections import adjusted_p
from ..statistics.defaults import LEAST_TESTED_TOPICS
from ..statistics.noninferiority import (
    least_lower_bound,
    may_exceed_0,
    most_unseen,
    p_above_0,
)
from ..statistics.precision import EXACT, noise_of
from ..statistics.weighted import Sample
from .verdict import DIFFERS, HOLDS, SMALL, WORSE, Part, Rule, Verdict, sample_in


class _RangesByTopic(NamedTuple):
    """The ranges of differences and of old values of the topics that count, by kind, and the number
    of each topic among these."""

    by_kind: Mapping[str, tuple[np.ndarray, np.ndarray]]
    position: np.ndarray


Ranges = Mapping[Measure, _RangesByTopic]


@dataclass(frozen=True, eq=False)
class _Ends:
    """The lowest and the highest difference of each topic, above 0 if the new run is better, and
    the lowest and the highest old value (2 × topics)."""

    low: np.ndarray
    high: np.ndarray
    old: np.ndarray
    sample: Sample
    rule: Rule
    smaller_is_better: bool

    @property
    def noise(self) -> float:
        """How large a rounding error can be."""
        return noise_of(self.old)

    @property
    def are_equal(self) -> bool:
        """Whether nothing can change."""
        widest = max(np.ptp(self.old, axis=0).max(), (self.high - self.low).max())
        return bool(widest <= self.noise)

    @property
    def within(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The ends of the values whose true means must all be above 0."""
        least, most = self.rule.margin.allowed(self.old)
        within = [(least + self.low, most + self.high)]
        if self.rule.equivalent:
            within.append((least - self.high, most - self.low))
        return within

    @property
    def old_means(self) -> np.ndarray:
        """The lowest and the highest mean of the old run."""
        return self.sample.mean(self.old)

    def is_certain(self, ends: tuple[np.ndarray, np.ndarray], level: float) -> bool:
        """Whether all values between the ends show a mean above 0."""
        low, high = ends
        if self.are_equal:
            return p_above_0(low, self.sample, self.noise) < level
        may_be_equal = low.max() <= high.min()
        if may_be_equal and 2.0**-low.size >= level:
            return False
        return least_lower_bound(low, high, level, self.sample) > 0

    def is_possible(self, ends: tuple[np.ndarray, np.ndarray], level: float) -> bool:
        """Whether some values between the ends may show a mean above 0."""
        if self.are_equal:
            return self.is_certain(ends, level)
        return may_exceed_0(*ends, level, self.sample)

    @property
    def worse(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the values whose true mean is above 0 if the new run is worse."""
        return -self.high, -self.low

    def is_certainly_worse(self, level: float) -> bool:
        """Whether p of "worse", or "differs", is below the level for all values."""
        if not self.rule.equivalent:
            return self.is_certain(self.worse, level)
        better = self.low, self.high
        return self.is_certain(self.worse, level / 2) or self.is_certain(better, level / 2)

    def is_possibly_worse(self, level: float) -> bool:
        """Whether p of "worse", or "differs", may be below the level for some values."""
        if not self.rule.equivalent:
            return self.is_possible(self.worse, level)
        better = self.low, self.high
        return self.is_possible(self.worse, level / 2) or self.is_possible(better, level / 2)

    def keeps_means(self, verdict: str) -> bool:
        """Whether all values lead to the verdict of a rule on means alone."""
        noise = EXACT * float(self.rule.margin.allowed(self.old_means).max())
        least = [float(self.sample.mean(low)) for low, _ in self.within]
        most = [float(self.sample.mean(high)) for _, high in self.within]
        if verdict == HOLDS:
            return min(least) >= -noise
        return min(most) < -noise

    @property
    def is_certainly_within(self) -> bool:
        """Whether all values show that the loss is within the margin."""
        level = self.rule.level
        return all(self.is_certain(ends, level) for ends in self.within)

    @property
    def is_possibly_within(self) -> bool:
        """Whether some values may show that the loss is within the margin, or none changes."""
        if self.least_changed == 0:
            return True
        level = self.rule.level
        return all(self.is_possible(ends, level) for ends in self.within)

    @property
    def least_changed(self) -> int:
        """The number of topics that certainly change."""
        changes = (self.low > self.noise) | (self.high < -self.noise)
        return int(changes.sum())

    @property
    def most_changed(self) -> int:
        """The number of topics that may change."""
        may_change = np.maximum(np.abs(self.low), np.abs(self.high)) > self.noise
        return int(may_change.sum())

    @property
    def are_losses_certainly_few(self) -> bool:
        """Whether the topics that lose half of their value never forbid that the verdict holds."""
        if self.most_changed == 0 or self.least_changed >= LEAST_TESTED_TOPICS:
            return True
        losses = -self.low
        if self.rule.equivalent:
            losses = np.maximum(losses, self.high)
        least_whole, _ = self._wholes
        lost = (losses > 0) & (losses >= least_whole / 2 - self.noise)
        return self._unseen(lost) <= min(map(self.rule.margin.share, self._mean_sizes))

    @property
    def are_losses_possibly_few(self) -> bool:
        """Whether the topics that lose half of their value may allow that the verdict holds."""
        if self.least_changed == 0 or self.most_changed >= LEAST_TESTED_TOPICS:
            return True
        losses = -self.high
        if self.rule.equivalent:
            losses = np.maximum(losses, self.low)
        _, most_whole = self._wholes
        lost = (losses > 0) & (losses >= most_whole / 2 + self.noise)
        return self._unseen(lost) <= max(map(self.rule.margin.share, self._mean_sizes))

    def _unseen(self, lost: np.ndarray) -> float:
        """The largest share of all topics that may be lost, if these of the sample are."""
        return most_unseen(int(lost.sum()), lost.size, self.rule.level)

    @property
    def _mean_sizes(self) -> list[float]:
        """The least and the largest size of the old mean."""
        lowest, highest = self.old_means.tolist()
        sizes = [abs(lowest), abs(highest)]
        least = min(sizes)
        if lowest < 0 < highest:
            least = 0.0
        return [least, max(sizes)]

    @property
    def _wholes(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of each topic of which a lost one loses half."""
        sizes = np.abs(self.old)
        has_both_signs = (self.old[0] < 0) & (self.old[1] > 0)
        least = np.where(has_both_signs, 0.0, sizes.min(axis=0))
        most = sizes.max(axis=0)
        if self.smaller_is_better:
            least_mean, most_mean = self._mean_sizes
            least = np.maximum(least, least_mean)
            most = np.maximum(most, most_mean)
        return least, most


def ranges_of(study: Study, evaluation: Evaluation) -> Ranges:
    """The ranges by each measure, as far as they are known."""
    old_run, new_run = study.runs
    ranges = {}
    for measure, is_skipped in zip(evaluation.measures, evaluation.skipped, strict=True):
        counts = evaluation.has_weight & ~is_skipped
        by_kind = differences_by_topic(measure, new_run, old_run)
        ranges[measure] = _RangesByTopic(by_kind, np.cumsum(counts) - 1)
    return ranges


def with_standing(
    parts: Sequence[Part], verdicts: Sequence[Verdict], rule: Rule, ranges: Ranges
) -> list[Verdict]:
    """The verdicts of a family, each with whether it stands over ties and over judgments.

    It stays unknown for a measure without such ranges.
    """
    members = [(part, measure) for part in parts for measure in part.evaluation.measures]
    ties = [_ends(part, measure, ranges, "ties", rule) for part, measure in members]
    judgments = [_ends(part, measure, ranges, "unjudged", rule) for part, measure in members]
    over_ties = _standing(verdicts, ties, rule)
    over_judgments = _standing(verdicts, judgments, rule)
    with_facts = []
    for number, verdict in enumerate(verdicts):
        with_facts.append(
            replace(
                verdict,
                stands_over_ties=over_ties[number],
                stands_over_judgments=over_judgments[number],
                may_turn=_may_turn(verdict, judgments[number]),
            )
        )
    return with_facts


def _ends(part: Part, measure: Measure, ranges: Ranges, kind: str, rule: Rule) -> _Ends | None:
    """The ends over the topics of a part; None if they are not known."""
    by_kind, position = ranges[measure]
    if kind not in by_kind:
        return None
    differences, old = by_kind[kind]
    sign = sign_of(measure)
    topics = position[part.places[part.evaluation.paired_topics(measure)]]
    low, high = np.sort(sign * differences[:, topics], axis=0)
    sample = sample_in(part.evaluation, measure)
    return _Ends(low, high, np.sort(old[:, topics], axis=0), sample, rule, sign < 0)


def _standing(
    verdicts: Sequence[Verdict], ends: Sequence[_Ends | None], rule: Rule
) -> list[bool | None]:
    """Whether each verdict of a family stands, by its ends; None if these are not known."""
    largest_p, least_p = _extremes_of_p(verdicts, ends, rule)
    stands: list[bool | None] = []
    for number, (verdict, of_verdict) in enumerate(zip(verdicts, ends, strict=True)):
        if of_verdict is None or verdict.verdict == SMALL:
            stands.append(None)
            continue
        if rule.by_mean:
            stands.append(of_verdict.keeps_means(verdict.verdict))
            continue
        is_certainly_worse = bool(largest_p[number] < rule.level)
        is_possibly_worse = bool(least_p[number] < rule.level)
        stands.append(_stands(verdict, of_verdict, is_certainly_worse, is_possibly_worse))
    return stands


def _stands(
    verdict: Verdict, ends: _Ends, is_certainly_worse: bool, is_possibly_worse: bool
) -> bool:
    """Whether all values between the ends lead to the verdict."""
    if ends.are_equal:
        # Only the correction for the other measures can change.
        if verdict.verdict in (WORSE, DIFFERS):
            return is_certainly_worse
        is_within = verdict.p_holds < ends.rule.level
        return verdict.verdict == HOLDS or is_within or not is_possibly_worse
    if verdict.verdict == HOLDS:
        return ends.is_certainly_within and ends.are_losses_certainly_few
    if verdict.verdict in (WORSE, DIFFERS):
        return is_certainly_worse and not ends.is_possibly_within
    if ends.is_certainly_within and not ends.are_losses_possibly_few:
        return True
    if is_possibly_worse:
        return False
    return not (ends.is_possibly_within and ends.are_losses_possibly_few)


def _extremes_of_p(
    verdicts: Sequence[Verdict], ends: Sequence[_Ends | None], rule: Rule
) -> tuple[np.ndarray, np.ndarray]:
    """The largest and the least corrected p of "worse" for all values, as far as verdicts need
    them."""
    is_tested = np.array([verdict.verdict != SMALL for verdict in verdicts], dtype=bool)
    family = int(is_tested.sum())
    levels = [rule.level / count for count in range(family, 0, -1)]
    largest = np.ones(len(ends))
    least = np.zeros(len(ends))
    for number, of_verdict in enumerate(ends):
        if of_verdict is None or not is_tested[number]:
            continue
        for level in levels:
            if of_verdict.is_certainly_worse(level):
                largest[number] = level * (1 - EXACT)
                break
        for level in reversed(levels):
            if not of_verdict.is_possibly_worse(level):
                least[number] = level * (1 + EXACT)
                break
    largest[is_tested] = adjusted_p(largest[is_tested])
    least[is_tested] = adjusted_p(least[is_tested])
    return largest, least


def _may_turn(verdict: Verdict, ends: _Ends | None) -> bool | None:
    """Whether some values turn the sign of the difference of a run that is worse or differs."""
    if ends is None or verdict.verdict not in (WORSE, DIFFERS):
        return None
    if sign_of(verdict.measure) * verdict.difference > 0:
        return bool(ends.sample.mean(ends.low) <= 0)
    return bool(ends.sample.mean(ends.high) >= 0)
