"""Curves over ranks: values from the paper, equality with cutoffs, bands, table and figure."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from ir_measures import AP, RR, Judged, P, R, nDCG

from ir_measures_graded import CG, DCG_JK, NDCNG, NDPM, SR, GradedError, demo, muAP, nCG, nDCG_JK
from ir_measures_graded.analysis import Curves, CurvesByMeasure, curves, evaluate

QRELS = {"q1": {"a": 3, "b": 1, "c": 0, "d": 2}, "q2": {"a": 2}, "q3": {"d": 1, "e": 0}}
RUNS = {
    "good": {"q1": {"a": 3.0, "x": 2.5, "b": 2.0}, "q2": {"x": 2.0, "a": 1.0}, "q3": {"d": 1.0}},
    "poor": {"q1": {"c": 3.0, "b": 3.0}, "q2": {"a": 1.0, "b": 1.0}, "q9": {"a": 1.0}},
}
DEPTH = 6


@pytest.mark.parametrize(
    "measure",
    [
        CG,
        DCG_JK(b=3),
        nCG(gains={2: 10}),
        nDCG_JK,
        nDCG_JK(judged_only=True),
        NDCNG,
        muAP,
        SR,
        NDPM,
        P(rel=2),
        nDCG,
        AP,
        R,
        Judged,
        RR,
    ],
    ids=str,
)
def test_curve_equals_the_mean_at_each_cutoff(measure):
    result = curves(QRELS, RUNS, measure @ DEPTH, DEPTH)
    means = [evaluate(QRELS, RUNS, [measure @ rank]).means()[:, 0] for rank in range(1, DEPTH + 1)]
    np.testing.assert_allclose(result.values, np.transpose(means), rtol=1e-15)
    assert result.runs == ("good", "poor")
    assert result.topics == 3
    assert result.measure == measure
    assert result.ranks.tolist() == [1, 2, 3, 4, 5, 6]


PAPERS = {"nCG": "CG", "nDCG_JK(b=3)": "DCG_JK(b=3)", "nDCG": "DCG_Burges(gains=linear)"}


@pytest.mark.parametrize("name", PAPERS)
def test_ratio_of_means_divides_the_mean_vectors(name):
    """Section 3.3 of Järvelin & Kekäläinen 2002; the plain sums have the mean ideal vector."""
    found = curves(QRELS, RUNS, name, DEPTH, ratio_of_means=True)
    sums = curves(QRELS, RUNS, PAPERS[name], DEPTH, ideal=True)
    np.testing.assert_allclose(found.values, sums.values / sums.ideal, rtol=1e-14)
    means = curves(QRELS, RUNS, name, DEPTH)
    assert not np.allclose(found.values, means.values)
    assert "mean vector of the topics is divided by their mean ideal" in found.caption
    assert "each topic is divided by its ideal list, then averaged" in str(means.notes()[0])
    assert "mean" not in str(found.answer()[0])


def test_ratio_of_means_is_for_normalised_vectors():
    both = curves(QRELS, RUNS, ["CG", "nCG"], DEPTH, ratio_of_means=True)
    np.testing.assert_array_equal(both.curves[0].values, curves(QRELS, RUNS, "CG", DEPTH).values)
    assert str(both.notes()[0]).startswith("nCG: the mean vector")
    banded = curves(QRELS, RUNS, "nCG", 3, ratio_of_means=True, confidence=0.9, resamples=100)
    assert (banded.bands[:, 0] <= banded.values).all()
    assert (banded.values <= banded.bands[:, 1]).all()
    weights = {"q1": 2, "q2": 0, "q3": 1}
    weighted = curves(QRELS, RUNS, "nCG", 3, ratio_of_means=True, weights=weights)
    sums = curves(QRELS, RUNS, "CG", 3, weights=weights)
    np.testing.assert_allclose(weighted.values, sums.values / sums.ideal, rtol=1e-14)
    with pytest.raises(GradedError, match="divide by an ideal list, as nCG and nDCG_JK; CG does"):
        curves(QRELS, RUNS, "CG", ratio_of_means=True)
    with pytest.raises(GradedError, match="ratio_of_means does not go with no_relevant='one'"):
        curves(QRELS, RUNS, "nCG", ratio_of_means=True, no_relevant="one")
    with pytest.raises(GradedError, match="ratio_of_means does not go with avg"):
        curves(QRELS, RUNS, "nCG(avg=True)", ratio_of_means=True)


# ------------------------------------------------------------------------- ideal, depth


def test_ideal_curve_is_default_for_cg_and_dcg_only():
    assert curves(QRELS, RUNS, "CG", 3).ideal.tolist() == [6 / 3, 8 / 3, 9 / 3]
    assert curves(QRELS, RUNS, "DCG_JK(b=9)", 3).ideal is not None
    assert curves(QRELS, RUNS, "DCG_Burges", 3).ideal is not None
    for measure in ("nCG", "nDCG_JK", "P", "muAP"):
        assert curves(QRELS, RUNS, measure, 3).ideal is None
    assert curves(QRELS, RUNS, "CG", 3, ideal=False).ideal is None
    assert curves(QRELS, RUNS, "P", 2, ideal=True).ideal.tolist() == [1, (1 + 0.5 + 0.5) / 3]


def test_curves_of_several_measures_are_those_of_each():
    result = curves(QRELS, RUNS, ["CG", "P@4", "nDCG_JK"], at=[2, 4])
    by_cg = curves(QRELS, RUNS, "CG", at=[2, 4])
    by_p = curves(QRELS, RUNS, "P@4", at=[2, 4])
    by_ndcg = curves(QRELS, RUNS, "nDCG_JK", at=[2, 4])
    assert result.records() == by_cg.records() + by_p.records() + by_ndcg.records()
    assert [of_measure.ranks.size for of_measure in result.curves] == [4, 4, 4]
    assert result.answer() == by_cg.answer() + by_p.answer() + by_ndcg.answer()
    columns, rows = result.table()
    assert columns == ["measure", "rank", "ideal", "good", "poor"]
    assert [row[:2] for row in rows[:3]] == [["CG", 2], ["CG", 4], ["P", 2]]
    assert rows[2][2:] == [None, *by_p.values[:, 1]]
    assert curves(QRELS, RUNS, ["P@2", "P@5"]).ranks.size == 5
    with pytest.raises(GradedError, match="'measure' is a column name"):
        curves(QRELS, {"measure": RUNS["good"]}, ["CG", "P"])


def test_tables_have_the_ranks_that_are_named():
    result = curves(QRELS, RUNS, "CG", 6, at=[5, 2, 5])
    whole = curves(QRELS, RUNS, "CG", 6)
    _, rows = result.table()
    _, whole_rows = whole.table()
    assert rows == [whole_rows[4], whole_rows[1]]
    expected = [row for row in whole.records() if row["rank"] in (2, 5)]
    assert sorted(result.records(), key=str) == sorted(expected, key=str)
    assert result.values.shape == (2, 6)


def test_a_short_table_has_few_ranks_the_cutoff_and_the_last_one():
    generator = np.random.default_rng(0)
    long = Curves(nCG, 9, ("a", "b"), generator.random((2, 60)), cutoff=30)
    short = long.at_few_ranks()
    assert [row[0] for row in short.table()[1]] == [1, 2, 3, 5, 10, 20, 30, 50, 60]
    assert replace(long, at=(4, 9)).at_few_ranks().at == (4, 9)
    ten = Curves(nCG, 9, ("a", "b"), generator.random((2, 10)))
    assert ten.at_few_ranks() is ten
    both = CurvesByMeasure((ten, ten))
    assert both.at_few_ranks() is both
    assert CurvesByMeasure((ten, long)).at_few_ranks().curves[1].at == short.at


def test_a_file_has_all_ranks_and_the_terminal_few(output, tmp_path):
    words = ["curves", demo.NAME, demo.run_paths()["A"], "CG@40"]
    path = tmp_path / "all.csv"
    assert len(output(*words)) > 40
    printed = output(*words, "-o", path)
    assert sum(line.strip()[:1].isdigit() for line in printed) == 7
    assert f"{path} has all ranks; -f text prints them, --at chooses some." in " ".join(printed)
    assert len(path.read_text().splitlines()) == 1 + 2 * 40
    assert len(output(*words, "-o", path, "-f", "text")) > 40


def test_ranks_of_the_table_do_not_shorten_the_curves():
    whole = curves(QRELS, RUNS, "CG")
    assert curves(QRELS, RUNS, "CG", at=2).values.tolist() == whole.values.tolist()
    assert curves(QRELS, RUNS, "CG", at=[2, 5]).ranks.tolist() == [1, 2, 3, 4, 5]
    assert curves(QRELS, RUNS, "CG", at=101).ideal.shape == (101,)


def test_the_default_depth_is_that_of_the_longest_list():
    assert curves(QRELS, RUNS, "CG").values.shape == (2, 3)
    assert curves(QRELS, RUNS, "CG").ideal.shape == (3,)
    assert curves(QRELS, RUNS, "CG", confidence=0.9, resamples=100).bands.shape == (2, 2, 3)
    assert curves(QRELS, RUNS, ["nCG", "P@5"]).curves[1].ranks.size == 5
    assert curves(QRELS, {"none": {"q9": ["x"]}}, "CG").ranks.size == 1


def test_equal_means_are_equally_good():
    def sentence(*values):
        runs = tuple("ABC"[: len(values)])
        return str(Curves(CG, 12, runs, np.array(values)).answer()[0])

    start = "A and B have the best mean CG at rank 4, 3.0000 over 12 topics; "
    assert sentence([1, 2, 3, 3], [2, 2, 2, 3]) == (
        f"{start}A is better at 1 of 4 ranks, B at 1, and they are equal at 2."
    )
    assert sentence([3, 3, 3, 3], [3, 3, 3, 3]) == f"{start}they are equal at every rank."
    assert sentence([1, 2, 3, 3], [2, 2, 3, 3], [0, 2, 0, 0]) == (
        f"{start}they are the best at 3 of 4 ranks."
    )
    start = "A has the best mean CG at rank 4, 3.0000 over 12 topics; it "
    assert sentence([2, 2, 3, 3], [2, 2, 2, 1]) == (
        f"{start}is better at 2 of 4 ranks, B at 0, and they are equal at 2."
    )
    assert sentence([1, 2, 3, 3], [1, 1, 0, 0], [0, 2, 0, 0]) == (
        f"{start}alone is the best at 2 of 4 ranks, and with others at 2."
    )
    assert sentence([1, 2, 3, 3], [0, 1, 0, 0]) == f"{start}is the best at 4 of 4 ranks."


# ------------------------------------------------------------------------------- confidence


def collection(topics=30, seed=2):
    random = np.random.default_rng(seed)
    docs = [f"d{number}" for number in range(20)]
    qrels = {f"q{t}": {doc: int(random.integers(0, 4)) for doc in docs} for t in range(topics)}
    runs = {}
    for name in ("one", "two"):
        runs[name] = {topic: {doc: float(random.random()) for doc in docs} for topic in qrels}
    return qrels, runs


def test_bands_equal_the_scipy_bootstrap():
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    qrels, runs = collection()
    result = curves(qrels, runs, nDCG_JK, 5, confidence=0.9, resamples=300.0, seed=8.0)
    assert result.notes()[1].startswith("Below 50 topics, bands are narrow")
    values_by_run = evaluate(qrels, runs, ["nDCG_JK@5"]).of("nDCG_JK@5")
    for band, values in zip(result.bands[:, :, 4], values_by_run, strict=True):
        bootstrap = stats.bootstrap(
            (values,),
            np.mean,
            confidence_level=0.9,
            n_resamples=300,
            method="percentile",
            random_state=np.random.default_rng(8),
        )
        interval = bootstrap.confidence_interval
        assert band == pytest.approx([interval.low, interval.high], rel=1e-12)


# ---------------------------------------------------------------------------- table and figure


def test_figure_shows_named_curves_with_bands_and_a_sorted_legend():
    result = Curves(
        nDCG_JK(gains={2: 10}),
        12,
        ("A", "B"),
        np.array([[0.1, 0.2, 0.3], [0.4, 0.35, 0.6]]),
        ideal=np.array([0.7, 0.8, 0.9]),
        confidence=0.95,
        bands=np.array([[[0.05] * 3, [0.35] * 3]] * 2),
    )
    figure = result.figure()
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert list(lines) == ["ideal", "B", "A"]
    assert lines["B"].get_ydata().tolist() == [0.4, 0.35, 0.6]
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "rank: documents read from the top",
        "mean normalised discounted cumulated gain,\nnDCG_JK(gains={2:10})",
    )
    title, caption = (text.get_text().replace("\n", " ") for text in figure.texts)
    assert title == result.summary
    assert "Shaded: 95 % pointwise percentile bands." in caption
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["ideal", "B", "A"]
    extents = [band.get_paths()[0].get_extents() for band in axes.collections]
    assert [(band.y0, band.y1) for band in extents] == [pytest.approx((0.05, 0.35))] * 2


def test_of_many_runs_the_best_and_those_to_highlight_are_in_colour():
    runs = {f"run{number:02}": {"q1": [*"xyz"[: number % 3], "a"]} for number in range(15)}
    result = curves({"q1": {"a": 1}}, runs, "nDCG_JK@5", highlight=["run14"])
    in_colour = [result.runs[number] for number in result.shown]
    assert in_colour == ["run00", "run01", "run03", "run04", "run06", "run14"]
    labels = [line.get_label() for line in result.figure().axes[0].get_lines()]
    assert [label for label in labels if label in in_colour] == in_colour
    message = "there is no run 'run15' to highlight; did you mean run1"
    with pytest.raises(GradedError, match=message):
        curves({"q1": {"a": 1}}, runs, "nDCG_JK@5", highlight=["run15"])


def test_a_run_has_one_colour_in_the_panels_of_all_measures():
    generator = np.random.default_rng(0)
    names = tuple(f"run {number:02}" for number in range(20))
    curves_by_measure = []
    for measure in (nCG, muAP):
        values = generator.random((20, 4))
        curves_by_measure.append(Curves(measure, 9, names, values))
    figure = CurvesByMeasure(tuple(curves_by_measure)).figure()
    panels = []
    for axes in figure.axes:
        panels.append({line.get_label(): line.get_color() for line in axes.lines})
    best = [names[run] for run in curves_by_measure[0].shown]
    assert [panels[0][run] for run in best] == [panels[1][run] for run in best]
    entries = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    assert entries == [*best, "15 other runs"]
    assert "Runs are in the order of nCG." in CurvesByMeasure(tuple(curves_by_measure)).caption
    columns, _ = curves_by_measure[0].table()
    assert columns[1:] == best  # the table has the order of the legend


def test_the_legend_stands_beside_the_first_row_of_panels():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    qrels = {"q": {"a": 1, "b": 0}}
    ranking = {"q": {"a": 2.0, "b": 1.0}}
    for name, place in (("short", 1), ("a-name-of-66-characters" * 3, 0)):
        runs = {f"{name}-1": ranking, f"{name}-2": ranking}
        figure = curves(qrels, runs, [nDCG @ 2, P @ 2]).figure()
        legends = [axes.get_legend() is not None for axes in figure.axes]
        assert legends.index(True) == place
        assert sum(legends) == 1


def test_panels_of_one_unit_have_one_axis_and_the_legend_has_all_lines():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    measures = ["nDCG@3", "nDCG_JK@3", "DCG_Burges(gains=linear)@3", "DCG_JK@3", "CG@3"]
    figure = curves(QRELS, RUNS, measures).figure()
    ends = [axes.get_ylim() for axes in figure.axes]
    ticks = [[text.get_text() for text in axes.get_yticklabels()] for axes in figure.axes]
    assert ends[0] == ends[1]
    assert ends[2] == ends[3]
    assert len(set(ends)) == 3
    assert ticks[0] == ticks[1]
    entries = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    assert set(entries) == {*RUNS, "ideal"}


def test_a_single_run_has_a_line_for_each_measure_and_the_discount_in_words():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    run = {"good": RUNS["good"]}
    drawn_curves = curves(QRELS, run, ["nDCG@3", "nDCG_JK@3", "CG@2"], topic="q1")
    first, second = drawn_curves.figure().axes
    for axes, names in ((first, {"nDCG", "nDCG_JK"}), (second, {"CG", "ideal CG"})):
        assert {text.get_text() for text in axes.get_legend().get_texts()} == names
    values = {line.get_label(): line.get_ydata() for line in first.get_lines()}
    for one in drawn_curves.curves[:2]:
        assert values[str(one.measure)].tolist() == one.values[0].tolist()
    assert len(drawn_curves.answer()) == 1
    assert drawn_curves.summary.startswith("good has the nDCG ")
    assert " at rank 3 in topic q1 and the CG " in drawn_curves.summary.replace(", ", " and ")
    assert (
        "nDCG: discounted cumulated gain, in which the gain at rank i is divided by log2(i + 1)"
        in (drawn_curves.caption)
    )
    assert "gains from rank b on are divided by the logarithm of the rank" in drawn_curves.caption
    assert "counts: nDCG 1, .63, .5, .43, .39; nDCG_JK 1, 1, .63, .5, .43; CG 1, 1, 1" in (
        drawn_curves.caption
    )


def test_figure_does_not_import_pyplot():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    code = """
import sys
from ir_measures_graded.analysis import curves
print('matplotlib' in sys.modules)
curves({'q': {'a': 1}}, {'r': {'q': {}}}, 'CG', 2)._repr_html_()
print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]


def test_the_curves_of_a_topic_are_its_values():
    found = curves(QRELS, RUNS, ["nCG", "CG"], depth=DEPTH, topic="q1")
    for by_measure in found.curves:
        for number, run in enumerate(by_measure.runs):
            measures = [by_measure.measure @ rank for rank in range(1, DEPTH + 1)]
            values = evaluate({"q1": QRELS["q1"]}, {run: RUNS[run]}, measures).means()[0]
            assert by_measure.values[number].tolist() == values.tolist()
    assert "at rank 6, .6667 in topic q1; " in str(found.answer()[0])
    assert found.summary == "good has the best nCG .6667 and CG 4.0000 at rank 6 in topic q1."
    assert found.caption.startswith("Values of topic q1.")
    with pytest.raises(GradedError, match="topic 'q7' is not in the qrels"):
        curves(QRELS, RUNS, "nCG", topic="q7")
