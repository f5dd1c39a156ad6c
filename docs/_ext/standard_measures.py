"""The paragraphs of the page of standard measures, from their definitions in the code."""

from __future__ import annotations

import re

from ir_measures_graded import parse_measure
from ir_measures_graded.core.registry.listing import facts_of, with_formula
from ir_measures_graded.docstrings import docstring_of


def paragraph(name: str) -> str:
    """What a standard measure computes: its formula, undefined case and name in trec_eval.

    >>> paragraph("RR").partition(" The value")[2]
    ' is 1/i at the first relevant rank i ≤ k; it is 0 if no relevant document is retrieved.'
    """
    measure = parse_measure(name)
    facts = facts_of(measure)
    if not facts["formula"]:
        raise LookupError(f"{name} has no formula")
    sentences = []
    summary = docstring_of(with_formula(measure)).partition("\n\n")[0].partition(": ")[2]
    if summary:
        sentences.append(" ".join(summary.split()).rstrip("."))
    value = f"The value is {facts['formula']}"
    if facts["undefined"]:
        value += f"; it is {facts['undefined']}"
    sentences.append(value)
    in_trec_eval = re.match(r"trec_eval \((.+)\)$", facts["source"])
    if in_trec_eval:
        names = ", ".join(f"`{name}`" for name in in_trec_eval[1].split(", "))
        sentences.append(f"In trec_eval: {names}")
    return ". ".join(sentences) + "."
