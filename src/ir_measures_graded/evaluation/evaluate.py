"""Several runs by several measures over one collection.

The command line and all analyses start from `evaluate`. It takes qrels and runs in every form,
including files and ir-datasets ids. `Evaluation` holds the value of each run by each measure for
each topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..arguments import items
from ..core.registry.facts import ZERO, name_of, refuse_geometric
from ..core.registry.notation import is_measure, one_of
from ..errors import GradedError, Remark
from ..files.forms import WITH_PREDICTIONS
from ..output.formats import counted
from ..progress import Progress, steps
from . import named, remarks
from .checked import checks_arguments
from .evaluation import NO_VALUE, Evaluation, Unjudged
from .jobs import jobs
from .named import Judgments, Qrels, Run, Runs, Study
from .order_of_rows import GIVEN, with_shared_options
from .run_evaluator import RunEvaluator, RunValues
from .runs_ahead import RunsAhead
from .sessions import Given
from .weights import counted_by

if TYPE_CHECKING:
    from .attributes import By

OF_BOOSTING = ("nDCG", "nDCG_Burges", "AP")
"""The measures that LightGBM and XGBoost compute."""
FEWEST_LEVELS_WITHOUT_0 = 4
"""Levels 1 … n without 0 are warned of from this n on.

Fewer levels are often those of relevant documents alone.
"""


@checks_arguments("evaluate(qrels, {'mine': run}, ['nDCG@10'])")
def evaluate(
    qrels: Qrels,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    sessions: Given = None,
    ties: str | None = None,
    unjudged: str | None = None,
    provider: str | None = None,
    ignore_identical_ids: bool = False,
    ascending: bool = False,
    topics: Iterable[Any] | None = None,
    no_relevant: str = ZERO,
    weights: By = None,
    progress: Progress = False,
) -> Evaluation:
    """The value of each run by each measure, graded or standard, for each topic of the qrels.

    `qrels` and `runs` may be in any form, see `Qrels` and `Runs`. `measures` are measures or
    measure strings; duplicates are evaluated once. `provider` names the ir-measures provider that
    computes all measures; by default ours computes what it can and ir-measures' pipeline the rest.
    With `ignore_identical_ids`, documents with the id of their topic are left out before anything
    is ranked, as BEIR does.

    By default, larger scores are better. With `ascending`, smaller scores are, as for distances.

    The measure ``official`` stands for those of an ir-datasets id, the primary one first, if they
    are known.

    `sessions` tells that topics are the turns of sessions, which become the topics of the result:
    True for ids such as ``31_1``, or a mapping of topics to session and turn. The value of a
    session is the mean over its turns in the qrels, the sum for counts, or as `sDCG` and `nsDCG`
    define it.

    Qrels and runs may be sequences of lists of ids, one for each of the topics 0, 1, …; `topics`
    names these.

    `no_relevant` tells how a topic counts that has no document that is relevant by a measure:
    ``zero`` (with the value that the measure defines, 0 for nearly all), ``skip`` (not at all) or
    ``one`` (with 1). The judgments of the qrels decide, by each measure's own `rel` or gains.
    `weights` are the weights of topics in means: a mapping or Series of numbers of at least 0, or
    FILE:COLUMN. A topic of weight 0 does not count.

    `ties` ('mean', 'min', 'max') and `unjudged` ('min', 'max') set these options of all measures
    that do not name them. Standard measures such as AP have them too, and are then printed with
    the option. With ``ties='given'``, tied documents of all runs stay in the order of their rows,
    as LightGBM and XGBoost rank them; measures that read scores are then an error.

    `progress` shows long work as a bar on standard error (True, which needs the extra
    ``terminal``), or is a function that is called after each step with the name of the work, the
    number of steps that are done, and of all steps or None.

    >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
    >>> runs = {"good": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, "poor": {"q1": {"b": 1.0}}}
    >>> result = evaluate(qrels, runs, ["CG@2", "P@1"])
    >>> result.of("CG@2")
    array([[3., 1.],
           [1., 0.]])
    >>> result.means()
    array([[2. , 1. ],
           [0.5, 0.5]])

    Warns (`InputWarning`) once per run of topics that it lacks and of what else is unusual, and of
    levels in parameters that the qrels lack.

    Raises `GradedError` for an empty list of measures, qrels without a topic, two runs of one
    name, and for qrels, a run or a measure that cannot be used.
    """
    wanted = with_shared_options(named.measures_for(qrels, measures), ties, unjudged)
    if topics is not None:
        qrels, runs = named.with_topics(qrels, runs, items("topics", topics, "ids of topics"))
    every = named.named_runs(runs)
    if ascending:
        every = named.ascending_runs(every)
    if ties == GIVEN:
        every = named.ordered_runs(every)
    if ignore_identical_ids:
        every = named.ignoring_identical_ids(every)
    qrels = counted_by(named.in_sessions(qrels, sessions), no_relevant, weights)
    have_processes = len(every) > 1 and jobs() > 1
    read_here = [] if have_processes else every
    with RunsAhead(read_here) as runs_ahead:
        work = RunEvaluator(qrels, wanted, provider)
        values_of_runs: Iterable[RunValues] = map(work, runs_ahead)
        if have_processes:
            from .workers import values_of  # This import takes time.

            values_of_runs = values_of(work, every)
        return _evaluation(work, every, values_of_runs)


def _evaluation(
    work: RunEvaluator, every: Sequence[Run], values_of_runs: Iterable[RunValues]
) -> Evaluation:
    """The evaluation with the values of every run, whose remarks are issued."""
    judgments = work.judgments
    wanted = tuple(work.measures)
    with remarks.issued_together():
        results = list(steps(values_of_runs, "runs", len(every)))
        others = _remarks_on(judgments, wanted) + _remarks_on_groups(work)
        # A kept run has issued its remarks when it was read.
        for run, of_run in zip(every, results, strict=True):
            if run.kept_for is None:
                remarks.issue(of_run.remarks)
        remarks.issue(others)
        unit = "topic"
        units = judgments.topics
        if judgments.sessions is not None:
            unit = "session"
            units = judgments.sessions.names
        on_runs = [remark for of_run in results for remark in of_run.remarks]
        subject = judgments.name or "qrels"
        # The reader of the qrels has issued its remarks.
        of_reader = [remark._replace(subject=subject) for remark in judgments.rows.facts.remarks]
        values = np.stack([of_run.values for of_run in results])
        missing = [of_run.missing for of_run in results]
        result = Evaluation(
            runs=tuple(run.name for run in every),
            measures=wanted,
            topics=units,
            values=judgments.counting.treated(values, work.lacks_relevant),
            missing=np.stack(missing),
            unit=unit,
            levels=judgments.levels,
            remarks=(*on_runs, *others, *of_reader),
            no_relevant=judgments.counting.no_relevant,
            lacks_relevant=work.lacks_relevant,
            weights=judgments.counting.weights_of(units),
            unjudged=_unjudged(work, every, results),
            in_order_given=any(run.in_order_given for run in every),
            were_tied=any(of_run.were_tied for of_run in results),
        )
        result.refuse_zero_weights()
        remarks.issue(remark for remark in result.remarks if remark.kind == NO_VALUE)
    return result


def _unjudged(
    work: RunEvaluator, runs: Iterable[Run], results: Iterable[RunValues]
) -> Unjudged | None:
    """The share of unjudged documents of each run; None without a measure that counts them, and if
    all have an assumed level."""
    if work.depth is None:
        return None
    shares = {}
    for run, of_run in zip(runs, results, strict=True):
        if of_run.unjudged is not None:
            shares[run.name] = of_run.unjudged
    if work.judgments.assumed is not None and not any(shares.values()):
        return None
    return Unjudged(work.deepest, shares)


def _remarks_on(judgments: Judgments, measures: Sequence[Measure]) -> list[Remark]:
    """The remarks on qrels and measures.

    Levels 1 … n without 0 matter only to measures that leave open what a level means.
    """
    on_measures = list(remarks.measure_remarks(measures, judgments.documents, judgments.contract))
    is_open = any(
        remarks.leaves_open(measure, name) for measure in measures for name in ("rel", "gains")
    )
    if judgments.contract is None and is_open:
        on_levels = remarks.level_remarks(
            judgments.documents, judgments.name, FEWEST_LEVELS_WITHOUT_0
        )
        return on_levels + on_measures
    return on_measures


def _remarks_on_groups(work: RunEvaluator) -> list[Remark]:
    """The remark that boosting counts topics of LETOR data without a relevant document as 1."""
    judgments = work.judgments
    is_boosted = judgments.rows.facts.form in WITH_PREDICTIONS
    if not is_boosted or judgments.counting.no_relevant != ZERO:
        return []
    for measure, is_lacking in zip(work.measures, work.lacks_relevant, strict=True):
        lacking = int(is_lacking.sum())
        if lacking and name_of(measure) in OF_BOOSTING:
            topics = counted(is_lacking.size, "topic")
            text = (
                f"LightGBM and XGBoost count topics without relevant documents 1, here {lacking:,} "
                f"of {topics}: --no_relevant one (no_relevant='one')"
            )
            return [Remark("no relevant", judgments.name or "qrels", text)]
    return []


def evaluated(
    qrels: Qrels | Evaluation,
    runs: Runs | None,
    measures: Iterable[Measure | str],
    sessions: Given,
    *,
    kept: bool = False,
    no_relevant: str = ZERO,
    weights: By = None,
    several: bool = True,
) -> tuple[Evaluation, Study | None]:
    """The `Evaluation` of runs. If `runs` is None, `qrels` is one already, or a table of values.

    Of values, all measures are taken if none is named; measures may stand in the place of runs. The
    columns of a table may be runs, if the analysis needs `several`. If runs are `kept`, the second
    result is their study, otherwise None.
    """
    if runs is not None and isinstance(qrels, Evaluation):
        if measures or not _are_measures(runs, qrels):
            raise GradedError(
                "an Evaluation has the values of its runs; leave out runs, or give qrels"
            )
        chosen: Any = runs
        measures = chosen
        runs = None
    if runs is not None:
        qrels = counted_by(named.in_sessions(qrels, sessions), no_relevant, weights)
        if not kept:
            evaluation = evaluate(qrels, runs, measures)
            refuse_geometric(evaluation.measures)
            return evaluation, None
        if not isinstance(measures, (str, Measure)):
            measures = list(measures)
        study = named.study_of(qrels, runs, named.measures_for(qrels, measures))
        evaluation = evaluate(study.judgments, study.runs, measures)
        refuse_geometric(evaluation.measures)
        return evaluation, study
    if sessions:
        raise GradedError("sessions needs qrels and runs; values stay those of their topics")
    if no_relevant != ZERO:
        raise GradedError("no_relevant needs qrels and runs; values do not tell which are relevant")
    # This import takes time.
    from .columns_as_runs import of_one_run, of_several_runs, with_measure_of_words

    evaluation = qrels if isinstance(qrels, Evaluation) else Evaluation.from_values(qrels)
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    measures = list(measures)
    evaluation = with_measure_of_words(evaluation, measures)
    wanted = [one_of(evaluation.measures, measure) for measure in measures]
    if wanted:
        evaluation = evaluation.part(evaluation.runs, wanted)
    evaluation = of_several_runs(evaluation) if several else of_one_run(evaluation)
    if weights is not None:
        evaluation = evaluation.weighted(weights)
    return evaluation, None


def _are_measures(values: Any, evaluation: Evaluation) -> bool:
    """Whether this is a measure of the evaluation, its string, or a list of them."""
    names = set(map(str, evaluation.measures))
    listed_values = [values] if isinstance(values, (str, Measure)) else values
    if not isinstance(listed_values, (list, tuple)):
        return False
    return all(
        isinstance(value, (str, Measure)) and (str(value) in names or is_measure(str(value)))
        for value in listed_values
    )
