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

from ..core.arrays import array_mean
from ..errors import GradedError, install_hint, shown
from .boosting import Metric

PASS_GROUPS = (
    "a scorer sees only a fold; pass the ids to cross_validate(params={'groups': ids}) or fit(groups=ids)"
)


def scorer(measure: Measure | str, groups: str = "groups", ties: str = "mean") -> Any:
    """A scorer of scikit-learn: `array_mean` of the predictions.

    `groups` is the name under which the group id of each document is passed. As usual in scikit-learn, a
    measure whose smaller values are better has the opposite sign. `ties` is as in `array_mean`.

    Raises `GradedError` for several measures, for groups that are no name, without metadata routing, and if
    scikit-learn is not installed.
    """
    try:
        from sklearn.metrics import make_scorer
    except ImportError:
        raise GradedError(f"scikit-learn is not installed: {install_hint('boosting')}") from None
    metric = Metric(measure, ties)
    if len(metric.names) > 1:
        raise GradedError(f"a scorer takes one measure, not {len(metric.names)}")
    if not isinstance(groups, str):
        raise GradedError(f"groups={shown(groups)} is not a name; {PASS_GROUPS}")
    better = metric.larger_is_better[0]
    made = make_scorer(_mean, greater_is_better=better, measure=metric.measures[0], ties=ties)
    try:
        return made.set_score_request(groups=groups)
    except (AttributeError, RuntimeError) as error:
        raise GradedError(f"a scorer needs the groups: {error}") from None


def _mean(y_true: Any, y_pred: Any, measure: Measure, ties: str, groups: Any = None) -> float:
    if groups is None:
        raise GradedError(PASS_GROUPS)
    ids = np.unique(groups, return_inverse=True)[1]  # a fold may have one group with the id 1
    return array_mean(measure, y_true, y_pred, ids, ties)
