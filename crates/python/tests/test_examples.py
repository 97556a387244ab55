"""The examples, run at toy size as they stand in the folder `examples`."""

import json
import os
import pathlib
import subprocess
import sys
from xml.etree import ElementTree

import pytest

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


def test_what_a_network_sees():
    names = run_notebook("what-a-network-sees.ipynb", {})
    assert names["worth"] and len(names["first_sight"]) == len(names["after_search"]) > 10
    for picture in ("picture", "occlusion", "curves"):
        assert ElementTree.fromstring(names[picture]).tag.endswith("svg"), picture


def test_a_recipe_is_trained_in_pytorch(store_path, tmp_path):
    pytest.importorskip("torch", reason="needs torch: scripts/python-package --torch", exc_type=ImportError)
    if sys.version_info < (3, 11):
        pytest.skip("the script needs Python 3.11")
    command = [sys.executable, EXAMPLES / "train_first.py", "--recipe", ROOT / "recipes/first", "--data", store_path]
    command += ["--steps", "2", "--batch", "16", "--device", "cpu", "--out", "trained.tabiya"]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, timeout=600)
    assert ended.returncode == 0, ended.stderr
    assert "weights in trained.tabiya" in ended.stdout
    assert (tmp_path / "trained.tabiya").stat().st_size > 0
