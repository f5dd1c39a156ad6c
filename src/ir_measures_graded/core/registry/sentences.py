"""The paragraph about a measure that a paper needs: which measure it is, exactly.

`sentence` derives it from the declarations of the measure: its docstring, its parameters and its
facts. A measure of a plugin has one without further code.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from ir_measures import Measure, SumAgg

from ..measures.base import GradedMeasure
from ..measures.gain_sums import GainSum
from ..measures.parameters import Choice, Flag, meaning_and_default
from ..measures.sessions import SessionMeasure
from ..measures.standard_measure import Standard
from ..ranking.gains import EXP, LINEAR
from .facts import defined, graded_err, is_err, is_geometric, is_normalised
from .notation import parse_measure

THE_VALUE_IS: Final = "The value is "
"""How the sentence with the formula begins."""
HERE: Final = "Here "
"""How the sentence on its symbols begins."""
SOURCE: Final = "Source: "
"""How the last sentence begins."""
OF_JUDGED: Final = ", the gains of all judged documents, descending"
SYMBOLS: Final = (
    (r"(?<!\w)G\[", "G[i]", "G[i] is the gain at rank i"),
    (r"(?<!\w)CG(?:\[|_I)", "CG", "CG[i] is the sum of the first i gains"),
    (r"(?<!\w)BR\(", "BR(i)", "BR(i) is the blended ratio (C[i] + β CG[i]) / (i + β CG_I[i])"),
    (r"(?<!\w)C\[", "C[i]", "C[i] is the number of relevant documents in the first i ranks"),
    (
        r"(?<!\w)I\[|\w_I(?!\w)",
        "I",
        f"I marks the ideal list{OF_JUDGED}",
    ),
    (r"(?<!\w)R(?![\w_])", "R", "R is the number of relevant documents of the topic"),
    (r"(?<!\w)rel\(i\)", "rel(i)", "rel(i) is 1 for a relevant document, else 0"),
    (r"(?<!\w)H(?!\w)", "H", "H is the top gain"),
    (r"(?<!\w)N(?!\w)", "N", "N is the number of documents"),
    (
        "C⁺",
        "C⁺",
        "C⁺ and C⁻ are the pairs of documents that both orders have alike and oppositely, Cᵘ those "
        "that only the system ties, and Cˢ those that only the user ties",
    ),
    (
        r"(?<!\w)IRec",
        "IRec",
        "IRec is the share of the topic's intents that have a relevant document in the list",
    ),
    (
        r"(?<!\w)D_nDCG",
        "D_nDCG",
        "D_nDCG is the nDCG of the gains GG, with the discount log2(i + 1)",
    ),
    (
        r"(?<!\w)D_Q",
        "D_Q",
        "D_Q is Q of the gains GG, divided by the number of documents with GG > 0, or by k if that "
        "is less",
    ),
    (
        r"(?<!\w)(?:C?GG|D_)",
        "GG",
        "GG is the gain of a document for all intents x together, Σ_x Pr(x) G_x, and CGG a sum of "
        "these",
    ),
    (
        r"(?<!\w)(?:Pr\(x\)|C?GG|D_)",
        "Pr(x)",
        "Pr(x) is the probability of intent x among those with a relevant document, equal if the "
        "qrels have none",
    ),
)
"""How to find a symbol in a formula, its name, and what it means."""
OPTIONS: Final = ("gains", "judged_only", "ties", "unjudged", "tied_by", "cutoff", "ideal", "dcg")
"""The parameters that have sentences of their own."""
EXTREMES: Final = {"mean": "mean", "min": "lowest", "max": "highest"}
SHOWN_WEIGHTS: Final = 5
"""The weights of so many first ranks are written out, and that of the last one."""
USUAL_DEPTH: Final = 10
"""The last weight that is written out for a measure without a cutoff."""


def sentence(measure: Measure | str) -> str:
    """The paragraph about a measure that tells a reviewer which measure it is.

    It has the title, the formula, the gains, the discount, the ideal list, the other parameters,
    the cutoff, ties, unjudged documents, undefined cases and the source. `measure` is a graded
    measure, or a standard one with a definition, such as nDCG, AP, RR and P, or the string of one.
    That of ERR with a cutoff is the one of ERR_G, whose values are the same.

    >>> from textwrap import fill
    >>> print(fill(sentence("nCG(gains=1:1,2:10)@5"), 90))
    nCG(gains={2:10})@5: Normalised cumulated gain. Cumulated gain as a share of that of the
    ideal list. The value is nCG[k] = CG[k] / CG_I[k], I the gains of all judged documents,
    descending. Here k = 5; CG[k] = Σ_{i≤k} G[i]; G[i] is the gain at rank i. Level 2 gains
    10; any other level gains its value, at least 0. A document is relevant if its gain is
    above 0. All ranks count alike. The ideal list has all judged documents of the topic, the
    highest gain first, and ends at rank 5 as well. Only the first 5 ranks count. Documents
    are in descending order of their scores as 32-bit floats; equal scores are in descending
    order of the document ids. Unjudged documents keep their ranks and have the gain 0.
    Undefined cases: 0 without relevant documents. The mean is over all topics of the qrels; a
    topic that the run lacks counts as an empty list. Source: Järvelin & Kekäläinen 2002, Eq.
    5 and 6.

    Raises `GradedError` for a measure without a definition.
    """
    return " ".join(paragraph_of(measure).sentences)


class Paragraph(NamedTuple):
    """The sentences about a measure, and its formulas in TeX, which belong below the sentence of
    the number `place`; none if only ir-measures has a formula.
    """

    sentences: list[str]
    place: int
    formulas: list[str]


def paragraph_of(measure: Measure | str) -> Paragraph:
    """The sentences of `sentence`, with the formulas in TeX."""
    measure = parse_measure(measure)
    sentences: list[str] = []
    if is_err(measure) and measure.params.get("cutoff"):
        graded = defined(parse_measure(graded_err(measure)), "sentence")
        sentences.append(f"{measure} has the values of {graded}.")
    else:
        graded = defined(measure, "sentence")
    place = 0
    for sentences_on in PARTS:
        if sentences_on is _formula:
            place = len(sentences)
        sentences += sentences_on(graded)
    return Paragraph(sentences, place, formulas_in_tex(graded, _averages(graded)))


def paragraphs_of(
    measures: Iterable[Measure | str],
) -> tuple[list[Paragraph], list[str]]:
    """The paragraph about each measure, and the sentences that all of several measures share, which
    the paragraphs leave out.

    >>> _, shared = paragraphs_of(["nDCG@10", "AP"])
    >>> shared[1]
    'Unjudged documents keep their ranks and have the gain 0.'
    """
    paragraphs = [paragraph_of(measure) for measure in measures]
    if len(paragraphs) < 2:
        return paragraphs, []
    first, *others = paragraphs
    # A formula belongs to its measure, even if others have the same.
    rests = [paragraph.sentences[paragraph.place + 1 :] for paragraph in others]
    shared = []
    for text in first.sentences[first.place + 1 :]:
        if all(text in rest for rest in rests):
            shared.append(text)
    shorter = []
    for paragraph in paragraphs:
        start = paragraph.sentences[: paragraph.place + 1]
        rest = paragraph.sentences[paragraph.place + 1 :]
        kept = [text for text in rest if text not in shared]
        shorter.append(paragraph._replace(sentences=[*start, *kept]))
    return shorter, shared


def _averages(measure: GradedMeasure) -> bool:
    """Whether the value is the mean of those at each rank."""
    return isinstance(measure, GainSum) and measure.averages


def formulas_in_tex(measure: Measure, is_averaged: bool) -> list[str]:
    """The formula of a measure in TeX, and below it the mean over ranks if the value
    `is_averaged`; none if no docstring has a formula in TeX.

    >>> print(*formulas_in_tex(parse_measure("nCG"), True), sep="\\n")
    \\mathrm{nCG}[k] = \\frac{\\mathrm{CG}[k]}{\\mathrm{CG}_I[k]}
    \\frac{1}{k} \\sum_{i=1}^{k} \\mathrm{nCG}[i]
    """
    tex = measure.doc_field("tex") if isinstance(measure, GradedMeasure) else ""
    if not tex:
        return []
    if not is_averaged:
        return [tex]
    value = tex.partition("[k]")[0]
    return [tex, rf"\frac{{1}}{{k}} \sum_{{i=1}}^{{k}} {value}[i]"]


def description_of(measure: Measure) -> str:
    """What a measure is, for the end of a sentence, with the values of the parameters that the
    description names by a letter; empty without a description.

    >>> from ir_measures_graded import DCG_JK
    >>> description_of(DCG_JK(b=3))
    'cumulated gain in which gains from rank b on are divided by the logarithm of the rank; b = 3'
    """
    description = " ".join(measure.SHORT_DESC.split()).rstrip(".")
    if not description:
        return ""
    for name in measure.SUPPORTED_PARAMS:
        value = measure[name]
        if len(name) == 1 and value is not None and re.search(rf"\b{name}\b", description):
            description += f"; {name} = {value:g}"
    return description[0].lower() + description[1:]


def _title(measure: GradedMeasure) -> Iterator[str]:
    title = measure.PRETTY_NAME or measure.NAME
    yield f"{measure}: {title}."
    description = measure.SHORT_DESC.strip()
    if description:
        yield description.removesuffix(".") + "."


def _formula(measure: GradedMeasure) -> Iterator[str]:
    formula = _formula_of(type(measure), measure)
    if not formula:
        return
    meanings = []
    cutoff = measure["cutoff"] if measure.CUTOFF else None
    if cutoff is not None and re.search(r"(?<!\w)k(?!\w)", formula):
        meanings.append(f"k = {cutoff}")
    elif re.search(r"(?<![\w@])k(?!\w)", formula) and not measure.CUTOFF_REQUIRED:
        meanings.append("k is the last rank")
    text = formula
    for base in type(measure).__mro__[1:]:
        if issubclass(base, GradedMeasure):
            of_base = _formula_of(base, measure)
            if _explains(of_base, text):
                meanings.append(of_base)
                text += f" {of_base}"
    for pattern, symbol, meaning in SYMBOLS:
        name = re.escape(symbol)
        is_explained = re.search(rf"(?<!\w){name},? (?:the|is|=)|(?<!\w){name}\[k\] =", text)
        if re.search(pattern, text) and not is_explained:
            if measure.ideal_documents == "retrieved":
                # The sentence on the ideal list says what it has.
                meaning = meaning.removesuffix(OF_JUDGED)
            meanings.append(meaning)
    yield f"{THE_VALUE_IS}{formula}."
    if meanings:
        yield f"{HERE}{'; '.join(meanings)}."


def _formula_of(kind: type[GradedMeasure], measure: GradedMeasure) -> str:
    """The formula of a class, without what holds for other parameters than those of a measure."""
    formula = kind.doc_field("formula")
    variant = re.search(r"; with (\w+)(?:='(\w+)')?, ", formula)
    if variant is None or variant[1] not in measure.SUPPORTED_PARAMS:
        return formula
    value = measure[variant[1]]
    is_set = bool(value)
    if variant[2] is not None:
        is_set = value == variant[2]
    return formula if is_set else formula[: variant.start()]


def _explains(formula: str, text: str) -> bool:
    """Whether a formula, such as DCG[k] = …, explains a symbol that a text uses and does not
    explain."""
    match = re.match(r"(\w+)\[k\] =", formula)
    if match is None:
        return False
    is_used = re.search(rf"(?<!\w){match[1]}(?:\[|_I)", text)
    is_explained = re.search(rf"(?<!\w){match[1]}\[k\] =", text)
    return bool(is_used and not is_explained)


def _direction(measure: GradedMeasure) -> Iterator[str]:
    if measure.smaller_is_better:
        yield "Smaller values are better."


def _gains(measure: GradedMeasure) -> Iterator[str]:
    weighting: Any = measure.weighting
    if isinstance(weighting, str):
        words = {LINEAR: "its level, at least 0", EXP: "2^level − 1 for levels above 0, else 0"}
        yield f"The gain of a document is {words[weighting]}."
    elif isinstance(weighting, dict) and not weighting:
        yield "The gain of a document is its level, at least 0."
    elif isinstance(weighting, dict):
        gains = [f"level {level} gains {gain}" for level, gain in weighting.items()]
        text = f"{_listed(gains)}; any other level gains its value, at least 0."
        yield text[0].upper() + text[1:]
    elif weighting == -math.inf:
        yield "A document counts if it is judged, whatever its level."
    else:
        yield f"A document is relevant, and gains 1, if its level is at least {weighting:g}."
    if measure.INTENTS:
        yield "Documents have a gain for each intent of the topic."
    yield from _relevant(measure, weighting)


def _relevant(measure: GradedMeasure, weighting: Any) -> Iterator[str]:
    """Which documents are relevant by a measure of gains, if its paragraph speaks of them."""
    if not isinstance(weighting, (str, dict)):
        return
    parts = (_title, _formula, _parameters, _undefined)
    if not any("relevant" in text for sentences_on in parts for text in sentences_on(measure)):
        return
    text = "A document is relevant if its gain is above 0"
    if isinstance(weighting, dict):
        without_gain = [str(level) for level, gain in weighting.items() if gain <= 0 < level]
        with_gain = [str(level) for level, gain in weighting.items() if level <= 0 < gain]
        changed = [_of_levels(without_gain, " not"), _of_levels(with_gain, "")]
        changed = [clause for clause in changed if clause]
        if changed:
            text += f": {_listed(changed)}"
    yield f"{text}."


def _of_levels(levels: list[str], negation: str) -> str:
    """Which levels are relevant, or are not.

    >>> _of_levels(["1"], " not"), _of_levels(["1", "2"], " not"), _of_levels([], "")
    ('level 1 is not', 'levels 1 and 2 are not', '')
    """
    if not levels:
        return ""
    if len(levels) == 1:
        return f"level {levels[0]} is{negation}"
    return f"levels {_listed(levels)} are{negation}"


def _weights(measure: GradedMeasure) -> Iterator[str]:
    if not isinstance(measure, GainSum) or not measure.LINEAR:
        return
    depth = measure["cutoff"] or USUAL_DEPTH
    weights = measure.rank_weights(depth)
    weights_of_two = measure.rank_weights(2)
    if np.ptp(weights_of_two) == 0 and np.ptp(weights) == 0:
        yield "All ranks count alike."
        return
    first_weights = [_short(weight) for weight in weights[:SHOWN_WEIGHTS].tolist()]
    text = f"The weights of the ranks 1 to {len(first_weights)} are {_listed(first_weights)}"
    if len(first_weights) == 1:
        text = f"The weight of rank 1 is {first_weights[0]}"
    if depth > SHOWN_WEIGHTS:
        text += f", that of rank {depth} is {_short(float(weights[-1]))}"
    if measure.params.get("avg"):
        text += ", before the mean is taken over ranks"
    yield f"{text}."


def _ideal(measure: GradedMeasure) -> Iterator[str]:
    is_binary = isinstance(measure.weighting, int)
    if not is_normalised(measure):
        if isinstance(measure, GainSum) and measure.LINEAR and not is_binary:
            yield "No ideal list divides the value."
        return
    if is_binary:
        # Their formulas divide by a number of relevant documents.
        return
    documents = {
        "judged": "all judged documents of the topic",
        "retrieved": "the documents of the whole list of the run",
    }.get(measure.ideal_documents)
    if documents is None:
        return
    text = f"The ideal list has {documents}, the highest gain first"
    if measure["cutoff"] is not None:
        if measure.IDEAL_IS_CUT:
            text += f", and ends at rank {measure['cutoff']} as well"
        else:
            text += ", and is not cut"
    yield f"{text}."


def _parameters(measure: GradedMeasure) -> Iterator[str]:
    """The other parameters, with their values and what these mean."""
    for name, parameter in measure.SUPPORTED_PARAMS.items():
        if name in OPTIONS:
            continue
        value = measure[name]
        meaning, unset = meaning_and_default(parameter)
        if isinstance(parameter, Flag):
            if value:
                yield f"{name}={value}: {meaning}."
        elif value is None:
            if unset:
                yield f"{name}, {meaning}, is {unset}."
        elif name == "rel" and isinstance(measure.weighting, int):
            continue
        elif isinstance(parameter, Choice):
            yield f"{name}={value!r}: {meaning}."
        else:
            yield f"{name} = {value:g}: {meaning}."


def _cutoff(measure: GradedMeasure) -> Iterator[str]:
    cutoff = measure["cutoff"] if measure.CUTOFF else None
    if cutoff == 1:
        yield "Only the first rank counts."
    elif cutoff is not None:
        yield f"Only the first {cutoff} ranks count."
    elif measure.CUTOFF_REQUIRED:
        yield "Only the first k ranks count; k must be given."
    else:
        yield "The whole list counts."


def _ties(measure: GradedMeasure) -> Iterator[str]:
    option = measure.option("ties")
    if option:
        yield f"The value is the {EXTREMES[option]} over all orders of documents of equal score."
        return
    is_order_of_all = "tied_by" in measure.SUPPORTED_PARAMS
    if is_order_of_all:
        behind = ""
        if measure.CUTOFF and measure["cutoff"] is not None:
            behind = " or are behind the cutoff"
        yield (
            f"Documents that are not retrieved{behind} are tied with each other, below all others."
        )
    if is_order_of_all and measure["tied_by"] == "score":
        yield "Documents with equal scores, as 32-bit floats, are tied in the system's order."
        return
    bits = 64 if measure.ascends else 32
    direction = "ascending" if measure.ascends else "descending"
    yield (
        f"Documents are in descending order of their scores as {bits}-bit floats; equal scores are "
        f"in {direction} order of the document ids."
    )


def _unjudged(measure: GradedMeasure) -> Iterator[str]:
    option = measure.option("unjudged")
    if option in EXTREMES:
        yield f"The value is the {EXTREMES[option]} over all judgments of unjudged documents."
    elif "judged_only" in measure.SUPPORTED_PARAMS and measure["judged_only"]:
        removed = "Unjudged documents"
        if isinstance(measure, Standard):
            removed += " and those of negative levels"
        yield f"{removed} are removed before ranks are counted."
    else:
        yield "Unjudged documents keep their ranks and have the gain 0."


def _undefined(measure: GradedMeasure) -> Iterator[str]:
    undefined = measure.doc_field("undefined")
    if undefined:
        yield f"Undefined cases: {undefined}."
    if isinstance(measure, SessionMeasure):
        yield "The mean is over all sessions; a turn that the run lacks counts as an empty list."
        return
    aggregate = "mean"
    if isinstance(measure.aggregator(), SumAgg):
        aggregate = "sum"
    elif is_geometric(measure):
        aggregate = "geometric mean"
    yield (
        f"The {aggregate} is over all topics of the qrels; a topic that the run lacks counts as an "
        "empty list."
    )


def _source(measure: GradedMeasure) -> Iterator[str]:
    source = measure.doc_field("source")
    if source:
        yield f"{SOURCE}{source}."


PARTS: tuple[Callable[[GradedMeasure], Iterator[str]], ...] = (
    _title,
    _formula,
    _direction,
    _gains,
    _weights,
    _ideal,
    _parameters,
    _cutoff,
    _ties,
    _unjudged,
    _undefined,
    _source,
)
"""The parts of the paragraph, in its order."""


def _short(weight: float) -> str:
    """A weight with three digits, without the 0 before the point."""
    return re.sub(r"^0\.", ".", f"{weight:.3g}")


def _listed(words: list[str]) -> str:
    """Words with commas, and ``and`` before the last one."""
    *others, last = words
    if not others:
        return last
    return f"{', '.join(others)} and {last}"
