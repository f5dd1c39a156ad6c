"""The given values by topic, from a file or in memory, or a mean, with the decimals that they show."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.rows.columns import column_name, plain
from ...errors import GradedError, shown
from ...evaluation.values import ALL, IDS, frame_of, number_in
from ...output.formats import counted, listed

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_DECIMALS = 6  # more are not compared: tools that compute with 32-bit floats do not have them
MEANS = (ALL, "amean", "mean")  # names that trec_eval and others write in place of a topic for the mean
COLUMNS = ("query_id", "measure", "value")
FORMS = 'lines of a topic and a value, the output of trec_eval -q, or JSON such as {"q1": 0.25}'


def values_by_topic(source: Any, topics: Collection[str], name: str | None) -> dict[str, Any]:
    """The value of each topic from a path, a mapping, a table, or rows such as ir-measures' metrics, as they
    were written.

    `topics` are those of the qrels. `name` is the measure to take if the source has several. Raises
    `GradedError` for values that cannot be read, for several measures, and if no topic is in the qrels.
    """
    where = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "values"
    if hasattr(source, "items") and not hasattr(source, "columns"):
        source = {str(topic): each for topic, each in source.items()}
        source = source if any(isinstance(each, Mapping) for each in source.values()) else [source]
    rows = [*_rows(where, frame_of(source, FORMS, written=True))]
    if sum(row[1] in topics for row in rows) > sum(row[0] in topics for row in rows):
        rows = [(topic, measure, value) for measure, topic, value in rows]  # trec_eval's order
    rows = [row for row in rows if row[0] in topics or row[0] not in MEANS]
    measures = dict.fromkeys(measure for _, measure, _ in rows)
    several = listed(measures, 8)
    if name is None and len(measures) > 1:
        raise GradedError(f"{where}: the values are of several measures ({several}); name one")
    if rows and name is not None and name not in measures:
        raise GradedError(f"{where}: no value has the name {shown(name)}; there are {several}")
    values: dict[str, Any] = {}
    for topic, measure, value in rows:
        if name in (None, measure):
            if topic in values:
                raise GradedError(f"{where}: topic {shown(topic)} has two values")
            finite(value, f"{where}: the value of topic {shown(topic)}")
            values[topic] = value
    if not values:
        raise GradedError(f"{where}: there are no values; give {FORMS}")
    if values.keys().isdisjoint(topics):
        first = shown(next(iter(values)))
        raise GradedError(f"{where}: none of its topics (such as {first}) is in the qrels; give {FORMS}")
    return values


def _rows(where: str, frame: DataFrame) -> Iterator[tuple[str, str, Any]]:
    """The topic, the measure or an empty string, and the value of each row."""
    topic, measure, value = (column_name(where, list(frame), ours) for ours in COLUMNS)
    if topic is None and not (0 in frame or 1 in frame.index):
        for name, cells in frame.to_dict().items():  # a column for each topic, a row for each measure
            yield from ((name, "" if row == 0 else str(row), cell) for row, cell in cells.items())
        return
    if topic is None:  # the columns have no names, or others
        width = len(frame.columns)
        if width not in (2, 3):
            raise GradedError(f"{where}: cannot be read as {FORMS}: a row has {counted(width, 'field')}")
        topic, measure, value = "topic", "measure", "value"
        frame = frame.set_axis([topic, *[measure] * (width == 3), value], axis=1)
    for record in frame.to_dict("records"):
        cells = record if value is None else {record.get(measure, ""): record[value]}
        for name, cell in cells.items():
            cell = cell.strip() if isinstance(cell, str) else cell
            if value is not None or (plain(name) not in IDS and np.isfinite(number_in(cell))):
                yield str(record[topic]).strip(), str(name).strip(), cell


def finite(value: Any, what: str) -> float:
    """The value as a float. Raises `GradedError` if it is not a finite number."""
    if not np.isfinite(number_in(value)):
        raise GradedError(f"{what} is {shown(value)}; it must be a finite number")
    return float(value)


def decimals_of(values: Collection[Any]) -> int:
    """The most decimals that a value shows, at most `MOST_DECIMALS`.

    Zeros behind all of several values do not count, and several values without decimals are exact.

    >>> decimals_of([0.25, "0.1780"]), decimals_of(["0.1780"]), decimals_of([1e-9]), decimals_of([0, 1])
    (3, 4, 6, 6)
    """
    several, digits = len(values) > 1, [0]
    for value in values:
        text = value.strip().lower() if isinstance(value, str) else f"{value:.10g}"
        if found := re.fullmatch(r"[^.e]*\.?(\d*)(?:e([-+]?\d+))?", text):
            fraction = found[1].rstrip("0") if several else found[1]
            digits.append(len(fraction) - int(found[2] or 0))
    most = min(max(digits), MOST_DECIMALS)
    return MOST_DECIMALS if several and most <= 0 else most
