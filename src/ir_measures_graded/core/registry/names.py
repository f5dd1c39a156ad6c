"""ir-measures' registry of measures by name, which our measures share with all others."""

import ir_measures
import ir_measures.measures

from ...errors import warn_of_registration
from ..measures import FAMILIES, trec_eval
from ..measures.base import GradedMeasure

OFFICIAL = "official"
"""The name of the measures of a collection, which no measure may have."""
OFFICIAL_OF_TREC_EVAL = (
    "num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall "
    "P.5,10,15,20,30,100,200,500,1000"
)
"""The measures that trec_eval prints by default, and that its -m official names."""
MU = "\N{GREEK SMALL LETTER MU}"
"""The letter of the built-in names μAP and μMAP, which NFKC leaves as it is."""


def registry() -> dict[str, ir_measures.Measure]:
    """All registered measures by name."""
    return ir_measures.measures.registry


def holder(name: str, measure: ir_measures.Measure) -> ir_measures.Measure | None:
    """The measure of another class that has the name; None if the name is free for `measure`."""
    registered = registry().get(normalised(name))
    if registered is None or class_name(registered) == class_name(measure):
        return None
    return registered


def built_in() -> list[GradedMeasure]:
    """The built-in measures whose names are free. A warning names each other measure."""
    free = []
    of_families = [measure for family in FAMILIES for measure in family.MEASURES]
    for measure in [*of_families, *trec_eval.MEASURES]:
        names = (measure.NAME, *measure.ALIASES)
        taken = [name for name in names if holder(name, measure) is not None]
        if not taken:
            free.append(measure)
            continue
        warn_of_registration(
            f"{measure.NAME} is not registered: ir_measures already has {', '.join(taken)}"
        )
    return free


def register(measure: GradedMeasure) -> None:
    """Register a measure under its name and aliases."""
    for name in (measure.NAME, *measure.ALIASES):
        registry()[normalised(name)] = measure


def class_name(thing: object) -> tuple[str, str]:
    """The name of an object's class; a second import of this package makes new class objects."""
    return type(thing).__module__, type(thing).__qualname__


def normalised(name: str) -> str:
    """`name` in NFKC, as Python normalises identifiers; both micro signs become one letter."""
    if name.replace(MU, "").isascii():
        return name
    import unicodedata  # This import takes time.

    return unicodedata.normalize("NFKC", name)
