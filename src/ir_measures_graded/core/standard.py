"""ir-measures' standard measures from the judged ranks of a run, equal to ir-measures to the last bit.

Most are the definitions in `measures.standard`, which have options and curves. `FORMULAS` has the others, to
be read beside the C code of trec_eval 9.0.8 (``m_bpref.c`` …), which ir-measures' provider pytrec_eval runs.
`computes` tells which measures are supported.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from .by_topic import cumsum, largest
from .measures.standard import DEFINITIONS, condensed, definition
from .measures.topics import Topics, ratio
from .ranking.ranks import JudgedRanks

INFAP_EPSILON = 0.00001

Given = Mapping[str, Any]
"""The parameters of a measure; None for one that is not set."""


def irrelevant(topics: Topics) -> np.ndarray:
    """Whether each judged document is not relevant; with a level below 0, it does not count as judged."""
    return (topics.document_level >= 0) & (topics.document_gain == 0)


def irrelevant_so_far(topics: Topics) -> np.ndarray:
    """The number of irrelevant documents before each relevant document of the run."""
    return cumsum(irrelevant(topics)[topics.document], topics.run.offsets)[topics.run.gain > 0]


def interpolated_precision(topics: Topics, given: Given) -> np.ndarray:
    """``m_iprec_at_recall.c``: the highest precision at this recall or higher."""
    wanted = (float(f"{given['recall']:.2f}") * topics.relevant + 0.9).astype(np.int64)
    hits = topics.run.relevant
    at = np.where(hits.number >= wanted[hits.topic], hits.number / hits.rank, 0.0)
    # trec_eval divides 0 by 0
    return np.where((wanted == 0) & (topics.retrieved == 0), np.nan, largest(at, hits.offsets))


def bpref(topics: Topics, given: Given) -> np.ndarray:
    """``m_bpref.c``: Σ over relevant documents (1 − the share of the top num_rel others before) / num_rel."""
    hits, num_rel = topics.run.relevant, topics.relevant
    num_nonrel = np.bincount(topics.document_topic[irrelevant(topics)], minlength=topics.count)
    before = np.minimum(irrelevant_so_far(topics), num_rel[hits.topic])
    return ratio(hits.sum(1 - ratio(before, np.minimum(num_nonrel, num_rel)[hits.topic])), num_rel)


def inferred_ap(topics: Topics, given: Given) -> np.ndarray:
    """``m_infap.c``: Σ expected precision at each relevant document / num_rel."""
    hits = topics.run.relevant
    pooled = topics.run.number[topics.run.gain > 0] - 1  # documents of the pool before it
    rel, nonrel, before = hits.number - 1, irrelevant_so_far(topics), hits.rank - 1.0
    inferred = 1 / (before + 1) + (before / (before + 1)) * ratio(pooled, before) * (
        (rel + INFAP_EPSILON) / (rel + nonrel + 2 * INFAP_EPSILON)
    )
    return ratio(hits.sum(np.where(before == 0, 1.0, inferred)), topics.relevant)


def set_f(topics: Topics, given: Given) -> np.ndarray:
    """``m_set_F.c``: (β + 1) P R / (β P + R)."""
    found = topics.run.relevant.sizes
    p, r = ratio(found, topics.retrieved), ratio(found, topics.relevant)
    return ratio((given["beta"] + 1) * p * r, given["beta"] * p + r)


def set_ap(topics: Topics, given: Given) -> np.ndarray:
    """``m_set_map.c``: num_rel_ret² / (num_ret num_rel)."""
    found = topics.run.relevant.sizes
    return ratio(found * found, topics.retrieved * topics.relevant)


def num_ret(topics: Topics, given: Given) -> np.ndarray:
    """``m_num_ret.c``, and with `rel` ``m_num_rel_ret.c``."""
    return topics.retrieved if given["rel"] is None else topics.run.relevant.sizes


RR_WITHIN = "RR@k"
"""The name of RR with a cutoff, which ir-measures' provider msmarco computes."""

FORMULAS: dict[str, Callable[[Topics, Given], np.ndarray]] = {
    "IPrec": interpolated_precision,
    "Bpref": bpref,
    "infAP": inferred_ap,
    "SetF": set_f,
    "SetAP": set_ap,
    "NumRet": num_ret,
    "NumRel": lambda topics, given: topics.relevant,
    "NumQ": lambda topics, given: np.ones(topics.count),
}
"""The measures without a definition, from topics in which relevant documents gain 1."""

MULTIPLY_AND_ADD = ("IPrec", "infAP", "SetF")
"""Formulas that add a product, whose last bit depends on `rounds_twice`."""

PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "cutoff": lambda value: value is None or (type(value) is int and 1 <= value < 2**31),
    "rel": lambda value: value is None or (type(value) is int and 1 <= value < 2**31),
    "judged_only": lambda value: isinstance(value, bool),
    "relative": lambda value: isinstance(value, bool),
    "dcg": lambda value: value == "log2",
    "gains": lambda value: all(
        type(number) is int and abs(number) < 2**31 for pair in (value or {}).items() for number in pair
    ),
    "beta": lambda value: re.fullmatch(r"\d+(\.\d+)?", f"{value}") is not None,
    "recall": lambda value: 0 <= value <= 1,
}
"""Which of the values that ir-measures allows are supported, by parameter."""


def parameters(measure: ir_measures.Measure) -> Given:
    """The parameters of a measure; None for one that is not set."""
    values = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    return {name: None if value is NOT_PROVIDED else value for name, value in values.items()}


def formula_of(measure: ir_measures.Measure) -> str:
    """The name of a standard measure that is computed here, or of its definition; empty for any other."""
    name = getattr(measure, "OF", measure.NAME)
    if name == "RBP" or name not in {**FORMULAS, **DEFINITIONS}:
        return ""
    if type(measure) not in (type(getattr(ir_measures, name)), DEFINITIONS.get(name)):
        return ""  # others may derive a subclass
    return RR_WITHIN if name == "RR" and measure["cutoff"] is not NOT_PROVIDED else name


def computes(measure: ir_measures.Measure) -> bool:
    """Whether this module computes the measure with its parameters.

    Raises `AssertionError`, as ir-measures does, for parameters that the measure does not have or allow.

    >>> from ir_measures import ERR, P, nDCG
    >>> computes(P(rel=2) @ 10), computes(nDCG(gains={1: 0.5})), computes(ERR @ 20)
    (True, False, False)
    """
    formula = formula_of(measure)
    if not formula:
        return False
    measure.validate_params()
    given = parameters(measure)
    return (
        not (formula == RR_WITHIN and given["judged_only"])
        and not (formula == "NumRel" and given["rel"] != 1)
        and (formula not in MULTIPLY_AND_ADD or rounds_twice())
        and all(name in PARAMETERS and PARAMETERS[name](value) for name, value in given.items())
    )


@cache
def rounds_twice() -> bool:
    """Whether C code rounds a product before it adds it. For processors other than x86, compilers may fuse
    the two operations and round once."""
    import platform  # This import takes time.

    return platform.machine().lower() in ("x86_64", "amd64")


def needs_whole_levels(measure: ir_measures.Measure) -> bool:
    """Whether trec_eval defines the measure, because trec_eval reads levels as whole numbers."""
    return formula_of(measure) not in ("", "Judged", RR_WITHIN)


def values(measure: ir_measures.Measure, ranks: JudgedRanks) -> np.ndarray:
    """The value of each topic, as if the run had every topic."""
    if known := definition(measure):
        return known.values(known.view(ranks))
    given = parameters(measure)
    listed = condensed(ranks, {}) if given.get("judged_only") else ranks
    topics = Topics.shared(listed, given.get("rel") or 1, None)
    return np.asarray(FORMULAS[formula_of(measure)](topics, given), dtype=np.float64)
