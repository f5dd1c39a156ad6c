"""Values of real runs as populations of topics, from which samples are drawn.

A hypothesis such as "all means are equal" is made true by weights of the topics, and not by a shift
of the values: shifted values are no values of the measure, and ties become constant differences.
The weights are those nearest to equal ones (exponential tilting).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from ir_measures import Measure
from scipy.optimize import brentq, linprog, minimize
from scipy.special import logsumexp, softmax

from ir_measures_graded import parse_measure
from ir_measures_graded.analysis import evaluate

TOLERANCE = 1e-6
STEEPEST = 500.0
CONVERGENCE = {"maxiter": 500, "maxfun": 1000, "ftol": 1e-15, "gtol": 1e-9}
LEAST_EFFECTIVE_TOPICS = 10
"""Weights that leave fewer topics are no population."""
NUMBERS_OF_RUNS = (20, 16, 12, 8, 6, 4, 3, 2)
"""So many runs have equal means where more cannot."""
PUBLISHED = {"map": "AP", "P_10": "P@10", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR@10"}
"""The measures of trec_eval's output by their names there."""
SUCCESS = "Success@5"


@dataclass(frozen=True)
class Population:
    """The values (runs × topics) by each measure; `runs` are names."""

    name: str
    runs: tuple[str, ...]
    values: Mapping[Measure, np.ndarray]

    @property
    def topics(self) -> int:
        """The number of topics."""
        return int(next(iter(self.values.values())).shape[1])

    def thinned(self, most_runs: int) -> Population:
        """At most so many runs, at even steps through the names."""
        places = np.linspace(0, len(self.runs) - 1, min(most_runs, len(self.runs)))
        chosen = np.unique(places.round().astype(int))
        names = tuple(self.runs[number] for number in chosen)
        values = {measure: matrix[chosen] for measure, matrix in self.values.items()}
        return Population(self.name, names, values)


def of_runs(folder: Path, measures: Sequence[str]) -> Population:
    """The population of a folder with ``qrels.txt`` and ``runs/``."""
    runs = {path.name: path for path in sorted((folder / "runs").iterdir())}
    parsed = [parse_measure(text) for text in measures]
    evaluation = evaluate(folder / "qrels.txt", runs, parsed)
    values = {measure: evaluation.paired(measure) for measure in evaluation.measures}
    return Population(folder.name, evaluation.runs, values)


def of_trec_eval(folder: Path, measures: Sequence[str]) -> Population:
    """The population of a folder, perhaps with folders, of outputs of ``trec_eval -q``.

    A file is named after its run. RR@10 and Success@5 are computed from the reciprocal rank. Of
    runs with equal values, the first is kept.
    """
    by_run: dict[str, dict[str, dict[str, float]]] = {}
    for path in sorted(folder.rglob("*.*eval")):
        for line in path.read_text().splitlines():
            name, topic, value = line.split()
            if name in PUBLISHED and topic != "all":
                by_measure = by_run.setdefault(path.stem, {})
                by_measure.setdefault(PUBLISHED[name], {})[topic] = float(value)
    topics = sorted({topic for values in by_run.values() for topic in values["AP"]})
    arrays: dict[str, np.ndarray] = {}
    for name in PUBLISHED.values():
        rows = []
        for values in by_run.values():
            of_measure = values.get(name, {})
            rows.append([of_measure.get(topic, 0.0) for topic in topics])
        arrays[name] = np.array(rows)
    reciprocal = arrays["RR@10"]
    arrays[SUCCESS] = (reciprocal >= 0.2 - 1e-9).astype(float)
    arrays["RR@10"] = np.where(reciprocal >= 0.1 - 1e-9, reciprocal, 0.0)
    _, first = np.unique(arrays["AP"], axis=0, return_index=True)
    kept = np.sort(first)
    names = list(by_run)
    chosen = {parse_measure(name): arrays[name][kept] for name in measures if name in arrays}
    return Population(folder.name, tuple(names[number] for number in kept), chosen)


def weights_for(constraints: np.ndarray) -> np.ndarray | None:
    """The weights of topics (T) nearest to equal ones that make all weighted means 0.

    `constraints` is an array (constraints × T). None if there are no such weights, or if they leave
    too few topics.
    """
    scale = np.abs(constraints).max(axis=1, keepdims=True)
    rows = constraints / np.where(scale == 0, 1, scale)
    topics = rows.shape[1]
    if len(rows) == 1:
        return _tilted(rows[0])
    equalities = np.vstack([rows, np.ones(topics)])
    goal = np.append(np.zeros(len(rows)), 1.0)
    # No topic may have more than a share that leaves too few of them.
    most = 1 / LEAST_EFFECTIVE_TOPICS
    if linprog(np.zeros(topics), A_eq=equalities, b_eq=goal, bounds=(0, most)).status != 0:
        return None

    def dual(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        exponents = parameters @ rows
        return float(logsumexp(exponents)), rows @ softmax(exponents)

    start = np.zeros(len(rows))
    result = minimize(dual, start, jac=True, method="L-BFGS-B", options=CONVERGENCE)
    weights = softmax(result.x @ rows)
    return _accepted(weights, rows)


def _tilted(row: np.ndarray) -> np.ndarray | None:
    """The weights for a single constraint, whose weighted mean grows with the tilt."""
    if not row.min() < 0 < row.max():
        if row.any():
            return None
        return np.full(row.size, 1 / row.size)
    tilt = brentq(lambda factor: float(row @ softmax(factor * row)), -STEEPEST, STEEPEST)
    return _accepted(softmax(tilt * row), row[None])


def _accepted(weights: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """The weights, if they fulfil the constraints and leave enough topics."""
    if not np.abs(rows @ weights).max() <= TOLERANCE:
        return None
    if effective_topics(weights) < LEAST_EFFECTIVE_TOPICS:
        return None
    return weights


def effective_topics(weights: np.ndarray) -> float:
    """The number of topics of equal weight whose mean is as exact."""
    return float(1 / (weights**2).sum())


def equal_means(values: np.ndarray, most_runs: int) -> tuple[np.ndarray, np.ndarray]:
    """The runs (numbers) that can have equal means, and the weights of topics that make them so.

    Five windows of `most_runs` neighbours by their means are tried, and the one that leaves most
    topics is taken. If there is none, windows of fewer runs are tried.
    """
    by_mean = np.argsort(values.mean(axis=1))
    sizes = [size for size in NUMBERS_OF_RUNS if size < most_runs]
    for size in (min(most_runs, len(values)), *sizes):
        best = None
        for start in np.linspace(0, len(values) - size, 5).astype(int):
            window = by_mean[start : start + size]
            weights = weights_for(values[window[1:]] - values[window[0]])
            if weights is None:
                continue
            if best is None or effective_topics(weights) > effective_topics(best[1]):
                best = (window, weights)
        if best is not None:
            return best
    raise SystemExit("no two runs can have equal means")


def pairs_of(runs: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    """All pairs of runs in random order, each in a random direction."""
    pairs = list(combinations(range(runs), 2))
    generator.shuffle(pairs)
    return [pair if generator.random() < 0.5 else pair[::-1] for pair in pairs]


def samples(
    generator: np.random.Generator, weights: np.ndarray, size: int, trials: int
) -> Iterator[np.ndarray]:
    """The numbers of the topics of each sample."""
    cumulated = weights.cumsum()
    for _ in range(trials):
        yield np.searchsorted(cumulated / cumulated[-1], generator.random(size), side="right")


def reweighted_pairs(
    matrix: np.ndarray, generator: np.random.Generator, constraint: object
) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """The pairs of runs that weights of topics bring to a hypothesis, with these weights.

    `constraint` maps the values of both runs to those whose mean is to be 0.
    """
    for first, second in pairs_of(len(matrix), generator):
        weights = weights_for(constraint(matrix[first], matrix[second])[None])
        if weights is not None:
            yield (first, second), weights
