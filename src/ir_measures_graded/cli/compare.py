"""The command `compare`."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..analysis import Comparison, OverCollections, compare, compare_collections, read_collections
from ..analysis.compare import TESTS
from ..analysis.statistics.intervals import METHODS, STUDENT
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation
from ..evaluation.named import about
from ..files.content import is_lasting
from ..output.formats import remarks, rows_of
from ..output.provenance import provenance
from . import arguments as common
from .parser import Namespace, Parser
from .results import add_output, command_line, shown

FOR_ONE = (
    "tests", "uncorrected", "interval", "by", "sessions", "repeats", "gains", "scoreddocs", "run_column",
    "columns", "duplicates",
)  # fmt: skip
"""Options for a single collection."""


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    common.add_collection(parser, common.VALUES, sessions=True)
    parser.usage = f"{parser.usage}\n       %(prog)s --collections FILE MEASURE… [options]"
    parser.option(
        "--collections FILE",
        "table of several collections in place of QRELS and RUN, with the columns collection, qrels and "
        "runs: paths relative to FILE, patterns such as runs/*/covid.run, or ir-datasets ids",
    )
    parser.option("--baseline RUN", "compare each other run with this run only")
    what = f"add other tests, each in a table of its own: {', '.join(TESTS)}"
    parser.option("--tests TEST,…", what, type=lambda text: text.split(","), default=[])
    parser.option("--uncorrected", "omit Holm's correction of Conover's comparisons")
    parser.option(
        "--repeats PATTERN",
        "runs repeat systems: a regular expression with one group, the system, or, with --values, a "
        "column with the system or with the repeat, as (.*)_seed\\d+ or seed",
    )
    common.add_tests(parser, "the randomised tests")
    what = "intervals of the differences: Student's t (default) or BCa bootstrap (bca, bootstrap)"
    parser.choice("--interval", what, *METHODS, "bootstrap")
    what = "table to print: the differences (default), the means or the other tests"
    parser.choice("--show", what, "differences", "means", "tests")
    add_output(parser, documents=("latex", "markdown", "html"))


def run(arguments: Namespace) -> list[str]:
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

    --collections, or a column collection of --values, compares runs over several collections. Each counts
    once in the mean, with an interval by resampling the topics of each. A run that lacks a collection has no
    mean.

      ir_measures_graded compare qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" AP
      ir_measures_graded compare qrels.txt a.run b.run c.run nCG@100 --baseline a -f latex
      ir_measures_graded compare qrels.txt runs/*.gz muAP --tests conover,wilcoxon -o muAP.png
    """
    stored = common.values_by_collection(arguments)
    found: Comparison | OverCollections
    if arguments.collections is not None or (stored and "" not in stored):
        found = _over_collections(arguments, stored)
    else:
        first = common.given(arguments, stored=stored.get(""))
        settings = common.options(
            arguments, "baseline", "uncorrected", "interval", "by", "repeats", *common.TESTED
        )
        tests = arguments.tests or (TESTS if arguments.show == "tests" else ())
        found = compare(*first, tests=tests, **settings)
    if arguments.show == "differences":
        return shown(arguments, found, written=partial(_for_paper, found, arguments))
    rows = rows_of(found.records(arguments.show))
    return shown(arguments, table=lambda _: rows, figure=found.figure)


def _over_collections(arguments: Namespace, stored: Mapping[str, Evaluation]) -> OverCollections:
    """The comparison over the collections of --collections or --values."""
    for name in FOR_ONE:
        if getattr(arguments, name) not in (None, False, [], STUDENT) or arguments.show == name:
            raise GradedError(f"--{name} is for one collection; there are several")
    words, measures = common.words_of(arguments), []
    several: dict[str, Any] = {}
    if arguments.collections is None:
        runs = {run for each in stored.values() for run in each.runs}
        for name, each in stored.items():
            with about(name):
                part = common.chosen(arguments, each, [word for word in words if word not in runs])
            named = [word for word in words if word in runs] or part.runs
            several[name] = part.part([run for run in named if run in part.runs], part.measures)
    elif arguments.values:
        raise GradedError("--collections stands for qrels and runs, and --values too; give one of them")
    else:
        measures = [measure for word in words for measure in common.measures_in(word)]
        several = read_collections(arguments.collections)
    return compare_collections(several, measures, **common.options(arguments, "baseline", *common.TESTED))


def _for_paper(found: Comparison | OverCollections, arguments: Namespace, form: str, places: int) -> str:
    """The table that papers print. In Markdown, the tables of differences and the notes follow."""
    if form == "markdown":
        (title, table), *parts = found.parts()
        rest = [(title or "Differences", table), *parts]
        return "\n".join([found.to_markdown(places), *remarks(form, rest, found.notes(), places)])
    named = (*arguments.values, arguments.collections, *common.words_of(arguments))
    files = filter(is_lasting, filter(None, named))
    comments = provenance(files, command_line(arguments))
    return {"latex": found.to_latex, "html": found.to_html}[form](places, comments)
