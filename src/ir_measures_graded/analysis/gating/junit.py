"""The result of a gate in JUnit's form, XML, with a test for each verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ...output import figures
from .verdict import HOLDS, SMALL, UNDECIDED

if TYPE_CHECKING:
    from .gate import Gate


def junit_of(gate: Gate, status: int | None = None) -> str:
    """The document. `status` stands for the gate's own: with 0, an undecided gate passes."""
    if status is None:
        status = gate.status
    passing: tuple[str, ...] = (HOLDS,)
    if status == 0:
        passing = (HOLDS, UNDECIDED, SMALL)
    deciding = gate.deciding
    failures = sum(verdict.verdict not in passing for verdict in deciding)
    counts = {"tests": str(len(deciding)), "failures": str(failures)}
    suite = ElementTree.Element("testsuite", counts, name="gate")
    class_name = f"gate {gate.new} {gate.old}"
    for verdict in deciding:
        case = ElementTree.SubElement(suite, "testcase", classname=class_name)
        case.set("name", verdict.name)
        if verdict.verdict not in passing:
            reason = {"type": verdict.verdict, "message": gate.sentence(verdict)}
            ElementTree.SubElement(case, "failure", reason)
    lines = [*gate.answer(), *gate.notes(), *gate.remark_notes()]
    ElementTree.SubElement(suite, "system-out").text = "\n".join(lines)
    ElementTree.indent(suite)
    document = ElementTree.tostring(suite, encoding="unicode")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + figures.drawable(document)
