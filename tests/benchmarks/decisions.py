"""How often decisions from a sample of topics are wrong: procedures of `compare`, and rules for a release.

    python tests/benchmarks/decisions.py WHAT QRELS RUN …

WHAT is the name of a paragraph below. All draw topics with replacement from the values of published runs. The
means over all topics are the truth.

`procedures` prints, for n topics, the family-wise error of each procedure over all pairs of runs (a
difference is called significant although the values were moved so that all means are equal) and its power
(the share of the true differences that it finds), without and with a bystander, a run far below the others.

`gate` takes pairs of runs, multiplies the values of the new run so that it is truly worse by a share, and
prints how often the gate decides and how often two other rules block. `margins` prints the margin that topics
can show, and how often equal systems hold, and `power` how many topics pilots ask for. `rare` lets a share of
the topics fall to 0, and `looks` adds topics and decides again.

`groups` makes two systems equal, by swapping their values in random topics, groups the topics by the values
of one of them, by those of others or at random, and prints how often a difference is found. `collections`
prints the coverage of intervals over collections.
"""

import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from ir_measures_graded import analysis, nDCG_JK
from ir_measures_graded.analysis import Evaluation, evaluate
from ir_measures_graded.analysis.power import upper_limit
from ir_measures_graded.analysis.statistics.components import stratified_t, t_of_means
from ir_measures_graded.analysis.statistics.paired import paired, topics_needed
from ir_measures_graded.analysis.statistics.significance import conover, holm, tukey_hsd
from ir_measures_graded.output import formats

MEASURES = ("nDCG_JK@10", "AP")
ALPHA = 0.05
Pairs = list[tuple[int, int]]


def values_of(
    qrels: str, runs: tuple[str, ...], measures: tuple[str, ...] = MEASURES
) -> dict[str, np.ndarray]:
    """The values of the runs (runs × topics) by each measure."""
    named = {Path(run).name.removesuffix(".run.gz"): run for run in runs}
    found = evaluate(qrels, named, measures)
    return {measure: found.of(measure) for measure in measures}


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


def near_pairs(values: np.ndarray, worse_by: float = 0.0) -> list[tuple[np.ndarray, np.ndarray]]:
    """The values of pairs of runs with like means; the second run is made truly worse by a share."""
    means = values.mean(axis=1)
    near = [(a, b) for a, b in combinations(range(len(values)), 2) if means[b] > 0.8 * means[a]]
    return [(values[a], values[b] * (means[a] / means[b]) * (1 - worse_by)) for a, b in near]


def of_pair(old: np.ndarray, new: np.ndarray) -> Evaluation:
    """The values of two runs."""
    topics, values = tuple(map(str, range(old.size))), np.stack([old, new])[:, None]
    return Evaluation(("old", "new"), (nDCG_JK,), topics, values)


def decided(old: np.ndarray, new: np.ndarray, **options: Any) -> analysis.Gate:
    """The gate's decision on two runs."""
    return analysis.gate(of_pair(old, new), **options)


def margins(qrels: str, *runs: str, draws: int = 20) -> None:
    rows = []
    for measure, values in values_of(qrels, runs, (*MEASURES, "P@10")).items():
        random, reachable, held = np.random.default_rng(1), [], []
        for old, new in near_pairs(values):
            for _ in range(draws):
                sample = random.integers(0, old.size, 50)
                found = decided(old[sample], new[sample]).verdicts[0]
                held.append(found.verdict == "holds")
                e = new[sample] - 0.95 * old[sample]
                reach = stats.t.isf([0.05, 0.2], 49).sum() * stats.sem(e) / old[sample].mean()
                reachable.append(reach)
        rows.append([measure, *np.quantile(reachable, [0.25, 0.5, 0.75]), np.mean(held)])
    columns = ["measure", "margin: lower quartile", "median", "upper quartile", "equal systems hold at 5 %"]
    print(*formats.markdown(columns, rows, 3), sep="\n")


def power(qrels: str, *runs: str, difference: float = 0.05) -> None:
    rows = []
    for measure, values in values_of(qrels, runs).items():
        pairs = list(combinations(range(len(values)), 2))
        true = np.median([(values[a] - values[b]).std() for a, b in pairs])
        needs = topics_needed(difference, true, ALPHA / len(pairs))
        for topics in (10, 20, 50):
            random, estimates = np.random.default_rng(topics), []
            for _ in range(200):
                pilot = values[:, random.integers(0, values.shape[1], topics)]
                spread = np.median([(pilot[a] - pilot[b]).std(ddof=1) for a, b in pairs])
                needed = topics_needed(difference, spread, ALPHA / len(pairs))
                estimates.append((needed, upper_limit(topics) * spread >= true))
            needed, above = np.transpose(estimates)
            quantiles = np.quantile(needed, [0.05, 0.5, 0.95]).astype(int)
            rows.append([measure, topics, needs, *quantiles, above.mean()])
    columns = [
        "measure",
        "pilot",
        "true spread needs",
        "5 % of pilots say",
        "median",
        "95 %",
        "limit ≥ truth",
    ]
    print(*formats.markdown(columns, rows, 2), sep="\n")


def rare(qrels: str, *runs: str, draws: int = 400) -> None:
    rows = []
    for measure, values in values_of(qrels, runs).items():
        for margin in ("2%", "5%"):
            for share in (0.0, 0.03, 0.06):
                row = [measure, margin, f"{100 * share:g} %"]
                for topics in (50, 100, 150):
                    random, held = np.random.default_rng(topics), []
                    for _ in range(draws):
                        old = values[
                            random.integers(len(values)), random.integers(0, values.shape[1], topics)
                        ]
                        new = np.where(random.random(topics) < share, 0, old)
                        held.append(decided(old, new, margin=margin).holds)
                    row.append(np.mean(held))
                rows.append(row)
    columns = ["measure", "margin", "topics that fall to 0", "50 topics hold", "100", "150"]
    print(*formats.markdown(columns, rows, 3), sep="\n")


def looks(qrels: str, *runs: str, draws: int = 2000) -> None:
    rows = []
    for measure, values in values_of(qrels, runs).items():
        pairs, random, wrong = near_pairs(values, worse_by=0.05), np.random.default_rng(3), np.zeros(5)
        for _ in range(draws):
            old, new = pairs[random.integers(len(pairs))]
            sample = random.integers(0, old.size, 2000)
            old, new = old[sample], new[sample]
            wrong[0] += decided(old[:50], new[:50]).holds
            for place, each in ((1, 1), (2, 2)):
                first = decided(old[:50], new[:50], looks=each)
                needed = max(first.verdicts[0].needed or 50, 50)
                wrong[place] += first.holds or decided(old[:needed], new[:needed], looks=each).holds
            sizes = range(25, 201, 25)
            for place, each in ((3, 1), (4, len(sizes))):
                wrong[place] += any(decided(old[:n], new[:n], looks=each).holds for n in sizes)
        rows.append([measure, *wrong / draws])
    columns = ["measure", "once", "again with the needed topics", "with --looks 2"]
    columns += ["at 25, 50, … 200 topics", "with --looks 8"]
    print(*formats.markdown(columns, rows, 3), sep="\n")


def groups(qrels: str, *runs: str, draws: int = 300) -> None:
    rows = []
    for measure, values in values_of(qrels, runs).items():
        for topics in (50, 100):
            random, found = np.random.default_rng(topics), np.zeros((3, 2))
            for _ in range(draws):
                a, b, *others = random.permutation(len(values))
                sample = random.integers(0, values.shape[1], topics)
                swapped = random.random(topics) < 0.5  # makes both systems equal in every topic
                first, second = np.where(swapped, values[[b, a]][:, sample], values[[a, b]][:, sample])
                keys = first, values[others].mean(axis=0)[sample], random.random(topics)
                for row, key in enumerate(keys):
                    halves = np.array_split(np.argsort(key), 2)
                    by = {str(topic): str(half) for half in (0, 1) for topic in halves[half]}
                    compared = analysis.compare(of_pair(first, second), by=by)
                    tests = [test for part in compared.groups.values() for test in part.outcomes]
                    found[row, 0] += any(test.significant for test in tests)
                    found[row, 1] += compared.find(nDCG_JK, "Alexander–Govern")[0].significant
            for name, shares in zip(("one's own values", "other runs' values", "random"), found / draws):
                rows.append([measure, topics, name, *shares])
    columns = ["measure", "topics", "groups by", "some group significant", "Alexander–Govern"]
    print(*formats.markdown(columns, rows, 3), sep="\n")


def collections(qrels: str, *runs: str, draws: int = 600) -> None:
    values, rows = values_of(qrels, runs)["nDCG_JK@10"], []
    values = values - values.mean(axis=1, keepdims=True)
    for count in (3, 5, 10, 18):
        for spread in (0.0, 0.03):
            random, covered = np.random.default_rng(count), np.zeros(2)
            for _ in range(draws):
                sizes = np.exp(random.uniform(np.log(10), np.log(500), count)).astype(int)
                a, b = random.permutation(len(values))[:2]
                shifts, true = random.normal(0, spread, count), values[a] - values[b]
                d = [shift + random.choice(true, size) for shift, size in zip(shifts, sizes)]
                means, deviations = np.array([[x.mean(), x.std(ddof=1)] for x in d]).T[..., None]
                tests = stratified_t(means, deviations, sizes), t_of_means(means)
                covered += [bool(test[1][0] <= 0 <= test[2][0]) for test in tests]
            rows.append([count, spread, *covered / draws])
    columns = ["collections", "SD between", "over these collections", "over collections like these"]
    print(*formats.markdown(columns, rows, 3), sep="\n")


SIMULATIONS = (procedures, gate, margins, power, rare, looks, groups, collections)
OF_RUNS = {each.__name__: each for each in SIMULATIONS}

if __name__ == "__main__":
    match sys.argv[1:]:
        case [name, qrels, *runs] if name in OF_RUNS:
            OF_RUNS[name](qrels, *runs)
        case _:
            sys.exit(__doc__)
