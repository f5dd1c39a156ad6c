"""The given values: one per topic from a file or in memory, or a mean, with the decimals that they show."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import FileError, GradedError, shown
from ...inputs.content import Content

MOST_DECIMALS = 6
"""More decimals than these are not compared: tools that compute with 32-bit floats do not have them."""
EXAMPLE = 'give lines of a topic and a value, trec_eval\'s output with -q, or JSON such as {"q1": 0.25}'
TOPIC = ("topic", "query_id", "qid", "query", "topic_id", "q_id")
MEASURE = ("measure", "metric", "name")
MEANS = ("all", "amean", "mean")
"""What trec_eval and others write in place of a topic for the mean."""


@dataclass(frozen=True)
class Given:
    """The given values by topic, or their mean, and how many decimals they show."""

    values: dict[str, float] | None
    mean: float | None
    decimals: int


def given_mean(mean: float | str, decimals: int | None = None) -> Given:
    """A mean, as a number or in the digits in which it was shown.

    >>> given_mean("0.1780")
    Given(values=None, mean=0.178, decimals=4)

    Raises `GradedError` if it is not a finite number.
    """
    return Given(None, _number(mean, "the mean"), _decimals([mean], decimals))


def given_values(
    source: Any, topics: Collection[str], name: str | None, decimals: int | None = None
) -> Given:
    """Values by topic from a path, a mapping, or rows such as ir-measures' metrics.

    `topics` are those of the qrels. `name` is the measure to take if the source has several. Raises
    `GradedError` for values that cannot be read, for several measures, and if no topic is in the qrels.
    """
    if isinstance(source, (str, os.PathLike)):
        where, rows = os.fspath(source), _rows_of_file(source)
    else:
        where, rows = "values", _rows_in_memory(source)
    rows = _topic_first(rows, topics)
    measures = dict.fromkeys(measure for _, measure, _ in rows)
    if name is not None:
        if name not in measures:
            raise GradedError(f"{where}: no value has the name {shown(name)}; there are {_listed(measures)}")
        rows = [row for row in rows if row[1] == name]
    elif len(measures) > 1:
        raise GradedError(f"{where}: the values are of several measures ({_listed(measures)}); name one")
    values: dict[str, float] = {}
    for topic, _, value in rows:
        if topic in MEANS and topic not in topics:
            continue
        if topic in values:
            raise GradedError(f"{where}: topic {shown(topic)} has two values")
        values[topic] = _number(value, f"{where}: the value of topic {shown(topic)}")
    if values.keys().isdisjoint(topics):
        first = f" (such as {shown(next(iter(values)))})" if values else ""
        raise GradedError(f"{where}: none of its topics{first} is in the qrels; {EXAMPLE}")
    return Given(values, None, _decimals([row[2] for row in rows], decimals))


def _listed(names: Iterable[str]) -> str:
    names = [*names]
    return ", ".join(names[:8]) + ", …" * (len(names) > 8)


Row = tuple[str, str, Any]
"""A topic, a measure or an empty string, and a value. The two names may still be exchanged."""


def _rows_of_file(path: str | os.PathLike[str]) -> list[Row]:
    with Content(path) as content:
        try:
            text = content.stream.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FileError(f"{content.name}: not UTF-8 text; {EXAMPLE}") from None
        name = content.name
    if text.lstrip()[:1] in ("{", "["):
        return _rows_of_json(text, name)
    return _rows_of_lines(text.splitlines(), name)


def _rows_of_json(text: str, name: str) -> list[Row]:
    """A mapping of topics to values, a list of records, or a record per line; floats keep their digits."""
    try:
        try:
            found = json.loads(text, parse_float=str)
        except json.JSONDecodeError:
            found = [json.loads(line, parse_float=str) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        raise FileError(f"{name}: not JSON ({error}); {EXAMPLE}") from None
    try:
        return _rows_in_memory(found)
    except GradedError as error:
        raise FileError(f"{name}: {error}") from None


def _rows_in_memory(source: Any) -> list[Row]:
    if hasattr(source, "itertuples"):
        source = source.to_dict("records")
    if isinstance(source, Mapping) or hasattr(source, "items"):
        if all(
            isinstance(value, Mapping) for value in source.values()
        ):  # pytrec_eval: topic → measure → value
            return [(str(q), str(m), value) for q, of in source.items() for m, value in of.items()]
        return [(str(topic), "", value) for topic, value in source.items()]
    rows: list[Row] = []
    for row in source if isinstance(source, Iterable) else ():
        fields = row._asdict() if hasattr(row, "_asdict") else row
        if isinstance(fields, Mapping):
            rows += _rows_of_record(fields)
        elif isinstance(fields, (tuple, list)) and len(fields) in (2, 3):
            rows.append((str(fields[0]), str(fields[1]) if len(fields) == 3 else "", fields[-1]))
        else:
            raise GradedError(f"cannot read {shown(row)} as a topic and a value; {EXAMPLE}")
    return rows


def _rows_of_record(record: Mapping[str, Any]) -> list[Row]:
    """The value of a record, or the values of all its columns that are numbers."""
    topic = next((str(record[key]) for key in TOPIC if key in record), None)
    if topic is None:
        raise GradedError(f"a record needs a topic ({', '.join(TOPIC[:3])}), not {shown(dict(record))}")
    if "value" in record:
        return [(topic, next((str(record[key]) for key in MEASURE if key in record), ""), record["value"])]
    return [(topic, key, value) for key, value in record.items() if key not in TOPIC and _is_number(value)]


def _rows_of_lines(lines: list[str], name: str) -> list[Row]:
    """Lines of two or three fields; a first line without a number names them."""
    delimiter = next((sign for sign in ("\t", ",", ";") if lines and sign in lines[0]), None)
    rows: list[Row] = []
    names: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        fields = next(csv.reader([line], delimiter=delimiter)) if delimiter else line.split()
        fields = [field.strip() for field in fields]
        if not any(fields):
            continue
        if names is None and not rows and not any(map(_is_number, fields[1:])):
            names = fields
        elif names is not None and len(names) == len(fields) and {*names} & {*TOPIC}:
            rows += _rows_of_record(dict(zip(names, fields)))
        elif len(fields) in (2, 3):
            rows.append((fields[0], fields[1] if len(fields) == 3 else "", fields[-1]))
        else:
            raise FileError(f"{name}:{number}: {len(fields)} fields, not 2 or 3; {EXAMPLE}")
    return [row for row in rows if _is_number(row[2]) or not row[0].startswith("runid")]


def _topic_first(rows: list[Row], topics: Collection[str]) -> list[Row]:
    """The rows with the topic before the measure; trec_eval writes the measure first."""
    known = set(topics)
    if sum(row[1] in known for row in rows) > sum(row[0] in known for row in rows):
        return [(topic, measure, value) for measure, topic, value in rows]
    return rows


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not _is_number(value) or not math.isfinite(float(value)):
        raise GradedError(f"{what} is {shown(value)}; it must be a finite number")
    return float(value)


def _decimals(values: Iterable[Any], decimals: int | None) -> int:
    """The most decimals that a value shows, at most `MOST_DECIMALS` unless given."""
    if decimals is not None:
        return decimals
    most = 0
    for value in values:
        text = value if isinstance(value, str) else repr(float(value))
        found = re.fullmatch(r"\s*[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?\s*", text)
        if found:
            digits = found[1] if isinstance(value, str) else found[1].rstrip("0")
            most = max(most, len(digits) - int(found[2] or 0))
    return min(most, MOST_DECIMALS)
