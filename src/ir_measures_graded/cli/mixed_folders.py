"""What to name in place of a folder that holds files of several kinds, or lists of ids."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from ..errors import GradedError, quoted, shown
from ..files.content import COMPRESSIONS
from ..files.files import RunFile, qrels_in
from ..files.forms import ONE_ID_A_LINE
from .parser import files_of_folder

MOST_TRIED = 50
"""The most files of a folder that are tried."""
AWK_ASSIGNMENT = "[A-Za-z_][A-Za-z0-9_]*="
"""The start of a path that awk would take as an assignment to a variable."""
WITHOUT_MARKS = r'FNR == 1 {rank = 0} {gsub(/^\357\273\277|\r$/, "")}'
"""The start of the program for awk: ranks begin in each file, and ids have no byte order mark and
no carriage return."""


class KindOfFiles(NamedTuple):
    """The files that a folder stands for, as a message calls them, and whether a file is one."""

    name: str
    is_one: Callable[[str], bool]


def _is_run(path: str) -> bool:
    with suppress(GradedError):
        RunFile(path).rows()
        return True
    return False


def _is_qrels(path: str) -> bool:
    with suppress(GradedError):
        qrels_in(path)
        return True
    return False


def _is_table(path: str) -> bool:
    from ..evaluation.evaluation import Evaluation

    with suppress(GradedError):
        Evaluation.from_values(path)
        return True
    return False


RUNS = KindOfFiles("runs", _is_run)
QRELS = KindOfFiles("qrels", _is_qrels)
TABLES = KindOfFiles("tables of values", _is_table)
OPTIONS_OF_TABLES = ("--values", "--first", "--second")
COMMAND_OF_QRELS = "judges"
"""The command whose folders hold qrels; those of the others hold runs."""


def what_to_name(words: Sequence[str], message: str) -> str:
    """What to type in place of a folder among the words: the patterns of the files that it stands
    for. Empty unless the message names the folder or one of its files.
    """
    for folder, kind in _folders(words):
        files = files_of_folder(folder)
        if f"{shown(folder)} is a directory" in message:
            fitting = [quoted(path) for path in files[:MOST_TRIED] if _is_qrels(path)]
            return f"name its qrels, {' or '.join(fitting)}" if fitting else ""
        if f"{folder}: cannot be read" in message:
            fitting = [quoted(path) for path in files[:MOST_TRIED] if kind.is_one(path)]
            return f"name one of its files, for example {fitting[0]}" if fitting else ""
        at_fault = [path for path in files if re.search(rf"{re.escape(path)}[: ]", message)]
        if at_fault:
            patterns = patterns_in(folder, kind, at_fault)
            has_one = any(kind.is_one(path) for path in files[:MOST_TRIED])
            if ONE_ID_A_LINE in message and not has_one:
                return _writing_run(files, folder)
            which = " ".join(patterns) or "one by one"
            return f"{folder} holds other files as well: name its {kind.name}, {which}"
    file, is_list, _ = message.partition(f": {ONE_ID_A_LINE}")
    if is_list and os.path.isfile(file):
        return _writing_run([file])
    return ""


def _writing_run(files: Sequence[str], folder: str = "") -> str:
    """The line for a shell that writes a run from lists of ids, whose names are the queries.

    The files are those of the folder, if one is named. Queries with blanks need a table with tabs.
    Empty for compressed files.
    """
    ((ending, count),) = Counter(map(_ending_of, files)).most_common(1)
    if count < min(len(files), 2):
        ending = ""  # the names have dots, as the queries 1.1 and 1.2
    if ending.endswith(tuple(compression.ending for compression in COMPRESSIONS.values())):
        return ""
    first = files[0]
    if re.match(AWK_ASSIGNMENT, first):
        first = os.path.join(os.curdir, first)
    beside = [r".*\/"] if os.path.dirname(first) else []
    if ending:
        beside.append(rf"{re.escape(ending)}$")
    query = "query = FILENAME; "
    if beside:
        query += f'gsub(/{"|".join(beside)}/, "", query); '
    sources = quoted(first)
    name_of_run = os.path.basename(first).removesuffix(ending)
    if folder:
        name_of_run = folder.rstrip(os.sep)
        sources = f"{quoted(os.path.dirname(first))}/*{ending}"
    header = ""
    if any(len(os.path.basename(file).split()) > 1 for file in files):
        header = r'BEGIN {OFS = "\t"; print "query_id", "doc_id", "rank"} '
    run = f"{name_of_run}.run"
    if os.path.exists(run):
        run = f"{name_of_run}_with_queries.run"
    return (
        "if the name of a file is its query, this line writes the run: "
        f"awk '{header}{WITHOUT_MARKS} NF {{{query}print query, $1, ++rank}}' "
        f"{sources} > {quoted(run)}"
    )


def _folders(words: Sequence[str]) -> Iterator[tuple[str, KindOfFiles]]:
    """The words that may be folders, and the files that they stand for."""
    usual = QRELS if words[0] == COMMAND_OF_QRELS else RUNS
    option = ""
    for word in words:
        kind = usual
        if word.startswith("-"):
            option, _, word = word.partition("=")
        if option in OPTIONS_OF_TABLES:
            kind = TABLES
        if word:
            option = ""
            yield word, kind


def patterns_in(folder: str, kind: KindOfFiles = RUNS, others: Sequence[str] = ()) -> list[str]:
    """The patterns of the endings of which the first file of a folder is of the kind, and no file
    is among the others; the most frequent ending first."""
    files = files_of_folder(folder)
    count = Counter(map(_ending_of, files))
    wrong = set(map(_ending_of, others))
    patterns = []
    for ending, _ in count.most_common():
        first = next(path for path in files if _ending_of(path) == ending)
        if ending and ending not in wrong and kind.is_one(first):
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
