"""The command `compare`."""

from __future__ import annotations

import argparse

from ..analysis import compare
from ..analysis.intervals import METHODS, STUDENT
from .arguments import Inputs, add_alpha, add_collection, add_gains, add_jobs, add_permutations, bars
from .results import add_output, check_files, shown


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    add_gains(parser)
    parser.add_argument("--baseline", metavar="RUN", help="also test each other run against this run")
    add_alpha(parser)
    add_permutations(parser)
    parser.add_argument(
        "--interval",
        choices=METHODS,
        default=STUDENT,
        help="intervals of the differences, at the level 1 − alpha: Student's t (default) or BCa bootstrap",
    )
    add_jobs(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Test whether runs differ.

    The tests are Friedman, Conover, ANOVA and Tukey HSD. With a baseline, or with two runs, the table has the
    difference of each run from the baseline with its interval (lower, upper), its effect size (d_z), the
    smallest true difference that the t-test finds with probability .8 (MDE), and the p-values of the paired t
    and Wilcoxon tests with Holm's correction. Otherwise it has means and significant differences, such as
    "D, E > A**" (** p < 0.01, * p < 0.05); with many runs, each run has a letter, and each test lists the
    letters of the runs that the run beats. Conover's comparisons follow a significant Friedman test without
    correction, as in Conover (1980). Tukey HSD corrects for the number of runs.
    The formats tsv, csv and jsonl list the means, then every test with all numbers.

      ir_measures_graded compare qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" AP
      ir_measures_graded compare qrels.txt a.run b.run c.run nCG@100 --baseline a -f latex
      ir_measures_graded compare qrels.txt runs/*.gz muAP -o tests.jsonl -o muAP.png
    """
    inputs = Inputs(arguments)
    baseline = inputs.run_named(arguments.baseline, "--baseline")
    check_files(arguments, inputs.files)
    found = compare(
        inputs.qrels,
        inputs.runs,
        inputs.measures,
        baseline=baseline,
        alpha=arguments.alpha,
        permutations=arguments.resamples,
        seed=arguments.seed,
        interval=arguments.interval,
        progress=bars(),
        jobs=arguments.jobs,
    )
    return shown(found, arguments)
