"""``python -m ir_measures_graded``: the command line."""

from ir_measures_graded_command import script

if __name__ == "__main__":
    raise SystemExit(script())
