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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import plain_number
from ...errors import GradedError
from ...evaluation.named import Qrels, Runs
from ...output import plots
from ...output.formats import counted, listed
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ..statistics.agreement import of_levels
from ..statistics.options import check_probability, need_statistics, whole_number
from ..statistics.significance import PERMUTED_AT_ONCE
from .estimate import Estimates
from .merging import HUMAN, MACHINE
from .orders import Draw, OrderAgreement, Statistic, order_agreements
from .panel import Panel, panels

RESAMPLES: Final = 1000
DIVIDED: Final = 12
"""The levels have a table, and κ of each division, if there are at most so many."""
COUNTED: Final = ("judge", "documents", "unanswered", "abstentions", "same", "bias", "kappa")
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

BELIEVE: Final = (
    "{}: believe the largest favour of a judge first, because one favoured run makes others look favoured or "
    "disfavoured. A judge must not judge the system that it is part of."
)


@dataclass(frozen=True)
class JudgeAgreement:
    """The agreement of a machine, named `judge`, with the human; see `judges`.

    `levels` are those of all judges. `cells` counts the documents that both judged by the human's level
    and the machine's. `statistics` has Cohen's κ: ``kappa``, ``kappa linear`` and ``kappa quadratic``
    with weights that grow with the difference of the levels or its square, and with at most 12 levels one
    for each division of the levels in two, such as ``kappa 0|123``. It also has Krippendorff's α: ``alpha
    interval`` and ``alpha ordinal``. `human_only` counts the documents of the human that the machine did
    not judge, and `machine_only` those of the machine alone. `abstentions` are the machine's rows without
    a level and its answers outside the scale, of which `outside` tells. `topics` counts those with
    documents that both judged.
    """

    judge: str
    levels: tuple[float, ...]
    cells: dict[tuple[float, float], int]
    statistics: dict[str, Statistic]
    human_only: int
    machine_only: int
    abstentions: int
    outside: str
    topics: int
    orders: tuple[OrderAgreement, ...]

    @property
    def confusion(self) -> np.ndarray:
        """The cells as a matrix (levels × levels), with the human's level in the row."""
        matrix = np.zeros((len(self.levels),) * 2, dtype=np.int64)
        for levels, count in self.cells.items():
            matrix[tuple(map(self.levels.index, levels))] = count
        return matrix

    @property
    def kappa(self) -> float | None:
        """Cohen's κ; None if both judges used one level only."""
        return self.statistics["kappa"].value

    @property
    def quadratic(self) -> float | None:
        """Cohen's κ with quadratic weights."""
        return self.statistics["kappa quadratic"].value

    @property
    def documents(self) -> int:
        """The number of documents that both judged."""
        return sum(self.cells.values())

    @property
    def same(self) -> float:
        """The share of these documents with the same level."""
        return sum(n for (human, machine), n in self.cells.items() if human == machine) / self.documents

    @property
    def bias(self) -> float:
        """The mean of the machine's level minus the human's."""
        return sum(n * (machine - human) for (human, machine), n in self.cells.items()) / self.documents

    def bias_by_level(self) -> dict[float, float]:
        """The bias for the documents of each human level."""
        found: dict[float, list[tuple[int, float]]] = {}
        for (human, machine), count in self.cells.items():
            found.setdefault(human, []).append((count, machine - human))
        return {level: sum(n * bias for n, bias in of) / sum(n for n, _ in of) for level, of in found.items()}

    def all_statistics(self) -> dict[str, Statistic]:
        """The statistics of the levels and of the orders of runs, with the measure in the name."""
        found = dict(self.statistics)
        for order in self.orders:
            found |= {f"{name} {order.measure}": each for name, each in order.statistics.items()}
        return found

    def row(self) -> dict[str, Any]:
        """The judge's name and counts, all statistics, and the shares of significant pairs of runs."""
        row = {
            "judge": self.judge,
            "documents": self.documents,
            "unanswered": self.human_only,
            "abstentions": self.abstentions,
            "machine only": self.machine_only,
            "same": self.same,
            "bias": self.bias,
        }
        row |= {name: found.value for name, found in self.all_statistics().items()}
        for order in self.orders:
            row |= {f"agreed {order.measure}": order.agreed, f"reversed {order.measure}": order.reversed}
        return row


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Result):
    """The agreement of each machine with the human; see `judges`.

    `confidence` is the level of the intervals. `estimates` are those with the judgments of the only machine,
    if they are computed.
    """

    judges: tuple[JudgeAgreement, ...]
    confidence: float
    estimates: Estimates | None = None

    def answer(self) -> list[Note]:
        """The agreement of the judge that agrees best with the human, on levels and on orders of runs."""
        best = max(self.judges, key=lambda each: -1.0 if each.kappa is None else each.kappa)
        kappa, documents = best.statistics["kappa"], counted(best.documents, "document")
        among = f", the best of {len(self.judges)} judges," if len(self.judges) > 1 else ""
        told = "" if kappa.lower is None else f", κ {kappa.value:.2f} ({_interval(kappa)})"
        text = "{}{} agrees with the human on {:.0f} % of {}{}{}."
        orders = [order for order in best.orders if order.statistics["tau"].value is not None]
        taus = listed(f"τ {order.statistics['tau'].value:.2f} by {order.measure}" for order in orders)
        runs = f", and on the order of {len(orders[0].runs)} runs with {taus}" if orders else ""
        found = Note(text, best.judge, among, 100 * best.same, documents, told, runs)
        return [found, *(self.estimates.answer() if self.estimates else ())]

    def tables(self) -> list[Table]:
        """The documents and κ of each judge, its other statistics, orders, favours, levels and estimates."""
        rows = [[each.row()[name] for name in COUNTED] for each in self.judges]
        found = [[*row, each.statistics["kappa"]] for row, each in zip(rows, self.judges)]
        first = Table([*COUNTED, Column(f"{self._share} interval", kind=_interval)], found)
        divided = [name for name in self.judges[0].statistics if "|" in name]
        weighted = [name for name in self.judges[0].statistics if " " in name and name not in divided]
        others = [self._statistics(weighted, "κ with weights, and α")]
        if 0 < len(divided) < SHOWN:
            others.append(self._statistics(divided, "κ with the levels divided in two"))
        others += [self.spread_table(), self.favour_table(named=True)]
        others += [self.level_table(), *(self.estimates.tables() if self.estimates else ())]
        return [first, *(table for table in others if table.rows)]

    def data(self) -> Table:
        """A row per judge: that of the table, ends of intervals, favours, and the levels.

        ``tau P@5 lower`` and ``upper`` are the ends of a spread over topics, and ``tau P@5 halves`` is the
        yardstick. The number of documents with the levels 1 by the human and 2 by the machine is under
        ``1>2``, if any judge has such documents.
        """
        cells = sorted({levels for each in self.judges for levels in each.cells})
        records = []
        for each in self.judges:
            record = each.row()
            for end in ("lower", "upper"):
                record |= {f"{name} {end}": getattr(of, end) for name, of in each.all_statistics().items()}
            for order in each.orders:
                record[f"tau {order.measure} halves"] = order.halves
                favours = {favour.run: favour.value for favour in order.favours}
                record |= {f"favour {order.measure} {run}": favours.get(run) for run in order.runs}
            records.append(record | {f"{a}>{b}": each.cells.get((a, b), 0) for a, b in cells})
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
        if any(each.machine_only for each in self.judges):
            notes.append(CHOSEN)
        if first.orders:
            text = "agreed and reversed are shares of the pairs of runs that differ significantly under the "
            counts = ", ".join(f"{order.significant} by {order.measure}" for order in first.orders)
            notes.append(Note(text + "human: {}.", counts))
        for column in range(len(first.orders)):
            notes += self._notes_on([each.orders[column] for each in self.judges])
        return [*notes, COLUMNS, *(self.estimates.notes() if self.estimates else ())]

    def _notes_on(self, found: Sequence[OrderAgreement]) -> Iterator[Note]:
        """The yardstick of the orders by a measure, and why no run is said to be favoured."""
        for how in ("less", "more"):
            if names := [each.judge for each, order in zip(self.judges, found) if order.moves == how]:
                text = (
                    "{}: {} {} the order of the runs {} than other topics would: tau against halves, the tau "
                    "of the human's own orders on two random halves of the topics."
                )
                yield Note(text, found[0].measure, listed(names), "moves" if len(names) == 1 else "move", how)
        if found[0].no_favours:
            yield Note("{}: {}.", found[0].measure, found[0].no_favours)
        elif any(each.verdict for order in found for each in order.favours):
            yield Note(BELIEVE, found[0].measure)
        else:
            text = "{}: no run is found to be favoured, which does not prove that none is."
            yield Note(text, found[0].measure)

    def _statistics(self, names: Sequence[str], title: str) -> Table:
        """A row per judge with some statistics and their intervals."""
        rows = [[each.judge, *map(each.statistics.__getitem__, names)] for each in self.judges]
        columns = [Column(name, kind=_with_interval) for name in names]
        return Table(["judge", *columns], rows, f"{title}, with {self._share} intervals over topics")

    def spread_table(self) -> Table:
        """A row per judge and measure with the agreement of the orders and of the significant differences.

        τ has its spread over sets of as many topics. ``halves`` is τ of the human's own orders on two random
        halves of the topics.
        """

        def agreement(order: OrderAgreement) -> list[list[Any]]:
            spread, *others = order.statistics.values()
            return [[spread, order.halves, *(each.value for each in others), order.agreed, order.reversed]]

        short = [Column(name, kind=_short) for name in ("tau_AP", "rho", "RBO", "agreed", "reversed")]
        tau = Column("tau", kind=_with_interval)
        title = f"Agreement on the order of runs; tau with its spread over {self._share} of sets of topics"
        return self._of_orders([tau, "halves", *short], agreement, title)

    def favour_table(self, named: bool = False) -> Table:
        """A row per judge, measure and run, the largest favour first, or only for runs that are `named`.

        Raises `GradedError` with the reason if no measure has favours.
        """
        found = [order for each in self.judges for order in each.orders]
        if not named and found and all(order.no_favours for order in found):
            raise GradedError(found[0].no_favours)

        def favours(order: OrderAgreement) -> list[list[Any]]:
            largest_first = sorted(order.favours, key=lambda favour: -abs(favour.value))
            return [[*each, each.verdict] for each in largest_first if each.verdict or not named]

        title = "Favoured runs: value beyond that of runs of the same quality"
        return self._of_orders(["run", "favour", "lower", "upper", "verdict"], favours, title)

    def level_table(self) -> Table:
        """The confusion matrices: one row per judge and human level."""
        levels = self.judges[0].levels
        columns = levels if len(levels) <= DIVIDED else ()
        rows: list[list[Any]] = []
        for each in self.judges:
            bias = each.bias_by_level()
            for level in columns or bias:
                counts = [each.cells.get((level, other), 0) for other in columns]
                rows.append([each.judge, str(level), *counts, bias.get(level)])
        title = "Documents by the human's level (row) and the machine's (column)"
        return Table(["judge", "human \\ machine", *map(str, columns), "bias"], rows, title)

    def order_table(self) -> Table:
        """A row per judge, measure and run with its means and ranks under both."""
        ranks = [Column(name, kind=lambda rank: f"{rank:g}") for name in ("human rank", "machine rank")]
        columns: list[Column | str] = ["run", HUMAN, MACHINE, *ranks]
        return self._of_orders(columns, lambda of: zip(of.runs, of.human, of.machine, *of.ranks()))

    @property
    def _share(self) -> str:
        return f"{100 * self.confidence:g} %"

    def _of_orders(
        self,
        columns: Sequence[Column | str],
        rows: Callable[[OrderAgreement], Iterable[Sequence[Any]]],
        title: str = "",
    ) -> Table:
        """The `rows` of each judge and measure, with the names of both."""
        orders = [(each.judge, order) for each in self.judges for order in each.orders]
        cells = [[judge, str(order.measure), *row] for judge, order in orders for row in rows(order)]
        return Table(["judge", "measure", *columns], cells, title)

    def figure(self) -> plots.Figure:
        """Draw κ of each judge, and τ by each measure, with intervals. Needs the extra ``plot``."""
        taus = [f"tau {order.measure}" for order in self.judges[0].orders]
        names = ["kappa", "kappa quadratic", "alpha ordinal", *taus]
        judges = {each.judge: each.all_statistics() for each in self.judges}
        found = np.array([[of[name] for name in names] for of in judges.values()], dtype=float)
        values, *bounds = np.moveaxis(found, -1, 0)
        label = f"value and {self._share} interval" + ", of tau spread" * bool(taus)
        return plots.dot_plot([*judges], names, values, [1] * len(names), label, np.array(bounds))


def _interval(found: Statistic) -> str | None:
    """The ends as text."""
    return None if found.lower is None else f"{found.lower:.2f} to {found.upper:.2f}"


def _with_interval(found: Statistic) -> str | None:
    """The value and the ends as text."""
    between = _interval(found)
    return None if found.value is None else f"{found.value:.2f}" + (f" ({between})" if between else "")


def _short(value: float) -> str:
    return f"{value:.2f}"


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
    progress: bool = False,
) -> Judges:
    """Compare the judgments of machines with those of a human, and the orders of the runs under them.

    `machines` are qrels by name, or paths of qrels. `runs`, `measures` and `progress` are those of
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
    >>> found.same, found.bias, round(found.quadratic, 3)
    (0.6, 0.4, 0.75)

    Raises `GradedError` if no document is judged by both, for fewer than two runs, and for scales that differ
    without `machine_levels`.
    """
    check_probability(confidence, "confidence", 0.95)
    whole_number(resamples, "resamples", 1)
    whole_number(seed, "seed", 0)
    need_statistics("scipy")
    found = panels(human, machines, runs, measures, machine_levels=machine_levels, progress=progress)
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
    pairs = [_pairs(panel) for panel in found]
    levels = np.unique(np.concatenate([each for by_topic in pairs for each in by_topic.values()]))

    def drawn(topics: int) -> np.ndarray:
        generator = np.random.default_rng(seed)
        weights = generator.multinomial(topics, np.full(topics, 1 / topics), size=resamples)
        return np.concatenate([np.ones((1, topics), dtype=np.int64), weights])

    machines = (_agreement(*each, levels, drawn, confidence, seed) for each in zip(found, pairs))
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
    drawn: Draw,
    confidence: float,
    seed: int,
) -> JudgeAgreement:
    number = np.repeat(np.arange(len(pairs)), [*map(len, pairs.values())])
    human, machine = np.searchsorted(levels, np.concatenate([*pairs.values()])).T
    # Cells of levels and topics, sorted by levels: the sums over topics are those of neighbours.
    (human, machine, number), count = np.unique([human, machine, number], axis=1, return_counts=True)
    starts = np.flatnonzero(np.diff(human, prepend=-1) | np.diff(machine, prepend=-1))
    cells = human[starts], machine[starts], levels, levels.size <= DIVIDED
    draws = drawn(len(pairs))
    parts = np.array_split(draws, 1 + len(draws) * (count.size + levels.size) // PERMUTED_AT_ONCE)
    found = [of_levels(np.add.reduceat(part[:, number] * count, starts, axis=1), *cells) for part in parts]
    values = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    plain = [plain_number(level) for level in levels]
    counted_cells = zip(human[starts], machine[starts], np.add.reduceat(count, starts).tolist())
    documents = int(count.sum())
    return JudgeAgreement(
        panel.name,
        tuple(plain),
        {(plain[a], plain[b]): n for a, b, n in counted_cells},
        {name: Statistic.of(each, confidence) for name, each in values.items()},
        sum(map(len, panel.human.values())) - documents,
        sum(map(len, panel.machine.values())) - documents,
        panel.abstentions,
        panel.outside,
        len(pairs),
        tuple(order_agreements(panel, drawn, confidence, seed)),
    )
