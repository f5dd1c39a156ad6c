"""The levels of several judges: read as dicts, brought to one scale, merged by one rule, and written.

The first source that judges a document of a topic decides its level. A later source with another level
contradicts it. Contradictions are reported, not averaged.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...core.ranking.gains import pairs_of, plain_number
from ...core.rows.columns import QRELS, RUN, Chosen
from ...core.rows.rows import distinct
from ...errors import FileError, GradedError, shown
from ...evaluation.named import Judgments
from ...files.files import parts_of, qrels_in
from ...files.sources import is_file, qrels_source
from ...output.formats import comma_separated, listed
from ...output.tables import Note

HUMAN: Final = "human"
MACHINE: Final = "machine"
LISTED = 12
"""The number of levels that a message lists."""
ABSTAINED: Final = 0.01
"""At most this share of a machine's answers may be outside the human's scale."""
CSV_COLUMNS = ["topic", "document", "level", "runs"]
SAMPLE: Final = "sample"
"""The column that marks the documents of a random sample."""
UNJUDGED = (b"", b"?", b"-")
"""The texts in place of a level that mean that the judge gave none."""

Levels = dict[str, dict[str, float]]
"""The level of each judged document of each topic."""


def levels_of(source: Any, name: str = "qrels") -> Levels:
    """Qrels in any form as a dict of dicts. Whole levels become ints.

    Raises `GradedError` for a document judged at two levels. The message begins with `name`, or with the line
    of a file.
    """
    table = qrels_source(source)
    found = distinct(replace(table, role=replace(table.role, kind=name)))
    if found.conflict:
        raise found.conflict
    judged = found.qrels.dicts()
    return {
        topic: {document: plain_number(level) for document, level in judged.get(topic, {}).items()}
        for topic in table.topics
    }


def answers_in(qrels: Any, name: str = "qrels") -> tuple[Levels, int]:
    """The judgments in qrels of any form, and in a file the number of rows without a level.

    In a text file, such as CSV with the columns topic, document and level, an empty level, ``?`` or ``-``
    means that the document is not judged. `name` names the qrels in messages.
    """
    if not (isinstance(qrels, (str, os.PathLike)) and is_file(os.fspath(qrels))):
        return levels_of(qrels.table if isinstance(qrels, Judgments) else qrels, name), 0
    table = qrels_in(qrels, UNJUDGED)
    levels = levels_of(table, name)
    if is_csv(qrels):
        levels = {
            _text(topic): {_text(doc): level for doc, level in judged.items()}
            for topic, judged in levels.items()
        }
    return levels, table.facts.unjudged


def is_csv(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file says that it is a table for a spreadsheet."""
    return re.search(r"(?i)\.csv(\.\w+)?$", os.fspath(path)) is not None


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


def file_for_judge(
    path: str | os.PathLike[str], records: Sequence[Mapping[str, Any]], sampled: bool
) -> bytes:
    """The content of a file that asks a judge for the levels of documents; see `Holes.ask`.

    `records` have the columns of CSV but for the level, and mark the documents of a random sample if there
    are `sampled` ones. Raises `FileError` for a file that exists with another content, so that the work of a
    judge is never overwritten.
    """
    lines = [f"{each['topic']} {each[SAMPLE] or 0} {each['document']} ?" for each in records]
    if is_csv(path):
        columns = CSV_COLUMNS + [SAMPLE] * sampled
        rows = [[as_text({"level": "", **each}[column]) for column in columns] for each in records]
        lines = [*comma_separated(columns, rows)]
    content = "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
    if os.path.isfile(path) and Path(path).read_bytes() not in (b"", content):
        raise FileError(
            f"{os.fspath(path)}: the file exists, perhaps with answers of a judge; name another file"
        )
    return content


def judgments_of(qrels: Levels) -> Iterator[tuple[str, str, float]]:
    """The topic, document and level of each judgment."""
    return ((topic, doc, level) for topic, judged in qrels.items() for doc, level in judged.items())


def trec_lines(qrels: Levels) -> Iterator[str]:
    """Qrels as lines in TREC's form.

    >>> list(trec_lines({"q1": {"a": 2, "b": 0.5}}))
    ['q1 0 a 2', 'q1 0 b 0.5']
    """
    return (f"{topic} 0 {document} {level!r}" for topic, document, level in judgments_of(qrels))


def on_one_scale(
    human: Levels, machine: Levels, machine_levels: Mapping[Any, Any] | str | None, name: str = MACHINE
) -> tuple[Levels, int, str]:
    """The machine's qrels on the human's scale, the number of answers outside it, and a sentence about them.

    `machine_levels` is as in `level_map`; `name` names the machine in messages. Without `machine_levels`, the
    human's scale has the levels from the human's lowest level, or 0, to the highest, whole if the human's
    are. The machine need not use all of them. Its other levels are abstentions in at most 1 % of its answers;
    the sentence names the first. Raises `GradedError` if there are more.
    """
    if machine_levels is not None:
        return rescaled(machine, machine_levels, name), 0, ""
    scale = {0.0} | {level for *_, level in judgments_of(human)}
    least, most, whole = min(scale), max(scale), all(float(level).is_integer() for level in scale)
    inside = {
        topic: {
            document: level
            for document, level in judged.items()
            if least <= level <= most and not (whole and level % 1)
        }
        for topic, judged in machine.items()
    }
    answers, kept = (sum(map(len, each.values())) for each in (machine, inside))
    if kept == answers:
        return machine, 0, ""
    topic, document, level = next(each for each in judgments_of(machine) if each[1] not in inside[each[0]])
    first = f"topic {shown(topic)}, document {shown(document)}: {level!r}"
    if answers - kept > ABSTAINED * answers:
        raise GradedError(
            f"the scales differ: the human's levels are {scale_of(human)}, the machine's "
            f"{scale_of(machine)} ({name}, {first}); map the machine's levels to the human's, for example "
            "machine_levels='0:0,5:1,10:3'"
        )
    inside = {topic: judged for topic, judged in inside.items() if judged or not machine[topic]}
    outside = answers - kept
    are = "is outside and an abstention" if outside == 1 else "are outside and abstentions"
    text = (
        "{}: the human's levels are {}; {} of {} answers {} ({}). To keep such answers, map the machine's "
        "levels to the human's."
    )
    return inside, outside, Note(text, name, scale_of(human), outside, answers, are, first)


def scale_of(qrels: Levels) -> str:
    """The first levels of qrels, for a message.

    >>> scale_of({"q": {"a": 0, "b": 3}}), scale_of({"q": {"a": 0.5, "b": 1}})
    ('0, 3', '0.5, 1')
    """
    levels = sorted({level for *_, level in judgments_of(qrels)})
    return listed((f"{level:g}" for level in levels), LISTED) or "none"


def level_map(given: Mapping[Any, Any] | str) -> dict[float, float]:
    """A map from the levels of one scale to those of another, sorted by level.

    `given` is a mapping or a string of pairs.

    >>> level_map("5:1,0:0,10:3")
    {0: 0, 5: 1, 10: 3}

    Raises `GradedError` for anything but pairs of finite numbers, for a level that is named twice, and for a
    map that assigns a lower level to a higher one.
    """
    written = given if isinstance(given, str) else ",".join(f"{level}:{to}" for level, to in given.items())
    refused = f"levels {written!r} are not allowed"
    try:
        pairs = sorted(pairs_of(written))
        if not np.isfinite(pairs).all():
            raise ValueError
    except ValueError:
        raise GradedError(f"{refused}; write them as LEVEL:LEVEL,…, such as 0:0,5:1,10:3") from None
    levels, others = zip(*pairs)
    if len({*levels}) < len(levels):
        raise GradedError(f"{refused}: a level is named twice")
    if [*others] != sorted(others):
        raise GradedError(f"{refused}: a higher level may not become a lower one")
    return dict(pairs)


def rescaled(qrels: Levels, levels: Mapping[Any, Any] | str, name: str = "qrels") -> Levels:
    """The qrels on another scale. Each level is mapped like the highest level of the map that it reaches.

    `levels` is as in `level_map`; `name` names the qrels in error messages.

    >>> rescaled({"q": {"a": 0, "b": 4.9, "c": 7}}, "0:0,5:1,10:3")
    {'q': {'a': 0, 'b': 0, 'c': 1}}

    Raises `GradedError` for a map that `level_map` refuses, and for a level below all levels of the map.
    """
    bounds, values = zip(*level_map(levels).items())
    scaled: Levels = {topic: {} for topic in qrels}
    for topic, document, level in judgments_of(qrels):
        if level < bounds[0]:
            raise GradedError(
                f"{name}: topic {topic!r}, document {document!r}: level {level:g} is below "
                f"{bounds[0]:g}, the lowest level that is mapped"
            )
        scaled[topic][document] = values[bisect_right(bounds, level) - 1]
    return scaled


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
        levels = levels_of(source, name)
        qrels |= {topic: {} for topic in levels if topic not in qrels}
        for topic, document, level in judgments_of(levels):
            merged = qrels[topic].setdefault(document, level)
            kept = decided.setdefault((topic, document), name)
            if kept == name:
                origins[name] += 1
            elif merged == level:
                repeated[name] += 1
            else:
                contradictions.append(Contradiction(topic, document, kept, merged, name, level))
    return MergedQrels(qrels, origins, repeated, tuple(contradictions))
