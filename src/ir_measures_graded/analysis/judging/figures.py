"""The figures of judges, estimates and holes: which drawing shows them, and with which data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ...core.registry.facts import sign_of
from ...evaluation.evaluate import axis_label
from ...output.figures import BLUE, Drawing, Figure, Forest, HeatMap, Line, Lines, Slopes, picture
from ...output.formats import counted
from ..statistics.tests import run_ranks

if TYPE_CHECKING:
    from .agreement import JudgeAgreement, Judges, OrderAgreement
    from .estimate import Estimates
    from .holes import Holes

HUMAN: Final = "human"
MOST_LEVELS: Final = 12
STEPS: Final = 40
"""The number of points of the curve of open pairs."""
MOST_COLUMNS: Final = 100
"""The strip of documents to judge shows at most so many ranks."""


def figure_of(judges: Judges) -> Figure:
    """κ of the judges, the levels by the best judge, and the order of the runs under it."""
    best = judges.best
    drawings: list[Drawing] = [_kappas(judges)]
    text = (
        f"κ: {100 * judges.confidence:.10g} % percentile intervals over resampled topics, each for "
        "itself."
    )
    if 0 < len(best.confusion) <= MOST_LEVELS:
        drawings.append(_confusion(best))
        text += " Cells: documents, in the colour of their share of the human's level."
    defined = [order for order in best.orders if order.tau is not None]
    if defined:
        drawings.append(_slopes(best, defined[0]))
        text += " Lines: the places of the runs; in colour those that move most."
    return picture(drawings, judges.summary, text, across=3)


def _kappas(judges: Judges) -> Forest:
    """κ of each judge, the best at the top."""
    rows = []
    for judge in judges.judges:
        kappa = judge.statistics["kappa"]
        rows.append([kappa.value, kappa.lower, kappa.upper])
    values, lower, upper = np.array(rows, dtype=float).T
    order = np.argsort(-values, kind="stable").tolist()
    return Forest(
        [judges.judges[row].judge for row in order],
        values[order],
        bars=[np.stack([lower[order], upper[order]])],
        label="Cohen's κ",
        heading="Agreement on levels",
        zero=0.0 if np.nanmin(np.append(lower, values)) < 0 else None,
    )


def _confusion(judge: JudgeAgreement) -> HeatMap:
    """The documents by the human's and by the machine's level."""
    counts = judge.confusion
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    levels = [f"{level:g}" for level in judge.levels]
    return HeatMap(
        shares[::-1],
        levels[::-1],
        levels,
        heading=judge.judge,
        row_label="human's level",
        column_label="judge's level",
        texts=[[f"{count:,}" for count in row] for row in counts[::-1].tolist()],
        limits=(0.0, 1.0),
    )


def _slopes(judge: JudgeAgreement, order: OrderAgreement) -> Slopes:
    """The places of the runs under the human and under the machine."""
    ranks = np.stack([run_ranks(-means[:, None])[:, 0] for means in order.means], axis=1)
    return Slopes(order.runs, ranks, [HUMAN, judge.judge], f"Order by {order.measure}")


def figure_of_estimates(estimates: Estimates) -> Figure:
    """The combined estimates of the runs with their intervals, a panel for each measure."""
    panels = []
    for measure in dict.fromkeys(each.measure for each in estimates.estimates):
        combined = [
            each
            for each in estimates.estimates
            if each.measure == measure and each.judge == "combined"
        ]
        combined.sort(key=lambda each: -sign_of(measure) * each.value)
        panel = Forest(
            [each.run for each in combined],
            np.array([each.value for each in combined]),
            bars=[np.array([[each.lower for each in combined], [each.upper for each in combined]])],
            label=axis_label(measure),
            heading=str(measure),
        )
        panels.append(panel)
    text = (
        f"Combined estimates with {100 * estimates.confidence:.10g} % intervals, each for itself, "
        "not all together."
    )
    return picture(panels, estimates.summary, text, across=2)


def figure_of_holes(holes: Holes) -> Figure:
    """The open pairs against the judgments, and the documents to judge next."""
    drawings: list[Drawing] = []
    counts, still_open = holes.outlook.curve(STEPS)
    still_open[0] = holes.open
    text = ""
    if len(counts) > 1:
        drawings.append(
            Lines(
                counts,
                [Line("", still_open, {"color": BLUE, "linewidth": 1.8})],
                x_label="documents judged, in the order of this list",
                y_label="open pairs of runs",
                whole_x=True,
                from_zero=True,
                marks={f"next {len(holes)}": float(len(holes))} if len(holes) else {},
                size=(3.4, 2.4),
            )
        )
        text = "Left: the pairs that stay open if each document has its expected gain"
        closed = np.flatnonzero(still_open == 0)
        if closed.size and holes.open:
            text += f"; {counted(int(counts[closed[0]]), 'judgment')} would close all"
        text += ". "
    if len(holes):
        drawings.append(_next_documents(holes))
        text += "Cells: documents to judge next by topic and best rank, darker with more runs."
    if not drawings:
        drawings.append(_means(holes))
    return picture(drawings, holes.summary, text.strip(), across=2)


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
            cell = row_of[topic], rank - 1
            cells[cell] = np.nansum([cells[cell], count])
    return HeatMap(
        cells,
        topics,
        [str(rank) for rank in range(1, depth + 1)],
        label="runs that retrieve them",
        row_label="topic",
        column_label="best rank",
        limits=(0.0, float(np.nanmax(cells))),
    )


def _means(holes: Holes) -> Forest:
    """The means of the runs, when nothing is left to judge."""
    order = np.argsort(-sign_of(holes.measure) * holes.values, kind="stable").tolist()
    return Forest(
        [holes.runs[run] for run in order],
        holes.values[order],
        label=axis_label(holes.measure),
        heading=str(holes.measure),
    )
