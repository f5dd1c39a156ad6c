"""Figures: saving to a file, shared style, distinguishable lines."""

import os
import re
import threading
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

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


def test_matplotlib_settings_stay_unchanged(figure, tmp_path):
    import matplotlib

    with matplotlib.rc_context({"font.size": 31, "axes.titlesize": 40}):
        before = dict(matplotlib.rcParams)
        again = drawing()
        plots.save(again, tmp_path / "a.png")
        assert dict(matplotlib.rcParams) == before
    assert (
        again.axes[0].xaxis.label.get_fontsize() == figure.axes[0].xaxis.label.get_fontsize() == 9
    )


def test_figures_made_in_threads_leave_the_settings_unchanged(figure):
    import matplotlib

    before = dict(matplotlib.rcParams)
    entered = [threading.Event(), threading.Event()]

    @plots.styled
    def draw(number):
        entered[number].set()
        entered[1 - number].wait(
            timeout=0.3
        )  # the other thread must not enter before this one leaves

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


def test_png_warns_of_characters_that_the_font_lacks(tmp_path):
    figure = plots.new_figure()
    figure.add_subplot().set_title("検索")
    plots.save(figure, tmp_path / "a.svg")
    with pytest.warns(UserWarning, match="Glyph"):
        plots.save(figure, tmp_path / "a.png")
