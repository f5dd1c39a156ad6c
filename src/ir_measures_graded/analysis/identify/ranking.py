"""The definitions that fit, or else the nearest, in the order of their likelihood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from ...core.registry.everyday import WORDS
from .case import Case
from .dimensions import (
    ALL_RANKS,
    EVERYDAY_CUTOFFS,
    FIRST_K,
    LINEAR_GAIN,
    QRELS_TOPICS,
    UNCUT,
    Definition,
    Space,
)
from .scoring import values_at
from .search import Search
from .tools import IS_HERE, IS_MEASURE_STRING, IS_OF_RANKERS, WAS_RUN, costs

EVERYDAY = {word.measure for word in WORDS.values()}
"""The measures that people name in everyday words."""
USUAL_IDEALS = (FIRST_K.text, UNCUT.text)
SAME_FINGERPRINT = 2e-8
"""Fingerprints that differ by less are of the same values."""


class RankedDefinitions:
    """The definitions that fit, or else the nearest, the likeliest first, and which of them differ.

    `matches` are the definitions, and `costs` their departures from tools. `groups` has the numbers
    of those with the same values on all runs. Those of the measure that the user names come first
    if they fit, and `names_measure` tells whether they do. A mean that only rare definitions have
    is not found, unless it is that of the measure named, or `rare` ones count.
    """

    def __init__(self, case: Case, search: Search, rare: bool = False):
        self.search = search
        candidates = search.fitting
        fingerprints = [search.kept[definition].fingerprint for definition in candidates]
        has_named_values = _is_any_of(fingerprints, fingerprints_of_named(case, search.space))
        self.names_measure = bool(has_named_values.any())
        self.is_found = bool(candidates)
        if candidates and case.by_mean and not self.names_measure and not rare:
            self.is_found = not costs(candidates).min()
        if not self.is_found and search.nearest(1):
            candidates = search.nearest(1)
            fingerprints = [search.kept[definition].fingerprint for definition in candidates]
            has_named_values = np.zeros(len(candidates), dtype=bool)
        departures = costs(candidates)
        order = likeliest_first(
            search.space, candidates, departures, fingerprints, case.has_predictions
        )
        order.sort(key=lambda number: not has_named_values[number])
        self.matches = [candidates[number] for number in order]
        self.costs = departures[order]
        alike = defaultdict[float, list[int]](list)
        for number, definition in enumerate(self.matches):
            alike[search.kept[definition].fingerprint].append(number)
        self.groups = list(alike.values())

    @property
    def chosen(self) -> Definition:
        """The likeliest definition."""
        return self.matches[0]

    @property
    def departures(self) -> int:
        """The departures of the likeliest definition from the nearest tool."""
        return int(self.costs[0].min())

    @cached_property
    def usual(self) -> list[list[int]]:
        """The groups with a definition of a tool, of a founding paper or of a measure string at its
        defaults, and that of the measure that the user names, if one is found."""
        if not self.is_found:
            return []
        is_at_defaults = (self.costs[:, IS_MEASURE_STRING] == 0).any(axis=1)
        is_at_defaults &= ~_is_contrived(self.matches)
        is_usual = (self.costs[:, ~IS_HERE] == 0).any(axis=1) | is_at_defaults
        groups = [group for group in self.groups if is_usual[group].any()]
        if self.names_measure and self.groups[0] not in groups[:1]:
            return [self.groups[0], *groups]
        return groups

    @property
    def is_known(self) -> bool:
        """Whether a definition that fits is a tool's or a founding paper's, or the measure that the
        user names."""
        return self.names_measure or not self.costs[:, ~IS_HERE].min()

    @cached_property
    def different(self) -> int:
        """The number of definitions with different values that fit."""
        kept = self.search.kept
        fingerprints = {kept[definition].fingerprint for definition in self.search.fitting}
        return len(fingerprints)

    @property
    def rarer(self) -> int:
        """The number of definitions with different values that fit, and are not among the
        answers."""
        answers = max(len(self.usual), 1) if self.is_found else 0
        return self.different - answers


def fingerprints_of_named(case: Case, space: Space) -> list[float]:
    """The fingerprints of the measure that the user names, shown in each way."""
    if case.named is None:
        return []
    values = values_at(case.named, case.rows.ranks)[:, None, None]
    averaged = [QRELS_TOPICS.text] if case.by_mean else [""]
    prints = case.compared(values, list(space["shown"]), averaged).prints
    return np.unique(prints[~np.isnan(prints)]).tolist()


def _is_any_of(fingerprints: Sequence[float], wanted: Sequence[float]) -> np.ndarray:
    """Whether each fingerprint, which is rounded to 8 decimals, is one of those wanted."""
    distances = np.abs(np.subtract.outer(np.asarray(fingerprints), np.asarray(wanted)))
    return np.asarray((distances < SAME_FINGERPRINT).any(axis=1))


def likeliest_first(
    space: Space,
    candidates: Sequence[Definition],
    departures: np.ndarray,
    fingerprints: Sequence[float],
    of_predictions: bool = False,
) -> list[int]:
    """The order of definitions.

    Few departures come first, then everyday measures of tools, then their other ones, then those of
    libraries for learning to rank if the run has the predictions of one (`of_predictions`), then
    values that a tool gives that was run, then what is usual, then everyday cutoffs without
    parameters, then names without further words, then what most tools compute, then usual measures
    and cutoffs, then the first tool of the table, where much-used ones stand first.
    """
    position = {}
    for name in Definition._fields:
        texts = [getattr(definition, name) for definition in candidates]
        position[name] = _positions(space[name], texts)
    is_computed = departures[:, ~IS_HERE] == 0
    tool_count = np.count_nonzero(is_computed, axis=1)
    first_tool = is_computed.argmax(axis=1)
    by_tool_run = (departures[:, WAS_RUN] == 0).any(axis=1)
    values_of_tools_run = np.asarray(fingerprints)[by_tool_run]
    is_only_read = ~np.isin(fingerprints, values_of_tools_run)
    conventions = [position[name] for name in Definition._fields[2:]]
    parameters = np.array([definition.measure.count("=") for definition in candidates])
    has_rare_cutoff = position["cutoff"] > 1  # the first two are the usual ones
    cutoffs = [definition.cutoff for definition in candidates]
    has_odd_cutoff = ~np.isin(cutoffs, EVERYDAY_CUTOFFS)
    is_whole = np.array([_is_whole(definition) for definition in candidates])
    unusual = parameters + np.count_nonzero(conventions, axis=0)
    unusual += has_rare_cutoff.astype(int)
    unusual -= is_whole.astype(int)
    is_everyday = np.array([_is_everyday(definition) for definition in candidates])
    is_everyday &= (unusual <= 1) & (tool_count > 0) & ~has_odd_cutoff
    is_contrived = _is_contrived(candidates)
    # `lexsort` takes the most important key last.
    measure, cutoff, *others = position.values()
    keys = list(reversed(others))
    keys += [
        first_tool,
        cutoff,
        measure,
        -tool_count,
        is_contrived,
        has_odd_cutoff | (parameters > 0),
        unusual,
        is_only_read,
        of_predictions & ~(departures[:, IS_OF_RANKERS] == 0).any(axis=1),
        tool_count == 0,
        ~is_everyday,
        departures.min(axis=1),
    ]
    return np.lexsort(keys).tolist()


def _is_contrived(definitions: Sequence[Definition]) -> np.ndarray:
    """Whether the name of each measure has further words."""
    return np.array([" " in definition.measure for definition in definitions])


def _is_everyday(definition: Definition) -> bool:
    """Whether the measure has an everyday name and its usual gains and ideal list."""
    if definition.measure not in EVERYDAY:
        return False
    return definition.gain in ("", LINEAR_GAIN.text) and definition.ideal in ("", *USUAL_IDEALS)


def _is_whole(definition: Definition) -> bool:
    """Whether there is no cutoff; the ideal list that is not cut is then the usual one."""
    return definition.cutoff == ALL_RANKS and definition.ideal == UNCUT.text


def _positions(ways: Iterable[str], column: Iterable[str]) -> np.ndarray:
    """The position of each text among the ways of its dimension; 0 if it is none of them."""
    position = {text: number for number, text in enumerate(ways)}
    return np.array([position.get(text, 0) for text in column])
