"""Runs whose documents match judgments by a rule only, in every form and analysis."""

import json
import warnings

import pandas
import pytest

from ir_measures_graded import RunFile
from ir_measures_graded.analysis import check, curves, evaluate
from ir_measures_graded.errors import InputWarning

TOPICS = [f"q{number}" for number in range(60)]
JUDGED = [f"Doc{number:03}" for number in range(8)]
QRELS = {
    topic: {f"{topic}-{name}": place % 3 for place, name in enumerate(JUDGED)} for topic in TOPICS
}


def run_of(changed, least=0, strangers=4):
    """Every second judged document, with a changed id from the place `least` on, and others."""
    run = {}
    for topic, judgments in QRELS.items():
        listed = list(judgments)[::2]
        ids = listed[:least] + [changed(id_, place) for place, id_ in enumerate(listed[least:])]
        ids += [f"unknown {place} of {topic}" for place in range(strangers)]
        run[topic] = {id_: 100.0 - rank for rank, id_ in enumerate(ids)}
    return run


RULES = {
    "in the same case": lambda id_, place: id_.lower(),
    "without '.txt'": lambda id_, place: f"{id_}.txt",
    "without '/data/'": lambda id_, place: f"/data/{id_}",
    "with the text before '#' (--passages '#')": lambda id_, place: f"{id_}#{place}",
    "with the text before '%p' (--passages '%p')": lambda id_, place: f"{id_}%p{place}",
    "with the text before '_' (--passages '_')": lambda id_, place: f"{id_}_{place}",
    "with the text before '-' (--passages '-')": lambda id_, place: f"{id_}-{place}",
    "with 'q' before it": lambda id_, place: id_[1:],
    "in the same case and without '.txt'": lambda id_, place: f"{id_.lower()}.txt",
    "in the same case and without '/data/'": lambda id_, place: f"/data/{id_.upper()}",
    "in the same case and with 'q' before it": lambda id_, place: id_[1:].upper(),
    "with the text before '#' (--passages '#') and without '.pdf'": lambda id_, place: (
        f"{id_}.pdf#{place}"
    ),
    "with the text before '_' (--passages '_') and in the same case": lambda id_, place: (
        f"{id_.lower()}_{place}"
    ),
    "without '/data/' and without '.txt'": lambda id_, place: f"/data/{id_}.txt",
}


def texts_of(call, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        return [remark.text for remark in call(*arguments).remarks]


@pytest.mark.parametrize("analysis", [evaluate, check])
@pytest.mark.parametrize("words", RULES)
def test_the_rule_that_makes_documents_match_is_said(words, analysis):
    first = "q0-Doc000"
    changed = RULES[words](first, 0)
    rule = (
        f"50 % of the unjudged documents in the top 10 of 50 topics would match {words}, as "
        f"{changed!r} and {first!r} of the qrels"
    )
    found = texts_of(analysis, QRELS, {"x": run_of(RULES[words])}, ["nDCG@10"])
    assert found == [f"no document is judged; {rule}"]


def test_the_rule_by_which_most_documents_match_is_said():
    """Half of the documents are the passage 0, so they would also match without '#0'."""
    run = run_of(lambda id_, place: f"{id_}#{max(place - 1, 0)}")
    (text,) = texts_of(evaluate, QRELS, {"x": run}, ["nDCG@10"])
    assert "50 % of the unjudged documents" in text
    assert "would match with the text before '#' (--passages '#')" in text


def test_a_long_ending_is_cut_off_in_the_sentence():
    run = run_of(lambda id_, place: id_ + "x" * 3000)
    (text,) = texts_of(evaluate, QRELS, {"x": run}, ["nDCG@10"])
    assert "would match without 'xxx" in text
    assert len(text) < 400


def test_an_ending_of_the_qrels_alone_is_said():
    qrels = {
        topic: {f"{id_}.txt": level for id_, level in of_topic.items()}
        for topic, of_topic in QRELS.items()
    }
    (text,) = texts_of(evaluate, qrels, {"x": run_of(lambda id_, place: id_)}, ["nDCG@10"])
    assert (
        "would match with '.txt' at the end, as 'q0-Doc000' and 'q0-Doc000.txt' of the qrels"
        in text
    )


def written(form, run, folder):
    """A run in another form."""
    rows = [
        {"query_id": topic, "doc_id": id_, "score": score}
        for topic, scores in run.items()
        for id_, score in scores.items()
    ]
    frame = pandas.DataFrame(rows)
    if form == "DataFrame":
        return frame
    path = folder / f"x.{form}"
    if form == "run":
        path.write_text(
            "".join(f"{row['query_id']} Q0 {row['doc_id']} 0 {row['score']} x\n" for row in rows)
        )
    elif form == "parquet":
        frame.to_parquet(path)
    elif form == "csv":
        frame.to_csv(path, index=False)
    else:
        path.write_text(json.dumps(run))
    return RunFile(path)


@pytest.mark.parametrize("form", ["DataFrame", "run", "parquet", "csv", "json"])
def test_every_form_of_a_run_has_the_same_remark(form, tmp_path):
    run = {
        topic: {id_.replace(" ", ""): score for id_, score in scores.items()}
        for topic, scores in run_of(RULES["without '.txt'"], least=1, strangers=2).items()
    }
    expected = texts_of(evaluate, QRELS, {"x": run}, ["nDCG@10"])
    rule = expected[-1]
    assert rule.startswith(
        "60 % of the unjudged documents in the top 10 of 50 topics would match without '.txt'"
    )
    assert texts_of(evaluate, QRELS, {"x": written(form, run, tmp_path)}, ["nDCG@10"]) == expected


def test_the_curves_say_it_as_well():
    with pytest.warns(InputWarning, match="would match without '.txt'"):
        curves(QRELS, {"x": run_of(RULES["without '.txt'"])}, "nCG", depth=3)


def test_a_single_relevant_document_for_a_topic_is_found_among_others():
    qrels = {topic: {list(judgments)[2]: 1} for topic, judgments in QRELS.items()}
    texts = texts_of(evaluate, qrels, {"x": run_of(RULES["without '.txt'"])}, ["RR@10"])
    assert texts[0].startswith("no document is judged; 12 % of the unjudged")
    assert "would match without '.txt', as 'q0-Doc002.txt' and 'q0-Doc002'" in texts[0]


def test_few_matches_without_a_rule_name_both_sides():
    run = run_of(lambda id_, place: f"{place} {hash(id_)}")
    run["q0"] = {"q0-Doc000": 2.0, "other": 1.0}
    texts = texts_of(check, QRELS, {"x": run}, ["nDCG@10"])
    assert texts[-1].startswith(
        "few documents are judged; check that run and qrels use the same ids, such as 'other' of "
    )


@pytest.mark.parametrize("depth", [1, 10])
def test_runs_with_new_documents_have_no_remark_on_ids(depth):
    """Unjudged documents alone are no reason: half of the run's documents are judged."""
    run = run_of(lambda id_, place: id_, strangers=8)
    run = {topic: {id_: -score for id_, score in scores.items()} for topic, scores in run.items()}
    texts = texts_of(evaluate, QRELS, {"x": run}, [f"nDCG@{depth}"])
    assert not [text for text in texts if " ids" in text or "would match" in text]


def test_an_unjudged_document_that_is_no_id_stays_unjudged():
    run = {topic: {f"{topic}-Doc000": 2.0, **dict.fromkeys(range(900), 1.0)} for topic in QRELS}
    texts = texts_of(evaluate, QRELS, {"x": run}, ["P@5"])
    assert texts == ["80 % of the top 5 are unjudged"]
