"""The commands that compare runs, weightings and measures: `compare`, `sensitivity` and `swaps`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from ..analysis.swaps import LEVELS, MEASURES
from ..errors import GradedError
from ..output.formats import rows_of
from ..ranking.gains import PRESETS, GainMap, plain_number
from .analyses import add_output, printed, whole_numbers
from .arguments import Command, add_collection, add_jobs, bars, files_and_measures, runs_of

ROOM = 5  # runs that fit side by side


def _for_people(arguments: argparse.Namespace) -> bool:
    return arguments.format in ("text", "markdown", "latex")


def _compare_arguments(parser: argparse.ArgumentParser) -> None:
    add_collection(parser, "RUN|MEASURE", "run files in TREC's form; measures")
    parser.add_argument("--baseline", metavar="RUN", help="test the others against this one too")
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="P", help="significant below it; default: 0.05"
    )
    parser.add_argument(
        "--permutations", type=int, default=10_000, metavar="N", help="of Tukey HSD; default: 10000"
    )
    parser.add_argument("--seed", type=int, default=0, help="of Tukey HSD; default: 0")
    parser.add_argument(
        "--by_run", action="store_true", help=f"a row a run; default with more than {ROOM} runs"
    )
    add_jobs(parser)
    add_output(parser, "which runs are better than which")


def _compare(arguments: argparse.Namespace) -> Iterator[str]:
    """Test whether runs differ: Friedman, Conover, ANOVA, Tukey HSD, t and Wilcoxon.

    As text, markdown and latex: the means and what is significant, "D, E > A**" (** p < 0.01, * p < 0.05).
    Conover's comparisons follow a significant Friedman test, uncorrected as in Conover (1980); Tukey HSD is
    corrected for the number of runs, t and Wilcoxon (Holm) for that of the runs beside the baseline.
    With a row a run, the runs have letters; under a test stand those that it finds the run better than.
    As tsv, csv and jsonl: every test with statistic, p-value and effect size, after the means.

      ir_measures_graded compare qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" AP
      ir_measures_graded compare qrels.txt a.run b.run c.run nCG@100 --baseline a.run -f latex
      ir_measures_graded compare qrels.txt runs/*.gz muAP -f jsonl -o muAP.png
    """
    from ..analysis import compare, plots

    if arguments.output is not None:
        plots.check(arguments.output)
    arguments.inputs, measures = files_and_measures(arguments.inputs)
    runs, baseline = runs_of(arguments, arguments.inputs), arguments.baseline
    if baseline is not None and baseline not in dict(runs):
        baseline = os.path.basename(baseline)
    found = compare(
        arguments.qrels,
        runs,
        measures,
        baseline=baseline,
        alpha=arguments.alpha,
        permutations=arguments.permutations,
        seed=arguments.seed,
        progress=bars(),
        jobs=arguments.jobs,
    )
    by_run = arguments.by_run or len(found.runs) > ROOM
    table = found.table_by_run() if by_run else found.table()
    lines = list(printed(arguments, table if _for_people(arguments) else rows_of(found.records())))
    if arguments.output is not None:
        plots.save(found.figure(), arguments.output)
    return iter(lines)


def _sensitivity_arguments(parser: argparse.ArgumentParser) -> None:
    add_collection(parser, "RUN", "run files in TREC's form")
    parser.add_argument("--measure", metavar="MEASURE", action="append", required=True, help="repeatable")
    parser.add_argument(
        "--gains",
        metavar="NAME=LEVEL:GAIN,…",
        type=_weighting,
        action="append",
        default=[],
        help=f"a weighting, repeatable; for levels 0 to 3 by name alone: {', '.join(PRESETS)}",
    )
    parser.add_argument(
        "--cutoffs", metavar="K,…", type=whole_numbers, default=[], help="cutoffs of the measures, as 10,100"
    )
    parser.add_argument(
        "--table",
        choices=("tau", "ranks", "means"),
        default="tau",
        help="the agreement of the orders (default), the ranks, or means and ranks of the runs",
    )
    parser.add_argument("--ranks", metavar="FILE", help="also draw how the ranks change")
    add_jobs(parser)
    add_output(parser, "the agreement of the orders")


def _sensitivity(arguments: argparse.Namespace) -> Iterator[str]:
    """Show how the order of the runs depends on measure, weighting and cutoff.

    Ranks the runs under every measure × cutoff × weighting and correlates every two of the orders: Kendall's
    τ, marked below .9 and below .8. As tsv, csv and jsonl also which runs change places.
    A measure that names its gains or cutoff itself keeps them.

      ir_measures_graded sensitivity qrels.txt runs/*.gz --measure nDCG_JK --gains w1 --gains w10 --cutoffs 10
      ir_measures_graded sensitivity qrels.txt runs/*.gz --measure P@10 --measure nDCG_JK@10 \\
          --gains flat=1:1,2:1 --gains steep=1:1,2:10 -o tau.svg --ranks ranks.svg
    """
    from ..analysis import plots, sensitivity

    figures = {"heat_map": arguments.output, "rank_changes": arguments.ranks}
    for path in filter(None, figures.values()):
        plots.check(path)
    names = [name for name, _ in arguments.gains]
    for name in names:
        if names.count(name) > 1:
            raise GradedError(f"two weightings are named {name!r}; give each a name of its own")
    found = sensitivity(
        arguments.qrels,
        runs_of(arguments, arguments.inputs),
        arguments.measure,
        gains=dict(arguments.gains),
        cutoffs=arguments.cutoffs,
        progress=bars(),
        jobs=arguments.jobs,
    )
    agreement = found.table if _for_people(arguments) else lambda: rows_of(found.records())
    table = {"tau": agreement, "ranks": found.rank_table, "means": found.value_table}[arguments.table]
    lines = list(printed(arguments, table()))
    for draw, path in figures.items():
        if path is not None:
            plots.save(getattr(found, draw)(), path)
    return iter(lines)


def _weighting(text: str) -> tuple[str, GainMap | str]:
    """A name with the gain map behind it, or the name of a preset, which stands for itself."""
    name, equals, pairs = text.partition("=")
    if not equals:
        return name, name
    gains: GainMap = {}
    try:
        for pair in pairs.split(","):
            level, gain = (plain_number(float(number)) for number in pair.split(":"))
            if level in gains:
                raise ValueError
            gains[level] = gain
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed; it is a name and gains of levels, as in steep=0:0,1:1,2:10,3:100"
        ) from None
    return name, gains


def _swaps_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="MEASURE", nargs="*", help=f"default: {' '.join(MEASURES)}")
    parser.add_argument(
        "--levels", metavar="L,…", type=whole_numbers, default=list(LEVELS), help="default: 2,10,20,50"
    )
    parser.add_argument("--uneven", action="store_true", help="fill the levels unevenly, at random")
    parser.add_argument("--documents", metavar="N", type=int, default=100, help="in a ranking; default: 100")
    parser.add_argument("--most", metavar="N", type=int, default=99, help="the most swaps; default: 99")
    parser.add_argument("--repetitions", metavar="N", type=int, default=100, help="default: 100")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: 0")
    add_output(parser, "the curves")


def _swaps(arguments: argparse.Namespace) -> Iterator[str]:
    """Show whether measures depend on the number of levels, by random swaps.

    Rankings of documents on L levels, the best first, are spoilt by random swaps. A measure that does not
    depend on the number of levels falls along the same curve for every L. As text, markdown and latex: the
    mean of each curve, and the widest gap between them; as tsv, csv and jsonl: the curves.

      ir_measures_graded swaps -o swaps.svg
      ir_measures_graded swaps muAP NDCNG@10 "NDCNG(max_gain=1)@10" --levels 2,5,25 --uneven -f csv
    """
    from ..analysis import plots, swaps

    if arguments.output is not None:
        plots.check(arguments.output)
    found = swaps(
        arguments.inputs or MEASURES,
        levels=arguments.levels,
        uneven=arguments.uneven,
        documents=arguments.documents,
        most=arguments.most,
        repetitions=arguments.repetitions,
        seed=arguments.seed,
        progress=bars(),
    )
    lines = list(printed(arguments, found.table() if _for_people(arguments) else rows_of(found.records())))
    if arguments.output is not None:
        plots.save(found.figure(), arguments.output)
    return iter(lines)


COMMANDS: dict[str, Command] = {
    "compare": (_compare_arguments, _compare),
    "sensitivity": (_sensitivity_arguments, _sensitivity),
    "swaps": (_swaps_arguments, _swaps),
}
