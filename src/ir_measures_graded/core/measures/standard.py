"""ir-measures' standard measures as graded measures: their ties, judgments, curves and
contributions.

`definition_of` finds the definition of a measure of ir-measures. It has the name and the parameters
of the measure, and the options `ties` and `unjudged`. None is registered. Without options, the
values equal those of ir-measures' providers, mostly trec_eval's, to the last bit: sums are added
rank by rank, and logarithms are C's own.

`values` has the values of all standard measures without options, and `computes` tells which are
supported. `FORMULAS` has those without a definition, to be read beside the C code of trec_eval
9.0.8 (``m_bpref.c`` …), which ir-measures' provider pytrec_eval runs.
"""

from collections.abc import Callable
from contextlib import suppress

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from ...errors import GradedError
from ..by_topic import cumsum
from ..ranking.ranks import JudgedRanks
from .base import GradedMeasure
from .standard_measure import Standard, condensed
from .topics import Topics, ratio, topics_of


def definitions() -> dict[str, type[Standard]]:
    """The definitions by the name of the standard measure."""
    from .standard_definitions import DEFINITIONS  # Graded measures do without this import.

    return DEFINITIONS


def definition_of(measure: ir_measures.Measure) -> GradedMeasure | None:
    """The measure itself if it is graded, or the definition of a standard measure, which prints
    alike.

    None for all other measures, and for parameters that no definition has.

    >>> definition_of(ir_measures.AP @ 10)(ties="mean"), definition_of(ir_measures.Bpref)
    (AP(ties='mean')@10, None)
    """
    with suppress(GradedError):
        return definition(measure)
    return None


def definition(measure: ir_measures.Measure) -> GradedMeasure | None:
    """As `definition_of`, but raises `GradedError` for parameters that no definition has."""
    if isinstance(measure, GradedMeasure):
        return measure
    name = str(measure.NAME)
    standard = definitions().get(name)
    if standard is None or type(measure) is not type(getattr(ir_measures, name)):
        return None  # others may derive a subclass
    definition = standard(**measure.params)
    definition._text = str(measure)
    return definition


# ------------------------------------------------------------------- ir-measures' provider


def bpref(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_bpref.c``.

    :formula: Σ (1 − min(n_d, R) / min(N, R)) / R over the retrieved relevant documents d, where n_d
        is the number of documents before d that are judged not relevant, and N of all of these
    :undefined: 0 without relevant documents
    :source: trec_eval (bpref)
    """
    return bpref_of(topics)


def bpref_of(topics: Topics) -> np.ndarray:
    """``m_bpref.c``: Σ over relevant documents (1 − the share of the top num_rel others before) /
    num_rel.
    """
    hits = topics.run.relevant
    num_rel = topics.relevant
    is_judged = topics.document_level >= 0  # a level below 0 means unjudged
    others = is_judged & (topics.document_gain == 0)
    num_nonrel = np.bincount(topics.document_topic[others], minlength=topics.count)
    so_far = cumsum(others[topics.document], topics.run.offsets)[topics.run.gain > 0]
    before = np.minimum(so_far, num_rel[hits.topic])
    most = np.minimum(num_nonrel, num_rel)[hits.topic]
    return ratio(hits.sum(1 - ratio(before, most)), num_rel)


def num_ret(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_num_ret.c``, and with `rel` ``m_num_rel_ret.c``.

    :formula: the number of retrieved documents; with rel, of the retrieved relevant ones
    :source: trec_eval (num_ret, num_rel_ret)
    """
    if measure.params.get("rel") is None:
        return topics.retrieved
    return topics.run.relevant.sizes


def num_rel(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_num_rel.c``.

    :formula: R, the number of relevant documents
    :source: trec_eval (num_rel)
    """
    return topics.relevant


def num_q(topics: Topics, measure: ir_measures.Measure) -> np.ndarray:
    """``m_num_q.c``.

    :formula: 1 for each topic, so that the sum is the number of topics
    :source: trec_eval (num_q)
    """
    return np.ones(topics.count)


RR_WITHIN = "RR@k"
"""The name of RR with a cutoff, which ir-measures' provider msmarco computes."""
ONLY_PYTREC_EVAL = ("SetAP", "SetF", "IPrec", "infAP")
"""The measures that the provider pytrec_eval computes, and this package does not."""
LIMIT = 2**31
"""The limit of the whole numbers of C, in which trec_eval has cutoffs and levels. Greater gains
overflow in pytrec_eval, so this package computes them."""

FORMULAS: dict[str, Callable[[Topics, ir_measures.Measure], np.ndarray]] = {
    "Bpref": bpref,
    "NumRet": num_ret,
    "NumRel": num_rel,
    "NumQ": num_q,
}
"""The measures without a definition, from topics in which relevant documents gain 1."""


def documented(measure: ir_measures.Measure) -> type[Standard] | Callable[..., np.ndarray] | None:
    """What has the formula of a measure of ir-measures in its docstring, whatever its parameters;
    None for a measure that is not defined here.

    >>> documented(ir_measures.RBP).OF, documented(ir_measures.Bpref) is bpref
    ('RBP', True)
    >>> documented(ir_measures.infAP)
    """
    name = str(measure.NAME)
    if type(measure) is not type(getattr(ir_measures, name, None)):  # others may derive a subclass
        return None
    return definitions().get(name) or FORMULAS.get(name)


def formula_of(measure: ir_measures.Measure) -> str:
    """The name of a standard measure that is computed here, or of its definition; empty for any
    other.
    """
    if isinstance(measure, GradedMeasure) and not isinstance(measure, Standard):
        return ""
    name = str(getattr(measure, "OF", measure.NAME))
    if name == "RBP" or (name not in FORMULAS and name not in definitions()):
        return ""
    classes = (type(getattr(ir_measures, name)), definitions().get(name))
    if type(measure) not in classes:  # others may derive a subclass
        return ""
    if name == "RR" and measure["cutoff"] is not NOT_PROVIDED:
        return RR_WITHIN
    return name


def computes(measure: ir_measures.Measure) -> bool:
    """Whether this module computes the measure with its parameters.

    Raises `AssertionError`, as ir-measures does, for parameters that the measure does not have or
    allow.

    >>> from ir_measures import ERR, P, nDCG
    >>> computes(P(rel=2) @ 10), computes(nDCG(gains={1: 0.5})), computes(ERR @ 20)
    (True, False, False)
    """
    formula = formula_of(measure)
    if not formula:
        return False
    measure.validate_params()
    params = measure.params
    if formula == RR_WITHIN and params.get("judged_only"):
        return False
    if formula == "NumRel" and params.get("rel", 1) != 1:
        return False
    if params.get("dcg", "log2") != "log2" or params.get("relative"):
        return False
    counts = [params[name] for name in ("cutoff", "rel") if params.get(name) is not None]
    if not all(type(count) is int and 1 <= count < LIMIT for count in counts):
        return False
    gains = params.get("gains") or {}
    return all(type(level) is int and type(gain) is int for level, gain in gains.items())


def needs_whole_levels(measure: ir_measures.Measure) -> bool:
    """Whether trec_eval defines the measure, because trec_eval reads levels as whole numbers."""
    return measure.NAME in ONLY_PYTREC_EVAL or formula_of(measure) not in ("", "Judged", RR_WITHIN)


def values(measure: ir_measures.Measure, ranks: JudgedRanks) -> np.ndarray:
    """The value of each topic, as if the run had every topic."""
    standard = definition(measure)
    if standard is not None:
        return standard.values(standard.view(ranks))
    listed = ranks
    if measure.params.get("judged_only"):
        listed = condensed(ranks, {})
    topics = topics_of(listed, measure.params.get("rel") or 1, None)
    formula = FORMULAS[formula_of(measure)]
    return np.asarray(formula(topics, measure), dtype=np.float64)
