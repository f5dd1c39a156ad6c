"""The pages install the package from a clone of the repository, as long as no package index has it.

They are written for a clone, so that they are right in the repository as well. After a release,
``errors.PACKAGE`` is the name on the index, and the site installs that name instead.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

from ir_measures_graded.errors import PACKAGE

CLONE = "."
FOR_CONTRIBUTORS = ("CONTRIBUTING", "release")
"""These pages always use a clone."""

REPLACEMENTS = (
    (r"Clone the repository of this package and run these commands in its folder:", "Run:"),
    (r"(Install [\w ,]+|pip install '\.\[[\w,]+\]'`?) in a clone of the repository", r"\1"),
    (r"pip install '\.\[([\w,]+)\]'", r"pip install 'NAME[\1]'"),
    (r"pip install \.$", "pip install NAME"),
    (r"## Before you start\n.*?(?=## 1\. )", ""),  # the tutorial builds its own index
)


def installed_from(package: str, text: str) -> str:
    """The text of a page whose commands install this package.

    >>> installed_from("the-name", "`pip install '.[plot]'` in a clone of the repository adds it.")
    "`pip install 'the-name[plot]'` adds it."
    """
    if package == CLONE:
        return text
    for pattern, replacement in REPLACEMENTS:
        named = replacement.replace("NAME", package)
        text = re.sub(pattern, named, text, flags=re.MULTILINE | re.DOTALL)
    return text


def read(app: Sphinx, page: str, source: list[str]) -> None:
    """Change a page when Sphinx has read it."""
    if page not in FOR_CONTRIBUTORS:
        source[0] = installed_from(PACKAGE, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the function."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
