"""The command `curves`."""

from ..analysis import Curves, CurvesByMeasure, curves
from ..analysis.curves import RESAMPLES
from .arguments import COLLECTION, NO_RELEVANT, WEIGHTS, inputs, resamples, run_named
from .parser import Arguments, Option, output, real, whole_number, whole_numbers

OPTIONS = (
    *COLLECTION,
    NO_RELEVANT,
    WEIGHTS,
    Option(
        "--depth RANK",
        "last rank; default: the measure's cutoff, else that of the longest list, at most 100",
        whole_number,
    ),
    Option("--at RANK,…", "ranks in the table, as in 5,10,20", whole_numbers, default=[]),
    Option("--highlight RUN", "of more than 12 runs, also show these in colour", many=True),
    Option("--confidence C", "add confidence bands over topics, for example 0.95", real),
    *resamples("topics for the bands, at least 100", RESAMPLES),
    *output(),
)


def run(arguments: Arguments) -> Curves | CurvesByMeasure:
    """Show a measure at every rank, averaged over topics.

    The table has one row per rank, or per rank of --at, and one column per run. A measure must take
    a cutoff, which sets the depth.

      ir_measures_graded curves qrels.txt runs/*.gz \\
          "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)" -o nDCG.svg
      ir_measures_graded curves qrels.txt a.run b.run P@20 --confidence 0.95 -o P.png
      ir_measures_graded curves qrels.txt runs/*.gz CG nDCG_JK --at 5,10,20
    """
    first = inputs(arguments, uncut=True)
    highlight = [run_named(text, first) for text in arguments.highlight]
    settings = arguments.of("depth", "at", "confidence", "resamples", "seed")
    return curves(*first, highlight=highlight, **settings)
