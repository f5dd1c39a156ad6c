"""Parameters: allowed values, their canonical form, and the errors for other values."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from ir_measures_graded import DCG_JK, ERR_G, GradedError, nDCG_JK, parse_measure, ratio
from ir_measures_graded.core.measures.parameters import Choice, Count, Flag, Real

ABOVE_1 = Real(default=2, above=1, desc="")
FROM_0 = Real(default=1, at_least=0, desc="")
BELOW_1 = Real(default=0.5, above=0, below=1, desc="")
UP_TO_1 = Real(default=1, above=0, at_most=1, desc="")
ANY_REAL = Real(default=0, desc="")
COUNT = Count(default=None, desc="")
FLAG = Flag(default=False, desc="")
CHOICE = Choice("a", "b", default="a", desc="")


@pytest.mark.parametrize(
    ("parameter", "value", "plain"),
    [
        (ABOVE_1, 2.0, 2),
        (ABOVE_1, np.float32(1.5), 1.5),
        (ABOVE_1, np.uint64(2**63), 2.0**63),
        (ABOVE_1, Fraction(6, 2), 3),
        (ABOVE_1, 10**300, 1e300),
        (FROM_0, -0.0, 0),
        (UP_TO_1, 1.0, 1),
        (COUNT, 10.0, 10),
        (COUNT, np.int64(7), 7),
        (COUNT, 2**63 - 1, 2**63 - 1),
        (FLAG, np.True_, True),
        (CHOICE, np.str_("b"), "b"),
    ],
)
def test_values_are_stored_in_one_plain_form(parameter, value, plain):
    assert parameter.validate(value)
    stored = parameter.canonical(value)
    assert stored == plain
    assert type(stored) is type(plain)


@pytest.mark.parametrize(
    ("parameter", "allowed", "refused"),
    [
        (
            ABOVE_1,
            "a real number > 1",
            [1, 0, float("inf"), float("nan"), 10**400, True, "2", None, 2j],
        ),
        (
            FROM_0,
            "a real number ≥ 0",
            [-1e-9, float("-inf"), np.bool_(True), np.complex128(1), Decimal(2)],
        ),
        (BELOW_1, "a real number > 0 and < 1", [0, 1, 1.5, -0.5]),
        (UP_TO_1, "a real number > 0 and ≤ 1", [0, 1.001]),
        (ANY_REAL, "a real number", [float("inf"), "x", [1], np.array([1.0, 2.0])]),
        (COUNT, "a whole number ≥ 1", [0, -1, 1.5, True, "5", float("inf"), 2**63, {}]),
        (FLAG, "True or False", [0, 1, None, "True", np.int64(1), []]),
        (CHOICE, "one of 'a', 'b'", ["c", "A", None, 1, ["a"], np.array(["a", "b"])]),
    ],
)
def test_other_values_are_an_error(parameter, allowed, refused):
    assert parameter.allowed.startswith(allowed)
    for value in refused:
        assert not parameter.validate(value) or (value is None and parameter.default is None)
        with pytest.raises((GradedError, TypeError, ValueError)):
            parameter.canonical(value)


@pytest.mark.parametrize(
    ("kind", "words", "facts", "message"),
    [
        (Real, (), {"default": 1, "above": "0"}, "Real: above='0' is not allowed"),
        (Real, (), {"default": 1, "at_most": [2]}, "Real: at_most=.* is not allowed"),
        (Real, (), {"default": "1"}, "Real: default='1' must be a real number or None"),
        (Real, (), {"default": 0, "above": 0}, "Real: default=0 must be a real number > 0"),
        (Count, (), {"default": True}, "Count: default=True must be a whole number ≥ 1"),
        (Flag, (), {"default": 1}, "Flag: default=1 must be True or False"),
        (Choice, ("a",), {"default": "b"}, "Choice: default='b' must be one of 'a'"),
        (Choice, ("a", 2), {"default": "a"}, "Choice: 2 is not a word"),
    ],
)
def test_wrong_declarations_are_refused_with_the_name_of_the_parameter(kind, words, facts, message):
    with pytest.raises(GradedError, match=message):
        kind(*words, **facts, desc="")


def test_wrong_types_are_refused_with_the_name_of_the_parameter():
    with pytest.raises(GradedError, match="nDCG_JK: 10 has no name; give parameters by name"):
        nDCG_JK(10)
    with pytest.raises(GradedError, match=r"nDCG_JK: ties=.* is not allowed"):
        nDCG_JK(ties=np.array(["min", "max"]))
    with pytest.raises(GradedError, match="ratio: numerator must be an array of numbers"):
        ratio("1", np.ones(1))
    with pytest.raises(GradedError, match="ratio: denominator must be an array of numbers"):
        ratio(np.ones(1), [None])


def test_calling_a_measure_keeps_the_other_parameters():
    measure = DCG_JK(b=3, avg=True, gains={1: 5}) @ 10
    assert measure(b=2) == DCG_JK(avg=True, gains={1: 5}) @ 10
    assert measure(cutoff=None) == DCG_JK(b=3, avg=True, gains={1: 5})
    assert measure(gains={}) == DCG_JK(b=3, avg=True) @ 10
    assert measure == DCG_JK(b=3, avg=True, gains={1: 5}) @ 10


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (nDCG_JK(gains="linear"), "nDCG_JK"),
        (nDCG_JK(gains={0: 0, 1: 1, 2.5: 2.5}), "nDCG_JK"),
        (nDCG_JK(gains="exp") @ 10, "nDCG_JK(gains='exp')@10"),
        (parse_measure("nDCG_JK(gains=exp)@10"), "nDCG_JK(gains='exp')@10"),
        (ERR_G(gains="exp") @ 10, "ERR_G@10"),
        (ERR_G(gains={1: 1}), "ERR_G(gains='linear')"),
        (ERR_G(gains={1: 1, 2: 5}), "ERR_G(gains={2:5})"),
    ],
)
def test_gains_are_printed_unless_they_are_the_default_of_the_measure(measure, text):
    assert str(measure) == text
    assert parse_measure(text) == measure
