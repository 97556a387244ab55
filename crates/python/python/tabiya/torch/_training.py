"""A network in training in PyTorch, for the trainer of the program, which keeps the run's files: see :mod:`tabiya.train`."""

from __future__ import annotations

import copy
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import torch
from torch import nn

from .._checks import Described
from .._store import Batch as Samples
from .._tabiya import Error
from . import _layers
from ._dataset import Batch
from ._losses import Objective, illegal_move_loss, legal_logits
from ._module import PlaneModule, module
from ._usage import GpuMeter, Usage, gpu_readers

__all__ = ["Training"]

Arrays = Sequence[np.ndarray]


class Training:
    """Parameters, optimiser and passes of a network of layers, as the program's ``Trainable`` describes them.

    Matrices are in the order of the weights file, as ``tabiya train`` has them, so a run can continue there.
    """

    def __init__(self, recipe: Described, device: Union[str, torch.device]) -> None:
        """:param recipe: path or table
        :param device: where the network is trained
        :raises Error: for a sparse network, an optimiser that this module lacks, and a device that PyTorch cannot use
        """
        found = module(recipe)
        if not isinstance(found, PlaneModule) or found.recipe is None:
            raise Error("recipe: found one without a network of layers, expected one with planes as its input")
        try:
            self.device = torch.device(device)
            self.module = found.to(self.device)
        except (RuntimeError, AssertionError) as error:
            raise Error(f"device: found {device!r}, which PyTorch cannot use: {error}") from error
        if self.device.type == "cuda":
            # Convolutions read boards square by square, each with its channels; products are of 10 bits and sums of 23 (TF32).
            self.module.to(memory_format=torch.channels_last)
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.benchmark = True
        #: Passes with other parameters, such as the averages, which would overwrite those in training.
        self.other = copy.deepcopy(self.module)
        self.objective = Objective(found)
        self.illegal_move_weight: float = found.recipe["losses"]["illegal_move_weight"]
        self.config: Dict[str, Any] = found.recipe["optimiser"]
        #: Layer and tensor of each parameter.
        self.places: List[Tuple[nn.Module, nn.Parameter]] = [
            (layer, tensor) for layer in self.module.layers for tensor in layer.parameters()
        ]
        self.parameters = [tensor for _, tensor in self.places]
        self.optimiser = self._optimiser()
        self.average: List[torch.Tensor] = []
        self.meter = GpuMeter(gpu_readers(self.device))
        self.taken = 0
        self.norm, self.norms = 0.0, torch.zeros(0)
        self._begin()

    def _optimiser(self) -> torch.optim.Optimizer:
        """The recipe's optimiser."""
        config = self.config
        groups = self.module.parameter_groups(config["weight_decay"])
        kind = config.get("kind", "adamw")
        if kind == "sgd":
            momentum, nesterov = config.get("momentum", 0.9), config.get("nesterov", True)
            return torch.optim.SGD(groups, lr=0.0, momentum=momentum, nesterov=nesterov and momentum > 0)
        if kind not in ("adamw", "adam"):
            raise Error(f"optimiser.kind: found {kind!r}, expected adamw, adam or sgd")
        make = torch.optim.AdamW if kind == "adamw" else torch.optim.Adam
        return make(groups, lr=0.0, betas=(config["beta1"], config["beta2"]), eps=config["epsilon"])

    def _begin(self) -> None:
        """Forgets all steps."""
        self.taken = 0
        self.optimiser.state.clear()
        self.average = [p.detach().clone() for p in self.parameters] if self.config["average_decay"] else []

    def describe(self) -> str:
        """PyTorch and its device."""
        is_cuda = self.device.type == "cuda"
        name = f"{torch.cuda.get_device_name(self.device)}, products in TF32" if is_cuda else self.device.type
        return f"PyTorch {torch.__version__} on {name}"

    def usage(self) -> Usage:
        """Load and memory of the GPU, for a line of the log; nothing on the CPU."""
        return self.meter.read()

    def steps(self) -> int:
        """Steps taken so far."""
        return self.taken

    def values(self) -> List[np.ndarray]:
        """The parameters."""
        return self._matrices(self.parameters)

    def averaged(self) -> List[np.ndarray]:
        """Their moving averages."""
        return self._matrices(self.average or self.parameters)

    def start_from(self, parameters: Arrays) -> None:
        """Replaces the parameters, and begins again."""
        self._fill(self.parameters, parameters)
        self._begin()

    def gradients(self, arrays: Mapping[str, Any], noise: int) -> Tuple[float, float, Optional[float], bool]:
        """Losses of policy, value and illegal moves of a batch, and whether its gradients, which are kept, are finite."""
        torch.manual_seed(noise)
        batch = self._batch(arrays)
        outputs = self.module(batch.input)
        losses = self.objective(outputs, batch)
        self.optimiser.zero_grad(set_to_none=True)
        losses.total.backward()
        for parameter in self.parameters:
            if parameter.grad is None:
                # No loss with a weight depends on it, but the program expects a norm for each parameter.
                parameter.grad = torch.zeros_like(parameter)
        self.norms = torch.stack([p.grad.norm() for p in self.parameters])
        zero = self.norms.new_zeros(())
        illegal = zero
        if self.illegal_move_weight and outputs.policy is not None:
            illegal = illegal_move_loss(outputs.policy.detach(), batch)
        parts = [zero if part is None else part.detach() for part in (losses.policy, losses.value)]
        # One copy from the device for all numbers of the step: each copy waits until the device has caught up.
        policy, value, illegal_moves, self.norm = torch.stack([*parts, illegal, self.norms.norm()]).tolist()
        # The objective adds illegal moves to the policy's loss; the program reports the two apart.
        policy -= self.illegal_move_weight * illegal_moves
        return policy, value, illegal_moves if self.illegal_move_weight else None, math.isfinite(self.norm)

    @torch.no_grad()
    def step(self, rate: float) -> List[float]:
        """Updates the parameters with the gradients of the last batch; returns each one's sum of squares before clipping."""
        limit = self.config["clip_norm"]
        if limit and self.norm > limit:
            for parameter in self.parameters:
                parameter.grad.mul_(limit / self.norm)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self.taken += 1
        # Smaller at first, so that the random start is soon forgotten. The program's own optimiser has the same rule.
        decay = min(self.config["average_decay"], (1 + self.taken) / (10 + self.taken))
        for average, parameter in zip(self.average, self.parameters):
            average.lerp_(parameter.detach(), 1 - decay)
        squares: List[float] = self.norms.double().square().tolist()
        return squares

    @torch.no_grad()
    def forward(
        self, parameters: Arrays, statistics: Optional[Arrays], arrays: Mapping[str, Any]
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray, List[np.ndarray]]:
        """For given parameters, and statistics or those of the batch: the logits of the legal moves, the value's numbers, the
        logarithm of the legal moves' total probability, and the statistics."""
        batch = self._batch(arrays)
        self.other.eval()
        self._fill([p for layer in self.other.layers for p in layer.parameters()], parameters)
        if statistics is None:
            self._normalise_by_batch()
        else:
            self._normalise_by(statistics)
        policy, value, _ = self.other(batch.input)
        # PyTorch keeps the variance of a sample in its running moments, which is larger than that of the values themselves.
        found = self._statistics(corrected_for=batch.size if statistics is None else None)
        logits, legal = _policy_outputs(policy, batch)
        numbers = np.zeros(0, dtype=np.float32) if value is None else value.flatten().cpu().numpy()
        return logits, numbers, legal, found

    def _norms(self) -> List[Tuple[nn.BatchNorm2d, Sequence[int]]]:
        """The normalisations of the passes with other parameters, each with channels, ranks and files of its boards."""
        steps = zip(self.other.layers, self.other._steps)
        return [(layer, step["shape"]) for layer, step in steps if isinstance(layer, nn.BatchNorm2d)]

    def _normalise_by_batch(self) -> None:
        """Makes the next pass normalise by its batch, whose moments it leaves as the running ones."""
        for layer, _ in self._norms():
            layer.train()
            layer.momentum = 1.0

    def _normalise_by(self, statistics: Arrays) -> None:
        """Makes the next pass normalise by these means and variances."""
        for (layer, _), moments in zip(self._norms(), statistics):
            mean, variance = torch.from_numpy(moments).to(self.device)
            layer.running_mean.copy_(mean)
            layer.running_var.copy_(variance)

    def _statistics(self, corrected_for: Optional[int]) -> List[np.ndarray]:
        """Means and variances of the last pass; variances of samples are corrected for the number of positions in the batch."""
        found = []
        for layer, (_, ranks, files) in self._norms():
            variance = layer.running_var
            if corrected_for is not None:
                count = corrected_for * ranks * files
                variance = variance * ((count - 1) / count)
            found.append(torch.stack((layer.running_mean, variance)).cpu().numpy())
        return found

    def state(self) -> List[List[np.ndarray]]:
        """The optimiser's averages of the gradients and of their squares, parameters' order."""
        return [self._matrices(self._moments(name)) for name in self._names()]

    @torch.no_grad()
    def restore(self, steps: int, parameters: Arrays, averages: Sequence[Arrays], average: Arrays) -> None:
        """Continues after ``steps`` steps."""
        self.start_from(parameters)
        self.taken = steps
        if self.average:
            self._fill(self.average, average)
        for name, arrays in zip(self._names(), averages):
            tensors = [torch.zeros_like(p) for p in self.parameters]
            self._fill(tensors, arrays)
            for parameter, tensor in zip(self.parameters, tensors):
                self.optimiser.state[parameter][name] = tensor
        if "exp_avg" in self._names():
            for parameter in self.parameters:
                self.optimiser.state[parameter]["step"] = torch.tensor(float(steps))

    def _names(self) -> List[str]:
        is_sgd = isinstance(self.optimiser, torch.optim.SGD)
        return ["momentum_buffer"] if is_sgd else ["exp_avg", "exp_avg_sq"]

    def _moments(self, name: str) -> List[torch.Tensor]:
        found = (self.optimiser.state[p].get(name) for p in self.parameters)
        return [torch.zeros_like(p) if tensor is None else tensor for p, tensor in zip(self.parameters, found)]

    def _batch(self, arrays: Mapping[str, Any]) -> Batch:
        return Batch.of(Samples(**arrays)).to(self.device)

    def _matrices(self, tensors: Sequence[torch.Tensor]) -> List[np.ndarray]:
        matrices = (_layers.matrix(layer, tensor.detach()) for (layer, _), tensor in zip(self.places, tensors))
        return [np.ascontiguousarray(matrix.float().cpu().numpy()) for matrix in matrices]

    @torch.no_grad()
    def _fill(self, tensors: Sequence[torch.Tensor], arrays: Arrays) -> None:
        for (layer, like), tensor, array in zip(self.places, tensors, arrays):
            tensor.copy_(_layers.tensor(layer, torch.from_numpy(array), like.shape))


def _policy_outputs(policy: Optional[torch.Tensor], batch: Batch) -> Tuple[np.ndarray, np.ndarray]:
    """The logits of the legal moves, ``[m]``, zeros without a policy; and the logarithm of their total probability, ``[n]``, nothing
    without a policy."""
    if policy is None:
        return np.zeros(len(batch.moves), dtype=np.float32), np.zeros(0, dtype=np.float32)
    rows, absent = legal_logits(policy, batch)
    legal = rows.logsumexp(dim=1) - policy.logsumexp(dim=1)
    return rows[~absent].cpu().numpy(), legal.cpu().numpy()
