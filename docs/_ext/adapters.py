"""Adapters of a few lines each, which run other tools on the test vectors, and for the tests of
other pages.

An adapter takes the name of the tool's metric, qrels and a run, and returns the tool's values by
topic. `TOOLS` has the distribution of each tool, its adapter, and its name for each measure string
of this package.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Topics = dict[str, dict[str, float]]
Adapter = Callable[[str, Topics, Topics], dict[str, float]]


def pytrec_eval(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pytrec_eval

    found = pytrec_eval.RelevanceEvaluator(qrels, {metric}).evaluate(run)
    return {topic: value for topic, values in found.items() for value in values.values()}


def ranx(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import ranx

    found = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), found, metric, make_comparable=True)
    return dict(found.scores[metric])


def trectools(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pandas
    from trectools import TrecEval, TrecQrel, TrecRun

    judged, listed = TrecQrel(), TrecRun()
    judged.qrels_data = pandas.DataFrame(rows(qrels), columns=["query", "docid", "rel"])
    listed.run_data = pandas.DataFrame(in_order(run), columns=["query", "docid", "rank", "score"])
    name, _, depth = metric.partition("@")
    given = {"depth": int(depth)} if depth else {}
    found = getattr(TrecEval(listed, judged), f"get_{name}")(per_query=True, **given)
    return {topic: float(value) for topic, value in found.iloc[:, 0].items()}


def ntcireval(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pyNTCIREVAL.metrics

    name, _, arguments = metric.partition(" ")
    found: dict[str, float] = {}
    lists: dict[str, list[str]] = {topic: [] for topic in qrels}
    for topic, doc, _, _ in in_order(run):
        lists.setdefault(topic, []).append(doc)
    for topic, judged in qrels.items():
        levels = range(1, int(max([1, *judged.values()])) + 1)
        counts = [sum(level == each for level in judged.values()) for each in (0, *levels)]
        graded = [] if name in ("Precision", "RR") else [counts, [*levels]]
        of = getattr(pyNTCIREVAL.metrics, name)(*graded, *map(literal_eval, arguments.split()))
        found[topic] = of.compute([(doc, judged.get(doc, 0)) for doc in lists[topic]])
    return found


def duckdb(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import duckdb
    import pandas

    tables = {
        "qrels": pandas.DataFrame(rows(qrels), columns=["topic", "doc", "level"]),
        "run": pandas.DataFrame(rows(run), columns=["topic", "doc", "score"]),
    }
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return dict(connection.execute(SQL).fetchall())


SQL = """
WITH ranked AS (
    SELECT *, row_number() OVER (PARTITION BY topic ORDER BY score::FLOAT DESC, doc DESC) AS rank FROM run
), ideal AS (
    SELECT *, row_number() OVER (PARTITION BY topic ORDER BY level DESC) AS rank FROM qrels
), dcg AS (
    SELECT topic, sum(greatest(level, 0) / log2(rank + 1)) AS dcg
    FROM ranked JOIN qrels USING (topic, doc) WHERE rank <= 3 GROUP BY topic
), best AS (
    SELECT topic, sum(greatest(level, 0) / log2(rank + 1)) AS best FROM ideal WHERE rank <= 3 GROUP BY topic
)
SELECT topic, coalesce(dcg / nullif(best, 0), 0) AS ndcg FROM best LEFT JOIN dcg USING (topic)
"""


def mlflow(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pandas
    from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k

    of = {"ndcg": ndcg_at_k, "precision": precision_at_k, "recall": recall_at_k}[metric](3)
    lists = {
        topic: [doc for _, doc, _, _ in in_order({topic: run.get(topic, {})})] for topic in qrels
    }
    relevant = {
        topic: [doc for doc, level in judged.items() if level > 0]
        for topic, judged in qrels.items()
    }
    scores = of.eval_fn(
        pandas.Series([*lists.values()]), pandas.Series([*relevant.values()])
    ).scores
    return dict(zip(qrels, map(float, scores)))


def recommenders(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pandas
    from recommenders.evaluation import python_evaluation

    true = pandas.DataFrame(rows(qrels), columns=["userID", "itemID", "rating"])
    listed = pandas.DataFrame(rows(run), columns=["userID", "itemID", "prediction"])
    known = {"relevancy_method": "top_k", "k": 3}
    extra = {"score_type": "raw", "discfun_type": "log2"} if metric == "ndcg_at_k" else {}
    found = {}
    for topic in qrels:  # the functions return the mean over all users
        one = true[(true.userID == topic) & (true.rating > 0)], listed[listed.userID == topic]
        found[topic] = float(getattr(python_evaluation, metric)(*one, **known, **extra))
    return found


def implicit(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    found = {}
    for topic, judged in qrels.items():
        docs = [*{**judged, **run.get(topic, {})}, *range(5)]  # and a few other items
        listed = [docs.index(doc) for _, doc, _, _ in in_order({topic: run.get(topic, {})})]
        found[topic] = ranking_metrics_at_k(
            Listed(listed), csr_matrix((1, len(docs))), csr_matrix([[judged.get(doc, 0) for doc in docs]]),
            K=3, show_progress=False, num_threads=1,
        )[metric]  # fmt: skip
    return found


class Listed:
    """A recommender that returns a given list."""

    def __init__(self, listed: list[int]):
        self.listed = listed

    def recommend(self, users: Any, _: Any, N: int, **__: Any) -> tuple[np.ndarray, np.ndarray]:
        shown = [*self.listed, *[-1] * N][:N]
        return np.array([shown] * len(users), dtype=np.int32), np.ones(
            (len(users), N), dtype=np.float32
        )


def recbole(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    from recbole.evaluator import metrics

    np.float = float  # RecBole is written for NumPy before 1.24
    of = getattr(metrics, metric)({"metric_decimal_place": 8, "topk": [3]})
    found = {}
    for topic, judged in qrels.items():
        relevant = {doc for doc, level in judged.items() if level > 0}
        hits = [doc in relevant for _, doc, _, _ in in_order({topic: run.get(topic, {})})]
        hits = np.array([[*hits, False, False, False][:3]])
        number = [] if metric == "Precision" else [np.array([len(relevant)])]
        found[topic] = float(of.metric_info(hits, *number)[0, -1])
    return found


def grouped(value: Callable[[str, np.ndarray, np.ndarray], float]) -> Adapter:
    """An adapter of a tool that takes the labels and scores of one group, such as a library for
    rankers.

    The group has all retrieved and all judged documents. Those that were not retrieved have the
    lowest score.
    """

    def values(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
        found = {}
        for topic, judged in qrels.items():
            scores = run.get(topic, {})
            lowest = min(scores.values(), default=0.0) - 1
            docs = list(dict.fromkeys([*scores, *judged]))
            labels = np.array([float(judged.get(doc, 0)) for doc in docs])
            found[topic] = float(
                value(metric, labels, np.array([scores.get(doc, lowest) for doc in docs]))
            )
        return found

    return values


@grouped
def scikit_learn(metric: str, labels: np.ndarray, scores: np.ndarray) -> float:
    import sklearn.metrics

    name, _, k = metric.partition("@")
    metric_of = getattr(sklearn.metrics, name)
    return metric_of([labels], [scores], k=int(k)) if k else metric_of(labels > 0, scores)


@grouped
def torchmetrics(metric: str, labels: np.ndarray, scores: np.ndarray) -> float:
    import torch
    import torchmetrics.functional.retrieval as functional

    name, _, k = metric.partition("@")
    graded = name == "retrieval_normalized_dcg"
    target = torch.tensor(labels).to(torch.int64) if graded else torch.tensor(labels > 0)
    if graded and (labels != labels.round()).any():
        raise ValueError("levels must be whole numbers")
    given = {"top_k": int(k)} if k else {}
    return getattr(functional, name)(torch.tensor(scores, dtype=torch.float32), target, **given)


@grouped
def lightgbm(metric: str, labels: np.ndarray, scores: np.ndarray) -> float:
    import lightgbm

    name, _, k = metric.partition("@")
    few = {"verbose": -1, "min_data_in_leaf": 1, "feature_pre_filter": False}
    data = lightgbm.Dataset(
        np.zeros((len(labels), 1)), labels, group=[len(labels)], init_score=scores, params=few
    )
    settings = {
        "objective": "lambdarank",
        "metric": name,
        "eval_at": [int(k)],
        "learning_rate": 1e-300,
    }
    found: dict[str, Any] = {}  # after a round that changes no score
    lightgbm.train(
        settings | {"verbose": -1, "num_leaves": 2, "num_threads": 1}, data, 1, [data], ["given"],
        callbacks=[lightgbm.record_evaluation(found)],
    )  # fmt: skip
    return found["given"][metric][0]


@grouped
def xgboost(metric: str, labels: np.ndarray, scores: np.ndarray) -> float:
    import xgboost

    label = labels if metric.startswith("ndcg") else labels > 0
    data = xgboost.DMatrix(np.zeros((len(labels), 1)), label=label, base_margin=scores)
    data.set_group([len(labels)])
    settings = {"objective": "rank:ndcg", "eval_metric": metric, "nthread": 1}
    return float(xgboost.Booster(settings, [data]).eval_set([(data, "given")]).rpartition(":")[2])


@grouped
def catboost(metric: str, labels: np.ndarray, scores: np.ndarray) -> float:
    import catboost.utils

    return catboost.utils.eval_metric(
        labels, scores, metric, group_id=[0] * len(labels), thread_count=1
    )[0]


def rows(topics: Topics) -> list[tuple[str, str, float]]:
    """Topic, document and number of each entry."""
    return [(topic, doc, number) for topic, docs in topics.items() for doc, number in docs.items()]


def in_order(run: Topics) -> list[tuple[str, str, int, float]]:
    """Topic, document, rank and score, for tools that read ranks: in the order of trec_eval."""
    return [
        (topic, doc, rank, score)
        for topic, docs in run.items()
        for rank, (doc, score) in enumerate(
            sorted(
                docs.items(), key=lambda each: (np.float32(each[1]), each[0].encode()), reverse=True
            ),
            1,
        )
    ]


class Tool(NamedTuple):
    """A tool: the distribution whose version is shown, its adapter, and its metric by measure
    string.
    """

    distribution: str
    adapter: Adapter
    metrics: dict[str, str]


LINEAR = "nDCG_Burges(gains='linear')@3"
TOOLS = {
    "pytrec_eval (trec_eval)": Tool("pytrec_eval-terrier", pytrec_eval, {
        "P@3": "P.3", "R@3": "recall.3", "RR": "recip_rank", "AP": "map", "AP@3": "map_cut.3",
        LINEAR: "ndcg_cut.3", "nDCG": "ndcg", "Rprec": "Rprec", "Bpref": "bpref", "Success@1": "success.1",
    }),
    "ranx": Tool("ranx", ranx, {
        "P@3": "precision@3", "R@3": "recall@3", "RR": "mrr", "AP": "map", "AP@3": "map@3", LINEAR: "ndcg@3",
        "nDCG": "ndcg", "nDCG_Burges@3": "ndcg_burges@3", "Rprec": "r-precision",
        "Success@1": "hit_rate@1",
    }),
    "trectools": Tool("trectools", trectools, {
        "P@3": "precision@3", "RR": "reciprocal_rank", "AP": "map", LINEAR: "ndcg@3",
    }),
    "pyNTCIREVAL": Tool("pyNTCIREVAL", ntcireval, {
        "P@3": "Precision 3", "RR": "RR", "AP": "AP", LINEAR: "MSnDCG 3", "nDCG_JK@3": "nDCG 2 3",
        "Q": "QMeasure 1", "Q@3": "QMeasure 1 3",
    }),
    "DuckDB (SQL recipe)": Tool("duckdb", duckdb, {LINEAR: "SQL"}),
    "scikit-learn": Tool("scikit-learn", scikit_learn, {
        "AP": "average_precision_score", LINEAR: "ndcg_score@3",
    }),
    "torchmetrics": Tool("torchmetrics", torchmetrics, {
        "P@3": "retrieval_precision@3", "R@3": "retrieval_recall@3", "RR": "retrieval_reciprocal_rank",
        "AP": "retrieval_average_precision", LINEAR: "retrieval_normalized_dcg@3",
        "Rprec": "retrieval_r_precision", "Success@1": "retrieval_hit_rate@1",
    }),
    "LightGBM": Tool("lightgbm", lightgbm, {"AP@3": "map@3", "nDCG_Burges@3": "ndcg@3"}),
    "XGBoost": Tool("xgboost", xgboost, {"P@3": "pre@3", "AP@3": "map@3-", "nDCG_Burges@3": "ndcg@3-"}),
    "CatBoost": Tool("catboost", catboost, {
        "P@3": "PrecisionAt:top=3;border=0.5", "R@3": "RecallAt:top=3;border=0.5", "RR": "MRR:border=0.5",
        "AP@3": "MAP:top=3;border=0.5", LINEAR: "NDCG:top=3", "nDCG_Burges@3": "NDCG:top=3;type=Exp",
    }),
    "mlflow": Tool("mlflow", mlflow, {"P@3": "precision", "R@3": "recall", LINEAR: "ndcg"}),
    "recommenders": Tool("recommenders", recommenders, {
        "P@3": "precision_at_k", "R@3": "recall_at_k", "AP@3": "map_at_k", LINEAR: "ndcg_at_k",
    }),
    "implicit": Tool("implicit", implicit, {"P@3": "precision", "AP@3": "map", LINEAR: "ndcg"}),
    "RecBole": Tool("recbole", recbole, {
        "P@3": "Precision", "R@3": "Recall", "AP@3": "MAP", LINEAR: "NDCG",
    }),
}  # fmt: skip
