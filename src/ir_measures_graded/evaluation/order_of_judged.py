"""Whether Judged@k looks at other documents than the measures beside it, because it breaks ties by
ascending ids.
"""

from collections.abc import Iterable, Iterator

import ir_measures
import numpy as np
from ir_measures import Measure

from ..core.measures.standard import definition_of
from ..core.measures.standard_measure import ascending
from ..core.ranking.ranks import JudgedRanks
from ..errors import Remark
from ..output.formats import Percent


class OrderOfJudged:
    """Counts the judged documents at the top of a run in both orders while its blocks are read.

    `beside` has for each cutoff k of a Judged@k a measure at the same cutoff that breaks ties by
    descending ids. The counts of a cutoff and a topic (T): the documents down to it, and those that
    are judged in the order of the measure and in that of Judged@k.
    """

    def __init__(self, measures: Iterable[Measure], topics: int):
        self.beside = _beside(list(measures))
        shape = (len(self.beside), topics)
        self.top = np.zeros(shape, dtype=np.int64)
        self.in_order_of_measure = np.zeros_like(self.top)
        self.in_order_of_judged = np.zeros_like(self.top)

    def watched(self, blocks: Iterable[JudgedRanks]) -> Iterator[JudgedRanks]:
        """The same blocks, which are counted."""
        for block in blocks:
            if self.beside:
                self._count(block)
            yield block

    def _count(self, ranks: JudgedRanks) -> None:
        numbers = ranks.place.numbers
        others = ascending(ranks)  # Judged@k needs it as well
        for row, cutoff in enumerate(self.beside):
            self.top[row, numbers] = np.minimum(ranks.retrieved, cutoff)
            self.in_order_of_measure[row, numbers] = _judged_in_top(ranks, cutoff)
            self.in_order_of_judged[row, numbers] = _judged_in_top(others, cutoff)

    def of(self, name: str) -> Iterator[Remark]:
        """A remark for each cutoff at which the orders differ in the run of this name."""
        for row, (cutoff, measure) in enumerate(self.beside.items()):
            judged = self.in_order_of_measure[row]
            if (judged != self.in_order_of_judged[row]).any():
                share = int(judged.sum()) / int(self.top[row].sum())
                text = (
                    f"{Percent(share)} of the top {cutoff} of {measure}, which breaks ties by "
                    f"descending ids (Judged@{cutoff}: ascending), are judged"
                )
                yield Remark(f"order of Judged@{cutoff}", name, text, share)


def _judged_in_top(ranks: JudgedRanks, cutoff: int) -> np.ndarray:
    """The number of judged documents of each topic down to the cutoff (T)."""
    in_top = ranks.topic[ranks.rank <= cutoff]
    return np.bincount(in_top, minlength=ranks.retrieved.size)


def _beside(measures: list[Measure]) -> dict[int, Measure]:
    """The first measure at the cutoff of each Judged@k that breaks ties by descending ids.

    >>> from ir_measures import RR, Judged, nDCG
    >>> _beside([Judged @ 5, RR @ 5, Judged @ 10, nDCG @ 10])
    {10: nDCG@10}
    """
    beside: dict[int, Measure] = {}
    judged = [measure for measure in measures if measure.NAME == ir_measures.Judged.NAME]
    cutoffs = {measure.params.get("cutoff") for measure in judged}
    for measure in measures:
        cutoff = measure.params.get("cutoff")
        if cutoff is not None and cutoff in cutoffs and _descends(measure):
            beside.setdefault(cutoff, measure)
    return beside


def _descends(measure: Measure) -> bool:
    """Whether a measure looks at all documents and breaks ties by descending ids."""
    definition = definition_of(measure)
    if definition is None or definition.ascends:
        return False
    return not measure.params.get("judged_only") and measure.params.get("ties", "docid") == "docid"
