"""The docstrings that the program shows, also where Python leaves them out."""

import ast
import inspect
import io
import re
import sys
from functools import cache
from itertools import takewhile
from typing import Any

LEAVES_OUT_DOCSTRINGS = sys.flags.optimize >= 2
"""Whether Python leaves docstrings out (``python -OO`` or ``PYTHONOPTIMIZE=2``)."""


def docstring_of(thing: Any) -> str:
    """The docstring of a class or function without its indentation; empty if it has none.

    If Python leaves docstrings out, it is read from the source file.

    >>> docstring_of(docstring_of).partition(";")[0]
    'The docstring of a class or function without its indentation'
    """
    return inspect.cleandoc(_indented(thing))


def summary_of(thing: Any) -> str:
    """The first paragraph of the docstring in one line, which is found faster than all of it.

    >>> summary_of(docstring_of)
    'The docstring of a class or function without its indentation; empty if it has none.'
    """
    lines = io.StringIO(_indented(thing).strip())
    paragraph = takewhile(str.strip, lines)
    return " ".join(" ".join(paragraph).split())


def field_of(thing: Any, field: str) -> str:
    """A field of a docstring, such as `formula`, on one line; empty if there is none."""
    pattern = rf"^:{re.escape(str(field))}:(.*(?:\n[ ]+.*)*)"
    match = re.search(pattern, docstring_of(thing), re.MULTILINE)
    if match is None:
        return ""
    return " ".join(match[1].split())


def _indented(thing: Any) -> str:
    """The docstring as it is written."""
    text = thing.__doc__
    if text is None and LEAVES_OUT_DOCSTRINGS:
        text = _in_source(thing.__module__).get(thing.__qualname__)
    return text or ""


@cache
def _in_source(module: str) -> dict[str, str]:
    """The docstrings of the classes and functions of a module by their qualified names, from its
    source; none if there is no source.

    >>> _in_source("ir_measures_graded.docstrings")["_in_source"].partition(" by ")[0]
    'The docstrings of the classes and functions of a module'
    """
    try:
        source = inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return {}
    texts: dict[str, str] = {}

    def add(parent: ast.AST, prefix: str) -> None:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.ClassDef):
                texts[prefix + node.name] = ast.get_docstring(node) or ""
                add(node, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                texts[prefix + node.name] = ast.get_docstring(node) or ""
                add(node, f"{prefix}{node.name}.<locals>.")
            else:
                add(node, prefix)

    add(ast.parse(source), "")
    return texts
