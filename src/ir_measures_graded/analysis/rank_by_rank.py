"""A measure at every rank, for a run and for the ideal list: the values with the cutoffs 1, 2, 3 …"""

from dataclasses import replace
from functools import partial

import numpy as np
from ir_measures import Measure

from ..errors import NotApplicableError
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Judgments, StudiedRun, about
from ..evaluation.provider import computed
from ..ranking.gains import gain_of
from ..registry.facts import gains_of, is_graded, needs_intents
from ..uncertainty import evaluated_curve


def values_at_ranks(measure: Measure, run: StudiedRun, depth: int) -> np.ndarray:
    """The value of each topic with the cutoff at each of the ranks 1 … `depth` (T × depth).

    The measure's own cutoff is ignored.
    """
    if not is_graded(measure):
        cut = [measure @ rank for rank in range(1, depth + 1)]
        return evaluate(run.judgments, [run], cut).values[0].T
    topics = run.view(measure, cut=False)
    with about(run.name):
        return computed(measure, topics, partial(evaluated_curve, measure, depth=depth), (depth,))


def ideal_run(judgments: Judgments, measure: Measure) -> StudiedRun:
    """The run that sorts the judged documents of each topic by their gain under the measure.

    >>> from ir_measures_graded import CG
    >>> from ir_measures_graded.evaluation.named import read_judgments
    >>> ideal_run(read_judgments({"q": {"a": 1, "b": 3, "c": 2}}), CG(gains={2: 0})).source.dicts()
    {'q': {'a': 1.0, 'b': 2.0, 'c': 0.0}}
    """
    if needs_intents(measure):
        raise NotApplicableError(f"{measure} has no ideal curve: its documents have a level for each intent")
    qrels = judgments.documents.qrels
    # Scores are compared as 32-bit floats, which may merge close gains but not small integers.
    score = np.unique(gain_of(qrels.values, gains_of(measure)), return_inverse=True)[1].reshape(-1)
    return StudiedRun("", replace(qrels, values=score.astype(float)), judgments)
