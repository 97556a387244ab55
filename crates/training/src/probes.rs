//! The network's outputs in a few fixed positions during training, for people who follow it: `probes.jsonl`, with one
//! line per validation.

use std::path::Path;

use chess::{CastlingMode, Game, print_uci_move};
use dataset::Batch;
use files::{Journal, if_there, read_text};
use network::{
    NetworkError, Spec, ValueKind, container,
    passes::Outputs,
    probabilities::{PositionValue, softmax},
    synthetic,
};
use serde::{Deserialize, Serialize};

/// Number of moves kept for each position.
const MOVES: usize = 5;

/// The first move, opening theory, tactics of one and two moves, and well-known endgames.
const POSITIONS: [(&str, &str); 8] = [
    ("First move", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("Sicilian, fifth move", "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 1 5"),
    ("Mate in one", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
    ("A queen hangs", "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"),
    ("A fork", "r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/R3K2R w KQkq - 0 1"),
    ("Pawn up, queens on", "3q2k1/5ppp/8/8/8/P7/5PPP/3Q2K1 w - - 0 1"),
    ("Lucena", "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"),
    ("The opposition", "8/8/4k3/8/4K3/4P3/8/8 w - - 0 1"),
];

/// A line of `probes.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProbeLine {
    pub(crate) step: u64,
    pub(crate) positions: Vec<ProbeOutputs>,
}

/// The network's output in a position, without a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProbeOutputs {
    pub(crate) name: String,
    pub(crate) fen: String,
    /// Probabilities of win, draw and loss for the side to move; `None` for a network without a value.
    pub(crate) wdl: Option<[f32; 3]>,
    /// The most probable moves in UCI notation, with their probabilities; empty for a network without a policy.
    pub(crate) moves: Vec<(String, f32)>,
}

/// The positions, encoded for a network.
pub(crate) struct Probes {
    games: Vec<Game>,
    /// The labels in the batch are placeholders and are never read.
    batch: Batch,
}

impl Probes {
    pub(crate) fn new(spec: &Spec) -> Result<Self, NetworkError> {
        let mut games = Vec::with_capacity(POSITIONS.len());
        for (name, fen) in POSITIONS {
            let game = Game::from_fen(fen, CastlingMode::Standard);
            games.push(game.map_err(|error| NetworkError::Syntax {
                place: format!("the probe position {name:?}"),
                reason: error.to_string(),
            })?);
        }
        let batch = synthetic::batch(spec, &games, 0);
        Ok(Self { games, batch })
    }

    /// The positions for which [`Probes::line`] needs outputs.
    pub(crate) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// The network's outputs as a line of the file.
    pub(crate) fn line(&self, step: u64, kind: ValueKind, outputs: &Outputs) -> ProbeLine {
        let positions = (0..self.games.len()).map(|index| self.outputs_at(index, kind, outputs)).collect();
        ProbeLine { step, positions }
    }

    /// The outputs in one of the positions.
    fn outputs_at(&self, index: usize, kind: ValueKind, outputs: &Outputs) -> ProbeOutputs {
        let row = self.batch.legal_offsets[index] as usize..self.batch.legal_offsets[index + 1] as usize;
        let mut priors = outputs.logits.get(row).map_or_else(Vec::new, <[f32]>::to_vec);
        softmax(&mut priors, 1.0);
        let legal = self.games[index].legal_moves();
        let mut moves: Vec<(String, f32)> = legal
            .iter()
            .zip(priors)
            .map(|(&chess_move, prior)| (print_uci_move(chess_move, CastlingMode::Standard), prior))
            .collect();
        moves.sort_by(|one, other| other.1.total_cmp(&one.1));
        moves.truncate(MOVES);
        let output = &outputs.values[index * kind.outputs()..(index + 1) * kind.outputs()];
        let wdl = PositionValue::of(kind, output).wdl;
        let wdl = (kind != ValueKind::None).then_some([wdl.win, wdl.draw, wdl.loss]);
        let (name, fen) = POSITIONS[index];
        ProbeOutputs { name: name.into(), fen: fen.into(), wdl, moves }
    }
}

/// Removes the lines after a step, which were left by an interrupted run or by another run with the same name.
pub(crate) fn keep_until(folder: &Path, step: u64) -> Result<(), NetworkError> {
    let path = folder.join(files::run::PROBES);
    let text = if_there(read_text(&path)).map_err(NetworkError::file(&path, "read the probes of"))?;
    let Some(text) = text else { return Ok(()) };
    // An incomplete line, left by a kill, is ignored.
    let kept = text.lines().filter(|line| {
        step > 0 && serde_json::from_str::<ProbeLine>(line).is_ok_and(|line| line.step <= step)
    });
    let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
    container::write(&path, kept.as_bytes())
}

/// Appends a line.
pub(crate) fn append(folder: &Path, line: &ProbeLine) -> Result<(), NetworkError> {
    let path = folder.join(files::run::PROBES);
    let written = Journal::open(&path).and_then(|mut lines| lines.append(line));
    written.map(|_place| ()).map_err(NetworkError::file(&path, "write the probes to"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_after_a_step_go_and_a_file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        keep_until(folder.path(), 1).unwrap();
        for step in [1, 2] {
            append(folder.path(), &ProbeLine { step, positions: Vec::new() }).unwrap();
        }
        keep_until(folder.path(), 1).unwrap();
        let path = folder.path().join(files::run::PROBES);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let error = keep_until(folder.path(), 1).unwrap_err().to_string();
        assert!(error.contains(files::run::PROBES), "{error}");
    }
}
