"""Judges, human and machine: the levels that they give, how far they agree, and what to judge next.

- `scales`: qrels as dicts of levels, brought from one scale to another.
- `merging`: qrels of several judges, merged.
- `panel`: a human and machines on one scale, and the values of runs under each.
- `agreement`: compares the judges; `estimate`: corrects means under a machine's judgments by human ones.
- `holes`: the unjudged documents that are worth judging; `answers`: reads their judgments back.
"""
