"""The table that papers print: its marks, its caption, and that each format reads back to the same cells."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ir_measures_graded.analysis import compare_values
from ir_measures_graded.analysis.paper import HTML, LATEX, Cell
from ir_measures_graded.evaluation.evaluate import Evaluation
from ir_measures_graded.registry.notation import parse_measures

MEASURES = "nDCG@5 AP nDCG@10 nDCG(judged_only=True)@5 ESL"
NAMES = ("bm25_50%", "dense & sparse", "a<b>|*x*", "monoT5~\\x")


@pytest.fixture(scope="module")
def stored():
    """Values with a bystander: the runs 0 and 1 are alike, 2 is better and 3 worse by a clear margin."""
    noise = np.random.default_rng(5).normal(0, 0.02, (4, 5, 30))
    level = np.array([0.5, 0.5, 0.7, 0.3])[:, None, None]
    values = level + noise
    values[:, 4] = 10 * (1 - values[:, 4])  # ESL, of which smaller values are better
    values[1, 0] = values[0, 0]
    topics = tuple(f"q{number}" for number in range(30))
    return Evaluation(NAMES, parse_measures(MEASURES.split()), topics, values)


def test_marks_of_all_pairs_and_of_a_baseline(stored):
    means = [[f"{mean:.2f}" for mean in row] for row in stored.means().tolist()]
    found = compare_values(stored).paper.cells(places=2)
    assert [[cell.text for cell in row] for row in found] == means
    assert [row[4] for row in found] == [
        Cell(means[0][4], False, means[0][4] <= means[1][4], ("d",)),
        Cell(means[1][4], False, means[1][4] <= means[0][4], ("d",)),
        Cell(means[2][4], True, False, ("a", "b", "d")),
        Cell(means[3][4], False, False),
    ]
    assert found[0][0] == found[1][0] == Cell(means[0][0], False, True, ("d",))  # equal means share a place
    against = compare_values(stored, baseline=NAMES[0]).paper.cells()
    marks = [(row[1].better, row[1].worse) for row in against]
    assert marks == [((), ()), ((), ()), (("a",), ()), ((), ("a",))]


class Rows(HTMLParser):
    """The text and the marks of each cell of an HTML table."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag in ("sup", "sub", "b", "u"):
            self.rows[-1][-1] += f"{tag}:"

    def handle_data(self, data):
        if self.rows:
            self.rows[-1][-1] += data.strip("\n")


def shown(cell):
    text = f"b:{cell.text}" if cell.best else f"u:{cell.text}" if cell.second else cell.text
    marks = {"sup": "".join(cell.better), "sub": "".join(cell.worse)}
    return text + "".join(f"{tag}:{names}" for tag, names in marks.items() if names)


def expected(found):
    """The cells in the order of the printed columns, in which equal measures stand together."""
    return [[shown(row[number]) for number in (0, 2, 1, 3, 4)] for row in found.paper.cells()]


@pytest.mark.parametrize("baseline", [None, NAMES[2]])
def test_every_format_reads_back_to_the_same_cells(stored, baseline):
    found = compare_values(stored, baseline=baseline)
    rows = Rows()
    rows.feed(found.to_html(comments=["compare --tests x"]))
    heads = ["nDCG (1)@5 ↑", "nDCG (1)@10 ↑", "AP ↑", "nDCG (2)@5 ↑", "ESL ↓"]
    assert rows.rows[0] == ["", "run", *heads]
    assert [row[1] for row in rows.rows[1:]] == list(NAMES)
    assert [row[2:] for row in rows.rows[1:]] == expected(found)

    lines = found.to_markdown().splitlines()
    body = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[2:6]]
    assert [re.sub(r"\\(.)", r"\1", row[1].strip()) for row in body] == list(NAMES)
    tables = Rows()
    cells = ("".join(f"<td>{cell.strip()}</td>" for cell in row[2:]) for row in body)
    tables.feed("".join(f"<tr>{row}</tr>" for row in cells))
    assert tables.rows == expected(found)

    text = found.to_latex(comments=["a\nb"])
    assert text.startswith("% a b\n\\begin{table}")
    assert text.count("{") == text.count("}")
    body = text[text.index("\\midrule") : text.index("\\bottomrule")].splitlines()[1:]
    assert all(line.endswith(r" \\") for line in body)
    read = [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in body]
    for command, tag in zip(LATEX, HTML):
        pattern = re.escape(command).replace("%s", r"([^{}]*)")
        read = [[re.sub(pattern, rf"{tag[1 : tag.index('>')]}:\1", cell) for cell in row] for row in read]
    assert [row[2:] for row in read] == expected(found)
    assert read[0][1] == r"bm25\_50\%"


def test_the_caption_names_test_correction_level_and_topics(stored):
    caption = compare_values(stored, alpha=0.01).paper.caption
    facts = "30 topics", "Paired t-tests", "Holm's correction for 6 differences", "0.01", "judged_only"
    assert [fact for fact in facts if fact not in caption] == []
    two = Evaluation(NAMES[:2], stored.measures[1:2], stored.topics, stored.values[:2, 1:2])
    assert "Holm" not in compare_values(two).paper.caption
