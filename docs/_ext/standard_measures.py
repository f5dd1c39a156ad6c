"""The paragraphs of the page of standard measures, from their definitions in the code."""

from __future__ import annotations

import inspect
import re

from ir_measures_graded import parse_measure
from ir_measures_graded.core.measures.standard import definition_of


def paragraph(name: str) -> str:
    """What a standard measure computes: its formula, undefined case and name in trec_eval.

    >>> paragraph("RR").partition(" The value")[2]
    ' is 1/i at the first relevant rank i ≤ k; it is 0 if no relevant document is retrieved.'
    """
    measure = definition_of(parse_measure(name))
    if measure is None:
        raise LookupError(f"{name} has no definition")
    head = inspect.cleandoc(type(measure).__doc__ or "").partition("\n")[0]
    summary = head.partition(": ")[2].rstrip(".")
    value = f"The value is {measure.doc_field('formula')}"
    undefined = measure.doc_field("undefined")
    if undefined:
        value += f"; it is {undefined}"
    sentences = [summary, value]
    in_trec_eval = re.match(r"trec_eval \((\w+)\)$", measure.doc_field("source"))
    if in_trec_eval:
        sentences.append(f"In trec_eval: `{in_trec_eval[1]}`")
    return ". ".join(sentences) + "."
