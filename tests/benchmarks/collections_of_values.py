"""The comparison of runs over several collections: processor time and memory, from a Parquet file of values.

    python tests/benchmarks/collections_of_values.py [FILE] [--runs 100] [--collections 18] [--topics 500]

The values of ten measures are random and are written to FILE first. The comparison is with the first run.
"""

import argparse
import resource
import time
from collections.abc import Sequence

import numpy as np
import pyarrow
from pyarrow import parquet

from ir_measures_graded.analysis import compare_collections

MEASURES = [f"{name}@{cutoff}" for name in ("nDCG", "P", "R", "RR", "AP") for cutoff in (10, 100)]


def write(path: str, collections: int, runs: int, topics: int) -> int:
    """Write a table of random values, and return the number of its rows."""
    values = np.random.default_rng(0).random((collections, runs, topics, len(MEASURES)))
    names = {
        "collection": [f"c{number}" for number in range(collections)],
        "run": [f"run{number}" for number in range(runs)],
        "topic": [f"q{number}" for number in range(topics)],
        "measure": MEASURES,
    }
    columns = {
        key: pyarrow.DictionaryArray.from_arrays(code.ravel().astype(np.int32), texts).cast(pyarrow.string())
        for (key, texts), code in zip(names.items(), np.indices(values.shape))
    }
    parquet.write_table(pyarrow.table(columns | {"value": values.ravel()}), path)
    return values.size


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default="values.parquet")
    for name, default in (("collections", 18), ("runs", 100), ("topics", 500)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args(argv)
    rows = write(options.file, options.collections, options.runs, options.topics)
    start = time.process_time()
    found = compare_collections(options.file, baseline="run0")
    spent, peak = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{rows} values: {found.summary}; {spent:.1f} s of processor time, peak {peak / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
