"""Files that are refused, and the message, which does not depend on the pieces in which JSON is read."""

import io
from pathlib import Path

import pytest

import golden
from ir_measures_graded import CG, GradedError, RunFile, read_trec_qrels
from ir_measures_graded.inputs import json_files
from ir_measures_graded.inputs.files import qrels_table

READERS = {
    "run": lambda file: list(RunFile(file)),
    "qrels": read_trec_qrels,
    "evaluated": lambda file: CG.calc_aggregate(qrels_table(file), {"q1": {"d1": 1.0}}),
}


def refused(line):
    reader, _, content = line.partition(" ")
    content = eval(content)
    with pytest.raises(GradedError) as caught:
        READERS[reader](io.BytesIO(content if isinstance(content, bytes) else content.encode()))
    return str(caught.value)


@pytest.mark.parametrize("size", [3, 1 << 20])
@pytest.mark.parametrize(("line", "message"), golden.table(Path(__file__).with_name("messages.txt")))
def test_a_file_is_refused_with_its_message(line, message, size, monkeypatch):
    monkeypatch.setattr(json_files, "PIECE", size)
    assert golden.shown(refused(line), message) == message
