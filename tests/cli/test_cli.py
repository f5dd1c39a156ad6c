"""The command line: what it prints, what it refuses and how, and how it ends."""

import functools
import gzip
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import ir_measures
import pytest

import ir_measures_graded
from distributions import distribution
from ir_measures_graded import cli, demo, nCG, nDCG_JK
from ir_measures_graded.cli.demo import DEMO_MEASURES
from ir_measures_graded.evaluation import evaluate, named, processes
from ir_measures_graded.registry import plugins

QRELS = "q1 0 d1 3\nq1 0 d2 1\nq1 0 d3 0\nq2 0 d1 2\nq2 0 d4 0\n"
RUN = "q1 Q0 d3 1 9.5 a\nq1 Q0 d1 2 8 a\nq1 Q0 x 3 7 a\nq2 Q0 d1 1 3 a\n"
OTHER = "q2 Q0 d4 1 3 b\nq2 Q0 d1 2 2 b\nq9 Q0 d1 1 1 b\n"
AS_DICTS = {"q1": {"d3": 9.5, "d1": 8.0, "x": 7.0}, "q2": {"d1": 3.0}}
JUDGED = {"q1": {"d1": 3, "d2": 1, "d3": 0}, "q2": {"d1": 2, "d4": 0}}
GAINS = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"

SOURCE = str(Path(ir_measures_graded.__file__).parents[1])
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([SOURCE, os.environ.get("PYTHONPATH", "")])}
PROGRAM = [sys.executable, "-m", "ir_measures_graded"]
IR_MEASURES = [sys.executable, "-m", "ir_measures"]
if sys.version_info >= (3, 14):  # whose parser does not work there without ours
    code = "import runpy, ir_measures_graded; runpy.run_module('ir_measures', run_name='__main__')"
    IR_MEASURES = [sys.executable, "-c", code]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with qrels and runs, where the command is run."""
    monkeypatch.chdir(tmp_path)
    for name, content in {"qrels": QRELS, "run": RUN, "other": OTHER}.items():
        Path(name).write_text(content)
    return tmp_path


@pytest.fixture
def refusal(capsys):
    """Run the command here; returns its message, after checking exit status and standard output."""

    def run(*argv):
        status = cli.main([str(argument) for argument in argv])
        out, err = capsys.readouterr()
        assert (status, out) == (2, "")
        assert err.startswith("ir_measures_graded: error: ")
        assert err.count("\n") == 1
        return err.removeprefix("ir_measures_graded: error: ").rstrip("\n")

    return run


def command(*argv, program=PROGRAM, environment=None, **options):
    """Run a command as a process of its own."""
    return subprocess.run(
        [*program, *map(str, argv)],
        capture_output=True,
        timeout=60,
        env={**ENVIRONMENT, **(environment or {})},
        **options,
    )


# evaluate: one run, as ir_measures prints it


def test_one_run_prints_a_line_a_measure_in_the_order_given(output):
    expected = ir_measures.calc_aggregate([nCG @ 2, ir_measures.AP, nDCG_JK], JUDGED, AS_DICTS)
    assert output("evaluate", "qrels", "run", "nDCG_JK", "AP", "nCG@2") == [
        f"{measure}\t{expected[measure]:.4f}" for measure in (nDCG_JK, ir_measures.AP, nCG @ 2)
    ]


def test_topics_come_in_the_order_of_the_qrels_and_measures_as_given(output):
    assert output("evaluate", "qrels", "other", "P@1", "nCG", "-q") == [
        "q1\tP@1\t0.0000",
        "q1\tnCG\t0.0000",
        "q2\tP@1\t0.0000",
        "q2\tnCG\t1.0000",
        "all\tP@1\t0.0000",
        "all\tnCG\t0.5000",
    ]


def test_no_summary_leaves_out_the_means(output):
    assert output("evaluate", "qrels", "run", "nCG@1", "-q", "-n") == [
        "q1\tnCG@1\t0.0000",
        "q2\tnCG@1\t1.0000",
    ]


def test_places(output):
    assert output("evaluate", "qrels", "run", "P@3", "-p", 1) == ["P@3\t0.3"]
    assert output("evaluate", "qrels", "run", "P@3", "-p", "-1") == [f"P@3\t{1 / 3}"]
    assert output("evaluate", "qrels", "run", "P@3", "-p", 0) == ["P@3\t0"]


def test_jsonl_has_an_object_a_value(output):
    assert output("evaluate", "qrels", "run", "nCG@2", "-o", "jsonl") == [
        '{"measure": "nCG@2", "value": 0.875}'
    ]
    assert output("evaluate", "qrels", "run", "nCG@1", "-q", "-n", "-o", "jsonl") == [
        '{"query_id": "q1", "measure": "nCG@1", "value": 0.0}',
        '{"query_id": "q2", "measure": "nCG@1", "value": 1.0}',
    ]


def test_a_mean_over_no_topic_is_null_in_json(output):
    Path("irrelevant").write_text("q1 0 d1 0\n")
    (line,) = output("evaluate", "irrelevant", "run", "Accuracy", "-o", "jsonl")
    assert json.loads(line) == {"measure": "Accuracy", "value": None}


def test_several_measures_fit_in_one_argument_and_count_once(output):
    measures = " nCG(gains=0:0, 1:1,  3:5)@2 AP\tMAP   nCG( gains = {3: 5} )@2 "
    lines = output("evaluate", "qrels", measures, "run")
    assert [line.split("\t")[0] for line in lines] == ["nCG(gains={3:5})@2", "AP"]


def test_a_measure_may_hold_blanks(output):
    (line,) = output("evaluate", "qrels", "run", "nDCG_JK(b=2, gains=0:0, 1:1, 2:10, 3:100) @ 100")
    assert line.startswith("nDCG_JK(gains={2:10,3:100})@100\t")


def test_runs_measures_and_options_come_in_any_order(output):
    whole = output("evaluate", "qrels", "run", "other", "AP", "nCG", "-p", 2)
    assert output("evaluate", "-p", 2, "qrels", "AP", "run", "nCG", "other") == whole
    assert output("evaluate", "qrels", "run", "AP", "-p", 2, "other", "nCG") == whole


def test_standard_measures_of_one_call_do_not_mix(output):
    for k in range(2, 20):  # ir-measures mixes them or not by their hashes
        together = [f"nDCG@{k}", f"nDCG(gains={{1:0,2:0}})@{k}", "NumRet", f"P(judged_only=True)@{k}"]
        alone = [output("evaluate", "qrels", "run", measure)[0] for measure in together]
        assert output("evaluate", "qrels", "run", *together) == alone


def test_providers_can_be_named(output):
    assert output("evaluate", "qrels", "run", "nCG@2", "--provider", "graded") == ["nCG@2\t0.8750"]
    assert output("evaluate", "qrels", "run", "P@1", "--provider", "pytrec_eval") == ["P@1\t0.5000"]


@pytest.mark.parametrize(
    "options", [[], ["-p", "-1"], ["-o", "jsonl"], ["-q"], ["-q", "-n", "-p", "6"], ["-q", "-o", "jsonl"]]
)
def test_standard_measures_print_as_the_ir_measures_command_prints_them(shared_data, output, options):
    test = shared_data / "trec_eval-test"
    measures = ["nDCG@10 AP", "P@5", "RR", "P(rel=1)@5", "Judged@20", "NumRet", "ERR@10"]
    arguments = [test / "qrels.test", test / "results.test", *measures, *options]
    theirs = command(*arguments, program=IR_MEASURES, text=True)
    ours = output("evaluate", *arguments)
    if "-q" in options:  # whose order changes with the hash seed there
        assert sorted(ours) == sorted(theirs.stdout.splitlines())
    else:
        assert "\n".join(ours) + "\n" == theirs.stdout


def test_the_process_prints_what_ir_measures_does_byte_for_byte(shared_data):
    test = shared_data / "trec_eval-test"
    arguments = [test / "qrels.test", test / "results.test", "nDCG@10", "AP"]
    ours, theirs = (
        command("evaluate", *arguments),
        command(*arguments, program=IR_MEASURES),
    )
    assert (ours.returncode, ours.stderr) == (0, b"")
    assert ours.stdout == theirs.stdout != b""


# evaluate: several runs, one table


def test_several_runs_are_a_table_with_a_row_a_run(output):
    assert output("evaluate", "qrels", "run", "other", "nCG@1", "P@2") == [
        "run\tnCG@1\tP@2",
        "run\t0.5000\t0.5000",
        "other\t0.0000\t0.2500",
    ]


def test_several_runs_by_topic_have_a_row_a_run_and_topic(output):
    assert output("evaluate", "qrels", "run", "other", "nCG@1", "-q") == [
        "run\tquery_id\tnCG@1",
        "run\tq1\t0.0000",
        "run\tq2\t1.0000",
        "run\tall\t0.5000",
        "other\tq1\t0.0000",
        "other\tq2\t0.0000",
        "other\tall\t0.0000",
    ]
    assert "all" not in "".join(output("evaluate", "qrels", "run", "other", "nCG@1", "-q", "-n"))


def test_a_table_in_json_has_an_object_a_row(output):
    lines = output("evaluate", "qrels", "run", "other", "nCG@1", "P@2", "-o", "jsonl")
    assert [json.loads(line) for line in lines] == [
        {"run": "run", "nCG@1": 0.5, "P@2": 0.5},
        {"run": "other", "nCG@1": 0.0, "P@2": 0.25},
    ]


def test_markdown_for_one_run_and_for_several(output):
    Path("a|b").write_text(RUN)
    assert output("evaluate", "qrels", "run", "a|b", "nCG@1", "-o", "markdown", "-p", 2) == [
        "| run  | nCG@1 |",
        "|------|------:|",
        "| run  |  0.50 |",
        r"| a\|b |  0.50 |",
    ]
    assert output("evaluate", "qrels", "run", "nCG@1", "-o", "markdown", "-q", "-n")[2:] == [
        "| run | q1       | 0.0000 |",
        "| run | q2       | 1.0000 |",
    ]


def test_a_topic_that_a_measure_leaves_out_is_an_empty_cell(output):
    Path("copy").write_text(OTHER)
    lines = output("evaluate", "qrels", "other", "copy", "P(rel=2)@1", "Accuracy", "-q", "-n")
    assert lines[1:3] == ["other\tq1\t0.0000\t", "other\tq2\t0.0000\t0.0000"]
    row = output("evaluate", "qrels", "other", "copy", "P(rel=2)@1", "Accuracy", "-q", "-n", "-o", "jsonl")[0]
    assert json.loads(row) == {"run": "other", "query_id": "q1", "P(rel=2)@1": 0.0, "Accuracy": None}


def test_runs_are_named_by_file_unless_that_is_ambiguous(output):
    for name in ("x", "y"):
        Path(name).mkdir()
        Path(name, "run").write_text(OTHER)
    lines = output("evaluate", "qrels", "x/run", "y/run", "other", "nCG")
    assert [line.split("\t")[0] for line in lines] == ["run", "x/run", "y/run", "other"]


def test_the_run_that_a_collection_carries(output):
    assert output("evaluate", "graded-demo", "--scoreddocs", GAINS) == output(
        "evaluate", "graded-demo", demo.run_paths()["A"], GAINS
    )
    lines = output("evaluate", "graded-demo", demo.run_paths()["B"], "--scoreddocs", "AP")
    assert [line.split("\t")[0] for line in lines] == ["run", "B.run", "scoreddocs"]


def test_progress_is_shown_on_a_terminal_for_several_runs_only(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert cli.main(["evaluate", "qrels", "run", "AP"]) == 0
    assert capsys.readouterr().err == ""
    bars = pytest.importorskip("tqdm")
    without_delay = functools.partial(bars.tqdm, file=sys.stderr)
    monkeypatch.setattr(
        bars, "tqdm", lambda *items, **options: without_delay(*items, **options | {"delay": 0})
    )
    assert cli.main(["evaluate", "qrels", "run", "other", "AP"]) == 0
    out, err = capsys.readouterr()
    assert "2/2" in err or "0/2" in err
    assert out.count("\n") == 3
    monkeypatch.setitem(sys.modules, "tqdm", None)  # as if it were not installed
    assert cli.main(["evaluate", "qrels", "run", "other", "AP"]) == 0
    assert capsys.readouterr() == (out, "")


# evaluate: where input comes from


def test_gzip_and_standard_input(folder):
    Path("run.gz").write_bytes(gzip.compress(RUN.encode()))
    expected = b"nCG@2\t0.8750\n"
    assert command("evaluate", "qrels", "run.gz", "nCG@2").stdout == expected
    assert command("evaluate", "qrels", "-", "nCG@2", input=RUN.encode()).stdout == expected
    assert command("evaluate", "-", "run", "nCG@2", input=gzip.compress(QRELS.encode())).stdout == expected


def test_a_collection_in_place_needs_no_download(shared_data, folder):
    home = folder / "ir_datasets"
    shutil.copytree(shared_data / "ir_datasets", home)
    run = shared_data / "dl19-passage" / "runs" / "ICT-BERT2.run.gz"
    published = (shared_data / "dl19-passage" / "trec_eval" / "ICT-BERT2.treceval").read_text().split("\n")
    (ap,) = [line.split()[2] for line in published if line.split()[:2] == ["map", "all"]]
    done = command(
        "evaluate",
        "msmarco-passage/trec-dl-2019/judged",
        run,
        "AP(rel=1)",
        "nDCG_JK@10",
        environment={"IR_DATASETS_HOME": str(home)},
        text=True,
    )
    assert done.returncode == 0
    lines = dict(line.split("\t") for line in done.stdout.splitlines())
    assert lines["AP"] == ap
    assert 0 < float(lines["nDCG_JK@10"]) < 1


# evaluate: several processes


def many_runs(number=5):
    names = [f"run{n}" for n in range(number)]
    for n, name in enumerate(names):
        Path(name).write_text(f"q1 Q0 d{n} 1 9.5 a\nq2 Q0 d1 {n} {n - 2} a\nq2 Q0 d4 0 0 a\n")
    return names


@pytest.mark.parametrize("options", [[], ["-q"], ["-o", "jsonl", "-q", "-n"]])
def test_processes_give_the_same_in_the_order_given(output, options):
    arguments = ["evaluate", "qrels", *reversed(many_runs()), "nDCG_JK@2", "AP", "P@1", *options]
    assert output(*arguments, "--jobs", 2) == output(*arguments, "--jobs", 1)


def test_processes_serve_comparisons_too(output):
    pytest.importorskip("statsmodels")
    arguments = ["compare", "qrels", *many_runs(3), "nCG@1", "-f", "csv"]
    assert output(*arguments, "--jobs", 2) == output(*arguments, "--jobs", 1)


def test_standard_input_is_read_here_while_files_are_evaluated_elsewhere():
    first, *others = many_runs()
    arguments = ["evaluate", "qrels", first, "-", *others, "nCG", "AP"]
    alone, shared = (command(*arguments, "--jobs", jobs, input=RUN.encode()) for jobs in (1, 3))
    assert alone.stdout == shared.stdout
    assert (shared.returncode, shared.stderr) == (0, b"")


def test_the_first_mistake_in_order_is_told_by_processes_too():
    arguments = ["evaluate", "qrels", *many_runs(), "nCG"]
    Path("run2").write_text("q1 Q0 d1 1 bad a\n")
    Path("run4").write_text("q1 Q0 d1 1 worse a\n")
    alone, shared = (command(*arguments, "--jobs", jobs, text=True) for jobs in (1, 2))
    assert shared.stderr == alone.stderr
    assert shared.stderr.startswith("ir_measures_graded: error: run2:1: the score 'bad' is not a number")
    assert (shared.returncode, shared.stdout, shared.stderr.count("\n")) == (2, "", 1)


def test_a_measure_of_a_plugin_is_computed_and_named_by_processes_too(folder):
    distribution(
        folder,
        "steep",
        """
        import warnings
        from ir_measures_graded import TopicMeasure, hookimpl

        class Steep(TopicMeasure):
            NAME = "Steep"
            SHORT_DESC = "The gain at rank 1."

            def value(self, topic):
                warnings.warn("how steep")
                return 1 / topic.gains[0]

        @hookimpl
        def graded_measures():
            return [Steep()]
        """,
    )
    environment = {"PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(folder)])}
    for name in ("good", "fair"):
        Path(name).write_text("q1 Q0 d2 1 9 a\nq2 Q0 d1 1 9 a\n")
    for runs, told in (
        (
            ["run", "good", "other"],
            "measure Steep of steep 1.2 is inf for topic 'q1'; a value must be finite",
        ),
        (["good", "fair"], "warning: how steep"),
    ):
        alone, shared = (
            command("evaluate", "qrels", *runs, "Steep", "--jobs", jobs, text=True, environment=environment)
            for jobs in (1, 2)
        )
        assert told in alone.stderr
        assert shared.stderr == alone.stderr
        assert (shared.stdout, shared.returncode) == (alone.stdout, alone.returncode)


def test_jobs_are_counted_from_1(refusal):
    for jobs in ("0", "-1", "two"):
        assert f"argument --jobs: {jobs!r} is not allowed; it is a whole number ≥ 1" in refusal(
            "evaluate", "qrels", "run", "AP", f"--jobs={jobs}"
        )


def test_processes_are_not_started_for_little_work(output, monkeypatch):
    monkeypatch.setattr(processes, "_workers", None)
    names = many_runs()
    output("evaluate", "qrels", *names, "nCG", "AP")
    output("evaluate", "qrels", "run", "nCG", "--jobs", 4)
    monkeypatch.setattr(evaluate, "PAYS", 1)
    monkeypatch.setattr(evaluate, "cores", lambda: 2)
    with pytest.raises(TypeError, match="not callable"):
        output("evaluate", "qrels", *names, "nCG")


# evaluate: what is refused


def test_what_is_neither_a_file_nor_a_measure_is_refused(refusal):
    def told(*arguments):
        return refusal("evaluate", "qrels", *arguments)

    assert told("runn.txt", "AP") == "'runn.txt' is neither a file nor a measure: there is no such file"
    assert told("runs/run", "AP") == "'runs/run' is neither a file nor a measure: there is no such file"
    assert told("AP.run", "AP") == "'AP.run' is neither a file nor a measure: there is no such file"
    assert told("run", "nDCGJK@10").startswith(
        "'nDCGJK@10' is neither a file nor a measure: measure not found: nDCGJK; did you mean nDCG_JK"
    )
    assert "'nope' is neither a file nor a measure" in told("run", "AP nope")
    assert "'' is neither a file nor a measure" in told("run", "")
    assert told(".", "AP") == "'.' is a directory; a run is a file"


def test_what_is_missing_is_asked_for(refusal):
    assert "no measure is given" in refusal("evaluate", "qrels", "run")
    assert "no run is given" in refusal("evaluate", "qrels", "AP")
    assert "are required: QRELS" in refusal("evaluate")
    assert "are required: COMMAND" in refusal()


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("nDCG_JK(b=1)@10", "nDCG_JK: b=1 is not allowed; b is a real number > 1"),
        ("nDCG_JK(c=1)@10", "nDCG_JK has no parameter 'c'; it takes b, avg, gains, judged_only, cutoff"),
        ("nDCG_JK@0", "nDCG_JK: cutoff=0 is not allowed; cutoff is a whole number ≥ 1"),
        ("nDCG_JK(b=2", "cannot read measure 'nDCG_JK(b=2'"),
        ("P", "P needs cutoff, a whole number ≥ 1, as in P@10"),
        ("IPrec", "IPrec needs recall, a number with a decimal point"),
        ("P@0", "P: cutoff=0 is not allowed; cutoff is a whole number ≥ 1"),
        ("RR@0", "RR: cutoff=0 is not allowed"),
        ("P@-1", "cannot read measure 'P@-1'"),
        ("P@True", "P: cutoff=True is not allowed"),
        ("P@2.0", "P: cutoff=2.0 is not allowed"),
        ("P@99999999999999999999", "P: cutoff=99999999999999999999 is not allowed"),
        ("AP(rel='x')", "AP: rel='x' is not allowed; rel is a whole number"),
        ("AP(level=1)", "AP has no parameter 'level'; it takes cutoff, rel, judged_only"),
        ("Rprec@5", "Rprec has no parameter 'cutoff'; it takes rel, judged_only"),
        ("NumQ@5", "NumQ has no parameter 'cutoff'; it takes none"),
        ("nDCG(dcg='ln')", "nDCG: dcg='ln' is not allowed; dcg is one of 'log2', 'exp-log2'"),
        ("P(rel=0)@5", "cannot compute P(rel=0)@5: Argument relevance_level should be positive."),
        ("RBP(p=0.5)", "cannot compute RBP(p=0.5): Unsupported measures {RBP(p=0.5)}."),
    ],
)
def test_measures_that_cannot_be_are_refused_with_what_is_allowed(refusal, measure, message):
    assert message in refusal("evaluate", "qrels", "run", "AP", measure)


def test_providers_that_cannot_are_refused(refusal, monkeypatch):
    def told(provider, *measures):
        return refusal("evaluate", "qrels", "run", *measures, "--provider", provider)

    assert told("graded", "nCG", "ERR@20") == "the provider graded does not compute ERR@20"
    assert told("pytrec_eval", "nCG", "AP") == "the provider pytrec_eval does not compute nCG"
    assert "argument --provider: invalid choice: 'nope'" in told("nope", "AP")
    monkeypatch.setattr(ir_measures.providers.registry["judged"], "_is_available", False)
    assert told("judged", "Judged@5") == "the provider judged is not available here"
    monkeypatch.setattr(ir_measures.providers.registry["pyndeval"], "_is_available", False)
    assert "pip install ir-measures[pyndeval]" in told("pyndeval", "alpha_nDCG@5")
    assert "pip install ir-measures[pyndeval]" in refusal("evaluate", "qrels", "run", "alpha_nDCG@5", "AP")


def test_options_that_make_no_sense_are_refused(refusal):
    def told(*options):
        return refusal("evaluate", "qrels", "run", "AP", *options)

    assert "--no_summary (-n) goes only with --by_query (-q)" in told("-n")
    assert "'-2' is not allowed; it is -1 (all) or 0 to 99" in told("-p", "-2")
    assert "'many' is not allowed" in told("-p", "many")
    assert "invalid choice: 'xml'" in told("-o", "xml")
    assert "unrecognized arguments: -z" in told("-z")
    assert "standard input (-) can be read once only" in told("-", "-")
    assert "unrecognized arguments: more" in refusal("demo", "more")
    assert "invalid choice: 'evalute'" in refusal("evalute")


def test_places_do_not_apply_to_json_as_ir_measures_says(capsys):
    assert cli.main(["evaluate", "qrels", "run", "P@3", "-o", "jsonl", "-p", "2"]) == 0
    out, err = capsys.readouterr()
    assert out == f'{{"measure": "P@3", "value": {1 / 3}}}\n'
    assert err == "--places is ignored when using --output jsonl\n"


def test_qrels_and_runs_must_share_a_topic(refusal):
    Path("far").write_text("t1 Q0 d1 1 1 far\n")
    told = "far: none of its topics (such as 't1') is in the qrels qrels (such as 'q1')"
    assert refusal("evaluate", "qrels", "far", "AP") == told
    assert refusal("evaluate", "qrels", "run", "far", "AP") == told
    Path("empty").write_text("\n")
    assert refusal("evaluate", "qrels", "empty", "AP") == "empty: the run is empty"
    assert refusal("evaluate", "empty", "run", "AP") == (
        "empty: the qrels are empty: there is no topic to evaluate"
    )


def test_a_mistake_in_the_last_run_leaves_no_partial_table(refusal):
    Path("bad").write_text(f"{OTHER}q2 Q0 d1 9 1 b\n")
    assert refusal("evaluate", "qrels", "run", "other", "bad", "AP", "-q") == (
        "bad:4: topic 'q2' retrieves document 'd1' a second time (first in line 2); "
        "a document has one rank in a topic"
    )


def test_a_measure_that_refuses_a_run_names_it(refusal):
    told = refusal("evaluate", "qrels", "other", "run", "AP", "ADM(norm='none')")
    assert told.startswith("other: ADM(norm='none'): topic 'q2', document 'd4'")


def test_real_levels_are_for_graded_measures(output, refusal):
    Path("real").write_text("q1 0 d1 0.5\nq1 0 d3 0.25\n")
    assert output("evaluate", "real", "run", "CG") == ["CG\t0.7500"]
    assert output("evaluate", "real", "run", "Judged@2") == ["Judged@2\t1.0000"]
    told = "real: qrels: topic 'q1', document 'd1': the level is 0.5; AP is defined for whole numbers"
    assert refusal("evaluate", "real", "run", "CG", "AP") == told


def test_levels_in_conflict_name_the_file(refusal):
    Path("conflict").write_text("q1 1 d1 0\nq1 2 d1 1\n")
    told = refusal("evaluate", "conflict", "run", "nCG")
    assert told.startswith("conflict: qrels: topic 'q1', document 'd1': judged twice")


def test_collections_that_cannot_be_are_refused(refusal):
    told = "'qrel.txt' is neither a file nor an ir-datasets id"
    assert refusal("evaluate", "qrel.txt", "run", "AP").startswith(told)
    assert "did you mean graded-demo?" in refusal("evaluate", "graded_demo", "run", "AP")
    assert "'.' is a directory, not a file or an ir-datasets id" in refusal("evaluate", ".", "run", "AP")
    assert "'qrels' is a file, not an ir-datasets id" in refusal("evaluate", "qrels", "--scoreddocs", "AP")


def test_a_mistake_of_the_user_ends_the_process_with_2_and_one_line():
    whole = gzip.compress(RUN.encode() * 1)
    files = {
        "short": (b"q1 Q0 d1 1 9\n", "short:1: 5 fields, not 6"),
        "latin": (b"q1 Q0 d\xe91 1 9 a\n", "latin:1: not UTF-8 text"),
        "cut.gz": (whole[:-12], "cut.gz:"),
    }
    for name, (content, message) in files.items():
        Path(name).write_bytes(content)
        done = command("evaluate", "qrels", name, "AP", text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"ir_measures_graded: error: {message}")
        assert done.stderr.count("\n") == 1


# How it ends


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(unbuffered):
    process = subprocess.Popen(
        [*PROGRAM, "measures"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered},
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), errors) == (141, b"")


# What a shell runs in the background, tests perhaps among it, is started with interrupts ignored.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("ir_measures_graded", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe to know when the command reads")
def test_ctrl_c_is_quiet():
    os.mkfifo("pipe")
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "evaluate", "pipe", "run", "AP"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    with open("pipe", "w"):  # which opens once the command reads
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, (b"", b""))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_whatever_ends_the_command_ends_its_processes(folder, how):
    distribution(
        folder,
        "slow",
        """
        import os, time
        from ir_measures_graded import TopicMeasure, hookimpl

        class Slow(TopicMeasure):
            NAME = "Slow"
            SHORT_DESC = "Takes its time."

            def value(self, topic):
                open(f"process{os.getpid()}", "w").close()
                time.sleep(60)
                return 0

        @hookimpl
        def graded_measures():
            return [Slow()]
        """,
    )
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "evaluate", "qrels", *many_runs(4), "Slow", "--jobs", "2"],
        stdout=subprocess.PIPE,  # which every process holds open as long as it lives
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(folder)])},
        start_new_session=True,
    )
    while len(list(folder.glob("process*"))) < 2 and process.poll() is None:
        time.sleep(0.05)
    if how == signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does
    else:
        process.send_signal(how)
    out, err = process.communicate(timeout=30)
    if how == signal.SIGINT:
        assert (process.returncode, out, err) == (130, b"", b"")
    else:  # Python tells what the killed process left for it to clean up
        assert (process.returncode, out) == (-how, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_said_once():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "measures"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr == "ir_measures_graded: error: cannot write the output: No space left on device\n"


def test_letters_that_a_terminal_lacks_do_not_stop_it():
    done = command("measures", "nCG", environment={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u03a3" in done.stdout


def test_version_and_help(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"ir_measures_graded {ir_measures_graded.__version__}\n"
    for arguments in (["--help"], *([name, "--help"] for name in cli.COMMANDS)):
        assert cli.main(arguments) == 0
        assert capsys.readouterr().out.startswith("usage: ir_measures_graded")


def test_warnings_are_one_line_each(capsys, monkeypatch):
    def commands(arguments):
        warnings.warn("plugin 'x' of y 1.0 is skipped: no reason", plugins.PluginWarning, stacklevel=1)
        return ["done"]

    monkeypatch.setitem(cli.COMMANDS, "warn", (lambda parser: None, commands))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert cli.main(["warn"]) == 0
    assert capsys.readouterr() == (
        "done\n",
        "ir_measures_graded: warning: plugin 'x' of y 1.0 is skipped: no reason\n",
    )
    assert cli.main(["warn"]) == 2  # warnings are errors in this test suite
    assert capsys.readouterr() == (
        "",
        "ir_measures_graded: error: plugin 'x' of y 1.0 is skipped: no reason\n",
    )


def test_it_starts_without_what_only_some_commands_need():
    code = (
        "import sys, ir_measures_graded.cli as cli; cli.main(['evaluate', 'qrels', 'run', 'nCG', 'AP']); "
        "print(sorted({'pandas', 'ir_datasets', 'tqdm', 'scipy'} & set(sys.modules)))"
    )
    done = command("-c", code, program=[sys.executable], text=True)
    assert done.stdout.splitlines()[-1] == "[]"


# measures


def test_all_graded_measures_are_listed_with_origin_and_direction(output):
    lines = output("measures", "-o", "tsv")
    assert lines[0].split("\t") == ["measure", "aliases", "what it is", "better", "from"]
    rows = {line.split("\t")[0]: line.split("\t") for line in lines[1:]}
    assert set(rows) == {measure.NAME for plugin in plugins.plugins() for measure in plugin.measures}
    assert {name for name, row in rows.items() if row[3] == "smaller"} >= {"NDPM", "ESL", "ASL"}
    assert rows["nCG"][2:] == [
        "Normalised cumulated gain",
        "larger",
        f"ir-measures-graded {ir_measures_graded.__version__}",
    ]
    assert any(line.startswith("nDCG_JK  ") for line in output("measures"))
    assert output("measures", "-o", "markdown")[1].startswith("|---")


def test_measures_are_machine_readable(output):
    facts = {entry["name"]: entry for entry in map(json.loads, output("measures", "-o", "jsonl"))}
    assert facts["NDPM"]["smaller_is_better"] is True
    assert facts["nCG"]["smaller_is_better"] is False
    assert facts["nDCG_JK"]["source"] == "Järvelin & Kekäläinen 2002, Eq. 5 and 6"
    assert facts["nDCG_JK"]["parameters"][0] == {
        "name": "b",
        "allowed": "a real number > 1",
        "required": False,
        "default": 2,
        "description": "base of the logarithm; gains at ranks below it count whole",
    }
    (entry,) = map(json.loads, output("measures", "NDPM(performance=True)", "-o", "jsonl"))
    assert entry["smaller_is_better"] is False


def test_a_measure_in_full(output):
    page = "\n".join(output("measures", "nDCG_JK"))
    for text in (
        "nDCG_JK: Normalised discounted cumulated gain (Järvelin & Kekäläinen)",
        "formula    nDCG[k] = DCG[k] / DCG_I[k]",
        "undefined  0 without relevant documents",
        "better     larger",
        "source     Järvelin & Kekäläinen 2002",
        f"from       ir-measures-graded {ir_measures_graded.__version__}",
        "b             a real number > 1; default 2",
        "cutoff (@)    a whole number ≥ 1; optional",
    ):
        assert text in page
    assert ">>>" not in page
    assert ":formula:" not in page
    assert all(len(line) <= 100 for line in page.splitlines())


def test_measures_are_found_by_every_name(output, refusal):
    whole = output("measures", "muAP")
    for alias in ("muMAP", "\u00b5AP", "\u03bcAP", "\u00b5MAP", "\u03bcMAP"):
        assert output("measures", alias) == whole
    assert refusal("measures", "nDCG_J").startswith("measure not found: nDCG_J; did you mean nDCG_JK")


def test_standard_measures_show_what_ir_measures_knows(output):
    page = "\n".join(output("measures", "IPrec", "MAP"))
    assert "IPrec: Interpolated Precision@recall" in page
    assert "recall (@)    a number with a decimal point; required" in page
    assert "aliases    MAP" in page
    assert "from       ir-measures\n" in page
    assert "cite" not in page
    assert "better" not in page
    for name in ir_measures.measures.registry:
        assert output("measures", name)


# plugins, demo


def test_plugins_are_listed_with_what_became_of_them(output, monkeypatch):
    broken = plugins.Plugin("x", "some-dist", "1.0", problem="ImportError: no module y")
    monkeypatch.setattr(plugins, "_met", [*plugins._met, broken])
    monkeypatch.setattr(plugins, "load", lambda: None)
    rows = [line.split("\t") for line in output("plugins", "-o", "tsv")]
    assert rows[0] == ["distribution", "version", "plugin", "measures", "status"]
    assert rows[1][:3] == ["ir-measures-graded", ir_measures_graded.__version__, "measures"]
    assert "nDCG_JK" in rows[1][3].split(", ")
    assert rows[1][4] == "loaded"
    assert rows[-1] == ["some-dist", "1.0", "x", "", "skipped: ImportError: no module y"]
    last = json.loads(output("plugins", "-o", "jsonl")[-1])
    assert last["measures"] == []
    assert any("some-dist" in line for line in output("plugins"))


def test_a_bad_setting_of_plugins_is_a_message():
    done = command("plugins", environment={plugins.VARIABLE: "maybe"}, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ir_measures_graded: error: {plugins.VARIABLE}='maybe' is not allowed")


def test_the_demo_shows_the_five_runs_and_commands_that_work(output):
    lines = output("demo")
    head = next(number for number, line in enumerate(lines) if line.startswith("measure "))
    assert lines[head].split() == ["measure", "A", "B", "C", "D", "E"]
    table = {
        line.split()[0]: [float(value) for value in line.split()[1:]] for line in lines[head + 1 : head + 7]
    }
    assert set(table) == set(DEMO_MEASURES)
    # The runs are made so that another one wins when high levels count more.
    binary, steep = "nCG(gains=0:0,1:1,2:1,3:1)@100", "nCG(gains=0:0,1:1,2:10,3:100)@100"
    assert table[binary].index(max(table[binary])) != table[steep].index(max(table[steep]))
    for text, values in table.items():
        for path, value in zip(demo.run_paths().values(), values):
            (line,) = output("evaluate", "graded-demo", path, text)
            assert float(line.split("\t")[1]) == value
    commands = [shlex.split(line) for line in lines if line.startswith("  ir_measures_graded ")]
    assert len(commands) >= 3
    for _, *arguments in commands:
        assert output(*arguments)


def test_runs_of_one_call_share_one_reading_of_the_qrels(output, monkeypatch):
    read = []
    original = named.qrels_of
    monkeypatch.setattr(named, "qrels_of", lambda name: read.append(name) or original(name))
    output("evaluate", "qrels", "run", "other", "AP", "nCG")
    assert read == ["qrels"]
