//! Attention bodies: the heads that are read, and what is refused.

use super::*;
use crate::{
    CpuOptions,
    planes::lc0::{
        message::{EncoderLayer, Layer, Residual},
        synthetic::attention,
    },
};

/// The refusal of the network after a change.
fn changed(change: impl FnOnce(&mut Net)) -> String {
    let mut net = attention().message;
    change(&mut net);
    refused(&net)
}

fn with_weights(change: impl FnOnce(&mut Weights)) -> String {
    changed(|net| change(net.weights.as_mut().unwrap()))
}

fn with_layer(change: impl FnOnce(&mut EncoderLayer)) -> String {
    with_weights(|weights| change(&mut weights.encoder[0]))
}

#[test]
fn heads_are_chosen_by_name() {
    let bytes = attention().bytes();
    let read = |name| {
        let heads = Heads::of_name(name).map_or_else(Heads::default, |(_, heads)| heads);
        Lc0Network::from_bytes(&bytes, "x.pb", heads)
    };
    let [usual, other] = ["x", "x@optimistic@q"].map(|name| read(name).unwrap());
    assert_eq!(usual.spec, other.spec);
    let differing = usual.matrices.iter().zip(&other.matrices).filter(|(one, other)| one != other);
    let names: Vec<&str> = differing.map(|(matrix, _)| matrix.name.as_str()).collect();
    assert!(names.contains(&"policy.queries.weight") && names.contains(&"value.last.weight"), "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("policy.") || name.starts_with("value.")), "{names:?}");
    let absent = read("x@soft").unwrap_err().to_string();
    assert!(absent.ends_with("head soft is not supported; supported: vanilla, optimistic"), "{absent}");
    crate::from_bytes(&bytes, CpuOptions::default()).unwrap();
}

#[test]
fn what_remains_is_refused_by_name() {
    let format = |change: &dyn Fn(&mut NetworkFormat)| {
        changed(|net| change(net.format.as_mut().unwrap().network_format.as_mut().unwrap()))
    };
    for (message, expected) in [
        (
            with_layer(|layer| layer.mha.as_mut().unwrap().rpe_k = float32(&[0.0])),
            "relative position encodings in encoder[0]",
        ),
        (format(&|format| format.input = Some(132)), "number 132"),
        (format(&|format| format.policy = Some(1)), "POLICY_CLASSICAL"),
        (format(&|format| format.smolgen_activation = Some(9)), "ACTIVATION_SOFTMAX"),
        (format(&|format| format.input_embedding = Some(3)), "number 3"),
        (with_weights(|weights| weights.residual = vec![Residual::default()]), "1 residual blocks"),
    ] {
        assert!(message.contains(&format!("{expected} is not supported; supported: ")), "{message}");
    }
}

#[test]
fn wrong_layers_of_a_body_are_refused_by_name() {
    let smolgen = |change: fn(&mut Option<Box<Layer>>)| {
        with_layer(|layer| {
            change(&mut layer.mha.as_mut().unwrap().smolgen.as_mut().unwrap().ln1_betas);
        })
    };
    for (message, expected) in [
        (with_layer(|layer| layer.mha = None), "layer encoder[0].mha is missing"),
        (with_layer(|layer| layer.ffn = None), "layer encoder[0].ffn is missing"),
        (smolgen(|layer| *layer = None), "layer encoder[0].mha.smolgen.ln1_betas is missing"),
        (
            smolgen(|layer| *layer = float32(&[0.0; 2])),
            "layer encoder[0].mha.smolgen.ln1_betas has 2 numbers; expected 3",
        ),
        (
            smolgen(|layer| *layer = float32(&[0.0, f32::NAN, 0.0])),
            "layer encoder[0].mha.smolgen.ln1_betas: number 1 is NaN; expected a finite number",
        ),
        (
            with_weights(|weights| weights.headcount = Some(3)),
            "layer encoder[0].mha.smolgen.dense2_b has 4 numbers; expected a multiple of the 3 heads",
        ),
        (
            with_weights(|weights| weights.smolgen_w = float32(&vec![0.0; 2 * 4095])),
            "layer smolgen_w has 8190 numbers; expected 8192",
        ),
        (
            with_weights(|weights| weights.ip_add_gate = float32(&[0.0; 255])),
            "layer ip_add_gate has 255 numbers; expected 256",
        ),
        (
            with_weights(|weights| weights.ip_emb_w = float32(&[0.0; 112 * 4])),
            "layer ip_emb_w has 448 numbers; expected 704",
        ),
    ] {
        assert_eq!(message, format!("lc0 network x.pb: {expected}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_attention_networks_never_panic(places in prop::collection::vec((any::<u32>(), any::<u8>()), 1..6)) {
        let mut bytes = attention().bytes();
        for (place, byte) in places {
            let place = place as usize % bytes.len();
            bytes[place] = byte;
        }
        let _ = parse(&bytes, "x");
    }
}
