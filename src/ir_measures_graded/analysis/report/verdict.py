"""The verdict: which runs are best by which measure, and which differences hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from ir_measures import Measure

from ...errors import GradedError
from ...evaluation.evaluate import Evaluation, sign_of
from ...evaluation.named import Judgments
from ...measures.base import GradedMeasure
from ...measures.weighted import WeightedGains
from ...output.formats import Table
from ..compare import compare_values
from ..comparison import PAIRED_T, TUKEY_HSD, Test
from ..intervals import STUDENT, Intervals, intervals
from ..ranges import Difference, Interval, Range, ranges

LEAST = 2
"""Intervals and tests need so many topics, comparisons so many runs."""
SHORT = 10
"""All judgments of the documents down to this rank are tried within seconds."""


@dataclass(frozen=True)
class Line:
    """One run by one measure.

    `interval` bounds the mean. `test` is the paired t-test against the baseline, None for the baseline
    itself, and `significant` tells its outcome. `span` has the ranges over ties and over judgments, None for
    a measure without.
    """

    run: str
    mean: float
    interval: Interval | None
    test: Test | None
    significant: bool
    span: Range | None


@dataclass(frozen=True)
class Standing:
    """How many differences between two runs keep their sign, of how many; None where it is not known.

    `over_ties` speaks of all orders of tied documents, `over_judgments` of all judgments of the documents
    without one.
    """

    pairs: int
    over_ties: int | None
    over_judgments: int | None


@dataclass(frozen=True)
class OfMeasure:
    """The verdict by one measure; `lines` start with the best run.

    `equal` are the runs that Tukey HSD does not tell from the best run, and `separated` is the number of
    pairs that it tells apart, of `pairs`. `better`, `worse` and `open` are the runs that are significantly
    better or worse than the baseline, or neither. `detectable` is the smallest true difference that the
    t-test finds with probability .8 for all open runs.
    """

    measure: Measure
    smaller_is_better: bool
    lines: tuple[Line, ...]
    equal: tuple[str, ...]
    separated: int
    pairs: int
    better: tuple[str, ...]
    worse: tuple[str, ...]
    open: tuple[str, ...]
    detectable: float | None
    standing: Standing | None

    @property
    def best(self) -> Line:
        """The run with the best mean; the first of several."""
        return self.lines[0]

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest bound of all intervals, or mean, and the highest."""
        ends = [end for line in self.lines for end in (line.mean, *(line.interval or ()))]
        return min(ends), max(ends)

    def has(self, kind: str) -> bool:
        """Whether any run has a range of a kind, ``ties`` or ``unjudged``, that is no single value."""
        found = (getattr(line.span, kind, None) for line in self.lines)
        return any(each is not None and each[0] < each[1] for each in found)

    @property
    def tied(self) -> tuple[str, ...]:
        """The other runs with the same mean as the best."""
        return tuple(line.run for line in self.lines[1:] if line.mean == self.best.mean)


@dataclass(frozen=True)
class Verdict:
    """The verdict by each measure. `baseline` is None with one run, `confidence` without intervals."""

    measures: tuple[OfMeasure, ...]
    baseline: str | None
    topics: int
    alpha: float
    confidence: float | None
    tested: bool

    @property
    def leaders(self) -> dict[str, list[str]]:
        """The best runs, each with the measures by which it is best."""
        found: dict[str, list[str]] = {}
        for each in self.measures:
            found.setdefault(each.best.run, []).append(str(each.measure))
        return found

    def table(self) -> Table:
        """Column names and rows: one row per measure and run."""
        columns = ["measure", "run", "mean", "lower", "upper", "difference", "from", "to", "p", "significant"]
        rows: list[list[Any]] = []
        for each in self.measures:
            for line in each.lines:
                row = [str(each.measure), line.run, line.mean, *(line.interval or (None, None))]
                if (test := line.test) is None:
                    row += [None, None, None, None]
                else:
                    row += [test.difference, test.lower, test.upper, test.decisive]
                rows.append([*row, line.significant])
        return columns, rows


def verdict(
    evaluation: Evaluation,
    judgments: Judgments,
    runs: Mapping[str, Any],
    baseline: str | None,
    alpha: float,
    permutations: int,
    seed: int,
) -> Verdict:
    """Test the differences between the runs, and bound their values."""
    several = len(evaluation.runs) >= LEAST
    if baseline is None and several:
        baseline = evaluation.runs[0]
    tested = None
    if (several and len(evaluation.topics) >= LEAST) or baseline not in (None, *evaluation.runs):
        tested = compare_values(
            evaluation, baseline=baseline, alpha=alpha, permutations=permutations, seed=seed
        )
    bounds = _bounds(evaluation, 1 - alpha)
    found = []
    for measure in evaluation.measures:
        spans, differences = _ranges(judgments, runs, measure, seed)
        tests = [] if tested is None else tested.find(measure, PAIRED_T)
        lines = _lines(evaluation, measure, bounds, tests, alpha, spans)
        pairs = [] if tested is None else tested.find(measure, TUKEY_HSD)
        found.append(_of_measure(measure, lines, pairs, alpha, _standing(differences)))
    return Verdict(
        tuple(found),
        baseline if several else None,
        len(evaluation.topics),
        alpha,
        None if bounds is None else 1 - alpha,
        tested is not None,
    )


def _bounds(evaluation: Evaluation, confidence: float) -> Intervals | None:
    """The intervals of the means; None where a measure has too few topics."""
    try:
        return intervals(evaluation, confidence, STUDENT)
    except GradedError:
        return None


def _ranges(
    judgments: Judgments, runs: Mapping[str, Any], measure: Measure, seed: int
) -> tuple[dict[str, Range], tuple[Difference, ...]]:
    """The ranges of the runs and of their differences, for a graded measure without the options.

    Sums of gains have fast programs for all judgments. Other measures must try them, so only short lists do.
    """
    if not isinstance(measure, GradedMeasure):
        return {}, ()
    summed = isinstance(measure, WeightedGains) and not measure.params.get("avg")
    short = (measure.params.get("cutoff") or SHORT + 1) <= SHORT
    try:
        found = ranges(judgments, runs, [measure], draws=0, seed=seed, unjudged=summed or short)
    except GradedError:
        return {}, ()
    return {each.run: each for each in found.values}, found.differences


def _lines(
    evaluation: Evaluation,
    measure: Measure,
    bounds: Intervals | None,
    tests: list[Test],
    alpha: float,
    spans: dict[str, Range],
) -> list[Line]:
    """One line per run, the best run first."""
    column = evaluation.measures.index(measure)
    values = evaluation.means()[:, column] if bounds is None else bounds.values[:, column]
    against = {test.run: test for test in tests}
    lines = []
    for row in np.argsort(-sign_of(measure) * values, kind="stable").tolist():
        run = evaluation.runs[row]
        interval = None if bounds is None else bounds.of(run, measure)
        test = against.get(run)
        significant = test is not None and test.decisive < alpha
        lines.append(Line(run, float(values[row]), interval, test, significant, spans.get(run)))
    return lines


def _of_measure(
    measure: Measure, lines: list[Line], pairs: list[Test], alpha: float, standing: Standing | None
) -> OfMeasure:
    best, sign = lines[0].run, sign_of(measure)
    separated = [{test.run, test.other} for test in pairs if test.decisive < alpha]
    better: list[str] = []
    worse: list[str] = []
    undecided: list[str] = []
    detectable: float | None = None
    for line in lines:
        if line.test is None:
            continue
        if not line.significant:
            undecided.append(line.run)
            detectable = max(detectable or 0.0, line.test.detectable or 0.0)
        else:
            (better if sign * (line.test.difference or 0.0) > 0 else worse).append(line.run)
    return OfMeasure(
        measure,
        sign < 0,
        tuple(lines),
        equal=tuple(line.run for line in lines[1:] if {best, line.run} not in separated),
        separated=len(separated),
        pairs=len(pairs),
        better=tuple(better),
        worse=tuple(worse),
        open=tuple(undecided),
        detectable=detectable,
        standing=standing,
    )


def _standing(differences: tuple[Difference, ...]) -> Standing | None:
    if not differences:
        return None
    ties = [each.stands_over_ties for each in differences]
    judgments = [each.stands_over_judgments for each in differences]
    counts = [None if None in each else sum(map(bool, each)) for each in (ties, judgments)]
    return None if counts == [None, None] else Standing(len(differences), *counts)
