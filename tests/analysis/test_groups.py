"""Groups of topics: each has the tables of its topics, corrected over all groups that are tested."""

import json
from dataclasses import replace

import numpy as np
import pandas
import pytest

pytest.importorskip("statsmodels", reason="the extra stats is not installed")
pytest.importorskip("scipy", reason="the extra stats is not installed")
from evaluations import of_array
from scipy import stats
from statsmodels.stats.multitest import multipletests

from ir_measures_graded import cli
from ir_measures_graded.analysis import compare, gate
from ir_measures_graded.evaluation.attributes import groups_of

SIZES = {"short": 12, "long": 20, "odd": 4, "single": 1}
BY = {f"{kind}{n}": kind for kind, size in SIZES.items() for n in range(size)}
TOPICS = (*BY, "none1", "none2")


@pytest.fixture(scope="module")
def values():
    random = np.random.default_rng(5)
    hard = random.random(len(TOPICS))
    array = [hard + shift + random.normal(0, 0.1, hard.size) for shift in (0.0, 0.15, 0.02)]
    return replace(of_array(array), topics=TOPICS)


def rows_of(values, kind):
    return values.values[:, 0, [BY.get(topic) == kind for topic in values.topics]]


def test_p_intervals_and_effects_of_groups_are_corrected_for_all_groups(values):
    found = compare(values, by=BY)
    assert {name: part.topics for name, part in found.groups.items()} == SIZES | {"no group": 2}
    assert found.records()[:3] == [{"group": None, **row} for row in compare(values).records()]
    tests = [test for kind in ("short", "long") for test in found.groups[kind].find("nDCG_JK")]
    p = []
    for test, kind in zip(tests, ["short"] * 3 + ["long"] * 3):
        a, b = (rows_of(values, kind)[values.runs.index(run)] for run in (test.run, test.other))
        p.append(stats.ttest_rel(a, b).pvalue)
        degrees, deviation = a.size - 1, np.std(a - b, ddof=1)
        reach = stats.sem(a - b) * stats.t.ppf((1 + 0.95 ** (1 / 6)) / 2, degrees)
        assert test.upper == pytest.approx(np.mean(a - b) + reach)
        effect = test.detectable / deviation * a.size**0.5
        power = stats.nct.sf(stats.t.isf(0.05 / 12, degrees), degrees, effect)
        assert power == pytest.approx(0.8, abs=1e-3)
    assert [test.adjusted for test in tests] == pytest.approx(multipletests(p, method="holm")[1])
    assert {test.significant for test in tests} == {True, False}
    small = [
        test
        for kind in ("odd", "single", "no group")
        for test in found.groups[kind].find("nDCG_JK")
    ]
    assert all((test.p, test.adjusted, test.significant) == (None, None, False) for test in small)
    assert {test.note.partition(":")[0] for test in small} == {"intervals only"}


def test_alexander_governs_test_tells_whether_a_difference_depends_on_the_group(values):
    for baseline in (None, "A"):
        found = compare(values, by=BY, baseline=baseline)
        tests = found.find("nDCG_JK", "Alexander–Govern")
        p = []
        for test in tests:
            runs = [*map("ABC".index, (test.run, test.other))]
            d = [np.subtract(*rows_of(values, kind)[runs]) for kind in ("short", "long")]
            expected = stats.alexandergovern(*d)
            assert (test.statistic, test.p) == pytest.approx((expected.statistic, expected.pvalue))
            p.append(test.p)
        assert [test.adjusted for test in tests] == pytest.approx(
            multipletests(p, method="holm")[1]
        )
    assert "Groups of at least 10 topics are tested, here 2 of 5; their p" in " ".join(
        found.notes()
    )
    titles = [table.title for table in found.tables()]
    holm = "Alexander–Govern, Holm's correction for 2 comparisons"
    assert titles[1] == f"Does the difference depend on the group? {holm}"
    assert (
        compare(values, by=dict.fromkeys(TOPICS, "one")).find("nDCG_JK", "Alexander–Govern") == []
    )
    of_long = np.array([BY.get(topic) == "long" for topic in TOPICS])
    apart = values.values + np.array([0, 0.3, 0])[:, None, None] * of_long
    found = compare(replace(values, values=apart), by=BY, baseline="A").find(
        "nDCG_JK", "Alexander–Govern"
    )
    assert [test.significant for test in found] == [True, False]
    for near in (
        values.values[0] * (1 + 2e-16),
        values.values[0] + 1e-5,
    ):  # equal but for rounding errors
        same = replace(values, values=np.stack([near, *values.values[:1], near]))
        assert [test.p for test in compare(same, by=BY).find("nDCG_JK", "Alexander–Govern")] == [
            None
        ] * 3


def test_gate_corrects_over_groups(values):
    two = values.part(values.runs[:2], values.measures)
    verdicts = {each.group: each for each in gate(two, by=BY).verdicts}
    single = [gate(of_array(rows_of(two, kind))).verdicts[0].p_worse for kind in ("short", "long")]
    corrected = multipletests(single, method="holm")[1]
    assert [verdicts["short"].p_worse, verdicts["long"].p_worse] == pytest.approx(corrected)


def test_an_attribute_no_group_is_that_of_topics_without_one():
    assert groups_of(["a", "b", "c"], {"a": "no group", "b": "x"}) == {"x": [1], "no group": [0, 2]}


def test_every_output_has_every_group(values, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = pandas.DataFrame(values.records())
    rows["kind"] = rows["topic"].map(BY)
    rows.to_csv("v.csv", index=False)
    pandas.DataFrame({"topic": [*BY], "kind": [*BY.values()]}).to_parquet("kinds.parquet")
    words = ["--values", "v.csv", "--by"]
    printed = []
    for by in ("v.csv:kind", "kinds.parquet:kind"):
        assert cli.main(["compare", *words, by, "-f", "jsonl"]) == 0
        printed.append(capsys.readouterr().out)
    groups = [None, *SIZES, "no group"]
    assert (
        list(dict.fromkeys(json.loads(line)["group"] for line in printed[0].splitlines())) == groups
    )
    assert printed[0] == printed[1]
    assert printed[0] == "".join(f"{json.dumps(row)}\n" for row in compare(values, by=BY).records())
