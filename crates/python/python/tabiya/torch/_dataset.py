"""Sample stores as data sets of PyTorch."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from .._checks import Described, described, path
from .._store import Batch as Arrays
from .._store import Encoded, Store
from .._tabiya import Error

__all__ = ["Batch", "Dataset", "unpacked"]


class Batch(NamedTuple):
    """Samples as tensors, which share the memory of the arrays: ``n`` samples with ``m`` legal moves in all.

    Fields are those of :class:`tabiya.Batch`; those that a network does not read are ``None``.
    """

    #: Where the moves of each sample start and those of the last one end, int64 ``[n + 1]``.
    offsets: torch.Tensor
    #: Policy index of each legal move, int64 ``[m]``; for a sparse network, the row of the move. -1 stands for no move, in batches
    #: whose samples have as many places as the one with the most moves (:class:`Resident`).
    moves: torch.Tensor
    #: float32 ``[n, channels, 8, 8]``.
    planes: Optional[torch.Tensor] = None
    #: The same packed: bits of the squares, int64 ``[n, planes]``, ...
    masks: Optional[torch.Tensor] = None
    #: ... and their value, float32 ``[n, planes]``: see :func:`unpacked`.
    values: Optional[torch.Tensor] = None
    #: For packed planes that share channels, float32 ``[channels, planes]``.
    channels: Optional[torch.Tensor] = None
    #: For a sparse network, for each set of features: starts, int64 ``[n + 1]``, and numbers, int64.
    features: Optional[List[Tuple[torch.Tensor, torch.Tensor]]] = None
    #: Pieces on the board, int64 ``[n]``.
    pieces: Optional[torch.Tensor] = None
    #: Row of the kind of each legal move, int64 ``[m]``.
    kinds: Optional[torch.Tensor] = None
    #: Target probability of each legal move, float32 ``[m]``.
    policy: Optional[torch.Tensor] = None
    #: Target of the value, float32 ``[n, 3]``.
    wdl: Optional[torch.Tensor] = None
    #: The same as one number, float32 ``[n]``: win minus loss, or pawns.
    numbers: Optional[torch.Tensor] = None
    #: Weight of each sample for the policy, float32 ``[n]``.
    policy_weights: Optional[torch.Tensor] = None
    #: The same for the value; 0 without a label.
    value_weights: Optional[torch.Tensor] = None
    #: Places for moves that every sample has, if the number is the same for all.
    widest: Optional[int] = None

    @classmethod
    def of(cls, arrays: Union[Encoded, Arrays]) -> "Batch":
        """The tensors of arrays, without a copy."""
        fields: Dict[str, Any] = {}
        for name, value in vars(arrays).items():
            if value is None:
                continue
            if name == "features":
                value = [(torch.from_numpy(starts), torch.from_numpy(numbers)) for starts, numbers in value]
            elif name == "masks":
                # The bits stay the same: PyTorch computes little with unsigned numbers of 64 bits.
                value = torch.from_numpy(value.view(np.int64))
            elif name == "pieces":
                value = torch.from_numpy(value).long()
            else:
                value = torch.from_numpy(value)
            fields[name] = value
        return cls(**fields)

    @property
    def size(self) -> int:
        """Samples."""
        return len(self.offsets) - 1

    @property
    def samples(self) -> torch.Tensor:
        """The sample that each legal move belongs to, int64 ``[m]``."""
        numbers = torch.arange(self.size, device=self.offsets.device)
        return numbers.repeat_interleave(self.offsets.diff(), output_size=len(self.moves))

    def rows(self, column: torch.Tensor, fill: float) -> torch.Tensor:
        """The numbers of the legal moves in a row for each sample, as long as the row of the sample with the most moves.

        :param column: a number for each legal move, ``[m]``
        :param fill: the number in the remaining places of samples with fewer moves
        :returns: ``[n, most moves of a sample]``
        """
        if self.widest is not None:
            return column.unflatten(0, (self.size, self.widest))
        samples = self.samples
        places = torch.arange(len(samples), device=samples.device) - self.offsets[samples]
        rows = column.new_full((self.size, int(self.offsets.diff().max())), fill)
        return rows.index_put((samples, places), column)

    @property
    def input(self) -> Any:
        """What the network's ``forward`` takes: planes, or for a sparse network the batch itself."""
        if self.planes is not None:
            return self.planes
        return self if self.masks is None else unpacked(self.masks, self.values, self.channels)

    def split(self, size: int) -> "List[Batch]":
        """Parts of so many samples, for a batch of :class:`Resident`, whose samples all have as many places for moves."""
        if self.widest is None and len(self.moves):
            raise Error("batch: found samples with places for their own moves alone, expected those of a Resident")
        by_move, parts = ("moves", "policy", "kinds"), []
        for begin in range(0, self.size, size):
            count = min(size, self.size - begin)
            fields: Dict[str, Any] = {}
            for name, value in self._asdict().items():
                if isinstance(value, torch.Tensor) and name not in ("offsets", "channels"):
                    places = (self.widest or 0) if name in by_move else 1
                    value = value[begin * places : (begin + count) * places]
                fields[name] = value
            fields["offsets"] = self.offsets[: count + 1]
            parts.append(Batch(**fields))
        return parts

    def to(self, device: Union[str, torch.device], *, non_blocking: bool = False) -> "Batch":
        """The batch on another device."""

        def move(value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return value.to(device, non_blocking=non_blocking)
            return [tuple(map(move, pair)) for pair in value] if isinstance(value, list) else value

        return Batch(*map(move, self))


def unpacked(masks: torch.Tensor, values: torch.Tensor, channels: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Packed planes as squares, on the device where they are.

    :param masks: int64 ``[n, planes]``, bit 0 = the first square
    :param values: float32 ``[n, planes]``
    :param channels: for planes that share channels, float32 ``[channels, planes]``
    :returns: float32 ``[n, channels, 8, 8]``
    """
    bits = torch.arange(64, device=masks.device)
    squares = (masks.unsqueeze(-1) >> bits & 1) * values.unsqueeze(-1)
    if channels is not None:
        # No square is in two planes of one channel, so a sum has at most one term other than 0.
        squares = channels @ squares
    return squares.unflatten(-1, (8, 8))


class Dataset(IterableDataset):
    """A sample store as batches of tensors, for one process or the workers of a ``DataLoader``.

    >>> dataset = tabiya.torch.Dataset("stores/first", 256, "recipes/first")  # doctest: +SKIP
    >>> loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2)  # doctest: +SKIP
    >>> for epoch in range(3):  # doctest: +SKIP
    ...     dataset.set_epoch(epoch)
    ...     for batch in loader: ...

    An item is a whole batch, hence ``batch_size=None``. Workers share out the row groups of the shuffled epoch (65,536 samples
    each): between them every sample comes once, except each worker's last batch if it is not full. Workers beyond the
    number of row groups are idle.
    """

    def __init__(
        self,
        store: Union[str, "os.PathLike[str]", Store],
        size: int,
        input: Described = "tabiya",
        **options: Any,
    ) -> None:
        """Names the samples; nothing is read yet.

        :param store: the store or its folder
        :param size: samples of a batch
        :param input: as in :meth:`tabiya.Store.batches`
        :param options: those of :meth:`tabiya.Store.batches`: ``moves``, ``split``, ``shuffle``, ``seed``, ``epoch``,
            ``threads``, ``packed``, and ``part`` if several processes with workers of their own share the store
        :raises Error: as :meth:`tabiya.Store.batches`
        """
        super().__init__()
        self.path = store.path if isinstance(store, Store) else path("store", store)
        self.size = size
        self.input = described("input", input)
        self.options = dict(options)
        with Store(self.path) as opened:
            # Mistyped arguments are found here, not in a worker.
            self._length = len(opened.batches(size, self.input, **self.options))

    def set_epoch(self, epoch: int) -> None:
        """Chooses the epoch, whose order differs from that of others, before the next iteration."""
        self.options["epoch"] = epoch

    def __len__(self) -> int:
        """Batches of an epoch in one process; several workers may drop a few more."""
        return self._length

    def __iter__(self) -> Iterator[Batch]:
        options = dict(self.options)
        worker = get_worker_info()
        if worker is not None:
            number, parts = options.get("part", (0, 1))
            options["part"] = (number * worker.num_workers + worker.id, parts * worker.num_workers)
        with Store(self.path) as store:
            batches = store.batches(self.size, self.input, **options)
        return map(Batch.of, batches)
