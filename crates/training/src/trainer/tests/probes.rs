//! The files that a run writes for people who follow its training.

use super::*;
use crate::probes::ProbeLine;

#[test]
fn what_the_network_thinks_is_written_at_each_validation_and_goes_on_with_the_run() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines = || {
        let text = std::fs::read_to_string(folder.join("probes.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str::<ProbeLine>(line).unwrap()).collect::<Vec<_>>()
    };
    let steps = || lines().iter().map(|line| line.step).collect::<Vec<_>>();
    run(&mut Trainer::start(recipe(4), &samples, folder, None).unwrap(), None);
    assert_eq!(steps(), [2, 4], "every second step, as validations are");
    // The last line contains the outputs of the exported weights.
    let network = network::open(&folder.join("network.tabiya"), CpuOptions::default()).unwrap();
    let start = chess::Game::default();
    let legal = start.legal_moves();
    let request = chess::EvaluationRequest { game: &start, legal_moves: &legal };
    let evaluation = network.evaluate(&[request]).unwrap().remove(0);
    let exported = Weights::read(&folder.join("network.tabiya")).unwrap().provenance.steps;
    let written = lines().into_iter().find(|line| line.step == exported).unwrap().positions.remove(0);
    let prior = |uci: &str| {
        let place =
            legal.iter().position(|&one| chess::print_uci_move(one, chess::CastlingMode::Standard) == uci);
        evaluation.priors[place.unwrap()]
    };
    for (uci, probability) in &written.moves {
        assert!((prior(uci) - probability).abs() < 0.02, "{uci}: {} and {probability}", prior(uci));
    }
    assert!((written.wdl.unwrap()[0] - evaluation.wdl.win).abs() < 0.02, "{written:?} {evaluation:?}");
    // A complete line left by a killed process, and an incomplete one.
    let text = std::fs::read_to_string(folder.join("probes.jsonl")).unwrap();
    let late = ProbeLine { step: 99, positions: Vec::new() };
    let cut = format!("{text}{}\n{}", serde_json::to_string(&late).unwrap(), &text[..50]);
    std::fs::write(folder.join("probes.jsonl"), cut).unwrap();
    run(&mut Trainer::resume(recipe(6), &samples, folder).unwrap(), None);
    assert_eq!(steps(), [2, 4, 6]);
}
