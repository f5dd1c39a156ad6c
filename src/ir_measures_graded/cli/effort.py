"""The command `effort`."""

from ..analysis import Effort, effort
from ..analysis.curves import IDEAL
from .arguments import COLLECTION, NO_RELEVANT, WEIGHTS, inputs, run_named
from .parser import Arguments, Option, output, whole_number, whole_numbers

USAGE = ("QRELS RUN… MEASURE",)
OPTIONS = (
    *COLLECTION,
    NO_RELEVANT,
    WEIGHTS,
    Option("--baseline RUN", f"run to read the values of, or {IDEAL}; default: the best run"),
    Option("--at RANK,…", "ranks of the baseline; default: 5,10,20", whole_numbers, default=[]),
    Option(
        "--depth RANK",
        "last rank; default: the measure's cutoff, else that of the longest list, at most 100",
        whole_number,
    ),
    *output(),
)


def run(arguments: Arguments) -> Effort:
    """Show how many documents more must be examined for the same gain.

    The mean curves of the runs are read across: the table has the rank at which each run reaches
    the value that the baseline has at the ranks --at. The baseline is the run with the best value
    at the last rank, another one, or the ideal list. Measures that never fall with the rank suit
    best, such as CG and DCG_JK.

      ir_measures_graded effort qrels.txt runs/*.gz "CG(gains=0:0,1:1,2:10,3:100)" --at 5,10,20
      ir_measures_graded effort qrels.txt a.run b.run DCG_JK@200 --baseline ideal -o effort.csv
    """
    first = inputs(arguments, uncut=True)
    baseline = arguments.baseline
    if baseline != IDEAL:
        baseline = run_named(baseline, first)
    return effort(*first, baseline=baseline, **arguments.of("depth", "at"))
