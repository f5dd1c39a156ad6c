"""Operations on the values of all topics at once.

One flat array holds the values of all topics, topic after topic. `topic` is the topic of each
value; `offsets[t]:offsets[t + 1]` is the slice of topic t. Each function processes every topic
independently and in the order of its values. The result of a topic is therefore the same to the
last bit, whatever other topics are present.
"""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np


def offsets_of(topic: np.ndarray, topic_count: int) -> np.ndarray:
    """The slice boundaries of an ascending array of topic numbers.

    >>> offsets_of(np.array([0, 0, 2]), topic_count=3)
    array([0, 2, 2, 3])
    """
    return bounds_of(np.bincount(topic, minlength=topic_count))


def bounds_of(sizes: np.ndarray) -> np.ndarray:
    """The slice boundaries of consecutive topics of these sizes.

    >>> bounds_of(np.array([2, 0, 1]))
    array([0, 2, 2, 3])
    """
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def positions(sizes: np.ndarray) -> np.ndarray:
    """The positions 0, 1, 2, … within each of several consecutive slices.

    >>> positions(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)


def changes(values: np.ndarray) -> np.ndarray:
    """Whether each value differs from the one before it; the first does.

    >>> changes(np.array([1, 1, 2]))
    array([ True, False,  True])
    """
    differ = np.ones(values.size, dtype=bool)
    differ[1:] = values[1:] != values[:-1]
    return differ


def rows_of(starts: np.ndarray, sizes: np.ndarray) -> slice | np.ndarray:
    """The row numbers of several slices; a single slice if they are consecutive.

    >>> rows_of(np.array([5, 0]), np.array([2, 3])), rows_of(np.array([1, 3]), np.array([2, 4]))
    (array([5, 6, 0, 1, 2]), slice(1, 7, None))
    """
    ends = starts + sizes
    if starts.size and (starts[1:] == ends[:-1]).all():
        return slice(int(starts[0]), int(ends[-1]))
    return np.repeat(starts, sizes) + positions(sizes)


FEW_VALUES = 8
"""The number of distinct values up to which they are processed one at a time."""


def coded(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted distinct values, and the index of each input among them.

    >>> coded(np.array([2., 0., 2.]))
    (array([0., 1., 2.]), array([2, 0, 2]))

    Inputs that differ by small whole numbers, as levels nearly always do, need no sort. The
    distinct values are then a range, which may include values that do not occur in the input.
    """
    kinds = _small_range(values)
    if kinds.size:
        low = values.min()
        code = (values - low).astype(np.int64)
        if (code + low == values).all():
            return kinds, code
    return np.unique(values, return_inverse=True)


def _small_range(values: np.ndarray) -> np.ndarray:
    """The values if they differ by small whole numbers; empty if they differ by large numbers."""
    if not values.size:
        return np.empty(0)
    low = values.min()
    high = values.max()
    if float(high) - float(low) < FEW_VALUES:
        return np.asarray(np.arange(int(high - low) + 1) + low)
    return np.empty(0)


def tally_of_slices(
    values: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same as `tally`, of topics that are slices of the values.

    >>> tally_of_slices(np.array([3., 1., 3., 1.]), np.array([0, 3, 3, 4]))
    (array([0, 0, 2]), array([1., 3., 1.]), array([1, 2, 1]))

    A few values that differ by small whole numbers are counted one at a time, which takes a fifth
    of the time.
    """
    sizes = np.diff(offsets)
    kinds = _small_range(values)
    filled = np.flatnonzero(sizes)
    counts = np.zeros((sizes.size, kinds.size), np.int64)
    for column, kind in enumerate(kinds.tolist()):
        starts = offsets[:-1][filled]
        # Sums of 32 bits take half the time. If one overflows, the sum of the counts tells.
        counts[filled, column] = np.add.reduceat(values == kind, starts, dtype=np.int32)
    if counts.sum() == values.size:
        topic, column_of_kind = np.nonzero(counts)
        return topic, kinds[column_of_kind], counts[topic, column_of_kind]
    return tally(np.repeat(np.arange(sizes.size), sizes), values)


def tally(
    topic: np.ndarray, values: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct values of each topic in ascending order, as topics and values, and the count of
    each.

    With positive whole `weights`, the sum of the weights of each instead.

    >>> tally(np.array([0, 0, 1, 0]), np.array([3., 1., 1., 3.]))
    (array([0, 0, 1]), array([1., 3., 1.]), array([1, 2, 1]))
    """
    kinds, kind = coded(values)
    key = topic * kinds.size
    key += kind
    distinct = None
    if key.max(initial=0) > FEW_VALUES * key.size:
        distinct, key = np.unique(key, return_inverse=True)
    count = np.bincount(key, weights).astype(np.int64)
    if distinct is None:
        distinct = np.flatnonzero(count)
        count = count[distinct]
    topics, kinds_of_topics = np.divmod(distinct, max(kinds.size, 1))
    return topics, kinds[kinds_of_topics], count


def entries(
    topic: np.ndarray, value: np.ndarray, in_topic: np.ndarray, in_value: np.ndarray
) -> np.ndarray:
    """The first index of each (`topic`, `value`) among entries that ascend by topic and value.

    >>> entries(np.array([1]), np.array([5.]), np.array([0, 1, 1]), np.array([5., 3., 5.]))
    array([2])
    """
    values = np.unique(in_value)
    keys = in_topic * values.size + np.searchsorted(values, in_value)
    wanted = topic * values.size + np.searchsorted(values, value)
    return np.searchsorted(keys, wanted)


BLOCK = 1 << 16
"""The approximate number of rows processed at once. Their columns fit into the processor cache."""


def blocks(sizes: np.ndarray, least: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of topics with about equally many rows, the `least` to twice as many, or
    with one large topic.

    >>> list(blocks(np.array([60_000, 30_000, 30_000, 30_000])))
    [(0, 2), (2, 4)]
    """
    starts = np.cumsum(sizes) - sizes
    total = int(sizes.sum())
    count = max(total // least, 1)
    block = starts * count // max(total, 1)
    borders = np.flatnonzero(np.diff(block, prepend=-1, append=-1))
    return pairwise(borders.tolist())


LONG_TOPIC = 100
"""A topic with more values than this justifies a NumPy call of its own."""


def cumsum(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The running sum within each topic.

    >>> cumsum(np.array([3., 2., 1., 1.]), np.array([0, 2, 4]))
    array([3., 5., 1., 2.])

    A sum of floats never crosses a topic boundary, because that would change its rounding. Whole
    numbers are exact and are summed in one call.
    """
    sizes = np.diff(offsets)
    total = np.cumsum(values)
    if values.dtype.kind in "biu" or _exact(values):
        total_before = np.concatenate((np.zeros(1, total.dtype), total))
        before_topic = total_before[offsets[:-1]]
        return total - np.repeat(before_topic, sizes)
    return running(np.add, values, offsets)


def _exact(values: np.ndarray) -> bool:
    """Whether the sums of floats are exact in any order: of whole numbers that are not large."""
    if not np.abs(values).sum() < 2**53:
        return False
    return bool((np.rint(values) == values).all())


def running(operation: np.ufunc, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The running sum, product or maximum within each topic, of `np.add`, `np.multiply` or
    `np.maximum`.

    >>> running(np.multiply, np.array([3., 2., 0.5, 4.]), np.array([0, 2, 4]))
    array([3. , 6. , 0.5, 2. ])

    Long topics are processed one by one. Short topics of similar length form one matrix, padded to
    the next power of two: at most twice the work, in a handful of NumPy calls.
    """
    sizes = np.diff(offsets)
    result = np.empty_like(values)
    for topic in np.flatnonzero(sizes > LONG_TOPIC).tolist():
        rows = slice(offsets[topic], offsets[topic + 1])
        operation.accumulate(values[rows], out=result[rows])
    short = np.flatnonzero((sizes > 0) & (sizes <= LONG_TOPIC))
    bits = np.ceil(np.log2(sizes[short]))
    widths = np.exp2(bits).astype(np.int64)
    for width in np.unique(widths):
        topics = short[widths == width]
        column = np.arange(width)
        inside = column < sizes[topics, None]
        where = (offsets[topics, None] + column)[inside]
        matrix = np.zeros(inside.shape, dtype=values.dtype)
        matrix[inside] = values[where]
        result[where] = operation.accumulate(matrix, axis=1)[inside]
    return result


def mean_over_topics(values: np.ndarray) -> np.ndarray:
    """The mean along the last axis, rounded once, so that the order of the topics cannot change it.

    >>> mean_over_topics(np.array([[0.25, 0.75], [1.0, 0.0]]))
    array([0.5, 0.5])
    """
    *shape, topics = values.shape
    rows = values.reshape(math.prod(shape), topics)
    means = np.full(len(rows), math.nan)
    if not topics:
        return means.reshape(shape)
    rows_per_block = max(1, BLOCK // topics)  # a list needs more memory than an array
    for start in range(0, len(rows), rows_per_block):
        block = rows[start : start + rows_per_block]
        means[start : start + rows_per_block] = _means(_with_equal_sums(block), topics)
    return means.reshape(shape)


MANY_VALUES = 2_000
"""The number of values from which it pays to sum them by NumPy."""
PASSES = 3
"""The most sums of a row. Nearly all values need one or two."""
LARGE = 2.0**900


def _with_equal_sums(rows: np.ndarray) -> list[list[float]]:
    """Fewer numbers than in each row, with exactly the same sum, or the rows.

    Each pass splits off the leading bits of all values: multiples of a number so large that all
    sums of them are exact. What is left of the values is exact, too, and nearly always 0 soon.

    >>> [numbers] = _with_equal_sums(np.full((1, 2000), 0.1))
    >>> len(numbers), math.fsum(numbers) == math.fsum([0.1] * 2000)
    (2, True)
    """
    if rows.size < MANY_VALUES:
        return rows.tolist()
    rest = rows.astype(np.float64, copy=False)
    largest = _largest(rest)
    if not largest < LARGE:  # also NaN
        return rows.tolist()
    sums: list[np.ndarray] = []
    while largest and len(sums) < PASSES:
        exponent = math.frexp(largest)[1] + rows.shape[1].bit_length()
        shift = math.ldexp(1.5, exponent)
        leading = rest + shift
        leading -= shift
        sums.append(leading.sum(axis=1))
        rest = np.subtract(rest, leading, out=leading)
        largest = _largest(rest)
    if largest:
        return np.column_stack((*sums, rest)).tolist()
    if not sums:
        return np.zeros((len(rows), 1)).tolist()
    return np.column_stack(sums).tolist()


def _largest(values: np.ndarray) -> float:
    """The largest absolute value, 0 if there is none."""
    return float(max(values.max(initial=0), -values.min(initial=0)))


def _means(rows: list[list[float]], count: int) -> np.ndarray:
    """The sum of each row divided by the count of the values."""
    try:
        return np.array(list(map(math.fsum, rows))) / count
    except OverflowError:  # the other rows keep their last bit
        return np.array([_mean_of_row(row, count) for row in rows])


def _mean_of_row(values: list[float], count: int) -> float:
    try:
        return math.fsum(values) / count
    except OverflowError:  # the mean of finite values is finite
        return math.fsum(value / count for value in values)


def smallest(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The smallest value of each topic, 0 where it has none.

    >>> smallest(np.array([3., 1., 2.]), np.array([0, 2, 2, 3]))
    array([1., 0., 2.])
    """
    return _of_each(np.minimum, values, offsets)


def largest(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The largest value of each topic, 0 where it has none."""
    return _of_each(np.maximum, values, offsets)


def _of_each(ufunc: np.ufunc, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    result = np.zeros(offsets.size - 1)
    some = np.diff(offsets) > 0
    if values.size:
        result[some] = ufunc.reduceat(values, offsets[:-1][some])
    return result


def earlier_and_smaller(
    values: np.ndarray, offsets: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """For each integer, the number of earlier ones in its topic that are strictly smaller.

    With `weights`, the sum of their weights instead.

    >>> earlier_and_smaller(np.array([1, 3, 2, 3]), np.array([0, 4]))
    array([0, 1, 1, 2])

    The algorithm takes O(n log n) time and O(n) memory. It processes the values bit by bit from the
    highest bit, as a wavelet tree does. Values whose higher bits agree form a block; within a
    block, a value whose next bit is 0 is smaller than a value whose next bit is 1. A stable split
    of each block by that bit yields the blocks for the next bit. So the order in which weights are
    added depends only on a value and the values before it. Without weights or with whole ones, a
    few distinct values are counted one at a time.
    """
    weight = np.ones(values.size, dtype=np.int64) if weights is None else weights
    lowest = int(values.min(initial=0))
    highest = int(values.max(initial=0))
    if weight.dtype.kind == "i" and highest - lowest < FEW_VALUES:
        return _few_earlier_and_smaller(values, offsets, weight)
    bits = max(highest, -lowest).bit_length()
    code = values
    if lowest < 0:
        # A power of two changes no lower bit, so one topic's negative value changes no other
        # topic's blocks.
        code = values + (1 << bits)
        bits += 1
    count = np.zeros(values.size, dtype=weight.dtype)
    position = np.arange(values.size)
    where = position  # the index of the value at each place of the current order
    block = np.repeat(offsets[:-1], np.diff(offsets))  # the first position of its block
    for bit in reversed(range(bits)):
        high = (code[where] >> bit) & 1 == 1
        starts = np.flatnonzero(block == position)
        borders = np.append(starts, values.size)
        smaller = cumsum(np.where(high, 0, weight[where]), borders)
        count[where[high]] += smaller[high]

        low_before = cumsum((~high).astype(np.int64), borders) - ~high
        low_count = np.add.reduceat(~high, starts, dtype=np.int64)
        middle = block + np.repeat(low_count, np.diff(borders))
        target_of_low = block + low_before
        target_of_high = middle + (position - block - low_before)
        target = np.where(high, target_of_high, target_of_low)
        new_where = np.empty_like(where)
        new_where[target] = where
        new_block = np.empty_like(block)
        new_block[target] = np.where(high, middle, block)
        where = new_where
        block = new_block
    return count


def _few_earlier_and_smaller(
    values: np.ndarray, offsets: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """`earlier_and_smaller` with whole weights, one distinct value after another."""
    count = np.zeros(values.size, dtype=weight.dtype)
    lowest = int(values.min(initial=0))
    highest = int(values.max(initial=0))
    for value in range(lowest + 1, highest + 1):
        rows = np.flatnonzero(values == value)
        smaller_before = cumsum((values < value) * weight, offsets)
        count[rows] = smaller_before[rows]
    return count
