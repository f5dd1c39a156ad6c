"""Plugins with measures; each plugin is admitted or skipped independently of the others.

Our own measures are admitted at import, those of other installed distributions when they are first
needed (`load`). A plugin that cannot be used is skipped with one warning. With ``off`` as the
environment variable ``IR_MEASURES_GRADED_PLUGINS``, no plugin is loaded.
"""

import keyword
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

import ir_measures

from ...errors import GradedError, shown
from ..measures.base import EXTREMES, GradedMeasure
from ..measures.parameters import Parameter
from . import names

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

VARIABLE = "IR_MEASURES_GRADED_PLUGINS"
GROUP = "ir_measures_graded"
"""The group of the entry points of plugins."""


class PluginWarning(UserWarning):
    """A plugin was skipped; the message names its distribution, version and the reason."""


class Plugin:
    """A plugin that was found: its distribution, its measures and, if rejected, the reason."""

    def __init__(
        self,
        name: str,
        distribution: str,
        version: str,
        measures: tuple[GradedMeasure, ...] = (),
        problem: str = "",
    ):
        self.name = name
        self.distribution = distribution
        self.version = version
        self.measures = measures
        self.problem = problem

    @property
    def status(self) -> str:
        return f"skipped: {self.problem}" if self.problem else "loaded"


_met: list[Plugin] = []
trials: list[Callable[[GradedMeasure], str]] = []
"""Functions that return the reason why a plugin's measure is wrong, or an empty string."""
_state = {"loaded": False}
_MAY_SEARCH: ContextVar[bool] = ContextVar("plugins may be looked for", default=True)
_LOADING = threading.RLock()
"""Other threads wait until all plugins are admitted."""


def admit_own(version: str, when_needed: bool = False) -> None:
    """Register the built-in measures, at once or when all are needed. A reload of the package has
    no effect.
    """
    if _met:
        return
    own = Plugin("measures", "ir-measures-graded", version)
    _met.append(own)

    def register_built_in() -> None:
        own.measures = tuple(names.built_in())
        for measure in own.measures:
            names.register(measure)

    if when_needed:
        names.register_when_needed(register_built_in)
    else:
        register_built_in()


def own_version() -> str:
    """The version of this package."""
    return _met[0].version


def _admit(entry: "EntryPoint", distribution: str, version: str) -> None:
    """Register the plugin of an entry point, with all of its measures or with none."""
    measures: tuple[GradedMeasure, ...] = ()
    try:
        from .hooks import measures_of  # imports pluggy, which takes time

        measures = measures_of(entry.load(), f"{distribution}:{entry.name}")
        problem = next(_problems(measures), "")
    except (Exception, SystemExit) as error:  # a plugin may raise anything
        problem = str(error)
        if not isinstance(error, GradedError):
            problem = f"{type(error).__name__}: {error}"
    if problem:
        measures = ()
    for measure in measures:
        names.register(measure)
    problem_in_one_line = " ".join(problem.split())
    _met.append(Plugin(entry.name, distribution, version, measures, problem_in_one_line))


def register(measure: GradedMeasure | type[GradedMeasure]) -> GradedMeasure:
    """Register a measure for this process, without a plugin, and return it.

    A class stands for its measure, so ``@register`` may stand above it. The name and the aliases
    are then known in measure strings, in all functions that take them and in PyTerrier. If a cell
    of a notebook defines the class again, the new measure replaces the old one.

    Raises `GradedError` as a plugin is skipped: if another measure has one of the names, or if a
    fact or an option of the measure is wrong.

    >>> from ir_measures_graded import TopicMeasure, parse_measure
    >>> @register
    ... class First(TopicMeasure):
    ...     def value(self, topic):
    ...         return topic.gains[0] if topic.retrieved else 0
    >>> First@5
    First@5
    >>> parse_measure("First(gains=exp)").calc_aggregate({"q": {"a": 2}}, {"q": {"a": 1.0}})
    3.0
    """
    load()
    made: Any = measure
    if isinstance(made, type) and issubclass(made, GradedMeasure):
        made = made()
    problem = next(_problems((made,)), "")
    if problem:
        raise GradedError(problem)
    names.register(made)
    return made


def are_off() -> bool:
    """Whether the plugins of other distributions are switched off."""
    mode = os.environ.get(VARIABLE, "")
    if mode not in ("", "off"):
        raise GradedError(f"{VARIABLE}={mode!r} is not allowed; it is 'off' or unset")
    return mode == "off"


@contextmanager
def without_search() -> Iterator[None]:
    """Do not look for plugins in this block, which takes time."""
    token = _MAY_SEARCH.set(False)
    try:
        yield
    finally:
        _MAY_SEARCH.reset(token)


def load() -> None:
    """Admit the plugins of all installed distributions; only the first call looks for them."""
    if not _MAY_SEARCH.get():
        return
    names.registry()
    with _LOADING:
        if _state["loaded"] or are_off():
            return
        _state["loaded"] = True  # a plugin that is loaded may call this
        if _may_be_installed():
            from importlib.metadata import entry_points  # This import takes time.

            entries = list(entry_points(group=GROUP))
            entries.sort(key=_distribution_and_name)
            for entry in entries:
                _admit(entry, *_distribution(entry))
    for plugin in _met:
        if plugin.problem:
            origin = f"{plugin.distribution} {plugin.version}"
            message = f"plugin {plugin.name!r} of {origin} is skipped: {plugin.problem}"
            warnings.warn(message, PluginWarning, stacklevel=2)


def _may_be_installed() -> bool:
    """Whether a distribution may have a plugin, which few environments have.

    The folders on Python's path are searched here, because the import of `importlib.metadata` takes
    15 ms. Finders of other packages may find distributions elsewhere.
    """
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            return True
    return any(map(_may_have_plugin, sys.path))


def _may_have_plugin(folder: str) -> bool:
    """Whether a distribution in a folder has entry points of our group, or the folder is none, such
    as an archive.
    """
    try:
        names_of_files = os.listdir(folder or ".")
    except NotADirectoryError:
        return True
    except OSError:
        return False
    section = f"[{GROUP}]".encode()
    for name in names_of_files:
        if name.lower().endswith(("dist-info", "egg-info")):
            path = os.path.join(folder, name, "entry_points.txt")
            with suppress(OSError), open(path, "rb") as file:
                if section in file.read():
                    return True
    return False


def _distribution_and_name(entry: "EntryPoint") -> tuple[str, str]:
    """The key by which plugins are sorted."""
    return _distribution(entry)[0], entry.name


def plugins() -> list[Plugin]:
    """All plugins, our own first."""
    load()
    return list(_met)


def origin(measure: ir_measures.Measure) -> str:
    """The distribution and version that a measure comes from, in words."""
    names.registry()
    for plugin in _met:
        if any(type(brought) is type(measure) for brought in plugin.measures):
            return f"{plugin.distribution} {plugin.version}"
    package = type(measure).__module__.partition(".")[0]
    return package.replace("_", "-") if package.startswith("ir_measures") else "user code"


def _distribution(entry: "EntryPoint") -> tuple[str, str]:
    """The name and version of the distribution that an entry point belongs to."""
    metadata: Any = entry.dist.metadata if entry.dist else {}
    return metadata.get("Name") or "an unknown distribution", metadata.get("Version") or "?"


def _problems(measures: tuple[Any, ...]) -> Iterator[str]:
    """The reasons why the measures of a plugin cannot all be registered."""
    if not measures:
        yield "graded_measures returned no measure"
    claimed: set[str] = set()
    for measure in measures:
        yield from _problems_of_class(measure)
        yield from _problems_of_names(measure, claimed)
        claimed |= {measure.NAME, *measure.ALIASES}
        yield from _problems_of_parameters(measure)
        yield from filter(None, (trial(measure) for trial in trials))


def _problems_of_class(measure: Any) -> Iterator[str]:
    if not isinstance(measure, GradedMeasure):
        yield f"{shown(measure)} is not an instance of GradedMeasure or TopicMeasure"
    if measure.params:
        plain = f"{type(measure).__name__}()"
        yield f"{measure} has parameters; register it with its defaults, {plain}"
    unknown_ties = set(measure.TIES) - {"mean", *EXTREMES}
    if unknown_ties:
        declared = f"{measure.NAME} declares TIES = {measure.TIES!r}"
        yield f"{declared}; give some of 'mean', 'min' and 'max'"


def _problems_of_names(measure: GradedMeasure, claimed: set[str]) -> Iterator[str]:
    """`claimed` are the names of the plugin's measures before this one."""
    all_names = (measure.NAME, *measure.ALIASES)
    for place, name in enumerate(all_names):
        if not _can_be_written(name):
            yield f"{type(measure).__name__} has the name {name!r}, which is not an identifier"
        if name == names.OFFICIAL:
            yield f"the name {name!r} stands for the measures of a collection"
        holder = names.holder(name, measure)
        if holder is not None:
            yield f"the name {name!r} is taken by {origin(holder)}"
        if name in claimed or name in all_names[:place]:
            yield f"it claims the name {name!r} twice"


def _problems_of_parameters(measure: GradedMeasure) -> Iterator[str]:
    for name, parameter in measure.PARAMETERS.items():
        if not _can_be_written(name) or name == "self" or not isinstance(parameter, Parameter):
            where = f"parameter {name!r} of {measure.NAME}"
            yield f"{where} is not a Parameter of ir_measures_graded"
        if measure.SUPPORTED_PARAMS[name] is not parameter:
            yield f"parameter {name!r} of {measure.NAME} replaces one that every measure has"


def _can_be_written(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)
