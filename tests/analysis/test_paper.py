"""The table that papers print: its marks and caption, and each format reads back to its cells."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ir_measures_graded.analysis import compare, intervals
from ir_measures_graded.analysis.comparing.paper import HTML, LATEX
from ir_measures_graded.core.registry.notation import parse_measures
from ir_measures_graded.evaluation.evaluation import Evaluation

MEASURES = "nDCG@5 AP nDCG@10 nDCG(judged_only=True)@5 ESL"
NAMES = ("bm25_50%", "dense & sparse", "a<b>|*x*", "monoT5~\\x")


@pytest.fixture(scope="module")
def stored():
    """Values of four runs: 0 and 1 are alike, 2 is better and 3 worse by a clear margin."""
    noise = np.random.default_rng(5).normal(0, 0.02, (4, 5, 30))
    level = np.array([0.5, 0.5, 0.7, 0.3])[:, None, None]
    values = level + noise
    values[:, 4] = 10 * (1 - values[:, 4])  # ESL, of which smaller values are better
    values[1, 0] = values[0, 0]
    topics = tuple(f"q{number}" for number in range(30))
    measures = parse_measures(MEASURES.split())
    return Evaluation(NAMES, measures, topics, values)


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


def cells(comparison, places=4, **options):
    """The rows of the HTML table below the head, without the letter and the name of the run."""
    rows = Rows()
    rows.feed(comparison.to_html(places, **options))
    return [row[2:] for row in rows.rows[1:]]


def column_cells(line):
    """The cells of a line of a table in Markdown."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_marks_of_all_pairs_and_of_a_baseline(stored):
    means = [[f"{mean:.2f}" for mean in row] for row in stored.means().tolist()]
    first, second, best, worst = cells(compare(stored), places=2)
    assert best[4] == f"b:{means[2][4]}sup:abd"
    assert worst[4] == means[3][4]
    # The second place is underlined; of ESL, smaller values are better.
    second_place = min(means[0][4], means[1][4])
    for row, mean in ((first, means[0][4]), (second, means[1][4])):
        underlined = "u:" if mean == second_place else ""
        assert row[4] == f"{underlined}{mean}sup:d"
    assert first[0] == second[0] == f"u:{means[0][0]}sup:d"  # equal means share a place
    against = cells(compare(stored, baseline=NAMES[0]))
    marks = [re.sub(r"^(\w:)?[\d.]+", "", row[2]) for row in against]
    assert marks == ["", "", "sup:a", "sub:a"]


@pytest.mark.parametrize("baseline", [None, NAMES[2]])
def test_every_format_reads_back_to_the_same_cells(stored, baseline):
    comparison = compare(stored, baseline=baseline)
    expected = cells(comparison, comments=["compare --tests x"])
    html = Rows()
    html.feed(comparison.to_html())
    heads = ["nDCG@5 ↑", "AP ↑", "nDCG@10 ↑", "nDCG(judged_only=True)@5 ↑", "ESL ↓"]
    assert html.rows[0] == ["", "run", *heads]
    assert [row[1] for row in html.rows[1:]] == list(NAMES)

    lines = comparison.to_markdown().splitlines()
    table = [line for line in lines if line.startswith("|")]
    body = [column_cells(line) for line in table[2:6]]
    assert [re.sub(r"\\(.)", r"\1", row[1]) for row in body] == list(NAMES)
    markdown = Rows()
    for row in body:
        markdown.feed("<tr><td>" + "</td><td>".join(row[2:]) + "</td></tr>")
    assert markdown.rows == expected

    text = comparison.to_latex(comments=["a\nb"])
    assert text.startswith("% a b\n\\begin{table}")
    assert text.count("{") == text.count("}")
    for command, tag in zip(LATEX[:4], HTML[:4]):
        name = tag[1 : tag.index(">")]
        pattern = re.escape(command).replace("%s", r"([^{}]*)")
        text = re.sub(pattern, rf"{name}:\1", text)
    body = text[text.index("\\midrule") : text.index("\\bottomrule")].splitlines()[1:]
    assert all(line.endswith(r" \\") for line in body)
    latex = [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in body]
    joined = []
    for row in latex:  # the letters have a column of their own
        joined.append(
            [f"{value}{marks}" for value, marks in zip(row[2::2], row[3::2], strict=True)]
        )
    assert joined == expected
    assert latex[0][1] == r"bm25\_50\%"


def test_intervals_of_means_stand_behind_the_marks_and_are_those_of_evaluate(stored):
    comparison = compare(stored, confidence=0.9)
    expected = intervals(stored, 0.9)
    frame = comparison.means.set_index(["run", "measure"])
    latex = comparison.to_latex(3).splitlines()
    assert r"\begin{tabular}{ll" + r"r@{}l@{\ }r" * 5 + "}" in latex
    assert sum(r"\multicolumn{3}{c}" in line for line in latex) == 1
    body = latex[latex.index(r"\midrule") + 1 : latex.index(r"\bottomrule")]
    for line, row, run in zip(body, cells(comparison, 3), NAMES, strict=True):
        columns = re.split(r"(?<!\\) & ", line.removesuffix(r" \\"))[2:]
        for number, measure in enumerate(stored.measures):
            lower, upper = expected.of(run, measure)
            assert frame.loc[(run, str(measure)), ["lower", "upper"]].tolist() == [lower, upper]
            interval = f"[{lower:.3f}, {upper:.3f}]"
            assert row[number].endswith(f" {interval}")
            assert columns[3 * number + 2] == rf"{{\footnotesize {interval}}}"
    assert any(line.startswith("% The table is wide: -p 3 shortens") for line in latex)
    best = comparison.sorted_by("AP").to_latex(2)
    assert re.search(
        r"\\textbf\{0\.70\} & \\textsuperscript\{\w+\} & \{\\footnotesize \[0\.69", best
    )
    caption = comparison.papers()[0].caption
    assert "Brackets: 90 % intervals of means (Student's t), each for itself." in caption
    assert "90 % intervals" in " ".join(comparison.statistics())


def test_means_of_few_changes_say_so_and_those_without_an_interval_too(stored):
    measures = parse_measures(["RR", "ESL"])
    values = np.repeat(stored.values[:2, :1] * 0 + 1, 2, axis=1)
    values[:, 0, :3] = 0.5
    comparison = compare(Evaluation(NAMES[:2], measures, stored.topics, values), confidence=0.95)
    bounds = comparison.mean_bounds.bounds
    assert np.isnan(bounds[:, :, 1]).all()
    caption = comparison.papers()[0].caption
    assert "with two more topics at the ends of the range: RR of both runs." in caption
    assert "No interval for 2 means: nearly all topics have one value" in caption
    assert "wide" not in comparison.to_latex(2)
    line = next(line for line in comparison.to_latex(2).splitlines() if line.startswith("a & bm25"))
    assert line.endswith(r"]} & \textbf{1.00} &  &  \\")


def test_a_head_without_the_parameters_of_its_measure_has_a_dagger(stored):
    measures = parse_measures(["nDCG_JK(gains=0,1,10)@5", "AP"])
    comparison = compare(Evaluation(NAMES, measures, stored.topics, stored.values[:, :2]))
    markdown = comparison.to_markdown()
    assert "| nDCG_JK@5† ↑ | AP ↑ |" in markdown
    assert "nDCG_JK@5†: nDCG_JK(gains={2:10})@5." in markdown
    latex = comparison.to_latex()
    assert r" & \multicolumn{2}{c}{nDCG\_JK@5$^\dagger$ $\uparrow$} & \multicolumn" in latex
    assert r"\begin{tabular}{llr@{}lr@{}l}" in latex
    assert r"nDCG\_JK@5$^\dagger$: nDCG\_JK(gains=\{2:10\})@5." in latex


def test_the_caption_names_the_runs_that_are_not_told_from_the_best(stored):
    by_ndcg = compare(stored).papers()[0].caption
    best = "By nDCG@5, the best run (c) is significantly better than every other; "
    assert f"{best}the tests cannot tell a from b." in by_ndcg
    close = stored.part(stored.runs, stored.measures)
    close.values[2] = stored.values[0] + np.tile([0.03, -0.029], 15)
    table = compare(close).papers()[0]
    pairs = "By nDCG@5, the tests cannot tell the best run (c) from a and b; nor a from b."
    assert pairs in table.caption
    in_order = compare(close).sorted_by("nDCG@5").papers()[0]
    assert "the tests cannot tell the best run (a) from b and c; nor b from c." in in_order.caption
    assert list(in_order.letters) == [NAMES[number] for number in (2, 0, 1, 3)]
    for two in (compare(close, baseline=NAMES[0]), compare(close.part(NAMES[:2], close.measures))):
        assert "the best run" not in two.papers()[0].caption


def test_the_caption_claims_no_test_of_few_topics_and_one_best_run_of_several(stored):
    few = compare(Evaluation(NAMES, stored.measures, stored.topics[:9], stored.values[..., :9]))
    caption = few.papers()[0].caption
    assert "No difference was tested, as there are only 9 topics." in caption
    assert not re.search("paired|tested by|family was", " ".join(few.statistics()))
    assert not re.search("Paired|Holm|Letters|cannot tell", caption)
    equal = stored.part(stored.runs, stored.measures[:1])
    equal.values[:] = equal.values[:1]
    caption = compare(equal).papers()[0].caption
    assert "cannot tell one of the best runs (c) from" in caption


def test_of_many_runs_the_caption_counts_those_that_are_not_told_from_the_best(stored):
    runs = tuple(f"run{number:02d}" for number in range(30))
    values = np.repeat(stored.values[:1, :1], 30, axis=0) + np.arange(30)[:, None, None] / 1e4
    values += np.random.default_rng(3).normal(0, 0.1, values.shape)
    caption = compare(Evaluation(runs, stored.measures[:1], stored.topics, values)).papers()[0]
    assert re.search(r"cannot tell the best run \(\w+\) from \d\d others\.", caption.caption)


def test_the_caption_names_test_correction_level_and_topics(stored):
    caption = compare(stored, alpha=0.01).papers()[0].caption
    for fact in ("30 topics", "Paired t-tests", "Holm's correction for 6 differences", "p < .01"):
        assert fact in caption
    two = Evaluation(NAMES[:2], stored.measures[1:2], stored.topics, stored.values[:2, 1:2])
    of_two = compare(two)
    words = re.findall(r"\w+", of_two.papers()[0].caption)
    assert "Holm" not in words
    assert "underlined" not in words
    assert "<u>" not in of_two.to_html()
