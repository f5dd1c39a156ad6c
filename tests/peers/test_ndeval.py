"""Binary levels: ndeval's values, in calls with our measures and from every form of qrels."""

from collections import namedtuple
from random import Random

import pandas
import pyarrow
import pytest
from ir_measures import ERR_IA, StRecall, alpha_nDCG

from ir_measures_graded import ERR_IA_G, D_nDCG, IRec
from ir_measures_graded.analysis import evaluate, explain

pytest.importorskip("pyndeval", reason="pyndeval is not installed")
COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]
SUB = namedtuple("TrecSubQrel", "query_id doc_id relevance subtopic_id")


def collection():
    random = Random(5)
    rows = [
        (str(topic), f"d{doc}", random.choice([0, 0, 1]), str(intent))
        for topic in range(20)
        for intent in range(random.randint(1, 5))
        for doc in random.sample(range(12), 7)
    ]
    return rows, {str(topic): {f"d{doc}": random.random() for doc in range(20)} for topic in range(20)}


ROWS, RUN = collection()
FRAME = pandas.DataFrame(ROWS, columns=COLUMNS)
RENAMED = FRAME.rename(columns={"iteration": "subtopic_id"})
FORMS = {
    "plain tuples": ROWS,
    "TrecSubQrel": [SUB(*row) for row in ROWS],
    "dicts": FRAME.to_dict("records"),
    "frame": FRAME,
    "Arrow": pyarrow.Table.from_pandas(RENAMED),
}
FILES = {
    "qrels": "".join(f"{topic} {intent} {doc} {level}\n" for topic, doc, level, intent in ROWS),
    "csv": RENAMED.to_csv(index=False),
    "jsonl": FRAME.to_json(orient="records", lines=True),
}


@pytest.mark.parametrize("form", [*FORMS, *FILES])
def test_values_are_those_of_ndeval(form, tmp_path):
    qrels = FORMS.get(form)
    if qrels is None:
        qrels = tmp_path / form
        qrels.write_text(FILES[form])
    for k in (5, 10, 20):
        measures = [IRec @ k, StRecall @ k, ERR_IA_G @ k, ERR_IA @ k, D_nDCG @ k, alpha_nDCG @ k]
        recall, theirs, ours, err_ia, *_ = evaluate(qrels, {"": RUN}, measures).values[0]
        assert recall == pytest.approx(theirs, abs=1e-15)
        assert ours == pytest.approx(err_ia * sum(2**-rank / rank for rank in range(1, k + 1)), abs=1e-15)
        assert 0 < recall.mean() < 1 or k == 20


def test_explained_topics_keep_their_intents(tmp_path):
    rows = [("1", "a", 1, "x"), ("1", "b", 1, "y"), ("1", "c", 1, "x"), ("2", "a", 1, "x")]
    frame = pandas.DataFrame(rows, columns=COLUMNS)
    frame.to_csv(tmp_path / "qrels.csv", index=False)
    run = {"1": {"a": 3.0, "c": 2.0, "b": 1.0}}
    (value,) = evaluate(rows[:3], {"": run}, [alpha_nDCG @ 2]).values[0, 0]
    for qrels in (rows, frame, tmp_path / "qrels.csv"):
        assert explain(qrels, run, alpha_nDCG @ 2, "1").value == value < 1
