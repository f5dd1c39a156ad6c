"""The command `convert`."""

import sys
from collections.abc import Mapping

from ..core.rows.columns import QRELS, RUN, Chosen, Role, chosen_columns
from ..errors import GradedError
from ..files.conversion import KEPT, MERGES, one_intent, read_rows, written
from ..output.files import write_files
from .arguments import FORM
from .parser import Arguments, Option, each
from .results import check_files

USAGE = "%(prog)s IN OUT [options]"


def _known(path: str | None) -> list[str]:
    """The file that a path names before IN is read; the name of a run may be missing."""
    return [path] if path and path != "-" and "{run}" not in path else []


OPTIONS = (
    Option("source", "file of qrels or of a run; - is standard input", heading="IN", reads=each),
    Option(
        "target",
        ".run, .qrels, .trec, .txt, .tsv, .csv, .parquet or .json file, perhaps .gz; - is standard output",
        heading="OUT",
        optional=True,
        writes=_known,
    ),
    Option("-o --output FILE", "the same as OUT", writes=_known),
    Option("--qrels", "IN has qrels"),
    Option("--run", "IN has a run"),
    Option("--intents", "qrels: level of a document that several intents or judges judged", choices=MERGES),
    Option("--duplicates ROW", "run: row to keep of a repeated document", choices=KEPT),
    *FORM,
)


def run(arguments: Arguments) -> list[str]:
    """Convert qrels or a run from any form to TREC, CSV, TSV, Parquet or JSON.

    The content of IN determines its form, as for all commands. One line tells what was read. Ids are written
    as they are, and numbers exactly. The rows of a topic stand together; TREC runs are sorted by rank. If IN
    has several runs, a table gets the column run; for other forms, {run} in OUT stands for each name.

      ir_measures_graded convert bm25.json bm25.run.gz
      ir_measures_graded convert qrels.tsv qrels.txt
      ir_measures_graded convert my-run.csv my-run.parquet --columns topic=q,document=id,score=points
    """
    target = arguments.target or arguments.output
    if target is None or (arguments.target and arguments.output):
        raise GradedError("convert writes one file; give IN and OUT, or IN -o OUT")
    columns = chosen_columns(arguments.columns) if arguments.columns else {}
    chosen = Chosen(arguments.run_column, columns)
    if arguments.qrels and arguments.run:
        raise GradedError("--qrels and --run exclude each other")
    told = QRELS if arguments.qrels else RUN if arguments.run else None
    role = told or _role(columns, target)
    rows = read_rows(arguments.source, role, chosen, arguments.duplicates)
    summary = rows.summary()
    if arguments.intents:
        if rows.role is RUN:
            raise GradedError("--intents applies to qrels, and this is a run")
        rows = one_intent(rows, arguments.intents)
    contents = written(rows, target)
    if target == "-":
        print(summary, file=sys.stderr)
        return contents["-"].decode().split("\n")[:-1]
    check_files(arguments, [path for path in contents if path != target])
    write_files(contents)
    return [summary]


def _role(columns: Mapping[str, str], target: str) -> Role | None:
    """Whether the names of columns or the ending of the target tell qrels or a run."""
    if "relevance" in columns or ".qrels" in target.lower():
        return QRELS
    return RUN if columns.keys() & {"score", "rank"} or ".run" in target.lower() else None
