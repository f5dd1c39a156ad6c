"""What a paper says about the tests of a comparison: the test, the correction, the families and the
intervals.

A report has the same sentences in its section on the method.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ir_measures import Measure

from ...output.formats import counted, listed, short
from ..mean_intervals import on_bounds
from ..statistics.corrections import Correction
from ..statistics.defaults import LEAST_TESTED_TOPICS
from .tests import (
    ANOVA_OF_RUNS,
    BY_GROUP,
    CONOVER,
    FRIEDMAN,
    PAIRED_T,
    RANDOMISATION,
    TUKEY_HSD,
    WILCOXON,
)

if TYPE_CHECKING:
    from .result import Comparison

SIDAK: Final = "Šidák"
WORK_OF: Final = {
    FRIEDMAN: "friedman1937",
    CONOVER: "conover1980",
    ANOVA_OF_RUNS: "fisher1925",
    TUKEY_HSD: "carterette2012",
    WILCOXON: "wilcoxon1945",
    RANDOMISATION: "fisher1935",
    BY_GROUP: "alexander1994",
}
"""The key of the work on each further test."""
ALL_PAIRS: Final = "between all pairs of runs"


def how_corrected(correction: Correction, comparisons: int | None, elsewhere: str = "") -> str:
    """The correction of p and of intervals, as the end of the sentence on the tests.

    `comparisons` are all that were made, and `elsewhere` tells which, if there are others than
    those of a family.
    """
    together = f"and the intervals of a family hold together ({SIDAK})"
    if not correction.is_corrected:
        return " without correction"
    if comparisons is None:
        return f" with {correction.name} in each family, {together}"
    made = f"{comparisons:,} comparisons by each measure{elsewhere}"
    return f" with {correction.name} for {made}, {together} for so many"


def on_tests(topics: str, unit: str, level: str, corrected: str) -> str:
    """The sentence on the test; `corrected` is its end."""
    over = f" over {topics}" if topics else ""
    return (
        f"Differences are tested by two-sided paired t-tests{over} at the level {level}"
        f"{corrected}; if fewer than {LEAST_TESTED_TOPICS} and fewer than half of the {unit}s "
        f"differ, the interval is that with two more {unit}s, at the ends of what is possible."
    )


def on_families(families: Sequence[str], measures: Sequence[Measure]) -> str:
    """The families of differences that are tested by each measure."""
    count = len(measures) * len(families)
    if count == 1:
        return f"One family was tested: {families[0]}."
    text = f"{count} families were tested: {listed(families, len(families))}"
    if len(measures) > 1:
        text += f", by each of {len(measures)} measures"
        text += f"; {measures[0]}, named first, is the primary one"
    return f"{text}."


def statistics_of(comparison: Comparison) -> list[str]:
    """The sentences on the tests and the intervals of a comparison."""
    if not comparison.outcomes:
        return []
    families = []
    for baseline in comparison.baselines:
        differences = counted(comparison.pairs, "difference")
        if comparison.pairs == 1:
            differences = "difference"
        families.append(f"the {differences} from {baseline}")
    if not families:
        families.append(f"the {counted(comparison.pairs, 'difference')} {ALL_PAIRS}")
    corrected = ""
    if comparison.family > 1:
        corrected = how_corrected(comparison.corrected, comparison.comparisons)
    topics = comparison.topics_in_words(comparison.measures)
    level = short(comparison.alpha)
    confidence = f"{100 * (1 - comparison.alpha):g} %"
    tests = [
        on_tests(topics, comparison.unit, level, corrected),
        on_families(families, comparison.measures),
    ]
    if not comparison.is_tested:
        tests = [not_tested(comparison)]
        if comparison.corrected.is_corrected:
            tests.append(f"The intervals of a family hold together ({SIDAK}).")
    sentences = [
        *tests,
        f"Intervals of differences are {confidence} intervals by Student's t.",
        *_on_means(comparison),
        *_on_groups(comparison),
        *_on_further_tests(comparison),
    ]
    caution = comparison.corrected.caution_at(comparison.alpha)
    return [*sentences, caution] if caution else sentences


def not_tested(comparison: Comparison) -> str:
    """The sentence that no difference was tested, with the reason."""
    topics = comparison.topics_in_words(comparison.measures)
    if comparison.topics < LEAST_TESTED_TOPICS:
        return f"No difference was tested, as there are only {topics}."
    return "No difference was tested."


def works_of_tests(comparison: Comparison) -> dict[str, str]:
    """The keys of the works that a paper cites for the tests, the correction and the intervals, by
    their names in `statistics_of`."""
    if not comparison.outcomes:
        return {}
    works = {"paired t-tests": "student1908"}
    corrected = comparison.corrected
    if comparison.family > 1 and corrected.is_corrected:
        works |= {corrected.name: corrected.work, SIDAK: "sidak1967"}
    made = dict.fromkeys(test.test for test in comparison.outcomes)
    return works | {name: WORK_OF[name] for name in made if name in WORK_OF}


def _on_means(comparison: Comparison) -> Iterator[str]:
    """The intervals of means, if they were asked for."""
    if comparison.mean_bounds is not None:
        level = f"{100 * comparison.mean_bounds.confidence:g} %"
        yield f"Intervals of means are {level} intervals by Student's t, each for itself."
        yield on_bounds(comparison.unit)


def _on_groups(comparison: Comparison) -> Iterator[str]:
    """That the tests were also made in groups of topics."""
    if comparison.groups:
        groups = counted(len(comparison.groups), "group")
        yield (
            f"The same tests were made in {groups} of {comparison.unit}s with at least "
            f"{LEAST_TESTED_TOPICS} {comparison.unit}s, with a correction for all of them."
        )


def _on_further_tests(comparison: Comparison) -> Iterator[str]:
    """The names of the other tests."""
    names = dict.fromkeys(test.test for test in comparison.outcomes if test.test != PAIRED_T)
    if names:
        yield f"Other tests that were made: {listed(names, len(names))}."
