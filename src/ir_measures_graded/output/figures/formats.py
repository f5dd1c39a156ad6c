"""The formats of figures, and the library that draws them, for commands that need not draw."""

from typing import Any, Final

NEEDS: Final = ("matplotlib", "a figure", "plot")
"""The arguments of `needed`."""
FORMATS: Final[dict[str, dict[str, Any]]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""File endings, with the metadata that would make two files of the same figure differ."""
