"""The answer of a search: what the values are, what is settled and open, which tools compute so, or what is
nearest and why it may differ."""

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
from .search import MOST, SAME, Found
from .values import Case, values_at, values_of

SETTLED, OPEN, UNREACHED = "settled", "open", "not exercised"
LISTED = 5  # the number of definitions that are listed
CHANCE = 0.05  # the usual level of tests: what happens by chance with a higher probability is no evidence
AGREEING = 5  # a cause needs so many topics that agree
# A cause is a property of at least this share of the topics that differ, and at most this of the others.
COMMON, SELDOM = 0.5, 0.2
Dimensions = dict[str, tuple[str, tuple[str, ...]]]  # the state and the values of each dimension


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """The definitions that give the values, and the dimensions that tell them apart.

    - `topics`, `given`, `computed`: the topics of all runs with a value, the values given, and those of
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
    - `means`, `differ`: the means given and computed (of several means the first), and the number of topics
      that differ.
    - `findings`: the answer, line by line: what it is about, and what was found.
    - `summary`: the answer in a sentence or two.
    """

    topics: tuple[str, ...]
    given: np.ndarray
    computed: np.ndarray
    definitions: tuple[by.Definition, ...]
    classes: int
    nearest: by.Definition | None
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
    def definition(self) -> by.Definition | None:
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
        named = [
            (state, by.LABELS[name], values) for name, (state, values) in self.dimensions.items()
        ]
        rows = [(*head, value) for *head, values in named for value in values]
        rows += [("computed so by", "tool", tool) for tool in self.tools]
        if self.measure is not None:
            rows += [
                ("equal here" if self.equal else "nearest here", "measure string", self.measure)
            ]
        elif self.definition:
            rows += [("none", "nearest", described(self.definition))]
        columns = ("finding", "dimension", "value", "equal", "given", "computed", "differ")
        return Table(columns, [(*row, self.equal, *self.means, self.differ) for row in rows])

    def topic_table(self) -> Table:
        """One row per topic: the value given, the computed one, and their difference."""
        arrays = {
            "given": self.given,
            "computed": self.computed,
            "difference": self.computed - self.given,
        }
        return Table.of_arrays({"topic": self.topics}, arrays)


def described(each: by.Definition, name: str = "") -> str:
    """A definition in words, without what is usual; `name` is the measure string that is equal.

    >>> described(by.Definition("nDCG", "10", "level")), described(by.Definition("nDCG", "10", "2^level − 1"))
    ('nDCG@10', 'nDCG@10 (gain: 2^level − 1)')
    """
    at = ", cutoff " if " " in each.measure else "@"
    cutoff = "" if each.cutoff in ("", by.ALL_RANKS) else f"{at}{each.cutoff}"
    usual = {"", "level", "log2(r + 1)", by.FIRST_K, "0", by.EVERY, by.QRELS_TOPICS, by.ROUNDED}
    usual |= {by.UNCUT} if not cutoff else set()
    usual |= {*by.BASE} if not cutoff or by.family(each.measure) != "RR" else set()
    fields = list(each._asdict().items())[9 if name else 2 :]
    rest = "; ".join(
        f"{by.LABELS[field]}: {value}" for field, value in fields if value not in usual
    )
    return f"{name or each.measure + cutoff}{f' ({rest})' if rest else ''}"


class Answer:
    """The conclusions from what was `found`.

    `matches` are the definitions that fit, or else the nearest, the likeliest first, and `costs` are their
    departures from tools. `groups` has the numbers of those with the same values on all runs, and `usual`
    those that some tool computes. A mean that only rare definitions have is not found, and values that are
    all equal identify nothing.
    """

    def __init__(self, case: Case, found: Found):
        self.found, self.space, self.case = found, found.space, case
        self.by_mean = case.means is not None
        self.here = np.array([tool["known"] == by.HERE for tool in by.TOOLS])
        self.is_found = bool(found.fitting) and not (self.by_mean and by.costs(found.fitting).min())
        candidates = found.fitting if self.is_found else found.nearest(1) or found.fitting
        costs = by.costs(candidates)
        order = self.likeliest(candidates, costs)
        self.matches, self.costs = [candidates[number] for number in order], costs[order]
        groups = defaultdict[float, list[int]](list)
        for number, each in enumerate(self.matches):
            groups[found.kept[each][1]].append(number)
        self.groups, self.chosen = [*groups.values()], self.matches[0]
        self.usual = [
            group for group in self.groups if self.is_found and not self.costs[group].min()
        ]
        self.different = len({found.kept[each][1] for each in found.fitting})
        self.values = values_of(found.space, case, self.chosen)
        apart = case.apart(self.values, case.values, self.chosen.shown)
        self.differs = ~np.isnan(case.values) & (apart > 0)
        self.agree = case.known.size - int(self.differs.sum())
        self.chance = min(1.0, found.different(int(self.costs[0].min())) * case.coincidence)
        self.is_weak = self.is_found and self.chance > CHANCE and case.coincidence < 1
        self.means = self.means_of(self.values, self.chosen.averaged)

    def likeliest(self, candidates: Sequence[by.Definition], costs: np.ndarray) -> list[int]:
        """The order of definitions, those of tools and the usual ones first."""
        columns, tables = zip(*candidates, strict=True), [[*of] for of in self.space.values()]
        places = [
            [of.index(v) if v in of else 0 for v in column]
            for of, column in zip(tables, columns, strict=True)
        ]
        tools = np.count_nonzero(costs[:, ~self.here] == 0, axis=1)
        unusual = np.array([each.measure.count("=") for each in candidates])
        unusual += np.count_nonzero(places[2:], axis=0) + (np.array(places[1]) > 1)
        unusual -= [each.cutoff == by.ALL_RANKS and each.ideal == by.UNCUT for each in candidates]
        return np.lexsort((*places[::-1], -tools, unusual, tools == 0, costs.min(axis=1))).tolist()

    def tools(self, numbers: Sequence[int]) -> dict[str, str]:
        """The tools that compute one of these matches, with the metric, and their names."""
        found = {}
        for row, number in np.argwhere((self.costs[numbers] == 0).T & ~self.here[:, None]).tolist():
            tool, cutoff = by.TOOLS[row], self.matches[numbers[number]].cutoff.title()
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
        each, tool = self.matches[numbers[member]], by.TOOLS[row]
        measure = self.string(each, tool) if costs[member, row] < by.FAR else None
        if measure is None:
            return None, "", False
        ours = by.SHOWN[each.shown](values_at(measure, self.case.ranks))
        apart = np.nan_to_num(np.abs(ours - values_of(self.space, self.case, each)))
        fields = [(name, value) for name, value in each._asdict().items() if tool[name]][1:]
        differ = [
            f"{by.LABELS[name]} {tool[name]}" for name, of in fields if by.departs(tool, name, of)
        ]
        differ += [
            counted(int((apart > self.case.tolerance).sum()), "topic") + " with other values"
        ]
        mean = self.means_of(ours, by.QRELS_TOPICS)[0]
        differ += [f"mean over the qrels' topics {mean:.4f}, not {self.means[0]:.4f}"]
        is_plain = each.averaged in ("", by.QRELS_TOPICS) and not each.shown.startswith("each")
        return (
            measure,
            f"{measure} is another: {'; '.join(differ)}",
            is_plain and bool(apart.max() < SAME),
        )

    def string(self, each: by.Definition, tool: Mapping[str, str]) -> Measure | None:
        """The measure string of a row in the table that is nearest to a definition."""
        levels = np.unique(np.fmax(self.case.judged.all_levels, 0))[1:]
        gains = self.space["gain"].get(each.gain, np.asarray)(levels)
        table = ",".join(f"{level:g}:{gain:g}" for level, gain in zip(levels, gains, strict=True))
        base = getattr(self.space["discount"].get(each.discount), "args", [""])[0]
        metric = (
            tool["metric"].replace("@{k}", "").replace("{gains}", table).replace("{b}", str(base))
        )
        measure = parse_measure(metric or each.measure.partition(" ")[0])
        if each.documents == by.JUDGED_ONLY and "judged_only" in measure.SUPPORTED_PARAMS:
            measure = type(measure)(**measure.params, judged_only=True)
        return by.at_cutoff(measure, each.cutoff)

    def means_of(self, values: np.ndarray, averaged: str) -> list[float]:
        """The mean of the topics with a value; for means, those of each run over a set of topics."""
        numbers = self.case.shown(values[:, None, None], [averaged], [np.asarray])[np.asarray]
        return np.ravel(numbers if self.by_mean else np.nanmean(numbers)).tolist()

    def identification(self) -> Identification:
        """The result."""
        case = self.case
        settled = self.is_found and case.coincidence < 1
        measure, difference, equal = self.ours(self.groups[0]) if settled else (None, "", False)
        dimensions = self.dimensions() if settled and len(self.found.kept) < MOST else {}
        tools = [*self.tools(self.groups[0])] if settled else []
        findings = [*self.findings(tools, dimensions if len(self.groups) == 1 else {})]
        if measure is not None and not equal:
            findings.append(("here", difference))
        more = " or more" if len(self.found.kept) >= MOST else ""
        findings.append(
            ("tried", f"{self.found.tried:,} definitions; {len(self.found.fitting):,}{more} fit")
        )
        return Identification(
            topics=tuple(case.judged.topics[number] for number in case.known.tolist()),
            given=case.values[case.known],
            computed=self.values[case.known],
            definitions=tuple(self.matches) if self.is_found else (),
            classes=len(self.groups) if self.is_found else 0,
            nearest=None if self.is_found else self.chosen,
            dimensions=dimensions,
            tools=tuple(tools),
            measure=None if measure is None else str(measure),
            equal=equal and self.chance <= CHANCE,
            chance=self.chance,
            means=(float(case.given[0] if self.by_mean else case.given.mean()), self.means[0]),
            differ=1 if self.by_mean and not self.is_found else int(self.differs.sum()),
            findings=tuple(findings),
            summary=self.summary(),
        )

    def summary(self) -> str:
        """The answer in a sentence or two."""
        case, count, name = self.case, self.case.given.size, self.named(self.groups[0])
        if case.coincidence == 1:
            return f"All values are {case.given[0]:g}, which identifies nothing."
        means = [
            " and ".join(f"{mean:.{case.decimals}f}" for mean in of)
            for of in (case.given, self.means)
        ]
        noun = (
            f"{'mean' if count == 1 else 'means'} {means[0]}"
            if self.by_mean
            else counted(count, "value")
        )
        rarer = self.different - (max(len(self.usual), 1) if self.is_found else 0)
        rest = f" Rarer definitions that fit: {rarer}." if rarer > 0 else ""
        if self.is_found:
            those = ("are {}those" if count > 1 else "is {}that").format(
                "perhaps " if self.is_weak else ""
            )
            others = " Other tables of gains may fit, too." if "solved" in self.chosen.gain else ""
            return f"The {noun} {those} of {name}.{others}{rest}"
        nearest = f". The nearest is {name}; it gives {self.agree} of {count}."
        if self.by_mean:
            nearest = f". The nearest is {name}, with {means[1]}."
        elif 2 * self.agree < count:
            hint = "check that they are of this run and these qrels"
            nearest = f", and none is near: the nearest agrees in {self.agree} of {count}; {hint}."
        return f"No {'usual ' if rarer > 0 else ''}definition gives the {noun}{nearest}{rest}"

    def findings(self, tools: list[str], dimensions: Dimensions) -> Iterator[tuple[str, str]]:
        """The evidence, line by line."""
        if len(self.usual) > 1:
            yield from (("fits", self.named(group)) for group in self.usual[:LISTED])
        if self.is_weak or (self.is_found and self.by_mean):
            hint = "; name the measure and its cutoff" if len(self.space["cutoff"]) > 1 else ""
            bound = (
                f"random numbers fit a usual definition with probability {self.chance:.3f} at most"
            )
            yield "chance", bound + hint
        if self.is_weak or self.by_mean:
            yield (
                "to decide",
                "values by topic, of more topics or of a second run, or another decimal",
            )
        elif not self.is_found and 2 * self.agree >= self.case.given.size:
            yield from self.gaps()
            yield from self.causes()
        if dimensions:
            yield from states(dimensions)
        if tools:
            yield "computed so by", "; ".join(tools)

    def dimensions(self) -> Dimensions:
        """The state and the values of each dimension, for definitions of one measure that give all values.

        A dimension is not exercised if all its values give the same here, and settled if the others do not.
        Gains that are solved for are open: tables that were not tried may fit.
        Measure strings have no dimensions of the order of a run, because only trec_eval's is tried.
        The measure is open if another family of measures fits.
        """
        measures: dict[str, str] = {}
        for each in self.matches:
            measures.setdefault(by.family(each.measure), each.measure)
        family = [each for each in self.matches if each.measure == self.chosen.measure]
        found = {"measure": (OPEN if len(measures) > 1 else SETTLED, tuple(measures.values()))}
        is_string = isinstance(self.space["measure"][self.chosen.measure], Measure)
        for name, tried in list(self.space.items())[1:]:
            values = tuple(
                dict.fromkeys(value for each in family if (value := getattr(each, name)))
            )
            possible = {*tried} - by.UNTRIED[0 if self.chosen.discount else 1]
            if values and len(possible) > 1 and not (is_string and name in by.ORDER):
                is_unreached = possible <= {*values} and len(self.groups) == 1
                state = SETTLED if len(values) == 1 and "solved" not in values[0] else OPEN
                found[name] = (UNREACHED if is_unreached else state), values
        return found

    def gaps(self) -> Iterator[tuple[str, str]]:
        """The topic that differs most, and the gaps."""
        case, places = self.case, self.case.decimals
        gaps = np.nan_to_num(np.abs(self.values - case.values)) * self.differs
        most = int(gaps.argmax())
        given, computed = (f"{each[most]:.{places}f}" for each in (case.values, self.values))
        others = f", and {counted(n, 'other topic')}" if (n := int(self.differs.sum()) - 1) else ""
        yield (
            "differs",
            f"topic {case.judged.topics[most]}: given {given}, computed {computed}{others}",
        )
        mean = gaps[case.known].mean()
        yield "gap", f"largest {gaps[most]:.{places}f}, mean over all topics {mean:.{places + 1}f}"

    def causes(self) -> Iterator[tuple[str, str]]:
        """Properties that are common among the topics that differ, and rare among those that agree."""
        case, differs, ranks = self.case, self.differs, self.case.ranks
        k = self.space["cutoff"].get(self.chosen.cutoff, np.inf)
        retrieved, relevant = ranks.retrieved, case.judged.relevant(LINEAR)
        judged_within = np.bincount(ranks.topic[ranks.rank <= k], minlength=retrieved.size)
        tied, orders = (
            self.chosen._replace(precision=self.chosen.precision or "64-bit"),
            (by.WORST, by.BEST),
        )
        worst, best = (values_of(self.space, case, tied._replace(order=order)) for order in orders)
        reached = np.abs(case.values - np.clip(case.values, worst, best)) <= case.tolerance
        properties = {
            "the value is between those of the worst and the best order of tied documents": differs
            & reached,
            "an unjudged document within the cutoff": judged_within < np.minimum(retrieved, k),
            "fewer documents retrieved than the cutoff": (retrieved > 0)
            & (retrieved < k)
            & np.isfinite(k),
            "fewer relevant documents than the cutoff": (relevant > 0)
            & (relevant < k)
            & np.isfinite(k),
            "no relevant document": relevant == 0,
            "missing from the run": retrieved == 0,
            "a document retrieved twice, whose first row counts": case.repeated,
        }
        agrees = ~np.isnan(case.values) & ~differs
        if agrees.sum() < AGREEING:
            return
        for cause, has in properties.items():
            here, there = (has & differs).sum(), (has & agrees).sum()
            if here >= max(1, COMMON * differs.sum()) and there <= SELDOM * agrees.sum():
                counts = (
                    f"{here} of {differs.sum()} that differ, {there} of {agrees.sum()} that agree"
                )
                yield "perhaps because", f"{cause}: {counts}"


def states(dimensions: Dimensions) -> Iterator[tuple[str, str]]:
    """What is settled, open and not exercised."""

    def in_state(wanted: str) -> dict[str, tuple[str, ...]]:
        return {
            by.LABELS[name]: values
            for name, (state, values) in dimensions.items()
            if state == wanted
        }

    settled = in_state(SETTLED).items()
    yield (
        SETTLED,
        ", ".join(f"{label} {values[0]}" for label, values in settled if values != (by.ROUNDED,)),
    )
    yield from (
        (OPEN, f"{label}: {' or '.join(values)}") for label, values in in_state(OPEN).items()
    )
    if unreached := in_state(UNREACHED):
        yield UNREACHED, ", ".join(unreached)
