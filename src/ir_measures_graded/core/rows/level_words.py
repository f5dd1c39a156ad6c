"""Levels that are words: the numbers for them in an option, and messages that propose the option.

`chosen` has the numbers while qrels are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from ...errors import FileError, GradedError, quoted, shown
from .chosen import NamedLevels, has_level_words, named_levels, plain_word, words_as_levels

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


class _UnnamedWords(NamedLevels):
    """The numbers that a user names, and 0 for any other word, which is kept in `words`."""

    def __init__(self, levels: Mapping[str, float]):
        super().__init__(levels)
        self.words: dict[str, None] = {}

    def level(self, word: str) -> float:
        """The level of a word, also of a number as text, which no user names."""
        if plain_word(word) not in self and not _is_number(word):
            self.words[word] = None
        return self.get(plain_word(word), 0.0)


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
        if not plain_word(word) or by_word.get(plain_word(word), level) != level:
            raise GradedError(f"levels: the word {shown(word)} is empty, or has two levels")
        by_word[plain_word(word)] = float(level)
    return by_word


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


@contextmanager
def unnamed_words() -> Iterator[dict[str, None]]:
    """Read qrels in this block with any words as levels. It has those that the user does not name.

    >>> from ir_measures_graded.core.rows.chosen import level_of
    >>> with words_as_levels({"bad": 0.0}), unnamed_words() as words:
    ...     level_of("Bad"), level_of("Good"), level_of("2")
    (0.0, 0.0, 0.0)
    >>> list(words)
    ['Good']
    """
    levels = _UnnamedWords(named_levels())
    with words_as_levels(levels):
        yield levels.words


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
    if has_level_words():
        levels = named_levels()
        named = ", ".join(levels)
        others = ", ".join(shown(word) for word in new_words if plain_word(word) not in levels)
        return f"; --levels names {named}, and not {others}" if others else ""
    pairs = ",".join(f"{word}:{level}" for word, level in _proposed(new_words))
    return f"; name the levels of the words: --levels {quoted(pairs)} (levels= of read_qrels)"


def _proposed(words: list[str]) -> list[tuple[str, str]]:
    """Each word with its usual level, the lowest first; with … if one of them is not usual."""
    rungs = {word: rung for rung, usual in enumerate(LADDER) for word in usual}
    rung_of = {word: rungs[plain_word(word)] for word in words if plain_word(word) in rungs}
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
