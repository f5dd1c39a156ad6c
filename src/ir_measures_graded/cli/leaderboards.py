"""The command `leaderboards`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ir_measures import Measure

from ..analysis.leaderboards.comparison import RBO_TIES, compare_leaderboards, measure_pair
from ..analysis.leaderboards.reading import FIELDS
from ..analysis.statistics.defaults import ALPHA
from ..analysis.statistics.orders import PERSISTENCE
from ..errors import GradedError
from ..evaluation.evaluate import evaluate
from ..evaluation.evaluation import Evaluation
from ..files.sources import is_named_file
from ..output.result import View
from .arguments import FORM as FORM_OF_RUNS
from .arguments import (
    IGNORE_IDENTICAL_IDS,
    NO_LIMITS,
    NO_RELEVANT,
    PASSAGES,
    WEIGHTS,
    alpha,
    inputs,
    measure_in,
    measures_in,
)
from .parser import Arguments, Option, as_list, choice, expanded, output, real, whole_numbers
from .results import Answer

FORM = Option("--form FORM", "fields of lines without a header", choices=tuple(FIELDS))
SMALLER = Option("--smaller MEASURE", "smaller is better; repeatable", repeated=True)
QRELS = Option(
    "--qrels QRELS",
    "in place of tables: evaluate runs by two measures, or by two qrels; repeatable",
    repeated=True,
    reads=as_list,
)
OF_QRELS = (*FORM_OF_RUNS, *PASSAGES, IGNORE_IDENTICAL_IDS, NO_RELEVANT)
"""Options of qrels and runs, of which --no_limits is for tables too."""
USAGE = (
    "FIRST SECOND [MEASURE…]",
    "--first FILE --second FILE [MEASURE…]",
    "--qrels QRELS RUN… MEASURE=MEASURE…",
    "--qrels QRELS --qrels QRELS RUN… MEASURE…",
)
OF_TABLES = ("first", "second", "form", "means", "aggregate", "smaller")
"""Options of tables of values."""
OPTIONS = (
    Option("word FIRST", "table of values or means, the truth", optional=True, reads=as_list),
    Option(
        "next_word SECOND",
        "table of values or means of the same systems",
        optional=True,
        reads=as_list,
    ),
    Option(
        "inputs MEASURE…",
        "measures of both, or FIRST_MEASURE=SECOND_MEASURE",
        many=True,
        reads=as_list,
    ),
    Option(
        "--first FILE",
        "file or pattern of the first, in place of FIRST; repeatable",
        repeated=True,
        reads=as_list,
    ),
    Option(
        "--second FILE",
        "file or pattern of the second, in place of SECOND; repeatable",
        repeated=True,
        reads=as_list,
    ),
    QRELS,
    Option("--means", "tables without topics have means"),
    Option("--aggregate", "use the rows of the topic all in place of the mean over the topics"),
    FORM,
    SMALLER,
    Option("--k K,…", "depths of overlap@k and tau@k; default: 5,10", whole_numbers),
    Option("--p P", "persistence of RBO", real, default=PERSISTENCE),
    choice("--rbo", "what ties mean in RBO; default: w, equal places", *RBO_TIES),
    alpha(ALPHA),
    choice("--show", "the statistics (default), or each system", "statistics", "systems"),
    WEIGHTS,
    *OF_QRELS,
    *output(),
)


@dataclass(frozen=True, eq=False)
class Sides:
    """What is compared: two leaderboards with their names, and measures or pairs of them."""

    first: Any
    second: Any
    measures: Sequence[str | tuple[str, str]]
    names: tuple[str, str] = ("first", "second")


def run(arguments: Arguments) -> Answer:
    """Compare the orders of the same systems in two leaderboards.

    A leaderboard is a table of values by topic in any form of --values; lines of run, measure,
    topic, value or of run, topic, measure, value; the output of trec_eval -q; or with --means, a
    table of means. Without measures, those of both are compared, else each of the first with each
    of the second. With --qrels, runs are evaluated: by one file of qrels for two measures, or by
    two files, of which the first is the truth. tau is Kendall's τ-b, and rho Spearman's. tau_AP
    weighs the top more; it judges the second by the first. tau_GAP also weighs pairs by their
    distance in the first. RBO is rank-biased overlap. overlap@k is the share of the first k that is
    common, tau@k the τ-b of the first k of the first. Values that differ by rounding errors tie,
    and no statistic depends on names or on the order of rows. With values by topic, significant
    pairs are those of paired t-tests, corrected for the number of pairs, and --weights weights the
    topics in means and tests.

      ir_measures_graded leaderboards human.csv machine.csv nDCG@10
      ir_measures_graded leaderboards 2023.csv 2024.csv nDCG@10=AP --show systems -o slopes.svg
      ir_measures_graded leaderboards --first "a/*.eval" --second "b/*.eval" map
      ir_measures_graded leaderboards --qrels qrels.txt runs/*.gz nDCG@10=AP
      ir_measures_graded leaderboards --qrels human.txt --qrels machine.txt runs/*.gz nDCG@10
    """
    sides = _of_qrels(arguments) if arguments.qrels else _of_tables(arguments)
    settings = arguments.of("p", "k", "means", "aggregate", "smaller", "form", "alpha")
    if not arguments.qrels:
        settings |= arguments.of("weights")
    compared = compare_leaderboards(
        sides.first,
        sides.second,
        sides.measures,
        ties=arguments.rbo,
        names=sides.names,
        **settings,
    )
    # The notes must not be lost where programs read the values.
    facts = {"notes": [str(note) for note in compared.notes()]}
    if arguments.show == "statistics":
        return Answer(compared, facts=facts)
    tables = [compared.system_table()]
    view = View(tables, compared.figure, above=compared.answer(), remarks=compared.remarks)
    return Answer(view, facts=facts)


def _words(arguments: Arguments) -> list[str]:
    """The arguments that are no options."""
    words = (arguments.word, arguments.next_word, *arguments.inputs)
    return [word for word in words if word is not None]


def _of_tables(arguments: Arguments) -> Sides:
    """The tables of FIRST or --first, and of SECOND or --second. The other words are measures."""
    refuse_options_of_qrels(arguments)
    words = _words(arguments)
    tables = []
    for files in (arguments.first, arguments.second):
        if not files:
            files = words[:1]
            words = words[1:]
        tables.append(files)
    first, second = tables
    if not second:
        raise GradedError("two tables are compared: name FIRST and SECOND")
    for word in words:
        is_table = is_named_file(word)
        if is_table and (arguments.first or arguments.second):
            raise GradedError(
                f"{word} is a third table; --first and --second take a file each, or a pattern "
                "in quotes, as in --first 'runs/*.eval'"
            )
        if is_table:
            raise GradedError(
                f"{word} is a third table; name the files with --first and --second, or the qrels "
                "of runs with --qrels; for one leaderboard: evaluate --sort"
            )
    return Sides(first, second, words)


def _of_qrels(arguments: Arguments) -> Sides:
    """Runs evaluated by two measures with the same qrels, or with two qrels."""
    first_qrels, second_qrels = qrels_of(arguments, OF_TABLES)
    words = expanded(_words(arguments), None)
    runs = [word for word in words if is_named_file(word)]
    if not runs:
        raise GradedError("no run is given; pass two or more run files")
    texts = [word for word in words if not is_named_file(word)]
    pairs = _measure_pairs(texts, of_one_qrels=len(arguments.qrels) == 1)
    first_measures = [first for first, _ in pairs]
    second_measures = [second for _, second in pairs]
    if len(arguments.qrels) == 1:
        measures = dict.fromkeys(first_measures + second_measures)
        both = evaluated_with(first_qrels, runs, list(measures), arguments)
        return Sides(both, both, _as_text(pairs))
    first = evaluated_with(first_qrels, runs, list(dict.fromkeys(first_measures)), arguments)
    second = evaluated_with(second_qrels, runs, list(dict.fromkeys(second_measures)), arguments)
    return Sides(first, second, _as_text(pairs), (first_qrels, second_qrels))


def refuse_options_of_qrels(arguments: Arguments) -> None:
    """Raise `GradedError` for an option of qrels and runs that is given for tables of values."""
    if "no_relevant" in arguments.given_options:
        raise GradedError(
            "--no_relevant requires --qrels: tables do not tell which topics have a relevant "
            "document"
        )
    for option in OF_QRELS:
        if option is not NO_LIMITS and option.name in arguments.given_options:
            raise GradedError(f"--{option.name} requires --qrels")


def qrels_of(arguments: Arguments, of_tables: Sequence[str]) -> tuple[str, str]:
    """The first and the last qrels.

    Raises `GradedError` for more than two, and for the options `of_tables` of values.
    """
    for name in of_tables:
        if name in arguments.given_options:
            raise GradedError(f"--{name} is for tables of values, not for --qrels")
    if len(arguments.qrels) > 2:
        raise GradedError(f"--qrels is given {len(arguments.qrels)} times; give it once or twice")
    return arguments.qrels[0], arguments.qrels[-1]


def evaluated_with(
    qrels: str, run_words: Sequence[str], measures: Sequence[Measure], arguments: Arguments
) -> Evaluation:
    """The values of the runs in files by the measures, with the options of the command."""
    read_qrels, runs, _ = inputs(arguments, needed=False, words=run_words, qrels=qrels)
    return evaluate(read_qrels, runs, measures)


def _as_text(pairs: Sequence[tuple[Measure, Measure]]) -> list[tuple[str, str]]:
    return [(str(first), str(second)) for first, second in pairs]


def _measure_pairs(texts: Sequence[str], of_one_qrels: bool) -> list[tuple[Measure, Measure]]:
    """The pairs of measures: those of FIRST=SECOND, and others by how many qrels there are.

    With two qrels, a measure is compared with itself; with one, each two measures are compared.
    """
    pairs: list[tuple[Measure, Measure]] = []
    alone: list[Measure] = []
    for text in texts:
        first_text, second_text = measure_pair(text)
        if first_text == second_text:
            alone += measures_in(text)
        else:
            first = measure_in(first_text, f"a side of {text}")
            second = measure_in(second_text, f"a side of {text}")
            pairs.append((first, second))
    if of_one_qrels:
        pairs += combinations(alone, 2)
    else:
        pairs += [(measure, measure) for measure in alone]
    if pairs:
        return pairs
    if of_one_qrels:
        raise GradedError("with one file of qrels, name two measures, as in AP=nDCG@10")
    raise GradedError("no measure is given; name one or more, as in nDCG@10")
