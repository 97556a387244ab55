"""The steps of a network of planes as layers of PyTorch. Boards are ``[n, channels, ranks, files]``; numbers without squares are
boards of one square."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn

Operator = Dict[str, Any]
Shape = Sequence[int]


class Dense(nn.Linear):
    """A fully connected layer of boards of one square."""

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        return super().forward(board.flatten(1))[..., None, None]


class Flatten(nn.Module):
    """All numbers in one row: square by square, and for each square its channels."""

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        return board.permute(0, 2, 3, 1).flatten(1)[..., None, None]


class WholeBoard(nn.Module):
    """The largest number or the mean of each channel."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method = method

    def extra_repr(self) -> str:
        return self.method

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        return board.amax((2, 3), keepdim=True) if self.method == "max" else board.mean((2, 3), keepdim=True)


class Gate(nn.Module):
    """The first input times the sigmoid of the first half of the second one's channels, plus the other half."""

    def forward(self, board: torch.Tensor, gates: torch.Tensor) -> torch.Tensor:
        scale, shift = gates.chunk(2, dim=1)
        return board * scale.sigmoid() + shift


class Sum(nn.Module):
    """The sum of both inputs."""

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return first + second


class Concatenation(nn.Module):
    """The channels of both inputs, one after the other."""

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return torch.cat((first, second), dim=1)


class LayerNorm(nn.LayerNorm):
    """Normalisation over the channels of each square."""

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        return super().forward(board.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class SquareAffine(nn.Module):
    """A scale and a shift for each square and channel, ``[squares, channels]``, those that there are."""

    def __init__(self, shape: Shape, scale: bool, shift: bool) -> None:
        super().__init__()
        size = (shape[1] * shape[2], shape[0])
        self.scale = nn.Parameter(torch.ones(size)) if scale else None
        self.shift = nn.Parameter(torch.zeros(size)) if shift else None

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        squares = board.shape[2:]
        if self.scale is not None:
            board = board * self.scale.T.unflatten(1, squares)
        return board if self.shift is None else board + self.shift.T.unflatten(1, squares)


class Attention(nn.Module):
    """Softmax attention of queries to keys and values, with a term of the scores if there is one."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def extra_repr(self) -> str:
        return f"heads={self.heads}"

    def forward(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, bias: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        # Each [n, heads, channels of a head, squares].
        rows, columns, mixed = (part.flatten(2).unflatten(1, (self.heads, -1)) for part in (queries, keys, values))
        # [n, heads, squares that ask, squares that are read], divided by the root of the channels (arXiv 1706.03762, section 3.2.1).
        scores = rows.transpose(2, 3) @ columns / rows.shape[2] ** 0.5
        if bias is not None:
            scores = scores + bias.flatten(1).unflatten(1, scores.shape[1:])
        found = mixed @ scores.softmax(dim=3).transpose(2, 3)
        return found.flatten(1, 2).unflatten(2, values.shape[2:])


class MoveScores(nn.Module):
    """The scores of moves from square to square, and of promotions to queen, rook and bishop."""

    def forward(self, queries: torch.Tensor, keys: torch.Tensor, pieces: torch.Tensor) -> torch.Tensor:
        # [n, from, to]; square a1 is 0, b1 is 1, h8 is 63.
        scores = queries.flatten(2).transpose(1, 2) @ keys.flatten(2) / queries.shape[1] ** 0.5
        # A promotion has the score of its move, from the seventh rank to the eighth, and what its piece adds on the square where it
        # stands afterwards: [n, 8 files, 3 pieces], the sum of two halves of the channels.
        last = pieces[:, :, 7].transpose(1, 2)
        offsets = last[:, :, :3] + last[:, :, 3:]
        promotions = scores[:, 48:56, 56:64].unsqueeze(3) + offsets.unsqueeze(1)
        return torch.cat((scores.flatten(1), promotions.flatten(1)), dim=1)[..., None, None]


class First(nn.Module):
    """The first channels of each square."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        return board[:, : self.count]


class Unflatten(nn.Module):
    """A row as a board: the inverse of :class:`Flatten`."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.size = (shape[1], shape[2], shape[0])

    def forward(self, row: torch.Tensor) -> torch.Tensor:
        return row.flatten(1).unflatten(1, self.size).permute(0, 3, 1, 2)


class ReluSquared(nn.Module):
    """The square of the positive part."""

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        return board.relu().square()


#: LeakyReLU has PyTorch's default slope.
ACTIVATIONS: Dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "mish": nn.Mish,
    "swish": nn.SiLU,
    "leaky-relu": nn.LeakyReLU,
    "tanh": nn.Tanh,
    "relu-squared": ReluSquared,
    "selu": nn.SELU,
    "gelu": lambda: nn.GELU(approximate="tanh"),
}


def layer(operator: Operator, inputs: Sequence[Shape], shape: Shape) -> nn.Module:
    """The layer of a step, with PyTorch's initial numbers.

    :param operator: what it computes, as ``network::blueprint::Operator`` describes it
    :param inputs: channels, ranks and files of what it reads
    :param shape: the same of its output
    """
    kind, channels = operator["kind"], inputs[0][0]
    if kind == "convolution":
        size, stride, margin = operator["size"], operator["stride"], operator["margin"]
        return nn.Conv2d(channels, shape[0], size, stride, margin, bias=operator["bias"])
    if kind == "dense":
        return Dense(channels, shape[0], bias=operator["bias"])
    if kind == "batch-norm":
        return nn.BatchNorm2d(channels, eps=operator["epsilon"])
    if kind == "group-norm":
        return nn.GroupNorm(operator["groups"], channels, eps=operator["epsilon"])
    if kind == "activation":
        return ACTIVATIONS[operator["function"]]()
    if kind == "dropout":
        return nn.Dropout(operator["rate"])
    if kind == "pool":
        return _pool(operator)
    if kind == "layer-norm":
        return LayerNorm(channels, eps=operator["epsilon"])
    if kind == "square-affine":
        return SquareAffine(shape, operator["scale"], operator["shift"])
    if kind == "attention":
        return Attention(operator["heads"])
    if kind == "first":
        return First(operator["count"])
    if kind == "unflatten":
        return Unflatten(shape)
    plain = {"move-scores": MoveScores, "flatten": Flatten, "gate": Gate, "sum": Sum, "concatenation": Concatenation}
    return plain[kind]()


def _pool(operator: Operator) -> nn.Module:
    method, window = operator["method"], operator["window"]
    if window is None:
        return WholeBoard(method)
    size, stride, margin = window
    return nn.MaxPool2d(size, stride, margin) if method == "max" else nn.AvgPool2d(size, stride, margin)


def is_weight(layer: nn.Module, tensor: torch.Tensor) -> bool:
    """True for the matrix of a convolution or dense layer, to which weight decay applies. A factor or a term for each square and
    channel is a matrix too, but decays as little as other scales and biases do."""
    return tensor.dim() > 1 and not isinstance(layer, SquareAffine)


def matrix(layer: nn.Module, tensor: torch.Tensor) -> torch.Tensor:
    """A parameter of a layer, or as many other numbers, as a matrix of the weights file."""
    if tensor.dim() == 1:
        return tensor.unsqueeze(0)
    if isinstance(layer, SquareAffine):
        return tensor
    return tensor.permute(2, 3, 1, 0).flatten(0, 2) if isinstance(layer, nn.Conv2d) else tensor.T


def tensor(layer: nn.Module, matrix: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """The inverse of :func:`matrix`, for a parameter of this shape."""
    if len(shape) == 1:
        return matrix[0]
    if isinstance(layer, nn.Conv2d):
        _, inputs, *size = shape
        return matrix.unflatten(0, (*size, inputs)).permute(3, 2, 0, 1)
    return matrix if isinstance(layer, SquareAffine) else matrix.T


def matrices(layer: nn.Module) -> Tuple[List[torch.Tensor], List[torch.Tensor]]:
    """The numbers of a layer as the weights file has them: parameters, and running moments, all of them matrices."""
    moments = [torch.stack((layer.running_mean, layer.running_var))] if isinstance(layer, nn.BatchNorm2d) else []
    return [matrix(layer, numbers) for numbers in layer.parameters()], moments


@torch.no_grad()
def fill(layer: nn.Module, parameters: Sequence[torch.Tensor], moments: Sequence[torch.Tensor]) -> None:
    """Gives a layer its numbers: the inverse of :func:`matrices`."""
    for numbers, given in zip(layer.parameters(), parameters):
        numbers.copy_(tensor(layer, given, numbers.shape))
    if moments:
        layer.running_mean.copy_(moments[0][0])
        layer.running_var.copy_(moments[0][1])
