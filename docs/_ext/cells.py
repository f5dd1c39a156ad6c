"""``{cell}``: Python code of a notebook, run while the site is built, and the display of its last
expression.

The cells of a page share their names, as in a notebook.
"""

from __future__ import annotations

import ast
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Cell(SphinxDirective):
    """Shows the code of a cell, and what a notebook shows below it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        self.env.note_reread()  # the result can change although the page has not
        html = display(code, self.env.temp_data.setdefault("cells", {}))
        code_and_value: list[nodes.Node] = [nodes.literal_block(code, code, language="python")]
        if html:
            value = nodes.raw("", f'<div class="cell">{html}</div>', format="html")
            code_and_value.append(value)
        return code_and_value


def display(code: str, names: dict[str, Any]) -> str:
    """Run code with the names of earlier cells; returns HTML for the value of its last expression.

    >>> display("number = 6", names := {}), display("number * 7", names)
    ('', '<pre>42</pre>')
    """
    statements = ast.parse(code).body
    last = statements.pop() if isinstance(statements[-1], ast.Expr) else None
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if hasattr(value, "_repr_html_"):
        return value._repr_html_()
    return f"<pre>{escape(repr(value))}</pre>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("cell", Cell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
