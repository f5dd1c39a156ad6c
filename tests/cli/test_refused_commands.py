"""Commands that are refused: each prints one line, ends with status 2 and writes nothing."""

import gzip
import os
import shlex
from pathlib import Path

import pytest

import golden
from command_line import OTHER, RUN
from ir_measures_graded import demo

FILES = {
    "bad": f"{OTHER}q2 Q0 d1 9 1 b\n",
    "conflict": "q1 1 d1 0\nq1 2 d1 1\n",
    "empty": "\n",
    "AP.csv": "run,topic,AP\nA,1,0.5\n",
    "head.csv": "run,topic,measure,value\n",
    "keys.csv": "run,topic\nA,1\n",
    "far": "t1 Q0 d1 1 1 far\n",
    "levels": "q1 0 d1 1\nq1 0 d2 4\n",
    "queries.tsv": "q1 no tab\n",
    "report.html": "",
    "real": "q1 0 d1 0.5\nq1 0 d3 0.25\n",
    "runs.csv": "run,qid,docno,score\nrun,q1,d1,1\nother,q1,d1,1\n",
    "turns.csv": "topic,session,turn\n351,s,1\n351,s,2\n",
    "short": "q1 Q0 d1 1 9\n",
    "weights.csv": "qid,docno,label,subtopic_id,probability\nq1,d1,2,a,0.5\nq1,d2,1,b,\n",
    "wide": "q1 0 d1 10\n",
}


@pytest.mark.parametrize(("line", "message"), golden.table(Path(__file__).with_name("messages.txt")))
def test_a_refused_command_prints_its_message(line, message, refusal):
    for path in demo.run_paths().values():
        os.symlink(path, path.name)
    for name, content in FILES.items():
        Path(name).write_text(content)
    Path("latin").write_bytes(b"q1 Q0 d\xe91 1 9 a\n")
    Path("damaged.gz").write_bytes(gzip.compress(RUN.encode())[:-12])
    told = refusal(*shlex.split(line))
    assert golden.shown(told, message) == message, told


def test_a_name_with_a_null_byte_is_no_file(refusal):
    assert refusal("evaluate", "qrels", "runs\0/run", "AP") == r"file not found: 'runs\x00/run'"
