//! Evaluators of single positions: what they are asked, and that broken ones are found out.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use chess::{
    Chess, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits, MaterialEvaluator, Move,
    PositionEvaluator, Search, SearchError, StopSignal, Wdl, laws,
};
use search::Puct;

use crate::support::{nodes, options, run, visits_below_root};

/// Defect of an evaluator, which shows after [`Counting::sound`] values.
#[derive(Clone, Copy, PartialEq)]
enum Defect {
    None,
    Value,
    TooFewPriors,
    NoProbabilities,
}

/// Material, counting how often it is asked.
struct Counting {
    values: AtomicU64,
    priors: AtomicU64,
    sound: AtomicU64,
    defect: Defect,
}

impl Counting {
    fn new(defect: Defect) -> Arc<Self> {
        let [values, priors, sound] = [0, 0, 40].map(AtomicU64::new);
        Arc::new(Self { values, priors, sound, defect })
    }

    fn is_broken_after(&self, values: u64) -> bool {
        values > self.sound.load(Ordering::Relaxed)
    }
}

impl Evaluator for Counting {
    fn describe(&self) -> String {
        "counting".to_owned()
    }

    fn history(&self) -> usize {
        1
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        MaterialEvaluator.evaluate(batch)
    }

    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        Some(Box::new(Counted(self)))
    }
}

struct Counted<'a>(&'a Counting);

impl PositionEvaluator for Counted<'_> {
    fn value(&mut self, position: &Chess) -> Wdl {
        let asked = self.0.values.fetch_add(1, Ordering::Relaxed);
        match self.0.defect {
            Defect::Value if self.0.is_broken_after(asked) => Wdl { win: f32::NAN, ..Wdl::DRAW },
            _ => MaterialEvaluator.value(position),
        }
    }

    fn priors(&mut self, position: &Chess, legal_moves: &[Move], temperature: f32, priors: &mut Vec<f32>) {
        self.0.priors.fetch_add(1, Ordering::Relaxed);
        MaterialEvaluator.priors(position, legal_moves, temperature, priors);
        if self.0.is_broken_after(self.0.values.load(Ordering::Relaxed)) {
            match self.0.defect {
                Defect::TooFewPriors => priors.truncate(legal_moves.len() - 1),
                Defect::NoProbabilities => priors.iter_mut().for_each(|prior| *prior *= 2.0),
                Defect::None | Defect::Value => {}
            }
        }
    }
}

#[test]
fn every_leaf_is_valued_once_and_priors_are_wanted_only_for_leaves_visited_again() {
    for game in laws::sample_games(31, 12).iter().filter(|game| game.outcome().is_none()) {
        let counting = Counting::new(Defect::None);
        let mut search = Puct::new(Arc::<Counting>::clone(&counting), &options("MaterialNodes=0"));
        let info = run(&mut search, game, &nodes(2000)).info;
        let (values, priors) =
            (counting.values.load(Ordering::Relaxed), counting.priors.load(Ordering::Relaxed));
        assert_eq!(info.evaluations, values, "{}", game.fen());
        // Twice at the root: as the evaluator has them and under the policy temperature.
        assert!(priors >= 2 && priors < values * 9 / 10, "{priors} of {values} in {}", game.fen());
        assert_eq!(info.cache_hits, 0);
    }
}

#[test]
fn a_broken_evaluator_of_positions_is_an_error_that_names_it_and_the_search_survives() {
    for defect in [Defect::Value, Defect::TooFewPriors, Defect::NoProbabilities] {
        let counting = Counting::new(defect);
        let mut search = Puct::new(Arc::<Counting>::clone(&counting), &options(""));
        let answer = search.run(&Game::default(), &nodes(10_000), &StopSignal::default(), &mut |_| {});
        let Err(SearchError::Evaluator(error)) = answer else { panic!("{answer:?}") };
        let message = error.to_string();
        assert!(message.contains("counting") && message.contains(" in position "), "{message}");
        counting.sound.store(u64::MAX, Ordering::Relaxed);
        let decision = run(&mut search, &Game::default(), &nodes(100));
        assert_eq!(visits_below_root(&decision), 99);
    }
}

/// Prefers the last legal move.
struct LastMove;

impl Evaluator for LastMove {
    fn describe(&self) -> String {
        "last move".to_owned()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        MaterialEvaluator.evaluate(batch)
    }

    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        Some(Box::new(Self))
    }
}

impl PositionEvaluator for LastMove {
    fn value(&mut self, position: &Chess) -> Wdl {
        MaterialEvaluator.value(position)
    }

    fn priors(&mut self, _: &Chess, legal_moves: &[Move], _: f32, priors: &mut Vec<f32>) {
        *priors = vec![0.1 / (legal_moves.len() - 1) as f32; legal_moves.len()];
        priors[legal_moves.len() - 1] = 0.9;
    }
}

#[test]
fn a_search_stopped_before_its_first_visit_plays_the_move_of_the_policy() {
    let (start, stop) = (Game::default(), StopSignal::default());
    stop.stop();
    let mut search = Puct::new(Arc::new(LastMove), &options(""));
    let infinite = Limits { infinite: true, ..Limits::default() };
    let decision = search.run(&start, &infinite, &stop, &mut |_| {}).expect("a decision");
    assert_eq!((Some(decision.best), decision.info.nodes), (start.legal_moves().last().copied(), 1));
    // A limit of no node is obeyed.
    let decision = run(&mut search, &start, &nodes(0));
    assert_eq!(decision.info.nodes, 0);
}

#[test]
fn a_batch_size_that_is_set_asks_for_batches() {
    let counting = Counting::new(Defect::None);
    let mut search = Puct::new(Arc::<Counting>::clone(&counting), &options("MiniBatchSize=1"));
    run(&mut search, &Game::default(), &nodes(100));
    assert_eq!(counting.values.load(Ordering::Relaxed), 0);
}
