"""The command line: parses arguments, calls the lower layers and prints lines of text.

- `program`: parses the arguments, runs a command, prints its lines and returns the exit status.
- `arguments`: arguments that several commands share.
- The other modules define the commands: their arguments, help and output.
"""

from .program import COMMANDS, main

__all__ = ["COMMANDS", "main"]
