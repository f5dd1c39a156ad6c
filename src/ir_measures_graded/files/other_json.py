"""JSON of other kinds than qrels and runs, named as what it is by its keys, with what to export."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ..core.rows.columns import MOST_COLUMNS, is_known
from ..core.rows.roles import QRELS, RUN

RECORDS = 'write it with frame.to_json(path, orient="records"), or as CSV or Parquet'


def _is_split(value: Any) -> bool:
    return _has_keys(value, "columns", "data") and isinstance(value["data"], list)


def _is_described(value: Any) -> bool:
    return _has_keys(value, "schema", "data") and isinstance(value["data"], list)


def _is_by_column(value: Any) -> bool:
    return _is_of_objects(value) and _names_columns(value)


def _is_by_row(value: Any) -> bool:
    return _is_of_objects(value) and all(_names_columns(row) for row in value.values())


def _is_of_lists(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, list) for row in value)


def _is_of_llama_index(value: Any) -> bool:
    return _has_keys(value, "queries", "corpus", "relevant_docs")


def _is_of_vespa(value: Any) -> bool:
    if not _has_keys(value, "root") or not isinstance(value["root"], dict):
        return False
    return bool({"children", "relevance", "coverage", "fields"} & value["root"].keys())


def _is_of_algolia(value: Any) -> bool:
    hits = value.get("hits") if _has_keys(value, "hits") else None
    return isinstance(hits, list) and bool(hits) and _has_keys(hits[0], "objectID")


def _is_of_msearch(value: Any) -> bool:
    if not _has_keys(value, "responses") or not isinstance(value["responses"], list):
        return False
    return any(map(_is_of_elasticsearch, value["responses"]))


def _is_of_elasticsearch(value: Any) -> bool:
    if not _has_keys(value, "hits"):
        return False
    return isinstance(value["hits"], list) or _has_keys(value["hits"], "hits")


ANSWERS_WITHOUT_IDS = (
    "answers of _msearch of OpenSearch or Elasticsearch without their queries; write "
    '{"ids": ["q1", …], "responses": […]} with one id for each response, in the same order, or a '
    "table with the columns query_id, _id and _score of each hit"
)
OTHER_JSON: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (
        _is_of_llama_index,
        "a dataset of LlamaIndex; write its relevant_docs, {topic: [document, …]}, as a file",
    ),
    (
        _is_of_vespa,
        "a response of Vespa without its query; write {query_id: response}, or a table with "
        "query_id, id and relevance of each child of root",
    ),
    (
        _is_of_algolia,
        "an answer of Algolia without its query; write {query_id: answer}, or a list of ids, the "
        "best first: {query_id: [objectID, …]}",
    ),
    (_is_of_msearch, ANSWERS_WITHOUT_IDS),
    (
        _is_of_elasticsearch,
        "JSON of OpenSearch or Elasticsearch without its query; write {query_id: response}, or a "
        "table with the columns query_id, _id and _score of each hit; or name a folder of such "
        "files, each with the name of its query",
    ),
    (_is_split, f'a DataFrame as JSON (orient="split"); {RECORDS}'),
    (_is_described, f'a DataFrame as JSON (orient="table"); {RECORDS}'),
    (_is_by_column, f'a DataFrame as JSON (orient="columns"); {RECORDS}'),
    (_is_by_row, f'a DataFrame as JSON (orient="index"); {RECORDS}'),
    (
        _is_of_lists,
        f'lists without names, as a DataFrame is written with orient="values"; {RECORDS}',
    ),
)
"""Other kinds of JSON: a function that knows a value of this kind, and what it is."""


def json_of_other_kind(value: Any) -> str:
    """What a value of JSON is, and what to export; empty if it is not of another known kind.

    >>> json_of_other_kind({"columns": ["query_id", "doc_id"], "data": []}).partition(";")[0]
    'a DataFrame as JSON (orient="split")'
    """
    return next((reason for is_kind, reason in OTHER_JSON if is_kind(value)), "")


def _has_keys(value: Any, *keys: str) -> bool:
    return isinstance(value, dict) and value.keys() >= {*keys}


def _is_of_objects(value: Any) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    return all(isinstance(member, dict) for member in value.values())


def _names_columns(names: Collection[str]) -> bool:
    """Whether two of the names or more are those of columns."""
    if len(names) > MOST_COLUMNS:
        return False
    known_names = [name for name in names if is_known(name, RUN) or is_known(name, QRELS)]
    return len(known_names) >= 2
