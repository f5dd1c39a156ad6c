"""Groups of topics: tables of the topics of each, corrected over all groups that are tested."""

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
    runs = [hard + shift + random.normal(0, 0.1, hard.size) for shift in (0.0, 0.15, 0.02)]
    return replace(of_array(runs), topics=TOPICS)


def in_group(evaluation, group):
    """The values of each run for the topics of a group."""
    rows = [BY.get(topic) == group for topic in evaluation.topics]
    return dict(zip(evaluation.runs, evaluation.values[:, 0, rows]))


def holm_adjusted(p_values):
    return multipletests(p_values, method="holm")[1]


def test_p_intervals_and_effects_of_groups_are_corrected_for_all_groups(values):
    comparison = compare(values, by=BY)
    sizes = {name: group.topics for name, group in comparison.groups.items()}
    assert sizes == SIZES | {"no group": 2}
    of_all = [{"group": None, **row} for row in compare(values).records()]
    assert comparison.records()[:3] == of_all
    tests = []
    p_values = []
    for name in ("short", "long"):
        of_run = in_group(values, name)
        for test in comparison.groups[name].find("nDCG_JK"):
            tests.append(test)
            p_values.append(stats.ttest_rel(of_run[test.run], of_run[test.other]).pvalue)
            differences = of_run[test.run] - of_run[test.other]
            degrees = differences.size - 1
            quantile = stats.t.ppf((1 + 0.95 ** (1 / 6)) / 2, degrees)
            halfwidth = stats.sem(differences) * quantile
            assert test.upper == pytest.approx(differences.mean() + halfwidth)
            effect = test.detectable / stats.sem(differences)
            power = stats.nct.sf(stats.t.isf(0.05 / 12, degrees), degrees, effect)
            assert power == pytest.approx(0.8, abs=1e-3)
    assert [test.adjusted for test in tests] == pytest.approx(holm_adjusted(p_values))
    assert {test.significant for test in tests} == {True, False}
    small_groups = [comparison.groups[name] for name in ("odd", "single", "no group")]
    untested = [test for group in small_groups for test in group.find("nDCG_JK")]
    assert untested
    for test in untested:
        assert (test.p, test.adjusted, test.significant) == (None, None, False)
        assert test.note.startswith("intervals only:")


def dependence(comparison):
    """The tests of whether a difference depends on the group."""
    return comparison.find("nDCG_JK", "Alexander–Govern")


def test_alexander_governs_test_tells_whether_a_difference_depends_on_the_group(values):
    short = in_group(values, "short")
    long = in_group(values, "long")
    for baseline in (None, "A"):
        tests = dependence(compare(values, by=BY, baseline=baseline))
        for test in tests:
            short_differences = short[test.run] - short[test.other]
            long_differences = long[test.run] - long[test.other]
            peer = stats.alexandergovern(short_differences, long_differences)
            assert test.statistic == pytest.approx(peer.statistic)
            assert test.p == pytest.approx(peer.pvalue)
        adjusted = holm_adjusted([test.p for test in tests])
        assert [test.adjusted for test in tests] == pytest.approx(adjusted)
    against_a = compare(values, by=BY, baseline="A")
    notes = " ".join(against_a.notes())
    assert "Groups of at least 10 topics are tested, here 2 of 5; their p" in notes
    assert against_a.tables()[1].title == (
        "Does the difference depend on the group? "
        "Alexander–Govern, Holm's correction for 2 comparisons"
    )
    assert dependence(compare(values, by=dict.fromkeys(TOPICS, "one"))) == []
    better_for_long = values.values.copy()
    better_for_long[1, 0, [BY.get(topic) == "long" for topic in TOPICS]] += 0.3
    comparison = compare(replace(values, values=better_for_long), by=BY, baseline="A")
    assert [test.significant for test in dependence(comparison)] == [True, False]


def test_differences_of_rounding_errors_have_no_p_of_alexander_governs_test(values):
    a = values.values[0]
    for near in (a * (1 + 2e-16), a + 1e-5):
        alike = replace(values, values=np.stack([near, a, near]))
        p_values = [test.p for test in dependence(compare(alike, by=BY))]
        assert p_values == [None, None, None]


def test_gate_corrects_over_groups(values):
    two = values.part(values.runs[:2], values.measures)
    verdicts = {verdict.group: verdict for verdict in gate(two, by=BY).verdicts}
    p_values = []
    for name in ("short", "long"):
        alone = of_array(list(in_group(two, name).values()))
        p_values.append(gate(alone).verdicts[0].p_worse)
    corrected = [verdicts["short"].p_worse, verdicts["long"].p_worse]
    assert corrected == pytest.approx(holm_adjusted(p_values))


def test_figures_have_a_panel_for_each_group_on_one_scale(values):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    number_lines = gate(values.part(["A", "C"], values.measures), by=BY).figure().axes
    differences = compare(values, baseline="A", by=BY).figure(title="Mine").axes
    for axes, left_out in ((number_lines, 1), (differences, 0)):
        panels = axes[: len(axes) - left_out]  # without the bars of the topics
        assert len(panels) == 2 + len(SIZES)
        assert len({panel.get_xlim() for panel in panels}) == 1
    assert differences[0].figure.texts[0].get_text() == "Mine"


def test_an_attribute_no_group_is_that_of_topics_without_one():
    assert groups_of(["a", "b", "c"], {"a": "no group", "b": "x"}) == {"x": [1], "no group": [0, 2]}


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_cells_with_lists_are_groups(form, tmp_path):
    path = tmp_path / f"tags.{form}"
    table = pandas.DataFrame({"topic": ["1", "2", "3", "3"], "tags": [["a"], *[["b", "c"]] * 3]})
    if form == "json":
        table.to_json(path, orient="records")
    else:
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
        table.to_parquet(path)
    assert groups_of("123", f"{path}:tags") == {"['a']": [0], "['b', 'c']": [1, 2]}


def test_every_output_has_every_group(values, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = pandas.DataFrame(values.records())
    rows["kind"] = rows["topic"].map(BY)
    rows.to_csv("v.csv", index=False)
    kinds = pandas.DataFrame({"topic": list(BY), "kind": list(BY.values())})
    kinds.to_parquet("kinds.parquet")
    records = compare(values, by=BY).records()
    groups = list(dict.fromkeys(record["group"] for record in records))
    assert groups == [None, *SIZES, "no group"]
    for by in ("v.csv:kind", "kinds.parquet:kind"):
        assert cli.main(["compare", "--values", "v.csv", "--by", by, "-f", "jsonl"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines == [json.dumps(record) for record in records]
