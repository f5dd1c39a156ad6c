"""The ir-measures provider of graded measures: the one module that knows `Metric`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import ir_measures
import numpy as np
from ir_measures.providers import Evaluator, Provider

from .errors import GradedError
from .forms import Source, read_qrels, read_run
from .measure import GradedMeasure, TopicError
from .plugins import origin
from .ranking import Judged, JudgedRanks, judged_ranks
from .topics import Topics


class GradedProvider(Provider):
    """Computes every `GradedMeasure`."""

    NAME = "graded"

    def supports(self, measure: ir_measures.Measure) -> bool:
        return isinstance(measure, GradedMeasure)

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Source) -> GradedEvaluator:
        measures = list(dict.fromkeys(measures))
        for measure in measures:
            if not self.supports(measure):
                raise GradedError(f"the provider 'graded' does not compute {measure}")
        return GradedEvaluator(measures, qrels)


class GradedEvaluator(Evaluator):
    """Graded measures over one set of qrels, read once; evaluates any number of runs.

    Yields a finite value for every topic of the qrels, in their order, and none for other topics.
    """

    def __init__(self, measures: Iterable[GradedMeasure], qrels: Source):
        self.judged = Judged(read_qrels(qrels))
        super().__init__(measures, self.judged.topics)

    def iter_calc(self, run: Source) -> Iterator[ir_measures.Metric]:
        for measure, values in self._values(run).items():
            for topic, value in zip(self.judged.topics, values.tolist()):
                yield ir_measures.Metric(topic, measure, value)

    def calc_aggregate(self, run: Source) -> dict[ir_measures.Measure, Any]:
        result = {}
        for measure, values in self._values(run).items():
            aggregator = measure.aggregator()
            for value in values.tolist():
                aggregator.add(value)
            result[measure] = aggregator.result()
        return result

    def curves(self, run: Source, depth: int) -> Iterator[tuple[GradedMeasure, np.ndarray]]:
        """Each measure with its values at the cutoffs 1 … `depth` (T × depth), all from one reduction
        of the run. Measures that take no cutoff raise `GradedError`, a cutoff they have is not used."""
        for measure in self.measures:
            if not measure.CUTOFF:
                raise GradedError(f"{measure.NAME} has no cutoff: it has one value, not one at each rank")

        def curve(measure: GradedMeasure) -> Callable[[Topics], np.ndarray]:
            return partial(measure.curve, depth=depth)

        yield from self.by_topic(run, curve, (depth,), cut=False).items()

    def _values(self, run: Source) -> dict[GradedMeasure, np.ndarray]:
        """Each measure with its value for each topic."""
        return self.by_topic(run, lambda measure: measure.values)

    def by_topic(
        self,
        run: Source,
        compute: Callable[[GradedMeasure], Callable[[Topics], np.ndarray]],
        shape: tuple[int, ...] = (),
        cut: bool = True,
    ) -> dict[GradedMeasure, np.ndarray]:
        """Each measure with what `compute` makes of each topic, block after block of the run."""
        values = {measure: np.empty((len(self.judged.topics), *shape)) for measure in self.measures}
        for place, ranks in self._blocks(run):
            for measure, topics in self._views(ranks, cut):
                values[measure][place] = computed(measure, topics, compute(measure), shape)
        return values

    def _blocks(self, run: Source) -> Iterator[tuple[Any, JudgedRanks]]:
        """The run, reduced: which topics, and their ranks. One block, or as many as a run in a file has,
        and one of the topics that none of them has. Where blocks share a topic, the last is right."""
        if not hasattr(run, "blocks"):
            yield slice(None), judged_ranks(self.judged, read_run(run))
            return
        unseen = np.ones(len(self.judged.topics), dtype=bool)
        for rows in run.blocks():
            numbers = [self.judged.code[topic] for topic in rows.topics if topic in self.judged.code]
            place = np.sort(np.array(numbers, dtype=np.int64))
            unseen[place] = False
            yield place, judged_ranks(self.judged.part(place), rows)
        rest = np.flatnonzero(unseen)
        yield rest, judged_ranks(self.judged.part(rest), read_run({}))

    def _views(self, ranks: JudgedRanks, cut: bool) -> Iterator[tuple[GradedMeasure, Topics]]:
        views: dict[tuple[Any, ...], Topics] = {}
        for measure in self.measures:
            gains, cutoff = measure["gains"], measure["cutoff"] if cut and measure.CUTOFF else None
            key = (measure["judged_only"], tuple(gains.items()), cutoff)
            if key not in views:
                views[key] = Topics(ranks.condensed if measure["judged_only"] else ranks, gains, cutoff)
            yield measure, views[key]


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
