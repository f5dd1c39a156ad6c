"""Finds the definition that gives somebody's values.

- `identification`: `identify`, which reads the input, starts the search and explains what it finds.
- `definitions`: the dimensions of a definition and their values, as data, and in `tools.csv` those of tools.
- `values`: runs with the values given for them, and the values of all definitions on these runs.
- `search`: tries all definitions, and verifies the survivors on all topics.
- `answer`: conclusions from the survivors, and the result.
"""

from .answer import Identification
from .identification import identify

__all__ = ["Identification", "identify"]
