"""The command `check`."""

from ..analysis import check
from .arguments import COLLECTION, NO_RELEVANT, inputs
from .parser import Arguments, output
from .results import Answer

USAGE = ("QRELS [RUN…] [MEASURE…]",)
OPTIONS = (*COLLECTION, NO_RELEVANT, *output())


def run(arguments: Arguments) -> Answer:
    """Show what is unusual about qrels, runs and measures, without evaluating them.

    The table has what nobody would notice in the values: topics that a run lacks, ids that do not
    match, mostly unjudged documents at the top, equal scores, and levels that measures name and the
    qrels lack. A remark names the first topics that it is about; csv, tsv, json and jsonl have all
    in the column topics. The levels of the qrels follow. Exit status 0: nothing is unusual; 1: the
    table has a remark; 2: an error.

      ir_measures_graded check qrels.txt runs/*.gz "P(rel=3)@10" nDCG_JK@10
      ir_measures_graded check qrels.txt run.txt -f jsonl
    """
    result = check(*inputs(arguments, needed=False))
    status = 1 if result.remarks else 0
    return Answer(result, status)
