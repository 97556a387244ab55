use super::*;
use crate::{architecture::Architecture, parameter::Role};

fn error(text: &str) -> String {
    Spec::from_toml(text).unwrap_err().to_string()
}

#[test]
fn unknown_keys_are_refused_with_line_and_known_keys() {
    let message = error("blocks = 1\nchannels = 8\nchanels = 9");
    assert!(message.contains("line 3") && message.contains("chanels"), "{message}");
    assert!(message.contains("`squeeze_excite`") && message.contains("`policy`"), "{message}");
    assert!(error("blocks = 1\nchannels = 8\nvalue = { kind = \"wdl\", size = 3 }").contains("size"));
    assert!(error("blocks = 1\nchannels = 8\nactivation = \"elu\"").contains("`mish`"));
}

#[test]
fn values_out_of_range_are_named_with_what_is_accepted() {
    let message = error("blocks = 65\nchannels = 8");
    assert_eq!(message, "specification: blocks = 65: expected 0 to 64");
    let message = error("blocks = 2\nchannels = 8\nsqueeze_excite = { ratio = 2, blocks = [2] }");
    assert_eq!(message, "specification: squeeze_excite.blocks = 2: expected blocks below 2, counted from 0");
    let message = error("blocks = 2\nchannels = 8\nsqueeze_excite = { ratio = 9 }");
    assert_eq!(message, "specification: squeeze_excite.ratio = 9: expected 0 to 8");
    let message = error("blocks = 2\nchannels = 8\ninput = \"planes\"");
    assert!(message.starts_with("unknown input encoding \"planes\"; expected one of tabiya"), "{message}");
}

#[test]
fn a_specification_survives_toml() {
    let text = r#"
        input = "lc0-112"
        moves = "uci-1968"
        stem = "pointwise"
        blocks = 3
        channels = 24
        squeeze_excite = { ratio = 4, blocks = [0, 2] }
        activation = "mish"
        policy = { kind = "dense", channels = 8 }
        value = { kind = "scalar", channels = 2, hidden = 32 }
    "#;
    let spec = Spec::from_toml(text).unwrap();
    assert_eq!(Spec::from_toml(&spec.to_toml().unwrap()).unwrap(), spec);
    assert_eq!(spec.shape_name(), "3x24-se4");
}

#[test]
fn parameters_are_counted_as_by_hand() {
    let spec = Spec::from_toml("blocks = 2\nchannels = 8\nvalue = { channels = 4, hidden = 16 }").unwrap();
    let planes = spec.input_encoding().unwrap().planes();
    let normalised = |inputs: usize, outputs: usize| inputs * outputs + 2 * outputs;
    let biased = |inputs: usize, outputs: usize| inputs * outputs + outputs;
    let expected = normalised(9 * planes, 8)
        + 2 * 2 * normalised(9 * 8, 8)
        + normalised(8, 8)
        + biased(8, 80)
        + normalised(8, 4)
        + biased(4 * 64, 16)
        + biased(16, 3);
    assert_eq!(spec.parameter_count().unwrap(), expected);
}

#[test]
fn every_parameter_has_its_own_name_and_only_matrices_are_weights() {
    let spec = Spec::from_toml("blocks = 2\nchannels = 8\nsqueeze_excite = { ratio = 2 }").unwrap();
    let architecture = Architecture::new(&spec).unwrap();
    let mut names: Vec<&str> = architecture.parameters().iter().map(|shape| shape.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), architecture.parameters().len());
    for shape in architecture.parameters() {
        let weight = matches!(shape.role, Role::Weight { .. });
        assert_eq!(weight, shape.name.ends_with(".weight"), "{shape:?}");
        assert!(weight || shape.rows == 1, "{shape:?}");
    }
}

#[test]
fn encodings_that_a_head_or_stem_cannot_take_are_refused() {
    let refused = |text: &str| Spec::from_toml(text).unwrap_err().to_string();
    let shapes = "blocks = 1\nchannels = 8\nmoves = \"aichess-1968\"\n";
    assert!(refused(shapes).contains("dense with an encoding"), "{}", refused(shapes));
    Spec::from_toml(&format!("{shapes}policy = {{ kind = \"dense\", channels = 4 }}")).unwrap();
    let numbers = refused("blocks = 1\nchannels = 8\nnumbers = 1");
    assert_eq!(numbers, "specification: numbers = 1: expected at most the 0 numbers of input tabiya");
    let spec = Spec::from_toml("blocks = 1\nchannels = 8\ninput = \"knights-6\"").unwrap();
    let refusal = Architecture::new(&spec).unwrap().planes().unwrap().tower().unwrap_err().to_string();
    assert!(refusal.contains("layer input (several values in a channel, "), "{refusal}");
}

const SPARSE: &str = "kind = \"sparse\"\nfeatures = \"threats\"\nwidth = 128";

#[test]
fn a_sparse_specification_survives_toml_and_json() {
    let full = format!(
        "{SPARSE}\nclipping = \"squared\"\nhidden = [8]\nbuckets = 4\npolicy_features = \"attacks\"\npolicy_width = 64"
    );
    for text in [SPARSE, &full] {
        let spec = Spec::from_toml(text).unwrap();
        assert_eq!(Spec::from_toml(&spec.to_toml().unwrap()).unwrap(), spec);
        assert_eq!(serde_json::from_str::<Spec>(&serde_json::to_string(&spec).unwrap()).unwrap(), spec);
    }
    let spec = Spec::from_toml(SPARSE).unwrap();
    let sparse = spec.sparse().unwrap();
    assert_eq!((sparse.hidden.as_slice(), sparse.buckets, sparse.units()), (&[16, 32][..], 8, 64));
    assert_eq!(spec.shape_name(), "sparse-threats-128");
    assert_eq!(Spec::from_toml(&full).unwrap().shape_name(), "sparse-threats-128+attacks-64");
}

#[test]
fn keys_of_the_other_kind_and_widths_that_no_kernel_takes_are_refused() {
    for (text, expected) in [
        ("blocks = 3", "`blocks` belongs to a network that reads planes"),
        ("policy_width = 64", "`policy_features` and `policy_width` belong together"),
        ("clipping = \"cubed\"", "unknown variant `cubed`, expected `pairwise` or `squared`"),
        ("hidden = []", "hidden = 0 layers: expected one to three layers"),
        ("hidden = [16, 300]", "hidden = 300: expected 1 to 256"),
        ("buckets = 33", "buckets = 33: expected 1 to 32"),
        ("policy_features = \"planes\"\npolicy_width = 64", "unknown feature encoding \"planes\""),
        (
            "policy_features = \"attacks\"\npolicy_width = 4160",
            "policy_width = 4160: expected a multiple of 64",
        ),
    ] {
        let message = error(&format!("{SPARSE}\n{text}"));
        assert!(message.contains(expected), "{text}: {message}");
    }
    let width = error(&SPARSE.replace("128", "100"));
    assert_eq!(width, "specification: width = 100: expected a multiple of 64 from 64 to 4096");
    let message = error("blocks = 1\nchannels = 8\nfeatures = \"threats\"");
    assert!(message.contains("`features` belongs to a sparse network"), "{message}");
}

#[test]
fn what_takes_planes_refuses_a_sparse_network_in_a_sentence() {
    let message = Spec::from_toml(SPARSE).unwrap().input_encoding().err().unwrap().to_string();
    assert_eq!(
        message,
        "found a sparse network of the features `threats`, expected a network that reads planes"
    );
    let planes = Spec::from_toml("blocks = 1\nchannels = 8").unwrap();
    let message = planes.sparse().unwrap_err().to_string();
    assert_eq!(message, "found a network that reads the planes `tabiya`, expected a sparse network");
}

#[test]
fn buckets_hold_positions_of_like_numbers_of_pieces() {
    let spec = Spec::from_toml(SPARSE).unwrap();
    let sparse = spec.sparse().unwrap();
    let buckets: Vec<usize> = [2, 5, 6, 16, 32, 48].map(|pieces| sparse.bucket(pieces)).into();
    assert_eq!(buckets, [0, 0, 1, 3, 7, 7]);
}
