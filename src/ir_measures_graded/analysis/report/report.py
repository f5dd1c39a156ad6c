"""`report` runs the analyses on a set of runs. `Report` holds their results and writes the page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ir_measures import Measure

from ...core.registry.facts import ZERO, is_graded, needs_intents, takes_gains
from ...core.registry.notation import parse_measure
from ...errors import GradedError, needed, shown
from ...evaluation.attributes import By
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import evaluated
from ...evaluation.evaluation import OF_COLUMNS, Evaluation
from ...evaluation.level_notes import notes_on_gains
from ...evaluation.named import Qrels, Runs, Study
from ...evaluation.sessions import Given
from ...files.sources import queries_in, queries_of
from ...output import figures
from ...output.files import ending_of, write_whole
from ...output.formats import listed
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ...progress import Progress
from ..curves import Curves
from ..levels import levels
from ..mean_intervals import FEW
from ..power import Power
from ..sensitivity import Sensitivity
from ..statistics.defaults import ALPHA
from ..statistics.options import check_probability, statistics_library
from . import further, pages, sections
from .further import Machines, Section
from .rankings import Rankings, rankings
from .verdict import ReportVerdict, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Evaluation report"
MEASURES = ("nDCG_JK@10", "ERR_G@10", "Q")
"""The measures of a report for which none are named."""


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """The results of all sections of a report. A section that does not apply to the runs is None.

    `evaluation` has all values. `html` is the page, and `save` writes it to a file. The table and
    the records are those of the `verdict`: one row per measure and run.
    """

    title: str
    evaluation: Evaluation
    verdict: ReportVerdict
    material: dict[str, Any] | None
    curves: Curves | None
    by_topic: sections.ByTopic
    rankings: Rankings | None
    weighting: Sensitivity | None
    method: dict[str, Any]
    further: tuple[Section, ...] = ()
    power: Power | None = None

    def answer(self) -> list[str]:
        """The best run against the baseline or the next run, then what the comparison of all pairs
        of runs finds by each measure; without tests, the input."""
        pairs = self.verdict.every_pair
        if pairs is None:
            return [f"{self.evaluation.summary}."]
        headline = self.verdict.headline
        if headline is None:
            return pairs.answer()
        return [headline, *pairs.answer()]

    def notes(self) -> list[Note]:
        """Which intervals are those of few changes, and the notes on the input."""
        return [*self.verdict.notes_on_few, *self.notes_on_input()]

    def notes_on_input(self) -> list[Note]:
        """What the default measures are, and what the first of them does not discount; or how the
        columns of a table were taken."""
        remarks = self.evaluation.remarks
        notes = [Note("{}.", remark) for remark in remarks if remark.kind == OF_COLUMNS]
        if self.evaluation.measures != tuple(map(parse_measure, MEASURES)):
            return notes
        text = "{} are the measures of a report for which none are named. The base of {} is 2: it "
        text += "does not discount rank 2, so that the order of the first two documents does not "
        text += "count. nDCG@10 discounts rank 2 and may order the runs in another way."
        return [Note(text, listed(MEASURES), MEASURES[0])]

    def tables(self) -> list[Table]:
        """`data` without its last column, which a note has in words."""
        data = self.data()
        return [data.select(*[head.name for head in data.heads if head.name != FEW])]

    def data(self) -> Table:
        """One row per measure and run, the best run first, and whether few topics change, so that
        the interval of the mean is that of the values and two more."""
        columns = ("measure", "run", "mean", "lower", "upper")
        columns_of_test = ("difference", "from", "to", Column("p", kind=_p), "significant", FEW)
        tested = ("difference", "lower", "upper", "adjusted", "significant")
        rows = []
        for of_measure in self.verdict.measures:
            for line in of_measure.lines:
                lower, upper = line.interval or (None, None)
                row = [str(of_measure.measure), line.run, line.mean, lower, upper]
                row += [getattr(line.test, name, None) for name in tested]
                row.append(line.few_changes)
                rows.append(row)
        return Table((*columns, *columns_of_test), rows)

    def figure(self, *, title: str = "") -> Figure:
        """Draw the means as dots, one panel per measure."""
        return self.evaluation.figure(title=title)

    @cached_property
    def html(self) -> str:
        """The page as a string. Equal inputs give an equal page."""
        style = self.rankings.style if self.rankings else ""
        cutoff = self.by_topic.measure.params.get("cutoff")
        figure = sections.figure(self.curves, cutoff) if self.curves else None
        content = None
        if self.weighting:
            content = self.weighting.what_if(self._colours, self.by_topic.measure)
        parts = ["whatif"] if content else []
        return pages.page(
            "report",
            self.title,
            style,
            parts,
            report=self,
            cutoff=cutoff,
            drawn=figure,
            slopes=self.figure_of_weightings(),
            power=self.power,
            styles=self.curves.style_of if self.curves else {},
            whatif=content,
        )

    @property
    def gains_in_words(self) -> dict[Measure, Note]:
        """The gains of all levels, by each measure that names gains."""
        notes = {}
        for measure in self.evaluation.measures:
            for note in notes_on_gains([measure], self.evaluation.levels):
                notes[measure] = note
        return notes

    def figure_of_power(self) -> Figure | None:
        """The smallest difference that is found against the number of topics; None without any."""
        if self.power is None:
            return None
        return figures.picture([self.power.curve(self.power.measures[0])])

    def figure_of_weightings(self) -> Figure | None:
        """The slope chart of the runs over the weightings, of two runs their differences; None
        without any."""
        if self.weighting is None:
            return None
        return self.weighting.chart(self._colours)

    @property
    def _colours(self) -> dict[str, str] | None:
        """The colours of the runs whose curves are drawn; None without curves."""
        if self.curves is None:
            return None
        return {run: style["color"] for run, style in self.curves.style_of.items()}

    def save(self, path: str | os.PathLike[str], places: int | None = None) -> None:
        """Write the page to an html file, or the figure or the table as any result does."""
        if ending_of(os.fspath(path)) in ("html", "htm"):
            write_whole(path, self.html.encode())
        else:
            super().save(path, places)


def _p(p: float) -> float | str:
    """A p-value for people."""
    return "< 0.001" if p < 0.001 else p


@checks_arguments("report(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def report(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    baseline: str | None = None,
    alpha: float = ALPHA,
    comparisons: int | None = None,
    title: str = TITLE,
    queries: Mapping[str, str] | str | os.PathLike[str] | None = None,
    command: str = "",
    no_relevant: str = ZERO,
    by: By = None,
    machines: Machines = (),
    progress: Progress = False,
) -> Report:
    """Evaluate, test and explain the runs for a report.

    - `qrels`, `runs`, `measures`, `sessions` and `no_relevant` are as for `evaluate`. At least one
      run is needed. The default measures are nDCG_JK@10, ERR_G@10 and Q. An `Evaluation`, or a
      table of values as for `Evaluation.from_values`, may stand for the first four.
    - `baseline` is the name of the run that the others are compared with. Without one, the best run
      is compared with the others.
    - `alpha` (above 0, below 1) is the level of the tests and intervals.
    - `comparisons` is the number of all comparisons by a measure, as in `compare`.
    - `title` is the title of the page.
    - `queries` maps topics to the texts of their queries, or is the path of a file of lines with a
      topic, a tab and the text. The default is the queries of the ir-datasets collection, if
      `qrels` is its id.
    - `by` groups the topics, as in `compare`; the page then has the differences in each group.
    - `machines` are qrels of other judges, as in `judges`; the page then has their agreement with
      the qrels.
    - `command` is the command line that reproduces the page, which shows it.

    The sections on curves, topics, rankings and weighting use the first measure whose value depends
    on the gains, as those of nDCG do and those of AP do not, one that takes gains if there is one.
    Without any, they use the first measure, if they apply to it. Values have no such sections,
    except on topics, and sessions have no curves and rankings, which are those of single turns.
    Tests and intervals need two topics. Needs the extra ``report``.

    `progress` is as for `evaluate`.

    Raises `GradedError` for no run, for an unknown baseline, and for input and options that
    `evaluate` or `compare` refuses.

    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> runs = {"old": {"q1": {"x": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> found = report(qrels, runs, ["P@1"])
    >>> found.verdict.measures[0].best.run, "<h1>Evaluation report</h1>" in found.html
    ('new', True)
    """
    needed(*pages.NEEDS)
    needed(*figures.NEEDS)
    statistics_library("scipy.special")
    check_probability(alpha, "alpha", ALPHA)
    if isinstance(queries, (str, os.PathLike)):
        queries = queries_in(os.fspath(queries))
    if not isinstance(queries, Mapping | None):
        raise GradedError(
            f"queries={shown(queries)} is not allowed; map topics to texts, or give a path"
        )
    if runs is not None:
        measures = measures or MEASURES
    evaluation, study = evaluated(
        qrels, runs, measures, sessions, kept=True, no_relevant=no_relevant, several=False
    )
    if study is None and machines:
        raise GradedError("machines need qrels and runs; values do not tell the judgments")
    main = main_measure(evaluation.measures)
    evaluation, study = _best_first(evaluation, study, main)
    texts = dict(queries or {})
    if queries is None and study is not None:
        texts = queries_of(study.judgments.name)
    has_sessions = evaluation.unit != "topic"
    study_with_ranges = None if has_sessions else study
    outcome = verdict(evaluation, study_with_ranges, baseline, alpha, comparisons)
    method = sections.method(evaluation, study, command)
    of_groups = further.groups(evaluation, outcome.baseline, alpha, by, comparisons)
    finds = sections.power_of(evaluation, main, outcome.baseline, alpha)
    material = None
    weighting = None
    relevant = None
    by_rank = None
    lists = None
    of_judges: Sequence[Section] = []
    if study is not None:
        highest = any(map(needs_intents, evaluation.measures))
        judged_levels = levels(study.judgments, highest=highest)
        of_judges = further.other_judges(study, evaluation, machines, alpha)
        material = sections.material(study, judged_levels, evaluation.measures)
        weighting = sections.weightings(study, judged_levels, main)
        if not has_sessions:
            relevant = judged_levels.relevant
            by_rank = sections.profile(study, main, outcome.baseline)
    topics = sections.by_topic(evaluation, relevant, main, outcome.baseline, texts)
    if study is not None and not has_sessions:
        lists = rankings(study, main, topics)
    return Report(
        title=title,
        evaluation=evaluation,
        verdict=outcome,
        material=material,
        curves=by_rank,
        by_topic=topics,
        rankings=lists,
        weighting=weighting,
        method=method,
        further=(*of_groups, *of_judges),
        power=finds,
    )


def main_measure(measures: Sequence[Measure]) -> Measure:
    """The measure of the sections that have one: the first whose value depends on the gains.

    One that takes gains comes first, because its gains can be moved on the page. Without any, it is
    the first measure of this package or, if there is none, the first.

    >>> from ir_measures import AP, P, nDCG
    >>> main_measure([AP, nDCG @ 10, P @ 5]), main_measure([P @ 5, AP])
    (nDCG@10, P@5)
    """
    depend_on_gains = list(filter(takes_gains, measures))
    with_gains = [measure for measure in depend_on_gains if "gains" in measure.SUPPORTED_PARAMS]
    return next(iter([*with_gains, *depend_on_gains, *filter(is_graded, measures), *measures]))


def _best_first(
    evaluation: Evaluation, study: Study | None, measure: Measure
) -> tuple[Evaluation, Study | None]:
    """The runs in the order that all sections have: the best by the measure comes first."""
    order = [evaluation.runs[run] for run in evaluation.best_first(measure)]
    evaluation = evaluation.part(order, evaluation.measures)
    if study is not None:
        run_of = {run.name: run for run in study.runs}
        study = Study(study.judgments, tuple(run_of[name] for name in order))
    return evaluation, study
