"""Compare machine judges with a human, on the levels of documents and on the order of runs.

`judges` compares any number of qrels with those of a human. The qrels may also be of two humans, of
two pools or of two years. For the documents that both judged, the result has the agreement on
levels (`level_agreement`). With runs and measures, it has the agreement of the orders of the runs
and of the significant differences (`order_agreement`), and the runs that the machine favours
(`favours`).

J. Cohen: Weighted kappa. Psychological Bulletin 70(4), 1968. K. Krippendorff: Content Analysis,
2004. H. A. Rahmani et al.: LLMJudge: LLMs for relevance judgments. 2024.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import plain_number
from ...errors import GradedError, Remark
from ...evaluation.checked import checks_arguments
from ...evaluation.named import Qrels, Runs
from ...evaluation.remarks import issue
from ...progress import Progress, steps
from ..statistics.defaults import CONFIDENCE
from ..statistics.options import check_probability, statistics_library, whole_number
from .agreement import JudgeAgreement, Judges
from .difference import kappa_differences
from .joint_agreement import joint_agreement
from .level_agreement import level_agreement, level_pairs, topic_agreements
from .one_table import judges_of_table
from .order_agreement import order_agreements
from .panel import Panel, name_of_human, panels, remarks_on
from .percentiles import RESAMPLES, Sampling

ONE_JUDGE: Final = (
    "judges needs the qrels of a machine beside those of the human; one table with a column of "
    "levels for each, such as query, doc, human and llm, or with a row for each judgment, such as "
    "query, doc, judge and label (--columns judge=NAME for another name), may have both"
)
ONE_RUN: Final = "to compare the orders of runs, name at least 2 runs, not 1"


@checks_arguments("judges(human, {'machine': qrels}, runs, ['nDCG@10'])")
def judges(
    human: Qrels,
    machines: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]] | None = None,
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = False,
) -> Judges:
    """Compare the judgments of machines with those of a human, and the orders of the runs under
    them.

    `machines` are qrels by name, or paths of qrels. ``FILE:COLUMN`` in place of a path names a
    column of levels in a table. Without machines, `human` is one table with a column for each
    judge, whose names tell the human from the machines, such as query, doc, human and llm, or with
    a row for each judgment, such as query, doc, judge and label. `runs` and `measures` are those of
    `evaluate`; give both runs and measures, or neither. `machine_levels` maps the levels of the
    machines to the human's scale, as in `estimate`. Without it, levels outside this scale in at
    most 1 % of a machine's answers are abstentions. The intervals of κ and α with the given
    `confidence`, and the spread of the agreement on orders, are percentiles over at least 100
    `resamples` of the topics with replacement, drawn with `seed`. The interval of the bias is
    Student's t over the topics, each of which counts by its documents. A pair of runs is
    significant by the primary procedure of `compare` at the level 1 − `confidence`. Favours are
    computed for at least 6 runs and discounted measures with a cutoff of at most 20 and an ideal
    list of all judged documents. Needs the extra ``stats``.

    `progress` is as for `evaluate`.

    >>> human = {"q1": {"a": 0, "b": 1, "c": 2}, "q2": {"d": 0, "e": 2}}
    >>> machine = {"q1": {"a": 0, "b": 2, "c": 2}, "q2": {"d": 1, "e": 2, "f": 0}}
    >>> (found,) = judges(human, {"mine": machine}).judges
    >>> found.confusion
    array([[1, 1, 0],
           [0, 0, 1],
           [0, 0, 2]])
    >>> found.counts["same"], found.counts["bias"]
    (0.6, 0.4)
    >>> round(found.statistics["kappa quadratic"].value, 3)
    0.75

    Raises `GradedError` if no document is judged by both, if a machine has the source of the human
    or the names of columns do not tell the human, for fewer than two runs, and for scales
    that differ without `machine_levels`.
    """
    human_name = name_of_human(human)
    remarks: list[Remark] = []
    if machines is None:
        of_table = judges_of_table(human)
        if of_table is None:
            raise GradedError(ONE_JUDGE)
        human_name = of_table.human_name
        human = of_table.human
        machines = of_table.machines
        remarks.append(of_table.remark)
        issue(remarks)
    of_machines = panels(
        human, machines, runs, measures, machine_levels=machine_levels, human_name=human_name
    )
    values = of_machines[0].values
    if values is not None and len(values[0].runs) < 2:
        raise GradedError(ONE_RUN)
    agreement = compared(of_machines, confidence, resamples, seed)
    return replace(agreement, remarks=(*remarks, *agreement.remarks))


def compared(of_machines: Sequence[Panel], confidence: float, resamples: int, seed: int) -> Judges:
    """The agreement in each panel, as `judges`."""
    check_probability(confidence, "confidence", CONFIDENCE)
    resamples = whole_number(resamples, "resamples", 100)
    seed = whole_number(seed, "seed", 0)
    statistics_library("scipy.special")
    sampling = Sampling(resamples, confidence, seed)
    pairs_by_panel = [level_pairs(panel) for panel in of_machines]
    all_levels = [levels for by_topic in pairs_by_panel for levels in by_topic]
    levels = np.unique(np.concatenate(all_levels))
    agreements = []
    panels_and_pairs = list(zip(of_machines, pairs_by_panel, strict=True))
    for panel, pairs in steps(panels_and_pairs, "judges"):
        agreements.append(_judge_agreement(panel, pairs, levels, sampling))
    kappas = [agreement.statistics["kappa"].value for agreement in agreements]
    differences = kappa_differences(of_machines, kappas, sampling)
    remarks = remarks_on(of_machines)
    human = of_machines[0].human_name
    joint = joint_agreement(of_machines, sampling)
    return Judges(tuple(agreements), confidence, remarks, differences, human, joint)


def _judge_agreement(
    panel: Panel, pairs: Sequence[np.ndarray], levels: np.ndarray, sampling: Sampling
) -> JudgeAgreement:
    """The agreement of one machine; `pairs` and `levels` are as in `level_agreement`."""
    on_levels = level_agreement(panel, pairs, levels, sampling)
    outside = "" if panel.outside is None else f"{panel.outside}."
    return JudgeAgreement(
        judge=panel.name,
        levels=tuple(map(plain_number, levels)),
        confusion=on_levels.confusion,
        counts=on_levels.counts,
        statistics=on_levels.statistics,
        bias=on_levels.bias,
        topics=on_levels.topics,
        outside=outside,
        orders=tuple(order_agreements(panel, sampling)),
        by_topic=topic_agreements(panel, pairs),
    )
