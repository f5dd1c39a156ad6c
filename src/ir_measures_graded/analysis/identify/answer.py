"""The answer of a search: what the values are, what is settled and open, which tools compute so, or what is
nearest and why it may differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import LINEAR
from ...core.registry.notation import parse_measure
from ...errors import GradedError
from ...output import plots
from ...output.formats import counted, listed
from ...output.result import Result
from ...output.tables import Table
from . import definitions as by
from .cases import Case
from .definitions import BASE, LABELS, Definition, Tool
from .formulas import Space, values_at, values_of
from .search import SAME, Found

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTLED, OPEN, UNREACHED = "settled", "open", "not exercised"
LISTED = 5  # the number of tools, definitions and topics that are listed
CHANCE = 0.05  # the usual level of tests: what happens by chance with a higher probability is no evidence
AGREEING = 5  # a cause needs so many topics that agree
# A cause is a property of at least this share of the topics that differ, and at most this of the others.
COMMON, SELDOM = 0.5, 0.2
TRIED = 8  # the number of measure strings that are compared with what was found
Dimensions = dict[str, tuple[str, tuple[str, ...]]]  # the state and the values of each dimension


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """The definitions that give the values, and the dimensions that tell them apart.

    - `topics`, `given`, `computed`: the topics of the first run with a value, the values given, and those of
      `definition`. For a mean, all topics; `given` is NaN.
    - `definitions`: those that give every value, the likeliest first: few departures from what a tool, this
      package or ir-measures computes, then what a tool computes. Those of a mean depart in 2 dimensions at
      most. `classes` counts those that differ on these runs, in decimals that the values do not show.
    - `nearest`: the nearest definition if none gives every value, else None.
    - `dimensions`: for each dimension its state (``settled``, ``open``, ``not exercised``) and its values.
    - `tools`: the tools known to compute the definition, with the version that was run.
    - `measure`: the nearest measure string of this package or ir-measures; None if no definition is found.
    - `equal`: whether it gives the values, and chance does not explain it.
    - `chance`: a bound of the probability that a definition as usual as the first gives the values by chance:
      the number of such definitions that differ here, times the probability that one gives random values.
    - `means`, `differ`: the means given and computed, and the number of topics that differ.
    - `findings`: the answer, line by line: what it is about, and what was found.
    - `summary`: the answer in a sentence or two.
    """

    topics: tuple[str, ...]
    given: np.ndarray
    computed: np.ndarray
    definitions: tuple[Definition, ...]
    classes: int
    nearest: Definition | None
    dimensions: Dimensions
    tools: tuple[str, ...]
    measure: str | None
    equal: bool
    chance: float
    means: tuple[float, float]
    differ: int
    findings: tuple[tuple[str, str], ...]
    summary: str = ""

    @property
    def definition(self) -> Definition | None:
        """The likeliest definition that gives every value, else the nearest."""
        return self.definitions[0] if self.definitions else self.nearest

    def answer(self) -> list[str]:
        """The summary."""
        return [self.summary]

    def tables(self) -> list[Table]:
        """One row per finding."""
        return [Table(("finding", "what"), self.findings, head=False)]

    def data(self) -> Table:
        """One row per dimension and value, per tool, and for the measure of this package; if no definition
        is found, a row with the finding ``none``, the means given and computed, and how many differ."""
        states = self.dimensions.items()
        rows: list[tuple[Any, ...]] = [
            (state, LABELS[name], value) for name, (state, values) in states for value in values
        ]
        rows += [("computed so by", "tool", tool) for tool in self.tools]
        if self.measure is None:
            what = described(self.definition) if self.definition else ""
            rows += [("none", "nearest", what, *self.means, self.differ)]
        else:
            rows += [("equal here" if self.equal else "nearest here", "measure string", self.measure)]
        columns = ("finding", "dimension", "value", "given", "computed", "differ")
        return Table(columns, [(*row, *[None] * (6 - len(row))) for row in rows])

    def topic_table(self) -> Table:
        """One row per topic of the first run: the value given, the computed one, and their difference."""
        arrays = {"given": self.given, "computed": self.computed, "difference": self.computed - self.given}
        return Table.of_arrays({"topic": self.topics}, arrays)

    @plots.styled
    def figure(self) -> Figure:
        """Draw the given values against the computed ones, one dot per topic. Needs the extra ``plot``.

        Raises `GradedError` for a mean.
        """
        if np.isnan(self.given).all():
            raise GradedError("a mean has no figure; give values by topic")
        figure = plots.new_figure(5.0, 5.0)
        axes = figure.subplots()
        axes.axline((0, 0), slope=1, color=plots.GREY, linewidth=0.8)
        axes.plot(self.computed, self.given, "o", color=plots.COLOURS[0])
        axes.set(xlabel="computed", ylabel="given")
        axes.set_title(plots.title(described(self.definition) if self.definition else "", width=60))
        return figure


def described(each: Definition) -> str:
    """A definition in words, without what is usual.

    >>> described(Definition("nDCG", "10", "level")), described(Definition("nDCG", "10", "2^level − 1"))
    ('nDCG@10', 'nDCG@10 (gain: 2^level − 1)')
    """
    at = ", cutoff " if " " in each.measure else "@"
    cutoff = "" if each.cutoff in ("", by.ALL_RANKS) else f"{at}{each.cutoff}"
    usual = {"", "level", "log2(r + 1)", by.FIRST_K, by.ZERO, *BASE, by.QRELS_TOPICS, by.ROUNDED}
    usual |= set() if cutoff else {by.UNCUT}
    fields = list(each._asdict().items())[2:]
    rest = "; ".join(f"{LABELS[name]}: {value}" for name, value in fields if value not in usual)
    return f"{each.measure}{cutoff}{f' ({rest})' * bool(rest)}"


class Answer:
    """The conclusions from what was `found`.

    `matches` are the definitions that fit, or else the nearest, the likeliest first, and `costs` are their
    departures from tools. `groups` has the numbers of those with the same values on all runs. A mean
    that only rare definitions have is not found, and values that are all equal identify nothing.
    """

    def __init__(self, space: Space, cases: Sequence[Case], found: Found):
        self.space, self.cases, self.found, self.case = space, cases, found, cases[0]
        self.by_mean, self.here = self.case.mean is not None, [tool.known == by.HERE for tool in by.tools()]
        self.constant = not self.by_mean and self.case.coincidence == 1
        self.places = [{value: place for place, value in enumerate(of)} for of in space.tried.values()]
        prints = {each: round(found.kept[each][1], 8) for each in found.kept}
        self.different = len({prints[each] for each in found.fitting})
        self.is_found = bool(found.fitting) and not (self.by_mean and by.costs(found.fitting).min())
        candidates = found.fitting if self.is_found else found.nearest(1) or found.fitting
        costs = by.costs(candidates)
        order = sorted(range(len(candidates)), key=lambda n: self.likelihood(candidates[n], costs[n]))
        self.matches, self.costs = [candidates[number] for number in order], costs[order]
        groups = defaultdict[float, list[int]](list)
        for number, each in enumerate(self.matches):
            groups[prints[each]].append(number)
        self.groups, self.chosen = [*groups.values()], self.matches[0]
        self.values = values_of(space, self.case, self.chosen)
        fits = self.case.fits(self.values, self.case.values, self.chosen.shown)
        self.differs = ~np.isnan(self.case.values) & ~fits
        different = found.different(int(self.costs[0].min()))
        self.chance = min(1.0, different * float(np.prod([case.coincidence for case in cases])))

    def likelihood(self, each: Definition, cost: np.ndarray) -> tuple[int, ...]:
        """The key that sorts definitions: first those of tools and the usual ones."""
        places = [of.get(value, 0) for of, value in zip(self.places, each)]
        unusual = each.measure.count("=") + (each.cutoff not in ("10", by.ALL_RANKS))
        tools = int(np.count_nonzero(cost[~np.array(self.here)] == 0))
        unusual += sum(place > 0 for place in places[2:])
        return int(cost.min()), not tools, unusual, -tools, *places

    def tools(self, numbers: Sequence[int]) -> dict[str, str]:
        """The tools that compute one of these matches, with the metric, and their names."""
        rows = np.argwhere((self.costs[numbers] == 0).T & ~np.array(self.here)[:, None])
        pairs = [(by.tools()[row], self.matches[numbers[number]].cutoff) for row, number in rows.tolist()]
        return {tool.called(cutoff): tool.name for tool, cutoff in pairs}

    def named(self, numbers: Sequence[int]) -> str:
        """Some matches with the same values: the measure, and who computes it."""
        names = listed(dict.fromkeys(self.tools(numbers).values()))
        measure, _, _, equal = self.ours(numbers)
        name = str(measure) if equal else described(self.matches[numbers[0]])
        return f"{name}, as {names} compute{'' if ', ' in names else 's'} it" if names else name

    def ours(self, numbers: Sequence[int]) -> tuple[Measure | None, Definition, Tool, bool]:
        """The measure string nearest to some matches with the same values, the one that it is near to, its
        row in the table, and whether it gives the same values."""
        costs = np.where(self.here, self.costs[numbers], by.FAR)
        found = []
        for place in np.argsort(costs, axis=None, kind="stable")[:TRIED].tolist():
            member, row = divmod(place, costs.shape[1])
            each, tool = self.matches[numbers[member]], by.tools()[row]
            measure = self.string(each, tool) if costs[member, row] < by.FAR else None
            if measure is not None:
                apart = self.of_measure(measure) - values_of(self.space, self.case, each)
                found.append((measure, each, tool, bool(np.nan_to_num(np.abs(apart)).max() < SAME)))
        return next((each for each in found if each[3]), (found or [(None, each, tool, False)])[0])

    def string(self, each: Definition, tool: Tool) -> Measure | None:
        """The measure string of a row in the table that is nearest to a definition."""
        levels = np.unique(self.case.judged.all_levels)
        gains = self.space.tried["gain"].get(each.gain, np.asarray)(levels[levels > 0])
        table = ",".join(f"{level:g}:{gain:g}" for level, gain in zip(levels[levels > 0], gains))
        metric = tool.metric.replace("@{k}", "").replace("{gains}", table) or each.measure.partition(" ")[0]
        measure = parse_measure(metric)
        if each.documents == by.JUDGED_ONLY and "judged_only" in measure.SUPPORTED_PARAMS:
            measure = type(measure)(**measure.params, judged_only=True)
        return by.at_cutoff(measure, each.cutoff)

    def of_measure(self, measure: Measure) -> np.ndarray:
        """The values of a measure, as they are shown."""
        return values_at(measure, self.case.ranks) * (100 if self.chosen.shown == by.PERCENT else 1)

    def identification(self) -> Identification:
        """The result."""
        case, settled = self.case, self.is_found and not self.constant
        measure, each, tool, equal = self.ours(self.groups[0])
        dimensions = self.dimensions() if settled else {}
        numbers = self.groups[0] if self.by_mean else [*range(len(self.matches))]
        tools = [*self.tools(numbers)] if settled else []
        summary, findings = self.told()
        if settled and not (self.by_mean and len(self.groups) > 1):
            findings += states(dimensions)
        if tools:
            shown = tools[: 2 * LISTED] + ["…"] * (len(tools) > 2 * LISTED)
            findings.append(("computed so by", "; ".join(shown)))
        if settled and measure is not None and not equal:
            findings.append(("here", self.difference(measure, each, tool)))
        tried = f"{self.found.tried:,} definitions; {self.found.count:,} fit"
        findings.append(("tried", tried + f", {self.different:,} of them different" * (self.different > 1)))
        return Identification(
            topics=tuple(case.judged.topics[number] for number in case.known),
            given=case.values[case.known],
            computed=self.values[case.known],
            definitions=tuple(self.matches) if self.is_found else (),
            classes=len(self.groups) * self.is_found,
            nearest=None if self.is_found else self.chosen,
            dimensions=dimensions,
            tools=tuple(tools),
            measure=str(measure) if settled and measure is not None else None,
            equal=settled and equal and self.chance <= CHANCE,
            chance=self.chance,
            means=(float(np.nanmean(case.values)) if case.mean is None else case.mean, self.mean()),
            differ=int(self.differs.sum()) or int(not self.is_found),
            findings=tuple(findings),
            summary=summary,
        )

    def told(self) -> tuple[str, list[tuple[str, str]]]:
        """The answer in a sentence or two, and the findings that belong to it."""
        name, case, size = self.named(self.groups[0]), self.case, self.case.known.size
        if self.by_mean:
            return self.told_of_mean(name)
        count = sum(each.known.size for each in self.cases)
        values, those = (f"The {count} values are", "those") if count > 1 else ("The value is", "that")
        if self.constant:
            return f"{values} {case.values[case.known][0]:g}, which identifies nothing.", []
        if self.is_found and self.chance > CHANCE:
            return f"{values} perhaps {those} of {name}; but so little evidence fits many definitions.", []
        if self.is_found:
            return f"{values} {those} of {name}.", []
        agree, none = (
            size - int(self.differs.sum()),
            f"No definition gives {f'all {count} values' if count > 1 else 'the value'}",
        )
        if agree == size:
            return f"{none}: those of {case.name} are {name}, those of the other runs are not.", []
        if 2 * agree < size:
            hint = "check that they are of this run and these qrels"
            return f"{none}, and none is near: the nearest agrees in {agree} of {size}; {hint}.", []
        gaps, places = np.nan_to_num(np.abs(self.values - case.values)), case.decimals
        numbers = sorted(np.flatnonzero(self.differs).tolist(), key=lambda number: -gaps[number])
        findings = []
        for number in numbers[:LISTED]:
            given, computed = (f"{each[number]:.{places}f}" for each in (case.values, self.values))
            text = f"topic {case.judged.topics[number]}: given {given}, computed {computed}"
            findings.append(("differs", text))
        if others := numbers[LISTED:]:
            findings.append(("differs", f"and {counted(len(others), 'other topic')}"))
        mean = f"{gaps[case.known].mean():.{places + 1}f}"
        findings.append(("gap", f"largest {gaps.max():.{places}f}, mean over all topics {mean}"))
        return f"{none}. The nearest is {name}; it gives {agree} of them.", [*findings, *self.causes()]

    def told_of_mean(self, name: str) -> tuple[str, list[tuple[str, str]]]:
        """What a mean may be, the likeliest first."""
        given = " and ".join(f"{case.mean:.{case.decimals}f}" for case in self.cases)
        one = len(self.cases) == 1
        given, that = (f"The mean {given} is", "that") if one else (f"The means {given} are", "those")
        usual = [numbers for numbers in self.groups if not self.costs[numbers].min()]
        rarer = self.different - len(usual) * self.is_found
        fit = f"{counted(rarer, 'rarer definition')} fit{'s' * (rarer == 1)}"
        decide = ("to decide", "values by topic, a second run, or another decimal")
        if not self.is_found:
            none = f"{given} {that} of no tool's definition{f'; {fit}, as chance has it' * (rarer > 0)}."
            return f"{none} The nearest is {name}, with {self.mean():.{self.case.decimals}f}.", [decide]
        fits = [("fits", self.named(numbers)) for numbers in usual[:LISTED]] * (len(usual) > 1)
        hint = "; name the measure and its cutoff" * (len(self.space.tried["cutoff"]) > 1)
        usual_mean = "a random mean from 0 to 1 fits a definition as usual with probability"
        chance = f"{usual_mean} {self.chance:.3f} at most{hint}"
        sentence = f"{given} {'perhaps ' * (self.chance > CHANCE)}{that} of {name}."
        return sentence + f" {fit} as well." * (rarer > 0), [*fits, ("chance", chance), decide]

    def mean(self) -> float:
        """The mean of the chosen definition."""
        if not self.by_mean:
            return float(np.nanmean(self.values[self.case.known]))
        members = self.case.members[list(by.AVERAGED).index(self.chosen.averaged)]
        return float(np.nanmean(np.where(members > 0, self.values, np.nan)))

    def dimensions(self) -> Dimensions:
        """The state and the values of each dimension, for definitions of one measure that give all values.

        A dimension is not exercised if all its values give the same here, and settled if the others do not.
        The measure is open if another family of measures fits.
        """
        families = {by.family(each.measure): each.measure for each in reversed(self.matches)}
        measures = tuple(dict.fromkeys((self.chosen.measure, *reversed(families.values()))))
        family = [each for each in self.matches if each.measure == self.chosen.measure]
        found: Dimensions = {"measure": (OPEN if len(families) > 1 else SETTLED, measures)}
        for name, tried in list(self.space.tried.items())[1:]:
            values = tuple(dict.fromkeys(value for each in family if (value := getattr(each, name))))
            possible = {*tried} - by.impossible(self.chosen)
            if values and len(possible) > 1:
                state = SETTLED if len(values) == 1 else OPEN
                found[name] = (UNREACHED if possible <= {*values} else state), values
        return found

    def difference(self, measure: Measure, each: Definition, tool: Tool) -> str:
        """How our measure differs from the definition."""
        differ = [
            f"{LABELS[name]} {tool.dimensions[name]}"
            for name in Definition._fields[1:]
            if tool.departs(name, getattr(each, name)) and name in tool.dimensions
        ]
        ours = self.of_measure(measure)
        apart = counted(int((np.abs(ours - self.values) > self.case.tolerance).sum()), "topic")
        means = f"mean {ours.mean():.4f}, not {np.nanmean(self.values):.4f}"
        return f"{measure} is another: {'; '.join([*differ, f'{apart} with other values', means])}"

    def causes(self) -> Iterator[tuple[str, str]]:
        """Properties that are common among the topics that differ, and rare among those that agree."""
        case, chosen, differs = self.case, self.chosen, self.differs
        judged, ranks, near = case.judged, case.ranks, case.tolerance
        k = float(chosen.cutoff) if chosen.cutoff not in ("", by.ALL_RANKS) else np.inf
        retrieved, relevant = ranks.retrieved, judged.relevant(LINEAR)
        judged_within = np.bincount(ranks.topic[ranks.rank <= k], minlength=retrieved.size)
        reordered = np.zeros_like(differs)
        if chosen.precision and chosen.discount:
            extremes = [chosen._replace(order=order) for order in (by.WORST, by.BEST)]
            lower, upper = (values_of(self.space, case, extreme) for extreme in extremes)
            reordered = differs & (case.values >= lower - near) & (case.values <= upper + near)
        numbers = np.arange(retrieved.size)
        properties = {
            "another order of tied documents gives the value, as an unstable sort may": reordered,
            "an unjudged document within the cutoff": judged_within < np.minimum(retrieved, k),
            "fewer documents retrieved than the cutoff": (retrieved > 0) & (retrieved < k) & np.isfinite(k),
            "fewer relevant documents than the cutoff": (relevant > 0) & (relevant < k) & np.isfinite(k),
            "no relevant document": relevant == 0,
            "missing from the run": retrieved == 0,
            "a document with a negative level": np.isin(numbers, judged.topic[judged.level < 0]),
            "a document retrieved twice, whose first row counts": np.isin(judged.topics, case.repeated),
        }
        agrees = ~np.isnan(case.values) & ~differs
        for cause, has in properties.items() if agrees.sum() >= AGREEING else ():
            here, there = (has & differs).sum(), (has & agrees).sum()
            if here >= max(1, COMMON * differs.sum()) and there <= SELDOM * agrees.sum():
                counts = f"{here} of {differs.sum()} that differ, {there} of {agrees.sum()} that agree"
                yield "perhaps because", f"{cause}: {counts}"


def states(dimensions: Dimensions) -> Iterator[tuple[str, str]]:
    """What is settled, open and not exercised."""
    named = [(state, LABELS[name], values) for name, (state, values) in dimensions.items()]
    settled = [f"{label} {values[0]}" for state, label, values in named if state == SETTLED]
    yield SETTLED, ", ".join(each for each in settled if not each.endswith(by.ROUNDED))
    yield from ((OPEN, f"{label}: {' or '.join(values)}") for state, label, values in named if state == OPEN)
    if unreached := [label for state, label, _ in named if state == UNREACHED]:
        yield UNREACHED, ", ".join(unreached)
