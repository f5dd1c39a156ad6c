"""The command `demo`, which evaluates the bundled collection."""

import os
import warnings
from contextlib import suppress
from pathlib import Path
from textwrap import wrap

from ..demo import DATA, NAME, qrels_path, run_paths
from ..errors import GradedError, InputWarning
from ..evaluation.evaluate import evaluate
from ..output.files import canonical, write_files
from ..output.formats import text
from ..output.width import width
from . import PROGRAM
from .arguments import EXAMPLE
from .parser import Arguments, Option

MEASURES = "nDCG_JK(b=2,gains=0:0,1:1,2:1,3:1)@100", EXAMPLE, "nDCG@100", "AP"
ABOVE = (
    f"{NAME}: 20 topics, levels 0 to 3, five runs. The best run depends on the gains of the levels."
)
NEXT = f"To try the other commands, write the files: {PROGRAM} demo --copy demo"
COPIED = ("qrels.txt", "queries.tsv", "lightgbm.csv", *(path.name for path in run_paths().values()))
"""The files that --copy writes. LightGBM computed the values of run A."""
OPTIONS = (Option("--copy DIR", f"only write {', '.join(COPIED)} to this folder"),)


def run(arguments: Arguments) -> list[str]:
    """Evaluate the five runs of the bundled demo collection.

    The command shows how gains change the best run.
    """
    if arguments.copy is not None:
        return [_copied(arguments.copy)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # run B lacks a topic, as real runs do
        evaluation = evaluate(qrels_path(), run_paths(), MEASURES)
    means_by_measure = evaluation.means().T.tolist()
    rows = [[name, *means] for name, means in zip(MEASURES, means_by_measure, strict=True)]
    table = text(["measure", *evaluation.runs], rows)
    return [*wrap(ABOVE, width()), "", *table, "", *wrap(NEXT, width())]


def _copied(folder: str) -> str:
    """Write the files of the collection.

    Raises `GradedError` if the folder has another file of a name.
    """
    contents = {os.path.join(folder, name): (DATA / name).read_bytes() for name in COPIED}
    for path, content in contents.items():
        target = Path(canonical(path))
        if target.is_file() and target.read_bytes() != content:
            raise GradedError(f"{path!r} is another file; choose a folder without it")
    with suppress(OSError):  # `write_files` tells that a folder is missing
        os.makedirs(folder, exist_ok=True)
    write_files(contents)
    return f"{folder}: {', '.join(COPIED)}"
