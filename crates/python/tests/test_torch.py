"""Modules of PyTorch: the same answers, weights files of what they learned, data sets and losses; and what is refused."""

import pathlib

import chess
import chess.engine
import numpy as np
import pytest

import tabiya

torch = pytest.importorskip("torch", reason="needs torch: scripts/python-package --torch", exc_type=ImportError)

import tabiya.torch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]

FENS = [
    chess.STARTING_FEN,
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 7 41",
    "1n1n3k/P1P1P3/8/8/8/8/8/4K3 w - - 0 1",
]

SQUEEZE = {"ratio": 4}
LC0 = {"input": "lc0-112", "moves": "lc0-1858"}

#: Every kind of layer, head and encoding between them.
SPECS = {
    "tower": {"blocks": 2, "channels": 16},
    "squeeze-excite": {"blocks": 2, "channels": 16, "squeeze_excite": SQUEEZE, "activation": "swish"},
    "pointwise": {"blocks": 1, "channels": 16, "stem": "pointwise", "policy": {"kind": "pointwise"}},
    "dense-policy": {"blocks": 1, "channels": 8, "policy": {"kind": "dense", "channels": 3}, "moves": "uci-1968"},
    "lc0": {
        **LC0,
        "blocks": 2,
        "channels": 16,
        "squeeze_excite": SQUEEZE,
        "activation": "mish",
        "policy": {"kind": "convolution"},
        "moves_left": {"channels": 4, "hidden": 8},
    },
    "lc0-classical": {**LC0, "blocks": 1, "channels": 16, "value": {"kind": "scalar", "channels": 4, "hidden": 8}},
    "pawns": {"blocks": 1, "channels": 8, "value": {"kind": "pawns", "limit": 10.0, "squash": True}},
    "pawns-linear": {"blocks": 1, "channels": 8, "value": {"kind": "pawns", "limit": 9.0}, "policy": {"kind": "none"}},
    "layers": {
        "activation": "leaky-relu",
        "body": [
            {"kind": "convolution", "channels": 8, "size": 5, "stride": 2, "padding": 2},
            {"kind": "group-norm", "groups": 4},
            {"kind": "activation", "function": "tanh"},
            {"kind": "pool", "method": "max", "size": 2, "stride": 1, "padding": 1},
            {"kind": "pool", "method": "average", "size": 3, "stride": 1, "padding": 1},
            {"kind": "residual", "layers": [{"kind": "convolution", "channels": 12}], "projection": True, "repeat": 2},
            {"kind": "bottleneck", "channels": 4, "stride": 2, "repeat": 2},
            {"kind": "squeeze-excite", "hidden": 5},
            {"kind": "batch-norm"},
            {"kind": "dropout", "rate": 0.5},
            {"kind": "flatten"},
            {"kind": "dense", "units": 24, "bias": False},
            {"kind": "activation"},
        ],
        "policy": {"kind": "layers", "layers": []},
        "value": {"layers": [{"kind": "dense", "units": 6}]},
    },
    "attention": {
        "activation": "relu-squared",
        "body": [
            {"kind": "dense-embedding", "read": 12, "channels": 3},
            {"kind": "convolution", "channels": 8, "size": 1},
            {"kind": "layer-norm", "epsilon": 1e-3},
            {"kind": "square-affine"},
            {
                "kind": "encoder",
                "heads": 2,
                "hidden": 12,
                "repeat": 2,
                "smolgen": {"channels": 2, "hidden": 5, "size": 3, "activation": "swish"},
            },
            {"kind": "attention", "heads": 3, "depth": 6},
            {"kind": "square-affine", "scale": False},
        ],
        "policy": {
            "kind": "attention",
            "depth": 6,
            "layers": [{"kind": "convolution", "channels": 6, "size": 1}, {"kind": "activation", "function": "selu"}],
        },
        "value": {
            "layers": [{"kind": "convolution", "channels": 2, "size": 1}, {"kind": "activation", "function": "gelu"}]
        },
    },
    "whole-board": {
        "body": [
            {"kind": "convolution", "channels": 8},
            {"kind": "pool", "method": "max"},
            {"kind": "dense", "units": 16},
        ],
        "policy": {"kind": "layers", "layers": [{"kind": "activation"}]},
    },
    "numbers": {
        "input": "knights-6-10",
        "numbers": 10,
        "body": [
            {"kind": "convolution", "channels": 4},
            {"kind": "pool", "method": "average"},
            {"kind": "numbers"},
            {"kind": "dense", "units": 8},
        ],
        "policy": {"kind": "layers", "layers": []},
    },
    "sparse": {
        "kind": "sparse",
        "features": "attacks",
        "width": 64,
        "hidden": [8, 12],
        "buckets": 4,
        "policy_features": "pieces",
        "policy_width": 64,
    },
    "sparse-shared": {"kind": "sparse", "features": "threats", "width": 64, "clipping": "squared", "hidden": [8]},
}


def stirred(spec, seed=3):
    """A module whose numbers are as training may leave them: nothing is zero or one."""
    module = tabiya.torch.module(spec, seed=seed)
    torch.manual_seed(seed)
    sparse = isinstance(module, tabiya.torch.SparseModule)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() == 1 or sparse:
                parameter.add_(0.05 * torch.randn_like(parameter))
                if sparse:
                    parameter.clamp_(-0.9, 0.9)
            else:
                parameter.mul_(1.5)
        for layer in module.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.running_mean.normal_(0, 0.2)
                layer.running_var.uniform_(0.5, 1.5)
    return module.eval()


def answers(module, fens):
    """Win, draw and loss, and the priors of the legal moves, as the module has them."""
    batch = tabiya.torch.Batch.of(tabiya.encode(fens, module))
    with torch.no_grad():
        outputs = module(batch.input)
    policies = []
    for number in range(batch.size):
        moves = slice(int(batch.offsets[number]), int(batch.offsets[number + 1]))
        if outputs.policy is None:
            policies.append(None)
        else:
            logits = outputs.policy[moves] if outputs.policy.dim() == 1 else outputs.policy[number, batch.moves[moves]]
            policies.append(logits.softmax(dim=0).numpy())
    return module.wdl(outputs.value).numpy(), policies, outputs.moves_left


@pytest.mark.parametrize("name", SPECS)
def test_a_module_answers_as_the_weights_file_it_is_saved_as(name, tmp_path):
    module = stirred(SPECS[name])
    file = tmp_path / f"{name}.tabiya"
    tabiya.save(module, file, steps=5)
    # A sparse network is rounded to eight bits in its file: what is compared is what was read again.
    again = tabiya.torch.module(file).eval()
    wdl, policies, moves_left = answers(again, FENS)
    network = tabiya.load(file, precision="f32" if "sparse" not in name else None)
    batch = network.evaluate_batch(FENS)
    if name == "numbers":
        # The planes of its input are White's, and so is the value that the module learns.
        wdl = np.where([[" b " in fen] for fen in FENS], wdl[:, ::-1], wdl)
    np.testing.assert_allclose(wdl, batch.wdl, atol=TOLERANCES.get(name, 1e-5))
    for number, priors in enumerate(policies):
        if priors is not None:
            found = batch.priors[batch.offsets[number] : batch.offsets[number + 1]]
            np.testing.assert_allclose(priors, found, atol=TOLERANCES.get(name, 1e-5))
    if moves_left is None:
        assert batch.moves_left is None
    else:
        np.testing.assert_allclose(moves_left.numpy(), batch.moves_left, rtol=1e-5, atol=1e-4)


#: Sparse networks are played in integers of 8 and 16 bits.
TOLERANCES = {"sparse": 0.02, "sparse-shared": 0.02}


@pytest.mark.parametrize("name", SPECS)
def test_what_is_saved_is_read_again_to_the_last_bit(name, tmp_path):
    module = stirred(SPECS[name])
    tabiya.save(module, tmp_path / "first.tabiya")
    first = tabiya.torch.module(tmp_path / "first.tabiya")
    tabiya.save(first, tmp_path / "second.tabiya")
    second = tabiya.torch.module(tmp_path / "second.tabiya")
    for matrix, numbers in first.matrices().items():
        assert torch.equal(numbers, second.matrices()[matrix]), matrix
    if "sparse" not in name:
        for matrix, numbers in module.matrices().items():
            assert torch.equal(numbers, first.matrices()[matrix]), matrix


@pytest.mark.parametrize("net", ["cnn", "human"])
def test_bundled_networks_are_modules(net):
    module = tabiya.torch.module(net).eval()
    wdl, policies, _ = answers(module, FENS)
    batch = tabiya.load(net, precision="f32").evaluate_batch(FENS)
    np.testing.assert_allclose(wdl, batch.wdl, atol=1e-5)
    np.testing.assert_allclose(np.concatenate(policies), batch.priors, atol=1e-5)


def test_networks_of_lc0_are_modules(real_data):
    files = sorted((real_data / "nets").glob("**/maia*.pb.gz"))
    assert files, f"no network of lc0 in {real_data}"
    wdl, policies, _ = answers(tabiya.torch.module(files[0]).eval(), FENS)
    batch = tabiya.load(files[0], precision="f32").evaluate_batch(FENS)
    np.testing.assert_allclose(wdl, batch.wdl, atol=1e-5)
    np.testing.assert_allclose(np.concatenate(policies), batch.priors, atol=1e-5)


def test_recipes_begin_with_the_weights_of_the_program(tiny, store_path, tmp_path):
    module = tabiya.torch.module(tiny, seed=1)
    tiny["schedule"] = {"kind": "constant", "peak": 1e-9}
    result = tabiya.train(tiny, store_path, out=tmp_path / "run", steps=1, progress=False)
    trained = tabiya.torch.module(result.network)
    for name, numbers in module.matrices().items():
        if not name.endswith(".moments"):
            torch.testing.assert_close(trained.matrices()[name], numbers, atol=1e-6, rtol=0)


def test_a_network_learns_in_pytorch_and_plays_here(store_path, tiny, tmp_path):
    module = tabiya.torch.module(tiny)
    optimiser = torch.optim.AdamW(module.parameters(), lr=3e-3)
    dataset = tabiya.torch.Dataset(store_path, 64, module, shuffle=1000)
    losses = []
    for epoch in range(3):
        dataset.set_epoch(epoch)
        for batch in dataset:
            loss = tabiya.torch.loss(module(batch.input), batch, smoothing=0.01)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    assert np.isfinite(losses).all() and np.mean(losses[-20:]) < np.mean(losses[:5])
    file = tmp_path / "learned.tabiya"
    tabiya.save(module, file, steps=len(losses), seconds=61.0, metrics={"value_loss": losses[-1]})
    with tabiya.Engine(file) as engine:
        assert engine.play(chess.Board(), chess.engine.Limit(nodes=50)).move in chess.Board().legal_moves


def test_losses_are_those_of_the_program(store_path, tiny, tmp_path):
    """The first step of `tabiya train` reports them before anything was learned."""
    tiny["losses"] = {"label_smoothing": 0.1, "value_target": {"from": "evaluation"}}
    reports = []
    tabiya.train(tiny, store_path, out=tmp_path / "run", steps=2, callback=reports.append, progress=False)
    module = tabiya.torch.module(tiny, seed=1).train()
    window = tiny["training"]["shuffle_window"]
    batch = next(iter(tabiya.torch.Dataset(store_path, tiny["training"]["batch"], tiny, shuffle=window, seed=1)))
    outputs = module(batch.input)
    policy = tabiya.torch.policy_loss(outputs.policy, batch, smoothing=0.1).item()
    assert policy == pytest.approx(reports[0].policy_loss, abs=1e-4)
    assert tabiya.torch.value_loss(outputs.value, batch).item() == pytest.approx(reports[0].value_loss, abs=1e-4)


#: Networks and losses that recipes of the five systems have.
OBJECTIVES = {
    "pawns": (
        {"policy": {"kind": "none"}, "value": {"kind": "pawns", "limit": 10.0, "squash": True, "channels": 4, "hidden": 8}},
        {"value_target": {"from": "evaluation", "mates": "ordered"}, "policy_weight": 0.0},
    ),
    "huber": (
        {"value": {"kind": "scalar", "channels": 4, "hidden": 8}},
        {"value_loss": {"kind": "huber", "delta": 0.3}, "value_target": {"from": "evaluation"}, "value_weight": 0.5},
    ),
    "absolute": (
        {"value": {"kind": "scalar", "channels": 4, "hidden": 8}},
        {"value_loss": {"kind": "absolute"}, "value_target": {"from": "result"}},
    ),
    "illegal moves": (
        {
            "moves": "mlx-4096",
            "input": "mlx-14",
            "policy": {"kind": "dense", "channels": 3},
            "value": {"kind": "scalar", "channels": 4, "hidden": 8},
        },
        {"illegal_move_weight": 1.0, "label_smoothing": 0.1, "value_loss": {"kind": "squared"}},
    ),
    "squared expectation": ({}, {"value_loss": {"kind": "squared"}}),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_objective_of_a_recipe_is_that_of_the_program(name, store_path, tiny, tmp_path):
    network, tiny["losses"] = OBJECTIVES[name]
    tiny["network"].update(network)
    reports = []
    tabiya.train(tiny, store_path, out=tmp_path / "run", steps=2, callback=reports.append, progress=False)
    module = tabiya.torch.module(tiny, seed=1).train()
    window = tiny["training"]["shuffle_window"]
    batch = next(iter(tabiya.torch.Dataset(store_path, tiny["training"]["batch"], tiny, shuffle=window, seed=1)))
    losses = tabiya.torch.Objective(module)(module(batch.input), batch)
    assert losses.total.item() == pytest.approx(reports[0].total_loss, rel=1e-3)
    assert losses.value.item() == pytest.approx(reports[0].value_loss, rel=1e-3)


def test_an_objective_needs_a_recipe(tiny):
    with pytest.raises(tabiya.Error, match="without a recipe"):
        tabiya.torch.Objective(tabiya.torch.module(tiny["network"]))


@pytest.mark.parametrize("input", ["tabiya", "knights-6-10"])
def test_samples_in_memory_are_those_of_the_store(input, store_path):
    resident = tabiya.torch.Resident(store_path, input, device="cpu")
    with tabiya.Store(store_path) as store:
        batches = [tabiya.torch.Batch.of(batch) for batch in store.batches(50, input, shuffle=False)]
    assert len(resident) == sum(batch.size for batch in batches)
    batch, numbers = batches[1], torch.arange(50, 50 + batches[1].size)
    found = resident[numbers]
    assert torch.equal(found.input, batch.planes)
    for name in ("wdl", "numbers", "policy_weights", "value_weights"):
        assert torch.equal(getattr(found, name), getattr(batch, name)), name
    logits = torch.randn(batch.size, int(batch.moves.max()) + 1)
    expected = tabiya.torch.policy_loss(logits, batch, smoothing=0.1, illegal_moves=0.5)
    torch.testing.assert_close(
        tabiya.torch.policy_loss(logits, found, smoothing=0.1, illegal_moves=0.5), expected, rtol=1e-5, atol=1e-6
    )
    assert len(tabiya.torch.Resident(store_path, input, device="cpu", most=70)) == 70


def test_only_planes_are_kept_in_memory(store_path):
    with pytest.raises(tabiya.Error, match="sparse network"):
        tabiya.torch.Resident(store_path, SPECS["sparse"], device="cpu")
    with pytest.raises(tabiya.Error, match="split"):
        tabiya.torch.Resident(store_path, device="cpu", split="test")


# Python 3.12 warns of every fork beside threads; the workers begin theirs after it.
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("workers", [0, 1, 2])
def test_workers_share_the_store(store_path, workers):
    dataset = tabiya.torch.Dataset(store_path, 8, "tabiya", split="validation")
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=workers)
    found = sorted(bytes(planes.numpy().tobytes()) for batch in loader for planes in batch.planes)
    with tabiya.Store(store_path) as store:
        batches = store.batches(8, "tabiya", split="validation", shuffle=False)
        assert found == sorted(planes.tobytes() for batch in batches for planes in batch.planes)


@pytest.mark.parametrize("input", ["tabiya", "knights-6", "knights-6-10"])
def test_packed_planes_are_unpacked_on_the_device(input, store_path):
    plain = next(iter(tabiya.torch.Dataset(store_path, 8, input)))
    packed = next(iter(tabiya.torch.Dataset(store_path, 8, input, packed=True)))
    assert packed.planes is None
    assert torch.equal(packed.input, plain.planes)
    assert torch.equal(packed.to("cpu").input, plain.to("cpu").planes)


def test_sparse_networks_learn(store_path):
    module = tabiya.torch.module(SPECS["sparse"])
    optimiser = torch.optim.AdamW(module.parameters(), lr=3e-3)
    epochs = []
    for _ in range(4):
        losses = []
        for batch in tabiya.torch.Dataset(store_path, 64, module):
            loss = tabiya.torch.loss(module(batch.input), batch)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        epochs.append(np.mean(losses))
    assert epochs[-1] < 0.95 * epochs[0]


def test_what_is_no_module_is_refused(tmp_path):
    file = tmp_path / "x.tabiya"
    with pytest.raises(tabiya.Error, match="module: found Linear"):
        tabiya.save(torch.nn.Linear(2, 2), file)
    module = tabiya.torch.module(SPECS["tower"])
    with torch.no_grad():
        module.layers[0].weight[0, 0, 0, 0] = float("nan")
    with pytest.raises(tabiya.Error, match="matrix `stem.weight`: found the value NaN"):
        tabiya.save(module, file)
    module = tabiya.torch.module(SPECS["tower"])
    module.layers[0] = torch.nn.Conv2d(3, 5, 3, bias=False)
    with pytest.raises(tabiya.Error, match=r"matrix `stem.weight`: found \[27, 5\], expected"):
        tabiya.save(module, file)
    module = tabiya.torch.module(SPECS["tower"])
    module.layers[0] = torch.nn.Identity()
    with pytest.raises(tabiya.Error, match="matrix `stem.weight`: found nothing"):
        tabiya.save(module, file)
    with pytest.raises(tabiya.Error, match="missing"):
        tabiya.save(tabiya.torch.module(SPECS["tower"]), tmp_path / "missing" / "folder" / "x.tabiya")
    with pytest.raises(tabiya.Error, match="games.pgn', expected a file name that ends in .tabiya"):
        tabiya.save(tabiya.torch.module(SPECS["tower"]), tmp_path / "games.pgn")
    assert not file.exists()


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("missing.tabiya", ["missing.tabiya"]),
        (ROOT / "README.md", ["README.md", "expected a network"]),
        ({"blocks": 1}, ["channels"]),
        ({"blocks": 1, "channels": 16, "input": "chess"}, ["chess"]),
        (7, ["source: found int, expected a path"]),
        ("material", ["material"]),
    ],
)
def test_what_describes_no_network_is_refused(source, parts):
    with pytest.raises(tabiya.Error) as error:
        tabiya.torch.module(source)
    for part in parts:
        assert part in str(error.value)
