"""Checks the statements of the measure pages about other tools against the installed tools."""

from functools import partial
from random import Random

import numpy as np
import pytest
from site_extensions import ELSEWHERE, adapters, measure, of_tool

from all_measures import MEASURES

RANDOM = Random(11)
SAME = 1e-9


def topic():
    """Judged and unjudged documents, some judged ones not retrieved, distinct scores in (0, 1]."""
    judged = {f"d{number}": RANDOM.choice([0, 0, 0, 1, 1, 2, 3]) for number in range(30)}
    judged |= {"x": 3, "y": 0}
    unjudged = [f"u{number}" for number in range(20)]
    retrieved = RANDOM.sample([*judged, *unjudged], 40)
    retrieved += [doc for doc in "xy" if doc not in retrieved]
    scores = RANDOM.sample(range(1, 257), len(retrieved))
    return judged, {doc: score / 256 for doc, score in zip(retrieved, scores)}


TOPICS = [topic() for _ in range(8)]


def value_of(adapter, metric, judged, run):
    """The value of one topic; the Perl script gdeval only accepts numeric topics."""
    return of_tool(adapter, metric, {"1": judged}, {"1": run})["1"]


def value_here(name, judged, run):
    return value_of(measure, name, judged, run)


def whole(judged, run):
    """The same topic with every relevant document retrieved."""
    best_first = sorted(run, key=run.get, reverse=True)
    docs = dict.fromkeys([*best_first, *judged])
    return judged, {doc: 1 - rank / 64 for rank, doc in enumerate(docs)}


def imported(module):
    return pytest.importorskip(module, reason=f"{module.partition('.')[0]} is not installed")


def gains_and_scores(judged, run, docs):
    gains = np.array([judged.get(doc, 0) for doc in docs])
    scores = np.array([run.get(doc, 0.0) for doc in docs])
    return gains, scores


def roc_auc(judged, run):
    """The area under the ROC curve of the judged documents."""
    gains, scores = gains_and_scores(judged, run, judged)
    return imported("sklearn.metrics").roc_auc_score(gains > 0, scores)


def one_minus_absolute_error(judged, run):
    gains, scores = gains_and_scores(judged, run, judged)
    return 1 - imported("sklearn.metrics").mean_absolute_error(gains / 3, scores)


def kendall_tau(judged, run, variant):
    gains, scores = gains_and_scores(judged, run, judged)
    return imported("scipy.stats").kendalltau(gains, scores, variant=variant).statistic


def spearman(judged, run):
    gains, scores = gains_and_scores(judged, run, judged)
    return imported("scipy.stats").spearmanr(gains, scores).statistic


def cosine(judged, run):
    """The cosine of the gains and the scores of the retrieved documents."""
    gains, scores = gains_and_scores(judged, run, run)
    return 1 - imported("scipy.spatial.distance").cosine(gains, scores)


def search_length(judged, run):
    """The documents before the first relevant one."""
    return 1 / value_of(adapters.pytrec_eval, "recip_rank", judged, run) - 1


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
BY_NAME = {
    "1/recip_rank − 1": search_length,
    "1 − cosine(scores, gains)": cosine,
    "1 − mean_absolute_error": one_minus_absolute_error,
    "kendalltau(variant='b')": partial(kendall_tau, variant="b"),
    "kendalltau(variant='c')": partial(kendall_tau, variant="c"),
    "spearmanr": spearman,
}
BY_TOOL = {
    "trec_eval": adapters.pytrec_eval,
    "ir-measures": measure,
    "this package": measure,
    "ranx": adapters.ranx,
    "scikit-learn": adapters.scikit_learn,
}
# ranx raises this warning.
pytestmark = pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64 to int64")
# tests/peers/test_ndeval.py compares measures of intents.
PLAIN = {measure.NAME for measure in MEASURES}
ROWS = [(name, other) for name, others in ELSEWHERE.items() for other in others if name in PLAIN]


def peer_of(name, other):
    """The function of judgments and a ranking that computes the value of the other tool."""
    if name == "NDPM":
        return roc_auc
    if other.name in BY_NAME:
        return BY_NAME[other.name]
    if other.tool.startswith("NTCIR"):
        return partial(value_of, adapters.ntcireval, NTCIR.get(other.name, other.name))
    return partial(value_of, BY_TOOL[other.tool], other.name.replace("(k=10)", "@10"))


@pytest.mark.parametrize(
    ("name", "other"), ROWS, ids=[f"{name}-{other.tool}-{other.name}" for name, other in ROWS]
)
def test_measure_equals_the_other_tool_or_differs(name, other):
    topics = TOPICS
    if other.name == "average_precision_score":
        topics = [whole(judged, run) for judged, run in TOPICS]

    def values(measure_name):
        return [value_here(measure_name, judged, run) for judged, run in topics]

    peer = peer_of(name, other)
    theirs = [peer(judged, run) for judged, run in topics]
    tolerance = 5e-6 if "exp-log2" in other.name or other.name == "ERR@10" else SAME
    if other.here:
        assert other.here.startswith(name)
        assert values(other.here) == pytest.approx(theirs, abs=tolerance)
        return
    ours = values(f"{name}@10" if "10" in other.name else name)
    assert all(abs(own - value) > 1e-4 for own, value in zip(ours, theirs))
    if other.use:
        assert values(other.use) == pytest.approx(theirs, abs=tolerance)


def test_trec_eval_removes_negative_levels_from_condensed_lists():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged = {"a": 1, "spam": -2}
    run = {"spam": 2.0, "a": 1.0}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": judged}, {"P_1"}, judged_docs_only_flag=True)
    assert evaluator.evaluate({"q": run})["q"]["P_1"] == 1
    assert value_here("nCG(judged_only=True)@1", judged, run) == 0
