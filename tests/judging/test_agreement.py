"""The agreement of two judges: against scikit-learn, by hand, on runs, and at the edges."""

import numpy as np
import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.judging.agreement import agreement
from ir_measures_graded.judging.scales import levels_of

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

HUMAN = {"q1": {"a": 0, "b": 1, "c": 3}, "q2": {"d": 0, "e": 3, "alone": 1}, "q3": {"f": 2}}
MACHINE = {"q1": {"a": 0, "b": 3, "c": 3, "more": 1}, "q2": {"d": 1, "e": 3}, "q4": {"g": 0}}
MEASURES = ["nDCG_JK@10", "NDPM", "P(rel=2)@5"]


def perturbed(qrels, seed, share=0.3):
    """A judge who gives a part of the documents another level than the qrels."""
    generator = np.random.default_rng(seed)
    return {
        topic: {
            doc: int(generator.integers(0, 4)) if generator.random() < share else level
            for doc, level in judged.items()
        }
        for topic, judged in qrels.items()
    }


@pytest.fixture(scope="module")
def human():
    return levels_of(demo.qrels_path())


@pytest.fixture(scope="module")
def found(human):
    return agreement(human, perturbed(human, 1, 0.8), demo.run_paths(), MEASURES)


def test_the_confusion_matrix_counts_the_documents_of_both():
    found = agreement(HUMAN, MACHINE)
    assert found.levels == (0, 1, 3)
    assert found.confusion.tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 2]]
    assert (found.documents, found.human_only, found.machine_only) == (5, 2, 2)
    assert (found.same, found.bias) == (0.6, pytest.approx(3 / 5))
    assert found.bias_by_level() == {0: 0.5, 1: 2, 3: 0}
    assert [(one.topic, one.documents, one.same, one.bias) for one in found.topics] == [
        ("q1", 3, pytest.approx(2 / 3), pytest.approx(2 / 3)),
        ("q2", 2, 0.5, 0.5),
    ]


def test_kappas_equal_those_of_scikit_learn(human):
    peer = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed").cohen_kappa_score
    other = perturbed(human, 4)
    found = agreement(human, other)
    pairs = [(level, other[topic][doc]) for topic, judged in human.items() for doc, level in judged.items()]
    first, second = zip(*pairs)
    for kappa, weights in ((found.kappa, None), (found.linear, "linear"), (found.quadratic, "quadratic")):
        assert kappa == pytest.approx(peer(first, second, weights=weights))
    assert 0.5 < found.quadratic < found.linear < found.kappa < 1  # errors are of any size


def test_weights_are_differences_of_levels_not_of_their_places():
    """Levels 0, 1, 3: with the missing level 2 in mind, 3 is further from 1 than 1 from 0."""
    found = agreement(HUMAN, MACHINE)
    counts = found.confusion / 5
    apart = np.abs(np.subtract.outer([0, 1, 3], [0, 1, 3]))
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    assert found.linear == pytest.approx(1 - (apart * counts).sum() / (apart * expected).sum())
    assert found.quadratic == pytest.approx(1 - (apart**2 * counts).sum() / (apart**2 * expected).sum())


def test_orders_follow_the_means_under_either_qrels(human, found):
    other = perturbed(human, 1, 0.8)
    first, second = (evaluate(qrels, demo.run_paths(), MEASURES).means() for qrels in (human, other))
    assert found.runs == tuple("ABCDE")
    swapped = 0
    for column, order in enumerate(found.orders):
        a, b = first[:, column], second[:, column]
        assert (order.human, order.machine) == (tuple(a), tuple(b))
        assert order.tau == pytest.approx(stats.kendalltau(a, b)[0])
        sign = -1 if str(order.measure) == "NDPM" else 1
        for better, worse in order.swaps:
            i, j = "ABCDE".index(better), "ABCDE".index(worse)
            assert sign * a[i] > sign * a[j]
            assert sign * b[i] < sign * b[j]
        swapped += len(order.swaps)
        assert order.tau == pytest.approx(1 - 2 * len(order.swaps) / 10)
    assert swapped


def test_runs_are_compared_over_the_topics_of_both(human):
    part = {topic: judged for topic, judged in human.items() if topic not in ("351", "362")}
    found = agreement(human, part, demo.run_paths(), ["P@5"])
    (order,) = found.orders
    assert order.human == order.machine == tuple(evaluate(part, demo.run_paths(), ["P@5"]).means()[:, 0])


def test_runs_that_all_tie_have_no_tau():
    runs = {name: {"q1": {"a": 2.0, "b": 1.0}} for name in "AB"}
    (order,) = agreement(HUMAN, MACHINE, runs, ["P@1"]).orders
    assert (order.tau, order.swaps) == (None, ())


def test_a_single_level_has_no_kappa():
    same = {"q1": {"a": 1, "b": 1}}
    found = agreement(same, same)
    assert (found.kappa, found.linear, found.quadratic, found.same, found.bias) == (None, None, None, 1, 0)


def test_tables_and_records_hold_everything(found):
    values = dict(found.table()[1])
    assert values["documents judged by both"] == found.documents == 2992
    assert values["kappa, quadratic weights"] == found.quadratic
    assert values["tau of 5 runs, NDPM"] == found.orders[1].tau
    assert values["pairs that swap, NDPM"] == f"{len(found.orders[1].swaps)} of 10"
    columns, rows = found.confusion_table()
    assert columns == ["human \\ machine", "0", "1", "2", "3", "bias"]
    assert [row[1:-1] for row in rows] == found.confusion.tolist()
    assert len(found.topic_table()[1]) == 20
    assert found.order_table()[1][0][:2] == ["nDCG_JK@10", "A"]
    records = found.records()
    assert len({tuple(record) for record in records}) == 1
    cells = [record for record in records if record["machine_level"] is not None]
    assert sum(record["value"] for record in cells) == found.documents
    swaps = [(record["run"], record["other"]) for record in records if record["statistic"] == "swap"]
    assert swaps == [pair for order in found.orders for pair in order.swaps]
