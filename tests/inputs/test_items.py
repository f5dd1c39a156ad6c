"""Rows that are Python objects, which are read piece by piece."""

from collections import namedtuple
from dataclasses import make_dataclass

import pytest
from ir_measures import Qrel, ScoredDoc

from ir_measures_graded.core.rows import floats, items
from ir_measures_graded.core.rows.sources import read_qrels, read_run
from ir_measures_graded.errors import GradedError

TOPICS = ["q1"] * 7 + ["q2"] * 5 + ["q1"] * 3 + [f"r{number}" for number in range(9)]
JUDGMENTS = [(topic, f"d{row}", row % 3) for row, topic in enumerate(TOPICS)]
Other = namedtuple("Other", "relevance doc_id query_id")
Item = make_dataclass("Item", ["query_id", "doc_id", "relevance"])


@pytest.fixture(autouse=True, params=[1, 4, 1000])
def pieces(request, monkeypatch):
    """Few items are a piece, and few rows are converted at once."""
    monkeypatch.setattr(items, "PIECE", request.param)
    monkeypatch.setattr(items, "BLOCK", 2 * request.param)
    monkeypatch.setattr(floats, "BLOCK", request.param)


def by_topic(rows):
    dicts = {}
    for topic, document, value in rows:
        dicts.setdefault(topic, {})[document] = value
    return dicts


@pytest.mark.parametrize(
    "make",
    [
        lambda *row: row,
        Qrel,
        Item,
        lambda topic, document, level: Other(level, document, topic),
        lambda *row: (Qrel if row[2] else Item)(*row),
        lambda *row: dict(zip(Qrel._fields, row)),
    ],
)
def test_every_kind_of_item_gives_the_rows_of_dicts(make):
    rows = read_qrels([make(*row) for row in JUDGMENTS])
    assert rows.dicts() == by_topic(JUDGMENTS)
    assert list(rows.dicts()) == list(by_topic(JUDGMENTS))


@pytest.mark.parametrize("id_", ["a\nb", "naïve", "x" * 40])
def test_any_text_is_an_id_of_an_item(id_):
    retrieved = [ScoredDoc("q1", f"{id_}{row}", float(row % 5)) for row in range(9)]
    assert read_run(retrieved).dicts() == by_topic(retrieved)


@pytest.mark.parametrize("intents", ["000000", "000001", "123456", "0\n0000"])
def test_intents_of_items_are_kept(intents):
    qrels = [Qrel("q1", f"d{row}", 1, intent) for row, intent in enumerate(intents)]
    assert list(read_qrels(qrels).intents.ids()) == list(intents)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (ScoredDoc("q2", "d9", True), "run: topic 'q2', document 'd9': the score True is not"),
        (ScoredDoc("q2", "d9", "1"), "run: topic 'q2', document 'd9': the score '1' is not"),
        (ScoredDoc("q2", 9, 1.0), "run: doc_id 9 is of type int, not a string"),
        (ScoredDoc(None, "d9", 1.0), "run: row 6 has no query_id"),
        (ScoredDoc("q2", "", 1.0), "run: doc_id in row 6 is empty"),
        (Qrel("q2", "d9", 1), "run: 'Qrel' object has no attribute 'score'"),
    ],
)
def test_a_bad_item_is_named(bad, message):
    retrieved = [ScoredDoc("q1", f"d{row}", 1.0 - row) for row in range(6)]
    with pytest.raises(GradedError) as error:
        read_run([*retrieved, bad, ScoredDoc("q3", "d1", 1.0)])
    assert str(error.value).startswith(message)
