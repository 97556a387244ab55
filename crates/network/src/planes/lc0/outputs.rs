//! Reference outputs of lc0 for some positions, and the differences of a network from them.
//!
//! The reference file is JSON: `net` and `engine` (texts), `policy_temperature` (must be 1) and `cases`, each with
//! `position` (`startpos` or `fen FEN`, optionally followed by ` moves ` and UCI moves), `policy` (a probability for
//! each UCI move, every legal move once) and `wl_d` (win minus loss, and draw, for the side to move).

mod verdict;

use std::collections::BTreeMap;

use chess::{CastlingMode, Evaluation, EvaluationRequest, Evaluator, Game, Move, parse_uci_move};
use serde::{Deserialize, Serialize};

use super::report::as_reported;

pub use verdict::Verdict;

/// The largest allowed difference of a move's probability: lc0's own backends differ by as much.
pub const POLICY_TOLERANCE: f32 = 5e-4;

/// The largest allowed difference of win minus loss.
pub const VALUE_TOLERANCE: f32 = 1e-3;

/// Another program's outputs for a network, to compare with this program's.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ReferenceOutputs {
    pub net: String,
    /// The program, version and backend that computed the outputs.
    pub engine: String,
    policy_temperature: f32,
    pub cases: Vec<ReferenceCase>,
}

/// One position and the outputs for it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ReferenceCase {
    /// `startpos` or `fen FEN`, optionally followed by ` moves ` and UCI moves.
    pub position: String,
    policy: BTreeMap<String, f32>,
    wl_d: [f32; 2],
}

/// The difference between the outputs for a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// The largest difference of a move's probability.
    pub policy: f32,
    /// Difference of win minus loss.
    pub value: f32,
    /// Difference of the probability of a draw.
    pub draw: f32,
}

/// A network's differences for one position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseDifference {
    /// Name of the position in the file.
    pub position: String,
    /// True if the position has a move history, which the network saw.
    pub history: bool,
    /// Difference of the network's own outputs.
    pub exact: Difference,
    /// Difference after applying [`as_reported`] to the network's outputs.
    pub reported: Difference,
}

impl ReferenceOutputs {
    /// Reads a file's content; `file` names it in errors.
    ///
    /// # Errors
    /// [`OutputsError::Syntax`] with the place in the file; [`OutputsError::Invalid`] for a temperature other than 1 and
    /// for a file without cases.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, OutputsError> {
        let outputs: Self = serde_json::from_slice(bytes)
            .map_err(|reason| OutputsError::Syntax { file: file.into(), reason })?;
        let invalid =
            |field, found, expected| OutputsError::Invalid { file: file.into(), field, found, expected };
        if outputs.policy_temperature != 1.0 {
            return Err(invalid("policy_temperature", outputs.policy_temperature.to_string(), "1"));
        }
        if outputs.cases.is_empty() {
            return Err(invalid("cases", "none".into(), "at least one"));
        }
        Ok(outputs)
    }

    /// True if the outputs include lc0's approximations ([`crate::planes::lc0::report`]): then a network is judged by
    /// [`CaseDifference::reported`], otherwise by [`CaseDifference::exact`].
    pub fn from_lc0(&self) -> bool {
        self.engine.starts_with("lc0")
    }

    /// Compares a network with every case.
    ///
    /// # Errors
    /// [`OutputsError::Case`] with the case whose position is not legal, whose moves are not the legal ones, or that the
    /// network cannot evaluate.
    pub fn compare(&self, evaluator: &dyn Evaluator) -> Result<Vec<CaseDifference>, OutputsError> {
        let mut differences = Vec::with_capacity(self.cases.len());
        for (number, case) in self.cases.iter().enumerate() {
            let difference = case.compare(evaluator).map_err(|reason| OutputsError::Case {
                number: number + 1,
                position: case.position.clone(),
                reason,
            })?;
            differences.push(difference);
        }
        Ok(differences)
    }
}

impl ReferenceCase {
    fn compare(&self, evaluator: &dyn Evaluator) -> Result<CaseDifference, String> {
        let game = self.game()?;
        let (legal_moves, policy) = self.policy(&game)?;
        let requests = [EvaluationRequest { game: &game, legal_moves: &legal_moves }];
        let evaluations = evaluator.evaluate(&requests).map_err(|error| error.to_string())?;
        let [evaluation] = &evaluations[..] else { return Err("the network gave no answer".into()) };
        Ok(CaseDifference {
            position: self.position.clone(),
            history: !game.moves().is_empty(),
            exact: self.difference(evaluation, &policy),
            reported: self.difference(&as_reported(evaluation), &policy),
        })
    }

    /// The game that leads to the position.
    fn game(&self) -> Result<Game, String> {
        let (start, moves) = self.position.split_once(" moves ").unwrap_or((&self.position, ""));
        let mut game = match start.strip_prefix("fen ") {
            Some(fen) => Game::from_fen(fen, CastlingMode::Standard).map_err(|error| error.to_string())?,
            None if start == "startpos" => Game::default(),
            None => return Err(format!("found {start:?}, expected `startpos` or `fen FEN`")),
        };
        for text in moves.split_whitespace() {
            game.play_uci(text).map_err(|error| error.to_string())?;
        }
        Ok(game)
    }

    /// The legal moves and their probabilities in the same order.
    fn policy(&self, game: &Game) -> Result<(Vec<Move>, Vec<f32>), String> {
        let mut named: Vec<(Move, f32)> = Vec::new();
        for (text, &probability) in &self.policy {
            let chess_move = parse_uci_move(game.position(), text).map_err(|error| error.to_string())?;
            named.push((chess_move, probability));
        }
        let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
        let mut policy = Vec::with_capacity(legal_moves.len());
        for legal in &legal_moves {
            let Some((_, probability)) = named.iter().find(|(chess_move, _)| chess_move == legal) else {
                return Err(format!("the policy lacks {}", legal.to_uci(CastlingMode::Standard)));
            };
            policy.push(*probability);
        }
        if policy.len() != named.len() {
            return Err(format!("the policy has {} moves, {} are legal", named.len(), policy.len()));
        }
        Ok((legal_moves, policy))
    }

    fn difference(&self, evaluation: &Evaluation, policy: &[f32]) -> Difference {
        let [value, draw] = self.wl_d;
        let policy = evaluation.priors.iter().zip(policy).map(|(prior, expected)| (prior - expected).abs());
        Difference {
            policy: policy.fold(0.0, f32::max),
            value: (evaluation.wdl.value() - value).abs(),
            draw: (evaluation.wdl.draw - draw).abs(),
        }
    }
}

impl Difference {
    /// The larger of each pair of numbers.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            policy: self.policy.max(other.policy),
            value: self.value.max(other.value),
            draw: self.draw.max(other.draw),
        }
    }

    /// True if policy and value are within [`POLICY_TOLERANCE`] and [`VALUE_TOLERANCE`].
    pub fn passes(self) -> bool {
        self.policy <= POLICY_TOLERANCE && self.value <= VALUE_TOLERANCE
    }
}

/// Reference outputs that cannot be read, or cannot be compared with a network.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum OutputsError {
    #[error("{file}: not a file of reference outputs: {reason}")]
    Syntax {
        file: String,
        /// The parser's message, with line and column.
        reason: serde_json::Error,
    },
    /// A field has a value with which no network can be compared.
    #[error("{file}: {field} = {found}: expected {expected}")]
    Invalid { file: String, field: &'static str, found: String, expected: &'static str },
    /// A case whose position is not legal, whose moves are not the legal ones, or that the network cannot evaluate.
    #[error("case {number} ({position}): {reason}")]
    Case {
        /// Number of the case, from 1.
        number: usize,
        position: String,
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use chess::UniformEvaluator;
    use proptest::prelude::{any, prop, proptest};

    use super::*;

    fn outputs(text: &str) -> Result<ReferenceOutputs, OutputsError> {
        ReferenceOutputs::from_bytes(text.as_bytes(), "outputs.json")
    }

    fn one(position: &str, policy: &str, engine: &str) -> ReferenceOutputs {
        let text = format!(
            r#"{{"net": "n", "engine": "{engine}", "policy_temperature": 1.0,
            "cases": [{{"position": "{position}", "policy": {policy}, "wl_d": [0.25, 0.5]}}]}}"#
        );
        outputs(&text).unwrap()
    }

    const LONE_KING: &str = "fen 7k/8/8/8/8/8/8/K7 b - - 0 1 moves h8h7";

    #[test]
    fn differences_are_those_computed_by_hand() {
        // White's king has three moves, so a uniform network gives each a third.
        let reference = one(LONE_KING, r#"{"a1a2": 0.5, "a1b1": 0.3, "a1b2": 0.2}"#, "other");
        assert!(!reference.from_lc0());
        let [case] = &reference.compare(&UniformEvaluator).unwrap()[..] else { panic!("one case") };
        assert!(case.history);
        assert!((case.exact.policy - (0.5 - 1.0 / 3.0)).abs() < 1e-6, "{case:?}");
        // The uniform network evaluates every game as a draw.
        assert_eq!((case.exact.value, case.exact.draw), (0.25, 0.5));
        assert!(!case.exact.passes());
        assert!(Difference { policy: 4e-4, value: 9e-4, draw: 1.0 }.passes());
    }

    #[test]
    fn cases_that_do_not_fit_are_named() {
        let message = |position: &str, policy: &str| {
            one(position, policy, "lc0").compare(&UniformEvaluator).unwrap_err().to_string()
        };
        let lacking = message(LONE_KING, r#"{"a1a2": 0.5, "a1b1": 0.5}"#);
        assert!(lacking.contains("case 1 (fen 7k") && lacking.contains("lacks a1b2"), "{lacking}");
        assert!(message(LONE_KING, r#"{"a1a3": 1.0}"#).contains("a1a3"));
        assert!(message("start", "{}").contains("expected `startpos`"));
        assert!(message("startpos moves e2e5", "{}").contains("e2e5"));
        assert!(message("fen nothing", "{}").contains("case 1"));
    }

    #[test]
    fn other_files_are_refused() {
        let message = |text: &str| outputs(text).unwrap_err().to_string();
        assert!(message("{").contains("outputs.json: not a file of reference outputs: EOF"));
        assert!(message(r#"{"net": "n"}"#).contains("missing field `engine`"));
        let empty = r#"{"net": "n", "engine": "e", "policy_temperature": 1.0, "cases": []}"#;
        assert!(message(empty).contains("cases = none: expected at least one"));
        let warm = empty.replace("1.0", "1.4");
        assert!(message(&warm).contains("policy_temperature = 1.4: expected 1"));
    }

    proptest! {
        #[test]
        fn arbitrary_cases_never_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            (position, chess_move) in (any::<String>(), any::<String>()),
            moves in prop::collection::vec("[a-h][1-8][a-h][1-8][qrbn]?", 0..4),
        ) {
            let _ = ReferenceOutputs::from_bytes(&bytes, "x");
            for position in [position, format!("startpos moves {}", moves.join(" "))] {
                let case = serde_json::json!({
                    "position": position, "policy": { chess_move.clone(): 1.0 }, "wl_d": [0.0, 1.0]
                });
                let text = serde_json::json!({
                    "net": "n", "engine": "e", "policy_temperature": 1.0, "cases": [case]
                });
                outputs(&text.to_string()).unwrap().compare(&UniformEvaluator).unwrap_err();
            }
        }
    }
}
