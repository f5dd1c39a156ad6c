"""The built-in measures as a plugin: they are registered through the same hook as those of others."""

from __future__ import annotations

from ..measures import MEASURES, intents, sessions
from ..measures.base import GradedMeasure
from .hooks import hookimpl
from .names import free_to_register


@hookimpl
def graded_measures() -> tuple[GradedMeasure, ...]:
    """The built-in measures whose names are free."""
    return free_to_register((*MEASURES, *intents.MEASURES, *sessions.MEASURES))
