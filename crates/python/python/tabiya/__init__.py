"""Chess networks that are trained, searched, played and measured: the program Tabiya inside Python.

>>> import chess, tabiya
>>> network = tabiya.load("default")
>>> evaluation = network.evaluate(chess.Board())
>>> round(evaluation.win + evaluation.draw + evaluation.loss, 3)
1.0

Values are for the side to move. Invalid arguments and files raise :class:`tabiya.Error`, a ``ValueError`` whose message says
where, what was found and what was expected.
"""

from ._engine import Engine, RootMove, SearchOption, search_options, searches
from ._network import Evaluation, EvaluationBatch, Network, load, networks
from ._save import save
from ._store import AddedGames, Batch, Batches, Encoded, Store, add_personal_games, build, encode
from ._strength import Elo, MatchResult, NormalizedElo, Sprt, elo, match, sprt
from ._tabiya import Error, __version__, encodings
from ._train import TrainingReport, TrainingResult, train

__all__ = [
    "AddedGames",
    "Batch",
    "Batches",
    "Elo",
    "Encoded",
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
    "Store",
    "TrainingReport",
    "TrainingResult",
    "__version__",
    "add_personal_games",
    "build",
    "elo",
    "encode",
    "encodings",
    "load",
    "match",
    "networks",
    "save",
    "search_options",
    "searches",
    "sprt",
    "train",
]


def __getattr__(name: str) -> object:
    if name == "torch":
        # Imported when it is asked for: PyTorch is large, and may be missing.
        import importlib

        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
