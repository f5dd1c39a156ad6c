"""The command `judges`."""

from dataclasses import replace
from typing import Any

from ir_measures import Measure

from ..analysis.judging.agreement import Judges
from ..analysis.judging.estimate import Estimates, estimated
from ..analysis.judging.judges import ONE_RUN, compared
from ..analysis.judging.merging import RULES, merge_judges
from ..analysis.judging.panel import is_judge, panels
from ..analysis.judging.percentiles import RESAMPLES
from ..analysis.statistics.defaults import CONFIDENCE
from ..errors import GradedError, NotApplicableError, Remark
from ..evaluation.remarks import issue
from ..files.content import is_lasting
from ..files.conversion import rows_of, written
from ..files.sources import named_path
from ..output.formats import counted
from ..output.result import View
from .arguments import RUNS, inputs, qrels, resamples
from .parser import Arguments, Option, check_endings, output, real
from .results import Answer

RUNS_OF = {"favours": 2, "estimates": 1, "pairs": 2}
"""The least number of runs of the tables that need some."""
TABLES_SHOWN = ("agreement", "kappas", "differences", "levels", *RUNS_OF)
OF_ONE = ("estimates", "pairs")
"""The tables of a single machine."""

USAGE = (
    "HUMAN_QRELS MACHINE_QRELS… [RUN… MEASURE…]",
    "QRELS QRELS… --merge RULE [-o FILE]",
)
FORMAT, OUTPUT, PLACES = output()
OPTIONS = (
    qrels("qrels HUMAN_QRELS"),
    qrels("machine MACHINE_QRELS"),
    *RUNS,
    Option(
        "--machine_levels MAP",
        "from every machine level up to the human's, as in 0-4:0,5-9:1,10:3",
    ),
    Option("--confidence C", "level of the intervals", real, default=CONFIDENCE),
    *resamples("topics for the intervals of the agreement, at least 100", RESAMPLES),
    Option(
        "--show",
        "table to print",
        choices=TABLES_SHOWN,
    ),
    Option("--merge", "make one judge of all, by this rule", choices=tuple(RULES), excludes="show"),
    FORMAT,
    OUTPUT._replace(help=f"{OUTPUT.help}; with --merge: the qrels as convert does", endings=None),
    PLACES,
)


def run(arguments: Arguments) -> Answer:
    """Compare machine judges with a human, and combine their judgments.

    The command has a row for each machine: Cohen's kappa, plain, weighted and for each division of
    the levels in two, Krippendorff's alpha, and with runs and measures the agreement of their
    orders (tau, tau_AP, rho, RBO) and of significant differences. kappa and alpha have intervals
    from resampled topics; they hold for a judge only if the human's documents are a random sample
    (holes --random). tau has its spread over sets of topics and, as a yardstick, the human's own
    tau on two random halves of them. With 6 runs or more and an nDCG with a cutoff of at most 20,
    better 10, runs that a machine favours are named: a judge must not judge the system that it is
    part of. Levels outside the human's scale are abstentions in at most 1 % of a machine's answers.
    Files of qrels are judges, the others are runs. Beside runs or measures, a file that can be both
    is a run if a number is not whole, and a judge if whole numbers repeat in a topic of 5 documents
    or more; otherwise it is refused. The estimates are the means by the human alone, by the machine
    alone, and combined: the machine's mean over all its topics, corrected by its bias on the
    human's topics (prediction-powered inference). lambda is the weight of the machine, worth the
    number of human topics that would give an equally precise mean. A pair of runs is open without a
    significant combined difference. --merge makes one judge of all files instead: a document gets
    the level of the majority, and the lower one if two levels are as frequent, or the mean, lowest
    or highest level of its judges. A document that one judge alone judged keeps that level.

      ir_measures_graded judges human.txt machines/*.txt -f latex
      ir_measures_graded judges human.txt machine.txt runs/*.gz nDCG_JK@10 --show pairs
      ir_measures_graded judges human.txt llm.txt a.run b.run P@5 \\
          --machine_levels 0-4:0,5-9:1,10:3 -f csv
      ir_measures_graded judges ann.txt ben.txt cem.txt --merge majority -o merged.txt
    """
    if arguments.merge is not None:
        return _merged(arguments)
    check_endings(arguments.output, OUTPUT.endings or {})
    paths = {word: named_path(word).path for word in arguments.inputs}
    more = [word for word, path in paths.items() if is_lasting(path) and is_judge(path)]
    if len(more) < len(arguments.inputs):
        more = [word for word in more if is_judge(paths[word], beside_runs=True)]
    words = [text for text in arguments.inputs if text not in more]
    if not words and arguments.gains:
        raise GradedError("--gains requires runs and measures")
    if arguments.show in OF_ONE and more:
        raise GradedError(
            f"--show {arguments.show} requires a single machine, not {len(more) + 1}; name one, or "
            "make one judge of all machines with --merge"
        )
    if arguments.show == "differences" and not more:
        raise GradedError("--show differences requires at least two machines")
    human: Any = arguments.qrels
    runs: list[tuple[str, Any]] = []
    measures: list[Measure] = []
    if words:
        human, runs, measures = inputs(arguments, words=words)
    least = RUNS_OF.get(arguments.show, 0)
    if len(runs) < least:
        runs_needed = counted(least, "run")
        raise GradedError(f"--show {arguments.show} requires measures and at least {runs_needed}")
    if len(runs) == 1 and (more or arguments.show == "agreement"):
        raise GradedError(ONE_RUN)
    machines = [arguments.machine, *more]
    panels_of_machines = panels(
        human, machines, runs, measures, machine_levels=arguments.machine_levels
    )
    agreement = compared(panels_of_machines, **arguments.of("confidence", "resamples", "seed"))
    results: list[Judges | Estimates] = [agreement]
    remarks = list(agreement.remarks)
    shows_estimates = arguments.show is None or arguments.show in OF_ONE
    if runs and not more and shows_estimates:
        try:
            estimates = estimated(panels_of_machines[0], arguments.confidence)
        except NotApplicableError as error:
            if arguments.show is not None:
                raise
            # The agreement needs no estimate.
            remark = Remark("no estimate", "", f"no estimate: {error}")
            remarks.append(remark)
            issue([remark])
        else:
            results.append(estimates)
            remarks += [remark for remark in estimates.remarks if remark not in remarks]
    last = results[-1]
    notes = [note for result in results for note in result.notes()]
    # What the notes say must not be lost where programs read the values.
    facts = {"notes": [str(note) for note in notes]}
    if arguments.show is None:
        tables = [table for result in results for table in result.tables()]
        sentences = [sentence for result in results for sentence in result.answer()]
        view = View(tables, read=last.data(), noted=notes, above=sentences)
    elif arguments.show in ("agreement", "estimates"):
        view = View(last.tables()[:1], read=last.data())
    elif isinstance(last, Estimates):
        view = View([last.pair_table()])
    elif arguments.show == "kappas":
        view = View(agreement.kappa_tables())
    elif arguments.show == "differences":
        view = View([agreement.difference_table()])
    elif arguments.show == "levels":
        view = View([agreement.level_table()])
    else:
        view = View([agreement.favour_table()])
    drawn = agreement.figure
    if isinstance(last, Estimates) and arguments.show in OF_ONE:
        drawn = last.figure
    view = replace(view, draw=drawn, remarks=tuple(remarks))
    return Answer(view, facts=facts)


def _merged(arguments: Arguments) -> Answer:
    """One judge, made of all files. Raises `GradedError` for options of runs."""
    for option in RUNS:
        if option.flags and arguments.get(option.name):
            raise GradedError(f"--merge takes no runs; leave out --{option.name}")
    words = [arguments.qrels, arguments.machine, *arguments.inputs]
    judges = [word for word in words if word is not None]
    merged = merge_judges(judges, arguments.merge, machine_levels=arguments.machine_levels)
    rows = rows_of(merged.qrels, "the merged qrels")
    files = {path: written(rows, path) for path in arguments.output}
    return Answer(merged, others=files)
