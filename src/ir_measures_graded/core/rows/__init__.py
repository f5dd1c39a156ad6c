"""Qrels and runs in memory, read into one form: rows of (topic, document, value), grouped by topic.

- `rows`: the rows, grouped by topic, and `RunSource`, the base class of all runs.
- `in_memory`: dicts, DataFrames, Arrow data and named tuples, one class for each form.
- `columns`: qrels and runs as columns, and the names of columns in files and in memory.
- `id_columns`: columns of topic and document ids, in every storage format.
- `id_matching`: ids as bytes, matched by their hashes.
"""
