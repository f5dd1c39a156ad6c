"""Tables and figures.

- `result`: the base class of all results, which have a table, records, a data frame and a figure.
- `formats`: prints a table for people (text, markdown, latex) or for programs (tsv, csv, jsonl).
- `plots`: the style that all figures share, and saving a figure to a file.
- `cells`: draws a matrix as shaded cells; `dots`: draws the means of runs as dots.
- `files`: writes a file completely or not at all.
"""
