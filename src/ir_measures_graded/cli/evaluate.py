"""The command `evaluate`, which prints like the ir_measures command or as a table."""

import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, cycle, repeat
from typing import Any

import ir_measures

from ..core.ranking.gains import named_weightings
from ..errors import GradedError
from ..evaluation.evaluate import evaluate
from ..evaluation.evaluation import FIGURES, MEANS, TOPICS, Evaluation
from ..evaluation.value_columns import AGGREGATE, ALL, GROUP
from ..files.collector import waiting_collector
from ..output import figures
from ..output.files import ending_of
from ..output.formats import counted, known, listed
from ..output.result import View
from ..output.tables import Table
from .arguments import (
    ASSUME_UNJUDGED,
    BY,
    COLLECTION,
    JOBS,
    NO_RELEVANT,
    SESSIONS,
    WEIGHTS,
    attribute_of_topics,
    inputs,
    measure_in,
    under_weightings,
    with_ties,
)
from .parser import PAGE, Arguments, Option, choice, output, share, unless_drawn
from .results import Answer

PROVIDERS = tuple(ir_measures.providers.registry)
NOT_RUNS = (
    *("topic", "topics", "value", "values", "query", "queries", "difficulty"),
    *("asc", "ascending", "desc", "descending", "mean", "score"),
)
"""Words behind --sort that are no measure; some mean to sort topics."""
SHOWN = (MEANS, TOPICS)
"""The tables that --show chooses."""
UNLIKE_TOPICS = {
    "by_query": "the former has the topics, over all runs",
    "confidence": "intervals are those of means over topics",
}
"""Options that exclude the table of topics, with the reasons."""


def _extreme(text: str) -> str:
    """A choice of --unjudged; a level is another option."""
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        raise ArgumentTypeError(
            f"{text} is a level, and --unjudged takes min or max: --assume_unjudged {text} takes "
            "unjudged documents as judged at this level"
        )
    return text


OPTIONS = (
    *COLLECTION,
    JOBS,
    SESSIONS,
    NO_RELEVANT,
    WEIGHTS,
    BY,
    Option(
        "--unjudged",
        "the lowest or highest value over all judgments that a run's unjudged documents could get; "
        "--assume_unjudged gives all one level",
        _extreme,
        choices=("min", "max"),
        excludes="assume_unjudged",
    ),
    ASSUME_UNJUDGED,
    Option("-q --by_query", "also print the values of each topic", excludes="confidence"),
    choice(
        "--figure",
        "what -o draws: means (default), with -q the topics, or quartiles over topics (box)",
        *FIGURES,
    )._replace(idle=unless_drawn),
    Option("--sort MEASURE", "the best run first, by this measure"),
    choice("--show", "means (default), or the topics, the hardest first", *SHOWN),
    Option("-n --no_summary", "omit the means", requires="by_query"),
    Option(
        "--confidence C", "add the confidence interval of each mean over topics, as in 0.95", share
    ),
    choice(
        "--interval", "Student's t (default) or BCa bootstrap", "t", "bca", requires="confidence"
    ),
    # The ir_measures command says --output_format.
    *output(form="-f --output_format --format FORM"),
    Option("--provider NAME", f"use one provider: {', '.join(PROVIDERS)}", choices=PROVIDERS),
)


def run(arguments: Arguments) -> Answer:
    """Evaluate runs against qrels.

    An argument after QRELS is a run if it is an existing file or - (standard input), and otherwise
    a measure. On a terminal the command prints an aligned table. Into a pipe or a file it prints
    tsv: for one run the lines of the ir_measures command, without a header, and for several runs
    one row per run. --by prints a row for each measure, run and group of topics. -f json has the
    values beside the number of topics, the kind and seed of the intervals, the versions of the
    packages and the SHA-256 of the files. --show topics answers which topics are the hardest, and
    on which the runs differ most; compare --show topics does so of two runs.

      ir_measures_graded evaluate qrels.txt run.txt \\
          "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" nDCG@10 AP
      ir_measures_graded evaluate qrels.txt runs/*.gz nCG@100 muAP -f markdown -o values.csv
      ir_measures_graded evaluate qrels.txt runs/*.gz AP --sort nDCG_JK@10
      ir_measures_graded evaluate graded-demo --scoreddocs nDCG_JK@10 Q
      ir_measures_graded evaluate qrels.txt run.txt nDCG@10 AP --ties mean
      ir_measures_graded evaluate qrels.txt runs/*.gz muAP --confidence 0.95
      ir_measures_graded evaluate qrels.txt run.txt nDCG@10 --by topics.csv:type
      ir_measures_graded evaluate qrels.txt runs/*.gz nDCG@10 --show topics
    """
    default = "text" if sys.stdout.isatty() else "tsv"
    sorting = None
    if arguments.sort in NOT_RUNS:
        raise GradedError(
            f"--sort takes a measure, and the best run by it comes first; --show {TOPICS} has the "
            "hardest topics first"
        )
    if arguments.sort:
        sorting = measure_in(arguments.sort, "--sort", arguments.qrels)
    also = [] if sorting is None else [sorting]
    qrels, runs, measures = inputs(arguments, also=also)
    settings_of_measures = arguments.of("unjudged", "provider")
    evaluation = evaluate(qrels, runs, measures, **settings_of_measures)
    if sorting is not None:
        sorting = _under_gains(sorting, arguments, qrels)
        (sorting,) = with_ties([sorting], arguments.ties)
        # The measures of the evaluation are these with the options.
        by = evaluation.measures[measures.index(sorting)]
        order = [evaluation.runs[number] for number in evaluation.best_first(by)]
        evaluation = evaluation.part(order, evaluation.measures)
    facts = {"unit": evaluation.unit, "topics": len(evaluation.topics), "interval": None}
    facts["no_relevant"] = evaluation.no_relevant
    counts = evaluation.topic_counts.max(axis=0).tolist()
    facts["n"] = {
        str(measure): count for measure, count in zip(evaluation.measures, counts, strict=True)
    }
    facts |= arguments.of("weights", "ignore_identical_ids", "ties")
    if evaluation.effective is not None:
        facts["effective_topics"] = evaluation.effective
    if arguments.show == TOPICS:
        return _by_topic(evaluation, arguments, facts, default)
    if arguments.by is not None and not arguments.by_query:
        return _by_group(evaluation, arguments, facts, default)
    if arguments.confidence is not None:
        from ..analysis import intervals  # takes time: imports all analyses

        settings = {"confidence": arguments.confidence, "method": arguments.interval}
        facts["interval"] = settings
        facts["seed"] = 0 if arguments.interval == "bca" else None
        return Answer(intervals(evaluation, **settings), facts=facts, default=default)
    answer = partial(_answer, evaluation, arguments, facts, default)
    of_files = answer(arguments.by_query, not arguments.no_summary)
    tables = [path for path in arguments.output if ending_of(path) not in figures.FORMATS]
    if not arguments.by_query or not tables:
        return of_files
    if "format" not in arguments.given_options:
        of_files.printed = answer(False, True)
    if arguments.no_summary:
        if "format" not in arguments.given_options:
            of_files.printed = _in_one_line(evaluation, tables, default)
    else:
        of_files.told = [_note_on_means(path) for path in tables if ending_of(path) not in PAGE]
    return of_files


def _note_on_means(path: str) -> str:
    """That a table of topics has rows of means, which would count in averages over its rows."""
    return f"{path} has the means, too, in rows whose query_id is {ALL}; -n omits these rows"


def _in_one_line(evaluation: Evaluation, paths: Sequence[str], default: str) -> Answer:
    """What the files have, in place of all values."""
    values = [
        counted(len(evaluation.topics), evaluation.unit),
        counted(len(evaluation.runs), "run"),
        counted(len(evaluation.measures), "measure"),
    ]
    line = f"{listed(paths, len(paths))}: the values of {listed(values)}"
    return Answer(View([]), documents={default: lambda _: [line]}, default=default)


def _answer(
    evaluation: Evaluation,
    arguments: Arguments,
    facts: dict[str, Any],
    default: str,
    has_topics: bool,
    has_means: bool,
) -> Answer:
    """The table of the values of topics, of means, or of both."""
    topic_columns: list[str] = []
    mark_columns: list[str] = []
    if has_topics:
        topic_columns = ["query_id"]
        if arguments.by is not None:
            topic_columns.append(GROUP)
        if ALL in evaluation.topics:
            mark_columns = [AGGREGATE]
    names = [str(measure) for measure in evaluation.measures]
    with waiting_collector():
        rows = list(_rows(evaluation, arguments, has_topics, has_means))
        full = Table(["run", "query_id", GROUP, AGGREGATE, *names], rows)
        wide = full.select("run", *topic_columns, *mark_columns, *names)
    view = _EvaluationView(evaluation, wide, partial(_figure, evaluation, arguments))
    if len(evaluation.runs) > 1 or arguments.by is not None:
        return Answer(view, facts=facts, default=default)
    long_columns = [*topic_columns, "measure", "value", *mark_columns]
    cells = partial(_cells, names, rows)
    documents: dict[str, Any] = {"tsv": partial(_headless_lines, cells, topic_columns)}
    for form in ("jsonl", "json"):
        documents[form] = partial(_long_lines, cells, long_columns, form)
    documents["text"] = partial(_lines_with_notes, cells, long_columns, evaluation)
    return Answer(view, documents=documents, facts=facts, default=default)


class _EvaluationView(View):
    """A table of an evaluation, whose headline and notes are made when a format shows them."""

    def __init__(self, evaluation: Evaluation, table: Table, draw: "Callable[[], figures.Figure]"):
        super().__init__([table], draw, remarks=evaluation.remarks)
        self.evaluation = evaluation

    @property
    def summary(self) -> str:
        return self.evaluation.headline()

    def notes(self) -> Sequence[str]:
        return self.evaluation.notes()


def _headless_lines(
    cells: Callable[[], Table], topic_columns: list[str], places: int
) -> Iterator[str]:
    """The lines of values one a row, as the ir_measures command prints them, without a header."""
    table = cells().select(*topic_columns, "measure", "value")
    return replace(table, head=False).lines("tsv", places)


def _long_lines(
    cells: Callable[[], Table], columns: list[str], form: str, places: int
) -> Iterator[str]:
    """The lines of these columns of a table of values one a row."""
    return cells().select(*columns).lines(form, places)


def _lines_with_notes(
    cells: Callable[[], Table], columns: list[str], evaluation: Evaluation, places: int
) -> list[str]:
    """The lines of these columns of a table of an evaluation as text, and its notes."""
    table = cells().select(*columns)
    return View([table], noted=evaluation.notes()).lines("text", places)


def _under_gains(
    sorting: ir_measures.Measure, arguments: Arguments, judgments: Any
) -> ir_measures.Measure:
    """The measure of --sort with the weighting of --gains.

    Raises `GradedError` if there are several weightings for it.
    """
    gains = named_weightings(arguments.get("gains") or ())
    if not gains or "gains" in sorting.params or "gains" not in sorting.SUPPORTED_PARAMS:
        return sorting
    weighted = under_weightings([sorting], gains, judgments)
    if len(weighted) > 1:
        raise GradedError(f"--sort {sorting} stands for {listed(weighted)}; name one of them")
    return weighted[0]


def _by_topic(
    evaluation: Evaluation, arguments: Arguments, facts: dict[str, Any], default: str
) -> Answer:
    """The topics with their means over the runs, the hardest first.

    Raises `GradedError` for options that ask for other tables.
    """
    for option, reason in UNLIKE_TOPICS.items():
        if arguments.get(option):
            raise GradedError(f"--show {TOPICS} and --{option} exclude each other: {reason}")
    if arguments.weights is not None and evaluation.has_weight.all():
        reason = f"--show {TOPICS} has the values of topics, and no weight is 0"
        arguments.without_effect["weights"] = reason
    view = evaluation.of_topics(arguments.by)
    if "figure" in arguments.given_options:
        view.draw = partial(_figure, evaluation, arguments)
    return Answer(view, facts=facts, default=default)


def _by_group(
    evaluation: Evaluation, arguments: Arguments, facts: dict[str, Any], default: str
) -> Answer:
    """The means by group of topics, with intervals if there is a confidence."""
    from ..analysis import group_means  # takes time: imports all analyses

    if arguments.interval != "t":
        raise GradedError("--interval bca takes no groups; use Student's t (--interval t)")
    by = attribute_of_topics(arguments, "by")
    result = group_means(evaluation, by, arguments.confidence)
    if arguments.confidence is not None:
        facts["interval"] = arguments.of("confidence") | {"method": arguments.interval}
    return Answer(result, facts=facts | arguments.of("by"), default=default)


def _figure(evaluation: Evaluation, arguments: Arguments) -> "figures.Figure":
    """The figure that was asked for; means have intervals if these can be computed."""
    kind = arguments.figure
    if "figure" not in arguments.given_options and arguments.by_query:
        kind = TOPICS
    if kind != MEANS:
        return evaluation.figure(kind)
    from ..analysis import intervals  # takes time: imports all analyses

    try:
        return intervals(evaluation).figure()
    except GradedError:  # for example a single topic, or no SciPy
        return evaluation.figure()


def _cells(names: list[str], rows: list[tuple[Any, ...]]) -> Table:
    """The values of one run, one a row; values that no provider reports are left out."""
    size = len(names)
    topics = chain.from_iterable([row[1]] * size for row in rows)
    marks = chain.from_iterable([row[3]] * size for row in rows)
    values = chain.from_iterable(row[4:] for row in rows)
    every = zip(topics, cycle(names), values, marks, strict=False)
    cells = [cell for cell in every if cell[2] is not None]
    return Table(["query_id", "measure", "value", AGGREGATE], cells)


def _rows(
    evaluation: Evaluation, arguments: Arguments, has_topics: bool, has_means: bool
) -> Iterator[tuple[Any, ...]]:
    """Run, topic, group, mark and a value for each measure.

    The rows of a run are one for each topic if `has_topics`, then one over all if `has_means`. The
    mark tells the row over all topics from that of a topic that is named ``all``. None stands for a
    value that a provider of ir-measures does not report.
    """
    means = [known(means_of_run) for means_of_run in evaluation.means()]
    groups: dict[int, str] = {}
    by = attribute_of_topics(arguments, "by")
    if by is not None:
        from ..evaluation.attributes import groups_of

        for group, topics in groups_of(evaluation.topics, by).items():
            groups |= dict.fromkeys(topics, group)
    for number, run in enumerate(evaluation.runs):
        if has_topics:
            groups_of_topics = [groups.get(place, "") for place in range(len(evaluation.topics))]
            by_measure = evaluation.reported[number].tolist()
            labels = (repeat(run), evaluation.topics, groups_of_topics, repeat(""))
            yield from zip(*labels, *by_measure, strict=False)
        if has_means:
            yield (run, ALL, "", "mean", *means[number])
