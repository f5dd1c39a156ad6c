"""The tables of a comparison that people read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ir_measures import Measure

from ...output.formats import counted, known
from ...output.tables import Table
from ..statistics.defaults import stars
from .fields import OF_ALL_RUNS, Field, fields_shown
from .mean_bounds import MeanBounds
from .paper import letters
from .tests import BY_GROUP, TUKEY_HSD, Test

if TYPE_CHECKING:
    from .result import Comparison

NEXT_RUNS: Final = 10
"""Of many pairs, people read those of the best run and so many runs after it."""


def tables_of(comparison: Comparison) -> Iterator[Table]:
    """The tables of the primary procedure, then one of each further test, and those of groups."""
    yield from differences(comparison, comparison.primary)
    if comparison.mean_bounds is not None:
        yield means(comparison, comparison.mean_bounds)
    if comparison.repeats:
        yield repeats(comparison)
    of_all_runs = [test for test in comparison.outcomes if test.run is None]
    if of_all_runs:
        records = [vars(test) | {"measure": str(test.measure)} for test in of_all_runs]
        yield Table.of(OF_ALL_RUNS, records, "Tests of all runs")
    of_pairs = [test.test for test in comparison.outcomes if test.run is not None]
    for name in dict.fromkeys(of_pairs):
        title = f"{name}{_correction_of(comparison, name)}"
        if name == BY_GROUP:
            yield by_pair(comparison, name, f"Does the difference depend on the group? {title}")
        elif name != comparison.primary:
            yield _further(comparison, name, title)
    for name, compared in comparison.groups.items():
        group = f"{name} ({counted(compared.topics, compared.unit)})"
        for table in tables_of(compared):
            title = group
            if table.title:
                title = f"{group}: {table.title}"
            yield replace(table, title=title)


def differences(comparison: Comparison, test: str, title: str = "") -> Iterator[Table]:
    """The differences by a test: a table for each baseline, or one of all pairs.

    Of more than 15 pairs, there are only those of the best run and the ten runs after it.
    """
    for baseline in comparison.baselines:
        name = title
        if len(comparison.baselines) > 1:
            name = f"{title}: against {baseline}" if title else f"Against {baseline}"
        yield _against_baseline(comparison, test, baseline, name)
    if comparison.shows_best_only:
        yield best_against_next(comparison, test, title)
    elif not comparison.baselines:
        yield by_pair(comparison, test, title)


def _further(comparison: Comparison, test: str, title: str) -> Table:
    """A row per pair; of many, only those of the best run."""
    if comparison.shows_best_only:
        chosen = [
            tested
            for measure in comparison.measures
            for tested in _of_best(comparison, measure, test)
        ]
        return table_of_tests(chosen, test, f"{title}: the best run")
    return by_pair(comparison, test, title)


def by_pair(comparison: Comparison, test: str, title: str = "") -> Table:
    """A row per measure and pair with the numbers of a test."""
    tests = [tested for measure in comparison.measures for tested in comparison.find(measure, test)]
    return table_of_tests(tests, test, title)


def table_of_tests(tests: Iterable[Test], test: str, title: str = "") -> Table:
    """A row per test of this name with the numbers that people read."""
    fields = fields_shown(test)
    rows = []
    for tested in tests:
        names = [str(tested.measure), tested.run, tested.other]
        rows.append([*names, *_numbers(tested, fields)])
    headings = [field.heading for field in fields]
    return Table(["measure", "run", "other", *headings], rows, title)


def open_pairs(comparison: Comparison) -> Iterator[Table]:
    """The pairs that the tests cannot tell apart, over all topics and in each group of them."""
    tests = [test for measure in comparison.measures for test in comparison.open_pairs(measure)]
    yield table_of_tests(tests, comparison.primary)
    for name, group in comparison.groups.items():
        title = f"{name} ({counted(group.topics, group.unit)})"
        yield from (replace(table, title=title) for table in open_pairs(group))


def _numbers(test: Test, fields: Sequence[Field]) -> list[Any]:
    return [getattr(test, field.name) for field in fields]


def _against_baseline(comparison: Comparison, test: str, baseline: str, title: str) -> Table:
    """The difference of each run from the baseline, best run first."""
    fields = fields_shown(test)
    cells = {}
    for measure in comparison.measures:
        numbers = {run: _empty(fields) for run in comparison.runs}
        numbers[baseline] = _empty(fields, "baseline")
        for tested in comparison.find(measure, test):
            if tested.other == baseline:
                numbers[str(tested.run)] = _numbers(tested, fields)
        for run in comparison.best_first(measure):
            cells[measure, run] = [comparison.mean(measure, run), *numbers[run]]
    return by_run(["mean", *(field.heading for field in fields)], cells, title)


def best_against_next(comparison: Comparison, test: str, title: str = "") -> Table:
    """The best run by each measure, and the differences of the ten runs after it from the best."""
    fields = fields_shown(test)
    cells = {}
    for measure in comparison.measures:
        best = comparison.best_first(measure)[0]
        cells[measure, best] = [comparison.mean(measure, best), *_empty(fields, "best run")]
        for tested in _of_best(comparison, measure, test):
            numbers = _numbers(tested, fields)
            cells[measure, str(tested.run)] = [comparison.mean(measure, tested.run), *numbers]
    return by_run(["mean", *(field.heading for field in fields)], cells, title)


def _empty(fields: Sequence[Field], label: str | None = None) -> list[Any]:
    """The cells of a run without a difference."""
    return [label] + [None] * (len(fields) - 1)


def _of_best(comparison: Comparison, measure: Measure, test: str) -> list[Test]:
    """The tests of the ten runs after the best run against it."""
    best, *others = comparison.best_first(measure)
    against = {}
    for tested in comparison.find(measure, test):
        if tested.run == best:
            tested = tested.turned()
        if tested.other == best:
            against[tested.run] = tested
    return [against[run] for run in others[:NEXT_RUNS] if run in against]


def shown_pairs(comparison: Comparison, measure: Measure) -> list[Test]:
    """The tests of the primary procedure that people read: all, or of more than 15 pairs without a
    baseline those of the best run."""
    if comparison.shows_best_only:
        return _of_best(comparison, measure, comparison.primary)
    return comparison.find(measure, comparison.primary)


def means(comparison: Comparison, mean_bounds: MeanBounds) -> Table:
    """The mean of each run with its interval, the best run first."""
    rows = []
    for column, measure in enumerate(comparison.measures):
        order = comparison.best_first(measure)
        bounds = mean_bounds.of(tuple(order))[..., column]
        for run, lower, upper in zip(order, *map(known, bounds), strict=True):
            rows.append([str(measure), run, comparison.mean(measure, run), lower, upper])
    return Table(["measure", "run", "mean", "lower", "upper"], rows, mean_bounds.title)


def repeats(comparison: Comparison) -> Table:
    """The systems with several repeats: the mean, and the spread of the means of its repeats."""
    rows = []
    for measure in comparison.measures:
        for run in comparison.best_first(measure):
            if run in comparison.repeats:
                spread = comparison.spread(measure, run)
                rows.append([str(measure), run, comparison.mean(measure, run), *spread])
    return Table(["measure", "run", "mean", "repeats", "SD", "lowest", "highest"], rows, "Repeats")


def by_run(
    columns: Sequence[str],
    cells: Mapping[tuple[Measure, str], Sequence[Any]],
    title: str = "",
    letter_of: Mapping[str, str] | None = None,
) -> Table:
    """A row per measure and run with its `cells`, in their order; `letter_of` has letters of
    runs."""
    rows = []
    for (measure, run), numbers in cells.items():
        label = [run] if letter_of is None else [letter_of[run], run]
        rows.append([str(measure), *label, *numbers])
    names = ["run"] if letter_of is None else ["letter", "run"]
    return Table(["measure", *names, *columns], rows, title)


def letters_of(runs: Sequence[str]) -> dict[str, str]:
    """The letter of each run."""
    return {run: letters(number) for number, run in enumerate(runs)}


def beaten(comparison: Comparison, measure: Measure) -> dict[str, str]:
    """The letters of the runs that each run beats, grouped by stars."""
    number_of = {run: number for number, run in enumerate(comparison.runs)}
    losers_of: dict[str, dict[str, list[int]]] = {run: defaultdict(list) for run in comparison.runs}
    for (winner, loser), p in comparison.wins(measure).items():
        losers_of[winner][stars(p)].append(number_of[loser])
    cells = {}
    for run, by_stars in losers_of.items():
        most_stars_first = sorted(by_stars.items(), reverse=True)
        named = [
            f"{', '.join(map(letters, sorted(losers)))}{mark}" for mark, losers in most_stars_first
        ]
        cells[run] = "; ".join(named)
    return cells


def _correction_of(comparison: Comparison, test: str) -> str:
    """The correction of the p-values of a further test, as the end of the title of its table.

    A single comparison needs none.
    """
    if test == TUKEY_HSD and comparison.pairs > 1:
        return ", corrected for all pairs"
    if test == TUKEY_HSD or comparison.family == 1:
        return ""
    if not comparison.corrected.is_corrected:
        return ", uncorrected"
    return f", {comparison.corrected.name} for {comparison.family_in_words('comparison')}"
