"""Trains a recipe in PyTorch, on a GPU if there is one: ``python -m tabiya.train RECIPE --data STORE``.

The run is one of ``tabiya train``: the same folder with recipe, ``log.jsonl``, curves, checkpoints, network and summary, which the
page shows while it is trained. A run may begin on one machine and be resumed on another, with or without a GPU. In Python,
:func:`tabiya.train` with ``device`` does the same.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from ._tabiya import Error
from ._train import train


def plain_name(text: str) -> str:
    """The name of a run, which is a folder in the folder of runs."""
    if text in ("", ".", "..") or pathlib.PurePath(text).name != text:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected the name of a folder in the folder of runs")
    return text


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tabiya.train", description="Trains a recipe in PyTorch.")
    parser.add_argument("recipe", help="a recipe with a network of layers: a TOML file or a folder with recipe.toml")
    parser.add_argument("--data", help="the sample store, instead of the recipe's")
    parser.add_argument("--name", type=plain_name, help="name of the run; by default that of the recipe's folder or file")
    parser.add_argument("--runs", default="runs", help="folder of all runs")
    parser.add_argument("--resume", action="store_true", help="continue the run of this name from its newest checkpoint")
    parser.add_argument("--start", help="start from the weights of this network instead of random ones")
    parser.add_argument("--device", help="cuda if there is a GPU, otherwise cpu")
    parser.add_argument("--steps", type=int, help="steps of the whole run, instead of the recipe's")
    parser.add_argument("--threads", type=int, help="threads that read the store, instead of the recipe's; 0 = all cores")
    return parser.parse_args()


def main() -> None:
    """Runs the command."""
    options = arguments()
    try:
        import torch
    except ModuleNotFoundError as error:
        raise SystemExit("error: PyTorch is not installed: pip install torch") from error
    recipe = pathlib.Path(options.recipe)
    file = recipe / "recipe.toml" if recipe.is_dir() else recipe
    name = options.name or (file.resolve().parent.name if file.name == "recipe.toml" else file.stem)
    try:
        result = train(
            recipe,
            options.data,
            out=pathlib.Path(options.runs) / name,
            resume=options.resume,
            start=options.start,
            device=options.device or ("cuda" if torch.cuda.is_available() else "cpu"),
            steps=options.steps,
            threads=options.threads,
        )
    except Error as error:
        raise SystemExit(f"error: {error}") from error
    print(f"{result.ending} after step {result.step}: {result.network}")


if __name__ == "__main__":
    main()
else:
    # `import tabiya.train` leaves the function of that name in place.
    sys.modules[__name__] = train  # type: ignore[assignment]
