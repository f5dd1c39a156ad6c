"""Answers and ratings of search engines in JSON, by one table of paths.

`ANSWERS` has the places of hits in the answer to one query, and `CONTAINERS` the places of queries
with answers or ratings in a whole file. One reader, `topics_of`, follows both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple

from ..core.rows.columns import NAMES_OF_RANKS, NAMES_OF_SCORES, is_distance
from ..core.rows.roles import QRELS, RUN, Role
from ..errors import shown
from .forms import negated, number_in

EACH = "*"  # each element of a list
RATED = ("relevant_documents", "relevant_docs", "ratings")
"""The keys of the rated documents of a query."""
TOPICS = (("id",), ("query_id",), ("qid",), ("placeholders", "$query"), ("query_text",), ("query",))
"""The paths of the topic of a query, best first."""
IDS = (("_id",), ("hit", "_id"), ("docId",), ("doc_id",), ("docid",), ("id",))
"""The paths of the id of a document, best first."""
IDS_OF_QUERIES = ("ids", "query_ids", "queries", "topics", "qids")
"""The keys of the ids of queries beside their answers, in one order."""


class AnswerForm(NamedTuple):
    """Where the answer of a search engine has its hits, and where a hit has its score and its id.

    `total` is where an answer that omits an empty list of hits has their number, and `errors` where
    it has the reasons of a failure. `mark` is a key that only answers of this engine have beside
    their hits. `ranks` are where a hit without a score may have its rank. `pages` are where an
    answer may have its page or its first hit, each with the number of the first one.
    """

    engine: str
    hits: tuple[str, ...]
    score: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    ids: tuple[tuple[str, ...], ...] = IDS
    mark: str = ""
    ranks: tuple[tuple[str, ...], ...] = ()
    pages: tuple[tuple[tuple[str, ...], int], ...] = ()


ALGOLIA = "Algolia"
IN_PARAMS = ("query", "page")
"""What an answer of Algolia may have only in `params`, the parameters of its search."""
PAGES_FROM_1 = ((("page",), 1), (("offset",), 0))
"""Where an answer of Meilisearch or Typesense has its page or its first hit."""
ANSWERS = (
    AnswerForm("Elasticsearch or OpenSearch", ("hits", "hits"), (("_score",),)),
    AnswerForm("Solr", ("response", "docs"), (("score",),), pages=((("response", "start"), 0),)),
    AnswerForm(
        "Vespa",
        ("root", "children"),
        (("relevance",),),
        total=("root", "fields", "totalCount"),
        errors=("root", "errors"),
    ),
    # A hit of Algolia may have a field id, which is another one.
    AnswerForm(ALGOLIA, ("hits",), (), ids=(("objectID",),), pages=((("page",), 0),)),
    # The hits are sorted by any field, so that text_match and vector_distance may not rank them.
    AnswerForm(
        "Typesense",
        ("hits",),
        (),
        ids=(("document", "id"),),
        mark="found",
        pages=PAGES_FROM_1,
    ),
    # A field score of a hit is one of the document.
    AnswerForm(
        "Meilisearch",
        ("hits",),
        (("_rankingScore",),),
        mark="processingTimeMs",
        pages=PAGES_FROM_1,
    ),
    AnswerForm(
        "a search engine",
        ("hits",),
        (("hit", "_score"), ("_score",), *((name,) for name in NAMES_OF_SCORES)),
        ranks=tuple((name,) for name in NAMES_OF_RANKS),
        pages=PAGES_FROM_1,
    ),
)

ANSWERS_BY_START = [(answer.hits[0], answer) for answer in ANSWERS]
"""The answers with the key in which their hits are, or their number."""
STARTS_OF_HITS = frozenset(start for start, _ in ANSWERS_BY_START)
HITS_OF_ONE = (("response", "docs"), ("root", "children"))
"""Where one answer of Solr or Vespa has its hits."""
ECHOED_QUERY = ("responseHeader", "params", "q")
"""Where Solr repeats the query."""


class Container(NamedTuple):
    """Where a file has queries with their ratings."""

    kind: str
    queries: tuple[str, ...]


CONTAINERS = (
    Container("a request of _rank_eval", ("requests",)),
    Container("judgments of OpenSearch", ("judgmentRatings",)),
    Container("judgments of OpenSearch", ("hits", "hits", EACH, "_source", "judgmentRatings")),
    Container("ratings of Quepid or RRE", ("queries",)),
    Container("ratings of RRE", ("topics", EACH, "query_groups", EACH, "queries")),
    Container("ratings of RRE", ("query_groups", EACH, "queries")),
)
VALUES_OF_RATED = (("rating",), ("gain",), ("relevance",), ("grade",))


class QueryFound(NamedTuple):
    """A query with its documents and their scores or levels.

    `incomplete` is why a search engine did not search all documents; empty if it did.
    """

    topic: Any
    documents: list[Any]
    values: list[Any]
    is_ranked: bool = False
    incomplete: str = ""


class AnswerFound(NamedTuple):
    """The answer of a search engine, its hits and their ids, and why it may lack some; empty if it
    does not.
    """

    answer: AnswerForm
    hits: list[Any]
    ids: list[Any]
    incomplete: str


class QueriesFound(NamedTuple):
    """The queries in a value of JSON, what they are, and whether qrels or a run.

    `failed` has the topics whose queries failed, each with the reason.
    """

    role: Role
    kind: str
    queries: Iterator[QueryFound]
    failed: tuple[tuple[str, str], ...] = ()


def at(value: Any, path: Sequence[str]) -> Any:
    """The value at a path of keys; None if there is none.

    >>> at({"hits": {"hits": [1]}}, ("hits", "hits"))
    [1]
    """
    for key in path:
        if not isinstance(value, dict):  # Mapping takes ten times as long
            return None
        value = value.get(key)
    return value


def answer_in(value: Any) -> AnswerFound | None:
    """The answer of a search engine in a value or in one of its members, and its hits."""
    if not isinstance(value, dict):
        return None
    for inner in (value, *value.values()):
        if not isinstance(inner, dict) or STARTS_OF_HITS.isdisjoint(inner):
            continue
        for start, answer in ANSWERS_BY_START:
            if start not in inner:  # nor has it a total number of hits
                continue
            if answer.mark and answer.mark not in inner:
                continue
            hits = at(inner, answer.hits)
            if hits is None:
                if not _is_omitted(inner, answer):
                    continue
                hits = []
            ids = _ids_of(hits, answer)
            if ids is not None:
                return _without_groups(answer, hits, ids, _incompleteness_of(inner, answer))
    return None


def with_params(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer of Algolia with the query and the page that it has only in its `params`.

    >>> with_params({"hits": [], "params": "query=red+shoes&page=1"})["query"]
    'red shoes'
    """
    params = answer.get("params")
    if not isinstance(params, str):
        return answer
    values = _values_in(params)
    return answer | {name: value for name, value in values.items() if answer.get(name) is None}


@lru_cache(1)  # The topic and the page of an answer are read one after the other.
def _values_in(params: str) -> dict[str, str | int]:
    """The query and the page in the parameters of a search; pages as numbers."""
    values: dict[str, str | int] = {}
    for pair in params.split("&"):
        name, _, value = pair.partition("=")
        name = _unquoted(name)
        if name in IN_PARAMS and value:
            values.setdefault(name, _unquoted(value))
    page = values.get("page")
    if isinstance(page, str) and page.isdecimal():
        values["page"] = int(page)
    return values


def _unquoted(text: str) -> str:
    """A name or a value in the parameters of an address."""
    if "%" not in text and "+" not in text:
        return text
    from urllib.parse import unquote_plus  # Only such answers need it.

    return unquote_plus(text)


def _without_groups(
    answer: AnswerForm, hits: list[Any], ids: list[Any], incomplete: str
) -> AnswerFound:
    """The answer with those of the hits that are documents: Vespa's groups stand among them, with
    hits of their own.
    """
    is_group = [isinstance(hit["children"], list) for hit in hits if "children" in hit]
    if any(is_group):
        is_group = [isinstance(hit.get("children"), list) for hit in hits]
        ids = [id_ for id_, is_left_out in zip(ids, is_group, strict=True) if not is_left_out]
        hits = [hit for hit, is_left_out in zip(hits, is_group, strict=True) if not is_left_out]
        if not hits:
            incomplete = "its hits are in groups"
    return AnswerFound(answer, hits, ids, incomplete)


REASONS = ("reason", "msg", "message", "summary", "type")
"""The keys of the reason in an error of a search engine, best first."""


def failure_in(value: Any) -> str:
    """The reason if a value or one of its members is the error of a search engine, else empty.

    >>> failure_in({"error": {"type": "x", "reason": "no such index [a]"}, "status": 404})
    'no such index [a]'
    >>> failure_in({"error": 0.5, "d1": 0.25})
    ''
    """
    if not isinstance(value, dict):
        return ""
    for inner in (value, *value.values()):
        if not isinstance(inner, dict):  # as the numbers of a long ranking
            continue
        if "error" not in inner and "root" not in inner:
            continue
        errors = at(inner, ("root", "errors"))
        has_hits = at(inner, ("root", "children"))
        if isinstance(errors, list) and errors and not has_hits:
            return _reason_of(errors[0]) or "no reason is given"
        error = at(inner, ("error",))
        if isinstance(error, str) and "status" in inner:
            return error
        reason = _reason_of(error)
        if reason:
            return reason
    return ""


def _reason_of(error: Any) -> str:
    """The reason in an error of a search engine; empty for anything else."""
    if not isinstance(error, dict):
        return ""
    for key in REASONS:
        reason = error.get(key)
        if isinstance(reason, str) and reason:
            return reason
    return ""


KEYS_OF_INCOMPLETENESS = frozenset(
    [
        "_shards",
        "timed_out",
        "terminated_early",
        "responseHeader",
        "root",
        "response",
        "page",
        "offset",
        "params",
    ]
)
"""The keys of an answer that tell whether it may lack documents."""


def _incompleteness_of(value: Any, form: AnswerForm) -> str:
    """Why the answer of a search engine may lack documents; empty if it says nothing of it."""
    if KEYS_OF_INCOMPLETENESS.isdisjoint(value):
        return ""
    if "_shards" in value:
        failed = at(value, ("_shards", "failed"))
        if isinstance(failed, int) and failed > 0:
            return f"{failed} of {at(value, ('_shards', 'total'))} shards failed"
    if value.get("timed_out") is True:
        return "the search timed out"
    if value.get("terminated_early") is True:
        return "the search terminated early"
    if "responseHeader" in value:
        partial = at(value, ("responseHeader", "partialResults"))
        if partial in (True, "true", "omitted"):
            return "the results are partial"
    if "root" in value:
        errors = at(value, ("root", "errors"))
        if errors:
            return _reason_of(errors[0]) or "the search had an error"
        coverage = at(value, ("root", "coverage"))
        if at(coverage, ("full",)) is False:
            return f"{at(coverage, ('coverage',))} % of the documents were searched"
    answer = with_params(value)
    for path, first in form.pages:
        page = at(answer, path)
        if isinstance(page, int) and page > first:
            return f"it is a later page, {'.'.join(path)} {page}"
    return ""


def refusal_of(value: dict[str, Any]) -> str:
    """Why the answers of a search engine in a whole file cannot be read; empty if they can.

    >>> refusal_of({"ids": ["q1"], "responses": [{"error": {"reason": "no index"}}]})
    "topic 'q1': the search engine answered with an error: no index; repeat the query"
    """
    responses = value.get("responses")
    details = value.get("details")
    if isinstance(responses, list) and responses:
        keys = [key for key in IDS_OF_QUERIES if isinstance(value.get(key), list)]
        ids = value[keys[0]] if keys else range(1, len(responses) + 1)
        is_answered = any(answer_in(response) is not None for response in responses)
        if is_answered and len(ids) != len(responses):
            return f"{len(ids)} {keys[0]} and {len(responses)} responses; give one for each"
        topic, count = Counter(map(str, ids)).most_common(1)[0]
        if is_answered and count > 1:
            return f"topic {shown(topic)} has {count} responses; give one for each topic"
        for topic, response in zip(ids, responses, strict=False):
            failure = failure_in(response)
            if failure:
                name = topic if keys else f"no. {topic}"
                return failed_answer(name, failure)
    elif details == {} and isinstance(value.get("failures"), dict):
        for topic, failure in value["failures"].items():
            return failed_answer(topic, failure_in(failure))
    elif failure_in(value) and not isinstance(details, dict):
        return f"the search engine answered with an error: {failure_in(value)}; repeat the query"
    return ""


def failed_answer(topic: Any, reason: str) -> str:
    """The message about a topic whose query failed."""
    failed = f"the search engine answered with an error: {reason or 'no reason is given'}"
    return f"topic {shown(topic)}: {failed}; repeat the query"


def _is_omitted(value: Any, answer: AnswerForm) -> bool:
    """Whether the answer omits its list of hits because the query has none.

    A query that failed has none either, and tells its errors.
    """
    if not answer.total or at(value, answer.errors):
        return False
    return at(value, answer.total) == 0


def _ids_of(hits: Any, answer: AnswerForm) -> list[Any] | None:
    """The ids of the hits of an answer; None if these are no retrieved documents, as documents with
    judgments of OpenSearch.
    """
    if not isinstance(hits, list):
        return None
    if not hits:
        return []
    ids = _first_of_each(hits, answer.ids)
    if None in ids:
        return None
    for hit in hits:
        if "_source" in hit and at(hit, ("_source", "judgmentRatings")) is not None:
            return None
    return ids


def _first_of_each(values: Sequence[Any], paths: Sequence[Sequence[str]]) -> list[Any]:
    """The first value at one of the paths that is there, in each of the values.

    If all values have it at one place, a look at all together takes less time.
    """
    if not paths:
        return [None] * len(values)
    if len(values) >= LEAST_LOOKED_AT_TOGETHER and set(map(type, values)) == {dict}:
        for path in paths:
            cells = [value.get(path[0]) for value in values]
            if len(path) > 1:
                cells = [at(value, path[1:]) for value in cells]
            kinds = set(map(type, cells))
            if kinds <= KINDS_OF_CELLS:
                return cells
            if kinds != {type(None)}:
                break
        else:
            return [None] * len(values)
    return [_first(value, paths) for value in values]


LEAST_LOOKED_AT_TOGETHER = 8
"""The least number of values of which a look at all together takes less time."""
KINDS_OF_CELLS = frozenset((str, int, float))


def _first(value: Any, paths: Sequence[Sequence[str]]) -> Any:
    """The first value at one of the paths that is there; None if there is none."""
    if not isinstance(value, dict):
        return None
    for path in paths:
        inner = value.get(path[0])
        if inner is None:
            continue
        if len(path) > 1:
            inner = at(inner, path[1:])
        if isinstance(inner, (str, int, float)):
            return inner
    return None


def _at_one_path(hits: Sequence[Any], paths: Sequence[Sequence[str]]) -> list[Any]:
    """The values of hits at the first path where one of them has a value, None for those without.

    Scores of two names are on different scales, so that hits cannot be ranked by both.
    """
    for path in paths:
        values = _first_of_each(hits, [path])
        if values.count(None) < len(values):
            return values
    return [None] * len(hits)


def disordered_distance(answer: AnswerFound) -> str:
    """The name of a distance in the order of which hits without scores are not; empty if there is
    none.

    Larger distances are better in some engines, as Milvus names similarities so.

    >>> hits = [{"id": "d1", "distance": 0.5}, {"id": "d2", "distance": 0.7}]
    >>> disordered_distance(answer_in({"hits": hits}))
    ''
    >>> disordered_distance(answer_in({"hits": [*hits, {"id": "d3", "distance": 0.1}]}))
    'distance'
    """
    if not answer.hits or not isinstance(answer.hits[0], dict):
        return ""
    for name in filter(is_distance, answer.hits[0]):
        if not are_in_order([hit.get(name) for hit in answer.hits]):
            return str(name)
    return ""


def are_in_order(values: Sequence[Any]) -> bool:
    """Whether numbers never fall, or never rise; also if one of the values is no number."""
    numbers = [number for number in map(number_in, values) if number is not None]
    if len(numbers) < len(values):
        return True
    never_falls = all(first <= second for first, second in pairwise(numbers))
    return never_falls or all(first >= second for first, second in pairwise(numbers))


def answered(topic: Any, answer: AnswerFound, own_score: str | None = None) -> QueryFound:
    """A query with its hits. `own_score` is the member with the score that the user names.

    If no hit has a score, as in answers that are sorted by a field, the position is the rank,
    unless each hit names its rank.
    """
    if not answer.hits:
        return QueryFound(topic, [], [], False, answer.incomplete)
    paths = answer.answer.score if own_score is None else ((own_score,),)
    scores = _at_one_path(answer.hits, paths)
    is_ranked = bool(scores) and scores.count(None) == len(scores)
    if is_ranked:
        ranks = _at_one_path(answer.hits, answer.answer.ranks)
        if ranks.count(None) == len(ranks):
            ranks = list(range(1, 1 + len(scores)))
        scores = list(map(negated, ranks))
    return QueryFound(topic, answer.ids, scores, is_ranked, answer.incomplete)


def _answers_in(
    values: Sequence[Any], count_topics: Callable[[int], None]
) -> list[AnswerFound] | None:
    """The answer of a search engine in each of the values; None if one of them has none.

    If the first one has one, all are counted as topics, before each is looked at.
    """
    answers: list[AnswerFound] = []
    for value in values:
        answer = answer_in(value)
        if answer is None:
            return None
        if not answers:
            count_topics(len(values))
        answers.append(answer)
    return answers


def _uncounted(topics: int) -> None:
    """Count no topics."""


def queries_in(
    value: dict[str, Any], count_topics: Callable[[int], None] = _uncounted
) -> QueriesFound | None:
    """The queries in a whole file, which is one object; None for any other object.

    `count_topics` counts them against the limit of a compressed file, as early as possible.
    """
    responses = value.get("responses")
    if isinstance(responses, list):
        keys = [key for key in IDS_OF_QUERIES if isinstance(value.get(key), list)]
        answers = _answers_in(responses, count_topics) if keys else None
        if answers is not None and len(value[keys[0]]) == len(answers):
            pairs = zip(value[keys[0]], answers, strict=True)
            queries = (answered(topic, answer) for topic, answer in pairs)
            return QueriesFound(RUN, "answers of _msearch", queries)
    results = value.get("results")
    if isinstance(results, list) and results:
        answers = _answers_in(results, count_topics)
        topics = []
        if answers is not None:
            topics = [_first(with_params(result), TOPICS) for result in results]
        if answers is not None and None not in topics:
            pairs = zip(topics, answers, strict=True)
            queries = (answered(topic, answer) for topic, answer in pairs)
            return QueriesFound(RUN, "answers of Algolia", queries)
    details = value.get("details")
    if isinstance(details, dict) and "metric_score" in value:
        answers = _answers_in(list(details.values()), count_topics)
        if answers is not None:
            pairs = zip(details, answers, strict=True)
            queries = (answered(topic, answer) for topic, answer in pairs)
            failures = value.get("failures")
            failed = []
            if isinstance(failures, dict):
                count_topics(len(failures))
                for topic, failure in failures.items():
                    failed.append((topic, failure_in(failure) or "the query failed"))
            return QueriesFound(RUN, "a response of _rank_eval", queries, tuple(failed))
    for container in CONTAINERS:
        queries_at = list(_walked(value, container.queries, None))
        judged: list[QueryFound] = []
        for query, lent in queries_at:
            rated = _rated(query, lent)
            if rated is None:
                break
            if not judged:
                count_topics(len(queries_at))
            judged.append(rated)
        if judged and len(judged) == len(queries_at):
            return QueriesFound(QRELS, container.kind, iter(judged))
    return None


def _walked(value: Any, path: Sequence[str], lent: Any) -> Iterator[tuple[Any, Any]]:
    """The queries at a path, each with the rated documents that a group of queries lends."""
    elements = value if isinstance(value, list) else []
    if not path:
        for query in elements:
            yield query, lent
        return
    first, *others = path
    if first == EACH:
        for element in elements:
            yield from _walked(element, others, lent)
    elif isinstance(value, Mapping) and first in value:
        yield from _walked(value[first], others, value.get("relevant_documents", lent))


def _rated(query: Any, lent: Any) -> QueryFound | None:
    """A query with its rated documents; None if it has no topic or no documents."""
    if not isinstance(query, Mapping):
        return None
    topic = _first(query, TOPICS)
    documents = next((query[key] for key in RATED if key in query), lent)
    if topic is None or not isinstance(documents, (list, dict)):
        return None
    if isinstance(documents, list):
        ids = _first_of_each(documents, IDS)
        levels = _first_of_each(documents, VALUES_OF_RATED)
        return QueryFound(topic, ids, levels)
    by_level = documents and all(isinstance(ids, list) for ids in documents.values())
    if by_level:
        ids = list(chain.from_iterable(documents.values()))
        levels = [level for level, ids_of_level in documents.items() for _ in ids_of_level]
        return QueryFound(topic, ids, levels)
    return QueryFound(topic, list(documents), list(map(_level_in, documents.values())))


def _level_in(rating: Any) -> Any:
    """The level in the rating of a document, which is an object or the level itself."""
    return _first(rating, VALUES_OF_RATED) if isinstance(rating, dict) else rating
