"""Libraries of the extra ``stats``, imported on first use.

`scipy.special` has the distributions that most analyses need; `scipy.stats` takes a second to import.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..errors import GradedError, install_hint


def statistics_library(module: str) -> Any:
    """Import a module. Raises `GradedError`, which names the extra, if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise _missing((error.name or module).partition(".")[0]) from None


def need_statistics(*libraries: str) -> None:
    """Raise the `GradedError` that `statistics_library` would raise later, without importing anything."""
    for name in libraries:
        if find_spec(name) is None:
            raise _missing(name)


def _missing(name: str) -> GradedError:
    return GradedError(f"this analysis needs {name}, which is not installed: {install_hint('stats')}")
