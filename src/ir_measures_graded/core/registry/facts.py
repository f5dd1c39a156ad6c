"""Facts about a measure, graded or standard, that analyses and engines ask for.

A graded measure declares its facts; ir-measures declares few of its own measures.
"""

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeGuard

import numpy as np
from ir_measures import Measure
from ir_measures.measures import ParamInfo

from ...errors import GradedError, NotApplicableError
from ..measures.base import GeometricMean, GradedMeasure, TopGainMeasure
from ..measures.gain_sums import GainSum, NormalisedGainSum
from ..measures.parameters import Parameter
from ..measures.standard import definition, definition_of, definitions
from ..measures.standard_measure import Standard
from ..ranking.gains import Gains, canonical_gains, gain_of, plain_number
from ..ranking.judged import Judged

FROM_0_TO_1: Final = frozenset(
    [
        "Accuracy",
        "AP",
        "Bpref",
        "Compat",
        "ERR",
        "IPrec",
        "infAP",
        "Judged",
        "nDCG",
        "nERR_IA",
        "P",
        "R",
        "RBP",
        "Rprec",
        "RR",
        "SetAP",
        "SetF",
        "SetP",
        "SetR",
        "SetRelP",
        "Success",
        "alpha_nDCG",
        "AP_IA",
        "ERR_IA",
        "P_IA",
        "StRecall",
        "nNRBP",
        "NERR8",
        "NERR9",
        "NERR10",
        "NERR11",
    ]
)
"""The measures of ir-measures whose values are from 0 to 1; ir-measures declares no ranges."""
RELEVANCE_IS_IGNORED: Final = frozenset(["Judged", "NumQ", "NumRet"])
"""The measures of ir-measures that count documents or topics, whatever their level, without rel."""
ZERO: Final = "zero"
SKIP: Final = "skip"
ONE: Final = "one"
OF_SCORES: Final = ("norm", "tied_by")
"""The parameters of measures that read the scores of a run, not only its order."""
CHOICES_OF_NO_RELEVANT: Final = (ZERO, SKIP, ONE)
"""The value of a topic without a relevant document: that of the measure, none, or 1."""


def range_of(measure: Measure) -> tuple[float, float]:
    """The lowest and the highest value that the measure can have; infinite where it is not known.

    >>> from ir_measures import RR
    >>> range_of(RR @ 10)
    (0.0, 1.0)
    """
    if not is_graded(measure) or isinstance(measure, Standard):
        if name_of(measure) in FROM_0_TO_1 and getattr(measure, "HAS_RANGE", True):
            return 0.0, 1.0
        return -math.inf, math.inf
    match = re.match(r"\[(\S+), (\S+)[\])]", measure.doc_field("range"))
    if match is None:
        return -math.inf, math.inf
    return float(match[1]), float(match[2].replace("∞", "inf"))


def is_graded(measure: Measure) -> TypeGuard[GradedMeasure]:
    """Whether the measure is one of this package or of its plugins, and not of ir-measures."""
    return isinstance(measure, GradedMeasure)


def takes_gains(measure: Measure) -> bool:
    """Whether the gains of the levels can change the value: not for AP, which counts documents.

    >>> import ir_measures
    >>> [takes_gains(measure) for measure in (ir_measures.nDCG, ir_measures.ERR, ir_measures.AP)]
    [True, True, False]
    """
    return "gains" in measure.SUPPORTED_PARAMS or is_err(measure)


def with_movable_gains(measure: Measure) -> Measure:
    """A graded measure with the same values that takes any gains: nDCG_Burges for nDCG.

    >>> import ir_measures
    >>> with_movable_gains(ir_measures.nDCG(dcg="exp-log2") @ 10)
    nDCG_Burges@10
    """
    graded = definition_of(measure)
    if not isinstance(graded, Standard) or graded.SAME is None:
        return measure
    same = graded.SAME
    names = ("cutoff", "judged_only")
    options = {name: graded.params[name] for name in names if name in graded.params}
    return same(gains=graded.weighting, **options)


HIGHEST_OF_GDEVAL = 4
"""The highest level that gdeval takes; its ERR divides by 2 to this power."""


def is_err(measure: Measure) -> bool:
    """Whether this is ERR as gdeval computes it."""
    return str(measure.NAME) == "ERR"


def graded_err(measure: Measure, highest: float = HIGHEST_OF_GDEVAL) -> str:
    """The string of the graded measure with the formula of ERR, for levels up to the `highest`.

    By default, its values are those of gdeval. Without `max_gain`, the highest level is that of the
    qrels, also if it is no whole number.

    >>> import ir_measures
    >>> graded_err(ir_measures.ERR @ 20), graded_err(ir_measures.ERR, highest=3)
    ('ERR_G(max_gain=15)@20', 'ERR_G(max_gain=7)')
    """
    cutoff = measure.params.get("cutoff")
    ending = f"@{cutoff}" if cutoff else ""
    if highest % 1:
        return f"ERR_G{ending}"
    return f"ERR_G(max_gain={2 ** int(highest) - 1}){ending}"


def instead_of_err(measure: Measure) -> str:
    """The two graded measures for ERR, and what differs: the top level.

    >>> import ir_measures
    >>> instead_of_err(ir_measures.ERR @ 20)
    'ERR_G(max_gain=15)@20 has the same values, with the top level 4 of gdeval; in ERR_G@20, as in \
its paper, the highest judged level is the top'
    """
    cutoff = measure.params.get("cutoff")
    same = "values" if cutoff else "formula"
    ending = f"@{cutoff}" if cutoff else ""
    return (
        f"{graded_err(measure)} has the same {same}, with the top level {HIGHEST_OF_GDEVAL} of "
        f"gdeval; in ERR_G{ending}, as in its paper, the highest judged level is the top"
    )


def defined(measure: Measure, what: str, *needs: str) -> GradedMeasure:
    """The measure if it is graded, or the definition of a standard measure, which has `what` is
    asked for.

    Raises `NotApplicableError` for other measures, with the reason or the measures that have a
    definition with the parameters that it `needs`.
    """
    try:
        graded = definition(measure)
    except GradedError as error:
        raise NotApplicableError(f"{measure} has no {what}: {error}") from None
    if graded is not None:
        return graded
    if is_err(measure):
        raise NotApplicableError(
            f"{measure} has no {what}, but graded measures have: {instead_of_err(measure)}"
        )
    names = []
    for name, standard in definitions().items():
        if set(needs) <= set(standard.SUPPORTED_PARAMS):
            names.append(name)
    others = f"most graded measures have, and {', '.join(names)} of ir-measures"
    raise NotApplicableError(f"{measure} has no {what}; {others}")


def with_options(measure: Measure, options: Mapping[str, Any]) -> Measure:
    """The measure with some options, such as `ties`; a standard measure becomes its definition.

    Raises `NotApplicableError` for a measure that does not have them.
    """
    if not options:
        return measure
    first = next(iter(options))
    return defined(measure, f"option {first}", *options)(**options)


def with_missing_options(measure: Measure, options: Mapping[str, Any]) -> Measure:
    """The measure with the options that it does not name, as `with_options`."""
    missing = {name: value for name, value in options.items() if name not in measure.params}
    return with_options(measure, missing)


def reads_scores(measure: Measure) -> bool:
    """Whether a measure reads the scores of a run, not only its order."""
    return not measure.SUPPORTED_PARAMS.keys().isdisjoint(OF_SCORES)


def name_of(measure: Measure) -> str:
    """The name of a measure without its parameters."""
    return measure.__name__ if is_graded(measure) else str(measure.NAME)


def smaller_is_better(measure: Measure) -> bool | None:
    """Whether smaller values are better; None for standard measures, for which ir-measures does not
    say.
    """
    return getattr(measure, "smaller_is_better", None)


def is_geometric(measure: Measure) -> bool:
    """Whether the aggregate over the topics is a geometric mean."""
    return isinstance(measure.aggregator(), GeometricMean)


def refuse_geometric(measures: Iterable[Measure]) -> None:
    """Raise `NotApplicableError` for a measure whose aggregate is a geometric mean."""
    for measure in measures:
        if is_geometric(measure):
            raise NotApplicableError(
                f"{measure} is a geometric mean over topics, and this is for arithmetic means; "
                "evaluate computes it without an interval"
            )


def sign_of(measure: Measure) -> int:
    """-1 if smaller values of the measure are better, else 1."""
    return -1 if smaller_is_better(measure) else 1


def needs_all_topics(measure: Measure) -> bool:
    """Whether the value of a topic depends on the judgments of the other topics."""
    return is_graded(measure) and measure.needs_all_topics


def needs_intents(measure: Measure) -> bool:
    """Whether the measure evaluates the judgments for the intents of a topic."""
    return is_graded(measure) and measure.INTENTS


def gains_of(measure: Measure) -> Gains:
    """The gains of a measure, by which its ideal list is sorted."""
    known_definition = definition_of(measure)
    if known_definition:
        return known_definition.weighting
    return canonical_gains(measure.params.get("gains") or {})


def best_is_one(measure: Measure) -> bool:
    """Whether the best value of a measure is 1.

    >>> from ir_measures import AP, NumRet
    >>> best_is_one(AP), best_is_one(NumRet)
    (True, False)
    """
    return sign_of(measure) > 0 and range_of(measure)[1] == 1


def refuse_other_best(measures: Iterable[Measure]) -> None:
    """Raise `GradedError` for a measure whose best value is not 1."""
    for measure in measures:
        if not best_is_one(measure):
            raise GradedError(
                f"{measure}: no_relevant=one is for measures whose best value is 1; use skip or "
                "zero"
            )


def has_relevant(measure: Measure, judged: Judged) -> np.ndarray:
    """Whether each topic has a document that is relevant by the measure (T).

    Its level is at least `rel` or above `min_rel`, or its gain is above 0. Measures that relevance
    does not affect, such as Judged and NumRet, have no topic without one.

    >>> from ir_measures import AP, NumRet
    >>> from ir_measures_graded.core.reduction import judged_of
    >>> from ir_measures_graded.core.rows.sources import read_qrels
    >>> judged = judged_of(read_qrels({"q1": {"a": 2}, "q2": {"a": 1}, "q3": {"a": 0}}))
    >>> has_relevant(AP(rel=2), judged), has_relevant(NumRet, judged)
    (array([ True, False, False]), array([ True,  True,  True]))
    """
    graded = definition_of(measure)
    if graded is not None:
        return graded.has_relevant(judged)
    if measure.NAME in RELEVANCE_IS_IGNORED and "rel" not in measure.params:
        return np.ones(len(judged.topics), dtype=bool)
    if "rel" in measure.SUPPORTED_PARAMS:
        is_relevant = judged.level >= measure["rel"]
    elif "min_rel" in measure.SUPPORTED_PARAMS:
        is_relevant = judged.level > measure["min_rel"]
    else:
        return judged.relevant(gains_of(measure)) > 0
    return np.bincount(judged.topic[is_relevant], minlength=len(judged.topics)) > 0


def absent_levels(measure: Measure, judged: Judged) -> list[float]:
    """The levels to which the measure gives a gain and that no judged document has."""
    gains = measure.params.get("gains")
    if not isinstance(gains, dict):
        return []
    levels = set(levels_for(measure, judged))
    return [level for level in gains if level > 0 and level not in levels]


def on_top_gain_of_absent(measure: Measure, judged: Judged, absent: Sequence[float]) -> str:
    """The end of a sentence on levels that the measure names and no judged document has, if the top
    gain H would be that of one of them; else empty.

    Values over qrels with this level and without it then have different scales.

    >>> from ir_measures_graded import ERR_G
    >>> from ir_measures_graded.core.reduction import judged_of
    >>> from ir_measures_graded.core.rows.sources import read_qrels
    >>> judged = judged_of(read_qrels({"q": {"a": 3, "b": 0}}))
    >>> on_top_gain_of_absent(ERR_G(gains={3: 10, 4: 30}), judged, [4.0])
    ', so the top gain is 10, not 30 (level 4); max_gain=30 fixes it'
    >>> on_top_gain_of_absent(ERR_G(gains={3: 10, 4: 30}, max_gain=30), judged, [4.0])
    ''
    """
    if not isinstance(measure, TopGainMeasure) or measure["max_gain"] is not None:
        return ""
    gains = gains_of(measure)
    gain_of_absent = gain_of(np.array(absent, dtype=float), gains)
    if not gain_of_absent.size:
        return ""
    highest_of_absent = plain_number(gain_of_absent.max())
    level = absent[int(gain_of_absent.argmax())]
    levels = np.array(levels_for(measure, judged), dtype=float)
    highest = plain_number(gain_of(levels, gains).max(initial=0.0))
    if highest_of_absent <= highest:
        return ""
    return (
        f", so the top gain is {highest}, not {highest_of_absent} (level {level:g}); "
        f"max_gain={highest_of_absent} fixes it"
    )


def falling_gains(
    measure: Measure, judged: Judged
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The first two neighbouring levels of the judged documents of which the higher has the smaller
    gain: the lower level with its gain, then the other; None if the gains never fall.

    >>> from ir_measures import nDCG
    >>> from ir_measures_graded.core.reduction import judged_of
    >>> from ir_measures_graded.core.rows.sources import read_qrels
    >>> judged = judged_of(read_qrels({"q": {"a": 3, "b": 2, "c": 0}}))
    >>> falling_gains(nDCG(gains={2: 10}), judged), falling_gains(nDCG(gains={2: 2}), judged)
    (((2.0, 10), (3.0, 3.0)), None)
    """
    gains = measure.params.get("gains")
    if not isinstance(gains, dict):
        return None
    gain_of_level = {}
    for level in levels_for(measure, judged):
        gain_of_level[level] = gains.get(level, max(level, 0))
    for lower, higher in itertools.pairwise(gain_of_level.items()):
        if higher[1] < lower[1]:
            return lower, higher
    return None


def levels_for(measure: Measure, judged: Judged) -> list[float]:
    """The levels of the judged documents that the measure sees, in ascending order."""
    whole = judged.whole.intents.judged if needs_intents(measure) else judged.whole
    levels: list[float] = whole.all_levels.tolist()
    return levels


def is_normalised(measure: Measure | None) -> TypeGuard[NormalisedGainSum]:
    """Whether the value is a sum of weighted gains divided by that of an ideal list."""
    return isinstance(measure, NormalisedGainSum)


def is_plain_sum(measure: Measure) -> bool:
    """Whether the value is a sum of weighted gains, or the mean of such sums, that nothing
    divides.
    """
    plain = isinstance(measure, GainSum) and measure.LINEAR and not is_normalised(measure)
    return plain and not isinstance(measure, Standard)


def is_weighted_by_rank(measure: Measure) -> TypeGuard[GainSum]:
    """Whether the value is a sum of gains with a weight for each rank, perhaps divided by the same
    sum over the judged documents, and no option changes it.
    """
    if not isinstance(measure, GainSum) or not measure.LINEAR or measure.averages:
        return False
    if is_normalised(measure) and measure.ideal_documents != "judged":
        return False
    has_option = measure.option("ties") or measure.option("unjudged") or measure["judged_only"]
    return not has_option


def allowed(name: str, info: ParamInfo) -> str:
    """The values that a parameter allows, in words."""
    if isinstance(info, Parameter):
        return info.allowed
    if isinstance(info.choices, (list, tuple)):
        return f"one of {', '.join(map(repr, info.choices))}"
    if name == "cutoff" and info.dtype is int:
        return "a whole number ≥ 1"
    words = {
        int: "a whole number",
        float: "a number with a decimal point",
        bool: "True or False",
        dict: "level:gain pairs of whole numbers",
    }
    return words.get(info.dtype, "any value")


TYPED = "_typed"
"""The attribute of a measure that an everyday text named. Measures are equal whatever text named
them, so the text is no parameter."""


def typed(measure: Measure, text: str) -> Measure:
    """The measure, which remembers the everyday text that named it."""
    setattr(measure, TYPED, text)
    return measure


def is_typed(measure: Measure) -> bool:
    """Whether an everyday text named the measure."""
    return hasattr(measure, TYPED)
