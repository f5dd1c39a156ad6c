"""Runs against qrels: one value for each topic, run and measure.

- `evaluate`: takes qrels, runs and measures, returns an `Evaluation`; all analyses start here.
- `named`: qrels and runs, with the names that messages and tables use.
- `evaluators`: which provider of ir-measures computes which measure, and checks of what gdeval reads.
- `reduction`: a run reduced to the ranks of its judged documents; the only module with ids and ranks.
- `provider`: our provider, which reduces a run and calls the measures.
- `trec_eval`: ir-measures' standard measures from the same reduction, equal to the last bit.
- `batches`: values of batches of topics as Arrow tables, for engines that distribute topics.
- `arrays`: labels, scores and groups without ids; `sessions`: several topics with one value.
- `values`, `groups`: tables of values that were computed before; groups of topics.
- `remarks`: what is unusual; `trial`: of a plugin's measure.
"""
