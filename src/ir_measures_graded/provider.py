"""The ir-measures provider of graded measures: the one module that knows `Metric`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import ir_measures
import numpy as np
from ir_measures.providers import Evaluator, Provider

from . import standard
from .errors import GradedError
from .forms import Source, Table, read_qrels, read_run
from .measure import GradedMeasure, TopicError
from .plugins import origin
from .ranking import Judged, JudgedRanks, judged_ranks
from .standard import TrecLists
from .topics import Topics


class GradedProvider(Provider):
    """Computes every `GradedMeasure` and, where `standard` is True, ir-measures' standard measures as
    well: each to the last bit as ir-measures does by itself, where that can be (`standard.computes`)."""

    NAME = "graded"

    def __init__(self, standard: bool = True):
        super().__init__()
        self.standard = standard

    def supports(self, measure: ir_measures.Measure) -> bool:
        return isinstance(measure, GradedMeasure) or (self.standard and standard.computes(measure))

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
            if not isinstance(measure, GradedMeasure) and standard.needs_whole_levels(measure):
                _check_whole_levels(measure, table)
        self.judged = Judged(table)
        super().__init__(measures, self.judged.topics)

    def iter_calc(self, run: Source) -> Iterator[ir_measures.Metric]:
        for measure, topics, values in self._values(run):
            for topic, value in zip(topics, values.tolist()):
                yield ir_measures.Metric(topic, measure, value)

    def calc_aggregate(self, run: Source) -> dict[ir_measures.Measure, Any]:
        result = {}
        for measure, _, values in self._values(run):
            aggregator = measure.aggregator()
            for value in values.tolist():
                aggregator.add(value)
            result[measure] = aggregator.result()
        return result

    def curves(self, run: Source, depth: int) -> Iterator[tuple[GradedMeasure, np.ndarray]]:
        """Each measure with its values at the cutoffs 1 … `depth` (T × depth), all from one reduction
        of the run. Measures that take no cutoff raise `GradedError`, a cutoff they have is not used."""
        for measure in self.measures:
            if not isinstance(measure, GradedMeasure):
                raise GradedError(f"{measure} is no graded measure, only these have curves here")
            if not measure.CUTOFF:
                raise GradedError(f"{measure.NAME} has no cutoff: it has one value, not one at each rank")
        for measure, topics in self.views(run, cut=False):
            yield measure, computed(measure, topics, partial(measure.curve, depth=depth), (depth,))

    def _values(self, run: Source) -> Iterator[tuple[ir_measures.Measure, Sequence[str], np.ndarray]]:
        """Each measure with the topics and their values, in the order in which they are reported."""
        table = read_run(run)
        ranks = judged_ranks(self.judged, table)
        order, evaluated = self._order(table)
        views: dict[Any, Topics] = {}
        lists: dict[Any, TrecLists] = {}
        for measure in self.measures:
            if isinstance(measure, GradedMeasure):
                topics = _view(measure, ranks, views)
                yield measure, self.judged.topics, computed(measure, topics, measure.values)
            else:
                values = standard.values(measure, ranks, lists)
                values[order[evaluated:]] = measure.DEFAULT
                codes = (
                    self._with_judgments(order) if standard.skips_topics_without_judgments(measure) else order
                )
                yield measure, [self.judged.topics[code] for code in codes], values[codes]

    def _order(self, run: Table) -> tuple[list[int], int]:
        """The topics as ir-measures' own providers report them, and how many of them the run has: first
        these, in the order of the run, on which the last bit of a mean depends, then the others by name."""
        topics, code = self.judged.topics, self.judged.code
        evaluated = self._with_judgments([code[topic] for topic in run.topics if topic in code])
        others = sorted(set(range(len(topics))).difference(evaluated), key=topics.__getitem__)
        return [*evaluated, *others], len(evaluated)

    def _with_judgments(self, codes: list[int]) -> list[int]:
        """Without the topics that qrels in a dict name and give no document."""
        judged = np.diff(self.judged.offsets)
        return [code for code in codes if judged[code]]

    def views(self, run: Source, cut: bool = True) -> Iterator[tuple[GradedMeasure, Topics]]:
        """Each measure with the run as it sees it: its gains, and its cutoff unless `cut` is False."""
        ranks = judged_ranks(self.judged, read_run(run))
        views: dict[Any, Topics] = {}
        for measure in self.measures:
            yield measure, _view(measure, ranks, views, cut)


def _view(measure: GradedMeasure, ranks: JudgedRanks, views: dict[Any, Topics], cut: bool = True) -> Topics:
    """The run as a measure sees it; `views` holds those that measures of one run share."""
    gains, cutoff = measure["gains"], measure["cutoff"] if cut and measure.CUTOFF else None
    key = (measure["judged_only"], tuple(gains.items()), cutoff)
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
