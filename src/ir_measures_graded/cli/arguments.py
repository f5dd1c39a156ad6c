"""Arguments that several commands share: qrels, runs, measures and common options."""

import os
import re
import warnings
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from itertools import chain, pairwise
from typing import Any
from weakref import WeakKeyDictionary

from ir_measures import Measure

from ..core.provider import same_for_any_levels
from ..core.ranking.gains import named_weightings, weighting
from ..core.registry.facts import CHOICES_OF_NO_RELEVANT, ZERO, is_err, with_missing_options
from ..core.registry.names import OFFICIAL, registered
from ..core.registry.notation import is_measure, parse_measure, parse_measures, with_gains
from ..core.registry.plugins import without_search
from ..core.rows.chosen import OUR_NAMES, Chosen, SharedName
from ..errors import GradedError, Remark, UnknownMeasureError, did_you_mean, quoted
from ..evaluation.evaluation import Evaluation
from ..evaluation.named import (
    Judgments,
    NamedSource,
    document_runs,
    ignoring_identical_ids,
    in_sessions,
    measures_for,
    ordered_runs,
    pairs_of,
    read_judgments,
    short_names,
)
from ..evaluation.order_of_rows import GIVEN, refuse_own_ties, refuse_readers_of_scores
from ..evaluation.remarks import deepest_of, issue
from ..evaluation.weights import counted_by
from ..files.content import is_lasting, similar_files
from ..files.files import RunFile, header_of, qrels_in
from ..files.sources import is_file, is_named_file, named_path, scoreddocs_of
from ..output.formats import listed
from .habits import shown_line
from .parser import (
    READING,
    Arguments,
    Option,
    as_list,
    at_least_1,
    choice,
    files_of_folder,
    real,
    whole_number,
)

EXAMPLE = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"
LISTED = 5
NO_MEASURE = "the file of this name is a run; if the measure is meant, rename or remove the file"
"""The number of names that a message lists."""


def qrels(spelling: str = "qrels QRELS", optional: bool = False) -> Option:
    """The argument that names qrels."""
    text = "qrels file (TREC, CSV, Parquet, Arrow or JSON; may be compressed) or ir-datasets id"
    return Option(spelling, text, optional=optional, reads=as_list)


def names_of_columns(text: str) -> list[tuple[str, str]]:
    """The pairs in a text such as ``query_id=user,doc_id=item``."""
    pairs: list[tuple[str, str]] = []
    for pair in re.split(r",(?=\s*\w+=)", text):  # a name may have commas
        ours, equals, theirs = pair.partition("=")
        if not equals or ours.strip() not in OUR_NAMES or not theirs:
            raise ArgumentTypeError(
                f"{pair!r} is not allowed; give OUR_NAME=NAME,…, as in query_id=user,doc_id=item; "
                f"our names are {', '.join(OUR_NAMES)}"
            )
        pairs.append((ours.strip(), theirs))
    return pairs


COLUMNS = Option(
    "--columns OURS=NAME,…",
    "names of columns, as query_id=user,doc_id=item",
    names_of_columns,
    repeated=True,
    group=READING,
)
"""The names of columns in files of qrels, runs and values."""


_COLUMNS: WeakKeyDictionary[Arguments, tuple[tuple[str, str], ...]] = WeakKeyDictionary()
"""The columns of each command, for which the headers of its files are read once."""


def given_columns(arguments: Arguments) -> tuple[tuple[str, str], ...]:
    """The pairs of all options --columns.

    A name that one of the files has need not be in the others.
    """
    columns = _COLUMNS.get(arguments)
    if columns is not None:
        return columns
    pairs = tuple(chain.from_iterable(arguments.get("columns") or ()))
    names_in_files: set[str] = set()
    if pairs:
        for file in filter(is_lasting, arguments.reads):
            names_in_files.update(header_of(file, pairs))
    shared_or_given: list[tuple[str, str]] = []
    for pair in pairs:
        if pair[1] in names_in_files:
            pair = SharedName(*pair)
        shared_or_given.append(pair)
    columns = tuple(shared_or_given)
    _COLUMNS[arguments] = columns
    return columns


def attribute_of_topics(arguments: Arguments, option: str) -> dict[str, Any] | None:
    """The value of each topic in the column that an option names as FILE:COLUMN."""
    text = arguments.get(option)
    if text is None:
        return None
    from ..evaluation.attributes import read_attribute

    return read_attribute(text, given_columns(arguments))


def levels_of_words(text: str) -> dict[str, float]:
    """The levels in a text such as ``Bad:0,Perfect:3``, by plain words.

    Blanks or semicolons may stand between the pairs, and braces and quotes around.
    """
    levels: dict[str, float] = {}
    bare = re.sub("[\"'{}]", "", text)
    with_commas = re.sub(r"([:=]\s*-?[\d.]+)\s*[;\s]\s*(?=\S)(?!,)", r"\1,", bare)
    for pair in with_commas.split(","):
        word, colon, number = re.sub(r"=(?=[^=:]*$)", ":", pair).rpartition(":")
        is_new = word.strip() not in levels
        try:
            levels[word.strip()] = float(number)
        except ValueError:
            colon = ""
        if not colon or not is_new:
            raise ArgumentTypeError(
                f"{pair!r} is not allowed; give WORD:LEVEL,…, as in 'Bad:0,Good:1,Perfect:2'"
            )
    from ..core.rows.level_words import levels_named  # This import takes time.

    try:
        return levels_named(levels)
    except GradedError as error:
        raise ArgumentTypeError(str(error)) from None


def _unless_words_are_read(arguments: Arguments) -> str:
    """Why --levels has no effect: the qrels have none of its words."""
    return "" if arguments.levels.was_read else "no level in the qrels is one of these words"


LEVELS = Option(
    "--levels WORD:LEVEL,…",
    "levels of words in qrels, as 'Bad:0,Good:1,Perfect:2'",
    levels_of_words,
    group=READING,
    idle=_unless_words_are_read,
)
"""The numbers of levels that are words, in all qrels of the command."""
NO_LIMITS = Option("--no_limits", "read files that unpack to many times their size", group=READING)
FORM = (
    Option("--run_column NAME", "column that names the run of a row; default: run", group=READING),
    Option("--ascending", "smaller scores are better, as distances are", group=READING),
    COLUMNS,
    LEVELS,
    NO_LIMITS,
)
"""How to read a run."""
PASSAGES = (
    Option(
        "--passages SEP",
        "documents: the ids of passages up to the last SEP",
        group=READING,
    ),
    Option(
        "--passages_pattern RE",
        "or the group doc, or the first one, of the id",
        group=READING,
        excludes="passages",
    ),
    Option(
        "--passages_column NAME",
        "or a column of the run",
        group=READING,
        excludes="passages",
    ),
)
"""Runs of passages as runs of their documents."""
IGNORE_IDENTICAL_IDS = Option(
    "--ignore_identical_ids", "leave out documents with the id of their topic", group=READING
)
TIES = Option(
    "--ties HOW",
    "tied documents: mean, min or max over their orders, or as given (LightGBM)",
    choices=("mean", "min", "max", GIVEN),
    group=READING,
)
RUNS = (
    Option(
        "inputs RUN… MEASURE…",
        "run files, as qrels, or NAME=file, and measures; - is stdin",
        many=True,
        reads=as_list,
    ),
    Option(
        "--gains GAINS",
        "weighting: [NAME=]LEVEL:GAIN,…, exp, linear or w10",
        repeated=True,
        group=READING,
    ),
    *FORM,
    *PASSAGES,
    IGNORE_IDENTICAL_IDS,
    TIES,
)
"""Runs and measures, which `inputs` reads."""
SCOREDDOCS = Option("--scoreddocs", "add the run that comes with the ir-datasets id", group=READING)
SESSIONS = Option(
    "--sessions =HOW",
    "topics are turns of sessions, as 31_1, or those of =FILE",
    optional=True,
    reads=as_list,
)
NO_RELEVANT = choice(
    "--no_relevant",
    "value of a topic without relevant documents by a measure: that of its definition (zero, "
    "default), none (skip) or 1",
    *CHOICES_OF_NO_RELEVANT,
)._replace(group=READING)
ASSUME_UNJUDGED = Option(
    "--assume_unjudged LEVEL",
    "take unjudged documents of the runs as judged at this level, down to the greatest cutoff",
    real,
)
VALUES_HELP = (
    "table of values in place of QRELS and RUN, as evaluate -q -o values.csv writes it; repeatable"
)


def _file_of_column(text: str) -> list[str]:
    """The file that FILE:COLUMN names."""
    return [text.rpartition(":")[0]]


OF_TOPICS = (
    "a table, such as the qrels, with this column and one of topics (query_id, topic, query … or "
    "--columns query_id=NAME)"
)
"""The table of FILE:COLUMN."""
BY = Option(
    "--by FILE:COLUMN",
    f"also for each group of topics: {OF_TOPICS}",
    reads=_file_of_column,
)
WEIGHTS = Option(
    "--weights FILE:COLUMN",
    f"weights of topics in means: {OF_TOPICS}",
    reads=_file_of_column,
)
COLLECTION = (qrels(), *RUNS, SCOREDDOCS)
"""Qrels, runs and measures, which `inputs` reads."""
OF_RANKINGS = (
    "sessions",
    "gains",
    "scoreddocs",
    "ignore_identical_ids",
    "ties",
    "run_column",
    "ascending",
    "passages",
    "passages_pattern",
    "passages_column",
    "no_relevant",
    "assume_unjudged",
)
"""Options of one set of qrels and its runs."""
OF_RUNS = "QRELS RUN… MEASURE…"
OF_VALUES = "--values FILE [RUN…] [MEASURE…]"


def collection_or_values(
    text: str = VALUES_HELP, heading: str = "RUN… MEASURE…"
) -> tuple[Option, ...]:
    """The same or values, which `collection_inputs` reads.

    `text` is the help of --values, `heading` names the inputs.
    """
    return (
        Option("--values FILE", text, repeated=True, reads=as_list),
        Option(
            "--smaller MEASURE", "smaller is better; repeatable", repeated=True, requires="values"
        ),
        qrels(optional=True),
        RUNS[0]._replace(spelling=f"inputs {heading}"),
        *RUNS[1:],
        SCOREDDOCS,
        SESSIONS,
        NO_RELEVANT,
    )


JOBS = Option("--jobs N", "processes that read the run files", at_least_1, group=READING)
SEED = Option("--seed N", "random seed", whole_number, default=0)


COMPARISONS = Option(
    "--comparisons N",
    "correct p for N comparisons by each measure, if others than these are made elsewhere",
    at_least_1,
)


def alpha(default: float) -> Option:
    """The level of the tests."""
    return Option("--alpha P", "significance level", real, default=default)


def resamples(
    what: str, default: int, idle: Callable[[Arguments], str] | None = None
) -> tuple[Option, Option]:
    """The number of random samples and their seed. `idle` tells why nothing is drawn."""
    number = Option("--resamples N", f"random samples of {what}", at_least_1, default=default)
    return number._replace(idle=idle), SEED._replace(idle=idle)


def values_of(arguments: Arguments) -> Evaluation | None:
    """The values of --values, as of one collection; None without this option."""
    if not arguments.values:
        return None
    columns = given_columns(arguments)
    with warnings.catch_warnings():
        if arguments.get("by") is not None:
            from ..evaluation.values import TOLD_APART  # This import takes time.

            # The groups of topics may be the collections.
            warnings.filterwarnings("ignore", f".*{TOLD_APART}")
        return Evaluation.from_values(
            arguments.values,
            smaller=arguments.smaller,
            columns=columns,
            limits=not arguments.no_limits,
        )


def collection_inputs(arguments: Arguments, stored: Evaluation | None = None) -> list[Any]:
    """The first arguments of an analysis.

    They are qrels, runs and measures, or the values of --values, which may be `stored` already.
    """
    stored = stored or values_of(arguments)
    if stored is not None:
        return [chosen(arguments, stored)]
    return list(inputs(arguments))


def words_of(arguments: Arguments) -> list[str]:
    """The arguments of a command that are no options."""
    return [word for word in (arguments.qrels, *arguments.inputs) if word is not None]


def run_named(text: Any, first: Sequence[Any]) -> Any:
    """The run that an option names by its name, file name or path; None stays None.

    `first` are the first arguments of an analysis, which checks the names of stored values itself.
    Raises `GradedError` if there is no such run, or if several have this file name.
    """
    if text is None or len(first) == 1:
        return text
    runs = dict(first[1])
    files = {name: str(getattr(run, "file", "")) for name, run in runs.items()}
    fitting = [name for name, path in files.items() if text in (path, *short_names(path))]
    if text in runs:
        return text
    if len(fitting) == 1:
        return fitting[0]
    hint = did_you_mean(short_names(text)[0], runs)
    raise GradedError(f"{text!r} is not among the runs {listed(runs, LISTED)}{hint}")


def chosen(
    arguments: Arguments, stored: Evaluation, words: Sequence[str] | None = None
) -> Evaluation:
    """The values of the runs and measures that `words`, or the arguments, name.

    These are all values if none is named.
    Raises `GradedError` for a word that is neither a run nor a measure of the table, for a run that
    is named twice, and for options that need rankings.
    """
    for option in (*OF_RANKINGS, LEVELS.name):
        if option in arguments.given_options:
            hint = ""
            if option == "run_column":
                hint = f"; its column of runs is --columns {quoted(f'run={arguments.run_column}')}"
            raise GradedError(
                f"--{option} needs QRELS and runs: the values of a table stay as they are{hint}"
            )
    if words is None:
        words = words_of(arguments)
    from ..evaluation.columns_as_runs import with_measure_of_words  # This import takes time.

    stored = with_measure_of_words(stored, words)
    runs = [word for word in words if word in stored.runs]
    others = [word for word in words if word not in stored.runs]
    for run in runs:
        if runs.count(run) > 1:
            hint = ""
            if "baseline" in arguments.given_options:
                hint = "; several baselines are written --baseline A,B"
            raise GradedError(f"the run {run!r} is named twice; name each run once{hint}")
    try:
        measures = measures_of_table(others, stored.measures)
    except GradedError as error:
        runs_of_table = f"the runs of the table are {listed(stored.runs, LISTED)}"
        for word in others:
            if is_named_file(word):
                raise GradedError(
                    f"{word!r} is a file, and beside --values words name runs and measures of the "
                    f"table; {runs_of_table}; for a further table write --values {quoted(word)}"
                ) from None
        raise GradedError(f"{error}; {runs_of_table}") from None
    _refuse_lacking_baseline(arguments, runs, stored)
    chosen = stored.part(runs or stored.runs, measures or stored.measures)
    weights = attribute_of_topics(arguments, "weights")
    if weights is None:
        return chosen
    return chosen.weighted(weights)


def _refuse_lacking_baseline(arguments: Arguments, runs: Sequence[str], stored: Evaluation) -> None:
    """Raise `GradedError` for a baseline of the table that is not among the runs that are named.

    Runs behind it may be meant as further baselines.
    """
    for word in as_list(arguments.get("baseline")):
        names = [word] if word in stored.runs else word.split(",")
        lacking = [name for name in names if name in stored.runs and name not in runs]
        if not runs or not lacking:
            continue
        hint = ""
        if _are_behind(runs, ["--baseline", word], arguments.words):
            hint = f", or write several baselines as --baseline {quoted(','.join([word, *runs]))}"
        raise GradedError(
            f"the baseline {lacking[0]!r} is not among the runs that are named, "
            f"{listed(runs, LISTED)}; name it with them{hint}"
        )


def _are_behind(names: Sequence[str], option: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the names follow an option with its value in the words of a command."""
    line = [*option, *names]
    starts = range(len(words) - len(line) + 1)
    return any(list(words[start : start + len(line)]) == line for start in starts)


def measures_of_table(words: Iterable[str], measures: Iterable[Measure]) -> list[Measure]:
    """The measures that words name.

    A word is the name of one of the `measures` of a table, or text with other measures.
    """
    named = {str(measure): measure for measure in measures}
    chosen_measures: list[Measure] = []
    for word in words:
        if word in named:
            chosen_measures.append(named[word])
        else:
            chosen_measures += measures_in(word)
    return chosen_measures


def inputs(
    arguments: Arguments,
    weighted: bool = False,
    uncut: bool = False,
    default: Sequence[str] = (),
    needed: bool = True,
    words: Sequence[str] | None = None,
    qrels: Any = None,
    also: Sequence[Measure] = (),
) -> tuple[Any, list[tuple[str, Any]], list[Measure]]:
    """The qrels, runs and measures of a command.

    The runs are pairs of a name and a `RunFile`, or the run that comes with the collection. With
    the option --gains, each measure that names no gains becomes one measure per weighting, unless
    the command does this itself (`weighted`). If `uncut`, measures may lack a required cutoff.
    `default` has the measures to use if none is named. `words` replace the arguments behind the
    qrels, and `qrels` those of the arguments. `also` has measures that options name.

    Raises `GradedError` for an argument that is neither a file nor a measure, and if there is no
    run or no measure although they are `needed`.
    """
    if qrels is None:
        qrels = arguments.qrels
    if qrels is None:
        raise GradedError("no qrels are given; pass a qrels file or an ir-datasets id first")
    qrels = with_columns(qrels, given_columns(arguments))
    if words is None:
        words = arguments.inputs
    paths = [word for word in words if is_named_file(word)]
    texts = [word.strip() for word in words if not is_named_file(word)]
    named = [measure for text in texts for measure in measures_in(text, uncut, qrels)]
    measures = list(dict.fromkeys([*named, *also]))
    if not measures:
        measures = [parse_measure(text) for text in default]
    if needed and not paths and not arguments.get("scoreddocs"):
        hint = "; pass one or more run files, or - for standard input"
        folders = [word for word in words if os.path.isdir(word)]
        if folders:
            hint = f"; {folders[0]!r} is read as a measure: write ./{folders[0]} for the folder"
        raise GradedError(f"no run is given{hint}")
    if needed and not measures:
        raise GradedError(_no_measure(paths))
    is_only_run = needed and len(paths) == 1 and not arguments.get("scoreddocs")
    issue(Remark("file", path, NO_MEASURE) for path in _named_as_measures(paths, is_only_run))
    runs = list(pairs_of([source_of(word, arguments) for word in paths]))
    if arguments.get("scoreddocs"):
        runs.append(("scoreddocs", scoreddocs_of(arguments.qrels)))
    rule = [arguments.get(option.name) for option in PASSAGES]
    if rule != [None] * len(rule):
        runs = [(run.name, run) for run in document_runs(runs, *rule)]
    if runs and arguments.get("ignore_identical_ids"):
        runs = [(run.name, run) for run in ignoring_identical_ids(runs)]
    ties = arguments.get("ties")
    if ties == GIVEN and runs:
        refuse_own_ties(measures)
        refuse_readers_of_scores(measures)
        runs = [(run.name, run) for run in ordered_runs(runs)]
    level = arguments.get("assume_unjudged")
    if level is not None and runs:
        from ..evaluation.assumed import assumed_qrels, refuse_own_treatment  # Few use it.

        refuse_own_treatment(measures)
        qrels = assumed_qrels(qrels, runs, level, deepest_of(measures))
    sessions = arguments.get("sessions")
    if sessions is not None:
        # Without a file, the ids of the topics tell their sessions.
        topics_of_sessions: Any = True
        if sessions:
            from ..evaluation.attributes import read_sessions

            topics_of_sessions = read_sessions(sessions, given_columns(arguments))
        qrels = in_sessions(qrels, topics_of_sessions)
    weights = attribute_of_topics(arguments, "weights")
    qrels = counted_by(qrels, arguments.get("no_relevant") or ZERO, weights)
    gains = named_weightings(arguments.get("gains") or ())
    if gains and not weighted:
        qrels = read_judgments(qrels)
        measures = under_weightings(measures, gains, qrels)
    return qrels, runs, with_ties(measures, ties)


def with_ties(measures: Iterable[Measure], ties: str | None) -> list[Measure]:
    """The measures with the option `ties`, unless they name it, or the order is that of the rows.

    Raises `GradedError` for a measure without the option.
    """
    if ties is None or ties == GIVEN:
        return list(measures)
    return [with_missing_options(measure, {"ties": ties}) for measure in measures]


def with_columns(
    qrels: Any, columns: tuple[tuple[str, str], ...], unjudged: tuple[bytes, ...] = ()
) -> Any:
    """The qrels in a file, read with these names of columns.

    `unjudged` has the texts in place of a level that mean an unjudged document. Without columns,
    qrels stay as they are, and so do those that are no file.
    """
    is_read = isinstance(qrels, Judgments)
    if not columns or is_read or not is_file(qrels):
        return qrels
    return Judgments(qrels_in(qrels, unjudged, chosen=Chosen(columns=columns)), qrels)


def source_of(word: str, arguments: Arguments) -> Any:
    """The run file that a word names; with NAME=path, the runs in it with their names."""
    name, path = named_path(word)
    file = RunFile(
        path,
        run_column=arguments.run_column,
        ascending=bool(arguments.ascending),
        columns=given_columns(arguments),
        limits=not arguments.no_limits,
    )
    return NamedSource(name, file) if name else file


def under_weightings(
    measures: Sequence[Measure], gains: Mapping[str, Mapping[Any, Any] | str], judgments: Judgments
) -> list[Measure]:
    """The measures, with each one that takes gains and names none under each weighting.

    A remark names the others. Raises `GradedError` for an invalid weighting, and if there is no
    measure that takes it.
    """
    levels = set(judgments.rows.values.tolist())
    weightings = [weighting(name, text, levels) for name, text in gains.items()]
    weighted: list[Measure] = []
    others: list[Measure] = []
    for measure in measures:
        takes_gains = "gains" in measure.SUPPORTED_PARAMS
        if takes_gains and "gains" not in measure.params:
            weighted += [with_gains(measure, gains) for gains in weightings]
        else:
            weighted.append(measure)
            others.append(measure)
    if len(others) == len(measures):
        raise GradedError(f"--gains applies to no measure: {_why_not_weighted(others)}")
    if others:
        text = f"--gains does not apply to {_why_not_weighted(others)}"
        issue([Remark("gains", "", text)])
    return list(dict.fromkeys(weighted))


def _why_not_weighted(measures: Iterable[Measure]) -> str:
    """The measures to which --gains does not apply, with the reason.

    >>> from ir_measures import AP, ERR
    >>> from ir_measures_graded import nDCG_JK
    >>> _why_not_weighted([AP, ERR @ 20, nDCG_JK(gains="exp")])
    "AP (takes no gains), ERR@20 (takes no gains; ERR_G@20 does) and nDCG_JK(gains='exp') (has its \
own)"
    """
    reasons = []
    for measure in measures:
        reason = "takes no gains"
        if "gains" in measure.params:
            reason = "has its own"
        elif is_err(measure):
            cutoff = measure.params.get("cutoff")
            ending = f"@{cutoff}" if cutoff else ""
            reason += f"; ERR_G{ending} does"
        reasons.append(f"{measure} ({reason})")
    return listed(reasons, LISTED)


def measures_in(text: str, uncut: bool = False, qrels: Any = None) -> list[Measure]:
    """The measures in an argument, separated by blanks.

    The word ``official`` stands for those of the `qrels`.
    If `uncut`, they may lack a required cutoff.
    """
    if text == OFFICIAL and qrels is not None:
        return list(measures_for(qrels, text, uncut))
    try:
        return list(parse_measures(text, uncut))
    except GradedError as error:
        words = separated(text)
        if len(words) < 2:
            raise _neither_file_nor_measure(text, error) from None
        return [measure for word in words for measure in measures_in(word, uncut, qrels)]


SORT = "--sort"
"""The option whose value is a measure."""


def separated(text: str) -> list[str]:
    """The words of a text, between which are blanks. Those in parentheses separate nothing.

    >>> separated("CG nDCG_JK(b=2, avg=True)@5")
    ['CG', 'nDCG_JK(b=2, avg=True)@5']
    """
    return re.findall(r"(?:[^\s(]|\([^)]*\)?)+", text)


def line_for_any_levels(words: Sequence[str], arguments: Arguments, levels: Sequence[float]) -> str:
    """The command with equal measures, which take any `levels`, in place of those that take whole
    ones. Empty if a measure has no equal one.

    A measure that the command has already is not repeated.
    """
    named = arguments.get("inputs") or []
    line: list[str] = []
    in_line: set[Measure] = set()
    for before, word in pairwise(["", *words]):
        is_measure = before == SORT or (word in named and not is_named_file(word))
        if not is_measure:
            line.append(word)
            continue
        measures = measures_in(word, uncut=True, qrels=arguments.qrels)
        texts = [_for_any_levels(measure, arguments, levels) for measure in measures]
        if "" in texts:
            return ""
        equal = [measures_in(text, uncut=True)[0] for text in texts]
        if before == SORT:
            line += texts
        elif equal == measures and in_line.isdisjoint(equal):
            line.append(word)
        else:
            pairs = zip(texts, equal, strict=True)
            line += [text for text, measure in pairs if measure not in in_line]
        if before != SORT:
            in_line.update(equal)
    return shown_line(line)


def _for_any_levels(measure: Measure, arguments: Arguments, levels: Sequence[float]) -> str:
    """The string of a measure that takes any levels: of the measure itself, if it does so with the
    options of the command, or of an equal one; empty if there is none."""
    has_gains = "gains" in measure.SUPPORTED_PARAMS and "gains" not in measure.params
    if has_gains and arguments.get("gains"):
        return str(measure)
    (with_options,) = with_ties([measure], arguments.get("ties"))
    return same_for_any_levels(with_options, levels) and same_for_any_levels(measure, levels)


def measure_in(text: str, what: str, qrels: Any = None) -> Measure:
    """The only measure in an argument, as `measures_in`. Raises `GradedError` if it has several."""
    measures = measures_in(text, qrels=qrels)
    if len(measures) > 1:
        raise GradedError(f"{what} takes one measure, not {listed(measures)}")
    return measures[0]


def _named_as_measures(paths: Iterable[str], is_only_run: bool) -> list[str]:
    """The files whose names are measure strings.

    The only run cannot be meant as a measure, so plugins are not looked for on its account.
    """
    with without_search() if is_only_run else nullcontext():
        return [path for path in paths if is_measure(path)]


def _no_measure(paths: Iterable[str]) -> str:
    """The message that no measure is given; it names a file with the name of a measure."""
    for path in paths:
        if is_measure(path):
            reason = f"{path!r} is a file here, so it is a run; rename or remove it"
            return f"no measure is given: {reason}"
    return "no measure is given; name one or more, for example nDCG_JK@10 nDCG@10 AP"


def _neither_file_nor_measure(text: str, error: GradedError) -> GradedError:
    """The message about an argument that is not a file and, because of `error`, not a measure."""
    from ..core.registry.everyday import is_everyday  # Only mistakes need it.

    if is_everyday(text):
        return error
    run_name, _, path = text.partition("=")  # as in NAME=path
    if not run_name or not path:
        path = text
    if os.path.isdir(path):
        if not files_of_folder(path):
            return GradedError(f"{path!r} has no files; pass run files or their folder")
        from .mixed_folders import patterns_in  # Only this message needs it.

        pattern = " ".join(patterns_in(path)) or os.path.join(quoted(path), "*")
        return GradedError(f"{path!r} is a directory; pass run files, for example {pattern}")
    if "(" not in text and re.search(r"[/\\*?]|\.[A-Za-z]\w*$", path):
        return GradedError(f"file not found: {path!r}{similar_files(path)}")
    name = re.match(r"\w*", text)
    if isinstance(error, UnknownMeasureError) or not name or registered(name[0]) is None:
        separator = "" if str(error).endswith("?") else ";"
        return UnknownMeasureError(f"{error}{separator} there is no such file either")
    return error
