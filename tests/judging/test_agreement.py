"""The agreement of judges: LLMJudge's tables, peers, by hand, on runs, resampled, at the edges."""

import csv
import re
from functools import cache
from itertools import cycle, permutations
from pathlib import Path

import numpy as np
import pytest

from ir_measures_graded import GradedError, demo
from ir_measures_graded.analysis import compare, evaluate
from ir_measures_graded.analysis.judging import level_agreement
from ir_measures_graded.analysis.judging.favours import favours
from ir_measures_graded.analysis.judging.judges import judges
from ir_measures_graded.analysis.judging.panel import answers_in
from ir_measures_graded.errors import InputWarning

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

HUMAN = {"q1": {"a": 0, "b": 1, "c": 3}, "q2": {"d": 0, "e": 3, "alone": 1}, "q3": {"f": 2}}
MACHINE = {"q1": {"a": 0, "b": 3, "c": 3, "more": 1}, "q2": {"d": 1, "e": 3}, "q4": {"g": 0}}
LLMJUDGE = Path(__file__).parents[3] / "shared" / "data" / "llmjudge"
PUBLISHED = {
    "kappa": "kappa",
    "kappa_0_123": "kappa 0|123",
    "kappa_01_23": "kappa 01|23",
    "kappa_012_3": "kappa 012|3",
    "alpha": "alpha ordinal",
}
"""The columns of LLMJudge's tables, and the names of these statistics here."""
MEASURES = ["nDCG_JK@10", "NDPM", "P(rel=2)@5"]
RUNS = demo.run_paths()


def with_levels(qrels, new_level):
    """The same documents with other levels, which a function gives for a document and its level."""
    return {
        topic: {doc: new_level(doc, level) for doc, level in levels.items()}
        for topic, levels in qrels.items()
    }


def perturbed(qrels, seed, share=0.3):
    """A judge who gives a part of the documents another level than the qrels."""
    generator = np.random.default_rng(seed)

    def new_level(doc, level):
        if generator.random() < share:
            return int(generator.integers(0, 4))
        return level

    return with_levels(qrels, new_level)


def agreement(human, machine, *runs_and_measures, **options):
    return judges(human, {"machine": machine}, *runs_and_measures, **options).judges[0]


@pytest.fixture(scope="module")
def human():
    return answers_in(demo.qrels_path())[0]


@pytest.fixture(scope="module")
def machine_judge(human):
    """The agreement of a machine that gives many documents another level."""
    return agreement(human, perturbed(human, 1, 0.8), RUNS, MEASURES)


@pytest.mark.skipif(not LLMJUDGE.is_dir(), reason="the judgments of LLMJudge are not here")
def test_the_tables_of_llmjudge_are_reproduced():
    """All numbers of its tables 3 and 4 for the judges there; one judge has a level of 10."""
    with open(LLMJUDGE / "published.csv", encoding="utf-8") as file:
        published = {row.pop("judge"): row for row in csv.DictReader(file)}
    human = LLMJUDGE / "human.txt"
    paths = sorted((LLMJUDGE / "judges").glob("*.gz"))
    levels = "0:0,1:1,2:2,3:3,10:3"
    agreements = judges(human, paths, machine_levels=levels, resamples=100).judges
    mapped = {judge.judge: judge for judge in agreements}
    assert mapped.keys() == published.keys()
    for name, judge in mapped.items():
        for column, text in published[name].items():
            value = judge.statistics[PUBLISHED[column]].value
            assert f"{value:.4f}" == f"{float(text):.4f}", (name, column)
    few = [path for path in paths if path.name.startswith("h2oloo")]
    unmapped = judges(human, few, resamples=100)
    assert len(unmapped.judges) > 1
    for judge in unmapped.judges:
        has_level_10 = judge.judge == "h2oloo-zeroshot2"
        assert (judge.statistics != mapped[judge.judge].statistics) is has_level_10
        assert judge.counts["abstentions"] == has_level_10
    outside = (
        "h2oloo-zeroshot2: the human's levels are 0, 1, 2 and 3; 1 of 4,423 answers is outside"
    )
    assert outside in unmapped.remark_notes()[0]


def test_kappas_and_alphas_equal_those_of_peers(human):
    kappa = pytest.importorskip(
        "sklearn.metrics", reason="scikit-learn is not installed"
    ).cohen_kappa_score
    alpha = pytest.importorskip("krippendorff", reason="krippendorff is not installed").alpha
    one_level = with_levels(human, lambda doc, level: 1)
    many = with_levels(human, lambda doc, level: 30 * level + int(doc[1:]) % 18)
    more = with_levels(human, lambda doc, level: 30 * level + int(doc[1:]) % 7)
    for one, other in ((human, perturbed(human, 4)), (human, one_level), (many, more)):
        pairs = [
            (level, other[topic][doc])
            for topic, judged in one.items()
            for doc, level in judged.items()
        ]
        levels = np.array(pairs, dtype=float).T
        distances = np.abs(np.subtract.outer(*levels))
        expected = {
            "alpha interval": alpha(levels, level_of_measurement="interval"),
            "alpha ordinal": alpha(levels, level_of_measurement="ordinal"),
            "kappa": kappa(*levels),
            "kappa linear": 1 - np.mean(np.diag(distances)) / np.mean(distances),
            "kappa quadratic": 1 - np.mean(np.diag(distances) ** 2) / np.mean(distances**2),
        }
        statistics = agreement(one, other, resamples=100).statistics
        for name, value in expected.items():
            assert statistics[name].value == pytest.approx(value, abs=1e-12), name


def slow_alpha(judgments):
    """Krippendorff's ordinal α from its definition: the pairs of judgments of each document."""
    units = [[level for level in unit if level == level] for unit in judgments.T]
    units = [unit for unit in units if len(unit) > 1]
    every = sorted(level for unit in units for level in unit)

    @cache
    def distance(one, other):
        low, high = sorted((one, other))
        between = sum(low <= level <= high for level in every)
        return (between - (every.count(low) + every.count(high)) / 2) ** 2

    observed = sum(
        sum(distance(one, other) for one, other in permutations(unit, 2)) / (len(unit) - 1)
        for unit in units
    )
    by_chance = sum(distance(one, other) for one, other in permutations(every, 2))
    return 1 - observed * (len(every) - 1) / by_chance


@pytest.mark.parametrize("kept", [1, 0.6, 0.2])
def test_joint_alpha_of_many_judges_equals_that_of_peers(human, kept):
    alpha = pytest.importorskip("krippendorff", reason="krippendorff is not installed").alpha
    generator = np.random.default_rng(5)
    few = {topic: dict(list(levels.items())[:6]) for topic, levels in human.items()}
    machines = {}
    for seed in range(3):
        answers = perturbed(few, seed)
        machines[f"m{seed}"] = {
            topic: {doc: level for doc, level in levels.items() if generator.random() < kept}
            for topic, levels in answers.items()
        }
    # Documents that the human did not judge do not count.
    machines["m0"]["only machine"] = {"z": 1}
    found = judges(few, machines, resamples=100)
    units = [(topic, doc) for topic, levels in few.items() for doc in levels]
    rows = [
        [qrels.get(topic, {}).get(doc, np.nan) for topic, doc in units]
        for qrels in (few, *machines.values())
    ]
    judgments = np.array(rows, dtype=float)
    expected = alpha(judgments, level_of_measurement="ordinal")
    assert found.joint.alpha.value == pytest.approx(expected, abs=1e-12)
    assert found.joint.alpha.value == pytest.approx(slow_alpha(judgments), abs=1e-12)
    assert found.joint.judges == 4
    assert found.joint.documents == (~np.isnan(judgments[1:])).any(axis=0).sum()
    assert found.joint.alpha.lower < expected < found.joint.alpha.upper
    sentence = "Krippendorff's α of all 4 judges together, the human among them, is "
    assert any(sentence in str(note) for note in found.answer())


def test_joint_alpha_of_two_judges_is_theirs(human):
    """A machine without another answer than the first one adds no pair but its own."""
    machine = perturbed(human, 2)
    topic, document = next((topic, next(iter(levels))) for topic, levels in human.items())
    silent = {topic: {document: machine[topic][document]}}
    of_one = judges(human, {"machine": machine}, resamples=100)
    assert of_one.joint is None
    joint = judges(human, {"machine": machine, "silent": silent}, resamples=100).joint
    alone = of_one.judges[0].statistics["alpha ordinal"]
    assert joint.alpha.value == pytest.approx(alone.value, abs=0.01)
    assert joint.alpha.value != alone.value
    same = judges(human, {"one": human, "other": human}, resamples=100)
    assert same.joint.alpha.value == 1
    flat = with_levels(human, lambda doc, level: 1)
    assert judges(flat, {"one": flat, "other": flat}, resamples=100).joint.alpha.value is None


def test_orders_with_ties_do_not_depend_on_the_order_of_the_runs(human):
    tied = {"B": RUNS["B"], "copy of B": RUNS["B"], "copy of E": RUNS["E"]} | RUNS
    reverse = dict(reversed(tied.items()))
    machine = perturbed(human, 2, 0.5)

    def statistics_of(runs):
        return agreement(human, machine, runs, ["P@5"], resamples=100).orders[0].statistics

    forth = statistics_of(tied)
    back = statistics_of(reverse)
    assert forth["RBO"].value == pytest.approx(back["RBO"].value, abs=1e-12)
    assert forth["tau"].value == pytest.approx(back["tau"].value, abs=1e-12)
    # Runs tie under the human.
    assert forth["tau_AP"].value is None
    assert back["tau_AP"].value is None
    by_human = evaluate(human, tied, ["P@5"]).means()[:, 0].round(9)
    by_machine = evaluate(machine, tied, ["P@5"]).means()[:, 0].round(9)
    assert forth["tau"].value == pytest.approx(stats.kendalltau(by_human, by_machine)[0])
    assert forth["rho"].value == pytest.approx(stats.spearmanr(by_human, by_machine)[0])


def test_topics_without_a_value_are_left_out_and_counted():
    """Accuracy has no value for a topic whose ranking has no relevant document."""
    topics = [str(number) for number in range(12)]
    human = {topic: {"a": 1, "b": 0, "c": int(topic) % 2} for topic in topics}
    machine = {topic: {"a": 1, "b": int(int(topic) % 3 == 0), "c": 0} for topic in topics}
    run_a = {topic: {"x": 9.0, "a": 3.0, "b": 2.0, "c": 1.0} for topic in topics}
    run_b = {topic: {"x": 9.0, "b": 3.0, "a": 2.0, "c": 1.0} for topic in topics}
    run_b["4"] = {"x": 9.0, "y": 1.0}
    runs = {"A": run_a, "B": run_b}
    with pytest.warns(InputWarning, match="no value for 1 of 12 topics of B"):
        result = judges(human, {"machine": machine}, runs, ["Accuracy@4"], resamples=100)
    (order,) = result.judges[0].orders
    del human["4"], machine["4"]
    without_4 = agreement(human, machine, runs, ["Accuracy@4"], resamples=100).orders[0]
    assert order.statistics == without_4.statistics
    assert order.halves == without_4.halves
    assert any("no value for 1 of 12 topics of B" in str(remark) for remark in result.remarks)
    assert not re.search(r"\bnan\b", f"{result}{result.records()}")


def numbered(qrels, topics):
    """The judgments of these topics, which may repeat, under other names."""
    return {str(number): qrels[topic] for number, topic in enumerate(topics)}


def test_intervals_are_percentiles_over_resampled_topics(human, machine_judge):
    machine = perturbed(human, 1, 0.8)
    topics = list(human)
    by_human = evaluate(human, RUNS, ["P(rel=2)@5"]).values[:, 0]
    by_machine = evaluate(machine, RUNS, ["P(rel=2)@5"]).values[:, 0]
    generator = np.random.default_rng(5)
    taus = []
    kappas = []
    for number in range(120):
        places = generator.choice(len(topics), len(topics))
        means = by_human[:, places].mean(axis=1).round(9)
        machine_means = by_machine[:, places].mean(axis=1).round(9)
        taus.append(stats.kendalltau(means, machine_means)[0])
        if number % 4 == 0:
            resample = [topics[place] for place in places]
            judge = agreement(numbered(human, resample), numbered(machine, resample), resamples=100)
            kappas.append(judge.statistics["kappa quadratic"].value)
    for statistic, resampled in (
        (machine_judge.orders[2].statistics["tau"], taus),
        (machine_judge.statistics["kappa quadratic"], kappas),
    ):
        percentiles = np.nanquantile(resampled, [0.025, 0.975])
        assert statistic[1:] == pytest.approx(percentiles, abs=0.7 * np.std(resampled))
        assert statistic.lower <= statistic.value <= statistic.upper


def significant_winners(qrels, measure):
    """The better run of each pair of runs whose difference is significant."""
    tests = compare(qrels, RUNS, [measure]).find(measure)
    return {frozenset((test.run, test.other)): test.better for test in tests if test.significant}


def test_significant_pairs_are_agreed_upon_or_reversed(human):
    measure = "P(rel=2)@5"
    backwards = with_levels(human, lambda doc, level: 3 - level)
    winners = significant_winners(human, measure)
    same = agreement(human, human, RUNS, [measure]).orders[0]
    assert (same.significant, same.agreed, same.reversed) == (len(winners), 1, 0)
    winners_backwards = significant_winners(backwards, measure)
    reverse = [
        pair for pair, better in winners.items() if winners_backwards.get(pair, better) != better
    ]
    assert reverse
    other = agreement(human, backwards, RUNS, [measure]).orders[0]
    assert other.reversed == pytest.approx(len(reverse) / len(winners))
    assert other.agreed == 0


def test_abstentions_and_documents_without_an_answer_are_counted(tmp_path):
    path = tmp_path / "machine.csv"
    path.write_text("topic,document,level\nq1,a,0\nq1,b,\nq1,c,3\nq2,d,?\nq2,new,1\n")
    (judge,) = judges(HUMAN, [path]).judges
    assert judge.judge == "machine"
    assert list(judge.counts.values())[:4] == [2, 5, 2, 1]


@pytest.mark.filterwarnings("always::ir_measures_graded.errors.InputWarning")
def test_a_run_is_warned_of_once_and_what_only_a_machine_shows_is_too(recwarn):
    human = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0}}
    more = human | {"q3": {"a": 1}}
    whole = {topic: {"a": 2.0, "b": 1.0} for topic in more}
    runs = {"A": whole, "B": {"q1": {"a": 2.0, "b": 1.0}}}
    by_human = "B: the run lacks 1 of 2 topics of the qrels (q2); it counts, mostly as 0, as in trec_eval -c"
    by_machine = "m: B: the run lacks 2 of 3 topics of the qrels (q2 and q3); they count, mostly as 0, as in trec_eval -c"
    for machine, texts in ((human, [by_human]), (more, [by_human, by_machine])):
        recwarn.clear()
        judges(human, {"m": machine}, runs, ["CG@2"], resamples=100)
        assert [str(warning.message) for warning in recwarn] == texts
    recwarn.clear()
    judges(human, {"m": human}, {"A": whole, "B": {}}, ["CG@2"], resamples=100)
    assert str(recwarn[0].message) == "B: the run is empty"
    assert {warning.filename for warning in recwarn} == {__file__}


def test_equal_levels_have_no_kappa_and_equal_runs_no_tau():
    runs = {name: {"q1": {"a": 2.0, "b": 1.0}} for name in "AB"}
    judge = agreement({"q1": {"a": 1, "b": 1}}, {"q1": {"a": 1, "b": 1}}, runs, ["P@1"])
    assert {statistic.value for statistic in judge.statistics.values()} == {None}
    assert judge.counts["same"] == 1
    assert judge.orders[0].tau is None


def test_each_judge_has_a_row(human):
    machines = {"one": perturbed(human, 1), "two": perturbed(human, 2, 0.8)}
    result = judges(human, machines, RUNS, MEASURES, resamples=100)
    for judge, name, record in zip(result.judges, machines, result.records(), strict=True):
        alone = agreement(human, machines[name], RUNS, MEASURES, resamples=100)
        assert judge.statistics == alone.statistics
        assert judge.orders == alone.orders
        assert record["judge"] == name
        assert record["tau NDPM"] == judge.orders[1].tau
        counts = [record.get(f"{a}>{b}", 0) for a in range(4) for b in range(4)]
        assert sum(counts) == record["documents"]
        assert record["kappa 01|23 lower"] == judge.statistics["kappa 01|23"].lower
    rows = result.level_table().rows[:4]
    confusion = result.judges[0].confusion
    assert [row[2:] for row in rows] == confusion.tolist()
    *with_sums, sums = result.level_table(totals=True).rows[:5]
    assert [row[-1] for row in with_sums] == confusion.sum(axis=1).tolist()
    assert sums[1:] == ["all", *confusion.sum(axis=0).tolist(), confusion.sum()]
    best = result.best.confusion - np.diag(np.diag(result.best.confusion))
    row, column = np.argwhere(best == best.max())[0].tolist()
    text = f"{result.best.judge}: {best.max()} documents of the human's level {row} are judged"
    assert result.level_answer()[0] == f"Most differences of {text} {column}."
    assert [table.rows[0][0] for table in result.kappa_tables()] == [result.best.judge] * 2
    assert "kappa 01|23" not in result.to_latex().replace("\\textbar{}", "|")
    markdown = judges(human, {"one": machines["one"]}).to_markdown()
    assert "kappa 01|23" in markdown.replace("\\", "")


def test_many_levels_cost_no_more_than_the_documents_do():
    """A confusion matrix of these levels would have 6 million cells in each topic."""
    human = {f"q{t}": {f"d{d}": 100 * t + d for d in range(100)} for t in range(25)}
    machine = with_levels(human, lambda doc, level: 2499 - level)
    result = judges(human, {"m": machine}, resamples=100.0, seed=0.0)
    statistics = result.judges[0].statistics
    assert statistics["kappa"].value == pytest.approx(0, abs=1e-3)
    assert statistics["kappa linear"].value == pytest.approx(-0.5, abs=1e-3)
    assert max(len(line) for line in result.to_markdown().splitlines()) < 1000
    with pytest.raises(GradedError, match="there are 2500 levels; their table is for at most 12"):
        result.level_table()


def test_topics_far_from_the_human_come_first_with_their_farthest_document():
    human = {"q1": {"a": 1, "b": 0}, "q2": {"c": 3}, "q3": {"a": 2, "b": 3, "c": 0}, "q4": {"z": 1}}
    machine = {"q3": {"c": 1, "x": 3, "b": 0}, "q1": {"a": 1, "b": 1}, "q2": {"c": 3}}
    result = judges(human, {"m": machine}, resamples=100)
    assert result.topic_table().rows == [
        ["m", "q3", 2, 0.0, 2.0, "b", 3, 0],
        ["m", "q1", 2, 0.5, 0.5, "b", 0, 1],
        ["m", "q2", 1, 1.0, 0.0, None, None, None],
    ]


@pytest.mark.parametrize("factor", [1e-300, 5e307])
def test_agreement_does_not_depend_on_the_unit_of_the_scale(factor):
    def values_of(human, machine):
        statistics = agreement(human, machine, resamples=100).statistics
        return [statistic.value for statistic in statistics.values()]

    scaled_human = with_levels(HUMAN, lambda doc, level: factor * level)
    scaled_machine = with_levels(MACHINE, lambda doc, level: factor * level)
    scaled = values_of(scaled_human, scaled_machine)
    np.testing.assert_allclose(scaled, values_of(HUMAN, MACHINE), rtol=1e-12)


EIGHT_RUNS = tuple("ABCDEFGH")


def values_by_both(seed, topics=60):
    """Values of eight runs by a human, and by a machine that follows a line with some noise."""
    generator = np.random.default_rng(seed)
    human = generator.random((8, topics)) + np.linspace(0, 0.4, 8)[:, None]
    machine = 0.2 + 0.6 * human + generator.normal(0, 0.1, human.shape)
    return human, machine


def test_the_favour_of_a_run_is_its_distance_from_the_line_of_the_others():
    human, machine = values_by_both(0)
    machine[3] += 0.15
    x = human.mean(axis=1)
    y = machine.mean(axis=1)
    wide = favours(EIGHT_RUNS, human, machine, 0.95)
    for run, favour in enumerate(wide):
        others = np.arange(8) != run
        slope, intercept = np.polyfit(x[others], y[others], 1)
        assert favour.value == pytest.approx(y[run] - intercept - slope * x[run])
        assert favour.lower < favour.value < favour.upper
    assert [favour.run for favour in wide if favour.verdict == "favoured"] == ["D"]
    narrow = favours(EIGHT_RUNS, human, machine, 0.5)
    ratio = (wide[3].upper - wide[3].lower) / (narrow[3].upper - narrow[3].lower)
    most = stats.t.isf((1 - 0.95 ** (1 / 8)) / 2, 59)
    least = stats.t.isf((1 - 0.5 ** (1 / 8)) / 2, 59)
    assert ratio == pytest.approx(most / least)


@pytest.mark.parametrize("kind", ["constant judge", "two rankings", "same topics"])
def test_no_favour_is_made_of_rounding_errors(kind):
    human, machine = values_by_both(0)
    if kind == "constant judge":
        human[1:] = 0.3 + 1e-7 * human[1:]
        machine[:] = 0.7
    elif kind == "two rankings":
        rows = [0] * 4 + [1] * 4
        human = human[rows]
        machine = machine[rows]
    else:
        human[:] = human[:, :1]
        machine = human
    all_favours = favours(EIGHT_RUNS, human, machine, 0.95)
    assert len(all_favours) == 8
    assert max(abs(favour.value) for favour in all_favours) < 1e-300
    assert not any(favour.verdict for favour in all_favours)


def test_a_run_has_no_favour_if_all_others_have_one_mean():
    human, machine = values_by_both(0)
    human[2:] = [np.random.default_rng(run).permutation(human[1]) for run in range(6)]
    human[2::2] += 4 * np.spacing(human[2::2])
    assert "A" not in {favour.run for favour in favours(EIGHT_RUNS, human, machine, 0.95)}
    assert not favours(EIGHT_RUNS, np.ones((8, 60)), machine, 0.95)


def test_a_favour_comes_with_the_advice_to_believe_the_largest_first():
    human = {}
    for topic in range(30):
        human[f"q{topic}"] = {f"d{doc}": (doc * (topic + 2)) % 4 for doc in range(30)}
    runs = {}
    for run in range(6):
        scores = {f"d{doc}": -(doc * (3 * run + 1) % 31) for doc in range(30)}
        runs[f"r{run}"] = dict.fromkeys(human, scores)
    scores = runs["r2"]["q0"]
    best = sorted(scores, key=scores.get)[-10:]
    favouring = {topic: levels | dict.fromkeys(best, 3) for topic, levels in human.items()}
    machines = {"one": {"q0": {"d0": 0}}, "m": favouring}
    result = judges(human, machines, runs, ["nDCG_JK@10"], resamples=100)
    first_row = result.favour_table(named=True).rows[0]
    assert first_row[2] == "r2"
    assert any("believe the largest favour of a judge first" in note for note in result.notes())
    (answer,) = result.favour_answer()
    assert str(answer).startswith("By nDCG_JK@10, m favours r2, +.")
    assert answer in result.answer()
    assert "believe the largest favour" in str(result.favour_notes()[0])


@pytest.mark.parametrize(
    ("measure", "runs", "reason"),
    [
        ("nDCG_JK@10", "ABCDE", "a favour needs at least 6 runs; there are 5"),
        ("nDCG_JK@100", "ABCDEF", "only measures with a cutoff of at most 20"),
        ("Q", "ABCDEF", "only measures with"),
        ("nCG@10", "ABCDEF", "a discount"),
        ("nDCG_JK(b=20)@20", "ABCDEF", "a discount"),
        ("MSR(ideal='retrieved')@10", "ABCDEF", "an ideal list of all judged documents"),
        ("nDCG@1", "ABCDEF", ""),
        ("nDCG@20", "ABCDEF", ""),
    ],
)
def test_favours_are_refused_with_the_reason(human, measure, runs, reason):
    rankings = dict(zip(runs, cycle(RUNS.values())))
    result = judges(human, {"m": perturbed(human, 1)}, rankings, [measure], resamples=100)
    notes = " ".join(result.notes())
    assert bool(result.judges[0].orders[0].favours) is not bool(reason)
    assert ("prefer a cutoff of 10" in notes) is (measure == "nDCG@20")
    if reason:
        assert reason in notes
        with pytest.raises(GradedError, match=reason):
            result.favour_table()


def test_the_yardstick_is_the_humans_own_order_on_random_halves(human, machine_judge):
    values = evaluate(human, RUNS, ["P(rel=2)@5"]).values[:, 0]
    generator = np.random.default_rng(8)
    taus = []
    for _ in range(400):
        half, other_half = np.split(generator.permutation(values.shape[1]), 2)
        means = values[:, half].mean(axis=1).round(9)
        other_means = values[:, other_half].mean(axis=1).round(9)
        taus.append(stats.kendalltau(means, other_means)[0])
    order = machine_judge.orders[2]
    assert order.halves == pytest.approx(np.nanmean(taus), abs=4 * np.std(taus) / 400**0.5)
    moves = "less" if order.tau >= order.halves else "more"
    assert order.moves == moves


# ---------------------------------------------------------------- two judges


def kappa_of(human, machine, topics):
    """Cohen's κ over the documents of some topics, which may repeat."""
    pairs = [(human[topic][doc], machine[topic][doc]) for topic in topics for doc in human[topic]]
    human_levels, machine_levels = np.array(pairs).T
    observed = (human_levels == machine_levels).mean()
    human_shares = np.bincount(human_levels, minlength=4) / len(pairs)
    machine_shares = np.bincount(machine_levels, minlength=4) / len(pairs)
    expected = human_shares @ machine_shares
    return (observed - expected) / (1 - expected)


def test_the_difference_of_two_judges_has_the_interval_of_resampled_topics(human):
    machines = {"good": perturbed(human, 1, 0.2), "bad": perturbed(human, 2, 0.3)}
    result = judges(human, machines, resamples=100, seed=5)
    (difference,) = result.differences
    kappas = {judge.judge: judge.statistics["kappa"].value for judge in result.judges}
    assert difference.best == max(kappas, key=kappas.get)
    assert difference.value == pytest.approx(kappas["good"] - kappas["bad"])
    topics = list(human)
    draws = np.random.default_rng(5).multinomial(20, np.full(20, 1 / 20), 100)
    resampled = []
    for weights in draws.tolist():
        resample = [topic for topic, count in zip(topics, weights) for _ in range(count)]
        good = kappa_of(human, machines["good"], resample)
        bad = kappa_of(human, machines["bad"], resample)
        resampled.append(good - bad)
    ends = stats.t.interval(0.95, 19, difference.value, np.std(resampled, ddof=1))
    assert (difference.lower, difference.upper) == pytest.approx(ends)


def test_judges_are_told_apart_or_not(human):
    good = perturbed(human, 1, 0.2)
    bad = perturbed(human, 2, 0.7)
    alike = judges(human, {"x": good, "y": good})
    assert alike.differences[0][2:5] == (0.0, 0.0, 0.0)
    assert alike.answer()[1].endswith(
        "above that of y: not shown to differ with 20 topics, which may be too few."
    )
    assert judges(human, {"x": bad, "y": good}).answer()[1].endswith("above that of x.")
    several = judges(human, {"x": bad, "y": good, "z": perturbed(human, 3, 0.2)})
    assert [other.verdict for other in several.differences] == ["not shown to differ", "lower"]
    assert several.answer()[1].endswith(
        "by κ, with intervals for all 3 pairs of judges; 20 topics may be too few."
    )
    assert judges(human, {"x": good}).differences == ()


def test_the_most_lenient_and_the_strictest_judge_are_named():
    human = {"q1": {"a": 0, "b": 1, "c": 2}, "q2": {"d": 0, "e": 2, "f": 1}}
    lenient = {"q1": {"a": 1, "b": 2, "c": 2}, "q2": {"d": 0, "e": 2, "f": 1}}
    strict = {"q1": {"a": 0, "b": 0, "c": 2}, "q2": {"d": 0, "e": 2, "f": 1}}
    machines = {"kind": lenient, "hard": strict, "stern": strict}
    sentence = (
        "By the mean of the levels, kind is the most lenient (bias +.33, −3.90 to 4.57, not shown "
        "to be lenient), hard and stern are the strictest (−.17, −2.28 to 1.95, not shown to be "
        "strict)."
    )
    assert sentence in judges(human, machines, resamples=100).answer()
    alike = judges(human, {"hard": strict, "stern": strict}, resamples=100)
    assert "lenient" not in " ".join(alike.answer())
    one_topic = {name: {"q1": levels["q1"]} for name, levels in machines.items()}
    (alone,) = (text for text in judges(human, one_topic).answer() if "lenient" in text)
    assert alone.endswith("most lenient (bias +.67), hard and stern are the strictest (−.33).")


def test_no_judge_is_the_strictest_of_those_shown_to_be_lenient():
    human = {topic: {"a": 0, "b": 1, "c": 1, "d": 2} for topic in ("q1", "q2", "q3")}
    raised = {topic: {"a": 1, "b": 2, "c": 2, "d": 2} for topic in human}
    mixed = {topic: levels | {"a": 0} for topic, levels in raised.items()}
    (text,) = (
        text for text in judges(human, {"x": raised, "y": mixed}).answer() if "lenient" in text
    )
    assert text.endswith(
        "x is the most lenient (bias +.75, .75 to .75), y is the least lenient (+.50, .50 to .50)."
    )
    (text,) = (
        text for text in judges(raised, {"x": human, "y": mixed}).answer() if "strict" in text
    )
    assert text.endswith(
        "y is the least strict (bias −.25, −.25 to −.25), x is the strictest (−.75, −.75 to −.75)."
    )


def test_a_run_that_a_judge_places_much_higher_is_named_first():
    """The judge gives the highest level to what the worst run has at its top."""
    human = {topic: {"a": 3, "b": 2, "c": 1, "d": 0} for topic in "123"}
    favouring = {topic: {"a": 2, "b": 1, "c": 0, "d": 3} for topic in "123"}
    runs = {doc: {topic: [doc] for topic in "123"} for doc in "abcd"}
    machines = {"own": favouring, "copy": human}
    answer = judges(human, machines, runs, ["nDCG@1"], resamples=100).answer()
    assert answer[1] == "By nDCG@1, d is 4th under the human, 1st under own."
    unmoved = judges(human, {"copy": human}, runs, ["nDCG@1"], resamples=100)
    assert "under the human" not in " ".join(unmoved.answer())


def test_the_order_under_few_human_labels_is_restricted_in_the_sentence():
    machine = {topic: {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2} for topic in "123"}
    human = {topic: {"a": 2, "b": 1, "z": 0} for topic in "123"}
    runs = {"x": {topic: [*"abc"] for topic in "123"}, "y": {topic: [*"ace"] for topic in "123"}}
    with pytest.warns(InputWarning, match="y: 67 % of the top 3 are unjudged"):
        found = judges(human, {"m": machine}, runs, ["P@3"], resamples=100)
    assert str(found.answer()[0]).endswith(
        "runs with τ −1.00 by P@3 (0 of 1 pair in the same order), where the human judged 50 % of the documents that the machine "
        "judged within the cutoff of the runs; the others count as not relevant, so the order is "
        "not the human's."
    )
    notes = list(map(str, found.notes()))
    assert "τ of 2 runs is 1, −1 or undefined; moves and halves tell nothing." in notes
    assert notes[-1] == "kappa 0|12: κ with the levels divided in two, below and from 1."
    complete = judges(machine, {"m": machine}, runs, ["P@3"], resamples=100)
    assert "where the human judged" not in str(complete.answer()[0])
    several = judges(machine, {"m": machine, "n": machine}, resamples=100)
    assert "divided in two, below" not in " ".join(map(str, several.notes()))


def test_resamples_of_many_levels_are_refused(monkeypatch):
    monkeypatch.setattr(level_agreement, "MOST_PAIRS", 1_000)
    with pytest.raises(GradedError, match=r"pairs of levels in topics: .* use fewer resamples"):
        judges(HUMAN, {"machine": HUMAN})


def test_the_first_sentence_names_the_runs_that_change_places():
    levels = {"a": 2, "b": 1, "c": 0, "d": 0}
    human = {f"q{number}": dict(levels) for number in range(6)}
    machine = {topic: levels | {"a": 1, "b": 2} for topic in human}
    runs = {name: {topic: [name] for topic in human} for name in "abcd"}
    sentence = judges(human, {"m": machine}, runs, ["CG@1"], resamples=100).answer()[0]
    assert sentence.endswith("by CG@1 (5 of 6 pairs in the same order); a and b change places.")
    runs.pop("b")
    assert "places" not in judges(human, {"m": machine}, runs, ["CG@1"], resamples=100).answer()[0]


@pytest.mark.parametrize("is_even", [True, False])
def test_bias_has_the_interval_of_student_over_topics(is_even):
    """With as many documents in each topic, the sample is that of the topics' means. Else each
    topic counts by its documents (HC2, Satterthwaite)."""
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(3)
    human = {}
    kind = {}
    for topic in range(20):
        size = 30 if is_even else 5 + 3 * topic
        levels = random.integers(0, 4, size)
        raised = np.clip(levels + random.integers(-1, 3, size) * (topic % 2), 0, 3)
        human[f"q{topic}"] = {f"d{n}": level for n, level in enumerate(levels.tolist())}
        kind[f"q{topic}"] = {f"d{n}": level for n, level in enumerate(raised.tolist())}
    gaps = [[kind[topic][doc] - human[topic][doc] for doc in human[topic]] for topic in human]
    means = np.array([np.mean(of_topic) for of_topic in gaps])
    shares = np.array([len(of_topic) for of_topic in gaps]) / sum(map(len, gaps))
    bias = shares @ means
    factors = shares**2 / (1 - shares)
    residuals = np.eye(20) - shares[:, None] - shares + (shares**2).sum()
    degrees = (factors @ residuals.diagonal()) ** 2 / (factors @ residuals**2 @ factors)
    error = (factors @ (means - bias) ** 2) ** 0.5
    expected = stats.t.interval(0.95, degrees, bias, error)
    if is_even:
        assert expected == pytest.approx(stats.t.interval(0.95, 19, bias, stats.sem(means)))
    result = judges(human, {"kind": kind, "same": human}, resamples=100)
    (judge,) = (judge for judge in result.judges if judge.judge == "kind")
    assert judge.bias.value == pytest.approx(bias)
    assert (judge.bias.lower, judge.bias.upper) == pytest.approx(expected)
    record = result.records()[0]
    assert (record["bias lower"], record["bias upper"]) == judge.bias[1:]
    (text,) = (sentence for sentence in result.answer() if "most lenient" in sentence)
    assert "not shown to be lenient" not in text
    assert "same is the strictest (+.00, .00 to .00, not shown to be strict)" in text


def test_one_topic_gives_no_interval():
    human = {"q": {"a": 0, "b": 1, "c": 2, "d": 0}}
    machine = {"q": {"a": 0, "b": 1, "c": 1, "d": 1}}
    agreement = judges(human, {"llm": machine}, resamples=100)
    (judge,) = agreement.judges
    for statistic in (judge.statistics["kappa"], judge.statistics["alpha ordinal"]):
        assert statistic.value is not None
        assert (statistic.lower, statistic.upper) == (None, None)
    text = str(agreement)
    assert "agrees with the human on 50 % of 4 documents, κ .27." in text
    assert "κ and α have no interval, as one topic does not show how others differ." in text
