"""Statistics of arrays of values (runs × topics): no run, no qrels and no measure is read here.

- `paired`: the primary procedure, paired t-tests of a family of pairs, and the effects that topics can show.
- `significance`: the other tests, and Holm's correction.
- `intervals`: confidence intervals of means, and tests of means over several collections.
- `options`: checks of options, and imports of the extra ``stats``.
"""
