"""Any measure as the evaluation metric of LightGBM, XGBoost and CatBoost, also for early stopping.

    name = "nDCG_JK(b=2)@10"
    lightgbm.train(settings, train, valid_sets=[valid], feval=lightgbm_metric(name))
    LGBMRanker().fit(…, eval_metric=lightgbm_metric(name))
    xgboost.train(settings, train, evals=[(valid, "valid")], custom_metric=xgboost_metric(name))
    XGBRanker(callbacks=[xgboost_metric(name).watch(X_valid, y_valid, qid=ids, rounds=5)])
    CatBoostRanker(eval_metric=catboost_metric(name, train, valid)).fit(train, eval_set=valid)

The values are those of `array_mean`, with its arguments `ties` and `no_relevant`: every group with
a judged document counts once, and the weights of documents and groups are ignored. A warning tells
once of groups without a relevant document, which these libraries count 1, unless `no_relevant` is
given. This module imports none of these libraries before it needs one.
"""

import warnings
from collections import deque
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..arguments import explains_wrong_calls, refused, whole_number
from ..core.arrays import ArrayEvaluator, Measures, numbers_in, refuse_wrong
from ..core.by_topic import changes
from ..core.ranking.judged import Judged
from ..core.registry.facts import ZERO, best_is_one, has_relevant, sign_of
from ..core.registry.notation import parse_measures
from ..errors import GradedError, InputWarning, level_of_caller, needed
from ..output.formats import counted

NO_GROUPS = "the data has no groups; give group sizes or query ids with the data"
WORKS = (
    "pass Pool objects with group_id to fit and all of them to catboost_metric, with "
    "boosting_type='Plain'; in place of fit(X, y, group_id=…) use fit(Pool(X, y, group_id=…)); in "
    "place of catboost.cv, fit on pools of the folds of scikit-learn's GroupKFold"
)
"""What works with CatBoost, which passes no groups."""
KEPT = 8
"""The number of data sets whose labels stay reduced."""


class Metric:
    """Measures of the scores of a data set, by name, so equal measures are evaluated once. Measures
    that need ids are refused at once.
    """

    ELSEWHERE = ""
    """The library and its measures that count groups without a relevant document 1."""

    def __init__(self, measures: Measures, ties: str = "mean", *, no_relevant: str | None = None):
        self.measures = parse_measures(measures)
        self.ties = ties
        self.is_told = no_relevant is not None
        self.no_relevant = ZERO if no_relevant is None else no_relevant
        refuse_wrong(self.measures, ties, self.no_relevant)
        self.names = [str(measure) for measure in self.measures]
        self.larger_is_better = [sign_of(measure) > 0 for measure in self.measures]

    def means(self, labels: Any, scores: Any, sizes: Any) -> list[float]:
        """The mean of each measure over the groups of these sizes. Labels are reduced once for all
        calls.
        """
        if sizes is None or np.size(sizes) == 0:
            raise GradedError(NO_GROUPS)
        level = np.ravel(numbers_in("labels", labels))
        if np.asarray(sizes).dtype.kind not in "iu":
            raise refused("group", sizes, "the sizes of the groups")
        evaluator = self._evaluator(level, np.asarray(sizes, np.int64))
        means: list[float] = evaluator.means(np.ravel(scores)).tolist()
        return means

    def _evaluator(self, labels: np.ndarray, sizes: np.ndarray) -> ArrayEvaluator:
        """The evaluator of a data set, that of an earlier call if there is one."""
        data_set = DataSet(
            self.measures,
            self.ties,
            self.no_relevant,
            labels.dtype.str,
            sizes.tobytes(),
            labels.tobytes(),
        )
        for other, evaluator, lacking in tuple(_evaluators):
            if other == data_set:
                self.tell(lacking)
                return evaluator
        evaluator = ArrayEvaluator(
            self.measures,
            labels.copy(),
            ties=self.ties,
            sizes=sizes,
            no_relevant=self.no_relevant,
        )
        lacking = groups_without_relevant(self.measures, evaluator.judged)
        _evaluators.append((data_set, evaluator, lacking))
        self.tell(lacking)
        return evaluator

    def tell(self, lacking: str) -> None:
        """Warn once of groups without a relevant document that the library counts otherwise."""
        if self.is_told or not lacking or not self.ELSEWHERE:
            return
        self.is_told = True
        choices = "no_relevant='skip' leaves them out, 'zero' counts them 0 without this warning"
        if all(map(best_is_one, self.measures)):
            choices = f"no_relevant='one' counts them 1, {choices.removeprefix('no_relevant=')}"
        where = f"they count 0, but 1 in {self.ELSEWHERE}"
        warnings.warn(f"{lacking}; {where}: {choices}", InputWarning, stacklevel=level_of_caller())


def groups_without_relevant(measures: Iterable[Measure], judged: Judged) -> str:
    """How many groups have no relevant document by the measures whose best value is 1."""
    parts: list[str] = []
    for measure in filter(best_is_one, measures):
        count = int(np.count_nonzero(~has_relevant(measure, judged)))
        if count and not parts:
            groups = counted(len(judged.topics), "group")
            verb = "has" if count == 1 else "have"
            parts.append(f"{count} of {groups} {verb} no relevant document by {measure}")
        elif count:
            parts.append(f"{count} by {measure}")
    return ", ".join(parts)


class DataSet(NamedTuple):
    """What tells data sets apart that are evaluated alike."""

    measures: tuple[Measure, ...]
    ties: str
    no_relevant: str
    dtype: str
    sizes: bytes
    labels: bytes


_evaluators: deque[tuple[DataSet, ArrayEvaluator, str]] = deque(maxlen=KEPT)
"""The data sets of which labels stay reduced, and their groups that lack a relevant document, in
words. Comparing bytes takes less time than hashing them."""


@explains_wrong_calls("lightgbm_metric('nDCG@10')")
class LightGBMMetric(Metric):
    """Measures for `feval` of `lightgbm.train` and `eval_metric` of `LGBMRanker.fit`.

    LightGBM's early stopping looks at all metrics and learns from each whether larger values are
    better. With ``metric="None"`` in its settings (`LGBMRanker(metric="None")`), it computes these
    measures alone. LightGBM's own ``ndcg@10`` is
    ``lightgbm_metric("nDCG_Burges@10", ties="given", no_relevant="one")``.

    >>> metric = lightgbm_metric(["CG@1", "ASL"])
    >>> metric([3.0, 0.0, 1.0], [0.2, 0.1, 0.7], None, [2, 1])
    [('CG@1', 2.0, True), ('ASL', 1.0, False)]

    Raises `GradedError` as `array_mean`, and for data without groups.
    """

    ELSEWHERE = "the ndcg and map of LightGBM"

    def __call__(self, labels: Any, scores: Any, weight: Any = None, group: Any = None) -> Any:
        # LightGBM looks at the number of parameters. `LGBMRanker` passes labels, scores, weights
        # and group sizes; `train` passes the scores and the data set.
        if hasattr(scores, "get_group"):
            data_set = scores
            scores = labels
            labels = data_set.get_label()
            group = data_set.get_group()
        means = self.means(labels, scores, group)
        return list(zip(self.names, means, self.larger_is_better, strict=True))


@explains_wrong_calls("xgboost_metric('nDCG@10')")
class XGBoostMetric(Metric):
    """Measures for `custom_metric` of `xgboost.train`, and for `XGBRanker` by the callback `watch`.

    A metric cannot tell XGBoost whether larger values are better: pass
    ``callbacks=[metric.early_stopping(rounds)]``. XGBoost's own ``early_stopping_rounds`` looks for
    the smallest value, unless ``maximize=True`` stands beside it; XGBoost tells the metric of
    neither, so no warning is possible. XGBoost rounds the values to 6 decimals. The names of the
    measures have ``=`` in place of a colon, because XGBoost splits its log there.

    `XGBRanker` would call an `eval_metric` once for each group, count a group of one document as 1,
    and weight each group by its number of documents. Therefore a measure cannot be one; use
    `watch`.

    >>> xgboost_metric(["CG@1", "DCG_JK(gains=1:2)"]).names
    ['CG@1', 'DCG_JK(gains={1=2})']

    Raises `GradedError` as `array_mean`, for data without groups, and as an `eval_metric`.
    """

    ELSEWHERE = "the ndcg and map of XGBoost"

    def __init__(self, measures: Measures, ties: str = "mean", *, no_relevant: str | None = None):
        super().__init__(measures, ties, no_relevant=no_relevant)
        self.names = [name.replace(":", "=") for name in self.names]
        self.__name__ = self.names[0]  # XGBRanker needs a name

    def __call__(self, scores: Any, data: Any) -> Any:
        if not hasattr(data, "get_uint_info"):
            raise GradedError(
                "XGBRanker passes one group at a time to an eval_metric, and weights its value; "
                "use callbacks=[metric.watch(X, y, qid=ids, rounds=5)] with the validation data"
            )
        sizes = np.diff(data.get_uint_info("group_ptr").astype(np.int64))
        means = self.means(data.get_label(), scores, sizes)
        return list(zip(self.names, means, strict=True))

    def early_stopping(self, rounds: int, **options: Any) -> Any:
        """XGBoost's callback `EarlyStopping` for the first measure, told whether larger values are
        better.

        `rounds` is a whole number ≥ 1; `options` are those of the callback. Raises `GradedError`
        for other rounds, and if XGBoost is not installed.
        """
        whole_number("rounds", rounds, lowest=1)
        callback = needed("xgboost.callback", "early stopping", "xgboost").EarlyStopping
        larger = self.larger_is_better[0]
        return callback(rounds=rounds, metric_name=self.names[0], maximize=larger, **options)

    def watch(
        self,
        X: Any,
        y: Any,
        *,
        qid: Any = None,
        group: Any = None,
        rounds: int | None = None,
        name: str = "watched",
        **options: Any,
    ) -> Any:
        """A callback for `XGBRanker`: the measures of validation data after each round.

        `X` and `y` are features and labels, with `qid`, the ascending group id of each document, or
        `group`, the sizes of consecutive groups, as for `XGBRanker.fit`. The values are those of
        `array_mean`, unrounded, and stand in ``evals_result()`` under `name`. With `rounds`, the
        training stops when the first measure has not improved for so many rounds, and the ranker
        predicts with the best round; `options` are those of XGBoost's `EarlyStopping`.

        The callback can be copied and pickled with its ranker, as `GridSearchCV` does.

        Raises `GradedError` without `qid` and `group`, and if XGBoost is not installed.
        """
        xgboost = needed("xgboost", "the callback", "xgboost")
        if (qid is None) == (group is None):
            raise GradedError(f"watch: {NO_GROUPS}, qid=… or group=…")
        stopping: Any = None
        if rounds is not None:
            stopping = self.early_stopping(rounds, data_name=name, **options)
        elif options:
            option = next(iter(options))
            raise GradedError(f"watch: {option} is an option of early stopping; give rounds, too")
        groups = {"qid": qid} if group is None else {"group": group}
        metric = self

        class Watch(xgboost.callback.TrainingCallback):  # type: ignore[name-defined]
            """The callback. Its data is XGBoost's while a training runs."""

            data: Any = None

            def before_training(self, model: Any) -> Any:
                self.data = xgboost.DMatrix(X, y, **groups)
                return model if stopping is None else stopping.before_training(model)

            def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
                log = evals_log.setdefault(name, {})
                for measure, value in metric(model.predict(self.data), self.data):
                    log.setdefault(measure, []).append(value)
                if stopping is None:
                    return False
                return bool(stopping.after_iteration(model, epoch, evals_log))

            def after_training(self, model: Any) -> Any:
                self.data = None
                return model if stopping is None else stopping.after_training(model)

            def __reduce__(self) -> Any:
                again = partial(metric.watch, rounds=rounds, name=name, **groups, **options)
                return again, (X, y)

        return Watch()


@explains_wrong_calls("catboost_metric('nDCG@10', train, valid)")
class CatBoostMetric(Metric):
    """A measure for `eval_metric` of CatBoost, which learns from it whether larger values are
    better.

    CatBoost does not pass groups to a metric. Give all `pools` that the training evaluates: that of
    the training and those of `eval_set`, one by one or as lists. The metric tells them apart by
    their labels. CatBoost takes one measure, and its log calls it ``CatBoostMetric``.

    Raises `GradedError` as `array_mean`, for several measures, and for data without groups.
    CatBoost wraps the error for labels that no pool has in this order, as with
    ``boosting_type="Ordered"``.
    """

    ELSEWHERE = "the NDCG of CatBoost"
    no_jit = True  # CatBoost does not try to compile it

    def __init__(
        self,
        measure: Measure | str,
        *pools: Any,
        ties: str = "mean",
        no_relevant: str | None = None,
    ):
        super().__init__(measure, ties, no_relevant=no_relevant)
        if len(self.measures) > 1:
            raise GradedError(
                f"CatBoost takes one measure as eval_metric, not {len(self.measures)}"
            )
        if not pools:
            line = f"catboost_metric({str(measure)!r}, train, valid)"
            raise GradedError(f"name the pools of the training, as in {line}; {WORKS}")
        self.pools = []
        for pool_or_list in pools:
            # A list is what CatBoost takes as eval_set.
            several = pool_or_list if isinstance(pool_or_list, (list, tuple)) else [pool_or_list]
            self.pools += [_labels_and_sizes(pool) for pool in several]

    def is_max_optimal(self) -> bool:
        """Whether larger values are better."""
        return self.larger_is_better[0]

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The value of the pool with the labels `target`, and 1."""
        labels = np.asarray(target, np.float32)
        sizes_of_pools = []
        for labels_of_pool, sizes in self.pools:
            if np.array_equal(labels_of_pool, labels):
                sizes_of_pools.append(sizes)
        if not _are_equal(sizes_of_pools):
            raise GradedError(
                "CatBoost passes labels without groups, and no pool has these labels in this "
                f"order, or two have them with other groups; {WORKS}"
            )
        mean = self.means(labels, approxes[0], sizes_of_pools[0])[0]
        return mean, 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """The value itself."""
        return error


def _are_equal(arrays: list[np.ndarray]) -> bool:
    """Whether there is an array and all others are equal to it."""
    return bool(arrays) and all(np.array_equal(arrays[0], other) for other in arrays)


def _labels_and_sizes(pool: Any) -> tuple[np.ndarray, np.ndarray]:
    """The labels of a pool, and the sizes of its groups, whose documents are consecutive in
    CatBoost.
    """
    if not hasattr(pool, "get_group_id_hash"):
        raise refused("pools", pool, "one or more objects of catboost.Pool")
    ids = pool.get_group_id_hash()
    if ids is None:
        raise GradedError(NO_GROUPS)
    starts = np.flatnonzero(changes(np.asarray(ids)))
    labels = np.asarray(pool.get_label(), np.float32)
    return labels, np.diff(np.append(starts, len(ids)))


lightgbm_metric = LightGBMMetric
xgboost_metric = XGBoostMetric
catboost_metric = CatBoostMetric
