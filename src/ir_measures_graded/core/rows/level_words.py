"""Levels that are words: the numbers that a user names for them, or the option to do so.

The numbers hold for all qrels that are read in a block `words_as_levels`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from ...errors import FileError, GradedError, quoted, shown

_LEVELS: ContextVar[Mapping[str, float] | None] = ContextVar("levels of words", default=None)
MOST_WORDS = 12
"""A message lists so many words."""
LONGEST_WORD = 60
"""The characters of the longest word for which a message proposes the option."""
LADDER = (
    ("bad", "i", "irrelevant", "n", "no", "non relevant", "none", "not relevant", "poor", "false"),
    (
        *("c", "complement", "fair", "low", "marginal", "marginally relevant", "partial"),
        *("partially relevant", "partly relevant", "related", "slightly relevant"),
        "somewhat relevant",
    ),
    ("fairly relevant", "good", "medium", "relevant", "s", "substitute", "true", "y", "yes"),
    ("e", "exact", "excellent", "high", "highly relevant", "very relevant"),
    ("perfect", "perfectly relevant", "vital"),
)
"""Usual words for levels, the lowest first."""


def plain(word: str) -> str:
    """A word as words are compared: without case, and with one blank for - and _.

    >>> plain(" Highly-Relevant")
    'highly relevant'
    """
    return " ".join(word.casefold().replace("-", " ").replace("_", " ").split())


class NamedLevels(dict[str, float]):
    """The numbers of levels by plain words, and whether a word `was_read`."""

    was_read = False


class _UnnamedWords(NamedLevels):
    """The numbers that a user names, and 0 for any other word, which is kept in `words`."""

    def __init__(self, levels: Mapping[str, float]):
        super().__init__(levels)
        self.words: dict[str, None] = {}

    def level(self, word: str) -> float:
        """The level of a word, also of a number as text, which no user names."""
        if plain(word) not in self and not _is_number(word):
            self.words[word] = None
        return self.get(plain(word), 0.0)


def levels_named(levels: Any) -> NamedLevels:
    """The numbers by plain words, from a mapping. Raises `GradedError` for anything else.

    >>> levels_named({"Bad": 0, "Perfect": 3})
    {'bad': 0.0, 'perfect': 3.0}
    """
    if not isinstance(levels, Mapping) or not levels:
        raise GradedError(f"levels is a dict of words and their numbers, not {shown(levels)}")
    by_word = NamedLevels()
    for word, level in levels.items():
        if not isinstance(word, str) or _is_number(word):
            raise GradedError(
                f"levels: {shown(word)} is a number, and levels names words; gains= gives a level "
                "another gain"
            )
        is_number = isinstance(level, (int, float)) and not isinstance(level, bool)
        if not is_number or not math.isfinite(level):
            raise GradedError(f"levels: {word} is {shown(level)}; a level is a finite number")
        if not plain(word) or by_word.get(plain(word), level) != level:
            raise GradedError(f"levels: the word {shown(word)} is empty, or has two levels")
        by_word[plain(word)] = float(level)
    return by_word


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


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
    if isinstance(levels, _UnnamedWords):
        return levels.level(word)
    level = levels.get(plain(word))
    if level is not None and isinstance(levels, NamedLevels):
        levels.was_read = True
    return level


@contextmanager
def unnamed_words() -> Iterator[dict[str, None]]:
    """Read qrels in this block with any words as levels. It has those that the user does not name.

    >>> with words_as_levels({"bad": 0.0}), unnamed_words() as words:
    ...     level_of("Bad"), level_of("Good"), level_of("2")
    (0.0, 0.0, 0.0)
    >>> list(words)
    ['Good']
    """
    levels = _UnnamedWords(named_levels())
    with words_as_levels(levels):
        yield levels.words


def named_levels() -> Mapping[str, float]:
    """The levels that the user names, by plain words; empty if the user names none."""
    return _LEVELS.get() or {}


def has_level_words() -> bool:
    """Whether the user names the levels of words."""
    return _LEVELS.get() is not None


def about_words(words: Iterable[Any]) -> str:
    """The end of the message that a level is a word: the option that names levels of all words.

    >>> about_words(["Fair", "Bad", "Perfect", "Bad"])
    '; name the levels of the words: --levels Bad:0,Fair:1,Perfect:2 (levels= of read_qrels)'
    >>> about_words(["hit", "miss"])
    "; name the levels of the words: --levels 'hit:…,miss:…' (levels= of read_qrels)"
    """
    texts = dict.fromkeys(word.strip() for word in words if isinstance(word, str))
    new_words = [word for word in texts if word and not _is_number(word)][:MOST_WORDS]
    if not new_words or max(map(len, new_words)) > LONGEST_WORD:
        return ""
    levels = _LEVELS.get()
    if levels is not None:
        named = ", ".join(levels)
        others = ", ".join(shown(word) for word in new_words if plain(word) not in levels)
        return f"; --levels names {named}, and not {others}" if others else ""
    pairs = ",".join(f"{word}:{level}" for word, level in _proposed(new_words))
    return f"; name the levels of the words: --levels {quoted(pairs)} (levels= of read_qrels)"


def _proposed(words: list[str]) -> list[tuple[str, str]]:
    """Each word with its usual level, the lowest first; with … if one of them is not usual."""
    rungs = {word: rung for rung, usual in enumerate(LADDER) for word in usual}
    rung_of = {word: rungs[plain(word)] for word in words if plain(word) in rungs}
    if len(rung_of) < len(words):
        return [(word, "…") for word in words]
    order = sorted(set(rung_of.values()))
    first = 0
    if order[0]:
        first = 1
    in_order = sorted(words, key=rung_of.__getitem__)
    return [(word, str(first + order.index(rung_of[word]))) for word in in_order]


OfWords = TypeVar("OfWords", bound="WordError")


class WordError(GradedError):
    """A level is a word without a number.

    `reason` is the message without the words and the option for them.
    """

    reason: str = ""

    @classmethod
    def of(cls: type[OfWords], reason: str, words: Iterable[Any]) -> OfWords:
        """The error with the option for these words in its message."""
        error = cls(f"{reason}{about_words(words)}")
        error.reason = reason
        return error


class WordInFileError(WordError, FileError):
    """The same in a file."""
