"""The style of all figures, the drawings that several share, and saving a figure to a file.

Figures are Matplotlib `Figure` objects made without pyplot: they need no display and leave the
user's settings alone. Lines differ in colour, dashes and marker, so that they can be told apart in
black and white too. The colours are Okabe and Ito's palette, which readers with colour vision
deficiency can tell apart.
"""

from __future__ import annotations

import io
import math
import os
import re
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import needed
from .files import checked_ending, refuse_bad_date, write_whole

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes

Figure: TypeAlias = "matplotlib.figure.Figure"
"""The type of all figures; Matplotlib is imported when the first one is drawn."""
FORMATS: dict[str, dict[str, Any]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""File endings, with the metadata that would make two files of the same figure differ."""
NEEDS = ("matplotlib", "a figure", "plot")
"""The arguments of `needed`."""

STYLE = {
    "font.size": 9,
    "lines.markersize": 5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
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
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
MARKERS = "os^Dv*PX<"
GREY = "#666666"
SHADES = ("white", "#56B4E9", "#003D66")  # easy to tell apart in black and white too
PALE: dict[str, Any] = {"color": "#b4b4b4", "linewidth": 0.7, "zorder": 1}
"""The style of the lines of runs that are not singled out."""
PAGE = (11.0, 15.0)
"""Maximum width and height in inches of figures of several panels.

A figure is larger if it would be unreadable otherwise.
"""
INCHES = 0.085
"""The approximate width of a letter."""
ACROSS = 4
"""The number of panels of a dot plot side by side."""

UNDRAWABLE = (
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


@styled
def new_figure(width: float = 7.0, height: float = 4.5) -> Figure:
    """An empty figure of this size in inches; its layout keeps labels from overlapping."""
    import matplotlib.figure

    figure: Any = matplotlib.figure.Figure(figsize=(width, height), layout="constrained")
    # A notebook then shows the figure without %matplotlib.
    figure._repr_svg_ = partial(svg, figure)
    return figure


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


def panels(figure: Figure, count: int, across: int, **shared: Any) -> list[Axes]:
    """Axes for `count` panels, at most `across` side by side."""
    across = min(count, across)
    down = math.ceil(count / across)
    grid = figure.subplots(down, across, squeeze=False, **shared)
    axes: list[Axes] = grid.ravel().tolist()
    for unused in axes[count:]:
        unused.remove()
    return axes[:count]


def legend_outside(axes: Axes, handles: Iterable[Any] | None = None) -> None:
    """Add a legend to the right of the axes, in the order of `handles` or, by default, of drawing.

    Matplotlib would hide a name that begins with an underscore, so a space precedes it.
    """
    if handles is None:
        handles = axes.get_legend_handles_labels()[0]
    entries = list(handles)
    labels = [str(entry.get_label()) for entry in entries]
    names = [f" {label}" if label.startswith("_") else label for label in labels]
    axes.legend(entries, names, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


def title(text: object, width: int = 72) -> str:
    """A title, such as a measure string, in lines of at most `width`.

    It is broken after commas and spaces.

    >>> print(title("nDCG_JK(gains={1:1,2:10,3:100})@100", width=24))
    nDCG_JK(gains={1:1,2:10,
    3:100})@100
    """
    lines = re.findall(rf".{{1,{width}}}(?:(?<=[, ])|$)|.+?(?:[, ]|$)", str(text))
    return "\n".join(line.rstrip() for line in lines)


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, depending on the path's ending.

    Equal figures give equal files.

    The file is written by `write_whole`. Raises `GradedError` for an unknown ending and for a file
    that cannot be written.
    """
    ending = checked_ending(path, FORMATS)
    write_whole(path, rendered(figure, ending))


@styled
def dot_plot(
    runs: Sequence[str],
    measures: Sequence[str],
    values: np.ndarray,
    signs: Sequence[int],
    label: str,
    bounds: np.ndarray | None = None,
    filled: np.ndarray | None = None,
    rows_of: Sequence[str] | None = None,
) -> Figure:
    """Draw `values` (runs × measures); the best run by the first measure is at the top.

    `signs` tells for each measure whether larger (1) or smaller (-1) values are better; `label`
    describes the values. `bounds` (2 × runs × measures) are the ends of their intervals. Markers
    are white if not `filled` (runs × measures), which is given for differences, beside a line at 0.
    If `rows_of` names the run of each row, `runs` are labels of rows, which stay in this order.
    """
    width_of_names = INCHES * max(map(len, runs), default=0)
    height = 0.24 * len(runs) + 1.5
    rows_on_page = max(1, int(PAGE[1] / height))
    needed_columns = math.ceil(len(measures) / rows_on_page)
    columns = min(len(measures), max(ACROSS, needed_columns))
    rows = math.ceil(len(measures) / columns)
    width = min(4.0, max(2.2, (PAGE[0] - width_of_names) / columns))
    figure = new_figure(width * columns + width_of_names, height * rows)
    run_of_row = rows_of or runs
    if rows_of:
        order = list(range(len(runs)))
    else:
        order = np.argsort(-signs[0] * values[:, 0], kind="stable").tolist()
    styles = run_styles(run_of_row)
    for panel, axes in enumerate(panels(figure, len(measures), columns, sharey=True)):
        for place, run in enumerate(order):
            style = {**styles[run_of_row[run]], "linestyle": "none"}
            if bounds is not None:
                axes.plot(bounds[:, run, panel], [place, place], color=style["color"])
            if filled is not None and not filled[run, panel]:
                style["markerfacecolor"] = "white"
            axes.plot(values[run, panel], place, label=runs[run], **style)
        if filled is not None:
            axes.axvline(0, color=GREY, linewidth=1.0)
        axes.set_yticks(range(len(order)), [runs[run] for run in order])
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_title(title(measures[panel], width=30), size=10)
        direction = "\nsmaller is better" if signs[panel] < 0 else ""
        axes.set_xlabel(label + direction)
    return figure


def svg(figure: Figure, label: str = "") -> str:
    """A figure as an ``<svg>`` element for an HTML page, with `label` as its description.

    The element shrinks to the width of the page.
    """
    from html import escape  # This import takes time.

    picture = rendered(figure, "svg").decode()
    described = ""
    if label:
        described = f' role="img" aria-label="{escape(drawable(label))}"'
    element = picture[picture.index("<svg") :]
    return element.replace("<svg", f'<svg style="max-width: 100%; height: auto"{described}', 1)


def rendered(figure: Figure, form: str) -> bytes:
    """The content of a file of a figure in one of the `FORMATS`."""
    from matplotlib.axis import Axis
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter

    picture = io.BytesIO()
    with _style(), warnings.catch_warnings():
        for text in figure.findobj(Text):
            text.set_text(drawable(text.get_text()))
        for axis in figure.findobj(Axis):
            names = axis.get_major_formatter()
            if isinstance(names, FuncFormatter):
                axis.set_major_formatter(lambda *tick, names=names: drawable(names(*tick)))
        if form == "svg":  # it keeps the characters that Matplotlib's font lacks
            warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.savefig(picture, format=form, metadata=FORMATS[form])
    # Viewers without Matplotlib's font use a similar one.
    # Names between tags may look like the font.
    return re.sub(rb"'DejaVu Sans'(?=[^<>]*>)", rb"\g<0>, Verdana, sans-serif", picture.getvalue())


def drawable(text: str) -> str:
    """The text with replacement characters for what XML cannot hold or Matplotlib cannot draw."""
    return re.sub(UNDRAWABLE, "\ufffd", text)
