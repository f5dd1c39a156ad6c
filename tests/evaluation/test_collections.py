"""Collections by name: their official measures, what their levels mean, and documents that are topics."""

import warnings
from fnmatch import fnmatchcase
from io import BytesIO

import ir_datasets
import pandas
import pyarrow
import pytest
from ir_datasets import Dataset
from ir_datasets.formats import TrecQrels
from ir_datasets.util import LocalDownload

from ir_measures_graded import RunFile
from ir_measures_graded.analysis import check, evaluate, ignoring_identical_ids, levels, ranges
from ir_measures_graded.core.registry.notation import parse_measures
from ir_measures_graded.errors import GradedError, InputWarning
from ir_measures_graded.files.contracts import contract_of, contracts

ANSWERS = {"q1": {"a": 4, "b": 3, "c": 2, "d": 1}, "q2": {"a": 1, "b": 2, "c": 3}}
RUN = {"q1": {"d": 9.0, "b": 8.0, "a": 7.0, "c": 6.0}, "q2": {"b": 3.0, "a": 2.0, "c": 1.0}}


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """A function that registers qrels under an ir-datasets id."""

    def register(name, qrels):
        path = tmp_path / name.replace("/", "-")
        path.write_text("".join(f"{t} 0 {d} {g}\n" for t in qrels for d, g in qrels[t].items()))
        parts = Dataset(TrecQrels(LocalDownload(path, mkdir=False), {}))
        monkeypatch.setitem(ir_datasets.registry._registered, name, parts)
        return name

    return register


def warned_of(*arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        evaluate(*arguments, **options)
    return [str(warning.message) for warning in caught]


def test_each_pattern_has_ids_and_each_id_has_one_row_whose_measures_are_known():
    ids = [*ir_datasets.registry]
    rows = {pattern: row for row in contracts() for pattern in row.pattern.split()}
    assert len(contracts()) >= 20
    for pattern, row in rows.items():
        assert [name for name in ids if fnmatchcase(name, pattern)], pattern
        measures = parse_measures(row.official or ["AP"])
        assert [*map(str, measures)] == (row.official or ["AP"])
        assert all(measure.params.get("rel", row.rel) == row.rel for measure in measures)
        assert row.source
    for name in ids:
        assert sum(fnmatchcase(name, pattern) for pattern in rows) <= 1, name
        if row := contract_of(name):
            fields = ir_datasets.load(name).metadata().get("qrels", {}).get("fields", {})
            levels = map(int, fields.get("relevance", {}).get("counts_by_value", {}))
            assert not [
                level for level in levels if row.not_relevant < level < (row.rel or level)
            ], name
    for name in (
        "msmarco-passage/eval",
        "msmarco-passage/trec-dl-20",
        "clueweb09/en/trec-web-2010/diversity",
    ):
        assert contract_of(name) is None


def test_official_values_of_antique_are_those_of_trec_eval_on_changed_qrels(collection):
    name = collection("antique/test", ANSWERS)
    found = evaluate(name, {"x": RUN}, ["official", "P@1", "official"])
    assert list(map(str, found.measures)) == [*contract_of(name).official, "P@1"]
    graded = {
        topic: {doc: level - 1 for doc, level in docs.items()} for topic, docs in ANSWERS.items()
    }
    binary = {
        topic: {doc: level // 3 for doc, level in docs.items()} for topic, docs in ANSWERS.items()
    }
    parts = [
        evaluate(graded, {"x": RUN}, ["nDCG@10"]),
        evaluate(binary, {"x": RUN}, ["RR", "AP", "P@10"]),
    ]
    assert found.means()[0, :4].tolist() == [
        value for part in parts for value in part.means()[0].tolist()
    ]
    assert [str(measure) for measure in ranges(name, {"x": RUN}, ["nDCG_JK@10"]).measures] == [
        "nDCG_JK@10"
    ]


def test_official_is_refused_without_a_collection_that_has_official_measures(collection, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    for qrels, reason in [
        (ANSWERS, "not for qrels in memory"),
        (tmp_path / "qrels", f"not for '{tmp_path.anchor}"),
        (collection("vaswani", ANSWERS), "not for 'vaswani'"),
        ("antique/tset", "did you mean antique/test"),
    ]:
        with pytest.raises(GradedError, match=reason):
            evaluate(qrels, {"x": RUN}, ["official"])


def test_a_collection_evaluated_in_another_way_is_warned_of_with_what_to_type(collection):
    passages = collection(
        "msmarco-passage/trec-dl-2019", {"q1": {"a": 0, "b": 1, "d": 2}, "q2": {"b": 2, "c": 3}}
    )
    assert warned_of(passages, {"x": RUN}, ["nDCG@10", "RR(rel=2)", "nDCG_JK@5", "Judged@3"]) == []
    text = "levels below 2 are not relevant here; use P(rel=2)@5"
    assert warned_of(passages, {"x": RUN}, ["P@5"]) == [f"P@5: {text}"]
    assert [*map(str, check(passages, {}, ["P@5"]).remarks)] == [f"P@5: {text}"]
    told = warned_of(
        collection("antique/train", ANSWERS), {"x": RUN}, ["official", "nDCG@3", "nDCG_JK@3"]
    )
    gains = "(gains={1:0,2:1,3:2,4:3})@3"
    assert [text.split("; use ")[1] for text in told] == [f"nDCG{gains}", f"nDCG_JK{gains}"]
    web = collection("clueweb12/trec-web-2013", {"1": {"a": 4, "b": 0}})
    (text,) = warned_of(web, {"x": {"1": {"a": 1.0}}}, ["nDCG@20", "nDCG_JK@20", "AP"])
    assert text.endswith("use nDCG(dcg='exp-log2')@20")


def test_levels_and_check_show_the_row_and_its_gains_first(collection):
    name = collection("antique/test", ANSWERS)
    found = levels(name)
    assert next(iter(found.pasteable().items())) == ("collection", "gains=1:0,2:1,3:2,4:3")
    for shown in map(str, (found, check(name))):
        assert "least level for binary measures        3, as in AP(rel=3)" in shown
        assert "readme.txt" in shown
    web = collection("clueweb12/trec-web-2014", {"1": {"a": 3, "b": 0}})
    assert levels(web).gains()["collection"] == {3: 7}


TOLD = {
    "1": 0,
    "1 2": 1,
    "1 3": 1,
    "1 2 4": 2,
    "1 2 5 7 10": 2,
    "1 10": 0,
    "1 2.5 4": 0,
    "2 3 4": 0,
}
TOLD |= {"0 1 2 3 4": 0, "-1 1 2 3 4": 0}  # 1 in check, 2 in evaluate as well


@pytest.mark.parametrize("scale", TOLD)
def test_levels_from_1_on_may_mean_not_relevant(scale):
    found = [*map(float, scale.split())]
    qrels, runs = (
        {"q1": dict(zip("abcdefgh", found)), "q2": {"a": found[-1]}},
        {"x": {"q1": {"a": 1.0}}},
    )
    text = "the lowest level is 1: it counts as relevant (AP, P, …) and has a gain of 1. If 1 means not "
    text += f"relevant: gains={','.join(f'{level:g}:{level - 1:g}' for level in found)} and rel=2"
    assert [remark.text for remark in check(qrels).remarks] == [text] * (TOLD[scale] > 0)
    warned = [each for each in warned_of(qrels, runs, ["Q", "nCG"]) if "the lowest level" in each]
    assert warned == [f"qrels: {text}"] * (TOLD[scale] > 1)
    assert not any("lowest" in each for each in warned_of(qrels, runs, ["Q(gains=1:0,2:1)"]))


OWN = {str(topic): {f"d{topic}": 1, f"e{topic}": 2} for topic in range(7, 57)}
FOUND = {
    topic: ({topic: 3.0} if int(topic) < 37 else {})
    | {f"d{topic}": 2.0, "1": 1.5, f"e{topic}": 1.0}
    for topic in OWN
}
ROWS = [(topic, doc, score) for topic, docs in FOUND.items() for doc, score in docs.items()]


def frame(rows):
    return pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"]).astype({"query_id": int})


FORMS = {
    "file": lambda rows: RunFile(BytesIO(frame(rows).to_csv(index=False).encode())),
    "dict": lambda rows: FOUND,
    "lists": lambda rows: {topic: [*docs] for topic, docs in FOUND.items()},
    "frame": frame,
    "tuples": lambda rows: rows,
    "stream": lambda rows: pyarrow.Table.from_pandas(frame(rows)).to_reader(10),
    "any order": lambda rows: pyarrow.Table.from_pandas(frame(rows[::-1])),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_documents_that_are_their_topic_are_told_and_left_out_on_request(form):
    by_hand = {
        topic: {doc: docs[doc] for doc in docs if doc != topic} for topic, docs in FOUND.items()
    }
    measures = ["nDCG@10", "AP", "nDCG_JK@10", "Bpref"]
    other = {topic: docs for topic, docs in by_hand.items() if topic != "7"}
    with pytest.warns(InputWarning) as caught:
        found = evaluate(OWN, {"x": form(ROWS), "other": other}, measures)
    assert found.means()[0, 0].round(4) == 0.6444  # by hand: 30 topics .5672, 20 topics .7602
    share = "in 30 of 50 topics (60 %) a document has the id of the topic"
    assert [str(each.message)[:2] for each in caught if share in str(each.message)] == ["x:"]
    without = evaluate(OWN, {"x": form(ROWS), "other": other}, measures, ignore_identical_ids=True)
    assert without.values[0].tolist() == evaluate(OWN, {"x": by_hand}, measures).values[0].tolist()
    assert without.values[1].tolist() == found.values[1].tolist()
    assert check(OWN, ignoring_identical_ids({"x": form(ROWS)}), ["AP"]).remarks[0].text != share


def test_a_collection_whose_topics_are_documents_names_the_option(collection):
    for name, end in [("beir/arguana", "(ignore_identical_ids=True)"), ("beir/unknown", "topic")]:
        assert warned_of(collection(name, OWN), {"x": FOUND}, ["P@1"])[0].endswith(end)
    told = warned_of(collection("vaswani", OWN), {"x": FOUND}, ["P@1"])
    assert not any("id of the topic" in text for text in told)


def test_check_tells_ties_that_matter_and_scores_that_trec_eval_10_tells_apart():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0 + 1e-12, "c": 0.5}, "q2": {"a": 1.0}}
    measures = ["Bpref", "nDCG@10", "nDCG_Burges(ties='mean')@10"]
    ties, apart = (remark.text for remark in check(qrels, {"x": run}, measures).remarks)
    assert ties.startswith("the order of tied documents can move nDCG@10 by .1")
    assert "in 1 topic" in apart
    (ties,) = check({"q1": {"a": 0.5, "b": 0}}, {"x": {"q1": {"a": 1.0, "b": 1.0}}}).remarks[1:]
    assert "can move nDCG_Burges(gains='linear')@10 by .3" in ties.text
    assert not check(qrels, {"x": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}}).remarks
