"""What all figures share: Matplotlib when it is needed, one style, and files written whole.

Figures are Matplotlib `Figure` objects made without pyplot, so that nothing needs a display and nobody
else's settings change. Lines differ in colour (Okabe and Ito's palette, for readers with any colour
vision), in dashes and in markers, so that they can be told apart in black and white as well.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import GradedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""File endings, and the metadata that make two files of one figure equal."""

STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with Matplotlib: the same everywhere
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "savefig.dpi": 150,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "ir-measures-graded",
    "pdf.fonttype": 42,
}

# Okabe and Ito's colours, but for yellow, which vanishes on white. 7 colours, 4 dashes and 9 markers have
# no common divisor: no two of the first 28 lines have the same colour and dashes, of 252 all three.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
MARKERS = "os^Dv*PX<"
GREY = "#666666"

Drawing = TypeVar("Drawing", bound=Callable[..., Any])


def styled(draw: Drawing) -> Drawing:
    """A function that draws, made to do so in our style; Matplotlib's own settings stay as they are.

    The function raises `GradedError` where Matplotlib is not installed.
    """

    @wraps(draw)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        with _matplotlib().rc_context(STYLE):
            return draw(*args, **kwargs)

    return drawn  # type: ignore[return-value]


@styled
def new_figure(width: float = 7.0, height: float = 4.5) -> Figure:
    """An empty figure of that size in inches, whose parts make room for each other."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def size_for(labels: Iterable[str]) -> tuple[float, float]:
    """Width and height in inches for axes beside a legend of these labels.

    >>> size_for(["A", "B"])
    (6.7, 4.5)
    """
    labels = list(labels)
    longest = max(map(len, labels), default=0)
    return round(6.6 + 0.075 * longest, 1), max(4.5, round(0.8 + 0.2 * len(labels), 1))


def line_style(number: int) -> dict[str, Any]:
    """Colour, dashes and marker of the line of that number, from 0, as arguments of `Axes.plot`."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
        "marker": MARKERS[number % len(MARKERS)],
    }


def legend_outside(axes: Axes, handles: Iterable[Any] | None = None) -> None:
    """The legend to the right of the axes, in their order or that of `handles`, where it covers nothing.

    Names appear as they are: Matplotlib would hide those that begin with an underscore, and set what
    stands between dollar signs as a formula.
    """
    shown = axes.get_legend_handles_labels()[0] if handles is None else list(handles)
    names = [str(handle.get_label()) for handle in shown]
    names = [f" {name}" if name.startswith("_") else name for name in names]
    legend = axes.legend(shown, names, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    for text in legend.get_texts():
        text.set_parse_math(False)


def title(text: object, width: int = 72) -> str:
    """A measure string, or another title, on lines of at most `width` characters.

    They are broken behind commas and blanks.

    >>> print(title("nDCG_JK(gains={1:1,2:10,3:100})@100", width=24))
    nDCG_JK(gains={1:1,2:10,
    3:100})@100
    """
    lines = [""]
    for piece in re.split(r"(?<=[, ])", str(text)):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def file_format(path: str | os.PathLike[str]) -> str:
    """The format that a figure's path asks for by its ending. Raises `GradedError` for any other."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise GradedError(
            f"{os.fspath(path)!r}: a figure's file ends in {', '.join(f'.{name}' for name in FORMATS)}"
        )
    return ending


def check(path: str | os.PathLike[str]) -> None:
    """Raise now the `GradedError` that `save` would raise for this path's ending or without Matplotlib."""
    file_format(path)
    _matplotlib()


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, by the path's ending; equal figures give equal files.

    An existing file is replaced in one step, so that no half-written figure is ever there. Raises
    `GradedError` for another ending and where the file cannot be written.
    """
    form, target = file_format(path), Path(path)
    picture = io.BytesIO()
    with _matplotlib().rc_context(STYLE):
        figure.savefig(picture, format=form, metadata=FORMATS[form])
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        partial.write_bytes(picture.getvalue())
        os.replace(partial, target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise GradedError(f"{target}: cannot be written: {error.strerror or error}") from None


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise GradedError("figures need Matplotlib: pip install 'ir-measures-graded[plot]'") from None
    return matplotlib
