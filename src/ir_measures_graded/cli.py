"""The command line: arguments in, calls to the rest of the package, lines of text out.

A command is two functions: one declares its arguments, the other, whose docstring is its help, turns
them into lines. `COMMANDS` names them. Nothing is printed before everything is computed, so that a
mistake never leaves half a table behind.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NoReturn

import ir_measures
from ir_measures import Measure

from . import __version__, cli_analysis, cli_comparisons, plugins
from .arguments import add_collection, add_jobs, add_places, files_and_measures, runs_of
from .errors import GradedError
from .evaluation import Result, Run, evaluate
from .listing import better, facts_of, page
from .notation import parse_measure
from .tables import FORMATS, PLACES

PROGRAM = "ir_measures_graded"
EXAMPLE = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    0: all is well. 2: what the user gave cannot be used, as one message on standard error says. 130
    and 141, as shells report them: interrupted, and the reader of the output is gone.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            lines = _lines(argv)
        return _write(lines)
    except (GradedError, Warning) as error:  # a warning: under python -W error
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130


def _lines(argv: Sequence[str] | None) -> list[str]:
    """All that the command has to say."""
    try:
        arguments = _parse(argv)
    except SystemExit:  # --help and --version, which have said it
        return []
    return list(arguments.run(arguments))


def _write(lines: Iterable[str]) -> int:
    """Print; returns the exit status."""
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")  # where a terminal has no Σ
        for line in lines:
            print(line)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()
        return 141
    except OSError as error:
        _abandon_output()
        return _fail(f"cannot write the output: {error.strerror or error}")
    return 0


def _fail(message: str) -> int:
    print(f"{PROGRAM}: error: {message}", file=sys.stderr)
    return 2


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"{PROGRAM}: warning: {message}", file=sys.stderr)


def _abandon_output() -> None:
    """Send what is still buffered nowhere; the interpreter would fail on it again when it ends."""
    with suppress(OSError, ValueError):  # where standard output is no real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---------------------------------------------------------------------------------- arguments


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are the package's."""

    def error(self, message: str) -> NoReturn:
        raise GradedError(f"{message} (see {self.prog} --help)")


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog=PROGRAM,
        description="Graded relevance measures beside those of ir-measures.",
        epilog=f"To see it at work: {PROGRAM} demo",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (declare, run) in COMMANDS.items():
        about = inspect.getdoc(run) or ""
        command = commands.add_parser(
            name,
            help=about.partition("\n")[0],
            description=about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        declare(command)
        command.set_defaults(run=run, parser=command)
    arguments, rest = parser.parse_known_args(argv)
    # argparse takes positional arguments in one piece and leaves over those that follow an option.
    if any(word.startswith("-") and word != "-" for word in rest) or (rest and "inputs" not in arguments):
        arguments.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        arguments.inputs += rest
    return arguments


def _add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """The option that chooses the form of the output; the first is the default."""
    parser.add_argument(
        "-o", "--output_format", choices=formats, default=formats[0], help=f"default: {formats[0]}"
    )


# ----------------------------------------------------------------------------------- evaluate


def _evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    providers = tuple(ir_measures.providers.registry)
    add_collection(parser, "RUN|MEASURE", "run files in TREC's form; measures")
    parser.add_argument("-q", "--by_query", action="store_true", help="also each topic's values")
    parser.add_argument("-n", "--no_summary", action="store_true", help="with -q: without the means")
    add_places(parser)
    _add_format(parser, "tsv", "jsonl", "markdown")
    add_jobs(parser)
    parser.add_argument(
        "--provider",
        choices=providers,
        metavar="NAME",
        help=f"compute with one of {', '.join(providers)} only",
    )


def _evaluate(arguments: argparse.Namespace) -> Iterator[str]:
    """Evaluate runs against qrels.

    Whatever follows QRELS is a run where it is an existing file (or -, standard input), else a measure.
    One run gives the output of the ir_measures command; several, one table with a row a run.

      ir_measures_graded evaluate qrels.txt run.txt "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" nDCG@10 AP
      ir_measures_graded evaluate qrels.txt runs/*.gz nCG@100 muAP -o markdown
      ir_measures_graded evaluate graded-demo --scoreddocs nDCG_JK@10 Q
    """
    form, by_query = arguments.output_format, arguments.by_query
    paths, measures = files_and_measures(arguments.inputs)
    if not measures:
        raise GradedError(f"no measure is given; name one or more, such as {EXAMPLE}")
    if arguments.no_summary and not by_query:
        raise GradedError("--no_summary (-n) goes only with --by_query (-q)")
    runs = runs_of(arguments, paths)
    if form == "jsonl" and arguments.places != PLACES:
        print("--places is ignored when using --output jsonl", file=sys.stderr)

    results = evaluate(arguments.qrels, runs, measures, arguments.provider, by_query, arguments.jobs)

    like_ir_measures = len(runs) == 1 and form != "markdown"
    view = _list_of_values if like_ir_measures else _table_of_runs
    columns, rows = view(results, measures, by_query, not arguments.no_summary)
    lines = FORMATS[form](columns, rows, arguments.places)
    if like_ir_measures and form == "tsv":
        next(lines)  # which has no line of column names
    return lines


_Table = tuple[list[str], list[Sequence[Any]]]


def _list_of_values(
    results: Sequence[Result], measures: Sequence[Measure], by_query: bool, summary: bool
) -> _Table:
    """One run as the ir_measures command has it: a row a value."""
    (result,) = results
    rows = [(topic, str(measure), value) for topic, measure, value in result.metrics]
    if summary:
        rows += [("all", str(measure), result.summary[measure]) for measure in measures]
    columns = ["query_id", "measure", "value"]
    return (columns, [*rows]) if by_query else (columns[1:], [row[1:] for row in rows])


def _table_of_runs(
    results: Sequence[Result], measures: Sequence[Measure], by_query: bool, summary: bool
) -> _Table:
    """A row a run, or a row a run and topic; a column a measure."""
    rows: list[Sequence[Any]] = []
    for result in results:
        topics: dict[str, dict[Measure, float]] = {}
        for topic, measure, value in result.metrics:
            topics.setdefault(topic, {})[measure] = value
        over_all = [("all", result.summary)] if summary else []
        for topic, values in [*topics.items(), *over_all]:
            head = [result.name, topic] if by_query else [result.name]
            rows.append([*head, *map(values.get, measures)])
    return ["run", *(["query_id"] if by_query else []), *map(str, measures)], rows


# ----------------------------------------------------------------------------------- measures


def _measures_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="a measure to describe in full")
    _add_format(parser, "text", "tsv", "jsonl", "markdown")


def _measures(arguments: argparse.Namespace) -> Iterable[str]:
    """List the graded measures, or describe measures in full.

    ir_measures_graded measures
    ir_measures_graded measures nDCG_JK muAP AP
    """
    form = arguments.output_format
    if arguments.names:
        measures = [parse_measure(name) for name in arguments.names]
    else:
        measures = [measure for plugin in plugins.plugins() for measure in plugin.measures]
    if form == "text" and arguments.names:
        return "\n\n\n".join("\n".join(page(measure)) for measure in measures).splitlines()
    all_facts = [facts_of(measure) for measure in measures]
    if form == "jsonl":
        return FORMATS["jsonl"](list(all_facts[0]), [list(facts.values()) for facts in all_facts])
    columns = ["measure", "aliases", "what it is", "better", "from"]
    rows = [
        (facts["name"], ", ".join(facts["aliases"]), facts["title"], better(facts), facts["origin"])
        for facts in all_facts
    ]
    hint = ["", f"All about one of them: {PROGRAM} measures nDCG_JK"] if form == "text" else []
    return chain(FORMATS[form](columns, rows), hint)


# ----------------------------------------------------------------------------- plugins, demo


def _plugins_arguments(parser: argparse.ArgumentParser) -> None:
    _add_format(parser, "text", "tsv", "jsonl", "markdown")


def _plugins(arguments: argparse.Namespace) -> Iterator[str]:
    """List the distributions that bring measures, ours first, and what became of them."""
    columns = ["distribution", "version", "plugin", "measures", "status"]
    rows = []
    for plugin in plugins.plugins():
        names: Any = [measure.NAME for measure in plugin.measures]
        if arguments.output_format != "jsonl":
            names = ", ".join(names)
        rows.append((plugin.distribution, plugin.version, plugin.name, names, plugin.status))
    return FORMATS[arguments.output_format](columns, rows)


DEMO_MEASURES = (
    "nCG(gains=0:0,1:1,2:1,3:1)@100",
    "nCG(gains=0:0,1:1,2:10,3:100)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:1,3:1)@100",
    "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100",
    "nDCG@100",
    "AP",
)


def _demo_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def _demo(arguments: argparse.Namespace) -> Iterator[str]:
    """Evaluate the five runs of the collection in the box, and say what to run next."""
    from .demo import NAME, qrels_path, run_paths

    paths = run_paths()
    runs = [Run.of_file(name, path) for name, path in paths.items()]
    measures = [parse_measure(text) for text in DEMO_MEASURES]
    results = evaluate(str(qrels_path()), runs, measures, None, by_query=False)
    rows = [
        [text, *(result.summary[measure] for result in results)]
        for text, measure in zip(DEMO_MEASURES, measures)
    ]
    yield f"{NAME}: 20 topics, levels 0 to 3, five runs. Which is best depends on what a level is worth:"
    yield "gains 0-1-1-1 count every relevant document alike, 0-1-10-100 the highly relevant most."
    yield ""
    yield from FORMATS["text"](["measure", *paths], rows)
    yield ""
    yield "Next:"
    yield f'  {PROGRAM} evaluate {NAME} --scoreddocs "{EXAMPLE}" nDCG@10 AP'
    yield f'  {PROGRAM} evaluate {NAME} "{paths["D"]}" "{paths["E"]}" "{EXAMPLE}" muAP -o markdown'
    yield f"  {PROGRAM} measures"
    yield f"  {PROGRAM} evaluate --help"


Command = tuple[Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], Iterable[str]]]
COMMANDS: dict[str, Command] = {
    "evaluate": (_evaluate_arguments, _evaluate),
    "measures": (_measures_arguments, _measures),
    **cli_analysis.COMMANDS,
    **cli_comparisons.COMMANDS,
    "plugins": (_plugins_arguments, _plugins),
    "demo": (_demo_arguments, _demo),
}
