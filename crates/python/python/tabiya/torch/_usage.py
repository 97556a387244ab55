"""Load and memory of the GPU that trains, for the log of a run."""

from __future__ import annotations

import functools
import subprocess
import time
from typing import Any, Callable, List, Optional, Sequence, Tuple

import torch

__all__ = ["GpuMeter", "NvidiaSmi", "Usage", "gpu_readers"]

#: Share of the time in which the GPU computed, from 0 to 1, and bytes of its memory that all programs use; ``None`` if unknown.
Usage = Tuple[Optional[float], Optional[int]]

#: Seconds between two starts of ``nvidia-smi``, which takes as long as hundreds of steps of a small network.
BETWEEN_STARTS = 10.0
#: Seconds after which a program that does not answer is given up.
PATIENCE = 5.0


class GpuMeter:
    """Reads a GPU with the first reader that works. One that fails is not tried again; without any there is no usage."""

    def __init__(self, readers: Sequence[Callable[[], Usage]]) -> None:
        self.readers = list(readers)

    def read(self) -> Usage:
        """The usage at this moment, or some seconds ago."""
        while self.readers:
            try:
                return self.readers[0]()
            # Libraries of drivers have exceptions of their own, and no figure of a chart is worth a training.
            except Exception:
                self.readers.pop(0)
        return None, None


def gpu_readers(device: torch.device) -> List[Callable[[], Usage]]:
    """Ways to read a device, the best one first; none for the CPU."""
    if device.type != "cuda":
        return []
    readers: List[Callable[[], Usage]] = [functools.partial(_in_process, device)]
    # Numbers of GPUs differ between CUDA and the driver. Versions of PyTorch that do not tell the name leave only the first reader.
    name = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    if name is not None:
        readers.append(NvidiaSmi(f"GPU-{name}"))
    return readers


def _in_process(device: torch.device) -> Usage:
    """From the driver's library, in microseconds; needs the package ``nvidia-ml-py``."""
    load = torch.cuda.utilization(device) / 100
    free, whole = torch.cuda.mem_get_info(device)
    return load, whole - free


class NvidiaSmi:
    """From the program ``nvidia-smi``, started at most every ten seconds; in between, the last values are repeated."""

    def __init__(
        self, gpu: str, run: Callable[..., Any] = subprocess.run, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.command = [
            "nvidia-smi",
            f"--id={gpu}",
            "--query-gpu=utilization.gpu,memory.used",
            "--format=csv,noheader,nounits",
        ]
        self.run, self.clock = run, clock
        self.started: Optional[float] = None
        self.known: Usage = (None, None)

    def __call__(self) -> Usage:
        now = self.clock()
        if self.started is None or now - self.started >= BETWEEN_STARTS:
            self.started = now
            told = self.run(self.command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
            percent, mebibytes = (_number(text) for text in told.split(","))
            self.known = (
                None if percent is None else percent / 100,
                None if mebibytes is None else mebibytes << 20,
            )
        return self.known


def _number(text: str) -> Optional[int]:
    """A whole number; ``None`` for what the card does not measure, such as ``[N/A]`` of a part of a card."""
    return int(text) if text.strip().isdecimal() else None
