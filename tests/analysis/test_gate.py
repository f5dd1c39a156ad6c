"""The gate: verdicts on made data with known truth, margins, groups, drift, and every document read back."""

from dataclasses import replace
from itertools import permutations, product
from xml.etree import ElementTree

import numpy as np
import pytest

from ir_measures_graded import GradedError, demo, parse_measure
from ir_measures_graded.analysis import Evaluation, evaluate, gate
from ir_measures_graded.analysis.gating.verdict import Margin
from ir_measures_graded.analysis.statistics.corrections import holm

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
weightstats = pytest.importorskip(
    "statsmodels.stats.weightstats", reason="statsmodels is not installed"
)


KINDS = "stands_over_ties", "stands_over_judgments"


def of_pair(old, new, *measures):
    """The values of two runs by each measure."""
    measures = measures or ("nDCG_JK@10",)
    values = np.stack([np.atleast_2d(old), np.atleast_2d(new)])
    topics = tuple(f"q{number}" for number in range(values.shape[2]))
    return Evaluation(("old", "new"), tuple(map(parse_measure, measures)), topics, values)


def drawn(count, topics, shift=0.0, deviation=0.1, seed=0):
    """Values of pairs of runs whose true relative difference is `shift` (count × 2 × topics)."""
    random = np.random.default_rng(seed)
    old = random.beta(5, 4, (count, topics))
    new = old * (1 + shift) + random.normal(0, deviation, (count, topics))
    return np.stack([old, new], axis=1)


def test_verdicts_are_those_of_one_sided_t_tests():
    for seed, (shift, margin) in enumerate(product((0.02, -0.02, -0.06, -0.1), ("5%", 0.02))):
        old, new = drawn(1, 40, shift, 0.06, seed)[0]
        found = gate(of_pair(old, new), margin=margin).verdicts[0]
        better = new - 0.95 * old if margin == "5%" else new - old + 0.02
        p_holds = stats.ttest_1samp(better, 0, alternative="greater").pvalue
        assert found.p_holds == pytest.approx(p_holds)
        holds = p_holds < 0.05
        worse = stats.ttest_1samp(new - old, 0, alternative="less").pvalue
        assert found.p_worse == pytest.approx(worse)
        assert found.verdict == ("holds" if holds else "worse" if worse < 0.05 else "undecided")
        claims = {"holds": found.p_holds, "worse": found.p_worse, "undecided": None}
        assert found.p == claims[found.verdict]
        assert found.beyond == (stats.ttest_1samp(better, 0, alternative="less").pvalue < 0.05)
        assert (found.upper < 0) == (worse < 0.05)
        assert (found.lower > -(0.05 * old.mean() if margin == "5%" else margin)) == holds
        assert (found.needed is None) == (found.reachable is None) == (found.verdict != "undecided")


@pytest.mark.parametrize(("equivalent", "chance"), [(False, 0.8), (True, 0.9)])
def test_undecided_tells_the_topics_that_find_the_margin_with_power_80_percent(equivalent, chance):
    """Each of two tests succeeds in .9, so that both do in .8."""
    old, new = drawn(1, 50, seed=3)[0]
    result = gate(of_pair(old, new), margin="2%", equivalent=equivalent)
    (found,) = result.verdicts
    assert found.verdict == "undecided"
    extra = max((new - 0.98 * old, 1.02 * old - new)[: 1 + equivalent], key=np.std)
    share = 0.02 * old.mean() / extra.std(ddof=1)
    topics = np.arange(2, 3000)
    reach = (
        (stats.t.isf(0.05, 49) + stats.t.ppf(chance, 49)) * extra.std(ddof=1) / 50**0.5 / old.mean()
    )
    assert found.reachable == Margin(pytest.approx(reach), relative=True)
    with np.errstate(divide="ignore"):  # SciPy before 1.12
        power = stats.nct.sf(stats.t.isf(0.05, topics - 1), topics - 1, share * topics**0.5)
    assert found.needed == topics[power >= chance][0]
    add = f"or add {found.needed - 50} topics to these 50 and decide by all of them with --looks 2."
    use = f"Use about {found.needed} new topics, {add}"
    needs = f"2 % needs about {found.needed} if the true difference is 0. {use}"
    assert result.notes()[0].endswith(needs)


def test_rare_failures_are_told_with_the_bound_of_clopper_and_pearson():
    old = np.full(60, 0.5) + np.arange(60) / 1000
    sizes = ((0, "5%", "holds"), (0, "4%", "undecided"), (1, "5%", "undecided"), (1, "8%", "holds"))
    for lost, size, verdict in sizes:
        new = np.where(np.arange(60) < lost, 0.2, old)
        new[10:12] += 0.01
        found = gate(of_pair(old, new), margin=size)
        unseen = stats.beta.ppf(0.95, lost + 1, 60 - lost)
        facts = f"{lost + 2} of 60 topics changed, {lost or 'none'} lost at least half of its value; up to "
        assert facts + f"{100 * unseen:.1f} % of topics may" in found.notes()[0]
        assert found.verdict == verdict
    constant = gate(of_pair(np.array([0.3, 0.5]), np.array([0.4, 0.6])), margin="5%")
    assert constant.verdicts[0].p_holds < 0.05
    assert constant.verdict == "undecided"
    assert "more topics may be lost than the margin of 5 % allows; 2 of 2" in constant.notes()[0]
    missing = "A kind of topic that is 4.9 % of all topics is missing among these 60 with probability .05; if the"
    assert any(
        note.startswith(missing) and note.endswith(" Use at least 149 topics.")
        for note in gate(of_pair(old, old), margin="2%").notes()
    )
    assert not any("missing" in note for note in gate(of_pair(old, old), margin="5%").notes())
    unproved = gate(of_pair(old, old), margin="2%")
    assert unproved.holds
    no_change = (
        "no value changed by nDCG_JK@10, but up to 4.9 % of all topics may have "
        "become worse, with none of them here."
    )
    assert unproved.answer()[0].endswith(no_change)
    assert "they cannot exclude a loss of 2 %; 0 of 60 topics changed" in unproved.notes()[0]
    assert "no value changed" not in gate(of_pair(old, old), margin="5%").answer()[0]
    assert all(gate(of_pair(old, old), margin=tiny).notes() for tiny in (1e-17, 1e-310))
    worse, undecided = (
        gate(of_pair(old, np.where(np.arange(60) < n, 0, old)), margin=0.035) for n in (9, 2)
    )
    assert [worse.verdict, undecided.verdict] == ["worse", "undecided"]
    assert "; 9 of 60 topics changed, 9 lost" in worse.notes()[0]
    few = "so few changes do not show how many topics 0.035 needs; 2 of 60 topics changed, 2 lost"
    assert few in undecided.notes()[0]
    assert (undecided.verdicts[0].reachable, undecided.verdicts[0].needed) == (None, None)


def test_each_of_several_looks_has_its_share_of_the_error():
    p_values = []
    for old, new in drawn(40, 50, shift=-0.02, seed=4):
        p = stats.ttest_1samp(new - 0.95 * old, 0, alternative="greater").pvalue
        found = gate(of_pair(old, new), margin="5%", looks=4.0)
        assert (found.holds, str(found.looks)) == (p < 0.05 / 4, "4")
        p_values.append(p)
    assert {(p < 0.05 / 4, p < 0.05) for p in p_values} == {
        (True, True),
        (False, True),
        (False, False),
    }


def test_smaller_is_better_is_mirrored():
    old, new = drawn(1, 60, -0.2, 0.05)[0]
    assert gate(of_pair(old, new)).verdict == "worse"
    assert gate(of_pair(old, new, "NDPM")).verdict == "holds"
    assert gate(of_pair(new, old, "NDPM")).verdict == "worse"


def test_all_measures_must_hold_and_worse_is_corrected_for_their_number():
    old = drawn(1, 60)[0][0]
    random = np.random.default_rng(1).normal(0, 1, 60)
    fall = (
        old - 0.02 + 0.02 * (random - random.mean()) / random.std(ddof=1) * 60**0.5 / 1.8
    )  # t = -1.8
    single = gate(of_pair(old, fall), margin="1%")
    assert (single.verdict, single.verdicts[0].p < 0.05) == ("worse", True)
    both = gate(of_pair([old, old], [old + 0.05, fall], "nDCG_JK@10", "AP"), margin="1%")
    assert [each.verdict for each in both.verdicts] == ["holds", "undecided"]
    assert both.verdicts[1].p_worse == pytest.approx(2 * single.verdicts[0].p)
    assert both.verdict == "undecided"


def test_equal_runs_hold_without_a_reachable_margin_even_where_no_value_is_above_0():
    for old in (np.zeros(20), np.linspace(0, 1, 20), np.linspace(-0.5, 0.1, 12)):
        found = gate(of_pair(old, old, "KendallTau"))
        assert (found.holds, found.verdicts[0].fallen) == (True, ())
        assert (found.verdicts[0].reachable, found.verdicts[0].needed, found.verdicts[0].p) == (
            None,
        ) * 3


def test_constant_differences_are_decided_by_the_margin():
    old = np.linspace(0.3, 0.7, 12)
    assert gate(of_pair(old, old - 0.01), margin=0.02).holds
    assert gate(of_pair(old, old - 0.03), margin=0.02).verdict == "worse"
    for loss in (
        np.arange(1, 40) / 100
    ):  # not even by rounding errors does a loss of the margin hold
        (found,) = gate(of_pair(old + loss, old), margin=loss).verdicts
        assert (found.verdict, found.p, found.beyond) == ("worse", 2**-12, False)
    (found,) = gate(of_pair(*drawn(1, 400, deviation=1e-6)[0]), margin=0.1).verdicts
    assert 0 < found.p < 1e-300


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
        old, new = drawn(1, 60, (seed % 4) * 0.03, 0.06, seed)[0]
        found = gate(of_pair(old, new), margin=0.02, equivalent=True)
        p = weightstats.ttost_paired(new, old, -0.02, 0.02)[0]
        differs = stats.ttest_rel(new, old).pvalue < 0.05
        assert found.verdict == ("holds" if p < 0.05 else "differs" if differs else "undecided")
        beyond = stats.ttest_1samp(new - old, 0.02, alternative="greater").pvalue < 0.05
        assert found.verdicts[0].beyond == beyond
        verdicts.add((found.verdict, beyond))
    assert verdicts == {
        ("holds", False),
        ("differs", False),
        ("differs", True),
        ("undecided", False),
    }


@pytest.fixture
def hard_topics():
    """Two runs that differ little, and a group of topics by a name that begins with ``hard``."""
    old, new = drawn(1, 60, 0.0, 0.02)[0]
    return old, new, {f"q{number}": "hard" if number < 12 else "easy" for number in range(55)}


def test_groups_are_notes_unless_every_group_must_hold(hard_topics):
    old, new, by = hard_topics
    new[:12] -= 0.1
    found = gate(of_pair(old, new), by=by, margin="10%")
    assert [(each.group, each.verdict, each.topics) for each in found.verdicts] == [
        (None, "holds", 60), ("hard", "worse", 12), ("easy", "holds", 43), ("no group", "too few topics", 5),
    ]  # fmt: skip
    assert found.holds
    assert gate(of_pair(old, new), by=by, margin="10%", every_group=True).verdict == "worse"
    (told,) = gate(of_pair(old, old), by=by, every_group=True).answer()
    assert "not worse than old by nDCG_JK@10 in no group, within" in told


def test_a_group_whose_old_values_are_0_is_no_error(hard_topics):
    old, new, by = hard_topics
    old[:12] = 0
    found = gate(of_pair(old, new), by=by, margin="10%")
    assert (found.verdicts[1].group, found.verdicts[1].verdict) == ("hard", "holds")
    new[:12] = np.eye(1, 12)
    told = gate(of_pair(old, new), by=by, margin="10%").notes()[1]
    assert "in hard: undecided: the old mean is 0, and a share of it allows no loss;" in told
    with pytest.raises(
        GradedError, match="no topic has a group: the groups are those of topics 1; the val"
    ):
        gate(of_pair(old, new), by={"1": "hard"})


def test_holding_over_ties_has_no_correction_for_the_number_of_measures():
    # The new run falls to 1/log2(3) in 10 of 40 topics: e is 2.25 standard errors above 0. Nothing is tied.
    qrels = {f"q{n}": {"a": 1} for n in range(40)}
    old = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    new = old | {f"q{n}": {"a": 1.0, "b": 2.0} for n in range(10)}
    measures = [f"nDCG_Burges@{cutoff}" for cutoff in range(5, 10)]
    for count in (1, 5):
        found = gate(qrels, {"old": old, "new": new}, measures[:count], margin="15%").verdicts[0]
        assert (found.verdict, found.stands_over_ties) == ("holds", True)


def test_drift_names_the_topics_and_rounded_values_are_none():
    qrels, runs = demo.qrels_path(), list(demo.run_paths().items())[:2]
    values = evaluate(qrels, runs, ["nDCG_JK@10"])
    for places in (4, 16):
        assert gate(
            qrels, runs, ["nDCG_JK@10"], stored=replace(values, values=values.values.round(places))
        )
    moved = values.values.round(4)
    moved[0, 0, [3, 5]] += 2e-4
    topics = f"{values.topics[3]}, {values.topics[5]}"
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
    first = {topic: "x" if number < unjudged else "b" for number, topic in enumerate(qrels)}
    runs = {"old": old, "new": {topic: {doc: 1.0} for topic, doc in first.items()}}
    result = gate(qrels, runs, ["nDCG_JK@1"], margin="10%", equivalent=equivalent)
    assert result.verdict == ("differs" if equivalent else "worse")
    turned = {}
    for level in (0, 9):
        judged = {topic: levels | {"x": level} for topic, levels in qrels.items()}
        turned[level] = np.diff(evaluate(judged, runs, ["nDCG_JK@1"]).means()[:, 0])[0] > 0
    assert result.verdicts[0].may_turn == any(turned.values())
    for sentence in (result.answer()[0], result.notes()[0], result.junit()):
        assert ("judgments of unjudged documents could turn" in sentence) == bool(unjudged)


def orders(run):
    """All runs that break the ties of a run in any way."""
    scores = sorted({*run.values()}, reverse=True)
    groups = [[doc for doc in run if run[doc] == score] for score in scores]
    for order in product(*map(permutations, groups)):
        docs = [doc for group in order for doc in group]
        yield {doc: -rank for rank, doc in enumerate(docs)}


def test_verdicts_that_stand_are_the_same_for_every_order_and_judgment():
    random = np.random.default_rng(8)
    seen = set()
    for _ in range(30):
        if len(seen) == 4:
            break
        qrels = {
            f"q{t}": {d: int(random.integers(0, 3)) for d in "ab"} | {"z": 2} for t in range(2)
        }
        old, new = (
            {t: {d: float(random.integers(0, 3)) for d in "abx"} for t in qrels} for _ in range(2)
        )
        found = gate(qrels, {"old": old, "new": new}, ["nDCG_JK@2"], margin=0.9)
        if not found.holds:
            continue

        def held(qrels, runs):
            return gate(qrels, runs, ["nDCG_JK@2"], margin=0.9).holds

        choices = [[(t, o, n) for o in orders(old[t]) for n in orders(new[t])] for t in qrels]
        tied = [
            held(qrels, {"old": {t: o for t, o, _ in chosen}, "new": {t: n for t, _, n in chosen}})
            for chosen in product(*choices)
        ]
        judged = [
            held(
                {t: qrels[t] | {"x": level} for t, level in zip(qrels, levels)},
                {"old": old, "new": new},
            )
            for levels in product((0, 1, 2), repeat=2)
        ]
        for kind, of_all in ((KINDS[0], tied), (KINDS[1], judged)):
            stands = getattr(found.verdicts[0], kind)
            assert all(of_all) or not stands
            seen.add((kind, stands))
    assert seen == {*product(KINDS, (True, False))}


def test_documents_have_the_verdicts():
    old, new = drawn(1, 60, -0.2, 0.05)[0]
    found = gate(of_pair([old, old], [new, old], "AP", "P@5"), margin="5%")
    fallen = found.facts()["fallen"]
    assert [row["topic"] for row in fallen] == [topic for topic, *_ in found.verdicts[0].fallen]
    suite = ElementTree.fromstring(replace(found, new="a\x0cb\ud800").junit())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.get("name") for case in suite.iter("testcase")] == ["AP", "P@5"]
    assert suite.find("testcase/failure").get("type") == "worse"
    assert "a\N{REPLACEMENT CHARACTER}b" in suite[0].get("classname")


def test_a_run_that_lacks_topics_is_noted_in_every_document():
    qrels = {f"q{number}": {"a": 1 + number % 3, "b": 1} for number in range(12)}
    old = {topic: {"b": 2.0, "a": 1.0} for topic in qrels}
    found = gate(qrels, {"old": old, "new": dict([*old.items()][:11])}, "nDCG_JK(gains=exp)@1")
    assert "new lacks 1 topic; the value there is that of an empty ranking." in found.notes()
    assert "new lacks 1 topic" in found.junit()


def test_measures_and_groups_are_one_family_if_every_group_must_hold():
    old, new = np.random.default_rng(5).random((2, 40))
    pair = of_pair(old, new - 0.02)
    groups = {topic: "even" if row % 2 == 0 else "odd" for row, topic in enumerate(pair.topics)}
    apart = gate(pair, margin=0.1, by=groups).verdicts
    together = gate(pair, margin=0.1, by=groups, every_group=True).verdicts
    single = [
        gate(part, margin=0.1).verdicts[0].p_worse
        for part in (pair, pair.on(range(0, 40, 2)), pair.on(range(1, 40, 2)))
    ]
    assert apart[0].p_worse == single[0]
    assert [verdict.p_worse for verdict in together] == pytest.approx(list(holm(single)))
