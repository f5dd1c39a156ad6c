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

    by_topic = pytrec_eval.RelevanceEvaluator(qrels, {metric}).evaluate(run)
    return {topic: value for topic, values in by_topic.items() for value in values.values()}


def ranx(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import ranx

    ranx_run = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), ranx_run, metric, make_comparable=True)
    return dict(ranx_run.scores[metric])


def trectools(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pandas
    from trectools import TrecEval, TrecQrel, TrecRun

    judged = TrecQrel()
    judged.qrels_data = pandas.DataFrame(rows(qrels), columns=["query", "docid", "rel"])
    listed = TrecRun()
    listed.run_data = pandas.DataFrame(in_order(run), columns=["query", "docid", "rank", "score"])
    name, _, depth = metric.partition("@")
    options = {"depth": int(depth)} if depth else {}
    compute = getattr(TrecEval(listed, judged), f"get_{name}")
    by_topic = compute(per_query=True, **options)
    return {topic: float(value) for topic, value in by_topic.iloc[:, 0].items()}


def ntcireval(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pyNTCIREVAL.metrics

    name, _, arguments = metric.partition(" ")
    metric_class = getattr(pyNTCIREVAL.metrics, name)
    by_topic: dict[str, float] = {}
    lists: dict[str, list[str]] = {topic: [] for topic in qrels}
    for topic, doc, _, _ in in_order(run):
        lists.setdefault(topic, []).append(doc)
    for topic, judged in qrels.items():
        highest = int(max([1, *judged.values()]))
        levels = list(range(1, highest + 1))
        judged_levels = list(judged.values())
        counts = [judged_levels.count(level) for level in (0, *levels)]
        graded = [] if name in ("Precision", "RR") else [counts, levels]
        metric_of_topic = metric_class(*graded, *map(literal_eval, arguments.split()))
        by_topic[topic] = metric_of_topic.compute(
            [(doc, judged.get(doc, 0)) for doc in lists[topic]]
        )
    return by_topic


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
    SELECT *, row_number() OVER (PARTITION BY topic ORDER BY score::FLOAT DESC, doc DESC) AS rank
    FROM run
), ideal AS (
    SELECT *, row_number() OVER (PARTITION BY topic ORDER BY level DESC) AS rank FROM qrels
), dcg AS (
    SELECT topic, sum(greatest(level, 0) / log2(rank + 1)) AS dcg
    FROM ranked JOIN qrels USING (topic, doc) WHERE rank <= 3 GROUP BY topic
), best AS (
    SELECT topic, sum(greatest(level, 0) / log2(rank + 1)) AS best
    FROM ideal WHERE rank <= 3 GROUP BY topic
)
SELECT topic, coalesce(dcg / nullif(best, 0), 0) AS ndcg FROM best LEFT JOIN dcg USING (topic)
"""


def mlflow(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pandas
    from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k

    metrics = {"ndcg": ndcg_at_k, "precision": precision_at_k, "recall": recall_at_k}
    metric_at_3 = metrics[metric](3)
    lists = [documents_of(run, topic) for topic in qrels]
    relevant = [[doc for doc, level in judged.items() if level > 0] for judged in qrels.values()]
    computed = metric_at_3.eval_fn(pandas.Series(lists), pandas.Series(relevant))
    return dict(zip(qrels, map(float, computed.scores)))


def recommenders(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    import pandas
    from recommenders.evaluation import python_evaluation

    true = pandas.DataFrame(rows(qrels), columns=["userID", "itemID", "rating"])
    listed = pandas.DataFrame(rows(run), columns=["userID", "itemID", "prediction"])
    options = {"relevancy_method": "top_k", "k": 3}
    if metric == "ndcg_at_k":
        options |= {"score_type": "raw", "discfun_type": "log2"}
    compute = getattr(python_evaluation, metric)
    by_topic = {}
    for topic in qrels:  # the functions return the mean over all users
        relevant = true[(true.userID == topic) & (true.rating > 0)]
        listed_of_topic = listed[listed.userID == topic]
        by_topic[topic] = float(compute(relevant, listed_of_topic, **options))
    return by_topic


def implicit(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    by_topic = {}
    for topic, judged in qrels.items():
        docs = [*{**judged, **run.get(topic, {})}, *range(5)]  # and a few other items
        listed = Listed([docs.index(doc) for doc in documents_of(run, topic)])
        nothing = csr_matrix((1, len(docs)))
        levels = csr_matrix([[judged.get(doc, 0) for doc in docs]])
        metrics = ranking_metrics_at_k(
            listed, nothing, levels, K=3, show_progress=False, num_threads=1
        )
        by_topic[topic] = metrics[metric]
    return by_topic


class Listed:
    """A recommender that returns a given list."""

    def __init__(self, listed: list[int]):
        self.listed = listed

    def recommend(self, users: Any, _: Any, N: int, **__: Any) -> tuple[np.ndarray, np.ndarray]:
        filled = [*self.listed, *[-1] * N]
        items = np.array([filled[:N]] * len(users), dtype=np.int32)
        scores = np.ones((len(users), N), dtype=np.float32)
        return items, scores


def recbole(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
    from recbole.evaluator import metrics

    np.float = float  # RecBole is written for NumPy before 1.24
    metric_at_3 = getattr(metrics, metric)({"metric_decimal_place": 8, "topk": [3]})
    by_topic = {}
    for topic, judged in qrels.items():
        relevant = {doc for doc, level in judged.items() if level > 0}
        hits = [doc in relevant for doc in documents_of(run, topic)]
        first_hits = np.array([[*hits, False, False, False][:3]])
        number = [] if metric == "Precision" else [np.array([len(relevant)])]
        by_topic[topic] = float(metric_at_3.metric_info(first_hits, *number)[0, -1])
    return by_topic


def grouped(value: Callable[[str, np.ndarray, np.ndarray], float]) -> Adapter:
    """An adapter of a tool that takes the labels and scores of one group, such as a library for
    rankers.

    The group has all retrieved and all judged documents. Those that were not retrieved have the
    lowest score.
    """

    def values(metric: str, qrels: Topics, run: Topics) -> dict[str, float]:
        by_topic = {}
        for topic, judged in qrels.items():
            score_of = run.get(topic, {})
            lowest = min(score_of.values(), default=0.0) - 1
            docs = list(dict.fromkeys([*score_of, *judged]))
            labels = np.array([float(judged.get(doc, 0)) for doc in docs])
            scores = np.array([score_of.get(doc, lowest) for doc in docs])
            by_topic[topic] = float(value(metric, labels, scores))
        return by_topic

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
    options = {"top_k": int(k)} if k else {}
    predicted = torch.tensor(scores, dtype=torch.float32)
    return getattr(functional, name)(predicted, target, **options)


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
        "verbose": -1,
        "num_leaves": 2,
        "num_threads": 1,
    }
    values: dict[str, Any] = {}  # after a round that changes no score
    record = lightgbm.record_evaluation(values)
    lightgbm.train(settings, data, 1, [data], ["data"], callbacks=[record])
    return values["data"][metric][0]


@grouped
def xgboost(metric: str, labels: np.ndarray, scores: np.ndarray) -> float:
    import xgboost

    label = labels if metric.startswith("ndcg") else labels > 0
    data = xgboost.DMatrix(np.zeros((len(labels), 1)), label=label, base_margin=scores)
    data.set_group([len(labels)])
    settings = {"objective": "rank:ndcg", "eval_metric": metric, "nthread": 1}
    message = xgboost.Booster(settings, [data]).eval_set([(data, "data")])
    return float(message.rpartition(":")[2])


@grouped
def catboost(metric: str, labels: np.ndarray, scores: np.ndarray) -> float:
    import catboost.utils

    one_group = [0] * len(labels)
    values = catboost.utils.eval_metric(labels, scores, metric, group_id=one_group, thread_count=1)
    return values[0]


def rows(topics: Topics) -> list[tuple[str, str, float]]:
    """Topic, document and number of each entry."""
    return [(topic, doc, number) for topic, docs in topics.items() for doc, number in docs.items()]


def in_order(run: Topics) -> list[tuple[str, str, int, float]]:
    """Topic, document, rank and score, for tools that read ranks: in the order of trec_eval."""
    ranked = []
    for topic, docs in run.items():
        best_first = sorted(docs.items(), key=_place_in_trec_eval, reverse=True)
        for rank, (doc, score) in enumerate(best_first, start=1):
            ranked.append((topic, doc, rank, score))
    return ranked


def _place_in_trec_eval(entry: tuple[str, float]) -> tuple[np.float32, bytes]:
    """What trec_eval sorts a document by, descending: its score in 32 bits, then its id."""
    doc, score = entry
    return np.float32(score), doc.encode()


def documents_of(run: Topics, topic: str) -> list[str]:
    """The documents of a topic, in the order of trec_eval."""
    return [doc for _, doc, _, _ in in_order({topic: run.get(topic, {})})]


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
        LINEAR: "ndcg_cut.3", "nDCG": "ndcg", "Rprec": "Rprec", "Bpref": "bpref",
        "Success@1": "success.1",
    }),
    "ranx": Tool("ranx", ranx, {
        "P@3": "precision@3", "R@3": "recall@3", "RR": "mrr", "AP": "map", "AP@3": "map@3",
        LINEAR: "ndcg@3", "nDCG": "ndcg", "nDCG_Burges@3": "ndcg_burges@3", "Rprec": "r-precision",
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
        "P@3": "retrieval_precision@3", "R@3": "retrieval_recall@3",
        "RR": "retrieval_reciprocal_rank", "AP": "retrieval_average_precision",
        LINEAR: "retrieval_normalized_dcg@3",
        "Rprec": "retrieval_r_precision", "Success@1": "retrieval_hit_rate@1",
    }),
    "LightGBM": Tool("lightgbm", lightgbm, {"AP@3": "map@3", "nDCG_Burges@3": "ndcg@3"}),
    "XGBoost": Tool("xgboost", xgboost, {
        "P@3": "pre@3", "AP@3": "map@3-", "nDCG_Burges@3": "ndcg@3-",
    }),
    "CatBoost": Tool("catboost", catboost, {
        "P@3": "PrecisionAt:top=3;border=0.5", "R@3": "RecallAt:top=3;border=0.5",
        "RR": "MRR:border=0.5", "AP@3": "MAP:top=3;border=0.5", LINEAR: "NDCG:top=3",
        "nDCG_Burges@3": "NDCG:top=3;type=Exp",
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
