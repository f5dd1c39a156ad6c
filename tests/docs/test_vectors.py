"""The test vectors are what the package computes today, and the tables on other tools are true."""

import json

import pytest
from site_extensions import conformance, made

from ir_measures_graded import parse_measure, vectors
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.measures import measures_of_levels

KEPT = vectors.load()
LABELS = list(KEPT["collections"])


def test_the_file_has_the_values_of_today():
    now = made()
    assert KEPT["collections"] == now["collections"]
    for old, new in zip(KEPT["measures"], now["measures"], strict=True):
        name = new["measure"]
        assert old["measure"] == name
        assert old["means"] == pytest.approx(new["means"], rel=1e-12, abs=1e-15), name
        for collection, values in new["values"].items():
            expected = pytest.approx(values, rel=1e-12, abs=1e-15)
            assert old["values"][collection] == expected, name


def test_every_measure_is_there_and_strings_are_what_their_parts_say():
    entries = KEPT["measures"]
    assert {measure.NAME for measure in measures_of_levels()} < {entry["name"] for entry in entries}
    for entry in entries:
        measure = parse_measure(entry["measure"])
        assert entry["name"] == measure.NAME
        assert measure.params.get("cutoff") == entry["cutoff"]
        lacking = KEPT["collections"].keys() - entry["values"].keys()
        assert lacking <= {"real levels", "large levels"}
        assert entry["means"].keys() == entry["values"].keys()


def test_the_file_follows_its_schema():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    jsonschema.validate(KEPT, vectors.load("schema"))


def test_the_trec_files_have_the_same_values(tmp_path):
    vectors.write(tmp_path)
    text = (tmp_path / "values.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    for name, folder, topic, value in rows[:: len(rows) // 40]:
        evaluation = evaluate(tmp_path / f"{folder}.qrels", tmp_path / f"{folder}.run", [name])
        value_of = dict(zip(evaluation.topics, evaluation.values[0, 0]))
        value_of["all"] = evaluation.means()[0, 0]
        assert value_of[topic] == pytest.approx(float(value), rel=1e-12), (name, folder)
    lines = [line.split() for line in (tmp_path / "ties.run").read_text().splitlines()]
    assert lines == sorted(lines, key=lambda line: (line[0], -float(line[4])))  # as their ranks


@pytest.mark.parametrize("tool", conformance.TOOLS)
def test_each_difference_of_a_tool_has_a_named_convention_and_no_other(tool):
    outcome = conformance.outcomes().get(tool)
    if outcome is None:
        pytest.skip("the tool is not installed")
    differing = set()
    for measure, signs in outcome.signs.items():
        for label, sign in zip(LABELS, signs, strict=True):
            if sign == conformance.DIFFERENT:
                differing.add((measure, label))
                assert conformance.named(tool, measure, label)
    for row in conformance.conventions():
        if row["tool"] != tool:
            continue
        measures = row["measures"].split(" ")
        if measures == ["*"]:
            measures = conformance.TOOLS[tool].metrics
        for label in row["collections"].split(", "):
            assert any((measure, label) in differing for measure in measures), row


@pytest.mark.parametrize("tool", conformance.HEAVY)
def test_a_recorded_tool_that_is_installed_computes_the_same_today(tool):
    try:
        now = conformance.run(tool)
    except ModuleNotFoundError:  # or its metadata
        pytest.skip("the tool is not installed")
    recorded = json.loads(conformance.RECORDED.read_text(encoding="utf-8"))
    assert recorded[tool]["signs"] == now.signs
