"""What a network is trained to make small, as the program computes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from ._dataset import Batch
    from ._module import Outputs

__all__ = ["loss", "policy_loss", "value_loss"]


def policy_loss(logits: torch.Tensor, batch: "Batch", *, smoothing: float = 0.0) -> torch.Tensor:
    """Cross-entropy of the policy over the legal moves, the mean of the samples by their weights, in nats.

    :param logits: of each policy index ``[n, indices]``, or of each legal move ``[m]``
    :param batch: the samples
    :param smoothing: share of each target that is spread over all legal moves, ``label_smoothing`` of a recipe
    """
    samples = batch.samples
    counts = batch.offsets.diff()
    scores = logits[samples, batch.moves] if logits.dim() == 2 else logits
    # A row for each sample, as long as the longest list of moves.
    places = torch.arange(len(samples), device=samples.device) - batch.offsets[samples]
    rows = scores.new_full((batch.size, int(counts.max())), -torch.inf)
    rows = rows.index_put((samples, places), scores)
    logs = functional.log_softmax(rows, dim=1)[samples, places]
    target = batch.policy * (1 - smoothing) + smoothing / counts[samples]
    each = scores.new_zeros(batch.size).index_add(0, samples, -target * logs)
    return _mean(each, batch.policy_weights)


def value_loss(value: torch.Tensor, batch: "Batch") -> torch.Tensor:
    """The value's loss, the mean of the samples with a label by their weights: cross-entropy in nats of three logits (win,
    draw, loss), or the squared distance of tanh of one number and the target's win minus loss.

    :param value: the value head's numbers, ``[n, 3]`` or ``[n, 1]``
    :param batch: the samples
    """
    if value.shape[1] == 3:
        each = -(batch.wdl * functional.log_softmax(value, dim=1)).sum(dim=1)
    else:
        expected = batch.wdl[:, 0] - batch.wdl[:, 2]
        each = (value[:, 0].tanh() - expected).square()
    return _mean(each, batch.value_weights)


def loss(
    outputs: "Outputs",
    batch: "Batch",
    *,
    policy_weight: float = 1.0,
    value_weight: float = 1.0,
    smoothing: float = 0.0,
) -> torch.Tensor:
    """The weighted sum of :func:`policy_loss` and :func:`value_loss`.

    :param outputs: of a :class:`Module` for the batch
    :param batch: the samples
    """
    total = outputs.policy.new_zeros(()) if outputs.policy is not None else outputs.value.new_zeros(())
    if outputs.policy is not None and policy_weight:
        total = total + policy_weight * policy_loss(outputs.policy, batch, smoothing=smoothing)
    if outputs.value is not None and value_weight:
        total = total + value_weight * value_loss(outputs.value, batch)
    return total


def _mean(each: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    # Without a single label there is nothing to learn, and nothing to divide by.
    return (each * weights).sum() / weights.sum().clamp(min=torch.finfo(each.dtype).tiny)
