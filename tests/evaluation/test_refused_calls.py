"""Arrays, batches, tables of values and input of other providers that are refused."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest

from buckets import arrow
from ir_measures_graded import CG, GradedError, array_values
from ir_measures_graded.analysis import Evaluation, compare, evaluate, gate, power, ranges
from ir_measures_graded.evaluation.batches import evaluate_batches

NAN = np.nan
INF = np.inf
HEAD = "run,topic,measure,value\n"
JUDGED = arrow({"q1": {"a": 1}}, "relevance")
UNJUDGED = arrow({}, "relevance")
ONE = arrow({"q1": {"a": 1}}, "score")
GOOD = {"1": {"a": 2.0, "b": 1.0}}


class Unreadable:
    def __array__(self, dtype=None, copy=None):
        raise TypeError("it is on\nanother device")


def batch(topic, doc, score):
    """A batch with a row of q1 and another row."""
    columns = {
        "query_id": pyarrow.array(["q1", topic], pyarrow.string()),
        "doc_id": pyarrow.array(["a", doc], pyarrow.string()),
        "score": pyarrow.array([2, score], pyarrow.float64()),
    }
    return pyarrow.table(columns)


def refusal(function, *arguments, **options):
    """The message, which is that of the only error that a user sees."""
    with pytest.raises(GradedError) as refused:
        function(*arguments, **options)
    error = refused.value
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    return str(error)


@pytest.mark.parametrize(
    "text",
    [
        *("DCG@5", "hits@10", "accuracy@5", "rprec@5", "ndcg@0", "ndcg@5-l2", "map-l0"),
        *(
            "map@-1",
            "hit(rel=2)@10",
            "nDCG_KJ@10",
            "nDCG_JK(b=1)@10",
            "no*",
            "prefs_simp",
            "qrels_jg",
        ),
        *("nDCG@5,DCG@5", "DCG@5,x", "utility.1,-1,0,1"),
    ],
)
def test_a_wrong_measure_is_told_in_a_single_error(text):
    refusal(evaluate, GOOD, {"a": GOOD}, [text])
    refusal(array_values, text, [1], [1], sizes=[1])


def test_a_name_before_a_message_adds_no_second_error():
    assert refusal(evaluate, GOOD, {"a": {"1": {"x": NAN}}}, ["AP"]).startswith("a: run: ")
    levels = {"1": {**GOOD["1"], "c": 0.5}}
    assert "level" in refusal(evaluate, levels, {"a": GOOD}, ["nDCG(gains=1:1)@5"])


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("CG", [1], [1]), "flat labels need groups: for one query write sizes=[1]"),
        (("CG", [1, 0, 1], [1, 2, 3], [2]), "groups [2] do not fit 3 labels"),
        (
            ("CG", [1, 0], [1, 2], [1, 1]),
            "groups [1, 1] of 2 documents may be sizes or ids; pass them as sizes=… or as",
        ),
        (("CG", [1, 0], [1, 2], ["a", None]), "document 1 has no group id"),
        (
            ("CG", [[1, 0]], [[1, 2]], [2]),
            "each row of two-dimensional labels is a group; leave out groups",
        ),
        (("CG", [1, 0], [1], [2]), "scores have the shape (1,), labels (2,)"),
        (("CG", [[[1]]], [1], [1]), "the labels have 3 dimensions"),
        (("CG", ["1"], [1], [1]), "the labels are of type <U1; give numbers"),
        (
            ("CG", Unreadable(), [1], [1]),
            "cannot read the labels as an array: it is on another device",
        ),
        (("CG", [1, 0, 1], [1, 2, 3], [[1], [1, 1]]), "cannot read the groups as an array: "),
        (("CG", [], [], []), "the labels judge no document"),
        (("CG", [1, INF], [1, 2], [2]), "topic '0', document '1': the label is inf"),
        (("CG", [1, 0], [1, NAN], ["a", "b"]), "topic 'b', document '0': the score is NaN"),
        (
            ("nDCG", [1, 0.5], [1, 2], [2]),
            "document '1': the level is 0.5; nDCG(ties='mean') takes",
        ),
        (
            ("ADM(norm='none')", [1, 0], [1, 2], [2]),
            "document '1' has the score 2.0; it must be in",
        ),
        (("nDCG_IA@3", [1, 0], [1, 2], [2]), "the qrels have no intents"),
        (("ERR", [1, 0], [1, 2], [2]), "ir_measures_graded does not compute ERR; ERR_G"),
        (
            ("CG", [1, 0], [1, 2], [2], "docid"),
            "ties='docid' is not allowed; ties is 'mean', 'min', 'max' or 'given'",
        ),
    ],
)
def test_arrays(arguments, fact):
    assert fact in refusal(array_values, *arguments)


TWICE = "topic 'q1' retrieves document 'a' twice"
NOT_RANKED = "topic 'q1', document 'b': the score is NaN"


@pytest.mark.parametrize(
    ("row", "fact"),
    [
        (("q1", "a", 1), TWICE),
        (("q1", "b", NAN), NOT_RANKED),
        (("q1", "b", None), "the score None is not a number"),
        (("q1", None, 1), "row 1 has no doc_id"),
        ((None, "b", 1), "row 1 has no query_id"),
    ],
)
def test_rows_of_batches(row, fact):
    for qrels in (JUDGED, UNJUDGED):
        message = refusal(evaluate_batches, "CG", qrels, [batch(*row)])
        assert message.startswith("run: ")
        assert fact in message


@pytest.mark.parametrize(
    ("measures", "batches", "options", "fact"),
    [
        ("CG", [{"q1": {"a": 1}}], {}, "run: expected Arrow data, not a dict"),
        ("CG", [ONE], {"by": ["run"]}, "by: 'run' must be a column of every batch and of groups"),
        ("CG", [ONE], {"by": "query_id"}, "by: 'query_id' must be a column of every batch"),
        ("CG", [ONE], {"by": ["a", "a"]}, "by: 'a' occurs twice"),
        (
            "CG",
            [batch("q1", "a", 1).append_column("day", pyarrow.array([7, 7]))],
            {"by": "day"},
            f"day=7: run: {TWICE}",
        ),
        ("CG", [ONE], {"levels": ["high"]}, "levels: the level 'high' is not a number"),
        ("CG", [ONE], {"levels": [1, NAN]}, "levels: a level is a finite number"),
        (["AP", "ERR_G"], [ONE], {}, "ERR_G needs the levels of all topics; give levels"),
        (
            "ERR_G(max_gain=0.5)",
            [ONE],
            {},
            "topic 'q1' has a document of level 1, whose gain 1 is above",
        ),
    ],
)
def test_arguments_of_batches(measures, batches, options, fact):
    assert fact in refusal(evaluate_batches, measures, JUDGED, batches, **options)


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (
            HEAD + "A,1,AP,0.5\nA,2,AP,high\n",
            "t: row 2, column value: 'high' is not a finite number",
        ),
        (
            HEAD + "A,1,AP,0.5\nA,all,AP,\nA,2,AP,\n",
            "t: row 3, column value: '' is not a finite number",
        ),
        (
            "run,topic,AP,x\nA,1,0.5,1\nA,2,0.1,inf\n",
            "t: row 2, column x: 'inf' is not a finite number",
        ),
        (HEAD + ",1,AP,0.5\n", "t: row 1, column run: '' is empty"),
        (HEAD + "A,1,AP,1\nA,2,AP,1\nA,1,AP,1\n", "t: row 3: A has two values of AP for topic 1"),
        (
            HEAD + "A,1,AP,1\nA,2,AP,1\nB,1,AP,1\n",
            "t: B lacks values of AP for 1 topic (2); give each run a",
        ),
        ("run,topic,AP,map\nA,1,0,1\n", "t: AP and map are the same measure; keep one"),
        ("run,topic,x,x\nA,1,0,1\n", "t has two columns named x; rename one"),
        ("run,name,AP\nA,1,0\n", "t has no column query_id (or qid, q_id …); it has run, name, AP"),
        (f"run,{'x' * 999},AP\nA,1,0\n", "x…; if AP has it, name that column query_id"),
        (
            "run,place,AP\nA,1,0\n",
            "if place has it, name that column query_id; for a table of means",
        ),
        ("run,topic,AP\nA,1,0,7\n", "t:2: 4 fields, and the first line has 3"),
    ],
)
def test_tables_of_values(content, fact, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t").write_text(content)
    assert fact in refusal(Evaluation.from_values, "t")


@pytest.mark.parametrize(
    ("qrels", "run", "reason"),
    [
        (
            {"1": {"a": 1}},
            {"1": {"b": 2.0, "a c": 1.0}},
            "document 'a c', level 0; use ERR_G(max_gain=15)@5",
        ),
        ({"1": {"a\x0bb": 1}}, GOOD, r"document 'a\x0bb', level 1"),
        ({"q1": {"a": 1}}, {"q1": {"a": 1}}, "topic 'q1', document 'a'"),
        ({"1": {"a": 1}, "01": {"a": 0}}, GOOD, "topic '01', document 'a'"),
        ({"1": {"a": 5}}, GOOD, "document 'a', level 5; use ERR_G(max_gain=31)@5"),
    ],
)
@pytest.mark.skipif(shutil.which("perl") is None, reason="Perl is not installed")
def test_input_of_gdeval(qrels, run, reason, capfd):
    """The Perl script behind ERR gets only what it reads correctly."""
    for measures in (["ERR@5", "RR"], ["ERR@5"]):
        message = refusal(evaluate, qrels, {"run": run}, measures)
        assert "cannot compute ERR@5: gdeval takes topics that are whole numbers" in message
        assert reason in message
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("measure", ["alpha_nDCG", "ERR_IA", "P_IA", "StRecall"])
def test_a_measure_of_pyndeval_without_a_cutoff_is_refused_with_one(measure):
    pytest.importorskip("pyndeval")
    message = refusal(evaluate, {"1": {"a": 1}}, {"run": {"1": {"a": 1}}}, [measure])
    expected = f"cannot compute {measure}: a cutoff is missing; give one, as in {measure}@10"
    assert message == expected


@pytest.mark.parametrize(
    ("highest", "strings"),
    [
        (3, ["ERR_G(max_gain=15)", "ERR_G(max_gain=7)"]),
        (4, ["ERR_G(max_gain=15)"]),
        (6, ["ERR_G(max_gain=63)@20", "ERR_G(max_gain=63)"]),
    ],
)
def test_err_without_a_cutoff_is_answered_with_strings_that_work(highest, strings):
    qrels = {"q": {"a": highest, "b": 1}}
    runs = {"run": {"q": {"a": 1.0}}}
    message = refusal(evaluate, qrels, runs, "ERR")
    assert re.findall(r"ERR_G\([^)]*\)(?:@\d+)?", message) == strings
    expected = (2**highest - 1) / 2 ** max(highest, 4)
    assert evaluate(qrels, runs, strings[0]).means() == expected


@pytest.mark.parametrize(
    ("qrels", "runs", "fact"),
    [
        ({"q": {"a": NAN}}, {"x": {}}, "qrels: topic 'q', document 'a': the level is nan"),
        (
            {"q": {"a": 1}},
            {"x": {"q": {"a": NAN}}},
            "x: run: topic 'q', document 'a': the score is NaN",
        ),
        ({"q": {"a": 1}}, {"351": {"d": 1.0}}, "'351' is a topic of one run; pass {'mine': run}"),
        ({"q": {"a": 1}}, {"351": ["d"]}, "'351' is a topic of one run; pass {'mine': run}"),
        ({"q": {"a": 1}}, {"q": [("d", 1)]}, "'q' is a topic of one run; pass {'mine': run}"),
        (
            {"q": {"a": 1}},
            {"x": [pandas.DataFrame()] * 2},
            "x: run: a list of DataFrames is not one table",
        ),
        ([pandas.DataFrame()], {"x": {}}, "qrels: a list of DataFrames is not one table"),
        (
            {"q": {"a": 1e308, "b": 1e308}},
            {"x": {"q": {"a": 1, "b": 1}}},
            "level 1e+308 has the gain 1e+308; a gain must be 0 or between",
        ),
    ],
)
def test_inputs_of_evaluate(qrels, runs, fact):
    assert fact in refusal(evaluate, qrels, runs, [CG])


@pytest.mark.parametrize("analysis", [evaluate, compare, gate, power, ranges])
@pytest.mark.parametrize("empty", [(), [], {}])
def test_empty_runs_and_measures_have_one_rule(analysis, empty):
    qrels = {"1": {"a": 1}}
    message = refusal(analysis, qrels, empty, ["CG"])
    assert message.startswith("no run is given; pass one or more runs")
    message = refusal(analysis, qrels, {"x": GOOD}, list(empty))
    assert message.startswith("no measure is given; name at")


def test_ids_that_other_providers_cannot_read():
    runs = {"x": {"q": {"b\ud800": 1.0, "a": 1.0}}}
    message = refusal(evaluate, {"q": {"a": 1}}, runs, ["infAP"])
    assert message == r"x: run: doc_id 'b\ud800' has a lone surrogate, which is not a character"
