"""Time of every measure on one workload, and of all measures in one call.

    python tests/benchmarks/measures.py [S M L X] [--json FILE]

`ms` is the time of the measure alone, given the judged ranks. `ratio` is this time divided by the time of
nDCG_JK. The last table shows whole calls on Arrow tables, with one measure and with all measures.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ir_measures
import workloads
from measuring import Call, Report, medians, options

from ir_measures_graded import GradedMeasure, nDCG_JK
from ir_measures_graded.inputs.tables import read_qrels, read_run
from ir_measures_graded.measures import MEASURES
from ir_measures_graded.measures.topics import Topics
from ir_measures_graded.ranking.judged import Judged
from ir_measures_graded.ranking.ranks import judged_ranks


def alone(qrels: Any, run: Any) -> dict[str, Call]:
    """A call for each measure. Each call has new `Topics`, because these cache values that measures share."""
    ranks = judged_ranks(Judged(read_qrels(qrels)), read_run(run))

    def values(measure: GradedMeasure) -> Any:
        of = ranks.condensed if measure["judged_only"] else ranks
        return measure.values(Topics(of, measure["gains"], None))

    first = [nDCG_JK, *(measure for measure in MEASURES if measure != nDCG_JK)]
    return {str(measure): partial(values, measure) for measure in first}


def together(qrels: Any, run: Any) -> dict[str, Call]:
    calculate: Callable[..., Any] = ir_measures.calc_aggregate
    return {
        "nDCG_JK": lambda: calculate([nDCG_JK], qrels, run),
        f"all {len(MEASURES)} measures": lambda: calculate(MEASURES, qrels, run),
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = options(__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="S, M, L, X; default: M")
    arguments = parser.parse_args(argv)
    with Report(arguments) as report:
        for name in arguments.workloads or ["M"]:
            inputs = workloads.tables(workloads.SHAPES[name])
            for title, calls in (("measures alone", alone(*inputs)), ("whole calls", together(*inputs))):
                times = medians(calls, arguments.repeat, arguments.patience)
                first = next(iter(times.values()))
                for what, each in times.items():
                    report.row(f"{name}: {title}", measure=what, ms=1e3 * each, ratio=each / first)


if __name__ == "__main__":
    main()
