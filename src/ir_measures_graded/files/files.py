"""Qrels and runs in files of every kind. The content of a file determines its kind, not the name.

- Text: TREC files, and CSV or TSV files with a header (`text_files`).
- Tables: Parquet files, Arrow files (Feather) and Arrow streams (`table_files`).

Every kind is read into Arrow tables with ir-measures' columns: query_id, doc_id, and score or relevance. If
the file has them, qrels keep the column iteration, and the column `run` names the run of each row. The
column `line` or `row` has the number of each row in the file, for error messages.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from copy import copy
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import ScoredDoc

from ..core.rows.arrow import arrow_array, arrow_numbers, by_rank, numbered
from ..core.rows.columns import QRELS, RUN, Account, Chosen, Role, chosen_columns, column_names, is_rank
from ..core.rows.id_columns import stretches_of
from ..core.rows.in_memory import Columnar, in_memory, is_whole, read_run
from ..core.rows.rows import IDS, LONGEST_ID, PLACES, Rows, RunSource, refuse_repeated, with_account
from ..errors import FileError, GradedError, shown
from . import out_of_core
from .content import FIRST, Content, File, is_lasting
from .json_files import is_json, json_columns, json_tables
from .strict_lines import BYTE_ORDER_MARK, has_breaks
from .table_files import batch_rows, kind_of, table_columns, table_rows
from .text_files import ahead, arrow_types, text_columns, text_tables
from .text_forms import TREC, form_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

ROWS = 1 << 16  # minimum number of rows of a run per evaluated block; only the last block may have fewer
FEW = 1 << 22  # a file of several runs with at most this many rows is read once for all of them
SMALL = 1 << 19  # bytes, less than `ROWS` rows; Python reads several such files while pyarrow is imported


def read_trec_qrels(file: File) -> pandas.DataFrame:
    """Qrels from a TREC file, whose lines have the form ``topic iteration document level``.

    `file` is a path, ``-`` (standard input) or an open binary file. It may be compressed with gzip, bzip2, xz
    or Zstandard, and it may be of any other kind that `RunFile` reads. Returns a DataFrame with the columns
    query_id, doc_id, relevance and, if the file has it, iteration. Every provider of ir-measures accepts it.

    >>> import io
    >>> read_trec_qrels(io.BytesIO(b"q1 0 d1 3\\nq1 0 d2 1"))
      query_id doc_id  relevance iteration
    0       q1     d1          3         0
    1       q1     d2          1         0

    Fields are separated by blanks or tabs; blank lines are skipped. Levels are finite numbers, of dtype int64
    if all are whole. A document may be judged several times, as in diversity qrels; graded measures refuse
    it if its levels differ.

    Raises `GradedError` for a file that cannot be read and for a line of another form.
    """
    frame = _frame(qrels_table(file))
    level = frame["relevance"].to_numpy()
    if is_whole(level):
        frame["relevance"] = level.astype(np.int64)
    return frame


def read_trec_run(file: File) -> pandas.DataFrame:
    """A run from a TREC file, whose lines have the form ``topic Q0 document rank score tag``.

    `file` is as in `read_trec_qrels`. Returns a DataFrame with the columns query_id, doc_id and score. Every
    provider of ir-measures accepts it.

    >>> import io
    >>> read_trec_run(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
      query_id doc_id  score
    0       q1     d1    9.5

    Only scores determine the order; the field rank is ignored. Fields are separated by blanks or tabs; blank
    lines are skipped.

    Raises `GradedError` for a file that cannot be read, for a line of another form, for a score that is NaN
    or not a number, for a document that a topic retrieves twice, and for a table of several runs.
    """
    rows = RunFile(file).rows()
    refuse_repeated(read_run(rows))
    return _frame(rows)


def qrels_table(file: File, chosen: Chosen | None = None) -> pyarrow.Table:
    """The qrels in a file of any kind as an Arrow table; levels are floats.

    Warns of rows of unjudged documents, which are skipped, unless `chosen` says how they are marked.
    """
    chosen = chosen or Chosen()
    rows = joined(tables_of(file, QRELS, chosen), QRELS)
    if chosen.account.unjudged and not chosen.unjudged:
        count = f"{chosen.account.unjudged:,} rows have no rating; their documents are unjudged"
        warnings.warn(f"{Content(file).name}: {count}", stacklevel=2)
    return with_account(rows, chosen.account)


class RunFile(RunSource):
    """A run in a file of any kind. Graded measures read it block by block while they evaluate it.

    >>> import io, ir_measures_graded
    >>> run = RunFile(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
    >>> ir_measures_graded.nCG.calc_aggregate({"q1": {"d1": 1}}, run)
    1.0

    `file` is a path, ``-`` (standard input) or an open binary file. It is a TREC file or a similar text file,
    a CSV or TSV file with a header, a Parquet file, an Arrow file (Feather), an Arrow stream or a JSON file;
    its content determines the kind. A table has the columns query_id, doc_id and score, or similar names. All
    kinds may be compressed with gzip, bzip2, xz or Zstandard; Parquet and Arrow files are then decompressed
    in memory.

    A table may hold several runs. The column `run_column` names the run of each row; the default is ``run``
    if there is such a column. `run` is the name of the run to read. `runs` returns one `RunFile` per run.
    `columns` gives names of other columns, as in ``topic=NAME,document=NAME,score=NAME`` (or rank).

    If a topic lists a document again, `duplicates` keeps its "first" row or the "best" one, which has the
    highest score. A warning counts the other rows. By default, such a run is refused.

    A block has whole topics and, except for the last block, at least 65,536 rows. If the rows of a topic are
    not contiguous, the file is read again: up to ten million rows are grouped in memory, and more rows need
    the extra ``duckdb``, which sorts them on disk. A file that can be read only once, such as standard input,
    is held in memory. So are the runs that `runs` returns for a file of up to four million rows. Other
    providers of ir-measures iterate over the run as `ir_measures.ScoredDoc` objects.

    Raises `GradedError` at once for anything but such a `file`, and during evaluation: for a file that cannot
    be read, for a line or row of another form, for a score that is NaN or not a number, for a document that a
    topic retrieves twice, for a missing column, and for a file of several runs if `run` is None.
    """

    in_memory = False

    def __init__(
        self,
        file: File,
        run: str | None = None,
        run_column: str | None = None,
        columns: Mapping[str, str] | str | None = None,
        duplicates: str | None = None,
    ):
        if duplicates not in (None, "first", "best"):
            raise GradedError(f"duplicates={shown(duplicates)} is not allowed; use 'first' or 'best'")
        self.file, self.run, self.run_column, self.duplicates = file, run, run_column, duplicates
        self._chosen = Chosen(run_column, chosen_columns(columns or {}))
        self.name = Content(file).name
        self._kept: pyarrow.Table | None = None
        self._dropped = 0

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | ({"_kept": None} if self.lasting else {})  # a worker reads the file itself

    @property
    def lasting(self) -> bool:
        """Whether the file can be read again, also by another process."""
        return is_lasting(self.file)

    def runs(self) -> dict[str, RunFile]:
        """The runs of the file by name, in order of appearance; empty if no column names the runs.

        >>> import io
        >>> lines = b"run,query_id,doc_id,score\\nA,q1,d1,2\\nB,q1,d2,1\\n"
        >>> [*RunFile(io.BytesIO(lines)).runs()]
        ['A', 'B']
        """
        names: dict[str, None] = {}
        kept: list[pyarrow.Table] = []
        count = 0
        for rows in self._every() if "run" in self._columns() else ():
            names |= dict.fromkeys(rows["run"].unique().to_pylist())
            count += len(rows)
            kept = [*kept, rows] if count <= FEW or not self.lasting else []
        found = by_column(joined(kept, RUN), "run") if kept and names else {}
        runs = {name: copy(self) for name in names}
        for name, run in runs.items():
            run.run, run._kept = name, found.get(name)
        return runs

    def blocks(self) -> Iterator[Rows]:
        """The rows in blocks of whole topics. If several blocks have a topic, the last has all its rows."""
        small = None if self.duplicates else small_file(self.file, RUN, self._chosen)
        if small or not self.lasting:
            yield small.rows() if small else self.table()
            return
        seen, self._dropped = set[str](), 0
        for rows in out_of_core.whole_topics(self._tables(), ROWS):
            block = read_run(self._unique(rows))
            if not seen.isdisjoint(block.topics):
                self._dropped = 0
                with closing(self._tables()) as tables:
                    yield from map(read_run, map(self._unique, out_of_core.regrouped(tables, self.name)))
                break
            seen.update(block.topics)
            yield block
        self._check(len(seen))

    def _unique(self, rows: pyarrow.Table) -> pyarrow.Table:
        """Whole topics with one row for each document if there is a rule for `duplicates`."""
        kept = without_repeated(rows, self.duplicates) if self.duplicates else rows
        self._dropped += len(rows) - len(kept)
        return with_account(kept, self._chosen.account)

    def _check(self, count: int) -> None:
        """Raise `FileError` for a run without rows or topics; warn of the rows that `duplicates` drops."""
        if not count:
            raise FileError(f"{self.name}: the run is empty")
        if self._dropped:
            dropped = f"{self._dropped:,} rows list a document of a topic again"
            warnings.warn(f"{self.name}: {dropped}; the {self.duplicates} row counts", stacklevel=3)

    def table(self) -> Rows:
        """All rows. Raises `FileError` if there is none."""
        rows = self.rows()
        self._check(len(rows))
        return read_run(rows)

    def rows(self) -> pyarrow.Table:
        """All rows in the order of the file."""
        self._dropped = 0
        return self._unique(joined(self._tables(), RUN))

    def __iter__(self) -> Iterator[ScoredDoc]:
        for block in self.blocks():
            refuse_repeated(block)
        for rows in [self.rows()] if self.duplicates else self._tables():
            yield from map(ScoredDoc, *(rows[column].to_pylist() for column in RUN.columns))

    def _columns(self) -> Collection[str]:
        """The columns of the file that are read, under our names."""
        if not self.lasting:
            return next(self._every()).column_names
        with Content(self.file, FIRST) as content:
            if (kind := kind_of(content)) is not None:
                return table_columns(kind, content, RUN, self._chosen)
            columns_of = json_columns if is_json(content.stream.start) else text_columns
            return columns_of(content, RUN, self._chosen)

    def _every(self) -> Iterator[pyarrow.Table]:
        """The rows of the file. If `run` is given, rows of other runs may be left out."""
        if self._kept is None and self.lasting:
            return tables_of(self.file, RUN, self._chosen, self.run)
        if self._kept is None:
            self._kept = joined(tables_of(self.file, RUN, self._chosen), RUN)
        return iter([self._kept])

    def _tables(self) -> Generator[pyarrow.Table]:
        """The rows of the run. Raises `FileError` if the file has several runs and `run` is None."""
        names: dict[str, None] = {}
        for rows in self._every():
            if "run" in rows.column_names:
                found = rows["run"].unique().to_pylist()
                names |= dict.fromkeys(found)
                if self.run is not None and found != [self.run]:
                    from pyarrow import compute  # This import takes time.

                    rows = rows.filter(compute.equal(rows["run"], self.run))
                rows = rows.drop_columns("run")
            if self.run is None and len(names) > 1:
                examples = " and ".join(map(shown, [*names][:2]))
                several = f"the file has several runs, such as {examples}"
                raise FileError(f"{self.name}: {several}; RunFile(file).runs() has them by name")
            yield rows


class RunStream(RunSource):
    """A run in a stream of Arrow data. The stream can be read only once, while the run is evaluated.

    `stream` exports Arrow. `name` is the name of the run in error messages. Errors are as for `RunFile`.
    """

    in_memory = False

    def __init__(self, stream: Any, name: str):
        self.stream, self.name = stream, name

    def blocks(self) -> Iterator[Rows]:
        """The rows in blocks of whole topics. If several blocks have a topic, the last has all its rows.

        The first ten million rows are kept, because a topic may appear again. Raises `FileError` if this
        happens only later.
        """
        seen: set[str] = set()
        kept: list[pyarrow.Table] = []
        blocks, count = out_of_core.whole_topics(self._tables(), ROWS), 0
        for rows in blocks:
            block = read_run(rows)
            if again := seen.intersection(block.topics):
                if count > out_of_core.IN_MEMORY:
                    what = f"topic {shown(min(again))} appears again after {count:,} rows of a stream"
                    how = "sort the rows by topic, or write them to a Parquet file and evaluate that"
                    raise FileError(f"{self.name}: {what}; {how}")
                yield from map(read_run, out_of_core.regrouped(chain(kept, [rows], blocks), self.name))
                return
            seen.update(block.topics)
            count += len(rows)
            kept = [*kept, rows] if count <= out_of_core.IN_MEMORY else []
            yield block
        self.warn_if_empty(not seen)

    def table(self) -> Rows:
        """All rows."""
        return in_memory(joined(self._tables(), RUN), RUN, self.name).table()

    def _tables(self) -> Iterator[pyarrow.Table]:
        import pyarrow

        account = Account()
        for first, batch in numbered(pyarrow.RecordBatchReader.from_stream(self.stream)):
            names = column_names(f"{self.name}: the Arrow table", batch.schema.names, RUN)
            rows = batch_rows(batch, dict(zip(RUN.columns, names)), RUN, self.name, first, account)
            yield with_account(by_rank(rows) if is_rank(names[2]) else rows, account)


def tables_of(
    file: File, role: Role, chosen: Chosen | None = None, run: str | None = None
) -> Generator[pyarrow.Table]:
    """The rows of a file, in its order. If `run` is given, rows of other runs may be left out."""
    chosen = chosen or Chosen()
    with Content(file) as content:
        if (kind := kind_of(content)) is not None:
            batches = table_rows(kind, content, role, chosen, run)
            yield from (rows for rows, _ in ahead(content, batches, len, most=0))
        else:
            read = json_tables if is_json(content.stream.start) else text_tables
            yield from read(content, role, chosen)


class SmallFile(Columnar):
    """A TREC file whose rows are in the lines 1, 2, 3 …: its columns by name, and the name of the `file`."""

    called = "the file"

    def fields(self) -> Sequence[str]:
        return [*self.source]

    def pieces(self, names: Sequence[str]) -> Iterator[Sequence[Any]]:
        yield [self.source[name] for name in names]

    def rows(self) -> Rows:
        return self._grouped(1 + np.arange(len(self.source["query_id"])), file=self.source["file"])


def small_file(file: Any, role: Role, chosen: Chosen) -> SmallFile | None:
    """A TREC file of at most `SMALL` bytes, read without pyarrow, whose import would take longer.

    None if pyarrow is imported, and for any other file, for example one with a comment, two blanks between
    fields or an error.
    """
    if "pyarrow" in sys.modules or not is_lasting(file):
        return None
    with Content(file, SMALL + 1) as content:
        content.refuse_shrunk()
        with suppress(FileError, ValueError):
            return _plain(content, role, chosen)
    return None


def _plain(content: Content, role: Role, chosen: Chosen) -> SmallFile | None:
    """A file of TREC's form without anything special, as `small_file`."""
    start, form = content.stream.start, TREC[role]
    is_text = not (
        b"#" in start or has_breaks(start) or BYTE_ORDER_MARK in start or is_json(start) or kind_of(content)
    )
    if not (is_text and content.stream.ended and start.endswith(b"\n")):
        return None
    # Each blank and line end must end a field, and each line end the last field of a row.
    characters = np.frombuffer(start, np.uint8)
    is_line_end = characters[characters <= ord(" ")].reshape(-1, len(form.fields)) == ord("\n")
    if is_line_end[:, :-1].any() or not is_line_end[:, -1].all():
        return None
    start.decode()  # refuses text that is not UTF-8, also in fields that are not read
    fields = start.split()
    columns = {name: fields[place :: len(form.fields)] for place, name in enumerate(form.fields)}
    values = columns[role.value]
    numbers = np.array([*map(float, values)])
    if (
        len(fields) == is_line_end.size
        and form_of(content, role, chosen) == (form, 0)
        and not (b"_" in b"".join(values) or role.refused(numbers).size)
        and max(len(id_) for name in IDS for id_ in columns[name]) <= LONGEST_ID
    ):
        ids = {name: [*map(bytes.decode, columns[name])] for name in form.columns if name != role.value}
        return SmallFile({**ids, role.value: numbers, "file": content.name}, role)
    return None


# ------------------------------------------------------------------------------------- tables


def joined(tables: Iterable[pyarrow.Table], role: Role) -> pyarrow.Table:
    """The rows of all tables; an empty table if there are none."""
    import pyarrow

    found = [rows for rows in tables if len(rows)]
    if found:
        return pyarrow.concat_tables(found)
    return pyarrow.schema(arrow_types(TREC[role].columns)).empty_table()


def without_repeated(rows: pyarrow.Table, keep: str) -> pyarrow.Table:
    """The rows of whole topics of a run, with one row for each document.

    `keep` is "first", or "best" for the highest score.
    """
    columns = [name for name in ("query_id", "doc_id", "run") if name in rows.column_names]
    ranked = rows.append_column("place", arrow_array(np.arange(len(rows))))
    if keep == "best":
        ranked = ranked.take(arrow_array(np.argsort(-arrow_numbers(rows["score"]), kind="stable")))
    first = ranked.group_by(columns, use_threads=False).aggregate([("place", "first")])["place_first"]
    return rows.take(arrow_array(np.sort(arrow_numbers(first))))


def by_column(rows: pyarrow.Table, column: str) -> dict[str, pyarrow.Table]:
    """The rows of each topic or of each run, by its name in a column."""
    stretches = stretches_of(rows[column], f"run: {column}")
    order, bounds = stretches.grouped(len(rows))
    rows = rows if order is None else rows.take(arrow_array(order))
    return {name: rows.slice(a, b - a) for name, (a, b) in zip(stretches.topics, pairwise(bounds.tolist()))}


def _frame(rows: pyarrow.Table) -> pandas.DataFrame:
    """A DataFrame whose strings are stored by Arrow: `str`, or ``string[pyarrow]`` before pandas 3."""
    import pandas
    import pyarrow

    kept = [name for name in rows.column_names if name not in PLACES]
    before_3 = pandas.StringDtype("pyarrow") if int(pandas.__version__.partition(".")[0]) < 3 else None
    return (
        rows.select(kept).replace_schema_metadata().to_pandas(types_mapper={pyarrow.string(): before_3}.get)
    )
