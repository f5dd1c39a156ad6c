"""``{computed} module.function argument …``: a part of a page that is computed when the site is built.

The function, of a module beside this one, returns Markdown.
"""

from __future__ import annotations

from importlib import import_module

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Computed(SphinxDirective):
    """The Markdown that a function returns, in the place of the directive."""

    required_arguments = 1
    optional_arguments = 9

    def run(self) -> list[nodes.Node]:
        module, _, function = self.arguments[0].rpartition(".")
        self.env.note_reread()  # what is computed may have changed where the page has not
        return self.parse_text_to_nodes(getattr(import_module(module), function)(*self.arguments[1:]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it known to Sphinx."""
    app.add_directive("computed", Computed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
