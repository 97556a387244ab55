"""The extension module: plain values in, plain values out. Use the package `tabiya` around it."""

from typing import Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

__version__: str

class Error(ValueError):
    """Something that was given cannot be used: the message says where, what was found and what was expected."""

class Network:
    def __new__(cls, net: str, device: str, precision: Optional[str]) -> "Network": ...
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

def networks() -> List[str]:
    """The names that need no file: the bundled networks, then the evaluators without a network."""

def searches() -> List[Tuple[str, str]]:
    """Name and method of every search."""

def search_options() -> List[Tuple[str, str, str, str]]: ...
def elo(games: Optional[Sequence[int]], pairs: Optional[Sequence[int]]) -> Optional[str]: ...
def sprt(
    pairs: Sequence[int],
    hypotheses: Tuple[float, float],
    errors: Tuple[float, float],
    normalized: bool,
) -> str: ...
def play_match(
    players: Sequence[str],
    values: Dict[str, object],
    report: Optional[Callable[[str], None]],
) -> Tuple[Optional[Tuple[str, str]], Optional[str], List[str]]: ...
