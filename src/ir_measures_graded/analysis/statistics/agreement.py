"""Kendall's τ of many orders of runs with many others; SciPy computes it for one pair of orders."""

import numpy as np


def kendall(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Kendall's τ-b of each of n orders of m runs with each of k others (… × n × k).

    NaN if all runs tie in one. The orders are those of values of the runs (… × n × m and … × k × m). τ-b is
    (C − D) / √((P − T)(P − U)): of P pairs of runs, C are in the same and D in opposite orders, and T and U
    are tied in the first and in the second order.

    >>> kendall(np.array([[1, 2, 3], [2, 1, 3]]), np.array([[1, 2, 3]])).round(2).tolist()
    [[1.0], [0.33]]
    """
    a = _signs(first).reshape(*first.shape[:-1], -1)
    b = _signs(second).reshape(*second.shape[:-1], -1)
    untied_in_first = (a * a).sum(axis=-1)
    untied_in_second = (b * b).sum(axis=-1)
    untied = untied_in_first[..., :, None] * untied_in_second[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.asarray(a @ b.swapaxes(-1, -2) / np.sqrt(untied))


def _signs(values: np.ndarray) -> np.ndarray:
    """The sign of the difference of each two runs (… × m × m)."""
    return np.sign(values[..., :, None] - values[..., None, :])
