"""The agreement of judges: LLMJudge's tables, peers, by hand, on runs, resampled, and at the edges."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from ir_measures_graded import GradedError, demo
from ir_measures_graded.analysis import compare, evaluate
from ir_measures_graded.analysis.judging.favours import favours
from ir_measures_graded.analysis.judging.judges import judges
from ir_measures_graded.analysis.judging.panel import answers_in
from ir_measures_graded.errors import InputWarning

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

HUMAN = {"q1": {"a": 0, "b": 1, "c": 3}, "q2": {"d": 0, "e": 3, "alone": 1}, "q3": {"f": 2}}
MACHINE = {"q1": {"a": 0, "b": 3, "c": 3, "more": 1}, "q2": {"d": 1, "e": 3}, "q4": {"g": 0}}
LLMJUDGE = Path(__file__).parents[3] / "shared" / "data" / "llmjudge"
PUBLISHED = {f"kappa_{of.replace('|', '_')}": f"kappa {of}" for of in ("0|123", "01|23", "012|3")}
PUBLISHED |= {"kappa": "kappa", "alpha": "alpha ordinal"}
MEASURES = ["nDCG_JK@10", "NDPM", "P(rel=2)@5"]
RUNS = demo.run_paths()


def perturbed(qrels, seed, share=0.3):
    """A judge who gives a part of the documents another level than the qrels."""
    generator = np.random.default_rng(seed)
    return {
        topic: {
            doc: int(generator.integers(0, 4)) if generator.random() < share else level
            for doc, level in judged.items()
        }
        for topic, judged in qrels.items()
    }


def agreement(human, machine, *given, **options):
    return judges(human, {"machine": machine}, *given, **options).judges[0]


@pytest.fixture(scope="module")
def human():
    return answers_in(demo.qrels_path())[0]


@pytest.fixture(scope="module")
def found(human):
    return agreement(human, perturbed(human, 1, 0.8), RUNS, MEASURES)


@pytest.mark.skipif(not LLMJUDGE.is_dir(), reason="the judgments of LLMJudge are not here")
def test_the_tables_of_llmjudge_are_reproduced():
    """All numbers of its tables 3 and 4 for the judges there; one judge has a document at level 10."""
    with open(LLMJUDGE / "published.csv", encoding="utf-8") as file:
        published = {row.pop("judge"): row for row in csv.DictReader(file)}
    paths = sorted((LLMJUDGE / "judges").glob("*.gz"))
    found = judges(
        LLMJUDGE / "human.txt", paths, machine_levels="0:0,1:1,2:2,3:3,10:3", resamples=100
    )
    assert {each.judge for each in found.judges} == published.keys()
    for each in found.judges:
        computed = {ours: f"{each.statistics[name].value:.4f}" for ours, name in PUBLISHED.items()}
        assert computed == {
            ours: f"{float(text):.4f}" for ours, text in published[each.judge].items()
        }
    few = [path for path in paths if path.name.startswith("h2oloo")]
    unmapped = judges(LLMJUDGE / "human.txt", few, resamples=100)
    mapped = {each.judge: each for each in found.judges}
    assert len(unmapped.judges) > 1
    for other in unmapped.judges:
        each = mapped[other.judge]
        assert (each.statistics == other.statistics) is (each.judge != "h2oloo-zeroshot2")
        assert other.counts["abstentions"] == (each.judge == "h2oloo-zeroshot2")
    outside = "h2oloo-zeroshot2: the human's levels are 0, 1, 2, 3; 1 of 4,423 answers is outside"
    assert outside in unmapped.remark_notes()[0]


def test_kappas_and_alphas_equal_those_of_peers(human):
    kappa = pytest.importorskip(
        "sklearn.metrics", reason="scikit-learn is not installed"
    ).cohen_kappa_score
    alpha = pytest.importorskip("krippendorff", reason="krippendorff is not installed").alpha
    one_level = {t: dict.fromkeys(judged, 1) for t, judged in human.items()}
    many, more = (
        {
            t: {doc: 30 * level + int(doc[1:]) % most for doc, level in of.items()}
            for t, of in human.items()
        }
        for most in (18, 7)
    )
    for one, other in ((human, perturbed(human, 4)), (human, one_level), (many, more)):
        found = agreement(one, other, resamples=100)
        pairs = [
            (level, other[t][doc]) for t, judged in one.items() for doc, level in judged.items()
        ]
        levels = np.array(pairs, dtype=float).T
        for scale in ("interval", "ordinal"):
            expected = alpha(levels, level_of_measurement=scale)
            assert found.statistics[f"alpha {scale}"].value == pytest.approx(expected, abs=1e-12)
        assert found.statistics["kappa"].value == pytest.approx(kappa(*levels), abs=1e-12)
        apart = np.abs(np.subtract.outer(*levels))
        for name, power in (("kappa linear", 1), ("kappa quadratic", 2)):
            expected = 1 - np.mean(np.diag(apart) ** power) / np.mean(apart**power)
            assert found.statistics[name].value == pytest.approx(expected, abs=1e-12)


def test_orders_with_ties_do_not_depend_on_the_order_of_the_runs(human):
    tied = {"B": RUNS["B"], "copy of B": RUNS["B"], "copy of E": RUNS["E"]} | RUNS
    machine = perturbed(human, 2, 0.5)
    forth, back = (
        agreement(human, machine, runs, ["P@5"], resamples=100).orders[0].statistics
        for runs in (tied, dict(reversed(tied.items())))
    )
    assert forth["RBO"].value == pytest.approx(back["RBO"].value, abs=1e-12)
    assert forth["tau"].value == pytest.approx(back["tau"].value, abs=1e-12)
    assert forth["tau_AP"].value is back["tau_AP"].value is None  # runs tie under the human
    values = evaluate(human, tied, ["P@5"]).values[:, 0].mean(axis=1).round(9)
    others = evaluate(machine, tied, ["P@5"]).values[:, 0].mean(axis=1).round(9)
    assert forth["tau"].value == pytest.approx(stats.kendalltau(values, others)[0])
    assert forth["rho"].value == pytest.approx(stats.spearmanr(values, others)[0])


def test_topics_without_a_value_are_left_out_and_counted():
    """Accuracy has no value for a topic whose ranking has no relevant document."""
    topics = [str(number) for number in range(12)]
    human = {topic: {"a": 1, "b": 0, "c": int(topic) % 2} for topic in topics}
    machine = {topic: {"a": 1, "b": int(topic) % 3 == 0, "c": 0} for topic in topics}
    machine = {t: {doc: int(level) for doc, level in docs.items()} for t, docs in machine.items()}
    runs = {
        name: {topic: {"x": 9.0, **ranking} for topic, ranking in of_topic.items()}
        for name, of_topic in {
            "A": {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in topics},
            "B": {t: {"b": 3.0, "a": 2.0, "c": 1.0} if t != "4" else {"y": 1.0} for t in topics},
        }.items()
    }
    with pytest.warns(InputWarning, match="no value for 1 of 12 topics of B"):
        found = judges(human, {"machine": machine}, runs, ["Accuracy@4"], resamples=100)
    (order,) = found.judges[0].orders
    rest = [topic for topic in topics if topic != "4"]
    (alone,) = judges(
        {topic: human[topic] for topic in rest},
        {"machine": {topic: machine[topic] for topic in rest}},
        runs,
        ["Accuracy@4"],
        resamples=100,
    ).judges
    assert order.statistics == alone.orders[0].statistics
    assert order.halves == alone.orders[0].halves
    assert any("no value for 1 of 12 topics of B" in str(remark) for remark in found.remarks)
    assert not re.search(r"\bnan\b", f"{found}{found.records()}")


def test_intervals_are_percentiles_over_resampled_topics(human, found):
    other = perturbed(human, 1, 0.8)
    topics = list(human)
    values = np.stack(
        [evaluate(qrels, RUNS, ["P(rel=2)@5"]).values[:, 0] for qrels in (human, other)]
    )
    generator = np.random.default_rng(5)
    taus, kappas = [], []
    for number in range(120):
        drawn = generator.choice(len(topics), len(topics))
        means = values[:, :, drawn].mean(axis=2).round(9)
        taus.append(stats.kendalltau(*means)[0])
        if number % 4 == 0:
            copies = [
                {str(n): qrels[topics[t]] for n, t in enumerate(drawn)} for qrels in (human, other)
            ]
            kappas.append(agreement(*copies, resamples=100).statistics["kappa quadratic"].value)
    for statistic, resampled in (
        (found.orders[2].statistics["tau"], taus),
        (found.statistics["kappa quadratic"], kappas),
    ):
        spread = np.std(resampled)
        assert statistic[1:] == pytest.approx(
            np.nanquantile(resampled, [0.025, 0.975]), abs=0.7 * spread
        )
        assert statistic.lower <= statistic.value <= statistic.upper


def test_significant_pairs_are_agreed_upon_or_reversed(human):
    backwards = {
        t: {doc: 3 - level for doc, level in judged.items()} for t, judged in human.items()
    }
    tests = compare(human, RUNS, ["P(rel=2)@5"]).find("P(rel=2)@5")
    significant = [test for test in tests if test.significant]
    same, other = (
        agreement(human, each, RUNS, ["P(rel=2)@5"]).orders[0] for each in (human, backwards)
    )
    assert (same.significant, same.agreed, same.reversed) == (len(significant), 1, 0)
    reverse = [
        (test.better, one.better)
        for test in significant
        for one in compare(backwards, RUNS, ["P(rel=2)@5"]).find("P(rel=2)@5")
        if {one.run, one.other} == {test.run, test.other}
        and one.significant
        and one.better != test.better
    ]
    assert reverse
    assert other.reversed == pytest.approx(len(reverse) / len(significant))
    assert other.agreed == 0


def test_abstentions_and_documents_without_an_answer_are_counted(tmp_path):
    path = tmp_path / "machine.csv"
    path.write_text("topic,document,level\nq1,a,0\nq1,b,\nq1,c,3\nq2,d,?\nq2,new,1\n")
    (found,) = judges(HUMAN, [path]).judges
    assert found.judge == "machine"
    assert [*found.counts.values()][:4] == [2, 5, 2, 1]


@pytest.mark.filterwarnings("always::ir_measures_graded.errors.InputWarning")
def test_a_run_is_warned_of_once_and_what_only_a_machine_shows_is_too(recwarn):
    human = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0}}
    more = human | {"q3": {"a": 1}}
    whole = {topic: {"a": 2.0, "b": 1.0} for topic in more}
    runs = {"A": whole, "B": {"q1": {"a": 2.0, "b": 1.0}}}
    for machine, told in ((human, []), (more, ["m: B: the run lacks 2 of 3 topics of the qrels"])):
        recwarn.clear()
        judges(human, {"m": machine}, runs, ["CG@2"], resamples=100)
        texts = [str(each.message) for each in recwarn]
        assert texts == ["B: the run lacks 1 of 2 topics of the qrels", *told]
    recwarn.clear()
    judges(human, {"m": human}, {"A": whole, "B": {}}, ["CG@2"], resamples=100)
    assert str(recwarn[0].message) == "B: the run is empty"
    assert {each.filename for each in recwarn} == {__file__}


def test_equal_levels_have_no_kappa_and_equal_runs_no_tau():
    runs = {name: {"q1": {"a": 2.0, "b": 1.0}} for name in "AB"}
    found = agreement({"q1": {"a": 1, "b": 1}}, {"q1": {"a": 1, "b": 1}}, runs, ["P@1"])
    assert {each.value for each in found.statistics.values()} == {None}
    assert (found.counts["same"], found.orders[0].tau) == (1, None)


def test_each_judge_has_a_row(human):
    machines = {"one": perturbed(human, 1), "two": perturbed(human, 2, 0.8)}
    found = judges(human, machines, RUNS, MEASURES, resamples=100)
    for each, name, record in zip(found.judges, machines, found.records(), strict=True):
        alone = agreement(human, machines[name], RUNS, MEASURES, resamples=100)
        assert (each.statistics, each.orders) == (alone.statistics, alone.orders)
        assert (record["judge"], record["tau NDPM"]) == (name, each.orders[1].tau)
        assert (
            sum(record.get(f"{a}>{b}", 0) for a in range(4) for b in range(4))
            == record["documents"]
        )
        assert record["kappa 01|23 lower"] == each.statistics["kappa 01|23"].lower
    assert [row[2:] for row in found.level_table().rows[:4]] == found.judges[0].confusion.tolist()
    assert [table.rows[0][0] for table in found.kappa_tables()] == [found.best.judge] * 2
    assert "kappa 01|23" not in found.to_latex().replace("\\textbar{}", "|")
    assert "kappa 01|23" in judges(human, {"one": machines["one"]}).to_markdown().replace("\\", "")


def test_many_levels_cost_no_more_than_the_documents_do():
    """A confusion matrix of these levels would have 6 million cells in each topic."""
    human = {f"q{t}": {f"d{d}": 100 * t + d for d in range(100)} for t in range(25)}
    machine = {t: {d: 2499 - level for d, level in judged.items()} for t, judged in human.items()}
    found = judges(human, {"m": machine}, resamples=100.0, seed=0.0)
    assert found.judges[0].statistics["kappa"].value == pytest.approx(0, abs=1e-3)
    assert found.judges[0].statistics["kappa linear"].value == pytest.approx(-0.5, abs=1e-3)
    assert max(map(len, map(str, found.to_markdown().splitlines()))) < 1000
    with pytest.raises(GradedError, match="there are 2500 levels; their table is for at most 12"):
        found.level_table()


@pytest.mark.parametrize("factor", [1e-300, 5e307])
def test_agreement_does_not_depend_on_the_unit_of_the_scale(factor):
    scaled = (
        {t: {d: factor * level for d, level in j.items()} for t, j in of.items()}
        for of in (HUMAN, MACHINE)
    )
    found, expected = agreement(*scaled, resamples=100), agreement(HUMAN, MACHINE, resamples=100)
    values = ([each.value for each in of.statistics.values()] for of in (found, expected))
    np.testing.assert_allclose(*values, rtol=1e-12)


def perturbed_values(seed, runs=8, topics=60):
    generator = np.random.default_rng(seed)
    human = generator.random((runs, topics)) + np.linspace(0, 0.4, runs)[:, None]
    return human, 0.2 + 0.6 * human + generator.normal(0, 0.1, human.shape)


def test_the_favour_of_a_run_is_its_distance_from_the_line_of_the_others():
    human, machine = perturbed_values(0)
    machine[3] += 0.15
    found = favours(tuple("ABCDEFGH"), human, machine, 0.95)
    for run, favour in enumerate(found):
        others = np.arange(8) != run
        x, y = human.mean(axis=1), machine.mean(axis=1)
        slope, intercept = np.polyfit(x[others], y[others], 1)
        assert favour.value == pytest.approx(y[run] - intercept - slope * x[run])
        assert favour.lower < favour.value < favour.upper
    assert [each.run for each in found if each.verdict == "favoured"] == ["D"]
    narrow, wide = (favours(tuple("ABCDEFGH"), human, machine, level)[3] for level in (0.5, 0.95))
    least, most = (stats.t.isf((1 - level ** (1 / 8)) / 2, 59) for level in (0.5, 0.95))
    assert (wide.upper - wide.lower) / (narrow.upper - narrow.lower) == pytest.approx(most / least)


@pytest.mark.parametrize("kind", ["constant judge", "two rankings", "same topics"])
def test_no_favour_is_made_of_rounding_errors(kind):
    human, machine = perturbed_values(0)
    if kind == "constant judge":
        human[1:] = 0.3 + 1e-7 * human[1:]
        machine[:] = 0.7
    elif kind == "two rankings":
        human, machine = (each[[0] * 4 + [1] * 4] for each in (human, machine))
    else:
        human[:] = human[:, :1]
        machine = human
    found = favours(tuple("ABCDEFGH"), human, machine, 0.95)
    assert len(found) == 8
    assert max(abs(each.value) for each in found) < 1e-300
    assert not any(each.verdict for each in found)


def test_a_run_has_no_favour_if_all_others_have_one_mean():
    human, machine = perturbed_values(0)
    human[2:] = [np.random.default_rng(run).permutation(human[1]) for run in range(6)]
    human[2::2] += 4 * np.spacing(human[2::2])
    assert "A" not in {each.run for each in favours(tuple("ABCDEFGH"), human, machine, 0.95)}
    assert not favours(tuple("ABCDEFGH"), np.ones((8, 60)), machine, 0.95)


def test_a_favour_comes_with_the_advice_to_believe_the_largest_first():
    human = {f"q{q}": {f"d{d}": (d * (q + 2)) % 4 for d in range(30)} for q in range(30)}
    orders = {f"r{r}": {f"d{d}": -(d * (3 * r + 1) % 31) for d in range(30)} for r in range(6)}
    runs = {name: dict.fromkeys(human, order) for name, order in orders.items()}
    best = sorted(orders["r2"], key=orders["r2"].get)[-10:]
    machine = {q: levels | dict.fromkeys(best, 3) for q, levels in human.items()}
    found = judges(
        human, {"one": {"q0": {"d0": 0}}, "m": machine}, runs, ["nDCG_JK@10"], resamples=100
    )
    assert next(row[2] for row in found.favour_table(named=True).rows) == "r2"
    assert any("believe the largest favour of a judge first" in note for note in found.notes())


@pytest.mark.parametrize(
    ("measure", "runs", "reason"),
    [
        ("nDCG_JK@10", "ABCDE", "a favour needs at least 6 runs and 2 topics, not 5 and 20"),
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
    given = {name: RUNS["ABCDE"[number % 5]] for number, name in enumerate(runs)}
    found = judges(human, {"m": perturbed(human, 1)}, given, [measure], resamples=100)
    assert bool(found.judges[0].orders[0].favours) is not bool(reason)
    assert ("prefer a cutoff of 10" in " ".join(found.notes())) is (measure == "nDCG@20")
    if reason:
        assert reason in " ".join(found.notes())
        with pytest.raises(GradedError, match=reason):
            found.favour_table()


def test_the_yardstick_is_the_humans_own_order_on_random_halves(human, found):
    values = evaluate(human, RUNS, ["P(rel=2)@5"]).values[:, 0]
    generator = np.random.default_rng(8)
    taus = []
    for _ in range(400):
        order = generator.permutation(values.shape[1])
        means = (values[:, half].mean(axis=1).round(9) for half in np.split(order, 2))
        taus.append(stats.kendalltau(*means)[0])
    order = found.orders[2]
    assert order.halves == pytest.approx(np.nanmean(taus), abs=4 * np.std(taus) / 400**0.5)
    assert order.moves == ("less" if order.tau >= order.halves else "more")


# ---------------------------------------------------------------- two judges


def kappa_of(human, machine, topics):
    """Cohen's κ over the documents of some topics, which may repeat."""
    pairs = [(human[topic][doc], machine[topic][doc]) for topic in topics for doc in human[topic]]
    levels = [np.array(levels) for levels in zip(*pairs)]
    observed = (levels[0] == levels[1]).mean()
    expected = sum((levels[0] == level).mean() * (levels[1] == level).mean() for level in range(4))
    return (observed - expected) / (1 - expected)


def test_the_difference_of_two_judges_has_the_interval_of_resampled_topics(human):
    machines = {"good": perturbed(human, 1, 0.2), "bad": perturbed(human, 2, 0.3)}
    found = judges(human, machines, resamples=100, seed=5)
    (difference,) = found.differences
    kappas = {judge.judge: judge.statistics["kappa"].value for judge in found.judges}
    assert difference.best == max(kappas, key=kappas.get)
    assert difference.value == pytest.approx(kappas["good"] - kappas["bad"])
    topics = list(human)
    draws = np.random.default_rng(5).multinomial(20, np.full(20, 1 / 20), 100)
    resampled = []
    for weights in draws.tolist():
        drawn = [topic for topic, count in zip(topics, weights) for _ in range(count)]
        resampled.append(
            kappa_of(human, machines["good"], drawn) - kappa_of(human, machines["bad"], drawn)
        )
    ends = stats.t.interval(0.95, 19, difference.value, np.std(resampled, ddof=1))
    assert (difference.lower, difference.upper) == pytest.approx(ends)


def test_judges_are_told_apart_or_not(human):
    good, bad = perturbed(human, 1, 0.2), perturbed(human, 2, 0.7)
    alike = judges(human, {"x": good, "y": good})
    assert alike.differences[0][2:5] == (0.0, 0.0, 0.0)
    assert alike.answer()[1].endswith("above that of y: not distinguishable.")
    assert judges(human, {"x": bad, "y": good}).answer()[1].endswith("above that of x.")
    several = judges(human, {"x": bad, "y": good, "z": perturbed(human, 3, 0.2)})
    assert [other.verdict for other in several.differences] == ["not distinguishable", "lower"]
    assert judges(human, {"x": good}).differences == ()
