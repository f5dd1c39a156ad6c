"""Equal measures in other tools, and different measures with a similar name, from `elsewhere.tsv`.

tests/docs/test_elsewhere.py checks every row against the tool.
"""

from __future__ import annotations

from typing import NamedTuple

from computed import table_file


class Other(NamedTuple):
    """A measure of another tool.

    `here` is a string of the `measure` that gives the same values, or empty if there is none. `use`
    is then another measure string that does, if there is one.
    """

    measure: str
    tool: str
    name: str
    here: str
    use: str
    text: str


ELSEWHERE: dict[str, list[Other]] = {}
for row in table_file("elsewhere.tsv"):
    other = Other(**row)
    others = ELSEWHERE.setdefault(other.measure, [])
    if other.tool:  # a measure that no tool has stands alone in its row
        others.append(other)
