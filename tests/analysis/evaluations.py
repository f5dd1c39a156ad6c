"""Evaluations from given numbers."""

import numpy as np

from ir_measures_graded.analysis import Evaluation
from ir_measures_graded.core.registry.notation import measure_named


def of_array(array, measure="nDCG_JK", unreported=False):
    """An evaluation by one measure: rows are the runs A, B, …, columns the topics."""
    array = np.where(unreported, np.nan, np.asarray(array, dtype=float))
    topics = tuple(f"q{number}" for number in range(array.shape[1]))
    runs = tuple(chr(ord("A") + number) for number in range(len(array)))
    return Evaluation(runs, (measure_named(measure),), topics, array[:, None, :])
