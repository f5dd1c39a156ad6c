"""The command `report`."""

from typing import Any

from ..analysis.judging.panel import named_judges
from ..analysis.report.report import MEASURES, TITLE, report
from ..analysis.statistics.defaults import ALPHA
from ..output.formats import sentences
from .arguments import (
    BY,
    COMPARISONS,
    JOBS,
    OF_VALUES,
    alpha,
    attribute_of_topics,
    chosen,
    collection_or_values,
    inputs,
    run_named,
    values_of,
)
from .judges import judge_in
from .parser import PAGE, Arguments, Option, as_list
from .results import command_line

USAGE = ("QRELS RUN… [MEASURE…]", OF_VALUES)
OPTIONS = (
    *collection_or_values(),
    JOBS,
    Option("--baseline RUN", "compare the other runs with this run; default: the best run"),
    Option("--queries FILE", "lines of a topic, a tab and its query's text", reads=as_list),
    BY,
    Option(
        "--judge QRELS",
        "qrels of another judge, whose agreement is shown; repeatable",
        repeated=True,
        reads=as_list,
    ),
    Option("--title TITLE", "title of the page", default=TITLE),
    alpha(ALPHA),
    COMPARISONS,
    Option(
        "-o --output FILE", "file of the page", default="report.html", writes=as_list, endings=PAGE
    ),
)


def run(arguments: Arguments) -> list[str]:
    """Write a report on the runs as one HTML page.

    The page shows the best runs with tests of their differences, the data, curves, the values and
    rankings of each topic, the order of the runs under other gains, and the method. It is a single
    file and needs no network. The default measures are nDCG_JK@10, ERR_G@10 and Q. Curves, topics,
    rankings and the order under other gains use the first measure whose value depends on the gains,
    as nDCG@10 and not AP. With more than 250 topics, the page shows those in which the runs differ
    most, or those with the highest values of a single run. The command needs the extra report.

    --by adds the differences in groups of topics, and --judge the agreement with other judges. With
    --values or --sessions, the page has what values of topics or sessions tell.

      ir_measures_graded report qrels.txt runs/*.gz nDCG_JK@10 AP -o report.html
      ir_measures_graded report qrels.txt runs/*.gz --baseline bm25 --queries queries.tsv
    """
    stored = values_of(arguments)
    first: list[Any]
    if stored is None:
        first = list(inputs(arguments, default=MEASURES))
    else:
        first = [chosen(arguments, stored)]
    settings = arguments.of("alpha", "comparisons", "title", "queries")
    settings["by"] = attribute_of_topics(arguments, "by")
    machines = named_judges(arguments.judge)
    settings["machines"] = {name: judge_in(qrels, arguments) for name, qrels in machines.items()}
    settings["baseline"] = run_named(arguments.baseline, first)
    settings["command"] = command_line(arguments)
    page = report(*first, **settings)
    page.save(arguments.output)
    answer = f"{arguments.output}: {page.summary}"
    return sentences("text", [answer, *page.notes_on_input()], whole_words=True)
