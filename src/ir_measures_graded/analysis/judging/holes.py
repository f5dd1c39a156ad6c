"""The unjudged documents that are worth judging next, in batches.

`holes_model` has the formulas: the expected gains of unjudged documents, the pairs of runs that
they leave open, and the scores of documents. The next batch has the documents whose weights differ
most between the runs of open pairs. Documents are judged by depth until a residual is known.

B. Carterette, J. Allan, R. Sitaraman: Minimal test collections for retrieval evaluation. SIGIR
2006. The regression of gains and the batches are ours.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from ir_measures import Measure

from ...core.measures.base import MaxGainMeasure
from ...core.measures.gain_sums import GainSum
from ...core.measures.standard import definition_of
from ...core.registry.facts import is_weighted_by_rank, sign_of
from ...errors import FileError, GradedError, InputWarning, shown
from ...evaluation.at_ranks import one_measure
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import evaluate
from ...evaluation.level_notes import notes_on_rel
from ...evaluation.named import Qrels, Run, Runs, named_runs, study_of
from ...evaluation.order_of_runs import best_first
from ...output.figures import FORMATS as FIGURES
from ...output.figures import Figure
from ...output.files import ending_of, write_whole
from ...output.formats import EXCEL, TABLES, Percent, comma_separated, counted, decimal
from ...output.result import Result, as_bytes
from ...output.tables import Note, Table
from ...progress import Progress
from ..statistics.options import check_probability, statistics_library, whole_number
from .figures import figure_of_holes
from .holes_model import MOSTLY_UNJUDGED, Model, OpenPairs, Outlook, Pool, signs
from .panel import LevelsByTopic, MergedQrels, answers_in, as_text, merged_answers

FIRST_BATCH = 50
RANDOM = "random"
HEADS = ("topic", "document", "level")
"""The heads of the file for a judge, unless the qrels have others."""
OTHER_ENDINGS = {*TABLES, *FIGURES, EXCEL, "html", "parquet", "gz"} - {"csv", "txt"}
"""The endings of files that are not CSV."""
BATCH_SHARE = 0.025
COLUMNS = Note(
    "gain is the expected gain of the document; runs has its rank in each run that retrieves it."
)


@dataclass(frozen=True, eq=False, repr=False)
class Holes(Result):
    """The next batch of unjudged documents, the most useful first; see `holes`.

    `topics` and `documents` name them, the `sampled` ones of a random sample first. `ranks`
    (documents × runs) is their rank in each run, 0 if it is beyond the cutoff or the run does not
    retrieve them. `gains` are their expected gains. `unjudged` counts all unjudged documents within
    the cutoff. `values` are the means of the runs, `expected` those with expected gains. `shares`
    are the shares of the documents of each run within the cutoff that are unjudged. `open` is the
    number of open pairs of runs, and `turned` has the pairs whose order differs with expected
    gains. `merged` are the qrels with the answers. `outlook` has what the figure needs. `levels`
    are those of the qrels, and `heads` the names of the columns of topics, documents and levels
    that `ask` writes. `batch` is the number of documents that was asked for, None for the default.
    """

    runs: tuple[str, ...]
    measure: Measure
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    sampled: int
    ranks: np.ndarray
    gains: np.ndarray
    unjudged: int
    values: np.ndarray
    expected: np.ndarray
    shares: np.ndarray
    open: int
    turned: tuple[tuple[str, str], ...]
    merged: MergedQrels
    outlook: Outlook
    levels: tuple[float, ...] = ()
    heads: tuple[str, ...] = HEADS
    batch: int | None = None

    def __len__(self) -> int:
        return len(self.documents)

    def answer(self) -> list[Note]:
        """The reason why pairs of runs are open, and the documents to judge next."""
        if self.open == 0:
            return [self.sentence_on_pairs, *self._next_anyway()]
        return [*self._reason(), self.sentence_on_pairs, *self._next()]

    @property
    def sentence_on_pairs(self) -> Note:
        """How many pairs of runs are open."""
        runs = counted(len(self.runs), "run")
        if self.open == 0 and not self.unjudged:
            text = "No further judgment is needed: no pair of {} is open by {}."
            return Note(text, runs, self.measure)
        if self.open == 0:
            text = (
                "No pair of {} is open by {}: unjudged documents are not expected to reverse a "
                "difference."
            )
            return Note(text, runs, self.measure)
        text = (
            "{} of {} of {} {} open by {}: unjudged documents could plausibly reverse the "
            "difference."
        )
        pairs = counted(math.comb(len(self.runs), 2), "pair")
        are = "is" if self.open == 1 else "are"
        return Note(text, self.open, pairs, runs, are, self.measure)

    def _reason(self) -> list[Note]:
        """The run with the most unjudged documents, if they are more than half, or a pair that
        turns."""
        depth = self.measure.params["cutoff"]
        most = best_first(self.shares, self.runs)[0]
        if self.shares[most] > MOSTLY_UNJUDGED:
            value = decimal(float(self.values[most]))
            share = Percent(self.shares[most])
            text = "{} is {} unjudged at {}: its {} is a lower bound."
            return [Note(text, self.runs[most], share, depth, value)]
        if self.turned:
            first, second = self.turned[0]
            text = "{} is better than {}, but worse with the expected gains of unjudged documents."
            return [Note(text, first, second)]
        return []

    def _next(self) -> list[Note]:
        """The documents to judge next."""
        if not len(self):
            return []
        unjudged = counted(self.unjudged, "unjudged document")
        depth = self.measure.params["cutoff"]
        text = "Judge {} of {} within rank {} next, document {} of topic {} first."
        notes = [Note(text, len(self), unjudged, depth, self.documents[0], self.topics[0])]
        return [*notes, *self._all_listed()]

    def _all_listed(self) -> list[Note]:
        """Where further documents are, if the list has fewer than are asked for."""
        depth = self.measure.params["cutoff"]
        if self.batch is None or len(self) < self.unjudged or len(self) >= self.batch:
            return []
        deeper = self.measure @ (10 * depth)
        return [Note("These are all; a deeper cutoff, as {}, has more.", deeper)]

    def _next_anyway(self) -> list[Note]:
        """The documents in the list, though no pair of runs is open, or how to list some."""
        depth = self.measure.params["cutoff"]
        if not len(self) and not self.unjudged:
            return []
        if not len(self):
            unjudged = counted(self.unjudged, "unjudged document")
            text = (
                "--batch N (batch= in Python) lists N of {} within rank {} all the same, those "
                "with most effect first."
            )
            return [Note(text, unjudged, depth)]
        documents = counted(len(self), "document")
        unjudged = counted(self.unjudged, "unjudged one")
        wanted = "a random sample was asked for"
        if len(self) > self.sampled:
            wanted = "documents were asked for"
        text = "The list has {} of {} within rank {} all the same, because {}."
        return [Note(text, documents, unjudged, depth, wanted), *self._all_listed()]

    def tables(self) -> list[Table]:
        """One row per document, and the mean of each run, also with expected gains."""
        order = best_first(sign_of(self.measure) * self.expected, self.runs)
        runs = {"run": [self.runs[run] for run in order]}
        means = {"value": self.values[order], "with expected gains": self.expected[order]}
        of_runs = Table.of_arrays(runs, means, f"Means by {self.measure}")
        if not len(self):
            return [of_runs]
        columns = ["topic", "document", "gain", "runs"]
        if self.sampled:
            columns.append("sample")
        return [self.data().select(*columns), of_runs]

    def data(self) -> Table:
        """One row per document: its expected gain, its best rank, the runs with its ranks, and its
        sample."""
        rows: list[list[Any]] = []
        names = zip(self.topics, self.documents, strict=True)
        numbers = zip(self.gains.tolist(), self.ranks.tolist(), strict=True)
        for (topic, document), (gain, ranks) in zip(names, numbers, strict=True):
            rank_by_run = {run: rank for run, rank in zip(self.runs, ranks, strict=True) if rank}
            runs = " ".join(f"{run}:{rank_by_run[run]}" for run in sorted(rank_by_run))
            sample = RANDOM if len(rows) < self.sampled else ""
            rows.append([topic, document, gain, min(rank_by_run.values()), runs, sample])
        return Table(("topic", "document", "gain", "best_rank", "runs", "sample"), rows)

    def figure(self, *, title: str = "") -> Figure:
        """Draw the open pairs against the judgments, and the documents to judge next.

        Needs the extra ``plot``.
        """
        return figure_of_holes(self, title)

    def notes(self) -> list[Note]:
        """The judgments that each source of answers added, the random sample, and the columns."""
        _, *answers = self.merged.added.items()
        notes = [Note("{}: {}.", name, counted(added, "new judgment")) for name, added in answers]
        if self.sampled:
            text = (
                "{} of the documents are a random sample, which alone shows how far judges agree."
            )
            notes.append(Note(text, self.sampled))
        notes += notes_on_rel([self.measure], self.levels)
        return [*notes, COLUMNS] if len(self) else notes

    def ask(self, path: str | os.PathLike[str]) -> None:
        """Write the documents for a judge as CSV, which `add_answers` reads once levels are filled
        in.

        The columns are topic, document, level (empty), under the names that the table of the qrels
        has, and runs, and ``sample`` if there is a random one. An apostrophe marks cells as text
        that a spreadsheet would compute. Raises `GradedError` if there is no document, if the file
        cannot be written, and if it exists and is no list without levels, so that answers are never
        overwritten.
        """
        if not len(self):
            hint = ""
            if self.unjudged:
                hint = f"; fill=True lists some of {self.unjudged} unjudged ones all the same"
            raise GradedError(f"{os.fspath(path)}: there is no document to judge{hint}")
        write_whole(path, self.to_judge(path))

    def to_judge(self, path: str | os.PathLike[str]) -> bytes:
        """The content that `ask` writes to this file."""
        if ending_of(path) in OTHER_ENDINGS:
            raise GradedError(
                f"cannot write {os.fspath(path)!r}: the documents for a judge are CSV; name a file "
                "that ends in .csv"
            )
        columns = [*HEADS, "runs"]
        if self.sampled:
            columns.append("sample")
        rows = [
            [as_text(record.get(column, "")) for column in columns] for record in self.records()
        ]
        heads = [*self.heads, *columns[len(HEADS) :]]
        content = as_bytes(comma_separated(heads, rows))
        if os.path.isfile(path) and not self._is_without_answers(path):
            raise FileError(
                f"{os.fspath(path)}: the file exists, perhaps with answers of a judge; name "
                "another file"
            )
        return content

    def _is_without_answers(self, path: str | os.PathLike[str]) -> bool:
        """Whether a file is empty, or a list for a judge without a level."""
        try:
            with open(path, encoding="utf-8", errors="replace", newline="") as file:
                lines = list(csv.reader(file))
        except csv.Error:  # no list of ours
            return False
        if not lines:
            return True
        heads = lines[0]
        level = self.heads[HEADS.index("level")]
        if "runs" not in heads or level not in heads:
            return False
        column = heads.index(level)
        return all(len(row) == len(heads) and not row[column].strip() for row in lines[1:])


@checks_arguments("holes(qrels, {'old': old, 'new': new}, 'nDCG@10')")
def holes(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    *,
    answers: Sequence[Qrels] = (),
    batch: int | None = None,
    fill: bool = False,
    random: float | None = None,
    progress: Progress = False,
) -> Holes:
    """The next documents to judge, for the order of the runs by a measure.

    `qrels` and `runs` are as in `evaluate`; there are at least two runs. The cutoff of the measure
    is the last rank whose documents are judged. `answers` are further qrels, such as files that a
    judge has filled in; earlier ones take precedence. `batch` is the number of documents, by
    default 2.5 % of the unjudged ones, or 50 if nothing is judged, and none if no pair of runs is
    open; `fill` lists 50 even then. If `qrels` are empty, the topics are those of the runs. Needs
    the extra ``stats``.

    The agreement of judges on documents that were chosen in this way is not their agreement on all.
    With `random`, a share such as 0.1, a random sample of as many of the unjudged documents comes
    before the batch. The ids decide which documents are in the sample, so that later calls go on
    with the same one.

    The measure is a sum of gains with a weight for each rank, such as P and RBP(rel=1), perhaps
    divided by that of the ideal list, such as nDCG_JK.

    `progress` is as for `evaluate`.

    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "f": 0}}
    >>> run = {"q1": {"a": 3, "x": 2, "b": 1}, "q2": {"c": 1, "f": 0}}
    >>> other = {"q1": {"y": 3, "a": 2, "x": 1}, "q2": {"f": 1, "c": 0}}
    >>> found = holes(qrels, {"run": run, "other": other}, "nCG@2")
    >>> found.open, found.documents, found.unjudged
    (1, ('y',), 2)

    Raises `GradedError` for fewer than two runs, for other measures, and for a measure without a
    cutoff.
    """
    statistics_library("scipy.special")
    measure = _weighted_measure(measure)
    depth = measure.params["cutoff"]
    named = named_runs(runs)
    judged, _, heads_of_qrels = answers_in(qrels)
    heads = _heads_to_write(heads_of_qrels)
    if len(named) < 2:
        raise GradedError(
            "holes needs at least 2 runs, because judgments settle differences between runs"
        )
    merged = merged_answers([judged, *answers], heads)
    with catch_warnings():
        levels = merged.qrels
        if not judged:
            simplefilter("ignore", InputWarning)  # that topics have no judged document
            levels = _all_topics(named) | levels
        study = study_of(levels, named, [measure])
        pool = Pool.of(levels, study.runs, depth)
    _refuse_changed_ids(pool, judged)
    model = Model.of(measure, pool)
    values = evaluate(study.judgments, study.runs, [measure]).means()[:, 0]
    pairs = OpenPairs.of(model, pool, values)
    order = _most_useful_first(pool, pairs.scores)
    count = _batch_size(batch, pool, pairs.total, fill)
    sample = _random_sample(pool, random)
    best = order[:count]
    chosen = np.append(sample, best[~np.isin(best, sample)])
    names = [pool.names[row] for row in chosen.tolist()]
    topics = tuple(topic for topic, _ in names)
    documents = tuple(document for _, document in names)
    ranks_within = np.where(pool.within, pool.ranks, 0)
    run_names = tuple(run.name for run in study.runs)
    expected = model.total / len(pool.documents.topics)
    return Holes(
        runs=run_names,
        measure=measure,
        topics=topics,
        documents=documents,
        sampled=sample.size,
        ranks=ranks_within[chosen],
        gains=model.gains[chosen],
        unjudged=pool.unjudged.size,
        values=values,
        expected=expected,
        shares=pool.unjudged_shares,
        open=pairs.total,
        turned=_turned_pairs(run_names, values, pairs.is_turned),
        merged=merged,
        outlook=Outlook.of(model, pool, order),
        levels=study.judgments.levels,
        heads=heads,
        batch=batch,
    )


def _heads_to_write(heads: tuple[str, ...]) -> tuple[str, ...]:
    """The heads of the qrels, if no other column of the file for a judge has one of them; else our
    own."""
    if not heads or not {"runs", "sample"}.isdisjoint(heads):
        return HEADS
    return heads


def _weighted_measure(measure: Measure | str) -> Measure:
    """The measure in our definition. Raises `GradedError` for one without fixed weights of ranks,
    or without a cutoff."""
    measure = one_measure(measure, "holes")
    measure = definition_of(measure) or measure
    if not is_weighted_by_rank(measure):
        reason = "has none"
        if isinstance(measure, MaxGainMeasure) and isinstance(measure, GainSum):
            reason = "takes gains as shares of the highest one"
        raise GradedError(
            f"holes needs fixed weights of ranks, as nDCG_JK@10 has; {measure} {reason}"
        )
    if measure.params.get("cutoff") is None:
        raise GradedError(f"{measure} has no cutoff, the last rank to judge; write {measure}@10")
    return measure


def _refuse_changed_ids(pool: Pool, qrels: LevelsByTopic) -> None:
    """Raise `GradedError` for answers that name documents of the runs by other ids, which are equal
    as numbers.

    A spreadsheet makes 12 of 0012, and 100000 of 1E5, when a person saves the file. The values
    would count these answers as judgments of documents that no run retrieves.
    """
    is_retrieved = (pool.ranks > 0).any(axis=1)
    lost = []
    for row in np.flatnonzero(pool.is_judged & ~is_retrieved).tolist():
        topic, document = pool.names[row]
        if document not in qrels.get(topic, {}):
            lost.append((topic, document))
    if not lost:
        return
    retrieved = [pool.names[row] for row in np.flatnonzero(is_retrieved).tolist()]
    name_of = {tuple(map(_as_number, name)): name for name in retrieved}
    changed = [name for name in lost if tuple(map(_as_number, name)) in name_of]
    if not changed:
        return
    topic, document = changed[0]
    own_topic, own_document = name_of[tuple(map(_as_number, changed[0]))]
    answers = counted(len(changed), "answer")
    raise GradedError(
        f"no run retrieves the documents of {answers}, such as {shown(document)} of topic "
        f"{shown(topic)}; the runs have {shown(own_document)} of topic {shown(own_topic)}, so a "
        "spreadsheet may have changed the ids; restore them, and import these columns as text"
    )


def _as_number(id_: str) -> str | float:
    """An id that a spreadsheet takes for a number as this number, any other as it is.

    >>> _as_number("0012"), _as_number("1E5"), _as_number("d1"), _as_number("nan")
    (12.0, 100000.0, 'd1', 'nan')
    """
    if re.fullmatch(r"[-+]?[0-9]+([.,][0-9]+)?([eE][-+]?[0-9]{1,3})?", id_) is None:
        return id_
    return float(id_.replace(",", "."))


def _all_topics(runs: Iterable[Run]) -> LevelsByTopic:
    """All topics of the runs, without judged documents."""
    topics = {topic for run in runs for topic in run.source.rows().topics}
    return {topic: {} for topic in sorted(topics)}


def _most_useful_first(pool: Pool, scores: np.ndarray) -> np.ndarray:
    """The rows of the unjudged documents in the order in which they are worth judging.

    Documents with equal scores are sorted by their best rank, then by the other ranks and by id.
    """
    rows = pool.unjudged
    highest = scores.max(initial=0) or 1.0
    score = np.round(scores / highest, 12)
    _, place_of_id = np.unique([document for _, document in pool.names], return_inverse=True)
    keys = (-place_of_id[rows], -pool.nearness[rows], pool.best_rank[rows], -score)
    return np.asarray(rows[np.lexsort(keys)])


def _batch_size(batch: int | None, pool: Pool, open_pairs: int, fill: bool) -> int:
    """The number of documents to judge next. A batch that was asked for is always filled."""
    if batch is not None:
        return whole_number(batch, "batch", 1)
    if not open_pairs and not fill:
        return 0
    if not open_pairs or not pool.is_judged.any():
        return FIRST_BATCH
    return max(1, math.ceil(BATCH_SHARE * pool.unjudged.size))


def _random_sample(pool: Pool, share: float | None) -> np.ndarray:
    """The rows of a random sample of the unjudged documents, the same in every call."""
    rows = pool.unjudged
    if share is None:
        return rows[:0]
    check_probability(share, "random", 0.1)
    numbers = np.array([_random_number(*pool.names[row]) for row in rows.tolist()])
    order = np.argsort(numbers)
    is_sampled = numbers[order] < share
    return np.asarray(rows[order][is_sampled])


def _random_number(topic: str, document: str) -> float:
    """A number from 0 to 1 that is random but the same in every call."""
    text = f"{topic}\0{document}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") / 2**64


def _turned_pairs(
    names: Sequence[str], values: np.ndarray, is_turned: np.ndarray
) -> tuple[tuple[str, str], ...]:
    """The names of the pairs of runs that change their order, the better run by its value first.

    The pairs with the best runs come first; those with equal values are sorted by name.
    """
    is_better = is_turned & (signs(values) > 0)
    order = best_first(values, names)
    in_order = is_better[np.ix_(order, order)]
    names_in_order = [names[run] for run in order]
    turned = np.argwhere(in_order).tolist()
    return tuple((names_in_order[first], names_in_order[second]) for first, second in turned)
