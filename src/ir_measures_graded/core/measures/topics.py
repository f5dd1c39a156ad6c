"""The input of a measure: all topics at once (`Topics`), or one topic (`Topic`).

Both apply a measure's `gains` and `cutoff` to its list, from which `GradedMeasure.listed` removes
unjudged documents if `judged_only` is set. So measures do not handle these parameters themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import GradedError, shown
from .. import by_topic
from ..ranking.gains import Gains, gain_of
from ..ranking.judged import computed_once
from ..ranking.ranks import JudgedRanks


class GainList:
    """A list of gains by rank for each of T topics; ranks without a gain may be left out.

    `topic`, `rank` (from 1) and `gain` have one entry per document, topic after topic, ranks
    ascending. The run's list `G` and the ideal list `I` both have this form. Measures share lists,
    so nothing in a list can be changed.
    """

    topic_count: int
    topic: np.ndarray
    rank: np.ndarray
    gain: np.ndarray

    def __init__(self, topic_count: int, topic: np.ndarray, rank: np.ndarray, gain: np.ndarray):
        vars(self).update(
            topic_count=topic_count,
            topic=_read_only(topic),
            rank=_read_only(rank),
            gain=_read_only(gain),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of a GainList cannot be changed; make another list")

    def sum(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value per entry over each topic (T), 0 if a topic has no entry."""
        total = np.bincount(self.topic, weights=values, minlength=self.topic_count)
        return total.astype(np.float64, copy=False)  # without entries, NumPy returns integers

    @property
    def total(self) -> np.ndarray:
        """The sum of the gains of each topic (T)."""
        return self.sum(self.gain)

    def with_gain(self, gain: np.ndarray) -> GainList:
        """The list with another gain in each entry."""
        return GainList(self.topic_count, self.topic, self.rank, gain)

    def divided(self, value: np.ndarray, parts: np.ndarray) -> GainList:
        """The list with a value of each topic (T) divided among its entries in proportion to
        `parts`.

        >>> ideal = GainList(1, np.array([0, 0]), np.array([1, 2]), np.array([3.0, 2.0]))
        >>> ideal.divided(np.array([0.5]), np.array([4.0, 1.0])).gain
        array([0.4, 0.1])
        """
        share_of_entry = ratio(parts, self.sum(parts)[self.topic])
        return self.with_gain(share_of_entry * value[self.topic])

    @cached_property
    def offsets(self) -> np.ndarray:
        """Topic t has the entries `offsets[t]:offsets[t + 1]`."""
        return by_topic.offsets_of(self.topic, self.topic_count)

    @property
    def sizes(self) -> np.ndarray:
        """The number of entries of each topic (T)."""
        return np.diff(self.offsets)

    @cached_property
    def last(self) -> np.ndarray:
        """The rank of each topic's last entry (T), 0 if it has none."""
        return self.final(self.rank, 0)

    @cached_property
    def cumulated(self) -> np.ndarray:
        """The cumulated gain at each entry."""
        return _read_only(self.cumsum(self.gain))

    @cached_property
    def number(self) -> np.ndarray:
        """The number of each entry in its topic, from 1."""
        return _read_only(by_topic.positions(self.sizes) + 1)

    def cumsum(self, values: np.ndarray) -> np.ndarray:
        """The running sum of a value per entry within each topic."""
        return by_topic.cumsum(values, self.offsets)

    def vector(self, values: np.ndarray, depth: int) -> np.ndarray:
        """The running sum of a value per entry at the ranks 1 … `depth` of each topic (T × depth).

        >>> ideal = GainList(1, np.array([0, 0]), np.array([1, 3]), np.array([3.0, 2.0]))
        >>> ideal.vector(ideal.gain, depth=4)
        array([[3., 3., 5., 5.]])
        """
        entered = np.zeros((self.topic_count, depth))
        within = self.rank <= depth
        entered[self.topic[within], self.rank[within] - 1] = values[within]
        return np.cumsum(entered, axis=1)

    def running(self, operation: np.ufunc, values: np.ndarray) -> np.ndarray:
        """The running product or maximum of a value per entry within each topic."""
        return by_topic.running(operation, values, self.offsets)

    def previous(self, values: np.ndarray, first: float) -> np.ndarray:
        """The value of the entry before each entry; `first` for the first entry of a topic."""
        return np.where(self.number == 1, first, np.append(first, values[:-1]))

    def final(self, values: np.ndarray, default: float = 0.0) -> np.ndarray:
        """The value of each topic's last entry (T); `default` if it has none."""
        last = np.where(self.sizes > 0, self.offsets[1:], 0)
        return np.append(default, values)[last]

    def latest(self, values: np.ndarray, depth: int, default: float = 0.0) -> np.ndarray:
        """The value of the last entry at or above each rank 1 … `depth` (T × depth); before,
        `default`.

        >>> run = GainList(1, np.array([0, 0]), np.array([2, 3]), np.array([1., 2.]))
        >>> run.latest(np.array([5., 7.]), 4)
        array([[0., 5., 7., 7.]])
        """
        topic, rank = np.divmod(np.arange(self.topic_count * depth), depth)
        return self.value_at(rank + 1, topic, values, default).reshape(self.topic_count, depth)

    def value_at(
        self, rank: np.ndarray, topic: np.ndarray, values: np.ndarray, default: float = 0.0
    ) -> np.ndarray:
        """The value of the last entry at or above each `rank` of each `topic`; before the first,
        `default`.

        >>> ideal = GainList(1, np.array([0, 0]), np.array([1, 2]), np.array([3.0, 2.0]))
        >>> ideal.value_at(np.array([1, 2, 9]), np.array([0, 0, 0]), ideal.cumsum(ideal.gain))
        array([3., 5., 5.])
        """
        if not self.rank.size:
            return np.full(len(rank), default)
        if (self.last == self.sizes).all():
            # Ideal lists have an entry at each rank, so no search is needed.
            after = np.minimum(self.offsets[topic] + rank, self.offsets[topic + 1])
        else:
            stride = max(int(self.rank.max()), int(rank.max(initial=0))) + 1
            places = self.topic * stride + self.rank
            after = np.searchsorted(places, topic * stride + rank, "right")
        return np.where(after > self.offsets[topic], values[after - 1], default)

    def where(self, kept: np.ndarray) -> GainList:
        """The entries for which `kept` is true."""
        return GainList(self.topic_count, self.topic[kept], self.rank[kept], self.gain[kept])

    @cached_property
    def relevant(self) -> GainList:
        """The entries with a positive gain."""
        return self.where(self.gain > 0)


def _array(compute: Callable[[Topics], np.ndarray]) -> cached_property[np.ndarray]:
    """A property of topics that is computed once."""

    def read_only(topics: Topics) -> np.ndarray:
        return _read_only(compute(topics))

    return cached_property(read_only)


class StopSteps:
    """How a user comes to stop at the relevant documents of the run's list.

    `stops` is the probability to stop at each, for a user who gets there, and `worth` what stopping
    there is worth. `worth_in_words` says how that is computed, and `divisor_in_words` what divides
    the products; it is empty if nothing does.
    """

    def __init__(
        self, stops: GainList, worth: GainList, worth_in_words: str, divisor_in_words: str
    ):
        self.stops = stops
        self.worth = worth
        self.worth_in_words = worth_in_words
        self.divisor_in_words = divisor_in_words


class Topics:
    """All topics of the qrels, as a measure sees one run.

    There are T topics and J judged documents; the run retrieves H of these within the cutoff.

    - `names` (T ids), `count` (T itself), `cutoff` (int or None)
    - `run`: the gains of the run's list up to the cutoff; unjudged documents have gain 0 and no
      entry. `ideal`: the gains of the ideal list up to the cutoff. Both are a `GainList`.
    - `whole_run`, `whole_ideal`: the same lists without a cutoff.
    - `retrieved` (T): the number of ranks in the run's list, at most the cutoff. `judged` (T): the
      number of judged documents. `known` (T): the number of judged and retrieved ones, whatever the
      cutoff. `relevant` (T): the number of judged documents with a gain > 0, the papers' R.
    - `depth` (T): the cutoff; without one, the larger of `retrieved` and `judged`.
    - `best` (T): the highest gain of the topic's recall base. `possible_gains`: the distinct
      positive gains of all levels in the collection, over all topics, ascending.
    - For measures that compare two orders: `document_topic`, `document_gain` and `document_level`
      (J) of each judged document; `document` (H), the number of each entry of `run` among these;
      `first` and `last` (H), the ranks where the entry's tie group begins and ends; `position` (H),
      the index of its score in `ranks.score`.
    - `ranks`: the judged ranks before gains and cutoff, for everything else.
    """

    def __init__(self, ranks: JudgedRanks, gains: Gains, cutoff: int | None):
        self.ranks = ranks
        self.gains = gains
        self.cutoff = cutoff
        self.names = ranks.judged.topics
        self.count = len(self.names)
        self.computed: dict[Hashable, Any] = {}
        self._within: slice | np.ndarray = slice(None)
        if cutoff is not None:
            self._within = np.flatnonzero(ranks.rank <= cutoff)

    @_array
    def judged(self) -> np.ndarray:
        return self.ranks.judged.sizes

    @_array
    def retrieved(self) -> np.ndarray:
        return np.minimum(self.ranks.retrieved, self.cutoff or self.ranks.retrieved)

    @_array
    def known(self) -> np.ndarray:
        return self.judged + self.ranks.retrieved - self.whole_run.sizes

    @_array
    def relevant(self) -> np.ndarray:
        return self.ranks.judged.relevant(self.gains)

    @_array
    def best(self) -> np.ndarray:
        return self.ranks.judged.best(self.gains)

    @_array
    def possible_gains(self) -> np.ndarray:
        return self.ranks.judged.possible_gains(self.gains)

    @_array
    def document_topic(self) -> np.ndarray:
        return self.ranks.judged.topic

    @_array
    def document_gain(self) -> np.ndarray:
        return self.ranks.judged.gain(self.gains)

    @_array
    def document_level(self) -> np.ndarray:
        return self.ranks.judged.level

    @_array
    def document(self) -> np.ndarray:
        return self.ranks.doc[self._within]

    @_array
    def first(self) -> np.ndarray:
        return self.ranks.first[self._within]

    @_array
    def last(self) -> np.ndarray:
        return self.ranks.last[self._within]

    @_array
    def position(self) -> np.ndarray:
        return self.ranks.position[self._within]

    @_array
    def depth(self) -> np.ndarray:
        if self.cutoff:
            return np.full(self.count, self.cutoff)
        return np.maximum(self.retrieved, self.judged)

    @cached_property
    def run(self) -> GainList:
        topic = self.ranks.topic[self._within]
        rank = self.ranks.rank[self._within]
        gain = self.ranks.judged.gain_at(self.gains, self.document)
        return GainList(self.count, topic, rank, gain)

    @cached_property
    def ideal(self) -> GainList:
        return GainList(self.count, *self.ranks.judged.ideal(self.gains, self.cutoff))

    @cached_property
    def whole_run(self) -> GainList:
        return self.run if self.cutoff is None else self.cut(None).run

    @cached_property
    def whole_ideal(self) -> GainList:
        return self.ideal if self.cutoff is None else self.cut(None).ideal

    def gain_of(self, levels: np.ndarray) -> np.ndarray:
        """The gain of each level (any shape)."""
        return gain_of(levels, self.gains)

    def cut(self, cutoff: int | None) -> Topics:
        """The same topics with the lists cut after rank `cutoff`."""
        return Topics(self.ranks, self.gains, cutoff)

    def reranked(self, ranks: JudgedRanks) -> Topics:
        """The same view of another list, or of other judgments."""
        return Topics(ranks, self.gains, self.cutoff)

    def __iter__(self) -> Iterator[Topic]:
        """Each topic by itself."""
        return (Topic(self, number) for number in range(self.count))


topics_of = computed_once(Topics)
"""The topics of a run, which all measures with these gains and this cutoff share."""


@computed_once
def full_list(topics: Topics) -> GainList:
    """The run's list with an entry at each rank: unjudged documents have gain 0."""
    run = topics.run
    retrieved = topics.retrieved
    topic = np.repeat(np.arange(topics.count), retrieved)
    rank = by_topic.positions(retrieved) + 1
    starts = by_topic.bounds_of(retrieved)
    gain = np.zeros(retrieved.sum())
    gain[starts[run.topic] + run.rank - 1] = run.gain
    return GainList(topics.count, topic, rank, gain)


class Topic:
    """One topic of the qrels, as a measure sees one run; the lists are NumPy arrays.

    - `name`, `cutoff`, `depth`, `best`, and the counts `retrieved`, `judged`, `relevant`: as in
      `Topics`.
    - `gains`: G, the gain at each rank of the run's list (`retrieved`), 0 for unjudged documents;
      `ideal`: I, the gains of the ideal list (at most `relevant`), both up to the cutoff.
    - For each judged document that was retrieved within the cutoff, in rank order: `ranks`,
      `levels`, `scores`, and `ties`, the number of its tie group (documents with equal scores).
    """

    def __init__(self, topics: Topics, number: int):
        run = topics.run
        ideal = topics.ideal
        hits = slice(run.offsets[number], run.offsets[number + 1])
        self.name = topics.names[number]
        self.cutoff = topics.cutoff
        self.depth = int(topics.depth[number])
        self.best = float(topics.best[number])
        self.retrieved = int(topics.retrieved[number])
        self.judged = int(topics.judged[number])
        self.relevant = int(topics.relevant[number])
        self.ranks = run.rank[hits]
        self.levels = topics.document_level[topics.document[hits]]
        self.scores = topics.ranks.score[topics.position[hits]]
        _, tie_group = np.unique(topics.first[hits], return_inverse=True)
        self.ties = tie_group.reshape(-1)
        self.gains = np.zeros(self.retrieved)
        self.gains[self.ranks - 1] = run.gain[hits]
        self.ideal = ideal.gain[ideal.offsets[number] : ideal.offsets[number + 1]]


def _read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view, so that a measure cannot change the input of other measures."""
    view = array.view()
    view.flags.writeable = False
    return view


def ratio(numerator: np.ndarray, denominator: np.ndarray, undefined: float = 0.0) -> np.ndarray:
    """The quotient; `undefined` if the denominator is 0.

    >>> ratio(np.array([1., 0.]), np.array([2., 0.]))
    array([0.5, 0. ])

    Raises `OverflowError` for an infinite denominator, and `GradedError` for anything but numbers.
    """
    for name, numbers in (("numerator", numerator), ("denominator", denominator)):
        if np.asarray(numbers).dtype.kind not in "biuf":
            raise GradedError(f"ratio: {name} must be an array of numbers, not {shown(numbers)}")
    if not isinstance(undefined, (int, float, np.number)):
        raise GradedError(f"ratio: undefined must be a number, not {shown(undefined)}")
    numerator = np.asarray(numerator)
    denominator = np.asarray(denominator)
    if np.isinf(denominator).any():
        raise OverflowError("a divisor is infinite; divide all gains and parameters by one number")
    result = np.full(np.broadcast(numerator, denominator).shape, float(undefined))
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def share(achieved: np.ndarray, possible: np.ndarray) -> np.ndarray:
    """The quotient of a sum and its upper bound, limited to 1.

    The two may have been added in different orders and then differ in their last bit.
    """
    return np.minimum(ratio(achieved, possible), 1.0)
