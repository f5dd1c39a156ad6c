"""Any measure as a scorer of scikit-learn, for `cross_validate` and `GridSearchCV`.

scikit-learn passes only the documents of a fold to a scorer. The groups of these documents come by
metadata routing, so it must be enabled:

    sklearn.set_config(enable_metadata_routing=True)
    score = scorer("nDCG_JK@10")
    cross_validate(model, X, y, scoring=score, cv=GroupKFold(), params={"groups": groups})
    GridSearchCV(model, grid, scoring=score, cv=GroupKFold()).fit(X, y, groups=groups)
"""

import inspect
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from ir_measures import Measure

from ..arguments import explains_wrong_calls, refused, text
from ..core.arrays import ArrayEvaluator, told_of_swapped
from ..core.registry.facts import ZERO
from ..errors import GradedError, needed
from .boosting import Metric, groups_without_relevant

PREDICT = "predict"
DECISION = "decision_function"
PROBABILITIES = "predict_proba"
FIT_IDS = "qid"
"""The argument of `fit` by which a ranker takes the group id of each document."""
METHODS = (PREDICT, DECISION, PROBABILITIES)
"""The methods of a model that can score documents."""


class Unscored:
    """The result of a scorer that lacks groups, or of a model that cannot score documents.

    `GridSearchCV` turns an error of a scorer into NaN and goes on, but not a result that is no
    number. Therefore the scorer returns this object, and the error is raised as soon as anything
    reads it.
    """

    def __init__(self, message: str):
        self._message = message

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise GradedError(self._message)

    __str__ = _refuse
    __repr__ = _refuse
    __float__ = _refuse
    __array__ = _refuse
    __lt__ = _refuse
    __gt__ = _refuse
    __add__ = _refuse
    __radd__ = _refuse
    __neg__ = _refuse


class MetricOfScorer(Metric):
    """The measure of a scorer, which tells of groups without a relevant document."""

    ELSEWHERE = "the NDCG of LightGBM, XGBoost and CatBoost"


class UnfitModel(GradedError):
    """A model that cannot score documents."""


@explains_wrong_calls("scorer('nDCG@10')")
class Scorer:
    """A scorer of scikit-learn: `array_mean` of a model's scores.

    - `measure`: one measure. As usual in scikit-learn, a measure whose smaller values are better
      has the opposite sign.
    - `groups`: the name under which the group id of each document is passed.
    - `ties`, `no_relevant`: as in `array_mean`. By default, a group without a relevant document
      counts 0 by nearly all measures, as in scikit-learn's `ndcg_score`; LightGBM, XGBoost and
      CatBoost count it 1. A warning tells once of such groups, unless `no_relevant` is given.
    - `response_method`: the method of the model that scores documents, as in scikit-learn's
      `make_scorer`: 'predict', 'decision_function' or 'predict_proba', or several of them, of which
      the first that the model has is used. By default it is ``predict``, for a classifier of two
      classes ``decision_function`` or else ``predict_proba``, and for one of more classes
      ``predict_proba``.

    The classes of a classifier are levels. ``decision_function`` is the score of the higher of two
    classes. ``predict_proba`` scores a document by its expected level, Σ level · probability (Li,
    Burges and Wu, McRank, 2007), which is the order of the probability of the higher of two
    classes.

    Raises `GradedError` for several measures, for another `response_method`, and if scikit-learn is
    not installed. It is raised in scoring without groups, and for a model that cannot score
    documents in this way, also in `GridSearchCV`, whatever its `error_score` is. An error in the
    data of a fold is an error of its score, as in all scorers.
    """

    def __init__(
        self,
        measure: Measure | str,
        groups: str = "groups",
        ties: str = "mean",
        response_method: str | Sequence[str] | None = None,
        *,
        no_relevant: str | None = None,
    ):
        needed("sklearn", "a scorer", "scikit-learn")
        metric = MetricOfScorer(measure, ties, no_relevant=no_relevant)
        if len(metric.names) > 1:
            raise GradedError(f"a scorer takes one measure, not {len(metric.names)}")
        self.measure = metric.measures[0]
        self.groups = text("groups", groups)
        self.ties = ties
        self.no_relevant = metric.no_relevant
        self.response_method = response_method
        self.sign = 1 if metric.larger_is_better[0] else -1
        self._methods = _methods_in(response_method)
        self._metric = metric

    def __repr__(self) -> str:
        arguments = f"groups={self.groups!r}, ties={self.ties!r}"
        if self.response_method is not None:
            arguments += f", response_method={self.response_method!r}"
        if self.no_relevant != ZERO:
            arguments += f", no_relevant={self.no_relevant!r}"
        return f"scorer({str(self.measure)!r}, {arguments})"

    def get_metadata_routing(self) -> Any:
        """The request for the groups, for scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="scorer")
        request.score.add_request(param="groups", alias=self.groups)
        return request

    def __call__(self, model: Any, X: Any, y: Any, groups: Any = None) -> Any:
        if groups is None:
            return Unscored(self._without_groups(model))
        try:
            scores = self._scores(model, X)
        except UnfitModel as error:
            return Unscored(f"{self!r}: {error}")
        ids = np.ravel(groups)
        with told_of_swapped(y, scores):
            evaluator = ArrayEvaluator(
                self.measure, y, ties=self.ties, ids=ids, no_relevant=self.no_relevant
            )
        self._metric.tell(groups_without_relevant(self._metric.measures, evaluator.judged))
        return self.sign * float(evaluator.means(scores)[0])

    def _without_groups(self, model: Any) -> str:
        """What to write if no groups came with the documents."""
        lines = ["sklearn.set_config(enable_metadata_routing=True)"]
        names = [self.groups]
        fit = getattr(model, "fit", None)
        # A model that takes the ids of groups, as XGBRanker, needs them in each fold, too.
        if fit is not None and FIT_IDS in inspect.signature(fit).parameters:
            lines.append(f"model = {type(model).__name__}(…).set_fit_request({FIT_IDS}=True)")
            names.append(FIT_IDS)
        names = list(dict.fromkeys(names))
        passed = ", ".join(f"{name}=ids" for name in names)
        in_dict = ", ".join(f"{name!r}: ids" for name in names)
        lines.append(f"search.fit(X, y, {passed})  # or cross_validate(…, params={{{in_dict}}})")
        return (
            "a scorer sees the documents of a fold, and no groups came with them; these lines "
            "enable metadata routing and pass the group id of each document:\n"
            + "\n".join(f"    {line}" for line in lines)
        )

    def _scores(self, model: Any, X: Any) -> np.ndarray:
        """The score of each document."""
        levels = _levels_of(model)
        methods = self._methods or _default_methods(levels)
        name = next((method for method in methods if hasattr(model, method)), "")
        kind = type(model).__name__
        if not name:
            raise UnfitModel(
                f"{kind} has no {' or '.join(methods)}; response_method='predict' scores documents "
                "by their class, and CalibratedClassifierCV gives a classifier probabilities"
            )
        response = np.asarray(getattr(model, name)(X))
        if levels is None or response.ndim == 1:
            return response
        if name == DECISION:
            raise UnfitModel(
                f"{DECISION} of {kind} has a score for each of {response.shape[1]} classes; "
                f"response_method={PROBABILITIES!r} scores documents by their expected level"
            )
        if levels.size == 2:
            return response[:, 1]  # the probability of the higher level
        return response @ levels


def _methods_in(response_method: Any) -> list[str]:
    """The methods named, none for None. Raises `GradedError` for anything else."""
    if response_method is None:
        return []
    methods = response_method
    if isinstance(response_method, str):
        methods = [response_method]
    is_list = isinstance(methods, (list, tuple)) and len(methods) > 0
    if not is_list or not all(method in METHODS for method in methods):
        allowed = ", ".join(map(repr, METHODS))
        raise refused("response_method", response_method, f"{allowed} or a list of these")
    return list(methods)


def _default_methods(levels: np.ndarray | None) -> list[str]:
    """The methods that score documents by default, for a classifier with these levels."""
    if levels is None:
        return [PREDICT]
    if levels.size == 2:
        return [DECISION, PROBABILITIES]
    return [PROBABILITIES]


def _levels_of(model: Any) -> np.ndarray | None:
    """The classes of a classifier, None for any other model.

    Raises `UnfitModel` for classes that are no numbers.
    """
    from sklearn.base import is_classifier

    try:
        has_classes = is_classifier(model)
    except AttributeError:  # scikit-learn knows nothing of a class that is not derived from its own
        has_classes = getattr(model, "_estimator_type", "") == "classifier"
    if not has_classes:
        return None
    levels = np.asarray(model.classes_)
    if levels.dtype.kind not in "biuf":
        raise UnfitModel(f"the classes of {type(model).__name__} are no levels; fit it on numbers")
    return levels


scorer = Scorer
