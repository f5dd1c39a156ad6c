"""Arguments that several commands share: qrels, runs and measures as they are named on the command line."""

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
"""A function that declares arguments, and one, whose docstring is the help, that turns them into lines."""


def add_collection(parser: argparse.ArgumentParser, inputs: str, help: str) -> None:
    """The arguments that name qrels and runs, for `runs_of`."""
    parser.add_argument("qrels", metavar="QRELS", help="a file in TREC's form (.gz too) or an ir-datasets id")
    parser.add_argument("inputs", metavar=inputs, nargs="*", help=help)
    parser.add_argument("--scoreddocs", action="store_true", help="evaluate the collection's own run (too)")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """The option for the number of processes."""
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="processes that share the runs; default: the cores, if it pays",
    )


def _jobs(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it is a whole number ≥ 1")
    return int(text)


def add_places(parser: argparse.ArgumentParser) -> None:
    """The option for decimal places."""
    parser.add_argument(
        "-p", "--places", type=_places, default=PLACES, help="decimal places, -1: all; default: 4"
    )


def _places(text: str) -> int:
    if not re.fullmatch(r"-1|\d{1,2}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it is -1 (all) or 0 to 99")
    return int(text)


def add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """The option that chooses the output format; the first is the default."""
    parser.add_argument(
        "-o", "--output_format", choices=formats, default=formats[0], help=f"default: {formats[0]}"
    )


def bars() -> bool:
    """Whether to show progress bars: only on a terminal, and only if tqdm is installed."""
    return sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None


def runs_of(arguments: argparse.Namespace, paths: Sequence[str]) -> list[tuple[str, Any]]:
    """Each of these files under its run's name, and with --scoreddocs the collection's own run."""
    if not paths and not arguments.scoreddocs:
        raise GradedError("no run is given; name one or more files, or - for standard input")
    if [arguments.qrels, *paths].count("-") > 1:
        raise GradedError("standard input (-) can be read once only")
    runs: list[tuple[str, Any]] = list(zip(_names(paths), paths))
    if arguments.scoreddocs:
        runs.append(("scoreddocs", scoreddocs_of(arguments.qrels)))
    return runs


def files_and_measures(inputs: Iterable[str]) -> tuple[list[str], list[Measure]]:
    """Existing files are runs, the rest names measures. Raises `GradedError` for what is neither."""
    files: list[str] = []
    measures: list[Measure] = []
    for text in inputs:
        if text == "-" or (os.path.exists(text) and not os.path.isdir(text)):
            files.append(text)
        else:
            measures += _measures_in(text.strip())
    return files, list(dict.fromkeys(measures))


def _measures_in(text: str) -> list[Measure]:
    """The measures that an argument names: one, or several separated by blanks."""
    try:
        return [checked(parse_measure(text))]
    except GradedError as error:
        words = re.findall(r"(?:[^\s(]|\([^)]*\)?)+", text)  # blanks in brackets separate nothing
        if len(words) < 2:
            raise _neither_file_nor_measure(text, error) from None
        return [measure for word in words for measure in _measures_in(word)]


def _neither_file_nor_measure(text: str, error: GradedError) -> GradedError:
    """What to say of an argument that is no file and, because of `error`, no measure."""
    name = re.match(r"\w*", text)
    if os.path.isdir(text):
        return GradedError(f"{text!r} is a directory; a run is a file")
    if "(" not in text and re.search(r"[/\\]|\.[A-Za-z]\w*$", text):
        return GradedError(f"{text!r} is neither a file nor a measure: there is no such file")
    if isinstance(error, UnknownMeasureError) or not name or name[0] not in registry():
        return GradedError(f"{text!r} is neither a file nor a measure: {error}")
    return error


def _names(paths: Sequence[str]) -> list[str]:
    """File names, or whole paths where file names are not enough."""
    names = [os.path.basename(path) for path in paths]
    return [path if names.count(name) > 1 else name for name, path in zip(names, paths)]
