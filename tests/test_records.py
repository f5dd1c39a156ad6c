"""The dataclasses and named tuples of the package are those of the standard library, made faster."""

import copy
import dataclasses
import inspect
import pickle
import re
import typing
from dataclasses import field

import pytest

from ir_measures_graded.records import OFTEN, NamedTuple
from ir_measures_graded.records import dataclass as ours


class Declared:
    """The fields of the classes below."""

    first: int
    second: str = "b"
    third: list = field(default_factory=list, compare=False)
    fourth: dict = field(default_factory=dict, init=False, repr=False)
    fifth: int = field(default=5, kw_only=True)


def made_by(decorator, **parameters):
    """The class that a decorator makes of these fields."""
    names = {"__doc__": "A record.", "__qualname__": "Made", "__module__": __name__}
    names["__annotations__"] = Declared.__annotations__
    for name in Declared.__annotations__:
        if hasattr(Declared, name):
            names[name] = copy.copy(getattr(Declared, name))
    return decorator(**parameters)(type("Made", (), names))


PARAMETERS = [
    {},
    {"frozen": True},
    {"frozen": True, "eq": False},
    {"eq": False, "repr": False},
]
ACTS = [
    lambda made: vars(made(1)),
    lambda made: list(vars(made(1, third=[2], second="c", fifth=6))),
    lambda made: made(),
    lambda made: made(second="c"),
    lambda made: made(1, "c", [], 4),
    lambda made: made(1, first=2),
    lambda made: made(1, sixth=6),
    lambda made: made(1, fourth={}),
    lambda made: repr(made(1)).partition(" at ")[0],
    lambda made: made(1, third=[3]) == made(1),
    lambda made: made(1) == made(2),
    lambda made: made(1) == 1,
    lambda made: len({made(1), made(1, third=[3])}),
    lambda made: setattr(made(1), "first", 2),
    lambda made: setattr(made(1), "other", 2),
    lambda made: delattr(made(1), "first"),
    lambda made: vars(dataclasses.replace(made(1), second="c")),
    lambda made: dataclasses.asdict(made(1)),
    lambda made: str(inspect.signature(made)),
    lambda made: str(inspect.signature(type("Sub", (made,), {}))),
    lambda made: str(inspect.signature(type("Sub", (made,), {"__init__": lambda self, x: None}))),
    lambda made: vars(copy.copy(made(1, second="c"))),
    lambda made: dataclasses.dataclass(type("Sub", (made,), {"__doc__": "A subclass."}))(1).first,
]


def outcome_of(act, made):
    """What an act returns, or the error that it raises."""
    try:
        return act(made)
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_records_do_what_dataclasses_do(parameters):
    for act in ACTS:
        expected = outcome_of(act, made_by(dataclasses.dataclass, **parameters))
        record = made_by(ours, **parameters)
        assert outcome_of(act, record) == expected
        for number in range(OFTEN):
            record(number)
        assert outcome_of(act, record) == expected


@ours(frozen=True)
class Pair:
    """A record that is pickled."""

    left: int
    right: int

    def __post_init__(self):
        if self.left > self.right:
            raise ValueError("left is the greater one")


@pytest.mark.parametrize("frozen", [False, True])
def test_records_inherit_as_dataclasses_do(frozen):
    def subclass_of(decorator, base):
        names = {"__doc__": "More.", "__annotations__": {"more": int}, "more": 6}
        return decorator(frozen=frozen)(type("More", (base,), names))

    for base in (False, True):
        acts = [lambda made: repr(subclass_of(made[0], made[1])(1)), lambda made: hash(made[1](1))]
        acts += [lambda made: setattr(subclass_of(made[0], made[1])(1), "first", 2)]
        for act in acts:
            standard = dataclasses.dataclass, made_by(dataclasses.dataclass, frozen=base)
            expected = outcome_of(act, standard)
            assert outcome_of(act, (ours, made_by(ours, frozen=base))) == expected
            assert outcome_of(act, (standard[0], made_by(ours, frozen=base))) == expected


def test_records_are_pickled_and_checked():
    assert pickle.loads(pickle.dumps(Pair(1, 2))) == Pair(1, 2)
    with pytest.raises(ValueError, match="greater"):
        dataclasses.replace(Pair(1, 2), left=3)


class Standard(typing.NamedTuple):
    """A range."""

    first: int
    last: "int | None" = None
    names: tuple = ()

    @property
    def size(self):
        return self.last - self.first

    @classmethod
    def to(cls, last):
        return cls(0, last)


class Ours(NamedTuple):
    """A range."""

    first: int
    last: "int | None" = None
    names: tuple = ()

    @property
    def size(self):
        return self.last - self.first

    @classmethod
    def to(cls, last):
        return cls(0, last)


@pytest.mark.parametrize(
    "act",
    [
        lambda made: repr(made(1)).partition("(")[2],
        lambda made: tuple(made.to(3)._replace(names=("a",))),
        lambda made: made(1, last=4).size,
        lambda made: made(1) == (1, None, ()),
        lambda made: (made._fields, made._field_defaults, made.__match_args__),
        lambda made: (made.__doc__, made.__module__, issubclass(made, tuple)),
        lambda made: typing.get_type_hints(made),
        lambda made: str(inspect.signature(made)),
        lambda made: pickle.loads(pickle.dumps(made(1, 2)))._asdict(),
        lambda made: made.__qualname__ in repr(made),
        lambda made: setattr(made(1), "first", 2),
        lambda made: setattr(made(1), "other", 2),
    ],
)
def test_named_tuples_do_what_those_of_the_standard_library_do(act):
    outcome = str(outcome_of(act, Ours)).replace("Ours", "Standard")
    expected = re.sub(r"ForwardRef\(('.*?')\)", r"\1", str(outcome_of(act, Standard)))
    assert outcome == expected
