"""What the search says: settled and open dimensions, tools, our measure, the nearest definition, causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ...errors import GradedError
from ...output import plots
from ...output.formats import Table, counted, listed
from ...output.result import Result
from ...ranking.gains import LINEAR
from . import definitions as by
from .definitions import LABELS, Definition
from .search import BASE, Case, Found, Space, values_of, values_of_measure
from .solving import gains_in
from .tools import computed_by, tools

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTLED, OPEN, UNREACHED = "settled", "open", "not exercised"
LISTED = 8
"""The number of tools, definitions and topics that are listed."""
COMMON, RARE = 0.5, 0.2
"""A cause is a property of at least this share of the topics that differ, and at most this of the others."""
SAME = 1e-9
"""Values that differ by less are the same."""
Dimensions = dict[str, tuple[str, tuple[str, ...]]]
"""The state and the values of each dimension."""


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """Which definitions give the values, and what tells them apart.

    - `topics`, `given`, `computed`: the topics of the first run with a value, the values given, and those of
      `definition`; empty for a mean.
    - `definitions`: those that give every value, the plainest first. `classes` counts those that differ on
      these runs, in decimals that the values do not show.
    - `nearest`: the nearest definition if none gives every value, else None.
    - `dimensions`: for each dimension its state (``settled``, ``open``, ``not exercised``) and its values.
    - `tools`: the tools known to compute one of the definitions, with the version that was run.
    - `measure`: the measure string of this package or ir-measures that is nearest; `equal`: whether its
      values are the same.
    - `findings`: the answer, line by line: what it is about, and what was found.
    """

    topics: tuple[str, ...]
    given: np.ndarray
    computed: np.ndarray
    definitions: tuple[Definition, ...]
    classes: int
    nearest: Definition | None
    dimensions: Dimensions
    tools: tuple[str, ...]
    measure: str
    equal: bool
    findings: tuple[tuple[str, str], ...]
    headline: str

    @property
    def definition(self) -> Definition | None:
        """The plainest definition that gives every value, else the nearest."""
        return self.definitions[0] if self.definitions else self.nearest

    @property
    def summary(self) -> str:
        """The number of values, definitions tried, and definitions that give every value, in one line."""
        return self.headline

    def table(self) -> Table:
        """Column names and rows: one row per finding."""
        return ["finding", "what"], [list(finding) for finding in self.findings]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per dimension and value, per tool, and for the measure of this package."""
        states = self.dimensions.items()
        rows = [(state, LABELS[name], value) for name, (state, values) in states for value in values]
        rows += [("computed so by", "tool", tool) for tool in self.tools]
        rows += [("equal here" if self.equal else "nearest here", "measure string", self.measure)]
        return [dict(zip(("finding", "dimension", "value"), row)) for row in rows if row[2]]

    def topic_table(self) -> Table:
        """One row per topic of the first run: the value given, the computed one, and their difference."""
        arrays = self.given, self.computed, self.computed - self.given
        rows = zip(self.topics, *(array.tolist() for array in arrays))
        return ["topic", "given", "computed", "difference"], [*map(list, rows)]

    @plots.styled
    def figure(self) -> Figure:
        """Draw the given values against the computed ones, one dot per topic. Needs the extra ``plot``."""
        figure = plots.new_figure(5.0, 5.0)
        axes = figure.subplots()
        axes.axline((0, 0), slope=1, color=plots.GREY, linewidth=0.8)
        axes.plot(self.computed, self.given, "o", color=plots.COLOURS[0])
        axes.set_xlabel("computed")
        axes.set_ylabel("given")
        axes.set_title(plots.title(described(self.definition) if self.definition else "", width=60))
        return figure


def answer(space: Space, cases: Sequence[Case], found: Found) -> Identification:
    """The result of a search."""
    case, matches, nearest = cases[0], _plainest_first(space, found.matches), None
    if not found.tried:
        names = listed(space.tried["measure"])
        raise GradedError(f"identify cannot compute {names}; give another measure, or none to try all")
    if not matches:
        least = found.nearest[0][0]
        nearest = _plainest_first(space, [each for error, each in found.nearest if error == least])[0]
    chosen = nearest or matches[0]
    computed = values_of(space, case.parts(), [chosen])[0] * (100 if chosen.shown == by.PERCENT else 1)
    groups = _groups(space, cases, matches)
    own = [each for each in matches if each.measure == chosen.measure and each.cumulates == chosen.cumulates]
    whole = found.count <= len(matches)  # the first of many do not show what is settled
    dimensions = _dimensions(space, own) if whole else {}
    named = tuple(computed_by(matches))
    measure, equal = _ours(space, chosen, groups[0] if groups else [])
    findings: list[tuple[str, str]] = []
    if nearest is not None:
        findings += _near(space, case, nearest, computed)
    elif case.mean is not None and len(groups) > 1:
        texts = list(dict.fromkeys(described(group[0], short=True) for group in groups))
        findings += [("possible", text) for text in texts[:LISTED]]
        findings += [("possible", counted(len(texts) - LISTED, "other"))] * (len(texts) > LISTED)
    elif not whole:
        findings.append(
            (OPEN, "so many definitions fit that nothing is settled; more values or decimals help")
        )
    else:
        findings += _states(dimensions, list(dict.fromkeys(group[0].measure for group in groups)))
    if named:
        findings.append(("computed so by", "; ".join([*named[:LISTED], *["…"] * (len(named) > LISTED)])))
    if measure is not None:
        values = np.concatenate([values_of_measure(measure, part.documents.ranks) for part in case.parts()])
        values = values * (100 if chosen.shown == by.PERCENT else 1)
        equal = equal or bool(np.nan_to_num(np.abs(values - computed)).max() < SAME)
        same = "the nearest" if nearest else "these values" if case.mean is None else "the mean"
        text = f"{measure} gives {same}"
        if not equal:
            text = _difference(case, measure, chosen, dimensions, values - computed)
            text += f", mean {values.mean():.4f} against {np.nanmean(computed):.4f}"
        findings.append(("here", text))
    if case.mean is not None:
        chance = np.mean([each.covered.mean() for each in cases])
        more = "; name the measure and its cutoff" * (len(space.tried["cutoff"]) > 1)
        text = f"a random mean from 0 to 1 fits a definition with probability {chance:.2f}{more}"
        findings.append(("weak", text))
        findings.append(("to decide", "values by topic, a second run, or another decimal"))
    return Identification(
        tuple(case.judged.topics[number] for number in case.known),
        case.values[case.known],
        computed[case.known],
        tuple(matches),
        len(groups),
        nearest,
        dimensions,
        named,
        "" if measure is None else str(measure),
        equal,
        tuple(findings),
        _headline(cases, found, len(groups)),
    )


def described(definition: Definition, short: bool = False) -> str:
    """The dimensions of a definition in words; if `short`, without what is usual."""
    usual = (by.EVERY, by.ROUNDED, by.ZERO, *by.PRECISIONS, *by.TIES) if short else ()
    values = {name: value for name, value in definition._asdict().items() if value and value not in usual}
    parts = [f"{LABELS[name]} {value}" for name, value in values.items()]
    return ", ".join(parts).removeprefix("measure ")


def _plainest_first(space: Space, found: Sequence[Definition]) -> list[Definition]:
    """nDCG and DCG first, then what a tool computes, then by place in the tables; last, strings that are
    nDCG or DCG themselves."""
    place = {name: {value: n for n, value in enumerate(values)} for name, values in space.tried.items()}
    repeated = {name for each in found if each.cumulates for name in by.LIKE[each.measure]}

    def key(each: Definition) -> tuple[Any, ...]:
        among = sum(place[name].get(value, 0) for name, value in each._asdict().items())
        group = 0 if each.cumulates else 2 if each.measure.partition("(")[0] in repeated else 1
        return group, not any(tool.computes(each) for tool in tools()), among

    return sorted(found, key=key)


def _groups(space: Space, cases: Sequence[Case], matches: Sequence[Definition]) -> list[list[Definition]]:
    """The definitions with the same values on all runs, the plainest first."""
    groups: dict[bytes, list[Definition]] = {}
    if matches:
        hashes = [blake2b() for _ in matches]  # the values of all topics would fill the memory
        for part in (part for case in cases for part in case.parts()):
            values = values_of(space, [part], matches)
            compared = values if part.mean is not None else values[:, part.known]
            for row, seen in zip(np.round(np.nan_to_num(compared, nan=-1.0), 9), hashes):
                seen.update(row.tobytes())
        for each, seen in zip(matches, hashes):
            groups.setdefault(seen.digest(), []).append(each)
    return list(groups.values())


def _dimensions(space: Space, family: Sequence[Definition]) -> Dimensions:
    """The state and the values of each dimension, for definitions of one measure that give all values.

    A dimension is not exercised if all its values give the same here, and settled if the others do not.
    """
    found: Dimensions = {"measure": (SETTLED, (family[0].measure,))} if family else {}
    for name, tried in space.tried.items():
        values = tuple(dict.fromkeys(value for each in family if (value := getattr(each, name))))
        possible = {*tried} - {by.AS_READ, by.BY_RANK} - by.impossible(family[0] if family else Definition())
        if values and len(possible) > 1 and name != "measure":
            state = SETTLED if len(values) == 1 else OPEN
            found[name] = (UNREACHED if possible <= {*values} else state), values
    return found


def _states(dimensions: Dimensions, measures: Sequence[str]) -> list[tuple[str, str]]:
    settled = [
        of[0] if name == "measure" else f"{LABELS[name]} {of[0]}"
        for name, (state, of) in dimensions.items()
        if state == SETTLED and of != (by.ROUNDED,)
    ]
    opened = {"measure": tuple(measures)} if len(measures) > 1 else {}
    opened |= {name: values for name, (state, values) in dimensions.items() if state == OPEN}
    unreached = [LABELS[name] for name, (state, _) in dimensions.items() if state == UNREACHED]
    return [
        (SETTLED, ", ".join(settled)),
        *((OPEN, f"{LABELS[name]}: {' or '.join(values)}") for name, values in opened.items()),
        *[(UNREACHED, ", ".join(unreached))] * bool(unreached),
    ]


def _ours(space: Space, chosen: Definition, same: Sequence[Definition]) -> tuple[Measure | None, bool]:
    """The measure of this package or of ir-measures among the same definitions, or else the nearest."""
    equal = [
        by.at_cutoff(by.condensed(space.strings[each.measure], each.documents == by.JUDGED_ONLY), each.cutoff)
        for each in same
        if each.is_string and each.measure in space.strings and each[6:8] == BASE[:2]
    ]
    if equal:
        return min(filter(None, equal), key=lambda measure: (len(str(measure)), str(measure))), True
    if chosen.cumulates:
        apart = [(of.measure != chosen.measure, (of.gain != chosen.gain) + (of.discount != chosen.discount))
                 for of in by.OURS.values()]  # fmt: skip
        nearest = list(by.OURS)[apart.index(min(apart))]
        table = gains_in(chosen.gain)
        return by.at_cutoff(nearest(gains=table) if table else nearest, chosen.cutoff), False
    name = "ERR_G" if chosen.measure in by.STOPS else chosen.measure.partition(" ")[0]
    return (by.at_cutoff(space.strings[name], chosen.cutoff) if name in space.strings else None), False


def _difference(
    case: Case, measure: Measure, chosen: Definition, dimensions: Dimensions, off: np.ndarray
) -> str:
    """How our measure differs from the definition."""
    solved = {"gains"} if gains_in(chosen.gain) else set()
    bare = type(measure)(**{name: measure[name] for name in measure.params.keys() - {"cutoff"} - solved})
    like = by.OURS.get(bare, Definition(str(bare)))._replace(**BASE._asdict(), cutoff=chosen.cutoff)
    like = like._replace(gain=chosen.gain) if solved else like
    if like.measure == by.NDCG and like.cumulates:
        like = like._replace(ideal=by.FIRST_K, nothing=by.ZERO)
    differ = [
        f"{LABELS[name]} {value}"
        for name, value in like._asdict().items()
        if value and value not in dimensions.get(name, ("", (getattr(chosen, name),)))[1]
    ]
    apart = int((np.abs(off) > case.tolerance).sum())
    return f"{measure} differs: {', '.join(differ)}; {counted(apart, 'topic')} differ{'s' * (apart == 1)}"


def _near(space: Space, case: Case, nearest: Definition, computed: np.ndarray) -> list[tuple[str, str]]:
    """The nearest definition, the topics that differ from it, and what only these have."""
    findings = [("nearest", described(nearest))]
    if case.mean is not None:
        return findings
    way = by.ROUNDED if nearest.shown == by.PERCENT else nearest.shown
    fits = case.misses(computed, case.values, way) <= 1  # a comparison with NaN is false
    differ = ~np.isnan(case.values) & ~fits
    names = [case.judged.topics[number] for number in np.flatnonzero(differ)]
    text = f"{fits.sum()} of {counted(case.known.size, 'topic')}; not {listed(names, LISTED)}"
    findings.append(("agrees", text))
    properties = [_properties(space, part, nearest) for part in case.parts()]
    for cause in properties[0]:
        has = np.concatenate([part[cause] for part in properties])
        here, there = (has & differ).sum(), (has & fits).sum()
        if here >= COMMON * differ.sum() and there <= RARE * fits.sum():
            counts = f"{here} of the {differ.sum()} that differ, {there} of the {fits.sum()} that agree"
            findings.append(("perhaps because", f"{cause}: {counts}"))
    return findings


def _properties(space: Space, case: Case, nearest: Definition) -> dict[str, np.ndarray]:
    """Properties of topics that may explain a difference (T each)."""
    documents, judged, ranks = case.documents, case.judged, case.documents.ranks
    k = np.inf if nearest.cutoff in ("", by.ALL_RANKS) else float(nearest.cutoff)
    retrieved, relevant, limited = ranks.retrieved, judged.relevant(LINEAR), bool(np.isfinite(k))
    judged_within = np.bincount(ranks.topic[ranks.rank <= k], minlength=documents.count)
    negative = np.bincount(judged.topic[judged.level < 0], minlength=documents.count)
    within = np.zeros(documents.count, dtype=bool)
    if nearest.order in by.TIES and nearest.cumulates:
        extremes = [nearest._replace(order=order) for order in (by.WORST, by.BEST)]
        lower, upper = values_of(space, [case], extremes) * (100 if nearest.shown == by.PERCENT else 1)
        near = case.tolerance
        within = (upper - lower > near) & (case.values >= lower - near) & (case.values <= upper + near)
    return {
        "an order of tied documents gives the value, and an unstable sort cannot be reproduced": within,
        "an unjudged document within the cutoff": judged_within < np.minimum(retrieved, k),
        "fewer documents retrieved than the cutoff": limited & (retrieved < k) & (retrieved > 0),
        "fewer relevant documents than the cutoff": limited & (relevant < k) & (relevant > 0),
        "no relevant document": relevant == 0,
        "missing from the run": retrieved == 0,
        "a document with a negative level": negative > 0,
    }


def _headline(cases: Sequence[Case], found: Found, classes: int) -> str:
    decimals = counted(cases[0].decimals, "decimal")
    told, every = f"{counted(len(cases), 'mean')} to {decimals}", "it" if len(cases) == 1 else "them"
    if cases[0].mean is None:
        values, every = np.concatenate([case.values[case.known] for case in cases]), "every value"
        telling = np.isin(values, (0, 1), invert=True).sum()
        told = f"{counted(values.size, 'value')} to {decimals}, {telling} of them neither 0 nor 1"
        told += ": equal values identify nothing" * (np.unique(values).size == 1)
    told = f"{told}. {found.tried:,} definitions tried;"
    if not found.count:
        return f"{told} none gives {every}"
    same = ", all the same here" if classes == 1 else f", {classes:,} of them different"
    gives = "gives" if found.count == 1 else "give"
    return f"{told} {found.count:,} {gives} {every}{same * (found.count > 1)}"
