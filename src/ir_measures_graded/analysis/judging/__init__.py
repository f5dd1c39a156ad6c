"""Judges, human and machine: the levels that they give, how far they agree, and what to judge next.

- `panel`: what judges gave, read, merged and on one scale, and the values of runs.
- `agreement`: compares the levels of judges and the orders of runs, and finds favoured runs.
- `estimate`: corrects means under a machine's judgments by human ones.
- `holes`: the unjudged documents that are worth judging.
"""
