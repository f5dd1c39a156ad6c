"""What other tools call each measure, or what they compute under a similar name.

Every row is checked against the tool by tests/docs/test_elsewhere.py.
"""

from __future__ import annotations

from typing import NamedTuple

BINARY = "gains=1:1,2:1,3:1"


class Other(NamedTuple):
    """A measure of another tool.

    `here` is the measure string of this package that gives the same values; empty, where none does.
    """

    tool: str
    name: str
    here: str
    text: str


LOG2 = "cites the same paper, but divides by log2(i + 1), so at rank 2 by 1.58 and not by 1; no base"
ELSEWHERE: dict[str, list[Other]] = {
    "CG": [
        Other("trec_eval", "num_rel_ret", f"CG({BINARY})", "counts relevant documents of any level"),
    ],
    "DCG_JK": [
        Other("ranx", "dcg@10", "", LOG2),
        Other(
            "scikit-learn",
            "dcg_score(k=10)",
            "",
            "cites the same paper, but divides by log(i + 1), from rank 2 on; log_base scales all values "
            "alike; tied documents share their gains",
        ),
    ],
    "nCG": [
        Other("trec_eval", "relative_P_10", f"nCG({BINARY})@10", "binary: precision over the best possible"),
        Other("this package", "SR@10", "nCG@10", "the sliding ratio to the recall base is the same quotient"),
    ],
    "nDCG_JK": [
        Other(
            "NTCIREVAL, pyNTCIREVAL",
            "nDCG@0010",
            "nDCG_JK@10",
            "the same; pyNTCIREVAL's --logb is b, -g the gains",
        ),
        Other("trec_eval", "ndcg_cut_10", "", LOG2),
        Other("trec_eval", "ndcg", "", LOG2),
        Other("ir-measures", "nDCG@10", "", "trec_eval's ndcg_cut_10"),
        Other("ranx", "ndcg@10", "", LOG2),
        Other("scikit-learn", "ndcg_score(k=10)", "", f"{LOG2}; tied documents share their gains"),
        Other(
            "NTCIREVAL, pyNTCIREVAL", "MSnDCG@0010", "", "the log2(i + 1) discount, after Burges et al. 2005"
        ),
    ],
    "NDCNG": [
        Other("ranx", "ndcg_burges@10", "NDCNG(max_gain=1)@10", "gains 2^G − 1, which grow with the scale"),
        Other(
            "ir-measures",
            "nDCG(dcg='exp-log2')@10",
            "NDCNG(max_gain=1)@10",
            "gdeval's: gains 2^G − 1, which grow with the scale; printed to five decimals",
        ),
    ],
    "muAP": [
        Other("trec_eval", "map", f"muAP({BINARY})", "one threshold: every relevant document counts alike"),
        Other("trec_eval", "map_cut_10", f"muAP({BINARY})@10", "likewise; it divides by all of R too"),
        Other("ir-measures", "AP(rel=2)", "muAP(gains=1:0,2:1,3:1)", "one threshold, that of level 2"),
        Other("ranx", "map", f"muAP({BINARY})", "one threshold: every relevant document counts alike"),
        Other(
            "scikit-learn",
            "average_precision_score",
            f"muAP({BINARY})",
            "binary; the same where all relevant documents are scored and no scores are tied",
        ),
    ],
    "WAP": [
        Other("NTCIREVAL, pyNTCIREVAL", "Q-measure, large beta", "WAP", "the limit of Q as β grows"),
    ],
    "Q": [
        Other(
            "NTCIREVAL, pyNTCIREVAL", "Q-measure", "Q", "the same; pyNTCIREVAL's --beta is beta, -g the gains"
        ),
        Other("NTCIREVAL, pyNTCIREVAL", "Q@0010", "Q@10", "the same; it divides by min(R, 10) too"),
    ],
    "AGR": [],
    "SR": [
        Other("this package", "nCG@10", "SR@10", "the same quotient; ideal='retrieved' has no other name"),
    ],
    "MSR": [],
    "gP": [
        Other("trec_eval", "P_10", f"gP({BINARY})@10", "binary"),
    ],
    "gR": [
        Other("trec_eval", "recall_10", f"gR({BINARY})@10", "binary"),
    ],
    "NDPM": [
        Other(
            "scikit-learn",
            "roc_auc_score",
            f"NDPM(performance=True,{BINARY})",
            "binary: over the judged documents, the area under the ROC curve is 1 − NDPM",
        ),
    ],
    "KendallTau": [
        Other(
            "SciPy",
            "kendalltau(variant='b')",
            "KendallTau",
            "the same, given the gains and scores of the judged documents, those not retrieved tied last; "
            "NaN where this is 0",
        ),
        Other("SciPy", "kendalltau(variant='c')", "KendallTau(variant='c')", "likewise"),
    ],
    "Spearman": [
        Other("SciPy", "spearmanr", "Spearman", "the same, given the same; NaN where this is 0"),
    ],
    "ADM": [
        Other(
            "scikit-learn",
            "1 − mean_absolute_error",
            "ADM(norm='none',max_gain=3)",
            "the same, given gains and scores in [0, 1] of the judged documents",
        ),
    ],
    "ESL": [
        Other(
            "trec_eval",
            "1/recip_rank − 1",
            "ESL",
            "for n = 1 the non-relevant documents before the first relevant one, where one is retrieved and "
            "no scores are tied",
        ),
    ],
    "ASL": [],
    "NR": [
        Other(
            "scikit-learn",
            "roc_auc_score",
            "NR",
            "over all judged and retrieved documents, those not retrieved tied last",
        ),
    ],
}
