"""Values of single topics, computed by hand."""

import math

import pytest

from ir_measures_graded import AGR, WAP, parse_measure
from ranked import value

LONG = [None, None, None, 2, None]
BY_HAND = [
    # Without a cutoff, means go down to the larger of retrieved and judged; ranks after the list
    # count.
    ("CG(avg=True)", [2], {"a": 0, "b": 0, "c": 1}, 2),
    ("nCG(avg=True)", [2], {"a": 0, "b": 0, "c": 1}, (1 + 3 * 2 / 3) / 4),
    ("nCG(avg=True)@10", [1], {"a": 2}, (1 / 2 + 9 * 1 / 3) / 10),
    (f"nDCG_JK(avg=True)@{2**63 - 1}", [1], {"a": 2}, 1 / 3),
    (
        "NDCNG(max_gain=4)",
        [1, 0, 2],
        {},
        ((2 ** (1 / 4) - 1) / math.log(2) + (2 ** (2 / 4) - 1) / math.log(4))
        / ((2 ** (2 / 4) - 1) / math.log(2) + (2 ** (1 / 4) - 1) / math.log(3)),
    ),
    # AP at gain ≥ 1: (1 + 2/3)/2; at gain ≥ 5: 1/3; distances 1 and 4. Levels that are not
    # retrieved count.
    ("muAP", [1, 0, 5], {}, (1 * 5 / 6 + 4 / 3) / 5),
    ("muAP", [1, 0, 5], {"a": 2}, (1 * (5 / 3) / 3 + 1 * (1 / 3) / 2 + 3 / 3) / 5),
    # The sum is divided by the smaller of cutoff and relevant.
    *((f"{name}@1", [1, 1, 1, 1], {}, 1) for name in ("WAP", "Q", "AGR")),
    *((f"{name}@3", [1], {"a": 1}, 0.5) for name in ("WAP", "Q", "AGR")),
    # R = 4; g′(3) = 3 − 1/4·(3 − 2), g′(2) = 2 − 1/4·(2 − 1), g′(1) = 1 − 2/4·(1 − 0)
    ("AGR", [1, 0, 3], {"a": 2, "b": 1}, (0.5 / 2.75 + (0.5 + 2.75) / (2.75 + 1.75 + 0.5)) / 4),
    # No document has level 2, but its gain counts: R = 2, g′(3) = 3 − 1/2, g′(1) = 1 − 1/2
    ("AGR", [1, 3], {}, (0.5 / 2.5 + 1) / 2),
    # 3.0 is a whole level, next to 2.5, too: g′(3) = 3 − 1/2, g′(2.5) = 2.5 − 1/2·(2.5 − 0)
    ("AGR", [2.5, 3.0], {}, (1.25 / 2.5 + 1) / 2),
    # R = 3; g′(2.5) = 2.5 − 1/3·(2.5 − 1), g′(1) = 1 − 1/3, g′(.5) = .5 − 1/3·(.5 − 0)
    ("AGR", [0.5, 2.5, 1], {}, (1 / 3 / 2 + (1 / 3 + 2) / (2 + 2 / 3) + 1) / 3),
    # A level −1 with gain 2 changes it: g′(2.5) = 2.5 − 1/4·1.5, and g′(.5) = .5 − 1/4·(.5 − 2),
    # R = 4
    ("AGR(gains=-1:2)@1", [0.5, 2.5, 1], {"a": -1}, (0.5 + 1.5 / 4) / (2.5 - 1.5 / 4)),
    # Gains count, not levels: level 2 has a gain but no document.
    # g′(2) = 1 − 1/2·(1 − 5) = 3, g′(1) = 5 − 1/2·(5 − 0) = 2.5: the ideal list is sorted by g′
    ("AGR(gains=1:5,2:1)", [1, 2], {}, (2.5 / 3 + 1) / 2),
    # The ideal list of sliding ratios is the recall base, or the run's whole list, reordered and
    # then cut.
    ("SR", [1, 0, 2], {"a": 3, "b": 2}, 3 / 8),
    ("MSR(ideal=retrieved)", [1, 0, 2], {"a": 3, "b": 2}, (1 + 2 / 3) / (2 + 1 / 2)),
    ("SR(ideal=retrieved)@2", [1, None, 2], {"a": 3}, 1 / 3),
    ("MSR(ideal=retrieved)@1", [1, None, 2], {"a": 3}, 1 / 2),
    # gP divides by the ranks, gR by the recall base.
    ("gP", [1, None, 2, None], {"a": 4}, 3 / (4 * 4)),
    ("gR@2", [1, 0, 2], {"a": 4}, 1 / 7),
    # The residual counts the gaps of a list, and all ranks behind it.
    (
        "RBP_G(p=0.5,residual=True)",
        [None, 1, 0, None, 0, None],
        {},
        (1 + 1 / 8 + 1 / 32) / 2 + 1 / 64,
    ),
    ("RBP_G(p=0.9,residual=True)", [0] * 500, {}, 0.9**500),
    # The collection has the judged and retrieved documents: b and c are tied at 3 and 4, or at 3 to
    # 100.
    ("ASL", [None, 1], {"b": 1, "c": 0}, (2 + 3.5) / 2),
    ("ESL(n=2)", [None, 1], {"b": 1, "c": 0}, 1 + 1 / 2),
    ("NR", [None, 1], {"b": 1, "c": 0}, 1 - (5.5 - 3) / (2 * 2)),
    ("ESL(n=2,docs=100)", [None, 1], {"b": 1, "c": 0}, 1 + 97 / 2),
    ("NR(docs=1000000000000000)", [1], {"a": 1}, 0.75),
]


@pytest.mark.parametrize(("measure", "levels", "judged", "expected"), BY_HAND)
def test_values(measure, levels, judged, expected):
    assert value(parse_measure(measure), levels, **judged) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("measure", ["SR", "SR(ideal=retrieved)", "gR", "nCG"])
def test_order_of_addition_does_not_raise_a_share_above_1(measure):
    assert 0.1 + 0.2 + 0.3 > 0.3 + 0.2 + 0.1
    assert value(parse_measure(measure), [0.1, 0.2, 0.3]) == 1


@pytest.mark.parametrize("levels", [[0, 1, None, 1], [0, 2.5, 0.0, 2.5], [0, 2, 2]])
def test_agr_is_wap_if_every_adjusted_gain_is_0_or_all_are_equal(levels):
    assert value(AGR, levels) == value(WAP, levels) > 0
