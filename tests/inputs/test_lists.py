"""Qrels and runs as lists of document ids: by topic, and one after the other."""

import json

import ir_measures
import numpy as np
import pandas
import pyarrow
import pytest
from reading import refused

from ir_measures_graded import RunFile
from ir_measures_graded.analysis import check, evaluate

MEASURES = ["R@2", "nDCG_JK@3", "Bpref", "AP"]
LEVELS = {"q1": {"d1": 1, "d3": 1}, "q2": {"7": 1}, "q3": {}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d3": 1.0}, "q2": {"7": 1.0}, "q3": {"d1": 1.0}}
RANKED = {"q1": ["d2", "d1", "d3"], "q2": ["7"], "q3": ["d1"]}
COLLECTIONS = [
    list,
    tuple,
    set,
    frozenset,
    np.array,
    pandas.Series,
    lambda ids: pyarrow.array(ids, "string"),
    lambda ids: [*ids, *ids],
    lambda ids: dict.fromkeys(ids).keys(),
]
OF_LISTS = {"q1": ["d1", "d3"], "q2": ["7"], "q3": []}


def values(qrels, run, **options):
    return evaluate(qrels, {"run": run}, MEASURES, **options).values[0].tolist()


EXPECTED = values(LEVELS, RUN)


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_each_id_of_a_topic_has_level_1(collection):
    qrels = {topic: collection(ids) for topic, ids in OF_LISTS.items()}
    assert values(qrels, RUN) == EXPECTED
    assert values(qrels, RANKED) == EXPECTED
    standard = [ir_measures.parse_measure(measure) for measure in MEASURES]
    means = ir_measures.calc_aggregate(standard, qrels, RUN)
    assert [means[measure] for measure in standard] == pytest.approx(np.mean(EXPECTED, axis=1))


def test_whole_numbers_are_their_decimal_text():
    qrels = {1: [7, 12], 2: np.array([5])}
    run = {"1": ["12", "x", "7"], "2": ["5"]}
    assert evaluate(qrels, {"run": run}, "AP").values.ravel() == pytest.approx([5 / 6, 1])
    assert evaluate(qrels, {"run": {1: [12, 9, 7], 2: [5]}}, "AP").values.ravel() == pytest.approx(
        [5 / 6, 1]
    )
    message = refused(evaluate, qrels, {"run": {"1": ["07"], "2": ["5"]}}, "AP")
    assert "the doc_id is an integer, which may have lost leading zeros, as in '07'" in message


def test_a_series_of_lists_has_its_topics_in_the_index():
    qrels = pandas.Series({"q2": ["7"], "q1": ["d1", "d3"], "q3": []})
    found = evaluate(qrels, {"run": RUN}, MEASURES)
    assert found.topics == ("q2", "q1", "q3")
    assert sorted(map(sum, found.values[0].tolist())) == sorted(map(sum, EXPECTED))


@pytest.mark.parametrize("runs", [{"run": list(RANKED.values())}, list(RANKED.values()),
                                  {"run": list(RUN.values())}])  # fmt: skip
def test_a_sequence_has_the_topics_0_1_and_so_on(runs):
    found = evaluate(list(OF_LISTS.values()), runs, MEASURES)
    assert found.topics == ("0", "1", "2")
    assert found.values[0].tolist() == EXPECTED
    named = evaluate(list(OF_LISTS.values()), runs, MEASURES, topics=["q1", "q2", "q3"])
    assert (named.topics, named.values.tolist()) == (("q1", "q2", "q3"), [EXPECTED])


LISTS = list(OF_LISTS.values())


@pytest.mark.parametrize(
    ("qrels", "run", "options", "fact"),
    [
        (LISTS, LISTS[:2], {}, "the run has 2 lists, and the qrels have 3; give one list for each"),
        (LISTS, RUN, {}, "the qrels are a sequence, which has the topics 0, 1, …; the qrels have no"),
        (LEVELS, LISTS, {}, "the run is a sequence, which has the topics 0, 1, …; the qrels have no"),
        (LISTS, LISTS, {"topics": ["a", "b"]}, "topics= has 2 topics, and the qrels 3 lists"),
        (LISTS, LISTS, {"topics": ["a", "b", "a"]}, "topics= has 'a' twice"),
        (LEVELS, LISTS, {"topics": "abc"}, "topics='abc' is not allowed; topics is a list of ids of"),
        (LISTS[:1], LISTS, {"topics": ["a"]}, "topics= has 1 topics, and run 'run' 3 lists"),
        (LEVELS, RUN, {"topics": ["a"]}, "without a sequence for the qrels, leave it out"),
    ],
)  # fmt: skip
def test_sequences_that_do_not_fit_are_refused(qrels, run, options, fact):
    assert fact in refused(lambda: evaluate(qrels, {"run": run}, "AP", **options))


def test_json_files_have_lists_too(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return str(path)

    by_topic = written("qrels.json", OF_LISTS)
    in_order = written("lists.json", LISTS)
    run = RunFile(written("run.json", RANKED))
    run_in_order = RunFile(written("run_lists.json", list(RANKED.values())))
    assert values(by_topic, run) == EXPECTED
    assert values(in_order, run_in_order) == EXPECTED
    assert "the qrels have no topic 'q1'" in refused(values, in_order, run)
    short = RunFile(written("short.json", [["d1"]]))
    assert "short.json: the run has 1 lists" in refused(values, in_order, short)
    assert values(written("numbers.json", {"q1": [1, 3], "q2": [7], "q3": []}),
                  {"q1": ["2", "1", "3"], "q2": ["7"], "q3": ["1"]}) == EXPECTED  # fmt: skip


def test_check_says_what_lists_leave_unsaid():
    def kinds(qrels):
        return [remark.kind for remark in check(qrels, {"run": RUN}).remarks]

    assert "only relevant" in kinds(OF_LISTS)
    assert "only relevant" not in kinds(LEVELS)
