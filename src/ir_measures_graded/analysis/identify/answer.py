"""The answer of a search: settled and open dimensions, tools, our measure, the nearest definition, causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import LINEAR
from ...core.registry.facts import is_graded
from ...output import plots
from ...output.formats import Table, counted, listed
from ...output.result import Result
from . import definitions as by
from .cases import Case
from .definitions import BASE, LABELS, Definition
from .search import SAME, Found, Space, values_at, values_of
from .solving import gains_in

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTLED, OPEN, UNREACHED = "settled", "open", "not exercised"
WEAK = "too weak"
LISTED = 8  # the number of tools, definitions and topics that are listed
# A cause is a property of at least this share of the topics that differ, and at most this of the others.
COMMON, RARE = 0.5, 0.2
# This cause may be common among the topics that agree: an unstable sort leaves many ties in order.
UNSTABLE = "an order of tied documents gives the value, and an unstable sort cannot be reproduced"
Dimensions = dict[str, tuple[str, tuple[str, ...]]]  # the state and the values of each dimension


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """The definitions that give the values, and the dimensions that tell them apart.

    - `topics`, `given`, `computed`: the topics of the first run with a value, the values given, and those of
      `definition`; without `given` for a mean.
    - `definitions`: those that give every value, the plainest first. `classes` counts those that differ on
      these runs, in decimals that the values do not show.
    - `nearest`: the nearest definition if none gives every value, else None.
    - `dimensions`: for each dimension its state (``settled``, ``open``, ``not exercised``) and its values;
      empty if the values are too weak.
    - `tools`: the tools known to compute one of the definitions, with the version that was run.
    - `measure`: the measure string of this package or ir-measures that is nearest; `equal`: whether its
      values are the same.
    - `findings`: the answer, line by line: what it is about, and what was found.
    - `summary`: the number of values, definitions tried, and definitions that give every value, in one line.
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
    summary: str = ""

    @property
    def definition(self) -> Definition | None:
        """The plainest definition that gives every value, else the nearest."""
        return self.definitions[0] if self.definitions else self.nearest

    def table(self) -> Table:
        """Column names and rows: one row per finding."""
        return ["finding", "what"], [list(finding) for finding in self.findings]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per dimension and value, per tool, and for the measure of this package."""
        states = self.dimensions.items()
        rows = [(state, LABELS[name], value) for name, (state, values) in states for value in values]
        rows += [("computed so by", "tool", tool) for tool in self.tools]
        rows += [("equal here" if self.equal else "nearest here", "measure string", self.measure)]
        rows += [(name, "", text) for name, text in self.findings if name == WEAK]
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
        axes.set(xlabel="computed", ylabel="given")
        axes.set_title(plots.title(described(self.definition) if self.definition else "", width=60))
        return figure


def answer(space: Space, cases: Sequence[Case], found: Found) -> Identification:
    """The result of a search."""
    case, plainest = cases[0], _plainest_first(space, found.closest)
    chosen, matches = plainest[0], plainest if found.count else []
    groups, values = _groups(matches, found), values_of(space, case, chosen)
    same = groups[0] if groups else [chosen]
    findings: list[tuple[str, str]] = []
    dimensions: Dimensions = {}
    tools: tuple[str, ...] = ()
    measure, equal = None, False
    if weak := _weakness(cases, found, len(groups)):
        findings.append((WEAK, weak))
    else:
        dimensions = _dimensions(space, [each for each in matches if each.measure == chosen.measure])
        tools, measure = by.computed_by(matches), _ours(space, same, bool(matches))
        if not matches:
            findings += _near(space, case, chosen, values)
        elif case.mean is not None and len(groups) > 1:
            texts = list(dict.fromkeys(described(group[0], short=True) for group in groups))
            more = [counted(len(texts) - LISTED, "other")] * (len(texts) > LISTED)
            findings += [("possible", text) for text in texts[:LISTED] + more]
        else:
            findings += _states(dimensions, matches, groups)
        if tools:
            findings.append(("computed so by", "; ".join([*tools[:LISTED], *["…"] * (len(tools) > LISTED)])))
    if measure is not None:
        ours = next(values_at([measure], case, case.ranks)) * (100 if chosen.shown == by.PERCENT else 1)
        equal = bool(np.nan_to_num(np.abs(ours - values)).max() < SAME)
        what = ("these values" if case.mean is None else "the mean") if matches else "the nearest"
        differs = _difference(case, measure, same, ours, values)
        findings.append(("here", f"{measure} gives {what}" if equal else differs))
    if case.mean is not None:
        chance = np.mean([each.covered.mean() for each in cases])
        alone = " for each run alone" * (len(cases) > 1)
        hint = "; name the measure and its cutoff" * (len(space.tried["cutoff"]) > 1)
        weak = f"a random mean from 0 to 1 fits a definition with probability {chance:.2f}{alone}{hint}"
        findings += [("weak", weak), ("to decide", "values by topic, a second run, or another decimal")]
    return Identification(
        topics=tuple(case.judged.topics[number] for number in case.known) if case.mean is None else (),
        given=case.values[case.known],
        computed=values[case.known],
        definitions=tuple(matches),
        classes=len(groups),
        nearest=None if matches else chosen,
        dimensions=dimensions,
        tools=tools,
        measure="" if measure is None else str(measure),
        equal=equal,
        findings=tuple(findings),
        summary=_headline(cases, found, len(groups)),
    )


def described(definition: Definition, short: bool = False) -> str:
    """The dimensions of a definition in words; if `short`, without what is usual."""
    usual = (by.EVERY, by.ROUNDED, by.ZERO, *by.PRECISIONS, *by.TIES) if short else ()
    values = {name: value for name, value in definition._asdict().items() if value and value not in usual}
    return ", ".join(f"{LABELS[name]} {value}" for name, value in values.items()).removeprefix("measure ")


def _plainest_first(space: Space, found: Iterable[Definition]) -> list[Definition]:
    """nDCG and DCG first, then what a tool computes, then by place in the tables; last, strings that are
    nDCG or DCG themselves."""
    place = {name: {value: n for n, value in enumerate(values)} for name, values in space.tried.items()}
    repeated = {each.measure for each in found if each.cumulates}

    def key(each: Definition) -> tuple[int, bool, int]:
        among = sum(place[name].get(value, 0) for name, value in each._asdict().items())
        group = 0 if each.cumulates else 2 if by.family(each.measure) in repeated else 1
        return group, not any(tool.computes(each) for tool in by.tools()), among

    return sorted(found, key=key)


def _groups(matches: Sequence[Definition], found: Found) -> list[list[Definition]]:
    """The definitions with the same values on all runs; the plainest first, in groups and among them."""
    prints, groups = found.closest, defaultdict(list)
    ascending = np.sort([*prints.values()])
    starts = ascending[np.diff(ascending, prepend=-np.inf) > SAME]
    for each in matches:
        groups[int(np.searchsorted(starts, prints[each], side="right"))].append(each)
    return [*groups.values()]


def _weakness(cases: Sequence[Case], found: Found, classes: int) -> str:
    """Why the values fit too many definitions to say anything; empty if they do not."""
    given = np.concatenate([case.values[case.known] for case in cases if case.mean is None] or [[]])
    if not found.count:
        return ""
    if given.size and np.unique(given).size == 1:
        return "all values are equal, which identifies nothing"
    if classes > 1 and max(case.decimals for case in cases) == 0:
        return "values without decimals fit too many definitions; if they are exact, give their decimals"
    if not found.complete:
        return "so many definitions fit that nothing is settled; more values or decimals help"
    return ""


def _dimensions(space: Space, family: Sequence[Definition]) -> Dimensions:
    """The state and the values of each dimension, for definitions of one measure that give all values.

    A dimension is not exercised if all its values give the same here, and settled if the others do not.
    """
    found: Dimensions = {"measure": (SETTLED, (family[0].measure,))} if family else {}
    for name, tried in space.tried.items():
        values = tuple(dict.fromkeys(value for each in family if (value := getattr(each, name))))
        possible = {*tried} - by.impossible(family[0]) if family else set()
        if values and len(possible) > 1 and name != "measure":
            state = SETTLED if len(values) == 1 else OPEN
            found[name] = (UNREACHED if possible <= {*values} else state), values
    return found


def _states(
    dimensions: Dimensions, matches: Sequence[Definition], groups: Sequence[Sequence[Definition]]
) -> Iterator[tuple[str, str]]:
    """What is settled, open and not exercised; the measure is open if another family of measures fits."""
    of_family = {by.family(each.measure): each.measure for each in reversed(matches)}
    measures = dict.fromkeys([*(group[0].measure for group in groups), *reversed(of_family.values())])
    states = dimensions | ({"measure": (OPEN, tuple(measures))} if len(measures) > 1 else {})
    named = [(state, LABELS[name], values) for name, (state, values) in states.items()]
    settled = [(label, values[0]) for state, label, values in named if state == SETTLED]
    texts = [f"{label} {value}" for label, value in settled if value != by.ROUNDED]
    yield SETTLED, ", ".join(texts).removeprefix("measure ")
    yield from ((OPEN, f"{label}: {' or '.join(values)}") for state, label, values in named if state == OPEN)
    if unreached := [label for state, label, _ in named if state == UNREACHED]:
        yield UNREACHED, ", ".join(unreached)


def _ours(space: Space, same: Sequence[Definition], fits: bool) -> Measure | None:
    """The measure of this package or of ir-measures among the `same` definitions if they fit, or else the one
    nearest to the first."""
    known, chosen = space.foreign | space.tried["measure"], same[0]
    equal = []
    for each in same:
        if fits and by.is_string(each) and each.list_order[:2] == BASE[:2]:
            condensed = {"judged_only": True} if each.documents == by.JUDGED_ONLY else {}
            equal.append(by.at_cutoff(known[each.measure](**condensed), each.cutoff))
    if equal:
        return min(filter(None, equal), key=lambda measure: (len(str(measure)), str(measure)))
    if chosen.cumulates:
        table = gains_in(chosen.gain)
        whole = all(gain % 1 == 0 for gain in table.values())

        def apart(measure: Measure) -> tuple[bool, int]:
            of = by.OURS[measure]
            return of.measure != chosen.measure, (of.gain != chosen.gain) + (of.discount != chosen.discount)

        nearest = min((each for each in by.OURS if whole or is_graded(each)), key=apart)
        return by.at_cutoff(nearest(gains=table) if table else nearest, chosen.cutoff)
    name = chosen.measure.partition(" ")[0]
    similar = known.get(name) or known.get(f"{name}_G")
    return by.at_cutoff(similar, chosen.cutoff) if similar else None


def _difference(
    case: Case, measure: Measure, same: Sequence[Definition], ours: np.ndarray, values: np.ndarray
) -> str:
    """How our measure differs from definitions with the same values, of which the first is shown."""
    chosen = same[0]
    solved = ["gain"] if gains_in(chosen.gain) else []
    bare = by.uncut(measure, *["gains"] * len(solved))
    like = by.OURS.get(bare, Definition(str(bare))._replace(**BASE._asdict()))
    like = like._replace(**{name: getattr(chosen, name) for name in ("cutoff", *solved)})
    differ = [
        f"{LABELS[name]} {value}"
        for name, value in like._asdict().items()
        if value and value not in {getattr(each, name) for each in same}
    ]
    apart = int((np.abs(ours - values) > case.tolerance).sum())
    topics = f"{counted(apart, 'topic')} differ{'s' * (apart == 1)}"
    means = f"mean {ours.mean():.4f} against {np.nanmean(values):.4f}"
    return f"{measure} differs: {', '.join(differ)}; {topics}, {means}"


def _near(space: Space, case: Case, nearest: Definition, values: np.ndarray) -> Iterator[tuple[str, str]]:
    """The nearest definition, the topics that differ from it, and what only these have."""
    yield "nearest", described(nearest)
    if case.mean is not None:
        return
    fits = case.fits(values, case.values, nearest.shown)
    differ = ~np.isnan(case.values) & ~fits
    names = [case.judged.topics[number] for number in np.flatnonzero(differ).tolist()]
    others = f"; not {listed(names, LISTED)}" if names else ""
    yield "agrees", f"{fits.sum()} of {counted(case.known.size, 'topic')}{others}"
    for cause, has in _properties(space, case, nearest).items():
        here, there = (has & differ).sum(), (has & fits).sum()
        if here >= max(1, COMMON * differ.sum()) and (there <= RARE * fits.sum() or cause == UNSTABLE):
            counts = f"{here} of the {differ.sum()} that differ, {there} of the {fits.sum()} that agree"
            yield "perhaps because", f"{cause}: {counts}"


def _properties(space: Space, case: Case, nearest: Definition) -> dict[str, np.ndarray]:
    """Properties of topics that may explain a difference (T each)."""
    judged, ranks, near = case.judged, case.ranks, case.tolerance
    k = space.tried["cutoff"][nearest.cutoff]
    retrieved, relevant, all_topics = (
        ranks.retrieved,
        judged.relevant(LINEAR),
        np.arange(ranks.retrieved.size),
    )
    judged_within = np.bincount(ranks.topic[ranks.rank <= k], minlength=retrieved.size)
    within = np.zeros(retrieved.size, dtype=bool)
    if nearest.order in by.TIES and nearest.cumulates:
        extremes = [nearest._replace(order=order) for order in (by.WORST, by.BEST)]
        lower, upper = (values_of(space, case, extreme) for extreme in extremes)
        within = (upper - lower > near) & (case.values >= lower - near) & (case.values <= upper + near)
    return {
        UNSTABLE: within,
        "an unjudged document within the cutoff": judged_within < np.minimum(retrieved, k),
        "fewer documents retrieved than the cutoff": (retrieved < k) & (retrieved > 0) & np.isfinite(k),
        "fewer relevant documents than the cutoff": (relevant < k) & (relevant > 0) & np.isfinite(k),
        "no relevant document": relevant == 0,
        "missing from the run": retrieved == 0,
        "a document with a negative level": np.isin(all_topics, judged.topic[judged.level < 0]),
        "a document retrieved twice, of which only the first is counted": np.isin(
            judged.topics, case.repeated
        ),
    }


def _headline(cases: Sequence[Case], found: Found, classes: int) -> str:
    decimals = counted(cases[0].decimals, "decimal")
    told, every = f"{counted(len(cases), 'mean')} to {decimals}", "it" if len(cases) == 1 else "them"
    if cases[0].mean is None:
        values, every = np.concatenate([case.values[case.known] for case in cases]), "every value"
        telling = np.isin(values, (0, 1), invert=True).sum()
        told = f"{counted(values.size, 'value')} to {decimals}, {telling} of them neither 0 nor 1"
    told = f"{told}. {found.tried:,} definitions tried;"
    if not found.count:
        return f"{told} none gives {every}"
    same = ", all the same here" if classes == 1 else f", {classes:,} of them different"
    gives = "gives" if found.count == 1 else "give"
    return f"{told} {found.count:,} {gives} {every}{same * (found.count > 1)}"
