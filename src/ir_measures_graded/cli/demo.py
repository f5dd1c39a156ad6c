"""The command `demo`, which evaluates the bundled collection."""

import warnings
from collections.abc import Iterator

from ..demo import NAME, qrels_path, run_paths
from ..errors import InputWarning
from ..evaluation.evaluate import evaluate
from ..output.result import View
from ..output.tables import Table
from . import PROGRAM
from .arguments import EXAMPLE
from .parser import Arguments
from .results import Answer, Output, shown

DEMO_MEASURES = (
    "nCG(gains=0:0,1:1,2:1,3:1)@100",
    "nCG(gains=0:0,1:1,2:10,3:100)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:1,3:1)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100",
    "nDCG@100",
    "AP",
)


USAGE = "%(prog)s [options]"
OUTPUT = Output()
OPTIONS = OUTPUT.options


def run(arguments: Arguments) -> Iterator[str]:
    """Evaluate the five runs of the bundled demo collection.

    The command shows how gains change the best run. As text, it also suggests commands to try next.
    """
    paths = run_paths()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # run B lacks a topic, as real runs do
        found = evaluate(qrels_path(), paths, DEMO_MEASURES)
    rows = [[text, *values] for text, values in zip(DEMO_MEASURES, found.means().T.tolist())]
    table = shown(arguments, OUTPUT, Answer(View([Table(["measure", *paths], rows)], found.figure)))
    if OUTPUT.form(arguments) != "text":
        yield from table
        return
    yield f"{NAME}: 20 topics, levels 0 to 3, five runs. The best run depends on the gains of the levels:"
    yield "0-1-1-1 counts all relevant documents equally, 0-1-10-100 counts highly relevant documents more."
    yield ""
    yield from table
    yield ""
    yield "Next steps:"
    yield f'  {PROGRAM} evaluate {NAME} --scoreddocs "{EXAMPLE}" nDCG@10 AP'
    yield f'  {PROGRAM} evaluate {NAME} "{paths["D"]}" "{paths["E"]}" "{EXAMPLE}" muAP -f markdown'
    yield f"  {PROGRAM} measures"
    yield f"  {PROGRAM} evaluate --help"
