"""Times that share a table: measures, options, several runs, standard measures, imports, arrays of labels.

    python tests/benchmarks/costs.py [S M L X few T3 … T6 groups] [--only TABLE/CALL …] [--json FILE]

The workloads are those of workloads.py. `few` is M with nine of ten retrieved documents unjudged. T3 to T6
are one topic with a thousand to a million documents and as many levels. `groups` is for ``arrays`` and
``round``, which are measured on no other workload. The tables are:

- ``alone``: each measure, given the judged ranks.
- ``options``: whole calls with `ties` and `unjudged`. ``whole``: calls with one measure and with many.
- ``runs``: a later run on the same evaluator, with all topics and with one.
- ``standard``, ``files``: nDCG_JK(b=2)@100 together with nDCG@10 and AP, with and without `accelerate()`.
- ``starts``: new interpreters. The difference of the second and the third row is the cost of the import.
- ``arrays``: the mean nDCG@10 with exponential gains of scores without ties, which all compute alike.
  LightGBM and XGBoost evaluate scores that they hold already; all others get arrays.
- ``round``: a boosting round of LightGBM, and evaluations of the model's scores. The first evaluation after
  a round also pays for LightGBM's copy of the scores, so it is a metric that computes nothing.

`ratio` is a time divided by that of the first row of its group. Times are those of the processor, of all
threads, so other programs on the machine change them little; those of ``starts`` are elapsed times.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
from ir_measures import AP, nDCG
from measuring import Call, Command, Report, options
from workloads import SHAPES, Shape

import ir_measures_graded
from ir_measures_graded import ArrayEvaluator, GradedMeasure, KendallTau, array_mean, nDCG_JK, parse_measure
from ir_measures_graded.core.measures import MEASURES
from ir_measures_graded.core.measures.topics import Topics
from ir_measures_graded.core.reduction import judged_of, reduced
from ir_measures_graded.core.rows.in_memory import read_qrels, read_run
from ir_measures_graded.core.uncertainty import with_option
from peers import MEASURE, TINY, Inputs, mean_of_command, read_by_ir_measures

INPUTS = {**SHAPES, "few": replace(SHAPES["M"], judged=(200, 200))}
INPUTS |= {f"T{n}": Shape(1, 10**n, (10**n, 10**n), (0, 10**n)) for n in (3, 4, 5, 6)}
INPUTS["groups"] = Shape(10_000, 120, (120, 120), (0, 4))
TIED = ("nDCG_JK@100", "nDCG_JK", "Q", "muAP", "ERR_G@100", "EBR@100")
UNJUDGED = ("nDCG_JK@10", "nDCG_JK@100")
MIXED = [MEASURE, nDCG @ 10, AP]

Calls = Iterator[dict[str, Call]]
"""Groups of calls, each with the one first to which the others of the group are compared."""
calculate: Callable[..., Any] = ir_measures.calc_aggregate


def alone(inputs: Inputs) -> Calls:
    """A call for each measure. Each call has new `Topics`, because these cache values that measures share."""
    qrels, run = inputs.of_form("Arrow")
    ranks = reduced(judged_of(read_qrels(qrels)), read_run(run))

    def values(measure: GradedMeasure) -> Any:
        of = ranks.condensed if measure["judged_only"] else ranks
        return measure.values(Topics(of, measure["gains"], None))

    chosen = dict.fromkeys([nDCG_JK, *MEASURES, KendallTau(variant="c")])
    yield {str(measure): partial(values, measure) for measure in chosen}


def with_options(inputs: Inputs) -> Calls:
    files = inputs.of_form("Arrow")
    for option, words, names in (("ties", ("mean", "max"), TIED), ("unjudged", ("min", "max"), UNJUDGED)):
        for measure in map(parse_measure, names):
            chosen = [measure, *filter(None, (with_option(measure, option, word) for word in words))]
            yield {str(each): partial(each.calc_aggregate, *files) for each in chosen}


def whole(inputs: Inputs) -> Calls:
    several = {
        "one measure": [nDCG_JK @ 100],
        "the measure at twenty cutoffs": [nDCG_JK @ cutoff for cutoff in range(5, 101, 5)],
        f"all {len(MEASURES)} measures": MEASURES,
    }
    for form in ("frame, str", "frame, object", "dicts"):
        files = inputs.of_form(form)
        yield {f"{form}: {what}": partial(calculate, of, *files) for what, of in several.items()}


def runs(inputs: Inputs) -> Calls:
    qrels, run = inputs.of_form("frame, str")
    evaluator = ir_measures.evaluator([MEASURE], qrels)
    yield {
        "a run and its qrels": partial(calculate, [MEASURE], qrels, run),
        "a second run": partial(evaluator.calc_aggregate, run),
        "of one topic": partial(evaluator.calc_aggregate, run[run["query_id"] == run["query_id"].iloc[0]]),
    }


def standard(inputs: Inputs) -> Calls:
    for form in ("frame, str", "frame, object"):
        given = inputs.of_form(form)
        several = {"graded": [MEASURE], "graded and standard": MIXED}
        yield accelerated({f"{form}: {name}": partial(calculate, of, *given) for name, of in several.items()})


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


def starts(_: Inputs) -> Calls:
    base = "import ir_measures, numpy, pluggy"
    words = {
        "python, doing nothing": ("-c", ""),
        f"python, {base}": ("-c", base),
        f"python, {base}, ir_measures_graded": ("-c", f"{base}, ir_measures_graded"),
        "python -m ir_measures_graded --version": ("-m", "ir_measures_graded", "--version"),
    }
    yield {what: Command((sys.executable, *each)).run for what, each in words.items()}


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
    flat, sizes, ids = (labels.ravel(), scores.ravel()), np.full(groups, documents), np.arange(groups)
    evaluator = ArrayEvaluator("nDCG_Burges@10", flat[0], sizes)
    calls: dict[str, Call] = {
        "ir-measures-graded, labels reduced before": lambda: evaluator.means(flat[1])[0],
        "ir-measures-graded": lambda: array_mean("nDCG_Burges@10", *flat, sizes),
    }
    if find_spec("sklearn"):
        from sklearn.metrics import ndcg_score

        calls["scikit-learn"] = lambda: ndcg_score(gains, scores, k=10)
    if find_spec("ranx"):
        from ranx.metrics import ndcg_burges

        columns = np.broadcast_to(np.arange(documents), labels.shape)
        qrels = _sorted(np.stack((columns, labels), axis=2).astype(np.float64))
        calls["ranx, on arrays"] = lambda: np.mean(
            ndcg_burges(qrels, _sorted(np.stack((columns, scores), axis=2).astype(np.float64)), 10)
        )
    if find_spec("torchmetrics"):
        import torch
        from torchmetrics.retrieval import RetrievalNormalizedDCG

        indexes = torch.arange(groups).repeat_interleave(documents)
        tensors = torch.tensor(flat[1]), torch.tensor(gains.ravel())
        calls["torchmetrics"] = lambda: float(RetrievalNormalizedDCG(top_k=10)(*tensors, indexes))
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
    if find_spec("catboost"):
        from catboost.utils import eval_metric

        group = np.repeat(ids, documents)
        calls["CatBoost"] = lambda: eval_metric(*flat, "NDCG:top=10;type=Exp", group_id=group)[0]
    yield calls


def _sorted(table: np.ndarray) -> np.ndarray:
    """Rows of a document and a value in descending order of the value, as ranx wants them."""
    return np.take_along_axis(table, np.argsort(-table[:, :, 1:], axis=1, kind="stable"), axis=1)


def beside_a_round(inputs: Inputs) -> Calls:
    """A round on 136 features, and evaluations of the scores after the rounds so far."""
    if not find_spec("lightgbm"):
        return
    import lightgbm

    from ir_measures_graded.integrations.boosting import lightgbm_metric

    labels, _ = labels_and_scores(inputs.shape)
    values = np.random.default_rng(2).random((labels.size, 136), dtype=np.float32)
    data = lightgbm.Dataset(values, labels.ravel(), group=np.full(len(labels), labels.shape[1]))
    # Waiting threads of LightGBM would use processor time after a round.
    settings = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1}
    booster = lightgbm.Booster(settings, data)
    metrics: dict[str, Any] = {"LightGBM's copy of the scores": lambda scores, data: ("nothing", 0.0, True)}
    names = ("nDCG_JK@10", "nDCG_Burges@10", "nDCG@10", "ERR_G@10", "AP")
    metrics |= {name: lightgbm_metric(name) for name in names}
    evaluations = {name: partial(booster.eval_train, metric) for name, metric in metrics.items()}
    yield {"a boosting round of LightGBM": booster.update, **evaluations}


TABLES: dict[str, Callable[[Inputs], Calls]] = {
    "alone": alone,
    "options": with_options,
    "whole": whole,
    "runs": runs,
    "standard": standard,
    "files": on_files,
    "starts": starts,
    "arrays": arrays,
    "round": beside_a_round,
}


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(__doc__, argv, workloads=INPUTS)
    with TemporaryDirectory() as folder, Report(arguments) as report:
        for name in arguments.workloads or ["M"]:
            for table, groups in TABLES.items():
                if (table in ("arrays", "round")) != (name == "groups"):
                    continue
                for calls in groups(Inputs(TINY, Path(folder, "tiny"))):
                    for call in calls.values():
                        call()  # imports and compilation must not be timed
                clock = time.perf_counter if table == "starts" else time.process_time
                for calls in groups(Inputs(INPUTS[name], Path(folder, name))):
                    wanted = {what: call for what, call in calls.items() if report.wanted(f"{table}/{what}")}
                    times = report.medians(wanted, clock)
                    for what, each in times.items():
                        ratio = each / next(iter(times.values()))
                        report.row(f"{name}: {table}", what=what, ms=1e3 * each, ratio=ratio)


if __name__ == "__main__":
    main()
