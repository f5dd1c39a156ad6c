"""Scores of generated answers by the nuggets that they support, as a plugin of ir-measures-graded.

The qrels of a topic are its nuggets with their importance: 2 is vital, 1 is okay. A run has for
each nugget how far the answer supports it: 1 is support, 0.5 is partial support, 0 is no support.
The order of the nuggets does not count.
"""

import numpy as np

from ir_measures_graded import Flag, GradedError, GradedMeasure, hookimpl, ratio

__all__ = ["NuggetAll", "NuggetScore", "NuggetVital"]


class _NuggetScore(GradedMeasure):
    r"""Nugget score: The share of the nuggets, weighted by importance, that the answer supports.

    :formula: Σ_n G_n s_n / Σ_n G_n over the nuggets of the topic, s the support;
        strict: only s = 1 counts
    :tex: \frac{\sum_n G_n s_n}{\sum_n G_n}
    :range: [0, 1]
    :undefined: 0 without a nugget that has a gain
    :source: Pradeep et al. 2025

    An okay nugget counts half as much as a vital one. Support outside [0, 1] raises `GradedError`.

    >>> qrels = {"q": {"vital": 2, "okay": 1, "also okay": 1}}
    >>> answer = {"q": {"vital": 1.0, "okay": 0.5, "also okay": 0.0}}
    >>> NuggetScore.calc_aggregate(qrels, answer)
    0.625
    >>> NuggetScore(strict=True).calc_aggregate(qrels, answer)
    0.5
    """

    PARAMETERS = {"strict": Flag(default=False, desc="partial support counts nothing")}
    CUTOFF = False

    def values(self, topics):
        nuggets, support = topics.run, topics.ranks.score[topics.position]
        wrong = np.flatnonzero((support < 0) | (support > 1))
        if wrong.size:
            topic, given = topics.names[nuggets.topic[wrong[0]]], support[wrong[0]]
            raise GradedError(
                f"{self}: topic {topic!r} has the support {given:g}; it must be in [0, 1]"
            )
        if self["strict"]:
            support = np.floor(support)
        return ratio(nuggets.sum(nuggets.gain * support), topics.ideal.total)


class _NuggetAll(_NuggetScore):
    """Nugget score, all alike: The share of the nuggets that the answer supports, all of equal
    weight.

    :formula: Σ_n s_n / N over the N nuggets of the topic
    :range: [0, 1]
    :undefined: 0 without such a nugget
    :source: Pradeep et al. 2025
    """

    GAINS = {2: 1}


class _NuggetVital(_NuggetScore):
    """Nugget score, vital only: The share of the vital nuggets that the answer supports.

    :formula: Σ_n s_n / V over the V vital nuggets of the topic
    :range: [0, 1]
    :undefined: 0 without such a nugget
    :source: Pradeep et al. 2025
    """

    GAINS = {1: 0, 2: 1}


NuggetScore, NuggetAll, NuggetVital = _NuggetScore(), _NuggetAll(), _NuggetVital()


@hookimpl
def graded_measures():
    """The measures of this distribution."""
    return [NuggetScore, NuggetAll, NuggetVital]
