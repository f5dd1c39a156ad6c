"""What can go wrong because of what a user gave: one error type, under `ValueError`, and one warning."""

import logging
import warnings


class GradedError(ValueError):
    """A measure, a parameter, qrels or a run that cannot be used; the message says what to change."""


class FileError(GradedError):
    """A file that cannot be used; the message names it, and the line where there is one."""


class UnknownMeasureError(GradedError, NameError):
    """No measure has that name. Also a `NameError`, which ``ir_measures.parse_measure`` raises."""


class RegistrationWarning(UserWarning):
    """Something of this package is not registered because its name is taken."""


LONGEST = 80
"""Number of characters after which a value in an error message is cut off."""


def shown(value: object) -> str:
    """The `repr` of a value for an error message, cut off if it is long.

    >>> shown("d1"), len(shown("d" * 1000))
    ("'d1'", 80)
    """
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]}…{text[-1]}"


def warn_of_registration(message: str) -> None:
    """Issue a `RegistrationWarning`, or log it where warnings are errors: no import may fail over a name."""
    try:
        warnings.warn(message, RegistrationWarning, stacklevel=2)
    except RegistrationWarning:
        logging.getLogger("ir_measures_graded").warning(message)
