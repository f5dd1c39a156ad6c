"""Libraries that come with the extra ``stats``, imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import GradedError


def statistics_library(module: str) -> Any:
    """The module of that name. Raises `GradedError`, which names the extra, where it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        name = (error.name or module).partition(".")[0]
        raise GradedError(
            f"this analysis needs {name}, which is not installed: pip install 'ir-measures-graded[stats]'"
        ) from None
