"""The judgments of qrels for the intents of their topics, which are read only if a measure asks for them."""

from __future__ import annotations

import numpy as np

from ..by_topic import bounds_of
from ..errors import GradedError, shown
from ..inputs.rows import Distinct, Rows, judged_twice
from ..inputs.text_forms import NO_ITERATION
from ..ranking.intents import Intents
from ..ranking.judged import NO_INTENTS, Collection, Judged


def intents_of(rows: Rows, distinct: Distinct, collection: Collection | None) -> Intents:
    """The judgments in the `rows` of qrels, whose documents are `distinct`. `collection` is as in `Judged`.

    Raises `GradedError` for qrels without intents, for two levels of a document for an intent, and for a
    missing probability or two of an intent.
    """
    found: Rows | None = rows.source.intents() if rows.source else None
    if found is None:
        raise GradedError(NO_INTENTS)
    intents = [*found.docs.ids()]
    names = sorted({*intents})  # the order of rows does not affect sums over intents
    number = {name: place for place, name in enumerate(names)}
    code = np.array([number[intent] for intent in intents], dtype=np.int64)
    # Some topics of a collection may have a single intent, but "0" stands for none.
    if not names or (len(names) == 1 and (collection is None or names[0].encode() in NO_ITERATION)):
        raise GradedError(NO_INTENTS)
    topic = np.repeat(np.arange(len(rows.topics)), np.diff(rows.offsets))
    pairs, first, pair = np.unique(topic * len(names) + code, return_index=True, return_inverse=True)
    probability = found.values[first]
    for row in np.flatnonzero(found.values != probability[pair])[:1].tolist():
        others = f"{probability[pair[row]]:g} and {found.values[row]:g}"
        raise found.error(row, f"the intent has the probabilities {others}; give each intent one")
    documents = distinct.qrels.offsets
    judgment = pair * documents[-1] + distinct.doc
    _, first, again = np.unique(judgment, return_index=True, return_inverse=True)
    for row in np.flatnonzero(rows.values != rows.values[first][again])[:1].tolist():
        raise judged_twice(rows, int(first[again[row]]), row, f" for intent {shown(names[code[row]])}")
    of_topic = pairs // len(names)
    judged = Judged(
        [rows.topics[number] for number in of_topic.tolist()],
        bounds_of(np.bincount(pair[first], minlength=pairs.size)),
        rows.values[first],
        collection=collection,
    )
    return Intents(of_topic, probability, judged, distinct.doc[first] - documents[topic[first]])
