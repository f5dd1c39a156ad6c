"""A report of an evaluation: one HTML page that needs no network, to send or to attach.

`report` runs the analyses of this package on one set of runs; `Report` holds their results and writes the
page. One module per section computes plain data, and a template of the folder ``page`` shows them:

- `verdict`: the best runs, and which differences hold; `material`: qrels and runs
- `profile`: the first graded measure over the ranks; `by_topic`: the runs topic by topic
- `rankings`: the documents of each topic as cells; `weighting`: the order of the runs under other gains
- `method`: definitions, versions, inputs and sources
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_measures import Measure

from ...errors import GradedError
from ...evaluation.evaluate import Evaluation, evaluate
from ...evaluation.named import Judgments, Qrels, Run, Runs, named_runs, read_judgments
from ...inputs.files import RunFile
from ...inputs.sources import queries_of
from ...inputs.tables import Source
from ...measures.base import GradedMeasure
from ...output import pages
from ...output.files import write_whole
from ...output.formats import Table, counted
from ...output.plots import need_matplotlib
from ...output.result import Result
from ..compare import check_options
from ..levels import levels
from ..libraries import need_statistics
from .by_topic import ByTopic, by_topic
from .material import Material, material
from .method import Method, inputs_of, method
from .profile import Profile, profile
from .rankings import Rankings, rankings
from .verdict import Verdict, verdict
from .weighting import Weighting, weightings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__).parent / "page"
TITLE = "Evaluation report"


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """The results of all sections; a section that has nothing to say is None.

    `html` is the page, `write` writes it. The table and the records are those of the `verdict`: one row per
    measure and run.
    """

    title: str
    evaluation: Evaluation
    verdict: Verdict
    material: Material
    profile: Profile | None
    by_topic: ByTopic
    rankings: Rankings | None
    weighting: Weighting | None
    method: Method

    @property
    def summary(self) -> str:
        """What was evaluated, in one line."""
        return self.evaluation.summary

    def table(self) -> Table:
        """Column names and rows: one row per measure and run, the best run first."""
        return self.verdict.table()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per measure and run."""
        columns, rows = self.table()
        return [dict(zip(columns, row)) for row in rows]

    def figure(self) -> Figure:
        """Draw the means as dots, one panel per measure."""
        return self.evaluation.figure()

    @cached_property
    def html(self) -> str:
        """The page. Equal inputs give an equal page."""
        counts = {
            "runs": counted(len(self.evaluation.runs), "run"),
            "topics": counted(len(self.evaluation.topics), "topic"),
            "measures": counted(len(self.evaluation.measures), "measure"),
        }
        style = self.rankings.style if self.rankings else ""
        return pages.page("report.html", self.title, HERE, style, report=self, counts=counts)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page, completely or not at all."""
        write_whole(path, self.html.encode())


def report(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    title: str = TITLE,
    queries: Mapping[str, str] | None = None,
    command: str = "",
    progress: bool = False,
) -> Report:
    """Evaluate, test and explain the runs, for one page.

    `qrels`, `runs`, `measures` and `progress` are as for `evaluate`; `alpha`, `permutations` and `seed` as
    for `compare_values`. `baseline` is the name of the run that the others are compared with, by default the
    first. `queries` maps topics to texts; those of an ir-datasets id are found. `command` makes the page
    again. The sections on curves, topics and rankings speak of the first graded measure, or else of the first
    measure. Needs the extra ``report``.

    Raises `GradedError` for input and options that `evaluate` and `compare_values` refuse.
    """
    pages.check()
    need_matplotlib()
    need_statistics("scipy", "statsmodels", "scikit_posthocs")
    check_options(alpha, permutations, seed)
    judgments, named = read_judgments(qrels), named_runs(runs)
    if not named:
        raise GradedError("no run is given; a report needs at least one")
    kept = {run.name: _read_once(run, judgments) for run in named}
    evaluation = evaluate(judgments, kept, measures, progress=progress)
    first = next((each for each in evaluation.measures if isinstance(each, GradedMeasure)), None)
    main = first or evaluation.measures[0]
    texts = queries_of(judgments.name) if queries is None else dict(queries)
    judged_of = verdict(evaluation, judgments, kept, baseline, alpha, permutations, seed)
    of_qrels = levels(judgments)
    topics = by_topic(evaluation, of_qrels.relevant, main, judged_of.baseline, texts)
    return Report(
        title,
        evaluation,
        judged_of,
        material(judgments, of_qrels, kept, evaluation.measures),
        profile(judgments, kept, main),
        topics,
        rankings(judgments, kept, main, topics),
        weightings(judgments, of_qrels, kept, main),
        method(evaluation, inputs_of(judgments.name, named), command),
    )


def _read_once(run: Run, judgments: Judgments) -> Source:
    """The rows of a run in memory, which several analyses read. Raises `GradedError` as `Run.rows`."""
    if not isinstance(run.source, RunFile):
        return run.source
    return run.whole(judgments)[0]
