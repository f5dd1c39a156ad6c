"""Effort: how many documents more must be examined with one run than with another for the same
gain.

`effort` reads mean curves across, as section 3 of Järvelin & Kekäläinen 2002 does: "Given the worst
run, the user has to examine 50 documents in order to get the (discounted) benefit that is obtained
with the best run at rank 10."
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..arguments import text
from ..core.registry.facts import ZERO, is_normalised, sign_of
from ..errors import GradedError, did_you_mean
from ..evaluation.at_ranks import one_measure
from ..evaluation.attributes import By
from ..evaluation.checked import checks_arguments
from ..evaluation.level_notes import notes_on_rel
from ..evaluation.named import Qrels, Runs, named_runs
from ..evaluation.order_of_runs import best_first
from ..evaluation.weights import counted_by
from ..output.figures import GREY, PALE, Figure, Line, Lines, picture, run_styles
from ..output.formats import counted, decimal, known, listed, with_minus
from ..output.result import Result
from ..output.tables import Column, Note, Table
from ..progress import Progress
from .curves import IDEAL, Curves, axis_of, curves
from .statistics.options import as_list, whole_number

RANKS: Final = (5, 10, 20)
"""The ranks of the baseline whose values are to be reached."""
ROUNDING: Final = 1e-12
"""Relative: means of equal curves may differ by rounding errors."""
COLUMNS: Final = ("run", "baseline", "at", "value", "documents", "more", "ratio")
NEEDS: Final = "{} {} {} than {} for the {} of {} that {} has at rank {}"
EARLIER: Final = (
    "{} reaches the {} of {} that it has at rank {} at rank {} already, so its ranks do not tell "
    "the effort."
)
FALLS: Final = (
    "The mean {} of {} {} in some ranks; the first rank that reaches a value counts. "
    "CG and DCG_JK never fall."
)
FLAWLESS: Final = (
    "The ideal list has {} = 1 at every rank, so only a list without a flaw reaches it. Use a "
    "measure that is not normalised, such as CG, or a run as the baseline."
)


MOST_COLOURED = 8
"""The number of runs that the figure names."""


@dataclass(frozen=True, eq=False, repr=False)
class Effort(Result):
    """The number of documents that must be examined with each run for the values of the baseline.

    `baseline` is a run, or ``ideal`` for the judged documents in the best order. `values` (depth)
    is its mean curve: the values that it has at the ranks 1 … depth. `over` counts the topics in
    words. `documents` (runs × depth) holds, for each of `runs` and each of these values, the first
    rank at which the mean curve of the run reaches the value; NaN if it does not within the depth.
    `runs` include the baseline and, for CG, DCG_JK and DCG_Burges, ``ideal``. `at` are the ranks of
    the baseline that tables show. `falling` are the runs whose curves fall somewhere. `levels` are
    those of the qrels.
    """

    measure: Measure
    over: str
    baseline: str
    at: tuple[int, ...]
    runs: tuple[str, ...]
    values: np.ndarray
    documents: np.ndarray
    falling: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()

    @property
    def depth(self) -> int:
        """The last rank that is examined."""
        return self.values.size

    @property
    def more(self) -> np.ndarray:
        """The documents more than with the baseline for each of its values (runs × depth)."""
        return self.documents - self.documents[self.runs.index(self.baseline)]

    @property
    def others(self) -> list[int]:
        """The numbers of the runs other than the baseline and the ideal list.

        The ideal list counts as one if there is no other.
        """
        numbers = [number for number, run in enumerate(self.runs) if run != self.baseline]
        without_ideal = [number for number in numbers if self.runs[number] != IDEAL]
        return without_ideal or numbers

    def answer(self) -> list[Note]:
        """The runs that need most and fewest documents, for each of the ranks."""
        return [self._answer(rank) for rank in self.at]

    @property
    def _baseline_in_words(self) -> str:
        return "the ideal list" if self.baseline == IDEAL else self.baseline

    def _answer(self, rank: int) -> Note:
        value = decimal(float(self.values[rank - 1]))
        baseline = self._baseline_in_words
        own = int(self.documents[self.runs.index(self.baseline), rank - 1])
        if own < rank and self.baseline in self.falling:
            return Note(EARLIER, baseline, self.measure, value, rank, own)
        more: dict[str, float] = {}
        for number in self.others:
            run = self.runs[number]
            name = "The ideal list" if run == IDEAL else run
            more[name] = self.more[number, rank - 1]
        reached = {run: int(count) for run, count in more.items() if not np.isnan(count)}
        missing = [run for run in more if run not in reached]
        if not reached:
            text = "No {}run reaches the {} of {} that {} has at rank {} within {}."
            other = "" if self.baseline == IDEAL else "other "
            ranks = counted(self.depth, "rank")
            return Note(text, other, self.measure, value, baseline, rank, ranks)
        highest = max(reached.values())
        lowest = min(reached.values())
        most = sorted(run for run, count in reached.items() if count == highest)
        fewest = sorted(run for run, count in reached.items() if count == lowest)
        text = NEEDS
        names: list[Any] = [listed(most), _need(most), _more(highest)]
        names += [baseline, self.measure, value, baseline, rank]
        if lowest < highest:
            text += "; {} {} {}"
            names += [listed(fewest), _need(fewest), _more(lowest).removesuffix(" documents")]
        if missing:
            text += "; {} {} not reach it within {}"
            do = "does" if len(missing) == 1 else "do"
            names += [listed(missing), do, counted(self.depth, "rank")]
        return Note(f"{text}.", *names)

    def data(self) -> Table:
        """One row per run and rank of `at`.

        `value` is that of the baseline at this rank, `documents` the number that the run needs for
        it, `more` how many more these are than with the baseline, and `ratio` how many times as
        many. They are None if the run does not reach the value.
        """
        columns = np.array(self.at) - 1
        base = self.documents[self.runs.index(self.baseline)]
        rows = []
        for number, run in enumerate(self.runs):
            documents = self.documents[number]
            counts = [documents[columns], self.more[number][columns]]
            whole = [[_whole(count) for count in row.tolist()] for row in counts]
            ratios = known(documents[columns] / base[columns])
            values = self.values[columns].tolist()
            for cells in zip(self.at, values, *whole, ratios, strict=True):
                rows.append([run, self.baseline, *cells])
        return Table(COLUMNS, rows)

    def tables(self) -> list[Table]:
        """One row per run: the documents for each value, and how many more these are."""
        heads = [Column("run")]
        for rank in self.at:
            heads.append(Column(f"at_{rank}", f"as {self.baseline} at {rank}"))
        cells: dict[str, list[str]] = {run: [] for run in self.runs}
        for record in self.records():
            cells[record["run"]].append(self._cell(record))
        rows = [[run, *cells_of_run] for run, cells_of_run in cells.items()]
        return [Table(heads, rows)]

    def _cell(self, record: dict[str, Any]) -> str:
        if record["documents"] is None:
            return f"> {self.depth}"
        if record["run"] == self.baseline:
            return str(record["documents"])
        more = with_minus(f"{record['more']:+d}")
        return f"{record['documents']} ({more})"

    def figure(self, *, title: str = "") -> Figure:
        """Draw the documents more against the value, a line a run, the cheapest first.

        Needs the extra ``plot``.
        """
        # The values of a baseline that falls are not in the order of its ranks.
        values, places = np.unique(self.values, return_index=True)
        cheapest_first = best_first(-self.more[:, self.at[-1] - 1], self.runs)
        order = [run for run in cheapest_first if run in self.others]
        coloured = order[:MOST_COLOURED]
        styles = run_styles(self.runs[run] for run in coloured)
        style_of_baseline = {"color": GREY, "linewidth": 0.9, "linestyle": (0, (2, 2))}
        lines = [Line(self.baseline, np.zeros(values.size), style_of_baseline)]
        for run in order:
            name = self.runs[run]
            style = dict(styles.get(name, PALE))
            if run in coloured:
                style["markevery"] = max(1, self.depth // 8)
            elif run == order[MOST_COLOURED]:
                name = counted(len(order) - MOST_COLOURED, "other run")
            else:
                name = ""
            lines.append(Line(name, self.more[run, places], style))
        baseline = self._baseline_in_words
        marks = {f"at {rank}": float(self.values[rank - 1]) for rank in self.at}
        drawing = Lines(
            values,
            lines,
            x_label=axis_of(self.measure, is_in_heading=False),
            y_label=f"documents more than with {baseline}",
            marks=marks,
            whole_y=True,
        )
        text = (
            f"Documents to examine for the same value, more than with {baseline}. A line ends "
            f"where the run does not reach the value within {counted(self.depth, 'rank')}. "
            f"Dashed upright: the value of {baseline} at this rank."
        )
        if len(order) > MOST_COLOURED:
            text += (
                f" In colour: the {MOST_COLOURED} runs that need fewest documents for the value at "
                f"rank {self.at[-1]}."
            )
        return picture([drawing], title or self.summary, text)

    def notes(self) -> list[Note]:
        """The meaning of the cells, and why ranks may not belong to values."""
        meaning = (
            "Documents to examine until the mean {} over {} is that of {} at a rank; in "
            "parentheses those more than with {}."
        )
        baseline = self._baseline_in_words
        notes = [Note(meaning, self.measure, self.over, baseline, baseline)]
        if self.baseline == IDEAL and is_normalised(self.measure):
            notes.append(Note(FLAWLESS, self.measure))
        if self.falling:
            falls = "falls"
            if sign_of(self.measure) < 0:
                falls = "rises, which is worse,"
            notes.append(Note(FALLS, self.measure, listed(self.falling, 5), falls))
        return [*notes, *notes_on_rel([self.measure], self.levels)]


def _need(runs: Sequence[str]) -> str:
    """The verb of one run, or of several that need equally many documents."""
    return "needs" if len(runs) == 1 else "need"


def _more(count: int) -> str:
    """How many documents more these are, as a comparison."""
    if count == 0:
        return "no more documents"
    if count < 0:
        return counted(-count, "fewer document")
    return counted(count, "more document")


def _whole(count: float) -> int | None:
    """A number of documents, None for NaN."""
    return None if np.isnan(count) else int(count)


@checks_arguments("effort(qrels, {'old': old, 'new': new}, 'CG@100')")
def effort(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    depth: int | None = None,
    *,
    baseline: str | None = None,
    at: Iterable[int] | int = (),
    no_relevant: str = ZERO,
    weights: By = None,
    progress: Progress = False,
) -> Effort:
    """How many documents must be examined with each run for the values that the baseline has.

    - `qrels`, `runs`, `measure`, `depth`: as for `curves`; ranks behind `depth` are not examined.
    - `baseline`: a run, or ``ideal`` for the ideal list. By default it is the run with the best
      value at the last rank and, of a single run, the ideal list.
    - `at` (1 to `depth`): the ranks of the baseline whose values are to be reached; by default 5,
      10 and 20.
    - `no_relevant`, `weights`: how topics count, as for `evaluate`.

    The number of documents is the first rank at which the mean curve of the run is at least the
    value, or at most if smaller values are better. It is undefined, None in tables and NaN in
    arrays, if the curve does not reach the value within the depth.

    Source: Järvelin & Kekäläinen 2002, section 3.

    `progress` is as for `evaluate`.

    >>> qrels = {"q": {"a": 3, "b": 2, "c": 1}}
    >>> runs = {"good": {"q": ["a", "b", "c"]}, "late": {"q": ["x", "c", "y", "a", "b"]}}
    >>> result = effort(qrels, runs, "CG", depth=10, at=[1, 2])
    >>> result.baseline, result.values[:2], result.runs
    ('good', array([3., 5.]), ('ideal', 'good', 'late'))
    >>> result.documents[:, :2]
    array([[1., 2.],
           [1., 2.],
           [4., 5.]])

    Raises `GradedError` for an unknown baseline, for ranks outside 1 … depth, and as `curves`.
    """
    named = named_runs(runs)
    names = [run.name for run in named]
    needs_ideal = None
    if baseline == IDEAL or (baseline is None and len(names) == 1):
        baseline = IDEAL
        needs_ideal = True
    elif baseline is not None and text("baseline", baseline) not in names:
        choices = [*names, IDEAL]
        hint = did_you_mean(baseline, choices)
        raise GradedError(
            f"the baseline {baseline!r} is not among the runs {listed(names, most=10)}{hint}"
        )
    named_measure = one_measure(measure, "effort", uncut=True)
    judgments = counted_by(qrels, no_relevant, weights)
    curves_of_runs = curves(judgments, named, named_measure, depth, ideal=needs_ideal)
    if baseline is None:
        baseline = curves_of_runs.runs[curves_of_runs.order[0]]
    ranks = _ranks(at, curves_of_runs.ranks.size)
    return _read_across(curves_of_runs, baseline, ranks)


def _ranks(at: Iterable[int] | int, depth: int) -> tuple[int, ...]:
    """The ranks of the baseline, checked; by default the usual ones within the depth."""
    wanted = as_list(at)
    if not wanted:
        usual = [rank for rank in RANKS if rank <= depth]
        return tuple(usual or [depth])
    ranks = [whole_number(rank, "at", 1, depth) for rank in wanted]
    return tuple(dict.fromkeys(ranks))


def _read_across(curves_of_runs: Curves, baseline: str, at: tuple[int, ...]) -> Effort:
    """The first ranks at which the curves reach the values of the baseline's curve."""
    runs = curves_of_runs.runs
    values = curves_of_runs.values
    if curves_of_runs.ideal is not None:
        runs = (IDEAL, *runs)
        values = np.insert(values, 0, curves_of_runs.ideal, axis=0)
    wanted = values[runs.index(baseline)]
    sign = sign_of(curves_of_runs.measure)
    goodness = sign * values
    best_so_far = np.maximum.accumulate(goodness, axis=1)
    enough = sign * wanted - ROUNDING * np.abs(wanted)
    depth = wanted.size
    documents = np.empty(values.shape)
    for number, curve in enumerate(best_so_far):
        documents[number] = np.searchsorted(curve, enough) + 1
    documents[documents > depth] = np.nan
    is_falling = (goodness < best_so_far - ROUNDING * np.abs(best_so_far)).any(axis=1)
    falling = [runs[number] for number in np.flatnonzero(is_falling).tolist()]
    return Effort(
        curves_of_runs.measure,
        curves_of_runs.over,
        baseline,
        at,
        runs,
        wanted,
        documents,
        tuple(falling),
        curves_of_runs.levels,
    )
