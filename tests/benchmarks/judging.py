"""Simulations behind the pages on judging: how far `holes` and `judges` keep their promises.

    python tests/benchmarks/judging.py [MEASURE…] [--qrels QRELS --runs RUN…] [--judges QRELS…] [--trials N]
        [--simulate order|favours|estimates|kappa|spread]

Without runs, but with qrels, twelve runs are made up: each ranks the judged documents by level and noise.
Without judges, four are made up: each level is replaced by a random one with probability .2 or .5, raised by
one with probability .5 (lenient), or lowered (strict).

`order` (the default): the judgments until the order of the runs is the final one, with the batches of `holes`
and with depth pooling. Half of the judgments are removed at random, then given back in 40 batches, by the
score of `holes` and by depth. Documents that the qrels lack are left out, because nobody knows their levels.
After each batch, the order of the runs is compared with the final one: by values that count unjudged
documents with their expected gain, and by plain values, which count them as not relevant. The default is the
bundled demo collection.

`judgments`: the mean number of documents to be judged. `settled`: the mean number of answers after which the
order stays at τ ≥ .99, and its standard error. `tau`: the mean of Kendall's τ at the start. `closed`: the
mean number of answers until no pair is open. `wrong`: the share of pairs of runs in the wrong order then.

`favours`: the share of trials in which any of some random runs is named falsely; in which a run is found to
whose first ten documents the judge gives the highest level half of the time; in which others are named then.
`estimates`: the coverage of the 95 % intervals of means by the human and combined, and the ratio of widths,
for some topics of both and 200 of the machine, drawn from those of the qrels with replacement.
`kappa`: the coverage of the 95 % intervals of κ and α over topics that are drawn in this way.
`spread`: the share of samples of half of the topics whose spread of τ has the τ over all topics, that τ, the
mean ends of the spread, and τ of the human's own order on two halves.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import kendalltau

from ir_measures_graded import demo, parse_measure
from ir_measures_graded.analysis.judging import orders
from ir_measures_graded.analysis.judging.agreement import JudgeAgreement
from ir_measures_graded.analysis.judging.agreement import judges as compare_judges
from ir_measures_graded.analysis.judging.estimate import COMBINED, HUMAN, _family
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
    pool = Pool(study_of(qrels, runs), parsed, parsed.params["cutoff"])
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


Judge = Callable[[np.random.Generator], np.ndarray]
"""Makes the gains that a judge gives to the documents of a pool."""


def made_runs(qrels: Levels, count: int = 12) -> dict[str, dict[str, dict[str, float]]]:
    """Runs that rank the judged documents by level and noise."""
    generator = np.random.default_rng(7)
    return {
        f"r{number}": {
            topic: {doc: level + spread * generator.normal() for doc, level in judged.items()}
            for topic, judged in qrels.items()
        }
        for number, spread in enumerate(np.linspace(0.7, 3, count))
    }


def judges_of(pool: Pool, paths: Sequence[str]) -> dict[str, Judge]:
    """The judges of some files, otherwise made-up ones."""
    true, highest = pool.gain, pool.gain.max()

    def noisy(share: float) -> Judge:
        def judge(generator: np.random.Generator) -> np.ndarray:
            replaced = generator.random(true.size) < share
            return np.where(replaced, generator.integers(0, int(highest) + 1, true.size), true)

        return judge

    def moved(by: int) -> Judge:
        return lambda generator: np.clip(true + by * (generator.random(true.size) < 0.5), 0, highest)

    if not paths:
        return {"noise .2": noisy(0.2), "noise .5": noisy(0.5), "lenient": moved(1), "strict": moved(-1)}
    found: dict[str, Judge] = {}
    for path in paths:
        levels = levels_of(path)
        gains = np.array([min(levels.get(topic, {}).get(doc, 0), highest) for topic, doc in pool.names])
        found[path.rpartition("/")[2].partition(".")[0]] = lambda _, gains=gains: gains
    return found


def values_by(pool: Pool, gains: np.ndarray) -> np.ndarray:
    """The values of the runs by topic (runs × topics) with these gains."""
    values = np.zeros((pool.topic_count, pool.ranks.shape[1]))
    np.add.at(values, pool.topic, gains[:, None] * pool.shares(gains))
    return values.T


def simulate_favours(pool: Pool, judges: dict[str, Judge], trials: int) -> Iterator[Sequence[object]]:
    yield "runs", "judge", "named falsely", "found", "others"
    human, every = values_by(pool, pool.gain), pool.ranks.shape[1]
    for count in dict.fromkeys((min(6, every), min(12, every), every)):
        for name, judge in judges.items():
            generator, outcome = np.random.default_rng(0), np.zeros(3)
            for _ in range(trials):
                runs, gains = generator.choice(every, count, replace=False), judge(generator)
                top = (pool.ranks[:, runs[0]] > 0) & (pool.ranks[:, runs[0]] <= 10)
                partial = np.where(top & (generator.random(top.size) < 0.5), pool.gain.max(), gains)
                names = tuple(map(str, runs))
                plain, unfair = (
                    orders.favours(names, human[runs], values_by(pool, each)[runs], 0.95)
                    for each in (gains, partial)
                )
                others = any(each.verdict for each in unfair[1:])
                outcome += any(each.verdict for each in plain), unfair[0].verdict == "favoured", others
            yield count, name, *outcome / trials


def simulate_estimates(pool: Pool, judges: dict[str, Judge], trials: int) -> Iterator[Sequence[object]]:
    yield "topics", "judge", "human", "combined", "width"
    human = values_by(pool, pool.gain)
    for count in (3, 5, 8, 12, 25, 50):
        for name, judge in judges.items():
            generator, covered, width = np.random.default_rng(0), np.zeros(2), np.zeros(2)
            for _ in range(trials):
                machine = values_by(pool, judge(generator))
                drawn = generator.choice(pool.topic_count, 200)
                labels = [(str(run), None, None) for run in range(len(human))]
                found = _family(labels, human[:, drawn[:count]], machine[:, drawn], count, 0.95)
                for column, of in enumerate((HUMAN, COMBINED)):
                    for one, true in zip((each for each in found if each.judge == of), human.mean(axis=1)):
                        covered[column] += (one.lower <= true <= one.upper) / len(human)
                        width[column] += one.upper - one.lower
            yield count, name, *covered / trials, width[1] / width[0]


def simulate_kappa(pool: Pool, judges: dict[str, Judge], trials: int) -> Iterator[Sequence[object]]:
    statistics = ("kappa", "kappa quadratic", "alpha ordinal")
    yield "topics", "judge", *statistics

    for count in (25, 50):
        for name, judge in judges.items():
            generator = np.random.default_rng(0)
            gains, covered = judge(generator), np.zeros(3)
            (true,) = compared(pool, gains, range(pool.topic_count), resamples=1)
            for trial in range(trials):
                drawn = generator.choice(pool.topic_count, count)
                (found,) = compared(pool, gains, drawn, resamples=300, seed=trial)
                bounds = [(found.statistics[each], true.statistics[each].value) for each in statistics]
                covered += [each.lower <= value <= each.upper for each, value in bounds]
            yield count, name, *covered / trials


def compared(
    pool: Pool, gains: np.ndarray, topics: Sequence[int], **options: int
) -> Sequence[JudgeAgreement]:
    """The agreement of a judge with these gains with the human, over some topics, perhaps repeated."""
    human, machine = (
        {
            str(number): {str(row): float(of[row]) for row in np.flatnonzero(pool.topic == topic).tolist()}
            for number, topic in enumerate(topics)
        }
        for of in (pool.gain, gains)
    )
    return compare_judges(human, {"machine": machine}, **options).judges


def simulate_spread(pool: Pool, judges: dict[str, Judge], trials: int) -> Iterator[Sequence[object]]:
    yield "topics", "judge", "covered", "tau", "from", "to", "halves"
    human, topics = values_by(pool, pool.gain), pool.topic_count // 2
    for name, judge in judges.items():
        generator, found = np.random.default_rng(0), []
        machine = values_by(pool, judge(generator))
        tau = kendalltau(human.mean(axis=1), machine.mean(axis=1))[0]
        for _ in range(trials):
            drawn = generator.choice(pool.topic_count, topics, replace=False)
            of = human[:, drawn], machine[:, drawn]
            again = generator.integers(0, topics, (200, topics))
            taus = [kendalltau(*(each[:, row].mean(axis=1) for each in of))[0] for row in again]
            order = generator.permutation(topics)
            halves = [of[0][:, half].mean(axis=1) for half in np.array_split(order, 2)]
            lower, upper = np.quantile(taus, [0.025, 0.975])
            found.append((lower <= tau <= upper, tau, lower, upper, kendalltau(*halves)[0]))
        yield topics, name, *np.mean(found, axis=0)


SIMULATIONS = {
    "favours": simulate_favours,
    "estimates": simulate_estimates,
    "kappa": simulate_kappa,
    "spread": simulate_spread,
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measures", nargs="*", default=MEASURES)
    parser.add_argument("--qrels", default=demo.qrels_path())
    parser.add_argument("--runs", nargs="+", help="files; default: the runs of the demo collection")
    parser.add_argument("--judges", nargs="+", default=(), help="files of machines; default: made-up ones")
    parser.add_argument("--simulate", choices=("order", *SIMULATIONS), default="order")
    parser.add_argument("--trials", type=int, default=30)
    options = parser.parse_args(argv)
    qrels = levels_of(options.qrels)
    if options.simulate != "order":
        pool = judged_pool(qrels, options.runs or made_runs(qrels), options.measures[0])
        simulate = SIMULATIONS[options.simulate]
        for row in simulate(pool, judges_of(pool, options.judges), options.trials):
            texts = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
            print(*texts, sep="\t", flush=True)
        return
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
