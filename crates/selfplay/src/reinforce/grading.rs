//! An engine's grades of all moves of a game.

use std::panic::resume_unwind;

use chess::{Game, Limits, Move, Score, StopSignal};
use dataset::evaluation_to_wdl;
use strength::{Contestant, Player};

use super::{drawn_games::DrawnGame, grade};
use crate::error::GradingError;

/// An engine's judgement of the moves drawn in a game, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GradedGame {
    /// The grade of each move; see [`grade`].
    pub grades: Vec<f32>,
    /// The scores of the position before each move, for the mover, and after it, for the opponent. The score of a finished game is
    /// zero or a mate in zero.
    pub scores: Vec<[Score; 2]>,
}

/// Grades the moves of each game, in order, on several threads.
///
/// # Errors
/// [`GradingError`].
pub fn grade_games(
    engine: &Contestant,
    games: &[DrawnGame],
    threads: usize,
) -> Result<Vec<GradedGame>, GradingError> {
    // Thread t grades the games t, t + threads, t + 2 threads and so on, so that all get about equal work. Which thread grades a game
    // does not matter, because an engine forgets before each one.
    let shares: Result<Vec<Vec<GradedGame>>, GradingError> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || grade_share(engine, games.iter().skip(first).step_by(threads))))
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let mut graded = vec![GradedGame::default(); games.len()];
    for (first, share) in shares?.into_iter().enumerate() {
        for (number, game) in share.into_iter().enumerate() {
            graded[first + number * threads] = game;
        }
    }
    Ok(graded)
}

/// Grades games with an engine of its own.
fn grade_share<'a>(
    engine: &Contestant,
    games: impl Iterator<Item = &'a DrawnGame>,
) -> Result<Vec<GradedGame>, GradingError> {
    let mut player = (engine.factory)()?;
    let limits = engine.pace.limits();
    games.map(|game| grade_game(player.as_mut(), &limits, game)).collect()
}

/// The engine evaluates each position once: the value after a move is the value of the opponent's position.
fn grade_game(
    player: &mut dyn Player,
    limits: &Limits,
    drawn: &DrawnGame,
) -> Result<GradedGame, GradingError> {
    player.new_game(0)?;
    let Some(first) = drawn.moves.first() else { return Ok(GradedGame::default()) };
    // Back to the end of the opening, which was not drawn and is not graded.
    let mut game = drawn.game.at_ply(first.ply);
    let mut found = vec![evaluate(player, limits, &game)?];
    for place in first.ply..drawn.game.ply() {
        game.play_unchecked(drawn.game.moves()[place]);
        found.push(evaluate(player, limits, &game)?);
    }
    let mut graded = GradedGame::default();
    for (pair, drawn) in found.windows(2).zip(&drawn.moves) {
        let [before, after] = [&pair[0], &pair[1]];
        let is_choice = before.choice == Some(drawn.legal[drawn.chosen]);
        // The score after the move is the opponent's.
        graded.grades.push(grade(before.expected_score, 1.0 - after.expected_score, is_choice));
        graded.scores.push([before.score, after.score]);
    }
    Ok(graded)
}

/// The value of a position for the side to move.
struct Valuation {
    score: Score,
    expected_score: f32,
    /// The engine's choice; `None` if the game is over.
    choice: Option<Move>,
}

/// Evaluates a position, by the rules if the game is over.
fn evaluate(player: &mut dyn Player, limits: &Limits, game: &Game) -> Result<Valuation, GradingError> {
    if let Some(outcome) = game.outcome() {
        // The side to move is never the one that has won.
        let (score, expected_score) =
            if outcome.winner.is_some() { (Score::Mate(0), 0.0) } else { (Score::Centipawns(0), 0.5) };
        return Ok(Valuation { score, expected_score, choice: None });
    }
    let choice = player.choose(game, limits, &StopSignal::default())?;
    let score = choice
        .info
        .score
        .ok_or_else(|| GradingError::NoScore { engine: player.name().into(), fen: game.fen() })?;
    let expected_score = evaluation_to_wdl(score).expected_score();
    Ok(Valuation { score, expected_score, choice: Some(choice.chess_move) })
}

#[cfg(test)]
mod tests {
    use chess::{Chess, Color, Position as _, Score};
    use strength::{Choice, MoveInfo, PlayerError, player::RANDOM};

    use super::*;
    use crate::reinforce::drawn_games::tests::drawn;

    /// Counts material three half-moves ahead.
    struct Counter;

    impl Player for Counter {
        fn name(&self) -> &'static str {
            "counter"
        }

        fn choose(&mut self, game: &Game, _: &Limits, _: &StopSignal) -> Result<Choice, PlayerError> {
            let (value, best) = negamax(game.position(), 3);
            let info = MoveInfo { score: Some(Score::Centipawns(value)), ..MoveInfo::default() };
            Ok(Choice { chess_move: best.expect("the game is not over"), info })
        }
    }

    fn negamax(position: &Chess, depth: u32) -> (i32, Option<Move>) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return (if position.is_check() { -10_000 } else { 0 }, None);
        }
        if depth == 0 {
            let material = |color: Color| {
                let pieces = position.board().material_side(color);
                100 * i32::from(pieces.pawn + 5 * pieces.rook + 9 * pieces.queen)
            };
            return (material(position.turn()) - material(!position.turn()), None);
        }
        let value = |&chess_move: &Move| {
            let mut after = position.clone();
            after.play_unchecked(chess_move);
            (-negamax(&after, depth - 1).0, Some(chess_move))
        };
        moves.iter().map(value).max_by_key(|(value, _)| *value).expect("there is a move")
    }

    fn engine() -> Contestant {
        Contestant::new("counter", || Ok(Box::new(Counter)))
    }

    #[test]
    fn losing_a_queen_is_bad_and_taking_it_is_not() {
        // White puts its queen where a pawn can take it, and Black takes.
        let game = drawn("4k3/8/2p5/8/3Q4/8/8/4K3 w - - 0 1", &["d4d5", "c6d5"]);
        let grades = grade_games(&engine(), &[game], 1).unwrap();
        assert!(grades[0].grades[0] < -0.2, "{grades:?}");
        assert!(grades[0].grades[1] > -0.05, "{grades:?}");
    }

    #[test]
    fn the_end_of_a_game_is_graded_by_the_rules() {
        let mate = drawn("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", &["a1a8"]);
        let stalemate = drawn("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", &["f1f7"]);
        let grades = grade_games(&engine(), &[mate, stalemate], 2).unwrap();
        assert!(grades[0].grades[0] >= 0.0, "{grades:?}");
        assert!(grades[1].grades[0] < -0.3, "a won game was thrown away: {grades:?}");
        let after: Vec<Score> = grades.iter().map(|game| game.scores[0][1]).collect();
        assert_eq!(after, [Score::Mate(0), Score::Centipawns(0)]);
    }

    #[test]
    fn an_engine_without_scores_is_refused() {
        let silent = Contestant::new("random", || Ok(RANDOM.build()));
        let game = drawn("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["e2e4"]);
        let refused = grade_games(&silent, &[game], 1).unwrap_err().to_string();
        assert!(refused.contains("gave no score"), "{refused}");
    }
}
