"""Formulas as MathML. Browsers typeset it without a script and without a download from another
site.

The page uses the reader's own mathematics font, or else STIX Two Math from the package ziamath.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

FONT = "STIXTwoMath-Regular.ttf"


def inline(self: Any, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def display(self: Any, node: nodes.math_block) -> None:
    """Write a displayed formula. It scrolls on narrow screens."""
    self.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def copy_font(app: Sphinx, exception: Exception | None) -> None:
    """Copy the font next to the style sheet that names it."""
    if exception is None and app.builder.format == "html":
        package = find_spec("ziamath")
        if package is None or package.origin is None:
            raise ModuleNotFoundError(
                "install the package ziamath; it contains the font of the site"
            )
        copyfile(Path(package.origin).parent / "fonts" / FONT, app.outdir / "_static" / FONT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer and copy the font after the build."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.connect("build-finished", copy_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
