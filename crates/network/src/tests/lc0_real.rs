//! Compares real lc0 networks with lc0's own outputs.
//!
//! lc0's printed numbers include its approximations, so these are also applied to this program's outputs before the
//! comparison. The tolerances here are the rounding of these approximations (policies were rounded to 1e-4), and
//! tighter than those of `tabiya net verify`.
//!
//! Needs the folder named by `TABIYA_DATA`, with `nets/maia-*.pb.gz` and, next to them, the reference outputs
//! `nets/maia-*.lc0.json`.

use std::path::PathBuf;

use crate::{CpuOptions, Weights, evaluator::from_weights, planes::lc0::outputs::ReferenceOutputs};

use super::reference::ReferenceNetwork;

fn net_file(name: &str) -> PathBuf {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    PathBuf::from(data).join("nets").join(name)
}

/// lc0 stores priors in 16 bits (11 of them fraction), and the files round them to 1e-4.
const POLICY_TOLERANCE: f32 = 2e-4;

/// The files round to 1e-5.
const VALUE_TOLERANCE: f32 = 2e-5;

/// The files round to 1e-3.
const DRAW_TOLERANCE: f32 = 6e-4;

fn check(name: &str) {
    let answers = format!("{name}.lc0.json");
    let reference =
        ReferenceOutputs::from_bytes(&std::fs::read(net_file(&answers)).unwrap(), &answers).unwrap();
    let weights = Weights::read(&net_file(&format!("{name}.pb.gz"))).unwrap();
    let network = ReferenceNetwork::new(&weights).unwrap();
    let cases = reference.compare(&network).unwrap();
    assert_eq!(cases.len(), 60);
    let with_history = cases.iter().filter(|case| case.history).count();
    assert!((15..=45).contains(&with_history), "{with_history} of 60 positions have history");
    for case in &cases {
        let reported = case.reported;
        assert!(reported.policy <= POLICY_TOLERANCE, "{case:?}");
        assert!(reported.value <= VALUE_TOLERANCE, "{case:?}");
        assert!(reported.draw <= DRAW_TOLERANCE, "{case:?}");
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_1100_agrees_with_lc0() {
    check("maia-1100");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_1500_agrees_with_lc0() {
    check("maia-1500");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_1900_agrees_with_lc0() {
    check("maia-1900");
}

/// By the kernels of play, layer by layer; lc0 prints policies in steps of 1e-4 and values through approximations.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_networks_with_attention_answer_as_lc0_does() {
    for name in
        ["attention-small", "attention-hectoplies", "attention-multihead", "convolution-attention-policy"]
    {
        let file = format!("attention/{name}.lc0.json");
        let reference =
            ReferenceOutputs::from_bytes(&std::fs::read(net_file(&file)).unwrap(), &file).unwrap();
        let weights = Weights::read(&net_file(&format!("attention/{name}.pb.gz"))).unwrap();
        let network = from_weights(&weights, CpuOptions::default()).unwrap();
        let cases = reference.compare(network.as_ref()).unwrap();
        assert_eq!(cases.len(), 60, "{name}");
        assert!(cases.iter().any(|case| case.history) && cases.iter().any(|case| !case.history), "{name}");
        for case in &cases {
            assert!(case.reported.policy <= 5e-4 && case.reported.value <= 1e-3, "{name}: {case:?}");
        }
    }
}
