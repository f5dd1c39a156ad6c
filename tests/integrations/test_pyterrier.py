"""Graded measures in PyTerrier: after ``import pyterrier`` alone, and in a real Experiment.

Systems are DataFrames of results, so the tests need no Java and start none.
"""

import inspect
import logging
import math
import sys

import ir_measures
import pytest

import ir_measures_graded
import ir_measures_graded.integrations.pyterrier
from distributions import GOOD, distribution, python
from ir_measures_graded import NDPM, nCG

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")

PAPER = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"
METRICS = [
    "map",  # a name of trec_eval
    PAPER,  # a string that PyTerrier alone refuses
    "nDCG@10",
    NDPM,  # its value for an empty ranking is not 0
    nCG(avg=False) @ 1,  # a parameter with its default
]

TOPICS = pandas.DataFrame([("1", "one"), ("2", "two"), ("3", "three")], columns=["qid", "query"])
QRELS = pandas.DataFrame(
    [("1", "a", 3), ("1", "b", 1), ("2", "c", 1), ("3", "a", 2)], columns=["qid", "docno", "label"]
)


def results(*rows):
    return pandas.DataFrame(rows, columns=["qid", "docno", "score"])


ONE = results(("1", "x", 3.0), ("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 1.0))  # without topic 3
TWO = results(("1", "a", 3.0), ("2", "x", 2.0), ("2", "c", 1.0), ("3", "b", 3.0), ("3", "a", 1.0))

LOG3 = math.log2(3)
EXPECTED = {
    "one": {
        "map": {"1": (1 / 2 + 2 / 3) / 2, "2": 1, "3": 0},
        PAPER: {"1": (100 + 1 / LOG3) / (100 + 1), "2": 1, "3": 0},
        "nDCG@10": {"1": (3 / LOG3 + 1 / 2) / (3 + 1 / LOG3), "2": 1, "3": 0},
        "NDPM": {"1": 0, "2": 0.5, "3": 0.5},
        "nCG@1": {"1": 0, "2": 1, "3": 0},
    },
    "two": {
        "map": {"1": 1 / 2, "2": 1 / 2, "3": 1 / 2},
        PAPER: {"1": 100 / 101, "2": 1, "3": 1},
        "nDCG@10": {"1": 3 / (3 + 1 / LOG3), "2": 1 / LOG3, "3": 1 / LOG3},
        "NDPM": {"1": 0, "2": 0.5, "3": 0.5},
        "nCG@1": {"1": 1, "2": 0, "3": 0},
    },
}
MEANS = {}
for system, measures in EXPECTED.items():
    MEANS[system] = {name: sum(values.values()) / 3 for name, values in measures.items()}


def experiment(systems=(ONE, TWO), metrics=METRICS, **options):
    names = ["one", "two"][: len(systems)]
    return pt.Experiment(list(systems), TOPICS, QRELS, metrics, names=names, **options)


def rows(frame):
    """A DataFrame of means as a dict of dicts; the order of columns depends on the hash seed."""
    return frame.set_index("name").to_dict("index")


def approx(means):
    return {system: pytest.approx(values, abs=1e-6) for system, values in means.items()}


class Lookup(pt.Transformer):
    """Looks up results and returns at least one for every topic, as batches require."""

    def __init__(self, frame):
        missing = TOPICS[~TOPICS["qid"].isin(frame["qid"])]
        nothing = missing.assign(docno="nothing", score=0.0, rank=0)
        self.frame = pandas.concat([frame, nothing])
        self.batches = []

    def transform(self, inp):
        self.batches.append(len(inp))
        return self.frame[self.frame["qid"].isin(inp["qid"])]


def test_measure_strings_objects_and_trec_names_in_one_experiment():
    assert rows(experiment()) == approx(MEANS)


@pytest.mark.parametrize("batch_size", [None, 1, 2])
def test_transformers_are_evaluated_in_batches(batch_size):
    systems = [Lookup(ONE), Lookup(TWO)]
    frame = experiment(systems, batch_size=batch_size, validate="ignore")
    assert rows(frame) == approx(MEANS)
    assert systems[0].batches == {None: [3], 1: [1, 1, 1], 2: [2, 1]}[batch_size]


def test_batches_hide_the_levels_that_unjudged_documents_could_have():
    reason = r"nDCG_JK\(unjudged='max'\)@10 needs the levels of all topics"
    metrics = ["nDCG_JK(unjudged=max)@10"]
    with pytest.raises(ValueError, match=f"{reason}.*in batches; leave out batch_size"):
        experiment([Lookup(ONE)], metrics, batch_size=2, validate="ignore")
    assert rows(experiment([Lookup(ONE)], metrics, validate="ignore"))


@pytest.mark.parametrize(
    "metric", ["ERR_G@10", ir_measures.parse_measure("RBP_G"), "nERR(gains=linear)"]
)
def test_batches_need_the_top_gain(metric):
    system = Lookup(ONE)
    message = "needs the levels of all topics.*or give max_gain"
    with pytest.raises(ValueError, match=message):
        experiment([system], ["AP", metric], batch_size=2, validate="ignore")
    with pytest.raises(ValueError, match=message):
        pt.GridScan(system, {}, TOPICS, QRELS, [metric], batch_size=1)
    assert not system.batches
    measure = metric
    if isinstance(metric, str):
        measure = ir_measures.parse_measure(metric)
    highest_level = int(QRELS["label"].max())
    top_gain = highest_level if measure["gains"] == "linear" else 2**highest_level - 1
    with_top = measure(max_gain=top_gain)
    whole = rows(experiment([Lookup(ONE)], [measure], validate="ignore"))["one"]
    batched = rows(experiment([Lookup(ONE)], [with_top], batch_size=1, validate="ignore"))["one"]
    assert batched[str(with_top)] == pytest.approx(whole[str(measure)], abs=1e-12)


@pytest.mark.parametrize("batch_size", [None, 2])
def test_per_query_values_include_topics_missing_from_a_run(batch_size):
    systems = [ONE, TWO] if batch_size is None else [Lookup(ONE), Lookup(TWO)]
    frame = experiment(systems, perquery=True, batch_size=batch_size, validate="ignore")
    for system, measures in EXPECTED.items():
        for measure, expected in measures.items():
            of_measure = frame[(frame["name"] == system) & (frame["measure"] == measure)]
            values = dict(zip(of_measure["qid"], of_measure["value"]))
            assert values == pytest.approx(expected, abs=1e-6)
    assert len(frame) == 2 * 3 * len(METRICS)


BETTER = TWO
WORSE = results(("1", "b", 3.0), ("1", "a", 2.0), ("2", "c", 1.0), ("3", "a", 1.0))
PERFORMANCE = "NDPM(performance=True)"


def test_smaller_values_count_as_improvements():
    frame = experiment([WORSE, BETTER], metrics=[NDPM, PERFORMANCE], baseline=0)
    assert list(frame.columns)[3:6] == ["NDPM +", "NDPM -", "NDPM p-value"]
    worse = rows(frame)["one"]
    better = rows(frame)["two"]
    assert better["NDPM"] < worse["NDPM"]
    for measure in ("NDPM", PERFORMANCE):
        assert better[f"{measure} +"] == 1
        assert better[f"{measure} -"] == 0


def test_a_search_for_the_largest_mean_refuses_smaller_is_better():
    message = r"smaller values of NDPM are better, but pt.{} takes the largest mean"
    with pytest.raises(ValueError, match=message.format("GridSearch")):
        pt.GridSearch(Lookup(ONE), {}, TOPICS, QRELS, "NDPM")
    with pytest.raises(ValueError, match=message.format("Experiment")):
        experiment([WORSE, BETTER], metrics=[NDPM, "map"], highlight="bold")


def test_wrapped_experiment_keeps_signature_and_errors():
    parameters = list(inspect.signature(pt.Experiment).parameters)
    assert parameters[:2] == ["retr_systems", "topics"]
    assert pt.Experiment.__doc__ == pt.Experiment._original.__doc__
    with pytest.raises(TypeError, match="missing 3 required positional arguments"):
        pt.Experiment([ONE])


def test_accelerated_experiments_have_the_same_results():
    metrics = [*METRICS, "recip_rank", "P_2", "RR@10", "Judged@1", "num_rel_ret"]

    def means():
        return rows(pt.Experiment({"one": ONE, "two": TWO}, TOPICS, QRELS, metrics, round=None))

    before = means()
    ir_measures_graded.accelerate()
    try:
        assert means() == before
    finally:
        ir_measures_graded.accelerate(False)


# After `import pyterrier` alone, in any order of imports


def test_importing_pyterrier_is_enough(tmp_path):
    distribution(tmp_path, "works", GOOD)
    code = f"""
import sys
from importlib.util import find_spec
import pyterrier as pt
assert find_spec("ir_datasets")
assert "ir_datasets" not in sys.modules, "importing it costs as much as half of the rest"
import pandas
from pyterrier.measures import *
assert pt.graded.nDCG_JK(b=2) @ 10 == nDCG_JK @ 10 == pt.measures.nDCG_JK @ 10
qrels = pandas.DataFrame({{"qid": ["1", "1"], "docno": ["a", "b"], "label": [3, 1]}})
run = pandas.DataFrame({{"qid": ["1"], "docno": ["b"], "score": [1.0]}})
topics = pandas.DataFrame({{"qid": ["1"], "query": ["one"]}})
names = ["map", {PAPER!r}, "nDCG@10", "First(p=2)@1"]
frame = pt.Experiment([run], topics, qrels, [*names, pt.graded.CG])
print(*[round(float(frame[name][0]), 4) for name in (*names, "CG")])
print(pt.java.started())
data = pt.get_dataset("irds:graded-demo")
values = pt.Evaluate(data.get_results(), data.get_qrels(), ["nDCG_JK@10"], perquery=True).values()
print(len(values), 0.2 < sum(value["nDCG_JK@10"] for value in values) / 20 < 0.8)
import ir_datasets
print(ir_datasets.load("graded-demo").qrels_count() == len(data.get_qrels()) > 1000)
print(len(data.get_topics()))
"""
    done = python(tmp_path, code)
    assert done.stdout == "0.5 0.0099 0.2754 2.0 1.0\nFalse\n20 True\nTrue\n20\n", done.stderr


def test_module_lists_the_measures():
    names = dir(pt.graded)
    assert {"CG", "nDCG_JK", "NDPM", "QMeasure"} <= set(names)
    for name in names:
        assert isinstance(getattr(pt.graded, name), ir_measures_graded.GradedMeasure)
    with pytest.raises(AttributeError, match="nDGC"):
        pt.graded.nDGC  # noqa: B018
    with pytest.raises(ImportError, match="nDGC"):
        from pyterrier.measures import nDGC  # noqa: F401


# Errors in the entry point


def test_failure_is_logged_in_one_line(monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("out of\norder")

    module = ir_measures_graded.integrations.pyterrier
    monkeypatch.setattr(module, "redirect", fail)
    monkeypatch.setattr(module, "_functions", fail)
    assert module.load() is module
    lines = ["PyTerrier lacks some of ir_measures_graded: RuntimeError: out of order"] * 2
    assert caplog.messages == lines
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


def test_module_works_without_pyterrier(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['pyterrier'] = None\n")
    code = "import ir_measures_graded.integrations.pyterrier as p; print(p.load().nDCG_JK)"
    done = python(tmp_path, code)
    assert done.stdout == "nDCG_JK\n"
    assert done.stderr == ""


def test_columns_have_the_order_of_the_metrics():
    metrics = ["nDCG@10", nCG @ 5, "map", "P_5,10", PAPER, "NDPM(performance=True)"]
    names = ["nDCG@10", "nCG@5", "map", "P@5", "P@10", PAPER, "NDPM(performance=True)"]
    systems = {"one": ONE, "two": TWO}
    means = pt.Experiment(systems, TOPICS, QRELS, metrics)
    assert list(means.columns) == ["name", *names]
    means, _ = pt.Experiment(systems, TOPICS, QRELS, metrics, perquery="both")
    assert list(means.columns) == ["name", *names]
    compared = pt.Experiment(systems, TOPICS, QRELS, metrics, baseline="one", correction="holm")
    columns = ["name", *names]
    for name in names:
        columns += [f"{name} +", f"{name} -", f"{name} p-value"]
        columns += [f"{name} reject", f"{name} p-value corrected"]
    assert list(compared.columns) == columns


def test_unreadable_measure_is_one_clear_error():
    earlier = sys.exc_info()[1]
    with pytest.raises(ValueError, match="did you mean nDCG") as error:
        experiment(metrics=["map", "nDGC@10"])
    # CatBoost leaves an earlier error.
    assert error.value.__suppress_context__ or error.value.__context__ is earlier
