//! Random positions under random limits and settings: always a legal move, never a panic, and the counts add up.

use std::{sync::Arc, time::Duration};

use chess::{
    Clock, Limits, Search, SearchOptions, StopSignal,
    laws::{self, HashedEvaluator},
};
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use search::Puct;

use crate::support::options;

fn limits() -> impl Strategy<Value = Limits> {
    prop_oneof![
        (0_u64..600).prop_map(|nodes| Limits { nodes: Some(nodes), ..Limits::default() }),
        (0_u32..5, 1_u64..2000).prop_map(|(depth, nodes)| Limits {
            depth: Some(depth),
            nodes: Some(nodes),
            ..Limits::default()
        }),
        (0_u32..4, 1_u64..1000).prop_map(|(mate, nodes)| Limits {
            mate: Some(mate),
            nodes: Some(nodes),
            ..Limits::default()
        }),
        (0_u64..3)
            .prop_map(|time| Limits { move_time: Some(Duration::from_millis(time)), ..Limits::default() }),
        (0_u64..200, 0_u64..5, prop::option::of(0_u32..40)).prop_map(
            |(remaining, increment, moves_to_go)| {
                let clock = Clock {
                    remaining: Duration::from_millis(remaining),
                    increment: Duration::from_millis(increment),
                    moves_to_go,
                };
                Limits { clock: Some(clock), ..Limits::default() }
            }
        ),
    ]
}

fn any_options() -> impl Strategy<Value = SearchOptions> {
    (
        (0.0_f32..5.0, -0.5_f32..2.0, 0.3_f32..3.0),
        (0_u64..20, 1_u64..5, 1_u64..4),
        (prop_oneof![Just(0.0), 0.0_f32..2.0], prop_oneof![Just(0.0), 0.0_f32..1.0]),
        (any::<u64>(), any::<bool>()),
    )
        .prop_map(|(selection, sizes, randomness, (seed, tree_reuse))| {
            let settings = [
                format!(
                    "CPuct={} FpuReduction={} PolicyTemperature={}",
                    selection.0, selection.1, selection.2
                ),
                format!("MiniBatchSize={} MultiPV={} Hash={}", sizes.0, sizes.1, sizes.2),
                format!("Temperature={} NoiseEpsilon={}", randomness.0, randomness.1),
                format!("Seed={seed} TreeReuse={tree_reuse}"),
            ];
            options(&settings.join(" "))
        })
}

proptest! {
    #[test]
    fn the_best_move_is_legal_and_the_counts_add_up(
        position in any::<u64>(),
        limits in limits(),
        options in any_options(),
        restrict in any::<bool>(),
    ) {
        let game = laws::sample_games(position, 1 + (position % 15) as usize).pop().expect("one");
        let mut game = game;
        let mut search = Puct::new(Arc::new(HashedEvaluator), &options);
        for _ in 0..3 {
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mut limits = limits.clone();
            if restrict {
                limits.search_moves = legal.iter().copied().step_by(3).collect();
            }
            let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| {});
            let decision = decision.expect("the evaluator does not fail");
            prop_assert!(legal.contains(&decision.best));
            prop_assert!(limits.search_moves.is_empty() || limits.search_moves.contains(&decision.best));
            if let Some(nodes) = limits.nodes {
                prop_assert!(decision.info.nodes <= nodes);
            }
            let expected = if restrict { limits.search_moves.len() } else { legal.len() };
            prop_assert_eq!(decision.info.root_moves.len(), expected);
            for root_move in &decision.info.root_moves {
                prop_assert_eq!(root_move.wdl.is_some(), root_move.visits > 0);
            }
            let priors: f32 = decision.info.root_moves.iter().map(|root_move| root_move.prior).sum();
            prop_assert!((priors - 1.0).abs() < 1e-2, "priors add up to {}", priors);
            game.play(decision.best).expect("legal");
        }
    }
}
