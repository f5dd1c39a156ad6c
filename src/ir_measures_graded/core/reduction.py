"""The reduction of a run: its documents are matched with the judged ones by id and become ranks.

Formulas use the arrays of `JudgedRanks`. It also keeps the rows of the run, whose ids order tied
documents and name documents in results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from ..errors import GradedError, shown
from .by_topic import bounds_of, smallest
from .ranking.judged import NO_INTENTS, Intents, Judged, KeptParts
from .ranking.ranks import BlockPlace, JudgedRanks, Sort
from .rows.id_matching import Indices, matches
from .rows.roles import NO_ITERATION, RUN
from .rows.rows import (
    Distinct,
    Rows,
    distinct,
    judged_twice,
    refuse_mixed,
    refuse_repeated,
    without_rows,
)


def judged_of(qrels: Rows, collection: np.ndarray | None = None) -> Judged:
    """The documents of the qrels, each once per topic; `collection` is as in `Judged`."""
    documents = distinct(qrels)
    rows = documents.qrels
    return Judged(
        rows.topics,
        rows.offsets,
        rows.values,
        collection=collection,
        conflict=documents.conflict,
        read_intents=partial(_intents_of, qrels, documents, collection),
        documents=rows,
    )


def reduced(
    judged: Judged, run: Rows, numbers: Indices = slice(None), start: int = 0
) -> JudgedRanks:
    """The run, reduced to the judged documents. Topics without judgments are ignored.

    `numbers` are those of the topics in the whole qrels, and `start` is the number of topics in
    earlier blocks. Raises `GradedError` if a topic retrieves a document twice, judged or not.
    """
    code = judged.code
    documents = judged.rows
    codes = np.array([code.get(topic, -1) for topic in run.topics], dtype=np.int64)
    is_judged = codes >= 0
    if not is_judged.all():
        refuse_repeated(run.part(np.flatnonzero(~is_judged)))
    if run.line is None:
        place = np.arange(codes.size) + start
    else:
        # The lines tell the order of topics, because blocks of a file may come in another order.
        place = smallest(run.line, run.offsets)
    order = np.full(len(code), -1)
    order[codes[is_judged]] = place[is_judged]
    listed = run.of_topics(code)
    has_own_id = np.zeros(len(code), dtype=bool)

    def matched(first: int, stop: int) -> tuple[np.ndarray, Sort]:
        block = listed.block(first, stop)
        judged_block = documents.block(first, stop)
        row, doc = block.look_up(judged_block) or _equal(block, judged_block)
        document_of_row = np.full(block.values.size, -1)
        document_of_row[row] = doc + documents.offsets[first]
        own_rows = block.of_own_topic()
        own_topics = np.searchsorted(block.offsets, own_rows, side="right") - 1
        has_own_id[first + own_topics] = True

        def descending(rows: np.ndarray, group: np.ndarray) -> np.ndarray:
            return block.ids(rows).descending(group)

        return document_of_row, descending

    return JudgedRanks.of(judged, BlockPlace(listed, numbers, order, has_own_id), matched)


def blocks_of(parts: KeptParts, run: Rows | Iterable[Rows]) -> Iterator[JudgedRanks]:
    """A run in memory, reduced as one block, or a run that is read and reduced block by block.

    One more block has the topics that such a run lacks. If two blocks share a topic, the last one
    is complete.
    """
    judged = parts.judged
    if isinstance(run, Rows):
        refuse_mixed(run, judged.rows)
        yield reduced(judged, run)
        return
    code = judged.code
    start = 0
    lacking = np.ones(len(code), dtype=bool)
    for rows in run:
        refuse_mixed(rows, judged.rows)
        judged_topics = sorted(code[topic] for topic in rows.topics if topic in code)
        numbers = np.array(judged_topics, dtype=np.int64)
        yield reduced(parts.of(numbers), rows, numbers, start)
        lacking[numbers] = False
        start += len(rows.topics)
    rest = np.flatnonzero(lacking)
    yield reduced(parts.of(rest), without_rows(RUN), rest)


def _equal(listed: Rows, judged: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the run with a judged document, and the number of that document."""
    lower, higher = matches(listed.column, judged.column)
    if (higher < listed.values.size).any():
        raise listed.repeated(int(higher.min()))
    return lower, higher - listed.values.size


def _intents_of(rows: Rows, distinct: Distinct, collection: np.ndarray | None) -> Intents:
    """The judgments for intents in the `rows` of qrels, whose documents are `distinct`.

    Raises `GradedError` for qrels without intents, for two levels of a document for an intent, and
    for a missing probability or two of an intent.
    """
    if rows.intents is None:
        raise GradedError(NO_INTENTS)
    probabilities = rows.further.get("probability", np.ones(rows.values.size))
    is_allowed = (probabilities >= 0) & (probabilities < np.inf)
    refused = np.flatnonzero(~is_allowed)
    if refused.size:
        row = int(refused[0])
        rule = "each judgment needs the probability of its intent, a finite number ≥ 0"
        raise rows.error(row, f"the probability is {probabilities[row]}; {rule}")
    # The names are sorted, so the order of rows does not affect sums over intents.
    intents = np.array(list(rows.intents.ids()), dtype=object)
    names, code = np.unique(intents, return_inverse=True)
    if not names.size:
        raise GradedError(NO_INTENTS)
    # Some topics of a collection may have a single intent, but "0" stands for none.
    if names.size == 1 and (collection is None or names[0].encode() in NO_ITERATION):
        raise GradedError(NO_INTENTS)
    topic = np.repeat(np.arange(len(rows.topics)), np.diff(rows.offsets))
    topic_and_intent = topic * names.size + code
    pairs, first, pair = np.unique(topic_and_intent, return_index=True, return_inverse=True)
    probability = probabilities[first]
    differing = np.flatnonzero(probabilities != probability[pair])
    if differing.size:
        row = int(differing[0])
        first_probability = probability[pair[row]]
        others = f"{first_probability:g} and {probabilities[row]:g}"
        intent = shown(names[code[row]])
        raise rows.error(
            row, f"intent {intent} has the probabilities {others}; give each intent one"
        )
    documents = distinct.qrels.offsets
    doc = distinct.doc
    if doc is None:
        doc = np.arange(rows.values.size)
    judgment = pair * documents[-1] + doc
    _, first, again = np.unique(judgment, return_index=True, return_inverse=True)
    level = rows.values[first]
    differing = np.flatnonzero(rows.values != level[again])
    if differing.size:
        row = int(differing[0])
        intent = shown(names[code[row]])
        raise judged_twice(rows, int(first[again[row]]), row, f" for intent {intent}")
    topic_of_pair = pairs // names.size
    topic_names = [rows.topics[number] for number in topic_of_pair.tolist()]
    sizes = np.bincount(pair[first], minlength=pairs.size)
    judged = Judged(topic_names, bounds_of(sizes), level, collection=collection)
    document_in_topic = doc[first] - documents[topic[first]]
    return Intents(topic_of_pair, probability, judged, document_in_topic)
