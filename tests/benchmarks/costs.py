"""Times that share a table: measures, standard measures, arrays of labels.

    python tests/benchmarks/costs.py [S M L X T3 … T6 groups] [--only TABLE/CALL …] [--json FILE]

The workloads are those of workloads.py. T3 to T6 are one topic with a thousand to a million documents and as
many levels. `groups` is for ``arrays``, which is measured on no other workload. The tables are:

- ``alone``: each measure, given the judged ranks.
- ``whole``: calls with one measure and with many.
- ``standard``, ``files``: nDCG_JK(b=2)@100 together with nDCG@10 and AP, with and without `accelerate()`.
- ``arrays``: the mean nDCG@10 with exponential gains of scores without ties, which all compute alike.
  LightGBM and XGBoost evaluate scores that they hold already; all others get arrays.

`ratio` is a time divided by that of the first row of its group. Times are those of the processor, of all
threads, so other programs on the machine change them little.
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
from ir_measures_graded.core.measures import MEASURES
from ir_measures_graded.core.measures.topics import Topics
from ir_measures_graded.core.reduction import judged_of, reduced
from ir_measures_graded.core.rows.in_memory import read_qrels, read_run
from peers import MEASURE, TINY, Inputs, mean_of_command, read_by_ir_measures

INPUTS = SHAPES | {f"T{n}": Shape(1, 10**n, (10**n, 10**n), (0, 10**n)) for n in (3, 4, 5, 6)}
INPUTS["groups"] = Shape(10_000, 120, (120, 120), (0, 4))
MIXED = [MEASURE, nDCG @ 10, AP]
ALL = [measure @ 10 if measure.CUTOFF_REQUIRED else measure for measure in MEASURES]
"""Every measure at its defaults; those that need a cutoff have one."""

Calls = Iterator[dict[str, Call]]
"""Groups of calls, each with the one first to which the others of the group are compared."""
calculate: Callable[..., Any] = ir_measures.calc_aggregate


def alone(inputs: Inputs) -> Calls:
    """A call for each measure. Each call has new `Topics`, because these cache values that measures share."""
    qrels, run = inputs.of_form("Arrow")
    ranks = reduced(judged_of(read_qrels(qrels)), read_run(run))

    def values(measure: GradedMeasure) -> Any:
        of = ranks.condensed if measure["judged_only"] else ranks
        cutoff = measure["cutoff"] if measure.CUTOFF_REQUIRED else None
        return measure.values(Topics(of, measure.weighting, cutoff))

    chosen = dict.fromkeys([nDCG_JK, *ALL, KendallTau(variant="c")])
    yield {str(measure): partial(values, measure) for measure in chosen}


def whole(inputs: Inputs) -> Calls:
    several = {
        "one measure": [nDCG_JK @ 100],
        "the measure at twenty cutoffs": [nDCG_JK @ cutoff for cutoff in range(5, 101, 5)],
        f"all {len(ALL)} measures": ALL,
    }
    for form in ("frame, str", "frame, object", "dicts"):
        files = inputs.of_form(form)
        yield {f"{form}: {what}": partial(calculate, of, *files) for what, of in several.items()}


def standard(inputs: Inputs) -> Calls:
    for form in ("frame, str", "frame, object"):
        given = inputs.of_form(form)
        several = {"graded": [MEASURE], "graded and standard": MIXED}
        yield accelerated(
            {f"{form}: {name}": partial(calculate, of, *given) for name, of in several.items()}
        )


def on_files(inputs: Inputs) -> Calls:
    """The command itself chooses how it computes standard measures."""
    given = inputs.of_form("files")
    through_ir_measures = {"ir-measures": lambda: calculate(MIXED, *read_by_ir_measures(*given))}
    yield {
        "the command, graded": partial(mean_of_command, *given),
        "the command, graded and standard": partial(mean_of_command, *given, MIXED),
        **accelerated(through_ir_measures),
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
    """Labels 0 … 4 as frequent as in MSLR, some relevant in every group, and scores without ties."""
    random = np.random.default_rng(1)
    labels = random.choice(5, (shape.topics, shape.retrieved), p=[0.52, 0.32, 0.13, 0.02, 0.01])
    labels[:, 0] = 1
    return labels, random.permutation(labels.size).reshape(labels.shape).astype(np.float32)


def arrays(inputs: Inputs) -> Calls:
    """Calls that return the mean, for this package and the libraries that are installed."""
    labels, scores = labels_and_scores(inputs.shape)
    (groups, documents), gains = labels.shape, 2**labels - 1
    flat, sizes = (labels.ravel(), scores.ravel()), np.full(groups, documents)
    evaluator = ArrayEvaluator("nDCG_Burges@10", flat[0], sizes)
    calls: dict[str, Call] = {
        "ir-measures-graded, labels reduced before": lambda: evaluator.means(flat[1])[0],
        "ir-measures-graded": lambda: array_mean("nDCG_Burges@10", *flat, sizes),
    }
    if find_spec("sklearn"):
        from sklearn.metrics import ndcg_score

        calls["scikit-learn"] = lambda: ndcg_score(gains, scores, k=10)
    features = np.zeros((flat[0].size, 1))
    if find_spec("lightgbm"):
        import lightgbm

        settings = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1}
        data = lightgbm.Dataset(features, flat[0], group=sizes, init_score=flat[1])
        held = lightgbm.Booster(settings | {"feature_pre_filter": False}, data)
        calls["LightGBM"] = lambda: held.eval_train()[0][2]
    if find_spec("xgboost"):
        import xgboost

        matrix = xgboost.DMatrix(features, flat[0], base_margin=flat[1])
        matrix.set_group(sizes)
        booster = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": "ndcg@10"}, [matrix])
        calls["XGBoost"] = lambda: float(booster.eval_set([(matrix, "given")]).rpartition(":")[2])
    yield calls


TABLES: dict[str, Callable[[Inputs], Calls]] = {
    "alone": alone,
    "whole": whole,
    "standard": standard,
    "files": on_files,
    "arrays": arrays,
}


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(__doc__, INPUTS).parse_args(argv)
    with TemporaryDirectory() as folder, Report(arguments) as report:
        for name in arguments.workloads or ["M"]:
            for table, groups in TABLES.items():
                if (table == "arrays") != (name == "groups"):
                    continue
                for calls in groups(Inputs(TINY, Path(folder, "tiny"))):
                    for call in calls.values():
                        call()  # imports and compilation must not be timed
                for calls in groups(Inputs(INPUTS[name], Path(folder, name))):
                    wanted = {
                        what: call
                        for what, call in calls.items()
                        if report.wanted(f"{table}/{what}")
                    }
                    times = report.medians(wanted, time.process_time)
                    for what, each in times.items():
                        ratio = each / next(iter(times.values()))
                        report.row(f"{name}: {table}", what=what, ms=1e3 * each, ratio=ratio)


if __name__ == "__main__":
    main()
