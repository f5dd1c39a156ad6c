"""The figures of judges, estimates and holes: which drawing shows them, and with which data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...evaluation.evaluation import axis_label
from ...evaluation.order_of_runs import best_first
from ...output.figures import (
    BLUE,
    Drawing,
    Figure,
    Forest,
    HeatMap,
    Line,
    Lines,
    Slopes,
    coloured_in_words,
    picture,
)
from ...output.formats import counted
from ..statistics.tests import run_ranks
from .level_agreement import MOST_LEVELS

if TYPE_CHECKING:
    from .agreement import JudgeAgreement, Judges
    from .estimate import Estimate, Estimates
    from .holes import Holes
    from .order_agreement import OrderAgreement

STEPS: Final = 40
"""The number of points of the curve of open pairs."""
MOST_COLUMNS: Final = 100
"""The strip of documents to judge shows at most so many ranks."""


def figure_of(judges: Judges, title: str = "") -> Figure:
    """κ of the judges, the levels by the best judge, and the order of the runs under it."""
    best = judges.best
    drawings: list[Drawing] = [_kappas(judges)]
    text = (
        f"κ: {100 * judges.confidence:.10g} % percentile intervals over resampled topics, each for "
        "itself."
    )
    if 0 < len(best.confusion) <= MOST_LEVELS:
        drawings.append(_confusion(best, judges.human))
        text += f" Cells: documents, in the colour of their share of {judges.human}'s level."
    defined = [order for order in best.orders if order.tau is not None]
    if defined:
        slopes = _slopes(best, defined[0], judges.human)
        drawings.append(slopes)
        moved = np.ptp(slopes.ranks, axis=1).tolist()
        coloured = coloured_in_words(dict(zip(slopes.names, moved, strict=True)), rank="place")
        text += f" Lines: the places of the runs. {coloured}"
    return picture(drawings, title or judges.summary, text.rstrip(), across=3)


def _kappas(judges: Judges) -> Forest:
    """κ of each judge, the best at the top."""
    kappas = [judge.statistics["kappa"] for judge in judges.judges]
    values, lower, upper = np.array(kappas, dtype=float).T
    names = [judge.judge for judge in judges.judges]
    order = best_first(values, names)
    zero = None
    if np.nanmin(np.append(lower, values)) < 0:
        zero = 0.0
    interval = np.stack([lower[order], upper[order]])
    return Forest(
        [names[row] for row in order],
        values[order],
        bars=[interval],
        label="Cohen's κ",
        heading="Agreement on levels",
        zero=zero,
    )


def _confusion(judge: JudgeAgreement, human: str) -> HeatMap:
    """The documents by the human's and by the machine's level; `human` is as in `Judges`."""
    counts = judge.confusion
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    levels = [f"{level:g}" for level in judge.levels]
    highest_first = counts[::-1].tolist()
    texts = [[f"{count:,}" for count in row] for row in highest_first]
    return HeatMap(
        shares[::-1],
        levels[::-1],
        levels,
        heading=judge.judge,
        row_label=f"{human.removeprefix('the ')}'s level",
        column_label="judge's level",
        texts=texts,
        limits=(0.0, 1.0),
    )


def _slopes(judge: JudgeAgreement, order: OrderAgreement, human: str) -> Slopes:
    """The places of the runs under the human and under the machine; `human` is as in `Judges`."""
    ranks = [run_ranks(-means[:, None]) for means in order.means]
    judges = [human.removeprefix("the "), judge.judge]
    return Slopes(order.runs, np.concatenate(ranks, axis=1), judges, f"Order by {order.measure}")


def figure_of_estimates(estimates: Estimates, title: str = "") -> Figure:
    """The combined estimates of the runs with their intervals, a panel for each measure."""
    combined = [estimate for estimate in estimates.estimates if estimate.judge == "combined"]
    by_measure: dict[Measure, list[Estimate]] = {}
    for estimate in combined:
        by_measure.setdefault(estimate.measure, []).append(estimate)
    panels = [_estimates_by(measure, of_runs) for measure, of_runs in by_measure.items()]
    text = (
        f"Combined estimates with {100 * estimates.confidence:.10g} % intervals, each for itself."
    )
    return picture(panels, title or estimates.summary, text, across=2)


def _estimates_by(measure: Measure, of_runs: list[Estimate]) -> Forest:
    """The estimates by one measure, the best at the top."""
    names = [estimate.run for estimate in of_runs]
    ends = [(estimate.value, estimate.lower, estimate.upper) for estimate in of_runs]
    values, lower, upper = np.array(ends, dtype=float).T
    order = best_first(sign_of(measure) * values, names)
    interval = np.stack([lower[order], upper[order]])
    return Forest(
        [names[number] for number in order],
        values[order],
        bars=[interval],
        label=axis_label(measure),
        heading=str(measure),
    )


def figure_of_holes(holes: Holes, title: str = "") -> Figure:
    """The open pairs against the judgments, and the documents to judge next."""
    drawings: list[Drawing] = []
    sentences = []
    counts, still_open = holes.outlook.curve(STEPS)
    still_open[0] = holes.open
    if len(counts) > 1 and still_open.any():
        drawings.append(_open_pairs(holes, counts, still_open))
        text = "Line: the pairs that stay open if each document has its expected gain"
        closed = np.flatnonzero(still_open == 0)
        if closed.size and holes.open:
            least = counted(int(counts[closed[0]]), "judgment")
            text += f"; {least} would close all"
        sentences.append(f"{text}.")
    if len(holes):
        drawings.append(_next_documents(holes))
        what = "documents to judge next" if holes.open else "unjudged documents"
        sentences.append(f"Cells: {what} by topic and best rank, darker with more runs.")
    if not drawings:
        drawings.append(_means(holes))
    title = title or holes.sentence_on_pairs
    return picture(drawings, title, " ".join(sentences), across=2)


def _open_pairs(holes: Holes, counts: np.ndarray, still_open: np.ndarray) -> Lines:
    """The pairs that stay open after so many judgments, with a mark at the next batch."""
    marks = {}
    if len(holes):
        marks = {f"next {len(holes)}": float(len(holes))}
    return Lines(
        counts,
        [Line("", still_open, {"color": BLUE, "linewidth": 1.8})],
        x_label="documents judged, in the order of this list",
        y_label="open pairs of runs",
        whole_x=True,
        whole_y=True,
        from_zero=True,
        marks=marks,
        size=(3.4, 2.4),
    )


def _next_documents(holes: Holes) -> HeatMap:
    """The documents to judge next, by topic and best rank; a cell has the number of runs."""
    topics = list(dict.fromkeys(holes.topics))
    row_of = {topic: row for row, topic in enumerate(topics)}
    has_rank = holes.ranks > 0
    best = np.where(has_rank, holes.ranks, holes.ranks.max() + 1).min(axis=1)
    depth = min(int(best.max()), MOST_COLUMNS)
    cells = np.full((len(topics), depth), np.nan)
    runs = has_rank.sum(axis=1)
    for topic, rank, count in zip(holes.topics, best.tolist(), runs.tolist(), strict=True):
        if rank <= depth:
            row = row_of[topic]
            cells[row, rank - 1] = np.nansum([cells[row, rank - 1], count])
    ranks = [str(rank) for rank in range(1, depth + 1)]
    return HeatMap(
        cells,
        topics,
        ranks,
        label="runs that retrieve them",
        row_label="topic",
        column_label="best rank",
        limits=(0.0, float(np.nanmax(cells))),
    )


def _means(holes: Holes) -> Forest:
    """The means of the runs, when nothing is left to judge."""
    order = best_first(sign_of(holes.measure) * holes.values, holes.runs)
    names = [holes.runs[run] for run in order]
    label = axis_label(holes.measure)
    return Forest(names, holes.values[order], label=label, heading=str(holes.measure))
