"""``{computed} module.function argument …``: Markdown that a function returns while the site is
built.

The function is in a module of this folder. This module also holds the helpers of these functions.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ir_measures_graded import cli
from ir_measures_graded.analysis import figures

FIGURES = Path(__file__).parents[1] / "figures"


class Computed(SphinxDirective):
    """Replaces the directive with the Markdown that a function returns."""

    required_arguments = 1
    optional_arguments = 9

    def run(self) -> list[nodes.Node]:
        module, _, function = self.arguments[0].rpartition(".")
        self.env.note_reread()  # the result can change although the page has not
        return self.parse_text_to_nodes(
            getattr(import_module(module), function)(*self.arguments[1:])
        )


def table_file(name: str) -> list[dict[str, str]]:
    """The rows of a tab-separated file of this folder, by the names in its first line."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines, restval="", delimiter="\t", quoting=csv.QUOTE_NONE))


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, from cells in Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))


def figure(name: str, drawing: Any, alt: str) -> str:
    """Markdown that shows a Matplotlib figure; the figure is saved where Sphinx finds it."""
    FIGURES.mkdir(exist_ok=True)
    figures.save(drawing, FIGURES / f"{name}.svg")
    return f"![{alt}](/figures/{name}.svg)"


def help_of(*command: str) -> str:
    """The ``--help`` of the program, or of one of its commands, as a block of text."""
    printed = StringIO()
    with patch.dict(os.environ, COLUMNS="90", NO_COLOR="1"), redirect_stdout(printed):
        cli.main([*command, "--help"])
    return f"```text\n{printed.getvalue().rstrip()}\n```"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("computed", Computed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
