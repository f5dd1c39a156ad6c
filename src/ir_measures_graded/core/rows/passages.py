"""Runs of passages as runs of their documents, which qrels judge.

The score of a document is the highest score of its retrieved passages (MaxP; Dai & Callan 2019).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import GradedError, Remark, shown
from .id_matching import Ids, first_rows, flaw_of
from .rows import Rows, RunSource, refuse_repeated

PASSAGES = "passages"
"""The kind of the remark that counts passages and documents."""
DOCUMENT = "document"
"""The column of a run with the document of each passage."""


@dataclass(frozen=True)
class PassageRule:
    """How the id of a passage tells its document: one of the three.

    - `separator`: the document is the text before its last occurrence; an id without it is a
      document itself.
    - `pattern`: a regular expression that matches the whole id; its group ``doc``, or else its
      first group, is the document.
    - `column`: the column of a file with the document of each row.

    Raises `GradedError` unless exactly one is given, and for a pattern without a group.

    >>> PassageRule(separator="#").documents_in(Ids.of(["a#b#1", "c"]))[0].tolist()
    [3, 1]
    """

    separator: str | None = None
    pattern: str | None = None
    column: str | None = None

    def __post_init__(self) -> None:
        choices = {
            "separator": self.separator,
            "pattern": self.pattern,
            "column": self.column,
        }
        given_choices = [name for name, choice in choices.items() if choice is not None]
        if len(given_choices) != 1:
            raise GradedError("passages: give one of separator, pattern and column")
        name = given_choices[0]
        if not isinstance(choices[name], str) or not choices[name]:
            raise GradedError(f"passages: {name} is a text, not {shown(choices[name])}")
        if name == "pattern":
            self.expression()

    def expression(self) -> re.Pattern[str]:
        """The regular expression. Raises `GradedError` if it is none, or has no group."""
        try:
            expression = re.compile(self.pattern or "")
        except re.error as error:
            raise GradedError(f"passages: {shown(self.pattern)} is no pattern: {error}") from None
        if not expression.groups:
            raise GradedError(
                f"passages: {shown(self.pattern)} has no group for the document, as in (.*)#[0-9]+"
            )
        return expression

    def advice(self, id_: str) -> str:
        """The end of a message on an id that the pattern matches in part only: one that matches
        the whole id. Empty if there is none.
        """
        match = self.expression().search(id_)
        if match is None:
            return ""
        pattern = self.pattern or ""
        if "|" in pattern:
            pattern = f"(?:{pattern})"
        if match.start():
            pattern = f".*{pattern}"
        if match.end() < len(id_):
            pattern = f"{pattern}.*"
        try:
            is_whole = re.fullmatch(pattern, id_) is not None
        except re.error:  # flags stand at the start
            is_whole = False
        return f"; it must match the whole id, as {shown(pattern)} does" if is_whole else ""

    def documents_in(self, ids: Ids) -> tuple[np.ndarray, np.ndarray]:
        """The number of bytes before the last separator of each id, all if there is none, and how
        often the separator occurs in it (N each).
        """
        sign = (self.separator or "").encode()
        data = ids.data
        places = np.flatnonzero(data[: max(data.size - len(sign) + 1, 0)] == sign[0])
        for offset in range(1, len(sign)):
            places = places[data[places + offset] == sign[offset]]
        starts = ids.starts
        last_places = starts + ids.length - len(sign)
        before = np.searchsorted(places, starts)
        up_to = np.maximum(np.searchsorted(places, last_places, side="right"), before)
        count = up_to - before
        length = np.array(ids.length, dtype=np.int64)
        cut = np.flatnonzero(count)
        length[cut] = places[up_to[cut] - 1] - starts[cut]
        return length, count


class PassageRun(RunSource):
    """The documents of a run of passages, as if they had been retrieved.

    The run may have ranks in place of scores; the best rank of a document then counts.
    """

    of_passages = True

    def __init__(self, source: RunSource, rule: PassageRule):
        self.source = source
        self.rule = rule
        self.name = source.name
        self.in_memory = source.in_memory
        self.file = getattr(source, "file", None)
        self._counts: dict[str, tuple[int, int]] = {}
        self._example: tuple[str, str] | None = None
        self._changed: tuple[str, str] | None = None

    def ascending(self) -> PassageRun:
        return PassageRun(self.source.ascending(), self.rule)

    def rows(self) -> Rows:
        rows = self.source.rows()
        self.is_empty = self.source.is_empty
        return self._documents(rows)

    def blocks(self) -> Iterator[Rows]:
        for rows in self.source.blocks():
            yield self._documents(rows)

    def _documents(self, rows: Rows) -> Rows:
        """The rows of the documents.

        Raises `GradedError` for a passage that a topic retrieves twice, and for one without a
        document.
        """
        refuse_repeated(rows)
        ids = self._ids(rows)
        documents = replace(rows, docs=ids, further={}, distinct=True)
        first = first_rows((ids, rows.offsets))
        if first is not None:
            highest = rows.values.copy()
            np.maximum.at(highest, first, rows.values)
            documents = replace(documents, values=highest)
            is_first = first == np.arange(first.size)
            documents = documents.where(is_first)
        passages = np.diff(rows.offsets).tolist()
        counts = zip(passages, np.diff(documents.offsets).tolist(), strict=True)
        self._counts.update(zip(rows.topics, counts, strict=True))
        self.remarks = (*self.source.remarks, *self._own_remarks())
        return documents

    def _ids(self, rows: Rows) -> Ids:
        """The document of each row."""
        if self.rule.column is not None:
            return self._of_column(rows)
        ids = rows.docs.ids()
        if self.rule.pattern is not None:
            return self._matched(rows, ids)
        ids = ids.packed()
        length, count = self.rule.documents_in(ids)
        empty = np.flatnonzero(length == 0)
        if empty.size:
            raise rows.error(int(empty[0]), f"nothing stands before {shown(self.rule.separator)}")
        several = np.flatnonzero(count > 1)
        documents = Ids(ids.data, ids.starts, length)
        if several.size and self._example is None:
            row = int(several[0])
            self._example = ids[row], documents[row]
        return documents.packed()

    def _matched(self, rows: Rows, ids: Ids) -> Ids:
        """The group of the pattern in each id.

        Python's expressions decide, also where Arrow has others, so that no value depends on it.
        """
        expression = self.rule.expression()
        group: Any = "doc" if "doc" in expression.groupindex else 1
        documents: list[str] = []
        for row, id_ in enumerate(ids):
            match = expression.fullmatch(id_)
            document = match[group] if match is not None else None
            if not document:
                reason = "is not matched by" if match is None else "has no document by"
                advice = self.rule.advice(id_) if match is None else ""
                pattern = shown(self.rule.pattern)
                raise rows.error(row, f"the id {reason} the pattern {pattern}{advice}")
            documents.append(document)
            if document != id_ and self._changed is None:
                self._changed = id_, document
        return Ids.of(documents)

    def _of_column(self, rows: Rows) -> Ids:
        column = rows.further.get(DOCUMENT)
        if column is None:
            raise GradedError(
                f"{self.name or 'the run'}: passages_column is for runs in files with names of "
                "columns"
            )
        ids = column.ids()
        row = ids.first_flawed()
        if row is not None:
            raise rows.error(row, f"the {self.rule.column} {flaw_of(ids[row])}")
        return ids

    def _own_remarks(self) -> Iterator[Remark]:
        passages, documents = np.array(list(self._counts.values()) or [(0, 0)]).T
        retrieved = documents[documents > 0]
        median = float(np.median(retrieved)) if retrieved.size else 0.0
        text = (
            f"{passages.sum():,} passages → {documents.sum():,} documents, {median:g} a topic "
            "(median)"
        )
        if self._changed is not None and not self.has_passages:
            id_, document = self._changed
            text = f"{passages.sum():,} ids by the pattern, as {shown(document)} for {shown(id_)}"
        yield Remark(PASSAGES, "", text)
        if self._example is not None:
            id_, document = self._example
            yield Remark(
                "separators",
                "",
                f"ids have {shown(self.rule.separator)} more than once, as {shown(id_)}, whose "
                f"document is taken as {shown(document)}",
            )

    @property
    def has_passages(self) -> bool:
        """Whether the run has passages, as far as it is read.

        A pattern that makes no two documents of a topic one only takes something from the ids.
        """
        if self.rule.pattern is None:
            return True
        return any(passages != documents for passages, documents in self._counts.values())

    @property
    def documents_of_topic(self) -> float:
        """The median number of documents of the topics that have one; 0 before the run is read."""
        counts = [documents for _, documents in self._counts.values() if documents]
        return float(np.median(counts)) if counts else 0.0
