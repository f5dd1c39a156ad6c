"""The agreement of machine judges with a human on the levels of documents and on the order of runs.

`judges` compares any number of qrels with those of a human, and `agreement` compares two. The qrels may also
be of two humans, of two pools or of two years. For the documents that both judged, the result has the number
of each pair of levels (confusion matrix), Cohen's κ, Krippendorff's α and the bias of the machine. With runs
and measures, it has the agreement of the orders of the runs, and of the significant differences.

J. Cohen: Weighted kappa. Psychological Bulletin 70(4), 1968. K. Krippendorff: Content Analysis, 2004. H. A.
Rahmani et al.: LLMJudge: LLMs for relevance judgments. 2024.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.ranking.gains import plain_number
from ...core.registry.facts import sign_of
from ...errors import GradedError
from ...evaluation.named import Qrels, Runs
from ...output import plots
from ...output.formats import Table, counted, rows_of
from ...output.result import Result
from ..statistics.agreement import alpha, kappa, orders, swapped
from ..statistics.options import check_probability, need_statistics, statistics_library, whole_number
from ..statistics.paired import paired
from ..statistics.significance import PERMUTED_AT_ONCE, rounded, run_ranks
from .estimate import Estimates
from .merging import HUMAN, MACHINE
from .panel import Panel, panels, values_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESAMPLES = 1000


class Statistic(NamedTuple):
    """A statistic and its interval; each is None where it is undefined."""

    value: float | None
    lower: float | None
    upper: float | None


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

    `human` and `machine` are the means of the runs. `statistics` has ``tau``, ``tau_AP``, ``rho`` and
    ``RBO``, see `orders`. `swaps` are the pairs that the judges order in opposite ways, with the run that the
    human prefers first. Of the pairs that differ significantly under the human, `significant` is the number,
    `agreed` the share that the machine also separates, and `reversed` the share that it separates in the
    other direction; both are None if there is no such pair.
    """

    measure: Measure
    runs: tuple[str, ...]
    human: tuple[float, ...]
    machine: tuple[float, ...]
    statistics: dict[str, Statistic]
    swaps: tuple[tuple[str, str], ...]
    significant: int
    agreed: float | None
    reversed: float | None

    @property
    def tau(self) -> float | None:
        """Kendall's τ (b); None if all runs tie under one judge."""
        return self.statistics["tau"].value


@dataclass(frozen=True)
class JudgeAgreement:
    """The agreement of a machine, named `judge`, with the human; see `judges`.

    `confusion` (levels × levels) counts the documents that both judged, with the human's level in the row and
    the machine's in the column. `statistics` has Cohen's κ: ``kappa``, ``kappa linear`` and ``kappa
    quadratic`` with weights that grow with the difference of the levels or its square, and one for each
    division of the levels in two, such as ``kappa 0|123``. It also has Krippendorff's α: ``alpha interval``
    and ``alpha ordinal``. `human_only` and `machine_only` count the documents that only one of them judged,
    `abstentions` the machine's rows without a level.
    """

    judge: str
    levels: tuple[float, ...]
    confusion: np.ndarray
    statistics: dict[str, Statistic]
    human_only: int
    machine_only: int
    abstentions: int
    topics: tuple[TopicAgreement, ...]
    orders: tuple[OrderAgreement, ...]

    @property
    def kappa(self) -> float | None:
        """Cohen's κ; None if both judges used one level only."""
        return self.statistics["kappa"].value

    @property
    def linear(self) -> float | None:
        """Cohen's κ with linear weights."""
        return self.statistics["kappa linear"].value

    @property
    def quadratic(self) -> float | None:
        """Cohen's κ with quadratic weights."""
        return self.statistics["kappa quadratic"].value

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

    @property
    def summary(self) -> str:
        """The compared judgments in one line."""
        first, *others = {each.documents for each in self.judges}
        documents = "documents" if others else counted(first, "document")
        runs = "".join(f", and {counted(len(order.runs), 'run')}" for order in self.judges[0].orders[:1])
        return f"{counted(len(self.judges), 'machine judge')} and a human on {documents}{runs}"

    def table(self) -> Table:
        """Column names and rows: one row per judge."""
        return rows_of([each.row() for each in self.judges])

    def parts(self) -> list[tuple[str, Table]]:
        """The table, the intervals, the levels, and the estimates."""
        intervals = f"{100 * self.confidence:g} % intervals over resampled topics"
        levels = "Documents by the human's level (row) and the machine's (column)"
        parts = [("", self.table()), (intervals, self.interval_table()), (levels, self.level_table())]
        return [*parts, ("Estimates", self.estimates.table())] if self.estimates else parts

    def notes(self) -> list[str]:
        """Notes on the columns and on the estimates."""
        counts = ", ".join(f"{order.significant} by {order.measure}" for order in self.judges[0].orders)
        shares = "shares of the pairs of runs that differ significantly under the human"
        notes = [f"agreed and reversed are {shares}: {counts}."] * bool(counts)
        return notes + ([self.estimates.summary] if self.estimates else [])

    def interval_table(self) -> Table:
        """Column names and rows: one row per judge with the interval of each statistic."""
        rows = [[each.judge, *map(_interval, each.all_statistics().values())] for each in self.judges]
        return ["judge", *self.judges[0].all_statistics()], rows

    def level_table(self) -> Table:
        """Column names and rows of the confusion matrices: one row per judge and human level."""
        rows: list[list[Any]] = []
        for each in self.judges:
            bias = each.bias_by_level()
            for level, row in zip(each.levels, each.confusion.tolist()):
                rows.append([each.judge, f"{level:g}", *row, bias.get(level)])
        levels = [f"{level:g}" for level in self.judges[0].levels]
        return ["judge", "human \\ machine", *levels, "bias"], rows

    def topic_table(self) -> Table:
        """Column names and rows: one row per judge and topic."""
        rows = [[each.judge, *vars(found).values()] for each in self.judges for found in each.topics]
        return ["judge", "topic", "documents", "same", "bias"], rows

    def order_table(self) -> Table:
        """Column names and rows: a row per judge, measure and run with its means and ranks under both."""
        rows = []
        for each in self.judges:
            for order in each.orders:
                both = order.human, order.machine
                ranks = [_ranks(order.measure, np.array(means)).tolist() for means in both]
                rows += [[each.judge, str(order.measure), *row] for row in zip(order.runs, *both, *ranks)]
        return ["judge", "measure", "run", HUMAN, MACHINE, "human rank", "machine rank"], rows

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per judge: the row of the table, ends of intervals, and the confusion matrix.

        The number of documents with the levels 1 by the human and 2 by the machine is under ``1>2``.
        """
        records = []
        for each in self.judges:
            record = each.row()
            for end in ("lower", "upper"):
                record |= {f"{name} {end}": getattr(of, end) for name, of in each.all_statistics().items()}
            for (a, b), count in np.ndenumerate(each.confusion):
                record[f"{each.levels[a]:g}>{each.levels[b]:g}"] = int(count)
            records.append(record)
        return records

    def figure(self) -> Figure:
        """Draw κ of each judge, and τ by each measure, with intervals. Needs the extra ``plot``."""
        taus = [f"tau {order.measure}" for order in self.judges[0].orders]
        names = ["kappa", "kappa quadratic", "alpha ordinal", *taus]
        judges = {each.judge: each.all_statistics() for each in self.judges}
        found = np.array([[of[name] for name in names] for of in judges.values()], dtype=float)
        values, *bounds = np.moveaxis(found, -1, 0)
        label = f"value and {100 * self.confidence:g} % interval"
        return plots.dot_plot([*judges], names, values, [1] * len(names), label, np.array(bounds))


def _interval(found: Statistic) -> str | None:
    return None if found.lower is None else f"{found.lower:.2f} to {found.upper:.2f}"


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
    jobs: int = 1,
) -> Judges:
    """Compare the judgments of machines with those of a human, and the orders of the runs under them.

    `machines` are qrels by name, or paths of qrels. `runs`, `measures`, `progress` and `jobs` are those of
    `evaluate`; give both runs and measures, or neither. `machine_levels` maps the levels of the machines to
    the human's scale, as in `estimate`. The intervals with the given `confidence` are percentiles over
    `resamples` draws of the topics with replacement. A pair of runs is significant by the primary procedure
    of `compare` at the level 1 − `confidence`. Needs the extra ``stats``.

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
    need_statistics("scipy", "statsmodels")
    found = panels(
        human, machines, runs, measures, machine_levels=machine_levels, progress=progress, jobs=jobs
    )
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

    machines = (_agreement(*each, levels, drawn, confidence) for each in zip(found, pairs))
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


def _bounded(values: np.ndarray, confidence: float) -> Statistic:
    """The statistic from the value of the sample and those of its resamples."""
    resampled = values[1:][~np.isnan(values[1:])]
    if np.isnan(values[0]) or not resampled.size:
        return Statistic(None if np.isnan(values[0]) else float(values[0]), None, None)
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    return Statistic(float(values[0]), *np.quantile(resampled, ends).tolist())


def _agreement(
    panel: Panel,
    pairs: Mapping[str, np.ndarray],
    levels: np.ndarray,
    drawn: Callable[[int], np.ndarray],
    confidence: float,
) -> JudgeAgreement:
    confusion = np.zeros((len(pairs), levels.size, levels.size), dtype=np.int64)
    topics = []
    for by_levels, (topic, judged) in zip(confusion, pairs.items()):
        np.add.at(by_levels, tuple(np.searchsorted(levels, judged).T), 1)
        bias = judged[:, 1] - judged[:, 0]
        topics.append(TopicAgreement(topic, bias.size, float((bias == 0).mean()), float(bias.mean())))
    resampled = np.tensordot(drawn(len(pairs)), confusion, axes=1)
    apart = np.abs(levels[:, None] - levels)
    distances = {"kappa": (apart > 0) * 1.0, "kappa linear": apart, "kappa quadratic": apart**2}
    for cut in range(1, levels.size):
        above = np.arange(levels.size) >= cut
        distances[f"kappa {_joined(levels[:cut])}|{_joined(levels[cut:])}"] = 1.0 * (above[:, None] != above)
    found = {name: kappa(resampled, distance) for name, distance in distances.items()}
    found |= {"alpha interval": alpha(resampled, levels), "alpha ordinal": alpha(resampled)}
    cohens_kappa = statistics_library("statsmodels.stats.inter_rater").cohens_kappa
    for name, distance in distances.items():
        if not np.isnan(found[name][0]):
            found[name][0] = cohens_kappa(resampled[0], distance, return_results=False)
    documents = int(resampled[0].sum())
    return JudgeAgreement(
        panel.name,
        tuple(map(plain_number, levels)),
        resampled[0],
        {name: _bounded(values, confidence) for name, values in found.items()},
        sum(map(len, panel.human.values())) - documents,
        sum(map(len, panel.machine.values())) - documents,
        panel.abstentions,
        tuple(topics),
        tuple(_orders(panel, drawn, confidence)),
    )


def _joined(levels: np.ndarray) -> str:
    """The levels as text: ``123``, with commas unless all are digits."""
    texts = [f"{level:g}" for level in levels]
    return ("" if max(map(len, texts)) == 1 else ",").join(texts)


def _orders(panel: Panel, drawn: Callable[[int], np.ndarray], confidence: float) -> Iterator[OrderAgreement]:
    """The agreement on the order of at least two runs by each measure; none for fewer runs."""
    if panel.values is None or len(panel.values[0].runs) < 2:
        return
    (evaluation, *_), topics = panel.values, panel.both
    runs, weights = evaluation.runs, drawn(len(topics))
    both = np.stack([values_of(each, topics) for each in panel.values[:2]])
    pairs = list(combinations(range(len(runs)), 2))
    for column, measure in enumerate(evaluation.measures):
        values = sign_of(measure) * both[:, :, column]
        parts = np.array_split(weights, 1 + weights.shape[0] * len(runs) ** 2 // PERMUTED_AT_ONCE)
        resampled = [orders(*(rounded(part @ each.T / len(topics)) for each in values)) for part in parts]
        statistics = {
            name: _bounded(np.concatenate([part[name] for part in resampled]), confidence)
            for name in resampled[0]
        }
        human, machine = (_significant(each, pairs, 1 - confidence) for each in values)
        count = int(np.abs(human).sum())
        agreed, reversed_ = (
            float((human * machine == sign).sum() / count) if count else None for sign in (1, -1)
        )
        means = mean_over_topics(both[:, :, column])
        swaps = swapped(runs, *(_ranks(measure, each) for each in means))
        first, second = map(tuple, means.tolist())
        yield OrderAgreement(measure, runs, first, second, statistics, swaps, count, agreed, reversed_)


def _significant(values: np.ndarray, pairs: list[tuple[int, int]], level: float) -> np.ndarray:
    """The sign of each significant difference of two runs (runs × topics), 0 for the others."""
    if values.shape[1] < 2:
        return np.zeros(len(pairs))
    found = paired(values, pairs, level)
    return np.where(found.adjusted < level, np.sign(found.difference), 0)


def _ranks(measure: Measure, means: np.ndarray) -> np.ndarray:
    """The rank of each run, 1 for the best; equal runs share their mean rank."""
    return run_ranks(-sign_of(measure) * means[:, None])[:, 0]
