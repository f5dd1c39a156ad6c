"""Calls of analyses and of results that Python would refuse without a word on what exists."""

import pickle

import pytest

from ir_measures_graded import (
    ArrayEvaluator,
    GradedError,
    RankingMetric,
    RunFile,
    analysis,
    array_mean,
    array_values,
)
from ir_measures_graded.analysis import compare, evaluate, gate, holes, judges, power, report
from ir_measures_graded.integrations.boosting import (
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)
from ir_measures_graded.integrations.scikit_learn import scorer

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

QRELS = {f"q{topic}": {"a": 1, "b": topic % 3} for topic in range(12)}
OLD = {topic: {"b": 2.0, "a": 1.0} for topic in QRELS}
NEW = {topic: {"a": 2.0, "c": 1.0} for topic in QRELS}
RUNS = {"old": OLD, "new": NEW}

UNKNOWN = [
    (evaluate, "by_query", "evaluate(…).to_frame() has the value of each topic"),
    (evaluate, "confidence", "intervals(evaluate(…), confidence=0.95)"),
    (evaluate, "metrics", "'metrics'; write measures="),
    (compare, "per_query", "compare(…).topic_differences has the topics"),
    (compare, "test", "did you mean tests?"),
    (gate, "baseline", "the first of the two runs is the old one"),
    (holes, "budget", "write batch="),
    (power, "by_topic", "evaluate(qrels, runs, measures).to_frame() has the value of each topic"),
    (report, "output", "report(…).save('FILE') writes the result"),
    (compare, "gains", "gains are a parameter of measures, as in 'nDCG(gains=0:0,1:1,2:10)@10'"),
    (judges, "xyz", "it takes human, machines, runs, measures, machine_levels, confidence,"),
]


@pytest.mark.parametrize(("function", "name", "message"), UNKNOWN)
def test_an_unknown_argument_is_answered_with_what_exists(function, name, message):
    with pytest.raises(TypeError) as refused:
        function(QRELS, RUNS, ["P@1"], **{name: 1})
    assert message in str(refused.value)


def test_gains_beside_a_measure_are_shown_inside_it():
    for metric in (lightgbm_metric, xgboost_metric):
        with pytest.raises(TypeError, match="gains are a parameter of measures, as in 'nDCG"):
            metric("nDCG@10", label_gain=[0, 1, 3])


def test_arguments_in_another_order_are_answered_with_a_right_call():
    for arguments in ((QRELS, OLD, NEW, ["P@1"]), (QRELS, RUNS, ["P@1"], "3%")):
        with pytest.raises(GradedError) as refused:
            gate(*arguments)
        assert "call gate(qrels, {'old': old, 'new': new}, ['nDCG@10'])" in str(refused.value)
        assert "options go by name: sessions=, no_relevant=, weights=, margin=" in str(
            refused.value
        )
    with pytest.raises(TypeError, match=r"evaluate\(\) lacks measures; call evaluate\(qrels, "):
        evaluate(QRELS, RUNS)


@pytest.mark.parametrize(
    ("function", "arguments", "passed", "message"),
    [
        (lightgbm_metric, 1, {"k": 5}, "lightgbm_metric() got an unexpected keyword argument 'k'; "
         "the cutoff stands in the measure, as in 'nDCG@10'"),
        (xgboost_metric, 1, {"metric": "AP"}, "xgboost_metric() got an unexpected keyword argument "
         "'metric'; write measures="),
        (catboost_metric, 0, {}, "catboost_metric() lacks measure; call catboost_metric('nDCG@10', "
         "train, valid)"),
        (scorer, 1, {"foo": 1}, "scorer() got an unexpected keyword argument 'foo'; it takes "
         "measure, groups, ties, response_method and no_relevant"),
        (array_values, 1, {"sizes": [1]}, "array_values() lacks labels; call "
         "array_values('nDCG@10', labels, scores, sizes=sizes)"),
        (array_mean, 3, {"per_query": True}, "array_mean() got an unexpected keyword argument "
         "'per_query'; array_values(…) has the value of each group"),
        (ArrayEvaluator, 2, {"size": [1]}, "ArrayEvaluator() got an unexpected keyword argument "
         "'size'; did you mean sizes?"),
        (RankingMetric, 1, {"top_k": 5}, "RankingMetric() got an unexpected keyword argument "
         "'top_k'; the cutoff stands in the measure, as in 'nDCG@10'"),
        (RunFile, 1, {"cols": []}, "RunFile() got an unexpected keyword argument 'cols'; did you "
         "mean columns?"),
    ],
)  # fmt: skip
def test_a_wrong_call_on_arrays_files_or_metrics_is_answered_alike(
    function, arguments, passed, message
):
    in_order = ("nDCG@10", [1], [2])[:arguments]
    with pytest.raises(TypeError) as refused:
        function(*in_order, **passed)
    assert str(refused.value) == message


def test_too_many_arguments_on_arrays_are_answered_with_a_right_call():
    with pytest.raises(GradedError) as refused:
        array_values("nDCG@10", [1], [2], [1], "mean", [1])
    assert "array_values takes 5 arguments, not 6; call array_values('nDCG@10', " in str(
        refused.value
    )


def test_tables_in_the_wrong_place_are_named():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "relevance": [1]})
    with pytest.raises(GradedError, match="give the qrels first, then the runs"):
        evaluate({"old": table}, table, ["P@1"])
    with pytest.raises(GradedError, match=r"a mapping of qrels by name, as \{'llm': qrels\}"):
        judges(table, table)


def test_measures_may_follow_an_evaluation():
    evaluation = evaluate(QRELS, RUNS, ["P@1", "RR"])
    assert compare(evaluation, "RR").measures == compare(evaluation, measures="RR").measures
    assert len(power(evaluation, ["P@1"]).measures) == 1
    with pytest.raises(GradedError, match="leave out runs, or give qrels"):
        compare(evaluation, RUNS)


def test_frames_by_name():
    pytest.importorskip("pandas")
    evaluation = evaluate(QRELS, RUNS, ["P@1"])
    comparison = compare(evaluation)
    assert comparison.to_frame("topics").equals(comparison.topic_differences)
    assert comparison.to_frame("means").equals(comparison.means)
    kinds = "'differences', 'open', 'means', 'topics', 'tests' or 'all'"
    with pytest.raises(GradedError, match=kinds):
        comparison.to_frame("topic")
    with pytest.raises(GradedError) as refused:
        evaluation.to_frame("topics")
    assert "one table, with the columns run, measure, topic and value" in str(refused.value)
    assert "topic_means has the topics over all runs" in str(refused.value)
    assert "to_frame('means') the means" in str(refused.value)
    means = evaluation.to_frame("means")
    assert list(means.columns) == ["run", "P@1"]
    assert means["run"].tolist() == list(evaluation.runs)
    assert means["P@1"].tolist() == evaluation.means()[:, 0].tolist()


def test_attributes_of_other_tools_are_answered_with_ours():
    evaluation = evaluate(QRELS, RUNS, ["P@1"])
    for name, ours in {"plot": "figure", "to_csv": "save", "to_pandas": "to_frame"}.items():
        with pytest.raises(AttributeError, match=f"write {ours}"):
            getattr(evaluation, name)
    assert not hasattr(evaluation, "itertuples")
    assert pickle.loads(pickle.dumps(evaluation)).runs == evaluation.runs
    with pytest.raises(AttributeError, match="did you mean compare_leaderboards"):
        analysis.leaderboard  # noqa: B018
