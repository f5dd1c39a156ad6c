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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..core.by_topic import mean_over_topics
from ..core.registry.facts import sign_of
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluated, tracked
from ..evaluation.named import Qrels, Runs
from ..evaluation.sessions import Given
from ..evaluation.values import By, groups_of
from ..output.formats import known
from .comparison import BY_GROUP, CONOVER, PAIRED_T, TUKEY_HSD, Comparison, Test, references_of
from .statistics import significance
from .statistics.options import as_list, check_test, need_statistics
from .statistics.paired import FEW, Paired, Pairs, paired
from .statistics.significance import Outcome, run_ranks

FRIEDMAN: Final = "Friedman"
ANOVA_RUNS: Final = "ANOVA: runs"
ANOVA_TOPICS: Final = "ANOVA: topics"
WILCOXON: Final = "Wilcoxon"
RANDOMISATION: Final = "randomisation"
OF_ALL: Final = (ANOVA_RUNS, ANOVA_TOPICS, FRIEDMAN)
"""The tests of all runs at once."""
TESTS: Final = ("conover", "anova", "tukey", "wilcoxon", "randomisation")
"""The tests besides the primary procedure."""
Fields = dict[str, Any]
"""The fields of a `Test`."""


def compare(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    baseline: str | Sequence[str] | None = None,
    tests: Sequence[str] = (),
    uncorrected: bool = False,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    by: By = None,
    progress: bool = False,
) -> Comparison:
    """Evaluate the runs by each measure and test their differences.

    `qrels`, `runs`, `measures`, `sessions` and `progress` are as for `evaluate`. An `Evaluation`, or
    a table of values as for `Evaluation.from_values`, may stand for the first four. Needs the extra
    ``stats``.

    `baseline` is the name of a run, or several, each with a family of its own; the first of two runs is
    the default. `tests` names further tests, see the module. Tests of pairs have Holm's correction for
    the same family, except that Conover's test has none if `uncorrected` and the randomised Tukey HSD has
    its own for all pairs. A p-value below `alpha` (above 0, below 1) is significant. Random tests draw
    `resamples` (≥ 1), which depend on `seed` (≥ 0) alone.

    `by` groups the topics: a mapping to an attribute, ``FILE:COLUMN``, or a column of the values. `groups`
    of the result then has a comparison for each group, see `groups_of`. Its p-values and intervals have a
    correction for all groups. A group of fewer than 10 topics is not tested. For two or more groups that are,
    Alexander and Govern's test tells whether a difference depends on the group, with Holm's correction for
    the differences of a family. Groups must not be made from the values themselves.

    >>> values = np.array([[0.2, 0.3, 0.4, 0.5], [0.3, 0.5, 0.7, 0.6]])
    >>> from ir_measures_graded import nDCG_JK
    >>> found = compare(Evaluation(("A", "B"), (nDCG_JK,), tuple("1234"), values[:, None]))
    >>> found.differences.round(3)[["run", "other", "difference", "lower", "upper", "p"]].values.tolist()
    [['B', 'A', 0.175, 0.023, 0.327, 0.035]]

    A test that is undefined for the data has a note instead of a p-value. Raises `GradedError` for fewer than
    two runs or topics, an unknown baseline or test, and an option out of range.
    """
    check_test(alpha, resamples, seed)
    tests = as_list(tests)
    for name in tests:
        if name not in TESTS:
            raise GradedError(f"test {name!r} is not known; the tests are {', '.join(TESTS)}")
    libraries = {"conover": "scikit_posthocs", "anova": "statsmodels"}
    need_statistics("scipy", *(libraries[name] for name in tests if name in libraries))
    evaluation, _ = evaluated(qrels, runs, measures, by, sessions, progress=progress)
    refuse_few(len(evaluation.runs), "run")
    refuse_few(len(evaluation.topics), evaluation.unit)
    references = references_of(evaluation.runs, baseline)
    groups = groups_of(evaluation.topics, by, evaluation.attributes)
    families = sum(len(rows) >= FEW for rows in groups.values())
    means = [sign_of(measure) * evaluation.of(measure).mean(axis=1) for measure in evaluation.measures]
    orders = (np.argsort(-each, kind="stable").tolist() for each in means)
    pairs = [families_of(evaluation.runs, references, order) for order in orders]
    options = tuple(dict.fromkeys(tests)), uncorrected, alpha, resamples, seed, progress
    design = _Design(pairs, references, *options)
    (found,) = design.compared({"": evaluation}).values()
    parts = {name: evaluation.on(rows) for name, rows in groups.items()}
    of_groups = design.compared(parts, families)
    depends = design.depending([part for part in parts.values() if len(part.topics) >= FEW])
    return replace(found, groups=of_groups, outcomes=(*found.outcomes, *depends))


def refuse_few(count: int, what: str) -> None:
    """Raise `GradedError` for fewer than 2 runs or topics."""
    if count < 2:
        are = "is" if count == 1 else "are"
        raise GradedError(f"a comparison needs at least 2 {what}s; there {are} {count}")


def families_of(runs: Sequence[str], references: Sequence[str], order: Iterable[int]) -> list[Pairs]:
    """The families: each run and the reference, for each of them, or all pairs of runs in this order."""
    if not references:
        return [[*combinations(order, 2)]]
    return [[(run, base) for run in range(len(runs)) if run != base] for base in map(runs.index, references)]


@dataclass(frozen=True)
class _Design:
    """The tests of the families of `pairs` by each measure, and their options, which `compare` describes."""

    pairs: Sequence[list[Pairs]]
    references: tuple[str, ...]
    tests: Sequence[str]
    uncorrected: bool
    alpha: float
    resamples: int
    seed: int
    progress: bool

    def compared(self, parts: Mapping[str, Evaluation], families: int | None = None) -> dict[str, Comparison]:
        """The comparison over all topics or, if `families` of them are tested, over each group of topics."""
        tests = {name: [*self._tests(part, families)] for name, part in parts.items()}
        self._correct(chain(*tests.values()), families)
        found = {}
        for name, part in parts.items():
            ranks = [run_ranks(-sign_of(each) * part.of(each)).mean(axis=1) for each in part.measures]
            lacks = [] if part.missing is None else part.missing.sum(axis=1).tolist()
            labels, means = (part.runs, part.measures, len(part.topics)), mean_over_topics(part.values)
            outcomes = tuple(Test(**fields) for fields in tests[name])
            found[name] = Comparison(
                *(*labels, means, np.stack(ranks, axis=1), outcomes, self.references, self.alpha),
                uncorrected=self.uncorrected,
                lacking={run: number for run, number in zip(part.runs, lacks) if number},
                name=name,
                families=families or 1,
                unit=part.unit,
            )
        return found

    def _tests(self, part: Evaluation, families: int | None) -> Iterator[Fields]:
        """The tests of the runs by each measure, before the correction."""
        for measure, of_measure in tracked([*zip(part.measures, self.pairs)], "measure", self.progress):
            pairs, sign = [pair for family in of_measure for pair in family], sign_of(measure)
            named = [(part.runs[one], part.runs[other]) for one, other in pairs]
            for name, outcomes in self._outcomes(part.of(measure), of_measure, families):
                for (run, other), outcome in zip([(None, None)] if name in OF_ALL else named, outcomes):
                    merit = sign * outcome.pop("leaning", outcome.get("difference"))
                    better = run if merit > 0 else other if merit < 0 else None
                    outcome.update(measure=measure, test=name, run=run, other=other, better=better)
                    yield outcome

    def _outcomes(
        self, values: np.ndarray, of_measure: list[Pairs], families: int | None
    ) -> Iterator[tuple[str, Iterable[Fields]]]:
        """The name of each test, and its outcome for each pair or, if it is one of `OF_ALL`, for all runs.

        `values` (runs × topics) are those of one measure.
        """
        pairs = [pair for family in of_measure for pair in family]
        yield (
            PAIRED_T,
            [row for family in of_measure for row in _rows(paired(values, family, self.alpha, families))],
        )
        for name in self.tests if families is None or values.shape[1] >= FEW else ():
            for test, found in self._further(name, values, pairs):
                yield test, [each._asdict() for each in found]

    def _further(
        self, name: str, values: np.ndarray, pairs: Pairs
    ) -> Iterator[tuple[str, Sequence[Outcome]]]:
        """The tests that `name`, one of `TESTS`, stands for."""

        def by_matrix(p: np.ndarray, merit: np.ndarray) -> list[Outcome]:
            return [Outcome(p=float(p[a, b]), leaning=merit[a] - merit[b]) for a, b in pairs]

        if name == "anova":
            yield from zip(OF_ALL, ([of] for of in significance.two_way_anova(values)))
        elif name == "conover":
            omnibus = significance.friedman(values)
            yield FRIEDMAN, [omnibus]
            if omnibus.p is not None and omnibus.p < self.alpha:
                yield CONOVER, by_matrix(significance.conover(values), run_ranks(values).mean(axis=1))
        elif name == "tukey":
            p = significance.tukey_hsd(values, self.resamples, self.seed)
            yield TUKEY_HSD, by_matrix(p, values.mean(axis=1))
        elif name == "wilcoxon":
            yield WILCOXON, [significance.wilcoxon(values[a], values[b]) for a, b in pairs]
        else:
            test = partial(significance.randomisation, resamples=self.resamples, seed=self.seed)
            yield RANDOMISATION, [test(values[a], values[b]) for a, b in pairs]

    def _correct(self, tests: Iterable[Fields], families: int | None) -> None:
        """Correct the p-values for all tests of a measure and a family that have the same name."""
        named = defaultdict(list)
        for fields in tests:
            if fields["p"] is not None and (fields["run"] or families is not None):
                family = fields["other"] if self.references else None
                named[fields["measure"], fields["test"], family].append(fields)
        for (_, test, _), together in named.items():
            p, groups = np.array([fields["p"] for fields in together]), families or 1
            adjusted = significance.holm(p, groups * (1 if test in OF_ALL else len(self.pairs[0][0])))
            if test == TUKEY_HSD:
                adjusted = (p * groups).clip(max=1)
            elif test == CONOVER and self.uncorrected:
                adjusted = p
            for fields, each in zip(together, adjusted.tolist()):
                fields.update(adjusted=each, significant=test not in OF_ALL and each < self.alpha)

    def depending(self, groups: Sequence[Evaluation]) -> list[Test]:
        """The tests of whether a difference depends on the group of topics, from the values of each group."""
        if len(groups) < 2:
            return []
        found = []
        for measure, of_measure in zip(groups[0].measures, self.pairs):
            values, runs = [part.of(measure) for part in groups], groups[0].runs
            for family in of_measure:
                tests = [significance.alexander_govern((of[a], of[b]) for of in values) for a, b in family]
                p_values = [np.nan if each.p is None else each.p for each in tests]
                for (a, b), each, p in zip(family, tests, known(significance.holm(p_values, len(family)))):
                    label = {"measure": measure, "test": BY_GROUP, "run": runs[a], "other": runs[b]}
                    numbers = {"statistic": each.statistic, "p": each.p, "adjusted": p, "note": each.note}
                    found.append(Test(**label, **numbers, significant=p is not None and p < self.alpha))
        return found


def _rows(found: Paired) -> list[Fields]:
    """The fields of the paired t-test of each pair."""
    return [dict(zip(Paired._fields, row)) for row in zip(*map(known, found))]
