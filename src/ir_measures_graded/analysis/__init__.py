"""What the papers do with the values: several runs, one collection, what can be concluded.

- `evaluate`: the value of every run by every measure for every topic, as one array. All else starts here.
- `curves`: a measure at every rank, one line a run; `effort`: how far one must read to gain as much.
- `compare`: means and significance tests; `compare_values`: the same of values that are there already.
- `sensitivity`: the order of the runs under every measure, weighting and cutoff.
- `swaps`: which measures depend on the number of levels, by random swaps. No collection is needed.
- `plots`: what figures share; `plots.save` writes one as PNG, SVG or PDF.

>>> from ir_measures_graded import demo
>>> found = curves(demo.qrels_path(), demo.run_paths(), "CG(gains=0:0,1:1,2:1,3:1)", depth=100)
>>> effort(found, at=[10]).ranks
((32,), (17,), (22,), (22,), (16,))
"""

from ..evaluation.evaluate import Evaluation, evaluate
from ..output import plots
from .compare import Comparison, compare, compare_values
from .curves import Curves, curves
from .effort import Effort, effort
from .sensitivity import Sensitivity, sensitivity
from .swaps import Swaps, swaps

__all__ = [
    "Comparison",
    "Curves",
    "Effort",
    "Evaluation",
    "Sensitivity",
    "Swaps",
    "compare",
    "compare_values",
    "curves",
    "effort",
    "evaluate",
    "plots",
    "sensitivity",
    "swaps",
]
