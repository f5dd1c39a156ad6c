"""Small collections with the exact values of measures, on which any evaluator can be tested.

``vectors.json`` has the collections and the values, `schema.json` describes it. Both are in the public domain
(CC0 1.0), so that a test of any project may contain them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["load"]


def load(name: str = "vectors") -> dict[str, Any]:
    """The content of ``vectors.json``, or of ``schema.json`` for the name ``schema``.

    >>> vectors = load()
    >>> vectors["collections"]["short lists"]["run"]["q2"]
    {'c': 0.5, 'f': 0.25}
    >>> vectors["measures"][0]["measure"], vectors["measures"][0]["values"]["missing topic"]
    ('P@1', {'q1': 1.0, 'q2': 0.0})
    """
    found: dict[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
    return found
