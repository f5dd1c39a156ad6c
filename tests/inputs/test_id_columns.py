"""Columns of ids in every storage format, checked against plain lists."""

from itertools import accumulate

import numpy as np
import pandas
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_measures_graded import GradedError
from ir_measures_graded.core.by_topic import rows_of
from ir_measures_graded.core.rows import id_matching
from ir_measures_graded.core.rows.id_columns import (
    Cells,
    Keys,
    NumbersOfIds,
    TopicNumbers,
    docs_of,
    stretches_of,
)
from ir_measures_graded.core.rows.id_matching import Ids

LETTERS = "abcdefghijklmnopqrst"
STARTS = [LETTERS[:end] for end in range(1, 20)]
texts = st.sampled_from(["12345678", "abcdefgh1", "é\n", "文書", "\U00010000", *STARTS])
pieces = st.lists(st.lists(texts, max_size=5, unique=True), max_size=6)


def coded(strings):
    distinct = sorted(set(strings))
    codes = np.array([distinct.index(string) for string in strings], dtype=np.int8)
    return Cells(codes, Ids.of(distinct).padded().take)


def objects(strings):
    values = np.empty(len(strings), dtype=object)
    values[:] = strings
    return values


def of_objects(strings):
    return docs_of(objects(strings), "run: doc_id")


ROWWISE = {"ids": Ids.of, "coded": coded, "strings": of_objects}


def columns(lists):
    """Columns of every kind with the ids of several topics."""
    strings = [string for topic_ids in lists for string in topic_ids]
    for make in ROWWISE.values():
        yield make(strings)
    yield Keys([dict.fromkeys(topic_ids) for topic_ids in lists], "run: doc_id")


@given(pieces, st.data())
def test_every_kind_of_column_converts_slices_to_ids(lists, data):
    strings = [string for topic_ids in lists for string in topic_ids]
    bounds = [0, *accumulate(map(len, lists))]
    order = data.draw(st.permutations(range(len(lists))))
    numbers = order[: data.draw(st.integers(0, 6))]
    starts = np.array([bounds[number] for number in numbers], dtype=np.int64)
    sizes = np.array([len(lists[number]) for number in numbers], dtype=np.int64)
    chosen = [string for number in numbers for string in lists[number]]
    for column in columns(lists):
        assert len(column) == len(strings)
        assert [column[row] for row in range(len(column))] == strings
        assert list(column.ids()) == strings
        slices = column.slices(starts, sizes, rows_of(starts, sizes))
        assert type(slices) is type(column)
        assert len(slices) == len(chosen)
        assert list(slices.ids()) == chosen


@pytest.mark.parametrize("make", ROWWISE.values(), ids=ROWWISE)
@given(st.lists(texts, max_size=12), st.data())
def test_take_accepts_rows_in_any_order(make, strings, data):
    rows = []
    if strings:
        rows = data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=20))
    taken = make(strings).take(np.array(rows, dtype=np.int64))
    assert list(taken.ids()) == [strings[row] for row in rows]


@given(st.lists(st.sampled_from("pq"), max_size=12))
def test_every_kind_of_column_has_the_same_topics(topics):
    for column in (
        topics,
        pyarrow.array(topics, "string"),
        pandas.Categorical(topics, ["unused", "q", "p"]),
    ):
        stretches = stretches_of(column, "run: query_id")
        assert list(stretches.topics) == list(dict.fromkeys(topics))
        names = np.array(list(stretches.topics), object)[stretches.code]
        sizes = np.diff(np.append(stretches.start, len(topics)))
        assert np.repeat(names, sizes).tolist() == topics


COLLIDING = ["a", "ab", "12345678", "12345678a", "a2345678123", "b2345678023", "x" * 16, "x" * 17]


@settings(max_examples=10)
@given(
    st.sampled_from([id_matching._FACTOR, np.uint64(1)]),  # 1 gives many collisions
    st.lists(st.lists(st.sampled_from(COLLIDING) | texts, max_size=9), max_size=5),
)
def test_numbers_of_several_columns_are_those_of_a_dict(factor, lists):
    numbers = NumbersOfIds()
    expected = TopicNumbers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_matching, "_FACTOR", factor)
        for strings in lists:
            codes = numbers.codes(Ids.of(strings))
            assert codes.tolist() == expected.codes(strings).tolist()
    assert numbers.topics == expected


def test_a_topic_that_ends_with_nul_is_refused_beside_one_without_it():
    topics = ["q", "r"] * 3000 + ["q\0"]
    with pytest.raises(GradedError, match="contains the character NUL"):
        stretches_of(pyarrow.array(topics), "run: query_id")
