"""The hook through which a distribution adds graded measures: the reference for plugin authors.

A plugin is a module (or object) named by an entry point of the group ``ir_measures_graded``::

    [project.entry-points.ir_measures_graded]
    my_measures = "my_package.measures"

It implements the hook below and marks the function with `hookimpl`::

    from ir_measures_graded import hookimpl

    @hookimpl
    def graded_measures():
        return [RHL]
"""

import sys
from collections.abc import Iterable
from typing import Any

import pluggy

from ...errors import GradedError
from ..measures.base import GradedMeasure

PROJECT = "ir_measures_graded"
API = 1
"""The version of the hook and of the base classes. A plugin may name the one that it is made for,
as `HOOK_API` in its module. A plugin of another version is skipped."""
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def graded_measures() -> Iterable[GradedMeasure]:
    """The measures of the plugin: instances of subclasses of `GradedMeasure` (all topics at once)
    or `TopicMeasure` (one topic at a time), with their default parameters.

    The hook is called once, without arguments, when measures are first listed or a name is not
    known yet. The measures are then known by `NAME` and `ALIASES` in ir-measures' Python API, in
    PyTerrier and on the command line of this package. If ir-measures, this package or an earlier
    plugin already uses one of the names, the whole plugin is skipped with a warning.
    """
    raise NotImplementedError


def measures_of(plugin: object, name: str) -> tuple[Any, ...]:
    """What the hook of a plugin returns. Raises `GradedError` if the plugin does not fit the
    hook.
    """
    made_for = getattr(plugin, "HOOK_API", API)
    if made_for != API:
        raise GradedError(
            f"it is made for version {made_for!r} of the hook, and this package has version {API}; "
            "install releases of both that fit"
        )
    manager = pluggy.PluginManager(PROJECT)  # one for each plugin, so that none affects another
    manager.add_hookspecs(sys.modules[__name__])
    try:
        manager.register(plugin, name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise GradedError(str(error)) from None
    if not manager.get_hookcallers(plugin):
        raise GradedError("it implements no hook; mark graded_measures with @hookimpl")
    results = manager.hook.graded_measures()  # one for each plugin with a result; here at most one
    measures = results[0] if results else None
    if not isinstance(measures, Iterable):
        raise GradedError(f"graded_measures returned {measures!r}, not a list of measures")
    return tuple(measures)
