"""Checks qrels, runs and measures before anything is evaluated."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ir_measures import Measure

from ..core.provider import GradedProvider, check_levels
from ..core.registry.facts import needs_intents
from ..core.registry.notation import parse_measures
from ..errors import EmptyRunWarning, GradedError
from ..evaluation.named import Judgments, Qrels, Run, Runs, about, named_runs, read_judgments
from ..evaluation.remarks import DEPTH, RunRemarks, depth_of, measure_remarks
from ..output import plots
from ..output.formats import counted
from ..output.result import Result
from ..output.tables import Note, Table
from .levels import Levels, levels


@dataclass(frozen=True, eq=False, repr=False)
class Check(Result):
    """Unusual properties of runs and measures: pairs of a run's name or a measure, and a remark.

    `levels` are the levels of the qrels. `runs` are the names of all runs.
    """

    levels: Levels
    runs: tuple[str, ...]
    remarks: tuple[tuple[str, str], ...]

    @property
    def summary(self) -> str:
        """The numbers of runs and remarks in one line."""
        return f"{counted(len(self.remarks), 'remark')} on {counted(len(self.runs), 'run')}"

    def answer(self) -> list[str]:
        """The numbers of runs and remarks."""
        return [self.summary]

    def tables(self) -> list[Table]:
        """One row per remark, and the levels of the qrels."""
        return [self.data(), replace(self.levels.data(), title="Levels")]

    def data(self) -> Table:
        """One row per remark."""
        return Table(("input", "remark"), self.remarks)

    def notes(self) -> list[Note]:
        """Unusual properties of the levels, one sentence each."""
        return self.levels.notes()

    def figure(self) -> plots.Figure:
        """Draw the mean number of documents per topic at each level, as `Levels.figure`."""
        return self.levels.figure()


def check(qrels: Qrels, runs: Runs = (), measures: Iterable[Measure | str] = ()) -> Check:
    """List the unusual properties of runs and measures, which the values do not show.

    - a run: topics of the qrels that it lacks, no judged document, mostly unjudged documents at the top,
      equal scores, and ranks that contradict the scores
    - a measure: gains or a parameter `rel` for levels that the qrels lack

    The top ends at rank 10, or at a smaller cutoff of a measure. A run that `evaluate` would refuse has
    the reason as its remark. `qrels` and `runs` are as for `evaluate`.

    >>> found = check({"q1": {"a": 2}, "q2": {"b": 1}}, {"bm25": {"q1": {"a": 1.0}}}, ["P(rel=3)@5"])
    >>> for remark in found.remarks:
    ...     print(*remark, sep=": ")
    bm25: the run lacks 1 of 2 topics of the qrels
    P(rel=3)@5: no level of the qrels reaches rel=3; the highest is 2

    Raises `GradedError` for qrels and measures that `evaluate` refuses.
    """
    judgments = read_judgments(qrels)
    wanted = parse_measures(measures) if measures else ()
    depth = depth_of(wanted) if wanted else DEPTH
    named = named_runs(runs, once=True, needed=False)
    judged = judgments.documents
    with about(judgments.name):
        for measure in filter(GradedProvider().supports, wanted):
            check_levels(measure, judged)
    remarks = [(run.name, remark) for run in named for remark in _of_run(run, judgments, depth)]
    remarks += [(str(measure), text) for measure, text in measure_remarks(wanted, judged)]
    found = levels(judgments, highest=any(map(needs_intents, wanted)))
    return Check(found, tuple(run.name for run in named), tuple(remarks))


def _of_run(run: Run, judgments: Judgments, depth: int | None) -> list[str]:
    counts = RunRemarks(judgments.documents, depth)
    try:
        with about(run.name), warnings.catch_warnings():
            warnings.simplefilter("error", EmptyRunWarning)
            for block in run.reduced(judgments):
                counts.count(block)
        return counts.of(run.source)
    except (GradedError, EmptyRunWarning) as error:
        return [str(error)]
