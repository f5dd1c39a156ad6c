"""The order of the runs under several weightings: agreement, changes of order, and requirements."""

from itertools import combinations

import numpy as np
import pytest

from ir_measures_graded import cli, demo, parse_measure
from ir_measures_graded.analysis import compare, evaluate, sensitivity
from ir_measures_graded.analysis.turns import turns_of
from ir_measures_graded.analysis.whatif import gains_of_levels
from ir_measures_graded.core.registry.facts import gains_of
from ir_measures_graded.errors import InputWarning

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

QRELS = {"q1": {"a": 3, "b": 2, "c": 1, "d": 0}, "q2": {"a": 3, "b": 1, "c": 1, "d": 1}}
RUNS = {
    "high": {"q1": {"a": 1.0}, "q2": {"a": 1.0}},
    "many": {"q1": {"b": 2.0, "c": 1.0}, "q2": {"b": 3.0, "c": 2.0, "d": 1.0}},
    "none": {"q1": {"d": 1.0}, "q2": {"x": 1.0}},
}


@pytest.fixture(scope="module")
def of_demo():
    """Six settings of the bundled collection."""
    measures = ["P", "CG", "nDCG_JK"]
    return sensitivity(
        demo.qrels_path(), demo.run_paths(), measures, gains=["w1", "w100"], cutoffs=[10, 100]
    )


def test_tau_equals_scipy(of_demo):
    means = of_demo.means.round(9)
    for i, j in combinations(range(len(of_demo.settings)), 2):
        peer = stats.kendalltau(means[:, i], means[:, j])[0]
        assert of_demo.tau[i, j] == pytest.approx(peer)
        assert of_demo.tau[j, i] == of_demo.tau[i, j]
    assert (np.diag(of_demo.tau) == 1).all()
    _, rows = of_demo.table()
    assert [row[1:] for row in rows] == of_demo.tau.tolist()


def test_precision_and_flat_cumulated_gain_give_the_same_order(of_demo):
    """Kekäläinen 2005, section 3.2: "CG-w1 gives the same ordering as precision"."""
    names = [str(setting) for setting in of_demo.settings]
    for cutoff in (10, 100):
        p = names.index(f"P@{cutoff}")
        cg = names.index(f"CG w1@{cutoff}")
        assert of_demo.tau[p, cg] == 1
        np.testing.assert_array_equal(of_demo.ranks[:, p], of_demo.ranks[:, cg])


def test_tied_runs_share_a_rank_and_do_not_change_order():
    runs = {**RUNS, "again": RUNS["high"]}
    result = sensitivity(QRELS, runs, ["CG@3"], gains={"w1": "w1", "off": {2: 0, 1: 0}})
    assert result.runs == ("high", "many", "none", "again")
    assert result.ranks.T.tolist() == [[2.5, 1, 4, 2.5], [1.5, 3.5, 3.5, 1.5]]
    assert result.changes(0, 1) == (("many", "again"), ("many", "high"))  # ties by name
    assert result.tau[0, 1] == 0
    rows = [["many", 1, 3.5], ["again", 2.5, 1.5], ["high", 2.5, 1.5], ["none", 4, 3.5]]
    assert result.rank_table().rows == rows


def test_tau_is_undefined_if_all_runs_tie():
    result = sensitivity(QRELS, RUNS, ["CG@3"], gains={"w1": "w1", "nothing": {1: 0, 2: 0, 3: 0}})
    assert not result.changes(0, 1)
    _, rows = result.table()
    assert rows[0] == ["CG@3 w1", 1.0, None]


def test_smaller_values_rank_first_if_smaller_is_better():
    result = sensitivity(QRELS, RUNS, ["NDPM", "NDPM(performance=True)"])
    assert result.tau[0, 1] == 1
    best_first = np.argsort(result.ranks[:, 0])
    assert (np.diff(result.means[best_first, 0]) >= 0).all()


def test_a_run_without_any_value_has_the_last_rank():
    """Accuracy has no value for a topic whose ranking has no relevant document."""
    topics = ("1", "2")
    qrels = {topic: {"a": 1, "b": 0} for topic in topics}
    runs = {
        "none": {topic: {"x": 1.0} for topic in topics},
        "good": {topic: {"a": 2.0, "b": 1.0} for topic in topics},
        "poor": {topic: {"b": 1.0, "a": 0.5} for topic in topics},
    }
    with pytest.warns(InputWarning, match="no value for 2 of 2 topics of none"):
        result = sensitivity(qrels, runs, ["Accuracy@2", "P@2"])
    assert result.ranks[:, 0].tolist() == [3, 1, 2]
    assert "nan" not in str(result)


def test_differences_and_p_are_those_of_compare_under_each_setting(of_demo):
    rows = of_demo.difference_table().records()
    for setting in of_demo.settings:
        peer = compare(demo.qrels_path(), demo.run_paths(), [setting.measure], alpha=0.05)
        expected = {frozenset((row["run"], row["other"])): row for row in peer.records()}
        of_setting = [row for row in rows if row["setting"] == str(setting)]
        assert len(of_setting) == len(expected) == 10
        for row in of_setting:
            peer_row = expected[frozenset((row["run"], row["other"]))]
            difference = peer_row["difference"]
            if row["run"] != peer_row["run"]:
                difference = -difference
            assert row["difference"] == pytest.approx(difference, rel=1e-12)
            assert row["adjusted"] == pytest.approx(peer_row["adjusted"], rel=1e-9)
            assert row["significant"] == (peer_row["adjusted"] < 0.05)


def test_changes_of_order_by_brute_force(of_demo):
    ahead = {}
    is_significant = {}
    for row in of_demo.difference_table().records():
        key = row["setting"], (row["run"], row["other"])
        ahead[key] = row["ahead"]
        is_significant[key] = row["significant"]
    changing = set()
    contradicted = set()
    for first, second in combinations(range(len(of_demo.settings)), 2):
        changes = set()
        significant_changes = set()
        for pair in combinations(of_demo.runs, 2):
            before = str(of_demo.settings[first]), pair
            after = str(of_demo.settings[second]), pair
            leaders = ahead[before], ahead[after]
            if None in leaders or leaders[0] == leaders[1]:
                continue
            changes.add(leaders)
            changing.add(pair)
            if is_significant[before] and is_significant[after]:
                significant_changes.add(leaders)
                contradicted.add(pair)
        assert set(of_demo.changes(first, second)) == changes
        assert set(of_demo.changes(first, second, significant=True)) == significant_changes
    assert changing > contradicted > set()
    assert {tuple(row[:2]) for row in of_demo.swap_table().rows} == changing
    assert f"{len(changing)} of 10 pairs of runs change their order" in of_demo.answer()[2]
    flags = dict(zip(of_demo.pairs, of_demo.contradicted))
    assert {pair for pair in flags if flags[pair]} == contradicted


def test_changes_of_significance_by_brute_force(of_demo):
    by_pair = {}
    for row in of_demo.difference_table().records():
        by_pair.setdefault((row["run"], row["other"]), []).append(row)
    count = 0
    for rows in by_pair.values():
        has_both = len({row["significant"] for row in rows}) == 2
        has_both_orders = len({row["ahead"] for row in rows} - {None}) == 2
        count += has_both
        words = []
        if has_both_orders:
            words.append("order")
        if has_both:
            words.append("significance")
        assert {row["changes"] for row in rows} == {" and ".join(words) or "no"}
    assert count
    sentence = of_demo.answer()[3]
    assert sentence.startswith("Significance (p < .05, paired t over 20 topics, Holm's correction")
    assert sentence.endswith(f"changes with the setting for {count} of 10 pairs.")
    assert not any(note.startswith("Significant") for note in of_demo.notes())


def test_two_runs_have_their_difference_as_compare_has_it():
    runs = {run: demo.run_paths()[run] for run in "AB"}
    result = sensitivity(demo.qrels_path(), runs, ["nDCG_JK@10"])
    peers = []
    for setting in result.settings:
        (peer,) = compare(demo.qrels_path(), runs, [setting.measure], alpha=0.05).records()
        peers.append(peer)
    rows = result.records()
    for row, peer in zip(rows, peers, strict=True):
        assert row["p"] == pytest.approx(peer["adjusted"], rel=1e-9)
        ends = sorted([abs(row["lower"]), abs(row["upper"])])
        assert ends == pytest.approx(sorted([abs(peer["lower"]), abs(peer["upper"])]))
        assert row["significant"] == (peer["adjusted"] < 0.05)
        assert row["lower"] < row["difference"] < row["upper"]
    assert result.answer()[0] == (
        "B is ahead of A under all 4 settings, significantly under 2 of 4 (p < .001 to .353)."
    )
    assert "Significant: p < .05, paired t over 20 topics." in result.notes()
    (forest,) = result.drawings()
    assert forest.filled.tolist() == [row["significant"] for row in rows]
    assert forest.values.tolist() == pytest.approx([row["difference"] for row in rows])


def test_two_runs_without_a_significant_difference_say_so():
    runs = {run: demo.run_paths()[run] for run in "DE"}
    sentence = sensitivity(demo.qrels_path(), runs, ["nDCG_JK@10"], gains=["w1", "w3"]).answer()[0]
    assert sentence.startswith(
        "By nDCG_JK@10, the best run depends on which of 2 weightings is taken: E under w1 (gains "
        "1/1/1 of levels 1/2/3); D under w3 (1/2/3); no difference is significant (p "
    )


def test_low_tau_is_marked_for_people_only(of_demo):
    _, rows = of_demo.tables()[0].cells()
    for row in rows:
        for tau in row[1:]:
            if tau < 0.8:
                mark = "<.8"
            elif tau < 0.9:
                mark = "<.9"
            else:
                mark = ""
            assert f"{tau:.2f}".partition(" ")[2] == mark
    assert "<" not in "".join(of_demo.lines("csv"))


def test_values_of_a_table_have_the_rankings_of_their_measures():
    measures = ["P@10", "nDCG_JK@10", "AP"]
    evaluation = evaluate(demo.qrels_path(), demo.run_paths(), measures)
    of_values = sensitivity(evaluation)
    of_runs = sensitivity(demo.qrels_path(), demo.run_paths(), measures)
    assert of_values.difference_table().rows == of_runs.difference_table().rows
    assert of_values.tables()[0].rows == of_runs.tables()[0].rows
    assert of_values.what_if() is None
    assert sensitivity(evaluation, measures=["AP", "P@10"]).tau[0, 1] == of_runs.tau[0, 2]


def test_few_topics_are_not_tested():
    result = sensitivity(QRELS, RUNS, ["CG@3"], gains=["w1", "w100"])
    assert not result.significant.any()
    assert result.notes()[-1].startswith("Changes are not tested: fewer than 10 topics")
    assert result.notes()[0] == "Gains of level 1/2/3: w1 1/1/1, w100 1/10/100."


def test_without_swaps_the_command_prints_no_table(capsys):
    paths = [str(demo.run_paths()[run]) for run in "AE"]
    words = ["sensitivity", "graded-demo", *paths, "CG@1"]
    assert (
        cli.main([*words, "--gains", "w1", "--gains", "w3", "--show", "swaps", "-f", "text"]) == 0
    )
    printed = capsys.readouterr().out
    assert "No pair of runs changes its order between settings.\nBy CG@1, A overtakes E" in printed
    assert "run  other" not in printed


def test_a_weighting_is_not_compared_with_the_usual_one_that_has_its_gains():
    settings = sensitivity(QRELS, RUNS, ["CG@3"], gains={"mine": {2: 10, 1: 1, 3: 100}}).settings
    alone = sensitivity(QRELS, RUNS, ["CG@3"], gains={"mine": {2: 7}}).settings
    assert len(settings) == len(alone) - 1


@pytest.mark.parametrize("measure", ["nDCG_JK@10", "ERR_G@10", "nDCG_JK(gains=1:1,2:1,3:1)@10"])
def test_the_answer_says_where_the_best_run_turns(measure):
    """The sentence names the nearest gains, around which evaluate finds other best runs."""
    result = sensitivity(demo.qrels_path(), demo.run_paths(), [measure, "AP"])
    (sentence,) = result.turns
    assert result.answer()[-1] == sentence
    study = result.study
    own_gains = gains_of_levels((1, 2, 3), gains_of(parse_measure(measure)))
    turns = turns_of(study, parse_measure(measure), (1, 2, 3), own_gains)
    below_and_above = [turn for turn in (turns.below, turns.above) if turn]
    assert below_and_above
    for turn in below_and_above:
        for share, best in ((0.998, turn.before), (1.002, turn.after)):
            gains = dict(zip((1, 2, 3), [*own_gains[:-1], turn.gain * share], strict=True))
            means = evaluate(study.judgments, study.runs, [parse_measure(measure)(gains=gains)])
            values = means.means()[:, 0]
            assert (result.runs[int(values.argmax())],) == best
        times = f"{turn.gain / own_gains[0]:.3g} times level 1"
        assert times.removeprefix("0") in sentence


def test_the_sentence_on_turns_is_that_of_the_page():
    """`test_the_tipping_point_…` in the browser has the same sentence for the same measure."""
    result = sensitivity(demo.qrels_path(), demo.run_paths(), ["nDCG_JK@10"])
    assert result.turns == [
        "By nDCG_JK@10, E overtakes D when level 3 is worth less than 1.89 times level 1, with "
        "level 2 at 2; if no lower level may gain more than level 3, below a gain of "
        "1.83."
    ]
    turns = turns_of(result.study, parse_measure("Q@10"), (1, 2, 3), (0, 1, 2))
    assert str(turns).endswith(
        "; if no lower level may gain more than level 3, no other run is best at lower gains."
    )
    at_zero = turns_of(result.study, parse_measure("Q@30"), (1, 2, 3), (1, 2, 0))
    assert str(at_zero) == (
        "By Q@30, E overtakes B when level 3 has a gain above 0, with level 1 at 1 and level 2 at "
        "2."
    )
    without_others = sensitivity(
        demo.qrels_path(), demo.run_paths(), ["nDCG_JK(gains=1:0,2:0)@10", "AP"]
    )
    never = "the best run stays the same if the gain of level 3 alone changes, up to 100"
    assert never in without_others.turns[0]
    assert not sensitivity(demo.qrels_path(), demo.run_paths(), ["AP", "P@10"]).turns


def test_gains_without_a_name_have_a_short_one_and_no_sentence_repeats_it():
    gains = ["w1", "1:1,2:2,3:30", "0,1,3,7", "mine=2:5", "1:0"]
    result = sensitivity(QRELS, RUNS, ["CG@3"], gains=gains)
    assert list(result.weightings) == ["w1", "1/2/30", "1/3/7", "mine", "1:0"]
    weightings = "Gains of level 1/2/3: w1 1/1/1, 1/2/30, 1/3/7, mine 1/5/3, 1:0 0/2/3."
    assert result.notes()[0] == weightings
    assert weightings in result._caption
    assert result._caption.count("1/2/30") == 1


def test_two_runs_have_their_means_and_the_levels_of_their_documents():
    qrels = {"1": {"a": 2, "b": 1, "c": 1, "d": 2}, "2": {"a": 2, "b": 1}}
    runs = {"high": {"1": ["a", "x", "d"], "2": ["a"]}, "many": {"1": ["b", "c"], "2": ["b", "a"]}}
    gains = {"flat": "1:1,2:1", "steep": "1:1,2:9"}
    texts = [f"{name}={weights}" for name, weights in gains.items()]
    result = sensitivity(qrels, runs, ["nDCG@2"], gains=texts)
    text = str(result)
    assert (
        "Within the first 2 ranks of the 2 topics, high has 0/2 and many has 3/1 documents" in text
    )
    assert "τ" not in text
    means = {}
    for name, weights in gains.items():
        means[name] = evaluate(qrels, runs, [f"nDCG(gains={weights})@2"]).means()[:, 0].tolist()
    _, rows = result.table()
    expected = [[high, many, high - many] for high, many in means.values()]
    assert [row[1:4] for row in rows] == [pytest.approx(row) for row in expected]
    assert result.records()[0]["setting"] == "nDCG@2 flat"
    lines = " ".join(map(str, sensitivity(QRELS, RUNS, ["AP", "P@2"]).answer()))
    assert "documents of level" not in lines
