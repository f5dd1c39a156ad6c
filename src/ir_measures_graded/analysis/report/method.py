"""The section on method: definitions, parameters, inputs, versions and sources."""

import os
from typing import Any, NamedTuple

from ir_measures import Measure

from ...core.registry.facts import is_graded
from ...core.registry.listing import Work, better, facts_of, works_of
from ...errors import needed
from ...evaluation.evaluate import Evaluation
from ...evaluation.named import Study
from ...files.content import is_lasting
from ...files.files import RunFile
from ...output.provenance import sha256, versions


class Input(NamedTuple):
    """Qrels, a run or values: its name, its path as given, and the SHA-256 of the file.

    They are empty where it has none.
    """

    kind: str
    name: str
    path: str
    sha256: str


class Method(NamedTuple):
    """The facts that a reader needs to check the values and to reproduce them.

    `definitions` have the facts about each measure, the parameters that have a value (name, value and
    description), and the formula as ``mathml``, which is empty if the measure has none in TeX.
    """

    definitions: list[dict[str, Any]]
    inputs: list[Input]
    versions: list[tuple[str, str]]
    command: str
    works: list[Work]


def method(evaluation: Evaluation, study: Study | None, command: str) -> Method:
    """Describe the measures, and list the inputs, versions and sources of the evaluation."""
    if study is None:
        named = [("values", "", path) for path in evaluation.files or ("",)]
    else:
        named = [("qrels", "", study.judgments.name or "")]
        for run in study.runs:
            file = run.source.file if isinstance(run.source, RunFile) else None
            path = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
            named.append(("run", run.name, str(path)))
    inputs = [Input(*each, sha256(each[-1]) if is_lasting(each[-1]) else "") for each in named]
    definitions = [_definition(measure) for measure in evaluation.measures]
    works = dict.fromkeys(work for each in definitions for work in works_of(each["source"]))
    return Method(definitions, inputs, [*versions()], command, [*works])


def _definition(measure: Measure) -> dict[str, Any]:
    facts = facts_of(measure)
    given = ((each, measure.params.get(each["name"], each["default"])) for each in facts["parameters"])
    return {
        **facts,
        "measure": measure,
        "better": better(facts),
        "mathml": mathml(measure.doc_field("tex") if is_graded(measure) else ""),
        "parameters": [
            (each["name"], str(value), each["description"])
            for each, value in given
            if value not in (None, {})
        ],
    }


def mathml(tex: str) -> str:
    """A formula in TeX as MathML; empty if there is no formula, or if docutils cannot convert it.

    Raises `GradedError` if docutils is not installed (extra ``report``).

    >>> mathml(r"\\frac{1}{k}")[:5]
    '<math'
    """
    latex2mathml = needed("docutils.utils.math.latex2mathml", "a formula", "report")
    if not tex:
        return ""
    try:
        return str(latex2mathml.tex2mathml(tex, as_block=True))
    except Exception:  # a plugin's formula may be invalid, and docutils raises many types
        return ""
