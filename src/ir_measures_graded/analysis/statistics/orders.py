"""The agreement of two orders of systems, in arrays of many pairs of orders at once.

Every function takes values of m systems (… × m), of which the larger is the better. Ties are found
by value, see `tie_groups`. The statistics depend on values only, never on names or on the order of
the systems.

SciPy computes τ-b and ρ for one pair of orders at a time, and has none of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ...evaluation.order_of_runs import tie_groups
from .precision import unit_of

PERSISTENCE = 0.9  # the p of RBO
RboTies = Literal["w", "a", "b"]


@dataclass(frozen=True, eq=False)
class Order:
    """The order of m systems by their `values` (… × m); `group` numbers the groups of ties, the
    best 0."""

    values: np.ndarray
    group: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> Order:
        """The order of systems with these values.

        >>> Order.of(np.array([0.1 + 0.2, 0.3, 0.5])).place.tolist()
        [2, 2, 1]
        """
        values = np.asarray(values, dtype=np.float64)
        return cls(values, tie_groups(values))

    def part(self, systems: np.ndarray) -> Order:
        """The order of some systems, whose ties are those of the whole order."""
        return Order(self.values[..., systems], self.group[..., systems])

    @cached_property
    def above(self) -> np.ndarray:
        """Whether the second of two systems is strictly better than the first (… × m × m)."""
        return np.asarray(self.group[..., None, :] < self.group[..., :, None])

    @cached_property
    def tied(self) -> np.ndarray:
        """Whether two systems tie; each ties with itself (… × m × m)."""
        return np.asarray(self.group[..., None, :] == self.group[..., :, None])

    @cached_property
    def place(self) -> np.ndarray:
        """1 + the number of strictly better systems."""
        return np.asarray(1 + self.above.sum(axis=-1))

    @cached_property
    def size(self) -> np.ndarray:
        """The number of systems that tie with each system, itself included."""
        return np.asarray(self.tied.sum(axis=-1))

    @property
    def mean_rank(self) -> np.ndarray:
        """The mean of the places that a group of ties fills."""
        return np.asarray(self.place + (self.size - 1) / 2)

    @property
    def has_ties(self) -> np.ndarray:
        """Whether some systems tie."""
        return np.asarray(self.size.max(axis=-1, initial=1) > 1)

    @property
    def is_flat(self) -> np.ndarray:
        """Whether all systems tie."""
        return np.asarray((self.group == self.group[..., :1]).all(axis=-1))

    @property
    def untied_pairs(self) -> np.ndarray:
        """The number of pairs that do not tie."""
        return np.asarray(self.above.sum(axis=(-2, -1)))

    @property
    def tied_pairs(self) -> np.ndarray:
        """The number of pairs that tie."""
        return np.asarray((self.size - 1).sum(axis=-1) // 2)

    def counted(self, depth: np.ndarray, ties: RboTies) -> np.ndarray:
        """How much of each system counts among the first of a `depth` (… × m × depths)."""
        beyond = depth - self.place[..., None] + 1
        if ties == "w":
            return (beyond > 0).astype(np.float64)
        return np.clip(beyond / self.size[..., None], 0.0, 1.0)


def _undefined_if_flat(value: np.ndarray, first: Order, second: Order) -> np.ndarray:
    return np.where(first.is_flat | second.is_flat, np.nan, value)


def tau(first: Order, second: Order) -> np.ndarray:
    """Kendall's τ-b: (C − D) / √((P − T)(P − U)). NaN if all systems tie in one order.

    Of P pairs of systems, C are in the same and D in opposite orders, and T and U are tied in the
    first and in the second order.

    >>> float(tau(Order.of(np.array([3, 2, 1])), Order.of(np.array([3, 1, 2]))).round(4))
    0.3333
    """
    below = second.above.swapaxes(-2, -1)
    same = (first.above & second.above).sum(axis=(-2, -1))
    opposite = (first.above & below).sum(axis=(-2, -1))
    untied = first.untied_pairs * second.untied_pairs
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((same - opposite) / np.sqrt(untied))


def tau_of_all(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """τ-b of each of n orders with each of k others (… × n × k), from the values of m systems.

    The orders are those of `first` (… × n × m) and `second` (… × k × m). `tau` takes pairs of
    orders; for all of n × k pairs, it would need m × m numbers for each of them. NaN if all systems
    tie in one order.

    >>> tau_of_all(np.array([[3, 2, 1], [2, 3, 1]]), np.array([[3, 2, 1]])).round(2).tolist()
    [[1.0], [0.33]]
    """
    a = _signs(Order.of(first))
    b = _signs(Order.of(second))
    untied_in_first = (a * a).sum(axis=-1, keepdims=True)
    untied_in_second = (b * b).sum(axis=-1, keepdims=True)
    untied = untied_in_first * untied_in_second.swapaxes(-1, -2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(a @ b.swapaxes(-1, -2) / np.sqrt(untied))


def _signs(order: Order) -> np.ndarray:
    """1 for each two systems of which the first is better, −1 if the second is, in one row of m²
    numbers."""
    groups = order.group.astype(np.float64)
    signs = np.sign(groups[..., None, :] - groups[..., :, None])
    return signs.reshape(*groups.shape[:-1], -1)


def tau_ap(first: Order, second: Order) -> np.ndarray:
    """τ_AP of the second order, judged by the first, in which errors at the top weigh more.

    For each of the m − 1 lower places of the second order, it has the share of the systems above
    that are above in the first order, too; their mean, times 2, minus 1. For ties in the second
    order it is the mean over all their orders. NaN if systems tie in the first order, or if all tie
    in the second.

    >>> first, second = np.array([.5, .4, .3, .2, .1]), np.array([.42, .45, .3, .3, .1])
    >>> float(tau_ap(Order.of(first), Order.of(second)).round(4))
    0.4167

    Sources: Yilmaz, Aslam & Robertson, A new rank correlation coefficient for information
    retrieval, SIGIR 2008; Urbano & Marrero, The treatment of ties in AP correlation, ICTIR 2017
    (τ_AP,a)."""
    systems = first.group.shape[-1]
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1.0, systems + 1)))
    place = second.place
    size = second.size
    agreed = (first.above & second.above).sum(axis=-1)
    # A system of a group takes each of its places equally often.
    end = harmonic[place + size - 2]
    of_group = end - harmonic[np.maximum(place - 2, 0)]
    with_better = np.where(place > 1, agreed / size * of_group, 0.0)
    # Half of the tied systems above are above in the first order, too.
    of_ties_above = size - 1 - (place - 1) * (end - harmonic[place - 1])
    with_tied = of_ties_above / (2 * size)
    shares = with_better + with_tied
    value = 2 * shares.sum(axis=-1) / max(systems - 1, 1) - 1
    return np.where(first.has_ties | second.is_flat, np.nan, value)


def tau_ap_b(first: Order, second: Order) -> np.ndarray:
    """τ_AP,b, which is symmetric and allows ties in both orders. NaN if all systems tie in one.

    It is the mean of h(first, second) and h(second, first). h(a, b) has, for each system outside
    the top group of b, the share of the systems above in b that are above in a, too; their mean,
    times 2, minus 1.

    >>> first, second = np.array([.5, .4, .3, .2, .1]), np.array([.42, .45, .3, .3, .1])
    >>> float(tau_ap_b(Order.of(first), Order.of(second)).round(4))
    0.4167

    Source: Urbano & Marrero, The treatment of ties in AP correlation, ICTIR 2017.
    """
    agreed = (first.above & second.above).sum(axis=-1)

    def one_way(judged: Order) -> np.ndarray:
        better = judged.place - 1
        shares = agreed / np.maximum(better, 1)
        below_the_top = (better > 0).sum(axis=-1)
        mean = shares.sum(axis=-1) / np.maximum(below_the_top, 1)
        return np.asarray(2 * mean - 1)

    return _undefined_if_flat((one_way(first) + one_way(second)) / 2, first, second)


def tau_gap(first: Order, second: Order) -> np.ndarray:
    """τ_GAP of the second order, judged by the first: τ_AP with pairs weighted by their distance in
    the first.

    A system i of a group of t ties in the second order has s of the other t − 1 above it, s = 0 … t
    − 1. With distances g in the values of the first order (0 if tied there), D is the sum of g over
    the systems above i in the second order plus s / (t − 1) of the sum over the ties, and N is the
    same over those that are above i in the first order, too. The value is twice the mean of N / D
    where D > 0, minus 1; a system counts 1 / t for each s. NaN if all systems tie in one order.

    >>> first, second = np.array([.5, .4, .3, .2, .1]), np.array([.42, .45, .3, .3, .1])
    >>> float(tau_gap(Order.of(first), Order.of(second)).round(4))
    0.4375

    Source: Gao & Oard, A head-weighted gap-sensitive correlation coefficient, SIGIR 2015.
    """
    values = first.values / unit_of(first.values)  # huge differences would leave the floats
    values = values[..., None]
    difference = values - values.swapaxes(-1, -2)
    distance = np.where(first.tied, 0.0, np.abs(difference))
    agreed = distance * first.above

    def sums(gaps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        above = np.einsum("...ij,...ij->...i", gaps, second.above)
        tied = np.einsum("...ij,...ij->...i", gaps, second.tied)
        return above[..., None], tied[..., None]

    size = second.size[..., None]
    tied_above = np.arange(second.size.max(initial=1))
    share = tied_above / np.maximum(size - 1, 1)
    all_above, all_tied = sums(distance)
    agreed_above, agreed_tied = sums(agreed)
    total = all_above + share * all_tied
    is_counted = (tied_above < size) & (total > 0)
    weight = np.where(is_counted, 1 / size, 0.0)
    agreed_total = agreed_above + share * agreed_tied
    quotient = agreed_total / np.where(is_counted, total, 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (weight * quotient).sum(axis=(-2, -1)) / weight.sum(axis=(-2, -1))
    return _undefined_if_flat(2 * mean - 1, first, second)


def rho(first: Order, second: Order) -> np.ndarray:
    """Spearman's ρ: Pearson's r of the mean ranks. NaN if all systems tie in one order.

    >>> float(rho(Order.of(np.array([3, 2, 1])), Order.of(np.array([3, 1, 2]))).round(4))
    0.5
    """
    centre = (first.group.shape[-1] + 1) / 2
    of_first = first.mean_rank - centre
    of_second = second.mean_rank - centre
    squares = (of_first**2).sum(axis=-1) * (of_second**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (of_first * of_second).sum(axis=-1) / np.sqrt(squares)
    return _undefined_if_flat(value, first, second)


def rbo(first: Order, second: Order, p: float = PERSISTENCE, ties: RboTies = "w") -> np.ndarray:
    """Rank-biased overlap, extrapolated: (1 − p)·Σ p^(d−1)·A_d + p^m. NaN if all systems tie in one
    order.

    A_d is the agreement of the first d systems of both orders. `ties` says what equal values mean:

    - ``w``: equal places. A group counts whole from its first place on, and A_d = 2·Σ ab / (Σ a + Σ
      b), where a and b are what each system counts in the two orders.
    - ``a``: an unknown order; the mean over all orders. A group counts by the share of its places
      that are reached, and A_d = Σ ab / d.
    - ``b``: the same, corrected for the lost information: A_d = Σ ab / √(Σ a²·Σ b²).

    >>> first, second = np.array([.5, .4, .3, .2, .1]), np.array([.42, .45, .3, .3, .1])
    >>> orders = Order.of(first), Order.of(second)
    >>> [float(rbo(*orders, ties=ties).round(4)) for ties in ("w", "a", "b")]
    [0.8884, 0.8865, 0.8929]

    Sources: Webber, Moffat & Zobel, A similarity measure for indefinite rankings, TOIS 28(4), 2010;
    Corsi & Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024."""
    systems = first.group.shape[-1]
    depth = np.arange(1, systems + 1)
    of_first = first.counted(depth, ties)
    of_second = second.counted(depth, ties)
    overlap = np.einsum("...id,...id->...d", of_first, of_second)
    if ties == "w":
        agreement = 2 * overlap / (of_first + of_second).sum(axis=-2)
    elif ties == "a":
        agreement = overlap / depth
    else:
        squares = (of_first**2).sum(axis=-2) * (of_second**2).sum(axis=-2)
        agreement = overlap / np.sqrt(squares)
    weights = (1 - p) * p ** (depth - 1.0)
    value = np.einsum("...d,d->...", agreement, weights) + p**systems
    return _undefined_if_flat(value, first, second)


def overlap_at(first: Order, second: Order, depth: int) -> np.ndarray:
    """The share of systems that the first of both orders share; ties at the edge count by their
    share.

    >>> first, second = np.array([.5, .4, .3, .2, .1]), np.array([.42, .45, .3, .3, .1])
    >>> float(overlap_at(Order.of(first), Order.of(second), 3).round(4))
    0.8333
    """
    depths = np.array([depth])
    shared = first.counted(depths, "a") * second.counted(depths, "a")
    return np.asarray(shared.sum(axis=(-2, -1)) / depth)


def tau_at(first: Order, second: Order, depth: int) -> float:
    """τ-b of the systems with at most this place in the first of two orders.

    NaN for fewer than 2 systems, or if all of them tie in one.

    >>> first, second = np.array([.5, .4, .3, .2, .1]), np.array([.42, .45, .3, .3, .1])
    >>> round(tau_at(Order.of(first), Order.of(second), 3), 4)
    0.3333
    """
    is_top = first.place <= depth
    return float(tau(first.part(is_top), second.part(is_top)))


def compare_orders(
    first: np.ndarray, second: np.ndarray, p: float = PERSISTENCE, ties: RboTies = "w"
) -> dict[str, np.ndarray]:
    """`agreement` of the orders of systems with these values (… × m).

    >>> compared = compare_orders(np.array([3, 2, 1]), np.array([3, 1, 2]))
    >>> {name: round(float(value), 3) for name, value in compared.items()}
    {'tau': 0.333, 'tau_AP': 0.5, 'tau_AP_b': 0.5, 'tau_GAP': 0.5, 'rho': 0.5, 'RBO': 0.955}
    """
    return agreement(Order.of(first), Order.of(second), p, ties)


def agreement(
    first: Order, second: Order, p: float = PERSISTENCE, ties: RboTies = "w"
) -> dict[str, np.ndarray]:
    """All statistics of two orders by name; see each function."""
    return {
        "tau": tau(first, second),
        "tau_AP": tau_ap(first, second),
        "tau_AP_b": tau_ap_b(first, second),
        "tau_GAP": tau_gap(first, second),
        "rho": rho(first, second),
        "RBO": rbo(first, second, p, ties),
    }
