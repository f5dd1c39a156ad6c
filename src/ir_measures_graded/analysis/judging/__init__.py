"""Judges, human and machine: the levels that they give, how far they agree, and what to judge next.

- `panel`: what judges gave, read, merged and on one scale, and the values of runs.
- `judges`: compares machine judges with a human. `agreement` has its results and their tables,
  `level_agreement` what concerns the levels of documents, `order_agreement` the orders of runs,
  `favours` the runs that a judge favours, `difference` whether two judges differ, and `percentiles`
  the intervals over resampled topics.
- `merging`: makes one judge of several.
- `estimate`: corrects means under a machine's judgments by human ones.
- `holes`: the unjudged documents that are worth judging.
- `figures`: the figures of all of them.
"""
