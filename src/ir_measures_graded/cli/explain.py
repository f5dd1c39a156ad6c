"""The command `explain`."""

from ..analysis import explain
from ..output.result import Result
from .arguments import ASSUME_UNJUDGED, COLLECTION, NO_RELEVANT, inputs
from .parser import Arguments, Option, output, whole_number

USAGE = ("QRELS RUN MEASURE… [--topic TOPIC]", "QRELS RUN RUN MEASURE… [--topic TOPIC]")


def _without_means(arguments: Arguments) -> str:
    """Why --no_relevant has no effect: the value of a topic is explained, and no mean."""
    return "explain shows a topic by the definition of the measure, and no mean"


OPTIONS = (
    *COLLECTION,
    NO_RELEVANT._replace(idle=_without_means),
    ASSUME_UNJUDGED,
    Option("--topic TOPIC", "id of the topic; default: the worst, or where two runs differ most"),
    Option(
        "--depth RANK", "last rank; default: the cutoff, else the last judged one", whole_number
    ),
    *output(),
)


def run(arguments: Arguments) -> Result:
    """Show what each document of a ranking adds to a value.

    The table has one row per rank. It shows the document with its score, level and gain, the weight
    of a gain at this rank, the amount that the document adds to the value, and the value of the
    list down to this rank. If the measure divides a sum by the sum of the ideal list, the column
    sum has the running sum. If the measure has a user who stops, as ERR_G, three columns have the
    probabilities to stop and to get there, and what stopping is worth. The last columns show the
    ideal list. Columns that do not apply to the measure are omitted.

    With several measures, the table has the gain, the weight of the rank and what the document adds
    for each of them side by side, to see why their values differ.

    With two runs, the table has one row per document with its ranks and what it adds in both runs,
    the documents that make the difference first. Documents below the top ranks that add nothing
    to either value are omitted. By several measures there is a table of the values, then one of the
    documents by each.

      ir_measures_graded explain qrels.txt bm25.run "nDCG_JK(b=2)@10" --topic 7
      ir_measures_graded explain qrels.txt bm25.run nDCG@10 nDCG_JK@10 --topic 7 -o both.png
      ir_measures_graded explain qrels.txt old.run new.run nDCG_JK@10
      ir_measures_graded explain qrels.txt bm25.run ERR_G --topic 7 --depth 20 -f csv -p -1
    """
    qrels, runs, measures = inputs(arguments)
    return explain(qrels, runs, measures, arguments.topic, arguments.depth)
