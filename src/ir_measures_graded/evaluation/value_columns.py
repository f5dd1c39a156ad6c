"""Tables of values, as `evaluate` writes and `values` reads them: names of columns and rows, and
numbers in cells.
"""

from numbers import Number
from typing import Any

import numpy as np

from ..core.rows.decimals import number_of

ALL = "all"
"""The name of the row of a mean, as in trec_eval's output."""
AGGREGATE = "aggregate"
"""The column that tells rows of aggregates from those of a topic that is named ``all``."""
GROUP = "group"
"""The column of the group of a topic, which is no measure."""
COLLECTION = "collection"
"""The column that names the collection of a value."""


def number_in(cell: Any) -> float:
    """The number in a cell, which may be text; NaN for anything else."""
    if not isinstance(cell, (str, Number)):
        return np.nan  # the text of an array could be long
    number = number_of(str(cell).encode(errors="replace"))
    return np.nan if number is None else number
