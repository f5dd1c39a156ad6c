"""The reduction of a run: where it put the judged documents, which is all that a measure can see.

- `judged`: the qrels, read once: levels, gains and ideal lists of all topics.
- `ranks`: a run that meets them: ranks and tie groups of the judged documents.
- `order`: trec_eval's order of a run, and its tied documents.
- `gains`: what a document of each level is worth.
"""
