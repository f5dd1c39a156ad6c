"""Remarks on everyday words that name several definitions, where the given judgments tell them
apart.
"""

from collections.abc import Iterable

import numpy as np
from ir_measures import Measure

from ..core.measures.standard import definition_of
from ..core.ranking.judged import Judged
from ..core.registry.facts import HIGHEST_OF_GDEVAL, is_err, is_typed
from ..errors import Remark


def remarks_on_words(measures: Iterable[Measure], judged: Judged) -> list[Remark]:
    """The remarks on words that others define in another way, where these judgments give other
    values: one for each definition.

    >>> from ir_measures_graded.core.reduction import judged_of
    >>> from ir_measures_graded.core.registry.notation import parse_measures
    >>> from ir_measures_graded.core.rows.sources import read_qrels
    >>> judged = judged_of(read_qrels({"q": {"a": 2, "b": 1}}))
    >>> for remark in remarks_on_words(parse_measures("ndcg@5,map@1,map@5"), judged):
    ...     print(remark)
    nDCG@5: levels count linearly; 2^level − 1 is nDCG_Burges@5
    AP@1: divides by R; division by min(R, 1) is Q(beta=0)@1
    >>> for remark in remarks_on_words(parse_measures("err@5,ERR@9"), judged):
    ...     print(remark)
    ERR@5: the top level is 4, as in gdeval, and the highest judged level is 2, which is the top \
in ERR_G@5, as in its paper
    """
    remarks: dict[str, Remark] = {}
    for measure in measures:
        text = _other_definition(measure, judged)
        if text:
            remarks.setdefault(str(measure.NAME), Remark("everyday name", str(measure), text))
    return list(remarks.values())


def _other_definition(measure: Measure, judged: Judged) -> str:
    """The other definition of the word that named the measure, if it gives other values; or empty.

    Accuracy needs no everyday word: BEIR prints the very name of ir-measures' measure.
    """
    cutoff = measure.params.get("cutoff")
    ending = f"@{cutoff}" if cutoff else ""
    name = str(measure.NAME)
    if name == "Accuracy" and cutoff:
        return (
            "the share of pairs of documents in the right order; the accuracy of Sentence "
            f"Transformers and BEIR is Success{ending}"
        )
    if not is_typed(measure):
        return ""
    if name == "nDCG" and judged.whole.level.max(initial=0) > 1:
        return f"levels count linearly; 2^level − 1 is nDCG_Burges{ending}"
    highest = judged.whole.level.max(initial=0)
    if is_err(measure) and 0 < highest < HIGHEST_OF_GDEVAL:
        return (
            f"the top level is {HIGHEST_OF_GDEVAL}, as in gdeval, and the highest judged level is "
            f"{highest:g}, which is the top in ERR_G{ending}, as in its paper"
        )
    definition = definition_of(measure)
    if name == "AP" and cutoff and definition is not None:
        relevant = judged.relevant(definition.weighting)
        if relevant.max(initial=0) > cutoff:
            other = f"Q(beta=0{_without_lower_levels(measure, judged)}){ending}"
            return f"divides by R; division by min(R, {cutoff}) is {other}"
    return ""


def _without_lower_levels(measure: Measure, judged: Judged) -> str:
    """The gains by which levels below `rel` do not count, as a parameter; empty if none does."""
    levels = np.unique(judged.whole.level)
    lower = levels[(levels > 0) & (levels < measure.params.get("rel", 1))]
    pairs = ",".join(f"{level:g}:0" for level in lower)
    return f",gains={pairs}" if pairs else ""
