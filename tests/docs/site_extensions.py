"""Makes the modules of docs/_ext importable."""

import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from elsewhere import ELSEWHERE  # noqa: E402
from vectors import vectors  # noqa: E402

__all__ = ["DOCS", "ELSEWHERE", "vectors"]
