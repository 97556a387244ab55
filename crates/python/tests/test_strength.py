"""Matches and statistics: those of the program."""

import json
import os
import signal
import threading

import pytest

import tabiya


def test_elo_of_games_is_the_logistic_one():
    estimate = tabiya.elo(60, 30, 10)
    assert estimate.score == 0.75
    assert estimate.elo == pytest.approx(190.85, abs=0.01)
    assert estimate.lower < estimate.elo < estimate.upper
    assert (estimate.method, estimate.games, estimate.normalized) == ("games_normal", 100, None)


def test_a_clean_score_has_a_bound_and_no_number():
    estimate = tabiya.elo(20, 0, 0)
    assert (estimate.elo, estimate.upper, estimate.method) == (None, None, "one_sided")
    assert estimate.lower > 0


def test_elo_of_pairs_is_the_pentanomial_one():
    estimate = tabiya.elo(pairs=[10, 20, 40, 30, 20])
    assert (estimate.method, estimate.games) == ("pairs_normal", 240)
    assert estimate.normalized.elo > 0 and estimate.normalized.error > 0
    assert tabiya.elo(pairs=[20, 30, 40, 20, 10]).elo == pytest.approx(-estimate.elo)


def test_a_sequential_test_decides():
    assert tabiya.sprt([0, 0, 0, 0, 0], 0, 10).verdict is None
    won = tabiya.sprt([100, 200, 600, 500, 200], 0, 10)
    assert won.verdict == "h1" and won.log_likelihood_ratio >= won.upper
    assert tabiya.sprt([200, 500, 600, 200, 100], 0, 10).verdict == "h0"
    assert tabiya.sprt([100, 200, 600, 500, 200], 0, 10, normalized=True).log_likelihood_ratio > 0
    assert tabiya.sprt([0] * 5, 0, 10, alpha=0.01).upper > won.upper


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: tabiya.elo(), "either wins, draws and losses, or pairs"),
        (lambda: tabiya.elo(1, pairs=[0, 0, 0, 0, 1]), "either wins, draws and losses, or pairs"),
        (lambda: tabiya.elo(0, 0, 0), "found no game"),
        (lambda: tabiya.elo(-1, 0, 0), "games: found -1, expected a whole number from 0"),
        (lambda: tabiya.elo(pairs=[1, 2]), "found [1, 2], expected 5 counts"),
        (lambda: tabiya.sprt([1] * 5, 10, 0), "elo1 at least 0.01 above elo0"),
        (lambda: tabiya.sprt([1] * 5, -1e308, 1e308), "from -2000 to 2000"),
        (lambda: tabiya.sprt([1] * 5, 0, 2001, normalized=True), "from -2000 to 2000"),
        (lambda: tabiya.sprt([1] * 5, 0, float("nan")), "elo1: found nan, expected a number"),
        (lambda: tabiya.sprt([1] * 5, "0", 10), "elo0: found '0', expected a number"),
        (lambda: tabiya.sprt([1] * 5, 0, 10, beta="x"), "beta: found 'x'"),
        (lambda: tabiya.sprt([2**70] * 5, 0, 10), f"pairs: found {2**70}, expected a whole number from 0 to 1000000000"),
        (lambda: tabiya.sprt(5, 0, 10), "pairs: found 5, expected 5 counts"),
        (lambda: tabiya.elo(2.5, 0, 0), "games: found 2.5"),
        (lambda: tabiya.elo("3", 0, 0), "games: found '3'"),
        (lambda: tabiya.match(3, "random"), "player: found 3, expected a text"),
        (lambda: tabiya.match("random", "random", games=-2), "games: found -2"),
        (lambda: tabiya.match("random", "random", games=2**40), f"games: found {2**40}, expected a whole number from 0 to {2**32 - 1}"),
        (lambda: tabiya.match("random", "random", format=1), "format: found 1"),
        (lambda: tabiya.match("random", "random", sprt=5), "sprt: found 5, expected two differences"),
        (lambda: tabiya.match("random", "random", sprt=(0, 5000)), "from -2000 to 2000"),
        (lambda: tabiya.match("random", "random", openings=7), "openings: found 7"),
        (lambda: tabiya.match("random", "random", opening_plies=-1), "opening_plies: found -1"),
        (lambda: tabiya.match("random", "random", concurrency=0), "concurrency: found 0, expected a whole number from 1"),
        (lambda: tabiya.match("random", "random", seed=2**70), f"seed: found {2**70}"),
        (lambda: tabiya.match("random", "random", patience="long"), "patience: found 'long'"),
        (lambda: tabiya.match("random", "random", max_moves=1.5), "max_moves: found 1.5"),
        (lambda: tabiya.match("random", "random", resign=5), "resign: found 5, expected centipawns and moves"),
        (lambda: tabiya.match("random", "random", draw=(1, 2)), "draw: found (1, 2), expected first move"),
        (lambda: tabiya.match("random", "random", syzygy=3), "syzygy: found 3"),
        (lambda: tabiya.match("random", "random", out=3), "out: found int, expected a path"),
        (lambda: tabiya.sprt([1] * 5, 0, 10, alpha=0.7), "error rates between 0 and 0.5"),
        (lambda: tabiya.match("material", "chance"), "chance"),
        (lambda: tabiya.match("material"), "found 1, expected at least 2"),
        (lambda: tabiya.match("material", "random", games=3), "found 3, expected an even number"),
        (lambda: tabiya.match("material", "random", format="cup"), "cup"),
        (lambda: tabiya.match("material", "random", openings="no/such.epd"), "no/such.epd"),
        (lambda: tabiya.match("material", "random", time_margin=-1), "time_margin"),
        (lambda: tabiya.match("material", "random", resume=True), "resume"),
        (lambda: tabiya.match("material", "random", syzygy="/no/such"), "/no/such"),
        (lambda: tabiya.match("net=no/such.tabiya", "random"), "no/such.tabiya"),
        (lambda: tabiya.match("a", "b", "c", sprt=(0, 10)), "player"),
    ],
)
def test_what_proves_nothing_is_refused(call, part):
    with pytest.raises(tabiya.Error) as error:
        call()
    assert part in str(error.value)


def test_a_match_is_that_of_the_program(tmp_path):
    pgn = tmp_path / "games.pgn"
    result = tabiya.match("material", "random", games=8, pgn=pgn, max_moves=60, progress=False)
    assert result.ended_early is None and result.cautions == []
    games = result.report["games"]
    assert games["wins"] + games["draws"] + games["losses"] == 8
    assert pgn.read_text().count("[Event ") == 8
    assert "material" in str(result)
    for name, content in [("notes.pgn", "notes of somebody"), ("games.txt", "")]:
        other = tmp_path / name
        other.write_text(content)
        with pytest.raises(tabiya.Error, match=name):
            tabiya.match("material", "random", games=2, pgn=other, progress=False)
        assert other.read_text() == content
    again = tabiya.match("material", "random", games=8, max_moves=60, progress=False)
    assert again.report["games"] == games, "equal seeds play equal games"


def test_a_match_in_a_folder_goes_on(tmp_path):
    folder = tmp_path / "match"
    arguments = dict(games=4, out=folder, max_moves=20, progress=False)
    first = tabiya.match("first", "random", **arguments)
    assert json.loads((folder / "result.json").read_text()) == first.report
    with pytest.raises(tabiya.Error, match="match"):
        tabiya.match("first", "random", **arguments)
    assert tabiya.match("first", "random", resume=True, **arguments).report["games"] == first.report["games"]


def test_a_bar_shows_the_score(capsys):
    tabiya.match("material", "random", games=4, max_moves=30)
    shown = capsys.readouterr().err
    assert "4/4" in shown and "material - random: +" in shown


def test_a_tournament_has_a_table():
    result = tabiya.match(
        "material", "random", "first", games=2, format="round-robin", max_moves=30, progress=False
    )
    assert all(name in result.text for name in ("material", "random", "first"))


def test_ctrl_c_ends_a_match():
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        tabiya.match("random", "random", games=1_000_000, progress=False)
