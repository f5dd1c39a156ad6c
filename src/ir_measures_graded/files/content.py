"""Opens a file and decompresses it. The first bytes of the file identify the compression.

`Sizes` are the sizes in which all files are read, and the limits of memory and work.
"""

import bz2
import errno
import gzip
import io
import lzma
import math
import os
import re
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from fnmatch import fnmatchcase
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Union

import numpy as np

from ..core.rows.chosen import NOTHING_CHOSEN, Chosen
from ..core.rows.roles import QRELS, Role
from ..errors import (
    LONGEST,
    ON_COLUMNS,
    FileError,
    GradedError,
    Remark,
    did_you_mean,
    needed,
    shown,
)
from ..progress import BYTES, counter

if TYPE_CHECKING:
    import pyarrow

File = Union[str, "os.PathLike[str]", BinaryIO]
"""A path, ``-`` (standard input) or an open binary file.

The content may be compressed with gzip, bzip2, xz or Zstandard.
"""

DAMAGE = (EOFError, zlib.error, lzma.LZMAError, OSError)
"""The errors that decompressors raise for damaged data."""

PARQUET = ".parquet"
ANY_FOLDERS = "**"  # in a pattern
HIDDEN = ("_", ".")  # the beginnings of names that Spark and pyarrow leave out
MOST_ENTRIES = 10_000  # of a folder and its folders
FEWER = "name fewer files, or join them"

KEPT = 1 << 23  # bytes of freed memory that are kept
TO_UTF8 = "convert the file, for example with iconv -f windows-1252 -t utf-8"
"""The end of a message on a text of another encoding."""
SMALL_FILE = 1_000_000  # bytes, for which the limits of work are measured
ADDRESS = r"[A-Za-z][A-Za-z0-9+.-]+://"


class Sizes(NamedTuple):
    """The sizes in which files are read, in bytes or in rows, and the limits of memory and work.

    `start` bytes decide about the kind and the form of a file, and a file of at most `small` bytes
    is read without pyarrow, whose import would take longer. A `block` of a file is read at once,
    and so many bytes of lines are parsed at once; a larger one would exceed the cache, a smaller
    one would cost more calls. A `piece` of compressed data is unpacked at once; a smaller one would
    locate damage more precisely. No line is longer than `line`, and no text that is read at once is
    longer than `value`.

    A block of a run that is evaluated has at least `rows` rows, and so has a batch of a table. Up
    to `in_memory` rows with scattered topics are grouped in memory, which takes about 0.4 GB.

    A compressed file may unpack to `free` bytes and to `expansion` times what exceeds `SMALL_FILE`.
    Work on rows and values counts as `Work` says. A table may have `free_rows` rows, and
    `rows_per_byte` of any such further byte. Real files stay far below: text of distinct documents
    is seldom packed to less than a tenth, and answers of search engines to less than a
    twenty-fourth. Without an `expansion`, there is no limit.
    """

    start: int = 1 << 20
    small: int = 1 << 19
    piece: int = 1 << 18
    block: int = 1 << 20
    line: int = 1 << 24
    value: int = 1 << 29
    rows: int = 1 << 16
    in_memory: int = 10_000_000
    free: int = 64_000_000
    expansion: int = 96
    free_rows: int = 1_300_000
    rows_per_byte: int = 4

    def most_unpacked(self, packed: int) -> float:
        """The bytes to which a file of so many may unpack."""
        if not self.expansion:
            return math.inf
        return self.free + self.expansion * max(packed - SMALL_FILE, 0)

    def refuse_unpacked(self, name: str, kind: str, packed: int, unpacked: int) -> None:
        """Raise `FileError` if `packed` bytes of a file of this kind unpack to too many bytes."""
        most = self.most_unpacked(packed)
        if unpacked > most:
            raise FileError(
                f"{name}: {packed:,} bytes of the {kind} file unpack to more than {most:,}, which "
                f"real rows hardly do; {LIFT}"
            )

    def refuse_too_many_rows(self, name: str, rows: int, size: int | None) -> None:
        """Raise `FileError` for more rows than a table file of `size` bytes may have.

        The size of a stream is None.
        """
        if size is None or not self.expansion:
            return
        most = self.free_rows + self.rows_per_byte * max(size - SMALL_FILE, 0)
        if rows > most:
            raise FileError(
                f"{name}: more than {most:,} rows in {size:,} bytes, so most rows seem to be "
                f"copies; {LIFT}"
            )


class Work:
    """Work on the content of a compressed file, which counts against the limit of its bytes.

    Each of the `things` counts as so many `bytes`, those to which a compressed file may unpack in
    the time that the work takes.
    """

    def __init__(self, things: str, bytes: int):
        self.things = things
        self.bytes = bytes


ROWS_READ = Work("rows", 32)
TOPICS_READ = Work("topics", 192)
"""Rows whose topic differs from that of the row before."""
TOPICS_OF_TABLES = Work("topics", 288)
"""The same in a Parquet or Arrow file, which packs their numbers to less than text does."""
LINES_READ_ALONE = Work("lines that are read one by one", 160)
FIELDS_READ_ALONE = Work("fields that are read one by one", 32)
BATCHES_READ = Work("batches of rows", 32_768)
FEW_ROWS_READ = Work("texts that are coded by their difference", 1024)
"""Batches of the few rows whose texts, all as long as they may be, fit into memory."""
CELLS_READ = Work("cells", 28)
CELLS_OF_TABLES = Work("cells", 16)
"""The first cells of a row of a Parquet or Arrow file count so much more."""
FURTHER_CELLS_READ = Work("cells", 72)
"""Those of a row behind the first ones: they have measures, and become rows of their own."""
MEASURES_READ = Work("measures", 81_920)
"""Those of a table of values beyond the first hundreds, each of which is analysed."""
RUNS_READ = Work("runs", 163_840)
"""Those of a table of runs beyond the first hundred, each of which is evaluated."""
METADATA_READ = Work("bytes of metadata", 16)
WIDE_TEXT = Work("bytes of text with characters of four bytes", 1)
CHARACTERS_OF_JSON = Work("pairs of characters of JSON", 1)
"""Those of one byte; wide ones take four bytes in memory."""
VALUES_OF_JSON = Work("values of JSON", 8)
ROWS_OF_JSON = Work("documents in JSON", 72)
"""Documents of one topic, or rows of an object of columns, which have fewer signs than objects."""
OBJECTS_READ_AS_ROWS = Work("rows of JSON", 32)
TOPICS_OF_ROWS = Work("topics of rows of JSON", 96)
"""Rows whose topic differs from that of the row before."""
DIGITS_OF_JSON = Work("numbers with hundreds of digits", 4096)
"""Hundreds of digits of a number, which Python reads in quadratic time."""
OBJECTS_OF_JSON = Work("objects of JSON", 48)
LISTS_OF_JSON = Work("lists of JSON", 64)
MEMBERS_OF_JSON = Work("members of long objects of JSON", 48)
"""Those beyond a hundred for each object, as the documents of a topic."""
HITS_OF_JSON = Work("hits in answers of JSON", 64)
"""Documents in the answers of search engines and in items, which are objects."""
TOPICS_OF_JSON = Work("topics or rows of JSON", 440)
"""Values that are a topic each, or a row of a table and a list."""

_LIMITS_LIFTED: ContextVar[bool] = ContextVar("limits lifted", default=False)


@contextmanager
def limits_lifted(is_lifted: bool = True) -> Iterator[None]:
    """Read all files in this block without limits of what they unpack to, if they are lifted."""
    token = _LIMITS_LIFTED.set(is_lifted or _LIMITS_LIFTED.get())
    try:
        yield
    finally:
        _LIMITS_LIFTED.reset(token)


LIFT = "if they are meant, lift the limit with --no_limits (limits=False in Python)"
SIZES = Sizes()
WITHOUT_LIMITS = SIZES._replace(expansion=0)


class Reading(NamedTuple):
    """How a file is read: as qrels or a run, with the choices of a user, and in these sizes."""

    role: Role
    chosen: Chosen = NOTHING_CHOSEN
    sizes: Sizes = SIZES

    def columns(self, file: str, names: Sequence[str]) -> tuple[dict[str, str], bool]:
        """The columns of a file with these names, as `file_columns`."""
        from ..core.rows.columns import file_columns  # This import takes time.

        return file_columns(file, names, self.role, self.chosen)

    def heads(self, columns: Mapping[str, str]) -> tuple[str, ...]:
        """The names in the file of the columns of topics, documents and values, given all that are
        read."""
        return tuple(columns[ours] for ours in self.role.columns)

    def judge(self, names: Sequence[str], columns: Mapping[str, str]) -> str:
        """The column of qrels that seems to name the judge of each row, given all that are read;
        empty if there is none."""
        if self.role is not QRELS:
            return ""
        from ..core.rows.columns import judge_column

        return judge_column(names, columns.values()) or ""

    def remarks(self, file: str, names: Sequence[str]) -> tuple[Remark, ...]:
        """The remark on columns with these names that are read by their words, if there are any."""
        from ..core.rows.columns import remark_on_words

        text = remark_on_words(file, names, self.role, self.chosen)
        return (Remark(ON_COLUMNS, "", text),) if text else ()


class Peeked:
    """A binary stream made of pieces of bytes, whose first bytes, `start`, are known before they
    are read.

    These are `size` bytes, or all if it `is_whole`. `ended` tells whether the last read met the
    end.
    """

    closed = ended = False

    def __init__(self, pieces: Iterator[bytes], size: int = SIZES.start):
        self._pieces = pieces
        self._piece = io.BytesIO()
        self._damage: Exception | None = None
        self.start = b""
        with suppress(*DAMAGE):
            self.start = self.read(size)
        self.is_whole = self.ended
        self._piece = io.BytesIO(self.start + self._piece.read())

    def read(self, size: int = sys.maxsize) -> bytes:
        """The next bytes, fewer than `size` only at the end and before damage; by default all
        bytes. A piece of this size is not copied.

        Raises an error of `DAMAGE` for damaged data, and for a stream that cannot be read.
        """
        pieces = [self._piece.read(size)]
        left = size - len(pieces[0])
        try:
            while left and not self._damage:
                next_piece = next(self._pieces, b"")
                if not next_piece:
                    break
                self._piece = io.BytesIO(next_piece)
                pieces.append(self._piece.read(left))
                left -= len(pieces[-1])
        except DAMAGE as error:
            self._damage = error
        if self._damage and (0 < left == size or size == sys.maxsize):
            raise self._damage
        self.ended = left > 0 and not self._damage
        return b"".join(filter(None, pieces))

    def close(self) -> None:
        """Leave the stream open; pyarrow would close it."""


class Content:
    """A context manager for the decompressed content of a file.

    `stream` is the content, whose first `start` bytes are known, see `Peeked`. `compression` is the
    name of its compression, empty if there is none. A file that the caller opened stays open.
    Raises `FileError` if the file cannot be opened.
    """

    stream: Peeked
    compression = ""
    _descriptor: int
    _size: int | None = None

    def __init__(self, file: File, sizes: Sizes = SIZES):
        refuse_other(file)
        self.file = file
        self.name = _name_of(file)
        if _LIMITS_LIFTED.get():
            sizes = sizes._replace(expansion=0)
        self.sizes = sizes
        self._packed = 0
        self._unpacked = 0
        self._spent = 0
        self._opened = ExitStack()

    def __enter__(self) -> "Content":
        stream: Any = sys.stdin.buffer if self.file == "-" else self.file
        if isinstance(stream, (str, os.PathLike)):
            try:
                stream = self._opened.enter_context(open(stream, "rb"))
            except (OSError, ValueError) as error:  # a path with NUL or a lone surrogate
                raise self.failure(error, 1) from None
            self._descriptor = stream.fileno()
            self._size = os.fstat(self._descriptor).st_size
        start = self.sizes.start
        packed = pieces_of(stream.read, self.sizes.block)
        self.stream = Peeked(self._counted(packed), start)
        for name, compression in COMPRESSIONS.items():
            if self.stream.start.startswith(compression.magic):
                self.compression = name
                pieces = compression.decompressed(self.stream, self.sizes.piece)
                try:
                    self.stream = Peeked(self._limited(pieces), start)
                except FileError:
                    self._opened.close()
                    raise
                break
        return self

    @property
    def size(self) -> int | None:
        """The bytes of the file; None for a stream."""
        return self._size

    @property
    def packed(self) -> int:
        """The bytes of the file, or those of the stream that are read."""
        return self._packed if self._size is None else self._size

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces, whose bytes are counted."""
        work = counter(f"reading {self.name}", self._size, BYTES)
        try:
            for piece in pieces:
                self._packed += len(piece)
                work.step(len(piece))
                yield piece
        finally:
            work.end()

    def _limited(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same unpacked pieces. Raises `FileError` if they are too many for the packed ones."""
        for piece in pieces:
            self._unpacked += len(piece)
            self.sizes.refuse_unpacked(self.name, self.compression, self.packed, self._unpacked)
            yield piece

    def is_limited(self, kind: str = "") -> bool:
        """Whether work counts against a limit, as `spend`."""
        return bool(kind or self.compression) and self.sizes.expansion > 0

    def spend(self, work: Work, count: int, kind: str = "") -> None:
        """Count work on so many things against the limit of a compressed file.

        `kind` is that of a file whose parts may be compressed. Raises `FileError` if the work and
        the bytes exceed the limit.
        """
        kind = kind or self.compression
        if not kind or not self.sizes.expansion:  # as is_limited
            return
        self._spent += work.bytes * count
        if self._spent + self._unpacked <= self.sizes.free:  # which every file has
            return
        most = self.sizes.most_unpacked(self.packed)
        if self._spent + self._unpacked > most:
            raise FileError(
                f"{self.name}: {self.packed:,} bytes of the {kind} file unpack to more "
                f"{work.things} than real files have: each counts as {work.bytes:,} bytes, and the "
                f"limit is {most:,}; {LIFT}"
            )

    def failure(self, error: Exception, line: int) -> FileError:
        """The error that the content cannot be read from this line on, for an error of
        `Peeked.read`.
        """
        is_of_system = isinstance(error, OSError) and error.errno is not None
        if not self.compression or is_of_system:
            reason = getattr(error, "strerror", None) or error
            if isinstance(error, ValueError) and not isinstance(error, OSError):
                reason = "the path has the character NUL or a lone surrogate"
                return FileError(f"{shown(self.name)} cannot be read: {reason}")
            hint = ""
            if isinstance(error, FileNotFoundError):
                hint = similar_files(self.name)
            return FileError(f"{self.name}: cannot be read: {reason}{hint}")
        reason = f"the {self.compression} file is damaged or cut off here ({error})"
        return FileError(f"{self.name}:{line}: {reason}")

    def whole(self) -> bytes:
        """The whole content, or all before damage. Raises `FileError` if it is too long."""
        most = self.sizes.value
        read = self.stream.read(most + 1)
        if len(read) > most:
            advice = "write a Parquet file without other compression or a TREC file"
            raise FileError(
                f"{self.name}: more than {most:,} bytes, which are read at once; {advice}"
            )
        return read

    def undamaged(self) -> bytes:
        """The whole content without a byte order mark. Raises `FileError` if it is too long or
        damaged.
        """
        read = b""
        try:
            read = self.whole()
            self.stream.read(1)  # raises the error of damaged data, which follows what was read
        except DAMAGE as error:
            raise self.failure(error, 1 + read.count(b"\n")) from None
        return read.removeprefix(BOM_UTF8)

    def text(self) -> str:
        """The whole content. Raises `FileError` if it is too long, damaged or no UTF-8."""
        return decoded(self.undamaged(), self.name)

    def refuse_shrunk(self) -> None:
        """Raise `FileError` if the file has become shorter since it was opened.

        Call this at its end.
        """
        if self._size is not None and os.fstat(self._descriptor).st_size < self._size:
            raise FileError(f"{self.name}: the file became shorter while it was read")

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def seekable(self) -> "pyarrow.NativeFile":
        """The content with random access. A compressed file and a stream are read into memory."""
        import pyarrow

        if not self.compression and is_lasting(self.file):
            return pyarrow.OSFile(os.fspath(self.file))  # type: ignore[arg-type]
        whole = self.whole()
        self.stream.read(1)  # raises the error of damaged data, which follows what was read
        return pyarrow.BufferReader(owned_by_arrow(whole))


def refuse_other(file: Any) -> None:
    """Raise `GradedError` for anything that is not a `File`."""
    if isinstance(file, io.TextIOBase) or not (
        isinstance(file, (str, os.PathLike)) or hasattr(file, "read")
    ):
        raise GradedError(
            f"a file is a path, - (standard input) or an open binary file, not {shown(file)}"
        )
    refuse_address(file)


def refuse_address(name: Any) -> None:
    """Raise `FileError` for an address such as s3://bucket/run.parquet."""
    if not isinstance(name, (str, os.PathLike)):
        return
    path = os.fspath(name)
    if "://" in path and re.match(ADDRESS, path):
        raise FileError(
            f"{shown(path)} is an address, which is not read; pass the object "
            "pyarrow.dataset.dataset(…) of it in Python (runs by name), or download the file"
        )


def is_lasting(file: File) -> bool:
    """Whether this is a path that can be read again; streams and pipes cannot."""
    if not isinstance(file, (str, os.PathLike)) or file == "-":
        return False
    return os.path.isfile(file) or os.path.isdir(file) or bool(parquet_files(file))


def is_pattern(name: str) -> bool:
    """Whether a path has the signs of a pattern, such as ``runs/*``."""
    return not {*"*?["}.isdisjoint(name)


def matching(name: str) -> list[str]:
    """The paths that a pattern matches; the name if it is a path or matches none."""
    if os.path.exists(name) or not is_pattern(name):
        return [name]
    from glob import glob  # takes time

    return sorted(glob(name)) or [name]


def parquet_files(file: File) -> list[str]:
    """The Parquet files of a folder and of its folders, or those of a pattern; empty for any other
    file.

    Entries that begin with ``_`` or ``.`` are left out, as by Spark and pyarrow. Raises `FileError`
    for a folder that cannot be read, and for one with more than `MOST_ENTRIES` entries.
    """
    if not isinstance(file, (str, os.PathLike)) or os.path.isfile(file):
        return []
    name = os.fspath(file)
    if os.path.isdir(name):
        return sorted(path for path in _files_below(name) if path.lower().endswith(PARQUET))
    if not is_pattern(name):
        return []
    base = named_folder(name)
    is_recursive = ANY_FOLDERS in names_in(name)
    paths = _matching_below(base, name) if is_recursive else _matching_files(base, name)
    has_only_parquet = all(path.lower().endswith(PARQUET) for path in paths)
    return sorted(paths) if has_only_parquet else []


def _matching_files(base: str, pattern: str) -> list[str]:
    """The files that a pattern matches; `base` is its folder before the first sign.

    A folder whose name ends with ``.parquet``, as Spark writes one, stands for its Parquet files.
    """
    from glob import iglob  # takes time

    paths: list[str] = []
    for count, path in enumerate(iglob(pattern), start=1):
        if count > MOST_ENTRIES:
            raise FileError(f"{shown(pattern)} matches more than {MOST_ENTRIES:,} entries; {FEWER}")
        names = names_in(os.path.relpath(path, base or "."))
        if any(name.startswith(HIDDEN) for name in names):
            continue
        if os.path.isfile(path):
            paths.append(path)
        elif os.path.isdir(path) and path.lower().endswith(PARQUET):
            paths += parquet_files(path)
    return paths


def _matching_below(base: str, pattern: str) -> list[str]:
    """The files that a pattern with ``**`` matches.

    The folders are walked here, because `glob` follows links that lead back without an end.
    """
    folder = base or "."
    if not os.path.isdir(folder):
        return []
    wanted = names_in(os.path.relpath(pattern, folder))
    paths: list[str] = []
    for path in _files_below(folder):
        relative = os.path.relpath(path, folder)
        if _fits(names_in(relative), wanted):
            paths.append(os.path.join(base, relative))
    return paths


def _fits(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the names in a path match those of a pattern; ``**`` is any number of folders.

    >>> _fits(["run=A", "part.parquet"], ["**", "*.parquet"]), _fits(["run=A"], ["run=B"])
    (True, False)
    """
    if not pattern:
        return not names
    first, *others = pattern
    if first == ANY_FOLDERS:
        return any(_fits(names[skipped:], others) for skipped in range(len(names) + 1))
    if not names or not fnmatchcase(names[0], first):
        return False
    return _fits(names[1:], others)


def similar_files(path: str) -> str:
    """The end of a message that suggests files beside a path that does not exist; empty if none
    has a similar name.
    """
    from glob import escape, glob  # takes time

    folder, name = os.path.split(path)
    names = [os.path.basename(other) for other in glob(os.path.join(escape(folder), "*"))]
    return did_you_mean(name, names, most=3, prefix=os.path.join(folder, ""))


def named_folder(name: str) -> str:
    """The folder below which ``key=value`` counts: the folder itself, or that before the signs of a
    pattern.

    >>> named_folder("runs/run=*/part.parquet")
    'runs'
    """
    if os.path.isdir(name):
        return name
    folders = takewhile(lambda folder: not is_pattern(folder), names_in(name))
    return os.path.join("", *folders)


def names_in(path: str) -> tuple[str, ...]:
    """The names of the folders in a path and of its file.

    >>> names_in("runs/A/part.parquet")
    ('runs', 'A', 'part.parquet')
    """
    from pathlib import PurePath  # takes time

    return PurePath(path).parts


def _files_below(folder: str) -> Iterator[str]:
    """The files of a folder and of its folders. A link that leads back is left out."""
    count = 0
    pending = [(folder, {_identity(folder)})]
    while pending:
        path, above = pending.pop()
        try:
            entries = list(os.scandir(path))
        except OSError as error:
            raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None
        for entry in entries:
            if entry.name.startswith(HIDDEN):
                continue
            count += 1
            if count > MOST_ENTRIES:
                raise FileError(
                    f"{shown(folder)} is a directory of more than {MOST_ENTRIES:,} entries; {FEWER}"
                )
            try:
                is_folder = entry.is_dir()
                is_regular = entry.is_file()
            except OSError as error:
                if error.errno == errno.ELOOP:  # a link that leads to itself
                    continue
                raise FileError(f"{entry.path}: cannot be read: {error.strerror}") from None
            if is_folder:
                identity = _identity(entry.path)
                if identity not in above:
                    pending.append((entry.path, above | {identity}))
            elif is_regular:
                yield entry.path


def _identity(folder: str) -> tuple[int, int]:
    """The device and the number of a folder, the same for each link to it."""
    stat = os.stat(folder)
    return stat.st_dev, stat.st_ino


def decoded(text: bytes, file: str, line: int = 1) -> str:
    """The text that begins in this line of a file. Raises `FileError` if it is not UTF-8."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line += text.count(b"\n", 0, error.start)
        position = error.start - text.rfind(b"\n", 0, error.start) - 1
        raise FileError(
            f"{file}:{line}: not UTF-8 text (byte 0x{text[error.start]:02x} at position "
            f"{position}); {TO_UTF8}"
        ) from None


def keep_freed_memory() -> None:
    """Let the process keep memory that is freed, because the next block of a file needs as much.

    By default, glibc returns freed arrays to the system, which clears the memory of the next ones.
    If it frees a larger array once, it returns only larger ones: its thresholds are dynamic, as
    mallopt(3) says. Seven million lines take 4 % less time, and a fifth if their order is random.
    """
    np.empty(KEPT, np.uint8)


def owned_by_arrow(block: bytes) -> "pyarrow.Buffer":
    """A copy of the block in memory that Arrow owns.

    Arrow's threads may release a buffer after its table is returned. If Python owned the buffer and
    the interpreter ended at that moment, the process would abort.
    """
    import pyarrow

    buffer = pyarrow.allocate_buffer(len(block), memory_pool=pyarrow.system_memory_pool())
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(block, np.uint8)
    return buffer


def _name_of(file: File) -> str:
    """The name of a file in error messages."""
    if isinstance(file, (str, os.PathLike)):
        name = "standard input" if file == "-" else os.fspath(file)
    else:
        name = str(getattr(file, "name", "the open file"))
    return name if len(name) <= 4 * LONGEST else f"…{name[-4 * LONGEST :]}"


def pieces_of(read: Callable[[int], bytes], size: int = SIZES.piece) -> Iterator[bytes]:
    """The content of a stream. A damaged file may announce any size, but pieces are small."""
    return iter(partial(read, size), b"")


def _pieces_of_gzip(stream: Any, size: int) -> Iterator[bytes]:
    return pieces_of(gzip.GzipFile(fileobj=stream).read1, size)


def _pieces_of_members(
    new: Callable[[], Any], padding: bytes, stream: Any, size: int
) -> Iterator[bytes]:
    """The decompressed content of one compressed stream after another, as `cat` joins them.

    `new` makes a decompressor of a stream, which `padding` may follow. Unlike the files of `bz2`
    and `lzma`, this refuses a damaged stream after the first one, and bytes that are none.
    """
    rest = stream.read(size)
    while rest:
        member = new()
        while not member.eof:
            if member.needs_input and not rest:
                rest = stream.read(size)
                if not rest:
                    raise EOFError("the compressed data ends too early")
            piece = member.decompress(rest, size)
            if piece:
                yield piece
            rest = b""
        rest = member.unused_data.lstrip(padding)
        while not rest:
            next_piece = stream.read(size)
            if not next_piece:
                break
            rest = next_piece.lstrip(padding)


def _pieces_of_zstandard(stream: Any, size: int) -> Iterator[bytes]:
    pyarrow = needed("pyarrow", "a file compressed with Zstandard")
    file = pyarrow.PythonFile(stream, "r")
    return pieces_of(pyarrow.CompressedInputStream(file, "zstd").read, size)


class Compression:
    """A compression of files.

    A file begins with one of `magic`, and its name may end with `ending`. `decompressed(stream,
    size)` yields the content of a stream in pieces of at most this size.
    """

    def __init__(
        self,
        magic: tuple[bytes, ...],
        ending: str,
        decompressed: Callable[[Any, int], Iterator[bytes]],
    ):
        self.magic = magic
        self.ending = ending
        self.decompressed = decompressed


BZIP2 = tuple(b"BZh%d1AY&SY" % level for level in range(1, 10))  # BZh alone could begin a topic
SKIPPABLE_FRAMES = tuple(b"%c\x2a\x4d\x18" % kind for kind in range(0x50, 0x60))
ZSTANDARD = (b"\x28\xb5\x2f\xfd", *SKIPPABLE_FRAMES)
_pieces_of_bzip2 = partial(_pieces_of_members, bz2.BZ2Decompressor, b"")
_XZ_STREAM = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ)
_pieces_of_xz = partial(_pieces_of_members, _XZ_STREAM, b"\0")  # zeros may follow each stream
COMPRESSIONS = {
    "gzip": Compression((b"\x1f\x8b",), "gz", _pieces_of_gzip),
    "bzip2": Compression(BZIP2, "bz2", _pieces_of_bzip2),
    "xz": Compression((b"\xfd7zXZ\x00",), "xz", _pieces_of_xz),
    "Zstandard": Compression(ZSTANDARD, "zst", _pieces_of_zstandard),
}
"""The compressions by name."""
