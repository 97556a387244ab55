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
    assert!(error("blocks = 1\nchannels = 8\nactivation = \"gelu\"").contains("`mish`"));
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
    assert!(message.starts_with("unknown input encoding \"planes\"; known are tabiya"), "{message}");
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
    let mut names: Vec<&str> = architecture.list.parameters.iter().map(|shape| shape.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), architecture.list.parameters.len());
    for shape in &architecture.list.parameters {
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
    let refusal = Architecture::new(&spec).unwrap().tower().unwrap_err().to_string();
    assert!(refusal.contains("layer input (several values in a channel, "), "{refusal}");
}
