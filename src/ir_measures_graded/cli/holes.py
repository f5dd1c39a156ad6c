"""The command `holes`."""

from __future__ import annotations

import argparse
import warnings

from ..errors import GradedError
from ..judging.holes import add_answers, holes
from ..judging.merging import MergedQrels
from ..judging.scales import trec_lines
from .arguments import Inputs, add_collection, at_least_1
from .parser import Parser
from .results import add_output, shown

LISTED = 3
"""The number of contradictions that a warning lists."""


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.usage = "%(prog)s QRELS RUN… MEASURE [options]"
    parser.add_argument(
        "--cutoff", type=int, metavar="K", help="last rank of listed documents; default: the measure's cutoff"
    )
    parser.add_argument("--count", type=at_least_1, metavar="N", help="list only the N most useful documents")
    parser.add_argument(
        "--ask",
        metavar="FILE",
        help="write the documents for a judge: as CSV with an empty column level if FILE ends in .csv, "
        "else as lines 'topic 0 document ?'",
    )
    parser.add_argument(
        "--answers",
        metavar="FILE",
        action="append",
        default=[],
        help="add the judgments in FILE, written by --ask and filled in; repeatable",
    )
    parser.add_argument("--merged", metavar="FILE", help="with --answers: write the merged qrels")
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """List the unjudged documents that are most worth judging.

    The list ranks the unjudged documents within the cutoff by their share of the variance of the differences
    between the runs: the more the weight of a document's rank differs between runs, the more its judgment
    settles. --ask writes the list for a judge, --answers adds the judgments to the qrels. If
    judgments contradict each other, the qrels take precedence over the answers, and earlier files over later
    ones. Contradictions are reported.

      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --count 100 --ask to-judge.csv
      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --answers to-judge.csv --merged new-qrels.txt
    """
    inputs = Inputs(arguments)
    if len(inputs.measures) > 1:
        raise GradedError(f"documents are ranked for one measure, not {len(inputs.measures)}")
    if arguments.merged and not arguments.answers:
        raise GradedError("--merged requires --answers")
    qrels = inputs.qrels
    if arguments.answers:
        merged = add_answers(qrels, *arguments.answers)
        _warn_of_contradictions(merged)
        qrels = merged.qrels
    found = holes(qrels, inputs.runs, inputs.measures[0], arguments.cutoff)
    if arguments.count is not None:
        found = found.first(arguments.count)
    others = {arguments.ask: found.to_judge(arguments.ask)} if arguments.ask else {}
    if arguments.merged:
        others[arguments.merged] = "".join(f"{line}\n" for line in trec_lines(qrels)).encode()
    return shown(found, arguments, others=others)


def _warn_of_contradictions(merged: MergedQrels) -> None:
    count = len(merged.contradictions)
    if count:
        listed = "; ".join(map(str, merged.contradictions[:LISTED])) + ("; …" if count > LISTED else "")
        what = "1 judgment contradicts" if count == 1 else f"{count} judgments contradict"
        warnings.warn(f"{what} an earlier one, which counts: {listed}", stacklevel=2)
