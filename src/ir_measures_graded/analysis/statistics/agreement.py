"""The agreement of two judges on levels, and of two orders of runs, in arrays of many resamples at once.

scikit-learn computes Cohen's κ, and the package krippendorff computes α, for one table at a time; SciPy does
so for the correlations of two orders. The functions here take any number of either. Levels are counted by the
cells of the confusion matrix that have documents, so the cost depends on the documents and not on the scale.
"""

import numpy as np

from ...core.ranking.gains import plain_number
from .orders import PERSISTENCE

P = PERSISTENCE


def of_levels(
    counts: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    levels: np.ndarray,
    divide: bool = True,
) -> dict[str, np.ndarray]:
    """Cohen's κ and Krippendorff's α of the levels that two judges give to the same documents.

    `counts` (… × cells) has the number of documents in each cell of the confusion matrix: those to which the
    judges give the levels with the numbers `first` and `second`. The result has

    - ``kappa``, and ``kappa linear`` and ``kappa quadratic``, weighted by the difference of two levels or its
      square;
    - if `divide`, κ of each division of the sorted `levels` in two, such as ``kappa 0|123``;
    - ``alpha interval``, whose distance of two levels is the square of their difference, and ``alpha
      ordinal``, whose distance is the square of the number of judgments between them.

    NaN where both judges use the same single level.

    >>> counts, first, second = np.array([2, 1, 2]), np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> found = of_levels(counts, first, second, np.array([0.0, 1.0]))
    >>> [round(float(found[name]), 3) for name in ("kappa", "kappa 0|1", "alpha interval", "alpha ordinal")]
    [0.615, 0.615, 0.64, 0.64]

    Sources: Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968; Krippendorff, Content Analysis, 2004,
    chapter 11.
    """
    scaled = levels / (
        np.abs(levels).max() or 1.0
    )  # squares of large or tiny levels would leave the floats
    total, gaps, centred = counts.sum(axis=-1), np.diff(scaled), scaled - scaled.mean()
    a, b = centred[first], centred[second]
    moments = np.array([first != second, np.abs(a - b), (a - b) ** 2, a, b, a**2 + b**2])
    moments = np.einsum(
        "...k,jk->...j", counts, moments
    )  # `@` starts threads, which wait on a busy machine
    unequal, apart, squared, sum_a, sum_b, squares = np.moveaxis(moments, -1, 0)
    up_to_a, up_to_b = (_up_to(counts, each, levels.size) for each in (first, second))
    used = np.intersect1d(first, second)
    of_a, of_b = (each[..., used + 1] - each[..., used] for each in (up_to_a, up_to_b))
    both, product = (up_to_a + up_to_b)[..., 1:], (up_to_a * up_to_b)[..., 1:-1]
    between = total * np.einsum("...l,l", both[..., :-1], gaps) - 2 * np.einsum(
        "...l,l", product, gaps
    )
    # Observed and expected disagreement, each times the square of the number of documents.
    shares = {
        "kappa": (total * unequal, total**2 - (of_a * of_b).sum(axis=-1)),
        "kappa linear": (total * apart, between),
        "kappa quadratic": (total * squared, total * squares - 2 * sum_a * sum_b),
    }
    if divide:
        divided = _up_to(counts, np.minimum(first, second), levels.size)
        divided -= _up_to(counts, np.maximum(first, second), levels.size)
        for cut in range(1, levels.size):
            by_chance = total * both[..., cut - 1] - 2 * product[..., cut - 1]
            name = f"kappa {_joined(levels[:cut])}|{_joined(levels[cut:])}"
            shares[name] = total * divided[..., cut], by_chance
    ordinal, given = both - total[..., None], np.diff(both, prepend=0)
    ordinal -= given / 2
    ordinal_apart = ordinal[..., first] - ordinal[..., second]
    ordinal_squared = np.einsum("...k,...k,...k", counts, ordinal_apart, ordinal_apart)
    ordinal_squares = np.einsum("...l,...l,...l", given, ordinal, ordinal)
    shares["alpha interval"] = (total - 0.5) * squared, total * squares - (sum_a + sum_b) ** 2 / 2
    shares["alpha ordinal"] = (total - 0.5) * ordinal_squared, total * ordinal_squares
    single = shares["kappa"][1] == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            name: np.where(single, np.nan, 1 - seen / chance)
            for name, (seen, chance) in shares.items()
        }


def _joined(levels: np.ndarray) -> str:
    """The levels as text: ``123``, with commas unless all are digits."""
    texts = [str(plain_number(level)) for level in levels]
    return ("" if max(map(len, texts)) == 1 else ",").join(texts)


def _up_to(counts: np.ndarray, numbers: np.ndarray, size: int) -> np.ndarray:
    """The documents of cells (… × cells) with a number below each of 0 … `size` (… × size + 1)."""
    order = np.argsort(numbers, kind="stable")
    sums = np.zeros((*counts.shape[:-1], order.size + 1))
    np.cumsum(counts[..., order], axis=-1, out=sums[..., 1:])
    return sums[..., np.searchsorted(numbers[order], np.arange(size + 1))]


def kendall(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Kendall's τ-b of each of n orders of m runs with each of k others (… × n × k).

    NaN if all runs tie in one. The orders are those of values of the runs (… × n × m and … × k × m). τ-b is
    (C − D) / √((P − T)(P − U)): of P pairs of runs, C are in the same and D in opposite orders, and T and U
    are tied in the first and in the second order.

    >>> kendall(np.array([[1, 2, 3], [2, 1, 3]]), np.array([[1, 2, 3]])).round(2).tolist()
    [[1.0], [0.33]]
    """
    a, b = (
        np.sign(v[..., :, None] - v[..., None, :]).reshape(*v.shape[:-1], -1)
        for v in (first, second)
    )
    untied = (a * a).sum(axis=-1)[..., :, None] * (b * b).sum(axis=-1)[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.asarray(a @ b.swapaxes(-1, -2) / np.sqrt(untied))


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
    a, b = (np.sign(values[..., :, None] - values[..., None, :]) for values in (first, second))
    better, tau = b < 0, kendall(first[..., None, :], second[..., None, :])[..., 0, 0]
    with np.errstate(invalid="ignore"):
        mean_sign = -(a * better).sum(axis=-1) / better.sum(axis=-1)
        has_better = better.any(axis=-1)
        tau_ap = np.where(has_better, mean_sign, 0).sum(axis=-1) / has_better.sum(axis=-1)
        x, y = a.sum(axis=-1), b.sum(axis=-1)  # ranks, but for a factor and a constant
        rho = (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    ranks = [
        1 + np.argsort(np.argsort(-each, axis=-1, kind="stable"), axis=-1)
        for each in (first, second)
    ]
    depth = np.arange(1, first.shape[-1] + 1)
    shared = (np.maximum(*ranks)[..., None, :] <= depth[:, None]).sum(
        axis=-1
    )  # in the first ranks of both
    rbo = P ** depth[-1] + (1 - P) / P * (shared / depth * P**depth).sum(axis=-1)
    found = {"tau": tau, "tau_AP": tau_ap, "rho": rho, "RBO": rbo}
    return {name: np.where(np.isnan(tau), np.nan, each) for name, each in found.items()}
