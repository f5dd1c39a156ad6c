"""The agreement of machine judges with a human on the levels of documents and on the order of runs.

`judges` compares any number of qrels with those of a human. The qrels may also be of two humans, of
two pools or of two years. For the documents that both judged, the result has the number of each
pair of levels (confusion matrix), Cohen's κ, Krippendorff's α and the bias of the machine. With
runs and measures, it has the agreement of the orders of the runs, of the significant differences,
and the runs that the machine favours.

Resampled topics show how far the agreement depends on the topics. Their percentiles are no
confidence interval of τ, because resampling adds the noise that already lowers it. The yardstick is
the agreement of the human with itself on two random halves of the topics.

A judge favours a run if it values the run higher than other runs of the same quality. The means of
the *other* runs under the machine are fitted as a line in their means under the human (least
squares). With the weights c for which Σ c·machine is this line at the human mean of run r:

    favour = mean over the topics of machine_r − Σ c·machine,
             with Student's interval, Šidák over the runs

J. Cohen: Weighted kappa. Psychological Bulletin 70(4), 1968. K. Krippendorff: Content Analysis,
2004. H. A. Rahmani et al.: LLMJudge: LLMs for relevance judgments. 2024.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import attrgetter
from typing import Any, Final, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.ranking.gains import plain_number
from ...core.registry.facts import is_normalised, sign_of
from ...errors import GradedError, Remark
from ...evaluation.checked import checks_arguments
from ...evaluation.named import Qrels, Runs
from ...output.figures import Figure
from ...output.formats import Percent, counted, decimal, known, listed
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ...progress import Progress, steps
from ..comparing.families import width_of
from ..statistics import orders
from ..statistics.defaults import CONFIDENCE
from ..statistics.levels import of_levels
from ..statistics.options import check_probability, statistics_library, whole_number
from ..statistics.precision import EXACT
from ..statistics.primary import paired
from ..statistics.resampling import PERMUTED_AT_ONCE
from .difference import KappaDifference, kappa_differences
from .figures import figure_of
from .panel import Panel, panels, remarks_on, values_of

RESAMPLES: Final = 1000
SPLITS: Final = 1000
DIVIDED: Final = 12
"""The levels have a table, and κ of each division, if there are at most so many."""
SHOWN: Final = 5
"""The table of κ of each division of the levels is for at most so many levels."""
LEAST_TOPICS: Final = 50
"""Intervals of κ and α over fewer topics are too short."""
FEWEST_RUNS: Final = 6
ONE_RUN: Final = "to compare the orders of runs, name at least 2 runs, not 1"
ORDER_STATISTICS: Final = {
    "tau": orders.tau,
    "tau_AP": orders.tau_ap,
    "rho": orders.rho,
    "RBO": orders.rbo,
}
"""The statistics of two orders of runs by name."""
PREFERRED: Final = 10
DEEPEST: Final = 20
"""The greatest cutoff of measures with favours; a greater one than `PREFERRED` names more runs
falsely."""
CHOSEN: Final = Note(
    "κ and α hold for the documents that the human judged. They hold for all documents of a "
    "machine only if these are a random sample, which documents chosen by holes are not; "
    "its option --random adds one."
)
COLUMNS: Final = Note(
    "documents: judged by both; unanswered: the human's documents without an answer of the judge; "
    "same: share with equal levels; bias: mean of the judge's level minus the human's; "
    "kappa 0|12: κ with the levels divided in two."
)
ORDERS: Final = Note(
    "moves: the judge moves the order of the runs less or more than other topics would: tau "
    "against halves, the tau of the human's own orders on two random halves of the topics; "
    "pairs: those of runs that differ significantly under the human; agreed, reversed: their "
    "shares that the judge separates likewise and in the other direction. Equal means share "
    "their place; tau_AP has no value if runs tie under the human."
)
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


class Statistic(NamedTuple):
    """A statistic and percentiles of it over resampled topics; each is None where it is
    undefined."""

    value: float | None
    lower: float | None
    upper: float | None

    @classmethod
    def of(cls, values: np.ndarray, confidence: float) -> Statistic:
        """From the value of the sample and those of its resamples."""
        value = values[0]
        if np.isnan(value):
            return cls(None, None, None)
        resampled = values[1:]
        resampled = resampled[~np.isnan(resampled)]
        if not resampled.size:
            return cls(float(value), None, None)
        ends = ((1 - confidence) / 2, (1 + confidence) / 2)
        lower, upper = np.quantile(resampled, ends).tolist()
        return cls(float(value), lower, upper)

    @property
    def interval(self) -> str:
        """The percentiles as text; empty if there are none."""
        return "" if self.lower is None else f"{self.lower:.2f} to {self.upper:.2f}"

    def __str__(self) -> str:
        value = "" if self.value is None else f"{self.value:.2f}"
        return f"{value} ({self.interval})" if self.interval else value


class Favour(NamedTuple):
    """The value of a run beyond that of other runs of its quality, with an interval, NaN if there
    is none."""

    run: str
    value: float
    lower: float
    upper: float

    @property
    def verdict(self) -> str:
        """``favoured`` or ``disfavoured`` if the interval excludes 0, else empty."""
        if self.lower > 0:
            return "favoured"
        return "disfavoured" if self.upper < 0 else ""


@dataclass(frozen=True)
class OrderAgreement:
    """The orders of the runs by one measure under either judge, over the topics that both judged.

    `statistics` has ``tau``, ``tau_AP``, ``rho`` and ``RBO``, see `orders`, with their spread over
    sets of as many topics. `halves` is τ of the human's orders on two random halves of the topics,
    as the mean over 1,000 splits. Of the pairs of runs that differ significantly under the human,
    `significant` is the number, `agreed` the share that the machine also separates, and `reversed`
    the share that it separates in the other direction; both are None if there is no such pair.
    `favours` has the favour of each run, and is empty where `no_favours` gives a reason. `means`
    (2 × runs) are those under the human and under the machine, larger is better.
    """

    measure: Measure
    runs: tuple[str, ...]
    statistics: dict[str, Statistic]
    halves: float | None
    significant: int
    agreed: float | None
    reversed: float | None
    favours: tuple[Favour, ...]
    no_favours: str
    means: np.ndarray = field(compare=False)

    @property
    def tau(self) -> float | None:
        """Kendall's τ (b); None if all runs tie under one judge."""
        return self.statistics["tau"].value

    @property
    def moves(self) -> str:
        """Whether the judge moves the order ``less`` or ``more`` than other topics, else empty."""
        if self.tau is None or self.halves is None or self.tau == self.halves:
            return ""
        return "less" if self.tau > self.halves else "more"


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
    each division of the levels in two, such as ``kappa 0|123``. It also has Krippendorff's α:
    ``alpha interval`` and ``alpha ordinal``. They are over the documents of so many `topics`.
    `orders` has the agreement by each measure.
    """

    judge: str
    levels: tuple[float, ...]
    confusion: np.ndarray
    counts: dict[str, float]
    statistics: dict[str, Statistic]
    topics: int
    outside: str
    orders: tuple[OrderAgreement, ...]

    def record(self) -> dict[str, Any]:
        """The judge's counts, statistics with their ends, and shares of significant pairs."""
        statistics = dict(self.statistics)
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

    `confidence` is the level of the intervals. `remarks` are on a machine's answers outside the
    human's scale, and on topics without a value. `differences` has the difference of κ between the
    judge with the highest κ and each other one.
    """

    judges: tuple[JudgeAgreement, ...]
    confidence: float
    remarks: tuple[Remark, ...] = ()
    differences: tuple[KappaDifference, ...] = ()

    def answer(self) -> list[Note]:
        """The agreement of the judge that agrees best with the human, on levels and on orders of
        runs."""
        best = self.best
        kappa = best.statistics["kappa"]
        documents = counted(int(best.counts["documents"]), "document")
        among = ""
        if len(self.judges) > 1:
            among = f", with the highest κ of {len(self.judges)} judges,"
        of_levels = ""
        if kappa.lower is not None:
            of_levels = f", κ {kappa}"
        of_runs = ""
        defined = [order for order in best.orders if order.tau is not None]
        if defined:
            taus = listed(f"τ {order.tau:.2f} by {order.measure}" for order in defined)
            of_runs = f", and on the order of {len(defined[0].runs)} runs with {taus}"
        text = "{}{} agrees with the human on {} of {}{}{}."
        same = Percent(best.counts["same"])
        agreement = Note(text, best.judge, among, same, documents, of_levels, of_runs)
        return [agreement, *self._distinguished()]

    def _distinguished(self) -> Iterator[Note]:
        """Which judges have a κ that is not distinguishable from the highest."""
        if not self.differences:
            return
        best = self.differences[0].best
        if len(self.differences) == 1:
            (only,) = self.differences
            text = "κ of {} is {} above that of {}{}."
            verdict = ""
            if only.verdict != "lower":
                verdict = f": {only.verdict}"
            interval = ""
            if only.lower is not None and only.upper is not None:
                interval = f" ({decimal(only.lower)} to {decimal(only.upper)})"
            yield Note(text, best, decimal(only.value) + interval, only.judge, verdict)
            return
        alike = [other.judge for other in self.differences if other.verdict != "lower"]
        if alike:
            text = "{} are not distinguishable from {} by κ."
            if len(alike) == 1:
                text = "{} is not distinguishable from {} by κ."
            yield Note(text, listed(alike), best)
        else:
            yield Note("κ of every other judge is lower, beyond chance, than that of {}.", best)

    def difference_table(self) -> Table:
        """The difference of κ between the best judge and each other one, on the same documents."""
        names = KappaDifference._fields
        rows = [[*difference, difference.verdict] for difference in self.differences]
        title = f"Difference of κ, with {100 * self.confidence:.10g} % intervals for all pairs"
        columns = [*names, "verdict"]
        return Table(columns, rows, title)

    def tables(self) -> list[Table]:
        """The documents and κ of each judge, its other statistics, orders, favours and levels."""
        share = f"{100 * self.confidence:.10g} %"
        names = self.judges[0].statistics
        divided = [name for name in names if "|" in name]
        weighted = [name for name in names if " " in name and name not in divided]
        records = [vars(judge) | judge.counts | judge.statistics for judge in self.judges]
        shown = ["judge", "documents", "unanswered", "abstentions", "same", "bias"]
        kappa = Column("kappa", kind=attrgetter("value"))
        interval = Column("kappa", f"{share} interval", attrgetter("interval"))
        tables = [Table.of([*shown, kappa, interval], records)]
        groups = {"κ with weights, and α": weighted, "κ with the levels divided in two": divided}
        for title, group in groups.items():
            if 0 < len(group) < SHOWN:
                columns = [Column(name, kind=str) for name in group]
                title += f", with {share} intervals over topics"
                tables.append(Table.of(["judge", *columns], records, title))
        tables += [self.difference_table(), self.spread_table(), self.favour_table(named=True)]
        if len(self.judges[0].levels) <= DIVIDED:
            tables.append(self.level_table())
        return [table for table in tables if table.rows]

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

    def figure(self) -> Figure:
        """Draw κ of the judges, the levels by the best judge, and the order of the runs.

        Needs the extra ``plot``.
        """
        return figure_of(self)

    @property
    def best(self) -> JudgeAgreement:
        """The judge with the highest κ; the first one if none is defined."""
        kappas = np.array([judge.statistics["kappa"].value for judge in self.judges], dtype=float)
        return self.judges[int(np.argmax(np.nan_to_num(kappas, nan=-1)))]

    def notes(self) -> list[str]:
        """What the reader of the tables must know."""
        topics = min(judge.topics for judge in self.judges)
        notes: list[str] = []
        if topics < LEAST_TOPICS:
            text = "The intervals of κ and α are too short with fewer than {} topics, here {}."
            notes.append(Note(text, LEAST_TOPICS, topics))
        if any(judge.counts["machine only"] for judge in self.judges):
            notes.append(CHOSEN)
        of_judges = [judge.orders for judge in self.judges]
        notes += [self._on_favours(by_judge) for by_judge in zip(*of_judges, strict=True)]
        if self._orders:
            notes.append(ORDERS)
        return [*notes, COLUMNS]

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
        if order.favours and order.measure.params["cutoff"] > PREFERRED:
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
        columns: list[Column | str] = ["judge", "measure", Column("tau", kind=str), "halves"]
        others = ("tau_AP", "rho", "RBO", "agreed", "reversed")
        columns += [Column(name, kind="{:.2f}".format) for name in others]
        columns += [Column("significant", "pairs"), "moves"]
        share = f"{100 * self.confidence:.10g} %"
        title = (
            f"Agreement on the order of runs; tau with its spread over {share} of sets of topics"
        )
        return Table.of(columns, records, title)

    def favour_table(self, named: bool = False) -> Table:
        """A row per judge, measure and run, the largest favour first, or only for runs that are
        `named`.

        Raises `GradedError` with the reason if no measure has favours.
        """
        if not named and self._orders and all(order.no_favours for _, order in self._orders):
            raise GradedError(self._orders[0][1].no_favours)
        rows = []
        for judge, order in self._orders:
            for favour in sorted(order.favours, key=lambda favour: -abs(favour.value)):
                if favour.verdict or not named:
                    numbers = known(np.array(favour[1:]))
                    names = [judge, str(order.measure), favour.run]
                    rows.append([*names, *numbers, favour.verdict])
        columns = ("judge", "measure", "run", "favour", "lower", "upper", "verdict")
        return Table(columns, rows, "Favoured runs: value beyond that of runs of the same quality")

    def level_table(self) -> Table:
        """The confusion matrices: one row per judge and human level; an error for more than 12
        levels."""
        levels = list(map(str, self.judges[0].levels))
        if len(levels) > DIVIDED:
            raise GradedError(
                f"there are {len(levels)} levels; their table is for at most {DIVIDED}"
            )
        rows = []
        for judge in self.judges:
            for level, counts in zip(levels, judge.confusion.tolist(), strict=True):
                rows.append([judge.judge, level, *counts])
        title = "Documents by the human's level (row) and the machine's (column)"
        return Table(["judge", "human \\ machine", *levels], rows, title)

    @property
    def _orders(self) -> list[tuple[str, OrderAgreement]]:
        """The name of each judge with its agreement by each measure."""
        return [(judge.judge, order) for judge in self.judges for order in judge.orders]


@checks_arguments("judges(human, {'machine': qrels}, runs, ['nDCG@10'])")
def judges(
    human: Qrels,
    machines: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]],
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = False,
) -> Judges:
    """Compare the judgments of machines with those of a human, and the orders of the runs under
    them.

    `machines` are qrels by name, or paths of qrels. `runs` and `measures` are those of `evaluate`;
    give both runs and measures, or neither. `machine_levels` maps the levels of the machines to the
    human's scale, as in `estimate`. Without it, levels outside this scale in at most 1 % of a
    machine's answers are abstentions. The intervals of κ and α with the given `confidence`, and the
    spread of the agreement on orders, are percentiles over at least 100 `resamples` of the topics
    with replacement. A pair of runs is significant by the primary procedure of `compare` at the
    level 1 − `confidence`. Favours are computed for at least 6 runs and discounted measures with a
    cutoff of at most 20 and an ideal list of all judged documents. Needs the extra ``stats``.

    `progress` is as for `evaluate`.

    >>> human = {"q1": {"a": 0, "b": 1, "c": 2}, "q2": {"d": 0, "e": 2}}
    >>> machine = {"q1": {"a": 0, "b": 2, "c": 2}, "q2": {"d": 1, "e": 2, "f": 0}}
    >>> (found,) = judges(human, {"mine": machine}).judges
    >>> found.confusion
    array([[1, 1, 0],
           [0, 0, 1],
           [0, 0, 2]])
    >>> found.counts["same"], found.counts["bias"]
    (0.6, 0.4)
    >>> round(found.statistics["kappa quadratic"].value, 3)
    0.75

    Raises `GradedError` if no document is judged by both, for fewer than two runs, and for scales
    that differ without `machine_levels`.
    """
    of_machines = panels(human, machines, runs, measures, machine_levels=machine_levels)
    values = of_machines[0].values
    if values is not None and len(values[0].runs) < 2:
        raise GradedError(ONE_RUN)
    return compared(of_machines, confidence, resamples, seed)


def compared(of_machines: Sequence[Panel], confidence: float, resamples: int, seed: int) -> Judges:
    """The agreement in each panel, as `judges`."""
    check_probability(confidence, "confidence", CONFIDENCE)
    resamples = whole_number(resamples, "resamples", 100)
    seed = whole_number(seed, "seed", 0)
    statistics_library("scipy.special")
    pairs = [_pairs(panel) for panel in of_machines]
    all_levels = [levels for by_topic in pairs for levels in by_topic]
    levels = np.unique(np.concatenate(all_levels))
    sampling = Sampling(resamples, confidence, seed)
    panels_and_pairs = list(zip(of_machines, pairs, strict=True))
    agreements = [
        _agreement(panel, by_topic, levels, sampling)
        for panel, by_topic in steps(panels_and_pairs, "judges")
    ]
    kappas = [agreement.statistics["kappa"].value for agreement in agreements]
    differences = kappa_differences(of_machines, kappas, confidence, resamples, seed)
    return Judges(tuple(agreements), confidence, remarks_on(of_machines), differences)


def _pairs(panel: Panel) -> list[np.ndarray]:
    """The levels of the documents that both judged (documents × judges), by topic."""
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
            f"no document is judged by both the human and {panel.name}; compare their ids"
        )
    return pairs


class Sampling(NamedTuple):
    """The number of resamples of the topics, the level of the intervals over them, and the seed."""

    resamples: int
    confidence: float
    seed: int


class Cells(NamedTuple):
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
    def of(cls, pairs: Sequence[np.ndarray], levels: np.ndarray) -> Cells:
        """From the levels by both judges (documents × judges) in each topic."""
        topic = np.repeat(np.arange(len(pairs)), [len(of_topic) for of_topic in pairs])
        human, machine = np.searchsorted(levels, np.concatenate(pairs)).T
        cells, documents = np.unique([human, machine, topic], axis=1, return_counts=True)
        human, machine, topic = cells
        is_start = np.diff(human, prepend=-1) | np.diff(machine, prepend=-1)
        starts = np.flatnonzero(is_start)
        return cls(topic, documents, starts, human[starts], machine[starts])

    def sums(self, weights: np.ndarray) -> np.ndarray:
        """The number of documents of each pair of levels, with weights of the topics."""
        return np.add.reduceat(weights[:, self.topic] * self.documents, self.starts, axis=1)


def _agreement(
    panel: Panel, pairs: Sequence[np.ndarray], levels: np.ndarray, sampling: Sampling
) -> JudgeAgreement:
    cells = Cells.of(pairs, levels)
    is_divided = levels.size <= DIVIDED

    def agreement_in(weights: np.ndarray) -> dict[str, np.ndarray]:
        return of_levels(cells.sums(weights), cells.human, cells.machine, levels, is_divided)

    weights = draws(len(pairs), sampling.resamples, sampling.seed)
    statistics = in_parts(agreement_in, cells.documents.size + levels.size, weights)
    sizes = np.add.reduceat(cells.documents, cells.starts)
    side = levels.size if is_divided else 0
    confusion = np.zeros((side, side), dtype=np.int64)
    if is_divided:
        confusion[cells.human, cells.machine] = sizes
    documents = int(sizes.sum())
    same = sizes[cells.human == cells.machine].sum()
    differences = levels[cells.machine] - levels[cells.human]
    counts = {
        "documents": documents,
        "unanswered": sum(map(len, panel.human.values())) - documents,
        "abstentions": panel.abstentions,
        "machine only": sum(map(len, panel.machine.values())) - documents,
        "same": float(same / documents),
        "bias": float((sizes * differences).sum() / documents),
    }
    intervals = {
        name: Statistic.of(values, sampling.confidence) for name, values in statistics.items()
    }
    outside = "" if panel.outside is None else f"{panel.outside}."
    return JudgeAgreement(
        panel.name,
        tuple(map(plain_number, levels)),
        confusion,
        counts,
        intervals,
        len(pairs),
        outside,
        tuple(order_agreements(panel, *sampling)),
    )


def in_parts(
    function: Callable[..., dict[str, Any]], size: int, *rows: np.ndarray
) -> dict[str, np.ndarray]:
    """The arrays that a function makes of rows of this size, of some rows at a time."""
    count = 1 + len(rows[0]) * size // PERMUTED_AT_ONCE
    split = [np.array_split(array, count) for array in rows]
    parts = steps(zip(*split, strict=True), "batches of resamples", count)
    by_part = [function(*arrays) for arrays in parts]
    names = list(by_part[0])
    return {name: np.concatenate([values[name] for values in by_part]) for name in names}


def draws(topics: int, resamples: int, seed: int) -> np.ndarray:
    """How often each topic is in the sample and in each resample of it (1 + resamples × topics)."""
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(topics, np.full(topics, 1 / topics), resamples)
    return np.concatenate([np.ones((1, topics), dtype=np.int64), weights])


def order_agreements(
    panel: Panel, resamples: int, confidence: float, seed: int
) -> Iterator[OrderAgreement]:
    """The agreement on the order of at least two runs by each measure; none for fewer runs."""
    if panel.values is None or len(panel.values[0].runs) < 2:
        return
    by_human, by_machine = panel.values
    human = values_of(by_human, panel.both)
    machine = values_of(by_machine, panel.both)
    for column, measure in enumerate(by_human.measures):
        # A topic without a value of any run under either judge is left out.
        has_values = ~np.isnan(human[:, column] + machine[:, column]).any(axis=0)
        sign = sign_of(measure)
        values = OfRuns(
            by_human.runs,
            sign * human[:, column, has_values],
            sign * machine[:, column, has_values],
        )
        yield _order_agreement(measure, values, resamples, confidence, seed)


class OfRuns(NamedTuple):
    """The values of the runs under either judge (runs × topics); larger is better."""

    runs: tuple[str, ...]
    human: np.ndarray
    machine: np.ndarray

    @property
    def topics(self) -> int:
        """The number of topics."""
        return int(self.human.shape[1])


def _order_agreement(
    measure: Measure, values: OfRuns, resamples: int, confidence: float, seed: int
) -> OrderAgreement:
    statistics = dict.fromkeys(ORDER_STATISTICS, Statistic(None, None, None))
    if values.topics:
        weights = draws(values.topics, resamples, seed) / values.topics
        compared_orders = _orders(weights @ values.human.T, weights @ values.machine.T)
        for name, of_samples in compared_orders.items():
            statistics[name] = Statistic.of(of_samples, confidence)
    pairs = list(combinations(range(len(values.runs)), 2))
    human = _significant(values.human, pairs, 1 - confidence)
    machine = _significant(values.machine, pairs, 1 - confidence)
    significant = int(np.abs(human).sum())
    agreed = None
    reversed_share = None
    if significant:
        agreed = float((human * machine == 1).sum() / significant)
        reversed_share = float((human * machine == -1).sum() / significant)
    no_favours = why_no_favours(measure, len(values.runs), values.topics)
    favoured: tuple[Favour, ...] = ()
    if not no_favours:
        width = width_of(measure)
        favoured = favours(values.runs, values.human, values.machine, confidence, width)
    return OrderAgreement(
        measure,
        values.runs,
        statistics,
        _tau_of_halves(values.human, seed),
        significant,
        agreed,
        reversed_share,
        favoured,
        no_favours,
        np.stack([mean_over_topics(values.human), mean_over_topics(values.machine)]),
    )


def _tau_of_halves(values: np.ndarray, seed: int) -> float | None:
    """The mean τ of the orders of the runs (runs × topics) on two random halves of the topics."""
    topics = values.shape[1]
    if topics < 2:
        return None
    generator = np.random.default_rng(seed)
    places = np.argsort(generator.random((SPLITS, topics)))
    first = places < topics // 2
    second = ~first
    means_of_first = first @ values.T / first[0].sum()
    means_of_second = second @ values.T / second[0].sum()
    taus = _orders(means_of_first, means_of_second)["tau"]
    taus = taus[~np.isnan(taus)]
    return float(taus.mean()) if taus.size else None


def why_no_favours(measure: Measure, runs: int, topics: int) -> str:
    """The reason why favours are not computed, or an empty text."""
    cutoff = measure.params.get("cutoff")
    fits = isinstance(measure, type(ir_measures.nDCG))
    if is_normalised(measure) and measure.ideal_documents == "judged":
        fits = np.ptp(measure.rank_weights(DEEPEST)) > 0
    if not (fits and cutoff and cutoff <= DEEPEST):
        return (
            f"only measures with a cutoff of at most {DEEPEST}, a discount and an ideal list of "
            "all judged documents, such as nDCG@10, show whom a judge favours; others name runs "
            "falsely"
        )
    if runs < FEWEST_RUNS or topics < 2:
        return f"a favour needs at least {FEWEST_RUNS} runs and 2 topics, not {runs} and {topics}"
    return ""


def favours(
    runs: tuple[str, ...],
    human: np.ndarray,
    machine: np.ndarray,
    confidence: float,
    width: float = np.inf,
) -> tuple[Favour, ...]:
    """The favour of each run, from its values under either judge (runs × topics).

    `width` is that of the range of the measure, for intervals if few topics differ, as in
    `paired`.

    A run has none if all others have the same mean under the human, but for rounding errors. A
    favour that is the same in every topic has no interval, as in `paired`.
    """
    count = len(runs)
    means = mean_over_topics(human)
    expected = machine.copy()
    pairs = []
    for run in range(count):
        others = np.arange(count) != run
        # Differences of close means are exact, those from their mean are not.
        distance = means - means[run - 1]
        distance -= distance[others].mean()
        of_others = distance[others]
        if np.ptp(of_others) > EXACT * np.abs(human).max():
            slope_weights = of_others * distance[run] / (of_others @ of_others)
            weights = slope_weights + 1 / others.sum()
            neighbour = machine[run - 1]
            expected[run] = neighbour + weights @ (machine[others] - neighbour)
            pairs.append((run, count + run))
    if not pairs:
        return ()
    tested = paired(np.concatenate([machine, expected]), pairs, 1 - confidence, width=width)
    names = [runs[run] for run, _ in pairs]
    columns = (tested.difference.tolist(), tested.lower.tolist(), tested.upper.tolist())
    return tuple(Favour(*row) for row in zip(names, *columns, strict=True))


def _orders(human: np.ndarray, machine: np.ndarray) -> dict[str, np.ndarray]:
    """The agreement of pairs of orders (pairs × runs)."""

    def of_part(first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
        one = orders.Order.of(first)
        other = orders.Order.of(second)
        return {name: statistic(one, other) for name, statistic in ORDER_STATISTICS.items()}

    return in_parts(of_part, human.shape[1] ** 2, human, machine)


def _significant(values: np.ndarray, pairs: list[tuple[int, int]], level: float) -> np.ndarray:
    """The sign of each significant difference of two runs (runs × topics), 0 for the others."""
    if values.shape[1] < 2:
        return np.zeros(len(pairs))
    tested = paired(values, pairs, level)
    return np.where(tested.adjusted < level, np.sign(tested.difference), 0)
