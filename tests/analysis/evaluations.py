"""Evaluations and curves from given numbers."""

import numpy as np

from ir_measures_graded import CG, parse_measure
from ir_measures_graded.analysis import Curves, Evaluation


def of_array(array, measure="nDCG_JK", unreported=None):
    """An evaluation by one measure: rows are the runs A, B, …, columns the topics."""
    array = np.asarray(array, dtype=float)
    topics = tuple(f"q{number}" for number in range(array.shape[1]))
    runs = tuple("ABCDEFGH"[: len(array)])
    return Evaluation(runs, (parse_measure(measure),), topics, array[:, None, :], unreported=unreported)


def made(*values, measure=CG, ideal=None, names="ABCDEF"):
    """Curves with these values at ranks 1, 2, …, one row per run."""
    values = np.array(values, dtype=float)
    ideal = None if ideal is None else np.array(ideal, dtype=float)
    return Curves(measure, "topics", 1, tuple(names[: len(values)]), values, ideal)
