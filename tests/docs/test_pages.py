"""What the pages leave out: nothing that has a place on them."""

import re

import pytest
from site_extensions import DOCS

import ir_measures_graded
from ir_measures_graded import analysis, cli
from ir_measures_graded.measures import MEASURES

import behaviour  # isort: skip

SOURCE = DOCS.parent / "src" / "ir_measures_graded"


def page(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_its_section(command):
    text = page("command-line")
    section = text.partition(f"\n## {command}\n")[2].partition("\n## ")[0]
    assert f"{{computed}} commands.help_of {command}\n" in section
    assert re.search(rf"^\$ .*ir_measures_graded {command}\b", section, re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in ir_measures_graded.__all__ if not name.startswith("_")])
def test_every_public_name_is_in_the_api(name):
    if name in {measure.NAME for measure in MEASURES}:
        return  # these have pages
    assert re.search(rf"auto\w+:: {name}$|data:: ir_measures_graded\.{name}$", page("api"), re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in analysis.__all__ if name != "plots"])
def test_every_analysis_is_in_the_api(name):
    assert re.search(rf"auto\w+:: {name}$", page("api").partition("## Analysis")[2], re.MULTILINE)


def test_every_module_has_its_room():
    rooms = page("architecture").partition("## Rooms")[2].partition("\n## ")[0]
    modules = {path.stem for path in SOURCE.glob("*.py")} - {"__main__"}
    modules |= {f"{path.name}/" for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    named = set(re.findall(r"`([\w/]+)`", "".join(re.findall(r"^\| (.*?) \|", rooms, re.MULTILINE))))
    assert modules - named == set()
    assert {name for name in named if name.endswith("/")} <= modules | {"tests/"}


def test_every_tox_environment_is_explained():
    tox = (DOCS.parent / "tox.ini").read_text(encoding="utf-8")
    environments = re.search(r"^env_list = (.*)$", tox, re.MULTILINE)[1].split(", ")
    named = re.findall(r"^\[testenv:(.*)\]$", tox, re.MULTILINE)
    for name in {*environments, *named}:
        assert f"`{name}`" in page("CONTRIBUTING") or re.fullmatch(r"py31\d|py\{.*\}", name), name


def test_what_measures_do_in_special_cases():
    by = {measure.NAME: behaviour.behaviour(measure) for measure in MEASURES}
    tied = {"NDPM", "KendallTau", "Spearman", "ESL", "ASL", "NR"}
    assert {name for name, each in by.items() if each.ties.startswith("tied")} == tied
    assert {name for name, each in by.items() if each.ties.startswith("no matter")} == {"ADM"}
    condensed = {"NDPM", "KendallTau", "Spearman", "ADM"}
    assert {name for name, each in by.items() if each.unjudged.startswith("left out")} == condensed
    depends = {"ADM", "ESL", "ASL", "NR"}
    assert {name for name, each in by.items() if each.missing.startswith("depends")} == depends
    assert {name: each.no_relevant for name, each in by.items() if each.no_relevant != "0"} == {"NDPM": "½"}


def test_what_measures_take_from_the_gains():
    by = {measure.NAME: behaviour.counts(measure) for measure in MEASURES}
    assert {name for name, kind in by.items() if kind == "their size"} == {"CG", "DCG_JK", "Q"}
    assert {name for name, kind in by.items() if kind == "their order"} == {"NDPM", "KendallTau", "Spearman"}
    assert {name for name, kind in by.items() if kind == "relevant or not"} == {"ESL", "ASL", "NR"}


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_doubling_levels_is_doubling_gains_but_for_agr(measure):
    differ = False
    for qrels, run in behaviour.topics():
        doubled = measure.calc_aggregate({"q": {doc: 2 * level for doc, level in qrels.items()}}, {"q": run})
        gains = measure(gains=behaviour.DOUBLED).calc_aggregate({"q": qrels}, {"q": run})
        differ |= abs(doubled - gains) > 1e-9
    assert differ == (measure.NAME == "AGR")
