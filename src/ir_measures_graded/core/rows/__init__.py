"""Qrels and runs in memory, read into one form: rows of (topic, document, value), grouped by topic.

- `roles`: what qrels and runs are, our names of their columns and the values that they may have.
- `rows`: the rows, grouped by topic, and `RunSource`, the base class of all runs.
- `sources`: qrels and runs that need no file, read by `in_memory`: dicts, DataFrames, Arrow data
  and named tuples, one function for each form.
- `chosen`: the choices of a user, such as names of columns and levels of words.
- `columns`: columns recognised by their names, in files and in memory.
- `id_columns`: columns of topic and document ids, in every storage format.
- `id_matching`: ids as bytes, matched by their hashes.
"""
