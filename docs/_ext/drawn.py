"""Figures that are drawn when the site is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ir_measures_graded.analysis import plots

FOLDER = Path(__file__).parents[1] / "figures"


def drawn(name: str, figure: Any, alt: str) -> str:
    """The Markdown that shows a Matplotlib figure, which is written where Sphinx finds it."""
    FOLDER.mkdir(exist_ok=True)
    plots.save(figure, FOLDER / f"{name}.svg")
    return f"![{alt}](/figures/{name}.svg)"
