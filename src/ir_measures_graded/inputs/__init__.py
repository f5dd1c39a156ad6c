"""Qrels and runs in every form, read into one: rows of (topic, document, value), grouped by topic.

- `sources`: qrels and runs by name: a file or an ir-datasets id.
- `files`: files of every kind, told by their content, and runs in them, block by block.
- `content`: an opened and decompressed file.
- `text_files`: TREC files, CSV and TSV; `strict_lines`: the same line by line, with all error messages.
- `table_files`: Parquet and Arrow files.
- `out_of_core`: rows in any order, sorted on disk if they do not fit into memory.
- `tables`: dicts, DataFrames, Arrow data and named tuples.
- `arrow`: objects that export Arrow, such as Polars' DataFrames.
- `merging`: qrels of several judges, on one scale and merged by one rule; files of assessors' answers.
- `id_columns`: columns of topic and document ids, in every storage format.
- `id_matching`: ids as bytes, hashed and compared.
"""
