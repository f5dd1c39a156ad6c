"""The extremes of sums over relevant documents, found by dynamic programming.

If the number of unjudged documents at each level is fixed, so is the ideal list, and the sum over
the ranks so far depends only on how many of them each level has so far.
"""

import math
from typing import cast

import numpy as np

from ..measures.stop_sums import AtRelevant
from ..measures.topics import Topics, ratio
from .judgments import distributions, filled, kinds_of, levels_of_gains, refuse_work, unjudged_of
from .strategy import Strategy


class SumAtRelevant(Strategy):
    """For sums over relevant documents that need all judgments."""

    def extreme(self, topics: Topics, highest: bool) -> np.ndarray:
        measure = cast(AtRelevant, self.measure)
        levels = levels_of_gains(topics)[1:]
        unjudged = unjudged_of(topics).sizes
        judged = topics.judged.tolist()

        def work(topic: int, count: int) -> int:
            compositions = math.comb(count + levels.size, levels.size)
            return compositions**2 * (judged[topic] + count)

        refuse_work(topics, unjudged, work)
        result = measure.values(topics)
        for topic in np.flatnonzero(unjudged).tolist():
            count = int(unjudged[topic])
            if highest:
                values = _over_judgments(measure, topics, topic, count, levels, sign=1)
                result[topic] = max(result[topic], values.max())
            else:
                values = _over_judgments(measure, topics, topic, count, levels, sign=-1)
                result[topic] = min(result[topic], values.min())
        return result


def _over_judgments(
    measure: AtRelevant, topics: Topics, topic: int, count: int, levels: np.ndarray, sign: int
) -> np.ndarray:
    """The extreme values of one topic for all numbers of documents that get each level.

    There is a value for each of the N compositions. `sign` is 1 for the highest values and −1 for
    the lowest.
    """
    kinds = kinds_of(distributions(count, levels.size), count)
    numbers_of_kinds = np.arange(1, levels.size + 1)
    is_kind = kinds[:, :, None] == numbers_of_kinds
    compositions = Compositions(is_kind.sum(axis=1))
    size = compositions.size
    number = compositions.number
    whole = np.arange(size.size)  # the composition of all unjudged documents
    level_of_kind = np.append(np.nan, levels)
    topic_of_copies = np.full(size.size, topic)
    judged = filled(topics, topic_of_copies, level_of_kind[kinds])

    gain_of_kind = topics.gain_of(levels)
    u, q = measure.stops_and_goes_on(gain_of_kind, topics)
    gains = number @ gain_of_kind
    weight = np.prod(q**number, axis=1) * sign
    is_part = (number <= number[:, None]).all(axis=2)  # whole composition × composition so far
    unreached = np.full((size.size, size.size), -np.inf)
    best = np.where(size == 0, 0.0, unreached)

    run = topics.run
    run_u, run_q = measure.stops_and_goes_on(run.gain, topics)
    entries = range(run.offsets[topic], run.offsets[topic + 1])
    entry_at = {int(run.rank[entry]): entry for entry in entries}
    seen = 0  # the unjudged documents so far
    relevant = 0
    gain = 0.0
    for rank in range(1, int(topics.retrieved[topic]) + 1):
        entry = entry_at.get(rank)
        if entry is not None:
            if run.gain[entry] == 0:
                continue
            relevant += 1
            gain += run.gain[entry]
        achieved = measure.achieved(relevant + size, gain + gains)
        possible = measure.possible(np.full(size.size, rank), whole, judged)
        quotient = ratio(achieved, possible[:, None])
        if entry is None:
            seen += 1
            rest = (count - size)[:, None]  # documents of the whole composition that gain nothing
            is_reachable = is_part & (seen >= size) & (seen - size <= rest)
            extended = compositions.extended(best, u, weight, quotient)
            best = np.where(is_reachable, extended, -np.inf)
        else:
            best = best + run_u[entry] * weight * quotient
            weight = weight * run_q[entry]
    sums = np.abs(best[whole, whole])
    return measure.over_divisor(sums, judged, judged.cutoff)


class Compositions:
    """N compositions of documents of K kinds, the states of dynamic programming.

    For some sums, the best sum over the ranks so far depends only on the composition of their
    documents.

    `number` (N × K) are the documents of each kind. Among the compositions are all that have fewer
    documents of a kind. `steps` has for each kind the compositions that hold it, and for each of
    these the composition with one document fewer of that kind. `size` (N) is the number of
    documents of each composition.
    """

    def __init__(self, number: np.ndarray) -> None:
        self.number = number
        self.size = number.sum(axis=1)
        index = {row.tobytes(): position for position, row in enumerate(number)}
        self.steps: list[tuple[np.ndarray, np.ndarray]] = []
        for kind in range(number.shape[1]):
            after = np.flatnonzero(number[:, kind])
            fewer = number[after]
            fewer[:, kind] -= 1
            before = [index[row.tobytes()] for row in fewer]
            self.steps.append((after, np.array(before, dtype=np.int64)))

    def extended(
        self, best: np.ndarray, stops: np.ndarray, weight: np.ndarray, quotient: np.ndarray
    ) -> np.ndarray:
        """The best sum at each composition (… × N) after one more document, of one of the kinds or
        of none.

        A document that leads to a composition adds `stops` (K) times the `weight` of the
        composition before it (N) times the `quotient` at this composition (… × N).
        """
        reached = best.copy()
        for (after, before), stop in zip(self.steps, stops, strict=True):
            amount = stop * weight[before] * quotient[..., after]
            sums = best[..., before] + amount
            reached[..., after] = np.maximum(reached[..., after], sums)
        return reached
