//! The Lichess evaluation database as JSON lines (<https://database.lichess.org/#evals>): one position per line, with
//! one or more analyses, each of one or more principal variations.
//!
//! # Label rules
//! 1. Evaluations are White's view; records hold the view of the side to move.
//! 2. The policy comes from the analysis with the most variations (of several, the deepest): the first move of each with
//!    its evaluation, best first. The best move is the first of them.
//! 3. The evaluation of the position, with depth and nodes, is that of the deepest analysis.
//!    `mate` 0 is not an evaluation, because the position has moves: an analysis with such a variation gives its first move alone. So
//!    does one in which a variation has a code of a mate as `cp`, both or neither of the two, or a fraction; such positions are counted.
//! 4. Castling is the king taking its rook; the king's step is read as well. Positions of Chess960 are recognised by their castling rights.

use std::{borrow::Cow, collections::VecDeque};

use chess::{Chess, Move, Position as _, Score};
use serde::Deserialize;

use super::{
    BadReason, PositionRules, Problem, Source,
    evaluation_row::first_move,
    input::Input,
    rows::{RowReader, Rows},
    scores,
};
use crate::{
    evaluation::evaluation_to_wdl,
    packed_move::PackedMove,
    policy::PolicyLabel,
    record::{LabelDoubt, LabelDoubts, Origin, Place, PositionRecord, Record, SearchEffort},
};

struct Evaluations(PositionRules);

/// A move with the evaluation of its variation for the side to move.
type ScoredMove = (Move, Result<Score, LabelDoubt>);

/// A line of the file; other fields are ignored.
#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(borrow)]
    evals: Vec<Analysis<'a>>,
}

#[derive(Deserialize)]
struct Analysis<'a> {
    #[serde(default)]
    knodes: Option<u64>,
    depth: u16,
    #[serde(borrow)]
    pvs: Vec<Variation<'a>>,
}

#[derive(Deserialize)]
struct Variation<'a> {
    #[serde(default)]
    cp: Option<f64>,
    #[serde(default)]
    mate: Option<f64>,
    #[serde(borrow)]
    line: Cow<'a, str>,
}

/// True if a text begins like a file of evaluations: a JSON object whose first field is `fen`.
pub(super) fn recognises(beginning: &str) -> bool {
    let inside = beginning.trim_start().strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with("\"fen\""))
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input, rules: PositionRules) -> Box<dyn Source> {
    Box::new(Rows::new(input, Evaluations(rules)))
}

impl RowReader for Evaluations {
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        records.push_back(Record::Position(Box::new(position(row, place, self.0)?)));
        Ok(())
    }
}

fn position(line: &str, place: &Place, rules: PositionRules) -> Result<PositionRecord, Problem> {
    let entry: Entry<'_> = serde_json::from_str(line).map_err(|error| {
        let expected = r#"{"fen": ..., "evals": [{"depth": ..., "pvs": [{"cp": ..., "line": ...}]}]}"#;
        Problem::new(BadReason::BadSyntax, format!("{error}; expected {expected}"))
    })?;
    let (position, castling_mode) = super::positions::parse(&entry.fen, rules)?;
    let deepest = entry.evals.iter().max_by_key(|analysis| (analysis.depth, analysis.knodes));
    let widest = entry.evals.iter().max_by_key(|analysis| (analysis.pvs.len(), analysis.depth));
    let (Some(deepest), Some(widest)) = (deepest, widest) else {
        return Err(Problem::new(BadReason::NoMoves, "no analysis"));
    };
    let mut scores = widest.scores(&position, rules)?;
    let [(best_move, _), ..] = scores[..] else {
        return Err(Problem::new(BadReason::NoMoves, "an analysis without a variation"));
    };
    let first = deepest.scores(&position, rules)?.first().map(|&(_, score)| score);
    let evaluation = first.unwrap_or(Err(LabelDoubt::UnreadEvaluation));
    let mut doubts = LabelDoubts::default();
    // A position counts once, however many of its variations are in doubt.
    if let Some(doubt) = scores.iter().map(|&(_, score)| score).chain([evaluation]).find_map(Result::err) {
        doubts.count(doubt);
    }
    scores.truncate(usize::from(u8::MAX));
    // A distribution needs the score of every move: with one unknown, the best move alone is learned.
    let known: Option<Vec<_>> =
        scores.iter().map(|&(chess_move, score)| Some((PackedMove::pack(chess_move), score.ok()?))).collect();
    let policy = match known {
        Some(known) if known.len() > 1 => PolicyLabel::Scores(known.into()),
        _ => PolicyLabel::BestMove,
    };
    Ok(PositionRecord {
        policy,
        evaluation: evaluation.ok(),
        effort: SearchEffort {
            depth: Some(deepest.depth),
            nodes: deepest.knodes.map(|thousands| thousands.saturating_mul(1000)),
        },
        origin: Some(Origin::Engine),
        doubts,
        ..PositionRecord::new(place.clone(), position, castling_mode, best_move)
    })
}

impl Analysis<'_> {
    /// The first moves of the variations with their evaluations, best first, or in the order of the file if one is unknown; of a
    /// repeated move, the first.
    fn scores(&self, position: &Chess, rules: PositionRules) -> Result<Vec<ScoredMove>, Problem> {
        let mut scores: Vec<ScoredMove> = Vec::with_capacity(self.pvs.len());
        for variation in &self.pvs {
            let chess_move = first_move(position, &variation.line, rules)?;
            let score = scores::of_columns(variation.cp, variation.mate)
                .map(|score| scores::for_mover(score, position.turn()));
            if scores.iter().all(|(known, _)| *known != chess_move) {
                scores.push((chess_move, score));
            }
        }
        if scores.iter().all(|(_, score)| score.is_ok()) {
            scores.sort_by(|(_, one), (_, other)| value(*other).total_cmp(&value(*one)));
        }
        Ok(scores)
    }
}

/// The value of a score by the default curve, which orders mates and centipawns alike; 0 for an unknown score.
fn value(score: Result<Score, LabelDoubt>) -> f32 {
    score.map_or(0.0, |score| evaluation_to_wdl(score).value())
}
