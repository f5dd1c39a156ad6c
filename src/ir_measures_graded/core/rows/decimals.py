"""Numbers as people write them: in text, and as decimals in floats of fewer than 64 bits."""

import numpy as np

EXACT_DECIMALS = 12
"""A float of 32 bits times 10 to this power is exact in 64 bits: 24 bits and those of 5**12 are 52.
"""


def as_decimals(values: np.ndarray) -> np.ndarray:
    """Floats of 16 or 32 bits as floats of 64 bits: each fraction means its shortest decimal text.

    A level of 0.1 in 32 bits is then the level 0.1 of ``gains=0.1:5``. Its plain conversion would
    be 0.10000000149011612, which meets no level that anybody writes. Whole numbers and numbers of
    other types are converted as usual.

    >>> as_decimals(np.array([0.1, 2, np.nan], dtype=np.float32))
    array([0.1, 2. , nan])
    >>> as_decimals(np.array([0.1], dtype=np.float16)), as_decimals(np.array([1, 2]))
    (array([0.1]), array([1., 2.]))
    """
    numbers = values.astype(np.float64, copy=False)
    is_short = values.dtype.kind == "f" and values.dtype.itemsize < numbers.dtype.itemsize
    if not is_short:
        return numbers
    flat = numbers.ravel()
    is_fraction = np.isfinite(flat) & (np.rint(flat) != flat)
    unread = np.flatnonzero(is_fraction)
    for decimals in range(1, EXACT_DECIMALS + 1):
        if not unread.size:
            break
        exact = flat[unread]
        rounded = np.rint(exact * 10**decimals) / 10**decimals
        is_same = rounded.astype(values.dtype) == exact
        flat[unread[is_same]] = rounded[is_same]
        unread = unread[~is_same]
    if unread.size:
        distinct, code = np.unique(flat[unread].astype(values.dtype), return_inverse=True)
        shortest_texts = distinct.astype(str)
        flat[unread] = shortest_texts.astype(np.float64)[code]
    return flat.reshape(values.shape)


def number_of(text: bytes) -> float | None:
    """A number in C syntax, which excludes Python's 1_000; None if the text is not a number."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None
