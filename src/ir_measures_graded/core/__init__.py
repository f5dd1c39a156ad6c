"""What ir-measures gets: measures, rankings, ties and judgments, names, rows in memory, and the
provider."""
