"""The command `check`."""

from ..analysis import check
from ..evaluation.order_of_rows import GIVEN
from .arguments import COLLECTION, NO_RELEVANT, TIES, inputs
from .parser import Arguments, output
from .results import Answer

USAGE = ("QRELS [RUN…] [MEASURE…]",)
NO_VALUES = "check computes no values"
WITH_GAINS = {"absent levels", "falling gains"}
"""The kinds of remarks on gains."""


def _unless_in_given_order(arguments: Arguments) -> str:
    """Why --ties has no effect, unless the order of the rows decides which documents are first."""
    return "" if arguments.ties == GIVEN else NO_VALUES


def _without_values(arguments: Arguments) -> str:
    """Why an option of values has no effect."""
    return NO_VALUES


PLACE_OF_TIES = COLLECTION.index(TIES)
OPTIONS = (
    *COLLECTION[:PLACE_OF_TIES],
    TIES._replace(idle=_unless_in_given_order),
    *COLLECTION[PLACE_OF_TIES + 1 :],
    NO_RELEVANT._replace(idle=_without_values),
    *output(),
)


def run(arguments: Arguments) -> Answer:
    """Show what is unusual about qrels, runs and measures, without evaluating them.

    The table has what nobody would notice in the values: topics that a run lacks, ids that do not
    match, mostly unjudged documents at the top, equal scores, levels that measures name and the
    qrels lack, and judgments that look like mistakes: repeated ones, and a negative level or one
    far above the others that hardly any document has. A remark names the first topics that it is
    about; csv, tsv, json and jsonl have all in the column topics. The levels of the qrels follow.
    Exit status 0: nothing is unusual; 1: the table has a remark; 2: an error.

      ir_measures_graded check qrels.txt runs/*.gz "P(rel=3)@10" nDCG_JK@10
      ir_measures_graded check qrels.txt run.txt -f jsonl
    """
    result = check(*inputs(arguments, needed=False))
    kinds = {remark.kind for remark in result.remarks}
    if "gains" in arguments.given_options and WITH_GAINS.isdisjoint(kinds):
        arguments.without_effect["gains"] = f"{NO_VALUES}, and the qrels have all of its levels"
    status = 1 if result.remarks else 0
    return Answer(result, status)
