"""Trainings: to the end, stopped, resumed and refused."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time

import chess
import pytest

import tabiya


def test_a_training_leaves_a_network_that_plays(tiny, store_path, tmp_path):
    reports = []
    result = tabiya.train(tiny, store_path, out=tmp_path / "run", callback=reports.append, progress=False)
    assert result.ending == "finished" and result.step == 12 and result.positions == 12 * 32
    steps = [report.step for report in reports if report.validation is None and report.checkpoint is None]
    assert steps == list(range(1, 13))
    assert reports[0].steps == 12 and reports[0].policy_loss > 0 and reports[0].learning_rate > 0
    validated = [report.step for report in reports if report.validation]
    assert validated == [6, 12]
    assert [report.step for report in reports if report.checkpoint] == [4, 8, 12]
    assert result.validation["positions"] > 0
    evaluation = result.load().evaluate(chess.Board())
    assert len(evaluation.priors) == 20
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["step"] == 12
    assert result.provenance == summary["provenance"] and result.provenance["data"]


def test_a_recipe_is_a_file_too(tiny, store_path, tmp_path):
    folder = tmp_path / "recipe"
    folder.mkdir()
    (folder / "recipe.toml").write_text(
        'title = "tiny"\ndata = "nowhere"\n[training]\nsteps = 2\nbatch = 8\nthreads = 1\nvalidation_positions = 32\n'
        "statistics_positions = 32\n[network]\nblocks = 1\nchannels = 16\n"
        '[schedule]\nkind = "cosine"\npeak = 1e-3\nlast = 1e-5\nwarmup = 1\n'
    )
    result = tabiya.train(folder, store_path, out=tmp_path / "run", steps=3, progress=False)
    assert (result.ending, result.step) == ("finished", 3)


def test_what_is_stopped_goes_on_as_if_it_had_not_been(tiny, store_path, tmp_path):
    losses = {}

    def note(report):
        losses.setdefault(report.step, report.total_loss)

    whole = tabiya.train(tiny, store_path, out=tmp_path / "whole", callback=note, progress=False)
    expected, losses = losses, {}
    stopped = tabiya.train(
        tiny, store_path, out=tmp_path / "run", callback=lambda report: note(report) or report.step < 5, progress=False
    )
    assert stopped.ending == "interrupted" and 5 <= stopped.step < 12 and stopped.network is None
    with pytest.raises(tabiya.Error, match="ended interrupted"):
        stopped.load()
    resumed = tabiya.train(tiny, store_path, out=tmp_path / "run", callback=note, resume=True, progress=False)
    assert resumed.ending == "finished" and resumed.step == 12
    assert losses == expected
    assert resumed.validation == whole.validation


def test_exceptions_of_the_callback_come_out_after_a_checkpoint(tiny, store_path, tmp_path):
    def fail(report):
        if report.step == 3:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tabiya.train(tiny, store_path, out=tmp_path / "run", callback=fail, progress=False)
    assert list((tmp_path / "run" / "checkpoints").iterdir())
    assert tabiya.train(tiny, store_path, out=tmp_path / "run", resume=True, progress=False).ending == "finished"


def test_a_name_that_leads_elsewhere_is_refused(tmp_path):
    for name in ["", "..", "../x", str(tmp_path / "x")]:
        command = [sys.executable, "-m", "tabiya.train", "recipe.toml", f"--name={name}"]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert found.returncode == 2 and f"--name: found {name!r}, expected the name of a folder" in found.stderr


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_the_command_says_what_to_install(tmp_path):
    command = [sys.executable, "-m", "tabiya.train", "recipe.toml"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (1, "error: PyTorch is not installed: pip install torch\n")


def test_ctrl_c_writes_a_checkpoint(tiny, store_path, tmp_path):
    tiny["training"]["steps"] = 1_000_000
    tiny["training"]["checkpoint_interval"] = 1_000_000
    tiny["training"]["validation_interval"] = 1_000_000
    begun = threading.Event()

    def press():
        begun.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        tabiya.train(
            tiny,
            store_path,
            out=tmp_path / "run",
            callback=lambda report: begun.set() if report.step > 3 else None,
            progress=False,
        )
    presser.join()
    newest = max((tmp_path / "run" / "checkpoints").iterdir(), key=lambda file: file.stat().st_mtime)
    assert newest.stat().st_size > 0


def test_other_threads_run_meanwhile(tiny, store_path, tmp_path):
    ended = threading.Event()
    counted = []

    def count():
        while not ended.is_set():
            counted.append(1)
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        tabiya.train(tiny, store_path, out=tmp_path / "run", progress=False)
    finally:
        ended.set()
        counter.join()
    assert len(counted) > 1


def test_a_bar_is_drawn(tiny, store_path, tmp_path, capfd):
    tabiya.train(tiny, store_path, out=tmp_path / "run", steps=3)
    assert "3/3" in capfd.readouterr().err


def test_a_training_starts_from_a_network(store_path, tmp_path, tiny):
    del tiny["network"]
    tiny["training"]["batch"] = 8
    result = tabiya.train(tiny, store_path, out=tmp_path / "run", start="cnn", steps=1, progress=False)
    assert result.load().evaluate(chess.Board()).priors
    assert result.provenance["origin"]["name"]


def refused(parts, *arguments, **options):
    with pytest.raises(tabiya.Error) as error:
        tabiya.train(*arguments, progress=False, **options)
    for part in parts:
        assert part in str(error.value), str(error.value)


def test_what_cannot_be_trained_is_refused(tiny, store_path, tmp_path):
    out = tmp_path / "run"
    refused(["missing"], tmp_path / "missing", out=out)
    refused(["missing", "found nothing"], tiny, tmp_path / "missing", out=out)
    refused(["steps: found 0"], tiny, store_path, out=out, steps=0)
    refused(["f8"], tiny, store_path, out=out, precision="f8")
    refused(["has no checkpoint to resume from"], tiny, store_path, out=tmp_path / "none", resume=True)
    refused(["start"], tiny, store_path, out=out, start="cnn", resume=True)
    refused(["unknown", "lernrate"], {**tiny, "lernrate": 1}, store_path, out=out)
    refused(["network", "nothing"], {key: tiny[key] for key in ("title", "training")}, store_path, out=out)
    refused(["training.batch"], {**tiny, "training": {"steps": 3, "batch": 0}}, store_path, out=out)
    tabiya.train(tiny, store_path, out=out, steps=2, progress=False)
    refused(["holds a run already"], tiny, store_path, out=out)


def test_a_folder_of_another_kind_is_left_alone(tiny, store_path, tmp_path):
    before = sorted(file.name for file in store_path.iterdir())
    refused(["a sample store", "a training run"], tiny, store_path, out=store_path)
    assert sorted(file.name for file in store_path.iterdir()) == before
    tabiya.train(tiny, store_path, out=tmp_path / "run", steps=2, progress=False)
    assert json.loads((tmp_path / "run" / "setup.json").read_text()) == {"kind": "a training run"}


def test_one_training_at_a_time_in_a_folder(tiny, store_path, tmp_path):
    def again(report):
        if report.step == 2 and report.checkpoint is None and report.validation is None:
            refused(["run"], tiny, store_path, out=tmp_path / "run")

    tabiya.train(tiny, store_path, out=tmp_path / "run", callback=again, progress=False)
