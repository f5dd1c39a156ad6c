"""Figures and tables of the demo runs for the front page and the pages about analyses."""

from __future__ import annotations

from functools import cache

from computed import figure

from ir_measures_graded.analysis import Sensitivity, compare, curves, sensitivity
from ir_measures_graded.demo import qrels_path, run_paths

STEEP = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)"
BINARY = "CG(gains=0:0,1:1,2:1,3:1)"


def ndcg() -> str:
    """nDCG at every rank, with steep gains."""
    drawing = curves(qrels_path(), run_paths(), STEEP).figure()
    return figure(
        "ndcg", drawing, "Five rising curves over ranks 1 to 100; D is highest, then E, C, B, A."
    )


def cumulated_gain() -> str:
    """Cumulated gain at every rank with confidence bands, and the gain of the ideal list."""
    drawing = curves(qrels_path(), run_paths(), BINARY, confidence=0.95).figure()
    alt = "Five rising curves with confidence bands, all below the curve of the ideal list."
    return figure("cumulated-gain", drawing, alt)


def against_a_baseline() -> str:
    """The differences of four runs from run A, with confidence intervals."""
    drawing = compare(qrels_path(), run_paths(), ["nDCG@10"], baseline="A").figure()
    alt = "Differences of runs B to E from run A; all four are significantly better than A."
    return figure("baseline", drawing, alt)


def paper_table() -> str:
    """The table of a paper, as a browser shows it."""
    measures = ["nDCG_JK@10", "nDCG_JK@100", "AP", "ESL"]
    table = compare(qrels_path(), run_paths(), measures, baseline="D").to_html(places=3)
    return f'<div class="cell">\n{table}\n</div>'


def rank_changes() -> str:
    """The rank of each run under each setting."""
    return figure(
        "rank-changes", _orders().figure(), "One line per run over the settings; the lines cross."
    )


@cache
def _orders() -> Sensitivity:
    return sensitivity(
        qrels_path(),
        run_paths(),
        ["P", "nDCG_JK"],
        gains=["w1", "w3", "w10", "w100"],
        cutoffs=[10, 100],
    )
