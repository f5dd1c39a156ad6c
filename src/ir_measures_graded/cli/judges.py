"""The command `judges`."""

from dataclasses import replace

from ..analysis.judging.agreement import RESAMPLES, compared
from ..analysis.judging.estimate import estimated
from ..analysis.judging.merging import holds_answers
from ..analysis.judging.panel import HUMAN_FIRST, panels
from ..analysis.statistics.intervals import STUDENT, check
from ..analysis.statistics.options import whole_number
from ..errors import GradedError
from ..files.sources import is_file
from ..output.formats import FOR_PEOPLE, Table
from .arguments import add_jobs, add_qrels, add_resamples, add_runs, given, options
from .parser import Namespace, Parser
from .results import add_output, shown

ORDERS, ESTIMATES = "orders", "estimates"


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s HUMAN_QRELS MACHINE_QRELS… [RUN… MEASURE…] [options]"
    add_qrels(parser, "qrels", "HUMAN_QRELS")
    add_qrels(parser, "machine", "MACHINE_QRELS")
    add_runs(parser)
    parser.option(
        "--machine_levels LEVEL:LEVEL,…",
        "map from the machine's levels to the human's; with 0:0,5:1,10:3, levels from 5 become 1, "
        "from 10 become 3",
    )
    parser.option("--baseline RUN", "also estimate the difference of each run from RUN")
    what = "level of the intervals; default: 0.95"
    parser.option("--confidence C", what, type=float, default=0.95)
    add_resamples(parser, "topics for the intervals of the agreement", RESAMPLES)
    what = "complete the human's topics with the machine's judgments; the human's take precedence"
    parser.option("--merge", what, choices=[HUMAN_FIRST])
    what = "table to print; default: agreement, and with runs and a single machine estimates"
    parser.option("--show", what, choices=("agreement", "levels", "topics", ORDERS, ESTIMATES))
    add_jobs(parser)
    add_output(parser)


def run(arguments: Namespace) -> list[str]:
    """Compare machine judges with a human, and combine their judgments.

    The command has a row for each machine: Cohen's kappa, plain, weighted and for each division of the levels
    in two, Krippendorff's alpha, and with runs and measures the agreement of their orders (tau, tau_AP, rho,
    RBO) and of significant differences. The intervals come from resampled topics. Files of qrels are judges,
    the others are runs. The estimates are the means by the human alone, by the machine alone, and combined:
    the machine's mean over all its topics, corrected by its bias on the human's topics (prediction-powered
    inference). lambda is the weight of the machine, worth the number of human topics that would give an
    equally precise mean, halving the number of further human topics that would halve the interval.

      ir_measures_graded judges human.txt machines/*.txt -f latex
      ir_measures_graded judges human.txt machine.txt runs/*.gz nDCG_JK@10 --baseline bm25
      ir_measures_graded judges human.txt llm.txt a.run b.run P@5 --machine_levels 0:0,5:1,10:3 -f csv
    """
    more = [text for text in arguments.inputs if text != "-" and is_file(text) and holds_answers(text)]
    arguments.inputs = [text for text in arguments.inputs if text not in more]
    if not arguments.inputs and (arguments.baseline or arguments.merge or arguments.gains):
        raise GradedError("--baseline, --merge and --gains require runs and measures")
    if not arguments.inputs and arguments.show in (ORDERS, ESTIMATES):
        raise GradedError(f"--show {arguments.show} requires runs and measures")
    of_one = {"--show estimates": arguments.show == ESTIMATES, "--baseline": arguments.baseline}
    for option, is_given in {**of_one, "--merge": arguments.merge}.items():
        if is_given and more:
            raise GradedError(f"{option} requires a single machine")
    check(arguments.confidence, STUDENT)
    whole_number(arguments.seed, "seed", 0)
    qrels, runs, measures = given(arguments) if arguments.inputs else (arguments.qrels, [], [])
    if arguments.show == ORDERS and len(runs) < 2:
        raise GradedError("--show orders requires at least 2 runs")
    settings = options(arguments, "machine_levels", "merge", "progress", "jobs")
    found = panels(qrels, [arguments.machine, *more], runs, measures, **settings)
    agreed = compared(found, **options(arguments, "confidence", "resamples", "seed"))
    if runs and not more and arguments.show in (None, ESTIMATES):
        agreed = replace(agreed, estimates=estimated(found[0], arguments.confidence, arguments.baseline))
    result = agreed.estimates or agreed
    tables = {"levels": agreed.level_table, "topics": agreed.topic_table, ORDERS: agreed.order_table}

    def table(form: str) -> Table:
        if arguments.show in tables:
            return tables[arguments.show]()
        return (agreed if form in FOR_PEOPLE and not arguments.show else result).table_in(form)

    return shown(arguments, None if arguments.show else agreed, table, result.figure)
