"""A measure of scores that arrive in batches, in the style of torchmetrics; PyTorch is not needed.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..errors import GradedError
from .arrays import Array, ArrayEvaluator, Measures, groups_of, numbers_in, scores_in
from .registry.facts import sign_of
from .registry.notation import parse_measures


class RankingMetric:
    """The mean of measures over groups whose scores and labels arrive in batches.

    `measures` and `ties` are those of `array_mean`, and so are the values: `compute` has the value
    of `array_mean` for all batches together. A group may be spread over several batches. The metric
    keeps all scores and labels until `reset`, 24 bytes per document. `larger_is_better` is that of
    the first measure.

    A metric can be pickled. Processes that evaluate different batches send theirs to one of them,
    which calls `merge`.

    >>> metric = RankingMetric("nDCG_Burges@2")
    >>> metric.update([0.8, 0.1, 0.4], [3, 0, 0], ["q1", "q1", "q2"])
    >>> metric.update([0.4], [1], ["q2"])
    >>> round(metric.compute(), 4)
    0.9077
    """

    def __init__(self, measures: Measures, ties: str = "mean"):
        self.measures, self.ties = parse_measures(measures), ties
        ArrayEvaluator(self.measures, [0], [1], ties)  # Refuse wrong arguments at once.
        self.larger_is_better = sign_of(self.measures[0]) > 0
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        self._batches: list[tuple[np.ndarray, np.ndarray, list[Any], np.ndarray]] = []

    def update(self, scores: Array, labels: Array, groups: Array | None = None) -> None:
        """Add a batch: scores, labels and groups as in `array_mean`; a label of NaN is an unjudged
        document.

        An array of groups with one entry per document always has ids. Groups with ids continue in
        later batches that have the same ids. Groups that are given as sizes or as rows of
        two-dimensional arrays, where NaN in both arrays is padding, end with the batch.

        Raises `GradedError` for arrays that do not fit together; the metric is then unchanged.
        """
        label = numbers_in("labels", labels)
        score = scores_in(scores, label.shape)
        names, sizes, documents = groups_of(label.shape, groups, ids=True)
        has_ids = groups is not None and np.shape(groups) == label.shape
        keys = list(names) if has_ids else [None] * len(names)
        score, label = score.ravel()[documents], label.ravel()[documents]
        group = np.repeat(np.arange(sizes.size), sizes)
        kept = (
            ~(np.isnan(score) & np.isnan(label))
            if np.ndim(labels) == 2
            else np.ones(score.size, bool)
        )
        if np.isnan(score[kept]).any() or np.isinf(label).any():
            raise GradedError("a score is NaN or a label is infinite; give each document a number")
        self._batches.append((score[kept], label[kept], keys, group[kept]))

    def merge(self, *others: RankingMetric) -> RankingMetric:
        """Add the batches of other metrics, and return this one.

        Raises `GradedError` if their measures or `ties` differ.
        """
        for other in others:
            if (other.measures, other.ties) != (self.measures, self.ties):
                raise GradedError("metrics with other measures or other ties cannot be merged")
        self._batches += itertools.chain.from_iterable(list(other._batches) for other in others)
        return self

    def compute(self) -> Any:
        """The mean over all groups with a judged document; of several measures, a dict by measure
        string.

        Raises `GradedError` before the first `update`, and as `array_mean`.
        """
        if not self._batches:
            raise GradedError("the metric has no batch; call update before compute")
        numbers: dict[Any, int] = {}
        groups = []
        for _, _, keys, group in self._batches:
            coded = [
                numbers.setdefault(object() if key is None else key, len(numbers)) for key in keys
            ]
            groups.append(np.array(coded, dtype=np.int64)[group])
        group = np.unique(np.concatenate(groups), return_inverse=True)[
            1
        ]  # groups of padding have no number
        score, label = map(np.concatenate, [*zip(*self._batches, strict=True)][:2])
        order = np.argsort(group, kind="stable")
        evaluator = ArrayEvaluator(self.measures, label[order], group[order], self.ties)
        means = evaluator.means(score[order]).tolist()
        return (
            means[0] if len(means) == 1 else dict(zip(map(str, self.measures), means, strict=True))
        )
