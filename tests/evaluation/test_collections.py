"""Collections by name: official measures, what their levels mean, and documents that are topics."""

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
        with path.open("w") as file:
            for topic, docs in qrels.items():
                file.writelines(f"{topic} 0 {doc} {level}\n" for doc, level in docs.items())
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
    ids = list(ir_datasets.registry)
    rows = {pattern: row for row in contracts() for pattern in row.pattern.split()}
    assert len(contracts()) >= 20
    for pattern, row in rows.items():
        assert [name for name in ids if fnmatchcase(name, pattern)], pattern
        names = row.official or ["AP"]
        measures = parse_measures(names)
        assert [str(measure) for measure in measures] == names
        assert all(measure.params.get("rel", row.rel) == row.rel for measure in measures)
        assert row.source
    for name in ids:
        assert sum(fnmatchcase(name, pattern) for pattern in rows) <= 1, name
        row = contract_of(name)
        if row is not None and row.rel:
            fields = ir_datasets.load(name).metadata().get("qrels", {}).get("fields", {})
            for level in fields.get("relevance", {}).get("counts_by_value", {}):
                assert int(level) <= row.not_relevant or int(level) >= row.rel, name
    for name in (
        "msmarco-passage/eval",
        "msmarco-passage/trec-dl-20",
        "clueweb09/en/trec-web-2010/diversity",
    ):
        assert contract_of(name) is None


def test_official_values_of_antique_are_those_of_trec_eval_on_changed_qrels(collection):
    name = collection("antique/test", ANSWERS)
    evaluation = evaluate(name, {"x": RUN}, ["official", "P@1", "official"])
    assert list(map(str, evaluation.measures)) == [*contract_of(name).official, "P@1"]
    graded = {}
    binary = {}
    for topic, docs in ANSWERS.items():
        graded[topic] = {doc: level - 1 for doc, level in docs.items()}
        binary[topic] = {doc: level // 3 for doc, level in docs.items()}
    graded_means = evaluate(graded, {"x": RUN}, ["nDCG@10"]).means()[0]
    binary_means = evaluate(binary, {"x": RUN}, ["RR", "AP", "P@10"]).means()[0]
    means = evaluation.means()[0, :4]
    assert means.tolist() == [*graded_means.tolist(), *binary_means.tolist()]
    (measure,) = ranges(name, {"x": RUN}, ["nDCG_JK@10"]).measures
    assert str(measure) == "nDCG_JK@10"


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
    levels_0_to_3 = {"q1": {"a": 0, "b": 1, "d": 2}, "q2": {"b": 2, "c": 3}}
    passages = collection("msmarco-passage/trec-dl-2019", levels_0_to_3)
    assert warned_of(passages, {"x": RUN}, ["nDCG@10", "RR(rel=2)", "nDCG_JK@5", "Judged@3"]) == []
    text = "levels below 2 are not relevant here; use P(rel=2)@5"
    assert warned_of(passages, {"x": RUN}, ["P@5"]) == [f"P@5: {text}"]
    assert [str(remark) for remark in check(passages, {}, ["P@5"]).remarks] == [f"P@5: {text}"]
    antique = collection("antique/train", ANSWERS)
    warned = warned_of(antique, {"x": RUN}, ["official", "nDCG@3", "nDCG_JK@3"])
    gains = "(gains={1:0,2:1,3:2,4:3})@3"
    assert [text.split("; use ")[1] for text in warned] == [f"nDCG{gains}", f"nDCG_JK{gains}"]
    web = collection("clueweb12/trec-web-2013", {"1": {"a": 4, "b": 0}})
    (text,) = warned_of(web, {"x": {"1": {"a": 1.0}}}, ["nDCG@20", "nDCG_JK@20", "AP"])
    assert text.endswith("use nDCG(dcg='exp-log2')@20")


def test_levels_and_check_show_the_row_and_its_gains_first(collection):
    name = collection("antique/test", ANSWERS)
    result = levels(name)
    assert next(iter(result.pasteable().items())) == ("collection", "gains=1:0,2:1,3:2,4:3")
    for text in (str(result), str(check(name))):
        assert "least level for binary measures        3, as in AP(rel=3)" in text
        assert "readme.txt" in text
    web = collection("clueweb12/trec-web-2014", {"1": {"a": 3, "b": 0}})
    assert levels(web).gains()["collection"] == {3: 7}


NEITHER = {"1", "1 10", "1 2.5 4", "2 3 4", "0 1 2 3 4", "-1 1 2 3 4"}
IN_CHECK = {"1 2", "1 3"}
IN_CHECK_AND_EVALUATE = {"1 2 4", "1 2 5 7 10"}
SCALES = sorted(NEITHER | IN_CHECK | IN_CHECK_AND_EVALUATE)


@pytest.mark.parametrize("scale", SCALES)
def test_levels_from_1_on_may_mean_not_relevant(scale):
    found_levels = [float(level) for level in scale.split()]
    qrels = {"q1": dict(zip("abcdefgh", found_levels)), "q2": {"a": found_levels[-1]}}
    runs = {"x": {"q1": {"a": 1.0}}}
    gains = ",".join(f"{level:g}:{level - 1:g}" for level in found_levels)
    text = (
        "the lowest level is 1: it counts as relevant (AP, P, …) and has a gain of 1. "
        f"If 1 means not relevant: gains={gains} and rel=2"
    )
    remarks = [remark.text for remark in check(qrels).remarks]
    assert remarks == ([] if scale in NEITHER else [text])
    warned = [warning for warning in warned_of(qrels, runs, ["Q", "nCG"]) if "lowest" in warning]
    assert warned == ([f"qrels: {text}"] if scale in IN_CHECK_AND_EVALUATE else [])
    with_gains = warned_of(qrels, runs, ["Q(gains=1:0,2:1)"])
    assert not any("lowest" in warning for warning in with_gains)


OWN = {str(topic): {f"d{topic}": 1, f"e{topic}": 2} for topic in range(7, 57)}
WITHOUT_OWN = {topic: {f"d{topic}": 2.0, "1": 1.5, f"e{topic}": 1.0} for topic in OWN}
WITH_OWN = {topic: dict(docs) for topic, docs in WITHOUT_OWN.items()}
for topic in map(str, range(7, 37)):
    WITH_OWN[topic] = {topic: 3.0, **WITHOUT_OWN[topic]}
ROWS = [(topic, doc, score) for topic, docs in WITH_OWN.items() for doc, score in docs.items()]


def frame(rows=ROWS):
    rows = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    return rows.astype({"query_id": int})


def csv_file():
    return RunFile(BytesIO(frame().to_csv(index=False).encode()))


def dict_of_dicts():
    return WITH_OWN


def dict_of_lists():
    return {topic: list(docs) for topic, docs in WITH_OWN.items()}


def tuples():
    return ROWS


def stream():
    return pyarrow.Table.from_pandas(frame()).to_reader(10)


def table_in_any_order():
    return pyarrow.Table.from_pandas(frame(ROWS[::-1]))


FORMS = {
    "file": csv_file,
    "dict": dict_of_dicts,
    "lists": dict_of_lists,
    "frame": frame,
    "tuples": tuples,
    "stream": stream,
    "any order": table_in_any_order,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_documents_that_are_their_topic_are_told_and_left_out_on_request(form):
    measures = ["nDCG@10", "AP", "nDCG_JK@10", "Bpref"]
    other = {topic: docs for topic, docs in WITHOUT_OWN.items() if topic != "7"}
    with pytest.warns(InputWarning) as caught:
        whole = evaluate(OWN, {"x": form(), "other": other}, measures)
    assert whole.means()[0, 0].round(4) == 0.6444  # by hand: 30 topics .5672, 20 topics .7602
    share = "in 30 of 50 topics (60 %) a document has the id of the topic"
    warned = [str(warning.message) for warning in caught]
    assert [text[:2] for text in warned if share in text] == ["x:"]
    without = evaluate(OWN, {"x": form(), "other": other}, measures, ignore_identical_ids=True)
    by_hand = evaluate(OWN, {"x": WITHOUT_OWN}, measures)
    assert without.values[0].tolist() == by_hand.values[0].tolist()
    assert without.values[1].tolist() == whole.values[1].tolist()
    remarks = check(OWN, ignoring_identical_ids({"x": form()}), ["AP"]).remarks
    assert remarks[0].text != share


def test_a_collection_whose_topics_are_documents_names_the_option(collection):
    for name, end in [("beir/arguana", "(ignore_identical_ids=True)"), ("beir/unknown", "topic")]:
        warned = warned_of(collection(name, OWN), {"x": WITH_OWN}, ["P@1"])
        assert warned[0].endswith(end)
    warned = warned_of(collection("vaswani", OWN), {"x": WITH_OWN}, ["P@1"])
    assert not any("id of the topic" in text for text in warned)


def test_check_tells_ties_that_matter_and_scores_that_trec_eval_10_tells_apart():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0 + 1e-12, "c": 0.5}, "q2": {"a": 1.0}}
    measures = ["Bpref", "nDCG@10", "nDCG_Burges(ties='mean')@10"]
    ties, apart = (remark.text for remark in check(qrels, {"x": run}, measures).remarks)
    assert ties.startswith("the order of tied documents can move nDCG@10 by .1")
    assert "in 1 topic" in apart
    tied = {"q1": {"a": 1.0, "b": 1.0}}
    _, ties = check({"q1": {"a": 0.5, "b": 0}}, {"x": tied}).remarks
    assert "can move nDCG@10 by .3" in ties.text
    untied = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
    assert not check(qrels, {"x": untied}).remarks
