"""What the what-if page holds, and which data it refuses."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from ir_measures_graded import RunFile, cli, demo, parse_measure
from ir_measures_graded.analysis import ordered_runs, sensitivity
from ir_measures_graded.analysis.whatif import what_if, why_no_sliders
from ir_measures_graded.evaluation.named import study_of
from rounds import thorough

QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": -2}, "2": {"a": 1}}
RUNS = {
    "one": {"1": {"x": 3, "a": 2, "d": 1.5, "b": 1}, "2": {"x": 1}},
    "two": {"1": {"c": 3, "b": 2}, "2": {"a": 1}},
}


def what_if_of(measure, qrels=QRELS, runs=RUNS):
    return what_if(study_of(qrels, runs), parse_measure(measure))


def test_lists_hold_the_level_at_each_rank():
    page = what_if_of("nDCG_JK(b=3,gains=2:10)@7")
    assert page.levels == (1, 2)
    assert page.judged.tolist() == [[1, 1], [1, 0]]
    assert page.lists == ((".b.a", ""), (".a", "a"))
    assert (page.measure, page.parameters, page.cutoff) == ("nDCG_JK", {"b": 3}, 7)
    assert page.gains == (1, 10)
    assert page.reference == "nDCG_JK(b=3,gains={2:10})@7 as named"
    presets = dict(json.loads(json.dumps(page.data()))["presets"])
    assert (presets["exp"], presets["only level 2"]) == ([1, 3], [0, 1])


def test_levels_too_high_for_exponential_gains_have_the_other_presets():
    page = what_if_of("nDCG_JK@5", {"1": {"a": 10**6, "b": 2 * 10**7}}, RUNS)
    presets = dict(page.data()["presets"])
    assert presets["linear"] == [10**6, 2 * 10**7]
    assert "exp" not in presets


def test_condensed_lists_leave_unjudged_documents_out():
    assert what_if_of("nDCG_JK(judged_only=True)@7").lists == (("b.a", ""), (".a", "a"))


def test_another_measure_is_replaced_by_ndcg_with_its_gains_and_cutoff():
    page = what_if_of("NDCNG(gains=2:10)@5")
    assert (page.measure, page.cutoff, page.gains) == ("nDCG_JK", 5, (1, 10))
    assert page.reference == "nDCG_JK@5 with the gains of NDCNG(gains={2:10})@5"
    assert what_if_of("nDCG_JK(avg=True)").cutoff == 100


def test_the_page_begins_with_the_named_measure_and_has_the_weightings_that_were_asked_for():
    orders = sensitivity(QRELS, RUNS, ["nDCG_JK"], gains=["mine=1:7,2:9", "flat=1:1,2:1"])
    what_if_page = orders.what_if()
    assert (what_if_page.gains, what_if_page.cutoff) == ((1, 2), 100)
    assert what_if_page.reference == "nDCG_JK as named, down to rank 100"
    assert what_if_page.presets()["mine"] == [7, 9]


def test_equal_gains_share_a_button():
    orders = sensitivity(
        QRELS, RUNS, ["nDCG_JK"], gains=["mine=1:1,2:2", "flat=1:1,2:1", "one=1:1,2:1"]
    )
    buttons = orders.what_if().buttons()
    assert buttons[0] == ("as named", [1, 2])
    assert ("mine, w3, linear", [1, 2]) in buttons
    assert ("flat, one, w1", [1, 1]) in buttons
    assert len({tuple(gains) for _, gains in buttons[1:]}) == len(buttons) - 1


def test_the_page_begins_with_the_only_weighting_that_was_named():
    orders = sensitivity(QRELS, RUNS, ["nDCG_JK@3"], gains="1:7,2:9")
    names = [setting.weighting for setting in orders.settings]
    assert names == ["7/9", "flat", "linear", "exponential", "steep"]
    assert (orders.what_if().gains, orders.what_if().cutoff) == ((7, 9), 3)


@pytest.mark.parametrize("table", ["tau", "ranks", "swaps", "differences"])
def test_every_table_has_a_page_with_sliders(table, tmp_path, output):
    runs = list(demo.run_paths().values())[:2]
    options = ["--gains", "1:1,2:3,3:7", "--show", table, "-o", tmp_path / "what-if.html"]
    output("sensitivity", demo.qrels_path(), *runs, "nDCG_JK@10", *options)
    page = (tmp_path / "what-if.html").read_text(encoding="utf-8")
    assert '"gains":[1,3,7]' in page


@pytest.mark.parametrize(
    ("measure", "qrels", "runs"),
    [
        ("AP", QRELS, RUNS),
        ("nDCG_JK(ties='mean')", QRELS, RUNS),
        ("nDCG_JK(gains=0:1)", QRELS, RUNS),
        ("nDCG_JK", {"1": {"a": 0}}, RUNS),
        ("nDCG_JK", {"1": {str(level): level for level in range(1, 14)}}, RUNS),
        ("nDCG_JK", QRELS, {"one": RUNS["one"]}),
        ("nDCG_JK", {str(topic): {"a": 1} for topic in range(10_001)}, RUNS),
    ],
    ids=["standard", "ties", "level 0", "no level", "13 levels", "one run", "20,002 lists"],
)
def test_data_that_the_page_cannot_show_have_none(measure, qrels, runs):
    assert what_if_of(measure, qrels, runs) is None


@thorough
def test_the_data_of_100_runs_and_50_topics_stay_below_700_kb():
    random = np.random.default_rng(1)
    documents = [f"d{number}" for number in range(400)]
    topics = [str(topic) for topic in range(50)]
    qrels = {topic: {doc: int(random.integers(0, 4)) for doc in documents} for topic in topics}

    def random_ranking():
        return dict(zip(random.permutation(documents)[:100], range(100, 0, -1), strict=True))

    runs = {f"run {n}": {topic: random_ranking() for topic in topics} for n in range(100)}
    data = what_if_of("nDCG_JK@10", qrels, runs).data()
    assert len(json.dumps(data, ensure_ascii=False, separators=(",", ":"))) < 700_000


@pytest.fixture
def two_runs(tmp_path, monkeypatch):
    """Qrels with words, two runs with ties, and both in a table of other names."""
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text("query_id,doc_id,relevance\n1,a,Good\n1,b,Bad\n1,1,So so\n")
    table = ["sys,who,doc_id,score"]
    for name, text in {"a": "1a1 1b1 113", "b": "1b2 112 1a1"}.items():
        Path(f"{name}.run").write_text("".join(f"{q} Q0 {d} 1 {s} x\n" for q, d, s in text.split()))
        table += [f"{name},{q},{d},{s}" for q, d, s in text.split()]
    Path("both.csv").write_text("\n".join(table))


TABLE = RunFile("both.csv", run_column="sys", columns={"query_id": "who"})


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (["a.run", "b.run"], "a.run b.run"),
        ([RunFile("a.run", ascending=True), RunFile("b.run", ascending=True)], "a.run b.run --asc"),
        (lambda: ordered_runs({"a": "a.run", "b": "b.run"}), "a.run b.run --ties given"),
        ({"a": "a.run", "other": "b.run", "again": "b.run"}, "a.run other=b.run again=b.run"),
        (TABLE.runs, "both.csv --run_column sys --columns query_id=who"),
        ([RunFile("a.run", ascending=True), "b.run"], "RUN…"),
        (RUNS, "RUN…"),
    ],
)
def test_the_command_reads_the_runs_as_they_were_read(runs, words, two_runs):
    study = study_of({"1": {"a": 2, "b": 0, "1": 1}}, runs() if callable(runs) else runs)
    command = what_if(study, parse_measure("nDCG_JK@2")).command
    assert command.startswith(f"ir_measures_graded evaluate QRELS {words}")


def test_the_command_of_a_page_has_the_values_of_its_line(two_runs, capsys):
    typed = shlex.split("q.csv a.run b.run --ignore_identical_ids --levels 'Bad:0,So so:1,Good:2'")
    assert cli.main(["sensitivity", *typed, "nDCG_JK@3", "-o", "page.html"]) == 0
    text = Path("page.html").read_text(encoding="utf-8").partition('"command":')[2]
    command, _ = json.JSONDecoder().raw_decode(text)
    printed = []
    for line in (["evaluate", *typed], shlex.split(command)[1:]):
        capsys.readouterr()
        assert cli.main([*line, "nDCG_JK@3"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("AP", "AP takes no gains of levels"),
        ("ERR@20", "ERR@20 takes no gains; ERR_G(max_gain=15)@20 has the same formula and does"),
        ("nDCG_JK(ties='mean')", "nDCG_JK(ties='mean') has the option ties"),
        ("nDCG@10", ""),
    ],
)
def test_a_page_tells_why_it_has_no_sliders(measure, reason):
    assert why_no_sliders(study_of(QRELS, RUNS), parse_measure(measure)) == reason
    assert (what_if_of(measure) is None) == bool(reason)


def test_a_page_without_sliders_says_so_on_it_and_beside_it(tmp_path, two_runs, capsys):
    reason = "the page has no sliders: AP takes no gains of levels"
    words = ["sensitivity", "q.txt", "a.run", "b.run"]
    Path("q.txt").write_text("1 0 a 2\n1 0 b 1\n", encoding="utf-8")
    assert cli.main([*words, "AP", "P@2", "-o", "page.html"]) == 0
    assert reason in capsys.readouterr().err
    assert f"{reason[0].upper()}{reason[1:]}." in Path("page.html").read_text(encoding="utf-8")
    assert cli.main([*words, "AP", "nDCG@2", "-o", "page.html"]) == 0
    assert "sliders" not in capsys.readouterr().err
    assert '"reference":"nDCG@2 as named"' in Path("page.html").read_text(encoding="utf-8")


def test_a_page_names_files_without_their_folders(tmp_path, capsys):
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "qrels.txt").write_text("q1 0 a 2\nq1 0 b 1\n", encoding="utf-8")
    for name in ("one", "two"):
        (folder / f"{name}.run").write_text(f"q1 Q0 {name[0]} 1 1 {name}\n", encoding="utf-8")
    words = [folder / "qrels.txt", folder / "one.run", folder / "two.run", "nDCG@2"]
    page = tmp_path / "page.html"
    assert cli.main(["sensitivity", *map(str, words), "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert '"command":"ir_measures_graded evaluate qrels.txt one.run two.run"' in text
    other = tmp_path / "other"
    other.mkdir()
    (folder / "two.run").rename(other / "one.run")
    words[2] = f"two={other / 'one.run'}"
    assert cli.main(["sensitivity", *map(str, words), "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert f"evaluate qrels.txt {folder / 'one.run'} two={other / 'one.run'}" in text
