"""Columns of ids as bytes, checked against Python strings."""

from itertools import pairwise

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_graded.core.rows import id_matching
from ir_measures_graded.core.rows.id_matching import Ids, equal_pairs, matches

LENGTHS = [
    "",
    "a",
    "1234567",
    "12345678",
    "123456789",
    "x" * 16,
    "x" * 17,
    "x" * 100,
    "x" * 99 + "y",
]
ODD = ["a\n", "\n", "a\0", "\0", "é", "文", "\U00010000", "a b"]
texts = st.sampled_from(LENGTHS + ODD) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=20
)
topics = st.lists(st.lists(texts, max_size=8), max_size=4)


def column(lists):
    """The ids of several topics as a column."""
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in lists], dtype=np.int64)))
    return Ids.of([id_ for each in lists for id_ in each]), offsets


def plain_pairs(first, second):
    """`equal_pairs` as a plain loop."""
    rows = [(t, id_) for lists in (first, second) for t, each in enumerate(lists) for id_ in each]
    places = {}
    for row, key in enumerate(rows):
        places.setdefault(key, []).append(row)
    return sorted(pair for of_id in places.values() for pair in pairwise(of_id))


def pairs(*columns):
    return sorted(zip(*(rows.tolist() for rows in equal_pairs(*columns))))


@given(st.lists(texts, max_size=30))
def test_column_returns_its_ids(strings):
    for column_ in (
        Ids.of(strings),
        Ids.of(np.array(strings, dtype=object)),
        Ids.of_pieces([{}, dict.fromkeys(strings)]),
    ):
        expected = strings if len(column_) == len(strings) else list(dict.fromkeys(strings))
        assert list(column_) == expected
        assert list(column_.take(slice(1, 3))) == expected[1:3]
        assert list(column_.take(np.arange(len(expected))[::-1])) == expected[::-1]


def test_column_read_in_pieces_keeps_equal_spacing(monkeypatch):
    monkeypatch.setattr(id_matching, "PIECE", 3)
    strings = [f"{number}" for number in range(10)]
    assert list(Ids.of(strings)) == strings
    assert Ids.of(strings).start == range(0, 2 * len(strings), 2)
    assert list(Ids.of([*strings, "10"])) == [*strings, "10"]
    assert not isinstance(Ids.of([*strings, "10"]).start, range)


@pytest.mark.parametrize("lengths", [(3, 3, 3), (3, 3, 4), (7, 7, 15)])
def test_concatenation_keeps_equal_spacing_if_all_lengths_agree(lengths):
    parts = [[str(number) * length for number in range(9)] for length in lengths]
    column_ = Ids.concatenated([Ids.of(part) for part in parts])
    assert list(column_) == [id_ for part in parts for id_ in part]
    assert isinstance(column_.start, range) == (len(set(lengths)) == 1)


def test_concatenated_parts_of_a_column_take_the_memory_of_the_column():
    whole = Ids.of([str(number) for number in range(1000)])
    found = Ids.concatenated([whole.take(slice(row, row + 2)) for row in range(0, 1000, 2)])
    assert list(found) == list(whole)
    assert found.data.size <= whole.data.size


@given(st.lists(texts, max_size=20), st.data())
def test_padded_ids_equal_the_original_ids(strings, data):
    filled = Ids.of(strings).padded()
    assert list(filled) == strings
    rows = np.array(
        data.draw(st.lists(st.integers(0, len(strings) - 1))) if strings else [], dtype=np.int64
    )
    assert list(filled.take(rows)) == [strings[row] for row in rows]
    taken = filled.take(rows), np.array([0, rows.size])
    assert pairs(taken, column([strings])) == plain_pairs(
        [[strings[row] for row in rows]], [strings]
    )


def test_padding_is_skipped_if_it_takes_too_much_memory():
    assert Ids.of(["a" * 5, "b" * 7]).padded().data.size == 2 * 8
    many = Ids.of(["a", *["b" * 900], *"cdefgh"])
    assert many.padded() is many


@pytest.mark.parametrize(
    "hashed",
    [
        id_matching._Rows.hashed,
        lambda rows: rows.topic * 0,
        lambda rows: rows.length.astype(np.uint64) << 60,
    ],
)
@given(sides=st.lists(topics, min_size=2, max_size=2))
def test_equal_pairs_are_exact_despite_hash_collisions(hashed, sides):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_matching._Rows, "hashed", hashed)
        count = max(map(len, sides))
        first, second = ([*lists, *[[]] * (count - len(lists))] for lists in sides)
        assert pairs(column(first), column(second)) == plain_pairs(first, second)
        assert pairs(column(first)) == plain_pairs(first, [])


@pytest.mark.parametrize("factor", [id_matching._FACTOR, np.uint64(1)])  # 1 gives many collisions
@given(sides=st.lists(topics, min_size=2, max_size=2))
def test_table_of_hashes_finds_the_pairs_of_the_sort(factor, sides):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_matching, "_FACTOR", factor)
        patch.setattr(id_matching, "LEAST_IN_TABLE", 1)
        patch.setattr(id_matching, "MOST_PER_JUDGED", 1000)
        count = max(map(len, sides))
        first, second = ([*lists, *[[]] * (count - len(lists))] for lists in sides)
        second = [list(dict.fromkeys(each)) for each in second]
        found = zip(
            *(rows.tolist() for rows in matches(column(first), column(second))), strict=True
        )
        assert sorted(found) == plain_pairs(first, second)


@given(st.lists(st.lists(texts, min_size=1, max_size=6), min_size=1, max_size=4))
def test_ids_descend_by_code_point_within_groups(groups):
    strings = [id_ for each in groups for id_ in each]
    group = np.repeat(np.arange(len(groups)), [len(each) for each in groups])
    order = Ids.of(strings).descending(group).tolist()
    assert [strings[row] for row in order] == [
        id_ for each in groups for id_ in sorted(each, key=lambda id_: id_.encode(), reverse=True)
    ]


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=20),
    st.integers(0, 5),
)
def test_arrow_slices_match_plain_strings(strings, skipped):
    for type_ in (pyarrow.string(), pyarrow.large_string()):
        array = pyarrow.array(strings, type_)[skipped:]
        assert list(Ids.of_arrow(array)) == strings[skipped:]
        own, whole = column([strings[skipped:]])
        assert pairs((Ids.of_arrow(array), whole), (own, whole)) == plain_pairs(
            *[[strings[skipped:]]] * 2
        )


@given(st.lists(st.sampled_from(["a", "b", "ab", "ba", "é", "abcdefghi", "abcdefghj"])))
def test_changes_are_those_of_the_texts(texts: list[str]) -> None:
    expected = [row for row, text in enumerate(texts) if row == 0 or text != texts[row - 1]]
    contiguous = Ids.of_encoded([text.encode() for text in texts])
    assert Ids.of(texts).changes().tolist() == contiguous.changes().tolist() == expected
