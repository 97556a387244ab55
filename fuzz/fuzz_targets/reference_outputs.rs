//! Any bytes read as reference outputs: as they are, and as position and move of a valid file.
#![no_main]

use chess::UniformEvaluator;
use network::lc0::outputs::ReferenceOutputs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (position, chess_move) = input;
    let _ = ReferenceOutputs::from_bytes(position.as_bytes(), "fuzz");
    let case = serde_json::json!({ "position": position, "policy": { chess_move: 1.0 }, "wl_d": [0.0, 1.0] });
    let file = serde_json::json!({ "net": "n", "engine": "e", "policy_temperature": 1.0, "cases": [case] });
    let outputs = ReferenceOutputs::from_bytes(file.to_string().as_bytes(), "fuzz").expect("a valid file");
    let _ = outputs.compare(&UniformEvaluator);
});
