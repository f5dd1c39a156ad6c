"""Graded measures in other frameworks, one module per framework."""
