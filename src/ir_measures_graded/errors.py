"""Errors in what a user gave, all under one subclass of `ValueError`, and the warning about taken names."""

import logging
import warnings


class GradedError(ValueError):
    """A measure, parameter, qrels or run cannot be used; the message says what to change."""


class FileError(GradedError):
    """A file cannot be used; the message names the file and, if possible, the line."""


class UnknownMeasureError(GradedError, NameError):
    """No measure has that name. Also a `NameError`, which ``ir_measures.parse_measure`` raises."""


class RegistrationWarning(UserWarning):
    """A measure, provider or collection of this package is not registered because its name is taken."""


def warn_of_registration(message: str) -> None:
    """Issue a `RegistrationWarning`. If warnings are errors, log it: no import may fail for a name."""
    try:
        warnings.warn(message, RegistrationWarning, stacklevel=2)
    except RegistrationWarning:
        logging.getLogger("ir_measures_graded").warning(message)
