"""The agreement of three or more judges together on the levels of documents.

Krippendorff's α counts all pairs of judgments of a document, by whichever judges. A document with m
judgments has m (m − 1) ordered pairs, each of weight 1/(m − 1), so that each judgment counts alike.
Documents with a single judgment have none.

K. Krippendorff: Content Analysis, 2004, chapter 11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from ..statistics.levels import ordinal_alpha
from ..statistics.resampling import in_parts, resampled_topics
from .panel import Panel
from .percentiles import Sampling, Statistic

MOST_COUNTED: Final = 1_000_000_000
"""Levels of topics in all resamples together; more would take seconds, and have no interval."""


@dataclass(frozen=True)
class JointAgreement:
    """Krippendorff's α of so many `judges` together, the human and all machines, for ordinal
    levels.

    It is over the `documents` that the human and one or more machines judged, of so many `topics`.
    """

    alpha: Statistic
    judges: int
    documents: int
    topics: int


def joint_agreement(panels: Sequence[Panel], sampling: Sampling) -> JointAgreement | None:
    """The agreement of the human and the machines of the panels; None for a single machine.

    The interval is that of κ: percentiles over resampled topics.
    """
    if len(panels) < 2:
        return None
    by_topic = _judgments(panels)
    levels = np.unique(np.concatenate([np.concatenate(topic) for topic in by_topic]))
    counts = np.zeros((len(by_topic), levels.size))
    cells: dict[tuple[int, int, int], float] = {}
    for number, documents in enumerate(by_topic):
        for judgments in documents:
            count_of = Counter(np.searchsorted(levels, judgments).tolist())
            for level, count in count_of.items():
                counts[number, level] += count
            for lower, higher in combinations(sorted(count_of), 2):
                cell = (lower, higher, number)
                of_document = 2 * count_of[lower] * count_of[higher] / (len(judgments) - 1)
                cells[cell] = cells.get(cell, 0.0) + of_document
    ordered = sorted(cells)
    first, second, topic = np.array(ordered, dtype=np.int64).reshape(-1, 3).T
    pairs = np.array([cells[cell] for cell in ordered])

    def alpha_in(weights: np.ndarray) -> dict[str, np.ndarray]:
        of_levels = np.einsum("rt,tl->rl", weights, counts)
        return {"alpha": ordinal_alpha(of_levels, weights[:, topic] * pairs, first, second)}

    resamples = sampling.resamples
    if resamples * counts.size > MOST_COUNTED:
        resamples = 0
    weights = resampled_topics(len(by_topic), resamples, sampling.seed)
    values = in_parts(alpha_in, pairs.size + counts.size, weights)["alpha"]
    return JointAgreement(
        alpha=Statistic.of(values, sampling.confidence),
        judges=len(panels) + 1,
        documents=sum(map(len, by_topic)),
        topics=len(by_topic),
    )


def _judgments(panels: Sequence[Panel]) -> list[list[list[float]]]:
    """The levels of each document that the human and a machine judged, the human's first, by
    topic."""
    by_topic = []
    for topic, by_human in panels[0].human.items():
        of_machines = [panel.machine.get(topic, {}) for panel in panels]
        documents = []
        for document, level in by_human.items():
            answers = [levels[document] for levels in of_machines if document in levels]
            if answers:
                documents.append([level, *answers])
        if documents:
            by_topic.append(documents)
    return by_topic
