"""`report` runs the analyses on a set of runs. `Report` holds their results and writes the page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from ir_measures import Measure

from ...core.registry.facts import is_graded, needs_intents
from ...errors import GradedError, InputWarning, shown
from ...evaluation.evaluate import Evaluation, evaluated
from ...evaluation.named import Qrels, Run, Runs
from ...evaluation.sessions import Given
from ...evaluation.values import By
from ...files.sources import queries_in, queries_of
from ...output.files import ending_of, write_whole
from ...output.formats import counted, decimal, listed
from ...output.plots import need_matplotlib
from ...output.result import Result
from ...output.tables import Table
from ..compare import compare
from ..comparison import Comparison
from ..judging.agreement import Judges, judges
from ..levels import levels
from ..statistics.options import check_test, need_statistics
from . import pages
from .method import Method, method
from .rankings import Rankings, rankings
from .sections import ByTopic, Material, Profile, Weighting, by_topic, material, profile, weightings
from .verdict import OfMeasure, Verdict, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Evaluation report"
MEASURES = ("nDCG_JK@10", "ERR_G@10", "Q")
"""The measures of a report for which none are named."""


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """The results of all sections of a report. A section that does not apply to the runs is None.

    `evaluation` has all values. `html` is the page, and `write` writes it to a file. The table and the
    records are those of the `verdict`: one row per measure and run. `unit` is ``session`` if values are those
    of sessions.
    """

    title: str
    evaluation: Evaluation
    verdict: Verdict
    material: Material | None
    profile: Profile | None
    by_topic: ByTopic
    rankings: Rankings | None
    weighting: Weighting | None
    judges: Judges | None
    method: Method
    groups: Comparison | None = None

    def answer(self) -> list[str]:
        """The best run by each measure, and whether the tests separate it from every other run."""
        return [self._answer(each) for each in self.verdict.measures]

    def _answer(self, each: OfMeasure) -> str:
        best = f"{each.best.run} has the best mean {each.measure}, {decimal(each.best.mean)}"
        if not self.verdict.tested:
            return f"{best}, over {counted(len(self.evaluation.topics), self.evaluation.unit)}."
        if not each.equal:
            return f"{best}, and is certainly better than every other run."
        worse = f"{listed(each.equal)} {'is' if len(each.equal) == 1 else 'are'} not certainly worse"
        pairs = f", and {each.separated} of {counted(each.pairs, 'pair')} differ" if each.pairs > 1 else ""
        return f"{best}; {worse}{pairs}."

    def save(self, path: str | os.PathLike[str], places: int | None = None) -> None:
        """Write the page (html), or the figure or the table as the ending of `path` says; see `Result`."""
        if ending_of(path) in ("html", "htm"):
            self.write(path)
        else:
            super().save(path, places)

    def data(self) -> Table:
        """One row per measure and run, the best run first."""
        return self.verdict.table()

    def figure(self) -> Figure:
        """Draw the means as dots, one panel per measure."""
        return self.evaluation.figure()

    @cached_property
    def html(self) -> str:
        """The page as a string. Equal inputs give an equal page."""
        counts = {
            "runs": counted(len(self.evaluation.runs), "run"),
            "topics": counted(len(self.evaluation.topics), self.evaluation.unit),
            "measures": counted(len(self.evaluation.measures), "measure"),
        }
        style = self.rankings.style if self.rankings else ""
        return pages.page("report", self.title, style, report=self, counts=counts)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to the file `path`, completely or not at all."""
        write_whole(path, self.html.encode())


def report(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    baseline: str | None = None,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    title: str = TITLE,
    queries: Mapping[str, str] | str | os.PathLike[str] | None = None,
    by: By = None,
    machines: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]] = (),
    command: str = "",
    progress: bool = False,
) -> Report:
    """Evaluate, test and explain the runs for a report.

    - `qrels`, `runs`, `measures`, `sessions` and `progress` are as for `evaluate`. At least one run is
      needed. The default measures are nDCG_JK@10, ERR_G@10 and Q. An `Evaluation`, or a table of values as
      for `Evaluation.from_values`, may stand for qrels and runs. The page then lacks what needs rankings.
    - `baseline` is the name of the run that the others are compared with; the default is the first run.
    - `alpha` (above 0, below 1) is the level of the tests and intervals. `resamples` and `seed` are still
      accepted, but no test of the report is random.
    - `title` is the title of the page.
    - `queries` maps topics to the texts of their queries, or is the path of a file of lines with a topic, a
      tab and the text. The default is the queries of the ir-datasets collection, if `qrels` is its id.
    - `by` groups the topics, see `compare`; the section on groups needs two runs.
    - `machines` are qrels of machine judges, by name or as paths, which are compared with `qrels`.
    - `command` is the command line that reproduces the page, which shows it.

    The sections on curves, topics, rankings and weighting use the first graded measure. Without one, they use
    the first measure, if they apply to it. With `sessions`, there are no ranges, curves and rankings, which
    are those of topics. Tests and intervals need two topics. Needs the extra ``report``.

    Raises `GradedError` for no run, for an unknown baseline, and for input and options that `evaluate` or
    `compare` refuses.
    """
    pages.need_jinja()
    need_matplotlib()
    check_test(alpha, resamples, seed)
    need_statistics("scipy")
    given = queries_in(os.fspath(queries)) if isinstance(queries, (str, os.PathLike)) else queries
    if not isinstance(given, Mapping | None):
        raise GradedError(
            f"queries={shown(queries)} is not allowed; it maps topics to texts, or is a file's path"
        )
    evaluation, study = evaluated(
        qrels, runs, measures, by, sessions, default=MEASURES, progress=progress, kept=True
    )
    if not evaluation.runs:
        raise GradedError("no run is given; a report needs at least one")
    main = next(filter(is_graded, evaluation.measures), evaluation.measures[0])
    texts = queries_of(study.judgments.name if study else None) if given is None else dict(given)
    outcome = verdict(evaluation, study, baseline, alpha)
    groups = None
    if by is not None and outcome.tested:
        groups = compare(evaluation, baseline=outcome.baseline, alpha=alpha, by=by)
    highest = any(map(needs_intents, evaluation.measures))
    judged_levels = levels(study.judgments, highest) if study else None
    sessions_of = study.judgments.sessions if study else None
    ranked = study if sessions_of is None else None
    relevant = judged_levels.relevant if judged_levels else None
    if relevant is not None and sessions_of is not None:
        relevant = sessions_of.turns.total(relevant).astype(int)
    topics = by_topic(evaluation, relevant, main, outcome.baseline, texts)
    compared = None
    if machines:
        if ranked is None or highest:
            raise GradedError(
                "machine judges are compared with qrels of topics, without sessions and intents"
            )
        read = [Run(run.name, run.ranks.listed) for run in ranked.runs]
        orders: tuple[Any, Any] = (read, evaluation.measures) if len(read) > 1 else ((), ())
        with catch_warnings():
            simplefilter("ignore", InputWarning)  # the study has warned of the runs
            compared = judges(ranked.judgments, machines, *orders)
    return Report(
        title,
        evaluation,
        outcome,
        material(study, judged_levels, evaluation.measures) if study and judged_levels else None,
        profile(ranked, main, outcome.baseline) if ranked else None,
        topics,
        rankings(ranked, main, topics) if ranked else None,
        weightings(study, judged_levels, main) if study and judged_levels else None,
        compared,
        method(evaluation, study, command),
        groups=groups,
    )
