//! The law suite of `chess::Search`, on PUCT with different evaluators and settings.

use std::sync::Arc;

use chess::{Evaluator, MaterialEvaluator, Search, UniformEvaluator, laws};
use search::{Puct, PuctOptions};

fn check(evaluator: impl Evaluator + Copy + 'static, options: &PuctOptions) {
    let games = laws::sample_games(options.seed, 15);
    laws::search::check(
        &mut || -> Box<dyn Search> { Box::new(Puct::new(Arc::new(evaluator), options.clone())) },
        &games,
    );
}

#[test]
fn puct_with_the_defaults_obeys_the_laws() {
    check(UniformEvaluator, &PuctOptions::default());
}

#[test]
fn puct_in_batches_obeys_the_laws() {
    let options = PuctOptions { mini_batch_size: 16, seed: 1, ..PuctOptions::default() };
    check(MaterialEvaluator, &options);
}

#[test]
fn puct_with_noise_and_several_lines_obeys_the_laws() {
    let options = PuctOptions {
        noise_epsilon: 0.25,
        multi_pv: 3,
        policy_temperature: 1.0,
        seed: 2,
        ..PuctOptions::default()
    };
    check(UniformEvaluator, &options);
}

#[test]
fn puct_without_reuse_in_little_memory_obeys_the_laws() {
    let options = PuctOptions { tree_reuse: false, hash: 1, seed: 3, ..PuctOptions::default() };
    check(MaterialEvaluator, &options);
}

#[test]
fn every_kind_of_search_obeys_the_laws() {
    let games = laws::sample_games(5, 8);
    for kind in search::SEARCHES {
        let options = PuctOptions { hash: 1, rollout_plies: 10, ..PuctOptions::default() };
        laws::search::check(&mut || (kind.make)(Arc::new(MaterialEvaluator), options.clone(), None), &games);
    }
}

#[test]
fn the_defaults_of_every_kind_are_found_by_name() {
    for kind in search::SEARCHES {
        assert_eq!(search::search_kind(kind.name).map(|found| found.name), Ok(kind.name));
        assert!(!kind.help.is_empty());
    }
}
