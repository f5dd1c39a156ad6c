"""The docstrings that the program shows, also where Python leaves them out."""

import ast
import inspect
import sys
from functools import cache
from typing import Any

LEAVES_OUT_DOCSTRINGS = sys.flags.optimize >= 2
"""Whether Python leaves docstrings out (``python -OO`` or ``PYTHONOPTIMIZE=2``)."""


def docstring_of(thing: Any) -> str:
    """The docstring of a class or function without its indentation; empty if it has none.

    If Python leaves docstrings out, it is read from the source file.

    >>> docstring_of(docstring_of).partition(";")[0]
    'The docstring of a class or function without its indentation'
    """
    text = thing.__doc__
    if text is None and LEAVES_OUT_DOCSTRINGS:
        text = _in_source(thing.__module__).get(thing.__qualname__)
    return inspect.cleandoc(text or "")


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
