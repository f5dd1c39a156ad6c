"""The table that papers print: runs × measures with marks and a caption, in LaTeX, Markdown and
HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import name_of, sign_of
from ...evaluation.order_of_runs import best_first, leading
from ...output.formats import (
    MINUS,
    PLACES,
    counted,
    escaped_html,
    escaped_latex,
    escaped_markdown,
)
from .open_pairs import MOST_PAIRS_NAMED, from_each_other


class Marks(NamedTuple):
    """The marks of the best and the second-best value, of letters above and below a value, of the
    deviation behind it, of its interval, and of a negative value, and what parts a value from its
    letters, and these from an interval that a value lacks."""

    best: str
    second: str
    above: str
    below: str
    deviation: str
    interval: str
    minus: str
    before_letters: str = ""
    without_interval: str = ""


DAGGER: Final = "†"
"""The mark of a measure in a head that is not its whole measure string, which the caption has."""
LATEX: Final = Marks(
    best=r"\textbf{%s}",
    second=r"\underline{%s}",
    above=r"\textsuperscript{%s}",
    below=r"\textsubscript{%s}",
    deviation=r" $\pm$ %s",
    interval=r" & {\footnotesize [%s, %s]}",
    minus="$-$",
    before_letters=" & ",
    without_interval=" & ",
)
HTML: Final = Marks(
    best="<b>%s</b>",
    second="<u>%s</u>",
    above="<sup>%s</sup>",
    below="<sub>%s</sub>",
    deviation=" ± %s",
    interval=" [%s, %s]",
    minus=MINUS,
)


MOST_WITH_INTERVALS: Final = 2
"""The intervals of more measures are wider than the text of LaTeX's class article."""
WIDE: Final = (
    r"% The table is wide: -p 3 shortens its numbers, and \footnotesize behind \centering makes it "
    "smaller."
)


def letters(number: int) -> str:
    """The letters of run `number`, counted from 0: A, B, …, Z, AA, AB, …"""
    first = ""
    if number >= 26:
        first = letters(number // 26 - 1)
    return first + chr(ord("A") + number % 26)


def labels(measures: Sequence[Measure]) -> list[str]:
    """The name and the cutoff of each measure, with a dagger if it has parameters, or the whole
    measure string if several agree in both.

    >>> from ir_measures import AP, nDCG
    >>> labels([nDCG(judged_only=True) @ 5, AP(rel=2), nDCG(judged_only=True) @ 10, nDCG @ 10])
    ['nDCG@5†', 'AP†', 'nDCG(judged_only=True)@10', 'nDCG@10']
    """
    cutoffs = ["".join(str(measure).partition("@")[1:]) for measure in measures]
    short = [name_of(measure) + cutoff for measure, cutoff in zip(measures, cutoffs, strict=True)]
    names = []
    for name, measure in zip(short, measures, strict=True):
        if short.count(name) > 1:
            name = str(measure)
        elif name != str(measure):
            name += DAGGER
        names.append(name)
    return names


def _in_full(measure: Measure) -> str:
    """The measure string, and in words what it says of the least relevant level.

    >>> from ir_measures import AP, nDCG
    >>> _in_full(AP(rel=2) @ 5), _in_full(nDCG(judged_only=True) @ 5)
    ('AP(rel=2)@5, relevant from level 2', 'nDCG(judged_only=True)@5')
    """
    if "rel" in measure.params:
        return f"{measure}, relevant from level {measure.params['rel']}"
    return str(measure)


@dataclass(frozen=True)
class PaperTable:
    """The means of runs by measures (`values`), and which differences between runs are significant.

    A value that is NaN is missing. `wins` has the better and the worse run of the significant
    differences by each measure, `open_pairs` the runs of the differences that were tested and are
    not significant. With `baselines`, the other runs are compared with these only.
    `about` are the sentences of the caption on data and test. `deviations` are printed behind the
    values, as far as they are known, and so are intervals, whose `bounds` (2 × runs × measures) are
    NaN where there is none.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    wins: Sequence[Collection[tuple[str, str]]]
    open_pairs: Sequence[Collection[tuple[str, str]]]
    baselines: Sequence[str]
    about: Sequence[str]
    deviations: np.ndarray | None = None
    bounds: np.ndarray | None = None

    @property
    def caption(self) -> str:
        """The meaning of the marks, and the test behind them."""
        marks = "Letters mark values significantly better than those of these runs."
        if len(self.baselines) == 1:
            worse = f"better (above) or worse (below) than {self.baselines[0]}."
            marks = f"The letter a marks values significantly {worse}"
        elif self.baselines:
            named = [f"{letter}: {run}" for run, letter in self.letters.items() if letter]
            marks = (
                "Letters mark values significantly better (above) or worse (below) than those of "
                f"the baselines ({', '.join(named)})."
            )
        if not any(map(len, [*self.wins, *self.open_pairs])):
            marks = ""  # nothing was tested
        marks += self._not_told_apart()
        second = ", the second-best underlined" if len(self.runs) > 2 else ""
        bold = f"The best values are bold{second}; arrows show the better direction."
        definitions = []
        for label, measure in zip(labels(self.measures), self.measures, strict=True):
            if label != str(measure):
                definitions.append(f"{label}: {_in_full(measure)}.")
        return " ".join(filter(None, [*self.about, bold, marks, *definitions]))

    def _not_told_apart(self) -> str:
        """The runs that the tests by the first measure cannot tell apart, those that they cannot
        tell from the best one first, if all runs are compared.

        Of many pairs, only those of the best run are named, or counted.
        """
        wins = self.wins[0]
        pairs = self.open_pairs[0]
        means = sign_of(self.measures[0]) * self.values[:, 0]
        has_mean = ~np.isnan(means)
        is_tested = bool(wins) or bool(pairs)
        if self.baselines or len(self.runs) < 3 or not has_mean.any() or not is_tested:
            return ""
        order = [self.runs[number] for number in best_first(means, self.runs)]
        best = order[0]
        names = f"the best run ({self.letters[best]})"
        if len(leading(means, self.runs)) > 1:
            names = f"one of the best runs ({self.letters[best]})"
        known = [run for run, is_known in zip(self.runs, has_mean, strict=True) if is_known]
        clauses = []
        if len(known) > 1 and all((best, run) in wins for run in known if run != best):
            clauses.append(f"{names} is significantly better than every other")
        chosen = [pair for pair in pairs if best in pair]
        if len(self.runs) * (len(self.runs) - 1) // 2 <= MOST_PAIRS_NAMED:
            chosen = list(pairs)
        if len(chosen) > MOST_PAIRS_NAMED:
            others = counted(len(chosen), "other")
            clauses.append(f"the tests cannot tell {names} from {others}")
        elif chosen:
            letter_of = self.letters | {best: names}
            of_letters = [(letter_of[run], letter_of[other]) for run, other in chosen]
            runs = from_each_other(of_letters, [letter_of[run] for run in order])
            clauses.append(f"the tests cannot tell {runs}")
        if not clauses:
            return ""
        return f" By {labels(self.measures)[0]}, {'; '.join(clauses)}."

    @property
    def letters(self) -> dict[str, str]:
        """The letter of each run; with baselines, only these have one."""
        if not self.baselines:
            return {run: letters(number).lower() for number, run in enumerate(self.runs)}
        letter_of = dict.fromkeys(self.runs, "")
        for number, baseline in enumerate(self.baselines):
            letter_of[baseline] = letters(number).lower()
        return letter_of

    def _column(self, number: int, places: int, marks: Marks) -> list[str]:
        """The printed means by one measure with their marks; equal printed numbers are equally
        good."""
        means = self.values[:, number].tolist()
        printed = [_printed(mean, places) for mean in means]
        better_first = -sign_of(self.measures[number]) * np.array(printed, dtype=float)
        ranks = np.unique(better_first, return_inverse=True)[1].tolist()
        cells = []
        for row, run in enumerate(self.runs):
            cell = self._emphasised(_signed(printed[row], marks), ranks[row], marks)
            if self.deviations is not None:
                deviation = float(self.deviations[row, number])
                if not np.isnan(deviation):
                    cell += marks.deviation % _printed(deviation, places)
            letters = self._letters_of(run, number, marks)
            if np.isnan(means[row]):
                cell = "–"
                letters = ""
            interval = self._interval_of(row, number, places, marks)
            cells.append(f"{cell}{marks.before_letters}{letters}{interval}")
        return cells

    def _interval_of(self, row: int, number: int, places: int, marks: Marks) -> str:
        """The interval of a mean in brackets; empty without intervals."""
        if self.bounds is None:
            return ""
        lower, upper = self.bounds[:, row, number].tolist()
        if np.isnan(lower) or np.isnan(upper):
            return marks.without_interval
        ends = [_signed(_printed(end, places), marks) for end in (lower, upper)]
        return marks.interval % tuple(ends)

    def _emphasised(self, printed: str, rank: int, marks: Marks) -> str:
        """A printed mean; the best is bold, the second-best of more than two underlined."""
        if rank == 0:
            return marks.best % printed
        if rank == 1 and len(self.runs) > 2:
            return marks.second % printed
        return printed

    def _letters_of(self, run: str, number: int, marks: Marks) -> str:
        """The letters of the runs that a run beats and, with baselines, of those that beat it."""
        wins = self.wins[number]
        letter_of = {other: letter for other, letter in self.letters.items() if letter}
        beaten = [letter for other, letter in letter_of.items() if (run, other) in wins]
        beating = []
        if self.baselines:
            beating = [letter for other, letter in letter_of.items() if (other, run) in wins]
        text = ""
        if beaten:
            text += marks.above % _joined(beaten)
        if beating:
            text += marks.below % _joined(beating)
        return text

    def latex(self, places: int = PLACES) -> str:
        """The table with the rules of booktabs, in an environment with a caption."""
        head, *rows = self._rows(places, escaped_latex, LATEX)
        # One column for the letter of a run, one for its name, and two for each measure: the
        # numbers at the right, so that their decimals are aligned, and the letters behind them. A
        # third one has the intervals.
        of_measure = "r@{}l"
        width = 2
        if self.bounds is not None:
            of_measure = r"r@{}l@{\ }r"
            width = 3
        columns = "ll" + of_measure * len(self.measures)
        head[2:] = [rf"\multicolumn{{{width}}}{{c}}{{{name}}}" for name in head[2:]]
        lines = []
        if self.bounds is not None and len(self.measures) > MOST_WITH_INTERVALS:
            lines.append(WIDE)
        lines += [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped_latex(self.caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
        ]
        lines += [" & ".join(row) + r" \\" for row in rows]
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        return "\n".join(lines)

    def markdown(self, places: int = PLACES) -> str:
        """The table in GitHub's Markdown, above its caption."""
        head, *rows = self._rows(places, escaped_markdown, HTML)
        rule = ["---", "---"] + ["--:"] * len(self.measures)
        lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
        return "\n".join([*lines, "", escaped_markdown(self.caption)])

    def html(self, places: int = PLACES) -> str:
        """The table in HTML with its caption."""
        head, *rows = self._rows(places, escaped_html, HTML)
        lines = ["<table>", f"<caption>{escaped_html(self.caption)}</caption>"]
        heads = "".join(f"<th>{name}</th>" for name in head)
        lines.append(f"<tr>{heads}</tr>")
        for row in rows:
            cells = "".join(f"<td>{cell}</td>" for cell in row)
            lines.append(f"<tr>{cells}</tr>")
        lines.append("</table>")
        return "\n".join(lines)

    def _rows(self, places: int, escaped: Callable[[str], str], marks: Marks) -> list[list[str]]:
        """The names of the columns, then the letter, the name and the values of each run."""
        names = ["", "run"]
        for label, measure in zip(labels(self.measures), self.measures, strict=True):
            arrow = "↓" if sign_of(measure) < 0 else "↑"
            names.append(f"{label} {arrow}")
        columns = [self._column(number, places, marks) for number in range(len(self.measures))]
        rows = [list(map(escaped, names))]
        for row, (run, letter) in enumerate(self.letters.items()):
            cells = [column[row] for column in columns]
            rows.append([letter, escaped(run), *cells])
        return rows


def _printed(number: float, places: int) -> str:
    """A number with so many decimals; below 0, with all."""
    if places < 0:
        return repr(number)
    return f"{number:.{places}f}"


def _signed(printed: str, marks: Marks) -> str:
    """A printed number with the minus of a format."""
    return re.sub("^-", lambda _: marks.minus, printed)


def _joined(run_letters: Sequence[str]) -> str:
    """Letters of runs; commas part them if one has several characters."""
    separator = "," if max(map(len, run_letters)) > 1 else ""
    return separator.join(run_letters)
