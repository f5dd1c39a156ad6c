"""Line breaks: code breaks after a comma, a slash or a dot.

Numbers such as 0-1-10-100 never break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

AFTER = re.compile(r"(?<=[,/|])(?=[^\s/])|(?<=\.)(?=[A-Za-z]{3})")  # not within 0.75 or before .md
WEIGHTS = re.compile(r"(?<![\w-])(\d+(?:-\d+)+)(?![\w-])")  # such as 0-1-10-100
FIXED = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.reference, nodes.raw)


class LineBreaks(SphinxPostTransform):
    """Mark where a line may break; the style sheet forbids breaks elsewhere."""

    default_priority = 900
    formats = ("html",)

    def run(self, **_: object) -> None:
        """Change the code and the numbers of a page."""
        for code in list(self.document.findall(nodes.literal)):
            text = code.astext()
            pieces = AFTER.split(text)
            if len(code) == 1 and len(pieces) > 1:
                code.clear()
                for piece in pieces:
                    code += [nodes.Text(piece), nodes.raw("", "<wbr>", format="html")]
        for text in list(self.document.findall(nodes.Text)):
            pieces = WEIGHTS.split(text.astext())
            if len(pieces) > 1 and not isinstance(text.parent, FIXED):
                text.parent.replace(text, list(with_numbers(pieces)))


def with_numbers(pieces: Iterable[str]) -> Iterator[nodes.Node]:
    """The nodes of a text that is split at numbers: each second piece is a number."""
    is_number = False
    for piece in pieces:
        if is_number:
            yield nodes.inline("", piece, classes=["number"])
        else:
            yield nodes.Text(piece)
        is_number = not is_number


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_post_transform(LineBreaks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
