"""The texts of a figure as they are drawn: where they stand, and which overlap or are cut."""

from unittest.mock import patch

import numpy as np

LEAST_SIZE = 7.0
TOLERANCE = 1.0
"""Boxes that share at most so many pixels do not overlap."""


def drawn_texts(figure):
    """Every text that is drawn, with its box in pixels; labels of ticks out of view are not."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    texts = []

    def recorded(text, renderer):  # drawing the letters would take most of the time
        if text.get_visible() and text.get_text().strip():
            texts.append(text)

    canvas = FigureCanvasAgg(figure)
    with patch.object(Text, "draw", recorded):
        canvas.draw()
    return [(text, text.get_window_extent(canvas.get_renderer())) for text in texts]


def problems(figure):
    """A sentence on each text that is cut, too small, or overlaps with another."""
    texts = drawn_texts(figure)
    sentences = []
    width, height = figure.get_size_inches() * figure.dpi
    for text, box in texts:
        name = text.get_text()
        is_below = box.x0 < -0.5 or box.y0 < -0.5
        is_above = box.x1 > width + 0.5 or box.y1 > height + 0.5
        if is_below or is_above:
            sentences.append(f"{name!r} is cut")
        if text.get_size() < LEAST_SIZE:
            sentences.append(f"{name!r} has {text.get_size()} pt")
    if not texts:
        return sentences
    low = np.array([[box.x0, box.y0] for _, box in texts])
    high = np.array([[box.x1, box.y1] for _, box in texts])
    shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    overlaps = np.triu((shared > TOLERANCE).all(axis=2), 1)
    names = [text.get_text() for text, _ in texts]
    for one, other in np.argwhere(overlaps).tolist():
        sentences.append(f"{names[one]!r} overlaps {names[other]!r}")
    return sentences
