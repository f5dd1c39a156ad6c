"""Intents and their probabilities in every form of qrels."""

from decimal import Decimal
from functools import partial
from operator import methodcaller
from random import Random

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import feather, parquet

from ir_measures_graded import D_nDCG, GradedError, IRec, nDCG_JK
from ir_measures_graded.analysis import check, evaluate
from ir_measures_graded.files.conversion import read_rows, written

PROBABILITY = {"car": 0.75, "cat": 0.25, "team": 0.5}
ROWS = [
    ("q1", "d1", 2, "car"), ("q2", "d1", 1, "cat"), ("q1", "d1", 3, "cat"), ("q2", "d5", 3, "team"),
    ("q1", "d2", 1, "car"), ("q1", "d2", 1, "car"), ("q1", "d3", 0, "team"),
]  # fmt: skip
RUN = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}}
FRAME = pandas.DataFrame(ROWS, columns=["query_id", "doc_id", "relevance", "subtopic_id"])
FRAME["probability"] = FRAME["subtopic_id"].map(PROBABILITY)
TERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label", "subtopic_id": "Iteration"}


def arrow(frame, **changed):
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    for name, column in changed.items():
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def renamed(frame):
    """The frame with PyTerrier's names of columns."""
    return frame.rename(columns=TERRIER)


def named_tuples(frame):
    return list(frame.itertuples(index=False))


def batches(frame):
    return arrow(frame).to_batches(max_chunksize=2)


def write_tsv(frame, path):
    renamed(frame).to_csv(path, index=False, sep="\t")


def write_parquet(frame, path):
    parquet.write_table(arrow(frame), path)


def write_arrow(frame, path):
    feather.write_feather(arrow(frame), path)


IN_MEMORY = {
    "frame": renamed,
    "named tuples": named_tuples,
    "dicts": methodcaller("to_dict", "records"),
    "table": arrow,
    "batches": batches,
}
FILES = {
    "csv": partial(pandas.DataFrame.to_csv, index=False),
    "tsv": write_tsv,
    "json lines": partial(pandas.DataFrame.to_json, orient="records", lines=True),
    "json array": partial(pandas.DataFrame.to_json, orient="records"),
    "parquet": write_parquet,
    "arrow file": write_arrow,
}
every_form = pytest.mark.parametrize("form", [*IN_MEMORY, *FILES])


def in_form(form, frame, folder):
    """Qrels in a form; those in a file are its path."""
    if form in IN_MEMORY:
        return IN_MEMORY[form](frame)
    path = folder / "qrels"
    FILES[form](frame, path)
    return path


def evaluated(qrels):
    return evaluate(qrels, {"": RUN}, [D_nDCG, IRec @ 1])


def values(qrels):
    """The values of each measure for the topics q1 and q2."""
    evaluation = evaluated(qrels)
    columns = [evaluation.topics.index(topic) for topic in ("q1", "q2")]
    return evaluation.values[0][:, columns]


@every_form
def test_values_do_not_depend_on_the_form_or_the_order_of_rows(form, tmp_path):
    expected = values(FRAME)
    assert expected.tolist() != values(FRAME.drop(columns="probability")).tolist()
    order = Random(form).sample(range(len(FRAME)), len(FRAME))
    qrels = in_form(form, FRAME.iloc[order], tmp_path)
    assert (values(qrels) == expected).all()


@every_form
def test_only_measures_of_intents_refuse_a_missing_probability(form, tmp_path):
    lacking = FRAME.drop(index=2).reset_index(drop=True)  # one level for each document
    lacking.loc[4, "probability"] = float("nan")
    qrels = in_form(form, lacking, tmp_path)
    assert evaluate(qrels, {"": RUN}, [nDCG_JK]).means()[0, 0] > 0
    with pytest.raises(GradedError, match="probability"):
        values(qrels)


def test_intents_that_are_not_text_are_refused():
    qrels = FRAME.assign(subtopic_id=np.arange(len(FRAME), dtype=float))
    message = r"^qrels: subtopic_id \d+\.0 is of type float, not a string$"
    for measure in (nDCG_JK, D_nDCG):
        with pytest.raises(GradedError, match=message):
            evaluate(qrels, {"": RUN}, [measure])


def test_a_query_that_returns_its_rows_in_another_order_is_read_once():
    class Query:
        def __init__(self):
            self.orders = iter([FRAME, FRAME.iloc[::-1]])

        def __arrow_c_stream__(self, requested_schema=None):
            return arrow(next(self.orders)).__arrow_c_stream__(requested_schema)

    assert (values(Query()) == values(FRAME)).all()


def test_probabilities_are_numbers_of_any_type(tmp_path):
    decimals = [Decimal(probability) for probability in FRAME["probability"]]
    column = pyarrow.array(decimals, pyarrow.decimal128(6, 4))
    parquet.write_table(arrow(FRAME, probability=column), tmp_path / "decimals")
    assert (values(tmp_path / "decimals") == values(FRAME)).all()
    texts = pyarrow.array(list(map(str, FRAME["probability"])))
    parquet.write_table(arrow(FRAME, probability=texts), tmp_path / "texts")
    message = r"texts: row \d: topic 'q1', document '.*': the probability is nan"
    with pytest.raises(GradedError, match=message):
        values(tmp_path / "texts")


def test_convert_keeps_intents_and_probabilities(tmp_path):
    FRAME.to_csv(tmp_path / "qrels.csv", index=False)
    rows = read_rows(tmp_path / "qrels.csv")
    for name in ("new.csv", "new.parquet"):
        (tmp_path / name).write_bytes(written(rows, name))
        assert (values(tmp_path / name) == values(FRAME)).all()
    with pytest.warns(UserWarning, match="no probabilities of intents"):
        written(rows, "qrels.trec")


@pytest.mark.parametrize("others", [[], ["alpha_nDCG@2"]])
def test_check_counts_a_document_at_its_highest_level(others):
    if others:
        pytest.importorskip("pyndeval", reason="pyndeval, which computes alpha_nDCG, is absent")
    result = check(FRAME, {"r": RUN}, ["D_nDCG(gains=7:1)"] + others)
    remark, repeated = result.remarks
    assert "q1" in str(repeated)
    assert "d2" in str(repeated)
    assert str(remark) == "D_nDCG(gains={7:1}): the qrels have no document of level 7"
    documents = dict(zip(result.levels.levels, result.levels.documents.tolist()))
    assert documents == {0: 1, 1: 2, 3: 2}
