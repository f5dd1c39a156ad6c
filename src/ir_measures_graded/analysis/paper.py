"""The table of a comparison as papers print it: runs × measures, with marks, in LaTeX, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
from ir_measures import Measure

from ..output.formats import PLACES, counted, escaped_latex, escaped_markdown
from ..registry.facts import sign_of
from .comparison import PAIRED_T, Comparison, letters


@dataclass(frozen=True)
class Group:
    """Columns of one measure with several cutoffs. `definition` is its measure string without a cutoff."""

    label: str
    definition: str
    columns: tuple[int, ...]
    cutoffs: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """A printed mean, and the letters of the runs than which it is significantly better and worse."""

    text: str
    best: bool
    second: bool
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()


def groups(measures: Sequence[Measure]) -> list[Group]:
    """The measures, those that differ in the cutoff alone together.

    A group is labelled with the name of its measure, and with a number if several groups have this name.

    >>> from ir_measures import AP, nDCG
    >>> for each in groups([nDCG @ 5, AP, nDCG @ 10, nDCG(judged_only=True) @ 5]):
    ...     print(each.label, each.cutoffs)
    nDCG (1) ('@5', '@10')
    AP ('',)
    nDCG (2) ('@5',)
    """
    columns: dict[str, list[int]] = {}
    for number, measure in enumerate(measures):
        columns.setdefault(str(measure).partition("@")[0], []).append(number)
    names = [measures[numbers[0]].NAME for numbers in columns.values()]
    found = []
    for place, (definition, numbers) in enumerate(columns.items()):
        name = names[place]
        label = f"{name} ({names[: place + 1].count(name)})" if names.count(name) > 1 else name
        cutoffs = tuple(str(measures[number]).removeprefix(definition) for number in numbers)
        found.append(Group(label, definition, tuple(numbers), cutoffs))
    return found


def cells(found: Comparison, places: int = PLACES) -> list[list[Cell]]:
    """The means of each run (rows) by each measure (columns), with their marks.

    Equal printed numbers are equally good. With a baseline, its letter marks the other runs on both sides.
    """
    by_measure = []
    for measure, means in zip(found.measures, found.values.T.tolist()):
        printed = [f"{mean:.{places}f}" if places >= 0 else repr(mean) for mean in means]
        rank = np.unique(-sign_of(measure) * np.array(printed, dtype=float), return_inverse=True)[1]
        column = [Cell(text, place == 0, place == 1) for text, place in zip(printed, rank.tolist())]
        for test in found.find(measure, PAIRED_T):
            if test.significant and test.better is not None:
                loser = test.other if test.better == test.run else test.run
                winner, beaten = found.runs.index(test.better), found.runs.index(str(loser))
                if found.reference in (None, loser):
                    above = {*column[winner].better, _letter(found, beaten)}
                    column[winner] = replace(column[winner], better=tuple(sorted(above, key=_alphabetical)))
                else:
                    column[beaten] = replace(column[beaten], worse=(_letter(found, winner),))
        by_measure.append(column)
    return [list(row) for row in zip(*by_measure)]


def _letter(found: Comparison, run: int) -> str:
    """The letter of a run in small print; with a baseline, only this run has one."""
    if found.reference is None:
        return letters(run).lower()
    return "a" if found.runs[run] == found.reference else ""


def _alphabetical(letter: str) -> tuple[int, str]:
    return len(letter), letter


def _joined(names: Sequence[str]) -> str:
    """Letters without commas, if each is a single one."""
    return ("" if all(len(name) == 1 for name in names) else ",").join(names)


def caption(found: Comparison) -> str:
    """What the marks mean, and how they were computed."""
    several = f", Holm's correction for {counted(found.family, 'difference')} per measure" * (
        found.family > 1
    )
    marks = (
        f"The letter a marks values significantly better (above) or worse (below) than {found.reference}"
        if found.reference is not None
        else "Letters mark values significantly better than those of these runs"
    )
    definitions = [each for each in groups(found.measures) if each.definition != each.label]
    text = (
        f"Means over {counted(found.topics, 'topic')}; the best values are bold, the second-best underlined, "
        f"and arrows show the better direction. {marks}: paired t-test{several}, p < {found.alpha:g}."
    )
    return " ".join([text, *(f"{each.label}: {each.definition}." for each in definitions)])


def latex(found: Comparison, places: int = PLACES, comments: Iterable[str] = ()) -> list[str]:
    """The table with the rules of booktabs, in an environment with a caption, between comments and notes."""
    arrows = {1: r"$\uparrow$", -1: r"$\downarrow$"}
    parts = groups(found.measures)
    above, rules, below = ["", *[""]], [], ["", ""]
    column = 3
    for each in parts:
        width = len(each.columns)
        arrow = arrows[sign_of(found.measures[each.columns[0]])]
        above.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped_latex(each.label)} {arrow}}}")
        rules.append(rf"\cmidrule(lr){{{column}-{column + width - 1}}}")
        below += list(each.cutoffs)
        column += width
    lines = [
        *(f"% {' '.join(line.split())}" for line in comments),
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped_latex(caption(found))}}}",
        rf"\begin{{tabular}}{{ll{'l' * len(found.measures)}}}",
        r"\toprule",
        rf"{' & '.join(above)} \\",
        *([" ".join(rules), rf"{' & '.join(below)} \\"] if any(below) else []),
        r"\midrule",
    ]
    for row in _rows(found, places, escaped_latex, _in_latex):
        lines.append(rf"{' & '.join(row)} \\")
    notes = (f"% {note}" for note in found.notes())
    return [*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", *notes]


def _in_latex(cell: Cell) -> str:
    text = rf"\textbf{{{cell.text}}}" if cell.best else cell.text
    text = rf"\underline{{{text}}}" if cell.second else text
    for command, names in (("textsuperscript", cell.better), ("textsubscript", cell.worse)):
        text += f"\\{command}{{{_joined(names)}}}" if names else ""
    return text


def _in_html(cell: Cell) -> str:
    text = f"<b>{cell.text}</b>" if cell.best else f"<u>{cell.text}</u>" if cell.second else cell.text
    for tag, names in (("sup", cell.better), ("sub", cell.worse)):
        text += f"<{tag}>{_joined(names)}</{tag}>" if names else ""
    return text


def _rows(
    found: Comparison, places: int, escaped: Callable[[str], str], printed: Callable[[Cell], str]
) -> list[list[str]]:
    """Each run: its letter, its name, and its cells in the order of the groups."""
    order = [column for each in groups(found.measures) for column in each.columns]
    return [
        [_letter(found, number), escaped(run), *(printed(row[column]) for column in order)]
        for number, (run, row) in enumerate(zip(found.runs, cells(found, places)))
    ]


def _head(found: Comparison) -> list[str]:
    """The name of each column in the order of the groups, with an arrow."""
    arrows = {1: "↑", -1: "↓"}
    return [
        f"{each.label}{cutoff} {arrows[sign_of(found.measures[column])]}"
        for each in groups(found.measures)
        for column, cutoff in zip(each.columns, each.cutoffs)
    ]


def markdown(found: Comparison, places: int = PLACES) -> list[str]:
    """The table in GitHub's Markdown, above its caption."""
    head = ["", "run", *map(escaped_markdown, _head(found))]
    rows = _rows(found, places, escaped_markdown, _in_html)
    rule = ["---", "---", *["--:"] * len(found.measures)]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    return [*lines, "", escaped_markdown(caption(found))]


def html(found: Comparison, places: int = PLACES, comments: Iterable[str] = ()) -> list[str]:
    """The table in HTML with its caption, below the comments."""
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", "run", *_head(found)))
    body = (
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for row in _rows(found, places, escape, _in_html)
    )
    notes = (f"<!-- {escape(line).replace('--', '- -')} -->" for line in comments)
    return [
        *notes,
        "<table>",
        f"<caption>{escape(caption(found))}</caption>",
        f"<tr>{head}</tr>",
        *body,
        "</table>",
    ]
