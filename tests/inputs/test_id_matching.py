"""Columns of ids as bytes, checked against Python strings."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_measures_graded.core.rows import id_matching
from ir_measures_graded.core.rows.id_matching import (
    CodedIds,
    Ids,
    equal_pairs,
    first_rows,
    matches,
)

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
    sizes = [len(ids) for ids in lists]
    offsets = np.cumsum([0, *sizes], dtype=np.int64)
    return Ids.of([id_ for ids in lists for id_ in ids]), offsets


def plain_pairs(first, second):
    """`equal_pairs` as a plain loop."""
    rows_of = defaultdict(list)
    row = 0
    for lists in (first, second):
        for topic, ids in enumerate(lists):
            for id_ in ids:
                rows_of[topic, id_].append(row)
                row += 1
    return sorted(pair for rows in rows_of.values() for pair in pairwise(rows))


def pairs(*columns):
    """`equal_pairs` as a sorted list."""
    rows, others = equal_pairs(*columns)
    return sorted(zip(rows.tolist(), others.tolist()))


def padded_to(count, lists):
    """The lists with empty ones after them."""
    return lists + [[]] * (count - len(lists))


@given(st.lists(texts, max_size=30))
def test_column_returns_its_ids(strings):
    once = list(dict.fromkeys(strings))
    for ids, expected in (
        (Ids.of(strings), strings),
        (Ids.of(np.array(strings, dtype=object)), strings),
        (Ids.of_pieces([{}, dict.fromkeys(strings)]), once),
    ):
        assert list(ids) == expected
        assert list(ids.take(slice(1, 3))) == expected[1:3]
        assert list(ids.take(np.arange(len(expected))[::-1])) == expected[::-1]


def test_column_read_in_pieces_keeps_equal_spacing(monkeypatch):
    monkeypatch.setattr(id_matching, "PIECE", 3)
    strings = [f"{number}" for number in range(10)]
    assert list(Ids.of(strings)) == strings
    assert Ids.of(strings).start == range(0, 2 * len(strings), 2)
    assert list(Ids.of([*strings, "10"])) == [*strings, "10"]
    assert not isinstance(Ids.of([*strings, "10"]).start, range)


@pytest.mark.parametrize("lengths", [(3, 3, 3), (3, 3, 4), (7, 7, 15)])
def test_concatenation_keeps_equal_spacing_if_all_lengths_agree(lengths):
    lists = [[str(number) * length for number in range(9)] for length in lengths]
    joined = Ids.concatenated([Ids.of(ids) for ids in lists])
    assert list(joined) == [id_ for ids in lists for id_ in ids]
    assert isinstance(joined.start, range) == (len(set(lengths)) == 1)


def test_concatenated_ids_are_not_searched_for_flaws_again():
    parts = [Ids.of(["d1", "d2"]).padded(), Ids.of(["d3"]).padded()]
    assert not Ids.concatenated(parts).are_flawless
    assert [ids.first_flawed() for ids in parts] == [None, None]
    assert Ids.concatenated(parts).are_flawless


def test_concatenated_parts_of_a_column_take_the_memory_of_the_column():
    whole = Ids.of([str(number) for number in range(1000)])
    slices = [whole.take(slice(row, row + 2)) for row in range(0, 1000, 2)]
    joined = Ids.concatenated(slices)
    assert list(joined) == list(whole)
    assert joined.data.size <= whole.data.size


@given(st.lists(texts, max_size=20), st.data())
def test_padded_ids_equal_the_original_ids(strings, data):
    filled = Ids.of(strings).padded()
    assert list(filled) == strings
    rows = []
    if strings:
        rows = data.draw(st.lists(st.integers(0, len(strings) - 1)))
    taken = filled.take(np.array(rows, dtype=np.int64))
    expected = [strings[row] for row in rows]
    assert list(taken) == expected
    offsets = np.array([0, len(rows)])
    assert pairs((taken, offsets), column([strings])) == plain_pairs([expected], [strings])


def test_padding_is_skipped_if_it_takes_too_much_memory():
    assert Ids.of(["a" * 5, "b" * 7]).padded().data.size == 2 * 8
    many = Ids.of(["a", *["b" * 900], *"cdefgh"])
    assert many.padded() is many


def all_alike(rows):
    """A hash that all ids of all topics share."""
    return rows.topic * 0


def by_length(rows):
    """A hash that all ids of a length share."""
    return rows.length.astype(np.uint64) << 60


@pytest.mark.parametrize("hashed", [id_matching._Rows.hashed, all_alike, by_length])
@given(sides=st.lists(topics, min_size=2, max_size=2))
def test_equal_pairs_are_exact_despite_hash_collisions(hashed, sides):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_matching._Rows, "hashed", hashed)
        count = max(map(len, sides))
        first, second = (padded_to(count, lists) for lists in sides)
        assert pairs(column(first), column(second)) == plain_pairs(first, second)
        assert pairs(column(first)) == plain_pairs(first, [])


@pytest.mark.parametrize("factor", [id_matching._FACTOR, np.uint64(1)])  # 1 gives many collisions
@given(sides=st.lists(topics, min_size=2, max_size=2))
def test_table_of_hashes_finds_the_pairs_of_the_sort(factor, sides):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_matching, "_FACTOR", factor)
        patch.setattr(id_matching, "LEAST_IN_TABLE", 1)
        patch.setattr(id_matching, "MOST_SORTED", 1)
        patch.setattr(id_matching, "SLOTS_OF_ROW", 1)
        count = max(map(len, sides))
        first, second = (padded_to(count, lists) for lists in sides)
        second = [list(dict.fromkeys(ids)) for ids in second]
        rows, others = matches(column(first), column(second))
        matched = zip(rows.tolist(), others.tolist(), strict=True)
        assert sorted(matched) == plain_pairs(first, second)


@pytest.mark.parametrize("count", [0, 1, 300, 70_000])
def test_first_rows_are_found_in_tables_of_any_size(count):
    ids = [f"d{number}" for number in range(count)]
    assert first_rows((Ids.of(ids), np.array([0, count]))) is None
    for repeated in ids[:: max(count // 3, 1)]:
        rows = first_rows((Ids.of([*ids, repeated]), np.array([0, count + 1])))
        assert rows.tolist() == [*range(count), ids.index(repeated)]


@given(st.lists(st.lists(texts, min_size=1, max_size=6), min_size=1, max_size=4))
def test_ids_descend_by_code_point_within_groups(groups):
    strings = [id_ for ids in groups for id_ in ids]
    group = np.repeat(np.arange(len(groups)), [len(ids) for ids in groups])
    order = Ids.of(strings).descending(group).tolist()
    expected = []
    for ids in groups:
        expected += sorted(ids, key=str.encode, reverse=True)
    assert [strings[row] for row in order] == expected


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=20),
    st.integers(0, 5),
)
def test_arrow_slices_match_plain_strings(strings, skipped):
    for type_ in (pyarrow.string(), pyarrow.large_string()):
        rest = strings[skipped:]
        of_slice = Ids.of_arrow(pyarrow.array(strings, type_)[skipped:])
        assert list(of_slice) == rest
        ids, offsets = column([rest])
        assert pairs((of_slice, offsets), (ids, offsets)) == plain_pairs([rest], [rest])


@given(st.lists(st.sampled_from(["a", "b", "ab", "ba", "é", "abcdefghi", "abcdefghj"])))
def test_changes_are_those_of_the_texts(texts: list[str]) -> None:
    before = [None, *texts[:-1]]
    expected = [row for row, text in enumerate(texts) if text != before[row]]
    contiguous = Ids.of_encoded([text.encode() for text in texts])
    assert Ids.of(texts).changes().tolist() == contiguous.changes().tolist() == expected


@settings(max_examples=10)
@given(st.lists(st.lists(texts, min_size=1, max_size=6), min_size=1, max_size=4), st.data())
def test_slices_of_several_columns_are_joined(lists, data):
    is_padded = data.draw(st.booleans())
    columns = []
    slices = []
    expected = []
    for strings in lists:
        ids = Ids.of(strings)
        columns.append(ids.padded() if is_padded else ids)
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(strings))] * 2)))
        slices.append(slice(start, stop))
        expected += strings[start:stop]
    assert list(Ids.of_slices(columns, slices)) == expected


@given(st.lists(texts, min_size=1, max_size=5), st.lists(st.integers(0, 4), max_size=20))
def test_ids_in_codes_equal_their_texts(categories, codes):
    codes = np.array([code % len(categories) for code in codes], dtype=np.int8)
    strings = [categories[code] for code in codes]
    ids = CodedIds(codes, Ids.of(categories))
    plain = Ids.of(strings)
    rows = np.arange(len(strings))[::-1]
    assert list(ids) == strings
    assert list(ids.take(rows)) == strings[::-1]
    assert ids.changes().tolist() == plain.changes().tolist()
    assert ids.first_flawed() == plain.first_flawed()
    assert [word.tolist() for word in ids._filled()] == [word.tolist() for word in plain._filled()]
    joined = Ids.concatenated([ids, CodedIds(codes, Ids.of(categories[::-1])), ids.take(rows)])
    mirrored = [categories[len(categories) - 1 - code] for code in codes]
    assert list(joined) == strings + mirrored + strings[::-1]
    assert list(Ids.concatenated([ids, plain])) == strings * 2
