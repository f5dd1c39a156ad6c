"""The command `reproduce`."""

from ..analysis.leaderboards.reproduction import reproduce
from ..errors import GradedError
from .leaderboards import FORM, SMALLER
from .parser import Arguments, Option, as_list, output
from .results import Answer

USAGE = ("ORIGINAL AGAIN [MEASURE…] --baseline RUN",)
OPTIONS = (
    Option("original ORIGINAL", "table of the values of the first experiment", reads=as_list),
    Option("again AGAIN", "table of the values of the second experiment", reads=as_list),
    Option("inputs MEASURE…", "measures of both; default: all", many=True),
    Option("--baseline RUN", "the baseline, as RUN=RUN2 if its name differs in the second"),
    Option("--advanced RUN", "the run whose effect over the baseline is compared"),
    Option("--pooled", "with other topics: pool the variances, as repro_eval does"),
    FORM,
    SMALLER,
    *output(),
)


def run(arguments: Arguments) -> Answer:
    """Tell whether a second experiment reproduces the values and the effect of the first.

    With the same topics, RMSE and nRMSE are those of the values by topic, and p is that of the
    paired t-test. With other topics, p is that of Welch's t-test. ER is the effect of the advanced
    run over the baseline in the second experiment, divided by that in the first. dRI is the
    relative improvement in the first minus that in the second. A large p is no evidence of
    reproduction; the command gate with --equivalent can show it.

      ir_measures_graded reproduce 2019.csv ours.csv nDCG@10 --baseline bm25 --advanced ours=ours2
    """
    if arguments.baseline is None:
        raise GradedError("name the baseline: --baseline RUN")
    reproduced = reproduce(
        arguments.original,
        arguments.again,
        arguments.baseline,
        arguments.advanced,
        arguments.inputs,
        pooled=arguments.pooled,
        form=arguments.form,
        smaller=arguments.smaller,
    )
    # The notes must not be lost where programs read the values.
    return Answer(reproduced, facts={"notes": [str(note) for note in reproduced.notes()]})
