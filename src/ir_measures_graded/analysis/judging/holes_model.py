"""The model of `holes`: the gains that unjudged documents are expected to have, and the pairs of
runs that they leave open.

An unjudged document counts with its expected gain, estimated from judged documents with similar
ranks. A pair of runs is open while the unjudged documents could plausibly reverse the sign of its
difference. With `near` = Σ over runs 1/(rank + 5), the weights w (documents × runs) and T topics:

    fit = isotonic regression of the gains of the judged documents on near, through (0, 0)
    e   = gain if judged, else fit(near);  s² = mean squared residual
    I   = the ideal value of each topic with e;  h = w[unjudged] / I[topic];  v = means with e
    D   = T · (v_a − v_b);  G = hᵀh;  V = s² · (G_aa + G_bb − 2 G_ab);  z = |D| / √V
    C   = exp(−z²/2) / V, diagonal 0;  L = diag(C·1) − C;  score = row sums of (h L) ∘ h

A pair is open if z < 3, if the order of its means differs from that with expected gains, or if more
than half of the documents within the cutoff of either run are unjudged: the pool may be that of one
of the runs, which the model cannot know.

B. Carterette, J. Allan, R. Sitaraman: Minimal test collections for retrieval evaluation. SIGIR
2006. The regression of gains is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.by_topic import positions
from ...core.ranking.gains import gain_of
from ...core.ranking.judged import Judged
from ...core.registry.facts import gains_of, is_normalised
from ...evaluation.assumed import unjudged_within
from ...evaluation.named import Run, read_judgments
from ...progress import steps
from ..statistics.options import statistics_library
from ..statistics.precision import EXACT
from .panel import LevelsByTopic

MOST_DEVIATIONS: Final = 3.0
"""A pair of runs is open below this many standard deviations."""
MOSTLY_UNJUDGED: Final = 0.5
"""A pair is open if a larger share of the documents of either run is unjudged."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The documents that are judged or that a run retrieves within the `depth`.

    In `documents`, unjudged ones have level 0; `is_judged` tells them apart. The `ranks` (documents
    × runs) are 0 where a run does not retrieve a document.
    """

    documents: Judged
    is_judged: np.ndarray
    ranks: np.ndarray
    depth: int

    @classmethod
    def of(cls, levels: LevelsByTopic, runs: Sequence[Run], depth: int) -> Pool:
        """From the levels of the judged documents. Every topic of the runs has an entry there."""
        documents = {topic: dict(judged) for topic, judged in levels.items()}
        for run in steps(runs, "runs"):
            _add_retrieved(documents, run, depth)
        judgments = read_judgments(documents)
        pooled = judgments.judged
        ranks = np.zeros((pooled.level.size, len(runs)), dtype=np.int64)
        for column, run in enumerate(steps(runs, "runs")):
            (reduced,) = Run(run.name, run.ranks.listed).reduced(judgments)
            ranks[reduced.doc, column] = reduced.rank
        is_judged = []
        for topic, of_topic in pooled.rows.dicts().items():
            judged = levels.get(topic, {})
            is_judged += [document in judged for document in of_topic]
        return cls(pooled, np.array(is_judged, dtype=bool), ranks, depth)

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """The topic and the id of each document."""
        by_topic = self.documents.rows.dicts()
        return [
            (topic, document) for topic, documents in by_topic.items() for document in documents
        ]

    @cached_property
    def unjudged(self) -> np.ndarray:
        """The rows of the unjudged documents."""
        return np.flatnonzero(~self.is_judged)

    @cached_property
    def within(self) -> np.ndarray:
        """Whether each run retrieves each document within the depth (documents × runs)."""
        return (self.ranks > 0) & (self.ranks <= self.depth)

    @cached_property
    def best_rank(self) -> np.ndarray:
        """The best rank of each document in a run."""
        beyond_all = np.iinfo(np.int64).max
        return np.asarray(np.where(self.ranks > 0, self.ranks, beyond_all).min(axis=1))

    @cached_property
    def nearness(self) -> np.ndarray:
        """How near each document is to the top of the runs: Σ over runs 1/(rank + 5)."""
        by_run = np.where(self.ranks > 0, 1 / (self.ranks + 5), 0.0)
        # Sorted terms have the same sum whatever the order of the runs.
        return np.asarray(np.sort(by_run, axis=1).sum(axis=1))

    @cached_property
    def unjudged_shares(self) -> np.ndarray:
        """The share of the documents of each run within the depth that are unjudged; 0 without
        documents."""
        unjudged = self.within[self.unjudged].sum(axis=0)
        return np.asarray(unjudged / np.maximum(self.within.sum(axis=0), 1))


def _add_retrieved(documents: LevelsByTopic, run: Run, depth: int) -> None:
    """Add the documents that a run retrieves within the depth, with level 0."""
    run.check(run.topics, run.judgments)
    for topic, document in unjudged_within(run.ranks, depth):
        documents[topic].setdefault(document, 0)


@dataclass(frozen=True, eq=False)
class Model:
    """What a measure expects of the documents of a pool; see the module for the formulas.

    `gains` has e of each document, `variance` is s², and `h` (documents × runs) are the weights of
    the documents, divided by the ideal value of their topic.
    """

    gains: np.ndarray
    variance: float
    h: np.ndarray

    @classmethod
    def of(cls, measure: Measure, pool: Pool) -> Model:
        """The model of a measure that is a sum of gains with a weight for each rank."""
        gains_of_levels = gain_of(pool.documents.level, gains_of(measure))
        gains, variance = _expected_gains(gains_of_levels, pool.nearness, pool.is_judged)
        return cls(gains, variance, _weights(measure, pool, gains))

    @cached_property
    def total(self) -> np.ndarray:
        """The sum of the values of each run over the topics, with expected gains."""
        # `@` starts threads, which wait on a busy machine.
        return np.asarray(np.einsum("d,da->a", self.gains, self.h))


class OpenPairs(NamedTuple):
    """The pairs of runs that are open, and those whose order differs with expected gains (both runs
    × runs), and the `scores` of the unjudged documents."""

    is_open: np.ndarray
    is_turned: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(cls, model: Model, pool: Pool, values: np.ndarray) -> OpenPairs:
        """From the means of the runs by the judgments."""
        h = model.h[pool.unjudged]
        scores, is_open = _scores_and_open(h, model.total, model.variance)
        expected = model.total / len(pool.documents.topics)
        is_turned = signs(values) != signs(expected)
        is_open |= is_turned
        is_open |= _too_little_judged(pool.unjudged_shares, h)
        return cls(is_open, is_turned, scores)

    @property
    def total(self) -> int:
        """The number of open pairs."""
        return _pairs_in(self.is_open)


@dataclass(frozen=True, eq=False)
class Outlook:
    """What the model expects of further judgments, see the module.

    `h` and `gains` are those of the unjudged documents in the order in which they are worth
    judging, and `within` (documents × runs) tells which are within the cutoff of a run. `total` and
    `variance` are those of the model, and `sizes` the numbers of documents of each run within the
    cutoff.
    """

    h: np.ndarray
    gains: np.ndarray
    within: np.ndarray
    total: np.ndarray
    variance: float
    sizes: np.ndarray

    @classmethod
    def of(cls, model: Model, pool: Pool, order: np.ndarray) -> Outlook:
        """The outlook if the documents of these rows are judged in this order."""
        return cls(
            h=model.h[order],
            gains=model.gains[order],
            within=pool.within[order],
            total=model.total,
            variance=model.variance,
            sizes=pool.within.sum(axis=0),
        )

    def curve(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of documents that are judged, and the pairs that then stay open.

        Each document has its expected gain.
        """
        counts = np.unique(np.linspace(0, len(self.h), steps).round().astype(int))
        still_open = [self._open_after(count) for count in counts.tolist()]
        return counts, np.array(still_open)

    def _open_after(self, count: int) -> int:
        """The open pairs when so many documents are judged."""
        left = self.h[count:]
        _, is_open = _scores_and_open(left, self.total, self.variance)
        without = self.total - np.einsum("d,da->a", self.gains[count:], left)
        is_open |= signs(without) != signs(self.total)
        shares = self.within[count:].sum(axis=0) / np.maximum(self.sizes, 1)
        is_open |= _too_little_judged(shares, left)
        return _pairs_in(is_open)


def _pairs_in(is_pair: np.ndarray) -> int:
    """The number of pairs of a symmetric matrix (runs × runs)."""
    return int(np.triu(is_pair, 1).sum())


def signs(means: np.ndarray) -> np.ndarray:
    """The sign of the difference of each two means, 0 for rounding errors."""
    differences = np.subtract.outer(means, means)
    differences[np.abs(differences) <= EXACT * np.abs(means).max()] = 0
    return np.sign(differences)


def _too_little_judged(unjudged_shares: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Whether most documents of either run are unjudged, and some of them has different weights in
    the two (runs × runs)."""
    is_mostly_unjudged = unjudged_shares > MOSTLY_UNJUDGED
    either = np.logical_or.outer(is_mostly_unjudged, is_mostly_unjudged)
    can_differ = _squared_distances(h) > 0
    return np.asarray(either & can_differ)


def _expected_gains(
    gains: np.ndarray, nearness: np.ndarray, is_judged: np.ndarray
) -> tuple[np.ndarray, float]:
    """The gains of judged documents, those that the others are expected to have, and s²."""
    shows_gain = is_judged & (nearness > 0)
    if not shows_gain.any():
        return np.where(is_judged, gains, 0.0), 0.0
    seen = gains[shows_gain]
    fit = _increasing(nearness[shows_gain], seen, nearness)
    residual = seen - fit[shows_gain]
    residual[np.abs(residual) <= EXACT * np.abs(seen).max()] = 0
    return np.where(is_judged, gains, fit), float((residual**2).mean())


def _increasing(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The isotonic regression of y on x > 0 through (0, 0), at other points.

    >>> _increasing(np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 2.0]), np.array([0.5, 2.0, 9.0]))
    array([0.5, 3. , 3. ])
    """
    points, number, count = np.unique(x, return_inverse=True, return_counts=True)
    isotonic_regression = statistics_library("scipy.optimize").isotonic_regression
    fit = isotonic_regression(np.bincount(number, y) / count, weights=count).x
    return np.interp(at, np.append(0, points), np.append(0, fit))


def _weights(measure: Measure, pool: Pool, gains: np.ndarray) -> np.ndarray:
    """The weights (documents × runs), divided by the topic's ideal value if documents have these
    gains."""
    documents = pool.documents
    longest_list = np.diff(documents.offsets).max(initial=1)
    last_rank = pool.ranks[pool.within].max(initial=1)
    by_rank = measure.rank_weights(int(max(longest_list, last_rank)))
    rank_or_first = np.where(pool.within, pool.ranks, 1)
    weights = np.where(pool.within, by_rank[rank_or_first - 1], 0.0)
    if not is_normalised(measure):
        return weights
    if measure.IDEAL_IS_CUT:
        by_rank = by_rank * (np.arange(by_rank.size) < pool.depth)
    order = np.lexsort((-gains, documents.topic))
    place_in_topic = positions(np.bincount(documents.topic))
    best = np.maximum(gains[order], 0) * by_rank[place_in_topic]
    ideal = np.bincount(documents.topic[order], best, len(documents.topics))
    ideal[ideal == 0] = by_rank[0]  # nothing is known of the topic
    return weights / ideal[documents.topic][:, None]


def _scores_and_open(
    h: np.ndarray, total: np.ndarray, variance: float
) -> tuple[np.ndarray, np.ndarray]:
    """The scores of the unjudged documents, and whether the model leaves each pair of runs open
    (runs × runs)."""
    distances = _squared_distances(h)
    uncertainty = variance * distances
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(total[:, None] - total) / np.sqrt(uncertainty)
        c = np.where(uncertainty > 0, np.exp(-(z**2) / 2) / uncertainty, 0)
    is_open = (distances > 0) & ((z < MOST_DEVIATIONS) | (variance == 0))
    laplacian = np.diag(c.sum(axis=1)) - c
    scores = (np.einsum("da,ab->db", h, laplacian) * h).sum(axis=1)
    return scores, is_open


def _squared_distances(h: np.ndarray) -> np.ndarray:
    """G_aa + G_bb − 2 G_ab of each two runs, 0 for rounding errors."""
    products = np.einsum("da,db->ab", h, h)
    of_run = np.diag(products)
    distances = np.add.outer(of_run, of_run) - 2 * products
    distances[distances <= EXACT * products.max(initial=0)] = 0
    return distances
