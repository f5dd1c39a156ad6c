"""Fonts for names with characters that Matplotlib's own font lacks, such as Japanese ones.

An SVG keeps its text, and the browser finds a font. The pixels of a PNG and the letters of a PDF
need a font that is installed here.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ...errors import level_of_caller
from ..formats import listed

if TYPE_CHECKING:
    from matplotlib.text import Text

FAMILY: Final = "DejaVu Sans"
"""Matplotlib's own font."""
FAMILIES: Final = re.compile(
    r"CJK|Han Sans|Gothic|Hiragino|PingFang|Heiti|Hei$|YaHei|Malgun|Nanum|Unicode|Unifont|"
    r"^Noto Sans|^Noto Emoji|^FreeSans|^Nirmala|^Leelawadee|^Mangal|^Symbola"
)
"""Families that have the characters of other scripts, if they are installed."""
CJK: Final = "Noto Sans CJK"
EMOJI: Final = "Noto Emoji"


@cache
def own_font() -> Any:
    """Matplotlib's own font."""
    from matplotlib.font_manager import findfont, get_font

    return get_font(findfont(FAMILY))


@cache
def _installed() -> dict[str, Any]:
    """The fonts of `FAMILIES` that are installed, by family."""
    from matplotlib.font_manager import findfont, fontManager, get_font

    families = sorted({entry.name for entry in fontManager.ttflist})
    return {name: get_font(findfont(name)) for name in families if FAMILIES.search(name)}


def lacking(text: str) -> set[str]:
    """The characters of a text that Matplotlib's own font lacks.

    >>> sorted(lacking("κ of 検索\\n"))
    ['検', '索']
    """
    if text.isascii():
        return set()
    font = own_font()
    letters = {letter for letter in text if letter not in "\t\n\r"}
    return {letter for letter in letters if not font.get_char_index(ord(letter))}


def families_with(letters: Collection[str]) -> tuple[list[str], set[str]]:
    """Installed families that have the characters, and the characters that none has."""
    families = []
    others = set(letters)
    while others:
        covered = {
            family: {letter for letter in others if font.get_char_index(ord(letter))}
            for family, font in _installed().items()
        }
        best = max(covered, key=lambda family: len(covered[family]), default=None)
        if best is None or not covered[best]:
            break
        families.append(best)
        others -= covered[best]
    return families, others


def use_installed_fonts(texts: Iterable[Text]) -> None:
    """Let texts that Matplotlib's own font cannot draw use other installed fonts as well.

    One warning names the characters that no installed font has.
    """
    lacking_of = [(text, lacking(text.get_text())) for text in texts]
    incomplete = [(text, letters) for text, letters in lacking_of if letters]
    if not incomplete:
        return
    families, missing = families_with(set().union(*(letters for _, letters in incomplete)))
    for text, _ in incomplete:
        text.set_fontfamily([FAMILY, *families])
    if missing:
        letters_first = sorted(missing, key=lambda sign: (not sign.isalpha(), sign))
        fonts = sorted(set(map(_font_with, missing)))
        warnings.warn(
            f"no installed font has the characters {listed(letters_first, 5)}, which are boxes in "
            f"the figure: install {listed(fonts)}, or write an SVG",
            UserWarning,
            stacklevel=level_of_caller(),
        )


def _font_with(letter: str) -> str:
    """A free font that has a character.

    >>> _font_with("検"), _font_with("검"), _font_with("श"), _font_with("🙂")
    ('Noto Sans CJK', 'Noto Sans CJK', 'Noto Sans Devanagari', 'Noto Emoji')
    """
    if unicodedata.category(letter) == "So":
        return EMOJI
    if unicodedata.east_asian_width(letter) in "WF":
        return CJK
    script = unicodedata.name(letter, "").partition(" ")[0].title()
    return f"Noto Sans {script}".strip()
