"""Reads qrels and runs in every form into one: rows of (topic, document, value), grouped by topic.

- `sources`: qrels and runs in every form, made a `RunSource` in one place; ir-datasets ids.
- `files`: files of every kind, recognised by their content; runs are read block by block.
- `content`: opens and decompresses a file.
- `text_forms`: forms of text files, recognised by their first block.
- `text_files`: text files of these forms; `strict_lines` reads single lines and makes the error messages.
- `json_files`: JSON files, parsed one topic at a time.
- `table_files`: Parquet and Arrow files.
- `conversion`: writes rows as TREC, CSV, TSV, Parquet or JSON files.
- `out_of_core`: rows in any order; rows that do not fit into memory are sorted on disk.
- `in_memory`: dicts, DataFrames, Arrow data and named tuples, one class for each form.
- `columns`: qrels and runs as columns, and the names of columns in files and in memory.
- `rows`: the rows, grouped by topic, and `RunSource`, the base class of all runs.
- `arrow`: objects that export Arrow, such as Polars' DataFrames.
- `id_columns`: columns of topic and document ids, in every storage format.
- `id_matching`: ids as bytes, matched by their hashes.
"""
