"""Chess networks that are trained, searched, played and measured: the program Tabiya inside Python.

>>> import chess, tabiya
>>> network = tabiya.load("default")
>>> evaluation = network.evaluate(chess.Board())
>>> round(evaluation.win + evaluation.draw + evaluation.loss, 3)
1.0

Values are those of the side to move. Whatever cannot be used raises :class:`tabiya.Error`, a ``ValueError`` whose message says
where, what was found and what was expected.
"""

from ._engine import Engine, RootMove, SearchOption, search_options, searches
from ._network import Evaluation, EvaluationBatch, Network, load, networks
from ._strength import Elo, MatchResult, NormalizedElo, Sprt, elo, match, sprt
from ._tabiya import Error, __version__

__all__ = [
    "Elo",
    "Engine",
    "Error",
    "Evaluation",
    "EvaluationBatch",
    "MatchResult",
    "Network",
    "NormalizedElo",
    "RootMove",
    "SearchOption",
    "Sprt",
    "__version__",
    "elo",
    "load",
    "match",
    "networks",
    "search_options",
    "searches",
    "sprt",
]
