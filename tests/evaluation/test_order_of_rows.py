"""Tied documents in the order of the rows of a run, as LightGBM and XGBoost rank them."""

from random import Random

import numpy as np
import pytest
from ir_measures import RR, Compat, parse_measure
from pyarrow import parquet

from buckets import arrow
from input_forms import FORMS, ONLY_GRADED
from ir_measures_graded import ADM, GradedError, RunFile, array_mean, nDCG_Burges
from ir_measures_graded.analysis import (
    ascending_runs,
    compare,
    evaluate,
    explain,
    identify,
    ordered_runs,
)
from ir_measures_graded.evaluation.named import study_of
from ir_measures_graded.files.content import SIZES

QRELS = {"q": {"c": 3, "b": 1, "a": 0, "d": 2}, "p": {"a": 1, "x": 2}}
TIED = {"q": {"b": 1.0, "c": 1.0, "y": 1.0, "d": 2.0, "a": 2.0}, "p": {"x": 0.5, "a": 0.5}}
RANKED = {"q": {"d": 5, "a": 4, "b": 3, "c": 2, "y": 1}, "p": {"x": 2, "a": 1}}
MEASURES = [nDCG_Burges @ 3, parse_measure("AP"), RR @ 3, Compat(p=0.8)]


@pytest.mark.parametrize("form", [*FORMS, *ONLY_GRADED])
def test_every_form_keeps_the_order_of_its_rows(form):
    measures = MEASURES if form in FORMS else MEASURES[:2]
    run = {**FORMS, **ONLY_GRADED}[form](TIED, "score")
    expected = evaluate(QRELS, {"mine": RANKED}, measures)
    assert evaluate(QRELS, {"mine": run}, measures, ties="given").records() == expected.records()


def scattered(topics=20):
    random = Random(1)
    rows = {f"q{topic}": {} for topic in range(topics)}
    for topic in rows:
        ids = random.sample(range(100), 12)
        rows[topic] = {f"d{document}": float(random.random() < 0.3) for document in ids}
    return rows


@pytest.mark.parametrize("in_memory", [10_000, 50], ids=["in memory", "by DuckDB"])
def test_scattered_rows_keep_the_order_of_the_file(tmp_path, in_memory):
    if in_memory == 50:
        pytest.importorskip("duckdb")
    table = arrow(scattered(), "score", Random(2))
    order = {}
    for place, row in enumerate(table.to_pylist()):
        order.setdefault(row["query_id"], {})[row["doc_id"]] = 1000 * row["score"] - place
    qrels = {
        topic: {document: int(document[-1]) % 4 for document in order[topic]} for topic in order
    }
    parquet.write_table(table, tmp_path / "run.parquet", row_group_size=60)
    file = RunFile(tmp_path / "run.parquet")
    file.sizes = SIZES._replace(rows=10, block=400, small=0, in_memory=in_memory)
    expected = evaluate(qrels, {"mine": order}, MEASURES[:2])
    given = evaluate(qrels, {"mine": file}, MEASURES[:2], ties="given")
    assert given.records() == expected.records()


def test_values_are_those_of_lightgbm(tmp_path, monkeypatch):
    """LightGBM keeps the order of tied documents, and counts groups without relevant ones 1."""
    lightgbm = pytest.importorskip("lightgbm")
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    sizes = random.integers(2, 12, 30)
    labels = random.integers(0, 4, sizes.sum())
    labels[: sizes[0]] = 0
    features = random.integers(0, 3, (labels.size, 2)).astype(float)
    data = lightgbm.Dataset(features, labels, group=sizes)
    settings = {"objective": "lambdarank", "eval_at": [5], "verbose": -1, "num_leaves": 3}
    settings |= {"min_data_in_leaf": 1, "num_threads": 1}
    theirs = {}
    model = lightgbm.train(
        settings, data, 3, [data], callbacks=[lightgbm.record_evaluation(theirs)]
    )
    topics = np.repeat(np.arange(sizes.size), sizes)
    rows = zip(labels, topics, features.tolist())
    lines = [f"{label} qid:{topic} 1:{a:g} 2:{b:g}\n" for label, topic, (a, b) in rows]
    (tmp_path / "test.svm").write_text("".join(lines))
    np.savetxt("p.txt", model.predict(features), fmt="%.17g")
    ours = evaluate("test.svm", {"p": "p.txt"}, "nDCG_Burges@5", ties="given", no_relevant="one")
    last = theirs["training"]["ndcg@5"][-1]
    assert ours.means()[0, 0] == pytest.approx(last, abs=1e-12)
    plain = evaluate("test.svm", {"p": "p.txt"}, "nDCG_Burges@5")
    texts = [remark.text for remark in plain.remarks]
    assert any(
        "--ties given (ties='given') ranks as LightGBM and XGBoost, mean" in t for t in texts
    )
    assert any("without relevant documents 1, here 1 of 30" in text for text in texts)
    assert not ours.remarks
    assert str(ours.notes()[-2]) == "Tied documents are in the order of the rows of the run."
    answer = identify("test.svm", "p.txt", mean=f"{last:.5f}", measure="nDCG@5")
    line = "evaluate test.svm p.txt nDCG_Burges@5 --ties given --no_relevant one"
    assert ("line", line) in answer.findings


@pytest.mark.parametrize("ties", ["given", "mean", "min"])
def test_arrays_equal_files_with_the_ties_that_the_warning_names(tmp_path, ties):
    """Without the option, only measures that lack it may differ, as arrays keep their order."""
    labels = [0, 2, 1, 3, 0, 1]
    scores = [1.0, 1.0, 1.0, 2.0, 0.0, 0.0]
    lines = [f"{label} qid:1 1:1\n" for label in labels]
    (tmp_path / "test.svm").write_text("".join(lines))
    (tmp_path / "p.txt").write_text("".join(f"{score}\n" for score in scores))
    files = str(tmp_path / "test.svm"), {"p": str(tmp_path / "p.txt")}
    measures = ["nDCG_Burges@2", "AP"]
    of_files = evaluate(*files, measures, ties=ties).means()[0].tolist()
    of_arrays = [
        array_mean(measure, labels=labels, scores=scores, sizes=[6], ties=ties)
        for measure in measures
    ]
    assert of_files == pytest.approx(of_arrays, abs=1e-15)
    (remark,) = evaluate(*files, "nDCG_Burges@2").remarks
    assert f"{ties} " in remark.text


def test_other_analyses_take_the_order_and_find_no_tie():
    (run,) = ordered_runs({"A": TIED})
    assert evaluate(QRELS, {"by row": run, "by id": TIED}, "AP").runs == ("by row", "by id")
    compared = compare(QRELS, ordered_runs({"A": TIED, "B": RANKED}), "nDCG_Burges@3")
    assert compared.to_frame()["difference"].dropna().tolist() == [0.0]
    part = study_of(QRELS, {"A": TIED, "B": RANKED}).part(["q"])
    values = evaluate(part.judgments, part.runs, "AP", ties="given").values
    assert values[0].tolist() == values[1].tolist()


@pytest.mark.parametrize("measure", [ADM, "NDPM", "ESL(tied_by=score)"])
def test_measures_of_scores_are_refused(measure):
    with pytest.raises(GradedError, match="reads scores, so it does not take ties='given'"):
        evaluate(QRELS, {"mine": TIED}, measure, ties="given")
    with pytest.raises(GradedError, match="reads scores"):
        evaluate(QRELS, ordered_runs({"mine": TIED}), measure)


def test_a_measure_with_ties_of_its_own_is_refused():
    with pytest.raises(GradedError, match="names its own ties; leave them out"):
        evaluate(QRELS, {"mine": TIED}, "AP(ties=mean)", ties="given")
    by_rank = evaluate(QRELS, {"mine": TIED}, "NDPM(tied_by=rank)", ties="given").values
    assert (
        by_rank.tolist() == evaluate(QRELS, {"mine": RANKED}, "NDPM(tied_by=rank)").values.tolist()
    )


def test_an_explanation_shows_no_rank_as_a_score():
    runs = {"mine": {"q": {"a": 4, "b": 4}}}
    qrels = {"q": {"a": 0, "b": 1}}
    scores = explain(qrels, runs["mine"], "CG@2", "q").scores
    given = explain(qrels, ordered_runs(runs)[0], "CG@2", "q")
    assert (given.documents, scores.tolist()) == (("a", "b"), [4.0, 4.0])
    assert np.isnan(given.scores).all()
    assert str(given.notes()[-1]) == "Tied documents are in the order of the rows of the run."
    assert "score" not in [column for table in given.tables() for column in map(str, table.columns)]


def test_an_explanation_says_what_negated_scores_are():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 2.0}}
    ranked = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "rank": [1, 2]}
    for runs, text in (
        ({"mine": run}, ""),
        ({"mine": ranked}, "the ranks of the run, with the sign reversed."),
        (ascending_runs({"mine": run}), "with the sign reversed, as smaller ones are better."),
    ):
        assert explain(qrels, runs, "CG@2", "q").scores_in_words.endswith(text)
        assert bool(text) == bool(explain(qrels, runs, "CG@2", "q").scores_in_words)


@pytest.mark.parametrize("scores", [(2.0, 1.0), (1.0, 1.0)])
def test_the_note_says_whether_any_documents_are_tied(scores, tmp_path):
    qrels = {"q": {"a": 1, "b": 0}, "p": {"a": 1}}
    run = {"q": dict(zip("ba", scores, strict=True)), "p": {"a": 1.0}}
    path = tmp_path / "x.run"
    lines = []
    for topic, of_topic in run.items():
        lines += [f"{topic} Q0 {doc} 1 {score} x\n" for doc, score in of_topic.items()]
    path.write_text("".join(lines))
    expected = "Tied documents are in the order of the rows of the run."
    if scores[0] != scores[1]:
        expected = "No documents of a topic are tied, so the order of the rows changes nothing."
    for of_run in (run, str(path)):
        evaluation = evaluate(qrels, {"x": of_run}, ["AP"], ties="given")
        assert expected in map(str, evaluation.notes())


@pytest.mark.parametrize(
    ("scores", "measures", "tied"),
    [
        ([3, 3, 2, 1, 1], ["nDCG@3"], 0),  # of one level, or below the cutoff
        ([3, 3, 2, 1, 1], ["nDCG@3", "nDCG"], 2),
        ([3, 3, 2, 1, 1], ["nDCG(judged_only=True)@3"], 2),
        ([3, 3, 3, 1, 0], ["nDCG@3"], 3),
        ([3, 3, 2, 1, 1], ["nDCG(ties='mean')@5"], 0),
    ],
)
def test_tied_predictions_are_told_only_if_their_order_can_change_a_value(
    tmp_path, scores, measures, tied
):
    labels = [1, 1, 0, 2, 0]
    rows = [f"{label} qid:{topic} 1:1\n" for topic in (1, 2) for label in labels]
    (tmp_path / "test.svm").write_text("".join(rows))
    others = [5, 4, 3, 2, 1]
    (tmp_path / "p.txt").write_text("".join(f"{score}\n" for score in scores + others))
    files = str(tmp_path / "test.svm"), {"p": str(tmp_path / "p.txt")}
    texts = [remark.text for remark in evaluate(*files, measures).remarks]
    told = [text for text in texts if "predictions are tied" in text]
    assert bool(told) == bool(tied)
    for text in told:
        assert text.startswith(f"{tied} of 10 predictions are tied; ids decide; ")
        assert len(f"ir_measures_graded: warning: p: {text}") < 200
