"""The command `demo`, which evaluates the bundled collection."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

from ..demo import DATA, NAME, qrels_path, run_paths
from ..errors import GradedError, InputWarning
from ..evaluation.evaluate import evaluate
from ..output.files import write_files
from ..output.result import View
from ..output.tables import Table
from . import PROGRAM
from .arguments import EXAMPLE
from .parser import Arguments, Option
from .results import Answer, Output, shown

DEMO_MEASURES = (
    "nCG(gains=0:0,1:1,2:1,3:1)@100",
    "nCG(gains=0:0,1:1,2:10,3:100)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:1,3:1)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100",
    "nDCG@100",
    "AP",
)


COPIED = ("qrels.txt", "queries.tsv", "lightgbm.csv", *(path.name for path in run_paths().values()))
"""The files that --copy writes. LightGBM computed the values of run A."""


USAGE = "%(prog)s [options]"
OUTPUT = Output()
OPTIONS = (Option("--copy DIR", f"only write {', '.join(COPIED)} to this folder"), *OUTPUT.options)


def run(arguments: Arguments) -> Iterator[str]:
    """Evaluate the five runs of the bundled demo collection.

    The command shows how gains change the best run. As text, it also suggests commands to try next.
    """
    if arguments.copy is not None:
        yield _copied(arguments.copy)
        return
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


def _copied(folder: str) -> str:
    """Write the files of the collection. Raises `GradedError` if the folder has another file of a name."""
    contents = {os.path.join(folder, name): (DATA / name).read_bytes() for name in COPIED}
    for path, content in contents.items():
        if os.path.exists(path) and (os.path.isdir(path) or Path(path).read_bytes() != content):
            raise GradedError(f"{path!r} is another file; choose a folder without it")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise GradedError(f"cannot write {folder!r}: {error.strerror}") from None
    write_files(contents)
    return f"{folder}: {', '.join(COPIED)}"
