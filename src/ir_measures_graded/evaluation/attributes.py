"""Attributes of topics: their groups, their sessions and turns, read from the columns of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..arguments import names, refused
from ..core.ranking.gains import plain_number
from ..core.rows.chosen import Chosen
from ..core.rows.columns import column_of_topics, is_known
from ..core.rows.roles import QRELS
from ..errors import GradedError, Remark, needed, shown
from ..output.formats import listed
from .remarks import issue
from .sessions import TurnsInFile
from .value_columns import number_in

if TYPE_CHECKING:
    from pandas import Series

Pairs = tuple[tuple[str, str], ...]
"""Our names of columns, and those in files."""
By = Mapping[str, Any] | str | None
"""The attribute of each topic: a mapping or FILE:COLUMN as for `read_attribute`."""
NONE = "no group"
"""The group of topics without the attribute."""
QUANTILES = 4
"""Numbers of more distinct values are cut into so many groups."""


def read_attribute(text: str, columns: Pairs = ()) -> dict[str, Any]:
    """The value of each topic in the column COLUMN of a table file, as FILE:COLUMN names it.

    The value is None where the cell is empty. `columns` are those of a `Chosen`. Raises
    `GradedError` for a missing column and for a topic with two values.
    """
    path, _, column = text.rpartition(":")
    if not path:
        raise GradedError(
            f"{shown(text)} is no column of a file; give FILE:COLUMN, as in topics.csv:kind"
        )
    (attribute,) = _of_topics(path, [column], columns)
    return attribute


def read_sessions(path: str, columns: Pairs = ()) -> TurnsInFile:
    """The session and the turn of each topic in the columns of a table file.

    `columns` are those of a `Chosen`. Raises `GradedError` for a missing column and for a topic
    with two sessions or turns.
    """
    session, turn = _of_topics(path, ["session", "turn"], columns)
    turns = {topic: (session[topic], turn[topic]) for topic in session}
    return TurnsInFile(turns, path)


def _of_topics(path: str, wanted: Sequence[str], columns: Pairs) -> list[dict[str, Any]]:
    """The value of each topic in each of the wanted columns of a file."""
    from .values import frame_of, needed_column  # This import takes time.

    frame = frame_of(path)
    chosen = Chosen(columns=columns)
    ids = column_of_topics(path, list(frame), chosen, wanted)
    if not is_known(ids, QRELS) and ids not in chosen.names("query_id"):
        text = f"{ids} is read as query_id; if another column is meant: --columns query_id=…"
        issue([Remark("columns", path, text)])
    attributes: list[dict[str, Any]] = []
    for column in wanted:
        needed_column(frame, path, column)
        rows = frame[list(dict.fromkeys((ids, column)))]
        try:
            rows = rows.drop_duplicates()  # Judgments have many rows of a topic.
        except TypeError:  # A cell has a list, an array in Parquet, which cannot be looked up.
            rows = rows.assign(**{column: rows[column].map(_without_array)})
        topics = list(map(str, rows[ids]))
        cells = rows[column].astype(object)
        is_empty = cells.isna() | (cells == "")
        value_of: dict[str, Any] = {}
        for topic, value in zip(topics, cells.mask(is_empty, None), strict=True):
            if value_of.setdefault(topic, value) != value:
                raise GradedError(f"{path}: topic {topic} has two values of {column}")
        attributes.append(value_of)
    return attributes


def _without_array(cell: Any) -> Any:
    """The cell, or the list of an array, whose comparison has one answer."""
    if hasattr(cell, "tolist"):
        return cell.tolist()
    return cell


def groups_of(topics: Sequence[str], by: By) -> dict[str, list[int]]:
    """The numbers of the topics in each group; empty if `by` is None.

    Numbers of more than four distinct values are cut at their quartiles, and a group is named by
    its lowest and its highest number. Topics without the attribute are a group of their own, the
    last one. Raises `GradedError` for an attribute that no topic has.

    >>> groups_of(["a", "b", "c"], {"a": "short", "b": "long"})
    {'short': [0], 'long': [1], 'no group': [2]}
    >>> groups_of("abcdefgh", dict(zip("abcdefgh", [3, 1, 2, 5, 8, 7, 2, 4])))
    {'1–2': [1, 2, 6], '3': [0], '4–5': [3, 7], '7–8': [4, 5]}
    """
    if by is None:
        return {}
    if not isinstance(topics, str):
        topics = names("topics", topics)
    attribute = read_attribute(by) if isinstance(by, str) else by
    if not hasattr(attribute, "items"):
        raise refused("by", by, "a mapping of topics to groups, or FILE:COLUMN")
    pandas = needed("pandas", "groups of topics")
    attribute = {str(topic): value for topic, value in attribute.items()}
    if attribute.keys().isdisjoint(topics):
        raise GradedError(
            f"no topic has a group: the groups are those of topics {listed(attribute)}; the values "
            f"have topics {listed(topics)}"
        )
    labels = pandas.Series([attribute.get(topic) for topic in topics], dtype=object)
    labels = labels[labels.notna() & ~labels.isin(["", NONE])]
    numbers = labels.map(number_in)
    if labels.size and numbers.notna().all():
        labels = _cut(numbers)
    labels = labels.astype(str)
    rows = labels.groupby(labels, sort=False).groups
    groups = {str(name): sorted(of_group) for name, of_group in rows.items()}
    rest = [number for number in range(len(topics)) if number not in labels.index]
    if rest:
        groups[NONE] = rest
    return groups


def _cut(numbers: Series) -> Series:
    """The label of each number's group: the lowest and the highest number in it."""
    pandas = needed("pandas", "groups of topics")
    numbers = numbers.sort_values(kind="stable")
    lowest = numbers
    highest = numbers
    if numbers.nunique() > QUANTILES:
        quartiles = pandas.qcut(numbers, QUANTILES, duplicates="drop")
        groups = numbers.groupby(quartiles, observed=True)
        lowest = groups.transform("min")
        highest = groups.transform("max")
    labels = []
    for low, high in zip(lowest, highest, strict=True):
        ends = dict.fromkeys((str(plain_number(low)), str(plain_number(high))))
        labels.append("–".join(ends))
    return pandas.Series(labels, index=numbers.index)
