"""SR, MSR, gP and gR: small cases computed by hand."""

import pytest

from ir_measures_graded import MSR, SR, gP, gR, nCG
from ranked import value

OWN = [SR(ideal="retrieved"), MSR(ideal="retrieved")]


def test_the_ideal_list_of_sliding_ratios_is_the_recall_base():
    assert value(SR, [1, 0, 2], a=3, b=2) == 3 / 8
    assert value(SR @ 2, [1, 0, 2], a=3, b=2) == 1 / 5
    assert value(MSR, [1, 0, 2], a=3, b=2) == pytest.approx((1 + 2 / 3) / (3 + 2 / 2 + 2 / 3 + 1 / 4))
    assert value(MSR @ 2, [1, 0, 2], a=3, b=2) == pytest.approx(1 / (3 + 2 / 2))


def test_the_ideal_list_can_be_the_runs_own_list():
    sr, msr = OWN
    assert value(sr, [1, 0, 2], a=3, b=2) == 1
    assert value(msr, [1, 0, 2], a=3, b=2) == pytest.approx((1 + 2 / 3) / (2 + 1 / 2))
    # The whole list is reordered before it is cut: the 2 below the cutoff moves to the top.
    assert value(sr @ 2, [1, None, 2], a=3) == 1 / 3
    assert value(msr @ 1, [1, None, 2], a=3) == 1 / 2


def test_gp_divides_by_the_ranks_and_gr_by_the_recall_base():
    assert value(gP @ 2, [1, 0, 2], a=4) == 1 / (4 * 2)
    assert value(gP @ 10, [1, 0, 2], a=4) == 3 / (4 * 10)
    assert value(gP, [1, 0, 2], a=4) == 3 / (4 * 3)
    assert value(gP, [1, None, 2, None], a=4) == 3 / (4 * 4)
    assert value(gP(judged_only=True), [1, None, 2, None], a=4) == 3 / (4 * 2)
    assert value(gR @ 2, [1, 0, 2], a=4) == 1 / 7
    assert value(gR, [1, 0, 2], a=4) == 3 / 7


def test_the_order_of_addition_does_not_raise_a_share_above_1():
    assert 0.1 + 0.2 + 0.3 > 0.3 + 0.2 + 0.1
    for measure in (SR, SR(ideal="retrieved"), gR, nCG):
        assert value(measure, [0.1, 0.2, 0.3]) == 1
