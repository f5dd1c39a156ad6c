"""Arguments that name several collections: --collections FILE, or a column of --values."""

from collections.abc import Mapping, Sequence
from typing import Any

from ir_measures import Measure

from ..analysis import read_collections
from ..analysis.comparing.collections import files_of_collections
from ..errors import GradedError
from ..evaluation.evaluation import Evaluation
from .arguments import given_columns, measures_of_table, words_of
from .parser import Arguments, Option

OF_COLLECTIONS = "--collections FILE MEASURE…"
COLLECTIONS = Option(
    "--collections FILE",
    "table of collections in place of QRELS and RUN, with the columns collection, qrels and runs",
    excludes="values",
    reads=files_of_collections,
)


def stored_collections(arguments: Arguments) -> dict[str, Evaluation]:
    """The values of --values by collection; the name is empty without a column collection.

    Empty without this option, and with --by, which may name a column of the values.
    """
    if not arguments.values or arguments.by is not None:
        return {}
    columns = given_columns(arguments)
    return Evaluation.by_collection(
        arguments.values,
        smaller=arguments.smaller,
        columns=columns,
        limits=not arguments.no_limits,
    )


def are_several(arguments: Arguments, stored: Mapping[str, Evaluation]) -> bool:
    """Whether the arguments name collections."""
    return arguments.collections is not None or (bool(stored) and "" not in stored)


def refuse_options(arguments: Arguments, names: Sequence[str]) -> None:
    """Raise `GradedError` for options of a single collection."""
    for name in names:
        if name in arguments.given_options:
            raise GradedError(f"--{name} is for one collection; there are several")


def inputs_of_collections(
    arguments: Arguments, stored: Mapping[str, Evaluation]
) -> tuple[dict[str, Any], list[Measure]]:
    """The collections of --collections or --values, and the measures."""
    collections: dict[str, Any] = {}
    if arguments.collections is not None:
        columns = given_columns(arguments)
        collections = dict(read_collections(arguments.collections, columns))
    words = words_of(arguments)
    runs_of_tables = {run for values in stored.values() for run in values.runs}
    measures_of_tables = [measure for values in stored.values() for measure in values.measures]
    named_runs = [word for word in words if word in runs_of_tables]
    others = [word for word in words if word not in runs_of_tables]
    measures = measures_of_table(others, measures_of_tables)
    for name, values in stored.items():
        runs = [run for run in named_runs or values.runs if run in values.runs]
        collections[name] = values.part(runs, values.measures)
    return collections, measures
