"""JSON text: values that are parsed together are those that are parsed one by one."""

import gc
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import refused

from ir_measures_graded import RunFile
from ir_measures_graded.errors import FileError
from ir_measures_graded.files import json_text
from ir_measures_graded.files.collector import waiting_collector
from ir_measures_graded.files.json_text import Text

OBJECTS = [
    '{"a":1}',
    '{"a":1,"b":":"}',
    '{"a":1,"a":2}',
    '{"\\u0061":1,"a":2}',
    '{"a":{"b":[1,{"c":2}]}}',
    '{"a":{"b":1,"b":2}}',
    '{"a":"}{"}',
    '{"a":"}\\n{"}',
    '{"a":"\\"}{"}',
    '{"a"\n:1}',
    "{}",
]
NESTED = ['{"a":{"b":[1,{"c":2}]}}', '{"a":[{"b":1},{"b":2}]}']
OTHERS = ["[", "]", "{", "}", ",", ":", '"', "\\", "null", '{"a":"x', '] "}', '"b":2}', "\n", " "]
BLANKS = ["", " ", "\n", "\r\n", "\n\n"]
VALUES = ["1", "{}", '{"x":1}', '{"x":1,"x":2}', '[{"y":":"}]', '"\\"', "nul"]
KEYS = ["k", "k2", "é", r"\u006b", ":", r"\""]


class TextOfFile:
    """The content of a file with this text."""

    name = "f"

    def __init__(self, text):
        self._text = text

    def text(self):
        return self._text

    def is_limited(self, kind=""):
        return False


def parsed(text, way, together):
    """The values or members in a text, each with its line, and the error that ends them."""
    json_values = Text(TextOfFile(text))
    json_values._is_dense = together
    seen = []
    try:
        json_values.sign()
        for value in getattr(json_values, way)():
            seen.append((json_values.line, repr(value)))
        json_values.end()
    except FileError as error:
        seen.append(str(error))
    return seen


texts_of_objects = st.builds(
    lambda blanks, objects: blanks.join(objects),
    st.sampled_from(BLANKS),
    st.sampled_from(OBJECTS[:1] + NESTED).flatmap(
        lambda usual: st.lists(st.sampled_from([usual] * 20 + OBJECTS), min_size=1, max_size=20)
    ),
)
texts_of_members = st.builds(
    lambda comma, members: "{" + comma.join(f'"{key}":{value}' for key, value in members) + "}",
    st.sampled_from([",", ",\n", " , "]),
    st.lists(
        st.tuples(
            st.sampled_from([f"k{number}" for number in range(3, 60)] + KEYS),
            st.sampled_from(VALUES[:3] * 10 + VALUES),
        ),
        min_size=1,
        max_size=15,
    ),
)
changes = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from(OTHERS + OBJECTS), st.integers(0, 2)), max_size=2
)


@pytest.mark.generated
@given(st.data(), st.sampled_from(["_values", "members"]), changes, st.sampled_from([15, 40, 200]))
@settings(deadline=None)
def test_values_parsed_together_are_those_parsed_one_by_one(data, way, changes, cached):
    texts = texts_of_objects if way == "_values" else texts_of_members
    text = data.draw(texts)
    for place, inserted, left_out in changes:
        text = text[:place] + inserted + text[place + left_out :]
    if way == "members" and not text.startswith("{"):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "CACHED", cached)
        assert parsed(text, way, True) == parsed(text, way, False)


ROWS = [{"qid": f"q{row}", "docid": "d:1", "score": row} for row in range(1_000)]
ANSWERS = [{"hits": {"hits": [{"_id": "d1", "_score": 1.0}]}}] * 1_000
MANY = {
    "lines": "\n".join(map(json.dumps, ROWS)),
    "joined": "".join(map(json.dumps, ROWS)),
    "array": json.dumps(ROWS),
    "nested lines": "\n".join(json.dumps({"qid": "q", "results": [row]}) for row in ROWS),
    "members": json.dumps({row["qid"]: {row["docid"]: row["score"]} for row in ROWS}),
    "lists": json.dumps({row["qid"]: [row["docid"]] for row in ROWS}),
    "msearch": json.dumps({"ids": list(range(1_000)), "responses": ANSWERS}),
}


@pytest.mark.parametrize("form", MANY)
def test_many_objects_are_parsed_once_and_together(form, monkeypatch, tmp_path):
    scanned = json_text.scanned
    parsed_characters = []

    def counted(text, begin):
        value, end = scanned(text, begin)
        parsed_characters.append(end - begin)
        return value, end

    monkeypatch.setattr(json_text, "scanned", counted)
    path = tmp_path / "run.json"
    path.write_text(MANY[form])
    assert RunFile(path).rows().values.size == 1_000
    assert len(parsed_characters) < 20
    assert len(MANY[form]) * 0.9 < sum(parsed_characters) < len(MANY[form]) * 1.2


@pytest.mark.generated
@given(texts_of_objects, changes)
@settings(deadline=None)
def test_lines_parsed_together_are_those_decoded_one_by_one(text, line_changes):
    for place, inserted, left_out in line_changes:
        text = text[:place] + inserted + text[place + left_out :]
    values = json_text.objects_in_lines(text)
    if values:
        lines = [line for line in text.splitlines() if line.strip()]
        assert values == [json_text.DECODER.decode(line) for line in lines]


def test_a_key_that_occurs_twice_in_the_middle_of_many_lines_is_told():
    lines = ['{"a":1}'] * 1_000
    lines[700] = '{"a":1,"b":2,"a":3}'
    text = Text(TextOfFile("\n".join(lines)))
    message = refused(list, text.objects())
    assert message == "f:701: cannot be read as JSON: the key 'a' occurs twice in an object"


def test_the_collector_waits_until_the_last_block_ends():
    assert gc.isenabled()
    with waiting_collector():
        with waiting_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
