"""The section on data: levels and topics of the qrels, and the documents that the runs retrieve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from ..analysis.levels import Levels
from ..evaluation.named import StudiedRun, Study

DEPTHS = (10, 100)
"""The share of judged documents is shown for these depths and for the cutoffs of the measures."""


@dataclass(frozen=True)
class OfRun:
    """The documents that a run retrieves.

    `retrieved` is their number. `judged` has, for each depth, the share of judged documents among those
    retrieved down to this rank; None if there are none. `tied` is the share of documents with the score of
    another document of the topic. `missing` are the topics of the qrels for which the run retrieves nothing.
    `ignored` are the topics of the run that the qrels lack.
    """

    run: str
    retrieved: int
    judged: tuple[float | None, ...]
    tied: float | None
    missing: tuple[str, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """The qrels and the runs. `depths` are the ranks of `OfRun.judged`."""

    levels: Levels
    depths: tuple[int, ...]
    runs: tuple[OfRun, ...]

    @property
    def relevant(self) -> tuple[int, float, int]:
        """The minimum, the mean and the maximum number of documents above level 0 per topic."""
        found = self.levels.relevant
        return int(found.min()), float(found.mean()), int(found.max())


def material(study: Study, judged_levels: Levels, measures: tuple[Measure, ...]) -> Material:
    """Count the documents of the qrels and of the runs."""
    cutoffs = {measure.params.get("cutoff") for measure in measures} - {None}
    depths = tuple(sorted({*DEPTHS, *cutoffs}))
    return Material(judged_levels, depths, tuple(_of_run(run, depths) for run in study.runs))


def _of_run(run: StudiedRun, depths: tuple[int, ...]) -> OfRun:
    ranks = run.ranks
    retrieved = int(ranks.retrieved.sum())
    shares = []
    for depth in depths:
        listed = int(np.minimum(ranks.retrieved, depth).sum())
        shares.append(int((ranks.rank <= depth).sum()) / listed if listed else None)
    return OfRun(
        run.name,
        retrieved,
        tuple(shares),
        ranks.ties[0].size / retrieved if retrieved else None,
        tuple(ranks.judged.topics[number] for number in np.flatnonzero(ranks.retrieved == 0).tolist()),
        tuple(topic for topic in run.topics if topic not in ranks.judged.code),
    )
