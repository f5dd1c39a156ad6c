"""The pages are complete, and their statements about measures are true."""

import re
import sys
from random import Random

import pytest
import pytrec_eval
from site_extensions import DOCS, installation

import ir_measures_graded
from all_measures import MEASURES, WITH_GAINS
from ir_measures_graded import analysis, cli
from ir_measures_graded.core.measures import intents, sessions
from ir_measures_graded.demo import run_paths
from ir_measures_graded.errors import PACKAGE

DOUBLED = {1: 2, 2: 4, 3: 6}


def page(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_a_section(command):
    text = page("command-line")
    section = text.partition(f"\n## {command}\n")[2].partition("\n## ")[0]
    assert f"{{computed}} computed.help_of {command}\n" in section
    assert re.search(rf"^\$ .*ir_measures_graded {command}\b", section, re.MULTILINE)


def test_every_public_name_is_in_the_api():
    directive = r"(?:auto\w+|data):: (?:ir_measures_graded\.)?(\w+)$"
    listed = set(re.findall(directive, page("api"), re.MULTILINE))
    with_pages = (*MEASURES, *intents.MEASURES, *sessions.MEASURES)
    measures = {measure.NAME for measure in with_pages}
    public = {name for name in ir_measures_graded.__all__ if not name.startswith("_")}
    assert public - measures <= listed
    assert set(analysis.__all__) - {"figures"} <= listed


def test_the_citation_names_the_version_of_the_package():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    _, _, citation = readme.partition("<!-- project -->")
    assert f"  version = {{{ir_measures_graded.__version__}}},\n" in citation
    assert "<!-- project -->" in page("index")


@pytest.mark.parametrize(
    ("modules", "arguments"),
    [
        (["scipy", "scipy.special"], ["compare", "AP"]),
        (["matplotlib"], ["curves", "CG", "-o", "CG.svg"]),
        (["jinja2"], ["curves", "CG", "-o", "CG.html"]),
    ],
)
def test_troubleshooting_shows_the_messages_for_missing_libraries(
    modules, arguments, monkeypatch, capsys
):
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    command, *rest = arguments
    assert cli.main([command, "graded-demo", *map(str, run_paths().values()), *rest]) == 2
    text = installation.installed_from(PACKAGE, page("troubleshooting"))
    assert f"\n{capsys.readouterr().err}" in text


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.stem)
def test_pages_install_from_a_clone_until_an_index_has_the_package(path):
    text = path.read_text(encoding="utf-8")
    if path.stem not in (*installation.FOR_CONTRIBUTORS, "write-your-own-measure"):
        assert PACKAGE != "." or not re.search(r"pip install '?ir-measures-graded", text)
        released = installation.installed_from("ir-measures-graded", text)
        assert not re.search(r"pip install '?\.[^./]|in a clone of the rep", released)


def test_licences_names_the_measures_that_run_pytrec_eval(monkeypatch):
    calls = []

    class Spy(pytrec_eval.RelevanceEvaluator):
        def __init__(self, *arguments, **options):
            calls.append(arguments)
            super().__init__(*arguments, **options)

    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", Spy)
    standard = "AP nDCG@5 P@5 R@5 RR RR@5 Rprec Success@5 Bpref NumRet NumRel NumRelRet NumQ SetR"
    theirs = "SetAP SetF IPrec@0.1 infAP SetP(relative=True) set_map set_F iprec_at_recall_0.10"
    names = [*map(str, MEASURES), *standard.split(), "SetP", "Judged@5", *theirs.split()]
    qrels = {"q": {"a": 1, "b": 0}}
    runs = {"run": {"q": {"a": 2.0, "b": 1.0}}}
    by_pytrec_eval = []
    for name in names:
        calls.clear()
        analysis.evaluate(qrels, runs, [name])
        if calls:
            by_pytrec_eval.append(name)
    assert by_pytrec_eval == theirs.split()
    row = page("licences").partition("| `SetAP`")[2].partition("| AP, nDCG")[0]
    for name in theirs.split():
        assert name.partition("@")[0] in f"SetAP{row}", name


def groups(*head):
    """The measures in each row of a table of choosing.md, by the texts of the other cells."""
    header = f"| {' | '.join(head)} |\n"
    table = page("choosing").partition(header)[2].partition("\n\n")[0]
    _, *lines = table.splitlines()
    measures = {}
    for line in lines:
        *cells, last = line.strip("| ").split(" | ")
        measures[tuple(cells)] = set(re.findall(r"`(\w+)`", last))
    return measures


def value(measure, qrels, run):
    return measure.calc_aggregate({"q": qrels}, {"q": run})


def topics():
    """Random topics with judged documents that were not retrieved, unjudged documents and ties."""
    random = Random(2002)
    for number in range(60):
        levels = {f"d{doc}": random.choice([0, 0, 1, 1, 2, 3]) for doc in range(12)}
        unjudged = [f"u{doc}" for doc in range(8)]
        retrieved = random.sample([*levels, *unjudged], 12)
        yield str(number), levels, {doc: random.randint(0, 16) / 16 for doc in retrieved}


QRELS = {topic: levels for topic, levels, _ in topics()}
RUN = {topic: scores for topic, _, scores in topics()}


def values(measure, qrels=QRELS):
    return {topic: value for topic, _, value in measure.iter_calc(qrels, RUN)}


def same(first, second):
    return values(first) == pytest.approx(values(second), abs=1e-9)


def grouped(treatment):
    """The names of the measures by treatment."""
    names = {}
    for measure in MEASURES:
        names.setdefault(treatment(measure), set()).add(measure.NAME)
    return names


def ids_decide(measure):
    tied = {"a": 1.0, "b": 1.0}
    return value(measure, {"a": 1, "b": 0}, tied) != value(measure, {"a": 0, "b": 1}, tied)


def of_ties(measure):
    if "tied_by" not in measure.PARAMETERS:
        return "their ids decide" if ids_decide(measure @ 1) else "no effect"
    assert ids_decide(measure(tied_by="rank"))
    if ids_decide(measure):
        return "their ids decide"
    return "they stay tied; with `tied_by='rank'` their ids decide"


def of_unjudged(measure):
    cut = measure @ 5 if measure.CUTOFF else measure
    condensed = cut(judged_only=True)
    assert not same(condensed, cut(judged_only=False))
    return "ignored" if same(cut, condensed) else "keep their ranks, with gain 0"


def of_missing(measure):
    topics = ({"a": 1, "b": 0}, {"a": 3, "b": 1, "c": 0}, {"a": 2})
    values = {value(measure, judged, {}) for judged in topics}
    return f"{values.pop():g}" if len(values) == 1 else "depends on the topic"


def of_irrelevant(measure):
    return f"{value(measure, {'x': 0}, {'x': 1}):g}"


def test_the_page_lists_special_cases_of_measures():
    cases = {
        "tied documents": of_ties,
        "unjudged documents": of_unjudged,
        "topic missing from the run": of_missing,
        "topic without relevant documents": of_irrelevant,
    }
    expected = {}
    for case, treatment in cases.items():
        names_of = grouped(treatment)
        usual = max(names_of, key=lambda outcome: len(names_of[outcome]))
        names_of[usual] = set()  # "all others"
        for outcome, names in names_of.items():
            expected[case, outcome] = names
    assert groups("case", "treatment or value", "measures") == expected


def of_gains(measure):
    if not measure.HAS_GAINS:
        return "whether the level is at least `rel`"
    linear = measure(gains="linear")
    if same(linear, measure(gains={2: 1, 3: 1})):
        return "whether they are above 0"
    if same(linear, measure(gains={1: 1, 2: 10, 3: 100})):
        return "their order"
    if same(linear, measure(gains=DOUBLED)):
        return "their ratios"
    return "the size of the gains"


def test_the_page_lists_the_use_of_gains_by_measures():
    listed = groups("What matters to the measure", "consequence", "measures")
    assert {kind: names for (kind, _), names in listed.items()} == grouped(of_gains)


@pytest.mark.parametrize("measure", WITH_GAINS, ids=str)
def test_doubling_levels_is_doubling_gains_except_for_agr(measure):
    doubled = {}
    for topic, levels in QRELS.items():
        doubled[topic] = {doc: 2 * level for doc, level in levels.items()}
    with_doubled_levels = values(measure(gains="linear"), doubled)
    with_doubled_gains = values(measure(gains=DOUBLED))
    is_equal = with_doubled_levels == pytest.approx(with_doubled_gains, abs=1e-9)
    assert is_equal == (measure.NAME != "AGR")
