"""Qrels and runs, with the names that messages and tables use, and studies, which keep them.

Both come in any form that ir-measures takes, or as the path of a file. Qrels also come as an
ir-datasets id.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ..arguments import explains_wrong_calls
from ..core.measures.base import GradedMeasure
from ..core.measures.topics import Topics
from ..core.provider import view
from ..core.ranking.judged import Judged, KeptParts
from ..core.ranking.ranks import JudgedRanks
from ..core.reduction import blocks_of, judged_of
from ..core.registry.names import OFFICIAL, OFFICIAL_OF_TREC_EVAL
from ..core.registry.notation import parse_measures
from ..core.rows.arrow import arrow_array, exports_arrow, whole_table
from ..core.rows.id_columns import stretches_of
from ..core.rows.lists import has_pairs, is_pair, sequence_of
from ..core.rows.roles import QRELS, RUN, Role
from ..core.rows.rows import Rows, RunSource, refuse_empty, refuse_mixed
from ..core.rows.sources import Source, in_memory
from ..errors import FileError, GradedError, Remark, WholeLevelsError, did_you_mean, quoted, shown
from ..files.content import matching
from ..files.files import RunFile, file_name, without_endings
from ..files.sources import definitions_of, is_file, qrels_source
from ..output.result import Result
from .counting import PLAIN, Counting
from .order_of_rows import in_order_given, refuse_readers_of_scores
from .remarks import DEPTH, RunRemarks, depth_of, issue
from .sessions import Given, Sessions
from .vespa_ids import short_id, with_ids_of_qrels

if TYPE_CHECKING:
    from ..files.contracts import Contract

Runs = Mapping[str, Any] | Iterable[Any] | str | os.PathLike[str]
"""Runs by name, or pairs of name and run. A run is in any form that ir-measures takes, a path of a
file, or a `RunFile`. A file is read when its run is evaluated.

One path, pattern of paths such as ``runs/*``, `RunFile` or table is also accepted, and so is a
list of these. As in the commands, the column
``run`` then names the runs of a table, and `run_names` names the others."""
UNNAMED = "run"
"""The name of a run without a name."""


class AssumedLevel:
    """The level of documents that are not judged in truth, pairs of topic and id."""

    def __init__(self, level: float, documents: frozenset[tuple[str, str]]):
        self.level = level
        self.documents = documents


@dataclass(eq=False, repr=False)
class Judgments:
    """Qrels as a table, and their name, if they have one.

    Qrels of some topics only come with the levels of their `collection`, or with their `selected`
    documents. With `sessions`, values are those of sessions. `counting` tells how topics count in
    means. `assumed` tells the level of documents that are not judged in truth.
    """

    rows: Rows
    name: str | None
    collection: np.ndarray | None = None
    selected: Judged | None = None
    sessions: Sessions | None = None
    counting: Counting = PLAIN
    assumed: AssumedLevel | None = None

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of appearance."""
        return tuple(self.numbers)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each topic in that order."""
        return {topic: number for number, topic in enumerate(self.rows.topics)}

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all judged documents."""
        return frozenset(self.rows.docs.ids())

    @cached_property
    def has_ids_of_vespa(self) -> bool:
        """Whether one of the judged documents has a full id of Vespa."""
        return any(short_id(id_) is not None for id_ in self.ids)

    @cached_property
    def contract(self) -> Contract | None:
        """What the levels mean, if the qrels are an ir-datasets id of which this is known."""
        return _contract_of(self.name)

    @cached_property
    def documents(self) -> Judged:
        """The judged documents, which may have levels for several intents."""
        with about(self.name):
            return self.selected or judged_of(self.rows, self.collection)

    @cached_property
    def parts(self) -> KeptParts:
        """Parts of the judged documents, kept for further runs."""
        return KeptParts(self.documents)

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of the judged documents, also of topics that were not selected."""
        return tuple(self.documents.whole.all_levels.tolist())

    @property
    def judged(self) -> Judged:
        """The levels of the judged documents. Raises `GradedError` for two levels of a document."""
        with about(self.name):
            self.documents.need_one_level()
        return self.documents

    def part(self, topics: Sequence[str]) -> Judgments:
        """The qrels of some topics. Raises `GradedError` for a topic that the qrels lack."""
        for topic in topics:
            if topic not in self.numbers:
                hint = (
                    did_you_mean(str(topic), self.topics) or f" (such as {shown(self.topics[0])})"
                )
                with about(self.name):
                    raise GradedError(f"topic {shown(topic)} is not in the qrels{hint}")
        if tuple(topics) == self.topics:
            return self
        numbers = np.array([self.numbers[topic] for topic in topics], dtype=np.int64)
        selected = self.documents.part(numbers)
        return replace(self, rows=self.rows.part(numbers), selected=selected, sessions=None)


Qrels = Source | str | os.PathLike[str] | Judgments
"""Qrels in any form that ir-measures takes, a path of a file, or an ir-datasets id."""


def read_judgments(qrels: Qrels) -> Judgments:
    """Read qrels; `Judgments` are returned unchanged.

    Raises `GradedError` for qrels without a topic.
    """
    if isinstance(qrels, Judgments):
        return qrels
    if isinstance(qrels, Result):
        raise GradedError(
            "an Evaluation has no rankings, which this analysis needs; give qrels and runs"
        )
    name = os.fspath(qrels) if isinstance(qrels, (str, os.PathLike)) else None
    table = qrels_source(qrels)
    with about(name):
        refuse_empty(table)
    return Judgments(table, name)


def measures_for(
    qrels: Qrels, measures: Iterable[Measure | str] | Measure | str, uncut: bool = False
) -> tuple[Measure, ...]:
    """The measures, as `parse_measures`; ``official`` stands for those of the collection.

    Raises `GradedError` for ``official`` if the qrels are no ir-datasets id whose measures are
    known.
    """
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    wanted: list[Measure | str] = []
    for measure in measures:
        if isinstance(measure, str) and measure.strip() == OFFICIAL:
            wanted += official_measures(qrels)
        else:
            wanted.append(measure)
    return parse_measures(wanted, uncut)


def _contract_of(name: str | None) -> Contract | None:
    """The contract of an ir-datasets id; None for a file and for qrels without a name."""
    if name is None or is_file(name):
        return None
    from ..files.contracts import contract_of  # Few qrels are ids.

    return contract_of(name)


def official_measures(qrels: Qrels) -> Sequence[str]:
    """The official measures of a collection. Raises `GradedError` if they are not known."""
    source = qrels.name if isinstance(qrels, Judgments) else qrels
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    contract = _contract_of(name)
    if contract is None or not contract.official:
        if name is not None:
            definitions_of(name)  # raises for a name that is no file and no id
        what = "qrels in memory" if name is None else shown(name)
        raise GradedError(
            f"{OFFICIAL} is for some ir-datasets ids, not for {what}; name the measures (those of "
            f"trec_eval: {OFFICIAL_OF_TREC_EVAL})"
        )
    return contract.official


@explains_wrong_calls("ignoring_identical_ids(runs)")
def ignoring_identical_ids(runs: Runs) -> list[Run]:
    """The runs without the documents that have the id of their topic, for all analyses.

    BEIR leaves them out under this name. In collections such as ArguAna and Quora, the topics are
    documents themselves, and a run that finds the topic itself finds nothing. Raises
    `GradedError` for no run and for anything that is no run; files are read by the analysis.

    >>> (run,) = ignoring_identical_ids({"bm25": {"q": {"q": 2.0, "a": 1.0}}})
    >>> run.rows(read_judgments({"q": {"a": 1}})).dicts()
    {'q': {'a': 1.0}}
    """
    return [replace(run, ignore_identical_ids=True) for run in named_runs(runs)]


@explains_wrong_calls("ordered_runs(runs)")
def ordered_runs(runs: Runs) -> list[Run]:
    """The runs, in which tied documents stay in the order of their rows, for all analyses.

    LightGBM and XGBoost rank so. By default, the ids order tied documents. The rows have the order
    of the file, of the dict or of the table. Scores are compared as 32-bit floats, as everywhere;
    then ranks replace them, so nothing is tied for any option of a measure. A measure that reads
    scores, such as ADM, is an error.

    Raises `GradedError` for no run and for anything that is no run; files are read by the analysis.

    >>> (run,) = ordered_runs({"lightgbm": {"q": {"a": 0.5, "b": 0.75, "c": 0.5}}})
    >>> run.rows(read_judgments({"q": {"a": 1}})).dicts()
    {'q': {'a': -2.0, 'b': -1.0, 'c': -3.0}}
    """
    return [replace(run, in_order_given=True, parent=None) for run in named_runs(runs)]


@explains_wrong_calls("ascending_runs(runs)")
def ascending_runs(runs: Runs) -> list[Run]:
    """The runs, in which smaller scores are better, as distances are, for all analyses.

    A score of 0.5 becomes −0.5. Raises `GradedError` for no run and for anything that is no run;
    files are read by the analysis.

    >>> (run,) = ascending_runs({"nearest": {"q": {"a": 0.5, "b": 0.25}}})
    >>> run.rows(read_judgments({"q": {"a": 1}})).dicts()
    {'q': {'a': -0.5, 'b': -0.25}}
    """
    return [replace(run, source=run.source.ascending()) for run in named_runs(runs)]


@explains_wrong_calls("document_runs(runs, '#')")
def document_runs(
    runs: Runs,
    separator: str | None = None,
    pattern: str | None = None,
    column: str | None = None,
) -> list[Run]:
    """Runs of passages as runs of their documents, for all analyses.

    The score of a document is the highest one of its passages, and one parameter tells which
    document a passage belongs to: the text before the last `separator` of its id, the group ``doc``
    or the first group of a regular `pattern` that matches the whole id, or a `column` of a file.
    Give scores as they are: for distances, apply `ascending_runs` or ``ascending=True`` as well.

    Raises `GradedError` for other parameters, and when the run is read for an id without a
    document.

    >>> (run,) = document_runs({"dense": {"q": {"d1#0": 0.5, "d1#1": 0.75, "d2#0": 0.6}}}, "#")
    >>> run.rows(read_judgments({"q": {"d1": 1}})).dicts()
    {'q': {'d1': 0.75, 'd2': 0.6}}
    """
    from ..core.rows.passages import PassageRule, PassageRun  # This import takes time.

    rule = PassageRule(separator, pattern, column)
    by_documents: list[Run] = []
    for run in named_runs(runs):
        source = run.source
        if column is not None and isinstance(source, RunFile):
            source = source.with_documents(column)
        by_documents.append(replace(run, source=PassageRun(source, rule)))
    return by_documents


def in_sessions(qrels: Qrels, sessions: Given) -> Qrels:
    """The qrels with their sessions, by which `evaluate` combines values.

    Raises `GradedError` as `Sessions.of`.
    """
    if sessions is None or sessions is False:
        return qrels
    judgments = read_judgments(qrels)
    with about(judgments.name):
        return replace(judgments, sessions=Sessions.of(judgments.topics, sessions))


class ReadRun:
    """A kept run: its reduction as one block, all of its topics, and the remarks on it."""

    def __init__(self, ranks: JudgedRanks, topics: tuple[str, ...], remarks: tuple[Remark, ...]):
        self.ranks = ranks
        self.topics = topics
        self.remarks = remarks


@dataclass(eq=False, repr=False)
class Run:
    """A run and its name.

    If it is `kept_for` qrels, it is read and reduced to their documents on first use, and the
    reduction is kept. If the qrels are a part of others, for which another run is kept, this is
    its `parent`. With `ignore_identical_ids`, documents with the id of their topic are left out.
    With `in_order_given`, tied documents stay in the order of their rows.
    What another process has read of a kept run is `received` from it. Remarks count its unjudged
    documents down to the `depth`.
    """

    name: str
    source: RunSource
    kept_for: Judgments | None = None
    parent: Run | None = None
    ignore_identical_ids: bool = False
    in_order_given: bool = False
    received: ReadRun | None = field(default=None, init=False)
    depth: int | None = DEPTH

    def kept(self, judgments: Judgments, depth: int | None = DEPTH) -> Run:
        """The run, kept for these qrels."""
        if self.kept_for is judgments:
            return self
        return replace(self, kept_for=judgments, parent=None, depth=depth)

    @property
    def judgments(self) -> Judgments:
        """The qrels for which the run is kept."""
        assert self.kept_for is not None
        return self.kept_for

    @property
    def is_read(self) -> bool:
        """Whether the run, or the one that it is a part of, has been read and is kept."""
        whole = self.parent or self
        return "_read" in vars(self) or "_read" in vars(whole)

    @cached_property
    def _read(self) -> ReadRun:
        """The kept run, whose remarks are issued when it is read."""
        read = self.received or self.read()
        if self.parent is None:
            issue(read.remarks)
        return read

    def read(self) -> ReadRun:
        """Read and reduce the run. A part of a kept run has no remarks of its own."""
        whole = self.parent or self
        with about(self.name):
            if "_read" in vars(whole):
                rows = whole.ranks.listed
            else:
                rows = whole.rows(whole.judgments)
            (ranks,) = blocks_of(self.judgments.parts, rows)
        remarks: tuple[Remark, ...] = ()
        if self.parent is None:
            judgments = self.judgments
            counts = RunRemarks(judgments.documents, self.depth, judgments.contract)
            counts.count(ranks)
            remarks = tuple(counts.of(self.source, self.name))
        return ReadRun(ranks, tuple(rows.topics), remarks)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of a kept run, judged or not."""
        return self._read.topics

    @property
    def ranks(self) -> JudgedRanks:
        """The kept reduction, as one block.

        Raises `GradedError` for a run that cannot be evaluated.
        """
        return self._read.ranks

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The remarks on a kept run; for a part of the qrels, those on the whole run."""
        if self.parent is not None and self.parent is not self:
            return self.parent.remarks
        return self._read.remarks

    def view(self, measure: GradedMeasure, cut: bool = True) -> Topics:
        """The kept run as the measure sees it; without its cutoff unless `cut`.

        Raises `GradedError` as `refuse_readers_of_scores`.
        """
        self.refuse([measure])
        return view(measure, self.ranks, cut)

    def refuse(self, measures: Iterable[Measure]) -> None:
        """Raise `GradedError` for measures that cannot be computed of this run."""
        if self.in_order_given:
            refuse_readers_of_scores(measures)

    def reduced(self, judgments: Judgments, table: Rows | None = None) -> Iterable[JudgedRanks]:
        """The run, reduced to the judged documents, from its `table` if that has been read.

        Otherwise, a run in a file is read and reduced block by block, and an error may follow the
        last block.
        """
        if self.kept_for is judgments:
            return (self.ranks,)
        source = self._source_for(judgments)
        if table is None and not source.in_memory:
            return blocks_of(judgments.parts, self._blocks(source, judgments))
        rows = self.rows(judgments) if table is None else table
        return blocks_of(judgments.parts, rows)

    def rows(self, judgments: Judgments) -> Rows:
        """All rows of the run at once. Raises the errors of `RunSource` and of `check`."""
        table = self._source_for(judgments).rows()
        table = self._treated(table, judgments)
        if table.file:
            self.check(table.topics, judgments)
        refuse_mixed(table, judgments.rows)
        return table

    def _treated(self, rows: Rows, judgments: Judgments) -> Rows:
        """These rows with the ids of the qrels, without documents that are left out, and in the
        order that is asked for."""
        rows = with_ids_of_qrels(rows, judgments)
        if self.ignore_identical_ids:
            rows = rows.without_own_topic()
        if self.in_order_given:
            rows = in_order_given(rows)
        return rows

    def _source_for(self, judgments: Judgments) -> RunSource:
        """The run, whose file may have numbers for the lines of the qrels."""
        return self.source.beside(judgments.rows, is_whole=judgments.selected is None)

    def _blocks(self, source: RunSource, judgments: Judgments) -> Iterator[Rows]:
        """The rows of the run. The topics of a file are checked after the last block."""
        topics: list[str] = []
        for block in source.blocks():
            block = self._treated(block, judgments)
            topics += block.topics
            yield block
        if topics and block.file:
            self.check(topics, judgments)

    def check(self, topics: Sequence[str], judgments: Judgments) -> None:
        """Raises `FileError` for a run without any topic of the qrels."""
        if topics and judgments.numbers.keys().isdisjoint(topics):
            qrels = f"the qrels {judgments.name or ''}".rstrip()
            raise FileError(
                f"{self.name}: none of its topics (such as {shown(topics[0])}) is in {qrels} "
                f"(such as {shown(judgments.topics[0])}){self._way_out(judgments)}"
            )

    def _way_out(self, judgments: Judgments) -> str:
        """How a folder of answers, whose files have ids of queries as names, can be read beside
        judgments of the queries' texts; nothing for other runs."""
        file = getattr(self.source, "file", None)
        if not isinstance(file, (str, os.PathLike)) or not os.path.isdir(file):
            return ""
        import json  # only this message needs it, and it takes 4 ms

        query = json.dumps(judgments.topics[0], ensure_ascii=False)
        return (
            "; the files of the folder are named after the topics, so name them as the qrels do, "
            f"or write one JSON file with the answer of each query: {{{query}: {{answer}}, …}}"
        )


class NamedSource:
    """The runs in a file under a name, which comes before their own names if there are several."""

    def __init__(self, name: str, file: RunFile):
        self.name = name
        self.file = file

    def runs(self) -> Iterator[tuple[str, Any]]:
        """The pairs of name and run."""
        own_runs = list(_by_column(self.file, UNNAMED))
        if len(own_runs) < 2:
            _, only = own_runs[0]
            yield self.name, only
            return
        for own_name, run in own_runs:
            yield f"{self.name}/{own_name}", run


class Study:
    """Qrels that are read once, and runs that are reduced once to their judged documents.

    Analyses that look at a run several times, and all sections of a report, share the runs of a
    study. The fields are the arguments of an analysis: ``curves(study.judgments, study.runs,
    "nCG")`` reduces no run a second time. `evaluate` accepts such runs as well. It does not make
    them, because it reads runs block by block and forgets them.
    """

    def __init__(self, judgments: Judgments, runs: tuple[Run, ...]):
        self.judgments = judgments
        self.runs = runs

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The remarks on all runs, which are read if they have not been."""
        return tuple(remark for run in self.runs for remark in run.remarks)

    def part(self, topics: Sequence[str]) -> Study:
        """The study of some topics of the qrels."""
        judgments = self.judgments.part(topics)
        if judgments is self.judgments:
            return self
        return Study(
            judgments, tuple(replace(run, kept_for=judgments, parent=run) for run in self.runs)
        )


def study_of(qrels: Qrels, runs: Runs, measures: Iterable[Measure] = ()) -> Study:
    """The study of these runs. Runs that another study of the same qrels has reduced stay reduced.

    Remarks count unjudged documents as deep as the `measures` read. Raises `GradedError` as
    `read_judgments` and `named_runs`.
    """
    judgments = read_judgments(qrels)
    wanted = list(measures)
    depth = depth_of(wanted) if wanted else DEPTH
    return Study(judgments, tuple(run.kept(judgments, depth) for run in named_runs(runs)))


def _has_documents(run: Any) -> bool:
    """Whether this has the documents of a topic in place of a run: scores by id, ids, or pairs."""
    if isinstance(run, Mapping):
        return isinstance(next(iter(run.values()), None), Real)
    return has_pairs(run) or (isinstance(run, list) and bool(run) and isinstance(run[0], str))


def named_runs(runs: Runs, needed: bool = True) -> list[Run]:
    """Each run with its name.

    Raises `GradedError` for two runs of one name, and if runs are `needed` and there is none.
    """
    named: dict[str, Run] = {}
    pairs = runs.items() if isinstance(runs, Mapping) else pairs_of(runs)
    for name, run in pairs:
        if not isinstance(name, str):
            raise GradedError(f"a run's name is a string, not {shown(name)}")
        if name in named:
            hint = ""
            if name == UNNAMED:
                hint = ", as {'a': run, 'b': other}"
            elif isinstance(run, RunFile):
                named_again = quoted(f"new={run.name}")
                hint = f", as in {named_again} in a command"
            raise GradedError(f"two runs are named {shown(name)}; give each its own name{hint}")
        if _has_documents(run):
            raise GradedError(f"runs: {shown(name)} is a topic of one run; pass {{'mine': run}}")
        with about(name):
            if isinstance(run, Run):
                if run.name != name:
                    run = replace(run, name=name)
                named[name] = run
                continue
            if isinstance(run, (str, os.PathLike)):
                run = RunFile(run)
            source = run if isinstance(run, RunSource) else in_memory(run, RUN, name)
            named[name] = Run(name, source)
    if needed and not named:
        raise GradedError("no run is given; pass one or more runs by name, or paths of run files")
    return list(named.values())


def runs_to_explain(run: Any, name: str = "") -> dict[str, Any]:
    """One or two runs by name. A single run that has no name of its own gets the `name`.

    >>> runs_to_explain({"A": "a.run"}), runs_to_explain({"q1": {"d1": 2.0}})
    ({'A': 'a.run'}, {'': {'q1': {'d1': 2.0}}})

    Raises `GradedError` for more than two runs, two of one name, and a name for two.
    """
    if exports_arrow(run):
        run = whole_table(run)  # a stream can be read only once
    runs = _several(run)
    if runs is None:
        return {name: run}
    if len(runs) > 2:
        names = ", ".join(own_name for own_name, _ in runs)
        raise GradedError(f"explain takes at most two runs; {len(runs)} are given ({names})")
    if len(runs) == 1:
        ((own_name, only_run),) = runs
        return {name or own_name: only_run}
    if name:
        raise GradedError(f"name={name!r} names a single run; two are given, name them in a dict")
    return {named.name: named for named in named_runs(runs)}


def _several(run: Any) -> list[tuple[str, Any]] | None:
    """The pairs of name and run, None for a single run without a name."""
    if isinstance(run, Mapping):
        if run and all(map(_is_run, run.values())):
            return list(run.items())
        return None
    if isinstance(run, (list, tuple)):
        is_one_table = all(map(exports_arrow, run))
        if run and all(map(_is_run_or_pair, run)) and not is_one_table:
            return list(pairs_of(run))
        return None
    if isinstance(run, (str, os.PathLike)) or _is_table(run):
        pairs = list(pairs_of(run))
        return pairs if len(pairs) > 1 else None
    return None


def _is_run_or_pair(item: Any) -> bool:
    """Whether an item is a file or a table, or a pair of a name and a run."""
    if isinstance(item, tuple) and len(item) == 2:
        return isinstance(item[0], str) and _is_run(item[1])
    return isinstance(item, (str, os.PathLike, Run)) or _is_table(item)


def _is_run(value: Any) -> bool:
    """Whether a value of a mapping is a run, and not the documents of a topic."""
    if isinstance(value, (str, os.PathLike, RunSource, Run)):
        return True
    if isinstance(value, Mapping):
        first = next(iter(value.values()), None)
        return first is not None and not isinstance(first, Real)
    if isinstance(value, (list, tuple)):
        first = next(iter(value), None)
        is_row = isinstance(first, tuple) and len(first) > 2
        return is_row or (isinstance(first, (list, Mapping)) and not is_pair(first))
    return _is_table(value)


def with_topics(qrels: Any, runs: Any, topics: Sequence[Any]) -> tuple[Any, Any]:
    """Sequences of qrels and runs as dicts with these topics.

    >>> with_topics([["d1"], ["d2"]], {"mine": [["d1"], ["d3"]]}, ["q1", "q2"])
    ({'q1': ['d1'], 'q2': ['d2']}, {'mine': {'q1': ['d1'], 'q2': ['d3']}})

    Raises `GradedError` if something is no sequence, or has another length.
    """
    if isinstance(runs, Mapping):
        pairs = list(runs.items())
    else:
        pairs = list(pairs_of(runs))
    qrels_by_topic = _by_topic(qrels, QRELS, topics, "the qrels")
    by_name = {name: _by_topic(run, RUN, topics, f"run {shown(name)}") for name, run in pairs}
    return qrels_by_topic, by_name


def _by_topic(source: Any, role: Role, topics: Sequence[Any], what: str) -> dict[Any, Any]:
    """The items of a sequence by topic."""
    items = sequence_of(source, role)
    if items is None:
        raise GradedError(
            f"topics= names the lists of a sequence; without a sequence for {what}, leave it out"
        )
    if len(items) != len(topics):
        raise GradedError(f"topics= has {len(topics):,} topics, and {what} {len(items):,} lists")
    repeated = [topic for topic, count in Counter(topics).items() if count > 1]
    if repeated:
        raise GradedError(f"topics= has {shown(repeated[0])} twice")
    return dict(zip(topics, items.values(), strict=True))


def pairs_of(runs: Any) -> Iterator[tuple[str, Any]]:
    """Pairs of name and run; runs without a name get one."""
    is_single = isinstance(runs, (str, os.PathLike)) or not isinstance(runs, Iterable)
    if isinstance(runs, np.ndarray) and runs.ndim == 0:
        is_single = True
    if is_single or _is_table(runs):
        runs = [runs]
    elif sequence_of(runs, RUN) is not None:
        runs = [(UNNAMED, runs)]
    items = [_in_table(item) for run in runs for item in _files(run)]
    names = iter(run_names([_unnamed(run) for run in items if _is_table(run)]))
    for run in items:
        if _is_table(run):
            name = next(names)
            yield from _by_column(run, name)
        elif isinstance(run, NamedSource):
            yield from run.runs()
        elif isinstance(run, Run):
            yield run.name, run
        elif isinstance(run, tuple) and len(run) == 2:
            yield run
        else:
            raise GradedError(
                f"runs: cannot read {shown(run)} as a run; give a dict of runs by name, or a list "
                "of pairs of name and run, paths, RunFile objects or tables"
            )


def _in_table(run: Any) -> Any:
    """A run that exports Arrow as a table; any other unchanged."""
    return whole_table(run) if exports_arrow(run) else run


def _files(run: Any) -> list[Any]:
    """The files that match a pattern such as ``runs/*`` or have this path.

    Anything else is unchanged.
    """
    if isinstance(run, (str, os.PathLike)):
        return [RunFile(path) for path in matching(os.fspath(run))]
    return [run]


def _is_table(run: Any) -> bool:
    return isinstance(run, RunFile) or hasattr(run, "itertuples") or exports_arrow(run)


def _by_column(table: Any, name: str) -> Iterable[tuple[str, Any]]:
    """The runs of a table whose rows name their run, by name; any other table is the run `name`."""
    if isinstance(table, RunFile):
        # The evaluation raises errors of the file, after those of the qrels.
        has_runs = False
        with suppress(FileError):
            has_runs = table.run is None and table.has_runs()
        runs: dict[str, Any] = {}
        if has_runs:
            try:
                runs |= table.runs()
            except FileError as error:
                return [(name, table.that_raises(error))]
        return runs.items() or [(name, table)]
    if hasattr(table, "itertuples"):
        if "run" not in table.columns:
            return [(name, table)]
        return table.groupby("run", sort=False, dropna=False) or [(name, table)]
    if "run" not in table.column_names:
        return [(name, table)]
    stretches = stretches_of(table["run"], "run: run")
    order, bounds = stretches.grouped(len(table))
    rows = table if order is None else table.take(arrow_array(order))
    lengths = np.diff(bounds)
    places = zip(stretches.topics, bounds[:-1], lengths, strict=True)
    return [(run, rows.slice(start, length)) for run, start, length in places] or [(name, table)]


def _unnamed(run: Any) -> str:
    """The path, the file name or the run of a `RunFile`."""
    if not isinstance(run, RunFile):
        return UNNAMED
    if run.run:
        return run.run
    if isinstance(run.file, (str, os.PathLike)):
        return str(os.fspath(run.file))
    name = getattr(run.file, "name", UNNAMED)
    return str(os.fspath(name)) if isinstance(name, os.PathLike) else str(name)


def run_names(paths: Sequence[str]) -> list[str]:
    """The name of each run.

    It is the file name without endings such as .run.gz, or with them, or the path: the shortest of
    these that no other run has.

    >>> run_names(["runs/bm25.run.gz", "runs/a.run", "runs/a.txt"])
    ['bm25', 'a.run', 'a.txt']
    """
    spellings = [(*short_names(path), path) for path in paths]
    counts = [Counter(column) for column in zip(*spellings, strict=True)]
    names = []
    for of_path in spellings:
        unique = [name for name, count in zip(of_path, counts, strict=True) if count[name] == 1]
        unique.append(of_path[-1])
        names.append(unique[0])
    return names


def short_names(path: str) -> list[str]:
    """The file name of a run without and with its endings."""
    name = file_name(path)
    return [without_endings(name), name]


@contextmanager
def about(name: str | None) -> Iterator[None]:
    """Put the name of the qrels or run, if there is one, before the message of an error."""
    try:
        yield
    except (FileError, WholeLevelsError):  # they already name their file
        raise
    except GradedError as error:
        if not name or str(error).startswith(f"{name}: "):
            raise
        # Not every subclass takes a message alone, so no constructor is called.
        named_error = type(error).__new__(type(error), f"{name}: {error}")
        raise named_error from error.__cause__  # the same without the name is of no use
