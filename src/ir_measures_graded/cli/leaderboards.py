"""The command `leaderboards`."""

from ..analysis.leaderboards.comparison import RBO_TIES, compare_leaderboards
from ..analysis.leaderboards.reading import FIELDS
from ..analysis.statistics.defaults import ALPHA
from ..analysis.statistics.orders import PERSISTENCE
from ..output.result import Result, View
from .arguments import alpha
from .parser import Arguments, Option, as_list, choice, output, real, whole_numbers

FORM = Option("--form FORM", "fields of lines without a header", choices=tuple(FIELDS))
SMALLER = Option("--smaller MEASURE", "smaller is better; repeatable", repeated=True)
OPTIONS = (
    Option("first FIRST", "table of values or means, the truth", reads=as_list),
    Option("second SECOND", "table of values or means of the same systems", reads=as_list),
    Option("inputs MEASURE…", "measures of both, or FIRST_MEASURE=SECOND_MEASURE", many=True),
    Option(
        "--more_first FILE", "more files of the first; repeatable", repeated=True, reads=as_list
    ),
    Option(
        "--more_second FILE", "more files of the second; repeatable", repeated=True, reads=as_list
    ),
    Option("--means", "tables without topics have means"),
    Option("--aggregate", "use the rows of the topic all in place of the mean over the topics"),
    FORM,
    SMALLER,
    Option("--k K,…", "depths of overlap@k and tau@k; default: 5,10", whole_numbers),
    Option("--p P", "persistence of RBO", real, default=PERSISTENCE),
    choice("--rbo", "what ties mean in RBO; default: w, equal places", *RBO_TIES),
    alpha(ALPHA),
    choice("--show", "the statistics (default), or each system", "statistics", "systems"),
    *output(),
)


def run(arguments: Arguments) -> Result:
    """Compare the orders of the same systems in two leaderboards.

    A leaderboard is a table of values by topic in any form of --values; lines of run, measure,
    topic, value or of run, topic, measure, value; the output of trec_eval -q; or with --means, a
    table of means. Without measures, those of both are compared, else each of the first with each
    of the second. tau is Kendall's τ-b, and rho Spearman's. tau_AP weighs the top more; it judges
    the second by the first. tau_GAP also weighs pairs by their distance in the first. RBO is
    rank-biased overlap. overlap@k is the share of the first k that is common, tau@k the τ-b of the
    first k of the first. Values that differ by rounding errors tie, and no statistic depends on
    names or on the order of rows. With values by topic, significant pairs are those of paired
    t-tests with Holm's correction.

      ir_measures_graded leaderboards human.csv machine.csv nDCG@10
      ir_measures_graded leaderboards 2023.csv 2024.csv nDCG@10=AP --show systems -o slopes.svg
    """
    settings = arguments.of("p", "means", "aggregate", "smaller", "alpha")
    compared = compare_leaderboards(
        [arguments.first, *arguments.more_first],
        [arguments.second, *arguments.more_second],
        arguments.inputs,
        ties=arguments.rbo,
        k=arguments.k,
        form=arguments.form,
        **settings,
    )
    if arguments.show == "systems":
        return View([compared.system_table()], compared.figure, above=compared.answer())
    return compared
