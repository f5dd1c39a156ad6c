"""The command `compare`."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..analysis import Comparison, OverCollections, compare, compare_collections
from ..analysis.comparing.families import names_best
from ..analysis.comparing.method import works_of_tests
from ..analysis.comparing.tests import TESTS
from ..analysis.statistics.corrections import CORRECTIONS, DEFAULT
from ..analysis.statistics.defaults import ALPHA
from ..errors import GradedError
from ..evaluation.evaluation import Evaluation
from ..files.content import is_lasting
from ..files.sources import files_of_folder, is_file, named_path
from ..output import figures
from ..output.files import ending_of
from ..output.formats import EXCEL
from ..output.provenance import sha256_of_all, versions
from ..output.result import View
from . import arguments as common
from .collections import (
    COLLECTIONS,
    OF_COLLECTIONS,
    are_several,
    inputs_of_collections,
    refuse_options,
    stored_collections,
)
from .measures import for_paper
from .parser import Arguments, Option, at_least_2, choice, output, several, share, unless_drawn
from .results import Answer, command_line

FOR_ONE = (
    *("tests", "comparisons", "confidence", "resamples", "seed", "by", "weights", "repeats"),
    *("top", "sort"),
    *common.OF_RANKINGS,
)
"""Options for a single collection."""
PAPER = ("latex", "markdown", "html")
"""The formats of the table that papers print."""
FOR_PROGRAMS = ("csv", "tsv", "json", "jsonl")
"""The formats that have a row per test and pair with --tests."""
SHOWN = ("differences", "open", "means", "topics", "losses", "tests")
OF_TOPICS = ("topics", "losses")
"""The tables that --show chooses."""
RANDOMISED = ("tukey", "randomisation")
"""The tests that draw at random."""


def _tests_of(arguments: Arguments) -> Sequence[str]:
    """The further tests: those of --tests, else all for the table of tests."""
    if not arguments.tests and arguments.show == "tests":
        return TESTS
    tests: Sequence[str] = arguments.tests
    return tests


def _unless_randomised(arguments: Arguments) -> str:
    """Why nothing is drawn at random: only some tests do it."""
    if set(_tests_of(arguments)).isdisjoint(RANDOMISED):
        return f"nothing is drawn at random without --tests {' or '.join(RANDOMISED)}"
    return ""


def _unless_tested(arguments: Arguments) -> str:
    """Why an option of tests has no effect: a table without tests is shown, and nothing drawn."""
    if arguments.show in ("means", *OF_TOPICS) and unless_drawn(arguments):
        return f"--show {arguments.show} has no tests"
    return ""


def _unless_further(arguments: Arguments) -> str:
    """Why further tests have no effect: the table of open pairs is shown, and nothing drawn."""
    if arguments.show == "open" and unless_drawn(arguments):
        return "--show open is about the paired t-test"
    return _unless_tested(arguments)


def _unless_compared(arguments: Arguments) -> str:
    """Why --baseline has no effect: the means of all runs are shown, and nothing drawn."""
    return _unless_tested(arguments) if arguments.show == "means" else ""


def _unless_means(arguments: Arguments) -> str:
    """Why intervals of means have no effect: the table that is shown or written has no means."""
    if arguments.show == "means" or arguments.sentence:
        return ""
    if arguments.show != "differences":
        return f"--show {arguments.show} has no means"
    forms = [arguments.format or "text", *map(ending_of, arguments.output)]
    if set(forms) <= {*FOR_PROGRAMS, *figures.FORMATS, EXCEL}:
        return f"{forms[0]} has the differences; --show means has the means"
    return ""


USAGE = (common.OF_RUNS, common.OF_VALUES, OF_COLLECTIONS)
OPTIONS = (
    *common.collection_or_values(),
    common.ASSUME_UNJUDGED,
    common.JOBS,
    common.BY,
    common.WEIGHTS,
    COLLECTIONS,
    Option(
        "--baseline RUN,…",
        "compare the other runs with each of these only; best: the best run by the first measure",
        repeated=True,
        idle=_unless_compared,
    ),
    Option(
        "--repeats PATTERN", "runs of one system, as '*-seed*', whose first * is the system's name"
    ),
    Option("--top K", "show the best K runs by the first measure, and the baselines", at_least_2),
    Option("--sort MEASURE", "the best run first, by this one of the measures"),
    Option(
        "--tests TEST,…", f"add other tests: {', '.join(TESTS)}", several(str), default=[]
    )._replace(idle=_unless_further),
    choice("--correction", f"of p for the family; default: {DEFAULT}", *CORRECTIONS)._replace(
        idle=_unless_tested
    ),
    common.COMPARISONS._replace(idle=_unless_tested),
    common.alpha(ALPHA)._replace(idle=_unless_tested),
    Option(
        "--confidence C",
        "add the confidence interval of each mean, as in 0.95, to tables and to those of papers",
        share,
        idle=_unless_means,
    ),
    *common.resamples("the randomised tests", 10_000, _unless_randomised),
    choice(
        "--show",
        "table to print; default: the differences; open: the pairs that the tests cannot tell "
        "apart; topics: where the runs differ most; losses: where a run is worse",
        *SHOWN,
    ),
    Option(
        "--sentence",
        "the paragraphs for Method: each measure, what they share, the tests and the correction",
    ),
    Option(
        "--bibtex",
        "add the BibTeX entries of the works that define the measures, and of this package",
        requires="sentence",
    ),
    *output(documents=("html",)),
)


def run(arguments: Arguments) -> Answer:
    """Test whether runs differ.

    Each row is the difference of two runs: all pairs, or each run and the baseline. The p-values
    are those of paired t-tests with the --correction for the family, and the intervals
    (lower, upper) hold for all differences together. d_z is the effect size; the true difference of
    size MDE is found with probability .8. Of more than 15 pairs, the table has the differences of
    the ten runs after the best run from it; csv, tsv and json have all. Each --baseline has a
    family of its own. The answer says if judgments of unjudged documents could turn the sign of a
    significant difference. --show topics lists the topics in which two runs differ most, --show
    losses those in which a run is worse than the other, or than the baseline, gate those that fell
    most from one run to another, and explain with both runs the documents that make the difference
    of a topic.

    --repeats compares systems by the means over their repeats, such as one run for each seed. The
    tests are over topics; a table has the spread over the repeats.

    latex, markdown and html have the table that papers print, runs × measures: best values bold,
    second-best underlined, letters for significance, with --confidence intervals of the means, and
    a caption. LaTeX needs the package booktabs. Its runs are in the order that is given, or with
    --sort the best one first.

    --tests adds Friedman's test with Conover's comparisons (conover), the analysis of variance
    (anova), the randomised Tukey HSD (tukey), Wilcoxon's test and Fisher's randomisation test of
    each pair. csv, tsv and json then have a row per test and pair.

    --sentence prints the paragraphs for the section Method of a paper in place of the table: the
    definition of each measure, what all of them share, the test, the correction, the families and
    the intervals; --bibtex adds the entries to cite.

    --by makes all tests within groups of topics, too, and tests whether a difference depends on the
    group; numbers are cut at their quartiles.

    --collections, or a column collection of --values, compares runs over several collections. The
    paths in its FILE are relative to it, and may be patterns such as runs/*/covid.run. Each
    collection counts once in the mean. One test answers for other topics of these collections, one
    for other collections like these. A run that lacks a collection has no mean.

      ir_measures_graded compare qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" AP
      ir_measures_graded compare qrels.txt a.run b.run c.run nCG@100 --baseline a -f latex
      ir_measures_graded compare qrels.txt runs/*.gz nDCG@10 AP --confidence 0.95 -f latex
      ir_measures_graded compare qrels.txt runs/*.gz nDCG@10 --repeats '*-seed*' --baseline bm25
      ir_measures_graded compare qrels.txt runs/*.gz muAP --tests conover,wilcoxon -o muAP.png
      ir_measures_graded compare qrels.txt a.run b.run nDCG@10 --show topics
    """
    stored = stored_collections(arguments)
    comparison: Comparison
    if are_several(arguments, stored):
        comparison = _over_collections(arguments, stored)
    else:
        comparison = _of_one_collection(arguments, stored.get(""))
    if arguments.sentence:
        statistics = " ".join(comparison.statistics())
        works = works_of_tests(comparison)
        return for_paper(comparison.measures, statistics, arguments.bibtex, works)
    if "correction" in arguments.given_options and comparison.family == 1:
        arguments.without_effect["correction"] = "two runs have one difference by a measure"
    facts: dict[str, Any] = {"unit": comparison.unit, "topics": comparison.topics}
    # What the notes say must not be lost where programs read the values.
    sentences = [*comparison.answer(), *comparison.notes()]
    facts["notes"] = [str(sentence) for sentence in sentences]
    if arguments.show in OF_TOPICS:
        evaluation = comparison.by_topic
        has_all_topics = evaluation is not None and bool(evaluation.has_weight.all())
        if "weights" in arguments.given_options and has_all_topics:
            reason = f"--show {arguments.show} has the values of topics, and no weight is 0"
            arguments.without_effect["weights"] = reason
        view = comparison.of_topics(losses=arguments.show == "losses")
        return Answer(view, facts=facts)
    if arguments.show == "open":
        return Answer(comparison.of_open_pairs(), facts=facts)
    if arguments.show != "differences":
        view = View(
            [comparison.data(arguments.show)],
            comparison.figure,
            remarks=comparison.remarks,
            headline=comparison.summary,
        )
        return Answer(view, facts=facts)
    documents: dict[str, Any] = {}
    for form in PAPER:
        documents[form] = partial(_for_paper, comparison, arguments, form)
    if arguments.tests:
        for form in FOR_PROGRAMS:
            documents[form] = partial(comparison.data("all").lines, form)
    return Answer(comparison, documents=documents, facts=facts)


def _of_one_collection(arguments: Arguments, stored: Evaluation | None) -> Comparison:
    """The comparison on one collection, whose values may be `stored`."""
    first = common.collection_inputs(arguments, stored)
    settings = arguments.of(
        "correction",
        "comparisons",
        "alpha",
        "confidence",
        "resamples",
        "seed",
        "repeats",
        "top",
    )
    settings["by"] = common.attribute_of_topics(arguments, "by")
    baselines = _each_baseline(arguments.baseline, first)
    if arguments.repeats is None:
        runs = _runs_in(first)
        baselines = [
            word if names_best(runs, word) else common.run_named(word, first) for word in baselines
        ]
    settings["baseline"] = baselines or None
    comparison = compare(*first, tests=_tests_of(arguments), **settings)
    if arguments.sort is None:
        return comparison
    return comparison.sorted_by(arguments.sort)


def _runs_in(first: Sequence[Any]) -> list[str]:
    """The names of the runs among the first arguments of an analysis."""
    if len(first) == 1:
        return list(first[0].runs)
    return list(dict(first[1]))


def _each_baseline(words: Sequence[str], first: Sequence[Any]) -> list[str]:
    """The names in the words of --baseline, which may have commas between several runs."""
    runs = _runs_in(first)
    names: list[str] = []
    for word in words:
        is_one_run = word in runs or is_file(word)
        if is_one_run:
            names.append(word)
        else:
            names += word.split(",")
    return names


def _over_collections(arguments: Arguments, stored: Mapping[str, Evaluation]) -> OverCollections:
    """The comparison over the collections of --collections or --values."""
    refuse_options(arguments, FOR_ONE)
    if arguments.sentence:
        raise GradedError("--sentence is for one collection; there are several")
    if arguments.show in (*OF_TOPICS, "tests"):
        raise GradedError(f"--show {arguments.show} is for one collection; there are several")
    collections, measures = inputs_of_collections(arguments, stored)
    settings = arguments.of("alpha", "correction")
    settings["baseline"] = arguments.baseline or None
    return compare_collections(collections, measures, **settings)


def _for_paper(comparison: Comparison, arguments: Arguments, form: str, places: int) -> list[str]:
    """The table that papers print; LaTeX and HTML tell its origin in comments."""
    if form == "markdown":
        return comparison.to_markdown(places).split("\n")
    words = [*arguments.values, *common.words_of(arguments)]
    names = [named_path(word).path for word in words]
    if arguments.collections is not None:
        names.insert(len(arguments.values), arguments.collections)
    packages = ", ".join(f"{name} {number}" for name, number in versions())
    comments = [command_line(arguments), packages]
    for name in filter(is_lasting, names):
        files = files_of_folder(name) or [name]
        comments.append(f"{name} SHA-256 {sha256_of_all(files)}")
    in_form = comparison.to_latex if form == "latex" else comparison.to_html
    return in_form(places, comments).split("\n")
