"""The agreement of two orders of runs as `judges` and `sensitivity` show it, in arrays of many resamples.

SciPy computes the correlations of two orders; the functions here take any number of orders.
"""

import numpy as np

from .orders import PERSISTENCE


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


def orders(first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
    """The agreement of two orders of m runs, given the values of the runs (… × m); larger is better.

    - ``tau``: Kendall's τ (b);
    - ``tau_AP``: τ_AP, in which errors at the top weigh more; `second` is judged by `first`. For each run, it
      has the mean sign of the comparisons with the runs that are better by `second`;
    - ``rho``: Spearman's ρ;
    - ``RBO``: rank-biased overlap with p = 0.9, extrapolated (eq. 32 of Webber et al.). Tied runs keep the
      order in which they are given.

    NaN where all runs tie in one order.

    >>> found = orders(np.array([3, 2, 1]), np.array([3, 1, 2]))
    >>> {name: round(float(value), 3) for name, value in found.items()}
    {'tau': 0.333, 'tau_AP': 0.5, 'rho': 0.5, 'RBO': 0.955}

    Sources: Yilmaz, Aslam & Robertson, A new rank correlation coefficient for information retrieval, SIGIR
    2008; Webber, Moffat & Zobel, A similarity measure for indefinite rankings, TOIS 28(4), 2010.
    """
    a = _signs(first)
    b = _signs(second)
    tau = kendall(first[..., None, :], second[..., None, :])[..., 0, 0]
    is_better = b < 0
    has_better = is_better.any(axis=-1)
    with np.errstate(invalid="ignore"):
        mean_sign = -(a * is_better).sum(axis=-1) / is_better.sum(axis=-1)
        tau_ap = np.where(has_better, mean_sign, 0).sum(axis=-1) / has_better.sum(axis=-1)
        # These are ranks, but for a factor and a constant.
        x = a.sum(axis=-1)
        y = b.sum(axis=-1)
        rho = (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    depth = np.arange(1, first.shape[-1] + 1)
    deeper_rank = np.maximum(_ranks(first), _ranks(second))
    # The runs in the first ranks of both orders.
    shared = (deeper_rank[..., None, :] <= depth[:, None]).sum(axis=-1)
    weights = PERSISTENCE**depth
    at_depths = (shared / depth * weights).sum(axis=-1)
    rbo = weights[-1] + (1 - PERSISTENCE) / PERSISTENCE * at_depths
    found = {"tau": tau, "tau_AP": tau_ap, "rho": rho, "RBO": rbo}
    return {name: np.where(np.isnan(tau), np.nan, values) for name, values in found.items()}


def _ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each run (… × m), 1 for the largest value; tied runs keep their order."""
    order = np.argsort(-values, axis=-1, kind="stable")
    return 1 + np.argsort(order, axis=-1)
