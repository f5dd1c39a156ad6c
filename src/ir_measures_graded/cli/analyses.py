"""The commands over `ir_measures_graded.analysis`: two functions each, as `ir_measures_graded.cli` has them.

Nothing is written before everything is computed: first the figure, whole, then the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..output.formats import FORMATS, rows_of
from .arguments import Command, add_collection, add_places, bars, runs_of


def add_output(parser: argparse.ArgumentParser, figure: str | None = None) -> None:
    """The options for what comes out: the table's form and, where there is a figure, its file."""
    if figure is not None:
        parser.add_argument(
            "-o", "--output", metavar="FILE", help=f"also draw {figure}: FILE ends in .png, .svg or .pdf"
        )
    parser.add_argument("-f", "--format", choices=FORMATS, default="text", help="of the table; default: text")
    add_places(parser)


def printed(arguments: argparse.Namespace, table: tuple[list[str], list[list[Any]]]) -> Iterator[str]:
    """A table in the form that was asked for."""
    return FORMATS[arguments.format](*table, arguments.places)


# ----------------------------------------------------------------------------- curves, effort


def _add_curves(parser: argparse.ArgumentParser) -> None:
    add_collection(parser, "RUN", "run files in TREC's form")
    parser.add_argument(
        "--measure", metavar="MEASURE", required=True, help="any measure that takes a cutoff, without it"
    )
    parser.add_argument("--depth", type=int, help="the last rank; default: 100")
    parser.add_argument(
        "--normalise",
        choices=("topics", "averages"),
        default="topics",
        help="average the topics' curves (default), or divide the mean vector by the mean ideal vector",
    )


def _curves_arguments(parser: argparse.ArgumentParser) -> None:
    _add_curves(parser)
    parser.add_argument(
        "--ideal",
        action=argparse.BooleanOptionalAction,
        help="also the curve of the ideal list; default: for CG and DCG_JK",
    )
    parser.add_argument(
        "--confidence",
        type=float,
        metavar="LEVEL",
        help="bands of that confidence, such as 0.95, by the bootstrap over topics",
    )
    parser.add_argument("--resamples", type=int, default=1000, help="of the bootstrap; default: 1000")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap; default: 0")
    add_output(parser, "the curves")


def _curves(arguments: argparse.Namespace) -> Iterator[str]:
    """Draw a measure at every rank, averaged over topics, a line a run.

    The table has a row a rank and a column a run.

      ir_measures_graded curves qrels.txt runs/*.gz --measure "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)" -o n.svg
      ir_measures_graded curves qrels.txt a.run b.run --measure P --depth 20 --confidence 0.95 -o P.png
      ir_measures_graded curves graded-demo --scoreddocs --measure CG --depth 10 -f markdown
    """
    from ..analysis import curves, plots

    if arguments.output is not None:
        plots.check(arguments.output)
    found = curves(
        arguments.qrels,
        runs_of(arguments, arguments.inputs),
        arguments.measure,
        arguments.depth,
        normalise=arguments.normalise,
        ideal=arguments.ideal,
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
        progress=bars(),
    )
    lines = list(printed(arguments, found.table()))
    if arguments.output is not None:
        plots.save(found.figure(), arguments.output)
    return iter(lines)


def _effort_arguments(parser: argparse.ArgumentParser) -> None:
    _add_curves(parser)
    parser.add_argument(
        "--at", type=whole_numbers, default=[5, 10, 20], metavar="RANK,…", help="the ranks; default: 5,10,20"
    )
    parser.add_argument("--of", metavar="RUN", help="the run to be reached; default: the ideal list")
    add_output(parser)


def whole_numbers(text: str) -> list[int]:
    """An option's whole numbers, separated by commas."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed; it is whole numbers separated by commas, as in 5,10,20"
        ) from None


def _effort(arguments: argparse.Namespace) -> Iterator[str]:
    """Show at which rank each run reaches what the ideal list gives much earlier.

    The horizontal reading of curves: for each run the first rank at which its mean curve reaches the value
    of the ideal curve, or of a named run's, at each of some ranks.

      ir_measures_graded effort qrels.txt runs/*.gz --measure "CG(gains=0:0,1:1,2:10,3:100)" --at 5,10
      ir_measures_graded effort qrels.txt a.run b.run --measure DCG_JK --at 10 --of b.run -f csv
    """
    from ..analysis import curves, effort

    found = effort(
        curves(
            arguments.qrels,
            runs_of(arguments, arguments.inputs),
            arguments.measure,
            arguments.depth,
            normalise=arguments.normalise,
            ideal=arguments.of is None,
            progress=bars(),
        ),
        arguments.at,
        arguments.of,
    )
    for_people = arguments.format in ("text", "markdown", "latex")
    return printed(arguments, found.table() if for_people else rows_of(found.records()))


COMMANDS: dict[str, Command] = {
    "curves": (_curves_arguments, _curves),
    "effort": (_effort_arguments, _effort),
}
