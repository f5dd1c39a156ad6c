"""Finds the definition that gives somebody's values.

- `identification`: `identify`, which reads the input, starts the search and explains what it finds.
- `dimensions`: the dimensions of a definition and the ways to fill each, as data; `formulas` of
  other measures; in `tools.csv` and `tools` what tools compute.
- `case`: runs with the numbers given for them, their rows as arrays, and the lists of each order.
- `scoring`: the values of all definitions on these runs; `solving`: gains that no tool has.
- `search`: tries all definitions, and verifies the survivors on all topics.
- `ranking`: the survivors, the likeliest first; `strings`: their measure strings; `naming`: what
  they are called.
- `conclusions`: what is said; `answer`: the result.
"""

from .answer import Identification
from .identification import identify

__all__ = ["Identification", "identify"]
