"""The command `curves`, which also shows effort, the horizontal reading of curves."""

from ..analysis import curves, effort
from ..analysis.curves import RESAMPLES
from ..errors import GradedError
from ..output.result import Result
from .arguments import COLLECTION, OF_RUNS, baseline_of, baselines_of, inputs, resamples
from .parser import Arguments, Option, choice, real, whole_number, whole_numbers
from .results import output

USAGE = OF_RUNS
OPTIONS = (
    *COLLECTION,
    Option("--depth RANK", "last rank; default: the measure's cutoff, else 100", whole_number),
    choice("--normalise", "average curves (default), or divide mean curves", "topics", "averages"),
    Option("--ideal", "add the ideal list; default: for CG, DCG_JK and DCG_Burges", negated=True),
    Option("--at RANK,…", "show where each run reaches the ideal value of these ranks", whole_numbers),
    Option("--baseline RUN", "with --at: use the values of RUN instead"),
    Option(
        "--highlight RUN",
        "of more than 12 runs, also show these in colour, besides the best five; all words up "
        "to the next option are runs",
        many=True,
    ),
    Option("--confidence C", "add confidence bands over topics, for example 0.95", real),
    *resamples("topics for the bands", RESAMPLES),
    *output(),
)


def run(arguments: Arguments) -> Result:
    """Show a measure at every rank, averaged over topics.

    The table has one row per rank and one column per run. Every measure must take a cutoff. A cutoff in the
    measure string sets the depth. With --at, the table has one row per run: the first rank at which its mean
    curve reaches the value that the ideal list, or the baseline, has at each of the given ranks.

      ir_measures_graded curves qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)" -o nDCG.svg
      ir_measures_graded curves qrels.txt a.run b.run P@20 --confidence 0.95 -o P.png
      ir_measures_graded curves qrels.txt runs/*.gz "CG(gains=0:0,1:1,2:10,3:100)" --at 5,10
    """
    first = inputs(arguments, uncut=True)
    measures, baseline = first[2], baseline_of(arguments, first)
    if arguments.at and len(measures) > 1:
        raise GradedError(f"--at needs one measure; {len(measures)} are given")
    at_options = {"--confidence": arguments.confidence, "--ideal": arguments.ideal}
    for option, value in (at_options if arguments.at else {"--baseline": arguments.baseline}).items():
        if value is not None:
            raise GradedError(f"{option} {'does not go with' if arguments.at else 'requires'} --at")
    ideal = baseline is None if arguments.at else arguments.ideal
    settings = arguments.of("depth", "normalise", "confidence", "resamples", "seed", "progress")
    settings["highlight"] = baselines_of(arguments, first, "highlight")
    found = curves(*first, ideal=ideal, **settings)
    only = found.curves[0]
    if arguments.at:
        return effort(only, arguments.at, baseline)
    return found if len(found.curves) > 1 else only
