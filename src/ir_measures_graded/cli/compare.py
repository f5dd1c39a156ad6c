"""The command `compare`."""

from __future__ import annotations

import argparse
from functools import partial

from ..analysis import Comparison, compare
from ..analysis.compare import TESTS
from ..inputs.content import is_lasting
from ..output.formats import remarks, rows_of
from ..output.provenance import provenance
from ..statistics.intervals import METHODS, STUDENT
from .arguments import VALUES, add_collection, add_tests, given, tests_of, words
from .parser import Parser
from .results import add_output, command_line, printed, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser, VALUES, sessions=True)
    parser.add_argument("--baseline", metavar="RUN", help="compare each other run with this run only")
    parser.add_argument(
        "--tests",
        type=words,
        default=[],
        metavar="TEST,…",
        help=f"add other tests, each in a table of its own: {', '.join(TESTS)}",
    )
    parser.add_argument(
        "--uncorrected", action="store_true", help="omit Holm's correction of Conover's comparisons"
    )
    parser.add_argument(
        "--repeats",
        metavar="PATTERN",
        help="runs repeat systems: a regular expression with one group, the system, or, with --values, a "
        "column with the system or with the repeat, as (.*)_seed\\d+ or seed",
    )
    add_tests(parser, "the randomised tests")
    parser.add_argument(
        "--interval",
        choices=(*METHODS, "bootstrap"),
        default=STUDENT,
        help="intervals of the differences: Student's t (default) or BCa bootstrap (bca, bootstrap)",
    )
    parser.add_argument(
        "--show",
        choices=("differences", "means", "tests"),
        default="differences",
        help="table to print: the differences (default), the means or the other tests",
    )
    add_output(parser, documents=("latex", "markdown", "html"))


def run(arguments: argparse.Namespace) -> list[str]:
    """Test whether runs differ.

    Each row is the difference of two runs: all pairs, or each run and the baseline. The p-values are those of
    paired t-tests with Holm's correction, and the intervals (lower, upper) hold for all differences together.
    d_z is the effect size; the true difference of size MDE is found with probability .8. Of more than 15
    pairs, the table has one row per run instead: runs have letters, and the last column lists the letters of
    the runs that the run beats (** p < 0.01, * p < 0.05).

    latex, markdown and html have the table that papers print, runs × measures: best values bold, second-best
    underlined, letters for significance, and a caption. LaTeX needs the package booktabs.

    --tests adds Friedman's test with Conover's comparisons (conover), the analysis of variance (anova), the
    randomised Tukey HSD (tukey), Wilcoxon's test and Fisher's randomisation test of each pair.

      ir_measures_graded compare qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" AP
      ir_measures_graded compare qrels.txt a.run b.run c.run nCG@100 --baseline a -f latex
      ir_measures_graded compare qrels.txt runs/*.gz muAP --tests conover,wilcoxon -o muAP.png
    """
    found = compare(
        *given(arguments),
        baseline=arguments.baseline,
        tests=arguments.tests or (TESTS if arguments.show == "tests" else ()),
        uncorrected=arguments.uncorrected,
        interval=arguments.interval,
        by=arguments.by,
        repeats=arguments.repeats,
        **tests_of(arguments),
    )
    if arguments.show == "differences":
        return shown(found, arguments, written=partial(_for_paper, found, arguments))
    rows = rows_of(found.records(arguments.show))
    return printed(lambda _: rows, arguments, found.figure)


def _for_paper(found: Comparison, arguments: argparse.Namespace, form: str) -> str:
    """The table that papers print. In Markdown, the tables of differences and the notes follow."""
    places = arguments.places
    if form == "markdown":
        rest = [("Differences", found.table()), *found.parts()[1:]]
        return "\n".join([found.to_markdown(places), *remarks(form, rest, found.notes(), places)])
    files = filter(is_lasting, filter(None, (*arguments.values, arguments.qrels, *arguments.inputs)))
    comments = provenance(files, command_line(arguments))
    return {"latex": found.to_latex, "html": found.to_html}[form](places, comments)
