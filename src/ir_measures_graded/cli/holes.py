"""The command `holes`."""

import warnings

from ..analysis.judging.holes import holes
from ..analysis.judging.one_table import judge_word
from ..files.conversion import rows_of, written
from ..output.formats import counted
from .arguments import COLLECTION, JOBS, inputs
from .judges import judge_in
from .parser import Arguments, Option, as_list, at_least_1, output, real, typed
from .results import Answer

USAGE = ("QRELS RUN… MEASURE",)
path = typed("(?!-$).+", str, "a file; the list is on standard output")
OPTIONS = (
    *COLLECTION,
    JOBS,
    Option(
        "--batch N",
        "number of documents; default: 2.5 %% of the unjudged ones, or 50 if nothing is judged; if "
        "no pair of runs is open, none, or 50 with --ask",
        at_least_1,
    ),
    Option("--ask FILE", "write the documents for a judge, as CSV", path, writes=as_list),
    Option(
        "--random SHARE", "also list a random sample of this share of the unjudged documents", real
    ),
    Option("--answers FILE", "add these judgments; repeatable", repeated=True, reads=as_list),
    Option(
        "--merged FILE",
        "write the merged qrels as convert does",
        path,
        requires="answers",
        writes=as_list,
    ),
    *output(),
)


def run(arguments: Arguments) -> Answer:
    """List the unjudged documents to judge next.

    Unjudged documents count with their expected gain, which judged documents of like ranks have. A
    pair of runs is open while unjudged documents could well turn its difference. The list has the
    documents that settle most of the open pairs, the most useful one first. If no pair is open,
    --ask and --batch list documents all the same. Judge it, and call the command again with the
    answers: --ask writes the list for a judge, as CSV with an empty column level, under the heads
    that a table of QRELS has; --answers adds the judgments, when it is filled in, to the qrels. If
    judgments contradict each other, the qrels take precedence over the answers, and earlier files
    over later ones. MEASURE has a weight for each rank and a cutoff, the last rank of the list,
    such as nDCG@10 and P@5. QRELS may be an empty file. The agreement of judges on documents that
    were chosen in this way is not their agreement on all documents: --random puts a random sample
    aside, which --ask marks as random. In the CSV file, an apostrophe marks cells that begin with
    =, +, - or @ as text.

      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --batch 100 --ask to-judge.csv
      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --answers to-judge.csv --ask next.csv
      ir_measures_graded holes qrels.txt runs/*.gz nDCG_JK@10 --answers to-judge.csv \\
          --merged new-qrels.txt
    """
    qrels, runs, measures = inputs(arguments, qrels=judge_in(arguments.qrels, arguments))
    options = arguments.of("batch", "random")
    levels = judge_word(arguments.qrels).column
    options["answers"] = [judge_in(path, arguments, levels) for path in arguments.answers]
    if arguments.ask and options["batch"] is None and options["random"] is None:
        options["fill"] = True
    result = holes(qrels, runs, measures, **options)
    contradictions = result.merged.contradictions
    if contradictions:
        first = "; ".join(contradictions[:3])
        count = counted(len(contradictions), "contradiction")
        warnings.warn(f"{count} of judgments; the earlier one counts: {first}", stacklevel=2)
    others: dict[str, bytes] = {}
    if arguments.ask and not len(result):
        warnings.warn(
            f"{arguments.ask} is not written, because no document is listed", stacklevel=2
        )
    elif arguments.ask:
        others[arguments.ask] = result.to_judge(arguments.ask)
    if arguments.merged:
        merged = rows_of(result.merged.qrels, "the merged qrels")
        others[arguments.merged] = written(merged, arguments.merged)
    return Answer(result, others=others)
