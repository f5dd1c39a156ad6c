"""Other frameworks, one module each: what makes graded measures available there."""
