"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown.

    >>> print(markdown(["a", "b"], [["1", "2"]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])
