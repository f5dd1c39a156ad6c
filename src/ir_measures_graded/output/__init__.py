"""What people see: tables as text, figures.

- `formats`: a table as lines of text, for people (text, markdown, latex) and programs (tsv, csv, jsonl).
- `plots`: the style that all figures share, and files written whole; `cells`: matrices drawn as cells.
"""
