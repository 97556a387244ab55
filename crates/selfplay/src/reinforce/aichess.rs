//! The rewards of AIChess's REINFORCE (2025), from the history of its repository (`SelfPlay.py` at 06a1343: `score_move` for 1
//! and 2, `scale_rewards_according_to_game_outcome` for 3): kept to show their flaw, S3-k8 of docs/seeds.md.
//!
//! 1. A move that changes the score by less than 80 centipawns earns 1, by less than 150 nothing, otherwise -1, whichever side it
//!    helps: a strong move is punished like a blunder.
//! 2. If a mate is announced: from no mate to one -1, even for the side that mates; from a mate to none 0 if the mover still stands
//!    better, otherwise -1; from one side's mate to the other's -1; a nearer mate 1 for the mating side; otherwise 0.
//! 3. For each side of a won game the rewards that are not negative become 1.2 times as large, and for the winner 0.2 larger
//!    (0.3 more if it needed fewer than 70 moves, and 0.5 more again if fewer than 35), for the loser 0.2 smaller. In AIChess the
//!    0.3 and 0.5 are also added to negative rewards, so 4 removes them completely; here they are not.
//! 4. The rewards of one side of one game are normalised to a mean of zero and a deviation of one, which removes most of 3 again.

use chess::Score;

use super::{drawn_games::DrawnGame, grading::GradedGame};

/// A score from the mover's view, whichever side it was found for.
#[derive(Clone, Copy)]
enum Seen {
    Centipawns(i32),
    Mating(u32),
    Mated(u32),
}

impl Seen {
    fn by_mover(score: Score) -> Self {
        match score {
            Score::Centipawns(centipawns) => Self::Centipawns(centipawns),
            Score::Mate(moves @ 1..) => Self::Mating(moves.unsigned_abs()),
            Score::Mate(moves) => Self::Mated(moves.unsigned_abs()),
        }
    }

    fn by_opponent(score: Score) -> Self {
        match Self::by_mover(score) {
            Self::Centipawns(centipawns) => Self::Centipawns(centipawns.saturating_neg()),
            Self::Mating(moves) => Self::Mated(moves),
            Self::Mated(moves) => Self::Mating(moves),
        }
    }
}

/// The reward of a move from the score before it, for the mover, and the score after it, for the opponent.
fn reward([before, after]: [Score; 2]) -> f32 {
    match (Seen::by_mover(before), Seen::by_opponent(after)) {
        (Seen::Centipawns(before), Seen::Centipawns(after)) => match after.abs_diff(before) {
            ..80 => 1.0,
            80..150 => 0.0,
            _ => -1.0,
        },
        (Seen::Mating(before), Seen::Mating(after)) if after < before => 1.0,
        (Seen::Mating(_), Seen::Mating(_) | Seen::Centipawns(1..))
        | (Seen::Mated(_), Seen::Mated(_) | Seen::Centipawns(1..)) => 0.0,
        _ => -1.0,
    }
}

/// The reward of a move in a game that its side won in `moves` of its own moves, or lost.
fn shaped(reward: f32, has_won: bool, moves: usize) -> f32 {
    if reward < 0.0 {
        return reward;
    }
    if !has_won {
        return 1.2 * reward - 0.2;
    }
    let quick = if moves < 70 { 0.3 } else { 0.0 };
    let very_quick = if moves < 35 { 0.5 } else { 0.0 };
    1.2 * reward + 0.2 + quick + very_quick
}

/// Normalises to a mean of zero and a deviation of one; all zero if the rewards are equal.
fn normalised(rewards: &[f32]) -> Vec<f32> {
    let count = rewards.len().max(1) as f32;
    let mean = rewards.iter().sum::<f32>() / count;
    let deviation = (rewards.iter().map(|reward| (reward - mean).powi(2)).sum::<f32>() / count).sqrt();
    rewards.iter().map(|reward| if deviation > 1e-6 { (reward - mean) / deviation } else { 0.0 }).collect()
}

pub(super) fn advantages(drawn: &DrawnGame, graded: &GradedGame) -> Vec<f32> {
    let game = &drawn.game;
    let winner = game.outcome().and_then(|outcome| outcome.winner);
    let mut advantages = vec![0.0; drawn.moves.len()];
    for side in [game.turn(), !game.turn()] {
        // The moves of a side are counted from the end, where the side to move is known, whichever side the opening left to move.
        let mut places = Vec::new();
        for (place, drawn_move) in drawn.moves.iter().enumerate() {
            let plies_left = game.ply() - drawn_move.ply;
            let mover = if plies_left.is_multiple_of(2) { game.turn() } else { !game.turn() };
            if mover == side {
                places.push(place);
            }
        }
        let mut rewards = Vec::with_capacity(places.len());
        for &place in &places {
            let reward = reward(graded.scores[place]);
            rewards.push(winner.map_or(reward, |winner| shaped(reward, winner == side, places.len())));
        }
        for (&place, advantage) in places.iter().zip(normalised(&rewards)) {
            advantages[place] = advantage;
        }
    }
    advantages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reinforce::drawn_games::tests::drawn;

    const CENTIPAWNS: fn(i32) -> Score = Score::Centipawns;
    const MATE: fn(i32) -> Score = Score::Mate;

    #[test]
    fn s3_k8_the_seeds_rewards_punish_a_gain_and_a_mate_that_is_found() {
        // The second score is the opponent's.
        for (scores, expected) in [
            ([CENTIPAWNS(20), CENTIPAWNS(-30)], 1.0),
            ([CENTIPAWNS(20), CENTIPAWNS(80)], 0.0),
            ([CENTIPAWNS(20), CENTIPAWNS(400)], -1.0),
            ([CENTIPAWNS(20), CENTIPAWNS(-400)], -1.0),
            ([CENTIPAWNS(20), MATE(-3)], -1.0),
            ([CENTIPAWNS(20), MATE(0)], -1.0),
            ([CENTIPAWNS(20), MATE(3)], -1.0),
            ([MATE(3), MATE(-2)], 1.0),
            ([MATE(1), MATE(0)], 1.0),
            ([MATE(3), MATE(-3)], 0.0),
            ([MATE(-3), MATE(2)], 0.0),
            ([MATE(3), MATE(2)], -1.0),
            ([MATE(3), CENTIPAWNS(-500)], 0.0),
            ([MATE(3), CENTIPAWNS(500)], -1.0),
            ([CENTIPAWNS(i32::MAX), CENTIPAWNS(i32::MAX)], -1.0),
            ([CENTIPAWNS(-30), CENTIPAWNS(i32::MIN)], -1.0),
        ] {
            assert_eq!(reward(scores), expected, "{scores:?}");
        }
    }

    #[test]
    fn quick_wins_earn_more_and_losses_less() {
        let won = |moves| shaped(1.0, true, moves);
        assert_eq!([won(100), won(69), won(34)].map(|reward| (reward * 10.0).round()), [14.0, 17.0, 22.0]);
        assert_eq!([shaped(0.0, true, 100), shaped(0.0, false, 100)], [0.2, -0.2]);
        assert_eq!(
            [shaped(-1.0, true, 10), shaped(-1.0, false, 10)],
            [-1.0, -1.0],
            "blunders are not shaped"
        );
    }

    /// A game of these moves, with a score of each position for its side to move.
    fn game(fen: &str, moves: &[&str], scores: &[Score]) -> (DrawnGame, GradedGame) {
        let scores = scores.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        (drawn(fen, moves), GradedGame { grades: Vec::new(), scores })
    }

    #[test]
    fn a_side_whose_moves_are_equally_good_learns_nothing_from_its_win() {
        let even = CENTIPAWNS(0);
        // White mates with its second move, which was announced; both earn 1 before shaping.
        let (drawn, graded) = game(
            "6k1/1p3ppp/8/8/8/8/8/R6K w - - 0 1",
            &["h1g1", "b7b6", "a1a8"],
            &[MATE(2), MATE(-1), MATE(1), MATE(0)],
        );
        assert!(drawn.game.outcome().is_some_and(|outcome| outcome.winner.is_some()));
        assert_eq!(advantages(&drawn, &graded), [0.0; 3], "winning is normalised away");
        let (drawn, graded) = game(
            "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1",
            &["h1g1", "h7h6", "g1f1", "g7g6"],
            &[even, even, even, CENTIPAWNS(300), even],
        );
        // White loses three pawns with its second move, and Black gives them back.
        assert_eq!(advantages(&drawn, &graded), [1.0, 1.0, -1.0, -1.0], "each side by itself");
    }
}
