"""Statistics of two orders with ties: SciPy, all orders of ties, slow loops, published cases."""

import csv
import re
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from ir_measures_graded.analysis.statistics import orders
from ir_measures_graded.analysis.statistics.orders import Order, compare_orders

FIRST = np.array([0.50, 0.40, 0.30, 0.20, 0.10])
SECOND = np.array([0.42, 0.45, 0.30, 0.30, 0.10])
# x, y, x with ties and y with ties in the tests of Urbano and Marrero's package ircor; then τ_AP,
# τ_AP,a with ties in y, the symmetric τ_AP, τ_AP,b with ties in both.
PUBLISHED = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
        (0.8519, 0.7454, 0.8333, 0.7321),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
        (0.2504, 0.2692, 0.2880, 0.2970),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
        (-0.6971, -0.5558, -0.6680, -0.7047),
    ),
]


def tied_values(random, systems):
    """Values on a coarse grid, so that some tie."""
    return random.integers(0, 4, systems) / 3


def without_ties(values):
    """All orders of the ties, each as distinct values."""
    groups = [np.flatnonzero(values == value) for value in np.unique(values)]
    for parts in product(*map(permutations, groups)):
        ranked = np.concatenate(parts).astype(int)
        distinct = np.empty(len(values))
        distinct[ranked] = np.arange(len(values))
        yield distinct


def tau_ap_untied(first, second):
    """Yilmaz, Aslam and Robertson's definition, place by place."""
    in_order = first[np.argsort(-second)]
    shares = [np.mean(in_order[:place] > in_order[place]) for place in range(1, len(first))]
    return 2 * np.mean(shares) - 1


def rbo_untied(first, second, p):
    """The extrapolated RBO of two orders without ties, depth by depth."""
    one = np.argsort(-first).tolist()
    other = np.argsort(-second).tolist()
    systems = len(one)
    total = 0
    for depth in range(1, systems + 1):
        overlap = len(set(one[:depth]) & set(other[:depth]))
        total += p ** (depth - 1) * overlap / depth
    return (1 - p) * total + p**systems


def test_the_worked_example():
    first = Order.of(FIRST)
    second = Order.of(SECOND)
    assert first.place.tolist() == [1, 2, 3, 4, 5]
    assert second.place.tolist() == [2, 1, 3, 3, 5]
    statistics = compare_orders(FIRST, SECOND)
    assert {name: round(float(value), 4) for name, value in statistics.items()} == {
        "tau": 0.7379,
        "tau_AP": 0.4167,
        "tau_AP_b": 0.4167,
        "tau_GAP": 0.4375,
        "rho": 0.8721,
        "RBO": 0.8884,
    }
    assert orders.rbo(first, second, ties="a") == pytest.approx(0.8865, abs=5e-5)
    assert orders.rbo(first, second, ties="b") == pytest.approx(0.8929, abs=5e-5)
    assert float(orders.overlap_at(first, second, 3)) == pytest.approx(5 / 6)
    assert orders.tau_at(first, second, 3) == pytest.approx(1 / 3)
    assert (second.place - first.place).tolist() == [1, -1, 0, -1, 0]


@pytest.mark.parametrize(("x", "y", "x_tied", "y_tied", "values"), PUBLISHED)
def test_ap_correlations_are_those_published(x, y, x_tied, y_tied, values):
    plain = compare_orders(np.array(x), np.array(y))
    first = Order.of(np.array(x))
    first_tied = Order.of(np.array(x_tied))
    second_tied = Order.of(np.array(y_tied))
    computed = (
        plain["tau_AP"],
        orders.tau_ap(first, second_tied),
        plain["tau_AP_b"],
        orders.tau_ap_b(first_tied, second_tied),
    )
    assert computed == pytest.approx(values, abs=5e-5)


# The orders with the same systems among the 10,000 that Corsi and Urbano publish with their values
# (github.com/julian-urbano/sigir2024-rbo, rbo/test.csv). Systems in brackets tie.
RBO_FILE = Path(__file__).with_name("rbo_published.csv")
RBO = list(csv.DictReader(RBO_FILE.read_text(encoding="utf-8").splitlines()))


def values_in(text):
    """The value of each system of a published order, by name."""
    groups = [group.strip("()").split() for group in re.findall(r"\([^)]*\)|\S+", text)]
    return {system: -number for number, group in enumerate(groups) for system in group}


@pytest.mark.parametrize("row", RBO, ids=lambda row: row["x"])
def test_rbo_is_that_published(row):
    first = values_in(row["x"])
    second = values_in(row["y"])
    one = Order.of(np.array(list(first.values())))
    other = Order.of(np.array([second[system] for system in first]))
    for ties in "wab":
        value = orders.rbo(one, other, float(row["p"]), ties)
        assert value == pytest.approx(float(row[ties]), abs=1e-12), ties


@pytest.mark.parametrize("seed", range(20))
def test_tau_and_rho_are_those_of_scipy(seed):
    random = np.random.default_rng(seed)
    first = tied_values(random, 12)
    second = tied_values(random, 12)
    compared = compare_orders(first, second)
    assert compared["tau"] == pytest.approx(kendalltau(first, second).statistic)
    assert compared["rho"] == pytest.approx(spearmanr(first, second).statistic)


@pytest.mark.parametrize("seed", range(20))
def test_tau_ap_and_rbo_a_are_means_over_all_orders_of_ties(seed):
    random = np.random.default_rng(seed)
    first = random.permutation(6) / 7
    second = tied_values(random, 6)
    expected = np.mean([tau_ap_untied(first, order) for order in without_ties(second)])
    assert orders.tau_ap(Order.of(first), Order.of(second)) == pytest.approx(expected)
    first = tied_values(random, 6)
    both = product(without_ties(first), without_ties(second))
    expected = np.mean([rbo_untied(one, other, 0.8) for one, other in both])
    value = orders.rbo(Order.of(first), Order.of(second), 0.8, "a")
    assert value == pytest.approx(expected)


def slow_tau_gap(first, second):
    """The definition, system by system and s by s."""
    total = 0.0
    weight = 0.0
    for i in range(len(first)):
        is_tied = second == second[i]
        size = np.count_nonzero(is_tied)
        gaps = first - first[i]
        for s in range(size):
            share = s / max(size - 1, 1)
            shares = np.where(second > second[i], 1.0, share * is_tied)
            all_gaps = (shares * np.abs(gaps)).sum()
            agreed = (shares * np.maximum(gaps, 0)).sum()
            if all_gaps > 0:
                total += agreed / all_gaps / size
                weight += 1 / size
    return 2 * total / weight - 1


def slow_tau_ap_in(first, second):
    """How far the first order agrees above each system of the second, system by system."""
    shares = []
    for i in range(len(first)):
        above = first[second > second[i]]
        if above.size:
            shares.append(np.mean(above > first[i]))
    return 2 * np.mean(shares) - 1


def slow_tau_ap_b(first, second):
    return (slow_tau_ap_in(first, second) + slow_tau_ap_in(second, first)) / 2


@pytest.mark.parametrize("seed", range(20))
def test_ties_in_both_orders_follow_the_definitions(seed):
    random = np.random.default_rng(seed)
    first = tied_values(random, 9)
    second = tied_values(random, 9)
    compared = compare_orders(first, second)
    assert compared["tau_GAP"] == pytest.approx(slow_tau_gap(first, second))
    assert compared["tau_AP_b"] == pytest.approx(slow_tau_ap_b(first, second))
    swapped = compare_orders(second, first)
    for name in ("tau", "tau_AP_b", "rho", "RBO"):
        assert compared[name] == pytest.approx(swapped[name]), name


def test_statistics_of_many_orders_do_not_depend_on_rows_or_neighbours():
    random = np.random.default_rng(1)
    first, second = random.integers(0, 5, (2, 30, 8)) / 10
    together = compare_orders(first, second)
    columns = random.permutation(8)
    moved = compare_orders(first[:, columns], second[:, columns])
    for row in range(30):
        alone = compare_orders(first[row], second[row])
        for name, value in alone.items():
            assert together[name][row] == pytest.approx(value, nan_ok=True), name
            assert moved[name][row] == pytest.approx(value, nan_ok=True), name


def test_ties_are_chains_of_rounding_errors():
    values = np.array([0.1 + 0.2, 0.3, 0.5, 0.3 - 5e-13, 0.2])
    assert Order.of(values).place.tolist() == [2, 2, 1, 2, 5]


@pytest.mark.parametrize("ties", ["w", "a", "b"])
def test_an_order_overlaps_wholly_with_itself_if_ties_are_equal_places(ties):
    order = Order.of(np.array([0.5, 0.5, 0.3, 0.1]))
    expected = 0.95 if ties == "a" else 1.0
    assert orders.rbo(order, order, ties=ties) == pytest.approx(expected, abs=0.005)


def test_flat_orders_are_undefined():
    flat = np.full(4, 0.3)
    other = np.array([0.1, 0.2, 0.3, 0.4])
    for first, second in ((flat, other), (other, flat), (flat, flat)):
        statistics = compare_orders(first, second)
        assert all(np.isnan(value) for value in statistics.values())
    tied_at_top = np.array([1, 1, 0])
    assert np.isnan(compare_orders(tied_at_top, np.array([1, 2, 3]))["tau_AP"])
    order = Order.of(other)
    assert np.isnan(orders.tau_at(order, order, 1))
