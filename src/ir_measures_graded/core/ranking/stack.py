"""Several short runs as one long run: one call of NumPy then does the work of many short ones."""

from collections.abc import Sequence

import numpy as np

from .ranks import JudgedRanks


def stacked(runs: Sequence[JudgedRanks]) -> JudgedRanks:
    """Runs that are reduced for the same qrels as the ranks of one run.

    Its topics are those of the first run, then those of the second run, and so on. The runs are not
    condensed. The documents of the result have no rows, so they have no ids.
    """
    judged = runs[0].judged
    topic_count = len(judged.topics)
    numbers = np.arange(len(runs))
    every_topic = np.tile(np.arange(topic_count), len(runs))
    hit_count = [run.doc.size for run in runs]
    first_topic = np.repeat(numbers * topic_count, hit_count)
    first_document = np.repeat(numbers * judged.level.size, hit_count)
    listed = np.array([run.scores.size for run in runs])
    first_position = np.cumsum(listed) - listed
    moved = []
    ties = []
    for run, first in zip(runs, first_position.tolist(), strict=True):
        moved.append(run.moved + first)
        ties.append(run.ties + first)
    return JudgedRanks(
        judged.part(every_topic),
        doc=np.concatenate([run.doc for run in runs]) + first_document,
        topic=np.concatenate([run.topic for run in runs]) + first_topic,
        rank=np.concatenate([run.rank for run in runs]),
        retrieved=np.concatenate([run.retrieved for run in runs]),
        scores=np.concatenate([run.scores for run in runs]),
        moved=np.concatenate(moved, axis=1),
        ties=np.concatenate(ties, axis=1),
        has_ids=all(run.has_ids for run in runs),
    )
