"""The result of `identify`: the definitions that give the values, or the nearest, and what is said
of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...output.figures import Figure, Scatter, SortedBars, picture
from ...output.formats import counted
from ...output.result import Result
from ...output.tables import Column, Table
from .case import Case
from .conclusions import CHANCE, Conclusions, States
from .dimensions import LABELS, Definition
from .naming import NO_MEASURE, ToolThatFits, described
from .ranking import RankedDefinitions
from .search import MOST, Search

MOST_NAMED = 8
"""The figure names at most so many topics that differ."""
LISTED_DECIMALS = 6
"""The decimals of the means of listed definitions, which differ in those that are not shown."""


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """The definitions that give the values, and the dimensions that tell them apart.

    - `topics`, `given`, `computed`: the topics of all runs with a value, the values given, and
      those of `definition`. For a mean, all topics; `given` is NaN.
    - `definitions`: those that give every value, the likeliest first: few departures from what a
      tool, this package or ir-measures computes, then what a tool computes. Those of a mean depart
      in 2 dimensions at most. `classes` counts those that differ on these runs, in decimals that
      the values do not show.
    - `nearest`: the nearest definition if none gives every value, else None.
    - `dimensions`: for each dimension its state (``settled``, ``open``, ``not exercised``) and its
      values.
    - `tools`: the tools known to compute the definition, with the version that was run, and the
      documents that a tool must be given if the name of the definition does not tell.
    - `measure`: the nearest measure string of this package or ir-measures; None if no definition is
      found. It is the one that the user names if that gives the values.
    - `other_measures`: the other measure strings that give the same values here.
    - `fits`: if several usual definitions with different values fit, the name of each, the
      likeliest first, and the mean that it gives, of several means the first.
    - `equal`: whether `measure`, the string, gives the values, and chance does not explain it. A
      definition that gives every value may have no string; `equal` is then False and `differ` 0.
      It is False, too, if another order of ties may have given a mean.
    - `chance`: a bound of the probability that a definition as usual as the first gives the values
      by chance: the number of such definitions that differ here, times the probability that one
      gives random values.
    - `means`, `differ`: the means given and computed (of several means the first), and the number
      of topics that differ.
    - `differing`: which topics differ
    - `findings`: the answer, line by line: what it is about, and what was found.
    - `conclusions`: what is said of the definitions, with the list of all that fit.
    - `summary`: the answer in a sentence or two.
    """

    topics: tuple[str, ...]
    given: np.ndarray
    computed: np.ndarray
    definitions: tuple[Definition, ...]
    classes: int
    nearest: Definition | None
    dimensions: States
    tools: tuple[str, ...]
    measure: str | None
    equal: bool
    chance: float
    means: tuple[float, float]
    differ: int
    findings: tuple[tuple[str, str], ...]
    differing: np.ndarray
    other_measures: tuple[str, ...]
    fits: tuple[tuple[str, float], ...]
    conclusions: Conclusions
    summary: str = ""

    @property
    def definition(self) -> Definition | None:
        """The likeliest definition that gives every value, else the nearest."""
        return self.definitions[0] if self.definitions else self.nearest

    def answer(self) -> list[str]:
        """The summary."""
        return [self.summary]

    def tables(self) -> list[Table]:
        """One row per finding."""
        return [Table(("finding", "what"), self.findings, head=False)]

    def data(self) -> Table:
        """One row per dimension and value, per tool, and for the measure of this package; if no
        definition is found, a row with the finding ``none``, the means given and computed, and how
        many differ."""
        columns = ("finding", "dimension", "value", "equal", "given", "computed", "differ")
        given_mean, computed_mean = self.means
        rows: list[tuple[Any, ...]] = []
        for name, mean in self.fits:
            rows.append(("fits", "definition", name, self.equal, given_mean, mean, self.differ))
        numbers = (self.equal, given_mean, computed_mean, self.differ)
        return Table(columns, rows + [row + numbers for row in self._rows()])

    def _rows(self) -> list[tuple[str, str, str]]:
        """The finding, the dimension and the value of the rows about the likeliest definition."""
        rows: list[tuple[str, str, str]] = []
        for name, (state, values) in self.dimensions.items():
            rows += [(state, LABELS[name], value) for value in values]
        rows += [("computed so by", "tool", tool) for tool in self.tools]
        rows += [("equals", "measure string", other) for other in self.other_measures]
        if self.measure is not None:
            finding = "equal here" if self.equal else "nearest here"
            rows.append((finding, "measure string", self.measure))
        elif self.definition:
            rows.append(("none", "nearest", described(self.definition)))
        return rows

    def figure(self, *, title: str = "") -> Figure:
        """Draw the values given against those computed, a dot a topic, the misses named.

        For a mean, whose topics are not given, the computed values are drawn. Needs the extra
        ``plot``.
        """
        if np.isnan(self.given).all():
            computed = "computed by the nearest definition"
            if self.definitions:
                computed = "computed by the definition found"
            bars = SortedBars(self.computed, self.topics, computed)
            return picture([bars], title or self.summary)
        distance = np.abs(self.computed - self.given)
        farthest = np.argsort(-distance, kind="stable")[: min(self.differ, MOST_NAMED)]
        points = Scatter(
            self.given, self.computed, self.topics, "value given", "value computed",
            named=farthest.tolist(), diagonal=True,
        )  # fmt: skip
        topics = counted(len(self.topics), "topic")
        text = "A dot a topic, on the line if both values are equal"
        if self.differ:
            named = ", the farthest are named" if farthest.size else ""
            text += f"; {self.differ} of {topics} differ{named}"
        return picture([points], title or self.summary, f"{text}.")

    def definition_table(self, *, in_lines: bool = False) -> Table:
        """One row per definition that fits, the likeliest first; those with the same values here
        are one.

        A row has the name, whether the definition is a usual one, the mean that it gives (of
        several means the first), the tools that compute it, and the other measure strings with its
        values; `in_lines` these as people read them.
        """
        fitting = self.conclusions.fitting
        rows: list[tuple[Any, ...]] = []
        if in_lines:
            for definition in fitting:
                kind = "usual" if definition.is_usual else "rarer"
                mean = f"{definition.mean:.{LISTED_DECIMALS}f}"
                rows.append((kind, mean, definition.line.text))
            return Table(("kind", "mean", "definition"), rows, head=False)
        for definition in fitting:
            tools = "; ".join(definition.tools)
            equal = "; ".join(definition.equal)
            name = definition.line.name
            rows.append((name, definition.is_usual, definition.mean, tools, equal))
        return Table(("definition", "usual", "mean", "tools", "equals"), rows)

    def topic_table(self, *, rounded: bool = False) -> Table:
        """One row per topic: the value given, the computed one, their difference, and whether they
        differ by more than the decimals of the values explain.

        A difference that these explain is 0 if it is `rounded`, as people read it.
        """
        difference = self.computed - self.given
        if rounded:
            difference = np.where(self.differing | np.isnan(difference), difference, 0.0)
        arrays = {"given": self.given, "computed": self.computed, "difference": difference}
        table = Table.of_arrays({"topic": self.topics}, arrays)
        if np.isnan(self.given).all():  # a mean
            return table
        columns = [*table.columns, Column("differs", kind=_mark)]
        marks = self.differing.tolist()
        rows = [[*row, mark] for row, mark in zip(table.rows, marks, strict=True)]
        return Table(columns, rows)


def _mark(differs: bool) -> str:
    """What people read of a topic that differs, or does not."""
    return "yes" if differs else ""


def answered(case: Case, search: Search) -> Identification:
    """The result of a search."""
    ranking = RankedDefinitions(case, search)
    conclusions = Conclusions(case, ranking)
    is_settled = ranking.is_found and not conclusions.tells_nothing
    is_whole = len(search.kept) < MOST
    likeliest = ranking.groups[0]
    ours = NO_MEASURE
    tools: list[ToolThatFits] = []
    states: States = {}
    equal: Sequence[str] = ()
    if is_settled:
        equal = list(conclusions.names.equal_strings(likeliest))
        ours = conclusions.names.ours(likeliest)
        tools = conclusions.names.tools(likeliest)
    if is_settled and is_whole:
        states = conclusions.states()
    said_of_dimensions = states if len(ranking.groups) == 1 else {}
    findings = list(conclusions.findings(tools, said_of_dimensions))
    findings += conclusions.duplicates()
    findings += conclusions.left_out()
    if ours.measure is not None and not ours.is_equal:
        findings.append(("here", ours.difference))
        if ours.options:
            findings.append(("line", f"evaluate {case.files} {ours.measure} {ours.options}"))
    or_more = "" if is_whole else " or more"
    counts = f"{search.tried:,} definitions; {len(search.fitting):,}{or_more} fit"
    if case.by_mean and is_whole and search.fitting:
        sets = "all with the same values"
        if ranking.different > 1:
            sets = f"with {ranking.different:,} different sets of values"
        counts += f", {sets}"
    findings.append(("tried", counts))
    definitions: tuple[Definition, ...] = ()
    classes = 0
    nearest: Definition | None = ranking.chosen
    if ranking.is_found:
        definitions = tuple(ranking.matches)
        classes = len(ranking.groups)
        nearest = None
    given_mean = case.given[0] if case.by_mean else case.given.mean()
    differ = int(conclusions.differs.sum())
    if case.by_mean and not ranking.is_found:
        differ = 1
    topics = tuple(case.judged.topics[number] for number in case.known.tolist())
    measure = None if ours.measure is None else str(ours.measure)
    is_certain = conclusions.chance <= CHANCE and not conclusions.may_be_ties
    return Identification(
        topics=topics,
        given=case.values[case.known],
        computed=conclusions.values[case.known],
        definitions=definitions,
        classes=classes,
        nearest=nearest,
        dimensions=states,
        tools=tuple(map(str, tools)),
        measure=measure,
        equal=ours.is_equal and is_certain,
        chance=conclusions.chance,
        means=(float(given_mean), conclusions.names.means[0]),
        differ=differ,
        findings=tuple(findings),
        differing=conclusions.differs[case.known],
        other_measures=tuple(equal),
        fits=conclusions.usual_means() if is_settled else (),
        conclusions=conclusions,
        summary=conclusions.summary(),
    )
