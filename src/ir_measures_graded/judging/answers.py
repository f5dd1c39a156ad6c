"""Files of documents that an assessor was asked to judge."""

from __future__ import annotations

import os

from ..inputs.files import qrels_table
from ..inputs.text_forms import ANSWERS
from .scales import Levels, levels_of


def read_answers(path: str | os.PathLike[str]) -> Levels:
    """The judgments in a file of documents that an assessor was asked to judge.

    The file is of any kind that is read as qrels, such as CSV with the columns topic, document and level. An
    empty level, ``?`` or ``-`` in a text file means that the document is not judged.

    Raises `FileError` for a file that cannot be read. Raises `FileError`, which names file and line, for a
    line of another form, a level that is not a finite number, and a document with two levels.
    """
    return levels_of(qrels_table(path, ANSWERS))
