"""Checks of arguments before the extension module sees them."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Union

from ._tabiya import Error

#: A path of the file system.
PathLike = Union[str, "os.PathLike[str]"]

#: A recipe or a network: its path or name, or its content as a table.
Described = Union[PathLike, Mapping[str, Any]]


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number from ``least``."""
    # NumPy's integers are fine; booleans and fractions are mistakes.
    number = None if isinstance(value, bool) or not hasattr(value, "__index__") else int(value)
    if number is None or not least <= number < 2**63:
        raise Error(f"{name}: found {value!r}, expected a whole number from {least}")
    return number


def path(name: str, value: Any) -> str:
    """A path as a string."""
    try:
        text = os.fspath(value)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise Error(f"{name}: found {type(value).__name__}, expected a path")
    return text


def optional_path(name: str, value: Any) -> Optional[str]:
    """A path as a string, or nothing."""
    return None if value is None else path(name, value)


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
