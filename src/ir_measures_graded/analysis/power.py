"""The power of a set of topics: discriminative power, topics for a difference, exaggeration and swaps.

All numbers belong to the primary procedure of `compare`, at the level α/k of a family of k pairs of runs,
unless another test is named. The spread σ of the differences over topics varies from pair to pair, so
numbers of topics are given for the pairs with the lowest, the median and the highest σ. A pilot estimates σ
with error: `upper_limit` is its upper 80 % confidence limit.

- The discriminative power of a measure is the share of pairs with p < α (Sakai 2006).
- Type S is the probability that a significant difference has the wrong sign, and type M how many times too
  large it is on average, if the true difference is the one asked for (Gelman & Carlin 2014).
- The ANOVA design asks for the topics on which one-way ANOVA of m runs finds a range of means of this size
  (Sakai 2016).
- The swap rate is the share of pairs that two disjoint halves of the topics rank in opposite ways (Voorhees &
  Buckley 2002; Sakai 2006).

A. Gelman, J. Carlin: Beyond power calculations. Perspectives on Psychological Science 9, 2014. T. Sakai:
Evaluating evaluation metrics based on the bootstrap. SIGIR 2006. T. Sakai: Topic set size design. Information
Retrieval Journal 19, 2016. E. M. Voorhees, C. Buckley: The effect of topic set size on retrieval experiment
error. SIGIR 2002.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..core.registry.notation import one_of
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluated, tracked
from ..evaluation.groups import By, groups_of
from ..evaluation.named import Qrels, Runs
from ..evaluation.sessions import Given
from ..output import plots
from ..output.formats import Table, counted, listed
from ..output.result import Grouped
from .statistics import paired, significance
from .statistics.options import check_test, need_statistics, statistics_library
from .statistics.paired import FEW, POWER

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
LIMIT: Final = 0.8
"""The confidence of the upper limit of a standard deviation."""
SPLITS: Final = 1000
SWAPPED: Final = 0.05
"""A difference between two halves counts as reliable up to this swap rate."""
BINS: Final = 100
WANTED: Final = {
    "lowest": "topics_{:g}_lowest",
    "median": "topics_{:g}",
    "highest": "topics_{:g}_highest",
    "median at limit": "topics_{:g}_at_limit",
    "highest at limit": "topics_{:g}_highest_at_limit",
    "ANOVA": "topics_{:g}_anova",
    "type S": "type_s_{:g}",
    "type M": "type_m_{:g}",
}
"""The column in the table, and the key in the records, of each number for a wanted difference."""


@dataclass(frozen=True, eq=False, repr=False)
class Power(Grouped):
    """The p-value of every pair of runs by every measure, and the spread of their differences.

    `p_values`, `differences` (of means) and `deviations` (σ of the differences over topics) are arrays
    (measures × pairs). `scores` (measures) is the standard deviation of a run's values, pooled over the
    runs. `swaps` has a `SwapRate` per measure. `wanted` are the differences for which topics are tabulated;
    `power` is the probability of finding them. `groups` has the same over groups of topics, of which as many
    as `families` are tested together; `p_values` of the others are NaN. `unit` is ``topic`` or ``session``.
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
    scores: np.ndarray
    swaps: tuple[SwapRate, ...]
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

    def spread(self, measure: Measure | str) -> tuple[float, float, float]:
        """The lowest, median and highest standard deviation of a pair's differences."""
        low, middle, high = np.quantile(self.deviations[self._row(measure)], (0, 0.5, 1)).tolist()
        return low, middle, high

    def detectable(self, measure: Measure | str) -> float:
        """The smallest true difference that the test finds with `power`, for the pair of median spread."""
        return self.detectable_by_pair(measure)[1]

    def detectable_by_pair(self, measure: Measure | str) -> tuple[float, ...]:
        """The smallest true difference that is found, for the lowest, median and highest spread."""
        effect = paired.detectable_effect(self.topics, self.level, self.power)
        return tuple(deviation * effect for deviation in self.spread(measure))

    def topics_for(self, measure: Measure | str, difference: float, upper: bool = False) -> int | None:
        """The number of topics that the pair of median spread needs to find a true difference with `power`.

        With `upper`, the spread is at its upper 80 % limit. None if more than 10 million. Raises
        `GradedError` for a difference that is not above 0.
        """
        return self.topics_by_pair(measure, difference, upper)[1]

    def topics_by_pair(
        self, measure: Measure | str, difference: float, upper: bool = False
    ) -> tuple[int | None, ...]:
        """The same for the pairs of lowest, median and highest spread."""
        limit = upper_limit(self.topics) if upper else 1.0
        return tuple(
            paired.topics_needed(difference, limit * deviation, self.level, self.power)
            for deviation in self.spread(measure)
        )

    def anova_topics(self, measure: Measure | str, difference: float) -> int | None:
        """The topics on which one-way ANOVA of as many runs finds a range of means of this size."""
        score = float(self.scores[self._row(measure)])
        return anova_topics(difference, score, len(self.runs), self.alpha, self.power)

    def errors(self, measure: Measure | str, difference: float) -> tuple[float, float]:
        """Types S and M for a true difference, for the pair of median spread, on as many topics."""
        return type_s_and_m(difference, self.spread(measure)[1], self.topics, self.level)

    def _row(self, measure: Measure | str) -> int:
        return self.measures.index(one_of(self.measures, measure))

    @property
    def summary(self) -> str:
        """The measures, runs and test in one line."""
        return (
            f"discriminative power of {listed(self.measures)} for {counted(len(self.runs), 'run')} over "
            f"{counted(self.topics, self.unit)} by the {TESTS[self.test]} test, {self.correction}"
        )

    def table(self) -> Table:
        """Column names and rows: one row per measure, the one with the highest discriminative power first."""
        shown = {
            "measure": "measure",
            "discriminative_power": f"share p < {self.alpha:g}",
            "significant": "pairs",
            "detectable_lowest": "MDE lowest",
            "detectable": "MDE median",
            "detectable_highest": "MDE highest",
            "swap_rate": "swap rate",
            "difference_of_few_swaps": f"swaps ≤ {SWAPPED:.0%} from",
        }
        rows = self._best_first()
        for row in rows:
            row["significant"] = f"{row['significant']} of {row['pairs']}"
        return [*shown.values()], [[row[key] for key in shown] for row in rows]

    def _best_first(self) -> list[dict[str, Any]]:
        return sorted(self._records(), key=lambda record: -record["discriminative_power"])

    def parts(self) -> list[tuple[str, Table]]:
        """The table, and one of the topics for the wanted differences."""
        rows = [
            [record["measure"], wanted, *(record[name.format(wanted)] for name in WANTED.values())]
            for record in self._best_first()
            for wanted in self.wanted
        ]
        table = f"{self.unit.capitalize()}s for a true difference", (["measure", "difference", *WANTED], rows)
        return [("", self.table()), *[table] * bool(rows), *self.parts_of_groups()]

    def notes(self) -> list[str]:
        """The meaning of the columns."""
        topics = counted(self.topics, self.unit)
        found = [
            f"{TESTS[self.test]} over {topics}, {self.correction}. MDE is the difference that the t-test "
            f"at the level {self.level:.2g} finds with probability {self.power:g}, for the pair of lowest, "
            "median and highest spread.",
            f"Swap rate: the share of pairs that two halves of the {self.unit}s rank in opposite ways, and "
            f"the difference from which on it is at most {SWAPPED:.0%}.",
        ]
        found += self.note_of_groups("MDE")
        if self.wanted:
            found += [
                f"At limit: with the spread at its upper {LIMIT:.0%} limit, {upper_limit(self.topics):.2f} "
                "times the estimate. ANOVA: for a range of the means of all runs.",
                f"On {topics}, type S is the probability that a significant difference has the wrong sign; "
                "type M is how many times too large it is on average.",
            ]
        return found

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per measure.

        ``topics_0.05`` is the number of topics for a difference of 0.05 and the pair of median spread, for
        each of `wanted`. The same name with a suffix is for another pair, at the limit, or by ANOVA.
        """
        return self.with_groups(self._records(), Power.records)

    def _records(self) -> list[dict[str, Any]]:
        records = []
        for measure, p_values, swaps in zip(self.measures, self.p_values, self.swaps):
            lowest, median, highest = self.detectable_by_pair(measure)
            record: dict[str, Any] = {
                "measure": str(measure),
                "test": TESTS[self.test],
                "correction": self.correction,
                "alpha": self.alpha,
                "level": self.level,
                "discriminative_power": self.share(measure),
                "significant": int((p_values < self.alpha).sum()),
                "pairs": len(self.pairs),
                "topics": self.topics,
                "deviation": self.spread(measure)[1],
                "power": self.power,
                "detectable": median,
                "detectable_lowest": lowest,
                "detectable_highest": highest,
                "swap_rate": swaps.rate,
                "difference_of_few_swaps": swaps.difference,
            }
            for wanted in self.wanted:
                _, *at_limit = self.topics_by_pair(measure, wanted, upper=True)
                of_runs, errors = self.anova_topics(measure, wanted), self.errors(measure, wanted)
                numbers = *self.topics_by_pair(measure, wanted), *at_limit, of_runs, *errors
                record |= {name.format(wanted): number for name, number in zip(WANTED.values(), numbers)}
            records.append(record)
        return records

    def pair_records(self) -> list[dict[str, Any]]:
        """One dictionary per measure and pair of runs: difference of the means and p-value."""
        return [
            {"measure": str(measure), "run": run, "other": other, "difference": difference, "p": p}
            for measure, *arrays in zip(self.measures, self.differences.tolist(), self.p_values.tolist())
            for (run, other), difference, p in zip(self.pairs, *arrays)
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
    runs: Runs = (),
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
    """The discriminative power of each measure, and the number of topics for wanted differences.

    `qrels`, `runs`, `measures`, `sessions`, `progress` and `jobs` are as for `evaluate`. An `Evaluation`, or
    a table of values as for `Evaluation.from_values`, may stand for the first four. Needs the extra
    ``stats``.

    `test` is ``t-holm``, the primary procedure of `compare`, ``t`` or ``wilcoxon`` (paired, not corrected),
    ``wilcoxon-holm``, or ``tukey`` (the randomised Tukey HSD with `resamples` ≥ 1 and `seed` ≥ 0). `alpha`
    is the level of the tests. `power`, between `alpha` and 1, is the probability
    that the t-test finds a true difference of a pair. `differences` > 0 are the differences for which the
    number of topics is tabulated. `by` groups the topics, see `compare`; groups of a single topic are left
    out.

    >>> values = np.array([[0.5, 0.7, 0.6, 0.8], [0.4, 0.5, 0.5, 0.6], [0.4, 0.6, 0.5, 0.5]])
    >>> from ir_measures_graded import nDCG_JK
    >>> evaluation = Evaluation(("A", "B", "C"), (nDCG_JK,), ("1", "2", "3", "4"), values[:, None])
    >>> found = power(evaluation, test="t")
    >>> found.correction, found.pairs, found.topics_by_pair(nDCG_JK, 0.05)
    ('not corrected for 3 comparisons', [('A', 'B'), ('A', 'C'), ('B', 'C')], (17, 31, 45))

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
    for count, what in ((len(evaluation.runs), "run"), (len(evaluation.topics), evaluation.unit)):
        if count < 2:
            raise GradedError(f"discriminative power needs at least 2 {what}s, not {count}")
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
            spread, score = np.nan_to_num(primary.deviation), values.var(axis=1, ddof=1).mean() ** 0.5
            found.append((p, means[first] - means[second], spread, score, swap_rate(values, seed=seed)))
        *columns, swaps = zip(*found)
        p_values, differences, spreads, scores = map(np.array, columns)
        fields = test, alpha, power, wanted, p_values, differences, spreads, scores, swaps, families or 1
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


def upper_limit(topics: int) -> float:
    """The upper 80 % confidence limit of a standard deviation, in estimates from so many topics.

    >>> round(upper_limit(10), 3), round(upper_limit(50), 3)
    (1.293, 1.099)
    """
    degrees = topics - 1
    return float((degrees / statistics_library("scipy.stats").chi2.ppf(1 - LIMIT, degrees)) ** 0.5)


def anova_topics(difference: float, deviation: float, runs: int, alpha: float, power: float) -> int | None:
    """The number of topics on which one-way ANOVA of `runs` runs finds a range of means with `power`.

    `difference` is the range of the true means; the worst case has all other means in its middle.
    `deviation` is the standard deviation of a run's values. None if more than ten million.

    >>> anova_topics(0.1, 0.25, 10, 0.05, 0.8)
    197

    Source: Sakai, Topic set size design, Information Retrieval Journal 19, 2016.
    """
    if deviation == 0:
        return 2
    stats, effect = statistics_library("scipy.stats"), difference / deviation

    def enough(topics: int) -> bool:
        degrees = runs - 1, runs * (topics - 1)
        bound = stats.f.isf(alpha, *degrees)
        return bool(stats.ncf.sf(bound, *degrees, topics * effect**2 / 2) >= power)

    return paired.fewest_topics(enough)


def type_s_and_m(difference: float, deviation: float, topics: int, alpha: float) -> tuple[float, float]:
    """Type S and type M of the two-sided paired t-test at the level `alpha`, for a true difference.

    The mean over the distribution of the estimated deviation is that of 2,000 of its quantiles.

    >>> wrong, times = type_s_and_m(0.02, 0.2, 50, 0.05)
    >>> round(wrong, 3), round(times, 2)
    (0.037, 3.4)

    Source: Gelman & Carlin, Beyond power calculations, Perspectives on Psychological Science 9, 2014.
    """
    if deviation == 0:
        return 0.0, 1.0
    stats, degrees = statistics_library("scipy.stats"), topics - 1
    error = deviation / topics**0.5
    estimated = np.sqrt(stats.chi2.ppf((np.arange(2000) + 0.5) / 2000, degrees) / degrees)
    bound, true = stats.t.isf(alpha / 2, degrees) * estimated, difference / error
    above, below = stats.norm.sf(bound - true), stats.norm.cdf(-bound - true)
    size = true * (above - below) + stats.norm.pdf(bound - true) + stats.norm.pdf(bound + true)
    found = float((above + below).mean())
    return float(below.mean()) / found, float(size.mean()) / found / true


@dataclass(frozen=True)
class SwapRate:
    """How often two disjoint halves of the topics rank a pair of runs in opposite ways.

    `rate` is the share over all pairs. `difference` is the smallest difference in one half from which on the
    rate is at most 5 %, and `share` the share of pairs that differ by at least so much; both are None if
    there is no such difference.
    """

    rate: float
    difference: float | None
    share: float | None


def swap_rate(values: np.ndarray, splits: int = SPLITS, seed: int = 0) -> SwapRate:
    """The swap rate of `values` (runs × topics) over random splits of the topics into halves.

    A difference of 0 in a half is no swap. Differences are binned into 100 bins up to the largest one.

    >>> swap_rate(np.array([[0.5, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.4]])).rate
    0.0

    Source: Voorhees & Buckley, The effect of topic set size on retrieval experiment error, SIGIR 2002; Sakai,
    Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.
    """
    runs, topics = values.shape
    order = np.random.default_rng(seed).permuted(np.tile(np.arange(topics), (splits, 1)), axis=1)
    half = topics // 2
    means = [values[:, part].mean(axis=2) for part in (order[:, :half], order[:, half : 2 * half])]
    first, second = np.triu_indices(runs, 1)
    one, other = (mean[first] - mean[second] for mean in means)
    swapped, size = (one * other < 0).ravel(), np.abs(one).ravel()
    bins = np.minimum((size / (size.max() or 1.0) * BINS).astype(np.int64), BINS - 1)
    counts, swaps = (np.bincount(bins, weights, minlength=BINS) for weights in (None, swapped))
    start = int(np.flatnonzero(swaps > SWAPPED * counts).max(initial=-1)) + 1
    edge, share = start * size.max() / BINS, (bins >= start).mean()
    few = (None, None) if start == BINS else (float(edge), float(share))
    return SwapRate(float(swapped.mean()), *few)
