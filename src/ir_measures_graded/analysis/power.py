"""The power of a set of topics: which differences it finds, and how many topics find a difference.

All numbers belong to the primary procedure of `compare`, at the level α/k of a family of k pairs of
runs. The spread σ of the differences over topics varies from pair to pair, so numbers are given for
the pairs with the lowest, the median and the highest σ. A pilot estimates σ with error: `limit` is
its upper 80 % confidence limit. The discriminative power of a measure is the share of pairs with p
< α.

T. Sakai: Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..arguments import number as number_in
from ..core.registry.facts import ZERO
from ..core.registry.notation import one_of
from ..errors import GradedError, Remark
from ..evaluation.attributes import By, groups_of
from ..evaluation.checked import checks_arguments
from ..evaluation.evaluate import evaluated
from ..evaluation.evaluation import Evaluation
from ..evaluation.named import Qrels, Runs
from ..evaluation.sessions import Given
from ..evaluation.value_columns import COLLECTION
from ..output.figures import BLUE, Figure, Line, Lines, picture
from ..output.formats import counted, decimal, known, listed, probability, short
from ..output.result import Result
from ..output.tables import Column, Table
from ..progress import Progress
from .comparing.collections import LEAST_COLLECTIONS, OverCollections, compare_collections
from .comparing.families import (
    baseline_of,
    family_of,
    notes_on,
    refuse_few_topics,
    refuse_many_pairs,
    width_of,
)
from .statistics import primary, student
from .statistics.corrections import CORRECTION_NAME, DEFAULT, correction_of
from .statistics.defaults import ALPHA, LEAST_TESTED_TOPICS, POWER
from .statistics.options import as_list, check_probability, statistics_library
from .statistics.precision import TIED, deviation_of, quietly

CURVE_POINTS: Final = 60
"""The number of points of the curve in the figure."""
MOST_DRAWN: Final = 20_000
"""The figure ends at a multiple of at most so many topics."""
SPREADS: Final = ("lowest", "median", "highest", "at_limit")
"""Pairs of runs by the spread of their differences: lowest, median, highest, median at its upper
limit."""
COLUMNS: Final = (
    "measure", "difference", "lowest", "median", "highest", Column("at_limit"), "chance",
    "deviation", "discriminative_power", "significant", "pairs", "topics", "level", "power",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Power(Result):
    """The p-value of every pair of runs by every measure, and the spread of their differences.

    `p_values`, with Holm's correction, and `deviations` (σ of the differences over topics) are
    arrays (measures × pairs), NaN if they are undefined. `wanted` are the differences for which
    topics are tabulated; `power` is the probability of finding them. `unit` is ``topic`` or
    ``session``. With a `baseline`, the pairs are each other run and this one. `complete` has the
    number of topics with a value of every run, by measure; all numbers rest on these topics.

    `groups` has the same of each group of at least 10 topics, whose level and p-values have the
    correction for all `families` of pairs in these groups, and `small` the number of topics of
    each other group.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: int
    alpha: float
    power: float
    wanted: tuple[float, ...]
    p_values: np.ndarray
    deviations: np.ndarray
    unit: str = "topic"
    lacking: Sequence[str] = ()
    remarks: tuple[Remark, ...] = ()
    baseline: str | None = None
    complete: tuple[int, ...] = ()
    families: int = 1
    groups: Mapping[str, Power] = field(default_factory=dict)
    small: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, in the order of the columns of `p_values`."""
        numbers = family_of(self.runs, self.baseline, range(len(self.runs)))
        return [(self.runs[run], self.runs[other]) for run, other in numbers]

    def topics_of(self, measure: Measure | str) -> int:
        """The number of topics for which every run has a value by the measure."""
        if self.complete:
            return self.complete[self._row(measure)]
        return self.topics

    def separated(self, measure: Measure | str) -> int:
        """The number of pairs with p < `alpha`."""
        return int((self.p_values[self._row(measure)] < self.alpha).sum())

    def share(self, measure: Measure | str) -> float:
        """The discriminative power: the share of pairs with p < `alpha`."""
        return self.separated(measure) / len(self.pairs)

    def limit(self, measure: Measure | str) -> float:
        """The upper 80 % confidence limit of a standard deviation, in estimates from as many
        topics."""
        return student.deviation_limits(self.topics_of(measure), confidence=0.6)[1]

    @property
    def level(self) -> float:
        """The level of a single pair: α over the number of pairs, in all groups if it is one of
        them."""
        return self.alpha / (len(self.pairs) * self.families)

    def spread(self, measure: Measure | str) -> tuple[float, ...]:
        """The standard deviations of the differences of the pairs `SPREADS`; NaN if undefined."""
        deviations = self.deviations[self._row(measure)]
        with quietly():
            lowest, median, highest = np.nanquantile(deviations, (0, 0.5, 1)).tolist()
        return lowest, median, highest, median * self.limit(measure)

    def detectable(self, measure: Measure | str) -> tuple[float, ...]:
        """The smallest true difference that the test finds with `power`, for the pairs
        `SPREADS`."""
        effect = student.detectable_effect(self.topics_of(measure), self.level, self.power)
        return tuple(deviation * effect for deviation in self.spread(measure))

    def topics_for(self, measure: Measure | str, difference: float) -> tuple[int | None, ...]:
        """The number of topics that find a true difference with `power`, for the pairs `SPREADS`.

        None if more than 10 million, or if the spread is undefined.
        """
        difference = number_in("difference", difference)
        return tuple(
            student.topics_needed(difference, deviation, self.level, self.power)
            for deviation in self.spread(measure)
        )

    def chance(self, measure: Measure | str, difference: float) -> float:
        """The probability that as many topics find a true difference, for the pair of median
        spread."""
        effect = number_in("difference", difference) / self.spread(measure)[1]
        return student.chance_to_find(effect, self.topics_of(measure), self.level)

    def _row(self, measure: Measure | str) -> int:
        return self._rows[one_of(self.measures, measure)]

    @cached_property
    def _rows(self) -> dict[Measure, int]:
        """The row of each measure. To compare many measures by their strings takes long."""
        return {measure: row for row, measure in enumerate(self.measures)}

    def answer(self) -> list[str]:
        """What the topics find, and how many find the wanted differences, in sentences."""
        sentences: list[str] = []
        for measure in self._best_first():
            sentences += self._answer(measure)
            for group, of_group in self.groups.items():
                first = next(of_group._answer(measure))
                sentences.append(f"Group {group}: {first}")
        return sentences

    def _answer(self, measure: Measure) -> Iterator[str]:
        if np.isnan(self.spread(measure)).any():
            reason = f"the difference is constant or too few {self.unit}s differ"
            if self.unit == COLLECTION:
                reason = "the difference is constant or a run lacks a collection"
            yield f"No power for {measure}: in every pair, {reason}."
            return
        if not self.wanted:
            yield self._found(measure)
        for difference in self.wanted:
            yield self._needed(measure, difference)
        row = self._row(measure)
        without_spread = int(np.isnan(self.deviations[row]).sum())
        if without_spread:
            why = "constant difference or few changes"
            if self.unit == COLLECTION:
                why = "constant difference"
            left_out = f"{counted(without_spread, 'pair')} of {why}"
            yield f"{left_out} by {measure} left out of lowest, median and highest."
        separated = self.separated(measure)
        differ = "differs" if separated == 1 else "differ"
        pairs = f"{separated} of {counted(len(self.pairs), 'pair')} of runs"
        yield f"By {measure}, {pairs} {differ} significantly (p < {short(self.alpha)})."
        untested = int(np.isnan(self.p_values[row]).sum())
        if untested:
            why = primary.UNTESTED
            if self.unit == COLLECTION:
                why = "the mean differences do not vary"
            yield f"No p for {counted(untested, 'pair')} by {measure} ({why})."

    def _found(self, measure: Measure) -> str:
        """The smallest difference that the topics find."""
        lowest, median, highest, _ = self.detectable(measure)
        largest = width_of(measure)
        if median > largest:
            return (
                f"{self._over_topics(measure)}, the test finds no difference that {measure} can "
                f"have with probability {short(self.power)}: it would have to be "
                f"{decimal(median)}, and values differ by at most {largest:g}."
            )
        by_pair = ""
        if len(self.pairs) > 1:
            by_pair = f" (median pair; {decimal(lowest)} to {decimal(highest)} by pair)"
        differ = f"two runs must truly differ by {decimal(median)} in {measure}"
        purpose = f"so that the test finds it with probability {short(self.power)}"
        return f"{self._over_topics(measure)}, {differ} {purpose}{by_pair}."

    def _needed(self, measure: Measure, difference: float) -> str:
        """The chance that the topics find a difference, and the topics that find it."""
        counts = self.topics_for(measure, difference)
        lowest, median, highest, _ = map(_topics_in_words, counts)
        of_pair = ""
        by_pair = ""
        if len(self.pairs) > 1:
            of_pair = " (median pair)"
            pairs = f"{len(self.pairs) * self.families} pairs tested together"
            by_pair = f" ({lowest} to {highest} by pair, for {pairs})"
        find = f"To find a true difference of {short(difference)} in {measure} with probability"
        about = "" if median.startswith("over") else "about "
        need = f"{find} {short(self.power)}, use {about}{median} {self.unit}s{by_pair}"
        chance = f"{probability(self.chance(measure, difference))}{of_pair}"
        topics = counted(self.topics_of(measure), self.unit)
        finds = "finds" if self.topics_of(measure) == 1 else "find"
        return f"{need}; {topics} {finds} it with probability {chance}."

    def _over_topics(self, measure: Measure) -> str:
        """The start of a sentence on the test with the topics at hand."""
        return f"Over {counted(self.topics_of(measure), self.unit)}"

    def tables(self) -> list[Table]:
        """The topics that the wanted differences need or, without any, the differences that the
        topics find.

        The measure with the highest discriminative power comes first.
        """
        names = ["measure"]
        if self.groups:
            names.insert(0, "group")
        if self.wanted:
            names.append("difference")
        return [self.data().select(*names, *SPREADS)]

    def _best_first(self) -> list[Measure]:
        """The measures, the one with the highest discriminative power first."""
        return sorted(self.measures, key=self.share, reverse=True)

    def data(self) -> Table:
        """One row per measure and wanted difference, or per measure; the numbers of `tables` and
        others.

        ``chance`` is the probability that as many topics find the wanted difference, and
        ``deviation`` the spread, for the median pair. With groups, the rows of each ``group``
        follow those of all topics, whose group is None.
        """
        table = self._numbers()
        if not self.groups:
            return table
        rows = [[None, *row] for row in table.rows]
        for group, of_group in self.groups.items():
            rows += [[group, *row] for row in of_group._numbers().rows]
        return Table(["group", *COLUMNS], rows)

    def _numbers(self) -> Table:
        """The rows of `data` for all topics."""
        records: list[dict[str, Any]] = []
        for measure in self._best_first():
            _, median_spread, *_ = self.spread(measure)
            facts = {
                "measure": str(measure),
                "difference": None,
                "chance": None,
                "deviation": median_spread,
                "discriminative_power": self.share(measure),
                "significant": self.separated(measure),
                "pairs": len(self.pairs),
                "topics": self.topics_of(measure),
                "level": self.level,
                "power": self.power,
            }
            if not self.wanted:
                detectable = self.detectable(measure)
                records.append(facts | dict(zip(SPREADS, detectable, strict=True)))
            for difference in self.wanted:
                numbers = self.topics_for(measure, difference)
                record = facts | dict(zip(SPREADS, numbers, strict=True))
                record["difference"] = difference
                record["chance"] = self.chance(measure, difference)
                records.append(record)
        table = Table.of(COLUMNS, records)
        rows = [known(np.array(row, dtype=object)) for row in table.rows]
        return replace(table, rows=rows)

    def figure(self, *, title: str = "") -> Figure:
        """Draw the smallest difference that is found against the number of topics.

        There is a panel for each measure, that of the highest discriminative power first. Needs the
        extra ``plot``.
        """
        panels = [
            self.curve(measure)
            for measure in self._best_first()
            if not np.isnan(self.spread(measure)).any()
        ]
        if not panels:
            raise GradedError(f"no power to draw: {self.summary}")
        band = ""
        if len(self.pairs) > 1:
            band = " Line: the pair of median spread; band: from the lowest to the highest spread."
        text = (
            f"The smallest true difference found with probability {short(self.power)} by the "
            f"t-test at the level {short(self.level, '.2g')}.{band} The spread is that of these "
            f"{self.unit}s, each for itself."
        )
        return picture(panels, title or self.summary, text, across=2)

    def curve(self, measure: Measure | str) -> Lines:
        """The smallest difference that is found against the number of topics, by a measure."""
        measure = one_of(self.measures, measure)
        now = self.topics_of(measure)
        lowest, median, highest, _ = self.spread(measure)
        most = max([now, *self._usual_topics(measure)])
        counts = np.unique(np.geomspace(max(5, min(10, now)), 4 * most, CURVE_POINTS).astype(int))
        effects = [
            student.detectable_effect(int(count), self.level, self.power) for count in counts
        ]
        effect = np.array(effects)
        band = np.stack([lowest * effect, highest * effect]) if len(self.pairs) > 1 else None
        line = Line("", median * effect, {"color": BLUE, "linewidth": 1.8}, band)
        levels = {f"{wanted:g}": wanted for wanted in self.wanted}
        return Lines(
            counts,
            [line],
            x_label=f"{self.unit}s",
            y_label=f"smallest difference found in {measure}",
            heading=str(measure),
            marks={f"{now} {self.unit}s": float(now)},
            levels=levels,
            is_log=True,
            is_log_y=True,
            size=(3.6, 2.6),
        )

    def _usual_topics(self, measure: Measure) -> Iterator[int]:
        """The topics that the wanted differences need, as far as a figure can show them."""
        for wanted in self.wanted:
            needed = self.topics_for(measure, wanted)[1]
            if needed is not None and needed <= MOST_DRAWN:
                yield needed

    def notes(self) -> list[str]:
        """The meaning of the columns."""
        count = len(self.pairs)
        correction = f"{CORRECTION_NAME} for {count} comparisons"
        if count == 1:
            correction = "one comparison"
        what = "Differences found"
        if self.wanted:
            what = f"{self.unit.capitalize()}s that find the difference"
        limits = dict.fromkeys(f"{self.limit(measure):.2f}" for measure in self.measures)
        times = " or ".join(limits)
        counts = [self.topics_of(measure) for measure in self.measures]
        topics = counted(max(counts), self.unit)
        if min(counts) < max(counts):
            topics = f"{min(counts)} to {topics}"
        method = "Paired t"
        if self.unit == COLLECTION:
            method = "Student's t of the mean differences"
        test = f"{method} over {topics}, {correction}."
        level = short(self.level, ".2g")
        columns = (
            f"{what} with probability {short(self.power)} by the t-test at the level {level}, "
            "for the pair of lowest, median and highest spread; at limit: the median spread at its "
            f"upper 80 % limit, {times} times the estimate."
        )
        return [test, columns, *self._notes_on_groups(), *self.lacking]

    def _notes_on_groups(self) -> Iterator[str]:
        """The level of the groups, and those that have no numbers."""
        for of_group in self.groups.values():
            comparisons = len(self.pairs) * of_group.families
            level = short(of_group.level, ".2g")
            yield (
                "A row without a group is for all topics. In groups, the level is "
                f"{level}, with {CORRECTION_NAME} for {comparisons} comparisons."
            )
            break
        if self.small:
            groups = [f"{group} ({number})" for group, number in self.small.items()]
            least = f"fewer than {LEAST_TESTED_TOPICS} {self.unit}s"
            yield f"Groups without numbers, because they have {least}: {listed(groups)}."

    def remark_notes(self) -> list[str]:
        """None: `lacking` has them among the notes."""
        return []


@checks_arguments("power(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def power(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    no_relevant: str = ZERO,
    baseline: str | None = None,
    by: By = None,
    alpha: float = ALPHA,
    power: float = POWER,
    differences: Iterable[float] | float = (),
    progress: Progress = False,
) -> Power:
    """What the topics find by each measure, and the number of topics for wanted differences.

    `qrels`, `runs`, `measures`, `sessions` and `no_relevant` are as for `evaluate`. An
    `Evaluation`, or a table of values as for `Evaluation.from_values`, may stand for the first
    four. Needs the extra ``stats``.

    `baseline` names a run: the family then has the pairs of each other run and this one, as
    in `compare`. A topic for which some run has no value is left out.

    `by` groups the topics: a mapping to an attribute, or ``FILE:COLUMN``, as in `compare`. Each
    group of at least 10 topics then has numbers of its own, at the level of the pairs of runs in
    all these groups together.

    `alpha` is the level of the tests. `power`, between `alpha` and 1, is the probability that the
    t-test finds a true difference of a pair. `differences` > 0 are those for which topics are
    tabulated.

    `progress` is as for `evaluate`.

    >>> values = np.array([[0.5, 0.7, 0.6, 0.8], [0.4, 0.5, 0.5, 0.6], [0.4, 0.6, 0.5, 0.5]])
    >>> from ir_measures_graded import nDCG_JK
    >>> evaluation = Evaluation(("A", "B", "C"), (nDCG_JK,), ("1", "2", "3", "4"), values[:, None])
    >>> found = power(evaluation)
    >>> found.pairs, found.topics_for(nDCG_JK, 0.05)
    ([('A', 'B'), ('A', 'C'), ('B', 'C')], (17, 31, 45, 87))

    Raises `GradedError` for fewer than two runs or topics and for an option out of its range.
    """
    wanted = _checked(alpha, power, differences)
    evaluation, _ = evaluated(qrels, runs, measures, sessions, no_relevant=no_relevant)
    if evaluation.weights is not None:
        raise GradedError("power is not known for weights of topics; leave them out")
    refuse_few_topics(evaluation)
    if baseline is None:
        refuse_many_pairs(len(evaluation.runs), len(evaluation.measures))
    else:
        baseline = baseline_of(evaluation.runs, baseline)
    groups = {
        group: evaluation.on(rows) for group, rows in groups_of(evaluation.topics, by).items()
    }
    large = {}
    small = {}
    for group, group_values in groups.items():
        fewest = min(len(group_values.paired_topics(measure)) for measure in group_values.measures)
        if fewest < LEAST_TESTED_TOPICS:
            small[group] = fewest
        else:
            large[group] = group_values
    settings = {"alpha": alpha, "power": power, "wanted": wanted, "baseline": baseline}
    (whole,) = _powers([evaluation], settings)
    of_groups = dict(zip(large, _powers(list(large.values()), settings), strict=True))
    return replace(whole, groups=of_groups, small=small)


def _topics_in_words(number: int | None) -> str:
    """A number of topics; None is more than the largest that is computed."""
    return f"{number:,}" if number else "over ten million"


def _powers(parts: Sequence[Evaluation], settings: Mapping[str, Any]) -> list[Power]:
    """The power of each of some groups of topics, or of all topics.

    `settings` are fields of the results.
    """
    if not parts:
        return []
    first = parts[0]
    alpha = settings["alpha"]
    pairs = family_of(first.runs, settings["baseline"], range(len(first.runs)))
    shape = (len(parts), len(first.measures), len(pairs))
    p_values = np.empty(shape)
    deviations = np.empty(shape)
    for row, measure in enumerate(first.measures):
        values = [group_values.paired(measure) for group_values in parts]
        width = width_of(measure)
        if len(parts) == 1:
            tests_of_parts = [primary.paired(values[0], pairs, width=width)]
        else:
            tests_of_parts = primary.paired_in_parts(values, pairs, alpha, width=width)
        for number, tests in enumerate(tests_of_parts):
            p_values[number, row] = tests.adjusted
            # The spread of a pair of which few topics change is too small.
            has_spread = ~np.isnan(tests.detectable)
            deviations[number, row] = np.where(has_spread, tests.deviation, np.nan)
    powers = []
    for number, group_values in enumerate(parts):
        complete = [len(group_values.paired_topics(measure)) for measure in group_values.measures]
        of_group = Power(
            runs=group_values.runs,
            measures=group_values.measures,
            topics=len(group_values.topics),
            p_values=p_values[number],
            deviations=deviations[number],
            unit=group_values.unit,
            lacking=notes_on(group_values),
            remarks=group_values.remarks,
            complete=tuple(complete),
            families=len(parts),
            **settings,
        )
        powers.append(of_group)
    return powers


@checks_arguments("power_collections({'web': (qrels, runs), …}, ['nDCG@10'])")
def power_collections(
    collections: Any,
    measures: Iterable[Measure | str] = (),
    *,
    smaller: Collection[str] = (),
    baseline: str | None = None,
    alpha: float = ALPHA,
    power: float = POWER,
    differences: Iterable[float] | float = (),
    progress: Progress = False,
) -> Power:
    """What the collections find by each measure, and the number of collections for wanted
    differences.

    `collections`, `measures`, `smaller` and `baseline` are as for `compare_collections`; `alpha`,
    `power` and `differences` are as for `power`. The test is that of differences over collections
    like these: Student's t over the mean differences, in which each collection counts once. A pair
    of which a run lacks a collection is left out.

    `progress` is as for `evaluate`.

    >>> gains = {"A": (0.5, 0.6, 0.7), "B": (0.5, 0.7, 0.9)}
    >>> rows = [
    ...     {"collection": name, "run": run, "topic": topic, "P@10": value + topic / 100}
    ...     for run, means in gains.items()
    ...     for name, value in zip("xyz", means)
    ...     for topic in range(12)
    ... ]
    >>> found = power_collections(rows, differences=0.1)
    >>> found.unit, found.topics, found.topics_for("P@10", 0.1)
    ('collection', 3, (10, 10, 10, 38))

    Raises `GradedError` for fewer than 3 collections, and as both.
    """
    wanted = _checked(alpha, power, differences)
    comparison = compare_collections(
        collections, measures, smaller=smaller, baseline=baseline, alpha=alpha
    )
    count = comparison.topics
    if count < LEAST_COLLECTIONS:
        raise GradedError(
            f"power over collections needs at least {LEAST_COLLECTIONS} of them, not {count}"
        )
    complete = _runs_of_all_collections(comparison)
    if baseline is not None:
        baseline_of(comparison.runs, baseline)
    lacking_runs = [run for run in comparison.runs if run not in complete]
    if len(complete) < 2 or baseline in lacking_runs:
        raise GradedError(
            "power over collections needs 2 runs with values in each collection, and a baseline is "
            f"one of them; a collection is missing for {listed(lacking_runs)}"
        )
    # Two runs have a baseline without the option, and the same pair.
    named = baseline
    if named is None and len(comparison.runs) == 2:
        named = comparison.baseline
    family = family_of(complete, named, range(len(complete)))
    pairs = [(complete[run], complete[other]) for run, other in family]
    rows = [[comparison.runs.index(run) for run in pair] for pair in pairs]
    first, second = np.array(rows).T
    means = np.stack([group.values for group in comparison.groups.values()], axis=-1)
    between = np.moveaxis(means[first] - means[second], 1, 0)
    spreads = deviation_of(between)
    is_constant = np.ptp(between, axis=-1) <= TIED * np.abs(between).max(axis=-1)
    adjusted = []
    for measure in comparison.measures:
        p_of_pair = {(test.run, test.other): test.p for test in comparison.find(measure)}
        p = np.array([p_of_pair[pair] for pair in pairs], dtype=float)  # None becomes NaN
        adjusted.append(correction_of(DEFAULT).adjust(p, len(pairs)))
    lacking = [f"{run} is left out, because it lacks a collection." for run in lacking_runs]
    for name, group in comparison.groups.items():
        lacking += [f"{name}: {sentence}" for sentence in group.lacking]
    return Power(
        runs=complete,
        measures=comparison.measures,
        topics=count,
        alpha=alpha,
        power=power,
        wanted=wanted,
        p_values=np.array(adjusted),
        deviations=np.where(is_constant, np.nan, spreads),
        unit=comparison.unit,
        lacking=lacking,
        remarks=comparison.remarks,
        baseline=named,
    )


def _runs_of_all_collections(comparison: OverCollections) -> tuple[str, ...]:
    """The runs with a mean in each collection, by each measure that all collections have."""
    has_mean = ~np.isnan(comparison.values)
    is_in_all = has_mean.any(axis=0)
    is_complete = has_mean[:, is_in_all].all(axis=1) & is_in_all.any()
    return tuple(run for run, kept in zip(comparison.runs, is_complete, strict=True) if kept)


def _checked(alpha: float, power: float, differences: Iterable[float] | float) -> tuple[float, ...]:
    """The wanted differences. Raises `GradedError` for an option out of its range."""
    check_probability(alpha, "alpha", ALPHA)
    statistics_library("scipy.special")
    if not alpha < power < 1:
        raise GradedError(
            f"power={power!r} is not allowed; it is above alpha={alpha:g} and below 1, as 0.8"
        )
    wanted = tuple(dict.fromkeys(as_list(differences)))
    for difference in wanted:
        if not 0 < difference < np.inf:
            raise GradedError(f"difference={difference!r} is not allowed; it is a number above 0")
    return wanted
