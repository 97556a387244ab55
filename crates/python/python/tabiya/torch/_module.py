"""Networks as modules of PyTorch."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

from .. import _tabiya
from .._checks import Described, described, whole
from . import _layers

__all__ = ["Module", "Outputs", "PlaneModule", "learning_rates", "module"]


class Outputs(NamedTuple):
    """The outputs of a network's heads for ``n`` positions; ``None`` for a head that it lacks."""

    #: A logit for each policy index ``[n, indices]``, legal or not; for a sparse network, one for each legal move ``[m]``.
    policy: Optional[torch.Tensor]
    #: The value head's numbers, ``[n, 3]`` or ``[n, 1]``: :meth:`Module.wdl` makes probabilities of them.
    value: Optional[torch.Tensor]
    #: Half-moves until the game ends, from 0, ``[n]``.
    moves_left: Optional[torch.Tensor] = None


class Module(nn.Module):
    """A network of Tabiya with the parameters of PyTorch, to be trained like any other module.

    :func:`module` makes one, :func:`tabiya.save` writes its weights as a file that can play. As an ``input`` of
    :meth:`tabiya.Store.batches`, :func:`tabiya.encode` and :class:`Dataset` it stands for its encoding.
    """

    def __init__(self, description: Dict[str, Any]) -> None:
        super().__init__()
        #: The specification, the section ``network`` of a recipe.
        self.spec: Dict[str, Any] = description["spec"]
        #: What is known of its origin, as weights files store it.
        self.provenance: Dict[str, Any] = description["provenance"]
        #: What the value's numbers mean: ``kind``, and for ``pawns`` its ``limit`` and ``squash``.
        self.value: Dict[str, Any] = description["value"]
        #: The recipe with every default, if the module was made from one.
        self.recipe: Optional[Dict[str, Any]] = description["recipe"]

    def matrices(self) -> Dict[str, torch.Tensor]:
        """All numbers by their names in weights files: parameters, and running moments, each a matrix."""
        raise NotImplementedError

    def wdl(self, value: torch.Tensor) -> torch.Tensor:
        """Probabilities of win, draw and loss for the side to move.

        :param value: ``Outputs.value``, ``[n, 3]`` or ``[n, 1]``
        :returns: ``[n, 3]``
        """
        kind = self.value["kind"]
        if kind == "wdl":
            return value.softmax(dim=1)
        if kind == "scalar":
            expected = value[:, 0].tanh()
            return torch.stack(((1 + expected) / 2, torch.zeros_like(expected), (1 - expected) / 2), dim=1)
        limit = self.value["limit"]
        pawns = limit * value[:, 0].tanh() if self.value["squash"] else value[:, 0]
        # The default curve of training targets: a side wins half its games at one pawn.
        win, loss = (0.995 * ((100 * sign * pawns - 100) / 60).sigmoid() for sign in (1, -1))
        return torch.stack((win, (1 - (win + loss)).clamp(min=0), loss), dim=1)


class PlaneModule(Module):
    """A network of planes: a residual tower, or any list of layers."""

    def __init__(self, description: Dict[str, Any], matrices: Dict[str, torch.Tensor]) -> None:
        super().__init__(description)
        blueprint = description["blueprint"]
        self._inputs: List[List[int]] = blueprint["inputs"]
        self._steps: List[Dict[str, Any]] = blueprint["steps"]
        self._places = {head: blueprint[head] for head in ("policy", "value", "moves_left")}
        slots = torch.tensor(blueprint["policy_slots"])
        # Follows from the specification, so it is not part of a saved state.
        self.register_buffer("_slots", slots, persistent=False)
        shapes = [*self._inputs]
        self.layers = nn.ModuleList()
        for step in self._steps:
            layer = _layers.layer(step["operator"], [shapes[place] for place in step["inputs"]], step["shape"])
            moments = [step["statistics"]] if step["statistics"] else []
            _layers.fill(layer, [matrices[name] for name in step["parameters"]], [matrices[name] for name in moments])
            self.layers.append(layer)
            shapes.append(step["shape"])

    def forward(self, planes: torch.Tensor) -> Outputs:
        """The outputs for positions.

        :param planes: float32 ``[n, channels, 8, 8]``, as :func:`tabiya.encode` and stores give them
        """
        board = self._inputs[0][0]
        places = [planes[:, :board]]
        if len(self._inputs) > 1:
            places.append(planes[:, board:, :1, :1])
        for step, layer in zip(self._steps, self.layers):
            places.append(layer(*(places[place] for place in step["inputs"])))
        policy, value, left = (None if place is None else places[place].flatten(1) for place in self._places.values())
        return Outputs(
            None if policy is None else policy[:, self._slots],
            value,
            None if left is None else left[:, 0].relu(),
        )

    def parameter_groups(self, weight_decay: float) -> List[Dict[str, Any]]:
        """The parameters in groups for an optimiser, as ``tabiya train`` treats them: weight decay is for the matrices of convolutions
        and dense layers; not for scales and biases."""
        weights: List[nn.Parameter] = []
        others: List[nn.Parameter] = []
        for layer in self.layers:
            for tensor in layer.parameters():
                (weights if _layers.is_weight(layer, tensor) else others).append(tensor)
        groups = [{"params": weights, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
        return [group for group in groups if group["params"]]

    def matrices(self) -> Dict[str, torch.Tensor]:
        named: Dict[str, torch.Tensor] = {}
        for step, layer in zip(self._steps, self.layers):
            parameters, moments = _layers.matrices(layer)
            named.update(zip(step["parameters"], parameters))
            named.update((step["statistics"], matrix) for matrix in moments)
        return named


def module(source: Described, *, seed: int = 1) -> Module:
    """A network as a module of PyTorch.

    >>> tabiya.torch.module("default")  # the weights of a network  # doctest: +SKIP
    >>> tabiya.torch.module("recipes/first")  # random weights, those that `tabiya train` begins with  # doctest: +SKIP
    >>> tabiya.torch.module({"blocks": 4, "channels": 48})  # the section `network` of a recipe  # doctest: +SKIP

    In ``eval()`` it gives the network's numbers. In ``train()`` normalisations use the batch's moments, as ``tabiya train`` does,
    and update the running ones as PyTorch does.

    :param source: a weights file, ours or lc0's, a bundled network or a :class:`tabiya.Network`; a recipe (path or table); a
        specification (table)
    :param seed: seed of random weights
    :returns: a :class:`PlaneModule`, or a :class:`SparseModule` for a sparse network; in training mode
    :raises Error: for a source that is none of these, or is broken
    """
    from ._sparse import SparseModule

    description, arrays = _describe(described("source", source), whole("seed", seed))
    matrices = {name: torch.from_numpy(array) for name, array in arrays.items()}
    kind = SparseModule if description["blueprint"] is None else PlaneModule
    return kind(description, matrices)


def learning_rates(recipe: Described, steps: Optional[int] = None) -> torch.Tensor:
    """The learning rate of each step of a recipe, float32 ``[steps]``, as ``tabiya train`` has it.

    :param recipe: path or table
    :param steps: steps of the run, instead of the recipe's
    :raises Error: for anything but a recipe
    """
    wanted = None if steps is None else whole("steps", steps, 1)
    return torch.from_numpy(_tabiya.learning_rates(described("recipe", recipe), wanted))


def _describe(source: str, seed: int) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    description, arrays = _tabiya.describe_network(source, seed)
    return json.loads(description), arrays
