"""The command `compare`."""

from __future__ import annotations

import argparse

from ..analysis import compare
from .arguments import Inputs, add_collection, add_gains, add_jobs, bars
from .results import add_output, check_files, shown

SIDE_BY_SIDE = 5
"""A table with more runs has one row per run."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    add_gains(parser)
    parser.add_argument("--baseline", metavar="RUN", help="also test each other run against this run")
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="P", help="significance level; default: 0.05"
    )
    parser.add_argument(
        "--resamples",
        type=int,
        default=10_000,
        metavar="N",
        help="permutations of the randomised Tukey HSD test; default: 10000",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the resamples; default: 0")
    add_jobs(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Test whether runs differ.

    The tests are Friedman, Conover, ANOVA and Tukey HSD, and with a baseline the paired t and Wilcoxon tests.
    The formats text, markdown and latex show means and significant differences, such as "D, E > A**"
    (** p < 0.01, * p < 0.05). Conover's comparisons follow a significant Friedman test without correction, as
    in Conover (1980). Tukey HSD corrects for the number of runs; Holm's correction adjusts t and Wilcoxon.
    With more than 5 runs, each run has a letter, and each test lists the letters of the runs that it beats.
    The formats tsv, csv and jsonl list the means, then every test with statistic, p-value and effect size.

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
        progress=bars(),
        jobs=arguments.jobs,
    )
    return shown(found, arguments, found.table_by_run if len(found.runs) > SIDE_BY_SIDE else found.table)
