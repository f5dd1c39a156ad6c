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

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ...errors import GradedError
from ...evaluation.checked import checks_arguments
from ...evaluation.counting import ZERO
from ...evaluation.evaluate import Evaluation, evaluated
from ...evaluation.named import Qrels, Runs
from ...evaluation.sessions import Given
from ...evaluation.values import By, groups_of
from ..statistics.corrections import DEFAULT, correction_of
from ..statistics.defaults import ALPHA, LEAST_TESTED_TOPICS
from ..statistics.options import (
    as_list,
    check_probability,
    refuse_large,
    statistics_library,
    whole_number,
)
from ..statistics.primary import paired, paired_in_parts
from ..statistics.tests import alexander_govern
from .families import (
    NAME_A_BASELINE,
    baseline_of,
    family_of,
    refuse_few_topics,
    refuse_many_pairs,
    remarks_on,
    width_of,
)
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
    baseline: str | None = None,
    tests: Sequence[str] = (),
    correction: str = DEFAULT,
    alpha: float = ALPHA,
    resamples: int = 10_000,
    seed: int = 0,
    by: By = None,
) -> Comparison:
    """Evaluate the runs by each measure and test their differences.

    `qrels`, `runs`, `measures`, `sessions` and `no_relevant` are as for `evaluate`. An `Evaluation`, or
    a table of values as for `Evaluation.from_values`, may stand for the first four. Needs the extra
    ``stats``.

    `baseline` is the name of a run; the first of two runs is the default. `tests` names further
    tests, see the module. `correction` is that of the p-values of pairs for the family: ``holm``,
    ``bonferroni``, ``bh`` (the false discovery rate) or ``none``. The randomised Tukey HSD has its
    own for all pairs. A p-value below `alpha` (above 0, below 1) is significant. Random tests draw
    `resamples` (≥ 1), which depend on `seed` (≥ 0) alone; the randomisation test draws more if no
    difference could be significant with so many.

    A topic for which a provider gives some run no value is left out of the means and tests of that
    measure.

    `by` groups the topics: a mapping to an attribute, or ``FILE:COLUMN``. `groups` of the result
    then has a comparison for each group, by the primary procedure, see `groups_of`. Its p-values
    and intervals have a correction for all groups. A group of fewer than 10 topics is not tested.
    For two or more groups that are, Alexander and Govern's test tells whether a difference depends
    on the group, with Holm's correction for the differences of the family. Groups must not be made
    from the values themselves.

    >>> values = np.array([[0.2, 0.3, 0.4, 0.5], [0.3, 0.5, 0.7, 0.6]])
    >>> from ir_measures_graded import nDCG_JK
    >>> found = compare(Evaluation(("A", "B"), (nDCG_JK,), tuple("1234"), values[:, None]))
    >>> found.differences.round(3)[["run", "other", "difference", "lower", "upper", "p"]].values.tolist()
    [['B', 'A', 0.175, 0.023, 0.327, 0.035]]

    A test that is undefined for the data has a note instead of a p-value. Raises `GradedError` for
    fewer than two runs or topics, more than 250,000 differences of all pairs of runs, an unknown
    baseline or test, and an option out of range.
    """
    check_probability(alpha, "alpha", ALPHA)
    resamples = whole_number(resamples, "resamples", 1)
    seed = whole_number(seed, "seed", 0)
    refuse_large("resamples", resamples, 16 * resamples, "their differences")
    names = tuple(dict.fromkeys(as_list(tests)))
    for name in names:
        if name not in TESTS:
            raise GradedError(f"test {name!r} is not known; the tests are {', '.join(TESTS)}")
    further = Further(names, alpha, correction_of(correction), resamples, seed)
    statistics_library("scipy.special")
    evaluation, _ = evaluated(qrels, runs, measures, sessions, no_relevant=no_relevant)
    refuse_few_topics(evaluation)
    baseline = baseline_of(evaluation.runs, baseline)
    if baseline is None:
        refuse_many_pairs(len(evaluation.runs), len(evaluation.measures), NAME_A_BASELINE)
    rows_of_groups = groups_of(evaluation.topics, by)
    groups = {group: evaluation.on(rows) for group, rows in rows_of_groups.items()}
    outcomes: list[Test] = []
    of_groups: dict[str, list[Test]] = {group: [] for group in groups}
    depending: list[Test] = []
    for measure in evaluation.measures:
        values = evaluation.paired(measure)
        order = np.argsort(-sign_of(measure) * values.mean(axis=1), kind="stable").tolist()
        pairs = family_of(evaluation.runs, baseline, order)
        labels = [(evaluation.runs[run], evaluation.runs[other]) for run, other in pairs]
        tested = partial(pairwise_tests, measure, pairs=labels, alpha=alpha)
        settings: dict[str, Any] = {"width": width_of(measure), "correction": correction}
        primary = paired(values, pairs, alpha, **settings)
        outcomes += tested(PAIRED_T, primary._asdict())
        outcomes += further.of(measure, values, pairs, labels)
        parts = {group: _values_in(part, measure) for group, part in groups.items()}
        in_groups = paired_in_parts(list(parts.values()), pairs, alpha, **settings)
        for group, in_group in zip(groups, in_groups, strict=True):
            of_groups[group] += tested(PAIRED_T, in_group._asdict())
        large = [part for part in parts.values() if part.shape[1] >= LEAST_TESTED_TOPICS]
        if len(large) > 1:
            dependence = [
                alexander_govern((part[run], part[other]) for part in large) for run, other in pairs
            ]
            depending += tested(BY_GROUP, columns_of(dependence, further.correction))
    compared = partial(_compared, baseline=baseline, alpha=alpha, correction=correction)
    sizes = [len(part.topics) for part in groups.values()]
    families = max(1, sum(size >= LEAST_TESTED_TOPICS for size in sizes))
    comparisons = {
        name: compared(groups[name], of_group, name=name, families=families)
        for name, of_group in of_groups.items()
    }
    return compared(evaluation, [*outcomes, *depending], groups=comparisons)


def _values_in(part: Evaluation, measure: Measure) -> np.ndarray:
    """The values for the topics of a group (runs × topics); a column of NaN if no topic has all
    values."""
    values = part.paired(measure)
    if values.shape[1] == 0:
        return np.full((len(part.runs), 1), np.nan)
    return values


def _compared(part: Evaluation, outcomes: Iterable[Test], **facts: Any) -> Comparison:
    """The comparison over all topics or over those of a group."""
    means = np.stack(
        [mean_over_topics(_values_in(part, measure)) for measure in part.measures], axis=1
    )
    facts |= {"outcomes": tuple(outcomes), "unit": part.unit}
    facts |= {"lacking": remarks_on(part), "remarks": part.remarks}
    facts["paired_topics"] = {
        measure: len(part.paired_topics(measure)) for measure in part.measures
    }
    return Comparison(part.runs, part.measures, len(part.topics), means, **facts)
