"""Tools that are installed, run on real data: `identify` finds each, and no altered values."""

import gzip
import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from site_extensions import adapters, measure, of_tool

from ir_measures_graded import array_values
from ir_measures_graded.analysis import identify
from ir_measures_graded.analysis.identify.tools import TOOLS

TOPICS = 10
DEPTH = 50
NORMALIZED_DCG = "retrieval_normalized_dcg@10"
AVERAGE_PRECISION = "retrieval_average_precision@10"


def group(adapter):
    """An adapter of a ranker's library on groups of the retrieved documents of each topic."""

    def values(metric, qrels, run):
        retrieved = {topic: docs for topic, docs in run.items() if docs and topic in qrels}
        labels = {}
        for topic, docs in retrieved.items():
            labels[topic] = {doc: qrels[topic].get(doc, 0) for doc in docs}
        return adapter(metric, labels, retrieved)

    return values


def ntcireval(metric, qrels, run):
    """It divides by zero without relevant documents."""
    with_relevant = {topic: levels for topic, levels in qrels.items() if any(levels.values())}
    return adapters.ntcireval(metric, with_relevant, run)


scikit_learn = group(adapters.scikit_learn)
torchmetrics = group(adapters.torchmetrics)
lightgbm = group(adapters.lightgbm)
xgboost = group(adapters.xgboost)
catboost = group(adapters.catboost)
ROWS = [
    ("pytrec_eval, BEIR, MTEB", "ndcg_cut_10", adapters.pytrec_eval, "ndcg_cut.10"),
    ("pytrec_eval, BEIR, MTEB", "ndcg", adapters.pytrec_eval, "ndcg"),
    ("NTCIREVAL, pyNTCIREVAL", "nDCG@10", ntcireval, "nDCG 2 10"),
    ("NTCIREVAL, pyNTCIREVAL", "MSnDCG@10", ntcireval, "MSnDCG 10"),
    ("pytrec_eval, trec_eval", "map", adapters.pytrec_eval, "map"),
    ("pytrec_eval, trec_eval", "map_cut_10", adapters.pytrec_eval, "map_cut.10"),
    ("pytrec_eval, trec_eval", "P_10", adapters.pytrec_eval, "P.10"),
    ("pytrec_eval, trec_eval", "recall_100", adapters.pytrec_eval, "recall.100"),
    ("pytrec_eval, trec_eval", "recip_rank", adapters.pytrec_eval, "recip_rank"),
    ("pytrec_eval, trec_eval", "Rprec", adapters.pytrec_eval, "Rprec"),
    ("pytrec_eval, trec_eval", "bpref", adapters.pytrec_eval, "bpref"),
    ("ir_measures", "nDCG@10", measure, "nDCG@10"),
    ("ir_measures", "nDCG(dcg='exp-log2')@10", measure, "nDCG(dcg='exp-log2')@10"),
    ("ir_measures", "ERR@10", measure, "ERR@10"),
    ("ir_measures", "RR@10", measure, "RR@10"),
    ("ranx", "ndcg@10", adapters.ranx, "ndcg@10"),
    ("ranx", "ndcg_burges@10", adapters.ranx, "ndcg_burges@10"),
    ("ranx", "dcg@10", adapters.ranx, "dcg@10"),
    ("ranx", "dcg_burges@10", adapters.ranx, "dcg_burges@10"),
    ("scikit-learn", "ndcg_score(k=10)", scikit_learn, "ndcg_score@10"),
    ("scikit-learn", "dcg_score(k=10)", scikit_learn, "dcg_score@10"),
    ("torchmetrics", "RetrievalNormalizedDCG(top_k=10)", torchmetrics, NORMALIZED_DCG),
    ("torchmetrics", "RetrievalMAP(top_k=10)", torchmetrics, AVERAGE_PRECISION),
    ("LightGBM", "ndcg@10", lightgbm, "ndcg@10"),
    ("XGBoost", "ndcg@10", xgboost, "ndcg@10"),
    ("XGBoost", "ndcg@10-", xgboost, "ndcg@10-"),
    ("XGBoost", "ndcg", xgboost, "ndcg"),
    ("CatBoost", "NDCG:top=10", catboost, "NDCG:top=10"),
    ("CatBoost", "NDCG:top=10;type=Exp", catboost, "NDCG:top=10;type=Exp"),
    ("CatBoost", "DCG:top=10", catboost, "DCG:top=10"),
    ("CatBoost", "ERR:top=10", catboost, "ERR:top=10"),
]
RUN = {(tool, metric): (adapter, call) for tool, metric, adapter, call in ROWS}
"""How a row of the table, a tool and a metric, is run: an adapter and its name of the metric."""
STARTS = {
    "NDCG": "nDCG",
    "DCG": "DCG",
    "MAP": "AP",
    "P_": "P",
    "RECALL": "R",
    "RPREC": "Rprec",
    "R": "RR",
    "BPREF": "Bpref",
    "ERR": "ERR_G",
}


@pytest.fixture(scope="module")
def robust(shared_data):
    """Qrels, and the first ranks of a run with many ties; some topics retrieve nothing relevant."""
    folder = shared_data / "robust05"
    qrels = defaultdict(dict)
    for topic, doc, level, _ in ir_measures.read_trec_qrels(str(folder / "qrels.txt")):
        if topic in qrels or len(qrels) < TOPICS:
            qrels[topic][doc] = level
    run = defaultdict(dict)
    with gzip.open(folder / "aq_bm25.run.gz", "rt") as file:
        for topic, doc, score in ir_measures.read_trec_run(file):
            if len(run[topic]) < DEPTH:
                run[topic][doc] = score
    return dict(qrels), {topic: docs for topic, docs in run.items() if topic in qrels}


@pytest.fixture(scope="module")
def identified(robust):
    """Identifies values by a family of measures; those that several tools give, once."""
    qrels, run = robust

    @lru_cache(None)
    def identified_once(values, family):
        return identify(qrels, run, dict(values), measure=family, decimals=4)

    return identified_once


def family_of(metric):
    """The family of measures that the name of a metric of any tool begins with."""
    for start, family in STARTS.items():
        if metric.upper().startswith(start):
            return family
    return None


@pytest.mark.parametrize("tool", RUN, ids=" ".join)
def test_each_tool_is_found_and_altered_values_are_not(tool, robust, identified):
    qrels, run = robust
    _, metric = tool
    exact = of_tool(*RUN[tool], qrels, run)
    values = {topic: round(value, 4) for topic, value in exact.items()}
    family = family_of(metric)
    result = identified(tuple(sorted(values.items())), family)
    if metric.startswith("RetrievalMAP"):
        return  # PyTorch's order of tied documents cannot be reproduced
    tools = [name.rpartition(" (")[0] for name in result.tools]
    assert " ".join(tool) in tools, result.findings
    assert result.classes == 1
    if metric == "ndcg_cut_10":
        first = next(topic for topic, value in values.items() if value)
        altered = values | {first: 0.9 * values[first]}
        assert identify(qrels, run, altered, measure=family).measure is None


def test_every_tool_that_is_said_to_have_run_is_run_here():
    said = {
        (tool["tool"], tool["metric"].replace("{k}", "10"))
        for tool in TOOLS
        if tool["known"] == "run"
    }
    ran = {(name, metric.replace("100", "10")) for name, metric in RUN}
    assert said == ran


PAGE = (Path(__file__).parents[2] / "docs" / "learning-to-rank.md").read_text(encoding="utf-8")
ROW = (
    r"^\| ([^|`]+) \| `(.+?)` \| .* \| (\d) \| `(\S+)`: `ties='(\w+)'`"
    r"(?:, `no_relevant='(\w+)'`)? \|$"
)
OWN = [
    (tool, *others)
    for tools, *others in re.findall(ROW, PAGE, re.MULTILINE)
    for tool in tools.split(", ")
]


@pytest.mark.parametrize(("tool", "metric", "nothing", "ours", "ties", "no_relevant"), OWN)
def test_the_page_on_learning_to_rank_tells_what_a_library_computes(
    tool, metric, nothing, ours, ties, no_relevant
):
    random = np.random.default_rng(1)
    for tied in [True, False] * 10:
        labels = np.minimum(random.geometric(0.5, 30) - 1, 4)
        scores = random.integers(0, 6, 30) if tied else random.permutation(30)
        qrels = {"q": {str(doc): int(label) for doc, label in enumerate(labels)}}
        run = {"q": {str(doc): float(score) for doc, score in enumerate(scores)}}
        (value,) = of_tool(*RUN[tool, metric], qrels, run).values()
        (own,) = array_values(ours, labels, scores, [30], ties)
        assert value == pytest.approx(own, abs=1e-6)
    without_relevant = {"q": {str(doc): 0 for doc in range(30)}}
    (value,) = of_tool(*RUN[tool, metric], without_relevant, run).values()
    zeros = np.zeros(30)
    own = array_values(ours, zeros, scores, [30], ties, no_relevant=no_relevant or "zero")
    assert value == own[0] == int(nothing)


def test_the_page_has_all_libraries_for_rankers():
    libraries = {"LightGBM", "XGBoost", "CatBoost", "scikit-learn", "torchmetrics"}
    expected = set()
    for library, metric in RUN:
        if library in libraries and re.search("(?i)ndcg.*10|NormalizedDCG", metric):
            expected.add((library, metric))
    assert {(library, metric) for library, metric, *_ in OWN} == expected
