"""Unjudged documents of a run that a judgment would match but for zeros, blanks or case.

A spreadsheet drops leading zeros and writes 1E5 as 100000 or 1.00E+05, and ``12.0`` is an id that
was a number. If few ids are affected, most documents match, and the values are only a little lower.
So a sample of topics is compared: all topics of small data, and a bounded number of documents of
large data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from itertools import chain, pairwise

import numpy as np

from ..core.by_topic import bounds_of, positions, rows_of
from ..core.ranking.judged import Judged, computed_once
from ..core.ranking.ranks import JudgedRanks
from ..core.rows.id_columns import Documents
from ..core.rows.id_matching import ZERO, Ids, IdsByTopic, nearly_equal
from ..errors import GradedError, shown
from ..output.formats import counted

SAMPLED_DOCUMENTS = 10_000
"""The retrieved and judged documents that are compared."""
SAMPLED_FOR_ZEROS = 1_024
"""The number of ids of a block that are searched for one that begins with 0."""
SAMPLED_BLOCKS = 2
"""The blocks of large data of which documents are compared, half as many of each."""
LEAST_SURE = 4
"""The least number of pairs that are no chance if there is none within one side."""
SAMPLED_RANKS = 100
"""The first ranks of a topic that are compared if not all documents are."""


EXPONENTIAL = r"([0-9]+(?:\.[0-9]+)?)[eE]\+?([0-9]{1,2})"
"""A number with an exponent. A spreadsheet takes no larger numbers exactly."""


def written_out(id_: str) -> str:
    """The whole number of an id with an exponent.

    >>> written_out("1E5"), written_out("1.00E+05"), written_out("1.5e0"), written_out("E5")
    ('100000', '100000', '1.5e0', 'E5')
    """
    may_have_exponent = "e" in id_ or "E" in id_  # found faster than a pattern
    if not may_have_exponent or re.fullmatch(EXPONENTIAL, id_) is None:
        return id_
    number = Decimal(id_)
    return str(int(number)) if number == int(number) else id_


def without_fraction(id_: str) -> str:
    """The id of a number that was written with one decimal.

    >>> without_fraction("12.0"), without_fraction("v1.0")
    ('12', 'v1.0')
    """
    is_number = id_.endswith(".0") and re.fullmatch(r"[0-9]+\.0", id_)
    return id_[:-2] if is_number else id_


def without_zeros(id_: str) -> str:
    """The id of digits without leading zeros.

    >>> without_zeros("0012"), without_zeros("000"), without_zeros("0a")
    ('12', '0', '0a')
    """
    if not id_.startswith("0") or not re.fullmatch("[0-9]+", id_):
        return id_
    return id_.lstrip("0") or "0"


CHANGES: Mapping[str, Callable[[str], str]] = {
    "without the blanks around them": str.strip,
    "with numbers written out": written_out,
    "without '.0'": without_fraction,
    "without leading zeros": without_zeros,
    "in the same case": str.lower,
}
"""What makes two ids equal, by the words that follow "would match"."""


def difference(first: str, second: str) -> str:
    """The words of the changes that make two ids equal, one of them if it is enough; empty if none
    do.

    >>> difference("12", "0012"), difference("D1 ", "d1"), difference("d1", "d2")
    ('without leading zeros', 'without the blanks around them and in the same case', '')
    >>> difference("1e5", "1E5")
    'in the same case'
    """
    for words, change in reversed(tuple(CHANGES.items())):
        if first != second and change(first) == change(second):
            return words
    needed: list[str] = []
    for words, change in CHANGES.items():
        if first == second:
            break
        changed = (change(first), change(second))
        if changed != (first, second):
            needed.append(words)
        first, second = changed
    return " and ".join(needed) if first == second else ""


def plain(id_: str) -> str:
    """The id after all changes."""
    for change in CHANGES.values():
        id_ = change(id_)
    return id_


class AlikeIds:
    """Unjudged documents that are like judged ones of their topic, which the run does not retrieve.

    `count` has the number of pairs for each difference, and `examples` the first pair. An id that
    the qrels have for another topic is a document of its own. Where 12 and
    0012 are two documents, such pairs occur by chance, and about as many or more within one side of
    a topic: `within` counts these. `across` has the differences of documents of several topics.
    """

    def __init__(self) -> None:
        self.compared = 0
        self.unjudged = 0
        self.is_sample = False
        self.sampled_blocks = 0
        self.count: Counter[str] = Counter()
        self.examples: dict[str, tuple[str, str]] = {}
        self.within: Counter[str] = Counter()
        self.across: set[str] = set()

    def add(self, ranks: JudgedRanks, hits_by_topic: np.ndarray) -> None:
        """Compare documents of some topics of a block. `hits_by_topic` counts the judged documents
        that the run retrieves.

        All are compared if one side alone has leading zeros.
        """
        if ranks.block is None or ranks.judged.documents is None:
            return
        numbers = np.flatnonzero((ranks.retrieved > 0) & (ranks.judged.sizes > 0))
        if not numbers.size:
            return
        listed = ranks.retrieved[numbers]
        sizes = listed + ranks.judged.sizes[numbers]
        left = SAMPLED_DOCUMENTS - self.compared
        if sizes.sum() > left and not _lost_zeros(ranks):
            self.is_sample = True
            self.sampled_blocks += 1
            if self.sampled_blocks > SAMPLED_BLOCKS:
                return
            listed = np.minimum(listed, SAMPLED_RANKS)
            sizes = listed + ranks.judged.sizes[numbers]
            is_chosen = _evenly_spaced(sizes, SAMPLED_DOCUMENTS // SAMPLED_BLOCKS)
            numbers = numbers[is_chosen]
            listed = listed[is_chosen]
            sizes = sizes[is_chosen]
            if not numbers.size:
                return
        self.compared += int(sizes.sum())
        # A document that no judgment equals need not be an id, and may then be any object.
        with suppress(GradedError):
            self._compare(_Sample(ranks, numbers, listed, hits_by_topic))

    def _compare(self, sample: _Sample) -> None:
        unjudged = sample.unjudged()
        missed = sample.missed()
        self.unjudged += len(unjudged[0])
        if not len(unjudged[0]) or not len(missed[0]):
            return
        if _are_plain_numbers(unjudged[0]) and _are_plain_numbers(missed[0]):
            return
        rows, judged_rows = nearly_equal(_without_exponents(unjudged), _without_exponents(missed))
        pairs = zip(unjudged[0].take(rows), missed[0].take(judged_rows), strict=True)
        alike = [(pair, difference(*pair)) for pair in pairs]
        alike = [(pair, words) for pair, words in alike if words]
        if not alike:
            return
        known = ids_of_qrels(sample.ranks.judged.whole)
        alike = [(pair, words) for pair, words in alike if pair[0] not in known]
        for pair, words in alike:
            self.count[words] += 1
            self.examples.setdefault(words, pair)
        if alike:
            for by_topic in (sample.listed_ids(), sample.judged_ids()):
                for ids in by_topic:
                    self.within.update(_differences(ids))
                self.across.update(_differences(chain.from_iterable(by_topic)))

    def _is_reported(self, words: str) -> bool:
        """Whether a difference cannot be that of two documents by chance."""
        if self.count[words] < LEAST_SURE and words in self.across:
            return False
        return self.count[words] > LEAST_SURE * self.within[words]

    def rule(self, name_of_qrels: str = "the qrels") -> str:
        """The sentence on the most frequent difference, empty if there is none."""
        reported = list(filter(self._is_reported, self.count))
        if not reported:
            return ""
        words = max(reported, key=self.count.__getitem__)
        of_run, of_qrels = self.examples[words]
        example = f"as {shown(of_run)} and {shown(of_qrels)} of {name_of_qrels}"
        which = "some unjudged documents"
        if not self.is_sample:
            which = f"{self.count[words]:,} of {counted(self.unjudged, 'unjudged document')}"
        return f"{which} would match {words}, {example}"


def _are_plain_numbers(ids: Ids) -> bool:
    """Whether all ids are digits without a leading zero, of which no change makes two equal.

    >>> _are_plain_numbers(Ids.of(["12", "7"])), _are_plain_numbers(Ids.of(["12", "07"]))
    (True, False)
    """
    text = ids.packed()
    return bool(_is_digit(text.data).all() and (text.data[text.starts] != ZERO).all())


def _without_exponents(by_topic: IdsByTopic) -> IdsByTopic:
    """The same ids, of which those with an exponent are written out."""
    ids, bounds = by_topic
    rows = np.flatnonzero(_is_digit(ids.data[ids.starts]))
    numbers = ids.take(rows).packed()
    is_sign = (numbers.data | ord(" ")) == ord("e")
    if not is_sign.any():
        return by_topic
    starts = numbers.starts.astype(np.int64)
    signs = np.add.reduceat(is_sign.astype(np.int64), starts)
    digits = np.add.reduceat(_is_digit(numbers.data).astype(np.int64), starts)
    # Besides its digits and the e, a number has at most a point and a plus.
    rows = rows[(signs == 1) & (digits + 3 >= numbers.length)]
    if not rows.size:
        return by_topic
    ids = ids.packed()
    further = Ids.of(list(map(written_out, ids.take(rows))))
    starts = ids.starts.astype(np.int64)
    starts[rows] = further.starts.astype(np.int64) + ids.data.size
    length = ids.length.astype(np.int64)
    length[rows] = further.length
    return Ids(np.concatenate((ids.data, further.data)), starts, length), bounds


def _is_digit(text: np.ndarray) -> np.ndarray:
    return np.asarray((text >= ord("0")) & (text <= ord("9")))


@computed_once
def ids_of_qrels(judged: Judged) -> frozenset[str]:
    """All judged documents. Qrels keep them for further runs."""
    return frozenset(judged.rows.docs.ids())


class _Sample:
    """The first `listed` documents of some topics of a block, and the judged ones."""

    def __init__(
        self,
        ranks: JudgedRanks,
        numbers: np.ndarray,
        listed: np.ndarray,
        hits_by_topic: np.ndarray,
    ):
        self.ranks = ranks
        self.numbers = numbers
        self.listed = listed
        hits = hits_by_topic[numbers]
        self.hits = rows_of(bounds_of(hits_by_topic)[numbers], hits)
        self.topic_of_hit = np.repeat(np.arange(numbers.size), hits)

    def unjudged(self) -> tuple[Ids, np.ndarray]:
        """The ids of the unjudged documents, topic after topic, and the bounds of the topics."""
        bounds = bounds_of(self.listed)
        rank = self.ranks.rank[self.hits]
        place = bounds[self.topic_of_hit] + rank - 1
        is_unjudged = np.ones(int(bounds[-1]), dtype=bool)
        is_unjudged[place[rank <= self.listed[self.topic_of_hit]]] = False
        rows = self._rows()[is_unjudged]
        bounds_of_unjudged = np.append(0, np.cumsum(is_unjudged))[bounds]
        return self.ranks.listed.docs.take(rows).ids(), bounds_of_unjudged

    def missed(self) -> tuple[Ids, np.ndarray]:
        """The same of the judged documents that the run does not retrieve."""
        judged = self.ranks.judged
        sizes = judged.sizes[self.numbers]
        bounds = bounds_of(sizes)
        starts = judged.offsets[self.numbers]
        is_missed = np.ones(int(bounds[-1]), dtype=bool)
        before = bounds[:-1] - starts
        is_missed[self.ranks.doc[self.hits] + before[self.topic_of_hit]] = False
        rows = np.repeat(-before, sizes) + np.arange(is_missed.size)
        bounds_of_missed = np.append(0, np.cumsum(is_missed))[bounds]
        return judged.rows.docs.take(rows[is_missed]).ids(), bounds_of_missed

    def listed_ids(self) -> list[list[str]]:
        """The ids of the documents of each topic that are retrieved."""
        ids = list(self.ranks.listed.docs.take(self._rows()).ids())
        return _divided(ids, bounds_of(self.listed))

    def judged_ids(self) -> list[list[str]]:
        """The ids of the judged documents of each topic."""
        judged = self.ranks.judged
        sizes = judged.sizes[self.numbers]
        rows = rows_of(judged.offsets[self.numbers], sizes)
        ids = list(judged.rows.docs.take(rows).ids())
        return _divided(ids, bounds_of(sizes))

    def _rows(self) -> np.ndarray:
        """The rows of the run, in the order of their ranks."""
        starts = bounds_of(self.ranks.retrieved)[self.numbers]
        return rows_at(self.ranks, starts, self.listed)


def rows_at(ranks: JudgedRanks, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The rows of the run at the first ranks of topics, which begin at `starts`."""
    position = np.repeat(starts, sizes) + positions(sizes)
    moved_position, moved_row = ranks.moved
    if not moved_position.size:
        return position
    entry = np.minimum(np.searchsorted(moved_position, position), moved_position.size - 1)
    return np.where(moved_position[entry] == position, moved_row[entry], position)


def _lost_zeros(ranks: JudgedRanks) -> bool:
    """Whether some ids of the run or of the judgments, but not of both, begin with 0."""
    of_run = _has_zeros(ranks.listed.docs)
    of_qrels = _has_judged_zeros(ranks.judged.whole)
    return None not in (of_run, of_qrels) and of_run != of_qrels


@computed_once
def _has_judged_zeros(judged: Judged) -> bool | None:
    """Whether some judged ids begin with 0. Qrels keep the answer for further runs."""
    return _has_zeros(judged.rows.docs)


def _has_zeros(documents: Documents) -> bool | None:
    """Whether some ids begin with 0 and have more characters; None for ids in dicts, which would
    have to be converted.
    """
    if not isinstance(documents, Ids):
        return None
    step = len(documents) // SAMPLED_FOR_ZEROS + 1
    some = documents.take(slice(0, None, step))
    first = some.data.take(some.starts)
    return bool(((first == ZERO) & (some.length > 1)).any())


def _evenly_spaced(sizes: np.ndarray, most: int) -> np.ndarray:
    """The places of some of the sizes, evenly spaced, whose sum is about `most`.

    Larger sizes than this are left out.

    >>> _evenly_spaced(np.array([9, 2, 2, 9, 2, 2]), 5)
    array([1, 5])
    """
    candidates = np.flatnonzero(sizes <= most)
    if not candidates.size:
        return candidates
    count = int(most * candidates.size / sizes[candidates].sum())
    count = min(max(count, 1), candidates.size)
    places = candidates[np.linspace(0, candidates.size - 1, count).astype(np.int64)]
    return places[np.cumsum(sizes[places]) <= most]


def _divided(ids: list[str], bounds: np.ndarray) -> list[list[str]]:
    """The ids of each topic."""
    return [ids[start:end] for start, end in pairwise(bounds.tolist())]


def _differences(ids: Iterable[str]) -> list[str]:
    """The differences of ids that are equal after all changes."""
    first_ids: dict[str, str] = {}
    differences: list[str] = []
    for id_ in dict.fromkeys(ids):
        first = first_ids.setdefault(plain(id_), id_)
        if first != id_:
            differences.append(difference(first, id_))
    return differences
