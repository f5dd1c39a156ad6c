"""Resampling that would take minutes or gigabytes is refused in a sentence."""

import numpy as np
import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.analysis.statistics import resampling
from ir_measures_graded.analysis.statistics.student import mean_interval


def test_resamples_of_many_topics_are_refused():
    with pytest.raises(GradedError, match=r"^1,000 resamples of 700,000 topics: .* fewer resample"):
        resampling.resampled_topics(700_000, 1_000, 0)


def test_the_bootstrap_of_many_values_is_refused():
    values = np.arange(80_000.0)
    with pytest.raises(GradedError, match=r"^the BCa bootstrap of 80,000 values: .*Student's t"):
        mean_interval(values, method="bca")
    lower, upper = mean_interval(values)
    assert lower < values.mean() < upper


def test_resamples_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch):
    whole = resampling.resampled_topics(30, 20, 0)
    monkeypatch.setattr(resampling, "PERMUTED_AT_ONCE", 100)
    assert (resampling.resampled_topics(30, 20, 0) == whole).all()
