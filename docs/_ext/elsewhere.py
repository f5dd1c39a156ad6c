"""Equal measures in other tools, and different measures with a similar name.

tests/docs/test_elsewhere.py checks every row against the tool.
"""

from __future__ import annotations

from typing import NamedTuple

BINARY = "gains=1:1,2:1,3:1"


class Other(NamedTuple):
    """A measure of another tool.

    `here` is the measure string of this package that gives the same values, or empty if there is none.
    """

    tool: str
    name: str
    here: str
    text: str


LOG2 = "cites the same paper but divides by log2(i + 1): by 1.58 at rank 2, not by 1; it has no parameter b"
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
            "cites the same paper but divides by log(i + 1) from rank 2 on; log_base scales all values "
            "by the same factor; tied documents share their gains",
        ),
    ],
    "nCG": [
        Other(
            "trec_eval", "relative_P_10", f"nCG({BINARY})@10", "binary: precision divided by its best value"
        ),
        Other("this package", "SR@10", "nCG@10", "the sliding ratio to the recall base is the same quotient"),
    ],
    "nDCG_JK": [
        Other(
            "NTCIREVAL, pyNTCIREVAL",
            "nDCG@0010",
            "nDCG_JK@10",
            "equal; pyNTCIREVAL's `--logb` is b, and `-g` is gains",
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
        Other("ranx", "ndcg_burges@10", "NDCNG(max_gain=1)@10", "gains 2^G − 1; they grow with the scale"),
        Other(
            "ir-measures",
            "nDCG(dcg='exp-log2')@10",
            "NDCNG(max_gain=1)@10",
            "computed by gdeval: gains 2^G − 1, which grow with the scale; printed to five decimals",
        ),
    ],
    "muAP": [
        Other("trec_eval", "map", f"muAP({BINARY})", "one threshold: all relevant documents count equally"),
        Other("trec_eval", "map_cut_10", f"muAP({BINARY})@10", "one threshold; it also divides by R"),
        Other("ir-measures", "AP(rel=2)", "muAP(gains=1:0,2:1,3:1)", "one threshold: level 2"),
        Other("ranx", "map", f"muAP({BINARY})", "one threshold: all relevant documents count equally"),
        Other(
            "scikit-learn",
            "average_precision_score",
            f"muAP({BINARY})",
            "binary; equal if all relevant documents have scores and no scores are tied",
        ),
    ],
    "WAP": [
        Other("NTCIREVAL, pyNTCIREVAL", "Q-measure, large beta", "WAP", "the limit of Q as β grows"),
    ],
    "Q": [
        Other(
            "NTCIREVAL, pyNTCIREVAL",
            "Q-measure",
            "Q",
            "equal; pyNTCIREVAL's `--beta` is beta, and `-g` is gains",
        ),
        Other("NTCIREVAL, pyNTCIREVAL", "Q@0010", "Q@10", "equal; it also divides by min(R, 10)"),
    ],
    "AGR": [],
    "SR": [
        Other("this package", "nCG@10", "SR@10", "the same quotient, unless ideal='retrieved'"),
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
            "binary: the area under the ROC curve of the judged documents is 1 − NDPM",
        ),
    ],
    "KendallTau": [
        Other(
            "SciPy",
            "kendalltau(variant='b')",
            "KendallTau",
            "equal for the gains and scores of the judged documents, with all documents that were not "
            "retrieved tied last; SciPy returns NaN if one side is constant, this package 0",
        ),
        Other("SciPy", "kendalltau(variant='c')", "KendallTau(variant='c')", "equal for the same input"),
    ],
    "Spearman": [
        Other("SciPy", "spearmanr", "Spearman", "equal for the same input; NaN where this is 0"),
    ],
    "ADM": [
        Other(
            "scikit-learn",
            "1 − mean_absolute_error",
            "ADM(norm='none',max_gain=3)",
            "equal for gains and scores of the judged documents in [0, 1]",
        ),
    ],
    "ESL": [
        Other(
            "trec_eval",
            "1/recip_rank − 1",
            "ESL",
            "number of non-relevant documents before the first relevant one (n = 1); equal if a relevant "
            "document is retrieved and no scores are tied",
        ),
    ],
    "ASL": [],
    "NR": [
        Other(
            "scikit-learn",
            "roc_auc_score",
            "NR",
            "computed over all judged and retrieved documents, with those not retrieved tied last",
        ),
    ],
    "DCG_Burges": [
        Other("ranx", "dcg_burges@10", "DCG_Burges@10", "equal: gains 2^level − 1"),
        Other("ranx", "dcg@10", "DCG_Burges(gains='linear')@10", "equal: gains are the levels"),
        Other(
            "scikit-learn",
            "dcg_score(k=10)",
            "DCG_Burges(gains='linear')@10",
            "equal if no scores are tied; tied documents share their gains unless ignore_ties=True",
        ),
    ],
    "nDCG_Burges": [
        Other("ranx", "ndcg_burges@10", "nDCG_Burges@10", "equal: gains 2^level − 1"),
        Other("ranx", "ndcg@10", "nDCG_Burges(gains='linear')@10", "equal: gains are the levels"),
        Other("trec_eval", "ndcg_cut_10", "nDCG_Burges(gains='linear')@10", "equal; whole levels only"),
        Other("trec_eval", "ndcg", "nDCG_Burges(gains='linear')", "equal; whole levels only"),
        Other("ir-measures", "nDCG@10", "nDCG_Burges(gains='linear')@10", "trec_eval's ndcg_cut_10"),
        Other(
            "ir-measures",
            "nDCG(dcg='exp-log2')@10",
            "nDCG_Burges@10",
            "computed by gdeval, a Perl script; printed to five decimals",
        ),
        Other(
            "NTCIREVAL, pyNTCIREVAL",
            "MSnDCG@0010",
            "nDCG_Burges(gains='linear')@10",
            "equal; pyNTCIREVAL's `-g` is gains",
        ),
    ],
    "GAP": [
        Other("trec_eval", "map", f"GAP({BINARY})", "one threshold: all relevant documents count equally"),
    ],
    "ERR_G": [
        Other(
            "ir-measures",
            "ERR@10",
            "ERR_G(max_gain=15)@10",
            "computed by gdeval, a Perl script, with the highest level fixed at 4; printed to five decimals",
        ),
        Other(
            "NTCIREVAL, pyNTCIREVAL",
            "ERR",
            "ERR_G(gains='linear',max_gain=3)",
            "equal; pyNTCIREVAL's top gain is the last value of `-g`",
        ),
    ],
    "nERR": [
        Other(
            "NTCIREVAL, pyNTCIREVAL",
            "nERR@0010",
            "nERR(gains='linear',max_gain=3)@10",
            "equal; division by 0 in a topic without relevant documents",
        ),
    ],
    "EBR": [],
    "iRBU": [],
    "RBP_G": [
        Other(
            "NTCIREVAL, pyNTCIREVAL",
            "RBP",
            "RBP_G(p=0.95,gains='linear',max_gain=3)",
            "equal; pyNTCIREVAL's top gain is the last value of `-g`",
        ),
        Other("ranx", "rbp.95", "", "multiplies the levels themselves, so that values can exceed 1"),
    ],
    "O_measure": [
        Other("NTCIREVAL, pyNTCIREVAL", "O-measure", "O_measure", "equal; `--beta` is beta, `-g` is gains"),
    ],
    "P_measure": [
        Other("NTCIREVAL, pyNTCIREVAL", "P-measure", "P_measure", "equal; `--beta` is beta, `-g` is gains"),
    ],
    "P_plus": [
        Other("NTCIREVAL, pyNTCIREVAL", "P-plus", "P_plus", "equal; `--beta` is beta, `-g` is gains"),
    ],
    "NCU": [
        Other("NTCIREVAL, pyNTCIREVAL", "NCUgu,P", "NCU", "equal if the stop values are the gains"),
        Other("NTCIREVAL, pyNTCIREVAL", "NCUgu,BR", "NCU(utility='BR')", "equal"),
        Other("NTCIREVAL, pyNTCIREVAL", "NCUrb,P", "NCU(stop='rb')", "equal; `--gamma` is gamma"),
        Other("NTCIREVAL, pyNTCIREVAL", "NCUrb,BR", "NCU(stop='rb',utility='BR')", "equal"),
    ],
    "Fallout": [],
    "RelativeRelevance": [
        Other(
            "SciPy",
            "1 − cosine(scores, gains)",
            "RelativeRelevance(norm='none')",
            "equal for the scores and gains of the retrieved documents",
        ),
    ],
}
