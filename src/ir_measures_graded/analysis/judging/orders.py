"""The agreement of a machine with the human on the order of runs, and the runs that the machine favours.

Resampled topics show how far the agreement depends on the topics. Their percentiles are no confidence
interval of τ, because resampling adds the noise that already lowers it. The yardstick is the agreement of
the human with itself on two random halves of the topics.

A judge favours a run if it values the run higher than other runs of the same quality. The means of the
*other* runs under the machine are fitted as a line in their means under the human (least squares). With the
weights c for which Σ c·machine is this line at the human mean of run r:

    favour = mean over the topics of machine_r − Σ c·machine, with Student's interval, Šidák over the runs
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Measure

from ...core.by_topic import mean_over_topics
from ...core.registry.facts import is_normalised, sign_of
from ..statistics.agreement import orders
from ..statistics.intervals import student_interval
from ..statistics.paired import paired
from ..statistics.significance import PERMUTED_AT_ONCE, rounded
from .panel import Panel, values_of

SPLITS: Final = 1000
FEWEST_RUNS: Final = 6
DEEPEST: Final = 20
"""The greatest cutoff of measures with favours."""


class Statistic(NamedTuple):
    """A statistic and percentiles of it over resampled topics; each is None where it is undefined."""

    value: float | None
    lower: float | None
    upper: float | None

    @classmethod
    def of(cls, values: np.ndarray, confidence: float) -> Statistic:
        """From the value of the sample and those of its resamples."""
        value, resampled = values[0], values[1:][~np.isnan(values[1:])]
        if np.isnan(value) or not resampled.size:
            return cls(None if np.isnan(value) else float(value), None, None)
        ends = (1 - confidence) / 2, (1 + confidence) / 2
        return cls(float(value), *np.quantile(resampled, ends).tolist())

    @property
    def interval(self) -> str:
        """The percentiles as text; empty if there are none."""
        return "" if self.lower is None else f"{self.lower:.2f} to {self.upper:.2f}"

    def __str__(self) -> str:
        value = "" if self.value is None else f"{self.value:.2f}"
        return f"{value} ({self.interval})" if self.interval else value


class Favour(NamedTuple):
    """The value of a run beyond that of other runs of its quality, with an interval."""

    run: str
    value: float
    lower: float
    upper: float

    @property
    def verdict(self) -> str:
        """``favoured`` or ``disfavoured`` if the interval excludes 0, else empty."""
        if self.lower > 0:
            return "favoured"
        return "disfavoured" if self.upper < 0 else ""


@dataclass(frozen=True)
class OrderAgreement:
    """The orders of the runs by one measure under either judge, over the topics that both judged.

    `statistics` has ``tau``, ``tau_AP``, ``rho`` and ``RBO``, see `orders`, with their spread over sets of as
    many topics. `halves` is τ of the human's orders on two random halves of the topics, as the mean over
    1,000 splits. Of the pairs of runs that differ significantly under the human, `significant` is the number,
    `agreed` the share that the machine also separates, and `reversed` the share that it separates in the
    other direction; both are None if there is no such pair. `favours` has the favour of each run, and is
    empty where `no_favours` gives a reason.
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

    @property
    def tau(self) -> float | None:
        """Kendall's τ (b); None if all runs tie under one judge."""
        return self.statistics["tau"].value

    @property
    def moves(self) -> str:
        """Whether the judge moves the order ``less`` or ``more`` than other topics, else empty."""
        if self.tau is None or self.halves is None or self.tau == self.halves:
            return ""
        return "less" if self.tau > self.halves else "more"


def draws(topics: int, resamples: int, seed: int) -> np.ndarray:
    """How often each topic is in the sample and in each resample of it (1 + resamples × topics)."""
    shares = np.full(topics, 1 / topics)
    weights = np.random.default_rng(seed).multinomial(topics, shares, size=resamples)
    return np.concatenate([np.ones((1, topics), dtype=np.int64), weights])


def order_agreements(panel: Panel, resamples: int, confidence: float, seed: int) -> Iterator[OrderAgreement]:
    """The agreement on the order of at least two runs by each measure; none for fewer runs."""
    if panel.values is None or len(panel.values[0].runs) < 2:
        return
    (evaluation, _), topics = panel.values, panel.both
    runs, weights = evaluation.runs, draws(len(topics), resamples, seed) / len(topics)
    first = np.argsort(np.random.default_rng(seed).random((SPLITS, len(topics)))) < len(topics) // 2
    both = np.stack([values_of(each, topics) for each in panel.values])
    pairs = list(combinations(range(len(runs)), 2))
    for column, measure in enumerate(evaluation.measures):
        values = sign_of(measure) * both[:, :, column]
        statistics = {
            name: Statistic.of(found, confidence)
            for name, found in _orders(*(weights @ each.T for each in values)).items()
        }
        halves = None
        if len(topics) > 1:
            taus = _orders(*(half @ values[0].T / half[0].sum() for half in (first, ~first)))["tau"]
            halves = None if np.isnan(taus).all() else float(taus[~np.isnan(taus)].mean())
        human, machine = (_significant(each, pairs, 1 - confidence) for each in values)
        count = int(np.abs(human).sum())
        shares = [float((human * machine == sign).sum() / count) if count else None for sign in (1, -1)]
        refused = why_no_favours(measure, len(runs), len(topics))
        found = () if refused else favours(runs, values[0], values[1], confidence)
        agreed, opposite = shares
        yield OrderAgreement(measure, runs, statistics, halves, count, agreed, opposite, found, refused)


def why_no_favours(measure: Measure, runs: int, topics: int) -> str:
    """The reason why favours are not computed, or an empty text."""
    cutoff = measure.params.get("cutoff")
    normalised = is_normalised(measure) or isinstance(measure, type(ir_measures.nDCG))
    if not (normalised and cutoff and cutoff <= DEEPEST):
        return (
            f"only normalised measures with a cutoff of at most {DEEPEST}, such as nDCG@10, show whom a "
            "judge favours; others name runs falsely"
        )
    if runs < FEWEST_RUNS:
        return f"the favour of a judge needs at least {FEWEST_RUNS} runs, not {runs}"
    return "" if topics > 1 else "the favour of a judge needs at least 2 topics"


def favours(
    runs: tuple[str, ...], human: np.ndarray, machine: np.ndarray, confidence: float
) -> tuple[Favour, ...]:
    """The favour of each run, from its values under either judge (runs × topics).

    A run has none if all others have the same mean under the human.
    """
    count, topics = human.shape
    others = ~np.eye(count, dtype=bool)
    means = np.where(others, mean_over_topics(human), 0.0)
    centre = means.sum(axis=1, keepdims=True) / (count - 1)
    apart = np.where(others, means - centre, 0.0)
    own = mean_over_topics(human)[:, None] - centre
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = others / (count - 1) + apart * own / (apart**2).sum(axis=1, keepdims=True)
    favour = machine - weights @ machine
    mean, error = mean_over_topics(favour), favour.std(axis=1, ddof=1) / topics**0.5
    lower, upper = student_interval(mean, error, topics - 1, confidence ** (1 / count))
    found = map(Favour, runs, mean.tolist(), lower.tolist(), upper.tolist())
    return tuple(each for each in found if np.isfinite(each.value))


def _orders(first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
    """The agreement of pairs of orders (pairs × runs), of a part of the pairs at a time."""
    pairs, runs = first.shape
    parts = np.array_split(np.arange(pairs), 1 + pairs * runs**2 // PERMUTED_AT_ONCE)
    found = [orders(rounded(first[part]), rounded(second[part])) for part in parts]
    return {name: np.concatenate([each[name] for each in found]) for name in found[0]}


def _significant(values: np.ndarray, pairs: list[tuple[int, int]], level: float) -> np.ndarray:
    """The sign of each significant difference of two runs (runs × topics), 0 for the others."""
    if values.shape[1] < 2:
        return np.zeros(len(pairs))
    found = paired(values, pairs, level)
    return np.where(found.adjusted < level, np.sign(found.difference), 0)
