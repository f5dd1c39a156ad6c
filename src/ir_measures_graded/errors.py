"""Errors in user input, all under one subclass of `ValueError`, and the warning about taken
names."""

import logging
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Final, NamedTuple

PACKAGE: Final = "."
"""The package that users give to pip: a clone of the repository. A release on a package index sets
the name of the distribution, and the commands in messages and on the pages follow.
"""


class GradedError(ValueError):
    """A measure, parameter, qrels or run cannot be used; the message says what to change."""


class FileError(GradedError):
    """A file cannot be used; the message names the file and, if possible, the line."""


class WholeLevelsError(GradedError):
    """Measures take whole levels, and a level is none.

    `reason` is the message without advice. `levels` are those of the qrels.
    """

    reason: str = ""
    levels: "tuple[float, ...]" = ()


class NotApplicableError(GradedError):
    """A measure does not fit the analysis or the gains; the message gives the reason."""


class UnknownMeasureError(GradedError, NameError):
    """No measure has that name. Also a `NameError`, which ``ir_measures.parse_measure`` raises."""


class RegistrationWarning(UserWarning):
    """A measure, provider or collection of this package is not registered because its name is
    taken.
    """


class InputWarning(UserWarning):
    """Qrels, a run or a measure is unusual; the values are those of the definitions.

    `remarks` are those that the text consists of, if the warning is about remarks.
    """

    remarks: "tuple[Remark, ...]" = ()


class EmptyRunWarning(InputWarning):
    """A run in memory has no row, so no topic has a document. An empty file is an error instead."""


ON_COLUMNS = "columns"
"""The kind of the remark on columns that are read by the words of their names."""
EQUAL_SCORES = "equal scores"
"""The kind of the remark on a run in which all scores of a topic are equal."""
BY_NAME = "names of files"
"""The kind of the remark that the files of a folder answer the queries of their names."""


class Remark(NamedTuple):
    """An unusual property of qrels, a run or a measure, which the values do not show.

    - `kind`: the property, the same word for all runs and versions, such as ``unjudged``.
    - `subject`: the name of the run, the measure or the qrels; empty for the qrels of a run's
      remark.
    - `text`: one sentence without the subject and without a full stop.
    - `share`: the share that the text begins with, as in ``40 % of`` or ``2 of``, if the remark may
      be one for several runs. The text may end with advice behind a semicolon.
    - `topics`: all topics that it is about; the text names the first ones.

    Readers and runs return remarks, a result keeps them as its `remarks`, and every format shows
    them. A public function issues them as warnings (`InputWarning`), once.
    """

    kind: str
    subject: str
    text: str
    share: float | None = None
    topics: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}" if self.subject else self.text


def level_of_caller() -> int:
    """The level, in the stack of the function that calls this one, of the code that called the
    package.
    """
    frames = [sys._getframe(1)]
    while outer := frames[-1].f_back:
        frames.append(outer)
    package = __name__.partition(".")[0]
    last_of_ours = 0
    for level, frame in enumerate(frames):
        if frame.f_globals.get("__name__", "").startswith(package):
            last_of_ours = level
    return 2 + last_of_ours


LONGEST = 80  # characters after which a value in an error message is cut off
LONGEST_SHOWN = 1 << 12  # characters of a text that is looked at for a message


def shown(value: object) -> str:
    """The `repr` of a value for an error message, cut off if it is long.

    >>> shown("d1"), len(shown("d" * 1000))
    ("'d1'", 80)
    """
    if isinstance(value, (str, bytes)):  # the copy of a long one would take memory
        value = value[:LONGEST_SHOWN]
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write a whole number of more than 4300 digits
        return "a number of thousands of digits"
    except RecursionError:
        return f"<deeply nested {type(value).__name__}>"
    if "\n" in text:  # of a table or an array; a message has one line
        text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]}…{text[-1]}"


def quoted(word: str) -> str:
    """A word as a shell needs it, for a command in an error message.

    >>> quoted("runs/bm25.txt"), quoted("a b")
    ('runs/bm25.txt', "'a b'")
    """
    from shlex import quote  # This import takes time.

    return quote(word)


_HAS_SUGGESTIONS: ContextVar[bool] = ContextVar("messages have suggestions", default=True)


@contextmanager
def without_suggestions() -> Iterator[None]:
    """Raise errors in this block without similar names, whose search takes a millisecond."""
    token = _HAS_SUGGESTIONS.set(False)
    try:
        yield
    finally:
        _HAS_SUGGESTIONS.reset(token)


def similar_names(name: str, names: Iterable[str], most: int = 1, cutoff: float = 0.6) -> list[str]:
    """Some of the `names` that are similar, the most similar first; upper and lower case do not
    matter.

    >>> similar_names("BM52", ["bm25", "random"])
    ['bm25']
    """
    if not _HAS_SUGGESTIONS.get():
        return []
    from difflib import get_close_matches  # This import takes time. Only mistakes need it.

    name_of_lower = {other.lower(): other for other in reversed(list(names))}
    similar = get_close_matches(name.lower(), name_of_lower, n=most, cutoff=cutoff)
    return [name_of_lower[lower] for lower in similar]


def did_you_mean(
    name: str, names: Iterable[str], most: int = 1, cutoff: float = 0.6, prefix: str = ""
) -> str:
    """The end of a message that suggests some of the `names`, at most so many; empty if none is
    similar.

    Upper and lower case do not matter. Each suggestion is shown with the `prefix`.

    >>> did_you_mean("BM52", ["bm25", "random"]), did_you_mean("x", ["bm25"])
    ('; did you mean bm25?', '')
    """
    similar = similar_names(name, names, most, cutoff)
    if not similar:
        return ""
    suggestions = [prefix + other for other in similar]
    return f"; did you mean {' or '.join(suggestions)}?"


def needed(module: str, what: str, extra: str = "tables") -> Any:
    """The module of an extra. Raises `GradedError`, which says what needs it, if it is not
    installed. The message has the command that installs the extra.

    >>> needed("json", "a doctest").loads("1")
    1
    """
    try:
        return import_module(module)
    except ImportError:
        where = " in a clone of the repository" if PACKAGE == "." else ""
        raise GradedError(
            f"{what} needs {module.partition('.')[0]}, which is not installed: "
            f"pip install '{PACKAGE}[{extra}]'{where}"
        ) from None
    except Exception as error:  # settings of the user may be wrong, such as MPLBACKEND
        library = module.partition(".")[0]
        raise GradedError(f"{what} needs {library}, whose import fails: {error}") from None


def warn_of_registration(message: str) -> None:
    """Issue a `RegistrationWarning`. If warnings are errors, log it: no import may fail for a
    name.
    """
    try:
        warnings.warn(message, RegistrationWarning, stacklevel=2)
    except RegistrationWarning:
        logging.getLogger("ir_measures_graded").warning(message)
