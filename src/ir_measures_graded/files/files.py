"""Qrels and runs in files of every kind. The content of a file determines its kind, not the name.

- Text: TREC files, and CSV or TSV files with a header (`text_files`).
- Tables: Parquet files, Arrow files (Feather) and Arrow streams (`table_files`), which need
  pyarrow.
- JSON (`json_files`).

Every kind is read into a `Part` for each block of rows, with ir-measures' columns: query_id,
doc_id, and score or relevance. If the file has them, qrels keep the columns iteration and
probability, and the column `run` names the run of each row.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from copy import copy
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakKeyDictionary

import numpy as np
from ir_measures import ScoredDoc

from ..arguments import explains_wrong_calls, flag
from ..core.rows.chosen import NOTHING_CHOSEN, Chosen, columns_named, words_as_levels
from ..core.rows.id_matching import Ids
from ..core.rows.rank_order import remark_on_counting
from ..core.rows.roles import IDS, QRELS, RUN
from ..core.rows.rows import (
    Facts,
    Part,
    Rows,
    RunSource,
    joined,
    joined_facts,
    kept_remarks,
    refuse_repeated,
)
from ..errors import FileError, GradedError, InputWarning, did_you_mean, level_of_caller, shown
from ..output.formats import listed
from ..progress import untold
from .ahead import read_ahead
from .content import (
    COMPRESSIONS,
    SIZES,
    SMALL_FILE,
    WITHOUT_LIMITS,
    Content,
    File,
    Reading,
    Sizes,
    is_lasting,
    keep_freed_memory,
    parquet_files,
)
from .forms import WITH_PREDICTIONS, form_of, is_json
from .grouping import by_run, drained, first_of, with_limited_runs
from .kinds import KINDS, PARQUET, kind_of, refuse_other_kind
from .text_files import text_parts

if TYPE_CHECKING:
    from ..core.rows.level_words import WordInFileError
    from .reading_threads import BegunParts
    from .spilled import SpilledRows

TAIL = 1 << 10  # rows at the end of a part in which the last change of topic is searched first
ROWS_OF_WORDS = 1 << 20  # rows that are read again for the words of levels in a message
REPEATED = ("run", *IDS)  # what no two rows share
PEEK = 1 << 12  # bytes of a block that is read to see the columns of a file
FIRST = 1 << 7  # rows of a part in which repeated documents are looked for while a file is read
FEW = 1 << 2  # parts of text that fill no memory; those of a table can unpack to hundreds of MB
MANY = 1 << 6  # parts of a file from which on they are looked for in all rows of a part
LONG = 1 << 17  # rows of a topic from which on they are looked for in all rows of the topic
_READING: WeakKeyDictionary[RunFile, threading.RLock] = WeakKeyDictionary()
"""The locks of runs in streams: threads that share one must not read it in turns."""


@explains_wrong_calls("read_qrels('qrels.txt')")
def read_qrels(
    file: File,
    columns: Mapping[str, Any] | Sequence[tuple[str, str]] | None = None,
    limits: bool = True,
    levels: Mapping[str, float] | None = None,
) -> Rows:
    """The qrels in a file of any kind, for all functions that take qrels.

    `columns` names the columns of a table with other names than the known ones, by our names:
    query_id, doc_id, relevance, iteration and probability. `limits` are those of `RunFile`.
    `levels` has the numbers of levels that are words, as ``{"Bad": 0, "Perfect": 3}``; case does
    not matter. Qrels in memory are read, too, and `columns` names the columns of a table such as a
    DataFrame. Raises `GradedError` for other names,
    and `FileError` for a file that cannot be read.

    >>> import io
    >>> table = io.BytesIO(b"person,film,stars\\n7,d1,5\\n")
    >>> names = {"query_id": "person", "doc_id": "film", "relevance": "stars"}
    >>> read_qrels(table, names).dicts()
    {'7': {'d1': 5.0}}
    """
    sizes = SIZES if flag("limits", limits) else WITHOUT_LIMITS
    chosen = Chosen(columns=columns_named(columns))
    words: Mapping[str, float] | None = None
    if levels is not None:
        from ..core.rows.level_words import levels_named  # This import takes time.

        words = levels_named(levels)
    with words_as_levels(words):
        if isinstance(file, (str, os.PathLike)) or hasattr(file, "read"):
            return qrels_in(file, sizes=sizes, chosen=chosen)
        from ..core.rows.in_memory import InMemory, under_our_names

        table = under_our_names(file, QRELS, chosen) if chosen.columns else file
        return InMemory(table, QRELS).rows()


def qrels_in(
    file: File,
    unjudged: tuple[bytes, ...] = (),
    sizes: Sizes = SIZES,
    chosen: Chosen = NOTHING_CHOSEN,
) -> Rows:
    """The qrels in a file of any kind.

    `unjudged` has the texts in place of a level that mean an unjudged document. By default, an
    empty level does so in a table of Quepid, with a warning. The rows of unjudged documents are
    skipped; the facts about the qrels count them.
    """
    reading = Reading(QRELS, chosen._replace(unjudged=unjudged), sizes)
    rows = joined(parts_of(file, reading), QRELS)
    if rows.facts.unjudged and not unjudged:
        count = f"{rows.facts.unjudged:,} rows have no rating; their documents are unjudged"
        warnings.warn(f"{rows.facts.file}: {count}", stacklevel=level_of_caller())
    for remark in rows.facts.remarks:
        warning = f"{rows.facts.file}: {remark}"
        warnings.warn(warning, InputWarning, stacklevel=level_of_caller())
    if not rows.facts.file:  # an empty file has no part
        rows = Part(rows.columns, rows.line, Facts(Content(file).name))
    return rows.grouped(QRELS).with_ids()


class _HeaderFound(Exception):
    """The names of the columns of a file, of which nothing else is read."""

    def __init__(self, names: Sequence[str]):
        super().__init__(names)
        self.names = list(names)


class _ReadingOfHeader(Reading):
    """A reading that ends at the names of the columns."""

    def columns(self, file: str, names: Sequence[str]) -> NoReturn:
        """Raise `_HeaderFound`."""
        raise _HeaderFound(names)


def header_of(file: File, columns: Sequence[tuple[str, str]] = ()) -> list[str]:
    """The names of the columns of a table with qrels in a file; empty for any other file.

    `columns` are those of `RunFile`.

    >>> import io
    >>> header_of(io.BytesIO(b"query,doc,human,llm\\nq1,d1,2,3\\n"))
    ['query', 'doc', 'human', 'llm']
    """
    chosen = Chosen(columns=columns_named(columns))
    parts = parts_of(file, _ReadingOfHeader(QRELS, chosen))
    try:
        with closing(parts):
            next(parts, None)
    except _HeaderFound as found:
        return found.names
    except GradedError:
        return []
    return []


@explains_wrong_calls("RunFile('run.txt')")
class RunFile(RunSource):
    """A run in a file of any kind. Graded measures read it block by block while they evaluate it.

    >>> import io, ir_measures_graded
    >>> run = RunFile(io.BytesIO(b"q1 Q0 d1 1 9.5 mine"))
    >>> ir_measures_graded.nCG.calc_aggregate({"q1": {"d1": 1}}, run)
    1.0

    `file` is a path, ``-`` (standard input) or an open binary file. It is a TREC file or a similar
    text file, a CSV or TSV file with a header, a Parquet file, an Arrow file (Feather), an Arrow
    stream or a JSON file; its content determines the kind. A table has the columns query_id, doc_id
    and score, or similar names. All kinds may be compressed with gzip, bzip2, xz or Zstandard;
    Parquet and Arrow files are then decompressed in memory. A folder of Parquet files, also a
    partitioned one, and a pattern of Parquet files are one table. Parquet, Arrow and Zstandard need
    the extra ``tables``.

    A table may hold several runs. The column `run_column` names the run of each row; the default is
    ``run`` if there is such a column. `run` is the name of the run to read. `runs` returns one
    `RunFile` per run.

    By default, larger scores are better. If they are distances, `ascending` makes smaller scores
    the better ones: each score is read with its sign reversed. Ranks in place of scores are read as
    ever.

    `columns` names the columns of a table with other names than the known ones, by our names:
    ``{"query_id": "user", "score": "similarity"}``. The name ``rank`` is that of ranks in place of
    scores.

    A compressed file that unpacks to more than 64 MB is refused, and so are one with more rows or
    values than real files have and a table with more than 1.3 million rows. Larger files than 1 MB
    may have more for each further byte. Without `limits`, all are read.

    A block has whole topics and, except for the last block, at least 65,536 rows. If the rows of a
    topic are not contiguous, up to ten million rows are held in memory, and more are sorted in
    temporary files by DuckDB (extra ``large``). Of a file that can be read only once, such as
    standard input, and of the runs that `runs` returns, up to ten million rows are held in memory,
    and more are in a temporary file (extra ``tables``). Other providers of ir-measures iterate over
    the run as `ir_measures.ScoredDoc` objects.

    Raises `GradedError` at once for anything but such a `file`, and during evaluation: for a file
    that cannot be read, for a line or row of another form, for a score that is NaN or not a number,
    for a document that a topic retrieves twice, for a missing column, for a file of several runs if
    `run` is None, and for a file without the `run`.
    """

    in_memory = False
    sizes = SIZES
    may_repeat = False
    _facts: tuple[Facts, ...] = ()
    _begun: BegunParts

    def __init__(
        self,
        file: File,
        run: str | None = None,
        run_column: str | None = None,
        ascending: bool = False,
        columns: Mapping[str, Any] | Sequence[tuple[str, str]] | None = None,
        passages_column: str | None = None,
        limits: bool = True,
    ):
        if not isinstance(run, (str, type(None))):
            raise GradedError(f"run is the name of a run, not {shown(run)}")
        if not isinstance(run_column, (str, type(None))):
            raise GradedError(f"run_column is the name of a column, not {shown(run_column)}")
        if not isinstance(ascending, (bool, np.bool_)):
            raise GradedError(f"ascending is True or False, not {shown(ascending)}")
        self.file = file
        self.run = run
        self.run_column = run_column
        self.is_ascending = ascending
        self.names_of_columns = columns_named(columns)
        self.passages_column = passages_column
        if not flag("limits", limits):
            self.sizes = WITHOUT_LIMITS
        self.name = Content(file).name
        self._kept: Part | SpilledRows | GradedError | None = None

    def runs(self) -> dict[str, RunFile]:
        """The runs of the file by name, in order of appearance; empty if no column names the runs.

        >>> import io
        >>> lines = b"run,query_id,doc_id,score\\nA,q1,d1,2\\nB,q1,d2,1\\n"
        >>> [*RunFile(io.BytesIO(lines)).runs()]
        ['A', 'B']
        """
        if "run" not in self.columns():
            return {}
        from .spilled import SpilledRows, kept_rows  # This import takes time.

        kept = self._kept
        if not isinstance(kept, SpilledRows):
            kept = kept_rows(self._watched(self._every()), self.name, self.sizes)
        rows_of_runs: dict[str, Any] = {}
        if isinstance(kept, SpilledRows):
            rows_of_runs |= kept.by_run()
        else:
            rows_of_runs |= by_run(kept)
        runs: dict[str, RunFile] = {}
        for name, rows in rows_of_runs.items():
            run = copy(self)
            run.run = name
            run._kept = rows
            runs[name] = run
        return runs

    def that_raises(self, error: FileError) -> RunFile:
        """The same run, whose reading raises this error, with which the file cannot be read."""
        run = copy(self)
        run._kept = error
        return run

    def has_runs(self) -> bool:
        """Whether the rows name their run. Of most files, no row is read."""
        if self.is_in_file and not self._is_folder():
            with Content(self.file, self.sizes) as content:
                if not _may_have_runs(content, Reading(RUN, self._chosen(), self.sizes)):
                    return False
        return "run" in self.columns()

    def _is_folder(self) -> bool:
        """Whether the rows are in several files."""
        if isinstance(self.file, (str, os.PathLike)) and os.path.isdir(self.file):
            return True
        return bool(parquet_files(self.file))

    def blocks(self) -> Iterator[Rows]:
        """The rows in blocks of whole topics. If several blocks have a topic, the last has all its
        rows.

        If this happens, the rows are grouped anew: up to ten million in memory, more in temporary
        files. Those of a small file were kept for this; a larger file is read a second time. Rows
        in random order show it at once and are read only once.
        """
        seen: set[str] = set()
        parts = self._watched(self._parts())
        left_parts = parts
        kept_parts: list[Part] = []
        if self._is_small():
            parts = _kept_in(kept_parts, parts)
        first_parts = list(first_of(parts, self.sizes.rows + 1))
        are_scattered = _are_scattered(first_parts, self.sizes.rows)
        parts = chain(drained(first_parts), parts)
        if are_scattered:
            blocks = self._regrouped(parts)
        else:
            blocks = whole_topics(parts, self.sizes.rows)
        for rows in blocks:
            block = rows.grouped(RUN)
            if not seen:
                self._look_at_scores(block)
            if seen.intersection(block.topics):
                if kept_parts:
                    parts = chain(drained(kept_parts), left_parts)
                else:
                    parts = self._watched(self._parts())
                for rows_of_topics in self._regrouped(parts):
                    yield rows_of_topics.grouped(RUN)
                break
            seen.update(block.topics)
            yield block
        if not seen:
            raise FileError(f"{self.name}: the run is empty")

    def _regrouped(self, parts: Iterator[Part]) -> Iterator[Part]:
        """The rows in blocks of whole topics, wherever the rows of a topic are."""
        from .out_of_core import regrouped  # This import takes time.

        return regrouped(parts, self.name, self.sizes)

    def rows(self) -> Rows:
        """All rows. Raises `FileError` if there is none."""
        parts = self._watched(self._parts())
        rows = joined(parts, RUN).grouped(RUN)
        if not rows.values.size:
            raise FileError(f"{self.name}: the run is empty")
        self._look_at_scores(rows)
        return rows

    def _look_at_scores(self, rows: Rows) -> None:
        """Keep the remark that the scores of the first rows are ranks, if they seem to be."""
        if rows.facts.reverse:
            return
        remark = remark_on_counting(rows.offsets, rows.values)
        if remark:
            self._keep_remarks(Facts(reverse=remark))

    def __iter__(self) -> Iterator[ScoredDoc]:
        rows = self.rows()
        refuse_repeated(rows)
        topics = np.repeat(np.array(rows.topics, dtype=object), np.diff(rows.offsets))
        return map(ScoredDoc, topics, rows.docs.ids(), rows.values.tolist())

    @property
    def is_in_file(self) -> bool:
        """Whether the rows are in a file that can be read again, not in a stream or in memory."""
        return self._kept is None and is_lasting(self.file)

    def _is_small(self) -> bool:
        """Whether the rows are in a file so small that they may be kept while it is read."""
        if not self.is_in_file or self._is_folder():
            return False
        return os.path.getsize(self.file) <= SMALL_FILE  # type: ignore[arg-type]

    def columns(self) -> Collection[str]:
        """The columns of the file that are read, under our names: those of its first rows."""
        with closing(self._every(self.sizes._replace(block=PEEK, rows=1))) as every:
            return next((rows.columns for rows in every), {})

    def beside(self, qrels: Rows, is_whole: bool) -> RunSource:
        """The run; for a file of predictions, the rows of the qrels with these scores."""
        rows = None
        if qrels.facts.form in WITH_PREDICTIONS:
            from .predictions import predictions_for

            rows = predictions_for(self.file, qrels, is_whole, self.sizes)
        if rows is None:
            return self
        return rows.with_smaller_scores_first() if self.is_ascending else rows

    def with_repeated_documents(self) -> RunFile:
        """The same run, for a caller that keeps one row of a document that a topic repeats."""
        run = copy(self)
        run.may_repeat = True
        return run

    def with_documents(self, column: str) -> RunFile:
        """The same run of passages, in which this column has the document of each one.

        A run of a table is read anew, because the rows that `runs` keeps lack the column. Raises
        `FileError` if the table cannot be read twice.
        """
        run = copy(self)
        run.passages_column = column
        if run._kept is not None and column != self.passages_column:
            if not is_lasting(run.file):
                raise FileError(
                    f"{self.name}: the table has several runs and is read once; save it in a file "
                    f"to take the documents of passages from the column {shown(column)}"
                )
            run._kept = None
        return run

    def begun(self) -> RunFile:
        """The same run, of which a thread reads the first rows at once.

        It is read only once. Whoever does not read it calls `close`. A run is read when it is
        needed if the file is small, or if all of it is held in memory.
        """
        # The error of a file comes when it is read; a thread may be refused by the system.
        with suppress(GradedError, OSError, RuntimeError):
            if self.is_in_file and not self._is_small() and self._is_read_in_blocks():
                from .reading_threads import BegunParts  # This import takes time.

                run = copy(self)
                run._begun = BegunParts(self._every())
                return run
        return self

    def _is_read_in_blocks(self) -> bool:
        """Whether only some blocks of the file are in memory at the same time.

        JSON and compressed tables are read at once.
        """
        if self._is_folder():
            return bool(parquet_files(self.file))
        sizes = self.sizes._replace(start=PEEK, block=PEEK)
        with untold(), Content(self.file, sizes) as content:
            if is_json(content.stream.start):
                return False
            return not content.compression or kind_of(content) is None

    def close(self) -> None:
        """End the reading that has begun. The run can be read anew."""
        begun = self._taken_begun()
        if begun is not None:
            begun.close()

    def _taken_begun(self) -> BegunParts | None:
        """What has begun, for the first one of several threads that ask for it."""
        begun: BegunParts | None = vars(self).pop("_begun", None)
        return begun

    def ascending(self) -> RunFile:
        """The same run, in which smaller scores are better."""
        run = copy(self)
        run.is_ascending = True
        return run

    def _watched(self, parts: Iterator[Part]) -> Iterator[Part]:
        """The same parts, whose reading the first repeated document ends."""
        return parts if self.may_repeat else unrepeated(parts)

    def _keep_remarks(self, facts: Facts) -> None:
        """Keep the remarks on all rows so far, given the facts about the next ones.

        Remarks on each block would name the topics of a block, and not those of the run.
        """
        if facts in self._facts:
            return
        self._facts = (*self._facts, facts)
        self.remarks = kept_remarks((), joined_facts(self._facts), self.is_ascending)

    def _chosen(self) -> Chosen:
        """The choices of the user for the file."""
        return Chosen(
            self.run_column,
            columns=self.names_of_columns,
            passages_column=self.passages_column,
        )

    def _every(self, sizes: Sizes | None = None) -> Generator[Part]:
        """The rows of the file, or of its run that `runs` kept."""
        chosen = self._chosen()
        if self._kept is None and is_lasting(self.file):
            yield from parts_of(self.file, Reading(RUN, chosen, sizes or self.sizes))
            return
        with _READING.setdefault(self, threading.RLock()):
            if self._kept is None:  # a second reading would begin where this one ends
                from .spilled import kept_rows  # This import takes time.

                self._kept = FileError(f"{self.name}: reading it was cut off; open it again")
                try:
                    every = parts_of(self.file, Reading(RUN, chosen, self.sizes))
                    self._kept = kept_rows(self._watched(every), self.name, self.sizes)
                except GradedError as error:
                    self._kept = error
        if isinstance(self._kept, GradedError):
            raise self._kept
        if isinstance(self._kept, Part):
            yield self._kept
        elif self._kept is not None:
            yield from self._kept.parts()

    def _parts(self) -> Generator[Part]:
        """The rows of the run.

        Raises `FileError` if the file has several runs and `run` is None.
        """
        names: dict[str, None] = {}
        begun = self._taken_begun()
        every = self._every() if begun is None else begun.parts()
        for rows in every:
            self._keep_remarks(rows.facts)
            if self.is_ascending:
                rows = rows.ascending()
            if "run" in rows.columns:
                runs = by_run(rows)
                names |= dict.fromkeys(runs)
                if self.run is not None:
                    rows = runs.get(self.run, rows.take(slice(0)))
                rows = rows.without("run")
            elif self.run is not None:
                raise FileError(
                    f"{self.name}: no column names the runs of the file, so there is no run "
                    f"{shown(self.run)}; leave out run, or name the column with run_column"
                )
            if self.run is None and len(names) > 1:
                examples = " and ".join(map(shown, islice(names, 2)))
                several = f"the file has several runs, such as {examples}"
                raise FileError(f"{self.name}: {several}; RunFile(file).runs() has them by name")
            yield rows
        if self.run is not None and names and self.run not in names:
            hint = did_you_mean(self.run, names)
            raise FileError(
                f"{self.name}: there is no run {shown(self.run)}; the file has "
                f"{listed(names, 5)}{hint}"
            )


def parts_of(file: File, reading: Reading) -> Generator[Part]:
    """The rows of a file, in its order."""
    try:
        yield from _parts_of(file, reading)
    except FileError as error:
        from ..core.rows.level_words import WordInFileError  # This import takes time.

        if not isinstance(error, WordInFileError):
            raise
        raise _with_all_words(error, file, reading) from None


def _with_all_words(error: WordInFileError, file: File, reading: Reading) -> WordInFileError:
    """The error with the words of all levels in a file, not only of those that are read at once.

    The words of a stream, and those behind `ROWS_OF_WORDS` rows, are unknown.
    """
    if not is_lasting(file):
        return error
    from ..core.rows.level_words import MOST_WORDS, unnamed_words

    with unnamed_words() as words, closing(_parts_of(file, reading)) as parts:
        count = 0
        with suppress(GradedError):
            for rows in parts:
                count += len(rows)
                if count >= ROWS_OF_WORDS or len(words) >= MOST_WORDS:
                    break
    return error.of(error.reason, words)


def _parts_of(file: File, reading: Reading) -> Generator[Part]:
    """The rows of a file, in its order."""
    keep_freed_memory()
    if parquet_files(file):
        from .table_files import folder_parts  # This import and those below take time.

        yield from folder_parts(PARQUET, Content(file, reading.sizes), reading)
        return
    if isinstance(file, (str, os.PathLike)) and os.path.isdir(file):
        from .answer_folders import answer_files, answer_parts

        answers = answer_files(file)
        if answers:
            yield from answer_parts(file, answers, reading)
            return
    with Content(file, reading.sizes) as content:
        kind = kind_of(content)
        if kind is not None:
            from .table_files import table_parts

            rows_of_table = table_parts(kind, content, reading)
            limited = with_limited_runs(rows_of_table, content, kind.name)
            yield from read_ahead(limited, content)
            return
        refuse_other_kind(content)
        if is_json(content.stream.start):
            from .json_files import json_parts

            yield from with_limited_runs(json_parts(content, reading), content)
        else:
            yield from with_limited_runs(text_parts(content, reading), content)


def _may_have_runs(content: Content, reading: Reading) -> bool:
    """Whether a column may name the run of each row, as the start of the file tells or the schema
    of a table.
    """
    kind = kind_of(content)
    if kind is not None:
        from .table_files import columns_of  # This import and the next one take time.

        return "run" in columns_of(kind, content, reading)
    if is_json(content.stream.start):
        from .json_files import may_have_runs

        return may_have_runs(content, reading)
    form, _ = form_of(content, reading)
    return "run" in form.fields


ENDINGS = ("run", "runs", "txt", "trec", "csv", "tsv", "out", "res", "results", "json", "jsonl")
"""The endings of names of text files and of JSON files."""


def file_name(path: str) -> str:
    """The name of a file or a folder without those of the folders above, also of ``runs/`` and
    ``.``.

    >>> file_name("runs/bm25.run"), file_name("runs/"), file_name("-")
    ('bm25.run', 'runs', '-')
    """
    name = os.path.basename(path)
    if name in ("", os.curdir, os.pardir):
        name = os.path.basename(os.path.abspath(path))
    return name


def without_endings(name: str) -> str:
    """The name of a file without the endings that files of a known kind have.

    >>> without_endings("bm25.run.gz"), without_endings("bm25.parquet"), without_endings("bm25.v2")
    ('bm25', 'bm25', 'bm25.v2')
    """
    stem, ending = os.path.splitext(name)
    compressions = [compression.ending for compression in COMPRESSIONS.values()]
    if ending[1:].lower() in compressions:
        name = stem
        stem, ending = os.path.splitext(name)
    endings_of_tables = chain.from_iterable(kind.endings for kind in KINDS.values())
    return stem if ending[1:].lower() in (*ENDINGS, *endings_of_tables) else name


def unrepeated(parts: Iterable[Part]) -> Iterator[Part]:
    """The same parts of a run.

    Raises `FileError` early for many rows of the same documents, which would fill the memory. Each
    block of a run is searched completely when it is evaluated, so here samples are enough: a part
    whenever twice as many parts are read, and a topic that is longer than topics are, whenever it
    has twice as many rows. The first part is searched too, so that the message names an early line.
    """
    first: Part | None = None
    before: Part | None = None
    of_topic: list[Part] = []
    most = LONG
    for number, rows in enumerate(parts):
        is_power_of_two = number & (number - 1) == 0
        few = FEW if rows.facts.unit == "line" else 1
        if number >= few and is_power_of_two:
            for searched in (first, before):
                if searched is not None and (number >= MANY or _may_repeat(searched)):
                    _refuse_repeated(searched)
            first = None
        if number == 0:
            first = rows
        else:
            before = rows
        has_one_topic = len(rows) > 0 and not _last_change(rows.columns["query_id"])
        if not has_one_topic or _begins_topic(rows, of_topic):
            of_topic = []
            most = LONG
        if has_one_topic:
            of_topic.append(rows)
        if sum(map(len, of_topic)) >= most:
            most *= 2
            _refuse_repeated(joined(of_topic, RUN))
        yield rows


def _may_repeat(rows: Part) -> bool:
    """Whether a topic of the first rows of a run, or of several runs, has a document twice.

    A set of strings takes less time than arrays.
    """
    first_rows = rows.take(slice(FIRST))
    columns = [list(column) for name, column in first_rows.columns.items() if name in REPEATED]
    return len(set(zip(*columns, strict=True))) < len(first_rows)


def _refuse_repeated(rows: Part) -> None:
    """Raise `FileError` if a topic of a run, or of one of several runs, has a document twice."""
    runs = [rows]
    if "run" in rows.columns:
        runs = list(by_run(rows).values())
    for rows_of_run in runs:
        refuse_repeated(rows_of_run.grouped(RUN))


def _kept_in(kept_parts: list[Part], parts: Iterator[Part]) -> Iterator[Part]:
    """The same parts, each of which is added to the list."""
    for rows in parts:
        kept_parts.append(rows)
        yield rows


def _are_scattered(parts: Sequence[Part], least: int) -> bool:
    """Whether more than `least` rows show that the topics of a run do not stand together: a topic
    of the first few rows, which another one follows there, has some of the last few rows.
    """
    parts = list(filter(len, parts))
    if sum(map(len, parts)) <= least:
        return False
    first = parts[0].columns["query_id"].take(slice(TAIL))
    others = parts[-1].columns["query_id"]
    if len(parts) == 1:
        others = others.take(slice(TAIL, None))
    last = others.take(slice(-TAIL, None))
    topics = list(first.take(first.changes()))
    followed = set(topics) - {topics[-1]}
    return not followed.isdisjoint(last.take(last.changes()))


def whole_topics(parts: Iterable[Part], least: int) -> Iterator[Part]:
    """The same rows in blocks of at least `least` rows; a block ends where the topic changes."""
    pending: list[Part] = []
    for rows in parts:
        cut = _last_change(rows.columns["query_id"]) if len(rows) else 0
        is_border = cut > 0 or _begins_topic(rows, pending)
        if is_border and sum(map(len, pending)) + cut >= least:
            if cut:
                pending.append(rows.take(slice(cut)))
            yield joined(pending, RUN)
            pending = []
            rows = rows.take(slice(cut, None))
        pending.append(rows)
    if any(map(len, pending)) or any(rows.facts.empty for rows in pending):
        yield joined(pending, RUN)


def _begins_topic(rows: Part, pending: Sequence[Part]) -> bool:
    """Whether the first row has another topic than the last row of the pending parts."""
    nonempty = list(filter(len, pending))
    if not nonempty or not len(rows):
        return False
    return rows.columns["query_id"][0] != nonempty[-1].columns["query_id"][-1]


def _last_change(query: Ids) -> int:
    """The last row whose topic differs from that of the row before, 0 if all topics are equal."""
    for start in (max(len(query) - TAIL, 0), 0):
        last = int(query.take(slice(start, None)).changes()[-1])
        if last:
            return start + last
    return 0
