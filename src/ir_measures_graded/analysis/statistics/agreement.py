"""The agreement of two judges on levels, and of two orders of runs, in arrays of many resamples at once.

statsmodels and scikit-learn compute Cohen's κ, and the package krippendorff computes α, for one table at a
time; SciPy does so for the correlations of two orders. The functions here take any number of either.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np


def kappa(confusion: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Cohen's κ of confusion matrices (… × L × L), weighted by the distance of two levels (L × L).

    NaN where only one level is used.

    >>> round(float(kappa(np.array([[2, 1], [0, 2]]), 1 - np.eye(2))), 3)
    0.615

    Source: Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968.
    """
    total = confusion.sum(axis=(-2, -1), keepdims=True)
    expected = confusion.sum(axis=-1)[..., :, None] * confusion.sum(axis=-2)[..., None, :]
    with np.errstate(invalid="ignore"):
        return 1 - (distance * confusion * total).sum((-2, -1)) / (distance * expected).sum((-2, -1))


def alpha(confusion: np.ndarray, levels: np.ndarray | None = None) -> np.ndarray:
    """Krippendorff's α of two judges from their confusion matrices (… × L × L).

    The distance of two levels is the square of their difference. Without `levels`, it is ordinal: the square
    of the number of judgments between the two. NaN where only one level is used.

    >>> round(float(alpha(np.array([[2, 1], [0, 2]]), np.array([0, 1]))), 3)
    0.64

    Source: Krippendorff, Content Analysis, 2004, chapter 11.
    """
    pairs = confusion + np.swapaxes(confusion, -1, -2)
    given = pairs.sum(axis=-1)
    place = np.cumsum(given, axis=-1) - given / 2 if levels is None else np.asarray(levels, dtype=float)
    distance = (place[..., :, None] - place[..., None, :]) ** 2
    expected = given[..., :, None] * given[..., None, :]
    with np.errstate(invalid="ignore"):
        quotient = (distance * pairs).sum((-2, -1)) / (distance * expected).sum((-2, -1))
    return 1 - (given.sum(axis=-1) - 1) * quotient


def orders(first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
    """The agreement of two orders of m runs, given the values of the runs (… × m); larger is better.

    - ``tau``: Kendall's τ (b);
    - ``tau_AP``: τ_AP, in which errors at the top weigh more; `second` is judged by `first`. For each run, it
      has the mean sign of the comparisons with the runs that are better by `second`;
    - ``rho``: Spearman's ρ;
    - ``RBO``: rank-biased overlap with p = 0.9. Tied runs keep the order in which they are given.

    NaN where all runs tie in one order.

    >>> found = orders(np.array([3, 2, 1]), np.array([3, 1, 2]))
    >>> {name: round(float(value), 3) for name, value in found.items()}
    {'tau': 0.333, 'tau_AP': 0.5, 'rho': 0.5, 'RBO': 0.955}

    Sources: Yilmaz, Aslam & Robertson, A new rank correlation coefficient for information retrieval, SIGIR
    2008; `rbo`.
    """
    a, b = (np.sign(values[..., :, None] - values[..., None, :]) for values in (first, second))
    better = b < 0
    with np.errstate(invalid="ignore"):
        tau = (a * b).sum((-2, -1)) / np.sqrt((a * a).sum((-2, -1)) * (b * b).sum((-2, -1)))
        mean_sign = -(a * better).sum(axis=-1) / better.sum(axis=-1)
        has_better = better.any(axis=-1)
        tau_ap = np.where(has_better, mean_sign, 0).sum(axis=-1) / has_better.sum(axis=-1)
        x, y = a.sum(axis=-1), b.sum(axis=-1)  # ranks, but for a factor and a constant
        rho = (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    tau_ap = np.where(np.isnan(tau), np.nan, tau_ap)
    ranks = [1 + np.argsort(np.argsort(-each, axis=-1, kind="stable"), axis=-1) for each in (first, second)]
    m = first.shape[-1]
    flat = zip(*(each.reshape(-1, m) for each in ranks))
    overlap = np.array([rbo(one, other, m) for one, other in flat]).reshape(tau.shape)
    return {"tau": tau, "tau_AP": tau_ap, "rho": rho, "RBO": overlap}


def rbo(first: np.ndarray, second: np.ndarray, depth: int, p: float = 0.9) -> float:
    """Rank-biased overlap, extrapolated from the first `depth` ranks of both rankings.

    `first` and `second` are the ranks (from 1) of the documents that both rankings have.

    >>> rbo(np.array([1, 2, 3]), np.array([1, 2, 3]), 3), rbo(np.array([]), np.array([]), 3)
    (1.0, 0.0)

    Source: Webber, Moffat & Zobel, A similarity measure for indefinite rankings, TOIS 28(4), 2010, eq. 32.
    """
    if depth == 0:
        return 0.0
    seen = np.maximum(first, second).astype(np.int64)
    overlap = np.cumsum(np.bincount(seen[seen <= depth], minlength=depth + 1))[1:]
    rank = np.arange(1, depth + 1)
    return float(overlap[-1] / depth * p**depth + (1 - p) / p * (overlap / rank * p**rank).sum())


def swapped(runs: Sequence[str], first: np.ndarray, second: np.ndarray) -> tuple[tuple[str, str], ...]:
    """The pairs of runs that change places, from their ranks in two orders. The better in the first order
    comes first.

    >>> swapped("ABC", np.array([1, 2, 3]), np.array([2, 1, 3]))
    (('A', 'B'),)
    """
    return tuple(
        (runs[run], runs[other])
        for run, other in combinations(np.argsort(first, kind="stable").tolist(), 2)
        if first[run] < first[other] and second[run] > second[other]
    )
