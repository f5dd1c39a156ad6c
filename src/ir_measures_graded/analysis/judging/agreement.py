"""The results of `judges`: the agreement of each machine with the human, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from ...core.registry.facts import sign_of
from ...errors import GradedError, Remark
from ...evaluation.level_notes import notes_on_rel
from ...evaluation.order_of_runs import best_first, leading
from ...output.figures import Figure
from ...output.formats import Percent, counted, decimal, known, listed, ordinal, short
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ..statistics.orders import Order
from .difference import NOT_SHOWN, KappaDifference
from .favours import PREFERRED_CUTOFF
from .figures import figure_of
from .joint_agreement import JointAgreement
from .level_agreement import BIAS, MOST_LEVELS, TopicAgreement
from .one_table import CHOSEN_JUDGES, THE_HUMAN
from .order_agreement import OrderAgreement
from .panel import COMPLETE
from .percentiles import Statistic, two_decimals

MOST_DIVISIONS: Final = 4
"""The table of κ of each division of the levels is for at most so many divisions."""
MOST_MEANS: Final = 10
"""The table of means is among the others if it has at most so many rows."""
LEAST_TOPICS: Final = 50
"""Intervals of κ and α over fewer topics are too short."""
# In these texts, {0} is the name of the first judge, which is "the human" if it is called so, and
# {1} stands for the other judges.
CHOSEN: Final = (
    "κ and α hold for the documents that {0} judged. They hold for all documents of a "
    "machine only if these are a random sample, which documents chosen by holes are not; "
    "its option --random adds one."
)
COLUMNS: Final = (
    "documents: judged by both; no answer: {0}'s documents without an answer of the judge; "
    "no level: answers without a level of {0}'s scale, which are abstentions; same: share with "
    "equal levels; alpha: Krippendorff's, ordinal; bias: mean of the judge's level minus {0}'s."
)
TOPIC_COLUMNS: Final = (
    "documents: judged by both; same: share with equal levels; gap: mean difference of the levels "
    "by {0} and {1}, without sign; document: one with the largest difference, and its levels by "
    "{0} and {1}."
)
MOST_JUDGES_TOLD: Final = 3
"""Sentences above the levels are on so many judges, those that agree best."""
MOST_SWAPS_TOLD: Final = 3
"""The first sentence names so many pairs of runs that change places."""
ALL_LEVELS: Final = "all"
"""The row and the column of the sums over the levels."""
LEVEL_TABLE: Final = "Documents by {0}'s level (row) and {1}'s (column)"
DIVIDED: Final = "{}: κ with the levels divided in two, below and from {}."
MORE_TABLES: Final = {
    "agreement": "documents, abstentions",
    "kappas": "κ with weights and for levels divided in two, α of intervals",
    "differences": "those of κ from the best judge",
    "levels": "documents by level",
    "topics": "where a judge is far from {0}",
    "orders": "τ_AP, ρ, RBO, significant pairs",
    "means": "of the runs",
    "favours": "runs that a judge favours",
    "estimates": "means of the runs by both judges",
    "pairs": "differences of the runs by both judges",
}
"""The tables that the option --show chooses, and what they have."""
MORE: Final = "--show has more: {}; --show all prints all of them."
NEXT_RUNS: Final = "Next: name at least 2 runs and a measure to see whether their order stays."
NEXT_TOPICS: Final = (
    "Next: --show topics has the topics and documents on which {0} and {1} differ most."
)
MOST_ORDERS: Final = 10
"""The short text has the orders by the first measure alone if there are more rows."""
ORDERS: Final = (
    "moves: the judge moves the order of the runs as a whole less or more than other topics "
    "would, which does not tell whether it favours a run: tau against halves, the tau of the "
    "own orders of {0} on two random halves of the topics; "
    "pairs: those of runs that differ significantly under {0}; agreed, reversed: their "
    "shares that the judge separates likewise and in the other direction. Equal means share "
    "their place; tau_AP has no value if runs tie under {0}."
)
SAMPLED: Final = (
    "where {0} judged {2} of the documents that {1} judged within the cutoff of the "
    "runs; the others count as not relevant, so the order is not {0}'s"
)
SHORT_ORDERS: Final = ("judge", "measure", "tau", "halves", "moves")
"""The columns of the orders of runs in the short text."""
OF_SHORT_ORDERS: Final = (
    "halves: tau of the own orders of {0} on two random halves of the topics; moves: whether the "
    "judge moves the order less or more than that."
)
LEAST_MOVE: Final = 2
LEAST_MOVE_SHARE: Final = 0.25
"""A judge places a run much higher if by so many places, and by this share of the runs."""
FEW_RUNS: Final = 10
"""τ of fewer runs has few possible values."""
FEW_VALUES: Final = "τ of {} runs has few possible values; moves and halves tell little."
TWO_VALUES: Final = "τ of 2 runs is 1, −1 or undefined; moves and halves tell nothing."
BELIEVE: Final = (
    "believe the largest favour of a judge first, because one favoured run makes others look "
    "favoured or disfavoured; a judge must not judge the system that it is part of"
)
UNPROVED: Final = "no run is found to be favoured, which does not prove that none is"
DEEP: Final = (
    "; prefer a cutoff of 10: with random levels for 80 % of the documents and 24 runs, nDCG@20 "
    "named a run falsely in 82 to 89 % of simulations, nDCG@10 in at most 5 %"
)
"""The end of the note on a measure with a greater cutoff than 10."""


class BiasSide(NamedTuple):
    """What judges with a bias above 0, or below, are called: those farthest on this side, and those
    that are so although all judges are on the other side."""

    word: str
    most: str
    least_of_others: str


LENIENT: Final = BiasSide("lenient", "most lenient", "least strict")
STRICT: Final = BiasSide("strict", "strictest", "least lenient")


@dataclass(frozen=True, eq=False)
class JudgeAgreement:
    """The agreement of a machine, named `judge`, with the human; see `judges`.

    `levels` are those of all judges. `confusion` (levels × levels) counts the documents that both
    judged, with the human's level in the row; it is empty for more than 12 levels. `counts` has the
    number of these ``documents``, the human's documents ``unanswered`` by the machine, the
    ``abstentions`` (rows without a level and answers outside the scale, of which `outside` tells),
    the documents of the ``machine only``, the share with the ``same`` level, and the ``bias``, the
    mean of the machine's level minus the human's.

    `statistics` has Cohen's κ: ``kappa``, ``kappa linear`` and ``kappa quadratic`` with weights
    that grow with the difference of the levels or its square, and with at most 12 levels one for
    each division of the levels in two, such as ``kappa 0|123``. It also has Krippendorff's α,
    ``alpha interval`` and ``alpha ordinal``. `bias` is the bias with its interval. They are over
    the documents of so many `topics`.
    `orders` has the agreement by each measure. `by_topic` has the agreement on each topic, the
    largest mean gap of the levels first, and its document whose levels are the farthest apart.
    """

    judge: str
    levels: tuple[float, ...]
    confusion: np.ndarray
    counts: dict[str, float]
    statistics: dict[str, Statistic]
    topics: int
    outside: str
    orders: tuple[OrderAgreement, ...]
    bias: Statistic
    by_topic: tuple[TopicAgreement, ...] = ()

    def record(self) -> dict[str, Any]:
        """The judge's counts, statistics with their ends, and shares of significant pairs."""
        statistics = {**self.statistics, BIAS: self.bias}
        shares: dict[str, float | None] = {}
        halves: dict[str, float | None] = {}
        for order in self.orders:
            measure = order.measure
            for name, statistic in order.statistics.items():
                statistics[f"{name} {measure}"] = statistic
            shares[f"agreed {measure}"] = order.agreed
            shares[f"reversed {measure}"] = order.reversed
            halves[f"tau {measure} halves"] = order.halves
        values = {name: statistic.value for name, statistic in statistics.items()}
        lower = {f"{name} lower": statistic.lower for name, statistic in statistics.items()}
        upper = {f"{name} upper": statistic.upper for name, statistic in statistics.items()}
        return {"judge": self.judge, **self.counts, **values, **shares, **lower, **upper, **halves}


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Result):
    """The agreement of each machine with the human; see `judges`.

    `confidence` is the level of the intervals. `remarks` are on the judges of a table, on a
    machine's answers outside the human's scale, and on topics without a value. `differences` has
    the difference of κ between the judge with the highest κ and each other one. `human` is what
    sentences call the first judge: "the human", or the name of a file or column that does not say
    so. `joint` is the agreement of all judges together, the human among them; None for a single
    machine.
    """

    judges: tuple[JudgeAgreement, ...]
    confidence: float
    remarks: tuple[Remark, ...] = ()
    differences: tuple[KappaDifference, ...] = ()
    human: str = THE_HUMAN
    joint: JointAgreement | None = None

    @property
    def _names(self) -> tuple[str, str]:
        """What the first judge and the others are called in texts."""
        others = "the machine" if self.human == THE_HUMAN else "the other judge"
        return self.human, others

    def _heading(self, column: str) -> Column:
        """A column of values by the first judge or another one, with what this one is called."""
        if self.human == THE_HUMAN:
            return Column(column)
        heading = column.replace("human", self.human).replace("machine", "other judge")
        return Column(column, heading)

    def taken_as_human(self) -> list[Note]:
        """That the first judge is taken as the human, if its name does not say that it is, nor a
        remark on the judges of a table why it does."""
        if self.human == THE_HUMAN or any(remark.kind == CHOSEN_JUDGES for remark in self.remarks):
            return []
        return [
            Note("{} is taken as the human; name another judge first to change that.", self.human)
        ]

    def column_note(self) -> Note:
        """What the columns of the judges are."""
        return Note(COLUMNS, *self._names)

    def topic_note(self) -> Note:
        """What the columns of the topics are."""
        return Note(TOPIC_COLUMNS, *self._names)

    def answer(self) -> list[Note]:
        """The agreement of the judge that agrees best with the human, on levels and on orders of
        runs."""
        best = self.best
        kappa = best.statistics["kappa"]
        documents = counted(int(best.counts["documents"]), "document")
        among = ""
        if len(self.judges) > 1:
            among = f", with the highest κ of {len(self.judges)} judges,"
            equal = self._equal_to_best()
            if equal:
                among = f", with the highest κ of {len(self.judges)} judges, as {listed(equal)},"
        of_levels = ""
        if kappa.value is not None:
            of_levels = f", κ {kappa.in_sentence()}"
        of_runs = ""
        defined = [order for order in best.orders if order.tau is not None]
        if defined:
            taus = listed(map(_tau_in_words, defined))
            of_runs = f", and on the order of {len(defined[0].runs)} runs with {taus}"
            least = min(order.judged for order in defined)
            if 100 * least < COMPLETE:
                of_runs += f", {SAMPLED.format(*self._names, Percent(least))}"
            else:
                of_runs += _swaps_in_words(defined)
        text = "{}{} agrees with {} on {} of {}{}{}."
        same = Percent(best.counts["same"])
        agreement = Note(text, best.judge, among, self.human, same, documents, of_levels, of_runs)
        sentences = [agreement, *self._moved_up(), *self._distinguished(), *self._lenience()]
        return [*sentences, *self.joint_answer(), *self.favour_answer()]

    def short_tables(self) -> list[Table]:
        """The first of the tables, the agreement on orders of runs, of many rows those by the first
        measure, and the means of few runs."""
        tables = self.tables()[:1]
        orders = self.spread_table()
        if len(orders.rows) > MOST_ORDERS:
            first = orders.rows[0][1]
            orders.rows = [row for row in orders.rows if row[1] == first]
        if orders.rows:
            tables.append(orders.select(*SHORT_ORDERS))
            tables[-1].title = orders.title
        means = self.mean_table()
        if 0 < len(means.rows) <= MOST_MEANS:
            tables.append(means)
        return tables

    def short_notes(self, has_estimates: bool = False) -> list[str]:
        """What limits the agreement, what to do next, and where the rest is.

        The estimates have notes of their own.
        """
        notes = self._on_topics()
        is_named = any(favour.verdict for _, order in self._orders for favour in order.favours)
        if is_named:
            notes += self.favour_notes()
        if self._orders:
            notes.append(Note(OF_SHORT_ORDERS, *self._names))
        notes += self._on_runs()
        notes += notes_on_rel([order.measure for order in self.judges[0].orders], self._levels)
        following = Note(NEXT_RUNS)
        if self._orders:
            other = self._names[1] if len(self.judges) == 1 else "a judge"
            following = Note(NEXT_TOPICS, self.human, other)
        others = []
        for name in self._more_tables(has_estimates):
            others.append(f"{name} ({MORE_TABLES[name].format(*self._names)})")
        more = Note(MORE, listed(others, len(others)))
        return [*notes, *self.taken_as_human(), following, more]

    def _more_tables(self, has_estimates: bool) -> Iterator[str]:
        """The names of the tables of `MORE_TABLES` that there are."""
        yield "agreement"
        if self.kappa_tables():
            yield "kappas"
        if len(self.judges) > 1:
            yield "differences"
        if len(self._levels) <= MOST_LEVELS:
            yield "levels"
        yield "topics"
        if self._orders:
            yield from ("orders", "means")
        if not all(order.no_favours for _, order in self._orders):
            yield "favours"
        if has_estimates:
            yield "estimates"
        if has_estimates and self._orders:
            yield "pairs"

    def joint_answer(self) -> list[Note]:
        """The agreement of all judges together."""
        joint = self.joint
        if joint is None or joint.alpha.value is None:
            return []
        text = "Krippendorff's α of all {} judges together, {} among them, is {} on {} (ordinal)."
        documents = counted(joint.documents, "document")
        return [Note(text, joint.judges, self.human, joint.alpha.in_sentence(), documents)]

    def _moved_up(self) -> Iterator[Note]:
        """The runs that a judge places much higher than the human does, by each measure, the
        largest move first.

        A judge that keeps the order as a whole may still favour one run.
        """
        for by_judge in zip(*(judge.orders for judge in self.judges), strict=True):
            moves: list[tuple[int, str, str]] = []
            for judge, order in zip(self.judges, by_judge, strict=True):
                human, machine = order.means
                least = max(LEAST_MOVE, LEAST_MOVE_SHARE * len(order.runs))
                places = zip(Order.of(human).place, Order.of(machine).place, strict=True)
                for run, (by_human, by_machine) in zip(order.runs, places, strict=True):
                    rise = int(by_human - by_machine)
                    if rise >= least:
                        of_human = f"{ordinal(int(by_human))} under {self.human}"
                        of_machine = f"{ordinal(int(by_machine))} under {judge.judge}"
                        moves.append((-rise, run, f"{run} is {of_human}, {of_machine}"))
            if moves:
                texts = [text for _, _, text in sorted(moves)]
                yield Note("By {}, {}.", by_judge[0].measure, listed(texts))

    def _equal_to_best(self) -> list[str]:
        """The names of the other judges with the highest κ."""
        kappas = [judge.statistics["kappa"].value for judge in self.judges]
        names = [judge.judge for judge in self.judges]
        best_judges = leading(np.array(kappas, dtype=float), names)
        return [name for name in best_judges if name != self.best.judge]

    def _distinguished(self) -> Iterator[Note]:
        """Which judges have a κ that is not shown to differ from the highest."""
        if not self.differences:
            return
        best = self.differences[0].best
        if len(self.differences) == 1:
            (only,) = self.differences
            text = "κ of {} is {} above that of {}{}."
            verdict = ""
            if only.verdict == NOT_SHOWN:
                topics = counted(only.topics, "topic")
                verdict = f": not shown to differ with {topics}, which may be too few"
            elif only.verdict != "lower":
                verdict = f": {only.verdict}"
            interval = ""
            if only.lower is not None and only.upper is not None:
                interval = f" ({decimal(only.lower)} to {decimal(only.upper)})"
            yield Note(text, best, decimal(only.value) + interval, only.judge, verdict)
            return
        alike = [other.judge for other in self.differences if other.verdict != "lower"]
        if alike:
            are = "are" if len(alike) > 1 else "is"
            text = (
                "{} {} not shown to differ from {} by κ, with intervals for all {:,} pairs of "
                "judges; {} may be too few."
            )
            topics = counted(min(other.topics for other in self.differences), "topic")
            yield Note(text, listed(alike), are, best, self._pair_count, topics)
        else:
            yield Note("κ of every other judge is lower, beyond chance, than that of {}.", best)

    @property
    def _pair_count(self) -> int:
        """The number of pairs of judges with a κ, for all of which the intervals hold."""
        defined = [judge for judge in self.judges if judge.statistics["kappa"].value is not None]
        return len(defined) * (len(defined) - 1) // 2

    def _lenience(self) -> Iterator[Note]:
        """Which judges give the highest and the lowest levels, if they differ."""
        names = [judge.judge for judge in self.judges]
        biases = np.array([judge.counts["bias"] for judge in self.judges])
        most_lenient = leading(biases, names)
        strictest = leading(-biases, names)
        if most_lenient == strictest:
            return
        text = "By the mean of the levels, {} {} the {} (bias {}), {} {} the {} ({})."
        yield Note(text, *self._extreme(most_lenient, LENIENT), *self._extreme(strictest, STRICT))

    def _extreme(self, names: Sequence[str], side: BiasSide) -> tuple[str, str, str, str]:
        """The judges with these names, which are the farthest on a side, the verb, what they are,
        and their bias with the interval of the first.

        If the interval lies on the other side of 0, as that of the strictest of lenient judges,
        they are the least so. Else the bias says whether it does not show that they are on the
        side.
        """
        verb = "are" if len(names) > 1 else "is"
        judge = next(judge for judge in self.judges if judge.judge == names[0])
        text = short(judge.counts[BIAS], "+.2f")
        bias = judge.bias
        if bias.lower is None or bias.upper is None:
            return listed(names), verb, side.most, text
        text += f", {short(bias.lower, '.2f')} to {short(bias.upper, '.2f')}"
        is_above = bias.lower > 0
        is_below = bias.upper < 0
        is_shown = is_above if side is LENIENT else is_below
        is_opposite = is_below if side is LENIENT else is_above
        if is_opposite:
            return listed(names), verb, side.least_of_others, text
        if not is_shown:
            text += f", not shown to be {side.word}"
        return listed(names), verb, side.most, text

    def difference_table(self) -> Table:
        """The difference of κ between the best judge and each other one, on the same documents."""
        names = KappaDifference._fields
        rows = [[*difference, difference.verdict] for difference in self.differences]
        title = f"Difference of κ, with {100 * self.confidence:.10g} % intervals for all pairs"
        columns = [*names, "verdict"]
        return Table(columns, rows, title)

    def tables(self) -> list[Table]:
        """A row with κ, α and bias for each judge, the highest κ first; the counts of documents,
        and the orders and favours of runs.

        For a single judge also its other statistics and its levels.
        """
        share = f"{100 * self.confidence:.10g} %"
        columns: list[Column | str] = ["judge"]
        for name in ("kappa", "alpha ordinal", BIAS):
            columns.append(Column(name, f"{name.partition(' ')[0]} ({share})", str))
        lacking = [Column("unanswered", "no answer"), Column("abstentions", "no level")]
        of_documents: list[Column | str] = ["judge", "same", "documents", *lacking]
        best_first = self._best_first()
        tables = [
            Table.of(columns, best_first),
            Table.of(of_documents, best_first, "Documents of the judges"),
        ]
        if len(self.judges) == 1:
            tables += self.kappa_tables()
        tables.append(self.spread_table())
        means = self.mean_table()
        if len(means.rows) <= MOST_MEANS:
            tables.append(means)
        tables.append(self.favour_table(named=True))
        if len(self.judges) == 1 and len(self.judges[0].levels) <= MOST_LEVELS:
            tables.append(self.level_table(totals=True))
        return [table for table in tables if table.rows]

    def _best_first(self) -> list[dict[str, Any]]:
        """The fields, counts and statistics of each judge, the highest κ first."""
        judges = self._judges_best_first()
        return [judge.counts | vars(judge) | judge.statistics for judge in judges]

    def _judges_best_first(self) -> list[JudgeAgreement]:
        """The judges, the highest κ first."""
        return [self.judges[number] for number in self._order()]

    def _order(self) -> list[int]:
        """The numbers of the judges, the highest κ first, by name if several have it."""
        kappas = [judge.statistics["kappa"].value for judge in self.judges]
        names = [judge.judge for judge in self.judges]
        return best_first(np.array(kappas, dtype=float), names)

    def kappa_tables(self) -> list[Table]:
        """κ with weights and of each division of the levels, and α; none for too many levels.

        The highest κ comes first.
        """
        share = f"{100 * self.confidence:.10g} %"
        names = self.judges[0].statistics
        divided = [name for name in names if "|" in name]
        weighted = [name for name in names if " " in name and name not in divided]
        records = self._best_first()
        tables = []
        groups = {"κ with weights, and α": weighted, "κ with the levels divided in two": divided}
        for title, group in groups.items():
            if 0 < len(group) <= MOST_DIVISIONS:
                columns = [Column(name, kind=str) for name in group]
                title += f", with {share} intervals over topics"
                tables.append(Table.of(["judge", *columns], records, title))
        return tables

    def data(self) -> Table:
        """A row per judge: that of the table, ends of intervals, and at most 12 levels.

        ``tau P@5 lower`` and ``upper`` are the ends of a spread over topics, and ``tau P@5 halves``
        is the yardstick. The number of documents with the levels 1 by the human and 2 by the
        machine is under ``1>2``, if any judge has such documents.
        """
        levels = self.judges[0].levels
        used = np.argwhere(sum(judge.confusion for judge in self.judges)).tolist()
        records = []
        for judge in self.judges:
            record = judge.record()
            for human, machine in used:
                name = f"{levels[human]}>{levels[machine]}"
                record[name] = int(judge.confusion[human, machine])
            records.append(record)
        return Table.of(records[0], records)

    def figure(self, *, title: str = "") -> Figure:
        """Draw κ of the judges, the levels by the best judge, and the order of the runs.

        Needs the extra ``plot``.
        """
        return figure_of(self, title)

    @property
    def best(self) -> JudgeAgreement:
        """The judge with the highest κ; the first by name of several, or if none is defined."""
        return self.judges[self._order()[0]]

    def notes(self) -> list[str]:
        """What the reader of the tables must know."""
        notes = [*self._on_topics(), *self.favour_notes(), *self.order_notes()]
        measures = [order.measure for order in self.judges[0].orders]
        notes += notes_on_rel(measures, self._levels)
        notes.append(self.column_note())
        if len(self.judges) == 1:
            notes += self._on_divisions()
        return [*notes, *self.taken_as_human()]

    def order_notes(self) -> list[str]:
        """What the columns of the orders of runs are."""
        if not self._orders:
            return []
        return [Note(ORDERS, *self._names), *self._on_runs()]

    def _on_runs(self) -> list[str]:
        """That τ of few runs has few possible values."""
        if not self._orders:
            return []
        runs = len(self._orders[0][1].runs)
        if runs >= FEW_RUNS:
            return []
        text = FEW_VALUES if runs > 2 else TWO_VALUES
        return [Note(text, runs)]

    def _on_topics(self) -> list[str]:
        """That intervals over few topics are too short, and for which documents κ and α hold."""
        topics = min(judge.topics for judge in self.judges)
        notes: list[str] = []
        if topics == 1:
            notes.append(
                Note("κ and α have no interval, as one topic does not show how others differ.")
            )
        elif topics < LEAST_TOPICS:
            text = "The intervals of κ and α are too short with fewer than {} topics, here {}."
            notes.append(Note(text, LEAST_TOPICS, topics))
        if any(judge.counts["machine only"] for judge in self.judges):
            notes.append(Note(CHOSEN, *self._names))
        return notes

    @property
    def _levels(self) -> tuple[float, ...]:
        """The levels of all judges."""
        return self.judges[0].levels

    def _on_divisions(self) -> Iterator[Note]:
        """What the first division of the levels in the tables is."""
        divisions = [name for name in self.judges[0].statistics if "|" in name]
        if 0 < len(divisions) <= MOST_DIVISIONS:
            yield Note(DIVIDED, divisions[0], self.judges[0].levels[1])

    @staticmethod
    def _on_favours(by_judge: Sequence[OrderAgreement]) -> Note:
        """What the favours of the runs by a measure prove, or why there are none."""
        order = max(by_judge, key=lambda order: len(order.favours))
        is_named = any(favour.verdict for order in by_judge for favour in order.favours)
        text = UNPROVED
        if order.no_favours:
            text = order.no_favours
        elif is_named:
            text = BELIEVE
        if order.favours and order.measure.params["cutoff"] > PREFERRED_CUTOFF:
            text += DEEP
        return Note("{}: {}.", order.measure, text)

    def spread_table(self) -> Table:
        """A row per judge and measure with the agreement of the orders and of the significant
        differences.

        τ has its spread over sets of as many topics. ``halves`` is τ of the human's own orders on
        two random halves of the topics.
        """
        records = []
        for judge, order in self._orders:
            values = {name: statistic.value for name, statistic in order.statistics.items()}
            names = {"judge": judge, "measure": str(order.measure), "moves": order.moves}
            records.append(vars(order) | values | names | {"tau": order.statistics["tau"]})
        columns: list[Column | str] = ["judge", "measure", Column("tau", kind=str)]
        others = ("halves", "tau_AP", "rho", "RBO", "agreed", "reversed")
        columns += [Column(name, name, two_decimals) for name in others]
        columns += [Column("significant", "pairs"), "moves"]
        share = f"{100 * self.confidence:.10g} %"
        title = (
            f"Agreement on the order of runs; tau with its spread over {share} of sets of topics"
        )
        return Table.of(columns, records, title)

    def mean_table(self) -> Table:
        """A row per judge, measure and run: the means under the human and under the machine over
        the topics of both, and the places of the run; the best under the human first."""
        rows = []
        for judge, order in self._orders:
            human, machine = order.means
            place_by_human = Order.of(human).place
            place_by_machine = Order.of(machine).place
            sign = sign_of(order.measure)
            for run in best_first(human, order.runs):
                means = [float(sign * human[run]), float(sign * machine[run])]
                places = [int(place_by_human[run]), int(place_by_machine[run])]
                rows.append([judge, str(order.measure), order.runs[run], *means, *places])
        by_judge = map(self._heading, ("human", "machine", "human place", "machine place"))
        title = "Means of the runs under {} and under {}".format(*self._names)
        return Table(["judge", "measure", "run", *by_judge], rows, title)

    def favour_table(self, named: bool = False) -> Table:
        """A row per judge, measure and run, the largest favour first, or only for runs that are
        `named`.

        Raises `GradedError` with the reason if no measure has favours.
        """
        if not named and self._orders and all(order.no_favours for _, order in self._orders):
            raise GradedError(self._orders[0][1].no_favours)
        rows = []
        for judge, order in self._orders:
            sizes = np.abs([favour.value for favour in order.favours])
            runs = [favour.run for favour in order.favours]
            for number in best_first(sizes, runs):
                favour = order.favours[number]
                if favour.verdict or not named:
                    numbers = known(np.array(favour[1:]))
                    names = [judge, str(order.measure), favour.run]
                    rows.append([*names, *numbers, favour.verdict])
        columns = ("judge", "measure", "run", "favour", "lower", "upper", "verdict")
        return Table(columns, rows, "Favoured runs: value beyond that of runs of the same quality")

    def favour_answer(self) -> list[Note]:
        """Whom each judge favours or disfavours, the largest favour first."""
        answer = []
        for judge, order in self._orders:
            sizes = np.abs([favour.value for favour in order.favours])
            runs = [favour.run for favour in order.favours]
            named = []
            for number in best_first(sizes, runs):
                favour = order.favours[number]
                if favour.verdict:
                    verb = favour.verdict.removesuffix("ed") + "s"
                    interval = f"({decimal(favour.lower)} to {decimal(favour.upper)})"
                    value = decimal(favour.value, "+")
                    named.append(f"{verb} {favour.run}, {value} {interval}")
            if named:
                text = "By {}, {} {} beyond runs of the same quality."
                answer.append(Note(text, order.measure, judge, listed(named)))
        return answer

    def favour_notes(self) -> list[Note]:
        """What the favours prove by each measure."""
        of_judges = [judge.orders for judge in self.judges]
        return [self._on_favours(by_judge) for by_judge in zip(*of_judges, strict=True)]

    def level_answer(self) -> list[Note]:
        """The levels of the human and of the best judges that differ in most documents."""
        sentences = []
        several = len(self.judges) > 1
        for number in self._order()[:MOST_JUDGES_TOLD]:
            judge = self.judges[number]
            differing = judge.confusion.copy()
            np.fill_diagonal(differing, 0)
            if not differing.any():
                text = "All documents have the same level under {} and {}."
                sentences.append(Note(text, self.human, judge.judge))
                continue
            row, column = np.unravel_index(int(differing.argmax()), differing.shape)
            count = int(differing[row, column])
            documents = counted(count, "document")
            are = "is" if count == 1 else "are"
            of_judge = f" of {judge.judge}" if several else ""
            text = "Most differences{}: {} of {}'s level {} {} judged {}."
            levels = judge.levels
            names = (of_judge, documents, self.human, levels[row], are, levels[column])
            sentences.append(Note(text, *names))
        if len(self.judges) > MOST_JUDGES_TOLD:
            text = "These are the {} judges with the highest κ; the table has all {}, best first."
            sentences.append(Note(text, MOST_JUDGES_TOLD, len(self.judges)))
        return sentences

    def level_table(self, *, totals: bool = False) -> Table:
        """The confusion matrices: one row per judge and human level, perhaps with `totals`; an
        error for more than 12 levels."""
        levels = list(map(str, self.judges[0].levels))
        if len(levels) > MOST_LEVELS:
            raise GradedError(
                f"there are {len(levels)} levels; their table is for at most {MOST_LEVELS}"
            )
        rows = []
        for judge in self._judges_best_first():
            counts = judge.confusion
            names = list(levels)
            if totals:
                counts = np.vstack([counts, counts.sum(axis=0)])
                counts = np.column_stack([counts, counts.sum(axis=1)])
                names.append(ALL_LEVELS)
            for name, of_level in zip(names, counts.tolist(), strict=True):
                rows.append([judge.judge, name, *of_level])
        corner = self._heading("human \\ machine")
        columns: list[Column | str] = ["judge", corner, *levels]
        if totals:
            columns.append(ALL_LEVELS)
        return Table(columns, rows, LEVEL_TABLE.format(*self._names))

    def topic_table(self) -> Table:
        """A row per judge and topic, those where the judge is farthest from the human first."""
        best_first = self._judges_best_first()
        rows = [[judge.judge, *topic] for judge in best_first for topic in judge.by_topic]
        title = "Topics by the mean gap of the levels, with the document of the largest gap"
        columns = map(self._heading, TopicAgreement._fields)
        return Table(["judge", *columns], rows, title)

    @property
    def _orders(self) -> list[tuple[str, OrderAgreement]]:
        """The name of each judge with its agreement by each measure, the highest κ first."""
        best_first = self._judges_best_first()
        return [(judge.judge, order) for judge in best_first for order in judge.orders]


def _tau_in_words(order: OrderAgreement) -> str:
    """τ by a measure, and of how many pairs of runs it is made."""
    alike, pairs = order.alike
    tau = short(order.tau or 0.0, ".2f")
    return f"τ {tau} by {order.measure} ({alike} of {counted(pairs, 'pair')} in the same order)"


def _swaps_in_words(orders: Sequence[OrderAgreement]) -> str:
    """The pairs of runs that are in opposite orders under both judges, if they are few."""
    clauses = []
    for order in orders:
        swapped = order.swapped
        if swapped and len(swapped) <= MOST_SWAPS_TOLD:
            pairs = ", ".join(" and ".join(pair) for pair in swapped)
            by_measure = f" by {order.measure}" if len(orders) > 1 else ""
            clauses.append(f"{pairs} change places{by_measure}")
    if not clauses:
        return ""
    return f"; {'; '.join(clauses)}"
