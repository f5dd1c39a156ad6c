"""Qrels and runs from TREC files and ir-datasets collections.

What is read goes into this package's measures and into every ir-measures provider alike: qrels as
`ir_measures.Qrel`, which keep the iteration (diversity measures read their subtopics there), a run
as a dict of dicts. A line that cannot be read is a `GradedError` that names file and line.
"""

from __future__ import annotations

import gzip
import math
import os
import sys
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from difflib import get_close_matches
from typing import Any, BinaryIO, Union

from ir_measures import Qrel

from .errors import GradedError

TrecFile = Union[str, "os.PathLike[str]", BinaryIO]
"""A path, also to a file compressed by gzip (``.gz``); ``-``, standard input; or an open binary file."""

Run = dict[str, dict[str, float]]

QRELS_LINE = "topic iteration document level"
RUN_LINE = "topic Q0 document rank score tag"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_trec_qrels(file: TrecFile) -> list[Qrel]:
    """The judgments of a file in TREC's form, ``topic iteration document level`` a line.

    >>> import io
    >>> read_trec_qrels(io.BytesIO(b"q1 0 d1 3"))
    [Qrel(query_id='q1', doc_id='d1', relevance=3, iteration='0')]

    Fields are separated by blanks or tabs, blank lines are skipped, levels are finite numbers (whole
    ones are read as `int`). A document may be judged several times, as in diversity qrels; graded
    measures refuse it where its levels differ. Raises `GradedError` for anything else.
    """
    qrels: list[Qrel] = []
    levels: dict[bytes, int | float] = {}
    lines = _Lines(file, QRELS_LINE)
    for topic, iteration, doc, level in lines:
        if level not in levels:
            levels[level] = _level(level, lines)
        qrels.append(Qrel(topic.decode(), doc.decode(), levels[level], iteration.decode()))
    return qrels


def read_trec_run(file: TrecFile) -> Run:
    """The run of a file in TREC's form, ``topic Q0 document rank score tag`` a line.

    >>> import io
    >>> read_trec_run(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
    {'q1': {'d1': 9.5}}

    Scores alone decide the order, ranks are not looked at. Fields are separated by blanks or tabs,
    blank lines are skipped. Raises `GradedError` for a line of another form, a score that is no
    number or NaN, and a document that a topic retrieves twice.
    """
    run: Run = {}
    numbers: dict[str, array[int]] = {}  # of the lines, in the order of the topic's documents
    last = b""
    lines = _Lines(file, RUN_LINE)
    for topic, _, doc, _, score, _ in lines:
        if topic != last:
            last, name = topic, topic.decode()
            docs, places = run.setdefault(name, {}), numbers.setdefault(name, array("Q"))
        doc_id = doc.decode()
        if doc_id in docs:
            first = places[list(docs).index(doc_id)]
            raise lines.error(
                f"topic {name!r} retrieves document {doc_id!r} a second time (first in line {first}); "
                "a document has one rank in a topic"
            )
        docs[doc_id] = _score(score, lines)
        places.append(lines.number)
    return run


def qrels_of(name: str) -> list[Qrel]:
    """The judgments of a file, or else of the ir-datasets collection of that id.

    >>> len(qrels_of("graded-demo"))
    2992

    Raises `GradedError` where there is neither, where the collection has no qrels and where it
    cannot be downloaded.
    """
    if name == "-" or (os.path.exists(name) and not os.path.isdir(name)):
        return read_trec_qrels(name)
    collection = _collection(name)
    if not collection.has_qrels():
        raise GradedError(f"the ir-datasets collection {name!r} has no qrels{_parts_with(name, 'qrels')}")
    with _loading("qrels", name):
        return [
            Qrel(qrel.query_id, qrel.doc_id, qrel.relevance, _iteration(qrel))
            for qrel in collection.qrels_iter()
        ]


def scoreddocs_of(name: str) -> Run:
    """The run that the ir-datasets collection of that id carries.

    >>> len(scoreddocs_of("graded-demo"))
    20

    Raises `GradedError` where there is none, where it cannot be downloaded, and for a document that
    a topic retrieves twice.
    """
    collection = _collection(name)
    if not collection.has_scoreddocs():
        parts = _parts_with(name, "scoreddocs")
        raise GradedError(f"the ir-datasets collection {name!r} carries no run (scoreddocs){parts}")
    run: Run = {}
    with _loading("scoreddocs", name):
        for row in collection.scoreddocs_iter():
            docs = run.setdefault(row.query_id, {})
            if row.doc_id in docs:
                raise GradedError(
                    f"scoreddocs of {name!r}: topic {row.query_id!r} retrieves document {row.doc_id!r} twice"
                )
            docs[row.doc_id] = row.score
    return run


class _Lines:
    """The lines of a file, split into as many fields as `form` has words.

    `error` names the line that was read last, for whoever finds a mistake in its fields.
    """

    def __init__(self, file: TrecFile, form: str):
        self.file, self.form = file, form
        if isinstance(file, (str, os.PathLike)):
            self.name = "standard input" if file == "-" else os.fspath(file)
        else:
            self.name = str(getattr(file, "name", "the open file"))
        self.number = 0

    def error(self, message: str) -> GradedError:
        return GradedError(f"{self.name}:{self.number}: {message}")

    def __iter__(self) -> Iterator[list[bytes]]:
        size = len(self.form.split())
        for line in self._read():
            fields = line.split()
            if len(fields) == size:
                yield fields
            elif fields:
                raise self.error(
                    f"{len(fields)} field{'s' * (len(fields) != 1)}, not {size} ({self.form}): {_shown(line)}"
                )

    def _read(self) -> Iterator[bytes]:
        """Each line; its text is known to be UTF-8."""
        try:
            with self._open() as lines:
                for line in lines:
                    self.number += 1
                    if not line.isascii():
                        if self.number == 1:
                            line = line.removeprefix(BYTE_ORDER_MARK)
                        line.decode()
                    yield line
        except UnicodeDecodeError as error:
            raise self.error(
                f"not UTF-8 text (byte 0x{error.object[error.start]:02x} at position {error.start}); "
                "convert the file, for example with iconv"
            ) from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.number += 1
            raise self.error(f"the gzip file is damaged or cut off here ({error})") from None
        except OSError as error:
            raise GradedError(f"{self.name}: cannot be read: {error.strerror or error}") from None

    def _open(self) -> Any:
        """A context manager of the file's lines, which closes what it opened."""
        if isinstance(self.file, (str, os.PathLike)) and self.file != "-":
            if self.name.endswith(".gz"):
                return gzip.open(self.file, "rb")
            return open(self.file, "rb")
        stream: Any = sys.stdin.buffer if self.file == "-" else self.file
        if hasattr(stream, "peek") and stream.peek(2)[:2] == b"\x1f\x8b":
            return gzip.open(stream, "rb")
        return nullcontext(stream)


def _level(text: bytes, lines: _Lines) -> int | float:
    level = _number(text)
    if level is None or not math.isfinite(level):
        raise lines.error(f"the level {_shown(text)} is not a finite number ({lines.form})")
    return int(level) if level.is_integer() else level


def _score(text: bytes, lines: _Lines) -> float:
    score = _number(text)
    if score is None:
        raise lines.error(f"the score {_shown(text)} is not a number ({lines.form})")
    if math.isnan(score):
        raise lines.error("the score is NaN, which has no place in an order; infinities are allowed")
    return score


def _number(text: bytes) -> float | None:
    """A number as C reads it: Python's 1_000 is none."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None


def _shown(text: bytes) -> str:
    """A piece of a file in a message."""
    shown = text.decode(errors="backslashreplace").strip()
    return repr(shown if len(shown) <= 80 else shown[:79] + "…")


def _collection(name: str) -> Any:
    """The ir-datasets collection of that id."""
    import ir_datasets  # half a second, for those who name a collection only

    from .demo import register

    register()
    try:
        return ir_datasets.load(name)
    except KeyError:
        pass
    if os.path.exists(name):
        what = "a directory, not a file, and no" if os.path.isdir(name) else "a file, not an"
    else:
        what = "neither a file nor an"
    close = get_close_matches(name, list(ir_datasets.registry), n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise GradedError(f"{name!r} is {what} ir-datasets id{hint}")


@contextmanager
def _loading(what: str, name: str) -> Iterator[None]:
    """Whatever goes wrong inside ir-datasets, a download above all, as one message."""
    try:
        yield
    except GradedError:
        raise
    except Exception as error:
        reason = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
        reason = next(iter(reason.splitlines()), "") or type(error).__name__
        raise GradedError(
            f"cannot load the {what} of the ir-datasets collection {name!r}: {reason}"
        ) from error


def _parts_with(name: str, what: str) -> str:
    """A hint at the parts of a collection that have what it lacks itself."""
    import ir_datasets

    parts = [id_ for id_ in ir_datasets.registry if id_.startswith(f"{name}/")]
    have = [id_ for id_ in parts if ir_datasets.load(id_).has(what)]
    return f"; parts of it have: {', '.join(have[:5])}{', …' * (len(have) > 5)}" if have else ""


def _iteration(qrel: Any) -> str:
    """What diversity measures look at: TREC's second field, which some collections call subtopic."""
    return str(getattr(qrel, "iteration", getattr(qrel, "subtopic_id", "0")))
