"""The recipes of "Where to add code" in docs/architecture.md.

Each test makes an addition in memory. The package sees a complete addition and refuses another one.
"""

import sys
from types import ModuleType

import pytest

from ir_measures_graded import (
    Choice,
    GradedError,
    TopicMeasure,
    nDCG_JK,
    parse_measure,
    register,
)
from ir_measures_graded.cli import COMMANDS, GROUPS, main, program
from ir_measures_graded.core.measures import base
from ir_measures_graded.core.registry import names
from ir_measures_graded.core.registry.listing import facts_of, page
from ir_measures_graded.output import formats
from ir_measures_graded.output.result import View
from ir_measures_graded.output.tables import Column, Table
from ir_measures_graded.testing import check_measure


class FirstGain(TopicMeasure):
    """Gain at rank 1: The gain of the first document.

    :formula: G[1]
    :range: [0, ∞)
    :undefined: 0 without a retrieved document
    :source: a test
    """

    def value(self, topic):
        return topic.gains[0] if topic.retrieved else 0.0


class Undescribed(FirstGain):
    """Gain at rank 1: The gain of the first document."""


def test_a_new_measure_is_read_described_and_checked(monkeypatch):
    monkeypatch.setattr("ir_measures.measures.registry", dict(names.registry()))
    measure = register(FirstGain)
    assert parse_measure("FirstGain") == measure
    assert facts_of(measure)["title"] == "Gain at rank 1"
    assert any("G[1]" in line for line in page(measure))
    check_measure(measure)
    with pytest.raises(AssertionError, match="lacks :formula:"):
        check_measure(Undescribed())


def test_an_option_of_all_measures_reaches_every_measure(monkeypatch):
    original = base.options

    def with_tone(cls):
        return original(cls) | {"tone": Choice("low", "high", default="low", desc="the tone")}

    monkeypatch.setattr(base, "options", with_tone)

    class Toned(FirstGain):
        """Gain at rank 1: The gain of the first document."""

    assert Toned()(tone="high").params["tone"] == "high"
    assert "the tone" in "\n".join(page(Toned()))
    with pytest.raises(ValueError, match="tone"):
        Toned()(tone="middle")
    with pytest.raises(ValueError, match="tone"):
        nDCG_JK(tone="high")


def command_named(name, monkeypatch):
    module = ModuleType(f"ir_measures_graded.cli.{name}")
    module.OPTIONS = ()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(program, "COMMANDS", (*COMMANDS, name))
    monkeypatch.setattr(program, "GROUPS", {**GROUPS, "Greet": (name,)})
    return module


def test_a_command_is_listed_and_has_a_help(monkeypatch, capsys):
    module = command_named("greet", monkeypatch)

    def run(arguments):
        """Greet the user."""
        return ["hello"]

    module.run = run
    for words, line in [
        (["--help"], "Greet the user."),
        (["greet", "--help"], "usage: ir_measures_graded greet"),
        (["greet"], "hello"),
    ]:
        assert main(words) == 0
        assert line in capsys.readouterr().out
    assert main(["greet", "--loud"]) == 2
    monkeypatch.delattr(module, "run")
    with pytest.raises(AttributeError, match="run"):
        main(["greet"])


def test_a_table_format_is_chosen_by_name(monkeypatch):
    def colons(columns, rows, places=formats.PLACES):
        for line in (columns, *rows):
            yield ":".join(map(str, line))

    view = View([Table(["run", "mean"], [["bm25", 0.5]])])
    with pytest.raises(GradedError, match="colons"):
        view.lines("colons")
    monkeypatch.setitem(formats.FORMATS, "colons", colons)
    assert view.lines("colons") == ["run:mean", "bm25:0.5"]


def test_a_column_reaches_every_format():
    columns = ["run", Column("mean_rank", kind=lambda rank: f"{rank:.1f}")]
    view = View([Table(columns, [["bm25", 1.25]])])
    for form in formats.FORMATS:
        text = "\n".join(view.lines(form))
        heading, cell = (
            ("mean rank", "1.2") if form in formats.FOR_PEOPLE else ("mean_rank", "1.25")
        )
        assert heading in text
        assert cell in text
    assert view.records() == [{"run": "bm25", "mean_rank": 1.25}]
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        Table(columns, [["bm25"]])
