"""Several judges become one: qrels with one level for each document, by a rule.

`holes` and `add_answers` have a rule of their own, by which the first source decides.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median_high, median_low
from typing import Any, Final

import numpy as np

from ...core.ranking.gains import plain_number
from ...errors import GradedError, Remark, did_you_mean, shown
from ...evaluation.checked import checks_arguments
from ...evaluation.named import Qrels
from ...evaluation.order_of_runs import best_first
from ...evaluation.remarks import issue
from ...output.figures import Figure, Forest, picture
from ...output.formats import Percent, counted
from ...output.result import Result
from ...output.tables import Column, Note, Table
from .panel import LevelsByTopic, answers_in, judgments_of, named_judges, rescaled

LEAST = 2
"""The least number of judges."""


def majority(levels: Sequence[float]) -> float:
    """The most frequent level, and the lowest one if several are as frequent.

    >>> majority([2, 1, 2]), majority([3, 0, 1])
    (2, 0)
    """
    counts = Counter(levels)
    most = max(counts.values())
    return min(level for level, count in counts.items() if count == most)


def mean(levels: Sequence[float]) -> float:
    """The mean level, which may be no whole number.

    >>> mean([2, 1]), mean([3, 1])
    (1.5, 2)
    """
    return plain_number(fmean(levels))


RULES: Final[dict[str, Callable[[Sequence[float]], float]]] = {
    "majority": majority,
    "mean": mean,
    "median": median_low,
    "lowest": min,
    "highest": max,
}
"""The level of a document by the levels that its judges gave."""


@dataclass(frozen=True, eq=False, repr=False)
class MergedJudges(Result):
    """Qrels with one level for each document, from those of several judges.

    `qrels` is a dict of dicts, which `evaluate` and ir-measures accept. For each of the `judges`,
    `judged` counts its judgments, `alone` those of documents that it alone judged, which are kept,
    and `agreed` those that are the merged level. `split` counts the documents that judges gave
    different levels, `tied` those in which several levels were as frequent, of which a majority
    takes the lowest, and `halved` those of an even number of judges whose two middle levels differ,
    of which a median takes the lower.
    """

    rule: str
    judges: tuple[str, ...]
    qrels: LevelsByTopic
    judged: tuple[int, ...]
    alone: tuple[int, ...]
    agreed: tuple[int, ...]
    split: int
    tied: int
    remarks: tuple[Remark, ...] = ()
    halved: int = 0

    @property
    def documents(self) -> int:
        """The number of documents with a level."""
        return sum(map(len, self.qrels.values()))

    def answer(self) -> list[Note]:
        """How many documents have a level, and how many of them by one judge alone."""
        topics = counted(len(self.qrels), "topic")
        documents = counted(self.documents, "document")
        have = "has" if self.documents == 1 else "have"
        level = {"majority": "the majority's level", "mean": "the mean level"}
        what = level.get(self.rule, f"the {self.rule} level")
        judges = counted(len(self.judges), "judge")
        merged = Note("{} of {} {} {} of {}.", documents, topics, have, what, judges)
        return [merged, self._on_differences()]

    def _on_differences(self) -> Note:
        alone = counted(sum(self.alone), "document")
        split = counted(self.split, "document")
        is_kept = "is kept" if sum(self.alone) == 1 else "are kept"
        text = f"{{}} of one judge alone {is_kept}; judges differ on {{}}"
        if self.rule == "majority" and self.tied:
            text += "; {} without a majority got the lowest of the most frequent levels."
            return Note(text, alone, split, self.tied)
        if self.rule == "median" and self.halved:
            text += "; {} with two middle levels got the lower one."
            return Note(text, alone, split, self.halved)
        return Note(text + ".", alone, split)

    def tables(self) -> list[Table]:
        """One row per judge."""
        columns: list[Column | str] = ["judge", "judgments"]
        columns.append(Column("alone", heading="by this judge alone"))
        columns.append(Column("agreed", heading="as merged"))
        columns.append(Column("agreed_share", heading="share as merged", kind=Percent))
        rows = []
        counts = zip(self.judges, self.judged, self.alone, self.agreed, strict=True)
        for judge, judged, alone, agreed in counts:
            share = agreed / judged if judged else None
            rows.append([judge, judged, alone, agreed, share])
        return [Table(columns, rows)]

    def figure(self, *, title: str = "") -> Figure:
        """Draw the share of each judge's levels that are the merged ones.

        Needs the extra ``plot``.
        """
        judged = np.maximum(np.array(self.judged, dtype=float), 1)
        shares = np.array(self.agreed) / judged
        order = best_first(shares, self.judges)
        names = [self.judges[judge] for judge in order]
        numbers = [f"{self.judged[judge]:,}" for judge in order]
        dots = Forest(
            names,
            shares[order],
            label="share of its levels that are the merged ones",
            texts=numbers,
            texts_heading="judgments",
        )
        return picture([dots], title or self.summary)


@checks_arguments("merge_judges({'Ann': qrels, 'Ben': qrels}, 'majority')")
def merge_judges(
    judges: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]],
    rule: str = "majority",
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
) -> MergedJudges:
    """Merge the judgments of several judges into qrels with one level for each document.

    `judges` are qrels by name in any form that `evaluate` takes, or paths of files. A `rule` gives
    a document its level from those of its judges:

    - 'majority': the most frequent level, and the lowest one if several are as frequent
    - 'mean': their mean, which may be no whole number
    - 'median': the middle level, and the lower one of the two middle levels of an even number
    - 'lowest', 'highest': the least or the greatest one

    Rows without a level are no judgments, and a document that one judge alone judged keeps that
    level. `machine_levels` maps the levels of all judges but the first to those of the first, as in
    `judges`.

    >>> merged = merge_judges({"Ann": {"q": {"a": 2, "b": 0}}, "Ben": {"q": {"a": 1, "c": 1}}})
    >>> merged.qrels
    {'q': {'a': 1, 'b': 0, 'c': 1}}
    >>> print(merged.summary)
    3 documents of 1 topic have the majority's level of 2 judges.

    Raises `GradedError` for another rule, for fewer than two judges, for qrels that cannot be read,
    and for a judge with two levels for a document.
    """
    if rule not in RULES:
        hint = did_you_mean(rule, RULES)
        raise GradedError(f"rule={shown(rule)} is not one of {', '.join(RULES)}{hint}")
    named = named_judges(judges)
    if len(named) < LEAST:
        raise GradedError("merging needs at least 2 judges; give more by name, or paths of qrels")
    by_judge: dict[str, LevelsByTopic] = {}
    for name, source in named.items():
        levels = answers_in(source, name).levels
        if machine_levels is not None and by_judge:
            levels = rescaled(levels, machine_levels, name)
        by_judge[name] = levels
    levels_by_document = _levels_by_document(by_judge)
    merged = _merged(levels_by_document, by_judge, RULES[rule])
    counts = _Counts.of(levels_by_document, merged)
    remarks = _remarks_on_scales(by_judge)
    issue(remarks)
    return MergedJudges(
        rule=rule,
        judges=tuple(by_judge),
        qrels=merged,
        judged=_in_order(counts.judged, by_judge),
        alone=_in_order(counts.alone, by_judge),
        agreed=_in_order(counts.agreed, by_judge),
        split=counts.split,
        tied=counts.tied,
        remarks=remarks,
        halved=counts.halved,
    )


def _in_order(count_of: Counter[str], judges: Iterable[str]) -> tuple[int, ...]:
    """The counts of the judges in this order; 0 for a judge without any."""
    return tuple(count_of[judge] for judge in judges)


LevelsByDocument = dict[tuple[str, str], dict[str, float]]
"""The level by each judge of each topic and document."""


def _levels_by_document(by_judge: Mapping[str, LevelsByTopic]) -> LevelsByDocument:
    """The levels of all judges, in the order of the judges."""
    levels_by_document: LevelsByDocument = {}
    for name, levels in by_judge.items():
        for topic, document, level in judgments_of(levels):
            levels_by_document.setdefault((topic, document), {})[name] = level
    return levels_by_document


def _merged(
    levels_by_document: LevelsByDocument,
    by_judge: Mapping[str, LevelsByTopic],
    level_of: Callable[[Sequence[float]], float],
) -> LevelsByTopic:
    """The qrels with the level of each document by a rule, with the topics of all judges."""
    merged: LevelsByTopic = {topic: {} for levels in by_judge.values() for topic in levels}
    for (topic, document), by_name in levels_by_document.items():
        merged[topic][document] = level_of(list(by_name.values()))
    return merged


@dataclass
class _Counts:
    """How many documents each judge judged, judged alone, and gave the merged level; how many
    judges gave different levels, how many have no majority, and how many two middle levels."""

    judged: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    split: int = 0
    tied: int = 0
    halved: int = 0

    @classmethod
    def of(cls, levels_by_document: LevelsByDocument, merged: LevelsByTopic) -> _Counts:
        """The counts of all documents."""
        counts = cls()
        for (topic, document), by_name in levels_by_document.items():
            counts.add(by_name, merged[topic][document])
        return counts

    def add(self, by_name: Mapping[str, float], merged: float) -> None:
        """Count a document with its levels by name and its merged level."""
        self.judged.update(by_name.keys())
        self.agreed.update(name for name, level in by_name.items() if level == merged)
        if len(by_name) == 1:
            self.alone.update(by_name.keys())
        levels = list(by_name.values())
        if len(set(levels)) > 1:
            self.split += 1
        if _has_no_majority(levels):
            self.tied += 1
        if median_low(levels) < median_high(levels):
            self.halved += 1


def _has_no_majority(levels: Sequence[float]) -> bool:
    """Whether two levels are as frequent as any."""
    counts = Counter(levels).most_common(2)
    return len(counts) == 2 and counts[0][1] == counts[1][1]


def _remarks_on_scales(by_judge: Mapping[str, LevelsByTopic]) -> tuple[Remark, ...]:
    """A remark on each judge whose highest level is twice that of another or more, which may be
    one of another scale.
    """
    highest: dict[str, float] = {}
    for name, levels in by_judge.items():
        highest[name] = max((level for *_, level in judgments_of(levels)), default=0)
    least = min((level for level in highest.values() if level > 0), default=0)
    remarks = []
    for name, level in highest.items():
        if least > 0 and level >= 2 * least and level > 1:
            other = next(judge for judge, level_of in highest.items() if level_of == least)
            text = (
                f"the highest level is {level:g}, and that of {other} {least:g}; if the scales "
                "differ, map one to the other with machine_levels (--machine_levels)"
            )
            remarks.append(Remark("scales", name, text))
    return tuple(remarks)
