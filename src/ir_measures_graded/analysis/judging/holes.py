"""The unjudged documents that are worth judging next, in batches.

An unjudged document counts with its expected gain, estimated from judged documents with similar
ranks. A pair of runs is open while the unjudged documents could plausibly reverse the sign of its
difference. The next batch has the documents whose weights differ most between the runs of open
pairs. With `near` = Σ over runs 1/(rank + 5), the weights w (documents × runs) and T topics:

    fit = isotonic regression of the gains of the judged documents on near, through (0, 0)
    e   = gain if judged, else fit(near);  s² = mean squared residual
    I   = the ideal value of each topic with e;  h = w[unjudged] / I[topic];  v = means with e
    D   = T · (v_a − v_b);  G = hᵀh;  V = s² · (G_aa + G_bb − 2 G_ab);  z = |D| / √V
    C   = exp(−z²/2) / V, diagonal 0;  L = diag(C·1) − C;  score = row sums of (h L) ∘ h

A pair is open if z < 3, if the order of its means differs from that with expected gains, or if more
than half of the documents within the cutoff of either run are unjudged: the pool may be that of one
of the runs, which the model cannot know. Documents are judged by depth until a residual is known.

B. Carterette, J. Allan, R. Sitaraman: Minimal test collections for retrieval evaluation. SIGIR
2006. The regression of gains and the batches are ours.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from ir_measures import Measure

from ...core.by_topic import positions
from ...core.measures.standard import definition_of
from ...core.ranking.gains import gain_of
from ...core.ranking.judged import Judged
from ...core.registry.facts import gains_of, is_normalised, is_weighted_by_rank, sign_of
from ...errors import FileError, GradedError, InputWarning
from ...evaluation.at_ranks import one_measure
from ...evaluation.checked import checks_arguments
from ...evaluation.evaluate import evaluate
from ...evaluation.named import Qrels, Run, Runs, named_runs, read_judgments, study_of
from ...output.figures import Figure
from ...output.files import write_whole
from ...output.formats import Percent, comma_separated, counted, decimal
from ...output.result import Result, as_bytes
from ...output.tables import Note, Table
from ...progress import Progress, steps
from ..statistics.options import check_probability, statistics_library, whole_number
from ..statistics.precision import EXACT
from .figures import figure_of_holes
from .panel import Levels, MergedQrels, add_answers, answers_in, as_text

OPEN = 3.0
"""A pair of runs is open below this many standard deviations."""
MOSTLY_UNJUDGED = 0.5
"""A pair is open if a larger share of the documents of either run is unjudged."""
FIRST_BATCH = 50
RANDOM = "random"
BATCH_SHARE = 0.025
COLUMNS = Note(
    "gain is the expected gain of the document; runs has its rank in each run that retrieves it."
)


@dataclass(frozen=True, eq=False)
class Outlook:
    """What the model expects of further judgments, see the module.

    `h` and `gains` are those of the unjudged documents in the order in which they are worth
    judging, and `within` (documents × runs) tells which are within the cutoff of a run. `total` and
    `variance` are those of the model, and `sizes` the numbers of documents of each run within the
    cutoff.
    """

    h: np.ndarray
    gains: np.ndarray
    within: np.ndarray
    total: np.ndarray
    variance: float
    sizes: np.ndarray

    def curve(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of documents that are judged, and the pairs that then stay open.

        Each document has its expected gain.
        """
        counts = np.unique(np.linspace(0, len(self.h), steps).round().astype(int))
        still_open = [self._open_after(count) for count in counts.tolist()]
        return counts, np.array(still_open)

    def _open_after(self, count: int) -> int:
        """The open pairs when so many documents are judged."""
        left = self.h[count:]
        _, is_open = _settled(left, self.total, self.variance)
        without = self.total - np.einsum("d,da->a", self.gains[count:], left)
        is_open |= _signs(without) != _signs(self.total)
        shares = self.within[count:].sum(axis=0) / np.maximum(self.sizes, 1)
        is_mostly_unjudged = shares > MOSTLY_UNJUDGED
        either = np.logical_or.outer(is_mostly_unjudged, is_mostly_unjudged)
        is_open |= either & _can_differ(left)
        return int(np.triu(is_open, 1).sum())


@dataclass(frozen=True, eq=False, repr=False)
class Holes(Result):
    """The next batch of unjudged documents, the most useful first; see `holes`.

    `topics` and `documents` name them, the `sampled` ones of a random sample first. `ranks`
    (documents × runs) is their rank in each run, 0 if it is beyond the cutoff or the run does not
    retrieve them. `gains` are their expected gains. `unjudged` counts all unjudged documents within
    the cutoff. `values` are the means of the runs, `expected` those with expected gains. `shares`
    are the shares of the documents of each run within the cutoff that are unjudged. `open` is the
    number of open pairs of runs, and `turned` has the pairs whose order differs with expected
    gains. `merged` are the qrels with the answers. `outlook` has what the figure needs.
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

    def __len__(self) -> int:
        return len(self.documents)

    def answer(self) -> list[Note]:
        """The reason why pairs of runs are open, and the documents to judge next."""
        runs = counted(len(self.runs), "run")
        if self.open == 0:
            text = "No further judgment is needed: no pair of {} is open by {}."
            return [Note(text, runs, self.measure), *self._next()]
        text = (
            "{} of {} of {} {} open by {}: unjudged documents could plausibly reverse the "
            "difference."
        )
        pairs = counted(math.comb(len(self.runs), 2), "pair")
        are = "is" if self.open == 1 else "are"
        of_pairs = Note(text, self.open, pairs, runs, are, self.measure)
        return [*self._reason(), of_pairs, *self._next()]

    def _reason(self) -> list[Note]:
        """The run with the most unjudged documents, if they are more than half, or a pair that
        turns."""
        depth = self.measure.params["cutoff"]
        most = int(np.argmax(self.shares))
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
        return [Note(text, len(self), unjudged, depth, self.documents[0], self.topics[0])]

    def tables(self) -> list[Table]:
        """One row per document, and the mean of each run, also with expected gains."""
        order = np.argsort(-sign_of(self.measure) * self.expected)
        runs = {"run": [self.runs[run] for run in order.tolist()]}
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
        for topic, document, gain, ranks in zip(
            self.topics, self.documents, self.gains, self.ranks.tolist(), strict=True
        ):
            ranks_of = {run: rank for run, rank in zip(self.runs, ranks, strict=True) if rank}
            holders = " ".join(f"{run}:{rank}" for run, rank in ranks_of.items())
            sample = RANDOM if len(rows) < self.sampled else ""
            rows.append([topic, document, float(gain), min(ranks_of.values()), holders, sample])
        return Table(("topic", "document", "gain", "best_rank", "runs", "sample"), rows)

    def figure(self) -> Figure:
        """Draw the open pairs against the judgments, and the documents to judge next.

        Needs the extra ``plot``.
        """
        return figure_of_holes(self)

    def notes(self) -> list[Note]:
        """The judgments that each source of answers added, the random sample, and the columns."""
        _, *answers = self.merged.added.items()
        notes = [Note("{}: {}.", name, counted(added, "new judgment")) for name, added in answers]
        if self.sampled:
            text = (
                "{} of the documents are a random sample, which alone shows how far judges agree."
            )
            notes.append(Note(text, self.sampled))
        return [*notes, COLUMNS] if len(self) else notes

    def ask(self, path: str | os.PathLike[str]) -> None:
        """Write the documents for a judge as CSV, which `add_answers` reads once levels are filled
        in.

        The columns are topic, document, level (empty) and runs, and ``sample`` if there is a random
        one. An apostrophe marks cells as text that a spreadsheet would compute. Raises
        `GradedError` if the file cannot be written, and if it exists with another content, so that
        answers are never overwritten.
        """
        write_whole(path, self.to_judge(path))

    def to_judge(self, path: str | os.PathLike[str]) -> bytes:
        """The content that `ask` writes to this file."""
        columns = ["topic", "document", "level", "runs"]
        if self.sampled:
            columns.append("sample")
        rows = [
            [as_text(record.get(column, "")) for column in columns] for record in self.records()
        ]
        content = as_bytes(comma_separated(columns, rows))
        if os.path.isfile(path) and Path(path).read_bytes() not in (b"", content):
            raise FileError(
                f"{os.fspath(path)}: the file exists, perhaps with answers of a judge; name "
                "another file"
            )
        return content


@checks_arguments("holes(qrels, {'old': old, 'new': new}, 'nDCG@10')")
def holes(
    qrels: Qrels,
    runs: Runs,
    measure: Measure | str,
    *,
    answers: Sequence[Qrels] = (),
    batch: int | None = None,
    random: float | None = None,
    progress: Progress = False,
) -> Holes:
    """The next documents to judge, for the order of the runs by a measure.

    `qrels` and `runs` are as in `evaluate`; there are at least two runs. The cutoff of the measure
    is the last rank whose documents are judged. `answers` are further qrels, such as files that a
    judge has filled in; earlier ones take precedence. `batch` is the number of documents, by
    default 2.5 % of the unjudged ones, or 50 if nothing is judged, and none if no pair of runs is
    open. If `qrels` are empty, the topics are those of the runs. Needs the extra ``stats``.

    The agreement of judges on documents that were chosen in this way is not their agreement on all.
    With `random`, a share such as 0.1, a random sample of as many of the unjudged documents comes
    before the batch. The ids decide which documents are in the sample, so that later calls go on
    with the same one.

    The measure is a sum of gains with a weight for each rank, such as P and RBP, perhaps divided by
    that of the ideal list, such as nDCG_JK.

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
    measure = one_measure(measure, "holes")
    measure = definition_of(measure) or measure
    if not is_weighted_by_rank(measure):
        raise GradedError(
            f"holes needs fixed weights of ranks, as nDCG_JK@10 has; {measure} has none"
        )
    depth = measure.params.get("cutoff")
    if depth is None:
        raise GradedError(f"{measure} has no cutoff, the last rank to judge; write {measure}@10")
    named = named_runs(runs)
    if len(named) < 2:
        raise GradedError(
            "holes needs at least 2 runs, because judgments settle differences between runs"
        )
    given, _ = answers_in(qrels)
    merged = add_answers(given, *answers)
    levels = merged.qrels
    with catch_warnings():
        if not given:
            simplefilter("ignore", InputWarning)  # that topics have no judged document
            levels = {topic: {} for run in named for topic in run.source.rows().topics} | levels
        study = study_of(levels, named)
        pool, ranks = _pool(levels, study.runs, depth)
    names = [(topic, doc) for topic, docs in pool.rows.dicts().items() for doc in docs]
    judged = np.array([doc in merged.qrels.get(topic, ()) for topic, doc in names], dtype=bool)
    # Sorted terms have the same sum whatever the order of the runs.
    near = np.sort(np.where(ranks > 0, 1 / (ranks + 5), 0.0), axis=1).sum(axis=1)
    best = np.where(ranks > 0, ranks, np.iinfo(np.int64).max).min(axis=1)
    left = np.flatnonzero(~judged & (best <= depth))
    gains, variance = _expected(gain_of(pool.level, gains_of(measure)), near, judged)
    h = _weights(measure, depth, pool, ranks, gains)
    total = np.einsum("d,da->a", gains, h)  # `@` starts threads, which wait on a busy machine
    score = np.zeros(judged.size)
    score[~judged], is_open = _settled(h[~judged], total, variance)
    values = evaluate(study.judgments, study.runs, [measure]).means()[:, 0]
    expected = total / len(pool.topics)
    shares = _unjudged_shares(ranks, depth, judged)
    is_mostly_unjudged = shares > MOSTLY_UNJUDGED
    is_turned = _signs(values) != _signs(expected)
    is_open |= is_turned
    is_open |= np.logical_or.outer(is_mostly_unjudged, is_mostly_unjudged) & _can_differ(h[~judged])
    still_open = int(np.triu(is_open, 1).sum())
    is_asked_for = batch is not None
    if batch is None:
        batch = max(1, math.ceil(BATCH_SHARE * left.size)) if judged.any() else FIRST_BATCH
    batch = whole_number(batch, "batch", 1)
    rounded = np.round(score[left] / (score[left].max(initial=0) or 1.0), 12)
    _, order_of_ids = np.unique([doc for _, doc in names], return_inverse=True)
    worth_first = left[np.lexsort((-order_of_ids[left], -near[left], best[left], -rounded))]
    within = (ranks > 0) & (ranks <= depth)
    outlook = Outlook(
        h[worth_first],
        gains[worth_first],
        within[worth_first],
        total,
        variance,
        within.sum(axis=0),
    )
    chosen = worth_first
    # A batch that was asked for is always filled.
    if not still_open and not is_asked_for:
        batch = 0
    chosen = chosen[:batch]
    sample = chosen[:0]
    if random is not None:
        check_probability(random, "random", 0.1)
        drawn = np.array([_drawn(*names[row]) for row in left.tolist()])
        order = np.argsort(drawn)
        sample = left[order][drawn[order] < random]
    chosen = np.append(sample, chosen[~np.isin(chosen, sample)])
    listed = [names[row] for row in chosen.tolist()]
    return Holes(
        tuple(run.name for run in study.runs),
        measure,
        tuple(topic for topic, _ in listed),
        tuple(document for _, document in listed),
        sample.size,
        np.where(ranks[chosen] <= depth, ranks[chosen], 0),
        gains[chosen],
        left.size,
        values,
        expected,
        shares,
        still_open,
        tuple(_turned(study.runs, values, is_turned)),
        merged,
        outlook,
    )


def _unjudged_shares(ranks: np.ndarray, depth: int, judged: np.ndarray) -> np.ndarray:
    """The share of the documents of each run within the depth that are unjudged; 0 without
    documents."""
    within = (ranks > 0) & (ranks <= depth)
    unjudged = (within & ~judged[:, None]).sum(axis=0)
    return np.asarray(unjudged / np.maximum(within.sum(axis=0), 1))


def _signs(means: np.ndarray) -> np.ndarray:
    """The sign of the difference of each two means, 0 for rounding errors."""
    differences = np.subtract.outer(means, means)
    differences[np.abs(differences) <= EXACT * np.abs(means).max()] = 0
    return np.sign(differences)


def _can_differ(h: np.ndarray) -> np.ndarray:
    """Whether some unjudged document has different weights in two runs (runs × runs)."""
    return _squared_distances(h) > 0


def _turned(
    runs: Sequence[Run], values: np.ndarray, is_turned: np.ndarray
) -> Iterator[tuple[str, str]]:
    """The names of the pairs of runs that change their order, the better one by its value first."""
    signs = _signs(values)
    for first, second in np.argwhere(is_turned & (signs > 0)).tolist():
        yield runs[first].name, runs[second].name


def _drawn(topic: str, document: str) -> float:
    """A number from 0 to 1 that is random but the same in every call."""
    text = f"{topic}\0{document}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") / 2**64


def _pool(levels: Levels, runs: Sequence[Run], depth: int) -> tuple[Judged, np.ndarray]:
    """The documents that are judged or that a run retrieves within the depth, as judged, and their
    ranks.

    Unjudged ones have level 0. The ranks (documents × runs) are 0 where a run does not retrieve a
    document.
    """
    documents = {topic: dict(judged) for topic, judged in levels.items()}
    for run in steps(runs, "runs"):
        run.check(run.topics, run.judgments)
        unjudged = positions(run.ranks.retrieved) < depth
        unjudged[run.ranks.position] = False
        topics = np.repeat(np.array(run.ranks.judged.topics, dtype=object), run.ranks.retrieved)[
            unjudged
        ]
        for topic, document in zip(
            topics.tolist(), run.ranks.documents(np.flatnonzero(unjudged)), strict=True
        ):
            documents[topic].setdefault(document, 0)
    judgments = read_judgments(documents)
    ranks = np.zeros((judgments.judged.level.size, len(runs)), dtype=np.int64)
    for column, run in enumerate(steps(runs, "runs")):
        (reduced,) = Run(run.name, run.ranks.listed).reduced(judgments)
        ranks[reduced.doc, column] = reduced.rank
    return judgments.judged, ranks


def _expected(gain: np.ndarray, near: np.ndarray, judged: np.ndarray) -> tuple[np.ndarray, float]:
    """The gains of judged documents, those that the others are expected to have, and s²; see the
    module."""
    known = judged & (near > 0)
    if not known.any():
        return np.where(judged, gain, 0.0), 0.0
    fit = _increasing(near[known], gain[known], near)
    residual = (gain - fit)[known]
    residual[np.abs(residual) <= EXACT * np.abs(gain[known]).max()] = 0
    return np.where(judged, gain, fit), float((residual**2).mean())


def _increasing(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The isotonic regression of y on x > 0 through (0, 0), at other points.

    >>> _increasing(np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 2.0]), np.array([0.5, 2.0, 9.0]))
    array([0.5, 3. , 3. ])
    """
    points, number, count = np.unique(x, return_inverse=True, return_counts=True)
    isotonic_regression = statistics_library("scipy.optimize").isotonic_regression
    fit = isotonic_regression(np.bincount(number, y) / count, weights=count).x
    return np.interp(at, np.append(0, points), np.append(0, fit))


def _weights(
    measure: Measure, depth: int, pool: Judged, ranks: np.ndarray, gains: np.ndarray
) -> np.ndarray:
    """The weights (documents × runs), divided by the topic's ideal value if documents have these
    gains."""
    within = (ranks > 0) & (ranks <= depth)
    longest = int(max(np.diff(pool.offsets).max(initial=1), ranks[within].max(initial=1)))
    ideal = measure.rank_weights(longest)
    weights = np.where(within, ideal[np.where(within, ranks, 1) - 1], 0.0)
    if not is_normalised(measure):
        return weights
    if measure.IDEAL_IS_CUT:
        ideal = ideal * (np.arange(longest) < depth)
    order = np.lexsort((-gains, pool.topic))
    best = np.maximum(gains[order], 0) * ideal[positions(np.bincount(pool.topic))]
    sums = np.bincount(pool.topic[order], best, len(pool.topics))
    sums[sums == 0] = ideal[0]  # nothing is known of the topic
    return weights / sums[pool.topic][:, None]


def _settled(h: np.ndarray, total: np.ndarray, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """The scores of the unjudged documents, and whether the model leaves each pair of runs open
    (runs × runs); see the module for the formulas."""
    distances = _squared_distances(h)
    uncertainty = variance * distances
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(total[:, None] - total) / np.sqrt(uncertainty)
        c = np.where(uncertainty > 0, np.exp(-(z**2) / 2) / uncertainty, 0)
    is_open = (distances > 0) & ((z < OPEN) | (variance == 0))
    laplacian = np.diag(c.sum(axis=1)) - c
    scores = (np.einsum("da,ab->db", h, laplacian) * h).sum(axis=1)
    return scores, is_open


def _squared_distances(h: np.ndarray) -> np.ndarray:
    """G_aa + G_bb − 2 G_ab of each two runs, 0 for rounding errors."""
    products = np.einsum("da,db->ab", h, h)
    of_run = np.diag(products)
    distances = np.add.outer(of_run, of_run) - 2 * products
    distances[distances <= EXACT * products.max(initial=0)] = 0
    return distances
