"""May a new system replace the old one? A non-inferiority test by topic, with a margin.

With d = new − old (mirrored if smaller values are better) and a margin δ, a topic's value is e = d + δ·old
for a relative margin, and e = d + δ for an absolute one. Bounds are one-sided 95 % bounds of Student's t; of
K `looks`, each has the level .05/K.

- holds: the lower bound of the mean of e is above 0. The new system is not worse by the margin.
- worse: it does not hold, and the upper bound of the mean of d is below 0, with Holm's correction for the
  measures.
- undecided: neither. `Verdict` tells how many topics are needed, and the smallest margin that the given
  topics can show.

Student's t sees losses that are spread over topics, and no rare failures: of n topics, a share of
1 − .05^(1/n) may fail unseen. If fewer than 10 topics differ, the verdict holds only if none lost at least
half of its value, or if the upper bound of the share of such topics is within the margin.

All measures must hold, which needs no correction (intersection–union test). With `equivalent`, for
reproductions, the mean must also be below old by less than the margin in the other direction (two one-sided
tests), and a significant difference in any direction is ``differs``.

S. Wellek: Testing statistical hypotheses of equivalence and noninferiority. 2nd edition, 2010. C. J. Clopper,
E. S. Pearson: The use of confidence or fiducial limits. Biometrika 26, 1934.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log, log1p
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ...errors import GradedError
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import Evaluation, evaluated
from ...evaluation.named import Qrels, Runs, Study, about
from ...evaluation.sessions import Given
from ...evaluation.values import By, groups_of, number_in
from ...output import plots
from ...output.formats import counted, known, listed
from ...output.result import Result
from ...output.tables import Table
from ..comparing.families import refuse_few_topics, remarks_on
from ..comparing.tests import PValue
from ..ranges import differences_by_topic
from ..statistics.corrections import holm
from ..statistics.defaults import LEAST_TESTED_TOPICS as FEW
from ..statistics.defaults import POWER
from ..statistics.noninferiority import (
    least_lower_bound,
    most_unseen,
    p_above_0,
    quantile,
    standard_error,
)
from ..statistics.options import statistics_library, whole_number
from ..statistics.precision import EXACT, differences_of
from ..statistics.student import deviation_limits, topics_needed

HOLDS: Final = "holds"
WORSE: Final = "worse"
DIFFERS: Final = "differs"
UNDECIDED: Final = "undecided"
SMALL: Final = "too few topics"
STATUS: Final = {HOLDS: 0, WORSE: 1, DIFFERS: 1, UNDECIDED: 3}
"""The exit status of the command by verdict."""
LEVEL: Final = 0.05
MOST_LOOKS: Final = 1000
ENOUGH: Final = 50
"""With fewer topics, a system that is worse by exactly the margin passes in more than 5 % of cases."""
DROP: Final = 0.1 + EXACT
"""A note counts topics that fall, or rise, by more than this."""
STANDS: Final = {"ties": "stands_over_ties", "unjudged": "stands_over_judgments"}
"""The field of a verdict by the kind of range."""


@dataclass(frozen=True)
class Margin:
    """The loss that the new system may have: a share of the old values if `relative`, else a difference.

    >>> str(Margin.of("5%")), str(Margin.of(0.01))
    ('5 %', '0.01')
    """

    size: float
    relative: bool

    @classmethod
    def of(cls, given: str | float) -> Margin:
        """The margin in a text such as ``5%`` or ``0.01``. Raises `GradedError` unless it is above 0."""
        text = str(given).strip()
        relative = text.endswith("%")
        size = number_in(text.removesuffix("%")) / (100 if relative else 1)
        if not 0 < size < (1 if relative else np.inf):
            raise GradedError(
                f"margin={given!r} is not allowed; give a share below 100%, as 5%, or 0.01"
            )
        return cls(size, relative)

    def allowed(self, old: np.ndarray) -> np.ndarray:
        """The loss that is allowed for each of the old values."""
        return self.size * (old if self.relative else np.ones_like(old))

    def share(self, old: float) -> float:
        """The loss that is allowed, as a share of the old mean."""
        return self.size if self.relative else self.size / abs(old) if old else np.inf

    def __str__(self) -> str:
        return f"{100 * self.size:.3g} %" if self.relative else f"{self.size:.3g}"


@dataclass(frozen=True)
class Verdict:
    """The verdict by one measure, over all topics or over those of one `group`.

    `old` and `new` are means, `difference` is new − old, and `lower` and `upper` are its one-sided bounds,
    None for a single topic. The verdict holds if the bound on the side of a loss is within the margin; with a
    relative margin δ, this bound has the standard error of new − (1 − δ)·old.

    `p_holds` is the p-value of "holds". `p_worse` is that of "worse" (one-sided) or "differs" (two-sided),
    with Holm's correction for the measures. `p` is that of the claim that the verdict makes, None if it makes
    none. If t is undefined, because all topics agree, they are those of the exact sign-flip test: 2^−n or 1. `beyond` is true if
    the new run is certainly worse by more than the margin (upper bound of e below 0) or, if the runs should
    be equivalent, better by more.

    `changed` topics differ, and `lost` of them lost at least half of their value; at most the share `unseen`
    of all topics does so (the one-sided bound of Clopper and Pearson).

    For an undecided verdict, `reachable` is the smallest margin that as many topics show with probability .8
    if there is no difference, and `needed` the number of topics for this margin, with 80 % limits
    (`needed_least`, `needed_most`). `stands_over_ties` and `stands_over_judgments` tell whether the verdict
    is the same for all orders of ties and for all judgments, None if this is not known. `fallen` are the
    topics that fell most, with the old and the new value; `drops` and `rises` count changes above 0.1.
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
    needed_least: int | None = None
    needed_most: int | None = None
    stands_over_ties: bool | None = None
    stands_over_judgments: bool | None = None

    @property
    def name(self) -> str:
        """The measure and the group."""
        return f"{self.measure} in {self.group}" if self.group else str(self.measure)

    def record(self) -> dict[str, Any]:
        """The numbers as a row for programs."""
        texts = {"measure": str(self.measure), "reachable": self.reachable and str(self.reachable)}
        return {name: value for name, value in vars(self).items() if name != "fallen"} | texts


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """The verdicts by all measures (`verdicts`), and the one of the gate (`verdict`).

    `holds` is true if the new system may replace the old one: ``assert gate(…).holds``. `lacking` has
    a sentence on each run that lacks topics.
    """

    old: str
    new: str
    margin: Margin
    chosen: bool
    equivalent: bool
    every_group: bool
    verdicts: tuple[Verdict, ...]
    unit: str = "topic"
    looks: int = 1
    lacking: Sequence[str] = ()

    @property
    def _whole(self) -> list[Verdict]:
        return [each for each in self.verdicts if each.group is None]

    @property
    def _deciding(self) -> Sequence[Verdict]:
        return self.verdicts if self.every_group else self._whole

    @property
    def verdict(self) -> str:
        """``holds``, ``worse`` (or ``differs``) or ``undecided``."""
        found = {each.verdict for each in self._deciding}
        if found == {HOLDS}:
            return HOLDS
        return next((clear for clear in (WORSE, DIFFERS) if clear in found), UNDECIDED)

    @property
    def holds(self) -> bool:
        """Whether the new system may replace the old one."""
        return self.verdict == HOLDS

    def answer(self) -> list[str]:
        """The verdict in one sentence, with the measures that decide it."""
        decisive = (UNDECIDED, SMALL) if self.verdict == UNDECIDED else (self.verdict,)
        by = listed(each.name for each in self._deciding if each.verdict in decisive)
        if self.verdict in (WORSE, DIFFERS):
            sure = "significantly " if any(each.p for each in self._deciding) else ""
            how = f"is {sure}worse than" if self.verdict == WORSE else f"differs {sure}from"
            return [f"{self.new} {how} {self.old} by {by}."]
        kept = f"is {'equivalent to' if self.equivalent else 'not worse than'} {self.old} by {by}"
        whether = "It is undecided whether " if self.verdict == UNDECIDED else ""
        return [f"{whether}{self.new} {kept}, within the margin of {self.margin}."]

    def data(self) -> Table:
        """One row per measure and group."""
        records = [each.record() for each in self.verdicts]
        return Table.of(records[0], records)

    def tables(self) -> list[Table]:
        """The verdicts, and the topics that fell most."""
        columns = ["measure", "group", "old", "new", "difference", "lower", "upper", "p", "verdict"]
        if self._whole == [*self.verdicts]:
            columns.remove("group")
        if any(each.reachable for each in self.verdicts):
            columns += ["reachable", "needed"]
        rows = [row | {"group": row["group"] or f"all {self.unit}s"} for row in self.records()]
        tables = [Table.of(columns, rows), self.fallen]
        return tables if self.fallen.rows else tables[:1]

    @property
    def fallen(self) -> Table:
        """The topics that fell most, by each measure."""
        rows = [
            [str(each.measure), topic, old, new, new - old]
            for each in self._whole
            for topic, old, new in each.fallen
        ]
        title = f"{self.unit.capitalize()}s that fell most (they never block)"
        return Table(("measure", "topic", "old", "new", "difference"), rows, title)

    @property
    def level(self) -> float:
        """The level of every bound."""
        return LEVEL / self.looks

    def sentence(self, each: Verdict) -> str:
        """A verdict with its reason."""
        of = counted(each.topics, self.unit)
        difference = f"the difference is {each.difference:+.4f}"
        if each.verdict == SMALL:
            reason = f"{of}, and {FEW} are the least that are tested"
        elif each.verdict == HOLDS:
            p = "" if each.p is None else f" (p = {each.p:.4f})"
            reason = f"over {of}, the new run is not worse by {self.margin}{p}; {difference}"
        elif each.verdict != UNDECIDED:
            beyond = "beyond" if each.beyond else "not certainly beyond"
            reason = f"{difference}, {beyond} the margin of {self.margin}"
        elif self.margin.relative and each.old <= 0:
            reason = f"the old mean is {each.old:.4g}, and a share of it allows no loss"
        elif each.reachable is None:
            reason = f"more topics may be lost than the margin of {self.margin} allows"
        else:
            is_share = each.reachable.relative and each.reachable.size >= 1
            shown = "no margin below 100 %" if is_share else f"a margin of {each.reachable}"
            reason = f"{of} can show {shown} with power {POWER:g}; {self.margin} needs {self._needs(each)}"
        if each.changed < FEW:
            lost = f"{each.lost or 'none'} lost at least half of {'their' if each.lost > 1 else 'its'} value"
            unseen = f"up to {100 * each.unseen:.1f} % of {self.unit}s may"
            reason += f"; {each.changed} of {of} changed, {lost}; {unseen}"
        return f"{each.name}: {each.verdict}: {reason}."

    def _needs(self, each: Verdict) -> str:
        """How many topics are needed, and how they may be used."""
        if each.needed is None:
            return f"more than ten million {self.unit}s"
        limits = f"80 % limits {each.needed_least} and {each.needed_most or 'ten million'}"
        needs = f"about {each.needed} {self.unit}s ({limits}) if the true difference is 0"
        more = each.needed - each.topics
        if more <= 0:
            return f"{needs}, but the observed one is {each.difference:+.4f}"
        if self.looks > 1:
            return f"{needs}, {more} more"
        return f"{needs}: new {self.unit}s, or at least {more} more with --looks 2"

    def notes(self) -> list[str]:
        """The reasons of the verdicts, and notes on them."""
        found = [*map(self.sentence, self.verdicts), *self.lacking]
        if not self.chosen:
            found.append(f"No margin was given; it is {self.margin} of the old values.")
        looks = f", for {self.looks} looks" if self.looks > 1 else ""
        bounds = f"one-sided bounds at {100 * (1 - self.level):.3g} % each{looks}"
        p = "two-sided" if self.verdict == DIFFERS else "one-sided"
        found.append(f"p is {p} and tests the verdict; lower and upper are {bounds}.")
        if (count := self.verdicts[0].topics) < ENOUGH:
            few = f"{counted(count, self.unit)} are few"
            found.append(f"{few}: the error of 5 % was measured from {ENOUGH} topics on.")
        unseen = 1 - self.level ** (1 / count)
        for each in self._whole:
            if (share := self.margin.share(each.old)) < unseen:
                measure = "" if self.margin.relative else f"{each.measure}: "
                may_fail = f"{100 * unseen:.1f} % of all {self.unit}s may fail unseen by {count}"
                show = f"{np.ceil(log(self.level) / log1p(-share)):.0f} {self.unit}s would show a failure"
                found.append(f"{measure}{may_fail}, more than the margin of {self.margin}; {show}.")
            orders, judgments = "order of tied documents", "judgment of unjudged documents"
            for what, stands in (
                (orders, each.stands_over_ties),
                (judgments, each.stands_over_judgments),
            ):
                if stands is not None:
                    certain = "is" if stands else "is not certainly"
                    found.append(
                        f"{each.measure}: the verdict {certain} the same for every {what}."
                    )
            # The probability of at least as many drops among as many changes, a sign test.
            special = statistics_library("scipy.special")
            if special.bdtrc(each.drops - 1, each.drops + each.rises, 0.5) < LEVEL:
                fell = f"{counted(each.drops, self.unit)} fell by more than {DROP:g} and {each.rises} rose"
                found.append(f"{each.measure}: {fell}, more than chance explains.")
        return [*dict.fromkeys(found)]

    def junit(self, status: int | None = None) -> str:
        """The result in JUnit's form, XML, with a test for each measure.

        `status` is the exit status of the command, 0 if an undecided gate passes.
        """
        status = STATUS[self.verdict] if status is None else status
        passing = (HOLDS, UNDECIDED, SMALL) if status == 0 else (HOLDS,)
        failures = sum(each.verdict not in passing for each in self._deciding)
        counts = {"tests": str(len(self._deciding)), "failures": str(failures)}
        suite = ElementTree.Element("testsuite", counts, name="gate")
        for each in self._deciding:
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"gate {self.new} {self.old}"
            )
            case.set("name", each.name)
            if each.verdict not in passing:
                reason = {"type": each.verdict, "message": self.sentence(each)}
                ElementTree.SubElement(case, "failure", reason)
        ElementTree.SubElement(suite, "system-out").text = "\n".join(
            [self.summary, *self.notes(), *self.remark_notes()]
        )
        ElementTree.indent(suite)
        document = ElementTree.tostring(suite, encoding="unicode")
        return '<?xml version="1.0" encoding="utf-8"?>\n' + plots.drawable(document)

    def facts(self) -> dict[str, Any]:
        """The verdict and how it was reached, which the command writes beside the records."""
        facts = {name: getattr(self, name) for name in ("verdict", "old", "new", "unit", "looks")}
        test = "two one-sided paired t-tests" if self.equivalent else "one-sided paired t-test"
        facts |= {
            "margin": str(self.margin),
            "test": test,
            "alpha": self.level,
            "n": self.verdicts[0].topics,
        }
        return facts | {"fallen": self.fallen.records(), "notes": self.notes()}


@checks_arguments("gate(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def gate(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    margin: str | float | None = None,
    by: By = None,
    every_group: bool = False,
    equivalent: bool = False,
    looks: int = 1,
    stored: Evaluation | None = None,
) -> Gate:
    """Whether the second of two runs may replace the first one.

    `qrels`, `runs` (the old and the new one), `measures` and `sessions` are as for `evaluate`. An
    `Evaluation` or a table of values may stand for them, without what needs rankings. `margin` is a share
    of the old values, as ``"5%"``, or a difference, as 0.01; the default
    is 5 %. `by` groups the topics, see `compare`. The verdicts of groups, whose p-values have Holm's
    correction for all of them, are notes, unless `every_group`: then each must hold. A group of fewer than 10
    topics is not tested. With `every_group`, measures and groups are one family. `equivalent` asks whether the new run is neither worse nor better. `looks`, from 1
    to 1000, says how often the gate will decide in all, as topics are added: each bound then has the level
    .05 / `looks`. `stored` has the values of the old run from an earlier day. Needs the extra ``stats``.

    With `sessions`, whether a verdict is the same for all orders of ties and all judgments is not known.

    >>> qrels = {f"q{number}": {"a": 1} for number in range(60)}
    >>> good = {topic: {"a": 1.0} for topic in qrels}
    >>> gate(qrels, {"old": good, "new": good}, ["nDCG_JK@10"], margin="5%").holds
    True

    Raises `GradedError` unless there are two runs and at least two topics; for a relative margin of a measure
    whose old mean is not above 0; for an absolute margin of 1 or more that is not below a positive old mean,
    because every run would hold; if no topic has a group; and, with the topics, if values of the old run
    differ from the stored ones.
    """
    statistics_library("scipy.special")
    size = Margin.of("5%" if margin is None else margin)
    evaluation, study = evaluated(qrels, runs, measures, sessions, kept=True)
    runs_given, topics = len(evaluation.runs), len(evaluation.topics)
    if runs_given != 2 or topics < 2:
        raise GradedError(
            f"a gate needs two runs, the old and the new one, and at least 2 {evaluation.unit}s; there are "
            f"{counted(runs_given, 'run')} and {counted(topics, evaluation.unit)}"
        )
    refuse_few_topics(evaluation)
    for measure in evaluation.measures:
        _refuse_margin(size, measure, *evaluation.paired(measure))
    if stored is not None:
        _refuse_drift(evaluation, stored)
    groups = groups_of(evaluation.topics, by)
    looks = whole_number(looks, "looks", 1, MOST_LOOKS)
    rule = Rule(size, LEVEL / looks, equivalent)
    of_groups = [(group, evaluation.on(rows)) for group, rows in groups.items()]
    if every_group:
        # All verdicts decide, so they are one family.
        verdicts = _verdicts([(None, evaluation), *of_groups], rule)
    else:
        verdicts = [*_verdicts([(None, evaluation)], rule), *_verdicts(of_groups, rule)]
    if study is not None and study.judgments.sessions is None:
        family = len(verdicts) if every_group else len(evaluation.measures)
        for number, verdict in enumerate(verdicts):
            if verdict.group is None:
                verdicts[number] = replace(verdict, **_stands(verdict, rule, study, family))
    every = tuple(verdicts)
    old, new = evaluation.runs
    asked = size, margin is not None, equivalent, every_group
    return Gate(old, new, *asked, every, evaluation.unit, looks, remarks_on(evaluation))


def _refuse_margin(margin: Margin, measure: Measure, old: np.ndarray, new: np.ndarray) -> None:
    """Raise `GradedError` for a margin that means nothing for the old values."""
    mean = float(mean_over_topics(old))
    if margin.relative and not mean > 0 and differences_of(new, old)[0].any():
        raise GradedError(
            f"{measure}: the old mean is {mean:g}, and a relative margin is a share of it; give an absolute "
            "margin, as 0.01"
        )
    # A margin of 1 or more that exceeds the mean is a share without its sign: every run would hold.
    if not margin.relative and sign_of(measure) > 0 and mean > 0 and max(mean, 1) <= margin.size:
        raise GradedError(
            f"{measure}: margin={margin} is not allowed; as a difference it must be below the old mean "
            f"{mean:.4g}; a share is written as 5%"
        )


class Rule(NamedTuple):
    """How verdicts are reached: the margin, the level of every bound, and whether no run may be better."""

    margin: Margin
    level: float
    equivalent: bool


def _verdicts(parts: Iterable[tuple[str | None, Evaluation]], rule: Rule) -> list[Verdict]:
    """The verdicts over the topics of groups; p of "worse" has Holm's correction for all that are tested."""
    asked = [(group, part, measure) for group, part in parts for measure in part.measures]
    tested = [
        group is None or len(part.paired_topics(measure)) >= FEW for group, part, measure in asked
    ]
    p_worse = np.array([_p_worse(part, measure, rule) for _, part, measure in asked])
    p_worse[tested] = holm(p_worse[tested])
    return [_verdict(*each, rule, p) for each, p in zip(asked, p_worse.tolist(), strict=True)]


def _p_worse(part: Evaluation, measure: Measure, rule: Rule) -> float:
    """The p-value of "worse" or, if runs should be equivalent, of "differs", without correction."""
    old, new = part.paired(measure)
    change, rounding = differences_of(new, old)
    noise = float(rounding)
    better = sign_of(measure) * change
    p_worse, p_better = p_above_0(-better, noise), p_above_0(better, noise)
    return min(2 * min(p_worse, p_better), 1.0) if rule.equivalent else p_worse


def _verdict(
    group: str | None, part: Evaluation, measure: Measure, rule: Rule, p_worse: float
) -> Verdict:
    """The verdict over the topics of a group; `p_worse` is corrected."""
    margin, level, equivalent = rule
    old, new = part.paired(measure)
    topics = [part.topics[number] for number in part.paired_topics(measure)]
    count = len(topics)
    change, rounding = differences_of(new, old)
    noise = float(rounding)
    better, allowed = sign_of(measure) * change, margin.allowed(old)
    mean_old, mean_new, mean, loss = (
        float(mean_over_topics(each)) for each in (old, new, change, allowed)
    )
    # The values whose true means must be above 0, and those whose means bound a loss and a gain.
    kept = (allowed + better, allowed - better) if equivalent else (allowed + better,)
    down, up = kept if equivalent else (*kept, better)
    p_holds = max(p_above_0(each, noise) for each in kept)

    whole = np.abs(old) if sign_of(measure) > 0 else np.maximum(np.abs(old), abs(mean_old))
    losses = np.abs(better) if equivalent else -better
    changed = int(np.count_nonzero(better))
    lost = int(((losses > 0) & (losses >= whole / 2)).sum())
    unseen = most_unseen(lost, count, level)
    is_within_margin = p_holds < level or not changed
    verdict, p = UNDECIDED, None
    if group is not None and count < FEW:
        verdict = SMALL
    elif is_within_margin and (changed >= FEW or not lost or unseen <= margin.share(mean_old)):
        verdict, p = HOLDS, p_holds
    elif p_worse < level:
        verdict, p = DIFFERS if equivalent else WORSE, p_worse

    error = max(standard_error(each, noise) for each in kept)
    # The bound on the side of a loss has the error of the test, so that it is within the margin it tests.
    reach = quantile(count, level) * np.array(
        [-standard_error(down, noise), standard_error(up, noise)]
    )
    lower, upper = known(np.sort(sign_of(measure) * (float(mean_over_topics(better)) + reach)))
    numbers: dict[str, Any] = {"old": mean_old, "new": mean_new, "difference": mean}
    numbers |= {"lower": lower, "upper": upper, "changed": changed, "lost": lost, "unseen": unseen}
    numbers |= {"p": PValue(p) if p and changed else None, "p_holds": p_holds, "p_worse": p_worse}
    fell = [row for row in np.argsort(better, kind="stable")[:5].tolist() if better[row] < 0]
    numbers["fallen"] = tuple((topics[row], float(old[row]), float(new[row])) for row in fell)
    numbers |= {"drops": int((-better > DROP).sum()), "rises": int((better > DROP).sum())}
    if verdict == UNDECIDED and not is_within_margin and error > 0 and loss > 0:
        numbers |= _needed(rule, loss, error, count, mean_old)
    numbers["beyond"] = min(p_above_0(-each, noise) for each in kept) < level
    return Verdict(measure, group, verdict, count, **numbers)


def _needed(rule: Rule, loss: float, error: float, count: int, old: float) -> dict[str, Any]:
    """The margin that `count` topics can show, and the topics that the margin, a mean `loss`, needs."""
    margin, level, equivalent = rule
    power = (1 + POWER) / 2 if equivalent else POWER  # so that both of two tests succeed in .8
    reach = (quantile(count, level) + quantile(count, 1 - power)) * error
    reachable = replace(margin, size=reach / old if margin.relative else reach)
    limits = np.array([1.0, *deviation_limits(count)]) * error * count**0.5
    needed = (topics_needed(loss, limit, 2 * level, power) for limit in limits.tolist())
    return dict(
        zip(
            ("reachable", "needed", "needed_least", "needed_most"),
            (reachable, *needed),
            strict=True,
        )
    )


def _stands(verdict: Verdict, rule: Rule, study: Study, measures: int) -> dict[str, Any]:
    """Whether the verdict is certainly the same for all orders of ties and for all judgments.

    The bounds hold for all values between the lowest and the highest one of each topic. For "worse", the
    level is divided by the number of `measures`. A measure that is worse at this level is also worse by
    Holm's correction, whatever the other measures show.
    """
    if verdict.verdict not in (HOLDS, WORSE):
        return {}
    found: dict[str, Any] = {}
    for kind, (differences, old) in differences_by_topic(
        verdict.measure, *reversed(study.runs)
    ).items():
        low, high = np.sort(sign_of(verdict.measure) * differences, axis=0)
        least, most = rule.margin.allowed(old)
        if verdict.verdict == WORSE:
            sides, level = [(-high, -low)], rule.level / measures
            stands = (most + high).mean() <= 0
        else:
            sides, level = [(least + low, most + high)], rule.level
            farthest = -low
            if rule.equivalent:
                sides.append((least - high, most - low))
                farthest = np.maximum(-low, high)
            may_lose = (farthest > 0) & (farthest >= np.abs(old).min(axis=0) / 2)
            stands = ((low > 0) | (high < 0)).sum() >= FEW or not may_lose.any()
        found[STANDS[kind]] = bool(stands) and all(
            least_lower_bound(*side, level) > 0 for side in sides
        )
    return found


def _refuse_drift(evaluation: Evaluation, stored: Evaluation) -> None:
    """Raise `GradedError`, which names topics, if the old run's values are not the stored ones.

    Stored values may be rounded: they count as equal if they agree in as many decimals as the table has, at
    least two.
    """
    old = evaluation.runs[0]
    with about("stored values"):
        of_old = stored.part([old], evaluation.measures)
    rounded = (
        places for places in range(2, 16) if (stored.values.round(places) == stored.values).all()
    )
    decimals = next(rounded, 16)
    for measure in evaluation.measures:
        then = dict(zip(stored.topics, of_old.of(measure)[0].tolist(), strict=True))
        now = dict(zip(evaluation.topics, evaluation.of(measure)[0].tolist(), strict=True))
        close = 0.5 * 10.0**-decimals + 1e-12 * max(map(abs, then.values()))
        apart = {
            topic: abs(then.get(topic, np.nan) - now.get(topic, np.nan)) for topic in then | now
        }
        if moved := [topic for topic, distance in apart.items() if not distance <= close]:
            raise GradedError(
                f"{old}: {measure} is not what was stored in {counted(len(moved), 'topic')} "
                f"({listed(moved, 5)}): the run, the qrels or the measure has changed"
            )
