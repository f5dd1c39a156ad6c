"""The command `judges`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ir_measures import Measure

from ..analysis.judging.agreement import Judges
from ..analysis.judging.estimate import Estimates, estimated
from ..analysis.judging.judges import ONE_JUDGE, ONE_RUN, compared
from ..analysis.judging.merging import RULES, merge_judges
from ..analysis.judging.one_table import (
    JudgesOfTable,
    column_beside_qrels,
    first_part,
    judge_word,
    judges_of_table,
    line_for,
    naming_the_judge,
    qrels_of,
    refuse_row_for_each_judge,
    refuse_same_source,
)
from ..analysis.judging.panel import (
    Panel,
    is_judge,
    name_of_human,
    named_judges,
    panels,
    refuse_neither,
)
from ..analysis.judging.percentiles import RESAMPLES
from ..analysis.judging.rows_by_judge import UNJUDGED, rows_by_judge
from ..analysis.statistics.defaults import CONFIDENCE
from ..core.registry.notation import is_measure
from ..core.rows.chosen import JUDGE, SharedName
from ..core.rows.columns import option_of
from ..core.rows.roles import QRELS
from ..core.rows.rows import Rows
from ..errors import GradedError, NotApplicableError, Remark, quoted
from ..evaluation.named import Judgments
from ..evaluation.remarks import issue
from ..files.content import is_lasting
from ..files.conversion import rows_of, written
from ..files.files import header_of
from ..files.headers import UnknownNamesError
from ..files.sources import definitions_of, is_file
from ..output.formats import counted
from ..output.result import View
from ..output.tables import Note, Table
from . import PROGRAM
from .arguments import (
    COLUMNS,
    JOBS,
    LEVELS,
    NO_LIMITS,
    RUNS,
    given_columns,
    inputs,
    qrels,
    resamples,
    with_columns,
)
from .parser import (
    Arguments,
    Option,
    as_list,
    check_endings,
    expanded,
    output,
    real,
    share,
    unless_drawn,
)
from .results import Answer

RUNS_OF = {"orders": 2, "means": 2, "favours": 2, "estimates": 1, "pairs": 2, "plan": 1}
"""The least number of runs of the tables that need some."""
NO_TOPICS_OF_MACHINE = (
    "The human judged all topics, so the machine adds nothing to the means of the runs; --show "
    "estimates has them."
)
ALL = "all"
"""The choice of --show that prints what other choices have, too."""
TABLES_SHOWN = ("agreement", "kappas", "differences", "levels", "topics", *RUNS_OF, ALL)
OF_ONE = ("estimates", "pairs", "plan")
"""The tables of a single machine."""
OF_JUDGMENTS = ("kappas", "differences", "levels", "topics")
"""The tables for which runs and measures make no difference."""
WITHOUT_INTERVALS = ("levels", "topics")


def _unless_runs(arguments: Arguments) -> str:
    """Why an option of runs has no effect: there are none."""
    words = list(arguments.inputs)
    machine = _expanded_machine(arguments)
    is_folder = len(machine) > 1
    if is_folder or (machine and _judges_of_table(arguments) is not None):
        words += machine
    _, others = _machines_and_others(arguments, words)
    if not others:
        return "no runs and measures are named"
    return f"--show {arguments.show} is about judgments" if arguments.show in OF_JUDGMENTS else ""


def _of_runs() -> Iterator[Option]:
    """The options of runs, which have no effect without runs unless qrels have them as well."""
    for option in (*RUNS[1:], JOBS):
        if option not in (COLUMNS, LEVELS, NO_LIMITS):
            option = option._replace(idle=_unless_runs)
        yield option


def _when_merged(arguments: Arguments) -> str:
    """Why nothing is drawn at random: for --merge, or for the table that is shown."""
    if arguments.merge is not None:
        return "--merge draws nothing at random"
    if arguments.show in OF_ONE:
        return f"the intervals of --show {arguments.show} are Student's"
    return _without_intervals(arguments)


def _without_intervals(arguments: Arguments) -> str:
    """Why there is no interval, and no estimate: judges are merged, or levels or topics shown."""
    if arguments.merge is not None:
        return "--merge has no intervals"
    if arguments.show in WITHOUT_INTERVALS and unless_drawn(arguments):
        return f"--show {arguments.show} has no intervals"
    return ""


def files_of_judges(words: Any) -> list[str]:
    """The files that words name as FILE or FILE:COLUMN, with a name or without."""
    return [judge_word(word).path for word in expanded(as_list(words), None)]


USAGE = (
    "HUMAN_QRELS MACHINE_QRELS… [RUN… MEASURE…]",
    "TABLE [RUN… MEASURE…]",
    "QRELS QRELS… --merge RULE [-o FILE]",
)
FORMAT, OUTPUT, PLACES = output()
HUMAN_HELP = (
    "qrels file or ir-datasets id, FILE:COLUMN for a column of levels in a table, or a table with "
    "columns of the human and of machines"
)
OPTIONS = (
    qrels("qrels HUMAN_QRELS")._replace(help=HUMAN_HELP, reads=files_of_judges),
    qrels("machine MACHINE_QRELS", optional=True)._replace(reads=files_of_judges),
    RUNS[0]._replace(reads=files_of_judges),
    *_of_runs(),
    Option(
        "--machine_levels MAP",
        "from every machine level up to the human's, as in 0-4:0,5-9:1,10:3",
    ),
    Option("--confidence C", "level of the intervals", share, default=CONFIDENCE)._replace(
        idle=_without_intervals
    ),
    Option(
        "--width W", "human topics that estimates of ± this half width need, as .02", real
    )._replace(idle=_without_intervals),
    *resamples("topics for the intervals of the agreement, at least 100", RESAMPLES, _when_merged),
    Option(
        "--show TABLE",
        f"table to print: {', '.join(TABLES_SHOWN)}; default: the agreement in short",
        choices=TABLES_SHOWN,
    ),
    Option("--merge", "make one judge of all, by this rule", choices=tuple(RULES), excludes="show"),
    FORMAT,
    OUTPUT._replace(help=f"{OUTPUT.help}; with --merge: the qrels as convert does", endings=None),
    PLACES,
)


def run(arguments: Arguments) -> Answer:
    """Compare machine judges with a human, and combine their judgments.

    The command has a row for each machine: Cohen's kappa, Krippendorff's alpha, of several machines
    also for all judges together, the bias, and with runs and measures the agreement of their orders
    and of significant differences. --show all prints all tables: kappa weighted and for each
    division of the levels in two, levels, tau_AP, rho and RBO of the orders, and more. Files of -o
    have all of them. kappa and alpha have intervals from resampled topics; they hold for a judge
    only if the human's documents are a random sample (holes --random). tau has its spread over sets
    of topics and, as a yardstick, the human's own tau on two random halves of them. With 6 runs or
    more and an nDCG with a cutoff of at most 20, better 10, runs that a machine favours are named:
    a judge must not judge the system that it is part of. Levels outside the human's scale are
    abstentions in at most 1 % of a machine's answers. Files of qrels are judges, the others are
    runs. FILE:COLUMN is a column of levels in a table. A table with a column for each judge needs
    no other judge if the names of its columns tell the human (human, gold, nist …) from the
    machines (llm, gpt4, machine …). A table with a row for each judgment, such as query, doc, judge
    and label, needs no other either; the column of judges has such a name or that of --columns
    judge=NAME, and FILE:JUDGE is one of them. Beside runs or measures, a file that can be both is a
    run if a number is not whole, and a judge if whole numbers repeat in a topic of 5 documents or
    more; otherwise it is refused. The estimates are the means by the human alone, by the machine
    alone, and combined: lambda times the machine's mean over the topics that the human did not
    judge, plus the mean of human - lambda * machine over the topics of both (prediction-powered
    inference). lambda is the weight of the machine, worth the number of human topics that would
    give an equally precise mean, topics those of all parts. A pair of runs is open without a
    significant combined difference. --show topics lists where a machine is farthest from the human.
    --merge makes one judge of all files instead: a document gets the level of the majority, the
    lowest one if several levels are as frequent, or the mean, median, lowest or highest level of
    its judges. The median of an even number of judges is the lower one of the two middle levels. A
    document that one judge alone judged keeps that level.

      ir_measures_graded judges human.txt machines/*.txt -f latex
      ir_measures_graded judges labels.csv:human labels.csv:llm
      ir_measures_graded judges human.txt machine.txt runs/*.gz nDCG_JK@10 --show pairs
      ir_measures_graded judges human.txt llm.txt a.run b.run P@5 \\
          --machine_levels 0-4:0,5-9:1,10:3 -f csv
      ir_measures_graded judges ann.txt ben.txt cem.txt --merge majority -o merged.txt
    """
    if arguments.merge is not None:
        return _merged(arguments)
    check_endings(arguments.output, OUTPUT.endings or {})
    human = arguments.qrels
    human_name = name_of_human(human)
    of_table = _judges_of_table(arguments)
    remarks: list[Remark] = []
    of_judges: list[str] = []
    of_rows: dict[str, Any] = {}
    if of_table is not None:
        human = of_table.human
        human_name = of_table.human_name
        words = [*_expanded_machine(arguments), *arguments.inputs]
        words = [word for word in words if word != arguments.qrels]  # the table has both judges
        more, others = _machines_and_others(arguments, words)
        for name, machine in of_table.machines.items():
            if isinstance(machine, str):
                of_judges.append(machine)
            else:
                of_rows[name] = machine
        of_judges += more
        remarks.append(of_table.remark)
        issue(remarks)
    elif arguments.machine is None:
        raise _no_machine(arguments)
    else:
        of_judges, others = _machines_in_order(arguments)
    named = of_rows | named_judges(of_judges)
    has_many = len(named) > 1
    _refuse_table(arguments, others, len(named))
    refuse_same_source(human, named.values())
    human = judge_in(human, arguments)
    runs: list[tuple[str, Any]] = []
    measures: list[Measure] = []
    if others:
        human, runs, measures = inputs(arguments, words=others, qrels=human)
    _refuse_few_runs(arguments.show, len(runs), has_many)
    machines = {name: judge_in(machine, arguments) for name, machine in named.items()}
    panels_of_machines = panels(
        human,
        machines,
        runs,
        measures,
        machine_levels=arguments.machine_levels,
        human_name=human_name,
    )
    agreement = compared(panels_of_machines, **arguments.of("confidence", "resamples", "seed"))
    remarks += agreement.remarks
    agreement = replace(agreement, remarks=tuple(remarks))
    estimates = None
    shows_estimates = arguments.show in (None, ALL, *OF_ONE)
    if runs and not has_many and shows_estimates:
        estimates = _estimates(panels_of_machines[0], arguments, remarks)
    # What the notes say must not be lost where programs read the values.
    notes = agreement.notes()
    if estimates is not None:
        notes = _distinct([*notes, *estimates.notes()])
    facts: dict[str, Any] = {"notes": [str(note) for note in notes]}
    joint = agreement.joint
    if joint is not None:
        facts["joint"] = {
            "judges": joint.judges,
            "alpha ordinal": joint.alpha.value,
            "lower": joint.alpha.lower,
            "upper": joint.alpha.upper,
            "documents": joint.documents,
            "topics": joint.topics,
        }
    view = _view(arguments.show, agreement, estimates)
    view.remarks = tuple(remarks)
    answer = Answer(view, facts=facts)
    if arguments.show is None and arguments.format in (None, "text"):
        short = _short_view(agreement, estimates)
        short.remarks = view.remarks
        answer.printed = Answer(short, facts=facts)
    return answer


def _no_machine(arguments: Arguments) -> GradedError:
    """The message that one judge is named alone. Raises why the file has no judge, if so."""
    path = judge_word(arguments.qrels).path
    columns = given_columns(arguments)
    definitions_of(path)
    if is_lasting(path):
        refuse_row_for_each_judge(path, columns)
        try:
            first_part(path, QRELS, columns)
        except UnknownNamesError as error:
            raise naming_the_judge(error) from None
        column = column_beside_qrels(path, columns)
        if column:
            option = option_of({JUDGE: column})
            return GradedError(f"{ONE_JUDGE}; if {column} names the judge of each row: {option}")
    return GradedError(f"{ONE_JUDGE}; FILE:COLUMN names a column")


def _judges_of_table(arguments: Arguments) -> JudgesOfTable | None:
    """The judges of the first file, if it is a table of judges and no other judge follows."""
    columns = given_columns(arguments)
    if judge_word(arguments.qrels).column:
        return None
    for machine in _expanded_machine(arguments):
        if is_measure(machine) or machine == arguments.qrels:
            continue
        word = judge_word(machine)
        if word.column or not is_file(word.path) or is_judge(word.path, False, columns):
            return None
    return judges_of_table(arguments.qrels, columns)


def _expanded_machine(arguments: Arguments) -> list[str]:
    """The words of the first argument behind the human: the files of a folder or a pattern."""
    if arguments.machine is None:
        return []
    return expanded([arguments.machine], arguments.qrels)


def _machines_in_order(arguments: Arguments) -> tuple[list[str], list[str]]:
    """The machines behind the human, and the words that name runs and measures.

    Raises `GradedError` if runs stand in place of the first machine.
    """
    first = _expanded_machine(arguments)
    machines, others = _machines_and_others(arguments, arguments.inputs)
    is_one_file = first == [arguments.machine]
    if is_one_file:
        columns = given_columns(arguments)
        word = judge_word(first[0])
        is_read_later = bool(word.column) or not is_lasting(word.path)
        if is_read_later or is_judge(word.path, columns=columns):
            return [*first, *machines], others
        refuse_neither(word.path, columns)
    else:
        of_folder, runs = _machines_and_others(arguments, first)
        if of_folder:
            return [*of_folder, *machines], [*runs, *others]
    line = [arguments.qrels, "MACHINE_QRELS", arguments.machine, *arguments.inputs]
    command = f"{PROGRAM} judges {' '.join(map(quoted, line))}"
    raise GradedError(
        f"{arguments.machine!r} has runs and no judgments of a machine; name the machine's qrels "
        f"after the human's: {command}"
    )


def _machines_and_others(arguments: Arguments, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that name further machines, and those that name runs and measures."""
    judges = {word: judge_word(word) for word in words}
    paths = {word: judge.path for word, judge in judges.items()}
    columns = given_columns(arguments)
    machines: list[str] = []
    for word, path in paths.items():
        has_column = bool(judges[word].column)
        if has_column or (is_lasting(path) and is_judge(path, columns=columns)):
            machines.append(word)
    if len(machines) < len(words):
        beside_runs = machines
        machines = []
        for word in beside_runs:
            has_column = bool(judges[word].column)
            if has_column or is_judge(paths[word], beside_runs=True, columns=columns):
                machines.append(word)
    others = [word for word in words if word not in machines]
    if all(is_lasting(paths[word]) for word in others):  # without a measure, all may be judges
        for word in others:
            refuse_neither(paths[word], columns)
    return machines, others


def _refuse_table(arguments: Arguments, words: Sequence[str], machines: int) -> None:
    """Raise `GradedError` for options that need runs, one machine or several machines."""
    if not words and arguments.gains:
        raise GradedError("--gains requires runs and measures")
    if arguments.show in OF_ONE and machines > 1:
        raise GradedError(
            f"--show {arguments.show} requires a single machine, not {machines}; name one, or "
            "make one judge of all machines with --merge"
        )
    if arguments.show == "plan" and arguments.width is None:
        raise GradedError("--show plan requires --width, as in --width .02")
    if arguments.width is not None:
        if machines > 1 or arguments.show not in (None, "estimates", "plan"):
            raise GradedError(
                "--width is for the estimates of a single machine: --show estimates, or plan alone"
            )
        if not words:
            raise GradedError("--width requires runs and measures")
    if arguments.show == "differences" and machines == 1:
        raise GradedError(
            "--show differences requires at least two machines; of one, --show topics "
            "has the topics where it is farthest from the human, --show levels the levels"
        )


def _refuse_few_runs(table: str | None, runs: int, has_machines: bool) -> None:
    """Raise `GradedError` for fewer runs than the table needs, and for one run without use."""
    least = RUNS_OF.get(table or "", 0)
    if runs < least:
        runs_needed = counted(least, "run")
        raise GradedError(f"--show {table} requires measures and at least {runs_needed}")
    if runs == 1 and (has_machines or table == "agreement"):
        raise GradedError(ONE_RUN)


def _estimates(panel: Panel, arguments: Arguments, remarks: list[Remark]) -> Estimates | None:
    """The estimates, or None with a remark on why there are none; their remarks are added.

    Raises `NotApplicableError` if they alone are asked for.
    """
    try:
        estimates = estimated(panel, arguments.confidence, arguments.width)
    except NotApplicableError as error:
        if arguments.show not in (None, ALL):
            raise
        # The agreement needs no estimate.
        remark = Remark("no estimate", "", f"no estimate: {error}")
        remarks.append(remark)
        issue([remark])
        return None
    remarks += [remark for remark in estimates.remarks if remark not in remarks]
    return estimates


def _distinct(notes: Iterable[str]) -> list[str]:
    """The notes, those that several results have once."""
    return list(dict.fromkeys(notes))


def _short_view(agreement: Judges, estimates: Estimates | None) -> View:
    """The answer, a short table of each result, what limits it, and how to see the rest."""
    tables = agreement.short_tables()
    above = list(agreement.answer())
    notes: list[str] = []
    has_estimates = estimates is not None and bool(estimates.machine_only or estimates.plans)
    if estimates is not None and has_estimates:
        tables += estimates.tables()
        above += estimates.answer()
        notes += estimates.notes()
    elif estimates is not None:
        notes.append(NO_TOPICS_OF_MACHINE)
    notes = _distinct([*notes, *agreement.short_notes(has_estimates)])
    return View(tables, read=agreement.data(), noted=notes, above=above, draw=agreement.figure)


def _view(show: str | None, agreement: Judges, estimates: Estimates | None) -> View:
    """The tables and the figure that are shown; without `show`, those of all results."""
    if show in (None, ALL):
        results: list[Judges | Estimates] = [agreement]
        read = agreement.data()
        remaining: list[str] = []
        if estimates is not None:
            read = estimates.data()
            if estimates.machine_only or estimates.plans:
                results.append(estimates)
            else:
                remaining.append(NO_TOPICS_OF_MACHINE)
        notes_of_results = [note for result in results for note in result.notes()]
        return View(
            [table for result in results for table in result.tables()],
            read=read,
            noted=_distinct([*notes_of_results, *remaining]),
            above=[sentence for result in results for sentence in result.answer()],
            draw=agreement.figure,
        )
    if estimates is not None and show == "estimates":
        return View(
            estimates.tables(),
            read=estimates.data(),
            noted=[*estimates.notes(), *agreement.taken_as_human()],
            above=estimates.answer(),
            draw=estimates.figure,
        )
    if estimates is not None:
        table = estimates.plan_table() if show == "plan" else estimates.pair_table()
        return View(
            [table],
            noted=[*estimates.notes(), *agreement.taken_as_human()],
            above=estimates.answer(),
            draw=estimates.figure,
        )
    title = agreement.summary
    if show == "agreement":
        tables = agreement.tables()[:2]
        columns = [agreement.column_note(), *agreement.taken_as_human()]
        draw = agreement.figure
        return View(tables, draw, read=agreement.data(), noted=columns, headline=title)
    if show == "topics":
        draw = agreement.figure
        notes = [agreement.topic_note(), *agreement.taken_as_human()]
        return View([agreement.topic_table()], draw, noted=notes, headline=title)
    if show == "orders":
        return _titled([agreement.spread_table()], agreement, agreement.order_notes())
    if show == "kappas":
        return _titled(agreement.kappa_tables(), agreement, agreement.joint_answer())
    if show == "differences":
        return _titled([agreement.difference_table()], agreement)
    if show == "levels":
        table = agreement.level_table(totals=True)
        above = [*agreement.level_answer(), Note("{}.", table.title)]
        read = agreement.level_table()
        draw = agreement.figure
        return View([table], draw, read=read, above=above, headline=agreement.summary)
    if show == "means":
        return _titled([agreement.mean_table()], agreement)
    answer = agreement.favour_answer() or agreement.favour_notes()
    notes = agreement.favour_notes() if agreement.favour_answer() else []
    table = agreement.favour_table()
    return View([table], noted=notes, above=answer, draw=agreement.figure)


def _titled(tables: Sequence[Table], agreement: Judges, notes: Sequence[str] = ()) -> View:
    """The tables below the title of the first one, which formats leave out, and notes."""
    above = [Note("{}.", table.title) for table in tables[:1]]
    return View(tables, agreement.figure, above=above, noted=notes, headline=agreement.summary)


def judge_in(qrels: Any, arguments: Arguments, levels: str = "") -> Any:
    """The judgments of a judge, who leaves documents without a level unjudged.

    The column of the levels may have the name `levels`.
    """
    columns = given_columns(arguments)
    if isinstance(qrels, str):
        word = judge_word(qrels)
        if word.column and is_file(word.path):
            return Judgments(qrels_of(word, columns), qrels)
    if columns and levels:
        columns = (*columns, SharedName(QRELS.value, levels))
    return with_columns(qrels, columns, unjudged=UNJUDGED)


def _merged(arguments: Arguments) -> Answer:
    """One judge, made of all files. Raises `GradedError` for options of runs."""
    for option in RUNS:
        if option in (COLUMNS, NO_LIMITS):
            continue
        if option.flags and arguments.get(option.name):
            raise GradedError(f"--merge takes no runs; leave out --{option.name}")
    judges = [arguments.qrels, *_expanded_machine(arguments), *arguments.inputs]
    word = judge_word(arguments.qrels)
    by_judge: dict[str, Rows] = {}
    if len(judges) == 1 and not word.column and is_file(word.path):
        by_judge = rows_by_judge(word.path, given_columns(arguments))
    if by_judge:
        judges = []
    if len(judges) == 1 and not word.column and is_lasting(word.path) and header_of(word.path):
        raise GradedError(
            "merging needs at least 2 judges; of a table with a column for each judge, name the "
            f"columns: {line_for(word.path)} --merge {arguments.merge}"
        )
    named = {name: judge_in(judge, arguments) for name, judge in named_judges(judges).items()}
    named |= {name: Judgments(rows, None) for name, rows in by_judge.items()}
    merged = merge_judges(named, arguments.merge, machine_levels=arguments.machine_levels)
    rows = rows_of(merged.qrels, "the merged qrels")
    files = {path: written(rows, path) for path in arguments.output}
    return Answer(merged, others=files)
