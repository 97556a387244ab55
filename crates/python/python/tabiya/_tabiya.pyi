"""The extension module: plain values in, plain values out. Use the package `tabiya` around it."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

__version__: str

class Error(ValueError):
    """An argument or a file cannot be used: the message says where, what was found and what was expected."""

class Network:
    def __new__(cls, net: str, precision: Optional[str]) -> "Network": ...
    @property
    def net(self) -> str: ...
    @property
    def description(self) -> str: ...
    def evaluate(
        self,
        records: Sequence[Tuple[str, List[str], bool]],
        ratings: Tuple[Optional[int], Optional[int]],
    ) -> Tuple[
        npt.NDArray[np.float32],
        Optional[npt.NDArray[np.float32]],
        npt.NDArray[np.int64],
        List[npt.NDArray[np.uint8]],
        npt.NDArray[np.float32],
    ]: ...

class Engine:
    def __new__(cls, network: Network, kind: str, pairs: Sequence[Tuple[str, str]]) -> "Engine": ...
    def describe(self) -> str: ...
    def set_options(self, pairs: Sequence[Tuple[str, str]]) -> List[Tuple[str, str]]: ...
    def new_game(self) -> None: ...
    def run(
        self,
        record: Tuple[str, List[str], bool],
        values: Dict[str, object],
        report: Optional[Callable[[str], None]],
    ) -> str: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...

class Store:
    def __new__(cls, path: str) -> "Store": ...
    def path(self) -> str: ...
    def hash(self) -> str: ...
    def positions(self, split: Optional[str]) -> int: ...
    def manifest(self) -> str: ...
    def files(self, split: str) -> List[str]: ...
    def statistics(self, report: Optional[Callable[[int], Any]]) -> str: ...
    def batches(self, encoding: str, moves: Optional[str], values: Dict[str, object]) -> "Batches": ...
    def close(self) -> None: ...

class Batches:
    def count(self) -> int: ...
    def take(self) -> Optional[Dict[str, Any]]: ...

def encodings() -> Tuple[List[Tuple[str, int, int, int]], List[str], List[Tuple[str, int]]]:
    """Every encoding.

    Name, planes, channels and positions of history of each input encoding; names of the sets of features of sparse networks; name
    and length of the policy of each move encoding.
    """

def encode(
    encoding: Tuple[str, Optional[str]],
    records: Sequence[Tuple[str, List[str], bool]],
    ratings: Tuple[Optional[int], Optional[int]],
    packed: bool,
) -> Dict[str, Any]: ...
def build(
    output: str,
    inputs: Sequence[str],
    values: Dict[str, object],
    report: Optional[Callable[[str], Any]],
) -> str: ...
def add_personal_games(folder: str, inputs: Sequence[str], player: str) -> str: ...
def train(
    recipe: str,
    values: Dict[str, object],
    report: Optional[Callable[[str], Optional[bool]]],
) -> str: ...
def describe_network(text: str, seed: int) -> Tuple[str, Dict[str, npt.NDArray[np.float32]]]: ...
def learning_rates(text: str, steps: Optional[int]) -> npt.NDArray[np.float32]: ...
def save_network(
    path: str,
    texts: Tuple[str, str],
    matrices: Sequence[Tuple[str, npt.NDArray[np.float32]]],
) -> None: ...
def networks() -> List[str]:
    """The names that need no file: the bundled networks, then the evaluators without a network."""

def searches() -> List[Tuple[str, str]]:
    """Name and method of every search."""

def search_options() -> List[Tuple[str, str, str, str]]: ...
def elo(games: Optional[Sequence[int]], pairs: Optional[Sequence[int]]) -> Optional[str]: ...
def sprt(
    pairs: Sequence[int],
    hypotheses: Tuple[float, float],
    errors: Tuple[Optional[float], Optional[float]],
    normalized: bool,
) -> str: ...
def play_match(
    players: Sequence[str],
    values: Dict[str, object],
    report: Optional[Callable[[str], None]],
) -> Tuple[Optional[Tuple[str, str]], Optional[str], List[str]]: ...
