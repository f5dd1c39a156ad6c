"""The command `compare`: output in every format, baseline and errors."""

import hashlib
import json
import os
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ir_measures_graded import cli, demo
from ir_measures_graded.analysis import compare

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

MEASURE = "nDCG_JK(gains=0:0,1:1,2:10,3:100,avg=True)@100"
RUNS = {name: str(path) for name, path in demo.run_paths().items()}
WORDS = ["compare", demo.NAME, *RUNS.values(), MEASURE]


@pytest.fixture(scope="module")
def against():
    """The comparison with run A."""
    return compare(demo.qrels_path(), RUNS, [MEASURE], baseline="A")


def test_latex_and_html_have_the_table_of_a_paper_with_its_origin(against, output):
    digest = hashlib.sha256(Path(RUNS["A"]).read_bytes()).hexdigest()
    for form, table, mark in (
        ("latex", against.to_latex(3), "% "),
        ("html", against.to_html(3), "<!-- "),
    ):
        text = "\n".join(output(*WORDS, "--baseline", RUNS["A"], "-f", form, "-p", 3))
        assert text.endswith(table)
        origin = [line for line in text.removesuffix(table).splitlines() if line]
        assert all(line.startswith(mark) for line in origin)
        assert "compare graded-demo" in origin[0]
        assert [line.split()[1] for line in origin[2:]] == list(RUNS.values())
        assert digest in origin[2]


@pytest.mark.filterwarnings("default::ir_measures_graded.errors.InputWarning")
def test_measures_that_gains_do_not_change_are_named_once(capsys):
    measures = ["nDCG@10", "ERR@20", "CG(gains=exp)@5"]
    words = ["compare", demo.NAME, RUNS["A"], RUNS["E"], *measures, "--gains", "0,1,10,100"]
    assert cli.main([*words, "-f", "latex"]) == 0
    out, err = capsys.readouterr()
    others = "ERR@20 (takes no gains; ERR_G@20 does) and CG(gains='exp')@5 (has its own)"
    assert err.count(f"--gains does not apply to {others}\n") == 1
    assert r"nDCG@10$^\dagger$: nDCG(gains=\{2:10,3:100\})@10." in out


@pytest.mark.parametrize("show", ["differences", "means", "tests"])
def test_a_file_name_that_is_not_utf8_is_a_name_of_a_run(output, show):
    name = "\udcff"
    Path(name).write_bytes(Path(RUNS["A"]).read_bytes())
    words = ["compare", demo.NAME, name, RUNS["B"], MEASURE, "--show", show]
    if show == "tests":
        words += ["--tests", "wilcoxon"]
    first = json.loads(output(*words, "-f", "jsonl")[0])
    assert name in first.values()


@pytest.mark.parametrize("spelling", ["bm25", "bm25.run", "x/bm25.run"])
def test_a_baseline_is_found_by_name_file_name_and_path(output, spelling):
    Path("x").mkdir()
    Path("x/bm25.run").write_text(Path(RUNS["A"]).read_text())
    words = ["compare", demo.NAME, "x/bm25.run", RUNS["B"], "P@5", "-f", "jsonl"]
    (line,) = output(*words, "--baseline", spelling)
    row = json.loads(line)
    assert row["run"] == "B"
    assert row["other"] == "bm25"


def test_quoted_patterns_are_expanded(output):
    for name, path in demo.run_paths().items():
        os.symlink(path, f"{name}.run")
    runs = ["A.run", "B.run", "C.run", "D.run"]
    expected = output("compare", demo.NAME, *runs, "AP", "-f", "jsonl")
    assert output("compare", demo.NAME, "[A-D].run", "AP", "-f", "jsonl") == expected


def test_the_best_run_is_first_in_the_table_of_papers_if_sorted(output):
    words = ["compare", demo.NAME, *RUNS.values(), "nDCG@10", "AP", "-f", "markdown"]
    rows = [line.split(" | ")[1] for line in output(*words) if re.match(r"\| [a-z] \|", line)]
    assert rows == list("ABCDE")
    ordered = output(*words, "--sort", "ndcg@10")
    rows = [line.split(" | ")[1] for line in ordered if re.match(r"\| [a-z] \|", line)]
    assert rows == list("DECBA")


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
def test_latex_cites_keys_that_its_entries_define(correction, output):
    words = ["compare", demo.NAME, *list(RUNS.values())[:3], "nDCG@10", "AP", "ERR_G@5"]
    words += ["--tests", "conover,anova,tukey,wilcoxon,randomisation", "--resamples", "200"]
    words += ["--correction", correction, "--sentence", "-f", "latex"]
    text = "\n".join(output(*words, "--bibtex"))
    cited = set(re.findall(r"\\cite\{(\w+)\}", text))
    defined = set(re.findall(r"^@\w+\{(\w+),$", text, re.M))
    assert cited <= defined
    of_correction = {"holm": "holm1979", "bonferroni": "dunn1961", "bh": "benjamini1995"}
    expected = {"jarvelin2002", "student1908", "friedman1937", "conover1980", "wilcoxon1945"}
    expected |= {"carterette2012", "fisher1925", "fisher1935"}
    if correction != "none":
        expected |= {of_correction[correction], "sidak1967"}
    assert expected <= cited
    assert set(of_correction.values()) & cited == set(of_correction.values()) & expected
    assert r"\cite" not in "\n".join(output(*words))


def test_collections_may_be_groups_of_topics(output):
    rows = []
    for run, name, number in product("ab", "xy", range(1, 4)):
        rows.append(f"{run},{name}{number},{name},{number / 9}")
    Path("v.csv").write_text("\n".join(["run,topic,collection,P@9", *rows]))
    lines = output("compare", "--values", "v.csv", "--by", "v.csv:collection", "-f", "csv")
    assert len(lines) > 2


def test_the_best_run_may_be_the_baseline_of_files_and_of_values(output):
    runs = [str(path) for path in demo.run_paths().values()]
    output("evaluate", demo.qrels_path(), *runs, "nDCG@10", "-q", "-n", "-o", "values.csv")
    for words in ([demo.qrels_path(), *runs, "nDCG@10"], ["--values", "values.csv"]):
        lines = output("compare", *words, "--baseline", "best")
        assert "A and C are significantly worse than D" in " ".join(lines)
        assert any(line.startswith("D is the baseline because it is the best") for line in lines)


def test_open_pairs_are_named_or_counted_and_shown(output):
    noise = np.random.default_rng(2).normal(0, 0.1, (9, 30))
    noise[0] += 1
    noise[1] = noise[2] + 0.5
    rows = [f"r{run},{topic},{value}" for (run, topic), value in np.ndenumerate(noise)]
    Path("v.csv").write_text("\n".join(["run,topic,AP", *rows]))
    of_three = ["compare", "--values", "v.csv", "r0", "r3", "r4"]
    pair = re.compile(r"By AP, the tests cannot tell (r3 from r4|r4 from r3)\.")
    assert any(map(pair.fullmatch, output(*of_three)))
    facts = json.loads("\n".join(output(*of_three, "-f", "json")))
    assert any(map(pair.fullmatch, facts["notes"]))
    assert not any("cannot tell" in line for line in output(*of_three[:-2], "r1"))
    shown = output(*of_three, "--show", "open")
    assert shown[0] == "1 of 3 tested pairs is open by AP: the tests cannot tell its runs apart."
    assert sum(line.startswith("AP ") for line in shown) == 1
    all_runs = ["compare", "--values", "v.csv"]
    records = [json.loads(line) for line in output(*all_runs, "--show", "open", "-f", "jsonl")]
    assert len(records) > 15
    assert not any(record["significant"] for record in records)
    counted = (
        f"Pairs of runs that the tests cannot tell apart: {len(records)} of 36 by AP; --show open "
    )
    assert any(line.startswith(counted) for line in output(*all_runs))
    against = " ".join(output(*all_runs, "--baseline", "r3"))
    assert "By AP, the tests cannot tell r3 from " in against
    none = output("compare", "--values", "v.csv", "r0", "r1", "--show", "open")
    assert none[0] == "No tested pair is open by AP."


def test_sentences_for_method_have_measures_what_they_share_and_the_tests(output):
    words = ["compare", demo.NAME, *demo.run_paths().values(), "nDCG@10", "AP", "--sentence"]
    lines = output(*words)
    text = " ".join(lines)
    shared = "Unjudged documents keep their ranks and have the gain 0."
    assert text.count(shared) == 1
    assert "This holds for both measures. Documents are in descending order" in text
    assert "2 families were tested: the 10 differences between all pairs of runs" in text
    assert lines[-4:] == output(*words, "--bibtex")[len(lines) - 4 : len(lines)]
    assert any(line.startswith("@software{") for line in output(*words, "--bibtex"))
    rows = [json.loads(line) for line in output(*words, "-f", "jsonl")]
    assert [row["measure"] for row in rows] == ["nDCG@10", "AP", "statistics"]
    assert all(shared in row["sentence"] for row in rows[:2])
    latex = " ".join(output(*words, "-f", "latex"))
    assert latex.count("two-sided paired t-tests over 20 topics") == 1
