"""What other people's programs write and ask for, through the package: the reports behind docs/formats.md."""

import itertools
import math

import chess
import chess.engine
import chess.pgn
import chess.variant
import pytest

import tabiya

CHESS960 = "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1"
CASTLING = [
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", False),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", True),
    ("1rk2r2/8/8/8/8/8/8/1RK2R2 w FBfb - 0 1", True),
    ("rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1", True),
]


def built(folder, text, **options):
    (folder / "games.pgn").write_text(text)
    return tabiya.build(folder / "a.store", folder / "games.pgn", progress=False, **options)


def labels(store, column="centipawns"):
    rows = [row for split in ("train", "validation") for row in store.rows(split, ["ply", column]).read_all().to_pylist()]
    return [row[column] for row in sorted(rows, key=lambda row: row["ply"])]


@pytest.mark.parametrize(
    "moves, found",
    [
        ("1. e4 {[%eval 0.31]} e5 {[%eval\n-0.17]} 2. Nf3 {[%eval #3]} Nc6", [None, -31, -17]),
        ("1. e4 {+0.31/22 2.0s} e5 {-0.17/20 1s} 2. Nf3 Nc6", [31, -17, None]),
        ("1. e4 {[%eval 0.31]} e5 {[%eval 0.4]} (1... -- 2. d4) (2. Nf3 Nc6) 2. Nf3 Nc6", [None, -31, 40]),
    ],
)
def test_evaluations_are_read_whoever_wrote_them(tmp_path, moves, found):
    assert labels(built(tmp_path, f'[Result "1-0"]\n\n{moves} 1-0\n'))[:3] == found


def test_labels_in_doubt_and_broken_games_are_warned_about(tmp_path):
    text = '[Result "1-0"]\n\n1. e4 e5 {[%eval 31,24]} 2. Nf3 {[%clk ?]} Nc6 1-0\n\n[Result "1-0"]\n\n1. e5 1-0\n'
    with pytest.warns(UserWarning) as warned:
        store = built(tmp_path, text)
    told = " ".join(str(warning.message) for warning in warned)
    assert "broken records: illegal_move 1" in told and "labels whose meaning is in doubt" in told and "unread_clock 1" in told
    assert len(store) == 4 and 3100 not in labels(store) and -3100 not in labels(store)
    assert store.manifest["counts"]["rejected"] == {"illegal_move": 1}


def test_chess960_needs_no_tag_and_is_written_with_one(tmp_path):
    openings, games = tmp_path / "openings.pgn", tmp_path / "played.pgn"
    openings.write_text(f'[SetUp "1"]\n[FEN "{CHESS960}"]\n[Result "*"]\n\n1. e3 e6 2. Be2 Be7 3. O-O-O O-O-O *\n')
    tabiya.match("random", "first", games=2, max_moves=20, openings=str(openings), pgn=games, progress=False)
    with games.open() as text:
        game = chess.pgn.read_game(text)
    assert game.headers["Variant"] == "Chess960" and not game.errors
    assert game.board().fen(shredder=True).split()[0] == CHESS960.split()[0]
    assert len(built(tmp_path, games.read_text())) == 80


@pytest.mark.parametrize("fen, chess960", CASTLING)
def test_castling_is_written_as_the_board_writes_it(network, fen, chess960):
    with tabiya.Engine(network, options={"Hash": 16}) as engine:
        for castling in ("O-O", "O-O-O"):
            board = chess.Board(fen, chess960=chess960)
            if castling in map(board.san, board.legal_moves):
                move = board.parse_san(castling)
                info = engine.analyse(board, chess.engine.Limit(nodes=20), root_moves=[move])
                assert info["pv"][0] == move
                board.push(move)
            lines = engine.analyse(board, chess.engine.Limit(nodes=100), multipv=50)
            assert {line["pv"][0] for line in lines} == {row.move for row in engine.root_moves} == set(board.legal_moves)
            assert set(network.evaluate(board).priors) == set(board.legal_moves)
            for line in lines:
                board.variation_san(line["pv"])


def test_boards_of_other_rules_and_lines_with_null_moves_are_named(network):
    null = chess.Board()
    null.push_san("e4")
    null.push(chess.Move.null())
    with pytest.raises(tabiya.Error, match='illegal move "0000"'):
        network.evaluate(null)
    with pytest.raises(tabiya.Error, match="atomic"):
        network.evaluate(chess.variant.AtomicBoard())


@pytest.mark.parametrize("normalized", [False, True])
def test_no_statistic_is_anything_but_a_number(normalized):
    """Normalized bounds beyond 232 Elo once gave a ratio that was none (fastchess #879)."""
    bounds = [(0, 5), (0, 240), (0, 300), (-1500, -500), (1000, 2000)]
    for pairs in itertools.product([0, 1, 50], repeat=5):
        for low, high in bounds:
            ratio = tabiya.sprt(pairs, low, high, normalized=normalized).log_likelihood_ratio
            assert math.isfinite(ratio), (pairs, low, high)
        if any(pairs):
            elo = tabiya.elo(pairs=pairs)
            assert all(math.isfinite(value) for value in (elo.lower, elo.upper, elo.elo) if value is not None), pairs
            assert elo.lower is not None or elo.upper is not None
