"""Qrels and runs as lists of document ids, by topic or one after the other.

In qrels, each id is that of a relevant document; in a run, the first id is that of the best one, or
each id is in a pair with its score. A sequence has the topics 0, 1, ….
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from numbers import Real
from typing import Any

import numpy as np

from ...errors import GradedError, shown
from .arrow import is_arrow
from .roles import RUN, Role

RELEVANT = 1
"""The level of a document in a list of relevant ones."""


def is_list(thing: Any) -> bool:
    """Whether this may be a collection of ids: a list, a tuple, a set, an array or a Series."""
    if isinstance(thing, (str, bytes, Mapping)) or hasattr(thing, "itertuples"):
        return False
    return hasattr(thing, "__len__") and hasattr(thing, "__iter__")


def ids_in(thing: Any) -> list[Any]:
    """The ids of a collection, or the keys of a mapping, as Python objects."""
    if is_arrow(thing):
        return list(thing.to_pylist())
    if hasattr(thing, "tolist"):
        return list(thing.tolist())
    return list(thing)


def texts_of_ids(ids: list[Any], where: str) -> tuple[list[str], bool]:
    """Ids as text, and whether they are whole numbers, whose text is decimal.

    >>> texts_of_ids([7, 12], "qrels: topic 'q1'")
    (['7', '12'], True)

    Raises `GradedError` for other ids, and if only some are numbers.
    """
    kinds = set(map(type, ids))
    if kinds <= {str}:
        return ids, False
    are_texts = [isinstance(id_, str) for id_ in ids]
    if all(are_texts):
        return list(map(str, ids)), False
    for id_, is_text in zip(ids, are_texts, strict=True):
        is_whole = isinstance(id_, (int, np.integer)) and not isinstance(id_, bool)
        if not is_text and not is_whole:
            raise GradedError(f"{where}: {shown(id_)} is no id; ids are texts or whole numbers")
    if any(are_texts):
        raise GradedError(
            f"{where}: some ids are texts and some are numbers; rows with a topic are tuples "
            "(topic, document, level), and ids of documents are all texts or all numbers"
        )
    return list(map(str, ids)), True


def is_pair(item: Any) -> bool:
    """Whether this is a document and its score, as search in LangChain has them.

    >>> is_pair(("d1", 0.5)), is_pair(["d1", 2]), is_pair(("q1", "d1", 0.5))
    (True, True, False)
    """
    if type(item) not in (tuple, list) or len(item) != 2:
        return False
    document, score = item
    return isinstance(score, Real) and (
        isinstance(document, (str, int, np.integer)) or hasattr(document, "id")
    )


def has_pairs(documents: Any) -> bool:
    """Whether the first one of the documents of a topic is a pair of a document and its score."""
    return isinstance(documents, (list, tuple)) and len(documents) > 0 and is_pair(documents[0])


def ids_and_scores(pairs: list[Any], where: str) -> tuple[list[Any], list[Any]]:
    """The ids and the scores of pairs. A document that is an object has its id in `id`.

    >>> ids_and_scores([("d1", 0.5), ("d2", 0.25)], "run: topic 'q1'")
    (['d1', 'd2'], [0.5, 0.25])

    Raises `GradedError` for anything else, and for a document whose id is None.
    """
    ids = []
    scores = []
    for pair in pairs:
        if not is_pair(pair):
            raise GradedError(f"{where}: {shown(pair)} is no pair of a document and its score")
        document, score = pair
        if hasattr(document, "id"):
            if document.id is None:
                raise GradedError(f"{where}: a document has no id; give pairs of id and score")
            document = document.id
        ids.append(document)
        scores.append(score)
    return ids, scores


def relevant_documents(
    source: Mapping[Any, Any],
) -> tuple[dict[Any, dict[str, int]], bool]:
    """Qrels that list the relevant ids of each topic as a dict of dicts, and whether ids are whole
    numbers. An id that is repeated counts once.

    >>> relevant_documents({"q1": ["d1", "d2", "d1"], "q2": set()})
    ({'q1': {'d1': 1, 'd2': 1}, 'q2': {}}, False)

    Raises `GradedError` for a bare id or level, and if topics have levels.
    """
    for topic, documents in source.items():
        if not isinstance(documents, Mapping) and not is_list(documents):
            raise GradedError(f"qrels: topic {shown(topic)}: {bare(topic, documents)}")
    dicts: dict[Any, dict[str, int]] = {}
    has_numbers = False
    for topic, documents in source.items():
        where = f"qrels: topic {shown(topic)}"
        if isinstance(documents, Mapping) and documents:
            raise GradedError(
                f"{where} has levels, and another topic a list of ids; give all topics lists, "
                "['d1'], or all topics levels, {'d1': 1}"
            )
        texts, are_numbers = texts_of_ids(ids_in(documents), where)
        has_numbers = has_numbers or are_numbers
        dicts[topic] = dict.fromkeys(texts, RELEVANT)
    return dicts, has_numbers


def bare(topic: Any, value: Any) -> str:
    """What to give in place of an id or a level that is not in a list or a dict."""
    if hasattr(value, "columns") or hasattr(value, "column_names"):
        return "this is a table, as if these were runs by name; give the qrels first, then the runs"
    if isinstance(value, Real) and isinstance(topic, str):
        document = {topic: value}
        return (
            "give a list of ids, ['d1'], or levels, {'d1': 1}; if this is a document and its "
            f"level, name its topic: {{'q1': {shown(document)}}}"
        )
    id_ = value if isinstance(value, str) else "d1"
    levels = {id_: RELEVANT}
    return f"give a list of ids, {shown([id_])}, or levels, {shown(levels)}"


def names_topics(source: Mapping[Any, Any], role: Role) -> bool:
    """Whether a key of a dict of lists names a column of topics, so that the dict has columns and
    not topics.
    """
    from .columns import MOST_COLUMNS, column_name  # This import takes time.

    if len(source) > MOST_COLUMNS:
        return False
    return column_name(role.kind, list(source), "query_id") is not None


def sequence_of(source: Any, role: Role) -> dict[str, Any] | None:
    """The items of a sequence by the topics 0, 1, …, if each item is a list of ids or a dict of the
    documents of a topic; None for anything else, such as a list of rows.

    >>> from ir_measures_graded.core.rows.roles import QRELS
    >>> sequence_of([["d1"], ["d2", "d3"]], QRELS)
    {'0': ['d1'], '1': ['d2', 'd3']}
    >>> sequence_of([("q1", "d1", 2)], QRELS)
    """
    is_sequence = isinstance(source, (list, tuple, np.ndarray))
    is_single = isinstance(source, np.ndarray) and source.ndim == 0
    if not is_sequence or is_single or not len(source):
        return None
    if getattr(source, "ndim", 1) > 1 and source.dtype.names is not None:
        return None
    if not all(_has_documents(item, role) for item in source) or not any(map(len, source)):
        return None
    return {str(number): item for number, item in enumerate(source)}


def by_index(source: Any, role: Role) -> dict[Any, Any] | None:
    """The documents of each topic in a Series of pandas, whose index has the topics; None for
    anything else.
    """
    library = type(source).__module__.partition(".")[0]
    is_series = library == "pandas" and hasattr(source, "to_frame") and hasattr(source, "index")
    if not is_series or not all(_has_documents(item, role) for item in source):
        return None
    topics = source.index.tolist()
    if len(set(topics)) < len(topics):
        raise GradedError(f"{role.kind}: the index of the Series has a topic twice")
    return dict(zip(topics, source, strict=True))


def _has_documents(item: Any, role: Role) -> bool:
    """Whether an item of a sequence has the documents of a topic, and is not a row."""
    if isinstance(item, Mapping):
        from .columns import column_name

        names = list(item)
        if any(column_name(role.kind, names, ours) is not None for ours in role.columns[:2]):
            return False
        return all(isinstance(value, Real) for value in item.values())
    if isinstance(item, tuple) or not is_list(item):
        return False
    if not isinstance(item, (list, Set, np.ndarray)) and not hasattr(item, "tolist"):
        return False
    if role is RUN and has_pairs(item):
        return True
    return all(isinstance(id_, (str, int, np.integer)) for id_ in ids_in(item)[:1])
