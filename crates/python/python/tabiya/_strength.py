"""Matches between players, and the statistics of their results."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from tqdm.auto import tqdm

from . import _tabiya
from ._checks import MOST_COUNT, number, optional, path, several, text, whole
from ._tabiya import Error

__all__ = ["Elo", "MatchResult", "NormalizedElo", "Sprt", "elo", "match", "sprt"]


#: Most results of a kind: their sums and points stay exact.
MOST_GAMES = 10**9


@dataclass(frozen=True)
class NormalizedElo:
    """The score's distance from 1/2 in standard deviations of one game, on an Elo-like scale."""

    elo: float
    #: Half width of the 95 % interval.
    error: float


@dataclass(frozen=True)
class Elo:
    """A rating difference with its uncertainty, positive if the player is the stronger one."""

    #: Share of points won, 0 to 1.
    score: float
    #: Rating difference; ``None`` for a score of 0 or 1, which has none.
    elo: Optional[float]
    #: Lower end of the 95 % interval; ``None`` if it is unbounded.
    lower: Optional[float]
    #: Upper end of the 95 % interval; ``None`` if it is unbounded.
    upper: Optional[float]
    #: How the interval was found: ``pairs_normal``, ``games_normal``, ``games_exact`` or ``one_sided``.
    method: str
    #: Probability that the player is the stronger one, 0 to 1.
    superiority: float
    games: int
    #: Only for pairs of games, if they did not all end alike.
    normalized: Optional[NormalizedElo] = None


@dataclass(frozen=True)
class Sprt:
    """The state of a sequential probability ratio test."""

    log_likelihood_ratio: float
    #: H0 is accepted at or below it.
    lower: float
    #: H1 is accepted at or above it.
    upper: float
    #: ``h0`` or ``h1``; ``None`` while there is no decision.
    verdict: Optional[str]


def elo(
    wins: Optional[int] = None,
    draws: Optional[int] = None,
    losses: Optional[int] = None,
    *,
    pairs: Optional[Sequence[int]] = None,
) -> Elo:
    """The rating difference that results show, with its 95 % interval.

    Takes either single games, as wins, draws and losses, or ``pairs``: the counts of pairs of games from one opening with both
    colours, by the points that the player won in them: 0, 1/2, 1, 3/2, 2.

    >>> round(tabiya.elo(60, 30, 10).elo)
    191

    :raises Error: without a finished game, or if both or neither are given
    """
    games = (wins, draws, losses)
    given = any(count is not None for count in games)
    if given == (pairs is not None):
        raise Error("elo: expected either wins, draws and losses, or pairs")
    found = _tabiya.elo(_counts("games", 3, [0 if count is None else count for count in games]) if given else None, _pairs(pairs))
    if found is None:
        raise Error("elo: found no game, expected at least one")
    estimate, normalized = json.loads(found)
    return Elo(**estimate, normalized=None if normalized is None else NormalizedElo(**normalized))


def sprt(
    pairs: Sequence[int],
    elo0: float,
    elo1: float,
    *,
    alpha: Optional[float] = None,
    beta: Optional[float] = None,
    normalized: bool = False,
) -> Sprt:
    """The state of the test of ``elo0`` against ``elo1`` after pairs of games (counts as for :func:`elo`).

    :param alpha: probability of accepting H1 if H0 is true, by default that of ``tabiya match --sprt``
    :param beta: probability of accepting H0 if H1 is true, by default the same
    :param normalized: the hypotheses are normalized Elo
    :raises Error: unless ``elo0 < elo1`` and the error rates lie between 0 and 1/2
    """
    counts = _pairs(pairs)
    assert counts is not None
    hypotheses = (number("elo0", elo0), number("elo1", elo1))
    errors = (optional(number, "alpha", alpha), optional(number, "beta", beta))
    return Sprt(**json.loads(_tabiya.sprt(counts, hypotheses, errors, bool(normalized))))


@dataclass(frozen=True)
class MatchResult:
    """The result of a match, for the first player."""

    #: What ``tabiya match --json`` prints: results, Elo with interval, conditions, players, times.
    report: Dict[str, Any]
    #: What ``tabiya match`` prints.
    text: str
    #: Why the match ended before its last game, if it did: a decided test, a player that could not be started.
    ended_early: Optional[str]
    #: Problems found with endgame tables.
    cautions: List[str]

    def __str__(self) -> str:
        return self.text


def match(
    first: str,
    *others: str,
    games: Optional[int] = None,
    format: Optional[str] = None,
    sprt: Optional[Tuple[float, float]] = None,
    normalized: bool = False,
    openings: Optional[str] = None,
    opening_plies: Optional[int] = None,
    concurrency: Optional[int] = None,
    seed: Optional[int] = None,
    time_margin: Optional[float] = None,
    patience: Optional[float] = None,
    max_moves: Optional[int] = None,
    resign: Optional[Tuple[int, int]] = None,
    draw: Optional[Tuple[int, int, int]] = None,
    syzygy: Optional[str] = None,
    out: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
    pgn: Optional[Union[str, "os.PathLike[str]"]] = None,
    progress: bool = True,
) -> MatchResult:
    """Plays matches between players and measures the Elo difference, as ``tabiya match`` does.

    >>> print(tabiya.match("net=mine.tabiya,nodes=400", "default,nodes=400", games=200))  # doctest: +SKIP

    Players are named as on the command line: ``default``, ``net=PATH,nodes=800``, ``uci=stockfish,movetime=100``, ``random``.
    Every opening is played with both colours. Ctrl-C stops the match; with ``out`` its games are kept, and ``resume`` continues.
    Arguments that are ``None`` have the default of the command (``tabiya match --help``).

    :param games: games of each match, even
    :param format: with more than two players, ``gauntlet`` or ``round-robin``
    :param sprt: stop when the test between these Elo differences ends (``normalized``: normalized Elo)
    :param openings: ``balanced``, ``startpos``, ``random:PLIES`` or a file of EPD or FEN lines or PGN games
    :param opening_plies: half-moves of each game of a PGN file to use
    :param concurrency: games at the same time
    :param time_margin: seconds that a move may exceed its time limit
    :param patience: seconds after which a player without a time limit loses
    :param max_moves: a draw after this many moves of each player
    :param resign: centipawns and moves for adjudicating a loss
    :param draw: first move, centipawns and moves for adjudicating a draw
    :param syzygy: folders of endgame tables that adjudicate games
    :param out: folder for games and result
    :param pgn: file to append games to
    :param progress: draw a bar
    :raises Error: for a player, opening or setting that cannot be used, and a match without a finished game
    """
    values: Dict[str, object] = {
        "games": optional(whole, "games", games, 0, MOST_COUNT),
        "format": optional(text, "format", format),
        "sprt": None if sprt is None else (*_hypotheses(sprt), bool(normalized)),
        "openings": optional(text, "openings", openings),
        "opening_plies": optional(whole, "opening_plies", opening_plies),
        "concurrency": optional(whole, "concurrency", concurrency, 1),
        "seed": optional(whole, "seed", seed),
        "time_margin": optional(number, "time_margin", time_margin, 0),
        "patience": optional(number, "patience", patience, 0),
        "max_moves": optional(whole, "max_moves", max_moves, 0, MOST_COUNT),
        "resign": optional(_rule, "resign", resign, "centipawns and moves", 2),
        "draw": optional(_rule, "draw", draw, "first move, centipawns and moves", 3),
        "syzygy": optional(text, "syzygy", syzygy),
        "out": optional(path, "out", out),
        "resume": bool(resume),
        "pgn": optional(path, "pgn", pgn),
    }
    players = [text("player", player) for player in (first, *others)]
    with tqdm(total=games, unit="game", disable=not progress) as bar:

        def show(report: str) -> None:
            state = json.loads(report)
            bar.total = max(state["planned"], state["played"])
            bar.update(state["played"] - bar.n)
            counts = state["games"]
            score = f"+{counts['wins']} ={counts['draws']} -{counts['losses']}"
            bar.set_postfix_str(f"{' - '.join(state['names'])}: {score}")

        result, ended, cautions = _tabiya.play_match(players, values, show if progress else None)
    if result is None:
        raise Error(f"match: it ended without a finished game: {ended}")
    return MatchResult(json.loads(result[0]), result[1], ended, cautions)


def _pairs(pairs: Optional[Sequence[int]]) -> Optional[List[int]]:
    return None if pairs is None else _counts("pairs", 5, pairs)


def _counts(what: str, length: int, counts: Sequence[int]) -> List[int]:
    return [whole(what, count, 0, MOST_GAMES) for count in several(what, counts, f"{length} counts from 0", length)]


def _hypotheses(sprt: Tuple[float, float]) -> List[float]:
    return [number("sprt", elo) for elo in several("sprt", sprt, "two differences of Elo", 2)]


def _rule(name: str, rule: Tuple[int, ...], meaning: str, count: int) -> Tuple[int, ...]:
    return tuple(whole(name, value, 0, MOST_COUNT) for value in several(name, rule, meaning, count))
