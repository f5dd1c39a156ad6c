"""The agreement of a machine with the human on the order of runs and on significant differences.

Resampled topics show how far the agreement depends on the topics. Their percentiles are no
confidence interval of τ, because resampling adds the noise that already lowers it. The yardstick is
the agreement of the human with itself on two random halves of the topics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import sign_of
from ..comparing.families import width_of
from ..statistics import orders
from ..statistics.primary import paired
from ..statistics.resampling import in_parts, resampled_topics
from .favours import Favour, favours, why_no_favours
from .panel import Panel, values_of
from .percentiles import Sampling, Statistic

SPLITS: Final = 1000
ORDER_STATISTICS: Final = {
    "tau": orders.tau,
    "tau_AP": orders.tau_ap,
    "rho": orders.rho,
    "RBO": orders.rbo,
}
"""The statistics of two orders of runs by name."""


@dataclass(frozen=True)
class OrderAgreement:
    """The orders of the runs by one measure under either judge, over the topics that both judged.

    `statistics` has ``tau``, ``tau_AP``, ``rho`` and ``RBO``, see `orders`, with their spread over
    sets of as many topics. `halves` is τ of the human's orders on two random halves of the topics,
    as the mean over 1,000 splits. Of the pairs of runs that differ significantly under the human,
    `significant` is the number, `agreed` the share that the machine also separates, and `reversed`
    the share that it separates in the other direction; both are None if there is no such pair.
    `favours` has the favour of each run, and is empty where `no_favours` gives a reason. `means`
    (2 × runs) are those under the human and under the machine, larger is better. `judged` is the
    share of the documents that the machine judged within the cutoff of the runs that the human
    judged too.
    """

    measure: Measure
    runs: tuple[str, ...]
    statistics: dict[str, Statistic]
    halves: float | None
    significant: int
    agreed: float | None
    reversed: float | None
    favours: tuple[Favour, ...]
    no_favours: str
    means: np.ndarray = field(compare=False)
    judged: float = 1.0

    @property
    def tau(self) -> float | None:
        """Kendall's τ (b); None if all runs tie under one judge."""
        return self.statistics["tau"].value

    @property
    def alike(self) -> tuple[int, int]:
        """How many pairs of runs have the same order under both judges, equal means included, and
        the number of all pairs."""
        places = np.stack([orders.Order.of(means).place for means in self.means])
        first, second = np.triu_indices(len(self.runs), 1)
        by_human, by_machine = np.sign(places[:, first] - places[:, second])
        return int((by_human == by_machine).sum()), len(first)

    @property
    def swapped(self) -> list[tuple[str, ...]]:
        """The pairs of runs that are in opposite orders under the human and under the machine, by
        name."""
        places = np.stack([orders.Order.of(means).place for means in self.means])
        pairs = []
        for first, second in combinations(range(len(self.runs)), 2):
            by_human, by_machine = places[:, first] - places[:, second]
            if by_human * by_machine < 0:
                pairs.append(tuple(sorted((self.runs[first], self.runs[second]))))
        return sorted(pairs)

    @property
    def moves(self) -> str:
        """Whether the judge moves the order ``less`` or ``more`` than other topics, else empty."""
        if self.tau is None or self.halves is None or self.tau == self.halves:
            return ""
        return "less" if self.tau > self.halves else "more"


def order_agreements(panel: Panel, sampling: Sampling) -> Iterator[OrderAgreement]:
    """The agreement on the order of at least two runs by each measure; none for fewer runs."""
    if panel.values is None or len(panel.values[0].runs) < 2:
        return
    by_human, by_machine = panel.values
    human = values_of(by_human, panel.both)
    machine = values_of(by_machine, panel.both)
    for column, measure in enumerate(by_human.measures):
        # A topic without a value of any run under either judge is left out.
        has_values = ~np.isnan(human[:, column] + machine[:, column]).any(axis=0)
        own_human = sign_of(measure) * human[:, column, has_values]
        own_machine = sign_of(measure) * machine[:, column, has_values]
        values = _RunValues(by_human.runs, own_human, own_machine)
        agreement = _order_agreement(measure, values, sampling)
        yield replace(agreement, judged=panel.shares.get(measure, 1.0))


class _RunValues(NamedTuple):
    """The values of the runs under either judge (runs × topics); larger is better."""

    runs: tuple[str, ...]
    human: np.ndarray
    machine: np.ndarray

    @property
    def topics(self) -> int:
        """The number of topics."""
        return int(self.human.shape[1])


def _order_agreement(measure: Measure, values: _RunValues, sampling: Sampling) -> OrderAgreement:
    confidence = sampling.confidence
    pairs = _significant_pairs(values, 1 - confidence)
    no_favours = why_no_favours(measure, len(values.runs), values.topics)
    favours_of_runs: tuple[Favour, ...] = ()
    if not no_favours:
        width = width_of(measure)
        favours_of_runs = favours(values.runs, values.human, values.machine, confidence, width)
    means = [mean_over_topics(values.human), mean_over_topics(values.machine)]
    return OrderAgreement(
        measure=measure,
        runs=values.runs,
        statistics=_order_statistics(values, sampling),
        halves=_tau_of_halves(values.human, sampling.seed),
        significant=pairs.total,
        agreed=pairs.agreed,
        reversed=pairs.reversed,
        favours=favours_of_runs,
        no_favours=no_favours,
        means=np.stack(means),
    )


def _order_statistics(values: _RunValues, sampling: Sampling) -> dict[str, Statistic]:
    """The agreement of the orders, with its spread over resampled topics."""
    if not values.topics:
        return dict.fromkeys(ORDER_STATISTICS, Statistic(None, None, None))
    weights = resampled_topics(values.topics, sampling.resamples, sampling.seed) / values.topics
    by_resample = _agreement_of_orders(weights @ values.human.T, weights @ values.machine.T)
    return {
        name: Statistic.of(of_samples, sampling.confidence)
        for name, of_samples in by_resample.items()
    }


def _agreement_of_orders(human: np.ndarray, machine: np.ndarray) -> dict[str, np.ndarray]:
    """The statistics of pairs of orders, from the means of the runs (pairs × runs)."""

    def of_part(human_part: np.ndarray, machine_part: np.ndarray) -> dict[str, np.ndarray]:
        by_human = orders.Order.of(human_part)
        by_machine = orders.Order.of(machine_part)
        return {
            name: statistic(by_human, by_machine) for name, statistic in ORDER_STATISTICS.items()
        }

    return in_parts(of_part, human.shape[1] ** 2, human, machine)


def _tau_of_halves(values: np.ndarray, seed: int) -> float | None:
    """The mean τ of the orders of the runs (runs × topics) on two random halves of the topics."""
    topics = values.shape[1]
    if topics < 2:
        return None
    generator = np.random.default_rng(seed)
    places = np.argsort(generator.random((SPLITS, topics)))
    first = places < topics // 2
    second = ~first
    means_of_first = first @ values.T / first[0].sum()
    means_of_second = second @ values.T / second[0].sum()
    taus = _agreement_of_orders(means_of_first, means_of_second)["tau"]
    taus = taus[~np.isnan(taus)]
    return float(taus.mean()) if taus.size else None


class _SignificantPairs(NamedTuple):
    """The number of pairs of runs that differ significantly under the human, and the shares of
    them that the machine separates likewise and in the other direction, None without a pair."""

    total: int
    agreed: float | None
    reversed: float | None


def _significant_pairs(values: _RunValues, level: float) -> _SignificantPairs:
    pairs = list(combinations(range(len(values.runs)), 2))
    human = _significant_signs(values.human, pairs, level)
    machine = _significant_signs(values.machine, pairs, level)
    count = int(np.abs(human).sum())
    if not count:
        return _SignificantPairs(0, None, None)
    agreed = (human * machine == 1).sum()
    in_reverse = (human * machine == -1).sum()
    return _SignificantPairs(count, float(agreed / count), float(in_reverse / count))


def _significant_signs(
    values: np.ndarray, pairs: list[tuple[int, int]], level: float
) -> np.ndarray:
    """The sign of each significant difference of two runs (runs × topics), 0 for the others."""
    if values.shape[1] < 2:
        return np.zeros(len(pairs))
    tested = paired(values, pairs, level)
    return np.where(tested.adjusted < level, np.sign(tested.difference), 0)
