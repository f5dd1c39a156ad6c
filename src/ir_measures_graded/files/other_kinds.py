"""Files of other kinds, which are named as what they are, with what to export.

`refuse_other_kind` knows them by their first bytes, and `json_of_other_kind` by their keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from ..core.rows.columns import MOST_COLUMNS, is_known
from ..core.rows.roles import QRELS, RUN
from ..errors import FileError
from .content import COMPRESSIONS, Content

COLUMNS_OF_ROWS = "query_id, doc_id and score (or relevance)"
TABLE = f"write a table with the columns {COLUMNS_OF_ROWS}"
UNPACK = "unpack it, and pass the file in it"
SHEET = f"export the sheet as CSV, as {TABLE.removeprefix('write ')}"
RECORDS = 'write it with frame.to_json(path, orient="records"), or as CSV or Parquet'


class OtherKind:
    """A kind of file that is neither qrels nor a run.

    A file begins with one of the `signatures`, at the byte `at`. `name` says what it is, and
    `advice` what to do.
    """

    def __init__(self, name: str, advice: str, signatures: tuple[bytes, ...], at: int = 0):
        self.name = name
        self.advice = advice
        self.signatures = signatures
        self.at = at


OTHER_KINDS = (
    OtherKind("an archive (tar)", UNPACK, (b"ustar",), 257),
    OtherKind(
        "LZ4 of CBOR, twice compressed; save as .json or .parquet",
        "or unpack another LZ4 file",
        (b"\x04\x22\x4d\x18",),
    ),
    OtherKind("an archive (7-Zip)", UNPACK, (b"7z\xbc\xaf\x27\x1c",)),
    OtherKind("an archive (RAR)", UNPACK, (b"Rar!\x1a\x07",)),
    OtherKind(
        "a pointer of Git LFS, not the file itself",
        "get the file with git lfs pull",
        (b"version https://git-lfs.github.com/spec/",),
    ),
    OtherKind(
        "text in UTF-16",
        "convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8",
        (b"\xff\xfe", b"\xfe\xff"),
    ),
    OtherKind("a PDF document", TABLE, (b"%PDF-",)),
    OtherKind("an Excel file (xls)", SHEET, (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",)),
    OtherKind("an array of NumPy", TABLE, (b"\x93NUMPY",)),
    OtherKind("an HDF5 file", TABLE, (b"\x89HDF\r\n\x1a\n",)),
    OtherKind("a database of SQLite", TABLE, (b"SQLite format 3\0",)),
    OtherKind("an ORC file", "write it as Parquet", (b"ORC\n", b"ORC\x0b", b"ORC\x08")),
    OtherKind("an Avro file", "write it as Parquet", (b"Obj\x01",)),
    OtherKind(
        "a pickle of Python",
        "which is not read, because it may run code; write it as Parquet or JSON",
        tuple(b"\x80%c" % protocol for protocol in range(2, 6)),
    ),
)
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
CONTENTS_OF_ZIP = {
    b"xl/": ("an Excel file (xlsx)", SHEET),
    b".npy": ("arrays of NumPy (npz)", TABLE),
}
OLD_LINE_ENDS = "text whose lines end with CR alone; replace CR, for example with tr '\\r' '\\n'"
PAGES = (b"<!doctype html", b"<html", b"<head", b"<body", b"<!--")


def refuse_other_kind(
    content: Content, columns: str = COLUMNS_OF_ROWS, may_have_old_line_ends: bool = False
) -> None:
    """Raise `FileError` for a file that begins as one of another kind, after it is decompressed.

    `columns` are those of the table to write. Lines may end with CR alone if the caller can read
    them.
    """
    start = content.stream.start
    reason = _other_kind(start)
    if not reason and not may_have_old_line_ends and _has_old_line_ends(start[:1000]):
        reason = OLD_LINE_ENDS
    if not reason and content.compression:
        for name, compression in COMPRESSIONS.items():
            if content.stream.start.startswith(compression.magic):
                reason = f"{name} in {content.compression}; decompress it once"
    if reason:
        raise FileError(f"{content.name}: {reason.replace(COLUMNS_OF_ROWS, columns)}")


def _other_kind(start: bytes) -> str:
    """What a file with this start is, and what to do; empty if it is not of another kind."""
    for kind in OTHER_KINDS:
        if start.startswith(kind.signatures, kind.at):
            return f"{kind.name}; {kind.advice}"
    if start.startswith(ZIP):
        for path, (name, advice) in CONTENTS_OF_ZIP.items():
            if path in start:
                return f"{name}; {advice}"
        return f"an archive (zip); {UNPACK}"
    text = start[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith(PAGES):
        return "a page in HTML, perhaps of a login or an error; download the file itself"
    if text.startswith(b"<svg"):
        return f"a picture (SVG); {TABLE}"
    if text.startswith(b"<?xml"):
        return f"an XML file; {TABLE}"
    if text.startswith(b"#!"):
        return f"a script, which is not run; {TABLE}"
    if text.startswith(b"sep=") and re.match(rb"sep=.\r?\n", text):
        return "a table that begins with a line for Excel (sep=…); remove this line"
    return ""


def _has_old_line_ends(start: bytes) -> bool:
    """Whether this is text that ends its lines as old Macs did. JSON may have any blanks."""
    if b"\r" not in start.rstrip() or start.lstrip().startswith((b"{", b"[")):
        return False
    return re.search(rb"[\x00-\x08\x0a-\x0c\x0e-\x1f]", start) is None


def _is_split(value: Any) -> bool:
    return _has_keys(value, "columns", "data") and isinstance(value["data"], list)


def _is_described(value: Any) -> bool:
    return _has_keys(value, "schema", "data") and isinstance(value["data"], list)


def _is_by_column(value: Any) -> bool:
    return _is_of_objects(value) and _names_columns(value)


def _is_by_row(value: Any) -> bool:
    return _is_of_objects(value) and all(_names_columns(row) for row in value.values())


def _is_of_lists(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, list) for row in value)


def _is_of_llama_index(value: Any) -> bool:
    return _has_keys(value, "queries", "corpus", "relevant_docs")


def _is_of_vespa(value: Any) -> bool:
    if not _has_keys(value, "root") or not isinstance(value["root"], dict):
        return False
    return bool({"children", "relevance", "coverage", "fields"} & value["root"].keys())


def _is_of_algolia(value: Any) -> bool:
    hits = value.get("hits") if _has_keys(value, "hits") else None
    return isinstance(hits, list) and bool(hits) and _has_keys(hits[0], "objectID")


def _is_of_msearch(value: Any) -> bool:
    if not _has_keys(value, "responses") or not isinstance(value["responses"], list):
        return False
    return any(map(_is_of_elasticsearch, value["responses"]))


def _is_of_elasticsearch(value: Any) -> bool:
    if not _has_keys(value, "hits"):
        return False
    return isinstance(value["hits"], list) or _has_keys(value["hits"], "hits")


ANSWERS_WITHOUT_IDS = (
    "answers of _msearch of OpenSearch or Elasticsearch without their queries; write "
    '{"ids": ["q1", …], "responses": […]} with one id for each response, in the same order, or a '
    "table with the columns query_id, _id and _score of each hit"
)
OTHER_JSON: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (
        _is_of_llama_index,
        "a dataset of LlamaIndex; write its relevant_docs, {topic: [document, …]}, as a file",
    ),
    (
        _is_of_vespa,
        "a response of Vespa without its query; write {query_id: response}, or a table with "
        "query_id, id and relevance of each child of root",
    ),
    (
        _is_of_algolia,
        "an answer of Algolia without its query; write {query_id: answer}, or a list of ids, the "
        "best first: {query_id: [objectID, …]}",
    ),
    (_is_of_msearch, ANSWERS_WITHOUT_IDS),
    (
        _is_of_elasticsearch,
        "JSON of OpenSearch or Elasticsearch without its query; write {query_id: response}, or a "
        "table with the columns query_id, _id and _score of each hit; or name a folder of such "
        "files, each with the name of its query",
    ),
    (_is_split, f'a DataFrame as JSON (orient="split"); {RECORDS}'),
    (_is_described, f'a DataFrame as JSON (orient="table"); {RECORDS}'),
    (_is_by_column, f'a DataFrame as JSON (orient="columns"); {RECORDS}'),
    (_is_by_row, f'a DataFrame as JSON (orient="index"); {RECORDS}'),
    (
        _is_of_lists,
        f'lists without names, as a DataFrame is written with orient="values"; {RECORDS}',
    ),
)
"""Other kinds of JSON: a function that knows a value of this kind, and what it is."""


def json_of_other_kind(value: Any) -> str:
    """What a value of JSON is, and what to export; empty if it is not of another known kind.

    >>> json_of_other_kind({"columns": ["query_id", "doc_id"], "data": []}).partition(";")[0]
    'a DataFrame as JSON (orient="split")'
    """
    return next((reason for is_kind, reason in OTHER_JSON if is_kind(value)), "")


def _has_keys(value: Any, *keys: str) -> bool:
    return isinstance(value, dict) and value.keys() >= {*keys}


def _is_of_objects(value: Any) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    return all(isinstance(member, dict) for member in value.values())


def _names_columns(names: Collection[str]) -> bool:
    """Whether two of the names or more are those of columns."""
    if len(names) > MOST_COLUMNS:
        return False
    known_names = [name for name in names if is_known(name, RUN) or is_known(name, QRELS)]
    return len(known_names) >= 2
