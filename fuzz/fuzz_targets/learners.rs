//! Any bytes, and damaged learners, read as a file of learners; any text as their recipe.
#![no_main]

use std::{collections::HashMap, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use network::{
    Provenance,
    container::{Container, Matrix},
};
use regression::{FORMAT, LearnerRecipe, TrainedEnsemble};
use tabiya_fuzz::{Damage, damaged};

/// A tree of three nodes, a line, and two samples.
static LEARNERS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let matrix =
        |name: &str, shape: [usize; 2], values: Vec<f32>| Matrix { name: name.into(), shape, values };
    let learner = |name, kind, weight| serde_json::json!({ "name": name, "kind": kind, "weight": weight });
    let description = serde_json::json!({
        "input": "knights-6-10", "layout": "sums", "limit": 9.0, "combination": "mean", "blend": null,
        "learners": [learner("a", "forest", 0.5), learner("b", "line", 0.25), learner("c", "nearest-neighbours", 0.25)],
    });
    let provenance = serde_json::to_string(&Provenance::default()).expect("plain fields");
    let container = Container {
        header: HashMap::from([
            ("regression".into(), description.to_string()),
            ("provenance".into(), provenance),
        ]),
        matrices: vec![
            matrix("a.roots", [1, 1], vec![0.0]),
            matrix("a.nodes", [3, 4], vec![3.0, 0.5, 1.0, 2.0, -1.0, 1.5, 0.0, 0.0, -1.0, -1.5, 0.0, 0.0]),
            matrix("b.weights", [1, 74], vec![0.25; 74]),
            matrix("b.bias", [1, 1], vec![0.1]),
            matrix("c.rows", [2, 74], vec![1.0; 148]),
            matrix("c.pawns", [2, 1], vec![1.0, -1.0]),
            matrix("c.count", [1, 1], vec![2.0]),
        ],
    };
    let bytes = container.to_bytes(FORMAT).expect("values fill their shapes");
    TrainedEnsemble::from_bytes(&bytes, "fuzz").expect("an undamaged file");
    bytes
});

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    let _ = TrainedEnsemble::from_bytes(bytes, "fuzz");
    let _ = TrainedEnsemble::from_bytes(&damaged(&LEARNERS, &damage), "fuzz");
    let _ = LearnerRecipe::from_toml(&String::from_utf8_lossy(bytes), "fuzz");
});
