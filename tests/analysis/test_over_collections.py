"""Comparison over several collections: strata, missing cells, and the same numbers by files and by values."""

from pathlib import Path

import numpy as np
import pandas
import pytest

pytest.importorskip("statsmodels", reason="the extra stats is not installed")
from evaluations import of_array
from scipy import stats
from statsmodels.stats.multitest import multipletests

from ir_measures_graded import GradedError, cli, demo
from ir_measures_graded.analysis import compare, compare_collections, evaluate
from ir_measures_graded.analysis import read_collections as read
from ir_measures_graded.analysis.statistics.components import resampled_interval, stratified_t

MEASURES = ("nDCG@10", "AP")


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


def test_tests_over_all_are_those_of_plain_formulas(given):
    found = compare_collections(given, baseline="A")
    p, reaches, means = [], [], []
    for run in (1, 2):
        d = [each.values[run, 0] - each.values[0, 0] for each in given.values()]
        parts = np.array([x.var(ddof=1) / x.size / 9 for x in d])
        degrees = parts.sum() ** 2 / sum(part**2 / (x.size - 1) for part, x in zip(parts, d))
        means.append(np.mean([x.mean() for x in d]))
        p.append(2 * stats.t.sf(abs(means[-1]) / parts.sum() ** 0.5, degrees))
        reaches.append(stats.t.ppf((1 + 0.95**0.5) / 2, degrees) * parts.sum() ** 0.5)
    of_all = {name: values[0, -1] for name, values in found.tests.items()}
    assert of_all["difference"] == pytest.approx(means)
    assert of_all["p"] == pytest.approx(p)
    assert of_all["adjusted"] == pytest.approx(multipletests(p, method="holm")[1])
    assert of_all["upper"] - of_all["difference"] == pytest.approx(reaches)
    values = [x.values[:, 0] for x in given.values()]
    each = [stats.ttest_rel(x[run], x[0]).pvalue for x in values for run in (1, 2)]
    adjusted = np.ravel(found.tests["adjusted"][0, :-1])
    assert adjusted == pytest.approx(multipletests(each, method="holm")[1])


def test_one_collection_has_the_paired_t_test_and_copies_of_topics_decide_nothing(given):
    one = compare_collections({"small": given["small"]})
    plain = [test.adjusted for test in compare(given["small"], baseline=None).outcomes]
    assert sorted(one.tests["adjusted"][0, -1]) == pytest.approx(sorted(plain))
    large = of_array(np.tile(given["large"].values[:, 0], 5), "AP")
    more = compare_collections({**given, "large": large})
    assert more.means == pytest.approx(compare_collections(given).means)
    plain = np.mean([x.values[:, 0].mean(axis=1) for x in given.values()], axis=0)
    assert more.means[0] == pytest.approx(plain)


def test_levels_and_coverage_hold_in_a_simulation():
    random, sizes, rejected, covered = np.random.default_rng(1), np.array([60, 20, 10]), 0, 0
    for seed in range(600):
        normal = [(0.1 * k - 0.1, scale, size) for k, (size, scale) in enumerate(zip(sizes, (1, 0.2, 0.5)))]
        d = [random.normal(*each) for each in normal]
        means, deviations = np.array([[x.mean(), x.std(ddof=1)] for x in d]).T[..., None]
        rejected += stratified_t(means, deviations, sizes)[-1][0] < 0.05
        lower, upper = resampled_interval([x[None] for x in d], 400, seed=seed)[:, 0]
        covered += lower <= 0 <= upper
    assert 0.03 <= rejected / 600 <= 0.075
    assert 0.92 <= covered / 600 <= 0.975


def test_resampled_interval_is_as_wide_as_the_standard_error_says(given):
    found = compare_collections(given, resamples=20_000)
    error = np.sqrt(sum(x.values[:, 0].var(axis=1, ddof=1) / x.values.shape[2] for x in given.values())) / 3
    assert (found.upper - found.lower)[0] == pytest.approx(2 * 1.96 * error, rel=0.03)


def test_missing_cells_are_shown_and_have_no_mean(given):
    small = of_array(given["small"].values[:2, 0], "AP")
    found = compare_collections({**given, "small": small})
    assert np.isnan(found.values[0, 2]).tolist() == [False, False, True]
    assert found.table()[1][-1][2:8] == ["C", *found.values[0, 2, :2], None, None, None]
    assert "C has no mean of AP and no test over all: it lacks small." in found.notes()
    whole = compare_collections(given, baseline="A")
    assert found.tests["p"][0, -1, 0] == whole.tests["p"][0, -1, 0]
    assert np.isnan(found.tests["p"][0, -1, 1:]).all()
    assert " – |" in found.to_markdown()
    same = {name: of_array(np.tile(x.values[:1, 0], (2, 1)), "AP") for name, x in given.items()}
    equal = compare_collections(same)
    assert equal.tests["p"].tolist() == [[[1.0]] * 4]
    assert equal.tests["lower"][0, -1].tolist() == [0.0]


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
    columns = [values.collections.index(name) for name in files.collections]
    np.testing.assert_array_equal(values.values[np.ix_(of, order, columns)], files.values)
    assert compare_collections(rows).records() == files.records()
    assert compare_collections(rows).records("means") == files.records("means")
    pandas.DataFrame(rows).to_csv("values.csv", index=False)
    told = []
    for words in (["--collections", table, *MEASURES], ["--values", "values.csv"]):
        assert cli.main(["compare", *words, "-o", "map.svg", "-o", "table.tex", "-o", "page.html"]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] == f"{files}\n"
    assert r"\multicolumn{1}{c}{even $\uparrow$}" in Path("table.tex").read_text()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,odd.qrels,A/odd*\nb,even.qrels,none/*", "row 2 (b): column runs: 'none/*' is neither a file nor"),
        ("a,,A/odd*", "row 1 (a): column qrels is empty"),
        ("a,odd.qrels,A/odd*\na,even.qrels,A/even*", "row 2 (a): the qrels are even.qrels, and those of"),
    ],
)
def test_a_wrong_table_of_collections_names_row_and_column(table, rows, message):
    Path(table).write_text(f"collection,qrels,runs\n{rows}\n")
    with pytest.raises(GradedError) as error:
        read(table)
    assert str(error.value).startswith(f"{table}: {message}")
