"""Arguments that several commands share: qrels, runs, measures and common options."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from typing import Any

from ir_measures import Measure

from ..errors import GradedError, UnknownMeasureError
from ..inputs.sources import scoreddocs_of
from ..output.formats import PLACES
from ..registry.names import registry
from ..registry.notation import checked, parse_measure

PROGRAM = "ir_measures_graded"
EXAMPLE = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"

Command = tuple[Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], Iterable[str]]]
"""A function that declares the arguments, and a function that turns them into lines of output.

The docstring of the second function is the help of the command."""


def add_collection(parser: argparse.ArgumentParser, inputs: str, help: str) -> None:
    """Add the arguments that name qrels and runs; `runs_of` reads them."""
    parser.add_argument(
        "qrels", metavar="QRELS", help="qrels file in TREC format (may be gzipped) or ir-datasets id"
    )
    parser.add_argument("inputs", metavar=inputs, nargs="*", help=help)
    parser.add_argument(
        "--scoreddocs", action="store_true", help="include the run that the ir-datasets collection carries"
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the option for the number of worker processes."""
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="worker processes; default: one per core when that is faster",
    )


def _jobs(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give a whole number ≥ 1")
    return int(text)


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the option for decimal places."""
    parser.add_argument(
        "-p", "--places", type=_places, default=PLACES, help="decimal places, -1 for all; default: 4"
    )


def _places(text: str) -> int:
    if not re.fullmatch(r"-1|\d{1,2}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give 0 to 99, or -1 for all")
    return int(text)


def add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Add the option for the output format; the first format is the default."""
    parser.add_argument(
        "-o", "--output_format", choices=formats, default=formats[0], help=f"default: {formats[0]}"
    )


def bars() -> bool:
    """Whether to show progress bars: stderr is a terminal and tqdm is installed."""
    return sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None


def runs_of(arguments: argparse.Namespace, paths: Sequence[str]) -> list[tuple[str, Any]]:
    """Names and run files, and with --scoreddocs the run that the collection carries."""
    if not paths and not arguments.scoreddocs:
        raise GradedError("no run is given; pass one or more run files, or - for standard input")
    if [arguments.qrels, *paths].count("-") > 1:
        raise GradedError("standard input (-) can be read only once")
    runs: list[tuple[str, Any]] = list(zip(_names(paths), paths))
    if arguments.scoreddocs:
        runs.append(("scoreddocs", scoreddocs_of(arguments.qrels)))
    return runs


def files_and_measures(inputs: Iterable[str]) -> tuple[list[str], list[Measure]]:
    """Split arguments into run files, which exist, and measures. Raises `GradedError` for anything else."""
    files: list[str] = []
    measures: list[Measure] = []
    for text in inputs:
        if text == "-" or (os.path.exists(text) and not os.path.isdir(text)):
            files.append(text)
        else:
            measures += _measures_in(text.strip())
    return files, list(dict.fromkeys(measures))


def _measures_in(text: str) -> list[Measure]:
    """The measures in an argument, which blanks separate."""
    try:
        return [checked(parse_measure(text))]
    except GradedError as error:
        words = re.findall(r"(?:[^\s(]|\([^)]*\)?)+", text)  # blanks in brackets do not separate measures
        if len(words) < 2:
            raise _neither_file_nor_measure(text, error) from None
        return [measure for word in words for measure in _measures_in(word)]


def _neither_file_nor_measure(text: str, error: GradedError) -> GradedError:
    """The message about an argument that is not a file and, because of `error`, not a measure."""
    name = re.match(r"\w*", text)
    if os.path.isdir(text):
        return GradedError(f"{text!r} is a directory; pass run files, for example {os.path.join(text, '*')}")
    if "(" not in text and re.search(r"[/\\]|\.[A-Za-z]\w*$", text):
        return GradedError(f"file not found: {text!r}")
    if isinstance(error, UnknownMeasureError) or not name or name[0] not in registry():
        return GradedError(f"{text!r} is neither a file nor a measure: {error}")
    return error


def _names(paths: Sequence[str]) -> list[str]:
    """File names, or full paths where two file names are equal."""
    names = [os.path.basename(path) for path in paths]
    return [path if names.count(name) > 1 else name for name, path in zip(names, paths)]
