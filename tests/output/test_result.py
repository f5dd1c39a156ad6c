"""Results: the interface that every analysis offers to people, programs and notebooks."""

import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from ir_measures_graded import GradedError, analysis, demo
from ir_measures_graded.analysis import curves, evaluate
from ir_measures_graded.output import plots
from ir_measures_graded.output.result import ROWS, Result

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")

QRELS, RUNS = demo.qrels_path(), demo.run_paths()


@pytest.fixture(scope="module")
def results():
    values = evaluate(QRELS, RUNS, ["nDCG_JK@10", "NDPM", "NumRet"])
    drawn = curves(QRELS, RUNS, "CG", 60)
    found = [
        values,
        drawn,
        curves(QRELS, RUNS, ["nCG", "P"], 30),
        analysis.effort(drawn, [5, 10]),
        analysis.compare(values, baseline="B", resamples=50),
        analysis.sensitivity(QRELS, RUNS, ["nCG@10"], gains=["w1", "w100"]),
        analysis.levels(demo.NAME),
        analysis.intervals(values, method="t"),
        analysis.power(values, resamples=50, differences=[0.1]),
        analysis.holes(QRELS, RUNS, "CG@3"),
        analysis.estimate(QRELS, QRELS, RUNS, ["P@3"]),
        analysis.judges(QRELS, {"machine": QRELS}, RUNS, ["P@3"]),
        analysis.identify(QRELS, RUNS["A"], {"351": 0.1469, "353": 0.1424}, measure="nDCG@10"),
        analysis.explain(QRELS, RUNS["A"], "nDCG_JK@5", "351"),
        analysis.explain_difference(QRELS, {"A": RUNS["A"], "E": RUNS["E"]}, "nDCG_JK@5"),
        analysis.ranges(QRELS, {"A": RUNS["A"], "E": RUNS["E"]}, ["CG@5"], draws=0),
        analysis.gate(values.part(["A", "E"], values.measures[:1])),
        analysis.check(QRELS, RUNS, ["P(rel=4)@10"]),
    ]
    return {type(result).__name__: result for result in found}


KINDS = "Evaluation Curves CurveSet Effort Comparison Sensitivity Levels Intervals Power Holes".split()
KINDS += "Estimates Judges Identification Explanation ExplainedDifference Ranges Gate Check".split()
UNDRAWN = {"Effort", "Levels", "Power", "Estimates", "Check"}
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_records_have_the_same_keys_and_make_a_data_frame(results, kind):
    result = results[kind]
    assert isinstance(result, Result)
    records = result.records()
    assert len({tuple(record) for record in records}) == 1
    frame = result.to_frame()
    assert list(frame.columns) == list(records[0])
    assert frame.astype(object).where(frame.notna(), None).values.tolist() == result.data().values()[1]


@every_kind
def test_repr_is_one_short_line(results, kind):
    text = repr(results[kind])
    assert text.startswith(f"<{kind}: ")
    assert len(text) < 200
    assert "\n" not in text


@every_kind
def test_notebook_view_is_well_formed_and_holds_figure_and_table(results, kind):
    result = results[kind]
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    assert len(page.findall(".//{http://www.w3.org/2000/svg}svg")) == (kind not in UNDRAWN)
    columns, rows = result.table()
    shown = page.findall(".//table/tr")
    assert len(shown) == 1 + min(len(rows), ROWS)
    assert [cell.text or "" for cell in shown[0]] == columns
    assert (f"{ROWS} of {len(rows)} rows" in "".join(page.itertext())) == (len(rows) > ROWS)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in UNDRAWN])
def test_no_text_of_a_figure_is_mathematics(results, kind):
    text = pytest.importorskip("matplotlib.text", reason="Matplotlib is not installed")
    texts = [found for found in results[kind].figure().findobj(text.Text) if found.get_text()]
    assert texts
    assert not any(found.get_parse_math() for found in texts)


def test_notebook_view_without_matplotlib_names_the_extra(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shown = results["Evaluation"]._repr_html_()
    assert (
        "a figure needs matplotlib, which is not installed: pip install &#x27;ir-measures-graded[plot]&#x27;"
        in shown
    )
    assert "<td" in shown


def test_figure_shows_itself_in_a_notebook(results, monkeypatch):
    assert results["Gate"].figure()._repr_svg_().startswith("<svg")
    monkeypatch.setattr(plots, "svg", lambda figure: f"{len(figure.axes)} panels")  # drawing takes long
    for kind in {*KINDS} - UNDRAWN:
        figure = results[kind].figure()
        assert figure._repr_svg_() == f"{len(figure.axes)} panels"


def test_a_result_without_a_figure_says_so(results, tmp_path):
    for kind in UNDRAWN:
        with pytest.raises(GradedError, match=f"a result of the kind {kind} has no figure; save its table"):
            results[kind].save(tmp_path / "x.svg")


def test_table_of_an_evaluation_holds_aggregates_and_its_records_the_topics(results):
    found = results["Evaluation"]
    columns, rows = found.table()
    assert columns == ["run", "nDCG_JK@10", "NDPM", "NumRet"]
    assert rows == [[run, *values] for run, values in zip(RUNS, found.aggregates.tolist())]
    frame = found.to_frame()
    assert len(frame) == found.values.size
    means = frame.pivot_table(index="run", columns="measure", values="value")
    np.testing.assert_allclose(means[columns[1:3]], found.means()[:, :2], rtol=1e-12)


def test_record_of_a_value_that_no_provider_reports_is_none():
    found = evaluate({"q1": {"a": 1}, "q2": {}}, {"run": {"q1": {"a": 1.0}}}, ["RR@10"])
    assert {record["topic"]: record["value"] for record in found.records()} == {"q1": 1.0, "q2": None}


def test_dots_of_an_evaluation_are_its_means_with_the_best_run_on_top(results):
    found = results["Evaluation"]
    figure = found.figure()
    means = dict(zip(found.runs, found.means()))
    assert len(figure.axes) == 3
    order = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert order == sorted(found.runs, key=lambda run: -means[run][0])
    for panel, axes in enumerate(figure.axes):
        for line in axes.lines:
            assert line.get_xdata().tolist() == [means[line.get_label()][panel]]
            assert order[line.get_ydata()[0]] == line.get_label()
    assert "smaller is better" in figure.axes[1].get_xlabel()
    assert "smaller is better" not in figure.axes[0].get_xlabel()


@every_kind
def test_print_shows_the_table_and_save_writes_what_the_ending_says(results, kind, tmp_path):
    result = results[kind]
    assert {*result.tables()[0].lines("text", 4)} <= {*str(result).splitlines()}
    assert result.to_latex().count(r"\begin{tabular}") >= 1
    assert any(line.startswith("|") for line in result.to_markdown().splitlines())
    for ending, form in {"md": "markdown", "csv": "csv", "json": "json"}.items():
        result.save(tmp_path / f"x.{ending}")
        expected = result.to_markdown().splitlines() if form == "markdown" else result.lines(form, -1)
        assert (tmp_path / f"x.{ending}").read_text(encoding="utf-8").splitlines() == expected
    with pytest.raises(GradedError, match="the ending is one of"):
        result.save(tmp_path / "x.docx")


def test_a_comparison_has_a_frame_for_each_question(results):
    found = results["Comparison"]
    assert found.to_frame().equals(found.differences)
    for what in ("differences", "means", "tests"):
        assert found.data(what).to_frame().equals(getattr(found, what))
    with pytest.raises(
        GradedError, match="what='all' is not allowed; it is 'differences', 'means' or 'tests'"
    ):
        found.data("all")


def test_means_are_a_dict_of_floats_for_loggers(results):
    found = results["Evaluation"]
    assert found.to_dict()["B"]["NDPM"] == found.means()[1, 1]
    assert list(found.to_dict()) == [*RUNS]
    steep = evaluate(QRELS, RUNS, ["nDCG_JK(gains=0:0,2:10)@10", "P(rel=2)@5"]).to_dict(plain=True)["A"]
    assert list(steep) == ["nDCG_JK_gains_2_10_at_10", "P_rel_2_at_5"]
