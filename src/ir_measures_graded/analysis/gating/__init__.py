"""The gate: may a new system replace the old one?"""
