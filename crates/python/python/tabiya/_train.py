"""Training networks, as the program does."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Mapping, Optional

from tqdm.auto import tqdm

from . import _tabiya
from ._checks import Described, PathLike, described, optional, path, text, whole
from ._network import Network, load
from ._tabiya import Error

__all__ = ["TrainingReport", "TrainingResult", "train"]


@dataclass(frozen=True)
class TrainingReport:
    """A report of a training, after each step, validation and checkpoint. Losses are in nats."""

    #: Steps taken, including those before an interruption.
    step: int = 0
    #: Steps of the whole run.
    steps: int = 0
    #: Passes over the data completed.
    epoch: int = 0
    learning_rate: float = 0.0
    #: Cross-entropy of the policy over the legal moves, in this step.
    policy_loss: float = 0.0
    value_loss: float = 0.0
    #: The weighted sum that is minimised.
    total_loss: float = 0.0
    positions_per_second: float = 0.0
    #: After a validation: the network's results on held-out samples, as in ``log.jsonl``.
    validation: Optional[Dict[str, Any]] = None
    #: After a checkpoint: its file.
    checkpoint: Optional[str] = None


@dataclass(frozen=True)
class TrainingResult:
    """The outcome of a training."""

    #: ``finished``, ``stale`` (no better loss for as long as the recipe has patience) or ``interrupted``.
    ending: str
    #: Steps taken.
    step: int
    #: Samples seen.
    positions: int
    #: Seconds of training.
    seconds: float
    #: The weights file, unless the training was interrupted.
    network: Optional[str] = None
    #: The step whose weights are in the file, the best of all validations.
    exported_step: Optional[int] = None
    #: Their validation.
    validation: Optional[Dict[str, Any]] = None
    #: Origin of the weights, as in ``summary.json``: ``commit``, ``data`` (hash of the store), ``hardware``, and ``origin``
    #: if the training continued from a network.
    provenance: Optional[Dict[str, Any]] = None
    #: For a training on personal games: the share of the person's moves in games held out that the network found ``before`` and
    #: ``after``, and the ``gain``.
    person: Optional[Dict[str, Any]] = None

    def load(self) -> Network:
        """Opens the network.

        :raises Error: if the training was interrupted
        """
        if self.network is None:
            raise Error(f"training: it ended {self.ending} after step {self.step}, expected one with a network")
        return load(self.network)


def train(
    recipe: Described,
    data: Optional[PathLike] = None,
    *,
    out: PathLike,
    callback: Optional[Callable[[TrainingReport], Optional[bool]]] = None,
    resume: bool = False,
    start: Optional[PathLike] = None,
    steps: Optional[int] = None,
    threads: Optional[int] = None,
    precision: Optional[str] = None,
    device: Optional[str] = None,
    progress: bool = True,
) -> TrainingResult:
    """Trains a network from a recipe, as ``tabiya train`` does, with the same files in the folder.

    >>> result = tabiya.train("recipes/first", "stores/first", out="runs/first")  # doctest: +SKIP
    >>> tabiya.Engine(result.network)  # doctest: +SKIP

    Ctrl-C writes a checkpoint and raises ``KeyboardInterrupt``; ``resume`` continues with the next step. Other
    Python threads run meanwhile.

    :param recipe: a TOML file or a folder with a ``recipe.toml``, or a table: ``{"title": ..., "training": {...}, "network":
        {...}}``
    :param data: the sample store, instead of the recipe's
    :param out: folder of the run: recipe, checkpoints, ``log.jsonl``, ``curves.svg``, at the end ``network.tabiya`` and
        ``summary.json``
    :param callback: called with a :class:`TrainingReport` after each step, validation and checkpoint; the training waits for it. If
        it returns ``False``, the training writes a checkpoint and ends as ``interrupted``; an exception that it raises comes out of
        this function, also after a checkpoint
    :param resume: continue from the newest checkpoint in ``out``. Steps, schedule and the settings of validations, checkpoints and
        the log may differ from before
    :param start: start from the weights of this network, which may be a bundled one, instead of random ones
    :param steps: steps of the whole run, instead of the recipe's
    :param threads: instead of the recipe's; 0 = all cores
    :param precision: the numbers that convolutions and dense layers multiply on the CPU, instead of the recipe's: ``f32`` or ``bf16``
    :param device: train in PyTorch on this device, such as ``cuda``, with the same run, checkpoints and files: for networks of layers,
        ``adamw``, ``adam`` and ``sgd``, in f32. By default the program's own kernels train on the CPU
    :param progress: draw a bar
    :raises Error: for a recipe, store, network or setting that cannot be used; a folder that holds a run (without ``resume``)
        or none (with it)
    """
    table = dict(recipe) if isinstance(recipe, Mapping) else None
    if table is not None and data is not None:
        # A caller's table need not say twice where its samples are.
        table["data"] = path("data", data)
    values: Dict[str, object] = {
        "out": path("out", out),
        "data": optional(path, "data", data),
        "resume": bool(resume),
        "start": optional(path, "start", start),
        "steps": optional(whole, "steps", steps, 1),
        "threads": optional(whole, "threads", threads),
        "precision": optional(text, "precision", precision),
        "torch": None if device is None else _in_torch(device),
    }
    if callback is not None and not callable(callback):
        raise Error(f"callback: found {callback!r}, expected a function")
    named = described("recipe", recipe if table is None else table)
    last = TrainingReport()
    with tqdm(unit="step", disable=not progress) as bar:

        def hear(report: str) -> Optional[bool]:
            nonlocal last
            last = replace(last, validation=None, checkpoint=None)
            last = replace(last, **json.loads(report))
            if progress:
                bar.total = last.steps or bar.total
                bar.update(last.step - bar.n)
                bar.set_postfix_str(
                    f"policy {last.policy_loss:.3f}, value {last.value_loss:.3f}, {last.positions_per_second:.0f} positions/s",
                    refresh=False,
                )
            return None if callback is None else callback(last)

        wanted = hear if progress or callback is not None else None
        result = json.loads(_tabiya.train(named, values, wanted))
    if result["network"] is not None:
        summary = pathlib.Path(result["network"]).with_name("summary.json").read_text(encoding="utf-8")
        result["person"] = json.loads(summary).get("person")
    return TrainingResult(**result)


def _in_torch(device: str) -> Callable[[str], object]:
    """Makes a network in training in PyTorch from its recipe, JSON."""
    from .torch._training import Training

    return lambda recipe: Training(json.loads(recipe), device)
