"""The values of runs by measures for each topic, as `evaluate` returns them or a table holds them.

`Evaluation` has the values, their means, the topics that count, and the tables, notes and figures
of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from ir_measures import Measure, SumAgg

from ..arguments import items, text, whole_number
from ..arguments import names as names_in
from ..core.by_topic import mean_over_topics
from ..core.provider import aggregate
from ..core.registry.facts import ONE, SKIP, ZERO, sign_of
from ..core.registry.notation import one_of
from ..errors import GradedError, Remark, shown
from ..output import figures
from ..output.formats import Percent, counted, decimal, known, listed
from ..output.result import Result, View
from ..output.tables import Note, Table
from .counting import Counting, effective_size, weighted_mean, with_effective
from .order_of_rows import NOTHING_TIED, ORDER_GIVEN
from .remarks import NAMED_TOPICS, topics_with
from .weights import ALL_ZERO, read_weights, refuse_missing_weights

if TYPE_CHECKING:
    from pandas import DataFrame

    from .attributes import By
    from .values import Names

MEANS = "means"
TOPICS = "topics"
BOX = "box"
FIGURES = (MEANS, TOPICS, BOX)
"""The kinds of figures of an evaluation."""
ACROSS = 4
"""The number of panels of a figure side by side."""
NO_VALUE = "no value"
"""The kind of a remark on topics for which a provider of ir-measures gives no value."""
OF_COLUMNS = "columns"
"""The kind of a remark on how the columns of a table of values were taken."""
NOTED_SHARE = 0.05
"""A note tells of topics without a relevant document from this share of all topics on, and of
unjudged documents from this share of the first ranks on."""
MOST_RUNS_NAMED = 3
"""The share of unjudged documents is said of each of so many runs."""
TELL_UNJUDGED = ("unjudged", "sparse", "no judged document")
"""The kinds of remarks that tell of unjudged documents."""
MOST_NAMED = 5
"""The number of topics that a note names."""


class Unjudged(NamedTuple):
    """The share of unjudged documents among the first `depth` of each run that has documents.

    It is that of the whole lists if `depth` is None: some measure reads them.
    """

    depth: int | None
    shares: Mapping[str, float]

    def sentence(self) -> str:
        """The share of each of at most three runs, else the lowest and the highest.

        >>> Unjudged(10, {"old": 0.0, "new": 0.25}).sentence()
        'Unjudged of the top 10 documents: 0 % of old, 25 % of new.'
        >>> Unjudged(None, {"old": 0.0, "new": 0.0}).sentence()
        'All documents of the runs are judged.'
        """
        shares = self.shares
        documents = "all documents"
        if self.depth is not None:
            documents = f"the top {self.depth:,} documents"
        if not any(shares.values()):
            whole = "All documents" if self.depth is None else f"All of {documents}"
            return f"{whole} of the runs are judged."
        of_runs = [f"{Percent(share)} of {run}" for run, share in shares.items()]
        text = ", ".join(of_runs)
        if len(shares) > MOST_RUNS_NAMED:
            lowest = min(shares, key=shares.__getitem__)
            highest = max(shares, key=shares.__getitem__)
            text = f"{Percent(shares[lowest])} ({lowest}) to {Percent(shares[highest])} ({highest})"
        return f"Unjudged of {documents}: {text}."


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """The value of each run by each measure for each topic of the qrels.

    `runs` (names), `measures` and `topics` label the axes of `values`, an array of floats (runs ×
    measures × topics). With the option `sessions`, the topics are sessions, and `unit` is
    ``session``. `missing` (runs × topics) is true where a run lacks a topic, whose value is that of
    an empty list. An `Evaluation` of values that were computed before has the `files` that they
    came from; `columns_of` is the table whose columns are its measures although they may be runs,
    empty for any other. `levels` are those of the qrels, as far as these are known. `remarks` are
    the unusual properties of the input. `unjudged` has the share of unjudged documents of each run
    that the measures read, None if it is not known. `in_order_given` tells that tied documents stay
    in the order of the rows of the runs; no documents `were_tied` if this makes no difference.

    A value is NaN where a provider of ir-measures gives a topic none, as Accuracy does for a topic
    without a relevant document in the ranking. Measures of this package have a value for every
    topic. All analyses treat NaN in the same way: the topic is left out of the mean (`means`), and
    a remark counts it. `lacks_relevant` (measures × topics) is true where a topic has no document
    that is relevant by the measure, as far as this is known. If `no_relevant` is ``skip``, the
    value there is NaN for all runs. `weights` (topics) are those of the topics in means, None if
    all count alike; a topic of weight 0 does not count. A paired analysis uses the topics that
    count and for which all of its runs have a value: `paired` has these values, `paired_topics` the
    numbers of the topics. For some runs only, take `part` first. NaN is never printed; the cell is
    empty, and None in Python (`reported`).

    >>> from ir_measures import parse_measure
    >>> nan = float("nan")
    >>> values = np.array([[[1.0, 0.5, nan]], [[0.0, 1.0, 1.0]]])
    >>> result = Evaluation(("A", "B"), (parse_measure("Accuracy@2"),), ("1", "2", "3"), values)
    >>> result.means(), result.paired("Accuracy@2"), result.paired_topics("Accuracy@2")
    (array([[0.75      ],
           [0.66666667]]), array([[1. , 0.5],
           [0. , 1. ]]), array([0, 1]))
    >>> print(result.remarks[0])
    Accuracy@2: no value for 1 of 3 topics of A; means and tests leave them out (3)
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: tuple[str, ...]
    values: np.ndarray
    missing: np.ndarray | None = None
    files: tuple[str, ...] = ()
    unit: str = "topic"
    levels: tuple[float, ...] = ()
    remarks: tuple[Remark, ...] = ()
    no_relevant: str = ZERO
    lacks_relevant: np.ndarray | None = None
    weights: np.ndarray | None = None
    unjudged: Unjudged | None = None
    in_order_given: bool = False
    were_tied: bool = True
    columns_of: str = ""
    OTHER_FRAMES: ClassVar[str] = (
        "; topic_means has the topics over all runs, to_frame('means') the means"
    )

    def __post_init__(self) -> None:
        """Count the cells without a value, also in a part of another evaluation.

        Raises `GradedError` for a topic that counts and has no weight.
        """
        self._refuse_missing_weights()
        others = [remark for remark in self.remarks if remark.kind != NO_VALUE]
        object.__setattr__(self, "remarks", (*others, *self._remarks_on_gaps()))

    def _remarks_on_gaps(self) -> Iterator[Remark]:
        """One remark for each measure to which a provider gives no value for some topics."""
        is_lacking = self.unreported & ~self.skipped
        lacking = is_lacking.sum(axis=2)
        for column in np.flatnonzero(lacking.any(axis=0)).tolist():
            rows = np.flatnonzero(lacking[:, column])
            counts = lacking[rows, column]
            number = f"{counts.min()}"
            if counts.min() < counts.max():
                number = f"{counts.min()} to {counts.max()}"
            topics = counted(len(self.topics), self.unit)
            runs = listed([self.runs[row] for row in rows])
            without_value = topics_with(self.topics, is_lacking[:, column].any(axis=0))
            text = (
                f"no value for {number} of {topics} of {runs}; means and tests leave them out "
                f"({listed(without_value, NAMED_TOPICS)})"
            )
            yield Remark(NO_VALUE, str(self.measures[column]), text, topics=without_value)

    @classmethod
    def from_values(
        cls,
        table: Any,
        *,
        smaller: Collection[str] = (),
        columns: Names = None,
        limits: bool = True,
    ) -> Evaluation:
        """The `Evaluation` of a table of values that were computed before, by any tool.

        `table` is a path, a list of paths, a DataFrame or what makes one, or anything that exports
        Arrow. Its columns are topic, run, measure and value, or topic, run and one column per
        measure, as ``evaluate -q -o values.csv`` writes it. Other usual names are known, such as
        those of runs (query_id, qid, system …), metric, score and PyTerrier's name. Without a
        column run, the rows are of one run with the name of the file. A table may also have a
        column per run, by the measure that its file is named after, as ``AP.csv`` or
        ``"nDCG@10=published.csv"``; the columns of a DataFrame have the name ``run`` then. A file
        is CSV, TSV, JSON, JSON lines, Parquet, Arrow, the output of ``trec_eval -q`` or that of
        NTCIREVAL, and may be compressed. Rows of the topic ``all`` are left out.

        Names of known measures are read as such, any other name is that of a `NamedMeasure`.
        `smaller` are the names of measures whose smaller values are better, besides those that the
        package knows. `columns` names columns with other names than these, as
        ``{"query_id": "user"}``. Without `limits`, a compressed file may unpack to many times its
        size.

        >>> rows = {"run": ["A", "A"], "topic": ["1", "2"]}
        >>> rows |= {"faithfulness": [0.5, 0.25], "map": [1.0, 0.0]}
        >>> result = Evaluation.from_values(rows)
        >>> result.measures, result.of("faithfulness")
        ((faithfulness, AP), array([[0.5 , 0.25]]))

        Raises `GradedError`, which names file, row and column, for a missing column, an empty
        cell, a value that is not a finite number, two values for one cell, and a topic that a run
        lacks.
        """
        from .values import read_values  # This import takes time.

        return cls(**read_values(table, smaller, columns=columns, limits=limits)[""])

    @classmethod
    def by_collection(
        cls,
        table: Any,
        *,
        smaller: Collection[str] = (),
        columns: Names = None,
        limits: bool = True,
    ) -> dict[str, Evaluation]:
        """The `Evaluation` of each name in the column ``collection`` of a table of values.

        The table is as for `from_values`. A collection may lack runs and measures of the others.
        Without this column, all values are of one collection without a name.
        """
        from .values import read_values  # This import takes time.

        collections = read_values(table, smaller, apart=True, columns=columns, limits=limits)
        return {name: cls(**fields) for name, fields in collections.items()}

    def of(self, measure: Measure | str) -> np.ndarray:
        """The values by one of the measures (runs × topics).

        Raises `GradedError` for any other.
        """
        return self.values[:, self._column(measure)]

    def _column(self, measure: Measure | str) -> int:
        column = self._column_of_object.get(id(measure), 0)
        if self.measures[column] is measure:  # found without comparing strings
            return column
        return self._columns[one_of(self.measures, measure)]

    @cached_property
    def _column_of_object(self) -> dict[int, int]:
        """The place of each measure on its axis by the identity of its object.

        A copy by `pickle` has other objects.
        """
        return {id(measure): number for number, measure in enumerate(self.measures)}

    @cached_property
    def _columns(self) -> dict[Measure, int]:
        """The place of each measure on its axis."""
        return {measure: number for number, measure in enumerate(self.measures)}

    def paired_topics(self, measure: Measure | str) -> np.ndarray:
        """The numbers of the topics that count and for which every run has a value by this measure.

        Raises `GradedError` for a measure that is not evaluated.
        """
        has_values = ~np.isnan(self.of(measure)).any(axis=0)
        return np.flatnonzero(has_values & self.has_weight)

    def paired(self, measure: Measure | str) -> np.ndarray:
        """The values by one of the measures for `paired_topics` (runs × these topics).

        Raises `GradedError` for a measure that is not evaluated.
        """
        return self.of(measure)[:, self.paired_topics(measure)]

    def paired_weights(self, measure: Measure | str) -> np.ndarray | None:
        """The weights of `paired_topics`; None if all topics count alike."""
        if self.weights is None:
            return None
        return self.weights[self.paired_topics(measure)]

    def paired_means(self, measure: Measure | str) -> np.ndarray:
        """The mean of each run over `paired_topics`, by their weights; NaN without any topic."""
        values = self.paired(measure)
        weights = self.paired_weights(measure)
        if not values.shape[1]:
            return np.full(len(values), np.nan)
        if weights is None:
            return mean_over_topics(values)
        return weighted_mean(values, weights)

    @property
    def effective(self) -> float | None:
        """The effective number of the topics that count, by the measure for which it is smallest.

        None if all topics count alike.
        """
        if self.weights is None:
            return None
        has_value: np.ndarray = np.any(~self.unreported, axis=0) & self.has_weight
        sizes = [effective_size(self.weights[counts]) for counts in has_value if counts.any()]
        return min(sizes, default=None)

    def part(self, runs: Sequence[str], measures: Sequence[Measure | str]) -> Evaluation:
        """The values of these runs and measures only, in this order.

        Raises `GradedError` for any other.
        """
        runs = names_in("runs", runs)
        measures = items("measures", measures, "measures")
        row_of_run = {run: row for row, run in enumerate(self.runs)}
        unknown = [run for run in runs if run not in row_of_run]
        if unknown:
            raise GradedError(
                f"the run {shown(unknown[0])} is none of those evaluated: {listed(self.runs)}"
            )
        rows = [row_of_run[run] for run in runs]
        columns = [self._column(measure) for measure in measures]
        kept = tuple(self.measures[column] for column in columns)
        subjects = {*self.runs, *map(str, self.measures)}
        dropped = subjects - {*runs, *map(str, kept)}
        remarks_on_kept = [remark for remark in self.remarks if remark.subject not in dropped]
        return replace(
            self,
            runs=tuple(runs),
            measures=kept,
            values=self.values[np.ix_(rows, columns)],
            missing=_taken(self.missing, rows),
            lacks_relevant=_taken(self.lacks_relevant, columns),
            remarks=tuple(remarks_on_kept),
        )

    def on(self, topics: Sequence[int]) -> Evaluation:
        """The values for the topics with these numbers."""
        last = len(self.topics) - 1
        numbers = items("topics", topics, "numbers of topics")
        topics = [whole_number("topics", number, 0, last) for number in numbers]
        names = tuple(self.topics[number] for number in topics)
        return replace(
            self,
            topics=names,
            values=self.values[..., topics],
            missing=_taken(self.missing, topics, axis=-1),
            lacks_relevant=_taken(self.lacks_relevant, topics, axis=-1),
            weights=_taken(self.weights, topics),
        )

    def weighted(self, weights: By) -> Evaluation:
        """The same values, with the weights of topics in means.

        `weights` is a mapping or a Series of numbers by topic, or FILE:COLUMN. Raises `GradedError`
        for a topic that counts and has no weight, and for measures that are sums.
        """
        counting = Counting(weights=read_weights(weights))
        counting.check(self.measures)
        weighted = replace(self, weights=counting.weights_of(self.topics))
        weighted.refuse_zero_weights()
        return weighted

    @property
    def unreported(self) -> np.ndarray:
        """Whether there is no value (runs × measures × topics)."""
        return np.isnan(self.values)

    @property
    def skipped(self) -> np.ndarray:
        """Whether a topic has no value because it lacks relevant documents (measures × topics)."""
        if self.no_relevant != SKIP or self.lacks_relevant is None:
            return np.zeros(self.values.shape[1:], dtype=bool)
        return self.lacks_relevant

    @property
    def has_weight(self) -> np.ndarray:
        """Whether a topic counts in means (topics): its weight is above 0."""
        if self.weights is None:
            return np.ones(len(self.topics), dtype=bool)
        return self.weights > 0

    @property
    def topic_counts(self) -> np.ndarray:
        """The number of topics in each mean (runs × measures)."""
        return (~self.unreported & self.has_weight).sum(axis=2)

    def topics_of_means(self) -> str:
        """The number of topics in the means in words, a range if the measures differ.

        With weights, also the effective number of topics.
        """
        counts = self.topic_counts
        words = counted(int(counts.max()), self.unit)
        if counts.min() < counts.max():
            words = f"{counts.min()} to {words}"
        return with_effective(words, self.effective)

    def _refuse_missing_weights(self) -> None:
        """Raise `GradedError` for a topic that counts and has no weight."""
        if self.weights is None:
            return
        lacks_value: np.ndarray = np.all(self.unreported, axis=0)
        for column in range(len(self.measures)):
            refuse_missing_weights(self.weights, ~lacks_value[column, :], self.topics, self.unit)

    def refuse_zero_weights(self) -> None:
        """Raise `GradedError` if all topics of a measure have the weight 0."""
        if self.weights is None:
            return
        has_value: np.ndarray = np.any(~self.unreported, axis=(0, 2))
        counts = self.topic_counts.max(axis=0)
        for column, measure in enumerate(self.measures):
            if has_value[column] and not counts[column]:
                raise GradedError(ALL_ZERO.format(self.unit, measure))

    @property
    def reported(self) -> np.ndarray:
        """The values as objects (runs × measures × topics); None where a provider gives none."""
        return np.where(self.unreported, np.array(None), self.values)

    def means(self) -> np.ndarray:
        """The mean over the topics with a value (runs × measures); NaN without any such topic.

        It is a weighted one if the topics have `weights`. Counts such as NumRet have the sum
        instead, as in ir-measures.
        """
        means = np.full(self.values.shape[:2], np.nan)
        counts = ~self.unreported & self.has_weight
        for row, column in np.ndindex(means.shape):
            is_counted = counts[row, column]
            values = self.values[row, column][is_counted]
            if not values.size:
                continue
            if self.weights is None:
                means[row, column] = aggregate(self.measures[column], values)
            else:
                means[row, column] = weighted_mean(values, self.weights[is_counted])
        return means

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """The `means` of each run by measure string; None for a mean over no topic."""
        names = [str(measure) for measure in self.measures]
        rows = map(known, self.means())
        return {
            run: dict(zip(names, means, strict=True))
            for run, means in zip(self.runs, rows, strict=True)
        }

    @property
    def lacking(self) -> list[str]:
        """A sentence on each run that lacks topics, and on each measure without some values."""
        sentences = []
        if self.missing is not None:
            for run, is_missing in zip(self.runs, self.missing, strict=True):
                topics = topics_with(self.topics, is_missing)
                if topics:
                    lacks = f"{run} lacks {counted(len(topics), self.unit)}"
                    names = listed(topics, NAMED_TOPICS)
                    ending = "the value there is that of an empty ranking"
                    sentences.append(f"{lacks} ({names}); {ending}.")
        gaps = [remark for remark in self.remarks if remark.kind == NO_VALUE]
        return sentences + [f"{remark.subject} has {remark.text}." for remark in gaps]

    @property
    def summary(self) -> str:
        """The measures, runs and topics in one line."""
        runs = counted(len(self.runs), "run")
        return f"{listed(self.measures)} of {runs} over {self.topics_of_means()}"

    def tables(self) -> list[Table]:
        """One row per run with its `means`."""
        means = map(known, self.means())
        rows = [[run, *of_run] for run, of_run in zip(self.runs, means, strict=True)]
        return [Table(["run", *map(str, self.measures)], rows)]

    def data(self) -> Table:
        """One row per run, measure and topic; the value is None if a provider gives none."""
        axes = {"run": self.runs, "measure": list(map(str, self.measures)), "topic": self.topics}
        return Table.of_arrays(axes, {"value": self.values})

    def to_frame(self, what: str = "") -> DataFrame:
        """The values as a pandas DataFrame with a row per run, measure and topic; or of ``means``,
        with a row per run and a column per measure, as they are printed.

        >>> from ir_measures_graded.analysis import evaluate
        >>> evaluate({"q1": {"a": 1}}, {"A": {"q1": ["b", "a"]}}, ["RR", "P@1"]).to_frame("means")
          run   RR  P@1
        0   A  0.5  0.0
        """
        if text("what", what) == "means":
            return self.tables()[0].to_frame()
        return super().to_frame(what)

    @property
    def topic_means(self) -> DataFrame:
        """A row per measure and topic, the hardest first: its mean over the runs, the lowest and
        the highest value, and their difference, the `spread`.

        >>> from ir_measures_graded.analysis import evaluate
        >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
        >>> runs = {"A": {"q1": ["a"], "q2": ["b", "a"]}, "B": {"q1": ["a"], "q2": ["b"]}}
        >>> evaluate(qrels, runs, ["RR"]).topic_means
          measure topic  mean  lowest  highest  spread
        0      RR    q2  0.25     0.0      0.5     0.5
        1      RR    q1  1.00     1.0      1.0     0.0
        """
        from .topic_means import table_of_topics  # This import and the next ones take time.

        return table_of_topics(self).to_frame()

    def of_topics(self, by: By = None) -> View:
        """The `topic_means` as a table with sentences on the hardest topics and a heat map.

        `by` is that of `group_means`; a column then has the group of each topic.
        """
        from .topic_means import NOTE_ON_ONE_RUN, NOTE_ON_RUNS, answer_on_topics, table_of_topics

        note = NOTE_ON_RUNS
        if len(self.runs) == 1:
            note = NOTE_ON_ONE_RUN
        above = list(answer_on_topics(self))
        return View(
            [table_of_topics(self, by)],
            draw=partial(self.figure, TOPICS),
            noted=[note, *self.notes()],
            above=above,
            remarks=self.remarks,
            headline="" if above else self.summary,
        )

    def notes(self) -> list[Note]:
        """The level that counts as relevant, for measures that do not name it, and the highest
        level of ERR, if the qrels lack it; the shares of unjudged documents, from 5 % on.

        There is none of the first kind if the qrels have at most one level above 0.

        >>> from ir_measures_graded.analysis import evaluate
        >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
        >>> result = evaluate(qrels, {"mine": {"q1": {"a": 1.0}}}, ["AP", "P(rel=2)@1", "RR"])
        >>> print(*result.notes())
        AP and RR: relevant from level 1 (rel=1).
        """
        return [
            *self.notes_on_levels(),
            *self.notes_on_topics(),
            *self._notes_on_extremes(),
            *self._notes_on_unjudged(),
        ]

    def _notes_on_extremes(self) -> Iterator[Note]:
        """The meaning of the option `unjudged`, which does not give all documents one level."""
        for choice, extreme in (("min", "lowest"), ("max", "highest")):
            if any(measure.params.get("unjudged") == choice for measure in self.measures):
                yield Note(
                    "unjudged='{}': the {} value over all judgments that the unjudged documents of "
                    "each run within the cutoff could get, for each run alone. --assume_unjudged "
                    "LEVEL (assumed_qrels) gives the values if all have one level.",
                    choice,
                    extreme,
                )

    def _notes_on_unjudged(self) -> Iterator[Note]:
        """The shares of unjudged documents, if that of some run is noted and no remark tells it."""
        if self.unjudged is None:
            return
        in_remarks = {remark.subject for remark in self.remarks if remark.kind in TELL_UNJUDGED}
        others = [share for run, share in self.unjudged.shares.items() if run not in in_remarks]
        if max(others, default=0.0) >= NOTED_SHARE and "" not in in_remarks:
            yield Note("{}", self.unjudged.sentence())

    def notes_on_levels(self) -> list[Note]:
        """What measures take the levels of the qrels for."""
        from .level_notes import notes_on_levels  # Few formats show notes.

        return notes_on_levels(self.measures, self.levels)

    def notes_on_topics(self) -> Iterator[Note]:
        """How topics without a relevant document count, if they are many or left out; weights."""
        if self.in_order_given:
            text = ORDER_GIVEN if self.were_tied else NOTHING_TIED
            yield Note(text)
        yield from self.notes_on_no_relevant()
        if self.weights is not None:
            yield Note("Weighted means over {}.", self.topics_of_means())

    def notes_on_no_relevant(self) -> Iterator[Note]:
        """How topics without a relevant document count, if they are many or left out."""
        if self.lacks_relevant is None:
            return
        columns_by_topics: dict[tuple[int, ...], list[int]] = {}
        for column, is_lacking in enumerate(self.lacks_relevant & self.has_weight):
            topics = tuple(np.flatnonzero(is_lacking).tolist())
            columns_by_topics.setdefault(topics, []).append(column)
        least = 1.0
        if self.no_relevant == ZERO:
            least = max(least, NOTED_SHARE * int(self.has_weight.sum()))
        for topics, columns in columns_by_topics.items():
            if len(topics) >= least:
                yield self._note_on_lacking(topics, columns)

    def _note_on_lacking(self, topics: Sequence[int], columns: Sequence[int]) -> Note:
        """How topics without a relevant document by these measures count in their means."""
        column = columns[0]
        measure = self.measures[column]
        text = "{} of {} have no relevant document by {} ({})"
        they_count = "they count"
        them = "them"
        if len(topics) == 1:
            text = "{} of {} has no relevant document by {} ({})"
            they_count = "it counts"
            them = "it"
        number = int(self.has_weight.sum())
        total = counted(number, self.unit)
        measures = listed([self.measures[number] for number in columns])
        names_of_topics = [self.topics[number] for number in topics]
        names: list[Any] = [len(topics), total, measures, listed(names_of_topics, MOST_NAMED)]
        if self.no_relevant == SKIP:
            count = number - len(topics)
            return Note(text + "; the means leave {} out, n = {}.", *names, them, count)
        if self.no_relevant == ONE:
            return Note(text + ": {} 1.", *names, they_count)
        value = "as the measure defines"
        if not self.values[:, columns][..., topics].any():
            value = "0"
        names += [they_count, value]
        text += ": {} {}"
        others = self.on(np.delete(np.arange(len(self.topics)), topics).tolist())
        if others.has_weight.any():
            text += "; --no_relevant skip: {} instead of {}"
            names += [decimal(others.means()[0, column]), decimal(self.means()[0, column])]
            if len(columns) > 1:
                text += " by {}"
                names.append(measure)
            if len(self.runs) > 1:
                text += " for {}"
                names.append(self.runs[0])
        return Note(f"{text}.", *names)

    def headline(self) -> Note:
        """The best run by the first measure with its mean, in a sentence."""
        measure = self.measures[0]
        means = self.means()[:, 0]
        topics = self.topics_of_means()
        if np.isnan(means).all():
            return Note("No run has a value by {} over {}.", measure, topics)
        runs = self.runs
        best = self.best_first()[0]
        value = decimal(float(means[best]))
        if len(runs) == 1:
            return Note("{} has {} {} over {}.", runs[0], measure, value, topics)
        from .order_of_runs import leading

        best_runs = leading(sign_of(measure) * means, runs)
        have = "has" if len(best_runs) == 1 else "have"
        text = "{} {} the best {}, {}, of {} over {}."
        return Note(
            text, listed(best_runs), have, measure, value, counted(len(runs), "run"), topics
        )

    def figure(self, kind: str = MEANS, *, title: str = "") -> figures.Figure:
        """Draw the values; the best runs by the first measure come first. Needs the extra ``plot``.

        - ``means``: a dot for each run, a panel for each measure
        - ``topics``: a heat map of topics × runs, a panel for each measure
        - ``box``: the quartiles and the range of each run over the topics

        `title` stands in the place of the answer. Raises `GradedError` for another kind, and if
        Matplotlib is not installed.
        """
        if kind == TOPICS:
            return self._figure_of_topics(title)
        if kind == BOX:
            return self._figure_of_quartiles(title)
        if kind != MEANS:
            raise GradedError(
                f"kind={kind!r} is not allowed; it is {', '.join(map(repr, FIGURES))}"
            )
        means = self.means()
        order = self.best_first()
        names = [self.runs[row] for row in order]
        panels = []
        for column, measure in enumerate(self.measures):
            panel = figures.Forest(
                names,
                means[order, column],
                label=axis_label(measure),
                heading=str(measure),
                shows_names=column == 0,
            )
            panels.append(panel)
        return figures.picture(panels, title or self.headline(), self._gains(), across=ACROSS)

    def best_first(self, measure: Measure | str | None = None) -> list[int]:
        """The numbers of the runs from the best mean by a measure, the first one by default."""
        from .order_of_runs import best_first

        column = 0 if measure is None else self._column(measure)
        means = self.means()[:, column]
        return best_first(sign_of(self.measures[column]) * means, self.runs)

    def _figure_of_topics(self, title: str) -> figures.Figure:
        """A heat map of topics × runs for each measure."""
        from .topic_means import hardest_with_relevant, means_of_topics, note_on_extremes

        order = self.best_first()
        names = [self.runs[row] for row in order]
        panels = []
        for column, measure in enumerate(self.measures):
            values = sign_of(measure) * self.values[order, column]
            topics = np.argsort(-means_of_topics(values), kind="stable")
            with_value = hardest_with_relevant(self, measure)
            if not title and with_value.size > 1:
                title = note_on_extremes(self, measure, with_value)
            heading = str(measure) if len(self.measures) > 1 else ""
            panel = figures.HeatMap(
                self.values[order, column].T[topics],
                [self.topics[topic] for topic in topics.tolist()],
                names,
                label=str(measure),
                heading=heading,
                row_label=f"{self.unit}, the easiest first",
                column_label="run, the best first",
            )
            if not panel.names_every_column:
                panel = panel.turned()
            panels.append(panel)
        return figures.picture(panels, title or self.summary, self._gains(), across=2)

    def _figure_of_quartiles(self, title: str) -> figures.Figure:
        """The median, the quartiles and the range of each run over the topics."""
        order = self.best_first()
        names = [self.runs[row] for row in order]
        panels = []
        for column, measure in enumerate(self.measures):
            quantiles = np.full((5, len(order)), np.nan)
            for place, row in enumerate(order):
                values = self.values[row, column]
                values = values[~np.isnan(values)]
                if values.size:
                    quantiles[:, place] = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
            lowest, lower, median, upper, highest = quantiles
            whole_range = np.stack([lowest, highest])
            quartiles = np.stack([lower, upper])
            panel = figures.Forest(
                names,
                median,
                bars=[whole_range, quartiles],
                label=axis_label(measure, f"values of {self.unit}s"),
                heading=str(measure),
                shows_names=column == 0,
            )
            panels.append(panel)
        caption = (
            f"Dot: median over {counted(len(self.topics), self.unit)}. Thick bar: from the lower "
            "to the upper quartile. Thin bar: from the lowest to the highest value. Runs are "
            f"sorted by their mean {self.measures[0]}."
        )
        caption = self._gains(caption)
        return figures.picture(panels, title or self.headline(), caption, across=ACROSS)

    def _gains(self, caption: str = "") -> str:
        """A caption with the gains of all levels."""
        from .level_notes import with_gains

        return with_gains(caption, self.measures, self.levels)


def _taken(array: np.ndarray | None, places: Sequence[int], axis: int = 0) -> np.ndarray | None:
    """The entries at these places on an axis of an array that may not be known (None)."""
    if array is None:
        return None
    return np.take(array, np.array(places, dtype=np.intp), axis)


def axis_label(measure: Measure, what: str = "") -> str:
    """What an axis shows: by default the means."""
    label = what
    if not what:
        label = "sum over topics" if isinstance(measure.aggregator(), SumAgg) else "mean"
    if sign_of(measure) < 0:
        label += ", smaller is better"
    return label
