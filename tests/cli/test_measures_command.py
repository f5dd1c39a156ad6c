"""The command `measures`."""

import json

import ir_measures

import ir_measures_graded
from command_line import command
from ir_measures_graded.core.registry import names, plugins


def test_measures_lists_origin_and_direction(output):
    lines = output("measures", "-f", "tsv")
    assert lines[0].split("\t") == ["measure", "aliases", "title", "better", "from"]
    rows = {line.split("\t")[0]: line.split("\t") for line in lines[1:]}
    assert set(rows) == {measure.NAME for plugin in plugins.plugins() for measure in plugin.measures}
    assert {name for name, row in rows.items() if row[3] == "smaller"} >= {"NDPM", "ESL", "ASL"}
    assert rows["nCG"][2:] == [
        "Normalised cumulated gain",
        "larger",
        f"ir-measures-graded {ir_measures_graded.__version__}",
    ]
    assert any(line.startswith("nDCG_JK  ") for line in output("measures"))
    assert output("measures", "-f", "markdown")[1].startswith("|---")


def test_measures_are_grouped_by_question_and_all_adds_the_standard_ones(output):
    lines = output("measures", "--all")
    groups = "\n".join(lines).split("\n\n")[1:-1]
    heads = {line.split()[0]: group.split("\n")[0] for group in groups for line in group.split("\n")[1:]}
    assert (heads["Q"], heads["NR"]) == ("How early are the relevant documents?", "How far must a user read?")
    assert heads["P"] == heads["StRecall"] == "Measures of ir-measures"
    doctests = {"First"}  # of `register`
    assert heads.keys() == {measure.NAME for measure in names.registry().values()} - doctests
    assert not {"P", "AP"} & {line.split(" ")[0] for line in output("measures")}


def test_a_measure_page_has_every_field(output):
    page = "\n".join(output("measures", "nDCG_JK"))
    for text in (
        "nDCG_JK: Normalised discounted cumulated gain (Järvelin & Kekäläinen)",
        "formula    nDCG[k] = DCG[k] / DCG_I[k]",
        "undefined  0 without relevant documents",
        "better     larger",
        "source     Järvelin & Kekäläinen 2002",
        f"from       ir-measures-graded {ir_measures_graded.__version__}",
        "b             a real number > 1; default 2",
        "cutoff (@)    a whole number ≥ 1; optional",
    ):
        assert text in page
    assert ">>>" not in page
    assert ":formula:" not in page
    assert all(len(line) <= 100 for line in page.splitlines())


def test_a_standard_measure_page_has_the_facts_of_ir_measures(output):
    page = "\n".join(output("measures", "IPrec", "MAP"))
    assert "IPrec: Interpolated Precision@recall" in page
    assert "recall (@)    a number with a decimal point; required" in page
    assert "aliases    MAP" in page
    assert "from       ir-measures\n" in page
    assert "cite" not in page
    assert "better" not in page
    for name in ir_measures.measures.registry:
        assert output("measures", name)


def test_plugins_are_listed_with_their_status(output, monkeypatch):
    broken = plugins.Plugin("x", "some-dist", "1.0", problem="ImportError: no module y")
    monkeypatch.setattr(plugins, "_met", [*plugins._met, broken])
    monkeypatch.setattr(plugins, "load", lambda: None)
    rows = [line.split("\t") for line in output("measures", "--plugins", "-f", "tsv")]
    assert rows[0] == ["distribution", "version", "plugin", "measures", "status"]
    assert rows[1][:3] == ["ir-measures-graded", ir_measures_graded.__version__, "measures"]
    assert "nDCG_JK" in rows[1][3].split(", ")
    assert rows[1][4] == "loaded"
    assert rows[-1] == ["some-dist", "1.0", "x", "", "skipped: ImportError: no module y"]
    last = json.loads(output("measures", "--plugins", "-f", "jsonl")[-1])
    assert last["measures"] == []
    assert any("some-dist" in line for line in output("measures", "--plugins"))


def test_an_invalid_plugin_setting_is_refused():
    done = command("measures", "--plugins", environment={plugins.VARIABLE: "maybe"}, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ir_measures_graded: error: {plugins.VARIABLE}='maybe' is not allowed")
