"""Sums over many topics at once, against loops over one topic after another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_graded.segments import cumsum, earlier_and_smaller, offsets_of, places

SMALL = st.integers(-3, 3) | st.sampled_from([0.1, 0.2, 0.3, 1e-9, 1e9])
slices = st.lists(st.lists(SMALL, max_size=9), max_size=6)


def flat(lists):
    """The values of all lists, one after another, and where each begins and ends."""
    offsets = np.cumsum([0, *map(len, lists)])
    return np.array([value for values in lists for value in values], dtype=float), offsets


@given(slices)
def test_cumsum_is_each_lists_own_running_sum_to_the_last_bit(lists):
    expected = [float(total) for values in lists for total in np.cumsum(np.array(values, float))]
    assert cumsum(*flat(lists)).tolist() == expected


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 31, 32, 33, 1000])
def test_cumsum_of_any_length(size):
    values = np.random.default_rng(size).random(size)
    got = cumsum(np.concatenate([values, values]), np.array([0, size, 2 * size]))
    assert got.tolist() == [*np.cumsum(values), *np.cumsum(values)]


def test_cumsum_keeps_whole_numbers_whole():
    assert cumsum(np.array([1, 2, 3]), np.array([0, 3])).dtype == np.int64


@given(slices, st.booleans())
def test_earlier_and_smaller_counts_what_loops_count(lists, weighted):
    values, offsets = flat(lists)
    weights = np.arange(1, values.size + 1) if weighted else None
    expected = [
        sum(
            (offset + earlier + 1 if weighted else 1)
            for earlier in range(here)
            if numbers[earlier] < numbers[here]
        )
        for numbers, offset in zip(lists, offsets)
        for here in range(len(numbers))
    ]
    assert earlier_and_smaller(values, offsets, weights).tolist() == expected
    whole = np.unique(values, return_inverse=True)[1] - 3
    assert earlier_and_smaller(whole, offsets, weights).tolist() == expected


def test_earlier_and_smaller_of_a_long_list():
    values = np.random.default_rng(1).integers(0, 50, 700).astype(float)
    expected = [int((values[:here] < values[here]).sum()) for here in range(700)]
    assert earlier_and_smaller(values, np.array([0, 700])).tolist() == expected


@given(st.lists(st.integers(0, 5), max_size=8))
def test_places_count_from_0_in_each_slice(sizes):
    assert places(np.array(sizes, dtype=np.int64)).tolist() == [n for size in sizes for n in range(size)]


@given(st.lists(st.integers(0, 6)).map(sorted))
def test_offsets_bound_each_topics_values(topic):
    offsets = offsets_of(np.array(topic, dtype=np.int64), topics=8)
    assert offsets.shape == (9,)
    for number in range(8):
        assert topic[offsets[number] : offsets[number + 1]] == [number] * topic.count(number)
