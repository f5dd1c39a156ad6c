"""Text files of other tools: how each is recognised, next to the file that is most like it."""

import csv
import io
import re
import tracemalloc
from contextlib import nullcontext
from itertools import product

import pytest
from reading import in_pieces, qrels, refused, run, run_file

from ir_measures_graded import GradedError
from ir_measures_graded.files import forms, lines
from ir_measures_graded.files.content import SIZES, Peeked
from ir_measures_graded.files.text_files import plain_block

TWO = {"q1": {"d1": 9.2, "d3": 8.1}}


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("q1 d1 9.2\nq1 d3 8.1", TWO),  # Tevatron
        ("q1 d1 9e2\nq1 d3 800", {"q1": {"d1": 900, "d3": 800}}),
        ("q1 d1 1\nq1 d3 2\nq2 d3 1", {"q1": {"d1": -1, "d3": -2}, "q2": {"d3": -1}}),  # MS MARCO
        ("q1 d1 0\nq2 d3 0\nq1 d3 1", {"q1": {"d1": 0, "d3": -1}, "q2": {"d3": 0}}),  # PyTerrier
        (
            "q1 7 1 9.2\nq1 8 2 8.1\nq2 7 1 9.5",
            {"q1": {"7": 9.2, "8": 8.1}, "q2": {"7": 9.5}},
        ),  # ColBERT
        ("q1 Q0 d1 1 9.2 G-1 more text\nq1 Q0 d3 2 8.1 t", TWO),
        ("# a comment\nq1 Q0 d1 1 9.2 t\n# q1 Q0 d2 1 9.2 t\nq1 Q0 d3 2 8.1 t", TWO),
        ("<SYSDESC>my system of 2026</SYSDESC>\nq1 0 d1 1 9.2 G-1\nq1 0 d3 2 8.1 G-1", TWO),
        ("score Q0 doc 1 2.5 tag", {"score": {"doc": 2.5}}),  # is no header
        ("# a\n# b\nq1 d1 9.2\nq1 d3 8.1", TWO),
        ("\n  q1  Q0\t d1 1 9.2 tag \r\n\r\nq1 Q0 d3 2 81e-1 tag", TWO),
        ("q1 Q0 Järvelin\u00a0\u3000K 1 1 tag", {"q1": {"Järvelin\u00a0\u3000K": 1.0}}),
        ("BZh9 Q0 d1 1 9.5 tag\n", {"BZh9": {"d1": 9.5}}),  # bzip2 begins so
    ],
)
@pytest.mark.parametrize("block", [1, 1 << 20])
def test_runs_of_other_tools_are_read(content, expected, separator, block):
    assert run(content.replace(" ", separator), in_pieces(block)) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0001 g-01 L3\n0001 g-02 L0\n", {"0001": {"g-01": 3, "g-02": 0}}),  # NTCIR
        ("0001 0 g-01 L3\n0001 0 g-02 L0\n", {"0001": {"g-01": 3, "g-02": 0}}),
        ("q1 d1 -1\nq1 d2 0.5\n", {"q1": {"d1": -1, "d2": 0.5}}),
        ("# judged in 2026\nq1 0 d1 3\n#q1 0 d2 3\nq1 0 d3 1\n", {"q1": {"d1": 3, "d3": 1}}),
        ("q1 0 1 1\nq1 0 2 0\nq1 0 3 1\n", {"q1": {"1": 1, "2": 0, "3": 1}}),
        ("q 0 1 1\nq 0 2 1\nq 0 3 1", {"q": {"1": 1, "2": 1, "3": 1}}),
        ("q 1 7 1\nq 1 8 0", {"q": {"7": 1, "8": 0}}),
        ("1 1 7 1\n2 1 8 1", {"1": {"7": 1}, "2": {"8": 1}}),
        ("q a d1 1\nq b d2 0", {"q": {"d1": 1, "d2": 0}}),
        ("q \x1c0 10 0\nq 0 a 2\n", {"q": {"10": 0, "a": 2}}),
        (
            "2 qid:10 1:0.03 2:0.5 #docid = GX029 inc = 1\n"
            "3 qid:q1 1:0.5 # docno=d1\n"
            "3 qid:12 # d1 text\n",
            {"10": {"GX029": 2}, "q1": {"d1": 3}, "12": {"d1": 3}},
        ),
        ("\n\r\nquery_id,doc_id,rating\n7,d1,2\n", {"7": {"d1": 2}}),
        ("# by me\n#\nquery_id,doc_id,rating\n#7,d1,2\n", {"#7": {"d1": 2}}),
        (
            "query_id,Query Text,Doc ID,Rating,Title\n7,x,d1,2,t\n7,x,d2,1,t\n",
            {"7": {"d1": 2, "d2": 1}},
        ),
    ],
)
def test_qrels_of_other_tools_are_read(content, expected):
    assert qrels(content) == expected


def test_rows_of_quepid_without_a_rating_are_unjudged():
    with pytest.warns(match="the open file: 1 rows have no rating; their documents are unjudged"):
        levels = qrels('query,docid,rating\n"text, q1",d1,3\n" -x",d1,\n"text, q1",d2,0\n')
    assert levels == {"text, q1": {"d1": 3, "d2": 0}}


FORMS_OF_LINES = {
    "TREC run": (run, "q{} Q0 d{} 2 8 A"),
    "strict TREC run": (run, "q{}  Q0 d{} 2 8 A"),
    "TREC qrels": (qrels, "q{} 0 d{} 1"),
    "three fields": (qrels, "q{} d{} 1"),
    "scores": (run, "q{} d{} 8.5"),
    "ColBERT": (run, "q{} d{} 1 8.5"),
    "CSV": (run, "{},d{},1"),
    "TSV": (run, "{}\td{}\t1"),
    "quoted CSV": (run, '{},"d{}",1'),
    "comment": (run, "# q{} Q0 d{} 1 8 A"),
}
HEADERS = {
    "CSV": "qid,docno,score\n",
    "quoted CSV": "qid,docno,score\n",
    "TSV": "qid\tdocno\tscore\n",
}


@pytest.mark.parametrize("form", FORMS_OF_LINES)
@pytest.mark.parametrize("small", [False, True], ids=["pyarrow", "NumPy"])
@pytest.mark.parametrize("sign", ["", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"], ids=ascii)
def test_two_rows_in_one_line_are_refused_with_the_line(without_arrow, form, sign, small):
    """As `cat` joins files that do not end in a line break, or as another program breaks lines."""
    read, row = FORMS_OF_LINES[form]
    if form == "comment" and not sign:
        pytest.skip("a comment may hold anything")
    first_row = row.format(0, 0)
    if form == "comment":
        first_row = "q0 Q0 d0 1 9 A"
    before = HEADERS.get(form, "") + first_row + "\n"
    text = before + row.format(1, 1) + sign + row.format(2, 2) + "\n"
    number = text.count("\n", 0, text.index("d2")) + 1
    library = without_arrow() if small else nullcontext()
    with library:
        message = refused(read, text)
    assert f"the open file:{number}: " in message
    assert "line" in message or "fields" in message


@pytest.mark.parametrize("form", [form for form in FORMS_OF_LINES if form != "comment"])
@pytest.mark.parametrize("small", [False, True], ids=["pyarrow", "NumPy"])
def test_last_row_that_is_cut_off_after_a_separator_is_refused(without_arrow, form, small):
    read, row = FORMS_OF_LINES[form]
    text = HEADERS.get(form, "") + row.format(1, 1) + "\n" + row.format(1, 2)
    last_line = text.count("\n") + 1
    library = without_arrow() if small else nullcontext()
    with library:
        message = refused(read, re.sub(r"[^ ,\t]+$", "", text))
    assert f"the open file:{last_line}: " in message


@pytest.mark.parametrize(
    "further",
    ["A B", "A q2 1.5 8", "A 1 x 2.5", "A q2 Q0 d3", "A 2026-11-23 12:00", "A 0.1 0.2 0.3 0.4"],
)
def test_further_fields_that_are_no_row_are_allowed(further):
    assert run(f"q1 Q0 d1 1 8 {further}\n") == {"q1": {"d1": 8}}


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("q{t} d{r} {r}\n", "q7 d 5\n"),
        ("q{t} {r} {r} 1.5\n", "q7 9 5 1\n"),
        ("q{t} {r} {r} 1.5\n", "q7 9 3 1.75\n"),
    ],
)
def test_later_row_that_breaks_the_order_is_refused(lines, wrong):
    sizes = in_pieces(100, start=100)
    good = ""
    for topic in range(9):
        good += lines.format(t=topic, r=1) + lines.format(t=topic, r=2)
    assert len(run(good, sizes)) == 9
    with pytest.raises(GradedError, match="the open file:19: topic 'q7': the rows of a topic must"):
        run(good + wrong, sizes)


# Quoted fields, blanks and decimal commas of tables

CELLS = ["d1", "a, b", 'say "a"', "two\nlines", "x\r\ny", " blank ", "semi;colon", "tab\there", "ü"]


@pytest.mark.parametrize(("block", "small"), [(7, 0), (1 << 20, 0), (1 << 20, 1 << 19)])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL], ids=["some", "all"])
@pytest.mark.parametrize(("delimiter", "end"), [(",", "\n"), (";", "\r\n"), ("\t", "\n")])
def test_quoted_fields_are_those_of_rfc_4180(without_arrow, delimiter, end, quoting, block, small):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(["query text", "query_id", "doc_id", "score"])
    expected = {}
    for number, (query, topic) in enumerate(product(CELLS, CELLS)):
        document = f"{number} {CELLS[number % len(CELLS) - number % 2]}"
        writer.writerow([query, topic, document, number / 4])
        if quoting == csv.QUOTE_MINIMAL:  # does not quote " blank "
            topic = topic.strip()
            document = document.strip()
        expected.setdefault(topic, {})[document] = number / 4
    sizes = SIZES._replace(block=block, piece=max(block, 64), small=small)
    library = without_arrow() if small else nullcontext()
    with library:
        assert run(text.getvalue(), sizes) == expected


def quoting_by_quotes(block, delimiter):
    """The quoting of a block, from one quote after the other."""
    text = f"\n{block}\n"
    is_open = False
    for place in range(1, len(text) - 1):
        if text[place] == '"':
            is_open = not is_open
            neighbour = text[place - 1] if is_open else text[place + 1]
            if neighbour not in ("\r", "\n", '"', delimiter):
                return lines.Quoting.OTHER
    return lines.Quoting.OPEN if is_open else lines.Quoting.CLOSED


@pytest.mark.parametrize("before", ["", "a" * 61, '"' + "a" * 61, 'a,"b"\n' * 10 + '"'])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_quoting_of_each_short_text_is_found_across_words(monkeypatch, delimiter, before):
    monkeypatch.setattr(lines, "CACHED", lines.WORD)
    for length in range(5):
        for signs in product('a",\n\r;', repeat=length):
            block = before + "".join(signs)
            quoting = lines.quoting_of(block.encode(), delimiter)
            assert quoting is quoting_by_quotes(block, delimiter), block


@pytest.mark.parametrize("cached", [1, 2, 3])
def test_carriage_return_without_line_feed_is_found_across_pieces(monkeypatch, cached):
    monkeypatch.setattr(forms, "CACHED", cached)
    for length in range(1, 7):
        for signs in product(b"a\r\n", repeat=length):
            block = bytes(signs)
            has_lone_return = block.count(b"\r") != block.count(b"\r\n")
            assert forms.has_breaks(block) is has_lone_return, block


def test_large_block_is_scanned_in_little_memory_besides_one_copy():
    """A field of many megabytes makes a block of them."""
    table = forms.TREC[forms.RUN]._replace(delimiter=",")
    block = b'q1,Q0,d1,1,2,"' + b"text\r\n" * 1_000_000 + b'"\r\n'
    peaks = []
    for scan in (lambda: plain_block(block, table), lambda: lines.quoting_of(block, ",")):
        tracemalloc.start()
        scan()
        peaks.append(tracemalloc.get_traced_memory()[1] / len(block))
        tracemalloc.stop()
    assert peaks[0] < 0.25
    assert peaks[1] < 1.25


def test_blocks_of_a_table_are_pieces_of_the_file_after_its_header(monkeypatch):
    """`Peeked` copies any other parts of the file."""
    text = "query_id,doc_id,score\n" + "".join(f"q,d{row:02},1\n" for row in range(40))
    read = Peeked.read
    counts = []

    def counted(stream, *size):
        part = read(stream, *size)
        counts.append(len(part))
        return part

    monkeypatch.setattr(Peeked, "read", counted)
    assert len(list(run_file(text, in_pieces(64, start=64)))) == 40
    assert counts[:6] == [64, 22, 42, 64, 64, 64]  # the start, the header and four blocks


@pytest.mark.parametrize("small", [0, 1 << 19])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'query_id, doc_id, score\nq1, d 1, 1.5\n q1 , "d,2" , 2 \n',
            {"q1": {"d 1": 1.5, "d,2": 2}},
        ),
        ('query_id,doc_id,score\n"q1"," d1 ",1\n', {"q1": {" d1 ": 1}}),
        ('query_id;doc_id;score\nq1;d1;1,5\nq1;d2;"-,25"\n', {"q1": {"d1": 1.5, "d2": -0.25}}),
        ("query_id;doc_id;score\nq1;d1;1.5\nq1;d2;2\n", {"q1": {"d1": 1.5, "d2": 2}}),
        ("query_id;doc_id;score\n;;\nq1;d1;1,5\n;;\n;;\n", {"q1": {"d1": 1.5}}),  # a spreadsheet
        ('"query\ntext",qid,docid,score\n"a\n5"" b",q1,d1,1\n', {"q1": {"d1": 1}}),
        ('note,qid,docid,score\n5" disk,q1,d1,1\n3" disk,q1,d2,2\n', {"q1": {"d1": 1, "d2": 2}}),
    ],
)
def test_blanks_decimal_commas_and_quotes_in_tables(text, expected, small):
    assert run(text, SIZES._replace(small=small)) == expected


@pytest.mark.parametrize("small", [0, 1 << 19])
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "query_id;doc_id;score\nq1;d1;1,5\nq1;d2;1.234\n",
            ":3: the score '1.234' has a decimal point, and",
        ),
        (
            "query_id;doc_id;score\nq1;d1;1.5\n" + "q1;d;1\n" * 5000 + "q1;d2;1,5\n",
            ":2: the score '1.5' has a decimal point, and other rows have decimal commas",
        ),
        (
            'query_id,doc_id,score\nq1,d1,"1,5"\n',
            "has a decimal comma; they are read if ; separates",
        ),
        ('note,qid,docid,score\n"a\nb",q1,d1,1\nx,q1,d2,?\n', ":4: the score '?' is not a number"),
        (
            'note,qid,docid,score\n"a\nb",q1,d1,1\n"\n\n",q1,d1,2\n',
            ":4: topic 'q1' retrieves document 'd1' twice",
        ),
    ],
)
def test_rows_of_tables_are_refused_with_their_first_line(text, fact, small):
    assert fact in refused(lambda: list(run_file(text, SIZES._replace(small=small))))


def test_all_rows_at_the_start_of_a_table_tell_decimal_commas():
    whole = "".join(f"q1;d{number};1\n" for number in range(6000))
    text = f"query_id;doc_id;score\n{whole}q1;x;0,5\n"
    assert run(text)["q1"]["x"] == 0.5
    message = refused(run, text, in_pieces(1 << 20, start=1000))
    assert ":6002: the score '0,5' has a decimal comma" in message


@pytest.mark.parametrize("sign", [",", "\t", ";"])
def test_a_header_whose_quote_does_not_end_is_told_as_such(sign):
    for name in ('"note', '5" disk'):
        text = sign.join(["query_id", "doc_id", "score", name]) + "\n" + sign.join("abc1") + "\n"
        message = f"the quoted name of a column does not end (a quote in it is doubled): '{name}'"
        assert refused(run_file(text.encode()).rows) == f"the open file:1: {message}"


@pytest.mark.parametrize("name", ["x" * 140_000, f'"{"x" * 140_000}"'])
def test_a_name_of_a_column_that_is_too_long_is_told_as_such(name):
    text = f"query_id,doc_id,score,{name}\nq1,d1,1,2\n"
    told = refused(run_file(text.encode()).rows)
    assert told.startswith(
        "the open file:1: the name of a column has more than 131,072 characters: "
    )
    assert len(told) < 300
