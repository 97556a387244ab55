"""Searches that play and analyse, in the manner of ``chess.engine`` and in this process."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union, overload

import chess
import chess.engine

from . import _tabiya
from ._checks import MOST_COUNT, number, optional, text, whole
from ._network import Network
from ._record import record
from ._tabiya import Error, searches

__all__ = ["Engine", "RootMove", "SearchOption", "search_options", "searches"]

#: Value of an option: what ``setoption`` takes under UCI.
OptionValue = Union[str, int, float, bool]


class SearchOption(NamedTuple):
    """An option of the searches."""

    name: str
    default: str
    #: The values that it takes, in words.
    values: str
    #: What it does.
    help: str


def search_options() -> List[SearchOption]:
    """Every option of the searches, for ``options=`` of :class:`Engine`."""
    return [SearchOption(*row) for row in _tabiya.search_options()]


@dataclass(frozen=True)
class RootMove:
    """The findings of a search about one move of the position."""

    move: chess.Move
    #: Visits below the move; 0 for searches that do not count visits.
    visits: int
    #: Probability that the network gives the move; ``None`` if it has no policy.
    prior: Optional[float]
    #: Win, draw and loss for the side to move, each 0 to 1; ``None`` if the move was never visited.
    wdl: Optional[Tuple[float, float, float]]
    #: The line that begins with the move.
    pv: List[chess.Move]

    @property
    def value(self) -> Optional[float]:
        """Win minus loss, -1 to 1."""
        return None if self.wdl is None else self.wdl[0] - self.wdl[2]


class Engine:
    """A search on a network, with its memory from move to move.

    >>> import chess, chess.engine, tabiya
    >>> with tabiya.Engine("default") as engine:
    ...     result = engine.play(chess.Board(), chess.engine.Limit(nodes=50))
    >>> result.move in chess.Board().legal_moves
    True

    One engine searches one position at a time; for several threads, open several engines on one :class:`Network`.

    :param net: a :class:`Network`, or what :func:`tabiya.load` takes
    :param threads: threads of ``puct``, ``pvs`` and ``alpha-beta`` (searches of other kinds have one)
    :param search: the method, a name from :func:`searches`: ``puct``, which visits moves and values each of them; ``auto``, the
        strongest, which does so only with networks of convolutions; ``policy``, ``alpha-beta``, ... By default the network of a
        reproduced system (``mlx``, ``knights-el``, ...) plays with the search of its recipe, and with as many nodes where a limit
        says nothing, and every other network with ``puct``
    :param options: values by name, over those of a system's recipe, as under UCI: ``{"Hash": 64, "Temperature": 0.5}``; :func:`search_options` lists them,
        ``SyzygyPath`` and ``BookFile`` (with ``OwnBook``) are accepted too
    :raises Error: for an unknown search or option, a value out of its range, or a network that cannot be opened
    """

    def __init__(
        self,
        net: Union[str, "os.PathLike[str]", Network] = "default",
        *,
        threads: int = 1,
        search: Optional[str] = None,
        options: Optional[Mapping[str, OptionValue]] = None,
        precision: Optional[str] = None,
    ) -> None:
        if not isinstance(net, Network):
            net = Network(net, precision=precision)
        pairs = _pairs({"Threads": threads, **_named(options)})
        self.network = net
        self._engine = _tabiya.Engine(net._network, optional(text, "search", search), pairs)
        self._game: object = None
        self._root_moves: List[RootMove] = []

    @property
    def description(self) -> str:
        """Search and network."""
        return self._engine.describe()

    def __repr__(self) -> str:
        try:
            return f"<tabiya.Engine {self.description}>"
        except Error as error:
            return f"<tabiya.Engine: {error}>"

    def configure(self, options: Mapping[str, OptionValue]) -> None:
        """Changes options of the search, as ``chess.engine`` does.

        :raises Error: for an unknown option or a value out of its range
        """
        self._engine.set_options(_pairs(_named(options)))

    def play(
        self,
        board: chess.Board,
        limit: chess.engine.Limit,
        *,
        game: object = None,
        root_moves: Optional[Iterable[chess.Move]] = None,
        options: Optional[Mapping[str, OptionValue]] = None,
    ) -> chess.engine.PlayResult:
        """Chooses a move. ``info`` of the result has what :meth:`analyse` returns.

        :param game: any object; if it differs from the last one, a new game begins and the search's memory is cleared
        :param root_moves: consider only these moves
        :param options: values for this search only
        :raises Error: for an illegal position, one that is over, a board of a variant, or a search without a limit
        """
        found = self._search(board, limit, game, root_moves, options, None)
        ponder = found["ponder"]
        return chess.engine.PlayResult(
            chess.Move.from_uci(found["best"]),
            None if ponder is None else chess.Move.from_uci(ponder),
            _infos(found, board.turn)[0],
        )

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: chess.engine.Limit,
        *,
        multipv: None = None,
        game: object = None,
        root_moves: Optional[Iterable[chess.Move]] = None,
        options: Optional[Mapping[str, OptionValue]] = None,
        on_info: Optional[Callable[[List[chess.engine.InfoDict]], None]] = None,
    ) -> chess.engine.InfoDict: ...

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: chess.engine.Limit,
        *,
        multipv: int,
        game: object = None,
        root_moves: Optional[Iterable[chess.Move]] = None,
        options: Optional[Mapping[str, OptionValue]] = None,
        on_info: Optional[Callable[[List[chess.engine.InfoDict]], None]] = None,
    ) -> List[chess.engine.InfoDict]: ...

    def analyse(
        self,
        board: chess.Board,
        limit: chess.engine.Limit,
        *,
        multipv: Optional[int] = None,
        game: object = None,
        root_moves: Optional[Iterable[chess.Move]] = None,
        options: Optional[Mapping[str, OptionValue]] = None,
        on_info: Optional[Callable[[List[chess.engine.InfoDict]], None]] = None,
    ) -> Union[chess.engine.InfoDict, List[chess.engine.InfoDict]]:
        """Analyses a position: ``score`` and ``wdl`` (seen by the side to move), ``pv``, ``nodes``, ``nps``, ``depth``...

        :param multipv: number of lines; if given, the answer is a list of that many, best first
        :param on_info: called with every report while the search runs
        :raises Error: as :meth:`play`
        """
        if multipv is not None:
            options = {**_named(options), "MultiPV": whole("multipv", multipv, 1)}
        report = None
        if on_info is not None:
            if not callable(on_info):
                raise Error(f"on_info: found {on_info!r}, expected a function")
            heard, turn = on_info, board.turn
            report = lambda text: heard(_infos(json.loads(text), turn))  # noqa: E731
        found = self._search(board, limit, game, root_moves, options, report)
        infos = _infos(found, board.turn)
        return infos[0] if multipv is None else infos

    @property
    def root_moves(self) -> List[RootMove]:
        """Every move of the position that was searched last, best first."""
        return self._root_moves

    def stop(self) -> None:
        """Ends the running search of another thread, which then answers with what it has found."""
        self._engine.stop()

    def close(self) -> None:
        """Ends the running search and frees the memory."""
        self._engine.close()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _search(
        self,
        board: chess.Board,
        limit: chess.engine.Limit,
        game: object,
        root_moves: Optional[Iterable[chess.Move]],
        options: Optional[Mapping[str, OptionValue]],
        report: Optional[Callable[[str], None]],
    ) -> Dict[str, Any]:
        if not isinstance(limit, chess.engine.Limit):
            raise Error(f"limit: found {type(limit).__name__}, expected a chess.engine.Limit")
        position = record(board, "board")
        if isinstance(board, str):
            raise Error("board: found a text, expected a chess.Board")
        if game != self._game:
            self._engine.new_game()
            self._game = game
        before = self._engine.set_options(_pairs(_named(options)))
        try:
            values = _limit(limit, board.turn, root_moves)
            found: Dict[str, Any] = json.loads(self._engine.run(position, values, report))
        finally:
            self._restore(before)
        self._root_moves = [_root_move(row) for row in found["trace"]["moves"]]
        return found

    def _restore(self, before: List[Tuple[str, str]]) -> None:
        if before:
            try:
                self._engine.set_options(before)
            except Error:
                # The engine was closed meanwhile; the search itself says so.
                pass


def _named(options: Optional[Mapping[str, OptionValue]]) -> Mapping[str, OptionValue]:
    if options is not None and not isinstance(options, Mapping):
        raise Error(f"options: found {options!r}, expected values by name")
    return options or {}


def _pairs(options: Mapping[str, OptionValue]) -> List[Tuple[str, str]]:
    written = {True: "true", False: "false"}
    return [
        (text("options", name), written[value] if isinstance(value, bool) else str(value))
        for name, value in options.items()
    ]


def _limit(
    limit: chess.engine.Limit, turn: chess.Color, root_moves: Optional[Iterable[chess.Move]]
) -> Dict[str, object]:
    left, added = (limit.white_clock, limit.white_inc) if turn else (limit.black_clock, limit.black_inc)
    remaining = optional(whole, "limit.remaining_moves", limit.remaining_moves, 0, MOST_COUNT)
    increment = number("increment", added or 0.0, 0)
    return {
        "nodes": optional(whole, "limit.nodes", limit.nodes),
        "depth": optional(whole, "limit.depth", limit.depth, 0, MOST_COUNT),
        "mate": optional(whole, "limit.mate", limit.mate, 1, MOST_COUNT),
        "time": optional(number, "limit.time", limit.time, 0),
        "clock": None if left is None else (number("limit.clock", left), increment, remaining),
        "root_moves": [_uci(move) for move in root_moves or []],
    }


def _uci(move: chess.Move) -> str:
    if not isinstance(move, chess.Move):
        raise Error(f"root_moves: found {move!r}, expected moves of python-chess")
    return move.uci()


def _wdl(wdl: Dict[str, float]) -> Tuple[float, float, float]:
    return wdl["win"], wdl["draw"], wdl["loss"]


def _score(score: Dict[str, int]) -> chess.engine.Score:
    if "mate" in score:
        return chess.engine.Mate(score["mate"])
    return chess.engine.Cp(score["centipawns"])


def _infos(found: Dict[str, Any], turn: chess.Color) -> List[chess.engine.InfoDict]:
    """One info for each line, at least one."""
    trace = found["trace"]
    seconds = trace["elapsed_ms"] / 1000
    infos = []
    for number, line in enumerate(found["variations"] or [None], 1):
        info: chess.engine.InfoDict = {
            "multipv": number,
            "depth": trace["depth"],
            "seldepth": trace["selective_depth"],
            "nodes": trace["nodes"],
            "nps": trace["nodes_per_second"],
            "tbhits": trace["table_hits"],
            "hashfull": trace["hash_full"],
            "time": seconds,
        }
        if line is None:
            info["string"] = "book"
        else:
            # A network without a value has neither.
            if line["wdl"] is not None:
                win, _, loss = _wdl(line["wdl"])
                won, lost = round(1000 * win), round(1000 * loss)
                wdl = chess.engine.Wdl(won, 1000 - won - lost, lost)
                info["wdl"] = chess.engine.PovWdl(wdl, turn)
                info["score"] = chess.engine.PovScore(_score(line["score"]), turn)
            info["pv"] = [chess.Move.from_uci(move) for move in line["moves"]]
        infos.append(info)
    return infos


def _root_move(row: Dict[str, Any]) -> RootMove:
    wdl = row["wdl"]
    return RootMove(
        move=chess.Move.from_uci(row["uci"]),
        visits=row["visits"],
        prior=row["prior"],
        wdl=None if wdl is None else _wdl(wdl),
        pv=[chess.Move.from_uci(move) for move in row["variation_uci"]],
    )
