"""Comparison of runs: which differences between them hold for other topics too?

`compare` evaluates the runs and tests their differences by the primary procedure of `paired`: paired t-tests
with Holm's correction, simultaneous intervals and minimum detectable effects. The family is the one pair, all
runs against the baseline, or all pairs. Other tests are computed on request:

- ``conover``: Friedman's test of all runs and, if it is significant, Conover's comparison of each pair
  (Practical Nonparametric Statistics, 1980), as in Järvelin & Kekäläinen 2002, Table II;
- ``anova``: the two-way analysis of variance by run and topic;
- ``tukey``: the randomised Tukey HSD of each pair. One run far from the others takes away all its power;
- ``wilcoxon``: Wilcoxon's signed-rank test of each pair; ``randomisation``: Fisher's test of each pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..by_topic import mean_over_topics
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluated, tracked
from ..evaluation.groups import By, groups_of
from ..evaluation.named import Qrels, Runs
from ..evaluation.sessions import Given
from ..evaluation.values import Repeats, column_of
from ..registry.facts import sign_of
from ..statistics import significance
from ..statistics.intervals import STUDENT, check
from ..statistics.libraries import need_statistics
from ..statistics.options import check_test
from ..statistics.paired import FEW, paired
from ..statistics.significance import Outcome, holm
from .comparison import CONOVER, PAIRED_T, REPEATS, TUKEY_HSD, Comparison, Test, reference_of
from .repeats import averaged, errors_of, systems_of

FRIEDMAN: Final = "Friedman"
ANOVA_RUNS: Final = "ANOVA: runs"
ANOVA_TOPICS: Final = "ANOVA: topics"
WILCOXON: Final = "Wilcoxon"
RANDOMISATION: Final = "randomisation"
TESTS: Final = ("conover", "anova", "tukey", "wilcoxon", "randomisation")
"""The tests besides the primary procedure."""


def compare(
    qrels: Qrels | Evaluation,
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    baseline: str | None = None,
    tests: Sequence[str] = (),
    uncorrected: bool = False,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str = STUDENT,
    by: By = None,
    repeats: Repeats = None,
    progress: bool = False,
    jobs: int | None = 1,
    permutations: int | None = None,
) -> Comparison:
    """Evaluate the runs by each measure and test their differences.

    `qrels`, `runs`, `measures`, `sessions`, `progress` and `jobs` are as for `evaluate`. An `Evaluation`, or
    a table of values as for `Evaluation.from_values`, may stand for the first four; `compare_values` is the
    same function. Needs the extra ``stats``.

    `baseline` is the name of a run; the first of two runs is the default. `tests` names further tests, see
    the module. Those of pairs test the same family with Holm's correction, Conover's without one if
    `uncorrected`; the randomised Tukey HSD corrects for all pairs by itself. A p-value below `alpha` (above
    0, below 1) is significant. Random tests draw `resamples` (≥ 1; earlier `permutations`), which depend on
    `seed` (≥ 0) alone.
    `interval` is the method of the intervals of the differences, ``t`` or ``bca``, see `mean_interval`.

    `by` groups the topics: it maps them to an attribute, is FILE:COLUMN, or a column of the values. `groups`
    of the result then has a comparison for each group, see `groups_of`. Its p-values and intervals have a
    correction for all groups. A group of fewer than 10 topics is not tested.

    `repeats` tells which runs repeat a system, as with other seeds: a regular expression that matches whole
    names of runs, whose one group is the system, a column of the values as for `Evaluation.from_values`, or
    a mapping of runs to systems. Systems are then compared by their means over the repeats. The primary
    procedure tells what holds for other topics; a test over topics and repeats, see the module `repeats`,
    what holds for other repeats too. The other tests are over topics.

    >>> values = np.array([[0.2, 0.3, 0.4, 0.5], [0.3, 0.5, 0.7, 0.6]])
    >>> from ir_measures_graded import nDCG_JK
    >>> found = compare(Evaluation(("A", "B"), (nDCG_JK,), tuple("1234"), values[:, None]))
    >>> found.differences.round(3)[["run", "other", "difference", "lower", "upper", "p"]].values.tolist()
    [['B', 'A', 0.175, 0.023, 0.327, 0.035]]

    A test that is undefined for the data has a note instead of a p-value. Raises `GradedError` for fewer than
    two runs or topics, an unknown baseline or test, and an option out of range.
    """
    resamples = check_test(alpha, resamples, seed, permutations)
    check_options(alpha, interval, tests)
    evaluation, _ = evaluated(
        qrels, runs, measures, by, sessions, repeats=column_of(repeats), progress=progress, jobs=jobs
    )
    systems = systems_of(evaluation, repeats)
    every, evaluation = evaluation, averaged(evaluation, systems) if systems else evaluation
    refuse_few(len(evaluation.runs), "run")
    refuse_few(len(evaluation.topics), evaluation.unit)
    reference = reference_of(evaluation.runs, baseline)
    groups = groups_of(evaluation.topics, by, evaluation.attributes)
    families = sum(len(rows) >= FEW for rows in groups.values())
    pairs = [_pairs(evaluation, measure, reference) for measure in evaluation.measures]

    def compared(whole: Evaluation, name: str = "", families: int | None = None) -> Comparison:
        part = averaged(whole, systems) if systems else whole
        outcomes: list[Test] = []
        ranks = []
        for measure, of_measure in tracked([*zip(part.measures, pairs)], "measure", progress):
            array = part.of(measure)
            ranks.append(significance.run_ranks(-sign_of(measure) * array).mean(axis=1))
            tests_of = _Tests(measure, part.runs, array, of_measure, alpha)
            outcomes += tests_of.primary(interval, seed, families)
            if systems:
                outcomes += tests_of.over_repeats(whole.of(measure), [*systems.values()], seed, families)
            if families is None or len(part.topics) >= FEW:
                for each in dict.fromkeys(tests):
                    outcomes += tests_of.further(each, uncorrected, resamples, seed)
        missing = np.zeros((1, 0)) if part.missing is None else part.missing
        return Comparison(
            runs=part.runs,
            measures=part.measures,
            topics=len(part.topics),
            values=mean_over_topics(part.values),
            ranks=np.stack(ranks, axis=1),
            outcomes=tuple(outcomes),
            baseline=baseline,
            alpha=alpha,
            interval=check(1 - alpha, interval),
            uncorrected=uncorrected,
            lacking={run: int(number) for run, number in zip(part.runs, missing.sum(axis=1)) if number},
            repeats={system: mean_over_topics(whole.values[rows]) for system, rows in systems.items()},
            name=name,
            families=max(families or 1, 1),
            unit=part.unit,
        )

    parts = {name: compared(every.on(rows), name, families) for name, rows in groups.items()}
    return replace(compared(every), groups=_together(parts))


compare_values = compare


def refuse_few(count: int, what: str) -> None:
    """Raise `GradedError` for fewer than 2 runs or topics."""
    if count < 2:
        are = "is" if count == 1 else "are"
        raise GradedError(f"a comparison needs at least 2 {what}s; there {are} {count}")


def check_options(alpha: float, interval: str, tests: Sequence[str]) -> None:
    """Raise `GradedError` for an unknown interval or test, or a missing library."""
    check(1 - alpha, interval, "interval")
    for name in tests:
        if name not in TESTS:
            raise GradedError(f"test {name!r} is not known; the tests are {', '.join(TESTS)}")
    libraries = {"conover": "scikit_posthocs", "anova": "statsmodels"}
    need_statistics("scipy", *(libraries[name] for name in tests if name in libraries))


def _pairs(evaluation: Evaluation, measure: Measure, reference: str | None) -> list[tuple[int, int]]:
    """The family: each run and the reference, or all pairs, the better run first."""
    runs = evaluation.runs
    if reference is not None:
        base = runs.index(reference)
        return [(run, base) for run in range(len(runs)) if run != base]
    means = evaluation.of(measure).mean(axis=1)
    return list(combinations(np.argsort(-sign_of(measure) * means, kind="stable").tolist(), 2))


def _together(groups: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """The groups, with p-values corrected for the tests of all of them."""
    outcomes = {name: [*group.outcomes] for name, group in groups.items()}
    families = defaultdict(list)
    for name, tests in outcomes.items():
        for row, test in enumerate(tests):
            if test.p is not None:
                families[test.measure, test.test, test.run is None].append((name, row, test))
    for (_, kind, of_all), family in families.items():
        group = groups[family[0][0]]
        p = np.array([test.p for _, _, test in family])
        count = group.families if of_all else group.family
        adjusted = holm(np.pad(p, (0, count - p.size), constant_values=1))
        if kind == TUKEY_HSD:
            adjusted = (p * group.families).clip(max=1)
        elif kind == CONOVER and group.uncorrected:
            adjusted = p
        for (name, row, test), each in zip(family, adjusted.tolist()):
            significant = not of_all and each < group.alpha
            outcomes[name][row] = replace(test, adjusted=each, significant=significant)
    return {name: replace(group, outcomes=tuple(outcomes[name])) for name, group in groups.items()}


class _Tests:
    """Tests the values of one measure (runs × topics); `pairs` are the family."""

    def __init__(
        self,
        measure: Measure,
        runs: Sequence[str],
        values: np.ndarray,
        pairs: Sequence[tuple[int, int]],
        alpha: float,
    ):
        self.measure, self.runs, self.values, self.pairs, self.alpha = measure, runs, values, pairs, alpha
        self.sign = sign_of(measure)

    def primary(
        self, interval: str, seed: int, families: int | None, errors: np.ndarray | None = None
    ) -> Iterator[Test]:
        """The paired t-test of each pair of the family, with other standard errors as for `paired`."""
        method = check(1 - self.alpha, interval)
        found = vars(paired(self.values, self.pairs, self.alpha, method, seed, families, errors))
        notes, _ = found.pop("notes"), found.pop("deviation")
        for row, (pair, note) in enumerate(zip(self.pairs, notes)):
            numbers = {name: None if np.isnan(of[row]) else float(of[row]) for name, of in found.items()}
            yield self._pair(PAIRED_T, pair, found["difference"][row], note, **numbers)

    def over_repeats(
        self, every: np.ndarray, systems: Sequence[list[int]], seed: int, families: int | None
    ) -> Iterator[Test]:
        """The t-test over topics and repeats of each pair of systems; `every` has the values of all runs."""
        errors = np.array([errors_of(*(every[systems[each]] for each in pair)) for pair in self.pairs])
        tests = self.primary(STUDENT, seed, families, errors[:, 2:].T)
        for test, (topics, repeats) in zip(tests, errors[:, :2].tolist()):
            limit = "repeats" if repeats > topics else "topics"
            found = replace(test, test=REPEATS, topic_error=topics, repeat_error=repeats, limit=limit)
            yield replace(found, effect_size=None, detectable=None)

    def further(self, name: str, uncorrected: bool, resamples: int, seed: int) -> Iterator[Test]:
        """The tests that `name`, one of `TESTS`, stands for."""
        values = self.values
        if name == "anova":
            yield from map(self._of_all, (ANOVA_RUNS, ANOVA_TOPICS), significance.two_way_anova(values))
        elif name == "conover":
            omnibus = significance.friedman(values)
            yield self._of_all(FRIEDMAN, omnibus)
            if omnibus.p is not None and omnibus.p < self.alpha:
                merit = significance.run_ranks(self.sign * values).mean(axis=1)
                p_values = significance.conover(values)
                yield from self._by_matrix(CONOVER, p_values, merit, not uncorrected)
        elif name == "tukey":
            p_values = significance.tukey_hsd(values, resamples, seed)
            yield from self._by_matrix(TUKEY_HSD, p_values, self.sign * values.mean(axis=1), False)
        elif name == "wilcoxon":
            found = [significance.wilcoxon(values[a], values[b]) for a, b in self.pairs]
            yield from self._corrected(WILCOXON, found)
        else:
            random = partial(significance.randomisation, resamples=resamples, seed=seed)
            yield from self._corrected(RANDOMISATION, [random(values[a], values[b]) for a, b in self.pairs])

    def _by_matrix(self, name: str, p: np.ndarray, merit: np.ndarray, corrected: bool) -> Iterator[Test]:
        """A test whose p-values are a matrix (runs × runs), and which favours the run of higher `merit`."""
        outcomes = [
            Outcome(p=float(p[a, b]), leaning=self.sign * (merit[a] - merit[b])) for a, b in self.pairs
        ]
        return self._corrected(name, outcomes, corrected)

    def _corrected(self, name: str, outcomes: Sequence[Outcome], corrected: bool = True) -> Iterator[Test]:
        """A test of each pair of the family, with Holm's correction if `corrected`."""
        p_values = [outcome.p for outcome in outcomes]
        adjusted = significance.holm([p or 0.0 for p in p_values]).tolist() if corrected else p_values
        for pair, of, p in zip(self.pairs, outcomes, adjusted):
            yield self._pair(name, pair, of.leaning, of.note, statistic=of.statistic, p=of.p, adjusted=p)

    def _of_all(self, name: str, outcome: Outcome) -> Test:
        return Test(self.measure, name, statistic=outcome.statistic, p=outcome.p, note=outcome.note)

    def _pair(self, name: str, pair: tuple[int, int], leaning: float, note: str, **numbers: Any) -> Test:
        """The test of a pair, which favours the first run if `leaning` (of values) says that it is better."""
        first, second = (self.runs[number] for number in pair)
        better = None if leaning == 0 else first if self.sign * leaning > 0 else second
        p = numbers["adjusted"]
        significant = p is not None and p < self.alpha
        return Test(self.measure, name, first, second, better, significant=significant, note=note, **numbers)
