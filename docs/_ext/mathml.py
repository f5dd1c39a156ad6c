"""Formulas as MathML, which browsers typeset by themselves: no script, nothing fetched from elsewhere.

The font is the reader's own where there is one for mathematics, else STIX Two Math, of which the
package ziamath brings a copy.
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
    """Write a formula of its own, which scrolls where the screen is too narrow for it."""
    self.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def copy_font(app: Sphinx, exception: Exception | None) -> None:
    """Put the font beside the style sheet that names it."""
    if exception is None and app.builder.format == "html":
        package = find_spec("ziamath")
        if package is None or package.origin is None:
            raise ModuleNotFoundError("the site's font comes with the package ziamath; install it")
        copyfile(Path(package.origin).parent / "fonts" / FONT, app.outdir / "_static" / FONT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it known to Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.connect("build-finished", copy_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
