"""The option `ties`: the mean and the extremes over every order of tied documents."""

from random import Random
from statistics import fmean

import pytest
from brute_force import orders, values

from ir_measures_graded import GradedError, GradedMeasure
from ir_measures_graded.measures import MEASURES

LEVELS = {0, 1, 2, 3, 0.5}
OFFERED = [measure(ties=word) for measure in MEASURES for word in measure.TIES]


def topic(random: Random) -> tuple[dict, dict]:
    """Up to seven retrieved documents on few scores, some of them unjudged; others are only judged."""
    docs = [f"d{number}" for number in range(10)]
    random.shuffle(docs)
    run = {doc: random.choice([1.0, 1.0, 2.0, 2.0 + 1e-9, 3.0]) for doc in docs[: random.randint(1, 6)]}
    qrels = {doc: random.choice(sorted(LEVELS)) for doc in docs if random.random() < 0.6}
    return qrels, run


def variants(measure: GradedMeasure):
    """The measure with other values of its parameters, where they can be combined."""
    ...
