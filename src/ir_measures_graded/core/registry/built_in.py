"""The built-in measures as a plugin: they are registered through the same hook as those of others."""

from ...errors import warn_of_registration
from ..measures import FAMILIES
from ..measures.base import GradedMeasure
from .hooks import hookimpl
from .names import holder


@hookimpl
def graded_measures() -> list[GradedMeasure]:
    """The built-in measures whose names are free. A warning names each other measure."""
    free = []
    for measure in (measure for family in FAMILIES for measure in family.MEASURES):
        taken = [name for name in (measure.NAME, *measure.ALIASES) if holder(name, measure) is not None]
        if taken:
            names = ", ".join(taken)
            warn_of_registration(f"{measure.NAME} is not registered: ir_measures already has {names}")
        else:
            free.append(measure)
    return free
