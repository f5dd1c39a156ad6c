"""The sections that a report has on request: groups of topics, and other judges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...errors import GradedError
from ...evaluation.attributes import By
from ...evaluation.evaluation import Evaluation
from ...evaluation.named import Qrels, Study
from ...output.tables import Table
from ..comparing.compare import compare
from ..comparing.sentences import notes_on_groups
from ..judging.agreement import MORE
from ..judging.judges import judges

Machines = Mapping[str, Qrels] | Iterable[str | os.PathLike[str]]
"""Qrels of other judges by name, or their paths."""


class Section(NamedTuple):
    """A section with sentences, tables and notes; `name` is its anchor on the page."""

    name: str
    title: str
    sentences: Sequence[str]
    tables: Sequence[Table]
    notes: Sequence[str]


def groups(
    evaluation: Evaluation,
    baseline: str | None,
    alpha: float,
    by: By,
    comparisons: int | None = None,
) -> list[Section]:
    """The differences in each group of topics; none if the topics are not grouped.

    Raises `GradedError` if groups are wanted but nothing can be tested.
    """
    if by is None:
        return []
    if len(evaluation.runs) < 2:
        raise GradedError("groups of topics need at least 2 runs to compare")
    comparison = compare(evaluation, baseline=baseline, alpha=alpha, by=by, comparisons=comparisons)
    sizes = [f"{name} ({group.topics})" for name, group in comparison.groups.items()]
    sentence = f"Differences in groups of {evaluation.unit}s: {', '.join(sizes)}."
    # The first table is that of all topics, which the verdict has.
    _, *tables = comparison.tables()
    return [Section("groups", "Groups", [sentence], tables, notes_on_groups(comparison))]


def other_judges(
    study: Study, evaluation: Evaluation, machines: Machines, alpha: float
) -> list[Section]:
    """The agreement of other judges with the qrels; none if there are no others."""
    if not machines:
        return []
    result = judges(
        study.judgments, machines, study.runs, evaluation.measures, confidence=1 - alpha
    )
    notes = [note for note in result.notes() if note != MORE]  # a page has no options
    return [Section("judges", "Judges", result.answer(), result.tables(), notes)]
