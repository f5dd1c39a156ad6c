"""Tables as Excel files, which pandas and openpyxl write."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from ..errors import GradedError, needed
from .formats import EXCEL_NEEDS

if TYPE_CHECKING:
    from pandas import DataFrame

UNWRITABLE: Final = r"[\x00-\x08\x0b-\x1f]"
"""The control characters that a cell cannot hold; it has tabs and line feeds."""
MOST_ROWS = 2**20 - 1
"""The rows of a sheet below its heading."""


BLANKS: Final = "Blanks stand for control characters of names, which an Excel file cannot hold."


def excel(lines: Iterable[str], notes: Iterable[str]) -> bytes:
    """An Excel file with a sheet ``values`` and, if there are notes, a sheet ``notes``.

    `lines` are the rows in JSON, one a line. Text stays text: a name that begins with an equals
    sign is no formula. Raises `GradedError` without openpyxl, and for more than `MOST_ROWS` rows.
    """
    pandas = needed("pandas", EXCEL_NEEDS[1])
    needed(*EXCEL_NEEDS)
    rows = [json.loads(line) for line in lines]
    if len(rows) > MOST_ROWS:
        raise GradedError(
            f"an Excel file has at most {MOST_ROWS:,} rows, and there are {len(rows):,}; "
            "write csv or jsonl"
        )
    sheets = {"values": _frame(rows)}
    sentences = [{"note": note} for note in notes]
    if _loses_characters(rows):
        sentences.append({"note": BLANKS})
    if sentences:
        sheets["notes"] = _frame(sentences)
    content = io.BytesIO()
    with pandas.ExcelWriter(content, engine="openpyxl") as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
            for row in writer.sheets[name].iter_rows():
                for cell in row:
                    if cell.data_type == "f":
                        cell.data_type = "s"
    return content.getvalue()


def _frame(rows: list[dict[str, Any]]) -> DataFrame:
    """The rows as a DataFrame, with text and numbers as Excel can have them."""
    pandas = needed("pandas", EXCEL_NEEDS[1])
    columns = [_text(name) for name in rows[0]] if rows else []
    cells = [[_cell(value) for value in row.values()] for row in rows]
    return pandas.DataFrame(cells, columns=columns, dtype=object)


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    is_text = isinstance(value, str)
    return _text(value) if is_text else value


def _loses_characters(rows: list[dict[str, Any]]) -> bool:
    """Whether a text has a control character that an Excel file cannot hold."""
    texts = chain(rows[:1], (row.values() for row in rows))
    return any(re.search(UNWRITABLE, str(text)) for column in texts for text in column)


def _text(value: Any) -> str:
    """A text as Excel can have it; a lone surrogate is escaped."""
    return re.sub(UNWRITABLE, " ", str(value)).encode(errors="backslashreplace").decode()
