"""The agreement of two judges on levels, in arrays of many resamples at once.

scikit-learn computes Cohen's κ, and the package krippendorff computes α, for one table at a time;
the functions here take any number of tables. Levels are counted by the cells of the confusion
matrix that have documents, so the cost depends on the documents and not on the scale.
"""

import numpy as np

from ...core.ranking.gains import plain_number


def of_levels(
    counts: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    levels: np.ndarray,
    divide: bool = True,
) -> dict[str, np.ndarray]:
    """Cohen's κ and Krippendorff's α of the levels that two judges give to the same documents.

    `counts` (… × cells) has the number of documents in each cell of the confusion matrix: those to
    which the judges give the levels with the numbers `first` and `second`. The result has

    - ``kappa``, and ``kappa linear`` and ``kappa quadratic``, weighted by the difference of two
      levels or its square;
    - if `divide`, κ of each division of the sorted `levels` in two, such as ``kappa 0|123``;
    - ``alpha interval``, whose distance of two levels is the square of their difference, and
      ``alpha ordinal``, whose distance is the square of the number of judgments between them.

    NaN where both judges use the same single level.

    >>> counts, first, second = np.array([2, 1, 2]), np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> found = of_levels(counts, first, second, np.array([0.0, 1.0]))
    >>> [round(float(found[name]), 3) for name in ("kappa", "kappa 0|1", "alpha interval", "alpha ordinal")]
    [0.615, 0.615, 0.64, 0.64]

    Sources: Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968; Krippendorff, Content
    Analysis, 2004, chapter 11.
    """
    # Squares of large or tiny levels would leave the floats.
    largest = np.abs(levels).max() or 1.0
    scaled = levels / largest
    steps = np.diff(scaled)
    centred = scaled - scaled.mean()
    total = counts.sum(axis=-1)
    a = centred[first]
    b = centred[second]
    moments = np.array([first != second, np.abs(a - b), (a - b) ** 2, a, b, a**2 + b**2])
    # `@` starts threads, which wait on a busy machine.
    sums = np.einsum("...k,jk->...j", counts, moments)
    unequal, apart, squared, sum_a, sum_b, squares = np.moveaxis(sums, -1, 0)
    below_a = _below_each_level(counts, first, levels.size)
    below_b = _below_each_level(counts, second, levels.size)
    used_by_both = np.intersect1d(first, second)
    of_a = below_a[..., used_by_both + 1] - below_a[..., used_by_both]
    of_b = below_b[..., used_by_both + 1] - below_b[..., used_by_both]
    up_to_level = (below_a + below_b)[..., 1:]
    product = (below_a * below_b)[..., 1:-1]
    between = total * np.einsum("...l,l", up_to_level[..., :-1], steps)
    between -= 2 * np.einsum("...l,l", product, steps)
    # Observed and expected disagreement, each times the square of the number of documents.
    shares = {
        "kappa": (total * unequal, total**2 - (of_a * of_b).sum(axis=-1)),
        "kappa linear": (total * apart, between),
        "kappa quadratic": (total * squared, total * squares - 2 * sum_a * sum_b),
    }
    if divide:
        divided = _below_each_level(counts, np.minimum(first, second), levels.size)
        divided -= _below_each_level(counts, np.maximum(first, second), levels.size)
        for cut in range(1, levels.size):
            by_chance = total * up_to_level[..., cut - 1] - 2 * product[..., cut - 1]
            name = f"kappa {_joined(levels[:cut])}|{_joined(levels[cut:])}"
            shares[name] = total * divided[..., cut], by_chance
    judgments = np.diff(up_to_level, prepend=0)
    # The number of judgments up to the middle of each level, but for a constant.
    ordinal = up_to_level - total[..., None] - judgments / 2
    ordinal_apart = ordinal[..., first] - ordinal[..., second]
    ordinal_squared = np.einsum("...k,...k,...k", counts, ordinal_apart, ordinal_apart)
    ordinal_squares = np.einsum("...l,...l,...l", judgments, ordinal, ordinal)
    shares["alpha interval"] = (total - 0.5) * squared, total * squares - (sum_a + sum_b) ** 2 / 2
    shares["alpha ordinal"] = (total - 0.5) * ordinal_squared, total * ordinal_squares
    _, by_chance_alone = shares["kappa"]
    is_single_level = by_chance_alone == 0
    agreement = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, (observed, expected) in shares.items():
            agreement[name] = np.where(is_single_level, np.nan, 1 - observed / expected)
    return agreement


def _joined(levels: np.ndarray) -> str:
    """The levels as text: ``123``, with commas unless all are digits."""
    texts = [str(plain_number(level)) for level in levels]
    if max(map(len, texts)) == 1:
        return "".join(texts)
    return ",".join(texts)


def _below_each_level(counts: np.ndarray, numbers: np.ndarray, size: int) -> np.ndarray:
    """The documents of cells (… × cells) with a number below each of 0 … `size` (… × size + 1)."""
    order = np.argsort(numbers, kind="stable")
    sums = np.zeros((*counts.shape[:-1], order.size + 1))
    np.cumsum(counts[..., order], axis=-1, out=sums[..., 1:])
    places = np.searchsorted(numbers[order], np.arange(size + 1))
    return sums[..., places]
