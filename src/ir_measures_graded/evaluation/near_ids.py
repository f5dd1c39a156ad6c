"""Documents of a run that match no judgment, and the rule that makes their ids those of the qrels.

Another case, an ending such as `.txt`, a prefix or the number of a passage on one side only makes
documents unjudged, and so do two of these at once. A sample of topics shows it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ..core.by_topic import bounds_of
from ..core.ranking.judged import Judged, computed_once
from ..core.ranking.ranks import JudgedRanks
from ..errors import GradedError, quoted, shown
from ..output.formats import Percent, counted
from .alike_ids import ids_of_qrels, rows_at

SAMPLED_TOPICS = 50
"""The topics of a run that are sampled."""
SAMPLED_JUDGMENTS = 20_000
"""No further topic is sampled if those sampled have so many judged documents."""
MOST_JUDGED = 50_000
"""The judged documents of a topic that are compared."""
LEAST_MATCHES = 2
"""A single document can match by chance."""
SEPARATORS = ("#", "%p", "_", "-")
"""What separates the id of a document from the number of its passage."""
LONGEST_PATTERN = 60
"""The characters of a pattern that is named."""
TRIED_TOPICS = 10
"""The topics of the sample on which rules are tried: those where most documents can match."""
KEPT_PARTS = 4
"""The parts of ids that are kept for further runs, for each id. Ids of many lengths have more."""
COMPARED = 20  # ids that begin like another one and are compared with it


class SomeIds:
    """Ids of a topic, which are looked up by their start or their end."""

    def __init__(self, ids: Iterable[str]):
        self._listed = list(ids)
        self._parts: dict[tuple[int, bool], set[str]] = {}

    @cached_property
    def ids(self) -> list[str]:
        """The ids, in their order."""
        return self._listed

    @cached_property
    def place(self) -> dict[str, int]:
        """The last place of each id."""
        return {id_: place for place, id_ in enumerate(self.ids)}

    @cached_property
    def members(self) -> set[str]:
        """The ids as a set, which is made faster than `place`."""
        return set(self.ids)

    @cached_property
    def lengths(self) -> set[int]:
        """The lengths of the ids, perhaps among others."""
        return set(map(len, self.ids))

    @cached_property
    def are_lower(self) -> bool:
        """Whether all ids are in lower case."""
        return _is_lower(self.ids)

    def lack_all(self, parts: set[str]) -> bool:
        """Whether none of these texts is an id."""
        return parts.isdisjoint(self.members)

    def extensions(self, longer: SomeIds, at_end: bool) -> Iterator[tuple[str, list[str]]]:
        """Each id with the longer ones that begin or end with it, if there are any."""
        extensions: dict[str, list[str]] = {}
        for length in self.lengths:
            if self.lack_all(longer.parts(length, at_end)):
                continue
            for id_ in longer.ids:
                part = id_[-length:] if at_end else id_[:length]
                if len(part) == length and part in self.members:
                    extensions.setdefault(part, []).append(id_)
        if extensions:
            for short in self.ids:
                if short in extensions:
                    yield short, extensions[short]

    def parts(self, length: int, at_end: bool) -> set[str]:
        """The first characters of each id, or the last ones; of a shorter id, all characters.
        Perhaps those of other ids are among them.
        """
        key = (length, at_end)
        if key not in self._parts:
            part = slice(-length, None) if at_end else slice(length)
            self._parts[key] = set(map(itemgetter(part), self.ids))
        return self._parts[key]

    def keeps(self, length: int, at_end: bool) -> bool:
        """Whether parts of this length are kept, or may be kept too, for further runs."""
        kept = sum(map(len, self._parts.values()))
        return (length, at_end) in self._parts or kept < KEPT_PARTS * len(self.ids)


class OtherIds(SomeIds):
    """The ids of a topic that are not among some of them.

    Further runs have other ones of the same topic. What all of its ids keep is therefore asked
    first, and mostly shows that these ids need not be collected.
    """

    def __init__(self, every: SomeIds, some: Sequence[str]):
        super().__init__(())
        self.every = every
        self.some = some

    @cached_property
    def ids(self) -> list[str]:
        return _without(self.every.ids, set(self.some))

    @cached_property
    def lengths(self) -> set[int]:
        return self.every.lengths

    @cached_property
    def are_lower(self) -> bool:
        return self.every.are_lower or _is_lower(self.ids)

    def lack_all(self, parts: set[str]) -> bool:
        return self.every.lack_all(parts) or super().lack_all(parts)

    def parts(self, length: int, at_end: bool) -> set[str]:
        if self.every.keeps(length, at_end):
            return self.every.parts(length, at_end)
        return super().parts(length, at_end)


class SampledTopic:
    """The first documents of a topic, and its judgments, each document once.

    `possible` is the number of unjudged documents that can match a judgment at most.
    """

    def __init__(self, first_documents: list[str], judgments: SomeIds):
        self.first_documents = first_documents
        self.judgments = judgments
        self.unjudged = _without(first_documents, judgments.members)
        matching = len(first_documents) - len(self.unjudged)
        self.possible = min(len(self.unjudged), len(judgments.ids) - matching)

    @cached_property
    def judged_ids(self) -> SomeIds:
        """The judged documents that are not among the first ones."""
        return OtherIds(self.judgments, self.first_documents)

    @property
    def judged(self) -> list[str]:
        """The same as a list. Few topics need it."""
        return self.judged_ids.ids

    @cached_property
    def lower_judged_ids(self) -> SomeIds:
        """The judged ids in lower case."""
        return SomeIds(map(str.lower, self.judged))


class IdRule(NamedTuple):
    """A change of ids, which `of_run` makes in the run.

    If the rule `ignores_case`, ids of the qrels are put in lower case too. `words` follow "would
    match". If it is `one_to_one`, a judged document counts once: a rule that makes SKU-000 of all
    ids from SKU-001 on is none. `pattern` is the one of --passages_pattern that makes the change;
    empty if none does.
    """

    words: str
    of_run: Callable[[str], str]
    ignores_case: bool = False
    one_to_one: bool = False
    pattern: str = ""

    @property
    def advice(self) -> str:
        """The option that makes the change, behind `words`; empty if they name it or none does."""
        if (
            not self.pattern
            or len(self.pattern) > LONGEST_PATTERN
            or not self.pattern.isprintable()
        ):
            return ""
        return f" (--passages_pattern {quoted(self.pattern)})"

    def judged_ids(self, topic: SampledTopic) -> SomeIds:
        """The ids of the qrels as the rule compares them. A topic keeps them for all rules."""
        return topic.lower_judged_ids if self.ignores_case else topic.judged_ids

    def changes_any(self, topics: Iterable[SampledTopic]) -> bool:
        """Whether the rule changes an id of the run for these topics."""
        for topic in topics:
            if any(self.of_run(id_) != id_ for id_ in topic.unjudged):
                return True
        return False

    def pairs(self, topic: SampledTopic) -> Iterator[tuple[str, str]]:
        """The unjudged documents that match a judged one by the rule, and the latter."""
        judged_ids = self.judged_ids(topic)
        matched: set[str] = set()
        for id_ in topic.unjudged:
            changed = self.of_run(id_)
            is_counted = self.one_to_one and changed in matched
            if changed in judged_ids.members and not is_counted:
                matched.add(changed)
                yield id_, topic.judged[judged_ids.place[changed]]


class UnmatchedDocuments:
    """A sample of the unjudged documents down to the rank `depth`.

    It is taken from blocks in which few documents match.
    """

    def __init__(self, depth: int):
        self.depth = depth
        self.topics: list[SampledTopic] = []
        self.judgments = 0
        self.judged: Judged | None = None

    def add(self, ranks: JudgedRanks) -> None:
        """Add topics of a block, evenly spaced, until the sample is complete."""
        missing = SAMPLED_TOPICS - len(self.topics)
        if missing <= 0 or ranks.block is None or ranks.judged.documents is None:
            return
        self.judged = ranks.judged.whole
        numbers = np.flatnonzero((ranks.retrieved > 0) & (ranks.judged.sizes > 0))
        if numbers.size > missing:
            numbers = numbers[np.linspace(0, numbers.size - 1, missing).astype(np.int64)]
        sizes = ranks.judged.sizes[numbers]
        before = self.judgments + np.cumsum(sizes) - sizes
        numbers = numbers[before < SAMPLED_JUDGMENTS]
        # A document that no judgment equals need not be an id, and may then be any object.
        with suppress(GradedError):
            self._add_topics(ranks, numbers)

    def _add_topics(self, ranks: JudgedRanks, numbers: np.ndarray) -> None:
        retrieved = np.minimum(ranks.retrieved[numbers], self.depth)
        starts = bounds_of(ranks.retrieved)[numbers]
        listed = list(ranks.listed.docs.take(rows_at(ranks, starts, retrieved)).ids())
        bounds = bounds_of(retrieved).tolist()
        whole = ranks.judged.whole
        for place, number in enumerate(numbers.tolist()):
            first_documents = listed[bounds[place] : bounds[place + 1]]
            topic = ranks.judged.topics[number]
            judgments = _judged_ids(whole, whole.code[topic])
            self.judgments += len(judgments.ids)
            self.topics.append(SampledTopic(first_documents, judgments))

    def rule(self) -> str:
        """The sentence on the rule by which most documents match, at least half of those that can.

        Empty if there is none.
        """
        possible = sum(topic.possible for topic in self.topics)
        least = max(LEAST_MATCHES, possible / 2)
        tried = self._tried()
        changes_case = _has_other_case(tried)
        separating = _separating_rules(tried)
        words, best = self._best_of(_rules(tried, changes_case, separating), tried)
        if len(best) < least:
            rules = _rules_of_two_changes(tried, changes_case, separating)
            words, best = self._best_of(rules, tried)
        if len(best) >= least and self.judged is not None:
            # An id that the qrels have for another topic is a document of its own.
            ids = ids_of_qrels(self.judged)
            best = [pair for pair in best if pair[0] not in ids]
        if len(best) < least:
            return ""
        share = Percent(len(best) / self.unjudged)
        of_run, of_qrels = best[0]
        topics = counted(len(self.topics), "topic")
        example = f"as {shown(of_run)} and {shown(of_qrels)} of the qrels"
        return (
            f"{share} of the unjudged documents in the top {self.depth:,} of {topics} would match "
            f"{words}, {example}"
        )

    @property
    def unjudged(self) -> int:
        """The number of unjudged documents in the sample."""
        return sum(len(topic.unjudged) for topic in self.topics)

    def examples(self) -> str:
        """An unjudged document and a judged one of its topic, as the end of a sentence.

        Empty if there is no such topic.
        """
        for topic in self.topics:
            if topic.unjudged and topic.judged:
                of_run = topic.unjudged[0]
                of_qrels = min(topic.judged)
                return f", such as {shown(of_run)} of the run and {shown(of_qrels)} of the qrels"
        return ""

    def _best_of(
        self, rules: Iterable[IdRule], tried: Sequence[SampledTopic]
    ) -> tuple[str, list[tuple[str, str]]]:
        """The words of the first rule by which most documents of the tried topics match, and its
        pairs in the whole sample.
        """
        best: IdRule | None = None
        most = 0
        for rule in rules:
            matches = sum(len(list(rule.pairs(topic))) for topic in tried)
            if matches > most:
                best = rule
                most = matches
        if best is None:
            return "", []
        return best.words + best.advice, [
            pair for topic in self.topics for pair in best.pairs(topic)
        ]

    def _tried(self) -> list[SampledTopic]:
        """The topics on which rules are tried."""
        most_first = sorted(self.topics, key=lambda topic: topic.possible, reverse=True)
        return most_first[:TRIED_TOPICS]


UNCHANGED = IdRule("", str)
SAME_CASE = IdRule("in the same case", str.lower, ignores_case=True)


def _has_other_case(topics: Iterable[SampledTopic]) -> bool:
    """Whether an id of these topics is not in lower case."""
    return not all(_is_lower(topic.unjudged) and topic.judged_ids.are_lower for topic in topics)


def _is_lower(ids: Iterable[str]) -> bool:
    text = "\n".join(ids)
    return text.lower() == text


def _separating_rules(topics: Sequence[SampledTopic]) -> list[IdRule]:
    """The rules for separators that change an id of the run for these topics."""
    text = "\n".join(id_ for topic in topics for id_ in topic.unjudged)
    rules = [_up_to(separator) for separator in SEPARATORS if separator in text]
    return [rule for rule in rules if rule.changes_any(topics)]


def _rules(
    topics: Sequence[SampledTopic], changes_case: bool, separating: Sequence[IdRule]
) -> Iterator[IdRule]:
    """All rules of one change, each made when it is tried."""
    if changes_case:
        yield SAME_CASE
    yield from _affix_rules(topics, UNCHANGED)
    yield from separating


def _rules_of_two_changes(
    topics: Sequence[SampledTopic], changes_case: bool, separating: Sequence[IdRule]
) -> Iterator[IdRule]:
    """All rules of two changes, each made when it is tried.

    A change that leaves all ids as they are would repeat the rules of one change.
    """
    first_rules = list(separating)
    if changes_case:
        first_rules.insert(0, SAME_CASE)
        for rule in separating:
            yield _both(rule, SAME_CASE)
    for first in first_rules:
        for second in _affix_rules(topics, first):
            yield _both(first, second)._replace(one_to_one=first is not SAME_CASE)
    run = [SomeIds(topic.unjudged) for topic in topics]
    qrels = [topic.judged_ids for topic in topics]
    prefix, ending = _most_frequent_frame(qrels, run)
    if prefix:
        without_both = _both(_without_prefix(prefix), _without_ending(ending))
        yield without_both._replace(pattern=_pattern_without(prefix, ending))
    prefix, ending = _most_frequent_frame(run, qrels)
    if prefix:
        yield _both(_with_prefix(prefix), _with_ending(ending))


def _affix_rules(topics: Iterable[SampledTopic], first: IdRule) -> Iterator[IdRule]:
    """The rules of endings and prefixes that are the most frequent ones after the `first` change.

    Each is made when it is tried.
    """
    run = []
    qrels = []
    for topic in topics:
        run.append(SomeIds(map(first.of_run, topic.unjudged)))
        qrels.append(first.judged_ids(topic))
    for rule_of, affix_of, shorter, longer in (
        (_without_ending, _most_frequent_ending, qrels, run),
        (_without_prefix, _most_frequent_prefix, qrels, run),
        (_with_ending, _most_frequent_ending, run, qrels),
        (_with_prefix, _most_frequent_prefix, run, qrels),
    ):
        affix = affix_of(shorter, longer)
        if affix:
            yield rule_of(affix)


def _without_ending(ending: str) -> IdRule:
    return IdRule(
        f"without {shown(ending)}",
        lambda id_: id_.removesuffix(ending),
        pattern=_pattern_without("", ending),
    )


def _without_prefix(prefix: str) -> IdRule:
    return IdRule(
        f"without {shown(prefix)}",
        lambda id_: id_.removeprefix(prefix),
        pattern=_pattern_without(prefix, ""),
    )


def _pattern_without(prefix: str, ending: str) -> str:
    """The regular expression whose group is an id without what it may have around it.

    >>> _pattern_without("/data/", ".txt"), _pattern_without("a:b::", "")
    ('(?:/data/)?(.+?)(?:\\\\.txt)?', '(?:a:b::)?(.+)')
    """
    before = f"(?:{re.escape(prefix)})?" if prefix else ""
    if not ending:
        return f"{before}(.+)"
    return f"{before}(.+?)(?:{re.escape(ending)})?"


def _with_ending(ending: str) -> IdRule:
    return IdRule(f"with {shown(ending)} at the end", lambda id_: id_ + ending)


def _with_prefix(prefix: str) -> IdRule:
    return IdRule(f"with {shown(prefix)} before it", lambda id_: prefix + id_)


def _both(first: IdRule, second: IdRule) -> IdRule:
    """The rule that makes two changes, the first one first."""

    def of_run(id_: str) -> str:
        return second.of_run(first.of_run(id_))

    ignores_case = first.ignores_case or second.ignores_case
    return IdRule(f"{first.words} and {second.words}", of_run, ignores_case)


def _up_to(separator: str) -> IdRule:
    """The rule that takes the text before the last separator of an id of the run.

    An id without such a text stays as it is.
    """

    def before_last(id_: str) -> str:
        text = id_.rpartition(separator)[0]
        return text or id_

    words = f"with the text before {shown(separator)} (--passages {shown(separator)})"
    return IdRule(words, before_last)


def _without(ids: Iterable[str], others: set[str]) -> list[str]:
    """The ids that are not among the others."""
    return [id_ for id_ in ids if id_ not in others]


@computed_once
def _judged_ids(judged: Judged, topic: int) -> SomeIds:
    """The first judged documents of this topic of whole qrels, which keep them for further runs.

    The qrels of a block belong to one run alone.
    """
    documents = judged.rows.part(np.array([topic])).docs
    return SomeIds(documents.take(slice(MOST_JUDGED)).ids())


def _most_frequent_ending(shorter: Sequence[SomeIds], longer: Sequence[SomeIds]) -> str:
    """What most often makes an id of a topic in `longer` from one of the topic in `shorter`.

    >>> shorter = [SomeIds(["d1", "d2", "d3"])]
    >>> _most_frequent_ending(shorter, [SomeIds(["d1.txt", "d2.txt", "d30"])])
    '.txt'
    """
    count: Counter[str] = Counter()
    for short_ids, long_ids in zip(shorter, longer, strict=True):
        for short, matches in short_ids.extensions(long_ids, at_end=False):
            count.update(id_[len(short) :] for id_ in sorted(matches)[:COMPARED])
    return max(count, key=count.__getitem__, default="")


def _most_frequent_prefix(shorter: Sequence[SomeIds], longer: Sequence[SomeIds]) -> str:
    """The same before the shorter id.

    >>> _most_frequent_prefix([SomeIds(["d1", "d2"])], [SomeIds(["x/d1", "x/d2"])])
    'x/'
    """
    count: Counter[str] = Counter()
    for short_ids, long_ids in zip(shorter, longer, strict=True):
        for short, matches in short_ids.extensions(long_ids, at_end=True):
            in_order = sorted(matches, key=lambda id_: id_[::-1])
            count.update(id_.removesuffix(short) for id_ in in_order[:COMPARED])
    return max(count, key=count.__getitem__, default="")


def _most_frequent_frame(shorter: Sequence[SomeIds], longer: Sequence[SomeIds]) -> tuple[str, str]:
    """The prefix and the ending that most often make an id of a topic in `longer` from one of the
    topic in `shorter`; both are not empty.

    >>> longer = [SomeIds(["doc/d1.txt", "doc/d2.txt", "d1.txt"])]
    >>> _most_frequent_frame([SomeIds(["d1", "d2"])], longer)
    ('doc/', '.txt')
    """
    count: Counter[tuple[str, str]] = Counter()
    for short_ids, long_ids in zip(shorter, longer, strict=True):
        shortest = min(short_ids.lengths, default=0)
        longest = max(long_ids.lengths, default=0)
        if shortest + 2 > longest:  # no id has another one inside
            continue
        for id_ in long_ids.ids[:COMPARED]:
            for short in _inside(id_, short_ids):
                prefix, _, ending = id_.partition(short)
                if prefix and ending:
                    count[prefix, ending] += 1
    return max(count, key=count.__getitem__, default=("", ""))


def _inside(id_: str, short_ids: SomeIds) -> list[str]:
    """The short ids that may stand inside an id, in their order."""
    lengths = [length for length in short_ids.lengths if length <= len(id_) - 2]
    if len(lengths) * len(id_) >= len(short_ids.ids):
        return short_ids.ids
    inside: set[str] = set()
    for length in lengths:
        parts = {id_[start : start + length] for start in range(1, len(id_) - length)}
        inside |= parts & short_ids.members
    return [short for short in short_ids.ids if short in inside] if inside else []
