"""Graded measures in other frameworks, one module for each framework."""
