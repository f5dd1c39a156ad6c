"""Families of pairs of runs: all runs against a baseline, or all pairs; and what is said about
their runs."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from ir_measures import Measure

from ...arguments import text
from ...core.registry.facts import range_of, sign_of
from ...errors import GradedError, did_you_mean
from ...evaluation.evaluation import NO_VALUE, Evaluation
from ...evaluation.level_notes import notes_on_err, notes_on_rel
from ...evaluation.order_of_runs import best_first
from ...output.formats import counted, listed
from ...output.remarks import merged
from ..statistics.options import as_list
from ..statistics.primary import Pairs

MOST_COMPARISONS: Final = 1_000_000_000
"""The confidence of one of more intervals that hold together is hardly told from 1."""
SAID_OTHERWISE: Final = ("topics", NO_VALUE, "unjudged")
"""The kinds of remarks that `Evaluation.lacking` and `Unjudged.sentence` say in a sentence."""

BEST: Final = "best"
"""The baseline that is the best run by the first measure."""
NAME_A_BASELINE: Final = "compare with a baseline (--baseline RUN, baseline='RUN'), or "
MOST_DIFFERENCES: Final = 250_000
"""All pairs of 700 runs by one measure. More take minutes and gigabytes, and nobody reads them."""


def refuse_few(count: int, what: str) -> None:
    """Raise `GradedError` for fewer than 2 runs or topics."""
    if count < 2:
        raise GradedError(f"a comparison needs at least 2 {what}s, not {count}")


def refuse_few_topics(evaluation: Evaluation) -> None:
    """Raise `GradedError` for fewer than 2 runs, or fewer than 2 topics with a value of every
    run."""
    refuse_few(len(evaluation.runs), "run")
    refuse_few(len(evaluation.topics), evaluation.unit)
    for measure in evaluation.measures:
        topics = len(evaluation.paired_topics(measure))
        if topics < 2:
            what = "for which every run has a value"
            if evaluation.weights is not None:
                what += " and whose weight is above 0"
            raise GradedError(
                f"a comparison needs at least 2 {evaluation.unit}s {what}; {measure} has {topics}"
            )


def refuse_many_pairs(runs: int, measures: int, remedy: str = "") -> None:
    """Raise `GradedError` for more than `MOST_DIFFERENCES` differences of all pairs of runs.

    `remedy` is what else to do than to give fewer runs.

    >>> refuse_many_pairs(1500, 1)
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: 1,500 runs have 1,124,250 differences by 1 measure, and \
at most 250,000 are tested; give fewer runs or measures
    """
    differences = runs * (runs - 1) // 2 * measures
    if differences > MOST_DIFFERENCES:
        raise GradedError(
            f"{runs:,} runs have {differences:,} differences by {counted(measures, 'measure')}, "
            f"and at most {MOST_DIFFERENCES:,} are tested; {remedy}give fewer runs or measures"
        )


def pairs_in_family(runs: int, baselines: Sequence[str]) -> int:
    """The number of pairs of so many runs in the family, or in that of each baseline.

    >>> pairs_in_family(5, []), pairs_in_family(5, ["A", "B"])
    (10, 4)
    """
    if baselines:
        return runs - 1
    return runs * (runs - 1) // 2


def pairs_in_all(runs: int, baselines: Sequence[str]) -> int:
    """The number of pairs of so many runs in all families, each once.

    >>> pairs_in_all(5, []), pairs_in_all(5, ["A"]), pairs_in_all(5, ["A", "B"])
    (10, 4, 7)
    """
    if not baselines:
        return pairs_in_family(runs, baselines)
    return sum(runs - number for number in range(1, len(baselines) + 1))


def refuse_few_comparisons(comparisons: int | None, tested: int) -> None:
    """Raise `GradedError` for a number of all `comparisons` that is below those that are tested."""
    if comparisons is not None and comparisons < tested:
        raise GradedError(
            f"comparisons={comparisons} is not allowed: {tested:,} differences by a measure are "
            f"tested here; give the number of all comparisons by a measure, {tested:,} or more"
        )


def baseline_of(runs: Sequence[str], baseline: str | None) -> str | None:
    """The baseline or, without any, the first of two runs.

    Raises `GradedError` for an unknown baseline, and for several.
    """
    if baseline is None:
        if len(runs) == 2:
            return runs[0]
        return None
    if text("baseline", baseline) not in runs:
        hint = did_you_mean(baseline, runs)
        raise GradedError(
            f"the baseline {baseline!r} is not among the runs {listed(runs, most=10)}{hint}"
        )
    return baseline


def baselines_of(runs: Sequence[str], baseline: str | Iterable[str] | None) -> tuple[str, ...]:
    """The baselines. Without any, it is the first of two runs, and none of more.

    Raises `GradedError` for an unknown baseline, and for one that is named twice.
    """
    asked: list[str | None] = [None]
    if baseline is not None:
        asked = as_list(baseline)
    baselines = [baseline_of(runs, name) for name in asked]
    for number, name in enumerate(baselines):
        if name in baselines[:number]:
            raise GradedError(f"the baseline {name!r} is named twice; name each baseline once")
    return tuple(name for name in baselines if name is not None)


def names_best(runs: Sequence[str], baseline: str | Iterable[str] | None) -> bool:
    """Whether the best run is asked for as a baseline; a run of this name is itself."""
    return baseline is not None and BEST in as_list(baseline) and BEST not in runs


def best_run(evaluation: Evaluation) -> str:
    """The best run by the first measure, the first one if several have the best mean."""
    measure = evaluation.measures[0]
    means = sign_of(measure) * evaluation.paired_means(measure)
    return evaluation.runs[best_first(means, evaluation.runs)[0]]


def family_of(runs: Sequence[str], baseline: str | None, order: Iterable[int]) -> Pairs:
    """The numbers of each run and the baseline or, without one, of all pairs of runs in this
    order."""
    if baseline is None:
        return list(combinations(order, 2))
    base = runs.index(baseline)
    return [(run, base) for run in range(len(runs)) if run != base]


def families_of(runs: Sequence[str], baselines: Sequence[str], order: Sequence[int]) -> list[Pairs]:
    """The family of each baseline; without any, the one of all pairs of runs in this order."""
    if not baselines:
        return [family_of(runs, None, order)]
    return [family_of(runs, baseline, order) for baseline in baselines]


def width_of(measure: Measure) -> float:
    """The width of the range of the measure; infinite if it is not known."""
    low, high = range_of(measure)
    return high - low


def notes_on(evaluation: Evaluation) -> list[str]:
    """The level from which documents are relevant, and the `remarks_on` runs and measures."""
    return [*notes_on_rel(evaluation.measures, evaluation.levels), *remarks_on(evaluation)]


def remarks_on(evaluation: Evaluation) -> list[str]:
    """A sentence on each unusual property of the runs and measures, which every output shows."""
    others = [remark for remark in evaluation.remarks if remark.kind not in SAID_OTHERWISE]
    sentences = list(evaluation.lacking)
    sentences += notes_on_err(evaluation.measures, evaluation.levels)
    sentences += [f"{remark}." for remark in merged(others)]
    if evaluation.unjudged is not None and evaluation.unjudged.shares:
        sentences.append(evaluation.unjudged.sentence())
    return sentences


def shares_of(evaluation: Evaluation) -> Mapping[str, float]:
    """The share of unjudged documents of each run, as far as it is known."""
    if evaluation.unjudged is None:
        return {}
    return evaluation.unjudged.shares
