"""The kinds of files, told by their first bytes: tables, and those that are named in messages.

Tables are Parquet files, Arrow files (Feather) and Arrow streams. `table_files`, which opens them,
is imported for such a file alone, because this takes time. A file of another kind is refused by
`refuse_other_kind` as what it is, with what to export; JSON of other kinds is in `other_json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import FileError
from .content import COMPRESSIONS, Content

if TYPE_CHECKING:
    from .table_files import TableFile

COLUMNS_OF_ROWS = "query_id, doc_id and score (or relevance)"
TABLE = f"write a table with the columns {COLUMNS_OF_ROWS}"
UNPACK = "unpack it, and pass the file in it"
SHEET = f"export the sheet as CSV, as {TABLE.removeprefix('write ')}"


def _parquet(content: Content) -> TableFile:
    from .table_files import parquet_file

    return parquet_file(content)


def _arrow_file(content: Content) -> TableFile:
    from .table_files import arrow_file

    return arrow_file(content)


def _arrow_stream(content: Content) -> TableFile:
    from .table_files import arrow_stream

    return arrow_stream(content)


class Kind:
    """A kind of table files: its name, the function that opens a file, and endings of names."""

    def __init__(self, name: str, open: Callable[[Content], TableFile], endings: tuple[str, ...]):
        self.name = name
        self.open = open
        self.endings = endings

    def opened_by(self, open: Callable[[Content], TableFile]) -> Kind:
        """The same kind, whose files this function opens."""
        return Kind(self.name, open, self.endings)


PARQUET = Kind("Parquet", _parquet, ("parquet",))
KINDS = {
    b"PAR1": PARQUET,
    b"ARROW1": Kind("Arrow", _arrow_file, ("arrow", "arrows", "feather", "ipc")),
    b"\xff\xff\xff\xff": Kind("Arrow", _arrow_stream, ("arrow", "arrows", "ipc")),
}
"""The kinds of table files by the first bytes of a file."""


def kind_of(content: Content) -> Kind | None:
    """The kind of the file, None for a file that is no table of Arrow."""
    for magic, kind in KINDS.items():
        if content.stream.start.startswith(magic):
            return kind
    return None


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
