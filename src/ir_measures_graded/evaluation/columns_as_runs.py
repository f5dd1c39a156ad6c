"""Tables of values that do not tell whether their columns are runs or measures, and values without
the name of a measure.

A table may have a column for each run: `Evaluation.columns_of` names a table whose columns are
taken as measures although none has the name of a known one. They are runs if a call names the
measure of their values, or needs several runs.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from ir_measures import Measure

from ..core.registry.notation import NamedMeasure, measure_named
from ..errors import GradedError, Remark
from ..output.formats import listed
from .evaluation import OF_COLUMNS, Evaluation
from .remarks import issue
from .values import IN_MEMORY, VALUE, are_unnamed, names_measures, within_range

LISTED = 5


def with_measure_of_words(evaluation: Evaluation, words: Iterable[Measure | str]) -> Evaluation:
    """The values by the known measure that one of the words names and that the table does not.

    The columns of the table are runs then. Other values stay as they are. Raises `GradedError` for
    several such measures.

    >>> rows = {"topic": ["1", "2"], "bm25": [0.5, 0.25], "dense": [0.75, 0.5]}
    >>> by_measure = with_measure_of_words(Evaluation.from_values(rows), ["nDCG@10"])
    >>> by_measure.runs, by_measure.measures
    (('bm25', 'dense'), (nDCG@10,))
    """
    names = [str(measure) for measure in evaluation.measures]
    is_unnamed = are_unnamed(names)
    if not evaluation.columns_of and not is_unnamed:
        return evaluation
    known_measures: dict[str, Measure] = {}
    for word in map(str, words):
        measure = measure_named(word)
        if word not in (*names, *evaluation.runs) and not isinstance(measure, NamedMeasure):
            known_measures[word] = measure
    if not known_measures:
        return evaluation
    if len(known_measures) > 1:
        raise GradedError(
            f"the values of {listed(names, LISTED)} are by one measure, not by "
            f"{listed(known_measures, LISTED)}; name one"
        )
    ((name, measure),) = known_measures.items()
    measure = within_range(measure, name, evaluation.values)
    if is_unnamed:
        return replace(evaluation, measures=(measure,))
    return _with_runs(evaluation, measure)


def of_several_runs(evaluation: Evaluation) -> Evaluation:
    """The values, with a run for each column of the table if they are those of one run otherwise.

    A remark says so.
    """
    if not evaluation.columns_of:
        return evaluation
    table = evaluation.columns_of
    names = listed(evaluation.measures, LISTED)
    text = (
        f"the columns {names} are taken as runs, as none has the name of a known measure; "
        f"{_how_to_name_the_measure(table)}"
    )
    remark = Remark(OF_COLUMNS, table, text)
    issue([remark])
    of_runs = _with_runs(evaluation, NamedMeasure(VALUE))
    return replace(of_runs, remarks=(*of_runs.remarks, remark))


def of_one_run(evaluation: Evaluation) -> Evaluation:
    """The values, with a remark if the columns of the table are taken as measures of one run.

    The analysis says it. A single one was named by the user.
    """
    if not evaluation.columns_of or len(evaluation.measures) < 2:
        return evaluation
    table = evaluation.columns_of
    names = listed(evaluation.measures, LISTED)
    text = (
        f"the columns {names} are taken as measures of one run, although none has the name of a "
        f"known measure; if they are runs, {_how_to_name_the_measure(table)}"
    )
    remark = Remark(OF_COLUMNS, table, text)
    return replace(evaluation, columns_of="", remarks=(*evaluation.remarks, remark))


def refuse_without_run(evaluation: Evaluation, run: str) -> None:
    """Raise `GradedError` for stored values without those of a run.

    If no column has the name of a known measure, the columns may be meant as runs.
    """
    if run in evaluation.runs:
        return
    table = listed(evaluation.files, LISTED) or IN_MEMORY
    message = f"{table} has no run {run!r}; its runs are {listed(evaluation.runs, LISTED)}"
    if not names_measures(evaluation.measures):
        columns = listed(evaluation.measures, LISTED)
        message += f"; if the columns ({columns}) are runs, {_how_to_name_the_measure(table)}"
    raise GradedError(message)


def _how_to_name_the_measure(table: str) -> str:
    if table == IN_MEMORY:
        return "name the measure of their values, as in 'nDCG@10'"
    return f"name the measure of their values, as in nDCG@10={table}"


def _with_runs(evaluation: Evaluation, measure: Measure) -> Evaluation:
    """The values by one measure, of a run for each column of the table."""
    return replace(
        evaluation,
        runs=tuple(map(str, evaluation.measures)),
        measures=(measure,),
        values=np.swapaxes(evaluation.values, 0, 1),
        columns_of="",
    )
