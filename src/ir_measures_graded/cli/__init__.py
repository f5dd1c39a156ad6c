"""The command line: arguments in, calls to the rooms below, lines of text out.

- `program`: parses the arguments, runs a command, prints its lines; exit statuses.
- `arguments`: what several commands share.
- The other modules: the commands, each with its arguments, its help and what it prints.
"""

from .program import COMMANDS, main

__all__ = ["COMMANDS", "main"]
