"""Tables as text: any name stays in its cell and is read back as it was."""

import csv
import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_graded.errors import InputWarning
from ir_measures_graded.output import formats
from ir_measures_graded.output.formats import short
from ir_measures_graded.output.tables import Table
from ir_measures_graded.output.width import of_width

MARKS = [*"_`\\|!\n\t", *"*a* __b__ a_b [x](y) <b> ~~ $1$ &lt; &#36;".split()]
pieces = st.sampled_from(MARKS) | st.text("aéß検 .-:#>(){}@", min_size=1, max_size=3)
names = st.lists(pieces, max_size=6).map("".join)


def in_one_line(name):
    return re.sub("[\n\t]", " ", name).strip()


@given(names, names)
def test_markdown_shows_names_as_they_are(name, column):
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it is not installed")
    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    lines = formats.markdown(["run", column], [[name, 0.25]])
    page = parser.render("\n".join(lines))
    cells = [html.unescape(cell) for cell in re.findall("<t[dh][^>]*>(.*)</t[dh]>", page)]
    assert cells == ["run", in_one_line(column), in_one_line(name), "0.2500"]


@given(st.lists(st.lists(names, min_size=2, max_size=2), min_size=1, max_size=3))
def test_programs_read_every_cell(rows):
    table = list(csv.reader(formats.comma_separated(["a", "b"], rows)))
    assert table == [["a", "b"], *rows]
    tabbed = csv.reader([f"{line}\n" for line in formats.tsv(["a", "b"], rows)], delimiter="\t")
    assert list(tabbed) == table


VALUES = st.one_of(
    names,
    st.floats(),
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(0, 1).map(formats.Percent),
)


@given(st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=4))
@pytest.mark.filterwarnings("ignore:blanks stand")
def test_a_cell_does_not_depend_on_the_other_rows(rows):
    """Values of one type are formatted together, and the others one by one."""
    for form in ("tsv", "csv", "jsonl"):
        for places in (-1, 0, 4):
            table = list(formats.FORMATS[form](["a", "b", "c"], rows, places))
            alone = [list(formats.FORMATS[form](["a", "b", "c"], [row], places)) for row in rows]
            assert table[-len(rows) :] == [lines[-1] for lines in alone], form


def test_a_table_is_padded_and_folded_by_column():
    rows = [["検索", -0.5, 12345], ["a longer name of a run", 0.25, None], ["−1", float("nan"), -7]]
    assert list(formats.text(["run", "AP", "n"], rows, 2)) == [
        "run                        AP       n",
        "検索                    −0.50  12,345",
        "a longer name of a run   0.25",
        "−1                        nan      −7",
    ]
    with of_width(26):
        assert list(formats.text(["run", "AP", "n"], rows, 2)) == [
            "run             AP       n",
            "検索         −0.50  12,345",
            "a longer      0.25",
            "name of a",
            "run",
            "−1             nan      −7",
        ]


def test_tsv_tells_of_control_characters_that_could_act_on_a_terminal():
    with pytest.warns(InputWarning, match="blanks stand for control characters of names in tsv"):
        lines = list(formats.tsv(["a", "b"], [["\x1b[31m\r", 0.5], ['"q"', 'a"']]))
    assert lines == ["a\tb", '" [31m "\t0.5000', '"""q"""\ta"']


@pytest.mark.parametrize(
    ("text", "in_latex"),
    [
        ("O'Neil's 'x' and \"y\"", "O'Neil's `x' and ``y''"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg=`exp-log2')@10"),
        ("§2 · 10² µ", r"\S{}2 $\cdot$ 10$^2$ $\mu$"),
        ("Järvelin, Zobel & Løvås – naïve", r"J\"{a}rvelin, Zobel \& L\o{}v\aa{}s -- na\"{\i}ve"),
        ("--passages `#`", r"-{}-passages \`{}\#\`{}"),
        ("n_{} ≥ x^{}", r"n\_\{\} $\ge$ x\textasciicircum{}\{\}"),
        ("検索", "検索"),
    ],
)
def test_pdflatex_prints_signs_without_packages(text, in_latex):
    assert formats.latex_prose(text) == in_latex
    assert formats.escaped_latex(text) == in_latex


def test_a_difference_of_zero_has_no_sign():
    table = Table(["run", "difference"], [["a", -0.0], ["b", -0.25]])
    assert list(table.lines("text", 2))[1:] == ["a          0.00", "b         −0.25"]
    assert list(table.lines("csv", 2))[1:] == ["a,-0.00", "b,-0.25"]
    assert short(-0.0, "+.2f") == "+.00"


def test_a_table_that_may_be_too_wide_is_formatted_once(monkeypatch):
    calls = []
    for_people = formats._for_people
    monkeypatch.setattr(formats, "_for_people", lambda *args: calls.append(1) or for_people(*args))
    table = Table(["run", "AP"], [["bm25", 0.25]], narrower=Table(["AP"], [[0.25]]))
    assert list(table.lines("text", 2)) == ["run     AP", "bm25  0.25"]
    assert len(calls) == 1


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0]) | st.floats(0, 1), min_size=1))
def test_shares_in_a_column_are_written_as_each_alone(shares):
    percentages = list(map(formats.Percent, shares))
    texts = formats._cells(percentages, 4, is_for_people=True)
    assert texts == [f"{share}".removeprefix("-") for share in percentages]
