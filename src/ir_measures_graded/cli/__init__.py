"""The command line: parses arguments, calls the lower layers and prints lines of text.

- `program`: parses the arguments, runs a command, prints its lines and returns the exit status.
- `habits`: words of other tools in ours.
- `arguments`: qrels, runs, measures and options that several commands share.
- `results`: prints a result in any format and writes it to files.
- The other modules define one command each. A command imports only what it needs.
"""

import signal

PROGRAM = "ir_measures_graded"
COMPLETION = "--print-completion"
"""The option of the program that prints a script for tab completion."""

GROUPS = {
    "Evaluate": ("evaluate", "measures", "demo"),
    "Compare": (
        "compare",
        "gate",
        "power",
        "sensitivity",
        "report",
        "leaderboards",
        "reproduce",
    ),
    "Understand": ("explain", "curves", "effort", "ranges", "identify"),
    "Judge": ("levels", "holes", "judges"),
    "Files": ("check", "convert"),
}
"""The commands by what they are for, in the order of the help."""
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
"""All commands; a module of the same name defines each."""
TASKS = {
    "a table for a paper": "compare QRELS RUN… MEASURE… --baseline RUN -f latex",
    "its Method paragraph and BibTeX": "measures MEASURE… --sentence --bibtex",
    "whose nDCG@10 is .4563": "identify QRELS RUN nDCG@10 0.4563",
    "one sorted leaderboard": "evaluate QRELS RUN… MEASURE --sort MEASURE",
    "one LETOR file, predictions": "evaluate TEST.svm PREDICTIONS nDCG@10 -q",
    "LightGBM, XGBoost, CatBoost": "from ir_measures_graded import lightgbm_metric (Python)",
    "the hardest topics": "evaluate QRELS RUN… MEASURE --show topics",
    "topics that tell runs apart": "compare QRELS RUN RUN MEASURE --show topics",
    "topics where a new run lost": "compare QRELS OLD NEW MEASURE --show losses",
    "agreement of an LLM and a human": "judges QRELS MACHINE_QRELS",
    "curves of the nDCG paper": "curves QRELS RUN… CG DCG_JK nDCG_JK --ratio_of_means",
    "other columns": "--columns query_id=NAME,doc_id=NAME,relevance=NAME",
}
"""Tasks, and the line of each, which the help of the program shows."""
BOOSTING = (
    "in Python: from ir_measures_graded import lightgbm_metric (or xgboost_metric, "
    "catboost_metric); predictions in a file: evaluate test.svm predictions.txt "
    "nDCG@10"
)
FIGURE = "write -o picture.png behind another command"
STABLE = (
    "for other gains write sensitivity QRELS RUN… MEASURE; docs/leaderboards.md compares random "
    "halves of the topics"
)
COMMANDS_OF_TASKS = {
    "stability": STABLE,
    "halves": STABLE,
    "lightgbm": BOOSTING,
    "xgboost": BOOSTING,
    "catboost": BOOSTING,
    "plot": FIGURE,
    "figure": FIGURE,
}
"""What to do for words of a task that are no commands."""


SIGNALS: list[int] = []
"""The signals that arrived, after the first of which the command ends."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit status, see `program.run`.

    It is 128 + N after signal N.
    """
    try:
        from .program import run  # takes time

        return run(argv)
    except KeyboardInterrupt:  # DuckDB raises another one in the place of ours
        return 128 + next(iter(SIGNALS), signal.SIGINT)
