"""Networks that evaluate positions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

import chess
import numpy as np
import numpy.typing as npt

from . import _tabiya
from ._checks import optional, path, ratings as checked_ratings, text
from ._record import Position, record
from ._tabiya import Error, networks

__all__ = ["Evaluation", "EvaluationBatch", "Network", "load", "networks"]


@dataclass(frozen=True)
class Evaluation:
    """A network's evaluation of one position, seen by the side to move, without a search."""

    #: Probability that the side to move wins, 0 to 1.
    win: float
    #: Probability of a draw, 0 to 1.
    draw: float
    #: Probability that the side to move loses, 0 to 1.
    loss: float
    #: Probability of each legal move; adds up to 1.
    priors: Dict[chess.Move, float]
    #: Half-moves until the game is expected to end, if the network predicts them.
    moves_left: Optional[float] = None

    @property
    def value(self) -> float:
        """Win minus loss, -1 to 1: what a tree search calls Q."""
        return self.win - self.loss

    @property
    def expected_score(self) -> float:
        """Points expected, 0 to 1: win and half of a draw."""
        return self.win + 0.5 * self.draw

    @property
    def best(self) -> chess.Move:
        """The move with the highest prior."""
        return max(self.priors, key=self.priors.__getitem__)


@dataclass(frozen=True)
class EvaluationBatch:
    """A network's evaluations of ``n`` positions with ``m`` legal moves in all, as arrays.

    The moves of position ``i`` are those from ``offsets[i]`` to ``offsets[i + 1]``. Item ``i`` is the :class:`Evaluation` of
    that position.
    """

    #: Win, draw and loss for the side to move, float32 ``[n, 3]``.
    wdl: npt.NDArray[np.float32]
    #: Where the moves of each position start and those of the last one end, int64 ``[n + 1]``.
    offsets: npt.NDArray[np.int64]
    #: Square that each move leaves, as python-chess numbers them (0 = a1), uint8 ``[m]``.
    from_squares: npt.NDArray[np.uint8]
    #: Square that each move goes to, uint8 ``[m]``.
    to_squares: npt.NDArray[np.uint8]
    #: Piece that a pawn becomes, as python-chess numbers them (0 = none), uint8 ``[m]``.
    promotions: npt.NDArray[np.uint8]
    #: Probability of each move, float32 ``[m]``; adds up to 1 in each position.
    priors: npt.NDArray[np.float32]
    #: Half-moves until each game is expected to end, float32 ``[n]``, if the network predicts them.
    moves_left: Optional[npt.NDArray[np.float32]]

    def __len__(self) -> int:
        return len(self.wdl)

    def __getitem__(self, index: int) -> Evaluation:
        if not -len(self) <= index < len(self):
            raise IndexError(f"position {index} of {len(self)}")
        index %= len(self)
        moves = slice(self.offsets[index], self.offsets[index + 1])
        columns = (self.from_squares, self.to_squares, self.promotions, self.priors)
        rows = zip(*(column[moves].tolist() for column in columns))
        priors = {chess.Move(start, end, piece or None): prior for start, end, piece, prior in rows}
        win, draw, loss = self.wdl[index].tolist()
        left = None if self.moves_left is None else float(self.moves_left[index])
        return Evaluation(win, draw, loss, priors, left)

    def __iter__(self) -> Iterator[Evaluation]:
        return (self[index] for index in range(len(self)))


class Network:
    """A network, ready for use; :func:`load` opens one.

    Several threads may use the same network at once.
    """

    def __init__(
        self,
        net: Union[str, "os.PathLike[str]"] = "default",
        *,
        precision: Optional[str] = None,
    ) -> None:
        self._network = _tabiya.Network(path("net", net), optional(text, "precision", precision))

    @property
    def net(self) -> str:
        """The name or path it was opened by."""
        return self._network.net

    @property
    def description(self) -> str:
        """Network, number format and instruction set."""
        return self._network.description

    @property
    def has_policy(self) -> bool:
        """False if all priors are equal because the network has no policy."""
        return self._network.heads[0]

    @property
    def has_value(self) -> bool:
        """False if every position counts as a draw because the network has no value."""
        return self._network.heads[1]

    def __repr__(self) -> str:
        return f"<tabiya.Network {self.description}>"

    @overload
    def evaluate(
        self, positions: Position, *, ratings: Tuple[Optional[int], Optional[int]] = ...
    ) -> Evaluation: ...

    @overload
    def evaluate(
        self, positions: Sequence[Position], *, ratings: Tuple[Optional[int], Optional[int]] = ...
    ) -> List[Evaluation]: ...

    def evaluate(
        self,
        positions: Union[Position, Sequence[Position]],
        *,
        ratings: Tuple[Optional[int], Optional[int]] = (None, None),
    ) -> Union[Evaluation, List[Evaluation]]:
        """Value and policy of a board, a FEN, or a list of them.

        :param positions: boards with the moves that led to them, which networks with history see, or FENs
        :param ratings: Elo of White and Black, for networks that take it, such as ``human``
        :raises Error: for an illegal position, one that is over, a board of a variant, with its place in the list
        """
        if isinstance(positions, (str, chess.Board)):
            return self.evaluate_batch([positions], ratings=ratings)[0]
        return list(self.evaluate_batch(positions, ratings=ratings))

    def evaluate_batch(
        self,
        positions: Sequence[Position],
        *,
        ratings: Tuple[Optional[int], Optional[int]] = (None, None),
    ) -> EvaluationBatch:
        """Like :meth:`evaluate`, but returns arrays, which is faster for many positions.

        :raises Error: as :meth:`evaluate`
        """
        if not hasattr(positions, "__iter__"):
            raise Error(f"positions: found {type(positions).__name__}, expected boards or FENs")
        records = [record(position, f"position {index}") for index, position in enumerate(positions)]
        elo = checked_ratings(ratings)
        wdl, moves_left, offsets, (start, end, piece), priors = self._network.evaluate(records, elo)
        return EvaluationBatch(wdl, offsets, start, end, piece, priors, moves_left)


def load(
    net: Union[str, "os.PathLike[str]"] = "default",
    *,
    precision: Optional[str] = None,
) -> Network:
    """Opens a network.

    :param net: ``default`` or ``human``, which are part of the package; the path of a weights file, ours (``.tabiya``) or
        lc0's (``.pb.gz``), or of learners; or an evaluator without a network, ``material`` or ``uniform``
        (:func:`networks` lists the names)
    :param precision: number format on the CPU: ``f32``, ``bf16``, ``int8``; by default the finest, unless a coarser one is
        measured to be much quicker
    :raises Error: if there is no such file, it is damaged or of another kind, or this machine lacks the number format
    """
    return Network(net, precision=precision)
