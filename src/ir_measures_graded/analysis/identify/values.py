"""The given values by topic, from a file or in memory, or a mean, with the decimals that they show."""

import csv
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ...errors import FileError, GradedError, shown
from ...evaluation.values import number_in
from ...inputs.content import Content
from ...output.formats import listed

MOST_DECIMALS = 6
"""More decimals than these are not compared: tools that compute with 32-bit floats do not have them."""
TOPIC = ("topic", "query_id", "qid", "query", "topic_id", "q_id")
MEASURE = ("measure", "metric", "name")
MEANS = ("all", "amean", "mean")
"""The names that trec_eval and others write in place of a topic for the mean."""
FORMS = 'give lines of a topic and a value, the output of trec_eval -q, or JSON such as {"q1": 0.25}'


def values_by_topic(source: Any, topics: Collection[str], name: str | None) -> dict[str, Any]:
    """The value of each topic from a path, a mapping, or rows such as ir-measures' metrics, as they were
    written.

    `topics` are those of the qrels. `name` is the measure to take if the source has several. Raises
    `GradedError` for values that cannot be read, for several measures, and if no topic is in the qrels.
    """
    where = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "values"
    try:
        rows = [*_rows(source if where == "values" else _content(where))]
    except FileError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        raise GradedError(f"{where}: cannot read the values ({error}); {FORMS}") from None
    if sum(row[1] in topics for row in rows) > sum(row[0] in topics for row in rows):
        rows = [(topic, measure, value) for measure, topic, value in rows]  # trec_eval's order
    measures = dict.fromkeys(measure for _, measure, _ in rows)
    several = listed(measures, 8)
    if name is None and len(measures) > 1:
        raise GradedError(f"{where}: the values are of several measures ({several}); name one")
    if name is not None and name not in measures:
        raise GradedError(f"{where}: no value has the name {shown(name)}; there are {several}")
    values: dict[str, Any] = {}
    for topic, measure, value in rows:
        if name in (None, measure) and (topic not in MEANS or topic in topics):
            if topic in values:
                raise GradedError(f"{where}: topic {shown(topic)} has two values")
            finite(value, f"{where}: the value of topic {shown(topic)}")
            values[topic] = value
    if not values:
        raise GradedError(f"{where}: there are no values; {FORMS}")
    if values.keys().isdisjoint(topics):
        first = shown(next(iter(values)))
        raise GradedError(f"{where}: none of its topics (such as {first}) is in the qrels; {FORMS}")
    return values


def _content(path: str) -> Any:
    """The content of a file: a mapping, records or fields."""
    with Content(path) as content:
        text = content.stream.read().decode("utf-8-sig")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("runid")]
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text, parse_float=str)
        except json.JSONDecodeError:  # a record on each line
            return [json.loads(line, parse_float=str) for line in lines]
    sign = next((sign for sign in "\t,;" if lines and sign in lines[0]), None)
    fields = csv.reader(lines, delimiter=sign) if sign else map(str.split, lines)
    rows = [list(map(str.strip, row)) for row in fields]
    if not rows or any(map(_is_number, rows[0][1:])):
        return rows
    names, *rows = rows
    return [dict(zip(names, row)) for row in rows] if {*names} & {*TOPIC} else rows


def _rows(source: Any) -> Iterator[tuple[str, str, Any]]:
    """The topic, the measure or an empty string, and the value of each row."""
    if hasattr(source, "itertuples"):
        source = source.to_dict("records")
    if hasattr(source, "items"):
        for topic, value in source.items():
            measures = value if isinstance(value, Mapping) else {"": value}  # pytrec_eval has several
            yield from ((str(topic), str(measure), each) for measure, each in measures.items())
        return
    for row in source:
        record = row._asdict() if hasattr(row, "_asdict") else row
        if not isinstance(record, Mapping):
            if len(record) not in (2, 3):
                raise ValueError(f"not 2 fields (topic value) or 3 (topic measure value): {shown(record)}")
            topic, *measure, value = record
            yield str(topic), str(*measure), value
            continue
        topic = str(next(record[key] for key in TOPIC if key in record))
        if "value" in record:
            yield topic, next((str(record[key]) for key in MEASURE if key in record), ""), record["value"]
        else:  # all columns of numbers
            yield from (
                (topic, *each) for each in record.items() if each[0] not in TOPIC and _is_number(each[1])
            )


def _is_number(cell: Any) -> bool:
    return not np.isnan(number_in(cell))


def finite(value: Any, what: str) -> float:
    """The value as a float. Raises `GradedError` if it is not a finite number."""
    if not np.isfinite(number_in(value)):
        raise GradedError(f"{what} is {shown(value)}; it must be a finite number")
    return float(value)


def decimals_of(values: Iterable[Any]) -> int:
    """The most decimals that a value shows, at most `MOST_DECIMALS`.

    >>> decimals_of([0.25, "0.1780"]), decimals_of([1e-9])
    (4, 6)
    """
    digits = [0]
    for value in values:
        found = re.fullmatch(r"[^.e]*\.?(\d*)(?:e([-+]?\d+))?", str(value).strip().lower())
        if found:
            fraction = found[1] if isinstance(value, str) else found[1].rstrip("0")
            digits.append(len(fraction) - int(found[2] or 0))
    return min(max(digits), MOST_DECIMALS)
