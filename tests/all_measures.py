"""The measures over one level for each document, as tests evaluate them."""

from ir_measures_graded.core import measures

MEASURES = tuple(
    measure @ 10 if measure.CUTOFF_REQUIRED else measure
    for measure in measures.measures_of_levels()
)
"""All measures at their defaults; those that need a cutoff have one."""
WITH_GAINS = tuple(measure for measure in MEASURES if measure.HAS_GAINS)
"""The measures with the parameter `gains`."""


def with_gains(measure, gains):
    """The measure with these gains, or unchanged if it has none."""
    return measure(gains=gains) if measure.HAS_GAINS else measure


def optional(measure, *cutoffs):
    """The cutoffs, without None if the measure needs one."""
    return [cutoff for cutoff in cutoffs if cutoff or not measure.CUTOFF_REQUIRED]
