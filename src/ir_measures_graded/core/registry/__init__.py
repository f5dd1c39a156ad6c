"""Measures by name: registration, plugins and measure strings.

- `names`: ir-measures' registry of measures, and our own measures, which this package adds to it.
- `hooks`, `plugins`: the pluggy hook, and the plugins that implement it.
- `install`: adds our provider and our parser to ir-measures.
- `notation`: turns measure strings into measures; `listing`: describes measures in words.
"""
