"""The agreement of two judges on the levels of documents and on the order of runs.

`agreement` compares any two qrels, for example of a human and a machine, of two judges, of two pools or of
two years. For the documents that both judged, it counts each pair of levels (confusion matrix) and computes
Cohen's κ, plain and weighted, and the bias of the second judge for each level and topic. With runs and
measures, it compares the orders of the runs under either qrels.

J. Cohen: Weighted kappa. Psychological Bulletin 70(4), 1968.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..errors import GradedError
from ..evaluation.evaluate import evaluate_each
from ..evaluation.named import Qrels, Runs, named_runs
from ..output import plots
from ..output.cells import SHADES, draw_cells
from ..output.formats import Table, counted
from ..output.result import Result
from ..ranking.gains import plain_number
from ..registry.facts import sign_of
from ..statistics.libraries import need_statistics, statistics_library
from ..statistics.significance import run_ranks
from .scales import HUMAN, MACHINE, on_one_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARES = (0.1, 0.5)
"""The shares of a level's documents from which a cell of the heat map is medium and dark."""


@dataclass(frozen=True)
class TopicAgreement:
    """The documents of a topic that both judged: number, share with equal levels, and mean bias."""

    topic: str
    documents: int
    same: float
    bias: float


@dataclass(frozen=True)
class OrderAgreement:
    """The orders of the runs by one measure under either judge, over the topics that both judged.

    `human` and `machine` are the means of the runs. `tau` is Kendall's τ (b), None if all runs tie under one
    judge. `swaps` are the pairs that change places, the run that the human prefers first.
    """

    measure: Measure
    human: tuple[float, ...]
    machine: tuple[float, ...]
    tau: float | None
    swaps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAgreement(Result):
    """The agreement of two judges; see `agreement`.

    `confusion` (levels × levels) counts the documents that both judged, with the human's level in the row and
    the machine's in the column. `kappa`, `linear` and `quadratic` are Cohen's κ, plain and with weights that
    grow with the difference of the levels or its square. They are None if both judges used one level only.
    `human_only` and `machine_only` count the documents that only one of them judged.
    """

    levels: tuple[float, ...]
    confusion: np.ndarray
    kappa: float | None
    linear: float | None
    quadratic: float | None
    human_only: int
    machine_only: int
    topics: tuple[TopicAgreement, ...]
    runs: tuple[str, ...]
    orders: tuple[OrderAgreement, ...]

    @property
    def documents(self) -> int:
        """The number of documents that both judged."""
        return int(self.confusion.sum())

    @property
    def same(self) -> float:
        """The share of these documents with the same level."""
        return float(np.trace(self.confusion) / self.documents)

    @property
    def bias(self) -> float:
        """The mean of the machine's level minus the human's."""
        levels = np.array(self.levels)
        return float((self.confusion * (levels - levels[:, None])).sum() / self.documents)

    def bias_by_level(self) -> dict[float, float]:
        """The bias for the documents of each human level."""
        levels, rows = np.array(self.levels), zip(self.levels, self.confusion)
        return {level: float(row @ (levels - level) / row.sum()) for level, row in rows if row.any()}

    @property
    def summary(self) -> str:
        """The compared judgments in one line."""
        runs = f", and {counted(len(self.runs), 'run')}" if self.runs else ""
        return (
            f"two judges on {counted(self.documents, 'document')} of "
            f"{counted(len(self.topics), 'topic')}{runs}"
        )

    def _statistics(self) -> list[tuple[str, Any]]:
        return [
            ("topics judged by both", len(self.topics)),
            ("documents judged by both", self.documents),
            ("by the human alone", self.human_only),
            ("by the machine alone", self.machine_only),
            ("share with the same level", self.same),
            ("kappa", self.kappa),
            ("kappa, linear weights", self.linear),
            ("kappa, quadratic weights", self.quadratic),
            ("bias (machine − human)", self.bias),
        ]

    def table(self) -> Table:
        """Column names and rows: one row per statistic, then Kendall's τ and the swaps of each measure."""
        rows: list[list[Any]] = [[name, value] for name, value in self._statistics()]
        for order in self.orders:
            rows.append([f"tau of {counted(len(self.runs), 'run')}, {order.measure}", order.tau])
            pairs = len(self.runs) * (len(self.runs) - 1) // 2
            rows.append([f"pairs that swap, {order.measure}", f"{len(order.swaps)} of {pairs}"])
        return ["", "value"], rows

    def confusion_table(self) -> Table:
        """Column names and rows of the confusion matrix: one row per human level, with its bias."""
        bias = self.bias_by_level()
        columns = ["human \\ machine", *(f"{level:g}" for level in self.levels), "bias"]
        return columns, [
            [f"{level:g}", *row, bias.get(level)] for level, row in zip(self.levels, self.confusion.tolist())
        ]

    def topic_table(self) -> Table:
        """Column names and rows: one row per topic."""
        return ["topic", "documents", "same", "bias"], [[*vars(found).values()] for found in self.topics]

    def order_table(self) -> Table:
        """Column names and rows: one row per measure and run with its means and ranks under either judge."""
        columns = ["measure", "run", HUMAN, MACHINE, "human rank", "machine rank"]
        rows = []
        for order in self.orders:
            both = order.human, order.machine
            ranks = [_ranks(order.measure, np.array(means)).tolist() for means in both]
            rows += [[str(order.measure), *row] for row in zip(self.runs, *both, *ranks)]
        return columns, rows

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per value: statistics, cells of the confusion matrix, topics, means and swaps.

        The keys that do not apply to a value are None. A swap has the run that the human prefers and the
        other.
        """
        keys = ("statistic", "topic", "measure", "run", "other", "human_level", "machine_level", "value")
        found: list[dict[str, Any]] = []

        def add(statistic: str, value: Any, **given: Any) -> None:
            found.append({**dict.fromkeys(keys), "statistic": statistic, **given, "value": value})

        for name, value in self._statistics():
            add(name, value)
        for (row, column), count in np.ndenumerate(self.confusion):
            add("documents", int(count), human_level=self.levels[row], machine_level=self.levels[column])
        for level, bias in self.bias_by_level().items():
            add("bias", bias, human_level=level)
        for one in self.topics:
            for name in ("documents", "same", "bias"):
                add(name, getattr(one, name), topic=one.topic)
        for order in self.orders:
            measure = str(order.measure)
            for judge, means in ((HUMAN, order.human), (MACHINE, order.machine)):
                for run, mean in zip(self.runs, means):
                    add(f"mean ({judge})", mean, measure=measure, run=run)
            add("tau", order.tau, measure=measure)
            for run, other in order.swaps:
                add("swap", None, measure=measure, run=run, other=other)
        return found

    @plots.styled
    def figure(self) -> Figure:
        """Draw the confusion matrix, and the means of the runs under either judge. Needs the extra ``plot``.

        A cell is shaded by its share of the documents of the human's level.
        """
        from matplotlib.patches import Patch

        count = 1 + len(self.orders)
        size = max(2.4, 0.42 * len(self.levels))
        figure = plots.new_figure((size + 1.1) * count + 1.6, size + 1.3)
        figure.set_layout_engine("compressed")  # cells stay square
        axes, *others = figure.subplots(1, count, squeeze=False)[0]
        shares = self.confusion / np.maximum(self.confusion.sum(axis=1, keepdims=True), 1)
        texts = {place: str(count) for place, count in np.ndenumerate(self.confusion) if count}
        names = [f"{level:g}" for level in self.levels]
        draw_cells(axes, np.digitize(shares, SHARES).astype(float), texts, names, names)
        axes.set_ylabel("Level by the human")
        axes.set_xlabel("Level by the machine")
        kappa = "undefined" if self.quadratic is None else f"{self.quadratic:.2f}"
        axes.set_title(f"Documents, quadratic κ = {kappa}", size=10)
        styles = plots.run_styles(self.runs)
        for panel, order in zip(others, self.orders):
            self._draw(panel, order, styles)
        low, high = (f"{share:.0%}" for share in SHARES)
        meanings = (f"below {low} of the row", f"{low} to {high}", f"{high} or more")
        handles: list[Any] = [Patch(color=shade, label=text) for shade, text in zip(SHADES, meanings)]
        if others:
            handles += others[0].get_legend_handles_labels()[0]
        plots.legend_outside(others[-1] if others else axes, handles)
        return figure

    def _draw(self, axes: Axes, order: OrderAgreement, styles: Mapping[str, Mapping[str, Any]]) -> None:
        """Each run as a point: its mean by the human, and by the machine."""
        for run, human, machine in zip(self.runs, order.human, order.machine):
            axes.plot(human, machine, label=run, **{**styles[run], "linestyle": "none"})
        axes.axline((0, 0), slope=1, color=plots.GREY, linewidth=0.8)
        low, high = min(order.human + order.machine), max(order.human + order.machine)
        margin = 0.06 * (high - low) or 0.1
        axes.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin), aspect="equal")
        tau = "undefined" if order.tau is None else f"{order.tau:.2f}"
        axes.set_title(f"{plots.title(order.measure, width=24)}, τ = {tau}", size=10)
        axes.set_xlabel("Mean by the human")
        axes.set_ylabel("Mean by the machine")


def agreement(
    human: Qrels,
    machine: Qrels,
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    progress: bool = False,
    jobs: int | None = 1,
) -> JudgeAgreement:
    """Compare the judgments of two qrels, and the orders of the runs under them.

    `human` and `machine` are any two qrels. `runs` and `measures` are those of `evaluate`; give both or
    neither. `machine_levels` maps the levels of the second to the scale of the first, as in `estimate`.
    `progress` and `jobs` are those of `evaluate`. Needs the extra ``stats``.

    >>> human = {"q1": {"a": 0, "b": 1, "c": 2}, "q2": {"d": 0, "e": 2}}
    >>> machine = {"q1": {"a": 0, "b": 2, "c": 2}, "q2": {"d": 1, "e": 2, "f": 0}}
    >>> found = agreement(human, machine)
    >>> found.confusion
    array([[1, 1, 0],
           [0, 0, 1],
           [0, 0, 2]])
    >>> found.same, found.bias, round(found.quadratic, 3)
    (0.6, 0.4, 0.75)

    Raises `GradedError` if no document is judged by both, for fewer than two runs, and for scales that differ
    without `machine_levels`.
    """
    need_statistics("scipy", "statsmodels")
    measures = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    named = named_runs(runs, once=True, needed=False)
    if bool(named) != bool(measures):
        missing, given = ("measures", "runs") if named else ("runs", "measures")
        raise GradedError(f"{given} are given without {missing}; give both to compare the orders of runs")
    if len(named) == 1:
        raise GradedError("to compare the orders of runs, name at least 2 runs, not 1")
    by_human, by_machine = on_one_scale(human, machine, machine_levels)
    both = [
        {topic: judged[topic] for topic in by_human if topic in by_machine}
        for judged in (by_human, by_machine)
    ]
    pairs = {
        topic: np.array([(level, others[doc]) for doc, level in judged.items() if doc in others], dtype=float)
        for (topic, judged), others in zip(both[0].items(), both[1].values())
    }
    pairs = {topic: levels for topic, levels in pairs.items() if levels.size}
    if not pairs:
        raise GradedError("no document is judged by both; check that both use the same ids")
    everything = np.concatenate([*pairs.values()])
    levels, codes = np.unique(everything, return_inverse=True)
    confusion = np.zeros((levels.size, levels.size), dtype=np.int64)
    np.add.at(confusion, tuple(codes.reshape(everything.shape).T), 1)
    topics = []
    for topic, (first, second) in ((topic, found.T) for topic, found in pairs.items()):
        same, bias = float((first == second).mean()), float((second - first).mean())
        topics.append(TopicAgreement(topic, first.size, same, bias))
    orders: tuple[OrderAgreement, ...] = ()
    if named:
        found = evaluate_each(both, named, measures, progress=progress, jobs=jobs)
        means = np.stack([each.means() for each in found])
        orders = tuple(
            _order(measure, means[:, :, column], found[0].runs)
            for column, measure in enumerate(found[0].measures)
        )
    return JudgeAgreement(
        tuple(map(plain_number, levels)),
        confusion,
        _kappa(confusion, levels, None),
        _kappa(confusion, levels, "linear"),
        _kappa(confusion, levels, "quadratic"),
        sum(map(len, by_human.values())) - len(everything),
        sum(map(len, by_machine.values())) - len(everything),
        tuple(topics),
        tuple(run.name for run in named),
        orders,
    )


def _kappa(confusion: np.ndarray, levels: np.ndarray, weights: str | None) -> float | None:
    """Cohen's κ by statsmodels; `weights` is ``linear`` or ``quadratic`` in the difference of the levels."""
    if len(confusion) < 2:
        return None
    kappa = statistics_library("statsmodels.stats.inter_rater").cohens_kappa
    return float(kappa(confusion, levels if weights else None, return_results=False, wt=weights))


def _order(measure: Measure, means: np.ndarray, names: Sequence[str]) -> OrderAgreement:
    """The agreement on the order of the runs by one measure; `means` are theirs (2 judges × runs)."""
    kendalltau = statistics_library("scipy.stats").kendalltau
    first, second = (_ranks(measure, by_judge) for by_judge in means)
    swaps = tuple(
        (names[run], names[other])
        for run, other in combinations(np.argsort(first, kind="stable").tolist(), 2)
        if first[run] < first[other] and second[run] > second[other]
    )
    tau = float(kendalltau(first, second)[0]) if np.ptp(first) and np.ptp(second) else None
    by_human, by_machine = (tuple(by_judge.tolist()) for by_judge in means)
    return OrderAgreement(measure, by_human, by_machine, tau, swaps)


def _ranks(measure: Measure, means: np.ndarray) -> np.ndarray:
    """The rank of each run, 1 for the best; equal runs share their mean rank."""
    return run_ranks(-sign_of(measure) * means[:, None])[:, 0]
