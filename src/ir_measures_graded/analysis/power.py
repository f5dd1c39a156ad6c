"""The power of a set of topics: which differences it finds, and how many topics find a difference.

All numbers belong to the primary procedure of `compare`, at the level α/k of a family of k pairs of runs,
unless another test is named. The spread σ of the differences over topics varies from pair to pair, so
numbers are given for the pairs with the lowest, the median and the highest σ. A pilot estimates σ with error:
`upper_limit` is its upper 80 % confidence limit. The discriminative power of a measure is the share of pairs
with p < α.

T. Sakai: Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..core.registry.notation import one_of
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluated, tracked
from ..evaluation.named import Qrels, Runs
from ..evaluation.sessions import Given
from ..evaluation.values import By, groups_of
from ..output import plots
from ..output.formats import counted
from ..output.result import Grouped
from ..output.tables import Table
from .compare import refuse_few
from .statistics import paired, significance
from .statistics.options import check_test, need_statistics
from .statistics.paired import FEW, POWER, deviation_limits

TUKEY: Final = "tukey"
PRIMARY: Final = "t-holm"
TESTS: Final = {
    PRIMARY: "paired t",
    "t": "paired t",
    TUKEY: "randomised Tukey HSD",
    "wilcoxon": "Wilcoxon",
    "wilcoxon-holm": "Wilcoxon",
}
"""The test that each option stands for."""
WIDEST: Final = 0.2
"""The largest α of the figure's curves."""
SPREADS: Final = ("_lowest", "", "_highest", "_at_limit")
"""The pairs of runs by the spread of their differences: lowest, median, highest, median at its upper limit.

These are the endings of the names of records.
"""


def upper_limit(topics: int) -> float:
    """The upper 80 % confidence limit of a standard deviation, in estimates from so many topics.

    >>> round(upper_limit(10), 3), round(upper_limit(50), 3)
    (1.293, 1.099)
    """
    return deviation_limits(topics, confidence=0.6)[1]


@dataclass(frozen=True, eq=False, repr=False)
class Power(Grouped):
    """The p-value of every pair of runs by every measure, and the spread of their differences.

    `p_values`, `differences` (of means) and `deviations` (σ of the differences over topics) are arrays
    (measures × pairs). `wanted` are the differences for which topics are tabulated; `power` is the
    probability of finding them. `groups` has the same over groups of topics, of which as many as `families`
    are tested together; `p_values` of the others are NaN. `unit` is ``topic`` or ``session``.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    test: str
    alpha: float
    power: float
    wanted: tuple[float, ...]
    p_values: np.ndarray
    differences: np.ndarray
    deviations: np.ndarray
    families: int = 1
    groups: Mapping[str, Power] = field(default_factory=dict)
    unit: str = "topic"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, in the order of the columns of `p_values`."""
        return list(combinations(self.runs, 2))

    @property
    def correction(self) -> str:
        """The correction of the test for the number of comparisons."""
        count = len(self.pairs) * self.families
        if count == 1:
            return "one comparison"
        holm = "Holm's correction" if self.test.endswith("-holm") else "not corrected"
        return f"{'corrected' if self.test == TUKEY else holm} for {count} comparisons"

    def share(self, measure: Measure | str, alpha: float | None = None) -> float:
        """The discriminative power: the share of pairs with p < `alpha`, by default the tests' level.

        NaN for a group that is not tested.
        """
        p_values, alpha = self.p_values[self._row(measure)], self.alpha if alpha is None else alpha
        return float(np.where(np.isnan(p_values), np.nan, p_values < alpha).mean())

    @property
    def level(self) -> float:
        """The level of a single pair in the family: α over the number of pairs, in all groups tested."""
        return self.alpha / len(self.pairs) / self.families

    def spread(self, measure: Measure | str) -> tuple[float, ...]:
        """The standard deviations of the differences of the pairs `SPREADS`."""
        found = np.quantile(self.deviations[self._row(measure)], (0, 0.5, 1)).tolist()
        return *found, found[1] * upper_limit(self.topics)

    def detectable(self, measure: Measure | str) -> tuple[float, ...]:
        """The smallest true difference that the test finds with `power`, for the pairs `SPREADS`."""
        effect = paired.detectable_effect(self.topics, self.level, self.power)
        return tuple(deviation * effect for deviation in self.spread(measure))

    def topics_for(self, measure: Measure | str, difference: float) -> tuple[int | None, ...]:
        """The number of topics that find a true difference with `power`, for the pairs `SPREADS`.

        None if more than 10 million. Raises `GradedError` for a difference that is not above 0.
        """
        spreads, level = self.spread(measure), self.level
        return tuple(paired.topics_needed(difference, each, level, self.power) for each in spreads)

    def chance(self, measure: Measure | str, difference: float) -> float:
        """The probability that as many topics find a true difference, for the pair of median spread."""
        deviation = self.spread(measure)[1]
        effect = difference / deviation if deviation else np.inf
        return paired.chance_to_find(effect, self.topics, self.level) if deviation else 1.0

    def _row(self, measure: Measure | str) -> int:
        return self.measures.index(one_of(self.measures, measure))

    def answer(self) -> list[str]:
        """What the topics find, and how many find the wanted differences, in sentences."""
        return [sentence for measure in self._best_first() for sentence in self._answer(measure)]

    def _answer(self, measure: Measure) -> Iterator[str]:
        topics, several = counted(self.topics, self.unit), len(self.pairs) > 1
        median = " (median pair)" if several else ""
        separated = (self.p_values[self._row(measure)] < self.alpha).sum()
        pairs = f"{separated} of {counted(len(self.pairs), 'pair')} of runs"
        if not self.wanted:
            lowest, middle, highest, _ = self.detectable(measure)
            by_pair = f" (median pair; {lowest:.4f} to {highest:.4f} by pair)" if several else ""
            find = f"{topics} find a difference of {middle:.4f} in {measure}"
            yield f"{find} with probability {self.power:g}{by_pair}."
        for wanted in self.wanted:
            needed = self.topics_for(measure, wanted)
            least, usual, most, _ = (each or "over ten million" for each in needed)
            by_pair = f", {least} to {most} by pair," if several else ""
            chance = f"{self.chance(measure, wanted):.2f}{median}"
            need = f"about {usual} {self.unit}s{by_pair} find it with {self.power:g}"
            yield f"{topics} find a difference of {wanted:g} in {measure} with probability {chance}; {need}."
        yield f"{measure} separates {pairs} (p < {self.alpha:g})."

    def tables(self) -> list[Table]:
        """The topics that the wanted differences need or, without any, the differences that the topics find.

        The measure with the highest discriminative power comes first.
        """
        best_first, names = self._best_first(), ("lowest", "median", "highest", "at limit")
        if not self.wanted:
            rows = [[str(measure), *self.detectable(measure)] for measure in best_first]
            return [Table(["measure", *names], rows), *self.tables_of_groups()]
        wanted = [(measure, difference) for measure in best_first for difference in self.wanted]
        needed = [[str(measure), each, *self.topics_for(measure, each)] for measure, each in wanted]
        return [Table(["measure", "difference", *names], needed), *self.tables_of_groups()]

    def _best_first(self) -> list[Measure]:
        return sorted(self.measures, key=lambda measure: -np.nan_to_num(self.share(measure)))

    def data(self) -> Table:
        """One row per measure.

        ``topics_0.05`` is the number of topics for a difference of 0.05 and the pair of median spread, for
        each of `wanted`, and ``chance_0.05`` the probability that as many topics find it. Endings of names
        tell another pair, and the spread at its upper limit.
        """
        records = [*map(self._record, self.measures)]
        return self.with_groups(Table.of(records[0], records), Power.data)

    def _record(self, measure: Measure) -> dict[str, Any]:
        record: dict[str, Any] = {
            "measure": str(measure),
            "test": TESTS[self.test],
            "correction": self.correction,
            "alpha": self.alpha,
            "level": self.level,
            "discriminative_power": self.share(measure),
            "significant": int((self.p_values[self._row(measure)] < self.alpha).sum()),
            "pairs": len(self.pairs),
            "topics": self.topics,
            "deviation": self.spread(measure)[1],
            "power": self.power,
        }
        record |= {f"detectable{name}": each for name, each in zip(SPREADS, self.detectable(measure))}
        for wanted in self.wanted:
            needed = zip(SPREADS, self.topics_for(measure, wanted))
            record |= {f"topics_{wanted:g}{name}": each for name, each in needed}
            record[f"chance_{wanted:g}"] = self.chance(measure, wanted)
        return record

    def pair_records(self) -> list[dict[str, Any]]:
        """One dictionary per measure and pair of runs: difference of the means and p-value."""
        return [
            {"measure": str(measure), "run": run, "other": other, "difference": difference, "p": p}
            for measure, *arrays in zip(self.measures, self.differences.tolist(), self.p_values.tolist())
            for (run, other), difference, p in zip(self.pairs, *arrays)
        ]

    def notes(self) -> list[str]:
        """The meaning of the columns."""
        what = f"{self.unit.capitalize()}s that find the difference" if self.wanted else "Differences found"
        return [
            f"{TESTS[self.test]} over {counted(self.topics, self.unit)}, {self.correction}.",
            f"{what} with probability {self.power:g} by the t-test at the level {self.level:.2g}, for the "
            "pair of lowest, median and highest spread; at limit: the median spread at its upper 80 % limit, "
            f"{upper_limit(self.topics):.2f} times the estimate.",
            *self.note_of_groups("columns"),
        ]

    @plots.styled
    def figure(self) -> plots.Figure:
        """Draw the share of pairs told apart at each α, one curve per measure. Needs the extra ``plot``."""
        levels = [np.concatenate([[0], np.sort(p[p < WIDEST]), [WIDEST]]) for p in self.p_values]
        curves = [(of, np.arange(of.size).clip(max=of.size - 2) / len(self.pairs)) for of in levels]
        title = f"{TESTS[self.test]}, {len(self.runs)} runs, {self.topics} {self.unit}s, {self.correction}"
        labels = f"α (grey line: {self.alpha:g})", "Share of pairs with p < α", title
        return self._drawn(curves, self.alpha, *labels, drawstyle="steps-post")

    @plots.styled
    def topic_figure(self) -> plots.Figure:
        """Draw the detectable difference by the number of topics, one curve per measure.

        The difference is that of the pair of median spread, which the test finds with `power`. Needs the
        extra ``plot``.
        """
        topics = np.unique(np.geomspace(5, max(200, 2 * self.topics), 30).astype(np.int64))
        effects = [paired.detectable_effect(count, self.level, self.power) for count in topics.tolist()]
        curves = [(topics, deviation * np.array(effects)) for deviation in np.median(self.deviations, axis=1)]
        label = f"{self.unit.capitalize()}s (grey line: {self.topics})", "Detectable difference of two runs"
        pairs = counted(len(self.pairs), "pair")
        title = f"paired t, α = {self.alpha:g} for {pairs}, power = {self.power:g}"
        return self._drawn(curves, self.topics, *label, title)

    def _drawn(
        self, curves: Iterable[tuple[np.ndarray, np.ndarray]], mark: float, *labels: str, **style: Any
    ) -> plots.Figure:
        """A curve per measure and a grey line at `mark`; `labels` are those of the axes and the title."""
        names = [plots.title(measure, width=40) for measure in self.measures]
        figure = plots.new_figure(*plots.size_for(line for name in names for line in name.split("\n")))
        axes = figure.add_subplot()
        for number, (name, (x, y)) in enumerate(zip(names, curves)):
            axes.plot(x, y, label=name, **{**plots.line_style(number), "marker": "", **style})
            axes.set_xlim(0, x[-1])
        axes.axvline(mark, color=plots.GREY, linewidth=0.8)
        axes.set_ylim(bottom=0)
        plots.legend_outside(axes)
        axes.set(**dict(zip(("xlabel", "ylabel", "title"), labels)))
        return figure


def power(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    test: str = PRIMARY,
    alpha: float = 0.05,
    power: float = POWER,
    differences: Iterable[float] = (),
    resamples: int = 10_000,
    seed: int = 0,
    by: By = None,
    progress: bool = False,
    jobs: int = 1,
) -> Power:
    """What the topics find by each measure, and the number of topics for wanted differences.

    `qrels`, `runs`, `measures`, `sessions`, `progress` and `jobs` are as for `evaluate`. An `Evaluation`, or
    a table of values as for `Evaluation.from_values`, may stand for the first four. Needs the extra
    ``stats``.

    `test` is ``t-holm``, the primary procedure of `compare`, ``t`` or ``wilcoxon`` (paired, not corrected),
    ``wilcoxon-holm``, or ``tukey`` (the randomised Tukey HSD with `resamples` ≥ 1 and `seed` ≥ 0). `alpha`
    is the level of the tests. `power`, between `alpha` and 1, is the probability that the t-test finds a true
    difference of a pair. `differences` > 0 are the differences for which the number of topics is tabulated.
    `by` groups the topics, see `compare`; groups of a single topic are left out.

    >>> values = np.array([[0.5, 0.7, 0.6, 0.8], [0.4, 0.5, 0.5, 0.6], [0.4, 0.6, 0.5, 0.5]])
    >>> from ir_measures_graded import nDCG_JK
    >>> evaluation = Evaluation(("A", "B", "C"), (nDCG_JK,), ("1", "2", "3", "4"), values[:, None])
    >>> found = power(evaluation, test="t")
    >>> found.correction, found.pairs, found.topics_for(nDCG_JK, 0.05)
    ('not corrected for 3 comparisons', [('A', 'B'), ('A', 'C'), ('B', 'C')], (17, 31, 45, 87))

    Raises `GradedError` for fewer than two runs or topics and for an option out of its range.
    """
    check_test(alpha, resamples, seed)
    need_statistics("scipy")
    if test not in TESTS:
        raise GradedError(f"test={test!r} is not allowed; it is one of {', '.join(TESTS)}")
    if not alpha < power < 1:
        raise GradedError(f"power={power!r} is not allowed; it is above alpha={alpha:g} and below 1, as 0.8")
    wanted = tuple(dict.fromkeys(differences))
    for difference in wanted:
        paired.check_difference(difference)
    evaluation, _ = evaluated(qrels, runs, measures, by, sessions, progress=progress, jobs=jobs)
    refuse_few(len(evaluation.runs), "run")
    refuse_few(len(evaluation.topics), evaluation.unit)
    pairs = list(combinations(range(len(evaluation.runs)), 2))
    first, second = np.array(pairs).T
    rows = groups_of(evaluation.topics, by, evaluation.attributes)
    families = sum(len(of) >= FEW for of in rows.values())

    def over(part: Evaluation, families: int | None = None) -> Power:
        few, found = families is not None and len(part.topics) < FEW, []
        for measure in tracked(list(part.measures), "measure", progress):
            values = part.of(measure)
            means, primary = values.mean(axis=1), paired.paired(values, pairs)
            if few:
                p = np.full(len(pairs), np.nan)
            elif test == TUKEY:
                p = significance.tukey_hsd(values, resamples, seed)[first, second]
            elif test in (PRIMARY, "t"):
                p = np.nan_to_num(primary.p, nan=1.0)
            else:
                p = np.array([significance.wilcoxon(values[a], values[b]).p for a, b in pairs])
            found.append((p, means[first] - means[second], np.nan_to_num(primary.deviation)))
        p_values, differences, spreads = map(np.array, zip(*found))
        fields = test, alpha, power, wanted, p_values, differences, spreads, families or 1
        return Power(part.runs, part.measures, len(part.topics), *fields, unit=part.unit)

    (whole,) = _corrected([over(evaluation)])
    groups = {name: over(evaluation.on(of), families) for name, of in rows.items() if len(of) > 1}
    tested = {name: part for name, part in groups.items() if part.topics >= FEW}
    return replace(whole, groups=groups | dict(zip(tested, _corrected([*tested.values()]))))


def _corrected(family: Sequence[Power]) -> list[Power]:
    """The results over all topics, or over groups of them, with p corrected for all their comparisons."""
    if not family:
        return []
    p_values = np.concatenate([part.p_values for part in family], axis=1)
    if family[0].test.endswith("-holm"):
        p_values = np.array([*map(significance.holm, p_values)])
    elif family[0].test == TUKEY:
        p_values = (p_values * len(family)).clip(max=1)
    parts = np.split(p_values, len(family), axis=1)
    return [replace(part, p_values=corrected) for part, corrected in zip(family, parts)]
