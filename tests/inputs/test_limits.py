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
