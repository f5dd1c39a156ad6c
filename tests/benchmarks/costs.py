"""Times that share a table: measures, standard measures, arrays of labels.

    python tests/benchmarks/costs.py [S M L X T3 … T6 groups …] [--only TABLE/CALL …] [--json FILE]

The workloads are those of workloads.py. T3 to T6 are one topic with a thousand to a million
documents and as many levels. `groups`, `groups100`, `groups20` and `groups8` are for
``arrays``, which is measured on no other workload.
The tables are:

- ``alone``: each measure, given the judged ranks.
- ``whole``: calls with one measure and with many.
- ``standard``, ``files``: nDCG_JK(b=2)@100 together with nDCG@10 and AP, with and without
  `accelerate()`.
- ``arrays``: the mean nDCG@10 with exponential gains of scores without ties, which all compute
  alike. LightGBM and XGBoost evaluate scores that they hold already; all others get arrays. The
  metrics of this package get what the two pass to a metric in Python.
- ``training``: LightGBM's metric and that of this package on the scores after some rounds.

`ratio` is a time divided by that of the first row of its group. Times are those of the processor,
of all threads, so other programs on the machine change them little.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
from ir_measures import AP, nDCG
from measuring import Call, Report, options
from workloads import SHAPES, Shape

import ir_measures_graded
from ir_measures_graded import ArrayEvaluator, GradedMeasure, KendallTau, array_mean, nDCG_JK
from ir_measures_graded.core.measures import measures_of_levels
from ir_measures_graded.core.measures.topics import Topics
from ir_measures_graded.core.reduction import judged_of, reduced
from ir_measures_graded.core.rows.sources import read_qrels, read_run
from ir_measures_graded.integrations.boosting import lightgbm_metric, xgboost_metric
from peers import MEASURE, TINY, Inputs, mean_of_command, read_by_ir_measures

INPUTS = {
    **SHAPES,
    "groups": Shape(10_000, 120, (120, 120), (0, 4)),
    "groups20": Shape(10_000, 20, (20, 20), (0, 4)),
    "groups100": Shape(1_000, 100, (100, 100), (0, 4)),
    "groups8": Shape(30_000, 8, (8, 8), (0, 4)),
}
for power in (3, 4, 5, 6):
    size = 10**power
    INPUTS[f"T{power}"] = Shape(1, size, (size, size), (0, size))
MIXED = [MEASURE, nDCG @ 10, AP]
ALL = [measure @ 10 if measure.CUTOFF_REQUIRED else measure for measure in measures_of_levels()]
"""Every measure at its defaults; those that need a cutoff have one."""

Calls = Iterator[dict[str, Call]]
"""Groups of calls, each with the one first to which the others of the group are compared."""
calculate: Callable[..., Any] = ir_measures.calc_aggregate


def alone(inputs: Inputs) -> Calls:
    """A call for each measure, with new `Topics`, because these cache values for other measures."""
    qrels, run = inputs.of_form("Arrow")
    ranks = reduced(judged_of(read_qrels(qrels)), read_run(run))

    def values(measure: GradedMeasure) -> Any:
        of_measure = ranks.condensed if measure["judged_only"] else ranks
        cutoff = measure["cutoff"] if measure.CUTOFF_REQUIRED else None
        return measure.values(Topics(of_measure, measure.weighting, cutoff))

    chosen = dict.fromkeys([nDCG_JK, *ALL, KendallTau(variant="c")])
    yield {str(measure): partial(values, measure) for measure in chosen}


def whole(inputs: Inputs) -> Calls:
    several = {
        "one measure": [nDCG_JK @ 100],
        "the measure at twenty cutoffs": [nDCG_JK @ cutoff for cutoff in range(5, 101, 5)],
        f"all {len(ALL)} measures": ALL,
    }
    for form in ("frame, str", "frame, object", "dicts"):
        yield calls_of(inputs, form, several)


def calls_of(inputs: Inputs, form: str, several: dict[str, list[Any]]) -> dict[str, Call]:
    """A call for each list of measures, by its name."""
    qrels, run = inputs.of_form(form)
    calls: dict[str, Call] = {}
    for name, measures in several.items():
        calls[f"{form}: {name}"] = partial(calculate, measures, qrels, run)
    return calls


def standard(inputs: Inputs) -> Calls:
    several = {"graded": [MEASURE], "graded and standard": MIXED}
    for form in ("frame, str", "frame, object"):
        yield accelerated(calls_of(inputs, form, several))


def on_files(inputs: Inputs) -> Calls:
    """The command itself chooses how it computes standard measures."""
    qrels, run = inputs.of_form("files")

    def through_ir_measures() -> Any:
        return calculate(MIXED, *read_by_ir_measures(qrels, run))

    yield {
        "the command, graded": partial(mean_of_command, qrels, run),
        "the command, graded and standard": partial(mean_of_command, qrels, run, MIXED),
        **accelerated({"ir-measures": through_ir_measures}),
    }


def accelerated(calls: dict[str, Call]) -> dict[str, Call]:
    """Each call without and with `accelerate()`."""

    def faster(call: Call) -> Any:
        ir_measures_graded.accelerate()
        try:
            return call()
        finally:
            ir_measures_graded.accelerate(False)

    return calls | {f"{name}, accelerated": partial(faster, call) for name, call in calls.items()}


# ----------------------------------------------------------------------------------- arrays


def labels_and_scores(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Labels 0 … 4 as frequent as in MSLR, one relevant in every group, and scores without ties."""
    random = np.random.default_rng(1)
    labels = random.choice(5, (shape.topics, shape.retrieved), p=[0.52, 0.32, 0.13, 0.02, 0.01])
    labels[:, 0] = 1
    return labels, random.permutation(labels.size).reshape(labels.shape).astype(np.float32)


def arrays(inputs: Inputs) -> Calls:
    """Calls that return the mean, for this package and the libraries that are installed."""
    by_group = labels_and_scores(inputs.shape)
    labels, scores = (array.ravel() for array in by_group)
    sizes = np.full(inputs.shape.topics, inputs.shape.retrieved)
    evaluator = ArrayEvaluator("nDCG_Burges@10", labels, sizes)

    def mean_of_scores() -> float:
        return evaluator.means(scores)[0]

    calls: dict[str, Call] = {
        "ir-measures-graded, labels reduced before": mean_of_scores,
        "ir-measures-graded": partial(array_mean, "nDCG_Burges@10", labels, scores, sizes),
    }
    if find_spec("sklearn"):
        calls["scikit-learn"] = by_scikit_learn(*by_group)
    if find_spec("lightgbm"):
        calls |= by_lightgbm(labels, scores, sizes)
    if find_spec("xgboost"):
        calls |= by_xgboost(labels, scores, sizes)
    yield calls


def by_scikit_learn(labels: np.ndarray, scores: np.ndarray) -> Call:
    from sklearn.metrics import ndcg_score

    return partial(ndcg_score, 2**labels - 1, scores, k=10)


LIGHTGBM = {
    "objective": "lambdarank",
    "metric": "ndcg",
    "eval_at": [10],
    "verbose": -1,
    "feature_pre_filter": False,
    "num_threads": 1,
}


def by_lightgbm(labels: np.ndarray, scores: np.ndarray, sizes: np.ndarray) -> dict[str, Call]:
    import lightgbm

    features = np.zeros((labels.size, 1))
    data = lightgbm.Dataset(features, labels, group=sizes, init_score=scores)
    booster = lightgbm.Booster(LIGHTGBM, data)
    metric = lightgbm_metric("nDCG_Burges@10")
    scores_as_passed = scores.astype(np.float64)

    def own() -> float:
        ((_, _, value, _),) = booster.eval_train()
        return value

    def ours() -> float:
        ((_, value, _),) = metric(scores_as_passed, data)
        return value

    return {"LightGBM": own, "ir-measures-graded, as LightGBM's metric": ours}


def by_xgboost(labels: np.ndarray, scores: np.ndarray, sizes: np.ndarray) -> dict[str, Call]:
    import xgboost

    features = np.zeros((labels.size, 1))
    matrix = xgboost.DMatrix(features, labels, base_margin=scores)
    matrix.set_group(sizes)
    settings = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "nthread": 1}
    booster = xgboost.Booster(settings, [matrix])
    metric = xgboost_metric("nDCG_Burges@10")

    def own() -> float:
        text = booster.eval_set([(matrix, "train")])
        return float(text.rpartition(":")[2])

    def ours() -> float:
        ((_, value),) = metric(scores, matrix)
        return value

    return {"XGBoost": own, "ir-measures-graded, as XGBoost's metric": ours}


ROUNDS = 10
MOST_TRAINED = 250_000
"""The documents up to which a ranker is trained."""


def training(inputs: Inputs) -> Calls:
    """The metrics on the scores of a ranker after some rounds, of which some are tied."""
    if not find_spec("lightgbm") or inputs.shape.topics * inputs.shape.retrieved > MOST_TRAINED:
        return
    import lightgbm

    random = np.random.default_rng(2)
    labels = labels_and_scores(inputs.shape)[0].ravel()
    features = labels[:, None] + random.normal(0, 2, (labels.size, 10))
    sizes = np.full(inputs.shape.topics, inputs.shape.retrieved)
    data = lightgbm.Dataset(features, labels, group=sizes)
    booster = lightgbm.Booster(LIGHTGBM, data)
    for _ in range(ROUNDS):
        booster.update()
    passed: list[Any] = []

    def keep(scores: np.ndarray, data_set: Any) -> Any:
        passed.append((scores.copy(), data_set))
        return "kept", 0.0, True

    booster.eval_train(feval=keep)
    metric = lightgbm_metric("nDCG_Burges@10")
    yield {
        "LightGBM": booster.eval_train,
        "ir-measures-graded, as LightGBM's metric": partial(metric, *passed[0]),
    }


TABLES: dict[str, Callable[[Inputs], Calls]] = {
    "alone": alone,
    "whole": whole,
    "standard": standard,
    "files": on_files,
    "arrays": arrays,
    "training": training,
}
ON_GROUPS = ("arrays", "training")
"""The tables of workloads of groups."""


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(__doc__, INPUTS).parse_args(argv)
    with TemporaryDirectory() as folder, Report(arguments) as report:
        for name in arguments.workloads or ["M"]:
            for table, groups in TABLES.items():
                if (table in ON_GROUPS) != name.startswith("groups"):
                    continue
                for calls in groups(Inputs(TINY, Path(folder, "tiny"))):
                    for call in calls.values():
                        call()  # imports and compilation must not be timed
                for calls in groups(Inputs(INPUTS[name], Path(folder, name))):
                    names = [what for what in calls if report.wanted(f"{table}/{what}")]
                    wanted = {what: calls[what] for what in names}
                    times = report.medians(wanted, time.process_time)
                    for what, seconds in times.items():
                        ratio = seconds / times[names[0]]
                        report.row(f"{name}: {table}", what=what, ms=1e3 * seconds, ratio=ratio)


if __name__ == "__main__":
    main()
