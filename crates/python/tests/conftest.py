"""What several tests use."""

import copy
import os
import pathlib
import random
import signal

import chess
import chess.pgn
import pytest

import tabiya

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Shells start background jobs with Ctrl-C ignored, and Python then leaves it so: the tests of Ctrl-C would wait forever.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def network():
    return tabiya.load("cnn")


@pytest.fixture(scope="session")
def nets():
    """The folder of the bundled weights files."""
    return ROOT / "nets"


@pytest.fixture(scope="session")
def real_data():
    """The folder of real games and networks."""
    folder = os.environ.get("TABIYA_DATA")
    if not folder:
        pytest.skip("TABIYA_DATA is not set (the folder of real games and networks)")
    return pathlib.Path(folder)


def random_game(seed, plies=60):
    """A game of random moves as PGN, with evaluations, ratings and a result."""
    chance = random.Random(seed)
    game = chess.pgn.Game()
    game.headers.update({"White": "Anna", "Black": "Bernd", "WhiteElo": "1500", "BlackElo": "1600"})
    game.headers["Result"] = chance.choice(["1-0", "0-1", "1/2-1/2"])
    node = game
    for _ in range(plies):
        moves = sorted(node.board().legal_moves, key=chess.Move.uci)
        if not moves:
            break
        node = node.add_variation(chance.choice(moves))
        node.comment = f"[%eval {chance.uniform(-4, 4):.2f}]"
    return str(game)


@pytest.fixture(scope="session")
def games(tmp_path_factory):
    """A file of random games."""
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    path.write_text("\n\n".join(random_game(seed) for seed in range(60)) + "\n")
    return path


@pytest.fixture(scope="session")
def store_path(games, tmp_path_factory):
    """The folder of a store of random games."""
    path = tmp_path_factory.mktemp("stores") / "random"
    tabiya.build(path, games, validation=0.2, history=8, progress=False).close()
    return path


@pytest.fixture
def store(store_path):
    """A store of random games."""
    with tabiya.Store(store_path) as store:
        yield store


#: A network and a training that take a second.
TINY = {
    "title": "tiny",
    "data": "named by the caller",
    "training": {
        "steps": 12,
        "batch": 32,
        "threads": 1,
        "shuffle_window": 1000,
        "validation_interval": 6,
        "validation_positions": 64,
        "statistics_positions": 64,
        "checkpoint_interval": 4,
        "log_interval": 1,
    },
    "network": {"blocks": 1, "channels": 16, "value": {"channels": 4, "hidden": 16}},
    "schedule": {"kind": "cosine", "peak": 0.003, "last": 0.00003, "warmup": 2},
}


@pytest.fixture
def tiny():
    """The recipe of a tiny network, to be changed at will."""
    return copy.deepcopy(TINY)
