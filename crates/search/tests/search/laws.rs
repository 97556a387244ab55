//! The law suite of `chess::Search`, on every kind of search and on PUCT with different evaluators and options.

use std::sync::Arc;

use chess::{
    Evaluator, Limits, MaterialEvaluator, Search, SearchOptions, UniformEvaluator,
    laws::{
        self,
        search::{Symmetry, sees_sides_alike},
    },
};
use search::Puct;

use crate::support::{nodes, options};

fn check(evaluator: impl Evaluator + Copy + 'static, settings: &str, seed: u64) {
    laws::search::check(
        &mut |options: &SearchOptions| -> Box<dyn Search> {
            Box::new(Puct::new(Arc::new(evaluator), options))
        },
        &options(settings),
        &laws::sample_games(seed, 15),
    );
}

#[test]
fn puct_with_the_defaults_obeys_the_laws() {
    check(UniformEvaluator, "", 0);
}

#[test]
fn puct_in_batches_obeys_the_laws() {
    check(MaterialEvaluator, "MiniBatchSize=16", 1);
}

#[test]
fn puct_with_noise_and_several_lines_obeys_the_laws() {
    check(UniformEvaluator, "NoiseEpsilon=0.25 MultiPV=3 PolicyTemperature=1 Seed=2", 2);
}

#[test]
fn puct_without_reuse_in_little_memory_obeys_the_laws() {
    check(MaterialEvaluator, "TreeReuse=false Hash=1", 3);
}

#[test]
fn puct_with_a_plan_for_the_root_obeys_the_laws() {
    check(MaterialEvaluator, "GumbelMoves=8 Seed=3", 4);
    check(UniformEvaluator, "GumbelMoves=4 MiniBatchSize=8 MultiPV=2 GumbelNoise=0", 5);
}

#[test]
fn every_kind_of_search_obeys_the_laws() {
    let games = laws::sample_games(5, 8);
    let (plain, other) = (
        options("Hash=1 RolloutPlies=10"),
        options("Hash=2 RolloutPlies=4 MultiPV=2 Seed=9 Temperature=1 CPuct=3"),
    );
    let seed = options(
        "Hash=1 RolloutPlies=4 ValuePriors=0.3 ExpandByPrior=true RolloutChoices=5 RolloutRandom=0.1 FinalValue=0.7",
    );
    for kind in search::SEARCHES {
        let make = &mut |options: &SearchOptions| kind.build(Arc::new(MaterialEvaluator), options, None);
        laws::search::check(make, &plain, &games);
        laws::search::check(make, &seed, &games[..2]);
        laws::search::check_options(make, [&plain, &seed], &games[..2]);
        laws::search::check_options(make, [&plain, &other], &games);
        laws::search::check_options(make, [&other, &plain], &games);
    }
}

#[test]
fn every_kind_of_search_sees_a_queen_more_as_either_colour() {
    for kind in search::SEARCHES {
        let make = &mut |options: &SearchOptions| kind.build(Arc::new(MaterialEvaluator), options, None);
        laws::search::check_sides(make, &options("Hash=1 RolloutPlies=10"));
    }
}

#[test]
fn every_kind_of_search_that_draws_nothing_by_chance_sees_both_sides_alike() {
    let games = laws::sample_games(3, 45);
    let depth = |depth| Limits { depth: Some(depth), ..Limits::default() };
    for kind in search::SEARCHES {
        let (limits, symmetry) = match kind.name {
            // Even without rollouts it tries the moves of a position in the generator's order, at first.
            "mcts" => continue,
            "policy-rollouts" => (nodes(300), Symmetry::UpToOrder),
            // All draws are equal.
            "value" => (nodes(300), Symmetry::UpToTies(0.0)),
            // Captures of equal worth come in the generator's order: a limit of nodes would end it before other moves, ...
            "alpha-beta" => (depth(3), Symmetry::UpToTies(0.0)),
            // ... and what this one prunes below the root, even in quiescence, depends on the moves before.
            "pvs" => (depth(1), Symmetry::UpToTies(0.03)),
            _ => (nodes(300), Symmetry::Exact),
        };
        let make = &mut |options: &SearchOptions| kind.build(Arc::new(laws::HashedEvaluator), options, None);
        let options = options(&format!("RolloutPlies=0 {WITHOUT_MATERIAL}"));
        sees_sides_alike(make, &options, &limits, symmetry, &games);
    }
}

/// The table of the material search forgets by keys, which are others for the other side.
const WITHOUT_MATERIAL: &str = "MaterialNodes=0";

#[test]
fn puct_tries_equal_moves_in_an_order_that_both_sides_share() {
    let make = &mut |options: &SearchOptions| -> Box<dyn Search> {
        Box::new(Puct::new(Arc::new(MaterialEvaluator), options))
    };
    for batch in ["", "MiniBatchSize=4"] {
        let options = options(&format!("{batch} {WITHOUT_MATERIAL}"));
        sees_sides_alike(make, &options, &nodes(300), Symmetry::Exact, &laws::sample_games(3, 45));
    }
}

#[test]
fn the_defaults_of_every_kind_are_found_by_name() {
    for kind in search::SEARCHES {
        assert_eq!(search::search_kind(kind.name).map(|found| found.name), Ok(kind.name));
        assert!(!kind.help.is_empty());
    }
}
