"""The ir-measures provider of graded measures. No other module makes `Metric` objects."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import ir_measures.providers
import numpy as np
from ir_measures import Measure, Metric
from ir_measures.providers import Evaluator, Provider

from ..arguments import items, refused
from ..errors import GradedError, InputWarning, WholeLevelsError, level_of_caller, shown
from .by_topic import largest, mean_over_topics
from .measures import standard
from .measures.base import GradedMeasure, MeasureError, OrderlessMean, ScoreError
from .measures.standard import definition_of
from .measures.standard_measure import Standard
from .measures.topics import Topics
from .ranking.judged import Judged, KeptParts
from .ranking.ranks import JudgedRanks
from .reduction import blocks_of, judged_of
from .registry.facts import (
    absent_levels,
    instead_of_err,
    is_err,
    is_graded,
    needs_intents,
    on_top_gain_of_absent,
)
from .registry.plugins import origin
from .rows.roles import RUN
from .rows.rows import Rows, RunSource, refuse_empty
from .rows.sources import Source, in_memory, read_qrels
from .uncertainty import evaluated


class GradedEvaluator(Evaluator):
    """Evaluates any number of runs with measures over one set of qrels, which is read once.

    Every topic of the qrels has a value and no other topic has one; RR with a cutoff has none for a
    topic without judgments. Graded measures, whose values are finite, report topics in the order of
    the qrels; standard measures in ir-measures' order. `judged` are the judged documents of the
    qrels, if they are at hand.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Source, judged: Judged | None = None):
        measures = _checked_measures(measures)
        if not isinstance(judged, (Judged, type(None))):
            raise refused("judged", judged, "the judged documents of the qrels, or None")
        self.graded = list(filter(is_graded, measures))
        self.others = [measure for measure in measures if not is_graded(measure)]
        rows = read_qrels(qrels)
        if judged is None:
            refuse_empty(rows)
            judged = judged_of(rows)
        self.judged = judged
        self._parts = KeptParts(judged)
        check_whole_levels(measures, judged, rows)
        for measure in measures:
            check_levels(measure, judged, rows)
        super().__init__(measures, self.judged.topics)

    def iter_calc(self, run: Source) -> Iterator[Metric]:
        for measure, order, values in self.reported_of(run):
            for code, value in zip(order.tolist(), values[order].tolist(), strict=True):
                yield Metric(self.judged.topics[code], measure, value)

    def calc_aggregate(self, run: Source) -> dict[Measure, Any]:
        reported = self.reported_of(run)
        return {measure: aggregate(measure, values[order]) for measure, order, values in reported}

    def reported_of(self, run: Source) -> Iterator[tuple[Measure, np.ndarray, np.ndarray]]:
        """The values of a run as `reported` yields them."""
        return self.reported(self.reduced(run))

    def reported(
        self, blocks: Iterable[JudgedRanks]
    ) -> Iterator[tuple[Measure, np.ndarray, np.ndarray]]:
        """Each measure with the numbers of the topics in its order of reporting, and its values in
        the order of the qrels (T). The run is read block by block.
        """
        topics = np.arange(len(self.judged.topics))
        values = {measure: np.empty(topics.size) for measure in self.measures}
        position = np.empty_like(topics)  # of each topic in the run; -1 if the run lacks it
        for block in blocks:
            position[block.place.numbers] = block.place.order
            for measure in self.measures:
                values[measure][block.place.numbers] = values_of(measure, block)
            block.release()
        for measure in self.graded:
            yield measure, topics, values[measure]
        judged = np.diff(self.judged.offsets) > 0
        for measure in self.others:
            # The provider of RR@k reports topics with relevant documents first, and none without
            # judgments.
            is_within = standard.formula_of(measure) == standard.RR_WITHIN
            computed_topics = judged
            if is_within:
                is_relevant = self.judged.level >= measure["rel"]
                computed_topics = np.isin(topics, self.judged.topic[is_relevant])
            in_run, others = self._order(position, computed_topics)
            values[measure][others] = measure.DEFAULT
            order = np.concatenate((in_run, others))
            if is_within:
                order = order[judged[order]]
            yield measure, order, values[measure]

    def reduced(self, run: Source) -> Iterable[JudgedRanks]:
        """The run, which is read and reduced with its blocks."""
        source = run if isinstance(run, RunSource) else in_memory(run, RUN)
        rows = source.rows() if source.in_memory else source.blocks()
        return blocks_of(self._parts, rows)

    def _order(self, position: np.ndarray, computed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The topics in the order of ir-measures' own providers: topics of the run that they have
        `computed` in the run's order, then the others by name. The last bit of a mean depends on
        this order.
        """
        is_in_run = computed & (position >= 0)
        in_run = np.flatnonzero(is_in_run)
        in_order_of_run = in_run[np.argsort(position[in_run])]
        others = np.flatnonzero(~is_in_run).tolist()
        others.sort(key=self.judged.topics.__getitem__)
        return in_order_of_run, np.array(others, dtype=np.int64)


class GradedProvider(Provider):
    """Computes every `GradedMeasure` and, if `standard` is True, ir-measures' standard measures.

    A standard measure equals to the last bit what ir-measures yields for it by itself; a measure
    for which this cannot be guaranteed is not supported (`standard.computes`).

    >>> from ir_measures import AP, P
    >>> provider = GradedProvider()
    >>> provider.calc_aggregate([P @ 1], {"q": {"a": 1}}, {"q": {"a": 2.0}})
    {P@1: 1.0}
    >>> provider.supports(AP), GradedProvider(standard=False).supports(AP)
    (True, False)
    """

    NAME = "graded"

    def __init__(self, standard: bool = True):
        super().__init__()
        self.standard = standard

    def supports(self, measure: Measure) -> bool:
        return is_graded(measure) or (self.standard and standard.computes(measure))

    def _evaluator(self, measures: Iterable[Measure], qrels: Source) -> GradedEvaluator:
        measures = list(dict.fromkeys(_checked_measures(measures)))
        refuse_unsupported(self, measures)
        evaluator = GradedEvaluator(measures, qrels)
        warn_of_absent_levels(measures, evaluator.judged, "the qrels")
        return evaluator


def _checked_measures(measures: Iterable[Measure]) -> list[Measure]:
    """The measures as a list. Raises `GradedError` for anything else."""
    listed_measures = items("measures", measures, "measures")
    for measure in listed_measures:
        if not isinstance(measure, Measure):
            raise refused("measures", measure, "a list of measures, see parse_measure")
    return listed_measures


def provider_named(name: str | None, measures: Sequence[Measure]) -> Provider | None:
    """The provider of that name, None for None.

    Raises `GradedError` for an unknown name, and for a measure that the provider lacks.
    """
    if name is None:
        return None
    providers = ir_measures.providers.registry
    if name not in providers:
        names = ", ".join(providers)
        raise GradedError(f"there is no provider {shown(name)}; ir_measures has {names}")
    provider = providers[name]
    if not provider.is_available():
        how_to_install = provider.install_instructions()
        hint = f"; to install it: {how_to_install}" if how_to_install else ""
        raise GradedError(f"the provider {name} is not available here{hint}")
    refuse_unsupported(provider, measures)
    return provider


def refuse_unsupported(
    provider: Provider, measures: Iterable[Measure], computed_by: str = ""
) -> None:
    """Raise `GradedError` for measures that the provider lacks.

    `computed_by` is what a message calls the provider, if that is not its name.
    """
    missing = [str(measure) for measure in measures if not provider.supports(measure)]
    if missing:
        alike = [instead_of_err(measure) for measure in measures if is_err(measure)]
        hint = f"; {alike[0]}" if alike else ""
        computed_by = computed_by or f"the provider {provider.NAME}"
        raise GradedError(f"{computed_by} does not compute {', '.join(missing)}{hint}")


def warn_of_absent_levels(measures: Iterable[Measure], judged: Judged, source: str) -> None:
    """Warn (`InputWarning`) of levels in the parameter `gains` of a measure that no document has.

    `source` names the judgments.
    """
    for measure in measures:
        absent = absent_levels(measure, judged)
        if absent:
            levels = " or ".join(f"{level:g}" for level in absent)
            warnings.warn(
                f"{measure}: {source} have no document of level {levels}"
                f"{on_top_gain_of_absent(measure, judged, absent)}",
                InputWarning,
                stacklevel=level_of_caller(),
            )


def values_of(measure: Measure, ranks: JudgedRanks) -> np.ndarray:
    """The values of a graded or standard measure for the topics of a block."""
    if not is_graded(measure):
        return standard.values(measure, ranks)
    try:
        return computed(measure, view(measure, ranks), partial(evaluated, measure))
    except ScoreError as error:
        document = ranks.listed.docs[int(ranks.row[error.position])]
        raise GradedError(f"{error.topic}, document {document!r} {error.rule}") from None


def aggregate(measure: Measure, values: np.ndarray) -> Any:
    """The aggregate of a measure's values over the topics: the mean of most measures, the sum of
    counts.
    """
    aggregator = measure.aggregator()
    if type(aggregator) is OrderlessMean and values.size:
        return float(mean_over_topics(values))  # at once, which is faster
    for value in values.tolist():
        aggregator.add(value)
    return aggregator.result()


def view(measure: GradedMeasure, ranks: JudgedRanks, cut: bool = True) -> Topics:
    """`GradedMeasure.view` of judgments that the measure can evaluate."""
    check_levels(measure, ranks.judged)
    return measure.view(ranks, cut)


def check_levels(measure: Measure, judged: Judged, rows: Rows | None = None) -> None:
    """Raise `GradedError` if the measure needs intents and the qrels have none, if it needs one
    level and a document has several, or if it needs whole levels. `rows` are those of the qrels.
    """
    if needs_intents(measure):
        judged.whole.intents  # noqa: B018  # reads them
        return
    check_whole_levels([measure], judged, rows)
    judged.need_one_level()


def check_whole_levels(
    measures: Iterable[Measure], judged: Judged, rows: Rows | None = None
) -> None:
    """Raise `WholeLevelsError` if some of the measures need whole levels, and a level is none.

    The message names all of them, and the equal measures.
    """
    needing: list[Measure] = []
    for measure in measures:
        if standard.needs_whole_levels(measure) and not needs_intents(measure):
            needing.append(measure)
    if not needing or not (judged.levels.level % 1).any():
        return
    rows = rows or judged.rows
    row = int(np.flatnonzero(rows.values % 1)[0])
    level = f"{rows.values[row]:g}"
    levels = tuple(np.unique(rows.values).tolist())
    instead = {measure: same_for_any_levels(measure, levels) for measure in needing}
    takes = "takes" if len(needing) == 1 else "take"
    what = f"the level is {level}; {_in_words(needing)} {takes} whole levels"
    reason = f"{rows.location(row)}: {what}"
    equal = [same for same in instead.values() if same]
    hint = ""
    if len(equal) == 1:
        hint = f"; {equal[0]} is the same measure and takes {level}"
    elif equal:
        hint = f"; {_in_words(equal)} are the same measures and take {level}"
    without = [measure for measure, same in instead.items() if not same]
    others = _rounded(without, is_all=len(without) == len(needing))
    error = WholeLevelsError(reason + others + hint)
    error.reason = reason
    error.levels = levels
    raise error


def same_for_any_levels(measure: Measure, levels: Sequence[float]) -> str:
    """The string of the measure, or of the equal one if it takes whole levels only; empty if there
    is none.

    >>> from ir_measures import Bpref, nDCG
    >>> same_for_any_levels(nDCG @ 5, [0.5]), same_for_any_levels(Bpref, [0.5])
    ('nDCG_Burges(gains=linear)@5', '')
    """
    if is_err(measure):  # gdeval takes whole levels
        return ""
    if not standard.needs_whole_levels(measure) or needs_intents(measure):
        return str(measure)
    definition = definition_of(measure)
    # Levels rounded down are plainer than an equal measure with other gains than 1.
    if not isinstance(definition, Standard) or definition.SAME_GAIN != 1:
        return ""
    return definition.same(levels)


def _rounded(measures: Sequence[Measure], is_all: bool) -> str:
    """What to do about the levels for measures without an equal one; empty without measures. If
    these are all, a single kind of them is not named again.

    Whether a level is at least the whole number `rel` does not change if it is rounded down.

    >>> from ir_measures import ERR, Success
    >>> _rounded([Success(rel=2) @ 5, ERR @ 5], is_all=True)
    '; levels rounded down give Success(rel=2)@5 the same value; for ERR@5, round the levels'
    >>> _rounded([Success @ 5], is_all=True)
    '; levels rounded down give the same value'
    """
    binary = [measure for measure in measures if "rel" in measure.SUPPORTED_PARAMS]
    others = [measure for measure in measures if measure not in binary]
    if is_all and not others:
        return "; levels rounded down give the same value"
    if is_all and not binary:
        return "; round the levels"
    text = ""
    if binary:
        text += f"; levels rounded down give {_in_words(binary)} the same value"
    if others:
        text += f"; for {_in_words(others)}, round the levels"
    return text


def _in_words(measures: Iterable[Any]) -> str:
    *others, last = map(str, measures)
    return f"{', '.join(others)} and {last}" if others else last


CRASHING = -2
"""The level up to which pytrec_eval crashes on a topic that has no higher one, beside other topics.
"""


def refuse_crash_of_pytrec_eval(measure: Measure, rows: Rows) -> None:
    """Raise `GradedError` for qrels on which pytrec_eval would end the process, by a topic with
    levels up to -2 only. `measure` is one that pytrec_eval computes, and `rows` are those of the
    qrels.
    """
    crashing = np.flatnonzero(largest(rows.values, rows.offsets) <= CRASHING)
    if len(rows.topics) > 1 and crashing.size:
        row = int(rows.offsets[crashing[0]])
        raise rows.error(
            row,
            f"the level is {rows.values[row]:g}, and the topic has no level above {CRASHING}; "
            f"pytrec_eval, which computes {measure}, crashes on such topics; leave the topic "
            "out or give the level 0",
        )


def computed(
    measure: GradedMeasure,
    topics: Topics,
    compute: Callable[[Topics], Any],
    shape: tuple[int, ...] = (),
) -> np.ndarray:
    """The result of `compute` for each topic, an array of that `shape`.

    Raises `GradedError`, which names the measure, for an exception, a wrong shape and a value that
    is not a finite real number.
    """

    cause: BaseException | None = None
    try:
        with np.errstate(all="ignore"):  # the values are checked below
            values = np.asarray(compute(topics))
        problem = _problem(values, topics, shape)
    except MeasureError as error:  # of a `TopicMeasure`, which names the topic
        problem = str(error)
        cause = error.__cause__
    except GradedError:
        raise
    except OverflowError as error:
        problem = f"has no value: {error}"
        cause = error
    except Exception as error:
        over = "no topics"
        if topics.count:
            over = f"{topics.count} topics ({shown(topics.names[0])} …)"
        problem = f"failed over {over}: {type(error).__name__}: {error}"
        cause = error
    if problem:
        raise MeasureError(f"measure {measure} of {origin(measure)} {problem}") from cause
    return values.astype(np.float64)


def _problem(values: np.ndarray, topics: Topics, shape: tuple[int, ...]) -> str:
    """The reason why these are not finite real numbers for each topic, arrays of that `shape`; or
    empty.
    """
    wanted = (topics.count, *shape)
    if values.shape != wanted:
        over = f"{topics.count} topics (first {topics.names[:1]})"
        return f"returned the shape {values.shape} for {over}; it must be {wanted}"
    if values.dtype.kind not in "biuf":
        return f"returned values of type {values.dtype}; a value must be a real number"
    infinite = np.argwhere(~np.isfinite(values))
    if infinite.size:
        first = tuple(infinite[0])
        topic = topics.names[first[0]]
        return f"is {values[first]} for topic {shown(topic)}; a value must be finite"
    return ""
