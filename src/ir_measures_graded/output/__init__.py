"""Tables and figures.

- `formats`: prints a table for people (text, markdown, latex) or for programs (tsv, csv, jsonl).
- `plots`: the style that all figures share, and saving a figure to a file.
- `cells`: draws a matrix as shaded cells.
"""
