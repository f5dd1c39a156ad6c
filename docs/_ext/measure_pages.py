"""Generates a page for each measure before Sphinx reads the site.

A page takes its text from the measure's declaration and docstring, its BibTeX from
``references.bib``, the symbols of its formulas from `symbols`, and the comparison with other tools
from `elsewhere`. A missing part is an error.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import symbols
from computed import markdown
from elsewhere import ELSEWHERE
from sphinx.application import Sphinx

from ir_measures_graded import GradedMeasure
from ir_measures_graded.core import measures
from ir_measures_graded.core.registry.listing import Reference, better, facts_of, references_of
from ir_measures_graded.core.registry.sentences import formulas_in_tex

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "measures"
MEASURES = [measure for family in measures.families().values() for measure in family.MEASURES]
REPRODUCED = {
    "jarvelin2002": ("Järvelin & Kekäläinen 2002", "jarvelin-kekalainen-2002"),
    "zhou2010": ("Zhou & Yao 2010", "zhou-yao-2010"),
    "scheel2011": ("Scheel, Lommatzsch & Albayrak 2011", "scheel-2011"),
}


class IncompleteMeasure(Exception):
    """A measure lacks a part of its page."""


def page(measure: GradedMeasure) -> str:
    """The Markdown page of a measure."""
    facts = facts_of(measure)
    part(measure, "formula")  # Terminals print it. The page has the TeX only.
    title = f"**{facts['title']}**"
    if facts["aliases"]:
        aliases = ", ".join(f"`{name}`" for name in facts["aliases"])
        title += f" (also {aliases})"
    parts = [f"# {measure.NAME}", f"{title}. {facts['description']}"]
    parts.append("## Definition")
    parts += formulas(measure)
    parts.append(symbol_table(measure))
    parts += paragraphs(measure)
    rows = map(" | ".join, properties(measure))
    parts.append("\n".join(["|     |     |", "|-----|-----|", *rows]))
    parts += ["## Parameters", parameter_table(facts["parameters"])]
    parts += ["## Example", f"```python\n{example(measure)}\n```"]
    parts += ["## In other tools", elsewhere(measure)]
    parts += ["## Source", f"{part(measure, 'source')}.{reproduced(measure)}"]
    parts += [f"```bibtex\n{work.bibtex}\n```" for work in sources(measure)]
    return "\n\n".join(parts) + "\n"


def part(measure: GradedMeasure, field: str) -> str:
    """A field of a measure's docstring."""
    text = measure.doc_field(field)
    if not text:
        raise IncompleteMeasure(f"{measure.NAME}: the docstring has no :{field}:")
    return text


def formulas(measure: GradedMeasure) -> Iterator[str]:
    """The formula, and the formula with `avg` if the measure has this parameter."""
    part(measure, "tex")  # each measure of a page has a formula
    tex, *averaged = formulas_in_tex(measure, "avg" in measure.PARAMETERS)
    yield f"```{{math}}\n{tex}\n```"
    for formula in averaged:
        yield "With `avg=True`, the value is the mean over the first $k$ ranks:"
        yield f"```{{math}}\n{formula}\n```"


def symbol_table(measure: GradedMeasure) -> str:
    """The symbols of the formulas and their meanings."""
    missing = symbols.undefined(measure)
    if missing:
        names = ", ".join(sorted(missing))
        raise IncompleteMeasure(f"{measure.NAME}: docs/_ext/symbols.tsv does not define {names}")
    return symbols.table(measure)


def paragraphs(measure: GradedMeasure) -> list[str]:
    """The docstring's text without its first sentence, its fields and its example."""
    docstring = inspect.cleandoc(type(measure).__doc__ or "")
    _, *others = re.split(r"\n\s*\n", docstring)
    return [in_code(text) for text in others if not re.match(r":|>>>", text)]


def properties(measure: GradedMeasure) -> Iterator[tuple[str, str]]:
    """Range, direction and special values of a measure, as rows of a table."""
    yield "Values", part(measure, "range").replace("-", "−")
    directions = {better(facts_of(variant)) for variant in variants(measure)}
    direction = better(facts_of(measure))
    if len(directions) > 1:
        direction += " by default"
    yield "Better", direction
    yield "Undefined", part(measure, "undefined")
    missing = "depends on the topic" if measure.DEFAULT is None else f"{measure.DEFAULT:g}"
    yield "Topic missing from the run", missing


def variants(measure: GradedMeasure) -> Iterator[GradedMeasure]:
    """The measure, and the measure with each of its flags inverted."""
    yield measure
    for name, parameter in measure.PARAMETERS.items():
        if parameter.dtype is bool:
            yield measure(**{name: not parameter.default})


def parameter_table(parameters: list[dict[str, Any]]) -> str:
    """The parameters as a table."""
    rows = []
    for parameter in parameters:
        name = f"`{parameter['name']}`"
        if parameter["name"] == "cutoff":
            name += " (`@k`)"
        default = parameter["default"]
        unset = "none" if default in (None, {}) else f"`{default}`"
        rows.append([name, parameter["allowed"], unset, parameter["description"]])
    return markdown(["parameter", "values", "default", "meaning"], rows)


def example(measure: GradedMeasure) -> str:
    """The docstring's doctest, with the imports that it needs."""
    text = inspect.cleandoc(type(measure).__doc__ or "")
    doctest = re.search(r"^>>>.*", text, re.MULTILINE | re.DOTALL)
    if not doctest:
        raise IncompleteMeasure(f"{measure.NAME}: the docstring has no example")
    return f">>> from ir_measures_graded import {measure.NAME}\n{doctest[0].rstrip()}"


def elsewhere(measure: GradedMeasure) -> str:
    """The same measure in other tools, and their measures with a similar name."""
    if measure.NAME not in ELSEWHERE:
        raise IncompleteMeasure(f"{measure.NAME}: docs/_ext/elsewhere.tsv has no entry for it")
    others = ELSEWHERE[measure.NAME]
    if measure.INTENTS and not others:
        return "NTCIREVAL computes measures of intents too, but its values are not compared here."
    if not others:
        tools = "[Migrating from other tools](../migrating.md)"
        return f"None of the tools in {tools} computes this measure."
    rows = []
    for other in others:
        equal = "none"
        if other.here:
            equal = f"`{other.here}`"
        elif other.use:
            equal = f"not this one; use `{other.use}`"
        rows.append([other.tool, f"`{other.name}`", equal, other.text])
    return markdown(["tool", "its name", "equal measure here", "remarks"], rows)


def sources(measure: GradedMeasure) -> list[Reference]:
    """The works that a measure's source names."""
    source = part(measure, "source")
    references = references_of(source)
    if not references:
        raise IncompleteMeasure(f"{measure.NAME}: references.bib has no entry for {source!r}")
    return references


def reproduced(measure: GradedMeasure) -> str:
    """Links to the pages that recompute the numbers of the measure's papers."""
    pages = [REPRODUCED[work.key] for work in sources(measure) if work.key in REPRODUCED]
    links = " and ".join(f"[{title}](../papers/{page}.md)" for title, page in pages)
    return f" Recomputed numbers: {links}." if links else ""


def in_code(text: str) -> str:
    """Text with its Markdown characters escaped, except in code between single backticks."""
    one_line = " ".join(text.split())
    code_or_sign = r"(`[^`]*`)|([_*^<>\[\]|\\$])"
    return re.sub(code_or_sign, lambda match: match[1] or "\\" + match[2], one_line)


def listing() -> str:
    """A table of measures for each family, and the table of contents of their pages."""
    parts = []
    for family, module in measures.families().items():
        rows = []
        for measure in module.MEASURES:
            link = f"[{measure.NAME}](measures/{measure.NAME}.md)"
            rows.append([link, measure.SHORT_DESC, part(measure, "source")])
        parts += [
            f"**{measures.QUESTIONS[family]}**",
            markdown(["measure", "description", "source"], rows),
        ]
    pages = "\n".join(f"measures/{measure.NAME}" for measure in MEASURES)
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{pages}\n```"])


def write(app: Sphinx | None = None) -> None:
    """Write all pages. Unchanged files stay untouched, so that Sphinx does not read them again."""
    FOLDER.mkdir(exist_ok=True)
    pages = {f"{measure.NAME}.md": page(measure) for measure in MEASURES}
    for path in FOLDER.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Run `write` before Sphinx reads the site."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
