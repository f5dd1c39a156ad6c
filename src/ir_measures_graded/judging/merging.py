"""Qrels of several judges, merged by one rule.

The first source that judges a document of a topic decides its level. A later source with another level
contradicts it. Contradictions are reported, not averaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import GradedError
from .scales import Levels, levels_of


@dataclass(frozen=True)
class Contradiction:
    """A document that two sources judge at different levels.

    The source `kept` decided: its `level` counts, and the `other_level` of the source `other` does not.
    """

    topic: str
    document: str
    kept: str
    level: float
    other: str
    other_level: float

    def __str__(self) -> str:
        return (
            f"topic {self.topic!r}, document {self.document!r}: level {self.level:g} by {self.kept}, "
            f"{self.other_level:g} by {self.other}"
        )


@dataclass(frozen=True)
class MergedQrels:
    """Merged qrels, and the sources of their judgments.

    `qrels` is a dict of dicts, which `evaluate` and ir-measures accept. `origins` has the number of judgments
    that each source decided, `repeated` the number that equal an earlier one. `contradictions` are in the
    order in which they were found.
    """

    qrels: Levels
    origins: dict[str, int]
    repeated: dict[str, int]
    contradictions: tuple[Contradiction, ...]


def merge_qrels(sources: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> MergedQrels:
    """Merge qrels of several sources. The first source that judges a document decides its level.

    `sources` maps names to qrels, or has pairs of name and qrels, in the order in which they decide. Qrels
    are in any form that ir-measures takes, the path of a file, or an ir-datasets id.

    >>> first, second = {"q1": {"a": 2}}, {"q1": {"a": 1, "b": 3}, "q2": {"c": 0}}
    >>> merged = merge_qrels({"human": first, "machine": second})
    >>> merged.qrels
    {'q1': {'a': 2, 'b': 3}, 'q2': {'c': 0}}
    >>> merged.origins
    {'human': 1, 'machine': 2}
    >>> print(*merged.contradictions)
    topic 'q1', document 'a': level 2 by human, 1 by machine

    Raises `GradedError` for qrels that cannot be read, for two sources of one name, and for a source that
    judges a document at two levels.
    """
    qrels: Levels = {}
    decided: dict[tuple[str, str], str] = {}
    origins: dict[str, int] = {}
    repeated: dict[str, int] = {}
    contradictions = []
    for name, source in sources.items() if isinstance(sources, Mapping) else sources:
        if name in origins:
            raise GradedError(f"two sources of qrels are named {name!r}; give each a name of its own")
        origins[name] = repeated[name] = 0
        for topic, levels in levels_of(source, name).items():
            merged = qrels.setdefault(topic, {})
            for document, level in levels.items():
                if document not in merged:
                    merged[document] = level
                    decided[topic, document] = name
                    origins[name] += 1
                elif merged[document] == level:
                    repeated[name] += 1
                else:
                    kept = decided[topic, document]
                    contradictions.append(Contradiction(topic, document, kept, merged[document], name, level))
    return MergedQrels(qrels, origins, repeated, tuple(contradictions))
