"""Tools that are installed, run on real data: `identify` finds each in its table, and no other values.

A ranker's group has the retrieved documents of a topic. `RUN` has the rows of the table.
"""

import gzip
import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import ir_measures
import numpy as np
import pytest

from ir_measures_graded import array_values, parse_measure
from ir_measures_graded.analysis import identify
from ir_measures_graded.analysis.identify.definitions import tools

TOPICS, DEPTH = 10, 50


def per_topic(module, value):
    """A function of qrels and run that calls `value` with a module, and labels and scores of each topic."""

    def values(qrels, run):
        peer = pytest.importorskip(module, reason=f"{module.partition('.')[0]} is not installed")
        listed = {topic: docs for topic, docs in run.items() if docs and topic in qrels}
        labels = {topic: [qrels[topic].get(doc, 0) for doc in docs] for topic, docs in listed.items()}
        return {
            topic: float(value(peer, np.array(labels[topic], dtype=float), np.array([*docs.values()])))
            for topic, docs in listed.items()
        }

    return values


def pytrec_eval(name):
    def values(qrels, run):
        peer = pytest.importorskip("pytrec_eval")
        found = peer.RelevanceEvaluator(qrels, {name}).evaluate(run)
        return {topic: next(iter(of.values())) for topic, of in found.items()}

    return values


def of_ir_measures(name):
    def values(qrels, run):
        try:
            return {metric.query_id: metric.value for metric in parse_measure(name).iter_calc(qrels, run)}
        except FileNotFoundError:
            pytest.skip("Perl is not installed")

    return values


def ranx(name):
    def values(qrels, run):
        peer = pytest.importorskip("ranx", reason="ranx is not installed")
        found = peer.Run({topic: run[topic] for topic in run if topic in qrels})
        peer.evaluate(peer.Qrels(qrels), found, name, make_comparable=True)
        return dict(found.scores[name])

    return values


def scikit_learn(name):
    def value(peer, labels, scores):
        return getattr(peer, name)([labels], [scores], k=10)

    return per_topic("sklearn.metrics", value)


def torchmetrics(name, kind):
    def value(peer, labels, scores):
        torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        target = torch.tensor(labels).to(getattr(torch, kind))
        return getattr(peer, name)(torch.tensor(scores, dtype=torch.float32), target, top_k=10)

    return per_topic("torchmetrics.functional.retrieval", value)


def lightgbm(peer, labels, scores):
    """The metric after a round that changes no score, which begins at the given scores."""
    data = peer.Dataset(
        np.zeros((len(labels), 1)), labels, group=[len(labels)], init_score=scores,
        params={"verbose": -1, "min_data_in_leaf": 1, "feature_pre_filter": False},
    )  # fmt: skip
    found = {}
    settings = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "learning_rate": 1e-300}
    peer.train(
        settings | {"verbose": -1, "num_leaves": 2, "num_threads": 1}, data, 1, [data], ["given"],
        callbacks=[peer.record_evaluation(found)],
    )  # fmt: skip
    return found["given"]["ndcg@10"][0]


def xgboost(metric):
    def value(peer, labels, scores):
        data = peer.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores)
        data.set_group([len(labels)])
        settings = {"objective": "rank:ndcg", "eval_metric": metric, "nthread": 1}
        return peer.Booster(settings, [data]).eval_set([(data, "given")]).rpartition(":")[2]

    return per_topic("xgboost", value)


def catboost(metric):
    def value(peer, labels, scores):
        return peer.eval_metric(labels, scores, metric, group_id=[0] * len(labels), thread_count=1)[0]

    return per_topic("catboost.utils", value)


def ntcireval(metric, *arguments):
    def values(qrels, run):
        peer = pytest.importorskip("pyNTCIREVAL.metrics", reason="pyNTCIREVAL is not installed")
        found = {}
        for topic, judged in qrels.items():
            counts = [sum(level == each for level in judged.values()) for each in range(4)]
            docs = sorted(run.get(topic, {}), key=lambda doc: (run[topic][doc], doc), reverse=True)
            if any(counts[1:]):  # it divides by zero without relevant documents
                of = getattr(peer, metric)(counts, [1, 2, 3], *arguments)
                found[topic] = of.compute([(doc, judged.get(doc, 0)) for doc in docs])
        return found

    return values


TREC_EVAL = "map map_cut.10 P.10 recall.100 recip_rank".split()
RANX = "ndcg@10 ndcg_burges@10 dcg@10 dcg_burges@10".split()
IR_MEASURES = "nDCG@10 nDCG(dcg='exp-log2')@10 ERR@10".split()
CATBOOST = "NDCG:top=10 NDCG:top=10;type=Exp DCG:top=10 ERR:top=10".split()
RUN = {
    ("pytrec_eval, BEIR, MTEB", "ndcg_cut_10"): pytrec_eval("ndcg_cut.10"),
    ("pytrec_eval, BEIR, MTEB", "ndcg"): pytrec_eval("ndcg"),
    **{("pytrec_eval, trec_eval", name.replace(".", "_")): pytrec_eval(name) for name in TREC_EVAL},
    **{("ir_measures", name): of_ir_measures(name) for name in IR_MEASURES},
    **{("ranx", name): ranx(name) for name in RANX},
    **{("scikit-learn", f"{name}(k=10)"): scikit_learn(name) for name in ("ndcg_score", "dcg_score")},
    ("torchmetrics", "RetrievalNormalizedDCG(top_k=10)"): torchmetrics("retrieval_normalized_dcg", "int64"),
    ("torchmetrics", "RetrievalMAP(top_k=10)"): torchmetrics("retrieval_average_precision", "bool"),
    ("LightGBM", "ndcg@10"): per_topic("lightgbm", lightgbm),
    **{("XGBoost", name): xgboost(name) for name in ("ndcg@10", "ndcg@10-", "ndcg")},
    **{("CatBoost", name): catboost(name) for name in CATBOOST},
    ("NTCIREVAL, pyNTCIREVAL", "nDCG@10"): ntcireval("nDCG", 2, 10),
    ("NTCIREVAL, pyNTCIREVAL", "MSnDCG@10"): ntcireval("MSnDCG", 10),
}
STARTS = {"NDCG": "nDCG", "DCG": "DCG", "MAP": "AP", "P_": "P", "RECALL": "R", "RECIP": "RR", "ERR": "ERR_G"}


@pytest.fixture(scope="module")
def robust(shared_data):
    """Qrels, and the first ranks of a run with many tied scores; some topics retrieve nothing relevant."""
    qrels, run = defaultdict(dict), defaultdict(dict)
    for topic, doc, level, _ in ir_measures.read_trec_qrels(str(shared_data / "robust05" / "qrels.txt")):
        if topic in qrels or len(qrels) < TOPICS:
            qrels[topic][doc] = level
    with gzip.open(shared_data / "robust05" / "aq_bm25.run.gz", "rt") as file:
        for topic, doc, score in ir_measures.read_trec_run(file):
            if len(run[topic]) < DEPTH:
                run[topic][doc] = score
    return dict(qrels), {topic: docs for topic, docs in run.items() if topic in qrels}


@pytest.fixture(scope="module")
def identified(robust):
    """Identifies values by a family of measures; those that several tools give, once."""
    return lru_cache(None)(lambda rows, family: identify(*robust, dict(rows), measure=family, decimals=4))


@pytest.mark.parametrize("tool", RUN, ids=" ".join)
def test_each_tool_is_found_and_altered_values_are_not(tool, robust, identified):
    qrels, run = robust
    values = {topic: round(value, 4) for topic, value in RUN[tool](qrels, run).items()}
    family = next((of for start, of in STARTS.items() if tool[1].upper().startswith(start)), None)
    found = identified(tuple(sorted(values.items())), family)
    if tool[1].startswith("RetrievalMAP"):
        return  # PyTorch's order of tied documents cannot be reproduced
    assert any(name.rpartition(" (")[0] == " ".join(tool) for name in found.tools), found.findings
    assert found.classes == 1
    if tool[1] == "ndcg_cut_10":
        first = next(topic for topic, value in values.items() if value)
        assert identify(qrels, run, values | {first: 0.9 * values[first]}, measure=family).measure is None


def test_every_tool_that_is_said_to_have_run_is_run_here():
    said = {(tool["tool"], tool["metric"].replace("{k}", "10")) for tool in tools() if tool["known"] == "run"}
    ran = {(name, metric.replace("100", "10")) for name, metric in RUN}
    assert said == ran


PAGE = (Path(__file__).parents[2] / "docs" / "learning-to-rank.md").read_text(encoding="utf-8")
OWN = re.findall(r"^\| (\S+) \| `(.+?)` \| .* \| (\d) \| `(\S+)`, `ties='(\w+)'` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("tool", "metric", "nothing", "measure", "ties"), OWN)
def test_the_page_on_learning_to_rank_tells_what_a_library_computes(tool, metric, nothing, measure, ties):
    random = np.random.default_rng(1)
    for tied in [True, False] * 10:
        labels = np.minimum(random.geometric(0.5, 30) - 1, 4)
        scores = random.integers(0, 6, 30) if tied else random.permutation(30)
        run = {"q": {str(number): float(score) for number, score in enumerate(scores)}}
        qrels = {"q": {str(doc): int(label) for doc, label in enumerate(labels)}}
        (value,) = RUN[tool, metric](qrels, run).values()
        assert value == pytest.approx(array_values(measure, labels, scores, [30], ties)[0], abs=1e-6)
    (value,) = RUN[tool, metric]({"q": {str(number): 0 for number in range(30)}}, run).values()
    assert value == int(nothing)


def test_the_page_has_all_libraries_for_rankers():
    libraries = {"LightGBM", "XGBoost", "CatBoost", "scikit-learn", "torchmetrics"}
    cut = {tool for tool in RUN if tool[0] in libraries and re.search("(?i)ndcg.*10|NormalizedDCG", tool[1])}
    assert {row[:2] for row in OWN} == cut
