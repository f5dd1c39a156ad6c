"""What holds for all results and analyses: `Result` keeps its promises, and a refusal is one sentence."""

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
pytest.importorskip("scipy", reason="SciPy is not installed")

QRELS, RUNS = demo.qrels_path(), demo.run_paths()
OF_RUNS = {
    "evaluate": lambda *given: analysis.evaluate(*given),
    "curves": lambda *given: analysis.curves(*given, 5),
    "effort": lambda *given: analysis.effort(*given, 5),
    "compare": lambda *given: analysis.compare(*given, resamples=9),
    "gate": lambda *given: analysis.gate(*given),
    "power": lambda *given: analysis.power(*given),
    "ranges": analysis.ranges,
    "sensitivity": lambda *given: analysis.sensitivity(*given, gains=["w1", "w10"]),
    "holes": lambda qrels, runs, measures: analysis.holes(qrels, runs, *measures),
    "explain_difference": lambda qrels, runs, measures: analysis.explain_difference(
        qrels, runs, *measures
    ),
    "report": lambda *given: analysis.report(*given),
    "check": lambda *given: analysis.check(*given),
    "judges": lambda qrels, *given: analysis.judges(qrels, {"machine": qrels}, *given),
    "estimate": lambda qrels, *given: analysis.estimate(qrels, qrels, *given),
}
"""The analyses of qrels, runs and measures."""


@pytest.fixture(scope="module")
def results():
    two = {name: RUNS[name] for name in ("A", "E")}
    found = [call(QRELS, two, ["nDCG_JK@5"]) for call in OF_RUNS.values()]
    of_all = analysis.evaluate(QRELS, RUNS, ["nDCG_JK@5", "AP"])
    values, drawn = found[0], analysis.curves(QRELS, two, "CG", 60)
    found += [
        drawn,
        analysis.intervals(values),
        analysis.group_means(values, {"351": "one"}),
        analysis.curves(QRELS, two, ["CG", "P"], at=[2, 3]),
        analysis.levels(demo.NAME),
        analysis.merge_judges({"one": QRELS, "other": QRELS}),
        analysis.compare_collections(dict.fromkeys(("c1", "c2", "c3"), values)),
        analysis.identify(
            QRELS, RUNS["A"], {topic: f"{n % 7 / 8:.4f}" for n, topic in enumerate(values.topics)}
        ),
        analysis.explain(QRELS, RUNS["A"], "nDCG_JK@5", "351"),
        analysis.holes(QRELS, RUNS, "CG@3"),  # these two have rows
        analysis.check(QRELS, RUNS, ["P(rel=4)@10"]),
        analysis.compare_leaderboards(of_all, of_all),
        analysis.reproduce(of_all, of_all, baseline="A", advanced="E"),
    ]
    return {type(result).__name__: result for result in found}


def _subclasses(kind):
    return {kind} | {each for direct in kind.__subclasses__() for each in _subclasses(direct)}


KINDS = sorted(kind.__name__ for kind in _subclasses(Result) if not isabstract(kind))
KINDS = [name for name in KINDS if name in analysis.__all__]
every_kind = pytest.mark.parametrize("kind", KINDS)


def test_every_result_is_tested(results):
    assert {*KINDS} == {*results}


@every_kind
def test_copies_keep_every_field(results, kind):
    result = results[kind]
    copies = [dataclasses.replace(result), copy.copy(result), pickle.loads(pickle.dumps(result))]
    for each in copies:
        assert repr(each.records()) == repr(result.records())
        assert (str(each), each.notes()) == (str(result), result.notes())
        for field in dataclasses.fields(result):
            if isinstance(before := getattr(result, field.name), np.ndarray):
                np.testing.assert_array_equal(getattr(each, field.name), before)


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
                assert {name: float(row[name]) for name in floats} == pytest.approx(
                    floats, rel=0, nan_ok=True
                )
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
    assert {*result.tables()[0].lines("text", 4)} <= {*str(result).splitlines()}
    records = result.records()
    assert len({tuple(record) for record in records}) == 1
    frame = result.to_frame()
    assert list(frame.columns) == list(records[0])
    assert (
        frame.astype(object).where(frame.notna(), None).values.tolist() == result.data().values()[1]
    )


@pytest.mark.parametrize("kind", sampled(KINDS, 4))
def test_a_notebook_shows_the_table_and_a_figure_without_mathematics(results, kind):
    result = results[kind]
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    assert len(page.findall(".//{http://www.w3.org/2000/svg}svg")) == 1
    columns, rows = result.table()
    shown = page.findall(".//table/tr")
    assert len(shown) == 1 + min(len(rows), ROWS)
    assert [cell.text or "" for cell in shown[0]] == columns
    assert (f"{ROWS} of {len(rows)} rows" in "".join(page.itertext())) == (len(rows) > ROWS)
    text = pytest.importorskip("matplotlib.text", reason="Matplotlib is not installed")
    texts = [found for found in result.figure().findobj(text.Text) if found.get_text()]
    assert texts
    assert not any(found.get_parse_math() for found in texts)


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
        runs = dict([*runs.items()][:2])
    with pytest.raises(GradedError) as expected:
        analysis.evaluate(qrels, runs, measures)
    if name == "check" and bad in ("no run", "score"):  # its remarks have the reason
        assert any(
            str(expected.value) == remark.text
            for remark in analysis.check(qrels, runs, measures).remarks
        )
        return
    with pytest.raises(GradedError) as told:
        OF_RUNS[name](qrels, runs, measures)
    assert str(told.value) == str(expected.value)
