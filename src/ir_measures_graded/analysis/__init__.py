"""What the papers do with the values: several runs, one collection, what can be concluded.

- `evaluate`: the value of every run by every measure for every topic, as one array. All else starts here.
- `plots`: what figures share; `plots.save` writes one as PNG, SVG or PDF.
"""

from . import plots
from .evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate", "plots"]
