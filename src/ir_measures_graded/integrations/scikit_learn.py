"""Any measure as a scorer of scikit-learn, for `cross_validate` and `GridSearchCV`.

scikit-learn passes only the documents of a fold to a scorer. The groups of these documents come by
metadata routing, so it must be enabled:

    sklearn.set_config(enable_metadata_routing=True)
    score = scorer("nDCG_JK@10")
    cross_validate(model, X, y, scoring=score, cv=GroupKFold(), params={"groups": groups})
    GridSearchCV(model, grid, scoring=score, cv=GroupKFold()).fit(X, y, groups=groups)
"""

from typing import Any

import numpy as np
from ir_measures import Measure

from ..arguments import text
from ..core.arrays import array_mean
from ..errors import GradedError, needed
from .boosting import Metric


class Scorer:
    """A scorer of scikit-learn: `array_mean` of a model's scores.

    `groups` is the name under which the group id of each document is passed. As usual in
    scikit-learn, a measure whose smaller values are better has the opposite sign. `ties` is as in
    `array_mean`.

    Raises `GradedError` for several measures, and if scikit-learn is not installed. Scoring raises
    it for a classifier, and without groups.
    """

    def __init__(self, measure: Measure | str, groups: str = "groups", ties: str = "mean"):
        needed("sklearn", "a scorer", "boosting")
        metric = Metric(measure, ties)
        if len(metric.names) > 1:
            raise GradedError(f"a scorer takes one measure, not {len(metric.names)}")
        self.measure = metric.measures[0]
        self.groups = text("groups", groups)
        self.ties = ties
        self.sign = 1 if metric.larger_is_better[0] else -1

    def get_metadata_routing(self) -> Any:
        """The request for the groups, for scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="scorer")
        request.score.add_request(param="groups", alias=self.groups)
        return request

    def __call__(self, model: Any, X: Any, y: Any, groups: Any = None) -> float:
        from sklearn.base import is_classifier

        if groups is None:
            raise GradedError(
                "a scorer sees only a fold; call sklearn.set_config(enable_metadata_routing=True), "
                f"and pass the ids to cross_validate(params={{{self.groups!r}: ids}}) or "
                f"fit({self.groups}=ids)"
            )
        if is_classifier(model):
            raise GradedError(
                "the predictions of a classifier are classes, not scores; use a regressor"
            )
        scores = np.asarray(model.predict(X))
        mean: float = array_mean(self.measure, y, scores, ties=self.ties, ids=np.ravel(groups))
        return self.sign * mean


scorer = Scorer
