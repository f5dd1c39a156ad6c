"""`reproduce`: whether a second experiment gives the values and the effect of the first.

T. Breuer, N. Ferro, N. Fuhr, M. Maistro, T. Sakai, P. Schaer & I. Soboroff: How to measure the
reproducibility of system-oriented IR experiments. SIGIR 2020.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ...errors import GradedError, Remark
from ...evaluation.attributes import By
from ...evaluation.checked import checks_arguments, name_or_two
from ...evaluation.counting import effective_size, with_effective
from ...evaluation.values import decimals_of
from ...output.formats import counted, decimal, listed, p_of, short
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ..comparing.tests import PValue
from ..statistics.defaults import ALPHA
from ..statistics.options import as_list, statistics_library
from ..statistics.precision import EXACT, differences_of
from ..statistics.primary import paired
from ..statistics.student import student_p
from ..statistics.weighted import Sample, sample_of
from .reading import Board, Leaderboard, is_count, read_both

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPRODUCTION = "reproduction"
REPLICATION = "replication"
UNBOUNDED = ("CG", "DCG", "DCG_JK", "ESL", "ASL", "NumRel", "NumRet", "NumQ")
LEAST_TOPICS = 2
MOST_ROUNDING = 0.05
"""Values rounded to one decimal differ by at most so much."""
NOT_POOLED = "The option pooled has no effect: the topics are the same, so tests are paired."
TOO_FEW = "fewer than 2 topics"
COLUMNS = (
    "measure", "kind", "topics", "topics_again",
    "baseline", "baseline_again", "RMSE", "nRMSE", "p",
    "advanced", "advanced_again", "advanced_RMSE", "advanced_nRMSE", "advanced_p",
    "effect", "effect_again", "ER", "dRI", "decimals_equal", "undefined",
)  # fmt: skip


@dataclass(frozen=True)
class RunAgain:
    """A run of the first experiment and its repetition; a value is None where it is undefined.

    `detectable` is the smallest true difference that the paired t-test finds with probability .8.
    """

    name: str
    mean: float
    again: float
    rmse: float | None
    nrmse: float | None
    p: float | None
    detectable: float | None

    def record(self, role: str, prefix: str) -> dict[str, Any]:
        """The columns of the run in its `role`; the names of statistics have the `prefix`."""
        p = None if self.p is None else PValue(self.p)
        statistics = {"RMSE": self.rmse, "nRMSE": self.nrmse, "p": p}
        record = {role: self.mean, f"{role}_again": self.again}
        return record | {prefix + name: value for name, value in statistics.items()}


@dataclass(frozen=True)
class Equality:
    """That all values of two experiments are equal up to rounding to the `decimals` that both show.

    `count` is the number of values of one experiment, and `is_exact` whether none was rounded.
    """

    count: int
    decimals: int
    is_exact: bool

    @classmethod
    def of(cls, experiments: Iterable[tuple[np.ndarray, np.ndarray]]) -> Equality | None:
        """The equality of the values of runs in both experiments; None if two of them differ.

        >>> Equality.of([(np.array([0.25, 0.33335]), np.array([0.25, 0.3333]))])
        Equality(count=2, decimals=4, is_exact=False)
        >>> Equality.of([(np.array([0.25, 0.33336]), np.array([0.25, 0.3333]))]) is None
        True
        """
        values, values_again = map(np.concatenate, zip(*experiments, strict=True))
        differences, noise = differences_of(values, values_again)
        largest = np.abs(differences).max()
        if largest > MOST_ROUNDING:
            return None
        decimals = min(decimals_of(values.tolist()), decimals_of(values_again.tolist()))
        if largest > 0.5 * 10.0**-decimals + noise:
            return None
        return cls(values.size, decimals, is_exact=bool(largest == 0))


@dataclass(frozen=True, eq=False)
class Reproduced:
    """The comparison of two experiments by one measure.

    `topics` are the numbers of topics of both experiments, and `effective` their effective numbers,
    None without weights. `ratio` is the effect ratio, `relative` ΔRI. `effect_p` is the p-value of
    the original effect. `equality` tells whether all values are the original ones. `reasons` tells
    why values are undefined.
    """

    measure: Measure
    kind: str
    topics: tuple[int, int]
    effective: tuple[float | None, float | None]
    baseline: RunAgain
    advanced: RunAgain | None
    ratio: float | None
    relative: float | None
    effect_p: float | None
    equality: Equality | None
    reasons: dict[str, str]

    @property
    def effects(self) -> tuple[float | None, float | None]:
        """The difference of the advanced run and the baseline in both experiments."""
        if self.advanced is None:
            return None, None
        original = self.advanced.mean - self.baseline.mean
        return original, self.advanced.again - self.baseline.again

    @property
    def is_unstable(self) -> bool:
        """Whether there is an effect ratio, but the original effect is not significant."""
        return self.ratio is not None and self.effect_p is not None and self.effect_p >= ALPHA

    def topics_in_words(self) -> list[str]:
        """The number of topics of each experiment, once if it is the same."""
        words = []
        for count, effective in zip(self.topics, self.effective, strict=True):
            words.append(with_effective(counted(count, "topic"), effective))
        return list(dict.fromkeys(words))

    def record(self) -> dict[str, Any]:
        """The row for programs."""
        record: dict[str, Any] = dict.fromkeys(COLUMNS)
        record |= {"measure": self.measure, "kind": self.kind}
        record["topics"], record["topics_again"] = self.topics
        record |= self.baseline.record("baseline", "")
        if self.advanced is not None:
            record |= self.advanced.record("advanced", "advanced_")
        record["effect"], record["effect_again"] = self.effects
        record |= {"ER": self.ratio, "dRI": self.relative}
        if self.equality is not None:
            record["decimals_equal"] = self.equality.decimals
        record["undefined"] = "; ".join(f"{name}: {why}" for name, why in self.reasons.items())
        return record


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """Two experiments compared by each measure; see `Reproduced`."""

    rows: tuple[Reproduced, ...]
    said: tuple[Note, ...] = ()
    remarks: tuple[Remark, ...] = ()

    def answer(self) -> list[Note]:
        """Whether and how far the effect, or without an advanced run the baseline, was
        reproduced."""
        row = self.rows[0]
        answer: list[Note] = []
        if row.equality is not None:
            answer += self._equal_values()
        if row.advanced is None:
            answer.append(_baseline(row))
        else:
            answer.append(_effect(row))
        if row.ratio is not None:
            answer.append(_reading())
        p = row.baseline.p
        if p is not None and p >= ALPHA and row.equality is None:
            answer.append(_no_evidence(row))
        return answer

    def _equal_values(self) -> Iterator[Note]:
        """By which measures all values are the original ones, if there are any."""
        measures = []
        equalities = []
        for row in self.rows:
            if row.equality is not None:
                measures.append(row.measure)
                equalities.append(row.equality)
        if not equalities:
            return
        rounding = ""
        if not all(equality.is_exact for equality in equalities):
            decimals = min(equality.decimals for equality in equalities)
            rounding = f" up to rounding to {counted(decimals, 'decimal')}"
        count = sum(equality.count for equality in equalities)
        runs = [self.rows[0].baseline.name]
        if self.rows[0].advanced is not None:
            runs.append(self.rows[0].advanced.name)
        values = f"{counted(count, 'value')} of {listed(runs)}"
        yield Note("All {} by {} are equal{}.", values, listed(measures), rounding)

    def data(self) -> Table:
        """One row per measure."""
        return Table.of(list(map(Column, COLUMNS)), [row.record() for row in self.rows])

    def tables(self) -> list[Table]:
        """The baseline, then the advanced run and the effect."""
        everything = self.data()
        of_baseline = [*COLUMNS[:3], *COLUMNS[4:9]]
        tables = [everything.select(*of_baseline)]
        if self.rows[0].advanced is not None:
            effect = everything.select("measure", *COLUMNS[9:18])
            effect.title = "The advanced run, and its effect"
            tables.append(effect)
        return tables

    def notes(self) -> list[Note]:
        """What is undefined, how stable the effect ratio is, and what was noticed in the input."""
        notes: list[Note] = []
        if self.rows[0].equality is None:
            notes += self._equal_values()
        notes += self._undefined()
        unstable = [row.measure for row in self.rows if row.is_unstable]
        if unstable:
            text = "ER is unstable by {}: the original effect is not significant."
            notes.append(Note(text, listed(unstable)))
        row = self.rows[0]
        if row.effective != (None, None):
            notes.append(Note("Weighted means over {}.", " and ".join(row.topics_in_words())))
        return [*notes, *self.said]

    def _undefined(self) -> Iterator[Note]:
        names: dict[str, list[str]] = {}
        for row in self.rows:
            for name, reason in row.reasons.items():
                names.setdefault(reason, []).append(name)
        for reason, undefined in names.items():
            yield Note("Undefined: {} ({}).", ", ".join(dict.fromkeys(undefined)), reason)

    def figure(self, *, title: str = "") -> Figure:
        """The effect ratio against ΔRI or, without any, the means of the baseline, a dot for each
        measure."""
        from .figures import effects, means_of_baselines  # This import takes time.

        if all(row.ratio is None or row.relative is None for row in self.rows):
            return means_of_baselines(self.rows, title or self.summary)
        return effects(self.rows, title or self.summary)


def _effect(row: Reproduced) -> Note:
    assert row.advanced is not None
    original, again = row.effects
    assert original is not None
    assert again is not None
    subject = f"By {row.measure}, the effect of {row.advanced.name} over {row.baseline.name}"
    if row.ratio is None:
        return Note("{} cannot be compared: {}.", subject, row.reasons["ER"])
    relative = ""
    if row.relative is not None:
        relative = f", ΔRI {short(row.relative, '+.2f')}"
    return Note(
        "{} was {}: {} where it was {} (ER {}{}).",
        subject,
        _how_far(row.ratio),
        decimal(again),
        decimal(original),
        short(row.ratio, ".2f"),
        relative,
    )


def _how_far(ratio: float) -> str:
    if ratio <= 0:
        return "not reproduced"
    if round(ratio, 2) == 1:
        return "reproduced"
    return "reproduced in part" if ratio < 1 else "reproduced, larger"


def _reading() -> Note:
    return Note(
        "ER 1 is the same effect, above 1 a larger, below 1 a smaller one; at 0 or below the "
        "advanced run no longer wins. ΔRI 0 is the same relative gain, above 0 a smaller, below 0 "
        "a larger one."
    )


def _baseline(row: Reproduced) -> Note:
    run = row.baseline
    measured = "" if run.rmse is None else f", RMSE {decimal(run.rmse)}"
    tested = "" if run.p is None else f", {p_of(run.p)}"
    return Note(
        "By {}, {} has {} where it had {}{}{}.",
        row.measure,
        run.name,
        decimal(run.again),
        decimal(run.mean),
        measured,
        tested,
    )


def _no_evidence(row: Reproduced) -> Note:
    power = ""
    if row.baseline.detectable:
        size = decimal(row.baseline.detectable)
        power = f"; differences of {size} would be found with probability .8"
    text = (
        "This is no evidence of reproduction: no difference of {} found with {}{}. The command "
        "gate with --equivalent can show it."
    )
    return Note(text, row.baseline.name, " and ".join(row.topics_in_words()), power)


@checks_arguments("reproduce(original, again, 'bm25')", baseline=name_or_two, advanced=name_or_two)
def reproduce(
    original: Any,
    again: Any,
    baseline: str | tuple[str, str],
    advanced: str | tuple[str, str] | None = None,
    measures: Sequence[str] | str = (),
    *,
    pooled: bool = False,
    form: str | None = None,
    smaller: Collection[str] = (),
    weights: By = None,
) -> Reproduction:
    """Compare a baseline, and an advanced run, with their repetitions in a second experiment.

    `original` and `again` have values by topic in any form of `compare_leaderboards`. `baseline`
    and `advanced` are the names of the runs, or pairs of names (or ``NAME=NAME``) if they differ.
    Without `measures`, those of both experiments are taken. With the same topics, this is a
    reproduction; with others, a replication; if some are common, these are used. With values b and
    b′ of n topics, a and a′ of the advanced run:

    - RMSE = √(Σ (b − b′)² / n), and nRMSE = RMSE / √(Σ max(b, 1 − b)² / n), for a reproduction;
    - ER = mean(a′ − b′) / mean(a − b), the effect ratio;
    - dRI = (mean a − mean b) / mean b − (mean a′ − mean b′) / mean b′;
    - p of the paired t-test of b′ − b, or for a replication of Welch's t-test, with `pooled`
      variances of Student's.

    A value is None where it is undefined: ER and dRI without an effect (at most 1e-12 times the
    largest value), nRMSE of values outside [0, 1]. `smaller` names measures of which smaller values
    are better; values are not mirrored. With `weights` of topics, as for `evaluate`, all means are
    weighted, those in RMSE too, and the tests are those of `compare` with weights. An `Evaluation`
    has its own weights and its own choice of `no_relevant`.

    >>> topics = ["1", "2", "3", "4"] * 2
    >>> rows = {"run": ["b"] * 4 + ["a"] * 4, "topic": topics}
    >>> first = rows | {"AP": [.2, .4, .2, .4, .4, .6, .3, .5]}
    >>> reproduced = reproduce(first, rows | {"AP": [.2, .4, .2, .4, .3, .5, .3, .4]}, "b", "a")
    >>> round(reproduced.rows[0].ratio, 4), round(reproduced.rows[0].relative, 4)
    (0.5, 0.25)

    Raises `GradedError` for tables that cannot be read, a run that is missing, values without
    topics, fewer than 2 common topics, and `pooled` variances of weighted topics.

    Source: Breuer et al., How to measure the reproducibility of system-oriented IR experiments,
    SIGIR 2020.
    """
    both = ("original", "again")
    settings: dict[str, Any] = {"form": form, "smaller": smaller, "weights": weights}
    first, second = read_both(original, again, both, **settings)
    names = names_of_both(baseline)
    if names[0] in first.boards:
        first = first.with_columns_as_runs()
    if names[1] in second.boards:
        second = second.with_columns_as_runs()
    wanted = [str(measure) for measure in as_list(measures)]
    first = first.by(wanted or second.compared_unasked)
    second = second.by(wanted or first.compared_unasked)
    other_names = None if advanced is None else names_of_both(advanced)
    said: list[Note] = [*first.notes, *second.notes]
    rows = []
    for measure in _measures(first, second, wanted):
        experiments = _Experiments(first, second, measure, said)
        rows.append(_reproduced(experiments, names, other_names, pooled))
        if pooled and experiments.kind == REPRODUCTION:
            said.append(Note(NOT_POOLED))
    remarks = dict.fromkeys([*first.remarks, *second.remarks])
    return Reproduction(tuple(rows), tuple(dict.fromkeys(said)), tuple(remarks))


def names_of_both(run: str | tuple[str, str]) -> tuple[str, str]:
    """The name of a run in both experiments; ``NAME=NAME`` if they differ."""
    if isinstance(run, tuple):
        return run
    first, separator, second = run.partition("=")
    return (first, second) if separator else (run, run)


def _measures(first: Leaderboard, second: Leaderboard, wanted: list[str]) -> list[str]:
    if wanted:
        return wanted
    shared = [name for name in first.compared_unasked if name in second.boards]
    if not shared:
        of_first = listed(first.boards, 8)
        of_second = listed(second.boards, 8)
        raise GradedError(f"no measure is in both: {of_first}; {of_second}")
    by_topic = [name for name in shared if first.has_topics(name) and second.has_topics(name)]
    return by_topic or shared


class _Experiments:
    """Two experiments by one measure: a reproduction if they share topics, else a replication.

    The `common` topics of a reproduction are used; a note tells how many others there are. Raises
    `GradedError` for values without topics, for a single common topic, and for common topics whose
    weights differ.
    """

    def __init__(self, first: Leaderboard, second: Leaderboard, measure: str, said: list[Note]):
        self.names = (first.name, second.name)
        self.boards = (first.board(measure), second.board(measure))
        for board, name in zip(self.boards, self.names, strict=True):
            if board.values is None:
                raise GradedError(f"{name} has no values of {measure} by topic")
        self.measure = self.boards[0].measure
        topics_again = set(self.boards[1].topics)
        self.common = [topic for topic in self.boards[0].topics if topic in topics_again]
        self.kind = REPRODUCTION if self.common else REPLICATION
        sizes = (len(self.boards[0].topics), len(self.boards[1].topics))
        self.weights = (self._weights(self.boards[0]), self._weights(self.boards[1]))
        if not self.common:
            self.topics = sizes
            return
        # A single topic of positive weight has means, but no test.
        if len(self.common) < LEAST_TOPICS and self.weights[0] is None:
            raise GradedError("the experiments have 1 common topic; at least 2 are needed")
        if not _are_equal(*self.weights):
            raise GradedError("the experiments have different weights of topics; use the same ones")
        shared = len(self.common)
        self.topics = (shared, shared)
        if sizes != self.topics:
            text = (
                "{} common topics are used; the original has {} others, the second experiment {}."
            )
            said.append(Note(text, shared, sizes[0] - shared, sizes[1] - shared))

    @property
    def samples(self) -> tuple[Sample, Sample]:
        """The topics of both experiments, with their weights."""
        first, second = self.weights
        return sample_of(self.topics[0], first), sample_of(self.topics[1], second)

    @property
    def is_weighted(self) -> bool:
        """Whether the topics of one of the experiments have weights."""
        return self.effective != (None, None)

    @property
    def effective(self) -> tuple[float | None, float | None]:
        """The effective numbers of topics, None without weights."""
        first, second = self.weights
        return _effective(first), _effective(second)

    def values(self, run_names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
        """The values of a run, by its names in both, for the topics that are used."""
        return self._values(0, run_names[0]), self._values(1, run_names[1])

    def _values(self, number: int, run: str) -> np.ndarray:
        board = self.boards[number]
        if run not in board.systems:
            runs = listed(board.systems, 8)
            raise GradedError(f"{self.names[number]} has no run {run!r}; its runs are {runs}")
        assert board.values is not None
        return self._of_topics(board, board.values[board.systems.index(run)])

    def _weights(self, board: Board) -> np.ndarray | None:
        return None if board.weights is None else self._of_topics(board, board.weights)

    def _of_topics(self, board: Board, numbers: np.ndarray) -> np.ndarray:
        """The numbers of the topics that are used."""
        if not self.common:
            return numbers
        column = {topic: column for column, topic in enumerate(board.topics)}
        return numbers[[column[topic] for topic in self.common]]


def _effective(weights: np.ndarray | None) -> float | None:
    return None if weights is None else effective_size(weights)


def _are_equal(weights: np.ndarray | None, others: np.ndarray | None) -> bool:
    if weights is None or others is None:
        return weights is others
    return bool(np.allclose(weights / weights.sum(), others / others.sum(), rtol=EXACT, atol=0))


def _reproduced(
    experiments: _Experiments,
    baseline: tuple[str, str],
    advanced: tuple[str, str] | None,
    pooled: bool,
) -> Reproduced:
    """The comparison by one measure."""
    reasons: dict[str, str] = {}
    b = experiments.values(baseline)
    of_baseline = _run_again(baseline[0], b, experiments, pooled, reasons)
    of_advanced = None
    of_runs = [b]
    ratio = None
    relative = None
    effect_p = None
    if advanced is not None:
        a = experiments.values(advanced)
        of_runs.append(a)
        of_advanced = _run_again(advanced[0], a, experiments, pooled, reasons)
        ratio, relative = _effects(of_baseline, of_advanced, [*a, *b], reasons)
        if len(b[0]) >= LEAST_TOPICS:
            original = paired(np.stack([a[0], b[0]]), [(0, 1)], weights=experiments.weights[0])
            effect_p = float(original.p[0])
    equality = None
    if experiments.kind == REPRODUCTION:
        equality = Equality.of(of_runs)
    return Reproduced(
        measure=experiments.measure,
        kind=experiments.kind,
        topics=experiments.topics,
        effective=experiments.effective,
        baseline=of_baseline,
        advanced=of_advanced,
        ratio=ratio,
        relative=relative,
        effect_p=effect_p,
        equality=equality,
        reasons=reasons,
    )


def _run_again(
    name: str,
    values: tuple[np.ndarray, np.ndarray],
    experiments: _Experiments,
    pooled: bool,
    reasons: dict[str, str],
) -> RunAgain:
    """The comparison of a run with its repetition."""
    first, second = values
    sample, sample_again = experiments.samples
    mean = float(sample.mean(first))
    again = float(sample_again.mean(second))
    if experiments.kind == REPLICATION:
        reasons |= dict.fromkeys(("RMSE", "nRMSE"), "the topics differ")
        p = _independent_p(values, experiments, pooled, reasons)
        return RunAgain(name, mean, again, rmse=None, nrmse=None, p=p, detectable=None)
    rmse = _root_mean_square(first - second, sample)
    test = paired(np.stack([second, first]), [(0, 1)], weights=experiments.weights[0])
    p = _known(test.p)
    if sample.count < LEAST_TOPICS:
        p = None
        reasons["p"] = TOO_FEW
    return RunAgain(
        name=name,
        mean=mean,
        again=again,
        rmse=rmse,
        nrmse=_normalised(rmse, first, sample, experiments.measure, reasons),
        p=p,
        detectable=_known(test.detectable),
    )


def _known(number: np.ndarray) -> float | None:
    """The number, None for NaN."""
    return None if np.isnan(number[0]) else float(number[0])


def _root_mean_square(errors: np.ndarray, sample: Sample) -> float:
    return float(np.sqrt(sample.mean(errors**2)))


def _normalised(
    rmse: float, original: np.ndarray, sample: Sample, measure: Measure, reasons: dict[str, str]
) -> float | None:
    """RMSE over the largest that the original values allow."""
    if measure.NAME in UNBOUNDED or is_count(measure):
        reasons["nRMSE"] = f"{measure} is not bounded by 1"
        return None
    if original.min() < 0 or original.max() > 1:
        reasons["nRMSE"] = "an original value is outside [0, 1]"
        return None
    return rmse / _root_mean_square(np.maximum(original, 1 - original), sample)


def _independent_p(
    values: tuple[np.ndarray, np.ndarray],
    experiments: _Experiments,
    pooled: bool,
    reasons: dict[str, str],
) -> float | None:
    """The p-value of Welch's t-test, or with pooled variances of Student's."""
    if pooled and experiments.is_weighted:
        raise GradedError("pooled variances are for topics that count alike; leave out pooled")
    if min(map(len, values)) < LEAST_TOPICS:
        reasons["p"] = TOO_FEW
        return None
    if all(np.ptp(row) <= EXACT * np.abs(row).max(initial=0.0) for row in values):
        reasons["p"] = "the values do not vary"
        return None
    if experiments.is_weighted:
        return _weighted_welch_p(values, experiments.samples)
    test = statistics_library("scipy.stats").ttest_ind(values[1], values[0], equal_var=pooled)
    return float(test.pvalue)


def _weighted_welch_p(
    values: tuple[np.ndarray, np.ndarray], samples: tuple[Sample, Sample]
) -> float:
    """The p-value of Welch's t-test with the errors and degrees of freedom of weighted means."""
    first, second = samples
    difference = second.mean(values[1]) - first.mean(values[0])
    variance = float(first.error(values[0])) ** 2
    variance_again = float(second.error(values[1])) ** 2
    both = variance + variance_again
    degrees = both**2 / (variance**2 / first.degrees + variance_again**2 / second.degrees)
    return float(student_p(difference / both**0.5, degrees))


def _effects(
    baseline: RunAgain,
    advanced: RunAgain,
    values: Sequence[np.ndarray],
    reasons: dict[str, str],
) -> tuple[float | None, float | None]:
    """The effect ratio and ΔRI."""
    largest = max(float(np.abs(row).max()) for row in values)
    effect = advanced.mean - baseline.mean
    effect_again = advanced.again - baseline.again
    if abs(effect) <= EXACT * largest:
        reasons |= dict.fromkeys(("ER", "dRI"), "there is no original effect")
        return None, None
    ratio = effect_again / effect
    if baseline.mean == 0 or baseline.again == 0:
        reasons["dRI"] = "the mean of the baseline is 0"
        return ratio, None
    return ratio, effect / baseline.mean - effect_again / baseline.again
