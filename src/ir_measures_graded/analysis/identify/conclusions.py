"""What is said: the summary, and the evidence line by line.

That is what is settled and open, how far the nearest definition is off, and what the topics that
differ have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import LINEAR
from ...output.formats import counted, listed
from ..statistics.defaults import ALPHA
from .case import Case
from .dimensions import BEST, DIMENSIONS, DOUBLE, LABELS, OTHER, ROUNDED, WEIGHTED, WORST, RunOrder
from .formulas import family
from .naming import Line, NamesOfDefinitions, ToolThatFits
from .ranking import RankedDefinitions
from .scoring import values_of
from .ties import range_of_ties

SETTLED = "settled"
OPEN = "open"
UNREACHED = "not exercised"
MOST_IN_FULL = 2  # so many definitions have their tools in the summary
MOST_NAMED = 5  # the number of definitions that the summary names
MOST_IN_LINES = 15  # the number of definitions that are listed, or share a line
CHANCE = ALPHA  # what is likelier to happen by chance is no evidence
MOST_CHANCE_AGAINST_TIES = 0.01
"""A definition is likelier than another order of ties if chance is at most this."""
LEAST_CHANCE_OF_RESERVATION = 0.5
"""From this chance on, the answer begins with the reservation that a mean cannot tell."""
CERTAIN = 0.9995  # a bound that would be written as 1.000
LEAST_SHOWN = 0.001  # a bound below it is written as this
LEAST_AGREEING = 5  # a cause needs so many topics that agree
# A cause is a property of at least this share of the topics that differ.
COMMON = 0.5
# It is a property of at most this share of the topics that agree.
SELDOM = 0.2
States = dict[str, tuple[str, tuple[str, ...]]]  # the state and the values of each dimension
Finding = tuple[str, str]  # what it is about, and what was found


@dataclass(frozen=True)
class FittingDefinition:
    """A definition that fits: its line, whether it is a usual one, the mean that it gives, the
    tools that compute it, and the other measure strings with its values."""

    line: Line
    is_usual: bool
    mean: float
    tools: Sequence[str]
    equal: Sequence[str]


class Conclusions:
    """The conclusions from a ranking of definitions. Values that are all equal identify nothing."""

    def __init__(self, case: Case, ranking: RankedDefinitions):
        self.case = case
        self.ranking = ranking
        self.names = NamesOfDefinitions(case, ranking)
        self.values = self.names.values
        gaps = case.gaps(self.values, case.values, ranking.chosen.shown)
        self.differs = ~np.isnan(case.values) & (gaps > 0)
        self.agreeing = case.known.size - int(self.differs.sum())
        definitions = ranking.search.different(ranking.departures)
        self.chance = min(1.0, definitions * case.coincidence)
        self.tells_nothing = case.coincidence == 1
        self.is_weak = ranking.is_found and self.chance > CHANCE and not self.tells_nothing
        self.range_of_ties = range_of_ties(case, self.names)
        is_coincidence = not ranking.is_found or self.chance > MOST_CHANCE_AGAINST_TIES
        self.may_be_ties = self.range_of_ties is not None and is_coincidence

    @property
    def is_near(self) -> bool:
        """Whether at least half of the values agree."""
        return 2 * self.agreeing >= self.case.given.size

    def summary(self) -> str:
        """The answer in a sentence or two."""
        if self.tells_nothing:
            return f"All values are {self.case.given[0]:g}, which identifies nothing."
        return f"{self._reservation()}{self._answer()}"

    def _reservation(self) -> str:
        """The sentence before the answer that a mean cannot tell, and why; empty if it can."""
        if self.range_of_ties is not None and self.may_be_ties:
            return f"{self.range_of_ties.sentence(self.case.decimals)} "
        has_cutoff = len(self.ranking.search.space["cutoff"]) == 1
        fits_by_chance = self.is_weak and self.chance >= LEAST_CHANCE_OF_RESERVATION
        if not self.case.by_mean or has_cutoff or not fits_by_chance:
            return ""
        wanted = "its measure and cutoff"
        if len({family(name) for name in self.ranking.search.space["measure"]}) == 1:
            wanted = "its cutoff"
        return f"A mean without {wanted} cannot tell, because random numbers fit as well. "

    def _answer(self) -> str:
        """The likeliest definition, and how many others fit."""
        rarer = self.ranking.rarer
        rest = ""
        if rarer > 0:
            rest = f" Rarer definitions that fit: {rarer}, which --show definitions lists."
        name = self.names.line(self.ranking.groups[0]).text
        if self.ranking.is_found:
            if self.case.by_mean and self.is_weak and not self.ranking.is_known:
                none = f"No definition that tools compute has the {self._numbers_given()}"
                count = counted(self.ranking.different, "other")
                fits = "has it" if self.ranking.different == 1 else "have it"
                return f"{none}; {count} {fits}, the likeliest {name}."
            if len(self.usual_lines) > 1:
                return f"{self._several()}.{rest}"
            if self.usual_lines:
                name = self.usual_lines[0].text
            others = ""
            if "solved" in self.ranking.chosen.gain:
                others = " Other tables of gains may fit, too."
            return f"The {self._numbers_given()} {self._are_those()} of {name}.{others}{rest}"
        usual = "usual " if rarer > 0 else ""
        none = f"No {usual}definition gives the {self._numbers_given()}"
        return f"{none}{self._nearest(name)}{rest}"

    @cached_property
    def usual_lines(self) -> list[Line]:
        """The lines of the usual definitions that fit, the likeliest first, at most so many as are
        listed; without one, the answer has the likeliest definition."""
        return self.names.lines(self.ranking.usual[:MOST_IN_LINES])

    @property
    def _usual_count(self) -> int:
        """The number of usual definitions that fit; those that share a line count once."""
        return len(self.usual_lines) + len(self.ranking.usual[MOST_IN_LINES:])

    def usual_means(self) -> tuple[tuple[str, float], ...]:
        """The name and the mean of each usual definition that fits, if there are several."""
        if len(self.usual_lines) < 2:
            return ()
        return tuple((line.name, self.names.mean(line.first)) for line in self.usual_lines)

    @cached_property
    def fitting(self) -> list[FittingDefinition]:
        """All definitions that fit, also the rare ones of a mean; those with the same values are
        one."""
        names = self.names
        if not self.ranking.is_found:
            ranking = RankedDefinitions(self.case, self.ranking.search, rare=True)
            if not ranking.is_found:
                return []
            names = NamesOfDefinitions(self.case, ranking)
        usual = {group[0] for group in names.ranking.usual}
        fitting = []
        for group in names.ranking.groups:
            definition = FittingDefinition(
                line=names.line(group),
                is_usual=group[0] in usual,
                mean=names.mean(group),
                tools=names.tool_names(group),
                equal=list(names.equal_strings(group)),
            )
            fitting.append(definition)
        fitting.sort(key=lambda definition: not definition.is_usual)
        return fitting

    def _several(self) -> str:
        """The usual definitions that fit, if there are several."""
        count = self._usual_count
        fits = "fits" if self.case.given.size == 1 else "fit"
        start = f"The {self._numbers_given()} {fits} {count} usual definitions"
        texts = [line.text for line in self.usual_lines]
        if count > MOST_IN_FULL:
            names = [line.name for line in self.usual_lines]
            texts = [*texts[:1], *names[1:MOST_NAMED]]
        if count > len(texts):
            texts.append(f"and {count - len(texts)} more")
        return f"{start}: {'; '.join(texts)}"

    def _are_those(self) -> str:
        is_doubtful = self.is_weak or self.may_be_ties
        perhaps = "perhaps " if is_doubtful else ""
        if self.case.given.size > 1:
            return f"are {perhaps}those"
        return f"is {perhaps}that"

    def _numbers_given(self) -> str:
        count = self.case.given.size
        if not self.case.by_mean:
            return counted(count, "value")
        noun = "mean" if count == 1 else "means"
        return f"{noun} {self._with_decimals(self.case.given.tolist())}"

    def _with_decimals(self, means: list[float]) -> str:
        return " and ".join(f"{mean:.{self.case.decimals}f}" for mean in means)

    def _nearest(self, name: str) -> str:
        count = self.case.given.size
        if self.case.by_mean:
            return f". The nearest is {name}, with {self._with_decimals(self.names.means)}."
        if self.is_near:
            return f". The nearest is {name}; it gives {self.agreeing} of {count}."
        agree = f"the nearest agrees in {self.agreeing} of {count}"
        return f", and none is near: {agree}; check that they are of this run and these qrels."

    def findings(self, tools: Sequence[ToolThatFits], states: States) -> Iterator[Finding]:
        """The evidence, line by line."""
        if len(self.usual_lines) > 1:
            for line in self.usual_lines:
                yield "fits", line.text
            unlisted = self._usual_count - len(self.usual_lines)
            if unlisted:
                yield "fits", f"{unlisted} more, which --show definitions lists"
        if self.is_weak or (self.ranking.is_found and self.case.by_mean):
            probability = f"{max(self.chance, LEAST_SHOWN):.3f}"
            fit = f"fit a usual definition with probability {probability} at most"
            if self.chance >= CERTAIN:
                fit = "fit one of so many usual definitions as well"
            hint = ""
            if len(self.ranking.search.space["cutoff"]) > 1:
                hint = "; name the measure and its cutoff"
            yield "chance", f"random numbers {fit}{hint}"
        if self.is_weak or self.case.by_mean:
            wanted = "values by topic, of more topics or of a second run, or another decimal"
            yield "to decide", wanted
        elif not self.ranking.is_found and self.is_near:
            yield from self.gaps()
            yield from self.causes()
        if self.range_of_ties is not None and not self.may_be_ties:
            yield "ties", self.range_of_ties.sentence(self.case.decimals)
        if states:
            yield from in_words(states)
        for condition in dict.fromkeys(tool.condition for tool in tools):
            metrics = "; ".join(tool.metric for tool in tools if tool.condition == condition)
            start = f"{condition}: " if condition else ""
            yield "computed so by", f"{start}{metrics}"

    def duplicates(self) -> Iterator[Finding]:
        """The topics that retrieve a document twice. Other commands refuse such runs."""
        repeated = np.flatnonzero(self.case.repeated).tolist()
        if repeated:
            topics = listed(self.case.judged.topics[number] for number in repeated)
            count = counted(len(repeated), "topic")
            text = f"{count} ({topics}): a document is retrieved twice, and its first row is used"
            yield "duplicates", f"{text}; evaluate refuses such a run"

    def left_out(self) -> Iterator[Finding]:
        """The topics with a value that the qrels lack, for which nothing can be computed, and the
        topics of the qrels without a value."""
        topics = self.case.left_out
        if topics:
            values = f"the values of {counted(len(topics), 'topic')}"
            yield "left out", f"{values} that the qrels lack ({listed(topics, 5)})"
        if self.case.by_mean:
            return
        judged_topics = np.array(self.case.judged.topics, dtype=object)
        without_value = judged_topics[np.isnan(self.case.values)].tolist()
        if without_value:
            of_all = f"{len(without_value)} of {counted(len(judged_topics), 'topic')} of the qrels"
            yield "no value", f"{of_all} have none ({listed(without_value, 5)})"

    def states(self) -> States:
        """The state and the values of each dimension, for definitions of one measure that give all
        values.

        A dimension is not exercised if all its values give the same here, and settled if the others
        do not. Gains that are solved for are open: tables that were not tried may fit. Measure
        strings have no dimensions of the order of a run, because only trec_eval's is tried. The
        measure is open if another family of measures fits."""
        chosen = self.ranking.chosen
        space = self.ranking.search.space
        measures: dict[str, str] = {}
        for definition in self.ranking.matches:
            measures.setdefault(family(definition.measure), definition.measure)
        state = OPEN if len(measures) > 1 else SETTLED
        states = {"measure": (state, tuple(measures.values()))}
        alike = [match for match in self.ranking.matches if match.measure == chosen.measure]
        is_string = isinstance(space["measure"][chosen.measure].apply, Measure)
        kind = WEIGHTED if chosen.discount else OTHER
        for dimension in DIMENSIONS[1:]:
            name = dimension.name
            texts = [getattr(definition, name) for definition in alike]
            values = tuple(dict.fromkeys(filter(None, texts)))
            possible = {text for text, way in space[name].items() if kind in way.tried_for}
            if not values or len(possible) < 2:
                continue
            if is_string and name in RunOrder._fields:
                continue
            state = OPEN
            if possible <= {*values} and len(self.ranking.groups) == 1:
                state = UNREACHED
            elif len(values) == 1 and "solved" not in values[0]:
                state = SETTLED
            states[name] = state, values
        return states

    def gaps(self) -> Iterator[Finding]:
        """The topic that differs most, and the gaps. The definition may leave topics out."""
        case = self.case
        is_left_out = self.differs & np.isnan(self.values)
        is_apart = self.differs & ~is_left_out
        if is_apart.any():
            gaps = np.where(is_apart, np.abs(self.values - case.values), 0.0)
            largest = int(gaps.argmax())
            computed = f"computed {self.values[largest]:.{case.decimals}f}"
            yield "differs", self._differing(largest, computed, int(is_apart.sum()))
            mean_gap = gaps[case.known].mean()
            mean = f"{mean_gap:.{case.decimals + 1}f}"
            text = f"largest {gaps[largest]:.{case.decimals}f}, mean over all topics {mean}"
            yield "gap", text
        if is_left_out.any():
            first = int(is_left_out.argmax())
            count = int(is_left_out.sum())
            yield "left out", self._differing(first, "without a value by this definition", count)

    def _differing(self, topic: int, computed: str, count: int) -> str:
        number = f"{self.case.values[topic]:.{self.case.decimals}f}"
        text = f"topic {self.case.judged.topics[topic]}: given {number}, {computed}"
        if count == 1:
            return text
        return f"{text}, and {counted(count - 1, 'other topic')}"

    def causes(self) -> Iterator[Finding]:
        """Properties that are common among the topics that differ, and rare among those that
        agree."""
        agrees = ~np.isnan(self.case.values) & ~self.differs
        if agrees.sum() < LEAST_AGREEING:
            return
        differing = int(self.differs.sum())
        for cause, has_property in self._properties().items():
            here = int((has_property & self.differs).sum())
            there = int((has_property & agrees).sum())
            is_common = here >= max(1, COMMON * differing)
            if is_common and there <= SELDOM * agrees.sum():
                of_differing = f"{here} of {differing} that differ"
                of_agreeing = f"{there} of {agrees.sum()} that agree"
                yield "perhaps because", f"{cause}: {of_differing}, {of_agreeing}"

    def _properties(self) -> dict[str, np.ndarray]:
        """Properties of topics that may cause other values, and which topics have them."""
        ranks = self.case.rows.ranks
        cutoff = np.inf
        cutoffs = self.ranking.search.space["cutoff"]
        if self.ranking.chosen.cutoff in cutoffs:
            cutoff = cutoffs[self.ranking.chosen.cutoff].apply
        retrieved = ranks.retrieved
        relevant = self.case.judged.relevant(LINEAR)
        within = ranks.topic[ranks.rank <= cutoff]
        judged_within = np.bincount(within, minlength=retrieved.size)
        is_cut = np.isfinite(cutoff)
        of_ties = self.differs & self._is_reached_by_ties()
        has_unjudged = judged_within < np.minimum(retrieved, cutoff)
        is_short = (retrieved > 0) & (retrieved < cutoff) & is_cut
        has_few_relevant = (relevant > 0) & (relevant < cutoff) & is_cut
        return {
            "the value is between those of the worst and the best order of tied documents": of_ties,
            "an unjudged document within the cutoff": has_unjudged,
            "fewer documents retrieved than the cutoff": is_short,
            "fewer relevant documents than the cutoff": has_few_relevant,
            "no relevant document": relevant == 0,
            "missing from the run": retrieved == 0,
            "a document retrieved twice, whose first row counts": self.case.repeated,
        }

    def _is_reached_by_ties(self) -> np.ndarray:
        """Whether some order of tied documents may give the value of a topic."""
        case = self.case
        chosen = self.ranking.chosen
        space = self.ranking.search.space
        sorted_by_score = chosen._replace(precision=chosen.precision or DOUBLE.text)
        lowest = values_of(space, case, sorted_by_score._replace(order=WORST.text))
        highest = values_of(space, case, sorted_by_score._replace(order=BEST.text))
        nearest = np.clip(case.values, lowest, highest)
        return np.asarray(np.abs(case.values - nearest) <= case.tolerance)


def in_words(states: States) -> Iterator[Finding]:
    """What is settled, open and not exercised."""
    by_state: dict[str, dict[str, tuple[str, ...]]] = {SETTLED: {}, OPEN: {}, UNREACHED: {}}
    for name, (state, values) in states.items():
        by_state[state][LABELS[name]] = values
    settled = by_state[SETTLED].items()
    texts = [f"{label} {values[0]}" for label, values in settled if values != (ROUNDED.text,)]
    yield SETTLED, ", ".join(texts)
    for label, values in by_state[OPEN].items():
        yield OPEN, f"{label}: {' or '.join(values)}"
    if by_state[UNREACHED]:
        yield UNREACHED, ", ".join(by_state[UNREACHED])
