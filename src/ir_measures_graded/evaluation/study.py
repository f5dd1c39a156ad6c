"""A study: qrels and runs that are read once, and each run reduced once to its judged documents.

Analyses that look at a run several times, and all sections of a report, share the runs of a `Study`.
`evaluate` accepts such runs as well. It does not make them, because it reads runs block by block and forgets
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ir_measures import Measure

from ..measures.base import GradedMeasure
from ..measures.topics import Topics
from ..ranking.judged import Judged
from ..ranking.ranks import JudgedRanks
from .evaluate import Evaluation, are_values, evaluate, evaluated
from .groups import By
from .named import Judgments, Qrels, Run, Runs, about, named_runs, read_judgments
from .provider import view
from .reduction import ReducedBlock, Reduction
from .remarks import RunRemarks, warn_of
from .sessions import Given, in_sessions


@dataclass(frozen=True)
class StudiedRun(Run):
    """A run that is read and reduced on first use, and then kept.

    The qrels have all topics of a study, or some; in this case, `parent` is the run with all of them.
    """

    judgments: Judgments
    parent: StudiedRun | None = None
    studied = True

    @property
    def file(self) -> None:
        """A worker process would read the run again."""
        return None

    @cached_property
    def _read(self) -> tuple[Reduction, tuple[str, ...]]:
        run = self.parent or self
        with about(self.name):
            table = run.block.listed if "_read" in vars(run) else run.table(run.judgments)
            reduction = Reduction.of(self.judgments.documents, table)
        if self.parent is None:
            remarks = RunRemarks(self.judgments.documents.judged)
            remarks.count(reduction.block)
            warn_of(remarks.of(self.source), self.name)
        return reduction, tuple(table.topics)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the run, judged or not."""
        return self._read[1]

    @property
    def block(self) -> ReducedBlock:
        """The run, reduced as one block. Raises `GradedError` for a run that cannot be evaluated."""
        return self._read[0].block

    @property
    def ranks(self) -> JudgedRanks:
        """The ranks of the judged documents."""
        return self.block.ranks

    def part(self, judgments: Judgments) -> StudiedRun:
        """The run for qrels of some topics only."""
        return self if judgments is self.judgments else StudiedRun(self.name, self.source, judgments, self)

    def view(self, measure: GradedMeasure, cut: bool = True) -> Topics:
        """The run as the measure sees it; without its cutoff unless `cut`."""
        return view(measure, self.ranks, self.block.views, cut)

    def reduced(self, judgments: Judgments) -> Reduction:
        """The reduction, which is kept. Other qrels need another one."""
        return self._read[0] if judgments is self.judgments else super().reduced(judgments)

    def rows(self, judgments: Judgments, standard: bool) -> tuple[Any, Mapping[str, Any]]:
        """The reduction for our provider, the rows for others. Other qrels need another reduction."""
        if not standard or judgments is not self.judgments:
            return super().rows(judgments, standard)
        by_topic = self.block.listed.dicts()
        return self._read[0], {topic: by_topic[topic] for topic in self.topics if topic in by_topic}


@dataclass(frozen=True)
class Study:
    """Qrels, and runs that are reduced to their judged documents.

    The fields are the arguments of an analysis: ``curves(study.judgments, study.runs, "nCG")`` reduces
    no run a second time.
    """

    judgments: Judgments
    runs: tuple[StudiedRun, ...]

    @property
    def judged(self) -> Judged:
        """The judged documents of all topics."""
        return self.judgments.judged

    def part(self, topics: Sequence[str]) -> Study:
        """The study of some topics of the qrels."""
        judgments = self.judgments.part(topics)
        return Study(judgments, tuple(run.part(judgments) for run in self.runs))


def study_of(qrels: Qrels, runs: Runs) -> Study:
    """The study of these runs. Runs that another study of the same qrels has reduced stay reduced.

    Raises `GradedError` as `read_judgments` and `named_runs`.
    """
    judgments = read_judgments(qrels)
    return Study(judgments, tuple(studied(run, judgments) for run in named_runs(runs)))


def evaluated_study(
    qrels: Qrels | Evaluation,
    runs: Runs,
    measures: Iterable[Measure | str],
    by: By,
    default: Sequence[str] = (),
    progress: bool = False,
    sessions: Given = None,
) -> tuple[Evaluation, Study | None]:
    """The values, see `evaluated`, and the study of the runs; None if only values are given.

    Runs are evaluated by the measures or, without one, by those of `default`.
    """
    if are_values(qrels, runs):
        return evaluated(qrels, runs, measures, by=by, sessions=sessions), None
    study = study_of(in_sessions(qrels, sessions), runs)
    return evaluate(study.judgments, study.runs, measures or default, progress=progress), study


def studied(run: Run, judgments: Judgments) -> StudiedRun:
    """The run for a study; one that has been reduced for the same qrels is returned unchanged."""
    if isinstance(run, StudiedRun) and run.judgments is judgments:
        return run
    return StudiedRun(run.name, run.source, judgments)
