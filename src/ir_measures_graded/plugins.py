"""Measures are brought by plugins, ours and everyone's, each admitted or refused by itself.

Our own come at import, those of installed distributions when first needed: `load`. A plugin that
cannot be used is skipped with one warning; the environment variable ``IR_MEASURES_GRADED_PLUGINS``
makes that an error (``strict``) or loads no plugin at all (``off``).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import ir_measures
import pluggy

from . import hooks, registration
from .errors import GradedError
from .measure import GradedMeasure
from .parameters import Parameter

VARIABLE = "IR_MEASURES_GRADED_PLUGINS"


class PluginWarning(UserWarning):
    """A plugin was skipped; the message names its distribution, version and the reason."""


@dataclass(frozen=True)
class Plugin:
    """A plugin that was met: where it comes from, what it brought, and why not, if not."""

    name: str
    distribution: str
    version: str
    measures: tuple[GradedMeasure, ...] = ()
    problem: str = ""

    @property
    def status(self) -> str:
        return f"skipped: {self.problem}" if self.problem else "loaded"


_manager = pluggy.PluginManager(hooks.PROJECT)
_manager.add_hookspecs(hooks)
_met: list[Plugin] = []
_state = {"loaded": False}


def admit(name: str, distribution: str, version: str, get: Callable[[], object]) -> Plugin:
    """Register the plugin that `get` returns and its measures; all of it or nothing."""
    try:
        measures = _measures_of(get(), name)
        for measure in measures:
            registration.register(measure)
        plugin = Plugin(name, distribution, version, measures)
    except (Exception, SystemExit) as error:  # whatever other people's code does
        reason = str(error) if isinstance(error, _Unusable) else f"{type(error).__name__}: {error}"
        plugin = Plugin(name, distribution, version, problem=reason)
        _manager.set_blocked(name)
    _met.append(plugin)
    return plugin


def load() -> None:
    """Admit the plugins of all installed distributions; only the first call does anything."""
    mode = os.environ.get(VARIABLE, "")
    if mode not in ("", "off", "strict"):
        raise GradedError(f"{VARIABLE}={mode!r} is not allowed; it is 'off', 'strict' or unset")
    if _state["loaded"]:
        return
    _state["loaded"] = True
    if mode == "off":
        return
    from importlib.metadata import entry_points  # not for free, and not always needed

    for entry in sorted(entry_points(group=hooks.PROJECT), key=lambda entry: entry.name):
        distribution = entry.dist.name if entry.dist else "an unknown distribution"
        version = entry.dist.version if entry.dist else "?"
        plugin = admit(entry.name, distribution, version, entry.load)
        if plugin.problem:
            message = f"plugin {entry.name!r} of {distribution} {version} is skipped: {plugin.problem}"
            if mode == "strict":
                raise GradedError(message)
            warnings.warn(message, PluginWarning, stacklevel=2)


def plugins() -> list[Plugin]:
    """All plugins met, our own first."""
    load()
    return list(_met)


def origin(measure: ir_measures.Measure) -> str:
    """The distribution and version that a measure comes from, for messages and lists."""
    for plugin in _met:
        if any(type(brought) is type(measure) for brought in plugin.measures):
            return f"{plugin.distribution} {plugin.version}"
    return "ir-measures" if type(measure).__module__.startswith("ir_measures.") else "user code"


class _Unusable(Exception):
    """The reason why a plugin is skipped, in words."""


def _measures_of(plugin: object, name: str) -> tuple[GradedMeasure, ...]:
    """What a plugin's hook returns, checked; the plugin is registered with pluggy on the way."""
    try:
        _manager.register(plugin, name)
        _manager.check_pending()
        if not _manager.get_hookcallers(plugin):
            raise _Unusable("it implements no hook; mark graded_measures with @hookimpl")
        others = [other for other in _manager.get_plugins() if other is not plugin]
        caller = _manager.subset_hook_caller("graded_measures", remove_plugins=others)
        measures = tuple(measure for brought in caller() for measure in brought)
        for measure in measures:
            _check(measure)
    except BaseException as error:
        if _manager.is_registered(plugin):
            _manager.unregister(plugin)
        if isinstance(error, pluggy.PluginValidationError):
            raise _Unusable(str(error)) from error
        raise
    return measures


def _check(measure: object) -> None:
    """Raise where something is not a measure that can be registered."""
    if not isinstance(measure, GradedMeasure):
        raise _Unusable(f"{measure!r} is no instance of GradedMeasure or TopicMeasure")
    for name in (measure.NAME, *measure.ALIASES):
        if not isinstance(name, str) or not name.isidentifier():
            raise _Unusable(f"{type(measure).__name__} has the name {name!r}, which no string can name")
        if registration.taken(name, measure):
            holder = origin(registration.registry()[name])
            raise _Unusable(f"the name {name!r} is taken by {holder}")
    for name, parameter in measure.PARAMETERS.items():
        if not isinstance(parameter, Parameter):
            raise _Unusable(f"parameter {name!r} of {measure.NAME} is no ir_measures_graded Parameter")
