"""Small files that unpack to much are refused, and the limits can be lifted."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from reading import refused

from ir_measures_graded import RunFile, read_qrels
from ir_measures_graded.analysis import Evaluation
from ir_measures_graded.files.content import SIZES

LINE = b"q1 Q0 d1 1 2.0 t\n"
KINDS = {
    "same line": LINE * (1 << 14),
    "blank lines": b"\n" * (1 << 18),
    "comments": b"# a\n" * (1 << 17),
    "JSON": b"[" + b"{}," * (1 << 17) + b"{}]",
    "quoted": b'query_id,doc_id,score\n"' + b"\n" * (1 << 18),
}
PACKERS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda text: lzma.compress(text, preset=0),
}


@pytest.mark.parametrize(
    ("kind", "packer"),
    [
        ("same line", "bzip2"),
        ("blank lines", "gzip"),
        ("comments", "xz"),
        ("JSON", "gzip"),
        ("quoted", "gzip"),
    ],
)
def test_a_small_file_that_unpacks_to_much_is_refused(kind, packer):
    packed = PACKERS[packer](KINDS[kind])
    file = RunFile(io.BytesIO(packed))
    file.sizes = SIZES._replace(free=1 << 16)
    told = refused(file.rows)
    assert f"bytes of the {packer} file unpack to more than " in told
    assert told.endswith("lift the limit with --no_limits (RunFile(…, limits=False))")


def packed_run(rows):
    return gzip.compress(b"".join(b"q1 Q0 d%d 1 2.0 t\n" % row for row in range(rows)))


def test_a_file_within_the_limits_and_one_without_limits_are_read():
    packed = packed_run(5_000)
    tight = SIZES._replace(free=100, expansion=1)
    file = RunFile(io.BytesIO(packed))
    file.sizes = tight
    assert "unpack to more than" in refused(file.rows)
    assert RunFile(io.BytesIO(packed)).rows().values.size == 5_000
    lifted = RunFile(io.BytesIO(packed), limits=False)
    assert lifted.sizes.expansion == 0
    assert lifted.rows().values.size == 5_000


def test_rows_of_a_small_table_are_limited(tmp_path):
    rows = 2_000_000
    constant = pyarrow.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["d1"])
    columns = {"query_id": constant, "doc_id": constant, "score": np.zeros(rows)}
    columns["relevance"] = columns["score"]
    path = tmp_path / "copies.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    assert path.stat().st_size < 50_000
    assert "rows seem to be copies; if they are meant" in refused(RunFile(path).rows)
    assert "rows seem to be copies; if they are meant" in refused(read_qrels, path)


def test_a_long_text_of_many_rows_is_refused_before_it_is_copied(tmp_path):
    rows = 100_000
    documents = pyarrow.array(["d1", "d" * 1_000_000]).take(pyarrow.array([0, 1]))
    coded = pyarrow.DictionaryArray.from_arrays(np.arange(rows) // 70_000, documents)
    topics = pyarrow.repeat("q1", rows)
    table = pyarrow.table({"query_id": topics, "doc_id": coded, "score": np.zeros(rows)})
    path = tmp_path / "run.parquet"
    parquet.write_table(table, path)
    told = refused(RunFile(path).rows)
    assert "run.parquet: row 70000: the doc_id 'ddd" in told
    assert told.endswith("is longer than 4,096 bytes")


def test_limits_of_a_table_of_values_can_be_lifted(tmp_path):
    path = tmp_path / "values.csv.gz"
    header = "run,topic,measure,value\n"
    zeros = "0" * 5000
    lines = "".join(f"A,t{row},AP,0.5{zeros}\n" for row in range(4_500))
    path.write_bytes(gzip.compress((header + lines).encode()))
    assert "--no_limits" in refused(lambda: Evaluation.from_values(path))
    assert Evaluation.from_values(path, limits=False).values.shape == (1, 1, 4_500)
