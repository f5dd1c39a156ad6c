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
from ..comparison import PAIRED_T, TUKEY_HSD, Comparison, Test
from ..intervals import STUDENT, Intervals, intervals
from ..ranges import Difference, Range, ranges

LEAST = 2
"""Intervals and tests need so many topics, comparisons so many runs."""
SHORT = 10
"""All judgments of the documents down to this rank are tried within seconds."""


@dataclass(frozen=True)
class Line:
    """One run by one measure.

    `lower` and `upper` bound the mean. `difference` is the mean minus that of the baseline, `from_` and `to`
    bound it, and `p` is from the paired t-test with Holm's correction; all are None for the baseline.
    `ties` and `unjudged` are the ranges over orders of ties and over judgments, None where not known.
    """

    run: str
    mean: float
    lower: float | None = None
    upper: float | None = None
    difference: float | None = None
    from_: float | None = None
    to: float | None = None
    p: float | None = None
    significant: bool = False
    ties: tuple[float, float] | None = None
    unjudged: tuple[float, float] | None = None


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
    equal: tuple[str, ...] = ()
    separated: int = 0
    pairs: int = 0
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    detectable: float | None = None
    standing: Standing | None = None

    @property
    def best(self) -> Line:
        """The run with the best mean; the first of several."""
        return self.lines[0]

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
        return columns, [
            [
                str(each.measure),
                line.run,
                line.mean,
                line.lower,
                line.upper,
                line.difference,
                line.from_,
                line.to,
                line.p,
                line.significant,
            ]
            for each in self.measures
            for line in each.lines
        ]


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
    return Verdict(
        tuple(
            _of_measure(
                evaluation, measure, tested, bounds, baseline, *_ranges(judgments, runs, measure, seed)
            )
            for measure in evaluation.measures
        ),
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


def _of_measure(
    evaluation: Evaluation,
    measure: Measure,
    tested: Comparison | None,
    bounds: Intervals | None,
    baseline: str | None,
    spans: dict[str, Range],
    differences: tuple[Difference, ...],
) -> OfMeasure:
    sign, column = sign_of(measure), evaluation.measures.index(measure)
    means = evaluation.means()[:, column]
    order = np.argsort(-sign * means, kind="stable").tolist()
    against: dict[str | None, Test] = {}
    if tested is not None:
        against = {test.run: test for test in tested.find(measure, PAIRED_T)}
    lines = []
    for row in order:
        run = evaluation.runs[row]
        line = Line(run, float(means[row]))
        facts: dict[str, Any] = {}
        if bounds is not None:
            facts["lower"], facts["upper"] = bounds.of(run, measure)
            facts["mean"] = float(bounds.values[row, column])
        if run in against:
            test = against[run]
            facts |= {"difference": test.difference, "from_": test.lower, "to": test.upper}
            facts |= {"p": test.decisive, "significant": test.decisive < tested.alpha if tested else False}
        if run in spans:
            facts |= {"ties": spans[run].ties, "unjudged": spans[run].unjudged}
        lines.append(Line(**{**vars(line), **facts}))
    if tested is None:
        return OfMeasure(measure, sign < 0, tuple(lines), standing=_standing(differences))
    pairs = tested.find(measure, TUKEY_HSD)
    best = lines[0].run
    told = {
        run for test in pairs if test.decisive < tested.alpha for run in (test.run, test.other)
        if best in (test.run, test.other)
    }  # fmt: skip
    found: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for line in lines:
        if line.run in against:
            ahead = sign * (line.difference or 0) > 0
            found[("better" if ahead else "worse") if line.significant else "open"].append(line.run)
    detectable = [against[run].detectable or 0.0 for run in found["open"]]
    return OfMeasure(
        measure,
        sign < 0,
        tuple(lines),
        equal=tuple(line.run for line in lines[1:] if line.run not in told),
        separated=sum(test.decisive < tested.alpha for test in pairs),
        pairs=len(pairs),
        **{name: tuple(runs) for name, runs in found.items()},
        detectable=max(detectable, default=None),
        standing=_standing(differences),
    )


def _standing(differences: tuple[Difference, ...]) -> Standing | None:
    if not differences:
        return None
    ties = [each.stands_over_ties for each in differences]
    judgments = [each.stands_over_judgments for each in differences]
    counts = [None if None in each else sum(map(bool, each)) for each in (ties, judgments)]
    return None if counts == [None, None] else Standing(len(differences), *counts)
