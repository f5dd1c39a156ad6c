"""The section on method: definitions, parameters, inputs, versions and sources."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ir_measures import Measure

from ..errors import GradedError, install_hint
from ..evaluation.evaluate import Evaluation
from ..evaluation.named import Study
from ..inputs.content import is_lasting
from ..inputs.files import RunFile
from ..output.provenance import sha256, versions
from ..registry.bibliography import Work, works_of
from ..registry.facts import is_graded
from ..registry.listing import better, facts_of


@dataclass(frozen=True)
class Input:
    """Qrels, a run or values: its name, its path as given, and the SHA-256 of the file.

    They are empty where it has none.
    """

    kind: str
    name: str
    path: str
    sha256: str


@dataclass(frozen=True)
class Definition:
    """A measure in words and as a formula, with its parameters (name, value and description).

    `mathml` is empty if the measure has no formula in TeX.
    """

    measure: Measure
    title: str
    description: str
    formula: str
    mathml: str
    better: str
    undefined: str
    source: str
    parameters: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Method:
    """The facts that a reader needs to check the values and to reproduce them."""

    definitions: tuple[Definition, ...]
    inputs: tuple[Input, ...]
    versions: tuple[tuple[str, str], ...]
    command: str
    works: tuple[Work, ...]


def inputs_of(evaluation: Evaluation, study: Study | None) -> tuple[Input, ...]:
    """The inputs of a report: qrels and runs, or files of values."""
    return tuple(_inputs(evaluation, study))


def _inputs(evaluation: Evaluation, study: Study | None) -> Iterator[Input]:
    if study is None:
        for path in evaluation.files or ("",):
            yield Input("values", "", path, _sha256(path))
        return
    qrels = study.judgments.name
    yield Input("qrels", "", qrels or "", _sha256(qrels))
    for run in study.runs:
        file = run.source.file if isinstance(run.source, RunFile) else None
        path = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
        yield Input("run", run.name, str(path), _sha256(path))


def _sha256(path: str | None) -> str:
    """The SHA-256 of a regular file; empty for anything else."""
    return sha256(path) if path and is_lasting(path) else ""


def method(evaluation: Evaluation, inputs: tuple[Input, ...], command: str) -> Method:
    """Describe the measures, and list the inputs, versions and sources of the evaluation."""
    definitions = tuple(map(_definition, evaluation.measures))
    works = dict.fromkeys(work for each in definitions for work in works_of(each.source))
    return Method(definitions, inputs, tuple(versions()), command, tuple(works))


def _definition(measure: Measure) -> Definition:
    facts = facts_of(measure)
    parameters = []
    for each in facts["parameters"]:
        value = measure.params.get(each["name"], each["default"])
        if value not in (None, {}):
            parameters.append((each["name"], str(value), each["description"]))
    tex = measure.doc_field("tex") if is_graded(measure) else ""
    return Definition(
        measure,
        facts["title"],
        facts["description"],
        facts["formula"],
        mathml(tex),
        better(facts),
        facts["undefined"],
        facts["source"],
        tuple(parameters),
    )


def mathml(tex: str) -> str:
    """A formula in TeX as MathML; empty if there is no formula, or if docutils cannot convert it.

    Raises `GradedError` if docutils is not installed (extra ``report``).

    >>> mathml(r"\\frac{1}{k}")[:5]
    '<math'
    """
    try:
        from docutils.utils.math import latex2mathml
    except ImportError:
        raise GradedError(f"formulas need docutils: {install_hint('report')}") from None
    if not tex:
        return ""
    try:
        return str(latex2mathml.tex2mathml(tex, as_block=True))
    except Exception:  # a plugin's formula may be invalid, and docutils raises many types
        return ""
