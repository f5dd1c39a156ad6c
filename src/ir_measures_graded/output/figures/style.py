"""The style of all figures: sizes, colours, and the widths of texts.

Figures are Matplotlib `Figure` objects made without pyplot: they need no display and leave the
user's settings alone. Lines differ in colour, dashes and marker, so that they can be told apart in
black and white too. The colours are Okabe and Ito's palette, which readers with colour vision
deficiency can tell apart. They are legible on white; a dark page lifts them.
"""

from __future__ import annotations

import math
import re
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from ...errors import needed
from ..files import refuse_bad_date
from ..folding import fitting, width_of
from ..formats import WITHIN
from .fonts import lacking, own_font
from .formats import NEEDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE: Final = "#0072B2"
"""The colour of data that need no second one."""
ORANGE: Final = "#D55E00"
"""The colour of what is worse, or falls."""
GREY: Final = "#666666"
"""The colour of axes at 0 and of secondary text."""
LIGHT: Final = "#b4b4b4"
"""The colour of runs that are not singled out."""
RULE: Final = "#dddddd"
"""The colour of grids."""
TINT: Final = "#56B4E9"
"""The colour of a small or weak value beside a `BLUE` one."""
DARK_TEXT: Final = "#111111"
LIGHT_TEXT: Final = "#fefefe"
"""The colours of texts on coloured cells, on a light and on a dark page alike."""
SEQUENCE: Final = ("#eef4f9", "#a9cfe8", "#56a5d3", "#1b6fa8", "#003a63")
"""The colours of a heat map from its lowest to its highest value."""

SIZE: Final = 9.0
"""The size of text in points."""
LEAST_SIZE: Final = 7.0
"""The size of the smallest text in points."""
LINE: Final = 1.25 / 72
"""The height of a line of text in inches for each point of its size."""
MEASURED_SIZE: Final = 100.0
"""Texts are measured at this size: at a small one, widths of letters are rounded to pixels."""
HINTED: Final = 1.03
"""The widest that rounding to pixels makes a text."""
WIDTH_OF_OTHERS: Final = 1.16
"""The width, as a share of its height, of a letter that Matplotlib's own font lacks."""
LONGEST_NAME: Final = 44
"""Longer names lose characters in the middle."""

STYLE: Final = {
    "font.size": SIZE,
    "lines.markersize": 5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": SIZE,
    "axes.labelsize": 8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "savefig.dpi": 150,
    "text.parse_math": False,  # names may have dollar signs
    "svg.fonttype": "none",  # keep text as text, not as outlines
    "svg.hashsalt": "ir-measures-graded",
    "pdf.fonttype": 42,
}
"""What differs from Matplotlib's own style."""

# Yellow is left out of the palette because it is invisible on white.
# The numbers of colours, dashes and markers (7, 4 and 9) have no common divisor: the first 28 lines
# differ in colour or dashes, the first 252 in at least one of the three.
COLOURS: Final = (BLUE, ORANGE, "#009E73", "#CC79A7", TINT, "#E69F00", "#000000")
DASHES: Final[tuple[Any, ...]] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
MARKERS: Final = "os^Dv*PX<"
PALE: Final[dict[str, Any]] = {"color": LIGHT, "linewidth": 0.7, "zorder": 1}
"""The style of the lines of runs that are not singled out."""

UNDRAWABLE: Final = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
"""Characters that XML cannot hold or that Matplotlib cannot draw."""
_SETTINGS = threading.RLock()


@contextmanager
def _style() -> Iterator[None]:
    """Matplotlib with our settings, for one thread at a time, because its settings are global."""
    refuse_bad_date()
    needed(*NEEDS)
    import matplotlib.style

    with _SETTINGS, matplotlib.style.context(["default", STYLE]):
        yield


styled = _style()
"""Decorates a drawing function to use our style and leave Matplotlib's settings unchanged.

The decorated function raises `GradedError` if Matplotlib is not installed.
"""


def drawable(text: str) -> str:
    """The text with replacement characters for what XML cannot hold or Matplotlib cannot draw."""
    return re.sub(UNDRAWABLE, "\ufffd", text)


def _in_one_line(text: str) -> str:
    """The text with blanks for line breaks and tabs."""
    return re.sub("[\t\n\r]", " ", drawable(text))


# ---------------------------------------------------------------------------------- texts


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = SIZE) -> float:
    """The width of a line of text in inches.

    Letters that Matplotlib's own font lacks are those of another font or boxes.
    """
    text = _in_one_line(text)
    letters_of_others = lacking(text)
    measured = "".join(letter for letter in text if letter not in letters_of_others)
    font = own_font()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter may have no glyph
        font.set_size(MEASURED_SIZE, 72)
        font.set_text(measured)
    width, _ = font.get_width_height()
    of_others = (len(text) - len(measured)) * WIDTH_OF_OTHERS * size / 72
    return HINTED * float(width) / 64 / 72 * size / MEASURED_SIZE + of_others


def widest(texts: Iterable[str], size: float = SIZE) -> float:
    """The width of the widest text in inches; 0 without any."""
    return max((text_width(text, size) for text in texts), default=0.0)


THOUSANDS: Final = r"(?<=\d),(?=\d{3}(?![\d:]))"
"""The comma of a number such as 4,423."""
WORD: Final = rf"(?:[^ ,]|{WITHIN}|{THOUSANDS})*(?:[ ,]|$)"
"""What stands in one line: up to a blank or a comma, but not those of 52 %, κ .28 and 4,423."""


def in_lines(text: object, width: float, size: float = SIZE) -> list[str]:
    """A text in lines of at most `width` inches, broken after blanks and commas.

    A number stays whole and beside its sign: 4,423 and 52 %, κ .28. A word that is wider is broken
    after - _ / and (, and otherwise anywhere.

    >>> in_lines("4,423 documents, κ .28", 1.4)
    ['4,423 documents,', 'κ .28']
    >>> in_lines("of 4,423 documents", 0.5)
    ['of', '4,423', 'docum', 'ents']
    >>> in_lines("nDCG_JK(gains={1:1,2:10,3:100})@100", 2.0)
    ['nDCG_JK(gains={1:1,2:10,', '3:100})@100']
    >>> in_lines("best is a-long-name-of_a-run", 1.0)
    ['best is', 'a-long-name-', 'of_a-run']
    """
    lines = [""]
    for word in re.findall(WORD, _in_one_line(str(text))):
        pieces = [word]
        if text_width(word.rstrip(), size) > width:
            pieces = re.findall(r"[^-_/(]*(?:[-_/(]|$)", word)
            if lines[-1]:
                lines.append("")
        for piece in pieces:
            _append_piece(lines, piece, width, size)
    return [line.rstrip() for line in lines if line.strip()]


def _append_piece(lines: list[str], piece: str, width: float, size: float) -> None:
    """Append a piece to the last line, or as a new one; a piece that is wider than a line is broken
    anywhere.
    """
    if text_width(f"{lines[-1]}{piece.rstrip()}", size) <= width:
        lines[-1] += piece
        return
    if lines[-1]:
        lines.append("")
    for letter in piece:
        if lines[-1] and text_width(lines[-1] + letter.rstrip(), size) > width:
            lines.append("")
        lines[-1] += letter


def shortened(name: object, longest: int = LONGEST_NAME) -> str:
    """A name that fits beside a drawing; a long one loses characters in the middle.

    Wide characters count as two. A line break becomes a blank, as in tables.

    >>> shortened("bm\\n25"), shortened("a" * 60 + "z", longest=8), shortened("検索" * 5, longest=8)
    ('bm 25', 'aaaaa…az', '検索…索')
    """
    text = _in_one_line(str(name))
    if width_of(text) <= longest:
        return text
    end = longest // 3
    first = text[: fitting(text, longest - end - 1)]
    last = text[-fitting(text[::-1], end) :]
    return f"{first}…{last}"


def spread(wanted: Sequence[float], gap: float, lowest: float, highest: float) -> list[float]:
    """Ascending positions as near as possible to the wanted ones, at least `gap` apart.

    They are between `lowest` and `highest` if there is room for all.

    >>> spread([1.0, 1.0, 5.0], 1.0, 0.0, 5.5)
    [0.5, 1.5, 5.0]
    """
    clusters: list[list[float]] = []  # the sum of the wanted first positions, and the size
    for number, position in enumerate(wanted):
        clusters.append([position - number * gap, 1])
        while len(clusters) > 1 and _mean(clusters[-2]) > _mean(clusters[-1]):
            total, size = clusters.pop()
            clusters[-1][0] += total
            clusters[-1][1] += size
    last = highest - (len(wanted) - 1) * gap
    firsts: list[float] = []
    for cluster in clusters:
        first = max(lowest, min(last, _mean(cluster)))
        firsts += [first] * int(cluster[1])
    return [first + number * gap for number, first in enumerate(firsts)]


def _mean(cluster: Sequence[float]) -> float:
    return cluster[0] / cluster[1]


def size_of_names(count: int) -> float:
    """The size in points of the names of so many rows."""
    if count <= 30:
        return 8.5
    return 7.5 if count <= 60 else LEAST_SIZE


def height_of_rows(count: int) -> float:
    """The height in inches of each of so many rows with a name."""
    return size_of_names(count) * LINE * 1.25


# Lines and colours


def line_style(number: int) -> dict[str, Any]:
    """Colour, dashes and marker of line `number`, counted from 0, as arguments of `Axes.plot`."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
        "marker": MARKERS[number % len(MARKERS)],
    }


def run_styles(runs: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The line style of each run.

    It depends on the set of runs, not on their order: a run looks the same in all figures of a
    collection.

    >>> run_styles(["B", "A"])["A"] == line_style(0)
    True
    """
    return {run: line_style(number) for number, run in enumerate(sorted(runs))}


@cache
def colour_map(count: int = 0) -> Any:
    """The colours of `SEQUENCE`, as so many steps or continuous."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("graded", list(SEQUENCE), N=count or 256)


def colour_of_text(share: float) -> str:
    """The colour of a text on the colour at a share from 0 to 1 of `SEQUENCE`.

    A dark page shows these colours brighter, so that both texts have a contrast of at least 3.4.
    """
    return LIGHT_TEXT if share > 0.75 else DARK_TEXT


def level_colours(levels: Sequence[float]) -> dict[float, Any]:
    """The colour of each level; levels of at most 0 are the lightest."""
    return {level: colour_map()(share) for level, share in shares_of_levels(levels).items()}


def shares_of_levels(levels: Sequence[float]) -> dict[float, float]:
    """Where each level is in `SEQUENCE`, from 0 to 1, by its place among the levels above 0.

    >>> shares_of_levels([0, 1, 100])
    {0: 0.0, 1: 0.5, 100: 1.0}
    """
    ordered = sorted(levels)
    above = [level for level in ordered if level > 0]
    shares = dict.fromkeys(ordered, 0.0)
    for place, level in enumerate(above, start=1):
        shares[level] = place / len(above)
    return shares


# ---------------------------------------------------------------------------------- names of rows

DOWNWARDS: Final[dict[str, Any]] = {
    "rotation": 90, "rotation_mode": "anchor", "ha": "right", "va": "center"
}  # fmt: skip
"""A text that is turned and ends at its place, above.

Without the mode, an SVG would hold the place of its lower end, which depends on the font.
"""
PAD: Final = 0.06
"""The distance in inches from a name to the axes."""


def name_rows(axes: Axes, rows: Iterable[float], names: Iterable[str], size: float) -> None:
    """The names of rows at the left of the axes.

    Ticks with labels would take five times as long.
    """
    axes.set_yticks([])
    inside = -PAD / _inches(axes)[0]
    for row, name in zip(rows, names, strict=True):
        axes.text(
            inside, row, name, size=size, ha="right", va="center",
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip


def name_columns(
    axes: Axes, columns: Iterable[float], names: Iterable[str], size: float, upright: bool
) -> None:
    """The names of columns below the axes, upright or not."""
    axes.set_xticks([])
    below = -PAD / _inches(axes)[1]
    place = DOWNWARDS if upright else {"ha": "center", "va": "top"}
    for column, name in zip(columns, names, strict=True):
        axes.text(
            column, below, name, size=size, transform=axes.get_xaxis_transform(), **place
        )  # fmt: skip


def _inches(axes: Axes) -> tuple[float, float]:
    """The width and the height of axes in inches."""
    box = axes.get_position()
    figure: Any = axes.figure
    width, height = figure.get_size_inches()
    return box.width * width, box.height * height


# ---------------------------------------------------------------------------------- figures


def panels(figure: Figure, count: int, across: int, **shared: Any) -> list[Axes]:
    """Axes for `count` panels, at most `across` side by side."""
    across = min(count, across)
    down = math.ceil(count / across)
    grid = figure.subplots(down, across, squeeze=False, **shared)
    axes: list[Axes] = grid.ravel().tolist()
    for unused in axes[count:]:
        unused.remove()
    return axes[:count]


def legend_names(names: Iterable[str]) -> list[str]:
    """The names as a legend shows them.

    Matplotlib hides a name that begins with an underscore, so a space precedes it.
    """
    return [re.sub(r"^(?=_)", " ", name) for name in names]


def legend_outside(axes: Axes, handles: Iterable[Any] | None = None, **options: Any) -> None:
    """Add a legend to the right of the axes, in the order of `handles` or, by default, of
    drawing."""
    if handles is None:
        handles = axes.get_legend_handles_labels()[0]
    entries = list(handles)
    names = legend_names(str(entry.get_label()) for entry in entries)
    place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    axes.legend(entries, names, **place, **options)
