"""Processes that lack the libraries of the extra `tables`, and first use in threads."""

import json
import os
import subprocess
import sys
from textwrap import dedent

import pytest

from command_line import ENVIRONMENT
from rounds import thorough

LACKING = """
import sys, warnings
class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, Lacking())
"""
QRELS = {"q1": {"d1": 3, "d2": 1}, "q2": {"d4": 2, "d5": 0}}
RUN = {"q1": {"d1": 9.5, "d3": 8.0, "d2": 7.0}, "q2": {"d6": 5.0, "d4": 4.5}}
ROWS = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
EXPECTED = [[0.875, 0.6667]]
MEASURES = "['nDCG_JK@2', 'AP']"
JUDGMENTS = [(topic, doc, level) for topic, docs in QRELS.items() for doc, level in docs.items()]
TREC = "{} Q0 {} 0 {} t\n"


def lines_of(rows, line):
    """A line for each row; `line` is a format for topic, document and value."""
    return "".join(line.format(*row) for row in rows)


LINES = lines_of(ROWS, TREC)
OTHERS = [(f"x{number // 100}", f"d{number}", -number) for number in range(80_000)]
OBJECTS = [{"qid": topic, "docno": doc, "score": score} for topic, doc, score in ROWS]
LISTS = {topic: list(docs) for topic, docs in RUN.items()}
TEXTS = {
    "run.txt": LINES,
    "large.txt": LINES + lines_of(OTHERS, TREC),
    "shuffled.txt": lines_of([ROWS[0], ROWS[4], ROWS[2], ROWS[3], ROWS[1]], TREC),
    "blanks.txt": LINES.replace(" ", "  "),
    "run.csv": "qid,docno,score\n" + lines_of(ROWS, "{},{},{}\n"),
    "run.tsv": "qid\tdocno\tscore\n" + lines_of(ROWS, "{}\t{}\t{}\n"),
    "three.txt": lines_of(ROWS, "{} {} {}\n"),
    "run.json": json.dumps(RUN),
    "lists.json": json.dumps(LISTS),
    "rows.jsonl": "".join(json.dumps(row) + "\n" for row in OBJECTS),
    "qrels.txt": lines_of(JUDGMENTS, "{} 0 {} {}\n"),
    "qrels.json": json.dumps(QRELS),
    "runs.csv": "run,qid,docno,score\n" + lines_of(ROWS, "A,{},{},{}\n"),
}
COMMANDS = [
    "evaluate qrels.txt run.txt nDCG_JK@2 AP -o values.csv",
    "evaluate qrels.txt run.csv AP -f jsonl",
    "evaluate graded-demo --scoreddocs nDCG_JK@10",
    "check qrels.txt run.txt",
    "levels qrels.txt",
    "explain qrels.txt run.txt nDCG_JK@2 --topic q1",
    "convert run.json out.run --run",
    "convert run.txt out.csv",
    "holes qrels.txt run.txt three.txt nDCG_JK@2",
    "measures nDCG_JK",
    "curves qrels.txt run.txt nCG -f tsv",
    "ranges qrels.txt run.txt nDCG_JK@2",
]
RUNS = [name for name in TEXTS if not name.startswith("qrels")]


@pytest.fixture
def process(tmp_path):
    """Run a program in a folder with all files, without some libraries; return what it prints."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)

    def run(code, *lacking):
        program = LACKING.format(names=lacking) + dedent(code)
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_files_and_data_in_memory_are_evaluated_without_pyarrow_and_pandas(process):
    code = f"""
    import gzip, io
    from collections import namedtuple
    import ir_measures
    from ir_measures_graded import RunFile, nDCG_JK
    from ir_measures_graded.analysis import check, evaluate, explain
    Row = namedtuple("Row", "query_id doc_id score")
    rows = {ROWS!r}
    named_tuples = [Row(*row) for row in rows]
    topics, docs, scores = zip(*rows)
    runs = [
        {RUN!r},
        rows,
        iter(rows),
        named_tuples,
        [row._asdict() for row in named_tuples],
        {{"qid": topics, "docno": docs, "score": scores}},
        RunFile(io.BytesIO(gzip.compress({LINES.encode()!r}))),
        *{RUNS!r},
    ]

    def check_values(qrels, run):
        values = evaluate(qrels, {{"mine": run}}, {MEASURES}).values
        assert values.mean(axis=2).round(4).tolist() == {EXPECTED!r}, (qrels, run, values)

    for run in runs:
        check_values({QRELS!r}, run)
    check_values("qrels.txt", runs[0])
    check_values("qrels.json", runs[0])
    assert list(RunFile("runs.csv").runs()) == ["A"]
    assert ir_measures.calc_aggregate([nDCG_JK @ 2], {QRELS!r}, {RUN!r}) == {{nDCG_JK @ 2: 0.875}}
    check("qrels.txt", {{"mine": "run.txt"}})
    explain("qrels.txt", "run.txt", "nDCG_JK@2", "q1").table()
    assert not {{"pandas", "pyarrow"}} & {{*sys.modules}}
    """
    process(code, "pandas", "pyarrow")


def test_frames_are_evaluated_without_pyarrow(process):
    code = f"""
    import pandas
    from ir_measures_graded.analysis import evaluate
    frame = pandas.DataFrame({ROWS!r}, columns=["qid", "docno", "score"])
    for run in (frame, frame.astype({{"docno": "category"}}), frame.astype({{"qid": object}})):
        evaluation = evaluate("qrels.txt", {{"mine": run}}, {MEASURES})
        assert evaluation.values.mean(axis=2).round(4).tolist() == {EXPECTED!r}
    assert len(evaluation.to_frame()) == 4
    """
    process(code, "pyarrow")


def test_commands_run_without_pyarrow_and_pandas(process):
    code = f"""
    from ir_measures_graded import cli
    for words in {COMMANDS!r}:
        assert cli.main(words.split()) == 0, words
        assert not {{"pandas", "pyarrow"}} & {{*sys.modules}}, words
    """
    process(code, "pandas", "pyarrow")


NEEDED = {
    "Parquet": "[*RunFile(io.BytesIO(b'PAR1' + bytes(20)))]",
    "Arrow stream": "[*RunFile(io.BytesIO(bytes([255] * 4 + [0] * 20)))]",
    "Zstandard": "[*RunFile(io.BytesIO(bytes.fromhex('28b52ffd') + bytes(20)))]",
    "DataFrame of results": "evaluate('qrels.txt', ['run.txt'], ['AP']).to_frame()",
    "object that exports Arrow": "evaluate('qrels.txt', {'x': Exports()}, ['AP'])",
    "table of values": "Evaluation.from_values('run.csv')",
    "batches": "evaluate_batches('AP', {}, [])",
    "conversion to Parquet": "main(['convert', 'run.txt', 'out.parquet'])",
}


def test_what_needs_the_extra_says_what_to_install(process):
    code = f"""
    import io
    from ir_measures_graded import RunFile, GradedError
    from ir_measures_graded.analysis import Evaluation, evaluate
    from ir_measures_graded.cli import main
    from ir_measures_graded.evaluation.batches import evaluate_batches
    class Exports:
        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError
    for name, code in {NEEDED!r}.items():
        sys.stderr = io.StringIO()
        try:
            if eval(code) != 2:
                print(name, "works")
        except Exception as error:
            print(type(error).__name__, error, file=sys.stderr)
        if "[tables]'" not in sys.stderr.getvalue():
            print(name, sys.stderr.getvalue())
    """
    assert process(code, "pandas", "pyarrow") == []


FORMS = {
    "dicts beside pandas": f"__import__('pandas') and {RUN!r}",
    "frame": f"__import__('pandas').DataFrame({OBJECTS!r})",
    "Arrow": f"__import__('pyarrow').Table.from_pylist({OBJECTS!r})",
    "Parquet": "__import__('pyarrow.parquet').parquet.read_table('run.parquet') and 'run.parquet'",
    "large.txt": "'large.txt'",
    "run.csv": "'run.csv'",
}


@pytest.mark.parametrize(
    "names",
    [["frame", "Parquet", "large.txt"], pytest.param(list(FORMS), marks=thorough)],
    ids=["few", "all"],
)
def test_first_use_from_eight_threads(process, tmp_path, names):
    """Each form in a process of its own, which has imported neither pandas nor pyarrow."""
    forms = {name: FORMS[name] for name in names}
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(OBJECTS), tmp_path / "run.parquet")
    code = f"""
    import os, traceback
    from threading import Barrier, Thread
    from ir_measures_graded.analysis import evaluate
    evaluate({QRELS!r}, {{"mine": {RUN!r}}}, {MEASURES})
    assert not {{"pandas", "pyarrow"}} & {{*sys.modules}}
    for name, form in {forms!r}.items():
        if os.fork():
            assert os.wait()[1] == 0, name
            continue
        barrier = Barrier(8)
        errors = []

        def use(number):
            try:
                barrier.wait()
                if name == "dicts beside pandas" and number % 2 == 0:
                    source = {RUN!r}
                else:
                    source = eval(form)
                values = evaluate("qrels.txt", {{"mine": source}}, {MEASURES}).values
                assert values.mean(axis=2).round(4).tolist() == {EXPECTED!r}, values
            except BaseException:
                errors.append(traceback.format_exc())

        threads = [Thread(target=use, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(*errors, file=sys.stderr)
        os._exit(len(errors))
    """
    process(code)
