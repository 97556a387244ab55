//! Win, draw and loss probabilities of an engine's evaluation.

use chess::{Score, Wdl};

/// Centipawns at which a side wins half its games, as used in [`evaluation_to_wdl`].
const HALF_WON: f32 = 100.0;

/// Width in centipawns of the transition, as used in [`evaluation_to_wdl`].
const SPREAD: f32 = 60.0;

/// The largest winning probability that a centipawn score can have: forced mates lie above it.
const LARGEST_CENTIPAWN_WIN: f32 = 0.995;

/// Winning probability of a mate in a great many moves; nearer mates lie between it and one.
const DISTANT_MATE_WIN: f32 = 0.996;

/// Mates in this many moves lie halfway between [`DISTANT_MATE_WIN`] and one.
const HALFWAY_MATE: f32 = 10.0;

/// Win, draw and loss probability of an engine's evaluation.
///
/// Centipawns go through two logistic curves, win = f(v) and loss = f(-v) with f(v) = 0.995 / (1 + e^((100 - v) / 60)).
/// Unlike Stockfish's own model, which describes long games between equal engines, they keep a gradient between small
/// advantages and in won positions. Mates are ordered: the nearer, the better, and all of them above any centipawns.
pub fn evaluation_to_wdl(evaluation: Score) -> Wdl {
    let won = |moves: i32| {
        let moves = moves as f32;
        DISTANT_MATE_WIN + (1.0 - DISTANT_MATE_WIN) * HALFWAY_MATE / (HALFWAY_MATE + moves)
    };
    match evaluation {
        Score::Centipawns(centipawns) => {
            let curve = |value: f32| LARGEST_CENTIPAWN_WIN / (1.0 + ((HALF_WON - value) / SPREAD).exp());
            let (win, loss) = (curve(centipawns as f32), curve(-(centipawns as f32)));
            Wdl { win, draw: 1.0 - win - loss, loss }
        }
        Score::Mate(moves) if moves > 0 => {
            let win = won(moves);
            Wdl { win, draw: 1.0 - win, loss: 0.0 }
        }
        Score::Mate(moves) => {
            let loss = won(moves.saturating_neg());
            Wdl { win: 0.0, draw: 1.0 - loss, loss }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_better_evaluation_is_a_better_target() {
        let mut ordered: Vec<Score> = (1..=40).rev().map(|moves| Score::Mate(-moves)).rev().collect();
        ordered.sort_by_key(|score| if let Score::Mate(moves) = score { -moves } else { 0 });
        let mut ladder = vec![Score::Mate(0)];
        ladder.extend(ordered);
        ladder.extend([-900, -300, -50, 0, 50, 300, 900].map(Score::Centipawns));
        ladder.extend((1..=40).rev().map(Score::Mate));
        for pair in ladder.windows(2) {
            let (worse, better) = (evaluation_to_wdl(pair[0]).value(), evaluation_to_wdl(pair[1]).value());
            assert!(worse < better, "{:?} -> {worse}, {:?} -> {better}", pair[0], pair[1]);
        }
    }

    #[test]
    fn evaluations_become_probabilities_and_mirror_each_other() {
        for score in [Score::Centipawns(0), Score::Centipawns(37), Score::Centipawns(-5000), Score::Mate(3)] {
            let wdl = evaluation_to_wdl(score);
            assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-6, "{wdl:?}");
            assert!(wdl.win >= 0.0 && wdl.draw >= 0.0 && wdl.loss >= 0.0, "{wdl:?}");
            let mirrored = evaluation_to_wdl(score.flipped()).flipped();
            assert!((mirrored.win - wdl.win).abs() < 1e-6 && (mirrored.loss - wdl.loss).abs() < 1e-6);
        }
        // At 100 centipawns the side wins half its games.
        assert!((evaluation_to_wdl(Score::Centipawns(100)).win - 0.4975).abs() < 1e-4);
    }
}
