"""Qrels and runs in every form, read into one: rows of (topic, document, value), grouped by topic.

- `sources`: qrels and runs that a name stands for, a file or an ir-datasets id.
- `trec_files`: TREC files, block by block; `strict_lines`: the same line by line, with every error.
- `tables`: dicts, DataFrames, Arrow tables and named tuples.
- `id_columns`, `id_matching`: topic and document ids as they are stored, hashed and compared.
"""
