"""The command `sensitivity`."""

from functools import partial
from typing import Any

from ..analysis import sensitivity
from ..analysis.sensitivity import Sensitivity, SensitivityView
from ..analysis.statistics.defaults import ALPHA
from ..output.files import ending_of
from ..output.result import Result
from .arguments import (
    JOBS,
    OF_RUNS,
    OF_VALUES,
    WEIGHTS,
    alpha,
    chosen,
    collection_or_values,
    inputs,
    values_of,
)
from .parser import PAGE, Arguments, Option, choice, output, whole_numbers
from .results import Answer

USAGE = (OF_RUNS, OF_VALUES)
OPTIONS = (
    *collection_or_values(),
    JOBS,
    WEIGHTS,
    Option("--cutoffs K,…", "cutoffs of the measures, as in 10,100", whole_numbers, default=[]),
    choice(
        "--show",
        "table to print; default: tau, of two runs means",
        *("tau", "means", "ranks", "swaps", "differences"),
    ),
    alpha(ALPHA),
    *output(),
)


def run(arguments: Arguments) -> Answer:
    """Show how the ranking of the runs depends on measure, weighting and cutoff.

    The command ranks the runs under every measure × cutoff × weighting and correlates each pair of
    rankings by Kendall's τ; marks tell where it is below .9 and below .8. A measure string with
    gains or a cutoff keeps them. A single measure without --gains and --cutoffs has the weightings
    that the command levels shows, and with one weighting has these besides. Gains without a name
    have those of the levels above 0 as theirs: 1/2/30. The last sentence tells from which gain of
    the highest level another run is the best by the first measure that takes gains. Two runs have
    their means under each setting in place of τ, with their difference, its interval and its p, and
    the answer counts their documents of each level within the cutoff. With --values, the measures
    of the table are compared.

    --show means prints the mean of each run, --show ranks its rank. --show swaps prints the pairs
    of runs that change their order, with the better one under each setting and an asterisk if the
    difference is significant. --show differences prints the difference of each two runs under each
    setting, its p, and whether order or significance changes between settings. With -o page.html,
    the page has a slider for the gain of each level (what if?), which begins at the weighting if
    only one is named; a note tells if it cannot have one. The page on leaderboards shows in Python
    whether the order holds in halves of the topics.

      ir_measures_graded sensitivity qrels.txt runs/*.gz nDCG_JK --gains w1 --gains w10 --cutoffs 10
      ir_measures_graded sensitivity qrels.txt runs/*.gz P@10 nDCG_JK@10 \\
          --gains flat=1:1,2:1 --gains steep=1:1,2:10 --show ranks -o ranks.svg
      ir_measures_graded sensitivity qrels.txt runs/*.gz nDCG_JK@10 -o what-if.html
      ir_measures_graded sensitivity --values values.csv --show swaps
    """
    stored = values_of(arguments)
    first: list[Any]
    if stored is not None:
        first = [chosen(arguments, stored)]
    else:
        first = list(inputs(arguments, weighted=True, uncut=True))
    result = sensitivity(*first, **arguments.of("gains", "cutoffs", "alpha"))
    has_page = any(ending_of(path) in PAGE for path in arguments.output)
    told = []
    if has_page and result.why_no_sliders:
        told.append(f"the page has no sliders: {result.why_no_sliders}")
    return Answer(_shown(result, arguments), told=told)


def _shown(result: Sensitivity, arguments: Arguments) -> Result:
    """The result, or the table of it that --show chooses."""
    view = partial(SensitivityView, result)
    if arguments.show == "tau" and "show" in arguments.given_options:
        tau = result.tau_table()
        return view([tau], noted=result.notes_on_tau(), above=result.answer())
    if arguments.show == "means":
        noted = result.notes() if len(result.runs) == 2 else ()
        return view([result.means_table()], headline=result.summary, noted=noted)
    if arguments.show == "ranks":
        return view([result.rank_table()], headline=result.summary)
    if arguments.show == "swaps":
        return view(
            result.swap_tables(),
            read=result.swap_table(),
            noted=result.swap_notes(),
            above=result.answer(),
        )
    if arguments.show == "differences":
        return view(
            [result.difference_table()], headline=result.summary, noted=result.difference_notes()
        )
    return result
