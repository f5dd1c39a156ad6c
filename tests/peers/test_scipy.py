"""Kendall's τ-b and τ-c and Spearman's ρ against SciPy; τ-a and NDPM against a count of all pairs."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_graded import KendallTau, Spearman

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

LEVELS = [0, 0.5, 1, 2, 3, 4.25]
GRADES = st.sampled_from(LEVELS)
SCORES = st.integers(-3, 3) | st.floats(-1e6, 1e6, width=32)


def value(measure, levels, scores):
    docs = [f"d{number}" for number in range(len(levels))]
    return measure.calc_aggregate({"q": dict(zip(docs, levels))}, {"q": dict(zip(docs, scores))})


def assert_as_scipy(levels, scores):
    for measure, expected in (
        (KendallTau, stats.kendalltau(levels, scores, variant="b")[0]),
        (KendallTau(variant="c"), stats.kendalltau(levels, scores, variant="c")[0]),
        (Spearman, stats.spearmanr(levels, scores)[0]),
    ):
        assert value(measure, levels, scores) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(st.lists(st.tuples(GRADES, SCORES), min_size=2, max_size=30))
def test_correlations_of_any_two_orders(documents):
    levels, scores = zip(*documents)
    if len(set(levels)) > 1 and len(set(scores)) > 1:
        assert_as_scipy(levels, scores)
    else:  # SciPy's is NaN
        for measure in (*(KendallTau(variant=variant) for variant in "abc"), Spearman):
            assert value(measure, levels, scores) == 0


@pytest.mark.parametrize("size", [64, 1000, 4097])
@pytest.mark.parametrize("grades", [2, 5, 10**6])
def test_correlations_of_long_lists(size, grades):
    random = Random(size + grades)
    levels = [random.randrange(grades) for _ in range(size)]
    scores = [round(level / grades + random.gauss(0, 1), 2) for level in levels]
    assert_as_scipy(levels, np.float32(scores).tolist())
