"""Options that several analyses share."""

import pytest
from ir_measures import AP, P

from ir_measures_graded import CG, GradedError, UnknownMeasureError
from ir_measures_graded.analysis import options


def test_measures_may_lack_a_cutoff_and_duplicates_are_dropped():
    assert options.measures_named(["P", "CG", CG, "P"]) == [P, CG]
    assert options.measures_named("CG") == options.measures_named(CG) == [CG]


def test_other_names_are_read_as_names_of_trec_eval(monkeypatch):
    def parse_measures(names):
        if names == ["map"]:
            return (AP,)
        raise UnknownMeasureError("measure not found")

    monkeypatch.setattr(options, "parse_measures", parse_measures)
    assert options.measures_named(["map", "P"]) == [AP, P]
    with pytest.raises(GradedError, match="measure not found"):
        options.measures_named(["nothing"])
