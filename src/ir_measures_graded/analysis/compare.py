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

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
from ..statistics.options import check_test, need_statistics
from ..statistics.paired import FEW, Paired, Pairs, paired
from ..statistics.significance import Outcome
from .comparison import CONOVER, PAIRED_T, REPEATS, TUKEY_HSD, Comparison, Test, reference_of
from .repeats import averaged, errors_of, systems_of

FRIEDMAN: Final = "Friedman"
ANOVA_RUNS: Final = "ANOVA: runs"
ANOVA_TOPICS: Final = "ANOVA: topics"
WILCOXON: Final = "Wilcoxon"
RANDOMISATION: Final = "randomisation"
OF_ALL: Final = (ANOVA_RUNS, ANOVA_TOPICS, FRIEDMAN)
"""The tests of all runs at once."""
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
    the module. Tests of pairs have Holm's correction for the same family, except that Conover's test has none
    if `uncorrected` and the randomised Tukey HSD has its own for all pairs. A p-value below `alpha` (above
    0, below 1) is significant. Random tests draw `resamples` (≥ 1; earlier `permutations`), which depend on
    `seed` (≥ 0) alone.
    `interval` is the method of the intervals of the differences, ``t`` or ``bca``, see `mean_interval`.

    `by` groups the topics: it maps them to an attribute, is FILE:COLUMN, or a column of the values. `groups`
    of the result then has a comparison for each group, see `groups_of`. Its p-values and intervals have a
    correction for all groups. A group of fewer than 10 topics is not tested.

    `repeats` tells which runs repeat a system, as with other seeds: a regular expression that matches whole
    names of runs, whose one group is the system, a column of the values as for `Evaluation.from_values`, or
    a mapping of runs to systems. Systems are then compared by their means over the repeats. The primary
    procedure and the further tests generalise to other topics. One more test, see the module `repeats`,
    generalises to other topics and other repeats.

    >>> values = np.array([[0.2, 0.3, 0.4, 0.5], [0.3, 0.5, 0.7, 0.6]])
    >>> from ir_measures_graded import nDCG_JK
    >>> found = compare(Evaluation(("A", "B"), (nDCG_JK,), tuple("1234"), values[:, None]))
    >>> found.differences.round(3)[["run", "other", "difference", "lower", "upper", "p"]].values.tolist()
    [['B', 'A', 0.175, 0.023, 0.327, 0.035]]

    A test that is undefined for the data has a note instead of a p-value. Raises `GradedError` for fewer than
    two runs or topics, an unknown baseline or test, and an option out of range.
    """
    resamples = check_test(alpha, resamples, seed, permutations)
    method = check(1 - alpha, interval, "interval")
    for name in tests:
        if name not in TESTS:
            raise GradedError(f"test {name!r} is not known; the tests are {', '.join(TESTS)}")
    libraries = {"conover": "scikit_posthocs", "anova": "statsmodels"}
    need_statistics("scipy", *(libraries[name] for name in tests if name in libraries))
    evaluation, _ = evaluated(
        qrels, runs, measures, by, sessions, repeats=column_of(repeats), progress=progress, jobs=jobs
    )
    systems = systems_of(evaluation, repeats)
    every = evaluation
    if systems:
        evaluation = averaged(every, systems)
    refuse_few(len(evaluation.runs), "run")
    refuse_few(len(evaluation.topics), evaluation.unit)
    reference = reference_of(evaluation.runs, baseline)
    groups = groups_of(evaluation.topics, by, evaluation.attributes)
    families = sum(len(rows) >= FEW for rows in groups.values())
    pairs = [_pairs(evaluation, measure, reference) for measure in evaluation.measures]

    def compared(whole: Evaluation, name: str = "", families: int | None = None) -> Comparison:
        part = averaged(whole, systems) if systems else whole
        outcomes: list[Test] = []
        ranks: list[np.ndarray] = []
        for measure, of_measure in tracked([*zip(part.measures, pairs)], "measure", progress):
            array = part.of(measure)
            ranks.append(significance.run_ranks(-sign_of(measure) * array).mean(axis=1))
            tests_of = partial(_tests, measure, part.runs)
            t_test = paired(array, of_measure, alpha, method, seed, families)
            outcomes += tests_of(PAIRED_T, of_measure, **_numbers(t_test, "effect_size", "detectable"))
            if systems:
                of_runs = [whole.of(measure)[rows] for rows in systems.values()]
                errors = np.array([errors_of(of_runs[one], of_runs[other]) for one, other in of_measure]).T
                t_test = paired(array, of_measure, alpha, STUDENT, seed, families, errors[2:])
                topic, repeat, *_ = errors.tolist()
                numbers = _numbers(t_test) | {"topic_error": topic, "repeat_error": repeat}
                outcomes += tests_of(REPEATS, of_measure, **numbers)
            for each in dict.fromkeys(tests if families is None or len(part.topics) >= FEW else ()):
                better = -sign_of(measure) * ranks[-1]
                for test, further in _further(each, array, better, of_measure, alpha, resamples, seed):
                    fields = {name: [getattr(of, name) for of in further] for name in Outcome._fields}
                    outcomes += tests_of(test, () if test in OF_ALL else of_measure, **fields)
        missing = np.zeros((1, 0)) if part.missing is None else part.missing
        lacking = {run: int(number) for run, number in zip(part.runs, missing.sum(axis=1)) if number}
        means = {system: mean_over_topics(whole.values[rows]) for system, rows in systems.items()}
        labels, values = (part.runs, part.measures, len(part.topics)), mean_over_topics(part.values)
        found = Comparison(*labels, values, np.stack(ranks, axis=1), tuple(outcomes), baseline, alpha, method)
        found = replace(found, uncorrected=uncorrected, lacking=lacking, repeats=means, unit=part.unit)
        return replace(found, name=name, families=max(families or 1, 1))

    (whole,) = _corrected([compared(every)])
    parts = _corrected([compared(every.on(rows), name, families) for name, rows in groups.items()])
    return replace(whole, groups={part.name: part for part in parts})


compare_values = compare


def refuse_few(count: int, what: str) -> None:
    """Raise `GradedError` for fewer than 2 runs or topics."""
    if count < 2:
        are = "is" if count == 1 else "are"
        raise GradedError(f"a comparison needs at least 2 {what}s; there {are} {count}")


def _pairs(evaluation: Evaluation, measure: Measure, reference: str | None) -> Pairs:
    """The family: each run and the reference, or all pairs, the better run first."""
    runs = evaluation.runs
    if reference is not None:
        base = runs.index(reference)
        return [(run, base) for run in range(len(runs)) if run != base]
    means = evaluation.of(measure).mean(axis=1)
    return list(combinations(np.argsort(-sign_of(measure) * means, kind="stable").tolist(), 2))


def _numbers(found: Paired, *further: str) -> dict[str, Any]:
    """The fields of paired t-tests."""
    names = ("difference", "lower", "upper", "statistic", "p", *further)
    numbers = {name: significance.known(getattr(found, name)) for name in names}
    return numbers | {"leaning": found.difference, "note": found.notes}


def _further(
    name: str, values: np.ndarray, ranks: np.ndarray, pairs: Pairs, alpha: float, resamples: int, seed: int
) -> Iterator[tuple[str, Sequence[Outcome]]]:
    """The tests that `name`, one of `TESTS`, stands for: one of all runs, or one for each pair.

    `values` (runs × topics) are those of one measure, and `ranks` the mean ranks of the runs.
    """

    def by_matrix(p: np.ndarray, merit: np.ndarray) -> list[Outcome]:
        return [Outcome(p=float(p[a, b]), leaning=merit[a] - merit[b]) for a, b in pairs]

    if name == "anova":
        yield from zip(OF_ALL, ([of] for of in significance.two_way_anova(values)))
    elif name == "conover":
        omnibus = significance.friedman(values)
        yield FRIEDMAN, [omnibus]
        if omnibus.p is not None and omnibus.p < alpha:
            yield CONOVER, by_matrix(significance.conover(values), ranks)
    elif name == "tukey":
        p = significance.tukey_hsd(values, resamples, seed)
        yield TUKEY_HSD, by_matrix(p, values.mean(axis=1))
    elif name == "wilcoxon":
        yield WILCOXON, [significance.wilcoxon(values[a], values[b]) for a, b in pairs]
    else:
        test = partial(significance.randomisation, resamples=resamples, seed=seed)
        yield RANDOMISATION, [test(values[a], values[b]) for a, b in pairs]


def _tests(
    measure: Measure, runs: Sequence[str], name: str, pairs: Pairs, leaning: Sequence[float], **fields: Any
) -> Iterator[Test]:
    """A test of each pair, or of all runs if there are no pairs.

    It favours the first run if `leaning` (of values) says that this run is better.
    """
    for row, better in enumerate(leaning):
        one, other = (runs[number] for number in pairs[row]) if pairs else (None, None)
        favoured = None if better == 0 else one if sign_of(measure) * better > 0 else other
        yield Test(measure, name, one, other, favoured, **{key: of[row] for key, of in fields.items()})


def _corrected(parts: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons over all topics or groups of them, with p-values corrected for the tests of all."""
    outcomes = [[*part.outcomes] for part in parts]
    families = defaultdict(list)
    for part, tests in zip(parts, outcomes):
        for row, test in enumerate(tests):
            if test.p is not None and (test.run or part.name):
                families[test.measure, test.test].append((tests, row))
    for (_, name), places in families.items():
        part, p = parts[0], np.array([tests[row].p for tests, row in places])
        count = part.families if name in OF_ALL else part.family
        adjusted = significance.holm(np.pad(p, (0, count - p.size), constant_values=1))
        if name == TUKEY_HSD:
            adjusted = (p * part.families).clip(max=1)
        elif name == CONOVER and part.uncorrected:
            adjusted = p
        for (tests, row), each in zip(places, adjusted.tolist()):
            significant = name not in OF_ALL and each < part.alpha
            tests[row] = replace(tests[row], adjusted=each, significant=significant)
    return [replace(part, outcomes=tuple(tests)) for part, tests in zip(parts, outcomes)]
