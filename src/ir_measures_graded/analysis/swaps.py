"""Random swaps show whether a measure depends on the number of levels: Scheel et al. 2011, 2.1 and 4.

The experiment starts from a perfect ranking of documents on L levels and swaps documents at n random pairs
of ranks. The value of a measure that does not depend on the number of levels falls along the same curve over
n for every L, as in the paper's Figures 4 and 5.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle, pairwise, product
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.by_topic import mean_over_topics
from ..core.registry.notation import parse_measures
from ..errors import GradedError
from ..evaluation.evaluate import evaluate, tracked
from ..output import plots
from ..output.formats import Table, counted, listed
from ..output.result import Result
from .statistics.options import refuse_large, whole_number

LEVELS = (2, 10, 20, 50)
MEASURES = ("NDCNG(avg=True)", "muAP", "NDCNG(avg=True,max_gain=1)")
"""The paper's NDCNG and µAP, and its NDCG with gains 2^level − 1, which is NDCNG with max_gain=1."""

PANELS_ACROSS = 3
BYTES = 200
"""The memory that one document of one ranking takes."""


@dataclass(frozen=True, eq=False, repr=False)
class Swaps(Result):
    """The values of `measures` for rankings with 0, 1, … random swaps, for each number of levels.

    `values` is an array (levels × measures × swaps × repetitions). `documents` is the length of a ranking;
    `uneven` is true if the levels differ in size.
    """

    levels: tuple[int, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    documents: int
    uneven: bool
    seed: int

    def means(self) -> np.ndarray:
        """The means over the repetitions (levels × measures × swaps)."""
        return mean_over_topics(self.values)

    def deviations(self) -> np.ndarray:
        """The standard deviations over the repetitions (levels × measures × swaps), 0 for a single one."""
        return np.asarray(self.values.std(axis=3, ddof=min(1, self.values.shape[3] - 1)))

    def gaps(self) -> np.ndarray:
        """The largest difference between mean curves of two numbers of levels (measures × swaps)."""
        return np.asarray(np.ptp(self.means(), axis=0))

    @property
    def summary(self) -> str:
        """The measures and rankings in one line."""
        swaps, repetitions = self.values.shape[2:]
        rankings = counted(repetitions, "ranking")
        return f"{listed(self.measures)} of {rankings} of {self.documents} with 0 to {swaps - 1} swaps"

    def table(self) -> Table:
        """Column names and rows: one row per measure.

        A row has the mean of the curve for each number of levels, then the widest gap between the curves
        and the number of swaps at which it occurs.
        """
        columns = ["measure", *(f"{count} levels" for count in self.levels), "widest gap", "at swaps"]
        heights, gaps = mean_over_topics(self.means()).T.tolist(), self.gaps()
        rows = zip(map(str, self.measures), heights, gaps.max(axis=1).tolist(), gaps.argmax(axis=1).tolist())
        return columns, [[measure, *of_levels, gap, at] for measure, of_levels, gap, at in rows]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per number of levels, measure and number of swaps."""
        names = ("levels", "measure", "swaps", "mean", "standard_deviation")
        keys = product(self.levels, map(str, self.measures), range(self.values.shape[2]))
        numbers = zip(self.means().ravel().tolist(), self.deviations().ravel().tolist())
        return [dict(zip(names, (*key, *both))) for key, both in zip(keys, numbers)]

    @plots.styled
    def figure(self) -> plots.Figure:
        """Draw the mean curves with bands of one standard deviation, one panel per measure.

        Needs the extra ``plot``.
        """
        across = min(len(self.measures), PANELS_ACROSS)
        down = -(-len(self.measures) // across)
        figure = plots.new_figure(3.3 * across + 1.2, 3.5 * down + 0.3)
        shared = bool(self.values.min() >= 0 and self.values.max() <= 1)
        panels = plots.panels(figure, len(self.measures), across, sharey=shared)
        means, deviations = self.means(), self.deviations()
        swaps = np.arange(means.shape[2])
        every = max(1, len(swaps) // 8)
        for number, (axes, measure) in enumerate(zip(panels, self.measures)):
            for line, levels in enumerate(self.levels):
                style = plots.line_style(line)
                mean, spread = means[line, number], deviations[line, number]
                axes.fill_between(swaps, mean - spread, mean + spread, color=style["color"], alpha=0.12, lw=0)
                start = line * every // len(self.levels)
                axes.plot(swaps, mean, label=f"{levels} levels", markevery=(start, every), **style)
            axes.set_title(plots.title(measure, width=32))
            axes.set_xlabel("Random swaps")
        figure.supylabel(
            f"Mean ± standard deviation of {self.values.shape[3]} rankings of {self.documents}", size="medium"
        )
        plots.legend_outside(panels[across - 1])
        return figure


def swaps(
    measures: Iterable[Measure | str] = MEASURES,
    *,
    levels: Iterable[int] = LEVELS,
    uneven: bool = False,
    documents: int = 100,
    most: int = 99,
    repetitions: int = 100,
    seed: int = 0,
    progress: bool = False,
) -> Swaps:
    """Evaluate rankings of `documents` with 0 to `most` random swaps, for each number of `levels`.

    A perfect ranking has the levels L − 1 down to 0. By default the sizes of the levels differ by at most
    one document. With `uneven`, the probability of each level is random, and only the highest and the lowest
    level always occur. Each of the `repetitions` draws n pairs of ranks and, with `uneven`, a perfect
    ranking. All L share the same pairs of ranks. The values depend on `seed` (≥ 0) alone. `progress` shows a
    progress bar on stderr.

    >>> found = swaps(["muAP"], levels=[2, 5], documents=10, most=3, repetitions=20)
    >>> found.values.shape
    (2, 1, 4, 20)
    >>> found.means()[:, :, 0]
    array([[1.],
           [1.]])

    Raises `GradedError` for measures that `evaluate` refuses and for numbers out of range: 2 ≤ L ≤
    `documents`, `most` ≥ 0, `repetitions` ≥ 1.
    """
    wanted = parse_measures(measures)
    documents = whole_number(documents, "documents", 2)
    counts = tuple(dict.fromkeys(whole_number(count, "levels", 2, documents) for count in levels))
    if not counts:
        raise GradedError("no number of levels is given; name at least one, for example levels=[2, 10]")
    most = whole_number(most, "most", 0)
    repetitions = whole_number(repetitions, "repetitions", 1)
    seed = whole_number(seed, "seed", 0)
    sizes = {"documents": documents, "most": most, "repetitions": repetitions}
    largest, rankings = max(sizes, key=sizes.__getitem__), (most + 1) * repetitions
    needed = rankings * (BYTES * documents + 8 * len(counts) * len(wanted))
    refuse_large(largest, sizes[largest], needed, f"{counted(rankings, 'ranking')} of {documents}")
    names, scores = np.arange(documents).astype(str), np.arange(documents, 0.0, -1).tolist()
    orders = names[_swapped(documents, most, repetitions, np.random.default_rng(seed))]
    orders = orders.reshape(-1, documents).tolist()
    run = {str(number): dict(zip(order, scores)) for number, order in enumerate(orders)}
    values = np.empty((len(counts), len(wanted), most + 1, repetitions))
    for number, count in enumerate(tracked(list(counts), "scale", progress)):
        generator = np.random.default_rng([seed, count])
        perfect = [_reference(count, documents, uneven, generator).tolist() for _ in range(repetitions)]
        qrels = dict(zip(run, cycle([dict(zip(names.tolist(), levels)) for levels in perfect])))
        values[number] = evaluate(qrels, {"swapped": run}, wanted).values[0].reshape(values.shape[1:])
    return Swaps(counts, wanted, values, documents, uneven, seed)


def _reference(levels: int, documents: int, uneven: bool, generator: np.random.Generator) -> np.ndarray:
    """The level of each document of a perfect ranking."""
    if not uneven:
        return (np.arange(documents) * levels // documents)[::-1]
    sizes = generator.multinomial(documents - 2, generator.dirichlet(np.ones(levels)))
    sizes[[0, -1]] += 1
    return np.repeat(np.arange(levels), sizes)[::-1]


def _swapped(documents: int, most: int, repetitions: int, generator: np.random.Generator) -> np.ndarray:
    """The document at each rank after 0, 1, … swaps (swaps × repetitions × documents)."""
    rankings = np.tile(np.arange(documents), (most + 1, repetitions, 1))
    each = np.arange(repetitions)
    for before, ranking in pairwise(rankings):
        one = generator.integers(documents, size=repetitions)
        other = (one + generator.integers(1, documents, size=repetitions)) % documents
        ranking[:] = before
        ranking[each, one], ranking[each, other] = before[each, other], before[each, one]
    return rankings
