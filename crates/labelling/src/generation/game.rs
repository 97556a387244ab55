//! One generated game, from its plan to PGN.

use chess::{
    Game, Limits, Move, Position as _, Score, StopSignal,
    pgn::{PgnGame, PgnResult, evaluation_comment},
};
use dataset::{filter::Filters, record::GameRecord, sampler::Sampler};
use rand::RngExt as _;
use strength::{
    Pace, Player,
    matches::{Adjudication, Adjudicator, ResignRule},
};

use super::plan::GamePlan;
use crate::LabellingError;

/// Share of the slips that are random moves; the others are moves of a shallow search. Chosen, not tuned.
const RANDOM_SLIPS: f64 = 0.5;

/// Adjudication and slips of generated games.
#[derive(Clone, Copy, Debug)]
pub struct GameRules {
    /// Ends games early.
    pub adjudication: Adjudication,
    /// Nodes of the search for a slip.
    pub slip_nodes: u64,
}

impl GameRules {
    /// Default of [`GameRules::slip_nodes`].
    pub const SLIP_NODES: u64 = 20;
    /// Default of the resignation in [`GameRules::adjudication`].
    pub const RESIGN: ResignRule = ResignRule { centipawns: 1000, moves: 3 };
}

/// The rules with the engine's limits.
pub(super) struct Rules {
    pub(super) pace: Pace,
    pub(super) rules: GameRules,
}

pub(super) struct GeneratedGame {
    pub(super) text: String,
    /// Equal for games with the same start and moves: [`game_key`].
    pub(super) key: u64,
    pub(super) result: PgnResult,
    pub(super) plies: usize,
}

/// End of a game, for the tag `Termination`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Rules(PgnResult),
    Adjudication(PgnResult),
    Unterminated,
}

/// A game with its evaluations.
struct Analysed {
    game: Game,
    /// The evaluation of each position for its side to move; one more than moves if the last position was evaluated.
    evaluations: Vec<Score>,
    /// For each move the engine's own move, if the move played is a slip.
    better: Vec<Option<Move>>,
    end: End,
}

impl Rules {
    /// Plays the game of a plan.
    pub(super) fn play(
        &self,
        player: &mut dyn Player,
        plan: &GamePlan,
        stop: &StopSignal,
    ) -> Result<GeneratedGame, LabellingError> {
        // From a cleared memory and one seed: the game depends only on its plan.
        player.new_game(0)?;
        let analysed = self.analyse(player, plan, stop)?;
        let name = player.name();
        let mut pgn = PgnGame::new(&analysed.game);
        pgn.event = format!("Self-play, {} a move", self.pace);
        pgn.round.clone_from(&plan.round);
        (pgn.white, pgn.black) = (name.into(), name.into());
        let (result, termination) = match analysed.end {
            End::Rules(result) => (result, "rules"),
            End::Adjudication(result) => (result, "adjudication"),
            End::Unterminated => (PgnResult::Unknown, "unterminated"),
        };
        pgn.result = result;
        pgn = pgn.tag("Termination", termination).tag("SlipRate", plan.slips.to_string());
        let mut comments = comments(&analysed).into_iter();
        pgn.first_comment = comments.next().unwrap_or_default();
        pgn.comments = comments.collect();
        pgn.alternatives.clone_from(&analysed.better);
        let text = pgn.to_string();
        let plies = analysed.game.ply();
        Ok(GeneratedGame { text, key: game_key(&analysed.game), result, plies })
    }

    fn analyse(
        &self,
        player: &mut dyn Player,
        plan: &GamePlan,
        stop: &StopSignal,
    ) -> Result<Analysed, LabellingError> {
        let limits = self.pace.limits();
        let mut random = plan.random.clone();
        let mut adjudicator = Adjudicator::new(self.rules.adjudication);
        let (mut game, mut evaluations, mut better) = (plan.start.clone(), Vec::new(), Vec::new());
        let end = loop {
            if let Some(outcome) = game.outcome() {
                break End::Rules(outcome.into());
            }
            let choice = player.choose(&game, &limits, stop)?;
            let score = choice.info.score.ok_or_else(|| LabellingError::NoEvaluation {
                engine: player.name().into(),
                fen: game.fen(),
            })?;
            // Before the endings below, so that the last position of a game that is broken off has its label too.
            evaluations.push(score);
            adjudicator.note(game.turn(), Some(score));
            if let Some(verdict) = adjudicator.verdict(game.ply()) {
                break End::Adjudication(PgnResult::won_by(verdict.loser.map(|loser| !loser)));
            }
            if plan.length.is_some_and(|length| game.ply() >= length as usize) || stop.is_stopped() {
                break End::Unterminated;
            }
            let mut played = choice.chess_move;
            if random.random_bool(plan.slips) {
                let moves = game.legal_moves();
                played = if random.random_bool(RANDOM_SLIPS) {
                    moves[random.random_range(..moves.len())]
                } else {
                    let shallow = Limits { nodes: Some(self.rules.slip_nodes), ..Limits::default() };
                    player.choose(&game, &shallow, stop)?.chess_move
                };
            }
            better.push((played != choice.chess_move).then_some(choice.chess_move));
            game.play(played)?;
        };
        Ok(Analysed { game, evaluations, better, end })
    }
}

/// The evaluations as comments before and after each move, White's view.
fn comments(analysed: &Analysed) -> Vec<String> {
    let positions = analysed.game.history().iter().map(|entry| &entry.position);
    let pairs = analysed.evaluations.iter().zip(positions);
    pairs.map(|(&score, position)| evaluation_comment(score, position.turn())).collect()
}

/// The hash by which a store would recognise the game.
fn game_key(game: &Game) -> u64 {
    Sampler::new(1, 0, Filters::default()).game_hash(&GameRecord::of_game(game))
}
