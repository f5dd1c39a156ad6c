"""Figures: saving to a file, shared style, distinguishable lines."""

import os
import re
import threading
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from texts import problems

from ir_measures_graded import demo
from ir_measures_graded.analysis import curves, evaluate, levels, sensitivity
from ir_measures_graded.output import figures
from ir_measures_graded.output.figures import fonts, sheet, style
from ir_measures_graded.output.figures.groups import groups_of
from rounds import thorough

HEADS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@pytest.fixture
def figure():
    return drawing()


@figures.styled
def drawing():
    figure = figures.new_figure(5, 3)
    axes = figure.add_subplot()
    axes.plot([1, 2], [3, 4], label="nDCG_JK(gains={2:10})@10", **figures.line_style(0))
    axes.set_xlabel("Rank")
    figures.legend_outside(axes)
    return figure


def test_every_name_of_the_package_has_its_module():
    assert set(figures._MODULE_OF) == set(figures.__all__)
    assert all(hasattr(figures, name) for name in figures.__all__)
    assert not hasattr(figures, "Pie")


@pytest.mark.parametrize("name", ["a.PNG", "a.svg"])
def test_file_ending_selects_the_format_and_equal_figures_give_equal_files(figure, tmp_path, name):
    path = tmp_path / name
    figures.save(figure, path)
    ending = path.suffix[1:].lower()
    content = path.read_bytes()
    assert content.startswith(HEADS[ending])
    path.write_bytes(b"another file, which is replaced")
    figures.save(drawing(), str(path))
    assert path.read_bytes() == content
    assert re.search(rb"CreationDate|<dc:date>", content) is None  # would be equal within a second
    assert os.listdir(tmp_path) == [name]


def test_matplotlib_settings_stay_unchanged(figure, tmp_path):
    import matplotlib

    with matplotlib.rc_context({"font.size": 31, "axes.titlesize": 40}):
        before = dict(matplotlib.rcParams)
        again = drawing()
        figures.save(again, tmp_path / "a.png")
        assert dict(matplotlib.rcParams) == before
    for drawn_figure in (figure, again):
        assert drawn_figure.axes[0].xaxis.label.get_fontsize() == 8


def test_figures_made_in_threads_leave_the_settings_unchanged(figure):
    import matplotlib

    before = dict(matplotlib.rcParams)
    entered = [threading.Event(), threading.Event()]

    @figures.styled
    def draw(number):
        entered[number].set()
        # The other thread must not enter before this one leaves.
        entered[1 - number].wait(timeout=0.3)

    threads = [threading.Thread(target=draw, args=[number]) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_any_name_can_be_drawn(form):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    names = ["a\x01b", "c\ufeffd", "e\udcfff", "g\uffffh", "$x^2$", "y"]
    panels = [figures.Forest(names, np.ones(6), heading=name) for name in names]
    figure = figures.picture(panels, title=names[0])
    figures.styled(style.legend_outside)(figure.axes[0])
    content = figures.rendered(figure, form)
    if form == "svg":
        text = "".join(ElementTree.fromstring(content).itertext())
        for name in ("a�b", "c�d", "e�f", "g�h", "$x^2$"):
            assert text.count(name) >= 7  # the names of six panels and a heading


def test_a_name_with_a_line_break_or_letters_of_other_fonts_is_measured_without_a_warning():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        widths = [style.text_width(name) for name in ("a", "a\nb", "a\t検")]
    assert 0 < widths[0] < widths[1] < widths[2]


def test_heads_of_tiles_stand_side_by_side():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    heads = ("W" * 66, "a-run-of-two-words")
    tiles = figures.Tiles(["d"], np.array([1.0]), np.array([2.0]), heads=heads)
    assert problems(figures.picture([tiles, tiles])) == []


def titled(text):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    figure = figures.new_figure()
    figure.add_subplot().set_title(text)
    return figure


def test_one_warning_names_a_font_for_characters_that_no_installed_one_has(tmp_path, monkeypatch):
    monkeypatch.setattr(fonts, "_installed", dict)
    figure = titled("検索 κ")
    figures.save(figure, tmp_path / "a.svg")
    text = "characters 検 and 索, which are boxes in the figure: install Noto Sans CJK, or write"
    with pytest.warns(UserWarning, match=text) as issued:
        figures.save(figure, tmp_path / "a.png")
    assert len(issued) == 1


def test_texts_use_the_installed_fonts_with_most_of_their_characters(monkeypatch):
    class Font:
        def __init__(self, letters):
            self.codes = set(map(ord, letters))

        def get_char_index(self, code):
            return int(code in self.codes)

    installed = {"A": Font("検"), "B": Font("検索"), "C": Font("श"), "D": Font("")}
    monkeypatch.setattr(fonts, "_installed", lambda: installed)
    assert fonts.families_with("検索शé") == (["B", "C"], {"é"})
    text = titled("検").axes[0].title
    fonts.use_installed_fonts([text])
    assert text.get_fontfamily() == ["DejaVu Sans", "A"]


@pytest.mark.parametrize("seed", range(5))
def test_two_runs_share_a_group_if_and_only_if_they_are_alike(seed):
    generator = np.random.default_rng(seed)
    alike = np.triu(generator.random((12, 12)) < 0.2 * (seed + 1), 1)
    alike |= alike.T | np.eye(12, dtype=bool)
    share = np.eye(12, dtype=bool)
    for group in groups_of(alike):
        assert np.array_equal(group, np.unique(group))
        share[np.ix_(group, group)] = True
    assert np.array_equal(share, alike)


def test_texts_that_are_cut_or_overlap_are_found():
    figure = figures.new_figure(3, 2, layout="none")
    for x, text in ((0.1, "first"), (0.12, "second"), (0.99, "outside")):
        figure.text(x, 0.5, text)
    figure.text(0.1, 0.1, "small", size=6)
    assert sorted(problems(figure)) == [
        "'first' overlaps 'second'",
        "'outside' is cut",
        "'small' has 6.0 pt",
    ]


def names_of(count, length):
    return [f"{number:03}{'m' * length}"[:length] for number in range(count)]


def drawings_of(count, length):
    """Every drawing with so many runs, whose names have so many characters."""
    generator = np.random.default_rng(0)
    names = names_of(count, length)
    values = generator.random(count)
    p = generator.random((count, count))
    heading = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100,4:1000)@100"

    bars = np.stack([values - 0.1, values + 0.1])
    texts = ["10/0/3"] * count
    with_names = figures.Forest(
        names, values, [bars], "mean", heading, 0.0, texts=texts, texts_heading="wins"
    )
    without_names = figures.Forest(names, values, [bars], "mean", heading, shows_names=False)
    yield "forest", [with_names, without_names]

    number = np.arange(count)
    alike = np.abs(np.subtract.outer(number, number)) < 9
    yield "groups", [figures.Forest(names, values, heading=heading), figures.Groups(alike)]

    yield "heat map", [figures.HeatMap(p, names, names, heading, heading, "topic", "run")]

    ranks = np.stack([number + 1.0, values.argsort().argsort() + 1.0], axis=1)
    yield "slopes", [figures.Slopes(names, ranks, [heading, "human"], heading)]
    tied = np.tile([1.0, 2.0], (count, 1))
    yield "ties", [figures.Slopes(names, tied, names_of(9, length)[:2], heading)]
    yield "many columns", [figures.Slopes(names, np.tile(ranks, 5), [heading] * 10)]

    yield "bars", [figures.SortedBars(values - 0.5, names, heading, heading)]
    yield "at low", [figures.SortedBars(values - 0.5, names, "difference", at_low=True)]
    yield "stacked", [figures.StackedBars(p[:, :2] + 1, names, ["level 1", "level 2"], ["r", "b"])]

    named = range(min(5, count))
    scatter = figures.Scatter(
        values, values[::-1], names, heading, heading, heading, named, diagonal=True
    )
    yield "scatter", [scatter]

    lines = [figures.Line(name, values[:2], style.line_style(0)) for name in names[:12]]
    levels_of_values = {"0.5": 0.5, names[0]: 1.0}
    cutoffs = {"cutoff 9": 9.0}
    ranks_of_lines = np.array([1, 9])
    lines_drawing = figures.Lines(
        ranks_of_lines, lines, "rank", heading, heading, cutoffs, levels_of_values
    )
    yield "lines", [lines_drawing]

    excluded = ((-np.inf, -0.001), (0.001, np.inf))
    yield "number line", [figures.NumberLine(0.1, (-np.inf, 0.2), excluded, heading, heading)]

    scale = np.array([3.0, 0.0, 1.0])
    levels = np.resize([np.nan, *scale], count)
    yield "tiles", [figures.Tiles(names, levels, scale, [(1, 0)], values, heading)]
    factors = np.resize([1.0, np.nan, 0.005], count)
    tiles = figures.Tiles(
        names, levels, scale, [(1, 0)], values, heading, factors=factors, factor_head="weight"
    )
    yield "tiles with factors", [tiles, replace(tiles, added=None)]

    if count <= 24:
        yield "triangle", [figures.Triangle(names, p, p < 0.05, heading=heading)] * 2


OF_SIZE = {
    2: None,
    24: ("groups", "heat map", "triangle"),
    100: ("forest", "slopes", "groups", "scatter"),
}
"""The drawings of so many runs in the short round: all, or those that change with the number."""


@pytest.mark.parametrize(
    ("count", "length", "names"),
    [
        (2, 40, OF_SIZE[2]),
        (24, 40, OF_SIZE[24]),
        (100, 3, OF_SIZE[100]),
        pytest.param(24, 40, None, marks=thorough),
    ],
)
def test_no_text_is_cut_small_or_overlaps(count, length, names):
    sentence = (
        "pash_f1 has the best nDCG_JK@10, .7479 (.7034 to .7924), of 24 runs over 53 topics. "
    )
    title = sentence * 2
    for name, drawings in drawings_of(count, length):
        if names is not None and name not in names:
            continue  # the others are cut to a size in the same way as these
        figure = figures.picture(drawings, title, f"Caption. {title}")
        assert (name, problems(figure)) == (name, [])


def test_panels_of_a_wide_sheet_stand_below_each_other_and_the_first_of_a_row_has_names():
    names = names_of(2, 40)
    forests = [figures.Forest(names, np.ones(2), shows_names=number == 0) for number in range(4)]
    figure = figures.picture(forests, across=4)
    assert figure.get_size_inches()[0] <= sheet.WIDEST_SHEET
    assert [len(axes.texts) for axes in figure.axes] == [2, 0, 2, 0]
    groups = figures.Groups(np.ones((2, 2), dtype=bool))
    beside = figures.picture([forests[0], forests[0], forests[0], groups])
    assert beside.get_size_inches()[0] > sheet.WIDEST_SHEET  # groups have no names of their own


def test_panels_that_are_too_high_together_leave_out_rows_in_the_middle():
    names = names_of(100, 40)
    values = np.arange(100.0)
    alike = np.ones((100, 100), dtype=bool)
    forest = figures.Forest(names, values, texts=names_of(100, 5))
    figure = figures.picture([forest, figures.Groups(alike)] * 3, across=2)
    assert figure.get_size_inches()[1] < 1.3 * sheet.TALLEST_SHEET
    assert figure.texts[0].get_text() == "Of 100 rows, the first 18 and the last 17 are drawn."
    dots = figure.axes[0].collections[-1].get_offsets()
    expected = [*range(18), np.nan, *range(83, 100)]
    np.testing.assert_array_equal(np.ma.filled(dots[:, 0], np.nan), expected)
    assert "… 65 more" in [text.get_text() for text in figure.axes[0].texts]
    assert len(figures.picture([forest]).axes[0].texts) == 200  # one panel has room for all


def test_a_heat_map_tells_which_names_have_no_room():
    names = names_of(100, 4)
    many = figures.HeatMap(np.ones((3, 100)), names[:3], names, column_label="run, the best first")
    assert (many.left_out, many.turned().left_out) == ("Every second run is named.", "")
    assert many.turned().rows == names


def test_a_figure_does_not_repeat_the_sentence_above_it():
    forest = figures.Forest(["a"], np.ones(1))
    with figures.said_above("The answer."):
        untitled = figures.picture([forest], "The answer.")
        other = figures.picture([forest], "Another one.")
    assert untitled.texts == []
    assert [text.get_text() for text in other.texts] == ["Another one."]


@pytest.mark.parametrize(
    "result",
    [
        lambda qrels, runs: evaluate(qrels, runs, ["nDCG_JK@5"]),
        lambda qrels, runs: curves(qrels, runs, "nDCG_JK@5", confidence=0.95),
        lambda qrels, runs: curves(qrels, runs, ["nDCG_JK@5", "AP@5"]),
        lambda qrels, runs: sensitivity(qrels, runs, ["CG@5"], gains=["w1", "1:1,2:2,3:9", "exp"]),
        lambda qrels, runs: levels(qrels),
    ],
)
def test_a_caption_says_nothing_twice(result):
    """No two sentences explain one name, and none repeats a share or the words of another."""
    figure = result(demo.qrels_path(), demo.run_paths()).figure()
    text = " ".join(text.get_text().replace("\n", " ") for text in figure.texts)
    explained = re.findall(r"(?:^|\. )([^.:]+): ", text)
    assert len(explained) == len(set(explained))
    for twice in ("each for itself, not all", "exp: exp", "pointwise percentile bands, at each"):
        assert twice not in text
    assert text.count("above level 0") <= 1


def test_panels_of_a_row_share_the_room_below_them():
    tall = figures.Scatter(np.arange(5), np.arange(5), x_label="x")
    low = figures.SortedBars(np.arange(50) - 9.0, names_of(50, 20))
    alone = [figures.picture([panel]).get_size_inches()[1] for panel in (tall, low)]
    assert figures.picture([tall, low]).get_size_inches()[1] == pytest.approx(max(alone))


def test_text_on_a_tile_is_light_where_the_tile_is_dark():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    figures.Tiles(["a", "b"], np.array([0.0, 2.0]), np.array([100.0, 2.0, 1.0])).draw(axes)
    colours = {text.get_text(): text.get_color() for text in axes.texts}
    assert colours["100"] == style.LIGHT_TEXT
    for level in ("0", "1", "2"):
        assert colours[level] != style.LIGHT_TEXT


def test_an_axis_names_margins_of_ten_and_more_in_full():
    figure = pytest.importorskip("matplotlib.figure", reason="Matplotlib is not installed")
    axes = figure.Figure().subplots()
    excluded = ((-np.inf, -10.5), (0.25, np.inf))
    figures.NumberLine(12.0, (11.0, 13.0), excluded).draw(axes)
    assert [text.get_text() for text in axes.texts] == ["−10.5", "+.25"]


def test_a_name_with_a_line_break_takes_one_line():
    forest = figures.Forest(["one\nname", "other"], np.ones(2), label="a\nb")
    texts = [text.get_text() for text in figures.picture([forest]).axes[0].texts]
    assert texts[:2] == ["one name", "other"]
    assert figures.difference_label("long\n" * 20, "other") == "difference"
