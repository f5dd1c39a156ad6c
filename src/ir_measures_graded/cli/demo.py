"""The command `demo`, which evaluates the bundled collection."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..demo import NAME, qrels_path, run_paths
from ..evaluation.evaluate import evaluate
from ..output.formats import FORMATS
from .arguments import EXAMPLE
from .interrupts import PROGRAM

DEMO_MEASURES = (
    "nCG(gains=0:0,1:1,2:1,3:1)@100",
    "nCG(gains=0:0,1:1,2:10,3:100)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:1,3:1)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100",
    "nDCG@100",
    "AP",
)


def declare(parser: argparse.ArgumentParser) -> None:
    """The command has no arguments."""


def run(arguments: argparse.Namespace) -> Iterator[str]:
    """Evaluate the five runs of the bundled demo collection.

    The command shows how gains change the best run, and suggests commands to try next.
    """
    paths = run_paths()
    means = evaluate(qrels_path(), paths, DEMO_MEASURES).means()
    rows = [[text, *values] for text, values in zip(DEMO_MEASURES, means.T.tolist())]
    yield f"{NAME}: 20 topics, levels 0 to 3, five runs. The best run depends on the gains of the levels:"
    yield "0-1-1-1 counts all relevant documents equally, 0-1-10-100 counts highly relevant documents more."
    yield ""
    yield from FORMATS["text"](["measure", *paths], rows)
    yield ""
    yield "Next steps:"
    yield f'  {PROGRAM} evaluate {NAME} --scoreddocs "{EXAMPLE}" nDCG@10 AP'
    yield f'  {PROGRAM} evaluate {NAME} "{paths["D"]}" "{paths["E"]}" "{EXAMPLE}" muAP -f markdown'
    yield f"  {PROGRAM} measures"
    yield f"  {PROGRAM} evaluate --help"
