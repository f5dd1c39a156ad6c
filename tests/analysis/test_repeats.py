"""Repeated runs of systems: errors over topics and repeats, tables, figure and messages."""

import json

import numpy as np
import pandas
import pytest

pytest.importorskip("statsmodels", reason="the extra stats is not installed")
from evaluations import of_array
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests

from ir_measures_graded import cli
from ir_measures_graded.analysis import compare
from ir_measures_graded.analysis.statistics.components import errors_of

SYSTEMS = dict(zip("ABCDEFGH", ["one", "two", "one", "two", "one", "three", "two", "three"]))


def layouts(random, topics=30, counts=(3, 3), topic=0.1, repeat=0.02, rest=0.1):
    """The values of systems without a true difference (repeats × topics each)."""
    easy = random.normal(0.5, 0.2, topics)
    return [
        easy + random.normal(0, topic, topics) + random.normal(0, repeat, (count, 1))
        + random.normal(0, rest, (count, topics))
        for count in counts
    ]  # fmt: skip


def squares(values):
    """The mean squares of a two-way layout by statsmodels: repeats, topics, residual."""
    repeat, topic = np.indices(values.shape)
    table = pandas.DataFrame({"y": values.ravel(), "r": repeat.ravel(), "t": topic.ravel()})
    return anova_lm(ols("y ~ C(r) + C(t)", table).fit())["mean_sq"].tolist()


@pytest.mark.parametrize("repeat", [0.0, 0.2])
def test_errors_are_those_of_the_mean_squares_of_statsmodels(repeat):
    first, second = layouts(np.random.default_rng(8), counts=(4, 2), repeat=repeat)
    found, n = errors_of(first, second), first.shape[1]
    parts = [(len(values), *squares(values)) for values in (first, second)]
    topics = stats.sem(first.mean(axis=0) - second.mean(axis=0)) ** 2
    added = sum(max(0, of_repeat - rest) / n / k for k, of_repeat, _, rest in parts)
    spread = sum(
        (of_repeat / n / k) ** 2 / (k - 1) + (rest / n / k) ** 2 / (k - 1) / (n - 1)
        for k, of_repeat, _, rest in parts
    )
    repeats = sum(of_repeat / n / k for k, of_repeat, _, _ in parts)
    expected = [topics**0.5, repeats**0.5, (topics + added) ** 0.5]
    expected.append((topics + added) ** 2 / (topics**2 / (n - 1) + spread))
    assert [*found] == pytest.approx(expected)


@pytest.fixture
def values():
    random = np.random.default_rng(2)
    return of_array(random.random(24) / 2 + random.random((8, 1)) / 8 + random.normal(0, 0.05, (8, 24)))


def test_systems_are_compared_by_means_over_their_repeats(values):
    found = compare(values, repeats=SYSTEMS, tests=["wilcoxon"])
    rows = {name: np.array([*SYSTEMS.values()]) == name for name in ("one", "two", "three")}
    means = {name: values.values[of, 0].mean(axis=0) for name, of in rows.items()}
    plain = compare(of_array([*means.values()]), tests=["wilcoxon"])
    assert found.differences["p"].tolist() == pytest.approx(plain.differences["p"].tolist())
    for row in found.data("means").records():
        spread = values.values[rows[row["run"]], 0].mean(axis=1)
        assert (row["mean"], row["SD"]) == pytest.approx((spread.mean(), spread.std(ddof=1)))
        assert f"{row['mean']:.4f} ± {row['SD']:.4f}" in found.to_latex()
    tests = found.find("nDCG_JK", "topics × repeats")
    for test in tests:
        systems = (values.values[rows[run], 0] for run in (test.run, test.other))
        topics, repeats, both, degrees = errors_of(*systems)
        assert test.p == pytest.approx(2 * stats.t.sf(abs(test.difference) / both, degrees))
        reach = stats.t.isf((1 - 0.95 ** (1 / 3)) / 2, degrees) * both
        assert test.upper == pytest.approx(test.difference + reach)
        assert test.limit == ("repeats" if repeats > topics else "topics")
    assert [t.adjusted for t in tests] == pytest.approx(multipletests([t.p for t in tests], method="holm")[1])
    groups = compare(values, repeats=SYSTEMS, by={f"q{n}": n < 12 for n in range(24)}).groups
    assert [len(part.find("nDCG_JK", "topics × repeats")) for part in groups.values()] == [3, 3]


def test_constant_difference_over_topics_and_repeats_is_undefined():
    array = np.linspace(0.1, 0.7, 12) + np.array([[0.0], [0.0], [0.1], [0.1]])
    test = compare(of_array(array), repeats=dict(zip("ABCD", "xxyy"))).find("nDCG_JK", "topics × repeats")[0]
    assert (test.p, test.lower, test.significant) == (None, None, False)


def test_the_figure_has_a_dot_for_every_repeat(values):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    for baseline in (None, "two"):
        found = compare(values, repeats=SYSTEMS, baseline=baseline)
        shift = 0 if baseline is None else found.values[1, 0]
        lines = [line for line in found.figure().axes[0].lines if line.get_marker() == "."]
        drawn = np.concatenate([line.get_xdata() for line in lines])
        assert sorted(drawn) == pytest.approx(sorted(values.values[:, 0].mean(axis=1) - shift))


def test_a_pattern_a_column_of_systems_and_a_column_of_seeds_tell_the_same(
    values, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rows = pandas.DataFrame(values.records())
    rows["model"] = rows["run"].map(SYSTEMS)
    rows["seed"] = rows["run"].map({run: n for n, run in enumerate(SYSTEMS)})
    rows["kind"] = rows["topic"].str[1]
    rows.drop(columns="seed").to_csv("models.csv", index=False)
    rows.drop(columns="run").rename(columns={"model": "run"}).to_parquet("seeds.parquet")
    rows["run"] = rows["model"] + "_seed" + rows["seed"].astype(str)
    rows.drop(columns=["model", "seed", "kind"]).to_json("names.json", orient="records", double_precision=15)
    printed = []
    files = ("models.csv", "model"), ("seeds.parquet", "seed"), ("names.json", r"(\w+)_seed\d")
    for file, repeats in files:
        words = ["compare", "--values", file, "--repeats", repeats, "--baseline", "two"]
        assert cli.main([*words, "--show", "tests", "-f", "jsonl"]) == 0
        lines = map(json.loads, capsys.readouterr().out.splitlines())
        printed.append([row["lower"] for row in lines if row["lower"] is not None])
    assert printed[0] == printed[1] == pytest.approx(printed[2])
    words = ["compare", "--values", "models.csv", "--repeats", "model", "one", "three", "--by", "kind"]
    assert cli.main(words) == 0
    told = capsys.readouterr().out
    assert "two" not in told
    assert "4–9 (" in told
