"""The command `convert`."""

import os
import sys
from dataclasses import replace

from ..core.rows.chosen import Chosen
from ..core.rows.roles import QRELS, RUN
from ..errors import GradedError, Remark
from ..evaluation.remarks import issue
from ..files.content import SIZES, WITHOUT_LIMITS
from ..files.conversion import KEPT, read_rows, written
from ..files.sources import named_path
from ..output.files import canonical, write_whole
from .arguments import FORM, given_columns
from .parser import Arguments, Option, as_list

OPTIONS = (
    Option("source IN", "file of qrels or of a run; - is standard input", reads=as_list),
    Option(
        "target OUT",
        "file; its ending is the form; - is standard output",
        optional=True,
        writes=as_list,
    ),
    Option("-o --output FILE", "the same as OUT", writes=as_list),
    Option("--qrels", "IN has qrels", excludes="run"),
    Option("--run", "IN has a run"),
    Option(
        "--duplicates ROW", "row to keep of a repeated document; best: highest value", choices=KEPT
    ),
    Option("--force", "replace OUT if it exists with other content"),
    *FORM,
)


def run(arguments: Arguments) -> list[str]:
    """Convert qrels or a run from any form to TREC, CSV, TSV, Parquet or JSON.

    The content of IN determines its form, as for all commands. The ending of OUT is .run, .qrels,
    .trec, .txt, .tsv, .csv, .parquet or .json, perhaps with .gz. One line tells what was read. Ids
    are written as they are, and numbers exactly. The rows of a topic stand together; TREC runs are
    sorted by rank. If IN has several runs, OUT is a table with the column run. A file that exists
    with other content is replaced only with --force. With --ascending, the sign of each score is
    reversed.

      ir_measures_graded convert bm25.json bm25.run.gz
      ir_measures_graded convert qrels.tsv qrels.txt
      ir_measures_graded convert my-run.csv my-run.parquet --run
    """
    target = arguments.target or arguments.output
    if target is None or (arguments.target and arguments.output):
        raise GradedError("convert writes one file; give IN and OUT, or IN -o OUT")
    role = None
    name = os.path.basename(target).lower()
    if arguments.qrels or (".qrels" in name and not arguments.run):
        role = QRELS
    elif arguments.run or ".run" in name:
        role = RUN
    chosen = Chosen(
        arguments.run_column,
        ascending=bool(arguments.ascending),
        columns=given_columns(arguments),
    )
    sizes = WITHOUT_LIMITS if arguments.no_limits else SIZES
    tag, path = named_path(arguments.source)
    rows = replace(read_rows(path, role, chosen, arguments.duplicates, sizes), tag=tag)
    if arguments.ascending and rows.role is QRELS:
        issue([Remark("option", path, "--ascending has no effect on qrels")])
    content = written(rows, target)
    if target == "-":
        print(rows.summary(), file=sys.stderr)
        return content.decode().split("\n")[:-1]
    if not arguments.force:
        refuse_to_replace(target, content)
    write_whole(target, content)
    return [rows.summary()]


def refuse_to_replace(target: str, content: bytes) -> None:
    """Raise `GradedError` if the target is a file with another content.

    Convert did not write such a file. Converting the same file again is allowed, and so are an
    empty file, a pipe and a device.
    """
    path = canonical(target)
    if not os.path.isfile(path) or not os.path.getsize(path):
        return
    with open(path, "rb") as file:
        is_same = file.read(len(content) + 1) == content
    if not is_same:
        hint = "give another name, or replace it with --force"
        raise GradedError(f"{target!r} exists and has other content; {hint}")
