"""What other tools compute of the test vectors: equal, different by convention, refused or not
offered.

The tables are made when the site is built, from the tools that are installed then. The tools of
`HEAVY` bring gigabytes or compile for long. They are run before: ``python
docs/_ext/conformance.py`` writes the outcomes of those that are installed to ``conformance.json``.
A test compares these with the tools that it finds.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from adapters import LINEAR, SQL, TOOLS, Tool
from computed import FIGURES, markdown, table_file

from ir_measures_graded import vectors

RECORDED = Path(__file__).with_suffix(".json")
HEAVY = ("ranx", "trectools", "torchmetrics", "mlflow", "recommenders", "implicit", "RecBole")
FAMILIES = ("P", "R", "RR", "AP", LINEAR.partition("@")[0], "nDCG_Burges", "nDCG_JK", "Q")
EQUAL = "="
DIFFERENT = "≠"
REFUSED = "×"
NONE = "."
CLOSE = 2e-6  # some tools compute in 32 bits or print 6 decimals


class Outcome(NamedTuple):
    """The version of a tool, whether it ran now, and by measure string a sign for each
    collection.
    """

    version: str
    now: bool
    signs: dict[str, str]


@cache
def outcomes() -> dict[str, Outcome]:
    """The outcome of each tool: recorded, or run now if it is installed."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    by_tool = {}
    for name in TOOLS:
        if name in HEAVY:
            before = recorded[name]
            by_tool[name] = Outcome(before["version"], False, before["signs"])
        else:
            with contextlib.suppress(PackageNotFoundError, ModuleNotFoundError):
                by_tool[name] = run(name)
    return by_tool


def run(name: str) -> Outcome:
    """Run a tool on all collections; raises an error if it is not installed."""
    tool = TOOLS[name]
    content = vectors.load()
    values = {measure["measure"]: measure["values"] for measure in content["measures"]}
    signs: dict[str, str] = {}
    number = version(tool.distribution)
    for measure, metric in tool.metrics.items():
        signs[measure] = ""
        for label, collection in content["collections"].items():
            expected = values[measure].get(label)
            signs[measure] += sign_of(tool, metric, collection, expected)
    return Outcome(number, True, signs)


def sign_of(
    tool: Tool, metric: str, collection: dict[str, Any], expected: dict[str, float] | None
) -> str:
    """The sign of a tool's metric on a collection, whose values should be the expected ones."""
    if expected is None:
        return NONE
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            values = tool.adapter(metric, collection["qrels"], collection["run"])
    except ModuleNotFoundError:
        raise
    except Exception:  # each tool has errors of its own
        return REFUSED
    if values.keys() != expected.keys():
        return DIFFERENT
    for topic, value in expected.items():
        if not math.isclose(values[topic], value, rel_tol=CLOSE, abs_tol=CLOSE):
            return DIFFERENT
    return EQUAL


def conventions() -> list[dict[str, str]]:
    """The reasons of differences: tool, measures (* for all), collections and the convention."""
    return table_file("conformance.tsv")


def named(tool: str, measure: str, collection: str) -> bool:
    """Whether a convention names the difference of a tool for a measure on a collection."""
    for row in conventions():
        is_of_measure = row["measures"] == "*" or measure in row["measures"].split(" ")
        is_of_collection = collection in row["collections"].split(", ")
        if row["tool"] == tool and is_of_measure and is_of_collection:
            return True
    return False


def summary() -> str:
    """One row per tool: the number of equal, different and refused values, and what it does not
    offer.
    """
    rows = []
    for name, (number, now, signs) in outcomes().items():
        every = "".join(signs.values())
        offered = {measure.partition("@")[0] for measure in signs}
        missing = ", ".join(f"`{family}`" for family in FAMILIES if family not in offered)
        counts = [str(every.count(sign)) for sign in (EQUAL, DIFFERENT, REFUSED)]
        if not now:
            number += " (run before)"
        rows.append([name, number, *counts, missing])
    head = ["tool", "version", "equal", "different by convention", "refused", "not offered"]
    return markdown(head, rows)


def matrix() -> str:
    """One row per metric of a tool, one column per collection."""
    labels = list(vectors.load()["collections"])
    rows = []
    for name, outcome in outcomes().items():
        for measure, signs in outcome.signs.items():
            metric = TOOLS[name].metrics[measure]
            rows.append([name, f"`{metric}`", f"`{measure}`", *signs.replace(NONE, " ")])
    return markdown(["tool", "metric", "here", *labels], rows)


def differences() -> str:
    """One line per convention by which a tool differs."""
    rows = [
        [row["tool"], measured(row["measures"]), row["collections"], row["convention"]]
        for row in conventions()
    ]
    return markdown(["tool", "here", "collections", "its convention"], rows)


def measured(measures: str) -> str:
    """The cell of the measures of a convention."""
    if measures == "*":
        return "all"
    return ", ".join(f"`{measure}`" for measure in measures.split(" "))


def downloads() -> str:
    """A link to the TREC files, which are written now."""
    import shutil

    vectors.write(FIGURES / "vectors")
    shutil.make_archive(os.fspath(FIGURES / "vectors-trec"), "zip", FIGURES / "vectors")
    return "{download}`vectors-trec.zip </figures/vectors-trec.zip>`"


def recipe() -> str:
    """The query of DuckDB, as a block."""
    return f"```sql\n{SQL.strip()}\n```"


if __name__ == "__main__":
    kept = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    for tool in HEAVY:
        with contextlib.suppress(PackageNotFoundError, ModuleNotFoundError):
            outcome = run(tool)
            kept[tool] = {"version": outcome.version, "signs": outcome.signs}
    RECORDED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
