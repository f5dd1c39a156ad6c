"""Qrels and runs in every form: a file, an ir-datasets id, or data in memory.

ir-datasets is imported only for an ir-datasets id.
"""

import io
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar

from ir_measures import ScoredDoc

from ..core.rows.rows import Rows
from ..core.rows.sources import read_qrels
from ..errors import FileError, GradedError, did_you_mean, quoted, shown
from ..output.formats import listed
from .content import Content, parquet_files, refuse_address, similar_files
from .files import qrels_in

Loaded = TypeVar("Loaded")
EXPORTED: Final = ("qrels", "scoreddocs")
"""The parts of a collection that a file can replace."""


def qrels_source(qrels: Any) -> Rows:
    """Qrels in any form: data in memory, a path, ``-`` (standard input) or an ir-datasets id.

    An existing file takes precedence over an id of the same name.

    >>> len(qrels_source("graded-demo").topics)
    20

    Raises `GradedError` for a file that cannot be read, for a name that is neither a file nor an
    id, for a collection without qrels, and if the download fails.
    """
    if not isinstance(qrels, (str, os.PathLike)):
        return read_qrels(qrels)
    name = os.fspath(qrels)
    if is_file(name):
        return qrels_in(name)
    return read_qrels(_rows(name, "qrels", "qrels"))


def is_file(name: str) -> bool:
    """Whether a name is that of a file: ``-`` (standard input), a path, or a folder of Parquet
    files or of answers of a search engine.

    Raises `FileError` for an address.
    """
    refuse_address(name)
    if name == "-":
        return True
    if os.path.isdir(name):
        return bool(files_of_folder(name))
    return os.path.exists(name) or bool(parquet_files(name))


def files_of_folder(file: Any) -> list[str]:
    """The files of a folder that is one table or one run, or of a pattern of Parquet files; none
    for anything else.
    """
    files = parquet_files(file)
    if not files and isinstance(file, (str, os.PathLike)) and os.path.isdir(file):
        from .answer_folders import answer_files  # takes time

        files = [path for _, path in answer_files(file)]
    return files


class NamedPath(NamedTuple):
    """The path of a run or a table, and the name that the user gives it, empty for none."""

    name: str
    path: str


def named_path(word: str) -> NamedPath:
    """The name and the path in a word such as ``BM25=p_bm25.run.gz``.

    The name ends at the first equals sign with a file behind it. A file of this very name has no
    other name, and so has a word without such a sign.

    >>> named_path("BM25=-"), named_path("BM25=no-such-file")
    (NamedPath(name='BM25', path='-'), NamedPath(name='', path='BM25=no-such-file'))
    """
    if "=" not in word or is_file(word):
        return NamedPath("", word)
    parts = word.split("=")
    for count in range(1, len(parts)):
        name = "=".join(parts[:count])
        path = "=".join(parts[count:])
        may_be_name = bool(name.strip()) and "(" not in name  # measures have parentheses
        if may_be_name and path and is_file(path):
            return NamedPath(name, path)
    return NamedPath("", word)


def is_named_file(word: str) -> bool:
    """Whether a word is a file, perhaps with a name in front."""
    return is_file(named_path(word).path)


def scoreddocs_of(name: str) -> list[ScoredDoc]:
    """The run (scoreddocs) that comes with the ir-datasets collection `name`.

    >>> len({row.query_id for row in scoreddocs_of("graded-demo")})
    20

    Raises `GradedError` if the collection has no run, and if its download fails.
    """
    rows = _rows(name, "scoreddocs", "run (scoreddocs)")
    return [ScoredDoc(row.query_id, row.doc_id, row.score) for row in rows]


def _rows(name: str, what: str, called: str) -> list[Any]:
    """The qrels or scoreddocs of an ir-datasets collection. Raises `GradedError` if it has none."""
    import ir_datasets

    collection = _collection(name)
    if not collection.has(what):
        parts = [id_ for id_ in ir_datasets.registry if id_.startswith(f"{name}/")]
        having = listed([id_ for id_ in parts if ir_datasets.load(id_).has(what)], 5)
        hint = f"; parts of it have: {having}" if having else ""
        raise GradedError(f"the ir-datasets collection {shown(name)} has no {called}{hint}")
    return _loaded(lambda: list(getattr(collection, f"{what}_iter")()), what, name)


def _collection(name: str) -> Any:
    """The ir-datasets collection with this id. Raises `GradedError` if there is none."""
    import ir_datasets  # only on demand, because this import takes half a second

    from ..demo import register_demo

    register_demo()
    with suppress(KeyError):
        return ir_datasets.load(name)
    what = "neither a file nor an"
    if os.path.isdir(name):
        what = "a directory, not a file or an"
    elif os.path.exists(name):
        what = "a file, not an"
    hint = ""
    path, _, column = name.rpartition(":")
    if path and column and is_file(path):
        option = quoted(f"relevance={column}")
        hint = f"; give {path} and --columns {option} (columns= in Python)"
    elif not os.path.exists(name):
        hint = similar_files(name)
    hint = hint or did_you_mean(name, ir_datasets.registry, most=3)
    raise GradedError(f"{shown(name)} is {what} ir-datasets id{hint}")


def _loaded(load: Callable[[], Loaded], what: str, name: str) -> Loaded:
    """Call `load`, and turn any error inside ir-datasets, usually a failed download, into one
    message.
    """
    log = logging.getLogger("ir_datasets")
    log.addFilter(_is_no_lost_connection)
    try:
        return load()
    except Exception as error:
        reason = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
        reason = next(iter(reason.splitlines()), "") or type(error).__name__
        hosts = _unreached_hosts(error)
        if hosts:
            part = what if what in EXPORTED else EXPORTED[0]
            reason = (
                f"it is downloaded on first use, and there is no connection to {listed(hosts)}; "
                "try it again with a network, or name the file that another computer writes: "
                f"ir_datasets export {quoted(name)} {part} --format trec > FILE"
            )
        where = f"the {what} of the ir-datasets collection {shown(name)}"
        raise GradedError(f"cannot load {where}: {reason}") from None
    finally:
        log.removeFilter(_is_no_lost_connection)


def _is_no_lost_connection(record: logging.LogRecord) -> bool:
    """Whether a line of ir-datasets' log is more than an attempt that failed at once without a
    network, which the message tells."""
    text = record.getMessage()
    return not (text.lower().startswith("download") and "Max retries exceeded" in text)


def _unreached_hosts(error: Exception) -> list[str]:
    """The hosts that a download could not reach; none for any other error."""
    errors: list[Any] = [error]
    if len(error.args) > 1 and isinstance(error.args[1], list):
        errors = [failed[-1] for failed in error.args[1] if isinstance(failed, tuple)]
    from urllib.parse import urlsplit  # This import takes time.

    hosts: dict[str, None] = {}
    for failed in errors:
        if isinstance(failed, FileNotFoundError):  # there is no copy on this computer
            continue
        request = getattr(failed, "request", None)
        if request is None or getattr(failed, "response", None) is not None:
            return []
        hosts[urlsplit(request.url).hostname or request.url] = None
    return list(hosts)


def definitions_of(name: str) -> dict[Any, str]:
    """The definition of each level of an ir-datasets collection; empty for a file.

    >>> definitions_of("graded-demo")[0]
    'Irrelevant: contains no information about the topic.'

    Raises `GradedError` for a name that is neither a file nor an id, and if the download fails.
    """
    if is_file(name):
        return {}
    collection = _collection(name)
    return _loaded(lambda: dict(collection.qrels_defs() or {}), "definitions of levels", name)


def qrels_file_of(name: str) -> str:
    """The file with the qrels of an ir-datasets id; empty if there is none, as for the names of
    runs.
    """
    with suppress(Exception):  # ir-datasets raises errors of many kinds
        return str(_collection(name).qrels_path())
    return ""


def queries_of(name: str | None) -> dict[str, str]:
    """The query of each topic of an ir-datasets collection; empty for a file and for None.

    >>> queries_of("graded-demo")["351"]
    'beekeeping on city roofs rules'

    The result is also empty if the download fails, because no value depends on queries. Raises
    `GradedError` for a name that is neither a file nor an id.
    """
    if name is None or is_file(name):
        return {}
    collection = _collection(name)
    with suppress(GradedError):  # also if the collection has no queries
        return _loaded(
            lambda: {q.query_id: _text(q) for q in collection.queries_iter()}, "queries", name
        )
    return {}


def queries_in(path: str) -> dict[str, str]:
    """The query of each topic in a file; a line is a topic, a tab and the text of the query.

    Blank lines are skipped. The last line of a topic counts. Raises `FileError` for a file that
    cannot be read and for a line without a tab.
    """
    queries = {}
    with Content(path) as content:
        text = content.text()
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        topic, tab, query = line.partition("\t")
        if tab:
            queries[topic.strip()] = query.strip()
        elif line.strip():
            raise FileError(
                f"{path}:{number}: there is no tab; a line is TOPIC, a tab and the query's text"
            )
    return queries


def _text(query: Any) -> str:
    """The text of a query. Collections give this field different names."""
    texts = (getattr(query, field, "") for field in ("text", "title", "query"))
    return next((str(text) for text in texts if text), "")
