"""``python -m ir_measures_graded``: the command line."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
