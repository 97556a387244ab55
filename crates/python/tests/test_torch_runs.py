"""Runs of recipes in PyTorch: those of `tabiya train`, which go on on either side; and what is refused."""

import json
import pathlib
import subprocess
import sys
import types

import chess
import numpy as np
import pytest

import tabiya

torch = pytest.importorskip("torch", reason="needs torch: scripts/python-package --torch", exc_type=ImportError)

import tabiya.torch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]

#: Attention as in recipes/attention: every kind of layer of it.
ATTENTION = {
    "input": "tabiya-attacks",
    "activation": "mish",
    "body": [
        {"kind": "dense-embedding", "read": 12, "channels": 2},
        {"kind": "convolution", "channels": 8, "size": 1},
        {"kind": "activation"},
        {"kind": "square-affine"},
        {
            "kind": "encoder",
            "heads": 2,
            "hidden": 8,
            "activation": "relu-squared",
            "smolgen": {"channels": 2, "hidden": 4, "size": 4, "activation": "swish"},
        },
    ],
    "policy": {"kind": "attention", "depth": 8, "layers": [{"kind": "convolution", "channels": 8, "size": 1}]},
    "value": {"layers": [{"kind": "convolution", "channels": 2, "size": 1}, {"kind": "activation"}]},
}


def lines_of(run, kind):
    lines = map(json.loads, (run / "log.jsonl").read_text().splitlines())
    return [line for line in lines if line["kind"] == kind]


@pytest.mark.parametrize(
    "optimiser",
    [{}, {"kind": "adam", "average_decay": 0.9}, {"kind": "sgd", "momentum": 0.8, "average_decay": 0.0, "clip_norm": 0.1}],
)
def test_a_run_in_pytorch_is_one_of_the_program(tiny, store_path, tmp_path, optimiser):
    tiny["optimiser"] = optimiser
    tiny["losses"] = {"illegal_move_weight": 0.5, "label_smoothing": 0.05}
    for name, device in (("program", None), ("torch", "cpu")):
        result = tabiya.train(tiny, store_path, out=tmp_path / name, device=device, progress=False)
        assert result.ending == "finished" and result.load().evaluate(chess.Board()).priors
    files = [sorted(file.name for file in (tmp_path / name).iterdir()) for name in ("program", "torch")]
    assert files[0] == files[1]
    steps = [lines_of(tmp_path / name, "step") for name in ("program", "torch")]
    validations = [lines_of(tmp_path / name, "validation") for name in ("program", "torch")]
    for expected, found in zip(*steps):
        # The same samples in the same order; sums are rounded differently, and more so with each step.
        for loss in ("policy_loss", "value_loss", "illegal_move_loss", "total_loss", "gradient_norm"):
            assert found[loss] == pytest.approx(expected[loss], rel=0.02, abs=1e-3), loss
    assert steps[1][0]["total_loss"] == pytest.approx(steps[0][0]["total_loss"], rel=1e-4)
    for expected, found in zip(*validations):
        expected, found = expected["validation"], found["validation"]
        assert found["positions"] == expected["positions"]
        assert found["policy_loss"] == pytest.approx(expected["policy_loss"], rel=0.02)
        assert found["illegal_move_loss"] == pytest.approx(expected["illegal_move_loss"], rel=0.05)


def test_attention_is_trained_as_by_the_program(tiny, store_path, tmp_path):
    # Weight decay that takes a few per cent in a step shows which parameters it is for.
    tiny["network"] = ATTENTION
    tiny["optimiser"] = {"weight_decay": 10.0, "average_decay": 0.0}
    tiny["schedule"] = {"kind": "constant", "peak": 3e-3}
    networks = []
    for name, device in (("program", None), ("torch", "cpu")):
        result = tabiya.train(tiny, store_path, out=tmp_path / name, device=device, progress=False)
        networks.append(tabiya.torch.module(result.network).matrices())
    steps = [lines_of(tmp_path / name, "step") for name in ("program", "torch")]
    assert steps[1][0]["total_loss"] == pytest.approx(steps[0][0]["total_loss"], rel=1e-4)
    program, found = networks
    assert program.keys() == found.keys()
    gates = [name for name in program if program[name].shape == (64, 8) and name.endswith(".scale")]
    assert len(gates) == 1, list(program)
    # Without decay they stay near one; twelve steps of Adam move them by 0.036 at most.
    for matrices in networks:
        np.testing.assert_allclose(matrices[gates[0]].detach().numpy(), 1, atol=0.05)


def test_the_recipe_of_attention_is_a_module():
    module = tabiya.torch.module(ROOT / "recipes" / "attention").eval()
    assert 2e6 < sum(parameter.numel() for parameter in module.parameters()) < 4e6
    with torch.no_grad():
        outputs = module(tabiya.torch.Batch.of(tabiya.encode([chess.STARTING_FEN], module)).input)
    assert outputs.policy.shape == (1, 1858) and outputs.value.shape == (1, 3)
    tabiya.torch.Objective(module)
    groups = module.parameter_groups(0.1)
    assert [group["weight_decay"] for group in groups] == [0.1, 0.0]
    assert sum(len(group["params"]) for group in groups) == len(list(module.parameters()))
    assert [tuple(tensor.shape) for tensor in groups[1]["params"] if tensor.dim() > 1] == [(64, 128)] * 2


def test_a_run_on_a_gpu_logs_its_load_and_memory(tiny, store_path, tmp_path, monkeypatch):
    from tabiya.torch import _training

    tabiya.train(tiny, store_path, out=tmp_path / "without", device="cpu", progress=False)
    assert all("gpu_load" not in line and "gpu_bytes" not in line for line in lines_of(tmp_path / "without", "step"))
    monkeypatch.setattr(_training, "gpu_readers", lambda device: [lambda: (0.5, 1 << 30)])
    tabiya.train(tiny, store_path, out=tmp_path / "with", device="cpu", progress=False)
    logged = [(line["gpu_load"], line["gpu_bytes"]) for line in lines_of(tmp_path / "with", "step")]
    assert logged and set(logged) == {(0.5, 1 << 30)}


def test_a_gpu_is_read_by_the_first_reader_that_works():
    from tabiya.torch._usage import GpuMeter, NvidiaSmi, gpu_readers

    asked = []

    def missing():
        asked.append("library")
        raise ModuleNotFoundError("pynvml does not seem to be installed")

    seconds, told = [0.0], ["37, 1024\n", "[N/A], 2048\n"]

    def run(command, **options):
        assert "--id=GPU-1" in command and options["timeout"] > 0
        asked.append("program")
        return types.SimpleNamespace(stdout=told.pop(0))

    meter = GpuMeter([missing, NvidiaSmi("GPU-1", run, lambda: seconds[0])])
    assert [meter.read(), meter.read()] == [(0.37, 1 << 30)] * 2
    assert asked == ["library", "program"], "what failed is not asked again, and the program not at every line"
    seconds[0] = 10.0
    assert meter.read() == (None, 2 << 30)
    seconds[0] = 20.0
    assert meter.read() == (None, None), "the program answers no more"
    assert gpu_readers(torch.device("cpu")) == [] and GpuMeter([]).read() == (None, None)


def test_a_run_moves_between_pytorch_and_the_program(tiny, store_path, tmp_path):
    def stop_at_six(report):
        return report.step < 6

    whole = tabiya.train(tiny, store_path, out=tmp_path / "whole", device="cpu", progress=False)
    for first, then in (("cpu", "cpu"), ("cpu", None), (None, "cpu")):
        run = tmp_path / f"{first}-{then}"
        options = {"out": run, "progress": False}
        assert tabiya.train(tiny, store_path, device=first, callback=stop_at_six, **options).ending == "interrupted"
        ended = tabiya.train(tiny, store_path, device=then, resume=True, **options)
        assert (ended.ending, ended.step) == ("finished", 12)
        found, expected = ended.validation, whole.validation
        assert found["policy_loss"] == pytest.approx(expected["policy_loss"], rel=0.02)


def test_the_command_trains_in_the_folder_of_runs(tiny, store_path, tmp_path):
    recipe = tmp_path / "small.toml"
    recipe.write_text(
        'title = "small"\ndata = "nowhere"\n[training]\nsteps = 4\nbatch = 8\nthreads = 1\nvalidation_positions = 32\n'
        "statistics_positions = 32\n[network]\nblocks = 1\nchannels = 16\n"
        '[schedule]\nkind = "cosine"\npeak = 1e-3\nlast = 1e-5\nwarmup = 1\n'
    )
    command = [sys.executable, "-m", "tabiya.train", str(recipe), "--data", str(store_path), "--device", "cpu"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    assert "finished after step 4" in ended.stdout and (tmp_path / "runs/small/network.tabiya").exists()
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert again.returncode == 1 and "holds a run already" in again.stderr
    import tabiya.train  # the function of that name stays

    assert callable(tabiya.train)


def test_what_pytorch_does_not_train_is_refused(tiny, store_path, tmp_path):
    def refused(part, recipe, **options):
        with pytest.raises(tabiya.Error, match=part):
            tabiya.train(recipe, store_path, out=tmp_path / "run", progress=False, **options)

    refused("abacus", tiny, device="abacus")
    refused("muon", {**tiny, "optimiser": {"kind": "muon"}}, device="cpu")
    refused("bf16", tiny, device="cpu", precision="bf16")
    refused("layers", {**tiny, "network": {"kind": "sparse", "features": "pieces", "width": 64}}, device="cpu")
