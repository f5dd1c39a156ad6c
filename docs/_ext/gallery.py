"""Pictures with captions, in a light and a dark version; `pictures.py` makes the files."""

from __future__ import annotations

from html import escape
from typing import NamedTuple


class Picture(NamedTuple):
    """A picture of `_static`, the page that it leads to, its text for those who do not see it, and
    its caption.
    """

    name: str
    page: str
    alternative: str
    caption: str

    def html(self) -> str:
        """The picture as a figure."""
        alternative = escape(self.alternative)
        images = (
            f'<img class="only-light" src="_static/{self.name}.png" alt="{alternative}">'
            f'<img class="only-dark" src="_static/{self.name}-dark.png" alt="{alternative}">'
        )
        caption = f"<figcaption>{escape(self.caption)}</figcaption>"
        return f'<figure><a href="{self.page}">{images}</a>{caption}</figure>'


FRONT = (
    Picture(
        "report",
        "report.html",
        "The verdict of a report: sentences, and a table of the runs with intervals",
        "A report: the verdict, and what ties and judgments could change",
    ),
    Picture(
        "paper-table",
        "paper-table.html",
        "The table of a paper: best values bold, letters for significance",
        "The table of a paper, also in LaTeX",
    ),
    Picture(
        "identify",
        "identify.html",
        "The answer of identify: the values are those of LightGBM's nDCG",
        "Whose nDCG is this?",
    ),
)
REPORT = (
    Picture(
        "report",
        "demo-report.html",
        "The verdict: sentences, and a table of the runs with intervals",
        "Verdict: the best run, and the differences that hold",
    ),
    Picture(
        "report-curves",
        "demo-report.html#curves",
        "Five curves of nDCG over the ranks 1 to 100",
        "Curves: the measure at every rank",
    ),
    Picture(
        "report-topics",
        "demo-report.html#topics",
        "The differences of each run from the baseline by topic, and a table of values",
        "Topics: where the runs differ",
    ),
    Picture(
        "report-rankings",
        "demo-report.html#rankings",
        "The documents of a topic rank by rank, coloured by their levels, beside the ideal list",
        "Rankings: the documents of a topic, beside the ideal list",
    ),
)


def gallery(pictures: tuple[Picture, ...], columns: int) -> str:
    """The pictures side by side; a narrow page has fewer columns."""
    elements = "".join(picture.html() for picture in pictures)
    return f'<div class="pictures columns-{columns}">{elements}</div>'


def front() -> str:
    """The pictures of the front page."""
    return gallery(FRONT, columns=3)


def report() -> str:
    """The pictures of the page about the report."""
    return gallery(REPORT, columns=2)
