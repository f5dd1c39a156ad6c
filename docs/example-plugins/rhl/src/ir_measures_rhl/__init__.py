"""The ranked half-life as a plugin of ir-measures-graded."""

import numpy as np

from ir_measures_graded import GradedMeasure, Topic, TopicMeasure, hookimpl

__all__ = ["RHL"]


class _RHL(TopicMeasure):
    """Ranked half-life: the rank at which half of the gain of the list has been accumulated.

    :formula: (m − 1) + (T/2 − S)/G[m], T = Σ G[i] over the retrieved list, m the first rank whose
        cumulated gain reaches T/2, S the cumulated gain before m
    :range: [0, ∞)
    :undefined: the number of retrieved documents if none of them has a gain
    :source: Borlund & Ingwersen 1998; Järvelin & Kekäläinen 2002, §2.4

    The total gain is 8. Half of it is reached after a third of the gain at rank 2.

    >>> qrels = {"q": {"a": 3, "b": 3, "c": 2}}
    >>> round(RHL.calc_aggregate(qrels, {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}), 2)
    1.33
    >>> RHL.calc_aggregate(qrels, {"q": {"x": 9.0, "y": 8.0}})
    2.0
    """

    NAME = "RHL"
    PRETTY_NAME = "Ranked half-life"
    SHORT_DESC = "The interpolated rank at which half of the gain of the list has been accumulated."
    SMALLER_IS_BETTER = True

    def value(self, topic: Topic) -> float:
        cumulated = np.concatenate(([0.0], topic.gains.cumsum()))  # at ranks 0, 1, 2, …
        half = cumulated[-1] / 2
        if half == 0:
            return topic.retrieved
        m = int(np.argmax(cumulated >= half))
        return (m - 1) + (half - cumulated[m - 1]) / topic.gains[m - 1]


RHL = _RHL()


@hookimpl
def graded_measures() -> list[GradedMeasure]:
    """The measures of this distribution."""
    return [RHL]
