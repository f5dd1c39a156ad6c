"""Tables as lines of text: for people (text, markdown, latex) or for programs (tsv, csv, jsonl)."""

import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, Final

import numpy as np

from ..arguments import whole_number
from ..errors import InputWarning, level_of_caller
from .width import width

Row = Sequence[Any]
Cells = tuple[list[str], list[list[Any]]]
"""Column names and rows."""
PLACES = 4
"""The decimals of numbers that people read."""
MOST_PLACES_APART = 12
"""At most so many decimals tell two numbers apart."""
LEAST_LAST = 30
"""A last column of sentences has at least this width."""

_CONTROL = "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
"""Line breaks and other control characters.

Some of them reverse the direction of the text behind them.
"""


def clean(text: str) -> str:
    """The text in one line, with blanks for control characters.

    >>> clean("a\\n\\x1b[31mb")
    'a  [31mb'
    """
    return text if text.isprintable() else re.sub(_CONTROL, " ", text)


def known(numbers: np.ndarray) -> list[Any]:
    """The cells of an array, None for NaN."""
    cells = numbers.tolist()
    if numbers.dtype == np.float64 and not np.isnan(numbers).any():
        return cells
    return list(map(_none_for_nan, cells))


def _none_for_nan(cell: Any) -> Any:
    return None if cell != cell else cell


def counted(number: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "run"), counted(24, "run"), counted(10828, "document")
    ('1 run', '24 runs', '10,828 documents')
    """
    return f"{number} {what}" if number == 1 else f"{number:,} {what}s"


class Percent(float):
    """A share; as text in whole percent, of which only none is 0 and only all is 100.

    >>> f"{Percent(0.001)}, {Percent(0.6)}, {Percent(0.998)}, {Percent(1)}"
    '1 %, 60 %, 99 %, 100 %'
    """

    def __format__(self, spec: str) -> str:
        share = self.real
        if share not in (0.0, 1.0):
            share = min(max(share, 0.01), 0.99)
        return f"{100 * share:.0f} %"


def decimal(number: float, sign: str = "") -> str:
    """A number as a sentence has it, without the 0 before the point.

    With `sign` "+", positive numbers have a sign, too.

    >>> decimal(0.30143), decimal(-0.5), decimal(12.5), decimal(0.02, sign="+")
    ('.3014', '−.5000', '12.5000', '+.0200')
    """
    return short(number, f"{sign}.{PLACES}f")


def decimals_apart(lowest: float, highest: float) -> tuple[str, str]:
    """Two numbers as a sentence has them, with as many decimals as tell them apart.

    >>> decimals_apart(0.25, 0.5), decimals_apart(0.445812, 0.445834)
    (('.2500', '.5000'), ('.44581', '.44583'))
    """
    for places in range(PLACES, MOST_PLACES_APART):
        texts = short(lowest, f".{places}f"), short(highest, f".{places}f")
        if texts[0] != texts[1]:
            return texts
    form = f".{MOST_PLACES_APART}f"
    return short(lowest, form), short(highest, form)


def short(number: float, form: str = "g") -> str:
    """A number in this form as a sentence has it, without the 0 before the point.

    >>> short(0.8), short(0.05), short(0.2809, ".2f"), short(1), short(0.02, "+g")
    ('.8', '.05', '.28', '1', '+.02')
    """
    if number == 0:
        number = abs(number)  # −0 is no negative number
    return without_0(with_minus(f"{number:{form}}"))


def without_0(number: str) -> str:
    """The text of a number without the 0 before the point.

    >>> without_0("−0.25"), without_0("10.5")
    ('−.25', '10.5')
    """
    return re.sub(r"^([+−]?)0\.", r"\1.", number)


MINUS = "−"
"""The sign of negative numbers that people read; programs read a hyphen."""


def with_minus(number: str) -> str:
    """The text of a number as people read it: a negative one begins with a minus sign.

    >>> with_minus("-0.5"), with_minus("0.5"), with_minus("1e-05")
    ('−0.5', '0.5', '1e-05')
    """
    return MINUS + number[1:] if number.startswith("-") else number


def for_people(number: str) -> str:
    """The text of a number in a table for people: its sign, and commas in a whole number.

    >>> for_people("-12345"), for_people("1234.5")
    ('−12,345', '1234.5')
    """
    if number.lstrip("-").isdecimal():
        number = f"{int(number):,}"
    return with_minus(number)


def probability(chance: float) -> str:
    """A probability as a sentence has it, of which only none is 0 and only all is 1.

    >>> probability(0.28), probability(0.00001), probability(0.9999), probability(1.0)
    ('.28', 'less than .01', 'more than .99', '1.00')
    """
    if 0 < chance < 0.005:
        return "less than .01"
    if 0.995 <= chance < 1:
        return "more than .99"
    return short(chance, ".2f")


LEAST_IN_SENTENCES = 0.001
"""Sentences do not tell smaller p-values."""


def p_of(p: float) -> str:
    """A p-value as a sentence has it.

    >>> p_of(0.0312), p_of(0.00001), p_of(1.0)
    ('p = .031', 'p < .001', 'p = 1.000')
    """
    if p < LEAST_IN_SENTENCES:
        return "p < .001"
    return f"p = {short(p, '.3f')}"


def listed(names: Iterable[object], most: int = 3, last: str = "and") -> str:
    """At most this many names as a sentence lists them, and the number of the others.

    One more than this many are named, too.

    >>> listed("AB"), listed("ABCD", last="or"), listed("ABCDE")
    ('A and B', 'A, B, C or D', 'A, B, C and 2 more')
    """
    texts = [str(name) for name in names]
    others = len(texts) - most
    if others > 1:
        return f"{', '.join(texts[:most])} and {others} more"
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def ordinal(place: int) -> str:
    """A place as a sentence has it.

    >>> [ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th']
    """
    ending = "th"
    if place % 100 not in (11, 12, 13):
        ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def text(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """Print aligned columns, with numbers on the right.

    >>> print(*text(["run", "AP"], [["bm25", 0.25], ["random", 0.0]]), sep="\\n")
    run         AP
    bm25    0.2500
    random  0.0000
    >>> print(*text(["run", "tau"], [["bm25", -0.25]]), sep="\\n")
    run       tau
    bm25  −0.2500
    """
    return chain.from_iterable(text_rows(columns, rows, places))


def text_rows(
    columns: Sequence[str], rows: Iterable[Row], places: int = PLACES
) -> Iterator[list[str]]:
    """The lines of the headings, and those of each row.

    These are several if the table would be wider than a line, see `output.folding`.
    """
    from .folding import rows_of  # This import takes time.

    right, cells = _for_people(columns, rows, places)
    return rows_of(cells, right)


def text_that_fits(
    columns: Sequence[str], rows: Iterable[Row], places: int = PLACES
) -> Iterator[str] | None:
    """The same as `text` if it has a line for each row, and not a block; else None.

    >>> print(*text_that_fits(["run", "AP"], [["bm25", 0.25]]), sep="\\n")
    run       AP
    bm25  0.2500
    >>> text_that_fits(["run", "AP"], [["bm25", "…" * 200]])
    """
    from .folding import fitted, rows_of  # This import takes time.

    right, cells = _for_people(columns, rows, places)
    if fitted(cells) is None:
        return None
    return chain.from_iterable(rows_of(cells, right))


def wrapped(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, with further rows for the words of a last cell that do not fit in a line.

    >>> [[first, len(last)] for first, last in wrapped([["a", "word " * 25], ["b", "word"]])]
    [['a', 94], ['', 29], ['b', 4]]
    """
    from .folding import in_lines, width_of  # This import takes time.

    cells = [[str(cell) for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True))
    width_before = sum(max(map(width_of, column)) + 2 for column in columns[:-1])
    width_of_last = max(width() - width_before, LEAST_LAST)
    for *others, last in cells:
        lines = in_lines(last, width_of_last, breaks_words=False)
        for line in lines or [last]:
            yield [*others, line]
            others = [""] * len(others)


def markdown(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """Print a table in GitHub's Markdown.

    >>> print(*markdown(["run", "AP"], [["bm25", 0.25]], places=2), sep="\\n")
    | run  |   AP |
    |------|-----:|
    | bm25 | 0.25 |
    >>> print([*markdown(["*_a_b|", "<b>"], [])][0])
    | \\*\\_a_b\\| | \\<b> |
    """
    from .folding import aligned, widest  # This import takes time.

    right, cells = _for_people(columns, rows, places, escaped_markdown)
    widths = list(map(widest, cells))
    lines = (f"| {line} |" for line in aligned(cells, widths, right, " | "))
    yield next(lines)
    rules = []
    for columns_of_text, is_on_the_right in zip(widths, right, strict=True):
        end = ":" if is_on_the_right else "-"
        rules.append("-" * (columns_of_text + 1) + end)
    yield f"|{'|'.join(rules)}|"
    yield from lines


def escaped_markdown(text: str) -> str:
    """Text that Markdown prints as it is, in one line."""
    return re.sub(_MARKDOWN, r"\\\g<0>", clean(text))


_MARKDOWN = r"[\\`*|\[<~$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)"
"""The characters that Markdown reads.

It takes an underscore between letters or digits literally.
"""


def tsv(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """Print fields separated by tabs and quoted where necessary, below a line of column names.

    Other control characters than tabs and line feeds could act on a terminal. Blanks stand for
    them, and a warning says so.

    >>> list(tsv(["run", "AP"], [["bm25", 0.25]], places=-1))
    ['run\\tAP', 'bm25\\t0.25']
    >>> list(tsv(["topic"], [["a\\tb"], [" q1"]]))
    ['topic', '"a\\tb"', '" q1"']
    """
    loses_characters = False
    written: list[list[str]] = []
    for column in _for_programs(columns, rows, places):
        fields = column
        if not _is_plain(column):
            fields = [re.sub(_CONTROL, _in_tsv, field) for field in column]
            loses_characters |= fields != column
            fields = [_quoted(field, IN_TSV) for field in fields]
        written.append(fields)
    yield from map("\t".join, zip(*written, strict=True))
    if loses_characters:
        warnings.warn(BLANKS_IN_TSV, InputWarning, stacklevel=level_of_caller())


def _is_plain(fields: list[str]) -> bool:
    """Whether no field has a control character, nor begins or ends with a blank, nor begins with a
    quotation mark.

    All are searched at once, because few have one.
    """
    if not "".join(fields).isprintable():
        return False
    joined = "\t".join(fields)
    if " " not in joined and '"' not in joined:
        return True
    has_end = " \t" in joined or "\t " in joined or '\t"' in joined
    return not has_end and not joined.startswith((" ", '"')) and not joined.endswith(" ")


def _in_tsv(control: re.Match[str]) -> str:
    """What TSV has for a control character: tabs and line feeds are quoted."""
    character = control[0]
    return character if character in "\t\n" else " "


IN_TSV: Final = '^"|[\t\n]'
"""What needs quotes in a field of TSV: a quotation mark elsewhere stands for itself."""
IN_CSV: Final = '[",\r\n]'
EMPTY_IN_CSV: Final = '""'
BLANKS_IN_TSV: Final = (
    "blanks stand for control characters of names in tsv; csv, json and jsonl keep them"
)


def comma_separated(
    columns: Sequence[str], rows: Iterable[Row], places: int = PLACES
) -> Iterator[str]:
    """Print fields separated by commas and quoted where necessary, below a line of column names.

    Some readers drop blanks around a field without quotes.

    >>> list(comma_separated(["run", "nDCG_JK(b=10,avg=True)"], [["bm25", 0.25]], places=2))
    ['run,"nDCG_JK(b=10,avg=True)"', 'bm25,0.25']
    >>> list(comma_separated(["topic", "level"], [[" q1", ""]]))
    ['topic,level', '" q1",']
    """
    written: list[list[str]] = []
    for column in _for_programs(columns, rows, places):
        fields = column
        joined = "".join(column)
        if "," in joined or '"' in joined or not _is_plain(column):
            fields = [_quoted(field, IN_CSV) for field in column]
        written.append(fields)
    if len(written) == 1:  # An empty line would be no row.
        written = [[field or EMPTY_IN_CSV for field in fields] for fields in written]
    yield from map(",".join, zip(*written, strict=True))


def _quoted(field: str, needing: str) -> str:
    """A field, quoted if it has blanks around it or what `needing` matches."""
    if field == field.strip() and not re.search(needing, field):
        return field
    doubled = field.replace('"', '""')
    return f'"{doubled}"'


def latex(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    r"""Print a LaTeX tabular with the rules of the package booktabs.

    >>> print(*latex(["run", "nDCG_JK@10"], [["bm25", 0.25]]), sep="\n")
    \begin{tabular}{lr}
    \toprule
    run  & nDCG\_JK@10 \\
    \midrule
    bm25 &      0.2500 \\
    \bottomrule
    \end{tabular}
    """
    from .folding import aligned, widest  # This import takes time.

    right, cells = _for_people(columns, rows, places, escaped_latex)
    sides = "".join(np.where(right, "r", "l"))
    lines = aligned(cells, list(map(widest, cells)), right, " & ")
    head, *body = (rf"{line} \\" for line in lines)
    yield r"\begin{tabular}{" + sides + "}"
    yield from [r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]


def escaped_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is, in one line, whatever its packages for input are.

    >>> print(escaped_latex("50 % of 'x' ≥ 2²"), escaped_latex("*"))
    50 \% of `x' $\ge$ 2$^2$ {*}
    """
    return _as_printed(clean(text)).translate(_IN_LATEX_TABLES)


def latex_prose(text: str) -> str:
    r"""A sentence with formulas as LaTeX prints it, with subscripts and superscripts.

    >>> print(latex_prose("nDCG_JK: Σ_{i≤k} p^{i−1} / log_b(i)"))
    nDCG\_JK: $\Sigma$\textsubscript{i$\le$k} p\textsuperscript{i$-$1} / log\textsubscript{b}(i)
    >>> print(latex_prose('J. Kekäläinen, "Binary and graded", §2'))
    J. Kek\"{a}l\"{a}inen, ``Binary and graded'', \S{}2
    """
    parts: list[str] = []
    end = 0
    quoted = _as_printed(clean(text))
    for match in re.finditer(_RAISED_OR_LOWERED, quoted):
        parts.append(quoted[end : match.start()].translate(_IN_LATEX))
        command = "subscript" if match["sign"] == "_" else "superscript"
        inner = (match["group"] or match["word"]).translate(_IN_LATEX)
        parts.append(rf"\text{command}{{{inner}}}")
        end = match.end()
    return "".join(parts) + quoted[end:].translate(_IN_LATEX)


def latex_display(formula: str) -> list[str]:
    r"""The lines of a formula in TeX as LaTeX displays it; lines that are aligned need amsmath.

    >>> print(*latex_display(r"a &= b \\ b &= c"), sep="\n")
    \[
    \begin{aligned}
    a &= b \\
    b &= c
    \end{aligned}
    \]
    """
    lines = [formula]
    if "&=" in formula:
        aligned = re.sub(r"\\\\ (?=[^&]*&=)", r"\\\\\n", formula)
        lines = [r"\begin{aligned}", *aligned.split("\n"), r"\end{aligned}"]
    return [r"\[", *lines, r"\]"]


def latex_letters(text: str) -> str:
    r"""The text with commands of LaTeX for letters and signs that are not ASCII, for BibTeX.

    >>> print(latex_letters("author = {Kalervo Järvelin},"))
    author = {Kalervo J{\"{a}}rvelin},
    """
    letters = []
    for sign in text:
        if not sign.isascii():
            sign = f"{{{sign.translate(_IN_LATEX)}}}"
        letters.append(sign)
    return "".join(letters)


def _as_printed(text: str) -> str:
    """The text with curly quotation marks in place of straight ones, and a joiner in ``--``, which
    would be a dash.

    >>> _as_printed("a's 'b' (c='d')"), _as_printed('"e", "f')
    ('a’s ‘b’ (c=‘d’)', '“e”, ”f')
    """
    text = text.replace("--", f"-{JOINER}-")
    if "'" not in text and '"' not in text:
        return text
    in_pairs = re.sub(r'"([^"]*)"', r"“\1”", text)
    in_pairs = re.sub(r"(?<!\w)'([^']*)'(?!\w)", r"‘\1’", in_pairs)
    return in_pairs.replace('"', "”").replace("'", "’")


JOINER = "\u2060"
"""The character that prints nothing and joins its neighbours."""
_RAISED_OR_LOWERED = (
    r"(?P<sign>[_^])(?:\{(?P<group>[^{}]+)\}"
    r"|(?P<word>(?<=\^)[a-z]\w*|(?:[a-zI]|bq)(?![A-Za-z_])))"
)
"""A superscript, or a subscript of one letter; names such as nDCG_JK have more."""
_LATEX_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\`{}",
    MINUS: "$-$",
    JOINER: "{}",
    "“": "``", "”": "''", "‘": "`", "’": "'", "„": ",,", "‚": ",", "–": "--", "—": "---",
    "…": r"\dots{}", "§": r"\S{}", "¶": r"\P{}", "©": r"\copyright{}", "£": r"\pounds{}",
    "®": r"\textregistered{}", "™": r"\texttrademark{}", "\xa0": "~", "\u202f": r"\,",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}",
    "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "å": r"\aa{}", "Å": r"\AA{}",
}  # fmt: skip
_SYMBOLS = {
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim",
    "√": r"\surd", "∑": r"\sum", "∏": r"\prod", "∞": r"\infty", "∈": r"\in", "∘": r"\circ",
    "∩": r"\cap", "∪": r"\cup", "⋅": r"\cdot", "·": r"\cdot", "×": r"\times", "÷": r"\div",
    "±": r"\pm", "¬": r"\neg", "«": r"\ll", "»": r"\gg", "°": r"^\circ", "†": r"^\dagger",
    "‡": r"^\ddagger", "★": r"\star", "•": r"\bullet", "½": r"\frac12", "¼": r"\frac14",
    "¾": r"\frac34", "←": r"\leftarrow", "→": r"\rightarrow", "↑": r"\uparrow",
    "↓": r"\downarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⌊": r"\lfloor",
    "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "′": "'", "⁺": "^+", "⁻": "^-", "ᵀ": "^T",
    "ᵘ": "^u", "ˢ": "^s", "ⁿ": "^n", "ⁱ": "^i",
    "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi",
    "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "α": r"\alpha", "β": r"\beta",
    "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta",
    "θ": r"\theta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "µ": r"\mu",
    "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "ς": r"\varsigma",
    "τ": r"\tau", "υ": r"\upsilon", "φ": r"\varphi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega",
    **{sign: f"^{digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{sign: f"_{digit}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}  # fmt: skip
"""Signs that pdfLaTeX refuses outside mathematics, or only prints with packages."""
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d",
    "\u0327": "c", "\u0331": "b",
}  # fmt: skip
"""The accents of LaTeX that need no package, by the combining character."""


class _LatexOf(dict[int, str]):
    """The LaTeX of characters, by their codes, with accented letters made when they are needed."""

    def __missing__(self, code: int) -> str:
        from unicodedata import normalize  # Few texts need it.

        letter, *accents = list(normalize("NFD", chr(code)))
        commands = [_ACCENTS.get(accent, "") for accent in accents]
        text = chr(code)
        if commands and letter.isascii() and all(commands):
            if letter in "ij" and accents[0] < "\u0323":  # the accent stands in place of the dot
                text = f"\\{letter}"
            else:
                text = letter
            for command in commands:
                text = f"\\{command}{{{text}}}"
        self[code] = text
        return text


_IN_LATEX = _LatexOf(
    str.maketrans(
        _LATEX_SIGNS
        | {sign: f"\\{sign}" for sign in "&%$#_{}"}
        | {sign: f"${symbol}$" for sign, symbol in _SYMBOLS.items()}
    )
)
# At the beginning of a row, these two would be an argument of the row before.
_IN_LATEX_TABLES = _LatexOf(_IN_LATEX | str.maketrans({"[": "{[}", "*": "{*}"}))


def html(columns: Sequence[str], rows: Iterable[Row], places: int = PLACES) -> Iterator[str]:
    """Print an HTML table.

    >>> print(*html(["run", "AP"], [["bm25", 0.25]]), sep="\\n")
    <table>
    <tr><th style="text-align: left">run</th><th style="text-align: right">AP</th></tr>
    <tr><td style="text-align: left">bm25</td><td style="text-align: right">0.2500</td></tr>
    </table>
    """
    right, cells = _for_people(columns, rows, places, escaped_html)
    sides = np.where(right, "right", "left")
    yield "<table>"
    tag = "th"
    for line in zip(*cells, strict=True):
        row = ""
        for side, cell in zip(sides, line, strict=True):
            row += f'<{tag} style="text-align: {side}">{cell}</{tag}>'
        yield f"<tr>{row}</tr>"
        tag = "td"
    yield "</table>"


def escaped_html(text: str) -> str:
    """Text that HTML shows as it is, in one line."""
    from html import escape  # This import takes time.

    return escape(clean(text))


def jsonl(columns: Sequence[str], rows: Iterable[Row], places: int = -1) -> Iterator[str]:
    """Print one JSON object per row, by default with all decimals.

    >>> list(jsonl(["run", "AP"], [["bm25", 0.25]]))
    ['{"run": "bm25", "AP": 0.25}']
    >>> list(jsonl(["score"], [[float("inf")]]))
    ['{"score": null}']
    """
    import json  # This import takes time.

    encode = json.JSONEncoder(default=_plain).encode
    texts: dict[str, list[str]] = {}
    for name, values in zip(columns, _columns_of(columns, rows), strict=True):
        texts[name] = _json_texts(values, places, encode)
    names = [encode(name).replace("%", "%%") for name in texts]
    members = ", ".join(f"{name}: %s" for name in names)
    record = f"{{{members}}}"
    for row in zip(*texts.values(), strict=True):
        yield record % row


def json_array(columns: Sequence[str], rows: Iterable[Row], places: int = -1) -> Iterator[str]:
    """Print one JSON array with an object per row, as `jsonl`.

    >>> list(json_array(["run", "AP"], [["bm25", 0.25], ["random", 0.0]]))
    ['[', '{"run": "bm25", "AP": 0.25},', '{"run": "random", "AP": 0.0}', ']']
    """
    lines = list(jsonl(columns, rows, places))
    separated = [f"{line}," for line in lines[:-1]]
    yield from ["[", *separated, *lines[-1:], "]"]


def _plain(value: Any) -> Any:
    """A scalar of NumPy as a Python number, anything else as text."""
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


def _json_texts(values: Sequence[Any], places: int, encode: Callable[[Any], str]) -> list[str]:
    """The values in JSON, null for NaN and infinite scores, because JSON has neither.

    NaN is the mean over no topics.
    """
    kinds = set(map(type, values))
    if kinds == {float} and all(map(math.isfinite, values)):
        if places >= 0:
            values = [round(value, places) for value in values]
        return list(map(repr, values))
    if kinds == {int}:
        return list(map(repr, values))
    if kinds == {str}:
        return list(map(encode, values))
    return [encode(_json(value, places)) for value in values]


def _json(value: Any, places: int) -> Any:
    """`value` as a float of JSON, None for NaN and infinite scores; anything else unchanged."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    number = float(value)
    return round(number, places) if places >= 0 else number


ALL_PLACES = -1
"""The number of decimals that stands for all."""
MOST_PLACES = 100
"""More decimals are a mistake."""
FORMATS: dict[str, Callable[..., Iterator[str]]] = {
    "text": text,
    "tsv": tsv,
    "csv": comma_separated,
    "json": json_array,
    "jsonl": jsonl,
    "markdown": markdown,
    "latex": latex,
}
FOR_PEOPLE = ("text", "markdown", "latex")
TABLES = {"txt": "text", "md": "markdown", "tex": "latex"}
TABLES |= {name: name for name in FORMATS if name not in FOR_PEOPLE}
"""The format of a table by the ending of its file."""
EXCEL = "xlsx"
"""The ending of an Excel file, which `excel` writes."""
EXCEL_NEEDS = ("openpyxl", "an Excel file", "tables")
"""The library for an Excel file, as arguments of `needed`."""


def checked_places(places: int) -> int:
    """A number of decimals. Raises `GradedError` for any other value."""
    return whole_number("places", places, ALL_PLACES, MOST_PLACES)


def decimals(form: str, places: int | None = None, in_file: bool = False) -> int:
    """The number of decimals in a format: `places`, or by default 4, and all (-1) for programs.

    Programs read JSON and all files that people do not read.

    >>> decimals("csv"), decimals("csv", in_file=True), decimals("json"), decimals("text", places=2)
    (4, -1, -1, 2)
    """
    if places is not None:
        return checked_places(places)
    is_for_programs = form in FORMATS and form not in FOR_PEOPLE
    if form in ("json", "jsonl") or (in_file and is_for_programs):
        return -1
    return PLACES


def sentences(form: str, notes: Iterable[str], whole_words: bool = False) -> list[str]:
    r"""Sentences as lines of a format for people.

    They are comments in LaTeX, paragraphs in Markdown, and otherwise text. A word that is longer
    than a line is cut, unless `whole_words` keeps paths as they are.

    >>> sentences("latex", ["a\n\\input{b} lacks 1 topic."])
    ['% a \\input{b} lacks 1 topic.']
    >>> sentences("markdown", ["# <b> lacks 1 topic.", "B is better."])
    ['\\# \\<b> lacks 1 topic.', '', 'B is better.']
    """
    if form == "markdown":
        paragraphs: list[str] = []
        for note in notes:
            text = re.sub(_BLOCK, r"\1\\\2", escaped_markdown(note.strip()))
            paragraphs += ["", text]
        return paragraphs[1:]
    from .folding import in_lines  # This import takes time.

    mark = "% " if form == "latex" else ""
    lines: list[str] = []
    for note in notes:
        whole = re.sub(WITHIN, "\xa0", mark + clean(note))
        folded = in_lines(whole, width(), indent=mark, breaks_words=not whole_words)
        lines += [re.sub(WITHIN.replace(" ", "\xa0"), " ", line) for line in folded]
    return lines


WITHIN = r" (?=%)|(?<=[κτρα]) (?=[−.\d])|(?<=ΔRI) |(?<=p [=<]) |(?<=p) (?=[=<])"
"""A blank at which no line is broken: a number stays beside its sign, as in 52 % and p < .001."""
_BLOCK = r"^(\d*)([#>+=.)-])"
"""The characters that begin a heading, a quotation, a list or a rule in Markdown."""


def _columns_of(columns: Sequence[str], rows: Iterable[Row]) -> list[list[Any]]:
    """The values of each column."""
    rows = list(rows)
    return [list(map(itemgetter(place), rows)) for place in range(len(columns))]


def _texts(
    columns: Sequence[str], values: Iterable[Sequence[Any]], places: int, is_for_people: bool
) -> list[list[str]]:
    """The cells of each column as text, its name first."""
    texts = []
    for name, values_of_column in zip(columns, values, strict=True):
        texts.append([str(name), *_cells(values_of_column, places, is_for_people)])
    return texts


def _for_programs(columns: Sequence[str], rows: Iterable[Row], places: int) -> list[list[str]]:
    """The cells of each column as text, its name first."""
    return _texts(columns, _columns_of(columns, rows), places, is_for_people=False)


def _cells(values: Sequence[Any], places: int, is_for_people: bool) -> list[str]:
    """The values of a column as text; most columns have values of one type."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return list(values)
    if kinds == {int}:
        form = "{:,}" if is_for_people else "{}"
    elif kinds == {Percent} and places > 0:
        return _percentages(values)
    elif kinds in ({float}, {Percent}) and places > 0:
        form = f"{{:.{places}f}}"
    else:
        signed = for_people if is_for_people else str
        return [_cell(value, places, signed) for value in values]
    cells = list(map(form.format, values))
    if is_for_people and "-" in "".join(cells):
        for number, value in enumerate(values):
            if value == 0:
                cells[number] = cells[number].lstrip("-")  # −0 is no negative number
        return list(map(with_minus, cells))
    return cells


def _percentages(shares: Sequence[Any]) -> list[str]:
    """Shares in whole percent, as `Percent` writes each.

    >>> _percentages([Percent(0), Percent(0.001), Percent(0.6), Percent(1)])
    ['0 %', '1 %', '60 %', '100 %']
    """
    percent = np.array(shares, dtype=float) + 0  # −0 is no negative number
    is_between = (percent != 0) & (percent != 1)
    percent[is_between] = np.clip(percent[is_between], 0.01, 0.99)
    return list(map("%.0f %%".__mod__, (100 * percent).tolist()))


def _cell(value: Any, places: int, signed: Callable[[str], str]) -> str:
    """`value` as text. Floats get `places` decimals, or all of them for -1; integers get none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, float) and places >= 0:
        return signed(f"{value:.{places}f}")
    if isinstance(value, (int, float)):
        return signed(str(value))
    return str(value)


def numeric(rows: Sequence[Row], columns: int) -> list[bool]:
    """For each column, whether it holds a number in any row."""
    return [_has_number(map(itemgetter(place), rows)) for place in range(columns)]


def _has_number(values: Iterable[Any]) -> bool:
    """Whether one of the values is a number."""
    kinds = set(map(type, values)) - {bool}
    return any(issubclass(kind, (int, float)) for kind in kinds)


def _for_people(
    columns: Sequence[str], rows: Iterable[Row], places: int, escaped: Callable[[str], str] = clean
) -> tuple[list[bool], list[list[str]]]:
    """Which columns hold numbers, and the escaped cells of each column, its name first."""
    values = _columns_of(columns, rows)
    right = list(map(_has_number, values))
    texts = _texts(columns, values, places, is_for_people=True)
    return right, [_escaped(column, escaped) for column in texts]


def _escaped(cells: list[str], escaped: Callable[[str], str]) -> list[str]:
    """The escaped cells of a column.

    If all of them, joined by blanks, stay as they are, each one does.
    """
    joined = " ".join(cells)
    if escaped(joined) == joined:
        return cells
    return list(map(escaped, cells))
