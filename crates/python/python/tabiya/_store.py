"""Sample stores: positions with their labels, as tables and as arrays to train on."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt
from tqdm.auto import tqdm

from . import _tabiya
from ._checks import MOST_RATING, Described, PathLike, described, number, optional, path, text, whole
from ._checks import ratings as checked_ratings
from ._record import Position, record
from ._tabiya import Error

if TYPE_CHECKING:
    import pyarrow

__all__ = ["AddedGames", "Batch", "Batches", "Encoded", "Store", "add_personal_games", "build", "encode"]

#: Samples that are shuffled with each other unless a number is given.
SHUFFLE_WINDOW = 262_144

#: Rows of a record batch of Arrow unless a number is given: those of a row group of the store.
ROWS = 65_536


@dataclass(frozen=True)
class Encoded:
    """Positions as a network reads them: ``n`` positions with ``m`` legal moves in all.

    The moves of position ``i`` are those from ``offsets[i]`` to ``offsets[i + 1]``, in the order of
    :meth:`tabiya.Network.evaluate_batch`. Planes and moves are seen by the side to move, unless the encoding comes from
    another program and sees White's side. A network of planes has ``planes``, or ``masks`` and ``values``; a sparse one has
    ``features``, ``pieces`` and ``kinds``.
    """

    #: Where the moves of each position start and those of the last one end, int64 ``[n + 1]``.
    offsets: npt.NDArray[np.int64]
    #: Policy index of each legal move, int64 ``[m]``; for a sparse network, the row of the move.
    moves: npt.NDArray[np.int64]
    #: What the network reads, float32 ``[n, channels, 8, 8]``: ranks from the mover's own side, files from a.
    planes: Optional[npt.NDArray[np.float32]] = None
    #: The same packed: the squares of each plane, uint64 ``[n, planes]``, bit 0 = a1 in the mover's view, ...
    masks: Optional[npt.NDArray[np.uint64]] = None
    #: ... and the value that they have, float32 ``[n, planes]``.
    values: Optional[npt.NDArray[np.float32]] = None
    #: For packed planes that share channels: the planes of each channel, 1 where a plane is part of it, float32
    #: ``[channels, planes]``.
    channels: Optional[npt.NDArray[np.float32]] = None
    #: For each set of features of a sparse network: where the list of each position starts, int64 ``[n + 1]``, and the numbers
    #: of the features, int64.
    features: Optional[List[Tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]] = None
    #: Pieces on the board, for a sparse network, uint8 ``[n]``.
    pieces: Optional[npt.NDArray[np.uint8]] = None
    #: Row of the kind of each legal move, for a sparse network, int64 ``[m]``.
    kinds: Optional[npt.NDArray[np.int64]] = None

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class Batch(Encoded):
    """Samples of a store: positions with their training targets, ``n`` samples with ``m`` legal moves in all."""

    #: Target probability of each legal move, float32 ``[m]``; adds up to 1 in each sample.
    policy: Optional[npt.NDArray[np.float32]] = None
    #: Target win, draw and loss of each sample for the side to move, float32 ``[n, 3]``: what the recipe's
    #: ``losses.value_target`` makes of evaluation, search value and result. Zeros if there is no label.
    wdl: Optional[npt.NDArray[np.float32]] = None
    #: The same as one number, float32 ``[n]``: win minus loss, or pawns for a network whose value is in pawns.
    numbers: Optional[npt.NDArray[np.float32]] = None
    #: Weight of each sample in the policy's loss, 1 by default, float32 ``[n]``.
    policy_weights: Optional[npt.NDArray[np.float32]] = None
    #: The same in the value's loss; 0 if there is no label.
    value_weights: Optional[npt.NDArray[np.float32]] = None


class Batches:
    """An iterator over the batches of one epoch; :meth:`Store.batches` makes it."""

    def __init__(self, batches: "_tabiya.Batches") -> None:
        self._batches = batches
        self._taken = 0

    def __len__(self) -> int:
        """Number of batches in all, including those already taken."""
        return self._batches.count()

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        arrays = self._batches.take()
        if arrays is None:
            raise StopIteration
        return Batch(**arrays)


class Store:
    """A sample store made by :func:`build` or ``tabiya data build``, opened for reading.

    >>> with tabiya.Store("stores/first") as store:  # doctest: +SKIP
    ...     for batch in store.batches(1024, "recipes/first"):
    ...         batch.planes.shape, batch.policy.shape, batch.wdl.shape
    """

    def __init__(self, path_: PathLike) -> None:
        """Opens a store and checks that its files are what its manifest says.

        :param path_: the store's folder
        :raises Error: if there is none, or it is damaged
        """
        self._store = _tabiya.Store(path("store", path_))

    @property
    def path(self) -> str:
        """The folder."""
        return os.fspath(self._store.path())

    @property
    def hash(self) -> str:
        """The hash of the content, whatever its path: XXH3 of the hashes of its files, 128 bits, hexadecimal."""
        return self._store.hash()

    @property
    def manifest(self) -> Dict[str, Any]:
        """Contents and origin of the store, as in ``manifest.json``."""
        manifest: Dict[str, Any] = json.loads(self._store.manifest())
        return manifest

    def __len__(self) -> int:
        """Number of samples in both splits."""
        return self._store.positions(None)

    def positions(self, split: str = "train") -> int:
        """Number of samples in a split: ``train`` or ``validation``."""
        return self._store.positions(text("split", split))

    def __repr__(self) -> str:
        return f"<tabiya.Store {self.path}: {len(self):,} samples>"

    def statistics(self, *, progress: bool = True) -> Dict[str, Any]:
        """Counts every row, as ``tabiya data stats --json``: games, results, labels, ratings, openings, phases, leaks.

        Ctrl-C takes effect when everything is counted, about a second for a million samples.

        :param progress: draw a bar
        :raises Error: if a file cannot be read
        """
        with tqdm(total=len(self), unit="sample", unit_scale=True, disable=not progress) as bar:
            show = (lambda rows: bar.update(rows - bar.n)) if progress else None
            statistics: Dict[str, Any] = json.loads(self._store.statistics(show))
        return statistics

    def rows(
        self, split: str = "train", columns: Optional[Sequence[str]] = None, *, size: int = ROWS
    ) -> "pyarrow.RecordBatchReader":
        """The samples as they are stored, a stream of record batches of Arrow; needs ``pyarrow``.

        ``rows().read_all()`` is a table; pandas, Polars and DuckDB take the stream as it is. ``docs/formats.md`` gives the
        meaning of each column.

        :param split: ``train`` or ``validation``
        :param columns: names of columns; all by default
        :param size: most rows of a record batch
        :raises Error: for a column that the store lacks
        """
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise ImportError(f"Store.rows needs pyarrow, which cannot be imported: {error}") from error
        size = whole("size", size, 1)
        files = [pyarrow.parquet.ParquetFile(file) for file in self._store.files(text("split", split))]
        # Both splits have the same columns, and one of them has a file.
        some = files or [pyarrow.parquet.ParquetFile(file) for other in SPLITS for file in self._store.files(other)]
        if not some:
            return pyarrow.RecordBatchReader.from_batches(pyarrow.schema([]), [])
        schema = some[0].schema_arrow
        if columns is not None:
            for name in columns:
                if name not in schema.names:
                    raise Error(f"columns: found {name!r}, expected some of {', '.join(schema.names)}")
            schema = pyarrow.schema([schema.field(name) for name in columns])
        schema = schema.remove_metadata()
        stream = (
            batch.select(schema.names).replace_schema_metadata(None)
            for file in files
            for batch in file.iter_batches(batch_size=size, columns=schema.names)
        )
        return pyarrow.RecordBatchReader.from_batches(schema, stream)

    def batches(
        self,
        size: int,
        input: Described = "tabiya",
        *,
        moves: Optional[str] = None,
        split: str = "train",
        shuffle: Union[bool, int] = True,
        seed: int = 1,
        epoch: int = 0,
        part: Tuple[int, int] = (0, 1),
        threads: int = 1,
        packed: bool = False,
    ) -> Batches:
        """The samples of one epoch as NumPy arrays, which are the loader's own memory.

        Native threads read, shuffle and encode the samples, as in training. The order depends only on
        ``seed`` and ``epoch``.

        :param size: samples of a batch; shuffled training batches are all full, and left-over samples are dropped
        :param input: what reads the samples: the name of an input encoding (:func:`tabiya.encodings`), a network (name, path
            or :class:`tabiya.Network`), or a recipe (path or table), whose ``[losses]`` then decide policy temperature,
            value target and weights (label smoothing is left to the loss)
        :param moves: move encoding, if ``input`` names an input encoding; ``lc0-1858`` by default
        :param split: ``train`` or ``validation``, whose shuffled order is always the same
        :param shuffle: ``True``, or the number of samples shuffled with each other (at least a row group of 65,536, about 100
            bytes of memory each); ``False`` for the stored order, to the last sample
        :param seed: decides the order, together with the epoch
        :param epoch: number of the epoch
        :param part: number of this part, and number of all parts, which share the epoch's row groups
        :param threads: threads that encode
        :param packed: give masks and values, 12 bytes per plane, instead of 256 bytes of squares
        :raises Error: for an unknown encoding or split, a store with too little history for the encoding, a number out of
            its range
        """
        if shuffle is True:
            window: Optional[int] = SHUFFLE_WINDOW
        else:
            window = None if shuffle is False else whole("shuffle", shuffle, 1)
        try:
            one, parts = part
        except (TypeError, ValueError):
            raise Error(f"part: found {part!r}, expected the number of the part and of all parts") from None
        values: Dict[str, object] = {
            "size": whole("size", size, 1),
            "split": text("split", split),
            "shuffle": window,
            "seed": whole("seed", seed),
            "epoch": whole("epoch", epoch),
            "part": (whole("part", one), whole("part", parts, 1)),
            "threads": whole("threads", threads, 1),
            "packed": bool(packed),
        }
        return Batches(self._store.batches(described("input", input), optional(text, "moves", moves), values))

    def close(self) -> None:
        """Releases the files. Batches that were begun continue; anything else raises :class:`Error` from now on."""
        self._store.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


#: The splits of every store.
SPLITS = ("train", "validation")


def build(
    out: PathLike,
    inputs: Union[PathLike, Sequence[PathLike]],
    *,
    validation: Optional[float] = None,
    history: Optional[int] = None,
    seed: Optional[int] = None,
    min_rating: Optional[int] = None,
    player: Optional[str] = None,
    evaluated: bool = False,
    samples_per_game: Optional[int] = None,
    max_positions: Optional[int] = None,
    drop_leaks: bool = False,
    progress: bool = True,
) -> Store:
    """Builds a sample store of games and positions and opens it, as ``tabiya data build`` does.

    Formats are recognised by content: PGN, tables of games, the Lichess evaluation database, puzzles, EPD; plain or compressed.
    Broken records and labels whose meaning is in doubt are left out and counted in the manifest; a ``UserWarning`` names their
    kinds. Ctrl-C leaves no partial store. Arguments that are ``None`` have the default of the command (``tabiya data build --help``).

    :param out: the store's folder, which must not exist
    :param inputs: files, folders or archives of them
    :param validation: share of the games for the validation split, 0 to 1
    :param history: positions kept with each sample, its own included; as many as the input encoding needs
    :param seed: decides which samples of a game are taken
    :param min_rating: least rating of both players
    :param player: keep only the moves of this player
    :param evaluated: keep only positions with an engine's evaluation
    :param samples_per_game: most samples of a game
    :param max_positions: samples in all
    :param drop_leaks: leave out validation samples whose position is also in the training split
    :param progress: draw a bar
    :raises Error: for an input that is missing or unknown, a folder that exists, a number out of its range
    """
    many = isinstance(inputs, (list, tuple))
    files = [path("inputs", file) for file in (inputs if many else [inputs])]
    share = optional(number, "validation", validation)
    if share is not None and not 0 <= share <= 1:
        raise Error(f"validation: found {validation}, expected a share from 0 to 1")
    values: Dict[str, object] = {
        "validation": share,
        "history": optional(whole, "history", history, 1),
        "seed": optional(whole, "seed", seed),
        "min_rating": optional(whole, "min_rating", min_rating, 0, MOST_RATING),
        "player": optional(text, "player", player),
        "evaluated": bool(evaluated),
        "samples_per_game": optional(whole, "samples_per_game", samples_per_game, 1),
        "max_positions": optional(whole, "max_positions", max_positions, 1),
        "drop_leaks": bool(drop_leaks),
    }
    folder = path("out", out)
    with tqdm(unit=" positions", unit_scale=True, disable=not progress) as bar:

        def show(text: str) -> None:
            state = json.loads(text)
            if "positions" in state:
                bar.update(state["positions"] - bar.n)

        manifest = json.loads(_tabiya.build(folder, files, values, show if progress else None))
    counts = manifest["counts"]
    left_out = {"broken records": counts.get("rejected"), "labels whose meaning is in doubt": counts.get("doubts")}
    for what, kinds in left_out.items():
        if kinds:
            found = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
            warnings.warn(f"{folder}: left out {what}: {found}", stacklevel=2)
    return Store(folder)


@dataclass(frozen=True)
class AddedGames:
    """The result of adding games to personal ones."""

    #: Games in the folder now.
    games: int
    #: Games added by this call.
    added: int
    #: Games that were there already.
    known: int
    #: Games of other players, left out.
    of_others: int
    #: Games that could not be read.
    broken: int


def add_personal_games(folder: PathLike, inputs: Union[PathLike, Sequence[PathLike]], player: str) -> AddedGames:
    """Keeps games of one person for a network that plays like them, as ``tabiya data personal add`` does.

    Moves, results, ratings and time controls are kept; names, dates and comments are not. ``tabiya.train("recipes/you", folder,
    start="human", out=...)`` trains on them. Ctrl-C takes effect when all are read.

    :param folder: folder of the personal games, created if there is none
    :param inputs: files, folders or archives of games
    :param player: the person's name in the games, in upper or lower case
    :raises Error: for a missing file, only games of others, or a folder of something else
    """
    many = isinstance(inputs, (list, tuple))
    files = [path("inputs", file) for file in (inputs if many else [inputs])]
    found = json.loads(_tabiya.add_personal_games(path("folder", folder), files, text("player", player)))
    last = found["last"]
    return AddedGames(found["games"], **{name: last[name] for name in ("added", "known", "of_others", "broken")})


def encode(
    positions: Union[Position, Sequence[Position]],
    input: Described = "tabiya",
    *,
    moves: Optional[str] = None,
    ratings: Tuple[Optional[int], Optional[int]] = (None, None),
    packed: bool = False,
) -> Encoded:
    """Positions as a network reads them.

    :param positions: a board or FEN, or a list of them; boards include their moves
    :param input: as in :meth:`Store.batches`
    :param moves: as there
    :param ratings: Elo of White and Black, for encodings that include it
    :param packed: as there
    :raises Error: for an illegal position, with its place in the list, and an unknown encoding
    """
    one = isinstance(positions, str) or hasattr(positions, "move_stack")
    if not one and not hasattr(positions, "__iter__"):
        raise Error(f"positions: found {type(positions).__name__}, expected boards or FENs")
    records = [
        record(position, f"position {index}") for index, position in enumerate([positions] if one else positions)
    ]
    encoding = (described("input", input), optional(text, "moves", moves))
    return Encoded(**_tabiya.encode(encoding, records, checked_ratings(ratings), bool(packed)))
