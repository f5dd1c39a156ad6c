"""Folders of answers of a search engine, one file a query, with the query's id as its name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from ..core.rows.roles import RUN
from ..core.rows.rows import Part
from ..errors import BY_NAME, FileError, Remark, shown
from .content import FEWER, HIDDEN, MOST_ENTRIES, Content, File, Reading
from .forms import is_json
from .json_files import answer_of, check_found, parts_of_queries
from .json_text import Text, first_object
from .search_answers import ANSWERS, QueryFound, at, failure_in

ENDINGS = (".json", ".json.gz", ".json.bz2", ".json.xz", ".json.zst")
BEGINS_AS_ANSWER = re.compile(
    rb'\s*\{\s*"(took|timed_out|_shards|hits|responseHeader|response|root)"\s*:'
)
"""The start of an answer that is longer than what is looked at."""


def answer_files(file: File) -> list[tuple[str, str]]:
    """The ids of the queries of a folder of answers, and their files; none for anything else.

    All files of the folder are JSON, without hidden ones, and the first one is a single answer of a
    search engine. Raises `FileError` for more than `MOST_ENTRIES` files.
    """
    if not isinstance(file, (str, os.PathLike)) or not os.path.isdir(file):
        return []
    files: list[tuple[str, str]] = []
    for name in sorted(os.listdir(file)):
        if name.startswith(HIDDEN):
            continue
        path = os.path.join(os.fspath(file), name)
        ending = next((end for end in ENDINGS if name.lower().endswith(end)), "")
        if not ending or not os.path.isfile(path):
            return []
        files.append((name.removesuffix(name[-len(ending) :]), path))
    if not files or not _is_one_answer(files[0][1]):
        return []
    if len(files) > MOST_ENTRIES:
        raise FileError(f"{file} is a directory of more than {MOST_ENTRIES:,} entries; {FEWER}")
    return files


def _is_one_answer(path: str) -> bool:
    """Whether a file has a single answer of a search engine, perhaps an error, and no topics."""
    try:
        with Content(path) as content:
            start = content.stream.start
    except FileError:
        return False
    if not is_json(start):
        return False
    value = first_object(start)
    if value is None:
        return BEGINS_AS_ANSWER.match(start) is not None
    has_hits = any(isinstance(at(value, answer.hits), list) for answer in ANSWERS)
    is_error = "error" in value and bool(failure_in(value))
    return has_hits or is_error


def answer_parts(file: File, files: Sequence[tuple[str, str]], reading: Reading) -> Iterator[Part]:
    """The rows of the answers in a folder, whose `files` are those of `answer_files`.

    Raises `FileError` for a file without an answer, for two of one query, and for qrels.
    """
    seen: set[str] = set()
    queries: list[tuple[int, QueryFound]] = []
    kinds: list[str] = []
    for topic, path in files:
        with Content(path, reading.sizes) as content:
            text = Text(content)
            value = text.value()
        if topic in seen:
            raise text.error(f"another file of the folder has the name of topic {shown(topic)}")
        seen.add(topic)
        kind, query = answer_of(text, topic, value, reading)
        text.end()
        if not kinds:
            check_found(text, RUN, kind, reading)
        kinds.append(kind)
        queries.append((1, query))
    (topic, path), *_ = files
    count = f"each of the {len(files):,} files is"
    if len(files) == 1:
        count = "its file is"
    text_of_remark = (
        f"{count} the answer to the query of its name ({topic}: {os.path.basename(path)})"
    )
    remark = Remark(BY_NAME, "", text_of_remark)
    for rows in parts_of_queries(Content(file).name, kinds[0], queries, reading):
        yield Part(rows.columns, rows.line, rows.facts._replace(lines=(remark,)))
