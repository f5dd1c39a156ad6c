"""Whether judgments of unjudged documents could turn the sign of a difference, and another order of
tied documents its sign or significance."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...evaluation.evaluation import Evaluation
from ...evaluation.named import Run, Study
from ...evaluation.order_of_rows import tied_documents
from ...evaluation.order_of_runs import best_first
from ...evaluation.weights import MeansOverTopics
from ...output.formats import p_of
from ..ranges import differences_over_judgments, values_over_ties
from ..statistics.precision import noise_of, unit_of
from ..statistics.primary import paired
from .families import families_of
from .tests import Test

if TYPE_CHECKING:
    from .result import Comparison

MOST_BYTES_KEPT: Final = 250_000_000
"""The ranges need all documents of the runs in memory. Larger files of runs are read by blocks."""
COMPRESSION: Final = 5
"""A compressed file has about so many times as many bytes when it is read."""
COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zst", ".zstd", ".parquet", ".arrow", ".feather")


def fit_into_memory(runs: Any) -> bool:
    """Whether the documents of all runs may be held in memory; runs that are in memory count
    nothing."""
    if runs is None:
        return False
    items = runs
    if isinstance(runs, Mapping):
        items = runs.values()
    elif isinstance(runs, (str, os.PathLike)):
        items = [runs]
    elif not isinstance(runs, (list, tuple)):
        return False
    return sum(map(_bytes_of, items)) <= MOST_BYTES_KEPT


def _bytes_of(run: Any) -> float:
    """The size of the file of a run; infinite if it is not known before the file is read."""
    if isinstance(run, tuple):  # a name and its run
        run = run[-1]
    if isinstance(run, Run):
        run = run.source
    file = getattr(run, "file", run)
    if not isinstance(file, (str, os.PathLike)):
        return 0 if file is run else np.inf
    path = os.fspath(file)
    if not os.path.isfile(path):
        return np.inf
    size = os.path.getsize(path)
    if path.endswith(COMPRESSED):
        size *= COMPRESSION
    return size


def may_turn(measure: Measure, run: Run, other: Run, difference: float) -> bool | None:
    """Whether some judgments turn the sign of a difference of means, or make it 0.

    None if the measure has no ranges, and for averages over all ranks, whose ranges take minutes.
    """
    if measure.params.get("avg"):
        return None
    ends = differences_over_judgments(measure, run, other)
    if ends is None:
        return None
    low, high = MeansOverTopics(measure, run.judgments).mean(ends)
    if difference > 0:
        return bool(low <= 0)
    return bool(high >= 0)


class ValuesOverTies:
    """What the tests of a comparison share if tied documents can have another order.

    The extreme values of each run, and the families of the tests, are computed once.
    """

    def __init__(self) -> None:
        self._ends: dict[tuple[Measure, str], np.ndarray | None] = {}
        self._has_ties: dict[tuple[Measure, str], bool] = {}
        self._families: dict[tuple[Measure, str], FamilyOverTies] = {}

    def may_differ(self, measure: Measure, run: Run) -> bool:
        """Whether documents of different levels are tied in the run."""
        key = measure, run.name
        if key not in self._has_ties:
            self._has_ties[key] = bool(tied_documents(run.ranks, measure.params.get("cutoff")))
        return self._has_ties[key]

    def ends(self, measure: Measure, run: Run) -> np.ndarray | None:
        """The lowest and the highest value of each topic (2 × T); None for a measure without such
        values."""
        key = measure, run.name
        if key not in self._ends:
            self._ends[key] = values_over_ties(measure, run)
        return self._ends[key]

    def family(self, comparison: Comparison, test: Test, evaluation: Evaluation) -> FamilyOverTies:
        """The family of a test: the differences from its baseline, or those of all pairs."""
        baselines: list[str] = []
        if comparison.baselines:
            baselines = [str(test.other)]
        key = test.measure, "".join(baselines)
        if key not in self._families:
            self._families[key] = FamilyOverTies(comparison, test.measure, baselines, evaluation)
        return self._families[key]


class FamilyOverTies:
    """The family of the differences by a measure, in which two runs can have other values."""

    def __init__(
        self,
        comparison: Comparison,
        measure: Measure,
        baselines: Sequence[str],
        evaluation: Evaluation,
    ):
        self.values = evaluation.paired(measure)
        self._runs = evaluation.runs
        means = evaluation.paired_means(measure)
        order = best_first(sign_of(measure) * means, self._runs)
        (self._pairs,) = families_of(self._runs, baselines, order)
        self._correction = comparison.corrected
        self._size = comparison.comparisons or len(self._pairs)

    @cached_property
    def _p(self) -> np.ndarray:
        """The p-values of the family, as they were tested."""
        return paired(self.values, self._pairs).p

    def is_opposite(self, difference: float, other: float) -> bool:
        """Whether two differences of means have opposite signs; rounding errors have none."""
        noise = noise_of(self.values)
        return difference * other < 0 and min(abs(difference), abs(other)) > noise

    def may_turn(
        self,
        test: Test,
        difference: float,
        outcomes: Sequence[tuple[np.ndarray, np.ndarray]],
        alpha: float,
    ) -> bool:
        """Whether one of these values of both runs may turn the sign of a difference or its
        significance, as its p-values without a correction tell.

        A correction makes p no smaller, and at most so many times as large as there are differences
        in the family.
        """
        pairs = [(2 * number, 2 * number + 1) for number in range(len(outcomes))]
        alone = paired(np.concatenate(outcomes), pairs)
        if (alone.difference * difference < 0).any():
            return True
        if test.significant:
            return bool((alone.p * self._size >= alpha).any())
        return bool((alone.p < alpha).any())

    def outcome(self, test: Test, run: np.ndarray, other: np.ndarray) -> tuple[float, float]:
        """The difference and the corrected p-value of a test, if both of its runs have other values
        in the topics.

        The p-values of all other pairs with one of these runs change, too.
        """
        pair = self._runs.index(str(test.run)), self._runs.index(str(test.other))
        values = self.values.copy()
        values[pair, :] = run, other
        changed: list[int] = []
        for number, members in enumerate(self._pairs):
            if not set(pair).isdisjoint(members):
                changed.append(number)
        tested = paired(values, [self._pairs[number] for number in changed])
        p_values = self._p.copy()
        p_values[changed] = tested.p
        adjusted = self._correction.adjust(p_values, self._size)
        number = self._pairs.index(pair)
        difference = tested.difference[changed.index(number)]
        return float(difference), float(adjusted[number])


def ties_turn(
    comparison: Comparison, test: Test, run: Run, other: Run, over_ties: ValuesOverTies
) -> dict[str, Any]:
    """The fields of a test about whether another order of tied documents turns the sign or the
    significance of its difference.

    Each topic can have its lowest or its highest difference. The choices with the least and the
    largest t and mean are tested, see `choices_of`. The other runs of the family keep their order.
    False if none of them turns the test, and if no documents of different levels are tied. None if
    the measure has no ranges, and if topics have weights or are left out.
    """
    measure = test.measure
    evaluation = comparison.by_topic
    is_plain = run.judgments.counting.is_plain and not measure.params.get("avg")
    if evaluation is None or not is_plain or test.adjusted is None:
        return {"ties_turn": None}
    if not over_ties.may_differ(measure, run) and not over_ties.may_differ(measure, other):
        return {"ties_turn": False}
    ends = over_ties.ends(measure, run)
    ends_of_other = over_ties.ends(measure, other)
    family = over_ties.family(comparison, test, evaluation)
    if ends is None or ends_of_other is None or ends.shape[1] != family.values.shape[1]:
        return {"ties_turn": None}
    mean = test.difference or 0.0
    is_low = np.array(choices_of(ends[0] - ends_of_other[1], ends[1] - ends_of_other[0]))
    values_of_run = np.where(is_low, ends[0], ends[1])
    values_of_other = np.where(is_low, ends_of_other[1], ends_of_other[0])
    outcomes = list(zip(values_of_run, values_of_other, strict=True))
    if not family.may_turn(test, mean, outcomes, comparison.alpha):
        return {"ties_turn": False}
    p_values = [float(test.adjusted)]
    is_turned = False
    for values_of_both in outcomes:
        difference, p = family.outcome(test, *values_of_both)
        is_turned |= family.is_opposite(difference, mean)
        is_turned |= (p < comparison.alpha) != test.significant
        p_values.append(p)
    if not is_turned:
        return {"ties_turn": False}
    return {
        "ties_turn": True,
        "p_over_ties": f"{p_of(min(p_values))} to {p_of(max(p_values)).removeprefix('p = ')}",
        "only_sign_turns": min(p_values) >= comparison.alpha,
    }


def choices_of(low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Whether each topic has its lowest difference and not its highest one (T), for all lowest, all
    highest, and the least, the largest and the smallest t of either sign.

    The topics are sorted by the middle of both differences and divided in two at each place: the
    first ones have their lowest difference and the others their highest, which spreads them, or the
    reverse, which makes them alike.

    >>> low, high = np.array([0.0, 0.25, 0.5]), np.array([1.0, 0.5, 0.75])
    >>> [choice.tolist() for choice in choices_of(low, high)][-1]
    [True, True, False]
    """
    order = np.argsort(low + high, kind="stable")
    unit = unit_of(np.concatenate([low, high]))  # squares of huge values would leave the floats
    topics = order.size
    choices = [np.ones(topics, bool), np.zeros(topics, bool)]
    for is_low_first in (True, False):
        first, last = (low, high) if is_low_first else (high, low)
        t = _t_of_divisions(first[order] / unit, last[order] / unit)
        for place in (np.argmin(t), np.argmax(t), np.argmin(np.abs(t))):
            choice = np.full(topics, not is_low_first)
            choice[order[:place]] = is_low_first
            choices.append(choice)
    return list({choice.tobytes(): choice for choice in choices}.values())


def _t_of_divisions(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """A number that rises with Student's t (T + 1), if the first 0, 1, … T topics have the first of
    two differences, and all others the last."""
    total = _sums_of_divisions(first, last)
    squares = _sums_of_divisions(first**2, last**2)
    spread = squares - total**2 / first.size
    least = np.finfo(float).eps * max(float(squares.max()), np.finfo(float).tiny)
    return total / np.sqrt(np.maximum(spread, least))


def _sums_of_divisions(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The sums (T + 1) of the first 0, 1, … T numbers of `first` and all others of `last`."""
    sums = np.concatenate(([0.0], np.cumsum(first - last)))
    return last.sum() + sums


def runs_by_name(study: Study | None) -> dict[str, Run]:
    """The runs of a study whose differences have ranges over judgments; none of sessions."""
    if study is None or study.judgments.sessions is not None:
        return {}
    return {run.name: run for run in study.runs}
