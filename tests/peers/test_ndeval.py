"""Binary levels: ndeval's values, in calls with our measures."""

from random import Random

import pytest
from ir_measures import ERR_IA, StRecall, alpha_nDCG

from ir_measures_graded import ERR_IA_G, D_nDCG, IRec
from ir_measures_graded.analysis import evaluate

pytest.importorskip("pyndeval", reason="pyndeval is not installed")
COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]


def collection():
    """Judgments (topic, document, level, intent), and a run."""
    random = Random(5)
    topics = [str(number) for number in range(20)]
    rows = []
    for topic in topics:
        for intent in range(random.randint(1, 5)):
            for doc in random.sample(range(12), 7):
                rows.append((topic, f"d{doc}", random.choice([0, 0, 1]), str(intent)))
    run = {topic: {f"d{doc}": random.random() for doc in range(20)} for topic in topics}
    return rows, run


ROWS, RUN = collection()


@pytest.mark.parametrize("form", ["rows", "file"])
def test_values_are_those_of_ndeval(form, tmp_path):
    qrels = ROWS
    if form == "file":
        qrels = tmp_path / "qrels"
        lines = [f"{topic} {intent} {doc} {level}\n" for topic, doc, level, intent in ROWS]
        qrels.write_text("".join(lines))
    for k in (5, 10, 20):
        measures = [IRec @ k, StRecall @ k, ERR_IA_G @ k, ERR_IA @ k, D_nDCG @ k, alpha_nDCG @ k]
        recall, st_recall, err_ia_g, err_ia, *_ = evaluate(qrels, {"": RUN}, measures).values[0]
        assert recall == pytest.approx(st_recall, abs=1e-15)
        ideal = sum(2**-rank / rank for rank in range(1, k + 1))
        assert err_ia_g == pytest.approx(err_ia * ideal, abs=1e-15)
        assert 0 < recall.mean() < 1 or k == 20
