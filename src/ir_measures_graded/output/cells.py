"""A matrix drawn as cells of three shades with text: the figures that compare all pairs use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

SHADES = ("#E8F3FA", "#56B4E9", "#003D66")  # easy to tell apart in black and white too
INK = ("black", "black", "white")
INCHES = 0.085
"""The approximate width of a letter."""


def draw_cells(
    axes: Axes,
    shades: np.ndarray,
    texts: Mapping[tuple[int, int], str],
    rows: Sequence[str],
    columns: Sequence[str],
    size: float = 9,
    colours: Colormap | None = None,
) -> None:
    """Draw one cell for each number in `shades` (rows × columns): 0 light, 1 medium, 2 dark, NaN none.

    `texts` maps (row, column) to the text of that cell. Column labels longer than two letters are rotated.
    `size` is the size of the text in points. `colours` replace the three shades; numbers may then be any
    from 0 to 2, and the text is black.
    """
    from matplotlib.colors import ListedColormap

    axes.imshow(shades, cmap=colours or ListedColormap(SHADES), vmin=0, vmax=len(SHADES) - 1)
    for (row, column), text in texts.items():
        ink = INK[0 if colours else int(np.nan_to_num(shades[row, column]))]
        axes.text(column, row, text, ha="center", va="center_baseline", size=min(size, 8), color=ink)
    axes.set_xticks(range(len(columns)), columns, rotation=90 if max(map(len, columns)) > 2 else 0, size=size)
    axes.set_yticks(range(len(rows)), rows, size=size)
    axes.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    axes.grid(visible=False)
    axes.grid(visible=True, which="minor", color="white", linewidth=0.8)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
