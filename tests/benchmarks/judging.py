"""The judgments that settle the order of the runs, with most variance first, by depth, or in random order.

    python tests/benchmarks/judging.py [MEASURE…] [--qrels QRELS --runs RUN…] [--trials N]

Half of the judgments are removed at random, then given back in the order of each strategy for the documents
that the runs retrieve within the measure's cutoff. Documents without a judgment also cost an answer, "not
relevant". After each step the order of the runs is compared with the order under all judgments of these
documents. The default is the bundled demo collection.

`judgments`: the mean number of documents to be judged. `settled`: the mean number of answers after which the
order is the final one and stays so. `saved`: the mean number of these that the strategy saves compared with
judging by depth, and its standard error. `tau`: the mean of Kendall's τ with the final order over all steps.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from ir_measures_graded import demo
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.judging.holes import Holes, holes
from ir_measures_graded.judging.scales import Levels, levels_of

STRATEGIES = ("most variance first", "by depth", "random")
MEASURES = ("nDCG_JK@10", "CG@10", "nDCG_JK@50", "AP@50")
STEPS = 40


def halved(qrels: Levels, generator: np.random.Generator) -> Levels:
    """The qrels without a random half of their judgments."""
    documents = [(topic, document) for topic, judged in qrels.items() for document in judged]
    kept = generator.permutation(len(documents))[: len(documents) // 2]
    half: Levels = {topic: {} for topic in qrels}
    for topic, document in (documents[number] for number in np.sort(kept).tolist()):
        half[topic][document] = qrels[topic][document]
    return half


def order(found: Holes, strategy: str, generator: np.random.Generator) -> np.ndarray:
    """The holes in the order of a strategy."""
    if strategy == "most variance first":
        return np.arange(len(found))
    shuffled = generator.permutation(len(found))
    if strategy == "by depth":
        return shuffled[np.argsort(found.best_ranks[shuffled], kind="stable")]
    return shuffled


def taus(
    half: Levels, full: Levels, runs: Mapping[str, object], found: Holes, judged: np.ndarray
) -> np.ndarray:
    """Kendall's τ with the final order after each of `STEPS` equal steps (from none to all answers)."""
    means = []
    qrels = {topic: dict(levels) for topic, levels in half.items()}
    for part in [[], *np.array_split(judged, STEPS)]:
        for number in part:
            topic, document = found.topics[number], found.documents[number]
            qrels[topic][document] = full[topic].get(document, 0)
        means.append(evaluate(qrels, runs, [found.measure]).means()[:, 0])
    return np.array([kendalltau(mean, means[-1])[0] for mean in means])


def measured(measure: str, full: Levels, runs: Mapping[str, object], trials: int) -> dict[str, np.ndarray]:
    """For each strategy the τ of each step (trials × steps), and the number of holes under ``holes``."""
    curves: dict[str, list[np.ndarray]] = {strategy: [] for strategy in STRATEGIES}
    counts = []
    for trial in range(trials):
        generator = np.random.default_rng(trial)
        half = halved(full, generator)
        found = holes(half, runs, measure)
        counts.append(len(found))
        for strategy in STRATEGIES:
            curves[strategy].append(taus(half, full, runs, found, order(found, strategy, generator)))
    return {**{strategy: np.array(curve) for strategy, curve in curves.items()}, "holes": np.array(counts)}


def settled(curve: np.ndarray) -> np.ndarray:
    """The share of the answers after which τ is 1 and stays 1, for each trial."""
    other = curve < 1 - 1e-9
    last = np.where(other.any(axis=1), curve.shape[1] - np.argmax(other[:, ::-1], axis=1), 0)
    return last / STEPS


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measures", nargs="*", default=MEASURES)
    parser.add_argument("--qrels", default=demo.qrels_path())
    parser.add_argument("--runs", nargs="+", help="files; default: the runs of the demo collection")
    parser.add_argument("--trials", type=int, default=30)
    options = parser.parse_args(argv)
    files = {Path(run).name: run for run in options.runs} if options.runs else demo.run_paths()
    runs = {name: levels_of_run(path) for name, path in files.items()}
    full = levels_of(options.qrels)
    print("measure\tstrategy\tjudgments\tsettled\tsaved\t± error\ttau\ttau after a quarter")
    for measure in options.measures:
        found = measured(measure, full, runs, options.trials)
        count = found["holes"]
        answers = {strategy: settled(found[strategy]) * count for strategy in STRATEGIES}
        for strategy in STRATEGIES:
            curve, saved = found[strategy], answers["by depth"] - answers[strategy]
            error = saved.std(ddof=1) / len(saved) ** 0.5
            whole = count.mean(), answers[strategy].mean(), saved.mean(), error
            numbers = [f"{number:.0f}" for number in whole]
            numbers += [f"{number:.3f}" for number in (curve.mean(), curve[:, STEPS // 4].mean())]
            print(measure, strategy, *numbers, sep="\t", flush=True)


def levels_of_run(path: object) -> dict[str, dict[str, float]]:
    """A run in memory, so that it is read once."""
    from ir_measures_graded import read_trec_run

    run: dict[str, dict[str, float]] = {}
    frame = read_trec_run(path)
    for topic, document, score in zip(frame["query_id"], frame["doc_id"], frame["score"]):
        run.setdefault(topic, {})[document] = score
    return run


if __name__ == "__main__":
    main()
