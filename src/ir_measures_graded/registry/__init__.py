"""Measures by name: which there are, where they come from, and how a string names one.

- `names`: ir-measures' registry, which ours share; `install`: adds this package to ir-measures.
- `hooks`, `plugins`, `built_in`: the pluggy hook, the distributions that implement it, our own measures.
- `notation`: measure strings to measures; `listing`: measures described in words.
"""
