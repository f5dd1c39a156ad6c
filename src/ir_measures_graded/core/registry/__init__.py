"""Measures by name: registration, plugins and measure strings.

- `names`: ir-measures' registry of measures, which this package adds to.
- `hooks`, `plugins`, `built_in`: the pluggy hook, the plugins that implement it, our own measures.
- `install`: adds our provider and our parser to ir-measures.
- `notation`: turns measure strings into measures; `listing`: describes measures in words.
"""
