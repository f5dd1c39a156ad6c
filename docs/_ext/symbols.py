"""The symbols of the formulas. A measure's page defines the symbols that its formulas use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from computed import markdown

from ir_measures_graded import GradedMeasure, measures


class Symbol(NamedTuple):
    """A symbol as TeX writes it, the words for it in plain text, and its meaning in Markdown.

    `measures` limits the meaning to these measures. `shown` is the symbol with its arguments.
    """

    tex: str
    plain: str
    meaning: str
    measures: str = ""
    shown: str = ""


IDEAL = "the gains of *all judged* documents in descending order, then 0"
BLENDED = r"blended ratio at rank $i$: $(C[i] + \beta\,\mathrm{CG}[i]) / (i + \beta\,\mathrm{CG}_I[i])$"
CASCADE = "ERR_G nERR EBR"
SYMBOLS = [
    Symbol("k", "k", "the cutoff; without one, the number of retrieved documents", "gP"),
    Symbol(
        "k",
        "k",
        "the cutoff; without one, the length of the run's list or the recall base, if that is longer",
    ),
    Symbol("k", "k", "the cutoff, or the number of retrieved documents if it is smaller", "Fallout"),
    Symbol("i", "i", "rank of the first relevant document; ranks start at 1", "O_measure"),
    Symbol("i", "i", "the preferred rank: the first rank of the highest gain in the list", "P_measure"),
    Symbol("i", "i", "a rank; ranks start at 1"),
    Symbol("j", "j", "a number of relevant documents", "NCU"),
    Symbol("j", "j", "a rank"),
    Symbol("G", "G", "gain at rank $i$ of the run's list", shown="G[i]"),
    Symbol("I", "I", f"gain at rank $i$ of the ideal list: {IDEAL}", shown="I[i]"),
    Symbol(r"\mathrm{CG}", "CG", "sum of the first $i$ gains of the run's list", shown=r"\mathrm{CG}[i]"),
    Symbol(
        r"\mathrm{CG}_I",
        "CG_I",
        f"sum of the first $i$ gains of the ideal list: {IDEAL}",
        shown=r"\mathrm{CG}_I[i]",
    ),
    Symbol(
        r"\mathrm{DCG}",
        "DCG",
        r"discounted cumulated gain of the run's list: $\sum_{i=1}^{k} G[i] / d(i)$",
        "DCG_JK nDCG_JK",
        r"\mathrm{DCG}[k]",
    ),
    Symbol(
        r"\mathrm{DCG}_I",
        "DCG_I",
        r"the same sum for the ideal list: $\sum_{i=1}^{k} I[i] / d(i)$",
        "nDCG_JK",
        r"\mathrm{DCG}_I[k]",
    ),
    Symbol("d", "d", r"discount at rank $i$: 1 if $i < b$, otherwise $\log_b i$", "DCG_JK nDCG_JK", "d(i)"),
    Symbol("b", "b", "base of the logarithm: the parameter `b`"),
    Symbol(r"\beta", "β", "weight of the gains: the parameter `beta`"),
    Symbol("m", "m", "the smaller number of distinct values in the two orders", "KendallTau"),
    Symbol(
        "m",
        "m",
        "the gain that counts as 1: the parameter `max_gain`, or the highest gain in the recall base",
    ),
    Symbol(
        r"\mathrm{rel}",
        "rel",
        "1 if the document at rank $i$ is relevant, otherwise 0",
        shown=r"\mathrm{rel}(i)",
    ),
    Symbol(r"\mathrm{WAP}", "WAP", "weighted average precision, the measure `WAP`", "AGR"),
    Symbol(
        "C",
        "C",
        "number of relevant documents in the first $i$ ranks",
        "Q EBR O_measure P_measure P_plus NCU",
        "C[i]",
    ),
    Symbol("R", "R", "number of relevant documents of the topic"),
    Symbol("t", "t", "a threshold: each distinct positive gain in the topic's recall base"),
    Symbol("d_t", "d_t", "distance of $t$ to the next lower threshold, or to 0 for the lowest one"),
    Symbol(
        r"\mathrm{AP}^t",
        "AP^t",
        "average precision if the documents with a gain of at least $t$ are relevant",
    ),
    Symbol("R_t", "R_t", "number of documents of the topic with a gain of at least $t$"),
    Symbol(
        r"\mathrm{rel}^t",
        "rel^t",
        "1 if the document at rank $i$ has a gain of at least $t$, otherwise 0",
        shown=r"\mathrm{rel}^t(i)",
    ),
    Symbol(
        "C^t", "C^t", "number of documents with a gain of at least $t$ in the first $i$ ranks", shown="C^t[i]"
    ),
    Symbol("l", "l", "a level"),
    Symbol("g", "g", "gain of a relevant document of level $l$", shown="g(l)"),
    Symbol("g'", "g′", "gain that `AGR` gives to a relevant document of level $l$", shown="g'(l)"),
    Symbol(
        r"\mathrm{CG}'", "CG′", "sum of the first $i$ gains $g'$ of the run's list", shown=r"\mathrm{CG}'[i]"
    ),
    Symbol(
        r"\mathrm{CG}'_I",
        "CG′_I",
        "sum of the first $i$ gains $g'$ of the ideal list",
        shown=r"\mathrm{CG}'_I[i]",
    ),
    Symbol("R_l", "R_l", "number of judged documents of level $l$"),
    Symbol("C^+", "C⁺", "number of pairs that the user orders and the system orders the same way"),
    Symbol("C^-", "C⁻", "number of pairs that the user orders and the system orders the opposite way"),
    Symbol("C^u", "Cᵘ", "number of pairs that the user orders and the system ties"),
    Symbol("C^s", "Cˢ", "number of pairs that the user ties and the system orders"),
    Symbol("C", "C", "number of pairs that the user orders: $C^+ + C^- + C^u$", "NDPM"),
    Symbol(
        "N",
        "N",
        "number of documents of the collection: the parameter `docs`, or all that are judged or retrieved",
        "NR Fallout",
    ),
    Symbol("N", "N", "number of documents compared"),
    Symbol("d", "d", "a relevant document", "ASL NR"),
    Symbol("d", "d", "a document", "Spearman ADM"),
    Symbol(
        "p_d", "position", "position of $d$ in the system's order; tied documents share their mean position"
    ),
    Symbol("x_d", "x_d", "rank of $d$ in the user's order; tied documents share their mean rank"),
    Symbol("y_d", "y_d", "rank of $d$ in the system's order; tied documents share their mean rank"),
    Symbol(r"\bar{x}", "x̄", "mean of $x_d$ over the documents"),
    Symbol(r"\bar{y}", "ȳ", "mean of $y_d$ over the documents"),
    Symbol("r", "r", "Pearson's correlation coefficient, which the formula writes out", "Spearman"),
    Symbol("s_d", "s s_d", "score of $d$, scaled as the parameter `norm` says; 0 if $d$ was not retrieved"),
    Symbol("u_d", "u u_d", "gain of $d$ as a share of $m$"),
    Symbol("d", "d", "a judged document", "GAP NCU"),
    Symbol("d", "d", "a retrieved document", "RelativeRelevance"),
    Symbol("G_d", "G_d", "gain of $d$", "GAP NCU"),
    Symbol("G_d", "G G_d", "gain of $d$", "ADM RelativeRelevance"),
    Symbol(r"\mathrm{ERR}", "ERR", "expected reciprocal rank, the measure `ERR_G`", "nERR iRBU"),
    Symbol(r"\mathrm{ERR}_I", "ERR_I", "expected reciprocal rank of the ideal list", "nERR"),
    Symbol(
        "s",
        "s",
        r"probability that the user stops at rank $i$: $p(i) \prod_{j=1}^{i-1} (1 - p(j))$",
        CASCADE,
        "s(i)",
    ),
    Symbol("s", "s", "probability that the user of `ERR_G` stops at rank $i$", "iRBU", "s(i)"),
    Symbol("s_I", "s_I", "the same probability for the ideal list", shown="s_I(i)"),
    Symbol(
        "p",
        "p",
        "probability that the document at rank $i$ satisfies the user: $G[i] / (H + 1)$",
        CASCADE,
        "p(i)",
    ),
    Symbol("p", "p", "probability of reading on after each document: the parameter `p`", "iRBU RBP_G"),
    Symbol("H", "H", "the highest gain in the qrels over all topics, or the parameter `max_gain`"),
    Symbol("u_i", "u_i", "1 if the document at rank $i$ is unjudged, otherwise 0"),
    Symbol("n", "n", "length of the list after it was cut at the cutoff", "RBP_G"),
    Symbol(r"\mathrm{BR}", "BR", BLENDED, shown=r"\mathrm{BR}(i)"),
    Symbol("r", "r", "the preferred rank: the first rank of the highest gain in the list", "P_plus"),
    Symbol(
        r"\mathrm{Pr}",
        "Pr",
        "probability that the user stops at the relevant document at rank $i$: the parameter `stop`",
        shown=r"\mathrm{Pr}(i)",
    ),
    Symbol("U", "U", "utility of the first $i$ ranks: the parameter `utility`", "NCU", "U(i)"),
    Symbol(r"\gamma", "γ", "decrease from one relevant document to the next: the parameter `gamma`"),
    Symbol("n", "n", "number of relevant documents that the user wants: the parameter `n`", "ESL"),
    Symbol(
        "j",
        "j",
        "number of documents that are not relevant in the tie groups before that of the $n$-th relevant one",
        "ESL",
    ),
    Symbol(
        "r",
        "r",
        "number of relevant documents in the tie group of the $n$-th relevant one",
        "ESL",
    ),
    Symbol("s", "s", "number of relevant documents that the user still wants from that tie group", "ESL"),
]

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
    """The symbols, with the base and the exponent of a power instead of the power: `C^t` is not one."""
    known = {word for each in SYMBOLS for word in (each.tex, *each.plain.split())}
    return {part for symbol in symbols for part in ([symbol] if symbol in known else symbol.split("^"))}


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
        word: each for each in sorted(known, key=lambda each: each.measures) for word in each.plain.split()
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
    words |= set(re.findall(r"(\w+)(?:\[\w\])? =", plain)) | set(re.findall(r"(\w+)\[\w\] *$", plain))
    return (in_tex(tex) - {each.tex for each in rows} - on_the_left(tex)) | (in_plain(plain) - words)


def table(measure: GradedMeasure) -> str:
    """The symbols of a measure and their meanings."""
    return markdown(
        ["symbol", "meaning"], [[f"${each.shown or each.tex}$", each.meaning] for each in of(measure)]
    )


def listing() -> str:
    """All symbols, their meanings, and the measures that use them."""
    users: dict[Symbol, list[str]] = {each: [] for each in SYMBOLS}
    for measure in measures.MEASURES:
        for each in of(measure):
            users[each].append(f"[`{measure.NAME}`](measures/{measure.NAME}.md)")
    rows = [[f"${each.shown or each.tex}$", each.meaning, ", ".join(names)] for each, names in users.items()]
    return markdown(["symbol", "meaning", "measures"], rows)
