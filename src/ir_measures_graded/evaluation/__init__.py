"""Runs against qrels: one value per topic, run and measure.

- `evaluate`: qrels, runs and measures in, an `Evaluation` out; everything above starts here.
- `provider`: the ir-measures provider, which reduces a run and calls the measures.
- `trec_eval`: ir-measures' standard measures from the same reduction, equal to the last bit.
- `processes`: several runs by several worker processes.
"""
