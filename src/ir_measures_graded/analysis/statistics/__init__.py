"""Statistics of arrays of values (runs × topics): no run, no qrels and no measure is read here.

- `defaults`: the default levels, the fewest topics, and the words for the correction and the stars.
- `precision`: which differences are rounding errors, and sums of squares that stay within the
  floats.
- `corrections`: Holm's and other corrections of p-values for several tests.
- `primary`: the primary procedure, paired t-tests of a family of pairs.
- `noninferiority`: the one-sided tests of the gate, and the topics that they need.
- `student`: Student's t, its intervals, its power, and tests of means over several collections.
- `resampling`: the bootstrap, resampled topics, and the randomisation tests.
- `tests`: the other tests.
- `levels`: the agreement of two judges on levels.
- `orders`: the agreement of two orders of runs.
- `options`: checks of options, and imports of the extra ``stats``.
"""
