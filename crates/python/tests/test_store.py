"""Stores: what they hold, as tables and as arrays, in every order; and what is refused."""

import pathlib

import chess
import numpy as np
import pytest

import tabiya

ROOT = pathlib.Path(__file__).resolve().parents[3]


def whole(store, **options):
    return list(store.batches(64, "tabiya", shuffle=False, **options))


def joined(batches, name):
    return np.concatenate([getattr(batch, name) for batch in batches])


def test_a_store_says_what_it_holds(store, store_path):
    assert store.path == str(store_path)
    assert len(store) == store.positions("train") + store.positions("validation")
    assert len(store) == store.manifest["counts"]["positions"] > 3500
    assert store.manifest["counts"]["games"] == 60
    assert len(store.hash) == 32
    assert f"{len(store):,} samples" in repr(store)
    statistics = store.statistics(progress=False)
    assert statistics["positions"] == len(store) and statistics["games"] == 60


def test_batches_are_arrays_of_samples(store):
    batches = store.batches(64)
    assert len(batches) == store.positions("train") // 64
    count = 0
    for batch in batches:
        count += 1
        n, m = 64, len(batch.moves)
        assert len(batch) == n
        assert batch.planes.shape[0] == n and batch.planes.shape[2:] == (8, 8)
        assert batch.planes.dtype == np.float32 and batch.planes.flags.c_contiguous
        assert batch.offsets.shape == (n + 1,) and batch.offsets[0] == 0 and batch.offsets[-1] == m
        assert batch.policy.shape == (m,) and batch.policy.dtype == np.float32
        assert 0 <= batch.moves.min() and batch.moves.max() < 1858
        np.testing.assert_allclose(np.add.reduceat(batch.policy, batch.offsets[:-1]), 1, atol=1e-5)
        np.testing.assert_allclose(batch.wdl.sum(axis=1), batch.value_weights > 0, atol=1e-5)
        np.testing.assert_array_equal(batch.policy_weights, 1)
    assert count == len(batches)
    assert next(batches, None) is None


def test_the_arrays_are_the_loaders_memory(store):
    batch = next(store.batches(64))
    for array in (batch.planes, batch.policy, batch.moves):
        assert array.base is not None and not array.flags.owndata


def test_packed_planes_are_the_same_planes(store):
    for plain, packed in zip(whole(store), whole(store, packed=True)):
        assert packed.planes is None
        bits = packed.masks[..., None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
        planes = bits.astype(np.float32) * packed.values[..., None]
        np.testing.assert_array_equal(planes.reshape(plain.planes.shape), plain.planes)


def test_the_stored_order_is_that_of_the_games(store, games):
    """Encoded here from the file of games, there from the store."""
    batches = whole(store) + whole(store, split="validation")
    planes = {position.tobytes() for batch in batches for position in batch.planes}
    with open(games) as file:
        game = chess.pgn.read_game(file)
    nodes = list(game.mainline())
    encoded = tabiya.encode([node.parent.board() for node in nodes])
    assert encoded.planes.shape[1:] == batches[0].planes.shape[1:]
    assert all(position.tobytes() in planes for position in encoded.planes)


def test_shuffling_changes_the_order_and_nothing_else(store):
    def prints(batches):
        return sorted(position.tobytes() for batch in batches for position in batch.planes)

    stored = whole(store)
    shuffled = list(store.batches(1, shuffle=500))
    assert prints(shuffled) == prints(stored)
    first = next(store.batches(64)).planes
    assert not np.array_equal(first, stored[0].planes)
    np.testing.assert_array_equal(first, next(store.batches(64)).planes)
    np.testing.assert_array_equal(first, next(store.batches(64, threads=2)).planes)
    assert not np.array_equal(first, next(store.batches(64, seed=2)).planes)
    assert not np.array_equal(first, next(store.batches(64, epoch=1)).planes)


def test_parts_have_every_sample_between_them(store):
    parts = [store.batches(1, part=(part, 3)) for part in range(3)]
    assert sum(map(len, parts)) == store.positions("train")
    assert sum(len(list(part)) for part in parts) == store.positions("train")


def test_a_recipe_decides_the_targets(store, tiny):
    tiny["losses"] = {"value_target": {"from": "result"}, "origin_weights": {"human": 3.0, "unknown": 2.0}}
    batch = next(store.batches(64, tiny, shuffle=False))
    labelled = batch.wdl[batch.value_weights > 0]
    assert set(np.unique(labelled)) <= {0.0, 1.0}
    assert set(np.unique(batch.policy_weights)) <= {2.0, 3.0}
    by_evaluation = next(store.batches(64, ROOT / "recipes/first", shuffle=False))
    assert len(np.unique(by_evaluation.wdl)) > 3


def test_networks_name_their_encoding(store, network):
    for named in ("cnn", network, ROOT / "nets/cnn.tabiya"):
        assert next(store.batches(8, named)).planes.shape[0] == 8
    assert next(store.batches(8, "lc0-112")).planes.shape == (8, 112, 8, 8)
    names = {name: channels for name, _, channels, _ in tabiya.encodings()[0]}
    assert names["lc0-112"] == 112


def test_sparse_networks_get_features(store):
    batch = next(store.batches(16, ROOT / "recipes/sparse"))
    assert batch.planes is None and batch.pieces.shape == (16,)
    for starts, numbers in batch.features:
        assert starts.shape == (17,) and starts[-1] == len(numbers)
    assert batch.kinds.shape == batch.moves.shape == batch.policy.shape


def test_rows_are_a_stream_of_arrow(store):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    reader = store.rows()
    assert isinstance(reader, pyarrow.RecordBatchReader)
    table = reader.read_all()
    assert table.num_rows == store.positions("train")
    assert {"position", "best_move", "ply"} <= set(table.column_names)
    some = store.rows("validation", ["ply", "white_rating"], size=100).read_all()
    assert some.column_names == ["ply", "white_rating"]
    assert some.num_rows == store.positions("validation")
    assert some["white_rating"].to_pylist()[0] == 1500
    with pytest.raises(tabiya.Error, match="columns: found 'elo', expected some of position"):
        store.rows(columns=["elo"])


def test_a_closed_store_is_refused(store_path):
    store = tabiya.Store(store_path)
    batches = store.batches(64)
    first = next(batches)
    store.close()
    store.close()
    assert len(first) == 64 and len(next(batches)) == 64
    for use in (lambda: len(store), lambda: store.batches(8), lambda: store.path, lambda: store.manifest):
        with pytest.raises(tabiya.Error, match="store: found a closed store, expected an open one"):
            use()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"size": 0}, ["size: found 0", "from 1"]),
        ({"size": 2.5}, ["size: found 2.5", "whole number"]),
        ({"input": "chess"}, ["chess"]),
        ({"input": 7}, ["input: found int, expected a path"]),
        ({"moves": "uci"}, ["uci", "lc0-1858"]),
        ({"input": "cnn", "moves": "lc0-1858"}, ["moves", "cnn"]),
        ({"split": "test"}, ['split: found "test"', "train", "validation"]),
        ({"shuffle": 0}, ["shuffle: found 0"]),
        ({"seed": -1}, ["seed: found -1"]),
        ({"part": (2, 2)}, ["part: found 2 of 2"]),
        ({"part": 3}, ["part: found 3"]),
        ({"threads": 100_000}, ["threads: found 100000", "512"]),
        ({"input": {"network": {"blocks": 1, "channels": 16}}}, ["title"]),
        ({"input": {"blocks": 1}}, ["channels"]),
        ({"input": {"blocks": object()}}, ["input:"]),
    ],
)
def test_what_makes_no_batches_is_refused(store, arguments, parts):
    with pytest.raises(tabiya.Error) as error:
        store.batches(**{"size": 8, **arguments})
    for part in parts:
        assert part in str(error.value)


def test_history_must_be_in_the_store(games, tmp_path):
    store = tabiya.build(tmp_path / "short", games, progress=False)
    with pytest.raises(tabiya.Error, match="history"):
        store.batches(8, "lc0-112")


def test_what_is_no_store_is_refused(tmp_path, games):
    with pytest.raises(tabiya.Error, match="found nothing, expected a directory"):
        tabiya.Store(tmp_path / "missing")
    with pytest.raises(tabiya.Error, match="found a file"):
        tabiya.Store(games)
    with pytest.raises(tabiya.Error, match="manifest"):
        tabiya.Store(tmp_path)


def test_what_cannot_be_built_is_refused(tmp_path, games, store_path):
    with pytest.raises(tabiya.Error):
        tabiya.build(store_path, games, progress=False)
    with pytest.raises(tabiya.Error, match="missing.pgn"):
        tabiya.build(tmp_path / "new", tmp_path / "missing.pgn", progress=False)
    with pytest.raises(tabiya.Error, match="validation: found 3"):
        tabiya.build(tmp_path / "new", games, validation=3, progress=False)
    assert not (tmp_path / "new").exists()


def test_positions_are_encoded_with_their_place_in_errors():
    with pytest.raises(tabiya.Error, match="position 1: invalid FEN"):
        tabiya.encode([chess.Board(), "nonsense"])
    encoded = tabiya.encode(chess.Board())
    assert len(encoded) == 1 and encoded.offsets.tolist() == [0, 20]
