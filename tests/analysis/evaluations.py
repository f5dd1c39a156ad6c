"""Evaluations from given numbers."""

import numpy as np

from ir_measures_graded.analysis import Evaluation
from ir_measures_graded.core.registry.notation import measure_named


def of_array(array, measure="nDCG_JK", unreported=False):
    """An evaluation by one measure: rows are the runs A, B, …, columns the topics."""
    array = np.asarray(array, dtype=float)
    values = np.where(unreported, np.nan, array)
    count, topic_count = values.shape
    runs = tuple(chr(ord("A") + number) for number in range(count))
    topics = tuple(f"q{number}" for number in range(topic_count))
    measures = (measure_named(measure),)
    return Evaluation(runs, measures, topics, values[:, None, :])
