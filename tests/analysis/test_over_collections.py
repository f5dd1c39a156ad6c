"""Comparison over several collections: strata, missing cells, and the same numbers by files and by values."""

from dataclasses import replace
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
THESE, LIKE_THESE = "these collections", "collections like these"


@pytest.fixture(scope="module")
def given():
    random = np.random.default_rng(3)
    shifts = np.array([[0.0], [0.1], [-0.05]])
    return {
        name: of_array(random.random(size) + shifts + random.normal(0, 0.2, (3, size)), "AP")
        for name, size in {"large": 400, "middle": 40, "small": 12}.items()
    }


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Odd and even topics of the demo collection, without run E among the even ones."""
    monkeypatch.chdir(tmp_path)
    for number, line in enumerate(demo.qrels_path().read_text().splitlines(keepends=True)):
        name = "odd" if int(line.split()[0]) % 2 else "even"
        with open(f"{name}.qrels", "w" if number == 0 else "a") as qrels:
            qrels.write(line)
    for run, path in demo.run_paths().items():
        for name in ("odd", "even")[: 1 if run == "E" else 2]:
            Path(run).mkdir(exist_ok=True)
            Path(run, f"{name}.run.gz").write_bytes(path.read_bytes())
    rows = [f"{name},{name}.qrels,*/{name}.run.gz\n" for name in ("odd", "even")]
    Path("collections.csv").write_text("collection,qrels,runs\n" + "".join(rows))
    return "collections.csv"


def over(found, test, *names):
    """The fields of a test over all collections, or of those in one collection, for each pair of runs."""
    tests = found.groups[test].find("AP") if test in found.groups else found.find("AP", test)
    return np.array([[getattr(test, name) for name in names] for test in tests], dtype=float).T


def test_both_tests_over_all_are_those_of_plain_formulas(given):
    found = compare_collections(given, baseline="A")
    stratified, like, apart, reaches, differences = [], [], [], [], []
    for run in (1, 2):
        d = [each.values[run, 0] - each.values[0, 0] for each in given.values()]
        parts = np.array([x.var(ddof=1) / x.size / 9 for x in d])
        degrees = parts.sum() ** 2 / sum(part**2 / (x.size - 1) for part, x in zip(parts, d))
        means = np.array([x.mean() for x in d])
        differences.append(means.mean())
        stratified.append(2 * stats.t.sf(abs(means.mean()) / parts.sum() ** 0.5, degrees))
        like.append(stats.ttest_1samp(means, 0).pvalue)
        reaches.append(stats.sem(means) * stats.t.ppf((1 + 0.95**0.5) / 2, 2))
        peer = stats.alexandergovern(*d)
        apart.append((peer.statistic, peer.pvalue))
    for test, expected in ((THESE, stratified), (LIKE_THESE, like)):
        difference, p, adjusted = over(found, test, "difference", "p", "adjusted")
        assert difference == pytest.approx(differences)
        assert p == pytest.approx(expected)
        assert adjusted == pytest.approx(multipletests(expected, method="holm")[1])
        assert pytest.approx(np.array(apart)) == over(found, test, "A", "p_A").T
    difference, upper = over(found, LIKE_THESE, "difference", "upper")
    assert upper - difference == pytest.approx(reaches)
    values = [x.values[:, 0] for x in given.values()]
    each = [stats.ttest_rel(x[run], x[0]).pvalue for x in values for run in (1, 2)]
    adjusted = np.ravel([over(found, name, "adjusted") for name in given])
    assert adjusted == pytest.approx(multipletests(each, method="holm")[1])
    means = [part.values[0, 0] for part in found.groups.values()]
    lower, upper = stats.t.interval(0.95, 2, found.values[0, 0], stats.sem(means))
    assert found.bounds[:, 0, 0] == pytest.approx((lower, upper))


def test_i_squared_needs_50_topics_in_every_collection(given):
    found = compare_collections(given, baseline="A")
    assert np.isnan(over(found, LIKE_THESE, "I2")).all()
    large = {
        name: of_array(np.random.default_rng(size).random((2, size)), "AP")
        for name, size in {"one": 50, "two": 60}.items()
    }
    d = [part.values[1, 0] - part.values[0, 0] for part in large.values()]
    weights = 1 / np.array([x.var(ddof=1) / x.size for x in d])
    means = np.array([x.mean() for x in d])
    q = (weights * (means - np.average(means, weights=weights)) ** 2).sum()
    found = compare_collections(large)
    assert over(found, LIKE_THESE, "I2")[0] == pytest.approx([max(0, 1 - 1 / q)])


def test_two_collections_call_only_differences_over_these_significant(given):
    two = {
        name: of_array(x.values[:, 0] + [[0], [1], [1]], "AP")
        for name, x in list(given.items())[:2]
    }
    for collections, primary in ((two, THESE), (given, LIKE_THESE)):
        found = compare_collections(collections, baseline="A")
        assert found.primary == primary
        rows = {row["collection"]: row for row in found.records() if row["run"] == "B"}
        p = rows[primary]["adjusted"]
        (shown,) = (row[-1] for row in found.tables()[0].rows if row[1] == "B")
        assert (shown, rows[primary]["significant"]) == (pytest.approx(p), p < 0.05)
    rows = [row for row in compare_collections(two, baseline="A").records() if row["run"] == "B"]
    assert [row["significant"] for row in rows[-2:]] == [True, False]
    assert [row["A"] is None for row in rows] == [True, True, False, False]
    found = compare_collections(two, baseline="A")
    assert (
        "2 of 2 pairs differ by AP, stratified t over 2 collections; B, C are" in found.answer()[0]
    )
    labels = [text.get_text() for text in found.figure().axes[0].texts]
    assert labels[:-1:2] == ["all collections (2): B", "large (400): B", "middle (40): B"]
    assert "for 4 differences" in found.groups["large"].notes()[0]


@pytest.mark.parametrize("scale", [2.0**-660, 2.0**660])
def test_tests_do_not_depend_on_the_scale_of_the_values(given, scale):
    scaled = {name: of_array(scale * each.values[:, 0], "AP") for name, each in given.items()}
    plain, found = (compare_collections(each) for each in (given, scaled))
    for test in (THESE, LIKE_THESE):
        names = "p", "A", "p_A", "I2"
        np.testing.assert_array_equal(over(plain, test, *names), over(found, test, *names))
        np.testing.assert_array_equal(
            scale * over(plain, test, "upper"), over(found, test, "upper")
        )
    for size in ("5%", 0.1):
        margins = (size, size if size == "5%" else scale * size)
        verdicts = [
            gate(of_array(each["large"].values[:2, 0], "AP"), margin=margin).verdicts[0]
            for each, margin in zip((given, scaled), margins)
        ]
        one, other = (((v.lower, v.upper), v.p_holds, v.p_worse, v.needed) for v in verdicts)
        assert (tuple(scale * bound for bound in one[0]), *one[1:]) == other


def test_one_collection_has_the_paired_t_test(given):
    one = compare_collections({"small": given["small"]})
    plain = [test.adjusted for test in compare(given["small"]).outcomes]
    assert sorted(over(one, THESE, "adjusted")[0]) == pytest.approx(sorted(plain))
    assert np.isnan(over(one, LIKE_THESE, "p")).all()


def test_missing_cells_are_shown_and_have_no_mean(given):
    small = replace(of_array(given["small"].values[:2, 0], "AP"), missing=np.eye(2, 12, dtype=bool))
    found = compare_collections({**given, "small": small})
    means = [part.values[2, 0] for part in found.groups.values()]
    assert np.isnan(means).tolist() == [False, False, True]
    assert found.table()[1][-1][2:8] == ["C", *means[:2], None, None, None]
    assert "C has no mean of AP: it lacks small." in found.notes()
    assert "A and C by AP, B and C by AP: one of the runs lacks a collection." in found.notes()
    assert found.notes()[-1].startswith("small: B lacks 1 topic;")
    assert "C" not in found.answer()[0]
    d = given["large"].values[0, 0] - given["large"].values[1, 0]
    reach = stats.sem(d) * stats.t.ppf((1 + 0.95 ** (1 / 7)) / 2, 399)  # 3, 3 and 1 differences
    assert over(found, "large", "upper")[0, 0] == pytest.approx(d.mean() + reach)
    whole = compare_collections(given, baseline="A")
    assert over(found, LIKE_THESE, "p")[0, 0] == over(whole, LIKE_THESE, "p")[0, 0]
    assert np.isnan([over(found, test, "p")[0, 1:] for test in (THESE, LIKE_THESE)]).all()
    assert " – |" in found.to_markdown()
    lone = compare_collections({"one": of_array(small.values[:1, 0], "AP"), "two": small})
    assert lone.answer() == [
        "No difference by AP was tested: no pair has values in each collection."
    ]


def test_equal_runs_have_p_1_and_a_constant_difference_has_none_but_counts(given):
    array = {name: x.values[[0, 0, 0, 1], 0] + [[0], [0], [0.5], [0]] for name, x in given.items()}
    found = compare_collections(
        {name: of_array(x, "AP") for name, x in array.items()}, baseline="A"
    )
    for test in (THESE, LIKE_THESE):
        p, adjusted, lower = over(found, test, "p", "adjusted", "lower")
        assert (p[0], lower[0], adjusted[2]) == (1, 0, pytest.approx(min(1, 3 * p[2])))
        assert np.isnan(p[1])
        assert found.find("AP", test)[1].note.startswith(f"t over {test} is undefined, because")


def test_files_and_values_give_the_same_bits(table, capsys):
    sources = read(table)
    assert [[name for name, _ in runs] for _, runs in sources.values()] == [[*"ABCDE"], [*"ABCD"]]
    files = compare_collections(sources, MEASURES)
    rows = [
        {"collection": name, **row}
        for name, (qrels, runs) in sources.items()
        for row in evaluate(qrels, runs, MEASURES).records()
    ]
    values = compare_collections(rows[::-1])
    order = [values.runs.index(run) for run in files.runs]
    of = [[*map(str, values.measures)].index(measure) for measure in MEASURES]
    for name, part in files.groups.items():
        np.testing.assert_array_equal(values.groups[name].values[np.ix_(order, of)], part.values)
    assert compare_collections(rows).records() == files.records()
    assert compare_collections(rows).data("means").rows == files.data("means").rows
    of_ap = [row for row in files.records() if row["measure"] == "AP"]
    assert compare_collections(rows, ["AP"]).records() == of_ap
    pandas.DataFrame(rows).to_csv("values.csv", index=False)
    told = []
    for words in (["--collections", table, *MEASURES], ["--values", "values.csv"]):
        assert (
            cli.main(["compare", *words, "-o", "map.svg", "-o", "table.tex", "-o", "page.html"])
            == 0
        )
        told.append(capsys.readouterr().out)
    assert told[0] == f"{files}\n"
    assert told[0].startswith(told[1])  # a table of values does not tell which topics a run lacks
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
    with pytest.warns(InputWarning) as warned:
        found = compare_collections({"web": (qrels, runs), "books": (qrels, runs)}, ["nDCG@2"])
    text = "the run lacks 1 of 3 topics of the qrels"
    expected = [f"new in web: {text}", f"new in books: {text}"]
    assert [str(warning.message) for warning in warned] == expected
    assert [str(remark) for remark in found.remarks] == expected
