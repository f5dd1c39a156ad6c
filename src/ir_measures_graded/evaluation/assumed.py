"""Unjudged documents that count as if they were judged at one level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from ir_measures import Measure

from ..arguments import explains_wrong_calls, number, whole_number
from ..core.by_topic import positions
from ..core.ranking.ranks import JudgedRanks
from ..core.rows.roles import QRELS
from ..core.rows.sources import in_memory
from ..errors import GradedError, Remark
from ..output.formats import counted, listed
from ..progress import steps
from .evaluation import TELL_UNJUDGED
from .named import AssumedLevel, Judgments, Qrels, Runs, named_runs, read_judgments
from .remarks import DEPTH, issue

ASSUMED = "assumed level"
"""The kind of the remark on documents whose level is assumed."""
TOLD = (*TELL_UNJUDGED, "ids")
"""The kinds of remarks on a run that an assumed level would leave out."""


@explains_wrong_calls("assumed_qrels(qrels, runs, 1)")
def assumed_qrels(qrels: Qrels, runs: Runs, level: float, depth: int | None = None) -> Judgments:
    """The qrels, as if they judged the unjudged documents of the runs at a level, for all analyses.

    These are the documents among the first `depth` of any of the runs, by default all. They join
    the recall base and the ideal list of every run, as judged ones do. Topics without judgments
    stay out. A value depends on which other runs are given; give all that are compared.

    >>> runs = {"good": {"q": {"a": 3.0, "x": 2.0, "y": 1.0}}, "poor": {"q": {"b": 1.0}}}
    >>> assumed_qrels({"q": {"a": 2, "b": 1}}, runs, 1, depth=2).rows.dicts()
    {'q': {'a': 2.0, 'b': 1.0, 'x': 1.0}}

    Raises `GradedError` for a level that is neither 0 nor one of the qrels, and for documents with
    several levels, as for intents.
    """
    level = number("level", level)
    if depth is not None:
        depth = whole_number("depth", depth, 1)
    judgments = read_judgments(qrels)
    _refuse_unknown(level, judgments)
    judged = judgments.judged.rows
    documents = {topic: dict(of_topic) for topic, of_topic in judged.dicts().items()}
    assumed: dict[tuple[str, str], None] = {}
    for run in steps(named_runs(runs), "runs"):
        read = run.kept(judgments, min(depth or DEPTH, DEPTH)).read()
        # An assumed level must not hide ids that differ. The evaluation tells the other remarks.
        issue(remark for remark in read.remarks if remark.kind in TOLD)
        for topic, document in unjudged_within(read.ranks, depth):
            if document not in documents[topic]:
                documents[topic][document] = float(level)
                assumed[topic, document] = None
    of_level = AssumedLevel(level, frozenset(assumed))
    topics = {topic for topic, _ in assumed}
    text = _in_words(len(assumed), len(topics), level, depth)
    remark = Remark(ASSUMED, judgments.name or "qrels", text)
    issue([remark])
    if not assumed:
        return replace(judgments, assumed=of_level)
    rows = in_memory(documents, QRELS).rows()
    facts = judgments.rows.facts
    with_remark = facts._replace(lines=(*facts.lines, remark), only_relevant=False)
    return replace(judgments, rows=replace(rows, facts=with_remark), assumed=of_level)


def _refuse_unknown(level: float, judgments: Judgments) -> None:
    """Raise `GradedError` for a level that is neither 0 nor one of the qrels."""
    levels = judgments.levels
    if level != 0 and level not in levels:
        names = listed([f"{known:g}" for known in levels])
        raise GradedError(
            f"unjudged documents cannot have level {level:g}: the levels of the qrels are {names}"
        )


def _in_words(count: int, topics: int, level: float, depth: int | None) -> str:
    """How many documents have the level that is assumed."""
    among = "of the runs" if depth is None else f"within rank {depth:,} of the runs"
    if not count:
        return f"every document {among} is judged, so no level is assumed"
    documents = counted(count, "unjudged document")
    verb = "counts" if count == 1 else "count"
    of_topics = counted(topics, "topic")
    return f"{documents} {among} {verb} as level {level:g}, in {of_topics}"


def unjudged_within(ranks: JudgedRanks, depth: int | None) -> Iterator[tuple[str, str]]:
    """The topics and ids of the unjudged documents that a run retrieves within the depth."""
    is_wanted = np.ones(ranks.scores.size, dtype=bool)
    if depth is not None:
        is_wanted = positions(ranks.retrieved) < depth
    is_wanted[ranks.position] = False
    ids_of_topics = np.array(ranks.judged.topics, dtype=object)
    topics = np.repeat(ids_of_topics, ranks.retrieved)[is_wanted]
    documents = ranks.documents(np.flatnonzero(is_wanted))
    yield from zip(topics.tolist(), documents, strict=True)


def refuse_own_treatment(measures: Iterable[Measure]) -> None:
    """Raise `GradedError` for a measure that treats unjudged documents in its own way, of which an
    assumed level leaves none."""
    for measure in measures:
        own = measure.NAME == "Judged" or measure.params.get("judged_only")
        if own or measure.params.get("residual") or "unjudged" in measure.params:
            raise GradedError(
                f"{measure} treats unjudged documents in its own way, and with an assumed level "
                "there are none; leave out the measure or the level"
            )
