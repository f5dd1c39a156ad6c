"""Binary levels: ndeval's values, in calls with our measures."""

from random import Random

import pytest
from ir_measures import ERR_IA, StRecall, alpha_nDCG

from ir_measures_graded import ERR_IA_G, D_nDCG, IRec
from ir_measures_graded.analysis import evaluate

pytest.importorskip("pyndeval", reason="pyndeval is not installed")
COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]


def collection():
    random = Random(5)
    rows = [
        (str(topic), f"d{doc}", random.choice([0, 0, 1]), str(intent))
        for topic in range(20)
        for intent in range(random.randint(1, 5))
        for doc in random.sample(range(12), 7)
    ]
    return rows, {
        str(topic): {f"d{doc}": random.random() for doc in range(20)} for topic in range(20)
    }


ROWS, RUN = collection()


@pytest.mark.parametrize("form", ["rows", "file"])
def test_values_are_those_of_ndeval(form, tmp_path):
    qrels = ROWS
    if form == "file":
        qrels = tmp_path / "qrels"
        qrels.write_text(
            "".join(f"{topic} {intent} {doc} {level}\n" for topic, doc, level, intent in ROWS)
        )
    for k in (5, 10, 20):
        measures = [IRec @ k, StRecall @ k, ERR_IA_G @ k, ERR_IA @ k, D_nDCG @ k, alpha_nDCG @ k]
        recall, theirs, ours, err_ia, *_ = evaluate(qrels, {"": RUN}, measures).values[0]
        assert recall == pytest.approx(theirs, abs=1e-15)
        assert ours == pytest.approx(
            err_ia * sum(2**-rank / rank for rank in range(1, k + 1)), abs=1e-15
        )
        assert 0 < recall.mean() < 1 or k == 20
