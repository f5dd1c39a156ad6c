"""`compare_leaderboards`: whether two leaderboards order the same systems alike."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ...errors import GradedError, Remark
from ...evaluation.attributes import By
from ...evaluation.checked import checks_arguments, measure_pairs, two_names
from ...evaluation.counting import with_effective
from ...output.formats import counted, listed, short
from ...output.result import Result
from ...output.tables import Column, Note, Table
from ..statistics import orders
from ..statistics.corrections import CORRECTION_NAME
from ..statistics.defaults import ALPHA, LEAST_TESTED_TOPICS
from ..statistics.options import as_list, check_probability, whole_number
from ..statistics.orders import PERSISTENCE, Order, RboTies
from .pairs import SignificantPairs, significant_signs
from .reading import Board, Leaderboard, common_systems, read_both

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEPTHS = (5, 10)
RBO_TIES = ("w", "a", "b")
FEW_SYSTEMS = 10  # τ of fewer systems has few possible values
HEAVY_TAIL = 0.2  # a note tells if more than this share of RBO is behind the list
MOST_NAMED = 3
STATISTICS = ("tau", "tau_AP", "tau_AP_b", "tau_GAP", "rho", "RBO")
COUNTS = ("systems", "pairs", "tied_first", "tied_second", "tied_both")
SIGNIFICANT = ("significant_first", "significant_second", "agreed", "reversed", "lost", "new")
UNNAMED_SIDES = ("first", "second")
HEADINGS = {
    "tied_first": "tie in {first}",
    "tied_second": "tie in {second}",
    "tied_both": "tie in both",
    "fall_of": "which fall",
    "rise_of": "which rise",
    "significant_first": "differ in {first}",
    "significant_second": "differ in {second}",
    "first_value": "{first} value",
    "first_place": "{first} place",
    "second_value": "{second} value",
    "second_place": "{second} place",
}
"""What people read above columns, if it is not their name, with the two sides."""


@dataclass(frozen=True, eq=False)
class ComparedOrders:
    """The orders of the same systems by a measure of each leaderboard.

    `statistics` has a value by name, None where it is undefined, and `reasons` why. `significant`
    are the pairs of systems that differ significantly, None without values of enough topics.
    `places` are 1 + the number of strictly better systems.
    """

    first: Board
    second: Board
    statistics: dict[str, float | None]
    reasons: dict[str, str]
    counts: dict[str, int]
    places: tuple[np.ndarray, np.ndarray]
    significant: SignificantPairs | None

    def sides(self, names: tuple[str, str]) -> tuple[str, str]:
        """What differs between the two leaderboards: their names or, without, the measures."""
        measures = (str(self.first.measure), str(self.second.measure))
        if names == UNNAMED_SIDES and measures[0] != measures[1]:
            return measures
        return names

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of both leaderboards."""
        return self.first.systems

    @property
    def changes(self) -> np.ndarray:
        """The places that each system falls; negative if it rises."""
        return np.asarray(self.places[1] - self.places[0])

    def movers(self, sign: int) -> tuple[int, list[int]]:
        """The largest fall (1) or rise (-1), and the numbers of the systems with it, by name; 0 and
        none."""
        largest = max(int((sign * self.changes).max()), 0)
        if largest == 0:
            return 0, []
        rows = np.flatnonzero(sign * self.changes == largest).tolist()
        return largest, sorted(rows, key=lambda row: self.systems[row])

    def moved(self, sign: int) -> str:
        """The systems with the largest fall or rise, with both places, as ``a 3→9``."""
        first, second = self.places
        _, rows = self.movers(sign)
        texts = [f"{self.systems[row]} {first[row]}→{second[row]}" for row in rows]
        return listed(texts, MOST_NAMED)

    def best(self) -> tuple[list[str], list[str]]:
        """The best systems of both, by name."""
        first, second = self.places
        return self._at_the_top(first), self._at_the_top(second)

    def _at_the_top(self, places: np.ndarray) -> list[str]:
        return sorted(self.systems[row] for row in np.flatnonzero(places == 1))

    def record(self) -> dict[str, Any]:
        """The row for programs."""
        record: dict[str, Any] = {"first": self.first.measure, "second": self.second.measure}
        record |= {**self.counts, **self.statistics}
        record["fall"], _ = self.movers(1)
        record["fall_of"] = self.moved(1)
        record["rise"], _ = self.movers(-1)
        record["rise_of"] = self.moved(-1)
        record |= dict.fromkeys((*SIGNIFICANT, "share"))
        if self.significant is not None:
            record["significant_first"] = self.significant.first
            record["significant_second"] = self.significant.second
            for name in (*SIGNIFICANT[2:], "share"):
                record[name] = getattr(self.significant, name)
        record["undefined"] = "; ".join(f"{name}: {why}" for name, why in self.reasons.items())
        return record


@dataclass(frozen=True, eq=False, repr=False)
class LeaderboardComparison(Result):
    """The agreement of two leaderboards, for each pair of measures.

    `orders` has a `ComparedOrders` for each pair of measures, whose `statistics` are ``tau``,
    ``tau_AP``, ``tau_AP_b``, ``tau_GAP``, ``rho``, ``RBO``, ``overlap@k`` and ``tau@k``. `names`
    are those of the two leaderboards. `p` and `ties` are those of RBO.
    """

    names: tuple[str, str]
    orders: tuple[ComparedOrders, ...]
    depths: tuple[int, ...]
    p: float
    ties: str
    said: tuple[Note, ...] = ()
    remarks: tuple[Remark, ...] = ()

    def answer(self) -> list[Note]:
        """Whether the orders agree, by the first pair of measures."""
        compared = self.orders[0]
        parts = [self._agreement(compared)]
        if compared.statistics["tau"] is not None:
            parts.append(_the_best(compared))
            fall, rows = compared.movers(1)
            if rows:
                names = listed([compared.systems[row] for row in rows], MOST_NAMED)
                verb = "falls" if len(rows) == 1 else "fall"
                parts.append(f"{names} {verb} {counted(fall, 'rank')}")
        return [Note("{}.", "; ".join(parts))]

    def _agreement(self, compared: ComparedOrders) -> str:
        systems = counted(len(compared.systems), "system")
        subject = f"The two orders of {systems}"
        if len(self.orders) > 1:
            both = (compared.first.measure, compared.second.measure)
            names = dict.fromkeys(map(str, both))
            measures = " and ".join(names)
            count = f"the first of {len(self.orders)} pairs of measures"
            subject = f"By {measures} ({count}), the two orders of {systems}"
        tau = compared.statistics["tau"]
        if tau is None:
            return f"{subject} cannot be compared: {compared.reasons['tau']}"
        name = "τ_AP"
        head_weighted = compared.statistics["tau_AP"]
        if head_weighted is None:
            name = "τ_AP_b"
            head_weighted = compared.statistics["tau_AP_b"]
        assert head_weighted is not None
        agreement = f"τ {short(tau, '.2f')} ({name} {short(head_weighted, '.2f')})"
        return f"{subject} agree with {agreement}"

    @property
    def sides(self) -> tuple[str, str]:
        """What differs between the two leaderboards: their names or, without, the measures if there
        is one pair of them."""
        if len(self.orders) > 1:
            return self.names
        return self.orders[0].sides(self.names)

    def _head(self, name: str) -> Column:
        """A column with what people read above it."""
        first, second = self.sides
        return Column(name, HEADINGS.get(name, name).format(first=first, second=second))

    def data(self) -> Table:
        """One row per pair of measures: all statistics, and why some are undefined."""
        columns = ["first", "second", *COUNTS, *STATISTICS, *self._by_depth()]
        columns += ["fall", "fall_of", "rise", "rise_of", *SIGNIFICANT, "share", "undefined"]
        return Table.of(
            list(map(self._head, columns)), [compared.record() for compared in self.orders]
        )

    def _by_depth(self) -> list[str]:
        return [f"{name}@{depth}" for name in ("overlap", "tau") for depth in self.depths]

    def tables(self) -> list[Table]:
        """The statistics, also those at the top, then the largest moves, and the pairs that tie or
        differ significantly."""
        everything = self.data()
        measures = ("first", "second")
        moves = everything.select(*measures, "fall", "fall_of", "rise", "rise_of")
        moves.title = f"Largest changes of places, {' → '.join(self.sides)}"
        tied = everything.select(*measures, *COUNTS[1:])
        tied.title = "Pairs of systems that tie"
        significant = everything.select(*measures, *SIGNIFICANT, "share")
        significant.title = "Pairs of systems that differ significantly"
        tables = [everything.select(*measures, "systems", *STATISTICS)]
        if self.depths:
            at_the_top = everything.select(*measures, *self._by_depth())
            at_the_top.title = "Agreement at the top"
            tables.append(at_the_top)
        return [*tables, moves, tied, significant]

    def system_table(self) -> Table:
        """One row per system and pair of measures: its values and places, most fallen first."""
        records = []
        for compared in self.orders:
            first, second = compared.places
            columns = {
                "first_value": compared.first.means.tolist(),
                "first_place": first.tolist(),
                "second_value": compared.second.means.tolist(),
                "second_place": second.tolist(),
                "change": (first - second).tolist(),
            }
            most_fallen_first = np.lexsort((first, -compared.changes)).tolist()
            for row in most_fallen_first:
                record: dict[str, Any] = {
                    "first": compared.first.measure,
                    "second": compared.second.measure,
                    "system": compared.systems[row],
                }
                record |= {name: cells[row] for name, cells in columns.items()}
                records.append(record)
        return Table.of(list(map(self._head, records[0])), records)

    def notes(self) -> list[Note]:
        """What the statistics are of, which are undefined, and what was noticed in the input."""
        truth = (
            "{} is the truth where a statistic is not symmetric. Larger values are better; the "
            "values of measures of which smaller ones are better are mirrored. Equal values tie."
        )
        notes = [Note(truth, self.sides[0]), *self._undefined(), *self.said]
        systems = min(len(compared.systems) for compared in self.orders)
        if systems < FEW_SYSTEMS:
            notes.append(Note("τ of {} systems has few possible values.", systems))
        tail = self.p**systems
        if tail > HEAVY_TAIL:
            weight = (
                "RBO: the list of {} systems has a weight of only {} with p = {}, so RBO is at "
                "least {}; with --p {} it has .8."
            )
            better_p = HEAVY_TAIL ** (1 / systems)
            shares = [short(share, ".2f") for share in (1 - tail, tail, better_p)]
            notes.append(Note(weight, systems, shares[0], short(self.p), *shares[1:]))
        return [*notes, *self._about_significance(), *self._about_weights()]

    def _undefined(self) -> Iterator[Note]:
        """Each reason once, with the statistics that it leaves undefined."""
        names: dict[str, list[str]] = {}
        for compared in self.orders:
            for name, reason in compared.reasons.items():
                names.setdefault(reason, []).append(name)
        for reason, undefined in names.items():
            yield Note("Undefined: {} ({}).", ", ".join(dict.fromkeys(undefined)), reason)

    def _about_significance(self) -> Iterator[Note]:
        compared = self.orders[0]
        if compared.significant is None:
            yield Note(
                "Pairs are not tested: that needs values of at least {} topics in both.",
                LEAST_TESTED_TOPICS,
            )
            return
        yield Note(
            "Significant pairs: paired t-tests of all pairs with {}. The share of those of the "
            "first that agree rewards a second that calls everything significant; see reversed "
            "and new.",
            CORRECTION_NAME,
        )
        first = len(compared.first.topics)
        second = len(compared.second.topics)
        if first != second:
            yield Note("The tests differ in power: {} and {} topics.", first, second)

    def _about_weights(self) -> Iterator[Note]:
        compared = self.orders[0]
        topics = list(dict.fromkeys(map(_topics_of, (compared.first, compared.second))))
        if compared.first.weights is not None or compared.second.weights is not None:
            yield Note("Weighted means over {}.", " and ".join(topics))

    def figure(self, *, title: str = "") -> Figure:
        """The places of the systems in both leaderboards, joined by lines, for at most 4 pairs."""
        from .figures import slope_chart  # This import takes time.

        return slope_chart(self.orders, self.names, title or self.summary)


def _topics_of(board: Board) -> str:
    """The number of topics of a leaderboard in words."""
    return with_effective(counted(len(board.topics), "topic"), board.effective)


def _the_best(compared: ComparedOrders) -> str:
    first, second = compared.best()
    if first == second:
        return "the best stays the best" if len(first) == 1 else "the best stay the best"
    verb = "is" if len(second) == 1 else "are"
    return f"the best {verb} {listed(second, MOST_NAMED)}, not {listed(first, MOST_NAMED)}"


@checks_arguments(
    "compare_leaderboards(first, second, 'nDCG@10')", measures=measure_pairs, names=two_names
)
def compare_leaderboards(
    first: Any,
    second: Any,
    measures: Sequence[str | tuple[str, str]] | str = (),
    *,
    p: float = PERSISTENCE,
    ties: RboTies = "w",
    k: int | Sequence[int] | None = None,
    form: str | None = None,
    means: bool = False,
    aggregate: bool = False,
    smaller: Collection[str] = (),
    alpha: float = ALPHA,
    weights: By = None,
    names: tuple[str, str] = UNNAMED_SIDES,
) -> LeaderboardComparison:
    """Compare the orders of the same systems in two leaderboards; the first is the truth.

    `first` and `second` are each an `Evaluation`, a path or a list of paths, which may be patterns,
    or a table, such as a DataFrame. Files have any form of `Evaluation.from_values`; lines without
    a header of run, measure, topic, value or of run, topic, measure, value, which `form` tells
    apart (``tot`` or ``ir_measures``) if the content does not; or of topic, Q0, run, rank, value,
    measure (``ranking``). A table without topics has means, with `means`. Rows of the topic ``all``
    are used where a measure has no others, or with `aggregate`.

    `measures` are names, pairs of names, or ``FIRST=SECOND``. Without them, those of both
    leaderboards are compared, or if there is none, each of the first with each of the second.
    `smaller` names measures of which smaller values are better, besides those that the package
    knows.

    `p` (0 < p < 1) and `ties` (``w``, ``a`` or ``b``) are those of RBO, see
    `statistics.orders.rbo`. `k` are the depths of overlap@k and tau@k, below the number of systems;
    by default 5 and 10. `alpha` is the level of the tests. `weights` of topics are as for
    `evaluate`: means and tests are weighted in both leaderboards. An `Evaluation` has its own
    weights and its own choice of `no_relevant`. `names` are those of the leaderboards in the notes
    and in the figure; a single file has its own.

    >>> first = {"run": list("abcde"), "nDCG@10": [0.5, 0.4, 0.3, 0.2, 0.1]}
    >>> second = {"run": list("abcde"), "nDCG@10": [0.42, 0.45, 0.3, 0.3, 0.1]}
    >>> compared = compare_leaderboards(first, second, means=True)
    >>> print(compared.summary)
    The two orders of 5 systems agree with τ .74 (τ_AP .42); the best is b, not a; a falls 1 rank.
    >>> round(compared.orders[0].statistics["RBO"], 4), compared.orders[0].counts["tied_second"]
    (0.8884, 1)

    A system's value is the mean over its topics. Raises `GradedError` for tables that cannot be
    read, a system that lacks topics of another one, fewer than 2 systems in both, and an unknown
    measure.

    Sources: see `statistics.orders`.
    """
    check_probability(p, "p", PERSISTENCE)
    check_probability(alpha, "alpha", ALPHA)
    if ties not in RBO_TIES:
        raise GradedError(f"ties={ties!r} is not allowed; it is one of {', '.join(RBO_TIES)}")
    asked_depths = None
    if k is not None:
        asked_depths = [whole_number(depth, "k", 1) for depth in as_list(k)]
    settings: dict[str, Any] = {"form": form, "means": means, "aggregate": aggregate}
    settings["weights"] = weights
    one, other = read_both(first, second, names, smaller=smaller, **settings)
    wanted = [measure_pair(measure) for measure in as_list(measures)]
    one = one.with_columns_as_runs().by({name for name, _ in wanted})
    other = other.with_columns_as_runs().by({name for _, name in wanted})
    ranking = _Ranking(alpha)
    pairs = []
    for name, other_name in _measure_pairs(one, other, measures):
        pairs.append(ranking.common(one.board(name), other.board(other_name)))
    fewest = min(len(ranked.board.systems) for ranked, _ in pairs)
    depths = _depths(asked_depths, fewest)
    compared = [_compared(*pair, depths, p, ties) for pair in pairs]
    notes = dict.fromkeys([*one.notes, *other.notes, *ranking.notes])
    remarks = dict.fromkeys([*one.remarks, *other.remarks])
    return LeaderboardComparison(
        names=(one.name, other.name),
        orders=tuple(compared),
        depths=tuple(depths),
        p=p,
        ties=ties,
        said=tuple(notes),
        remarks=tuple(remarks),
    )


def _measure_pairs(
    first: Leaderboard, second: Leaderboard, measures: Sequence[str | tuple[str, str]] | str
) -> list[tuple[str, str]]:
    """The names of the measures to compare."""
    wanted = as_list(measures)
    if wanted:
        return [measure_pair(measure) for measure in wanted]
    names = first.compared_unasked
    others = second.compared_unasked
    shared = [name for name in names if name in others]
    if shared:
        return [(name, name) for name in shared]
    pairs = list(product(names, others))
    if not pairs:
        raise GradedError("the leaderboards have only counts; name the measures to compare")
    return pairs


def measure_pair(measure: str | Measure | tuple[str, str]) -> tuple[str, str]:
    """The two measures of ``FIRST=SECOND``; an = in brackets belongs to a measure.

    >>> measure_pair("AP(rel=2)=nDCG@10"), measure_pair("AP(rel=2)")
    (('AP(rel=2)', 'nDCG@10'), ('AP(rel=2)', 'AP(rel=2)'))
    """
    if isinstance(measure, tuple):
        return str(measure[0]), str(measure[1])
    text = str(measure)
    open_brackets = 0
    for position, sign in enumerate(text):
        if sign in "({[":
            open_brackets += 1
        elif sign in ")}]":
            open_brackets -= 1
        elif sign == "=" and open_brackets == 0:
            return text[:position], text[position + 1 :]
    return text, text


def _depths(asked: list[int] | None, systems: int) -> list[int]:
    """The depths of overlap@k and tau@k."""
    if asked is None:
        return [depth for depth in DEPTHS if depth < systems]
    for depth in asked:
        if depth >= systems:
            raise GradedError(f"k={depth} is not below the number of systems, {systems}")
    return asked


@dataclass(frozen=True, eq=False)
class _Ranked:
    """The systems of a board in their order, the best first, and which of them differ."""

    board: Board
    alpha: float

    @cached_property
    def order(self) -> Order:
        """The order by the values of which larger ones are better."""
        return Order.of(self.board.sign * self.board.means)

    @cached_property
    def signs(self) -> np.ndarray | None:
        """The significant sign of each pair of systems, see `significant_signs`."""
        return significant_signs(self.board, self.alpha)


class _Ranking:
    """The boards of the systems that two leaderboards share, each ranked once."""

    def __init__(self, alpha: float):
        self.alpha = alpha
        self.notes: list[Note] = []
        self._ranked: dict[tuple[int, tuple[str, ...]], _Ranked] = {}

    def common(self, first: Board, second: Board) -> tuple[_Ranked, _Ranked]:
        """Both boards with the systems of both. Notes the others.

        Raises `GradedError` for fewer than 2 systems.
        """
        systems = common_systems(first.systems, second.systems)
        if len(systems) < 2:
            count = counted(len(systems), "system")
            raise GradedError(
                f"{count} in both leaderboards; at least 2 are needed; the first has "
                f"{listed(first.systems)}, the second {listed(second.systems)}"
            )
        self._note_others("first", first, systems)
        self._note_others("second", second, systems)
        return self._of(first, tuple(systems)), self._of(second, tuple(systems))

    def _note_others(self, which: str, board: Board, systems: Sequence[str]) -> None:
        if len(board.systems) > len(systems):
            shared = set(systems)
            others = [system for system in board.systems if system not in shared]
            self.notes.append(Note("Only the {} leaderboard has {}.", which, listed(others)))

    def _of(self, board: Board, systems: tuple[str, ...]) -> _Ranked:
        key = id(board), systems  # the leaderboards keep the boards, so no id is used again
        if key not in self._ranked:
            self._ranked[key] = _Ranked(board.part(systems), self.alpha)
        return self._ranked[key]


def _compared(
    first: _Ranked, second: _Ranked, depths: Sequence[int], p: float, ties: RboTies
) -> ComparedOrders:
    """The statistics of two boards of the same systems."""
    numbers = dict(orders.agreement(first.order, second.order, p, ties))
    for depth in depths:
        numbers[f"overlap@{depth}"] = orders.overlap_at(first.order, second.order, depth)
    for depth in depths:
        numbers[f"tau@{depth}"] = np.asarray(orders.tau_at(first.order, second.order, depth))
    statistics: dict[str, float | None] = {}
    reasons = {}
    for name, number in numbers.items():
        statistics[name] = float(number)
        if np.isnan(number):
            statistics[name] = None
            reasons[name] = _why_undefined(name, first.order, second.order)
    significant = None
    if first.signs is not None and second.signs is not None:
        significant = SignificantPairs.of(first.signs, second.signs)
    return ComparedOrders(
        first=first.board,
        second=second.board,
        statistics=statistics,
        reasons=reasons,
        counts=_counts(first.order, second.order),
        places=(first.order.place, second.order.place),
        significant=significant,
    )


def _counts(first: Order, second: Order) -> dict[str, int]:
    """The numbers of systems, of their pairs, and of pairs that tie."""
    systems = first.group.size
    # Each system ties with itself, and each pair stands twice in the matrices.
    tied_in_both = int((first.tied & second.tied).sum()) - systems
    return {
        "systems": systems,
        "pairs": systems * (systems - 1) // 2,
        "tied_first": int(first.tied_pairs),
        "tied_second": int(second.tied_pairs),
        "tied_both": tied_in_both // 2,
    }


def _why_undefined(name: str, first: Order, second: Order) -> str:
    if first.is_flat:
        return "all systems tie in the first"
    if second.is_flat:
        return "all systems tie in the second"
    if name == "tau_AP":
        return "systems tie in the first; use tau_AP_b"
    return "the top systems of the first are fewer than 2 or all tie in one order"
