"""Qrels and runs of any size from fixed seeds, in each form in which users have them.

    XS    10 topics ×  100 retrieved,   60 judged, levels 0–3
    S     50 topics × 1000 retrieved,  300 judged, levels 0–3
    M    250 topics × 1000 retrieved, 1250 judged, levels 0–2
    L   6980 topics × 1000 retrieved, 1 or 2 judged, level 1 (the shape of MS MARCO's dev set)
    X   1000 topics × 1000 retrieved, 1000 judged, levels 0–4

L50 to L70000 are L with so many topics. D3 to D6 are ten topics with a thousand to a million
retrieved documents and a tenth as many judged ones. 70 million rows take 2.2 GB of disk.

Topics and documents have string ids; all topics draw from one collection. Half of a topic's judged
documents are retrieved, at random ranks. About one retrieved document in twenty shares its score
with its neighbour. Rows are grouped by topic, those of a run ordered by score, as systems write
them.

Every row has its own id strings, as if qrels and run were read from two files: a document is a
different object in the qrels and in the run. The strings of dicts have cached their hash (keys of a
dict always have).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from ir_measures import Qrel, ScoredDoc
from pyarrow import csv, feather, parquet

COLLECTION = 8_999_993  # documents; about those of MS MARCO, and a prime
FIRST_ID = 1_000_000  # gives all ids the same length
BLOCK = 1_000  # topics that are generated at a time

Input = tuple[Any, Any]
"""Qrels and a run, in the same form."""


@dataclass(frozen=True)
class Shape:
    """The number of topics and the size of each; `judged` and `levels` are inclusive ranges."""

    topics: int
    retrieved: int
    judged: tuple[int, int]
    levels: tuple[int, int]
    tied: float = 1 / 20


SHAPES = {
    "XS": Shape(10, 100, (60, 60), (0, 3)),
    "S": Shape(50, 1000, (300, 300), (0, 3)),
    "M": Shape(250, 1000, (1250, 1250), (0, 2)),
    "L": Shape(6980, 1000, (1, 2), (1, 1)),
    "X": Shape(1000, 1000, (1000, 1000), (0, 4)),
}
SHAPES |= {f"L{topics}": replace(SHAPES["L"], topics=topics) for topics in (50, 500, 5_000, 70_000)}
for power in (3, 4, 5, 6):
    judged_documents = 10 ** (power - 1)
    SHAPES[f"D{power}"] = Shape(10, 10**power, (judged_documents, judged_documents), (0, 3))


def blocks(shape: Shape) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Qrels and run, some topics at a time, which bounds the memory for workloads of any size."""
    for first in range(0, shape.topics, BLOCK):
        yield _block(shape, np.arange(first, min(first + BLOCK, shape.topics)))


def _block(shape: Shape, topics: np.ndarray) -> tuple[pa.Table, pa.Table]:
    random = np.random.default_rng([topics[0], shape.retrieved, *shape.judged])
    column = (len(topics), 1)

    # Equal steps through a collection of a prime number of documents never meet a document twice.
    # The run retrieves the first documents of this walk; the next documents are only judged.
    start = random.integers(COLLECTION, size=column)
    step = random.integers(1, COLLECTION, size=column)
    document = (start + step * np.arange(shape.retrieved + shape.judged[1])) % COLLECTION

    gaps = random.integers(1, 20, size=(len(topics), shape.retrieved))
    gaps[random.random(gaps.shape) < shape.tied / 2] = 0  # a gap of 0 ties two documents
    scores = np.cumsum(gaps[:, ::-1], axis=1)[:, ::-1] / 1000

    least_judged, most_judged = shape.judged
    judged = random.integers(least_judged, most_judged + 1, size=column)
    half = (most_judged + 1) // 2
    all_ranks = np.tile(np.arange(shape.retrieved), column)
    retrieved_places = random.permuted(all_ranks, axis=1)[:, :half]
    unretrieved = np.arange(shape.retrieved, shape.retrieved + most_judged - half)
    places = np.hstack((retrieved_places, np.tile(unretrieved, column)))
    is_judged_and_retrieved = np.arange(half) < (judged + 1) // 2
    is_judged_only = np.arange(len(unretrieved)) < judged // 2
    is_judged = np.hstack((is_judged_and_retrieved, is_judged_only))
    least, most = shape.levels
    levels = random.integers(least, most + 1, size=np.count_nonzero(is_judged))
    judged_documents = np.take_along_axis(document, places, 1)[is_judged]
    qrels = _table(Qrel._fields, topics, is_judged.sum(axis=1), judged_documents, levels)

    lengths = np.full(len(topics), shape.retrieved)
    retrieved_documents = document[:, : shape.retrieved].ravel()
    run = _table(ScoredDoc._fields, topics, lengths, retrieved_documents, scores.ravel())
    return qrels, run


def _table(
    names: tuple[str, ...],
    topics: np.ndarray,
    sizes: np.ndarray,
    documents: np.ndarray,
    values: np.ndarray,
) -> pa.Table:
    topic_ids = pa.array(np.repeat(topics + 1, sizes)).cast(pa.string())
    document_ids = pa.array(documents + FIRST_ID).cast(pa.string())
    return pa.table(dict(zip(names, (topic_ids, document_ids, values))))


def tables(shape: Shape) -> tuple[pa.Table, pa.Table]:
    """Qrels and run as Arrow tables."""
    qrels, run = zip(*blocks(shape))
    return pa.concat_tables(qrels).combine_chunks(), pa.concat_tables(run).combine_chunks()


def _each(convert: Callable[[pa.Table], Any]) -> Callable[[Shape], Input]:
    """The maker of an input whose qrels and run are converted alike."""

    def build(shape: Shape) -> Input:
        qrels, run = map(convert, tables(shape))
        return qrels, run

    return build


def _frames(kind: str) -> Callable[[Shape], Input]:
    """Data frames whose ids are of a `kind`.

    `str` is backed by Arrow from pandas 3 on; `object` makes a Python string for each row.
    """

    def frame(table: pa.Table) -> Any:
        return table.to_pandas().astype({"query_id": kind, "doc_id": kind})

    return _each(frame)


def _tuples(shape: Shape) -> Input:
    qrels, run = tables(shape)
    judgments = list(map(Qrel, *_lists(qrels)))
    retrieved = list(map(ScoredDoc, *_lists(run)))
    return judgments, retrieved


def _lists(table: pa.Table) -> list[list[Any]]:
    return [column.to_pylist() for column in table.columns]


def _by_topic(table: pa.Table) -> dict[str, dict[str, Any]]:
    result: dict[str, dict[str, Any]] = {}
    for topic, document, value in zip(*_lists(table)):
        result.setdefault(topic, {})[document] = value
    return result


FORMS: dict[str, Callable[[Shape], Input]] = {
    "frame, str": _frames("str"),
    "frame, object": _frames("object"),
    "frame, category": _frames("category"),
    "dicts": _each(_by_topic),
    "tuples": _tuples,
}


ARROW_FORMS: dict[str, Callable[[Shape], Input]] = {"Arrow": tables}
"""Forms that export Arrow, which ir-measures itself does not read."""


TREC = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
TABLE_FILES: dict[str, Callable[[pa.Table, str], None]] = {
    "parquet": parquet.write_table,
    "feather": feather.write_feather,
    "csv": csv.write_csv,
}


def written(shape: Shape, folder: Path, kind: str = "txt") -> tuple[Path, Path]:
    """Files of qrels and run: TREC's lines, some topics at a time, or a kind in `TABLE_FILES`."""
    qrels_path = folder / f"qrels.{kind}"
    run_path = folder / f"run.{kind}"
    folder.mkdir(exist_ok=True)
    if run_path.exists():
        return qrels_path, run_path
    if kind in TABLE_FILES:
        write = TABLE_FILES[kind]
        qrels, run = tables(shape)
        write(qrels, str(qrels_path))
        write(run, str(run_path))
        return qrels_path, run_path
    with qrels_path.open("wb") as qrels_file, run_path.open("wb") as run_file:
        for qrels, run in blocks(shape):
            qrels = qrels.add_column(1, "iteration", [pa.repeat("0", len(qrels))])
            csv.write_csv(qrels, qrels_file, TREC)
            ranks = np.arange(len(run)) % shape.retrieved + 1
            run = run.add_column(1, "Q0", [pa.repeat("Q0", len(run))])
            run = run.add_column(3, "rank", [ranks])
            run = run.append_column("tag", [pa.repeat("made", len(run))])
            csv.write_csv(run, run_file, TREC)
    return qrels_path, run_path
