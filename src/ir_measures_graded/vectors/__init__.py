"""Small collections with the exact values of measures, on which any evaluator can be tested.

``vectors.json`` has the collections and the values, `schema.json` describes it. Both are in the
public domain (CC0 1.0), so that a test of any project may contain them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["load", "write"]


def load(name: str = "vectors") -> dict[str, Any]:
    """The content of ``vectors.json``, or of ``schema.json`` for the name ``schema``.

    >>> vectors = load()
    >>> vectors["collections"]["short lists"]["run"]["q2"]
    {'c': 0.5, 'f': 0.25}
    >>> vectors["measures"][0]["measure"], vectors["measures"][0]["values"]["missing topic"]
    ('P@1', {'q1': 1.0, 'q2': 0.0})
    """
    found: dict[str, Any] = json.loads(
        Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8")
    )
    return found


def write(folder: str | os.PathLike[str]) -> None:
    """Write the collections as TREC files to a folder, and the values to ``values.tsv``.

    The collection ``short lists`` becomes ``short_lists.qrels`` and ``short_lists.run``. The rows
    of ``values.tsv`` are measure, collection, topic and value. The topic ``all`` is the mean over
    the topics. Existing files are replaced.
    """
    vectors, target = load(), Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, collection in vectors["collections"].items():
        stem = name.replace(" ", "_")
        qrels = [
            (topic, 0, doc, level)
            for topic, docs in collection["qrels"].items()
            for doc, level in docs.items()
        ]
        run = [
            (topic, "Q0", doc, rank, score, stem)
            for topic, scores in collection["run"].items()
            for rank, (doc, score) in enumerate(
                sorted(scores.items(), key=lambda item: -item[1]), 1
            )
        ]
        _write(target / f"{stem}.qrels", qrels, " ")
        _write(target / f"{stem}.run", run, " ")
    values = [
        (measure["measure"], name.replace(" ", "_"), topic, value)
        for measure in vectors["measures"]
        for name, topics in measure["values"].items()
        for topic, value in {**topics, "all": measure["means"][name]}.items()
    ]
    _write(target / "values.tsv", values, "\t")


def _write(path: Path, rows: list[tuple[Any, ...]], separator: str) -> None:
    text = "".join(separator.join(map(str, row)) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")
