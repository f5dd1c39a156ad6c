"""Tables and figures.

- `tables`: columns, tables and notes, which a result declares.
- `result`: the base class of all results, which have tables, records, a data frame and a figure.
- `formats`: prints a table for people (text, markdown, latex) or for programs (tsv, csv, jsonl).
- `figures`: the drawings of all figures in one style, and saving a figure to a file.
- `files`: writes a file completely or not at all.
"""
