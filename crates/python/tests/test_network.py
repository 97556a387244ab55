"""Networks: values and priors, alone and in batches, and what is refused."""

import threading

import chess
import chess.variant
import numpy as np
import pytest

import tabiya

ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
PROMOTION = "8/P6k/8/8/8/8/7K/8 w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def test_the_bundled_networks_and_the_baselines_have_names():
    systems = {
        "cogs188",
        "cogs188-corrected",
        "catfish-v3",
        "catfish-corrected",
        "aichess",
        "aichess-corrected",
        "mlx",
        "mlx-corrected",
        "knights-sl",
        "knights-el",
        "knights-el-corrected",
        "knights-e4",
        "knights-e3",
        "knights-e1",
    }
    assert set(tabiya.networks()) == {"cnn", "default", "human", "material", "uniform"} | systems
    for name in tabiya.networks():
        assert tabiya.load(name).evaluate(chess.Board()).priors


# cnn is known to be too fond of White there (nets/README.md).
@pytest.mark.parametrize(("net", "most"), [("default", 0.6), ("cnn", 0.65)])
def test_the_start_position_is_a_little_better_for_white(net, most):
    evaluation = tabiya.load(net).evaluate(chess.Board())
    assert evaluation.win + evaluation.draw + evaluation.loss == pytest.approx(1, abs=1e-4)
    assert 0.5 < evaluation.expected_score < most
    assert evaluation.value == pytest.approx(2 * evaluation.expected_score - 1, abs=1e-4)
    assert evaluation.best in {chess.Move.from_uci(move) for move in ("e2e4", "d2d4", "g1f3", "c2c4")}


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, ITALIAN, PROMOTION, CASTLING])
def test_priors_are_of_the_legal_moves(network, fen):
    board = chess.Board(fen)
    priors = network.evaluate(board).priors
    assert set(priors) == set(board.legal_moves)
    assert sum(priors.values()) == pytest.approx(1, abs=1e-4)
    assert priors == network.evaluate(fen).priors


def test_castling_of_chess960_is_named_as_its_board_names_it(network):
    board = chess.Board(CASTLING, chess960=True)
    assert set(network.evaluate(board).priors) == set(board.legal_moves)
    board = chess.Board.from_chess960_pos(0)
    assert set(network.evaluate(board).priors) == set(board.legal_moves)


def test_colours_swapped_is_the_same_to_the_side_to_move(network):
    board = chess.Board(ITALIAN)
    mine, theirs = network.evaluate([board, board.mirror()])
    assert mine.win == pytest.approx(theirs.win, abs=1e-5)
    for move, prior in mine.priors.items():
        turned = chess.Move(
            chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
        )
        assert theirs.priors[turned] == pytest.approx(prior, abs=1e-5)


def test_an_advantage_counts_for_its_side(network):
    queen_up = chess.Board()
    queen_up.remove_piece_at(chess.D8)
    queen_up.turn = chess.WHITE
    assert network.evaluate(queen_up).value > 0.5
    queen_up.turn = chess.BLACK
    assert network.evaluate(queen_up).value < -0.5


def test_a_batch_is_its_positions_as_arrays(network):
    boards = [chess.Board(), chess.Board(ITALIAN), chess.Board(PROMOTION)] * 100
    batch = network.evaluate_batch(boards)
    assert len(batch) == 300
    assert batch.wdl.shape == (300, 3) and batch.wdl.dtype == np.float32
    moves = [board.legal_moves.count() for board in boards]
    assert np.diff(batch.offsets).tolist() == moves
    assert batch.priors.shape == batch.from_squares.shape == batch.to_squares.shape == (sum(moves),)
    assert batch.promotions[batch.offsets[2] : batch.offsets[3]].max() == chess.QUEEN
    singly = [network.evaluate(board) for board in boards[:3]]
    for index, evaluation in enumerate(batch):
        expected = singly[index % 3]
        assert evaluation.priors == expected.priors
        assert evaluation.win == expected.win
    assert batch[-1] == batch[299]
    with pytest.raises(IndexError):
        batch[300]


def test_an_empty_batch_is_empty(network):
    assert network.evaluate([]) == []
    assert network.evaluate_batch([]).wdl.shape == (0, 3)


def test_moves_before_the_position_count():
    """lc0's encoding shows repetitions and earlier positions; `human` the last moves."""
    human = tabiya.load("human")
    board = chess.Board()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        board.push_uci(move)
    assert human.evaluate(board).priors != human.evaluate(board.fen()).priors


def test_ratings_change_what_the_human_like_network_expects():
    human = tabiya.load("human")
    board = chess.Board(ITALIAN)
    weak, strong = (human.evaluate(board, ratings=(elo, elo)) for elo in (1100, 2200))
    assert weak.priors != strong.priors


def test_threads_ask_at_once(network):
    expected = network.evaluate_batch([ITALIAN] * 64).wdl
    found = []
    ask = lambda: found.append(network.evaluate_batch([ITALIAN] * 64).wdl)  # noqa: E731
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for wdl in found:
        np.testing.assert_array_equal(wdl, expected)


def test_files_are_networks_too(nets):
    from_file, bundled = tabiya.load(nets / "cnn.tabiya"), tabiya.load("cnn")
    assert from_file.evaluate(ITALIAN).priors == bundled.evaluate(ITALIAN).priors


def test_lc0_networks_are_networks_too(real_data):
    # The others have attention bodies, which are not supported.
    files = sorted((real_data / "nets").glob("**/maia*.pb.gz"))
    assert files, f"no network of lc0 in {real_data}"
    evaluation = tabiya.load(files[0]).evaluate(chess.Board())
    assert sum(evaluation.priors.values()) == pytest.approx(1, abs=1e-4)


def over():
    board = chess.Board()
    for move in ("f2f3", "e7e5", "g2g4", "d8h4"):
        board.push_uci(move)
    return board


def with_null_move():
    board = chess.Board()
    board.push(chess.Move.null())
    return board


@pytest.mark.parametrize(
    ("position", "parts"),
    [
        ("nonsense", ["position 1", "invalid FEN", "nonsense", "found 1 fields, expected four to six"]),
        ("8/8/8/8/8/8/8/8 w - - 0 1", ["position 1", "illegal position"]),
        ("7k/8/8/8/8/8/8/K6r b - - 0 1", ["position 1", "illegal position"]),
        (chess.variant.AtomicBoard(), ["position 1", "found a board of atomic, expected chess or Chess960"]),
        (over(), ["position 1", "found no legal move", "expected a position that is not over"]),
        (with_null_move(), ["position 1", "half-move 1 of the game", "0000"]),
        (chess.Board(None), ["position 1", "illegal position"]),
        (None, ["position 1", "found NoneType, expected a chess.Board or a FEN"]),
    ],
)
def test_what_is_no_position_is_refused_with_its_place(network, position, parts):
    with pytest.raises(tabiya.Error) as error:
        network.evaluate([chess.Board(), position])
    for part in parts:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"net": "no/such.tabiya"}, ["no/such.tabiya"]),
        ({"net": __file__}, ["test_network.py", "expected a network"]),
        ({"precision": "f8"}, ["f8"]),
        ({"net": ""}, ["cannot read"]),
    ],
)
def test_what_is_no_network_is_refused(arguments, parts):
    with pytest.raises(tabiya.Error) as error:
        tabiya.load(**arguments)
    for part in parts:
        assert part in str(error.value)


def test_errors_are_value_errors():
    assert issubclass(tabiya.Error, ValueError)
    assert tabiya.Error.__module__ == "tabiya"
