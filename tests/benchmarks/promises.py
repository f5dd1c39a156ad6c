"""Measures again what the pages promise about compare, power, gate, collections and estimate.

    python tests/benchmarks/promises.py compare --trials 400
    python tests/benchmarks/promises.py gate --data FOLDER --measures nDCG@10 AP

You run it by hand; a command prints the measured value beside that of the page. FOLDER has
``qrels.txt`` and ``runs/``, by default the 24 runs of TREC 2021 Deep Learning beside the project.

Samples of topics are drawn with replacement from the topics of these runs, which are the
population. A hypothesis such as "all means are equal" is made true by weights of the topics, and
not by a shift of the values: shifted values are no values of the measure, and ties become constant
differences. The weights are those nearest to equal ones (exponential tilting). Where no weights
make the hypothesis true, runs are left out, and the program says how many are left.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, softmax

from ir_measures_graded import parse_measure
from ir_measures_graded.analysis import Evaluation, compare_collections, evaluate, gate
from ir_measures_graded.analysis.comparing.families import width_of
from ir_measures_graded.analysis.judging.estimate import estimate
from ir_measures_graded.analysis.judging.panel import answers_in
from ir_measures_graded.analysis.statistics.primary import paired
from ir_measures_graded.analysis.statistics.student import detectable_effect
from ir_measures_graded.core.registry.facts import sign_of

DATA = Path(__file__).parents[3] / "shared" / "data" / "dl21-passage"
MEASURES = ["nDCG_JK@10", "AP", "P@10", "RR@10", "Success@5", "ESL"]
SIZES = [10, 25, 50, 200]
TOLERANCE = 1e-6
CONVERGENCE = {"maxiter": 500, "maxfun": 1000, "ftol": 1e-15, "gtol": 1e-9}
LEAST_EFFECTIVE_TOPICS = 10
"""Weights that leave fewer topics are no population."""


@dataclass(frozen=True)
class Line:
    """A promise: what was measured, in how many trials, and the value on the page."""

    what: str
    measured: float
    trials: int
    page: str

    def __str__(self) -> str:
        error = (self.measured * (1 - self.measured) / max(self.trials, 1)) ** 0.5
        return f"{self.what:<78} {self.measured:.3f} ± {error:.3f}   page: {self.page}"


def weights_for(constraints: np.ndarray) -> np.ndarray | None:
    """The weights of topics (T) nearest to equal ones that make all weighted means 0.

    `constraints` is an array (constraints × T). None if there are no such weights, or if they leave
    too few topics.
    """
    scale = np.abs(constraints).max(axis=1, keepdims=True)
    rows = constraints / np.where(scale == 0, 1, scale)
    topics = rows.shape[1]
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
    if not np.abs(rows @ weights).max() <= TOLERANCE:
        return None
    if 1 / (weights**2).sum() < LEAST_EFFECTIVE_TOPICS:
        return None
    return weights


def equal_means(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The runs (numbers) that can have equal means, and the weights of topics that make them so.

    The run farthest from the mean of the others is left out until there are weights.
    """
    kept = np.arange(len(values))
    while len(kept) > 1:
        runs = values[kept]
        weights = weights_for(runs[1:] - runs[0])
        if weights is not None:
            return kept, weights
        means = runs.mean(axis=1)
        kept = np.delete(kept, np.abs(means - np.median(means)).argmax())
    raise SystemExit("no two runs can have equal means")


def samples(
    generator: np.random.Generator, weights: np.ndarray, size: int, trials: int
) -> Iterator[np.ndarray]:
    """The numbers of the topics of each sample."""
    for _ in range(trials):
        yield generator.choice(weights.size, size, p=weights)


def on_compare(values: Evaluation, options: argparse.Namespace) -> Iterator[Line]:
    """Family error of compare, and coverage of its intervals, together and one by one."""
    generator = np.random.default_rng(options.seed)
    for measure in values.measures:
        matrix = values.paired(measure)
        width = width_of(measure)
        kept, weights = equal_means(matrix)
        effective = 1 / (weights**2).sum()
        for size in options.sizes:
            pairs = list(combinations(range(len(kept)), 2))
            errors = 0
            for topics in samples(generator, weights, size, options.trials):
                tests = paired(matrix[kept][:, topics], pairs, width=width)
                errors += bool((tests.adjusted < 0.05).any())
            about = f"{measure}, {size} topics, {len(kept)} runs ({effective:.0f} topics by weight)"
            yield Line(f"family error: {about}", errors / options.trials, options.trials, "0.05")
            pairs = list(combinations(range(len(matrix)), 2))
            first, second = np.array(pairs).T
            truth = (matrix[first] - matrix[second]).mean(axis=1)
            together = 0
            covered = []
            equal = np.full(matrix.shape[1], 1 / matrix.shape[1])
            for topics in samples(generator, equal, size, options.trials):
                drawn = matrix[:, topics]
                tests = paired(drawn, pairs, width=width)
                together += bool(_holds(tests.lower, tests.upper, truth).all())
                single = paired(drawn, pairs, width=width, correction="none")
                covered.append(_holds(single.lower, single.upper, truth).mean())
            rate = together / options.trials
            page = {"Success@5": ".99", "RR@10": ".97", "AP": ".88", "nDCG_JK@10": ".94"}
            said = page.get(str(measure), ".95") if size == 50 else ".95"
            yield Line(
                f"simultaneous coverage: {measure}, {size} topics", rate, options.trials, said
            )
            share = float(np.mean(covered))
            yield Line(f"single coverage: {measure}, {size} topics", share, options.trials, "0.95")


def _holds(lower: np.ndarray, upper: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether intervals hold the truth; one that is missing claims nothing."""
    is_missing = np.isnan(lower)
    return is_missing | ((lower <= truth + 1e-12) & (truth - 1e-12 <= upper))


def on_power(values: Evaluation, options: argparse.Namespace) -> Iterator[Line]:
    """How often a difference of the size of the MDE is found, over pairs of runs.

    The MDE is that of the population, so that its own error plays no part.
    """
    generator = np.random.default_rng(options.seed)
    page = {"Success@5": ".44", "RR@10": ".60", "nDCG_JK@10": ".71 to .80", "AP": ".71 to .80"}
    for measure in values.measures:
        matrix = values.paired(measure)
        for size in options.sizes:
            effect = detectable_effect(size)
            found = []
            for run, other in combinations(range(len(matrix)), 2):
                differences = matrix[run] - matrix[other]
                wanted = effect * differences.std(ddof=1)
                weights = weights_for((differences - wanted)[None])
                if weights is None:
                    continue
                for topics in samples(generator, weights, size, options.trials // 20 or 1):
                    tests = paired(
                        matrix[[run, other]][:, topics], [(0, 1)], width=width_of(measure)
                    )
                    found.append(bool(tests.p[0] < 0.05))
            if found:
                about = f"found at the MDE: {measure}, {size} topics"
                yield Line(about, float(np.mean(found)), len(found), page.get(str(measure), ".8"))


def on_gate(values: Evaluation, options: argparse.Namespace) -> Iterator[Line]:
    """How often the gate holds for a run that is worse by exactly the margin, and for equal runs at
    the number of topics that it names as needed."""
    generator = np.random.default_rng(options.seed)
    for measure in values.measures:
        if sign_of(measure) < 0:
            continue
        matrix = values.paired(measure)
        pairs = list(combinations(range(len(matrix)), 2))
        generator.shuffle(pairs)
        for margin in (0.02, 0.05, 0.1):
            for size in options.sizes:
                verdicts = _verdicts(
                    measure, matrix, pairs, margin, size, options.trials, generator
                )
                if verdicts:
                    about = f"holds, worse by {margin:.0%}: {measure}, {size} topics"
                    held = float(np.mean([verdict == "holds" for verdict in verdicts]))
                    yield Line(about, held, len(verdicts), "at most .05")
        yield from _at_needed(measure, matrix, pairs, options.trials, generator)


def _verdicts(
    measure: object,
    matrix: np.ndarray,
    pairs: list[tuple[int, int]],
    margin: float,
    size: int,
    trials: int,
    generator: np.random.Generator,
) -> list[str]:
    """The verdicts on pairs of which the second run is worse by the margin."""
    verdicts = []
    for old, new in pairs * (1 + trials // len(pairs)):
        weights = weights_for((matrix[new] - (1 - margin) * matrix[old])[None])
        if weights is None:
            continue
        (topics,) = samples(generator, weights, size, 1)
        verdicts.append(_gate(measure, matrix[[old, new]][:, topics], margin).verdict)
        if len(verdicts) == trials:
            break
    return verdicts


def _gate(measure: object, matrix: np.ndarray, margin: float) -> object:
    """The gate on the values of the old and the new run."""
    topics = tuple(map(str, range(matrix.shape[1])))
    evaluation = Evaluation(("old", "new"), (measure,), topics, matrix[:, None])
    return gate(evaluation, margin=f"{100 * margin:g}%")


def _at_needed(
    measure: object,
    matrix: np.ndarray,
    pairs: list[tuple[int, int]],
    trials: int,
    generator: np.random.Generator,
) -> Iterator[Line]:
    """How often equal runs hold with as many topics as a first sample of 50 names as needed."""
    held = []
    for old, new in pairs * (1 + trials // len(pairs)):
        weights = weights_for((matrix[new] - matrix[old])[None])
        if weights is None:
            continue
        (topics,) = samples(generator, weights, 50, 1)
        needed = _gate(measure, matrix[[old, new]][:, topics], 0.05).verdicts[0].needed
        if needed is None or needed > 5000:
            continue
        (topics,) = samples(generator, weights, needed, 1)
        held.append(_gate(measure, matrix[[old, new]][:, topics], 0.05).verdict == "holds")
        if len(held) == trials:
            break
    page = ".64 to .67" if str(measure) == "RR@10" else ".76 to .80"
    if held:
        yield Line(f"equal runs hold at needed: {measure}", float(np.mean(held)), len(held), page)


def on_collections(values: Evaluation, options: argparse.Namespace) -> Iterator[Line]:
    """Coverage of the intervals over collections like these, whose true differences vary."""
    generator = np.random.default_rng(options.seed)
    measure = values.measures[0]
    matrix = values.paired(measure)
    pairs = list(combinations(range(len(matrix)), 2))
    for count in (3, 6, 18):
        for deviation, odd in ((0.0, 0.0), (0.03, 0.0), (0.0, 0.15)):
            covered = []
            for _ in range(options.trials):
                run, other = pairs[generator.integers(len(pairs))]
                base = matrix[other] - matrix[run]
                effects = generator.normal(0, deviation, count)
                if odd and generator.random() < count / 6:
                    effects[0] += odd
                rows = {}
                for number, effect in enumerate(effects):
                    size = int(generator.integers(10, 501))
                    topics = generator.integers(0, base.size, size)
                    old = matrix[run][topics]
                    new = old + base[topics] - base.mean() + effect
                    names = tuple(map(str, range(size)))
                    stacked = np.stack([old, new])[:, None]
                    rows[f"c{number}"] = Evaluation(("old", "new"), (measure,), names, stacked)
                found = compare_collections(rows)
                (test,) = found.find(found.measures[0], "collections like these")
                truth = odd / 6
                covered.append(test.lower is None or test.lower <= truth <= test.upper)
            about = f"{count} collections, SD {deviation:g}" + (
                f", one in six off by {odd}" if odd else ""
            )
            page = ".81 to .87" if odd else ".942 to .967"
            yield Line(f"coverage: {about}", float(np.mean(covered)), options.trials, page)


def on_estimate(values: Evaluation, options: argparse.Namespace) -> Iterator[Line]:
    """Coverage of the combined estimate of a run's mean, with a noisy machine judge."""
    generator = np.random.default_rng(options.seed)
    human, _ = answers_in(options.data / "qrels.txt")
    levels = sorted({level for judged in human.values() for level in judged.values()})
    machine = {}
    for topic, judged in human.items():
        machine[topic] = dict(judged)
        for document in judged:
            if generator.random() < 0.3:
                machine[topic][document] = levels[generator.integers(len(levels))]
    runs = {path.name: path for path in sorted((options.data / "runs").iterdir())[:4]}
    for measure in values.measures:
        by_human = evaluate(human, runs, [measure])
        truth = dict(zip(by_human.runs, by_human.means()[:, 0], strict=True))
        for size in (10, 25):
            covered: dict[str, list[float]] = {"human": [], "combined": []}
            for _ in range(options.trials):
                chosen = generator.choice(list(human), size, replace=False)
                judged = {topic: human[topic] for topic in chosen}
                result = estimate(judged, machine, runs, [measure])
                for judge, shares in covered.items():
                    held = []
                    for record in result.records():
                        if record["judge"] == judge and record["lower"] is not None:
                            held.append(record["lower"] <= truth[record["run"]] <= record["upper"])
                    if held:
                        shares.append(float(np.mean(held)))
            for judge, shares in covered.items():
                if shares:
                    about = f"coverage, {judge}: {measure}, {size} human topics of {len(human)}"
                    page = {"AP": ".914 to .923", "RR@10": ".68 to .93", "Success@5": ".59 to .87"}
                    said = page.get(str(measure), ".93 to .96")
                    yield Line(about, float(np.mean(shares)), len(shares), said)


COMMANDS: dict[str, Callable[[Evaluation, argparse.Namespace], Iterator[Line]]] = {
    "compare": on_compare,
    "power": on_power,
    "gate": on_gate,
    "collections": on_collections,
    "estimate": on_estimate,
}


def main(words: list[str] | None = None) -> None:
    """Print each promise as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with qrels.txt and runs/")
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="numbers of topics")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most_runs", type=int, default=24)
    options = parser.parse_args(words)
    warnings.simplefilter("ignore")
    runs = {path.name: path for path in sorted((options.data / "runs").iterdir())}
    names = list(runs)[: options.most_runs]
    chosen = {name: runs[name] for name in names}
    measures = [parse_measure(text) for text in options.measures]
    values = evaluate(options.data / "qrels.txt", chosen, measures)
    print(f"{len(names)} runs, {len(values.topics)} topics, seed {options.seed}")
    for line in COMMANDS[options.command](values, options):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
