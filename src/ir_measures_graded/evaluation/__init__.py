"""Runs against qrels: one value for each topic, run and measure.

- `evaluate`: takes qrels, runs and measures, returns an `Evaluation`; all analyses start here.
- `evaluation`: the values with their means, tables, notes and figures.
- `run_evaluator`: the values of one run after the other over qrels that are read once.
- `runs_ahead`: a thread that begins to read the next run.
- `jobs`, `workers`: runs in files, read by several processes.
- `at_ranks`: the values of a measure with the cutoff at every rank.
- `named`: qrels and runs, with the names that messages and tables use.
- `evaluators`: which provider of ir-measures computes which measure, and what gdeval reads.
- `batches`: values of batches of topics as Arrow tables, for engines that distribute topics.
- `sessions`: several topics with one value.
- `values`: tables of values that were computed before; `value_columns` names their columns.
- `counting`, `weights`: which topics count in means, and how much.
- `remarks`, `near_ids`: what is unusual, and ids that nearly match.
"""
