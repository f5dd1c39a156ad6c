"""A new figure, and a figure as a file: PNG, SVG or PDF. Equal figures give equal files."""

from __future__ import annotations

import io
import os
import re
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from ...arguments import refused
from ..files import checked_ending, write_whole
from .formats import FORMATS
from .style import drawable, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["drawable", "new_figure", "rendered", "save", "svg"]


@styled
def new_figure(width: float = 7.0, height: float = 4.5, layout: Any = "constrained") -> Figure:
    """An empty figure of this size in inches; its layout keeps labels from overlapping."""
    import matplotlib.figure

    figure: Any = matplotlib.figure.Figure(figsize=(width, height), layout=layout)
    # A notebook then shows the figure without %matplotlib.
    figure._repr_svg_ = partial(svg, figure)
    return figure


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, depending on the path's ending.

    Equal figures give equal files.

    The file is written by `write_whole`. Raises `GradedError` for an unknown ending and for a file
    that cannot be written.
    """
    if not hasattr(figure, "savefig"):
        raise refused("figure", figure, "a figure of Matplotlib, as result.figure() draws it")
    ending = checked_ending(path, FORMATS)
    write_whole(path, rendered(figure, ending))


def svg(figure: Figure, label: str = "") -> str:
    """A figure as an ``<svg>`` element for an HTML page, with `label` as its description.

    The element shrinks to the width of the page.
    """
    from html import escape  # This import takes time.

    content = rendered(figure, "svg").decode()
    described = ""
    if label:
        described = f' role="img" aria-label="{escape(drawable(label))}"'
    element = content[content.index("<svg") :]
    return element.replace("<svg", f'<svg style="max-width: 100%; height: auto"{described}', 1)


@styled
def rendered(figure: Figure, form: str) -> bytes:
    """The content of a file of a figure in one of the `FORMATS`."""
    from matplotlib.axis import Axis
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter

    texts = []
    for artist in figure.findobj():  # one search, because it makes ticks
        if isinstance(artist, Text):
            artist.set_text(drawable(artist.get_text()))
            texts.append(artist)
        elif isinstance(artist, Axis):
            names = artist.get_major_formatter()
            if isinstance(names, FuncFormatter):
                artist.set_major_formatter(lambda *tick, names=names: drawable(names(*tick)))
    if form != "svg":  # it keeps the characters that Matplotlib's font lacks
        from .fonts import use_installed_fonts  # takes time

        use_installed_fonts(texts)
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.savefig(content, format=form, metadata=FORMATS[form])
    # Viewers without Matplotlib's font use a similar one.
    # Names between tags may look like the font.
    return re.sub(rb"'DejaVu Sans'(?=[^<>]*>)", rb"\g<0>, Verdana, sans-serif", content.getvalue())
