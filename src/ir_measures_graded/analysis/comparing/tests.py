"""The tests of a comparison as records, and the further tests that are made on request."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...errors import GradedError
from ...output.formats import LEAST_IN_SENTENCES, known
from ...progress import steps
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
SIGNED: Final = (PAIRED_T, RANDOMISATION)
"""The tests whose statistic is above 0 if the first run of a pair has the higher mean."""
TESTS: Final = ("conover", "anova", "tukey", "wilcoxon", "randomisation")
"""The tests besides the primary procedure, as options."""
TESTS_OF_PAIRS: Final = {
    "conover": CONOVER,
    "tukey": TUKEY_HSD,
    "wilcoxon": WILCOXON,
    "randomisation": RANDOMISATION,
}
"""The tests of pairs of runs among them."""
RESAMPLES_BEYOND_LEAST: Final = 20
"""The randomisation draws so many times the samples that can be significant at all, if it needs
more."""
MOST_RESAMPLES: Final = 1_000_000
"""The randomisation raises its samples up to this number."""
MOST_SIGNS: Final = 20_000_000_000_000
"""A raised number of samples may draw so many signs of differences, which takes about forty
minutes."""
MOST_SHUFFLED: Final = 40_000_000_000
"""Tukey's test may shuffle so many values, which takes about half an hour."""


class PValue(float):
    """A p-value; formatted as text, a small one is not rounded to 0, nor one below .001 to .001.

    >>> f"{PValue(0.0312):.3f}, {PValue(0.0000312):.3f}, {PValue(0.000967):.4f}"
    '0.031, 3.1e-05, 9.7e-04'
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        text = super().__format__(spec)
        is_rounded_to_0 = float(self) and not float(text)
        if is_rounded_to_0 or float(self) < LEAST_IN_SENTENCES <= float(text):
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
    collections. `may_turn` tells whether some judgments of the unjudged documents turn the sign of
    a significant difference, None if this is not known. `ties_turn` tells whether another order
    of tied documents turns the sign or the significance of the difference, None if this is not
    known; `p_over_ties` then has the lowest and the highest p over the orders that were tried, in
    words. `only_sign_turns` tells that no order makes the difference significant.
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
    may_turn: bool | None = None
    ties_turn: bool | None = None
    p_over_ties: str = ""
    only_sign_turns: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("p", "adjusted", "p_A"):
            p = getattr(self, name)
            if p is not None:
                object.__setattr__(self, name, PValue(p))

    def turned(self) -> Test:
        """The same test with the runs in the other order."""
        statistic = self.statistic
        if self.test in SIGNED:
            statistic = _negative(self.statistic)
        return replace(
            self,
            run=self.other,
            other=self.run,
            difference=_negative(self.difference),
            lower=_negative(self.upper),
            upper=_negative(self.lower),
            statistic=statistic,
            effect_size=_negative(self.effect_size),
        )

    def is_of(self, best: str, others: Collection[str]) -> bool:
        """Whether the test is of one run and one of several others."""
        return (self.run == best and self.other in others) or (
            self.other == best and self.run in others
        )

    def is_among(self, runs: Collection[str]) -> bool:
        """Whether the test is of all runs, or of two of these runs."""
        return self.run is None or (self.run in runs and self.other in runs)

    @property
    def is_open(self) -> bool:
        """Whether the test was made and cannot tell the runs apart."""
        return self.adjusted is not None and not self.significant

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


def _negative(number: float | None) -> float | None:
    """The number with the other sign; None stays None."""
    if number is None:
        return None
    return 0.0 - number  # 0 has no sign


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
    records = []
    for (run, other), merit, row in zip(pairs, leaning, rows, strict=True):
        numbers = dict(zip(lists, row, strict=True))
        better = None
        if merit:
            better = run if sign_of(measure) * merit > 0 else other
        adjusted = numbers["adjusted"]
        significant = adjusted is not None and adjusted < alpha
        records.append(Test(measure, test, run, other, better, significant=significant, **numbers))
    return records


def columns_of(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The fields of tests of pairs."""
    return {name: [getattr(outcome, name) for outcome in outcomes] for name in Outcome._fields}


@dataclass(frozen=True)
class Further:
    """The further tests: their names, some of `TESTS`, the level, the correction, the random
    samples, and the number of all comparisons if there are others."""

    names: tuple[str, ...]
    alpha: float
    correction: Correction
    resamples: int
    seed: int
    comparisons: int | None = None

    def of_all_runs(self, measure: Measure, values: np.ndarray) -> list[Test]:
        """The tests of all runs at once, on one measure's values (runs × topics)."""
        outcomes = {}
        if "anova" in self.names:
            outcomes[ANOVA_OF_RUNS], outcomes[ANOVA_OF_TOPICS] = tests.two_way_anova(values)
        if "conover" in self.names:
            outcomes[FRIEDMAN] = tests.friedman(values)
        return [
            Test(measure, name, statistic=outcome.statistic, p=outcome.p, note=outcome.note)
            for name, outcome in outcomes.items()
        ]

    def of_pairs(
        self, measure: Measure, parts: Sequence[np.ndarray], pairs: Pairs, runs: Sequence[str]
    ) -> list[list[Test]]:
        """The tests of a family of pairs in each part of the topics, such as all or a group.

        Each of the `parts` has one measure's values (runs × topics). p has the correction for all
        differences in all parts.
        """
        labels = [(runs[run], runs[other]) for run, other in pairs]
        family = self.comparisons or len(parts) * len(pairs)
        in_parts: list[list[Test]] = [[] for _ in parts]
        for option, name in TESTS_OF_PAIRS.items():
            if option not in self.names:
                continue
            columns_of_parts = {}
            for number, values in enumerate(parts):
                outcomes = self._outcomes(name, values, pairs, len(parts))
                if outcomes:
                    columns_of_parts[number] = columns_of(outcomes)
            p = np.array([columns["p"] for columns in columns_of_parts.values()], dtype=float)
            adjusted = p
            # Tukey's p has its own correction for all pairs.
            if name != TUKEY_HSD:
                adjusted = self.correction.adjust(p, family)
            for (number, columns), row in zip(columns_of_parts.items(), adjusted, strict=True):
                columns["adjusted"] = row
                in_parts[number] += pairwise_tests(measure, name, columns, labels, self.alpha)
        return in_parts

    def _outcomes(
        self, test: str, values: np.ndarray, pairs: Pairs, parts: int
    ) -> Sequence[Outcome]:
        """The outcome of a test for each pair, in one of so many parts of the topics; none of
        Conover's without a significant Friedman's test."""
        if test == CONOVER:
            omnibus = tests.friedman(values)
            if omnibus.p is None or omnibus.p >= self.alpha:
                return []
            merit = tests.run_ranks(values).mean(axis=1)
            return leaning_by_means(tests.conover(values), merit, pairs)
        if test == TUKEY_HSD:
            self._refuse_long_shuffles(*values.shape)
            p = resampling.tukey_hsd(values, self.resamples, self.seed)
            return leaning_by_means(p, values.mean(axis=1), pairs)
        if test == WILCOXON:
            tested = steps(pairs, "pairs")
            return [tests.wilcoxon(values[run], values[other]) for run, other in tested]
        resamples = self._enough_resamples(parts * len(pairs), values.shape[1])
        return resampling.randomisation(values, pairs, resamples, self.seed)

    def _refuse_long_shuffles(self, runs: int, topics: int) -> None:
        """Raise `GradedError` if Tukey's test of so many runs takes more than half an hour."""
        if self.resamples * runs * topics > MOST_SHUFFLED:
            raise GradedError(
                f"Tukey's test of {runs:,} runs over {topics:,} topics with {self.resamples:,} "
                "resamples takes more than half an hour; compare fewer runs, use fewer resamples "
                "or Conover's test"
            )

    def _enough_resamples(self, differences: int, topics: int) -> int:
        """The random samples, raised if none of so many differences, or of all comparisons, could
        be significant with fewer.

        The smallest two-sided p of B samples is 2/(B + 1). If all signs of the topics are tried, no
        number is enough. Raises `GradedError` if more than a million samples were needed, or more
        than `MOST_SIGNS` signs.
        """
        factor = 1
        if self.correction.is_corrected:
            factor = self.comparisons or differences
        least = int(np.ceil(2 * factor / self.alpha))
        if self.resamples >= least or 2**topics <= self.resamples:
            return self.resamples
        if least > MOST_RESAMPLES:
            corrected = f"of {differences:,} pairs"
            remedy = "compare fewer runs or name a baseline"
            if self.comparisons:
                corrected = f"with a correction for {self.comparisons:,} comparisons"
                remedy = "use Wilcoxon's test"
            raise GradedError(
                f"the randomisation test {corrected} needs at least {least:,} resamples for a "
                f"significant difference, and {MOST_RESAMPLES:,} are allowed; {remedy}"
            )
        resamples = min(RESAMPLES_BEYOND_LEAST * least, MOST_RESAMPLES)
        if resamples * differences * topics > MOST_SIGNS:
            raise GradedError(
                f"the randomisation test of {differences:,} pairs over {topics:,} topics needs "
                f"{resamples:,} resamples, which take more than half an hour; compare fewer runs, "
                "name a baseline or use Wilcoxon's test"
            )
        return resamples
