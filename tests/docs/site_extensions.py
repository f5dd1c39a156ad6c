"""Makes the modules of docs/_ext importable, and runs other tools with its adapters."""

import sys
from pathlib import Path

import pytest

from ir_measures_graded import parse_measure

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

import adapters  # noqa: E402
import conformance  # noqa: E402
import installation  # noqa: E402
from elsewhere import ELSEWHERE  # noqa: E402
from vectors import vectors as made  # noqa: E402

__all__ = [
    "DOCS",
    "ELSEWHERE",
    "adapters",
    "conformance",
    "installation",
    "made",
    "measure",
    "of_tool",
]


def measure(name, qrels, run):
    """The adapter of ir-measures and of this package."""
    return {metric.query_id: metric.value for metric in parse_measure(name).iter_calc(qrels, run)}


def of_tool(adapter, metric, qrels, run):
    """The values of a tool by topic; a test of a tool that is not installed is skipped."""
    try:
        return adapter(metric, qrels, run)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    except FileNotFoundError:
        pytest.skip("Perl is not installed")
