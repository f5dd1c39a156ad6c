"""Parameters of measures: meaning, allowed values, and one canonical form for each value.

They extend ir-measures' `ParamInfo`, so that its tools can read them. `canonical` turns a value
into the form that is stored, printed and compared, or raises a `GradedError`; `allowed` tells which
values it takes.
"""

import math
from collections.abc import Callable
from functools import partial
from operator import ge, gt, le, lt
from typing import Any

from ir_measures.measures import ParamInfo

from ...errors import GradedError, shown
from ..ranking.gains import LARGEST, LINEAR, WHOLE, canonical_gains, plain_number


class Parameter(ParamInfo):
    """A parameter of a graded measure. An unset parameter reads as `default`.

    `desc` says in a few words what it does. `required` is for a cutoff that a measure needs.
    Raises `GradedError` for a default that is not allowed.
    """

    DTYPE: Any = None
    """The type of a value, or several, for ir-measures."""
    allowed: str = ""
    """The allowed values, in words."""

    def __init__(self, *, default: Any, desc: str, required: bool = False):
        super().__init__(dtype=self.DTYPE, required=required, default=default, desc=desc)

    def check_default(self) -> None:
        """Raise `GradedError` for a default that is not allowed. Call it at the end of
        `__init__`.
        """
        if not self.validate(self.default):
            kind = type(self).__name__
            raise GradedError(
                f"{kind}: default={shown(self.default)} must be {self.allowed} or None"
            )

    def canonical(self, value: Any) -> Any:
        """The stored form of `value`; raises `GradedError` or `TypeError` if it is not allowed."""
        raise NotImplementedError

    def validate(self, value: Any) -> bool:
        """Whether `value` is allowed; ir-measures calls this."""
        try:
            self.canonical(value)
        except (TypeError, ValueError):
            return value is None and self.default is None
        return True


COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "above": (">", gt),
    "at_least": ("≥", ge),
    "below": ("<", lt),
    "at_most": ("≤", le),
}
"""The bounds of a real number: the sign and the comparison that holds for allowed numbers."""


class Real(Parameter):
    """A finite real number; `above` and `below` are exclusive bounds, `at_least` and `at_most`
    inclusive.

    >>> Real(default=2, desc="base of the logarithm", above=1).allowed
    'a real number > 1'
    """

    DTYPE = (int, float)

    def __init__(
        self,
        *,
        default: Any,
        desc: str,
        above: float | None = None,
        at_least: float | None = None,
        below: float | None = None,
        at_most: float | None = None,
    ):
        super().__init__(default=default, desc=desc)
        bounds = {"above": above, "at_least": at_least, "below": below, "at_most": at_most}
        self.bounds = {name: bound for name, bound in bounds.items() if bound is not None}
        for name, bound in self.bounds.items():
            try:
                plain_number(bound)
            except (TypeError, ValueError) as error:
                raise GradedError(f"Real: {name}={shown(bound)} is not allowed: {error}") from None
        signs = {name: sign for name, (sign, _) in COMPARISONS.items()}
        limits = " and ".join(f"{signs[name]} {bound:g}" for name, bound in self.bounds.items())
        self.allowed = f"a real number {limits}".rstrip()
        self.check_default()

    def canonical(self, value: Any) -> Any:
        number = plain_number(value)
        if not math.isfinite(number):
            raise GradedError
        for name, bound in self.bounds.items():
            _, holds = COMPARISONS[name]
            if not holds(number, bound):
                raise GradedError
        return number


class Count(Parameter):
    """A whole number of at least 1, and less than 2^63.

    >>> Count(default=None, desc="the last rank that counts").canonical(10)
    10
    """

    DTYPE = int
    allowed = "a whole number ≥ 1"

    def __init__(self, *, default: int | None, desc: str, required: bool = False):
        super().__init__(default=default, desc=desc, required=required)
        self.check_default()

    def canonical(self, value: Any) -> int:
        number = plain_number(value)
        if isinstance(number, float) and number >= WHOLE:
            raise GradedError("it must be less than 2^63")
        if not isinstance(number, int) or number < 1:
            raise GradedError
        return number


class Flag(Parameter):
    """True or False.

    >>> Flag(default=False, desc="whether ranks are averaged").canonical(True)
    True
    """

    DTYPE = bool
    allowed = "True or False"

    def __init__(self, *, default: bool, desc: str):
        super().__init__(default=default, desc=desc)
        self.check_default()

    def canonical(self, value: Any) -> bool:
        if type(value).__name__ not in ("bool", "bool_"):  # NumPy's type is not a subclass of bool
            raise GradedError
        return bool(value)


class Choice(Parameter):
    """One of several `words`.

    >>> Choice("score", "rank", default="score", desc="what ties documents").canonical("rank")
    'rank'
    """

    DTYPE = str

    def __init__(self, *words: str, default: str, desc: str):
        super().__init__(default=default, desc=desc)
        for word in words:
            if not isinstance(word, str):
                raise GradedError(f"Choice: {shown(word)} is not a word; give words as text")
        self.choices = words
        self.allowed = "one of " + ", ".join(map(repr, words))
        self.check_default()

    def canonical(self, value: Any) -> str:
        if str(value) not in self.choices:
            raise GradedError
        return str(value)


class Gains(Parameter):
    """A weighting, by name or as gains by level, as `canonical_gains` takes them."""

    DTYPE = (str, dict)
    allowed = (
        "level:gain pairs, gains finite and ≥ 0, as in gains=0:0,1:1,2:10, or 'linear' or 'exp'"
    )

    def __init__(self, default: str | None = LINEAR) -> None:
        desc = (
            "gain of each level: its value, at least 0 (linear), 2^level − 1 (exp), or from a map; "
        )
        super().__init__(
            default=default, desc=desc + "a level that the map lacks keeps its own value"
        )

    def canonical(self, value: Any) -> Any:
        return canonical_gains(value)


def meaning_and_default(parameter: ParamInfo) -> tuple[str, str]:
    """The meaning of a parameter, and what an unset one means; empty if that is not said."""
    meaning, _, default = (parameter.desc or "").rstrip(".").partition("; unset: ")
    return meaning, default


TIED_BY = Choice(
    "score", "rank", default="score", desc="documents of equal score are tied, or ranks decide"
)
PERFECT = partial(Real, default=None, above=0, at_most=LARGEST)
TOPICS_BEST = PERFECT(desc="the gain m that counts as 1; unset: the topic's highest gain")
TOP_GAIN = PERFECT(desc="the top gain H; unset: the highest gain in the qrels, over all topics")
DOCS = Count(
    default=None, desc="size of the collection; unset: the judged and retrieved documents together"
)
CUTOFF = Count(default=None, desc="evaluate only the first k ranks")
NEEDED_CUTOFF = Count(default=None, desc="evaluate only the first k ranks", required=True)
JUDGED_ONLY = "remove unjudged documents before ranks are counted"
ORDERS = (
    "tied documents: by document id, or the mean, lowest or highest value over all their orders"
)
JUDGMENTS = (
    "unjudged documents: irrelevant, or the lowest or highest value over all judgments of them"
)
UNJUDGED = Choice("irrelevant", "min", "max", default="irrelevant", desc=JUDGMENTS)
