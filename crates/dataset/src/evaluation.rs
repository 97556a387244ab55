//! From an engine's evaluation to win, draw and loss probabilities.

use chess::{Score, Wdl};
use serde::{Deserialize, Serialize};

/// The largest probability that a centipawn score can have: forced mates lie above it.
const LARGEST_CENTIPAWN_WIN: f32 = 0.995;

/// Winning probability of a mate in a great many moves; nearer mates lie between it and one.
const DISTANT_MATE_WIN: f32 = 0.996;

/// Mates in this many moves lie halfway between [`DISTANT_MATE_WIN`] and one.
const HALFWAY_MATE: f32 = 10.0;

/// Steepness of Lichess's curve, fitted to games of its players above 2300 (lila, `WinPercent`; pull request 11148).
const LICHESS_STEEPNESS: f32 = 0.003_682_08;

/// Lichess cuts evaluations off here.
const LICHESS_CEILING: f32 = 1000.0;

/// How centipawns become probabilities. Mates are ordered alike by all curves: the nearer, the better, and all of them above
/// any centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum EvaluationCurve {
    /// Two logistic curves, win = f(v) and loss = f(-v) with f(v) = 0.995 / (1 + e^((half_won - v) / spread)). With the
    /// defaults they keep a gradient between small advantages and in won positions, unlike models of long games between
    /// equal engines.
    Logistic {
        /// Centipawns at which a side wins half its games. Default 100.
        #[serde(default = "default_half_won")]
        half_won: f32,
        /// Width of the transition in centipawns. Default 60.
        #[serde(default = "default_spread")]
        spread: f32,
    },
    /// Lichess's winning chances: an expected score without draws, 1 / (1 + e^(-0.00368208 v)), cut off at ten pawns.
    Lichess,
    /// Stockfish 16's model of its own games at a long time control (`uci.cpp`, `win_rate_model`): the curve depends on the
    /// ply.
    Stockfish,
}

impl Default for EvaluationCurve {
    fn default() -> Self {
        Self::Logistic { half_won: default_half_won(), spread: default_spread() }
    }
}

fn default_half_won() -> f32 {
    100.0
}

fn default_spread() -> f32 {
    60.0
}

impl EvaluationCurve {
    /// Win, draw and loss probability of an evaluation at a ply of the game.
    pub fn wdl(self, evaluation: Score, ply: u16) -> Wdl {
        match evaluation {
            Score::Centipawns(centipawns) => self.wdl_of_centipawns(centipawns as f32, ply),
            Score::Mate(moves) if moves > 0 => {
                let win = mate(moves);
                Wdl { win, draw: 1.0 - win, loss: 0.0 }
            }
            Score::Mate(moves) => {
                let loss = mate(moves.saturating_neg());
                Wdl { win: 0.0, draw: 1.0 - loss, loss }
            }
        }
    }

    /// As [`EvaluationCurve::wdl`] for an evaluation that is no whole number of centipawns.
    pub fn wdl_of_centipawns(self, centipawns: f32, ply: u16) -> Wdl {
        let (win, loss) = (self.win(centipawns, ply), self.win(-centipawns, ply));
        Wdl { win, draw: (1.0 - win - loss).max(0.0), loss }
    }

    /// The probability to win with this many centipawns.
    fn win(self, centipawns: f32, ply: u16) -> f32 {
        match self {
            Self::Logistic { half_won, spread } => {
                LARGEST_CENTIPAWN_WIN / (1.0 + ((half_won - centipawns) / spread).exp())
            }
            Self::Lichess => {
                let centipawns = centipawns.clamp(-LICHESS_CEILING, LICHESS_CEILING);
                1.0 / (1.0 + (-LICHESS_STEEPNESS * centipawns).exp())
            }
            Self::Stockfish => LARGEST_CENTIPAWN_WIN * stockfish_win(centipawns, ply),
        }
    }
}

/// Win, draw and loss probability of an evaluation by the default curve.
pub fn evaluation_to_wdl(evaluation: Score) -> Wdl {
    EvaluationCurve::default().wdl(evaluation, 0)
}

fn mate(moves: i32) -> f32 {
    DISTANT_MATE_WIN + (1.0 - DISTANT_MATE_WIN) * HALFWAY_MATE / (HALFWAY_MATE + moves as f32)
}

/// Stockfish 16: a logistic curve over internal units, whose middle and width are polynomials of the ply.
fn stockfish_win(centipawns: f32, ply: u16) -> f32 {
    const UNITS_PER_PAWN: f32 = 328.0;
    const MIDDLE: [f32; 4] = [0.380_365_25, -2.820_150_7, 23.178_821, 307.367_68];
    const WIDTH: [f32; 4] = [-2.294_347_3, 13.276_898, -14.268_289, 63.453_183];
    let moves = f32::from(ply.min(240)) / 64.0;
    let at = |polynomial: [f32; 4]| polynomial.into_iter().fold(0.0, |sum, factor| sum * moves + factor);
    let value = (centipawns * UNITS_PER_PAWN / 100.0).clamp(-4000.0, 4000.0);
    1.0 / (1.0 + ((at(MIDDLE) - value) / at(WIDTH)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVES: [EvaluationCurve; 4] = [
        EvaluationCurve::Logistic { half_won: 100.0, spread: 60.0 },
        EvaluationCurve::Logistic { half_won: 180.0, spread: 90.0 },
        EvaluationCurve::Lichess,
        EvaluationCurve::Stockfish,
    ];

    #[test]
    fn every_better_evaluation_is_a_better_target() {
        let mut ladder = vec![Score::Mate(0)];
        ladder.extend((1..=40).map(|moves| Score::Mate(-moves)));
        ladder.extend([-900, -300, -50, 0, 50, 300, 900].map(Score::Centipawns));
        ladder.extend((1..=40).rev().map(Score::Mate));
        for curve in CURVES {
            for pair in ladder.windows(2) {
                let [worse, better] = [pair[0], pair[1]].map(|score| curve.wdl(score, 60).value());
                assert!(worse < better, "{curve:?}: {:?} -> {worse}, {:?} -> {better}", pair[0], pair[1]);
            }
        }
    }

    #[test]
    fn evaluations_become_probabilities_and_mirror_each_other() {
        for curve in CURVES {
            for score in
                [Score::Centipawns(0), Score::Centipawns(37), Score::Centipawns(-5000), Score::Mate(3)]
            {
                let wdl = curve.wdl(score, 80);
                assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-6, "{curve:?}: {wdl:?}");
                assert!(wdl.win >= 0.0 && wdl.draw >= 0.0 && wdl.loss >= 0.0, "{curve:?}: {wdl:?}");
                let mirrored = curve.wdl(score.flipped(), 80).flipped();
                assert!((mirrored.win - wdl.win).abs() < 1e-6 && (mirrored.loss - wdl.loss).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn curves_pass_through_known_points() {
        let win = |curve: EvaluationCurve, centipawns, ply| curve.wdl(Score::Centipawns(centipawns), ply).win;
        assert!((win(EvaluationCurve::default(), 100, 0) - 0.4975).abs() < 1e-4);
        // Lichess: 300 centipawns are 75.1 %, ten pawns and more 97.5 %.
        assert!((win(EvaluationCurve::Lichess, 300, 0) - 0.751).abs() < 1e-3);
        assert_eq!(win(EvaluationCurve::Lichess, 4000, 0), win(EvaluationCurve::Lichess, 1000, 0));
        assert!((win(EvaluationCurve::Lichess, 1000, 0) - 0.975).abs() < 1e-3);
        // Stockfish 16 defines a pawn by half the games won at move 32.
        assert!((win(EvaluationCurve::Stockfish, 100, 64) - 0.4975).abs() < 1e-3);
        assert!(win(EvaluationCurve::Stockfish, 100, 10) > win(EvaluationCurve::Stockfish, 100, 120));
    }
}
