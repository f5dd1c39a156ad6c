"""ir-measures' registry of measures by name, which our measures share with all others."""

import threading
from collections.abc import Callable

import ir_measures
import ir_measures.measures

from ...errors import warn_of_registration
from ..measures import MODULE_OF, families, measure_named
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
_waiting: list[Callable[[], None]] = []
"""What registers the built-in measures if they are not registered yet."""
_REGISTERING = threading.RLock()
"""Other threads wait until all built-in measures are registered."""


def registry() -> dict[str, ir_measures.Measure]:
    """All registered measures by name, with all built-in ones."""
    with _REGISTERING:
        while _waiting:
            register_built_in = _waiting.pop()
            register_built_in()
    return ir_measures.measures.registry


def register_when_needed(register_built_in: Callable[[], None]) -> None:
    """Let `registry` register the built-in measures; until then `registered` finds them.

    If ir_measures has one of their names, they are registered at once: a warning names the measure
    that is left out, with all of its names.
    """
    _waiting.append(register_built_in)
    if not MODULE_OF.keys().isdisjoint(ir_measures.measures.registry):
        registry()


def all_names() -> tuple[str, ...]:
    """The names of all measures, also of built-in ones that are not registered yet."""
    return tuple(dict.fromkeys([*ir_measures.measures.registry, *MODULE_OF]))


def registered(name: str) -> ir_measures.Measure | None:
    """The measure of a name in NFKC; None if there is none.

    While the built-in measures wait for their registration, the module of a measure is imported
    alone, which takes a command 3 ms less than all modules.
    """
    measure: ir_measures.Measure | None = ir_measures.measures.registry.get(name)
    if measure is not None or name not in MODULE_OF:
        return measure
    if _waiting:
        return measure_named(name)
    return registry().get(name)  # which waits if another thread registers the measures just now


def holder(name: str, measure: ir_measures.Measure) -> ir_measures.Measure | None:
    """The measure of another class that has the name; None if the name is free for `measure`."""
    known = registry().get(normalised(name))
    if known is None or class_name(known) == class_name(measure):
        return None
    return known


def built_in() -> list[GradedMeasure]:
    """The built-in measures whose names are free. A warning names each other measure."""
    from ..measures import trec_eval

    free = []
    of_families = [measure for family in families().values() for measure in family.MEASURES]
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
