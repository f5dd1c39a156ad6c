"""A measure of scores that arrive in batches, in the style of torchmetrics; PyTorch is not
needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import explains_wrong_calls, refused
from ..errors import GradedError
from .arrays import (
    Array,
    ArrayEvaluator,
    Measures,
    are_fractions,
    grouping_of,
    labels_in,
    padding_in,
    refuse_wrong,
    scores_in,
    warn_of_swapped,
    warn_of_unnamed_padding,
)
from .registry.facts import ZERO, sign_of
from .registry.notation import parse_measures


@dataclass(frozen=True)
class Batch:
    """The documents of a batch: score, label and the number of the group of each (N).

    `ids` are those of the groups, None for groups that end with the batch.
    """

    score: np.ndarray
    label: np.ndarray
    group: np.ndarray
    ids: list[Any]


@explains_wrong_calls("RankingMetric('nDCG@10')")
class RankingMetric:
    """The mean of measures over groups whose scores and labels arrive in batches.

    `measures`, `ties` and `no_relevant` are those of `array_mean`, and so are the values: `compute`
    has the value of `array_mean` for all batches together. A group may be spread over several
    batches. One without a relevant document counts 0 by nearly all measures, as in torchmetrics.
    The metric keeps all scores and labels until `reset`, 24 bytes per document.
    `larger_is_better` is that of the first measure.

    A metric can be pickled. Processes that evaluate different batches send theirs to one of them,
    which calls `merge`.

    >>> metric = RankingMetric("nDCG_Burges@2")
    >>> metric.update(labels=[3, 0, 0], scores=[0.8, 0.1, 0.4], ids=["q1", "q1", "q2"])
    >>> metric.update(labels=[1], scores=[0.4], ids=["q2"])
    >>> round(metric.compute(), 4)
    0.9077
    """

    def __init__(self, measures: Measures, ties: str = "mean", *, no_relevant: str = ZERO):
        self.measures = parse_measures(measures)
        self.ties = ties
        self.no_relevant = no_relevant
        refuse_wrong(self.measures, ties, no_relevant)
        self.larger_is_better = sign_of(self.measures[0]) > 0
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        self._batches: list[Batch] = []

    def update(
        self,
        labels: Array,
        scores: Array,
        groups: Array | None = None,
        *,
        sizes: Array | None = None,
        ids: Array | None = None,
        padding: float | None = None,
    ) -> None:
        """Add a batch: labels, scores and groups as in `array_mean`, in its order.

        A label of NaN is an unjudged document. torchmetrics has scores before labels, so name the
        arguments.

        An array of `groups` with one entry per document always has ids. Groups with ids continue in
        later batches that have the same ids. Groups that are given as sizes or as rows of
        two-dimensional arrays end with the batch. In such arrays, NaN in both labels and scores is
        padding, or the label `padding`.

        Raises `GradedError` for arrays that do not fit together; the metric is then unchanged.
        Warns (`InputWarning`) of labels and scores that seem to be swapped, and of -1 that stands
        where padding would.
        """
        level = labels_in(labels)
        scores_of_labels = scores_in(scores, level.shape)
        if are_fractions(level):
            warn_of_swapped(scores_of_labels)
        is_padding = padding_in(level, padding)
        warn_of_unnamed_padding(level, padding)
        grouping = grouping_of(level.shape, groups, sizes, ids, entries_are_ids=True)
        score = scores_of_labels.ravel()[grouping.documents]
        label = level.ravel()[grouping.documents]
        is_kept = ~is_padding.ravel()[grouping.documents]
        if level.ndim == 2:
            is_kept &= ~(np.isnan(score) & np.isnan(label))
        score = score[is_kept]
        label = label[is_kept]
        if np.isnan(score).any() or np.isinf(label).any():
            raise GradedError("a score is NaN or a label is infinite; give each document a number")
        group_count = grouping.sizes.size
        group = np.repeat(np.arange(group_count), grouping.sizes)[is_kept]
        names: list[Any] = [None] * group_count
        if grouping.has_ids:
            names = list(grouping.names)
        self._batches.append(Batch(score, label, group, names))

    def merge(self, *others: RankingMetric) -> RankingMetric:
        """Add the batches of other metrics, and return this one.

        Raises `GradedError` if their measures, `ties` or `no_relevant` differ.
        """
        for other in others:
            if not isinstance(other, RankingMetric):
                raise refused("others", other, "a RankingMetric")
            if (other.measures, other.ties) != (self.measures, self.ties):
                raise GradedError("metrics with other measures or other ties cannot be merged")
            if other.no_relevant != self.no_relevant:
                raise GradedError("metrics with another no_relevant cannot be merged")
        batches = [batch for other in others for batch in other._batches]
        self._batches += batches
        return self

    def compute(self) -> Any:
        """The mean over all groups with a judged document; of several measures, a dict by measure
        string.

        Raises `GradedError` before the first `update`, and as `array_mean`.
        """
        if not self._batches:
            raise GradedError("the metric has no batch; call update before compute")
        number_of: dict[Any, int] = {}
        groups = []
        for batch in self._batches:
            numbers = []
            for id_ in batch.ids:
                key = object() if id_ is None else id_
                numbers.append(number_of.setdefault(key, len(number_of)))
            groups.append(np.array(numbers, dtype=np.int64)[batch.group])
        group = np.concatenate(groups)
        score = np.concatenate([batch.score for batch in self._batches])
        label = np.concatenate([batch.label for batch in self._batches])
        order = np.argsort(group, kind="stable")
        label = label[order]
        evaluator = ArrayEvaluator(
            self.measures, label, ties=self.ties, ids=group[order], no_relevant=self.no_relevant
        )
        means = evaluator.means(score[order]).tolist()
        if len(means) == 1:
            return means[0]
        names = map(str, self.measures)
        return dict(zip(names, means, strict=True))
