"""The examples, run at toy size as they stand in the folder `examples`."""

import json
import os
import pathlib
import subprocess
import sys
from xml.etree import ElementTree

import chess
import chess.engine
import pytest

import tabiya

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"


def run_notebook(name, parameters):
    """Runs the code of a notebook; the parameters follow the cell that has their tag, as papermill has it."""
    notebook = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    replaced = False
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, "kept without what a run of it printed"
        exec(compile("".join(cell["source"]), f"{name}, {cell['id']}", "exec"), names)
        if "parameters" in cell["metadata"].get("tags", []):
            assert set(parameters) <= set(names), "a parameter that the notebook does not have"
            names.update(parameters)
            replaced = True
    assert replaced
    return names


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_from_your_games_to_an_opponent_like_you(games):
    names = run_notebook(
        "play-like-you.ipynb",
        {"games": games, "player": "anna", "recipe": ROOT / "recipes/you", "steps": 1},
    )
    assert names["added"].games == 60
    assert names["result"].person["after"]["matched"]["samples"] > 0


def test_train_in_pytorch_play_and_rate_here(store_path):
    pytest.importorskip("torch", reason="needs torch: scripts/python-package --torch", exc_type=ImportError)
    names = run_notebook(
        "train-in-pytorch.ipynb",
        {
            "store_path": store_path,
            "network": {"blocks": 1, "channels": 16, "value": {"channels": 4, "hidden": 16}},
            "steps": 4,
            "batch_size": 32,
            "games": 2,
            "nodes": 4,
            "device": "cpu",
        },
    )
    assert len(names["losses"]) == 4
    assert names["result"].report


def test_any_module_is_a_player(store_path, tmp_path):
    for package in ("torch", "onnx"):
        pytest.importorskip(package, reason="needs torch: scripts/python-package --torch", exc_type=ImportError)
    names = run_notebook(
        "any-module.ipynb",
        {
            "store_path": store_path,
            "width": 16,
            "heads": 2,
            "blocks": 1,
            "steps": 4,
            "batch_size": 32,
            "games": 2,
        },
    )
    assert len(names["losses"]) == 4
    assert (tmp_path / "squares.onnx").is_file() and names["result"].report
    with pytest.raises(AssertionError, match="fewer samples than a batch of 100000"):
        run_notebook("any-module.ipynb", {"store_path": store_path, "batch_size": 100000})


def test_what_a_network_sees():
    names = run_notebook("what-a-network-sees.ipynb", {})
    assert names["worth"] and len(names["first_sight"]) == len(names["after_search"]) > 10
    for picture in ("picture", "occlusion", "curves"):
        assert ElementTree.fromstring(names[picture]).tag.endswith("svg"), picture


def run_training(store_path, steps, *more):
    """What `train_recipe.py` prints of a small network with losses, schedule and optimiser unlike the defaults."""
    recipe = pathlib.Path("small.toml")
    recipe.write_text(SMALL, encoding="utf-8")
    command = [sys.executable, EXAMPLES / "train_recipe.py", recipe, "--data", store_path, "--out", "trained.tabiya"]
    command += ["--steps", str(steps), "--device", "cpu", "--threads", "1", *more]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ}, timeout=600)


SMALL = """
title = "small"
data = "named by the caller"
training = { steps = 1000, batch = 32, validation_interval = 40, validation_positions = 100 }
losses = { illegal_move_weight = 1.0, value_loss = { kind = "huber", delta = 1.0 }, value_target = { from = "evaluation" } }
optimiser = { kind = "sgd", momentum = 0.9, nesterov = false, weight_decay = 0.0, clip_norm = 1.0, average_decay = 0.9 }
schedule = { kind = "steps", peak = 0.03, factor = 0.1, at = [90], warmup = 4 }

[network]
input = "knights-6-10"
moves = "knights-4096"
numbers = 10
body = [
    { kind = "convolution", channels = 8 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "pool", method = "average" }, { kind = "numbers" }, { kind = "dense", units = 16 }, { kind = "activation" },
]
policy = { kind = "layers", layers = [] }
value = { kind = "scalar", layers = [] }
"""


def test_a_recipe_is_trained_in_pytorch_and_goes_on_where_it_ended(store_path, tmp_path):
    pytest.importorskip("torch", reason="needs torch: scripts/python-package --torch", exc_type=ImportError)
    ended = run_training(store_path, 80)
    assert ended.returncode == 0, ended.stderr
    assert "weights in trained.tabiya" in ended.stdout
    again = run_training(store_path, 100)
    assert again.returncode != 0 and "--resume" in again.stderr
    ended = run_training(store_path, 100, "--resume")
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in (tmp_path / "trained.jsonl").read_text().splitlines()]
    validations = [line for line in lines if line["kind"] == "validation"]
    assert [line["step"] for line in validations] == [40, 80, 100]
    losses = [line["loss"] for line in lines if line["kind"] == "step"]
    assert losses[-1] < losses[0]
    with tabiya.Engine("trained.tabiya", search="policy") as engine:
        assert engine.play(chess.Board(), chess.engine.Limit(nodes=1)).move in chess.Board().legal_moves


def test_several_recipes_are_trained_at_once(store_path):
    pytest.importorskip("torch", reason="needs torch: scripts/python-package --torch", exc_type=ImportError)
    values = SMALL.replace('{ kind = "layers", layers = [] }', '{ kind = "none" }')
    values = values.replace("illegal_move_weight = 1.0", "policy_weight = 0.0")
    for name, recipe in (("moves", SMALL), ("values", values)):
        pathlib.Path(f"{name}.toml").write_text(recipe, encoding="utf-8")
    command = [sys.executable, EXAMPLES / "train_together.py", "moves.toml:40", "values.toml:48", "--data", store_path]
    command += ["--out", "together", "--device", "cpu", "--threads", "1"]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, timeout=600)
    assert run.returncode == 0, run.stderr
    for name, steps in (("moves", 40), ("values", 48)):
        assert f"{name}: {steps * 32} samples" in run.stdout
    for file in ("moves.tabiya", "moves.8.tabiya", "values.tabiya", "values.8.tabiya"):
        assert tabiya.load(pathlib.Path("together", file)).evaluate(chess.Board()).win < 1
