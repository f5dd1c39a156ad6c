"""Comparison of runs: which differences between them hold for other topics too?

`compare` evaluates the runs and tests their differences by the primary procedure of `paired`:
paired t-tests with a correction for the family, simultaneous intervals and minimum detectable
effects. The family is the one pair, all runs against the baseline, or all pairs. Other tests are
computed on request:

- ``conover``: Friedman's test of all runs and, if it is significant, Conover's comparison of each
  pair (Practical Nonparametric Statistics, 1980), as in Järvelin & Kekäläinen 2002, Table II;
- ``anova``: the two-way analysis of variance by run and topic;
- ``tukey``: the randomised Tukey HSD of each pair. One run far from the others takes away all its
  power;
- ``wilcoxon``: Wilcoxon's signed-rank test of each pair; ``randomisation``: Fisher's test of each
  pair.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import ZERO, sign_of
from ...errors import GradedError
from ...evaluation.attributes import By, groups_of
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import evaluated
from ...evaluation.evaluation import Evaluation
from ...evaluation.named import Qrels, Run, Runs
from ...evaluation.order_of_runs import best_first
from ...evaluation.sessions import Given
from ...progress import Progress, steps
from ..statistics.corrections import DEFAULT, correction_of
from ..statistics.defaults import ALPHA, CONFIDENCE, LEAST_TESTED_TOPICS
from ..statistics.options import (
    as_list,
    check_probability,
    refuse_large,
    statistics_library,
    whole_number,
)
from ..statistics.primary import Pairs, paired, paired_in_parts
from ..statistics.tests import alexander_govern
from .families import (
    BEST,
    MOST_COMPARISONS,
    NAME_A_BASELINE,
    baselines_of,
    best_run,
    families_of,
    names_best,
    pairs_in_all,
    pairs_in_family,
    refuse_few_comparisons,
    refuse_few_topics,
    refuse_many_pairs,
    remarks_on,
    shares_of,
    width_of,
)
from .judgments import ValuesOverTies, fit_into_memory, may_turn, runs_by_name, ties_turn
from .layout import NEXT_RUNS
from .mean_bounds import bounds_of_means
from .repeats import Repeats, averaged, means_of_repeats, systems_of
from .result import Comparison
from .tests import BY_GROUP, PAIRED_T, TESTS, Further, Test, columns_of, pairwise_tests


@checks_arguments("compare(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def compare(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    no_relevant: str = ZERO,
    weights: By = None,
    baseline: str | Sequence[str] | None = None,
    tests: Sequence[str] = (),
    correction: str = DEFAULT,
    comparisons: int | None = None,
    alpha: float = ALPHA,
    confidence: float | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    by: By = None,
    repeats: Repeats = None,
    top: int | None = None,
    progress: Progress = False,
) -> Comparison:
    """Evaluate the runs by each measure and test their differences.

    `qrels`, `runs`, `measures`, `sessions`, `no_relevant` and `weights` are as for `evaluate`. An
    `Evaluation`, or a table of values as for `Evaluation.from_values`, may stand for the first
    three. Needs the extra ``stats``.

    `baseline` is the name of a run, or of several, each of which has a family of its own; the first
    of two runs is the default. Unless a run has this name, ``best`` is the best run by the first
    measure; p and intervals are then corrected for all pairs of runs, because the same values chose
    the baseline. `tests` names further tests, see the module. `correction` is that of
    the p-values of pairs for the family: ``holm``, ``bonferroni``, ``bh`` (the false discovery
    rate) or ``none``. `comparisons` is the number of all comparisons by a measure, if others than
    these are made elsewhere: p and intervals are then corrected for so many, and the p-values of
    the others count as larger ones. The randomised Tukey HSD has its own correction for all pairs.
    A p-value below `alpha` (above 0, below 1) is significant. With `confidence` (above 0, below 1),
    the means have intervals by Student's t, too, as `intervals` computes them for topics for which
    every run has a value; each holds for itself. Random tests draw `resamples` (≥ 1),
    which depend on `seed` (≥ 0) alone; the randomisation test draws more if no difference could be
    significant with so many.

    A topic for which a provider gives some run no value is left out of the means and tests of that
    measure.

    `by` groups the topics: a mapping to an attribute, or ``FILE:COLUMN``. `groups` of the result
    then has a comparison for each group, by the same tests, see `groups_of`. Its p-values and
    intervals have a correction for all groups. A group of fewer than 10 topics is not tested.
    For two or more groups that are, Alexander and Govern's test tells whether a difference depends
    on the group, with Holm's correction for the differences of the family; with `weights`, there is
    no such test. Groups must not be made from the values themselves.

    `repeats` tells which runs repeat a system, as with other seeds: a pattern of names whose first
    ``*`` stands for the system, as ``*-seed*``, or a mapping of runs to systems. The value of a
    system is then the mean over its repeats. Tests are over topics; they do not answer for other
    repeats, whose spread the result has. A run that matches nothing is a system of its own.

    With `top`, the result has so many runs, the best by the first measure, and the baselines. The
    tests stay those of all runs, with the same corrections.

    Of two runs, of differences from a baseline, and of the best run and the ten runs after it, the
    result knows whether judgments of the unjudged documents could turn the sign of a significant
    difference, if the rankings are given, their files have less than 250 MB, and the measure has
    ranges and is no average over all ranks (`avg`).

    `progress` is as for `evaluate`. `topic_differences` of the result has the values of each topic
    by both runs, those that fell most first.

    >>> values = np.array([[0.2, 0.3, 0.4, 0.5], [0.3, 0.5, 0.7, 0.6]])
    >>> from ir_measures_graded import nDCG_JK
    >>> compared = compare(Evaluation(("A", "B"), (nDCG_JK,), tuple("1234"), values[:, None]))
    >>> columns = ["run", "other", "difference", "lower", "upper", "p"]
    >>> compared.differences.round(3)[columns].values.tolist()
    [['B', 'A', 0.175, 0.023, 0.327, 0.035]]

    A test that is undefined for the data has a note instead of a p-value. Raises `GradedError` for
    fewer than two runs or topics, more than 250,000 differences of all pairs of runs, an unknown
    baseline or test, and an option out of range.
    """
    check_probability(alpha, "alpha", ALPHA)
    if confidence is not None:
        check_probability(confidence, "confidence", CONFIDENCE)
    resamples = whole_number(resamples, "resamples", 1)
    seed = whole_number(seed, "seed", 0)
    if top is not None:
        top = whole_number(top, "top", 2)
    refuse_large("resamples", resamples, 16 * resamples, "their differences")
    names = tuple(dict.fromkeys(as_list(tests)))
    for name in names:
        if name not in TESTS:
            known_tests = ", ".join(TESTS)
            raise GradedError(
                f"test {name!r} is not known; the tests are {known_tests}, beside the paired "
                "t-test, which is always there"
            )
    if comparisons is not None:
        comparisons = whole_number(comparisons, "comparisons", 1, MOST_COMPARISONS)
        if not correction_of(correction).is_corrected:
            raise GradedError(
                f"comparisons={comparisons} is for a correction of p, and correction='none' makes "
                "none; leave out one of them"
            )
    further = Further(names, alpha, correction_of(correction), resamples, seed, comparisons)
    statistics_library("scipy.special")
    kept = fit_into_memory(runs)
    of_runs, study = evaluated(
        qrels, runs, measures, sessions, kept=kept, no_relevant=no_relevant, weights=weights
    )
    if names and of_runs.weights is not None:
        raise GradedError(
            "tests: weights of topics are for the primary procedure; leave out tests or weights"
        )
    systems = systems_of(of_runs.runs, repeats)
    evaluation = averaged(of_runs, systems)
    refuse_few_topics(evaluation)
    chosen_by_values = ""
    if names_best(evaluation.runs, baseline):
        chosen_by_values = best_run(evaluation)
        baseline = [chosen_by_values if name == BEST else name for name in as_list(baseline)]
    baselines = baselines_of(evaluation.runs, baseline)
    if not baselines:
        refuse_many_pairs(len(evaluation.runs), len(evaluation.measures), NAME_A_BASELINE)
    rows_of_groups = groups_of(evaluation.topics, by)
    groups = {group: evaluation.on(rows) for group, rows in rows_of_groups.items()}
    sizes = [int(group.has_weight.sum()) for group in groups.values()]
    families_of_groups = max(1, sum(size >= LEAST_TESTED_TOPICS for size in sizes))
    design = _Design(evaluation.runs, baselines, alpha, correction, further, confidence)
    tested = pairs_in_all(len(evaluation.runs), baselines) * families_of_groups
    refuse_few_comparisons(comparisons, tested)
    if chosen_by_values and correction_of(correction).is_corrected:
        # The same values chose the baseline: it might have been any run.
        all_pairs = pairs_in_family(len(evaluation.runs), ()) * families_of_groups
        if all_pairs > design.pairs * families_of_groups:
            comparisons = max(comparisons or 0, all_pairs)
            design = replace(design, further=replace(further, comparisons=comparisons))
    outcomes: list[Test] = []
    of_groups: dict[str, list[Test]] = {group: [] for group in groups}
    for measure in evaluation.measures:
        outcomes += design.over_all(measure, evaluation)
    dependence: list[Test] = []
    for measure in evaluation.measures:
        parts = [_values_in(group, measure) for group in groups.values()]
        weights_of_parts = [_weights_in(group, measure) for group in groups.values()]
        families = design.families(measure, evaluation)
        in_groups = design.in_groups(measure, parts, families, weights_of_parts)
        for group_tests, of_measure in zip(of_groups.values(), in_groups, strict=True):
            group_tests += of_measure
        if evaluation.weights is None:
            dependence += design.dependence(measure, parts, families)
    of_each_group = {}
    for name, group_tests in of_groups.items():
        compared = _compared(groups[name], group_tests, design)
        of_each_group[name] = replace(compared, name=name, families=families_of_groups)
    comparison = _compared(evaluation, [*outcomes, *dependence], design)
    comparison = replace(
        comparison,
        groups=of_each_group,
        repeats=means_of_repeats(of_runs, systems),
        chosen_by_values=chosen_by_values,
    )
    if top is not None:
        comparison = comparison.first(top)
    return with_turns(comparison, runs_by_name(study))


@dataclass(frozen=True)
class _Design:
    """How the differences of runs are tested by each measure."""

    runs: tuple[str, ...]
    baselines: tuple[str, ...]
    alpha: float
    correction: str
    further: Further
    confidence: float | None = None

    @property
    def comparisons(self) -> int | None:
        """The number of all comparisons by a measure, if there are others than these."""
        return self.further.comparisons

    @property
    def pairs(self) -> int:
        """The number of pairs of runs in a family."""
        return pairs_in_family(len(self.runs), self.baselines)

    def families(self, measure: Measure, evaluation: Evaluation) -> list[Pairs]:
        """The families of pairs of runs; those of all pairs are sorted by the means."""
        means = evaluation.paired_means(measure)
        order = best_first(sign_of(measure) * means, self.runs)
        return families_of(self.runs, self.baselines, order)

    def over_all(self, measure: Measure, evaluation: Evaluation) -> list[Test]:
        """The primary procedure and the further tests by one measure."""
        values = evaluation.paired(measure)
        weights = evaluation.paired_weights(measure)
        primary: list[Test] = []
        further = self.further.of_all_runs(measure, values)
        for pairs in self.families(measure, evaluation):
            tests = paired(values, pairs, self.alpha, weights=weights, **self._settings(measure))
            primary += self._tests(measure, PAIRED_T, tests._asdict(), pairs)
            further += self.further.of_pairs(measure, [values], pairs, self.runs)[0]
        return primary + further

    def in_groups(
        self,
        measure: Measure,
        parts: Sequence[np.ndarray],
        families: Iterable[Pairs],
        weights: Sequence[np.ndarray | None],
    ) -> list[list[Test]]:
        """The same tests in each group of topics; groups of few topics have intervals only."""
        settings = self._settings(measure) | {"weights": weights}
        primary: list[list[Test]] = [[] for _ in parts]
        further: list[list[Test]] = [[] for _ in parts]
        large = [number for number, group in enumerate(parts) if _is_large(group)]
        values_of_large = [parts[number] for number in large]
        for number in large:
            further[number] += self.further.of_all_runs(measure, parts[number])
        for pairs in families:
            in_parts = paired_in_parts(parts, pairs, self.alpha, **settings)
            for tests, in_part in zip(primary, in_parts, strict=True):
                tests += self._tests(measure, PAIRED_T, in_part._asdict(), pairs)
            of_pairs = self.further.of_pairs(measure, values_of_large, pairs, self.runs)
            for number, of_part in zip(large, of_pairs, strict=True):
                further[number] += of_part
        return [first + others for first, others in zip(primary, further, strict=True)]

    def dependence(
        self, measure: Measure, parts: Iterable[np.ndarray], families: Iterable[Pairs]
    ) -> list[Test]:
        """The tests of whether a difference depends on the group; none without two large groups."""
        large = [group for group in parts if _is_large(group)]
        if len(large) < 2:
            return []
        tests: list[Test] = []
        for pairs in families:
            outcomes = [
                alexander_govern((group[run], group[other]) for group in large)
                for run, other in pairs
            ]
            columns = columns_of(outcomes)
            p = np.array(columns["p"], dtype=float)
            size = self.comparisons or p.size
            columns["adjusted"] = correction_of(self.correction).adjust(p, size)
            tests += self._tests(measure, BY_GROUP, columns, pairs)
        return tests

    def _settings(self, measure: Measure) -> dict[str, Any]:
        return {
            "width": width_of(measure),
            "correction": self.correction,
            "comparisons": self.comparisons,
        }

    def _tests(
        self, measure: Measure, test: str, columns: Mapping[str, Any], pairs: Pairs
    ) -> list[Test]:
        labels = [(self.runs[run], self.runs[other]) for run, other in pairs]
        return pairwise_tests(measure, test, columns, labels, self.alpha)


def _is_large(values: np.ndarray) -> bool:
    """Whether a group has so many topics that its differences are tested."""
    return values.shape[1] >= LEAST_TESTED_TOPICS


def _values_in(evaluation: Evaluation, measure: Measure) -> np.ndarray:
    """The values for the topics of a group (runs × topics); a column of NaN if no topic has all
    values."""
    values = evaluation.paired(measure)
    if values.shape[1] == 0:
        return np.full((len(evaluation.runs), 1), np.nan)
    return values


def _weights_in(evaluation: Evaluation, measure: Measure) -> np.ndarray | None:
    """The weights of the topics of `_values_in`."""
    weights = evaluation.paired_weights(measure)
    if weights is not None and weights.size == 0:
        return np.ones(1)
    return weights


def _compared(evaluation: Evaluation, outcomes: Iterable[Test], design: _Design) -> Comparison:
    """The comparison over all topics or over those of a group."""
    measures = evaluation.measures
    means = [evaluation.paired_means(measure) for measure in measures]
    paired_topics = {measure: len(evaluation.paired_topics(measure)) for measure in measures}
    mean_bounds = None
    if design.confidence is not None:
        mean_bounds = bounds_of_means(evaluation, design.confidence)
    return Comparison(
        runs=evaluation.runs,
        measures=measures,
        topics=int(evaluation.has_weight.sum()),
        values=np.stack(means, axis=1),
        outcomes=tuple(outcomes),
        baselines=design.baselines,
        alpha=design.alpha,
        correction=design.correction,
        comparisons=design.comparisons,
        unit=evaluation.unit,
        levels=evaluation.levels,
        lacking=remarks_on(evaluation),
        remarks=evaluation.remarks,
        effective=evaluation.effective,
        unjudged=shares_of(evaluation),
        paired_topics=paired_topics,
        by_topic=evaluation,
        mean_bounds=mean_bounds,
    )


def with_turns(comparison: Comparison, run_of: Mapping[str, Run]) -> Comparison:
    """The comparison, whose significant differences tell whether judgments could turn their sign,
    and all whether another order of tied documents turns their sign or significance.

    Of all pairs of many runs, only those of the best run and the next ones are looked at.
    """
    if not run_of:
        return comparison
    near_the_best = {
        measure: comparison.best_first(measure)[: NEXT_RUNS + 1] for measure in comparison.measures
    }
    over_ties = ValuesOverTies()
    outcomes = []
    for test in steps(comparison.outcomes, "differences"):
        is_asked = test.test == PAIRED_T
        if comparison.shows_best_only:
            best, *others = near_the_best[test.measure]
            is_asked &= test.is_of(best, others)
        if is_asked and str(test.run) in run_of and str(test.other) in run_of:
            run = run_of[str(test.run)]
            other = run_of[str(test.other)]
            if test.significant:
                turns = may_turn(test.measure, run, other, test.difference or 0.0)
                test = replace(test, may_turn=turns)
            turned = ties_turn(comparison, test, run, other, over_ties)
            test = replace(test, **turned)
        outcomes.append(test)
    return replace(comparison, outcomes=tuple(outcomes))
