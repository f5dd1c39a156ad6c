"""Topics for which a provider of ir-measures gives no value have one rule everywhere."""

import warnings
from contextlib import contextmanager

import ir_measures
import numpy as np
import pytest
from ir_measures import Metric, providers

from ir_measures_graded import cli
from ir_measures_graded.analysis import Evaluation, compare, evaluate
from ir_measures_graded.errors import InputWarning

QRELS = {
    "1": {"a": 1, "b": 0},
    "2": {"a": 1, "b": 0},
    "3": {"c": 1, "d": 0},
    "4": {"a": 1, "b": 0},
    "5": {"a": 1, "b": 0},
}
FIRST = {"a": 2.0, "b": 1.0}
SECOND = {"a": 1.0, "b": 2.0}
NOTHING = {"x": 2.0, "y": 1.0}
ACCURACY = ir_measures.Accuracy @ 2
RUNS = {
    "full": {"1": FIRST, "2": SECOND, "3": {"c": 2.0, "d": 1.0}, "4": FIRST, "5": SECOND},
    "nothing": {"1": FIRST, "2": FIRST, "3": NOTHING, "4": SECOND, "5": FIRST},
    "only relevant": {"1": FIRST, "2": SECOND, "3": {"c": 1.0}, "4": FIRST, "5": SECOND},
    "lacks": {"1": FIRST, "2": FIRST, "4": SECOND, "5": SECOND},
}


class Yields(providers.Evaluator):
    """Yields given values of one measure."""

    def __init__(self, measures, qrels, values):
        super().__init__(measures, set(qrels))
        self.values = values

    def iter_calc(self, run):
        for topic in run:
            value = self.values.get(topic)
            if value is not None:
                yield Metric(topic, self.measures[0], value)


@contextmanager
def provider_of(values, monkeypatch):
    """A pipeline in which Accuracy has these values."""

    def evaluator(measures, qrels):
        return Yields(list(measures), {"q"}, values)

    with monkeypatch.context() as patch:
        patch.setattr(ir_measures.DefaultPipeline, "evaluator", evaluator)
        yield


@pytest.mark.parametrize("name", RUNS)
def test_topics_without_a_value_are_in_no_mean(name):
    run = RUNS[name]
    by_topic = {}
    for topic, documents in run.items():
        if (name, topic) != ("only relevant", "3"):  # ir_measures divides by zero
            for metric in ir_measures.iter_calc([ACCURACY], QRELS, {topic: documents}):
                by_topic[topic] = metric.value
    if name == "full":
        evaluation = evaluate(QRELS, {name: run}, [ACCURACY])
        assert not [remark for remark in evaluation.remarks if remark.kind == "no value"]
    else:
        with pytest.warns(InputWarning, match="no value for 1 of 5 topics"):
            of_two = evaluate(QRELS, {name: run}, [ACCURACY, "P@1"])
        evaluation = of_two.part([name], ["Accuracy@2"])
        (remark,) = [remark for remark in evaluation.remarks if remark.kind == "no value"]
        assert remark.subject == "Accuracy@2"
        assert remark.text.split(";")[0] == f"no value for 1 of 5 topics of {name}"
        assert [topic for topic in evaluation.topics if topic not in by_topic] == ["3"]
    mean = sum(by_topic.values()) / len(by_topic)
    assert evaluation.means().item() == pytest.approx(mean)
    assert evaluation.to_dict() == {name: {"Accuracy@2": pytest.approx(mean)}}
    assert "nan" not in str(evaluation).lower()


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("other", ["Compat", "SetF", "alpha_nDCG@2", "nDCG@2"])
@pytest.mark.filterwarnings("ignore::ir_measures_graded.errors.InputWarning")
def test_another_provider_gives_no_default_to_topics_without_a_value(name, other):
    """ir_measures' evaluator of several providers counts such a topic as 0."""
    if other.startswith("alpha"):
        pytest.importorskip("pyndeval", reason="pyndeval is not installed")
    alone = evaluate(QRELS, {name: RUNS[name]}, ["Accuracy@2"])
    beside = evaluate(QRELS, {name: RUNS[name]}, [other])
    both = evaluate(QRELS, {name: RUNS[name]}, [other, "Accuracy@2"])
    np.testing.assert_array_equal(both.of("Accuracy@2"), alone.of("Accuracy@2"))
    np.testing.assert_array_equal(both.of(other), beside.of(other))


class DividesByZero(providers.Evaluator):
    """Gives each topic of a run the value 1, and raises an error for topic 3."""

    def _iter_calc(self, run):
        for topic in run:
            if topic == "3":
                raise ZeroDivisionError
            yield Metric(topic, self.measures[0], 1.0)


def test_a_division_by_zero_in_one_topic_takes_no_other_value(monkeypatch):
    def evaluator(measures, qrels):
        return DividesByZero(list(measures), QRELS)

    monkeypatch.setattr(ir_measures.DefaultPipeline, "evaluator", evaluator)
    run = {topic: documents for topic, documents in RUNS["full"].items() if topic != "5"}
    with pytest.warns(InputWarning, match="no value for 1 of 5 topics"):
        evaluation = evaluate(QRELS, {"full": run}, ["Accuracy@2"])
    np.testing.assert_array_equal(evaluation.of("Accuracy@2"), [[1.0, 1.0, np.nan, 1.0, 0.0]])


@pytest.mark.parametrize("measures", [["Accuracy@2"], ["Compat"], ["Accuracy@2", "P@1"]])
def test_remarks_on_a_run_do_not_depend_on_the_provider(measures):
    with pytest.warns(InputWarning):
        evaluation = evaluate(QRELS, {"lacks": {"1": NOTHING, "2": FIRST}}, measures)
    remarks = [remark for remark in evaluation.remarks if remark.subject == "lacks"]
    assert (
        remarks[0].text
        == "the run lacks 3 of 5 topics of the qrels (3, 4 and 5); they count, mostly as 0, as in trec_eval -c"
    )
    assert remarks[0].topics == ("3", "4", "5")
    assert evaluation.missing.tolist() == [[False, False, True, True, True]]


@pytest.mark.parametrize("gap", [None, float("nan")])
@pytest.mark.parametrize("sessions", [None, True])
def test_nan_is_no_value(gap, sessions, monkeypatch):
    values = {"a_1": 1.0, "a_2": gap, "b_1": gap, "c_1": 0.25}
    qrels = {topic: {"x": 1} for topic in values}
    run = {topic: {"x": 1.0} for topic in values}
    with provider_of(values, monkeypatch), pytest.warns(InputWarning, match="no value for"):
        evaluation = evaluate(qrels, {"r": run}, ["Accuracy@2"], sessions=sessions)
    expected = [1.0, None, None, 0.25]
    if sessions:
        expected = [1.0, None, 0.25]
    assert evaluation.reported[0, 0].tolist() == expected
    assert evaluation.means().item() == 0.625


def test_paired_topics_have_a_value_of_every_run():
    nan = np.nan
    values = np.array([[1.0, nan, 0.5, 0.0], [nan, 1.0, 0.25, 1.0], [0.0, 0.0, 0.0, nan]])
    evaluation = Evaluation(tuple("ABC"), (ACCURACY,), tuple("1234"), values[:, None])
    assert evaluation.paired_topics(ACCURACY).tolist() == [2]
    assert evaluation.paired(ACCURACY).tolist() == [[0.5], [0.25], [0.0]]
    assert evaluation.part(["A", "B"], [ACCURACY]).paired_topics(ACCURACY).tolist() == [2, 3]
    assert evaluation.remarks[0].text.startswith("no value for 1 of 4 topics of A, B and C")
    assert evaluation.on([2, 3]).remarks[0].text.startswith("no value for 1 of 2 topics of C")
    assert not evaluation.on([2]).remarks
    assert evaluation.on([0]).means()[1].item() != evaluation.on([0]).means()[1].item()
    assert evaluation.on([0]).to_dict()["B"] == {"Accuracy@2": None}
    assert evaluation.on([0]).tables()[0].rows == [["A", 1.0], ["B", None], ["C", 0.0]]
    assert [record["value"] for record in evaluation.records()][:2] == [1.0, None]


def write_lines(path, topics, line):
    """A line for each row; `line` is a format for topic, document and value."""
    with path.open("w") as file:
        for topic, docs in topics.items():
            file.writelines(line.format(topic, doc, value) for doc, value in docs.items())


@pytest.mark.parametrize("form", ["text", "tsv", "csv", "json", "jsonl", "markdown", "latex"])
@pytest.mark.parametrize("name", ["nothing", "never"])
def test_no_format_prints_nan(form, name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runs = {"full": RUNS["full"], name: RUNS.get(name, dict.fromkeys(QRELS, NOTHING))}
    write_lines(tmp_path / "qrels", QRELS, "{} 0 {} {}\n")
    for run, topics in runs.items():
        write_lines(tmp_path / run, topics, "{} Q0 {} 1 {} x\n")
    for names in (["full", name], [name]):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            assert cli.main(["evaluate", "qrels", *names, "Accuracy@2", "-q", "-f", form]) == 0
        printed = capsys.readouterr()
        assert "nan" not in printed.out.lower()
        assert "no value for" in printed.out + printed.err


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_comparison_counts_the_topics_that_it_uses(form):
    runs = {"full": RUNS["full"], "nothing": RUNS["nothing"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        comparison = compare(QRELS, runs, [ACCURACY, "P@1"])
    of_accuracy, of_precision = comparison.answer()[:2]
    assert "paired t over 4 topics" in of_accuracy
    assert "paired t over 5 topics" in of_precision
    if form == "text":
        text = str(comparison)
    elif form == "markdown":
        text = comparison.to_markdown()
    else:
        text = comparison.to_html()
    assert "4 to 5 topics" in text
    assert "no value for 1 of 5 topics" in text
