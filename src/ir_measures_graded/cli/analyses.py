"""The commands `curves` and `effort`.

A command computes everything before it writes anything: first the figure, then the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..output.formats import FORMATS, rows_of
from .arguments import Command, add_collection, add_places, bars, runs_of


def add_output(parser: argparse.ArgumentParser, figure: str | None = None) -> None:
    """The options for the output: the table format and, for a command with a figure, the file."""
    if figure is not None:
        parser.add_argument(
            "-o", "--output", metavar="FILE", help=f"also draw {figure} to FILE (.png, .svg or .pdf)"
        )
    parser.add_argument("-f", "--format", choices=FORMATS, default="text", help="table format; default: text")
    add_places(parser)


def printed(arguments: argparse.Namespace, table: tuple[list[str], list[list[Any]]]) -> Iterator[str]:
    """The lines of a table in the chosen format."""
    return FORMATS[arguments.format](*table, arguments.places)


# ----------------------------------------------------------------------------- curves, effort


def _add_curves(parser: argparse.ArgumentParser) -> None:
    add_collection(parser, "RUN", "run files in TREC format")
    parser.add_argument(
        "--measure",
        metavar="MEASURE",
        required=True,
        help="a measure with a cutoff parameter, given without it",
    )
    parser.add_argument("--depth", type=int, help="last rank; default: 100")
    parser.add_argument(
        "--normalise",
        choices=("topics", "averages"),
        default="topics",
        help="average normalised curves (default), or divide the mean curve by the mean ideal curve",
    )


def _curves_arguments(parser: argparse.ArgumentParser) -> None:
    _add_curves(parser)
    parser.add_argument(
        "--ideal",
        action=argparse.BooleanOptionalAction,
        help="add the curve of the ideal list; default: only for CG and DCG_JK",
    )
    parser.add_argument(
        "--confidence",
        type=float,
        metavar="LEVEL",
        help="add bootstrap confidence bands over topics, for example 0.95",
    )
    parser.add_argument(
        "--resamples", type=int, default=1000, help="number of bootstrap resamples; default: 1000"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the bootstrap; default: 0")
    add_output(parser, "the curves")


def _curves(arguments: argparse.Namespace) -> Iterator[str]:
    """Show a measure at every rank, averaged over topics.

    The table has one row per rank and one column per run.

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
        "--at",
        type=whole_numbers,
        default=[5, 10, 20],
        metavar="RANK,…",
        help="ranks of the reference curve; default: 5,10,20",
    )
    parser.add_argument("--of", metavar="RUN", help="reference run; default: the ideal list")
    add_output(parser)


def whole_numbers(text: str) -> list[int]:
    """The whole numbers of an option, which commas separate."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed; give whole numbers separated by commas, as in 5,10,20"
        ) from None


def _effort(arguments: argparse.Namespace) -> Iterator[str]:
    """Show at which rank each run reaches the value that the ideal list has much earlier.

    Effort reads curves horizontally: it finds the first rank at which the mean curve of a run reaches the
    value of the ideal curve, or of another run, at the given ranks.

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
