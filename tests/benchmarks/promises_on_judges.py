"""The promises about judges: `estimate`, the intervals of κ, favours, and `holes` on a pool that
one system made.

The machine is simulated. It gives a random level to a share of the documents, a different share in
every topic, and the level above to some (a lenient judge).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from populations import pairs_of

from ir_measures_graded import RunFile, parse_measure
from ir_measures_graded.analysis import evaluate, gate
from ir_measures_graded.analysis.gating.verdict import WORSE
from ir_measures_graded.analysis.judging.estimate import COMBINED, ByBoth, _family
from ir_measures_graded.analysis.judging.favours import Favour, favours
from ir_measures_graded.analysis.judging.holes import holes
from ir_measures_graded.analysis.judging.level_agreement import PairCounts
from ir_measures_graded.analysis.judging.panel import answers_in
from ir_measures_graded.analysis.judging.percentiles import Statistic
from ir_measures_graded.analysis.statistics.defaults import CONFIDENCE
from ir_measures_graded.analysis.statistics.levels import of_levels
from ir_measures_graded.analysis.statistics.resampling import in_parts, resampled_topics
from ir_measures_graded.core.registry.facts import sign_of

Levels = dict[str, dict[str, float]]
Run = dict[str, dict[str, float]]
Outcome = tuple[str, str, str, list[float]]
"""A promise, the setting, the wanted rate, and the outcome of each trial."""
NOISE = {"few errors": (0.2, 0.0), "many errors": (0.5, 0.0), "lenient": (0.2, 0.4)}
"""Judges by the share of random levels and that of raised ones."""
RESAMPLES = 1000
OTHER_TOPICS = 150
"""So many topics are judged by the machine alone."""
CUTOFF = 10
DEPTH = 50
"""Runs in memory have so many documents, more than any cutoff here."""


def judge(
    human: Levels, generator: np.random.Generator, random_share: float, raised_share: float
) -> Levels:
    """The levels of a simulated machine."""
    scale = sorted({level for judged in human.values() for level in judged.values()})
    machine = {}
    for topic, judged in human.items():
        numbers = np.searchsorted(scale, list(judged.values()))
        # The share differs between topics, as that of real judges does.
        share = generator.beta(4 * random_share, 4 * (1 - random_share))
        is_random = generator.random(numbers.size) < share
        answers = np.where(is_random, generator.integers(0, len(scale), numbers.size), numbers)
        is_raised = generator.random(numbers.size) < raised_share
        answers = np.where(is_raised, np.minimum(answers + 1, len(scale) - 1), answers)
        levels = [scale[number] for number in answers.tolist()]
        machine[topic] = dict(zip(judged, levels, strict=True))
    return machine


def runs_in(folder: Path, most_runs: int, depth: int | None = None) -> dict[str, object]:
    """At most so many runs of a folder, at even steps through the names.

    With a `depth`, they are cut to so many documents and kept in memory.
    """
    paths = sorted((folder / "runs").iterdir())
    places = np.linspace(0, len(paths) - 1, min(most_runs, len(paths)))
    chosen = [paths[number] for number in np.unique(places.round().astype(int))]
    if depth is None:
        return {path.name: path for path in chosen}
    return {path.name: _first_documents(path, depth) for path in chosen}


def on_estimate(folder: Path, options: argparse.Namespace) -> Iterator[Outcome]:
    """Coverage of the combined estimates of means, and of all differences together."""
    generator = np.random.default_rng(options.seed)
    human = answers_in(folder / "qrels.txt").levels
    runs = runs_in(folder, options.most_runs)
    measures = [parse_measure(text) for text in options.measures]
    by_human = evaluate(human, runs, measures)
    topics = len(by_human.topics)
    for name, shares in NOISE.items():
        by_machine = evaluate(judge(human, generator, *shares), runs, measures)
        for column, measure in enumerate(measures):
            if np.ptp(by_machine.values[:, column]) == 0:
                continue
            of_human = by_human.values[:, column]
            of_machine = by_machine.values[:, column]
            truth = of_human.mean(axis=1)
            first, second = np.triu_indices(len(truth), 1)
            pairs = []
            for old, new in zip(first.tolist(), second.tolist(), strict=True):
                pairs.append((by_human.runs[old], by_human.runs[new], measure))
            for size in options.sizes:
                combined = []
                alone = []
                together = []
                for _ in range(options.trials):
                    sample = generator.integers(0, topics, size + OTHER_TOPICS)
                    both = sample[:size]
                    values = ByBoth(of_human[:, both], of_machine[:, sample], size)
                    labels = [(run, None, measure) for run in by_human.runs]
                    bounds = {key: [] for key in ("human", "machine", COMBINED)}
                    for estimate in _family(labels, values, CONFIDENCE):
                        bounds[estimate.judge].append((estimate.lower, estimate.upper))
                    combined.append(_share_held(bounds[COMBINED], truth).mean())
                    alone.append(_share_held(bounds["human"], truth).mean())
                    differences = _family(pairs, values.differences(), CONFIDENCE)
                    intervals = [(estimate.lower, estimate.upper) for estimate in differences]
                    is_held = _share_held(intervals, truth[first] - truth[second])
                    together.append(float(is_held.all()))
                setting = f"{measure}, {size} human topics, {name}, {len(runs)} runs"
                yield "combined estimate of a mean", setting, ".95", combined
                yield "the human alone", setting, ".95", alone
                yield "all combined differences", setting, ".95", together


def _share_held(intervals: list[tuple[float, float]], truth: np.ndarray) -> np.ndarray:
    """Whether each interval holds the truth; one that is missing claims nothing."""
    bounds = np.array(intervals, dtype=float)
    is_missing = np.isnan(bounds[:, 0])
    return is_missing | ((bounds[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= bounds[:, 1]))


def on_kappa(folder: Path, options: argparse.Namespace) -> Iterator[Outcome]:
    """Coverage of the intervals of κ and α over samples of topics."""
    generator = np.random.default_rng(options.seed)
    human = answers_in(folder / "qrels.txt").levels
    for name, shares in NOISE.items():
        machine = judge(human, generator, *shares)
        pairs = []
        for topic, judged in human.items():
            levels = [(level, machine[topic][document]) for document, level in judged.items()]
            pairs.append(np.array(levels))
        scale = np.unique(np.concatenate(pairs))
        truth = _agreement(pairs, scale, np.ones((1, len(pairs)), dtype=np.int64))
        for size in options.sizes:
            covered: dict[str, list[float]] = {key: [] for key in truth}
            for trial in range(options.trials):
                chosen = generator.integers(0, len(pairs), size)
                sample = [pairs[number] for number in chosen.tolist()]
                agreement = _agreement(sample, scale, resampled_topics(size, RESAMPLES, trial))
                for key, values in agreement.items():
                    interval = Statistic.of(values, CONFIDENCE)
                    if interval.lower is not None:
                        is_held = interval.lower <= truth[key][0] <= interval.upper
                        covered[key].append(float(is_held))
            for key, outcomes in covered.items():
                yield f"interval of {key}", f"{size} topics, {name}", ".95", outcomes


def _agreement(
    pairs: list[np.ndarray], scale: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """κ and α with weights of the topics."""
    cells = PairCounts.of(pairs, scale)

    def of_weights(some_weights: np.ndarray) -> dict[str, np.ndarray]:
        return of_levels(cells.sums(some_weights), cells.human, cells.machine, scale)

    return in_parts(of_weights, cells.documents.size + scale.size, weights)


def on_favours(folder: Path, options: argparse.Namespace) -> Iterator[Outcome]:
    """How often a run is named that no judge favours, and how often a favoured one is found."""
    generator = np.random.default_rng(options.seed)
    human = answers_in(folder / "qrels.txt").levels
    measure = parse_measure(f"nDCG@{CUTOFF}")
    for count in (6, 12, 24):
        runs = runs_in(folder, count, DEPTH)
        names = tuple(runs)
        first = {name: _first(run) for name, run in runs.items()}
        by_human = values_of_first(first, human)
        wanted = evaluate(human, runs, [measure])
        assert np.allclose(by_human, wanted.values[:, 0]), "nDCG is not that of the package"
        for name, shares in NOISE.items():
            names_falsely = []
            finds = []
            for _ in range(options.trials):
                machine = judge(human, generator, *shares)
                topics = generator.integers(0, len(human), len(human))
                verdicts = _favours(names, by_human, values_of_first(first, machine), topics)
                names_falsely.append(float(any(favour.verdict for favour in verdicts)))
                favoured = str(generator.choice(names))
                _favour(machine, first[favoured], generator)
                verdicts = _favours(names, by_human, values_of_first(first, machine), topics)
                is_found = [
                    favour.run == favoured and favour.verdict == "favoured" for favour in verdicts
                ]
                finds.append(float(any(is_found)))
            setting = f"{measure}, {len(names)} runs, {name}"
            yield "a run is named falsely", setting, "≤ .05", names_falsely
            yield "the favoured run is found", setting, "high", finds


def values_of_first(first: dict[str, dict[str, list[str]]], qrels: Levels) -> np.ndarray:
    """nDCG at the cutoff (runs × topics), which takes a second for many judges by `evaluate`."""
    discounts = 1 / np.log2(np.arange(2, CUTOFF + 2))
    values = np.zeros((len(first), len(qrels)))
    for column, (topic, judged) in enumerate(qrels.items()):
        gains = sorted((max(level, 0.0) for level in judged.values()), reverse=True)[:CUTOFF]
        ideal = float(np.dot(gains, discounts[: len(gains)]))
        if not ideal:
            continue
        for row, documents in enumerate(first.values()):
            of_run = [max(judged.get(document, 0.0), 0.0) for document in documents.get(topic, ())]
            values[row, column] = np.dot(of_run, discounts[: len(of_run)]) / ideal
    return values


def _favours(
    names: tuple[str, ...], by_human: np.ndarray, by_machine: np.ndarray, topics: np.ndarray
) -> tuple[Favour, ...]:
    """The favours in a sample of topics."""
    return favours(names, by_human[:, topics], by_machine[:, topics], CONFIDENCE, 1.0)


def _favour(machine: Levels, first: dict[str, list[str]], generator: np.random.Generator) -> None:
    """Give half of the first documents of a run the highest level."""
    highest = max(level for judged in machine.values() for level in judged.values())
    for topic, judged in machine.items():
        for document in first.get(topic, ()):
            if document in judged and generator.random() < 0.5:
                judged[document] = highest


def on_holes(folder: Path, options: argparse.Namespace) -> Iterator[Outcome]:
    """What is said if only the documents of the old run were judged.

    The pool has the first documents of the old run alone. The true order is that by all judgments.
    """
    generator = np.random.default_rng(options.seed)
    human = answers_in(folder / "qrels.txt").levels
    runs = runs_in(folder, options.most_runs, DEPTH)
    (measure,) = [parse_measure(text) for text in options.measures[:1]]
    names = list(runs)
    truth = evaluate(human, runs, [measure]).means()[:, 0] * sign_of(measure)
    documents = {name: _first(run) for name, run in runs.items()}
    asks = []
    asks_if_wrong = []
    turns = []
    unjudged = []
    for old, new in pairs_of(len(names), generator)[: options.trials]:
        pool = documents[names[old]]
        qrels = {}
        for topic, judged in human.items():
            in_pool = set(pool.get(topic, ())) & judged.keys()
            if in_pool:
                qrels[topic] = {doc: level for doc, level in judged.items() if doc in in_pool}
        pair = {"old": runs[names[old]], "new": runs[names[new]]}
        result = holes(qrels, pair, measure)
        asks.append(float(result.open > 0))
        unjudged.append(float(result.shares[1]))
        verdict = gate(qrels, pair, [measure]).verdicts[0]
        is_wrong = (result.values[0] > result.values[1]) != (truth[old] > truth[new])
        if is_wrong:
            asks_if_wrong.append(float(result.open > 0))
        if verdict.verdict == WORSE and truth[new] > truth[old]:
            turns.append(float(bool(verdict.may_turn)))
    setting = f"{measure}, pairs of {len(names)} runs, {np.mean(unjudged):.0%} of new unjudged"
    yield "holes asks", setting, "high", asks
    if asks_if_wrong:
        yield "holes asks if the order is wrong", setting, "1", asks_if_wrong
    if turns:
        yield "a false worse says that judgments could turn it", setting, "1", turns


def _first_documents(path: Path, depth: int) -> Run:
    """The first documents of each topic of a run, with their scores.

    Scores are 32-bit floats, and tied documents are in descending order of their ids.
    """
    run = {}
    for topic, scores in RunFile(path).rows().dicts().items():
        keys = [(np.float32(score), document) for document, score in scores.items()]
        keys.sort(reverse=True)
        run[topic] = {document: scores[document] for _, document in keys[:depth]}
    return run


def _first(run: Run) -> dict[str, list[str]]:
    """The documents within the cutoff of each topic of a run."""
    return {topic: list(scores)[:CUTOFF] for topic, scores in run.items()}
