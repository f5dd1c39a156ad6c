"""One topic from the levels of a list."""

Documents = dict[str, dict[str, float]]


def ranked(levels, **judged) -> tuple[Documents, Documents]:
    """Qrels and a run that lists documents of these levels, None unjudged, and not the `judged`."""
    levels_of_listed = {f"d{rank}": level for rank, level in enumerate(levels) if level is not None}
    scores = {f"d{rank}": -float(rank) for rank in range(len(levels))}
    return {"q": {**levels_of_listed, **judged}}, {"q": scores}


def value(measure, levels, **judged) -> float:
    """The value of a measure for `ranked`."""
    return measure.calc_aggregate(*ranked(levels, **judged))
