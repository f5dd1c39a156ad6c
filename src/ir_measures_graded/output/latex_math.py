r"""Sentences with formulas as LaTeX prints them, the formulas in math mode.

>>> print(with_formulas("Here k = 10; G[i] is the gain at rank i.", letters=True))
Here $k = 10$; $G[i]$ is the gain at rank $i$.
>>> print(with_formulas("The value is Σ_{i≤k} rel(i) C[i]/i / R."))
The value is $\sum_{i\le k} \mathrm{rel}(i) C[i]/i / R$.
"""

from __future__ import annotations

import re
from typing import Final

from .formats import latex_prose

_NAMES = "D_nDCG|D_Q|nDCG|sDCG|DCG|CGG|nCG|CG|GG|ERR|BR|IRec|AP|rel|Pr"
_FUNCTIONS = "log2|log|exp|min|max"
_WORD = rf"\b(?!(?:{_NAMES}|{_FUNCTIONS}|bq)(?![A-Za-z]))[A-Za-z]{{2,}}"
_GROUP = rf"\((?:(?!{_WORD})[^()=@]|\((?:(?!{_WORD})[^()=@])*\))*\)(?!@)"
"""Parentheses without a word, and without what a measure string has in its own."""
_ATTACHED = rf"(?:[_^]\{{[^{{}}]*\}}|[_^]\w+|[′⁺⁻ᵘˢ²]|\[[^\[\]=]*\]|{_GROUP})"
_LETTER = r"(?:(?![aA](?![_^\[(]))[A-Za-zβγτρλμ](?![\w@-])|[A-Za-zβγτρλμ](?=[_^\[(′⁺⁻ᵘˢ²]))"
"""A single letter, but not the article."""
_ATOM = (
    rf"(?:(?:[ΣΠ]|max|min)_\{{[^{{}}]*\}}|[ΣΠ](?:_\w)?|√{_GROUP}|⌊[^⌋]*⌋|\|[^|]*\|"
    rf"|(?:{_FUNCTIONS})(?:_\w+|_\{{[^{{}}]*\}})?(?:{_GROUP}|(?= [a-z]\b))"
    rf"|(?:{_NAMES}){_ATTACHED}+|(?:GG|CGG|IRec|D_nDCG|D_Q)\b(?!@)"
    rf"|[0-9.]+\^(?:\{{[^{{}}]*\}}|\w+)|{_LETTER}{_ATTACHED}*)"
)
_NUMBER = r"(?:[0-9]+\.)?[0-9]+(?![\w%@])|\.[0-9]+(?![\w%@])|[0-9]+[a-z]\b"
_OPERAND = rf"(?:{_ATOM}|{_NUMBER}|{_GROUP})"
_RUN = re.compile(rf"(?<![\w@\\.=’'-]){_OPERAND}(?:(?:\s*[−+/=≤≥<>·]\s*|\s+|(?=\()){_OPERAND})*")
"""Operands with operators or blanks between them."""
_CERTAIN = re.compile(rf"(?:{_NAMES}|{_LETTER}){_ATTACHED}|[ΣΠ√⌊=≤≥]|\^|(?:{_FUNCTIONS})[_(]")
"""What tells a formula from a number or a word of one letter."""
_SIGNS: Final = {
    "Σ": r"\sum",
    "Π": r"\prod",
    "−": "-",
    "≤": r"\le ",
    "≥": r"\ge ",
    "·": r"\cdot ",
    "β": r"\beta ",
    "γ": r"\gamma ",
    "τ": r"\tau ",
    "ρ": r"\rho ",
    "λ": r"\lambda ",
    "μ": r"\mu ",
    "′": "'",
    "⁺": "^+",
    "⁻": "^-",
    "ᵘ": "^u",
    "ˢ": "^s",
    "²": "^2",
    "⌊": r"\lfloor ",
    "⌋": r"\rfloor ",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "#": r"\#",
    "&": r"\&",
}
_TOKEN = re.compile(
    rf"(?P<raised>[_^])(?:\{{(?P<group>[^{{}}]*)\}}|(?P<word>\w+))|√\((?P<root>.*)\)"
    rf"|(?P<function>{_FUNCTIONS})(?![a-z])|(?P<name>{_NAMES}|[A-Za-z]{{2,}}\w*)|(?P<sign>.)"
)


def tex(formula: str) -> str:
    r"""A formula in TeX for math mode.

    >>> print(tex("(1 − p) Σ_{i≤k} p^{i−1} rel(i)"))
    (1 - p) \sum_{i\le k} p^{i-1} \mathrm{rel}(i)
    """
    parts = []
    for token in _TOKEN.finditer(formula):
        if token["raised"]:
            inner = token["group"] or token["word"]
            if inner == "bq":
                inner = "b_q"
            parts.append(f"{token['raised']}{{{tex(inner)}}}")
        elif token["root"]:
            parts.append(rf"\sqrt{{{tex(token['root'])}}}")
        elif token["function"]:
            parts.append({"log2": r"\log_2"}.get(token["function"], rf"\{token['function']}"))
        elif token["name"]:
            name = token["name"].replace("_", r"\_")
            parts.append(rf"\mathrm{{{name}}}")
        else:
            parts.append(_SIGNS.get(token["sign"], token["sign"]))
    return re.sub(r" +(?=[ _^]|$)", "", "".join(parts))


def with_formulas(text: str, letters: bool = False) -> str:
    """Prose whose formulas are in math mode; with `letters`, also single letters except a and A."""
    formulas: list[str] = []

    def place_of(run: re.Match[str]) -> str:
        """A sign in place of a formula, so that quotation marks around it are seen as a pair."""
        is_symbol = letters and re.search(f"{_LETTER}|{_NAMES}", run[0])
        if not is_symbol and not _CERTAIN.search(run[0]):
            return run[0]
        formulas.append(f"${tex(run[0])}$")
        return _PLACE

    prose = latex_prose(_RUN.sub(place_of, text))
    in_order = iter(formulas)
    return re.sub(_PLACE, lambda _: next(in_order), prose)


def beside_display(formula: str) -> str | None:
    """What a formula in words says beside its display, which follows it in a sentence; None if the
    words are part of the formula, which then has no display.

    >>> beside_display("CG[k] / CG_I[k], I the gains of all judged documents, descending")
    ', I the gains of all judged documents, descending'
    >>> beside_display("Σ_{i≤k} s(i) / i, where s(i) = p(i)"), beside_display("1/i at a rank i")
    ('', None)
    """
    clauses = re.split(r"(; |, )(?![^()\[\]{}]*[)\]}])", formula)
    first, rest = clauses[0], clauses[1:]
    if _without_formulas(first):
        return None
    text = ""
    for separator, clause in zip(rest[::2], rest[1::2], strict=True):
        words = _without_formulas(clause)
        if words in _JOINING:
            continue
        is_explained = re.match(r"(?:where |and )?(\S+) (?:the|is|are|all) ", clause)
        continues = text and not _RUN.match(clause)
        if not is_explained and not continues and not clause.startswith("with @k"):
            return None
        text += f"{separator}{clause}"
    return text


_PLACE: Final = "\ue000"
"""A sign for private use, which no sentence has."""
_JOINING: Final = ("", "for", "where", "and", "where and", "with avg", "otherwise")
"""Words that join formulas, and say nothing else."""


def _without_formulas(text: str) -> str:
    """The words of a text."""
    return " ".join(re.findall(r"[^\W\d_]+|[^\w\s.,;:]", _RUN.sub(" ", text)))
