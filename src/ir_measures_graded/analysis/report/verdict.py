"""The section on the verdict: the best runs by each measure, and the differences that hold."""

from collections.abc import Iterable
from itertools import combinations
from math import isclose
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ...evaluation.evaluation import Evaluation
from ...evaluation.named import Study
from ...evaluation.order_of_runs import best_first
from ...output.formats import counted, decimal, listed, p_of, short
from ...output.tables import Note
from ..comparing.compare import compare, with_turns
from ..comparing.families import baseline_of
from ..comparing.judgments import runs_by_name
from ..comparing.method import ALL_PAIRS, how_corrected, on_families, on_tests
from ..comparing.result import Comparison
from ..comparing.sentences import MAY_TURN
from ..comparing.tests import Test
from ..mean_intervals import named_few, notes_on_few, student_bounds
from ..ranges import Interval, Range, Standing, standings
from ..statistics.corrections import CORRECTION_NAME, HOLM
from ..statistics.precision import EXACT


class Line(NamedTuple):
    """One run by one measure.

    `mean` and its confidence `interval` are over the topics with a value; the mean is None without
    any. With `few_changes`, the interval is that of the values and two more. `test` is the paired
    t-test of the difference from the baseline or, without one, from the best run; it is None for
    that run. `span` has the ranges over ties and over judgments, None if the measure has none.
    """

    run: str
    mean: float | None
    interval: Interval | None
    test: Test | None
    span: Range | None
    few_changes: bool = False


class OfMeasure(NamedTuple):
    """The verdict by one measure. `lines` start with the best run.

    `equal` are the runs that the comparison of all pairs does not separate from the best run, and
    `separated` is the number of pairs that it separates, None if it tests no pair. `standing`
    counts the differences between two runs that certainly keep their sign in all orders of tied
    documents, and those that keep it under all judgments of the unjudged documents.
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
        best = self.best.mean
        if best is None:
            return ()
        means = {line.run: line.mean for line in self.lines if line.mean is not None}
        return tuple(run for run, mean in means.items() if isclose(mean, best, rel_tol=EXACT))

    def has(self, kind: str) -> bool:
        """Whether any run has a range of a kind, ``ties`` or ``unjudged``, that is wider than one
        value."""
        spans = [getattr(line.span, kind, None) for line in self.lines]
        return any(span is not None and span[0] < span[1] for span in spans)

    @property
    def kinds(self) -> list[str]:
        """The kinds of ranges that some run has."""
        return [kind for kind in ("ties", "unjudged") if self.has(kind)]

    def marks(self, place: int) -> bool:
        """Whether a line is that of the best run or the baseline, or is beside the cut of
        significance: that of the runs as good as the best one, or of those that differ from the
        baseline."""
        if place == 0 or self.lines[place].test is None:
            return True
        top = (self.best.run, *self.equal)
        beside = self.lines[place - 1 : place + 2]
        kinds = set()
        for line in beside:
            differs = line.test is not None and line.test.significant
            kinds.add((line.run in top, differs))
        return len(kinds) > 1


class ReportVerdict(NamedTuple):
    """The verdict by each measure.

    `baseline` is the run that was named as such, else None, and `confidence` is None if there are
    no intervals. `tested` compares the runs with the baseline, and is None without one.
    `every_pair` compares them with each other. Both are None without tests. `comparisons` is the
    number of all comparisons by a measure, if there are others than these.
    """

    measures: tuple[OfMeasure, ...]
    baseline: str | None
    alpha: float
    confidence: float | None
    tested: Comparison | None
    every_pair: Comparison | None
    topics: int = 0
    unit: str = "topic"
    comparisons: int | None = None

    @property
    def leaders(self) -> dict[tuple[str, ...], list[str]]:
        """The runs that are best by a measure, with these measures."""
        leaders: dict[tuple[str, ...], list[str]] = {}
        for of_measure in self.measures:
            if of_measure.leading:
                leaders.setdefault(of_measure.leading, []).append(str(of_measure.measure))
        return leaders

    @property
    def contrary(self) -> tuple[OfMeasure, OfMeasure] | None:
        """Two measures with other best runs, each significantly better than the other's, if there
        are any."""
        for one, other in combinations(self.measures, 2):
            differ = one.best.run != other.best.run
            if differ and other.best.run not in one.equal and one.best.run not in other.equal:
                return one, other
        return None

    @property
    def alpha_in_words(self) -> str:
        """The level of the tests as a sentence has it."""
        return short(self.alpha)

    @property
    def correction(self) -> str:
        """The correction of p, behind the name of a test; a single comparison has none."""
        if self.every_pair is None or self.every_pair.family == 1:
            return ""
        name = CORRECTION_NAME.replace("'", "’")
        if self.comparisons is None:
            return f" with {name}"
        return f" with {name} for {self.comparisons:,} comparisons"

    @property
    def how_corrected(self) -> str:
        """The correction of p and of intervals, as the end of the sentence on the tests."""
        if not self.correction:
            return ""
        elsewhere = ", those of this page and others that were made elsewhere"
        return how_corrected(HOLM, self.comparisons, elsewhere).replace("'", "’")

    @property
    def on_tests(self) -> str:
        """The sentences on the test, the correction and the families."""
        tests = on_tests("", self.unit, self.alpha_in_words, self.how_corrected)
        return f"{tests} {self.families}"

    @property
    def families(self) -> str:
        """The families of differences that are tested, which the page says only once."""
        if self.every_pair is None:
            return ""
        families = [f"the {counted(self.every_pair.pairs, 'difference')} {ALL_PAIRS}"]
        if self.tested is not None and self.tested.pairs < self.every_pair.pairs:
            against = counted(self.tested.pairs, "difference")
            families.insert(0, f"the {against} from {self.baseline}")
        return on_families(families, [of_measure.measure for of_measure in self.measures])

    @property
    def few_changes(self) -> str:
        """Which intervals of means are those of the values and two more; nothing without any."""
        return named_few(self._few, len(self.measures[0].lines))

    @property
    def notes_on_few(self) -> list[Note]:
        """The same with the reason."""
        return list(notes_on_few(self._few, len(self.measures[0].lines), self.unit))

    @property
    def _few(self) -> dict[str, list[str]]:
        """The runs whose intervals are those of the values and two more, by the measure."""
        few = {}
        for of_measure in self.measures:
            lines = of_measure.lines
            names = [line.run for line in lines if line.few_changes and line.interval]
            few[str(of_measure.measure)] = names
        return few

    @property
    def headline(self) -> Note | None:
        """The best run by the first measure against the baseline, or else the next run.

        None if their difference is not tested.
        """
        best, *others = self.measures[0].lines
        if not others:
            return None
        other = others[0]
        test = other.test
        if best.test is not None:
            # The reference is a baseline that is not the best run.
            test = best.test
            (other,) = (line for line in others if line.run == self.baseline)
        elif test is not None:
            test = test.turned()
        if test is None or test.adjusted is None or not test.difference:
            return None
        text = "{} beats {}: {} {} against {}, {}, {}, {}"
        if not test.significant:
            text = "{} has the best mean but does not differ significantly from {}: {} {} against "
            text += "{}, {}, {}, {}"
        elif test.may_turn:
            text += f", {MAY_TURN} the sign"
        difference = decimal(test.difference, "+")
        if test.lower is not None and test.upper is not None:
            difference += f" ({decimal(test.lower)} to {decimal(test.upper)})"
        means = [decimal(best.mean or 0.0), decimal(other.mean or 0.0)]
        measure = self.measures[0].measure
        p = p_of(test.adjusted)
        if self.comparisons is not None:
            p += f" corrected for {counted(self.comparisons, 'comparison')}"
        facts = [difference, p, counted(self.topics, self.unit)]
        names = [best.run, other.run, measure, *means, *facts]
        leaders = self.measures[0].leading
        if len(leaders) > 1 and not test.significant:
            text = "{} have the best mean; {} does not differ significantly from {}: {} {} against "
            text += "{}, {}, {}, {}"
            names = [listed(leaders), *names]
        return Note(f"{text}.", *names)

    @property
    def notes(self) -> list[str]:
        """What is special about some differences."""
        notes: dict[str, None] = {}
        for comparison in (self.tested, self.every_pair):
            if comparison is not None:
                notes |= dict.fromkeys(map(str, comparison.notes_on_pairs()))
        return list(notes)


def verdict(
    evaluation: Evaluation,
    study: Study | None,
    baseline: str | None,
    alpha: float,
    comparisons: int | None = None,
) -> ReportVerdict:
    """Test the differences between the runs, and compute intervals and ranges of their values.

    Without a `baseline`, the best run by each measure is compared with the others. Without a
    `study`, there are no ranges.
    """
    topics = len(evaluation.topics)
    if baseline is not None:
        baseline = baseline_of(evaluation.runs, baseline)
    tested = every_pair = None
    if len(evaluation.runs) >= 2 and topics >= 2:
        run_of = runs_by_name(study)
        level: dict[str, Any] = {"alpha": alpha, "comparisons": comparisons}
        every_pair = with_turns(compare(evaluation, **level), run_of)
        if baseline is not None:
            tested = with_turns(compare(evaluation, baseline=baseline, **level), run_of)
    spans: dict[Measure, Standing] = {}
    if study is not None:
        spans = standings(study, evaluation.measures)
    of_measures = []
    for measure in evaluation.measures:
        standing = spans.get(measure, Standing((), 0, None, None))
        order = _best_first(evaluation, measure)
        reference = baseline or order[0]
        tests = _tests_against(reference, measure, tested or every_pair)
        lines = _lines(evaluation, measure, order, alpha, tests, standing.ranges)
        equal = order[1:]
        separated = None
        if every_pair is not None:
            equal = every_pair.top(measure)[1:]
            pairs = [test for test in every_pair.find(measure) if test.p is not None]
            if pairs:
                separated = sum(test.significant for test in pairs)
        smaller_is_better = sign_of(measure) < 0
        of_measures.append(
            OfMeasure(measure, smaller_is_better, tuple(lines), tuple(equal), separated, standing)
        )
    confidence = 1 - alpha if topics >= 2 else None
    if len(evaluation.runs) < 2:
        baseline = None
    main = evaluation.measures[0]
    return ReportVerdict(
        tuple(of_measures),
        baseline,
        alpha,
        confidence,
        tested,
        every_pair,
        len(evaluation.paired_topics(main)),
        evaluation.unit,
        comparisons,
    )


def mean_of(values: np.ndarray) -> float:
    """The mean of the values of the topics that have one; NaN without any."""
    return float(mean_over_topics(values[~np.isnan(values)]))


def _best_first(evaluation: Evaluation, measure: Measure) -> list[str]:
    """The names of the runs, the one with the best mean first."""
    means = np.array([mean_of(values) for values in evaluation.of(measure)])
    order = best_first(sign_of(measure) * means, evaluation.runs)
    return [evaluation.runs[run] for run in order]


def _tests_against(
    reference: str, measure: Measure, comparison: Comparison | None
) -> dict[str, Test]:
    """The test of each other run against the reference, by the run."""
    tests: dict[str, Test] = {}
    if comparison is None:
        return tests
    for test in comparison.find(measure):
        if test.other == reference:
            tests[str(test.run)] = test
        elif test.run == reference:
            tests[str(test.other)] = test.turned()
    return tests


def _lines(
    evaluation: Evaluation,
    measure: Measure,
    order: Iterable[str],
    alpha: float,
    tests: dict[str, Test],
    spans: Iterable[Range],
) -> list[Line]:
    """The line of each run."""
    span_of = {span.run: span for span in spans}
    values = dict(zip(evaluation.runs, evaluation.of(measure), strict=True))
    lines = []
    for run in order:
        with_value = values[run][~np.isnan(values[run])]
        mean = float(mean_over_topics(with_value)) if with_value.size else None
        interval = None
        few = False
        if with_value.size >= 2:
            lower, upper, few = student_bounds(with_value, measure, 1 - alpha)
            if not np.isnan(lower):
                interval = (lower, upper)
        lines.append(Line(run, mean, interval, tests.get(run), span_of.get(run), few))
    return lines
