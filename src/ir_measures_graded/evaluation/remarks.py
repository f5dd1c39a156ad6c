"""Unusual properties of qrels, a run or a measure, which the values do not show.

`evaluate` and a `Study` warn of it in one line per run (`InputWarning`). The command `check` lists it.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from ir_measures import Measure

from ..core.ranking.gains import gains_text, plain_number
from ..core.ranking.judged import Judged
from ..core.ranking.ranks import JudgedRanks
from ..core.registry.facts import needs_intents
from ..core.rows.rows import RunSource
from ..errors import InputWarning, level_of_caller
from ..files.contracts import Contract
from ..output.formats import Percent, counted, listed
from ..output.tables import Note

DEPTH = 10
"""The rank down to which unjudged documents are counted; deeper pools are rare."""
OWN = 0.1
"""The share of topics with the topic itself among the documents from which on a remark tells it."""
SCALE = 100
"""Levels up to this one may be a scale that begins with 1."""
SPARSE = (
    "the qrels are sparse: a topic has at most {}, and all are relevant; a relevant document may be "
    "unjudged, so values are too low, and small differences between runs can be due to the judgments"
)
_HELD: ContextVar[list[tuple[str, Sequence[str]]] | None] = ContextVar("held", default=None)


def warn_of(remarks: Sequence[str], name: str = "") -> None:
    """Issue one `InputWarning` with all remarks, if there are any; within `warned_together`, at its end."""
    held = _HELD.get()
    if held is not None:
        held.append((name, remarks))
    elif remarks:
        text = "; ".join(remarks)
        warnings.warn(
            f"{name}: {text}" if name else text, InputWarning, stacklevel=level_of_caller()
        )


@contextmanager
def warned_together() -> Iterator[None]:
    """Issue one warning for all runs of which many documents are unjudged, and one for sparse qrels."""
    if _HELD.get() is not None:
        yield
        return
    held: list[tuple[str, Sequence[str]]] = []
    token = _HELD.set(held)
    try:
        yield
    finally:
        _HELD.reset(token)
        notes = {name: each for name, remarks in held for each in remarks if isinstance(each, Note)}
        joined = [str(note) for note in notes.values() if note.text == SPARSE][:1]
        if not joined and len(notes) > 1:
            low, *_, high = sorted(notes.values(), key=lambda note: note.names[0])
            shares = f"{low.names[0]} to {high}" if str(low) != str(high) else str(high)
            joined = [f"{shares} in {listed(notes)}"]
        for name, remarks in held:
            warn_of([each for each in remarks if not (joined and isinstance(each, Note))], name)
        warn_of(joined)


def depth_of(measures: Iterable[Measure]) -> int | None:
    """The smallest cutoff of measures that count unjudged documents, at most `DEPTH`; None without such a
    measure."""
    used = [measure for measure in measures if not measure.params.get("judged_only")]
    return (
        min([DEPTH, *(int(measure.params.get("cutoff") or DEPTH) for measure in used)])
        if used
        else None
    )


class RunRemarks:
    """Counts the documents of a run for each topic of the qrels while its blocks are read."""

    def __init__(self, judged: Judged, depth: int | None = DEPTH, contract: Contract | None = None):
        self.depth, self.contract = depth, contract
        self.most = int(judged.whole.sizes.max(initial=0))
        self.sparse = self.most <= 2 and judged.whole.level.min(initial=1) >= 1
        self.counts = np.zeros((6, len(judged.topics)), dtype=np.int64)

    def watched(self, blocks: Iterable[JudgedRanks]) -> Iterator[JudgedRanks]:
        """The same blocks, which are counted."""
        for block in blocks:
            self.count(block)
            yield block

    def count(self, ranks: JudgedRanks) -> None:
        """Count the documents of a block. A topic that appears in several blocks counts in the last one.

        The counts of each topic: retrieved, judged, both within the depth, whether scores differ, and whether
        a document has the id of the topic.
        """
        depth, topics = self.depth or 0, ranks.retrieved.size
        self.counts[:, ranks.numbers] = [
            ranks.retrieved,
            np.bincount(ranks.topic, minlength=topics),
            np.minimum(ranks.retrieved, depth),
            np.bincount(ranks.topic[ranks.rank <= depth], minlength=topics),
            ranks.highest > ranks.lowest,
            ranks.own,
        ]

    def of(self, source: RunSource) -> Iterator[str]:
        """Unusual properties of the whole run, which has been counted; its reader warns of an empty run."""
        if source.is_empty:
            return
        lacking, topics = int((self.counts[0] == 0).sum()), self.counts.shape[1]
        retrieved, judged, top, judged_top, varied, own = self.counts.sum(axis=1).tolist()
        if lacking:
            yield f"the run lacks {lacking:,} of {counted(topics, 'topic')} of the qrels"
        if retrieved and not judged:
            yield "no document is judged; check that run and qrels use the same ids"
        elif 2 * judged_top < top:
            if self.sparse:
                yield Note(SPARSE, counted(self.most, "judged document"))
            else:
                yield Note(
                    "{} of the top {:,} are unjudged", Percent(1 - judged_top / top), self.depth
                )
        if not varied and self.counts[0].max(initial=0) > 1:
            yield "all scores of a topic are equal, so the document ids decide"
        if own and own >= OWN * topics and (self.contract is None or self.contract.own_topic):
            share = f"{own:,} of {counted(topics, 'topic')} ({Percent(own / topics)})"
            option = "; the collection leaves it out, with --ignore_identical_ids (ignore_identical_ids=True)"
            yield f"in {share} a document has the id of the topic{option if self.contract else ''}"


def level_remark(judged: Judged, least: int) -> str:
    """The remark on levels of which none is relevant, or that are 1 … n without 0, for n from `least` on.

    A scale may lack some of its levels, but not most.
    """
    levels = judged.whole.all_levels
    highest = levels.max(initial=0)
    if highest <= 0:
        return "no level is above 0, so no document is relevant"
    is_scale = least <= highest <= min(SCALE, 2 * levels.size) and not (levels % 1).any()
    if not (is_scale and levels[0] == 1):
        return ""
    gains = gains_text({level: level - 1 for level in map(plain_number, levels.tolist())})
    remark = "the lowest level is 1: it counts as relevant (AP, P, …) and has a gain of 1"
    return f"{remark}. If 1 means not relevant: gains={gains} and rel=2"


def leaves_open(measure: Measure, parameter: str) -> bool:
    """Whether a measure takes this parameter with a default, and is given none."""
    info = measure.SUPPORTED_PARAMS.get(parameter)
    return (
        info is not None
        and parameter not in measure.params
        and (parameter != "rel" or info.default == 1)
    )


def contract_remarks(measure: Measure, contract: Contract) -> Iterator[str]:
    """How the collection is evaluated, if the measure takes its levels in another way."""
    if contract.rel is not None and contract.rel > 1 and leaves_open(measure, "rel"):
        yield f"levels below {contract.rel} are not relevant here; use {measure(rel=contract.rel)}"
    if contract.gains == "exp":
        if measure.NAME == "nDCG" and not {"dcg", "gains"} & {*measure.params}:
            yield f"the gains of this collection are 2^level − 1; use {measure(dcg='exp-log2')}"
    elif contract.gains and leaves_open(measure, "gains"):
        yield f"the gains of this collection are {contract.gains}; use {measure(gains=contract.gains_of([]))}"


def measure_remarks(
    measures: Iterable[Measure], judged: Judged, contract: Contract | None = None
) -> Iterator[tuple[Measure, str]]:
    """Each measure that names levels which the qrels lack, or leaves out what the collection fixes."""
    for measure in measures:
        for remark in contract_remarks(measure, contract) if contract else ():
            yield measure, remark
        gains, rel = measure.params.get("gains"), measure.params.get("rel")
        if gains is None and rel is None:
            continue
        whole = judged.whole.intents.judged if needs_intents(measure) else judged.whole
        levels = set(whole.all_levels.tolist())
        named = gains if isinstance(gains, dict) else ()
        if absent := [level for level in named if level > 0 and level not in levels]:
            yield measure, f"the qrels have no document of level {listed(absent)}"
        if isinstance(rel, (int, float)) and levels and rel > max(levels):
            yield (
                measure,
                f"no level of the qrels reaches rel={rel:g}; the highest is {max(levels):g}",
            )
