"""The dependence of the order of the runs on the weighting of the levels: Kekäläinen 2005, Tables
4–6.

`sensitivity` ranks the runs under every measure × cutoff × weighting and correlates each pair of
rankings by Kendall's τ-b. Correlations of .9 and more "should be considered equivalent and those
less than 0.8 generally reflect noticeable changes" (Voorhees 2001, as cited there). This was said
of many runs: of five, a single swap gives .8. The tests of `compare` under each setting tell which
changes of order are more than chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any, Final

import numpy as np
from ir_measures import Measure

from ..arguments import flag, whole_number
from ..core.ranking.gains import (
    Gains,
    gain_of,
    named_weightings,
    plain_number,
    weighting,
)
from ..core.registry.facts import ZERO, gains_of, sign_of
from ..core.registry.notation import with_gains
from ..errors import GradedError, needed
from ..evaluation.attributes import By
from ..evaluation.checked import checks_arguments
from ..evaluation.counting import with_effective
from ..evaluation.evaluate import evaluate, evaluated
from ..evaluation.evaluation import Evaluation
from ..evaluation.level_notes import notes_on_levels
from ..evaluation.named import (
    Qrels,
    Runs,
    Study,
    in_sessions,
    measures_for,
    read_judgments,
    study_of,
)
from ..evaluation.order_of_runs import best_first
from ..evaluation.sessions import Given
from ..evaluation.weights import counted_by
from ..output import figures
from ..output.formats import counted, known, listed, p_of, short
from ..output.result import Result, View
from ..output.tables import Column, Note, Table
from ..progress import Progress, steps
from .comparing.families import MOST_DIFFERENCES, width_of
from .comparing.tests import PValue
from .levels import levels
from .statistics import primary
from .statistics.corrections import CORRECTION_NAME
from .statistics.defaults import ALPHA, LEAST_TESTED_TOPICS
from .statistics.options import as_list, check_probability
from .statistics.orders import tau_of_all
from .statistics.tests import run_ranks
from .turns import turns_of
from .whatif import WhatIf, gains_of_levels, sliders_of, what_if, why_no_sliders

MOST = 400
"""The largest number of settings, of which each pair is compared."""
DECIMALS = 12  # of τ: rounding errors must not push it below 1 or one of the limits
LIMITS: Final = ((0.8, "<.8"), (0.9, "<.9"))
"""The marks of τ below these limits, the lower one first."""
DIFFERENCES: Final = (
    "setting", "measure", "run", "other", "ahead", "difference", Column("adjusted", kind=PValue),
    "significant", "changes",
)  # fmt: skip
CHANGES: Final = {
    (False, False): "no",
    (True, False): "order",
    (False, True): "significance",
    (True, True): "order and significance",
}
"""What changes between settings, by whether the order of a pair and its significance do."""
MOST_NAMED_GAINS = 4
"""The most levels whose gains a sentence names."""
UNNAMED = re.compile(r"[-\d.e]+([:,][-\d.e]+)+")
"""A weighting that has its pairs, or its gains from level 0 on, as its name."""
Weightings = Mapping[str, Mapping[Any, Any] | str] | Iterable[str]
"""Weightings by name, where the name of a preset stands for its weighting; or texts: w3,
mine=1:1,2:10."""


class Tau(float):
    """Kendall's τ; as text, it has the mark of the lowest limit that it is below.

    >>> f"{Tau(0.75):.2f}, {Tau(0.8):.2f}, {Tau(0.9):.2f}"
    '0.75 <.8, 0.80 <.9, 0.90'
    """

    def __format__(self, spec: str) -> str:
        number = super().__format__(spec)
        for limit, mark in LIMITS:
            if self < limit:
                return f"{number} {mark}"
        return number


@dataclass(frozen=True)
class Setting:
    """A measure under one weighting at one cutoff; each is None if the measure does not take the
    choice."""

    measure: Measure
    base: Measure
    weighting: str | None
    cutoff: int | None

    def __str__(self) -> str:
        text = str(self.base)
        if self.weighting:
            text += f" {self.weighting}"
        if self.cutoff:
            text += f"@{self.cutoff}"
        return text


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """The rankings of the runs under all settings, and their agreement.

    `means` and `ranks` are arrays (runs × settings). Rank 1 is the best; equal runs share their
    mean rank. `tau` (settings × settings) holds Kendall's τ of each pair of settings, NaN where
    undefined. `differences` and `p_values` (settings × pairs of runs) are those of `compare` under
    each setting: the mean of the first run minus that of the second, and the p-value with Holm's
    correction for the pairs. `lower` and `upper` bound the differences of a setting together. All
    are NaN where undefined, and None if they are not computed, for the reason in `untested`. `unit`
    is ``topic`` or ``session``, `topics` their number. `study` has the qrels and runs, for the
    what-if page; it is None for values. `beginning` is the measure with the only weighting that was
    named, with which the page begins, else None. `levels` are those of the qrels. `effective` is
    the effective number of topics with weights.
    """

    runs: tuple[str, ...]
    settings: tuple[Setting, ...]
    weightings: dict[str, Gains]
    means: np.ndarray
    ranks: np.ndarray
    tau: np.ndarray
    study: Study | None = None
    alpha: float = ALPHA
    topics: int = 0
    unit: str = "topic"
    differences: np.ndarray | None = None
    p_values: np.ndarray | None = None
    untested: str = ""
    beginning: Measure | None = None
    levels: tuple[float, ...] = ()
    effective: float | None = None
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None

    def what_if(
        self, coloured: Mapping[str, str] | None = None, named: Measure | None = None
    ) -> WhatIf | None:
        """The what-if page's content, with the `named` measure at first; None if the page cannot
        show it.

        By default, that is the measure of the first setting with its own gains, or with the only
        weighting that was named. `coloured` has the colours of runs in the figure on the page,
        those of the slope chart by default. See `analysis.whatif`. Sensitivity that was computed
        from values alone has none.
        """
        if self.study is None:
            return None
        if coloured is None:
            coloured = figures.colours_of_moves(self._moves())
        return what_if(self.study, named or self._first_measure, coloured, self.weightings)

    @cached_property
    def _first_measure(self) -> Measure:
        """The measure of the first setting with its own gains, or with the only weighting that was
        named; the first whose gains a reader can change, if there is one."""
        measures = []
        for setting in self.settings:
            measure = self.beginning or setting.base
            if setting.cutoff is not None:
                measure = measure @ setting.cutoff
            measures.append(measure)
        for measure in dict.fromkeys(measures):
            if not why_no_sliders(self.study, measure):
                return measure
        return measures[0]

    @property
    def why_no_sliders(self) -> str:
        """Why the what-if page has no sliders, as the end of a sentence; empty if it has."""
        return why_no_sliders(self.study, self._first_measure)

    @cached_property
    def turns(self) -> list[str]:
        """Where another run becomes the best as the highest level gains more or less than under the
        first measure, as a sentence; none where the what-if page has no sliders."""
        if self.study is None:
            return []
        measure = self._first_measure
        levels = sliders_of(self.study, measure)
        if not levels:
            return []
        turns = turns_of(self.study, measure, levels, gains_of_levels(levels, gains_of(measure)))
        return [] if turns is None else [str(turns)]

    def _moves(self) -> dict[str, float]:
        """The number of ranks over which each run moves."""
        return dict(zip(self.runs, np.ptp(self.ranks, axis=1).tolist(), strict=True))

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, in the order of the columns of `p_values`."""
        return list(combinations(self.runs, 2))

    @cached_property
    def ahead(self) -> np.ndarray:
        """1 if the first run of a pair is better, −1 if the second is, 0 if they tie (settings ×
        pairs)."""
        numbers = np.array(list(combinations(range(len(self.runs)), 2)), dtype=np.int64)
        first, second = numbers.T
        return np.sign(self.ranks[second] - self.ranks[first]).T

    @cached_property
    def significant(self) -> np.ndarray:
        """Whether the difference of a pair is significant under a setting (settings × pairs)."""
        if self.p_values is None:
            return np.zeros(self.ahead.shape, dtype=bool)
        # NaN, an undefined p, is not below a number.
        return (self.p_values < self.alpha) & (self.ahead != 0)

    @cached_property
    def changing(self) -> np.ndarray:
        """Whether each pair of runs changes its order between some settings."""
        return _has_both_signs(self.ahead)

    @cached_property
    def contradicted(self) -> np.ndarray:
        """Whether each pair of runs has opposite orders under some settings, both significant."""
        return _has_both_signs(self.ahead * self.significant)

    @cached_property
    def changing_significance(self) -> np.ndarray:
        """Whether the difference of each pair is significant under some settings and not under
        others where it is tested."""
        if self.p_values is None:
            return np.zeros(len(self.pairs), dtype=bool)
        is_not_significant = ~self.significant & ~np.isnan(self.p_values)
        return np.asarray(self.significant.any(axis=0) & is_not_significant.any(axis=0))

    @property
    def _is_tested(self) -> bool:
        """Whether a difference has a p-value."""
        return self.p_values is not None and not np.isnan(self.p_values).all()

    def changes(
        self, first: int, second: int, significant: bool = False
    ) -> tuple[tuple[str, str], ...]:
        """The pairs of runs that change order between two settings, given by their numbers.

        The run that is ahead under the first comes first. With `significant`, only the pairs whose
        difference is significant under both settings.
        """
        last = len(self.ahead) - 1
        first = whole_number("first", first, 0, last)
        second = whole_number("second", second, 0, last)
        before = self.ahead[first]
        is_swapped = before * self.ahead[second] < 0
        if flag("significant", significant):
            is_swapped &= self.significant[first] & self.significant[second]
        swapped = []
        for number in np.flatnonzero(is_swapped).tolist():
            run, other = self.pairs[number]
            if before[number] < 0:
                run, other = other, run
            swapped.append((run, other))
        rank = dict(zip(self.runs, self.ranks[:, first].tolist(), strict=True))
        return tuple(sorted(swapped, key=lambda pair: (rank[pair[0]], rank[pair[1]], pair)))

    def _by_name(self, is_wanted: np.ndarray) -> list[tuple[str, str, int]]:
        """The pairs that are wanted with their numbers, so that no order of the runs shows: sorted
        by name, as are the runs of each."""
        pairs = []
        for number in np.flatnonzero(is_wanted).tolist():
            run, other = sorted(self.pairs[number])
            pairs.append((run, other, number))
        return sorted(pairs)

    def leaders(self) -> dict[tuple[str, ...], list[Setting]]:
        """The runs with the best mean, by name, and the settings under which they have it."""
        leaders: dict[tuple[str, ...], list[Setting]] = {}
        for setting, ranks in zip(self.settings, self.ranks.T, strict=True):
            best = [self.runs[run] for run in np.flatnonzero(ranks == ranks.min())]
            leaders.setdefault(tuple(sorted(best)), []).append(setting)
        return leaders

    def answer(self) -> list[str]:
        """The best runs under the settings, the lowest τ, the changes of order, the gain of the
        highest level at which the best run changes, and the levels of the documents of two runs."""
        sentences = [self._best_runs()]
        if len(self.runs) > 2:  # of two runs, τ is 1 or −1, and the first sentence has the changes
            sentences.append(self._lowest_tau())
            sentences += [self._changes(), *self._changes_of_significance()]
        else:
            sentences.append(self._changes())
        return [*sentences, *self.turns, *self._levels_of_two()]

    def _changes_of_significance(self) -> list[str]:
        """For how many pairs of runs significance depends on the setting; none without tests."""
        if not self._is_tested:
            return []
        count = int(self.changing_significance.sum())
        pairs = counted(len(self.pairs), "pair")
        which = f"{count} of {pairs}" if count else f"none of {pairs}"
        return [f"Significance ({self._test()}) changes with the setting for {which}."]

    def _test(self) -> str:
        """The test of a difference."""
        parts = [f"p < {short(self.alpha)}", f"paired t over {counted(self.topics, self.unit)}"]
        if len(self.pairs) > 1:
            pairs = counted(len(self.pairs), "pair")
            parts.append(f"{CORRECTION_NAME} for {pairs} under each setting")
        return ", ".join(parts)

    def _levels_of_two(self) -> Iterator[Note]:
        """How many documents of each level two runs have within the cutoff of the first measure,
        which is why their order depends on the gains."""
        if self.study is None or len(self.runs) != 2:
            return
        measure = self._first_measure
        if why_no_sliders(self.study, measure):
            return
        cutoff = measure.params.get("cutoff")
        levels = sliders_of(self.study, measure)
        clauses = []
        for run in self.study.runs:
            ranks = run.ranks.condensed if measure.params.get("judged_only") else run.ranks
            level = ranks.judged.level[ranks.doc]
            if cutoff is not None:
                level = level[ranks.rank <= cutoff]
            counts = [int((level == value).sum()) for value in levels]
            parts = [f"{count:,}" for count in counts]
            clauses.append(f"{run.name} has {'/'.join(parts)}")
        where = "In their whole lists"
        if cutoff is not None:
            where = f"Within the first {counted(cutoff, 'rank')}"
        text = "{} of the {}, {} documents of level {}."
        names = "/".join(map(str, levels))
        yield Note(text, where, counted(self.topics, self.unit), " and ".join(clauses), names)

    @property
    def summary(self) -> str:
        """The best runs under the settings."""
        return self._best_runs()

    def _lowest_tau(self) -> str:
        """The settings that agree least, and how many pairs of settings are below the limits."""
        firsts, seconds = np.triu_indices(len(self.settings), 1)
        taus = self.tau[firsts, seconds]
        if np.isnan(taus).all():
            return "Kendall's τ is undefined: all runs tie under a setting."
        least = int(np.nanargmin(taus))
        first = self._labels[firsts[least]]
        second = self._labels[seconds[least]]
        tau = short(float(taus[least]), ".2f")
        if taus.size == 1:
            return f"Kendall's τ between {first} and {second} is {tau}."
        if taus[least] > 1 - 1e-9 and not np.isnan(taus).any():
            return f"Kendall's τ is 1 for all {taus.size} pairs of settings: the orders are equal."
        counts = [int((taus < limit).sum()) for limit, _ in LIMITS]
        below_8, below_9 = counts
        return (
            f"Kendall's τ is lowest between {first} and {second}, {tau}; of {taus.size} pairs of "
            f"settings, {below_9} have a τ below .9 and {below_8} below .8."
        )

    def _best_runs(self) -> str:
        """The best runs under the settings; of two runs, also how many differences are
        significant."""
        best = self._best_of_settings()
        if len(self.runs) != 2 or self.p_values is None or not self._is_tested:
            return f"{best}."
        known_p = self.p_values[~np.isnan(self.p_values)]
        ends = [p_of(p).removeprefix("p ") for p in (known_p.min(), known_p.max())]
        p_texts = [text.removeprefix("= ") for text in dict.fromkeys(ends)]
        count = len(self.settings)
        number = int(self.significant.sum())
        under = f"{number} of {count}"
        if number == count:
            under = "each"
        elif not number:
            under = "none"
        significantly = f"significantly under {under} (p {' to '.join(p_texts)})"
        if len(self.leaders()) == 1 and len(next(iter(self.leaders()))) == 1:
            return f"{best}, {significantly}."
        if not number:
            return f"{best}; no difference is significant (p {' to '.join(p_texts)})."
        return f"{best}; the runs differ {significantly}."

    def _best_of_settings(self) -> str:
        """The best runs under the settings, without a full stop."""
        leaders = self.leaders()
        if len(leaders) == 1:
            (best_runs,) = leaders
            settings = f"all {len(self.settings)} settings"
            if len(self.settings) == 2:
                settings = "both settings"
            if len(best_runs) > 1:
                return f"{listed(best_runs, 2)} are equally good and best under {settings}"
            if len(self.runs) == 2:
                (other,) = set(self.runs) - set(best_runs)
                return f"{best_runs[0]} is ahead of {other} under {settings}"
            return f"{best_runs[0]} is best under {settings}"
        label_of = dict(zip(self.settings, self._labels, strict=True))
        gains_of_name = self._gains_to_name()
        levels = "/".join(f"{level:g}" for level in self.levels if level > 0)
        of_levels = f" of levels {levels}"
        clauses = []
        for runs, settings_of_runs in leaders.items():
            labels = []
            for setting in settings_of_runs:
                label = label_of[setting]
                gains = gains_of_name.pop(setting.weighting or "", "")
                if gains:
                    if of_levels:
                        # The first weighting with gains says of which levels all have them.
                        gains = f"gains {gains}{of_levels}"
                        of_levels = ""
                    label += f" ({gains})"
                labels.append(label)
            clauses.append(f"{listed(runs, 2)} under {listed(labels)}")
        best = "; ".join(clauses)
        if self._shared is None:
            return f"The best run depends on the setting: {best}"
        choice = "setting" if any(setting.cutoff for setting in self.settings) else "weighting"
        count = len(self.settings)
        which = f"depends on which of {count} {choice}s is taken"
        return f"By {self._shared}, the best run {which}: {best}"

    def _gains_to_name(self) -> dict[str, str]:
        """The gains of each weighting whose name does not say them, if they are few."""
        levels = [level for level in self.levels if level > 0]
        texts = {}
        if len(levels) <= MOST_NAMED_GAINS:
            for name, gains in self.weightings.items():
                if isinstance(gains, dict) and name != _gains_in_words(gains, levels):
                    texts[name] = _gains_in_words(gains, levels)
        return texts

    def _changes(self) -> str:
        """How many pairs of runs change their order, and which significantly."""
        pairs = counted(len(self.pairs), "pair")
        changing = int(self.changing.sum())
        if not changing:
            return "No pair of runs changes its order between settings."
        change = "changes its" if changing == 1 else "change their"
        text = f"{changing} of {pairs} of runs {change} order between settings"
        if not self._is_tested:
            return f"{text}."
        contradicted = self._by_name(self.contradicted)
        if not contradicted:
            return f"{text}; no change is significant in both orders."
        names = [f"{run} against {other}" for run, other, _ in contradicted]
        return f"{text}; significant in both orders: {listed(names, 3)}."

    def tables(self) -> list[Table]:
        """Kendall's τ of each pair of settings; of two runs, their means and their difference under
        each setting."""
        if len(self.runs) == 2:
            return [self.means_table()]
        return [self.tau_table()]

    def data(self) -> Table:
        """The first of the tables."""
        return self.tables()[0]

    def means_table(self) -> Table:
        """One row per setting with the mean of each run; of two runs, also the difference of the
        first from the second, with its bounds and p-value if it is tested."""
        columns: list[Column | str] = ["setting", *self.runs]
        rows = []
        for setting, means in zip(self.settings, self.means.T.tolist(), strict=True):
            rows.append([str(setting), *means])
        if len(self.runs) > 2:
            return Table(columns, rows)
        with_difference = [[*row, row[1] - row[2]] for row in rows]
        columns.append("difference")
        tests = (self.lower, self.upper, self.p_values)
        if not self._is_tested or any(numbers is None for numbers in tests):
            return Table(columns, with_difference)
        of_pair = [known(numbers[:, 0]) for numbers in tests if numbers is not None]
        significant = self.significant[:, 0].tolist()
        columns += ["lower", "upper", Column("p", kind=PValue), "significant"]
        whole_rows = []
        for row, *tested in zip(with_difference, *of_pair, significant, strict=True):
            whole_rows.append([*row, *tested])
        return Table(columns, whole_rows)

    def tau_table(self) -> Table:
        """Kendall's τ of each pair of settings."""
        names = list(map(str, self.settings))
        columns = [Column(name, name, Tau) for name in names]
        rows = [[name, *known(taus)] for name, taus in zip(names, self.tau, strict=True)]
        return Table(["tau", *columns], rows)

    def notes(self) -> list[str]:
        """What the weightings and the table have, and what a low τ means for so few runs."""
        if len(self.runs) == 2:
            return [*self._weightings_in_words(), self._tests(), *self._notes_on_means()]
        return self.notes_on_tau()

    def _notes_on_means(self) -> list[str]:
        """The weights of topics, and the levels of the measures."""
        return [*self._weights_in_words(), *self._level_notes()]

    def notes_on_tau(self) -> list[str]:
        """What the weightings and the table of τ have, and what a low τ means for so few runs."""
        count = len(self.runs)
        swap = 4 / (count * (count - 1))
        untested = [] if self._is_tested else [self._tests()]
        return [
            *self._weightings_in_words(),
            "Kendall's τ of the orders of the runs under two settings is 1 if they are equal and "
            "−1 if they are opposite.",
            "Orders of many runs count as equivalent from .9 on, and as noticeably different "
            f"below .8. Two of {count} runs that swap lower τ by {short(swap, '.2g')}.",
            *untested,
            *self._notes_on_means(),
        ]

    def _weights_in_words(self) -> list[Note]:
        """That the means are weighted, and over how many topics."""
        if self.effective is None:
            return []
        topics = with_effective(counted(self.topics, self.unit), self.effective)
        return [Note("Weighted means over {}.", topics)]

    def _level_notes(self) -> list[Note]:
        """What the measures take the levels of the qrels for."""
        measures = dict.fromkeys(setting.measure for setting in self.settings)
        return notes_on_levels(measures, self.levels)

    def _weightings_in_words(self) -> list[str]:
        """The gains of each weighting, of those with the same levels in one sentence."""
        by_levels: dict[str, list[str]] = {}
        for name, gains in self.weightings.items():
            if isinstance(gains, dict):
                above_0 = {level for level in self.levels if level > 0}
                with_gain = {level for level in gains if level > 0 or gains[level]}
                named_levels = sorted(above_0 | with_gain)
                levels = "/".join(f"{level:g}" for level in named_levels)
                values = _gains_in_words(gains, named_levels)
                label = name if name == values else f"{name} {values}"
                by_levels.setdefault(levels, []).append(label)
        return [f"Gains of level {levels}: {', '.join(row)}." for levels, row in by_levels.items()]

    def _tests(self) -> str:
        """The test of a change of order, or the reason why there is none."""
        if self.p_values is None:
            return f"Changes are not tested: {self.untested}."
        if np.isnan(self.p_values).all():
            return f"Changes are not tested: fewer than {LEAST_TESTED_TOPICS} {self.unit}s."
        return f"Significant: {self._test()}."

    def rank_table(self) -> Table:
        """One row per run with its rank under each setting."""
        rows = []
        for run in best_first(-self.ranks[:, 0], self.runs):
            ranks = self.ranks[run].tolist()
            rows.append([self.runs[run], *map(plain_number, ranks)])
        return Table(["run", *map(str, self.settings)], rows)

    def swap_table(self) -> Table:
        """One row per pair of runs that changes its order: the better run under each setting.

        An asterisk means that the difference is significant.
        """
        rows = []
        for run, other, number in self._by_name(self.changing):
            better_runs = self._better(number, "tie")
            significant = self.significant[:, number].tolist()
            cells = []
            for better, is_significant in zip(better_runs, significant, strict=True):
                mark = "*" if is_significant else ""
                cells.append(f"{better}{mark}")
            rows.append([run, other, *cells])
        return Table(["run", "other", *map(str, self.settings)], rows)

    def _better(self, pair: int, tie: str) -> list[str]:
        """The better run of a pair under each setting, or the word for a tie."""
        run, other = self.pairs[pair]
        word = {1: run, -1: other, 0: tie}
        return [word[ahead] for ahead in self.ahead[:, pair].astype(int).tolist()]

    def swap_tables(self) -> list[Table]:
        """The table of swaps, none if no pair changes its order."""
        return [self.swap_table()] if self.changing.any() else []

    def swap_notes(self) -> list[str]:
        """What the table of swaps has; the answer says if there are none."""
        if not self.changing.any():
            return []
        return [
            "The better run of each two that change their order; * the difference is significant.",
            self._tests(),
            *self._weights_in_words(),
            *self._level_notes(),
        ]

    def difference_table(self) -> Table:
        """One row per setting and pair of runs: the difference and its p-value with the correction.

        `difference` is the mean of the run minus that of the other one. `ahead` is the better run,
        None if they tie. `changes` tells what differs between some settings: the order of the pair,
        its significance, both, or nothing ("no").
        """
        shape = self.ahead.shape
        undefined = np.full(shape, np.nan)
        differences = undefined if self.differences is None else self.differences
        p_values = undefined if self.p_values is None else self.p_values
        both_changes = zip(self.changing.tolist(), self.changing_significance.tolist(), strict=True)
        changes = [CHANGES[of_pair] for of_pair in both_changes]
        rows = []
        for row, setting in enumerate(self.settings):
            ahead = self.ahead[row].tolist()
            is_significant = self.significant[row].tolist()
            differences_of_pairs = known(differences[row])
            p_of_pairs = known(p_values[row])
            for pair, (run, other) in enumerate(self.pairs):
                better = None
                if ahead[pair]:
                    better = run if ahead[pair] > 0 else other
                names = [str(setting), str(setting.measure), run, other, better]
                tested = [differences_of_pairs[pair], p_of_pairs[pair], is_significant[pair]]
                rows.append([*names, *tested, changes[pair]])
        return Table(DIFFERENCES, rows)

    def difference_notes(self) -> list[str]:
        """What the table of differences has."""
        return [self._tests(), *self._notes_on_means()]

    def figure(self, *, title: str = "") -> figures.Figure:
        """Draw the rank of each run under every setting, the names at both ends; of two runs, their
        difference under every setting.

        Needs the extra ``plot``.
        """
        return figures.picture(self.drawings(), title or self.summary, self._caption)

    def chart(self, coloured: dict[str, str] | None = None) -> figures.Figure:
        """The figure without its title, for a page that tells the answer beside it."""
        caption = ""  # A slope chart needs none.
        if self._has_forest:
            caption = self._caption
        return figures.picture(self.drawings(coloured), caption=caption)

    def drawings(self, coloured: dict[str, str] | None = None) -> list[figures.Drawing]:
        """The slope chart, or of two runs that are tested a forest of differences by measure."""
        if self._has_forest:
            return list(self._forests())
        return [self.slopes(coloured)]

    @property
    def _has_forest(self) -> bool:
        return len(self.runs) == 2 and self._is_tested

    def _forests(self) -> Iterator[figures.Forest]:
        """The difference of the two runs under the settings of each measure."""
        numbers = (self.differences, self.lower, self.upper)
        differences, lower, upper = (array[:, 0] for array in numbers if array is not None)
        first, second = self.runs
        for base in dict.fromkeys(setting.base for setting in self.settings):
            rows = [row for row, setting in enumerate(self.settings) if setting.base == base]
            label = f"{first} minus {second}"
            if sign_of(base) < 0:
                label += ", smaller is better"
            yield figures.Forest(
                [self._labels[row] for row in rows],
                differences[rows],
                bars=[np.stack([lower[rows], upper[rows]])],
                label=label,
                heading=str(base),
                zero=0.0,
                filled=self.significant[rows, 0],
            )

    def slopes(self, coloured: dict[str, str] | None = None) -> figures.Slopes:
        """The ranks under every setting as a slope chart; see `figures.Slopes`."""
        heading = self._shared or ""
        return figures.Slopes(self.runs, self.ranks, self._labels, heading, coloured)

    @cached_property
    def _shared(self) -> str | None:
        """The measure of all settings, if they differ in the weighting or in the cutoff alone."""
        bases = {setting.base for setting in self.settings}
        is_weighted = all(setting.weighting for setting in self.settings)
        return str(self.settings[0].base) if len(bases) == 1 and is_weighted else None

    @cached_property
    def _labels(self) -> list[str]:
        """A short name of each setting, without the measure that all share."""
        if self._shared is None:
            return list(map(str, self.settings))
        labels = []
        for setting in self.settings:
            cutoff = f" @{setting.cutoff}" if setting.cutoff else ""
            labels.append(f"{setting.weighting}{cutoff}")
        return labels

    @property
    def _caption(self) -> str:
        """What the settings are, and what the colours mean."""
        if self._has_forest:
            interval = f"{100 * (1 - self.alpha):g} %"
            tested = (
                "Dot: the difference of the means under a setting. Bar: its interval of "
                f"{interval}, for one setting by itself. Filled: {self._test()}."
            )
            return " ".join([tested, *self._weightings_in_words()])
        parts = [f"Ranks of {counted(len(self.runs), 'run')} by their means."]
        parts += self._weightings_in_words()
        moved = np.ptp(self.ranks, axis=1).tolist()
        parts.append(figures.coloured_in_words(dict(zip(self.runs, moved, strict=True))))
        return " ".join(parts).rstrip()


class SensitivityView(View):
    """Other tables of a `Sensitivity`; their page has its figure and its what-if part as well.

    The `settings` are those of a `View`.
    """

    def __init__(self, sensitivity: Sensitivity, chosen: Sequence[Table], **settings: Any):
        super().__init__(chosen, sensitivity.figure, **settings)
        self.sensitivity = sensitivity

    def what_if(self) -> WhatIf | None:
        """The what-if page's content of the whole result."""
        return self.sensitivity.what_if()

    @property
    def why_no_sliders(self) -> str:
        """Why the page of the whole result has no sliders; empty if it has."""
        return self.sensitivity.why_no_sliders

    @property
    def turns(self) -> list[str]:
        """The sentence on the turns of the whole result."""
        return [] if self.sensitivity is None else self.sensitivity.turns


def _has_both_signs(signs: np.ndarray) -> np.ndarray:
    """Whether each column has numbers above and below 0."""
    return np.asarray((signs > 0).any(axis=0) & (signs < 0).any(axis=0))


@checks_arguments("sensitivity(qrels, {'old': old, 'new': new}, ['nDCG@10'])")
def sensitivity(
    qrels: Qrels | Evaluation,
    runs: Runs | None = None,
    measures: Iterable[Measure | str] = (),
    *,
    sessions: Given = None,
    no_relevant: str = ZERO,
    weights: By = None,
    gains: Weightings = (),
    cutoffs: Iterable[int] | int = (),
    alpha: float = ALPHA,
    progress: Progress = False,
) -> Sensitivity:
    """Rank the runs under every measure × cutoff × weighting and compare the rankings.

    `qrels`, `runs`, `measures`, `sessions`, `no_relevant` and `weights` are as for `evaluate`. An
    `Evaluation`, or a table of values as for `Evaluation.from_values`, may stand for the first
    three; its measures are the settings. `gains` maps names to weightings, or lists texts such as
    ``w3`` and ``mine=1:1,2:10``. The presets w1, w3, w10 and w100 are for the levels 0 to 3. A
    measure that sets its gains or its cutoff, or takes none, is not varied in it. A single measure
    without gains and cutoffs has the weightings of `levels`, and with one weighting has these
    besides. `alpha` is the level of the tests of each difference, as in `compare`, which need the
    extra ``stats``; without it, nothing is tested.

    `progress` is as for `evaluate`.

    >>> qrels = {"q": {"a": 3, "b": 1, "c": 1}}
    >>> runs = {"high": {"q": ["a"]}, "many": {"q": ["b", "c"]}}
    >>> result = sensitivity(qrels, runs, ["CG"], gains=["w1", "w100"])
    >>> result.ranks.T.tolist(), result.tau.tolist(), result.changes(0, 1)
    ([[2.0, 1.0], [1.0, 2.0]], [[1.0, -1.0], [-1.0, 1.0]], (('many', 'high'),))

    Raises `GradedError` for fewer than two runs or two settings, for gains or cutoffs that no
    measure takes or that values cannot have, and for a preset if the qrels have levels other than 0
    to 3.
    """
    check_probability(alpha, "alpha", ALPHA)
    texts = named_weightings(gains)
    cutoff_list = list(dict.fromkeys(as_list(cutoffs)))
    weightings: dict[str, Gains] = {}
    study = None
    beginning = None
    if runs is None:
        if texts or cutoff_list:
            raise GradedError("gains and cutoffs need qrels and runs; values stay as they are")
        evaluation, _ = evaluated(
            qrels, None, measures, sessions, no_relevant=no_relevant, weights=weights
        )
        settings = _counted(
            Setting(measure, measure, None, None) for measure in evaluation.measures
        )
    else:
        if isinstance(qrels, Evaluation):
            raise GradedError("an Evaluation has the values of its runs; leave out runs")
        in_order = in_sessions(qrels, sessions)
        judgments = read_judgments(counted_by(in_order, no_relevant, weights))
        bases = list(measures_for(judgments, measures, uncut=True))
        is_single = len(bases) == 1 and len(cutoff_list) < 2 and _is_open(bases[0], "gains")
        only_name = next(iter(texts)) if is_single and len(texts) == 1 else None
        if is_single and len(texts) < 2:
            texts = texts | levels(judgments, highest=True).gains() | texts
        values = np.unique(judgments.rows.values).tolist()
        weightings = {name: weighting(name, text, values) for name, text in texts.items()}
        labels = _labels_of(weightings, values)
        weightings = {labels[name]: gains for name, gains in weightings.items()}
        if only_name is not None:
            only_name = labels[only_name]
        if only_name is not None:
            distinct = _without_equals(weightings, only_name, values)
            if len(distinct) > 1:
                weightings = distinct
            beginning = with_gains(bases[0], weightings[only_name])
        settings = _settings(bases, weightings, cutoff_list)
        wanted = [setting.measure for setting in settings]
        study = study_of(judgments, runs, wanted)
        evaluation = evaluate(study.judgments, study.runs, wanted)
    if len(evaluation.runs) < 2:
        raise GradedError(f"a ranking needs at least 2 runs, not {len(evaluation.runs)}")
    columns = [evaluation.measures.index(setting.measure) for setting in settings]
    means = evaluation.means()[:, columns]
    ranks = np.empty(means.shape)
    # Settings are ranked one by one because rounding is relative to the largest value.
    for column, setting in enumerate(settings):
        ranks[:, column] = _ranks(-sign_of(setting.measure) * means[:, column])
    tau = tau_of_all(ranks.T, ranks.T).round(DECIMALS)
    np.fill_diagonal(tau, 1)
    tests = _tests(evaluation, settings, alpha)
    return Sensitivity(
        evaluation.runs,
        settings,
        weightings,
        means,
        ranks,
        tau,
        study,
        alpha,
        len(evaluation.topics),
        evaluation.unit,
        tests.differences,
        tests.p_values,
        tests.reason,
        beginning,
        evaluation.levels,
        evaluation.effective,
        tests.lower,
        tests.upper,
    )


@dataclass(frozen=True, eq=False)
class _Tests:
    """The tests of all pairs of runs (settings × pairs), or the reason why there are none."""

    reason: str = ""
    differences: np.ndarray | None = None
    p_values: np.ndarray | None = None
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None


def _tests(evaluation: Evaluation, settings: Sequence[Setting], alpha: float) -> _Tests:
    """The differences of all pairs of runs with their bounds and p-values."""
    pairs = list(combinations(range(len(evaluation.runs)), 2))
    number = len(pairs) * len(settings)
    if number > MOST_DIFFERENCES:
        return _Tests(f"{number:,} differences are more than {MOST_DIFFERENCES:,}")
    try:
        needed("scipy.special", "the tests", "stats")
    except GradedError as error:
        return _Tests(str(error))
    differences = np.full((len(settings), len(pairs)), np.nan)
    p_values = np.full_like(differences, np.nan)
    lower = np.full_like(differences, np.nan)
    upper = np.full_like(differences, np.nan)
    for row, setting in enumerate(steps(settings, "settings")):
        values = evaluation.paired(setting.measure)
        if values.shape[1] >= 2:
            width = width_of(setting.measure)
            tests = primary.paired(
                values,
                pairs,
                alpha,
                width=width,
                weights=evaluation.paired_weights(setting.measure),
            )
            differences[row] = tests.difference
            p_values[row] = tests.adjusted
            lower[row] = tests.lower
            upper[row] = tests.upper
    return _Tests("", differences, p_values, lower, upper)


def _without_equals(
    weightings: Mapping[str, Gains], name: str, levels: Sequence[float]
) -> dict[str, Gains]:
    """The weightings without others that have the gains of the named one for all levels.

    >>> _without_equals({"w1": {2: 1.0, 3: 1.0}, "mine": {2: 1.0}}, "mine", [0.0, 1.0, 2.0])
    {'mine': {2: 1.0}}
    """
    every_level = np.array(levels)
    own_gains = gain_of(every_level, weightings[name])
    kept: dict[str, Gains] = {}
    for other, gains in weightings.items():
        if other == name or not np.array_equal(gain_of(every_level, gains), own_gains):
            kept[other] = gains
    return kept


def _labels_of(weightings: Mapping[str, Gains], levels: Sequence[float]) -> dict[str, str]:
    """The label of each weighting: its name, or if that is its pairs, the shorter gains of the
    levels above 0.

    >>> _labels_of({"w1": {1: 1, 3: 1}, "1:2,3:5": {1: 2, 3: 5}}, [0.0, 1.0, 3.0])
    {'w1': 'w1', '1:2,3:5': '2/5'}
    """
    label_of: dict[str, str] = {}
    for name, gains in weightings.items():
        label = name
        if UNNAMED.fullmatch(name) and isinstance(gains, dict):
            label = _gains_in_words(gains, [level for level in levels if level > 0])
        if len(label) >= len(name) or label in label_of.values():
            label = name
        label_of[name] = label
    return label_of


def _gains_in_words(gains: Mapping[Any, Any], levels: Iterable[float]) -> str:
    """The gains of levels with slashes; a level without one gains its value.

    >>> _gains_in_words({1: 2, 3: 5.5}, [1, 2, 3])
    '2/2/5.5'
    """
    return "/".join(f"{max(gains.get(level, level), 0):g}" for level in levels)


def _ranks(costs: np.ndarray) -> np.ndarray:
    """The rank of each run, 1 for the smallest cost; runs without a mean (NaN) share the last
    ranks."""
    has_mean = ~np.isnan(costs)
    ranks = np.empty(costs.size)
    ranks[has_mean] = run_ranks(costs[has_mean, None])[:, 0]
    first_of_others = has_mean.sum() + 1
    ranks[~has_mean] = (first_of_others + costs.size) / 2
    return ranks


def _is_open(measure: Measure, choice: str) -> bool:
    """Whether a measure takes a choice and does not set it."""
    return choice in measure.SUPPORTED_PARAMS and choice not in measure.params


def _settings(
    measures: Sequence[Measure], weightings: Mapping[str, Gains], cutoffs: Sequence[int]
) -> tuple[Setting, ...]:
    for choice, values in (("gains", weightings), ("cutoff", cutoffs)):
        if values and not any(_is_open(measure, choice) for measure in measures):
            own = ", ".join(map(str, measures))
            raise GradedError(f"no measure takes the {choice}: {own} set their own or take none")
    settings = []
    for base in measures:
        of_base: list[int | None] = [None]
        if cutoffs and _is_open(base, "cutoff"):
            of_base = list(cutoffs)
        names: list[str | None] = [None]
        if weightings and _is_open(base, "gains"):
            names = list(weightings)
        for cutoff, name in product(of_base, names):
            measure = base
            if cutoff is not None:
                measure = measure(cutoff=cutoff)
            if name is not None:
                measure = with_gains(measure, weightings[name])
            settings.append(Setting(measure, base, name, cutoff))
    return _counted(settings)


def _counted(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """The settings. Raises `GradedError` for one and for too many."""
    every = tuple(settings)
    if len(every) > MOST:
        raise GradedError(
            f"{len(every)} rankings of the runs are too many to compare; at most {MOST} are"
        )
    if len(every) < 2:
        raise GradedError(
            "there is only one ranking of the runs; name several measures, gains or cutoffs, as in "
            "--gains w1 --gains w10"
        )
    return every
