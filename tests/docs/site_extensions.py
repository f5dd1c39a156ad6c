"""Makes the modules of docs/_ext importable."""

import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

import conformance  # noqa: E402
from elsewhere import ELSEWHERE  # noqa: E402
from vectors import vectors as made  # noqa: E402

__all__ = ["DOCS", "ELSEWHERE", "conformance", "made"]
