"""The command `curves`."""

from collections.abc import Sequence

from ..analysis import Curves, CurvesByMeasure, curves
from ..analysis.curves import RESAMPLES
from ..errors import GradedError
from .arguments import COLLECTION, NO_RELEVANT, WEIGHTS, inputs, resamples, run_named
from .habits import shown_line
from .parser import Arguments, Option, output, share, unless_drawn, whole_number, whole_numbers


def _of_one_topic(arguments: Arguments) -> str:
    """Why an option of means has no effect: the curves are those of one topic."""
    return "" if arguments.topic is None else "the curves of one topic are no means"


def _unless_bands(arguments: Arguments) -> str:
    """Why nothing is drawn at random: only bands are."""
    if arguments.confidence is None:
        return "topics are drawn at random for the bands of --confidence alone"
    return ""


RATIO = "--ratio_of_means"
OPTIONS = (
    *COLLECTION,
    NO_RELEVANT,
    WEIGHTS._replace(idle=_of_one_topic),
    Option(
        "--depth RANK",
        "last rank; default: the measure's cutoff, else that of the longest list, at most 100, but "
        "at least the last rank of --at",
        whole_number,
    ),
    Option("--at RANK,…", "ranks in the table, as in 5,10,20", whole_numbers, default=[]),
    Option("--topic TOPIC", "the curves of this topic in place of the means"),
    Option(
        RATIO,
        "divide the mean vector by the mean ideal vector, as Järvelin & Kekäläinen 2002",
        idle=_of_one_topic,
    ),
    Option(
        "--highlight RUN",
        "of more than 12 runs, also show these in colour",
        many=True,
        idle=unless_drawn,
    ),
    Option("--confidence C", "add confidence bands over topics, for example 0.95", share),
    *resamples("topics for the bands, at least 100", RESAMPLES, _unless_bands),
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
      ir_measures_graded curves qrels.txt a.run b.run CG DCG_JK nDCG_JK --topic 7
      ir_measures_graded curves qrels.txt a.run b.run CG DCG_JK nCG nDCG_JK --ratio_of_means
    """
    try:
        first = inputs(arguments, uncut=True)
    except GradedError as error:
        line = _line_of_paper(arguments.words)
        if not line:
            raise
        meaning = ""
        if line.endswith(RATIO) and RATIO not in arguments.words:
            meaning = (
                f" ({RATIO} divides mean vectors, as the paper does; without it, each topic is "
                "divided, as in evaluate)"
            )
        raise GradedError(f"{error}; the curves of the paper: {line}{meaning}") from None
    highlight = [run_named(text, first) for text in arguments.highlight]
    settings = arguments.of("depth", "at", "confidence", "resamples", "seed", "topic")
    settings |= arguments.of("ratio_of_means")
    return curves(*first, highlight=highlight, **settings)


OF_PAPER = {"dcg": "DCG_JK", "ndcg": "nDCG_JK"}
"""The measures of Järvelin & Kekäläinen 2002 by the names that others have as well."""
NORMALISED = ("nCG", "nDCG_JK")
"""The measures of the paper that divide by an ideal list."""


def _line_of_paper(words: Sequence[str]) -> str:
    """The command with the measures of the paper, which normalises by ratios of means; empty if it
    has no DCG, which means several."""
    line: list[str] = []
    has_dcg = False
    for word in words:
        name, at, cutoff = word.partition("@")
        has_dcg = has_dcg or name.lower() == "dcg"
        line.append(OF_PAPER.get(name.lower(), name) + at + cutoff)
    if not has_dcg:
        return ""
    is_normalised = any(word.startswith(NORMALISED) for word in line)
    if is_normalised and not any(word.startswith("--ratio") for word in line):
        line.append(RATIO)
    return shown_line(line)
