"""A trial of a plugin's measure: its options on one small topic, against all orders and all judgments."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, permutations, product

import numpy as np

from ..errors import GradedError
from .measures.base import GradedMeasure
from .measures.parameters import Choice, Flag
from .provider import GradedEvaluator
from .uncertainty import with_option

Documents = dict[str, float]
QRELS: Documents = {"a": 3, "b": 1, "c": 0, "d": 2, "e": 1}
TIED = ("c", "abx", "dy")  # x and y are unjudged, e is not retrieved
CUTOFF = 5


def problem(measure: GradedMeasure) -> str:
    """The reason why an option of the measure is wrong; empty if none is found."""
    all_orders = map(enumerate, map(chain.from_iterable, product(*map(permutations, TIED))))
    orders: list[Documents] = [{doc: -rank for rank, doc in order} for order in all_orders]
    tied: Documents = {doc: -place for place, group in enumerate(TIED) for doc in group}
    listed = orders[1]  # x and y are within the cutoff
    judgments = [QRELS | dict(zip("xy", levels)) for levels in product((0.0, 1.0, 2.0, 3.0), repeat=2)]
    plain = measure @ CUTOFF if measure.CUTOFF else measure
    for option, words, run, cases in (
        ("ties", measure.TIES, tied, [(QRELS, order) for order in orders]),
        ("unjudged", ("min", "max"), listed, [(qrels, listed) for qrels in judgments]),
    ):
        for variant, word in product(_variants(plain), words):
            with_word = with_option(variant, option, word)
            if with_word is not None:
                (found,), values = _values(with_word, [(QRELS, run)]), _values(variant, cases)
                right = getattr(np, word)(values)
                if abs(found - right) > 1e-9 * max(1, abs(right)):
                    return f"{with_word} is {found:.4g} for a small topic, where {right:.4g} is right"
    return ""


def _variants(measure: GradedMeasure) -> Iterator[GradedMeasure]:
    """The measure, then with each other word or truth value of each of its own parameters, one at a time."""
    yield measure
    for name, parameter in measure.PARAMETERS.items():
        words = parameter.choices if isinstance(parameter, Choice) else ()
        for value in (True, False) if isinstance(parameter, Flag) else words:
            if value != measure[name]:
                with suppress(GradedError):  # the measure refuses the combination
                    yield measure(**{name: value})


def _values(measure: GradedMeasure, cases: Sequence[tuple[Documents, Documents]]) -> list[float]:
    """The value of each pair of qrels and run."""
    qrels, run = ({str(number): case[side] for number, case in enumerate(cases)} for side in (0, 1))
    return [metric.value for metric in GradedEvaluator([measure], qrels).iter_calc(run)]
