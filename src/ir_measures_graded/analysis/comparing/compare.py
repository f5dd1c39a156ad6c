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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ...errors import GradedError, did_you_mean
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import Evaluation, evaluated
from ...evaluation.named import Qrels, Runs
from ...evaluation.sessions import Given
from ...evaluation.values import By, groups_of
from ...output.formats import known, listed
from ..statistics.corrections import holm
from ..statistics.defaults import ALPHA, LEAST_TESTED_TOPICS
from ..statistics.options import (
    as_list,
    check_probability,
    refuse_large,
    statistics_library,
    whole_number,
)
from ..statistics.primary import Pairs, paired, paired_in_parts
from ..statistics.resampling import randomisation, tukey_hsd
from ..statistics.tests import (
    Outcome,
    alexander_govern,
    conover,
    friedman,
    leaning_by_means,
    run_ranks,
    two_way_anova,
    wilcoxon,
)
from .result import BY_GROUP, CONOVER, PAIRED_T, TUKEY_HSD, Comparison, Test

FRIEDMAN: Final = "Friedman"
OF_RUNS: Final = "ANOVA: runs"
OF_TOPICS: Final = "ANOVA: topics"
OF_ALL: Final = (OF_RUNS, OF_TOPICS, FRIEDMAN)
"""The tests of all runs at once."""
TESTS: Final = ("conover", "anova", "tukey", "wilcoxon", "randomisation")
"""The tests besides the primary procedure."""


@checks_arguments("compare(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def compare(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    baseline: str | None = None,
    tests: Sequence[str] = (),
    uncorrected: bool = False,
    alpha: float = ALPHA,
    resamples: int = 10_000,
    seed: int = 0,
    by: By = None,
) -> Comparison:
    """Evaluate the runs by each measure and test their differences.

    `qrels`, `runs`, `measures` and `sessions` are as for `evaluate`. An `Evaluation`, or
    a table of values as for `Evaluation.from_values`, may stand for the first four. Needs the extra
    ``stats``.

    `baseline` is the name of a run; the first of two runs is the default. `tests` names further tests, see
    the module. Tests of pairs have Holm's correction for the same family, except that Conover's test has none
    if `uncorrected` and the randomised Tukey HSD has its own for all pairs. A p-value below `alpha` (above 0,
    below 1) is significant. Random tests draw `resamples` (≥ 1), which depend on `seed` (≥ 0) alone.

    `by` groups the topics: a mapping to an attribute, or ``FILE:COLUMN``. `groups` of the result then has a
    comparison for each group, by the primary procedure, see `groups_of`. Its p-values and intervals have a
    correction for all groups. A group of fewer than 10 topics is not tested. For two or more groups that are,
    Alexander and Govern's test tells whether a difference depends on the group, with Holm's correction for
    the differences of the family. Groups must not be made from the values themselves.

    >>> values = np.array([[0.2, 0.3, 0.4, 0.5], [0.3, 0.5, 0.7, 0.6]])
    >>> from ir_measures_graded import nDCG_JK
    >>> found = compare(Evaluation(("A", "B"), (nDCG_JK,), tuple("1234"), values[:, None]))
    >>> found.differences.round(3)[["run", "other", "difference", "lower", "upper", "p"]].values.tolist()
    [['B', 'A', 0.175, 0.023, 0.327, 0.035]]

    A test that is undefined for the data has a note instead of a p-value. Raises `GradedError` for fewer than
    two runs or topics, an unknown baseline or test, and an option out of range.
    """
    check_probability(alpha, "alpha", ALPHA)
    resamples = whole_number(resamples, "resamples", 1)
    seed = whole_number(seed, "seed", 0)
    refuse_large("resamples", resamples, 16 * resamples, "their differences")
    tests = tuple(dict.fromkeys(as_list(tests)))
    for name in tests:
        if name not in TESTS:
            raise GradedError(f"test {name!r} is not known; the tests are {', '.join(TESTS)}")
    if uncorrected and "conover" not in tests:
        raise GradedError("uncorrected is for Conover's comparisons; add the test conover")
    statistics_library("scipy.special")
    evaluation, _ = evaluated(qrels, runs, measures, sessions)
    refuse_few(len(evaluation.runs), "run")
    refuse_few(len(evaluation.topics), evaluation.unit)
    names, baseline = evaluation.runs, baseline_of(evaluation.runs, baseline)
    rows = groups_of(evaluation.topics, by)
    groups = {group: evaluation.on(topics) for group, topics in rows.items()}
    large = [part for part in groups.values() if len(part.topics) >= LEAST_TESTED_TOPICS]
    outcomes, depending, of_groups = [], [], {group: list[Test]() for group in groups}
    for measure in evaluation.measures:
        values = evaluation.of(measure)
        order = np.argsort(-sign_of(measure) * values.mean(axis=1), kind="stable").tolist()
        pairs = family_of(names, baseline, order)
        labels = [(names[run], names[other]) for run, other in pairs]
        tested = partial(pairwise_tests, measure, pairs=labels, alpha=alpha)
        outcomes += tested(PAIRED_T, paired(values, pairs, alpha)._asdict())
        for name, found in _further(values, pairs, tests, alpha, resamples, seed):
            if name in OF_ALL:
                (one,) = found
                outcomes.append(
                    Test(measure, name, statistic=one.statistic, p=one.p, note=one.note)
                )
            else:
                plain = name == TUKEY_HSD or (name == CONOVER and uncorrected)
                outcomes += tested(name, _columns(found, plain))
        in_groups = paired_in_parts([part.of(measure) for part in groups.values()], pairs, alpha)
        for of_group, columns in zip(of_groups.values(), in_groups, strict=True):
            of_group += tested(PAIRED_T, columns._asdict())
        if len(large) > 1:
            array = [part.of(measure) for part in large]
            found = [alexander_govern((of[a], of[b]) for of in array) for a, b in pairs]
            depending += tested(BY_GROUP, _columns(found))
    compared = partial(_compared, baseline=baseline, alpha=alpha, uncorrected=uncorrected)
    families = max(1, len(large))
    parts = {
        name: compared(groups[name], found, name=name, families=families)
        for name, found in of_groups.items()
    }
    return compared(evaluation, [*outcomes, *depending], groups=parts)


def _compared(part: Evaluation, outcomes: Iterable[Test], **facts: Any) -> Comparison:
    """The comparison over all topics or over those of a group."""
    means = mean_over_topics(part.values)
    facts |= {"outcomes": tuple(outcomes), "unit": part.unit, "lacking": part.lacking}
    return Comparison(part.runs, part.measures, len(part.topics), means, **facts)


def refuse_few(count: int, what: str) -> None:
    """Raise `GradedError` for fewer than 2 runs or topics."""
    if count < 2:
        raise GradedError(f"a comparison needs at least 2 {what}s, not {count}")


def baseline_of(runs: Sequence[str], baseline: str | None) -> str | None:
    """The baseline or, without any, the first of two runs. Raises `GradedError` for an unknown baseline."""
    if baseline is None:
        return runs[0] if len(runs) == 2 else None
    if baseline not in runs:
        hint = did_you_mean(baseline, runs)
        raise GradedError(
            f"the baseline {baseline!r} is not among the runs {listed(runs, most=10)}{hint}"
        )
    return baseline


def family_of(runs: Sequence[str], baseline: str | None, order: Iterable[int]) -> Pairs:
    """The numbers of each run and the baseline or, without one, of all pairs of runs in this order."""
    if baseline is None:
        return [*combinations(order, 2)]
    base = runs.index(baseline)
    return [(run, base) for run in range(len(runs)) if run != base]


def pairwise_tests(
    measure: Measure,
    test: str,
    columns: Mapping[str, Any],
    pairs: Iterable[tuple[str, str]],
    alpha: float,
) -> list[Test]:
    """The tests of pairs of runs.

    `columns` has lists or arrays of the fields of the tests, NaN for None. The test favours the first run of
    a pair if ``leaning``, by default the difference, is above 0.
    """
    columns = {name: known(np.asarray(column)) for name, column in columns.items()}
    leaning = columns.pop("leaning", None) or columns["difference"]
    found = []
    for (run, other), merit, row in zip(
        pairs, leaning, zip(*columns.values(), strict=True), strict=True
    ):
        numbers = dict(zip(columns, row, strict=True))
        better = None
        if merit:
            better = run if sign_of(measure) * merit > 0 else other
        significant = numbers["adjusted"] is not None and numbers["adjusted"] < alpha
        found.append(Test(measure, test, run, other, better, significant=significant, **numbers))
    return found


def _columns(found: Sequence[Outcome], plain: bool = False) -> dict[str, Any]:
    """The fields of tests of pairs, with Holm's correction unless p is `plain`."""
    columns: dict[str, Any] = dict(zip(Outcome._fields, zip(*found, strict=True), strict=True))
    p = np.array(columns["p"], dtype=float)
    return columns | {"adjusted": p if plain else holm(p, p.size)}


def _further(
    values: np.ndarray, pairs: Pairs, names: Iterable[str], alpha: float, resamples: int, seed: int
) -> Iterator[tuple[str, Sequence[Outcome]]]:
    """The tests that `names`, some of `TESTS`, stand for, and the outcome for each pair or for all runs."""

    for name in names:
        if name == "anova":
            of_runs, of_topics = two_way_anova(values)
            yield OF_RUNS, [of_runs]
            yield OF_TOPICS, [of_topics]
        elif name == "conover":
            omnibus = friedman(values)
            yield FRIEDMAN, [omnibus]
            if omnibus.p is not None and omnibus.p < alpha:
                merit = run_ranks(values).mean(axis=1)
                yield CONOVER, leaning_by_means(conover(values), merit, pairs)
        elif name == "tukey":
            p = tukey_hsd(values, resamples, seed)
            yield TUKEY_HSD, leaning_by_means(p, values.mean(axis=1), pairs)
        elif name == "wilcoxon":
            yield "Wilcoxon", [wilcoxon(values[run], values[other]) for run, other in pairs]
        else:
            test = partial(randomisation, resamples=resamples, seed=seed)
            yield "randomisation", [test(values[run], values[other]) for run, other in pairs]
