"""Samples of a store in the memory of a device."""

from __future__ import annotations

import os
from typing import Dict, List, Optional, Union

import torch
from torch.nn import functional

from .._checks import Described, described, path, whole
from .._store import Store
from .._tabiya import Error
from ._dataset import Batch

__all__ = ["Resident"]

#: Samples that are read at a time.
PIECE = 16_384


class Resident:
    """The samples of a store in the memory of a device, from which batches are drawn without reading anything.

    >>> samples = tabiya.torch.Resident("stores/first", "recipes/first", device="cuda")  # doctest: +SKIP
    >>> batch = samples[torch.randint(len(samples), (256,), device="cuda")]  # doctest: +SKIP

    A loader takes several milliseconds for what a GPU computes in one, and whole stores fit the GPU's memory. A sample takes 12
    bytes per plane and 6 for each legal move of the sample that has the most, about a kilobyte. All batches of one size have the
    same shapes, so a step over one can be captured in a CUDA graph. For networks of planes.
    """

    def __init__(
        self,
        store: Union[str, "os.PathLike[str]", Store],
        input: Described = "tabiya",
        *,
        device: Union[str, torch.device] = "cuda",
        split: str = "train",
        most: Optional[int] = None,
        threads: int = 1,
        policy: bool = True,
    ) -> None:
        """Reads the samples.

        :param store: the store or its folder
        :param input: as in :meth:`tabiya.Store.batches`
        :param device: where they are kept
        :param split: ``train`` or ``validation``
        :param most: at most this many samples, in the store's order; all by default
        :param threads: threads that encode
        :param policy: ``False`` leaves out legal moves and their targets, most of a sample's memory, for networks without a policy
        :raises Error: as :meth:`tabiya.Store.batches`; for an empty split, and a sparse network
        """
        file = store.path if isinstance(store, Store) else path("store", store)
        most = None if most is None else whole("most", most, 1)
        pieces: Dict[str, List[torch.Tensor]] = {}
        self._channels: Optional[torch.Tensor] = None
        count = 0
        with Store(file) as opened:
            options = {"split": split, "shuffle": False, "threads": threads, "packed": True}
            batches = opened.batches(PIECE, described("input", input), **options)
        for arrays in batches:
            batch = Batch.of(arrays)
            if batch.masks is None:
                raise Error("input: found a sparse network, expected one of planes")
            batch = batch.to(device)
            self._channels = batch.channels
            for name, tensor in self._columns(batch, policy).items():
                pieces.setdefault(name, []).append(tensor)
            count += batch.size
            if most is not None and count >= most:
                break
        if count == 0:
            raise Error(f"{file}: found no samples of split {split!r}, expected at least 1")
        #: Places for legal moves that each sample has; 0 without a policy.
        self.widest = max(tensor.shape[1] for tensor in pieces["moves"]) if policy else 0
        self._all: Dict[str, torch.Tensor] = {}
        for name in list(pieces):
            fill = {"moves": -1, "policy": 0}.get(name)
            parts = (
                part if fill is None else functional.pad(part, (0, self.widest - part.shape[1]), value=fill)
                for part in pieces.pop(name)
            )
            self._all[name] = torch.cat(list(parts))[:most]

    @staticmethod
    def _columns(batch: Batch, policy: bool) -> Dict[str, torch.Tensor]:
        """The columns of a batch that are kept, a row for each sample."""
        names = ("masks", "values", "wdl", "numbers", "policy_weights", "value_weights")
        columns = {name: getattr(batch, name) for name in names}
        if policy:
            # Encodings have fewer than 32,768 moves.
            columns["moves"] = batch.rows(batch.moves.to(torch.int16), -1)
            columns["policy"] = batch.rows(batch.policy, 0.0)
        return columns

    def __len__(self) -> int:
        """Samples."""
        return len(self._all["masks"])

    def __getitem__(self, numbers: torch.Tensor) -> Batch:
        """The samples with these numbers, packed; ``batch.input`` unpacks them.

        :param numbers: int64 ``[n]`` from 0, on the device
        """
        rows = {name: column.index_select(0, numbers) for name, column in self._all.items()}
        if not self.widest:
            offsets = torch.zeros(len(numbers) + 1, dtype=torch.int64, device=numbers.device)
            return Batch(offsets, offsets[:0], channels=self._channels, **rows)
        moves, policy = rows.pop("moves").flatten().long(), rows.pop("policy").flatten()
        ends = len(numbers) * self.widest
        offsets = torch.arange(0, ends + 1, self.widest, device=moves.device)
        return Batch(offsets, moves, policy=policy, channels=self._channels, widest=self.widest, **rows)
