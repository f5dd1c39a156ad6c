"""Judges, human and machine: the levels that they give, how far they agree, and what to judge next.

- `scales`: qrels as dicts of levels, brought from one scale to another.
- `merging`: qrels of several judges, merged.
- `agreement`: compares two judges; `estimate`: corrects means under a machine's judgments by human ones.
- `holes`: the unjudged documents that are worth judging; `answers`: reads their judgments back.
"""
