"""Any module of PyTorch as an ONNX file that plays."""

from __future__ import annotations

import inspect
import io
import os
import warnings
from collections.abc import Mapping
from typing import Any, Dict, List, Optional

import torch
from torch import nn

from .. import _tabiya
from .._checks import PathLike, text
from .._checks import path as checked_path
from .._network import Network
from .._store import encode
from .._tabiya import Error
from ._module import Module, Outputs

__all__ = ["export"]

#: What the module answers before it is exported, and the file afterwards: both sides, and more than one position.
POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)

#: The meanings of a value's numbers (docs/formats.md), and how many it has.
VALUES = {"logits": 3, "probabilities": 3, "expected": 1, "pawns": 1}

#: The oldest version of the operators with layer normalisation.
OPERATORS = 17


def export(
    module: nn.Module,
    encoding: str,
    path: PathLike,
    *,
    moves: str = "lc0-1858",
    value: Optional[str] = None,
) -> None:
    """Writes any module of PyTorch as an ONNX file, which plays wherever a network is named.

    >>> tabiya.torch.export(module, "tabiya", "mine.onnx")  # doctest: +SKIP
    >>> tabiya.Engine("mine.onnx")  # doctest: +SKIP

    The module takes planes, float32 ``[n, channels, 8, 8]``, as :func:`tabiya.encode` gives them. It returns the policy and the
    value as a pair, as :class:`Outputs` or as a table with these keys, ``None`` for one that it lacks, or one of them alone. The
    policy is a logit for each index of ``moves``, ``[n, indices]``; the value is for the side whose view the encoding takes,
    ``[n, 3]`` or ``[n, 1]``. The module is exported as in ``eval()``. Needs the package ``onnx``.

    An existing file is replaced after the new one has been opened and run.

    :param module: on any device, with 32-bit parameters
    :param encoding: an input encoding of :func:`tabiya.encodings`
    :param path: the file, ``.onnx``
    :param moves: a move encoding of :func:`tabiya.encodings`
    :param value: ``logits`` of win, draw and loss (the default for three numbers), their ``probabilities``, the ``expected`` result
        from -1 to 1 (the default for one number) or ``pawns``; a module of :func:`tabiya.torch.module` has its own
    :raises Error: for an unknown encoding, outputs of another shape or that are not finite, a module that PyTorch cannot export, a
        graph that cannot be computed here, and a file that cannot be written
    """
    file = checked_path("path", path)
    if not file.lower().endswith(".onnx"):
        raise Error(f"path: found {file!r}, expected a file name that ends in .onnx")
    inputs, _, indices = _tabiya.encodings()
    _one_of("encoding", text("encoding", encoding), [name for name, *_ in inputs])
    _one_of("moves", text("moves", moves), dict(indices))
    if value is not None:
        _one_of("value", text("value", value), VALUES)
    if not isinstance(module, nn.Module):
        raise Error(f"module: found {type(module).__name__}, expected a module of PyTorch")
    if isinstance(module, Module):
        value = "probabilities"
    parameter = next(module.parameters(), torch.empty(0))
    planes = torch.from_numpy(encode(POSITIONS, encoding, moves=moves).planes).to(parameter.device)
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        found = _answers(module, planes, dict(indices)[moves])
        metadata = {"tabiya.input": encoding}
        if "policy" in found:
            metadata["tabiya.moves"] = moves
        if "value" in found:
            metadata["tabiya.value"] = _form(found["value"], value)
        content = _graph(module, planes, list(found), metadata)
    finally:
        for part, was_training in modes:
            part.training = was_training
    _write(content, file)


def _one_of(name: str, found: str, known: Any) -> None:
    if found not in known:
        raise Error(f"{name}: found {found!r}, expected one of {', '.join(known)}")


class _Parts(nn.Module):
    """A module whose outputs are the heads that it has, in the order policy, value."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def heads(self, planes: torch.Tensor) -> List[Any]:
        """Policy and value, or one that stands alone."""
        outputs = self.module(planes)
        if isinstance(outputs, Outputs):
            value = outputs.value
            if value is not None and isinstance(self.module, Module):
                value = self.module.wdl(value)
            return [outputs.policy, value]
        if isinstance(outputs, torch.Tensor):
            return [outputs]
        if isinstance(outputs, Mapping):
            return [outputs.get("policy"), outputs.get("value")]
        if isinstance(outputs, (tuple, list)) and len(outputs) == 2:
            return list(outputs)
        raise Error(f"module: found an answer of type {type(outputs).__name__}, expected policy and value")

    def forward(self, planes: torch.Tensor) -> Any:
        return tuple(part for part in self.heads(planes) if part is not None)


def _answers(module: nn.Module, planes: torch.Tensor, indices: int) -> Dict[str, torch.Tensor]:
    """The outputs of the heads that a module has, by name, checked against the shapes that they must have."""
    try:
        with torch.no_grad():
            heads = _Parts(module).heads(planes)
    except Error:
        raise
    except Exception as error:  # whatever the module's own code raises
        raise Error(f"module: it cannot read planes float32 {list(planes.shape)}: {error}") from error
    names = ["policy", "value"]
    if len(heads) == 1:
        names = ["policy" if heads[0].shape[1:] == (indices,) else "value"]
    found = {name: head for name, head in zip(names, heads) if head is not None}
    if not found:
        raise Error("module: found neither a policy nor a value among its outputs")
    for name, head in found.items():
        widths = (indices,) if name == "policy" else (3, 1)
        expected = " or ".join(f"[{len(planes)}, {width}]" for width in widths)
        if not isinstance(head, torch.Tensor):
            raise Error(f"module: {name}: found {type(head).__name__}, expected a tensor {expected}")
        if head.dim() != 2 or len(head) != len(planes) or head.shape[1] not in widths:
            alone = f", or a policy [{len(planes)}, {indices}]" if len(heads) == 1 else ""
            raise Error(f"module: {name}: found {list(head.shape)}, expected {expected}{alone}")
        if head.dtype != torch.float32:
            raise Error(f"module: {name}: found numbers of type {head.dtype}, expected torch.float32")
        if not bool(head.isfinite().all()):
            raise Error(f"module: {name}: found a number that is not finite")
    return found


def _form(numbers: torch.Tensor, value: Optional[str]) -> str:
    """The meaning of the value's numbers."""
    width = numbers.shape[1]
    form = value or ("logits" if width == 3 else "expected")
    if VALUES[form] != width:
        raise Error(f"value: found {width} numbers for each position, expected {VALUES[form]}, as {form!r} has")
    return form


def _graph(module: nn.Module, planes: torch.Tensor, heads: List[str], metadata: Dict[str, str]) -> bytes:
    """The bytes of an ONNX file for any number of positions."""
    try:
        import onnx
    except ImportError as error:
        raise Error(f"export: found no package onnx (`pip install onnx`): {error}") from error
    # The exporter by tracing needs no further package, and writes one file with the weights inside.
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    memory = io.BytesIO()
    # The fused attention of PyTorch's transformers has no operator in ONNX.
    fused = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # These say where the module's code depends on the numbers that it is traced with.
            warnings.simplefilter("default", torch.jit.TracerWarning)
            torch.onnx.export(
                _Parts(module),
                (planes,),
                memory,
                input_names=["planes"],
                output_names=heads,
                dynamic_axes={name: {0: "batch"} for name in ("planes", *heads)},
                opset_version=OPERATORS,
                **options,
            )
    except Exception as error:  # the exporter has no common class of errors
        raise Error(f"module: PyTorch cannot export it: {error}") from error
    finally:
        torch.backends.mha.set_fastpath_enabled(fused)
    model = onnx.load_model_from_string(memory.getvalue())
    onnx.helper.set_model_props(model, metadata)
    content: bytes = model.SerializeToString()
    return content


def _write(content: bytes, file: str) -> None:
    """Writes a file that plays; one that does not is removed again."""
    folder, name = os.path.split(file)
    unchecked = os.path.join(folder, f".{os.getpid()}.{name}")
    try:
        with open(unchecked, "wb") as stream:
            stream.write(content)
        # More positions than the module was traced with.
        Network(unchecked).evaluate_batch([*POSITIONS, POSITIONS[1]])
        os.replace(unchecked, file)
    except Error as error:
        raise Error(f"module: the exported graph does not play: {str(error).replace(unchecked, file)}") from None
    except OSError as error:
        raise Error(f"{file}: cannot write: {error}") from error
    finally:
        if os.path.exists(unchecked):
            os.unlink(unchecked)
