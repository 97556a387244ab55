"""Sparse networks as modules of PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple

import torch
from torch import nn
from torch.nn import functional

from ._module import Module, Outputs

if TYPE_CHECKING:
    from ._dataset import Batch


class SparseModule(Module):
    """A sparse network: tables of rows, of which those of a position's features are added, and small layers after the sums.

    Parameters are matrices with the names and shapes of weights files, with ``_`` for ``.``.
    """

    def __init__(self, description: Dict[str, Any], matrices: Dict[str, torch.Tensor]) -> None:
        super().__init__(description)
        self._names = {name: name.replace(".", "_") for name in matrices}
        for name, attribute in self._names.items():
            self.register_parameter(attribute, nn.Parameter(matrices[name].clone()))
        self._buckets: int = matrices["value.layer0.bias"].shape[0]
        self._squared = self.spec.get("clipping") == "squared"
        self._layers = sum(name.startswith("value.layer") for name in matrices) // 2
        self._own_table = "policy.table.weight" in matrices

    def __getitem__(self, name: str) -> torch.Tensor:
        """A matrix by its name in weights files."""
        parameter: torch.Tensor = getattr(self, self._names[name])
        return parameter

    def forward(self, batch: "Batch") -> Outputs:
        """The outputs for positions.

        :param batch: what a sparse network reads of them, as :class:`Dataset` gives it, or made from :func:`tabiya.encode` by
            ``Batch.of``
        """
        first, last = batch.features[0], batch.features[-1]
        units = self._units("value.table", first)
        if self._own_table:
            moves = self._policy(self._units("policy.table", last), batch)
        else:
            moves = self._policy(units, batch)
        direct = functional.embedding_bag(first[1], self["value.direct"], first[0][:-1], mode="sum")[:, 0]
        win, draw, loss = self._values(units, batch.pieces).unbind(dim=1)
        return Outputs(moves, torch.stack((win + direct, draw, loss - direct), dim=1))

    def _units(self, table: str, features: Tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        starts, numbers = features
        rows = functional.embedding_bag(numbers, self[f"{table}.weight"], starts[:-1], mode="sum")
        sums = (rows + self[f"{table}.bias"]).clamp(0, 1)
        if self._squared:
            return sums.square()
        first, second = sums.chunk(2, dim=1)
        return first * second

    def _values(self, units: torch.Tensor, pieces: torch.Tensor) -> torch.Tensor:
        buckets = ((pieces - 2).clamp(min=0) * self._buckets // 31).clamp(max=self._buckets - 1)
        for number in range(self._layers):
            if number:
                units = units.clamp(0, 1).square()
            bias = self[f"value.layer{number}.bias"]
            weight = self[f"value.layer{number}.weight"].unflatten(0, bias.shape)
            units = torch.einsum("noi,ni->no", weight[buckets], units) + bias[buckets]
        return units

    def _policy(self, units: torch.Tensor, batch: "Batch") -> torch.Tensor:
        of_moves = units[batch.samples]
        logits = of_moves.new_zeros(len(of_moves))
        for table, rows in (("policy.moves", batch.moves), ("policy.kinds", batch.kinds)):
            weight, bias = self[f"{table}.weight"], self[f"{table}.bias"]
            logits = logits + (functional.embedding(rows, weight) * of_moves).sum(dim=1) + bias[rows, 0]
        return logits

    def matrices(self) -> Dict[str, torch.Tensor]:
        return {name: self[name] for name in self._names}
