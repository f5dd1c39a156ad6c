"""From the definitions that the search found to the answer: states of dimensions, tools, our measure,
causes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from ir_measures import Measure

from ...output.formats import counted, listed
from ...ranking.gains import LINEAR
from . import definitions as tables
from .definitions import DCG, DCG_ONLY, LABELS, LIKE, NDCG, OURS, PERCENT, STOPS, TIES, Definition, at_cutoff
from .explanation import (
    AGREES,
    CAUSE,
    HERE,
    NEAREST,
    OPEN,
    POSSIBLE,
    SETTLED,
    TOOLS,
    UNREACHED,
    WEAK,
    Dimensions,
    Finding,
    Identification,
    described,
)
from .lists import Order
from .search import BASE, OWN, Case, Found, Space, order_of, values_of, values_of_measure
from .solving import gains_in
from .tools import computed_by, tools

COMPARED = 4000
"""The number of definitions whose values are compared with each other."""
LISTED = 8
"""The number of tools, definitions and topics that are listed."""
COMMON, RARE = 0.5, 0.2
"""A cause is a property of at least the first share of the topics that differ, and of at most the second of
the others."""
SAME = 1e-9
"""Values that differ by less are the same."""
IN_SHORT = ("measure", "cutoff", "gain", "discount", "ideal", "averaged")


def answer(space: Space, cases: Sequence[Case], found: Found) -> Identification:
    """The result of a search."""
    case, matches = cases[0], _plainest_first(space, found.matches)
    nearest = None
    if not matches:
        least = found.nearest[0][0]
        nearest = _plainest_first(space, [each for error, each in found.nearest if error == least])[0]
    chosen = matches[0] if matches else nearest
    assert chosen is not None
    values = case.target.values
    known = np.flatnonzero(~np.isnan(values)) if values is not None else np.empty(0, dtype=np.int64)
    given = values[known] if values is not None else np.empty(0)
    computed = _computed(space, case, chosen)
    groups = _groups(space, cases, matches)
    own = [each for each in matches if (each.measure, each.cumulates) == (chosen.measure, chosen.cumulates)]
    dimensions = _dimensions(space, cases, own)
    named = tuple(computed_by(matches))
    measure, equal = _ours(space, chosen, groups[0] if groups else [])

    findings: list[Finding] = []
    if nearest is not None:
        findings += _near(space, case, nearest, computed)
    elif values is None and len(groups) > 1:
        texts = list(dict.fromkeys(_short(group[0]) for group in groups))
        findings += [Finding(POSSIBLE, text) for text in texts[:LISTED]]
        if len(texts) > LISTED:
            findings.append(Finding(POSSIBLE, counted(len(texts) - LISTED, "other")))
    else:
        findings += _states(dimensions, [group[0].measure for group in groups])
    if named:
        more = f"; {counted(len(named) - LISTED, 'other')}" * (len(named) > LISTED)
        findings.append(Finding(TOOLS, "; ".join(named[:LISTED]) + more))
    if measure is not None:
        off = np.abs(values_of_measure(case.pieces(), measure) - computed)
        equal = equal or bool(np.nan_to_num(off).max() < SAME)
        findings.append(Finding(HERE, _here(space, case, measure, equal, chosen, dimensions, computed)))
    if values is None:
        findings += _weak(space, cases, groups)
    return Identification(
        topics=tuple(case.judged.topics[number] for number in known),
        given=given,
        computed=computed[known],
        decimals=case.target.decimals,
        tried=found.tried,
        definitions=tuple(matches),
        classes=len(groups),
        nearest=nearest,
        dimensions=dimensions,
        tools=named,
        measure="" if measure is None else str(measure),
        equal=equal,
        findings=tuple(findings),
        headline=_headline(cases, found, len(groups)),
    )


def _computed(space: Space, case: Case, definition: Definition) -> np.ndarray:
    values = values_of(space, case.pieces(), [definition])[0]
    return np.asarray(100 * values if definition.shown == PERCENT else values)


def _name(measure: str) -> str:
    """The name of the measure in a measure string."""
    return measure.partition("(")[0].partition(" ")[0]


# ------------------------------------------------------------------------------------ definitions that fit


def _plainest_first(space: Space, found: Sequence[Definition]) -> list[Definition]:
    """nDCG and DCG first, then what a named tool computes, then the definitions that come first in the
    tables.

    Measure strings that are definitions of nDCG or DCG themselves come last.
    """
    place = {
        name: {value: number for number, value in enumerate(values)}
        for name, values in _tried(space, Definition(NDCG, discount="any"), by_topic=False).items()
    }
    families = {each.measure for each in found if each.cumulates}
    repeated = {name for family in families for name in LIKE[family]}

    def key(each: Definition) -> tuple[Any, ...]:
        among = sum(place[name].get(getattr(each, name), 0) for name in place)
        group = 0 if each.cumulates else 2 if _name(each.measure) in repeated else 1
        return group, not any(tool.computes(each) for tool in tools()), among, len(each.measure)

    return sorted(found, key=key)


def _tried(space: Space, definition: Definition, by_topic: bool) -> dict[str, tuple[str, ...]]:
    """The values that were tried in each dimension of a definition's measure."""
    like, ndcg = definition.cumulates, definition.cumulates and definition.measure == NDCG
    only_dcg = frozenset() if definition.measure == DCG else DCG_ONLY
    return {
        "cutoff": space.cutoffs,
        "gain": tuple(name for name in space.gains if like and name not in only_dcg),
        "discount": tuple(name for name in space.discounts if like and name not in only_dcg),
        "ideal": space.ideals if ndcg else (),
        "nothing": (tables.ZERO, tables.ONE, tables.LEFT_OUT) if ndcg else (OWN, tables.LEFT_OUT),
        "order": TIES if like else tuple(name for name in TIES if name != tables.MEAN),
        "precision": tuple(tables.PRECISIONS),
        "documents": tables.DOCUMENTS if like else (tables.EVERY, tables.JUDGED_ONLY),
        "averaged": () if by_topic else tables.AVERAGED,
        "shown": space.shown,
    }


def _dimensions(space: Space, cases: Sequence[Case], family: Sequence[Definition]) -> Dimensions:
    """The state and the values of each dimension, for definitions of one measure that give all values.

    A dimension is not exercised if all its values give the same here, and settled if the others do not.
    """
    if not family:
        return {}
    found: Dimensions = {"measure": (SETTLED, (family[0].measure,))}
    for name, tried in _tried(space, family[0], cases[0].target.values is not None).items():
        values = tuple(dict.fromkeys(value for each in family if (value := getattr(each, name))))
        if not values or len(tried) < 2:
            continue
        state = SETTLED if len(values) == 1 else OPEN
        found[name] = (UNREACHED if {*tried} <= {*values} else state), values
    return found


def _groups(space: Space, cases: Sequence[Case], matches: Sequence[Definition]) -> list[list[Definition]]:
    """The definitions with the same values on all runs, the plainest first."""
    some = matches[:COMPARED]
    if not some:
        return []
    values = np.concatenate([values_of(space, case.pieces(), some) for case in cases], axis=1)
    known = np.concatenate(
        [np.zeros(0) if case.target.values is None else case.target.values for case in cases]
    )
    if known.size:
        values = values[:, ~np.isnan(known)]
    number = np.unique(np.round(np.nan_to_num(values, nan=-1.0), 9), axis=0, return_inverse=True)[1]
    groups: dict[int, list[Definition]] = {}
    for group, each in zip(number.reshape(-1).tolist(), some):
        groups.setdefault(group, []).append(each)
    return list(groups.values())


def _states(dimensions: Dimensions, measures: Iterable[str]) -> list[Finding]:
    settled = [
        of[0] if name == "measure" else f"{LABELS[name]} {of[0]}"
        for name, (state, of) in dimensions.items()
        if state == SETTLED and of != (tables.ROUNDED,)
    ]
    findings = [Finding(SETTLED, ", ".join(settled))]
    others = [each for each in dict.fromkeys(measures) if each not in dimensions["measure"][1]]
    if others:
        findings.append(Finding(OPEN, f"measure: {' or '.join([*dimensions['measure'][1], *others])}"))
    for name, (state, values) in dimensions.items():
        if state == OPEN:
            findings.append(Finding(OPEN, f"{LABELS[name]}: {' or '.join(values)}"))
    unreached = [LABELS[name] for name, (state, _) in dimensions.items() if state == UNREACHED]
    return [*findings, Finding(UNREACHED, ", ".join(unreached))] if unreached else findings


def _short(definition: Definition) -> str:
    usual = (tables.EVERY, tables.ROUNDED, tables.ZERO, OWN)
    others = [name for name in ("documents", "nothing", "shown") if getattr(definition, name) not in usual]
    return described(definition, (*IN_SHORT, *others))


# ------------------------------------------------------------------------------------ our measure


def _ours(space: Space, chosen: Definition, same: Sequence[Definition]) -> tuple[Measure | None, bool]:
    """The measure of this package or of ir-measures among the same definitions, or else the nearest."""
    bare = {str(each): each for each in space.strings}
    equal = [
        at_cutoff(
            bare[each.measure](judged_only=True)
            if each.documents == tables.JUDGED_ONLY
            else bare[each.measure],
            each.cutoff,
        )
        for each in same
        if each.measure in bare and order_of(each)[:2] == BASE[:2] and each.nothing == OWN
    ]
    if equal:
        return min(filter(None, equal), key=lambda measure: (len(str(measure)), str(measure))), True
    if chosen.cumulates:
        nearest = min(
            OURS,
            key=lambda each: sum(
                2 * (getattr(chosen, name) != getattr(OURS[each], name)) - (name == "measure")
                for name in ("measure", "gain", "discount")
            ),
        )
        if table := gains_in(chosen.gain):
            nearest = nearest(gains=table)
        return at_cutoff(nearest, chosen.cutoff), False
    name = "ERR_G" if chosen.measure in STOPS else chosen.measure.partition(" ")[0]
    return (at_cutoff(bare[name], chosen.cutoff) if name in bare else None), False


def _here(
    space: Space,
    case: Case,
    measure: Measure,
    equal: bool,
    chosen: Definition,
    dimensions: Dimensions,
    computed: np.ndarray,
) -> str:
    """Our measure, and how it differs from the definition."""
    if equal:
        return f"{measure} gives {'the mean' if case.target.values is None else 'these values'}"
    values = values_of_measure(case.pieces(), measure)
    both = ~(np.isnan(values) | np.isnan(computed))
    like = OURS.get(_bare(measure))
    own = Definition(str(_bare(measure)), chosen.cutoff, "", "", "", OWN, *BASE)
    if like is None:
        like = own
    elif like.measure == NDCG:
        like = like._replace(ideal=tables.FIRST_K, nothing=tables.ZERO)
    like = like._replace(**BASE._asdict(), cutoff=chosen.cutoff)
    differ = [
        f"{LABELS[name]} {getattr(like, name)}"
        for name in Definition._fields
        if getattr(like, name)
        and getattr(like, name) not in dimensions.get(name, ("", (getattr(chosen, name),)))[1]
    ]
    apart = int((np.abs(values - computed)[both] > case.target.tolerance).sum())
    means = f"mean {values[both].mean():.4f} against {computed[both].mean():.4f}" if both.any() else ""
    count = f"{counted(apart, 'topic')} differ{'s' * (apart == 1)}"
    return f"{measure} differs: {', '.join(differ)} ({count}, {means})"


def _bare(measure: Measure) -> Measure:
    return type(measure)(**{name: value for name, value in measure.params.items() if name != "cutoff"})


# ------------------------------------------------------------------------------------ nothing exact, a mean


def _near(space: Space, case: Case, nearest: Definition, computed: np.ndarray) -> list[Finding]:
    """The nearest definition, the topics that differ from it, and what only these have."""
    findings = [Finding(NEAREST, described(nearest))]
    target = case.target
    if target.values is None:
        return findings
    known = ~np.isnan(target.values)
    with np.errstate(invalid="ignore"):
        differ = known & ~(target.misses(computed, target.values, nearest.shown.replace(PERCENT, "")) <= 1)
    agree = known & ~differ
    names = [case.judged.topics[number] for number in np.flatnonzero(differ).tolist()]
    findings.append(
        Finding(
            AGREES, f"{int(agree.sum())} of {counted(int(known.sum()), 'topic')}; not {listed(names, LISTED)}"
        )
    )
    for cause, has in _properties(space, case, nearest).items():
        here, there = int((has & differ).sum()), int((has & agree).sum())
        if here >= COMMON * differ.sum() and there <= RARE * agree.sum():
            counts = f"{here} of the {differ.sum()} that differ, {there} of the {agree.sum()} that agree"
            findings.append(Finding(CAUSE, f"{cause}: {counts}"))
    return findings


def _properties(space: Space, case: Case, nearest: Definition) -> dict[str, np.ndarray]:
    """Properties of topics that may explain a difference (T each)."""
    k = np.inf if nearest.cutoff in ("", tables.ALL_RANKS) else float(nearest.cutoff)
    found: dict[str, list[np.ndarray]] = {}
    for piece in case.pieces():
        documents, judged = piece.documents, piece.documents.judged
        count = documents.count
        ranks = documents.judged_ranks(Order(*BASE[:2], tables.EVERY))
        retrieved, relevant = ranks.retrieved, judged.relevant(LINEAR)
        judged_within = np.bincount(ranks.topic[ranks.rank <= k], minlength=count)
        negative = np.bincount(judged.topic[judged.level < 0], minlength=count) > 0
        values = piece.target.values
        assert values is not None
        within = np.zeros(count, dtype=bool)
        if nearest.order in TIES and nearest.cumulates:
            extremes = [nearest._replace(order=order) for order in (tables.WORST, tables.BEST)]
            lower, upper = values_of(space, [piece], extremes)
            near = piece.target.tolerance
            within = (upper - lower > near) & (values >= lower - near) & (values <= upper + near)
        for name, has in {
            "an order of tied documents gives the value, and an unstable sort cannot be reproduced": within,
            "an unjudged document within the cutoff": judged_within < np.minimum(retrieved, k),
            "fewer documents retrieved than the cutoff": (retrieved < k) & np.isfinite(k) & (retrieved > 0),
            "fewer relevant documents than the cutoff": (relevant < k) & np.isfinite(k) & (relevant > 0),
            "no relevant document": relevant == 0,
            "missing from the run": ~documents.has_topic,
            "a document with a negative level": negative,
        }.items():
            found.setdefault(name, []).append(has)
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _weak(space: Space, cases: Sequence[Case], groups: Sequence[Sequence[Definition]]) -> list[Finding]:
    """How much a mean alone tells."""
    chance = np.mean([case.covered.mean() for case in cases if case.covered is not None])
    narrowed = len(space.cutoffs) == 1
    text = f"a random mean between 0 and 1 fits some of the definitions tried with probability {chance:.2f}"
    if not narrowed:
        text += "; name the measure and its cutoff"
    more = "values by topic, a second run, or another decimal" if len(groups) != 1 else "values by topic"
    return [Finding(WEAK, text), Finding("to decide", more)]


def _headline(cases: Sequence[Case], found: Found, classes: int) -> str:
    target = cases[0].target
    decimals = counted(target.decimals, "decimal")
    runs = f" of {len(cases)} runs" if len(cases) > 1 else ""
    every = "every value"
    if target.values is None:
        told, every = f"{counted(len(cases), 'mean')} to {decimals}", "it" if len(cases) == 1 else "them"
    else:
        values = np.concatenate([case.target.values for case in cases if case.target.values is not None])
        values = values[~np.isnan(values)]
        telling = int(((values != 0) & (values != 1)).sum())
        told = f"{counted(values.size, 'value')}{runs} to {decimals}, {telling} of them neither 0 nor 1"
        if np.unique(values).size == 1:
            told += ": equal values identify nothing"
    told = f"{told}. {found.tried:,} definitions tried;"
    if not found.count:
        return f"{told} none gives {every}"
    same = ""
    if found.count > 1:
        same = ", all the same here" if classes == 1 else f", {classes:,} of them different"
    return f"{told} {found.count:,} {'gives' if found.count == 1 else 'give'} {every}{same}"
