"""Unusual properties of qrels, a run or a measure, which the values do not show.

`evaluate` and a `Study` warn of it in one line per run (`InputWarning`). The command `check` lists
it.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np
from ir_measures import Measure

from ..core.ranking.gains import gains_text, plain_number
from ..core.ranking.judged import Judged
from ..core.ranking.ranks import JudgedRanks
from ..core.registry.facts import (
    absent_levels,
    falling_gains,
    levels_for,
    on_top_gain_of_absent,
)
from ..core.rows.rows import RunSource
from ..errors import EQUAL_SCORES, InputWarning, Remark, level_of_caller, shown
from ..files.forms import ONE_A_LINE
from ..output.formats import Percent, counted, listed
from ..output.remarks import in_collection, merged
from .alike_ids import AlikeIds
from .order_of_rows import tied_documents
from .vespa_ids import remarks_on_ids
from .words import remarks_on_words

if TYPE_CHECKING:
    from ..files.contracts import Contract
    from .near_ids import UnmatchedDocuments

DEPTH = 10
"""The rank down to which unjudged documents are counted; deeper pools are rare."""
OWN = 0.1
"""A remark tells that documents have the id of their topic from this share of topics on."""
LEAVES_OUT = (
    "; the collection leaves it out, with --ignore_identical_ids (ignore_identical_ids=True)"
)
FEW_MATCHES = 0.05
"""If a smaller share of the documents that can be judged is, a remark names ids of both sides."""
NAMED_TOPICS = 5
"""A remark on topics names as many, one more if that is all."""
SCALE = 100
"""Levels up to this one may be a scale that begins with 1."""
SPARSE = (
    "the qrels are sparse: a topic has at most {}, and all are relevant; a relevant document may "
    "be unjudged, so values are too low, and small differences between runs can be due to the "
    "judgments"
)
EMPTY = "empty"
"""The kind of the remark on an empty run in memory, of which its reader has warned."""
TIED_PREDICTIONS = "tied predictions"
"""The kind of the remark on tied documents in a file of predictions."""
CHOICES_OF_TIES = (
    "ids decide; --ties given (ties='given') ranks as LightGBM and XGBoost, mean as array_mean and "
    "scikit-learn, min as CatBoost"
)
"""How tied predictions are ordered here, and how other tools do that."""
_COLLECTED: ContextVar[list[Remark] | None] = ContextVar("collected", default=None)


def issue(remarks: Iterable[Remark]) -> None:
    """Issue one `InputWarning` for each subject with remarks.

    Within `issued_together`, they are issued at its end.
    """
    collected = _COLLECTED.get()
    if collected is not None:
        collected += remarks
        return
    for warning in warnings_of(remarks):
        warnings.warn(warning, stacklevel=level_of_caller())


def warnings_of(remarks: Iterable[Remark]) -> list[InputWarning]:
    """The warnings of remarks, one for each subject.

    >>> lacking = Remark("topics", "A", "the run lacks 1 of 9 topics")
    >>> for warning in warnings_of([lacking, Remark("ties", "A", "all scores are equal")]):
    ...     print(warning)
    A: the run lacks 1 of 9 topics; all scores are equal
    """
    by_subject: dict[str, list[Remark]] = {}
    for remark in merged(remarks):
        if remark.kind != EMPTY:
            by_subject.setdefault(remark.subject, []).append(remark)
    issued = []
    for subject, on_subject in by_subject.items():
        texts = "; ".join(remark.text for remark in on_subject)
        warning = InputWarning(str(Remark("", subject, texts)))
        warning.remarks = tuple(on_subject)
        issued.append(warning)
    return issued


@contextmanager
def issued_together() -> Iterator[None]:
    """Issue all remarks of a public function at its end, so that those of one kind are merged."""
    if _COLLECTED.get() is not None:
        yield
        return
    try:
        with _collected() as remarks:
            yield
    finally:
        issue(remarks)


@contextmanager
def issued_in_collection(name: str) -> Iterator[None]:
    """Issue the remarks on one of several collections together, with its name."""
    try:
        with _collected() as remarks:
            yield
    finally:
        issue(in_collection(name, remarks))


@contextmanager
def _collected() -> Iterator[list[Remark]]:
    """The remarks that are issued meanwhile, which are not shown."""
    collected: list[Remark] = []
    token = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(token)


def depth_of(measures: Iterable[Measure]) -> int | None:
    """The smallest cutoff of measures that count unjudged documents, at most `DEPTH`.

    It is None without such a measure.
    """
    cutoffs = _cutoffs_that_count(measures)
    if not cutoffs:
        return None
    return min(DEPTH, *(cutoff or DEPTH for cutoff in cutoffs))


def deepest_of(measures: Iterable[Measure]) -> int | None:
    """The greatest cutoff of measures that count unjudged documents, None if one has no cutoff.

    >>> from ir_measures import AP, Judged, nDCG
    >>> deepest_of([nDCG @ 10, nDCG @ 100]), deepest_of([nDCG @ 10, AP])
    (100, None)
    """
    cutoffs = _cutoffs_that_count(measures)
    if None in cutoffs:
        return None
    return max(filter(None, cutoffs), default=None)


def _cutoffs_that_count(measures: Iterable[Measure]) -> list[int | None]:
    """The cutoff of each measure that counts unjudged documents, None if it has none."""
    counting = [measure for measure in measures if not measure.params.get("judged_only")]
    return [measure.params.get("cutoff") for measure in counting]


class RunRemarks:
    """Counts the documents of a run for each topic of the qrels while its blocks are read.

    The counts of a topic (T): its documents, those that are judged, those that can be at most, the
    first two within the depth, whether scores differ, and whether a document has the id of the
    topic. Without a `depth`, no remark counts unjudged documents. The share `unjudged` is that down
    to the rank `deepest`, or of the whole lists. Only remarks need that it `compares_ids` of
    unjudged documents with those of the qrels, which takes longer than to count.
    """

    def __init__(
        self,
        judged: Judged,
        depth: int | None = DEPTH,
        contract: "Contract | None" = None,
        deepest: int | None = None,
        compares_ids: bool = True,
    ):
        self.depth = depth
        self.deepest = deepest
        self.compares_ids = compares_ids
        self.contract = contract
        self.all_judged = judged.whole
        self.largest_cutoff = 0
        self.last_rank: int | None = None  # no measure reads documents below it
        self.topics = judged.topics
        self.most_judged = int(judged.whole.sizes.max(initial=0))
        self.is_sparse = self.most_judged <= 2 and judged.whole.level.min(initial=1) >= 1
        topics = len(judged.topics)
        self.retrieved = np.zeros(topics, dtype=np.int64)
        self.judged = np.zeros_like(self.retrieved)
        self.top = np.zeros_like(self.retrieved)
        self.judged_top = np.zeros_like(self.retrieved)
        self.judged_deep = np.zeros_like(self.retrieved)
        self.can_match = np.zeros_like(self.retrieved)
        self.has_scores = np.zeros(topics, dtype=bool)
        self.has_own = np.zeros(topics, dtype=bool)
        self.is_counted = np.zeros(topics, dtype=bool)
        self.begins_anew = False
        self.unmatched: UnmatchedDocuments | None = None
        self.alike = AlikeIds()
        self.predictions = 0
        self.tied_predictions = 0
        self.were_tied = False
        self.shortened: tuple[str, str] | None = None

    def watched(self, blocks: Iterable[JudgedRanks]) -> Iterator[JudgedRanks]:
        """The same blocks, which are counted."""
        for block in blocks:
            self.count(block)
            yield block

    def count(self, ranks: JudgedRanks) -> None:
        """Count the documents of a block.

        A topic that appears in several blocks counts in the last one. A block with such a topic
        `begins_anew`: the run is read again.
        """
        numbers = ranks.place.numbers
        self.begins_anew = bool(self.is_counted[numbers].any())
        if self.begins_anew:
            self.is_counted[:] = False
            self.alike = AlikeIds()
            self.unmatched = None
        self.is_counted[numbers] = True
        topics = ranks.retrieved.size
        self.retrieved[numbers] = ranks.retrieved
        judged = np.bincount(ranks.topic, minlength=topics)
        self.judged[numbers] = judged
        depth = self.depth or DEPTH
        top = np.minimum(ranks.retrieved, depth)
        is_top = ranks.rank <= depth
        judged_top = np.bincount(ranks.topic[is_top], minlength=topics)
        self.top[numbers] = top
        self.judged_top[numbers] = judged_top
        if self.deepest == depth:
            self.judged_deep[numbers] = judged_top
        elif self.deepest is not None:
            is_deep = ranks.rank <= self.deepest
            self.judged_deep[numbers] = np.bincount(ranks.topic[is_deep], minlength=topics)
        self.can_match[numbers] = np.minimum(ranks.retrieved, ranks.judged.sizes)
        if self.compares_ids:
            self.alike.add(ranks, judged)
            few_match = 2 * judged_top.sum() < np.minimum(top, ranks.judged.sizes).sum()
            if few_match:
                self._sample_unmatched(ranks, depth)
        self.has_scores[numbers] = ranks.highest > ranks.lowest
        self.has_own[numbers] = ranks.place.own
        rows = ranks.place.rows
        self.shortened = self.shortened or rows.facts.shortened
        self.were_tied = self.were_tied or rows.facts.were_tied
        if rows.facts.form == ONE_A_LINE:
            self.predictions += rows.values.size
            self.tied_predictions += tied_documents(ranks, self.last_rank)

    def _sample_unmatched(self, ranks: JudgedRanks, depth: int) -> None:
        """Add a block, in which few documents match, to the sample of unjudged documents."""
        if self.unmatched is None:
            from .near_ids import UnmatchedDocuments  # takes time

            self.unmatched = UnmatchedDocuments(depth)
        self.unmatched.add(ranks)

    @property
    def unjudged(self) -> float | None:
        """The share of unjudged documents down to the deepest rank; None without any document."""
        retrieved = self.retrieved
        judged = self.judged
        if self.deepest is not None:
            retrieved = np.minimum(retrieved, self.deepest)
            judged = self.judged_deep
        count = int(retrieved.sum())
        if self.depth is None or count == 0:
            return None
        return 1 - int(judged.sum()) / count

    @property
    def lacks_topic(self) -> np.ndarray:
        """Whether the run has no document for a topic (T)."""
        return self.retrieved == 0

    def of(self, source: RunSource, name: str) -> Iterator[Remark]:
        """Unusual properties of the whole run of this name, which has been counted."""
        for remark in source.remarks:
            yield remark._replace(subject=name)
        yield from remarks_on_ids(self.shortened, name)
        if source.of_passages:
            yield from self._on_passages(source, name)
        if source.is_empty:
            yield Remark(EMPTY, name, "the run is empty")
            return
        topics = self.retrieved.size
        all_topics = counted(topics, "topic")
        lacking = topics_with(self.topics, self.lacks_topic)
        if lacking:
            text = f"the run lacks {len(lacking):,} of {all_topics} of the qrels"
            if len(lacking) < topics:
                text += f" ({listed(lacking, NAMED_TOPICS)}); {_count_as_empty(len(lacking))}"
            elif source.in_memory:  # a file of such a run is refused
                of_run = next(iter(source.rows().topics), None)
                if of_run is not None:
                    examples = f"{shown(of_run)}, and the qrels such as {shown(lacking[0])}"
                    text += f"; it has topics such as {examples}"
            yield Remark("topics", name, text, topics=lacking)
        yield from self._on_judgments(name)
        if self.tied_predictions:
            of_all = f"{self.tied_predictions:,} of {counted(self.predictions, 'prediction')}"
            text = f"{of_all} are tied; {CHOICES_OF_TIES}"
            share_tied = self.tied_predictions / self.predictions
            yield Remark(TIED_PREDICTIONS, name, text, share_tied)
        if not self.has_scores.any() and self.retrieved.max(initial=0) > 1:
            text = "all scores of a topic are equal, so the document ids decide"
            yield Remark(EQUAL_SCORES, name, text)
        own = topics_with(self.topics, self.has_own)
        may_have_own = self.contract is not None and not self.contract.own_topic
        if own and len(own) >= OWN * topics and not may_have_own:
            share = f"{len(own):,} of {all_topics} ({Percent(len(own) / topics)})"
            text = f"in {share} a document has the id of the topic"
            if self.contract is not None:
                text += LEAVES_OUT
            yield Remark("own topic", name, text, topics=own)

    def _on_passages(self, source: RunSource, name: str) -> Iterator[Remark]:
        """The remarks on few documents of a run of passages, and on qrels that judge passages."""
        from ..core.rows.passages import PassageRun  # This import takes time.

        assert isinstance(source, PassageRun)
        documents = source.documents_of_topic
        if 0 < documents < self.largest_cutoff and source.has_passages:
            text = (
                f"a topic has {documents:g} documents (median), fewer than the cutoff "
                f"{self.largest_cutoff}; retrieve more passages"
            )
            yield Remark("few documents", name, text)
        separator = source.rule.separator
        if separator is None or self.all_judged.documents is None:
            return
        ids = self.all_judged.rows.docs.ids().packed()
        count = source.rule.documents_in(ids)[1]
        if 2 * np.count_nonzero(count) > len(ids):
            text = f"most ids of the qrels have {separator!r} too; they seem to judge passages"
            yield Remark("judged passages", "", text)

    def _on_judgments(self, name: str) -> Iterator[Remark]:
        """The remarks on a run without judged documents, or with few of them at the top."""
        nearly_matches = ""
        examples = ""
        if self.unmatched is not None:
            nearly_matches = self.unmatched.rule()
            examples = self.unmatched.examples()
        if not nearly_matches:
            nearly_matches = self.alike.rule()
        if self.retrieved.any() and not self.judged.any():
            text = "no document is judged; "
            if nearly_matches:
                text += nearly_matches
            else:
                text += f"check that run and qrels use the same ids{examples}"
            yield Remark("no judged document", name, text)
            return
        top = int(self.top.sum())
        judged_top = int(self.judged_top.sum())
        if self.depth is not None and 2 * judged_top < top:
            if self.is_sparse:
                most_judged = counted(self.most_judged, "judged document")
                yield Remark("sparse", "", SPARSE.format(most_judged))
            else:
                unjudged = 1 - judged_top / top
                text = f"{Percent(unjudged)} of the top {self.depth:,} are unjudged"
                yield Remark("unjudged", name, text, unjudged)
        if nearly_matches:
            yield Remark("ids", name, nearly_matches)
        elif self.judged.sum() < FEW_MATCHES * self.can_match.sum():
            text = f"few documents are judged; check that run and qrels use the same ids{examples}"
            yield Remark("ids", name, text)


def _count_as_empty(topics: int) -> str:
    """How topics that a run lacks count in its mean.

    >>> _count_as_empty(1)
    'it counts, mostly as 0, as in trec_eval -c'
    """
    if topics == 1:
        return "it counts, mostly as 0, as in trec_eval -c"
    return "they count, mostly as 0, as in trec_eval -c"


def topics_with(topics: Sequence[str], has_property: np.ndarray) -> tuple[str, ...]:
    """The topics that have a property, which is true or false for each."""
    return tuple(topics[number] for number in np.flatnonzero(has_property).tolist())


def level_remarks(judged: Judged, name: str | None, least: int) -> list[Remark]:
    """The remark on qrels of which no level is relevant, or whose levels are 1 … n without 0.

    The latter holds for n from `least` on. A scale may lack some of its levels, but not most.
    `name` is the name of the qrels.
    """
    subject = name or "qrels"
    levels = judged.whole.all_levels
    highest = levels.max(initial=0)
    if highest <= 0:
        return [Remark("levels", subject, "no level is above 0, so no document is relevant")]
    is_scale = least <= highest <= min(SCALE, 2 * levels.size) and not (levels % 1).any()
    if not is_scale or levels[0] != 1:
        return []
    gains = gains_text({level: level - 1 for level in map(plain_number, levels.tolist())})
    text = "the lowest level is 1: it counts as relevant (AP, P, …) and has a gain of 1"
    return [Remark("levels", subject, f"{text}. If 1 means not relevant: gains={gains} and rel=2")]


def leaves_open(measure: Measure, parameter: str) -> bool:
    """Whether a measure takes this parameter with a default, and is given none."""
    info = measure.SUPPORTED_PARAMS.get(parameter)
    if info is None or parameter in measure.params:
        return False
    return parameter != "rel" or info.default == 1


def contract_remarks(measure: Measure, contract: "Contract") -> Iterator[Remark]:
    """How the collection is evaluated, if the measure takes its levels in another way."""
    subject = str(measure)
    if contract.rel is not None and contract.rel > 1 and leaves_open(measure, "rel"):
        text = f"levels below {contract.rel} are not relevant here; use {measure(rel=contract.rel)}"
        yield Remark("contract", subject, text)
    if contract.gains == "exp":
        if measure.NAME == "nDCG" and not {"dcg", "gains"} & measure.params.keys():
            use = measure(dcg="exp-log2")
            text = f"the gains of this collection are 2^level − 1; use {use}"
            yield Remark("contract", subject, text)
    elif contract.gains and leaves_open(measure, "gains"):
        use = measure(gains=contract.gains_of([]))
        text = f"the gains of this collection are {contract.gains}; use {use}"
        yield Remark("contract", subject, text)


def measure_remarks(
    measures: Iterable[Measure], judged: Judged, contract: "Contract | None" = None
) -> Iterator[Remark]:
    """Remarks on everyday names, on levels of measures that the qrels lack, and on what the
    collection fixes.

    The last are on measures that leave it out.
    """
    measures = list(measures)
    has_fixed_gains = contract is not None and contract.gains != ""
    open_words = [measure for measure in measures if measure.NAME != "nDCG" or not has_fixed_gains]
    yield from remarks_on_words(open_words, judged)
    for measure in measures:
        if contract is not None:
            yield from contract_remarks(measure, contract)
        absent = absent_levels(measure, judged)
        if absent:
            text = f"the qrels have no document of level {listed(absent, last='or')}"
            text += on_top_gain_of_absent(measure, judged, absent)
            yield Remark("absent levels", str(measure), text)
        falls = falling_gains(measure, judged)
        if falls is not None:
            (lower, gain_of_lower), (level, gain) = falls
            less = f"less than the {gain_of_lower:g} of level {lower:g}"
            text = f"level {level:g} has a gain of {gain:g}, {less}"
            yield Remark("falling gains", str(measure), text)
        rel = measure.params.get("rel")
        if rel is None:
            continue
        levels = levels_for(measure, judged)
        if isinstance(rel, (int, float)) and levels and rel > max(levels):
            text = f"no level of the qrels reaches rel={rel:g}; the highest is {max(levels):g}"
            yield Remark("absent levels", str(measure), text)
