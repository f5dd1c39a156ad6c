"""Small collections with the exact values of measures, on which any evaluator can be tested.

``vectors.json`` has the collections and the values, `schema.json` describes it. Both are in the
public domain (CC0 1.0), so that a test of any project may contain them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..arguments import refused, word

__all__ = ["load", "write"]


Row = tuple[Any, ...]
"""A row of a file."""


def load(name: str = "vectors") -> dict[str, Any]:
    """The content of ``vectors.json``, or of ``schema.json`` for the name ``schema``.

    Raises `GradedError` for another name.

    >>> vectors = load()
    >>> vectors["collections"]["short lists"]["run"]["q2"]
    {'c': 0.5, 'f': 0.25}
    >>> vectors["measures"][0]["measure"], vectors["measures"][0]["values"]["missing topic"]
    ('P@1', {'q1': 1.0, 'q2': 0.0})
    """
    word("name", name, ["vectors", "schema"])
    text = Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def write(folder: str | os.PathLike[str]) -> None:
    """Write the collections as TREC files to a folder, and the values to ``values.tsv``.

    The collection ``short lists`` becomes ``short_lists.qrels`` and ``short_lists.run``. The rows
    of ``values.tsv`` are measure, collection, topic and value. The topic ``all`` is the mean over
    the topics. A missing folder is made, and existing files are replaced. Raises `OSError` if a
    file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(folder)
    ...     Path(folder, "short_lists.run").read_text().split()[0]
    'q1'
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise refused("folder", folder, "the path of a folder")
    vectors = load()
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, collection in vectors["collections"].items():
        stem = name.replace(" ", "_")
        _write(target / f"{stem}.qrels", _qrels_rows(collection["qrels"]), " ")
        _write(target / f"{stem}.run", _run_rows(collection["run"], stem), " ")
    values: list[Row] = []
    for measure in vectors["measures"]:
        for name, of_topics in measure["values"].items():
            stem = name.replace(" ", "_")
            for topic, value in of_topics.items():
                values.append((measure["measure"], stem, topic, value))
            values.append((measure["measure"], stem, "all", measure["means"][name]))
    _write(target / "values.tsv", values, "\t")


def _qrels_rows(qrels: dict[str, dict[str, float]]) -> list[Row]:
    """The rows of qrels in TREC format."""
    rows: list[Row] = []
    for topic, levels in qrels.items():
        for doc, level in levels.items():
            rows.append((topic, 0, doc, level))
    return rows


def _run_rows(run: dict[str, dict[str, float]], name: str) -> list[Row]:
    """The rows of a run in TREC format; documents of one score keep their order."""
    rows: list[Row] = []
    for topic, scores in run.items():
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        for rank, doc in enumerate(ranked, start=1):
            rows.append((topic, "Q0", doc, rank, scores[doc], name))
    return rows


def _write(path: Path, rows: list[Row], separator: str) -> None:
    text = "".join(separator.join(map(str, row)) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")
