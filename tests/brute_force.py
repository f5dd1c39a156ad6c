"""Every order of tied documents and every judgment of unjudged ones, written out, as topics of one call.

Nothing here is shared with the package but the plain measure, which is evaluated on each of them.
"""

from collections.abc import Iterator
from itertools import chain, groupby, permutations, product

from reference import as_float32, order

from ir_measures_graded import GradedMeasure

Documents = dict[str, float]


def values(measure: GradedMeasure, topics: list[tuple[Documents, Documents]], levels: set[float]) -> list[float]:
    """The value of each pair of qrels and run; the collection has all the levels."""
    others = {f"d{number}": level for number, level in enumerate(sorted(levels))}
    qrels = {str(number): judged for number, (judged, _) in enumerate(topics)} | {"levels": others}
    run = {str(number): listed for number, (_, listed) in enumerate(topics)}
    found = {metric.query_id: metric.value for metric in measure.iter_calc(qrels, run)}
    return [found[str(number)] for number in range(len(topics))]


def orders(run: Documents) -> Iterator[Documents]:
    """The run with each order of its tied documents, without ties."""
    groups = [list(group) for _, group in groupby(order(run), key=lambda doc: as_float32(run[doc]))]
    for listed in product(*map(permutations, groups)):
        docs = list(chain(*listed))
        yield {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


def judgments(
    qrels: Documents, runs: list[Documents], cutoff: int | None, levels: set[float]
) -> Iterator[Documents]:
    """The qrels with each judgment of the documents that a run has unjudged within the cutoff."""
    holes = sorted({doc for run in runs for doc in order(run)[:cutoff] if doc not in qrels})
    for given in product([None, *levels], repeat=len(holes)):
        yield qrels | {doc: level for doc, level in zip(holes, given) if level is not None}
