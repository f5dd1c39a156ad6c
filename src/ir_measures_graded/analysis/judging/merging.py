"""The levels of several judges: read as dicts, brought to one scale, merged by one rule, and written.

The first source that judges a document of a topic decides its level. A later source with another level
contradicts it. Contradictions are reported, not averaged.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...core.ranking.gains import pairs_of, plain_number
from ...core.rows.columns import QRELS, RUN, Chosen
from ...core.rows.rows import distinct
from ...errors import GradedError, shown
from ...evaluation.named import Judgments, Qrels
from ...files.files import parts_of, qrels_in
from ...files.sources import is_file, qrels_source
from ...output.formats import listed
from ...output.tables import Note

HUMAN: Final = "human"
MACHINE: Final = "machine"
LISTED = 12
"""The number of levels that a message lists."""
ABSTAINED: Final = 0.01
"""At most this share of a machine's answers may be outside the human's scale."""
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
    found = distinct(replace(table, role=table.role._replace(kind=name)))
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

    `machine_levels` is as in `rescaled`; `name` names the machine in messages. Without `machine_levels`, the
    human's scale has the levels from the human's lowest level, or 0, to the highest, whole if the human's
    are. The machine need not use all of them. Its other levels are abstentions in at most 1 % of its answers;
    the sentence names the first. Raises `GradedError` if there are more.
    """
    if machine_levels is not None:
        return rescaled(machine, machine_levels, name), 0, ""
    scale = {0.0} | {level for *_, level in judgments_of(human)}
    least, most, whole = min(scale), max(scale), all(float(level).is_integer() for level in scale)

    def is_outside(level: float) -> bool:
        return not least <= level <= most or bool(whole and level % 1)

    outside = [each for each in judgments_of(machine) if is_outside(each[2])]
    if not outside:
        return machine, 0, ""
    topic, document, level = outside[0]
    first = f"topic {shown(topic)}, document {shown(document)}: {level!r}"
    answers = sum(map(len, machine.values()))
    if len(outside) > ABSTAINED * answers:
        raise GradedError(
            f"the scales differ: the human's levels are {scale_of(human)}, the machine's "
            f"{scale_of(machine)} ({name}, {first}); map the machine's levels to the human's, for example "
            "machine_levels='0:0,5:1,10:3'"
        )
    kept = {topic: dict(judged) for topic, judged in machine.items()}
    for topic, document, _ in outside:
        del kept[topic][document]
        if not kept[topic]:
            del kept[topic]
    are = "is outside and an abstention" if len(outside) == 1 else "are outside and abstentions"
    text = (
        "{}: the human's levels are {}; {} of {} answers {} ({}). To keep such answers, map the machine's "
        "levels to the human's."
    )
    return kept, len(outside), Note(text, name, scale_of(human), len(outside), answers, are, first)


def scale_of(qrels: Levels) -> str:
    """The first levels of qrels, for a message.

    >>> scale_of({"q": {"a": 0, "b": 3}}), scale_of({"q": {"a": 0.5, "b": 1}})
    ('0, 3', '0.5, 1')
    """
    levels = sorted({level for *_, level in judgments_of(qrels)})
    return listed((f"{level:g}" for level in levels), LISTED) or "none"


def rescaled(qrels: Levels, levels: Mapping[Any, Any] | str, name: str = "qrels") -> Levels:
    """The qrels on another scale. Each level is mapped like the highest level of the map that it reaches.

    `levels` maps levels of the qrels to those of the other scale, or is a string of pairs. `name` names the
    qrels in error messages.

    >>> rescaled({"q": {"a": 0, "b": 4.9, "c": 7}}, "5:1,0:0,10:3")
    {'q': {'a': 0, 'b': 0, 'c': 1}}

    Raises `GradedError` for anything but pairs of finite numbers, for a level that is named twice, for a
    map that assigns a lower level to a higher one, and for a level below all levels of the map.
    """
    text = levels if isinstance(levels, str) else ",".join(f"{level}:{to}" for level, to in levels.items())
    refused = f"levels {text!r} are not allowed"
    try:
        pairs = sorted(pairs_of(text))
        if not np.isfinite(pairs).all():
            raise ValueError
    except ValueError:
        raise GradedError(f"{refused}; write them as LEVEL:LEVEL,…, such as 0:0,5:1,10:3") from None
    bounds, values = zip(*pairs)
    if len({*bounds}) < len(bounds):
        raise GradedError(f"{refused}: a level is named twice")
    if [*values] != sorted(values):
        raise GradedError(f"{refused}: a higher level may not become a lower one")
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
class MergedQrels:
    """Merged qrels, and what each source added.

    `qrels` is a dict of dicts, which `evaluate` and ir-measures accept. `counts` has for each source the
    number of its judgments that are new, of those that equal an earlier one, and of contradictions.
    `contradictions` has a sentence for each document that a later source judges at another level.
    """

    qrels: Levels
    counts: dict[str, list[int]]
    contradictions: list[str]


def add_answers(qrels: Qrels, *files: Qrels) -> MergedQrels:
    """The qrels, completed with judges' answers, such as files that `Holes.ask` wrote.

    The first source that judges a document decides its level: the qrels take precedence over the answers, and
    earlier files over later ones. Documents without an answer stay unjudged. All sources are in any form that
    ir-measures takes, paths of files, or ir-datasets ids.

    >>> merged = add_answers({"q1": {"a": 2}}, {"q1": {"a": 1, "b": 3}, "q2": {"c": 0}})
    >>> merged.qrels, merged.counts
    ({'q1': {'a': 2, 'b': 3}, 'q2': {'c': 0}}, {'qrels': [1, 0, 0], 'answers 1': [2, 0, 1]})
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
        if name in merged.counts:
            raise GradedError(f"two sources of qrels are named {name!r}; give each a name of its own")
        counts = merged.counts[name] = [0, 0, 0]
        levels, _ = answers_in(source, name)
        for topic in levels:
            merged.qrels.setdefault(topic, {})
        for topic, document, level in judgments_of(levels):
            first = merged.qrels[topic].setdefault(document, level)
            kept = decided.setdefault((topic, document), name)
            if kept == name:
                counts[0] += 1
            elif first == level:
                counts[1] += 1
            else:
                counts[2] += 1
                merged.contradictions.append(
                    f"topic {topic!r}, document {document!r}: level {first:g} by {kept}, {level:g} by {name}"
                )
    return merged
