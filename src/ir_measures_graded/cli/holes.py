"""The command `holes`."""

import warnings

from ..analysis.judging.holes import holes
from ..analysis.judging.merging import MergedQrels, trec_lines
from ..errors import GradedError
from .arguments import add_collection, at_least_1, inputs, options
from .parser import Namespace, Parser, typed
from .results import add_output, shown

LISTED = 3
"""The number of contradictions that a warning lists."""
MORE = 3
"""The exit status with --until while more pairs of runs are open."""


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.usage = "%(prog)s QRELS RUN… MEASURE [options]"
    what = "last rank of listed documents; default: the measure's cutoff"
    parser.option("--depth K", what, type=int)
    what = "number of documents; default: 2.5%% of the unjudged ones, 50 if nothing is judged"
    parser.option("--batch N", what, type=at_least_1)
    for option, old in (("depth", "--cutoff"), ("batch", "--count")):
        parser.option(old, None, dest=option, type=at_least_1)
    parser.option(
        "--until open=N",
        "list documents while more than N pairs of runs are open, with exit status 3, then none, with "
        "exit status 0; without it, N is 0 and the exit status always 0",
        type=typed(r"open=\d{1,18}", lambda text: int(text.removeprefix("open=")), "open=N, as in open=0"),
    )
    parser.option(
        "--ask FILE",
        "write the documents for a judge: as CSV with an empty column level if FILE ends in .csv, "
        "else as lines 'topic 0 document ?'; open CSV in spreadsheets with all columns as text, as an id can "
        "begin with =, +, - or @",
    )
    what = "add the judgments in FILE, written by --ask and filled in; repeatable"
    parser.option("--answers FILE", what, repeated=True)
    parser.option("--merged FILE", "with --answers: write the merged qrels")
    add_output(parser)


def run(arguments: Namespace) -> list[str]:
    """List the unjudged documents to judge next.

    Unjudged documents count with their expected gain, which judged documents of like ranks have. A pair of
    runs is open while unjudged documents could well turn its difference. The list has the documents that
    settle most of the open pairs. Judge it, and call the command again with the answers: --ask writes the
    list for a judge, --answers adds the judgments to the qrels. If judgments contradict each other, the qrels
    take precedence over the answers, and earlier files over later ones. For measures without a weight for
    each rank, the documents come in the order of depth. QRELS may be an empty file. The figure shows the open
    pairs after each file of answers.

      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --batch 100 --ask to-judge.csv
      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --answers to-judge.csv --ask next.csv
      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --answers to-judge.csv --merged new-qrels.txt
    """
    qrels, runs, measures = inputs(arguments)
    if len(measures) > 1:
        raise GradedError(f"documents are ranked for one measure, not {len(measures)}")
    if arguments.merged and not arguments.answers:
        raise GradedError("--merged requires --answers")
    chosen = options(arguments, "depth", "answers", "batch")
    found = holes(qrels, runs, *measures, until=arguments.until or 0, **chosen)
    if arguments.until is not None:
        if found.open is None:
            raise GradedError(
                f"--until: {found.measure} has no weight for each rank, so open pairs are unknown"
            )
        arguments.status = 0 if found.open <= arguments.until else MORE
    _warn_of_contradictions(found.merged)
    others = {arguments.ask: found.to_judge(arguments.ask)} if arguments.ask else {}
    if arguments.merged:
        others[arguments.merged] = "".join(f"{line}\n" for line in trec_lines(found.merged.qrels)).encode()
    return shown(arguments, found, others=others)


def _warn_of_contradictions(merged: MergedQrels) -> None:
    count = len(merged.contradictions)
    if count:
        listed = "; ".join(map(str, merged.contradictions[:LISTED])) + ("; …" if count > LISTED else "")
        what = "1 judgment contradicts" if count == 1 else f"{count} judgments contradict"
        warnings.warn(f"{what} an earlier one, which counts: {listed}", stacklevel=2)
