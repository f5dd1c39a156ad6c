"""The command `gate`."""

from ..analysis.gating.gate import SETTLED, gate
from ..files.sources import is_named_file
from .arguments import (
    BY,
    VALUES_HELP,
    WEIGHTS,
    attribute_of_topics,
    chosen,
    collection_or_values,
    inputs,
    values_of,
    words_of,
)
from .parser import Arguments, Option, at_least_1, output
from .results import Answer


def _without_undecided(arguments: Arguments) -> str:
    """Why --undecided has no effect, if it has none."""
    if arguments.by_mean:
        return "with --by_mean no gate is undecided"
    return ""


USAGE = ("QRELS OLD NEW MEASURE…", "--values FILE OLD NEW [MEASURE…]")
OPTIONS = (
    *collection_or_values(
        f"{VALUES_HELP}; with QRELS, OLD must have its values", "OLD NEW MEASURE…"
    ),
    BY,
    WEIGHTS,
    Option(
        "--margin M",
        "how much worse NEW may be: a share, as 5%% (default), or a difference, as 0.01",
    ),
    Option(
        "--undecided",
        "exit status of an undecided gate in place of 3: 0, 1, or by its means: 1 if one is worse "
        "by more than the margin, else 0",
        choices=SETTLED,
        idle=_without_undecided,
    ),
    Option(
        "--by_mean",
        "the means decide alone, without a test: exit status 1 if one is worse by more than the "
        "margin, else 0",
    ),
    Option("--every_group", "NEW must hold in every group", requires="by"),
    Option("--looks K", "decisions in all, as topics are added", at_least_1, default=1),
    Option("--equivalent", "NEW must be neither worse nor better, for a reproduction"),
    *output(documents=("xml",)),
)


def run(arguments: Arguments) -> Answer:
    """Decide whether a new run may replace an old one.

    Exit status 0 (holds): NEW is not worse than OLD by the margin; this is wrong in at most 5 % of
    cases if losses are spread over topics. 1 (worse): NEW is significantly worse, and not shown to
    be within the margin. 3 (undecided): the topics are too few; the output tells how many are
    needed, and which margin they can show. 2: an error. --by_mean is the plain rule: 1 if a mean is
    worse by more than the margin, else 0, significant or not. All measures must hold. If fewer than
    10 topics differ, the output tells how many lost half of their value. To add topics and decide
    again, say before how often with --looks. -o gate.xml is for readers of JUnit's format, -o
    gate.md for the summary of a job. The topics that fell most are listed and never block. With
    --values, OLD and NEW are runs of the table, or, with QRELS, the values of OLD must be those of
    the table.

      ir_measures_graded gate qrels.txt old.run new.run nDCG_JK@10 P@10 --margin 5% -o gate.xml
      ir_measures_graded gate --values values.csv old new --margin 0.01
      ir_measures_graded gate qrels.txt old.run new.run nDCG_JK@10 --values baseline.csv
    """
    settings = arguments.of("margin", "every_group", "equivalent", "looks", "by_mean", "undecided")
    settings["by"] = attribute_of_topics(arguments, "by")
    stored = values_of(arguments)
    has_files = any(map(is_named_file, words_of(arguments)))
    if stored is not None and (not has_files or arguments.qrels in stored.runs):
        result = gate(chosen(arguments, stored), **settings)
    else:
        result = gate(*inputs(arguments), stored=stored, **settings)

    def junit_lines(_: int) -> list[str]:
        return result.junit().splitlines()

    return Answer(result, result.status, {"xml": junit_lines}, result.facts())
