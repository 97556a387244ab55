//! The laws of `Samples` on the samples that self-play trains on.

use std::path::Path;

use chess::{
    MaterialEvaluator, UniformEvaluator,
    encoding::{INPUTS, MOVES},
};
use dataset::{BuildConfig, NoObserver, build};
use network::synthetic::tiny_spec;
use selfplay::{
    MixedSamples,
    reinforce::{
        ReinforceSettings,
        drawn_games::play,
        graded_samples::{Encodings, GradedSamples},
    },
};
use training::{StoreSamples, laws};

/// A store of games that begin with these moves.
fn store(folder: &Path, name: &str, firsts: &[&str]) -> StoreSamples {
    let game = |first: &&str| {
        format!("[Result \"1-0\"]\n\n1. {first} e6 2. a4 a6 3. h4 h6 4. a5 Nc6 5. h5 Nf6 1-0\n\n")
    };
    let (input, output) = (folder.join(format!("{name}.pgn")), folder.join(name));
    std::fs::write(&input, firsts.iter().map(game).collect::<String>()).unwrap();
    let config = BuildConfig { validation_share: 0.3, ..BuildConfig::new(&output, [input]) };
    build(&config, &mut NoObserver).unwrap();
    StoreSamples::open(&output, &tiny_spec()).unwrap()
}

/// The other store is shorter, so it starts over within an epoch of the first.
#[test]
fn a_mixture_of_stores_obeys_the_laws() {
    let folder = tempfile::tempdir().unwrap();
    let own = store(folder.path(), "own", &["e4", "d4", "c4", "Nf3", "g3", "b3", "e3", "d3"]);
    let other = store(folder.path(), "other", &["c3", "f4", "g4", "b4"]);
    assert_eq!(laws::check(&MixedSamples { own, other, share: 0.5 }, 8), Ok(()));
}

#[test]
fn graded_moves_obey_the_laws() {
    let settings: ReinforceSettings = toml::from_str("games = 20\nmost_plies = 6").unwrap();
    let games = play(&MaterialEvaluator, &UniformEvaluator, &settings, 0).unwrap();
    let advantages: Vec<Vec<f32>> = games.iter().map(|drawn| vec![0.5; drawn.moves.len()]).collect();
    let encodings = Encodings { input: INPUTS[0], moves: MOVES[0] };
    let samples = GradedSamples::new("graded".into(), &games, &advantages, encodings, &settings);
    assert_eq!(laws::check(&samples, 8), Ok(()));
}
