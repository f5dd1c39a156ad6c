"""The command line: parses arguments, calls the lower layers and prints lines of text.

- `program`: parses the arguments, runs a command, prints its lines and returns the exit status.
- `arguments`: qrels, runs, measures and options that several commands share.
- `results`: prints a result in any format and writes it to files.
- The other modules define one command each. A command imports only what it needs.
"""

PROGRAM = "ir_measures_graded"

COMMANDS = {
    "evaluate": "Evaluate runs against qrels.",
    "check": "Show what is unusual about qrels, runs and measures, without evaluating them.",
    "levels": "Show the relevance levels of qrels, and gains for them.",
    "convert": "Convert qrels or a run from any form to TREC, CSV, TSV, Parquet or JSON.",
    "measures": "List the graded measures by question, or describe measures in full.",
    "demo": "Evaluate the five runs of the bundled demo collection.",
    "explain": "Show what each document of a ranking adds to a value.",
    "curves": "Show a measure at every rank, averaged over topics.",
    "sensitivity": "Show how the ranking of the runs depends on measure, weighting and cutoff.",
    "ranges": "Show how tied scores and unjudged documents could change values.",
    "identify": "Find which definition of a measure gives somebody's values.",
    "compare": "Test whether runs differ.",
    "gate": "Decide whether a new run may replace an old one.",
    "power": "Show which differences the topics find, and how many topics find a difference.",
    "report": "Write a report on the runs as one HTML page.",
    "holes": "List the unjudged documents to judge next.",
    "judges": "Compare machine judges with a human, and combine their judgments.",
}
"""The commands, each with the first line of its help; a module of the same name defines it."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit status, see `program.run`. It is 128 + N after signal N."""
    try:
        from .program import run  # takes time

        return run(argv)
    except KeyboardInterrupt as error:  # a signal
        return 128 + (error.args[0] if error.args else 2)
