"""Checks the statements of the measure pages about other tools against the installed tools."""

from functools import partial
from random import Random

import numpy as np
import pytest
from site_extensions import ELSEWHERE

from ir_measures_graded import parse_measure
from ir_measures_graded.core.measures import MEASURES

RANDOM = Random(11)
SAME = 1e-9


def topic():
    """Judged and unjudged documents, some judged ones not retrieved, distinct scores in (0, 1]."""
    judged = {f"d{number}": RANDOM.choice([0, 0, 0, 1, 1, 2, 3]) for number in range(30)} | {"x": 3, "y": 0}
    listed = RANDOM.sample([*judged, *(f"u{number}" for number in range(20))], 40)
    listed += [doc for doc in "xy" if doc not in listed]
    scores = RANDOM.sample(range(1, 257), len(listed))
    return judged, {doc: score / 256 for doc, score in zip(listed, scores)}


TOPICS = [topic() for _ in range(8)]


def in_order(run):
    return sorted(run, key=run.get, reverse=True)


def trec_eval(name, judged, run):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator({"q": judged}, {name})
    return evaluator.evaluate({"q": run})["q"][name]


def ir_measure(name, judged, run):
    ids = {"1": judged}, {"1": run}  # the Perl script gdeval only accepts numeric topics
    try:
        return parse_measure(name).calc_aggregate(*ids)
    except FileNotFoundError:
        pytest.skip("Perl is not installed")


def ranx(name, judged, run):
    peer = pytest.importorskip("ranx", reason="ranx is not installed")
    return float(peer.evaluate(peer.Qrels({"q": judged}), peer.Run({"q": run}), name))


def ntcireval(name, *arguments):
    def value(judged, run):
        metrics = pytest.importorskip("pyNTCIREVAL.metrics", reason="pyNTCIREVAL is not installed")
        counts = [sum(level == each for level in judged.values()) for each in range(4)]
        metric = getattr(metrics, name)(counts, [1, 2, 3], *arguments)
        return metric.compute([(doc, judged.get(doc, 0)) for doc in in_order(run)])

    return value


def all_documents(judged, run):
    """Gains and scores of all documents; those not retrieved are tied last."""
    docs = [*run, *(doc for doc in judged if doc not in run)]
    return [judged.get(doc, 0) for doc in docs], [run.get(doc, 0.0) for doc in docs]


def judged_documents(judged, run):
    return list(judged.values()), [run.get(doc, 0.0) for doc in judged]


def scikit_learn(score, documents=all_documents):
    def value(judged, run):
        peer = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
        gains, scores = documents(judged, run)
        return score(peer, np.array(gains), np.array(scores))

    return value


def scipy(correlation):
    def value(judged, run):
        peer = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
        return correlation(peer, *judged_documents(judged, run)).statistic

    return value


def whole(judged, run):
    """The same topic with every relevant document retrieved."""
    return judged, {doc: 1 - rank / 64 for rank, doc in enumerate(dict.fromkeys([*in_order(run), *judged]))}


def here(name, judged, run):
    return parse_measure(name).calc_aggregate({"q": judged}, {"q": run})


def retrieved_cosine(judged, run):
    distance = pytest.importorskip("scipy.spatial.distance", reason="SciPy is not installed")
    return 1 - distance.cosine([*run.values()], [judged.get(doc, 0) for doc in run])


NTCIR = "NTCIREVAL, pyNTCIREVAL"
PEERS = {
    ("trec_eval", "1/recip_rank − 1"): lambda *topic: 1 / trec_eval("recip_rank", *topic) - 1,
    (NTCIR, "nDCG@0010"): ntcireval("nDCG", 2, 10),
    (NTCIR, "MSnDCG@0010"): ntcireval("MSnDCG", 10),
    (NTCIR, "Q-measure"): ntcireval("QMeasure", 1.0),
    (NTCIR, "Q@0010"): ntcireval("QMeasure", 1.0, 10),
    (NTCIR, "Q-measure, large beta"): ntcireval("QMeasure", 1e13),
    (NTCIR, "ERR"): ntcireval("ERR"),
    (NTCIR, "nERR@0010"): ntcireval("nERR", 10),
    (NTCIR, "RBP"): ntcireval("RBP", 0.95),
    (NTCIR, "O-measure"): ntcireval("OMeasure", 1),
    (NTCIR, "P-measure"): ntcireval("PMeasure", 1),
    (NTCIR, "P-plus"): ntcireval("PPlusMeasure", 1),
    (NTCIR, "NCUgu,P"): ntcireval("NCUguP", [1, 2, 3]),
    (NTCIR, "NCUgu,BR"): ntcireval("NCUguBR", [1, 2, 3], 1),
    (NTCIR, "NCUrb,P"): ntcireval("NCUrbP", 0.95),
    (NTCIR, "NCUrb,BR"): ntcireval("NCUrbBR", 0.95, 1),
    ("scikit-learn", "dcg_score(k=10)"): scikit_learn(
        lambda peer, gains, scores: peer.dcg_score([gains], [scores], k=10)
    ),
    ("scikit-learn", "ndcg_score(k=10)"): scikit_learn(
        lambda peer, gains, scores: peer.ndcg_score([gains], [scores], k=10)
    ),
    ("scikit-learn", "average_precision_score"): scikit_learn(
        lambda peer, gains, scores: peer.average_precision_score(gains > 0, scores)
    ),
    ("scikit-learn", "1 − mean_absolute_error"): scikit_learn(
        lambda peer, gains, scores: 1 - peer.mean_absolute_error(gains / 3, scores), judged_documents
    ),
    ("SciPy", "kendalltau(variant='b')"): scipy(lambda peer, *pair: peer.kendalltau(*pair, variant="b")),
    ("SciPy", "kendalltau(variant='c')"): scipy(lambda peer, *pair: peer.kendalltau(*pair, variant="c")),
    ("SciPy", "1 − cosine(scores, gains)"): retrieved_cosine,
    ("SciPy", "spearmanr"): scipy(lambda peer, *pair: peer.spearmanr(*pair)),
}
AREA = {  # area under the ROC curve, and the documents it covers
    "NDPM": scikit_learn(lambda peer, gains, scores: peer.roc_auc_score(gains > 0, scores), judged_documents),
    "NR": scikit_learn(lambda peer, gains, scores: peer.roc_auc_score(gains > 0, scores)),
}
pytestmark = pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64 to int64")  # raised by ranx
BY_NAME = {"trec_eval": trec_eval, "ir-measures": ir_measure, "ranx": ranx, "this package": here}
PLAIN = {measure.NAME for measure in MEASURES}  # tests/peers/test_ndeval.py compares measures of intents
ROWS = [(name, other) for name, others in ELSEWHERE.items() for other in others if name in PLAIN]


def peer_of(name, other):
    if other.name == "roc_auc_score":
        return AREA[name]
    return PEERS.get((other.tool, other.name)) or partial(BY_NAME[other.tool], other.name)


@pytest.mark.parametrize(
    ("name", "other"), ROWS, ids=[f"{name}-{other.tool}-{other.name}" for name, other in ROWS]
)
def test_measure_equals_the_other_tool_or_differs(name, other):
    peer = peer_of(name, other)
    topics = [whole(*each) for each in TOPICS] if other.name == "average_precision_score" else TOPICS
    theirs = [peer(*each) for each in topics]
    tolerance = 5e-6 if "exp-log2" in other.name or other.name == "ERR@10" else SAME
    if other.here:
        assert other.here.startswith(name)
        assert [here(other.here, *each) for each in topics] == pytest.approx(theirs, abs=tolerance)
    else:
        ours = f"{name}@10" if "10" in other.name else name
        assert all(abs(here(ours, *each) - value) > 1e-4 for each, value in zip(topics, theirs))
        if other.use:
            assert [here(other.use, *each) for each in topics] == pytest.approx(theirs, abs=tolerance)


def test_ranx_keeps_tied_documents_in_input_order():
    peer = pytest.importorskip("ranx", reason="ranx is not installed")
    for docs in ("ab", "ba"):
        run = peer.Run({"q": dict.fromkeys(docs, 1.0)})
        assert peer.evaluate(peer.Qrels({"q": {"a": 1}}), run, "precision@1") == (docs == "ab")


def test_ranx_rejects_a_run_with_missing_topics():
    peer = pytest.importorskip("ranx", reason="ranx is not installed")
    qrels, run = peer.Qrels({"1": {"a": 1}, "2": {"a": 1}}), peer.Run({"1": {"a": 1.0}})
    with pytest.raises(AssertionError, match="make_comparable"):
        peer.evaluate(qrels, run, "ndcg")
    assert peer.evaluate(qrels, run, "ndcg", make_comparable=True) == 0.5


def test_the_level_threshold_of_ranx_equals_that_of_ir_measures():
    for each in TOPICS:
        assert here("AP(rel=2)", *each) == pytest.approx(ranx("map-l2", *each))


def test_trec_eval_removes_negative_levels_from_condensed_lists():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged, run = {"a": 1, "spam": -2}, {"spam": 2.0, "a": 1.0}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": judged}, {"P_1"}, judged_docs_only_flag=True)
    assert evaluator.evaluate({"q": run})["q"]["P_1"] == 1
    assert here("nCG(judged_only=True)@1", judged, run) == 0
