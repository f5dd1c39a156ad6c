"""Starts the command `ir_measures_graded` quickly.

The module is beside the package, since it must act before the package imports NumPy.
"""

import gc
import os


def main() -> int:
    """Run the command line; returns the exit status, see `ir_measures_graded.cli.main`.

    OpenBLAS would start a thread for each core, and these wait at the cost of a small evaluation:
    it starts none unless the environment sets their number. The garbage collector would search
    modules in vain, while they are imported and later.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
    gc.disable()
    from ir_measures_graded.cli import main as run

    gc.freeze()
    gc.enable()
    return run()
