"""Qrels and runs as tables (`Role`), and the names that libraries give to their columns.

Names are compared without case, and ``camelCase``, blanks, hyphens and dots count as underscores.
"""

import re
import sys
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ...errors import FileError, GradedError, shown

MOST_COLUMNS = 10_000  # of a table; each is compared with all names


class Role(NamedTuple):
    """Qrels or a run: their name, the column of the values, and the name of a value in messages.

    Values from `lowest` to `highest` are allowed, and `rule` says so.
    """

    kind: str
    value: str
    number: str
    lowest: float
    highest: float
    rule: str

    @property
    def columns(self) -> list[str]:
        """The names of the columns of topics, documents and values."""
        return ["query_id", "doc_id", self.value]

    def refused(self, values: np.ndarray) -> np.ndarray:
        """The rows whose value is not allowed."""
        # The minimum and the maximum of an array with NaN are NaN.
        lowest = values.min(initial=np.inf)
        highest = values.max(initial=-np.inf)
        if self.lowest <= lowest and highest <= self.highest:
            return np.empty(0, np.int64)
        is_allowed = (self.lowest <= values) & (values <= self.highest)
        return np.flatnonzero(~is_allowed)


LARGEST = sys.float_info.max
NO_ITERATION = {b"0", b"Q0"}
"""The second fields of TREC qrels without intents."""
QRELS = Role(
    kind="qrels",
    value="relevance",
    number="level",
    lowest=-LARGEST,
    highest=LARGEST,
    rule="the level is {}; a level is a finite number",
)
RUN = Role(
    kind="run",
    value="score",
    number="score",
    lowest=-np.inf,
    highest=np.inf,
    rule="the score is NaN, which cannot be ranked; use a number (infinities are allowed)",
)
INTENTS = ("iteration", "probability")
"""The columns that qrels may have: the intent of each judgment, and its probability."""

# The names of each column under our name, in groups; columns with two names of a group are refused.
# A name counts only if there is none of an earlier group. BEIR's query-id, corpus-id and score are
# among them.
NAMES = {
    ours: [group.split() for group in groups.split(",")]
    for ours, groups in {
        "query_id": "query_id, qid, q_id topic_id topic turn_id, query_text query",
        "doc_id": "doc_id, docno, docid corpus_id pid passage_id document_id document",
        "relevance": "relevance, label, rating rel level grade judgment gain, score",
        "score": "score, sim _score, rank doc_position",
        "iteration": "iteration, subtopic_id",
        "probability": "probability",
        "run": "run, run_name run_id system tag",
        "measure": "measure, metric metric_name",
        "value": "value, score metric_value",
    }.items()
}
LAST_RESORTS = {ours: set(NAMES[ours][-1]) for ours in ("query_id", "relevance", "score")}
"""Names that count only without any other name, and that often are of another meaning."""
NUMBERS = {QRELS.value, RUN.value, "probability"}  # the columns of numbers; all others are text


def plain(name: Any) -> str:
    """A name in lower case, with underscores.

    >>> [plain(name) for name in ("query-id", "Query Text", "docId")]
    ['query_id', 'query_text', 'doc_id']
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(name).strip())
    return re.sub(r"[ .-]", "_", words).lower()


def is_rank(name: Any) -> bool:
    """Whether this is the name of a column of ranks; scores are then the ranks with the sign
    reversed.
    """
    return plain(name) in NAMES["score"][-1]


def may_name(ours: str, name: Any) -> bool:
    """Whether a column of this name is the one that we name `ours`, even beside others.

    The text of a query names a topic, and a rank a score, only if no other column does.

    >>> may_name("query_id", "qid"), may_name("query_id", "query")
    (True, False)
    """
    names = set(chain(*NAMES[ours]))
    return plain(name) in names - LAST_RESORTS.get(ours, set())


def is_quepid(names: Sequence[str]) -> bool:
    """Whether these are the columns of a file that Quepid exports. It lists unjudged documents."""
    plain_names = {plain(name) for name in names}
    has_query = bool({"query", "query_text"} & plain_names)
    has_document = bool({"docid", "doc_id"} & plain_names)
    return "rating" in plain_names and has_query and has_document


def is_known(name: str, role: Role) -> bool:
    """Whether this can be the name of a column of topics, documents or values."""
    return any(plain(name) in chain(*NAMES[ours]) for ours in role.columns)


class Chosen(NamedTuple):
    """The choices of a user for a file.

    `run_column` names the run of each row. `unjudged` has the texts in place of a level that mean
    an unjudged document. In a run that is `ascending`, smaller scores are better.
    """

    run_column: str | None = None
    unjudged: tuple[bytes, ...] = ()
    ascending: bool = False

    def refuse_unread(self, file: str) -> None:
        """Raise `FileError` for a column of runs in a file without names of columns."""
        if self.run_column:
            column = self.run_column
            raise FileError(
                f"{file}: the file has no columns with names, and so no column {column}"
            )


def column_names(where: str, names: Sequence[Any], role: Role) -> list[Any]:
    """The names of the columns of topics, documents and values, in this order.

    `names` are all columns of the source, and `where` names the source in errors. Raises
    `GradedError` for a column that is missing, that occurs twice or that has two names.
    """
    return [required_column(where, names, ours) for ours in role.columns]


def required_column(where: str, names: Sequence[Any], ours: str) -> Any:
    """The column that we name `ours`. Raises as `column_names`."""
    name = column_name(where, names, ours)
    if name is None:
        others = ", ".join(group[0] for group in NAMES[ours][1:3])
        raise GradedError(f"{where} has no column {ours} (or {others} …); it has {_listed(names)}")
    return name


def column_name(where: str, names: Sequence[Any], ours: str) -> Any:
    """The column that we name `ours`, None if there is none. Raises as `column_names`."""
    if len(names) > MOST_COLUMNS:
        raise GradedError(f"{where} has {len(names):,} columns; at most {MOST_COLUMNS:,} are read")
    for group in NAMES[ours]:
        fitting = [name for name in names if plain(name) in group]
        if len({plain(name) for name in fitting}) > 1:
            raise GradedError(
                f"{where} has both {fitting[0]} and {fitting[1]}; name one of them {ours}"
            )
        if len(fitting) > 1:
            raise GradedError(
                f"{where} has {len(fitting)} columns named {fitting[0]} instead of one"
            )
        if fitting:
            return fitting[0]
    return None


def file_columns(
    file: str, names: Sequence[str], role: Role, chosen: Chosen
) -> tuple[dict[str, str], bool]:
    """The columns of a file that are read, by our name of each, and whether the values are ranks.

    These are the three columns of `column_names`, the iteration of qrels and the probability of
    their intents if there are any, and the column that names the run of each row: that of `chosen`,
    or by default ``run`` or a similar name if there is one. Raises `FileError` for a column that is
    missing or occurs twice, and for a column of runs that is one of the three.
    """
    run = chosen.run_column if role is RUN else None
    if run and run not in names:
        raise FileError(f"{file} has no column {run}; it has {_listed(names)}")
    try:
        by_ours = dict(zip(role.columns, column_names(file, names, role), strict=True))
        if role is QRELS:
            for ours in INTENTS:
                by_ours[ours] = column_name(file, names, ours)
        else:
            by_ours["run"] = run or column_name(file, names, "run")
    except GradedError as error:
        raise FileError(f"{error}; it needs query_id, doc_id and {role.value}") from None
    columns = {ours: name for ours, name in by_ours.items() if name is not None}
    *values, last = columns.values()
    if "run" in columns and last in values:
        raise FileError(f"{file}: the column {last} cannot also name the runs")
    return columns, role is RUN and is_rank(columns["score"])


def _listed(names: Sequence[Any]) -> str:
    return shown(", ".join(map(str, names)))[1:-1] or "no columns"
