"""The blended ratio: precision blended with normalised cumulated gain.

T. Sakai: New performance metrics based on multigrade relevance. NTCIR-4, 2004.
"""

from __future__ import annotations

import numpy as np

from .parameters import Real
from .topics import Topics

BETA = Real(default=1, at_least=0, desc="weight β of the gains against the counts")


def blended_ratio(topics: Topics, beta: float) -> np.ndarray:
    """BR(i) = (C[i] + β CG[i]) / (i + β CG_I[i]) at each relevant document of the run.

    C[i] is the number of relevant documents in the first i. With β = 0 it is the precision C[i] / i.
    """
    run, ideal = topics.run.relevant, topics.whole_ideal
    cg_ideal = ideal.at(run.rank, run.topic, ideal.cumulated)
    return (run.number + beta * run.cumulated) / (run.rank + beta * cg_ideal)
