"""The verdict by one measure: a non-inferiority test by topic, with a margin.

With d = new − old (mirrored if smaller values are better) and a margin δ, a topic's value is
e = d + δ·old for a relative margin, and e = d + δ for an absolute one. Bounds are one-sided 95 %
bounds of Student's t; of K `looks`, each has the level .05/K.

- holds: the lower bound of the mean of e is above 0. The new system is not worse by the margin.
- worse: it does not hold, and the upper bound of the mean of d is below 0, with Holm's correction
  for the measures.
- undecided: neither. `Verdict` tells how many topics are needed, and the smallest margin that the
  given topics can show, unless too few topics changed to show the spread.

Student's t sees losses that are spread over topics, and no rare failures: of n topics, a share of
1 − .05^(1/n) may fail unseen. If fewer than 10 topics differ, the verdict holds only if nothing
changed, or if the upper bound of the share of topics that lost at least half of their value is
within the margin. A run without any change holds by definition, however few the topics are; the
sentence of the verdict says so if they cannot exclude failures beyond the margin.

With `by_mean`, nothing is tested: a run holds unless its mean is worse by more than the margin.

With `equivalent`, for reproductions, the mean must also be below old by less than the margin in the
other direction (two one-sided tests), and a significant difference in any direction is ``differs``.

S. Wellek: Testing statistical hypotheses of equivalence and noninferiority. 2nd edition, 2010.
C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits. Biometrika 26, 1934.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...errors import GradedError
from ...evaluation.evaluation import Evaluation
from ...evaluation.value_columns import number_in
from ...output.formats import known
from ..comparing.tests import PValue
from ..statistics.corrections import adjusted_p
from ..statistics.defaults import LEAST_TESTED_TOPICS, POWER
from ..statistics.few_changes import are_few
from ..statistics.noninferiority import (
    most_unseen,
    p_above_0,
    quantile,
    standard_error,
)
from ..statistics.precision import EXACT, differences_of
from ..statistics.student import topics_needed
from ..statistics.weighted import Sample, WeightedSample, sample_of

HOLDS: Final = "holds"
WORSE: Final = "worse"
DIFFERS: Final = "differs"
UNDECIDED: Final = "undecided"
SMALL: Final = "too few topics"
STATUS: Final = {HOLDS: 0, WORSE: 1, DIFFERS: 1, UNDECIDED: 3}
"""The exit status of the command by verdict."""
DROP: Final = 0.1 + EXACT
"""A note counts topics that fall, or rise, by more than this."""
MOST_FALLEN_NAMED: Final = 5


@dataclass(frozen=True)
class Margin:
    """The loss that the new system may have: a share of the old values if `relative`, else a
    difference.

    >>> str(Margin.of("5%")), str(Margin.of(0.01))
    ('5 %', '0.01')
    """

    size: float
    relative: bool

    @classmethod
    def of(cls, margin: str | float) -> Margin:
        """The margin in a text such as ``5%`` or ``0.01``. Raises `GradedError` unless it is above
        0."""
        text = str(margin).strip()
        relative = text.endswith("%")
        size = number_in(text.removesuffix("%"))
        largest = np.inf
        if relative:
            size /= 100
            largest = 1
        if not 0 < size < largest:
            raise GradedError(
                f"margin={margin!r} is not allowed; give a share below 100%, as 5%, or 0.01"
            )
        return cls(size, relative)

    def allowed(self, old: np.ndarray) -> np.ndarray:
        """The loss that is allowed for each of the old values."""
        if self.relative:
            return self.size * old
        return self.size * np.ones_like(old)

    def share(self, old: float) -> float:
        """The loss that is allowed, as a share of the old mean; infinite if this is 0."""
        if self.relative:
            return self.size
        if old == 0:
            return np.inf
        return self.size / abs(old)

    def __str__(self) -> str:
        if self.relative:
            return f"{100 * self.size:.3g} %"
        return f"{self.size:.3g}"


@dataclass(frozen=True)
class Verdict:
    """The verdict by one measure, over all topics or over those of one `group`.

    `old` and `new` are means, `difference` is new − old, and `lower` and `upper` are its one-sided
    bounds, None for a single topic. The verdict holds if the bound on the side of a loss is within
    the margin; with a relative margin δ, this bound has the standard error of new − (1 − δ)·old.

    `p_holds` is the p-value of "holds". `p_worse` is that of "worse" (one-sided) or "differs"
    (two-sided), with Holm's correction for the measures. `p` is that of the claim that the verdict
    makes, None if it makes none. If t is undefined, because all topics agree, they are those of the
    exact sign-flip test: 2^−n or 1. `beyond` is true if the new run is certainly worse by more than
    the margin (upper bound of e below 0) or, if the runs should be equivalent, better by more.

    `changed` topics differ, and `lost` of them lost at least half of their value; at most the share
    `unseen` of all topics does so (the one-sided bound of Clopper and Pearson).

    For an undecided verdict, `reachable` is the smallest margin that as many topics show with
    probability .8 if there is no difference, and `needed` the number of topics for this margin.
    Both are None if fewer than 10 and fewer than half of the topics changed, because these do not
    show the spread. `stands_over_ties` and `stands_over_judgments` tell whether the verdict is the
    same for all orders of ties and for all judgments, None if this is not known. `may_turn` tells
    whether some judgments of the unjudged documents turn the sign of the difference of a run that
    is worse or differs, None if this is not known or asked. `fallen` are the topics that fell most,
    with the old and the new value; `drops` and `rises` count changes above 0.1.
    """

    measure: Measure
    group: str | None
    verdict: str
    topics: int
    old: float
    new: float
    difference: float
    lower: float | None
    upper: float | None
    p: float | None
    p_holds: float
    p_worse: float
    beyond: bool
    changed: int
    lost: int
    unseen: float
    fallen: tuple[tuple[str, float, float], ...]
    drops: int
    rises: int
    reachable: Margin | None = None
    needed: int | None = None
    stands_over_ties: bool | None = None
    stands_over_judgments: bool | None = None
    may_turn: bool | None = None

    @property
    def name(self) -> str:
        """The measure and the group."""
        if self.group:
            return f"{self.measure} in {self.group}"
        return str(self.measure)

    @property
    def shows_no_spread(self) -> bool:
        """Whether too few topics changed to show the spread of the differences."""
        return bool(are_few(np.array(self.changed), self.topics))

    def record(self) -> dict[str, Any]:
        """The numbers as a row for programs."""
        numbers = {name: value for name, value in vars(self).items() if name != "fallen"}
        reachable = None if self.reachable is None else str(self.reachable)
        return numbers | {"measure": str(self.measure), "reachable": reachable}


@dataclass(frozen=True)
class Rule:
    """How verdicts are reached: the margin, the level of every bound, whether no run may be better,
    and whether the means decide alone."""

    margin: Margin
    level: float
    equivalent: bool
    by_mean: bool = False

    def forbids(self, better: float, old: float) -> bool:
        """Whether the difference of the means, above 0 if the new run is better, is a loss above
        the margin, or, if the runs should be equivalent, a gain above it."""
        loss = -better
        if self.equivalent:
            loss = abs(better)
        allowed = float(self.margin.allowed(np.array(old)))
        return loss > allowed and not np.isclose(loss, allowed, EXACT, 0)


class Part(NamedTuple):
    """The evaluation of the topics of a group, or of all without one.

    `places` are the numbers of the topics among all.
    """

    group: str | None
    places: np.ndarray
    evaluation: Evaluation

    @classmethod
    def of_all(cls, evaluation: Evaluation) -> Part:
        """All topics."""
        return cls(None, np.arange(len(evaluation.topics)), evaluation)

    @classmethod
    def of_group(cls, group: str, rows: Sequence[int], evaluation: Evaluation) -> Part:
        """The topics of an evaluation with these numbers."""
        return cls(group, np.asarray(rows), evaluation.on(rows))


@dataclass(frozen=True, eq=False)
class _Change:
    """The values of both runs by one measure in each topic, and the loss that is allowed there.

    `difference` is new − old, and `better` the same, but above 0 if the new run is better. Numbers
    of at most `noise` are rounding errors. The topics are a `sample`, perhaps with weights.
    """

    old: np.ndarray
    new: np.ndarray
    difference: np.ndarray
    better: np.ndarray
    allowed: np.ndarray
    noise: float
    sample: Sample

    @classmethod
    def of(cls, evaluation: Evaluation, measure: Measure, margin: Margin) -> _Change:
        """The change over the topics with a value of both runs."""
        old, new = evaluation.paired(measure)
        difference, rounding = differences_of(new, old)
        better = sign_of(measure) * difference
        sample = sample_in(evaluation, measure)
        return cls(old, new, difference, better, margin.allowed(old), float(rounding), sample)

    @property
    def within_loss(self) -> np.ndarray:
        """The values whose true mean is above 0 if the new run is not worse by the margin."""
        return self.allowed + self.better

    @property
    def within_gain(self) -> np.ndarray:
        """The values whose true mean is above 0 if the new run is not better by the margin."""
        return self.allowed - self.better

    def within(self, rule: Rule) -> list[np.ndarray]:
        """The values whose true means must all be above 0."""
        if rule.equivalent:
            return [self.within_loss, self.within_gain]
        return [self.within_loss]

    def lost(self, measure: Measure, rule: Rule) -> int:
        """The number of topics that lost at least half of their value.

        If the runs should be equivalent, the topics that gained as much are lost, too. If smaller
        values are better, half of the old mean is the least that counts.
        """
        whole = np.abs(self.old)
        if sign_of(measure) < 0:
            whole = np.maximum(whole, abs(float(self.sample.mean(self.old))))
        losses = -self.better
        if rule.equivalent:
            losses = np.abs(self.better)
        is_lost = (losses > 0) & (losses >= whole / 2)
        return int(is_lost.sum())

    def bounds(self, rule: Rule) -> np.ndarray:
        """How far the bounds on the side of a loss and of a gain are from the mean of `better`.

        The bound on the side of a loss has the error of the test, so that it is within the margin
        that it tests.
        """
        gain = self.within_gain if rule.equivalent else self.better
        errors = [-self.error(self.within_loss), self.error(gain)]
        return quantile(self.sample.degrees, rule.level) * np.array(errors)

    def error(self, values: np.ndarray) -> float:
        """The standard error of the mean of values of the topics."""
        return standard_error(values, self.sample, self.noise)

    def p_above_0(self, values: np.ndarray) -> float:
        """The p-value of whether the true mean of values of the topics is above 0."""
        return p_above_0(values, self.sample, self.noise)

    def p_worse(self, rule: Rule) -> float:
        """The p-value of "worse" or, if runs should be equivalent, of "differs", uncorrected."""
        p_worse = self.p_above_0(-self.better)
        if not rule.equivalent:
            return p_worse
        p_better = self.p_above_0(self.better)
        return min(2 * min(p_worse, p_better), 1.0)


def sample_in(evaluation: Evaluation, measure: Measure) -> Sample:
    """The topics with a value of both runs, with their weights."""
    count = evaluation.paired_topics(measure).size
    return sample_of(count, evaluation.paired_weights(measure))


def verdicts_of(parts: Iterable[Part], rule: Rule) -> list[Verdict]:
    """The verdicts over the topics of groups; p of "worse" has Holm's correction for all that are
    tested."""
    asked = []
    for group, _, evaluation in parts:
        asked += [(group, evaluation, measure) for measure in evaluation.measures]
    is_tested = []
    p_values = []
    for group, evaluation, measure in asked:
        topics = len(evaluation.paired_topics(measure))
        is_tested.append(group is None or topics >= LEAST_TESTED_TOPICS)
        p_values.append(_Change.of(evaluation, measure, rule.margin).p_worse(rule))
    p_worse = np.array(p_values)
    p_worse[is_tested] = adjusted_p(p_worse[is_tested])
    verdicts = []
    for (group, evaluation, measure), p in zip(asked, p_worse.tolist(), strict=True):
        verdicts.append(_verdict(group, evaluation, measure, rule, p))
    return verdicts


def _verdict(
    group: str | None, evaluation: Evaluation, measure: Measure, rule: Rule, p_worse: float
) -> Verdict:
    """The verdict over the topics of a group; `p_worse` is corrected."""
    change = _Change.of(evaluation, measure, rule.margin)
    count = change.old.size
    mean_of = change.sample.mean
    mean_old = float(mean_of(change.old))
    p_holds = max(map(change.p_above_0, change.within(rule)))
    changed = int(np.count_nonzero(change.better))
    lost = change.lost(measure, rule)
    unseen = most_unseen(lost, count, rule.level)

    # Differences of both signs that add up to 0 leave a rounding error.
    mean_better = float(mean_of(change.better))
    if abs(mean_better) <= change.noise:
        mean_better = 0.0
    is_within_margin = p_holds < rule.level or changed == 0
    # Few changes show how many topics may change, but not how much they lose.
    shows_losses = changed == 0 or changed >= LEAST_TESTED_TOPICS
    is_rarely_lost = unseen <= rule.margin.share(mean_old)
    verdict = UNDECIDED
    p = None
    if rule.by_mean:
        verdict = HOLDS
        if rule.forbids(mean_better, mean_old):
            verdict = DIFFERS if rule.equivalent else WORSE
    elif group is not None and count < LEAST_TESTED_TOPICS:
        verdict = SMALL
    elif is_within_margin:
        if shows_losses or is_rarely_lost:
            verdict = HOLDS
            p = p_holds
    elif p_worse < rule.level:
        verdict = DIFFERS if rule.equivalent else WORSE
        p = p_worse
    if p is not None:
        p = PValue(p) if changed else None

    lower, upper = known(np.sort(sign_of(measure) * (mean_better + change.bounds(rule))))
    p_beyond = min(change.p_above_0(-values) for values in change.within(rule))
    topics = [evaluation.topics[number] for number in evaluation.paired_topics(measure)]
    has_dropped = change.better < -DROP
    has_risen = change.better > DROP
    reached = Verdict(
        measure=measure,
        group=group,
        verdict=verdict,
        topics=count,
        old=mean_old,
        new=float(mean_of(change.new)),
        difference=float(sign_of(measure) * mean_better),
        lower=lower,
        upper=upper,
        p=p,
        p_holds=p_holds,
        p_worse=p_worse,
        beyond=p_beyond < rule.level,
        changed=changed,
        lost=lost,
        unseen=unseen,
        fallen=_fallen(change, topics),
        drops=int(has_dropped.sum()),
        rises=int(has_risen.sum()),
    )
    if verdict == UNDECIDED and not is_within_margin and not reached.shows_no_spread:
        return _with_needed(reached, change, rule)
    return reached


def _fallen(change: _Change, topics: list[str]) -> tuple[tuple[str, float, float], ...]:
    """The topics that fell most, with the old and the new value."""
    worst_first = np.argsort(change.better, kind="stable")[:MOST_FALLEN_NAMED]
    fallen = []
    for row in worst_first.tolist():
        if change.better[row] < 0:
            fallen.append((topics[row], float(change.old[row]), float(change.new[row])))
    return tuple(fallen)


def _with_needed(verdict: Verdict, change: _Change, rule: Rule) -> Verdict:
    """The verdict with the margin that its topics show, and the topics that the margin needs."""
    sample = change.sample
    loss = float(sample.mean(change.allowed))
    error = max(map(change.error, change.within(rule)))
    if not (error > 0 and loss > 0):
        return verdict
    power = POWER
    if rule.equivalent:
        power = (1 + POWER) / 2  # so that both of two tests succeed in .8
    count = verdict.topics
    degrees = sample.degrees
    errors_needed = quantile(degrees, rule.level) + quantile(degrees, 1 - power)
    reach = errors_needed * error
    if rule.margin.relative:
        reach /= verdict.old
    deviation = error * count**0.5
    per_topic = None
    if isinstance(sample, WeightedSample):
        per_topic = degrees / count
    return replace(
        verdict,
        reachable=replace(rule.margin, size=reach),
        needed=topics_needed(loss, deviation, 2 * rule.level, power, per_topic),
    )
