"""Every form of qrels and runs, made from a dict of dicts.

`FORMS[name](source, value)` makes the form; `value` is ``relevance`` or ``score``. A
`random.Random` shuffles the rows of all topics together.
"""

import io
from collections import ChainMap, UserDict, namedtuple
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from operator import methodcaller
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pandas
import pyarrow
from pyarrow import csv, feather, ipc, parquet

from ir_measures_graded import RunFile
from ir_measures_graded.files.files import qrels_in

TABLE = pyarrow.Table.from_arrays
TSV = csv.WriteOptions(delimiter="\t", quoting_style="none")
DICTIONARY = pyarrow.dictionary(pyarrow.uint8(), pyarrow.string())
TERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}

Source = Mapping[str, Mapping[str, float]]
Form = Callable[..., Any]


def rows(source: Source, shuffle: Random | None = None) -> list[tuple[str, str, float]]:
    triples = [(topic, doc, value) for topic, docs in source.items() for doc, value in docs.items()]
    if shuffle is not None:
        shuffle.shuffle(triples)
    return triples


def shuffled(source: Source, shuffle: Random) -> dict[str, dict[str, float]]:
    """The same dict of dicts with its topics and documents in random order."""
    topics = [(topic, list(docs.items())) for topic, docs in source.items()]
    lists_of_docs = [docs for _, docs in topics]
    shuffle.shuffle(topics)
    for docs in lists_of_docs:
        shuffle.shuffle(docs)
    return {topic: dict(docs) for topic, docs in topics}


def dicts(source: Source, value: str, shuffle: Random | None = None) -> Source:
    return shuffled(source, shuffle) if shuffle is not None else source


def then(form: Form, change: Callable[[Any], Any]) -> Form:
    """A form that is made from another one."""

    def changed(*arguments: Any) -> Any:
        return change(form(*arguments))

    return changed


def mappings(kind: Callable[..., Any]) -> Form:
    """Mappings of this kind inside one of this kind."""

    def converted(source: Source) -> Any:
        return kind({topic: kind(docs) for topic, docs in source.items()})

    return then(dicts, converted)


def tuples(fields: str) -> Form:
    """Named tuples with these fields, which may include unneeded fields in any order."""

    def form(source: Source, value: str, shuffle: Random | None = None) -> list[Any]:
        kind = namedtuple("Row", fields.replace("VALUE", value))
        filled = kind(*["Q0"] * len(kind._fields))
        return [
            filled._replace(query_id=topic, doc_id=doc, **{value: number})
            for topic, doc, number in rows(source, shuffle)
        ]

    return form


def frame(ids: str | None = None, numbers: str | None = None) -> Form:
    """A DataFrame with an unneeded column, an unusual column order and a constant index."""

    def form(source: Source, value: str, shuffle: Random | None = None) -> Any:
        made = pandas.DataFrame(rows(source, shuffle), columns=["query_id", "doc_id", value])
        made[value] = made[value].astype(numbers or float)
        if ids is not None:
            made = made.astype({"query_id": ids, "doc_id": ids})
        made.index = [0] * len(made)
        made["iteration"] = "0"
        return made[[value, "iteration", "doc_id", "query_id"]]

    return form


def arrow(ids: str, make: Callable[..., Any]) -> Form:
    """Arrow columns with ids of this type, an unneeded column and an unusual column order."""
    id_type = DICTIONARY if ids == "dictionary" else ids

    def form(source: Source, value: str, shuffle: Random | None = None) -> Any:
        triples = rows(source, shuffle)
        values = pyarrow.array([float(number) for _, _, number in triples], "double")
        iterations = pyarrow.array(["0"] * len(triples), "string")
        docs = pyarrow.array([doc for _, doc, _ in triples], id_type)
        topics = pyarrow.array([topic for topic, _, _ in triples], id_type)
        names = [value, "iteration", "doc_id", "query_id"]
        return make([values, iterations, docs, topics], names)

    return form


class ArrowArray:
    """An object that exports one batch of Arrow data and nothing else."""

    def __init__(self, *columns: Any):
        self.batch = pyarrow.RecordBatch.from_arrays(*columns)

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.batch.__arrow_c_array__(requested_schema)


def stream(columns: list[Any], names: list[str]) -> Any:
    """A stream of Arrow data in batches of two rows, which can be read once."""
    table = TABLE(columns, names)
    return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))


def in_file(write: Callable[[Any, io.BytesIO], Any]) -> Callable[..., Any]:
    """Qrels or a run in an open file."""

    def make(columns: list[Any], names: list[str]) -> Any:
        file = io.BytesIO()
        write(TABLE(columns, names), file)
        content = io.BytesIO(file.getvalue())
        if "score" in names:
            return RunFile(content)
        return qrels_in(content)

    return make


def write_trec(table: Any, file: io.BytesIO) -> None:
    """TREC's lines."""
    for row in table.to_pylist():
        ids = f"{row['query_id']} 0 {row['doc_id']}"
        if "score" in row:
            line = f"{ids} 1 {row['score']!r} t\n"
        else:
            line = f"{ids} {row['relevance']!r}\n"
        file.write(line.encode())


def write_tsv(table: Any, file: io.BytesIO) -> None:
    csv.write_csv(table, file, TSV)


def write_stream(table: Any, file: io.BytesIO) -> None:
    with ipc.new_stream(file, table.schema) as written:
        written.write_table(table, max_chunksize=2)


def imported(library: str) -> Form:
    """An Arrow table that another library imports."""

    def make(columns: list[Any], names: list[str]) -> Any:
        return import_module(library).from_arrow(TABLE(columns, names))

    return arrow("string", make)


def objects(named_tuples: list[Any]) -> list[SimpleNamespace]:
    """Objects with the fields of named tuples as attributes."""
    return [SimpleNamespace(**row._asdict()) for row in named_tuples]


def batches(columns: list[Any], names: list[str]) -> list[Any]:
    return list(stream(columns, names))


PARQUET = in_file(partial(parquet.write_table, row_group_size=2))
FEATHER = in_file(partial(feather.write_feather, chunksize=2))
FORMS: dict[str, Form] = {
    "dict of dicts": dicts,
    "mapping proxies": mappings(MappingProxyType),
    "user dicts": mappings(UserDict),
    "chain maps": mappings(ChainMap),
    "list of named tuples": tuples("query_id doc_id VALUE"),
    "named tuples of ir-datasets": tuples("VALUE iteration query_id doc_id"),
    "generator": then(tuples("query_id doc_id VALUE"), iter),
    "list of other objects": then(tuples("query_id doc_id VALUE"), objects),
    "DataFrame": frame(),
    "DataFrame of objects": frame("object"),
    "DataFrame of strings stored by Python": frame("string[python]"),
    "DataFrame of categories": frame("category"),
    "DataFrame with nullable numbers": frame(numbers="Float64"),
    "DataFrame with numbers as objects": frame(numbers="object"),
    "rows of a DataFrame": then(frame(), methodcaller("itertuples")),
    "NumPy records": then(frame(), methodcaller("to_records", index=False)),
    "DataFrame of Arrow strings": frame("string[pyarrow]"),
    "DataFrame of Arrow columns": frame("string[pyarrow]", "double[pyarrow]"),
    "Arrow table": arrow("string", TABLE),
    "Arrow table of large strings": arrow("large_string", TABLE),
    "Arrow table of dictionaries": arrow("dictionary", TABLE),
    "Arrow record batch": arrow("string", pyarrow.RecordBatch.from_arrays),
    "Arrow array": arrow("string", ArrowArray),
    "list of Arrow record batches": arrow("string", batches),
    "TREC file": arrow("string", in_file(write_trec)),
    "CSV file": arrow("string", in_file(csv.write_csv)),
    "TSV file": arrow("string", in_file(write_tsv)),
    "Parquet file": arrow("string", PARQUET),
    "Parquet file of dictionaries": arrow("dictionary", PARQUET),
    "Arrow file": arrow("large_string", FEATHER),
    "Arrow file of dictionaries": arrow("dictionary", FEATHER),
    "Arrow stream in a file": arrow("string_view", in_file(write_stream)),
}
if find_spec("duckdb"):
    FORMS["DuckDB relation"] = imported("duckdb")

ONLY_GRADED: dict[str, Form] = {
    "DataFrame of PyTerrier": then(frame(), methodcaller("rename", columns=TERRIER)),
    "Arrow stream": arrow("string", stream),
    "Arrow stream of string views": arrow("string_view", stream),
}
"""Forms that `GradedEvaluator` reads, but that ir-measures cannot share between providers."""
if find_spec("polars"):
    ONLY_GRADED["Polars DataFrame"] = imported("polars")
