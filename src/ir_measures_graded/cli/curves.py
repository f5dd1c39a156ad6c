"""The command `curves`."""

import re
import warnings
from collections.abc import Iterable, Sequence

from ..analysis import Curves, CurvesByMeasure, curves
from ..analysis.curves import RESAMPLES, check_curves
from ..core.registry.everyday import MEANINGS_OF_DCG, meanings_of_dcg
from ..errors import GradedError, InputWarning
from ..evaluation.at_ranks import uncut
from ..files.sources import is_named_file
from ..output.formats import listed
from ..output.result import View
from ..output.tables import Note
from .arguments import (
    COLLECTION,
    NO_RELEVANT,
    WEIGHTS,
    inputs,
    measures_in,
    resamples,
    run_named,
    separated,
)
from .habits import shown_line
from .parser import Arguments, Option, output, share, unless_drawn, whole_number, whole_numbers
from .results import Answer


def _of_one_topic(arguments: Arguments) -> str:
    """Why an option of means has no effect: the curves are those of one topic."""
    return "" if arguments.topic is None else "the curves of one topic are no means"


def _unless_bands(arguments: Arguments) -> str:
    """Why nothing is drawn at random: only bands are."""
    if arguments.confidence is None:
        return "topics are drawn at random for the bands of --confidence alone"
    return ""


RATIO = "--ratio_of_means"
NORMALISED = ("nCG", "nDCG_JK")
"""The measures of Järvelin & Kekäläinen 2002 that divide by an ideal list."""
OPTIONS = (
    *COLLECTION,
    NO_RELEVANT,
    WEIGHTS._replace(idle=_of_one_topic),
    Option(
        "--depth RANK",
        "last rank; default: the measure's cutoff, else that of the longest list, at most 100, but "
        "at least the last rank of --at",
        whole_number,
    ),
    Option("--at RANK,…", "ranks in the table, as in 5,10,20", whole_numbers, default=[]),
    Option("--topic TOPIC", "the curves of this topic in place of the means"),
    Option(
        RATIO,
        "divide the mean vector by the mean ideal vector, as Järvelin & Kekäläinen 2002",
        idle=_of_one_topic,
    ),
    Option(
        "--highlight RUN",
        "of more than 12 runs, also show these in colour",
        many=True,
        idle=unless_drawn,
    ),
    Option("--confidence C", "add confidence bands over topics, for example 0.95", share),
    *resamples("topics for the bands, at least 100", RESAMPLES, _unless_bands),
    *output(),
)


def run(arguments: Arguments) -> Answer:
    """Show a measure at every rank, averaged over topics.

    The table has one row per rank, or per rank of --at, and one column per run, the best one first.
    A measure must take a cutoff, which sets the depth. With -o, the command prints few ranks unless
    --at or -f is given; the file has all.

      ir_measures_graded curves qrels.txt runs/*.gz \\
          "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)" -o nDCG.svg
      ir_measures_graded curves qrels.txt a.run b.run P@20 --confidence 0.95 -o P.png
      ir_measures_graded curves qrels.txt runs/*.gz CG nDCG_JK --at 5,10,20
      ir_measures_graded curves qrels.txt a.run b.run CG DCG_JK nDCG_JK --topic 7
      ir_measures_graded curves qrels.txt a.run b.run CG DCG_JK nCG nDCG_JK --ratio_of_means
    """
    try:
        first = inputs(arguments, uncut=True)
    except GradedError as error:
        raise GradedError(f"{error}{_hint_on_dcg(arguments)}") from None
    highlight = [run_named(text, first) for text in arguments.highlight]
    settings = arguments.of("depth", "at", "confidence", "resamples", "seed", "topic")
    settings |= arguments.of("ratio_of_means")
    return _answer(curves(*first, highlight=highlight, **settings), arguments)


def _answer(result: Curves | CurvesByMeasure, arguments: Arguments) -> Answer:
    """The curves; beside a file, which has all ranks, few of them are printed."""
    answer = Answer(result)
    if not arguments.output or "format" in arguments.given_options:
        return answer
    few = result.at_few_ranks()
    if few is not result:
        files = listed(arguments.output, len(arguments.output))
        have = "has" if len(arguments.output) == 1 else "have"
        on_ranks = Note("{} {} all ranks; -f text prints them, --at chooses some.", files, have)
        notes = [on_ranks, *few.notes()]
        view = View(few.tables(), noted=notes, above=few.answer(), remarks=few.remarks)
        answer.printed = Answer(view)
    return answer


def _hint_on_dcg(arguments: Arguments) -> str:
    """The end of a message on the word DCG: the command with the first of its meanings that no
    other word has; empty if there is no such command.
    """
    texts = [text for word in arguments.inputs for text in _texts_of(word)]
    others = [text for text in texts if not meanings_of_dcg(text)]
    if len(others) == len(texts):
        return ""
    for place in range(len(MEANINGS_OF_DCG)):
        words = [_in_one_meaning(word, place) for word in arguments.inputs]
        meanings = [meanings_of_dcg(text)[place] for text in texts if meanings_of_dcg(text)]
        if _can_replace(arguments, words, meanings, others):
            in_place_of = dict(zip(arguments.inputs, words, strict=True))
            line = shown_line([in_place_of.get(word, word) for word in arguments.words])
            return f"; as in: {line}{_hint_on_ratio(arguments, words)}"
    return ""


def _texts_of(word: str) -> list[str]:
    """The texts of the measures in an argument; none for a file."""
    return [] if is_named_file(word) else separated(word)


def _in_one_meaning(word: str, place: int) -> str:
    """The argument with the measure at this place among the meanings of DCG."""
    texts: list[str] = []
    for text in _texts_of(word):
        meanings = meanings_of_dcg(text)
        if meanings:
            text = meanings[place]
        texts.append(text)
    return " ".join(texts) or word


def _can_replace(
    arguments: Arguments, words: Sequence[str], meanings: Iterable[str], others: Iterable[str]
) -> bool:
    """Whether the command takes the words in place of its own, the measures in the place of DCG are
    not among the others, and every option applies to them."""
    try:
        chosen = {measure for text in meanings for measure in measures_in(text, uncut=True)}
        measures = {measure for text in others for measure in measures_in(text, uncut=True)}
        if {uncut(measure) for measure in chosen} & {uncut(measure) for measure in measures}:
            return False
        have_own = any("gains" in measure.params for measure in chosen)
        if have_own and "gains" in arguments.given_options:
            return False
        _check_words(arguments, words, bool(arguments.ratio_of_means))
    except GradedError:
        return False
    return True


def _check_words(arguments: Arguments, words: Sequence[str], ratio_of_means: bool) -> None:
    """Raise `GradedError` unless the command takes the words in place of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        qrels, _, measures = inputs(arguments, uncut=True, words=words)
    check_curves(qrels, measures, arguments.depth, arguments.at, ratio_of_means)


def _hint_on_ratio(arguments: Arguments, words: Sequence[str]) -> str:
    """How a line becomes that of the paper, which divides means; empty if nothing is to be said."""
    texts = [text for word in words for text in _texts_of(word)]
    names = {re.split("[@(]", text)[0] for text in texts}
    if names.isdisjoint(NORMALISED) or arguments.ratio_of_means or _of_one_topic(arguments):
        return ""
    try:
        _check_words(arguments, words, ratio_of_means=True)
    except GradedError:
        return ""
    return (
        f" ({RATIO} divides mean vectors, as their paper does; without it, each topic is divided, "
        "as in evaluate)"
    )
