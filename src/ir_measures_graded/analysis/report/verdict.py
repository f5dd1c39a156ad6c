"""The section on the verdict: the best runs by each measure, and the differences that hold."""

from itertools import combinations
from math import isclose
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ...evaluation.evaluate import Evaluation
from ...evaluation.named import Study
from ..comparing.compare import baseline_of, compare
from ..comparing.result import Comparison, Test
from ..ranges import Interval, Range, Standing, standings
from ..statistics.precision import EXACT
from ..statistics.student import mean_interval


class Line(NamedTuple):
    """One run by one measure.

    `interval` is the confidence interval of the mean. `test` is the paired t-test against the baseline, None
    for the baseline itself. `span` has the ranges over ties and over judgments, None if the measure has none.
    """

    run: str
    mean: float
    interval: Interval | None
    test: Test | None
    span: Range | None


class OfMeasure(NamedTuple):
    """The verdict by one measure. `lines` start with the best run.

    `equal` are the runs that the comparison of all pairs does not separate from the best run, and `separated`
    is the number of pairs that it separates, None if it tests no pair. `standing` counts the differences
    between two runs that certainly keep their sign in all orders of tied documents, and those that keep it
    under all judgments of the unjudged documents.
    """

    measure: Measure
    smaller_is_better: bool
    lines: tuple[Line, ...]
    equal: tuple[str, ...]
    separated: int | None
    standing: Standing

    @property
    def best(self) -> Line:
        """The line of the run with the best mean; the first one if several runs have it."""
        return self.lines[0]

    @property
    def leading(self) -> tuple[str, ...]:
        """The runs with the best mean."""
        return tuple(
            line.run for line in self.lines if isclose(line.mean, self.best.mean, rel_tol=EXACT)
        )

    def has(self, kind: str) -> bool:
        """Whether any run has a range of a kind, ``ties`` or ``unjudged``, that is wider than one value."""
        found = (getattr(line.span, kind, None) for line in self.lines)
        return any(each is not None and each[0] < each[1] for each in found)

    def marks(self, place: int) -> bool:
        """Whether a line is that of the best run or the baseline, or is beside the cut of significance: that
        of the runs as good as the best one, or of those that differ from the baseline."""
        if place == 0 or self.lines[place].test is None:
            return True
        top = (self.best.run, *self.equal)
        beside = self.lines[place - 1 : place + 2]
        kinds = {(line.run in top, bool(line.test and line.test.significant)) for line in beside}
        return len(kinds) > 1


class Verdict(NamedTuple):
    """The verdict by each measure.

    `baseline` is None if there is only one run, and `confidence` is None if there are no intervals. `tested`
    compares the runs with the baseline, and `every_pair` with each other; both are None without tests.
    """

    measures: tuple[OfMeasure, ...]
    baseline: str | None
    alpha: float
    confidence: float | None
    tested: Comparison | None
    every_pair: Comparison | None

    @property
    def leaders(self) -> dict[tuple[str, ...], list[str]]:
        """The runs that are best by a measure, with these measures."""
        found: dict[tuple[str, ...], list[str]] = {}
        for each in self.measures:
            found.setdefault(each.leading, []).append(str(each.measure))
        return found

    @property
    def contrary(self) -> tuple[OfMeasure, OfMeasure] | None:
        """Two measures with other best runs, each significantly better than the other's, if there are any."""
        for one, other in combinations(self.measures, 2):
            apart = one.best.run != other.best.run
            if apart and other.best.run not in one.equal and one.best.run not in other.equal:
                return one, other
        return None


def verdict(evaluation: Evaluation, study: Study, baseline: str | None, alpha: float) -> Verdict:
    """Test the differences between the runs, and compute intervals and ranges of their values."""
    several, topics = len(evaluation.runs) >= 2, len(evaluation.topics)
    baseline = baseline_of(evaluation.runs, baseline) or evaluation.runs[0]
    tested = every_pair = None
    if several and topics >= 2:
        tested = compare(evaluation, baseline=baseline, alpha=alpha)
        every_pair = compare(evaluation, alpha=alpha)
    spans = standings(study, evaluation.measures)
    confidence = 1 - alpha if topics >= 2 else None
    found = []
    for measure in evaluation.measures:
        standing = spans.get(measure, Standing((), 0, None, None))
        test_of = {test.run: test for test in tested.find(measure)} if tested else {}
        span_of = {span.run: span for span in standing.ranges}
        values, lines = evaluation.of(measure), []
        means = mean_over_topics(values)
        sign = sign_of(measure)
        for row in np.argsort(-sign * means, kind="stable").tolist():
            run = evaluation.runs[row]
            interval = None if confidence is None else mean_interval(values[row], confidence)
            lines.append(Line(run, float(means[row]), interval, test_of.get(run), span_of.get(run)))
        equal = every_pair.top(measure)[1:] if every_pair else [line.run for line in lines[1:]]
        pairs = every_pair.find(measure) if every_pair else []
        tests = [test for test in pairs if test.p is not None]
        separated = sum(test.significant for test in tests) if tests else None
        found.append(OfMeasure(measure, sign < 0, tuple(lines), tuple(equal), separated, standing))
    return Verdict(
        tuple(found), baseline if several else None, alpha, confidence, tested, every_pair
    )
