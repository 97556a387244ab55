"""What several tests use."""

import os
import pathlib
import signal

import pytest

import tabiya

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Shells start background jobs with Ctrl-C ignored, and Python then leaves it so: the tests of Ctrl-C would wait forever.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def network():
    return tabiya.load("default")


@pytest.fixture(scope="session")
def nets():
    """The folder of the bundled weights files."""
    return ROOT / "nets"


@pytest.fixture(scope="session")
def real_data():
    """The folder of real games and networks."""
    folder = os.environ.get("TABIYA_DATA")
    if not folder:
        pytest.skip("TABIYA_DATA is not set (the folder of real games and networks)")
    return pathlib.Path(folder)
