"""Boards of python-chess as the extension module takes them."""

from __future__ import annotations

from typing import List, Tuple, Union

import chess

from ._tabiya import Error

#: A position: a board with the moves that led to it, or a FEN.
Position = Union[chess.Board, str]

#: FEN of the first position, moves in UCI notation, Chess960.
Record = Tuple[str, List[str], bool]


def record(position: Position, place: str) -> Record:
    """The game that led to a position; ``place`` begins the message of an error.

    Includes its moves, which networks with history and the repetition rules need.
    """
    if isinstance(position, str):
        return position, [], False
    if not isinstance(position, chess.Board):
        raise Error(f"{place}: found {type(position).__name__}, expected a chess.Board or a FEN")
    if type(position).uci_variant != "chess":
        raise Error(f"{place}: found a board of {position.uci_variant}, expected chess or Chess960")
    first = position.root() if position.move_stack else position
    return first.fen(), [move.uci() for move in position.move_stack], position.chess960
