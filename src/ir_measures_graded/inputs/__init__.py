"""Qrels and runs in every form, read into one: rows of (topic, document, value), grouped by topic.

- `sources`: qrels and runs by name: a file or an ir-datasets id.
- `trec_files`: TREC files, block by block; `strict_lines`: the same line by line, with all error messages.
- `tables`: dicts, DataFrames, Arrow data and named tuples.
- `arrow`: objects that export Arrow, such as Polars' DataFrames.
- `merging`: qrels of several judges, on one scale and merged by one rule; files of assessors' answers.
- `id_columns`: columns of topic and document ids, in every storage format.
- `id_matching`: ids as bytes, hashed and compared.
"""
