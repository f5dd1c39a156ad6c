"""The gate: verdicts on made data with known truth, margins, groups, drift, and its documents."""

from dataclasses import replace
from itertools import cycle, permutations, product
from xml.etree import ElementTree

import numpy as np
import pytest

from ir_measures_graded import GradedError, demo, parse_measure
from ir_measures_graded.analysis import Evaluation, evaluate, explain, gate
from ir_measures_graded.analysis.gating import figures as gate_figures
from ir_measures_graded.analysis.gating.verdict import Margin
from ir_measures_graded.analysis.statistics.corrections import holm

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
weightstats = pytest.importorskip(
    "statsmodels.stats.weightstats", reason="statsmodels is not installed"
)


def of_pair(old, new, *measures):
    """The values of two runs by each measure."""
    parsed = tuple(parse_measure(measure) for measure in measures or ["nDCG_JK@10"])
    values = np.stack([np.atleast_2d(old), np.atleast_2d(new)])
    topics = tuple(f"q{number}" for number in range(values.shape[2]))
    return Evaluation(("old", "new"), parsed, topics, values)


def random_pairs(count, topics, shift=0.0, deviation=0.1, seed=0):
    """Values of pairs of runs whose true relative difference is `shift` (count × 2 × topics)."""
    random = np.random.default_rng(seed)
    old = random.beta(5, 4, (count, topics))
    new = old * (1 + shift) + random.normal(0, deviation, (count, topics))
    return np.stack([old, new], axis=1)


def random_pair(topics, shift=0.0, deviation=0.1, seed=0):
    """Values of an old and a new run (2 × topics)."""
    return random_pairs(1, topics, shift, deviation, seed)[0]


def p_above(values, bound=0.0):
    """The p of Student's one-sided test that the mean is above a bound."""
    return stats.ttest_1samp(values, bound, alternative="greater").pvalue


def p_below(values, bound=0.0):
    return stats.ttest_1samp(values, bound, alternative="less").pvalue


def test_verdicts_are_those_of_one_sided_t_tests():
    for seed, (shift, margin) in enumerate(product((0.02, -0.02, -0.06, -0.1), ("5%", 0.02))):
        old, new = random_pair(40, shift, 0.06, seed)
        verdict = gate(of_pair(old, new), margin=margin).verdicts[0]
        if margin == "5%":
            above_margin = new - 0.95 * old
            allowed_loss = 0.05 * old.mean()
        else:
            above_margin = new - old + 0.02
            allowed_loss = 0.02
        p_holds = p_above(above_margin)
        p_worse = p_below(new - old)
        assert verdict.p_holds == pytest.approx(p_holds)
        assert verdict.p_worse == pytest.approx(p_worse)
        if p_holds < 0.05:
            expected = "holds"
        elif p_worse < 0.05:
            expected = "worse"
        else:
            expected = "undecided"
        assert verdict.verdict == expected
        claims = {"holds": verdict.p_holds, "worse": verdict.p_worse, "undecided": None}
        assert verdict.p == claims[expected]
        assert verdict.beyond == (p_below(above_margin) < 0.05)
        assert (verdict.upper < 0) == (p_worse < 0.05)
        assert (verdict.lower > -allowed_loss) == (p_holds < 0.05)
        assert (verdict.needed is None) == (expected != "undecided")
        assert (verdict.reachable is None) == (expected != "undecided")


@pytest.mark.parametrize(("equivalent", "chance"), [(False, 0.8), (True, 0.9)])
def test_undecided_tells_the_topics_that_find_the_margin_with_power_80_percent(equivalent, chance):
    """Each of two tests succeeds in .9, so that both do in .8."""
    old, new = random_pair(50, seed=3)
    result = gate(of_pair(old, new), margin="2%", equivalent=equivalent)
    (verdict,) = result.verdicts
    assert verdict.verdict == "undecided"
    deviation = np.std(new - 0.98 * old, ddof=1)
    if equivalent:
        deviation = max(deviation, np.std(1.02 * old - new, ddof=1))
    quantiles = stats.t.isf(0.05, 49) + stats.t.ppf(chance, 49)
    reach = quantiles * deviation / 50**0.5 / old.mean()
    assert verdict.reachable == Margin(pytest.approx(reach), relative=True)
    topics = np.arange(2, 3000)
    critical = stats.t.isf(0.05, topics - 1)
    noncentrality = 0.02 * old.mean() / deviation * topics**0.5
    with np.errstate(divide="ignore"):  # SciPy before 1.12
        power = stats.nct.sf(critical, topics - 1, noncentrality)
    needed = verdict.needed
    assert needed == topics[power >= chance][0]
    assert result.notes()[0].endswith(
        f"2 % needs about {needed} if the true difference is 0. Use about {needed} new topics, "
        f"or add {needed - 50} topics to these 50 and decide by all of them with --looks 2."
    )


NEARLY_CONSTANT = 0.5 + np.arange(60) / 1000


def with_lost_topics(lost, value):
    """The values of which the first topics' are lost."""
    return np.where(np.arange(60) < lost, value, NEARLY_CONSTANT)


@pytest.mark.parametrize(
    ("lost", "count", "margin", "verdict"),
    [
        (0, "none", "5%", "holds"),
        (0, "none", "4%", "undecided"),
        (1, "1", "5%", "undecided"),
        (1, "1", "8%", "holds"),
    ],
)
def test_rare_failures_are_told_with_the_bound_of_clopper_and_pearson(lost, count, margin, verdict):
    new = with_lost_topics(lost, 0.2)
    new[10:12] += 0.01
    result = gate(of_pair(NEARLY_CONSTANT, new), margin=margin)
    bound = stats.beta.ppf(0.95, lost + 1, 60 - lost)
    changed = f"{lost + 2} of 60 topics changed, "
    text = f"{count} lost at least half of its value; up to {100 * bound:.1f} % of topics may"
    assert result.verdict == verdict
    if verdict == "holds":
        assert changed + text in result.notes()[0]
        return
    assert text in result.notes()[0]
    reason = f"only {changed}10 are needed"
    assert f"nDCG_JK@10: undecided: {reason}: more topics may" in result.notes()[0]
    assert f"within the margin of {margin[0]} %: {reason}; the mean " in result.answer()[0]
    assert gate_figures.heading_of(result, result.verdicts[0]) == f"nDCG_JK@10: undecided: {reason}"


def test_a_kind_of_topic_that_is_missing_is_told():
    unchanged = of_pair(NEARLY_CONSTANT, NEARLY_CONSTANT)
    unproved = gate(unchanged, margin="2%")
    assert unproved.holds
    (missing,) = [note for note in unproved.notes() if "missing" in note]
    assert missing.startswith(
        "A kind of topic that is 4.9 % of all topics is missing among these 60 "
        "with probability .05; if the"
    )
    assert missing.endswith(" Use at least 149 topics.")
    assert unproved.answer()[0].endswith(
        "no value changed by nDCG_JK@10, but up to 4.9 % of all topics may have "
        "become worse, with none of them here."
    )
    assert "they cannot exclude a loss of 2 %; 0 of 60 topics changed" in unproved.notes()[0]
    proved = gate(unchanged, margin="5%")
    assert not any("missing" in note for note in proved.notes())
    assert "no value changed" not in proved.answer()[0]
    assert gate(unchanged, margin=1e-17).notes()
    assert gate(unchanged, margin=1e-310).notes()


def test_topics_that_may_be_lost_leave_the_verdict_undecided():
    constant = gate(of_pair(np.array([0.3, 0.5]), np.array([0.4, 0.6])), margin="5%")
    assert constant.verdicts[0].p_holds < 0.05
    assert constant.verdict == "undecided"
    reason = (
        "only 2 of 2 topics changed, 10 are needed: more topics may be lost than the margin of 5 %"
    )
    assert reason in constant.notes()[0]
    worse = gate(of_pair(NEARLY_CONSTANT, with_lost_topics(9, 0)), margin=0.035)
    assert worse.verdict == "worse"
    assert "; 9 of 60 topics changed, 9 lost" in worse.notes()[0]
    undecided = gate(of_pair(NEARLY_CONSTANT, with_lost_topics(2, 0)), margin=0.035)
    assert undecided.verdict == "undecided"
    few = "only 2 of 60 topics changed, too few to show how many topics the margin of 0.035 needs"
    assert f"{few}; 2 lost" in undecided.notes()[0]
    assert undecided.answer()[0].endswith(f"the margin of 0.035: {few}; the mean fell (−.0167).")
    assert undecided.means_hold
    assert undecided.verdicts[0].reachable is None
    assert undecided.verdicts[0].needed is None


@pytest.mark.parametrize("measure", ["nDCG_JK@10", "ESL"])
def test_by_mean_a_significant_loss_within_the_margin_holds_and_one_above_it_does_not(measure):
    old = NEARLY_CONSTANT
    sign = 1 if measure == "nDCG_JK@10" else -1
    new = old - sign * (0.0177 + NEARLY_CONSTANT / 1000)
    loss = abs((new - old).mean())
    values = of_pair(old, new, measure)
    assert gate(values, margin=0.02, equivalent=True).verdict == "holds"
    for margin, equivalent in product((loss * 1.001, loss, loss * 0.999), (False, True)):
        result = gate(values, margin=margin, by_mean=True, equivalent=equivalent)
        assert result.holds == (margin >= loss)
        (verdict,) = result.verdicts
        assert verdict.p is None
        assert verdict.p_worse < 0.05
        way = "fell (−" if sign > 0 else "rose (+"
        assert (f"; the mean {way}.0182), significantly." in result.answer()[0]) == result.holds
        assert result.facts()["test"] == "none, the means decide"
    assert gate(of_pair(new, old, measure), margin=1e-6, by_mean=True).holds
    with pytest.raises(GradedError, match="by_mean: leave out looks; nothing is tested"):
        gate(values, by_mean=True, looks=2)


def test_a_share_below_1_percent_keeps_the_0_before_the_point():
    old, new = random_pair(60, 0.001, 0.001)
    answer = gate(of_pair(old, new - 0.002), margin="0.1%", by_mean=True).answer()[0]
    assert " or −0.3 %, " in answer


def test_each_of_several_looks_has_its_share_of_the_error():
    p_values = []
    for old, new in random_pairs(40, 50, shift=-0.02, seed=4):
        p = p_above(new - 0.95 * old)
        result = gate(of_pair(old, new), margin="5%", looks=4.0)
        assert result.holds == (p < 0.05 / 4)
        assert str(result.looks) == "4"
        p_values.append(p)
    # Some hold, some would hold at a single look, and some hold by no test.
    assert min(p_values) < 0.05 / 4
    assert any(0.05 / 4 <= p < 0.05 for p in p_values)
    assert max(p_values) >= 0.05


def test_losses_of_groups_that_the_table_shows_are_told():
    """Of 4 groups of 20 topics, one loses by Holm's correction, and one only without it."""
    old = np.full(80, 0.5)
    noise = np.tile(np.linspace(-0.02, 0.02, 20), 4)
    loss = np.repeat([0.01, 0.005, 0.0, -0.001], 20)
    new = old + noise - loss
    by = {f"q{number}": f"g{number // 20}" for number in range(80)}
    by |= {topic: by[f"q{number}"] for number, topic in enumerate(of_pair(old, new).topics)}
    every = gate(of_pair(old, new), margin="5%", by=by, every_group=True)
    below_0 = {verdict.group for verdict in every.verdicts if verdict.upper < 0}
    assert below_0 == {None, "g0", "g1"}
    name = every.verdicts[0].name
    assert every.answer()[0].endswith(
        f"within the margin of 5 %; significant, but smaller: the loss by {name} (−.0035 or −0.7 %) "
        f"and {name} in g0 (−.0100 or −2.0 %); smaller, and significant only without Holm's "
        f"correction: the loss by {name} in g1 (−.0050 or −1.0 %)."
    )
    noted = gate(of_pair(old, new), margin="5%", by=by).notes()
    ends = [
        "−.0100, which is significant, but smaller.",
        "−.0050, which is significant only without Holm's correction, and smaller.",
    ]
    assert all(note.endswith(end) for note, end in zip(noted[1:3], ends, strict=True))
    assert not any("significant" in note for note in [noted[0], *noted[3:5]])


def test_the_first_sentences_say_how_large_a_loss_is_beside_the_margin():
    old = np.full(60, 0.5)
    new = old - np.tile([0.008, 0.012], 30)
    answer, possible = gate(of_pair(old, new), margin="2.02%").answer()
    assert answer.endswith(": −.0100 or −2.0 %, less than the margin of 2.02 %.")
    assert possible == "The topics do not exclude −.0104 or −2.1 %."
    (answer,) = gate(of_pair(old, new), margin=0.0199).answer()
    assert answer.endswith(
        "within the margin of 0.0199; the loss (−.0100) is significant, but smaller."
    )
    (answer,) = gate(of_pair(np.full(12, 0.5), np.full(12, 0.49)), margin="2%").answer()
    assert ": −.0100 or −2.0 %, as much as the margin of 2 %" in answer
    (answer,) = gate(of_pair(old, old), margin=0.0199).answer()
    assert "significant" not in answer
    answer, uncertain = gate(of_pair(old, new), margin=0.0099).answer()
    assert answer.endswith(": −.0100, more than the margin of 0.0099.")
    assert uncertain == "The topics do not show that the true loss is more than the margin."
    answer, uncertain = gate(of_pair(old, new), margin=0.0099, equivalent=True).answer()
    assert "the true difference is more than the margin." in uncertain
    (answer,) = gate(of_pair(old, new), margin="1%").answer()
    assert answer.endswith(": −.0100 or −2.0 %, beyond the margin of 1 %.")


def test_smaller_is_better_is_mirrored():
    old, new = random_pair(60, -0.2, 0.05)
    assert gate(of_pair(old, new)).verdict == "worse"
    assert gate(of_pair(old, new, "NDPM")).verdict == "holds"
    worse = gate(of_pair(new, old, "NDPM"))
    assert worse.verdict == "worse"
    assert worse.fallen.title == "Topics that became worse most (they never block)"
    assert any("rose, which is worse, by more than .1 and 0 fell" in n for n in worse.notes())


def test_all_measures_must_hold_and_worse_is_corrected_for_their_number():
    old, _ = random_pair(60)
    random = np.random.default_rng(1).normal(0, 1, 60)
    noise = (random - random.mean()) / random.std(ddof=1)
    fallen = old - 0.02 + 0.02 * noise * 60**0.5 / 1.8  # t = -1.8
    single = gate(of_pair(old, fallen), margin="1%")
    assert single.verdict == "worse"
    assert single.verdicts[0].p < 0.05
    both = gate(of_pair([old, old], [old + 0.05, fallen], "nDCG_JK@10", "AP"), margin="1%")
    assert [verdict.verdict for verdict in both.verdicts] == ["holds", "undecided"]
    assert both.verdicts[1].p_worse == pytest.approx(2 * single.verdicts[0].p)
    assert both.verdict == "undecided"


def test_equal_runs_hold_without_a_reachable_margin_even_where_no_value_is_above_0():
    for old in (np.zeros(20), np.linspace(0, 1, 20), np.linspace(-0.5, 0.1, 12)):
        result = gate(of_pair(old, old, "KendallTau"))
        (verdict,) = result.verdicts
        assert result.holds
        assert verdict.fallen == ()
        assert (verdict.reachable, verdict.needed, verdict.p) == (None, None, None)


def test_constant_differences_are_decided_by_the_margin():
    old = np.linspace(0.3, 0.7, 12)
    assert gate(of_pair(old, old - 0.01), margin=0.02).holds
    assert gate(of_pair(old, old - 0.03), margin=0.02).verdict == "worse"
    # A loss of the whole margin does not hold by rounding errors.
    for loss in np.arange(1, 40) / 100:
        (verdict,) = gate(of_pair(old + loss, old), margin=loss).verdicts
        assert (verdict.verdict, verdict.p, verdict.beyond) == ("worse", 2**-12, False)
    old, new = random_pair(400, deviation=1e-6)
    (verdict,) = gate(of_pair(old, new), margin=0.1).verdicts
    assert 0 < verdict.p < 1e-300


def test_two_topics_without_spread_do_not_hold_unless_they_are_equal():
    old = np.array([0.5, 0.5])
    assert gate(of_pair(old, old)).holds
    assert not gate(of_pair(old, old + 0.1), margin=0.02).holds


def test_topics_without_a_value_are_left_out_of_the_gate():
    old, new = np.random.default_rng(3).random((2, 30))
    gaps = np.zeros(30, dtype=bool)
    gaps[:4] = True
    with_gaps = gate(of_pair(np.where(gaps, np.nan, old), new), margin=0.1)
    without = gate(of_pair(old[4:], new[4:]), margin=0.1)
    assert with_gaps.verdicts[0].p_holds == without.verdicts[0].p_holds
    assert with_gaps.verdicts[0].topics == 26
    assert any("no value for 4 of 30 topics" in note for note in with_gaps.notes())
    assert "no value for 4 of 30 topics" in with_gaps.junit()
    assert "nan" not in "".join(with_gaps.lines("text", 4))


def test_equivalent_equals_two_one_sided_tests_of_statsmodels():
    verdicts = set()
    for seed in range(12):
        old, new = random_pair(60, (seed % 4) * 0.03, 0.06, seed)
        result = gate(of_pair(old, new), margin=0.02, equivalent=True)
        if weightstats.ttost_paired(new, old, -0.02, 0.02)[0] < 0.05:
            expected = "holds"
        elif stats.ttest_rel(new, old).pvalue < 0.05:
            expected = "differs"
        else:
            expected = "undecided"
        assert result.verdict == expected
        beyond = p_above(new - old, 0.02) < 0.05
        assert result.verdicts[0].beyond == beyond
        verdicts.add((expected, beyond))
    assert verdicts == {
        ("holds", False),
        ("differs", False),
        ("differs", True),
        ("undecided", False),
    }


@pytest.fixture
def hard_topics():
    """Two runs that differ little, and a group of topics by a name that begins with ``hard``."""
    old, new = random_pair(60, 0.0, 0.02)
    hard = {f"q{number}": "hard" for number in range(12)}
    easy = {f"q{number}": "easy" for number in range(12, 55)}
    return old, new, hard | easy


def test_groups_are_notes_unless_every_group_must_hold(hard_topics):
    old, new, by = hard_topics
    new[:12] -= 0.1
    result = gate(of_pair(old, new), by=by, margin="10%")
    rows = [(verdict.group, verdict.verdict, verdict.topics) for verdict in result.verdicts]
    assert rows == [
        (None, "holds", 60),
        ("hard", "worse", 12),
        ("easy", "holds", 43),
        ("no group", "too few topics", 5),
    ]
    assert result.holds
    assert gate(of_pair(old, new), by=by, margin="10%", every_group=True).verdict == "worse"
    sentence, _ = gate(of_pair(old, old), by=by, every_group=True).answer()
    assert "not worse than old by nDCG_JK@10 in no group, within" in sentence


def test_a_group_whose_old_values_are_0_is_no_error(hard_topics):
    old, new, by = hard_topics
    old[:12] = 0
    verdict = gate(of_pair(old, new), by=by, margin="10%").verdicts[1]
    assert (verdict.group, verdict.verdict) == ("hard", "holds")
    new[:12] = np.eye(1, 12)
    note = gate(of_pair(old, new), by=by, margin="10%").notes()[1]
    assert "in hard: undecided: the old mean is 0, and a share of it allows no loss;" in note
    message = "no topic has a group: the groups are those of topics 1; the val"
    with pytest.raises(GradedError, match=message):
        gate(of_pair(old, new), by={"1": "hard"})


def test_holding_over_ties_has_no_correction_for_the_number_of_measures():
    # The new run falls to 1/log2(3) in 10 of 40 topics: e is 2.25 standard errors above 0.
    # Nothing is tied.
    qrels = {f"q{n}": {"a": 1} for n in range(40)}
    old = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    new = old | {f"q{n}": {"a": 1.0, "b": 2.0} for n in range(10)}
    runs = {"old": old, "new": new}
    measures = [f"nDCG_Burges@{cutoff}" for cutoff in range(5, 10)]
    for count in (1, 5):
        verdict = gate(qrels, runs, measures[:count], margin="15%").verdicts[0]
        assert (verdict.verdict, verdict.stands_over_ties) == ("holds", True)


def test_drift_names_the_topics_and_rounded_values_are_none():
    qrels = demo.qrels_path()
    runs = list(demo.run_paths().items())[:2]
    values = evaluate(qrels, runs, ["nDCG_JK@10"])
    for decimals in (4, 16):
        stored = replace(values, values=values.values.round(decimals))
        assert gate(qrels, runs, ["nDCG_JK@10"], stored=stored)
    moved = values.values.round(4)
    moved[0, 0, [3, 5]] += 2e-4
    topics = f"{values.topics[3]} and {values.topics[5]}"
    message = rf"not what was stored in 2 topics \({topics}\): the run, the qrels"
    with pytest.raises(GradedError, match=message):
        gate(qrels, runs, ["nDCG_JK@10"], stored=replace(values, values=moved))


def test_values_missing_then_and_now_are_no_drift_and_others_are():
    old, new = np.random.default_rng(2).random((2, 30)).round(4)
    old[4] = np.nan
    pair = of_pair(old, new)
    then = pair.part(["old"], pair.measures)
    assert gate(pair, stored=then).verdicts[0].topics == 29
    for topic, value in ((4, 0.5), (7, np.nan), (7, then.values[0, 0, 7] + 2e-4)):
        values = then.values.copy()
        values[0, 0, topic] = value
        with pytest.raises(GradedError, match=rf"not what was stored in 1 topic \(q{topic}\)"):
            gate(pair, stored=replace(then, values=values))


@pytest.mark.parametrize("equivalent", [False, True])
@pytest.mark.parametrize("unjudged", [0, 12])
def test_a_worse_run_says_in_the_same_sentence_that_judgments_could_turn_the_sign(
    unjudged, equivalent
):
    qrels = {f"q{number}": {"a": 2, "b": 1} for number in range(12)}
    old = {topic: {"a": 1.0} for topic in qrels}
    new = {topic: {"b": 1.0} for topic in qrels}
    new |= {f"q{number}": {"x": 1.0} for number in range(unjudged)}
    runs = {"old": old, "new": new}
    result = gate(qrels, runs, ["nDCG_JK@1"], margin="10%", equivalent=equivalent)
    expected = "differs" if equivalent else "worse"
    assert result.verdict == expected
    turns = []
    for level in (0, 9):
        judged = {topic: levels | {"x": level} for topic, levels in qrels.items()}
        old_mean, new_mean = evaluate(judged, runs, ["nDCG_JK@1"]).means()[:, 0]
        turns.append(new_mean > old_mean)
    assert result.verdicts[0].may_turn == any(turns)
    for sentence in (result.answer()[0], result.notes()[0], result.junit()):
        assert ("judgments of unjudged documents could turn" in sentence) == bool(unjudged)


def test_a_worse_run_whose_sign_may_turn_tells_the_possible_loss_in_a_second_sentence():
    qrels = {f"q{number:02}": {"a": 2, "b": 1} for number in range(40)}
    old = {topic: {"a": 3.0, "b": 2.0} for topic in qrels}
    worse = {f"q{number:02}": {"b": 3.0, "a": 2.0} for number in range(12)}
    unjudged = {f"q{number:02}": {"a": 3.0, "x": 2.5, "b": 2.0} for number in range(20, 32)}
    result = gate(qrels, {"old": old, "new": old | worse | unjudged}, ["nDCG@2"], margin=0.12)
    first, possible = result.answer()
    assert (
        "−.1140, less than the margin of 0.12, but judgments of unjudged documents could" in first
    )
    assert possible == "The topics do not exclude −.1412."
    assert all(sentence in result.junit() for sentence in result.answer())


def orders(run):
    """All runs that break the ties of a run in any way."""
    scores = sorted(set(run.values()), reverse=True)
    groups = [[doc for doc in run if run[doc] == score] for score in scores]
    for order in product(*map(permutations, groups)):
        docs = [doc for group in order for doc in group]
        yield {doc: -rank for rank, doc in enumerate(docs)}


def untied_runs(run):
    """The run of two topics in every order of its ties."""
    for rankings in product(*map(orders, run.values())):
        yield dict(zip(run, rankings))


def random_topics(random, docs, dtype):
    """A number below 3 for each document of two topics."""
    return {topic: {doc: dtype(random.integers(0, 3)) for doc in docs} for topic in ("q0", "q1")}


def gate_of_2(qrels, old, new):
    return gate(qrels, {"old": old, "new": new}, ["nDCG_JK@2"], margin=0.9)


def test_verdicts_that_stand_are_the_same_for_every_order_and_judgment():
    random = np.random.default_rng(8)
    seen = set()
    for _ in range(30):
        if len(seen) == 4:
            break
        qrels = random_topics(random, "ab", int)
        for levels in qrels.values():
            levels["z"] = 2
        old = random_topics(random, "abx", float)
        new = random_topics(random, "abx", float)
        result = gate_of_2(qrels, old, new)
        if not result.holds:
            continue
        holds_over_ties = [
            gate_of_2(qrels, untied_old, untied_new).holds
            for untied_old, untied_new in product(untied_runs(old), untied_runs(new))
        ]
        holds_over_judgments = []
        for levels in product((0, 1, 2), repeat=2):
            judged = {t: qrels[t] | {"x": level} for t, level in zip(qrels, levels)}
            holds_over_judgments.append(gate_of_2(judged, old, new).holds)
        verdict = result.verdicts[0]
        assert all(holds_over_ties) or not verdict.stands_over_ties
        assert all(holds_over_judgments) or not verdict.stands_over_judgments
        seen.add(("ties", verdict.stands_over_ties))
        seen.add(("judgments", verdict.stands_over_judgments))
    assert seen == set(product(("ties", "judgments"), (True, False)))


MARGINS = ("5%", "30%", 0.02, 0.1)


def random_gate(random):
    """Qrels, an old and a new run, and the options of a gate.

    Few topics have tied or unjudged documents, and most topics of the new run are unchanged,
    reversed or random.
    """
    topics = [f"q{number}" for number in range(random.choice([4, 8, 16]))]
    reversed_share = random.choice([0, 0.4, 1])
    unchanged_share = random.choice([0, 0.5, 1])
    has_ties = random.random() < 0.5
    free_topics = random.choice(topics, random.integers(0, 3), replace=False)
    qrels = {}
    runs = {"old": {}, "new": {}}
    for topic in topics:
        levels = random.permutation([0, 1, 2, 1]).tolist()
        qrels[topic] = dict(zip("abcd", levels))
        best_first = sorted("abcd", key=qrels[topic].get, reverse=True)
        new = random.permutation(best_first).tolist()
        if random.random() < reversed_share:
            new = best_first[::-1]
        elif random.random() < unchanged_share:
            new = best_first
        rankings = {"old": best_first, "new": new}
        name = str(random.choice(["old", "new"]))
        place = random.integers(0, 2)  # within the cutoff
        if topic in free_topics and not has_ties:
            rankings[name][place] = "x"
        for run, ranking in rankings.items():
            runs[run][topic] = {doc: -float(rank) for rank, doc in enumerate(ranking)}
        if topic in free_topics and has_ties:
            above, below = list(runs[name][topic])[place : place + 2]
            runs[name][topic][below] = runs[name][topic][above]
    options = {
        "margin": MARGINS[random.integers(len(MARGINS))],
        "equivalent": bool(random.random() < 0.3),
        "by_mean": bool(random.random() < 0.2),
    }
    return qrels, runs, options


def untied_pairs(runs):
    """Both runs in every order of their ties."""
    ways = [list(orders(ranking)) for run in runs.values() for ranking in run.values()]
    places = [(name, topic) for name, run in runs.items() for topic in run]
    for rankings in product(*ways):
        untied = {name: {} for name in runs}
        for (name, topic), ranking in zip(places, rankings):
            untied[name][topic] = ranking
        yield untied


def judged_in_every_way(qrels, runs):
    """The qrels with every judgment of the unjudged document."""
    topics = [topic for topic in qrels if any("x" in run[topic] for run in runs.values())]
    for levels in product((0, 1, 2), repeat=len(topics)):
        of_unjudged = dict(zip(topics, levels))
        yield {
            topic: judged | ({"x": of_unjudged[topic]} if topic in of_unjudged else {})
            for topic, judged in qrels.items()
        }


@pytest.mark.parametrize("measures", [["nDCG_JK@2"], ["P@2", "nDCG@3"], ["AP@3"]])
def test_what_is_said_of_ties_and_judgments_is_true_of_every_verdict(measures):
    """No verdict "stands" that is another one for some order or judgment, and every verdict stands
    that nothing can change."""
    random = np.random.default_rng(len(measures[0]))
    seen = set()
    for _ in range(24):
        qrels, runs, options = random_gate(random)
        verdicts = gate(qrels, runs, measures, **options).verdicts
        over_ties = [gate(qrels, pair, measures, **options) for pair in untied_pairs(runs)]
        over_judgments = [
            gate(judged, runs, measures, **options) for judged in judged_in_every_way(qrels, runs)
        ]
        for number, verdict in enumerate(verdicts):
            for stands, results in (
                (verdict.stands_over_ties, over_ties),
                (verdict.stands_over_judgments, over_judgments),
            ):
                kinds = {result.verdicts[number].verdict for result in results}
                if stands is not None:
                    assert kinds == {verdict.verdict} or not stands
                    assert stands or len(results) > 1
                    seen.add((verdict.verdict, stands))
    assert {kind for kind, stands in seen if stands} == {"holds", "worse", "differs", "undecided"}
    assert any(not stands for _, stands in seen)


def test_documents_have_the_verdicts():
    old, new = random_pair(60, -0.2, 0.05)
    result = gate(of_pair([old, old], [new, old], "AP", "P@5"), margin="5%")
    fallen = result.facts()["fallen"]
    assert [row["topic"] for row in fallen] == [topic for topic, *_ in result.verdicts[0].fallen]
    suite = ElementTree.fromstring(replace(result, new="a\x0cb\ud800").junit())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.get("name") for case in suite.iter("testcase")] == ["AP", "P@5"]
    assert suite.find("testcase/failure").get("type") == "worse"
    assert "a\N{REPLACEMENT CHARACTER}b" in suite[0].get("classname")


def test_a_run_that_lacks_topics_is_noted_in_every_document():
    qrels = {f"q{number}": {"a": 1 + number % 3, "b": 1} for number in range(12)}
    old = {topic: {"b": 2.0, "a": 1.0} for topic in qrels}
    new = {topic: old[topic] for topic in old if topic != "q11"}
    result = gate(qrels, {"old": old, "new": new}, "nDCG_JK(gains=exp)@1")
    assert "new lacks 1 topic (q11); the value there is that of an empty ranking." in result.notes()
    assert "new lacks 1 topic" in result.junit()


def test_measures_and_groups_are_one_family_if_every_group_must_hold():
    old, new = np.random.default_rng(5).random((2, 40))
    pair = of_pair(old, new - 0.02)
    groups = dict(zip(pair.topics, cycle(["even", "odd"])))
    apart = gate(pair, margin=0.1, by=groups).verdicts
    together = gate(pair, margin=0.1, by=groups, every_group=True).verdicts
    evaluations = (pair, pair.on(range(0, 40, 2)), pair.on(range(1, 40, 2)))
    p_values = [gate(evaluation, margin=0.1).verdicts[0].p_worse for evaluation in evaluations]
    assert apart[0].p_worse == p_values[0]
    assert [verdict.p_worse for verdict in together] == pytest.approx(list(holm(p_values)))


@pytest.mark.thorough
def test_the_caption_of_a_figure_names_only_what_it_shows():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    topics = 12
    new = np.full(topics, 0.5)
    new[0] = 0.1
    figure = gate(of_pair(np.full(topics, 0.5), new)).figure()
    caption = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
    assert caption.endswith("Below: a bar for each topic.")
    ranked = ({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "nDCG@2", "q")
    missed = ({"q": {"a": 1, "b": 2}}, {"q": ["x"]}, "nDCG@2", "q")
    for words, has_line in ((ranked, True), (missed, False)):
        figure = explain(*words).figure()
        caption = figure.texts[-1].get_text().replace("\n", " ")
        assert ("A line joins" in caption) == has_line
        assert ("not judged" in caption) != has_line


def test_topics_that_rose_are_not_said_to_be_lost_if_runs_should_be_equivalent():
    new = with_lost_topics(3, 5 * NEARLY_CONSTANT[0])
    result = gate(of_pair(NEARLY_CONSTANT, new), margin="50%", equivalent=True)
    assert "3 of 60 topics changed, 3 changed by at least half of their value" in result.notes()[0]
    same = gate(of_pair(NEARLY_CONSTANT, NEARLY_CONSTANT + 0.001), margin="5%", equivalent=True)
    assert "the new run is neither worse nor better by 5 %" in same.notes()[0]


@pytest.mark.parametrize(("margin", "is_relative"), [("5%", True), (0.01, False)])
def test_a_note_tells_that_a_bound_has_the_spread_of_a_relative_margin(margin, is_relative):
    ones = {str(number): {"d": 1} for number in range(12)}
    run = {topic: {"d": 1.0} for topic in ones}
    notes = gate(ones, {"old": run, "new": run}, "AP", margin=margin).notes()
    note = (
        "The bound on the side of a loss also has the spread of the margin, 5 % of the old values."
    )
    assert (note in notes) == is_relative
