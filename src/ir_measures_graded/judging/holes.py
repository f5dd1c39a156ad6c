"""Holes: the unjudged documents that are worth judging, the most useful first.

A hole is an unjudged document that a run retrieves within the cutoff. Judging it tells
nothing about the differences between runs if all runs have it at the same rank. It tells much if some runs
have it at a high rank and others lack it. Let
w_A(d) be the weight of document d's gain in the value of run A. In the difference of runs A and B the gain of
d has the weight w_A(d) − w_B(d). Therefore, judging d reduces the variance of the differences between runs by
an amount proportional to the sum over all pairs of runs of (w_A(d) − w_B(d))². This assumes that all holes
have the same chance of being relevant, independently of each other.

B. Carterette, J. Allan, R. Sitaraman: Minimal test collections for retrieval evaluation. SIGIR 2006.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
from ir_measures import Measure

from ..by_topic import positions
from ..errors import GradedError, InputWarning
from ..evaluation.evaluate import evaluate
from ..evaluation.named import Qrels, Runs, read_judgments
from ..evaluation.study import StudiedRun, study_of
from ..output import plots
from ..output.files import write_whole
from ..output.formats import PLACES, Table, comma_separated, counted
from ..output.result import Result
from ..registry.facts import needs_intents
from ..registry.notation import parse_measure
from ..statistics.options import refuse_large, whole_number
from ..statistics.significance import EXACT
from .answers import CSV_COLUMNS, already_asked, read_answers
from .merging import MergedQrels, merge_qrels
from .scales import Levels, levels_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Holes(Result):
    """The unjudged documents within the cutoff, the most useful to judge first.

    `topics` and `documents` name them. `ranks` (holes × runs) is their rank in each run, 0 if it is beyond
    the cutoff or the run does not retrieve them. `variance` is the sum over all pairs of runs of the squared
    difference of their weights, in units of the squared value that a single relevant document could add to
    the mean. `total` is the variance of all holes, including those that `first` omits.
    """

    runs: tuple[str, ...]
    measure: Measure
    cutoff: int
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    ranks: np.ndarray
    variance: np.ndarray
    total: float

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def shares(self) -> np.ndarray:
        """The share of each hole in the total variance."""
        return self.variance / self.total if self.total else np.zeros(len(self))

    @property
    def best_ranks(self) -> np.ndarray:
        """The best rank of each hole in any run."""
        return _best(self.ranks)

    @property
    def summary(self) -> str:
        """The number of holes and the runs in one line."""
        return (
            f"{counted(len(self), 'unjudged document')} within rank {self.cutoff} of "
            f"{counted(len(self.runs), 'run')}, for differences by {self.measure}"
        )

    def table(self) -> Table:
        """Column names and rows: one row per hole, the most useful first."""
        columns = ["topic", "document", "share", "cumulated", "runs"]
        return columns, [[record[column] for column in columns] for record in self.records()]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per hole.

        ``share`` is its share of the variance, ``cumulated`` the share of all holes down to it. ``runs``
        names the runs that retrieve it within the cutoff, and its ranks.
        """
        names = ("topic", "document", "variance", "share", "cumulated", "best_rank", "runs")
        numbers = (self.variance, self.shares, np.cumsum(self.shares), self.best_ranks)
        columns = (self.topics, self.documents, *map(np.ndarray.tolist, numbers), self._holders())
        return [dict(zip(names, row)) for row in zip(*columns)]

    def _holders(self) -> list[str]:
        """The runs that retrieve each hole, with its ranks."""
        by_hole = (zip(self.runs, ranks) for ranks in self.ranks.tolist())
        return [" ".join(f"{run}:{rank}" for run, rank in ranks if rank) for ranks in by_hole]

    def first(self, count: int) -> Holes:
        """The `count` most useful holes."""
        lists = ("topics", "documents", "ranks", "variance")
        return replace(self, **{name: getattr(self, name)[:count] for name in lists})

    def trec_lines(self) -> Iterator[str]:
        """Lines ``topic 0 document ?`` for a judge, who replaces each ``?`` by a level."""
        for topic, document in zip(self.topics, self.documents):
            yield f"{topic} 0 {document} ?"

    def csv_lines(self) -> Iterator[str]:
        """The same as CSV with the columns topic, document, level (empty) and runs."""
        rows = zip(self.topics, self.documents, [""] * len(self), self._holders())
        yield from comma_separated(CSV_COLUMNS, rows)

    def save(self, path: str | os.PathLike[str], positions: int = PLACES) -> None:
        """Write the holes for a judge: as CSV if the path ends in ``.csv``, else in TREC's form.

        `add_answers` reads the file back once levels are filled in. A file in which levels are filled in
        keeps its lines, and the documents that it lacks are added. Raises `GradedError` if the file cannot be
        written, and if its lines have another form.
        """
        write_whole(path, self.to_judge(path))

    def to_judge(self, path: str | os.PathLike[str]) -> bytes:
        """The content that `save` writes to this file."""
        as_csv = os.fspath(path).lower().endswith(".csv")
        header, *lines = self.csv_lines() if as_csv else ("", *self.trec_lines())
        kept, asked = already_asked(path, as_csv)
        new = [line for line, *row in zip(lines, self.topics, self.documents) if tuple(row) not in asked]
        head = f"{header}\n" if as_csv and not kept else kept
        return (head + "".join(f"{line}\n" for line in new)).encode(errors="backslashreplace")

    @plots.styled
    def figure(self) -> Figure:
        """Draw the share of the variance removed by the number of judged documents. Needs the extra ``plot``.

        The second line is depth pooling, which judges the documents by their best rank in any run.
        """
        figure = plots.new_figure()
        axes = figure.add_subplot()
        by_depth = self.shares[np.argsort(self.best_ranks, kind="stable")]
        drawn = {"most variance first": self.shares, "by depth": by_depth}
        for number, (label, shares) in enumerate(drawn.items()):
            style = {**plots.line_style(number), "marker": ""}
            axes.plot(np.append(0.0, np.cumsum(shares)), label=label, **style)
        axes.set_xlabel("Documents judged")
        axes.set_ylabel("Share of the variance removed")
        axes.set_title(plots.title(f"{self.measure}, {counted(len(self.runs), 'run')}"))
        plots.legend_outside(axes)
        return figure


def holes(qrels: Qrels, runs: Runs, measure: Measure | str, cutoff: int | None = None) -> Holes:
    """The unjudged documents within the cutoff, ranked by the variance that judging them removes.

    `qrels` and `runs` are those of `evaluate`; only topics of the qrels count. `measure` weights the ranks.
    `cutoff` is by default the measure's. A weight is the value that a document of the qrels'
    highest level adds at a rank if it is the topic's only relevant one, scaled to the relevant documents
    that the topic has. This is exact for measures that sum discounted gains, such as CG, DCG_JK and P, also
    normalised; for others it is an approximation.

    >>> qrels = {"q": {"a": 1}}
    >>> runs = {"A": {"q": {"x": 3, "a": 2, "y": 1}}, "B": {"q": {"a": 3, "z": 2, "y": 1}}}
    >>> found = holes(qrels, runs, "CG", cutoff=3)
    >>> found.documents, found.shares, found.ranks.tolist()
    (('x', 'z', 'y'), array([0.5, 0.5, 0. ]), [[1, 0], [0, 2], [3, 3]])

    Raises `GradedError` for fewer than two runs, a missing cutoff, a measure with judged_only=True, which
    does not see unjudged documents, and one that gives all ranks the same value, such as NDPM.
    """
    measure, cutoff = _measure_at(parse_measure(measure), cutoff)
    study = study_of(qrels, runs)
    if len(study.runs) < 2:
        raise GradedError("holes needs at least 2 runs, because judgments settle differences between runs")
    number: dict[tuple[int, str], int] = {}
    entries = [np.empty((3, 0), dtype=np.int64)]
    for column, run in enumerate(study.runs):
        topic, documents, rank = _unjudged(run, cutoff)
        run.check(run.topics, study.judgments)
        row = [number.setdefault(key, len(number)) for key in zip(topic.tolist(), documents)]
        entries.append(np.array([row, np.full(len(row), column), rank], dtype=np.int64))
    row, column, rank = np.concatenate(entries, axis=1)
    ranks = np.zeros((len(number), len(study.runs)), dtype=np.int64)
    ranks[row, column] = rank
    topics = np.array([topic for topic, _ in number], dtype=np.int64)
    deepest = int(ranks.max(initial=1))
    refuse_large("cutoff", cutoff, 100 * deepest**2, f"the weights of {deepest} ranks")
    weight, scale = _weights(measure, deepest, levels_of(study.judgments.table))
    weights = weight[ranks]
    # The sum over all pairs of (a − b)² is n Σa² − (Σa)².
    variance = len(study.runs) * (weights**2).sum(axis=1) - weights.sum(axis=1) ** 2
    variance[variance <= EXACT * (weights**2).sum(axis=1)] = 0.0
    variance *= (scale[topics] / len(study.judged.topics)) ** 2
    largest = variance.max(initial=0.0) or 1.0
    order = np.lexsort((topics, _best(ranks), -np.round(variance / largest, 12)))
    names = list(number)
    keys = [names[position] for position in order.tolist()]
    return Holes(
        tuple(run.name for run in study.runs),
        measure,
        cutoff,
        tuple(study.judged.topics[topic] for topic, _ in keys),
        tuple(document for _, document in keys),
        ranks[order],
        variance[order],
        float(variance.sum()),
    )


def add_answers(qrels: Qrels, *files: str | os.PathLike[str]) -> MergedQrels:
    """The qrels, completed with judges' answers in files that `Holes.save` wrote.

    As in `merge_qrels`, the first source decides: the qrels take precedence over the answers, and earlier
    files over later ones. The result lists contradictions. Documents without an answer stay unjudged.
    """
    sources: list[tuple[str, Any]] = [("qrels", levels_of(read_judgments(qrels).table))]
    return merge_qrels([*sources, *((os.fspath(file), read_answers(file)) for file in files)])


def _measure_at(measure: Measure, cutoff: int | None) -> tuple[Measure, int]:
    """The measure at the cutoff, and the cutoff. Raises `GradedError` if there is none."""
    if needs_intents(measure):
        raise GradedError(f"{measure} has no holes: a judge would give a document a level for each intent")
    if measure.params.get("judged_only"):
        raise GradedError(
            f"{measure} leaves unjudged documents out, so the effect of judging them is unknown"
        )
    if cutoff is None:
        if measure.params.get("cutoff") is None:
            raise GradedError(f"{measure} has no cutoff; write {measure}@10, or give cutoff=10")
        return measure, int(measure.params["cutoff"])
    cutoff = whole_number(cutoff, "cutoff", 1)
    return (measure(cutoff=cutoff) if "cutoff" in measure.SUPPORTED_PARAMS else measure), cutoff


def _unjudged(run: StudiedRun, cutoff: int) -> tuple[np.ndarray, list[str], np.ndarray]:
    """The unjudged documents of a run within the cutoff: number of the topic, document, and rank."""
    ranks = run.ranks
    rank = positions(ranks.retrieved) + 1
    unjudged = rank <= cutoff
    unjudged[ranks.position] = False
    topic = np.repeat(np.arange(ranks.retrieved.size), ranks.retrieved)[unjudged]
    return topic, list(run.block.documents(np.flatnonzero(unjudged))), rank[unjudged]


def _best(ranks: np.ndarray) -> np.ndarray:
    """The best rank of each hole (holes × runs); 0 is no rank."""
    return np.where(ranks > 0, ranks, np.iinfo(np.int64).max).min(axis=1)


NEW = "\N{WHITE SQUARE}"
"""The id of a document that no qrels have."""


def _weights(measure: Measure, deepest: int, qrels: Levels) -> tuple[np.ndarray, np.ndarray]:
    """The weight of each rank to the deepest, 0 first for documents not retrieved, and each topic's scale.

    Both are differences of values: of a new document at the highest level and at level 0.
    """
    top = max([0, *(level for judged in qrels.values() for level in judged.values())]) or 1
    lists = {
        str(rank): [*(f"{NEW}{above}" for above in range(1, rank)), NEW] for rank in range(1, deepest + 1)
    }
    weight = _effect(measure, {rank: {} for rank in lists}, lists, top)
    if not weight.any():
        raise GradedError(
            f"{measure} has the same value at whatever rank a topic's only relevant document is"
        )
    scale = np.ones(len(qrels))
    if weight[0]:
        scale = _effect(measure, qrels, {topic: [NEW] for topic in qrels}, top) / weight[0]
    return np.append(0.0, weight), scale


def _effect(measure: Measure, qrels: Levels, lists: dict[str, list[str]], top: float) -> np.ndarray:
    """The value that the new document adds to each topic at the highest level, compared with level 0."""
    both = [(topic, level) for topic in qrels for level in (top, 0)]
    judged = {f"{topic} {level}": {**qrels[topic], NEW: level} for topic, level in both}
    ranked = {
        f"{topic} {level}": {doc: -position for position, doc in enumerate(lists[topic])}
        for topic, level in both
    }
    with catch_warnings():
        simplefilter("ignore", InputWarning)  # most documents of these lists are unjudged
        values = evaluate(judged, {"": ranked}, [measure]).values.reshape(-1, 2)
    return values[:, 0] - values[:, 1]
