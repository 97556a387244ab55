//! Plays one game.

use chess::{Decision, Game, Limits, Move, RootMove, Search, SearchError, StopSignal, Wdl};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    engine::Engines,
    game::{GameEnd, PlayedMove, Resignation, SearchFinding, Winner},
    settings::{PlaySettings, ResignationRule},
};

/// The two searches of a player: one whose result is learned from, and one that only chooses a move.
pub struct Searches {
    /// The search that is learned from.
    pub full: Box<dyn Search>,
    /// The quick search, if there are quick searches.
    pub quick: Option<Box<dyn Search>>,
}

/// A finished game, before it gets its name.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct UnnamedGame {
    /// FEN of the first position.
    pub start: String,
    /// The moves, beginning with those of the opening.
    pub moves: Vec<PlayedMove>,
    /// The winner, or a draw.
    pub winner: Winner,
    pub end: GameEnd,
    /// The point at which a side would have resigned, in a game that was played on.
    pub doubted: Option<Resignation>,
    /// Positions that the network evaluated.
    pub evaluations: u64,
}

/// Plays a game from the opening; all random choices follow from the seed. `None` if the signal came first.
///
/// # Errors
/// [`SearchError`] if the evaluator fails.
pub fn play(
    searches: &mut Searches,
    engines: &dyn Engines,
    settings: &PlaySettings,
    seed: u64,
    stop: &StopSignal,
) -> Result<Option<UnnamedGame>, SearchError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let game = engines.opening(random.random());
    for search in [Some(&mut searches.full), searches.quick.as_mut()].into_iter().flatten() {
        search.new_game();
        search.reseed(random.random());
    }
    // Drawn before the game begins, so that it cannot depend on the course of the game.
    let verifies = settings.resignation.is_some_and(|rule| random.random_bool(rule.verified));
    let mut ongoing = OngoingGame::new(game, settings.resignation, verifies);
    loop {
        if let Some((winner, end)) = ongoing.ending(settings.most_plies) {
            return Ok(Some(ongoing.finish(winner, end)));
        }
        // Playout cap randomisation (KataGo, section 3.1): most moves are chosen by a search too small to teach anything, so that the
        // same time gives more games, and with them more results for the value; the few full searches teach the policy.
        let quick = searches.quick.as_mut().filter(|_| !random.random_bool(settings.full_share));
        let full = quick.is_none();
        let (search, nodes) = match quick {
            Some(quick) => (quick, settings.quick_nodes),
            None => (&mut searches.full, settings.nodes),
        };
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let decision = search.run(&ongoing.game, &limits, stop, &mut |_| {})?;
        // A search that was stopped has fewer visits than the settings say, so its move must not be learned.
        if stop.is_stopped() {
            return Ok(None);
        }
        let policy = if full { engines.policy(&decision.info.root_moves) } else { Vec::new() };
        if let Some(loser) = ongoing.play(&decision, policy) {
            let winner = if loser.is_white() { Winner::Black } else { Winner::White };
            return Ok(Some(ongoing.finish(winner, GameEnd::Resignation)));
        }
    }
}

struct OngoingGame {
    start: String,
    game: Game,
    moves: Vec<PlayedMove>,
    rule: Option<ResignationRule>,
    /// True if the game is played on when a side would resign.
    verifies: bool,
    /// Consecutive hopeless moves of White and of Black.
    hopeless: [u32; 2],
    doubted: Option<Resignation>,
    evaluations: u64,
}

impl OngoingGame {
    fn new(game: Game, rule: Option<ResignationRule>, verifies: bool) -> Self {
        // An opening's moves are part of the game: they are in its record and are history for the network.
        let moves = game.moves().iter().map(|&chess_move| PlayedMove { chess_move, search: None }).collect();
        Self {
            start: game.at_ply(0).fen(),
            game,
            moves,
            rule,
            verifies,
            hopeless: [0; 2],
            doubted: None,
            evaluations: 0,
        }
    }

    fn ending(&self, most_plies: u32) -> Option<(Winner, GameEnd)> {
        if let Some(outcome) = self.game.outcome() {
            let winner = outcome
                .winner
                .map_or(Winner::Draw, |color| if color.is_white() { Winner::White } else { Winner::Black });
            return Some((winner, GameEnd::Rules(outcome.ending)));
        }
        (self.moves.len() >= most_plies as usize).then_some((Winner::Draw, GameEnd::Length))
    }

    /// Plays the move decided, or returns the side that gives up instead.
    fn play(&mut self, decision: &Decision, policy: Vec<(Move, u32)>) -> Option<chess::Color> {
        let info = &decision.info;
        self.evaluations += info.evaluations;
        let value = info.root_value().or(info.variations.first().map(|variation| variation.wdl));
        let value = value.unwrap_or(Wdl::DRAW);
        let turn = self.game.turn();
        if let Some(rule) = self.rule {
            let hopeless = &mut self.hopeless[usize::from(turn.is_black())];
            *hopeless = if value.expected_score() < rule.below { *hopeless + 1 } else { 0 };
            if *hopeless >= rule.moves && self.doubted.is_none() {
                if !self.verifies {
                    return Some(turn);
                }
                // Only the first time: the game's result is compared with it.
                self.doubted = Some(Resignation { ply: self.moves.len() as u32, white: turn.is_white() });
            }
        }
        let surprise = (!policy.is_empty()).then(|| surprise(&policy, &info.root_moves));
        let search = SearchFinding { value, policy, surprise };
        self.moves.push(PlayedMove { chess_move: decision.best, search: Some(search) });
        self.game.play_unchecked(decision.best);
        None
    }

    fn finish(self, winner: Winner, end: GameEnd) -> UnnamedGame {
        let Self { start, moves, doubted, evaluations, .. } = self;
        UnnamedGame { start, moves, winner, end, doubted, evaluations }
    }
}

/// Kullback-Leibler divergence of the policy from the priors, in nats (KataGo's policy surprise).
fn surprise(policy: &[(Move, u32)], moves: &[RootMove]) -> f64 {
    // For priors that were rounded to zero.
    const LEAST: f64 = 1e-6;
    let total: f64 = policy.iter().map(|(_, share)| f64::from(*share)).sum();
    let mut divergence = 0.0_f64;
    for &(chess_move, share) in policy.iter().filter(|(_, share)| *share > 0) {
        let probability = f64::from(share) / total;
        let root_move = moves.iter().find(|root_move| root_move.chess_move == chess_move);
        let prior = root_move.map_or(LEAST, |root_move| f64::from(root_move.prior).max(LEAST));
        divergence += probability * (probability / prior).ln();
    }
    // It is never negative, but rounding and priors raised to the minimum may bring it slightly below zero.
    divergence.max(0.0)
}

#[cfg(test)]
mod tests;
