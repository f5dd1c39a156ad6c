"""What holds for all results and analyses: `Result` keeps its promises, refusals are a sentence."""

import copy
import csv
import dataclasses
import json
import pickle
import xml.etree.ElementTree as ElementTree
from inspect import isabstract

import numpy as np
import pytest

from ir_measures_graded import GradedError, analysis, demo
from ir_measures_graded.output.formats import clean
from ir_measures_graded.output.result import ROWS, Result
from rounds import sampled

pytest.importorskip("scipy", reason="SciPy is not installed")

QRELS = demo.qrels_path()
RUNS = demo.run_paths()


def curves(qrels, runs, measures):
    return analysis.curves(qrels, runs, measures, 5)


def effort(qrels, runs, measures):
    return analysis.effort(qrels, runs, measures, 5)


def compare(qrels, runs, measures):
    return analysis.compare(qrels, runs, measures, resamples=9)


def sensitivity(qrels, runs, measures):
    return analysis.sensitivity(qrels, runs, measures, gains=["w1", "w10"])


def holes(qrels, runs, measures):
    return analysis.holes(qrels, runs, *measures)


def explain_difference(qrels, runs, measures):
    return analysis.explain_difference(qrels, runs, *measures)


def judges(qrels, runs, measures):
    return analysis.judges(qrels, {"machine": qrels}, runs, measures)


def estimate(qrels, runs, measures):
    return analysis.estimate(qrels, qrels, runs, measures)


OF_RUNS = {
    "evaluate": analysis.evaluate,
    "curves": curves,
    "effort": effort,
    "compare": compare,
    "gate": analysis.gate,
    "power": analysis.power,
    "ranges": analysis.ranges,
    "sensitivity": sensitivity,
    "holes": holes,
    "explain_difference": explain_difference,
    "report": analysis.report,
    "check": analysis.check,
    "judges": judges,
    "estimate": estimate,
}
"""The analyses of qrels, runs and measures."""


@pytest.fixture(scope="module")
def results():
    """A result of each class, by its name."""
    two_runs = {"A": RUNS["A"], "E": RUNS["E"]}
    all_results = [call(QRELS, two_runs, ["nDCG_JK@5"]) for call in OF_RUNS.values()]
    values = all_results[0]
    by_two_measures = analysis.evaluate(QRELS, RUNS, ["nDCG_JK@5", "AP"])
    reported = {topic: f"{n % 7 / 8:.4f}" for n, topic in enumerate(values.topics)}
    collections = {"c1": values, "c2": values, "c3": values}
    all_results += [
        analysis.curves(QRELS, two_runs, "CG", 60),
        analysis.intervals(values),
        analysis.group_means(values, {"351": "one"}),
        analysis.curves(QRELS, two_runs, ["CG", "P"], at=[2, 3]),
        analysis.levels(demo.NAME),
        analysis.merge_judges({"one": QRELS, "other": QRELS}),
        analysis.compare_collections(collections),
        analysis.identify(QRELS, RUNS["A"], reported),
        analysis.explain(QRELS, RUNS["A"], "nDCG_JK@5", "351"),
        analysis.explain(
            QRELS, RUNS["A"], ["nDCG@5", "nDCG_JK@5", "ERR_G@3", "P_measure@4"], "351"
        ),
        analysis.explain(QRELS, two_runs, ["nDCG@5", "AP", "P_measure@4"]),
        analysis.holes(QRELS, RUNS, "CG@3"),  # these two have rows
        analysis.check(QRELS, RUNS, ["P(rel=4)@10"]),
        analysis.compare_leaderboards(by_two_measures, by_two_measures),
        analysis.reproduce(by_two_measures, by_two_measures, baseline="A", advanced="E"),
    ]
    return {type(result).__name__: result for result in all_results}


def _subclasses(kind):
    classes = {kind}
    for subclass in kind.__subclasses__():
        classes |= _subclasses(subclass)
    return classes


for name in analysis.__all__:
    getattr(analysis, name)  # imports its module
CONCRETE = sorted(kind.__name__ for kind in _subclasses(Result) if not isabstract(kind))
KINDS = [name for name in CONCRETE if name in analysis.__all__]
every_kind = pytest.mark.parametrize("kind", KINDS)


def test_every_result_is_tested(results):
    assert set(KINDS) == set(results)


@every_kind
def test_copies_keep_every_field(results, kind):
    result = results[kind]
    pickled = pickle.loads(pickle.dumps(result))
    for duplicate in (dataclasses.replace(result), copy.copy(result), pickled):
        assert repr(duplicate.records()) == repr(result.records())
        assert str(duplicate) == str(result)
        assert duplicate.notes() == result.notes()
        for field in dataclasses.fields(result):
            value = getattr(result, field.name)
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(getattr(duplicate, field.name), value)


@every_kind
def test_save_writes_every_form_with_all_decimals_or_those_that_are_wanted(results, kind, tmp_path):
    result = results[kind]
    records = result.records()
    for ending in ("txt", "md", "tex", "tsv", "csv", "json", "jsonl"):
        path = tmp_path / f"x.{ending}"
        result.save(path)
        whole = path.read_text(encoding="utf-8")
        result.save(path, places=1)
        short = path.read_text(encoding="utf-8")
        assert len(short) <= len(whole)
        if ending == "csv":
            rows = list(csv.DictReader(whole.splitlines()))
            assert [list(row) for row in rows] == [list(record) for record in records]
            for row, record in zip(rows, records):
                floats = {name: value for name, value in record.items() if isinstance(value, float)}
                written = {name: float(row[name]) for name in floats}
                assert written == pytest.approx(floats, rel=0, nan_ok=True)
        if ending == "json":
            assert [list(row) for row in json.loads(whole)] == [list(record) for record in records]
        if ending == "md":
            assert whole.splitlines() == result.to_markdown().splitlines()
    assert result.to_latex().count(r"\begin{tabular}") >= 1
    if kind == "Comparison":  # the notebook draws the figure of every result
        result.save(tmp_path / "x.svg")
        assert ElementTree.parse(tmp_path / "x.svg").getroot().tag.endswith("svg")
        with pytest.raises(GradedError, match="the option -o of the command writes a page"):
            result.save(tmp_path / "x.html")
    with pytest.raises(GradedError, match="endings are"):
        result.save(tmp_path / "x.docx")


@every_kind
def test_texts_are_clean_and_a_program_reads_the_records(results, kind):
    result = results[kind]
    for text in (result.summary, repr(result), *result.notes(), *result.answer()):
        assert text == clean(text)
    assert repr(result).startswith(f"<{kind}: ")
    assert len(repr(result)) < 200
    assert set(result.tables()[0].lines("text", 4)) <= set(str(result).splitlines())
    records = result.records()
    assert len({tuple(record) for record in records}) == 1
    frame = result.to_frame()
    assert list(frame.columns) == list(records[0])
    cells = frame.astype(object).where(frame.notna(), None)
    _, rows = result.data().values()
    assert cells.values.tolist() == rows


@pytest.mark.parametrize("kind", sampled(KINDS, 4))
def test_a_notebook_shows_the_table_and_a_figure_without_mathematics(results, kind):
    result = results[kind]
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    assert len(page.findall(".//{http://www.w3.org/2000/svg}svg")) == 1
    columns, rows = result.table()
    page_rows = page.findall(".//table/tr")
    assert len(page_rows) == 1 + min(len(rows), ROWS)
    assert [cell.text or "" for cell in page_rows[0]] == columns
    is_cut = f"{ROWS} of {len(rows)} rows" in "".join(page.itertext())
    assert is_cut == (len(rows) > ROWS)
    matplotlib_text = pytest.importorskip("matplotlib.text", reason="Matplotlib is not installed")
    texts = [text for text in result.figure().findobj(matplotlib_text.Text) if text.get_text()]
    assert texts
    assert not any(text.get_parse_math() for text in texts)


BAD = {
    "qrels": ({"q": {"d": float("nan")}}, RUNS, ["nDCG_JK@5"]),
    "no qrels": ("no-such-file.qrels", RUNS, ["nDCG_JK@5"]),
    "no run": (QRELS, {"A": "no-such.run", "B": RUNS["B"]}, ["nDCG_JK@5"]),
    "score": (QRELS, {"A": {"351": {"d": float("nan")}}, "B": RUNS["B"]}, ["nDCG_JK@5"]),
    "measure": (QRELS, RUNS, ["nDCG_JKK@5"]),
    "parameter": (QRELS, RUNS, ["nDCG_JK(b=1)@5"]),
    "names": (QRELS, [("A", RUNS["A"]), ("A", RUNS["B"])], ["nDCG_JK@5"]),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", OF_RUNS)
def test_a_refusal_is_the_same_sentence_in_every_analysis(name, bad):
    qrels, runs, measures = BAD[bad]
    if isinstance(runs, dict):
        runs = dict(list(runs.items())[:2])
    with pytest.raises(GradedError) as expected:
        analysis.evaluate(qrels, runs, measures)
    if name == "check" and bad in ("no run", "score"):
        remarks = analysis.check(qrels, runs, measures).remarks
        assert str(expected.value) in [remark.text for remark in remarks]
        return
    with pytest.raises(GradedError) as refused:
        OF_RUNS[name](qrels, runs, measures)
    assert str(refused.value) == str(expected.value)
