"""The command `measures`."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import ir_measures
import pytest

import ir_measures_graded
from ir_measures_graded.core.registry import listing, names, plugins
from ir_measures_graded.core.registry.facts import is_graded
from ir_measures_graded.core.registry.sentences import sentence
from ir_measures_graded.errors import GradedError
from ir_measures_graded.output.formats import latex_prose

DOCS = Path(__file__).parents[2] / "docs"
ORIGIN = f"ir-measures-graded {ir_measures_graded.__version__}"


def test_measures_lists_origin_and_direction(output):
    head, *lines = [line.split("\t") for line in output("measures", "-f", "tsv")]
    assert head == ["measure", "aliases", "title", "better", "from"]
    rows = {line[0]: line for line in lines}
    known_names = set()
    for plugin in plugins.plugins():
        known_names |= {measure.NAME for measure in plugin.measures}
    assert set(rows) == known_names
    assert {name for name, row in rows.items() if row[3] == "smaller"} >= {"NDPM", "ESL", "ASL"}
    assert rows["nCG"][2:] == ["Normalised cumulated gain", "larger", ORIGIN]


def test_measures_are_grouped_by_question_and_all_adds_the_standard_ones(output):
    groups = "\n".join(output("measures", "--all")).split("\n\n")[1:-1]
    heads = {}
    for group in groups:
        head, *lines = group.split("\n")
        for line in lines:
            if not line.startswith(" "):  # otherwise a title goes on
                heads[line.split()[0]] = head
    assert heads["Q"] == "How early are the relevant documents?"
    assert heads["NR"] == "How far must a user read?"
    assert heads["P"] == "Measures of ir-measures"
    assert heads["StRecall"] == "Measures of ir-measures"
    doctests = {"First"}  # of `register`
    assert heads.keys() == {measure.NAME for measure in names.registry().values()} - doctests


def test_pages_have_every_field_of_graded_and_standard_measures(output):
    page = "\n".join(output("measures", "nDCG_JK", "IPrec", "MAP"))
    for text in (
        "nDCG_JK: Normalised discounted cumulated gain (Järvelin & Kekäläinen)",
        "formula    nDCG[k] = DCG[k] / DCG_I[k]",
        "undefined  0 without relevant documents",
        "better     larger",
        "source     Järvelin & Kekäläinen 2002",
        f"from       {ORIGIN}\n",
        "b             a real number > 1; default 2",
        "cutoff (@)    a whole number ≥ 1; optional",
        "IPrec: Interpolated Precision@recall",
        "recall (@)    a number with a decimal point; required",
        "aliases    MAP",
        "from       ir-measures\n",
    ):
        assert text in page
    assert not any(text in page for text in (">>>", ":formula:", "cite"))
    assert all(len(line) <= 100 for line in page.splitlines())
    assert output("measures", *ir_measures.measures.registry)


def test_standard_measures_have_their_formula_and_the_page_that_defines_them(output):
    """Those without a formula here name the documentation of ir-measures."""
    texts = {fact["name"]: fact for fact in map(listing.facts_of, listing.standard())}
    here = {name for name, fact in texts.items() if fact["definition"] == listing.PAGE_OF_STANDARD}
    assert here >= {"AP", "nDCG", "RBP", "ERR", "Bpref", "NumRel"}
    page = (DOCS / "standard-measures.md").read_text(encoding="utf-8")
    for name, fact in texts.items():
        assert bool(fact["formula"]) == (name in here)
        assert (f"standard_measures.paragraph {name}\n" in page) == (name in here)
    printed = " ".join(" ".join(output("measures", "ERR", "infAP")).split())
    assert "ERR_G(max_gain=15) has the same formula, with the top level 4 of gdeval" in printed
    assert "in ERR_G, as in its paper, the highest judged level is the top" in printed
    assert "formula Σ_{i≤k} s(i) / i" in printed
    assert f"definition {listing.PAGE_OF_STANDARD}" in printed
    assert f"definition {listing.PAGE_OF_OTHERS}" in printed


def test_plugins_are_listed_with_their_status(output, monkeypatch):
    broken = plugins.Plugin("x", "some-dist", "1.0", problem="ImportError: no module y")
    monkeypatch.setattr(plugins, "_met", [*plugins._met, broken])
    monkeypatch.setattr(plugins, "load", lambda: None)
    rows = [line.split("\t") for line in output("measures", "--plugins", "-f", "tsv")]
    name, version, entry, _, status = rows[1]
    assert f"{name} {version}" == ORIGIN
    assert entry == "measures"
    assert status == "loaded"
    assert rows[-1] == ["some-dist", "1.0", "x", "", "skipped: ImportError: no module y"]
    last = json.loads(output("measures", "--plugins", "-f", "jsonl")[-1])
    assert last["measures"] == []


def test_the_paragraph_of_latex_has_the_formulas_of_latex(output):
    """pdfLaTeX refuses Greek letters and relations outside mathematics."""
    measures = ["nDCG_JK@10", "RBP_G(p=0.8)"]
    lines = output("measures", *measures, "--sentence", "--bibtex", "-f", "latex")
    text = " ".join(lines)
    assert r"nDCG\_JK@10: " in text
    assert r"$\mathrm{DCG}[k] = \sum_{i\le k} G[i] / d(i)$" in text
    assert r"$(1 - p) \sum_{i\le k} (G[i] / H) p^{i-1}$" in text
    assert r"2002~\cite{jarvelin2002}, Eq. 5 and 6." in text
    assert "@article{jarvelin2002," in lines


@pytest.mark.parametrize("name", names.registry())
def test_the_paragraph_of_each_measure_needs_no_package_of_latex(name):
    """Without packages, LaTeX prints ASCII as it is, and straight quotes as closing ones."""
    try:
        paragraph = latex_prose(sentence(name))
    except GradedError:  # ir-measures alone defines it, or it needs a cutoff
        paragraph = ""
    assert paragraph.isascii(), [sign for sign in paragraph if not sign.isascii()]
    assert not re.search(r'(?<!\\)"', paragraph)
    assert paragraph.count("``") <= paragraph.count("''")


def test_latex_displays_the_formula_of_a_measure(output):
    formula = [
        r"\[",
        r"\begin{aligned}",
        r"\mathrm{ERR} &= \sum_{i=1}^{k} \frac{s(i)}{i} \\",
        r"s(i) &= p(i) \prod_{j=1}^{i-1} (1 - p(j)) \\",
        r"p(i) &= \frac{G[i]}{H + 1}",
        r"\end{aligned}",
        r"\]",
    ]
    for options in ([], ["--sentence"]):
        lines = output("measures", "ERR_G@10", "AP", *options, "-f", "latex")
        start = lines.index(r"\[")
        assert lines[start : start + len(formula)] == formula
        assert lines.count(r"\[") == 1
        assert r"$\sum_{i\le k} \mathrm{rel}(i) C[i]/i / R$" in " ".join(lines)  # it has words
        assert lines[0] == r"% needs \usepackage{amsmath}"
    assert r"\paragraph{ERR\_G: Expected reciprocal rank (graded).}" in output(
        "measures", "ERR_G", "-f", "latex"
    )


@pytest.mark.parametrize("name", names.registry())
def test_a_paragraph_of_latex_has_its_formula_once_and_in_math_mode(name, output):
    measure = names.registry()[name]
    text = f"{name}@5" if "cutoff" in measure.SUPPORTED_PARAMS else name
    try:
        sentence(text)
    except GradedError:
        pytest.skip("ir-measures alone defines it, or it needs a parameter")
    lines = output("measures", text, "--sentence", "-f", "latex")
    paragraph = " ".join(lines)
    outside = re.sub(r"\$[^$]*\$|\\\[.*?\\\]", "", paragraph)
    formula = outside.partition(": ")[2].partition("Here ")[0]
    assert not re.search(r"\\Sigma|\\text(sub|super)script|[_^]", formula.replace(r"\_", ""))
    displayed = paragraph.count(r"\[")
    assert displayed <= 1
    if displayed:
        assert "The value is \\[" in paragraph
    needs = any(word in paragraph for word in (r"\begin{aligned}", r"\begin{cases}"))
    assert lines[0].startswith("% needs") == needs


def test_latex_of_all_measures_compiles(output, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdfLaTeX is not installed")
    measures = list(names.registry())
    described = [measure for measure in measures if is_graded(names.registry()[measure])]
    with_cutoff = [f"{name}@5" if names.registry()[name].CUTOFF else name for name in described]
    lines = output("measures", *measures, "-f", "latex")
    lines += output("measures", *with_cutoff, "--sentence", "-f", "latex")
    head = [r"\documentclass{article}", r"\usepackage{amsmath}"]
    for rule in ("toprule", "midrule", "bottomrule"):  # booktabs is often not installed
        head.append(rf"\def\{rule}{{\hline}}")
    document = [*head, r"\begin{document}", *lines, r"\end{document}"]
    Path(tmp_path, "measures.tex").write_text("\n".join(document), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "measures.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:].decode(errors="replace")


def test_entries_of_bibtex_need_no_package(output):
    entries = output("measures", "--bibtex", "nDCG_JK", "R_cap", "RelativeRelevance")
    assert all(line.isascii() for line in entries)
    assert any(r"author = {J{\"{a}}rvelin, Kalervo" in line for line in entries)


def test_paragraphs_and_entries_are_printed_together(output):
    """A measure of trec_eval has its program as an entry, and the paragraph says what k is."""
    lines = output("measures", "AP", "nDCG_JK@10", "--sentence", "--bibtex")
    assert "\n".join(lines).startswith("\n".join(output("measures", "AP", "--sentence"))[:300])
    assert "Here k is the last rank;" in " ".join(lines)
    entries = [line.partition("{")[2] for line in lines if line.startswith("@")]
    assert entries == ["jarvelin2002,", "buckley2026,", "macavaney2022,", "ir_measures_graded,"]
    rows = output("measures", "AP", "--sentence", "--bibtex", "-f", "jsonl")
    kinds = [json.loads(row)["kind"] for row in rows]
    assert kinds == ["sentence", "bibtex", "bibtex", "bibtex"]
