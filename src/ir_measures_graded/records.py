"""Dataclasses and named tuples whose classes take little time to make.

The `dataclass` of the standard library compiles the methods of each class. This takes up to a
millisecond, and a command imports dozens of such classes. Here, the methods are closures over the
names of the fields, so nothing is compiled. They do the same, and all else is the work of the
standard library. Its `__init__` is faster and thus takes over in a class of many objects.

The `NamedTuple` of the standard library looks at the type of each field, and compiles it first if
it is text, as it is in most of our modules. Ours takes the types as they are.
"""

import dataclasses
import inspect
import sys
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

OFTEN = 50
"""The number of objects after which the class gets the `__init__` of the standard library."""

Fields = Sequence["dataclasses.Field[Any]"]


def _dataclass(
    cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True
) -> Any:
    """The decorator of a class, with these parameters of the standard one.

    >>> @_dataclass(frozen=True)
    ... class Point:
    ...     "A point."
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(x=1, y=0), hash(Point(1)) == hash((1, 0))
    (Point(x=1, y=0), True, True)
    >>> dataclasses.replace(Point(1), y=2)
    Point(x=1, y=2)
    >>> inspect.signature(Point)
    <Signature (x: int, y: int = 0) -> None>
    >>> Point()
    Traceback (most recent call last):
    TypeError: Point.__init__() missing 1 required positional argument: 'x'
    """

    def made(cls: type) -> type:
        # The standard library checks what a class inherits.
        inherits = any(dataclasses.is_dataclass(base) for base in cls.__bases__)
        frozen_by_base = frozen and inherits
        dataclasses.dataclass(init=False, repr=False, eq=False, frozen=frozen_by_base)(cls)
        _add_methods(cls, frozen, eq, repr)
        return cls

    if cls is None:
        return made
    return made(cls)


class _NamedTuples(type):
    """Makes a named tuple of a class, as that of the standard library does."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        fields = namespace["__annotations__"]
        defaults = [namespace[field] for field in fields if field in namespace]
        module = namespace["__module__"]
        made: Any = namedtuple(name, fields, defaults=defaults, module=module)  # type: ignore[misc]
        made.__new__.__annotations__ = fields  # the signature shows them
        for member, value in namespace.items():
            if member not in fields and member not in ("__module__", "__dict__", "__weakref__"):
                setattr(made, member, value)
        return made


class _NamedTuple(metaclass=_NamedTuples):
    """The base class in a declaration of a named tuple.

    >>> class Range(_NamedTuple):
    ...     "A range."
    ...     first: "int"
    ...     last: "int" = 9
    ...     def size(self):
    ...         return self.last - self.first + 1
    >>> Range(2), Range(2).size(), Range(2)._replace(last=3), Range.__annotations__
    (Range(first=2, last=9), 8, Range(first=2, last=3), {'first': 'int', 'last': 'int'})
    """


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from typing import NamedTuple as NamedTuple
elif sys.version_info >= (3, 14):  # where types are not evaluated
    from typing import NamedTuple

    dataclass = _dataclass
else:
    NamedTuple = _NamedTuple
    dataclass = _dataclass


def _add_methods(cls: Any, frozen: bool, eq: bool, repr: bool) -> None:
    """Add the methods to a dataclass, but for those that the class defines itself."""
    fields = dataclasses.fields(cls)
    init = _init(cls, fields)
    methods: dict[str, Any] = {"__init__": init, "__signature__": _Signature(init)}
    if repr:
        methods["__repr__"] = _repr([field.name for field in fields if field.repr])
    if eq:
        values_of = _getter([field.name for field in fields if field.compare])
        methods["__eq__"] = _eq(values_of)
        methods["__hash__"] = None
        if frozen:
            methods["__hash__"] = _hash(values_of)
    if frozen:
        cls.__dataclass_params__.frozen = True  # the standard decorator looks at it in subclasses
        methods |= _refusals(cls, {field.name for field in fields})
    for name, method in methods.items():
        if name not in vars(cls):
            setattr(cls, name, method)


def _init(cls: Any, fields: Fields) -> Callable[..., None]:
    """The method `__init__`."""
    names = {field.name for field in fields if field.init}
    positional = [field.name for field in fields if field.init and not field.kw_only]
    start: dict[str, Any] = {}  # keeps the attributes in the order of the fields
    factories: dict[str, Any] = {}  # MISSING for a field without a default
    for field in fields:
        if field.init or field.default_factory is not MISSING:
            start[field.name] = field.default
            if field.default is MISSING:
                factories[field.name] = field.default_factory
    is_finished = not hasattr(cls, "__post_init__")

    objects_made = 0

    def __init__(self: Any, /, *values: Any, **named: Any) -> None:
        nonlocal objects_made
        objects_made += 1
        if objects_made == OFTEN:
            cls.__init__ = _standard(cls).__init__
        attributes = self.__dict__
        attributes.update(start)
        attributes.update(zip(positional, values))  # noqa: B905, since values may be missing
        if named:
            attributes.update(named)
            if not named.keys() <= names or not named.keys().isdisjoint(positional[: len(values)]):
                _refuse(cls, values, named)
        if len(values) > len(positional):
            _refuse(cls, values, named)
        for name in factories:
            if attributes[name] is MISSING:
                if factories[name] is MISSING:
                    _refuse(cls, values, named)
                attributes[name] = factories[name]()
        if not is_finished:
            self.__post_init__()

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _standard(cls: Any) -> Any:
    """A subclass with the `__init__` of the standard library."""
    names = {"__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    subclass = type(cls.__name__, (cls,), names)
    frozen = cls.__dataclass_params__.frozen
    return dataclasses.dataclass(frozen=frozen, repr=False, eq=False)(subclass)


def _refuse(cls: type, values: Sequence[Any], named: dict[str, Any]) -> None:
    """Raise the `TypeError` of the standard library for the arguments of a class."""
    _standard(cls)(*values, **named)


class _Signature:
    """The signature of a class with the method `__init__` above; it is made when it is asked for.

    A subclass with another `__init__` has another signature, which Python finds by itself.
    """

    def __init__(self, init: Callable[..., None]):
        self.init = init

    def __get__(self, _: object, cls: Any) -> inspect.Signature | None:
        if cls.__init__ is not self.init:
            return None
        return inspect.signature(_standard(cls))


def _getter(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that returns a tuple of the attributes of these names."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _repr(names: Sequence[str]) -> Callable[[Any], str]:
    """The method `__repr__`."""

    @recursive_repr()
    def __repr__(self: Any) -> str:
        values = [f"{name}={getattr(self, name)!r}" for name in names]
        return f"{type(self).__qualname__}({', '.join(values)})"

    return __repr__


def _eq(values_of: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], bool]:
    """The method `__eq__`."""

    def __eq__(self: Any, other: Any) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return values_of(self) == values_of(other)

    return __eq__


def _hash(values_of: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    """The method `__hash__`."""

    def __hash__(self: Any) -> int:
        return hash(values_of(self))

    return __hash__


def _refusals(cls: Any, names: set[str]) -> dict[str, Callable[..., None]]:
    """The methods that refuse to change a frozen object."""

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}
