"""Modules of any shape as ONNX files: the same answers, what is refused, and what is left behind."""

import chess
import numpy as np
import pytest

import tabiya

NEEDS = "needs torch: scripts/python-package --torch"
torch = pytest.importorskip("torch", reason=NEEDS, exc_type=ImportError)
pytest.importorskip("onnx", reason=NEEDS, exc_type=ImportError)

import tabiya.torch  # noqa: E402

FENS = [
    chess.STARTING_FEN,
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 7 41",
]

CHANNELS = {name: channels for name, _, channels, _ in tabiya.encodings()[0]}
INDICES = dict(tabiya.encodings()[2])


class Heads(torch.nn.Module):
    """Two layers over the board and a head for each width; `form` makes of the heads' numbers what the module returns."""

    def __init__(self, form, *widths, encoding="tabiya"):
        super().__init__()
        self.form = form
        self.body = torch.nn.Conv2d(CHANNELS[encoding], 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.heads = torch.nn.ModuleList(torch.nn.Linear(256, width) for width in widths)

    def forward(self, planes):
        board = self.norm(self.body(planes)).relu().flatten(1)
        return self.form(*(head(board) for head in self.heads))


def pair(policy, value):
    return policy, value


def expected_priors(logits, fens, encoding, moves):
    batch = tabiya.encode(fens, encoding, moves=moves)
    for number in range(len(fens)):
        legal = batch.moves[batch.offsets[number] : batch.offsets[number + 1]]
        yield logits[number, torch.from_numpy(legal)].softmax(dim=0).numpy()


@pytest.mark.parametrize(
    ("encoding", "moves", "form"),
    [
        ("tabiya", "lc0-1858", pair),
        ("tabiya", "from-to-4096", lambda policy, value: {"policy": policy, "value": value}),
        ("lc0-112", "lc0-1858", tabiya.torch.Outputs),
    ],
)
def test_a_module_answers_as_the_file_it_is_exported_as(encoding, moves, form, tmp_path):
    torch.manual_seed(1)
    module = Heads(form, INDICES[moves], 3, encoding=encoding)
    module.norm.running_mean.normal_(0, 0.2)
    module.body.eval()
    tabiya.torch.export(module, encoding, tmp_path / "x.onnx", moves=moves)
    assert [part.training for part in (module, module.norm, module.body)] == [True, True, False], "left as it was"
    network = tabiya.load(tmp_path / "x.onnx")
    assert network.has_policy and network.has_value
    module.eval()
    with torch.no_grad():
        outputs = module(torch.from_numpy(tabiya.encode(FENS, encoding, moves=moves).planes))
    policy, value = outputs.values() if isinstance(outputs, dict) else outputs[:2]
    found = network.evaluate_batch(FENS)
    np.testing.assert_allclose(found.wdl, value.softmax(dim=1).numpy(), atol=1e-5)
    for number, priors in enumerate(expected_priors(policy, FENS, encoding, moves)):
        legal = slice(found.offsets[number], found.offsets[number + 1])
        np.testing.assert_allclose(found.priors[legal], priors, atol=1e-5)


def test_a_value_means_what_is_said(tmp_path):
    file = tmp_path / "x.onnx"

    def win_minus_loss(module, **options):
        tabiya.torch.export(module, "tabiya", file, **options)
        network = tabiya.load(file)
        assert (network.has_policy, network.has_value) == (False, True)
        found = network.evaluate(chess.Board())
        return found.win - found.loss

    def constant(*numbers):
        return Heads(lambda value: 0 * value + torch.tensor(numbers), len(numbers))

    assert win_minus_loss(constant(0.5)) == pytest.approx(0.5, abs=1e-5)
    assert win_minus_loss(constant(0.6, 0.3, 0.1), value="probabilities") == pytest.approx(0.5, abs=1e-5)
    assert win_minus_loss(constant(0.0, 0.0, 0.0)) == pytest.approx(0, abs=1e-5)
    assert 0 < win_minus_loss(constant(0.5), value="pawns") < 0.5
    with pytest.raises(tabiya.Error, match="found 1 numbers for each position, expected 3, as 'logits' has"):
        win_minus_loss(constant(0.5), value="logits")


def test_a_policy_may_stand_alone_and_networks_of_the_package_have_their_own_value(tmp_path):
    file = tmp_path / "x.onnx"
    tabiya.torch.export(Heads(lambda policy: policy, 1858), "tabiya", file)
    network = tabiya.load(file)
    assert (network.has_policy, network.has_value) == (True, False)
    scalar = {"blocks": 1, "channels": 8, "value": {"kind": "scalar", "channels": 4, "hidden": 8}}
    module = tabiya.torch.module(scalar)
    tabiya.torch.export(module, module.spec.get("input", "tabiya"), file)
    tabiya.save(module, tmp_path / "x.tabiya")
    found, expected = (tabiya.load(tmp_path / name).evaluate_batch(FENS) for name in ("x.onnx", "x.tabiya"))
    np.testing.assert_allclose(found.wdl, expected.wdl, atol=1e-4)
    np.testing.assert_allclose(found.priors, expected.priors, atol=1e-4)


@pytest.mark.parametrize(
    ("module", "options", "part"),
    [
        (Heads(pair, 1857, 3), {}, r"policy: found \[3, 1857\], expected \[3, 1858\]"),
        (Heads(pair, 1858, 2), {}, r"value: found \[3, 2\], expected \[3, 3\] or \[3, 1\]"),
        (Heads(pair, 1858, 3), {"moves": "from-to-4096"}, r"policy: found \[3, 1858\], expected \[3, 4096\]"),
        (Heads(lambda one: one, 7), {}, r"found \[3, 7\], expected \[3, 3\] or \[3, 1\], or a policy \[3, 1858\]"),
        (Heads(pair, 1858, 3), {"encoding": "chess"}, "encoding: found 'chess', expected one of"),
        (Heads(pair, 1858, 3), {"moves": "chess"}, "moves: found 'chess', expected one of"),
        (Heads(pair, 1858, 3), {"value": "chess"}, "value: found 'chess', expected one of logits"),
        (Heads(pair, 1858, 3), {"encoding": "lc0-112"}, r"cannot read planes float32 \[3, 112, 8, 8\]"),
        (Heads(lambda policy, value: (policy, value / 0), 1858, 3), {}, "value: found a number that is not finite"),
        (Heads(lambda policy, value: (policy.double(), value), 1858, 3), {}, "policy: found numbers of type torch.float64"),
        (Heads(lambda policy, value: (None, None), 1858, 3), {}, "found neither a policy nor a value"),
        (Heads(lambda policy, value: 7, 1858, 3), {}, "found an answer of type int, expected policy and value"),
        ("default", {}, "module: found str, expected a module of PyTorch"),
    ],
)
def test_what_cannot_play_is_refused(module, options, part, tmp_path):
    file = tmp_path / "x.onnx"
    file.write_bytes(b"older")
    with pytest.raises(tabiya.Error, match=part):
        tabiya.torch.export(module, **{"encoding": "tabiya", "path": file, **options})
    assert [found.name for found in tmp_path.iterdir()] == ["x.onnx"] and file.read_bytes() == b"older"


def test_a_graph_of_a_fixed_number_of_positions_is_refused_and_so_are_paths(tmp_path):
    class Fixed(torch.nn.Module):
        def forward(self, planes):
            return planes.sum(dim=(1, 2, 3)).reshape(3, 1).clamp(-1, 1)

    with pytest.raises(tabiya.Error, match="the exported graph does not play: .*x.onnx"):
        tabiya.torch.export(Fixed(), "tabiya", tmp_path / "x.onnx")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(tabiya.Error, match="expected a file name that ends in .onnx"):
        tabiya.torch.export(Fixed(), "tabiya", tmp_path / "x.tabiya")
    with pytest.raises(tabiya.Error, match="cannot write"):
        tabiya.torch.export(Heads(pair, 1858, 3), "tabiya", tmp_path / "missing" / "x.onnx")
