"""Weights files of networks that were trained elsewhere."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

import numpy as np

from . import _tabiya
from ._checks import PathLike, path, whole
from ._tabiya import Error

if TYPE_CHECKING:
    from .torch import Module

__all__ = ["save"]


def save(
    module: "Module",
    out: PathLike,
    *,
    name: Optional[str] = None,
    steps: int = 0,
    positions: int = 0,
    seconds: float = 0.0,
    data: str = "",
    metrics: Optional[Mapping[str, float]] = None,
    eight_bit: bool = False,
) -> None:
    """Writes the numbers of a module as a weights file, which :func:`tabiya.load`, engines and ``tabiya`` read.

    An existing file is replaced atomically. The tables of a sparse network are rounded to eight bits, as in all its files.

    :param module: from :func:`tabiya.torch.module`, on any device
    :param out: the file, ``.tabiya``
    :param name: name of the network; by default that of the file
    :param steps: steps of training, for the file's provenance
    :param positions: samples seen, likewise
    :param seconds: seconds of training, likewise
    :param data: ``Store.hash`` of the samples, likewise
    :param metrics: metrics of the last validation, by name, likewise
    :param eight_bit: keep weights as eight-bit integers with a step for each row, as ``tabiya net convert --eight-bit`` does: a quarter
        of the size
    :raises Error: for another ending, anything but such a module, a number that is not finite, a matrix of another shape than in the
        specification, and a file that cannot be written
    """
    spec, named = getattr(module, "spec", None), getattr(module, "matrices", None)
    if not isinstance(spec, dict) or named is None:
        raise Error(f"module: found {type(module).__name__}, expected one made by tabiya.torch.module")
    file = path("out", out)
    if not file.lower().endswith(".tabiya"):
        raise Error(f"out: found {file!r}, expected a file name that ends in .tabiya")
    provenance: Dict[str, Any] = {
        **module.provenance,
        "name": name or pathlib.PurePath(file).stem,
        "steps": whole("steps", steps),
        "positions": whole("positions", positions),
        "seconds": float(seconds),
        "data": data,
        "commit": "unknown",
        "hardware": _hardware(module),
        "metrics": {key: float(value) for key, value in (metrics or {}).items()},
    }
    matrices = []
    for matrix, numbers in named().items():
        array = numbers.detach().cpu().float().numpy()
        if array.ndim != 2:
            raise Error(f"module: matrix `{matrix}`: found {array.ndim} axes, expected 2")
        matrices.append((matrix, np.ascontiguousarray(array)))
    _tabiya.save_network(file, (json.dumps(spec), json.dumps(provenance)), matrices, bool(eight_bit))


def _hardware(module: "Module") -> str:
    """The device of a module, and the version of PyTorch."""
    import torch

    device = next(module.parameters()).device
    place = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    return f"{place}, PyTorch {torch.__version__}"
