"""What to name in place of a folder that holds runs and other files."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from ..errors import GradedError, quoted
from ..files.content import COMPRESSIONS
from ..files.files import RunFile, qrels_in
from .parser import files_of_folder

COMMAND_OF_QRELS = "judges"
"""The command whose folders hold qrels; those of the others hold runs."""


def what_to_name(words: Sequence[str], message: str) -> str:
    """What to type in place of the folder, one of the words, of whose files the message names one.

    It is the pattern of the files that are runs, or qrels of machine judges, by their ending. Empty
    if no word is such a folder.
    """
    is_of_kind = _is_run
    kind = "runs"
    if words[0] == COMMAND_OF_QRELS:
        is_of_kind = _is_qrels
        kind = "qrels"
    for word in words:
        folder = word.partition("=")[2] if word.startswith("-") else word
        files = files_of_folder(folder)
        if not any(f"{path}:" in message for path in files):
            continue
        patterns = _patterns(folder, files, message, is_of_kind)
        which = " ".join(patterns) or "one by one"
        return f"{folder} holds other files as well: name its {kind}, {which}"
    return ""


def _patterns(
    folder: str, files: Sequence[str], message: str, is_of_kind: Callable[[str], bool]
) -> list[str]:
    """The patterns of endings of which the first file is of the kind and none is the file at fault;
    the most frequent ending first."""
    count = Counter(map(_ending_of, files))
    at_fault = {_ending_of(path) for path in files if f"{path}:" in message}
    patterns = []
    for ending, _ in count.most_common():
        first = next(path for path in files if _ending_of(path) == ending)
        if ending and ending not in at_fault and is_of_kind(first):
            patterns.append(os.path.join(quoted(folder.rstrip(os.sep)), f"*{ending}"))
    return patterns


def _ending_of(path: str) -> str:
    """The ending of a file with that of its compression; empty if it has none.

    >>> _ending_of("runs/bm25.v2.run.gz"), _ending_of("runs/bm25")
    ('.run.gz', '')
    """
    stem, ending = os.path.splitext(os.path.basename(path))
    if ending[1:].lower() in [compression.ending for compression in COMPRESSIONS.values()]:
        ending = os.path.splitext(stem)[1] + ending
    return ending


def _is_run(path: str) -> bool:
    """Whether a file can be read as a run."""
    with suppress(GradedError):
        RunFile(path).rows()
        return True
    return False


def _is_qrels(path: str) -> bool:
    """Whether a file can be read as qrels."""
    with suppress(GradedError):
        qrels_in(path)
        return True
    return False
