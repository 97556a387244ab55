use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits, MOST_MOVES, Search, StopSignal,
};
use rand::RngExt as _;
use rand_xoshiro::rand_core::SeedableRng;

use super::*;
use crate::{Puct, options::parse, puct::tree::Allocator};

#[test]
fn visits_are_shared_out_in_halving_rounds() {
    assert_eq!(turns(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    assert_eq!(turns(1, 3), [0, 1, 2]);
    assert_eq!(turns(0, 0), Vec::<u32>::new());
    // Fewer visits than moves: each of the first ones gets one.
    assert_eq!(turns(8, 5), [0; 5]);
    for (moves, visits) in [(2, 7), (3, 50), (16, 200), (16, 17), (MOST_MOVES, 100)] {
        let turns = turns(moves, visits);
        assert_eq!(turns.len(), visits);
        // A visit is due to a move that has the visits of its turn: at each level no more moves than at the one before.
        let at = |level| turns.iter().filter(|turn| **turn == level).count();
        assert_eq!(at(0), moves.min(visits));
        assert!((0..*turns.last().unwrap()).all(|level| at(level) >= at(level + 1) && at(level) >= 1));
    }
}

/// A plan with these priors whose first moves have these visits and values.
fn plan(priors: &[f32], children: &[(u32, f32)], settings: &str) -> (HalvingPlan, Tree) {
    let tree = Tree::new(1 << 20);
    let game = Game::default();
    let legal = game.legal_moves();
    let edge = |(place, prior): (usize, &f32)| {
        Edge::new(crate::packed::PackedMove::pack(legal[place]), crate::packed::PackedPrior::pack(*prior))
    };
    let edges: Vec<Edge> = priors.iter().enumerate().map(edge).collect();
    let mut stock = Allocator::default();
    tree.open(ROOT, &edges, &mut stock);
    let options = GumbelOptions::read(&parse(settings).unwrap());
    let plan = HalvingPlan::draw(&tree, &options, 1000, &mut Xoshiro256PlusPlus::seed_from_u64(1));
    for (place, (visits, value)) in children.iter().enumerate() {
        let child = tree.child_or_new(ROOT, place, &mut stock);
        tree.raw(child).set_average(*visits, *value);
    }
    (plan, tree)
}

#[test]
fn the_policy_to_learn_improves_on_the_priors_whatever_the_values() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for _ in 0..200 {
        let count = random.random_range(2..10);
        let weights: Vec<f32> = (0..count).map(|_| random.random_range(0.01..1.0)).collect();
        let sum: f32 = weights.iter().sum();
        let mut priors: Vec<f32> = weights.iter().map(|weight| weight / sum).collect();
        priors.sort_by(|left, right| right.total_cmp(left));
        let children: Vec<(u32, f32)> =
            priors.iter().map(|_| (random.random_range(1..20), random.random_range(-1.0..1.0))).collect();
        let (plan, tree) = plan(&priors, &children, "GumbelMoves=8 GumbelNoise=0");
        let improved = plan.improved_policy(&tree);
        assert!((improved.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        let worth = |policy: &[f32]| -> f32 {
            policy.iter().zip(&children).map(|(share, (_, value))| share * value).sum()
        };
        assert!(worth(&improved) >= worth(&priors) - 1e-3, "{priors:?} {children:?} {improved:?}");
    }
}

#[test]
fn unvisited_moves_are_worth_what_the_root_and_the_visited_ones_say() {
    let (plan, tree) = plan(&[0.5, 0.3, 0.2], &[(3, 0.5), (1, -0.5)], "GumbelMoves=3 GumbelNoise=0");
    // q is 0.75 and 0.25, the root's own value 0.5: (0.5 + 4 (0.5 * 0.75 + 0.3 * 0.25) / 0.8) / 5.
    assert!((plan.mixed_value(&tree.children(ROOT)) - (0.5 + 4.0 * 0.5625) / 5.0).abs() < 1e-3);
    // (50 + 3) * 0.75 is added to the logit of the first.
    let scores = plan.improved_scores(&tree.children(ROOT), &plan.logits);
    assert!((scores[0] - (0.5f32.ln() + 53.0 * 0.75)).abs() < 0.01, "{scores:?}");
}

/// The start position's priors fall geometrically, the same for equal moves; all values are even.
struct Geometric;

impl Evaluator for Geometric {
    fn describe(&self) -> String {
        "geometric".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answer = |request: &EvaluationRequest<'_>| {
            let weights: Vec<f32> =
                (0..request.legal_moves.len()).map(|place| 0.6f32.powi(place as i32)).collect();
            let sum: f32 = weights.iter().sum();
            let priors = weights.into_iter().map(|weight| weight / sum).collect();
            Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
        };
        Ok(batch.iter().map(answer).collect())
    }
}

#[test]
fn where_all_values_are_equal_moves_are_drawn_from_the_priors() {
    const GAMES: u64 = 2000;
    let game = Game::default();
    let legal = game.legal_moves();
    let mut counts = vec![0u32; legal.len()];
    let options = parse("GumbelMoves=4 Hash=1 PolicyTemperature=1 MaterialNodes=0").unwrap();
    let mut puct = Puct::new(std::sync::Arc::new(Geometric), &options);
    let limits = Limits { nodes: Some(9), ..Limits::default() };
    for seed in 0..GAMES {
        puct.new_game();
        puct.reseed(seed);
        let decision = puct.run(&game, &limits, &StopSignal::default(), &mut |_| {}).unwrap();
        let tried = decision.info.root_moves.iter().filter(|root_move| root_move.visits > 0).count();
        assert_eq!(tried, 4, "four moves take part");
        counts[legal.iter().position(|legal| *legal == decision.best).unwrap()] += 1;
    }
    let sum: f64 = (0..legal.len()).map(|place| 0.6f64.powi(place as i32)).sum();
    for (place, count) in counts.iter().enumerate().take(5) {
        let expected = 0.6f64.powi(place as i32) / sum;
        let deviation = (expected * (1.0 - expected) / GAMES as f64).sqrt();
        let found = f64::from(*count) / GAMES as f64;
        assert!((found - expected).abs() < 4.0 * deviation, "move {place}: {found} instead of {expected}");
    }
}
