"""Results as one HTML page that needs no network: a report on an evaluation, or the result of one
analysis.

- `report`: the function of this name runs the analyses on a set of runs.
- `pages`: makes pages from the templates in the folder `page`.

Each section of a report has a function, which computes plain data, and a template, which shows it.
The functions are in `verdict`, `rankings` and `sections`:

- `verdict`: the best runs, and the differences that hold; `material`: qrels and runs
- `curves`: the first measure that takes gains at every rank; `by_topic`: the runs topic by topic
- `rankings`: the documents of each topic as cells; `weighting`: the order of the runs under other
  gains
- `method`: definitions, versions, inputs and sources
"""
