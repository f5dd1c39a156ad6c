"""docs/vectors.json is what the package computes today; the page's reader is run with its other commands."""

import json

import pytest
from site_extensions import DOCS, vectors

from ir_measures_graded import parse_measure
from ir_measures_graded.core.measures import MEASURES


def test_the_file_has_the_values_of_today():
    made, kept = vectors(), json.loads((DOCS / "vectors.json").read_text(encoding="utf-8"))
    assert kept["collections"] == made["collections"]
    assert [each["measure"] for each in kept["measures"]] == [each["measure"] for each in made["measures"]]
    for old, new in zip(kept["measures"], made["measures"]):
        for collection, values in new["values"].items():
            assert old["values"][collection] == pytest.approx(values, rel=1e-12, abs=1e-15), new["measure"]


def test_every_measure_and_collection_is_there_and_strings_are_what_their_parts_say():
    kept = json.loads((DOCS / "vectors.json").read_text(encoding="utf-8"))
    assert {each["name"] for each in kept["measures"]} == {measure.NAME for measure in MEASURES}
    assert len(kept["collections"]) == 8
    for each in kept["measures"]:
        measure = parse_measure(each["measure"])
        assert (measure.NAME, measure.params.get("cutoff")) == (each["name"], each["cutoff"])
        assert each["values"].keys() == kept["collections"].keys(), each["measure"]
