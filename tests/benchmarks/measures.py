"""Time of every measure on one workload, of its options, and of many measures in one call.

    python tests/benchmarks/measures.py [S M L X few T3 … T6] [--only MEASURE …] [--json FILE]

The workloads are those of workloads.py. `few` is M with nine of ten retrieved documents unjudged. T3 to T6
are one topic with a thousand to a million documents and as many levels. The first table has the time of each
measure alone, given the judged ranks. The second has whole calls with the options `ties` and `unjudged`. The
third has whole calls with one measure and with many. `ratio` is a time divided by that of the table's first
row, in the second table by that of the same measure without an option.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import ir_measures
import workloads
from measuring import Call, Report, options
from workloads import SHAPES, Shape

from ir_measures_graded import GradedMeasure, KendallTau, nDCG_JK, parse_measure
from ir_measures_graded.core.measures import MEASURES
from ir_measures_graded.core.measures.topics import Topics
from ir_measures_graded.core.reduction import judged_of, reduced
from ir_measures_graded.core.rows.in_memory import read_qrels, read_run
from ir_measures_graded.core.uncertainty import with_option

INPUTS = {**SHAPES, "few": replace(SHAPES["M"], judged=(200, 200))}
INPUTS |= {f"T{n}": Shape(1, 10**n, (10**n, 10**n), (0, 10**n)) for n in (3, 4, 5, 6)}
TIED = ("nDCG_JK@100", "nDCG_JK", "Q", "muAP", "ERR_G@100", "EBR@100")
UNJUDGED = ("nDCG_JK@10", "nDCG_JK@100")


Calls = Iterator[dict[str, Call]]
"""Groups of calls, each with the one first to which the others of the group are compared."""


def alone(qrels: Any, run: Any) -> Calls:
    """A call for each measure. Each call has new `Topics`, because these cache values that measures share."""
    ranks = reduced(judged_of(read_qrels(qrels)), read_run(run))

    def values(measure: GradedMeasure) -> Any:
        of = ranks.condensed if measure["judged_only"] else ranks
        return measure.values(Topics(of, measure["gains"], None))

    chosen = dict.fromkeys([nDCG_JK, *MEASURES, KendallTau(variant="c")])
    yield {str(measure): partial(values, measure) for measure in chosen}


def with_options(qrels: Any, run: Any) -> Calls:
    for option, words, names in (("ties", ("mean", "max"), TIED), ("unjudged", ("min", "max"), UNJUDGED)):
        for measure in map(parse_measure, names):
            chosen = [measure, *filter(None, (with_option(measure, option, word) for word in words))]
            yield {str(each): partial(each.calc_aggregate, qrels, run) for each in chosen}


def together(qrels: Any, run: Any) -> Calls:
    several = {
        "one measure": [nDCG_JK @ 100],
        "the measure at twenty cutoffs": [nDCG_JK @ cutoff for cutoff in range(5, 101, 5)],
        f"all {len(MEASURES)} measures": MEASURES,
    }
    calculate: Callable[..., Any] = ir_measures.calc_aggregate
    yield {what: partial(calculate, measures, qrels, run) for what, measures in several.items()}


TABLES = {"measures alone": alone, "options": with_options, "whole calls": together}


def main(argv: Sequence[str] | None = None) -> None:
    arguments = options(__doc__, argv, workloads=INPUTS)
    with Report(arguments) as report:
        for name in arguments.workloads or ["M"]:
            inputs = workloads.tables(INPUTS[name])
            for title, groups in TABLES.items():
                for calls in groups(*inputs):
                    report.compare(f"{name}: {title}", calls)


if __name__ == "__main__":
    main()
