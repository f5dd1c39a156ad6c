"""A page for each measure, written from the measure itself before Sphinx reads the site.

What a page needs is in the measure's declaration and docstring, its source's BibTeX in
``references.bib``, and what other tools make of it in `elsewhere`. A part that is missing is an error.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elsewhere import ELSEWHERE
from ir_measures_graded.listing import better, facts_of
from pybtex.database import Entry, parse_file
from sphinx.application import Sphinx
from tables import markdown

from ir_measures_graded import GradedMeasure, measures

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "measures"
BIBLIOGRAPHY = DOCS / "references.bib"
FAMILIES = {
    measures.cumulated_gain: "Cumulated gain",
    measures.average_precision: "Average precision",
    measures.ratios: "Ratios",
    measures.preference: "Preference and correlation",
    measures.search_length: "Search length",
}


REPRODUCED = {
    "jarvelin2002": ("Järvelin & Kekäläinen 2002", "jarvelin-kekalainen-2002"),
    "zhou2010": ("Zhou & Yao 2010", "zhou-yao-2010"),
    "scheel2011": ("Scheel, Lommatzsch & Albayrak 2011", "scheel-2011"),
}


class IncompleteMeasure(Exception):
    """A measure lacks a part that its page shows."""


def page(measure: GradedMeasure) -> str:
    """The Markdown page of a measure."""
    facts = facts_of(measure)
    aliases = f" (also {', '.join(f'`{name}`' for name in facts['aliases'])})" if facts["aliases"] else ""
    parts = [
        f"# {measure.NAME}",
        f"**{facts['title']}**{aliases}. {facts['description']}",
        "## Definition",
        f"```{{math}}\n{part(measure, 'tex')}\n```",
        f"In plain text: {in_code(part(measure, 'formula'))}",
        *paragraphs(measure),
        "\n".join(["|     |     |", "|-----|-----|", *map(" | ".join, properties(measure))]),
        "The symbols are those of the [conventions](../conventions.md#symbols).",
        "## Parameters",
        parameter_table(facts["parameters"]),
        "## Example",
        f"```python\n{example(measure)}\n```",
        "## In other tools",
        elsewhere(measure),
        "## Source",
        f"{part(measure, 'source')}.{reproduced(measure)}",
        *(f"```bibtex\n{bibtex(key)}\n```" for key in sources(measure)),
    ]
    return "\n\n".join(parts) + "\n"


def part(measure: GradedMeasure, field: str) -> str:
    """A field of a measure's docstring."""
    text = measure.doc_field(field)
    if not text:
        raise IncompleteMeasure(f"{measure.NAME}: the docstring has no :{field}:")
    return text


def paragraphs(measure: GradedMeasure) -> list[str]:
    """The docstring's text: its first line and what is neither field nor example."""
    text = re.split(r"\n\s*\n", inspect.cleandoc(type(measure).__doc__ or ""))
    return [in_code(each) for each in text if not re.match(r":|>>>", each)]


def properties(measure: GradedMeasure) -> Iterator[tuple[str, str]]:
    """What a page says of a measure's values, as rows of a table."""
    yield "Values", part(measure, "range").replace("-", "−")
    which = {better(facts_of(variant)) for variant in variants(measure)}
    yield "Better", f"{better(facts_of(measure))}{' by default' * (len(which) > 1)}"
    yield "Undefined", part(measure, "undefined")
    missing = "depends on the topic, and is computed" if measure.DEFAULT is None else f"{measure.DEFAULT:g}"
    yield "A topic that the run lacks", missing


def variants(measure: GradedMeasure) -> Iterator[GradedMeasure]:
    """The measure, and with each of its switches turned."""
    yield measure
    for name, parameter in measure.PARAMETERS.items():
        if parameter.dtype is bool:
            yield measure(**{name: not parameter.default})


def parameter_table(parameters: list[dict[str, Any]]) -> str:
    """The parameters as a table; ``cutoff`` comes behind @."""
    rows = []
    for parameter in parameters:
        name, default = parameter["name"], parameter["default"]
        shown = f"`{name}`" + " (`@k`)" * (name == "cutoff")
        unset = "none" if default in (None, {}) else f"`{default}`"
        rows.append([shown, parameter["allowed"], unset, parameter["description"]])
    return markdown(["parameter", "values", "default", "meaning"], rows)


def example(measure: GradedMeasure) -> str:
    """The docstring's doctest, with the imports that it needs."""
    text = inspect.cleandoc(type(measure).__doc__ or "")
    found = re.search(r"^>>>.*", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise IncompleteMeasure(f"{measure.NAME}: the docstring has no example")
    return f">>> from ir_measures_graded import {measure.NAME}\n{found[0].rstrip()}"


def elsewhere(measure: GradedMeasure) -> str:
    """What other tools call the measure, or what they compute under a similar name."""
    if measure.NAME not in ELSEWHERE:
        raise IncompleteMeasure(f"{measure.NAME}: docs/_ext/elsewhere.py does not say which tools have it")
    others = ELSEWHERE[measure.NAME]
    if not others:
        return "None of the tools of [Coming from](../coming-from.md) computes it."
    rows = [
        [each.tool, f"`{each.name}`", f"`{each.here}`" if each.here else "no", each.text] for each in others
    ]
    return markdown(["tool", "name there", "the same here", ""], rows)


def sources(measure: GradedMeasure) -> list[str]:
    """The keys of the works that a measure's source names."""
    source = part(measure, "source")
    places = {key: source.find(short(entry)) for key, entry in parse_file(BIBLIOGRAPHY).entries.items()}
    found = [key for key, place in places.items() if place >= 0]
    if not found:
        raise IncompleteMeasure(f"{measure.NAME}: references.bib has no entry for {source!r}")
    return sorted(found, key=places.__getitem__)


def reproduced(measure: GradedMeasure) -> str:
    """Where the numbers of its papers stand beside computed ones."""
    pages = [REPRODUCED[key] for key in sources(measure) if key in REPRODUCED]
    links = " and ".join(f"[{title}](../papers/{page}.md)" for title, page in pages)
    return f" Its numbers, computed: {links}." if links else ""


def short(entry: Entry) -> str:
    """How a source names a work.

    >>> short(parse_file(BIBLIOGRAPHY).entries["scheel2011"])
    'Scheel, Lommatzsch & Albayrak 2011'
    """
    names = [" ".join(person.last_names) for person in entry.persons["author"]]
    return f"{' & '.join(filter(None, [', '.join(names[:-1]), names[-1]]))} {entry.fields['year']}"


def bibtex(key: str) -> str:
    """A work as it stands in references.bib."""
    found = re.search(rf"^@\w+{{{key},.*?^}}", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.M | re.S)
    assert found
    return found[0]


def in_code(text: str) -> str:
    """Text whose signs are no Markdown: what stands between single backticks stays code."""
    code_or_sign = r"(`[^`]*`)|([_*^<>\[\]|\\$])"
    return re.sub(code_or_sign, lambda found: found[1] or "\\" + found[2], " ".join(text.split()))


def listing() -> str:
    """All measures, a table for each family, and their places in the table of contents."""
    parts = []
    for module, title in FAMILIES.items():
        rows = [
            [f"[{each.NAME}](measures/{each.NAME}.md)", each.SHORT_DESC, part(each, "source")]
            for each in module.MEASURES
        ]
        parts += [f"**{title}**", markdown(["measure", "what it is", "source"], rows)]
    pages = "\n".join(f"measures/{measure.NAME}" for measure in measures.MEASURES)
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{pages}\n```"])


def write(app: Sphinx | None = None) -> None:
    """Write all pages; one that has not changed keeps its time, and is not read again."""
    FOLDER.mkdir(exist_ok=True)
    pages = {f"{measure.NAME}.md": page(measure) for measure in measures.MEASURES}
    for path in FOLDER.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it known to Sphinx."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
