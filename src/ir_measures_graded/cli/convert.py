"""The command `convert`."""

import sys
from collections.abc import Mapping

from ..core.rows.columns import QRELS, RUN, Chosen, Role, chosen_columns
from ..errors import GradedError
from ..files.conversion import MERGES, one_intent, read_rows, written
from ..output.files import write_files
from .arguments import add_form
from .parser import Namespace, Parser
from .results import refuse_inputs


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s IN OUT [options]"
    parser.add_argument("source", metavar="IN", help="file of qrels or of a run; - is standard input")
    parser.add_argument(
        "target",
        metavar="OUT",
        help="file to write; its ending chooses the form: .run, .qrels, .trec or .txt (TREC), .tsv, .csv, "
        ".parquet or .json, and .gz after any; - is standard output, as TREC",
    )
    role = parser.add_mutually_exclusive_group()
    role.add_argument("--qrels", dest="role", action="store_const", const=QRELS, help="IN has qrels")
    role.add_argument("--run", dest="role", action="store_const", const=RUN, help="IN has a run")
    parser.option(
        "--rows LABELS",
        "file of LETOR; IN has a score for each of its lines, or is the same file to get its qrels; a "
        "line names its document after #, or else its number does",
    )
    parser.option("--part PART", "part of a file of several parts, such as default/test")
    what = "qrels: level of a document that several intents or judges judged"
    parser.option("--intents", what, choices=MERGES)
    add_form(parser)


def run(arguments: Namespace) -> list[str]:
    """Convert qrels or a run from any form to TREC, CSV, TSV, Parquet or JSON.

    The content of IN determines its form, as for all commands. One line tells what was read. Ids are written
    as they are, and numbers exactly. The rows of a topic stand together; TREC runs are sorted by rank. If IN
    has several runs, a table gets the column run; for other forms, {run} in OUT stands for each name.

      ir_measures_graded convert bm25.json bm25.run.gz
      ir_measures_graded convert qrels.tsv qrels.txt
      ir_measures_graded convert my-run.csv my-run.parquet --columns topic=q,document=id,score=points
    """
    columns = chosen_columns(arguments.columns) if arguments.columns else {}
    chosen = Chosen(arguments.run_column, columns, arguments.part)
    role = arguments.role or _role(columns, arguments.target)
    rows = read_rows(arguments.source, role, chosen, arguments.duplicates, arguments.rows)
    summary = rows.summary()
    if arguments.intents:
        if rows.role is RUN:
            raise GradedError("--intents applies to qrels, and this is a run")
        rows = one_intent(rows, arguments.intents)
    contents = written(rows, arguments.target)
    if arguments.target == "-":
        print(summary, file=sys.stderr)
        return contents["-"].decode().split("\n")[:-1]
    refuse_inputs(arguments, [path for path in contents if path != arguments.target])
    write_files(contents)
    return [summary]


def _role(columns: Mapping[str, str], target: str) -> Role | None:
    """Whether the names of columns or the ending of the target tell qrels or a run."""
    if "relevance" in columns or ".qrels" in target.lower():
        return QRELS
    return RUN if columns.keys() & {"score", "rank"} or ".run" in target.lower() else None
