"""The agreement of machine judges with a human on the levels of documents and on the order of runs.

`judges` compares any number of qrels with those of a human, and `agreement` compares two. The qrels may also
be of two humans, of two pools or of two years. For the documents that both judged, the result has the number
of each pair of levels (confusion matrix), Cohen's κ, Krippendorff's α and the bias of the machine. With runs
and measures, it has the agreement of the orders of the runs, of the significant differences, and the runs
that the machine favours, see `orders`.

J. Cohen: Weighted kappa. Psychological Bulletin 70(4), 1968. K. Krippendorff: Content Analysis, 2004. H. A.
Rahmani et al.: LLMJudge: LLMs for relevance judgments. 2024.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import plain_number
from ...errors import GradedError
from ...evaluation.named import Qrels, Runs
from ...output.formats import counted, listed
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ..statistics.agreement import of_levels
from ..statistics.options import check_probability, need_statistics, whole_number
from ..statistics.significance import PERMUTED_AT_ONCE
from .merging import MACHINE
from .orders import OrderAgreement, Statistic, draws, order_agreements
from .panel import Panel, panels

RESAMPLES: Final = 1000
DIVIDED: Final = 12
"""The levels have a table, and κ of each division, if there are at most so many."""
SHOWN: Final = 5
"""The table of κ of each division of the levels is for at most so many levels."""
FEW: Final = 50
"""Intervals of κ and α over fewer topics are too short."""
CHOSEN: Final = Note(
    "κ and α hold for the documents that the human judged. They hold for all documents of a machine only if "
    "these are a random sample, which documents chosen by holes are not; its option --random adds one."
)
COLUMNS: Final = Note(
    "documents: judged by both; unanswered: the human's documents without an answer of the judge; same: "
    "share with equal levels; bias: mean of the judge's level minus the human's; kappa 0|12: κ with the "
    "levels divided in two."
)
MOVES: Final = (
    "{}: {} {} the order of the runs {} than other topics would: tau against halves, the tau of the human's "
    "own orders on two random halves of the topics."
)
BELIEVE: Final = (
    "{}: believe the largest favour of a judge first, because one favoured run makes others look favoured or "
    "disfavoured. A judge must not judge the system that it is part of."
)


@dataclass(frozen=True)
class JudgeAgreement:
    """The agreement of a machine, named `judge`, with the human; see `judges`.

    `levels` are those of all judges. `cells` counts the documents that both judged by the human's level
    and the machine's. `counts` has the number of these ``documents``, the human's documents ``unanswered`` by
    the machine, the ``abstentions`` (rows without a level and answers outside the scale, of which `outside`
    tells), the documents of the ``machine only``, the share with the ``same`` level, and the ``bias``, the
    mean of the machine's level minus the human's.

    `statistics` has Cohen's κ: ``kappa``, ``kappa linear`` and ``kappa quadratic`` with weights that grow
    with the difference of the levels or its square, and with at most 12 levels one for each division of the
    levels in two, such as ``kappa 0|123``. It also has Krippendorff's α: ``alpha interval`` and ``alpha
    ordinal``. They are over the documents of so many `topics`. `orders` has the agreement by each measure.
    """

    judge: str
    levels: tuple[float, ...]
    cells: dict[tuple[float, float], int]
    counts: dict[str, float]
    statistics: dict[str, Statistic]
    topics: int
    outside: str
    orders: tuple[OrderAgreement, ...]

    @property
    def confusion(self) -> np.ndarray:
        """The cells as a matrix (levels × levels), with the human's level in the row."""
        matrix = np.zeros((len(self.levels),) * 2, dtype=np.int64)
        for levels, count in self.cells.items():
            matrix[tuple(map(self.levels.index, levels))] = count
        return matrix

    def record(self) -> dict[str, Any]:
        """The judge's counts, all statistics, shares of significant pairs of runs, ends, and favours."""
        statistics = dict(self.statistics)
        shares: dict[str, float | None] = {}
        others: dict[str, float | None] = {}
        for order in self.orders:
            statistics |= {f"{name} {order.measure}": each for name, each in order.statistics.items()}
            shares |= {f"agreed {order.measure}": order.agreed, f"reversed {order.measure}": order.reversed}
            others[f"tau {order.measure} halves"] = order.halves
            favours = {favour.run: favour.value for favour in order.favours}
            others |= {f"favour {order.measure} {run}": favours.get(run) for run in order.runs}
        values = {name: each.value for name, each in statistics.items()}
        lower = {f"{name} lower": each.lower for name, each in statistics.items()}
        upper = {f"{name} upper": each.upper for name, each in statistics.items()}
        return {"judge": self.judge, **self.counts, **values, **shares, **lower, **upper, **others}


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Result):
    """The agreement of each machine with the human; see `judges`.

    `confidence` is the level of the intervals.
    """

    judges: tuple[JudgeAgreement, ...]
    confidence: float

    def answer(self) -> list[Note]:
        """The agreement of the judge that agrees best with the human, on levels and on orders of runs."""
        kappas = np.array([each.statistics["kappa"].value for each in self.judges], dtype=float)
        best = self.judges[int(np.argmax(np.nan_to_num(kappas, nan=-1)))]
        kappa, documents = best.statistics["kappa"], counted(int(best.counts["documents"]), "document")
        among = f", the best of {len(self.judges)} judges," if len(self.judges) > 1 else ""
        told = "" if kappa.lower is None else f", κ {kappa.value:.2f} ({kappa.interval})"
        text = "{}{} agrees with the human on {:.0f} % of {}{}{}."
        orders = [order for order in best.orders if order.tau is not None]
        taus = listed(f"τ {order.tau:.2f} by {order.measure}" for order in orders)
        runs = f", and on the order of {len(orders[0].runs)} runs with {taus}" if orders else ""
        return [Note(text, best.judge, among, 100 * best.counts["same"], documents, told, runs)]

    def tables(self) -> list[Table]:
        """The documents and κ of each judge, its other statistics, orders, favours and levels."""
        records = [
            {"judge": each.judge, "interval": each.statistics["kappa"].interval}
            | each.counts
            | each.statistics
            for each in self.judges
        ]

        def table(names: Sequence[str], title: str) -> Table:
            columns = [Column(name, kind=str) for name in names]
            title += f", with {self._share} intervals over topics"
            return Table.of(["judge", *columns], records, title)

        shown = ["judge", "documents", "unanswered", "abstentions", "same", "bias"]
        kappa = Column("kappa", kind=lambda found: found.value), Column("interval", f"{self._share} interval")
        names = self.judges[0].statistics
        divided = [name for name in names if "|" in name]
        weighted = [name for name in names if " " in name and name not in divided]
        others = [table(weighted, "κ with weights, and α")]
        if 0 < len(divided) < SHOWN:
            others.append(table(divided, "κ with the levels divided in two"))
        others += [self.spread_table(), self.favour_table(named=True)]
        if len(self.judges[0].levels) <= DIVIDED:
            others.append(self.level_table())
        return [Table.of([*shown, *kappa], records), *(each for each in others if each.rows)]

    def data(self) -> Table:
        """A row per judge: that of the table, ends of intervals, favours, and the levels.

        ``tau P@5 lower`` and ``upper`` are the ends of a spread over topics, and ``tau P@5 halves`` is the
        yardstick. The number of documents with the levels 1 by the human and 2 by the machine is under
        ``1>2``, if any judge has such documents.
        """
        cells = sorted({levels for each in self.judges for levels in each.cells})
        records = [
            each.record() | {f"{a}>{b}": each.cells.get((a, b), 0) for a, b in cells} for each in self.judges
        ]
        return Table.of(records[0], records)

    def notes(self) -> list[str]:
        """What the reader of the tables must know."""
        first, topics = self.judges[0], min(each.topics for each in self.judges)
        notes = [each.outside for each in self.judges if each.outside]
        if len(first.levels) > DIVIDED:
            text = "There are {} levels; κ of divisions and the table of levels are for at most {}."
            notes.append(Note(text, len(first.levels), DIVIDED))
        if topics < FEW:
            text = "The intervals of κ and α are too short with fewer than {} topics, here {}."
            notes.append(Note(text, FEW, topics))
        if any(each.counts["machine only"] for each in self.judges):
            notes.append(CHOSEN)
        if first.orders:
            text = "agreed and reversed are shares of the pairs of runs that differ significantly under the "
            counts = ", ".join(f"{order.significant} by {order.measure}" for order in first.orders)
            notes.append(Note(text + "human: {}.", counts))
        for found in zip(*(each.orders for each in self.judges)):
            measure = found[0].measure
            for how in ("less", "more"):
                names = [each.judge for each, order in zip(self.judges, found) if order.moves == how]
                if names:
                    move = "moves" if len(names) == 1 else "move"
                    notes.append(Note(MOVES, measure, listed(names), move, how))
            if found[0].no_favours:
                notes.append(Note("{}: {}.", measure, found[0].no_favours))
            elif any(each.verdict for order in found for each in order.favours):
                notes.append(Note(BELIEVE, measure))
            else:
                text = "{}: no run is found to be favoured, which does not prove that none is."
                notes.append(Note(text, measure))
        return [*notes, COLUMNS]

    def spread_table(self) -> Table:
        """A row per judge and measure with the agreement of the orders and of the significant differences.

        τ has its spread over sets of as many topics. ``halves`` is τ of the human's own orders on two random
        halves of the topics.
        """
        records = []
        for judge, order in self._orders:
            values = {name: each.value for name, each in order.statistics.items()}
            tau = order.statistics["tau"]
            records.append(
                {**vars(order), **values, "judge": judge, "measure": str(order.measure), "tau": tau}
            )
        columns: list[Column | str] = ["judge", "measure", Column("tau", kind=str), "halves"]
        others = ("tau_AP", "rho", "RBO", "agreed", "reversed")
        columns += [Column(name, kind="{:.2f}".format) for name in others]
        title = f"Agreement on the order of runs; tau with its spread over {self._share} of sets of topics"
        return Table.of(columns, records, title)

    def favour_table(self, named: bool = False) -> Table:
        """A row per judge, measure and run, the largest favour first, or only for runs that are `named`.

        Raises `GradedError` with the reason if no measure has favours.
        """
        if not named and self._orders and all(order.no_favours for _, order in self._orders):
            raise GradedError(self._orders[0][1].no_favours)
        rows = [
            [judge, str(order.measure), *favour, favour.verdict]
            for judge, order in self._orders
            for favour in sorted(order.favours, key=lambda favour: -abs(favour.value))
            if favour.verdict or not named
        ]
        columns = ("judge", "measure", "run", "favour", "lower", "upper", "verdict")
        return Table(columns, rows, "Favoured runs: value beyond that of runs of the same quality")

    def level_table(self) -> Table:
        """The confusion matrices: one row per judge and human level; an error for more than 12 levels."""
        levels = self.judges[0].levels
        if len(levels) > DIVIDED:
            raise GradedError(f"there are {len(levels)} levels; their table is for at most {DIVIDED}")
        rows = [
            [each.judge, str(level), *(each.cells.get((level, other), 0) for other in levels)]
            for each in self.judges
            for level in levels
        ]
        title = "Documents by the human's level (row) and the machine's (column)"
        return Table(["judge", "human \\ machine", *map(str, levels)], rows, title)

    @property
    def _share(self) -> str:
        return f"{100 * self.confidence:g} %"

    @property
    def _orders(self) -> list[tuple[str, OrderAgreement]]:
        """The name of each judge with its agreement by each measure."""
        return [(each.judge, order) for each in self.judges for order in each.orders]


def judges(
    human: Qrels,
    machines: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]],
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Judges:
    """Compare the judgments of machines with those of a human, and the orders of the runs under them.

    `machines` are qrels by name, or paths of qrels. `runs` and `measures` are those of
    `evaluate`; give both runs and measures, or neither. `machine_levels` maps the levels of the machines to
    the human's scale, as in `estimate`. Without it, levels outside this scale in at most 1 % of a machine's
    answers are abstentions. The intervals of κ and α with the given `confidence`, and the spread of the
    agreement on orders, are percentiles over `resamples` draws of the topics with replacement. A pair of runs
    is significant by the primary procedure of `compare` at the level 1 − `confidence`. Favours are computed
    for at least 6 runs and normalised measures with a cutoff of at most 20. Needs the extra ``stats``.

    >>> human = {"q1": {"a": 0, "b": 1, "c": 2}, "q2": {"d": 0, "e": 2}}
    >>> machine = {"q1": {"a": 0, "b": 2, "c": 2}, "q2": {"d": 1, "e": 2, "f": 0}}
    >>> (found,) = judges(human, {"mine": machine}).judges
    >>> found.confusion
    array([[1, 1, 0],
           [0, 0, 1],
           [0, 0, 2]])
    >>> found.counts["same"], found.counts["bias"], round(found.statistics["kappa quadratic"].value, 3)
    (0.6, 0.4, 0.75)

    Raises `GradedError` if no document is judged by both, for fewer than two runs, and for scales that differ
    without `machine_levels`.
    """
    found = panels(human, machines, runs, measures, machine_levels=machine_levels)
    if found[0].values is not None and len(found[0].values[0].runs) < 2:
        raise GradedError("to compare the orders of runs, name at least 2 runs, not 1")
    return compared(found, confidence, resamples, seed)


def agreement(
    human: Qrels, machine: Qrels, runs: Runs = (), measures: Iterable[Measure | str] = (), **options: Any
) -> JudgeAgreement:
    """Compare the judgments of two qrels, and the orders of the runs under them.

    `human` and `machine` are any two qrels. `options` are those of `judges`.
    """
    return judges(human, {MACHINE: machine}, runs, measures, **options).judges[0]


def compared(found: Sequence[Panel], confidence: float, resamples: int, seed: int) -> Judges:
    """The agreement in each panel, as `judges`."""
    check_probability(confidence, "confidence", 0.95)
    whole_number(resamples, "resamples", 1)
    whole_number(seed, "seed", 0)
    need_statistics("scipy")
    pairs = [_pairs(panel) for panel in found]
    levels = np.unique(np.concatenate([each for by_topic in pairs for each in by_topic.values()]))
    machines = []
    for panel, by_topic in zip(found, pairs):
        orders = order_agreements(panel, resamples, confidence, seed)
        drawn = draws(len(by_topic), resamples, seed)
        machines.append(_agreement(panel, by_topic, levels, drawn, confidence, tuple(orders)))
    return Judges(tuple(machines), confidence)


def _pairs(panel: Panel) -> dict[str, np.ndarray]:
    """The levels of the documents that both judged, by topic (documents × judges)."""
    found = {}
    for topic in panel.both:
        others, judged = panel.machine[topic], panel.human[topic]
        if levels := [(level, others[doc]) for doc, level in judged.items() if doc in others]:
            found[topic] = np.array(levels, dtype=float)
    if not found:
        raise GradedError(
            f"no document is judged by both the human and {panel.name}; check that both use the same ids"
        )
    return found


def _agreement(
    panel: Panel,
    pairs: Mapping[str, np.ndarray],
    levels: np.ndarray,
    drawn: np.ndarray,
    confidence: float,
    orders: tuple[OrderAgreement, ...],
) -> JudgeAgreement:
    number = np.repeat(np.arange(len(pairs)), [*map(len, pairs.values())])
    human, machine = np.searchsorted(levels, np.concatenate([*pairs.values()])).T
    # Cells of levels and topics, sorted by levels: the sums over topics are those of neighbours.
    (human, machine, number), count = np.unique([human, machine, number], axis=1, return_counts=True)
    starts = np.flatnonzero(np.diff(human, prepend=-1) | np.diff(machine, prepend=-1))
    human, machine = human[starts], machine[starts]
    parts = np.array_split(drawn, 1 + len(drawn) * (count.size + levels.size) // PERMUTED_AT_ONCE)
    found = []
    for part in parts:
        drawn_cells = np.add.reduceat(part[:, number] * count, starts, axis=1)
        found.append(of_levels(drawn_cells, human, machine, levels, levels.size <= DIVIDED))
    plain = [plain_number(level) for level in levels]
    sizes = np.add.reduceat(count, starts).tolist()
    cells = {(plain[a], plain[b]): size for a, b, size in zip(human, machine, sizes)}
    documents = int(count.sum())
    counts = {
        "documents": documents,
        "unanswered": sum(map(len, panel.human.values())) - documents,
        "abstentions": panel.abstentions,
        "machine only": sum(map(len, panel.machine.values())) - documents,
        "same": sum(n for (a, b), n in cells.items() if a == b) / documents,
        "bias": sum(n * (b - a) for (a, b), n in cells.items()) / documents,
    }
    statistics = {
        name: Statistic.of(np.concatenate([each[name] for each in found]), confidence) for name in found[0]
    }
    return JudgeAgreement(
        panel.name, tuple(plain), cells, counts, statistics, len(pairs), panel.outside, orders
    )
