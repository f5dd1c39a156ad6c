"""The command `reproduce`."""

from typing import Any

from ..analysis.leaderboards.reproduction import names_of_both, reproduce
from ..errors import GradedError
from ..evaluation.evaluate import evaluate
from ..files.sources import is_named_file
from .arguments import WEIGHTS, inputs, run_named
from .leaderboards import (
    FORM,
    OF_QRELS,
    QRELS,
    SMALLER,
    qrels_of,
    refuse_options_of_qrels,
)
from .parser import Arguments, Option, as_list, expanded, output
from .results import Answer

USAGE = (
    "ORIGINAL AGAIN [MEASURE…] --baseline RUN",
    "--qrels QRELS RUN… MEASURE… --baseline RUN=RUN2",
    "--qrels QRELS --qrels QRELS RUN… MEASURE… --baseline RUN=RUN2",
)
OPTIONS = (
    Option(
        "original ORIGINAL",
        "table of the values of the first experiment",
        optional=True,
        reads=as_list,
    ),
    Option(
        "again AGAIN",
        "table of the values of the second experiment",
        optional=True,
        reads=as_list,
    ),
    Option("inputs MEASURE…", "measures of both; default: all", many=True, reads=as_list),
    Option("--baseline RUN", "the baseline, as RUN=RUN2 if its name differs in the second"),
    Option("--advanced RUN", "the run whose effect over the baseline is compared"),
    QRELS._replace(help="in place of tables: the qrels of runs, or those of each experiment"),
    Option("--pooled", "with other topics: pool the variances, as repro_eval does"),
    FORM,
    SMALLER,
    WEIGHTS,
    *OF_QRELS,
    *output(),
)


def run(arguments: Arguments) -> Answer:
    """Tell whether a second experiment reproduces the values and the effect of the first.

    With the same topics, RMSE and nRMSE are those of the values by topic, and p is that of the
    paired t-test. With other topics, p is that of Welch's t-test. ER is the effect of the advanced
    run over the baseline in the second experiment, divided by that in the first. dRI is the
    relative improvement in the first minus that in the second. A large p is no evidence of
    reproduction; the command gate with --equivalent can show it. With --qrels, the runs of both
    experiments are evaluated, by the same qrels or by those of each.

      ir_measures_graded reproduce 2019.csv ours.csv nDCG@10 --baseline bm25 --advanced ours=ours2
      ir_measures_graded reproduce --qrels qrels.txt bm25.run bm25_again.run nDCG@10 \\
          --baseline bm25=bm25_again
    """
    if arguments.baseline is None:
        raise GradedError("name the baseline: --baseline RUN")
    settings = arguments.of("pooled", "form", "smaller")
    if arguments.qrels:
        reproduced = reproduce(*_of_qrels(arguments), **settings)
    else:
        refuse_options_of_qrels(arguments)
        if arguments.again is None:
            raise GradedError("two experiments are compared: name ORIGINAL and AGAIN")
        for word in arguments.inputs:
            if is_named_file(word):
                raise GradedError(
                    f"{word} is a third table; name the qrels of runs with --qrels, as in "
                    "--qrels qrels.txt a.run b.run"
                )
        reproduced = reproduce(
            arguments.original,
            arguments.again,
            arguments.baseline,
            arguments.advanced,
            arguments.inputs,
            weights=arguments.weights,
            **settings,
        )
    # The notes must not be lost where programs read the values.
    return Answer(reproduced, facts={"notes": [str(note) for note in reproduced.notes()]})


def _of_qrels(arguments: Arguments) -> tuple[Any, Any, tuple[str, str], tuple[str, str] | None]:
    """The values of the runs of both experiments, and the names of the runs."""
    both_qrels = qrels_of(arguments, ("form", "smaller"))
    words = [arguments.original, arguments.again, *arguments.inputs]
    words = expanded([word for word in words if word is not None], None)
    pairs = [names_of_both(arguments.baseline)]
    if arguments.advanced is not None:
        pairs.append(names_of_both(arguments.advanced))
    if len(arguments.qrels) == 1:
        for original, again in pairs:
            if original == again:
                raise GradedError(
                    f"{original} is a run of one experiment; name that of the second too, as in "
                    f"{original}=RUN2, or give two --qrels"
                )
    experiments = []
    names = []
    for side, qrels in enumerate(both_qrels):
        first = inputs(arguments, words=words, qrels=qrels)
        names_of_side = [run_named(pair[side], first) for pair in pairs]
        runs = dict(first[1])
        of_side = {name: runs[name] for name in names_of_side}
        experiments.append(evaluate(first[0], of_side, first[2]))
        names.append(names_of_side)
    named_pairs = list(zip(*names, strict=True))
    advanced = named_pairs[1] if len(named_pairs) > 1 else None
    return experiments[0], experiments[1], named_pairs[0], advanced
