"""The answer of a search: what the values are, what is settled and open, which tools compute so, or what is
nearest and why it may differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import LINEAR
from ...core.registry.notation import parse_measure
from ...output.formats import counted, listed
from ...output.result import Result
from ...output.tables import Table
from . import definitions as by
from .cases import Case
from .definitions import BASE, LABELS, Definition
from .formulas import Space, values_at, values_of
from .search import MOST, SAME, Found

SETTLED, OPEN, UNREACHED = "settled", "open", "not exercised"
LISTED = 5  # the number of tools, definitions and topics that are listed
CHANCE = 0.05  # the usual level of tests: what happens by chance with a higher probability is no evidence
AGREEING = 5  # a cause needs so many topics that agree
# A cause is a property of at least this share of the topics that differ, and at most this of the others.
COMMON, SELDOM = 0.5, 0.2
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
        named = [(state, LABELS[name], values) for name, (state, values) in self.dimensions.items()]
        rows = [(*head, value) for *head, values in named for value in values]
        rows += [("computed so by", "tool", tool) for tool in self.tools]
        if self.measure is not None:
            rows += [("equal here" if self.equal else "nearest here", "measure string", self.measure)]
        elif self.definition:
            rows += [("none", "nearest", described(self.definition))]
        columns = ("finding", "dimension", "value", "equal", "given", "computed", "differ")
        return Table(columns, [(*row, self.equal, *self.means, self.differ) for row in rows])

    def topic_table(self) -> Table:
        """One row per topic of the first run: the value given, the computed one, and their difference."""
        arrays = {"given": self.given, "computed": self.computed, "difference": self.computed - self.given}
        return Table.of_arrays({"topic": self.topics}, arrays)


def described(each: Definition, name: str = "") -> str:
    """A definition in words, without what is usual; `name` is the measure string that is equal.

    >>> described(Definition("nDCG", "10", "level")), described(Definition("nDCG", "10", "2^level − 1"))
    ('nDCG@10', 'nDCG@10 (gain: 2^level − 1)')
    """
    at = ", cutoff " if " " in each.measure else "@"
    cutoff = "" if each.cutoff in ("", by.ALL_RANKS) else f"{at}{each.cutoff}"
    usual = {"", "level", "log2(r + 1)", by.FIRST_K, by.ZERO, *BASE, by.QRELS_TOPICS, by.ROUNDED}
    usual |= set() if cutoff else {by.UNCUT}
    fields = list(each._asdict().items())[9 if name else 2 :]
    rest = "; ".join(f"{LABELS[field]}: {value}" for field, value in fields if value not in usual)
    return f"{name or each.measure + cutoff}{f' ({rest})' * bool(rest)}"


class Answer:
    """The conclusions from what was `found`.

    `matches` are the definitions that fit, or else the nearest, the likeliest first, and `costs` are their
    departures from tools. `groups` has the numbers of those with the same values on all runs. A mean
    that only rare definitions have is not found, and values that are all equal identify nothing.
    """

    def __init__(self, space: Space, cases: Sequence[Case], found: Found):
        self.space, self.cases, self.found, self.case = space, cases, found, cases[0]
        self.by_mean = self.case.mean is not None
        self.here = np.array([tool["known"] == by.HERE for tool in by.tools()])
        self.constant = not self.by_mean and self.case.coincidence == 1
        self.places = [{value: place for place, value in enumerate(of)} for of in space.values()]
        prints = {each: round(found.kept[each][1], 8) for each in found.kept}
        self.is_found = bool(found.fitting) and not (self.by_mean and by.costs_of(found.fitting).min())
        candidates = found.fitting if self.is_found else found.nearest(1) or found.fitting
        costs = by.costs_of(candidates)
        order = self.likeliest(candidates, costs)
        self.matches, self.costs = [candidates[number] for number in order], costs[order]
        groups = defaultdict[float, list[int]](list)
        for number, each in enumerate(self.matches):
            groups[prints[each]].append(number)
        self.groups, self.chosen = [*groups.values()], self.matches[0]
        self.different = len({prints[each] for each in found.fitting})
        self.values = values_of(space, self.case, self.chosen)
        apart = self.case.apart(self.values, self.case.values, self.chosen.shown)
        self.differs = ~np.isnan(self.case.values) & (apart > 0)
        usual = found.different(int(self.costs[0].min()))
        self.chance = min(1.0, usual * float(np.prod([case.coincidence for case in cases])))

    def likeliest(self, candidates: Sequence[Definition], costs: np.ndarray) -> list[int]:
        """The order of definitions, those of tools and the usual ones first."""
        columns = [*zip(*candidates)]
        places = np.array([[of.get(v, 0) for v in column] for of, column in zip(self.places, columns)])
        tools = np.count_nonzero(costs[:, ~self.here] == 0, axis=1)
        unusual = np.array([measure.count("=") for measure in columns[0]]) + (places[2:] > 0).sum(axis=0)
        unusual += ~np.isin(columns[1], ("", "10", by.ALL_RANKS))
        return np.lexsort((*places[::-1], -tools, unusual, tools == 0, costs.min(axis=1))).tolist()

    def tools(self, numbers: Sequence[int]) -> dict[str, str]:
        """The tools that compute one of these matches, with the metric, and their names."""
        found = {}
        for row, number in np.argwhere((self.costs[numbers] == 0).T & ~self.here[:, None]).tolist():
            tool, cutoff = by.tools()[row], self.matches[numbers[number]].cutoff.title()
            version = f" ({tool['version']})" if tool["version"] else ""
            found[f"{tool['tool']} {tool['metric'].replace('{k}', cutoff)}{version}"] = tool["tool"]
        return found

    def named(self, numbers: Sequence[int]) -> str:
        """Some matches with the same values: the measure, and who computes it."""
        names = listed(dict.fromkeys(self.tools(numbers).values()))
        measure, _, equal = self.ours(numbers)
        name = described(self.matches[numbers[0]], str(measure) if equal else "")
        return f"{name}, as {names} compute{'' if ', ' in names else 's'} it" if names else name

    def ours(self, numbers: Sequence[int]) -> tuple[Measure | None, str, bool]:
        """The measure string nearest to some matches with the same values, how it differs in words, and
        whether it gives the same values."""
        costs = np.where(self.here, self.costs[numbers], by.FAR)
        member, row = divmod(int(costs.argmin()), costs.shape[1])
        each, tool = self.matches[numbers[member]], by.tools()[row]
        measure = self.string(each, tool) if costs[member, row] < by.FAR else None
        if measure is None:
            return None, "", False
        ours = values_at(measure, self.case.documents.ranks) * (100 if each.shown == by.PERCENT else 1)
        apart = np.nan_to_num(np.abs(ours - values_of(self.space, self.case, each)))
        dimensions = [name for name, value in zip(each._fields, each) if by.departs(tool, name, value)]
        differ = [f"{LABELS[name]} {tool[name]}" for name in dimensions if tool[name] and name != "measure"]
        differ += [counted(int((apart > self.case.tolerance).sum()), "topic") + " with other values"]
        is_plain = each.averaged in ("", by.QRELS_TOPICS) and not each.shown.startswith("each")
        differ += [f"mean over the qrels' topics {ours.mean():.4f}, not {self.mean():.4f}"]
        return measure, f"{measure} is another: {'; '.join(differ)}", is_plain and bool(apart.max() < SAME)

    def string(self, each: Definition, tool: Mapping[str, str]) -> Measure | None:
        """The measure string of a row in the table that is nearest to a definition."""
        levels = np.unique(np.fmax(self.case.judged.all_levels, 0))[1:]
        gains = self.space["gain"].get(each.gain, np.asarray)(levels)
        table = ",".join(f"{level:g}:{gain:g}" for level, gain in zip(levels, gains))
        metric = tool["metric"].replace("@{k}", "").replace("{gains}", table)
        measure = parse_measure(metric or each.measure.partition(" ")[0])
        if each.documents == by.JUDGED_ONLY and "judged_only" in measure.SUPPORTED_PARAMS:
            measure = type(measure)(**measure.params, judged_only=True)
        return by.at_cutoff(measure, each.cutoff)

    def identification(self) -> Identification:
        """The result."""
        case, settled = self.case, self.is_found and not self.constant
        measure, difference, equal = self.ours(self.groups[0])
        dimensions = self.dimensions() if settled else {}
        tools = [*self.tools(self.groups[0])] if settled else []
        summary, findings = self.told()
        if settled and len(self.groups) == 1:
            findings += states(dimensions)
        if tools:
            shown = tools[: 2 * LISTED] + ["…"] * (len(tools) > 2 * LISTED)
            findings.append(("computed so by", "; ".join(shown)))
        if settled and measure is not None and not equal:
            findings.append(("here", difference))
        count = len(self.found.fitting)
        tried = f"{self.found.tried:,} definitions; {count:,}{' or more' * (count >= MOST)} fit"
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
        name, case, count = self.named(self.groups[0]), self.case, sum(each.given.size for each in self.cases)
        are, those, s = ("are", "those", "s") if count > 1 else ("is", "that", "")
        means = " and ".join(f"{each.mean:.{each.decimals}f}" for each in self.cases if self.by_mean)
        noun = f"mean{s} {means}" if self.by_mean else f"{count} values" if s else "value"
        if self.constant:
            return f"The {noun} {are} {case.given[0]:g}, which identifies nothing.", []
        more = "values by topic" if self.by_mean else "more topics"
        decide = ("to decide", f"{more}, a second run, or another decimal")
        if self.is_found:
            usual = [group for group in self.groups if not self.costs[group].min()]
            findings = [("fits", self.named(group)) for group in usual[:LISTED]] * (len(usual) > 1)
            is_weak, rarer = self.chance > CHANCE, self.different - max(len(usual), 1)
            if self.by_mean or is_weak:
                hint = "; name the measure and its cutoff" * (len(self.space["cutoff"]) > 1)
                bound = f"random numbers fit a usual definition with probability {self.chance:.3f} at most"
                findings += [("chance", bound + hint), decide]
            rest = f" {counted(rarer, 'rarer definition')} fit{'s' * (rarer == 1)} as well." * (rarer > 0)
            return f"The {noun} {are} {'perhaps ' * is_weak}{those} of {name}.{rest}", findings
        none = f"No definition gives the {noun}"
        if rare := self.different:
            do = f"{counted(rare, 'rare definition')} do{'es' * (rare == 1)}, perhaps by chance"
            none = f"No usual definition gives the {noun}; {do}"
        if self.by_mean:
            return f"{none}. The nearest is {name}, with {self.mean():.{case.decimals}f}.", [decide]
        size, agree = case.known.size, case.known.size - int(self.differs.sum())
        if 2 * agree < size:
            hint = "check that they are of this run and these qrels"
            return f"{none}, and none is near: the nearest agrees in {agree} of {size}; {hint}.", []
        gives = f"{agree} of {size}" + f" for {case.name}" * (len(self.cases) > 1)
        return f"{none}. The nearest is {name}; it gives {gives}.", [*self.gaps(), *self.causes()]

    def mean(self) -> float:
        """The mean of the chosen definition."""
        known = ~np.isnan(self.case.values)
        if self.by_mean:
            known = self.case.members[self.chosen.averaged][:-1] > 0
        return float(np.nanmean(self.values[known]))

    def dimensions(self) -> Dimensions:
        """The state and the values of each dimension, for definitions of one measure that give all values.

        A dimension is not exercised if all its values give the same here, and settled if the others do not.
        The measure is open if another family of measures fits.
        """
        families = {by.family(each.measure): each.measure for each in reversed(self.matches)}
        measures = tuple(dict.fromkeys((self.chosen.measure, *reversed(families.values()))))
        family = [each for each in self.matches if each.measure == self.chosen.measure]
        found: Dimensions = {"measure": (OPEN if len(families) > 1 else SETTLED, measures)}
        for name, tried in list(self.space.items())[1:]:
            values = tuple(dict.fromkeys(value for each in family if (value := getattr(each, name))))
            possible = {*tried} - by.UNTRIED[self.chosen.discount == ""]
            if values and len(possible) > 1:
                is_unreached = possible <= {*values} and len(self.groups) == 1
                state = UNREACHED if is_unreached else SETTLED if len(values) == 1 else OPEN
                found[name] = state, values
        return found

    def gaps(self) -> Iterator[tuple[str, str]]:
        """The topics that differ, those with the largest gaps first."""
        case, gaps = self.case, np.nan_to_num(np.abs(self.values - self.case.values))
        numbers = sorted(np.flatnonzero(self.differs).tolist(), key=lambda number: -gaps[number])
        for number in numbers[:LISTED]:
            given, computed = (f"{each[number]:.{case.decimals}f}" for each in (case.values, self.values))
            yield "differs", f"topic {case.judged.topics[number]}: given {given}, computed {computed}"
        if others := numbers[LISTED:]:
            yield "differs", f"and {counted(len(others), 'other topic')}"
        if numbers:
            largest, mean = gaps.max(), gaps[case.known].mean()
            yield (
                "gap",
                f"largest {largest:.{case.decimals}f}, mean over all topics {mean:.{case.decimals + 1}f}",
            )

    def causes(self) -> Iterator[tuple[str, str]]:
        """Properties that are common among the topics that differ, and rare among those that agree."""
        case, chosen, differs, ranks = self.case, self.chosen, self.differs, self.case.documents.ranks
        k = float(chosen.cutoff) if chosen.cutoff not in ("", by.ALL_RANKS) else np.inf
        retrieved, relevant = ranks.retrieved, case.judged.relevant(LINEAR)
        judged_within = np.bincount(ranks.topic[ranks.rank <= k], minlength=retrieved.size)
        low, high = (
            values_of(self.space, case, chosen._replace(order=each, precision=chosen.precision or "64-bit"))
            for each in (by.WORST, by.BEST)
        )
        reordered = differs & (np.abs(case.values - np.clip(case.values, low, high)) <= case.tolerance)
        properties = {
            "another order of tied documents gives the value, as an unstable sort may": reordered,
            "an unjudged document within the cutoff": judged_within < np.minimum(retrieved, k),
            "fewer documents retrieved than the cutoff": (retrieved > 0) & (retrieved < k) & np.isfinite(k),
            "fewer relevant documents than the cutoff": (relevant > 0) & (relevant < k) & np.isfinite(k),
            "no relevant document": relevant == 0,
            "missing from the run": retrieved == 0,
            "a negative level": np.bincount(case.judged.topic, case.judged.level < 0, retrieved.size) > 0,
            "a document retrieved twice, whose first row counts": np.isin(case.judged.topics, case.repeated),
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
