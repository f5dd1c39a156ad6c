"""What the judgments of ir-datasets collections mean, as their tracks and papers say.

`contracts.csv` has a row for each collection whose source was read.
"""

import csv
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple

from ..core.ranking.gains import GainMap, pairs_of


class Contract(NamedTuple):
    """The meaning of the levels of a collection.

    `pattern` has the patterns of its ir-datasets ids. Levels up to `not_relevant` mean not
    relevant, and binary measures count levels from `rel` on, None if no source says so. `gains` are
    those that the track fixed, as in measure strings, else empty. `official` are its measures, the
    primary one first. The topics are documents of the collection if `own_topic`. `source` says
    where all this is written.
    """

    pattern: str
    not_relevant: int
    rel: int | None
    gains: str
    official: Sequence[str]
    own_topic: bool
    source: str

    def gains_of(self, levels: Sequence[float]) -> GainMap:
        """The gain of each level above `not_relevant` or named in `gains`; empty if no gains are
        fixed.
        """
        if self.gains == "exp":
            return {int(level): 2 ** int(level) - 1 for level in levels if level > 0}
        return dict(pairs_of(self.gains)) if self.gains else {}


@cache
def contracts() -> list[Contract]:
    """All rows of the table.

    >>> len(contracts()) > 20
    True
    """
    from importlib.resources import files  # This import takes time.

    text = (files(__package__) / "contracts.csv").read_text(encoding="utf-8")
    return [_contract(row) for row in csv.DictReader(text.splitlines())]


def _contract(row: Mapping[str, str]) -> Contract:
    return Contract(
        pattern=row["pattern"],
        not_relevant=int(row["not_relevant"]),
        rel=int(row["rel"]) if row["rel"] else None,
        gains=row["gains"],
        official=row["official"].split(),
        own_topic=row["own_topic"] == "yes",
        source=row["source"],
    )


def contract_of(name: str) -> Contract | None:
    """The row of an ir-datasets id; None for an id without a row.

    >>> contract_of("antique/test").rel, contract_of("msmarco-passage/dev/small").official
    (3, ['RR@10'])
    """
    for contract in contracts():
        if any(fnmatchcase(name, pattern) for pattern in contract.pattern.split()):
            return contract
    return None
