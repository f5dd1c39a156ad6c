"""What works without the extra `tables`, in processes that lack its libraries, and first use in threads."""

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
LINES = "".join("{} Q0 {} 0 {} t\n".format(*row) for row in ROWS)
LARGE = LINES + "".join(
    f"x{number // 100} Q0 d{number} 0 {-number} t\n" for number in range(80_000)
)
SHUFFLED = "".join(
    f"{q} Q0 {d} 0 {s} t\n" for q, d, s in [ROWS[0], ROWS[4], ROWS[2], ROWS[3], ROWS[1]]
)
TEXTS = {
    "run.txt": LINES,
    "large.txt": LARGE,
    "shuffled.txt": SHUFFLED,
    "blanks.txt": LINES.replace(" ", "  "),
    "run.csv": "qid,docno,score\n" + "".join("{},{},{}\n".format(*row) for row in ROWS),
    "run.tsv": "qid\tdocno\tscore\n" + "".join("{}\t{}\t{}\n".format(*row) for row in ROWS),
    "three.txt": "".join("{} {} {}\n".format(*row) for row in ROWS),
    "run.json": json.dumps(RUN),
    "lists.json": json.dumps({topic: [*docs] for topic, docs in RUN.items()}),
    "rows.jsonl": "".join(
        json.dumps(dict(zip(("qid", "docno", "score"), row))) + "\n" for row in ROWS
    ),
    "qrels.txt": "".join(
        f"{q} 0 {d} {level}\n" for q, docs in QRELS.items() for d, level in docs.items()
    ),
    "qrels.json": json.dumps(QRELS),
    "runs.csv": "run,qid,docno,score\n" + "".join("A,{},{},{}\n".format(*row) for row in ROWS),
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
    runs = [{RUN!r}, rows, iter(rows), [Row(*row) for row in rows], [Row(*row)._asdict() for row in rows],
            dict(zip(("qid", "docno", "score"), zip(*rows))), io.BytesIO(gzip.compress({LINES.encode()!r}))]
    runs = [RunFile(run) if isinstance(run, io.BytesIO) else run for run in runs] + {RUNS!r}
    for qrels in ({QRELS!r}, "qrels.txt", "qrels.json"):
        for run in runs if isinstance(qrels, dict) else runs[:1]:
            found = evaluate(qrels, {{"mine": run}}, {MEASURES})
            assert found.values.mean(axis=2).round(4).tolist() == {EXPECTED!r}, (qrels, run, found.values)
    assert [*RunFile("runs.csv").runs()] == ["A"]
    assert ir_measures.calc_aggregate([nDCG_JK @ 2], {QRELS!r}, {RUN!r}) == {{nDCG_JK @ 2: 0.875}}
    check("qrels.txt", {{"mine": "run.txt"}}), explain("qrels.txt", "run.txt", "nDCG_JK@2", "q1").table()
    assert not {{"pandas", "pyarrow"}} & {{*sys.modules}}
    """
    process(code, "pandas", "pyarrow")


def test_frames_are_evaluated_without_pyarrow(process):
    code = f"""
    import pandas
    from ir_measures_graded.analysis import evaluate
    made = pandas.DataFrame({ROWS!r}, columns=["qid", "docno", "score"])
    for run in (made, made.astype({{"docno": "category"}}), made.astype({{"qid": object}})):
        found = evaluate("qrels.txt", {{"mine": run}}, {MEASURES})
        assert found.values.mean(axis=2).round(4).tolist() == {EXPECTED!r}
    assert len(found.to_frame()) == 4
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
    "frame": f"__import__('pandas').DataFrame({ROWS!r}, columns=['qid', 'docno', 'score'])",
    "Arrow": f"__import__('pyarrow').table(dict(zip(('qid', 'docno', 'score'), zip(*{ROWS!r}))))",
    "Parquet": "(__import__('pyarrow.parquet').parquet.read_table('run.parquet'), 'run.parquet')[1]",
    **{name: repr(name) for name in ("large.txt", "run.csv")},
}


@pytest.mark.parametrize(
    "names",
    [["frame", "Parquet", "large.txt"], pytest.param([*FORMS], marks=thorough)],
    ids=["few", "all"],
)
def test_first_use_from_eight_threads(process, tmp_path, names):
    """Each form in a process of its own, which has imported neither pandas nor pyarrow."""
    forms = {name: FORMS[name] for name in names}
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(dict(zip(("qid", "docno", "score"), zip(*ROWS))))
    parquet.write_table(table, tmp_path / "run.parquet")
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
        barrier, failed = Barrier(8), []
        def use(number):
            try:
                barrier.wait()
                source = eval(form) if number % 2 or name != "dicts beside pandas" else {RUN!r}
                found = evaluate("qrels.txt", {{"mine": source}}, {MEASURES}).values
                assert found.mean(axis=2).round(4).tolist() == {EXPECTED!r}, found
            except BaseException:
                failed.append(traceback.format_exc())
        threads = [Thread(target=use, args=(number,)) for number in range(8)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
        print(*failed, file=sys.stderr)
        os._exit(len(failed))
    """
    process(code)
