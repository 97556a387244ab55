"""Trains a recipe of Tabiya in PyTorch: the same network, samples, losses, schedule and average as `tabiya train`.

    pip install torch target/wheels/release/tabiya-*.whl
    python examples/train_first.py --data stores/first --out first-in-pytorch.tabiya

The file plays: `tabiya uci --net first-in-pytorch.tabiya`. Needs Python 3.11 or later. It has no checkpoints: it is an example, to
be changed.
"""

import argparse
import math
import time
import tomllib

import tabiya
import tabiya.torch
import torch
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader


def averaging(decay):
    """An exponential average with a short decay at first, as the program has it, so that the random start is soon forgotten."""

    def update(averaged, current, steps):
        share = min(decay, (1 + int(steps)) / (10 + int(steps)))
        torch._foreach_lerp_(averaged, current, 1 - share)

    return update


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--recipe", default="recipes/first", help="a recipe with a network of planes and a cosine schedule"
    )
    parser.add_argument("--data", required=True, help="the sample store")
    parser.add_argument("--out", default="first-in-pytorch.tabiya", help="the weights file")
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    parser.add_argument("--batch", type=int, help="samples of a step, instead of the recipe's")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--workers", type=int, default=0, help="processes that read the store")
    return parser.parse_args()


def learning_rate(step, steps, schedule):
    """Linear warm-up, then half a cosine from the peak to the last rate (arXiv 1608.03983)."""
    warmup = min(schedule["warmup"], steps // 10)
    if step <= warmup:
        return schedule["peak"] * step / max(warmup, 1)
    done = (step - warmup) / max(steps - warmup, 1)
    return schedule["last"] + (schedule["peak"] - schedule["last"]) * (1 + math.cos(math.pi * done)) / 2


def epochs(dataset, workers):
    """Batches without end."""
    loader = DataLoader(dataset, batch_size=None, num_workers=workers)
    epoch = 0
    while True:
        dataset.set_epoch(epoch)
        count = 0
        for batch in loader:
            count += 1
            yield batch
        if count == 0:
            raise SystemExit(f"{dataset.path}: found fewer samples than one batch of {dataset.size}")
        epoch += 1


@torch.no_grad()
def measure_moments(module, batches):
    """Gives the normalisations of averaged weights the moments of training samples: those of no step are theirs."""
    norms = [layer for layer in module.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    for layer in norms:
        layer.reset_running_stats()
        layer.momentum = None  # the mean of all batches
    module.train()
    for batch in batches:
        module(batch.input)
    module.eval()


@torch.no_grad()
def validate(module, batches):
    """Loss of policy and value, and the share of samples whose likeliest legal move is the target's."""
    sums, count = torch.zeros(3), 0
    for batch in batches:
        outputs = module(batch.input)
        policy = tabiya.torch.policy_loss(outputs.policy, batch)
        value = tabiya.torch.value_loss(outputs.value, batch)
        found = 0
        for scores, targets in zip(
            *(
                column.split(batch.offsets.diff().tolist())
                for column in (outputs.policy[batch.samples, batch.moves], batch.policy)
            )
        ):
            found += int(scores.argmax() == targets.argmax())
        sums += torch.tensor([policy.item() * batch.size, value.item() * batch.size, found])
        count += batch.size
    return (sums / max(count, 1)).tolist()


def main():
    options = arguments()
    module = tabiya.torch.module(options.recipe)
    recipe = tomllib.loads(module.provenance["recipe"])  # with every default written out
    module = tabiya.torch.module(options.recipe, seed=recipe["training"]["seed"]).to(options.device)
    training, losses, optimising = recipe["training"], recipe["losses"], recipe["optimiser"]
    steps = options.steps or training["steps"]
    size = options.batch or training["batch"]
    shuffle = training["shuffle_window"]
    dataset = tabiya.torch.Dataset(
        options.data, size, options.recipe, shuffle=shuffle, seed=training["seed"], packed=options.device != "cpu"
    )
    # Weight decay is for matrices; scales and biases are left alone.
    groups = [
        {"params": [p for p in module.parameters() if p.dim() > 1], "weight_decay": optimising["weight_decay"]},
        {"params": [p for p in module.parameters() if p.dim() == 1], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups)
    average = AveragedModel(module, multi_avg_fn=averaging(optimising["average_decay"]))
    begin = time.monotonic()
    for step, batch in zip(range(1, steps + 1), epochs(dataset, options.workers)):
        batch = batch.to(options.device)
        for group in optimiser.param_groups:
            group["lr"] = learning_rate(step, steps, recipe["schedule"])
        loss = tabiya.torch.loss(
            module(batch.input),
            batch,
            policy_weight=losses["policy_weight"],
            value_weight=losses["value_weight"],
            smoothing=losses["label_smoothing"],
        )
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), optimising["clip_norm"])
        optimiser.step()
        average.update_parameters(module)
        if step % training["log_interval"] == 0 or step == steps:
            rate = step * size / (time.monotonic() - begin)
            print(f"step {step}/{steps}: loss {loss.item():.4f}, {rate:.0f} positions/s", flush=True)
    trained = average.module
    some = zip(range(8), epochs(dataset, 0))
    measure_moments(trained, (batch.to(options.device) for _, batch in some))
    held_out = tabiya.torch.Dataset(options.data, size, options.recipe, split="validation")
    batches = (batch.to(options.device) for _, batch in zip(range(32), held_out))
    policy, value, top1 = validate(trained, batches)
    print(f"held-out positions: policy {policy:.4f}, value {value:.4f}, top-1 {100 * top1:.1f} %")
    with tabiya.Store(options.data) as store:
        tabiya.save(trained, options.out, steps=steps, positions=steps * size, data=store.hash)
    print(f"weights in {options.out}")


if __name__ == "__main__":
    main()
