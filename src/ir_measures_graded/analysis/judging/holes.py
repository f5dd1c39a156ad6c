"""The unjudged documents that are worth judging next, in batches.

An unjudged document counts with its expected gain, estimated from judged documents with similar ranks. A
pair of runs is open while the unjudged documents could plausibly reverse the sign of its difference. The next
batch has the documents whose weights differ most between the runs of open pairs. With `near` = Σ over runs
1/(rank + 5), the weights w (documents × runs) and T topics:

    fit = isotonic regression of the gains of the judged documents on near, through (0, 0)
    e   = gain if judged, else fit(near);  s² = mean squared residual
    I   = the ideal value of each topic with e;  h = w[unjudged] / I[topic];  v = means with e
    D   = T · (v_a − v_b);  G = hᵀh;  V = s² · (G_aa + G_bb − 2 G_ab);  z = |D| / √V
    C   = exp(−z²/2) / V, diagonal 0;  L = diag(C·1) − C;  score = row sums of (h L) ∘ h

A pair is open if z < 3. Documents are judged by depth until a residual is known, and for measures without a
weight for each rank.

B. Carterette, J. Allan, R. Sitaraman: Minimal test collections for retrieval evaluation. SIGIR 2006. The
regression of gains and the batches are ours.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from ir_measures import Measure

from ...core.by_topic import positions
from ...core.measures.standard import definition_of
from ...core.ranking.gains import gain_of
from ...core.registry.facts import gains_of, is_normalised, is_weighted_by_rank, needs_intents, sign_of
from ...core.registry.notation import parse_measure
from ...errors import GradedError, InputWarning
from ...evaluation.evaluate import evaluate
from ...evaluation.named import Qrels, Run, Runs, Study, named_runs, read_judgments, study_of
from ...output.files import write_whole
from ...output.formats import counted
from ...output.result import Result
from ...output.tables import Note, Table
from ..statistics.options import check_probability, need_statistics, statistics_library, whole_number
from ..statistics.significance import EXACT
from .merging import Levels, MergedQrels, answers_in, file_for_judge, levels_of, merge_qrels

OPEN = 3.0
"""A pair of runs is open below this many standard deviations."""
FIRST_BATCH = 50
RANDOM = "random"
UNWEIGHTED = "{} has no weight for each rank, so the documents are in the order of depth."
BATCH_SHARE = 0.025


@dataclass(frozen=True, eq=False, repr=False)
class Holes(Result):
    """The next batch of unjudged documents within rank `depth`, the most useful first; see `holes`.

    `topics` and `documents` name them, the `sampled` ones of a random sample first. `ranks` (documents ×
    runs) is their rank in each run, 0 if it is beyond the depth or the run does not retrieve them. `gains`
    are their expected gains. `unjudged` counts all unjudged documents within the depth. `values` are the
    means of the runs, `expected` those with expected gains. `open` is the number of open pairs of runs.
    `merged` are the qrels with the answers.

    For a measure without a weight for each rank, the batch is in the order of depth, `gains` and `expected`
    are None, and so is the number of open pairs.
    """

    runs: tuple[str, ...]
    measure: Measure
    depth: int
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    sampled: int
    ranks: np.ndarray
    gains: np.ndarray | None
    unjudged: int
    values: np.ndarray
    expected: np.ndarray | None
    open: int | None
    merged: MergedQrels

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def pairs(self) -> int:
        """The number of pairs of runs."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def best_ranks(self) -> np.ndarray:
        """The best rank of each document in any run."""
        return _best(self.ranks)

    def answer(self) -> list[Note]:
        """The documents to judge next, and the open pairs of runs."""
        runs, why = counted(len(self.runs), "run"), Note(UNWEIGHTED, self.measure)
        if self.open == 0:
            return [Note("No further judgment is needed: no pair of {} is open by {}.", runs, self.measure)]
        if self.open is not None:
            text = "{} of {} of {} {} open by {}: unjudged documents could plausibly reverse the difference."
            are = "is" if self.open == 1 else "are"
            why = Note(text, self.open, counted(self.pairs, "pair"), runs, are, self.measure)
        if not len(self):
            return [Note("No document is listed. {}", why)]
        text = "Judge {} of {} within rank {} next, document {} of topic {} first. {}"
        unjudged = counted(self.unjudged, "unjudged document")
        return [Note(text, len(self), unjudged, self.depth, self.documents[0], self.topics[0], why)]

    def tables(self) -> list[Table]:
        """One row per document, and the mean of each run, also with expected gains."""
        known = [self.values] if self.expected is None else [self.values, self.expected]
        order = np.argsort(-sign_of(self.measure) * known[-1]).tolist()
        columns = ["run", "value", "with expected gains"][: 1 + len(known)]
        rows = [[self.runs[run], *(float(means[run]) for means in known)] for run in order]
        shown = ["topic", "document", *["gain"] * (self.gains is not None), "runs"]
        documents = self.data().select(*shown, *["sample"] * bool(self.sampled))
        means = Table(columns, rows, f"Means by {self.measure}")
        return [documents, means] if len(self) else [means]

    def data(self) -> Table:
        """One row per document: its expected gain, its best rank, the runs with its ranks, and its sample."""
        gains = [None] * len(self) if self.gains is None else self.gains.tolist()
        by_document = (zip(self.runs, ranks) for ranks in self.ranks.tolist())
        holders = (" ".join(f"{run}:{rank}" for run, rank in ranks if rank) for ranks in by_document)
        sample = [RANDOM] * self.sampled + [""] * (len(self) - self.sampled)
        rows = zip(self.topics, self.documents, gains, self.best_ranks.tolist(), holders, sample)
        return Table(("topic", "document", "gain", "best_rank", "runs", "sample"), list(rows))

    def notes(self) -> list[Note]:
        """The judgments that each source of answers added, the random sample, and the columns."""
        of, text = self.merged, "{}: {}, {} equal to earlier ones, {}"
        contradictions = Counter(each.other for each in of.contradictions)
        notes = []
        for name, new in [*of.origins.items()][1:]:
            added, others = counted(new, "new judgment"), counted(contradictions[name], "contradiction")
            notes.append(Note(text, name, added, of.repeated[name], others))
        if self.sampled:
            text = "{} of the documents are a random sample, which alone shows how far judges agree."
            notes.append(Note(text, self.sampled))
        if len(self):
            gain = "gain is the expected gain of the document; " if self.gains is not None else ""
            notes.append(Note(f"{gain}runs has its rank in each run that retrieves it."))
        return notes

    def ask(self, path: str | os.PathLike[str]) -> None:
        """Write the documents for a judge: as CSV if the path ends in ``.csv``, else in TREC's form.

        CSV has the columns topic, document, level (empty) and runs, and ``sample`` if there is a random one.
        An apostrophe marks cells as text that a spreadsheet would compute. In TREC's form, a judge replaces
        each ``?`` by a level, and the second field of the sample is ``random``. `add_answers` reads the file
        back once levels are filled in. Raises `GradedError` if the file cannot be written, and if it exists
        with another content, so that answers are never overwritten.
        """
        write_whole(path, self.to_judge(path))

    def to_judge(self, path: str | os.PathLike[str]) -> bytes:
        """The content that `ask` writes to this file."""
        return file_for_judge(path, self.records(), sampled=self.sampled > 0)


def holes(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    depth: int | None = None,
    *,
    answers: Sequence[Qrels] = (),
    batch: int | None = None,
    until: int = 0,
    random: float | None = None,
) -> Holes:
    """The next documents to judge, for the order of the runs by a measure.

    `qrels` and `runs` are as in `evaluate`; there are at least two runs. `depth` is the last rank whose
    documents are judged, by default the cutoff of the measure. `answers` are further qrels, such as files
    that a judge has filled in; earlier ones take precedence. `batch` is the number of documents, by default
    2.5 % of the unjudged ones, or 50 if nothing is judged. There are none if at most `until` pairs of runs
    are open. If `qrels` are empty, the topics are those of the runs. Needs the extra ``stats``.

    The agreement of judges on documents that were chosen in this way is not their agreement on all. With
    `random`, a share such as 0.1, a random sample of as many of the unjudged documents comes before the
    batch. The ids decide which documents are in the sample, so that later calls go on with the same one.

    Normalised measures with a weight for each rank, such as nDCG_JK, and plain sums have open pairs. For
    other measures, the documents come in the order of depth.

    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "f": 0}}
    >>> run = {"q1": {"a": 3, "x": 2, "b": 1}, "q2": {"c": 1, "f": 0}}
    >>> other = {"q1": {"y": 3, "a": 2, "x": 1}, "q2": {"f": 1, "c": 0}}
    >>> found = holes(qrels, {"run": run, "other": other}, "nCG@2")
    >>> found.open, found.documents, found.unjudged
    (1, ('y',), 2)

    Raises `GradedError` for fewer than two runs, and for a measure without a cutoff if there is no `depth`.
    """
    need_statistics("scipy")
    until = whole_number(until, "until", 0)
    measure, depth = _measure_at(parse_measure(measure), depth)
    named = named_runs(runs)
    if len(named) < 2:
        raise GradedError("holes needs at least 2 runs, because judgments settle differences between runs")
    sources = _sources(qrels, answers)
    merged = merge_qrels(sources)
    levels = merged.qrels
    with catch_warnings():
        if not sources[0][1]:
            simplefilter("ignore", InputWarning)  # that topics have no judged document
            levels = {topic: {} for run in named for topic in run.source.table().topics} | levels
        study = study_of(levels, named)
        pool = Pool(study, measure, depth)
    judged = np.array([doc in merged.qrels.get(topic, ()) for topic, doc in pool.names], dtype=bool)
    state, left = pool.state(judged), np.flatnonzero(~judged & pool.within)
    if batch is None:
        batch = max(1, math.ceil(BATCH_SHARE * left.size)) if judged.any() else FIRST_BATCH
    batch = whole_number(batch, "batch", 1)
    if state.open is not None and state.open <= until:
        batch = 0
    sample = left[:0]
    if random is not None:
        check_probability(random, "random", 0.1)
        drawn = np.array([_drawn(*pool.names[row]) for row in left.tolist()])
        sample = left[np.argsort(drawn)[: (drawn < random).sum()]]
    chosen = left[pool.order(left, state.score)][:batch]
    chosen = np.append(sample, chosen[~np.isin(chosen, sample)])
    topics, documents = zip(*(pool.names[row] for row in chosen.tolist())) if chosen.size else ((), ())
    return Holes(
        tuple(run.name for run in study.runs),
        measure,
        depth,
        topics,
        documents,
        sample.size,
        np.where(pool.ranks[chosen] <= depth, pool.ranks[chosen], 0),
        None if state.gains is None else state.gains[chosen],
        left.size,
        evaluate(study.judgments, study.runs, [measure]).means()[:, 0],
        state.values,
        state.open,
        merged,
    )


def _drawn(topic: str, document: str) -> float:
    """A number from 0 to 1 that is random but the same in every call."""
    text = f"{topic}\0{document}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") / 2**64


class State(NamedTuple):
    """What is known with some judgments.

    `score` (documents) tells what a judgment settles.
    `gains` (documents) are the gains, expected where they are unknown, `values` (runs) the means with them,
    `open` the number of open pairs. These three are None for a measure without a weight for each rank.
    """

    score: np.ndarray
    gains: np.ndarray | None = None
    values: np.ndarray | None = None
    open: int | None = None


class Pool:
    """The documents that are judged or that a run retrieves within the depth (D), of all topics.

    `names` are pairs of topic and document, `topic` the numbers of the topics, `gain` the gains of judged
    documents. `ranks` (D × runs) are 0 where a run does not retrieve a document. `within` is true for
    documents within the depth of a run. `weights` (D × runs) are those of their ranks, and `ideal` those of
    the ranks of an ideal list, None if its value is not divided. `weights` is None if the measure has none.
    """

    def __init__(self, study: Study, measure: Measure, depth: int):
        """The documents of a study."""
        documents = {topic: dict(judged) for topic, judged in levels_of(study.judgments.table).items()}
        for run in study.runs:
            run.check(run.topics, study.judgments)
            for topic, document in _retrieved(run, depth):
                documents[topic].setdefault(document, 0)
        judgments = read_judgments(documents)
        judged = judgments.judged
        ranks = np.zeros((judged.level.size, len(study.runs)), dtype=np.int64)
        for column, run in enumerate(study.runs):
            (reduced,) = Run(run.name, run.ranks.listed).reduced(judgments)
            ranks[reduced.doc, column] = reduced.rank
        within = (ranks > 0) & (ranks <= depth)
        self.names = [(topic, doc) for topic, docs in judged.rows.dicts().items() for doc in docs]
        self.topic, self.topic_count, self.ranks = judged.topic, len(judged.topics), ranks
        self.gain, self.within = gain_of(judged.level, gains_of(measure)), within.any(axis=1)
        self.weights: np.ndarray | None = None
        self.ideal: np.ndarray | None = None
        if is_weighted_by_rank(measure):
            longest = int(max(np.diff(judged.offsets).max(initial=1), ranks[within].max(initial=1)))
            by_rank = measure.rank_weights(longest)
            self.weights = np.where(within, by_rank[np.where(within, ranks, 1) - 1], 0.0)
            if is_normalised(measure):
                self.ideal = by_rank * (np.arange(longest) < depth) if measure.IDEAL_IS_CUT else by_rank

    @cached_property
    def near(self) -> np.ndarray:
        """The sum over the runs of 1/(rank + 5) for each document."""
        return np.where(self.ranks > 0, 1 / (self.ranks + 5), 0.0).sum(axis=1)

    def shares(self, gains: np.ndarray) -> np.ndarray:
        """The weights (D × runs), divided by the ideal value of the topic if documents have these gains."""
        assert self.weights is not None
        if self.ideal is None:
            return self.weights
        order = np.lexsort((-gains, self.topic))
        best = np.maximum(gains[order], 0) * self.ideal[positions(np.bincount(self.topic))]
        ideal = np.bincount(self.topic[order], best, self.topic_count)
        ideal[ideal == 0] = self.ideal[0]  # nothing is known of the topic
        return self.weights / ideal[self.topic][:, None]

    def state(self, judged: np.ndarray) -> State:
        """What is known with the documents that are `judged`; see the module for the formulas."""
        score = np.zeros(judged.size)
        if self.weights is None:
            return State(score)
        fit, known = np.zeros(judged.size), judged & (self.near > 0)
        if known.any():
            fit = _increasing(self.near[known], self.gain[known], self.near)
        residual = (self.gain - fit)[known]
        residual[np.abs(residual) <= EXACT * np.abs(self.gain[known]).max(initial=0)] = 0
        variance = float((residual**2).sum()) / max(residual.size, 1)
        gains = np.where(judged, self.gain, fit)
        h = self.shares(gains)
        total = np.einsum("d,da->a", gains, h)  # `@` starts threads, which wait on a busy machine
        h = h[~judged]
        products = np.einsum("da,db->ab", h, h)
        apart = np.add.outer(np.diag(products), np.diag(products)) - 2 * products
        apart[apart <= EXACT * products.max(initial=0)] = 0
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.abs(total[:, None] - total) / np.sqrt(variance * apart)
            c = np.where(apart * variance > 0, np.exp(-(z**2) / 2) / (variance * apart), 0)
        still_open = (apart > 0) & ((z < OPEN) | (variance == 0))
        laplacian = np.diag(c.sum(axis=1)) - c
        score[~judged] = (np.einsum("da,ab->db", h, laplacian) * h).sum(axis=1)
        return State(score, gains, total / self.topic_count, int(still_open.sum()) // 2)

    def order(self, rows: np.ndarray, score: np.ndarray) -> np.ndarray:
        """The order of some documents by score, or by depth if all scores are 0."""
        rounded = np.round(score[rows] / (score[rows].max(initial=0) or 1.0), 12)
        return np.lexsort((-self.near[rows], _best(self.ranks[rows]), -rounded))


def _increasing(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The isotonic regression of y on x > 0 through (0, 0), at other points.

    >>> _increasing(np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 2.0]), np.array([0.5, 2.0, 9.0]))
    array([0.5, 3. , 3. ])
    """
    points, number, count = np.unique(x, return_inverse=True, return_counts=True)
    isotonic_regression = statistics_library("scipy.optimize").isotonic_regression
    fit = isotonic_regression(np.bincount(number, y) / count, weights=count).x
    return np.interp(at, np.append(0, points), np.append(0, fit))


def add_answers(qrels: Qrels, *files: Qrels) -> MergedQrels:
    """The qrels, completed with judges' answers, such as files that `Holes.ask` wrote.

    As in `merge_qrels`, the first source decides: the qrels take precedence over the answers, and earlier
    files over later ones. The result lists contradictions. Documents without an answer stay unjudged.
    """
    return merge_qrels(_sources(qrels, files))


def _sources(qrels: Qrels, answers: Sequence[Qrels]) -> list[tuple[str, Levels]]:
    """The names and judgments of the qrels and of each source of answers."""
    names = [
        os.fspath(each) if isinstance(each, (str, os.PathLike)) else f"answers {number}"
        for number, each in enumerate(answers, 1)
    ]
    sources = zip(["qrels", *names], [qrels, *answers])
    return [(name, answers_in(each, name)[0]) for name, each in sources]


def _measure_at(measure: Measure, depth: int | None) -> tuple[Measure, int]:
    """The measure at the depth, and the depth. Raises `GradedError` if there is none."""
    if needs_intents(measure):
        raise GradedError(f"{measure} has no unjudged documents: a judge would give a level for each intent")
    if measure.params.get("judged_only"):
        raise GradedError(
            f"{measure} leaves unjudged documents out, so the effect of judging them is unknown"
        )
    measure = definition_of(measure) or measure
    if depth is None:
        if measure.params.get("cutoff") is None:
            raise GradedError(f"{measure} has no cutoff; write {measure}@10, or give depth=10")
        return measure, int(measure.params["cutoff"])
    depth = whole_number(depth, "depth", 1)
    return (measure(cutoff=depth) if "cutoff" in measure.SUPPORTED_PARAMS else measure), depth


def _retrieved(run: Run, depth: int) -> Iterator[tuple[str, str]]:
    """The unjudged documents of a run within the depth, as pairs of topic and document."""
    ranks = run.ranks
    unjudged = positions(ranks.retrieved) < depth
    unjudged[ranks.position] = False
    topics = np.repeat(np.array(ranks.judged.topics, dtype=object), ranks.retrieved)[unjudged]
    return zip(topics.tolist(), ranks.documents(np.flatnonzero(unjudged)))


def _best(ranks: np.ndarray) -> np.ndarray:
    """The best rank of each document (documents × runs); 0 is no rank."""
    return np.where(ranks > 0, ranks, np.iinfo(np.int64).max).min(axis=1)
