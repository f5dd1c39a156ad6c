"""How often decisions from a sample of topics are wrong: procedures of `compare`, and rules for a release.

    python tests/benchmarks/decisions.py procedures QRELS RUN …
    python tests/benchmarks/decisions.py gate QRELS RUN …

Both draw topics with replacement from the values of published runs. The means over all topics are the truth.

`procedures` prints, for n topics, the family-wise error of each procedure over all pairs of runs (a
difference is called significant although the values were moved so that all means are equal) and its power
(the share of the true differences that it finds), without and with a bystander, a run far below the others.

`gate` takes pairs of runs, multiplies the values of the new run so that it is truly worse by a share, and
prints how often the gate decides and how often two other rules block.
"""

import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

from ir_measures_graded.analysis import evaluate
from ir_measures_graded.analysis.statistics.paired import paired
from ir_measures_graded.analysis.statistics.significance import conover, holm, tukey_hsd
from ir_measures_graded.output import formats

MEASURES = ("nDCG_JK@10", "AP")
ALPHA = 0.05
Pairs = list[tuple[int, int]]


def values_of(qrels: str, runs: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The values of the runs (runs × topics) by each measure."""
    named = {Path(run).name.removesuffix(".run.gz"): run for run in runs}
    found = evaluate(qrels, named, MEASURES)
    return {measure: found.of(measure) for measure in MEASURES}


def after_friedman(values: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Conover's p-values of the pairs if Friedman's test finds a difference between any runs, otherwise 1."""
    if stats.friedmanchisquare(*values).pvalue < ALPHA:
        return of(pairs, conover(values))
    return np.ones(len(pairs))


def of(pairs: Pairs, matrix: np.ndarray) -> np.ndarray:
    return matrix[tuple(np.transpose(pairs))]


PROCEDURES: dict[str, Callable[[np.ndarray, Pairs], np.ndarray]] = {
    "paired t, Holm": lambda values, pairs: paired(values, pairs).adjusted,
    "paired t, uncorrected": lambda values, pairs: paired(values, pairs).p,
    "Tukey HSD": lambda values, pairs: of(pairs, tukey_hsd(values, 500, 0)),
    "Conover, Holm": lambda values, pairs: holm(after_friedman(values, pairs)),
    "Conover, uncorrected": after_friedman,
}
"""The p-value of each pair of runs, from the values (runs × topics)."""


def procedures(qrels: str, *runs: str, draws: int = 200) -> None:
    rows = []
    for measure, values in values_of(qrels, runs).items():
        means, far = values.mean(axis=1, keepdims=True), 2 * values.std()
        own = list(combinations(range(len(values)), 2))
        others = [(run, len(values)) for run in range(len(values))]  # the pairs of the bystander
        true = np.array([means[a] != means[b] for a, b in own])[:, 0]
        for topics in (25, 50):
            for procedure, p_values in PROCEDURES.items():
                random = np.random.default_rng(topics)
                wrong, found = np.zeros(2), np.zeros(2)
                for _ in range(draws):
                    sample = random.integers(0, values.shape[1], topics)
                    for row, pairs in enumerate((own, own + others)):
                        for truth, into in ((values - means, wrong), (values, found)):
                            drawn = np.vstack([truth, truth[:1] - far][: 1 + row])[:, sample]
                            called = p_values(drawn, pairs)[: len(own)] < ALPHA
                            into[row] += called.any() if into is wrong else called[true].mean()
                rows.append([measure, topics, procedure, *wrong / draws, *found / draws])
    columns = ["measure", "topics", "procedure", "error", "error, bystander", "power", "power, bystander"]
    print(*formats.markdown(columns, rows, 3), sep="\n")


def gate(qrels: str, *runs: str, draws: int = 200) -> None:
    rows = []
    for measure, values in values_of(qrels, runs).items():
        means = values.mean(axis=1)
        near = [(a, b) for a, b in combinations(range(len(values)), 2) if means[b] / means[a] > 0.8]
        for fall in (0.0, 0.02, 0.05, 0.1):
            for topics in (25, 50, 100):
                random = np.random.default_rng(topics)
                counts = np.zeros(5)
                for a, b in near:
                    old, new = values[a], values[b] * (means[a] / means[b]) * (1 - fall)
                    sample = random.integers(0, old.size, (draws, topics))
                    counts += _decisions(old[sample], new[sample])
                rows.append([measure, f"{100 * fall:g} %", topics, *counts / len(near)])
    columns = ["measure", "truly worse by", "topics", "gate 5 % holds", "gate: worse", "gate: undecided"]
    columns += ["“fell > 2 %” blocks", "“fell > 2 %, p < .05” blocks"]
    print(*formats.markdown(columns, rows, 3), sep="\n")


def _decisions(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The shares of samples in which the gate holds, is worse, is undecided, and two other rules block."""
    holds = stats.ttest_1samp(new - 0.95 * old, 0, axis=1, alternative="greater").pvalue < ALPHA
    p = stats.ttest_1samp(new - old, 0, axis=1, alternative="less").pvalue
    fell = new.mean(axis=1) < 0.98 * old.mean(axis=1)
    two_sided = stats.ttest_1samp(new - old, 0, axis=1).pvalue
    worse = ~holds & (p < ALPHA)
    return np.mean([holds, worse, ~holds & ~worse, fell, fell & (two_sided < ALPHA)], axis=1)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["procedures", qrels, *runs]:
            procedures(qrels, *runs)
        case ["gate", qrels, *runs]:
            gate(qrels, *runs)
        case _:
            sys.exit(__doc__)
