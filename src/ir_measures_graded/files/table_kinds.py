"""The kinds of table files: Parquet files, Arrow files (Feather) and Arrow streams.

The first bytes of a file tell its kind. What opens the files, in `table_files`, is imported for
such a file alone, because this takes time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .content import Content
    from .table_files import TableFile


def _parquet(content: Content) -> TableFile:
    from .table_files import parquet_file

    return parquet_file(content)


def _arrow_file(content: Content) -> TableFile:
    from .table_files import arrow_file

    return arrow_file(content)


def _arrow_stream(content: Content) -> TableFile:
    from .table_files import arrow_stream

    return arrow_stream(content)


class Kind(NamedTuple):
    """A kind of table files: its name, the function that opens a file, and endings of names."""

    name: str
    open: Callable[[Content], TableFile]
    endings: tuple[str, ...]


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
