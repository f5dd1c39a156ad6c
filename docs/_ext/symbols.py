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

    `measures` limits the meaning to these measures. `shown` is the symbol with its arguments, if
    it has any.
    """

    tex: str
    plain: str
    measures: str
    shown: str
    meaning: str

    @property
    def formula(self) -> str:
        """The symbol as Markdown shows it."""
        return f"${self.shown or self.tex}$"


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
    atoms = [match["symbol"] for match in ATOM.finditer(tex)]
    return without_powers(filter(None, atoms))


def without_powers(symbols: Iterable[str]) -> set[str]:
    """The symbols, with the base and the exponent of a power instead of the power: `C^t` is not
    one.
    """
    declared = {word for symbol in SYMBOLS for word in (symbol.tex, *symbol.plain.split())}
    without: set[str] = set()
    for symbol in symbols:
        if symbol in declared:
            without.add(symbol)
        else:
            without.update(symbol.split("^"))
    return without


def on_the_left(tex: str) -> set[str]:
    r"""The symbols that a formula defines.

    >>> sorted(on_the_left(r"\mathrm{AGR} &= g'(i) \\ g'(l) &= g(l)"))
    ['\\mathrm{AGR}', "g'"]
    """
    defined: set[str] = set()
    for left in LEFT.findall(tex):
        without_arguments = re.sub(r"[\[(].*", "", left)
        defined |= in_tex(without_arguments)
    return defined


def in_plain(text: str) -> set[str]:
    """The symbols in a plain formula: letters, capitals, and words with an index.

    >>> sorted(in_plain("Σ_{i≤k} G[i] / CG_I[i] over a list, C⁻ the user's pairs"))
    ['CG_I', 'C⁻', 'G', 'i', 'k']
    """
    words = set(WORD.findall(text.replace("log_", "log "))) - {"a"}
    letters = {word for word in words if len(word) == 1}
    with_index_or_capitals = {word for word in words if re.search(r"[_^⁺⁻ᵘˢ′]|^[A-Z]+$", word)}
    return without_powers(letters | with_index_or_capitals | words & PLAIN)


def known_to(measure: GradedMeasure) -> list[Symbol]:
    """The symbols with the meaning that they have for a measure."""
    special = [symbol for symbol in SYMBOLS if measure.NAME in symbol.measures.split()]
    taken = {symbol.tex for symbol in special}
    symbols = []
    for symbol in SYMBOLS:
        is_general = not symbol.measures and symbol.tex not in taken
        if is_general or symbol in special:
            symbols.append(symbol)
    return symbols


def of(measure: GradedMeasure) -> list[Symbol]:
    """The symbols of a measure's formulas, and the symbols that their definitions use."""
    symbols = known_to(measure)
    tex_of_word: dict[str, str] = {}
    for symbol in sorted(symbols, key=lambda symbol: symbol.measures):
        tex_of_word |= dict.fromkeys(symbol.plain.split(), symbol.tex)
    words = in_plain(measure.doc_field("formula")) & set(tex_of_word)
    wanted = in_tex(measure.doc_field("tex")) | {tex_of_word[word] for word in words}
    used: set[str] = set()
    while wanted - used:
        used |= wanted
        meanings = " ".join(symbol.meaning for symbol in symbols if symbol.tex in wanted)
        wanted = set().union(*map(in_tex, re.findall(r"\$(.*?)\$", meanings)))
    return [symbol for symbol in symbols if symbol.tex in used]


def undefined(measure: GradedMeasure) -> set[str]:
    """The symbols of a measure's formulas that its page does not define."""
    tex = measure.doc_field("tex")
    plain = measure.doc_field("formula")
    defined_in_tex = on_the_left(tex)
    defined_in_text = set(measure.SUPPORTED_PARAMS)
    for symbol in of(measure):
        defined_in_tex.add(symbol.tex)
        defined_in_text.update(symbol.plain.split())
    defined_in_text.update(re.findall(r"(\w+)(?:\[\w\])? =", plain))
    defined_in_text.update(re.findall(r"(\w+)\[\w\] *$", plain))
    return (in_tex(tex) - defined_in_tex) | (in_plain(plain) - defined_in_text)


def table(measure: GradedMeasure) -> str:
    """The symbols of a measure and their meanings."""
    rows = [[symbol.formula, symbol.meaning] for symbol in of(measure)]
    return markdown(["symbol", "meaning"], rows)


def listing() -> str:
    """All symbols, their meanings, and the measures that use them."""
    users: dict[Symbol, list[str]] = {symbol: [] for symbol in SYMBOLS}
    for family in measures.families().values():
        for measure in family.MEASURES:
            link = f"[`{measure.NAME}`](measures/{measure.NAME}.md)"
            for symbol in of(measure):
                users[symbol].append(link)
    rows = [[symbol.formula, symbol.meaning, ", ".join(links)] for symbol, links in users.items()]
    return markdown(["symbol", "meaning", "measures"], rows)
