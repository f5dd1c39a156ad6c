"""Judges in one table, which has a column of levels for each: query, doc, human and llm. It may
also have a row for each judgment (`rows_by_judge`).

``FILE:COLUMN`` names such a judge, as it names the groups of topics. A table alone is read as the
judges if the words of its header tell which column is the human's and which are a machine's.
``FILE:JUDGE`` names a judge of rows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...core.rows.chosen import JUDGE, Chosen, columns_named
from ...core.rows.column_words import HUMAN, MACHINE, judge_of, may_be_levels
from ...core.rows.columns import NAMES, by_their_words, column_name, plain
from ...core.rows.in_memory import names_in_memory, under_our_names
from ...core.rows.roles import IDS, QRELS, Role
from ...core.rows.rows import Part, Rows, is_whole, joined
from ...core.rows.sources import read_qrels
from ...errors import GradedError, Remark, quoted
from ...evaluation.named import Judgments, run_names
from ...files.content import Reading
from ...files.files import header_of, parts_of, qrels_in
from ...files.headers import UnknownNamesError
from ...files.sources import is_file, named_path
from ...output.formats import listed
from .rows_by_judge import UNJUDGED, column_of_judges, documents_of, rows_by_judge

MOST_LEVELS = 12
"""A column without a telling name has more distinct numbers if they are no levels."""
PROGRAM = "ir_measures_graded judges"
SAME = (
    "the human and a machine are the same judgments{}; of a table with a column for each judge, "
    "name the columns: {}"
)
NEUTRAL = "neutral"
"""The kind of a column of levels whose name does not tell the kind of its judge."""
MOST_NAMED = 4
"""The most judges of rows that a message names in a line."""
CHOSEN_JUDGES = "judges"
"""The kind of the remark on which judge of a table is the human."""
THE_HUMAN = "the human"
"""What sentences call the first judge, unless it is not the human."""


class JudgeWord(NamedTuple):
    """The file of a judge, the column with the levels and the name that a user gives, if any."""

    name: str
    path: str
    column: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.column}" if self.column else self.path


def judge_word(word: str) -> JudgeWord:
    """The judge that a word names: FILE or FILE:COLUMN, with NAME= before it or without.

    >>> judge_word("GPT=-:gpt4"), judge_word("no-file:llm")
    (JudgeWord(name='GPT', path='-', column='gpt4'), JudgeWord(name='', path='no-file:llm', \
column=''))
    """
    name, path = named_path(word)
    if name or is_file(path):
        return JudgeWord(name, path)
    for colon in re.finditer(":", word):  # names of files and of columns may have more
        column = word[colon.end() :]
        name, path = named_path(word[: colon.start()])
        if column and path and is_file(path):
            return JudgeWord(name, path, column)
    return JudgeWord("", word)


def chosen_for(word: JudgeWord, columns: Sequence[tuple[str, str]] = ()) -> Chosen:
    """How the file of a judge is read; `columns` are those of `RunFile`."""
    return Chosen(columns=tuple(with_levels(columns, word.column)))


def qrels_of(word: JudgeWord, columns: Sequence[tuple[str, str]] = ()) -> Rows:
    """The qrels of a judge in a file; documents without a level are unjudged.

    `columns` are those of `RunFile`. Raises `GradedError` for a judge that the file lacks.
    """
    if word.column and word.column not in header_of(word.path, columns):
        by_judge = rows_by_judge(word.path, columns)
        if by_judge and word.column not in by_judge:
            raise GradedError(
                f"{word.path} has no column and no judge {word.column}; its judges are "
                f"{listed(by_judge, MOST_LEVELS)}"
            )
        if by_judge:
            return by_judge[word.column]
    return qrels_in(word.path, UNJUDGED, chosen=chosen_for(word, columns))


def names_of_judges(words: Sequence[JudgeWord]) -> list[str]:
    """The names of judges: those that the user gives, or of the columns, or else of the files."""
    columns = [word.column for word in words]
    names: list[str] = []
    for word, own in zip(words, run_names([word.path for word in words]), strict=True):
        name = own
        if word.column:
            name = word.column
            if columns.count(name) > 1:
                name = str(word)
        names.append(word.name or name)
    return names


def refuse_same_source(human: Any, machines: Iterable[Any]) -> None:
    """Raise `GradedError` if a machine has the table and the column of the human, in which nothing
    can differ.

    Equal judgments in other forms have a remark.
    """
    for machine in machines:
        if isinstance(human, (str, os.PathLike)) and isinstance(machine, (str, os.PathLike)):
            of_human = judge_word(os.fspath(human))
            of_machine = judge_word(os.fspath(machine))
            is_same = _is_same_file(of_human.path, of_machine.path)
            is_same = is_same and of_human.column == of_machine.column
            if is_same and header_of(of_human.path):
                raise GradedError(SAME.format(f" {of_human}", line_for(of_human.path)))
        elif machine is human and names_in_memory(human, QRELS):
            raise GradedError(SAME.format("", line_for(human)))


def _is_same_file(path: str, other: str) -> bool:
    """Whether two words name one file."""
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def line_for(table: Any) -> str:
    """The call that names the judges of a table, or its form if they are not known."""
    source = os.fspath(table) if isinstance(table, (str, os.PathLike)) else ""
    with suppress(GradedError):
        names = header_of(table) if source else names_in_memory(table, QRELS)
        kinds = _kinds_of_judges(table, names, ())
        if len(kinds) > 1:
            return _line(source, _human_first(kinds))
    return f"{PROGRAM} FILE:COLUMN FILE:COLUMN"


def _human_first(kinds: Mapping[str, str]) -> list[str]:
    """The columns of judges, the most likely human first."""
    order = (HUMAN, NEUTRAL, "", MACHINE)
    return sorted(kinds, key=lambda name: order.index(kinds[name]))


class JudgesOfTable(NamedTuple):
    """The judges of one table: the human and the machines by name, and a remark on which is which.

    Judges of a file with a column for each are words as `judge_word` reads them. `human_name` is
    what sentences call the human.
    """

    human: Any
    machines: dict[str, Any]
    remark: Remark
    human_name: str = THE_HUMAN


def judges_of_table(table: Any, columns: Sequence[tuple[str, str]] = ()) -> JudgesOfTable | None:
    """The judges of a table in a file or in memory; None if it has at most one column of levels.

    `columns` names the columns of topics and documents, as in `RunFile`. Raises `GradedError` if
    neither names nor, of rows for each judgment, the numbers of documents tell the human.
    """
    is_path = isinstance(table, (str, os.PathLike))
    if is_path and not is_file(os.fspath(table)):
        return None
    by_judge = rows_by_judge(table, columns)
    if by_judge:
        return _judges_of_rows(os.fspath(table) if is_path else "", by_judge)
    names = header_of(table, columns) if is_path else names_in_memory(table, QRELS)
    kinds = _kinds_of_judges(table, names, columns)
    if len(kinds) < 2:
        return None
    humans = [name for name, kind in kinds.items() if kind == HUMAN]
    machines = [name for name, kind in kinds.items() if kind == MACHINE]
    neutral = [name for name, kind in kinds.items() if kind == NEUTRAL]
    others = [name for name, kind in kinds.items() if not kind]
    if not humans and len(neutral) == 1 and not others:
        humans = neutral
        neutral = []
    source = os.fspath(table) if is_path else ""
    if len(humans) != 1 or not machines or neutral:
        raise GradedError(_which_is_which(source, _human_first(kinds)))
    human = humans[0]
    sources = {name: _judge(table, name, columns) for name in (human, *machines)}
    text = f"the human is the column {human}, the machine is {machines[0]}"
    if len(machines) > 1:
        text = f"the human is the column {human}, the machines are {listed(machines)}"
    if others:
        text += f"; not read: {listed(others)}"
    text += f"; if others are meant, name them: {_line(source, [human, *machines])}"
    remark = Remark(CHOSEN_JUDGES, source, text)
    return JudgesOfTable(sources.pop(human), sources, remark)


def refuse_row_for_each_judge(path: str, columns: Sequence[tuple[str, str]] = ()) -> None:
    """Raise `GradedError` for a table in a file with a column that names the judge of each row, in
    which no document has two judges."""
    column = column_of_judges(path, header_of(path, columns), columns)
    if column is not None:
        raise GradedError(
            f"{path}: the column {column} seems to name the judge of each row, and no two judges "
            f"judged the same document; if others are meant, name their column: --columns "
            f"{JUDGE}=…, or give each judge a file"
        )


def naming_the_judge(error: UnknownNamesError) -> UnknownNamesError:
    """The error about unknown names of columns, whose option also names the column of the judge of
    each row, if the table has a further column."""
    names = list(error.others)
    if not names:
        return error
    names.sort(key=lambda name: error.others[name])  # words before numbers
    return UnknownNamesError.of(error.reason, {**error.columns, JUDGE: names[0]}, error.others)


def column_beside_qrels(path: str, columns: Sequence[tuple[str, str]] = ()) -> str:
    """The column of a file beside those of topics, documents and levels, which may name the judge
    of each row; empty if there is none, or if there are several."""
    names = header_of(path, columns)
    if not names:
        return ""
    read, _ = Reading(QRELS, Chosen(columns=columns_named(columns))).columns(path, names)
    others = [name for name in names if name not in read.values()]
    return others[0] if len(others) == 1 else ""


def _judges_of_rows(source: str, by_judge: Mapping[str, Rows]) -> JudgesOfTable:
    """The judges of a table with a row for each judgment, the first of which stands for the human.

    Raises as `_first_of_rows`.
    """
    documents = {name: documents_of(rows) for name, rows in by_judge.items()}
    kinds = {name: judge_of(plain(name)) for name in by_judge}
    first, reason = _first_of_rows(source, by_judge, kinds, documents)
    others = [name for name in by_judge if name != first]
    compared = [name for name in others if not documents[first].isdisjoint(documents[name])]
    compared = compared or others
    another, *others_of_line = compared
    line = _line_of_rows(source, [another, first, *others_of_line])
    others_are = "the other judges are" if len(compared) > 1 else "the other judge is"
    text = f"{first} stands for the human, {reason}; {others_are} {listed(compared, MOST_LEVELS)}"
    apart = [name for name in others if name not in compared]
    if apart:
        text += f"; without a document of {first}, and not compared: {listed(apart, MOST_LEVELS)}"
    text += f"; if another is meant, name it first: {line}"
    judgments = {name: Judgments(rows, None) for name, rows in by_judge.items()}
    machines_by_name = {name: judgments[name] for name in compared}
    remark = Remark(CHOSEN_JUDGES, source, text)
    human_name = THE_HUMAN if kinds[first] == HUMAN else first
    return JudgesOfTable(judgments[first], machines_by_name, remark, human_name)


def _first_of_rows(
    source: str,
    by_judge: Mapping[str, Rows],
    kinds: Mapping[str, str],
    documents: Mapping[str, Collection[Any]],
) -> tuple[str, str]:
    """The judge that stands for the human in a table with a row for each judgment, and why.

    It is the human by the words of the names, or else the one with the most documents that is no
    machine. Raises `GradedError` if no name tells the human and several have the most documents.
    """
    humans = [name for name, kind in kinds.items() if kind == HUMAN]
    people = [name for name, kind in kinds.items() if kind != MACHINE]
    candidates = humans or people or list(by_judge)
    counts = {name: len(documents[name]) for name in candidates}
    highest = {name: by_judge[name].values.max(initial=0) for name in candidates}
    # The levels of all others must be on the scale of the first.
    first, *others = sorted(candidates, key=lambda name: (-counts[name], -highest[name]))
    if not others:
        if humans:
            return first, "by its name"
        return first, "because the names of all others tell a machine"
    is_alone = counts[first] > counts[others[0]]
    if humans:
        most = ", with the most documents" if is_alone else ""
        return first, f"by its name, as one of {len(humans)} that tell a human{most}"
    if is_alone:
        most_of_others = f"{others[0]} has {counts[others[0]]:,}"
        return first, f"with the most documents ({counts[first]:,}; {most_of_others})"
    tied = [name for name in (first, *others) if counts[name] == counts[first]]
    line = _line_of_rows(source, [*tied, *(name for name in by_judge if name not in tied)])
    raise GradedError(
        f"{source or 'the table'}: no name of a judge tells the human, and {len(tied)} judges have "
        f"the most documents, {counts[first]:,} each ({listed(tied, MOST_LEVELS)}); name the human "
        f"first: {line}"
    )


def _line_of_rows(source: str, names: Sequence[str]) -> str:
    """The call that names judges of rows."""
    more = " …" if len(names) > MOST_NAMED else ""
    if source:
        words = [quoted(f"{source}:{name}") for name in names[:MOST_NAMED]]
        return " ".join([PROGRAM, *words]) + more
    return "judges(frames.pop(name), frames) with frames = dict(list(frame.groupby(column)))"


def _which_is_which(source: str, names: Sequence[str]) -> str:
    """The message that names do not tell the human, with what to type."""
    where = source or "the table"
    return (
        f"{where} has several columns of levels ({listed(names)}), whose names do not tell the "
        f"human from the machines; name the human first: {_line(source, names)}"
    )


def _line(source: str, names: Sequence[str]) -> str:
    """The call that names the columns of judges, the human's first."""
    if source:
        words = [quoted(f"{source}:{name}") for name in names]
        return " ".join([PROGRAM, *words])
    human, *machines = [f"read_qrels(table, {{'relevance': {name!r}}})" for name in names]
    by_name = [f"{name!r}: {machine}" for name, machine in zip(names[1:], machines, strict=True)]
    return f"judges({human}, {{{', '.join(by_name)}}})"


def _kinds_of_judges(
    table: Any, names: Sequence[str], columns: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """The columns of levels, and of which kind the judge of each is by its name.

    A column whose name tells nothing has levels if its first numbers are few whole ones. Raises
    `GradedError` for words as levels, of which the user must name the numbers.
    """
    ids = _ids(names, dict(columns))
    if None in ids:
        return {}
    usual_levels = set(NAMES[QRELS.value][0]) | set(NAMES[QRELS.value][1])
    usual_levels |= set(NAMES[QRELS.value][2])
    no_levels = _names_of_others() - usual_levels
    kinds: dict[str, str] = {}
    failures: list[GradedError] = []
    for name in names:
        bare_name = plain(name)
        if name in ids or bare_name in no_levels or not may_be_levels(bare_name):
            continue
        kind = judge_of(bare_name)
        is_usual = bare_name in usual_levels
        try:
            first_levels = _first_levels(table, name, columns)
        except GradedError as error:
            if kind or is_usual:
                failures.append(error)
            continue
        if kind or is_usual:
            kinds[name] = kind or NEUTRAL
        elif _are_levels(first_levels):
            kinds[name] = ""
    if len(kinds) < 2 and len(kinds) + len(failures) > 1:
        raise failures[0]
    return kinds


def _ids(names: Sequence[str], chosen: Mapping[str, str]) -> list[str | None]:
    """The columns of topics and documents, as the user, their names or their words tell."""
    ids = {ours: chosen.get(ours) or column_name("the table", names, ours) for ours in IDS}
    missing = [ours for ours, name in ids.items() if name is None]
    ids |= by_their_words(names, missing, [name for name in ids.values() if name is not None])
    return list(ids.values())


def _names_of_others() -> set[str]:
    """The names of columns of topics, documents, scores, runs and others that are no levels."""
    names: set[str] = set()
    for ours, groups in NAMES.items():
        if ours != QRELS.value:
            names.update(*groups)
    return names


def _are_levels(numbers: np.ndarray) -> bool:
    """Whether numbers are few whole ones, which repeat."""
    distinct = np.unique(numbers).size
    return is_whole(numbers) and distinct <= MOST_LEVELS and distinct < numbers.size


def _first_levels(table: Any, name: str, columns: Sequence[tuple[str, str]]) -> np.ndarray:
    """The first levels of a column. Raises `GradedError` if it has none."""
    if isinstance(table, (str, os.PathLike)):
        levels_named = with_levels(columns, name)
        levels = first_part(os.fspath(table), QRELS, levels_named).columns[QRELS.value]
    else:
        levels = _in_memory(table, name, columns).rows.values
    return np.asarray(levels)


def with_levels(columns: Sequence[tuple[str, str]], name: str) -> list[tuple[str, str]]:
    """The names of columns, that of the levels among them; without a name as they are."""
    if not name:
        return list(columns)
    others = [pair for pair in columns if pair[0] != QRELS.value]
    return [*others, (QRELS.value, name)]


def _judge(table: Any, name: str, columns: Sequence[tuple[str, str]]) -> Any:
    """The judge with the levels of a column."""
    if isinstance(table, (str, os.PathLike)):
        return str(JudgeWord("", os.fspath(table), name))
    return _in_memory(table, name, columns)


def _in_memory(table: Any, name: str, columns: Sequence[tuple[str, str]]) -> Judgments:
    """The levels in a column of a table in memory, without the rows that have none."""
    chosen = Chosen(columns=tuple(with_levels(columns, name)))
    cells = {ours: list(column) for ours, column in under_our_names(table, QRELS, chosen).items()}
    no_levels = [word.decode() for word in UNJUDGED]
    answered: list[int] = []
    for row, level in enumerate(cells[QRELS.value]):
        is_missing = level is None or level != level or level in no_levels  # NaN differs from NaN
        if not is_missing:
            answered.append(row)
    unjudged = len(cells[QRELS.value]) - len(answered)
    rows = read_qrels({ours: [column[row] for row in answered] for ours, column in cells.items()})
    return Judgments(replace(rows, facts=rows.facts._replace(unjudged=unjudged)), None)


def first_part(path: str, role: Role, columns: Sequence[tuple[str, str]]) -> Part:
    """The first rows of a file, as qrels or a run. Raises `GradedError` if it is none."""
    reading = Reading(role, Chosen(unjudged=UNJUDGED, columns=columns_named(columns)))
    with closing(parts_of(path, reading)) as parts:
        return joined(islice(parts, 1), role)
