"""Qrels and runs in one form: `Rows`, which are grouped by topic, and a `Part` of a file in its
order.

Columns keep their storage format. Ids are converted to bytes (`Ids`) when a block of rows needs
them. Error details are computed only on failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from operator import contains
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Qrel

from ...errors import FileError, GradedError, Remark, quoted, shown
from ..by_topic import blocks, bounds_of, rows_of
from .id_columns import Cells, Documents, Keys, Stretches, docs_of, stretches_of, texts_of
from .id_matching import Ids, IdsByTopic, Indices, equal_pairs, first_rows, flaw_of
from .roles import IDS, NUMBERS, QRELS, Role

REVERSE = "reverse ranks"
INCOMPLETE = "incomplete answers"
MOST_INCOMPLETE = 3
"""A remark names so many topics with incomplete answers."""
"""The kind of the remark on ranks in the reverse order of scores."""
LEAST_IN_TABLE = 1 << 15  # rows of a hash table, unless all are fewer
LOOK_UP = 100  # documents that can be hashed and sorted in the time of one look-up in a dict


class Facts(NamedTuple):
    """The findings of a reader about rows, or about a part of a file.

    `file` is the name of the file, empty for rows in memory, `form` the name of its form, and
    `unit` the location of a row in it: a line or a row. `unjudged` counts rows of unjudged
    documents. `integers` are the columns of ids that are integers, and `empty` the topics without
    documents. The scores of `ranked` rows are their ranks with the sign reversed; those of
    `partly_ranked` rows are so in some topics. `lines` are remarks on lines that may not be meant
    as they are read, and `reverse` is that of `RankSample`, empty if there is none. Qrels that are
    lists of ids have `only_relevant` documents. `sequence` is the number of lists of a sequence,
    which has no ids of topics, and 0 for all other rows.
    `incomplete` are the topics for which a search engine did not search all documents, each with
    the reason. If ids were `shortened` to those of the qrels, this is an id before and after.
    `heads` are the names of the columns of topics, documents and values in the file, if it has
    some, and `judge` that of the column which seems to name the judge of each row of qrels. Of a
    run in the order of its rows, some documents `were_tied`.
    """

    file: str = ""
    form: str = ""
    unit: str = "line"
    unjudged: int = 0
    integers: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    ranked: bool = False
    partly_ranked: bool = False
    lines: tuple[Remark, ...] = ()
    reverse: str = ""
    only_relevant: bool = False
    sequence: int = 0
    incomplete: tuple[tuple[str, str], ...] = ()
    shortened: tuple[str, str] | None = None
    heads: tuple[str, ...] = ()
    judge: str = ""
    were_tied: bool = False

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What is unusual about the rows. The remarks have no subject."""
        remarks = list(self.lines)
        if self.incomplete:
            topics = [f"{topic}: {reason}" for topic, reason in self.incomplete]
            named = "; ".join(topics[:MOST_INCOMPLETE])
            if len(topics) > MOST_INCOMPLETE:
                named += f"; and {len(topics) - MOST_INCOMPLETE} more"
            count = "1 topic" if len(topics) == 1 else f"{len(topics):,} topics"
            text = f"the search engine's answers to {count} are incomplete ({named})"
            remarks.append(Remark(INCOMPLETE, "", text))
        if self.reverse:
            remarks.append(Remark(REVERSE, "", self.reverse))
        return tuple(remarks)

    def refuse_partly_ranked(self) -> None:
        """Raise `FileError` if smaller scores cannot be first in all topics."""
        if self.partly_ranked:
            raise FileError(
                f"{self.file}: some topics have scores, and others have only an order of "
                "documents, which --ascending (ascending=True) would reverse; give scores in all "
                "topics"
            )

    def location(self, line: int) -> str:
        """The name of a row in messages."""
        if self.unit == "line":
            return f"{self.file}:{line}"
        return f"{self.file}: {self.unit} {line}"


class Part:
    """Rows of a file, in its order: columns under our names, ids as `Ids` and numbers as floats.

    `line` (N) has the location of each row in the file. The topics of a block of whole topics may
    be `Stretches`.
    """

    def __init__(self, columns: Mapping[str, Any], line: np.ndarray, facts: Facts):
        self.columns = columns
        self.line = line
        self.facts = facts

    def __len__(self) -> int:
        return self.line.size

    def ascending(self) -> Part:
        """The rows of a run in which smaller scores are better, so that larger ones are; ranks
        stay. Raises `FileError` for ranks in some topics.
        """
        self.facts.refuse_partly_ranked()
        return self if self.facts.ranked else self.with_negated_scores()

    def with_negated_scores(self) -> Part:
        """The rows of a run with the sign of each score reversed."""
        scores = -np.asarray(self.columns["score"])
        return Part({**self.columns, "score": scores}, self.line, self.facts)

    def take(self, rows: Indices) -> Part:
        """The part with these rows."""
        columns = {name: taken(column, rows) for name, column in self.columns.items()}
        return Part(columns, self.line[rows], self.facts)

    def without(self, *names: str) -> Part:
        """The part without some columns."""
        kept = {name: column for name, column in self.columns.items() if name not in names}
        return Part(kept, self.line, self.facts)

    def grouped(self, role: Role) -> Rows:
        """The rows grouped by topic. Raises `GradedError` for a value that is not allowed."""
        cells = self.columns
        further: dict[str, Any] = {}
        if role is QRELS:
            if "iteration" in cells:
                further["iteration"] = texts_of(cells["iteration"], f"{role.kind}: iteration")
            if "probability" in cells:
                further["probability"] = cells["probability"]
        elif "document" in cells:  # of passages
            further["document"] = cells["document"]
        rows = grouped(
            role,
            stretches_of(cells["query_id"], f"{role.kind}: query_id"),
            docs_of(cells["doc_id"], f"{role.kind}: doc_id"),
            np.asarray(cells[role.value], np.float64),
            line=self.line,
            facts=self.facts,
            further=further,
        )
        if not self.facts.empty:
            return rows
        every_topic = dict.fromkeys([*rows.topics, *self.facts.empty])
        return rows.of_topics({topic: number for number, topic in enumerate(every_topic)})

    def checked(self, columns: Sequence[str] = IDS) -> Part:
        """The part. Raises `FileError` for a text in these columns that is no id, see `flaw_of`."""
        for name in columns:
            ids: Ids = self.columns[name]
            row = ids.first_flawed()
            if row is not None:
                where = self.facts.location(self.line[row])
                text = ids[row]
                what = f"the {name} {shown(text)}" if text else f"the {name}"
                raise FileError(f"{where}: {what} {flaw_of(text)}")
        return self


def _lines_at(line: np.ndarray, rows: Indices) -> np.ndarray:
    """These lines.

    The lines of a whole file are consecutive numbers. An addition then replaces random access,
    which takes 3 % of the time for seven million lines in random order.
    """
    is_order = isinstance(rows, np.ndarray) and rows.size == line.size
    if is_order and line.size and (line[1:] - line[:-1] == 1).all():
        return rows + line[0]
    return line[rows]


def taken(column: Documents | np.ndarray, rows: Indices) -> Any:
    """These rows of a column of ids or numbers."""
    return column[rows] if isinstance(column, np.ndarray) else column.take(rows)


def joined(parts: Iterable[Part], role: Role) -> Part:
    """The rows of all parts of a file; no rows if there are none."""
    every = list(parts)
    facts = joined_facts([rows.facts for rows in every])
    nonempty = list(filter(len, every))
    if not nonempty:
        nonempty = every[:1]
    if len(nonempty) == 1:
        return Part(nonempty[0].columns, nonempty[0].line, facts)
    names = list(role.columns)
    if nonempty:
        names = list(nonempty[0].columns)
    elif role is QRELS:
        names.append("iteration")
    columns: dict[str, Any] = {}
    for name in names:
        pieces: list[Any] = [rows.columns[name] for rows in nonempty]
        if name in NUMBERS:
            columns[name] = np.concatenate([np.empty(0), *pieces])
        else:
            columns[name] = Ids.concatenated(pieces)
    lines = [rows.line for rows in nonempty]
    line = np.concatenate([np.empty(0, np.int64), *lines])
    return Part(columns, line, facts)


def joined_facts(every: Sequence[Facts]) -> Facts:
    """The findings about all parts of a file."""
    if not every:
        return Facts()

    unjudged = 0
    integers: dict[str, None] = {}
    empty: dict[str, None] = {}
    lines: dict[Remark, None] = {}
    reverse = ""
    incomplete: dict[tuple[str, str], None] = {}
    for facts in every:
        unjudged += facts.unjudged
        integers |= dict.fromkeys(facts.integers)
        empty |= dict.fromkeys(facts.empty)
        lines |= dict.fromkeys(facts.lines)
        reverse = reverse or facts.reverse
        incomplete |= dict.fromkeys(facts.incomplete)
    return every[0]._replace(
        unjudged=unjudged,
        integers=tuple(integers),
        empty=tuple(empty),
        partly_ranked=any(facts.partly_ranked for facts in every),
        lines=tuple(lines),
        reverse=reverse,
        incomplete=tuple(incomplete),
    )


class RunSource:
    """A run in any form: override `rows`, and `blocks` unless the run is `in_memory`.

    An empty run that is not a file `is_empty` after it is read; its reader warns
    (`EmptyRunWarning`). After the run is read, `remarks` say what is unusual about its rows. `name`
    is its name in messages. A run `of_passages` is a `PassageRun`.
    """

    in_memory: bool = True
    is_empty: bool = False
    of_passages: bool = False
    name: str = ""
    remarks: tuple[Remark, ...] = ()

    def beside(self, qrels: Rows, is_whole: bool) -> RunSource:
        """The run that is evaluated with these qrels, which are some topics of others unless they
        are `is_whole`.

        It is this one, unless its rows are those of the qrels.
        """
        return self

    def ascending(self) -> RunSource:
        """The same run, in which smaller scores are better, as distances are."""
        return AscendingRun(self)

    def rows(self) -> Rows:
        """All rows. Raises `GradedError` for an invalid row and for an empty file."""
        raise NotImplementedError

    def blocks(self) -> Iterator[Rows]:
        """The rows in blocks of whole topics. If several blocks have a topic, the last has all its
        rows.

        Raises `GradedError` as `rows`.
        """
        yield self.rows()


def kept_remarks(remarks: Sequence[Remark], facts: Facts, is_ascending: bool) -> tuple[Remark, ...]:
    """The remarks on a run and those of `facts`, each once.

    Ranks in the reverse order of scores are as expected in a run that `is_ascending`.
    """
    every = dict.fromkeys([*remarks, *facts.remarks])
    return tuple(remark for remark in every if not (is_ascending and remark.kind == REVERSE))


class AscendingRun(RunSource):
    """A run in which smaller scores are better; ranks in place of scores stay as they are."""

    def __init__(self, source: RunSource):
        self.source = source
        self.name = source.name
        self.in_memory = source.in_memory

    def rows(self) -> Rows:
        rows = self.source.rows()
        self.is_empty = self.source.is_empty
        self._keep_remarks(rows)
        return rows.with_smaller_scores_first()

    def blocks(self) -> Iterator[Rows]:
        for rows in self.source.blocks():
            self._keep_remarks(rows)
            yield rows.with_smaller_scores_first()

    def _keep_remarks(self, rows: Rows) -> None:
        self.remarks = kept_remarks(self.source.remarks, rows.facts, is_ascending=True)


@dataclass(eq=False, repr=False)
class Rows(RunSource):
    """Qrels or a run: rows of (topic, document, value), grouped by topic.

    `topics` (T) are the distinct topics in order of appearance. The slice `offsets[t]:offsets[t +
    1]` of `docs` (N ids) and `values` (N floats: levels or scores) holds the rows of topic t;
    `offsets` has T + 1 entries. `distinct` is true if the source cannot have a document twice in a
    topic. If the rows are from a file, `line` (N) has the location of each row in it. Qrels may
    have `further` columns, those of `INTENTS`: the intent of each row (N ids), and its probability
    (N floats, NaN for a cell that is not a number).
    """

    role: Role
    topics: Sequence[str]
    offsets: np.ndarray
    docs: Documents
    values: np.ndarray
    distinct: bool = False
    line: np.ndarray | None = None
    facts: Facts = field(default_factory=Facts)
    further: Mapping[str, Any] = field(default_factory=dict)

    @property
    def intents(self) -> Documents | None:
        """The intents of the rows; None without a column of intents."""
        return self.further.get("iteration")

    @property
    def file(self) -> str:
        """The name of the file; empty for rows in memory."""
        return self.facts.file

    def topic_of(self, row: int) -> str:
        """The topic of a row."""
        return self.topics[int(np.searchsorted(self.offsets, row, side="right")) - 1]

    def location(self, row: int) -> str:
        """The name of a row in error messages."""
        topic = shown(self.topic_of(row))
        return f"{self._source(row)}: topic {topic}, document {shown(self.docs[row])}"

    def error(self, row: int, message: str) -> GradedError:
        """An error about a row; the message names it."""
        return self.failure(f"{self.location(row)}: {message}")

    def failure(self, message: str) -> GradedError:
        """An error about the rows: for those of a file, a `FileError`."""
        return FileError(message) if self.file else GradedError(message)

    def repeated(self, row: int) -> GradedError:
        """The error for a row whose document also occurs in an earlier row of the topic."""
        where = f"{self._source(row)}: topic {shown(self.topic_of(row))}"
        document = shown(self.docs[row])
        advice = "keep one (as convert --duplicates best)"
        if os.path.exists(self.file):
            file = quoted(self.file)
            once = "once.csv"
            if self.facts.form == "TREC":
                once = "once.run"
            line = f"ir_measures_graded convert {file} {once} --run --duplicates best"
            advice = f"keep one: {line}"
        return self.failure(f"{where} retrieves document {document} twice; {advice}")

    def _source(self, row: int) -> str:
        return self.role.kind if self.line is None else self.facts.location(self.line[row])

    def rows(self) -> Rows:
        return self

    def with_ids(self) -> Rows:
        """The rows with their documents as `Ids`, which are converted once for all uses."""
        return replace(self, docs=self.docs.ids())

    def with_smaller_scores_first(self) -> Rows:
        """The rows of a run whose smaller scores are better, so that
        larger ones are; ranks stay. Raises `FileError` for ranks in some topics.
        """
        self.facts.refuse_partly_ranked()
        if self.facts.ranked:
            return self
        # The ids of dicts are found by the values of the dicts, which are no longer those of the
        # rows.
        return replace(self, values=-self.values, docs=self.docs.ids())

    def dicts(self) -> dict[str, Mapping[str, float]]:
        """The rows as a dict of dicts, for other providers of ir-measures."""
        mappings = self.docs.mappings()
        if mappings is not None and len(mappings) == len(self.topics):
            return dict(zip(self.topics, mappings, strict=True))
        docs = list(self.docs.ids())
        values = self.values.tolist()
        dicts: dict[str, Mapping[str, float]] = {}
        for topic, (start, end) in zip(self.topics, pairwise(self.offsets.tolist()), strict=True):
            if end > start:
                dicts[topic] = dict(zip(docs[start:end], values[start:end], strict=True))
        return dicts

    def for_others(self) -> Any:
        """Qrels in a form that ir-measures' other providers read. Whole levels are ints."""
        levels = self.values.astype(np.int64) if is_whole(self.values) else self.values
        if self.intents is None:
            return replace(self, values=levels).dicts()
        topics = np.repeat(np.array(self.topics, dtype=object), np.diff(self.offsets))
        columns = (topics.tolist(), self.docs.ids(), levels.tolist(), self.intents.ids())
        return list(map(Qrel, *columns))

    def block(self, a: int, b: int) -> Rows:
        """The rows of the topics with the numbers a … b − 1."""
        start = self.offsets[a]
        rows = slice(int(start), int(self.offsets[b]))
        offsets = self.offsets[a : b + 1] - start
        docs = self.docs.slices(self.offsets[a:b], np.diff(offsets), rows)
        return self.of_rows(rows, docs, offsets, self.topics[a:b])

    def part(self, numbers: np.ndarray) -> Rows:
        """The rows of the topics with these numbers."""
        starts = self.offsets[:-1][numbers]
        sizes = np.diff(self.offsets)[numbers]
        rows = rows_of(starts, sizes)
        topics = [self.topics[number] for number in numbers.tolist()]
        docs = self.docs.slices(starts, sizes, rows)
        return self.of_rows(rows, docs, bounds_of(sizes), topics)

    def where(self, kept: np.ndarray) -> Rows:
        """The rows for which `kept` (N) is true."""
        offsets = np.append(0, np.cumsum(kept))[self.offsets]
        rows = np.flatnonzero(kept)
        return self.of_rows(rows, self.docs.take(rows), offsets, self.topics)

    def of_rows(
        self, rows: Indices, docs: Documents, offsets: np.ndarray, topics: Sequence[str]
    ) -> Rows:
        """These rows, whose documents are given, in topics with these boundaries."""
        values = self.values[rows]
        line = self.line
        if line is not None:
            line = _lines_at(line, rows)
        further = {name: taken(column, rows) for name, column in self.further.items()}
        return Rows(
            self.role,
            topics,
            offsets,
            docs,
            values,
            distinct=self.distinct,
            line=line,
            facts=self.facts,
            further=further,
        )

    def checked(self) -> Rows:
        """The rows. Raises `GradedError` for a value that is not allowed."""
        refused = self.role.refused(self.values)
        if refused.size:
            row = int(refused[0])
            raise self.error(row, self.role.rule.format(self.values[row]))
        return self

    def of_topics(self, code: Mapping[str, int]) -> Rows:
        """The rows of the topics that have a code 0 … T − 1, in the order of the codes.

        A code without rows gets an empty topic.
        """
        codes = np.array([code.get(topic, -1) for topic in self.topics], dtype=np.int64)
        with_code = np.flatnonzero(codes >= 0)
        in_order = with_code[np.argsort(codes[with_code], kind="stable")]
        sizes = np.zeros(len(code), dtype=np.int64)
        sizes[codes[in_order]] = np.diff(self.offsets)[in_order]
        return replace(self.part(in_order), topics=list(code), offsets=bounds_of(sizes))

    @cached_property
    def column(self) -> IdsByTopic:
        """The documents as `Ids`, which are kept, and the boundaries of the topics.

        For blocks of rows.
        """
        return self.docs.ids(), self.offsets

    def ids(self, rows: np.ndarray) -> Ids:
        """The documents in these rows."""
        if self.docs.is_keyed and rows.size * LOOK_UP < self.values.size:
            return self.docs.take(rows).ids()
        return self.column[0].take(rows)

    def of_own_topic(self) -> np.ndarray:
        """The rows whose document has the id of their topic."""
        sizes = np.diff(self.offsets)
        listed = np.flatnonzero(sizes)
        topics = [self.topics[number] for number in listed.tolist()]
        mappings = self.docs.mappings()
        if mappings is not None:
            filled = filter(None, mappings)
            has_own = np.fromiter(map(contains, filled, topics), bool, listed.size)
            if not has_own.any():
                return np.empty(0, np.int64)
            listed = listed[has_own]
            topics = [self.topics[number] for number in listed.tolist()]
        rows = self.docs.look_up(self.offsets[listed], topics, self.values)
        if rows is not None:
            return rows[rows >= 0]
        docs = self.column[0]
        if not docs.may_have_length({len(topic.encode()) for topic in topics}):
            return np.empty(0, np.int64)
        topic_of_row = np.repeat(np.arange(listed.size), sizes[listed])
        return docs.equal_rows(Ids.of(topics), topic_of_row)

    def without_own_topic(self) -> Rows:
        """The rows whose document has another id than their topic; a
        topic may lose all its rows.
        """
        kept = np.ones(self.values.size, dtype=bool)
        kept[self.of_own_topic()] = False
        return self if kept.all() else self.where(kept)

    def look_up(self, judged: Rows) -> tuple[np.ndarray, np.ndarray] | None:
        """The rows of the judged documents, found by looking up each one in the dicts of the run.

        Returns these rows and the number of each document in `judged`; None if the run is not made
        of dicts, or if hashing all ids is faster. Most unjudged documents are not validated: an id
        that is not a string counts like any other unjudged document.
        """
        if not self.docs.is_keyed or judged.values.size * LOOK_UP >= self.values.size:
            return None
        is_listed = np.diff(self.offsets) > 0
        judgments = np.diff(judged.offsets)
        number = np.flatnonzero(np.repeat(is_listed, judgments))
        start = np.repeat(self.offsets[:-1], np.where(is_listed, judgments, 0))
        row = self.docs.look_up(start, judged.ids(number), self.values)
        if row is None:
            return None
        return row[row >= 0], number[row >= 0]


def grouped(
    role: Role,
    topics: Stretches,
    docs: Documents,
    values: np.ndarray,
    *,
    facts: Facts,
    further: Mapping[str, Any],
    line: np.ndarray | None = None,
) -> Rows:
    """The rows of a table with these columns, grouped by topic; their fields are those of `Rows`.

    Raises `GradedError` for a value that is not allowed.
    """
    order, offsets = topics.grouped(len(docs))
    rows = Rows(
        role,
        list(topics.topics),
        offsets,
        docs,
        values,
        line=line,
        facts=facts,
        further=further,
    )
    if order is not None:
        if not (isinstance(docs, Cells) and docs.cells.dtype.kind == "i"):  # codes of categories
            docs = docs.ids().padded()  # padded ids are the fastest to reorder
        rows = rows.of_rows(order, docs.take(order), offsets, rows.topics)
    return rows.checked()


def without_rows(role: Role) -> Rows:
    """Qrels without a judgment, or a run without a document."""
    docs = Keys([], f"{role.kind}: doc_id")
    return Rows(role, [], np.zeros(1, np.int64), docs, np.empty(0), distinct=True)


def is_whole(level: np.ndarray) -> bool:
    """Whether all of these floats are whole numbers in the range of int64."""
    return bool(((np.abs(level) < 2.0**63) & (level == np.floor(level))).all())


def refuse_repeated(run: Rows) -> None:
    """Raise `GradedError` if a topic retrieves a document twice,
    or if a document is not a string.
    """
    for a, b in blocks(np.diff(run.offsets)):
        block = run.block(a, b)
        ids = block.column  # raises if a document is not a string
        if run.distinct:
            continue
        _, repeated = equal_pairs(ids)
        if repeated.size:
            raise block.repeated(int(repeated.min()))


class Distinct:
    """Qrels with each document once per topic, at its highest level.

    `doc` (N) is the row in `qrels` of each row of the original, None if all rows are kept. If a
    document has two levels, `conflict` is the error that names it.
    """

    def __init__(
        self, qrels: Rows, doc: np.ndarray | None = None, conflict: GradedError | None = None
    ):
        self.qrels = qrels
        self.doc = doc
        self.conflict = conflict


def distinct(qrels: Rows) -> Distinct:
    """The qrels with each document once per topic."""
    first = _first_rows(qrels)
    if first is None:
        return Distinct(_once(qrels))
    is_first = first == np.arange(first.size)
    highest = qrels.values.copy()
    np.maximum.at(highest, first[~is_first], qrels.values[~is_first])
    number = np.cumsum(is_first) - 1
    judgments = _once(replace(qrels, values=highest), is_first)
    return Distinct(judgments, number[first], _conflict(qrels, first))


def _first_rows(rows: Rows) -> np.ndarray | None:
    """For each row, the first one with its document and topic (N); None if all are different."""
    if rows.distinct:
        return None
    docs = rows.docs.ids()
    first = None
    # The hash table of a block stays in the processor cache.
    for a, b in blocks(np.diff(rows.offsets), LEAST_IN_TABLE):
        offsets = rows.offsets[a : b + 1]
        start = offsets[0]
        end = offsets[-1]
        first_of_block = first_rows((docs.take(slice(start, end)), offsets - start))
        if first_of_block is not None:
            if first is None:
                first = np.arange(len(docs))
            first[start:end] = first_of_block + start
    return first


def repeated_judgments(qrels: Rows) -> np.ndarray:
    """The rows that repeat a judgment: its document, level and intent."""
    first = _first_rows(qrels)
    if first is None:
        return np.empty(0, dtype=np.int64)
    repeated = np.flatnonzero(first != np.arange(first.size))
    repeated = repeated[qrels.values[repeated] == qrels.values[first[repeated]]]
    if qrels.intents is not None and repeated.size:
        intents = np.array(qrels.intents.take(repeated).ids(), dtype=object)
        first_intents = np.array(qrels.intents.take(first[repeated]).ids(), dtype=object)
        repeated = repeated[intents == first_intents]
    return repeated


def _conflict(qrels: Rows, first: np.ndarray) -> GradedError | None:
    """The error for the first document with two levels, from the
    first row of each row's document.
    """
    differ = np.flatnonzero(qrels.values != qrels.values[first])
    if not differ.size:
        return None
    row = int(differ[np.argmin(first[differ])])
    intents: list[str] = []
    if qrels.intents is not None:
        rows = np.flatnonzero(first == first[row])
        intents = list(dict.fromkeys(qrels.intents.take(rows).ids()))
    if len(intents) < 2:
        return judged_twice(qrels, int(first[row]), row)
    return qrels.error(
        row,
        f"levels for several intents or judges ({', '.join(intents[:2])}); keep one, for example "
        "with convert --duplicates best, or use measures of intents, such as D_nDCG and ERR_IA_G",
    )


def judged_twice(qrels: Rows, first: int, second: int, intent: str = "") -> GradedError:
    """The error for two levels of a document in two rows, perhaps those for an intent."""
    levels = []
    for row in (first, second):
        level = f"level {qrels.values[row]:g}"
        if qrels.line is not None:
            level += f" ({qrels.facts.unit} {qrels.line[row]})"
        levels.append(level)
    judged = "document and intent" if intent else "document"
    message = f"judged twice{intent}, at {' and at '.join(levels)}; keep one judgment per {judged}"
    return qrels.error(second, message + _by_several_judges(qrels.facts))


def _by_several_judges(facts: Facts) -> str:
    """The end of a message on two judgments: a column may name their judges, and what to type."""
    if not facts.judge:
        return ""
    message = f"; if the column {facts.judge} names who judged, "
    if not facts.file:
        judges = f"dict(list(frame.groupby({facts.judge!r})))"
        return (
            f"{message}make one judge of them: merge_judges({judges}).qrels; to compare them: "
            "judges(frame), both of ir_measures_graded.analysis"
        )
    line = f"ir_measures_graded judges {quoted(facts.file)}"
    return (
        f"{message}make one judge of them: {line} --merge majority -o merged.txt; to compare them: "
        f"{line}"
    )


def repeated_documents(run: Rows) -> tuple[Rows, list[str]]:
    """The run with the first row of each document of a topic, and the topics with others."""
    first = _first_rows(run)
    if first is None:
        return _once(run), []
    kept = first == np.arange(first.size)
    repeated = np.flatnonzero(~kept).tolist()
    topics = {run.topic_of(row) for row in repeated}
    return _once(run, kept), sorted(topics)


def _once(rows: Rows, kept: np.ndarray | None = None) -> Rows:
    """The rows for which `kept` (N) is true, or all rows: one for each document of a topic."""
    rows = replace(rows, docs=rows.docs.ids(), distinct=True, further={})
    return rows if kept is None else rows.where(kept)


def refuse_empty(qrels: Rows) -> None:
    """Raise `GradedError` for qrels without a topic."""
    if not qrels.topics:
        raise GradedError("the qrels are empty: there is no topic to evaluate")


def refuse_mixed(run: Rows, qrels: Rows) -> None:
    """Raise `GradedError` if ids are integers on one side, and the other side has ids with leading
    zeros, or if one side is a sequence and does not fit the other one.
    """
    _refuse_other_sequence(run, qrels)
    for rows, other in ((run, qrels), (qrels, run)):
        for column in rows.facts.integers:
            ids = Ids.of(other.topics) if column == "query_id" else other.docs.ids()
            id_ = _with_leading_zero(ids)
            if id_ is not None:
                raise rows.failure(
                    f"{rows.file or rows.role.kind}: the {column} is an integer, which may have "
                    f"lost leading zeros, as in {shown(id_)} of the {other.role.kind}; write the "
                    "ids as strings"
                )


def _refuse_other_sequence(run: Rows, qrels: Rows) -> None:
    """Raise `GradedError` if one side is a sequence and the other one has other topics."""
    of_run = run.facts.sequence
    of_qrels = qrels.facts.sequence
    where = f"{run.file}: " if run.file else ""
    if of_run and of_qrels:
        if of_run != of_qrels:
            raise run.failure(
                f"{where}the run has {of_run:,} lists, and the qrels have {of_qrels:,}; give one "
                "list for each topic, [] if nothing is retrieved"
            )
        return
    if not of_run and not of_qrels:
        return
    topics_of_qrels = set(qrels.topics)
    unknown = next((topic for topic in run.topics if topic not in topics_of_qrels), None)
    if unknown is not None:
        sequence = "run is" if of_run else "qrels are"
        raise run.failure(
            f"{where}the {sequence} a sequence, which has the topics 0, 1, …; the qrels have no "
            f"topic {shown(unknown)}; give both as dicts, {{topic: documents}}, or both as "
            "sequences"
        )


def _with_leading_zero(ids: Ids) -> str | None:
    """The first id of several digits that begins with 0, None if there is none."""
    longer = np.flatnonzero(ids.length > 1)
    first_byte = ids.word(0, longer) & np.uint64(0xFF)
    rows_of_zeros = longer[first_byte == ord("0")]
    return next((id_ for id_ in ids.take(rows_of_zeros) if id_.isdecimal()), None)
