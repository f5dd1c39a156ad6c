"""Comparison over several collections: strata, missing cells, and files and values alike."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas
import pytest

pytest.importorskip("statsmodels", reason="the extra stats is not installed")
from evaluations import of_array
from scipy import stats
from statsmodels.stats.multitest import multipletests

from ir_measures_graded import GradedError, cli, demo
from ir_measures_graded.analysis import compare, compare_collections, evaluate, gate
from ir_measures_graded.analysis import read_collections as read
from ir_measures_graded.errors import InputWarning

MEASURES = ("nDCG@10", "AP")
THESE = "these collections"
LIKE_THESE = "collections like these"


@pytest.fixture(scope="module")
def collections():
    """Three runs in three collections."""
    random = np.random.default_rng(3)
    effects = np.array([[0.0], [0.1], [-0.05]])
    evaluations = {}
    for name, topics in {"large": 400, "middle": 40, "small": 12}.items():
        difficulty = random.random(topics)
        noise = random.normal(0, 0.2, (3, topics))
        evaluations[name] = of_array(difficulty + effects + noise, "AP")
    return evaluations


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Odd and even topics of the demo collection, without run E among the even ones."""
    monkeypatch.chdir(tmp_path)
    lines = demo.qrels_path().read_text().splitlines(keepends=True)
    for name, remainder in (("odd", 1), ("even", 0)):
        kept = [line for line in lines if int(line.split()[0]) % 2 == remainder]
        Path(f"{name}.qrels").write_text("".join(kept))
    for run, path in demo.run_paths().items():
        Path(run).mkdir()
        Path(run, "odd.run.gz").write_bytes(path.read_bytes())
        if run != "E":
            Path(run, "even.run.gz").write_bytes(path.read_bytes())
    Path("collections.csv").write_text(
        "collection,qrels,runs\nodd,odd.qrels,*/odd.run.gz\neven,even.qrels,*/even.run.gz\n"
    )
    return "collections.csv"


def fields(comparison, tests, *names):
    """Fields by pair of runs: of tests over all collections, or of those in one of them."""
    if tests in comparison.groups:
        outcomes = comparison.groups[tests].find("AP")
    else:
        outcomes = comparison.find("AP", tests)
    rows = [[getattr(outcome, name) for name in names] for outcome in outcomes]
    return np.array(rows, dtype=float).T


def holm_adjusted(p_values):
    return multipletests(p_values, method="holm")[1]


def stratified_p(samples):
    """The p of Welch's t over the mean of the samples' means."""
    variances = (
        np.array([sample.var(ddof=1) / sample.size for sample in samples]) / len(samples) ** 2
    )
    freedom = np.array([sample.size - 1 for sample in samples])
    degrees = variances.sum() ** 2 / (variances**2 / freedom).sum()
    mean = np.mean([sample.mean() for sample in samples])
    return 2 * stats.t.sf(abs(mean) / variances.sum() ** 0.5, degrees)


def test_both_tests_over_all_are_those_of_plain_formulas(collections):
    comparison = compare_collections(collections, baseline="A")
    differences = []
    halfwidths = []
    p_values = {THESE: [], LIKE_THESE: []}
    heterogeneity = []
    for run in (1, 2):
        samples = [values.values[run, 0] - values.values[0, 0] for values in collections.values()]
        means = [sample.mean() for sample in samples]
        differences.append(np.mean(means))
        halfwidths.append(stats.sem(means) * stats.t.ppf((1 + 0.95**0.5) / 2, 2))
        p_values[THESE].append(stratified_p(samples))
        p_values[LIKE_THESE].append(stats.ttest_1samp(means, 0).pvalue)
        peer = stats.alexandergovern(*samples)
        heterogeneity.append((peer.statistic, peer.pvalue))
    for tests, expected in p_values.items():
        difference, p, adjusted = fields(comparison, tests, "difference", "p", "adjusted")
        assert difference == pytest.approx(differences)
        assert p == pytest.approx(expected)
        assert adjusted == pytest.approx(holm_adjusted(expected))
        computed = fields(comparison, tests, "A", "p_A").T
        assert computed == pytest.approx(np.array(heterogeneity))
    difference, upper = fields(comparison, LIKE_THESE, "difference", "upper")
    assert upper - difference == pytest.approx(halfwidths)


def test_tests_in_each_collection_are_one_family_with_holms_correction(collections):
    comparison = compare_collections(collections, baseline="A")
    p_values = []
    for evaluation in collections.values():
        a, b, c = evaluation.values[:, 0]
        p_values += [stats.ttest_rel(b, a).pvalue, stats.ttest_rel(c, a).pvalue]
    adjusted = np.ravel([fields(comparison, name, "adjusted") for name in collections])
    assert adjusted == pytest.approx(holm_adjusted(p_values))


def test_the_mean_over_collections_has_students_interval(collections):
    comparison = compare_collections(collections, baseline="A")
    means = [group.values[0, 0] for group in comparison.groups.values()]
    lower, upper = stats.t.interval(0.95, 2, comparison.values[0, 0], stats.sem(means))
    assert comparison.bounds[:, 0, 0] == pytest.approx((lower, upper))


def test_no_interval_of_a_mean_leaves_the_range_of_the_measure():
    def of_means(*means):
        rows = []
        for name, mean in zip("xyz", means, strict=False):
            for run, topic in product("ab", range(10)):
                rows.append({"collection": name, "run": run, "topic": topic, "P@5": mean})
        return compare_collections(rows)

    two = of_means(0.4, 0.7)
    assert two.bounds[:, 0, 0].tolist() == [0, 1]
    assert "which two collections leave wide" in two.notes()[0]
    assert of_means(0.9, 0.7, 0.9).bounds[1, 0, 0] == 1
    rows = []
    for name, run, topic in product("xy", "ab", range(10)):
        value = (name == "x") * (run == "a")
        rows.append({"collection": name, "run": run, "topic": topic, "P@5": value})
    (test,) = compare_collections(rows).find("P@5", LIKE_THESE)
    assert (abs(test.difference), test.lower, test.upper) == (0.5, -1, 1)


def test_i_squared_needs_50_topics_in_every_collection(collections):
    comparison = compare_collections(collections, baseline="A")
    assert np.isnan(fields(comparison, LIKE_THESE, "I2")).all()
    one = np.random.default_rng(50).random((2, 50))
    two = np.random.default_rng(60).random((2, 60))
    comparison = compare_collections({"one": of_array(one, "AP"), "two": of_array(two, "AP")})
    samples = [one[1] - one[0], two[1] - two[0]]
    means = np.array([sample.mean() for sample in samples])
    weights = 1 / np.array([sample.var(ddof=1) / sample.size for sample in samples])
    q = (weights * (means - np.average(means, weights=weights)) ** 2).sum()
    assert fields(comparison, LIKE_THESE, "I2")[0] == pytest.approx([max(0, 1 - 1 / q)])


def of_b(comparison):
    return [record for record in comparison.records() if record["run"] == "B"]


def test_two_collections_call_only_differences_over_these_significant(collections):
    two = {}
    for name in ("large", "middle"):
        two[name] = of_array(collections[name].values[:, 0] + [[0], [1], [1]], "AP")
    over_two = compare_collections(two, baseline="A")
    over_three = compare_collections(collections, baseline="A")
    for comparison, primary in ((over_two, THESE), (over_three, LIKE_THESE)):
        assert comparison.primary == primary
        (record,) = [record for record in of_b(comparison) if record["collection"] == primary]
        p = record["adjusted"]
        assert record["significant"] == (p < 0.05)
        (row,) = [row for row in comparison.tables()[0].rows if row[1] == "B"]
        assert row[-1] == pytest.approx(p)
    records = of_b(over_two)
    assert [record["significant"] for record in records[-2:]] == [True, False]
    assert [record["A"] is None for record in records] == [True, True, False, False]
    text = "2 of 2 pairs differ significantly by AP, stratified t over 2 collections; B and C are"
    assert text in over_two.answer()[0]
    panels = over_two.figure().axes
    headings = [panel.texts[-1].get_text() for panel in panels]
    assert headings == ["AP, all collections (2)", "AP, large (400)", "AP, middle (40)"]
    assert [text.get_text() for text in panels[0].texts[:2]] == ["B", "C"]
    assert "for 4 differences" in over_two.groups["large"].notes()[0]


@pytest.mark.parametrize("scale", [2.0**-660, 2.0**660])
def test_tests_do_not_depend_on_the_scale_of_the_values(collections, scale):
    scaled_collections = {
        name: of_array(scale * evaluation.values[:, 0], "AP")
        for name, evaluation in collections.items()
    }
    plain = compare_collections(collections)
    scaled = compare_collections(scaled_collections)
    for tests in (THESE, LIKE_THESE):
        names = "p", "A", "p_A", "I2"
        np.testing.assert_array_equal(fields(plain, tests, *names), fields(scaled, tests, *names))
        upper = scale * fields(plain, tests, "upper")
        np.testing.assert_array_equal(upper, fields(scaled, tests, "upper"))
    pair = collections["large"].values[:2, 0]
    for margin, scaled_margin in (("5%", "5%"), (0.1, scale * 0.1)):
        (verdict,) = gate(of_array(pair, "AP"), margin=margin).verdicts
        (of_scaled,) = gate(of_array(scale * pair, "AP"), margin=scaled_margin).verdicts
        assert of_scaled.lower == scale * verdict.lower
        assert of_scaled.upper == scale * verdict.upper
        assert of_scaled.p_holds == verdict.p_holds
        assert of_scaled.p_worse == verdict.p_worse
        assert of_scaled.needed == verdict.needed


def test_one_collection_has_the_paired_t_test(collections):
    one = compare_collections({"small": collections["small"]})
    adjusted = [test.adjusted for test in compare(collections["small"]).outcomes]
    assert sorted(fields(one, THESE, "adjusted")[0]) == pytest.approx(sorted(adjusted))
    assert np.isnan(fields(one, LIKE_THESE, "p")).all()


def test_missing_cells_are_shown_and_have_no_mean(collections):
    two_runs = of_array(collections["small"].values[:2, 0], "AP")
    small = replace(two_runs, missing=np.eye(2, 12, dtype=bool))
    comparison = compare_collections(collections | {"small": small})
    large_mean, middle_mean, small_mean = (
        group.values[2, 0] for group in comparison.groups.values()
    )
    assert np.isnan(small_mean)
    _, rows = comparison.table()
    assert rows[-1][2:8] == ["C", large_mean, middle_mean, None, None, None]
    notes = comparison.notes()
    assert "C has no mean of AP: it lacks small." in notes
    assert "A against C by AP and B against C by AP: one of the runs lacks a collection." in notes
    assert notes[-1].startswith("small: B lacks 1 topic (")
    assert "C" not in comparison.answer()[0]
    differences = collections["large"].values[0, 0] - collections["large"].values[1, 0]
    quantile = stats.t.ppf((1 + 0.95 ** (1 / 7)) / 2, 399)  # 3, 3 and 1 differences
    upper = differences.mean() + stats.sem(differences) * quantile
    assert fields(comparison, "large", "upper")[0, 0] == pytest.approx(upper)
    like_these = fields(comparison, LIKE_THESE, "p")[0]
    whole = compare_collections(collections, baseline="A")
    assert like_these[0] == fields(whole, LIKE_THESE, "p")[0, 0]
    assert np.isnan(like_these[1:]).all()
    assert np.isnan(fields(comparison, THESE, "p")[0, 1:]).all()
    assert " – |" in comparison.to_markdown()
    lone = compare_collections({"one": of_array(small.values[:1, 0], "AP"), "two": small})
    assert lone.answer() == [
        "No difference by AP was tested: no pair has values in each collection."
    ]


def test_equal_runs_have_p_1_and_a_constant_difference_has_none_but_counts(collections):
    evaluations = {}
    for name, evaluation in collections.items():
        a, b, _ = evaluation.values[:, 0]
        evaluations[name] = of_array([a, a, a + 0.5, b], "AP")
    comparison = compare_collections(evaluations, baseline="A")
    for tests in (THESE, LIKE_THESE):
        p, adjusted, lower = fields(comparison, tests, "p", "adjusted", "lower")
        assert p[0] == 1
        assert lower[0] == 0
        assert adjusted[2] == pytest.approx(min(1, 3 * p[2]))
        assert np.isnan(p[1])
        note = comparison.find("AP", tests)[1].note
        assert note.startswith(f"t over {tests} is undefined, because")


def test_files_and_values_give_the_same_bits(table, capsys):
    sources = read(table)
    names = [[name for name, _ in runs] for _, runs in sources.values()]
    assert names == [list("ABCDE"), list("ABCD")]
    files = compare_collections(sources, MEASURES)
    rows = [
        {"collection": name, **row}
        for name, (qrels, runs) in sources.items()
        for row in evaluate(qrels, runs, MEASURES).records()
    ]
    values = compare_collections(rows[::-1])
    run_rows = [values.runs.index(run) for run in files.runs]
    measure_names = [str(measure) for measure in values.measures]
    measure_columns = [measure_names.index(measure) for measure in MEASURES]
    in_order = np.ix_(run_rows, measure_columns)
    for name, group in files.groups.items():
        np.testing.assert_array_equal(values.groups[name].values[in_order], group.values)
    assert compare_collections(rows).records() == files.records()
    assert compare_collections(rows).data("means").rows == files.data("means").rows
    of_ap = [row for row in files.records() if row["measure"] == "AP"]
    assert compare_collections(rows, ["AP"]).records() == of_ap
    pandas.DataFrame(rows).to_csv("values.csv", index=False)
    outputs = ["-o", "map.svg", "-o", "table.tex", "-o", "page.html"]
    assert cli.main(["compare", "--collections", table, *MEASURES, *outputs]) == 0
    of_files = capsys.readouterr().out
    assert cli.main(["compare", "--values", "values.csv", *outputs]) == 0
    of_values = capsys.readouterr().out
    assert of_files == f"{files}\n"
    assert of_files.startswith(of_values)  # values do not tell which topics a run lacks
    lacking = [row for row in rows if row["collection"] == "odd" or row["measure"] == "AP"]
    pandas.DataFrame(lacking).to_csv("lacking.csv", index=False)
    assert cli.main(["compare", "--values", "lacking.csv", "nDCG@10"]) == 0
    assert "A has no mean of nDCG@10: it lacks even." in capsys.readouterr().out
    assert r"even $\uparrow$" in Path("table.tex").read_text()


def test_cells_of_parquet_may_be_empty_and_a_file_may_be_named_like_a_pattern(table):
    Path("A/odd.run.gz").rename("A/odd[1].run.gz")
    cells = [["a", "odd.qrels", "A/odd[1].run.gz"], ["b", "odd.qrels", None]]
    pandas.DataFrame(cells, columns=["collection", "qrels", "runs"]).to_parquet("c.parquet")
    with pytest.raises(GradedError, match=r"row 2 \(b\): a cell is empty"):
        read("c.parquet")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "a,odd.qrels,A/odd*\nb,even.qrels,none/*",
            "row 2 (b): column runs: no file matches 'none/*'",
        ),
        ("a,,A/odd*", "row 1 (a): a cell is empty"),
        ("", "the table has no row"),
        (
            "a,odd.qrels,A/odd*\na,even.qrels,A/even*",
            "row 2 (a): the qrels are even.qrels, and those of",
        ),
    ],
)
def test_a_wrong_table_of_collections_names_row_and_column(table, rows, message):
    Path(table).write_text(f"collection,qrels,runs\n{rows}\n")
    with pytest.raises(GradedError) as error:
        read(table)
    assert str(error.value).startswith(f"{table}: {message}")


@pytest.mark.parametrize("name", ["all", "mean", "collections like these"])
def test_no_collection_has_the_name_of_a_row_or_column_of_all(name):
    rows = [
        {"collection": collection, "run": run, "topic": topic, "P@5": topic / 10}
        for collection in ("a", name)
        for run in "AB"
        for topic in range(3)
    ]
    with pytest.raises(GradedError, match=f"{name}: a row or column of all collections has this"):
        compare_collections(rows)


def test_remarks_name_their_collection():
    qrels = {f"q{topic}": {"a": 1, "b": 2} for topic in range(3)}
    runs = {
        "new": {"q0": {"a": 1.0}, "q1": {"b": 1.0}},
        "old": {topic: {"b": 1.0} for topic in qrels},
    }
    sources = {"web": (qrels, runs), "books": (qrels, runs)}
    with pytest.warns(InputWarning) as warned:
        comparison = compare_collections(sources, ["nDCG@2"])
    text = (
        "the run lacks 1 of 3 topics of the qrels (q2); it counts, mostly as 0, as in trec_eval -c"
    )
    expected = [f"new in web: {text}", f"new in books: {text}"]
    assert [str(warning.message) for warning in warned] == expected
    assert [str(remark) for remark in comparison.remarks] == expected
