"""The ir-measures provider of graded measures: the one module that knows `Metric`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import ir_measures
import numpy as np
from ir_measures.providers import Evaluator, Provider

from ..errors import GradedError
from ..inputs.tables import Source, Table, read_qrels, read_run
from ..measures.base import GradedMeasure, TopicError
from ..measures.topics import Topics
from ..ranking.judged import Judged
from ..ranking.ranks import JudgedRanks, judged_ranks
from ..registry.plugins import origin
from . import trec_eval
from .trec_eval import TrecLists


class GradedProvider(Provider):
    """Computes every `GradedMeasure` and, where `standard` is True, ir-measures' standard measures as
    well: each to the last bit as ir-measures does by itself, where that can be (`trec_eval.computes`)."""

    NAME = "graded"

    def __init__(self, standard: bool = True):
        super().__init__()
        self.standard = standard

    def supports(self, measure: ir_measures.Measure) -> bool:
        return isinstance(measure, GradedMeasure) or (self.standard and trec_eval.computes(measure))

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Source) -> GradedEvaluator:
        measures = list(dict.fromkeys(measures))
        for measure in measures:
            if not self.supports(measure):
                raise GradedError(f"the provider 'graded' does not compute {measure}")
        return GradedEvaluator(measures, qrels)


class GradedEvaluator(Evaluator):
    """Measures over one set of qrels, read once; evaluates any number of runs.

    Yields a value for every topic of the qrels and none for other topics: for graded measures, whose
    values are finite, in the order of the qrels, for standard ones in that of ir-measures.
    """

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Source):
        table = read_qrels(qrels)
        measures = list(measures)
        for measure in measures:
            if not isinstance(measure, GradedMeasure) and trec_eval.needs_whole_levels(measure):
                _check_whole_levels(measure, table)
        self.judged = Judged(table)
        super().__init__(measures, self.judged.topics)

    def iter_calc(self, run: Source) -> Iterator[ir_measures.Metric]:
        for measure, order, values in self.reported(run):
            for code, value in zip(order.tolist(), values[order].tolist()):
                yield ir_measures.Metric(self.judged.topics[code], measure, value)

    def calc_aggregate(self, run: Source) -> dict[ir_measures.Measure, Any]:
        return {measure: aggregate(measure, values[order]) for measure, order, values in self.reported(run)}

    def curves(self, run: Source, depth: int) -> Iterator[tuple[GradedMeasure, np.ndarray]]:
        """Each measure with its values at the cutoffs 1 … `depth` (T × depth), all from one reduction
        of the run. Measures that take no cutoff raise `GradedError`, a cutoff they have is not used."""
        for measure in self.measures:
            if not isinstance(measure, GradedMeasure):
                raise GradedError(f"{measure} is no graded measure, only these have curves here")
            if not measure.CUTOFF:
                raise GradedError(f"{measure.NAME} has no cutoff: it has one value, not one at each rank")

        def curve(measure: GradedMeasure) -> Callable[[Topics], np.ndarray]:
            return partial(measure.evaluated_curve, depth=depth)

        yield from self.by_topic(run, curve, (depth,), cut=False).items()

    def reported(self, run: Source) -> Iterator[tuple[ir_measures.Measure, np.ndarray, np.ndarray]]:
        """Each measure with the numbers of the topics in the order in which it reports them, and with its
        values in the order of the qrels (T)."""
        in_run: dict[int, None] = {}
        found = self.by_topic(run, lambda measure: measure.evaluated, in_run=in_run)
        everything = np.arange(len(self.judged.topics))
        order, evaluated = self._order(in_run)
        for measure, values in found.items():
            if isinstance(measure, GradedMeasure):
                yield measure, everything, values
            else:
                values[order[evaluated:]] = measure.DEFAULT
                skips = trec_eval.skips_topics_without_judgments(measure)
                codes = self._with_judgments(order) if skips else order
                yield measure, np.array(codes, dtype=np.int64), values

    def by_topic(
        self,
        run: Source,
        compute: Callable[[GradedMeasure], Callable[[Topics], np.ndarray]],
        shape: tuple[int, ...] = (),
        cut: bool = True,
        in_run: dict[int, None] | None = None,
    ) -> dict[ir_measures.Measure, np.ndarray]:
        """Each measure with what `compute` makes of each topic, block after block of the run; of standard
        measures with their values. The numbers of the run's topics, in its order, are added to `in_run`."""
        values = {measure: np.empty((len(self.judged.topics), *shape)) for measure in self.measures}
        for place, ranks in self._blocks(run, {} if in_run is None else in_run):
            views: dict[Any, Topics] = {}
            lists: dict[Any, TrecLists] = {}
            for measure in self.measures:
                if isinstance(measure, GradedMeasure):
                    topics = view(measure, ranks, views, cut)
                    values[measure][place] = computed(measure, topics, compute(measure), shape)
                else:
                    values[measure][place] = trec_eval.values(measure, ranks, lists)
        return values

    def _blocks(self, run: Source, in_run: dict[int, None]) -> Iterator[tuple[Any, JudgedRanks]]:
        """The run, reduced: which topics, and their ranks. One block, or as many as a run in a file has,
        and one of the topics that none of them has. Where blocks share a topic, the last is right."""
        code = self.judged.code
        if not hasattr(run, "blocks"):
            rows = read_run(run)
            in_run.update((code[topic], None) for topic in rows.topics if topic in code)
            yield slice(None), judged_ranks(self.judged, rows)
            return
        for rows in run.blocks():
            numbers = [code[topic] for topic in rows.topics if topic in code]
            in_run.update(dict.fromkeys(numbers))
            place = np.sort(np.array(numbers, dtype=np.int64))
            yield place, judged_ranks(self.judged.part(place), rows)
        rest = np.setdiff1d(np.arange(len(code)), [*in_run])
        yield rest, judged_ranks(self.judged.part(rest), read_run({}))

    def _order(self, in_run: Iterable[int]) -> tuple[list[int], int]:
        """The topics as ir-measures' own providers report them, and how many of them the run has: first
        these, in the order of the run, on which the last bit of a mean depends, then the others by name."""
        topics = self.judged.topics
        evaluated = self._with_judgments(in_run)
        others = sorted(set(range(len(topics))).difference(evaluated), key=topics.__getitem__)
        return [*evaluated, *others], len(evaluated)

    def _with_judgments(self, codes: Iterable[int]) -> list[int]:
        """Without the topics that qrels in a dict name and give no document."""
        judged = np.diff(self.judged.offsets)
        return [code for code in codes if judged[code]]


def aggregate(measure: ir_measures.Measure, values: np.ndarray) -> Any:
    """What a measure makes of its values over the topics: most take the mean, counts the sum."""
    aggregator = measure.aggregator()
    for value in values.tolist():
        aggregator.add(value)
    return aggregator.result()


def view(
    measure: GradedMeasure, ranks: JudgedRanks, views: dict[Any, Topics] | None = None, cut: bool = True
) -> Topics:
    """The run as a measure sees it; `views` holds those that measures of one run share."""
    gains, cutoff = measure["gains"], measure["cutoff"] if cut and measure.CUTOFF else None
    key = (measure["judged_only"], tuple(gains.items()), cutoff)
    views = {} if views is None else views
    if key not in views:
        views[key] = Topics(ranks.condensed if measure["judged_only"] else ranks, gains, cutoff)
    return views[key]


def _check_whole_levels(measure: ir_measures.Measure, qrels: Table) -> None:
    broken = np.flatnonzero(qrels.values % 1)
    if broken.size:
        row = int(broken[0])
        raise GradedError(
            f"{qrels.place(row)}: the level is {qrels.values[row]:g}; {measure} is defined for whole numbers"
        )


def computed(
    measure: GradedMeasure,
    topics: Topics,
    compute: Callable[[Topics], np.ndarray],
    shape: tuple[int, ...] = (),
) -> np.ndarray:
    """What `compute` makes of each topic, of that `shape` each; whatever a measure does wrong is an
    error that names it."""
    named = f"measure {measure} of {origin(measure)}"
    try:
        with np.errstate(all="ignore"):  # what comes of it is looked at below
            values = np.asarray(compute(topics), dtype=np.float64)
    except GradedError:
        raise
    except TopicError as error:
        raise GradedError(f"{named} failed for topic {error.topic!r}: {error}") from error.__cause__
    except Exception as error:
        over = f"{topics.count} topics ({topics.names[0]!r} …)" if topics.count else "no topics"
        raise GradedError(f"{named} failed over {over}: {type(error).__name__}: {error}") from error
    if values.shape != (topics.count, *shape):
        raise GradedError(
            f"{named} returned the shape {values.shape} for {topics.count} topics "
            f"(first {topics.names[:1]}); it must be {(topics.count, *shape)}"
        )
    for topic, *place in np.argwhere(~np.isfinite(values)):
        value = values[(topic, *place)]
        raise GradedError(f"{named} is {value} for topic {topics.names[topic]!r}; a value must be finite")
    return values
