"""Networks and stores of Tabiya in PyTorch.

>>> import tabiya.torch  # doctest: +SKIP
>>> module = tabiya.torch.module("recipes/first")  # doctest: +SKIP
>>> for batch in tabiya.torch.Dataset("stores/first", 256, "recipes/first"):  # doctest: +SKIP
...     loss = tabiya.torch.loss(module(batch.input), batch)

Needs PyTorch 2.3 or later, which the package does not install: ``pip install torch``.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError(f"tabiya.torch needs PyTorch, which cannot be imported: {error}") from error

from ._dataset import Batch, Dataset, unpacked
from ._export import export
from ._losses import Losses, Objective, legal_logits, loss, policy_loss, value_loss
from ._module import Module, Outputs, PlaneModule, learning_rates, module
from ._resident import Resident
from ._sparse import SparseModule

__all__ = [
    "Batch",
    "Dataset",
    "Losses",
    "Module",
    "Objective",
    "Outputs",
    "PlaneModule",
    "Resident",
    "SparseModule",
    "export",
    "learning_rates",
    "legal_logits",
    "loss",
    "module",
    "policy_loss",
    "unpacked",
    "value_loss",
]
