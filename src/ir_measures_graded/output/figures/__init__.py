"""Figures: a few drawings, which results fill with data, on one sheet in one style.

- `style`: sizes, colours and the widths of texts; the only module that decides them.
- `sheet`: `Drawing`, the base class of all drawings, and `picture`, which puts some on a figure.
- `fonts`: other fonts for characters that Matplotlib's own lacks.
- `formats`: the files that a figure can be, and what drawing needs.
- `saving`: a figure as PNG, SVG or PDF, the same file for the same figure.
- `forest`: dots with intervals. `groups`: runs that do not differ. `slopes`: orders joined by
  lines. `bars`: sorted, stacked and grouped bars. `heat_map`: cells in colour, and the triangle of
  pairs. `scatter`: points. `lines`: curves. `tiles`: a ranking beside another. `number_line`: a
  difference beside a margin.

A result names its drawing and the data, and `picture` adds the answer as the title:

    def figure(self, *, title: str = "") -> Figure:
        return picture([Forest(self.runs, self.means, label="Mean")], title or self.summary)

Evaluations import this package, and few of them draw: each module is imported when one of its names
is used first.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bars import GroupedBars, SortedBars, StackedBars, difference_label
    from .forest import Forest, on_one_scale
    from .formats import FORMATS, NEEDS
    from .groups import Groups
    from .heat_map import HeatMap, Triangle
    from .lines import Line, Lines
    from .number_line import NumberLine
    from .saving import drawable, new_figure, rendered, save, svg
    from .scatter import Scatter
    from .sheet import Drawing, Figure, picture, said_above, side_by_side
    from .slopes import Slopes, coloured_in_words, colours_of_moves
    from .style import (
        BLUE,
        COLOURS,
        GREY,
        ORANGE,
        PALE,
        legend_outside,
        level_colours,
        line_style,
        panels,
        run_styles,
        shortened,
        styled,
    )
    from .tiles import Tiles

__all__ = [
    "BLUE",
    "COLOURS",
    "FORMATS",
    "GREY",
    "NEEDS",
    "ORANGE",
    "PALE",
    "Drawing",
    "Figure",
    "Forest",
    "GroupedBars",
    "Groups",
    "HeatMap",
    "Line",
    "Lines",
    "NumberLine",
    "Scatter",
    "Slopes",
    "SortedBars",
    "StackedBars",
    "Tiles",
    "Triangle",
    "coloured_in_words",
    "colours_of_moves",
    "difference_label",
    "drawable",
    "legend_outside",
    "level_colours",
    "line_style",
    "new_figure",
    "on_one_scale",
    "panels",
    "picture",
    "rendered",
    "run_styles",
    "said_above",
    "save",
    "shortened",
    "side_by_side",
    "styled",
    "svg",
]

MODULES = {
    "bars": ("GroupedBars", "SortedBars", "StackedBars", "difference_label"),
    "forest": ("Forest", "on_one_scale"),
    "formats": ("FORMATS", "NEEDS"),
    "groups": ("Groups",),
    "heat_map": ("HeatMap", "Triangle"),
    "lines": ("Line", "Lines"),
    "number_line": ("NumberLine",),
    "saving": ("drawable", "new_figure", "rendered", "save", "svg"),
    "scatter": ("Scatter",),
    "sheet": ("Drawing", "Figure", "picture", "said_above", "side_by_side"),
    "slopes": ("Slopes", "coloured_in_words", "colours_of_moves"),
    "style": (
        "BLUE",
        "COLOURS",
        "GREY",
        "ORANGE",
        "PALE",
        "legend_outside",
        "level_colours",
        "line_style",
        "panels",
        "run_styles",
        "shortened",
        "styled",
    ),
    "tiles": ("Tiles",),
}
"""The names that each module defines for other packages."""
_MODULE_OF = {name: module for module, names in MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
