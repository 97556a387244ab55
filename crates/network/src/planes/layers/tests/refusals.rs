//! Lists that do not fit are refused with the layer, what was found and what was expected. Layers that the kernels do
//! not support are refused in the same way.

use crate::{
    Body, CpuOptions, Precision, Spec, architecture::Architecture, weights::layers_tests::random_weights,
};

fn refused(text: &str) -> String {
    Spec::from_toml(text).unwrap_err().to_string()
}

fn value_only(body: &str) -> String {
    format!("policy = {{ kind = \"none\" }}\nvalue = {{ kind = \"scalar\", layers = [] }}\nbody = [{body}]")
}

#[test]
fn shapes_that_do_not_fit_are_named_with_what_would() {
    for (body, expected) in [
        (
            "{ kind = \"convolution\", channels = 4 }, { kind = \"dense\", units = 5 }",
            "specification: network.body.1 (dense layer of 5 units) = 4 channels of 8x8 squares: expected numbers without \
             squares: a flatten or global pooling layer before it",
        ),
        (
            "{ kind = \"convolution\", channels = 4, size = 7, padding = 0 }, \
             { kind = \"convolution\", channels = 4, size = 3, padding = 0, name = \"second\" }",
            "specification: network.second (convolution 3x3, padding 0) = 4 channels of 2x2 squares: expected at least 3 \
             squares a side",
        ),
        (
            "{ kind = \"residual\", layers = [{ kind = \"convolution\", channels = 4 }] }",
            "specification: network.body.0.sum (sum with a skip connection) = 4 channels of 8x8 squares and 20 channels of 8x8 \
             squares: expected 4 channels of 8x8 squares and 4 channels of 8x8 squares: a projection makes them equal",
        ),
        (
            "{ kind = \"group-norm\", groups = 3 }",
            "specification: network.body.0 (group normalisation of 3 groups) = 20 channels of 8x8 squares: expected channels in \
             3 equal groups",
        ),
        (
            "{ kind = \"residual\", from = \"late\", layers = [] }",
            "specification: network.body.0.from = \"late\": expected the name of an earlier layer",
        ),
        (
            "{ kind = \"numbers\" }",
            "specification: network.body.0 = numbers: expected network.numbers above 0, which it appends",
        ),
    ] {
        assert_eq!(refused(&value_only(body)), expected);
    }
    let pointwise = refused("value = { kind = \"none\" }\nbody = [{ kind = \"flatten\" }]");
    assert!(
        pointwise.contains("network.policy = 1280 numbers before it: expected 8x8 squares"),
        "{pointwise}"
    );
}

#[test]
fn numbers_out_of_range_and_names_used_twice_are_refused() {
    for (body, expected) in [
        ("{ kind = \"convolution\", channels = 0 }", "network.body.0.channels = 0: expected 1 to 65536"),
        ("{ kind = \"convolution\", channels = 4, size = 16 }", "network.body.0.size = 16: expected 1 to 15"),
        (
            "{ kind = \"convolution\", channels = 4, padding = 3 }",
            "network.body.0.padding = 3: expected less than size",
        ),
        (
            "{ kind = \"pool\", method = \"max\", stride = 2 }",
            "network.body.0.stride = 2: expected none where size is absent",
        ),
        (
            "{ kind = \"pool\", method = \"max\", size = 2, padding = 2 }",
            "network.body.0.padding = 2: expected at most half of size",
        ),
        ("{ kind = \"dropout\", rate = 1.0 }", "network.body.0.rate = 1: expected 0 to 0.95"),
        (
            "{ kind = \"bottleneck\", channels = 4, repeat = 65 }",
            "network.body.0.repeat = 65: expected 1 to 64",
        ),
        ("{ kind = \"flatten\", name = \"a b\" }", "network.body.0.name = \"a b\": expected 1 to 64 letters"),
        (
            "{ kind = \"flatten\", name = \"a\" }, { kind = \"flatten\", name = \"a\" }",
            "network.a (flatten) = \"a\": expected a name that no other layer has",
        ),
        (
            "{ kind = \"residual\", repeat = 64, layers = [{ kind = \"residual\", repeat = 64, layers = [] }] }",
            "= 4097: expected at most 4096 layers",
        ),
    ] {
        let message = refused(&value_only(body));
        assert!(message.contains(expected), "{message}");
    }
    let unread =
        refused(&format!("input = \"knights-6-10\"\nnumbers = 2\n{}", value_only("{ kind = \"flatten\" }")));
    assert!(unread.contains("network.numbers = 2: expected a layer of kind \"numbers\""), "{unread}");
}

#[test]
fn unknown_and_misplaced_keys_are_refused() {
    for (text, expected) in [
        (value_only("{ kind = \"convolution\", channels = 4, strides = 2 }"), "unknown field `strides`"),
        (value_only("{ kind = \"attentive\" }"), "unknown variant `attentive`"),
        (value_only("{ kind = \"activation\", function = \"elu\" }"), "unknown variant `elu`"),
        (format!("blocks = 2\n{}", value_only("")), "`blocks` belongs to a residual tower"),
        ("channels = 8".into(), "missing field `blocks`, or `body`"),
        (
            "blocks = 1\nchannels = 8\nvalue = { kind = \"wdl\", limit = 9.0 }".into(),
            "unless value.kind is \"pawns\"",
        ),
        ("blocks = 1\nchannels = 8\nvalue = { kind = \"pawns\" }".into(), "missing field `limit`"),
        (
            "blocks = 1\nchannels = 8\nvalue = { layers = [], hidden = 3 }".into(),
            "where value.layers is given",
        ),
        (
            "blocks = 1\nchannels = 8\nvalue = { kind = \"none\", hidden = 3 }".into(),
            "where value.kind is \"none\"",
        ),
        (
            "blocks = 1\nchannels = 8\nvalue = { kind = \"none\" }\npolicy = { kind = \"none\" }".into(),
            "expected a value head where policy.kind is none",
        ),
        (
            "blocks = 1\nchannels = 8\nvalue = { kind = \"pawns\", limit = 0.0 }".into(),
            "value.limit = 0: expected above 0 to 100",
        ),
    ] {
        let message = refused(&text);
        assert!(message.contains(expected), "{message}");
    }
}

/// A tower written out as a list.
const SPELLED_OUT: &str = r#"
body = [
    { kind = "convolution", channels = 8, bias = false }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "residual", repeat = 2, layers = [
        { kind = "convolution", channels = 8, bias = false }, { kind = "batch-norm" }, { kind = "activation" },
        { kind = "convolution", channels = 8, bias = false }, { kind = "batch-norm" }, { kind = "squeeze-excite", hidden = 4 },
    ] },
]
"#;

#[test]
fn the_kernels_take_a_tower_however_it_is_written() {
    let short = Spec::from_toml("blocks = 2\nchannels = 8\nsqueeze_excite = { ratio = 2 }").unwrap();
    let long = Spec::from_toml(SPELLED_OUT).unwrap();
    assert!(matches!(long.planes().unwrap().body, Body::Layers(_)));
    let [short, long] = [short, long].map(|spec| random_weights(spec, 3).plan().unwrap());
    assert_eq!(short, long);
}

#[test]
fn the_kernels_refuse_other_layers_by_name() {
    for (change, with, expected) in [
        (
            "{ kind = \"batch-norm\" }, { kind = \"activation\" },\n    {",
            "{ kind = \"activation\" },\n    {",
            "layer body.1 (relu)",
        ),
        (
            "channels = 8, bias = false }, { kind = \"batch-norm\" }, { kind = \"sq",
            "channels = 8 }, { kind = \"batch-norm\" }, { kind = \"sq",
            "layer body.3.0.3 (convolution 3x3)",
        ),
        (
            "{ kind = \"batch-norm\" }, { kind = \"activation\" },\n    {",
            "{ kind = \"batch-norm\" }, { kind = \"activation\", function = \"tanh\" },\n    {",
            "layer body.2 (tanh)",
        ),
        (
            "channels = 8, bias = false }, { kind = \"batch-norm\" }, { kind = \"activation\" },\n    {",
            "channels = 8, size = 5, bias = false }, { kind = \"batch-norm\" }, { kind = \"activation\" },\n    {",
            "layer body.0 (convolution 5x5)",
        ),
    ] {
        let text = SPELLED_OUT.replacen(change, with, 1);
        assert_ne!(text, SPELLED_OUT);
        let refusal = Architecture::new(&Spec::from_toml(&text).unwrap())
            .unwrap()
            .planes()
            .unwrap()
            .tower()
            .unwrap_err();
        let message = refusal.to_string();
        assert!(message.starts_with(&format!("not a tower: {expected}; towers have ")), "{message}");
    }
    let headless = Spec::from_toml("blocks = 1\nchannels = 8\npolicy = { kind = \"none\" }").unwrap();
    let message = Architecture::new(&headless).unwrap().planes().unwrap().tower().unwrap_err().to_string();
    assert!(message.contains("layer policy (no such head)"), "{message}");
}

/// Networks that are not towers are evaluated layer by layer, which their description states; precisions
/// other than f32 and int8 are refused.
#[test]
fn the_rest_runs_layer_by_layer_and_says_so() {
    let spec = Spec::from_toml("blocks = 1\nchannels = 8\nactivation = \"tanh\"").unwrap();
    let bytes = random_weights(spec, 2).to_bytes().unwrap();
    let open = |options| crate::from_bytes(&bytes, options);
    let description = open(CpuOptions::default()).unwrap().describe();
    assert!(description.ends_with(", layer by layer)"), "{description}");
    let coarse = CpuOptions { precision: Some(Precision::Bf16), ..CpuOptions::default() };
    let message = open(coarse).err().unwrap().to_string();
    assert!(message.contains("plays in f32 and int8 only"), "{message}");
}
