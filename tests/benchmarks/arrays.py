"""Arrays of labels and scores, compared with other libraries and with a boosting round.

    python tests/benchmarks/arrays.py [--groups 10000] [--documents 120] [--features 136] [--json FILE]

The first table has the mean nDCG@10 with exponential gains of scores without ties, which all compute alike.
`kept` evaluates new scores with labels that are reduced already; `once` reduces both. LightGBM and XGBoost
evaluate scores that they hold already; all others get arrays. The second table has a boosting round of
LightGBM on data of this size, and evaluations of the model's scores. The first evaluation after a round also
pays for LightGBM's copy of the scores, so it is a metric that computes nothing.

`CPU ms` is the processor time of all threads, so other programs on the machine change it little. Repetitions
are interleaved; the tables show medians, and percent of the first row.
"""

import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from measuring import Call, Report, options

from ir_measures_graded import ArrayEvaluator, array_mean
from ir_measures_graded.integrations.boosting import lightgbm_metric

KEPT = "ir-measures-graded, kept"
ROUND = "a boosting round of LightGBM"
COPY = "LightGBM's copy of the scores"
BESIDE = ("nDCG_JK@10", "nDCG_Burges@10", "nDCG@10", "ERR_G@10", "AP")


def made(groups: int, documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels 0 … 4 as frequent as in MSLR, some relevant in every group, and scores without ties."""
    random = np.random.default_rng(1)
    labels = random.choice(5, (groups, documents), p=[0.52, 0.32, 0.13, 0.02, 0.01])
    labels[:, 0] = 1
    return labels, random.permutation(labels.size).reshape(labels.shape).astype(np.float32)


def contestants(labels: np.ndarray, scores: np.ndarray) -> dict[str, Call]:
    """Calls that return the mean, for this package and the libraries that are installed."""
    (groups, documents), gains = labels.shape, 2**labels - 1
    flat, sizes, ids = (labels.ravel(), scores.ravel()), np.full(groups, documents), np.arange(groups)
    evaluator = ArrayEvaluator("nDCG_Burges@10", flat[0], sizes)
    calls: dict[str, Call] = {
        KEPT: lambda: evaluator.means(flat[1])[0],
        "ir-measures-graded, once": lambda: array_mean("nDCG_Burges@10", *flat, sizes),
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
    return calls


def _sorted(table: np.ndarray) -> np.ndarray:
    """Rows of a document and a value in descending order of the value, as ranx wants them."""
    return np.take_along_axis(table, np.argsort(-table[:, :, 1:], axis=1, kind="stable"), axis=1)


def beside_a_round(labels: np.ndarray, features: int) -> dict[str, Call]:
    """A round, and evaluations of the scores after the rounds so far."""
    import lightgbm

    random = np.random.default_rng(2)
    values = random.random((labels.size, features), dtype=np.float32)
    data = lightgbm.Dataset(values, labels.ravel(), group=np.full(len(labels), labels.shape[1]))
    # Waiting threads of LightGBM would use processor time after a round.
    settings = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1}
    booster = lightgbm.Booster(settings, data)

    def evaluation(measure: str) -> Call:
        metric: Any = lightgbm_metric(measure)
        return lambda: booster.eval_train(metric)

    def nothing() -> object:
        return booster.eval_train(lambda scores, data: ("nothing", 0.0, True))

    return {ROUND: booster.update, COPY: nothing, **{measure: evaluation(measure) for measure in BESIDE}}


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(
        __doc__,
        argv,
        groups=(10_000, "groups"),
        documents=(120, "of a group"),
        features=(136, "of a document"),
    )
    labels, scores = made(arguments.groups, arguments.documents)
    tables = {"nDCG@10 of arrays": contestants(labels, scores)}
    if find_spec("lightgbm"):
        tables["beside a boosting round"] = beside_a_round(labels, arguments.features)
    with Report(arguments) as report:
        for title, calls in tables.items():
            for call in calls.values():
                call()  # compilation, and the reduction of the labels
            chosen = {what: call for what, call in calls.items() if report.wanted(what)}
            times = report.medians(chosen, time.process_time)
            for what, each in times.items():
                report.row(title, what=what, CPU_ms=1e3 * each, percent=100 * each / times[next(iter(times))])


if __name__ == "__main__":
    main()
