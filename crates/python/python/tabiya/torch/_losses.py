"""The losses of a training, as the program computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Tuple

import torch
from torch.nn import functional

from .._tabiya import Error

if TYPE_CHECKING:
    from ._dataset import Batch
    from ._module import Module, Outputs

__all__ = ["Losses", "Objective", "legal_logits", "loss", "policy_loss", "value_loss"]


def policy_loss(
    logits: torch.Tensor, batch: "Batch", *, smoothing: float = 0.0, illegal_moves: float = 0.0
) -> torch.Tensor:
    """Cross-entropy of the policy over the legal moves, the weighted mean of the samples, in nats.

    :param logits: the logit of each policy index ``[n, indices]``, or of each legal move ``[m]``
    :param batch: the samples
    :param smoothing: share of each target that is spread over all legal moves, ``label_smoothing`` of a recipe
    :param illegal_moves: weight of -ln(probability of all legal moves together), which needs all logits; with 1 the sum is the
        cross-entropy over all moves, legal or not
    """
    legal, absent = legal_logits(logits, batch)
    target = batch.rows(batch.policy, 0.0)
    if smoothing:
        share = smoothing / (~absent).sum(dim=1, keepdim=True)
        target = target * (1 - smoothing) + share.masked_fill(absent, 0)
    logs = functional.log_softmax(legal, dim=1).masked_fill(absent, 0)
    each = -(target * logs).sum(dim=1)
    found = _mean(each, batch.policy_weights)
    return found + illegal_moves * illegal_move_loss(logits, batch) if illegal_moves else found


def illegal_move_loss(logits: torch.Tensor, batch: "Batch") -> torch.Tensor:
    """-ln(probability of all legal moves together), the weighted mean of the samples, in nats.

    :param logits: the logit of each policy index ``[n, indices]``
    :param batch: the samples
    """
    if logits.dim() == 1:
        raise Error("illegal_moves: found logits of the legal moves alone, expected one for each policy index")
    legal, _ = legal_logits(logits, batch)
    return _mean(logits.logsumexp(dim=1) - legal.logsumexp(dim=1), batch.policy_weights)


def legal_logits(logits: torch.Tensor, batch: "Batch") -> Tuple[torch.Tensor, torch.Tensor]:
    """The logits of the legal moves, a row for each sample as in :meth:`Batch.rows`, and where a row has no move.

    :param logits: the logit of each policy index ``[n, indices]``, or of each legal move ``[m]``
    :param batch: the samples
    :returns: ``[n, most moves of a sample]``, -inf where there is no move; and bool of the same shape, true there
    """
    moves = batch.rows(batch.moves, -1)
    absent = moves < 0
    if logits.dim() == 1:
        return batch.rows(logits, -torch.inf), absent
    return logits.gather(1, moves.clamp(min=0)).masked_fill(absent, -torch.inf), absent


def value_loss(
    value: torch.Tensor, batch: "Batch", *, head: Optional[Dict[str, Any]] = None, kind: Optional[Dict[str, Any]] = None
) -> torch.Tensor:
    """The value's loss, the weighted mean of the samples with a label.

    :param value: the value head's numbers, ``[n, 3]`` or ``[n, 1]``
    :param batch: the samples
    :param head: what those numbers mean, :attr:`Module.value`; without it, logits of win, draw and loss, or one number before
        its tanh
    :param kind: ``value_loss`` of a recipe: ``cross-entropy`` in nats (the default for three numbers), ``squared`` (the default
        for one), ``absolute``, or ``huber`` with its ``delta``
    """
    kind = kind or {"kind": "cross-entropy" if value.shape[1] == 3 else "squared"}
    if kind["kind"] == "cross-entropy":
        each = -(batch.wdl * functional.log_softmax(value, dim=1)).sum(dim=1)
        return _mean(each, batch.value_weights)
    error = _number(value, head) - batch.numbers
    if kind["kind"] == "squared":
        each = error.square()
    elif kind["kind"] == "absolute":
        each = error.abs()
    elif kind["kind"] == "huber":
        each = functional.huber_loss(error, torch.zeros_like(error), reduction="none", delta=kind["delta"])
    else:
        raise Error(f"kind: found {kind['kind']!r}, expected cross-entropy, squared, absolute or huber")
    return _mean(each, batch.value_weights)


def _number(value: torch.Tensor, head: Optional[Dict[str, Any]]) -> torch.Tensor:
    """Win minus loss, or pawns if the head has pawns."""
    if value.shape[1] == 3:
        win, _, loss = value.softmax(dim=1).unbind(dim=1)
        return win - loss
    if head is None or head["kind"] == "scalar":
        return value[:, 0].tanh()
    number: torch.Tensor = head["limit"] * value[:, 0].tanh() if head["squash"] else value[:, 0]
    return number


def loss(
    outputs: "Outputs",
    batch: "Batch",
    *,
    policy_weight: float = 1.0,
    value_weight: float = 1.0,
    smoothing: float = 0.0,
) -> torch.Tensor:
    """The weighted sum of :func:`policy_loss` and :func:`value_loss`; :class:`Objective` has the losses of a recipe.

    :param outputs: the outputs of a :class:`Module` for the batch
    :param batch: the samples
    """
    policy, value = None, None
    if outputs.policy is not None and policy_weight:
        policy = policy_loss(outputs.policy, batch, smoothing=smoothing)
    if outputs.value is not None and value_weight:
        value = value_loss(outputs.value, batch)
    return _total(policy, policy_weight, value, value_weight)


def _total(
    policy: Optional[torch.Tensor], policy_weight: float, value: Optional[torch.Tensor], value_weight: float
) -> torch.Tensor:
    """The weighted sum of the losses that are present."""
    parts = [weight * part for weight, part in ((policy_weight, policy), (value_weight, value)) if part is not None]
    if not parts:
        raise Error("losses: found weights of 0 for each head of the network, expected one above 0")
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


class Losses(NamedTuple):
    """The losses of a batch; ``None`` for a head that the network lacks, or whose weight is 0."""

    #: The sum that is minimised.
    total: torch.Tensor
    policy: Optional[torch.Tensor]
    value: Optional[torch.Tensor]


class Objective:
    """The training objective of a recipe: its section ``losses``, for a module of that recipe.

    >>> objective = tabiya.torch.Objective(module)  # doctest: +SKIP
    >>> objective(module(batch.input), batch).total.backward()  # doctest: +SKIP

    Temperature, value target and weights by origin are built into the targets when the samples are read, so a
    :class:`Dataset` needs the recipe too.
    """

    def __init__(self, module: "Module") -> None:
        """:param module: from :func:`module`, of a recipe
        :raises Error: for a module of anything else
        """
        if module.recipe is None:
            raise Error("module: found one without a recipe, expected one of tabiya.torch.module(RECIPE)")
        self._losses: Dict[str, Any] = module.recipe["losses"]
        self._head = module.value

    def __call__(self, outputs: "Outputs", batch: "Batch") -> Losses:
        """The losses, each the weighted mean of the samples.

        :param outputs: the outputs of the module for the batch
        :param batch: samples of a :class:`Dataset` of the recipe
        """
        losses, policy, value = self._losses, None, None
        if outputs.policy is not None and losses["policy_weight"]:
            policy = policy_loss(
                outputs.policy,
                batch,
                smoothing=losses["label_smoothing"],
                illegal_moves=losses["illegal_move_weight"],
            )
        if outputs.value is not None and losses["value_weight"]:
            value = value_loss(outputs.value, batch, head=self._head, kind=losses.get("value_loss"))
        return Losses(_total(policy, losses["policy_weight"], value, losses["value_weight"]), policy, value)


def _mean(each: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    # Without a single label there is nothing to learn, and nothing to divide by.
    return (each * weights).sum() / weights.sum().clamp(min=torch.finfo(each.dtype).tiny)
