"""The judgments until the order of the runs is the final one: the batches of `holes` against depth pooling.

    python tests/benchmarks/judging.py [MEASURE…] [--qrels QRELS --runs RUN…] [--trials N]

Half of the judgments are removed at random, then given back in 40 batches, by the score of `holes` and by
depth. Documents that the qrels lack are left out, because nobody knows their levels. After each batch, the
order of the runs is compared with the final one: by values that count unjudged documents with their expected
gain, and by plain values, which count them as not relevant. The default is the bundled demo collection.

`judgments`: the mean number of documents to be judged. `settled`: the mean number of answers after which the
order stays at τ ≥ .99, and its standard error. `tau`: the mean of Kendall's τ at the start. `closed`: the
mean number of answers until no pair is open. `wrong`: the share of pairs of runs in the wrong order then.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import kendalltau

from ir_measures_graded import demo, parse_measure
from ir_measures_graded.analysis.judging.holes import Pool
from ir_measures_graded.analysis.judging.merging import Levels, levels_of
from ir_measures_graded.evaluation.named import study_of

MEASURES = ("nDCG_JK@10", "nDCG_Burges@10", "CG@10", "nDCG_JK@50")
ORDERS = ("open pairs", "depth")
VALUES = ("expected gains", "plain")
STEPS = 40


def judged_pool(qrels: Levels, runs: Sequence[object], measure: str) -> Pool:
    """The judged documents, with their ranks in the runs."""
    parsed = parse_measure(measure)
    pool = Pool.of(study_of(qrels, runs), parsed, parsed.params["cutoff"])
    known = np.array([document in qrels[topic] for topic, document in pool.names])
    arrays = {
        name: value[known]
        for name, value in vars(pool).items()
        if isinstance(value, np.ndarray) and len(value) == known.size
    }
    return replace(pool, **arrays)


def trial(pool: Pool, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """τ with the final order (orders × values × steps + 1), and open and wrong pairs of the first order.

    The third result is the number of answers.
    """
    generator = np.random.default_rng(seed)
    start = np.zeros(pool.gain.size, dtype=bool)
    start[generator.permutation(start.size)[: start.size // 2]] = True
    hidden = np.flatnonzero(~start & pool.within)
    final = pool.gain @ pool.shares(pool.gain)
    taus, still_open = np.empty((len(ORDERS), len(VALUES), STEPS + 1)), np.empty((2, STEPS + 1))
    for row, order in enumerate(ORDERS):
        judged = start.copy()
        for step in range(STEPS + 1):
            state = pool.state(judged)
            plain = np.where(judged, pool.gain, 0.0)
            values = state.values, plain @ pool.shares(plain)
            taus[row, :, step] = [kendalltau(each, final)[0] for each in values]
            if row == 0:
                still_open[:, step] = state.open, (1 - taus[0, 0, step]) / 2
            left = hidden[~judged[hidden]]
            ranked = left[pool.order(left, state.score * (order == "open pairs"))]
            judged[ranked[: -(-left.size // (STEPS - step)) if step < STEPS else 0]] = True
    return taus, still_open, hidden.size


def settled(curve: np.ndarray) -> np.ndarray:
    """The share of the answers after which τ ≥ .99 and stays so, for each trial (… × steps + 1)."""
    other = curve < 0.99
    last = np.where(other.any(axis=-1), curve.shape[-1] - np.argmax(other[..., ::-1], axis=-1), 0)
    return last / (curve.shape[-1] - 1)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measures", nargs="*", default=MEASURES)
    parser.add_argument("--qrels", default=demo.qrels_path())
    parser.add_argument("--runs", nargs="+", help="files; default: the runs of the demo collection")
    parser.add_argument("--trials", type=int, default=30)
    options = parser.parse_args(argv)
    qrels = levels_of(options.qrels)
    print("measure\tjudge by\tvalues\tjudgments\tsettled\t± error\ttau\tclosed\twrong")
    for measure in options.measures:
        pool = judged_pool(qrels, options.runs or demo.run_paths(), measure)
        trials = (trial(pool, seed) for seed in range(options.trials))
        taus, still_open, count = map(np.array, zip(*trials))
        closed = still_open[:, 0] == 0
        first = np.where(closed.any(axis=1), closed.argmax(axis=1), STEPS)
        wrong = np.take_along_axis(still_open[:, 1], first[:, None], axis=1)
        for row, order in enumerate(ORDERS):
            for column, values in enumerate(VALUES):
                answers = settled(taus[:, row, column]) * count
                error = answers.std(ddof=1) / len(answers) ** 0.5
                numbers = [f"{number:.0f}" for number in (count.mean(), answers.mean(), error)]
                numbers.append(f"{taus[:, row, column, 0].mean():.3f}")
                if (row, column) == (0, 0):
                    numbers += [f"{(first / STEPS * count).mean():.0f}", f"{wrong.mean():.4f}"]
                print(measure, order, values, *numbers, sep="\t", flush=True)


if __name__ == "__main__":
    main()
