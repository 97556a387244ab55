"""Counts a sample store with pyarrow, pandas and DuckDB; prints JSON that tests/python.rs compares with our own counts.

Also unpacks positions by the layout of docs/formats.md, to prove that the description suffices.
"""

import json
import pathlib
import sys

import duckdb
import pandas
import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

PIECES = ".PNBRQKRepnbrqkr"  # nibble to piece; 7 and 15 are rooks that may castle, 8 is a pawn to be taken en passant


def squares(packed):
    """The pieces of a packed position, a1 first, and whether Black is to move."""
    nibbles = [packed[square // 2] >> 4 * (square % 2) & 15 for square in range(64)]
    board = [PIECES[nibble] for nibble in nibbles]
    board = [("P" if index < 32 else "p") if piece == "e" else piece for index, piece in enumerate(board)]
    return "".join(board), packed[33] >= 128


def summary(labels, results, splits):
    """The numbers in the shape of `tabiya data stats --json`."""
    return {
        "positions": sum(split["positions"] for split in splits.values()),
        "games": sum(split["games"] for split in splits.values()),
        "position_results": results,
        "labels": labels,
        "splits": splits,
    }


def results_of(values):
    """Results from a mapping of 1, 0, -1 and None to counts."""
    names = {"win": 1, "draw": 0, "loss": -1, "unknown": None}
    return {name: int(values.get(key, 0)) for name, key in names.items()}


def with_pyarrow(files):
    table = pyarrow.concat_tables(parquet.read_table(file) for file in sum(files.values(), []))
    valid = lambda name: len(table) - table[name].null_count
    counts = table["result"].value_counts().to_pylist()
    labels = {
        "centipawns": valid("centipawns"),
        "mate": valid("mate"),
        "unevaluated": len(table) - valid("centipawns") - valid("mate"),
        "slips": valid("played_move"),
        "before_slips": compute.sum(compute.greater(table["slips"], 0)).as_py(),
        "repeated": compute.sum(compute.greater(table["repetitions"], 0)).as_py(),
    }
    splits = {}
    for split, paths in files.items():
        part = pyarrow.concat_tables(parquet.read_table(path) for path in paths)
        splits[split] = {"games": compute.count_distinct(part["game"]).as_py(), "positions": len(part)}
    return summary(labels, results_of({entry["values"]: entry["counts"] for entry in counts}), splits)


def with_pandas(files):
    parts = {split: pandas.concat(map(pandas.read_parquet, paths)) for split, paths in files.items()}
    table = pandas.concat(parts.values())
    counts = {int(key): value for key, value in table["result"].value_counts().items()}
    counts[None] = table["result"].isna().sum()
    labels = {
        "centipawns": int(table["centipawns"].notna().sum()),
        "mate": int(table["mate"].notna().sum()),
        "unevaluated": int((table["centipawns"].isna() & table["mate"].isna()).sum()),
        "slips": int(table["played_move"].notna().sum()),
        "before_slips": int((table["slips"] > 0).sum()),
        "repeated": int((table["repetitions"] > 0).sum()),
    }
    splits = {split: {"games": part["game"].nunique(), "positions": len(part)} for split, part in parts.items()}
    white, black = squares(parts["train"]["position"].iloc[0])
    assert white == "RNBQKBNRPPPPPPPP" + "." * 32 + "pppppppprnbqkbnr" and not black, (white, black)
    both_kings = table["position"].map(squares).map(lambda board: board[0].count("K") == 1 == board[0].count("k"))
    assert both_kings.all()
    assert (table["position"].map(lambda packed: packed[33] >= 128) == (table["ply"] % 2 == 1)).all()
    return summary(labels, results_of(counts), splits)


def with_duckdb(files):
    query = lambda paths, what: duckdb.sql(f"select {what} from read_parquet({[str(path) for path in paths]})").fetchall()
    everything = sum(files.values(), [])
    names = ["centipawns", "mate", "unevaluated", "slips", "before_slips", "repeated"]
    row = query(
        everything,
        """count(centipawns), count(mate), count(*) filter (centipawns is null and mate is null), count(played_move),
           count(*) filter (slips > 0), count(*) filter (repetitions > 0)""",
    )[0]
    counts = duckdb.sql(
        f"select result, count(*) from read_parquet({[str(path) for path in everything]}) group by result"
    ).fetchall()
    splits = {}
    for split, paths in files.items():
        games, positions = query(paths, "count(distinct game), count(*)")[0]
        splits[split] = {"games": games, "positions": positions}
    return summary(dict(zip(names, row)), results_of(dict(counts)), splits)


def main():
    store = pathlib.Path(sys.argv[1])
    manifest = json.loads((store / "manifest.json").read_text())
    files = {split: [store / file["name"] for file in manifest[split]] for split in ("train", "validation")}
    print(json.dumps({"pyarrow": with_pyarrow(files), "pandas": with_pandas(files), "duckdb": with_duckdb(files)}))


main()
