"""The levels of qrels: documents and topics at each, definitions, unusual properties, gains."""

from dataclasses import replace

import pytest

from ir_measures_graded import demo, parse_measure
from ir_measures_graded.analysis import levels
from ir_measures_graded.core.ranking.gains import PRESETS

QRELS = {"q1": {"a": 2, "b": 0, "c": 0, "d": 4}, "q2": {"a": 2}, "q3": {"e": 0}, "q4": {"e": -1}}
MAGNITUDES = {"q": {f"d{level}": level for level in range(101)}}


def test_documents_and_topics_are_counted_at_each_level():
    result = levels(QRELS)
    assert result.levels == (-1, 0, 2, 4)
    assert result.documents.tolist() == [1, 3, 2, 1]
    assert result.topics.tolist() == [1, 2, 2, 1]
    assert result.relevant.tolist() == [2, 1, 0, 0]
    numbers = {"level": 2, "documents": 2, "topics": 2, "mean_per_topic": 0.5, "share_from": 3 / 7}
    assert result.records()[2] == numbers | {"definition": ""}
    judged = "7 documents of 4 topics are judged, with levels from −1 to 4"
    assert repr(result) == f"<Levels: {judged}; 3 (43 %) are above level 0, 0.75 per topic.>"


def test_definitions_come_from_ir_datasets():
    result = levels(demo.NAME)
    names = [record["definition"].partition(":")[0] for record in result.records()]
    assert names == ["Irrelevant", "Marginally relevant", "Fairly relevant", "Highly relevant"]
    assert levels(demo.qrels_path()).definitions == {}
    assert result.documents.tolist() == levels(demo.qrels_path()).documents.tolist()
    assert result.notes() == []
    unused = replace(result, documents=result.documents * [0, 1, 1, 0])
    assert "with levels from 1 to 2;" in unused.answer()[0]


@pytest.mark.parametrize(
    ("qrels", "notes"),
    [
        (QRELS, ["Level -1 is negative", "2 topics of 4 have no document"]),
        ({"q": {"a": 0.5, "b": 0, "c": 1}}, ["Level 0.5 is not a whole number"]),
        ({"q": {"a": 1, "b": 0, "c": 10**12}}, []),
        (MAGNITUDES, ["There are 101 levels: they are magnitudes"]),
    ],
)
def test_notes_name_unusual_levels(qrels, notes):
    computed = levels(qrels).notes()
    assert len(computed) == len(notes)
    for note, start in zip(computed, notes):
        assert note.startswith(start)


def test_gains_can_be_pasted_into_a_measure_string():
    result = levels({"q": {"a": 0, "b": 0.5, "c": 2, "d": 7}})
    assert result.pasteable() == {
        "flat": "gains=0.5:1,2:1,7:1",
        "linear": "gains=0.5:1,2:2,7:3",
        "exponential": "gains=0.5:1,2:3,7:7",
        "steep": "gains=0.5:1,2:10,7:100",
    }
    ndcg = parse_measure("nDCG_JK@10")
    for name, text in result.pasteable().items():
        assert parse_measure(f"nDCG_JK({text})@10") == ndcg(gains=result.gains()[name])
    assert levels(demo.NAME).gains() == PRESETS
    assert levels({"q": {"a": 2, "b": 0}}).pasteable()["w10"] == "gains=0:0,2:5"
    assert "steep" not in levels({"q": {f"d{level}": level for level in range(9)}}).gains()
    assert levels(MAGNITUDES).gains() == {}
    assert levels({"q": {"a": -1, "b": 0}}).gains() == {}


def test_magnitudes_take_no_column_for_each_level_and_topic():
    """60,000 topics and levels would take 29 GB."""
    count = 60_000
    found = levels({f"q{number}": {"d": number + 1} for number in range(count)})
    assert found.by_topic.shape == (count, 1)
    bars = found.bars()
    assert bars.counts.shape == (count, 1)
    assert bars.counts.sum() == found.documents.sum() == count
    few = levels({f"q{number}": {"d": number + 1} for number in range(100)})
    assert few.by_topic.shape == (100, 100)
    assert few.bars().counts.shape == (100, 1)
