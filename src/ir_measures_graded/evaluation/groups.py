"""Groups of topics by an attribute, such as the type of the query, its length or a month."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from ..core.ranking.gains import plain_number
from ..errors import GradedError, needed
from ..output.formats import listed
from .values import number_in, read_attribute

By = Mapping[str, Any] | str | None
"""The attribute of each topic: a mapping, FILE:COLUMN as for `read_attribute`, or a column of the values."""
NONE = "no group"
"""The group of topics without the attribute."""
QUANTILES = 4
"""Numbers of more distinct values are cut into so many groups."""


def is_column(by: By) -> TypeGuard[str]:
    """Whether this is the name of a column of the values."""
    return isinstance(by, str) and ":" not in by


def groups_of(
    topics: Sequence[str], by: By, attributes: Mapping[str, Mapping[str, Any]]
) -> dict[str, list[int]]:
    """The numbers of the topics in each group; empty if `by` is None.

    Numbers of more than four distinct values are cut at their quartiles, and a group is named by its lowest
    and its highest number. Topics without the attribute are a group of their own, the last one. `attributes`
    are those of the values. Raises `GradedError` for an attribute that no topic has.

    >>> groups_of(["a", "b", "c"], {"a": "short", "b": "long"}, {})
    {'short': [0], 'long': [1], 'no group': [2]}
    >>> groups_of("abcdefgh", dict(zip("abcdefgh", [3, 1, 2, 5, 8, 7, 2, 4])), {})
    {'1–2': [1, 2, 6], '3': [0], '4–5': [3, 7], '7–8': [4, 5]}
    """
    pandas = needed("pandas", "groups of topics")

    if by is None:
        return {}
    if is_column(by) and by not in attributes:
        raise GradedError(
            f"by={by!r} is not an attribute of the values; give FILE:COLUMN, as in topics.csv:kind"
        )
    given = (attributes.get(by) or read_attribute(by)) if isinstance(by, str) else by
    given = {str(topic): value for topic, value in given.items()}
    if given.keys().isdisjoint(topics):
        raise GradedError(
            f"no topic has a group: the groups are those of topics {listed(given)}; the values have topics "
            f"{listed(topics)}"
        )
    found = pandas.Series([given.get(topic) for topic in topics], dtype=object)
    found = found[found.notna() & ~found.isin(["", NONE])]
    numbers = found.map(number_in)
    if found.size and numbers.notna().all():
        lowest = highest = numbers = numbers.sort_values(kind="stable")
        if numbers.nunique() > QUANTILES:
            parts = numbers.groupby(pandas.qcut(numbers, QUANTILES, duplicates="drop"), observed=True)
            lowest, highest = parts.transform("min"), parts.transform("max")
        pairs = [(str(plain_number(low)), str(plain_number(high))) for low, high in zip(lowest, highest)]
        found = pandas.Series(["–".join(dict.fromkeys(pair)) for pair in pairs], index=numbers.index)
    rows = found.astype(str).groupby(found.astype(str), sort=False).groups
    groups = {str(name): sorted(row) for name, row in rows.items()}
    rest = [row for row in range(len(topics)) if row not in found.index]
    return groups | ({NONE: rest} if rest else {})
