"""Calls a function when another package has been imported, without importing that package.

Python asks the finders of `sys.meta_path` for each module that it imports. Ours knows one name, and
the finders behind it find the module.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class AfterImport:
    """A finder that calls a function whenever the package of a name has been executed.

    It stays in `sys.meta_path`, because a failed import can be repeated.
    """

    def __init__(self, name: str, call: Callable[[], object]) -> None:
        self.name = name
        self.call = call

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the finders behind this one have of the package, with a `CallingLoader`;
        None for any other module, which Python then asks these finders for.
        """
        if name != self.name:
            return None
        finders = list(sys.meta_path)
        if self not in finders:
            return None
        for finder in finders[finders.index(self) + 1 :]:
            find_spec = getattr(finder, "find_spec", None)
            if find_spec is None:  # Python skips such a finder too.
                continue
            spec: ModuleSpec | None = find_spec(name, path, target)
            if spec is None:
                continue
            if hasattr(spec.loader, "exec_module"):
                spec.loader = CallingLoader(spec.loader, self.call)  # type: ignore[assignment]
            return spec
        return None


class CallingLoader:
    """The loader of a package, which calls a function after the package has been executed.

    The package keeps its own loader, so nothing that is read through the package changes.
    """

    def __init__(self, loader: Any, call: Callable[[], object]) -> None:
        self.loader = loader
        self.call = call

    def __getattr__(self, name: str) -> Any:
        """Any other attribute of the loader, for callers that find the package without importing
        it.
        """
        if name == "loader":  # `copy` and `pickle` ask before they have set it.
            raise AttributeError(name)
        return getattr(self.loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module to execute; None for an ordinary one."""
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Execute the package, then call the function unless the package raises."""
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.call()
