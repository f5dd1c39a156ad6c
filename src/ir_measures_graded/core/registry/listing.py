"""Descriptions of measures, ours and ir-measures', as plain values and as text.

The works that define the measures are entries of the BibTeX file ``references.bib``.
"""

import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from ir_measures import Measure
from ir_measures.measures import ParamInfo
from ir_measures.providers.base import NOT_PROVIDED

from ...docstrings import docstring_of, field_of
from ..measures import QUESTIONS, trec_eval
from ..measures import __name__ as PACKAGE_OF_FAMILIES
from ..measures.standard import definition_of, documented
from . import names, plugins
from .facts import (
    allowed,
    graded_err,
    instead_of_err,
    is_err,
    is_graded,
    name_of,
    smaller_is_better,
)
from .notation import parse_measure


def question(measure: Measure) -> str:
    """The question that the family of a measure answers; of other measures, where they come
    from.
    """
    package, _, module = type(measure).__module__.rpartition(".")
    if package == PACKAGE_OF_FAMILIES and module in QUESTIONS:
        return QUESTIONS[module]
    if isinstance(measure, trec_eval.MEASURE_CLASSES):
        return "Measures of trec_eval that ir-measures lacks"
    return f"Measures of {plugins.origin(measure)}"


def standard() -> list[Measure]:
    """The measures of ir-measures, by name."""
    others = [measure for measure in names.registry().values() if not is_graded(measure)]
    by_name = {measure.NAME: measure for measure in others}
    return sorted(by_name.values(), key=_name_in_lower_case)


def _name_in_lower_case(measure: Measure) -> str:
    return str(measure.NAME).lower()


TREC_EVAL = "trec_eval"
"""How the source of a measure begins that trec_eval alone defines."""
TREC_EVAL_WORK = "buckley2026"
"""The key of the entry of trec_eval."""
DOC_FIELDS = ("formula", "undefined", "source")
"""The fields of a measure's docstring that its description has."""
PAGE_OF_STANDARD = "docs/standard-measures.md"
"""The page with the formulas of standard measures."""
PAGE_OF_OTHERS = "https://ir-measur.es"
"""The documentation of ir-measures, which has the measures without a formula here."""
DECIMALS_OF_GDEVAL = 5
"""gdeval prints the values of topics with so many decimals."""


def facts_of(measure: Measure) -> dict[str, Any]:
    """The description of a measure, in values that JSON can represent.

    >>> from ir_measures_graded import NDPM
    >>> facts_of(NDPM)["smaller_is_better"], facts_of(NDPM(performance=True))["smaller_is_better"]
    (True, False)

    `smaller_is_better` is None for standard measures, because ir-measures does not define it.
    """
    aliases = _other_names(measure)
    definition = ""
    fields = dict.fromkeys(DOC_FIELDS, "")
    if is_graded(measure):
        aliases = list(measure.ALIASES)
    else:
        definition = PAGE_OF_OTHERS
    text = with_formula(measure)
    if text is not None:
        fields = {name: field_of(text, name) for name in DOC_FIELDS}
        if definition:
            definition = PAGE_OF_STANDARD
    facts: dict[str, Any] = {"name": name_of(measure), "aliases": aliases}
    facts["title"] = getattr(measure, "PRETTY_NAME", None) or measure.NAME
    facts["description"] = getattr(measure, "SHORT_DESC", None) or ""
    facts["smaller_is_better"] = smaller_is_better(measure)
    facts |= fields
    facts["definition"] = definition
    parameters = measure.SUPPORTED_PARAMS.items()
    facts["parameters"] = [_parameter(name, info) for name, info in parameters]
    facts["origin"] = plugins.origin(measure)
    facts["question"] = question(measure)
    return facts


def with_formula(measure: Measure) -> Any:
    """The class or function whose docstring has the formula of a measure; None if none has."""
    if is_graded(measure):
        return type(measure)
    if is_err(measure):
        return type(parse_measure(graded_err(measure)))
    return documented(measure)


def _other_names(measure: Measure) -> list[str]:
    """The names of a standard measure in ir-measures' registry, without its own."""
    measures = names.registry()
    registered = measures.get(measure.NAME)
    all_names = [name for name, other in measures.items() if other is registered]
    return [name for name in all_names if name != measure.NAME]


def _parameter(name: str, info: ParamInfo) -> dict[str, Any]:
    """The description of a parameter, in values that JSON can represent."""
    default = None if info.default is NOT_PROVIDED else info.default
    return {
        "name": name,
        "allowed": allowed(name, info),
        "required": info.required,
        "default": default,
        "description": info.desc or "",
    }


def better(facts: dict[str, Any]) -> str:
    """``smaller`` or ``larger`` values are better; empty if that is not known."""
    return {True: "smaller", False: "larger", None: ""}[facts["smaller_is_better"]]


def page(measure: Measure, width: int = 100) -> Iterator[str]:
    """The full description of a measure, in lines of at most this width."""
    facts = facts_of(measure)
    yield f"{facts['name']}: {facts['title']}"
    for paragraph in (facts["description"], *_notes(measure)):
        yield from ["", *_wrapped(paragraph, width=width)]
    yield ""
    facts["better"] = better(facts)
    facts["aliases"] = ", ".join(facts["aliases"])
    facts["from"] = facts["origin"]
    for label in ("formula", "undefined", "better", "aliases", "source", "definition", "from"):
        if facts[label]:
            yield from _wrapped(facts[label], f"{label:<11}", width=width)
    if facts["parameters"]:
        yield from ["", "parameters"]
    for parameter in facts["parameters"]:
        label = parameter["name"]
        if label == measure.AT_PARAM:
            label += " (@)"
        if parameter["required"]:
            unset = "required"
        elif parameter["default"] in (None, {}):
            unset = "optional"
        else:
            unset = f"default {parameter['default']!r}"
        yield from _wrapped(f"{parameter['allowed']}; {unset}", f"  {label:<14}", width=width)
        yield from _wrapped(parameter["description"], " " * 16, width=width)


def _notes(measure: Measure) -> list[str]:
    """The paragraphs of a measure's docstring without fields, examples and the summary shown
    above.
    """
    paragraphs = re.split(r"\n\s*\n", docstring_of(type(measure)))
    if is_graded(measure):
        del paragraphs[:1]
    notes = [paragraph for paragraph in paragraphs if not re.match(r":|>>>|\.\.|$", paragraph)]
    if is_err(measure):
        notes.append(
            f"gdeval computes ERR with a cutoff, and rounds the values of topics to "
            f"{DECIMALS_OF_GDEVAL} decimals: {instead_of_err(measure)}."
        )
    return notes


def _wrapped(text: str, label: str = "", width: int = 100) -> list[str]:
    """`text` behind a label, in lines of this width."""
    indent = " " * len(label)
    return textwrap.wrap(
        " ".join(text.split()), width, initial_indent=label, subsequent_indent=indent
    )


REFERENCES = os.path.join(os.path.dirname(__file__), "references.bib")


IR_MEASURES = "MacAvaney, Macdonald & Ounis 2022"
"""The work that the users of ir-measures cite."""


class Reference(NamedTuple):
    """An entry of the file: its key, its BibTeX, and its name as the source of a measure gives
    it.
    """

    key: str
    bibtex: str
    name: str


@cache
def this_package() -> Reference:
    """The entry of this package."""
    bibtex = f"""\
@software{{ir_measures_graded,
  author = {{{{The ir-measures-graded authors}}}},
  title = {{ir-measures-graded: Graded relevance measures for ir-measures}},
  version = {{{plugins.own_version()}}},
  year = {{2026}},
}}"""
    return Reference("ir_measures_graded", bibtex, "ir-measures-graded")


@cache
def references() -> dict[str, Reference]:
    """All entries by their keys.

    >>> references()["scheel2011"].name
    'Scheel, Lommatzsch & Albayrak 2011'
    """
    with open(REFERENCES, encoding="utf-8") as file:
        entries = re.findall(r"^(@\w+\{(\w+),.*?^\})", file.read(), re.M | re.S)
    by_key = {}
    for bibtex, key in entries:
        by_key[key] = Reference(key, bibtex, _name(key, bibtex))
    return by_key


def references_of(source: str) -> list[Reference]:
    """The works that the source of a measure names, in that order.

    >>> [work.key for work in references_of("Zhou & Yao 2010, Eq. 4; Yao 1995")]
    ['zhou2010', 'yao1995']
    """
    positions = {work: source.find(work.name) for work in references().values()}
    named = [work for work, position in positions.items() if position >= 0]
    return sorted(named, key=positions.__getitem__)


def works_of(measures: Iterable[Measure]) -> list[Reference]:
    """The works that the sources of measures name, each once.

    A standard measure has the source of its definition, if it has one.

    >>> from ir_measures import AP, nDCG
    >>> [work.key for work in works_of([nDCG @ 10, AP])]
    ['jarvelin2002']
    """
    works: dict[Reference, None] = {}  # an ordered set
    for measure in measures:
        if is_err(measure):
            measure = parse_measure(graded_err(measure))
        source = facts_of(definition_of(measure) or measure)["source"]
        works |= dict.fromkeys(references_of(source))
    return list(works)


def programs_of(measures: Iterable[Measure]) -> list[Reference]:
    """The programs that the sources of measures name in place of works.

    >>> from ir_measures import AP, nDCG
    >>> [work.key for work in programs_of([nDCG @ 10, AP])]
    ['buckley2026']
    """
    for measure in measures:
        source = facts_of(definition_of(measure) or measure)["source"]
        if source.startswith(TREC_EVAL):
            return [references()[TREC_EVAL_WORK]]
    return []


def cited_for(measures: Sequence[Measure]) -> list[Reference]:
    """The works and programs to cite for values of measures: those that define the measures,
    ir-measures for a measure of its own and for none, and this package.

    >>> from ir_measures import AP
    >>> [work.key for work in cited_for([AP])]
    ['buckley2026', 'macavaney2022', 'ir_measures_graded']
    """
    cited = [*works_of(measures), *programs_of(measures)]
    if not measures or not all(works_of([measure]) for measure in measures):
        cited += references_of(IR_MEASURES)
    return [*cited, this_package()]


def _name(key: str, bibtex: str) -> str:
    """The family names of the authors, and the year; works of one year have the letter of their
    key.
    """
    fields = dict(re.findall(r"^  (\w+) = \{(.*?)\},$", bibtex, re.M | re.S))
    year = fields["year"]
    authors = " ".join(fields["author"].split())
    family_names = [person.partition(",")[0] for person in authors.split(" and ")]
    *others, last = family_names
    names = filter(None, [", ".join(others), last])
    return f"{' & '.join(names)} {year}{key.partition(year)[2]}"
