"""The order of run files changes no output, and that of judges only the order of their rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_measures_graded.analysis import estimate, holes, judges, sensitivity

pytest.importorskip("scipy.special", reason="SciPy is not installed")

TOPICS = [f"q{number}" for number in range(6)]
RANKINGS = ("abcd", "bacd", "cdba", "xacb", "yxdc")
RUN_NAMES = ("m", "k", "z", "B", "s", "c")
ORDERS = st.permutations(range(len(RUN_NAMES)))
CHOICES = st.tuples(*[st.sampled_from(RANKINGS)] * len(RUN_NAMES))


def judged_by(seed):
    """The levels of three or four documents of each topic."""
    generator = np.random.default_rng(seed)
    qrels = {}
    for topic in TOPICS:
        levels = generator.integers(0, 4, 4).tolist()
        qrels[topic] = dict(zip("abcd", levels))
        qrels[topic].pop(generator.choice(list("wxab")), None)
    return qrels


HUMAN = judged_by(0)
MACHINES = {"one": judged_by(3), "two": judged_by(4), "like one": judged_by(3)}


def texts_of(result, *tables):
    """What is printed of a result, its sentences and its tables."""
    texts = [result.summary, *map(str, result.notes())]
    for table in (*result.tables(), *tables):
        texts += table.lines("markdown", 6)
    return texts


def holes_of(runs):
    result = holes(HUMAN, runs, "nDCG_JK@3", batch=3, random=0.3)
    return texts_of(result, result.data())


def judges_of(runs):
    result = judges(HUMAN, {"machine": MACHINES["one"]}, runs, ["nDCG@3", "P@2"], resamples=100)
    return texts_of(result, result.favour_table())


def sensitivity_of(runs):
    result = sensitivity(HUMAN, runs, ["nDCG_JK@3", "P@1", "muAP@3"], gains=["w1", "w100"])
    return texts_of(result, result.rank_table(), result.swap_table())


def best_estimate_of(runs):
    return estimate(MACHINES["like one"], MACHINES["one"], runs, ["nDCG@3"]).summary


@pytest.mark.filterwarnings("ignore:only .* topics")
@pytest.mark.parametrize("output_of", [holes_of, judges_of, sensitivity_of, best_estimate_of])
@settings(max_examples=5, deadline=None)
@given(order=ORDERS, choices=CHOICES)
def test_no_output_depends_on_the_order_of_run_files(output_of, order, choices):
    """Many runs have the same ranking, so that they tie."""
    runs = {}
    for name, ranking in zip(RUN_NAMES, choices):
        runs[name] = {topic: list(ranking) for topic in TOPICS}
    permuted = {RUN_NAMES[number]: runs[RUN_NAMES[number]] for number in order}
    assert output_of(permuted) == output_of(runs)


def test_only_the_rows_depend_on_the_order_of_judges():
    results = [
        judges(HUMAN, dict(machines), resamples=100)
        for machines in (MACHINES.items(), reversed(MACHINES.items()))
    ]
    first, second = results
    assert first.summary == second.summary
    assert first.difference_table().rows == second.difference_table().rows
    assert sorted(first.tables()[0].rows, key=str) == sorted(second.tables()[0].rows, key=str)
