"""The output of NTCIREVAL, a table of values without a header."""

import re

import numpy as np

from ..errors import FileError, shown
from .value_columns import number_in

LINE = re.compile(r"\s*(?P<topic>\S+)\s+(?:#\s+\S+=.*|(?P<measure>\S+)=\s*(?P<value>\S+)\s*)")
"""A topic with the value of a measure, or with a comment."""
LONGEST_LINE = 1000
"""Longer first lines are not searched, which would take long."""
Value = tuple[str, str, str]
"""The measure, the topic and the value, as text."""


def with_usual_cutoff(name: str) -> str:
    """The name of a measure, whose cutoff has no leading zeros.

    >>> with_usual_cutoff("nDCG@0010"), with_usual_cutoff("AP")
    ('nDCG@10', 'AP')
    """
    return re.sub("@0+(?=[1-9][0-9]*$)", "@", name)


def is_ntcireval(line: str) -> bool:
    """Whether the first line of a file is one of NTCIREVAL.

    >>> is_ntcireval("0001 # syslen=20 jrel=13"), is_ntcireval("0001 MSnDCG@0010=    0.1600")
    (True, True)
    >>> is_ntcireval("nDCG_JK(b=2)@10 0001 0.16"), is_ntcireval("topic #docs AP")
    (False, False)
    """
    if len(line) > LONGEST_LINE:
        return False
    match = LINE.fullmatch(line)
    if match is None:
        return False
    return match["measure"] is None or bool(np.isfinite(number_in(match["value"])))


def values_of_ntcireval(name: str, text: str) -> list[Value]:
    """The values in the lines of NTCIREVAL; the names of its measures stay as they are.

    >>> values_of_ntcireval("A.nev", "1 # syslen=20 jrel=13\\n1 nDCG@0010=  0.1435\\n")
    [('nDCG@0010', '1', '0.1435')]

    Raises `FileError` for the first line that is none of NTCIREVAL.
    """
    values: list[Value] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise FileError(
                f"{name}:{number}: {shown(line)} is no line of NTCIREVAL such as "
                "'0001 nDCG@0010= 0.1435'"
            )
        if match["measure"] is not None:
            values.append((match["measure"], match["topic"], match["value"]))
    return values
