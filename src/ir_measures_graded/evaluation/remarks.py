"""Unusual properties of qrels, a run or a measure, which the values do not show.

`evaluate` and a `Study` warn of it in one line per run (`InputWarning`). The command `check` lists it.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from ir_measures import Measure

from ..core.ranking.judged import Judged
from ..core.ranking.ranks import JudgedRanks
from ..core.registry.facts import needs_intents
from ..core.rows.rows import RunSource
from ..errors import InputWarning
from ..files.content import FIRST, Content, Sizes, parquet_files
from ..files.files import RunFile
from ..output.formats import counted, listed

DEPTH = 10
"""The rank down to which unjudged documents are counted; deeper pools are rare."""
LINES = 300
"""The number of lines of a run whose ranks are compared with the scores."""
FIELDS = 6
"""The number of fields in a line of a TREC run, of which the fourth is the rank."""


def warn_of(remarks: Sequence[str], name: str = "") -> None:
    """Issue one `InputWarning` with all remarks, if there are any."""
    if remarks:
        text = "; ".join(remarks)
        warnings.warn(f"{name}: {text}" if name else text, InputWarning, stacklevel=3)


def depth_of(measures: Iterable[Measure]) -> int | None:
    """The smallest cutoff of measures that count unjudged documents, at most `DEPTH`; None without such a
    measure."""
    used = [measure for measure in measures if not measure.params.get("judged_only")]
    return min([DEPTH, *(int(measure.params.get("cutoff") or DEPTH) for measure in used)]) if used else None


class RunRemarks:
    """Counts the documents of a run for each topic of the qrels while its blocks are read."""

    def __init__(self, judged: Judged, depth: int | None = DEPTH):
        self.depth = depth
        self.counts = np.zeros((5, len(judged.topics)), dtype=np.int64)
        self.missing = np.ones(len(judged.topics), dtype=bool)  # topics that the run lacks

    def watched(self, blocks: Iterable[JudgedRanks]) -> Iterator[JudgedRanks]:
        """The same blocks, which are counted."""
        for block in blocks:
            self.count(block)
            yield block

    def count(self, ranks: JudgedRanks) -> None:
        """Count the documents of a block. A topic that appears in several blocks counts in the last one.

        The counts of each topic: retrieved, judged, both within the depth, and whether scores differ.
        """
        depth, topics = self.depth or 0, ranks.retrieved.size
        self.missing[ranks.numbers] = ranks.order < 0
        self.counts[:, ranks.numbers] = [
            ranks.retrieved,
            np.bincount(ranks.topic, minlength=topics),
            np.minimum(ranks.retrieved, depth),
            np.bincount(ranks.topic[ranks.rank <= depth], minlength=topics),
            ranks.highest > ranks.lowest,
        ]

    def of(self, source: RunSource) -> list[str]:
        """Unusual properties of the whole run, which has been counted; its reader warns of an empty run."""
        return [] if source.is_empty else [*self._remarks(), *rank_remarks(source)]

    def _remarks(self) -> Iterator[str]:
        lacking, topics = int((self.counts[0] == 0).sum()), self.counts.shape[1]
        retrieved, judged, top, judged_top, varied = self.counts.sum(axis=1).tolist()
        if lacking:
            yield f"the run lacks {lacking:,} of {counted(topics, 'topic')} of the qrels"
        if retrieved and not judged:
            yield "no document is judged; check that run and qrels use the same ids"
        elif 2 * judged_top < top:
            yield f"{1 - judged_top / top:.0%} of the top {self.depth:,} are unjudged"
        if not varied and self.counts[0].max(initial=0) > 1:
            yield "all scores of a topic are equal, so the document ids decide"


def rank_remarks(source: RunSource) -> list[str]:
    """Whether the ranks in the first lines of a TREC file contradict the scores, which decide."""
    if not isinstance(source, RunFile) or not source.lasting or parquet_files(source.file):
        return []
    with Content(source.file, Sizes(start=FIRST)) as content:
        lines = [line.split() for line in content.stream.start.split(b"\n", LINES)[:-1]]
    try:
        rows = [(fields[0], int(fields[3]), float(fields[4])) for fields in lines if len(fields) == FIELDS]
    except ValueError:  # not a TREC file
        return []
    rows.sort(key=lambda row: row[:2])
    wrong = sum(
        topic == other and rank < lower and math.isfinite(score) and score < higher
        for (topic, rank, score), (other, lower, higher) in pairwise(rows)
    )
    remark = f"{wrong:,} of the first {len(rows):,} ranks contradict the scores, which decide"
    return [remark] if wrong else []


def measure_remarks(measures: Iterable[Measure], judged: Judged) -> Iterator[tuple[Measure, str]]:
    """Each measure that names levels which the qrels lack, with a remark."""
    for measure in measures:
        gains, rel = measure.params.get("gains"), measure.params.get("rel")
        if gains is None and rel is None:
            continue
        whole = judged.whole.intents.judged if needs_intents(measure) else judged.whole
        levels = set(whole.all_levels.tolist())
        named = gains if isinstance(gains, dict) else ()
        if absent := [level for level in named if level > 0 and level not in levels]:
            yield measure, f"the qrels have no document of level {listed(absent)}"
        if isinstance(rel, (int, float)) and levels and rel > max(levels):
            yield measure, f"no level of the qrels reaches rel={rel:g}; the highest is {max(levels):g}"
