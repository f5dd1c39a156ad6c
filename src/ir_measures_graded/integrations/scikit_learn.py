"""Any measure as a scorer of scikit-learn, for `cross_validate` and `GridSearchCV` with `GroupKFold`.

scikit-learn passes only the documents of a fold to a scorer. The groups of these documents come by metadata
routing, so it must be enabled:

    sklearn.set_config(enable_metadata_routing=True)
    cross_validate(model, X, y, scoring=scorer("nDCG_JK@10"), cv=GroupKFold(), params={"groups": groups})
    GridSearchCV(model, grid, scoring=scorer("nDCG_JK@10"), cv=GroupKFold()).fit(X, y, groups=groups)
"""

from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.arrays import array_mean, numbers_in
from ..errors import GradedError, needed, shown
from .boosting import Metric

PASS_GROUPS = (
    "a scorer sees only a fold; pass the ids to cross_validate(params={'groups': ids}) or fit(groups=ids)"
)


class Scorer:
    """A scorer of scikit-learn: `array_mean` of a model's scores.

    `groups` is the name under which the group id of each document is passed. As usual in scikit-learn, a
    measure whose smaller values are better has the opposite sign. `ties` is as in `array_mean`.

    `response_method` names the method of the model that scores documents, or several methods, of which the
    first that the model has is used. It is as in scikit-learn's `make_scorer`, with another default: for a
    classifier ``decision_function`` or ``predict_proba``, otherwise ``predict``. The classes are levels. With
    two classes, the score is that of the higher one. With more, ``predict_proba`` is the default, and the
    score is the expected level, Σ class · probability.

    Raises `GradedError` for several measures, for groups that are no name, without metadata routing, and if
    scikit-learn is not installed. Scoring raises it for a model that cannot score documents in this way.
    """

    def __init__(
        self,
        measure: Measure | str,
        groups: str = "groups",
        ties: str = "mean",
        response_method: str | list[str] | tuple[str, ...] | None = None,
    ):
        sklearn = needed("sklearn", "a scorer", "boosting")
        metric = Metric(measure, ties)
        if len(metric.names) > 1:
            raise GradedError(f"a scorer takes one measure, not {len(metric.names)}")
        if not isinstance(groups, str):
            raise GradedError(f"groups={shown(groups)} is not a name; {PASS_GROUPS}")
        if not sklearn.get_config()["enable_metadata_routing"]:
            raise GradedError(
                "a scorer needs the groups: call sklearn.set_config(enable_metadata_routing=True) first"
            )
        self.measure, self.groups, self.ties = metric.measures[0], groups, ties
        self.sign = 1 if metric.larger_is_better[0] else -1
        self.methods = [response_method] if isinstance(response_method, str) else response_method

    def __repr__(self) -> str:
        return f"scorer({str(self.measure)!r}, groups={self.groups!r}, ties={self.ties!r})"

    def get_metadata_routing(self) -> Any:
        """The request for the groups, for scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="scorer")
        request.score.add_request(param="groups", alias=self.groups)
        return request

    def __call__(self, model: Any, X: Any, y: Any, groups: Any = None) -> float:
        if groups is None:
            raise GradedError(PASS_GROUPS)
        ids = np.unique(groups, return_inverse=True)[1].reshape(-1)  # a fold may have one group with the id 1
        return self.sign * array_mean(self.measure, y, self._scores(model, X), ids, self.ties)

    def _scores(self, model: Any, X: Any) -> np.ndarray:
        """The score of each document."""
        from sklearn.base import is_classifier

        methods, classes = self.methods, getattr(model, "classes_", ())
        if methods is None and is_classifier(model):
            methods = ["decision_function", "predict_proba"] if len(classes) < 3 else ["predict_proba"]
        methods = methods or ["predict"]
        name = next((method for method in methods if hasattr(model, method)), "")
        kind = type(model).__name__
        if not name:
            raise GradedError(
                f"{kind} has no {' or '.join(methods)}; response_method='predict' scores documents by their "
                "class, and CalibratedClassifierCV gives a classifier probabilities"
            )
        scores = np.asarray(getattr(model, name)(X))
        if name == "predict" or scores.ndim == 1:
            return scores
        if name != "predict_proba":
            raise GradedError(
                f"{name} of {kind} has {scores.shape[1]} scores per document, one for each class; pass "
                "response_method='predict_proba', for the expected level"
            )
        levels = numbers_in("classes", classes)
        return scores[:, 1] if levels.size == 2 else scores @ levels


scorer = Scorer
