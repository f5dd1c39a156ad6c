"""Repeated runs of systems, such as five seeds: do differences hold for other topics and other repeats too?

The value of repeat r of a system for topic t has random effects of the repeat, the topic and both together:
``y = mean + repeat + topic + residual``, a two-way layout of topics × repeats for each system, whose repeats
are its own. Two systems are compared on the same topics. With n topics, k repeats, s² the variance of the
repeats' means, and e² the residual mean square of the layout, the variance of a difference of means is

    topics = variance of the differences of each topic's mean over the repeats / n
    repeats = Σ over both systems of s² / k
    both = topics + Σ over both systems of max(0, s² − e² / n) / k

The residual is in ``topics`` and ``repeats``, and once in ``both``. Satterthwaite's approximation gives the
degrees of freedom.

Source: S. R. Searle, G. Casella, C. E. McCulloch: Variance Components, Wiley, 1992 (chapter 4, two-way
layouts with random effects); F. E. Satterthwaite: An approximate distribution of estimates of variance
components. Biometrics Bulletin 2, 1946.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..by_topic import mean_over_topics
from ..errors import GradedError, shown
from ..evaluation.evaluate import Evaluation
from ..evaluation.values import Repeats, column_of
from ..output.formats import listed


def systems_of(evaluation: Evaluation, repeats: Repeats) -> dict[str, list[int]]:
    """The numbers of the runs of each system; empty if `repeats` is None.

    >>> values = Evaluation(("a_1", "b_1", "a_2"), (), (), np.zeros((3, 0, 0)))
    >>> systems_of(values, r"(.*)_\\d")
    {'a': [0, 2], 'b': [1]}

    Raises `GradedError` for a pattern without exactly one group, a run that has no system, and if no system
    has several runs.
    """
    if repeats is None:
        return {}
    found = defaultdict(list)
    given = evaluation.systems if column_of(repeats) and evaluation.systems else repeats
    of = _matched(given) if isinstance(given, str) else given.get
    for number, run in enumerate(evaluation.runs):
        if not (system := of(run)):
            raise GradedError(
                f"repeats={shown(repeats)} gives no system of the run {shown(run)}; a pattern matches whole "
                r"names, as (.*?)(?:_seed\d+)? matches bm25 and dense_seed1"
            )
        found[str(system)].append(number)
    if len(found) == len(evaluation.runs):
        raise GradedError(f"no system has several runs: the systems are {listed(found, 5)}")
    return dict(found)


def _matched(text: str) -> Callable[[str], str | None]:
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise GradedError(f"repeats={shown(text)} is not a regular expression: {error}") from None
    if pattern.groups != 1:
        raise GradedError(
            f"repeats={shown(text)} is not allowed; a pattern has one group, the system, as in (.*)_seed1"
        )
    return lambda run: (match := pattern.fullmatch(run)) and match[1]


def averaged(evaluation: Evaluation, systems: Mapping[str, Sequence[int]]) -> Evaluation:
    """The mean of each system over its repeats, by measure and topic. A topic that a run lacks is missing."""
    means = [mean_over_topics(np.moveaxis(evaluation.values[rows], 0, -1)) for rows in systems.values()]
    lacks = evaluation.missing
    missing = None if lacks is None else np.stack([lacks[rows].any(axis=0) for rows in systems.values()])
    labels = tuple(systems), evaluation.measures, evaluation.topics
    return Evaluation(*labels, np.stack(means), missing=missing, unit=evaluation.unit)


def errors_of(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float, float]:
    """The standard errors of the difference of two systems' means over topics, repeats and both.

    The values of each system are an array (repeats × at least 2 topics); those of one run have no variance
    over repeats here. The last number has the degrees of freedom of the error over both. See the module.

    >>> first, second = np.array([[1., 3., 5.], [2., 4., 6.]]), np.array([[0., 1., 5.]])
    >>> np.round(errors_of(first, second), 3).tolist()
    [0.577, 0.5, 0.764, 2.882]
    """
    topics = first.shape[1]
    of_topics = (first.mean(axis=0) - second.mean(axis=0)).var(ddof=1) / topics
    of_repeats, added, spread = 0.0, 0.0, of_topics**2 / (topics - 1)
    for values in (first, second):
        if (count := len(values)) > 1:
            means = values.mean(axis=1, keepdims=True)
            residual = values - means - values.mean(axis=0) + values.mean()
            degrees = (count - 1) * (topics - 1)
            total, rest = means.var(ddof=1) / count, (residual**2).sum() / degrees / topics / count
            of_repeats += total
            added += max(0.0, total - rest)
            spread += total**2 / (count - 1) + rest**2 / degrees
    both = of_topics + added
    return of_topics**0.5, of_repeats**0.5, both**0.5, both**2 / spread if spread else np.inf
