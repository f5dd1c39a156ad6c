"""The search: every definition on every run, and how far its values are from the given ones.

DCG is linear in the gains. So one matrix product gives the discounts that each level collects, for all
discounts and cutoffs at once, and a second one gives DCG for all gains. The ideal lists need only counts of
levels. Orders with the same labels share all results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from ir_measures import Measure

from ...errors import GradedError
from ...evaluation import trec_eval
from ...evaluation.provider import computed, view
from ...evaluation.trec_eval import TrecLists
from ...inputs.tables import Table
from ...measures.base import GradedMeasure
from ...measures.topics import Topics, ratio
from ...ranking.gains import LINEAR
from ...ranking.judged import Judged
from ...ranking.ranks import JudgedRanks
from ...uncertainty import evaluated, evaluated_curve
from .definitions import (
    ALL_RANKS,
    ANEW,
    ANY_ORDER,
    AS_LONG,
    AVERAGED,
    DCG,
    DCG_ONLY,
    DESCENDING,
    EVERY,
    FIRST_K,
    IDEALS,
    JUDGED_ONLY,
    LEFT_OUT,
    MEAN,
    NDCG,
    ONE,
    PERCENT,
    RETRIEVED,
    ROUNDED,
    RUN_TOPICS,
    SHOWN_FIRST,
    STOPS,
    TOP,
    TOP_RETRIEVED,
    TRUNCATED,
    UNCUT,
    VARIANTS,
    ZERO,
    Counts,
    Definition,
    Discount,
    Gain,
    at_cutoff,
)
from .lists import Documents, Labels, Order

BASE = Order(DESCENDING, "32-bit", EVERY)
"""trec_eval's order, in which every measure is tried."""
CURVE = 100
"""Measures at cutoffs up to this come from one curve."""
TWICE_ROUNDED = 0.56
"""The tolerance in units of the last decimal: the value was perhaps rounded twice."""
SINGLE = 3e-7
"""The relative error of tools that compute with 32-bit floats."""
STRINGS = "strings"
OWN = "its own value"
"""What another measure than nDCG and DCG gives to a topic without relevant documents."""


@dataclass(frozen=True)
class Space:
    """The definitions to try: all combinations of these values. `orders` is None for all that the data
    allow."""

    measures: tuple[str, ...]
    strings: tuple[Measure, ...]
    cutoffs: tuple[str, ...]
    gains: dict[str, Gain]
    discounts: dict[str, Discount]
    shown: tuple[str, ...] = (ROUNDED,)
    ideals: tuple[str, ...] = IDEALS
    orders: frozenset[Order] | None = None

    def around(self, definitions: Iterable[Definition]) -> Space:
        """The smallest space that has these definitions."""
        found = [*definitions]
        gains, discounts = {each.gain for each in found}, {each.discount for each in found}
        names = {each.measure.partition(" ")[0] for each in found}
        return replace(
            self,
            measures=tuple(name for name in self.measures if name in {each.measure for each in found}),
            strings=tuple(each for each in self.strings if str(_with_documents(each)[0]) in names),
            cutoffs=tuple(cutoff for cutoff in self.cutoffs if cutoff in {each.cutoff for each in found}),
            gains={name: gain for name, gain in self.gains.items() if name in gains},
            discounts={name: of for name, of in self.discounts.items() if name in discounts},
            ideals=tuple(name for name in self.ideals if name in {each.ideal for each in found}),
            orders=frozenset(
                order._replace(documents=documents)
                for order in map(order_of, found)
                for documents in (order.documents, EVERY)
            ),
        )


@dataclass(frozen=True)
class Target:
    """The values that a definition must have: one per topic (NaN if unknown), or a mean.

    `decimals` is their number of decimals. `others` counts the run's topics that the qrels lack; their value
    is 0 in a mean over the run's topics.
    """

    values: np.ndarray | None
    mean: float | None
    decimals: int
    others: int = 0

    @property
    def tolerance(self) -> float:
        return TWICE_ROUNDED * 10.0**-self.decimals

    @property
    def largest(self) -> float:
        """The largest of the values, or the mean."""
        return float(np.nanmax(self.values)) if self.values is not None else float(self.mean or 0.0)

    def misses(self, values: np.ndarray, given: np.ndarray | float, way: str) -> np.ndarray:
        """How many tolerances the values miss the given ones by, when shown in a way; at most 1 is a
        match."""
        if way == PERCENT:
            values = 100 * values
        off = values - given
        if way == TRUNCATED:
            off = off - 0.5 * 10.0**-self.decimals
            return np.abs(off) / (0.5 * 10.0**-self.decimals + 1e-12)
        return np.abs(off) / (self.tolerance + SINGLE * np.abs(given))


@dataclass(frozen=True)
class Piece:
    """Some topics of one run, with the values given for them."""

    documents: Documents
    target: Target
    covered: np.ndarray | None = None


@dataclass(frozen=True)
class Block:
    """The values of several definitions for each topic (T × C).

    The definitions have the values of `fixed`, and those of `names` (C). `undefined` (T × C or T × 1) is true
    where a topic has no gain that counts.
    """

    fixed: Definition
    names: list[Definition]
    values: np.ndarray
    undefined: np.ndarray
    nothing: tuple[str, ...]


Errors = dict[tuple[Order, Definition], tuple[Block, np.ndarray]]
"""For each order and each block its definitions and their errors (C × nothing × averaged × shown)."""


# --------------------------------------------------------------------------------------------- errors


def errors(space: Space, pieces: Iterable[Piece]) -> Errors:
    """The error of each definition, summed over the pieces; 0 if it gives all values.

    The error is the number of topics that differ, and a fraction for how much; for a mean, it is the
    difference in tolerances.
    """
    total: Errors = {}
    for piece in pieces:
        for order, blocks in scored_blocks(space, piece.documents, partial(_scored, piece, space.shown)):
            for block, found in blocks:
                key = order, block.fixed
                total[key] = block, found if key not in total else total[key][1] + found
    return total


def scored_blocks(
    space: Space, documents: Documents, score: Callable[[Block], np.ndarray]
) -> Iterator[tuple[Order, list[tuple[Block, np.ndarray]]]]:
    """The blocks of each order with what `score` makes of them, once for all orders with the same labels."""
    ideals: dict[str, np.ndarray] = {}
    seen: dict[tuple[bytes, ...], list[tuple[Block, np.ndarray]]] = {}
    for order in documents.orders():
        if space.orders is not None and order not in space.orders:
            continue
        labels = documents.labels(order)
        key: tuple[bytes, ...] = labels.key()
        if key not in seen:
            seen[key] = [_kept(block, score) for block in cumulated_gains(space, documents, labels, ideals)]
        found = seen[key]
        if order.documents == EVERY and order.order != MEAN:
            ranks = documents.judged_ranks(order)
            key = b"ranks" * (order == BASE), ranks.doc.tobytes(), ranks.rank.tobytes()
            if key not in seen:
                seen[key] = [_kept(block, score) for block in of_strings(space, documents, order)]
            found = found + seen[key]
        yield order, found


def _kept(block: Block, score: Callable[[Block], np.ndarray]) -> tuple[Block, np.ndarray]:
    """The score of a block, and the block without its values, which would fill the memory."""
    return replace(block, values=np.empty((0, 0)), undefined=np.empty((0, 0))), score(block)


def _scored(piece: Piece, shown: Sequence[str], block: Block) -> np.ndarray:
    target = piece.target
    if target.values is not None:
        return _by_topic(target, target.values, block, shown)
    assert target.mean is not None
    member = averaged_topics(piece.documents)
    sizes = member.sum(axis=1)[:, None] + target.others * (np.array(AVERAGED)[:, None] == RUN_TOPICS)
    undefined = np.broadcast_to(block.undefined, block.values.shape)
    nothing_in = member @ undefined
    shape = (block.values.shape[1], len(block.nothing), len(AVERAGED), len(shown))
    found = np.empty(shape, dtype=np.float32)
    for column, way in enumerate(shown):
        values = SHOWN_FIRST[way](block.values) if way in SHOWN_FIRST else block.values
        sums, defined = member @ values, member @ np.where(undefined, 0.0, values)
        for row, nothing in enumerate(block.nothing):
            if nothing == LEFT_OUT:
                mean = ratio(defined, sizes - nothing_in)
            else:
                mean = (defined + nothing_in if nothing == ONE else sums) / np.maximum(sizes, 1)
            if piece.covered is not None:
                within = mean[(mean >= 0) & (mean <= 1)]
                piece.covered[np.round(within * (piece.covered.size - 1)).astype(np.int64)] = True
            miss = target.misses(mean, target.mean, way)
            found[:, row, :, column] = np.where(miss <= 1, 0.0, miss).T
    return found


def _by_topic(target: Target, given: np.ndarray, block: Block, shown: Sequence[str]) -> np.ndarray:
    known = np.flatnonzero(~np.isnan(given))
    value, values = given[known, None], block.values[known]
    undefined = np.broadcast_to(block.undefined, block.values.shape)[known]
    some = undefined.any()
    found = np.empty((values.shape[1], len(block.nothing), 1, len(shown)), dtype=np.float32)
    for column, way in enumerate(shown):
        miss = target.misses(values, value, way)
        wrong = miss > 1
        for row, nothing in enumerate(block.nothing):
            differ = wrong
            if some and nothing != OWN:
                of_nothing = float(nothing) if nothing != LEFT_OUT else np.inf
                fails = target.misses(np.full(value.shape, of_nothing), value, way) > 1
                differ = np.where(undefined, fails, wrong)
            count = differ.sum(axis=0)
            found[:, row, 0, column] = count
        off = np.minimum(np.abs(values - value), 1).sum(axis=0) / max(known.size, 1)
        found[..., column] += np.where(found[..., column] > 0, 0.49 * off[:, None, None], 0)
    return found


def averaged_topics(documents: Documents) -> np.ndarray:
    """The topics of each mean (averaged × T), in the order of `AVERAGED`."""
    relevant = documents.judged.relevant(LINEAR) > 0
    found = documents.retrieved & (np.nan_to_num(documents.level) > 0)
    has_found = np.bincount(documents.topic[found], minlength=documents.count) > 0
    every = np.ones(documents.count, dtype=bool)
    return np.stack((every, documents.has_topic, documents.has_topic, relevant, has_found)).astype(np.float64)


# --------------------------------------------------------------------------------------------- nDCG and DCG


def cumulated_gains(
    space: Space, documents: Documents, labels: Labels, ideals: dict[str, np.ndarray]
) -> Iterator[Block]:
    """The blocks of nDCG (one per ideal), of DCG, and of ERR with other probabilities to stop."""
    cuts = np.array([np.inf if cutoff == ALL_RANKS else int(cutoff) for cutoff in space.cutoffs])
    if space.gains and space.discounts and space.measures:
        yield from _discounted(space, documents, labels, ideals, cuts)
    for name, stop in STOPS.items():
        if any(each == name for each in space.measures):
            yield _stopping(name, stop, space, documents, labels, cuts)


def discounts_at(discounts: Iterable[Discount], depth: int) -> np.ndarray:
    """One over each discount at the ranks 1 … `depth` (depth × discounts)."""
    rank = np.arange(1, depth + 1, dtype=np.float64)
    return np.stack([1 / discount(rank) for discount in discounts], axis=1)


def collected(
    documents: Documents, labels: Labels, discounts: Sequence[Discount], cuts: np.ndarray
) -> np.ndarray:
    """The discounts that each level collects, for each discount and cutoff (T × L × discounts · cutoffs)."""
    depth = labels.code.shape[1]
    within = np.arange(1, depth + 1)[:, None] <= cuts
    weights = (discounts_at(discounts, depth)[:, :, None] * within[:, None, :]).reshape(depth, -1)
    return np.stack([labels.counts(level, weights) for level in range(documents.levels.shape[1])], axis=1)


def ideally_collected(
    documents: Documents, labels: Labels, discounts: Sequence[Discount], cuts: np.ndarray, ideal: str
) -> np.ndarray:
    """The same for the ideal list."""
    length = (labels.code >= 0).sum(axis=1)[:, None]  # T × 1
    most = np.broadcast_to(cuts, (documents.count, cuts.size))
    counts = documents.judged_levels[:, :, None]  # T × L × 1 or cutoffs
    if ideal == UNCUT:
        most = np.full(most.shape, np.inf)
    elif ideal in (AS_LONG, TOP_RETRIEVED):
        most = np.minimum(most, length)
    elif ideal == RETRIEVED:
        counts = labels_at(documents, labels, np.array([np.inf]))
    elif ideal == ANEW:
        counts = labels_at(documents, labels, cuts)
    if ideal in (TOP, TOP_RETRIEVED):
        counts = np.zeros(counts.shape)
        highest = np.nanargmax(documents.levels, axis=1)
        counts[np.arange(documents.count), highest] = np.inf
    ahead = np.flip(np.cumsum(np.flip(counts, axis=1), axis=1), axis=1)  # with the level itself
    before = np.concatenate((ahead[:, 1:], np.zeros_like(ahead[:, :1])), axis=1)
    depth = int(max(documents.judged_levels.sum(axis=1).max(), labels.code.shape[1]))
    if ideal in (TOP, TOP_RETRIEVED):
        depth = int(max(depth, cuts[np.isfinite(cuts)].max(initial=0)))
        most = np.where(np.isinf(most), length, most)
    sums = np.concatenate((np.zeros((1, len(discounts))), np.cumsum(discounts_at(discounts, depth), axis=0)))
    most = np.minimum(most, depth)[:, None, :]
    upper, lower = (np.minimum(each, most).astype(np.int64) for each in (ahead, before))
    found = np.moveaxis(sums[upper] - sums[lower], 3, 2)  # T × L × discounts × cutoffs
    return found.reshape(*found.shape[:2], -1)


def labels_at(documents: Documents, labels: Labels, cuts: np.ndarray) -> np.ndarray:
    """The number of documents of each level in the first k ranks (T × L × cutoffs)."""
    code = Labels(labels.code)
    within = (np.arange(1, code.code.shape[1] + 1)[:, None] <= cuts).astype(np.float64)
    return np.stack([code.counts(level, within) for level in range(documents.levels.shape[1])], axis=1)


def gain_tables(documents: Documents, gains: Iterable[Gain]) -> np.ndarray:
    """The gain of each level of each topic (T × gains × L), 0 for padding."""
    padding = np.isnan(documents.levels)
    level = np.where(padding, 0.0, documents.levels)
    return np.stack([np.where(padding, 0.0, gain(level)) for gain in gains], axis=1)


def _discounted(
    space: Space, documents: Documents, labels: Labels, ideals: dict[str, np.ndarray], cuts: np.ndarray
) -> Iterator[Block]:
    gains, discounts = gain_tables(documents, space.gains.values()), [*space.discounts.values()]
    dcg = gains @ collected(documents, labels, discounts, cuts)
    shape = documents.count, -1
    names = [
        Definition(gain=gain, discount=discount, cutoff=cutoff)
        for gain in space.gains
        for discount in space.discounts
        for cutoff in space.cutoffs
    ]
    never = np.zeros((documents.count, 1), dtype=bool)
    if DCG in space.measures:
        yield Block(Definition(DCG), names, dcg.reshape(shape), never, (ZERO,))
    kept = [not {name.gain, name.discount} & DCG_ONLY for name in names]
    names = [name for name, keeps in zip(names, kept) if keeps]
    for ideal in space.ideals if NDCG in space.measures and names else ():
        best = ideals.get(ideal)
        if best is None:
            best = gains @ ideally_collected(documents, labels, discounts, cuts, ideal)
            if ideal in (FIRST_K, UNCUT):
                ideals[ideal] = best
        values, undefined = (each.reshape(shape)[:, kept] for each in (ratio(dcg, best), best <= 0))
        yield Block(Definition(NDCG, ideal=ideal), names, values, undefined, (ZERO, ONE, LEFT_OUT))


def _stopping(
    name: str,
    stop: Callable[[np.ndarray, np.ndarray], np.ndarray],
    space: Space,
    documents: Documents,
    labels: Labels,
    cuts: np.ndarray,
) -> Block:
    """Expected reciprocal rank with a probability to stop that is not that of ERR_G."""
    padded = np.append(np.maximum(np.nan_to_num(documents.levels), 0), np.zeros((documents.count, 1)), axis=1)
    level = np.take_along_axis(padded, labels.code, axis=1)  # -1 is the padding
    with np.errstate(over="ignore", invalid="ignore"):
        p = stop(level, padded.max(axis=1)[:, None])
        goes_on = np.cumprod(1 - p, axis=1)
        before = np.concatenate((np.ones((documents.count, 1)), goes_on[:, :-1]), axis=1)
        err = np.cumsum(p * before / np.arange(1, p.shape[1] + 1), axis=1)
    at = np.minimum(cuts, p.shape[1]).astype(np.int64) - 1
    names = [Definition(cutoff=cutoff) for cutoff in space.cutoffs]
    undefined = (documents.judged.relevant(LINEAR) == 0)[:, None]
    return Block(Definition(name), names, np.nan_to_num(err[:, at]), undefined, (OWN, LEFT_OUT))


# --------------------------------------------------------------------------------------------- other measures


def of_strings(space: Space, documents: Documents, order: Order) -> Iterator[Block]:
    """The block of all measure strings, computed by the formulas of this package."""
    ranks = documents.judged_ranks(order)
    undefined = (documents.judged.relevant(LINEAR) == 0)[:, None]
    for condensed in (False, True):
        names, columns = [], []
        views: dict[Any, Topics] = {}
        lists: dict[Any, TrecLists] = {}
        for measure in space.strings:
            bare, judged_only = _with_documents(measure)
            if judged_only != condensed or (
                order._replace(documents=EVERY) != BASE and measure.NAME not in ANY_ORDER
            ):
                continue
            for cutoff, values in _at_cutoffs(measure, ranks, space.cutoffs, views, lists):
                names.append(Definition(str(bare), cutoff))
                columns.append(values)
                for variant, factor in VARIANTS.get(measure.NAME, {}).items():
                    names.append(Definition(f"{bare} {variant}", cutoff))
                    columns.append(values * factor(_counts(measure, ranks, cutoff, condensed)))
        if names:
            fixed = Definition(STRINGS, documents=JUDGED_ONLY if condensed else EVERY)
            yield Block(fixed, names, np.stack(columns, axis=1), undefined, (OWN, LEFT_OUT))


def _with_documents(measure: Measure) -> tuple[Measure, bool]:
    """The measure without the parameter judged_only, and whether it has only judged documents."""
    if "judged_only" not in measure.params:
        return measure, False
    bare = type(measure)(**{name: value for name, value in measure.params.items() if name != "judged_only"})
    return bare, bool(measure.params["judged_only"])


def _at_cutoffs(
    measure: Measure,
    ranks: JudgedRanks,
    cutoffs: Sequence[str],
    views: dict[Any, Topics],
    lists: dict[Any, TrecLists],
) -> Iterator[tuple[str, np.ndarray]]:
    """The values of a measure at each cutoff that it takes."""
    graded = isinstance(measure, GradedMeasure)
    few = [int(cutoff) for cutoff in cutoffs if cutoff != ALL_RANKS and int(cutoff) <= CURVE]
    curve = None
    for cutoff in cutoffs:
        cut = at_cutoff(measure, cutoff)
        if cut is None:
            continue
        try:
            if graded and measure.CUTOFF and cutoff != ALL_RANKS and int(cutoff) <= CURVE and len(few) > 1:
                if curve is None:
                    depth = max(few)
                    topics = view(measure, ranks, views, cut=False)
                    curve = computed(
                        measure, topics, partial(evaluated_curve, measure, depth=depth), (depth,)
                    )
                yield cutoff, curve[:, int(cutoff) - 1]
            elif graded:
                yield cutoff, computed(cut, view(cut, ranks, views), partial(evaluated, cut))
            elif trec_eval.computes(cut):
                yield cutoff, np.nan_to_num(trec_eval.values(cut, ranks, lists))
        except GradedError:
            return  # the data do not allow the measure: a gain above max_gain, scores outside [0, 1]


def _counts(measure: Measure, ranks: JudgedRanks, cutoff: str, condensed: bool) -> Counts:
    k = np.inf if cutoff == ALL_RANKS else float(cutoff)
    rel = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else 1e-300
    judged, seen = ranks.judged, ranks.condensed if condensed else ranks
    level, count = judged.level, len(judged.topics)
    hits = (level[seen.doc] >= rel) & (seen.rank <= k)
    gains = measure["gains"] if isinstance(measure, GradedMeasure) else LINEAR
    return Counts(
        relevant=np.bincount(judged.topic[level >= rel], minlength=count),
        retrieved=seen.retrieved,
        found=np.bincount(seen.topic[hits], minlength=count),
        top=np.full(count, judged.top(gains)[0]),
        k=k,
    )


# --------------------------------------------------------------------------------------------- the search

SAMPLE = 96
"""The number of topics on which all definitions are tried if there are more than twice as many."""
CHUNK = 500
"""The number of topics on which the remaining definitions are verified at a time."""
SLAB = 48
"""The number of cutoffs that are tried at a time."""
NEAREST = 400
"""The number of definitions that are verified if none gives the values of the sample."""
MOST = 4_000
"""The number of definitions that are kept."""


@dataclass(frozen=True)
class Case:
    """A run, the qrels and the values given for the run.

    `ranks_in_file` has the rank column of the run's file by line. `covered` tells which means from 0 to 1,
    rounded to the decimals of the mean, some definition has; it is filled by the search.
    """

    judged: Judged
    run: Table
    target: Target
    ranks_in_file: np.ndarray | None = None
    covered: np.ndarray | None = None

    def piece(self, topics: np.ndarray) -> Piece:
        """The topics of the qrels with these numbers."""
        judged = self.judged.part(topics)
        code = {topic: number for number, topic in enumerate(self.run.topics)}
        rows = [code[topic] for topic in judged.topics if topic in code]
        run = self.run.part(np.array(rows, dtype=np.int64))
        values = self.target.values
        target = replace(self.target, values=None if values is None else values[topics])
        return Piece(Documents(judged, run, self.ranks_in_file), target, self.covered)

    def sample(self) -> np.ndarray:
        """All topics, or those that tell definitions apart: values that differ, and some that are 0, 1 or
        missing."""
        values, count = self.target.values, len(self.judged.topics)
        if values is None or count <= 2 * SAMPLE:
            return np.arange(count)
        known = ~np.isnan(values)
        telling = np.flatnonzero(known & (values != 0) & (values != 1))
        others = np.flatnonzero(known & ((values == 0) | (values == 1)))
        few = [_spread(telling, SAMPLE - SAMPLE // 8), _spread(others, SAMPLE // 8)]
        return np.sort(np.concatenate(few))

    def pieces(self) -> Iterator[Piece]:
        """All topics, a chunk at a time; a mean needs all at once."""
        count = len(self.judged.topics)
        size = CHUNK if self.target.values is not None else count
        for start in range(0, count, size):
            yield self.piece(np.arange(start, min(start + size, count)))


def _spread(numbers: np.ndarray, count: int) -> np.ndarray:
    return numbers[np.unique(np.linspace(0, numbers.size - 1, min(count, numbers.size)).astype(np.int64))]


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
    tried, found = 0, Found(0, 0, [], [])
    samples = [case.piece(case.sample()) for case in cases]
    for start in range(0, len(space.cutoffs), SLAB):
        slab = replace(space, cutoffs=space.cutoffs[start : start + SLAB])
        found = _joined(found, _collected(errors(slab, samples), space))
    tried = found.tried
    if all(piece.documents.count == len(case.judged.topics) for piece, case in zip(samples, cases)):
        return found
    wanted = found.matches or [definition for _, definition in found.nearest]
    pieces = (piece for case in cases for piece in case.pieces())
    verified = _collected(errors(space.around(wanted), pieces), space, frozenset(wanted))
    return replace(verified, tried=tried)


def _joined(one: Found, other: Found) -> Found:
    nearest = sorted(one.nearest + other.nearest, key=lambda pair: pair[0])[:NEAREST]
    return Found(
        one.tried + other.tried, one.count + other.count, (one.matches + other.matches)[:MOST], nearest
    )


def _collected(total: Errors, space: Space, wanted: frozenset[Definition] | None = None) -> Found:
    """The definitions without an error, and the nearest ones; only those that are wanted."""
    tried, count = 0, 0
    matches: list[Definition] = []
    nearest: list[tuple[float, Definition]] = []
    limit = np.inf
    if wanted is None and total:
        least = [np.partition(found.ravel(), min(5, found.size - 1))[:6] for _, found in total.values()]
        limit = float(np.sort(np.concatenate(least))[:NEAREST][-1])
    for (order, _), (block, found) in total.items():
        tried += found.size
        count += int((found == 0).sum())
        for at in np.argwhere(found <= limit).tolist():
            if len(matches) >= MOST:
                break
            definition = _definition(order, block, at, space.shown, found.shape[2] > 1)
            if wanted is None or definition in wanted:
                error = float(found[tuple(at)])
                nearest.append((error, definition))
                if error == 0:
                    matches.append(definition)
    nearest.sort(key=lambda pair: pair[0])
    return Found(tried, count, matches, nearest[:NEAREST])


def _definition(
    order: Order, block: Block, at: Sequence[int], shown: Sequence[str], mean: bool
) -> Definition:
    column, nothing, averaged, way = at
    named, fixed = block.names[column], block.fixed
    return named._replace(
        measure=named.measure or fixed.measure,
        ideal=fixed.ideal,
        nothing=block.nothing[nothing] if len(block.nothing) > 1 else "",
        order=order.order,
        precision=order.precision,
        documents=fixed.documents or order.documents,
        averaged=AVERAGED[averaged] if mean else "",
        shown=shown[way],
    )


def values_of(space: Space, pieces: Iterable[Piece], definitions: Sequence[Definition]) -> np.ndarray:
    """The value of each definition for each topic (definitions × topics), NaN where it leaves the topic
    out."""
    return np.concatenate(
        [_values_in(space.around(definitions), piece, definitions) for piece in pieces], axis=1
    )


def values_of_measure(pieces: Iterable[Piece], measure: Measure) -> np.ndarray:
    """The values of a measure of this package or ir-measures, in trec_eval's order (topics)."""
    parts = []
    for piece in pieces:
        ranks = piece.documents.ranks
        if isinstance(measure, GradedMeasure):
            parts.append(computed(measure, view(measure, ranks), partial(evaluated, measure)))
        else:
            parts.append(np.nan_to_num(trec_eval.values(measure, ranks, {})))
    return np.concatenate(parts)


def _values_in(space: Space, piece: Piece, definitions: Sequence[Definition]) -> np.ndarray:
    documents = piece.documents
    result = np.full((len(definitions), documents.count), np.nan)
    by_labels: dict[Any, list[int]] = {}
    labels = {order: documents.labels(order) for order in {order_of(each) for each in definitions}}
    for number, each in enumerate(definitions):
        order = order_of(each)
        key = order._replace(documents=EVERY) if each.discount == "" else labels[order].key()
        by_labels.setdefault(key, []).append(number)
    for numbers in by_labels.values():
        order = order_of(definitions[numbers[0]])
        blocks = [*cumulated_gains(space, documents, labels[order], {})]
        if order.order != MEAN and order.documents in (EVERY, JUDGED_ONLY):
            blocks += of_strings(space, documents, order)
        columns = {
            (block.fixed, name): (block, column)
            for block in blocks
            for column, name in enumerate(block.names)
        }
        for number in numbers:
            each = definitions[number]
            if (place := columns.get(_place(each))) is None:
                continue  # the data do not allow the measure
            block, column = place
            values = block.values[:, column]
            if each.nothing in (ONE, LEFT_OUT):
                undefined = np.broadcast_to(block.undefined, block.values.shape)[:, column]
                values = np.where(undefined, 1.0 if each.nothing == ONE else np.nan, values)
            result[number] = values
    return result


def order_of(definition: Definition) -> Order:
    """The order of a definition."""
    return Order(definition.order, definition.precision, definition.documents)


def _place(of: Definition) -> tuple[Definition, Definition]:
    """The fixed dimensions of the block of a definition, and its name in the block."""
    if of.discount:
        name = Definition(gain=of.gain, discount=of.discount, cutoff=of.cutoff)
        return Definition(of.measure, ideal=of.ideal), name
    if of.measure in STOPS:
        return Definition(of.measure), Definition(cutoff=of.cutoff)
    return Definition(STRINGS, documents=of.documents), Definition(of.measure, of.cutoff)
