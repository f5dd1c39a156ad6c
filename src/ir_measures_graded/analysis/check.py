"""Checks qrels, runs and measures before anything is evaluated."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Final

import numpy as np
from ir_measures import Measure

from ..core.by_topic import changes, mean_over_topics
from ..core.measures.standard import definition_of
from ..core.provider import GradedEvaluator
from ..core.ranking.order import as_compared
from ..core.ranking.ranks import JudgedRanks
from ..core.registry.facts import needs_intents
from ..core.registry.notation import parse_measure
from ..core.rows.rows import Rows, repeated_judgments
from ..core.uncertainty import with_option
from ..errors import EmptyRunWarning, GradedError, Remark, shown
from ..evaluation.checked import checks_arguments
from ..evaluation.counting import lacks_relevant
from ..evaluation.evaluators import evaluators
from ..evaluation.named import (
    Judgments,
    Qrels,
    Run,
    Runs,
    about,
    measures_for,
    named_runs,
    read_judgments,
)
from ..evaluation.remarks import (
    DEPTH,
    NAMED_TOPICS,
    RunRemarks,
    depth_of,
    level_remarks,
    measure_remarks,
    topics_with,
)
from ..output.figures import PALE, Drawing, Figure, Line, Lines, picture, run_styles
from ..output.formats import counted, decimal, listed, with_minus
from ..output.result import Result
from ..output.tables import Note, Table
from ..progress import Progress, steps
from .levels import Levels, levels

DRAWN_DEPTH: Final = 100
"""The figure shows shares to this rank."""
MOST_COLOURED: Final = 8
"""The number of runs that the figure names."""
LEVELS: Final = 2
"""Levels 1 … n without 0 are told from this n on."""
LEAST_FAR_LEVEL: Final = 10
"""A digit too many makes levels of at least this size."""
RARE_SHARE: Final = 0.001
"""A level of at most this share of the judgments, or of one, may be a mistake."""
GAP: Final = 3
"""A level so many steps of the scale above its highest other level may be a mistake."""
LEAST_STEPS: Final = 2
"""A scale of fewer steps does not tell how far its next level may be."""
COMMON: Final = 10
"""So many times as many documents have each other level of the scale."""
LEAST_JUDGMENTS: Final = 10
"""Of fewer judgments, each level is rare."""
MOST_GRADES: Final = 12
"""Of more levels, which are magnitudes, none is called far from the others."""
WIDE: Final = 0.005
"""Orders of ties that move a mean by more than this are told."""
TIED: Final = "nDCG_Burges(gains=linear)@10"
"""The measure whose ties are told if none is given: nDCG@10, also for levels that are no whole
numbers."""
ONLY_RELEVANT: Final = (
    "lists of ids judge only relevant documents, so Bpref, NDPM, KendallTau, Judged@k and "
    "judged_only=True (every retrieved judged document is relevant) say little"
)
TIES_MOVE: Final = "the order of tied documents can move {} by {}"
APART: Final = "trec_eval 10 (64-bit scores) tells apart documents tied here in {}"


@dataclass(frozen=True, eq=False, repr=False)
class Check(Result):
    """Unusual properties of runs and measures, the `remarks`.

    `levels` are the levels of the qrels. `runs` are the names of all runs. `judged_shares` (runs ×
    ranks) is the share of the documents down to each rank that are judged, NaN without any.
    `measures` is the number of measures.
    """

    levels: Levels
    runs: tuple[str, ...]
    remarks: tuple[Remark, ...]
    judged_shares: np.ndarray | None = None
    measures: int = 0

    def answer(self) -> list[Note]:
        """The runs and measures with a remark, and the sentence on the levels."""
        subjects = dict.fromkeys(remark.subject for remark in self.remarks)
        if subjects:
            remarks = counted(len(self.remarks), "remark")
            first = Note("{} on {}.", remarks, listed(subjects))
        else:
            inputs = ["the qrels"]
            for count, what in ((len(self.runs), "run"), (self.measures, "measure")):
                if count:
                    inputs.append(counted(count, what))
            first = Note("Nothing is unusual about {}.", listed(inputs))
        return [first, *map(Note, self.levels.answer())]

    def tables(self) -> list[Table]:
        """One row per remark, the levels of the qrels, and what is known about their collection."""
        tables = []
        if self.remarks:
            tables.append(self.data().select("input", "remark"))
        of_levels = self.levels.tables()
        tables.append(replace(of_levels[0], title="Levels"))
        if self.levels.contract:
            tables.append(of_levels[-1])
        return tables

    def remark_notes(self) -> list[str]:
        """None: the remarks are the rows of the table."""
        return []

    def data(self) -> Table:
        """One row per remark, with all topics that it is about."""
        rows = [(remark.subject, remark.text, list(remark.topics)) for remark in self.remarks]
        return Table(("input", "remark", "topics"), rows)

    def figure(self, *, title: str = "") -> Figure:
        """Draw the judged share of each run by rank, and the levels of each topic.

        Needs the extra ``plot``.
        """
        drawings: list[Drawing] = []
        text = ""
        if self.judged_shares is not None and np.isfinite(self.judged_shares).any():
            drawings.append(self._shares(self.judged_shares))
            text = "Lines: the share of the documents down to each rank that are judged."
            if len(self.runs) > MOST_COLOURED:
                text += (
                    f" In colour: the {MOST_COLOURED} runs with the least share in the first 10."
                )
        drawings.append(self.levels.bars())
        return picture(drawings, title or self.summary, text)

    def _shares(self, shares: np.ndarray) -> Lines:
        """The judged share by rank, a line a run, the run with the least in the first ten first.

        Of equal ones, the one with the least down to the last rank is first.
        """
        is_known = np.isfinite(shares)
        last = int(np.flatnonzero(is_known.any(axis=0))[-1]) + 1
        shares = shares[:, :last]
        top = np.nan_to_num(shares[:, :DEPTH][:, -1])
        bottom = np.nan_to_num(shares[:, -1])
        order = sorted(
            range(len(self.runs)), key=lambda run: (top[run], bottom[run], self.runs[run])
        )
        coloured = order[:MOST_COLOURED]
        styles = run_styles(self.runs[run] for run in coloured)
        lines = []
        for run in order:
            name = self.runs[run]
            style = dict(styles.get(name, PALE))
            if run in coloured:
                style["markevery"] = max(1, last // 8)
            elif run != order[MOST_COLOURED]:
                name = ""
            else:
                name = counted(len(order) - MOST_COLOURED, "other run")
            lines.append(Line(name, shares[run], style))
        return Lines(
            np.arange(1, last + 1), lines, "rank", "share judged down to the rank",
            whole_x=True, from_zero=True, size=(4.0, 2.4),
        )  # fmt: skip

    def notes(self) -> list[Note]:
        """Unusual properties of the levels, one sentence each."""
        return self.levels.notes()


@checks_arguments("check(qrels, {'mine': run}, ['nDCG@10'])")
def check(
    qrels: Qrels,
    runs: Runs = (),
    measures: Iterable[Measure | str] = (),
    *,
    progress: Progress = False,
) -> Check:
    """List the unusual properties of runs and measures, which the values do not show.

    - a run: topics of the qrels that it lacks, no judged document, mostly unjudged documents at the
      top, ids that would match those of the qrels by a rule such as without '.txt', equal scores,
      ranks in the reverse order of the scores, documents with the id of their topic, ties whose
      order can move the mean of a measure by more than .005, and scores that trec_eval 10 orders in
      another way
    - a measure: gains or a parameter `rel` for levels that the qrels lack, and measures that take
      the levels of a collection in another way than its track
    - the qrels: levels from 1 on, which may mean not relevant; a negative level, or one far above
      the others, that hardly any document has; judgments that are repeated

    Without a measure, ties are those of nDCG@10. The top ends at rank 10, or at a smaller cutoff
    of a measure. A run that `evaluate` would refuse has the reason as its remark. `qrels` and
    `runs` are as for `evaluate`.

    `progress` is as for `evaluate`.

    >>> qrels = {"q1": {"a": 2}, "q2": {"b": 0}}
    >>> found = check(qrels, {"bm25": {"q1": {"a": 1.0}}}, ["P(rel=3)@5"])
    >>> for remark in found.remarks:
    ...     print(remark)
    bm25: the run lacks 1 of 2 topics of the qrels (q2); it counts, mostly as 0, as in trec_eval -c
    P(rel=3)@5: no level of the qrels reaches rel=3; the highest is 2

    Raises `GradedError` for qrels and measures that `evaluate` refuses.
    """
    judgments = read_judgments(qrels)
    wanted = measures_for(judgments, measures) if measures else ()
    depth = depth_of(wanted) if wanted else DEPTH
    named = named_runs(runs, needed=False)
    judged = judgments.documents
    evaluators(wanted, judgments)  # refuses what `evaluate` refuses
    measured = wanted or [parse_measure(TIED)]
    ends = _over_ties(measured)
    remarks: list[Remark] = []
    counts = np.zeros((2, len(named), DRAWN_DEPTH))
    for row, run in enumerate(steps(named, "runs")):
        remarks += _remarks_on(run, judgments, depth, ends, counts[:, row])
    with np.errstate(invalid="ignore"):
        judged_down_to, documents_down_to = counts.cumsum(axis=2)
        shares = judged_down_to / documents_down_to
    remarks += measure_remarks(wanted, judged, judgments.contract)
    subject = judgments.name or "qrels"
    remarks += [remark._replace(subject=subject) for remark in judgments.rows.facts.remarks]
    if judgments.rows.facts.only_relevant:
        remarks.append(Remark("only relevant", subject, ONLY_RELEVANT))
    if judgments.contract is None:
        remarks += level_remarks(judged, judgments.name, LEVELS)
    of_qrels = levels(judgments, highest=any(map(needs_intents, wanted)))
    remarks += [Remark("rare level", subject, text) for text in _on_rare_levels(of_qrels)]
    remarks += [Remark("repeated", subject, text) for text in _on_repeated(judgments.rows)]
    without_relevant = list(_on_topics_without_relevant(measured, judgments))
    if not wanted:  # nobody named this measure
        without_relevant = [remark._replace(subject=subject) for remark in without_relevant]
    remarks += without_relevant
    names = tuple(run.name for run in named)
    return Check(of_qrels, names, tuple(remarks), shares, len(wanted))


def _on_rare_levels(of_qrels: Levels) -> Iterator[str]:
    """A sentence on each level that may be a typing error, as hardly any document has it.

    It is negative or far above the others. No level that the collection defines is one.
    """
    documents = int(of_qrels.documents.sum())
    most = max(1, RARE_SHARE * documents)
    counts = {
        float(level): count
        for level, count in zip(of_qrels.levels, of_qrels.documents.tolist(), strict=True)
        if count
    }
    if documents < LEAST_JUDGMENTS or len(counts) < 2:
        return
    *others, highest = sorted(counts)
    suspects = [level for level in counts if level < 0]
    if _is_far(highest, others) or _is_beyond_gap(highest, counts):
        suspects.append(highest)
    for level in suspects:
        count = counts[level]
        if count > most or level in of_qrels.definitions:
            continue
        plausible = [other for other in counts if other not in suspects]
        have = "has" if count == 1 else "have"
        text = f"{counted(count, 'document')} {have} level {with_minus(f'{level:g}')}"
        if plausible:
            text += f", and the others levels from {min(plausible):g} to {max(plausible):g}"
        yield f"{text}; is it a typing error?"


def _is_far(highest: float, others: Sequence[float]) -> bool:
    """Whether a level is far above the others; those of a geometric scale, as 1, 10, 100, are not.

    >>> _is_far(40, [0, 1, 2, 3, 4]), _is_far(100, [0, 1, 10]), _is_far(4, [0, 1])
    (True, False, False)
    """
    next_highest = others[-1]
    span = next_highest - max(others[0], 0)
    if highest < LEAST_FAR_LEVEL or len(others) > MOST_GRADES or next_highest <= 0:
        return False
    before = [level for level in others[:-1] if level > 0]
    is_geometric = bool(before) and highest / next_highest <= next_highest / before[-1]
    return not is_geometric and highest - next_highest > 2 * span


def _is_beyond_gap(highest: float, counts: Mapping[float, int]) -> bool:
    """Whether the highest level is far from a scale of even steps, all of whose levels are common.

    Levels that are numbers of clicks get rarer step by step, so the highest of these is not.

    >>> _is_beyond_gap(7, {0: 900, 1: 50, 2: 40, 7: 1}), _is_beyond_gap(4, {0: 900, 1: 50, 2: 40})
    (True, False)
    >>> _is_beyond_gap(7, {0: 900, 1: 50, 2: 4, 7: 1}), _is_beyond_gap(7, {0: 90, 1: 50, 3: 40})
    (False, False)
    """
    scale = sorted(level for level in counts if 0 <= level < highest)
    if not LEAST_STEPS < len(scale) <= MOST_GRADES:
        return False
    largest_step = max(upper - lower for lower, upper in pairwise(scale))
    rarest = min(counts[level] for level in scale)
    is_gap = highest - scale[-1] >= GAP * largest_step
    return is_gap and rarest >= COMMON * counts.get(highest, 0)


def _on_repeated(qrels: Rows) -> Iterator[str]:
    """A sentence on judgments that stand in the qrels several times, with the first of them."""
    repeated = repeated_judgments(qrels)
    if not repeated.size:
        return
    row = int(repeated[0])
    first = f"document {shown(qrels.docs.ids()[row])} of topic {shown(qrels.topic_of(row))}"
    if qrels.line is not None:
        first += f" ({qrels.facts.unit} {qrels.line[row]})"
    judgments = counted(int(repeated.size), "judgment")
    verb = "repeats an earlier one" if repeated.size == 1 else "repeat earlier ones"
    yield f"{judgments} {verb} with the same level, as that of {first}"


def _on_topics_without_relevant(
    measures: Iterable[Measure], judgments: Judgments
) -> Iterator[Remark]:
    """A remark on each measure by which some topics, but not all, lack a relevant document."""
    for measure in measures:
        is_lacking = lacks_relevant(measure, judgments.documents)
        count = int(is_lacking.sum())
        if 0 < count < is_lacking.size:
            topics = topics_with(judgments.topics, is_lacking)
            have = "has" if count == 1 else "have"
            text = (
                f"{count} of {counted(is_lacking.size, 'topic')} {have} no relevant document "
                f"({listed(topics, NAMED_TOPICS)}); means count them, but for --no_relevant skip"
            )
            yield Remark("no relevant document", str(measure), text, topics=topics)


def _over_ties(measures: Iterable[Measure]) -> dict[Measure, tuple[Measure, Measure]]:
    """The measures of the least and the greatest value over ties, by measure.

    Measures without such a range, and those with the option, are left out.
    """
    ends = {}
    for measure in map(definition_of, measures):
        if measure is not None and not measure.option("ties"):
            lowest = with_option(measure, "ties", "min")
            highest = with_option(measure, "ties", "max")
            if lowest and highest:
                ends[measure] = lowest, highest
    return ends


def _remarks_on(
    run: Run,
    judgments: Judgments,
    depth: int | None,
    ends: dict[Measure, tuple[Measure, Measure]],
    at_ranks: np.ndarray,
) -> list[Remark]:
    """The remarks on a run, or the reason why it is refused.

    The judged documents and all documents at each rank are added to `at_ranks` (2 × ranks).
    """
    counts = RunRemarks(judgments.documents, depth, judgments.contract)
    is_apart = np.zeros(len(judgments.topics), dtype=bool)

    def watched() -> Iterator[JudgedRanks]:
        for block in counts.watched(run.reduced(judgments)):
            is_apart[block.place.numbers] = _apart(block)
            if counts.begins_anew:
                at_ranks[:] = 0
            at_ranks[:] += _counts_at_ranks(block, at_ranks.shape[1])
            yield block

    means = {}
    try:
        with about(run.name), warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyRunWarning)  # it is one of the remarks
            measures = list(chain(*ends.values()))
            evaluator = GradedEvaluator(measures, judgments.rows, judgments.documents)
            for measure, _, values in evaluator.reported(watched()):
                means[str(measure)] = float(mean_over_topics(values))
    except GradedError as error:
        return [Remark("refused", run.name, str(error))]
    remarks = list(counts.of(run.source, run.name))
    for measure, (lowest, highest) in ends.items():
        width = means[str(highest)] - means[str(lowest)]
        if width > WIDE:
            name = "nDCG@10" if measure == parse_measure(TIED) else str(measure)
            text = TIES_MOVE.format(name, decimal(width))
            remarks.append(Remark("ties", run.name, text))
    if is_apart.any():
        topics = topics_with(judgments.topics, is_apart)
        text = APART.format(f"{counted(len(topics), 'topic')} ({listed(topics, NAMED_TOPICS)})")
        remarks.append(Remark("near ties", run.name, text, topics=topics))
    return remarks


def _counts_at_ranks(block: JudgedRanks, depth: int) -> np.ndarray:
    """The judged documents and all documents of the topics at each rank (2 × ranks)."""
    judged = np.bincount(block.rank[block.rank <= depth], minlength=depth + 1)[1:]
    ends = np.bincount(np.minimum(block.retrieved, depth), minlength=depth + 1)
    retrieved = ends[::-1].cumsum()[::-1][1:]
    return np.stack([judged, retrieved])


def _apart(block: JudgedRanks) -> np.ndarray:
    """Whether two scores of a topic differ, but are equal as the 32-bit floats that are compared
    here."""
    topics = block.retrieved.size
    topic = np.repeat(np.arange(topics), block.retrieved)
    scores = block.listed.values
    order = np.lexsort((scores, topic))
    topic = topic[order]
    scores = scores[order]
    compared = as_compared(scores)
    is_near = ~changes(topic) & changes(scores) & ~changes(compared)
    return np.bincount(topic[is_near], minlength=topics) > 0
