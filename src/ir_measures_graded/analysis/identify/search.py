"""The search: every definition on every run, and how far its values are from the given ones.

DCG is linear in the gains. So one matrix product gives the discounts that each level collects, for all
discounts and cutoffs at once, and a second one gives DCG for all gains. The ideal lists need only counts of
levels. Orders with the same labels share all results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
from ir_measures import Measure

from ...errors import GradedError
from ...evaluation import trec_eval
from ...evaluation.provider import computed, view
from ...evaluation.reduction import JudgedDocuments
from ...inputs.tables import Table
from ...measures.topics import ratio
from ...ranking.gains import LINEAR
from ...ranking.judged import Judged
from ...ranking.ranks import JudgedRanks
from ...registry.facts import gains_of, is_graded
from ...uncertainty import evaluated, evaluated_curve
from . import definitions as by
from .definitions import Definition, Discount, Gain
from .lists import Documents, Labels, Order

BASE = Order(by.DESCENDING, "32-bit", by.EVERY)
"""trec_eval's order, in which every measure is tried."""
CURVE = 100
"""Measures at cutoffs up to this come from one curve."""
TWICE_ROUNDED = 0.56
"""The tolerance in units of the last decimal: the value was perhaps rounded twice."""
SINGLE = 3e-7
"""The relative error of tools that compute with 32-bit floats."""
SAMPLE = 96
"""The number of topics on which all definitions are tried if there are more than twice as many."""
CHUNK = 500
"""The number of topics on which the remaining definitions are verified at a time."""
SLAB = 48
"""The number of cutoffs that are tried at a time."""
NEAREST = 400
"""The number of definitions that are kept if none gives all values."""
VERIFIED = 20
"""The number of these that are tried on all topics: all combinations of their values are computed."""
MOST = 4_000
"""The number of definitions that are kept."""


@dataclass(frozen=True)
class Space:
    """The definitions to try: all combinations of `tried`, the values of each dimension.

    `gains`, `discounts` and `strings` have what their names mean.
    """

    tried: dict[str, tuple[str, ...]]
    gains: dict[str, Gain]
    discounts: dict[str, Discount]
    strings: dict[str, Measure]

    def around(self, definitions: Iterable[Definition]) -> Space:
        """The smallest space that has these definitions."""
        columns = dict(zip(Definition._fields, map(set, zip(*definitions))))
        columns["measure"] |= {name.partition(" ")[0] for name in columns["measure"]}
        columns["documents"] |= {by.EVERY}  # measures with judged documents only come from the whole list
        kept = {name: tuple(v for v in of if v in columns[name]) for name, of in self.tried.items()}
        return replace(self, tried=kept | {"shown": self.tried["shown"]})

    @property
    def cuts(self) -> np.ndarray:
        """The cutoffs as numbers."""
        return np.array(
            [np.inf if cutoff == by.ALL_RANKS else int(cutoff) for cutoff in self.tried["cutoff"]]
        )


@dataclass(frozen=True)
class Case:
    """A run, the qrels, and the values given for the run, one per topic (NaN if unknown), or their `mean`.

    `decimals` are those of the values. `others` counts the run's topics that the qrels lack; they count as 0
    in a mean over the run's topics. `ranks_in_file` has the rank column of the run's file by line.
    `covered` tells which means from 0 to 1 some definition has; it is filled by the search.
    """

    qrels: JudgedDocuments
    run: Table
    values: np.ndarray
    mean: float | None
    decimals: int
    others: int
    ranks_in_file: np.ndarray | None
    covered: np.ndarray

    @property
    def judged(self) -> Judged:
        return self.qrels.judged

    @cached_property
    def documents(self) -> Documents:
        return Documents(self.qrels, self.run, self.ranks_in_file)

    @property
    def tolerance(self) -> float:
        return TWICE_ROUNDED * 10.0**-self.decimals

    @cached_property
    def known(self) -> np.ndarray:
        """The numbers of the topics that have a value."""
        return np.flatnonzero(~np.isnan(self.values))

    def misses(self, values: np.ndarray, given: np.ndarray | float, way: str) -> np.ndarray:
        """How many tolerances the values miss the given ones by, when shown in a way; at most 1 fits."""
        off = (100 * values if way == by.PERCENT else values) - given
        if way == by.TRUNCATED:
            half = 0.5 * 10.0**-self.decimals
            return np.asarray(np.abs(off - half) / (half + 1e-12))
        return np.asarray(np.abs(off) / (self.tolerance + SINGLE * np.abs(given)))

    def part(self, topics: np.ndarray) -> Case:
        """The topics of the qrels with these numbers."""
        qrels, code = self.qrels.part(topics), {topic: row for row, topic in enumerate(self.run.topics)}
        rows = np.array([code[topic] for topic in qrels.judged.topics if topic in code], dtype=np.int64)
        return replace(self, qrels=qrels, run=self.run.part(rows), values=self.values[topics])

    def sample(self) -> Case:
        """All topics, or few: most with values between 0 and 1, which tell definitions apart."""
        telling = np.isin(self.values[self.known], (0, 1), invert=True)
        if self.mean is not None or len(self.judged.topics) <= 2 * SAMPLE:
            return self
        some = _spread(self.known[telling], SAMPLE), _spread(self.known[~telling], SAMPLE // 8)
        return self.part(np.sort(np.concatenate(some)))

    def parts(self) -> Iterator[Case]:
        """All topics, a chunk at a time; a mean needs all at once."""
        count = len(self.judged.topics)
        if self.mean is not None or count <= CHUNK:
            yield self
            return
        for start in range(0, count, CHUNK):
            yield self.part(np.arange(start, min(start + CHUNK, count)))


def _spread(numbers: np.ndarray, count: int) -> np.ndarray:
    return numbers[np.unique(np.linspace(0, numbers.size - 1, min(count, numbers.size)).astype(np.int64))]


@dataclass(frozen=True)
class Block:
    """The values of several definitions for each topic (T × C).

    The definitions have the values of `fixed`, and those of `names` (C). `undefined` (T × C) is true where
    the ideal list has no gain; None if there is no ideal list.
    """

    fixed: Definition
    names: list[Definition]
    values: np.ndarray
    undefined: np.ndarray | None = None

    @property
    def nothing(self) -> tuple[str, ...]:
        """The values of topics that are undefined."""
        return ("",) if self.undefined is None else by.NOTHING

    def definition(self, order: Order, column: int, nothing: int) -> Definition:
        named = self.names[column]._asdict()
        given = {name: value for name, value in self.fixed._asdict().items() if value}
        return Definition(**named | order._asdict() | given | {"nothing": self.nothing[nothing]})


# --------------------------------------------------------------------------------------------- nDCG and DCG


def cumulated_gains(space: Space, documents: Documents, labels: Labels) -> Iterator[Block]:
    """The blocks of nDCG, one for each ideal list, and of DCG."""
    tried, cuts = space.tried, space.cuts
    names = [Definition(gain=g, discount=d, cutoff=k)
             for g, d, k in product(tried["gain"], tried["discount"], tried["cutoff"])]  # fmt: skip
    if not names or not {by.NDCG, by.DCG} & {*tried["measure"]}:
        return
    discounts = [space.discounts[name] for name in tried["discount"]]
    padding = np.isnan(documents.levels)
    level = np.where(padding, 0.0, documents.levels)
    gains = np.stack([np.where(padding, 0.0, space.gains[name](level)) for name in tried["gain"]], axis=1)
    dcg = (gains @ collected(documents, labels, discounts, cuts)).reshape(documents.count, -1)
    if by.DCG in tried["measure"]:
        yield Block(Definition(by.DCG), names, dcg)
    own = [not {name.gain, name.discount} & by.DCG_ONLY for name in names]
    if by.NDCG not in tried["measure"] or not any(own):
        return
    names = [name for name, keeps in zip(names, own) if keeps]
    for ideal in tried["ideal"]:
        best = gains @ ideally_collected(documents, labels, discounts, cuts, ideal)
        best = best.reshape(dcg.shape)[:, own]
        yield Block(Definition(by.NDCG, ideal=ideal), names, ratio(dcg[:, own], best), best <= 0)


def discounts_at(discounts: Iterable[Discount], depth: int) -> np.ndarray:
    """One over each discount at the ranks 1 … `depth` (depth × discounts)."""
    rank = np.arange(1, depth + 1, dtype=np.float64)
    return np.stack([1 / discount(rank) for discount in discounts], axis=1)


def collected(
    documents: Documents, labels: Labels, discounts: Sequence[Discount], cuts: np.ndarray
) -> np.ndarray:
    """The discounts that each level collects, for each discount and cutoff (T × L × discounts · cutoffs)."""
    depth = labels.code.shape[1]
    within = np.arange(1, depth + 1)[:, None, None] <= cuts
    weights = discounts_at(discounts, depth)[:, :, None] * within
    return labels.counts(documents.levels.shape[1], weights.reshape(depth, -1))


def ideally_collected(
    documents: Documents, labels: Labels, discounts: Sequence[Discount], cuts: np.ndarray, ideal: str
) -> np.ndarray:
    """The same for the ideal list, from the number of documents that it has of each level."""
    length, levels = (labels.code >= 0).sum(axis=1)[:, None], documents.levels.shape[1]
    ranks = np.arange(1, labels.code.shape[1] + 1)[:, None]
    most = np.broadcast_to(cuts, (documents.count, cuts.size))
    counts = documents.judged_levels[:, :, None]  # T × L × 1 or cutoffs
    if ideal == by.UNCUT:
        most = np.full(most.shape, np.inf)
    elif ideal in (by.AS_LONG, by.TOP_RETRIEVED):
        most = np.minimum(most, length)
    elif ideal in (by.RETRIEVED, by.ANEW):
        within = ranks <= (cuts if ideal == by.ANEW else np.array([np.inf]))
        counts = Labels(labels.code).counts(levels, within.astype(np.float64))
    if ideal in (by.TOP, by.TOP_RETRIEVED):
        most = np.where(np.isinf(most), length, most)
        counts = np.where(documents.levels == documents.top, np.inf, 0.0)[:, :, None]
    ahead = np.flip(np.cumsum(np.flip(counts, axis=1), axis=1), axis=1)  # of this level and above
    above = np.concatenate((ahead[:, 1:], np.zeros_like(ahead[:, :1])), axis=1)
    depth = int(
        max(documents.judged_levels.sum(axis=1).max(), ranks.size, most[np.isfinite(most)].max(initial=0))
    )
    sums = np.concatenate((np.zeros((1, len(discounts))), np.cumsum(discounts_at(discounts, depth), axis=0)))
    upper, lower = (np.minimum(each, np.minimum(most, depth)[:, None]).astype(int) for each in (ahead, above))
    found = np.moveaxis(sums[upper] - sums[lower], 3, 2)  # T × L × discounts × cutoffs
    return found.reshape(*found.shape[:2], -1)


# --------------------------------------------------------------------------------------------- other measures


def stopping(space: Space, documents: Documents, labels: Labels) -> Iterator[Block]:
    """Expected reciprocal rank with probabilities to stop that are not those of ERR_G."""
    levels = np.append(np.maximum(np.nan_to_num(documents.levels), 0), np.zeros((documents.count, 1)), axis=1)
    level = np.take_along_axis(levels, labels.code, axis=1)  # -1 is the padding
    at = np.minimum(space.cuts, level.shape[1]).astype(int) - 1
    for name in by.STOPS.keys() & {*space.tried["measure"]}:
        with np.errstate(all="ignore"):
            p = by.STOPS[name](level, levels.max(axis=1)[:, None])
            before = np.cumprod(np.insert(1 - p, 0, 1, axis=1), axis=1)[:, :-1]
            err = np.nan_to_num(np.cumsum(p * before / np.arange(1, p.shape[1] + 1), axis=1))
        yield Block(Definition(name), [Definition(cutoff=k) for k in space.tried["cutoff"]], err[:, at])


def of_strings(space: Space, ranks: JudgedRanks, condensed: bool, every: bool) -> Iterator[Block]:
    """The block of measure strings, computed by the formulas of this package; `every` one, or those that
    depend on the order of ties."""
    names, columns = [], []
    known: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    for name, measure in space.strings.items():
        if name not in space.tried["measure"] or not (every or measure.NAME in by.ANY_ORDER):
            continue
        if condensed and "judged_only" not in measure.SUPPORTED_PARAMS:
            continue
        for cutoff, values in _at_cutoffs(by.condensed(measure, condensed), ranks, space, *known):
            variants: dict[str, Any] = {name: 1.0}
            for variant, factor in by.VARIANTS.get(measure.NAME, {}).items():
                variants[f"{name} {variant}"] = factor(_counts(measure, ranks, cutoff, condensed))
            names += [Definition(each, cutoff) for each in variants]
            columns += [values * factor for factor in variants.values()]
    if names:
        yield Block(Definition(documents=by.JUDGED_ONLY * condensed), names, np.stack(columns, axis=1))


def _at_cutoffs(
    measure: Measure, ranks: JudgedRanks, space: Space, views: dict[Any, Any], lists: dict[Any, Any]
) -> Iterator[tuple[str, np.ndarray]]:
    """The values of a measure at each cutoff that it takes."""
    cuts = space.cuts
    depth = int(cuts[cuts <= CURVE].max(initial=0)) if is_graded(measure) and measure.CUTOFF else 0
    try:
        if depth:
            compute = partial(evaluated_curve, measure, depth=depth)
            curve = computed(measure, view(measure, ranks, views, cut=False), compute, (depth,))
        for cutoff, k in zip(space.tried["cutoff"], cuts):
            if k <= depth:
                yield cutoff, curve[:, int(k) - 1]
            elif (cut := by.at_cutoff(measure, cutoff)) and (is_graded(cut) or trec_eval.computes(cut)):
                yield cutoff, values_of_measure(cut, ranks, views, lists)
    except GradedError:
        return  # the data do not allow the measure: a gain above max_gain, scores outside [0, 1]


def values_of_measure(measure: Measure, ranks: JudgedRanks, *known: dict[Any, Any]) -> np.ndarray:
    """The values of a measure of this package or ir-measures."""
    views, lists = known or ({}, {})
    if is_graded(measure):
        return computed(measure, view(measure, ranks, views), partial(evaluated, measure))
    return np.nan_to_num(trec_eval.values(measure, ranks, lists))


def _counts(measure: Measure, ranks: JudgedRanks, cutoff: str, condensed: bool) -> by.Counts:
    k = np.inf if cutoff == by.ALL_RANKS else float(cutoff)
    judged, seen = ranks.judged, ranks.condensed if condensed else ranks
    relevant = judged.level >= (measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else np.nextafter(0, 1))
    found = relevant[seen.doc] & (seen.rank <= k)
    count = partial(np.bincount, minlength=len(judged.topics))
    top = np.full(len(judged.topics), judged.top(gains_of(measure))[0])
    return by.Counts(count(judged.topic[relevant]), seen.retrieved, count(seen.topic[found]), top, k)


# --------------------------------------------------------------------------------------------- the search

Scored = list[tuple[Block, np.ndarray]]
Errors = dict[tuple[Order, Definition], tuple[Block, np.ndarray]]
"""For each order and each block its definitions and their errors (C × nothing × averaged × shown)."""


def blocks(space: Space, documents: Documents, order: Order, labels: Labels) -> Iterator[Block]:
    """All definitions in an order."""
    yield from cumulated_gains(space, documents, labels)
    yield from stopping(space, documents, labels)
    if order.documents == by.EVERY and order.order != by.MEAN:
        ranks = documents.judged_ranks(order)
        for condensed in (False, True):
            yield from of_strings(space, ranks, condensed, order == BASE)


def errors(space: Space, cases: Iterable[Case]) -> Errors:
    """The error of each definition, summed over the cases; 0 if it gives all values.

    The error is the number of topics that differ, and a fraction for how much; for a mean, it is the
    difference in tolerances.
    """
    total: Errors = {}
    for case in cases:
        seen: dict[Any, Scored] = {}
        score = partial(_by_topic if case.mean is None else _of_means, case, space.tried["shown"])
        for order in case.documents.orders():
            if not all(value in space.tried[name] for name, value in order._asdict().items() if value):
                continue
            labels = case.documents.labels(order)
            key: tuple[Any, ...] = labels.key(), order == BASE
            if order.documents == by.EVERY and order.order != by.MEAN:
                ranks = case.documents.judged_ranks(order)
                key += ranks.doc.tobytes(), ranks.rank.tobytes()
            if key not in seen:
                found = blocks(space, case.documents, order, labels)
                # Values would fill the memory.
                seen[key] = [(replace(each, values=np.empty(0)), score(each)) for each in found]
            for block, error in seen[key]:
                place = order, block.fixed
                total[place] = block, error if place not in total else total[place][1] + error
    return total


def _by_topic(case: Case, shown: Sequence[str], block: Block) -> np.ndarray:
    value, values = case.values[case.known, None], block.values[case.known]
    found = np.empty((values.shape[1], len(block.nothing), 1, len(shown)), dtype=np.float32)
    for column, way in enumerate(shown):
        differ = case.misses(values, value, way) > 1
        for row, nothing in enumerate(block.nothing):
            if block.undefined is not None:
                fails = case.misses(np.full(value.shape, by.VALUE_OF[nothing]), value, way) > 1
                wrong = np.where(block.undefined[case.known], fails, differ)
            else:
                wrong = differ
            found[:, row, 0, column] = wrong.sum(axis=0)
    off = np.minimum(np.abs(values - value), 1).sum(axis=0) / max(case.known.size, 1)
    return found + np.where(found > 0, 0.49 * off[:, None, None, None], 0)


def _of_means(case: Case, shown: Sequence[str], block: Block) -> np.ndarray:
    member, undefined = averaged_topics(case.documents), block.undefined
    size = member.sum(axis=1, keepdims=True) + case.others * (np.array(by.AVERAGED)[:, None] == by.RUN_TOPICS)
    missing = 0.0 if undefined is None else member @ undefined
    found = np.empty((block.values.shape[1], len(block.nothing), len(size), len(shown)), dtype=np.float32)
    for column, way in enumerate(shown):
        sums = member @ by.SHOWN_FIRST.get(way, np.asarray)(block.values)  # undefined values are 0
        for row, nothing in enumerate(block.nothing):
            added, left_out = missing * (nothing == by.ONE), missing * (nothing == by.LEFT_OUT)
            mean = ratio(sums + added, size - left_out)
            inside = mean[(mean >= 0) & (mean <= 1)] * (case.covered.size - 1)
            case.covered[np.round(inside).astype(np.int64)] = True
            miss = case.misses(mean, float(case.mean or 0.0), way)
            found[:, row, :, column] = np.where(miss <= 1, 0.0, miss).T
    return found


def averaged_topics(documents: Documents) -> np.ndarray:
    """The topics of each mean (averaged × T), in the order of `AVERAGED`."""
    found = documents.retrieved & (np.nan_to_num(documents.level) > 0)
    in_run, has_found = (
        np.bincount(documents.topic[rows], minlength=documents.count) > 0
        for rows in (documents.retrieved, found)
    )
    relevant = documents.judged.relevant(LINEAR) > 0
    return np.stack((np.ones_like(in_run), in_run, in_run, relevant, has_found)).astype(np.float64)


@dataclass(frozen=True)
class Found:
    """How many definitions were tried and fit, the first that fit, and the nearest with their errors."""

    tried: int
    count: int
    matches: list[Definition]
    nearest: list[tuple[float, Definition]]


def search(space: Space, cases: Sequence[Case]) -> Found:
    """Try all definitions, on a sample of the topics if there are many, and verify those that remain on
    all."""
    samples = [case.sample() for case in cases]
    cutoffs = space.tried["cutoff"]
    slabs = [cutoffs[start : start + SLAB] for start in range(0, len(cutoffs), SLAB)]
    parts = [
        _collected(errors(replace(space, tried=space.tried | {"cutoff": slab}), samples), space)
        for slab in slabs
    ]
    found = Found(
        sum(part.tried for part in parts),
        sum(part.count for part in parts),
        [each for part in parts for each in part.matches][:MOST],
        sorted((pair for part in parts for pair in part.nearest), key=lambda pair: pair[0])[:NEAREST],
    )
    if all(sample is case for sample, case in zip(samples, cases)):
        return found
    wanted = frozenset(found.matches or [definition for _, definition in found.nearest[:VERIFIED]])
    verified = errors(space.around(wanted), (part for case in cases for part in case.parts()))
    return replace(_collected(verified, space, wanted), tried=found.tried)


def _collected(total: Errors, space: Space, wanted: frozenset[Definition] | None = None) -> Found:
    """The definitions without an error, and the nearest ones; only those that are wanted."""
    matches: list[Definition] = []
    nearest: list[tuple[float, Definition]] = []
    limit = np.inf
    if wanted is None and total:
        least = [np.partition(found.ravel(), min(5, found.size - 1))[:6] for _, found in total.values()]
        limit = float(np.sort(np.concatenate(least))[:NEAREST][-1])
    for (order, _), (block, found) in total.items():
        for at in map(tuple, np.argwhere(found <= limit).tolist()):
            if len(matches) >= MOST:
                break
            averaged = by.AVERAGED[at[2]] if found.shape[2] > 1 else ""
            definition = block.definition(order, *at[:2])._replace(
                averaged=averaged, shown=space.tried["shown"][at[3]]
            )
            if wanted is None or definition in wanted:
                nearest.append((float(found[at]), definition))
                matches += [definition] * int(found[at] == 0)
    nearest.sort(key=lambda pair: pair[0])
    arrays = [found for _, found in total.values()]
    return Found(
        sum(each.size for each in arrays),
        sum(int((each == 0).sum()) for each in arrays),
        matches,
        nearest[:NEAREST],
    )


def values_of(space: Space, cases: Iterable[Case], definitions: Sequence[Definition]) -> np.ndarray:
    """The value of each definition for each topic (definitions × topics), NaN where it leaves the topic
    out."""
    space = space.around(definitions)
    return np.concatenate([_values_in(space, case, definitions) for case in cases], axis=1)


def _values_in(space: Space, case: Case, definitions: Sequence[Definition]) -> np.ndarray:
    result = np.full((len(definitions), len(case.judged.topics)), np.nan)
    alike: dict[Any, list[int]] = {}
    orders = {each: Order(*(getattr(each, name) for name in Order._fields)) for each in definitions}
    labels = {order: case.documents.labels(order) for order in {*orders.values()}}
    for number, each in enumerate(definitions):
        whole = orders[each]._replace(documents=by.EVERY)
        alike.setdefault(whole if each.is_string else labels[orders[each]].key(), []).append(number)
    for key, numbers in alike.items():
        order = key if isinstance(key, Order) else orders[definitions[numbers[0]]]
        columns = {
            (block.fixed.ideal, block.fixed.documents, block.fixed.measure or name.measure, name[1:4]): (
                block,
                column,
            )
            for block in blocks(space, case.documents, order, case.documents.labels(order))
            for column, name in enumerate(block.names)
        }
        for number in numbers:
            each = definitions[number]
            documents = by.JUDGED_ONLY * (each.is_string and each.documents == by.JUDGED_ONLY)
            if (place := columns.get((each.ideal, documents, each.measure, each[1:4]))) is not None:
                block, column = place
                result[number] = block.values[:, column]
                if block.undefined is not None:
                    result[number, block.undefined[:, column]] = by.VALUE_OF[each.nothing]
    return np.where(np.isinf(result), np.nan, result)
