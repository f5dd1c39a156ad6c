"""The command `measures`, which lists measures and plugins."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ir_measures import Measure

from ..core.registry import plugins
from ..core.registry.listing import (
    TREC_EVAL,
    better,
    cited_for,
    facts_of,
    page,
    programs_of,
    references,
    standard,
)
from ..core.registry.notation import parse_measures
from ..core.registry.sentences import (
    HERE,
    SOURCE,
    THE_VALUE_IS,
    Paragraph,
    formulas_in_tex,
    paragraphs_of,
    sentence,
)
from ..errors import GradedError
from ..output.formats import latex_display, latex_letters, latex_prose, listed, text_rows
from ..output.result import View
from ..output.tables import Column, Table
from ..output.width import width
from . import PROGRAM
from .parser import Arguments, Option, output
from .results import Answer

Lines = Callable[[int], Iterable[str]]
"""The lines of a document with a number of decimals."""
AVERAGED = "With avg=True, the value is the mean over the first k ranks:"
USAGE = ("[MEASURE…]",)
OPTIONS = (
    Option("names MEASURE", "measure to describe in full", many=True),
    Option("--plugins", "list the plugins that provide measures, and their status"),
    Option("--sentence", "the paragraph about each measure that a paper needs"),
    Option(
        "--bibtex",
        "the BibTeX entries of the works that define the measures, and of this package",
    ),
    Option("--all", "also list the standard measures of ir-measures"),
    *output(figure=False),
)


def run(arguments: Arguments) -> Answer:
    """List the graded measures by question, or describe measures in full.

    A description has the formula, the parameters, the undefined case and the source of a measure.
    --sentence prints a paragraph to paste into a paper, which says exactly which measure it is:
    gains, discount, ideal list, cutoff, ties, unjudged documents and source. With -f latex,
    formulas are in math mode; those that are displayed in several lines need the package amsmath,
    and a comment says so. --bibtex prints the entries of the sources and of this package, to cite
    them. Both can be given together; LaTeX then cites the keys of the entries.

      ir_measures_graded measures
      ir_measures_graded measures nDCG_JK muAP AP
      ir_measures_graded measures "nDCG_JK(b=2,gains=2:10,3:100)@10" AP --sentence
      ir_measures_graded measures nDCG_JK@10 AP --sentence --bibtex
      ir_measures_graded measures --all
      ir_measures_graded measures --plugins
    """
    if arguments.names and (arguments.plugins or arguments.all):
        raise GradedError("--plugins and --all list everything; omit the names of measures")
    if arguments.sentence:
        return for_paper(_named(arguments, "--sentence"), has_entries=arguments.bibtex)
    if arguments.bibtex:
        cited: Sequence[Measure] = ()
        if arguments.names:
            cited = parse_measures(arguments.names, uncut=True)
        return _bibtex(cited)
    if arguments.plugins:
        columns = "distribution", "version", "plugin", Column("measures", kind=listed), "status"
        rows = []
        for plugin in plugins.plugins():
            names = [measure.NAME for measure in plugin.measures]
            rows.append([plugin.distribution, plugin.version, plugin.name, names, plugin.status])
        return Answer(View([Table(columns, rows)]))
    if arguments.names:
        measures = list(parse_measures(arguments.names, uncut=True))
    else:
        measures = [measure for plugin in plugins.plugins() for measure in plugin.measures]
        if arguments.all:
            measures += standard()
    facts = [facts_of(measure) for measure in measures]
    rows = []
    for fact in facts:
        rows.append([fact["name"], fact["aliases"], fact["title"], better(fact), fact["origin"]])
    if arguments.names:
        text = _pages(measures)
    else:
        text = _by_question(facts, rows)
    full = Table.of(facts[0], facts)
    documents: dict[str, Any] = {"text": lambda _: text}
    for form in ("json", "jsonl"):
        documents[form] = partial(full.lines, form)
    short = Table(["measure", "aliases", "title", "better", "from"], rows)
    if arguments.names:
        documents["latex"] = partial(_latex_pages, short, measures)
    return Answer(View([short]), documents=documents)


def _named(arguments: Arguments, flag: str) -> Sequence[Measure]:
    """The named measures. Raises `GradedError` if none is named for the option `flag`."""
    if not arguments.names:
        raise GradedError(f"{flag} needs a measure, as in nDCG_JK@10")
    return parse_measures(arguments.names, uncut=True)


def _bibtex(measures: Sequence[Measure], keys_of_tests: Iterable[str] = ()) -> Answer:
    """The entries of the works that define the measures and the tests, and of the software."""
    *works, package = cited_for(measures)
    works += [references()[key] for key in dict.fromkeys(keys_of_tests)]
    rows = [[work.key, latex_letters(work.bibtex)] for work in (*works, package)]
    table = Table(["key", "bibtex"], rows)
    lines = "\n\n".join(bibtex for _, bibtex in rows).split("\n")
    return Answer(View([table]), documents={"text": lambda _: lines})


def for_paper(
    measures: Sequence[Measure],
    statistics: str = "",
    has_entries: bool = False,
    key_of_test: Mapping[str, str] | None = None,
) -> Answer:
    """The paragraphs about measures and on the `statistics` for the section Method of a paper, and
    below the BibTeX entries if it `has_entries`, which LaTeX then cites.

    What all measures share is said once. In a table, the paragraph of each measure is complete.
    `key_of_test` has the keys of the works on tests by their names among the statistics.
    """
    if not has_entries:
        return _sentences(measures, statistics, {})
    tests = key_of_test or {}
    key_of: dict[str, str] = {work.name: work.key for work in cited_for(measures)}
    for program in programs_of(measures):
        key_of[TREC_EVAL] = program.key
    paragraphs = _sentences(measures, statistics, {**key_of, **tests})
    return _paragraphs_and_entries(paragraphs, _bibtex(measures, tests.values()))


def _sentences(measures: Sequence[Measure], statistics: str, key_of: Mapping[str, str]) -> Answer:
    """The paragraph about each of the measures, what they share, and the statistics."""
    rows = [[str(measure), sentence(measure)] for measure in measures]
    if statistics:
        rows.append(["statistics", statistics])
    paragraphs, shared = paragraphs_of(measures)
    last = []
    if shared:
        count = "both" if len(measures) == 2 else f"all {len(measures)}"
        last.append(f"This holds for {count} measures. {' '.join(shared)}")
    if statistics:
        last.append(statistics)
    texts = [" ".join(paragraph.sentences) for paragraph in paragraphs]
    documents: dict[str, Lines] = {
        "text": lambda _: _folded([*texts, *last]),
        "latex": lambda _: _latex_paragraphs(paragraphs, last, key_of),
    }
    return Answer(View([Table(["measure", "sentence"], rows)]), documents=documents)


def _latex_paragraphs(
    paragraphs: Iterable[Paragraph], last: Sequence[str], key_of: Mapping[str, str]
) -> list[str]:
    """The paragraph about each measure in LaTeX, and others, with formulas in math mode.

    The formula of a measure is displayed, unless it has words. `key_of` has the keys of the works
    that are cited by their names.
    """
    from ..output.latex_math import beside_display, with_formulas  # takes time

    lines: list[str] = []
    for sentences, place, formulas in paragraphs:
        if lines:
            lines.append("")
        before = sentences[:place]
        formula = "".join(sentences[place : place + 1])
        continued = None
        if formulas:
            continued = beside_display(formula.removeprefix(THE_VALUE_IS).removesuffix("."))
        if continued is None:
            lines += _folded([_in_latex([*before, formula, *sentences[place + 1 :]], key_of)])
            continue
        lines += _folded([f"{_in_latex(before, key_of)} {THE_VALUE_IS.rstrip()}"])
        lines += latex_display(formulas[0])
        for other in formulas[1:]:
            lines += [*_folded([latex_prose(AVERAGED)]), *latex_display(other)]
        rest = sentences[place + 1 :]
        if continued:
            rest = _with_meanings(continued, rest)
        lines += _folded([_in_latex(rest, key_of)])
    if last:
        lines += ["", *_folded(_with_keys(with_formulas(text), key_of) for text in last)]
    return _with_package(lines)


def _with_meanings(meanings: str, sentences: list[str]) -> list[str]:
    """The sentences below a display, with meanings of its symbols in the one that begins with
    Here."""
    text = re.sub("^[,;] (where |and )?", "", meanings)
    if sentences and sentences[0].startswith(HERE):
        return [f"{HERE}{text}; {sentences[0].removeprefix(HERE)}", *sentences[1:]]
    return [f"{HERE}{text}.", *sentences]


def _in_latex(sentences: Sequence[str], key_of: Mapping[str, str]) -> str:
    """Sentences in LaTeX, in which the works are cited that `key_of` has by their names."""
    from ..output.latex_math import with_formulas  # This import takes time.

    parts = []
    for number, text in enumerate(sentences):
        is_of_formula = text.startswith((THE_VALUE_IS, HERE))
        is_of_names = text.startswith(SOURCE) or (number == 0 and ": " in text)
        part = latex_prose(text) if is_of_names else with_formulas(text, letters=is_of_formula)
        if is_of_names:
            part = _with_keys(part, key_of)
        parts.append(part)
    return " ".join(filter(None, parts))


def _with_keys(text: str, key_of: Mapping[str, str]) -> str:
    """A text in LaTeX, in which each work is cited behind its name."""
    for name, key in key_of.items():
        in_latex = latex_prose(name)
        text = text.replace(in_latex, rf"{in_latex}~\cite{{{key}}}", 1)
    return text


def _latex_pages(table: Table, measures: Iterable[Any], places: int) -> list[str]:
    """The table of measures in LaTeX, and below it a paragraph about each, with its formula."""
    lines = list(table.lines("latex", places))
    for measure in measures:
        lines += ["", *_latex_page(measure)]
    return _with_package(lines)


def _with_package(lines: list[str]) -> list[str]:
    """The lines below a comment that names the package of aligned formulas, if there are some."""
    if any(r"\begin{aligned}" in line or r"\begin{cases}" in line for line in lines):
        return [r"% needs \usepackage{amsmath}", *lines]
    return lines


def _latex_page(measure: Any) -> list[str]:
    """The description of a measure in LaTeX, without its parameters."""
    facts = facts_of(measure)
    title = latex_prose(f"{facts['name']}: {facts['title']}.")
    description = facts["description"].strip().removesuffix(".")
    sentences = [f"{description}."] if description else []
    formulas = formulas_in_tex(measure, "avg" in measure.SUPPORTED_PARAMS)
    if facts["formula"] and not formulas:
        sentences.append(f"{THE_VALUE_IS}{facts['formula']}.")
    lines = [rf"\paragraph{{{title}}}", *_folded([_in_latex(sentences, {})])]
    for formula, words in zip(formulas, ["", AVERAGED], strict=False):
        lines += [*_folded([latex_prose(words)]), *latex_display(formula)]
    rest = []
    for label, field in (("Undefined cases", "undefined"), ("Source", "source")):
        if facts[field]:
            rest.append(f"{label}: {facts[field].removesuffix('.')}.")
    if better(facts):
        rest.append(f"The {better(facts)} value is better.")
    return [*lines, *_folded([latex_prose(" ".join(rest))])]


def _folded(paragraphs: Iterable[str]) -> list[str]:
    """Paragraphs folded to the width of the terminal, an empty line apart."""
    lines: list[str] = []
    for paragraph in paragraphs:
        if lines:
            lines.append("")
        lines += textwrap.wrap(paragraph, width(), break_long_words=False, break_on_hyphens=False)
    return lines


def _paragraphs_and_entries(paragraphs: Answer, entries: Answer) -> Answer:
    """The paragraphs, and below the entries to cite; in a table, both as rows."""
    rows: list[Any] = []
    for kind, answer in (("sentence", paragraphs), ("bibtex", entries)):
        rows += [[kind, *row] for row in answer.result.data().rows]
    documents: dict[str, Lines] = {}
    for form, lines in paragraphs.documents.items():
        documents[form] = partial(_one_below_the_other, lines, entries.documents["text"])
    return Answer(View([Table(["kind", "name", "text"], rows)]), documents=documents)


def _one_below_the_other(first: Lines, second: Lines, places: int) -> list[str]:
    """The lines of two documents, two empty lines apart."""
    return [*first(places), "", "", *second(places)]


def _pages(measures: list[Any]) -> list[str]:
    """The descriptions of measures, two empty lines apart."""
    lines: list[str] = []
    for measure in measures:
        if lines:
            lines += ["", ""]
        lines += page(measure, width())
    return lines


def _by_question(facts: list[dict[str, Any]], rows: list[list[Any]]) -> list[str]:
    """The rows of a table below the questions, which tell where other measures are from.

    One alias each keeps the table narrow.
    """
    narrow = [[name, title, side, aliases[:1]] for name, aliases, title, side, _ in rows]
    table = Table(["measure", "title", "better", "aliases"], narrow)
    head, *body = text_rows(*table.cells(), places=0)
    lines = head
    question = None
    for fact, row in zip(facts, body, strict=True):
        if fact["question"] != question:
            question = fact["question"]
            lines += ["", *textwrap.wrap(question, width())]
        lines += row
    details = f"Details: {PROGRAM} measures nDCG_JK"
    others = f"Standard measures: {PROGRAM} measures --all"
    return [*lines, "", details, others]
