"""Tools that are installed, run on real data: `identify` finds each in its table, and no other values.

`RUN` has the rows of the table.
"""

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

TOPICS, DEPTH = 10, 50


def group(adapter):
    """An adapter of a ranker's library on groups of the retrieved documents of each topic."""

    def values(metric, qrels, run):
        listed = {topic: docs for topic, docs in run.items() if docs and topic in qrels}
        labels = {
            topic: {doc: qrels[topic].get(doc, 0) for doc in docs} for topic, docs in listed.items()
        }
        return adapter(metric, labels, listed)

    return values


def ntcireval(metric, qrels, run):
    """It divides by zero without relevant documents."""
    return adapters.ntcireval(metric, {t: of for t, of in qrels.items() if any(of.values())}, run)


TREC_EVAL = "map map_cut.10 P.10 recall.100 recip_rank".split()
RANX = "ndcg@10 ndcg_burges@10 dcg@10 dcg_burges@10".split()
IR_MEASURES = "nDCG@10 nDCG(dcg='exp-log2')@10 ERR@10 RR@10".split()
SCIKIT_LEARN = "ndcg_score", "dcg_score"
CATBOOST = "NDCG:top=10 NDCG:top=10;type=Exp DCG:top=10 ERR:top=10".split()
TORCHMETRICS = {
    "RetrievalNormalizedDCG(top_k=10)": "retrieval_normalized_dcg@10",
    "RetrievalMAP(top_k=10)": "retrieval_average_precision@10",
}
PYTREC_EVAL, NTCIR = "pytrec_eval, BEIR, MTEB", "NTCIREVAL, pyNTCIREVAL"
RUN = {
    (PYTREC_EVAL, "ndcg_cut_10"): (adapters.pytrec_eval, "ndcg_cut.10"),
    (PYTREC_EVAL, "ndcg"): (adapters.pytrec_eval, "ndcg"),
    (NTCIR, "nDCG@10"): (ntcireval, "nDCG 2 10"),
    (NTCIR, "MSnDCG@10"): (ntcireval, "MSnDCG 10"),
}
GROUPS = [
    (
        "pytrec_eval, trec_eval",
        adapters.pytrec_eval,
        {of.replace(".", "_"): of for of in TREC_EVAL},
    ),
    ("ir_measures", measure, {of: of for of in IR_MEASURES}),
    ("ranx", adapters.ranx, {of: of for of in RANX}),
    (
        "scikit-learn",
        group(adapters.scikit_learn),
        {f"{of}(k=10)": f"{of}@10" for of in SCIKIT_LEARN},
    ),
    ("torchmetrics", group(adapters.torchmetrics), TORCHMETRICS),
    ("LightGBM", group(adapters.lightgbm), {"ndcg@10": "ndcg@10"}),
    ("XGBoost", group(adapters.xgboost), {of: of for of in ("ndcg@10", "ndcg@10-", "ndcg")}),
    ("CatBoost", group(adapters.catboost), {of: of for of in CATBOOST}),
]
RUN |= {
    (tool, name): (adapter, of) for tool, adapter, names in GROUPS for name, of in names.items()
}
STARTS = {
    "NDCG": "nDCG",
    "DCG": "DCG",
    "MAP": "AP",
    "P_": "P",
    "RECALL": "R",
    "R": "RR",
    "ERR": "ERR_G",
}


@pytest.fixture(scope="module")
def robust(shared_data):
    """Qrels, and the first ranks of a run with many tied scores; some topics retrieve nothing relevant."""
    qrels, run = defaultdict(dict), defaultdict(dict)
    for topic, doc, level, _ in ir_measures.read_trec_qrels(
        str(shared_data / "robust05" / "qrels.txt")
    ):
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
    return lru_cache(None)(
        lambda rows, family: identify(*robust, dict(rows), measure=family, decimals=4)
    )


@pytest.mark.parametrize("tool", RUN, ids=" ".join)
def test_each_tool_is_found_and_altered_values_are_not(tool, robust, identified):
    qrels, run = robust
    values = {topic: round(value, 4) for topic, value in of_tool(*RUN[tool], qrels, run).items()}
    family = next((of for start, of in STARTS.items() if tool[1].upper().startswith(start)), None)
    found = identified(tuple(sorted(values.items())), family)
    if tool[1].startswith("RetrievalMAP"):
        return  # PyTorch's order of tied documents cannot be reproduced
    assert any(name.rpartition(" (")[0] == " ".join(tool) for name in found.tools), found.findings
    assert found.classes == 1
    if tool[1] == "ndcg_cut_10":
        first = next(topic for topic, value in values.items() if value)
        assert (
            identify(qrels, run, values | {first: 0.9 * values[first]}, measure=family).measure
            is None
        )


def test_every_tool_that_is_said_to_have_run_is_run_here():
    said = {
        (tool["tool"], tool["metric"].replace("{k}", "10"))
        for tool in TOOLS
        if tool["known"] == "run"
    }
    ran = {(name, metric.replace("100", "10")) for name, metric in RUN}
    assert said == ran


PAGE = (Path(__file__).parents[2] / "docs" / "learning-to-rank.md").read_text(encoding="utf-8")
OWN = re.findall(
    r"^\| (\S+) \| `(.+?)` \| .* \| (\d) \| `(\S+)`, `ties='(\w+)'` \|$", PAGE, re.MULTILINE
)


@pytest.mark.parametrize(("tool", "metric", "nothing", "ours", "ties"), OWN)
def test_the_page_on_learning_to_rank_tells_what_a_library_computes(
    tool, metric, nothing, ours, ties
):
    random = np.random.default_rng(1)
    for tied in [True, False] * 10:
        labels = np.minimum(random.geometric(0.5, 30) - 1, 4)
        scores = random.integers(0, 6, 30) if tied else random.permutation(30)
        run = {"q": {str(number): float(score) for number, score in enumerate(scores)}}
        qrels = {"q": {str(doc): int(label) for doc, label in enumerate(labels)}}
        (value,) = of_tool(*RUN[tool, metric], qrels, run).values()
        assert value == pytest.approx(array_values(ours, labels, scores, [30], ties)[0], abs=1e-6)
    (value,) = of_tool(
        *RUN[tool, metric], {"q": {str(number): 0 for number in range(30)}}, run
    ).values()
    assert value == int(nothing)


def test_the_page_has_all_libraries_for_rankers():
    libraries = {"LightGBM", "XGBoost", "CatBoost", "scikit-learn", "torchmetrics"}
    cut = {
        tool
        for tool in RUN
        if tool[0] in libraries and re.search("(?i)ndcg.*10|NormalizedDCG", tool[1])
    }
    assert {row[:2] for row in OWN} == cut
