"""The built-in measures, one family per module, and the base classes of all graded measures.

- `base`, `parameters`, `topics`: base classes, parameters, and the input of a measure.
- `cumulated_gain`, `average_precision`, `cascade`, `rank_biased`, `ntcir`, `binary`, `ratios`,
  `preference`, `search_length`, `intents`: the families.
- `sessions`: measures of sessions, which evaluation combines from turns.
- `sums`, `gain_sums`, `stop_sums`, `averaged`: definitions that several families share.
- `standard`, `standard_measure`, `standard_definitions`: ir-measures' standard measures, which are
  not registered again: how they are found and computed, what they share, and their definitions.
- `trec_eval`: measures of trec_eval that ir-measures lacks, without pages of their own.

`ir_measures_graded.core.registry.names` lists the measures, and the import of the package registers
them.
"""

from . import (
    average_precision,
    binary,
    cascade,
    cumulated_gain,
    intents,
    ntcir,
    preference,
    rank_biased,
    ratios,
    search_length,
    sessions,
)
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

FAMILIES = {
    cumulated_gain: "How much gain do the first documents have?",
    average_precision: "How early are the relevant documents?",
    cascade: "How soon is a user satisfied who reads one document after the other?",
    rank_biased: "How much does a user gain who may stop after any document?",
    ntcir: "How good is the list for users who stop at different documents?",
    binary: "How many relevant documents are among the first k?",
    ratios: "What share of the possible gain is found?",
    preference: "Does the list have the order that the user prefers?",
    search_length: "How far must a user read?",
    intents: "Does the list serve all intents of a topic?",
    sessions: "How much gain do the queries of a session have?",
}
"""The families, each with the question that its measures answer."""
MEASURES: tuple[GradedMeasure, ...] = tuple(
    measure
    for family in FAMILIES
    if family not in (intents, sessions)
    for measure in family.MEASURES
)
"""The measures over one level for each document, without those over intents and those of
sessions."""
