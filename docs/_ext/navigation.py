"""The navigation at the left of each page shows titles only, so only titles are copied for it.

Sphinx copies all sections of all pages for each page, and then removes them again. That takes a
fifth of the build.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx


class Navigation:
    """Makes the function that the theme's template calls for the navigation."""

    def __init__(self) -> None:
        self.titles: dict[str, nodes.bullet_list] = {}

    def connect(
        self,
        app: Sphinx,
        page: str,
        template: str,
        context: dict[str, Any],
        document: nodes.document | None,
    ) -> None:
        """Replace the function of one page."""
        with_sections = context.get("toctree")
        if with_sections is None:
            return
        sections = app.env.tocs
        if not self.titles:
            self.titles = {name: without_sections(toc) for name, toc in sections.items()}

        def toctree(titles_only: bool = False, **options: Any) -> str:
            if titles_only:
                app.env.tocs = self.titles
            try:
                return with_sections(titles_only=titles_only, **options)
            finally:
                app.env.tocs = sections

        context["toctree"] = toctree


def without_sections(toc: nodes.bullet_list) -> nodes.bullet_list:
    """A copy of a page's contents that keeps of its sections only the lists of other pages."""
    titles = toc.deepcopy()
    for title in titles.children:
        if len(title) < 2:
            continue
        pages_below = list(title.findall(addnodes.toctree))
        if pages_below:
            title[1][:] = pages_below
        else:
            title.pop(1)
    return titles


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the function; the theme's comes later, with the priority 500."""
    app.connect("html-page-context", Navigation().connect, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
