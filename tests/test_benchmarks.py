"""The benchmarks run, their inputs match their descriptions, and equivalent contestants agree."""

import json
import shutil
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("duckdb", reason="DuckDB is not installed")

import costs
import floor
import jobs
import kept
import large
import page
import promises
import workloads
from workloads import FORMS, SHAPES

import peers
from ir_measures_graded import demo
from peers import OURS, TINY
from rounds import thorough


@pytest.mark.filterwarnings("ignore")  # warnings of the peers and of their dependencies
@pytest.mark.parametrize("form", [*peers.IN_MEMORY, *peers.ON_FILES])
def test_contestants_agree(form, tmp_path):
    for tied in (True, False):
        trec_eval = shutil.which("trec_eval") or ""
        inputs = peers.Inputs(replace(TINY, tied=float(tied)), tmp_path / str(tied), trec_eval)
        calls = inputs.contestants(form)
        by_dicts = inputs.contestants("dicts")
        calls.pop(peers.FLOOR, None)
        for peer, call in calls.items():
            has_own_order_of_ties = peer == "ranx"
            if tied == has_own_order_of_ties:
                continue
            expected = by_dicts[OURS if peer == OURS else "ir-measures"]()
            tolerance = 1e-4 if peer == "trec_eval" else 1e-12
            assert call() == pytest.approx(expected, abs=tolerance), peer


TWO_BLOCKS = replace(SHAPES["L"], topics=workloads.BLOCK + 100, retrieved=100)


@pytest.mark.parametrize("shape", [SHAPES["S"], SHAPES["M"], TWO_BLOCKS], ids=str)
def test_workloads_match_their_descriptions(shape):
    qrels, run = FORMS["dicts"](shape)
    assert list(qrels) == list(run) == [str(number) for number in range(1, shape.topics + 1)]
    assert {len(documents) for documents in run.values()} == {shape.retrieved}
    sizes = range(shape.judged[0], shape.judged[1] + 1)
    assert {len(documents) for documents in qrels.values()} == {*sizes}
    levels = {level for documents in qrels.values() for level in documents.values()}
    assert levels == set(range(shape.levels[0], shape.levels[1] + 1))
    for topic, documents in qrels.items():
        assert len(documents.keys() & run[topic].keys()) == (len(documents) + 1) // 2
    scores = [list(documents.values()) for documents in run.values()]
    assert all(of_topic == sorted(of_topic, reverse=True) for of_topic in scores)
    counts = [Counter(of_topic) for of_topic in scores]
    tied = sum(count for of_topic in counts for count in of_topic.values() if count > 1)
    assert tied / sum(map(len, scores)) == pytest.approx(1 / 20, rel=0.1)


def here(function, *arguments):
    return function(*arguments)


@pytest.fixture
def tiny(monkeypatch):
    """The workloads S and `groups` are tiny ones; `large` measures in this process."""
    for programs in (SHAPES, costs.INPUTS):
        monkeypatch.setitem(programs, "S", TINY)
    monkeypatch.setitem(costs.INPUTS, "groups", TINY)
    monkeypatch.setattr(large, "in_fresh_process", here)


@pytest.mark.filterwarnings("ignore")  # warnings of the peers
@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("benchmark", "arguments", "tables", "rows"),
    [
        (peers, ["S", "--only", "dicts/pytrec_eval"], 1, 2),
        (costs, ["S", "groups"], len(costs.TABLES), None),
        (large, ["--only", "evaluate* 10,000 rows", "power*"], 1, 3),
    ],
    ids=["peers", "costs", "large"],
)
def test_benchmarks_run(benchmark, arguments, tables, rows, tmp_path, capsys):
    path = tmp_path / "measured.json"
    benchmark.main([*arguments, "--repeat", "1", "--json", str(path)])
    result = json.loads(path.read_text())
    measured = [row for table in result["tables"].values() for row in table]
    assert len(result["tables"]) == tables
    if rows is not None:
        assert len(measured) == rows
    for row in measured:
        assert row.get("ms", row.get("s")) > 0
        if "peak_MB" in row:
            assert row["peak_MB"] >= row.get("added_MB", 0) >= 0
    assert result["packages"].keys() >= {"ir-measures-graded", "numpy"}
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) == len(measured) + 2 * tables


@pytest.mark.filterwarnings("ignore")  # warnings of the peers
def test_contestants_on_arrays_agree(tmp_path):
    (calls,) = costs.arrays(peers.Inputs(TINY, tmp_path))
    means = {name: call() for name, call in calls.items()}
    assert means == pytest.approx(dict.fromkeys(calls, means["ir-measures-graded"]), abs=2e-6)


def test_promises_are_measured(tmp_path, capsys):
    """Every promise, in two samples of the topics of the demo collection."""
    shutil.copy(demo.qrels_path(), tmp_path / "qrels.txt")
    (tmp_path / "runs").mkdir()
    for name, path in demo.run_paths().items():
        shutil.copy(path, tmp_path / "runs" / f"{name}.run")
    words = ["--data", str(tmp_path), "--trials", "2", "--sizes", "20"]
    for command in promises.WHAT_IT_MEASURES:
        promises.main([command, *words, "--measures", "P@10"])
        rows = capsys.readouterr().out.splitlines()
        assert rows, command
        assert all(row.count(" | ") == 4 and "nan" not in row for row in rows), command


def test_the_least_work_is_measured_for_each_form(capsys):
    floor.main(["tiny", "--rounds", "1"], {"tiny": TINY})
    lines = capsys.readouterr().out.splitlines()
    forms = Counter(line.split(" | ")[1] for line in lines[2:])
    assert forms == {"text": 4, "Parquet": 3, "dicts": 4}


@thorough
def test_commands_with_one_job_and_two_are_measured(tmp_path):
    path = tmp_path / "measured.json"
    cases = {"packed": jobs.Case(2, TINY, compressed=True)}
    jobs.main(["--repeat", "1", "--json", str(path)], cases)
    ((row,),) = json.loads(path.read_text())["tables"].values()
    assert row["runs"] == "packed"
    assert min(row["s_1"], row["CPU_s_1"], row["s_2"], row["CPU_s_2"]) > 0


def test_kept_figures_tell_which_forms_are_slower(tmp_path, capsys, monkeypatch):
    def small_work(is_file):
        return partial(sum, range(1000))

    monkeypatch.setattr(kept, "fixed_work", small_work)
    figures = tmp_path / "kept.json"
    before = {"processor": 1e9, "elapsed": 1e9}
    figures.write_text(json.dumps({"dicts": {**before, "elapsed": 1e-9}, "text": before}))
    arguments = ["dicts", "text", "--rounds", "1", "--keep"]
    assert kept.main(arguments, TINY, figures) == 1
    assert capsys.readouterr().out.endswith("\nFallen behind: dicts (elapsed)\n")
    now = json.loads(figures.read_text())
    assert now["dicts"]["elapsed"] == 1e-9
    assert 0 < now["text"]["processor"] < 1e9


def test_a_figure_of_every_form_is_kept():
    figures = json.loads(kept.KEPT.read_text())
    assert figures.keys() == {*kept.FORMS, *kept.ARROW_FORMS, *kept.FILES}
    assert all(of_form.keys() == kept.CLOCKS.keys() for of_form in figures.values())


def test_the_page_has_the_tables_of_its_parts(tmp_path):
    """A part that is in the folder is not measured again; the others are left as they are."""
    rows = [{"case": "report", "s": 5.0, "CPU_s": 3.21, "peak_MB": 320.4}]
    measured = {"date": "2026-11-29T12:00:00+00:00", "tables": {"Large work": rows}}
    (tmp_path / "analyses.json").write_text(json.dumps(measured))
    for name, (file, _) in page.WRITTEN.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as stream:
            stream.write(f"<!-- begin {name} -->\nold\n<!-- end {name} -->\n")
    page.main(["--folder", str(tmp_path), "--only", "analyses", "--write"], tmp_path)
    text = (tmp_path / "docs/benchmarks.md").read_text()
    assert text == (
        "<!-- begin analyses -->\n\n| analysis | seconds | MB |\n|---|--:|--:|\n"
        "| report | 3.2 | 320 |\n\n<!-- end analyses -->\n"
    )
    assert (tmp_path / "README.md").read_text() == (
        "<!-- begin in short -->\nold\n<!-- end in short -->\n"
    )


def test_every_table_of_the_page_has_its_place():
    for name, (file, _) in page.WRITTEN.items():
        text = (page.ROOT / file).read_text()
        assert page.replaced(text, name, "") != text
