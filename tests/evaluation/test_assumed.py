"""Unjudged documents that count as judged at one level."""

from pathlib import Path

import ir_measures
import pytest
from ir_measures import AP, Bpref, P, nDCG

from command_line import command
from ir_measures_graded import GradedError, cli, demo
from ir_measures_graded.analysis import assumed_qrels, compare, evaluate, explain
from ir_measures_graded.errors import InputWarning

pytestmark = pytest.mark.filterwarnings("ignore::ir_measures_graded.errors.InputWarning")

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}}
RUNS = {
    "good": {"q1": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0}, "other": {"z": 1.0}},
    "poor": {"q1": {"x": 2.0, "w": 1.0}, "q2": {"v": 2.0, "a": 1.0}},
}


def read_qrels(path):
    levels = {}
    for line in Path(path).read_text().splitlines():
        topic, _, document, level = line.split()
        levels.setdefault(topic, {})[document] = int(level)
    return levels


def read_run(path):
    scores = {}
    for line in Path(path).read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        scores.setdefault(topic, {})[document] = float(score)
    return scores


def with_rows_added(qrels, runs, level, depth):
    """The qrels with the unjudged documents at the first ranks of the runs."""
    added = {topic: dict(levels) for topic, levels in qrels.items()}
    for run in runs.values():
        for topic in added.keys() & run.keys():
            # trec_eval's order: by score, then by id, both descending.
            ranked = sorted(run[topic], key=lambda doc: (run[topic][doc], doc), reverse=True)
            for document in ranked[:depth]:
                added[topic].setdefault(document, level)
    return added


def test_values_are_those_of_qrels_with_the_rows_added():
    qrels = read_qrels(demo.qrels_path())
    paths = {name: demo.run_paths()[name] for name in "ABC"}
    runs = {name: read_run(path) for name, path in paths.items()}
    measures = [nDCG @ 10, AP @ 10, P @ 5, Bpref]
    for level in (0, 1, 3):
        added = with_rows_added(qrels, runs, level, 10)
        values = evaluate(assumed_qrels(qrels, paths, level, depth=10), paths, measures)
        for number, run in enumerate(runs.values()):
            expected = ir_measures.calc_aggregate(measures, added, run)
            for column, measure in enumerate(measures):
                found = values.means()[number, column]
                assert found == pytest.approx(expected[measure], abs=1e-12)


def test_documents_join_every_run_and_topics_without_judgments_stay_out():
    judgments = assumed_qrels(QRELS, RUNS, 1, depth=2)
    assert judgments.rows.dicts() == {
        "q1": {"a": 2, "b": 1, "c": 0, "x": 1, "w": 1},
        "q2": {"a": 1, "v": 1},
    }
    whole = assumed_qrels(QRELS, RUNS, 2)
    assert whole.rows.dicts()["q1"] == {"a": 2, "b": 1, "c": 0, "x": 2, "y": 2, "w": 2}


def test_results_say_how_many_documents_have_an_assumed_level():
    text = "3 unjudged documents within rank 2 of the runs count as level 1, in 2 topics"
    with pytest.warns(InputWarning, match=text):
        judgments = assumed_qrels(QRELS, RUNS, 1, depth=2)
    evaluation = evaluate(judgments, RUNS, ["AP@2"])
    assert text in " ".join(map(str, evaluation.remarks))
    # Their share is 0 only by assumption, so none is told.
    assert evaluation.unjudged is None
    assert text in " ".join(compare(judgments, RUNS, ["AP@2"]).notes())
    explained = explain(judgments, {"good": RUNS["good"]}, "nDCG@3", "q1")
    assert "2 of the 3 judged, 1 of assumed level" in str(explained)
    assert "Not judged, and taken as level 1: x." in str(explained)
    both = explain(judgments, RUNS, "nDCG@2", "q1")
    assert "Not judged, and taken as level 1: w and x." in str(both)


def test_documents_below_the_depth_or_of_other_runs_stay_unjudged():
    shallow = evaluate(assumed_qrels(QRELS, RUNS, 1, depth=1), RUNS, ["AP"])
    assert shallow.unjudged.shares == {"good": 0.25, "poor": 0.25}
    assert "Unjudged of all documents: 25 % of good" in " ".join(map(str, shallow.notes()))
    of_another = evaluate(assumed_qrels(QRELS, {"good": RUNS["good"]}, 1), RUNS, ["AP"])
    assert of_another.unjudged.shares == {"good": 0, "poor": 0.5}


@pytest.mark.parametrize("level", [1.5, 3, -1])
def test_a_level_that_the_qrels_lack_is_refused(level):
    with pytest.raises(GradedError, match=f"cannot have level {level:g}.* are 0, 1 and 2"):
        assumed_qrels(QRELS, RUNS, level)


def test_all_documents_judged_is_told():
    with pytest.warns(InputWarning, match="every document within rank 1 of the runs is judged"):
        assumed_qrels(QRELS, {"good": {"q1": {"a": 1.0}}}, 1, depth=1)


def test_ids_that_differ_are_told_although_their_levels_are_assumed():
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
    runs = {"suffixed": {"q1": {"a.txt": 2.0, "b.txt": 1.0}, "q2": {"c.txt": 1.0}}}
    with pytest.warns(InputWarning) as caught:
        evaluate(assumed_qrels(qrels, runs, 1), runs, ["nDCG@2"])
    texts = [str(warning.message) for warning in caught]
    assert sum("no document is judged; " in text and ".txt" in text for text in texts) == 1
    lacking = {"a": {"q1": {"a": 1.0}}}
    with pytest.warns(InputWarning) as caught:
        evaluate(assumed_qrels(qrels, lacking, 1), lacking, ["nDCG@2"])
    assert sum("the run lacks 1 of 2 topics" in str(warning.message) for warning in caught) == 1


def test_command_takes_the_greatest_cutoff_of_the_measures():
    run = demo.run_paths()["A"]
    words = ("evaluate", str(demo.qrels_path()), str(run), "nDCG@10", "AP@5")
    found = command(*words, "--assume_unjudged", 1, text=True)
    assert "within rank 10 of the runs count as level 1" in found.stderr
    judgments = assumed_qrels(demo.qrels_path(), [run], 1, depth=10)
    ((ndcg, ap),) = evaluate(judgments, [run], ["nDCG@10", "AP@5"]).means()
    assert found.stdout == f"nDCG@10\t{ndcg:.4f}\nAP@5\t{ap:.4f}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nDCG@10", "--assume_unjudged", "1", "--unjudged", "max"), "exclude each other"),
        (("Judged@10", "--assume_unjudged", "1"), "Judged@10 treats unjudged documents in its own"),
        (("AP(judged_only=True)", "--assume_unjudged", "1"), "treats unjudged documents"),
        (("nDCG@10", "--unjudged", "1"), "--assume_unjudged 1 takes unjudged documents"),
    ],
)
def test_options_that_contradict_are_refused(words, message, capsys):
    run = demo.run_paths()["A"]
    assert cli.main(["evaluate", str(demo.qrels_path()), str(run), *words]) == 2
    assert message in capsys.readouterr().err


def test_extreme_values_are_told_from_one_level():
    note = str(evaluate(QRELS, RUNS, ["nDCG@2"], unjudged="max").notes())
    assert "for each run alone. --assume_unjudged LEVEL (assumed_qrels)" in note
