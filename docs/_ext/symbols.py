"""The symbols of the formulas, from `symbols.tsv`.

A page of a measure defines those that it uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from computed import markdown, table_file

from ir_measures_graded import GradedMeasure
from ir_measures_graded.core import measures


class Symbol(NamedTuple):
    """A symbol as TeX writes it, the words for it in plain text, and its meaning in Markdown.

    `measures` limits the meaning to these measures. `shown` is the symbol with its arguments.
    """

    tex: str
    plain: str
    measures: str
    shown: str
    meaning: str


SYMBOLS = [Symbol(**row) for row in table_file("symbols.tsv")]

GREEK = "alpha|beta|gamma|delta|lambda|mu|rho|sigma|tau|phi|theta"
ATOM = re.compile(
    rf"\\(?:begin|end)\{{\w+\}}"  # structure
    rf"|(?P<symbol>(?:\\mathrm\{{\w+\}}|\\bar\{{\w\}}|\\(?:{GREEK})(?![a-zA-Z])|(?<![\\a-zA-Z])[a-zA-Z])"
    r"'?(?:[_^](?:[a-zA-Z+-]|\{[a-zA-Z]+\}))*)"
    r"|\\[a-zA-Z]+_?"  # other commands, such as \log_b
)
LEFT = re.compile(r"(?:^|\\\\|\\qquad) *([^=&]*?) *&?=")
WORD = re.compile(r"(?<![\w'’])[A-Za-zα-ω]+[⁺⁻ᵘˢ′]?(?:[_^][A-Za-z]+)?(?!\w)")
PLAIN = {"position", "rel", "Pr"}  # words that are symbols


def in_tex(tex: str) -> set[str]:
    r"""The symbols in TeX, without their arguments.

    >>> sorted(in_tex(r"\frac{\mathrm{CG}_I[i]}{N^2} \sum_d x_d + \log_b i"))
    ['N', '\\mathrm{CG}_I', 'b', 'd', 'i', 'x_d']
    """
    return without_powers(found["symbol"] for found in ATOM.finditer(tex) if found["symbol"])


def without_powers(symbols: Iterable[str]) -> set[str]:
    """The symbols, with the base and the exponent of a power instead of the power: `C^t` is not
    one.
    """
    known = {word for each in SYMBOLS for word in (each.tex, *each.plain.split())}
    return {
        part for symbol in symbols for part in ([symbol] if symbol in known else symbol.split("^"))
    }


def on_the_left(tex: str) -> set[str]:
    r"""The symbols that a formula defines.

    >>> sorted(on_the_left(r"\mathrm{AGR} &= g'(i) \\ g'(l) &= g(l)"))
    ['\\mathrm{AGR}', "g'"]
    """
    return {symbol for left in LEFT.findall(tex) for symbol in in_tex(re.sub(r"[\[(].*", "", left))}


def in_plain(text: str) -> set[str]:
    """The symbols in a plain formula: letters, capitals, and words with an index.

    >>> sorted(in_plain("Σ_{i≤k} G[i] / CG_I[i] over a list, C⁻ the user's pairs"))
    ['CG_I', 'C⁻', 'G', 'i', 'k']
    """
    words = {word for word in WORD.findall(text.replace("log_", "log ")) if word != "a"}
    found = {word for word in words if len(word) == 1 or re.search(r"[_^⁺⁻ᵘˢ′]|^[A-Z]+$", word)}
    return without_powers(found | words & PLAIN)


def known_to(measure: GradedMeasure) -> list[Symbol]:
    """The symbols with the meaning that they have for a measure."""
    special = [each for each in SYMBOLS if measure.NAME in each.measures.split()]
    taken = {each.tex for each in special}
    return [each for each in SYMBOLS if each in special or not (each.measures or each.tex in taken)]


def of(measure: GradedMeasure) -> list[Symbol]:
    """The symbols of a measure's formulas, and the symbols that their definitions use."""
    known = known_to(measure)
    by_word = {
        word: each
        for each in sorted(known, key=lambda each: each.measures)
        for word in each.plain.split()
    }
    words = in_plain(measure.doc_field("formula")) & set(by_word)
    wanted = in_tex(measure.doc_field("tex")) | {by_word[word].tex for word in words}
    found: set[str] = set()
    while wanted - found:
        found |= wanted
        meanings = " ".join(each.meaning for each in known if each.tex in wanted)
        wanted = {symbol for tex in re.findall(r"\$(.*?)\$", meanings) for symbol in in_tex(tex)}
    return [each for each in known if each.tex in found]


def undefined(measure: GradedMeasure) -> set[str]:
    """The symbols of a measure's formulas that its page does not define."""
    tex, plain = measure.doc_field("tex"), measure.doc_field("formula")
    rows = of(measure)
    words = {word for each in rows for word in each.plain.split()} | set(measure.SUPPORTED_PARAMS)
    words |= set(re.findall(r"(\w+)(?:\[\w\])? =", plain)) | set(
        re.findall(r"(\w+)\[\w\] *$", plain)
    )
    return (in_tex(tex) - {each.tex for each in rows} - on_the_left(tex)) | (
        in_plain(plain) - words
    )


def table(measure: GradedMeasure) -> str:
    """The symbols of a measure and their meanings."""
    return markdown(
        ["symbol", "meaning"],
        [[f"${each.shown or each.tex}$", each.meaning] for each in of(measure)],
    )


def listing() -> str:
    """All symbols, their meanings, and the measures that use them."""
    users: dict[Symbol, list[str]] = {each: [] for each in SYMBOLS}
    for measure in (measure for family in measures.FAMILIES for measure in family.MEASURES):
        for each in of(measure):
            users[each].append(f"[`{measure.NAME}`](measures/{measure.NAME}.md)")
    rows = [
        [f"${each.shown or each.tex}$", each.meaning, ", ".join(names)]
        for each, names in users.items()
    ]
    return markdown(["symbol", "meaning", "measures"], rows)
