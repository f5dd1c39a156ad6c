"""What to write in place of an argument that a public function does not take, or lacks.

Python's own messages name the wrong argument; these name what exists.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from .errors import GradedError, did_you_mean

SAME: Final[Mapping[str, tuple[str, ...]]] = {
    "budget": ("batch",),
    "correction_method": ("correction",),
    "cutoff": ("cutoffs", "depth"),
    "eval_metrics": ("measures", "measure"),
    "gold": ("qrels",),
    "ground_truth": ("qrels",),
    "judgments": ("qrels",),
    "k": ("depth",),
    "level": ("confidence", "alpha"),
    "max_depth": ("depth",),
    "metric": ("measure", "measures"),
    "metrics": ("measures", "measure"),
    "n_resamples": ("resamples",),
    "qid": ("topic",),
    "query": ("topic",),
    "query_id": ("topic",),
    "random_state": ("seed",),
    "reference": ("baseline",),
    "results": ("runs", "run"),
    "significance": ("alpha",),
    "systems": ("runs", "run"),
}
"""Names of other tools, and the parameters of ours that mean the same."""
BY_TOPIC: Final = ("by_query", "by_topic", "per_query", "per_topic", "perquery")
CUTOFFS: Final = ("at", "at_k", "cutoff", "cutoffs", "depth", "eval_at", "k", "top_k", "topk")
GAINS: Final = ("gain", "gains", "label_gain", "label_gains")
TO_A_FILE: Final = ("file", "filename", "out", "outfile", "output", "path", "save", "save_dir")
INSTEAD: Final[Mapping[str, Mapping[str, str]]] = {
    "array_mean": dict.fromkeys(BY_TOPIC, "array_values(…) has the value of each group"),
    "compare": {
        **dict.fromkeys(BY_TOPIC, "compare(…).topic_differences has the topics"),
    },
    "evaluate": {
        **dict.fromkeys(BY_TOPIC, "evaluate(…).to_frame() has the value of each topic"),
        "baseline": "compare(qrels, runs, measures, baseline=…) tests against a baseline",
        "confidence": "intervals(evaluate(…), confidence=0.95) has the intervals",
        "sort": "evaluate(…).best_first() has the order of the runs",
        "by": "group_means(evaluate(…), by) has the means by group",
    },
    "gate": {
        **dict.fromkeys(BY_TOPIC, "gate(…).by_topic.to_frame() has the value of each topic"),
        "baseline": "the first of the two runs is the old one",
        "old": "pass both runs in one mapping, {'old': old, 'new': new}",
        "new": "pass both runs in one mapping, {'old': old, 'new': new}",
    },
}
"""What to write in place of an argument, by the name of the function."""


def explained(
    function: str,
    signature: inspect.Signature,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    example: str,
    error: TypeError,
    saves: bool = False,
) -> Exception:
    """The error for arguments that do not fit a function; `error` is Python's own.

    `saves` tells whether the result of the function has the method `save`.
    """
    parameters = list(signature.parameters.values())
    in_order = [parameter for parameter in parameters if _is_positional(parameter)]
    kinds = {parameter.kind for parameter in parameters}
    if len(args) > len(in_order) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        return too_many(function, parameters, args, example)
    for name in kwargs:
        if name not in signature.parameters:
            return unexpected(function, name, signature.parameters, saves)
    named = [parameter.name for parameter in in_order[: len(args)]]
    return lacking(function, parameters, [*named, *kwargs], example) or error


def unexpected(
    function: str, name: str, parameters: Collection[str], saves: bool = False
) -> TypeError:
    """The error for an argument that a function does not take; it names what to write.

    >>> raise unexpected("evaluate", "metrics", ["qrels", "measures"])
    Traceback (most recent call last):
    TypeError: evaluate() got an unexpected keyword argument 'metrics'; write measures=
    >>> raise unexpected("ranges", "output", ["qrels"], saves=True)
    Traceback (most recent call last):
    TypeError: ranges() got an unexpected keyword argument 'output'; ranges(…).save('FILE') writes \
the result
    >>> raise unexpected("rank", "xyz", ["qrels", "measures"])
    Traceback (most recent call last):
    TypeError: rank() got an unexpected keyword argument 'xyz'; it takes qrels and measures
    """
    return TypeError(
        f"{function}() got an unexpected keyword argument {name!r}"
        f"{_hint(function, name, parameters, saves)}"
    )


def _hint(function: str, name: str, parameters: Collection[str], saves: bool) -> str:
    """The end of a message on an argument with this name."""
    for same in SAME.get(name, ()):
        if same in parameters:
            return f"; write {same}="
    instead = INSTEAD.get(function, {}).get(name, "")
    if not instead and saves and name in BY_TOPIC:
        instead = "evaluate(qrels, runs, measures).to_frame() has the value of each topic"
    has_measures = not {"measure", "measures"}.isdisjoint(parameters)
    if not instead and has_measures and name in CUTOFFS:
        instead = "the cutoff stands in the measure, as in 'nDCG@10'"
    if not instead and has_measures and name in GAINS:
        instead = "gains are a parameter of measures, as in 'nDCG(gains=0:0,1:1,2:10)@10'"
    if not instead and saves and name in TO_A_FILE:
        instead = f"{function}(…).save('FILE') writes the result"
    if instead:
        return f"; {instead}"
    similar = did_you_mean(name, parameters)
    if similar:
        return similar
    *others, last = parameters
    names = f"{', '.join(others)} and {last}" if others else last
    return f"; it takes {names}"


def too_many(
    function: str, parameters: Sequence[inspect.Parameter], args: Sequence[Any], example: str
) -> GradedError:
    """The error for too many arguments without a name; those that have one are named."""
    in_order = [parameter.name for parameter in parameters if _is_positional(parameter)]
    by_name = [parameter.name for parameter in parameters if not _is_positional(parameter)]
    text = f"{function} takes {len(in_order)} arguments, not {len(args)}; call {example}"
    if by_name:
        text += f"; options go by name: {', '.join(f'{name}=' for name in by_name)}"
    return GradedError(text)


def lacking(
    function: str,
    parameters: Sequence[inspect.Parameter],
    arguments: Collection[str],
    example: str,
) -> TypeError | None:
    """The error for a call without a needed argument; None if it has all. `arguments` are the names
    of those that it has."""
    missing = []
    for parameter in parameters:
        is_needed = parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        )
        if is_needed and parameter.name not in arguments:
            missing.append(parameter.name)
    if not missing:
        return None
    return TypeError(f"{function}() lacks {' and '.join(missing)}; call {example}")


def _is_positional(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
