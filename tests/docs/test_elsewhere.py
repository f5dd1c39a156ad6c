"""Checks the statements of the measure pages about other tools against the installed tools."""

from random import Random

import numpy as np
import pytest
from site_extensions import ELSEWHERE, adapters, measure, of_tool

from all_measures import MEASURES

RANDOM = Random(11)
SAME = 1e-9


def topic():
    """Judged and unjudged documents, some judged ones not retrieved, distinct scores in (0, 1]."""
    judged = {f"d{number}": RANDOM.choice([0, 0, 0, 1, 1, 2, 3]) for number in range(30)} | {
        "x": 3,
        "y": 0,
    }
    listed = RANDOM.sample([*judged, *(f"u{number}" for number in range(20))], 40)
    listed += [doc for doc in "xy" if doc not in listed]
    scores = RANDOM.sample(range(1, 257), len(listed))
    return judged, {doc: score / 256 for doc, score in zip(listed, scores)}


TOPICS = [topic() for _ in range(8)]


def in_order(run):
    return sorted(run, key=run.get, reverse=True)


def of(adapter, metric):
    """The value of one topic; the Perl script gdeval only accepts numeric topics."""
    return lambda judged, run: of_tool(adapter, metric, {"1": judged}, {"1": run})["1"]


def here(name, judged, run):
    return of(measure, name)(judged, run)


def whole(judged, run):
    """The same topic with every relevant document retrieved."""
    return judged, {
        doc: 1 - rank / 64 for rank, doc in enumerate(dict.fromkeys([*in_order(run), *judged]))
    }


def of_two_orders(module, value):
    """What a peer computes from the gains and scores of the judged or the retrieved documents."""

    def values(judged, run, of_retrieved=False):
        peer = pytest.importorskip(module, reason=f"{module.partition('.')[0]} is not installed")
        docs = run if of_retrieved else judged
        return value(
            peer,
            np.array([judged.get(doc, 0) for doc in docs]),
            np.array([run.get(doc, 0.0) for doc in docs]),
        )

    return values


NTCIR = {
    "nDCG@0010": "nDCG 2 10",
    "MSnDCG@0010": "MSnDCG 10",
    "Q-measure": "QMeasure 1.0",
    "Q@0010": "QMeasure 1.0 10",
    "Q-measure, large beta": "QMeasure 1e13",
    "nERR@0010": "nERR 10",
    "RBP": "RBP 0.95",
    "O-measure": "OMeasure 1",
    "P-measure": "PMeasure 1",
    "P-plus": "PPlusMeasure 1",
    "NCUgu,P": "NCUguP [1,2,3]",
    "NCUgu,BR": "NCUguBR [1,2,3] 1",
    "NCUrb,P": "NCUrbP 0.95",
    "NCUrb,BR": "NCUrbBR 0.95 1",
}
"""The arguments of pyNTCIREVAL for the names that NTCIREVAL prints."""
AREA = of_two_orders(
    "sklearn.metrics", lambda peer, gains, scores: peer.roc_auc_score(gains > 0, scores)
)
ORDERS = {
    "1 − mean_absolute_error": of_two_orders(
        "sklearn.metrics",
        lambda peer, gains, scores: 1 - peer.mean_absolute_error(gains / 3, scores),
    ),
    **{
        f"kendalltau(variant='{variant}')": of_two_orders(
            "scipy.stats",
            lambda peer, *pair, of=variant: peer.kendalltau(*pair, variant=of).statistic,
        )
        for variant in "bc"
    },
    "spearmanr": of_two_orders("scipy.stats", lambda peer, *pair: peer.spearmanr(*pair).statistic),
}
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*unsafe cast from uint64 to int64"
)  # raised by ranx
BY_TOOL = {"trec_eval": adapters.pytrec_eval, "ir-measures": measure, "this package": measure}
BY_TOOL |= {"ranx": adapters.ranx, "scikit-learn": adapters.scikit_learn}
PLAIN = {
    measure.NAME for measure in MEASURES
}  # tests/peers/test_ndeval.py compares measures of intents
ROWS = [(name, other) for name, others in ELSEWHERE.items() for other in others if name in PLAIN]


def peer_of(name, other):
    if other.name == "1/recip_rank − 1":
        return lambda *topic: 1 / of(adapters.pytrec_eval, "recip_rank")(*topic) - 1
    if other.name == "1 − cosine(scores, gains)":
        cosine = of_two_orders("scipy.spatial.distance", lambda peer, *pair: 1 - peer.cosine(*pair))
        return lambda *topic: cosine(*topic, of_retrieved=True)
    if name == "NDPM":  # the area under the ROC curve of the judged documents, and not of all
        return AREA
    if other.name in ORDERS:
        return ORDERS[other.name]
    if other.tool.startswith("NTCIR"):
        return of(adapters.ntcireval, NTCIR.get(other.name, other.name))
    return of(BY_TOOL[other.tool], other.name.replace("(k=10)", "@10"))


@pytest.mark.parametrize(
    ("name", "other"), ROWS, ids=[f"{name}-{other.tool}-{other.name}" for name, other in ROWS]
)
def test_measure_equals_the_other_tool_or_differs(name, other):
    peer = peer_of(name, other)
    topics = (
        [whole(*each) for each in TOPICS] if other.name == "average_precision_score" else TOPICS
    )
    theirs = [peer(*each) for each in topics]
    tolerance = 5e-6 if "exp-log2" in other.name or other.name == "ERR@10" else SAME
    if other.here:
        assert other.here.startswith(name)
        assert [here(other.here, *each) for each in topics] == pytest.approx(theirs, abs=tolerance)
    else:
        ours = f"{name}@10" if "10" in other.name else name
        assert all(abs(here(ours, *each) - value) > 1e-4 for each, value in zip(topics, theirs))
        if other.use:
            assert [here(other.use, *each) for each in topics] == pytest.approx(
                theirs, abs=tolerance
            )


def test_trec_eval_removes_negative_levels_from_condensed_lists():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged, run = {"a": 1, "spam": -2}, {"spam": 2.0, "a": 1.0}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": judged}, {"P_1"}, judged_docs_only_flag=True)
    assert evaluator.evaluate({"q": run})["q"]["P_1"] == 1
    assert here("nCG(judged_only=True)@1", judged, run) == 0
