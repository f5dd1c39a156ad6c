"""Random swaps show whether a measure depends on the number of levels: Scheel et al. 2011, 2.1 and
4.

The experiment starts from a perfect ranking of documents on L levels and swaps documents at n
random pairs of ranks. The value of a measure that does not depend on the number of levels falls
along the same curve over n for every L, as in the paper's Figures 4 and 5.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from ir_measures import Measure

from ir_measures_graded import NormalisedGainSum, array_values
from ir_measures_graded.analysis import figures

LEVELS = (2, 10, 20, 50)


class NDCG(NormalisedGainSum):
    """The paper's NDCG, which has the gains 2^level − 1, as the mean over all ranks."""

    GAINS = "exp"
    averages = True

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return np.log2(rank + 1)


MEASURES: dict[str, str | Measure] = {"NDCNG": "NDCNG(avg=True)", "µAP": "muAP", "NDCG": NDCG()}
DOCUMENTS = 100
MOST = 99
"""The largest number of swaps."""


def values_of(uneven: bool, repetitions: int = 50, seed: int = 0) -> np.ndarray:
    """The values (levels × measures × swaps × repetitions) of rankings with 0 to 99 random swaps.

    The sizes of the levels differ by at most one document or, if `uneven`, are random.
    """
    rankings = swapped(repetitions, np.random.default_rng(seed)).reshape(-1, DOCUMENTS)
    scores = np.broadcast_to(np.arange(DOCUMENTS, 0, -1), rankings.shape)
    repetition = np.arange(len(rankings)) % repetitions
    values = []
    for levels in LEVELS:
        random = np.random.default_rng([seed, levels])
        perfect = [perfect_levels(levels, uneven, random) for _ in range(repetitions)]
        labels = np.array(perfect)[repetition[:, np.newaxis], rankings]
        values.append(array_values(MEASURES.values(), labels, scores, ties="given"))
    return np.reshape(values, (len(LEVELS), len(MEASURES), MOST + 1, repetitions))


def perfect_levels(levels: int, uneven: bool, random: np.random.Generator) -> np.ndarray:
    """The level of each document of a perfect ranking."""
    if not uneven:
        return (np.arange(DOCUMENTS) * levels // DOCUMENTS)[::-1]
    sizes = random.multinomial(DOCUMENTS - 2, random.dirichlet(np.ones(levels)))
    sizes[[0, -1]] += 1  # the highest and the lowest level always occur
    return np.repeat(np.arange(levels), sizes)[::-1]


def swapped(repetitions: int, random: np.random.Generator) -> np.ndarray:
    """The document at each rank after 0, 1, … swaps (swaps × repetitions × documents)."""
    rankings = np.tile(np.arange(DOCUMENTS), (MOST + 1, repetitions, 1))
    rows = np.arange(repetitions)
    for before, ranking in pairwise(rankings):
        one = random.integers(DOCUMENTS, size=repetitions)
        other = (one + random.integers(1, DOCUMENTS, size=repetitions)) % DOCUMENTS
        ranking[:] = before
        ranking[rows, one] = before[rows, other]
        ranking[rows, other] = before[rows, one]
    return rankings


def gaps(values: np.ndarray) -> dict[str, float]:
    """The widest gap between the mean curves of two numbers of levels, by measure."""
    means = values.mean(axis=3)
    widest = np.ptp(means, axis=0).max(axis=1)
    return dict(zip(MEASURES, widest.tolist()))


@figures.styled
def figure(values: np.ndarray) -> figures.Figure:
    """Draw the mean curves with bands of one standard deviation, one panel per measure."""
    drawing = figures.new_figure(3.3 * len(MEASURES) + 1.2, 3.8)
    panels = figures.panels(drawing, len(MEASURES), len(MEASURES), sharey=True)
    means = values.mean(axis=3)
    spreads = values.std(axis=3, ddof=1)
    swaps = np.arange(MOST + 1)
    for number, (axes, name) in enumerate(zip(panels, MEASURES)):
        for line, levels in enumerate(LEVELS):
            style = figures.line_style(line)
            mean = means[line, number]
            lower = mean - spreads[line, number]
            upper = mean + spreads[line, number]
            axes.fill_between(swaps, lower, upper, color=style["color"], alpha=0.12, lw=0)
            axes.plot(swaps, mean, label=f"{levels} levels", markevery=(3 * line, 12), **style)
        axes.set(title=name, xlabel="Random swaps")
    label = f"Mean ± standard deviation of {values.shape[3]} rankings of {DOCUMENTS}"
    drawing.supylabel(label, size="medium")
    figures.legend_outside(panels[-1])
    return drawing
