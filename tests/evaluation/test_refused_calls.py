"""Arrays, batches, tables of values and input of gdeval that are refused, and the message."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow
import pytest

import golden
from buckets import arrow
from ir_measures_graded import CG, GradedError, array_values
from ir_measures_graded.analysis import Evaluation, evaluate
from ir_measures_graded.evaluation.batches import evaluate_batches


class Unreadable:
    def __array__(self, dtype=None, copy=None):
        raise TypeError("it is on\nanother device")


def values(content):
    """The values in a file t with this content."""
    Path("t").write_text(content)
    return Evaluation.from_values("t")


def batch(*row, **columns):
    """A batch with a row of q1 and another row."""
    fields = {"query_id": pyarrow.string(), "doc_id": pyarrow.string(), "score": pyarrow.float64()}
    rows = zip(fields.items(), zip(("q1", "a", 2), row))
    return pyarrow.table({**columns, **{name: pyarrow.array(cells, kind) for (name, kind), cells in rows}})


NAMES = {each.__name__: each for each in (array_values, evaluate_batches, evaluate, values, batch, arrow)} | {
    "CG": CG,
    "GOOD": {"1": {"a": 2.0, "b": 1.0}},
    "HEAD": "run,topic,measure,value\n",
    "JUDGED": arrow({"q1": {"a": 1}}, "relevance"),
    "ONE": arrow({"q1": {"a": 1}}, "score"),
    "UNJUDGED": arrow({}, "relevance"),
    "UNREADABLE": Unreadable(),
    "inf": np.inf,
    "masked": np.ma.array,
    "nan": np.nan,
}


@pytest.mark.parametrize(("line", "message"), golden.table(Path(__file__).with_name("messages.txt")))
def test_a_call_is_refused_with_its_message(line, message, tmp_path, monkeypatch, capfd):
    if "ERR@5" in line and shutil.which("perl") is None:
        pytest.skip("Perl is not installed")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GradedError) as refused:
        eval(line, dict(NAMES))
    assert golden.shown(str(refused.value), message) == message, refused.value
    assert capfd.readouterr().err == ""  # gdeval has not run
