"""The tests of a comparison as records, and the further tests that are made on request."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...errors import GradedError
from ...output.formats import known
from ..statistics import resampling, tests
from ..statistics.corrections import Correction
from ..statistics.primary import Pairs
from ..statistics.tests import Outcome, leaning_by_means

PAIRED_T: Final = "paired t"
THESE: Final = "these collections"
LIKE_THESE: Final = "collections like these"
METHODS: Final = {PAIRED_T: "paired t", THESE: "stratified t", LIKE_THESE: "Student's t"}
"""The primary procedures in the answer."""
CONOVER: Final = "Conover"
TUKEY_HSD: Final = "Tukey HSD"
WILCOXON: Final = "Wilcoxon"
RANDOMISATION: Final = "randomisation"
BY_GROUP: Final = "Alexander–Govern"
"""The test of whether the difference of two runs depends on the group of topics."""
FRIEDMAN: Final = "Friedman"
ANOVA_OF_RUNS: Final = "ANOVA: runs"
ANOVA_OF_TOPICS: Final = "ANOVA: topics"
OF_ALL: Final = (ANOVA_OF_RUNS, ANOVA_OF_TOPICS, FRIEDMAN)
"""The tests of all runs at once."""
TESTS: Final = ("conover", "anova", "tukey", "wilcoxon", "randomisation")
"""The tests besides the primary procedure, as options."""
RESAMPLES_BEYOND_LEAST: Final = 20
"""The randomisation draws so many times the samples that can be significant at all, if it needs
more."""
MOST_RESAMPLES: Final = 1_000_000
"""The randomisation raises its samples up to this number."""


class PValue(float):
    """A p-value; formatted as text, a small one is not rounded to 0.

    >>> f"{PValue(0.0312):.3f}, {PValue(0.0000312):.3f}"
    '0.031, 3.1e-05'
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        text = super().__format__(spec)
        if float(self) and not float(text):
            return super().__format__(".1e")
        return text


@dataclass(frozen=True)
class Test:
    """A significance test of one measure's values.

    `run` and `other` are the two runs compared; both are None in a test of all runs. `better` is
    the run that the test favours, and `significant` whether it is better. `statistic` and `p` are
    None if they are undefined or the library does not return them; `note` gives the reason.
    `adjusted` is p with the correction for the family.

    A primary test also has the `difference` of the means of `run` and `other`, with bounds
    (`lower`, `upper`) that hold for the whole family together. The paired t-test has the standard
    `deviation` of the differences over the topics, Cohen's d_z (`effect_size`), and the smallest
    true difference that it finds with probability .8 at the family's level (`detectable`), None if
    all topics have the same difference or few change. Tests over collections have Alexander and
    Govern's `A`, its p-value, and `I2`, which tell whether the difference varies between the
    collections.
    """

    __test__ = False  # tells pytest that this class is not a test

    measure: Measure
    test: str
    run: str | None = None
    other: str | None = None
    better: str | None = None
    difference: float | None = None
    lower: float | None = None
    upper: float | None = None
    statistic: float | None = None
    p: float | None = None
    adjusted: float | None = None
    significant: bool = False
    deviation: float | None = None
    effect_size: float | None = None
    detectable: float | None = None
    A: float | None = None
    p_A: float | None = None
    I2: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("p", "adjusted", "p_A"):
            p = getattr(self, name)
            if p is not None:
                object.__setattr__(self, name, PValue(p))

    @property
    def winner(self) -> str | None:
        """The run that is significantly better."""
        if self.significant:
            return self.better
        return None

    @property
    def loser(self) -> str | None:
        """The run that is significantly worse."""
        if not self.significant:
            return None
        if self.better == self.run:
            return self.other
        return self.run


def pairwise_tests(
    measure: Measure,
    test: str,
    columns: Mapping[str, Any],
    pairs: Iterable[tuple[str, str]],
    alpha: float,
) -> list[Test]:
    """The tests of pairs of runs.

    `columns` has lists or arrays of the fields of the tests, NaN for None. The test favours the
    first run of a pair if ``leaning``, by default the difference, is above 0.
    """
    lists = {name: known(np.asarray(column)) for name, column in columns.items()}
    leaning = lists.pop("leaning", None) or lists["difference"]
    rows = zip(*lists.values(), strict=True)
    found = []
    for (run, other), merit, row in zip(pairs, leaning, rows, strict=True):
        numbers = dict(zip(lists, row, strict=True))
        better = None
        if merit:
            better = run if sign_of(measure) * merit > 0 else other
        adjusted = numbers["adjusted"]
        significant = adjusted is not None and adjusted < alpha
        found.append(Test(measure, test, run, other, better, significant=significant, **numbers))
    return found


def columns_of(outcomes: Sequence[Outcome], correction: Correction | None) -> dict[str, Any]:
    """The fields of tests of pairs; p has the correction, unless there is none."""
    columns: dict[str, Any] = {
        name: [getattr(outcome, name) for outcome in outcomes] for name in Outcome._fields
    }
    p = np.array(columns["p"], dtype=float)
    adjusted = p
    if correction is not None:
        adjusted = correction.adjust(p, p.size)
    return columns | {"adjusted": adjusted}


@dataclass(frozen=True)
class Further:
    """The further tests: their names, some of `TESTS`, the level, the correction, and the random
    samples."""

    names: tuple[str, ...]
    alpha: float
    correction: Correction
    resamples: int
    seed: int

    def of(self, measure: Measure, values: np.ndarray, pairs: Pairs, labels: Any) -> list[Test]:
        """The tests of one measure's values (runs × topics); `labels` are the names of the
        pairs."""
        found = []
        for name, outcomes in self._outcomes(values, pairs):
            if name in OF_ALL:
                (outcome,) = outcomes
                found.append(
                    Test(measure, name, statistic=outcome.statistic, p=outcome.p, note=outcome.note)
                )
                continue
            # Tukey's p has its own correction for all pairs.
            correction = None if name == TUKEY_HSD else self.correction
            columns = columns_of(outcomes, correction)
            found += pairwise_tests(measure, name, columns, labels, self.alpha)
        return found

    def _outcomes(
        self, values: np.ndarray, pairs: Pairs
    ) -> Iterator[tuple[str, Sequence[Outcome]]]:
        """The tests and their outcome for each pair, or for all runs."""
        for name in self.names:
            if name == "anova":
                of_runs, of_topics = tests.two_way_anova(values)
                yield ANOVA_OF_RUNS, [of_runs]
                yield ANOVA_OF_TOPICS, [of_topics]
            elif name == "conover":
                omnibus = tests.friedman(values)
                yield FRIEDMAN, [omnibus]
                if omnibus.p is not None and omnibus.p < self.alpha:
                    merit = tests.run_ranks(values).mean(axis=1)
                    yield CONOVER, leaning_by_means(tests.conover(values), merit, pairs)
            elif name == "tukey":
                p = resampling.tukey_hsd(values, self.resamples, self.seed)
                yield TUKEY_HSD, leaning_by_means(p, values.mean(axis=1), pairs)
            elif name == "wilcoxon":
                yield WILCOXON, [tests.wilcoxon(values[run], values[other]) for run, other in pairs]
            else:
                resamples = self._enough_resamples(len(pairs), values.shape[1])
                test = partial(resampling.randomisation, resamples=resamples, seed=self.seed)
                yield RANDOMISATION, [test(values[run], values[other]) for run, other in pairs]

    def _enough_resamples(self, pairs: int, topics: int) -> int:
        """The random samples, raised if none of so many pairs could be significant with fewer.

        The smallest two-sided p of B samples is 2/(B + 1). If all signs of the topics are tried, no
        number is enough. Raises `GradedError` if more than a million samples were needed.
        """
        factor = 1
        if self.correction.is_corrected:
            factor = pairs
        least = int(np.ceil(2 * factor / self.alpha))
        if self.resamples >= least or 2**topics <= self.resamples:
            return self.resamples
        if least > MOST_RESAMPLES:
            raise GradedError(
                f"the randomisation test of {pairs} pairs needs at least {least:,} resamples for a "
                f"significant difference, and {MOST_RESAMPLES:,} are allowed; compare fewer runs or name a "
                "baseline"
            )
        return min(RESAMPLES_BEYOND_LEAST * least, MOST_RESAMPLES)
