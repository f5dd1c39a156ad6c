"""A run reduced to the ranks of its judged documents, on which all measures depend. All data are
arrays.

- `judged`: the levels, gains and ideal lists of all topics.
- `ranks`: the ranks and tie groups of the judged documents in a run.
- `order`: trec_eval's order of a run, and the order of tied documents.
- `gains`: the gain of a document at each level.
"""
