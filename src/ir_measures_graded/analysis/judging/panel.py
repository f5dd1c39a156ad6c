"""What a human and machines judged: read as dicts, merged by one rule, on one scale, and runs under
each.

The first source that judges a document of a topic decides its level. A later source with another
level contradicts it. Contradictions are reported, not averaged. Each run is read once for all
judges.
"""

import os
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from ir_measures import Measure

from ...arguments import explains_wrong_calls
from ...core.ranking.gains import plain_number
from ...core.registry.facts import needs_intents
from ...core.registry.notation import parse_measures
from ...core.rows.chosen import SharedName
from ...core.rows.column_words import judge_of, names_no_judge
from ...core.rows.columns import OF_CLASSIFIERS, plain, usual_column
from ...core.rows.roles import QRELS, RUN, Role
from ...core.rows.rows import Part, distinct, is_whole
from ...errors import FileError, GradedError, InputWarning, Remark, level_of_caller, shown
from ...evaluation.evaluate import evaluate
from ...evaluation.evaluation import NO_VALUE, Evaluation
from ...evaluation.named import (
    Judgments,
    Qrels,
    Run,
    Runs,
    Study,
    about,
    named_runs,
    study_of,
)
from ...evaluation.remarks import issue
from ...files.files import header_of
from ...files.grouping import grouped
from ...files.sources import is_file, qrels_source
from ...output.formats import listed
from ...progress import steps
from .one_table import (
    THE_HUMAN,
    first_part,
    judge_word,
    names_of_judges,
    qrels_of,
    refuse_same_source,
)

HUMAN: Final = "human"
MACHINE: Final = "machine"
LISTED = 12
"""The number of levels that a message lists."""
ABSTAINED: Final = 0.01
"""At most this share of a machine's answers may be outside the human's scale."""
OUTSIDE: Final = "outside"
"""The kind of the remark on answers outside the human's scale."""
EQUAL: Final = "equal"
"""The kind of the remark on a machine whose judgments are those of the human."""
ALL_EQUAL: Final = "all judgments are those of {}; it may be a copy of the same judgments"
ANSWERS_OUTSIDE: Final = (
    "{}'s levels are {}; {:,} of {:,} answers {} outside (topic {}, document {}: {})"
)
MAP: Final = (
    "map every level of the machine to one of the human with machine_levels (--machine_levels), "
    "such as "
)
COMPLETE: Final = 95
"""A topic is judged completely from this percentage of the documents on."""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
MAPPED: Final = re.compile(rf"(?P<low>{_NUMBER})(?:-(?P<high>{_NUMBER}))?\s*:\s*(?P<to>{_NUMBER})")
"""A level, or a range of levels, and the level that they become."""
UNCLEAR = "{} may be qrels or a run: convert it to a TREC file, or name its column relevance or sim"

LevelsByTopic = dict[str, dict[str, float]]
"""The level of each judged document of each topic."""


class Answers(NamedTuple):
    """The judgments of a source, the number of its rows without a level, and the names of its
    columns of topics, documents and levels, if it is a table whose columns have names."""

    levels: LevelsByTopic
    unanswered: int
    heads: tuple[str, ...] = ()


def answers_in(qrels: Any, name: str = "qrels", heads: Sequence[str] = ()) -> Answers:
    """The judgments in qrels of any form as a dict of dicts.

    Whole levels become ints. In a text file, such as CSV with the columns topic, document and
    level, an empty level, ``?`` or ``-`` means that the document is not judged. The columns of a
    file may have the names of these `heads`. Raises `GradedError` for a document judged at two
    levels, and for an id with and without the apostrophe of `as_text`. The message begins with
    `name`, or with the file and its line.
    """
    word = None
    if isinstance(qrels, (str, os.PathLike)):
        word = judge_word(os.fspath(qrels))
    if word is not None and is_file(word.path):
        columns = [SharedName(*pair) for pair in zip(QRELS.columns, heads, strict=False)]
        table = qrels_of(word, columns)
    else:
        table = qrels.rows if isinstance(qrels, Judgments) else qrels_source(qrels)
    named_rows = replace(table, role=table.role.renamed(name))
    judgments = distinct(named_rows)
    if judgments.conflict:
        raise judgments.conflict
    judged = judgments.qrels.dicts()
    is_csv = table.facts.form == "CSV"
    levels = {}
    for topic in table.topics:
        of_topic = {doc: plain_number(level) for doc, level in judged.get(topic, {}).items()}
        levels[topic] = by_id(of_topic, table.file) if is_csv else of_topic
    if is_csv:
        levels = by_id(levels, table.file)
    return Answers(levels, table.facts.unjudged, table.facts.heads)


def as_text(cell: str) -> str:
    """The cell with an apostrophe before a sign that makes a spreadsheet compute; `answers_in`
    removes it.

    >>> as_text("=1+2"), as_text("d1-2")
    ("'=1+2", 'd1-2')
    """
    return f"'{cell}" if re.match(r"'*[=+\-@]", cell) else cell


def by_id(cells: Mapping[str, Any], file: str) -> dict[str, Any]:
    """The values of cells that `as_text` wrote, by id. Raises `FileError` for two cells of one id.

    >>> by_id({"'=1+2": 3, "d1-2": 0}, "answers.csv")
    {'=1+2': 3, 'd1-2': 0}
    """
    values: dict[str, Any] = {}
    for cell, value in cells.items():
        text = cell
        if re.match(r"'+[=+\-@]", cell):
            text = cell[1:]
        if text in values:
            raise FileError(
                f"{file}: the id {shown(text)} is written with and without an apostrophe"
            )
        values[text] = value
    return values


def is_judge(path: str, beside_runs: bool = False, columns: Sequence[tuple[str, str]] = ()) -> bool:
    """Whether a file has answers of a judge: by its form and, beside runs, by its first numbers.

    `columns` are those of `RunFile`.

    A file whose form allows both is a run if a number is not whole. It is a judge if whole numbers
    repeat in a topic of 5 documents or more, as levels do, or if its levels have a probability
    beside them. Raises `GradedError` if its numbers allow both, too.
    """
    readings: dict[Role, Part] = {}
    roles = (QRELS, RUN) if beside_runs else (QRELS,)
    for role in roles:
        with suppress(GradedError):
            readings[role] = first_part(path, role, columns)
    if len(readings) < 2:
        return QRELS in readings
    levels = readings[QRELS].columns["relevance"]
    scores = readings[RUN].columns["score"]
    is_one_column = np.array_equal(levels, scores, equal_nan=True)
    if is_one_column:
        if not is_whole(levels):
            return False
        rows, _, bounds = grouped(readings[QRELS], "query_id")
        topics = np.split(rows.columns["relevance"], bounds)
        if any(5 <= len(topic) > np.unique(topic).size for topic in topics):
            return True
    elif plain(usual_column(header_of(path, columns), RUN.value)) in OF_CLASSIFIERS:
        return True
    raise GradedError(UNCLEAR.format(path))


def refuse_neither(path: str, columns: Sequence[tuple[str, str]] = ()) -> None:
    """Raise `GradedError` for a file that is neither a run nor a judge: why it is no judge."""
    try:
        first_part(path, RUN, columns)
    except GradedError:
        first_part(path, QRELS, columns)


def judgments_of(qrels: LevelsByTopic) -> Iterator[tuple[str, str, float]]:
    """The topic, document and level of each judgment."""
    return ((topic, doc, level) for topic, judged in qrels.items() for doc, level in judged.items())


def judged_topics(qrels: LevelsByTopic) -> LevelsByTopic:
    """The topics with a judgment."""
    return {topic: judged for topic, judged in qrels.items() if judged}


@dataclass(frozen=True)
class MergedQrels:
    """Merged qrels, and what each source added.

    `qrels` is a dict of dicts, which `evaluate` and ir-measures accept. `added` has for each source
    the number of its judgments that are new, `contradictions` a sentence for each document that a
    later source judges at another level.
    """

    qrels: LevelsByTopic
    added: dict[str, int]
    contradictions: list[str]


@explains_wrong_calls("add_answers(qrels, 'answers.jsonl')")
def add_answers(qrels: Qrels, *files: Qrels) -> MergedQrels:
    """The qrels, completed with judges' answers, such as files that `Holes.ask` wrote.

    The first source that judges a document decides its level: the qrels take precedence over the
    answers, and earlier files over later ones. Documents without an answer stay unjudged. All
    sources are in any form that ir-measures takes, paths of files, or ir-datasets ids.

    >>> merged = add_answers({"q1": {"a": 2}}, {"q1": {"a": 1, "b": 3}, "q2": {"c": 0}})
    >>> merged.qrels, merged.added
    ({'q1': {'a': 2, 'b': 3}, 'q2': {'c': 0}}, {'qrels': 1, 'answers 1': 2})
    >>> print(*merged.contradictions)
    topic 'q1', document 'a': level 2 by qrels, 1 by answers 1

    Raises `GradedError` for qrels that cannot be read, for two sources of one name, and for a
    source that judges a document at two levels.
    """
    return merged_answers([qrels, *files])


def merged_answers(sources: Sequence[Qrels], heads: Sequence[str] = ()) -> MergedQrels:
    """The same of qrels and the answers behind them.

    The columns of files may have the names of the `heads`, by default those of the qrels.
    """
    merged = MergedQrels({}, {}, [])
    decided: dict[tuple[str, str], str] = {}
    for number, source in enumerate(sources):
        name = f"answers {number}" if number else "qrels"
        if number and isinstance(source, (str, os.PathLike)):
            name = os.fspath(source)
        elif number and isinstance(source, Judgments) and source.name is not None:
            name = source.name
        if name in merged.added:
            raise GradedError(
                f"two sources of qrels are named {name!r}; give each a name of its own"
            )
        answers = answers_in(source, name, heads)
        levels = answers.levels
        heads = heads or answers.heads
        for topic in levels:
            merged.qrels.setdefault(topic, {})
        judged = len(decided)
        for topic, document, level in judgments_of(levels):
            first = merged.qrels[topic].setdefault(document, level)
            kept = decided.setdefault((topic, document), name)
            if first != level:
                place = f"topic {topic!r}, document {document!r}"
                levels_by_source = f"level {first:g} by {kept}, {level:g} by {name}"
                merged.contradictions.append(f"{place}: {levels_by_source}")
        merged.added[name] = len(decided) - judged
    return merged


@dataclass(frozen=True)
class Panel:
    """The judgments of a machine beside the human's, and the values of the runs under both.

    `abstentions` counts the machine's rows without a level and its answers outside the human's
    scale, and `outside` is a remark on the latter. `values` has the values of the runs under the
    human and under the machine; it is None without runs. `incomplete` has, by each measure, the
    topics of the machine that the human did not judge completely: less than 95 % of the documents
    that the machine judged within the cutoff of a run. `shares` has, by each measure, the share of
    these documents in the topics of both that the human judged; it is 1 without any. `human_name`
    is what sentences call the human.
    """

    name: str
    human: LevelsByTopic
    machine: LevelsByTopic
    abstentions: int
    outside: Remark | None
    values: tuple[Evaluation, Evaluation] | None = None
    incomplete: Mapping[Measure, frozenset[str]] = field(default_factory=dict)
    shares: Mapping[Measure, float] = field(default_factory=dict)
    human_name: str = THE_HUMAN

    @property
    def both(self) -> list[str]:
        """The topics that both judged, in the human's order."""
        return [topic for topic in self.human if topic in self.machine]


def remarks_on(panels: Iterable[Panel]) -> tuple[Remark, ...]:
    """The remarks on equal judgments, on answers outside the scale, and on topics without a value
    under any judge."""
    remarks: dict[Remark, None] = {}
    without_value: dict[Remark, None] = {}
    for panel in panels:
        if panel.machine == panel.human:
            remarks[Remark(EQUAL, panel.name, ALL_EQUAL.format(panel.human_name))] = None
        if panel.outside is not None:
            remarks[panel.outside] = None
        for values in panel.values or ():
            gaps = (remark for remark in values.remarks if remark.kind == NO_VALUE)
            without_value |= dict.fromkeys(gaps)
    return tuple(remarks | without_value)


def values_of(evaluation: Evaluation, topics: Iterable[str]) -> np.ndarray:
    """The values for these topics (runs × measures × topics)."""
    number = {topic: column for column, topic in enumerate(evaluation.topics)}
    return evaluation.values[:, :, [number[topic] for topic in topics]]


def panels(
    human: Qrels,
    machines: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]],
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    machine_levels: Mapping[Any, Any] | str | None = None,
    human_name: str = THE_HUMAN,
) -> list[Panel]:
    """A `Panel` for each machine. `human_name` is as in `Panel`, the other parameters are those of
    `judges` and `estimate`."""
    qrels_by_name = named_judges(machines)
    if not qrels_by_name:
        raise GradedError(
            "no machine judge is given; pass one or more by name, or paths of qrels files"
        )
    refuse_same_source(human, qrels_by_name.values())
    wanted = parse_measures(measures) if measures else ()
    named = named_runs(runs, needed=False)
    if bool(named) != bool(wanted):
        raise GradedError("to compare the orders of runs, give both runs and measures")
    for measure in wanted:
        if needs_intents(measure):
            raise GradedError(
                f"{measure} takes no judges: they are compared by one level of each document"
            )
    human_levels = answers_in(human, HUMAN).levels
    by_human = judged_topics(human_levels)
    without_values = []
    for name, machine in steps(qrels_by_name.items(), "judges"):
        answers, unanswered, _ = answers_in(machine, MACHINE)
        levels, count, outside = on_one_scale(
            by_human, answers, machine_levels, str(name), human_name
        )
        abstentions = unanswered + count
        by_machine = judged_topics(levels)
        panel = Panel(str(name), by_human, by_machine, abstentions, outside, human_name=human_name)
        without_values.append(panel)
    if not named:
        return without_values
    return _with_values(without_values, named, wanted)


def name_of_human(human: Qrels) -> str:
    """What sentences call the first judge: "the human", or the name of its file or column if this
    names another judge.

    >>> [name_of_human(qrels) for qrels in ("human.txt", "qrels.txt", "labels/Olz-exp.txt.gz", {})]
    ['the human', 'the human', 'Olz-exp', 'the human']
    """
    if not isinstance(human, (str, os.PathLike)):
        return THE_HUMAN
    (name,) = names_of_judges([judge_word(os.fspath(human))])
    words = plain(name)
    if judge_of(words) == HUMAN or names_no_judge(words):
        return THE_HUMAN
    return name


def named_judges(
    judges: Mapping[str, Qrels] | Iterable[str | os.PathLike[str]],
) -> dict[str, Qrels]:
    """The qrels of each judge by its name. Raises `GradedError` for one that is given twice."""
    if isinstance(judges, Mapping):
        return dict(judges)
    if isinstance(judges, (str, os.PathLike)):
        judges = [judges]
    words = [judge_word(os.fspath(path)) for path in judges]
    paths = [str(word) for word in words]
    by_name: dict[str, Qrels] = dict(zip(names_of_judges(words), paths, strict=True))
    if len(by_name) < len(paths):
        raise GradedError(f"a judge is given twice: {', '.join(paths)}")
    return by_name


def _with_values(
    panels_of_runs: Sequence[Panel], named: Sequence[Run], measures: Sequence[Measure]
) -> list[Panel]:
    """The panels with the values of the runs. Warnings of several judges are issued once."""
    runs = []
    of_sources: list[Remark] = []
    for run in named:
        with about(run.name):
            rows = run.source.rows()
        runs.append(replace(run, source=rows))
        # The rows do not tell them: they are on passages, on answers of search engines, on ranks.
        for remark in run.source.remarks:
            if remark not in rows.remarks:
                of_sources.append(remark._replace(subject=run.name))
    issue(of_sources)
    warned: set[str] = set()
    by_human = panels_of_runs[0].human
    of_human = _evaluated(study_of(by_human, runs, measures), measures, "", warned)
    complete_panels = []
    for panel in steps(panels_of_runs, "judges"):
        study = study_of(panel.machine, runs, measures)
        of_machine = _evaluated(study, measures, panel.name, warned)
        incomplete, shares = _completeness(study, by_human, of_machine.measures)
        values = (of_human, of_machine)
        complete_panels.append(replace(panel, values=values, incomplete=incomplete, shares=shares))
    return complete_panels


def _evaluated(
    study: Study, measures: Sequence[Measure], machine: str, warned: set[str]
) -> Evaluation:
    """The values of a study. Issues the warnings that are not among those `warned` of, as one line
    for a machine."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always", InputWarning)
        values = evaluate(study.judgments, study.runs, measures)
    texts = [str(warning.message) for warning in issued]
    new = [text for text in texts if text not in warned]
    warned.update(new)
    if machine and new:
        new = [f"{machine}: {'; '.join(new)}"]
    for text in new:
        warnings.warn(text, InputWarning, stacklevel=level_of_caller())
    return values


def _completeness(
    study: Study, human: LevelsByTopic, measures: Iterable[Measure]
) -> tuple[dict[Measure, frozenset[str]], dict[Measure, float]]:
    """The topics of a machine's study that the human did not judge completely, and the share of
    their documents that the human judged, by each measure."""
    judged = study.judgments.judged
    by_human = []
    for topic, documents in judged.rows.dicts().items():
        of_topic = human.get(topic, {})
        by_human += [document in of_topic for document in documents]
    is_by_human = np.array(by_human, dtype=bool)
    topics = np.array(judged.topics, dtype=object)
    is_of_both = np.array([topic in human for topic in judged.topics], dtype=bool)
    incomplete = {}
    shares = {}
    for measure in measures:
        is_within = _within_cutoff(study, measure)
        by_machine = np.bincount(judged.topic[is_within], minlength=topics.size)
        by_both = np.bincount(judged.topic[is_within & is_by_human], minlength=topics.size)
        is_incomplete = 100 * by_both < COMPLETE * by_machine
        incomplete[measure] = frozenset(topics[is_incomplete].tolist())
        within = int(by_machine[is_of_both].sum())
        shares[measure] = 1.0
        if within:
            shares[measure] = int(by_both[is_of_both].sum()) / within
    return incomplete, shares


def _within_cutoff(study: Study, measure: Measure) -> np.ndarray:
    """Whether some run of the study retrieves each judged document within the cutoff."""
    is_within = np.zeros(study.judgments.judged.level.size, dtype=bool)
    cutoff = measure.params.get("cutoff")
    for run in study.runs:
        ranks = run.ranks
        if measure.params.get("judged_only"):
            ranks = ranks.condensed
        documents = ranks.doc
        if cutoff is not None:
            documents = documents[ranks.rank <= cutoff]
        is_within[documents] = True
    return is_within


def on_one_scale(
    human: LevelsByTopic,
    machine: LevelsByTopic,
    machine_levels: Mapping[Any, Any] | str | None,
    name: str = MACHINE,
    human_name: str = THE_HUMAN,
) -> tuple[LevelsByTopic, int, Remark | None]:
    """The machine's qrels on the human's scale, the number of answers outside it, and a sentence
    about them.

    `machine_levels` is as in `rescaled`; `name` and `human_name` name the judges in messages.
    The human's scale has the levels from the human's lowest level, or 0, to the highest, whole if
    the human's are. The machine need not use all of them. The remark names its first answer at
    another level. Such
    answers are abstentions in at most 1 % of all. Raises `GradedError` if there are more, but keeps
    them all if `machine_levels` is given.
    """
    if machine_levels is not None:
        machine = rescaled(machine, machine_levels, name)
    scale = sorted({level for *_, level in judgments_of(human)})
    lowest = min([0, *scale])
    highest = max([0, *scale])
    has_fractions = not all(float(level).is_integer() for level in scale)

    def is_outside(level: float) -> bool:
        is_between = level % 1 != 0 and not has_fractions
        return not lowest <= level <= highest or is_between

    answers = list(judgments_of(machine))
    outside = [answer for answer in answers if is_outside(answer[2])]
    if not outside:
        return machine, 0, None
    topic, document, level = outside[0]
    levels = listed((f"{level:g}" for level in scale), LISTED) or "none"
    are = "is" if len(outside) == 1 else "are"
    first = (shown(topic), shown(document), level)
    text = ANSWERS_OUTSIDE.format(human_name, levels, len(outside), len(answers), are, *first)
    if machine_levels is not None:
        return machine, 0, Remark(OUTSIDE, name, f"{text}. The map of the levels keeps them")
    advice = MAP + _advised(sorted({level for *_, level in answers}), scale, is_outside)
    if len(outside) > ABSTAINED * len(answers):
        raise GradedError(f"{name}: {text}; {advice}")
    kept = {topic: dict(judged) for topic, judged in machine.items()}
    for topic, document, _ in outside:
        del kept[topic][document]
    text += f". Such answers are abstentions; to keep them, {advice}"
    return kept, len(outside), Remark(OUTSIDE, name, text)


def _advised(
    levels: Sequence[float], scale: Sequence[float], is_outside: Callable[[float], bool]
) -> str:
    """A map that names every level of the machine: a scale of many levels by ranges, any other one
    by one.

    A level of the human's scale stays.
    """
    pairs = []
    if len(levels) > LISTED:
        parts = np.array_split(np.array(levels), max(1, len(scale)))
        ranges = [levels_of_part.tolist() for levels_of_part in parts if levels_of_part.size]
        for levels_in_range, human_level in zip(ranges, scale or [0], strict=False):
            low = plain_number(levels_in_range[0])
            high = plain_number(levels_in_range[-1])
            pairs.append(f"{low}-{high}:{plain_number(human_level)}")
        return ",".join(pairs)
    for level in levels:
        mapped = level
        if is_outside(level):
            below = [human_level for human_level in scale if human_level <= level]
            mapped = max(below, default=min([0, *scale]))
        pairs.append(f"{plain_number(level)}:{plain_number(mapped)}")
    return ",".join(pairs)


class MappedRange(NamedTuple):
    """The levels from `low` to `high`, which become the level `to`."""

    low: float
    high: float
    to: float


def rescaled(
    qrels: LevelsByTopic, levels: Mapping[Any, Any] | str, name: str = "qrels"
) -> LevelsByTopic:
    """The qrels on another scale.

    `levels` maps levels of the qrels, or ranges of them, to those of the other scale, or is a
    string of such pairs. It names every level of the qrels. `name` names the qrels in error
    messages.

    >>> rescaled({"q": {"a": 0, "b": 4.5, "c": 7}}, "0-4.9:0,5-9.9:1,10:3")
    {'q': {'a': 0, 'b': 0, 'c': 1}}

    Raises `GradedError` for anything but pairs of finite numbers, for a level that is named twice,
    for a map that assigns a lower level to a higher one, and for a level of the qrels that the map
    does not name.
    """
    if isinstance(levels, str):
        text = levels
    else:
        text = ",".join(f"{level}:{to}" for level, to in levels.items())
    ranges = _ranges_in(text)
    if not ranges:
        raise GradedError(
            f"levels {text!r} are not allowed; write LEVEL:LEVEL,… or LEVEL-LEVEL:LEVEL,…, such as "
            "0:0,1:1,5:2 or 0-4:0,5-9:1,10:3, in which no level is named twice and no higher one "
            "becomes lower"
        )
    lows = [mapped.low for mapped in ranges]
    scaled: LevelsByTopic = {topic: {} for topic in qrels}
    for topic, document, level in judgments_of(qrels):
        place = bisect_right(lows, level) - 1
        if place < 0 or level > ranges[place].high:
            raise GradedError(
                f"{name}: topic {topic!r}, document {document!r}: level {level:g} is not named in "
                f"{text!r}; name every level, those that stay too, as in 2:2, or a range, as in "
                "5-9:1"
            )
        scaled[topic][document] = ranges[place].to
    return scaled


def _ranges_in(text: str) -> list[MappedRange]:
    """The mapped levels in a text, sorted; none if it is no map."""
    ranges = []
    for mapped_range in text.split(","):
        match = MAPPED.fullmatch(mapped_range.strip())
        if match is None:
            return []
        low = plain_number(float(match["low"]))
        high = plain_number(float(match["high"] or match["low"]))
        ranges.append(MappedRange(low, high, plain_number(float(match["to"]))))
    ranges.sort()
    is_finite = bool(np.isfinite(ranges).all())
    is_forward = all(mapped.low <= mapped.high for mapped in ranges)
    neighbours = list(pairwise(ranges))
    are_apart = all(before.high < after.low for before, after in neighbours)
    is_rising = all(before.to <= after.to for before, after in neighbours)
    is_map = is_finite and is_forward and are_apart and is_rising
    return ranges if is_map else []
