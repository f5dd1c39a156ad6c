"""The table that papers print: its marks, its caption, and that each format reads back to the same cells."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ir_measures_graded.analysis import compare
from ir_measures_graded.analysis.comparing.paper import HTML, LATEX
from ir_measures_graded.core.registry.notation import parse_measures
from ir_measures_graded.evaluation.evaluation import Evaluation

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


def cells(found, places=4, **options):
    """The rows of the HTML table below the head, without the letter and the name of the run."""
    rows = Rows()
    rows.feed(found.to_html(places, **options))
    return [row[2:] for row in rows.rows[1:]]


def test_marks_of_all_pairs_and_of_a_baseline(stored):
    means = [[f"{mean:.2f}" for mean in row] for row in stored.means().tolist()]
    first, second, best, worst = cells(compare(stored), places=2)
    assert best[4] == f"b:{means[2][4]}sup:abd"
    assert worst[4] == means[3][4]
    alike = [
        ("u:" * (means[row][4] <= means[1 - row][4])) + f"{means[row][4]}sup:d" for row in (0, 1)
    ]
    assert [first[4], second[4]] == alike
    assert first[0] == second[0] == f"u:{means[0][0]}sup:d"  # equal means share a place
    against = cells(compare(stored, baseline=NAMES[0]))
    assert [re.sub(r"^(\w:)?[\d.]+", "", row[2]) for row in against] == ["", "", "sup:a", "sub:a"]


@pytest.mark.parametrize("baseline", [None, NAMES[2]])
def test_every_format_reads_back_to_the_same_cells(stored, baseline):
    found = compare(stored, baseline=baseline)
    expected, rows = cells(found, comments=["compare --tests x"]), Rows()
    rows.feed(found.to_html())
    heads = ["nDCG@5 ↑", "AP ↑", "nDCG@10 ↑", "nDCG(judged_only=True)@5 ↑", "ESL ↓"]
    assert rows.rows[0] == ["", "run", *heads]
    assert [row[1] for row in rows.rows[1:]] == list(NAMES)

    lines = found.to_markdown().splitlines()
    table = [line for line in lines if line.startswith("|")]
    body = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table[2:6]]
    assert [re.sub(r"\\(.)", r"\1", row[1].strip()) for row in body] == list(NAMES)
    tables = Rows()
    tables.feed(
        "".join(f"<tr><td>{'</td><td>'.join(map(str.strip, row[2:]))}</td></tr>" for row in body)
    )
    assert tables.rows == expected

    text = found.to_latex(comments=["a\nb"])
    assert text.startswith("% a b\n\\begin{table}")
    assert text.count("{") == text.count("}")
    body = text[text.index("\\midrule") : text.index("\\bottomrule")].splitlines()[1:]
    assert all(line.endswith(r" \\") for line in body)
    read = [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in body]
    for command, tag in zip(LATEX[:4], HTML[:4]):
        pattern = re.escape(command).replace("%s", r"([^{}]*)")
        read = [
            [re.sub(pattern, rf"{tag[1 : tag.index('>')]}:\1", cell) for cell in row]
            for row in read
        ]
    assert [row[2:] for row in read] == expected
    assert read[0][1] == r"bm25\_50\%"


def test_the_caption_names_test_correction_level_and_topics(stored):
    caption = compare(stored, alpha=0.01).papers()[0].caption
    facts = "30 topics", "Paired t-tests", "Holm's correction for 6 differences", "p < .01"
    assert [fact for fact in facts if fact not in caption] == []
    two = Evaluation(NAMES[:2], stored.measures[1:2], stored.topics, stored.values[:2, 1:2])
    assert not {"Holm", "underlined"} & {*re.findall(r"\w+", compare(two).papers()[0].caption)}
    assert "<u>" not in compare(two).to_html()
