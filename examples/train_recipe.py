"""Trains a recipe of Tabiya in PyTorch, on a GPU if there is one: the network, samples, losses, schedule and average of `tabiya train`.

    pip install torch target/wheels/release/tabiya-*.whl
    python examples/train_recipe.py recipes/first --data stores/first --out first.tabiya

The file plays: `tabiya uci --net first.tabiya`. The whole store is kept in the memory of the device, and on a GPU several steps are
one CUDA graph, because the networks are small: launching their kernels one by one takes longer than computing them. With
--save-every a run that was ended goes on where the last file left it: the same command with --resume.
"""

import argparse
import json
import math
import os
import pathlib
import time

import tabiya
import tabiya.torch
import torch

#: Steps of one CUDA graph.
GRAPH_STEPS = 8

#: Samples whose moments the normalisations get in the end.
MOMENT_SAMPLES = 16_384


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipe", help="a recipe with a network of planes")
    parser.add_argument("--data", required=True, help="the sample store")
    parser.add_argument("--out", required=True, help="the weights file; its log is beside it, as .jsonl")
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    parser.add_argument("--batch", type=int, help="samples of a step, instead of the recipe's")
    parser.add_argument("--minutes", type=float, help="ends earlier, after this time of training")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="threads that read the store")
    parser.add_argument("--save-every", type=float, default=2.0, help="minutes between checkpoints")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint beside --out")
    return parser.parse_args()


def learning_rate(step, steps, schedule):
    """The rate of step 1, 2, ...; crates/training/src/schedule.rs has the shapes."""
    peak, warmup = schedule["peak"], min(schedule.get("warmup", 0), steps // 10)
    if step <= warmup:
        return peak * step / max(warmup, 1)
    kind, tail = schedule["kind"], schedule.get("tail", 0)
    if kind == "constant":
        return peak
    if kind == "steps":
        return peak * schedule["factor"] ** sum(step > at for at in schedule["at"])
    last, end = schedule["last"], max(steps - tail, warmup + 1)
    if kind == "cosine":
        done = min((step - warmup) / (end - warmup), 1)
        return last + (peak - last) * (1 + math.cos(math.pi * done)) / 2
    fall = max(schedule["fall"], 1)
    return last + (peak - last) * min(max((end - step) / fall, 0), 1)


def optimiser_of(module, config, rate, fused):
    """The recipe's optimiser. Weight decay is for matrices; scales and biases are left alone."""
    decay = config["weight_decay"]
    groups = [
        {"params": [p for p in module.parameters() if p.dim() > 1], "weight_decay": decay},
        {"params": [p for p in module.parameters() if p.dim() == 1], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    kind = config.get("kind", "adamw")
    if kind == "sgd":
        momentum, nesterov = config.get("momentum", 0.9), config.get("nesterov", True)
        return torch.optim.SGD(groups, lr=rate, momentum=momentum, nesterov=nesterov, fused=fused)
    if kind not in ("adamw", "adam"):
        raise SystemExit(f"optimiser.kind: found {kind!r}, expected adamw, adam or sgd")
    make = torch.optim.AdamW if kind == "adamw" else torch.optim.Adam
    betas = (config["beta1"], config["beta2"])
    return make(groups, lr=rate, betas=betas, eps=config["epsilon"], fused=fused, capturable=fused)


class Training:
    """A run: samples, network, optimiser, average, and how far it has come.

    On a GPU its steps are captured in a graph, so everything that they read or move on is a tensor that stays where it is.
    """

    def __init__(self, recipe, store, *, out, device="cpu", steps=None, batch=None, threads=1):
        self.out = pathlib.Path(out)
        self.device = torch.device(device)
        self.is_cuda = self.device.type == "cuda"
        self.seed = tabiya.torch.module(recipe).recipe["training"]["seed"]
        torch.manual_seed(self.seed)
        self.module = tabiya.torch.module(recipe, seed=self.seed).to(self.device)
        self.recipe = self.module.recipe
        self.objective = tabiya.torch.Objective(self.module)
        training, config = self.recipe["training"], self.recipe["optimiser"]
        if training.get("mirror"):
            raise SystemExit("training.mirror: found true, expected false: samples stay as they are stored")
        self.steps, self.size = steps or training["steps"], batch or training["batch"]
        place = {"device": device, "threads": threads}
        self.samples = tabiya.torch.Resident(store, recipe, **place)
        self.held_out = tabiya.torch.Resident(store, recipe, split="validation", **place)
        #: Batches of an epoch; the last one is left out where it is not full.
        self.epoch_steps = len(self.samples) // self.size
        if not self.epoch_steps:
            raise SystemExit(f"{store}: found {len(self.samples)} samples, expected a batch of {self.size} or more")
        with tabiya.Store(store) as opened:
            self.data = opened.hash
        if self.is_cuda:
            # Convolutions read boards square by square, each with its channels; products are of 10 bits and sums of 23 (TF32).
            self.module.to(memory_format=torch.channels_last)
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.benchmark = True
        self.rate = torch.zeros((), device=self.device)
        self.optimiser = optimiser_of(self.module, config, self.rate if self.is_cuda else 0.0, self.is_cuda)
        self.parameters = [p for group in self.optimiser.param_groups for p in group["params"]]
        self.decay = config["average_decay"]
        self.average = [p.detach().clone() for p in self.parameters] if self.decay else []
        self.step, self.seconds, self.epoch, self.left = 0, 0.0, 0, 0
        self.graph, self.graph_steps = None, min(GRAPH_STEPS, self.epoch_steps)
        self.order = torch.zeros(len(self.samples), dtype=torch.int64, device=self.device)
        self.cursor = torch.zeros((), dtype=torch.int64, device=self.device)
        self.places = torch.arange(self.size, device=self.device)
        self.rates = torch.zeros(GRAPH_STEPS, device=self.device)
        self.shares = torch.zeros(GRAPH_STEPS, device=self.device)
        self.sums = torch.zeros(3, device=self.device)
        self.sent = None

    def prepare(self, checkpoint=None):
        """Warms up, captures the graph on a GPU, and begins: from nothing, or where a checkpoint left it."""
        begin = checkpoint or self.state()
        self.shuffle()
        if self.is_cuda:
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self.one_step(0)
            torch.cuda.current_stream().wait_stream(stream)
            self.optimiser.zero_grad(set_to_none=True)
            self.graph = torch.cuda.CUDAGraph()
            # On the stream that was warmed up, whose work space is this training's alone: several may share a device.
            with torch.cuda.graph(self.graph, stream=stream):
                for number in range(self.graph_steps):
                    self.one_step(number)
        else:
            self.one_step(0)
        self.restore(begin)

    def state(self):
        """What a run is continued from. The moments of an optimiser that has made no step are zero."""
        moments = [
            {name: tensor.detach().clone() for name, tensor in self.optimiser.state[p].items()} for p in self.parameters
        ]
        return {
            "module": {name: tensor.clone() for name, tensor in self.module.state_dict().items()},
            "moments": moments,
            "average": [tensor.clone() for tensor in self.average],
            "progress": (self.step, self.seconds, self.epoch, self.left),
        }

    @torch.no_grad()
    def restore(self, state):
        """Goes back to a state, in the same tensors."""
        self.module.load_state_dict(state["module"])
        for parameter, moments in zip(self.parameters, state["moments"]):
            for name, tensor in self.optimiser.state[parameter].items():
                if name in moments:
                    tensor.copy_(moments[name])
                else:
                    tensor.zero_()
        for tensor, saved in zip(self.average, state["average"]):
            tensor.copy_(saved)
        self.step, self.seconds, self.epoch, self.left = state["progress"]
        left = self.left
        self.shuffle()
        if left:
            self.cursor.fill_((self.epoch_steps - left) * self.size)
            self.left = left
        self.sums.zero_()

    def shuffle(self):
        """The order of the epoch, from its beginning."""
        generator = torch.Generator(self.device).manual_seed(self.seed + self.epoch)
        self.order.copy_(torch.randperm(len(self.samples), device=self.device, generator=generator))
        self.cursor.zero_()
        self.left = self.epoch_steps

    def one_step(self, number):
        """One step, with the rate of this number."""
        batch = self.samples[self.order[self.cursor + self.places]]
        self.cursor += self.size
        planes = batch.input
        if self.is_cuda:
            planes = planes.contiguous(memory_format=torch.channels_last)
        losses = self.objective(self.module(planes), batch)
        self.optimiser.zero_grad(set_to_none=True)
        losses.total.backward()
        clip = self.recipe["optimiser"]["clip_norm"]
        if clip:
            torch.nn.utils.clip_grad_norm_(self.module.parameters(), clip)
        if self.is_cuda:
            self.rate.copy_(self.rates[number])
        else:
            for group in self.optimiser.param_groups:
                group["lr"] = self.rates[number].item()
        self.optimiser.step()
        if self.decay:
            torch._foreach_lerp_(self.average, [p.detach() for p in self.parameters], self.shares[number])
        zero = self.sums.new_zeros(())
        self.sums += torch.stack([zero if part is None else part.detach() for part in losses])

    def advance(self):
        """The steps of a graph, or those that are left of the run."""
        count = min(self.graph_steps, self.steps - self.step)
        if self.left < count:
            # What is left of an epoch and does not fill a graph is left out.
            self.epoch += 1
            self.shuffle()
        numbers = range(self.step + 1, self.step + count + 1)
        rates = [learning_rate(number, self.steps, self.recipe["schedule"]) for number in numbers]
        # A short decay at first, as the program has it, so that the random start is soon forgotten.
        shares = [1 - min(self.decay, (1 + number) / (10 + number)) for number in numbers]
        if (rates, shares) != self.sent:
            # Each waits for what the device has still to do.
            self.rates[:count].copy_(torch.tensor(rates))
            self.shares[:count].copy_(torch.tensor(shares))
            self.sent = (rates, shares)
        if self.graph is not None and count == self.graph_steps:
            self.graph.replay()
        else:
            for number in range(count):
                self.one_step(number)
        self.step += count
        self.left -= count

    @torch.no_grad()
    def with_average(self, work):
        """Does something with the weights that are validated and kept, whose normalisations have the moments of samples."""
        current = [p.detach().clone() for p in self.parameters]
        for parameter, average in zip(self.parameters, self.average):
            parameter.copy_(average)
        norms = [layer for layer in self.module.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
        self.module.eval()
        for layer in norms:
            layer.reset_running_stats()
            layer.train()
            layer.momentum = None  # the mean of all batches
        if norms:
            size = min(1024, len(self.samples))
            for begin in range(0, min(MOMENT_SAMPLES, len(self.samples) - size + 1), size):
                self.module(self.samples[self.order[begin : begin + size]].input)
        self.module.eval()
        result = work()
        for layer in norms:
            layer.momentum = 0.1
        self.module.train()
        for parameter, tensor in zip(self.parameters, current):
            parameter.copy_(tensor)
        return result

    def validate(self):
        """Losses of the held-out samples, and the share whose likeliest legal move is the target's, as a table."""
        most = min(self.recipe["training"]["validation_positions"], len(self.held_out))
        spread = torch.linspace(0, len(self.held_out) - 1, most, device=self.device).long()
        sums = {}
        for numbers in spread.split(1024):
            batch = self.held_out[numbers]
            outputs = self.module(batch.input)
            losses = self.objective(outputs, batch)
            found = {"policy_loss": losses.policy, "value_loss": losses.value}
            if losses.policy is not None:
                moves = batch.rows(batch.moves, -1)
                legal = outputs.policy.gather(1, moves.clamp(min=0)).masked_fill(moves < 0, -torch.inf)
                best = batch.rows(batch.policy, 0.0).argmax(dim=1)
                found["top1"] = (legal.argmax(dim=1) == best).float().mean()
            for name, number in found.items():
                if number is not None:
                    sums[name] = sums.get(name, 0.0) + number.item() * len(numbers)
        return {name: number / most for name, number in sums.items()} | {"samples": most}

    def save(self):
        """The weights file."""
        positions = self.step * self.size
        tabiya.save(self.module, self.out, steps=self.step, positions=positions, data=self.data)

    def log(self, **line):
        with open(self.out.with_suffix(".jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps({"step": self.step, "positions": self.step * self.size, **line}) + "\n")

    def checkpoint(self):
        """Writes the weights file and what the run is continued from, each in one move."""
        self.with_average(self.save)
        whole, part = self.out.with_suffix(".checkpoint"), self.out.with_suffix(".checkpoint.partial")
        torch.save(self.state(), part)
        part.replace(whole)

    def run(self, minutes=None, save_every=2.0, show=print):
        """Trains to the end of the recipe or of the time, with a line for every ten seconds."""
        end = None if minutes is None else time.monotonic() + 60 * minutes
        began = shown = saved = time.monotonic()
        before, since, of_others = self.seconds, self.step, 0.0
        interval = self.recipe["training"]["validation_interval"]
        while self.step < self.steps:
            validated = self.step // interval
            self.advance()
            if self.step % 64 < self.graph_steps:
                self.sums.sum().item()  # waits for the device, which works behind
            now = time.monotonic()
            is_last = self.step >= self.steps or (end is not None and now >= end)
            if now - shown > 10 or is_last:
                total, policy, value = (self.sums / max(self.step - since, 1)).tolist()
                now = time.monotonic()
                rate = (self.step - since) * self.size / (now - shown)
                left = (self.steps - self.step) * self.size / max(rate, 1e-9) / 60
                self.log(kind="step", loss=total, policy_loss=policy, value_loss=value, positions_per_second=rate)
                show(f"step {self.step}/{self.steps}: loss {total:.4f}, {rate:.0f} positions/s, {left:.1f} min left")
                self.sums.zero_()
                shown, since = now, self.step
            self.seconds = before + now - began - of_others
            if self.step // interval > validated or is_last:
                self.log(kind="validation", seconds=self.seconds, **self.with_average(self.validate))
            if now - saved > 60 * save_every or is_last:
                self.checkpoint()
                saved = time.monotonic()
            of_others += time.monotonic() - now
            if is_last:
                break


def main():
    options = arguments()
    training = Training(
        options.recipe,
        options.data,
        out=options.out,
        device=options.device,
        steps=options.steps,
        batch=options.batch,
        threads=options.threads,
    )
    file = training.out.with_suffix(".checkpoint")
    if not options.resume and file.exists():
        raise SystemExit(f"{file}: a run was begun there: go on with --resume, or remove it")
    training.prepare(torch.load(file, map_location=options.device) if options.resume else None)
    training.run(options.minutes, options.save_every)
    result = training.with_average(training.validate)
    named = ", ".join(f"{name.replace('_', ' ')} {number:.4f}" for name, number in result.items() if name != "samples")
    print(f"{result['samples']} held-out positions: {named}")
    print(f"{training.step * training.size} positions in {training.seconds:.0f} s; weights in {training.out}")


if __name__ == "__main__":
    main()
