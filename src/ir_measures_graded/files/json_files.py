"""JSON files of qrels and runs, parsed by the standard library, which reports NaN and keys that
occur twice.

A file is one of these:

- a dict of dicts ``{topic: {document: number}}``, as pytrec_eval, ranx, BEIR and MTEB write it, or
  a dict of lists ``{topic: [document, …]}``: in a run, the best document first, in qrels, the
  relevant documents;
- an array of such lists, whose topics are 0, 1, …;
- rows: objects with a topic, a document and a number, in lines or in an array; or an object of
  columns;
- items of a run: objects with a topic and its documents, in lines or in an array.

The text of a file is read at once. Its values, and the topics of a dict, are parsed one after the
other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..core.rows import columns
from ..core.rows.chosen import has_level_words, level_of
from ..core.rows.id_matching import Ids
from ..core.rows.level_words import WordInFileError
from ..core.rows.lists import RELEVANT, bare
from ..core.rows.rank_order import ROWS, RankSample
from ..core.rows.roles import IDS, QRELS, RUN, Role
from ..core.rows.rows import Facts, Part
from ..errors import FileError, shown
from .collector import waiting_collector
from .content import (
    HITS_OF_JSON,
    OBJECTS_READ_AS_ROWS,
    ROWS_OF_JSON,
    TOPICS_OF_JSON,
    Content,
    Reading,
)
from .forms import negated, number_in
from .json_text import Text, first_object
from .kinds import TABLE
from .other_json import ANSWERS_WITHOUT_IDS
from .search_answers import (
    ALGOLIA,
    ECHOED_QUERY,
    HITS_OF_ONE,
    IDS_OF_QUERIES,
    AnswerFound,
    QueriesFound,
    QueryFound,
    answer_in,
    answered,
    are_in_order,
    at,
    disordered_distance,
    failed_answer,
    failure_in,
    queries_in,
    refusal_of,
    with_params,
)

MEASURE = re.compile(r"[A-Za-z_]+@[0-9]+")
SCALAR_MEMBER = re.compile(rb'[^"]*"(?P<key>[^"\\]*)"\s*:\s*(?:"[^"\\]*"|[^\s"\[{}\],]+)(?=\s*,)')
FIRST_CONTAINER = re.compile(rb'[^"]*"(?P<key>[^"\\]*)"\s*:\s*(?P<sign>[\[{])')
MOST_SCALARS = 100  # before the documents of an answer
SURROGATE = "[\ud800-\udfff]"

Item = TypeVar("Item")
TopicOfFile = tuple[int, Any, Collection[Any], Collection[Any]]
"""The line and the name of a topic, its documents and their values."""
KINDS_OF_IDS = ({str}, {int})
"""The types of the ids in one list."""
LISTS = ("results", "candidates", "references")
"""The keys of the documents of an item."""
LISTS_OF_OBJECTS = ("docs", "documents", "ranking", "retrieved", "matches", "points")
"""Further keys of the documents of an item, if these are objects with an id and a score."""
LISTS_OF_IDS = ("contexts", "ctxs", "doc_ids", "docids", "ids")
"""Further keys of the documents of an item, if these are ids without blanks; contexts may also be
passages of text."""
KEYS_OF_DOCUMENTS = frozenset((*LISTS, *LISTS_OF_OBJECTS, *LISTS_OF_IDS))
SCORES = "scores"
"""The key of the scores of a list of ids."""


def _names_of_lists(names: Sequence[str]) -> frozenset[str]:
    """The names of a column, and the same in the plural.

    >>> sorted(_names_of_lists(["similarity", "rank"]))
    ['rank', 'ranks', 'similarities', 'similarity']
    """
    plurals = [re.sub("y$", "ie", name) + "s" for name in names]
    return frozenset((*names, *plurals))


NAMES_OF_LISTS_OF_SCORES = _names_of_lists(columns.NAMES_OF_SCORES)
NAMES_OF_LISTS_OF_RANKS = _names_of_lists(columns.NAMES_OF_RANKS)
PAIR = ("doc_id", "score")
"""What a list of two is in place of an object."""
BARE_IDS = ("_id", "id")
"""Names of the id of a document that is listed under its topic, best first."""
CONTAINERS_OF_ANSWERS = ("hits", "response", "root", "details", "query")
"""Keys of one answer, which are no topics."""
STARTS_OF_ANSWERS = ("responseHeader", "response", "root", "timing", "trace")
"""The keys with which one answer of Solr or Vespa begins; a topic may have such a name."""
VALUES = "values of measures, no documents"
DISORDERED = (
    "topic {}: the documents have no scores, and they are not in the order of {}; write scores, of "
    "which larger ones are better"
)
REFUSED = {
    **dict.fromkeys(("requests", "details"), "JSON of _rank_eval"),
    **dict.fromkeys(("judgmentRatings", "hits"), "JSON of OpenSearch or Elasticsearch"),
    **dict.fromkeys(("queries", "ratings", "topics", "query_groups"), "ratings of Quepid or RRE"),
    **dict.fromkeys(("relevant_documents", "relevant_docs"), "ratings of RRE or Vespa"),
    **dict.fromkeys(
        ("turns", "contexts", "ctxs", "responses", "answer", "nuggets"), "answers, no ranking"
    ),
    "scores": VALUES,
}
"""Other kinds of files by a key of an object."""


def json_parts(content: Content, reading: Reading) -> Iterator[Part]:
    """The rows of the file in parts of whole topics, in the order of the file.

    Raises `FileError` for other JSON, and names its kind if that is known.
    """
    text = Text(content)
    is_first = True
    try:
        for rows in _parts(text, reading):
            is_first = False
            yield rows
    except FileError:
        kind = text.other_kind() if is_first else ""
        if not kind:
            raise
        raise FileError(f"{text.name}:1: {kind}") from None
    content.refuse_shrunk()


def may_have_runs(content: Content, reading: Reading) -> bool:
    """Whether a column may name the run of each row, as the start of the file tells.

    Topics with their documents, which may be most of the file, need not be parsed for this.
    """
    first = first_object(content.stream.start)
    if first is None:
        return _may_begin_row(content.stream.start, reading)
    key = next(iter(first), "")
    if isinstance(first.get(key), list) and columns.is_known(key, reading.role, reading.chosen):
        return True
    if not _is_row(first, reading):
        return False
    columns_of_rows, _ = reading.columns(content.name, list(first))
    return "run" in columns_of_rows


def _may_begin_row(start: bytes, reading: Reading) -> bool:
    """Whether a long object that begins so may be a row, or an object of columns.

    A row has its topic and its document before any other value than a text or number.
    """
    names: list[str] = []
    end = 0
    while len(names) < MOST_SCALARS and (scalar := SCALAR_MEMBER.match(start, end)):
        names.append(scalar["key"].decode(errors="replace"))
        end = scalar.end()
    member = FIRST_CONTAINER.match(start, end)
    if member is None:
        return True
    if names:
        return all(_keys_in_order(names, ours, reading.chosen.names(ours)) for ours in IDS)
    key = member["key"].decode(errors="replace")
    return member["sign"] == b"[" and columns.is_known(key, reading.role, reading.chosen)


def _parts(text: Text, reading: Reading) -> Iterator[Part]:
    """The rows of the text in parts of whole topics."""
    key, value = text.first_member()
    if isinstance(value, list) and columns.is_known(key, reading.role, reading.chosen):
        blocks = _blocks_of_columns(text, reading.sizes.rows)
        yield from _parts_of_rows(text, "JSON of columns", blocks, reading)
    elif key == "error" and text.member("status") is not None:
        yield from _parts_of_objects(text, reading)
    elif _is_answer(value) and key not in CONTAINERS_OF_ANSWERS:
        yield from _parts_of_answers(text, reading)
    elif _begins_with_answers(text, key):
        yield from _parts_of_objects(text, reading)
    elif _has_scored_documents(key, value, reading):
        yield from _parts_of_items(text, _items_of_dict(text), reading)
    elif key == "mteb_model_meta" or _is_topic(key, value):
        yield from _parts_of_dict(text, key, value, reading)
    elif text.begins_with_lists():
        yield from _parts_of_sequence(text, reading)
    else:
        yield from _parts_of_objects(text, reading)
    text.end()


def _is_answer(value: Any) -> bool:
    """Whether a search engine answered so, also with an error."""
    return answer_in(value) is not None or bool(failure_in(value))


def _is_one_answer(value: Any) -> bool:
    """Whether this is the answer of Solr or Vespa to one query, also an error, and no topics."""
    has_hits = any(isinstance(at(value, path), list) for path in HITS_OF_ONE)
    has_errors = isinstance(at(value, ("root", "errors")), list)
    is_header = isinstance(at(value, ("responseHeader", "status")), int)
    count = at(value, ("root", "fields", "totalCount"))
    return has_hits or has_errors or count == 0 or (is_header and bool(failure_in(value)))


def _begins_with_answers(text: Text, key: str) -> bool:
    """Whether the first object has one answer or those of `_msearch`, whose members are no topics.

    `key` is its first key. Only a key of such an object has it parsed.
    """
    if key in STARTS_OF_ANSWERS:
        return _is_one_answer(text.first_value())
    return key in IDS_OF_QUERIES and _has_responses(text)


def _has_responses(text: Text) -> bool:
    """Whether the object has answers of `_msearch`, so that no member of it is a topic."""
    whole = text.first_readable()
    if isinstance(whole, dict):
        responses = whole.get("responses")
    else:
        responses = text.member("responses")
    return isinstance(responses, list) and any(isinstance(answer, dict) for answer in responses)


def _parts_of_dict(text: Text, key: str, value: Any, reading: Reading) -> Iterator[Part]:
    """The rows of a dict of topics, whose first member has this key and value."""
    reading.chosen.refuse_unread(text.name)
    has_lists = isinstance(value, list)
    if key == "mteb_model_meta":
        form = "predictions of MTEB"
        members = _predictions(text, reading.role)
    else:
        form = "JSON dict of lists" if has_lists else "JSON dict of dicts"
        members = text.members()
    facts = _facts_of_lists(text.name, form, has_lists, reading.role)
    if reading.role is QRELS:
        topics = (_topic(text, *member, facts, QRELS) for member in members)
        yield from _parts_of_topics(facts, topics, reading)
        return
    items = _Items(text, reading)
    topics = (_topic_of_run(items, *member, facts) for member in members)
    for rows in _parts_of_topics(facts, topics, reading):
        yield Part(rows.columns, rows.line, items.facts_of(rows.facts))


def _topic_of_run(items: _Items, topic: str, documents: Any, facts: Facts) -> TopicOfFile:
    """A topic of a run in a dict, whose first topic has no documents with scores in a list."""
    if _has_scored_documents(topic, documents, items.reading):
        return items.topic_of(_item_of(topic, documents))
    read = _topic(items.text, topic, documents, facts, RUN)
    if documents:
        items.kinds.add(isinstance(documents, list))
    return read


def _facts_of_lists(name: str, form: str, has_lists: bool, role: Role) -> Facts:
    """The facts about topics, which may have lists of ids in place of numbers."""
    return Facts(
        name,
        form,
        ranked=has_lists and role is RUN,
        only_relevant=has_lists and role is QRELS,
    )


def _parts_of_sequence(text: Text, reading: Reading) -> Iterator[Part]:
    """The rows of an array with a list of ids for each of the topics 0, 1, …."""
    reading.chosen.refuse_unread(text.name)
    items = text.value()
    facts = _facts_of_lists(text.name, "JSON array of lists", True, reading.role)
    facts = facts._replace(sequence=len(items))
    numbered = ((str(number), item) for number, item in enumerate(items))
    topics = (_topic(text, *member, facts, reading.role) for member in numbered)
    yield from _parts_of_topics(facts, topics, reading)


def _parts_of_answers(text: Text, reading: Reading) -> Iterator[Part]:
    """The rows of a dict of answers of a search engine by query."""
    is_empty = True
    kinds: set[bool] = set()
    sample = RankSample()
    for kind, answers in groupby(_answers_by_query(text, reading), key=itemgetter(0)):
        if is_empty:
            check_found(text, RUN, kind, reading)
        is_empty = False
        queries = ((line, query) for _, line, query in answers)
        for block in _blocks(queries, reading.sizes.rows, lambda pair: len(pair[1].documents)):
            yield from parts_of_queries(text.name, kind, block, reading, kinds=kinds, sample=sample)
    if is_empty:
        raise text.error("there is no answer of a search engine")


def _answers_by_query(text: Text, reading: Reading) -> Iterator[tuple[str, int, QueryFound]]:
    """The kind of each answer in a dict, its line, and the query with its documents."""
    for topic, value in text.members():
        kind, query = answer_of(text, topic, value, reading)
        yield kind, text.line, query


def answer_of(text: Text, topic: str, value: Any, reading: Reading) -> tuple[str, QueryFound]:
    """The kind of the answer of a search engine to a topic, and the query with its documents.

    Raises `FileError` for an error of the search engine, and for a value that is no answer.
    """
    text.spend(TOPICS_OF_JSON)
    answer = answer_in(value)
    if answer is not None and answer.hits:
        text.spend(HITS_OF_JSON, len(answer.hits))
    elif failure_in(value):
        raise text.error(failed_answer(topic, failure_in(value)))
    if answer is None:
        raise text.error(f"topic {shown(topic)} has no answer of a search engine with hits")
    return f"answers of {answer.answer.engine}", _query_of(text, topic, answer, reading)


def _query_of(text: Text, topic: Any, answer: AnswerFound, reading: Reading) -> QueryFound:
    """The query of an answer with its hits.

    Raises `FileError` for hits without scores that are in no order of their distances.
    """
    own_score = _score_of_user(text.name, answer.hits, reading)
    query = answered(topic, answer, own_score)
    distance = disordered_distance(answer) if query.is_ranked else ""
    if distance:
        raise text.error(DISORDERED.format(shown(topic), distance))
    return query


def _score_of_user(file: str, hits: Sequence[Any], reading: Reading) -> str | None:
    """The member of the hits that the user names as the score; None if the user names none.

    Raises `GradedError` if the first hit lacks it.
    """
    if not hits or not isinstance(hits[0], dict) or not reading.chosen.names(RUN.value):
        return None
    names = list(hits[0])
    chosen = columns.with_usual_names(reading.chosen, names, [RUN.value])
    score: str | None = chosen.named(file, names, RUN.value)
    return score


def _parts_of_found(text: Text, whole: QueriesFound, reading: Reading) -> Iterator[Part]:
    """The rows of queries with answers or ratings.

    Raises `FileError` for those of the other role.
    """
    check_found(text, whole.role, whole.kind, reading)
    with waiting_collector():
        queries = [(text.line, query) for query in whole.queries]
    text.spend(HITS_OF_JSON, sum(len(query.documents) for _, query in queries))
    ranked_topics: set[str] = set()
    for _, query in queries:
        if query.is_ranked:
            _refuse_second_ranking(text, query.topic, ranked_topics)
    yield from parts_of_queries(text.name, whole.kind, queries, reading, whole.failed)


def check_found(text: Text, role: Role, kind: str, reading: Reading) -> None:
    """Raise `FileError` for queries of the other role, and for a choice of columns."""
    if role is not reading.role:
        other = "a run, not qrels" if role is RUN else "qrels, not a run"
        text.is_known = True
        raise text.error(f"{kind}: this is {other}")
    reading.chosen.refuse_unread(text.name)


def parts_of_queries(
    name: str,
    kind: str,
    queries: Sequence[tuple[int, QueryFound]],
    reading: Reading,
    failed: tuple[tuple[str, str], ...] = (),
    kinds: set[bool] | None = None,
    sample: RankSample | None = None,
) -> Iterator[Part]:
    """The rows of queries, each with its line. `failed` has the topics of failed ones.

    `kinds` tells whether queries before these have ranks, or scores, and `sample` has the scores of
    their first documents; those of these are added.
    """
    kinds = set() if kinds is None else kinds
    sample = RankSample() if sample is None else sample
    has_documents = [query for _, query in queries if query.documents]
    kinds.update(query.is_ranked for query in has_documents)
    is_ranked = bool(queries) and False not in kinds
    incomplete = [(str(query.topic), query.incomplete) for _, query in queries if query.incomplete]
    facts = Facts(
        name,
        kind,
        ranked=is_ranked,
        partly_ranked=len(kinds) > 1,
        incomplete=(*incomplete, *failed),
    )
    if reading.role is RUN and not is_ranked:
        for query in has_documents:
            _add_positions(sample, query)
        facts = facts._replace(reverse=sample.remark(is_part=sample.is_full))
    topics = ((line, query.topic, query.documents, query.values) for line, query in queries)
    yield from _parts_of_topics(facts, topics, reading)


def _refuse_second_ranking(text: Text, topic: Any, ranked_topics: set[str]) -> None:
    """Add a topic to those with a ranking without scores.

    Raises `FileError` for one that has another: whose documents come first is not known.
    """
    if str(topic) in ranked_topics:
        raise text.error(
            f"topic {shown(topic)} has two lists of documents without scores; join them, the best "
            "document first"
        )
    ranked_topics.add(str(topic))


def _parts_of_objects(text: Text, reading: Reading) -> Iterator[Part]:
    """The rows of objects, each of which is a row or an item, in lines or in an array."""
    form = "JSON array" if text.sign() == "[" else "JSON lines"
    objects = text.objects()
    first = next(objects, None)
    if first is None:
        return
    has_topic = _id_of(first, "query_id", reading) is not None
    if not has_topic:
        refusal = refusal_of(first)
        if refusal:
            text.is_known = True
            raise text.error(refusal)
    with waiting_collector():
        whole = queries_in(first, partial(text.spend, TOPICS_OF_JSON))
    if whole is not None:
        if next(objects, None) is not None:
            raise text.error(f"{whole.kind} are one object, and another follows")
        yield from _parts_of_found(text, whole, reading)
        return
    every = chain([first], objects)
    if _is_row(first, reading):
        blocks = _blocks_of_objects(text, every, reading.sizes.rows)
        yield from _parts_of_rows(text, form, blocks, reading)
        return
    yield from _parts_of_items(text, every, reading)


def _parts_of_items(
    text: Text, every: Iterator[dict[str, Any]], reading: Reading
) -> Iterator[Part]:
    """The rows of objects, each of which is a topic with its documents."""
    items = _Items(text, reading)
    topics = map(items.topic_of, every)
    facts = Facts(text.name, "JSON items")
    for rows in _parts_of_topics(facts, topics, reading):
        yield Part(rows.columns, rows.line, items.facts_of(rows.facts))


def _has_scored_documents(key: str, value: Any, reading: Reading) -> bool:
    """Whether this is a topic of a run, with a list of objects or pairs of an id and a score, or an
    object with such a list.
    """
    if reading.role is not RUN or key in KEYS_OF_DOCUMENTS or key in CONTAINERS_OF_ANSWERS:
        return False
    if isinstance(value, dict):
        return _has_list_of_documents(value, reading)
    if not isinstance(value, list) or not value:
        return False
    if not isinstance(value[0], dict):
        return all(map(_is_pair, value))
    names_topic = columns.usual_column(list(value[0]), "query_id") is not None
    return _has_id_and_score(value[0], reading) and not names_topic


def _has_list_of_documents(value: dict[str, Any], reading: Reading) -> bool:
    """Whether an object has the documents of a topic in a list, and is not one of numbers."""
    if not any(name in value for name in KEYS_OF_DOCUMENTS):  # the object may be a long one
        return False
    return isinstance(_documents_of(value, reading), list)


def _is_pair(value: Any) -> bool:
    """Whether a value is a list of an id and a score."""
    if not isinstance(value, list) or len(value) != len(PAIR):
        return False
    return isinstance(value[0], str) and number_in(value[1]) is not None


def _items_of_dict(text: Text) -> Iterator[dict[str, Any]]:
    """The topics of a dict as objects that name their topic."""
    for topic, documents in text.members():
        yield _item_of(topic, documents)


def _item_of(topic: str, documents: Any) -> dict[str, Any]:
    """A topic and its documents as an object; pairs of an id and a score become objects."""
    if isinstance(documents, dict):
        if any(isinstance(documents.get(name), list) for name in KEYS_OF_DOCUMENTS):
            return {**documents, "query_id": topic}
    if isinstance(documents, list) and documents and all(map(_is_pair, documents)):
        documents = [dict(zip(PAIR, pair, strict=True)) for pair in documents]
    return {"query_id": topic, LISTS[0]: documents}


def _is_row(first: dict[str, Any], reading: Reading) -> bool:
    """Whether the first object is a row, and not a topic with its documents."""
    is_row = None not in [_id_of(first, ours, reading) for ours in IDS]
    if reading.chosen.columns and answer_in(first) is None:
        is_row = any(columns.is_known(key, reading.role, reading.chosen) for key in first)
    return is_row and _documents_of(first, reading) is None


def _id_of(thing: dict[str, Any], ours: str, reading: Reading) -> str | int | float | None:
    """The topic or document that an object names, None if it names none."""
    names = tuple(thing)
    keys_of: Callable[..., list[str]] = _keys_in_order
    if len(names) <= MOST_KEPT_KEYS:
        keys_of = _keys_of
    chosen: tuple[str, ...] = ()
    if reading.chosen.columns:
        chosen = tuple(reading.chosen.names(ours))
    for key in keys_of(names, ours, chosen):
        if isinstance(thing[key], (str, int, float)):
            return thing[key]
    return None


def _keys_in_order(names: Sequence[str], ours: str, chosen: Sequence[str]) -> list[str]:
    """Those of the keys of an object that name a topic or a document, best first.

    `chosen` are those that the user names.
    """
    keys = [key for key in chosen if key in names]
    for group in columns.NAMES[ours]:
        keys += [key for key in names if columns.plain(key) in group]
    return keys


MOST_KEPT_KEYS = 1 << 6  # of an object, whose order is kept for others with the same keys
_keys_of = lru_cache(1 << 8)(_keys_in_order)


def _blocks(
    items: Iterable[Item], size: int, documents_in: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """The items in blocks of so many documents or more."""
    left = iter(items)
    while block := _next_block(left, size, documents_in):
        yield block


def _next_block(
    items: Iterator[Item], size: int, documents_in: Callable[[Item], int]
) -> list[Item]:
    """The next items with so many documents or more, or all."""
    block: list[Item] = []
    count = 0
    with waiting_collector():
        for item in items:
            block.append(item)
            count += documents_in(item)
            if count >= size:
                break
    return block


def _parts_of_topics(
    facts: Facts, topics: Iterable[TopicOfFile], reading: Reading
) -> Iterator[Part]:
    """The rows of topics with their documents and values, in parts of whole topics."""
    for block in _blocks(topics, reading.sizes.rows, lambda topic: len(topic[2])):
        # zip(*block) would make an object for each topic, which the garbage collector searches.
        lines, names, documents, values = (list(map(itemgetter(part), block)) for part in range(4))
        counts = list(map(len, documents))
        sizes = zip(names, counts, strict=True)
        empty = tuple(str(name) for name, count in sizes if not count)
        cells = {
            "query_id": names,
            "doc_id": list(chain.from_iterable(documents)),
            reading.role.value: list(chain.from_iterable(values)),
        }
        yield _part(facts._replace(empty=empty), lines, counts, cells, reading.role)


class _RowBlock(NamedTuple):
    """Rows of a file: their lines, the keys of the first one, and a function for their values at a
    key, None in a row without it.
    """

    lines: list[int]
    keys: list[str]
    values_at: Callable[[str], list[Any]]


def _blocks_of_objects(
    text: Text, rows: Iterator[dict[str, Any]], size: int
) -> Iterator[_RowBlock]:
    """The rows, which are objects, in blocks of this size."""
    while True:
        block: list[dict[str, Any]] = []
        lines: list[int] = []
        with waiting_collector():
            for row in islice(rows, size):
                block.append(row)
                lines.append(text.line)
        if not block:
            break
        text.spend(OBJECTS_READ_AS_ROWS, len(block))
        yield _RowBlock(lines, list(block[0]), partial(_values_at, block))


def _values_at(rows: list[dict[str, Any]], key: str) -> list[Any]:
    """The values of objects at a key, None in those without it."""
    return [row.get(key) for row in rows]


def _blocks_of_columns(text: Text, size: int) -> Iterator[_RowBlock]:
    """The rows of an object of columns in blocks of this size."""
    table = text.value()
    if len(table) > columns.MOST_COLUMNS:
        text.is_known = True
        most = columns.MOST_COLUMNS
        raise text.error(f"{len(table):,} columns; at most {most:,} are read")
    are_lists = all(isinstance(column, list) for column in table.values())
    if not are_lists or len(set(map(len, table.values()))) > 1:
        raise text.error("an object of columns needs lists of one length")
    count = len(next(iter(table.values())))
    text.spend(ROWS_OF_JSON, count)
    for start in range(0, count, size):
        block = {key: column[start : start + size] for key, column in table.items()}
        rows = min(size, count - start)
        yield _RowBlock([text.line] * rows, list(table), block.__getitem__)


def _parts_of_rows(
    text: Text, form: str, blocks: Iterable[_RowBlock], reading: Reading
) -> Iterator[Part]:
    """Rows, which have the same keys, in parts."""
    role = reading.role
    keys: dict[str, str] = {}
    ranks = False
    reverse = ""
    for block in blocks:
        if not keys:
            keys, ranks = reading.columns(text.name, block.keys)
            if role is RUN and not ranks:
                rank = columns.ranks_in(block.keys, reading.chosen)
                reverse = _remark_on_ranks(block, keys, rank)
            remarks = reading.remarks(text.name, block.keys)
            facts = Facts(
                text.name,
                form,
                ranked=ranks,
                lines=remarks,
                reverse=reverse,
                heads=reading.heads(keys),
                judge=reading.judge(block.keys, keys),
            )
        lines = block.lines
        cells = {ours: block.values_at(theirs) for ours, theirs in keys.items()}
        unjudged = 0
        if role is QRELS and reading.chosen.unjudged:
            judged = _judged_rows(cells[role.value], reading)
            unjudged = len(lines) - len(judged)
            lines = [lines[row] for row in judged]
            for ours, column in cells.items():
                cells[ours] = [column[row] for row in judged]
        facts = facts._replace(unjudged=unjudged)
        read = _part(facts, lines, 1, cells, role)
        text.spend_on_topics(read)
        if ranks:
            read = read.with_negated_scores()
        yield read


def _add_ranks(sample: RankSample, topic: str, ranks: Sequence[Any], scores: Sequence[Any]) -> None:
    """Add those rows of a topic that have a rank and a score."""
    for rank_cell, score_cell in zip(ranks, scores, strict=True):
        rank = number_in(rank_cell)
        score = number_in(score_cell)
        if rank is not None and score is not None:
            sample.add([topic], [rank], [score])


def _add_positions(sample: RankSample, query: QueryFound) -> None:
    """Add the hits of a query, whose positions are their ranks."""
    if not sample.is_full and not query.is_ranked:
        ranks = range(1, 1 + len(query.documents))
        _add_ranks(sample, str(query.topic), ranks, query.values)


def _judged_rows(levels: Sequence[Any], reading: Reading) -> list[int]:
    """The numbers of the rows with a level; others have null or a text that means no level."""
    words = [word.decode() for word in reading.chosen.unjudged]
    numbers: list[int] = []
    for number, level in enumerate(levels):
        if level is not None and level not in words:
            numbers.append(number)
    return numbers


def _remark_on_ranks(block: _RowBlock, keys: Mapping[str, str], rank: Any) -> str:
    """The remark on ranks in the reverse order of scores, from the first rows of a file.

    `rank` is the key of the ranks, None if there is none.
    """
    if rank is None:
        return ""
    sample = RankSample()
    topics = block.values_at(keys["query_id"])[:ROWS]
    ranks = block.values_at(rank)[:ROWS]
    scores = block.values_at(keys["score"])[:ROWS]
    for topic, rank_of_row, score in zip(topics, ranks, scores, strict=True):
        _add_ranks(sample, str(topic), [rank_of_row], [score])
    return sample.remark(is_part=len(topics) == ROWS)


def _part(
    facts: Facts,
    lines: Sequence[int],
    counts: int | list[int],
    cells: Mapping[str, Any],
    role: Role,
) -> Part:
    """The rows of columns of `cells`. Each line and each topic has so many rows."""
    of_topic = np.repeat(np.arange(len(lines)), counts)
    line = np.array(lines)[of_topic]

    def location(row: int) -> str:
        topic = shown(cells["query_id"][of_topic[row]])
        document = shown(cells["doc_id"][row])
        return f"{facts.location(line[row])}: topic {topic}, document {document}"

    read: dict[str, Any] = {}
    integers: list[str] = []
    for ours, column in cells.items():
        if ours == role.value:
            read[ours] = _numbers(column, role, location)
        elif ours == "probability":
            read[ours] = np.array(list(map(number_in, column)), dtype=np.float64)
        else:
            line_of_cell = lines if ours == "query_id" else line
            read[ours], has_integers = _ids(column, ours, facts, line_of_cell)
            if has_integers and ours in IDS:
                integers.append(ours)
    # Topics are checked once each, not in every row.
    topics = read["query_id"]
    Part({"query_id": topics}, np.array(lines), facts).checked(["query_id"])
    read["query_id"] = topics.padded().take(of_topic)
    return Part(read, line, facts._replace(integers=tuple(integers))).checked(["doc_id"])


def _ids(column: Sequence[Any], ours: str, facts: Facts, line: Any) -> tuple[Ids, bool]:
    """A column of ids, and whether some are integers.

    Raises `FileError` for a cell that is no id.
    """
    with suppress(TypeError, UnicodeEncodeError):
        ids = Ids.of(column)
        if ids.length.all():
            return ids, False
    with suppress(UnicodeEncodeError):
        if set(map(type, column)) <= {str, int} and "" not in column:
            return Ids.of(list(map(str, column))), True
    row, reason = _first_refused(column)
    raise FileError(f"{facts.location(line[row])}: the {ours}{reason}")


def _first_refused(column: Sequence[Any]) -> tuple[int, str]:
    """The first row of a column whose cell is no id, and the reason, as the end of a message."""
    for row, cell in enumerate(column):
        if cell is None:
            return row, " is missing; all objects need the same keys"
        if cell == "":
            return row, " is empty"
        if type(cell) not in (str, int):
            return row, f" {shown(cell)} is not a string"
        if re.search(SURROGATE, str(cell)):
            return row, f" {shown(cell)} has a lone surrogate"
    raise AssertionError("all cells are ids")


def _topic(text: Text, topic: Any, documents: Any, facts: Facts, role: Role) -> TopicOfFile:
    """A topic with an object of numbers, or with a list of documents.

    In a run, they are in the order of their ranks, and the score is −rank. In qrels, they are
    relevant.
    """
    if isinstance(documents, (list, dict)):
        text.spend(TOPICS_OF_JSON)
        text.spend(ROWS_OF_JSON, len(documents))
    if role is RUN and _is_list_of_ids(documents) and (facts.ranked or _is_list_of_text(documents)):
        return text.line, topic, documents, range(-1, -1 - len(documents), -1)
    if role is QRELS and _is_list_of_ids(documents) and facts.only_relevant:
        relevant = list(dict.fromkeys(documents))
        return text.line, topic, relevant, [RELEVANT] * len(relevant)
    if role is QRELS and isinstance(documents, list) and not _is_list_of_ids(documents):
        raise text.error(
            f"topic {shown(topic)}: ids are all texts or all whole numbers, not {shown(documents)}"
        )
    is_mixed = isinstance(documents, list) != facts.only_relevant
    if role is QRELS and is_mixed and isinstance(documents, (list, dict)):
        raise text.error(
            f"topic {shown(topic)}: some topics have lists of ids, and some have levels; give all "
            "topics lists, ['d1'], or all topics levels, {'d1': 1}"
        )
    if role is QRELS and not isinstance(documents, (list, dict)):
        raise text.error(f"topic {shown(topic)}: {bare(topic, documents)}")
    if not isinstance(documents, dict):
        raise text.error(
            f"topic {shown(topic)} has documents without levels or scores: {shown(documents)}"
        )
    if documents and all(map(MEASURE.fullmatch, documents)):
        raise text.error(VALUES)
    return text.line, topic, documents, documents.values()


def _predictions(text: Text, role: Role) -> Iterator[tuple[str, Any]]:
    """The topics of MTEB's predictions, which are in parts such as default/test."""
    subsets = text.value()
    subsets.pop("mteb_model_meta")
    if role is QRELS:
        raise text.error("predictions of MTEB are a run, not qrels")
    parts: dict[str, Any] = {}
    for subset, splits in subsets.items():
        if not isinstance(splits, dict):
            splits = {"": None}
        for split, topics in splits.items():
            parts[f"{subset}/{split}"] = topics
    only = next(iter(parts.values()), None)
    if len(parts) != 1 or not isinstance(only, dict):
        names = ", ".join(parts) or "none"
        raise text.error(
            f"predictions of MTEB for several parts ({names}), or for none; "
            "write each part as a run of its own, {topic: {document: score}}"
        )
    return iter(only.items())


def _documents_of(item: dict[str, Any], reading: Reading) -> Any:
    """The documents of an item, None if it has none."""
    if KEYS_OF_DOCUMENTS.isdisjoint(item):
        return None
    for key in LISTS:
        if isinstance(item.get(key), (list, dict)):
            return item[key]
    for key in LISTS_OF_OBJECTS:
        documents = item.get(key)
        if isinstance(documents, list) and documents and _has_id_and_score(documents[0], reading):
            return documents
    for key in LISTS_OF_IDS:
        documents = item.get(key)
        if documents and _is_list_of_ids(documents) and not any(map(_has_blank, documents)):
            return documents
    return None


def _has_blank(value: str | int) -> bool:
    """Whether a text has a blank, as passages have and ids mostly do not."""
    return isinstance(value, str) and re.search(r"\s", value) is not None


def _has_id_and_score(document: Any, reading: Reading) -> bool:
    """Whether a value is an object with a document and its score, or with a distance, for which
    the message about its columns has the option.
    """
    if not isinstance(document, dict):
        return False
    names = list(document)
    has_id = _has_column(names, "doc_id", reading) or _bare_id(names) is not None
    has_score = _has_column(names, RUN.value, reading) or any(map(columns.is_distance, names))
    return has_id and has_score


def _has_column(names: Sequence[str], ours: str, reading: Reading) -> bool:
    """Whether one of the names is that of a column, which the user or we give it."""
    chosen = reading.chosen.names_of_value(ours)
    if chosen:
        return not set(chosen).isdisjoint(names)
    return columns.usual_column(names, ours) is not None


def _bare_id(names: Sequence[str]) -> str | None:
    """The name id or _id among the names of a listed document, which in a table is often the number
    of a row; None if there is none."""
    return next((name for name in BARE_IDS if name in names), None)


class _Items:
    """The items of a text, each of which is a topic with its documents.

    `sample` has the ranks of the first documents, `incomplete` why a search engine did not search
    all documents of a topic, and `ranked_topics` the topics whose documents have no scores. `kinds`
    has true after a topic with ranks, and false after one with scores.
    """

    def __init__(self, text: Text, reading: Reading):
        self.text = text
        self.reading = reading
        self.sample = RankSample()
        self.incomplete: dict[str, str] = {}
        self.ranked_topics: set[str] = set()
        self.kinds: set[bool] = set()
        self._kind_of_topic: dict[str, bool] = {}
        self._names: list[str] = []
        self._last_columns: tuple[dict[str, str], bool, Any] = {}, False, None

    def facts_of(self, facts: Facts) -> Facts:
        """The facts about the last rows, and what is known after the items so far."""
        return facts._replace(
            ranked=self.kinds == {True},
            partly_ranked=len(self.kinds) > 1,
            reverse=self.sample.remark(is_part=self.sample.is_full),
            incomplete=tuple(self.incomplete.items()),
        )

    def _add_kind(self, topic: Any, is_ranked: bool) -> None:
        """Tell whether a list of documents has ranks.

        Raises `FileError` for a topic with ranks in one list and scores in another.
        """
        self.kinds.add(is_ranked)
        if self._kind_of_topic.setdefault(str(topic), is_ranked) != is_ranked:
            raise self.text.error(
                f"topic {shown(topic)} has a list of documents with scores and one without; give "
                "scores in both"
            )

    def topic_of(self, item: dict[str, Any]) -> TopicOfFile:
        """The topic of an item, its documents and their values."""
        documents = _documents_of(item, self.reading)
        answer = answer_in(item) if documents is None else None
        is_of_algolia = answer is not None and answer.answer.engine == ALGOLIA
        if is_of_algolia:
            item = with_params(item)
        query = item.get("query")
        if is_of_algolia and isinstance(query, str) and "queryID" in item:
            # The queryID of Algolia is that of one search, not of the query.
            item = {key: value for key, value in item.items() if key != "queryID"}
        if isinstance(query, dict) and "qid" in query:
            topic = _id_of(query, "query_id", self.reading)
        else:
            topic = _id_of(item, "query_id", self.reading)
        if topic is None:
            echoed = at(item, ECHOED_QUERY)
            if isinstance(echoed, str) and echoed:
                topic = echoed
        if answer is not None and topic is not None:
            if self.reading.role is QRELS:
                raise self.text.error(f"answers of {answer.answer.engine} are a run, not qrels")
            self.text.spend(TOPICS_OF_JSON)
            if answer.hits:
                self.text.spend(HITS_OF_JSON, len(answer.hits))
            self.text.is_known = True
            query_with_hits = _query_of(self.text, topic, answer, self.reading)
            if answer.incomplete:
                self.incomplete[str(topic)] = answer.incomplete
            _add_positions(self.sample, query_with_hits)
            if query_with_hits.documents:
                self._add_kind(topic, query_with_hits.is_ranked)
            if query_with_hits.is_ranked:
                _refuse_second_ranking(self.text, topic, self.ranked_topics)
            return self.text.line, topic, query_with_hits.documents, query_with_hits.values
        if topic is not None and documents is None and failure_in(item):
            raise self.text.error(failed_answer(topic, failure_in(item)))
        if topic is None or documents is None:
            raise self.text.error(_reason(item, self.reading))
        if self.reading.role is QRELS:
            raise self.text.error(
                f"topic {shown(topic)} has retrieved documents; this is a run, not qrels"
            )
        self.reading.chosen.refuse_unread(self.text.name)
        if isinstance(documents, list) and not documents:
            return self._without_documents(topic, item)
        if _is_list_of_ids(documents):
            values = self._beside(topic, documents, item)
            if values is not None:
                return self.text.line, topic, documents, values
        if not isinstance(documents, list) or not isinstance(documents[0], dict):
            is_ranked = isinstance(documents, list)
            if is_ranked:
                _refuse_second_ranking(self.text, topic, self.ranked_topics)
            if documents:
                self._add_kind(topic, is_ranked)
            return _topic(self.text, topic, documents, Facts(), RUN)
        self.text.spend(TOPICS_OF_JSON)
        self.text.spend(HITS_OF_JSON, len(documents))
        names = list(dict.fromkeys(["query_id", *documents[0]]))
        keys, ranks, rank = self._columns(names)
        rows = [_members(document) for document in documents]
        ids = [row.get(keys["doc_id"]) for row in rows]
        values = [row.get(keys["score"]) for row in rows]
        self._add_kind(topic, ranks)
        if ranks:
            values = [negated(value) for value in values]
        elif rank is None:
            _add_positions(self.sample, QueryFound(topic, ids, values))
        elif not self.sample.is_full:
            _add_ranks(self.sample, str(topic), [row.get(rank) for row in rows], values)
        return self.text.line, topic, ids, values

    def _without_documents(self, topic: Any, item: dict[str, Any]) -> TopicOfFile:
        """The topic without documents. Raises `FileError` if it has scores."""
        self.text.spend(TOPICS_OF_JSON)
        scores = item.get(SCORES)
        if isinstance(scores, list):
            self._refuse_other_length(topic, 0, scores)
        return self.text.line, topic, [], []

    def _beside(self, topic: Any, documents: list[Any], item: dict[str, Any]) -> list[Any] | None:
        """The scores, or the ranks with the sign reversed, that an item has beside its list of ids;
        None without any.

        Raises `FileError` for scores of another length, and for distances that are not in the order
        of the documents.
        """
        values = item.get(SCORES)
        if isinstance(values, dict):
            values = [values.get(str(document)) for document in documents]
        is_ranked = False
        if not isinstance(values, list):
            name, values = _numbers_beside(item, len(documents))
            if not name:
                return None
            if columns.is_distance(name) and not are_in_order(values):
                raise self.text.error(DISORDERED.format(shown(topic), name))
            is_ranked = columns.plain(name) in NAMES_OF_LISTS_OF_RANKS
            if not is_ranked and columns.plain(name) not in NAMES_OF_LISTS_OF_SCORES:
                return None
        self._refuse_other_length(topic, len(documents), values)
        self.text.spend(TOPICS_OF_JSON)
        self.text.spend(ROWS_OF_JSON, len(documents))
        self._add_kind(topic, is_ranked)
        if is_ranked:
            _refuse_second_ranking(self.text, topic, self.ranked_topics)
            return list(map(negated, values))
        _add_positions(self.sample, QueryFound(topic, documents, values))
        return values

    def _refuse_other_length(self, topic: Any, count: int, scores: list[Any]) -> None:
        """Raise `FileError` for a list of scores that has not one for each of `count` documents."""
        if len(scores) != count:
            raise self.text.error(
                f"topic {shown(topic)}: the list of scores has the length {len(scores)}, and that "
                f"of the documents {count}"
            )

    def _columns(self, names: list[str]) -> tuple[dict[str, str], bool, Any]:
        """The columns of documents with these keys, which are mostly those of the last item,
        whether scores are ranks, and the key of ranks, None if there is none.
        """
        if self._names != names:
            reading = self.reading
            bare_id = _bare_id(names)
            has_id = columns.usual_column(names, "doc_id") or reading.chosen.names("doc_id")
            if bare_id and not has_id:
                own_columns = (*reading.chosen.columns, ("doc_id", bare_id))
                reading = reading._replace(chosen=reading.chosen._replace(columns=own_columns))
            keys, ranks = reading.columns(self.text.name, names)
            self._last_columns = keys, ranks, columns.ranks_in(names, reading.chosen)
            self._names = names
        return self._last_columns


def _numbers_beside(item: dict[str, Any], count: int) -> tuple[str, list[float]]:
    """The name and the values of a list of so many scores, ranks or distances in an item; an empty
    name without any.

    Ranks are 1, 2, 3 … or 0, 1, 2 … in any order. A list of scores is taken first.
    """
    found: dict[str, list[float]] = {}
    for name, values in item.items():
        if isinstance(values, list) and len(values) == count and _may_name_numbers(name):
            numbers = [number for number in map(number_in, values) if number is not None]
            if len(numbers) == count:
                found[name] = numbers
    for name in found:
        if columns.plain(name) in NAMES_OF_LISTS_OF_SCORES:
            return name, found[name]
    for name, numbers in found.items():
        if columns.plain(name) not in NAMES_OF_LISTS_OF_RANKS:
            continue
        places = np.sort(numbers) - np.arange(count)
        if np.ptp(places) == 0 and places[0] in (0, 1):
            return name, numbers
    for name, numbers in found.items():
        if columns.is_distance(name):
            return name, numbers
    return "", []


@lru_cache(1 << 8)
def _may_name_numbers(name: str) -> bool:
    """Whether a list with this name may have the scores, ranks or distances of documents."""
    names = (NAMES_OF_LISTS_OF_SCORES, NAMES_OF_LISTS_OF_RANKS)
    return any(columns.plain(name) in group for group in names) or columns.is_distance(name)


def _members(document: Any) -> dict[str, Any]:
    """The members of an object; none for anything else."""
    return document if isinstance(document, dict) else {}


def _is_topic(key: str, value: Any) -> bool:
    """Whether this holds the documents of a topic, not {"qid":
    …}, which is the query of an item.
    """
    if isinstance(value, list):
        has_text = any(isinstance(item, str) for item in value)
        return has_text or _is_list_of_ids(value)
    if not isinstance(value, dict) or "qid" in value:
        return False
    is_flat = {dict, list}.isdisjoint(map(type, value.values()))
    return key not in REFUSED or is_flat


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_list_of_ids(value: Any) -> bool:
    """Whether this is a list of texts, or of whole numbers."""
    if not isinstance(value, list):
        return False
    kinds = set(map(type, value))
    return not kinds or kinds in KINDS_OF_IDS


def _reason(thing: dict[str, Any], reading: Reading) -> str:
    """The reason why an object has no topic with documents."""
    role = reading.role
    answer = answer_in(thing)
    answers = thing.get("results")
    if answer is None and isinstance(answers, list) and answers:
        answer = answer_in(answers[0])
    is_surely_one = answer is not None and (bool(answer.hits) or _is_one_answer(thing))
    if answer is not None and is_surely_one:
        return (
            f"an answer of {answer.answer.engine} names no query; write {{query: answer, …}}, or "
            "give each answer a query_id"
        )
    responses = thing.get("responses")
    if isinstance(responses, list) and _is_any_answered(responses):
        return ANSWERS_WITHOUT_IDS
    for key, value in thing.items():
        if key in LISTS:
            return f"the object with {key} names no topic; give each object a query_id"
        if REFUSED.get(key) == VALUES and isinstance(value, list):
            continue  # the scores of the documents that another key lists
        if key in REFUSED:
            return f"{REFUSED[key]}; {TABLE}"
    is_flat = not any(isinstance(value, (dict, list)) for value in thing.values())
    names_ids = any(_id_of(thing, ours, reading) is not None for ours in IDS)
    if role is QRELS and thing and is_flat and not names_ids:
        topic, value = next(iter(thing.items()))
        return f"topic {shown(topic)}: {bare(topic, value)}"
    keys = shown(", ".join(thing))[1:-1] or "(none)"
    form = f"{{topic: {{document: {role.number}}}}}"
    return f"JSON of no known {role.kind}; an object has the keys {keys}; write {form}"


def _is_any_answered(responses: list[Any]) -> bool:
    """Whether one of the values is the answer of a search engine."""
    return any(answer_in(response) is not None for response in responses)


def _numbers_in_texts(texts: Sequence[str]) -> np.ndarray:
    """The numbers in texts, as `number_in`.

    Raises `ValueError` if one is no number, and for texts with characters that Python reads in
    another way than C.
    """
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():
        raise ValueError("texts that are read one by one")
    return np.array(list(map(float, texts)))


def _level_or_value(value: Any) -> Any:
    """The level of a word that has one, any other value unchanged."""
    level = level_of(value)
    return value if level is None else level


def _numbers(values: Sequence[Any], role: Role, location: Callable[[int], str]) -> np.ndarray:
    """The levels or scores as floats; `location` names a row in an error. Text may be a number."""
    kinds = set(map(type, values))
    with suppress(OverflowError):
        if kinds <= {int, float}:
            return np.array(values, dtype=np.float64)
    may_be_words = role is QRELS and has_level_words()
    if kinds == {str} and not may_be_words:
        with suppress(ValueError):
            return _numbers_in_texts(values)
    if may_be_words:
        values = list(map(_level_or_value, values))
    numbers = list(map(number_in, values))
    if None in numbers:
        row = numbers.index(None)
        reason = f"{shown(values[row])} is not a number"
        if values[row] is None:
            reason = "is missing or null; ranx writes NaN and ∞ as null"
        message = f"{location(row)}: the {role.number} {reason}"
        if isinstance(values[row], str) and role is QRELS:
            raise WordInFileError.of(message, values)
        raise FileError(message)
    return np.array(numbers, dtype=np.float64)
