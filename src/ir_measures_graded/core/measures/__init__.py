"""The built-in measures, one family per module, and the base classes of all graded measures.

- `base`, `parameters`, `topics`: base classes, parameters, and the input of a measure.
- `cumulated_gain`, `average_precision`, `cascade`, `rank_biased`, `ntcir`, `binary`, `ratios`,
  `preference`, `search_length`, `intents`: the families.
- `sessions`: measures of sessions, which evaluation combines from turns.
- `sums`, `gain_sums`, `stop_sums`, `averaged`: definitions that several families share.
- `standard`, `standard_measure`, `standard_definitions`: ir-measures' standard measures, which are
  not registered again: how they are found and computed, what they share, and their definitions.
- `trec_eval`: measures of trec_eval that ir-measures lacks, without pages of their own.

A module is imported when one of its measures is needed. `ir_measures_graded.core.registry.names`
lists the measures, and the import of the package registers them all.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .average_precision import AGR, GAP, WAP, Q, muAP
    from .base import GradedMeasure
    from .binary import F1, R_cap
    from .cascade import EBR, ERR_G, iRBU, nERR
    from .cumulated_gain import CG, DCG_JK, NDCNG, DCG_Burges, nCG, nDCG_Burges, nDCG_JK
    from .intents import D_Q, ERR_IA_G, D_nDCG, Dsharp_nDCG, Dsharp_Q, IRec, nDCG_IA
    from .ntcir import NCU, O_measure, P_measure, P_plus
    from .preference import ADM, NDPM, KendallTau, RelativeRelevance, Spearman
    from .rank_biased import RBP_G
    from .ratios import MSR, SR, Fallout, gP, gR
    from .search_length import ASL, ESL, NR
    from .sessions import nsDCG, sDCG

__all__ = [
    "ADM", "AGR", "ASL", "CG", "DCG_JK", "D_Q", "EBR", "ERR_G", "ERR_IA_G", "ESL", "F1", "GAP",
    "MSR", "NCU", "NDCNG", "NDPM", "NR", "RBP_G", "SR", "WAP", "DCG_Burges", "D_nDCG", "Dsharp_Q",
    "Dsharp_nDCG", "Fallout", "IRec", "KendallTau", "O_measure", "P_measure", "P_plus", "Q",
    "R_cap", "RelativeRelevance", "Spearman", "gP", "gR", "iRBU", "muAP", "nCG", "nDCG_Burges",
    "nDCG_IA", "nDCG_JK", "nERR", "nsDCG", "sDCG",
]  # fmt: skip

QUESTIONS = {
    "cumulated_gain": "How much gain do the first documents have?",
    "average_precision": "How early are the relevant documents?",
    "cascade": "How soon is a user satisfied who reads one document after the other?",
    "rank_biased": "How much does a user gain who may stop after any document?",
    "ntcir": "How good is the list for users who stop at different documents?",
    "binary": "How many relevant documents are among the first k?",
    "ratios": "What share of the possible gain is found?",
    "preference": "Does the list have the order that the user prefers?",
    "search_length": "How far must a user read?",
    "intents": "Does the list serve all intents of a topic?",
    "sessions": "How much gain do the queries of a session have?",
}
"""The families, each with the question that its measures answer."""
_NAMES = {
    "cumulated_gain": "CG DCG_JK DCG_Burges NDCNG nCG nDCG_Burges nDCG_JK",
    "average_precision": "AGR GAP Q QMeasure WAP muAP muMAP μAP μMAP",
    "cascade": "EBR ERR_G iRBU nERR",
    "rank_biased": "RBP_G",
    "ntcir": "NCU O_measure P_measure P_plus",
    "binary": "F1 R_cap",
    "ratios": "Fallout MSR SR gP gR",
    "preference": "ADM KendallTau NDPM RelativeRelevance Spearman",
    "search_length": "ASL ESL NR",
    "intents": "D_Q D_nDCG Dsharp_Q Dsharp_nDCG ERR_IA_G IRec nDCG_IA",
    "sessions": "nsDCG sDCG",
    "trec_eval": "trec_G trec_binG trec_ndcg_rel trec_Rndcg trec_Rprec_mult trec_11pt_avg trec_rbp "
    "trec_rbp_resid trec_unj trec_num_nonrel_judged_ret trec_utility trec_yaap "
    "trec_gm_map trec_gm_bpref",
}
MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
"""The module of each name of a measure."""


def measure_named(name: str) -> "GradedMeasure":
    """The measure of a name in `MODULE_OF`, whose module is imported."""
    module = import_module(f".{MODULE_OF[name]}", __name__)
    of_module: tuple[GradedMeasure, ...] = module.MEASURES
    return next(measure for measure in of_module if name in (measure.NAME, *measure.ALIASES))


def __getattr__(name: str) -> Any:
    """A measure, whose module is imported."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return measure_named(name)


def families() -> dict[str, ModuleType]:
    """The modules of all families by name."""
    return {family: import_module(f".{family}", __name__) for family in QUESTIONS}


def measures_of_levels() -> "tuple[GradedMeasure, ...]":
    """The measures over one level for each document, without those over intents and those of
    sessions.
    """
    modules = families()
    del modules["intents"], modules["sessions"]
    return tuple(measure for module in modules.values() for measure in module.MEASURES)
