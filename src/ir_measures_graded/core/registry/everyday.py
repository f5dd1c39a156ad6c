"""Names of measures as people type them: ``ndcg@10``, ``map@100``, ``hit_rate@10``,
``recall_at_100``.

Libraries for retrieval write names without case and with other separators than ir-measures. A text
that is neither a measure string nor a name of trec_eval is looked up here. A word that means
several measures is refused with the strings to choose from, because a silent choice would be a
wrong number for some readers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...errors import GradedError, shown, similar_names

_EVERYDAY = (
    r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:[ _-](?!at[_-])[A-Za-z0-9]+)*?)"
    r"(?:(?:@|_at_|-at-)(?P<cutoffs>\d{1,9}(?:,\d{1,9})*))?"
    r"(?:-l(?P<level>\d{1,9}))?"
)
"""A name with cutoffs, and with ranx's least relevant level."""
NEEDED = "needed"
OPTIONAL = "optional"
NONE = "none"
"""Whether a word needs a cutoff, may have one, or has none."""


class Word(NamedTuple):
    """A measure as an everyday word has it.

    `cutoff` is one of `NEEDED`, `OPTIONAL` and `NONE`. `has_level` tells whether ranx's ``-l2`` may
    follow, which becomes ``rel=2``.
    """

    measure: str
    cutoff: str = OPTIONAL
    has_level: bool = True


NDCG = Word("nDCG", has_level=False)
AVERAGE_PRECISION = Word("AP")
RECIPROCAL_RANK = Word("RR")
RECALL = Word("R", NEEDED)
PRECISION = Word("P", NEEDED)
SUCCESS = Word("Success", NEEDED)
F1 = Word("F1", NEEDED)
CAPPED_RECALL = Word("R_cap", NEEDED)
NDCG_BURGES = Word("nDCG_Burges", has_level=False)
DCG_BURGES = Word("DCG_Burges", has_level=False)
Q_MEASURE = Word("Q", has_level=False)
EXPECTED_RECIPROCAL_RANK = Word("ERR", has_level=False)
R_PRECISION = Word("Rprec", NONE)
BPREF = Word("Bpref", NONE, has_level=False)
WORDS = {
    "ndcg": NDCG,
    "ndcg burges": NDCG_BURGES,
    "dcg burges": DCG_BURGES,
    "map": AVERAGE_PRECISION,
    "ap": AVERAGE_PRECISION,
    "average precision": AVERAGE_PRECISION,
    "mean average precision": AVERAGE_PRECISION,
    "mrr": RECIPROCAL_RANK,
    "rr": RECIPROCAL_RANK,
    "recip rank": RECIPROCAL_RANK,
    "reciprocal rank": RECIPROCAL_RANK,
    "mean reciprocal rank": RECIPROCAL_RANK,
    "recall": RECALL,
    "r": RECALL,
    "precision": PRECISION,
    "prec": PRECISION,
    "p": PRECISION,
    "hit": SUCCESS,
    "hit rate": SUCCESS,
    "hr": SUCCESS,
    "success": SUCCESS,
    "f1": F1,
    "r cap": CAPPED_RECALL,
    "recall cap": CAPPED_RECALL,
    "capped recall": CAPPED_RECALL,
    "err": EXPECTED_RECIPROCAL_RANK,
    "expected reciprocal rank": EXPECTED_RECIPROCAL_RANK,
    "q measure": Q_MEASURE,
    "r-precision": R_PRECISION,
    "rprec": R_PRECISION,
    "bpref": BPREF,
}
"""The measure of each word. Case, blanks, hyphens and underscores do not count."""

_OF_WHOLE_LIST = {"R": "SetR", "P": "SetP", "F1": "SetF"}
"""The measures of all retrieved documents that stand beside those with a cutoff."""


def for_whole_list(name: str) -> str:
    """The end of a message that asks for a cutoff: the measure of the whole list, if there is one.

    >>> for_whole_list("R"), for_whole_list("Success")
    ('; for the whole list take SetR', '')
    """
    other = _OF_WHOLE_LIST.get(name)
    return f"; for the whole list take {other}" if other else ""


MEANINGS_OF_DCG = {
    "DCG_JK": "of Järvelin & Kekäläinen 2002",
    "DCG_Burges(gains=linear)": "that of nDCG, as in ranx",
    "DCG_Burges": "as in OpenSearch",
}
"""The measures that the word DCG may mean, and the source of each."""
_DCG = [f"{measure}{{at}} ({source})" for measure, source in MEANINGS_OF_DCG.items()]
AMBIGUOUS = {
    "hits": (
        "Success@{k} (a hit or none) or P@{k} (ranx counts the relevant documents, {k} times P@{k})"
    ),
    "accuracy": (
        "Success@{k} (a hit or none, as in Sentence Transformers) or Accuracy@{k} (ir-measures: "
        "the share of pairs in the right order)"
    ),
    "dcg": f"{', '.join(_DCG[:-1])} or {_DCG[-1]}",
    "hole": (
        "Judged@{k}; the Hole@{k} of BEIR and MTEB counts documents that no topic judges, so it is "
        "not 1 - Judged@{k}"
    ),
}
AMBIGUOUS["acc"] = AMBIGUOUS["accuracy"]
AMBIGUOUS["top k accuracy"] = AMBIGUOUS["accuracy"]
"""The measure strings to choose from for words that mean several measures."""


SEPARATORS = str.maketrans("", "", " _-")
"""The signs between the words of a name, which are left out."""


def squeezed(name: str) -> str:
    """A name without case, blanks, hyphens and underscores.

    >>> squeezed("Hit_Rate"), squeezed("R-Precision")
    ('hitrate', 'rprecision')
    """
    return name.translate(SEPARATORS).lower()


_WORDS = {squeezed(name): word for name, word in WORDS.items()}
_AMBIGUOUS = {squeezed(name): choices for name, choices in AMBIGUOUS.items()}


def refuse_cutoff(text: str, cutoff: str) -> None:
    """Raise `GradedError` for a cutoff that is not a whole number ≥ 1, without leading zeros.

    >>> refuse_cutoff("ndcg@05", "05")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: 'ndcg@05': '05' is not a cutoff; a cutoff is a whole \
number ≥ 1, as in ndcg@10
    """
    if re.fullmatch("[1-9][0-9]*", cutoff) is None:
        name = re.split("@|_at_|-at-", text, flags=re.IGNORECASE)[0]
        raise GradedError(
            f"{shown(text)}: {shown(cutoff)} is not a cutoff; a cutoff is a whole number ≥ 1, as "
            f"in {name}@10"
        )


def is_everyday(text: str) -> bool:
    """Whether a text has an everyday word, also one that is refused.

    >>> is_everyday("hits@10"), is_everyday("bm25")
    (True, False)
    """
    match = re.fullmatch(_EVERYDAY, text.strip(), re.IGNORECASE)
    if match is None:
        return False
    name = squeezed(match["name"])
    return name in _WORDS or name in _AMBIGUOUS


def everyday_strings(text: str) -> list[str]:
    """The measure strings of an everyday text, one for each cutoff; none for any other text.

    >>> everyday_strings("ndcg_at_10"), everyday_strings("precision@5,10")
    (['nDCG@10'], ['P@5', 'P@10'])
    >>> everyday_strings("map@100-l2"), everyday_strings("nDCG_JK@10")
    (['AP(rel=2)@100'], [])

    Raises `GradedError` for a word that means several measures, with the strings to choose from,
    for a cutoff that is missing, superfluous or not allowed, and for the level 0.
    """
    match = re.fullmatch(_EVERYDAY, text.strip(), re.IGNORECASE)
    if match is None:
        return []
    name = squeezed(match["name"])
    level = match["level"]
    cutoffs: list[str] = []
    if match["cutoffs"]:
        cutoffs = match["cutoffs"].split(",")
    takes_cutoff = name in _AMBIGUOUS or (name in _WORDS and _WORDS[name].cutoff != NONE)
    if takes_cutoff:
        for cutoff in cutoffs:
            refuse_cutoff(text, cutoff)
    if name in _AMBIGUOUS:
        cutoff = cutoffs[0] if cutoffs else "10"
        choices = _AMBIGUOUS[name].format(k=cutoff, at=_ending_of(cutoffs))
        raise GradedError(f"{text!r} means several measures; write {choices}")
    word = _WORDS.get(name)
    if word is None:
        return []
    if word.cutoff == NEEDED and not cutoffs:
        whole_list = for_whole_list(word.measure)
        raise GradedError(f"{text} needs a cutoff, as in {text}@10{whole_list}")
    if word.cutoff == NONE and cutoffs:
        raise GradedError(f"{text!r}: {match['name']} takes no cutoff; write {word.measure}")
    parameters = ""
    if level is not None:
        if not word.has_level:
            raise GradedError(
                f"{text!r}: {word.measure} has no least relevant level; leave out -l{level}"
            )
        if int(level) == 0:
            raise GradedError(
                f"{text!r}: the least relevant level is 0, but it is a whole number ≥ 1, as in -l1"
            )
        parameters = f"(rel={int(level)})"
    endings = [f"@{cutoff}" for cutoff in cutoffs] or [""]
    return [word.measure + parameters + ending for ending in endings]


def _ending_of(cutoffs: Sequence[str]) -> str:
    """The end of a measure string with these cutoffs."""
    return f"@{','.join(cutoffs)}" if cutoffs else ""


def meanings_of_dcg(text: str) -> list[str]:
    """The measure strings that a text with the word DCG may mean; none for any other text.

    >>> meanings_of_dcg("dcg@5")
    ['DCG_JK@5', 'DCG_Burges(gains=linear)@5', 'DCG_Burges@5']
    >>> meanings_of_dcg("DCG_JK@5"), meanings_of_dcg("dcg-l2")
    ([], [])
    """
    match = re.fullmatch(_EVERYDAY, text.strip(), re.IGNORECASE)
    if match is None or squeezed(match["name"]) != "dcg" or match["level"] is not None:
        return []
    cutoffs = match["cutoffs"].split(",") if match["cutoffs"] else []
    return [measure + _ending_of(cutoffs) for measure in MEANINGS_OF_DCG]


def similar_strings(name: str) -> list[str]:
    """The measure strings of the everyday words that are most like a name, at most two.

    >>> similar_strings("hitz"), similar_strings("mean_recip_rank"), similar_strings("bm25")
    (['Success@10'], ['RR'], [])
    """
    similar = similar_names(squeezed(name), _WORDS, most=2, cutoff=0.75)
    strings = []
    for word in (_WORDS[squeezed_name] for squeezed_name in similar):
        ending = "@10" if word.cutoff == NEEDED else ""
        strings.append(word.measure + ending)
    return list(dict.fromkeys(strings))


def refuse_parameters(text: str) -> None:
    """Raise `GradedError`, with the measure string, if an everyday word has parameters.

    >>> refuse_parameters("nDCG_JK(b=2)@10")
    >>> refuse_parameters("map(rel=2)@10")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: 'map(rel=2)@10': map takes no parameters; write \
AP(rel=2)@10
    """
    match = re.fullmatch(r"(?P<name>[^(@]+)(?P<parameters>\(.*\))(?P<ending>@\d+)?", text.strip())
    if match is None or not is_everyday(match["name"]):
        return
    ending = match["ending"] or ""
    (string,) = everyday_strings(match["name"] + ending)
    name = string.partition("@")[0]
    raise GradedError(
        f"{text!r}: {match['name']} takes no parameters; write {name}{match['parameters']}{ending}"
    )


def with_each_cutoff(text: str) -> list[str]:
    """The measure strings of a text with several cutoffs after its ``@``; none for any other text.

    >>> with_each_cutoff("nDCG@5,10,20"), with_each_cutoff("P@5")
    (['nDCG@5', 'nDCG@10', 'nDCG@20'], [])
    >>> with_each_cutoff("nDCG_JK(b=3)@5,10")
    ['nDCG_JK(b=3)@5', 'nDCG_JK(b=3)@10']
    """
    match = re.fullmatch(r"(?P<name>[^@]+)@(?P<cutoffs>\d{1,9}(?:,\d{1,9})+)", text.strip())
    if match is None:
        return []
    cutoffs = match["cutoffs"].split(",")
    for cutoff in cutoffs:
        refuse_cutoff(text, cutoff)
    return [f"{match['name']}@{cutoff}" for cutoff in cutoffs]
