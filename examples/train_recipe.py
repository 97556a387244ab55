"""Trains a recipe of Tabiya in PyTorch, on a GPU if there is one: the network, samples, losses, schedule and average of `tabiya train`.

    pip install torch target/wheels/release/tabiya-*.whl
    python examples/train_recipe.py recipes/first --data stores/first --out first.tabiya

The file plays: `tabiya uci --net first.tabiya`. For networks of planes, Adam and SGD, without mirroring. The whole store is kept in the memory of
the device, and on a GPU several steps are one CUDA graph, because the networks are small: launching their kernels one by one takes
longer than computing them. A run that was ended continues from its last checkpoint: the same command with --resume.
"""

import argparse
import json
import os
import pathlib
import time

import tabiya
import tabiya.torch
import torch

#: Steps of one CUDA graph, and those before it that let libraries choose their kernels.
GRAPH_STEPS = 8
WARM_UP = 3

#: Samples from which the normalisations get their moments in the end, and samples of one pass outside the training.
MOMENT_SAMPLES = 16_384
PIECE = 1024

#: Steps between two waits for the device: many, because a wait leaves it idle, and few enough to end a run in time.
WAIT = 64

#: Seconds between lines.
LINE = 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipe", help="a recipe with a network of planes")
    parser.add_argument("--data", required=True, help="the sample store")
    parser.add_argument("--out", required=True, help="the weights file; its log is next to it, as .jsonl")
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    parser.add_argument("--batch", type=int, help="samples of a step, instead of the recipe's")
    parser.add_argument("--minutes", type=float, help="ends earlier, after this time of training")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="threads that read the store")
    parser.add_argument("--save-every", type=float, default=2.0, help="minutes between checkpoints")
    parser.add_argument("--resume", action="store_true", help="resume from the checkpoint next to --out")
    return parser.parse_args()


def optimiser_of(module, config, rate, fused):
    """The recipe's optimiser."""
    groups = module.parameter_groups(config["weight_decay"])
    kind = config.get("kind", "adamw")
    if kind == "sgd":
        momentum, nesterov = config.get("momentum", 0.9), config.get("nesterov", True)
        return torch.optim.SGD(groups, lr=rate, momentum=momentum, nesterov=nesterov, fused=fused)
    if kind not in ("adamw", "adam"):
        raise ValueError(f"optimiser.kind: found {kind!r}, expected adamw, adam or sgd")
    make = torch.optim.AdamW if kind == "adamw" else torch.optim.Adam
    betas = (config["beta1"], config["beta2"])
    return make(groups, lr=rate, betas=betas, eps=config["epsilon"], fused=fused, capturable=fused)


class Training:
    """A run: samples, network, optimiser, average and progress.

    On a GPU its steps are captured in a graph, so everything that they read or update is a tensor that stays where it is.
    """

    def __init__(self, recipe, store, *, out, device="cpu", steps=None, batch=None, threads=1, graph_steps=GRAPH_STEPS):
        self.out = pathlib.Path(out)
        self.device = torch.device(device)
        self.is_cuda = self.device.type == "cuda"
        self.seed = tabiya.torch.module(recipe).recipe["training"]["seed"]
        torch.manual_seed(self.seed)
        self.module = tabiya.torch.module(recipe, seed=self.seed).to(self.device)
        self.recipe = self.module.recipe
        self.objective = tabiya.torch.Objective(self.module)
        training, config = self.recipe["training"], self.recipe["optimiser"]
        if training["mirror"]:
            raise ValueError("training.mirror: found true, expected false: samples stay as they are stored")
        self.steps, self.size = steps or training["steps"], batch or training["batch"]
        # Legal moves are most of a sample's memory, and of no use to a network without a policy.
        has_policy = self.recipe["network"]["policy"]["kind"] != "none"
        place = {"device": device, "threads": threads, "policy": has_policy}
        self.samples = tabiya.torch.Resident(store, recipe, **place)
        self.held_out = tabiya.torch.Resident(store, recipe, split="validation", **place)
        #: Batches of an epoch; the last one is left out if it is not full.
        self.epoch_steps = len(self.samples) // self.size
        if not self.epoch_steps:
            raise ValueError(f"{store}: found {len(self.samples)} samples, expected a batch of {self.size} or more")
        with tabiya.Store(store) as opened:
            self.data = opened.hash
        # What a checkpoint must share with a run that continues from it.
        self.identity = {"recipe": self.recipe, "data": self.data, "batch": self.size}
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
        self.graph, self.graph_steps = None, min(graph_steps, self.epoch_steps)
        self.order = torch.zeros(len(self.samples), dtype=torch.int64, device=self.device)
        self.cursor = torch.zeros((), dtype=torch.int64, device=self.device)
        # Of each step, and of those that warm up: the learning rate, and the share of the weights in their average, larger at
        # first, as in the program, so that the random start is soon forgotten.
        numbers = torch.arange(1, self.steps + WARM_UP + 1, device=self.device)
        self.rates = tabiya.torch.learning_rates(recipe, self.steps).to(self.device)
        self.rates = torch.cat((self.rates, self.rates.new_zeros(WARM_UP)))
        self.shares = 1 - ((1 + numbers) / (10 + numbers)).clamp(max=self.decay)
        self.count = torch.zeros(1, dtype=torch.int64, device=self.device)
        self.sums = torch.zeros(3, device=self.device)
        self.metrics = {}

    def prepare(self, checkpoint=None):
        """Warms up, captures the graph on a GPU, and begins: from nothing, or from a checkpoint."""
        begin = checkpoint or self.state()
        self.shuffle()
        if self.is_cuda:
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for batch in self.batches(WARM_UP):
                    self.one_step(batch)
            torch.cuda.current_stream().wait_stream(stream)
            self.optimiser.zero_grad(set_to_none=True)
            self.graph = torch.cuda.CUDAGraph()
            # On the stream that was warmed up, whose work space belongs to this training alone: several may share a device.
            with torch.cuda.graph(self.graph, stream=stream):
                for batch in self.batches(self.graph_steps):
                    self.one_step(batch)
        else:
            self.several(1)
        self.restore(begin)

    def state(self):
        """The state from which a run continues. The moments of an optimiser that has made no step are zero."""
        moments = [
            {name: tensor.detach().clone() for name, tensor in self.optimiser.state[p].items()} for p in self.parameters
        ]
        return {
            "identity": self.identity,
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
        self.step, self.seconds, self.epoch, left = state["progress"]
        self.count.fill_(self.step)
        self.shuffle()
        if self.step:
            self.cursor.fill_((self.epoch_steps - left) * self.size)
            self.left = left
        self.sums.zero_()

    def shuffle(self):
        """The order of the epoch, from its beginning."""
        generator = torch.Generator(self.device).manual_seed(self.seed + self.epoch)
        self.order.copy_(torch.randperm(len(self.samples), device=self.device, generator=generator))
        self.cursor.zero_()
        self.left = self.epoch_steps

    def batches(self, count):
        """The batches of the next steps, taken from memory at once: a small network takes longer to gather its samples than to learn from
        them."""
        numbers = self.order[self.cursor + torch.arange(count * self.size, device=self.device)]
        self.cursor += count * self.size
        samples = self.samples[numbers]
        planes = samples.input
        if self.is_cuda:
            planes = planes.contiguous(memory_format=torch.channels_last)
        return samples._replace(planes=planes).split(self.size)

    def several(self, count):
        """The next steps, outside the graph."""
        for batch in self.batches(count):
            self.one_step(batch)

    def one_step(self, batch):
        """A step on a batch."""
        losses = self.objective(self.module(batch.input), batch)
        self.optimiser.zero_grad(set_to_none=True)
        losses.total.backward()
        clip = self.recipe["optimiser"]["clip_norm"]
        if clip:
            torch.nn.utils.clip_grad_norm_(self.module.parameters(), clip)
        # Not `rates[count]`, which asks the device for the number.
        rate, share = self.rates.index_select(0, self.count)[0], self.shares.index_select(0, self.count)[0]
        if self.is_cuda:
            self.rate.copy_(rate)
        else:
            for group in self.optimiser.param_groups:
                group["lr"] = rate.item()
        self.optimiser.step()
        for average, parameter in zip(self.average, self.parameters):
            average.lerp_(parameter.detach(), share)
        self.count += 1
        zero = self.sums.new_zeros(())
        self.sums += torch.stack([zero if part is None else part.detach() for part in losses])

    def advance(self):
        """The steps of a graph, or those that are left of the run."""
        count = min(self.graph_steps, self.steps - self.step)
        if self.left < count:
            # The rest of an epoch that does not fill a graph is left out.
            self.epoch += 1
            self.shuffle()
        if self.graph is not None and count == self.graph_steps:
            self.graph.replay()
        else:
            self.several(count)
        self.step += count
        self.left -= count

    @torch.no_grad()
    def with_average(self, work):
        """Runs `work` with the weights that are validated and kept, whose normalisations have the moments of samples."""
        current = [p.detach().clone() for p in self.parameters]
        for parameter, average in zip(self.parameters, self.average):
            parameter.copy_(average)
        norms = [layer for layer in self.module.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
        self.module.eval()
        for layer in norms:
            layer.reset_running_stats()
            layer.train()
            layer.momentum = None  # the mean of all batches
        try:
            if norms:
                size = min(PIECE, len(self.samples))
                for begin in range(0, min(MOMENT_SAMPLES, len(self.samples) - size + 1), size):
                    self.module(self.samples[self.order[begin : begin + size]].input)
            self.module.eval()
            return work()
        finally:
            for layer in norms:
                layer.momentum = 0.1  # PyTorch's own
            self.module.train()
            for parameter, tensor in zip(self.parameters, current):
                parameter.copy_(tensor)

    def validate(self):
        """Means over held-out samples, as a table: the policy's loss over legal moves, the value's, and the share of the samples
        whose likeliest legal move is the target's."""
        most = min(self.recipe["training"]["validation_positions"], len(self.held_out))
        spread = torch.linspace(0, len(self.held_out) - 1, most, device=self.device).long()
        sums = {}
        for numbers in spread.split(PIECE):
            batch = self.held_out[numbers]
            policy, value, _ = self.module(batch.input)
            found = {}
            if policy is not None:
                legal, _ = tabiya.torch.legal_logits(policy, batch)
                best = batch.rows(batch.policy, 0.0).argmax(dim=1)
                found["policy_loss"] = tabiya.torch.policy_loss(policy, batch)
                found["top1"] = (legal.argmax(dim=1) == best).float().mean()
            if value is not None:
                kind = self.recipe["losses"].get("value_loss")
                found["value_loss"] = tabiya.torch.value_loss(value, batch, head=self.module.value, kind=kind)
            for name, number in found.items():
                sums[name] = sums.get(name, 0.0) + number.item() * len(numbers)
        return {name: number / most for name, number in sums.items()} | {"samples": most}

    def save(self, eight_bit=False):
        """The weights file, or an eight-bit one next to it."""
        trained = {"steps": self.step, "positions": self.step * self.size, "seconds": self.seconds}
        out = self.out.with_suffix(".8.tabiya") if eight_bit else self.out
        tabiya.save(self.module, out, name=self.out.stem, **trained, data=self.data, metrics=self.metrics, eight_bit=eight_bit)

    def log(self, **line):
        with open(self.out.with_suffix(".jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps({"step": self.step, "positions": self.step * self.size, **line}) + "\n")

    def checkpoint(self):
        """Writes the weights file and the state from which the run continues, each atomically."""
        self.with_average(self.save)
        whole, part = self.out.with_suffix(".checkpoint"), self.out.with_suffix(".checkpoint.partial")
        torch.save(self.state(), part)
        part.replace(whole)

    def run(self, minutes=None, save_every=2.0, show=print):
        """Trains to the end of the recipe or of the time, showing a line now and then."""
        end = None if minutes is None else time.monotonic() + 60 * minutes
        began = shown = saved = time.monotonic()
        before, since, of_others = self.seconds, self.step, 0.0
        interval = self.recipe["training"]["validation_interval"]
        while self.step < self.steps:
            validated = self.step // interval
            self.advance()
            if self.step % WAIT < self.graph_steps:
                self.sums.sum().item()  # waits for the device, which lags behind
            now = time.monotonic()
            is_last = self.step >= self.steps or (end is not None and now >= end)
            if now - shown > LINE or is_last:
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
                self.metrics = self.with_average(self.validate)
                self.log(kind="validation", seconds=self.seconds, **self.metrics)
            if now - saved > 60 * save_every or is_last:
                self.checkpoint()
                saved = time.monotonic()
            of_others += time.monotonic() - now
            if is_last:
                break


def main():
    options = arguments()
    changes = {"steps": options.steps, "batch": options.batch, "threads": options.threads}
    try:
        training = Training(options.recipe, options.data, out=options.out, device=options.device, **changes)
    except ValueError as error:
        raise SystemExit(f"error: {error}") from error
    file, checkpoint = training.out.with_suffix(".checkpoint"), None
    if options.resume:
        if not file.exists():
            raise SystemExit(f"{file}: found nothing, expected the checkpoint of a run to resume")
        checkpoint = torch.load(file, map_location=options.device)
        for name, found in training.identity.items():
            if checkpoint["identity"][name] != found:
                raise SystemExit(f"{file}: it is of another {name}")
    elif file.exists():
        raise SystemExit(f"{file}: a run was started there: continue it with --resume, or remove it")
    else:
        training.out.with_suffix(".jsonl").write_text("")
    training.prepare(checkpoint)
    training.run(options.minutes, options.save_every)
    result = training.metrics or training.with_average(training.validate)
    named = ", ".join(f"{name.replace('_', ' ')} {number:.4f}" for name, number in result.items() if name != "samples")
    print(f"{result['samples']} held-out positions: {named}")
    print(f"{training.step * training.size} positions in {training.seconds:.0f} s; weights in {training.out}")


if __name__ == "__main__":
    main()
