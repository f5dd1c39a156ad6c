"""The columns of the tables of a comparison: the fields of its tests."""

from __future__ import annotations

from typing import Final, NamedTuple

from ...output.formats import short
from ..statistics.defaults import POWER
from .tests import BY_GROUP, LIKE_THESE, PAIRED_T, THESE


class Field(NamedTuple):
    """A field of a test as a column: its name, the heading that people read, and what it means.

    Programs read all fields; people read those with a heading.
    """

    name: str
    heading: str = ""
    sentence: str = ""


DIFFERENCE_FIELDS: Final = (
    Field("difference", "difference"),
    Field("lower", "lower"),
    Field("upper", "upper"),
    Field("statistic"),
    Field("p"),
    Field("adjusted", "p"),
    Field("significant"),
    Field(
        "effect_size",
        "d_z",
        "d_z is the mean difference in standard deviations of the differences.",
    ),
    Field(
        "detectable",
        "MDE",
        f"MDE is the smallest true difference found with probability {short(POWER)}{{level}}.",
    ),
    Field("may_turn"),
    Field("ties_turn"),
    Field("note"),
)
"""The columns of the paired t-test. A new one is an entry here and a field of `Test`."""
COLLECTION_FIELDS: Final = (
    Field("difference", "difference"),
    Field("lower", "lower"),
    Field("upper", "upper"),
    Field("p"),
    Field("adjusted", "p"),
    Field("significant"),
    Field("A", "A"),
    Field("p_A", "p of A"),
    Field("I2", "I²"),
    Field("note"),
)
"""The columns of the tests over collections."""
GROUP_FIELDS: Final = (
    Field("statistic", "statistic"),
    Field("adjusted", "p"),
    Field("note", "note"),
)
"""The columns of the test of whether a difference depends on the group."""
FURTHER_FIELDS: Final = (
    Field("statistic", "statistic"),
    Field("adjusted", "p"),
    Field("winner", "better"),
)
"""The columns of the further tests of pairs."""
FIELDS_OF_TEST: Final = {
    PAIRED_T: DIFFERENCE_FIELDS,
    THESE: COLLECTION_FIELDS,
    LIKE_THESE: COLLECTION_FIELDS,
    BY_GROUP: GROUP_FIELDS,
}
"""The columns of each test of pairs; those of other tests are `FURTHER_FIELDS`."""
SHARES: Final = ("unjudged", "other_unjudged")
"""The shares of unjudged documents of both runs."""
OF_A_DIFFERENCE: Final = (
    "measure",
    "run",
    "other",
    *(column.name for column in DIFFERENCE_FIELDS),
    *SHARES,
)
OF_A_TEST: Final = (
    "measure",
    "test",
    "run",
    "other",
    "better",
    "statistic",
    "p",
    "adjusted",
    "significant",
    "note",
)
OF_ALL_TESTS: Final = ("measure", "test", *OF_A_DIFFERENCE[1:3], "better", *OF_A_DIFFERENCE[3:])
OF_ALL_RUNS: Final = ("measure", "test", "statistic", "p", "note")
KINDS_OF_DATA: Final = {
    "differences": OF_A_DIFFERENCE,
    "open": OF_A_DIFFERENCE,
    "tests": OF_A_TEST,
    "all": OF_ALL_TESTS,
}
"""The columns for programs by what they ask for."""


def fields_shown(test: str) -> list[Field]:
    """The columns of a test that people read."""
    return [field for field in FIELDS_OF_TEST.get(test, FURTHER_FIELDS) if field.heading]
