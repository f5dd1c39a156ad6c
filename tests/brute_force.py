"""Every order of tied documents and every judgment of unjudged documents, evaluated one by one.

Only the plain measures are shared with the package.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, permutations, product
from random import Random

from ir_measures_graded import GradedError, GradedMeasure
from ir_measures_graded.core.measures.parameters import Choice, Flag, Real
from reference import as_float32, gain, gains_of, order

Documents = dict[str, float]
LEVELS = (-1, 0, 0.5, 1, 3)


def topic(random: Random, runs: int = 1, retrieved: int = 6) -> tuple[Documents, ...]:
    """Qrels and runs of one topic: few scores, unjudged documents and unretrieved ones."""
    docs = [f"d{number}" for number in range(9)]
    qrels = {doc: random.choice(LEVELS) for doc in docs if random.random() < 0.6}
    scores = [1.0, 1.0, 2.0, 2.0 + 1e-9, 3.0]
    rankings = []
    for _ in range(runs):
        listed = random.sample(docs, random.randint(1, retrieved))
        rankings.append({doc: random.choice(scores) for doc in listed})
    return qrels, *rankings


def values(measure: GradedMeasure, topics: Iterable[tuple[Documents, Documents]]) -> list[float]:
    """The value of each pair of qrels and run, in a collection that has all `LEVELS`."""
    qrels: dict[str, Documents] = {"levels": {f"d{level}": level for level in LEVELS}}
    run: dict[str, Documents] = {}
    for number, (judged, ranking) in enumerate(topics):
        qrels[str(number)] = judged
        run[str(number)] = ranking
    value_of = {metric.query_id: metric.value for metric in measure.iter_calc(qrels, run)}
    return [value_of[topic] for topic in run]


def orders(run: Documents) -> Iterator[Documents]:
    """The run without ties, once for each order of its tied documents."""
    groups = [list(group) for _, group in groupby(order(run), key=lambda doc: as_float32(run[doc]))]
    for listed in product(*map(permutations, groups)):
        docs = list(chain(*listed))
        yield {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


def judgments(
    measure: GradedMeasure, qrels: Documents, runs: Iterable[Documents]
) -> Iterator[Documents]:
    """The qrels, once for each judgment of the documents that a run has unjudged in the cutoff."""
    one_level = {gain(level, gains_of(measure)): level for level in LEVELS}
    levels = [level for worth, level in one_level.items() if worth > 0]
    retrieved = {doc for run in runs for doc in order(run)[: measure["cutoff"]]}
    unjudged = sorted(retrieved - qrels.keys())
    for new_levels in product([None, *levels], repeat=len(unjudged)):
        new = {doc: level for doc, level in zip(unjudged, new_levels) if level is not None}
        yield qrels | new


def alternatives(measure: GradedMeasure) -> Iterator[GradedMeasure]:
    """The measure unchanged, with each of its own parameters changed, and with other gains."""
    yield measure
    if measure.HAS_GAINS:
        yield measure(gains={0: 0.25, 1: 0, 3: 10})
    else:
        yield measure(rel=3)
    for name, parameter in measure.PARAMETERS.items():
        if isinstance(parameter, Flag):
            yield measure(**{name: not parameter.default})
        elif isinstance(parameter, Choice):
            for word in parameter.choices:
                if word != parameter.default:
                    yield measure(**{name: word})
        elif isinstance(parameter, Real):
            yield measure(**{name: 0.6 if name in ("p", "gamma") else 10})


def with_option(measure: GradedMeasure, option: str, word: str) -> GradedMeasure | None:
    """The measure with an option; None if it is refused."""
    try:
        return measure(**{option: word})
    except GradedError:
        return None
