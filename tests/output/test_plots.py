"""Figures: saving to a file, shared style, distinguishable lines."""

import os
import re
import sys
import threading
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.output import plots

HEADS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@pytest.fixture
def figure():
    return drawing()


@plots.styled
def drawing():
    figure = plots.new_figure(5, 3)
    axes = figure.add_subplot()
    axes.plot([1, 2], [3, 4], label="nDCG_JK(gains={2:10})@10", **plots.line_style(0))
    axes.set_xlabel("Rank")
    plots.legend_outside(axes)
    return figure


@pytest.mark.parametrize("name", ["a.PNG", "a.svg"])
def test_file_ending_selects_the_format_and_equal_figures_give_equal_files(figure, tmp_path, name):
    path = tmp_path / name
    plots.save(figure, path)
    ending = path.suffix[1:].lower()
    content = path.read_bytes()
    assert content.startswith(HEADS[ending])
    path.write_bytes(b"another file, which is replaced")
    plots.save(drawing(), str(path))
    assert path.read_bytes() == content
    assert re.search(rb"CreationDate|<dc:date>", content) is None  # would be equal within a second
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ["figure", "figure.jpeg", "figure.", "svg", ".svg"])
def test_unknown_endings_raise_an_error_that_lists_the_known_ones(name, tmp_path):
    with pytest.raises(GradedError, match=r"ends in \.png, \.svg, \.pdf"):
        plots.save(None, tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_matplotlib_settings_stay_unchanged(figure, tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 31, "axes.titlesize": 40}):
        again = drawing()
        plots.save(again, tmp_path / "a.png")
        assert matplotlib.rcParams["font.size"] == 31
    assert dict(matplotlib.rcParams) == before
    assert again.axes[0].xaxis.label.get_fontsize() == figure.axes[0].xaxis.label.get_fontsize() == 10


def test_figures_made_in_threads_leave_the_settings_unchanged(figure):
    import matplotlib

    before = dict(matplotlib.rcParams)
    entered = [threading.Event(), threading.Event()]

    @plots.styled
    def draw(number):
        entered[number].set()
        entered[1 - number].wait(timeout=0.3)  # the other thread must not enter before this one leaves

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
    figure = plots.dot_plot(names, names, np.ones((6, 6)), [1] * 6, "mean")
    plots.styled(plots.legend_outside)(figure.axes[0])
    content = plots.rendered(figure, form)
    if form == "svg":
        text = "".join(ElementTree.fromstring(content).itertext())
        for shown in ("a�b", "c�d", "e�f", "g�h", "$x^2$"):
            assert text.count(shown) == 4  # tick labels of two rows of panels, a title, the legend


def test_missing_matplotlib_raises_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (drawing, plots.need_matplotlib, lambda: plots.save(None, "a.png")):
        with pytest.raises(GradedError, match=r"pip install 'ir-measures-graded\[plot\]'"):
            draw()


def test_28_lines_differ_in_colour_and_dashes_and_without_colour():
    styles = [plots.line_style(number) for number in range(28)]
    assert len({(style["color"], str(style["linestyle"])) for style in styles}) == 28
    assert len({(str(style["linestyle"]), style["marker"]) for style in styles}) == 28
    for style, following in pairwise(styles):
        assert all(style[part] != following[part] for part in style)


def test_one_warning_counts_the_characters_that_the_font_lacks(tmp_path):
    figure = plots.new_figure()
    figure.add_subplot().set_title("検索")
    plots.save(figure, tmp_path / "a.svg")
    with pytest.warns(UserWarning, match="lacks 2 characters") as caught:
        plots.save(figure, tmp_path / "a.png")
    assert len(caught) == 1
