"""Curves: the mean of a measure over topics at every rank, one line per run.

Figures 1 to 4 of Järvelin & Kekäläinen 2002 and Figure 1 of Kekäläinen 2005 are such curves.
`curves` computes all ranks of a run in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from ir_measures import Measure

from ..arguments import text as text_in
from ..core.measures.base import GradedMeasure
from ..core.measures.gain_sums import GainSum
from ..core.measures.topics import ratio
from ..core.provider import check_levels
from ..core.ranking.gains import gain_of
from ..core.registry.facts import (
    ONE,
    ZERO,
    gains_of,
    is_normalised,
    is_plain_sum,
    name_of,
    needs_intents,
    range_of,
    sign_of,
)
from ..core.registry.notation import checked, parse_measures
from ..core.registry.sentences import description_of
from ..errors import GradedError, NotApplicableError, did_you_mean
from ..evaluation.at_ranks import DEEPEST, at_ranks, uncut, values_at_ranks
from ..evaluation.attributes import By
from ..evaluation.checked import checks_arguments
from ..evaluation.counting import with_effective
from ..evaluation.level_notes import notes_for_caption, notes_on_rel
from ..evaluation.named import (
    Judgments,
    Qrels,
    Run,
    Runs,
    about,
    named_runs,
    read_judgments,
    study_of,
)
from ..evaluation.order_of_runs import best_first, leading, tie_groups
from ..evaluation.remarks import issued_together
from ..evaluation.weights import MeansOverTopics, counted_by
from ..output import figures
from ..output.formats import counted, decimal, listed, short
from ..output.result import Result
from ..output.tables import Note, Table
from ..progress import Progress, steps
from .statistics.options import as_list, check_probability, refuse_large, whole_number
from .statistics.resampling import bootstrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEPTH = 100
RESAMPLES = 1000
IDEAL = "ideal"
GREY_LINE = f"Thick grey: {IDEAL}, the judged documents in the best order."
RANK = "rank"
RANK_IN_WORDS = "rank: documents read from the top"
MOST_COLOURED = 12
"""The largest number of runs of which figures show all in colour."""
BEST_COLOURED = 5
"""The number of the best of more runs that figures show in colour."""
SIZE_OF_PANEL = (3.7, 2.8)
"""The size of each of several panels in inches."""
ACROSS = 2
"""The largest number of panels side by side."""
MARGIN = 0.05
"""The share of a vertical axis that is empty at each end if several panels have it."""
SHOWN_WEIGHTS = 5
"""The number of ranks whose weights a caption has."""
NARROW_BANDS = 50
"""Bands over fewer topics are too narrow."""
BYTES = 80
"""The memory that curves take for each topic and rank."""
MEAN_OF_RATIOS = "{}: each topic is divided by its ideal list, then averaged"
HOW_OTHERWISE = (
    ". --ratio_of_means divides the mean vector by the mean ideal vector, as Järvelin & Kekäläinen "
    "2002 do."
)
RATIO_OF_MEANS = (
    "{}: the mean vector of the topics is divided by their mean ideal vector, as in Järvelin & "
    "Kekäläinen 2002"
)
HOW_EVALUATE_DOES = "; evaluate averages the ratios of the topics."
LEAVES_OUT = "The best {} of {} are shown{}; {} are grey and have no column."
MOST_RANKS = 10
"""A table of so many ranks is short."""
FEW_RANKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The ranks of a short table, besides the cutoff and the last one."""
NARROW = Note(
    f"Below {NARROW_BANDS} topics, bands are narrow: in simulations, those of 95 % covered the "
    "mean in .87 to .94 of samples of 10 topics, and in .90 to .93 of 25."
)


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """The mean of a measure over topics at every rank.

    `values` (runs × depth) holds the curve of each of `runs` at the ranks 1 … depth. `ideal`
    (depth) is the curve of the judged documents in the best order, or None. `bands` (runs × 2 ×
    depth) are the lower and upper ends of the interval at level `confidence`; both are None without
    intervals. `topics` is the number of topics. Of more than 12 runs, figures show the best five
    and those to `highlight` in colour and the others in grey. Runs are ordered at the `cutoff`, or
    at the last rank if it is None. The curves of a single `topic` are its values. With
    `ratio_of_means`, the curve of a measure that divides by an ideal list is the mean vector of the
    topics divided by the mean ideal vector. `levels` are those of the qrels.
    """

    measure: Measure
    topics: int
    runs: tuple[str, ...]
    values: np.ndarray
    ideal: np.ndarray | None = None
    bands: np.ndarray | None = None
    confidence: float | None = None
    highlight: tuple[str, ...] = ()
    effective: float | None = None
    at: tuple[int, ...] = ()
    cutoff: int | None = None
    topic: str | None = None
    ratio_of_means: bool = False
    levels: tuple[float, ...] = ()

    @property
    def ranks(self) -> np.ndarray:
        """The ranks 1 … depth."""
        return np.arange(1, self.values.shape[1] + 1)

    @property
    def rows(self) -> np.ndarray:
        """The numbers of the ranks that tables have, from 0: those of `at`, or all."""
        ranks = self.at or self.ranks.tolist()
        return np.array(ranks, dtype=np.int64) - 1

    @cached_property
    def order(self) -> list[int]:
        """The numbers of the runs, the one that is best at the cutoff first."""
        at_cutoff = self.values[:, self.last - 1]
        return best_first(sign_of(self.measure) * at_cutoff, self.runs)

    @property
    def last(self) -> int:
        """The rank at which runs are ordered: the measure's cutoff, or the last one."""
        return min(self.cutoff or self.ranks.size, self.ranks.size)

    @property
    def unit(self) -> tuple[Any, ...]:
        """What values count: equal for measures whose values one axis can show."""
        ends = range_of(self.measure)
        if math.isfinite(ends[0]) and math.isfinite(ends[1]):
            return ends
        gains = gain_of(np.array(self.levels), gains_of(self.measure))
        return (axis_of(self.measure, True), *gains.tolist())

    @property
    def leaders(self) -> list[str]:
        """The best runs at the cutoff."""
        at_cutoff = self.values[:, self.last - 1]
        return leading(sign_of(self.measure) * at_cutoff, self.runs)

    @property
    def where(self) -> str:
        """The last rank, and the topics."""
        topics = f"over {self.over}"
        if self.topic is not None:
            topics = f"in {self.over}"
        return f" at rank {self.last} {topics}"

    @property
    def over(self) -> str:
        """The number of topics in words, or the only one."""
        if self.topic is not None:
            return f"topic {self.topic}"
        return with_effective(counted(self.topics, "topic"), self.effective)

    @property
    def shown(self) -> list[int]:
        """The numbers of the runs in colour, the best first."""
        if len(self.runs) <= MOST_COLOURED:
            return self.order
        best = self.order[:BEST_COLOURED]
        others = self.order[BEST_COLOURED:]
        return best + [run for run in others if self.runs[run] in self.highlight]

    @property
    def style_of(self) -> dict[str, dict[str, Any]]:
        """The style of the line of each run that figures show in colour."""
        return figures.run_styles(self.runs[number] for number in self.shown)

    @property
    def styles(self) -> list[dict[str, Any]]:
        """The style of the line of each run: colour, dashes and marker, or pale."""
        styles = self.style_of
        return [styles.get(run, figures.PALE) for run in self.runs]

    def answer(self) -> list[Note]:
        """The best run at the cutoff, or the best ones, and at how many ranks it is the best."""
        best = self.order[0]
        value = decimal(float(self.values[best, self.last - 1]))
        names = [self.runs[best], self.measure, value, self.last, self.over]
        if len(self.runs) == 1 and self.topic is not None:
            return [Note("{} has the {} {} at rank {} in {}.", *names)]
        if len(self.runs) == 1:
            text = "{} has the mean {} {} at rank {} over {}."
            return [Note(self._of_values(text), *names)]
        goodness = self.values * sign_of(self.measure)
        best_runs = self.leaders
        names[0] = listed(best_runs)
        have = "has" if len(best_runs) == 1 else "have"
        text = "{} {} the best mean {} at rank {}, {} over {}; {}."
        if self.topic is not None:
            text = "{} {} the best {} at rank {}, {} in {}; {}."
        text = self._of_values(text)
        _, measure, value, last, over = names
        at_ranks = self._leads(goodness, best_runs)
        return [Note(text, names[0], have, measure, last, value, over, at_ranks)]

    def _of_values(self, text: str) -> str:
        """A sentence about means, which a ratio of means is not."""
        return text.replace("mean ", "") if self.ratio_of_means else text

    def _leads(self, goodness: np.ndarray, best_runs: Sequence[str]) -> str:
        """At how many ranks the best run is the best, alone and with others."""
        is_best = tie_groups(goodness.T).T == 0
        best_at_rank = is_best.sum(axis=0)
        alone = (is_best & (best_at_rank == 1)).sum(axis=1).tolist()
        ranks = counted(self.ranks.size, "rank")
        equal = int((best_at_rank == len(self.runs)).sum())
        if equal == self.ranks.size:
            return "they are equal at every rank"
        if len(self.runs) == 2 and equal:
            first, second = self.order
            name = self.runs[first] if len(best_runs) > 1 else "it"
            ahead = f"{name} is better at {alone[first]} of {ranks}"
            behind = f"{self.runs[second]} at {alone[second]}"
            return f"{ahead}, {behind}, and they are equal at {equal}"
        numbers = [self.runs.index(run) for run in best_runs]
        if len(numbers) > 1:
            together = int(is_best[numbers].all(axis=0).sum())
            return f"they are the best at {together} of {ranks}"
        (number,) = numbers
        shared = int(is_best[number].sum()) - alone[number]
        if shared:
            return (
                f"it alone is the best at {alone[number]} of {ranks}, and with others at {shared}"
            )
        return f"it is the best at {alone[number]} of {ranks}"

    def tables(self) -> list[Table]:
        """One row per rank, or per rank of `at`, and one column per curve that figures show in
        colour, in the order of their legend, each followed by its band."""
        columns: dict[str, np.ndarray] = {RANK: self.ranks}
        if self.ideal is not None:
            columns[IDEAL] = self.ideal
        for number in self.shown:
            run = self.runs[number]
            columns[run] = self.values[number]
            if self.bands is not None:
                lower, upper = self.bands[number]
                columns[f"{run} lower"] = lower
                columns[f"{run} upper"] = upper
        cells = [column[self.rows].tolist() for column in columns.values()]
        rows = list(zip(*cells, strict=True))
        return [Table(list(columns), rows)]

    def at_few_ranks(self) -> Curves:
        """The curves whose tables have ranks such as 1, 2, 5, 10, the cutoff and the last one; all
        of at most ten ranks, and those of `at` if it has some."""
        depth = self.ranks.size
        if self.at or depth <= MOST_RANKS:
            return self
        chosen = {rank for rank in FEW_RANKS if rank < depth} | {self.last, depth}
        return replace(self, at=tuple(sorted(chosen)))

    def data(self) -> Table:
        """One row per curve and rank, or rank of `at`; without bands, `lower` and `upper` are
        None."""
        names = self.runs
        values = self.values
        bands = self.bands
        if bands is None:
            bands = np.full((len(names), 2, self.ranks.size), np.nan)
        if self.ideal is not None:
            names = (IDEAL, *names)
            values = np.insert(values, 0, self.ideal, axis=0)
            bands = np.insert(bands, 0, np.nan, axis=0)
        ranks = self.ranks[self.rows].tolist()
        axes = {"measure": [str(self.measure)], "run": names, RANK: ranks}
        arrays = {"value": values, "lower": bands[:, 0], "upper": bands[:, 1]}
        of_rows = {name: array[:, self.rows] for name, array in arrays.items()}
        return Table.of_arrays(axes, of_rows)

    def notes(self) -> list[Note]:
        """The kind of the bands, the curves that are left out, and how values are normalised."""
        return self.notes_on_lines() + self.notes_on_normalisation() + notes_on_rel_in([self])

    def notes_on_normalisation(self) -> list[Note]:
        """What is averaged and what is divided, if there are an ideal list and several topics."""
        return notes_on_normalisation([self])

    def notes_on_lines(self) -> list[Note]:
        """The kind of the bands, and the curves that are left out."""
        notes = []
        if self.confidence:
            notes.append(self._kind_of_bands(self.confidence))
            if (self.effective or self.topics) < NARROW_BANDS:
                notes.append(NARROW)
        others = len(self.runs) - len(self.shown)
        if others:
            runs = counted(len(self.runs), "run")
            notes.append(Note(LEAVES_OUT, BEST_COLOURED, runs, self._highlighted, others))
        return notes

    @property
    def _highlighted(self) -> str:
        return ", and those to highlight" if self.highlight else ""

    @staticmethod
    def _kind_of_bands(confidence: float) -> Note:
        return Note("{:g} % pointwise percentile bands", 100 * confidence)

    def figure(self, *, title: str = "") -> Figure:
        """Draw the curves; the legend starts with the run that is best at the measure's cutoff.

        Raises `GradedError` if Matplotlib is not installed.
        """
        return figures.picture([self.drawing_of_lines()], title or self.summary, self.caption)

    @property
    def caption(self) -> str:
        """What a reader must know of the figure."""
        about = [*self.about_lines, *self.words, *captions_on_normalisation([self])]
        return _by_subject([*about, *notes_for_caption([self.measure], self.levels)])

    @property
    def about_lines(self) -> list[str]:
        """What a reader must know of the lines, a sentence each."""
        parts = [f"Means over {self.over}."]
        if self.ratio_of_means:
            parts = [f"Ratios of means over {self.over}."]
        if self.topic is not None:
            parts = [f"Values of {self.over}."]
        if self.ideal is not None:
            parts.append(GREY_LINE)
        if self.confidence:
            bands = self._kind_of_bands(self.confidence)
            parts.append(f"Shaded: {bands}.")
        if self.cutoff is not None and self.cutoff < self.ranks.size:
            parts.append("Runs are ordered at the cutoff; ranks behind it are grey.")
        if len(self.shown) < len(self.runs):
            runs = f"the best {BEST_COLOURED} runs by {self.measure}"
            parts.append(f"In colour: {runs}{self._highlighted}.")
        return parts

    @property
    def words(self) -> list[str]:
        """What the measure is, in a sentence; none for a measure without a description."""
        description = description_of(self.measure)
        return [f"{name_of(self.measure)}: {description}."] if description else []

    def drawing_of_lines(
        self,
        styles: Mapping[str, Mapping[str, Any]] | None = None,
        shows_legend: bool = True,
        heading: str = "",
        order: Sequence[int] | None = None,
    ) -> figures.Lines:
        """The curves as a drawing, in this order of the runs, or the best one at the cutoff first.

        `styles` are those of some runs; the others are pale. The id of the line of run 3 is
        ``run-3``.
        """
        order = self.order if order is None else order
        if styles is None:
            styles = {run: style for run, style in zip(self.runs, self.styles, strict=True)
                      if style is not figures.PALE}  # fmt: skip
        ranks = self.ranks
        every = max(1, ranks.size // 8)
        lines = []
        if self.ideal is not None:
            style = {"color": figures.GREY, "linewidth": 2.5}
            lines.append(figures.Line(IDEAL, self.ideal, style))
        is_named = False
        others = len(self.runs) - sum(run in styles for run in self.runs)
        first_shown = [run for run in order if self.runs[run] in styles]
        pale = [run for run in order if self.runs[run] not in styles]
        for number in first_shown + pale:
            run = self.runs[number]
            style = dict(styles.get(run, figures.PALE))
            name = run
            band = None
            if run not in styles:
                name = "" if is_named else counted(others, "other run")
                is_named = True
            else:
                # Markers of different runs begin at different ranks.
                style["markevery"] = (number * every // len(self.runs), every)
                band = None if self.bands is None else self.bands[number]
            lines.append(figures.Line(name, self.values[number], style, band, f"run-{number}"))
        marks = {}
        grey_from = None
        if self.cutoff is not None and self.cutoff < ranks.size:
            marks = {f"cutoff {self.cutoff}": float(self.cutoff)}
            grey_from = float(self.cutoff)
        axis = axis_of(self.measure, bool(heading))
        if self.topic is not None or self.ratio_of_means:
            axis = axis.removeprefix("mean ")
        return figures.Lines(
            ranks, lines, RANK_IN_WORDS, axis, heading,
            marks=marks, grey_from=grey_from, whole_x=True, shows_legend=shows_legend,
        )  # fmt: skip


def notes_on_normalisation(curves: Iterable[Curves]) -> list[Note]:
    """What is averaged and what is divided, for measures that divide by an ideal list; none for a
    single topic."""
    normalised = _normalised(curves)
    if not normalised:
        return []
    text = MEAN_OF_RATIOS + HOW_OTHERWISE
    if normalised[0].ratio_of_means:
        text = RATIO_OF_MEANS + HOW_EVALUATE_DOES
    return [Note(text, listed([one.measure for one in normalised]))]


def notes_on_rel_in(curves: Sequence[Curves]) -> list[Note]:
    """The level from which documents are relevant, for measures that leave it open."""
    return list(notes_on_rel([one.measure for one in curves], curves[0].levels))


def captions_on_normalisation(curves: Sequence[Curves]) -> list[str]:
    """The same for a figure, without what else could be computed."""
    normalised = _normalised(curves)
    if not normalised:
        return []
    text = RATIO_OF_MEANS if normalised[0].ratio_of_means else MEAN_OF_RATIOS
    return [text.format(listed([name_of(one.measure) for one in normalised])) + "."]


def _by_subject(sentences: Iterable[str]) -> str:
    """Sentences as one text, in which those that begin with the same name are one.

    >>> _by_subject(["Means.", "AP: precisions.", "P: precision.", "AP: relevant from level 1."])
    'Means. AP: precisions; relevant from level 1. P: precision.'
    """
    of_subject: dict[str, str] = {}
    for sentence in sentences:
        subject, separator, rest = sentence.partition(": ")
        if separator and subject in of_subject:
            of_subject[subject] = f"{of_subject[subject].removesuffix('.')}; {rest}"
        else:
            of_subject[subject] = sentence
    return " ".join(of_subject.values())


def captions_on_weights(measures: Iterable[Measure]) -> list[str]:
    """The weights of the first ranks, if those of two measures that sum up gains differ.

    >>> from ir_measures_graded import CG, DCG_JK, nDCG_Burges
    >>> captions_on_weights([CG, DCG_JK, nDCG_Burges])
    ['A gain at the ranks 1 to 5 counts: CG 1, 1, 1, 1, 1; DCG_JK 1, 1, .63, .5, .43; nDCG_Burges \
1, .63, .5, .43, .39.']
    >>> captions_on_weights([DCG_JK])
    []
    """
    by_weights: dict[str, list[str]] = {}
    for measure in measures:
        if isinstance(measure, GainSum) and measure.LINEAR:
            weights = measure.rank_weights(SHOWN_WEIGHTS).tolist()
            words = ", ".join(short(weight, ".2g") for weight in weights)
            by_weights.setdefault(words, []).append(name_of(measure))
    if len(by_weights) < 2:
        return []
    parts = [f"{listed(names)} {words}" for words, names in by_weights.items()]
    return [f"A gain at the ranks 1 to {SHOWN_WEIGHTS} counts: {'; '.join(parts)}."]


def _normalised(curves: Iterable[Curves]) -> list[Curves]:
    """The curves over several topics by measures that divide by an ideal list."""
    over_topics = [one for one in curves if one.topic is None and one.topics > 1]
    return [one for one in over_topics if is_normalised(one.measure)]


def axis_of(measure: Measure, is_in_heading: bool) -> str:
    """What an axis of means shows: the measure in words and, if no heading has it, its string.

    >>> from ir_measures_graded import CG, Q
    >>> axis_of(CG, False), axis_of(CG, True), axis_of(Q, True)
    ('mean cumulated gain, CG', 'mean cumulated gain', 'mean Q-measure')
    """
    title = measure.PRETTY_NAME.partition(" (")[0]
    if title in ("", measure.NAME):
        return f"mean {measure}"
    if title[1:2].islower() and "'" not in title:  # neither Q-measure nor Kendall's tau
        title = title[0].lower() + title[1:]
    if is_in_heading:
        return f"mean {title}"
    return f"mean {title}, {measure}"


@dataclass(frozen=True, eq=False, repr=False)
class CurvesByMeasure(Result):
    """The curves of the same runs by several measures.

    `curves` has the `Curves` by each measure.
    """

    curves: tuple[Curves, ...]

    def answer(self) -> list[Note]:
        """The best run by each measure; of a single run, its values in one sentence."""
        if len(self.curves[0].runs) == 1:
            return [Note("{}.", self._values_of_only_run())]
        return [note for by_measure in self.curves for note in by_measure.answer()]

    @property
    def summary(self) -> str:
        """The best runs, or the values of a single one, by all measures in one sentence."""
        if len(self.curves[0].runs) == 1:
            return str(self.answer()[0])
        by_leaders: dict[str, list[str]] = {}
        for by_measure in self.curves:
            leaders = listed(by_measure.leaders)
            have = "has" if len(by_measure.leaders) == 1 else "have"
            value = by_measure.values[by_measure.order[0], by_measure.last - 1]
            measure = f"{by_measure.measure} {decimal(float(value))}{self._where(by_measure)}"
            by_leaders.setdefault(f"{leaders} {have} the best", []).append(measure)
        best = [
            f"{best} {listed(measures, len(measures))}" for best, measures in by_leaders.items()
        ]
        return f"{'; '.join(best)}{self._where_all_end}."

    def _values_of_only_run(self) -> str:
        values = []
        for by_measure in self.curves:
            value = decimal(float(by_measure.values[0, by_measure.last - 1]))
            kind = "mean " if by_measure.topic is None else ""
            if by_measure.ratio_of_means:
                kind = ""
            values.append(f"the {kind}{by_measure.measure} {value}{self._where(by_measure)}")
        return f"{self.curves[0].runs[0]} has {listed(values, len(values))}{self._where_all_end}"

    @property
    def _where_all_end(self) -> str:
        """The last rank and the topics of the curves, if they are those of all measures."""
        ends = {by_measure.where for by_measure in self.curves}
        return ends.pop() if len(ends) == 1 else ""

    def _where(self, by_measure: Curves) -> str:
        """The last rank and the topics of a curve, if those of the others differ."""
        return "" if self._where_all_end else by_measure.where

    def at_few_ranks(self) -> CurvesByMeasure:
        """The curves whose tables have few ranks, as `Curves.at_few_ranks`."""
        shorter = tuple(by_measure.at_few_ranks() for by_measure in self.curves)
        if all(by_measure in self.curves for by_measure in shorter):
            return self
        return CurvesByMeasure(shorter)

    def tables(self) -> list[Table]:
        """The tables of all measures below one another, with their columns."""
        records = []
        for by_measure in self.curves:
            for record in by_measure.tables()[0].records():
                records.append({"measure": str(by_measure.measure), **record})
        columns = dict.fromkeys(name for record in records for name in record)
        rows = [[record.get(name) for name in columns] for record in records]
        return [Table(list(columns), rows)]

    def data(self) -> Table:
        """One row per measure, curve and rank."""
        first, *others = [by_measure.data() for by_measure in self.curves]
        rows = list(first.rows)
        for table in others:
            rows += table.rows
        return replace(first, rows=rows)

    def notes(self) -> list[Note]:
        """Of all measures the kind of the bands and the curves that are left out, and how values
        are normalised."""
        of_lines = self.curves[0].notes_on_lines()
        return of_lines + notes_on_normalisation(self.curves) + notes_on_rel_in(self.curves)

    @property
    def caption(self) -> str:
        """What a reader must know of the figure."""
        first = self.curves[0]
        parts = list(first.about_lines)
        if len(first.runs) > 1:
            parts.append(f"Runs are in the order of {first.measure}.")
        for by_measure in self.curves:
            if by_measure.ideal is not None and GREY_LINE not in parts:
                parts.append(GREY_LINE)
        for by_measure in self.curves:
            parts += by_measure.words
        measures = [one.measure for one in self.curves]
        parts += captions_on_weights(measures)
        parts += captions_on_normalisation(self.curves)
        return _by_subject([*parts, *notes_for_caption(measures, self.curves[0].levels)])

    def figure(self, *, title: str = "") -> Figure:
        """Draw the curves, a panel for each measure.

        Panels of one unit have one vertical axis. All panels show the runs of the first one in
        colour, each in one style; the legend has its order. A single run has a panel for each unit,
        with a line for each measure. Needs the extra ``plot``.
        """
        groups = self._by_unit
        if len(self.curves[0].runs) == 1:
            styles = figures.run_styles(str(one.measure) for one in self.curves)
            panels = [_lines_of_run(group, styles) for group in groups]
            if len(panels) > 1:
                panels = [replace(panel, size=SIZE_OF_PANEL) for panel in panels]
            return figures.picture(panels, title or self.summary, self.caption, across=ACROSS)
        first = self.curves[0]
        ends = {id(one): _ends_of(group) for group in groups for one in group if len(group) > 1}
        panels = []
        for by_measure in self.curves:
            panel = by_measure.drawing_of_lines(
                first.style_of,
                shows_legend=False,
                heading=str(by_measure.measure),
                order=first.order,
            )
            y_range = ends.get(id(by_measure))
            panels.append(replace(panel, size=SIZE_OF_PANEL, y_range=y_range))
        # The legend stands at the right of the first row, and has the lines of all panels.
        place = min(ACROSS, len(panels)) - 1
        with_legend = list(panels)
        with_legend[place] = _with_legend_of_all(panels, place)
        if figures.side_by_side(with_legend, ACROSS) == 1:
            with_legend = [_with_legend_of_all(panels, 0)] + panels[1:]
        return figures.picture(with_legend, title or self.summary, self.caption, across=ACROSS)

    @property
    def _by_unit(self) -> list[list[Curves]]:
        """The curves in groups of one unit."""
        groups: dict[Any, list[Curves]] = {}
        for by_measure in self.curves:
            groups.setdefault(by_measure.unit, []).append(by_measure)
        return list(groups.values())


def _with_legend_of_all(panels: Sequence[figures.Lines], place: int) -> figures.Lines:
    """The panel at this place with a legend of its lines and of those that only others have."""
    names = {line.name for line in panels[place].lines}
    others: dict[str, figures.Line] = {}
    for panel in panels:
        for line in panel.lines:
            if line.name and line.name not in names:
                others.setdefault(line.name, line)
    return replace(panels[place], shows_legend=True, also_named=list(others.values()))


def _ends_of(group: Sequence[Curves]) -> tuple[float, float]:
    """The ends of the vertical axis of several panels, with a margin."""
    arrays = [one.values for one in group]
    arrays += [one.ideal for one in group if one.ideal is not None]
    arrays += [one.bands for one in group if one.bands is not None]
    lowest = min(float(values.min()) for values in arrays)
    highest = max(float(values.max()) for values in arrays)
    margin = MARGIN * (highest - lowest) or MARGIN
    return lowest - margin, highest + margin


def _lines_of_run(
    group: Sequence[Curves], styles: Mapping[str, Mapping[str, Any]]
) -> figures.Lines:
    """The curves of a single run by measures of one unit, a line for each measure in its style."""
    longest = max(group, key=lambda one: one.ranks.size)
    size = longest.ranks.size
    lines = []
    for one in group:
        style = styles[str(one.measure)]
        if one.ideal is not None:
            of_ideal = {"color": figures.GREY, "linestyle": style.get("linestyle", "-")}
            of_ideal["linewidth"] = 2.5
            name = f"{IDEAL} {one.measure}"
            lines.append(figures.Line(name, _padded(one.ideal, size), of_ideal))
        band = None if one.bands is None else _padded(one.bands[0], size)
        name = str(one.measure)
        lines.append(figures.Line(name, _padded(one.values[0], size), style, band))
    axes = {axis_of(one.measure, True) for one in group}
    axis = axes.pop() if len(axes) == 1 else "mean value"
    if longest.topic is not None or longest.ratio_of_means:
        axis = axis.removeprefix("mean ")
    return figures.Lines(longest.ranks, lines, RANK_IN_WORDS, axis, whole_x=True)


def _padded(values: np.ndarray, size: int) -> np.ndarray:
    """Values (… × ranks) of so many ranks; those beyond the last one are NaN."""
    missing = [(0, 0)] * (values.ndim - 1) + [(0, size - values.shape[-1])]
    return np.pad(values, missing, constant_values=np.nan)


@overload
def curves(
    qrels: Qrels, runs: Runs, measure: Measure | str, depth: int | None = ..., *,
    ideal: bool | None = ..., confidence: float | None = ..., resamples: int = ..., seed: int = ...,
    highlight: Iterable[str] = ..., no_relevant: str = ..., weights: By = ...,
    at: Iterable[int] | int = ..., topic: str | None = ..., ratio_of_means: bool = ...,
) -> Curves: ...  # fmt: skip


@overload
def curves(
    qrels: Qrels, runs: Runs, measure: Iterable[Measure | str], depth: int | None = ..., *,
    ideal: bool | None = ..., confidence: float | None = ..., resamples: int = ..., seed: int = ...,
    highlight: Iterable[str] = ..., no_relevant: str = ..., weights: By = ...,
    at: Iterable[int] | int = ..., topic: str | None = ..., ratio_of_means: bool = ...,
) -> Curves | CurvesByMeasure: ...  # fmt: skip


@checks_arguments("curves(qrels, {'mine': run}, 'nCG@100')")
def curves(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str | Iterable[Measure | str],
    depth: int | None = None,
    *,
    ideal: bool | None = None,
    confidence: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    highlight: Iterable[str] = (),
    no_relevant: str = ZERO,
    weights: By = None,
    at: Iterable[int] | int = (),
    topic: str | None = None,
    ratio_of_means: bool = False,
    progress: Progress = False,
) -> Curves | CurvesByMeasure:
    """The measure at every rank from 1 to `depth`, averaged over the topics of the qrels, for each
    run.

    - `qrels`, `runs`: as for `evaluate`.
    - `measure`: a measure that takes a cutoff, graded or a standard one with a definition. Several
      have a `CurvesByMeasure`; of those that differ in the cutoff only, the deepest.
    - `depth` (1 to 100,000): the last rank; by default the measure's cutoff, else that of the
      longest list, at most 100. A depth that would need too much memory is refused.
    - `ideal`: whether to add the curve of the ideal list; by default for CG, DCG_JK and DCG_Burges.
    - `confidence` (above 0, below 1): adds intervals for the mean by SciPy's percentile bootstrap,
      from `resamples` (≥ 100) samples of topics. All runs share the samples, which depend on `seed`
      (≥ 0) alone.
    - `no_relevant`, `weights`: how topics count, as for `evaluate`. Bands draw topics with their
      weights.
    - `highlight`: the runs that figures of more than 12 runs show in colour, besides the best five.
    - `at`: the ranks (1 to depth) that tables have; by default all. Without a depth and a cutoff,
      curves reach at least the last of them.
    - `topic`: the id of the only topic, in place of the means over all.
    - `ratio_of_means`: of measures that divide by an ideal list, as nCG and nDCG_JK do, divide the
      mean vector of the topics by the mean ideal vector, as section 3.3 of Järvelin & Kekäläinen
      2002 does. Topics with a large recall base then weigh more. By default, each topic is divided
      by its own ideal list, as in `evaluate`.

    `progress` is as for `evaluate`.

    >>> qrels = {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}}
    >>> runs = {"mine": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 1.0}}}
    >>> found = curves(qrels, runs, "CG", depth=3)
    >>> found.values, found.ideal
    (array([[1. , 2.5, 2.5]]), array([2., 3., 3.]))

    Raises `GradedError` for a measure without a cutoff, an option out of range, and input that
    `evaluate` refuses.
    """
    ranks = as_list(at)
    settings = (ideal, confidence, resamples, seed, highlight, ranks, ratio_of_means)
    qrels = counted_by(qrels, no_relevant, weights)
    if topic is not None:
        judgments: Judgments = read_judgments(qrels)
        qrels = judgments.part([text_in("topic", topic, "the id of a topic")])
    measures = _measures_with_curves(measure, depth, ranks, ratio_of_means)
    if len(measures) == 1:
        only = _curves(qrels, runs, measures[0], depth, *settings)
        return replace(only, topic=topic)
    study = study_of(qrels, runs)
    for run in study.runs:
        if run.name == "measure":
            raise NotApplicableError("'measure' is a column name; rename the run")
    with issued_together():
        by_measure = [
            _curves(study.judgments, study.runs, one, depth, *settings) for one in measures
        ]
    return CurvesByMeasure(tuple(replace(one, topic=topic) for one in by_measure))


def _measures_with_curves(
    measure: Measure | str | Iterable[Measure | str],
    depth: int | None,
    at: Sequence[int],
    ratio_of_means: bool,
) -> list[Measure]:
    """The measures, of those that differ in the cutoff only the deepest.

    Raises `GradedError` for a measure without a curve down to the depth, and if `ratio_of_means`
    applies to none.
    """
    every = parse_measures(measure, uncut=True)
    deepest: dict[Measure, Measure] = {}
    for one in sorted(every, key=lambda one: _last_rank(one, depth, at)):
        deepest[uncut(one)] = one  # the curve of P@5 is the first part of that of P@10
    measures = [one for one in every if one in deepest.values()]
    if ratio_of_means and not any(is_normalised(uncut(one)) for one in measures):
        does = "do" if len(measures) > 1 else "does"
        raise GradedError(
            f"ratio_of_means is for measures that divide by an ideal list, as nCG and nDCG_JK; "
            f"{listed(measures)} {does} not"
        )
    return measures


def check_curves(
    qrels: Qrels,
    measures: Iterable[Measure],
    depth: int | None,
    at: Sequence[int],
    ratio_of_means: bool,
) -> None:
    """Raise `GradedError` for measures of which `curves` draws no curves with these qrels."""
    counting = read_judgments(qrels).counting
    for measure in _measures_with_curves(measures, depth, at, ratio_of_means):
        counting.check([measure])
        if ratio_of_means and is_normalised(uncut(measure)):
            _refuse_ratio(uncut(measure), counting.no_relevant)


def _curves(
    qrels: Qrels,
    runs: Runs,
    named_measure: Measure,
    depth: int | None,
    ideal: bool | None,
    confidence: float | None,
    resamples: int,
    seed: int,
    highlight: Iterable[str],
    at: Sequence[int],
    ratio_of_means: bool,
) -> Curves:
    """The curves by one measure."""
    open_end = uncut(named_measure)
    ratio_of_means = ratio_of_means and is_normalised(open_end)
    if ratio_of_means:
        _refuse_ratio(open_end, read_judgments(qrels).counting.no_relevant)
    last = _last_rank(named_measure, depth, at)
    is_default = depth is None and "cutoff" not in named_measure.params
    ranks = [whole_number(rank, "at", 1, last) for rank in at]
    # With a cutoff, a measure may order tied documents in another way.
    cut = checked(open_end @ last)
    if confidence is not None:
        check_probability(confidence, "confidence", 0.95)
    resamples = whole_number(resamples, "resamples", 100)
    seed = whole_number(seed, "seed", 0)
    judgments = read_judgments(qrels)
    judgments.counting.check([cut])
    named = named_runs(runs)
    with about(judgments.name):
        check_levels(open_end, judgments.documents, judgments.rows)
    means_of = MeansOverTopics(cut, judgments)
    topics = means_of.count
    names = tuple(run.name for run in named)
    needed = last * (topics * BYTES + 24 * len(named))
    refuse_large("depth", last, needed, f"curves over {counted(topics, 'topic')}")
    if confidence is not None:
        _refuse_bands(last, topics, resamples)
    _refuse_names_of_columns(names, has_bands=confidence is not None)
    highlighted = _highlighted(highlight, names)

    if ideal is None:
        ideal = is_plain_sum(open_end)
    best = None
    if ideal:
        of_ideal = values_at_ranks(cut, ideal_run(judgments, open_end), judgments, last)
        best = means_of.mean(means_of.treated(of_ideal))
    possible = None
    if ratio_of_means:
        possible = _ideal_vectors(cut, judgments, last)[:, means_of.topics]
    means = np.zeros((len(named), last))
    bands = None if confidence is None else np.zeros((len(named), 2, last))
    deepest = max([1, *ranks])
    with issued_together():
        for number, run in enumerate(steps(named, "runs")):
            values_of_run = at_ranks(cut, run, judgments, last)
            deepest = max(deepest, values_of_run.deepest)
            if possible is not None:
                achieved = values_of_run.values[:, means_of.topics] * possible
                means[number] = ratio(means_of.mean(achieved), means_of.mean(possible))
            else:
                achieved = means_of.treated(values_of_run.values)
                means[number] = means_of.mean(achieved)
            if bands is not None and confidence is not None:
                bands[number] = _band(means_of, achieved, possible, confidence, resamples, seed)
    if is_default:
        means = means[:, :deepest]
        best = None if best is None else best[:deepest]
        bands = None if bands is None else bands[..., :deepest]
    return Curves(
        measure=open_end,
        topics=topics,
        runs=names,
        values=means,
        ideal=best,
        bands=bands,
        confidence=confidence,
        highlight=highlighted,
        effective=means_of.effective,
        at=tuple(dict.fromkeys(ranks)),
        cutoff=named_measure.params.get("cutoff"),
        ratio_of_means=ratio_of_means,
        levels=judgments.levels,
    )


def _refuse_ratio(measure: GradedMeasure, no_relevant: str) -> None:
    """Raise `NotApplicableError` for options with which no vectors of the topics are divided.

    A topic without relevant documents adds nothing to either vector, so it cannot count as 1.
    """
    if no_relevant == ONE:
        raise NotApplicableError(f"{measure}: ratio_of_means does not go with no_relevant='one'")
    if measure.params.get("avg") or measure.option("unjudged"):
        option = "avg" if measure.params.get("avg") else "unjudged"
        raise NotApplicableError(f"{measure}: ratio_of_means does not go with {option}")


def _ideal_vectors(measure: Measure, judgments: Judgments, depth: int) -> np.ndarray:
    """The vector by which each topic is divided (depth × T)."""
    assert is_normalised(measure)
    topics = ideal_run(judgments, measure).view(measure, cut=False)
    return measure.ideal_vector(topics, depth).T


def _refuse_bands(last: int, topics: int, resamples: int) -> None:
    """Raise `GradedError` for bands over fewer than two topics, or of too many resamples."""
    if topics < 2:
        counts = counted(topics, "topic")
        raise GradedError(f"confidence bands need at least 2 topics; {counts} counts")
    needed = 16 * last * resamples
    refuse_large("resamples", resamples, needed, f"bands at {counted(last, 'rank')}")


def _highlighted(highlight: Iterable[str], runs: Sequence[str]) -> tuple[str, ...]:
    """The names of the runs to highlight. Raises `GradedError` for an unknown one."""
    highlighted = (highlight,) if isinstance(highlight, str) else tuple(highlight)
    for name in highlighted:
        if name not in runs:
            raise GradedError(f"there is no run {name!r} to highlight{did_you_mean(name, runs)}")
    return highlighted


def _band(
    means_of: MeansOverTopics,
    values: np.ndarray,
    possible: np.ndarray | None,
    confidence: float,
    resamples: int,
    seed: int,
) -> Any:
    """The band of the mean, or of the ratio to the mean of what is `possible`, by the percentile
    bootstrap, which draws topics evenly."""
    options = (confidence, resamples, seed)
    if possible is not None:
        weights = np.ones(values.shape[1])
        if means_of.weights is not None:
            weights = means_of.weights
        parts = [values * weights, possible * weights]
        return bootstrap(parts, _quotient, *options, method="percentile")
    if means_of.weights is None:
        return bootstrap([values], np.mean, *options, method="percentile")
    weights = np.broadcast_to(means_of.weights, values.shape)
    return bootstrap([values * weights, weights], _quotient, *options, method="percentile")


def _quotient(weighted: np.ndarray, weights: np.ndarray, axis: int) -> np.ndarray:
    """The weighted mean, from weighted values and their weights; 0 without any weight."""
    return ratio(weighted.sum(axis=axis), weights.sum(axis=axis))


def _refuse_names_of_columns(runs: Iterable[str], has_bands: bool) -> None:
    """Raise `GradedError` for a run with the name of a column of the table."""
    columns = {RANK, IDEAL}
    if has_bands:
        columns |= {f"{run} {end}" for run in runs for end in ("lower", "upper")}
    for run in runs:
        if run in columns:
            raise NotApplicableError(f"{run!r} is a column name; rename the run")


def _last_rank(measure: Measure, depth: int | None, at: Sequence[int] = ()) -> int:
    """The depth of the curve: as given, or the measure's cutoff, or the most by default, which
    reaches the last rank of `at`.

    Raises `GradedError` if depth and cutoff differ.
    """
    cutoff = measure.params.get("cutoff")
    if depth is None and cutoff is None:
        return max([DEPTH, *(whole_number(rank, "at", 1, DEEPEST) for rank in at)])
    if depth is None:
        depth = cutoff
    elif cutoff is not None and depth != cutoff:
        raise GradedError(
            f"{measure} ends at rank {cutoff}, but depth={depth}; give only one of the two"
        )
    return whole_number(depth, "depth", 1, DEEPEST)


def ideal_run(judgments: Judgments, measure: Measure) -> Run:
    """The run that sorts the judged documents of each topic by their gain under the measure.

    >>> from ir_measures_graded import CG
    >>> from ir_measures_graded.evaluation.named import read_judgments
    >>> ideal_run(read_judgments({"q": {"a": 1, "b": 3, "c": 2}}), CG(gains={2: 0})).source.dicts()
    {'q': {'a': 1.0, 'b': 2.0, 'c': 0.0}}
    """
    if needs_intents(measure):
        raise NotApplicableError(
            f"{measure} has no ideal curve: its documents have a level for each intent"
        )
    qrels = judgments.documents.rows
    gains = gain_of(qrels.values, gains_of(measure))
    # Scores are compared as 32-bit floats, which may merge close gains but not small integers.
    _, score = np.unique(gains, return_inverse=True)
    rows = replace(qrels, values=score.reshape(-1).astype(float))
    run = Run("", rows, judgments)
    # A run with a parent has no remarks of its own.
    return replace(run, parent=run)
