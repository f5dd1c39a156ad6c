"""Weightings: their canonical form, their errors, and the gain of a level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
import strategies
from ir_measures_graded import GradedError
from ir_measures_graded.core.ranking.gains import canonical_gains, gain_of


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ({}, "linear"),
        ({0: 0, 1: 1, 2: 10, 3: 100}, {2: 10, 3: 100}),
        ({-2: 0, -1: 0.0, 7.5: 7.5}, "linear"),
        ({-2: 1, 0: 0.5, 1: 0}, {-2: 1, 0: 0.5, 1: 0}),
        ({np.int64(2): np.float32(10)}, {2: 10}),
        ([(2, 10), [3, 100]], {2: 10, 3: 100}),
        (iter([(2, 10)]), {2: 10}),
        ({1e300: 5}, {1e300: 5}),
    ],
)
def test_canonical_gains_omit_identities_and_ascend(gains, expected):
    canonical = canonical_gains(gains)
    assert canonical == expected
    assert canonical_gains(canonical) == expected
    if isinstance(expected, dict):
        assert list(canonical) == list(expected)
        assert {type(number) for pair in canonical.items() for number in pair} <= {int, float}


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ([(1, 2), (1.0, 2)], "level 1 is named twice"),
        ({True: 1}, "True is not a number"),
        ({1: 2j}, r"2j is not a number"),
        ({1: 10**400}, "too large"),
        ([1, 2], "write 1:1,2:2 for the levels 1, 2"),
        (iter([1, 2]), "unpack"),
    ],
)
def test_bad_gain_map_is_refused(gains, message):
    with pytest.raises(GradedError, match=message):
        canonical_gains(gains)


@given(st.lists(st.sampled_from(strategies.REAL)), strategies.GAINS)
def test_gain_of_matches_the_definition(levels, gains):
    got = gain_of(np.array(levels, dtype=float), canonical_gains(gains))
    assert got.tolist() == [reference.gain(level, gains) for level in levels]
