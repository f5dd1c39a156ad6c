"""What can go wrong because of what a user gave: one error type, under `ValueError`."""


class GradedError(ValueError):
    """A measure, a parameter, qrels or a run that cannot be used; the message says what to change."""


class FileError(GradedError):
    """A file that cannot be used; the message names it, and the line where there is one."""


class UnknownMeasureError(GradedError, NameError):
    """No measure has that name. Also a `NameError`, which ``ir_measures.parse_measure`` raises."""
