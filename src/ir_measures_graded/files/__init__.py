"""Reads qrels and runs in files and collections into rows, and writes them.

- `sources`: qrels and runs in every form, made a `RunSource` in one place; ir-datasets ids.
- `files`: files of every kind, recognised by their content; runs are read block by block.
- `content`: opens and decompresses a file.
- `forms`: forms of text files, recognised by their first block; `headers` reads those of tables.
- `text_files`: text files of these forms; `lines` reads single lines and makes the error messages.
- `ahead`: reads a file in advance, in the threads of `reading_threads`.
- `json_files`: JSON files; `search_answers` has the places of hits and ratings in those of search
  engines.
- `table_files`: Parquet and Arrow files.
- `conversion`: writes rows as TREC, CSV, TSV, Parquet or JSON files.
"""
