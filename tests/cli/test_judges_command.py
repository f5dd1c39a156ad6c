"""The command `judges`: agreement, estimates, choice of tables, and errors."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from ir_measures_graded import GradedError, cli, demo
from ir_measures_graded.analysis import document_runs, estimate, evaluate, judges
from ir_measures_graded.analysis.judging.panel import answers_in, is_judge
from ir_measures_graded.cli import judges as judges_command
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.files.conversion import rows_of, written

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

RUNS = {name: str(path) for name, path in demo.run_paths().items()}


@pytest.fixture
def human(folder):
    """The demo's qrels for 12 of its 20 topics."""
    levels = answers_in(demo.qrels_path()).levels
    some_levels = {topic: levels[topic] for topic in list(levels)[:12]}
    Path("human.txt").write_bytes(written(rows_of(some_levels, "human"), "human.txt"))
    return some_levels


def test_machines_are_compared_without_runs(output, human):
    """One has a file that could be a run."""
    Path("other.csv").write_text("topic,document,score\n351,d0014,1\n351,d0007,\n")
    result = judges("human.txt", {"graded-demo": demo.NAME, "other": "other.csv"})
    words = ["judges", "human.txt", demo.NAME, "other.csv"]
    lines = output(*words)
    answer = "graded-demo, with the highest κ of 2 judges, agrees with the human on 100 %"
    assert lines[0].startswith(answer)
    lines = lines[lines.index("") + 1 :]
    assert lines[0].split()[:2] == ["judge", "kappa"]
    assert lines[0].split()[2:] == ["(95", "%)", "alpha", "(95", "%)", "bias", "(95", "%)"]
    assert lines[3] == ""  # one line a judge
    assert "Documents of the judges" not in lines
    for show in ("all", "agreement"):
        lines = output(*words, "--show", show)
        lines = lines[lines.index("Documents of the judges") + 1 :]
    assert lines[0].endswith("documents  no answer  no level")
    unanswered = result.judges[1].counts["unanswered"]
    assert lines[2].split()[0] == "other"
    assert lines[2].split()[-3:] == ["1", f"{unanswered:,}", "1"]
    assert lines[3] == ""  # one line a judge
    table = "κ with the levels divided in two, with 95 % intervals over topics"
    assert table in output(*words, "--show", "kappas")
    assert table not in lines
    assert list(map(json.loads, output(*words, "-f", "jsonl"))) == result.records()
    assert "\\toprule" in output(*words, "-f", "latex")


def test_the_text_is_short_and_tells_how_to_see_the_rest(output, human):
    machine = {
        topic: {doc: 3 - level for doc, level in docs.items()} for topic, docs in human.items()
    }
    Path("machine.txt").write_bytes(written(rows_of(machine, "machine"), "machine.txt"))
    words = ["judges", "human.txt", "machine.txt", *RUNS.values(), "nDCG@10"]
    short = output(*words, "-o", "all.md", "-o", "all.html")
    everything = output(*words, "--show", "all")
    assert len(short) < 36 < len(everything)
    text = " ".join(short)
    assert re.search(r"\(\d of 10 pairs in the same order\)", text)
    more = text[text.index("--show has more: ") :]
    options = {option.name: option for option in judges_command.OPTIONS}
    named = re.findall(r"(?:more:|,|and) (\w+) \(", more)
    assert set(named) <= set(options["show"].choices)
    for table in named:
        assert output(*words, "--show", table)
    title = "κ with the levels divided in two, with 95 % intervals over topics"
    assert title not in short
    assert title in everything
    for path in ("all.md", "all.html"):
        assert title in Path(path).read_text(encoding="utf-8")
    rows = output(*words, "--show", "orders", "-f", "csv")
    assert rows[0] == "judge,measure,tau,halves,tau_AP,rho,RBO,agreed,reversed,significant,moves"


def test_levels_are_in_the_order_of_the_headline(output, human):
    names = ["poor", "good", "fair", "best"]
    for name, share in zip(names, (0.9, 0.2, 0.5, 0.0), strict=True):
        random = np.random.default_rng(1)
        machine = {
            topic: {doc: 0 if random.random() < share else level for doc, level in docs.items()}
            for topic, docs in human.items()
        }
        Path(f"{name}.txt").write_bytes(written(rows_of(machine, name), f"{name}.txt"))
    words = ["judges", "human.txt", *(f"{name}.txt" for name in names), "--show", "levels"]
    rows = [json.loads(line)["judge"] for line in output(*words, "-f", "jsonl")]
    assert list(dict.fromkeys(rows)) == ["best", "good", "fair", "poor"]
    of_three = "These are the 3 judges with the highest κ; the table has all 4, best first."
    assert of_three in " ".join(output(*words))


def test_the_means_of_the_runs_are_told_by_either_judge(output, human):
    """Over the topics of both; of smaller-is-better measures, the least is first."""
    measures = ["nDCG@10", "ESL"]
    machine = {
        topic: {doc: 3 - level for doc, level in docs.items()} for topic, docs in human.items()
    }
    Path("machine.txt").write_bytes(written(rows_of(machine, "machine"), "machine.txt"))
    words = ["judges", "human.txt", "machine.txt", *RUNS.values(), *measures]
    rows = list(map(json.loads, output(*words, "--show", "means", "-f", "jsonl")))
    assert len(rows) == len(RUNS) * len(measures)
    for judge, qrels in (("human", human), ("machine", machine)):
        evaluation = evaluate(qrels, RUNS, measures)
        for row in rows:
            column = measures.index(row["measure"])
            mean = evaluation.means()[evaluation.runs.index(row["run"]), column]
            assert row[judge] == pytest.approx(mean)
            sign = -1 if row["measure"] == "ESL" else 1
            better = sum(sign * (other - mean) > 1e-12 for other in evaluation.means()[:, column])
            assert row[f"{judge} place"] == 1 + better
    table = "Means of the runs under the human and under the machine"
    assert table in output(*words)
    many = ["judges", "human.txt", "machine.txt", *RUNS.values(), *measures, "AP"]
    assert table not in output(*many)


def test_every_table_that_is_chosen_says_what_it_has(output, human):
    words = ["judges", "human.txt", demo.NAME, "--show"]
    for table, sentence in {
        "agreement": "bias: mean of the judge's level minus the human's.",
        "topics": "gap: mean difference of the levels by the human and the machine, without sign;",
        "levels": "Documents by the human's level (row) and the machine's (column).",
        "kappas": "κ with weights, and α, with 95 % intervals over topics.",
    }.items():
        assert sentence in " ".join(output(*words, table)), table


def test_runs_and_measures_bring_orders_and_estimates(output, human):
    output("convert", RUNS["A"], "A.csv")
    runs = RUNS | {"A": "A.csv"}
    words = ["judges", "human.txt", demo.NAME, *runs.values(), "P@5"]
    lines = output(*words)
    assert max(map(len, lines)) <= 100
    both = "12 topics judged by both, 8 by the machine alone, 0 by the human alone."
    assert both in " ".join(lines[: lines.index("")])
    estimates = estimate(human, demo.NAME, RUNS, ["P@5"], 0.9)
    records = list(map(json.loads, output(*words, "--confidence", "0.9", "-f", "jsonl")))
    assert records == estimates.records()
    of_estimates = output(*words, "--show", "estimates")
    assert of_estimates[0].startswith(str(estimates.answer()[0])[:40])
    assert of_estimates[-3].startswith("lambda: the weight of the machine's judgments")


def test_a_human_sample_of_documents_has_an_agreement_but_no_estimate(output, human):
    """JSON has what is unusual as remarks, and how to read the tables as notes."""
    lines = Path("human.txt").read_text().splitlines(keepends=True)
    Path("sample.txt").write_text("".join(lines[::2]))
    words = ["judges", "sample.txt", demo.NAME, *RUNS.values(), "P@5"]
    facts = json.loads("".join(output(*words, "-f", "json")))
    (remark,) = [remark for remark in facts["remarks"] if remark["kind"] == "no estimate"]
    assert "judged a sample of documents, not of topics: by P@5" in remark["text"]
    assert not any(remark["text"] in note for note in facts["notes"])
    assert any(note.startswith("documents: judged by both; ") for note in facts["notes"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("query_id,doc_id,score\nq1,d1,2.5\nq1,d2,1\n", False),
        ("query_id,doc_id,rank\nq1,d1,1\nq1,d2,2\n", False),
        (
            "query-id\tcorpus-id\tscore\nq\ta\t1\nr\ta\t1\nq\tb\t0\nq\tc\t1\nq\td\t0\nq\te\t0\n",
            True,
        ),
        ('{"q": {"a": 0, "b": 3, "c": 1, "d": 0, "e": 2}}', True),
        ('{"q": {"a": 0, "b": 3, "c": 1, "d": 0, "e": 0.5}}', False),
        ('{"q": {"a": 4, "b": 3, "c": 2, "d": 1, "e": 0}}', None),
        ('{"q": {"a": 1, "b": 1}, "r": {"a": 1, "b": 1}}', None),
        ("topic,document,level,score\nq,a,1,0.9\n", None),
    ],
)
def test_numbers_tell_a_judge_from_a_run(folder, text, expected):
    Path("file").write_text(text)
    if expected is not None:
        assert is_judge("file", beside_runs=True) is expected
        return
    message = "file may be qrels or a run: convert it to a TREC file, or"
    with pytest.raises(GradedError, match=message):
        is_judge("file", beside_runs=True)


def test_intervals_have_columns_of_their_own_except_in_text(output, folder):
    Path("ann.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 c 1\nq2 0 d 0\n")
    Path("ben.txt").write_text("q1 0 a 2\nq1 0 b 1\nq2 0 c 1\nq2 0 d 0\n")
    words = ["judges", "ann.txt", "ben.txt"]
    row = next(line for line in output(*words, "-f", "text") if line.startswith("ben "))
    assert " to " in row
    lines = output(*words, "-f", "markdown")
    head = next(line for line in lines if line.startswith("| judge"))
    assert [cell.strip() for cell in head.split("|")[2:5]] == [
        "kappa (95 %)",
        "lower",
        "upper",
    ]
    assert not any(" to " in line for line in lines if line.startswith("| ben"))
    latex = output(*words, "-f", "latex")
    assert any(line.startswith("judge & kappa (95") and "lower & " in line for line in latex)


def test_a_folder_of_machines_is_read_and_merged(output, folder):
    Path("machines").mkdir()
    Path("ann.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n")
    for name, level in {"ben": 1, "cem": 2}.items():
        Path(f"machines/{name}.txt").write_text(f"q1 0 a {level}\nq1 0 b 0\nq2 0 c 1\n")
    for words in (["-f", "json"], ["--merge", "majority", "-o", "merged.txt"]):
        in_folder = output("judges", "ann.txt", "machines", *words)
        by_name = output("judges", "ann.txt", "machines/ben.txt", "machines/cem.txt", *words)
        assert in_folder == by_name
    assert answers_in("merged.txt")[0] == {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}


@pytest.mark.parametrize("ending", ["qrels", "txt", "tsv.gz", "csv", "json", "parquet"])
def test_one_judge_of_several_is_written_in_any_form(output, folder, ending):
    Path("ann.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n")
    Path("ben.csv").write_text("topic,document,level\nq1,a,1\nq1,b,?\nq2,c,1\n")
    target = f"merged.{ending}"
    lines = output("judges", "ann.txt", "ben.csv", "--merge", "majority", "-o", target)
    assert lines[0] == "3 documents of 2 topics have the majority's level of 2 judges."
    assert answers_in(target)[0] == {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--merge", "mean", "--gains", "w1"], "--merge takes no runs; leave out --gains"),
        (["--merge", "mean", "-o", "x.foo"], "the ending chooses the form: .run"),
        (["--merge", "mean", "--show", "levels"], "exclude each other"),
        (["P@5", "--merge", "mean"], "'P@5' is neither a file nor an ir-datasets id"),
    ],
)
def test_merging_without_files_of_judges_alone_is_refused(refusal, folder, words, message):
    Path("ann.txt").write_text("q1 0 a 2\n")
    Path("ben.txt").write_text("q1 0 a 1\n")
    assert message in refusal("judges", "ann.txt", "ben.txt", *words)


@pytest.mark.parametrize("machines", [["one.csv"], ["one.csv", "two.csv"]])
def test_words_as_levels_are_refused_with_what_to_do(refusal, folder, machines):
    for name in ("human.csv", "one.csv", "two.csv"):
        Path(name).write_text("question_id,chunk_id,label\nq1,c1,not relevant\nq1,c2,relevant\n")
    message = refusal("judges", "human.csv", *machines)
    assert ".csv:2: the level 'not relevant' is not a number" in message
    option = "--levels 'not relevant:0,relevant:1'"
    assert message.endswith(f"name the levels of the words: {option} (levels= of read_qrels)")
    assert cli.main(["judges", "human.csv", *machines, *shlex.split(option)]) == 0


def test_remarks_on_the_form_of_runs_are_told_once():
    Path("machine").write_text("q1 0 d1 1\nq1 0 d2 1\nq2 0 d1 0\n")
    runs = document_runs({"run": "run", "other": "other"}, "#")
    with pytest.warns(InputWarning, match="passages → ") as told:
        judges("qrels", ["machine"], runs, ["P@1"])
    assert sum("passages → " in str(warning.message) for warning in told) == 2


def test_a_first_judge_that_is_no_human_is_called_by_its_name(output, human):
    """Its columns keep their names where programs read them."""
    Path("gpt.txt").write_bytes(Path("human.txt").read_bytes())
    Path("llm.txt").write_bytes(Path("human.txt").read_bytes())
    words = ["judges", "gpt.txt", "llm.txt", *RUNS.values(), "nDCG@10"]
    text = " ".join(output(*words))
    assert text.startswith("llm agrees with gpt on 100 % of")
    assert "gpt is taken as the human; name another judge first to change that." in text
    assert "the human" not in text.replace("taken as the human", "").partition("means")[0]
    levels = output(*words[:3], "--show", "levels")
    assert levels[0] == "All documents have the same level under gpt and llm."
    assert levels[1] == "Documents by gpt's level (row) and the other judge's (column)."
    assert levels[3].split()[1:5] == ["gpt", "\\", "other", "judge"]
    csv = output(*words[:3], "--show", "levels", "-f", "csv")
    assert csv[0].startswith("judge,human \\ machine,")
    own = " ".join(output("judges", "human.txt", *words[2:]))
    assert own.startswith("llm agrees with the human on 100 % of")
    assert "taken as the human" not in own


def test_all_tables_of_few_topics_are_shown_without_an_estimate(capsys):
    Path("human").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 0\nq2 0 b 1\n")
    Path("machine").write_text("q1 0 a 1\nq1 0 b 1\nq2 0 a 0\nq2 0 b 1\n")
    for name, order in {"A": "ab", "B": "ba"}.items():
        rows = [f"{q} Q0 {d} 1 {2 - i} x\n" for q in ("q1", "q2") for i, d in enumerate(order)]
        Path(f"{name}.run").write_text("".join(rows))
    words = ["judges", "human", "machine", "A.run", "B.run", "nDCG@2", "--show"]
    assert cli.main([*words, "all"]) == 0
    assert "no estimate: an estimate needs at least 5 topics" in " ".join(
        capsys.readouterr().out.split()
    )
    assert cli.main([*words, "estimates"]) == 2
