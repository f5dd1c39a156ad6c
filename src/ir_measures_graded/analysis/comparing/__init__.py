"""Comparisons of runs: tests, families, collections and the table of a paper."""
