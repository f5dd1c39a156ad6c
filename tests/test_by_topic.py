"""Operations on all topics at once, checked against loops over the topics."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ir_measures_graded.core.by_topic import (
    coded,
    cumsum,
    earlier_and_smaller,
    mean_over_topics,
    tally,
    tally_of_slices,
)

SMALL = st.integers(-3, 3) | st.sampled_from([0.1, 0.2, 0.3, 1e-9, 1e9])
slices = st.lists(st.lists(SMALL, max_size=9), max_size=6)


def flat(lists):
    """The values of all lists in one array, and the boundaries of the lists."""
    values = np.array([value for values in lists for value in values], dtype=float)
    return values, np.cumsum([0, *map(len, lists)])


@given(slices)
def test_cumsum_equals_the_sum_of_each_slice_to_the_last_bit(lists):
    expected = []
    for values in lists:
        expected += np.cumsum(np.array(values, float)).tolist()
    assert cumsum(*flat(lists)).tolist() == expected


@pytest.mark.parametrize("size", [0, 1, 32, 33, 1000])
def test_cumsum_of_any_length(size):
    values = np.random.default_rng(size).random(size)
    sums = cumsum(np.concatenate([values, values]), np.array([0, size, 2 * size]))
    assert sums.tolist() == np.cumsum(values).tolist() * 2


@given(slices, st.booleans())
def test_earlier_and_smaller_matches_a_plain_loop(lists, weighted):
    values, offsets = flat(lists)
    weights = np.arange(1, values.size + 1) if weighted else None
    expected = []
    for start, stop in pairwise(offsets.tolist()):
        for row in range(start, stop):
            smaller = [earlier for earlier in range(start, row) if values[earlier] < values[row]]
            if weighted:
                expected.append(sum(weights[smaller].tolist()))
            else:
                expected.append(len(smaller))
    whole = np.unique(values, return_inverse=True)[1] - 3
    assert earlier_and_smaller(whole, offsets, weights).tolist() == expected


@pytest.mark.parametrize(
    "values",
    [
        [1.2, 2.2, 3.2, 4.2, 5.2, 6.2],
        [1e17],
        [2.0**53, 2.0**53 + 2],
        [-0.0, 1.0],
        [0.5, 0.25],
        [9, 0],
        [],
    ],
)
def test_coded_values_are_exact(values):
    kinds, code = coded(np.array(values, dtype=float))
    assert kinds[code].tolist() == values
    assert (np.diff(kinds[np.unique(code)]) > 0).all()


@given(slices, st.lists(SMALL, max_size=9))
@example([[0, 1, 1, 2]], [-1])
def test_weights_of_a_topic_are_added_in_an_order_independent_of_other_topics(lists, others):
    values, offsets = flat([*lists, others])
    values = np.rint(values).astype(np.int64)
    weights = np.arange(1, values.size + 1) / 7
    together = earlier_and_smaller(values, offsets, weights)
    for start, stop in pairwise(offsets):
        own_offsets = np.array([0, stop - start])
        alone = earlier_and_smaller(values[start:stop], own_offsets, weights[start:stop])
        assert together[start:stop].tolist() == alone.tolist()


@pytest.mark.parametrize("topics", [1, 2, 40, 2500])
@pytest.mark.parametrize("scale", [0, 1, 60, 290])
def test_means_are_rounded_once(topics, scale):
    """Of values of any size, also of many, which NumPy sums."""
    random = np.random.default_rng(topics + scale)
    exponent = random.uniform(-scale, scale, (2500 // topics, topics))
    values = random.normal(size=exponent.shape) * 10**exponent
    values[0] = random.choice([0.1, 0.2, 5e-324, 0], topics)
    expected = [math.fsum(row) / topics for row in values.tolist()]
    assert mean_over_topics(values).tolist() == expected


@pytest.mark.parametrize("value", [True, 0.0, math.inf, 1.7e308])
def test_means_of_special_values(value):
    assert mean_over_topics(np.full((2, 2000), value)).tolist() == [value, value]
    assert math.isnan(mean_over_topics(np.append(np.full(2000, value), math.nan)))


@given(slices)
def test_values_of_slices_are_tallied_as_those_of_topics(lists):
    values, offsets = flat(lists)
    topic = np.repeat(np.arange(len(lists)), np.diff(offsets))
    expected = tally(topic, values)
    for of_slices, of_topics in zip(tally_of_slices(values, offsets), expected):
        assert of_slices.tolist() == of_topics.tolist()
