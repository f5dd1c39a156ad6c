"""Qrels and runs in every form in memory: the table they give, and the errors they raise."""

import copy
import io
import json
from collections import namedtuple
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from operator import methodcaller

import ir_measures
import numpy as np
import pandas
import pyarrow
import pytest
from ir_measures import Qrel
from reading import refused

from all_measures import MEASURES
from input_forms import FEATHER, FORMS, PARQUET, in_file
from ir_measures_graded import CG, RunFile
from ir_measures_graded.analysis import evaluate as analysed
from ir_measures_graded.core.rows.sources import read_qrels, read_run
from ir_measures_graded.errors import shown
from ir_measures_graded.files.files import qrels_in

QRELS = {"q": {"a": 3, "b": 1}, "p": {"a": -2, "c": 0.5}}
RUN = {"q": {"a": 2.0, "x": 3.0, "b": 1.0}, "p": {"c": float("inf"), "a": float("-inf")}}
NAN = float("nan")


def unfold(table):
    """The table as a dict of dicts."""
    assert len(table.offsets) == len(table.topics) + 1
    assert table.offsets[0] == 0
    assert table.offsets[-1] == len(table.docs) == len(table.values)
    by_topic = {}
    for number, topic in enumerate(table.topics):
        block = table.block(number, number + 1)
        by_topic[topic] = dict(zip(block.docs.ids(), block.values.tolist()))
    return by_topic


def row(**fields):
    return namedtuple("Row", fields)(**fields)


def evaluate(qrels=QRELS, run=RUN):
    return CG.calc_aggregate(qrels, run)


def frame(**columns):
    return pandas.DataFrame(columns)


@pytest.mark.parametrize(
    "form", ["dict of dicts", "list of named tuples", "DataFrame", "DataFrame of categories"]
)
def test_evaluation_does_not_modify_its_inputs(form):
    qrels = FORMS[form](QRELS, "relevance")
    run = FORMS[form](RUN, "score")
    before = str(copy.deepcopy((qrels, run)))
    evaluate(qrels, run)
    assert str((qrels, run)) == before


def test_dicts_may_have_topics_without_documents():
    qrels = {"q": {}, "p": {"a": 1}, "r": {}}
    assert unfold(read_qrels(qrels)) == qrels
    assert unfold(read_run({"q": {}})) == {"q": {}}


NUMBERS = [
    (3, 3.0),
    (2.5, 2.5),
    (np.int8(-2), -2.0),
    (np.float16(0.5), 0.5),
    (np.float32(0.1), float(np.float32(0.1))),
    (Decimal("2.5"), 2.5),
    (Fraction(1, 4), 0.25),
    (10**30, 1e30),
]
NO_NUMBERS = [
    *("3", "high", "", b"3", bytearray(b"3"), np.str_("3"), "nan"),
    *(True, np.bool_(True), None, 2j, [3], object, 10**400, np.datetime64("2020-01-01")),
    *(pandas.NA, pandas.NaT, pandas.Timestamp("2020-01-01")),
]
NOT_FINITE = [NAN, float("inf"), float("-inf"), np.float32("nan"), Decimal("NaN")]


def forms_of(value, field):
    """One row with this value in every form that does not convert it."""
    yield {"q": {"a": value}}
    yield [row(query_id="q", doc_id="a", **{field: value})]
    yield frame(query_id=["q"], doc_id=["a"], **{field: pandas.Series([value], dtype=object)})


@pytest.mark.parametrize(
    ("number", "expected"), NUMBERS, ids=[repr(number) for number, _ in NUMBERS]
)
def test_levels_and_scores_may_be_any_kind_of_number(number, expected):
    level = float(str(number)) if isinstance(number, np.floating) else expected
    for source in forms_of(number, "relevance"):
        assert unfold(read_qrels(source)) == {"q": {"a": level}}
    for source in forms_of(number, "score"):
        assert unfold(read_run(source)) == {"q": {"a": expected}}


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value)[:20])
def test_value_that_is_no_number_is_refused_with_its_topic_and_document(value):
    reason = "is larger than any float" if type(value) is int else "is not a number"
    for source in forms_of(value, "relevance"):
        message = refused(evaluate, source)
        expected = f"qrels: topic 'q', document 'a': the level {shown(value)} {reason}"
        assert message.startswith(expected)
    for source in forms_of(value, "score"):
        message = refused(evaluate, QRELS, source)
        assert f"run: topic 'q', document 'a': the score {shown(value)} {reason}" in message


@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda value: repr(value)[:20])
def test_level_that_is_not_finite_is_refused_with_its_topic_and_document(value):
    reason = f"the level is {float(value)}; a level is a finite number"
    for source in forms_of(value, "relevance"):
        message = refused(evaluate, source)
        assert message.startswith(f"qrels: topic 'q', document 'a': {reason}")


@pytest.mark.parametrize("value", [NAN, np.float32("nan"), Decimal("NaN")], ids=repr)
def test_score_that_is_nan_is_refused_with_its_topic_and_document(value):
    for source in forms_of(value, "score"):
        message = refused(evaluate, QRELS, source)
        assert "run: topic 'q', document 'a': the score is NaN, which cannot be ranked" in message


CODES = [pyarrow.int16(), pyarrow.uint8(), pyarrow.uint64()]
STRINGS = [pyarrow.dictionary(code, pyarrow.string()) for code in CODES]
STRINGS += ["string", "large_string", "string_view"]
WHOLE = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
DECIMALS = [pyarrow.decimal128(9, 2), pyarrow.decimal256(40, 3)]


def reader(columns):
    return pyarrow.table(columns).to_reader(2)


@pytest.mark.parametrize("make", [pyarrow.table, reader])
def test_every_arrow_type_of_strings_and_numbers_is_read(make):
    def table(ids="string", numbers="float64", values=(1, 0, 1)):
        columns = {
            "qid": pyarrow.array(["q", "q", "p"], ids),
            "docno": pyarrow.array(["a", "long" * 9, "c"], ids),
            "label": pyarrow.array(values, numbers),
        }
        return make(columns)

    for type_ in STRINGS:
        qrels = read_qrels(table(ids=type_))
        assert unfold(qrels) == {"q": {"a": 1, "long" * 9: 0}, "p": {"c": 1}}
    for type_ in WHOLE:
        qrels = read_qrels(table(numbers=type_))
        assert qrels.values.tolist() == [1, 0, 1]
    for type_ in FLOATS:
        qrels = read_qrels(table(numbers=type_, values=[np.float16(1.25)] * 3))
        assert qrels.values.tolist() == [1.25] * 3
    for type_ in DECIMALS:
        qrels = read_qrels(table(numbers=type_, values=[Decimal("1.25")] * 3))
        assert qrels.values.tolist() == [1.25] * 3


@pytest.mark.parametrize(
    "dtype",
    ["Float64", "Int64", "float", "object", "double[pyarrow]", "int64[pyarrow]", "Sparse[float]"],
)
def test_missing_number_in_a_frame_is_refused(dtype):
    numbers = pandas.Series([1, None], dtype=dtype)
    run = frame(query_id=["q", "q"], doc_id=["a", "b"], score=numbers)
    assert "run: topic 'q', document 'b': the score " in refused(evaluate, QRELS, run)
    qrels = run.rename(columns={"score": "relevance"})
    assert "qrels: topic 'q', document 'b': the level " in refused(evaluate, qrels)


@pytest.mark.parametrize("dtype", ["Sparse[int]", "Sparse[float]", "Sparse[float32]"])
def test_sparse_column_of_a_frame_is_read(dtype):
    numbers = pandas.Series([0, 2], dtype=dtype)
    run = frame(query_id=["q", "q"], doc_id=["a", "b"], score=numbers)
    assert read_run(run).values.tolist() == [0, 2]
    assert read_qrels(run.rename(columns={"score": "relevance"})).values.tolist() == [0, 2]


@pytest.mark.parametrize("bad", [1.5, None, True, b"q", ("q",), NAN], ids=repr)
def test_id_that_is_not_a_string_is_refused(bad):
    reason = f"{bad!r} is of type {type(bad).__name__}, not a string"
    first = {"query_id": "q", "doc_id": "b", "relevance": 1, "score": 1}
    for name, in_dict in (("query_id", {bad: {"a": 1}}), ("doc_id", {"q": {"a": 1, bad: 1}})):
        assert f"qrels: {name} {reason}" in refused(evaluate, in_dict)
        assert f"run: {name} {reason}" in refused(evaluate, QRELS, in_dict)

        second = first | {"doc_id": "a", name: bad}
        in_tuples = [row(**first), row(**second)]
        message = f"{name} {reason}"
        if bad is None or bad is NAN:
            message = f"row 1 has no {name}"
        assert f"qrels: {message}" in refused(evaluate, in_tuples)
        assert f"run: {message}" in refused(evaluate, QRELS, in_tuples)


class Name(str, Enum):
    """Strings whose str() is not their text."""

    Q = "q"
    A = "a"


@pytest.mark.parametrize("kind", [np.str_, Name])
def test_ids_of_str_subclasses_are_read_as_text(kind):
    q = kind("q")
    a = kind("a")
    for form in ({q: {a: 1}}, [row(query_id=q, doc_id=a, relevance=1, score=1)]):
        assert evaluate({"q": {"a": 1}}, form) == 1
        assert [metric.query_id for metric in CG.iter_calc(form, {"q": {"a": 1}})] == ["q"]
    objects = frame(
        query_id=pandas.Series([q], dtype=object), doc_id=pandas.Series([a], dtype=object)
    )
    assert evaluate({"q": {"a": 1}}, objects.assign(score=1.0)) == 1
    for form in ({q: {a: NAN}}, objects.assign(score=NAN)):
        assert "run: topic 'q', document 'a': the score is NaN" in refused(evaluate, QRELS, form)


IDS = {"query_id": ["1", "1"], "doc_id": ["7", "8"]}


def arrow(made):
    return pyarrow.Table.from_pandas(made, preserve_index=False)


def dictionary(made):
    return arrow(made.astype({"query_id": "category"}))


def stream(made):
    return arrow(made).to_reader()


def named_tuples(made):
    return list(made.itertuples(index=False))


def write_json_lines(table, file):
    file.write(table.to_pandas().to_json(orient="records", lines=True).encode())


def in_form(make):
    """The rows in a form of `input_forms`, which is made of Arrow columns."""

    def converted(made):
        return make(arrow(made).columns, list(made))

    return converted


DTYPES = ["int64", "category", "Int64", "object"]
WITH_INTEGERS = {
    "tuples": named_tuples,
    "dicts": methodcaller("to_dict", "records"),
    "table": arrow,
    "dictionary": dictionary,
    "stream": stream,
    "Parquet": in_form(PARQUET),
    "Arrow": in_form(FEATHER),
    "JSON lines": in_form(in_file(write_json_lines)),
}


@pytest.mark.parametrize("form", [*DTYPES, *WITH_INTEGERS])
def test_integer_ids_are_text_unless_the_other_side_has_leading_zeros(form):
    def with_integers(value):
        made = frame(**IDS, **{value: [2, 1]}).astype(dict.fromkeys(IDS, int))
        if form in DTYPES:
            return made.astype(dict.fromkeys(IDS, form))
        return WITH_INTEGERS[form](made)

    strings = frame(**IDS, relevance=[2, 1], score=[2.0, 1.0])
    measures = [CG, ir_measures.AP, ir_measures.Judged @ 2]
    for qrels, run in (
        (with_integers("relevance"), strings),
        (strings, with_integers("score")),
        (with_integers("relevance"), with_integers("score")),
    ):
        assert analysed(qrels, {"x": run}, measures).means().tolist() == [[3, 1, 1]]
    zeros = {"01": {"7": 1}, "1": {"8": 1}}
    reason = "is an integer, which may have lost leading zeros, as in"
    advice = "write the ids as strings"
    for measure in (CG, ir_measures.Judged @ 2):
        message = refused(analysed, with_integers("relevance"), {"x": zeros}, [measure])
        assert f"the query_id {reason} '01' of the run; {advice}" in message
        message = refused(analysed, {"1": {"07": 1}}, {"x": with_integers("score")}, [measure])
        assert f"the doc_id {reason} '07' of the qrels; {advice}" in message


def test_topics_of_dicts_may_be_integers():
    qrels = {1: {"a": 1}, np.int64(2): {"b": 1}}
    measures = [CG, ir_measures.AP, ir_measures.Judged @ 1]
    for run in ({1: {"a": 1.0}, 2: {"b": 1.0}}, {"1": {"a": 1.0}, "2": {"b": 1.0}}):
        assert ir_measures.calc_aggregate(measures, qrels, run) == dict.fromkeys(measures, 1.0)
    message = refused(analysed, qrels, {"x": {"01": {"a": 1.0}}}, [CG])
    assert "may have lost leading zeros" in message
    message = refused(ir_measures.calc_aggregate, [CG], qrels, {"01": {"a": 1.0}})
    assert "may have lost leading zeros" in message
    assert "a topic is both a number and a text" in refused(evaluate, {1: {"a": 1}, "1": {"a": 1}})


def ranx_run(rows):
    """An object that looks like a run of ranx."""

    class Run:
        def to_dict(self):
            return rows

    Run.__module__ = "ranx.data_structures.run"
    return Run()


@pytest.mark.parametrize("value", ["relevance", "score"])
def test_objects_of_other_libraries_are_read(tmp_path, value):
    from pyarrow import dataset, parquet

    polars = pytest.importorskip("polars", reason="Polars is not installed")

    expected = {"q1": {"d1": 2, "d2": 1}, "q2": {"d1": 1}}
    rows = [
        (topic, doc, number) for topic, docs in expected.items() for doc, number in docs.items()
    ]
    names = ["query-id", "corpus-id", value]
    table = pyarrow.table(dict(zip(names, zip(*rows))))
    parquet.write_table(table, tmp_path / "rows.parquet")
    stored = dataset.dataset(tmp_path / "rows.parquet")
    for source in (
        polars.from_arrow(table),
        polars.from_arrow(table).lazy(),
        stored,
        stored.scanner(),
        [dict(zip(names, row)) for row in rows],
        rows,
        tuple(rows),
        iter(rows),
        ranx_run(expected),
    ):
        if value == "relevance":
            evaluation = analysed(source, {"x": expected}, [CG, ir_measures.AP])
        else:
            evaluation = analysed(expected, {"x": source}, [CG, ir_measures.AP])
        assert evaluation.means().tolist() == [[2, 1]]


def test_lists_of_documents_are_a_run_by_position_and_lists_of_columns_a_table():
    def values(qrels, run):
        return analysed(qrels, {"x": run}, [CG, ir_measures.RR]).values.tolist()

    def in_json(value):
        return io.BytesIO(json.dumps(value).encode())

    qrels = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    dicts = {"q1": {"d2": 2, "d1": 1}, "q2": {"d3": 1}}
    expected = values(qrels, dicts)
    columns = {"qid": ["q1", "q1", "q2"], "docno": ["d2", "d1", "d3"], "score": [2.0, 1, 1]}
    for run in ({"q1": ["d2", "d1"], "q2": ["d3"]}, {"q1": ("d2", "d1"), "q2": ("d3",)}, columns):
        assert values(qrels, run) == expected
        assert values(qrels, RunFile(in_json(run))) == expected
    judged = {"qid": ["q1", "q2"], "docno": ["d1", "d3"], "label": [1, 1]}
    assert values(judged, dicts) == expected
    assert values(qrels_in(in_json(judged)), dicts) == expected


@pytest.mark.parametrize(
    "form", ["list of named tuples", "DataFrame of objects", "DataFrame of categories"]
)
@pytest.mark.parametrize(("topic", "doc"), [("q", "a"), ("q", "x"), ("not judged", "x")])
def test_document_retrieved_twice_is_refused(form, topic, doc):
    run = {"q": {"a": 1.0, "x": 0.5, "y": 0.1}, "not judged": {"x": 1.0, "a": 0.7}}
    whole = FORMS[form](run, "score")
    duplicate = FORMS[form]({topic: {doc: 0.2}}, "score")
    if form.startswith("DataFrame"):
        twice = pandas.concat([whole, duplicate])
    else:
        twice = whole + duplicate
    message = refused(evaluate, QRELS, twice)
    assert f"run: topic {topic!r} retrieves document {doc!r} twice" in message


def test_document_judged_twice_at_the_same_level_counts_once():
    twice = [
        Qrel("q", "a", 3),
        Qrel("q", "b", 1),
        Qrel("p", "z", 1),
        Qrel("q", "a", 3.0),
        Qrel("q", "a", 3),
    ]
    once = {"q": {"a": 3, "b": 1}, "p": {"z": 1}}
    run = {"q": {"a": 1.0, "b": 0.5}}
    values = set(ir_measures.iter_calc(MEASURES, twice, run))
    assert values == set(ir_measures.iter_calc(MEASURES, once, run))
