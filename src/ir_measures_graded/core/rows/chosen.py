"""The choices of a user: those for a file, such as the names of its columns (`Chosen`), and the
levels that words mean.

`columns` finds the columns of a file by the choices; `level_words` has messages on words.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from ...errors import FileError, GradedError, shown
from .roles import RUN

RANK = "rank"
"""Our name of a column of ranks, which a user may name in place of the scores."""
JUDGE = "judge"
"""Our name of a column with the judge of each row, which only the comparison of judges reads."""
OUR_NAMES = (
    *("query_id", "doc_id", "relevance", "score", RANK, "iteration", "probability", "run"),
    *("measure", "value", JUDGE),
)
"""Our names of the columns that a user may name."""

_LEVELS: ContextVar[Mapping[str, float] | None] = ContextVar("levels of words", default=None)
_READ: ContextVar[set[tuple[str, str]] | None] = ContextVar("chosen columns that are read")


@contextmanager
def chosen_names_read() -> Iterator[set[tuple[str, str]]]:
    """The pairs of our names and those of a user that a file has which is read in this block.

    >>> with chosen_names_read() as read:
    ...     Chosen(columns=(("query_id", "user"),)).named("a.csv", ["user"], "query_id")
    'user'
    >>> read
    {('query_id', 'user')}
    """
    read: set[tuple[str, str]] = set()
    token = _READ.set(read)
    try:
        yield read
    finally:
        _READ.reset(token)


def note_read(ours: str, theirs: str) -> None:
    """Note for `chosen_names_read` that a file has this column, which the user names."""
    read = _READ.get(None)
    if read is not None:
        read.add((ours, theirs))


class SharedName(NamedTuple):
    """Our name of a column and its name in at least one of the files of a command.

    A file without this name may have a usual one.
    """

    ours: str
    theirs: str


class Chosen(NamedTuple):
    """The choices of a user for a file.

    `run_column` names the run of each row. `unjudged` has the texts in place of a level that mean
    an unjudged document. In a run that is `ascending`, smaller scores are better. `columns` are
    pairs of our name of a column and the name in the file; a column may have several names, of
    which a file has one. The column of the name `RANK` has ranks in place of scores. They are not
    used for a file without names of columns. `passages_column` has the document of each passage in
    a run of passages.
    """

    run_column: str | None = None
    unjudged: tuple[bytes, ...] = ()
    ascending: bool = False
    columns: tuple[tuple[str, str], ...] = ()
    passages_column: str | None = None

    def names(self, ours: str) -> list[str]:
        """The names that a column has in the files of the user; none by default."""
        return [theirs for name, theirs in self.columns if name == ours]

    def names_of_value(self, ours: str) -> list[str]:
        """The same; ranks stand for scores."""
        names = self.names(ours)
        if ours == RUN.value:
            names += self.names(RANK)
        return names

    def named(self, file: str, names: Sequence[Any], ours: str) -> Any:
        """The column of a file that the user names; None if the user names none.

        Raises `GradedError` if the file has none or several of these names.
        """
        choices = self.names(ours)
        if not choices:
            return None
        present = [name for name in names if name in choices]
        if not present:
            raise GradedError(
                f"{file} has no column {' or '.join(choices)}; it has {listed_columns(names)}"
            )
        if len(present) > 1:
            raise GradedError(
                f"{file} has {len(present)} columns {' and '.join(present)} as {ours}"
            )
        note_read(ours, present[0])
        return present[0]

    def refuse_unread(self, file: str) -> None:
        """Raise `FileError` for a column of runs in a file without names of columns."""
        column = self.run_column or self.passages_column
        if column:
            raise FileError(
                f"{file}: the file has no columns with names, and so no column {column}"
            )


NOTHING_CHOSEN = Chosen()


def listed_columns(names: Sequence[Any]) -> str:
    """The names of the columns of a file, for a message."""
    return shown(", ".join(map(str, names)))[1:-1] or "no columns"


def columns_named(columns: Any) -> tuple[tuple[str, str], ...]:
    """The pairs of our names of columns and the names in files, from a mapping or pairs.

    A value of the mapping is a name or several. Raises `GradedError` for anything else.

    >>> columns_named({"query_id": "user", "score": ["sim", "cosine"]})
    (('query_id', 'user'), ('score', 'sim'), ('score', 'cosine'))
    """
    if columns is None:
        return ()
    pairs: list[tuple[str, str]] = []
    items = list(columns.items()) if isinstance(columns, Mapping) else columns
    if not isinstance(items, (list, tuple)):
        raise GradedError(
            f"columns is a dict of our names and those of the file, not {shown(columns)}"
        )
    for item in items:
        if not isinstance(item, tuple) or len(item) != 2:
            raise GradedError(
                f"columns is a dict of our names and those of the file, not {shown(columns)}"
            )
        ours, theirs = item
        pair = SharedName if isinstance(item, SharedName) else _pair
        if ours not in OUR_NAMES:
            raise GradedError(
                f"columns: {shown(ours)} is no column; the columns are {', '.join(OUR_NAMES)}, as "
                "in query_id=user"
            )
        names = theirs if isinstance(theirs, (list, tuple)) else [theirs]
        for name in names:
            if not isinstance(name, str):
                raise GradedError(f"columns: {ours} is the name of a column, not {shown(name)}")
            pairs.append(pair(ours, name))
    return tuple(pairs)


def _pair(ours: str, theirs: str) -> tuple[str, str]:
    return ours, theirs


class NamedLevels(dict[str, float]):
    """The numbers of levels by plain words, and whether a word `was_read`."""

    was_read = False

    def level(self, word: str) -> float | None:
        """The level of a word that is read; None if none is named."""
        level = self.get(plain_word(word))
        if level is not None:
            self.was_read = True
        return level


def plain_word(word: str) -> str:
    """A word as words are compared: without case, and with one blank for - and _.

    >>> plain_word(" Highly-Relevant")
    'highly relevant'
    """
    return " ".join(word.casefold().replace("-", " ").replace("_", " ").split())


@contextmanager
def words_as_levels(levels: Mapping[str, float] | None) -> Iterator[None]:
    """Read words in qrels as these levels in this block; the words are plain. None changes nothing.

    >>> with words_as_levels({"bad": 0.0}):
    ...     level_of("Bad"), level_of("Good")
    (0.0, None)
    """
    if levels is None:
        levels = _LEVELS.get()
    token = _LEVELS.set(levels)
    try:
        yield
    finally:
        _LEVELS.reset(token)


def level_of(word: Any) -> float | None:
    """The level of a word; None for any other value, and if none is named."""
    levels = _LEVELS.get()
    if levels is None or not isinstance(word, str):
        return None
    if isinstance(levels, NamedLevels):
        return levels.level(word)
    return levels.get(plain_word(word))


def named_levels() -> Mapping[str, float]:
    """The levels that the user names, by plain words; empty if the user names none."""
    return _LEVELS.get() or {}


def has_level_words() -> bool:
    """Whether the user names the levels of words."""
    return _LEVELS.get() is not None
