"""Columns of ids in every storage format, checked against plain lists."""

from itertools import accumulate

import numpy as np
import pandas
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_graded.core.by_topic import rows_of
from ir_measures_graded.core.rows.id_columns import Cells, Keys, docs_of, stretches_of
from ir_measures_graded.core.rows.id_matching import Ids

long = "abcdefghijklmnopqrst"
texts = st.sampled_from(
    ["12345678", "abcdefgh1", "é\n", "文書", "\U00010000", *(long[:end] for end in range(1, 20))]
)
pieces = st.lists(st.lists(texts, max_size=5, unique=True), max_size=6)


def coded(strings):
    distinct = sorted(set(strings))
    codes = np.array([distinct.index(string) for string in strings], dtype=np.int8)
    return Cells(codes, Ids.of(distinct).padded().take)


def objects(strings):
    values = np.empty(len(strings), dtype=object)
    values[:] = strings
    return values


ROWWISE = {
    "ids": Ids.of,
    "coded": coded,
    "strings": lambda strings: docs_of(objects(strings), "run: doc_id"),
}


def columns(of_dicts):
    strings = [string for piece in of_dicts for string in piece]
    yield from (make(strings) for make in ROWWISE.values())
    yield Keys([dict.fromkeys(piece) for piece in of_dicts], "run: doc_id")


@given(pieces, st.data())
def test_every_kind_of_column_converts_slices_to_ids(of_dicts, data):
    strings = [string for piece in of_dicts for string in piece]
    bounds = [0, *accumulate(map(len, of_dicts))]
    numbers = data.draw(st.permutations(range(len(of_dicts))))[: data.draw(st.integers(0, 6))]
    starts = np.array([bounds[number] for number in numbers], dtype=np.int64)
    sizes = np.array([len(of_dicts[number]) for number in numbers], dtype=np.int64)
    chosen = [string for number in numbers for string in of_dicts[number]]
    for column in columns(of_dicts):
        assert len(column) == len(strings)
        assert [column[row] for row in range(len(column))] == strings
        assert list(column.ids()) == strings
        part = column.slices(starts, sizes, rows_of(starts, sizes))
        assert type(part) is type(column)
        assert (len(part), list(part.ids())) == (len(chosen), chosen)


@pytest.mark.parametrize("make", ROWWISE.values(), ids=ROWWISE)
@given(st.lists(texts, max_size=12), st.data())
def test_take_accepts_rows_in_any_order(make, strings, data):
    rows = data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=20)) if strings else []
    taken = make(strings).take(np.array(rows, dtype=np.int64))
    assert list(taken.ids()) == [strings[row] for row in rows]


@given(st.lists(st.sampled_from("pq"), max_size=12))
def test_every_kind_of_column_has_the_same_topics(topics):
    for column in (
        topics,
        pyarrow.array(topics, "string"),
        pandas.Categorical(topics, ["unused", "q", "p"]),
    ):
        found = stretches_of(column, "run: query_id")
        sizes = np.diff(np.append(found.start, len(topics)))
        assert np.repeat(np.array([*found.topics], object)[found.code], sizes).tolist() == topics
        assert [*found.topics] == list(dict.fromkeys(topics))
