"""Ids of Vespa are read as those of the qrels, if these have the last part alone."""

import json

import pytest

from ir_measures_graded.analysis import check, evaluate, explain, identify
from ir_measures_graded.errors import InputWarning

QRELS = {"q1": {"P1": 2, "P2": 1}, "q2": {"P:3": 1}}
RUN = {
    "q1": {"id:shop:item::P9": 3.0, "id:shop:item::P1": 2.0},
    "q2": {"id:shop:item:g=a:P:3": 1.0},
}
WORDS = "Vespa's ids are read as those of the qrels, 'id:shop:item::P9' as 'P9'"


def in_vespa(documents):
    hits = [{"id": id_, "relevance": score} for id_, score in documents.items()]
    return {"root": {"id": "toplevel", "relevance": 1.0, "children": hits}}


def means(qrels, run):
    return evaluate(qrels, {"vespa": run}, ["nDCG@10", "RR", "P@1"]).means().tolist()


@pytest.mark.parametrize("kind", ["dict", "JSON", "lines", "TREC"])
@pytest.mark.parametrize("measures", [["nDCG@10", "RR"], ["infAP"]])  # infAP is of other providers
def test_short_ids_are_used_in_every_form_with_a_remark(tmp_path, kind, measures):
    run = RUN
    path = tmp_path / "vespa.json"
    if kind != "dict":
        run = str(path)
    if kind == "JSON":
        path.write_text(json.dumps({topic: in_vespa(RUN[topic]) for topic in RUN}))
    elif kind == "lines":
        answers = [{"query_id": topic, "answer": in_vespa(RUN[topic])} for topic in RUN]
        path.write_text("\n".join(map(json.dumps, answers)))
    elif kind == "TREC":
        rows = [(topic, id_, score) for topic in RUN for id_, score in RUN[topic].items()]
        path.write_text("".join(f"{topic} Q0 {id_} 1 {score} x\n" for topic, id_, score in rows))
    short = {topic: {id_.split(":", 4)[4]: RUN[topic][id_] for id_ in RUN[topic]} for topic in RUN}
    with pytest.warns(InputWarning) as caught:
        result = evaluate(QRELS, {"vespa": run}, measures)
    assert [WORDS in str(warning.message) for warning in caught].count(True) == 1
    assert any(remark.text == WORDS for remark in result.remarks)
    assert result.means().tolist() == evaluate(QRELS, {"vespa": short}, measures).means().tolist()


@pytest.mark.filterwarnings("ignore")
def test_full_ids_in_the_qrels_and_other_ids_stay_as_they_are():
    full = {"q1": {"id:shop:item::P1": 2, "P9": 1}, "q2": {"P:3": 1}}
    assert means(full, RUN) == means(full, {**RUN, "q2": {"x": 1.0}})
    mixed = {**RUN, "q1": {**RUN["q1"], "P2": 1.0}}
    assert evaluate(QRELS, {"vespa": mixed}, "RR").of("RR").tolist() == [[1 / 3, 0]]
    twice = {"q1": {"id:a:item::P1": 2.0, "id:b:item::P1": 1.0}}
    assert means(QRELS, twice) == [[0, 0, 0]]


@pytest.mark.filterwarnings("ignore")
def test_ids_without_a_judged_part_stay_as_they_are():
    result = evaluate({"q1": {"a": 1}}, {"vespa": {"q1": RUN["q1"]}}, "RR")
    assert not any(remark.kind == "ids of Vespa" for remark in result.remarks)


def test_other_analyses_show_the_ids_of_the_qrels_and_the_remark():
    with pytest.warns(InputWarning, match="Vespa's ids"):
        explanation = explain(QRELS, RUN, "nDCG@10", "q1")
    assert explanation.documents == ("P9", "P1")
    assert any(remark.text == WORDS for remark in check(QRELS, {"vespa": RUN}).remarks)
    with pytest.warns(InputWarning, match="Vespa's ids"):
        identify(QRELS, RUN, {"q1": 0.5, "q2": 1.0})
