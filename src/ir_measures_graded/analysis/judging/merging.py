"""The levels of several judges: read as dicts, merged by one rule, and written.

The first source that judges a document of a topic decides its level. A later source with another level
contradicts it. Contradictions are reported, not averaged.
"""

import os
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any

from ...core.ranking.gains import plain_number
from ...core.rows.columns import QRELS, RUN, Chosen
from ...core.rows.rows import distinct
from ...errors import GradedError
from ...evaluation.named import Judgments, Qrels
from ...files.files import parts_of, qrels_in
from ...files.sources import is_file, qrels_source

UNJUDGED = (b"", b"?", b"-")
"""The texts in place of a level that mean that the judge gave none."""

Levels = dict[str, dict[str, float]]
"""The level of each judged document of each topic."""


def answers_in(qrels: Any, name: str = "qrels") -> tuple[Levels, int]:
    """The judgments in qrels of any form as a dict of dicts, and the number of rows without a level.

    Whole levels become ints. In a text file, such as CSV with the columns topic, document and level, an empty
    level, ``?`` or ``-`` means that the document is not judged. Raises `GradedError` for a document judged at
    two levels. The message begins with `name`, or with the line of a file.
    """
    if isinstance(qrels, (str, os.PathLike)) and is_file(os.fspath(qrels)):
        table = qrels_in(qrels, UNJUDGED)
    else:
        table = qrels.table if isinstance(qrels, Judgments) else qrels_source(qrels)
    found = distinct(replace(table, role=table.role._replace(kind=name)))
    if found.conflict:
        raise found.conflict
    judged = found.qrels.dicts()
    id_of = _text if table.facts.form == "CSV" else str
    levels = {
        id_of(topic): {id_of(doc): plain_number(level) for doc, level in judged.get(topic, {}).items()}
        for topic in table.topics
    }
    return levels, table.facts.unjudged


def as_text(cell: str) -> str:
    """The cell with an apostrophe before a sign that makes a spreadsheet compute; `answers_in` removes it.

    >>> as_text("=1+2"), as_text("d1-2"), _text("'=1+2")
    ("'=1+2", 'd1-2', '=1+2')
    """
    return f"'{cell}" if re.match(r"'*[=+\-@]", cell) else cell


def _text(cell: str) -> str:
    return cell[1:] if re.match(r"'+[=+\-@]", cell) else cell


def holds_answers(path: str) -> bool:
    """Whether a file begins as qrels and not as a run. Three fields without a header are those of a run."""
    for role in (RUN, QRELS):
        with suppress(GradedError), closing(parts_of(path, role, Chosen(unjudged=UNJUDGED))) as parts:
            next(parts, None)
            return role is QRELS
    return False


def judgments_of(qrels: Levels) -> Iterator[tuple[str, str, float]]:
    """The topic, document and level of each judgment."""
    return ((topic, doc, level) for topic, judged in qrels.items() for doc, level in judged.items())


def trec_lines(qrels: Levels) -> Iterator[str]:
    """Qrels as lines in TREC's form.

    >>> list(trec_lines({"q1": {"a": 2, "b": 0.5}}))
    ['q1 0 a 2', 'q1 0 b 0.5']
    """
    return (f"{topic} 0 {document} {level!r}" for topic, document, level in judgments_of(qrels))


@dataclass(frozen=True)
class MergedQrels:
    """Merged qrels, and what each source added.

    `qrels` is a dict of dicts, which `evaluate` and ir-measures accept. `added` has for each source the
    number of its judgments that are new, `contradictions` a sentence for each document that a later source
    judges at another level.
    """

    qrels: Levels
    added: dict[str, int]
    contradictions: list[str]


def add_answers(qrels: Qrels, *files: Qrels) -> MergedQrels:
    """The qrels, completed with judges' answers, such as files that `Holes.ask` wrote.

    The first source that judges a document decides its level: the qrels take precedence over the answers, and
    earlier files over later ones. Documents without an answer stay unjudged. All sources are in any form that
    ir-measures takes, paths of files, or ir-datasets ids.

    >>> merged = add_answers({"q1": {"a": 2}}, {"q1": {"a": 1, "b": 3}, "q2": {"c": 0}})
    >>> merged.qrels, merged.added
    ({'q1': {'a': 2, 'b': 3}, 'q2': {'c': 0}}, {'qrels': 1, 'answers 1': 2})
    >>> print(*merged.contradictions)
    topic 'q1', document 'a': level 2 by qrels, 1 by answers 1

    Raises `GradedError` for qrels that cannot be read, for two sources of one name, and for a source that
    judges a document at two levels.
    """
    merged = MergedQrels({}, {}, [])
    decided: dict[tuple[str, str], str] = {}
    for number, source in enumerate((qrels, *files)):
        name = f"answers {number}" if number else "qrels"
        if number and isinstance(source, (str, os.PathLike)):
            name = os.fspath(source)
        if name in merged.added:
            raise GradedError(f"two sources of qrels are named {name!r}; give each a name of its own")
        levels, _ = answers_in(source, name)
        for topic in levels:
            merged.qrels.setdefault(topic, {})
        judged = len(decided)
        for topic, document, level in judgments_of(levels):
            first = merged.qrels[topic].setdefault(document, level)
            kept = decided.setdefault((topic, document), name)
            if first != level:
                merged.contradictions.append(
                    f"topic {topic!r}, document {document!r}: level {first:g} by {kept}, {level:g} by {name}"
                )
        merged.added[name] = len(decided) - judged
    return merged
