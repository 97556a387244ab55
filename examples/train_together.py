"""Trains several recipes of Tabiya at once on one GPU, which a single small network cannot fill: each as `train_recipe.py` does.

    python examples/train_together.py recipes/cogs188 recipes/catfish-v3:35938 --data stores/knights-all --out runs/together --minutes 9

A number after a colon is the steps of that recipe, instead of its own. The recipes that come first have precedence on the device. Each network
has a weights file in the folder, in eight bits as well as in full, and a log beside it. A training that has not finished after
the minutes ends with the weights that it has.
"""

import argparse
import concurrent.futures
import pathlib
import sys
import threading
import time
import traceback

import tabiya
import torch
from train_recipe import Training

#: Steps of one CUDA graph for networks with fewer parameters than this, whose kernels take microseconds.
SMALL, SMALL_STEPS, STEPS = 1_000_000, 32, 8


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipes", nargs="+", metavar="RECIPE[:STEPS]")
    parser.add_argument("--data", required=True, help="the sample store of all of them")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder of the weights files and logs")
    parser.add_argument("--minutes", type=float, help="ends them after this time, in which samples are loaded too")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--save-every", type=float, default=3.0, help="minutes between checkpoints")
    parser.add_argument("--threads", type=int, default=4, help="threads that read the store for one of them")
    return parser.parse_args()


def load(options, text):
    """The training of one argument, its samples in memory."""
    recipe, _, steps = text.partition(":")
    file = pathlib.Path(recipe)
    name = file.parent.name if file.name == "recipe.toml" else file.name.removesuffix(".toml")
    parameters = sum(p.numel() for p in tabiya.torch.module(recipe).parameters())
    training = Training(
        recipe,
        options.data,
        out=options.out / f"{name}.tabiya",
        device=options.device,
        steps=int(steps) if steps else None,
        threads=options.threads,
        graph_steps=SMALL_STEPS if parameters < SMALL else STEPS,
    )
    training.out.with_suffix(".jsonl").write_text("")
    return name, training


def finish(name, training, stream, minutes, save_every):
    """Trains on a stream of its own to the end or the limit."""

    def show(line):
        print(f"{name}: {line}", flush=True)

    try:
        with torch.cuda.stream(stream):
            training.run(minutes, save_every, show)
            training.with_average(lambda: training.save(eight_bit=True))
    except Exception:  # the others go on
        traceback.print_exc()
        return name
    print(f"{name}: {training.step * training.size} samples in {training.seconds:.0f} s, {training.metrics}", flush=True)
    return None


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    # Threads that launch graphs hold the interpreter for microseconds, and should not wait milliseconds for it.
    sys.setswitchinterval(2e-4)
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        trainings = list(pool.map(lambda text: load(options, text), options.recipes))
    print(f"samples in memory after {time.monotonic() - begin:.0f} s", flush=True)
    # One after another: while a graph is captured, nothing else may use the device.
    for name, training in trainings:
        training.prepare()
        print(f"{name} ready after {time.monotonic() - begin:.0f} s", flush=True)
    if torch.cuda.is_available():
        torch.cuda.synchronize()  # their own streams do not wait for this one
    minutes = None if options.minutes is None else options.minutes - (time.monotonic() - begin) / 60
    failed, threads = [], []
    for number, (name, training) in enumerate(trainings):
        stream = torch.cuda.Stream(priority=-1 if number < len(trainings) // 2 else 0) if training.is_cuda else None
        work = lambda *given: failed.append(finish(*given))  # noqa: E731
        threads.append(threading.Thread(target=work, args=(name, training, stream, minutes, options.save_every)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed = [name for name in failed if name]
    if failed:
        raise SystemExit(f"error: {', '.join(failed)} failed")


if __name__ == "__main__":
    main()
