"""The figures of the demo's runs that stand beside the commands which draw them."""

from __future__ import annotations

from drawn import drawn

from ir_measures_graded.analysis import curves, sensitivity
from ir_measures_graded.demo import qrels_path, run_paths

STEEP = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)"


def demo_curves() -> str:
    """nDCG at every rank, with steep gains."""
    found = curves(qrels_path(), run_paths(), STEEP)
    return drawn(
        "curves", found.figure(), "Five rising curves over ranks 1 to 100; D is highest, then E, C, B, A."
    )


def demo_gain_curves() -> str:
    """Cumulated gain at every rank beside the ideal's, with confidence bands."""
    found = curves(qrels_path(), run_paths(), "CG(gains=0:0,1:1,2:1,3:1)", confidence=0.95)
    return drawn(
        "gain-curves", found.figure(), "Five rising curves with bands, below the curve of the ideal list."
    )


def demo_agreement() -> str:
    """How far the orders of the runs agree."""
    return drawn(
        "agreement", _sensitivity().heat_map(), "A matrix of Kendall's tau, dark where orders differ."
    )


def demo_rank_changes() -> str:
    """Which runs change places."""
    return drawn(
        "rank-changes", _sensitivity().rank_changes(), "A line a run over the settings; lines cross."
    )


def _sensitivity():  # type: ignore[no-untyped-def]
    return sensitivity(
        qrels_path(), run_paths(), ["P", "nDCG_JK"], gains=["w1", "w3", "w10", "w100"], cutoffs=[10, 100]
    )
