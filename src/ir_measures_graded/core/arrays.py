"""Labels, scores and groups in arrays, as learning to rank has them: the measures without any ids.

`array_values` and `array_mean` evaluate once. `ArrayEvaluator` keeps the reduction of the labels
for many evaluations.
"""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from ir_measures import Measure, SumAgg

from ..arguments import explains_wrong_calls, number, word
from ..errors import GradedError, InputWarning, level_of_caller, shown
from .by_topic import blocks, bounds_of, changes, mean_over_topics, positions
from .measures.base import EXTREMES
from .measures.gain_sums import GainSum
from .measures.standard import definition_of
from .measures.sums import SumOverRanks
from .measures.topics import Topics
from .provider import (
    GradedEvaluator,
    GradedProvider,
    computed,
    refuse_unsupported,
    view,
    warn_of_absent_levels,
)
from .ranking.judged import Judged
from .ranking.ranks import BlockPlace, JudgedRanks
from .ranking.top import TopRows
from .registry.facts import (
    CHOICES_OF_NO_RELEVANT,
    HIGHEST_OF_GDEVAL,
    ONE,
    ZERO,
    graded_err,
    has_relevant,
    is_err,
    is_graded,
    reads_scores,
    refuse_other_best,
    with_options,
)
from .registry.notation import parse_list, parse_measure
from .rows.decimals import as_decimals
from .rows.id_columns import Cells
from .rows.id_matching import Ids
from .rows.roles import QRELS, RUN
from .rows.rows import Rows
from .uncertainty import with_option
from .uncertainty.first_ranks import FirstRanks, Groups, Ranking, groups_of

Array = Any
"""A NumPy array, a list of numbers, a PyTorch tensor on the CPU, or anything else with `__array__`.
"""
Measures: TypeAlias = Measure | str | Iterable[Measure | str]

GIVEN = "given"
TIES = ("mean", *EXTREMES, GIVEN)
LABELS = QRELS.renamed(
    "labels",
    rule="the label is {}; a label is a finite number, or NaN if the document is unjudged",
)
SCORES = RUN.renamed("scores")


@explains_wrong_calls("ArrayEvaluator('nDCG@10', labels, sizes=sizes)")
class ArrayEvaluator(GradedEvaluator):
    """Evaluates any number of score arrays with measures over one array of labels, which is reduced
    once.

    `labels` is two-dimensional (groups × documents), or flat (N documents) with one of these:

    - `sizes`: the sizes of consecutive groups, which add up to N; a size may be 0.
    - `ids`: one group id per document, in any order.
    - `groups`: either of them. An array with N entries has ids. Whole numbers that add up to N
      could be both, such as 2, 0 or 1, 1, and are refused.

    A document whose label is NaN is unjudged. A label in 32 bits means its shortest decimal text,
    so that 0.1 is the level 0.1 of ``gains=0.1:5``.

    Scores have the shape of the labels. In two dimensions, NaN in both labels and scores is
    padding; a document with a score and without a label is unjudged, as in flat arrays. `padding`
    is the label of padding, such as -1 or NaN. The scores of padding are then ignored. Scores are
    compared as 32-bit floats, as everywhere in this package.

    `group` is another name of `sizes`, as in LightGBM, and `qid` of `ids`, as in XGBoost.

    A group without a document that is relevant by a measure has the value that the measure defines,
    0 for nearly all. With `no_relevant='skip'`, it has none and counts in no mean, and with 'one'
    the value 1, as in LightGBM and XGBoost. This concerns `values` and `means`.

    The documents have no ids. `ties` says how tied documents are ordered for a measure that has the
    option `ties`, unless the measure has it set: 'mean' (over all orders), 'min' or 'max'. With
    'given', and for all other measures, tied documents stay in the order given; 'min' and 'max' are
    errors for those that do not read the scores, as NDPM and ESL do. In a measure,
    ``ties='docid'`` is the default and does not count as set.

    A group without a judged document, such as a row of padding or a size of 0, has no value:
    `values` has NaN for it, no mean counts it, and a warning (`InputWarning`) counts such groups.
    Warnings also tell of -1 that stands where padding would, of levels in the parameter `gains` of
    a measure that no document has, and of labels and scores that seem to be swapped.

    The other groups are the topics of the inherited methods `iter_calc` and `calc_aggregate`, which
    take scores. Their names are the ids, or the numbers 0, 1, 2, …; error messages number the
    documents of a group alike.

    >>> evaluator = ArrayEvaluator(["CG@1", "P@2"], labels=[3, 1, 0, 2], groups=[2, 2])
    >>> evaluator.values([0.9, 0.1, 0.4, 0.4])
    array([[3. , 1. ],
           [1. , 0.5]])
    >>> evaluator.means([0.1, 0.9, 0.2, 0.4])
    array([1.5 , 0.75])

    Raises `GradedError` for arrays that do not fit together, labels that are infinite, labels that
    judge no document, and measures that only other providers of ir-measures compute, which need
    ids.
    """

    def __init__(
        self,
        measures: Measures,
        labels: Array,
        groups: Array | None = None,
        ties: str = "mean",
        *,
        sizes: Array | None = None,
        ids: Array | None = None,
        padding: float | None = None,
        group: Array | None = None,
        qid: Array | None = None,
        no_relevant: str = ZERO,
    ):
        word("ties", ties, TIES)
        self._no_relevant = word("no_relevant", no_relevant, CHOICES_OF_NO_RELEVANT)
        sizes = _one_of(sizes=sizes, group=group)
        ids = _one_of(ids=ids, qid=qid)
        asked = parse_list(measures)
        self.in_order = [_with_ties(measure, ties) for measure in asked]
        refuse_unsupported(GradedProvider(), self.in_order, "ir_measures_graded")
        level = labels_in(labels)
        self._shape = level.shape
        is_padding = padding_in(level, padding)
        warn_of_unnamed_padding(level, padding)
        level[is_padding] = np.nan
        _refuse_for_err(asked, level)
        self._has_fractions = are_fractions(level)
        grouping = grouping_of(level.shape, groups, sizes, ids)
        level = level.ravel()[grouping.documents]
        self._is_listed = ~is_padding.ravel()[grouping.documents]
        judged = ~np.isnan(level)
        judged_before = np.append(0, np.cumsum(judged))
        self._has_value = np.diff(judged_before[bounds_of(grouping.sizes)]) > 0
        if not (self._has_value.size and self._has_value.all()):
            _warn_of_unjudged(self._has_value)
            is_kept = np.repeat(self._has_value, grouping.sizes)
            grouping = grouping.where(self._has_value)
            level = level[is_kept]
            judged = judged[is_kept]
            self._is_listed = self._is_listed[is_kept]
        self._documents = grouping.documents
        numbers = Ids.of(_numbered(int(grouping.sizes.max(initial=0))))
        documents = Cells(positions(grouping.sizes), numbers.take)
        self._listed = Rows(SCORES, grouping.names, bounds_of(grouping.sizes), documents, level)
        self._judged_document = np.where(judged, np.cumsum(judged) - 1, -1)
        qrels = replace(self._listed, role=LABELS, distinct=True).where(judged).checked()
        documents_of_groups = Judged(qrels.topics, qrels.offsets, qrels.values)
        super().__init__(dict.fromkeys(self.in_order), qrels, documents_of_groups)
        warn_of_absent_levels(self.measures, self.judged, "the labels")
        if no_relevant == ONE:
            refuse_other_best(self.measures)
        self._top: TopRows | None = None
        depth = _depth_of(self.measures)
        if depth is not None and len(self._shape) == 1:
            top = TopRows(self._listed.offsets, depth)
            if top.share < WORTHWHILE:
                self._top = top
        self._blocks_of_means: list[BlockOfMeans] = []
        self._blocks: list[tuple[slice, Judged]] = []
        if judged.all() and len(self._shape) == 1 and all(map(_is_mean_of_gains, self.measures)):
            self._blocks_of_means = list(self._divided_for_means())
        else:
            self._blocks = list(self._divided(grouping.sizes))

    def _divided(self, sizes: np.ndarray) -> Iterator[tuple[slice, Judged]]:
        """Blocks of groups, with the judged documents of each."""
        for first, stop in blocks(sizes):
            topics = np.arange(first, stop)
            yield slice(first, stop), self.judged.part(topics)

    def reduced(self, run: Any) -> Iterator[JudgedRanks]:
        """The scores, reduced to the ranks of the judged documents."""
        listed = self._rows(run)
        document = self._judged_document
        if len(self._shape) == 2:
            has_label_or_score = (document >= 0) | ~np.isnan(listed.values)
            is_present = has_label_or_score & self._is_listed
            listed = listed.where(is_present).checked()
            document = document[is_present]
        if self._top is not None:
            is_in_top = self._top(listed.values)
            listed = listed.where(is_in_top)
            document = document[is_in_top]
        for numbers, judged in self._blocks:
            rows = listed.block(numbers.start, numbers.stop)
            start = listed.offsets[numbers.start]
            first_judged = self.judged.offsets[numbers.start]
            in_block = document[start : start + rows.values.size] - first_judged
            matched = partial(_in_order_given, in_block, rows.offsets)
            order = np.arange(numbers.start, numbers.stop)
            has_own = np.zeros(order.size, dtype=bool)
            yield JudgedRanks.of(judged, BlockPlace(rows, numbers, order, has_own), matched)

    def _divided_for_means(self) -> Iterator["BlockOfMeans"]:
        """Blocks of groups, if all documents are judged. Their columns stay in the processor cache
        while they are sorted and summed.
        """
        nothing = np.empty(0, dtype=np.int64)
        sizes = np.diff(self._listed.offsets)
        depth = None if self._top is None else self._top.depth
        for numbers, judged in self._divided(sizes):
            retrieved = sizes[numbers]
            ranks = JudgedRanks(judged, nothing, nothing, nothing, retrieved, np.empty(0))
            offsets = bounds_of(retrieved)
            start = int(self._listed.offsets[numbers.start])
            yield BlockOfMeans(
                numbers,
                rows=slice(start, start + int(offsets[-1])),
                groups=groups_of(offsets, depth),
                of_measures=[
                    FirstRanks(measure, view(measure, ranks)) for measure in self.measures
                ],
            )

    def reported_of(self, run: Any) -> Iterator[tuple[Measure, np.ndarray, np.ndarray]]:
        if not self._blocks_of_means:
            yield from self.reported(self.reduced(run))
            return
        scores = self._rows(run).values
        in_order = np.arange(len(self.judged.topics))
        values = {measure: np.empty(in_order.size) for measure in self.measures}
        for block in self._blocks_of_means:
            ranking = block.groups.ranking(scores[block.rows])
            for first_ranks in block.of_measures:
                values_of = partial(_values_of, first_ranks, ranking)
                values_of_block = computed(first_ranks.measure, first_ranks.topics, values_of)
                values[first_ranks.measure][block.numbers] = values_of_block
        for measure in self.measures:
            yield measure, in_order, values[measure]

    def _rows(self, run: Any) -> Rows:
        """The scores as rows of the groups. Raises `GradedError` for a score that is NaN."""
        scores = scores_in(run, self._shape)
        if self._has_fractions:
            warn_of_swapped(scores)
        listed = replace(self._listed, values=scores.ravel()[self._documents])
        return listed if scores.ndim == 2 else listed.checked()

    def values(self, scores: Array) -> np.ndarray:
        """The value of each measure for each group (measures × groups), NaN if no document is
        judged.

        There is one row for each measure given, in that order, also for equal ones.
        """
        values = {}
        for measure, _, values_of_topics in self.reported_of(scores):
            values[measure] = values_of_topics
            if self._no_relevant != ZERO:
                instead = 1.0 if self._no_relevant == ONE else np.nan
                is_found = has_relevant(measure, self.judged)
                values[measure] = np.where(is_found, values_of_topics, instead)
        shape = (len(self.in_order), self._has_value.size)
        table = np.full(shape, np.nan)
        table[:, self._has_value] = [values[measure] for measure in self.in_order]
        return table

    def means(self, scores: Array) -> np.ndarray:
        """The mean of each measure over the groups with a value; the sum of counts such as NumRet.

        There is one mean for each measure given, in that order, also for equal ones.
        """
        if self._no_relevant != ZERO:
            return self._means_of_counted(scores)
        means = self.calc_aggregate(scores)
        return np.array([means[measure] for measure in self.in_order], dtype=np.float64)

    def _means_of_counted(self, scores: Array) -> np.ndarray:
        """The means over the groups that count by `no_relevant`."""
        means = []
        for measure, values in zip(self.in_order, self.values(scores), strict=True):
            counted = values[~np.isnan(values)]
            if not counted.size:
                raise GradedError(f"{measure}: no group has a relevant document")
            if isinstance(measure.aggregator(), SumAgg):
                means.append(counted.sum())
            else:
                means.append(mean_over_topics(counted))
        return np.array(means, dtype=np.float64)


def _one_of(**named: Array | None) -> Array | None:
    """The array that is given under one of two names. Raises `GradedError` for both."""
    (first, array), (second, other) = named.items()
    if array is not None and other is not None:
        raise GradedError(f"{first} and {second} are the same; give one of them")
    return other if array is None else array


def refuse_wrong(measures: Measures, ties: str, no_relevant: str = ZERO) -> None:
    """Raise `GradedError` for measures and options that no `ArrayEvaluator` takes."""
    with warnings.catch_warnings():
        # The label stands for those of the data, so a remark on its level would mislead.
        warnings.simplefilter("ignore", InputWarning)
        ArrayEvaluator(measures, [0], ties=ties, sizes=[1], no_relevant=no_relevant)


WORTHWHILE = 0.7
"""If less than this share of the documents can be in the first ranks, the others are left out."""


class BlockOfMeans(NamedTuple):
    """A block of groups, all documents of which are judged, and what each measure takes from them.

    `numbers` are those of the groups, and `rows` those of their documents.
    """

    numbers: slice
    rows: slice
    groups: Groups
    of_measures: list[FirstRanks]


def _values_of(first_ranks: FirstRanks, ranking: Ranking, _: Topics) -> np.ndarray:
    return first_ranks.values(ranking)


def _is_ours(measure: Measure) -> bool:
    """Whether the measure is a sum of this package; those of plugins may read more of a list."""
    is_sum = isinstance(measure, SumOverRanks)
    return is_sum and type(measure).__module__.startswith(f"{__package__}.measures.")


def _is_mean_of_gains(measure: Measure) -> bool:
    """Whether `FirstRanks` has the values of a measure."""
    is_mean = isinstance(measure, GainSum) and measure.option("ties") == "mean"
    return is_mean and _is_ours(measure) and is_graded(measure) and not measure["judged_only"]


def _depth_of(measures: Iterable[Measure]) -> int | None:
    """The last rank that matters to any of these measures, None if it is not known.

    The sums of this package over the first ranks read no document below the cutoff, except under
    the options that move documents up.
    """
    deepest = 0
    for measure in measures:
        if not _is_ours(measure):
            return None
        reads_all = measure["judged_only"] or measure.option("unjudged")
        cutoff = measure["cutoff"] if measure.CUTOFF else None
        if reads_all or cutoff is None or measure.ideal_documents == "retrieved":
            return None
        deepest = max(deepest, cutoff)
    return deepest or None


@explains_wrong_calls("array_values('nDCG@10', labels, scores, sizes=sizes)")
def array_values(
    measure: Measures,
    labels: Array,
    scores: Array | None = None,
    groups: Array | None = None,
    ties: str = "mean",
    *,
    sizes: Array | None = None,
    ids: Array | None = None,
    padding: float | None = None,
    group: Array | None = None,
    qid: Array | None = None,
    no_relevant: str = ZERO,
) -> np.ndarray:
    """The value of a measure for each group (G), from arrays of labels and scores.

    `measure` is any measure that this package computes, graded or standard. Several measures give
    one row each, in their order. `labels` and `scores` are flat (N), with the `sizes` of the groups
    or the `ids` of the groups of the documents, or with either as `groups`. Values are in the order
    of the `sizes`; with `ids`, a group stands where its id is first. Or they are two-dimensional
    (groups × documents), padded with NaN in both, or with `padding` in the labels. All documents
    count as judged; a label of NaN is an unjudged document. A group without a judged document has
    the value NaN. Tied scores: `ties='mean'` is the default here for the measures that
    have it, because there are no document ids; others keep the order given. `ArrayEvaluator`, which
    keeps the labels for many scores, describes all arguments,
    also `group`, `qid` and `no_relevant`.

    Labels in ranked order need no `scores` with ``ties='given'``; flat ones without groups are one
    list. The ideal list and the top gain are those of these labels.

    The values equal those of `evaluate` for the same data with ids and the same `ties`. The last
    digits of a few measures, such as ERR_G, depend on the order in which tied documents are given.

    >>> labels, scores = [3, 0, 0, 1], [0.8, 0.1, 0.4, 0.4]
    >>> array_values("nDCG_Burges@2", labels=labels, scores=scores, sizes=[2, 2]).round(4)
    array([1.    , 0.8155])
    >>> nan = float("nan")
    >>> rows = [[0.8, 0.1, 0.4], [0.4, 0.4, nan]]
    >>> array_values("CG", labels=[[3, 0, 1], [1, 0, nan]], scores=rows)
    array([4., 1.])
    >>> rows = [[0.1, 0.4], [0.4, 0.7]]
    >>> array_values("nDCG_Burges", labels=[[0, 1], [1, -1]], scores=rows, padding=-1)
    array([1., 1.])
    >>> array_values("ERR_G@10", [3, 2, 0, 1], ties="given").round(4)
    array([0.9009])

    Raises `GradedError` as `ArrayEvaluator`, and for a score that is NaN.
    """
    if scores is None:
        _refuse_without_scores("array_values", measure, ties)
        scores = _scores_of_ranks(labels)
        sizes = _sizes_of_ranked(scores, sizes, groups, ids, group, qid)
    with told_of_swapped(labels, scores):
        evaluator = ArrayEvaluator(
            measure, labels, groups, ties, sizes=sizes, ids=ids, padding=padding,
            group=group, qid=qid, no_relevant=no_relevant,
        )  # fmt: skip
    return _of_one_or_all(measure, evaluator.values(scores))


@explains_wrong_calls("array_mean('nDCG@10', labels, scores, sizes=sizes)")
def array_mean(
    measure: Measures,
    labels: Array,
    scores: Array | None = None,
    groups: Array | None = None,
    ties: str = "mean",
    *,
    sizes: Array | None = None,
    ids: Array | None = None,
    padding: float | None = None,
    group: Array | None = None,
    qid: Array | None = None,
    no_relevant: str = ZERO,
) -> Any:
    """The mean of a measure over the groups, a float; with several measures, an array.

    All arguments are those of `array_values`, and so are the errors. A group without a judged
    document is left out of the mean; labels that judge no document are an error. A group without a
    relevant document counts 0 by nearly all measures, as in scikit-learn and torchmetrics;
    LightGBM, XGBoost and CatBoost count it 1, as ``no_relevant='one'`` does.

    >>> scores = [0.8, 0.1, 0.1, 0.4]
    >>> array_mean("nDCG_Burges@2", labels=[3, 0, 0, 1], scores=scores, ids=["a", "a", "b", "b"])
    1.0
    """
    if scores is None:
        _refuse_without_scores("array_mean", measure, ties)
        scores = _scores_of_ranks(labels)
        sizes = _sizes_of_ranked(scores, sizes, groups, ids, group, qid)
    with told_of_swapped(labels, scores):
        evaluator = ArrayEvaluator(
            measure, labels, groups, ties, sizes=sizes, ids=ids, padding=padding,
            group=group, qid=qid, no_relevant=no_relevant,
        )  # fmt: skip
    means = _of_one_or_all(measure, evaluator.means(scores))
    if means.ndim:
        return means
    return float(means)


def _refuse_without_scores(function: str, measures: Measures, ties: str) -> None:
    """Raise `TypeError` if scores are missing and the order of the labels is not said to be that of
    the ranks, and `GradedError` for a measure of which scores are more than an order."""
    if ties != GIVEN:
        raise TypeError(
            f"{function}() lacks scores; for labels in ranked order write ties='given', as in "
            f"{function}('ERR_G@10', [3, 2, 0, 1], ties='given')"
        )
    for measure in parse_list(measures):
        if "norm" in measure.SUPPORTED_PARAMS:
            raise GradedError(f"{measure} compares scores with gains; give scores")


def _scores_of_ranks(labels: Array) -> np.ndarray:
    """Scores that fall from the first label to the last, in each row of two-dimensional ones.

    Labels of NaN at the end of a row are padding, and have the score NaN.

    >>> _scores_of_ranks([[3, 0, 1], [2, float("nan"), float("nan")]])
    array([[ 3.,  2.,  1.],
           [ 3., nan, nan]])
    """
    level = labels_in(labels)
    scores = np.broadcast_to(np.arange(level.shape[-1], 0.0, -1), level.shape).copy()
    if level.ndim == 2:
        is_label = ~np.isnan(level)
        label_follows = np.logical_or.accumulate(is_label[:, ::-1], axis=1)[:, ::-1]
        scores[~label_follows] = np.nan
    return scores


def _sizes_of_ranked(scores: np.ndarray, sizes: Array | None, *others: Array | None) -> Any:
    """The sizes of groups without scores: flat labels without any grouping are one list."""
    is_grouped = any(grouping is not None for grouping in (sizes, *others))
    if scores.ndim == 2 or is_grouped:
        return sizes
    return [scores.size]


def _in_order_given(
    document: np.ndarray, offsets: np.ndarray, first: int, stop: int
) -> tuple[np.ndarray, None]:
    """The documents of some topics, in the order given; the numbers of unjudged documents are
    negative.
    """
    return document[offsets[first] : offsets[stop]], None


def _of_one_or_all(measure: Measures, results: np.ndarray) -> Any:
    """The result of a single measure, or an array with those of all."""
    is_single = isinstance(measure, (str, Measure)) and len(results) == 1
    return results[0] if is_single else results


def _refuse_for_err(measures: Iterable[Measure], level: np.ndarray) -> None:
    """Raise `GradedError` for labels that ERR, as gdeval computes it, does not take."""
    for measure in filter(is_err, measures):
        highest = float(np.nanmax(level, initial=HIGHEST_OF_GDEVAL))
        fractions = level[level % 1 > 0]
        if fractions.size or highest > HIGHEST_OF_GDEVAL:
            wrong = fractions[0] if fractions.size else highest
            raise GradedError(
                f"{measure} takes whole labels up to {HIGHEST_OF_GDEVAL}, not {wrong:g}; use "
                f"{graded_err(measure, highest)}"
            )


def _err_with_ties(measure: Measure, ties: str) -> Measure:
    """ERR as the graded measure with its formula, under its own name.

    gdeval, which computes it elsewhere, needs ids and rounds values to 5 decimals.
    """
    graded = parse_measure(graded_err(measure))
    if ties != GIVEN:
        graded = with_options(graded, {"ties": ties})
    renamed = copy(graded)
    renamed._text = str(measure)
    return renamed


def _with_ties(measure: Measure, ties: str) -> Measure:
    """The measure with the option `ties`, if it has the option and it is not set.

    Raises `GradedError` for a measure of which the lowest or highest value is wanted, but not
    known: the one in the given order would be taken for it.
    """
    if is_err(measure) and measure.params.get("cutoff"):
        return _err_with_ties(measure, ties)
    definition = definition_of(measure)
    if definition is not None and definition.option("ties"):
        return measure
    if ties in EXTREMES and not reads_scores(measure):
        return with_options(measure, {"ties": ties})
    if definition is None:
        return measure
    with_ties = with_option(definition, "ties", ties)
    if with_ties is not None:
        return with_ties
    if GradedProvider().supports(measure):
        return measure
    # Other providers of ir-measures need ids, so the definition stands in for the measure.
    return definition


def _array(name: str, values: Array) -> np.ndarray:
    """Anything as an array, a tensor without its gradient."""
    try:
        if hasattr(values, "detach"):
            values = values.detach()
            if "bfloat16" in str(values.dtype):  # NumPy has no such type
                values = values.float()
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError, Warning) as error:
        # NumPy refuses a ragged list, and its old releases warn of it; tensors may be on another
        # device.
        reason = " ".join(str(error).split())
        raise GradedError(f"cannot read the {name} as an array: {reason}") from None


def numbers_in(name: str, values: Array) -> np.ndarray:
    """An array of numbers of one or two dimensions. Masked entries are NaN."""
    array = _array(name, values)
    if array.dtype.kind not in "biuf":
        raise GradedError(
            f"the {name} are of type {array.dtype}; give numbers, with NaN for missing ones"
        )
    if array.ndim not in (1, 2):
        raise GradedError(
            f"the {name} have {array.ndim} dimensions; give 1, or 2 (groups × documents)"
        )
    if isinstance(values, np.ma.MaskedArray):
        dtype = array.dtype if array.dtype.kind == "f" else np.float64
        return np.ma.filled(values.astype(dtype), np.nan)
    return array


def labels_in(labels: Array) -> np.ndarray:
    """Labels as a new array of floats. Those in 32 bits mean their shortest decimal text."""
    array = numbers_in("labels", labels)
    decimals = as_decimals(array)
    return decimals.copy() if np.may_share_memory(decimals, array) else decimals


def scores_in(scores: Array, shape: tuple[int, ...]) -> np.ndarray:
    """Scores as an array of floats in the shape of the labels."""
    array = numbers_in("scores", scores)
    if array.shape != shape:
        raise GradedError(
            f"scores have the shape {array.shape}, labels {shape}; give a score per label"
        )
    return array.astype(np.float64, copy=False)


def padding_in(level: np.ndarray, padding: float | None) -> np.ndarray:
    """Whether each label is padding. Raises `GradedError` for padding in flat labels."""
    if padding is None:
        return np.zeros(level.shape, dtype=bool)
    if level.ndim == 1:
        raise GradedError("padding is for two-dimensional labels; leave it out for flat ones")
    is_nan = isinstance(padding, (float, np.floating)) and np.isnan(padding)
    if is_nan:
        return np.isnan(level)
    number("padding", padding)
    padding_as_read = float(as_decimals(np.asarray(padding)))  # labels are read in this way, too
    is_padding = level == padding_as_read
    with np.errstate(over="ignore"):
        single = np.asarray(padding, dtype=np.float32)
    if float(single) == padding:  # perhaps a label of 32 bits, which Python shows with 64
        is_padding |= level == float(as_decimals(single))
    return np.asarray(is_padding)


UNNAMED_PADDING = -1
"""The label of padding in TensorFlow Ranking and allRank, which counts as judged unless it is
named."""


def warn_of_unnamed_padding(level: np.ndarray, padding: float | None) -> None:
    """Warn if -1 stands at the end of rows and nowhere else, and `padding` does not tell its
    meaning.
    """
    if padding is not None or level.ndim == 1:
        return
    is_suspect = level == UNNAMED_PADDING
    is_other = ~is_suspect
    others_from_the_end = np.logical_or.accumulate(is_other[:, ::-1], axis=1)
    others_follow = others_from_the_end[:, ::-1]
    rows = np.count_nonzero(is_suspect.any(axis=1))
    if rows and not (is_suspect & others_follow).any():
        warnings.warn(
            f"labels: {rows:,} of {len(level):,} rows end with -1, which stands nowhere else; it "
            "counts as a judged document; give padding=-1 if it is padding",
            InputWarning,
            stacklevel=level_of_caller(),
        )


def are_fractions(level: np.ndarray) -> bool:
    """Whether no label is a whole number. Scores are such numbers, levels hardly ever."""
    for labels in (level.ravel()[:FIRST], level):  # nearly always, the first labels decide
        if not labels.size or (labels == np.floor(labels)).any() or np.isnan(labels).all():
            return False
    return True


FIRST = 100
"""The number of labels that are tried before all."""


SWAPPED = (
    "all scores are whole numbers and no label is one; labels come before scores, or name them: "
    "labels=…, scores=…"
)


def warn_of_swapped(scores: np.ndarray) -> None:
    """Warn of scores that are all whole numbers, beside labels that are fractions."""
    if (scores == np.floor(scores)).all():
        warnings.warn(SWAPPED, InputWarning, stacklevel=level_of_caller())


@contextmanager
def told_of_swapped(labels: Array, scores: Array) -> Iterator[None]:
    """Say that labels and scores are swapped, if they are, in the error on labels."""
    try:
        yield
    except GradedError:
        if are_swapped(labels, scores):
            raise GradedError(SWAPPED) from None
        raise


def are_swapped(labels: Array, scores: Array) -> bool:
    """Whether no label is a whole number and all scores are; False for what is no array."""
    try:
        level = labels_in(labels)
        score = scores_in(scores, level.shape)
    except GradedError:
        return False
    return are_fractions(level) and bool((score == np.floor(score)).all())


@dataclass(frozen=True)
class Grouping:
    """The groups of labels: their names, their sizes, and the documents group after group.

    `documents` are indices of the flat labels, or a slice of all of them. `has_ids` says that the
    names are ids, which may go on in another batch.
    """

    names: list[str]
    sizes: np.ndarray
    documents: Any
    has_ids: bool = False

    def where(self, is_kept: np.ndarray) -> "Grouping":
        """Some of the groups."""
        kept = np.repeat(is_kept, self.sizes)
        documents = np.arange(kept.size)[self.documents][kept]
        names = [name for name, kept_name in zip(self.names, is_kept, strict=True) if kept_name]
        return replace(self, names=names, sizes=self.sizes[is_kept], documents=documents)


def grouping_of(
    shape: tuple[int, ...],
    groups: Array | None,
    sizes: Array | None = None,
    ids: Array | None = None,
    entries_are_ids: bool = False,
) -> Grouping:
    """The groups of labels of this shape.

    With `entries_are_ids`, an array `groups` with an entry per document has ids, whatever they are.
    """
    is_named = {"groups": groups is not None, "sizes": sizes is not None, "ids": ids is not None}
    named = [name for name, is_given in is_named.items() if is_given]
    if len(named) > 1:
        raise GradedError(f"{' and '.join(named)} are given; give one of them")
    if len(shape) == 2:
        if named:
            raise GradedError(
                f"each row of two-dimensional labels is a group; leave out {named[0]}"
            )
        rows, width = shape
        return Grouping(_numbered(rows), np.full(rows, width), slice(None))
    if not named:
        raise GradedError(_without_groups(shape[0]))
    if sizes is not None:
        return _grouping_by_sizes("sizes", _array("sizes", sizes), shape[0])
    if ids is not None:
        return _grouping_by_ids("ids", _array("ids", ids), shape[0])
    array = _array("groups", groups)
    if array.shape != shape:
        return _grouping_by_sizes("groups", array, shape[0])
    if not entries_are_ids:
        _refuse_ambiguous(array)
    return _grouping_by_ids("groups", array, shape[0])


def _without_groups(documents: int) -> str:
    """The message that the groups of flat labels are missing, with what to write for one query and
    for several.

    >>> _without_groups(5).partition("; ")[0]
    'flat labels need groups: for one query write sizes=[5], as in array_mean(measures, labels, \
scores, sizes=[5])'
    """
    one = f"sizes=[{documents}]"
    several = f"sizes=[{documents - documents // 2}, {documents // 2}]"
    return (
        f"flat labels need groups: for one query write {one}, as in array_mean(measures, labels, "
        f"scores, {one}); for several, {several} tells how many documents each query has in turn, "
        "and ids=queries names the query of each document"
    )


def _are_sizes(array: np.ndarray, documents: int) -> bool:
    """Whether these can be the sizes of groups with so many documents in all."""
    if array.ndim != 1:
        return False
    is_whole = array.dtype.kind in "iu" or not array.size
    if not is_whole or (array < 0).any():
        return False
    return int(array.sum()) == documents


def _refuse_ambiguous(groups: np.ndarray) -> None:
    """Raise `GradedError` for an entry per document that may be its group id or the size of a
    group.
    """
    documents = groups.size
    if documents > 1 and _are_sizes(groups, documents):
        raise GradedError(
            f"groups {shown(groups.tolist())} of {documents} documents may be sizes or ids; pass "
            "them as sizes=… or as ids=… instead of groups"
        )


def _grouping_by_sizes(name: str, sizes: np.ndarray, documents: int) -> Grouping:
    if not _are_sizes(sizes, documents):
        ids = ", or one group id per document" if name == "groups" else ""
        raise GradedError(
            f"{name} {shown(sizes.tolist())} do not fit {documents} labels; give group sizes that "
            f"add up to {documents}{ids}"
        )
    return Grouping(_numbered(sizes.size), sizes.astype(np.int64), slice(None))


def _grouping_by_ids(name: str, ids: np.ndarray, documents: int) -> Grouping:
    if ids.shape != (documents,):
        raise GradedError(
            f"{name} have the shape {ids.shape}; give a group id for each of {documents} documents"
        )
    code, names = _coded(name, ids)
    in_order = (np.diff(code) >= 0).all()
    order = slice(None) if in_order else np.argsort(code, kind="stable")
    return Grouping([str(id_) for id_ in names], np.bincount(code), order, has_ids=True)


def _coded(name: str, ids: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """The number of each group id, and the distinct ids in order of appearance."""
    starts = np.flatnonzero(changes(ids))  # the ids of a group are mostly consecutive
    listed = ids[starts]
    if listed.dtype.kind in "iu":
        code, names = _coded_numbers(listed)
    else:
        code, names = _coded_objects(name, listed.tolist(), starts.tolist())
    lengths = np.diff(np.append(starts, ids.size))
    return np.repeat(code, lengths), names


def _coded_numbers(ids: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """The number of each group id, and the distinct ids in order of appearance."""
    distinct, first, sorted_code = np.unique(ids, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(order.size)
    return number[sorted_code], distinct[order].tolist()


def _coded_objects(name: str, ids: list[Any], documents: list[int]) -> tuple[np.ndarray, list[Any]]:
    """The number of each group id, which these documents have, and the distinct ids in order of
    appearance.
    """
    for document, id_ in zip(documents, ids, strict=True):
        if id_ is None or id_ != id_:
            raise GradedError(f"{name}: document {document} has no group id")
    codes = {id_: number for number, id_ in enumerate(dict.fromkeys(ids))}
    code = np.array([codes[id_] for id_ in ids], dtype=np.int64)
    return code, list(codes)


def _warn_of_unjudged(has_value: np.ndarray) -> None:
    """Warn of the groups without a value. Raises `GradedError` if no group has one."""
    if not has_value.any():
        raise GradedError("the labels judge no document, so no group has a value")
    count = f"{np.sum(~has_value):,} of {has_value.size:,} groups lack a judged document"
    warnings.warn(
        f"labels: {count}; they have no value, and no mean counts them",
        InputWarning,
        stacklevel=level_of_caller(),
    )


def _numbered(count: int) -> list[str]:
    return list(map(str, range(count)))
