"""What a comparison says: its answer by each measure, and the notes below its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import range_of, sign_of
from ...evaluation.sessions import seeming_sessions
from ...output.formats import counted, decimal, listed, p_of, short
from ..statistics.defaults import LEAST_TESTED_TOPICS
from .families import pairs_in_family
from .fields import fields_shown
from .open_pairs import notes_on_open
from .tests import METHODS, PAIRED_T, Test

if TYPE_CHECKING:
    from .result import Comparison

MOST_NAMED: Final = 3
MAY_TURN: Final = "but judgments of unjudged documents could turn"
TIES_TURN: Final = (
    "The {} on the order of tied documents, with p over the orders that were tried: {}; --ties "
    "chooses an order, and ranges has the lowest and highest means."
)
ONLY_SIGN_TURNS: Final = (
    "Another order of tied documents turns the sign, but no order that was tried makes the "
    "difference significant: {}."
)
ELSEWHERE: Final = "-f csv, -f json and -o FILE.csv have them"


def answer_by(comparison: Comparison, measure: Measure) -> Iterator[str]:
    """What the tests find by a measure, in a sentence, or in one for each baseline."""
    tests = [test for test in comparison.find(measure) if test.difference is not None]
    method = f"{METHODS[comparison.primary]} over {comparison.topics_in_words([measure])}"
    if comparison.comparisons is not None and comparison.family > 1:
        family = comparison.family_in_words("comparison")
        method += f" with {comparison.corrected.name} for {family}"
    if not tests:
        unit = comparison.unit
        yield f"No difference by {measure} was tested: no pair has values in each {unit}."
    elif len(tests) == 1:
        yield f"{difference_sentence(tests[0], method)}."
    elif all(test.adjusted is None for test in tests):
        best = comparison.leading(measure)
        yield f"No difference by {measure} was tested; {listed(best)} {_have(best)} the best mean."
    elif comparison.baselines:
        for baseline in comparison.baselines:
            against = [test for test in tests if test.other == baseline]
            if against:
                runs = _against_baseline(against, baseline)
                yield f"{_differing(against, measure)}, {method}; {runs}."
    else:
        best_runs = _around_the_best(comparison, measure)
        yield f"{_differing(tests, measure)}, {method}; {best_runs}."


def difference_sentence(test: Test, method: str = "") -> str:
    """The difference of two runs, the better one first if it is significant, as the start of a
    sentence."""
    first = str(test.run)
    second = str(test.other)
    sign = 1
    if test.winner == test.other:
        first, second = second, first
        sign = -1
    relation = "does not differ significantly from"
    if test.significant:
        relation = "is significantly better than"
    difference = decimal(sign * (test.difference or 0), "+")
    sentence = f"{first} {relation} {second} by {test.measure}: {difference}"
    if test.lower is not None and test.upper is not None:
        low, high = sorted((sign * test.lower, sign * test.upper))
        sentence += f" ({decimal(low)} to {decimal(high)})"
    p = test.note or "no p"
    if test.adjusted is not None:
        p = p_of(test.adjusted)
    sentence += f", {p}"
    if method:
        sentence += f", {method}"
    if test.may_turn:
        sentence += f", {MAY_TURN} the sign"
    if test.ties_turn:
        turned = "its sign" if test.only_sign_turns else "the verdict"
        sentence += f", but another order of tied documents turns {turned}"
    return sentence


def _differing(tests: Sequence[Test], measure: Measure) -> str:
    """How many pairs of runs differ significantly."""
    count = sum(test.significant for test in tests)
    verb = "differs" if count == 1 else "differ"
    return f"{count:,} of {counted(len(tests), 'pair')} {verb} significantly by {measure}"


def _against_baseline(tests: Iterable[Test], baseline: str) -> str:
    """The runs that are significantly better and worse than the baseline."""
    better = []
    worse = []
    turned = []
    for test in tests:
        if not test.significant:
            continue
        if test.winner == test.run:
            better.append(test)
        else:
            worse.append(test)
        if test.may_turn:
            turned.append(str(test.run))
    if not better and not worse:
        return f"nothing differs significantly from {baseline}"
    clauses = []
    if better:
        verb = f"{_are(better)} significantly better than {baseline}"
        clauses.append(f"{_listed_runs(better)} {verb}, by {_spread_of(better)}")
    if worse:
        verb = f"{_are(worse)} significantly worse than {baseline}"
        clauses.append(f"{_listed_runs(worse)} {verb}, by {_spread_of(worse)}")
    sentence = "; ".join(clauses)
    return sentence + _turned(turned, count=len(better) + len(worse))


def _turned(runs: Sequence[str], count: int) -> str:
    """That judgments could turn the sign of the differences of some of so many runs.

    >>> _turned(["A"], count=2)
    ', but judgments of unjudged documents could turn the sign for A'
    >>> _turned([], count=2), _turned(list("ABCDE"), count=5)[-20:]
    ('', 'sign for all of them')
    """
    if not runs:
        return ""
    names = listed(runs)
    if len(runs) == count and len(runs) > MOST_NAMED:
        names = "all of them"
    return f", {MAY_TURN} the sign for {names}"


def _listed_runs(tests: Iterable[Test]) -> str:
    """The runs of some tests, the largest difference first."""
    largest_first = sorted(tests, key=lambda test: -abs(test.difference or 0.0))
    return listed(test.run for test in largest_first)


def _spread_of(tests: Iterable[Test]) -> str:
    """The size of the difference of some tests, or the smallest and the largest one, each with its
    run, so that they do not read as an interval."""
    by_size = sorted(tests, key=lambda test: abs(test.difference or 0.0))
    smallest = decimal(abs(by_size[0].difference or 0.0))
    largest = decimal(abs(by_size[-1].difference or 0.0))
    if smallest == largest:
        return smallest
    return f"{smallest} ({by_size[0].run}) to {largest} ({by_size[-1].run})"


def _around_the_best(comparison: Comparison, measure: Measure) -> str:
    """The best run, the runs that are not significantly worse, and those that are."""
    leaders = comparison.leading(measure)
    top = comparison.top(measure)
    behind = [run for run in top if run not in leaders]
    others = [run for run in comparison.best_first(measure) if run not in leaders]
    has_mean = [run for run in others if comparison.mean(measure, run) is not None]
    losers = [run for run in has_mean if run not in behind]
    may_turn = {
        test.loser for test in comparison.find(measure) if test.winner in leaders and test.may_turn
    }
    turned = [run for run in losers if run in may_turn]
    but = _turned(turned, count=len(losers))
    if losers and not behind and len(leaders) == 1:
        every_other = "every other run"
        if len(has_mean) < len(others):
            every_other += " that has a mean"
        return f"{leaders[0]} is significantly better than {every_other}{but}"
    than_one = ""
    than_each = ""
    if len(leaders) > 1:
        wins = comparison.wins(measure)
        lost = [run for run in behind if any((leader, run) in wins for leader in leaders)]
        than_one = " than any of them"
        if lost:
            than_one = " than at least one of them"
        than_each = " than each of them"
    sentence = f"{listed(leaders)} {_have(leaders)} the best mean"
    if behind:
        sentence += f", and {listed(behind)} {_are(behind)} not significantly worse{than_one}"
    if losers:
        sentence += f"; {listed(losers)} {_are(losers)} significantly worse{than_each}"
    return f"{sentence}{but}"


def _have(runs: Sequence[object]) -> str:
    """The verb of one run that has something, or of several."""
    return "has" if len(runs) == 1 else "have"


def _are(runs: Sequence[object]) -> str:
    """The verb of at most one run, or of several."""
    return "is" if len(runs) <= 1 else "are"


def notes_below(comparison: Comparison) -> list[str]:
    """The sentences that the reader of the tables needs."""
    notes = [*notes_on_open(comparison), _method(comparison)]
    if comparison.mean_bounds is not None:
        notes += comparison.mean_bounds.notes()
    caution = comparison.corrected.caution_at(comparison.alpha)
    if caution:
        notes.append(caution)
    notes += _open_ended(comparison.measures)
    notes += _families(comparison)
    if comparison.shows_best_only:
        notes.append(_what_is_not_shown(comparison))
    if comparison.chosen_by_values:
        notes.append(_on_best_baseline(comparison))
    if comparison.all_runs > len(comparison.runs):
        first = comparison.measures[0]
        notes.append(
            f"{len(comparison.runs)} of {comparison.all_runs} runs are shown, the best by {first} "
            "and the baselines; p and intervals are corrected for the differences of all."
        )
    if comparison.repeats:
        notes.append(
            "The value of a system in a topic is the mean over its repeats, and SD is the standard "
            "deviation of their means. p and intervals hold for other topics, not for other "
            "repeats."
        )
    if any(map(_is_cut_at_zero, comparison.outcomes)):
        notes.append(_cut_at_zero(comparison))
    notes += _on_turns(comparison)
    notes += notes_on_pairs(comparison)
    notes += notes_on_groups(comparison)
    return notes


def _on_turns(comparison: Comparison) -> list[str]:
    """That the topics seem to be turns of sessions, which are not independent."""
    if comparison.unit != "topic" or comparison.by_topic is None or not comparison.levels:
        return []
    topics = comparison.by_topic.topics
    sessions = seeming_sessions(topics)
    if not sessions:
        return []
    return [
        f"The topics seem to be turns of {len(sessions)} sessions, such as {topics[0]}. Turns of a "
        "session are not independent, as the tests assume; --sessions (sessions=True in Python) "
        "tests sessions."
    ]


def _on_best_baseline(comparison: Comparison) -> str:
    """Which run is the baseline as the best one, and the correction for this choice."""
    run = comparison.chosen_by_values
    text = f"{run} is the baseline because it is the best run by {comparison.measures[0]}"
    if comparison.all_runs == 2:
        return f"{text}."
    correction = "p has no correction for that"
    if comparison.corrected.is_corrected:
        correction = "p and intervals are corrected for all pairs of runs"
        all_pairs = pairs_in_family(comparison.all_runs, ())
        if comparison.family > all_pairs * max(1, comparison.families):
            correction += ", and for the other comparisons"
    return f"{text}; the same {comparison.unit}s chose it, so {correction}."


def notes_on_groups(comparison: Comparison) -> list[str]:
    """Which groups of topics are tested, the correction for them, and the notes on each."""
    if not comparison.groups:
        return []
    sizes = [group.topics for group in comparison.groups.values()]
    tested = sum(size >= LEAST_TESTED_TOPICS for size in sizes)
    groups = f"Groups of at least {LEAST_TESTED_TOPICS} topics are tested"
    text = f"{groups}, here {tested} of {len(sizes)}"
    corrected_for = "all of these"
    if comparison.comparisons is not None:
        group = next(iter(comparison.groups.values()))
        corrected_for = group.family_in_words("difference")
    notes = [f"{text}; their p and intervals are corrected for {corrected_for}."]
    said = [*comparison.level_notes(), *comparison.lacking]
    for name, group in comparison.groups.items():
        for note in notes_on_pairs(group):
            if note not in said:
                notes.append(f"{name}: {note}")
    return notes


def _cut_at_zero(comparison: Comparison) -> str:
    """Why an interval ends at 0."""
    return (
        "An interval with a bound of 0 was cut there: intervals that hold together are wide, and "
        f"this one reached beyond 0, but p with {comparison.corrected.name} is below "
        f"{short(comparison.alpha)}, so the difference counts as significant."
    )


def _is_cut_at_zero(test: Test) -> bool:
    """Whether the interval of a difference ends at 0, which the correction excludes."""
    return bool(test.difference) and 0.0 in (test.lower, test.upper)


def _open_ended(measures: Iterable[Measure]) -> Iterator[str]:
    """A note on measures such as ESL, whose worst values have no limit."""
    open_ended = []
    for measure in measures:
        if sign_of(measure) < 0 and np.isinf(range_of(measure)[1]):
            open_ended.append(measure)
    if open_ended:
        yield (
            f"{listed(open_ended)}: the worst values have no limit, and rare ones may not be among "
            "the topics; the true difference can then be far outside the interval."
        )


def _method(comparison: Comparison) -> str:
    """The test, the correction, and the meaning of the columns."""
    level = ""
    intervals = f"{100 * (1 - comparison.alpha):g} % intervals (Student's t)"
    if comparison.family > 1 and comparison.corrected.is_corrected:
        name = comparison.corrected.name
        count = comparison.family_in_words("difference")
        intervals += f"; p has {name} (in CSV and JSON, adjusted) and the intervals hold together, "
        intervals += f"for {count}"
        level = " at this level"
    meanings = [field.sentence for field in fields_shown(PAIRED_T) if field.sentence]
    columns = " ".join(meanings).format(level=level)
    topics = comparison.topics_in_words(comparison.measures)
    return f"Paired t-tests over {topics}, {intervals}. {columns}"


def _families(comparison: Comparison) -> Iterator[str]:
    """How many families of differences were tested, if there are several."""
    measures = len(comparison.measures)
    families = measures * max(1, len(comparison.baselines))
    if families == 1:
        return
    count = counted(comparison.tested_together, "difference")
    text = f"{families} families of {count} were tested"
    if len(comparison.baselines) > 1:
        text += ", one for each baseline"
        if measures > 1:
            text += " and measure"
    if measures > 1:
        text += f"; {comparison.measures[0]}, named first, is the primary one"
    yield f"{text}."


def _what_is_not_shown(comparison: Comparison) -> str:
    """Where to see the differences that the table leaves out."""
    count = counted(comparison.pairs, "difference")
    return f"The table has the best runs only. There are {count} by each measure: {ELSEWHERE}."


def notes_on_pairs(comparison: Comparison) -> list[str]:
    """What is special about some differences, and about the runs."""
    noted: dict[str, list[Test]] = {}
    for test in comparison.outcomes:
        if test.note and test.test in METHODS:
            noted.setdefault(test.note, []).append(test)
    notes = [f"{_pairs(tests)}: {note}." for note, tests in noted.items()]
    turned = [test for test in comparison.outcomes if test.ties_turn]
    verdicts = [test for test in turned if not test.only_sign_turns]
    if verdicts:
        what = "verdict depends" if len(verdicts) == 1 else "verdicts depend"
        pairs = listed(f"{_pairs([test])} ({test.p_over_ties})" for test in verdicts)
        notes.append(TIES_TURN.format(what, pairs))
    signs = [test for test in turned if test.only_sign_turns]
    if signs:
        notes.append(ONLY_SIGN_TURNS.format(listed(_pairs([test]) for test in signs)))
    return notes + comparison.level_notes() + list(comparison.lacking)


def _pairs(tests: Iterable[Test]) -> str:
    """The pairs of runs of some tests, with the measure."""
    names = [f"{test.run} against {test.other} by {test.measure}" for test in tests]
    return listed(dict.fromkeys(names))
