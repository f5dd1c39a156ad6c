"""Rows in any order as blocks of whole topics, even if they do not fit into memory."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from zlib import crc32

import numpy as np

from ..core.by_topic import bounds_of
from ..core.rows.columns import RUN
from ..core.rows.id_columns import stretches_of
from ..core.rows.rows import IDS, Part, joined
from ..errors import FileError
from .content import SIZES, Sizes

TAIL = 1 << 10  # rows at the end of a part in which the last change of topic is searched first
BUCKETS = 32
"""The temporary files, each of which must fit into memory."""


def whole_topics(parts: Iterable[Part], least: int) -> Iterator[Part]:
    """The same rows in blocks of at least `least` rows; a block ends where the topic changes."""
    pending: list[Part] = []
    for rows in parts:
        cut = _last_change(rows) if len(rows) else 0
        before = [part for part in pending if len(part)]
        at_border = cut > 0 or (before and len(rows) and _topic(rows, 0) != _topic(before[-1], -1))
        if at_border and sum(map(len, pending)) + cut >= least:
            yield joined([*pending, rows.take(slice(cut))] if cut else pending, RUN)
            pending, rows = [], rows.take(slice(cut, None))
        pending.append(rows)
    if any(map(len, pending)) or any(part.facts.empty for part in pending):
        yield joined(pending, RUN)


def _topic(rows: Part, row: int) -> str:
    return str(rows.columns["query_id"][row])


def _last_change(rows: Part) -> int:
    """The last row whose topic differs from that of the row before, 0 if all topics are equal."""
    for start in (max(len(rows) - TAIL, 0), 0):
        last = int(rows.columns["query_id"].take(slice(start, None)).changes()[-1])
        if last:
            return start + last
    return 0


def regrouped(parts: Iterator[Part], name: str, sizes: Sizes = SIZES) -> Iterator[Part]:
    """The rows of several parts in blocks of whole topics. Up to `sizes.grouped` rows form one block.

    More rows go to temporary files, each topic to the file that its hash names, and a file forms one block.
    Raises `FileError`, which names the source of the rows, if a temporary file cannot be written.
    """
    kept: list[Part] = []
    for part in parts:
        kept.append(part)
        if sum(map(len, kept)) > sizes.grouped:
            break
    else:
        yield from [joined(kept, RUN)] if kept else []
        return
    try:
        with TemporaryDirectory(prefix="ir_measures_graded") as folder, ExitStack() as opened:
            files = [opened.enter_context(Path(folder, str(n)).open("w+b")) for n in range(BUCKETS)]
            for part in chain(kept, parts):
                _spread(part, files)
            for file in files:
                file.seek(0)
                yield joined(_parts_in(file), RUN)
    except OSError as error:
        raise FileError(
            f"{name}: cannot group the rows in temporary files: {error.strerror or error}; the "
            "environment variable TMPDIR names another folder for them"
        ) from error


def _spread(part: Part, files: Sequence[IO[bytes]]) -> None:
    """Write each row to the file of its topic."""
    stretches = stretches_of(part.columns["query_id"], "run: query_id")
    file = np.array([crc32(topic.encode()) % len(files) for topic in stretches.topics], np.int64)
    of_row = np.repeat(file[stretches.code], np.diff(stretches.start, append=len(part)))
    order, bounds = np.argsort(of_row, kind="stable"), bounds_of(np.bincount(of_row, minlength=len(files)))
    part = replace(part, columns={**part.columns, **{name: part.columns[name].padded() for name in IDS}})
    for number in np.flatnonzero(np.diff(bounds)).tolist():
        rows = part.take(order[bounds[number] : bounds[number + 1]])
        pickle.dump(rows, files[number], pickle.HIGHEST_PROTOCOL)


def _parts_in(file: IO[bytes]) -> Iterator[Part]:
    with suppress(EOFError):
        while True:
            yield pickle.load(file)
