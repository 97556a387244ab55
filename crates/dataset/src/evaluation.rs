//! Conversion of an engine's evaluation to win, draw and loss probabilities.

use std::{fmt, ops::RangeInclusive};

use chess::{Score, Wdl};
use serde::{Deserialize, Serialize};

/// The largest probability that a centipawn score can have: forced mates lie above it. Chosen.
const LARGEST_CENTIPAWN_WIN: f32 = 0.995;

/// Winning probability of a very distant mate; nearer mates lie between it and one. Chosen.
const DISTANT_MATE_WIN: f32 = 0.996;

/// Mates in this many moves lie halfway between [`DISTANT_MATE_WIN`] and one. Chosen.
const HALFWAY_MATE: f32 = 10.0;

/// Steepness of Lichess's curve, fitted to games of its players above 2300 (lila, `WinPercent`; pull request 11148).
const LICHESS_STEEPNESS: f32 = 0.003_682_08;

/// Lichess cuts evaluations off here.
const LICHESS_CEILING: f32 = 1000.0;

/// The largest absolute value (expected result from -1 to 1) that centipawns can stand for on a scale without draws.
const LARGEST_CENTIPAWN_VALUE: f32 = 2.0 * LARGEST_CENTIPAWN_WIN - 1.0;

/// Material of both sides within which curves by material change, and the number they divide it by (Stockfish 17, `uci.cpp`,
/// `win_rate_params`): pawn 1, knight and bishop 3, rook 5, queen 9.
pub const MATERIAL_RANGE: RangeInclusive<u8> = 17..=78;
const MATERIAL_SCALE: f32 = 58.0;

/// Progress of a game, on which some curves depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Plies since the start of the game.
    pub ply: u16,
    /// Material of both sides: pawn 1, knight and bishop 3, rook 5, queen 9.
    pub material: u8,
}

impl Stage {
    /// The starting position of chess.
    pub const START: Self = Self { ply: 0, material: 78 };
}

// Why several curves: a centipawn is worth what the players make of it. Lichess's curve was fitted to games of people, Stockfish's to its own
// long games, and other projects trained with theirs; whoever repeats one of these needs its curve. `tabiya data fit-wdl` fits one to the
// games of a store.

/// The function from centipawns to probabilities. All curves order mates alike: the nearer, the better, and all of them
/// above any centipawns.
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
    /// As [`EvaluationCurve::Logistic`], with constants that depend on the material m of both sides, clamped to
    /// [`MATERIAL_RANGE`]: polynomials of m / 58, highest power first. `tabiya data fit-wdl` fits them to a store.
    Material {
        /// Polynomial of the centipawns at which a side wins half its games.
        half_won: [f32; 4],
        /// Polynomial of the width of the transition.
        spread: [f32; 4],
    },
    /// Lichess's winning chances: an expected score without draws, 1 / (1 + e^(-0.00368208 v)), cut off at ten pawns.
    Lichess,
    /// Stockfish 16's model of its own games at a long time control (`uci.cpp`, `win_rate_model`): the curve depends on the
    /// ply.
    Stockfish,
    /// An expected result tanh(v / scale) without draws, cut off at 0.99.
    Tanh {
        /// Centipawns at which it is 0.76. Default 600.
        #[serde(default = "default_scale")]
        scale: f32,
    },
    /// An expected result that grows evenly without draws, v / (100 limit), cut off at 0.99.
    Pawns {
        /// Pawns that count as a win. Default 10.
        #[serde(default = "default_limit")]
        limit: f32,
    },
}

impl Default for EvaluationCurve {
    fn default() -> Self {
        Self::Logistic { half_won: default_half_won(), spread: default_spread() }
    }
}

// The logistic curve's two constants are chosen, for the reasons in [`EvaluationCurve::Logistic`]; `scale` is AIChess's,
// `limit` COGS188's.

fn default_half_won() -> f32 {
    100.0
}

fn default_spread() -> f32 {
    60.0
}

fn default_scale() -> f32 {
    600.0
}

fn default_limit() -> f32 {
    10.0
}

impl EvaluationCurve {
    /// Win, draw and loss probability of an evaluation at a stage of the game.
    pub fn wdl(self, evaluation: Score, stage: Stage) -> Wdl {
        match evaluation {
            Score::Centipawns(centipawns) => self.wdl_of_centipawns(centipawns as f32, stage),
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

    /// As [`EvaluationCurve::wdl`] for an evaluation that is not a whole number of centipawns.
    pub fn wdl_of_centipawns(self, centipawns: f32, stage: Stage) -> Wdl {
        let (win, loss) = (self.win(centipawns, stage), self.win(-centipawns, stage));
        // The sum first: it is the same from both sides.
        Wdl { win, draw: (1.0 - (win + loss)).max(0.0), loss }
    }

    /// The constants by name, each with the range in which it is valid; constants that depend on the material are given
    /// at each value of [`MATERIAL_RANGE`].
    pub fn constants(self) -> Vec<(&'static str, f32, RangeInclusive<f32>)> {
        match self {
            Self::Logistic { half_won, spread } => logistic_constants(half_won, spread).into(),
            Self::Material { half_won, spread } => MATERIAL_RANGE
                .flat_map(|material| {
                    logistic_constants(at_material(half_won, material), at_material(spread, material))
                })
                .collect(),
            Self::Tanh { scale } => vec![("scale", scale, 1.0..=1e4)],
            Self::Pawns { limit } => vec![("limit", limit, 0.1..=1e3)],
            Self::Lichess | Self::Stockfish => Vec::new(),
        }
    }

    /// The probability to win with this many centipawns.
    fn win(self, centipawns: f32, stage: Stage) -> f32 {
        match self {
            Self::Logistic { half_won, spread } => logistic_win(centipawns, half_won, spread),
            Self::Material { half_won, spread } => {
                let half_won = at_material(half_won, stage.material);
                logistic_win(centipawns, half_won, at_material(spread, stage.material))
            }
            Self::Lichess => {
                let centipawns = centipawns.clamp(-LICHESS_CEILING, LICHESS_CEILING);
                1.0 / (1.0 + (-LICHESS_STEEPNESS * centipawns).exp())
            }
            Self::Stockfish => LARGEST_CENTIPAWN_WIN * stockfish_win(centipawns, stage.ply),
            Self::Tanh { scale } => win_without_draws((centipawns / scale).tanh()),
            Self::Pawns { limit } => win_without_draws(centipawns / (100.0 * limit)),
        }
    }
}

fn logistic_win(centipawns: f32, half_won: f32, spread: f32) -> f32 {
    LARGEST_CENTIPAWN_WIN / (1.0 + ((half_won - centipawns) / spread).exp())
}

/// The probability to win if there are no draws, from an expected result of -1 to 1.
fn win_without_draws(result: f32) -> f32 {
    0.5 + 0.5 * result.clamp(-LARGEST_CENTIPAWN_VALUE, LARGEST_CENTIPAWN_VALUE)
}

/// The constants of a logistic curve with their ranges. A negative middle would make win and loss add up to more than one at zero
/// centipawns.
fn logistic_constants(half_won: f32, spread: f32) -> [(&'static str, f32, RangeInclusive<f32>); 2] {
    [("half_won", half_won, 0.0..=1e4), ("spread", spread, 1.0..=1e4)]
}

/// The curve as a recipe writes it.
impl fmt::Display for EvaluationCurve {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Logistic { half_won, spread } => {
                write!(formatter, "{{ kind = \"logistic\", half_won = {half_won}, spread = {spread} }}")
            }
            Self::Material { half_won, spread } => {
                write!(formatter, "{{ kind = \"material\", half_won = {half_won:?}, spread = {spread:?} }}")
            }
            Self::Lichess => formatter.write_str("{ kind = \"lichess\" }"),
            Self::Stockfish => formatter.write_str("{ kind = \"stockfish\" }"),
            Self::Tanh { scale } => write!(formatter, "{{ kind = \"tanh\", scale = {scale} }}"),
            Self::Pawns { limit } => write!(formatter, "{{ kind = \"pawns\", limit = {limit} }}"),
        }
    }
}

/// Win, draw and loss probability of an evaluation by the default curve.
pub fn evaluation_to_wdl(evaluation: Score) -> Wdl {
    EvaluationCurve::default().wdl(evaluation, Stage::START)
}

/// The centipawns whose value by the default curve this is: the inverse of [`EvaluationCurve::wdl_of_centipawns`].
pub fn wdl_to_centipawns(wdl: Wdl) -> f32 {
    let (half_won, spread) = (default_half_won(), default_spread());
    // Of the smaller probability: the larger one is rounded to its ceiling where the smaller one still has all its digits.
    let smaller = wdl.win.min(wdl.loss);
    let lead = spread * (LARGEST_CENTIPAWN_WIN / smaller - 1.0).ln() - half_won;
    if wdl.win < wdl.loss { -lead } else { lead }
}

/// The variable of the polynomials of [`EvaluationCurve::Material`]: the clamped material, divided by 58.
pub fn material_share(material: u8) -> f32 {
    f32::from(material.clamp(*MATERIAL_RANGE.start(), *MATERIAL_RANGE.end())) / MATERIAL_SCALE
}

fn at_material(polynomial: [f32; 4], material: u8) -> f32 {
    value_at(polynomial, material_share(material))
}

/// The value of a polynomial, highest power first (Horner's rule).
fn value_at(polynomial: [f32; 4], variable: f32) -> f32 {
    polynomial.into_iter().fold(0.0, |sum, factor| sum * variable + factor)
}

fn mate(moves: i32) -> f32 {
    DISTANT_MATE_WIN + (1.0 - DISTANT_MATE_WIN) * HALFWAY_MATE / (HALFWAY_MATE + moves as f32)
}

/// Stockfish 16: a logistic curve over internal units, whose middle and width are polynomials of the ply (`uci.cpp`,
/// `win_rate_model`, the source of all its numbers).
fn stockfish_win(centipawns: f32, ply: u16) -> f32 {
    const UNITS_PER_PAWN: f32 = 328.0;
    const MIDDLE: [f32; 4] = [0.380_365_25, -2.820_150_7, 23.178_821, 307.367_68];
    const WIDTH: [f32; 4] = [-2.294_347_3, 13.276_898, -14.268_289, 63.453_183];
    let moves = f32::from(ply.min(240)) / 64.0;
    let value = (centipawns * UNITS_PER_PAWN / 100.0).clamp(-4000.0, 4000.0);
    1.0 / (1.0 + ((value_at(MIDDLE, moves) - value) / value_at(WIDTH, moves)).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CURVES: [EvaluationCurve; 7] = [
        EvaluationCurve::Logistic { half_won: 100.0, spread: 60.0 },
        EvaluationCurve::Logistic { half_won: 180.0, spread: 90.0 },
        EvaluationCurve::Material { half_won: [0.0, 10.0, -80.0, 200.0], spread: [0.0, 0.0, -10.0, 70.0] },
        EvaluationCurve::Lichess,
        EvaluationCurve::Stockfish,
        EvaluationCurve::Tanh { scale: 600.0 },
        EvaluationCurve::Pawns { limit: 10.0 },
    ];

    const MIDDLE: Stage = Stage { ply: 60, material: 44 };

    #[test]
    fn values_of_the_default_curve_lead_back_to_their_centipawns() {
        for centipawns in [-1500.0, -900.0, -61.0, -1.0, 0.0, 1.0, 61.0, 900.0, 1500.0] {
            let wdl = EvaluationCurve::default().wdl_of_centipawns(centipawns, Stage::START);
            let found = wdl_to_centipawns(wdl);
            assert!((found - centipawns).abs() < 0.1, "{centipawns}: {found}");
        }
    }

    #[test]
    fn every_better_evaluation_is_a_better_target() {
        let mut ladder = vec![Score::Mate(0)];
        ladder.extend((1..=40).map(|moves| Score::Mate(-moves)));
        ladder.extend([-900, -300, -50, 0, 50, 300, 900].map(Score::Centipawns));
        ladder.extend((1..=40).rev().map(Score::Mate));
        for curve in CURVES {
            for pair in ladder.windows(2) {
                let [worse, better] = [pair[0], pair[1]].map(|score| curve.wdl(score, MIDDLE).value());
                assert!(worse < better, "{curve:?}: {:?} -> {worse}, {:?} -> {better}", pair[0], pair[1]);
            }
        }
    }

    #[test]
    fn mates_stand_above_the_greatest_advantages() {
        let ladder = [
            Score::Mate(1),
            Score::Mate(5),
            Score::Centipawns(1500),
            Score::Centipawns(600),
            Score::Centipawns(0),
        ];
        for curve in CURVES {
            let values = ladder.map(|score| curve.wdl(score, MIDDLE).value());
            assert!(values.is_sorted_by(|better, worse| better >= worse), "{curve:?}: {values:?}");
            assert!(values[0] > values[1] && values[1] > values[2] && values[3] > values[4], "{values:?}");
            let most = curve.wdl(Score::Centipawns(i32::MAX), MIDDLE).value();
            assert!(most < curve.wdl(Score::Mate(i32::MAX), MIDDLE).value(), "{curve:?}: {most}");
        }
    }

    proptest! {
        #[test]
        fn evaluations_become_probabilities_and_mirror_each_other(
            centipawns in -30_000..30_000,
            moves in 1..200,
            ply in 0..600u16,
            material in 0..=u8::MAX,
        ) {
            let stage = Stage { ply, material };
            for curve in CURVES {
                for score in [Score::Centipawns(centipawns), Score::Mate(moves)] {
                    let wdl = curve.wdl(score, stage);
                    prop_assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-6, "{curve:?}: {wdl:?}");
                    prop_assert!(wdl.win >= 0.0 && wdl.draw >= 0.0 && wdl.loss >= 0.0, "{curve:?}: {wdl:?}");
                    prop_assert_eq!(curve.wdl(score.flipped(), stage).flipped(), wdl);
                }
            }
        }
    }

    #[test]
    fn curves_pass_through_known_points() {
        let win = |curve: EvaluationCurve, centipawns, ply| {
            curve.wdl(Score::Centipawns(centipawns), Stage { ply, material: 58 }).win
        };
        assert!((win(EvaluationCurve::default(), 100, 0) - 0.4975).abs() < 1e-4);
        // Lichess: 300 centipawns are 75.1 %, ten pawns and more 97.5 %.
        assert!((win(EvaluationCurve::Lichess, 300, 0) - 0.751).abs() < 1e-3);
        assert_eq!(win(EvaluationCurve::Lichess, 4000, 0), win(EvaluationCurve::Lichess, 1000, 0));
        assert!((win(EvaluationCurve::Lichess, 1000, 0) - 0.975).abs() < 1e-3);
        // Stockfish 16 defines a pawn by half the games won at move 32.
        assert!((win(EvaluationCurve::Stockfish, 100, 64) - 0.4975).abs() < 1e-3);
        assert!(win(EvaluationCurve::Stockfish, 100, 10) > win(EvaluationCurve::Stockfish, 100, 120));
        // tanh(1) = 0.7616; four of ten pawns; nine pawns of nine are cut off at 0.99.
        assert!((win(EvaluationCurve::Tanh { scale: 600.0 }, 600, 0) - 0.8808).abs() < 1e-4);
        assert!((win(EvaluationCurve::Pawns { limit: 10.0 }, 400, 0) - 0.7).abs() < 1e-6);
        assert!((win(EvaluationCurve::Pawns { limit: 9.0 }, 900, 0) - 0.995).abs() < 1e-6);
    }

    #[test]
    fn material_changes_the_curve_between_its_limits() {
        let curve =
            EvaluationCurve::Material { half_won: [0.0, 0.0, 58.0, 50.0], spread: [0.0, 0.0, 0.0, 60.0] };
        let win =
            |material, centipawns| curve.wdl(Score::Centipawns(centipawns), Stage { ply: 0, material }).win;
        // Half the games are won with 50 + material centipawns.
        assert!((win(30, 80) - 0.4975).abs() < 1e-4 && (win(78, 128) - 0.4975).abs() < 1e-4);
        assert_eq!((win(0, 90), win(255, 90)), (win(17, 90), win(78, 90)));
    }
}
