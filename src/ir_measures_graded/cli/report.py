"""The command `report`."""

from ..analysis.report import pages
from ..analysis.report.report import MEASURES, TITLE, report
from ..errors import GradedError
from .arguments import VALUES, add_alpha, add_collection, given, options
from .parser import Namespace, Parser
from .results import command_line

ENDINGS = (".html", ".htm")


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser, VALUES, sessions=True)
    parser.usage = (
        "%(prog)s QRELS RUN… [MEASURE…] [options]\n       %(prog)s --values FILE [RUN…] [MEASURE…] [options]"
    )
    parser.option("--baseline RUN", "compare the other runs with this run; default: the first")
    what = "query texts, one line per topic: TOPIC, a tab, the text; default: those of the collection"
    parser.option("--queries FILE", what)
    what = "qrels of a machine judge, compared with QRELS; repeatable"
    parser.option("--judge FILE", what, repeated=True)
    parser.option("--title TITLE", f"title of the page; default: {TITLE}", default=TITLE)
    add_alpha(parser)
    for accepted in ("--resamples", "--seed"):  # no test of the report is random any more
        parser.option(accepted, None, type=int)
    parser.option("-o --output FILE", "file of the page; default: report.html", default="report.html")


def run(arguments: Namespace) -> list[str]:
    """Write a report on the runs as one HTML page.

    The page shows the best runs with tests of their differences, the data, curves, the values and rankings of
    each topic, the order of the runs under other gains, and the method. It is a single file and needs no
    network. The default measures are nDCG_JK@10, ERR_G@10 and Q. Curves, topics, rankings and the order under
    other gains use the first graded measure. With more than 250 topics, the page shows those in which the
    runs differ most. The command needs the extra report.

      ir_measures_graded report qrels.txt runs/*.gz nDCG_JK@10 AP -o report.html
      ir_measures_graded report qrels.txt runs/*.gz --baseline bm25 --queries queries.tsv
    """
    path = arguments.output
    if not path.lower().endswith(ENDINGS):
        raise GradedError(f"cannot write {path!r}: a report is a page, and its file ends in .html")
    pages.need_jinja()
    found = report(
        *given(arguments, MEASURES),
        machines=arguments.judge,
        command=command_line(arguments),
        **options(arguments, "baseline", "alpha", "title", "queries", "by", "progress"),
    )
    found.write(path)
    return [f"{path}: {found.summary}"]
