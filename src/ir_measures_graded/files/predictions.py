"""Predictions of a ranker: a file with one number a line, for the lines of a file of labels and
features (LETOR), which are the qrels.

The numbers are the scores of the documents of these lines.
"""

from __future__ import annotations

import re

import numpy as np

from ..core.rows.decimals import number_of
from ..core.rows.roles import RUN
from ..core.rows.rows import Facts, Rows
from ..errors import FileError, shown
from .content import LINES_READ_ALONE, Content, File, Sizes, decoded, is_lasting
from .forms import BYTE_ORDER_MARK, ONE_A_LINE

COMMENTS = rb"(?:#[^\n]*(?:\n|\Z))*"


def predictions_for(file: File, qrels: Rows, is_whole: bool, sizes: Sizes) -> Rows | None:
    """The run whose scores are the numbers of a file, one for each line of the qrels; None if the
    file has another form.

    The qrels have one of the forms `WITH_PREDICTIONS`.

    Unless `is_whole`, the qrels are some topics of their file. Raises `FileError` for a line that
    is no number, and if the files have different numbers of lines.
    """
    if qrels.line is None or not is_lasting(file):
        return None
    name = Content(file).name
    numbers = _numbers_in(file, sizes)
    if numbers is None:
        return None
    last_line = int(qrels.line.max())
    if is_whole and qrels.line.size < last_line:
        raise FileError(
            f"{qrels.file} has comments or blank lines, so it is not certain to which lines the "
            f"numbers of {name} belong; remove them"
        )
    if numbers.size < last_line or (is_whole and numbers.size > last_line):
        raise FileError(
            f"{name} has {numbers.size:,} numbers, and {qrels.file} {last_line:,} lines; a number "
            "belongs to the line of the same place"
        )
    facts = Facts(name, ONE_A_LINE)
    scores = numbers[qrels.line - 1]
    rows = Rows(RUN, qrels.topics, qrels.offsets, qrels.docs, scores, line=qrels.line, facts=facts)
    return rows.checked()


def _numbers_in(file: File, sizes: Sizes) -> np.ndarray | None:
    """The numbers of a file with one in each line; None for a file that begins otherwise.

    Lines that begin with # are comments.
    """
    with Content(file, sizes) as content:
        start = content.stream.start.removeprefix(BYTE_ORDER_MARK)
        comments = re.match(COMMENTS, start)
        start = start[comments.end() :]  # type: ignore[union-attr]
        if number_of(start.partition(b"\n")[0].strip()) is None:
            return None
        numbers = []
        whole = content.undamaged().rstrip()
        content.spend(LINES_READ_ALONE, 1 + whole.count(b"\n"))
        for place, line in enumerate(whole.split(b"\n"), start=1):
            if line.startswith(b"#"):
                continue
            number = number_of(line)
            if number is None:
                text = decoded(line.strip(), content.name, place)
                raise FileError(
                    f"{content.name}:{place}: {shown(text)} is not a number; each line has "
                    "the prediction for one line of the qrels"
                )
            numbers.append(number)
    return np.array(numbers, dtype=np.float64)
