"""Files and data in memory that are refused, and the message, which does not depend on the pieces read."""

import io
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest
from ir_measures import AP, Qrel, ScoredDoc

import golden
from ir_measures_graded import CG, GradedError, GradedEvaluator, RunFile, read_trec_qrels
from ir_measures_graded.core.rows import in_memory
from ir_measures_graded.files import json_files
from ir_measures_graded.files.files import qrels_table
from ir_measures_graded.files.sources import qrels_of, scoreddocs_of

QRELS = {"q": {"a": 3, "b": 1}, "p": {"a": -2, "c": 0.5}}
READERS = {
    "run": lambda content: list(RunFile(opened(content))),
    "qrels": lambda content: read_trec_qrels(opened(content)),
    "evaluated": lambda content: GradedEvaluator([CG], qrels_table(opened(content))),
    "standard": lambda content: GradedEvaluator([AP], qrels_table(opened(content))),
    "file": RunFile,
    "qrels_of": qrels_of,
    "scoreddocs_of": scoreddocs_of,
    "retrieved": lambda run: CG.calc_aggregate(QRELS, run),
    "judged": lambda qrels: CG.calc_aggregate(qrels, {"q": {"a": 1.0}}),
}
NAMES = {each.__name__: each for each in (io, np, pandas, pyarrow, Qrel, ScoredDoc)}
NAMES |= {"frame": lambda **columns: pandas.DataFrame(columns, dtype=object), "__name__": __name__}


def opened(content):
    return io.BytesIO(content if isinstance(content, bytes) else content.encode())


def refused(line):
    reader, _, content = line.partition(" ")
    with pytest.raises(GradedError) as caught:
        READERS[reader](eval(content, dict(NAMES)))
    return str(caught.value)


@pytest.mark.parametrize("size", [3, 1 << 20])
@pytest.mark.parametrize(("line", "message"), golden.table(Path(__file__).with_name("messages.txt")))
def test_rows_are_refused_with_their_message(line, message, size, monkeypatch):
    monkeypatch.setattr(json_files, "PIECE", size)
    monkeypatch.setattr(in_memory, "PIECE", size)
    assert golden.shown(refused(line), message) == message
