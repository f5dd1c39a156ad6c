"""Qrels and runs as lists of document ids: by topic, and one after the other."""

import json
from functools import partial

import ir_measures
import numpy as np
import pandas
import pyarrow
import pytest
from reading import refused

from ir_measures_graded import RunFile
from ir_measures_graded.analysis import check, evaluate, explain, explain_difference
from ir_measures_graded.errors import InputWarning

MEASURES = ["R@2", "nDCG_JK@3", "Bpref", "AP"]
LEVELS = {"q1": {"d1": 1, "d3": 1}, "q2": {"7": 1}, "q3": {}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d3": 1.0}, "q2": {"7": 1.0}, "q3": {"d1": 1.0}}
RANKED = {"q1": ["d2", "d1", "d3"], "q2": ["7"], "q3": ["d1"]}
OF_LISTS = {"q1": ["d1", "d3"], "q2": ["7"], "q3": []}


def arrow_array(ids):
    return pyarrow.array(ids, "string")


def twice(ids):
    return ids + ids


def keys_of_a_dict(ids):
    return dict.fromkeys(ids).keys()


COLLECTIONS = [list, tuple, set, frozenset, np.array, pandas.Series]
COLLECTIONS += [arrow_array, twice, keys_of_a_dict]


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
    run_of_numbers = {1: [12, 9, 7], 2: [5]}
    for source in (run, run_of_numbers):
        average_precision = evaluate(qrels, {"run": source}, "AP").values.ravel()
        assert average_precision == pytest.approx([5 / 6, 1])
    message = refused(evaluate, qrels, {"run": {"1": ["07"], "2": ["5"]}}, "AP")
    assert "the doc_id is an integer, which may have lost leading zeros, as in '07'" in message


def test_a_series_of_lists_has_its_topics_in_the_index():
    qrels = pandas.Series({"q2": ["7"], "q1": ["d1", "d3"], "q3": []})
    evaluation = evaluate(qrels, {"run": RUN}, MEASURES)
    assert evaluation.topics == ("q2", "q1", "q3")
    columns = [evaluation.topics.index(topic) for topic in LEVELS]
    assert evaluation.values[0][:, columns].tolist() == EXPECTED


LISTS = list(OF_LISTS.values())
RANKED_LISTS = list(RANKED.values())
SEQUENCES = [{"run": RANKED_LISTS}, RANKED_LISTS, {"run": list(RUN.values())}]


@pytest.mark.parametrize("runs", SEQUENCES)
def test_a_sequence_has_the_topics_0_1_and_so_on(runs):
    numbered = evaluate(LISTS, runs, MEASURES)
    assert numbered.topics == ("0", "1", "2")
    assert numbered.values[0].tolist() == EXPECTED
    named = evaluate(LISTS, runs, MEASURES, topics=["q1", "q2", "q3"])
    assert named.topics == ("q1", "q2", "q3")
    assert named.values.tolist() == [EXPECTED]


@pytest.mark.parametrize(
    ("qrels", "run", "options", "fact"),
    [
        (LISTS, LISTS[:2], {}, "the run has 2 lists, and the qrels have 3; give one list for each"),
        (LISTS, RUN, {},
         "the qrels are a sequence, which has the topics 0, 1, …; the qrels have no"),
        (LEVELS, LISTS, {},
         "the run is a sequence, which has the topics 0, 1, …; the qrels have no"),
        (LISTS, LISTS, {"topics": ["a", "b"]}, "topics= has 2 topics, and the qrels 3 lists"),
        (LISTS, LISTS, {"topics": ["a", "b", "a"]}, "topics= has 'a' twice"),
        (LEVELS, LISTS, {"topics": "abc"},
         "topics='abc' is not allowed; topics is a list of ids of"),
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
    numbers = written("numbers.json", {"q1": [1, 3], "q2": [7], "q3": []})
    ranked = {"q1": ["2", "1", "3"], "q2": ["7"], "q3": ["1"]}
    assert values(numbers, ranked) == EXPECTED


class Document:
    """A document of LangChain, as `similarity_search_with_score` returns it with a score."""

    def __init__(self, id):
        self.id = id


PAIRS = {topic: list(documents.items()) for topic, documents in RUN.items()}
DOCUMENTS = {}
for topic, pairs in PAIRS.items():
    DOCUMENTS[topic] = [(Document(id_), score) for id_, score in pairs]
SCORED = {
    "pairs of id and score": PAIRS,
    "not in order": {topic: pairs[::-1] for topic, pairs in PAIRS.items()},
    "as lists": {topic: list(map(list, pairs)) for topic, pairs in PAIRS.items()},
    "documents": DOCUMENTS,
    "ids": RANKED,
    "with an empty topic": {"q0": [], **PAIRS},
}


@pytest.mark.parametrize("form", SCORED)
def test_ranked_lists_are_a_run_for_every_function(form):
    run = SCORED[form]
    assert values(LEVELS, run) == EXPECTED
    alone = explain(LEVELS, run, "nDCG_JK@3", "q1")
    named = explain(LEVELS, {"A": run}, "nDCG_JK@3", "q1")
    assert alone.values.tolist() == named.values.tolist()
    assert named.run == "A"
    # ir-measures has other providers for the last one.
    measures = [ir_measures.parse_measure(name) for name in [*MEASURES, "Compat(p=0.8)"]]
    expected = ir_measures.calc_aggregate(measures, LEVELS, RUN)
    assert ir_measures.calc_aggregate(measures, LEVELS, run) == expected
    if "q0" not in run:
        qrels_in_order = list(LEVELS.values())
        run_in_order = list(run.values())
        means = ir_measures.calc_aggregate(measures, qrels_in_order, run_in_order)
        assert means == pytest.approx(expected)
        assert values(qrels_in_order, run_in_order) == EXPECTED


def test_pairs_whose_scores_rise_are_told_and_lists_of_ids_stay_ranked():
    pairs = PAIRS | {"q1": [("d1", 0.25), ("d2", 0.5)]}
    with pytest.warns(InputWarning, match="the reverse of the ranks in 1 of 1 topics"):
        evaluate(LEVELS, {"A": pairs}, "nDCG_JK@3")
    plain = evaluate(LEVELS, {"A": RANKED}, "nDCG_JK@3")
    smaller_first = evaluate(LEVELS, {"A": RANKED}, "nDCG_JK@3", ascending=True)
    assert plain.means().tolist() == smaller_first.means().tolist()


@pytest.mark.parametrize(
    ("documents", "fact"),
    [
        ([("d1", 0.5), "d2"], "run: topic 'q1': 'd2' is no pair of a document and its score"),
        ([("d1", 0.5), ("d1", 0.25)], "topic 'q1' retrieves document 'd1' twice"),
        ([(Document(None), 0.5)], "a document has no id; give pairs of id and score"),
        ([("d1", np.nan)], "topic 'q1', document 'd1': the score is NaN"),
        ([(Document(0.5), 0.5)], "0.5 is no id"),
    ],
)
def test_pairs_that_are_no_run_are_refused(documents, fact):
    run = {"q1": documents}
    assert fact in refused(evaluate, {"q1": {"d1": 1}}, {"run": run}, "AP")
    assert fact in refused(ir_measures.calc_aggregate, [ir_measures.AP], LEVELS, run)


def test_explain_takes_one_run_by_its_name(tmp_path):
    path = tmp_path / "a.run"
    with path.open("w", encoding="utf-8") as file:
        for topic, docs in RUN.items():
            file.writelines(f"{topic} Q0 {doc} 1 {score} x\n" for doc, score in docs.items())
    expected = explain(LEVELS, RUN, "AP", "q1").values.tolist()
    for run in ({"A": str(path)}, {"A": path}, {"A": RUN}, {"A": RunFile(path)}, {"A": RANKED}):
        explanation = explain(LEVELS, run, "AP", "q1")
        assert explanation.run == "A"
        assert explanation.values.tolist() == expected
    assert explain(LEVELS, {"A": path}, "AP", "q1", name="B").run == "B"
    three = {"A": path, "B": path, "C": path}
    assert "at most two runs; 3 are given (A, B, C)" in refused(explain, LEVELS, three, "AP", "q1")


def test_explain_takes_two_runs_as_the_command_does(tmp_path):
    paths = [tmp_path / "A.csv", tmp_path / "B.csv"]
    both = tmp_path / "both.csv"
    rows = [f"{topic},{doc},{score}" for topic, docs in RUN.items() for doc, score in docs.items()]
    reversed_rows = [",-".join(row.rsplit(",", 1)) for row in rows]
    head = "query_id,doc_id,score\n"
    for path, lines in zip(paths, (rows, reversed_rows), strict=True):
        path.write_text(head + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    named = [f"A,{row}\n" for row in rows] + [f"B,{row}\n" for row in reversed_rows]
    both.write_text(f"run,{head}" + "".join(named), encoding="utf-8")
    expected = explain_difference(LEVELS, dict(zip("AB", paths, strict=True)), "AP")
    for runs in (paths, [("A", paths[0]), ("B", paths[1])], both, str(tmp_path / "[AB].csv")):
        assert explain(LEVELS, runs, "AP").records() == expected.records()
        assert explain(LEVELS, runs, "AP").summary == expected.summary
    message = refused(partial(explain, name="mine"), LEVELS, paths, "AP", "q1")
    assert message == "name='mine' names a single run; two are given, name them in a dict"


def test_check_says_what_lists_leave_unsaid():
    def kinds(qrels):
        return [remark.kind for remark in check(qrels, {"run": RUN}).remarks]

    assert "only relevant" in kinds(OF_LISTS)
    assert "only relevant" not in kinds(LEVELS)
