"""May a new system replace the old one? The verdicts by all measures, and the one of the gate.

All measures must hold, which needs no correction (intersection–union test). The gate is worse if
one of them is; `verdict` has the test of a measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, log1p
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...arguments import word
from ...core.registry.facts import ZERO, sign_of
from ...errors import GradedError, Remark
from ...evaluation.attributes import By, groups_of
from ...evaluation.checked import checks_arguments
from ...evaluation.counting import size_in_words, with_effective
from ...evaluation.evaluate import evaluated
from ...evaluation.evaluation import Evaluation
from ...evaluation.named import Qrels, Runs, about
from ...evaluation.sessions import Given
from ...output.figures import Figure
from ...output.formats import PLACES, counted, decimal, listed, p_of, short, with_minus
from ...output.result import Result
from ...output.tables import Table
from ...progress import Progress
from ..comparing.families import notes_on, refuse_few_topics, shares_of
from ..comparing.sentences import MAY_TURN
from ..statistics.defaults import LEAST_TESTED_TOPICS, POWER
from ..statistics.options import statistics_library, whole_number
from ..statistics.precision import EXACT, differences_of
from .figures import figure_of
from .junit import junit_of
from .standing import ranges_of, with_standing
from .verdict import (
    DIFFERS,
    DROP,
    HOLDS,
    SMALL,
    STATUS,
    UNDECIDED,
    WORSE,
    Margin,
    Part,
    Rule,
    Verdict,
    verdicts_of,
)

LEVEL: Final = 0.05
DEFAULT_MARGIN: Final = "5%"
PASS, FAIL, MEAN = SETTLED = ("pass", "fail", "mean")
"""How an undecided gate may be settled."""
MOST_LOOKS: Final = 1000
LEAST_MEASURED_TOPICS: Final = 50
"""With fewer topics, a system that is worse by exactly the margin passes too often."""
MOST_TOPICS_NAMED: Final = 5
LEAST_SHOWN: Final = 10.0**-PLACES
"""The smallest difference that sentences show."""
MOST_DECIMALS: Final = 16
"""Values that are not rounded have about as many decimals."""


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """The verdicts by all measures (`verdicts`), and the one of the gate (`verdict`).

    `holds` is true if the new system may replace the old one: ``assert gate(…).holds``. `lacking`
    has a sentence on each run that lacks topics. `unjudged` has the share of unjudged documents
    that the measures read of both runs, as far as it is known. `effective` is the effective number
    of topics with weights. `by_mean` tells that the means decide alone. `by_topic` has the values,
    for the figure. `is_as_stored` tells that the
    old run's values are those that were stored. `undecided` is how an undecided gate is settled:
    ``pass``, ``fail`` or ``mean``, None if it is not.
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
    by_mean: bool = False
    lacking: Sequence[str] = ()
    remarks: tuple[Remark, ...] = ()
    unjudged: Mapping[str, float] = field(default_factory=dict)
    effective: float | None = None
    by_topic: Evaluation | None = None
    is_as_stored: bool = False
    undecided: str | None = None

    @property
    def rule(self) -> Rule:
        """How the verdicts were reached."""
        return Rule(self.margin, self.level, self.equivalent, self.by_mean)

    @property
    def _over_all_topics(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.group is None]

    @property
    def deciding(self) -> Sequence[Verdict]:
        """The verdicts that decide: those over all topics or, with `every_group`, those of groups
        too."""
        if self.every_group:
            return self.verdicts
        return self._over_all_topics

    @property
    def verdict(self) -> str:
        """``holds``, ``worse`` (or ``differs``) or ``undecided``."""
        kinds = {verdict.verdict for verdict in self.deciding}
        if kinds == {HOLDS}:
            return HOLDS
        for clear in (WORSE, DIFFERS):
            if clear in kinds:
                return clear
        return UNDECIDED

    @property
    def holds(self) -> bool:
        """Whether the new system may replace the old one."""
        return self.verdict == HOLDS

    @property
    def status(self) -> int:
        """The exit status of the command: 0 if the new system may replace the old one, 1 if not,
        and 3 if this is undecided and not settled."""
        if self.verdict != UNDECIDED or self.undecided is None:
            return STATUS[self.verdict]
        passes = {PASS: True, FAIL: False, MEAN: self.means_hold}
        return 0 if passes[self.undecided] else 1

    def answer(self) -> list[str]:
        """The verdict in one sentence, with the measures that decide it, and whether an undecided
        gate passes."""
        kinds: tuple[str, ...] = (self.verdict,)
        if self.verdict == UNDECIDED:
            kinds = (UNDECIDED, SMALL)
        decisive = [verdict for verdict in self.deciding if verdict.verdict in kinds]
        measures = listed(verdict.name for verdict in decisive)
        if self.verdict in (WORSE, DIFFERS):
            return self._answer_of_difference(decisive)
        relation = "equivalent to" if self.equivalent else "not worse than"
        sentence = f"{self.new} is {relation} {self.old} by {measures}"
        if self.by_mean:
            sentence = f"By the means alone, {sentence}"
        if self.verdict == UNDECIDED:
            sentence = f"It is undecided whether {sentence}"
        sentence += f", within the margin of {self.margin}"
        if self.by_mean:
            return [f"{sentence}{self._directions_of(decisive)}."]
        unproved = [verdict for verdict in decisive if self._is_unproved(verdict)]
        if self.verdict == HOLDS and unproved:
            names = listed(verdict.name for verdict in unproved)
            unseen = max(verdict.unseen for verdict in unproved)
            worse = f"up to {100 * unseen:.1f} % of all {self.unit}s may have become worse"
            sentence += f"; no value changed by {names}, but {worse}, with none of them here"
        if self.verdict == HOLDS:
            sentence += self._significant_within_margin(decisive)
        sentence += self._few_changes_of(decisive)
        if self.verdict == UNDECIDED:
            sentence += self._directions_of(decisive)
            return [f"{sentence}.", self._how_settled()]
        return [f"{sentence}."]

    def _how_settled(self) -> str:
        """Whether an undecided gate passes, and by which option it would."""
        size = "by more than the margin"
        change = f"is worse or better {size}" if self.equivalent else f"is worse {size}"
        reason = f"no mean {change}" if self.means_hold else f"a mean {change}"
        passes = self.means_hold if self.undecided is None else self.status == 0
        outcome = "passes" if passes else "fails"
        if self.undecided is None:
            return f"By --undecided mean it {outcome}, as {reason}."
        if self.undecided == MEAN:
            return f"It {outcome} by --undecided mean, as {reason}."
        return f"It {outcome} by --undecided {self.undecided}."

    @property
    def means_hold(self) -> bool:
        """Whether no mean that decides is worse by more than the margin, whatever is significant.

        With `equivalent`, no mean is better by more than it either.
        """
        return not any(map(self._is_mean_beyond, self.deciding))

    def _is_mean_beyond(self, verdict: Verdict) -> bool:
        """Whether the difference that is seen is a loss, or a difference, above the margin."""
        better = sign_of(verdict.measure) * verdict.difference
        return self.rule.forbids(better, verdict.old)

    def _allowed_loss(self, verdict: Verdict) -> float:
        """The loss of the mean that the margin allows."""
        return float(self.margin.allowed(np.array(verdict.old)))

    def _directions_of(self, verdicts: Sequence[Verdict]) -> str:
        """The end of the answer: which way each mean went, and whether by more than the margin."""
        clauses = []
        for verdict in verdicts:
            direction = "is unchanged"
            size = f"({self._size(verdict)})"
            if abs(verdict.difference) < LEAST_SHOWN / 2:
                size = f"by less than {short(LEAST_SHOWN)}"
            if verdict.difference > 0:
                direction = f"rose {size}"
            elif verdict.difference < 0:
                direction = f"fell {size}"
            clause = f"the mean {direction}"
            if len(verdicts) > 1:
                clause = f"the mean of {verdict.name} {direction}"
            if self._is_mean_beyond(verdict):
                clause += ", more than the margin"
            elif self.by_mean and self._is_significant_loss(verdict):
                clause += ", significantly"
            clauses.append(clause)
        return f"; {'; '.join(clauses)}"

    def _significant_within_margin(self, verdicts: Sequence[Verdict]) -> str:
        """The end of the answer: the significant losses, or differences, of verdicts that hold.

        Beside them stand those whose bounds exclude 0 alone, without Holm's correction.
        """
        significant = [one for one in verdicts if self._is_significant_loss(one)]
        by_bounds = [one for one in verdicts if one not in significant and self._excludes_0(one)]
        what = "difference" if self.equivalent else "loss"
        if len(verdicts) == 1 and significant:
            return f"; the {what} ({self._size(verdicts[0])}) is significant, but smaller"
        text = ""
        if significant:
            text += f"; significant, but smaller: the {what} by {self._named_sizes(significant)}"
        if by_bounds and len(verdicts) > 1:
            sizes = self._named_sizes(by_bounds)
            text += f"; smaller, and significant only {self._without_correction}: the {what} by "
            text += sizes
        return text

    def _named_sizes(self, verdicts: Iterable[Verdict]) -> str:
        """Verdicts by name, each with its difference."""
        return listed(f"{verdict.name} ({self._size(verdict)})" for verdict in verdicts)

    def _is_significant_loss(self, verdict: Verdict) -> bool:
        """Whether there is a loss, or difference, by the p-value with Holm's correction."""
        return verdict.changed > 0 and verdict.p_worse < self.level

    @property
    def _without_correction(self) -> str:
        """How bounds exclude 0 where the p-value does not show a loss or difference."""
        if self.equivalent:
            return "by its one-sided bound"
        return "without Holm's correction"

    def _excludes_0(self, verdict: Verdict) -> bool:
        """Whether the bounds, which are those of the table, show a loss or difference."""
        if not verdict.changed or verdict.lower is None or verdict.upper is None:
            return False
        shows_fall = verdict.upper < 0
        shows_rise = verdict.lower > 0
        if self.equivalent:
            return shows_fall or shows_rise
        return shows_fall if sign_of(verdict.measure) > 0 else shows_rise

    def few_changes(self, verdict: Verdict) -> str:
        """Why a verdict is undecided, if too few topics changed; else nothing."""
        if verdict.verdict != UNDECIDED or verdict.changed >= LEAST_TESTED_TOPICS:
            return ""
        only = f"only {verdict.changed} of {counted(verdict.topics, self.unit)} changed"
        if verdict.p_holds < self.level:
            return f"{only}, {LEAST_TESTED_TOPICS} are needed"
        if verdict.shows_no_spread:
            needed = f"how many {self.unit}s the margin of {self.margin} needs"
            return f"{only}, too few to show {needed}"
        return ""

    def _few_changes_of(self, verdicts: Sequence[Verdict]) -> str:
        """The end of the answer: which of the verdicts are undecided because of few changes."""
        reasons = []
        for verdict in verdicts:
            reason = self.few_changes(verdict)
            if not reason:
                continue
            if len(verdicts) == 1:
                return f": {reason}"
            reasons.append(f"by {verdict.name} {reason}")
        if not reasons:
            return ""
        return f": {'; '.join(reasons)}"

    def _is_unproved(self, verdict: Verdict) -> bool:
        """Whether it holds because no value changed, over too few topics to exclude a loss beyond
        the margin."""
        if self.by_mean:
            return False
        is_unchanged = verdict.verdict == HOLDS and verdict.changed == 0
        return is_unchanged and verdict.unseen > self.margin.share(verdict.old)

    def _sizes(self, decisive: Sequence[Verdict]) -> str:
        """The measures of these verdicts, each with the difference, beside the margin."""
        if len(decisive) > 1:
            sizes = listed(f"{verdict.name} ({self._size(verdict)})" for verdict in decisive)
            return f"{sizes}; the margin is {self.margin}"
        (verdict,) = decisive
        relation = "less than"
        margin = self._allowed_loss(verdict)
        if verdict.beyond:
            relation = "beyond"
        elif np.isclose(abs(verdict.difference), margin, EXACT, 0):
            relation = "as much as"
        elif abs(verdict.difference) > margin:
            relation = "more than"
        return f"{verdict.name}: {self._size(verdict)}, {relation} the margin of {self.margin}"

    def _uncertain_size(self, decisive: Sequence[Verdict]) -> str:
        """That the size seen is above the margin and the true one may not be."""
        if len(decisive) > 1:
            return ""
        (verdict,) = decisive
        size = abs(verdict.difference)
        margin = self._allowed_loss(verdict)
        if verdict.beyond or size <= margin or np.isclose(size, margin, EXACT, 0):
            return ""
        what = "difference" if self.equivalent else "loss"
        return f"The {self.unit}s do not show that the true {what} is more than the margin."

    def _possible_loss(self, decisive: Sequence[Verdict]) -> str:
        """That a loss beyond the margin is possible, though the one seen is smaller."""
        if len(decisive) > 1:
            return ""
        (verdict,) = decisive
        allowed = self._allowed_loss(verdict)
        bound = verdict.lower if verdict.difference < 0 else verdict.upper
        is_seen = abs(verdict.difference) > allowed * (1 - EXACT)
        if bound is None or is_seen or verdict.beyond or verdict.p_holds < self.level:
            return ""
        return f"The {self.unit}s do not exclude {self._in_unit(bound, verdict.old)}."

    def _size(self, verdict: Verdict) -> str:
        """The difference in the unit of the margin."""
        return self._in_unit(verdict.difference, verdict.old)

    def _in_unit(self, difference: float, old: float) -> str:
        """A difference from the old mean, and with a relative margin its share of it."""
        text = decimal(difference, "+")
        if not self.margin.relative or old == 0:
            return text
        share = with_minus(f"{100 * difference / abs(old):+.1f}")
        return f"{text} or {share} %"

    def _answer_of_difference(self, decisive: Sequence[Verdict]) -> list[str]:
        """Who is worse or differs, by how much, and whether judgments could turn that; then what is
        not certain of the size."""
        surely = ""
        start = "By the means alone, " if self.by_mean else ""
        if any(verdict.p for verdict in self.deciding):
            surely = "significantly "
        relation = f"differs {surely}from"
        if self.verdict == WORSE:
            relation = f"is {surely}worse than"
        sentence = f"{start}{self.new} {relation} {self.old} by {self._sizes(decisive)}"
        turned = [verdict.name for verdict in decisive if verdict.may_turn]
        if turned:
            by_measures = "" if len(turned) == len(decisive) else f" by {listed(turned)}"
            sentence += f", {MAY_TURN} the sign{by_measures}"
        on_size = [self._uncertain_size(decisive), self._possible_loss(decisive)]
        return [f"{sentence}.", *filter(None, on_size)]

    def data(self) -> Table:
        """One row per measure and group."""
        shares = {
            "old_unjudged": self.unjudged.get(self.old),
            "new_unjudged": self.unjudged.get(self.new),
        }
        records = [verdict.record() | shares for verdict in self.verdicts]
        return Table.of(records[0], records)

    def tables(self) -> list[Table]:
        """The verdicts, and the topics that fell most."""
        columns = ["measure", "group", "old", "new", "difference", "lower", "upper", "p", "verdict"]
        if all(verdict.group is None for verdict in self.verdicts):
            columns.remove("group")
        if self.by_mean:
            columns.remove("p")
        if any(verdict.reachable for verdict in self.verdicts):
            columns += ["reachable", "needed"]
        rows = []
        for record in self.records():
            group = record["group"] or f"all {self.unit}s"
            rows.append(record | {"group": group})
        tables = [Table.of(columns, rows)]
        if self.fallen.rows:
            tables.append(self.fallen)
        return tables

    @property
    def fallen(self) -> Table:
        """The topics that fell most, by each measure."""
        rows = []
        for verdict in self._over_all_topics:
            for topic, old, new in verdict.fallen:
                rows.append([str(verdict.measure), topic, old, new, new - old])
        fell = "fell"
        if any(sign_of(verdict.measure) < 0 for verdict in self._over_all_topics):
            fell = "became worse"
        title = f"{self.unit.capitalize()}s that {fell} most (they never block)"
        return Table(("measure", "topic", "old", "new", "difference"), rows, title)

    @property
    def level(self) -> float:
        """The level of every bound."""
        return LEVEL / self.looks

    def sentence(self, verdict: Verdict) -> str:
        """A verdict with its reason."""
        reason = self._reason(verdict)
        if verdict.changed < LEAST_TESTED_TOPICS and not self.by_mean:
            topics = counted(verdict.topics, self.unit)
            number = str(verdict.lost or "none")
            whose = "their" if verdict.lost > 1 else "its"
            change = "changed by" if self.equivalent else "lost"
            lost = f"{number} {change} at least half of {whose} value"
            unseen = f"up to {100 * verdict.unseen:.1f} % of {self.unit}s may do so"
            changed = f"{verdict.changed} of {topics} changed, "
            if self.few_changes(verdict):
                changed = ""  # the reason begins with it
            reason += f"; {changed}{lost}; {unseen}"
        return f"{verdict.name}: {verdict.verdict}: {reason}."

    def _reason(self, verdict: Verdict) -> str:
        """Why the verdict is what it is."""
        topics = counted(verdict.topics, self.unit)
        difference = f"the difference is {decimal(verdict.difference, '+')}"
        if verdict.verdict == SMALL:
            return f"{topics}, and {LEAST_TESTED_TOPICS} are the least that are tested"
        if self._is_unproved(verdict):
            return f"over {topics}, no value changed; they cannot exclude a loss of {self.margin}"
        if self.by_mean and verdict.verdict == HOLDS:
            relation = "does not differ" if self.equivalent else "is not worse"
            return f"over {topics}, the mean {relation} by more than {self.margin}; {difference}"
        if verdict.verdict == HOLDS:
            p = "" if verdict.p is None else f" ({p_of(verdict.p)})"
            relation = "neither worse nor better" if self.equivalent else "not worse"
            reason = f"over {topics}, the new run is {relation} by {self.margin}{p}; {difference}"
            decides = verdict.group is None or self.every_group  # the answer tells of these
            if decides:
                return reason
            if self._is_significant_loss(verdict):
                reason += ", which is significant, but smaller"
            elif self._excludes_0(verdict):
                reason += f", which is significant only {self._without_correction}, and smaller"
            return reason
        if verdict.verdict != UNDECIDED:
            beyond = "beyond" if verdict.beyond else "not certainly beyond"
            reason = f"{difference}, {beyond} the margin of {self.margin}"
            if verdict.may_turn:
                reason += f", {MAY_TURN} its sign"
            return reason
        if self.margin.relative and verdict.old <= 0:
            return f"the old mean is {short(verdict.old, '.4g')}, and a share of it allows no loss"
        few = self.few_changes(verdict)
        if verdict.p_holds < self.level:
            return f"{few}: more {self.unit}s may be lost than the margin of {self.margin} allows"
        if verdict.reachable is not None:
            power = f"with power {short(POWER)}"
            return f"{topics} can show {_shown(verdict.reachable)} {power}; {self._needs(verdict)}"
        if few:
            return few
        return f"the values do not show how many {self.unit}s {self.margin} needs"

    def _needs(self, verdict: Verdict) -> str:
        """How many topics the margin needs, and how they may be used."""
        if verdict.needed is None:
            return f"{self.margin} needs more than ten million {self.unit}s"
        needs = f"{self.margin} needs about {verdict.needed:,} if the true difference is 0"
        more = verdict.needed - verdict.topics
        if more <= 0:
            return f"{needs}, but the observed one is {decimal(verdict.difference, '+')}"
        if self.looks > 1:
            return f"{needs}. Add {more:,} {self.unit}s"
        use = f"Use about {verdict.needed:,} new {self.unit}s"
        add = f"or add {more:,} {self.unit}s to these {verdict.topics}"
        return f"{needs}. {use}, {add} and decide by all of them with --looks 2"

    def notes(self) -> list[str]:
        """The reasons of the verdicts, and notes on them."""
        notes = [self.sentence(verdict) for verdict in self.verdicts]
        notes += self.lacking
        if self.is_as_stored:
            notes.append(f"The values of {self.old} are those that were stored.")
        if not self.chosen:
            notes.append(f"No margin was given; it is {self.margin} of the old values.")
        looks = f", for {self.looks} looks" if self.looks > 1 else ""
        bounds = f"one-sided bounds at {100 * (1 - self.level):.3g} % each{looks}"
        sides = "two-sided" if self.verdict == DIFFERS else "one-sided"
        test = f"p is {sides} and tests the verdict"
        if self.by_mean:
            test = "Nothing is tested, so other topics may lead to another verdict"
        notes.append(f"{test}; lower and upper are {bounds}.")
        if self.margin.relative:
            notes.append(
                f"The bound on the side of a loss also has the spread of the margin, {self.margin} "
                "of the old values."
            )
        count = self.verdicts[0].topics
        size = self.effective or count
        if self.effective is not None:
            with_weights = f"{counted(count, self.unit)} with weights"
            effective = with_effective(with_weights, self.effective)
            of_topics = "few changes, lost values and unseen failures count topics, not weights"
            notes.append(f"{effective}; {of_topics}.")
        if size < LEAST_MEASURED_TOPICS and not self.by_mean:
            few = f"{counted(count, self.unit)} are few"
            if self.effective is not None:
                few = f"{size_in_words(size)} effective {self.unit}s are few"
            measured = f"the error of 5 % was measured from {LEAST_MEASURED_TOPICS} topics on"
            notes.append(f"{few}: {measured}.")
        is_clear = self.verdict in (WORSE, DIFFERS)
        for verdict in self.deciding:
            if verdict.group is None and not self.by_mean and not is_clear:
                notes += self._unseen_failures(verdict, count)
            notes += _standing(verdict)
            if verdict.group is None:
                notes += self._drops(verdict)
        return list(dict.fromkeys(notes))

    def remark_notes(self) -> list[str]:
        """None: `lacking` has them among the notes."""
        return []

    def _unseen_failures(self, verdict: Verdict, count: int) -> Iterator[str]:
        """A note if more topics than the margin allows may fail without being among `count`."""
        unseen = 1 - self.level ** (1 / count)
        share = self.margin.share(verdict.old)
        if share >= unseen:
            return
        measure = "" if self.margin.relative else f"{verdict.measure}: "
        enough = np.ceil(log(self.level) / log1p(-share))
        kind = f"A kind of {self.unit} that is {100 * unseen:.1f} % of all {self.unit}s"
        missing = f"is missing among these {count} with probability {short(self.level)}"
        advice = f"Use at least {enough:.0f} {self.unit}s."
        yield (
            f"{measure}{kind} {missing}; if the new run failed on all of this kind, it would lose "
            f"more than the margin. {advice}"
        )

    def _drops(self, verdict: Verdict) -> Iterator[str]:
        """A note if more topics fell than rose, by a sign test."""
        # The probability of at least as many drops among as many changes.
        special = statistics_library("scipy.special")
        changes = verdict.drops + verdict.rises
        p = float(special.bdtrc(verdict.drops - 1, changes, 0.5))
        if p < LEVEL:
            fell = "fell"
            rose = "rose"
            if sign_of(verdict.measure) < 0:
                fell = "rose, which is worse,"
                rose = "fell"
            drops = f"{counted(verdict.drops, self.unit)} {fell} by more than {short(DROP)}"
            rises = f"{verdict.rises} {rose}"
            yield f"{verdict.measure}: {drops} and {rises} (one-sided sign test, {p_of(p)})."

    def figure(self, *, title: str = "") -> Figure:
        """Draw the difference beside the margin, and the topics in order, for each measure."""
        return figure_of(self, title)

    def junit(self, status: int | None = None) -> str:
        """The result in JUnit's form, XML, with a test for each measure.

        `status` stands for the gate's own: with 0, an undecided gate passes.
        """
        return junit_of(self, status)

    def facts(self) -> dict[str, Any]:
        """The verdict and how it was reached, which the command writes beside the records."""
        test = "one-sided paired t-test"
        if self.equivalent:
            test = "two one-sided paired t-tests"
        if self.by_mean:
            test = "none, the means decide"
        return {
            "verdict": self.verdict,
            "status": self.status,
            "old": self.old,
            "new": self.new,
            "unit": self.unit,
            "looks": self.looks,
            "margin": str(self.margin),
            "test": test,
            "alpha": self.level,
            "n": self.verdicts[0].topics,
            "unjudged": dict(self.unjudged),
            "fallen": self.fallen.records(),
            "notes": self.notes(),
        }


def _shown(reachable: Margin) -> str:
    """A margin that topics can show."""
    if reachable.relative and reachable.size >= 1:
        return "no margin below 100 %"
    return f"a margin of {reachable}"


def _standing(verdict: Verdict) -> Iterator[str]:
    """Notes on whether the verdict is certainly the same over ties and judgments."""
    facts = {
        "order of tied documents": verdict.stands_over_ties,
        "judgment of unjudged documents": verdict.stands_over_judgments,
    }
    for what, stands in facts.items():
        if stands is not None:
            certain = "is" if stands else "is not certainly"
            yield f"{verdict.name}: the verdict {certain} the same for every {what}."


@checks_arguments("gate(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def gate(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    no_relevant: str = ZERO,
    weights: By = None,
    margin: str | float | None = None,
    by: By = None,
    every_group: bool = False,
    equivalent: bool = False,
    looks: int = 1,
    by_mean: bool = False,
    undecided: str | None = None,
    stored: Evaluation | None = None,
    progress: Progress = False,
) -> Gate:
    """Whether the second of two runs may replace the first one.

    `qrels`, `runs` (the old and the new one), `measures`, `sessions`, `no_relevant` and
    `weights` are as for `evaluate`. An
    `Evaluation` or a table of values may stand for them, without what needs rankings. `margin` is a
    share of the old values, as ``"5%"``, or a difference, as 0.01; the default is 5 %. `by` groups
    the topics, see `compare`. The verdicts of groups, whose p-values have Holm's correction for all
    of them, are notes, unless `every_group`: then each must hold. A group of fewer than 10 topics
    is not tested. With `every_group`, measures and groups are one family. `equivalent` asks whether
    the new run is neither worse nor better. `looks`, from 1 to 1000, says how often the gate will
    decide in all, as topics are added: each bound then has the level .05 / `looks`. `by_mean` tests
    nothing: a run holds unless its mean is worse by more than the margin. `undecided`
    settles an undecided gate for `status`, the exit status of the command: ``pass``, ``fail``, or
    ``mean``, which fails if a mean is worse by more than the margin. `holds` stays false. `stored`
    has the values of the old run from an earlier day. Needs the extra ``stats``.

    With `sessions`, whether a verdict is the same for all orders of ties and all judgments is not
    known.

    `progress` is as for `evaluate`.

    >>> qrels = {f"q{number}": {"a": 1} for number in range(60)}
    >>> good = {topic: {"a": 1.0} for topic in qrels}
    >>> gate(qrels, {"old": good, "new": good}, ["nDCG_JK@10"], margin="5%").holds
    True

    Raises `GradedError` unless there are two runs and at least two topics; for a relative margin of
    a measure whose old mean is not above 0; for an absolute margin of 1 or more that is not below a
    positive old mean, because every run would hold; if no topic has a group; and, with the topics,
    if values of the old run differ from the stored ones.
    """
    statistics_library("scipy.special")
    size = Margin.of(DEFAULT_MARGIN)
    if margin is not None:
        size = Margin.of(margin)
    evaluation, study = evaluated(
        qrels, runs, measures, sessions, kept=True, no_relevant=no_relevant, weights=weights
    )
    number_of_runs = len(evaluation.runs)
    topics = len(evaluation.topics)
    if number_of_runs != 2 or topics < 2:
        raise GradedError(
            "a gate needs two runs, the old and the new one, and at least 2 "
            f"{evaluation.unit}s; there are {counted(number_of_runs, 'run')} and "
            f"{counted(topics, evaluation.unit)}"
        )
    refuse_few_topics(evaluation)
    for measure in evaluation.measures:
        means = evaluation.paired_means(measure)
        _refuse_margin(size, measure, float(means[0]), *evaluation.paired(measure))
    if stored is not None:
        _refuse_drift(evaluation, stored)
    groups = groups_of(evaluation.topics, by)
    looks = whole_number(looks, "looks", 1, MOST_LOOKS)
    if undecided is not None:
        undecided = word("undecided", undecided, SETTLED)
    if by_mean and looks > 1:
        raise GradedError("by_mean: leave out looks; nothing is tested")
    rule = Rule(size, LEVEL / looks, equivalent, by_mean)
    over_all = [Part.of_all(evaluation)]
    of_groups = []
    for group, rows in groups.items():
        of_groups.append(Part.of_group(group, rows, evaluation))
    families = [over_all, of_groups]
    if every_group:
        # All verdicts decide, so they are one family.
        families = [over_all + of_groups]
    ranges = None
    if study is not None and study.judgments.sessions is None:
        ranges = ranges_of(study, evaluation)
    verdicts: list[Verdict] = []
    for family in families:
        of_family = verdicts_of(family, rule)
        if ranges is not None:
            of_family = with_standing(family, of_family, rule, ranges)
        verdicts += of_family
    old, new = evaluation.runs
    return Gate(
        old=old,
        new=new,
        margin=size,
        chosen=margin is not None,
        equivalent=equivalent,
        every_group=every_group,
        verdicts=tuple(verdicts),
        unit=evaluation.unit,
        looks=looks,
        by_mean=by_mean,
        lacking=notes_on(evaluation),
        remarks=evaluation.remarks,
        unjudged=shares_of(evaluation),
        effective=evaluation.effective,
        by_topic=evaluation,
        is_as_stored=stored is not None,
        undecided=undecided,
    )


def _refuse_margin(
    margin: Margin, measure: Measure, mean: float, old: np.ndarray, new: np.ndarray
) -> None:
    """Raise `GradedError` for a margin that means nothing for the old values and their mean."""
    if margin.relative and not mean > 0 and differences_of(new, old)[0].any():
        raise GradedError(
            f"{measure}: the old mean is {mean:g}, and a relative margin is a share of it; give an "
            "absolute margin, as 0.01"
        )
    # A margin of 1 or more that exceeds the mean is a share without its sign: every run would hold.
    if not margin.relative and sign_of(measure) > 0 and mean > 0 and max(mean, 1) <= margin.size:
        raise GradedError(
            f"{measure}: margin={margin} is not allowed; as a difference it must be below the "
            f"old mean {mean:.4g}; for a share of it write {margin}%"
        )


def _refuse_drift(evaluation: Evaluation, stored: Evaluation) -> None:
    """Raise `GradedError`, which names topics, if the old run's values are not the stored ones.

    Stored values may be rounded: they count as equal if they agree in as many decimals as the table
    has, at least two. A value that is missing then must be missing now, and the other way round.
    """
    from ...evaluation.columns_as_runs import (  # This import takes time.
        refuse_without_run,
        with_measure_of_words,
    )

    old = evaluation.runs[0]
    with about("stored values"):
        stored = with_measure_of_words(stored, evaluation.measures)
        refuse_without_run(stored, old)
        of_old = stored.part([old], evaluation.measures)
    decimals = _decimals_of(stored.values)
    for measure in evaluation.measures:
        then = _values_by_topic(of_old, measure)
        now = _values_by_topic(evaluation, measure)
        largest = max(map(abs, then.values()), default=0.0)
        tolerance = 0.5 * 10.0**-decimals + 1e-12 * largest
        moved = []
        for topic in dict.fromkeys((*of_old.topics, *evaluation.topics)):
            if topic not in then and topic not in now:
                continue
            # The distance from a missing value is NaN, which is not within the tolerance.
            distance = abs(then.get(topic, np.nan) - now.get(topic, np.nan))
            is_unchanged = distance <= tolerance
            if not is_unchanged:
                moved.append(topic)
        if moved:
            topics = f"{counted(len(moved), 'topic')} ({listed(moved, MOST_TOPICS_NAMED)})"
            raise GradedError(
                f"{old}: {measure} is not what was stored in {topics}: the run, the qrels or the "
                "measure has changed"
            )


def _decimals_of(values: np.ndarray) -> int:
    """The number of decimals to which all values are rounded, at least 2."""
    finite = values[np.isfinite(values)]
    for decimals in range(2, MOST_DECIMALS):
        if (finite.round(decimals) == finite).all():
            return decimals
    return MOST_DECIMALS


def _values_by_topic(evaluation: Evaluation, measure: Measure) -> dict[str, float]:
    """The values of the first run for the topics that have one."""
    values = evaluation.of(measure)[0].tolist()
    by_topic = zip(evaluation.topics, values, strict=True)
    return {topic: value for topic, value in by_topic if not np.isnan(value)}
