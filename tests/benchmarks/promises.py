"""Measures again what the pages promise about comparisons, the gate, estimates and judges.

    python tests/benchmarks/promises.py gate --data FOLDER --measures nDCG@10 AP
    python tests/benchmarks/promises.py family --trec_eval FOLDER --trials 2000

You run it by hand. A command prints a row of a table for each setting: what was measured, on which
values, the wanted rate, and the measured one with its standard error. A folder of `--data` has
``qrels.txt`` and ``runs/``, by default the 24 runs of TREC 2021 Deep Learning beside the project. A
folder of `--trec_eval` has outputs of ``trec_eval -q``, such as ``TREC-DLs-results/dl2022`` of
SynDL's repository (https://github.com/rahmanidashti/SynDL).

Samples of topics are drawn with replacement from the topics of these runs, which are the
population; `populations` tells how a hypothesis is made true.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from ir_measures import Measure
from many_samples import gates_in, tests_in
from populations import (
    Population,
    effective_topics,
    equal_means,
    of_runs,
    of_trec_eval,
    pairs_of,
    reweighted_pairs,
    samples,
    weights_for,
)
from promises_on_judges import Outcome, on_estimate, on_favours, on_holes, on_kappa

from ir_measures_graded.analysis import Evaluation
from ir_measures_graded.analysis.comparing.families import width_of
from ir_measures_graded.analysis.gating.verdict import (
    HOLDS,
    WORSE,
    Margin,
    Part,
    Rule,
    Verdict,
    verdicts_of,
)
from ir_measures_graded.analysis.mean_intervals import intervals
from ir_measures_graded.analysis.statistics.defaults import (
    ALPHA,
    CONFIDENCE,
    LEAST_TESTED_TOPICS,
)
from ir_measures_graded.analysis.statistics.primary import paired, paired_in_parts
from ir_measures_graded.analysis.statistics.resampling import bootstrap
from ir_measures_graded.analysis.statistics.student import (
    heterogeneity,
    stratified_t,
    t_of_means,
)
from ir_measures_graded.analysis.statistics.tests import alexander_govern
from ir_measures_graded.core.registry.facts import sign_of

DATA = Path(__file__).parents[3] / "shared" / "data" / "dl21-passage"
MEASURES = ["nDCG@10", "AP", "P@10", "RR@10", "Success@5", "ESL"]
SIZES = [10, 25, 50, 200]
MARGINS = (0.02, 0.05, 0.1)
PAIRS_A_CELL = 100
"""A rate over pairs of runs is that over so many random pairs."""
GATE_LEVEL = 0.05
NEEDED_FROM = 50
MOST_NEEDED = 5000
NUMBER_OF_GROUPS = 3
GROUP_SIZE = 50
RESAMPLES_OF_BANDS = 1000
SAMPLES_OF_A_PILOT = 20
NUMBERS_OF_COLLECTIONS = (3, 6, 18)
KINDS_OF_COLLECTIONS = {"equal": (0.0, 0.0), "SD .03": (0.03, 0.0), "one in six +.15": (0.0, 0.15)}


@dataclass(frozen=True)
class Line:
    """A row: the promise, the values, the setting, the wanted rate, and the outcome of each trial.

    A trial whose outcome is a share counts as one.
    """

    promise: str
    data: str
    setting: str
    wanted: str
    outcomes: Sequence[float]

    def __str__(self) -> str:
        outcomes = np.array(self.outcomes, dtype=float)
        rate = f"{outcomes.mean():.3f}"
        if outcomes.size > 1:
            error = outcomes.std(ddof=1) / outcomes.size**0.5
            rate += f" ± {error:.3f}"
        rate += f" ({outcomes.size:,})"
        return f"| {self.promise} | {self.data} | {self.setting} | {self.wanted} | {rate} |"


Lines = Iterator[Line]


def on_family(population: Population, options: argparse.Namespace) -> Lines:
    """How often compare calls any difference of runs with equal means significant."""
    generator = np.random.default_rng(options.seed)
    for measure, matrix in population.values.items():
        chosen, weights = equal_means(matrix, options.most_runs)
        pairs = list(combinations(range(len(chosen)), 2))
        about = f"{len(chosen)} runs, {effective_topics(weights):.0f} topics by weight"
        for size in options.sizes:
            counts = generator.multinomial(size, weights, options.trials)
            tests = tests_in(measure, matrix[chosen], pairs, counts)
            errors = (tests.adjusted < ALPHA).any(axis=1)
            setting = f"{measure}, {size} topics, {about}"
            yield Line("family error of compare", population.name, setting, "≤ .05", errors)


def on_coverage(population: Population, options: argparse.Namespace) -> Lines:
    """How often the intervals of all pairs hold together."""
    generator = np.random.default_rng(options.seed)
    thinned = population.thinned(options.most_runs)
    equal = np.full(thinned.topics, 1 / thinned.topics)
    for measure, matrix in thinned.values.items():
        pairs = list(combinations(range(len(matrix)), 2))
        first, second = np.array(pairs).T
        truth = (matrix[first] - matrix[second]).mean(axis=1)
        for size in options.sizes:
            counts = generator.multinomial(size, equal, options.trials)
            tests = tests_in(measure, matrix, pairs, counts)
            together = _hold(tests.lower, tests.upper, truth).all(axis=1)
            setting = f"{measure}, {size} topics, {len(matrix)} runs{_missing(tests.lower)}"
            yield Line("intervals hold together", thinned.name, setting, ".95", together)


def _missing(lower: np.ndarray) -> str:
    """The share of intervals that are missing, in words; empty without any."""
    share = float(np.isnan(lower).mean())
    return f", {share:.0%} have no interval" if share > 0 else ""


def on_single(population: Population, options: argparse.Namespace) -> Lines:
    """The coverage of the interval of one difference, and of one mean, over pairs and runs.

    A share of a pair or of a sample counts as one trial, so that errors are those over pairs.
    """
    generator = np.random.default_rng(options.seed)
    equal = np.full(population.topics, 1 / population.topics)
    for measure, matrix in population.values.items():
        for size in options.sizes:
            covered = []
            lowers = []
            for pair in pairs_of(len(matrix), generator)[:PAIRS_A_CELL]:
                counts = generator.multinomial(size, equal, options.trials)
                tests = tests_in(measure, matrix[list(pair)], [(0, 1)], counts)
                truth = np.array([matrix[pair[0]].mean() - matrix[pair[1]].mean()])
                covered.append(float(_hold(tests.lower, tests.upper, truth).mean()))
                lowers.append(tests.lower)
            setting = (
                f"{measure}, {size} topics, {len(covered)} pairs of {options.trials:,} samples"
            )
            setting += _missing(np.array(lowers))
            yield Line("interval of one difference", population.name, setting, ".95", covered)
            if sign_of(measure) > 0:
                trials = max(2, options.trials // 4)
                chosen = population.thinned(options.most_runs).values[measure]
                yield _of_means(population, measure, chosen, size, trials, generator)


def _of_means(
    population: Population,
    measure: Measure,
    matrix: np.ndarray,
    size: int,
    trials: int,
    generator: np.random.Generator,
) -> Line:
    """The coverage of the intervals of the means of runs."""
    equal = np.full(population.topics, 1 / population.topics)
    names = tuple(map(str, range(size)))
    truth = matrix.mean(axis=1)
    runs = tuple(map(str, range(len(matrix))))
    covered = []
    for topics in samples(generator, equal, size, trials):
        evaluation = Evaluation(runs, (measure,), names, matrix[:, topics][:, None])
        bounds = intervals(evaluation)
        covered.append(float(_hold(bounds.lower[:, 0], bounds.upper[:, 0], truth).mean()))
    setting = f"{measure}, {size} topics, {len(runs)} runs"
    return Line("interval of one mean", population.name, setting, ".95", covered)


def _trials_a_pair(options: argparse.Namespace) -> int:
    """The number of samples of each of the pairs of a cell."""
    return max(1, options.trials // PAIRS_A_CELL)


def _hold(lower: np.ndarray, upper: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether intervals hold the truth; one that is missing claims nothing."""
    is_missing = np.isnan(lower)
    return is_missing | ((lower <= truth + 1e-12) & (truth - 1e-12 <= upper))


def on_power(population: Population, options: argparse.Namespace) -> Lines:
    """How often as many new topics find a true difference of the size of a printed MDE.

    A sample of a pair gives the MDE. The topics are then reweighted to that difference, and other
    samples are tested. Where no MDE is printed, nothing is promised.
    """
    generator = np.random.default_rng(options.seed)
    equal = np.full(population.topics, 1 / population.topics)
    for measure, matrix in population.values.items():
        pairs = pairs_of(len(matrix), generator)
        for size in options.sizes:
            shares_found = []
            shares_without = []
            for trial in range(options.trials):
                runs = matrix[list(pairs[trial % len(pairs)])]
                (topics,) = samples(generator, equal, size, 1)
                pilot = paired(runs[:, topics], [(0, 1)], width=width_of(measure))
                (detectable,) = pilot.detectable
                shares_without.append(float(np.isnan(detectable)))
                if not detectable > 0:
                    continue
                weights = weights_for((runs[0] - runs[1] - detectable)[None])
                if weights is None:
                    continue
                counts = generator.multinomial(size, weights, SAMPLES_OF_A_PILOT)
                tests = tests_in(measure, runs, [(0, 1)], counts)
                shares_found.append(float(((tests.p < ALPHA) & (tests.difference > 0)).mean()))
            without = f"{np.mean(shares_without):.0%} of samples have no MDE"
            setting = f"{measure}, {size} topics, {without}"
            yield Line("found at the MDE", population.name, setting, ".80", shares_found)


def on_gate(population: Population, options: argparse.Namespace) -> Lines:
    """How often the gate holds for a run that is worse by exactly the margin.

    Samples without any change are counted by themselves, because a run that equals the old one in
    every topic holds.
    """
    generator = np.random.default_rng(options.seed)
    for measure, matrix in population.values.items():
        if sign_of(measure) < 0:
            continue
        for margin in MARGINS:
            worse = list(_worse_by(matrix, generator, margin))
            trials = options.trials // len(worse) or 1
            for size in options.sizes:
                holds: list[bool] = []
                unchanged: list[bool] = []
                for (old, new), weights in worse:
                    counts = generator.multinomial(size, weights, trials)
                    gates = gates_in(measure, matrix[old], matrix[new], margin, GATE_LEVEL, counts)
                    holds += gates.holds.tolist()
                    unchanged += (gates.holds & (gates.changed == 0)).tolist()
                setting = f"{measure}, worse by {margin:.0%}, {size} topics, {len(worse)} pairs"
                if any(unchanged):
                    setting += f"; {np.mean(unchanged):.3f} without any change"
                yield Line("gate holds", population.name, setting, "≤ .05", holds)


def _worse_by(
    matrix: np.ndarray, generator: np.random.Generator, margin: float
) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """At most `PAIRS_A_CELL` pairs (old, new) whose second run is worse by exactly the margin."""

    def loss(old: np.ndarray, new: np.ndarray) -> np.ndarray:
        return new - (1 - margin) * old

    for number, pair in enumerate(reweighted_pairs(matrix, generator, loss)):
        if number == PAIRS_A_CELL:
            return
        yield pair


def _verdicts(
    measure: Measure,
    runs: np.ndarray,
    sampled: Iterator[np.ndarray],
    margin: float,
    looks: int = 1,
) -> Iterator[Verdict]:
    """The verdict of the gate in each sample."""
    rule = Rule(Margin.of(f"{100 * margin:g}%"), GATE_LEVEL / looks, equivalent=False)
    for topics in sampled:
        (verdict,) = verdicts_of([Part.of_all(_evaluation(measure, runs[:, topics]))], rule)
        yield verdict


def _evaluation(measure: Measure, runs: np.ndarray) -> Evaluation:
    """The values of an old and a new run."""
    topics = tuple(map(str, range(runs.shape[1])))
    return Evaluation(("old", "new"), (measure,), topics, runs[:, None])


def on_needed(population: Population, options: argparse.Namespace) -> Lines:
    """How often equal runs hold with as many topics as a sample of 50 names as needed."""
    generator = np.random.default_rng(options.seed)
    margin = 0.05
    for measure, matrix in population.values.items():
        if sign_of(measure) < 0:
            continue
        holds = []
        equal = list(_worse_by(matrix, generator, 0.0))
        for pair, weights in equal:
            trials = options.trials // len(equal) or 1
            first_samples = samples(generator, weights, NEEDED_FROM, trials)
            for verdict in _verdicts(measure, matrix[list(pair)], first_samples, margin):
                if verdict.needed is None or verdict.needed > MOST_NEEDED:
                    continue
                again = samples(generator, weights, verdict.needed, 1)
                (second,) = _verdicts(measure, matrix[list(pair)], again, margin)
                holds.append(float(second.verdict == HOLDS))
        if holds:
            setting = f"{measure}, margin {margin:.0%}, first sample of {NEEDED_FROM} topics"
            yield Line("equal runs hold at needed", population.name, setting, ".80", holds)


def on_looks(population: Population, options: argparse.Namespace) -> Lines:
    """How often a run that is worse by the margin holds at one of two looks, the second one with
    the topics that the first names as needed, at the level of two looks."""
    generator = np.random.default_rng(options.seed)
    margin = 0.05
    for measure, matrix in population.values.items():
        if sign_of(measure) < 0:
            continue
        for looks in (1, 2):
            holds = []
            worse = list(_worse_by(matrix, generator, margin))
            for pair, weights in worse:
                runs = matrix[list(pair)]
                trials = options.trials // len(worse) or 1
                for topics in samples(generator, weights, NEEDED_FROM, trials):
                    (verdict,) = _verdicts(measure, runs, iter([topics]), margin, looks)
                    needed = verdict.needed
                    if needed is not None and NEEDED_FROM < needed <= MOST_NEEDED:
                        (more,) = samples(generator, weights, needed - NEEDED_FROM, 1)
                        both = np.append(topics, more)
                        (verdict,) = _verdicts(measure, runs, iter([both]), margin, looks)
                    holds.append(float(verdict.verdict == HOLDS))
            setting = (
                f"{measure}, worse by {margin:.0%}, again with the needed topics, looks {looks}"
            )
            wanted = "≤ .05" if looks == 2 else "not promised"
            yield Line("gate holds", population.name, setting, wanted, holds)


def on_groups(population: Population, options: argparse.Namespace) -> Lines:
    """`--every_group`: equal runs by three measures in three groups; and a run that is worse by the
    margin in one of three groups."""
    generator = np.random.default_rng(options.seed)
    margin = 0.05
    rule = Rule(Margin.of("5%"), GATE_LEVEL, equivalent=False)
    chosen = [measure for measure in population.values if sign_of(measure) > 0][:3]
    arrays = np.stack([population.values[measure] for measure in chosen])
    size = NUMBER_OF_GROUPS * GROUP_SIZE
    names = tuple(map(str, range(size)))
    groups = np.split(np.arange(size), NUMBER_OF_GROUPS)
    called_worse = []
    holds = []
    pairs = pairs_of(len(population.runs), generator)
    for old, new in pairs:
        differences = arrays[:, new] - arrays[:, old]
        equal = weights_for(differences)
        loss = arrays[:, new] - (1 - margin) * arrays[:, old]
        worse = weights_for(loss)
        if equal is None or worse is None:
            continue
        for _ in range(_trials_a_pair(options)):
            (topics,) = samples(generator, equal, size, 1)
            (lost,) = samples(generator, worse, GROUP_SIZE, 1)
            for number, outcomes in enumerate((called_worse, holds)):
                chosen_topics = topics.copy()
                if number:
                    chosen_topics[:GROUP_SIZE] = lost
                values = arrays[:, [old, new]][:, :, chosen_topics].transpose(1, 0, 2)
                evaluation = Evaluation(("old", "new"), tuple(chosen), names, values)
                parts = [Part.of_all(evaluation)]
                parts += [Part.of_group(str(rows[0]), rows, evaluation) for rows in groups]
                kinds = {verdict.verdict for verdict in verdicts_of(parts, rule)}
                if number:
                    outcomes.append(float(kinds == {HOLDS}))
                else:
                    outcomes.append(float(WORSE in kinds))
        if len(called_worse) >= options.trials:
            break
    measures = ", ".join(map(str, chosen))
    about = f"{measures}; {NUMBER_OF_GROUPS} groups of {GROUP_SIZE} topics"
    yield Line("--every_group, equal: worse", population.name, about, "≤ .05", called_worse)
    yield Line("--every_group, one group −5 %: holds", population.name, about, "≤ .05", holds)


def on_halves(population: Population, options: argparse.Namespace) -> Lines:
    """How often halves of the topics show a difference of equal runs, or between the halves.

    Runs are made equal by swapping their values in random topics.
    """
    generator = np.random.default_rng(options.seed)
    equal = np.full(population.topics, 1 / population.topics)
    for measure, matrix in population.values.items():
        pairs = pairs_of(len(matrix), generator)
        for size in options.sizes:
            if size < 2 * LEAST_TESTED_TOPICS:
                continue
            inside: dict[str, list[float]] = {"its own values": [], "other runs' values": []}
            between: dict[str, list[float]] = {key: [] for key in inside}
            for trial in range(options.trials):
                pair = pairs[trial % len(pairs)]
                (topics,) = samples(generator, equal, size, 1)
                sample = matrix[:, topics]
                is_swapped = generator.random(size) < 0.5
                first = np.where(is_swapped, sample[pair[1]], sample[pair[0]])
                second = np.where(is_swapped, sample[pair[0]], sample[pair[1]])
                others = np.delete(sample, pair, axis=0).mean(axis=0)
                for key, values in (("its own values", first), ("other runs' values", others)):
                    order = np.argsort(values, kind="stable")
                    halves = np.split(order, [size // 2])
                    parts = [np.stack([first, second])[:, half] for half in halves]
                    tests = paired_in_parts(parts, [(0, 1)], ALPHA, width=width_of(measure))
                    inside[key].append(float(any(test.adjusted[0] < ALPHA for test in tests)))
                    difference = alexander_govern((first, second) for first, second in parts)
                    between[key].append(float(difference.p is not None and difference.p < ALPHA))
            for key in inside:
                setting = f"{measure}, {size} topics, halves by {key}"
                wanted = "not promised" if key == "its own values" else "≤ .05"
                yield Line("difference in a half", population.name, setting, wanted, inside[key])
                yield Line("between the halves", population.name, setting, wanted, between[key])


def on_bands(population: Population, options: argparse.Namespace) -> Lines:
    """Coverage of the bands of `curves` at a rank."""
    generator = np.random.default_rng(options.seed)
    equal = np.full(population.topics, 1 / population.topics)
    for measure, matrix in population.values.items():
        truth = matrix.mean(axis=1)
        for size in options.sizes:
            covered = []
            for trial, topics in enumerate(samples(generator, equal, size, options.trials)):
                run = trial % len(matrix)
                values = matrix[run, topics][None]
                lower, upper = bootstrap(
                    [values], np.mean, CONFIDENCE, RESAMPLES_OF_BANDS, trial, "percentile"
                )
                covered.append(float(_hold(lower, upper, truth[run]).all()))
            yield Line(
                "band of a curve", population.name, f"{measure}, {size} topics", ".95", covered
            )


def over_collections(populations: Sequence[Population], options: argparse.Namespace) -> Lines:
    """Coverage over collections like these, and the error of the test of heterogeneity.

    Each collection is a pair of runs of one of the populations, whose topics are reweighted to the
    difference that this collection has.
    """
    generator = np.random.default_rng(options.seed)
    name = ", ".join(population.name for population in populations)
    for column in range(len(options.measures)):
        differences = []
        for population in populations:
            measure, matrix = list(population.values.items())[column]
            chosen = pairs_of(len(matrix), generator)[:PAIRS_A_CELL]
            differences += [matrix[first] - matrix[second] for first, second in chosen]
        for kind, (deviation, odd) in KINDS_OF_COLLECTIONS.items():
            for count in NUMBERS_OF_COLLECTIONS:
                covered: dict[str, list[float]] = {"these": [], "like these": []}
                heterogeneous = []
                while len(heterogeneous) < options.trials:
                    effects = generator.normal(0, deviation, count)
                    effects += odd * (generator.random(count) < 1 / 6)
                    sizes = generator.integers(10, 501, count)
                    means, deviations = _collections(differences, effects, sizes, generator)
                    truths = {"these": effects.mean(), "like these": odd / 6}
                    tests = {
                        "these": stratified_t(means, deviations, sizes),
                        "like these": t_of_means(means),
                    }
                    for key, (_, lower, upper, _) in tests.items():
                        truth = np.array([truths[key]])
                        covered[key].append(float(_hold(lower, upper, truth)[0]))
                    _, p, _ = heterogeneity(means, deviations, sizes)
                    heterogeneous.append(float(p[0] < ALPHA))
                setting = f"{measure}, {count} collections of 10 to 500 topics, {kind}"
                for key, outcomes in covered.items():
                    yield Line(f"interval over collections, {key}", name, setting, ".95", outcomes)
                wanted = "≤ .05" if kind == "equal" else "high"
                yield Line("heterogeneity is found", name, setting, wanted, heterogeneous)
        heterogeneous_small = []
        while len(heterogeneous_small) < options.trials:
            sizes = np.full(18, 10)
            means, deviations = _collections(differences, np.zeros(18), sizes, generator)
            _, p, _ = heterogeneity(means, deviations, sizes)
            heterogeneous_small.append(float(p[0] < ALPHA))
        setting = f"{measure}, 18 collections of 10 topics, equal"
        yield Line("heterogeneity is found", name, setting, "≤ .05", heterogeneous_small)


def _collections(
    differences: Sequence[np.ndarray],
    effects: np.ndarray,
    sizes: np.ndarray,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the deviation (collections × 1) of collections with these true differences."""
    means = []
    deviations = []
    for effect, size in zip(effects.tolist(), sizes.tolist(), strict=True):
        weights = None
        while weights is None:
            values = differences[generator.integers(len(differences))]
            weights = weights_for((values - effect)[None])
        (topics,) = samples(generator, weights, size, 1)
        tests = paired(np.stack([values[topics], np.zeros(size)]), [(0, 1)])
        means.append(tests.difference)
        deviations.append(tests.deviation)
    return np.array(means), np.array(deviations)


COMMANDS: dict[str, Callable[[Population, argparse.Namespace], Lines]] = {
    "family": on_family,
    "coverage": on_coverage,
    "single": on_single,
    "power": on_power,
    "gate": on_gate,
    "needed": on_needed,
    "looks": on_looks,
    "groups": on_groups,
    "halves": on_halves,
    "bands": on_bands,
}
COMMANDS_ON_JUDGES: dict[str, Callable[[Path, argparse.Namespace], Iterator[Outcome]]] = {
    "estimate": on_estimate,
    "kappa": on_kappa,
    "favours": on_favours,
    "holes": on_holes,
}
COLLECTIONS = "collections"
WHAT_IT_MEASURES = (*COMMANDS, *COMMANDS_ON_JUDGES, COLLECTIONS)


def main(words: list[str] | None = None) -> None:
    """Print each promise as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=WHAT_IT_MEASURES)
    parser.add_argument(
        "--data", type=Path, action="append", help="folder with qrels.txt and runs/"
    )
    parser.add_argument("--trec_eval", type=Path, action="append", help="folder of its outputs")
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="numbers of topics")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most_runs", type=int, default=24)
    options = parser.parse_args(words)
    warnings.simplefilter("ignore")
    for line in _measured(options):
        if len(line.outcomes):
            print(line, flush=True)


def _measured(options: argparse.Namespace) -> Lines:
    """The rows of the command."""
    if options.command in COMMANDS_ON_JUDGES:
        for folder in options.data or [DATA]:
            for outcome in COMMANDS_ON_JUDGES[options.command](folder, options):
                promise, setting, wanted, outcomes = outcome
                yield Line(promise, folder.name, setting, wanted, outcomes)
        return
    populations = [of_trec_eval(path, options.measures) for path in options.trec_eval or []]
    folders = options.data or []
    if not populations and not folders:
        folders = [DATA]
    populations += [of_runs(path, options.measures) for path in folders]
    if options.command == COLLECTIONS:
        yield from over_collections(populations, options)
        return
    for population in populations:
        yield from COMMANDS[options.command](population, options)


if __name__ == "__main__":
    main(sys.argv[1:])
