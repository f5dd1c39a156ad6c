"""What definitions are called: in words, by the tools that compute them, and as a measure string of
this package or of ir-measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.ranking.ranks import JudgedRanks
from ...core.reduction import reduced
from ...core.registry.facts import ONE, SKIP, ZERO, has_relevant
from ...evaluation.order_of_rows import GIVEN, in_order_given
from ...output.formats import counted, listed
from .case import Case
from .dimensions import (
    ALL_RANKS,
    DCG,
    EVERY,
    FIRST_K,
    GIVEN_DOCUMENTS,
    JUDGED_ONLY,
    LABELS,
    LINEAR_GAIN,
    NDCG,
    QRELS_TOPICS,
    RETRIEVED_ONLY,
    ROUNDED,
    SHOWN,
    TREC_EVAL_ORDER,
    UNCUT,
    UNDISCOUNTED,
    Definition,
    Space,
)
from .formulas import family
from .ranking import RankedDefinitions
from .scoring import Tried, values_at, values_of
from .search import SAME
from .strings import MeasureStrings
from .tools import (
    FAR,
    IS_HERE,
    IS_PAPER,
    IS_PLAIN_STRING,
    IS_TOOL,
    TOOLS,
    costs,
    departs,
    is_of_rankers,
)

CONVENTIONS = Definition._fields[2:]
FIELDS_OF_TIES = ("order", "precision")
MOST_EQUAL = 5  # the number of equal measure strings that are named
# What a measure string does not tell.
CONVENTIONS_OF_MEANS = ("averaged", "shown")
USUAL_WAYS = (LINEAR_GAIN, FIRST_K, EVERY, QRELS_TOPICS, ROUNDED)
USUAL = {"", "log2(r + 1)", "0", *(way.text for way in USUAL_WAYS)}


def described(definition: Definition, name: str = "", notes: Sequence[str] = ()) -> str:
    """A definition in words, without what is usual; `name` is the measure string that is equal.

    The `notes` stand before what is unusual.

    >>> described(Definition("nDCG", "10", "level"))
    'nDCG@10'
    >>> described(Definition("nDCG", "10", "2^level − 1"))
    'nDCG@10 (gain: 2^level − 1)'
    """
    cutoff = ""
    if definition.cutoff not in ("", ALL_RANKS):
        separator = ", cutoff " if " " in definition.measure else "@"
        cutoff = f"{separator}{definition.cutoff}"
    usual = USUAL
    if not cutoff:
        usual = usual | {UNCUT.text}
    if not cutoff or family(definition.measure) != "RR":
        usual = usual | {*TREC_EVAL_ORDER}
    fields = CONVENTIONS_OF_MEANS if name else CONVENTIONS
    texts = {field: getattr(definition, field) for field in fields}
    unusual = [f"{LABELS[field]}: {text}" for field, text in texts.items() if text not in usual]
    subject = name or definition.measure + cutoff
    in_brackets = [*notes, *unusual]
    if not in_brackets:
        return subject
    return f"{subject} ({'; '.join(in_brackets)})"


@dataclass(frozen=True)
class Ours:
    """The measure string nearest to some definitions, how it differs, and whether it gives their
    values; if it does so with options of `evaluate`, these as in a command. `definition` is that of
    the string."""

    measure: Measure | None
    difference: str
    is_equal: bool
    options: str = ""
    definition: Definition | None = None


NO_MEASURE = Ours(None, "", False)


class Line(NamedTuple):
    """The name of definitions, and the whole text, which also has the measure strings with equal
    values and the tools; and the numbers of the `first` matches with the same values."""

    name: str
    text: str
    first: Sequence[int]


@dataclass(frozen=True)
class ToolThatFits:
    """A tool with the metric and the version that compute a definition, and the `condition` on the
    documents that it is given; empty if the name of the definition tells which."""

    metric: str
    names: str
    condition: str = ""

    def __str__(self) -> str:
        return f"{self.metric}, {self.condition}" if self.condition else self.metric


def names_of_tools(tools: Iterable[ToolThatFits]) -> list[str]:
    """The names of tools, each once; a row of the table may have several."""
    return list(dict.fromkeys(name for tool in tools for name in tool.names.split(", ")))


def _first_with_one_condition(tools: Sequence[ToolThatFits]) -> list[ToolThatFits]:
    """The tools with the same condition as the first."""
    return [tool for tool in tools if tool.condition == tools[0].condition]


NO_STRING = (
    "no measure string or option here has an ideal list of the retrieved documents only; {} has "
    "one of all judged documents if it is also given the judged documents that were not retrieved, "
    "with scores below all others"
)


class NamesOfDefinitions:
    """The names of the definitions of a ranking."""

    def __init__(self, case: Case, ranking: RankedDefinitions):
        self.case = case
        self.ranking = ranking
        self.space: Space = ranking.search.space
        self.strings = MeasureStrings(case, self.space)
        self._ours: dict[int, Ours] = {}
        self.values = values_of(self.space, case, ranking.chosen)
        self.means = self.means_of(self.values, ranking.chosen.averaged)

    def tools(self, numbers: Sequence[int]) -> list[ToolThatFits]:
        """The tools that compute one of these matches, those without a condition first."""
        return self._tools(numbers, self._documents_in_name(numbers))

    def _tools(self, numbers: Sequence[int], documents_in_name: str) -> list[ToolThatFits]:
        """The same, if the name of the matches tells `documents_in_name`."""
        documents: dict[tuple[str, str], list[str]] = {}
        computes = (self.ranking.costs[numbers] == 0).T & IS_TOOL[:, None]
        for row, number in np.argwhere(computes).tolist():
            tool = TOOLS[row]
            match = self.ranking.matches[numbers[number]]
            metric = tool["metric"].replace("{k}", match.cutoff.title())
            version = f" ({tool['version']})" if tool["version"] else ""
            metric_of_tool = f"{tool['tool']} {metric}{version}", tool["tool"]
            documents.setdefault(metric_of_tool, []).append(match.documents)
        tools = []
        for (metric, name), texts in documents.items():
            condition = ""
            if documents_in_name not in texts and "" not in texts:
                first = min(texts, key=list(GIVEN_DOCUMENTS).index)
                condition = f"if {GIVEN_DOCUMENTS[first]}"
            tools.append(ToolThatFits(metric, name, condition))
        if self.case.has_predictions:
            tools.sort(key=lambda tool: not is_of_rankers(tool.names))
        return sorted(tools, key=lambda tool: tool.condition != "")

    def _documents_in_name(self, numbers: Sequence[int]) -> str:
        """The documents that the name of some matches tells: all, unless it says otherwise."""
        match = self.ranking.matches[numbers[0]]
        ours = self.ours(numbers)
        if not ours.is_equal or ours.measure is None:
            return match.documents
        is_judged_only = ours.measure.params.get("judged_only", False)
        return JUDGED_ONLY.text if is_judged_only else EVERY.text

    def tool_names(self, numbers: Sequence[int]) -> list[str]:
        """The names of the tools that compute one of these matches; those with a condition only if
        there are no others."""
        return names_of_tools(_first_with_one_condition(self.tools(numbers)))

    def line(self, numbers: Sequence[int]) -> Line:
        """Some matches with the same values: the measure, and who computes it."""
        return self._line([numbers])

    def mean(self, numbers: Sequence[int]) -> float:
        """The mean that some matches with the same values give; of several means the first."""
        definition = self.ranking.matches[numbers[0]]
        values = values_of(self.space, self.case, definition)
        return self.means_of(values, definition.averaged)[0]

    def _name(self, numbers: Sequence[int], field: str = "", texts: str = "") -> str:
        """The measure of some matches with the same values, with the paper that defines it in
        brackets, and there the `texts` for a field in which other definitions differ."""
        ours = self.ours(numbers)
        definition = self.ranking.matches[numbers[0]]
        notes = self._papers(numbers)
        if ours.measure is None or not ours.is_equal:
            if field:
                definition = definition._replace(**{field: texts})
            return described(definition, "", notes)
        if field:
            notes.append(f"{LABELS[field]}: {texts}")
        name = described(definition, str(ours.measure), notes)
        return name + self._relevant_levels(ours.measure, definition)

    def _papers(self, numbers: Sequence[int]) -> list[str]:
        """The founding paper that has the definition by which some matches are named, and the
        parameter with which it does; empty if none has."""
        ours = self.ours(numbers)
        definition = self.ranking.matches[numbers[0]]
        if ours.is_equal and ours.definition is not None:
            definition = ours.definition
        rows = np.flatnonzero(IS_PAPER & (costs([definition])[0] == 0))
        if not rows.size:
            return []
        paper = TOOLS[rows[0]]
        _, comma, parameter = paper["metric"].partition(", ")
        return [f"{paper['tool']}{comma}{parameter}"]

    def equal_strings(self, numbers: Sequence[int]) -> dict[str, Definition]:
        """The other measure strings with the values of some matches, with their definitions: other
        measures first, then those that only have other cutoffs, the likeliest first."""
        ours = self.ours(numbers)
        if ours.measure is None or not ours.is_equal:
            return {}
        is_string = (self.ranking.costs[numbers] == 0) & IS_PLAIN_STRING
        with_string: dict[tuple[str, ...], tuple[Definition, int]] = {}
        for member in np.flatnonzero(is_string.any(axis=1)).tolist():
            definition = self.ranking.matches[numbers[member]]
            first_row = int(is_string[member].argmax())
            with_string.setdefault(definition[: len(Tried._fields)], (definition, first_row))
        values = values_at(ours.measure, self.case.rows.ranks)
        equal: dict[str, Definition] = {}
        for definition, row in with_string.values():
            other = self.strings.string(definition, TOOLS[row])
            if other is None or other == ours.measure or str(other) in equal:
                continue
            gaps = np.abs(values_at(other, self.case.rows.ranks) - values)
            if np.nan_to_num(gaps, nan=1.0).max() < SAME:
                equal[str(other)] = definition
        return _other_cutoffs_last(equal, ours.definition or self.ranking.matches[numbers[0]])

    def _equals(self, numbers: Sequence[int]) -> str:
        """The clause that names the other measure strings with the values of some matches, and
        whether they are equal up to the cutoff or on these data; empty without others."""
        equal = self.equal_strings(numbers)
        if not equal:
            return ""
        where = "here"
        definitions = list(equal.values())
        own = self.ours(numbers).definition
        if own is not None:
            definitions.append(own)
        if self._discounts_nothing(definitions):
            where = f"up to rank {definitions[0].cutoff}"
        return f", which {where} equals {listed(equal, MOST_EQUAL)}"

    def _discounts_nothing(self, definitions: Sequence[Definition]) -> bool:
        """Whether definitions are equal because they have the same gains, and discounts that begin
        behind the cutoff."""
        gains = {definition.gain for definition in definitions} - {""}
        if len(gains) > 1:
            return False
        begins = False
        for definition in definitions:
            if family(definition.measure) not in (NDCG, DCG):
                return False
            base = self.strings.base(definition)
            if base is not None:
                if self.space["cutoff"][definition.cutoff].apply > base:
                    return False
                begins = True
            elif definition.discount not in ("", UNDISCOUNTED.text):
                return False
        return begins

    def _relevant_levels(self, measure: Measure, definition: Definition) -> str:
        """Which levels count as relevant, in words, if a measure string has a map of levels to the
        gains 0 and 1; else empty."""
        levels = np.array(self.strings.levels_above_0, dtype=float)
        if "gains" not in measure.params or definition.gain not in self.space["gain"]:
            return ""
        gains = self.space["gain"][definition.gain].apply(levels)
        is_relevant = gains == 1
        if not is_relevant.any() or (gains[~is_relevant] != 0).any():
            return ""
        relevant = [f"{level:g}" for level in levels[is_relevant].tolist()]
        if len(relevant) == 1:
            return f", where level {relevant[0]} counts as relevant"
        return f", where levels {listed(relevant)} count as relevant"

    def lines(self, groups: Sequence[Sequence[int]]) -> list[Line]:
        """A line for each group of matches.

        Groups that differ in the order of ties alone share a line, and so do groups without a
        measure string that have the same tools and differ in one convention, such as the documents
        that are ranked.
        """
        together: list[list[Sequence[int]]] = []
        for group in groups:
            alike = [line for line in together if self._is_alike(group, line)]
            if alike:
                alike[0].append(group)
            else:
                together.append([group])
        return [self._line(line) for line in together]

    def _is_alike(self, group: Sequence[int], line: Sequence[Sequence[int]]) -> bool:
        """Whether a group differs from those of a line in the order of ties, or in the one
        convention in which these differ."""
        groups = [*line, group]
        differing = _differing([self.ranking.matches[other[0]] for other in groups])
        if {*differing} <= {*FIELDS_OF_TIES}:
            return True
        if len(differing) != 1 or differing[0] not in CONVENTIONS:
            return False
        if any(self.ours(other).is_equal for other in groups):
            return False
        return len({tuple(self.tool_names(other)) for other in groups}) == 1

    def _line(self, groups: Sequence[Sequence[int]]) -> Line:
        """The line of groups that differ in one convention, or of a single group."""
        first = groups[0]
        numbers = first
        name = self._name(first)
        if len(groups) > 1:
            definitions = [self.ranking.matches[group[0]] for group in groups]
            field = _differing(definitions)[0]
            texts = dict.fromkeys(getattr(definition, field) for definition in definitions)
            name = self._name(first, field, ", or ".join(texts))
            if field in FIELDS_OF_TIES:
                numbers = [number for group in groups for number in group]
        text = f"{name}{self._equals(first)}{self._by_tools(numbers)}"
        return Line(name, text, first)

    def _by_tools(self, numbers: Sequence[int]) -> str:
        """The clause that names the tools that compute one of these matches; empty if none does."""
        tools = _first_with_one_condition(self.tools(numbers))
        if not tools:
            return ""
        names = names_of_tools(tools)
        verb = "compute" if len(names) > 1 else "computes"
        text = f", as {listed(names)} {verb} it"
        return f"{text} {tools[0].condition}".rstrip()

    def ours(self, numbers: Sequence[int]) -> Ours:
        """The measure string nearest to some matches with the same values; the one that the user
        names if it has these values."""
        first = numbers[0]
        if first not in self._ours:
            self._ours[first] = self._nearest_string(numbers)
        return self._ours[first]

    def _nearest_string(self, numbers: Sequence[int]) -> Ours:
        departures = np.where(IS_HERE, self.ranking.costs[numbers], FAR)
        nearest = np.argwhere(departures == departures.min()).tolist()
        # Of equally near ones, the cutoff that the answer names.
        cutoff = self.ranking.matches[numbers[0]].cutoff
        nearest.sort(key=lambda pair: self.ranking.matches[numbers[pair[0]]].cutoff != cutoff)
        member, row = nearest[0]
        if departures[member, row] >= FAR:
            return NO_MEASURE
        definition = self.ranking.matches[numbers[member]]
        measure = self.strings.string(definition, TOOLS[row])
        if self.ranking.names_measure and numbers[0] == self.ranking.groups[0][0]:
            measure = self.case.named
            definition = self.strings.definition_of(measure) or definition
        if measure is None:
            return NO_MEASURE
        as_shown = SHOWN.by_text[definition.shown].apply
        values = as_shown(values_at(measure, self.case.rows.ranks))
        theirs = values_of(self.space, self.case, definition)
        gaps = np.abs(values - theirs)
        # A mean changes with a topic that is left out.
        gaps = np.nan_to_num(gaps, nan=float(self.case.by_mean))
        differences = _departures_in_words(definition, TOOLS[row], measure)
        topics = counted(int((gaps > self.case.tolerance).sum()), "topic")
        differences.append(f"{topics} with other values")
        mean = self.means_of(values, QRELS_TOPICS.text)[0]
        ours, other = apart(mean, self.means[0])
        differences.append(f"mean over the qrels' topics {ours}, not {other}")
        has_plain_mean = definition.averaged in ("", QRELS_TOPICS.text)
        is_plain = has_plain_mean and not definition.shown.startswith("each")
        is_equal = is_plain and bool(gaps.max() < SAME)
        options = ""
        if is_plain and not is_equal:
            options = self._options(measure, definition.shown, theirs)
        if not is_equal and not options and definition.ideal == RETRIEVED_ONLY.text:
            documents = self.ranking.matches[numbers[0]].documents
            names = names_of_tools(self._tools(numbers, documents))
            tool = names[0] if names else "the tool that computed the values"
            differences.append(NO_STRING.format(tool))
        return Ours(
            measure=measure,
            difference=f"{measure} is another: {'; '.join(differences)}",
            is_equal=is_equal,
            options=options,
            definition=definition,
        )

    def _options(self, measure: Measure, rounding: str, theirs: np.ndarray) -> str:
        """The options of `evaluate` with which a measure gives these values; empty if none do."""
        is_found = has_relevant(measure, self.case.judged)
        as_shown = SHOWN.by_text[rounding].apply
        for ties, ranks in {"": self.case.rows.ranks, GIVEN: self._ranks_in_order}.items():
            values = as_shown(values_at(measure, ranks))
            for no_relevant, value in {ZERO: None, ONE: 1.0, SKIP: np.nan}.items():
                counted_values = values
                if value is not None:
                    counted_values = np.where(is_found, values, value)
                if not np.allclose(counted_values, theirs, rtol=0, atol=SAME, equal_nan=True):
                    continue
                options = [f"--ties {ties}"] if ties else []
                if no_relevant != ZERO:
                    options.append(f"--no_relevant {no_relevant}")
                return " ".join(options)
        return ""

    @cached_property
    def _ranks_in_order(self) -> JudgedRanks:
        """The run with tied documents in the order of its rows."""
        return reduced(self.case.judged, in_order_given(self.case.run))

    def means_of(self, values: np.ndarray, averaged: str) -> list[float]:
        """The mean of the topics with a value; for means, those of each run over a set of
        topics."""
        numbers = self.case.shown(values[:, None, None], [averaged], [np.asarray])[np.asarray]
        if not self.case.by_mean:
            numbers = np.nanmean(numbers)
        return np.ravel(numbers).tolist()


def _other_cutoffs_last(equal: Mapping[str, Definition], own: Definition) -> dict[str, Definition]:
    """Measure strings with their definitions; those that differ in the cutoff alone from `own` or
    from another one come last.

    >>> ap, rr = Definition("AP", "10"), Definition("RR", "10")
    >>> equal = {"AP": Definition("AP", "none"), "RR": Definition("RR", "none"), "RR@10": rr}
    >>> list(_other_cutoffs_last(equal, ap))
    ['RR@10', 'AP', 'RR']
    """
    seen = {_without_cutoff(own)}
    others = {}
    variants = {}
    for string in sorted(equal, key=lambda string: equal[string].cutoff != own.cutoff):
        uncut = _without_cutoff(equal[string])
        if uncut in seen:
            variants[string] = equal[string]
        else:
            others[string] = equal[string]
        seen.add(uncut)
    return others | variants


def _without_cutoff(definition: Definition) -> tuple[str, ...]:
    """What measures with other cutoffs share; whole lists have an ideal list of their own."""
    return (definition.measure, definition.gain, definition.discount)


def _differing(definitions: Sequence[Definition]) -> list[str]:
    """The fields in which definitions differ.

    >>> first = Definition("nDCG", "10", documents="all")
    >>> _differing([first, first._replace(documents="judged only")])
    ['documents']
    """
    differing = []
    for name in Definition._fields:
        if len({getattr(definition, name) for definition in definitions}) > 1:
            differing.append(name)
    return differing


def apart(number: float, other: float) -> tuple[str, str]:
    """Two numbers with 4 decimals, or as many as tell them apart, at most 12.

    >>> apart(0.4458, 0.5127), apart(0.44581, 0.44583), apart(0.5, 0.5)
    (('0.4458', '0.5127'), ('0.44581', '0.44583'), ('0.5000', '0.5000'))
    """
    for decimals in range(4, 13):
        texts = f"{number:.{decimals}f}", f"{other:.{decimals}f}"
        if texts[0] != texts[1]:
            return texts
    return f"{number:.4f}", f"{other:.4f}"


def _departures_in_words(
    definition: Definition, tool: Mapping[str, str], measure: Measure
) -> list[str]:
    """What a measure does instead, in each dimension but the measure: what its row in the table of
    tools says, except where a parameter of the measure replaces it."""
    replaced = set()
    if "ties" in measure.params:
        replaced.add("order")
    if measure.params.get("judged_only"):
        replaced.add("documents")
    words = []
    for field in Definition._fields[1:]:
        does_depart = tool[field] and departs(tool, field, getattr(definition, field))
        if does_depart and field not in replaced:
            words.append(f"{LABELS[field]} {tool[field]}")
    return words
