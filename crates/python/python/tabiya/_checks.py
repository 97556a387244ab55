"""Checks of arguments before the extension module sees them."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Callable, Mapping, Optional, Tuple, TypeVar, Union

from ._tabiya import Error

#: A path of the file system.
PathLike = Union[str, "os.PathLike[str]"]

#: A recipe or a network: its path or name, or its content as a table.
Described = Union[PathLike, Mapping[str, Any]]


#: The largest whole number unless an argument has its own.
MOST = 2**63 - 1

#: The largest rating.
MOST_RATING = 2**16 - 1

#: The largest number of moves, plies or games.
MOST_COUNT = 2**32 - 1

_Checked = TypeVar("_Checked")


def optional(check: Callable[..., _Checked], name: str, value: Any, *limits: Any) -> Optional[_Checked]:
    """The value as ``check`` returns it, or nothing."""
    return None if value is None else check(name, value, *limits)


def whole(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """A whole number from ``least`` to ``most``."""
    # NumPy's integers are fine; booleans and fractions are mistakes.
    found = None if isinstance(value, bool) or not hasattr(value, "__index__") else int(value)
    if found is None or not least <= found <= most:
        end = "" if most == MOST and (found is None or found < least) else f" to {most}"
        raise Error(f"{name}: found {value!r}, expected a whole number from {least}{end}")
    return found


def number(name: str, value: Any, least: Optional[float] = None) -> float:
    """A finite number, from ``least`` if that is given."""
    try:
        found = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found) or (least is not None and found < least):
        start = "" if least is None else f" from {least:g}"
        raise Error(f"{name}: found {value!r}, expected a number{start}")
    return found


def several(name: str, value: Any, meaning: str, count: int) -> Tuple[Any, ...]:
    """``count`` values; ``meaning`` describes them in the error message."""
    if isinstance(value, str) or not hasattr(value, "__iter__") or len(found := tuple(value)) != count:
        raise Error(f"{name}: found {value!r}, expected {meaning}")
    return found


def text(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise Error(f"{name}: found {value!r}, expected a text")
    return value


def ratings(value: Any) -> Tuple[Optional[int], Optional[int]]:
    """Elo of White and Black, each of which may be unknown."""
    white, black = several("ratings", value, "those of White and Black", 2)
    return optional(whole, "ratings", white, 0, MOST_RATING), optional(whole, "ratings", black, 0, MOST_RATING)


def path(name: str, value: Any) -> str:
    """A path as a string."""
    try:
        text = os.fspath(value)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise Error(f"{name}: found {type(value).__name__}, expected a path")
    return text


def described(name: str, value: Any) -> str:
    """A recipe, network or encoding as the extension module takes it: a name or path, or a table as JSON."""
    if isinstance(value, Mapping):
        try:
            return json.dumps(value)
        except TypeError as error:
            raise Error(f"{name}: {error}, expected tables, lists, texts, numbers and truths") from None
    for attribute in ("net", "spec"):
        # A Network has a name, a module of tabiya.torch a specification.
        found = getattr(value, attribute, None)
        if isinstance(found, (str, Mapping)):
            return described(name, found)
    return path(name, value)
