"""The hook by which a distribution brings graded measures: the reference for plugin authors.

A plugin is a module (or object) named by an entry point of the group ``ir_measures_graded``::

    [project.entry-points.ir_measures_graded]
    my_measures = "my_package.measures"

It implements the hook below under the marker `hookimpl`::

    from ir_measures_graded import hookimpl

    @hookimpl
    def graded_measures():
        return [RHL]
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from ..measures.base import GradedMeasure

PROJECT = "ir_measures_graded"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def graded_measures() -> Iterable[GradedMeasure]:
    """The measures that the plugin brings: instances of subclasses of `GradedMeasure` (all topics
    at once) or `TopicMeasure` (one topic at a time), with their default parameters.

    Called once, with no arguments, when measures are first listed or a name is not known yet. The
    measures are then known by `NAME` and each of `ALIASES` in ir-measures, PyTerrier and on the
    command line. A name that is already taken, by ir-measures, by this package or by a plugin that
    was loaded before, makes the plugin be skipped with a warning.
    """
    raise NotImplementedError
