"""The gain of a document at each level.

A weighting assigns a gain to some levels. Every other level is its own gain, or 0 if it is
negative. The canonical form of a weighting lists only the levels that it changes, in ascending
order. Some gains have a name instead (`NAMED`); the weighting that changes no level is `LINEAR`.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ...errors import GradedError, shown

Number = int | float
WHOLE = 2**63  # the limit of NumPy's integers
GainMap = dict[Number, Number]
Gains = GainMap | str | Number
"""A weighting, its name, or a number: the least level that gains 1, while all lower levels gain
0."""

LINEAR = "linear"
EXP = "exp"
NAMED = (LINEAR, EXP)
"""The names of gains: the level, or 2^level − 1; negative levels gain 0."""
NEARLY_0 = 2.0**-10
NAMED_LEVELS = 6
"""The number of levels up to which an error names each level."""
LARGEST = 1e150
"""The largest gain; the smallest positive gain is its reciprocal."""


NUMBER_OF_GAINS = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"
BETWEEN_GAINS = r"(?:\s*[,;]\s*|\s+)"
FORMULA = r"2\s*(?:\^|\*\*)\s*\(?\s*[a-z_]+\s*\)?\s*[-−–]\s*1"
"""2^level − 1, whatever the level is called."""
LIST_OF_GAINS = rf"{NUMBER_OF_GAINS}(?:{BETWEEN_GAINS}{NUMBER_OF_GAINS})+"
"""Gains without levels."""
PAIRS_OF_GAINS = (
    rf"{NUMBER_OF_GAINS}\s*[:=]\s*{NUMBER_OF_GAINS}"
    rf"(?:{BETWEEN_GAINS}{NUMBER_OF_GAINS}\s*[:=]\s*{NUMBER_OF_GAINS})*"
)
"""Levels with their gains."""


def in_our_form(text: str) -> str:
    """A text of gains as ours: exp for 2^level − 1, a colon behind each level, and commas.

    >>> in_our_form("2^rel-1"), in_our_form("0 1; 10"), in_our_form('{"1": 1, "2": 10}')
    ('exp', '0,1,10', '1:1,2:10')
    >>> in_our_form("1=1, 2=10"), in_our_form("w10"), in_our_form("mine=1:1,2:10")
    ('1:1,2:10', 'w10', 'mine=1:1,2:10')
    """
    if re.fullmatch(FORMULA, text.strip(), re.IGNORECASE):
        return EXP
    bare = re.sub("[\"'{}\\[\\]()]", "", text).strip()
    if re.fullmatch(LIST_OF_GAINS, bare):
        return re.sub(BETWEEN_GAINS, ",", bare)
    if re.fullmatch(PAIRS_OF_GAINS, bare):
        with_colons = re.sub(r"\s*[:=]\s*", ":", bare)
        return re.sub(BETWEEN_GAINS, ",", with_colons)
    return text


def power_minus_1(x: np.ndarray) -> np.ndarray:
    """2^x − 1 of numbers ≥ 0, with all digits where 2^x is nearly 1.

    >>> (power_minus_1(np.array([0, 1e-300, 2])) > 0).tolist()
    [False, True, True]
    """
    return np.where(x < NEARLY_0, np.expm1(x * np.log(2)), np.exp2(x) - 1)


PRESETS: dict[str, GainMap] = {
    "w1": {0: 0, 1: 1, 2: 1, 3: 1},
    "w3": {0: 0, 1: 1, 2: 2, 3: 3},
    "w10": {0: 0, 1: 1, 2: 5, 3: 10},
    "w100": {0: 0, 1: 1, 2: 10, 3: 100},
}
"""Weightings of a four-level scale, from flat to steep (Kekäläinen 2005, section 3.2)."""


def plain_number(value: Any) -> Number:
    """`value` as a plain Python number: an `int` if it is whole, otherwise a `float`.

    >>> plain_number(10.0), plain_number(np.float32(0.5))
    (10, 0.5)

    Raises `TypeError` if `value` is not a real number (a bool is not) and `ValueError` if it is too
    large for a float.
    """
    if issubclass(type(value), (bool, np.bool_)) or not issubclass(type(value), Real):
        raise TypeError(f"{shown(value)} is not a number")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError("it is too large") from None
    if number.is_integer() and abs(int(value)) < WHOLE:
        return int(value)
    return number


def plain_numbers(values: np.ndarray) -> list[Number]:
    """The numbers of an array, each as `plain_number`.

    >>> plain_numbers(np.array([0.0, 10.0])), plain_numbers(np.array([0.5, 1.0]))
    ([0, 10], [0.5, 1])
    """
    if ((values == np.floor(values)) & (np.abs(values) < WHOLE)).all():
        return values.astype(np.int64).tolist()
    return list(map(plain_number, values.tolist()))


MOST_PROPOSED = 10
"""A message writes out the gains up to this level."""


def gains_in_place_of(rel: Any, name: str, cutoff: Any = None, gains: Any = LINEAR) -> str:
    """The end of the message that a measure of gains has no parameter `rel`: what to write.

    `gains` are those that the measure has by default.

    >>> gains_in_place_of(3, "Q")
    '; a level of gain 0 is not relevant: Q(gains=1:0,2:0)'
    >>> gains_in_place_of(2, "ERR_G", 10, EXP)
    '; a level of gain 0 is not relevant: ERR_G(gains=1:0,2:3,3:7)@10'
    """
    least = 2
    if isinstance(rel, int) and 2 < rel <= MOST_PROPOSED:
        least = rel
    pairs = [f"{level}:0" for level in range(1, least)]
    if gains == EXP:
        highest = max(least + 1, 3)
        pairs += [f"{level}:{2**level - 1}" for level in range(least, highest + 1)]
    ending = f"@{cutoff}" if isinstance(cutoff, int) else ""
    measure = f"{name}(gains={','.join(pairs)}){ending}"
    return f"; a level of gain 0 is not relevant: {measure}"


def canonical_gains(gains: str | Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> Gains:
    """The name of the gains, or the weighting without the levels that are their own gain, sorted by
    level.

    `gains` is a name, a text such as ``1:1,2:10``, a mapping of levels to gains, an iterable of
    pairs, or a list of the gains of the levels 0, 1, …, which begins with 0.

    >>> canonical_gains({3: 100, 2.0: 10, 1: 1, 0: 0, -2: 0})
    {2: 10, 3: 100}
    >>> canonical_gains({1: 1}), canonical_gains("exp"), canonical_gains([0, 1, 3, 7])
    ('linear', 'exp', {2: 3, 3: 7})

    Raises `GradedError` for an unknown name, if a level or a gain is not a finite number, if a gain
    is negative, or if a level occurs twice.
    """
    if isinstance(gains, str):
        gains = in_our_form(gains)
    if isinstance(gains, str) and gains in NAMED:
        return str(gains)
    try:
        numbers = _numbers_of(gains)
    except (TypeError, ValueError) as error:
        raise GradedError(str(error)) from None
    named: GainMap = {}
    for level, gain in numbers:
        if not math.isfinite(level):
            raise GradedError(f"level {level} is not finite")
        if not math.isfinite(gain) or gain < 0:
            raise GradedError(f"level {level} has gain {gain}, which is not finite and ≥ 0")
        if level in named:
            raise GradedError(f"level {level} is named twice")
        named[level] = gain
    changed = {level: named[level] for level in sorted(named) if named[level] != max(level, 0)}
    return changed or LINEAR


def _numbers_of(
    gains: str | Mapping[Any, Any] | Iterable[tuple[Any, Any]],
) -> list[tuple[Number, Number]]:
    """The levels and gains of a text, a mapping or pairs. Raises `TypeError` or `ValueError`."""
    if isinstance(gains, str):
        if gains in PRESETS:
            return list(PRESETS[gains].items())
        if ":" not in gains:
            return _pairs_of_list(gains.split(","))
        return pairs_of(gains)
    if isinstance(gains, np.ndarray):
        return _numbers_of(list(gains.tolist()))
    if isinstance(gains, Sequence) and gains and not isinstance(gains[0], Sequence):
        return _pairs_of_list(gains)
    pairs = gains.items() if isinstance(gains, Mapping) else gains
    return [(plain_number(level), plain_number(gain)) for level, gain in pairs]


def _pairs_of_list(gains: Sequence[Any]) -> list[tuple[Number, Number]]:
    """The levels and gains of a list of gains, which begins with that of level 0.

    Raises `ValueError` for any other list, with the pairs that are probably meant.
    """
    by_level = gains_from_zero(gains)
    if by_level:
        return list(by_level.items())
    pairs_meant = with_levels(gains)
    if pairs_meant:
        raise ValueError(f"write {pairs_meant}")
    if len(gains) == 1 and isinstance(gains[0], str):
        raise ValueError("unknown name")
    raise ValueError("a list has the gains of the levels 0, 1, …")


def gains_from_zero(gains: Sequence[Any]) -> GainMap:
    """The gains of the levels 0, 1, … from a list of numbers that begins with 0; empty for any
    other.

    >>> gains_from_zero(["0", "1", "3"]), gains_from_zero(["1", "3"]), gains_from_zero(["w10"])
    ({0: 0, 1: 1, 2: 3}, {}, {})
    """
    try:
        numbers = [plain_number(float(gain)) for gain in gains]
    except (TypeError, ValueError):
        return {}
    if len(numbers) < 2 or numbers[0] != 0:
        return {}
    return dict(enumerate(numbers))


def with_levels(gains: Sequence[Any]) -> str:
    """What to write in place of gains without levels; empty if there is one or none, or if they are
    no numbers.

    A first gain that is not 0 is that of level 1, since documents of level 0 are not relevant.

    >>> with_levels(["0", "1", "3"]), with_levels([1, 10, 100])
    ('0:0,1:1,2:3 for the levels 0, 1, 2', '1:1,2:10,3:100 for the levels 1, 2, 3')
    >>> with_levels(["w10"])
    ''
    """
    try:
        numbers = [plain_number(float(gain)) for gain in gains]
    except (TypeError, ValueError):
        return ""
    if len(numbers) < 2:
        return ""
    lowest = 1 if numbers[0] else 0
    levels = ", ".join(map(str, range(lowest, lowest + len(numbers))))
    pairs = ",".join(f"{level}:{gain}" for level, gain in enumerate(numbers, start=lowest))
    return f"{pairs} for the levels {levels}"


def pairs_of(text: str) -> list[tuple[Number, Number]]:
    """The levels and gains in a text such as ``1:1,2:10``. Raises `ValueError` for another text."""
    try:
        pairs = (pair.split(":") for pair in text.split(","))
        return [(plain_number(float(level)), plain_number(float(gain))) for level, gain in pairs]
    except ValueError:
        raise ValueError("it cannot be read") from None


def named_weightings(
    weightings: Mapping[str, Mapping[Any, Any] | str] | Iterable[str] | str,
) -> dict[str, Mapping[Any, Any] | str]:
    """Weightings by name, from texts such as those of the command line. Pairs without a name are
    their name.

    >>> named_weightings(["w3", "mine=1:1,2:10", "1:1,2:5"])
    {'w3': 'w3', 'mine': {1: 1, 2: 10}, '1:1,2:5': {1: 1, 2: 5}}
    >>> named_weightings({1: 1, 2: 5})
    {'1:1,2:5': {1: 1, 2: 5}}

    Raises `GradedError` for a text of another form, and for two weightings of one name.
    """
    if isinstance(weightings, Mapping):
        if not weightings or any(isinstance(name, str) for name in weightings):
            return dict(weightings)
        text = ",".join(f"{level}:{gain}" for level, gain in weightings.items())
        return {text: weightings}
    texts = [weightings] if isinstance(weightings, str) else weightings
    named: dict[str, Mapping[Any, Any] | str] = {}
    for text in map(in_our_form, texts):
        name, equals, pairs = text.partition("=")
        pairs = in_our_form(pairs)
        if name in named:
            raise GradedError(f"two weightings are named {name!r}; give each a name of its own")
        if equals and (pairs in (*PRESETS, *NAMED) or gains_from_zero(pairs.split(","))):
            named[name] = pairs  # the levels of the qrels decide
        elif equals:
            named[name] = _gains_of(pairs, text)
        elif ":" in text:
            named[name] = _gains_of(text, text)
        else:
            named[name] = name
    return named


def _gains_of(pairs: str, text: str) -> GainMap:
    """The gains by level in `pairs`, which are those of the weighting `text`."""
    try:
        numbers = pairs_of(pairs)
        gains = dict(numbers)
        if len(gains) < len(numbers):
            raise ValueError("a level occurs twice")
    except ValueError:
        raise GradedError(
            f"cannot read the weighting {text!r}; give [NAME=]LEVEL:GAIN,…, as in "
            "steep=1:1,2:10,3:100"
        ) from None
    return gains


def weighting(name: str, chosen: Mapping[Any, Any] | str, levels: Iterable[Number]) -> Gains:
    """The weighting `chosen`, which `name` labels in messages, or the named gains or preset
    `chosen`.

    `levels` are those of the qrels.

    >>> weighting("steep", {1: 1, 2: 10}, [0, 1, 2]), weighting("w3", "w3", [0, 1, 2])
    ({1: 1, 2: 10}, {0: 0, 1: 1, 2: 2, 3: 3})

    Raises `GradedError` for an invalid weighting, an unknown preset, and a preset without all
    levels.
    """
    if not isinstance(chosen, str):
        try:
            canonical_gains(chosen)
        except GradedError as error:
            raise GradedError(f"gains {name!r}: {error}") from None
        return dict(chosen)
    if chosen in NAMED:
        return chosen
    if chosen not in PRESETS:
        names = ", ".join(list(PRESETS) + list(NAMED))
        by_level = gains_from_zero(chosen.split(","))
        if by_level and max(by_level) == max(levels, default=0):
            return by_level
        pairs_meant = with_levels(chosen.split(","))
        if pairs_meant:
            highest = f"the highest level of the qrels is {max(levels, default=0):g}"
            raise GradedError(
                f"the gains {chosen!r} name no levels; write {pairs_meant}; {highest}"
            )
        raise GradedError(
            f"unknown weighting {chosen!r}; use a preset ({names}) or NAME=LEVEL:GAIN,…, as in "
            "mine=1:1,2:10"
        )
    preset = PRESETS[chosen]
    others = sorted(set(levels) - set(preset))
    if not others:
        return preset
    missing = ", ".join(f"{level:g}" for level in others[:NAMED_LEVELS])
    pairs = ",".join(f"{level:g}:GAIN" for level in sorted({*others, *preset}) if level != 0)
    if len(others) > NAMED_LEVELS:
        missing += ", …"
        pairs = "LEVEL:GAIN,…"
    raise GradedError(
        f"the preset {chosen} ({gains_text(preset)}) has no gain for level {missing} of the qrels; "
        f"choose a gain for each level, NAME={pairs}"
    )


def gains_text(gains: Gains) -> str:
    """Gains as a measure string has them.

    >>> gains_text({1: 1, 2: 10})
    '1:1,2:10'
    """
    if not isinstance(gains, dict):
        return str(gains)
    return ",".join(f"{level}:{gain}" for level, gain in gains.items())


def gain_of(levels: np.ndarray, gains: Gains) -> np.ndarray:
    """The gain of each of `levels` (any shape) under canonical gains.

    >>> gain_of(np.array([-1., 0., 1., 3.]), {3: 100})
    array([  0.,   0.,   1., 100.])
    >>> gain_of(np.array([-1., 0., 0.5, 3.]), "exp").round(2)
    array([0.  , 0.  , 0.41, 7.  ])

    Raises `GradedError` for a gain whose sums and products could leave the range of floats.
    """
    if isinstance(gains, (int, float)):
        return np.where(levels >= gains, 1.0, 0.0)
    result = np.maximum(levels, 0.0)
    if gains == EXP:
        with np.errstate(over="ignore"):
            result = power_minus_1(result)
    elif isinstance(gains, dict):
        for level, gain_of_level in gains.items():
            result[levels == level] = gain_of_level
    is_tiny = (result > 0) & (result < 1 / LARGEST)
    extreme = (result > LARGEST) | is_tiny
    if extreme.any():
        what = f"the gain {result[extreme][0]:g}"
        advice = "give other gains"
        if gains == EXP:
            what += " under gains=exp, which some measures have by default"
            advice += ", such as gains=linear"
        raise GradedError(
            f"level {levels[extreme][0]:g} has {what}; a gain must be 0 or between "
            f"{1 / LARGEST:g} and {LARGEST:g}, so {advice}"
        )
    return result
