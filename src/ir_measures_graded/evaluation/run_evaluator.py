"""The values of any number of runs by measures over one set of qrels, which is read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from ir_measures import Measure

from ..core.provider import GradedEvaluator, provider_named
from ..core.ranking.ranks import JudgedRanks
from ..core.registry.facts import SKIP
from ..core.rows.rows import refuse_repeated
from ..errors import GradedError, Remark
from . import named, remarks
from .counting import lacks_relevant
from .evaluators import Others, computed_by, evaluators, explained, refuse_for_gdeval
from .named import Qrels, Run
from .order_of_judged import OrderOfJudged
from .sessions import SessionValues, turn_measure


class RunValues:
    """The values of a run (measures × topics), whether it lacks a topic, and remarks on it.

    `unjudged` is the share of its unjudged documents within the first ranks, None if no measure
    counts them. Of a run in the order of its rows, some documents `were_tied`.
    """

    def __init__(
        self,
        values: np.ndarray,
        missing: np.ndarray,
        remarks: Sequence[Remark],
        unjudged: float | None,
        were_tied: bool,
    ):
        self.values = values
        self.missing = missing
        self.remarks = remarks
        self.unjudged = unjudged
        self.were_tied = were_tied


class RunEvaluator:
    """Evaluates any number of runs with measures over one set of qrels, which is read once.

    The values are those that the measures define, however the topics of the qrels count.

    Raises `GradedError` for measures that cannot be computed.
    """

    def __init__(self, qrels: Qrels, measures: Sequence[Measure], provider: str | None = None):
        self.judgments = named.read_judgments(qrels)
        self.judgments.counting.check(measures)
        self.measures = measures
        sessions = self.judgments.sessions
        self.by_session: SessionValues | None = None
        if sessions is not None:
            self.by_session = SessionValues(self.judgments.documents, sessions, measures)
        computed = list(measures)
        if sessions is not None:
            computed = list(dict.fromkeys(map(turn_measure, measures)))
        self.row = {measure: number for number, measure in enumerate(computed)}
        self.depth = remarks.depth_of(computed)
        self.deepest = remarks.deepest_of(computed)
        self.provider = provider
        self.ours, self.others = self._evaluators()

    def _evaluators(self) -> tuple[GradedEvaluator, Others]:
        provider = provider_named(self.provider, self.measures)
        return evaluators(list(self.row), self.judgments, provider)

    def __getstate__(self) -> dict[str, Any]:
        """The state for another process, which makes evaluators of providers of ir-measures anew:
        that of pytrec_eval cannot be pickled.
        """
        state = dict(vars(self))
        if self.others:
            del state["ours"], state["others"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if "others" not in state:
            with catch_warnings():
                simplefilter("ignore")  # the first process has issued them
                self.ours, self.others = self._evaluators()

    def __call__(self, run: Run) -> RunValues:
        """The values of one run. Raises `GradedError` for a run that cannot be evaluated."""
        values = np.full((len(self.row), len(self.judgments.numbers)), np.nan)
        rows = None
        with named.about(run.name):
            run.refuse(self.measures)
            if self.others:
                rows = run.rows(self.judgments)
                refuse_repeated(rows)
            blocks = run.reduced(self.judgments, rows)
            order = OrderOfJudged(self.row, len(self.judgments.numbers))
            # A kept run has remarks since it was read.
            is_new = run.kept_for is None
            counts = self._compute_ours(values, order.watched(blocks), compares_ids=is_new)
        if rows is not None:
            standard = rows.dicts()
            with named.about(run.name):
                self._compute_others(values, standard)
        missing = counts.lacks_topic
        if self.by_session is not None:
            values, missing = self.by_session.of(self.row, (values, missing))
        if is_new:
            on_run = (*counts.of(run.source, run.name), *order.of(run.name))
            if self.leaves_no_tie:
                on_run = tuple(_without(on_run, remarks.TIED_PREDICTIONS))
        else:
            on_run = (*run.remarks, *order.of(run.name))
        return RunValues(values, missing, on_run, counts.unjudged, counts.were_tied)

    @property
    def leaves_no_tie(self) -> bool:
        """Whether no measure depends on the order of tied documents, as each names its own."""
        return all(measure.params.get("ties", "docid") != "docid" for measure in self.measures)

    @cached_property
    def lacks_relevant(self) -> np.ndarray:
        """Whether a topic has no document that is relevant by a measure (measures × topics).

        Raises `GradedError` if a measure would have no topic left.
        """
        judgments = self.judgments
        turns = None if judgments.sessions is None else judgments.sessions.turns
        rows = [lacks_relevant(measure, judgments.documents, turns) for measure in self.measures]
        for measure, is_lacking in zip(self.measures, rows, strict=True):
            if judgments.counting.no_relevant == SKIP and is_lacking.all():
                raise GradedError(
                    f"{measure}: no topic has a relevant document, so no_relevant=skip leaves none"
                )
        return np.stack(rows)

    def _compute_ours(
        self, values: np.ndarray, blocks: Iterable[JudgedRanks], compares_ids: bool
    ) -> remarks.RunRemarks:
        """Write the values of our measures; return the counts of the documents, with what remarks
        on the run need if it `compares_ids`.

        The counts are the same if other providers compute all measures.
        """
        counts = remarks.RunRemarks(
            self.ours.judged,
            self.depth,
            self.judgments.contract,
            self.deepest,
            compares_ids=compares_ids,
        )
        cutoffs = [int(measure.params.get("cutoff") or 0) for measure in self.row]
        counts.largest_cutoff = max(cutoffs, default=0)
        is_condensed = any(measure.params.get("judged_only") for measure in self.row)
        if all(cutoffs) and not is_condensed:
            counts.last_rank = counts.largest_cutoff
        for measure, order, of_topics in self.ours.reported(counts.watched(blocks)):
            values[self.row[measure], order] = of_topics[order]
        return counts

    def _compute_others(self, values: np.ndarray, run: Mapping[str, Mapping[str, float]]) -> None:
        """Write the values of measures that other providers compute."""
        numbers = self.judgments.numbers
        for group, evaluator in self.others:
            with explained(group):
                refuse_for_gdeval(evaluator, run)
                metrics = computed_by(evaluator, run)
            for topic, measure, value, *_ in metrics:  # cwl_eval adds fields
                if topic in numbers:
                    values[self.row[measure], numbers[topic]] = value


def _without(every: Iterable[Remark], kind: str) -> list[Remark]:
    """The remarks of other kinds."""
    return [remark for remark in every if remark.kind != kind]
