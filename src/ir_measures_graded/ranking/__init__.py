"""A run reduced to the ranks of its judged documents, on which all measures depend.

- `judged`: the levels, gains and ideal lists of all topics, from qrels that are read once.
- `ranks`: the ranks and tie groups of the judged documents in a run.
- `order`: trec_eval's order of a run, and the order of tied documents.
- `gains`: the gain of a document at each level.
"""
