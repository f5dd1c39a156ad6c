"""The agreement of two judges on levels, in arrays of many resamples at once.

scikit-learn computes Cohen's κ, and the package krippendorff computes α, for one table at a time;
the functions here take any number of tables. Levels are counted by the cells of the confusion
matrix that have documents, so the cost depends on the documents and not on the scale.
"""

from typing import NamedTuple

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

    >>> counts = np.array([2, 1, 2])
    >>> first, second = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> agreement = of_levels(counts, first, second, np.array([0.0, 1.0]))
    >>> {name: round(float(value), 3) for name, value in agreement.items() if " 0" not in name}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'kappa': 0.615, 'kappa linear': 0.615, 'kappa quadratic': 0.615,
     'alpha interval': 0.64, 'alpha ordinal': 0.64}
    >>> round(float(agreement["kappa 0|1"]), 3)
    0.615

    Sources: Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968; Krippendorff, Content
    Analysis, 2004, chapter 11.
    """
    confusion = _Confusion(counts, first, second, levels)
    disagreement = confusion.of_levels()
    if divide:
        disagreement |= confusion.of_divisions()
    disagreement |= confusion.for_alpha()
    by_chance_alone = disagreement["kappa"].expected
    is_single_level = by_chance_alone == 0
    agreement = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, (observed, expected) in disagreement.items():
            agreement[name] = np.where(is_single_level, np.nan, 1 - observed / expected)
    return agreement


def ordinal_alpha(
    counts: np.ndarray, pairs: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """Krippendorff's α for ordinal levels by any number of judges; NaN for a single level.

    `counts` (… × levels) has the number of judgments of each level, of the documents with two or
    more. `pairs` (… × cells) has the weight of the ordered pairs of two judgments of a document
    whose levels have the numbers `first` and `second` or the reverse: 1/(m − 1) for each pair of m
    judgments.

    >>> counts = np.array([3.0, 3.0, 3.0])  # of three documents with the levels 001, 112 and 022
    >>> pairs = np.array([2.0, 2.0, 2.0])
    >>> round(float(ordinal_alpha(counts, pairs, np.array([0, 1, 0]), np.array([1, 2, 2]))), 3)
    0.111
    """
    total = counts.sum(axis=-1)
    # The judgments up to the middle of each level, around the middle of all.
    place = np.cumsum(counts, axis=-1) - counts / 2 - total[..., None] / 2
    apart = place[..., first] - place[..., second]
    observed = np.einsum("...k,...k,...k", pairs, apart, apart)
    mean = np.einsum("...l,...l", counts, place) / total
    by_chance = 2 * total * np.einsum("...l,...l,...l", counts, place, place)
    by_chance -= 2 * (total * mean) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1 - (total - 1) * observed / by_chance
    has_several = np.count_nonzero(counts, axis=-1) > 1
    return np.where(has_several, alpha, np.nan)


class _Disagreement(NamedTuple):
    """The observed disagreement and the one expected by chance, in any unit that both share."""

    observed: np.ndarray
    expected: np.ndarray


class _Confusion:
    """The confusion matrix of two judges, as `of_levels` takes it.

    `total` is the number of documents. `first_below` and `second_below` have the number of
    documents to which a judge gives a level below each of the levels; the last is the total. All
    disagreements of κ are multiplied by the square of the total.
    """

    def __init__(
        self, counts: np.ndarray, first: np.ndarray, second: np.ndarray, levels: np.ndarray
    ):
        self.counts = counts
        self.first = first
        self.second = second
        self.levels = levels
        self.total = counts.sum(axis=-1)
        self.first_below = _below_each_level(counts, first, levels.size)
        self.second_below = _below_each_level(counts, second, levels.size)
        both_below = self.first_below + self.second_below
        self.up_to_level = both_below[..., 1:]
        # Squares of large or tiny levels would leave the floats.
        largest = np.abs(levels).max() or 1.0
        self.scaled = levels / largest
        centred = self.scaled - self.scaled.mean()
        a = centred[first]
        b = centred[second]
        difference = a - b
        of_differences = [first != second, np.abs(difference), difference**2]
        moments = np.array([*of_differences, a, b, a**2 + b**2])
        # `@` starts threads, which wait on a busy machine.
        sums = np.moveaxis(np.einsum("...k,jk->...j", counts, moments), -1, 0)
        self.unequal, self.apart, self.squared = sums[:3]
        self.sum_a, self.sum_b, self.squares = sums[3:]

    def of_levels(self) -> dict[str, _Disagreement]:
        """The disagreement on levels: unweighted, and weighted by the difference or its square."""
        total = self.total
        used_by_both = np.intersect1d(self.first, self.second)
        of_first = np.diff(self.first_below)[..., used_by_both]
        of_second = np.diff(self.second_below)[..., used_by_both]
        equal_by_chance = (of_first * of_second).sum(axis=-1)
        squared_by_chance = total * self.squares - 2 * self.sum_a * self.sum_b
        steps = np.diff(self.scaled)
        product = self._product_of_shares()
        apart_by_chance = total * np.einsum("...l,l", self.up_to_level[..., :-1], steps)
        apart_by_chance -= 2 * np.einsum("...l,l", product, steps)
        return {
            "kappa": _Disagreement(total * self.unequal, total**2 - equal_by_chance),
            "kappa linear": _Disagreement(total * self.apart, apart_by_chance),
            "kappa quadratic": _Disagreement(total * self.squared, squared_by_chance),
        }

    def _product_of_shares(self) -> np.ndarray:
        """The documents that both judges would give a level below each by chance, times the
        total."""
        return (self.first_below * self.second_below)[..., 1:-1]

    def of_divisions(self) -> dict[str, _Disagreement]:
        """The disagreement on each division of the levels in two."""
        levels = self.levels
        lower = np.minimum(self.first, self.second)
        higher = np.maximum(self.first, self.second)
        divided = _below_each_level(self.counts, lower, levels.size)
        divided -= _below_each_level(self.counts, higher, levels.size)
        total = self.total[..., None]
        observed = total * divided[..., 1:-1]
        by_chance = total * self.up_to_level[..., :-1] - 2 * self._product_of_shares()
        disagreement = {}
        for place in range(levels.size - 1):
            below = _joined(levels[: place + 1])
            above = _joined(levels[place + 1 :])
            name = f"kappa {below}|{above}"
            disagreement[name] = _Disagreement(observed[..., place], by_chance[..., place])
        return disagreement

    def for_alpha(self) -> dict[str, _Disagreement]:
        """The disagreement of Krippendorff's α, whose two judgments are drawn without
        replacement."""
        total = self.total
        judgments = np.diff(self.up_to_level, prepend=0)
        # The number of judgments up to the middle of each level, but for a constant.
        ordinal = self.up_to_level - total[..., None] - judgments / 2
        apart = ordinal[..., self.first] - ordinal[..., self.second]
        ordinal_squared = np.einsum("...k,...k,...k", self.counts, apart, apart)
        ordinal_squares = np.einsum("...l,...l,...l", judgments, ordinal, ordinal)
        squared_by_chance = total * self.squares - (self.sum_a + self.sum_b) ** 2 / 2
        pairs = total - 0.5
        return {
            "alpha interval": _Disagreement(pairs * self.squared, squared_by_chance),
            "alpha ordinal": _Disagreement(pairs * ordinal_squared, total * ordinal_squares),
        }


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
