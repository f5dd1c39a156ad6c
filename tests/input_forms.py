"""Every form of qrels and runs, made from a dict of dicts.

`FORMS[name](source, value)` makes the form; `value` is ``relevance`` or ``score``. A
`random.Random` shuffles the rows of all topics together.
"""

import io
from collections import ChainMap, UserDict, namedtuple
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pandas
import pyarrow
from pyarrow import csv, feather, ipc, parquet

from ir_measures_graded import RunFile
from ir_measures_graded.inputs.files import qrels_table

TERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}

Source = Mapping[str, Mapping[str, float]]
Form = Callable[..., Any]


def rows(source: Source, shuffle: Random | None = None) -> list[tuple[str, str, float]]:
    found = [(topic, doc, value) for topic, docs in source.items() for doc, value in docs.items()]
    if shuffle is not None:
        shuffle.shuffle(found)
    return found


def shuffled(source: Source, shuffle: Random) -> dict[str, dict[str, float]]:
    """The same dict of dicts with its topics and documents in random order."""
    topics = [(topic, list(docs.items())) for topic, docs in source.items()]
    shuffle.shuffle(topics)
    for _, docs in topics:
        shuffle.shuffle(docs)
    return {topic: dict(docs) for topic, docs in topics}


def dicts(source: Source, value: str, shuffle: Random | None = None) -> Source:
    return shuffled(source, shuffle) if shuffle is not None else source


def tuples(fields: str) -> Form:
    """Named tuples with these fields, which may include unneeded fields in any order."""

    def form(source: Source, value: str, shuffle: Random | None = None) -> list[Any]:
        kind = namedtuple("Row", fields.replace("VALUE", value))
        filler = dict.fromkeys(kind._fields, "Q0")
        return [
            kind(**{**filler, "query_id": topic, "doc_id": doc, value: number})
            for topic, doc, number in rows(source, shuffle)
        ]

    return form


def generator(source: Source, value: str, shuffle: Random | None = None) -> Any:
    return (row for row in tuples("query_id doc_id VALUE")(source, value, shuffle))


def objects(source: Source, value: str, shuffle: Random | None = None) -> Any:
    return [SimpleNamespace(**row._asdict()) for row in generator(source, value, shuffle)]


def frame(ids: str | None = None, numbers: str | None = None) -> Form:
    """A DataFrame with an unneeded column, an unusual column order and a constant index."""

    def form(source: Source, value: str, shuffle: Random | None = None) -> Any:
        found = rows(source, shuffle)
        made = pandas.DataFrame(found, columns=["query_id", "doc_id", value])
        made[value] = made[value].astype(float)
        if ids is not None:
            made = made.astype({"query_id": ids, "doc_id": ids})
        if numbers is not None:
            made = made.astype({value: numbers})
        return made.assign(iteration="0")[[value, "iteration", "doc_id", "query_id"]].set_index(
            [[0] * len(found)]
        )

    return form


def arrow(ids: str, make: Callable[..., Any]) -> Form:
    """Arrow columns with ids of this type, an unneeded column and an unusual column order."""

    def form(source: Source, value: str, shuffle: Random | None = None) -> Any:
        topics, docs, values = zip(*found) if (found := rows(source, shuffle)) else ((), (), ())
        string = pyarrow.dictionary(pyarrow.uint8(), pyarrow.string()) if ids == "dictionary" else ids
        columns = {
            value: pyarrow.array(map(float, values), "double"),
            "iteration": pyarrow.array(["0"] * len(found), "string"),
            "doc_id": pyarrow.array(docs, string),
            "query_id": pyarrow.array(topics, string),
        }
        return make(list(columns.values()), list(columns))

    return form


class ArrowArray:
    """An object that exports one batch of Arrow data and nothing else."""

    def __init__(self, *columns: Any):
        self.batch = pyarrow.RecordBatch.from_arrays(*columns)

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.batch.__arrow_c_array__(requested_schema)


def stream(columns: list[Any], names: list[str]) -> Any:
    """A stream of Arrow data in batches of two rows, which can be read once."""
    table = pyarrow.Table.from_arrays(columns, names)
    return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))


def terrier_frame(source: Source, value: str, shuffle: Random | None = None) -> Any:
    """A DataFrame with PyTerrier's column names."""
    return frame()(source, value, shuffle).rename(columns=TERRIER)


def polars_frame(columns: list[Any], names: list[str]) -> Any:
    """A DataFrame of Polars with PyTerrier's column names."""
    import polars

    return polars.from_arrow(pyarrow.Table.from_arrays(columns, [TERRIER.get(name, name) for name in names]))


def duckdb_relation(columns: list[Any], names: list[str]) -> Any:
    """A relation of DuckDB with decimal values if they fit."""
    import duckdb

    return duckdb.from_arrow(pyarrow.Table.from_arrays(columns, names))


def in_file(write: Callable[[Any, io.BytesIO], Any]) -> Callable[..., Any]:
    """Qrels or a run in an open file."""

    def make(columns: list[Any], names: list[str]) -> Any:
        content = io.BytesIO()
        write(pyarrow.Table.from_arrays(columns, names), content)
        content = io.BytesIO(content.getvalue())
        return RunFile(content) if "score" in names else qrels_table(content)

    return make


def write_trec(table: Any, file: io.BytesIO) -> None:
    """TREC's lines."""
    for row in table.to_pylist():
        ids = f"{row['query_id']} 0 {row['doc_id']}"
        line = f"{ids} 1 {row['score']!r} t\n" if "score" in row else f"{ids} {row['relevance']!r}\n"
        file.write(line.encode())


def write_parquet(table: Any, file: io.BytesIO) -> None:
    parquet.write_table(table, file, row_group_size=2)


def write_feather(table: Any, file: io.BytesIO) -> None:
    feather.write_feather(table, file, chunksize=2)


def write_stream(table: Any, file: io.BytesIO) -> None:
    with ipc.new_stream(file, table.schema) as written:
        written.write_table(table, max_chunksize=2)


def write_tsv(table: Any, file: io.BytesIO) -> None:
    csv.write_csv(table, file, csv.WriteOptions(delimiter="\t", quoting_style="none"))


def frame_rows(source: Source, value: str, shuffle: Random | None = None) -> Any:
    return frame()(source, value, shuffle).itertuples()


def records(source: Source, value: str, shuffle: Random | None = None) -> Any:
    return frame()(source, value, shuffle).to_records(index=False)


def mappings(kind: Callable[..., Any]) -> Form:
    """Mappings other than dicts."""

    def form(source: Source, value: str, shuffle: Random | None = None) -> Any:
        return kind({topic: kind(docs) for topic, docs in dicts(source, value, shuffle).items()})

    return form


FORMS: dict[str, Form] = {
    "dict of dicts": dicts,
    "mapping proxies": mappings(MappingProxyType),
    "user dicts": mappings(UserDict),
    "chain maps": mappings(ChainMap),
    "list of named tuples": tuples("query_id doc_id VALUE"),
    "named tuples of ir-datasets": tuples("VALUE iteration query_id doc_id"),
    "generator": generator,
    "list of other objects": objects,
    "DataFrame": frame(),
    "DataFrame of objects": frame("object"),
    "DataFrame of strings stored by Python": frame("string[python]"),
    "DataFrame of categories": frame("category"),
    "DataFrame with nullable numbers": frame(numbers="Float64"),
    "DataFrame with numbers as objects": frame(numbers="object"),
    "rows of a DataFrame": frame_rows,
    "NumPy records": records,
    "DataFrame of Arrow strings": frame("string[pyarrow]"),
    "DataFrame of Arrow columns": frame("string[pyarrow]", "double[pyarrow]"),
    "Arrow table": arrow("string", pyarrow.Table.from_arrays),
    "Arrow table of large strings": arrow("large_string", pyarrow.Table.from_arrays),
    "Arrow table of dictionaries": arrow("dictionary", pyarrow.Table.from_arrays),
    "Arrow record batch": arrow("string", pyarrow.RecordBatch.from_arrays),
    "Arrow array": arrow("string", ArrowArray),
    "list of Arrow record batches": arrow("string", lambda *columns: list(stream(*columns))),
    "TREC file": arrow("string", in_file(write_trec)),
    "CSV file": arrow("string", in_file(csv.write_csv)),
    "TSV file": arrow("string", in_file(write_tsv)),
    "Parquet file": arrow("string", in_file(write_parquet)),
    "Parquet file of dictionaries": arrow("dictionary", in_file(write_parquet)),
    "Arrow file": arrow("large_string", in_file(write_feather)),
    "Arrow file of dictionaries": arrow("dictionary", in_file(write_feather)),
    "Arrow stream in a file": arrow("string_view", in_file(write_stream)),
}
if find_spec("duckdb"):
    FORMS["DuckDB relation"] = arrow("string", duckdb_relation)

ONLY_GRADED: dict[str, Form] = {
    "DataFrame of PyTerrier": terrier_frame,
    "Arrow stream": arrow("string", stream),
    "Arrow stream of string views": arrow("string_view", stream),
}
"""Forms that `GradedEvaluator` reads, but that ir-measures cannot share between providers."""
if find_spec("polars"):
    ONLY_GRADED["Polars DataFrame"] = arrow("string", polars_frame)
