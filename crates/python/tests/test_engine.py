"""Engines: play and analyse as chess.engine does, Ctrl-C, and what is refused."""

import os
import signal
import threading
import time

import chess
import chess.engine
import pytest

import tabiya

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"
LOST = "7k/8/8/8/8/8/q7/7K b - - 0 1"


@pytest.fixture
def engine(network):
    with tabiya.Engine(network, options={"Hash": 16}) as engine:
        yield engine


def nodes(count):
    return chess.engine.Limit(nodes=count)


def test_it_finds_a_mate(engine):
    board = chess.Board(MATE_IN_ONE)
    result = engine.play(board, nodes(100))
    assert result.move == chess.Move.from_uci("a1a8")
    assert result.info["score"].relative == chess.engine.Mate(1)
    assert result.info["score"].white() == chess.engine.Mate(1)
    assert result.resigned is False and result.draw_offered is False


def test_scores_are_seen_by_the_side_to_move(engine):
    info = engine.analyse(chess.Board(LOST), nodes(100))
    assert info["score"].relative > chess.engine.Cp(300)
    assert info["score"].white() < chess.engine.Cp(-300)
    assert info["wdl"].relative.expectation() > 0.8
    assert info["wdl"].turn == chess.BLACK


def test_an_analysis_has_what_chess_engine_has(engine):
    board = chess.Board()
    info = engine.analyse(board, nodes(200))
    assert info["nodes"] == 200
    assert {"depth", "seldepth", "nps", "time", "hashfull", "tbhits", "multipv"} <= set(info)
    assert sum(info["wdl"].relative) == 1000
    for move in info["pv"]:
        board.push(move)
    assert engine.play(chess.Board(), nodes(200)).info["nodes"] == 200


def test_several_lines_are_a_list_best_first(engine):
    infos = engine.analyse(chess.Board(), nodes(200), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert len({info["pv"][0] for info in infos}) == 3
    assert infos[0]["wdl"].relative.expectation() >= infos[2]["wdl"].relative.expectation() - 0.05
    assert isinstance(engine.analyse(chess.Board(), nodes(10)), dict)


def test_root_moves_are_counted(engine):
    board = chess.Board()
    info = engine.analyse(board, nodes(200))
    moves = engine.root_moves
    assert {move.move for move in moves} == set(board.legal_moves)
    assert moves[0].move == info["pv"][0]
    assert sum(move.visits for move in moves) == pytest.approx(200, abs=1)
    assert sum(move.prior for move in moves) == pytest.approx(1, abs=1e-3)


def test_only_the_moves_asked_for_are_considered(engine):
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    assert engine.play(chess.Board(), nodes(50), root_moves=wanted).move in wanted


def test_equal_searches_decide_equally_and_a_new_game_forgets(network):
    def first_two(game):
        with tabiya.Engine(network, options={"Hash": 16}) as engine:
            return [engine.play(chess.Board(), nodes(300), game=game).info["pv"] for _ in range(2)]

    assert first_two(1) == first_two(1)


def test_options_for_one_search_are_put_back(engine):
    engine.analyse(chess.Board(), nodes(50), multipv=4, options={"CPuct": 3.0})
    assert isinstance(engine.analyse(chess.Board(), nodes(50)), dict)
    assert len(engine._engine.set_options([("MultiPV", "1")])) == 1
    assert engine._engine.set_options([("MultiPV", "1")]) == [("MultiPV", "1")]


def test_a_clock_is_managed(engine):
    limit = chess.engine.Limit(white_clock=2.0, black_clock=500.0, white_inc=0.0, black_inc=10.0)
    start = time.monotonic()
    engine.play(chess.Board(), limit)
    assert time.monotonic() - start < 2.0, "it would have lost on time"


def test_reports_arrive_while_it_thinks(engine):
    heard = []
    engine.configure({"ReportInterval": 10})
    info = engine.analyse(chess.Board(), nodes(400), on_info=heard.append)
    assert heard and heard[-1][0]["nodes"] <= info["nodes"]
    assert all(report[0]["score"].turn == chess.WHITE for report in heard)


def test_an_exception_in_a_report_ends_the_search(engine):
    def refuse(_):
        raise RuntimeError("enough")

    engine.configure({"ReportInterval": 10})
    with pytest.raises(RuntimeError, match="enough"):
        engine.analyse(chess.Board(), nodes(10**9), on_info=refuse)
    assert engine.play(chess.Board(MATE_IN_ONE), nodes(50)).move == chess.Move.from_uci("a1a8")


def test_ctrl_c_ends_a_search(engine):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        engine.play(chess.Board(), chess.engine.Limit(time=120))
    assert engine.play(chess.Board(MATE_IN_ONE), nodes(50)).move == chess.Move.from_uci("a1a8")


def test_another_thread_stops_a_search(engine):
    threading.Timer(0.3, engine.stop).start()
    assert engine.play(chess.Board(), chess.engine.Limit(time=120)).move in chess.Board().legal_moves


def test_other_threads_run_and_a_second_search_is_refused(engine):
    refusals = []

    def second():
        try:
            engine.play(chess.Board(), nodes(1))
        except tabiya.Error as error:
            refusals.append(str(error))
        engine.stop()

    threading.Timer(0.3, second).start()
    engine.play(chess.Board(), chess.engine.Limit(time=120))
    assert len(refusals) == 1 and "found a search in progress, expected an idle engine" in refusals[0]


def test_every_search_plays(network):
    names = [name for name, _ in tabiya.searches()]
    assert {"puct", "policy", "alpha-beta"} <= set(names)
    for name in names:
        with tabiya.Engine(network, search=name) as engine:
            assert engine.play(chess.Board(), nodes(8)).move in chess.Board().legal_moves


def test_threads_and_options_are_known():
    options = {option.name: option for option in tabiya.search_options()}
    assert options["Threads"].default == "1" and "64" in options["Threads"].values
    with tabiya.Engine("material", threads=2) as engine:
        assert engine.play(chess.Board(), nodes(50)).move in chess.Board().legal_moves


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"options": {"CPuckt": 1}}, ["CPuckt", "similar ones are", "CPuct"]),
        ({"options": {"Hash": 0}}, ["Hash", "found \"0\"", "from 1 to"]),
        ({"threads": 0}, ["Threads", "from 1 to 64"]),
        ({"search": "minimax"}, ["minimax", "expected one of auto"]),
        ({"options": {"SyzygyPath": "/no/such/folder"}}, ["/no/such/folder"]),
        ({"net": "no/such.tabiya"}, ["no/such.tabiya"]),
        ({"net": 3}, ["net: found int, expected a path"]),
        ({"threads": 2**70}, ["Threads", str(2**70)]),
        ({"threads": -1}, ["Threads", "from 1 to 64"]),
        ({"search": 3}, ["search: found 3, expected a text"]),
        ({"precision": 8}, ["precision: found 8, expected a text"]),
        ({"options": 5}, ["options: found 5"]),
    ],
)
def test_what_makes_no_engine_is_refused(arguments, parts):
    with pytest.raises(tabiya.Error) as error:
        tabiya.Engine(**{"net": "material", **arguments})
    for part in parts:
        assert part in str(error.value)


def test_what_is_no_search_is_refused(engine):
    board, limit = chess.Board(), nodes(1)
    mated = chess.Board("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1")
    illegal_root = [chess.Move.from_uci("e2e5")]
    for call, part in [
        (lambda: engine.play(board, chess.engine.Limit()), "limit: found none, expected time"),
        (lambda: engine.play(board, 100), "limit: found int, expected a chess.engine.Limit"),
        (lambda: engine.play(board, chess.engine.Limit(time=-1)), "limit.time: found -1, expected a number from 0"),
        (lambda: engine.play(board, chess.engine.Limit(time=1e300)), "time: found "),
        (lambda: engine.play(board, chess.engine.Limit(time="1")), "limit.time: found '1'"),
        (lambda: engine.play(board, chess.engine.Limit(white_clock=9, white_inc=-1)), "increment: found -1"),
        (lambda: engine.play(board, chess.engine.Limit(white_clock="9")), "limit.clock: found '9'"),
        (lambda: engine.play(board, chess.engine.Limit(white_clock=9, remaining_moves=-1)), "remaining_moves: found -1"),
        (lambda: engine.play(board, chess.engine.Limit(depth=-3)), "limit.depth: found -3, expected a whole number from 0"),
        (lambda: engine.play(board, chess.engine.Limit(depth=2**40)), f"limit.depth: found {2**40}, expected a whole number"),
        (lambda: engine.play(board, chess.engine.Limit(depth=2.5)), "limit.depth: found 2.5"),
        (lambda: engine.play(board, chess.engine.Limit(nodes=2**70)), f"limit.nodes: found {2**70}, expected a whole number"),
        (lambda: engine.play(board, chess.engine.Limit(nodes=-1)), "limit.nodes: found -1"),
        (lambda: engine.play(board, chess.engine.Limit(mate="x")), "limit.mate: found 'x'"),
        (lambda: engine.play(board, chess.engine.Limit(mate=0)), "limit.mate: found 0, expected a whole number from 1"),
        (lambda: engine.play(board, limit, root_moves=["e2e4"]), "root_moves: found 'e2e4', expected moves"),
        (lambda: engine.play(board, limit, options=["Hash"]), "options: found ['Hash'], expected values by name"),
        (lambda: engine.play(board, limit, options={1: 2}), "options: found 1, expected a text"),
        (lambda: engine.analyse(board, limit, on_info=3), "on_info: found 3, expected a function"),
        (lambda: engine.network.evaluate(board, ratings=(1500,)), "ratings: found (1500,), expected those of White and Black"),
        (lambda: engine.network.evaluate(board, ratings=(1500, 70000)), "ratings: found 70000"),
        (lambda: engine.network.evaluate(board, ratings=5), "ratings: found 5"),
        (lambda: engine.network.evaluate(5), "positions: found int"),
        (lambda: engine.play("startpos", limit), "board: found a text"),
        (lambda: engine.play(mated, limit), "no legal move"),
        (lambda: engine.play(board, limit, root_moves=illegal_root), "root_moves"),
        (lambda: engine.analyse(board, limit, multipv=0), "multipv: found 0"),
        (lambda: engine.play(board, limit, options={"Nodes": 1}), "Nodes"),
    ]:
        with pytest.raises(tabiya.Error) as error:
            call()
        assert part in str(error.value)
    assert engine.play(board, limit).move in board.legal_moves


def test_a_closed_engine_says_so():
    engine = tabiya.Engine("material")
    engine.close()
    engine.close()
    for call in (
        lambda: engine.play(chess.Board(), nodes(1)),
        lambda: engine.configure({"Hash": 1}),
        lambda: engine.play(chess.Board(), nodes(1), game=1),
        lambda: engine.description,
    ):
        with pytest.raises(tabiya.Error, match="engine: found a closed engine, expected an open one"):
            call()
    assert "closed" in repr(engine)


def test_the_network_of_a_system_plays_as_its_recipe_says():
    with tabiya.Engine("knights-el") as engine:
        assert engine.description.startswith("one ply of"), engine.description
    with tabiya.Engine("mlx", options={"Temperature": 0}) as engine:
        assert engine.description.startswith("policy of"), engine.description
        # Without a limit, that of the recipe: one node.
        assert engine.play(chess.Board(), chess.engine.Limit()).info["nodes"] == 1
    with tabiya.Engine("mlx", search="puct") as engine:
        assert engine.analyse(chess.Board(), nodes(20))["nodes"] == 20
    with pytest.raises(tabiya.Error, match="cogs188, .*mlx"):
        tabiya.Engine("mlxx")


def test_a_network_that_lacks_a_head_says_so():
    values, moves = tabiya.load("knights-el"), tabiya.load("knights-sl")
    assert (values.has_policy, values.has_value) == (False, True)
    assert (moves.has_policy, moves.has_value) == (True, False)
    with tabiya.Engine(moves) as engine:
        info = engine.analyse(chess.Board(), nodes(1))
        assert "score" not in info and "wdl" not in info and info["pv"]
    with tabiya.Engine(values) as engine:
        engine.analyse(chess.Board(), nodes(1))
        assert all(move.prior is None for move in engine.root_moves)
