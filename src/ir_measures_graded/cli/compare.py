"""The command `compare`."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..analysis import Comparison, OverCollections, compare, compare_collections, read_collections
from ..analysis.comparing.collections import files_of_collections
from ..analysis.comparing.tests import TESTS
from ..analysis.statistics.corrections import CORRECTIONS
from ..analysis.statistics.defaults import ALPHA
from ..errors import GradedError
from ..evaluation.evaluate import Evaluation
from ..files.content import is_lasting
from ..output.provenance import sha256, versions
from ..output.result import Result, View
from . import arguments as common
from .parser import Arguments, Option, choice, output, several
from .results import Answer, command_line

FOR_ONE = ("tests", "resamples", "seed", "by", *common.OF_RANKINGS)
"""Options for a single collection."""
PAPER = ("latex", "markdown", "html")
"""The formats of the table that papers print."""
FOR_PROGRAMS = ("csv", "tsv", "json", "jsonl")
"""The formats that have a row per test and pair with --tests."""
USAGE = (common.OF_RUNS, common.OF_VALUES, "--collections FILE MEASURE…")
OPTIONS = (
    *common.collection_or_values(),
    common.BY,
    Option(
        "--collections FILE",
        "table of collections in place of QRELS and RUN, with the columns collection, qrels and runs",
        excludes="values",
        reads=files_of_collections,
    ),
    Option("--baseline RUN", "compare the other runs with this one only"),
    Option("--tests TEST,…", f"add other tests: {', '.join(TESTS)}", several(str), default=[]),
    choice("--correction", "of p for the family; default: holm", *CORRECTIONS),
    common.alpha(ALPHA),
    *common.resamples("the randomised tests", 10_000),
    choice("--show", "table to print; default: the differences", "differences", "means", "tests"),
    *output(documents=("html",)),
)


def run(arguments: Arguments) -> Result | Answer:
    """Test whether runs differ.

    Each row is the difference of two runs: all pairs, or each run and the baseline. The p-values are those of
    paired t-tests with Holm's correction (or another --correction), and the intervals (lower, upper) hold for
    all differences together. d_z is the effect size; the true difference of size MDE is found with probability
    .8. Of more than 15 pairs, the table has one row per run instead: runs have letters, and the last column
    lists the letters of the runs that the run beats with p < alpha (** p < 0.01, * p < 0.05). A second table
    compares the best run with the next ten.

    latex, markdown and html have the table that papers print, runs × measures: best values bold, second-best
    underlined, letters for significance, and a caption. LaTeX needs the package booktabs.

    --tests adds Friedman's test with Conover's comparisons (conover), the analysis of variance (anova), the
    randomised Tukey HSD (tukey), Wilcoxon's test and Fisher's randomisation test of each pair. csv, tsv and
    json then have a row per test and pair.

    --by also tests whether a difference depends on the group of topics; numbers are cut at their quartiles.

    --collections, or a column collection of --values, compares runs over several collections. The paths in
    its FILE are relative to it, and may be patterns such as runs/*/covid.run. Each collection counts once in
    the mean. One test answers for other topics of these collections, one for other collections like these. A
    run that lacks a collection has no mean.

      ir_measures_graded compare qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" AP
      ir_measures_graded compare qrels.txt a.run b.run c.run nCG@100 --baseline a -f latex
      ir_measures_graded compare qrels.txt runs/*.gz muAP --tests conover,wilcoxon -o muAP.png
    """
    stored: dict[str, Evaluation] = {}
    if arguments.values and arguments.by is None:
        stored = Evaluation.by_collection(arguments.values, smaller=arguments.smaller)
    found: Comparison
    if arguments.collections is not None or (stored and "" not in stored):
        found = _over_collections(arguments, stored)
    else:
        first = common.given(arguments, stored=stored.get(""))
        settings = arguments.of("by", "correction", "alpha", "resamples", "seed")
        settings["baseline"] = common.run_named(arguments.baseline, first)
        tests = arguments.tests or (TESTS if arguments.show == "tests" else ())
        found = compare(*first, tests=tests, **settings)
    if arguments.show != "differences":
        return View([found.data(arguments.show)], found.figure)
    documents: dict[str, Any] = {
        form: partial(_for_paper, found, arguments, form) for form in PAPER
    }
    if arguments.tests:
        for form in FOR_PROGRAMS:
            documents[form] = partial(found.data("all").lines, form)
    return Answer(found, documents=documents)


def _over_collections(arguments: Arguments, stored: Mapping[str, Evaluation]) -> OverCollections:
    """The comparison over the collections of --collections or --values."""
    for name in FOR_ONE:
        option = f"--{name}" if name in arguments.given else f"--show {name}"
        if name in arguments.given or arguments.show == name:
            raise GradedError(f"{option} is for one collection; there are several")
    words, several = common.words_of(arguments), dict[str, Any]()
    if arguments.collections is not None:
        several = dict(read_collections(arguments.collections))
    runs = {run for each in stored.values() for run in each.runs}
    known = {str(measure): [measure] for each in stored.values() for measure in each.measures}
    others = [word for word in words if word not in runs]
    measures = [
        measure for word in others for measure in known.get(word) or common.measures_in(word)
    ]
    named = [word for word in words if word in runs]
    for name, each in stored.items():
        several[name] = each.part(
            [run for run in named or each.runs if run in each.runs], each.measures
        )
    return compare_collections(several, measures, **arguments.of("baseline", "alpha", "correction"))


def _for_paper(found: Comparison, arguments: Arguments, form: str, places: int) -> list[str]:
    """The table that papers print; LaTeX and HTML tell its origin in comments."""
    if form == "markdown":
        return found.to_markdown(places).split("\n")
    named = [*arguments.values, arguments.collections, *common.words_of(arguments)]
    files = filter(is_lasting, filter(None, named))
    told = ", ".join(f"{name} {number}" for name, number in versions())
    comments = [
        command_line(arguments),
        told,
        *(f"{path} SHA-256 {sha256(path)}" for path in files),
    ]
    written = found.to_latex if form == "latex" else found.to_html
    return written(places, comments).split("\n")
